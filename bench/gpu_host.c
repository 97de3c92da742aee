// What Rill itself does for a launch on a GPU: one case, so many times, and nothing else, with a driver that does
// nothing (bench/null) and under a tool that counts. The driver's own part is the case |driver|.
//
//     cc -O2 -shared -fPIC -o libnull.so bench/null/null_driver.c
//     export RILL_CUDA_LIBRARY=$PWD/libnull.so
//     build/release/bench/gpu_host CASE [rounds]
//     RILL_NULL_COLD=1 valgrind --tool=callgrind --cache-sim=yes --toggle-collect=measured build/release/bench/gpu_host
//     one
//
// Cases: one (4 arguments), fail (the same, with an assert), args1, args8, args16, tasks1, tasks2, tasks4, tasks8, two,
// four, eight (blocks), edge (record and wait), stream (made and destroyed), driver.
#include "rill/rill.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1024, MAX_ARRAYS = 16 };

static const char source[] =
    "#include <assert.h>\n#include <rill/kernel.h>\n"
    "#define LOOP(x) for (int i = 0; i < n; i++) { x[i] = s * x[i] + 1; }\n"
    "#define BLOCK(x) stream_parallel { LOOP(x) }\n"
    "kernel void one(int n, float s, const float b[n], float a[n])\n"
    "{ for (int i = 0; i < n; i++) { a[i] = s * b[i] + a[i]; } }\n"
    "kernel void fail(int n, float s, const float b[n], float a[n])\n"
    "{ for (int i = 0; i < n; i++) { assert(s > -1); a[i] = s * b[i] + a[i]; } }\n"
    "kernel void args1(float a[8])\n"
    "{ for (int i = 0; i < 8; i++) { a[i] = a[i] + 1; } }\n"
    "kernel void args8(int n, float s, float a[n], float b[n], float c[n], float d[n], float e[n], float f[n])\n"
    "{ for (int i = 0; i < n; i++) { a[i] = s * b[i] + c[i]; d[i] = e[i] + f[i]; } }\n"
    "kernel void args16(int n, float s, float a[n], float b[n], float c[n], float d[n], float e[n], float f[n],\n"
    "    float g[n], float h[n], float k[n], float l[n], float m[n], float o[n], float p[n], float q[n])\n"
    "{ for (int i = 0; i < n; i++) { a[i] = s * b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i]; k[i] = l[i] + m[i] + "
    "o[i] + p[i] + q[i]; } }\n"
    "#define SWAP1 for (int i = 0; i < n; i++) { a[i] = s * b[n - 1 - i] + 1; }\n"
    "#define SWAP2 for (int i = 0; i < n; i++) { b[i] = s * a[n - 1 - i] + 1; }\n"
    "kernel void tasks1(int n, float s, float a[n], float b[n]) { SWAP1 }\n"
    "kernel void tasks2(int n, float s, float a[n], float b[n]) { SWAP1 SWAP2 }\n"
    "kernel void tasks4(int n, float s, float a[n], float b[n]) { SWAP1 SWAP2 SWAP1 SWAP2 }\n"
    "kernel void tasks8(int n, float s, float a[n], float b[n]) { SWAP1 SWAP2 SWAP1 SWAP2 SWAP1 SWAP2 SWAP1 SWAP2 }\n"
    "kernel void two(int n, float s, float a[n], float b[n]) { BLOCK(a) BLOCK(b) }\n"
    "kernel void four(int n, float s, float a[n], float b[n], float c[n], float d[n])\n"
    "{ BLOCK(a) BLOCK(b) BLOCK(c) BLOCK(d) }\n"
    "kernel void eight(int n, float s, float a[n], float b[n], float c[n], float d[n], float e[n], float f[n],\n"
    "                  float g[n], float h[n])\n"
    "{ BLOCK(a) BLOCK(b) BLOCK(c) BLOCK(d) BLOCK(e) BLOCK(f) BLOCK(g) BLOCK(h) }\n";

static const struct {
    const char *name;
    int array_count;
    int scalar_count;
} cases[] = {{"one", 2, 2},    {"fail", 2, 2},   {"args1", 1, 0},  {"args8", 6, 2}, {"args16", 14, 2}, {"tasks1", 2, 2},
             {"tasks2", 2, 2}, {"tasks4", 2, 2}, {"tasks8", 2, 2}, {"two", 2, 2},   {"four", 4, 2},    {"eight", 8, 2}};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

struct bench {
    rill_context context;
    rill_kernel kernel;
    rill_stream streams[2];
    rill_event event;
    rill_array arrays[MAX_ARRAYS];
    int which; // CASE_COUNT: an edge, CASE_COUNT + 1: a stream
};

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

// The driver's own part, to be taken off.
static int (*graph_launch)(void *, void *);

static rill_status step(const struct bench *bench, int round)
{
    if (bench->which == CASE_COUNT) {
        RILL_TRY(rill_event_record(bench->event, bench->streams[round % 2]));
        return rill_event_wait(bench->event, bench->streams[1 - round % 2]);
    }
    if (bench->which == CASE_COUNT + 2) {
        return graph_launch != NULL && graph_launch(NULL, NULL) == 0 ? RILL_OK : RILL_ERR_DEVICE;
    }
    if (bench->which > CASE_COUNT) {
        rill_stream stream;
        RILL_TRY(rill_stream_create(bench->context, NULL, &stream));
        return rill_stream_destroy(stream);
    }
    rill_arg args[2 + MAX_ARRAYS] = {rill_arg_int(N), rill_arg_float(round)};
    int scalars = cases[bench->which].scalar_count;
    int arrays = cases[bench->which].array_count;
    for (int i = 0; i < arrays; i++) {
        args[scalars + i] = rill_arg_array(bench->arrays[i]);
    }
    return rill_launch(bench->kernel, bench->streams[0], (rill_args){args, (size_t)(scalars + arrays)});
}

static rill_status open_bench(struct bench *bench, const char *name)
{
    rill_module module;
    RILL_TRY(rill_module_create(bench->context, source, NULL, &module));
    for (int i = 0; i < MAX_ARRAYS; i++) {
        RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(N), &bench->arrays[i]));
    }
    RILL_TRY(rill_stream_create(bench->context, NULL, &bench->streams[0]));
    RILL_TRY(rill_stream_create(bench->context, NULL, &bench->streams[1]));
    RILL_TRY(rill_event_create(bench->context, NULL, &bench->event));
    while (bench->which < CASE_COUNT && strcmp(cases[bench->which].name, name) != 0) {
        bench->which++;
    }
    bench->which += bench->which == CASE_COUNT && strcmp(name, "stream") == 0;
    if (strcmp(name, "driver") == 0) {
        bench->which = CASE_COUNT + 2;
        const char *path = getenv("RILL_CUDA_LIBRARY");
        void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
        *(void **)&graph_launch = library != NULL ? dlsym(library, "cuGraphLaunch") : NULL;
    }
    return bench->which < CASE_COUNT ? rill_module_kernel(module, name, &bench->kernel) : RILL_OK;
}

// Not inlined: a tool that counts is told to count in here.
__attribute__((noinline)) static rill_status measured(const struct bench *bench, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        RILL_TRY(step(bench, i));
    }
    return RILL_OK;
}

static rill_status run(const char *name, int rounds)
{
    struct bench bench = {.which = 0};
    if (rill_open("cuda:0", NULL, &bench.context) != RILL_OK) {
        printf("there is no NVIDIA GPU here, nor a driver in its place: %s\n", rill_message());
        return RILL_OK;
    }
    RILL_TRY(open_bench(&bench, name));
    RILL_TRY(measured(&bench, 100)); // until it has chosen
    RILL_TRY(rill_sync(bench.context));
    double best = 1e30;
    for (int r = 0; r < 20; r++) {
        double start = now_us();
        RILL_TRY(measured(&bench, rounds));
        double time = (now_us() - start) / rounds;
        best = time < best ? time : best;
        RILL_TRY(rill_sync(bench.context));
    }
    printf("%-8s %.3f us\n", name, best);
    return rill_close(bench.context);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "one";
    if (run(name, argc > 2 ? atoi(argv[2]) : 1000) != RILL_OK) {
        fprintf(stderr, "gpu_host: %s\n", rill_message());
        return 1;
    }
    return 0;
}
