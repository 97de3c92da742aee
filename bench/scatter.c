// Scatters, out[at[i]] = v[i] as a textbook has them, beside serial gcc -O3 and two passes by hand with OpenMP (the
// last iteration of each place, then its store). On a GPU, if there is one, beside the same loop under `#pragma rill
// parallel`, which is one plain store an iteration. Everybody takes turns; medians are compared, and every result is
// compared with serial C's.
//
//     build/release/bench/scatter [iterations]
#include "rill/rill.h"
#include "tree.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, KEYS = 256, FEW = 300 };

// Serial, by hand, Rill, and where no two places are equal the author's word.
enum { BY_SERIAL, BY_HAND, BY_RILL, BY_PRAGMA, WAYS };

static const char *const case_names[] = {"into 300 places", "into as many, drawn", "a counting sort's places"};
enum { CASES = sizeof case_names / sizeof case_names[0] };

typedef void native_function(int n, int m, const int *at, const float *v, float *out, int *last);

struct bench {
    int n;
    int m;               // places
    bool is_permutation; // no two places are equal
    int *at;             // owned, and so are those that follow
    float *v;
    float *out;
    float *expected;
    int *last;
    native_function *serial; // NULL: no gcc
    double serial_ms[CASES]; // what it took
    native_function *by_hand[2];
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// ---- cases --------------------------------------------------------------------------------------------------------

// Where a stable counting sort by one of KEYS keys puts each element.
static void sort_places(struct bench *bench)
{
    static int start[KEYS + 1];
    uint64_t state = 1;
    memset(start, 0, sizeof start);
    for (int i = 0; i < bench->n; i++) {
        bench->at[i] = (int)(draw(&state) % KEYS);
        start[bench->at[i] + 1]++;
    }
    for (int k = 0; k < KEYS; k++) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < bench->n; i++) {
        bench->at[i] = start[bench->at[i]]++;
    }
}

static void make_case(struct bench *bench, int which)
{
    uint64_t state = 7;
    bench->m = which == 0 ? FEW : bench->n;
    bench->is_permutation = which == 2;
    if (bench->is_permutation) {
        sort_places(bench);
    }
    for (int i = 0; i < bench->n && !bench->is_permutation; i++) {
        bench->at[i] = (int)(draw(&state) % (uint32_t)bench->m);
    }
    memset(bench->expected, 0, (size_t)bench->m * sizeof *bench->expected);
    for (int i = 0; i < bench->n; i++) {
        bench->expected[bench->at[i]] = bench->v[i];
    }
}

static bool is_right(const struct bench *bench)
{
    return memcmp(bench->out, bench->expected, (size_t)bench->m * sizeof *bench->out) == 0;
}

// ---- by gcc -------------------------------------------------------------------------------------------------------

static void *build(const char *flags, const char *source)
{
    char path[] = "/tmp/rill-bench-XXXXXX";
    char command[2048];
    int file = mkstemp(path);
    if (file < 0) {
        return NULL;
    }
    close(file);
    snprintf(command, sizeof command,
             "gcc -O3 -march=native -std=gnu11 -shared -fPIC -w %s -I%s/include -o %s %s/bench/%s", flags, tree_root(),
             path, tree_root(), source);
    void *library = system(command) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

static native_function *find(void *library, const char *name)
{
    native_function *function = NULL;
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

// ---- the CPU ------------------------------------------------------------------------------------------------------

struct kernels {
    rill_context context;
    rill_kernel scatter;
    rill_kernel permute;
};

static rill_status open_kernels(struct kernels *kernels, const char *device)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/bench/kernels/scatter.c", tree_root());
    RILL_TRY(rill_open(device, NULL, &kernels->context));
    RILL_TRY(rill_kernel_load(kernels->context, path, "scatter", &kernels->scatter));
    return rill_kernel_load(kernels->context, path, "permute", &kernels->permute);
}

static rill_status call_rill(const struct bench *bench, rill_kernel kernel)
{
    return rill_call(kernel, RILL_CURRENT,
                     RILL_ARGS(bench->n, bench->m, RILL_HOST(bench->at, bench->n), RILL_HOST(bench->v, bench->n),
                               RILL_HOST(bench->out, bench->m)),
                     NULL, 0);
}

// Milliseconds of one run; NAN: there is no such way.
static double run_on_cpu(const struct bench *bench, const struct kernels *kernels, int way)
{
    native_function *native = way == BY_SERIAL ? bench->serial : bench->by_hand[bench->is_permutation];
    bool is_missing = way < BY_RILL ? native == NULL : way == BY_PRAGMA && !bench->is_permutation;
    if (is_missing) {
        return (double)NAN;
    }
    memset(bench->out, 0, (size_t)bench->m * sizeof *bench->out);
    double begin = now_ms();
    rill_status status = RILL_OK;
    if (way < BY_RILL) {
        native(bench->n, bench->m, bench->at, bench->v, bench->out, bench->last);
    } else {
        status = call_rill(bench, way == BY_RILL ? kernels->scatter : kernels->permute);
    }
    double time = now_ms() - begin;
    if (status != RILL_OK || !is_right(bench)) {
        fprintf(stderr, "way %d is wrong: %s\n", way, status != RILL_OK ? rill_message() : "another result");
    }
    return time;
}

static void print_row(const char *name, double times[WAYS][ROUNDS], double medians[WAYS])
{
    printf("%-28s", name);
    for (int way = 0; way < WAYS; way++) {
        qsort(times[way], ROUNDS, sizeof times[way][0], by_value);
        medians[way] = times[way][ROUNDS / 2];
        if (isnan(medians[way])) {
            printf("%12s", "-");
        } else {
            printf("%12.2f", medians[way]);
        }
    }
    double best = fmin(medians[BY_SERIAL], fmin(medians[BY_HAND], medians[BY_PRAGMA])); // a NAN is passed over
    printf("%9.2f\n", best / medians[BY_RILL]);
    fflush(stdout);
}

static void measure_cpu(struct bench *bench, const struct kernels *kernels, int which)
{
    double times[WAYS][ROUNDS];
    double medians[WAYS];
    make_case(bench, which);
    for (int round = -1; round < ROUNDS; round++) { // the first is to warm up
        for (int way = 0; way < WAYS; way++) {
            usleep(5000); // OpenMP's threads spin for a while
            double time = run_on_cpu(bench, kernels, way);
            if (round >= 0) {
                times[way][round] = time;
            }
        }
    }
    print_row(case_names[which], times, medians);
    bench->serial_ms[which] = medians[BY_SERIAL];
}

// ---- a GPU --------------------------------------------------------------------------------------------------------

struct on_gpu {
    rill_array at;
    rill_array v;
    rill_array out;
};

static rill_status fill_gpu(const struct bench *bench, const struct kernels *kernels, struct on_gpu *gpu)
{
    size_t size = (size_t)bench->n * sizeof(float);
    RILL_TRY(rill_array_create(kernels->context, RILL_I32, RILL_SHAPE(bench->n), &gpu->at));
    RILL_TRY(rill_array_create(kernels->context, RILL_F32, RILL_SHAPE(bench->n), &gpu->v));
    RILL_TRY(rill_array_create(kernels->context, RILL_F32, RILL_SHAPE(bench->m), &gpu->out));
    RILL_TRY(rill_array_write(gpu->at, RILL_CURRENT, bench->at, size));
    return rill_array_write(gpu->v, RILL_CURRENT, bench->v, size);
}

static rill_status run_on_gpu(const struct bench *bench, const struct kernels *kernels, const struct on_gpu *gpu,
                              int way, double *out_ms)
{
    float zero = 0;
    *out_ms = (double)NAN;
    if (way < BY_RILL || (way == BY_PRAGMA && !bench->is_permutation)) {
        return RILL_OK;
    }
    RILL_TRY(rill_array_fill(gpu->out, RILL_CURRENT, &zero, sizeof zero));
    RILL_TRY(rill_sync(kernels->context));
    double begin = now_ms();
    RILL_TRY(rill_launch(way == BY_RILL ? kernels->scatter : kernels->permute, RILL_CURRENT,
                         RILL_ARGS(bench->n, bench->m, gpu->at, gpu->v, gpu->out)));
    RILL_TRY(rill_sync(kernels->context));
    *out_ms = now_ms() - begin;
    RILL_TRY(rill_array_read(gpu->out, RILL_CURRENT, bench->out, (size_t)bench->m * sizeof(float)));
    if (!is_right(bench)) {
        fprintf(stderr, "way %d is wrong on the GPU\n", way);
    }
    return RILL_OK;
}

static rill_status measure_gpu(struct bench *bench, const struct kernels *kernels, int which)
{
    double times[WAYS][ROUNDS];
    double medians[WAYS];
    struct on_gpu gpu = {{0}, {0}, {0}};
    make_case(bench, which);
    RILL_TRY(fill_gpu(bench, kernels, &gpu));
    for (int round = -1; round < ROUNDS; round++) {
        for (int way = 0; way < WAYS; way++) {
            double *time = &times[way][round < 0 ? 0 : round];
            RILL_TRY(run_on_gpu(bench, kernels, &gpu, way, time));
            *time = way == BY_SERIAL ? bench->serial_ms[which] : *time;
        }
    }
    print_row(case_names[which], times, medians);
    RILL_TRY(rill_array_destroy(gpu.at));
    RILL_TRY(rill_array_destroy(gpu.v));
    return rill_array_destroy(gpu.out);
}

// ---- all of it ----------------------------------------------------------------------------------------------------

static rill_status measure(struct bench *bench, const char *device, bool is_cpu)
{
    struct kernels kernels;
    RILL_TRY(open_kernels(&kernels, device));
    printf("%-28s%12s%12s%12s%12s%9s\n", device, "gcc serial", "by hand", "rill", "pragma", "ratio");
    for (int which = 0; which < CASES; which++) {
        if (is_cpu) {
            measure_cpu(bench, &kernels, which);
        } else {
            RILL_TRY(measure_gpu(bench, &kernels, which));
        }
    }
    return rill_close(kernels.context);
}

static bool make_bench(struct bench *bench, int n)
{
    size_t count = (size_t)(n > FEW ? n : FEW);
    *bench = (struct bench){.n = n};
    bench->at = calloc(count, sizeof *bench->at);
    bench->v = calloc(count, sizeof *bench->v);
    bench->out = calloc(count, sizeof *bench->out);
    bench->expected = calloc(count, sizeof *bench->expected);
    bench->last = calloc(count, sizeof *bench->last);
    if (bench->at == NULL || bench->v == NULL || bench->out == NULL || bench->expected == NULL || bench->last == NULL) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        bench->v[i] = (float)(i % 1000003 + 1);
    }
    bench->serial = find(build("", "kernels/scatter.c"), "scatter");
    void *openmp = build("-fopenmp", "scatter/openmp/two_passes.c");
    bench->by_hand[0] = find(openmp, "two_passes");
    bench->by_hand[1] = find(openmp, "one_pass");
    return true;
}

int main(int argc, char **argv)
{
    struct bench bench;
    int n = argc > 1 ? atoi(argv[1]) : 20000000;
    if (n < 1 || !make_bench(&bench, n)) {
        fprintf(stderr, "no memory for %d iterations, or not a number of them\n", n);
        return 1;
    }
    printf("%d iterations; milliseconds, medians; 'ratio' is the best of the others over "
           "rill: above 1 rill is faster\n",
           n);
    if (measure(&bench, "cpu", true) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    rill_device_info info;
    for (size_t i = 0; i < rill_device_count(); i++) {
        bool is_gpu = rill_device_get(i, &info) == RILL_OK && strcmp(info.name, "cpu") != 0;
        if (is_gpu && measure(&bench, info.name, false) != RILL_OK) {
            fprintf(stderr, "%s: %s\n", info.name, rill_message());
            return 1;
        }
    }
    free(bench.at);
    free(bench.v);
    free(bench.out);
    free(bench.expected);
    free(bench.last);
    return 0;
}
