// A step of 30 small kernels: launched one by one, recorded and launched as one step, and on an NVIDIA GPU beside it by
// hand: cuLaunchKernel 30 times, and an executable graph of the driver. In turns: steps one behind the other, a step
// and a wait for it, and what the call itself takes.
//
//     build/release/bench/order_step [device]
#include "rill/rill.h"

#include "raw_driver.h"

enum { KERNELS = 30, ROUNDS = 15, STEPS = 200, WAITS = 60 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void small(int n, float s, float x[n]) { for (int i = 0; i < n; i++) x[i] = s * x[i] + 1; }\n";

// |chains| arrays, each with its part of the kernels, one behind the other.
struct shape {
    const char *text;
    int chains;
};

struct rill_side {
    rill_context context;
    rill_kernel small;
    rill_array arrays[RAW_ARRAYS];
    rill_step step;
};

struct bench {
    struct rill_side rill;
    struct raw raw;
    bool has_raw;
    void *stream; // the driver's
    void *exec;
    int chains;
};

struct way {
    const char *text;
    rill_status (*step)(struct bench *bench);
    rill_status (*wait)(struct bench *bench);
    bool is_raw;
};

static rill_status raw_status(int failed)
{
    return failed == 0 ? RILL_OK : RILL_ERR_DEVICE;
}

// ---- the four ways ------------------------------------------------------------------------------------------------

static rill_status launch_all(struct bench *bench)
{
    struct rill_side *side = &bench->rill;
    for (int i = 0; i < KERNELS; i++) {
        RILL_TRY(rill_launch(side->small, rill_default_stream(side->context),
                             RILL_ARGS(RAW_N, 0.5f, side->arrays[i % bench->chains])));
    }
    return RILL_OK;
}

static rill_status launch_step(struct bench *bench)
{
    return rill_step_launch(bench->rill.step, rill_default_stream(bench->rill.context), RILL_NO_VALUES);
}

static rill_status wait_rill(struct bench *bench)
{
    return rill_stream_synchronize(rill_default_stream(bench->rill.context));
}

static rill_status launch_raw(struct bench *bench)
{
    int failed = 0;
    for (int i = 0; i < KERNELS; i++) {
        failed |= raw_launch(&bench->raw, i % bench->chains, bench->stream, 0.5f);
    }
    return raw_status(failed);
}

static rill_status launch_graph(struct bench *bench)
{
    return raw_status(bench->raw.graph_launch(bench->exec, bench->stream));
}

static rill_status wait_raw(struct bench *bench)
{
    return raw_status(bench->raw.synchronize(bench->stream));
}

static const struct way ways[] = {{"Rill, one by one", launch_all, wait_rill, false},
                                  {"Rill, recorded", launch_step, wait_rill, false},
                                  {"the driver, one by one", launch_raw, wait_raw, true},
                                  {"the driver's graph by hand", launch_graph, wait_raw, true}};
enum { WAYS = sizeof ways / sizeof ways[0] };

// ---- made ---------------------------------------------------------------------------------------------------------

static rill_status open_rill(struct rill_side *side, const char *device)
{
    rill_module module;
    RILL_TRY(rill_open(device, NULL, &side->context));
    RILL_TRY(rill_module_create(side->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "small", &side->small));
    for (int i = 0; i < RAW_ARRAYS; i++) {
        RILL_TRY(rill_array_create(side->context, RILL_F32, RILL_SHAPE(RAW_N), &side->arrays[i]));
    }
    return RILL_OK;
}

static rill_status record(struct bench *bench)
{
    struct rill_side *side = &bench->rill;
    RILL_TRY(rill_record_begin(side->context));
    RILL_TRY(launch_all(bench));
    return rill_record_end(side->context, &side->step);
}

static rill_status build_graph(struct bench *bench)
{
    void *graph;
    void *nodes[KERNELS];
    int failed = bench->raw.graph_create(&graph, 0);
    for (int i = 0; i < KERNELS && failed == 0; i++) {
        struct raw_call call;
        bool follows = i >= bench->chains;
        raw_fill(&bench->raw, &call, i % bench->chains, 0.5f);
        failed = bench->raw.graph_add(&nodes[i], graph, follows ? &nodes[i - bench->chains] : NULL, follows ? 1 : 0,
                                      &call.node);
    }
    return raw_status(failed != 0 ? failed : bench->raw.instantiate(&bench->exec, graph, 0));
}

// ---- measured -----------------------------------------------------------------------------------------------------

struct times {
    double behind[ROUNDS]; // steps one behind the other, of each
    double waited[ROUNDS]; // a step and a wait
    double call[ROUNDS];   // the call alone, with nothing queued
};

static rill_status measure(struct bench *bench, const struct way *way, struct times *times, int round)
{
    double begin = now_us();
    for (int i = 0; i < STEPS; i++) {
        RILL_TRY(way->step(bench));
    }
    RILL_TRY(way->wait(bench));
    times->behind[round] = (now_us() - begin) / STEPS;
    times->waited[round] = 0;
    times->call[round] = 0;
    for (int i = 0; i < WAITS; i++) {
        begin = now_us();
        RILL_TRY(way->step(bench));
        double queued = now_us();
        RILL_TRY(way->wait(bench));
        times->waited[round] += (now_us() - begin) / WAITS;
        times->call[round] += (queued - begin) / WAITS;
    }
    return RILL_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

static rill_status run_shape(struct bench *bench, const struct shape *shape)
{
    static struct times times[WAYS];
    double first[3] = {0, 0, 0};
    bench->chains = shape->chains;
    RILL_TRY(record(bench));
    bench->has_raw = bench->has_raw && build_graph(bench) == RILL_OK;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WAYS; i++) {
            if (!ways[i].is_raw || bench->has_raw) {
                RILL_TRY(measure(bench, &ways[i], &times[i], round));
            }
        }
    }
    printf("%d kernels, %s; us a step (of Rill one by one)\n", KERNELS, shape->text);
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].is_raw && !bench->has_raw) {
            continue;
        }
        double now[3] = {median(times[i].behind), median(times[i].waited), median(times[i].call)};
        memcpy(first, i == 0 ? now : first, sizeof first);
        printf("    %-28s one behind the other %7.2f (%4.2f)   with a wait %7.2f (%4.2f)   the call %6.2f (%4.2f)\n",
               ways[i].text, now[0], now[0] / first[0], now[1], now[1] / first[1], now[2], now[2] / first[2]);
    }
    return rill_step_destroy(bench->rill.step);
}

static rill_status run(const char *device)
{
    static const struct shape shapes[] = {{"each follows the one before", 1}, {"three chains of ten", 3}};
    static struct bench bench;
    RILL_TRY(open_rill(&bench.rill, device));
    bench.has_raw = strncmp(device, "cuda", 4) == 0 && getenv("RILL_STAND_IN") == NULL && raw_open(&bench.raw) &&
                    bench.raw.stream(&bench.stream, 1, 0) == 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        RILL_TRY(run_shape(&bench, &shapes[i]));
    }
    return rill_close(bench.rill.context);
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : "cpu") != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    return 0;
}
