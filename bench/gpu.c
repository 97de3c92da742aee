// What launches cost on an NVIDIA GPU, beside the same kernels launched by hand through the driver, with events and as
// a graph whose parameters are set again: one kernel, blocks of 2, 4 and 8, chains of 20 (tasks that can be fused, and
// tasks that cannot), and the bandwidth of a triad beside a device copy. gpu_streams has streams, events and threads.
//
//     build/release/bench/gpu [rounds]
//
// In microseconds: what the host pays to queue a launch, the median and the least of many batches, and what a launch
// takes with everything waited for at the end; then host and that relative to the calls by hand, and what the host pays
// beyond the graph calls by hand, by medians and by the least. All take turns, batch by batch: the machine is not
// equally fast from one moment to the next.
#include "rill/rill.h"

#include "raw_driver.h"

enum { N = RAW_N, BATCH = 100, TURNS = 41, LONG_TURNS = 9, CHAIN = 20, MAX_BLOCKS = 8 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#define LOOP(x) for (int i = 0; i < n; i++) { x[i] = s * x[i] + 1; }\n"
    "#define BLOCK(x) stream_parallel { LOOP(x) }\n"
    "kernel void one(int n, float s, const float b[n], float a[n])\n"
    "{ for (int i = 0; i < n; i++) { a[i] = s * b[i] + a[i]; } }\n"
    "kernel void two(int n, float s, float a[n], float b[n]) { BLOCK(a) BLOCK(b) }\n"
    "kernel void four(int n, float s, float a[n], float b[n], float c[n], float d[n])\n"
    "{ BLOCK(a) BLOCK(b) BLOCK(c) BLOCK(d) }\n"
    "kernel void eight(int n, float s, float a[n], float b[n], float c[n], float d[n], float e[n], float f[n],\n"
    "                  float g[n], float h[n])\n"
    "{ BLOCK(a) BLOCK(b) BLOCK(c) BLOCK(d) BLOCK(e) BLOCK(f) BLOCK(g) BLOCK(h) }\n"
    "#define FOUR(x) LOOP(x) LOOP(x) LOOP(x) LOOP(x)\n"
    "kernel void chain(int n, float s, float a[n]) { FOUR(a) FOUR(a) FOUR(a) FOUR(a) FOUR(a) }\n"
    "#define SWAP for (int i = 0; i < n; i++) { a[i] = s * b[n - 1 - i] + 1; }"
    " for (int i = 0; i < n; i++) { b[i] = s * a[n - 1 - i] + 1; }\n"
    "kernel void apart(int n, float s, float a[n], float b[n])\n"
    "{ SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP }\n"
    "kernel void triad(long n, float s, const float b[n], const float c[n], float a[n])\n"
    "{ for (long i = 0; i < n; i++) { a[i] = b[i] + s * c[i]; } }\n";

struct cost {
    double median;
    double least;
    double sustained;
};

static void show(const char *what, struct cost cost, struct cost by_hand, struct cost by_graph)
{
    printf("    %-28s %8.2f %8.2f %8.2f   %5.2fx %5.2fx", what, cost.median, cost.least, cost.sustained,
           cost.median / by_hand.median, cost.sustained / by_hand.sustained);
    printf("  %+6.2f %+6.2f\n", cost.median - by_graph.median, cost.least - by_graph.least);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- by hand ------------------------------------------------------------------------------------------------------

static struct {
    struct raw driver;
    void *streams[MAX_BLOCKS + 1];
    void *events[MAX_BLOCKS + 1];
} raw;

static bool open_raw(void)
{
    bool is_good = raw_open(&raw.driver);
    for (int i = 0; is_good && i <= MAX_BLOCKS; i++) {
        is_good = raw.driver.stream(&raw.streams[i], 1, 0) == 0 && raw.driver.event(&raw.events[i], 2) == 0;
    }
    return is_good;
}

// |blocks| 0: one kernel; else that many on streams of their own; |chain| of them one behind the other.
static int raw_round(int blocks, int chain, int round)
{
    const struct raw *cu = &raw.driver;
    int failed = 0;
    if (blocks == 0) {
        for (int i = 0; i < chain; i++) {
            failed |= raw_launch(cu, 0, raw.streams[MAX_BLOCKS], (float)round);
        }
        return failed;
    }
    failed |= cu->record(raw.events[MAX_BLOCKS], raw.streams[MAX_BLOCKS]);
    for (int i = 0; i < blocks; i++) {
        failed |= cu->wait(raw.streams[i], raw.events[MAX_BLOCKS], 0);
        failed |= raw_launch(cu, i, raw.streams[i], (float)round);
        failed |= cu->record(raw.events[i], raw.streams[i]);
        failed |= cu->wait(raw.streams[MAX_BLOCKS], raw.events[i], 0);
    }
    return failed;
}

// ---- by Rill ------------------------------------------------------------------------------------------------------

struct bench {
    rill_context context;
    rill_module module;
    rill_array arrays[MAX_BLOCKS];
};

static rill_status rill_round(rill_kernel kernel, const struct bench *bench, int array_count, int round)
{
    rill_arg args[2 + MAX_BLOCKS] = {rill_arg_int(N), rill_arg_float(round)};
    for (int i = 0; i < array_count; i++) {
        args[2 + i] = rill_arg_array(bench->arrays[i]);
    }
    return rill_launch(kernel, RILL_CURRENT, (rill_args){args, (size_t)array_count + 2});
}

static const struct {
    const char *kernel;
    int array_count;
    int blocks;
    int chain;
} cases[] = {{"one", 2, 0, 1},   {"two", 2, 2, 1},       {"four", 4, 4, 1},
             {"eight", 8, 8, 1}, {"chain", 1, 0, CHAIN}, {"apart", 2, 0, CHAIN}};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static rill_status open_bench(struct bench *bench, const char *mode)
{
    setenv("RILL_GRAPH", mode, 1);
    RILL_TRY(rill_open("cuda:0", NULL, &bench->context));
    RILL_TRY(rill_module_create(bench->context, source, NULL, &bench->module));
    for (int i = 0; i < MAX_BLOCKS; i++) {
        RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(N), &bench->arrays[i]));
    }
    return RILL_OK;
}

// ---- in turns -----------------------------------------------------------------------------------------------------

// Who launches: by hand with events, by hand as a graph, and Rill in each of its modes.
enum { BY_EVENTS, BY_GRAPH, BY_RILL, PEER_COUNT = BY_RILL + 3 };
static const char *const modes[] = {"off", "on", "auto"};
static const char *const peer_names[PEER_COUNT] = {"by hand, cuLaunchKernel", "by hand, a graph",
                                                   "Rill, RILL_GRAPH=off", "Rill, RILL_GRAPH=on",
                                                   "Rill, RILL_GRAPH=auto"};

struct round {
    int which; // of the cases
    struct raw_graph graph;
    struct bench *benches;  // borrowed: one for each mode
    rill_kernel kernels[3]; // the case's in each of them
};

static rill_status launch(const struct round *round, int peer, int number)
{
    int failed = 0;
    switch (peer) {
    case BY_EVENTS: failed = raw_round(cases[round->which].blocks, cases[round->which].chain, number); break;
    case BY_GRAPH: failed = raw_graph_run(&raw.driver, &round->graph, raw.streams[MAX_BLOCKS], (float)number); break;
    default:
        return rill_round(round->kernels[peer - BY_RILL], &round->benches[peer - BY_RILL],
                          cases[round->which].array_count, number);
    }
    return failed == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

static rill_status wait(const struct round *round, int peer)
{
    if (peer >= BY_RILL) {
        return rill_sync(round->benches[peer - BY_RILL].context);
    }
    return raw.driver.synchronize(raw.streams[MAX_BLOCKS]) == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

// Microseconds of one of |count| launches, until they are queued and until they have run.
static rill_status run_batch(const struct round *round, int peer, int count, double *out_host, double *out_sustained)
{
    double start = now_us();
    for (int i = 0; i < count; i++) {
        RILL_TRY(launch(round, peer, i));
    }
    *out_host = (now_us() - start) / count;
    RILL_TRY(wait(round, peer));
    *out_sustained = (now_us() - start) / count;
    return RILL_OK;
}

static rill_status measure(const struct round *round, int rounds, struct cost costs[PEER_COUNT])
{
    static double host[PEER_COUNT][TURNS];
    static double sustained[PEER_COUNT][LONG_TURNS];
    double unused;
    for (int turn = -1; turn < TURNS; turn++) { // the first is until all have chosen
        for (int peer = 0; peer < PEER_COUNT; peer++) {
            RILL_TRY(run_batch(round, peer, BATCH, turn < 0 ? &unused : &host[peer][turn], &unused));
        }
    }
    for (int turn = 0; turn < LONG_TURNS; turn++) {
        for (int peer = 0; peer < PEER_COUNT; peer++) {
            RILL_TRY(run_batch(round, peer, rounds / LONG_TURNS + 1, &unused, &sustained[peer][turn]));
        }
    }
    for (int peer = 0; peer < PEER_COUNT; peer++) {
        qsort(host[peer], TURNS, sizeof host[peer][0], compare);
        qsort(sustained[peer], LONG_TURNS, sizeof sustained[peer][0], compare);
        costs[peer] = (struct cost){host[peer][TURNS / 2], host[peer][0], sustained[peer][LONG_TURNS / 2]};
    }
    return RILL_OK;
}

static rill_status run_case(int which, int rounds, struct bench benches[3])
{
    struct round round = {.which = which, .benches = benches};
    int count = cases[which].blocks > 0 ? cases[which].blocks : cases[which].chain;
    if (raw_graph_make(&raw.driver, &round.graph, count, cases[which].blocks == 0) != 0) {
        return RILL_ERR_DEVICE;
    }
    for (int i = 0; i < 3; i++) {
        RILL_TRY(rill_module_kernel(benches[i].module, cases[which].kernel, &round.kernels[i]));
    }
    struct cost costs[PEER_COUNT];
    RILL_TRY(measure(&round, rounds, costs));
    printf("  %s\n", cases[which].kernel);
    for (int peer = 0; peer < PEER_COUNT; peer++) {
        show(peer_names[peer], costs[peer], costs[BY_EVENTS], costs[BY_GRAPH]);
    }
    return RILL_OK;
}

static rill_status run_cases(int rounds)
{
    struct bench benches[3];
    for (int i = 0; i < 3; i++) {
        RILL_TRY(open_bench(&benches[i], modes[i]));
    }
    for (int i = 0; i < CASE_COUNT; i++) {
        RILL_TRY(run_case(i, rounds, benches));
    }
    for (int i = 0; i < 3; i++) {
        RILL_TRY(rill_close(benches[i].context));
    }
    return RILL_OK;
}

// ---- bandwidth ----------------------------------------------------------------------------------------------------

static rill_status run_triad(void)
{
    int64_t count = 1 << 28;
    size_t size = (size_t)count * sizeof(float);
    rill_context context;
    rill_module module;
    rill_kernel triad;
    rill_array a;
    rill_array b;
    rill_array c;
    RILL_TRY(rill_open("cuda:0", NULL, &context));
    RILL_TRY(rill_module_create(context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "triad", &triad));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(count), &a));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(count), &b));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(count), &c));
    double best = 1e30;
    for (int i = 0; i < 10; i++) {
        double start = now_us();
        RILL_TRY(rill_launch(triad, RILL_CURRENT, RILL_ARGS(count, 0.5f, b, c, a)));
        RILL_TRY(rill_sync(context));
        double time = now_us() - start;
        best = time < best ? time : best;
    }
    printf("triad of %.1f GB from plain C: %.2f TB/s\n", 3e-9 * (double)size, 3e-6 * (double)size / best);
    void *from;
    void *to;
    RILL_TRY(rill_array_address(b, &from));
    RILL_TRY(rill_array_address(a, &to));
    best = 1e30;
    int failed = 0;
    for (int i = 0; i < 10; i++) {
        double start = now_us();
        failed |= raw.driver.copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size, raw.streams[0]);
        failed |= raw.driver.synchronize(raw.streams[0]);
        double time = now_us() - start;
        best = time < best ? time : best;
    }
    printf("device copy: %.2f TB/s%s\n", 2e-6 * (double)size / best, failed != 0 ? " (failed)" : "");
    return rill_close(context);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    rill_context context;
    if (rill_open("cuda:0", NULL, &context) != RILL_OK || rill_close(context) != RILL_OK) {
        printf("there is no NVIDIA GPU here: %s\n", rill_message());
        return 0;
    }
    if (!open_raw()) {
        printf("the driver does not have what the calls by hand need\n");
        return 0;
    }
    rill_device_info info;
    if (rill_device_get(0, &info) == RILL_OK) {
        printf("%s, %s; microseconds: host (median, least), sustained; host and sustained to by hand; beyond the graph "
               "by hand\n",
               info.name, info.description);
    }
    if (run_cases(rounds) != RILL_OK || run_triad() != RILL_OK) {
        printf("failed: %s\n", rill_message());
        return 1;
    }
    return 0;
}
