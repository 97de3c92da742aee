// Kernels on the CPU beside the same kernels with OpenMP pragmas, built by gcc and clang, and beside serial gcc. The
// OpenMP text is what `rill emit --openmp` writes. All builds run in turn in one process; medians are compared.
//
//     make bench                          or      build/release/bench/cpu [name …]
#include "rill/rill.h"
#include "tree.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Each build runs CALLS times in a row, the first of them to warm up, after a pause in which the threads of the build
// before it stop spinning: OpenMP's keep their cores for a while after a loop.
enum { MAX_ROUNDS = 20, CALLS = 4, PAUSE_US = 5000, MAX_ARRAYS = 6, BUILDS = 4 };

// How a benchmark's native build is called: all arrays are float *, int * or unsigned char *, so one signature each.
struct bench {
    const char *name;
    const char *file;
    int n;
    int array_count;
    size_t array_size[MAX_ARRAYS]; // bytes
    rill_type array_type[MAX_ARRAYS];
    int rank;
    void (*call)(void *function, const struct bench *bench, void *const *arrays);
    size_t (*args)(const struct bench *bench, void *const *arrays, rill_arg *out);
    double bytes; // moved at least, for the GB/s column
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// ---- the calls
// -------------------------------------------------------------------------------------------------------

static rill_arg memory(const struct bench *bench, void *const *arrays, int i)
{
    size_t size = bench->array_type[i] == RILL_U8 ? 1 : 4;
    return rill_arg_memory(RILL_ARG_HOST, bench->array_type[i], arrays[i], bench->array_size[i] / size, size);
}

static size_t all_args(const struct bench *bench, void *const *arrays, rill_arg *out, int numbers)
{
    for (int i = 0; i < bench->array_count; i++) {
        out[numbers + i] = memory(bench, arrays, i);
    }
    return (size_t)(numbers + bench->array_count);
}

static size_t args_n(const struct bench *bench, void *const *arrays, rill_arg *out)
{
    out[0] = rill_arg_int(bench->n);
    return all_args(bench, arrays, out, 1);
}

static size_t args_nf(const struct bench *bench, void *const *arrays, rill_arg *out)
{
    out[0] = rill_arg_int(bench->n);
    out[1] = rill_arg_float(0.1);
    return all_args(bench, arrays, out, 2);
}

static size_t args_ni(const struct bench *bench, void *const *arrays, rill_arg *out)
{
    out[0] = rill_arg_int(bench->n);
    out[1] = rill_arg_int(256);
    return all_args(bench, arrays, out, 2);
}

#define CALL(name, type, ...)                                                                                          \
    static void name(void *function, const struct bench *bench, void *const *a)                                        \
    {                                                                                                                  \
        type *call;                                                                                                    \
        memcpy(&call, &function, sizeof call);                                                                         \
        call(bench->n, __VA_ARGS__);                                                                                   \
    }
typedef void f_n1(int, void *);
typedef void f_n2(int, void *, void *);
typedef void f_n3(int, void *, void *, void *);
typedef void f_n6(int, void *, void *, void *, void *, void *, void *);
typedef void f_nf2(int, float, void *, void *);
typedef void f_nf3(int, float, void *, void *, void *);
typedef void f_ni1(int, int, void *);
typedef void f_ni2(int, int, void *, void *);
CALL(call_n1, f_n1, a[0])
CALL(call_n2, f_n2, a[0], a[1])
CALL(call_n3, f_n3, a[0], a[1], a[2])
CALL(call_n6, f_n6, a[0], a[1], a[2], a[3], a[4], a[5])
CALL(call_nf2, f_nf2, 0.1f, a[0], a[1])
CALL(call_nf3, f_nf3, 0.1f, a[0], a[1], a[2])
CALL(call_ni1, f_ni1, 256, a[0])
CALL(call_ni2, f_ni2, 256, a[0], a[1])

#define MB(x) ((size_t)(x) << 20)
#define F RILL_F32
#define I RILL_I32
#define B RILL_U8

static const struct bench benches[] = {
    {"triad", "vectors", 8 << 20, 3, {MB(32), MB(32), MB(32)}, {F, F, F}, 1, call_nf3, args_nf, 96e6},
    {"saxpy", "vectors", 8 << 20, 2, {MB(32), MB(32)}, {F, F}, 1, call_nf2, args_nf, 96e6},
    {"chain", "vectors", 8 << 20, 3, {MB(32), MB(32), MB(32)}, {F, F, F}, 1, call_nf3, args_nf, 96e6},
    {"sum", "vectors", 8 << 20, 1, {MB(32)}, {F}, 1, call_n1, args_n, 32e6},
    {"map_sin", "vectors", 2 << 20, 2, {MB(8), MB(8)}, {F, F}, 1, call_n2, args_n, 16e6},
    {"map_exp", "vectors", 2 << 20, 2, {MB(8), MB(8)}, {F, F}, 1, call_n2, args_n, 16e6},
    {"map_pow", "vectors", 2 << 20, 2, {MB(8), MB(8)}, {F, F}, 1, call_n2, args_n, 16e6},
    {"histogram", "histogram", 1 << 20, 2, {MB(4), 1024}, {I, I}, 1, call_ni2, args_ni, 4e6},
    {"stencil5", "grids", 2048, 2, {MB(16), MB(16)}, {F, F}, 2, call_n2, args_n, 32e6},
    {"life", "grids", 2048, 2, {MB(4), MB(4)}, {B, B}, 2, call_n2, args_n, 8e6},
    {"heat3", "grids", 128, 2, {MB(8), MB(8)}, {F, F}, 3, call_nf2, args_nf, 16e6},
    {"grey", "images", 4 << 20, 2, {MB(12), MB(4)}, {B, B}, 1, call_n2, args_n, 16e6},
    {"blur", "images", 2048, 2, {MB(16), MB(16)}, {F, F}, 2, call_n2, args_n, 32e6},
    {"quantise", "images", 4 << 20, 2, {MB(16), MB(4)}, {F, B}, 1, call_n2, args_n, 20e6},
    {"matmul_ijk", "matmul", 512, 3, {MB(1), MB(1), MB(1)}, {F, F, F}, 2, call_n3, args_n, 0},
    {"matmul_ikj", "matmul", 512, 3, {MB(1), MB(1), MB(1)}, {F, F, F}, 2, call_n3, args_n, 0},
    {"nbody", "bodies", 4096, 6, {16384, 16384, 16384, 16384, 16384, 16384}, {F, F, F, F, F, F}, 1, call_n6, args_n, 0},
    {"mandelbrot", "bodies", 512, 1, {MB(1)}, {I}, 2, call_ni1, args_ni, 0},
};

enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

// ---- builds
// ----------------------------------------------------------------------------------------------------------

struct build {
    const char *name;
    const char *command; // %s three times: flags are fixed, then output, then input
    bool is_openmp;
};

static const struct build builds[BUILDS] = {
    {"rill", NULL, false},
    {"gcc omp", "gcc -O3 -march=native -std=gnu11 -fopenmp -shared -fPIC -w -I%s -o %s %s -lm", true},
    {"clang omp", "clang-22 -O3 -march=native -std=gnu11 -fopenmp -shared -fPIC -w -I%s -o %s %s -lm", true},
    {"gcc serial", "gcc -O3 -march=native -std=gnu11 -shared -fPIC -w -I%s -o %s %s -lm", false},
};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? calloc(1, 1 << 20) : NULL;
    if (text != NULL && fread(text, 1, (1 << 20) - 1, file) == 0) {
        text[0] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static bool write_openmp(const char *source, const char *path)
{
    char *text = read_text(source);
    char *out = NULL;
    rill_module_options options = {.path = source};
    bool ok = text != NULL && rill_source_emit(text, &options, RILL_EMIT_OPENMP, &out) == RILL_OK;
    FILE *file = ok ? fopen(path, "wb") : NULL;
    if (file != NULL) {
        fputs(out, file);
        fclose(file);
    } else {
        fprintf(stderr, "%s: %s\n", source, rill_message());
    }
    rill_free(out);
    free(text);
    return file != NULL;
}

// The function of a native build; NULL if it could not be made.
static void *build_native(const struct build *build, const struct bench *bench, const char *dir)
{
    char source[512];
    char openmp[512];
    char object[512];
    char command[2048];
    snprintf(source, sizeof source, "%s/bench/kernels/%s.c", tree_root(), bench->file);
    snprintf(openmp, sizeof openmp, "%s/%s.omp.c", dir, bench->file);
    snprintf(object, sizeof object, "%s/%s-%d.so", dir, bench->file, (int)(build - builds));
    if (build->is_openmp && access(openmp, R_OK) != 0 && !write_openmp(source, openmp)) {
        return NULL;
    }
    if (access(object, R_OK) != 0) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(command, sizeof command, build->command, tree_file("include"), object,
                 build->is_openmp ? openmp : source);
#pragma GCC diagnostic pop
        if (system(command) != 0) {
            fprintf(stderr, "%s: '%s' failed; that column is left out\n", bench->name, command);
            return NULL;
        }
    }
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? dlsym(library, bench->name) : NULL;
}

// ---- one benchmark
// ---------------------------------------------------------------------------------------------------

static void fill(const struct bench *bench, void *const *arrays)
{
    for (int i = 0; i < bench->array_count; i++) {
        size_t count = bench->array_type[i] == RILL_U8 ? bench->array_size[i] : bench->array_size[i] / 4;
        for (size_t k = 0; k < count; k++) {
            if (bench->array_type[i] == RILL_F32) {
                ((float *)arrays[i])[k] = (float)(k % 251 + 1) * 0.01f;
            } else if (bench->array_type[i] == RILL_I32) {
                ((int *)arrays[i])[k] = i == 0 && bench->array_count > 1 ? (int)(k * 7919 % 256) : 0;
            } else {
                ((unsigned char *)arrays[i])[k] = k * 7919 % 5 < 2;
            }
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_once(const struct bench *bench, void *function, rill_kernel kernel, void *const *arrays)
{
    rill_arg args[RILL_MAX_ARGS];
    size_t count = bench->args(bench, arrays, args);
    float returned;
    bool returns = strcmp(bench->name, "sum") == 0;
    double start = now();
    if (function != NULL) {
        bench->call(function, bench, arrays);
    } else if (rill_call(kernel, RILL_CURRENT, (rill_args){args, count}, returns ? &returned : NULL,
                         returns ? sizeof returned : 0) != RILL_OK) {
        fprintf(stderr, "%s: %s\n", bench->name, rill_message());
        return NAN;
    }
    return now() - start;
}

static double measure(const struct bench *bench, rill_context context, const char *dir, double medians[BUILDS])
{
    char source[512];
    snprintf(source, sizeof source, "%s/bench/kernels/%s.c", tree_root(), bench->file);
    rill_kernel kernel = {0};
    if (rill_kernel_load(context, source, bench->name, &kernel) != RILL_OK) {
        fprintf(stderr, "%s: %s\n", bench->name, rill_message());
        return NAN;
    }
    void *functions[BUILDS] = {NULL};
    for (int b = 1; b < BUILDS; b++) {
        functions[b] = build_native(&builds[b], bench, dir);
    }
    void *arrays[MAX_ARRAYS] = {NULL};
    for (int i = 0; i < bench->array_count; i++) {
        arrays[i] = aligned_alloc(64, (bench->array_size[i] + 63) / 64 * 64);
    }
    fill(bench, arrays);
    static double times[BUILDS][MAX_ROUNDS * CALLS];
    int counts[BUILDS] = {0};
    double begin = now();
    int rounds = 0;
    for (; rounds < MAX_ROUNDS && (rounds < 3 || now() - begin < 3.0); rounds++) {
        for (int b = 0; b < BUILDS; b++) {
            usleep(PAUSE_US);
            for (int call = 0; call < CALLS && (b == 0 || functions[b] != NULL); call++) {
                double time = run_once(bench, functions[b], kernel, arrays);
                if (call > 0) {
                    times[b][counts[b]++] = time;
                }
            }
        }
    }
    for (int b = 0; b < BUILDS; b++) {
        qsort(times[b], (size_t)counts[b], sizeof(double), by_value);
        medians[b] = counts[b] > 0 ? times[b][counts[b] / 2] : NAN;
    }
    for (int i = 0; i < bench->array_count; i++) {
        free(arrays[i]);
    }
    double better = fmin(isnan(medians[1]) ? INFINITY : medians[1], isnan(medians[2]) ? INFINITY : medians[2]);
    return better / medians[0];
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strstr(name, argv[i]) != NULL) {
            return true;
        }
    }
    return argc < 2;
}

int main(int argc, char **argv)
{
    RILL_AUTO_CONTEXT context = {0};
    if (rill_open("cpu", NULL, &context) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    char dir[] = "/tmp/rill-bench-XXXXXX";
    if (mkdtemp(dir) == NULL) {
        perror("mkdtemp");
        return 1;
    }
    printf("milliseconds, medians of builds run in turn; 'ratio' is the better OpenMP build over rill: above 1 rill is "
           "faster\n%-12s",
           "");
    for (int b = 0; b < BUILDS; b++) {
        printf("%12s", builds[b].name);
    }
    printf("%9s%9s\n", "ratio", "GB/s");
    double log_sum = 0;
    int count = 0;
    for (int i = 0; i < BENCH_COUNT; i++) {
        if (!is_wanted(benches[i].name, argc, argv)) {
            continue;
        }
        double medians[BUILDS];
        double ratio = measure(&benches[i], context, dir, medians);
        printf("%-12s", benches[i].name);
        for (int b = 0; b < BUILDS; b++) {
            printf("%12.3f", medians[b] * 1e3);
        }
        printf("%9.2f", ratio);
        if (benches[i].bytes > 0) {
            printf("%9.1f", benches[i].bytes / medians[0] * 1e-9);
        }
        putchar('\n');
        fflush(stdout);
        if (isfinite(ratio)) {
            log_sum += log(ratio);
            count++;
        }
    }
    printf("geometric mean of the ratios: %.3f over %d\n", exp(log_sum / (count > 0 ? count : 1)), count);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command) == 0 ? 0 : 1;
}
