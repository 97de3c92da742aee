// The makespan of ten task graphs: serially on one stream, ordered by hand with events over eight streams, in automatic
// order on streams that Rill picks, and recorded as a step; beside it on the CPU OpenMP's tasks with depend (gcc, and
// clang where it is installed) and StarPU (libstarpu-dev). All in turns, each result compared with the serial one.
//
//     build/release/bench/order_graphs [device [rounds of work a task]]
#include "rill/rill.h"

#include "graph.h"
#include "tree.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 9, CPU_ROUNDS = 20000, GPU_ROUNDS = 2000 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdint.h>\n"
    "kernel void work(int rounds, const uint32_t a[1], const uint32_t b[1], const uint32_t c[1], uint32_t w[1])\n"
    "{\n"
    "    uint32_t x = (w[0] * 3 + a[0] + 5 * b[0] + 7 * c[0]) | 1;\n"
    "    for (int i = 0; i < rounds; i++) {\n"
    "        x ^= x << 13;\n"
    "        x ^= x >> 17;\n"
    "        x ^= x << 5;\n"
    "    }\n"
    "    w[0] = x;\n"
    "}\n";

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

// ---- Rill ---------------------------------------------------------------------------------------------------------

struct side {
    rill_context context;
    rill_kernel work;
    rill_array none;
    rill_array tiles[GRAPH_MAX_TILES];
    rill_stream streams[GRAPH_STREAMS];
    rill_event events[GRAPH_MAX_TASKS]; // behind each task that another stream waits for
    rill_step step;
};

static rill_status open_side(struct side *side, const char *device, rill_order order)
{
    rill_module module;
    RILL_TRY(rill_open(device, &(rill_open_options){.order = order}, &side->context));
    RILL_TRY(rill_module_create(side->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "work", &side->work));
    RILL_TRY(rill_array_create(side->context, RILL_U32, RILL_SHAPE(1), &side->none));
    for (int i = 0; i < GRAPH_MAX_TILES; i++) {
        RILL_TRY(rill_array_create(side->context, RILL_U32, RILL_SHAPE(1), &side->tiles[i]));
    }
    for (int i = 0; i < GRAPH_STREAMS; i++) {
        RILL_TRY(rill_stream_create(side->context, NULL, &side->streams[i]));
    }
    for (int i = 0; i < GRAPH_MAX_TASKS; i++) {
        RILL_TRY(rill_event_create(side->context, &(rill_event_options){.without_time = true}, &side->events[i]));
    }
    return RILL_OK;
}

static rill_status launch(struct side *side, const struct task *task, rill_stream stream)
{
    rill_array r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = task->reads[i] >= 0 ? side->tiles[task->reads[i]] : side->none;
    }
    return rill_launch(side->work, stream, RILL_ARGS(task->rounds, r[0], r[1], r[2], side->tiles[task->write]));
}

static rill_status run_serial(struct side *side, const struct graph *graph)
{
    for (int i = 0; i < graph->task_count; i++) {
        RILL_TRY(launch(side, &graph->tasks[i], side->streams[0]));
    }
    return RILL_OK;
}

static rill_status run_auto(struct side *side, const struct graph *graph)
{
    for (int i = 0; i < graph->task_count; i++) {
        RILL_TRY(launch(side, &graph->tasks[i], RILL_ANY));
    }
    return RILL_OK;
}

static rill_status run_step(struct side *side, const struct graph *graph)
{
    (void)graph;
    return rill_step_launch(side->step, side->streams[0], RILL_NO_VALUES);
}

// ---- by hand ------------------------------------------------------------------------------------------------------

// What the author has written down: for each task the tasks of other streams that it waits for, none that something it
// waits for follows anyway on its own stream.
struct plan {
    int first[GRAPH_MAX_TASKS + 1];
    int waits[GRAPH_MAX_TASKS * 12];
    bool is_awaited[GRAPH_MAX_TASKS];
};
static struct plan plan;

static void wait_for(const struct graph *graph, int latest[GRAPH_STREAMS], int task, int other)
{
    int stream = other >= 0 ? graph->tasks[other].stream : -1;
    if (other >= 0 && stream != graph->tasks[task].stream && other > latest[stream]) {
        latest[stream] = other;
    }
}

static void plan_events(const struct graph *graph)
{
    static int writer[GRAPH_MAX_TILES];
    static int readers[GRAPH_MAX_TILES][GRAPH_STREAMS];
    static int known[GRAPH_STREAMS][GRAPH_STREAMS]; // of each stream the last task of each other that it waited for
    int count = 0;
    memset(&plan, 0, sizeof plan);
    memset(writer, 0xff, sizeof writer);
    memset(readers, 0xff, sizeof readers);
    memset(known, 0xff, sizeof known);
    for (int i = 0; i < graph->task_count; i++) {
        const struct task *task = &graph->tasks[i];
        int latest[GRAPH_STREAMS];
        memset(latest, 0xff, sizeof latest);
        wait_for(graph, latest, i, writer[task->write]);
        for (int s = 0; s < GRAPH_STREAMS; s++) {
            wait_for(graph, latest, i, readers[task->write][s]);
        }
        for (int k = 0; k < 3; k++) {
            wait_for(graph, latest, i, task->reads[k] >= 0 ? writer[task->reads[k]] : -1);
        }
        plan.first[i] = count;
        for (int s = 0; s < GRAPH_STREAMS; s++) {
            if (latest[s] > known[task->stream][s]) {
                known[task->stream][s] = latest[s];
                plan.waits[count++] = latest[s];
                plan.is_awaited[latest[s]] = true;
            }
        }
        writer[task->write] = i;
        memset(readers[task->write], 0xff, sizeof readers[task->write]);
        for (int k = 0; k < 3; k++) {
            if (task->reads[k] >= 0) {
                readers[task->reads[k]][task->stream] = i;
            }
        }
    }
    plan.first[graph->task_count] = count;
}

static rill_status run_by_hand(struct side *side, const struct graph *graph)
{
    for (int i = 0; i < graph->task_count; i++) {
        rill_stream stream = side->streams[graph->tasks[i].stream];
        for (int k = plan.first[i]; k < plan.first[i + 1]; k++) {
            RILL_TRY(rill_event_wait(side->events[plan.waits[k]], stream));
        }
        RILL_TRY(launch(side, &graph->tasks[i], stream));
        if (plan.is_awaited[i]) {
            RILL_TRY(rill_event_record(side->events[i], stream));
        }
    }
    return RILL_OK;
}

// ---- peers --------------------------------------------------------------------------------------------------------

static graph_run *build_peer(const char *command, const char *file, const char *options, const char *name)
{
    char path[] = "/tmp/rill-bench-XXXXXX";
    int handle = mkstemp(path);
    if (handle < 0) {
        return NULL;
    }
    close(handle);
    char text[2048];
    const char *root = tree_root();
    snprintf(
        text, sizeof text,
        "%s -O2 -std=gnu11 -shared -fPIC -I%s/bench/order_graphs -o %s %s/bench/order_graphs/peers/%s %s 2>/dev/null",
        command, root, path, root, file, options);
    void *library = system(text) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    graph_run *run = NULL;
    memcpy(&run, &function, sizeof run);
    return run; // the library stays: its threads do
}

// ---- measured -----------------------------------------------------------------------------------------------------

enum way { SERIAL, BY_HAND, AUTO, STEP, GCC, CLANG, STARPU, WAYS };
static const char *const way_names[WAYS] = {"serial", "by hand", "auto", "step", "gcc", "clang", "StarPU"};

struct bench {
    struct side manual;
    struct side automatic;
    graph_run *peers[WAYS]; // NULL: it is Rill's, or not here
    uint32_t (*lines)[16];  // tiles of the peers
    uint32_t *tiles[GRAPH_MAX_TILES];
    uint32_t expected[GRAPH_MAX_TILES];
    double times[WAYS][TURNS];
};

static bool is_there(const struct bench *bench, enum way way)
{
    return way <= STEP || bench->peers[way] != NULL;
}

static rill_status clear(struct side *side, const struct graph *graph)
{
    uint32_t zero = 0;
    for (int i = 0; i < graph->tile_count; i++) {
        RILL_TRY(rill_array_fill(side->tiles[i], side->streams[0], &zero, sizeof zero));
    }
    return rill_sync(side->context);
}

static int compare(struct bench *bench, const struct graph *graph, const char *name, const uint32_t *got)
{
    if (memcmp(got, bench->expected, (size_t)graph->tile_count * sizeof *got) == 0) {
        return 0;
    }
    fprintf(stderr, "%s, %s: the result is not the serial one\n", graph->name, name);
    return 1;
}

static rill_status run_rill(struct bench *bench, const struct graph *graph, enum way way, double *out_time, int *wrong)
{
    static uint32_t got[GRAPH_MAX_TILES];
    struct side *side = way == AUTO ? &bench->automatic : &bench->manual;
    RILL_TRY(clear(side, graph));
    double begin = now_us();
    RILL_TRY(way == SERIAL    ? run_serial(side, graph)
             : way == BY_HAND ? run_by_hand(side, graph)
             : way == AUTO    ? run_auto(side, graph)
                              : run_step(side, graph));
    RILL_TRY(rill_sync(side->context));
    *out_time = now_us() - begin;
    for (int i = 0; i < graph->tile_count; i++) {
        RILL_TRY(rill_array_read(side->tiles[i], side->streams[0], &got[i], sizeof got[i]));
    }
    *wrong += compare(bench, graph, way_names[way], got);
    return RILL_OK;
}

static rill_status run_peer(struct bench *bench, const struct graph *graph, enum way way, double *out_time, int *wrong)
{
    static uint32_t got[GRAPH_MAX_TILES];
    for (int i = 0; i < graph->tile_count; i++) {
        bench->tiles[i][0] = 0;
    }
    *out_time = bench->peers[way](graph, bench->tiles);
    for (int i = 0; i < graph->tile_count; i++) {
        got[i] = bench->tiles[i][0];
    }
    *wrong += compare(bench, graph, way_names[way], got);
    return RILL_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void expect(struct bench *bench, const struct graph *graph)
{
    static const uint32_t none = 0;
    memset(bench->expected, 0, sizeof bench->expected);
    for (int i = 0; i < graph->task_count; i++) {
        const struct task *task = &graph->tasks[i];
        const uint32_t *r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = task->reads[k] >= 0 ? &bench->expected[task->reads[k]] : &none;
        }
        graph_work(task->rounds, r[0], r[1], r[2], &bench->expected[task->write]);
    }
}

static rill_status run_graph(struct bench *bench, const struct graph *graph, int *wrong)
{
    struct side *manual = &bench->manual;
    plan_events(graph);
    expect(bench, graph);
    RILL_TRY(rill_record_begin(manual->context));
    RILL_TRY(run_serial(manual, graph));
    RILL_TRY(rill_record_end(manual->context, &manual->step));
    for (int turn = -1; turn < TURNS; turn++) {
        for (int way = 0; way < WAYS; way++) {
            if (is_there(bench, (enum way)way)) {
                double *time = &bench->times[way][turn < 0 ? 0 : turn];
                RILL_TRY(way <= STEP ? run_rill(bench, graph, (enum way)way, time, wrong)
                                     : run_peer(bench, graph, (enum way)way, time, wrong));
            }
        }
    }
    double medians[WAYS];
    printf("%-28s %5d", graph->name, graph->task_count);
    for (int way = 0; way < WAYS; way++) {
        qsort(bench->times[way], TURNS, sizeof(double), by_value);
        medians[way] = bench->times[way][TURNS / 2];
        if (is_there(bench, (enum way)way)) {
            printf("  %8.2f", medians[way] * 1e-3);
        }
    }
    printf("   %5.2f\n", medians[BY_HAND] / medians[AUTO]);
    return rill_step_destroy(manual->step);
}

static void find_peers(struct bench *bench)
{
    bench->peers[GCC] = build_peer("gcc", "openmp.c", "-fopenmp", "openmp_run");
    bench->peers[CLANG] = build_peer("clang", "openmp.c", "-fopenmp", "openmp_run");
    bench->peers[STARPU] =
        build_peer("gcc", "starpu.c", "$(pkg-config --cflags --libs starpu-1.3 2>/dev/null)", "starpu_run");
}

static rill_status run(const char *device, int rounds, int *wrong)
{
    static struct bench bench;
    static struct graph graph;
    RILL_TRY(open_side(&bench.manual, device, RILL_ORDER_MANUAL));
    RILL_TRY(open_side(&bench.automatic, device, RILL_ORDER_AUTO));
    bench.lines = aligned_alloc(64, GRAPH_MAX_TILES * sizeof *bench.lines);
    for (int i = 0; bench.lines != NULL && i < GRAPH_MAX_TILES; i++) {
        bench.tiles[i] = bench.lines[i];
    }
    if (strncmp(device, "cpu", 3) == 0 && bench.lines != NULL) {
        find_peers(&bench);
    }
    printf("ms, the median of %d; how much of by hand's speed auto has\n%-28s %5s", TURNS, "", "tasks");
    for (int way = 0; way < WAYS; way++) {
        if (is_there(&bench, (enum way)way)) {
            printf("  %8s", way_names[way]);
        }
    }
    printf("   auto\n");
    for (int i = 0; i < GRAPH_COUNT; i++) {
        graph_make(&graph, i, rounds);
        RILL_TRY(run_graph(&bench, &graph, wrong));
        fflush(stdout);
    }
    free(bench.lines);
    RILL_TRY(rill_close(bench.manual.context));
    return rill_close(bench.automatic.context);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    int rounds = argc > 2 ? atoi(argv[2]) : strncmp(device, "cpu", 3) == 0 ? CPU_ROUNDS : GPU_ROUNDS;
    int wrong = 0;
    if (run(device, rounds > 0 ? rounds : 1, &wrong) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    return wrong == 0 ? 0 : 1;
}
