// What launches cost on an NVIDIA GPU, beside the same kernels launched by hand through the driver, with events and as
// a graph whose parameters are set again: one kernel, blocks of 2, 4 and 8, chains of 20 (tasks that can be fused, and
// tasks that cannot), and the bandwidth of a triad beside a device copy. gpu_streams has streams, events and threads.
//
//     build/release/bench/gpu [rounds]
//
// Two columns, in microseconds: what the host pays to queue a launch, and what a launch takes with everything waited
// for at the end; then both relative to the calls by hand, and what the host pays beyond the graph calls by hand.
#include "rill/rill.h"

#include "raw_driver.h"

enum { N = RAW_N, QUEUED = 500, CHAIN = 20, MAX_BLOCKS = 8 };

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
    double host;
    double sustained;
};

static void show(const char *what, struct cost cost, struct cost by_hand, struct cost by_graph)
{
    printf("  %-34s %8.2f %8.2f", what, cost.host, cost.sustained);
    if (by_hand.host > 0) {
        printf("   %5.2fx %5.2fx", cost.host / by_hand.host, cost.sustained / by_hand.sustained);
    }
    if (by_graph.host > 0) {
        printf("  %+6.2f", cost.host - by_graph.host);
    }
    printf("\n");
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

// |graph| NULL: by events.
static struct cost raw_cost(const struct raw_graph *graph, int blocks, int chain, int rounds)
{
    struct cost cost = {1e30, 0};
    int failed = 0;
    void *stream = raw.streams[MAX_BLOCKS];
    for (int r = 0; r < 6; r++) {
        double start = now_us();
        for (int i = 0; i < QUEUED / 5; i++) {
            failed |= graph != NULL ? raw_graph_run(&raw.driver, graph, stream, (float)i) : raw_round(blocks, chain, i);
        }
        double time = (now_us() - start) / (QUEUED / 5);
        cost.host = time < cost.host ? time : cost.host;
        failed |= raw.driver.synchronize(stream);
    }
    double start = now_us();
    for (int i = 0; i < rounds; i++) {
        failed |= graph != NULL ? raw_graph_run(&raw.driver, graph, stream, (float)i) : raw_round(blocks, chain, i);
    }
    failed |= raw.driver.synchronize(stream);
    cost.sustained = (now_us() - start) / rounds;
    if (failed != 0) {
        printf("  the driver failed\n");
    }
    return cost;
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

static rill_status rill_cost(const struct bench *bench, const char *name, int array_count, int rounds,
                             struct cost *out_cost)
{
    rill_kernel kernel;
    RILL_TRY(rill_module_kernel(bench->module, name, &kernel));
    for (int i = 0; i < 50; i++) { // until it has chosen
        RILL_TRY(rill_round(kernel, bench, array_count, i));
    }
    RILL_TRY(rill_sync(bench->context));
    out_cost->host = 1e30;
    for (int r = 0; r < 5; r++) {
        double start = now_us();
        for (int i = 0; i < QUEUED / 5; i++) {
            RILL_TRY(rill_round(kernel, bench, array_count, i));
        }
        double time = (now_us() - start) / (QUEUED / 5);
        out_cost->host = time < out_cost->host ? time : out_cost->host;
        RILL_TRY(rill_sync(bench->context));
    }
    double start = now_us();
    for (int i = 0; i < rounds; i++) {
        RILL_TRY(rill_round(kernel, bench, array_count, i));
    }
    RILL_TRY(rill_sync(bench->context));
    out_cost->sustained = (now_us() - start) / rounds;
    return RILL_OK;
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

static rill_status run_mode(const char *mode, int rounds, const struct cost *by_hand, const struct cost *by_graph)
{
    struct bench bench = {0};
    RILL_TRY(open_bench(&bench, mode));
    printf("Rill, RILL_GRAPH=%s\n", mode);
    for (int i = 0; i < CASE_COUNT; i++) {
        struct cost cost;
        RILL_TRY(rill_cost(&bench, cases[i].kernel, cases[i].array_count, rounds, &cost));
        show(cases[i].kernel, cost, by_hand[i], by_graph[i]);
    }
    return rill_close(bench.context);
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
    bool has_raw = open_raw();
    rill_device_info info;
    if (rill_device_get(0, &info) == RILL_OK) {
        printf("%s, %s; microseconds: host, sustained\n", info.name, info.description);
    }
    struct cost by_hand[CASE_COUNT] = {{0, 0}};
    struct cost by_graph[CASE_COUNT] = {{0, 0}};
    printf("by hand, cuLaunchKernel and events%s\n", has_raw ? "" : ": not with this driver");
    for (int i = 0; has_raw && i < CASE_COUNT; i++) {
        by_hand[i] = raw_cost(NULL, cases[i].blocks, cases[i].chain, rounds);
        show(cases[i].kernel, by_hand[i], (struct cost){0, 0}, (struct cost){0, 0});
    }
    printf("by hand, a graph whose parameters are all set again\n");
    for (int i = 0; has_raw && i < CASE_COUNT; i++) {
        struct raw_graph graph;
        int count = cases[i].blocks > 0 ? cases[i].blocks : cases[i].chain;
        if (raw_graph_make(&raw.driver, &graph, count, cases[i].blocks == 0) == 0) {
            by_graph[i] = raw_cost(&graph, 0, 0, rounds);
            show(cases[i].kernel, by_graph[i], by_hand[i], (struct cost){0, 0});
        }
    }
    static const char *const modes[] = {"off", "on", "auto"};
    for (int i = 0; i < 3; i++) {
        if (run_mode(modes[i], rounds, by_hand, by_graph) != RILL_OK) {
            printf("failed: %s\n", rill_message());
            return 1;
        }
    }
    if (has_raw && run_triad() != RILL_OK) {
        printf("failed: %s\n", rill_message());
        return 1;
    }
    return 0;
}
