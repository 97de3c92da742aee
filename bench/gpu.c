// What launches cost on an NVIDIA GPU, beside the same kernels launched by hand through the driver: one kernel, blocks
// of 2, 4 and 8, a chain of 20, and the bandwidth of a triad beside a device copy.
//
//     build/release/bench/gpu [rounds]
//
// Two columns, in microseconds: what the host pays to queue a launch, and what a launch takes with everything waited
// for at the end.
#include "rill/rill.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1024, QUEUED = 500, CHAIN = 20, MAX_BLOCKS = 8 };

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
    "kernel void triad(long n, float s, const float b[n], const float c[n], float a[n])\n"
    "{ for (long i = 0; i < n; i++) { a[i] = b[i] + s * c[i]; } }\n";

// x[i] = s * x[i] + 1, as a hand would write it.
static const char by_hand[] = ".version 7.8\n.target sm_60\n.address_size 64\n"
                              ".visible .entry loop(.param .u64 px, .param .u32 pn, .param .f32 ps)\n{\n"
                              ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<6>;\n"
                              "ld.param.u64 %d1, [px]; ld.param.u32 %r1, [pn]; ld.param.f32 %f1, [ps];\n"
                              "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                              "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %p1, %r5, %r1; @%p1 bra done;\n"
                              "cvta.to.global.u64 %d2, %d1; mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d2, %d3;\n"
                              "ld.global.f32 %f2, [%d4]; fma.rn.f32 %f3, %f2, %f1, 0f3F800000;\n"
                              "st.global.f32 [%d4], %f3;\ndone: ret;\n}\n";

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

struct cost {
    double host;
    double sustained;
};

static void show(const char *what, struct cost cost, struct cost raw)
{
    printf("  %-34s %8.2f %8.2f", what, cost.host, cost.sustained);
    if (raw.host > 0) {
        printf("   %5.2fx %5.2fx", cost.host / raw.host, cost.sustained / raw.sustained);
    }
    printf("\n");
}

// ---- by hand ------------------------------------------------------------------------------------------------------

struct raw {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*alloc)(uint64_t *, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*stream)(void **, unsigned, int);
    int (*synchronize)(void *);
    int (*event)(void **, unsigned);
    int (*record)(void *, void *);
    int (*wait)(void *, void *, unsigned);
    int (*copy)(uint64_t, uint64_t, size_t, void *);
    void *kernel;
    void *streams[MAX_BLOCKS + 1];
    void *events[MAX_BLOCKS + 1];
    uint64_t arrays[MAX_BLOCKS];
};

static bool open_raw(struct raw *raw)
{
    static const char *const names[] = {"cuInit",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent",
                                        "cuModuleLoadData",
                                        "cuModuleGetFunction",
                                        "cuMemAlloc_v2",
                                        "cuLaunchKernel",
                                        "cuStreamCreateWithPriority",
                                        "cuStreamSynchronize",
                                        "cuEventCreate",
                                        "cuEventRecord",
                                        "cuStreamWaitEvent",
                                        "cuMemcpyAsync"};
    const char *path = getenv("RILL_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
    void **slots = (void **)raw;
    for (size_t i = 0; library != NULL && i < sizeof names / sizeof names[0]; i++) {
        slots[i] = dlsym(library, names[i]);
        if (slots[i] == NULL) {
            return false;
        }
    }
    void *context;
    void *module;
    int failed = library == NULL || raw->init(0) != 0 || raw->retain(&context, 0) != 0 ||
                 raw->set_current(context) != 0 || raw->load(&module, by_hand) != 0 ||
                 raw->function(&raw->kernel, module, "loop") != 0;
    for (int i = 0; !failed && i <= MAX_BLOCKS; i++) {
        failed = raw->stream(&raw->streams[i], 1, 0) != 0 || raw->event(&raw->events[i], 2) != 0;
    }
    for (int i = 0; !failed && i < MAX_BLOCKS; i++) {
        failed = raw->alloc(&raw->arrays[i], N * sizeof(float)) != 0;
    }
    return !failed;
}

static int raw_launch(struct raw *raw, int array, void *stream, int round)
{
    int n = N;
    float s = (float)round;
    void *params[] = {&raw->arrays[array], &n, &s};
    return raw->launch(raw->kernel, N / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL);
}

// |blocks| 0: one kernel; else that many on streams of their own; |chain| of them one behind the other.
static int raw_round(struct raw *raw, int blocks, int chain, int round)
{
    int failed = 0;
    if (blocks == 0) {
        for (int i = 0; i < chain; i++) {
            failed |= raw_launch(raw, 0, raw->streams[MAX_BLOCKS], round);
        }
        return failed;
    }
    failed |= raw->record(raw->events[MAX_BLOCKS], raw->streams[MAX_BLOCKS]);
    for (int i = 0; i < blocks; i++) {
        failed |= raw->wait(raw->streams[i], raw->events[MAX_BLOCKS], 0);
        failed |= raw_launch(raw, i, raw->streams[i], round);
        failed |= raw->record(raw->events[i], raw->streams[i]);
        failed |= raw->wait(raw->streams[MAX_BLOCKS], raw->events[i], 0);
    }
    return failed;
}

static struct cost raw_cost(struct raw *raw, int blocks, int chain, int rounds)
{
    struct cost cost = {1e30, 0};
    int failed = 0;
    for (int r = 0; r < 5; r++) {
        double start = now_us();
        for (int i = 0; i < QUEUED / 5; i++) {
            failed |= raw_round(raw, blocks, chain, i);
        }
        double time = (now_us() - start) / (QUEUED / 5);
        cost.host = time < cost.host ? time : cost.host;
        failed |= raw->synchronize(raw->streams[MAX_BLOCKS]);
    }
    double start = now_us();
    for (int i = 0; i < rounds; i++) {
        failed |= raw_round(raw, blocks, chain, i);
    }
    failed |= raw->synchronize(raw->streams[MAX_BLOCKS]);
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
} cases[] = {{"one", 2, 0, 1}, {"two", 2, 2, 1}, {"four", 4, 4, 1}, {"eight", 8, 8, 1}, {"chain", 1, 0, CHAIN}};
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

static rill_status run_mode(const char *mode, int rounds, const struct cost *raw)
{
    struct bench bench = {0};
    RILL_TRY(open_bench(&bench, mode));
    printf("Rill, RILL_GRAPH=%s\n", mode);
    for (int i = 0; i < CASE_COUNT; i++) {
        struct cost cost;
        RILL_TRY(rill_cost(&bench, cases[i].kernel, cases[i].array_count, rounds, &cost));
        show(cases[i].kernel, cost, raw[i]);
    }
    return rill_close(bench.context);
}

// ---- bandwidth ----------------------------------------------------------------------------------------------------

static rill_status run_triad(struct raw *raw)
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
        failed |= raw->copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size, raw->streams[0]);
        failed |= raw->synchronize(raw->streams[0]);
        double time = now_us() - start;
        best = time < best ? time : best;
    }
    printf("device copy: %.2f TB/s%s\n", 2e-6 * (double)size / best, failed != 0 ? " (failed)" : "");
    return rill_close(context);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    static struct raw raw;
    rill_context context;
    if (rill_open("cuda:0", NULL, &context) != RILL_OK || rill_close(context) != RILL_OK) {
        printf("there is no NVIDIA GPU here: %s\n", rill_message());
        return 0;
    }
    bool has_raw = open_raw(&raw);
    rill_device_info info;
    if (rill_device_get(0, &info) == RILL_OK) {
        printf("%s, %s; microseconds: host, sustained\n", info.name, info.description);
    }
    struct cost costs[CASE_COUNT] = {{0, 0}};
    printf("by hand, cuLaunchKernel and events%s\n", has_raw ? "" : ": not with this driver");
    for (int i = 0; has_raw && i < CASE_COUNT; i++) {
        costs[i] = raw_cost(&raw, cases[i].blocks, cases[i].chain, rounds);
        show(cases[i].kernel, costs[i], (struct cost){0, 0});
    }
    static const char *const modes[] = {"off", "on", "auto"};
    for (int i = 0; i < 3; i++) {
        if (run_mode(modes[i], rounds, costs) != RILL_OK) {
            printf("failed: %s\n", rill_message());
            return 1;
        }
    }
    if (has_raw && run_triad(&raw) != RILL_OK) {
        printf("failed: %s\n", rill_message());
        return 1;
    }
    return 0;
}
