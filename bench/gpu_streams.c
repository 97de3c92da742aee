// Streams, events and threads on an NVIDIA GPU, beside the same written by hand against the driver: what a stream and
// an edge between two streams cost, K spins of one thread on K streams, and 1 to 16 threads that launch.
//
//     build/release/bench/gpu_streams [launches for each thread [threads]]     the last word: nothing but those
#include "rill/rill.h"

#include "raw_driver.h"

#include <pthread.h>

enum { EDGES = 200, MAX_SPINS = 128, SPIN_ROUNDS = 2000000, MAX_THREADS = 16 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void loop(int n, float s, float x[n])\n"
    "{ for (int i = 0; i < n; i++) { x[i] = s * x[i] + 1; } }\n"
    "kernel void spin(int rounds, long out[1])\n"
    "{ long s = 1;\n"
    "#pragma rill single\n"
    "  for (int i = 0; i < rounds; i++) { s = s * 6364136223846793005 + 1442695040888963407; }\n"
    "  out[0] = s; }\n"
    "kernel void two(int n, float s, float a[n], float b[n])\n"
    "{ stream_parallel { for (int i = 0; i < n; i++) { a[i] = s * a[i] + 1; } }\n"
    "  stream_parallel { for (int i = 0; i < n; i++) { b[i] = s * b[i] + 1; } } }\n";

static struct raw raw;
static rill_context context;
static rill_kernel loop_kernel;
static rill_kernel spin_kernel;
static rill_array arrays[MAX_SPINS];
static rill_stream streams[MAX_SPINS];
static void *raw_streams[MAX_SPINS];
static uint64_t raw_outs[MAX_SPINS];
static int rill_rounds = SPIN_ROUNDS; // set so that one spin takes as long as the one by hand

static rill_status open_all(void)
{
    rill_module module;
    RILL_TRY(rill_open("cuda:0", NULL, &context));
    RILL_TRY(rill_module_create(context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "loop", &loop_kernel));
    RILL_TRY(rill_module_kernel(module, "spin", &spin_kernel));
    for (int i = 0; i < MAX_SPINS; i++) {
        RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(RAW_N), &arrays[i]));
        RILL_TRY(rill_stream_create(context, NULL, &streams[i]));
        if (raw.stream(&raw_streams[i], 1, 0) != 0 || raw.alloc(&raw_outs[i], 64) != 0) {
            return RILL_ERR_DEVICE;
        }
    }
    return RILL_OK;
}

// ---- one at a time ------------------------------------------------------------------------------------------------

// The best of several batches.
static rill_status cost_of(rill_status (*step)(int), double *out_us)
{
    *out_us = 1e30;
    for (int r = 0; r < 8; r++) {
        double start = now_us();
        for (int i = 0; i < EDGES; i++) {
            RILL_TRY(step(i));
        }
        double time = (now_us() - start) / EDGES;
        *out_us = time < *out_us ? time : *out_us;
        RILL_TRY(rill_sync(context));
        raw.synchronize(raw_streams[0]);
        raw.synchronize(raw_streams[1]);
    }
    return RILL_OK;
}

static rill_status rill_stream_step(int i)
{
    (void)i;
    rill_stream stream;
    RILL_TRY(rill_stream_create(context, NULL, &stream));
    return rill_stream_destroy(stream);
}

static rill_status raw_stream_step(int i)
{
    (void)i;
    void *stream;
    return raw.stream(&stream, 1, 0) == 0 && raw.stream_destroy(stream) == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

static rill_event edge_event;
static void *raw_edge_event;

static rill_status rill_edge_step(int i)
{
    RILL_TRY(rill_event_record(edge_event, streams[i % 2]));
    return rill_event_wait(edge_event, streams[1 - i % 2]);
}

static rill_status raw_edge_step(int i)
{
    int failed = raw.record(raw_edge_event, raw_streams[i % 2]);
    return (failed | raw.wait(raw_streams[1 - i % 2], raw_edge_event, 0)) == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

static rill_status show_edge(bool has_time)
{
    double by_rill;
    double by_hand;
    rill_event_options options = {.without_time = !has_time};
    RILL_TRY(rill_event_create(context, &options, &edge_event));
    if (raw.event(&raw_edge_event, has_time ? 0 : 2) != 0) {
        return RILL_ERR_DEVICE;
    }
    RILL_TRY(cost_of(raw_edge_step, &by_hand));
    RILL_TRY(cost_of(rill_edge_step, &by_rill));
    printf("edge between two streams, record and wait, %s: %.2f us, by hand %.2f\n",
           has_time ? "events with a time" : "events without a time", by_rill, by_hand);
    return rill_event_destroy(edge_event);
}

static rill_status show_costs(void)
{
    double by_rill;
    double by_hand;
    RILL_TRY(cost_of(raw_stream_step, &by_hand));
    RILL_TRY(cost_of(rill_stream_step, &by_rill));
    printf("stream, made and destroyed: %.2f us, by hand %.2f\n", by_rill, by_hand);
    RILL_TRY(show_edge(false));
    return show_edge(true);
}

// ---- spins --------------------------------------------------------------------------------------------------------

static rill_status rill_spins(int count, double *out_us)
{
    double start = now_us();
    for (int i = 0; i < count; i++) {
        RILL_TRY(rill_launch(spin_kernel, streams[i], RILL_ARGS(rill_rounds, RILL_PTR((long *)raw_outs[i], 1))));
    }
    RILL_TRY(rill_sync(context));
    *out_us = now_us() - start;
    return RILL_OK;
}

static rill_status raw_spins(int count, double *out_us)
{
    int failed = 0;
    double start = now_us();
    for (int i = 0; i < count; i++) {
        int rounds = SPIN_ROUNDS;
        void *params[] = {&raw_outs[i], &rounds};
        failed |= raw.launch(raw.spin, 1, 1, 1, 1, 1, 1, 0, raw_streams[i], params, NULL);
    }
    for (int i = 0; i < count; i++) {
        failed |= raw.synchronize(raw_streams[i]);
    }
    *out_us = now_us() - start;
    return failed == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

static rill_status best_of(rill_status (*spins)(int, double *), int count, double *out_us)
{
    double best = 1e30;
    for (int r = 0; r < 5; r++) {
        double time;
        RILL_TRY(spins(count, &time));
        best = time < best ? time : best;
    }
    *out_us = best;
    return RILL_OK;
}

static rill_status show_spins(void)
{
    double rill_one;
    double raw_one;
    RILL_TRY(best_of(rill_spins, 1, &rill_one));
    RILL_TRY(best_of(raw_spins, 1, &raw_one));
    double times = raw_one / rill_one;
    rill_rounds = times > 1 && times < 100 ? (int)(times * SPIN_ROUNDS) : SPIN_ROUNDS;
    RILL_TRY(best_of(rill_spins, 1, &rill_one));
    printf("K spins on K streams: how many times the work of one in the time of one (one: %.0f us, by hand %.0f)\n",
           rill_one, raw_one);
    for (int k = 2; k <= MAX_SPINS; k *= 2) {
        double by_rill;
        double by_hand;
        RILL_TRY(best_of(rill_spins, k, &by_rill));
        RILL_TRY(best_of(raw_spins, k, &by_hand));
        double rill_times = k * rill_one / by_rill;
        double raw_times = k * raw_one / by_hand;
        printf("  %3d  %7.2fx, by hand %7.2fx: %.3f\n", k, rill_times, raw_times, rill_times / raw_times);
    }
    return RILL_OK;
}

// ---- threads ------------------------------------------------------------------------------------------------------

enum way { BY_RILL, BY_LAUNCH, BY_GRAPH };

struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    enum way way;
    int index;
    int launches;
    double begin;
    double end;
    bool has_failed;
};

static bool run_round(const struct worker *worker, const struct raw_graph *graph, int i)
{
    int k = worker->index;
    switch (worker->way) {
    case BY_RILL: return rill_launch(loop_kernel, streams[k], RILL_ARGS((int)RAW_N, (float)i, arrays[k])) == RILL_OK;
    case BY_LAUNCH: return raw_launch(&raw, k, raw_streams[k], (float)i) == 0;
    case BY_GRAPH: return raw_graph_run(&raw, graph, raw_streams[k], (float)i) == 0;
    }
    return false;
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;
    struct raw_graph graph;
    bool is_good = raw.set_current(raw.context) == 0 && raw_graph_make(&raw, &graph, 1, true) == 0;
    for (int i = 0; i < 100; i++) {
        is_good = is_good && run_round(worker, &graph, i);
    }
    is_good = is_good && rill_stream_synchronize(streams[worker->index]) == RILL_OK;
    raw.synchronize(raw_streams[worker->index]);
    pthread_barrier_wait(worker->barrier);
    worker->begin = now_us();
    for (int i = 0; i < worker->launches && is_good; i++) {
        is_good = run_round(worker, &graph, i);
    }
    is_good = is_good && rill_stream_synchronize(streams[worker->index]) == RILL_OK;
    raw.synchronize(raw_streams[worker->index]);
    worker->end = now_us();
    worker->has_failed = !is_good;
    return NULL;
}

// Millions of launches a second, all threads together.
static double rate_of(enum way way, int count, int launches)
{
    struct worker workers[MAX_THREADS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        workers[i] = (struct worker){.barrier = &barrier, .way = way, .index = i, .launches = launches};
        pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
    }
    double begin = 1e300;
    double end = 0;
    bool has_failed = false;
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        begin = workers[i].begin < begin ? workers[i].begin : begin;
        end = workers[i].end > end ? workers[i].end : end;
        has_failed |= workers[i].has_failed;
    }
    pthread_barrier_destroy(&barrier);
    if (has_failed) {
        printf("  failed\n");
    }
    return (double)count * launches / (end - begin);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Medians, as the driver's lock makes one run differ from the next.
static void show_threads(int launches)
{
    enum { TURNS = 9 };
    printf("threads that launch, a stream each; millions a second: Rill, cuLaunchKernel, graphs by hand; Rill to the "
           "better; the same of the best turns\n");
    for (int k = 1; k <= MAX_THREADS; k *= 2) {
        double rates[3][TURNS];
        int each = k < 4 ? launches * 4 / k : launches; // so that it lasts long enough
        for (int turn = 0; turn < TURNS; turn++) {      // what else runs there hits all alike
            for (int way = BY_RILL; way <= BY_GRAPH; way++) {
                rates[way][turn] = rate_of((enum way)way, k, each);
            }
        }
        for (int way = BY_RILL; way <= BY_GRAPH; way++) {
            qsort(rates[way], TURNS, sizeof rates[way][0], compare);
        }
        double ratios[2];
        for (int i = 0; i < 2; i++) {
            int at = i == 0 ? TURNS / 2 : TURNS - 1;
            double better = rates[BY_LAUNCH][at] > rates[BY_GRAPH][at] ? rates[BY_LAUNCH][at] : rates[BY_GRAPH][at];
            ratios[i] = rates[BY_RILL][at] / better;
        }
        printf("  %2d  %6.3f  %6.3f  %6.3f  %5.2fx %5.2fx\n", k, rates[BY_RILL][TURNS / 2], rates[BY_LAUNCH][TURNS / 2],
               rates[BY_GRAPH][TURNS / 2], ratios[0], ratios[1]);
    }
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 5000;
    if (!raw_open(&raw)) {
        printf("there is no NVIDIA GPU here\n");
        return 0;
    }
    bool is_all = argc < 3 || strcmp(argv[2], "threads") != 0;
    if (open_all() != RILL_OK || (is_all && (show_costs() != RILL_OK || show_spins() != RILL_OK))) {
        printf("failed: %s\n", rill_message());
        return 1;
    }
    show_threads(launches);
    if (rill_close(context) != RILL_OK) {
        printf("failed: %s\n", rill_message());
        return 1;
    }
    return 0;
}
