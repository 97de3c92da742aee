// Sorts, running sums, lists and histograms (bench/kernels/patterns.c) beside the libraries that a user would call
// instead. On the CPU: the C++ library, serial and in gcc's parallel mode (-D_GLIBCXX_PARALLEL), and oneTBB, built by
// g++ -O3 -march=native where they are installed. On an NVIDIA GPU: CUB, built by nvcc if that is found, on memory of
// the device. Everybody takes turns; medians are compared, and every result is compared with the C++ library's.
//
//     build/release/bench/patterns [--log2 N] [--device NAME] [--rounds N] [--work] [pattern …]
//
// 2^24 elements unless --log2 says otherwise; --work takes the processor time of all threads. The keys are drawn evenly
// from all numbers of their type; of what is compacted every second element stays, at random.
#include "rill/rill.h"
#include "tree.h"

#include <assert.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROUNDS = 50, MAX_NAMES = 16, PAUSE_US = 5000 };
enum { BY_SERIAL, BY_PARALLEL, BY_TBB, BY_CUB, BY_RILL, WAYS };
enum { SORT, PAIRS, SCAN, COMPACT }; // kinds of pattern: which arrays they take

static const char *const way_names[WAYS] = {"serial", "parallel", "TBB", "CUB", "rill"};

static const struct pattern {
    const char *name;
    const char *what;
    int kind;
    rill_type type;
    size_t size; // of an element
} patterns[] = {
    {"sort_u32", "sort of unsigned", SORT, RILL_U32, 4},
    {"sort_f32", "sort of float", SORT, RILL_F32, 4},
    {"sort_u64", "sort of 64-bit unsigned", SORT, RILL_U64, 8},
    {"sort_pairs", "stable sort, unsigned and int", PAIRS, RILL_U32, 4},
    {"scan_i32", "running sum of int", SCAN, RILL_I32, 4},
    {"scan_f32", "running sum of float", SCAN, RILL_F32, 4},
    {"scan_loop", "running sum of int, a loop", SCAN, RILL_I32, 4},
    {"compact", "compaction of int", COMPACT, RILL_I32, 4},
    {"unique", "the first of equal ints", COMPACT, RILL_I32, 4},
    {"append", "append without order", COMPACT, RILL_I32, 4},
    {"bytes", "histogram of 256 bins", COMPACT, RILL_U32, 4},
    {"distribute", "256 lists, a loop", SORT, RILL_U32, 4},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

enum { IN, OUT, ORDER, ARRAYS };

struct bench {
    rill_context context;
    int n;
    int rounds;
    bool is_cpu;
    clockid_t clock;
    void *libraries[WAYS];     // NULL: not installed
    rill_array arrays[ARRAYS]; // of the pattern that is measured
    void *memory[ARRAYS];      // their addresses, which the libraries get
    void *host[ARRAYS];        // owned: IN what everybody starts from, OUT and ORDER what was read back
    void *expected[ARRAYS];    // owned: OUT and ORDER as the C++ library leaves them
    int expected_count;
};

typedef int native_function(int n, const void *in, void *out);
typedef int native_pairs_function(int n, const void *in, void *out, int *order);

static double now_ms(const struct bench *bench)
{
    struct timespec time;
    clock_gettime(bench->clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- libraries ----------------------------------------------------------------------------------------------------

static void *build(const char *compiler, const char *source, const char *libraries)
{
    char path[] = "/tmp/rill-bench-XXXXXX";
    char command[4096];
    int file = mkstemp(path);
    if (file < 0) {
        return NULL;
    }
    close(file);
    snprintf(command, sizeof command, "%s -o %s %s/bench/patterns/peers/%s %s 2>/dev/null", compiler, path, tree_root(),
             source, libraries);
    void *library = system(command) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

static void build_all(struct bench *bench)
{
    const char *gcc = "g++ -O3 -march=native -std=c++17 -shared -fPIC -w";
    char parallel[256];
    snprintf(parallel, sizeof parallel, "%s -fopenmp -D_GLIBCXX_PARALLEL", gcc);
    bench->libraries[BY_SERIAL] = build(gcc, "standard.cpp", "");
    if (bench->is_cpu) {
        bench->libraries[BY_PARALLEL] = build(parallel, "standard.cpp", "");
        bench->libraries[BY_TBB] = build(gcc, "tbb.cpp", "-ltbb");
    } else {
        bench->libraries[BY_CUB] = build("PATH=$PATH:/usr/local/cuda/bin nvcc -O3 -arch=native -std=c++17 -shared "
                                         "-Xcompiler -fPIC --extended-lambda",
                                         "cub.cu", "");
    }
}

static void *symbol_of(const struct bench *bench, const struct pattern *pattern, int way)
{
    char name[64];
    snprintf(name, sizeof name, "peer_%s", pattern->name);
    return bench->libraries[way] != NULL ? dlsym(bench->libraries[way], name) : NULL;
}

// How many elements are left; -1: it failed.
static int call_native(const struct bench *bench, const struct pattern *pattern, int way, void *const memory[ARRAYS])
{
    void *symbol = symbol_of(bench, pattern, way);
    assert(symbol != NULL);
    if (pattern->kind == PAIRS) {
        native_pairs_function *function;
        memcpy(&function, &symbol, sizeof function);
        return function(bench->n, memory[IN], memory[OUT], memory[ORDER]);
    }
    native_function *function;
    memcpy(&function, &symbol, sizeof function);
    return function(bench->n, memory[IN], memory[OUT]);
}

// ---- Rill ---------------------------------------------------------------------------------------------------------

static rill_status call_rill(const struct bench *bench, rill_kernel kernel, const struct pattern *pattern,
                             int *out_count)
{
    const rill_array *a = bench->arrays;
    *out_count = bench->n;
    if (pattern->kind == COMPACT) {
        return rill_call(kernel, RILL_CURRENT, RILL_ARGS(bench->n, a[IN], a[OUT]), out_count, sizeof *out_count);
    }
    if (pattern->kind == PAIRS) {
        RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(bench->n, a[IN], a[OUT], a[ORDER])));
    } else {
        RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(bench->n, a[IN], a[OUT])));
    }
    return rill_sync(bench->context);
}

// ---- one pattern --------------------------------------------------------------------------------------------------

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state ^ *state >> 29) * 0xbf58476d1ce4e5b9u;
}

// Floats have every sign and magnitude where they are sorted; those that are summed are so small that no order rounds.
static void fill(const struct pattern *pattern, int n, void *memory)
{
    uint64_t state = 1;
    for (int i = 0; i < n; i++) {
        uint64_t random = draw(&state);
        float number = pattern->kind == SCAN ? (float)(random >> 63)
                                             : ldexpf((float)(int32_t)(random >> 16), (int)(random & 63) - 60);
        switch (pattern->type) {
        case RILL_U64: ((uint64_t *)memory)[i] = random; break;
        case RILL_F32: ((float *)memory)[i] = number; break;
        default:
            ((uint32_t *)memory)[i] =
                strcmp(pattern->name, "unique") == 0 ? (uint32_t)i / 2 * 2 + (random >> 63) : (uint32_t)(random >> 32);
            break;
        }
    }
}

static rill_status check(const struct bench *bench, const struct pattern *pattern, int way, int count)
{
    size_t size = (size_t)bench->expected_count * pattern->size;
    size_t all = (size_t)bench->n * pattern->size;
    RILL_TRY(rill_array_read(bench->arrays[OUT], RILL_CURRENT, bench->host[OUT], all));
    bool is_right = count == bench->expected_count && memcmp(bench->host[OUT], bench->expected[OUT], size) == 0;
    if (pattern->kind == PAIRS) {
        size = (size_t)bench->n * sizeof(int);
        RILL_TRY(rill_array_read(bench->arrays[ORDER], RILL_CURRENT, bench->host[ORDER], size));
        is_right &= memcmp(bench->host[ORDER], bench->expected[ORDER], size) == 0;
    }
    if (!is_right) {
        fprintf(stderr, "%s by %s is wrong\n", pattern->name, way_names[way]);
    }
    return RILL_OK;
}

static rill_status run(const struct bench *bench, rill_kernel kernel, const struct pattern *pattern, int way,
                       double *out_ms)
{
    *out_ms = (double)NAN;
    if (way != BY_RILL && (symbol_of(bench, pattern, way) == NULL || (way == BY_SERIAL && !bench->is_cpu))) {
        return RILL_OK;
    }
    uint64_t zero = 0;
    RILL_TRY(rill_array_fill(bench->arrays[OUT], RILL_CURRENT, &zero, pattern->size));
    RILL_TRY(rill_sync(bench->context));
    usleep(PAUSE_US); // OpenMP's threads spin for a while
    double begin = now_ms(bench);
    int count;
    if (way == BY_RILL) {
        RILL_TRY(call_rill(bench, kernel, pattern, &count));
    } else {
        count = call_native(bench, pattern, way, bench->memory);
    }
    *out_ms = now_ms(bench) - begin;
    return check(bench, pattern, way, count);
}

static void print_row(const struct bench *bench, const struct pattern *pattern, double times[WAYS][MAX_ROUNDS])
{
    double medians[WAYS];
    double best = (double)NAN;
    printf("%-30s", pattern->what);
    for (int way = 0; way < WAYS; way++) {
        qsort(times[way], (size_t)bench->rounds, sizeof times[way][0], by_value);
        medians[way] = times[way][bench->rounds / 2];
        best = way == BY_RILL ? best : fmin(best, medians[way]); // a NAN is passed over
        if (isnan(medians[way])) {
            printf("%10s", "-");
        } else {
            printf("%10.2f", medians[way]);
        }
    }
    printf("%9.2f\n", best / medians[BY_RILL]);
    fflush(stdout);
}

static rill_status make_arrays(struct bench *bench, const struct pattern *pattern)
{
    for (int a = 0; a < ARRAYS; a++) {
        rill_type type = a == ORDER ? RILL_I32 : pattern->type;
        RILL_TRY(rill_array_create(bench->context, type, RILL_SHAPE(bench->n), &bench->arrays[a]));
        RILL_TRY(rill_array_address(bench->arrays[a], &bench->memory[a]));
    }
    fill(pattern, bench->n, bench->host[IN]);
    RILL_TRY(rill_array_write(bench->arrays[IN], RILL_CURRENT, bench->host[IN], (size_t)bench->n * pattern->size));
    void *memory[ARRAYS] = {bench->host[IN], bench->expected[OUT], bench->expected[ORDER]};
    bench->expected_count = call_native(bench, pattern, BY_SERIAL, memory);
    return RILL_OK;
}

static rill_status measure(struct bench *bench, const struct pattern *pattern)
{
    double times[WAYS][MAX_ROUNDS];
    char path[4096];
    rill_kernel kernel;
    snprintf(path, sizeof path, "%s/bench/kernels/patterns.c", tree_root());
    RILL_TRY(rill_kernel_load(bench->context, path, pattern->name, &kernel));
    RILL_TRY(make_arrays(bench, pattern));
    for (int round = -1; round < bench->rounds; round++) { // the first is to warm up
        for (int way = 0; way < WAYS; way++) {
            RILL_TRY(run(bench, kernel, pattern, way, &times[way][round < 0 ? 0 : round]));
        }
    }
    print_row(bench, pattern, times);
    for (int a = 0; a < ARRAYS; a++) {
        RILL_TRY(rill_array_destroy(bench->arrays[a]));
    }
    return RILL_OK;
}

// ---- all of it ----------------------------------------------------------------------------------------------------

static bool is_wanted(const struct pattern *pattern, char **names, int name_count)
{
    bool is_named = name_count == 0;
    for (int i = 0; i < name_count; i++) {
        is_named |= strcmp(names[i], pattern->name) == 0;
    }
    return is_named;
}

static rill_status measure_all(struct bench *bench, const char *device, char **names, int name_count)
{
    RILL_TRY(rill_open(device, NULL, &bench->context));
    printf("%-30s", device);
    for (int way = 0; way < WAYS; way++) {
        printf("%10s", way_names[way]);
    }
    printf("%9s\n", "ratio");
    for (int p = 0; p < PATTERNS; p++) {
        if (is_wanted(&patterns[p], names, name_count)) {
            RILL_TRY(measure(bench, &patterns[p]));
        }
    }
    return rill_close(bench->context);
}

static bool make_memory(struct bench *bench)
{
    bool is_made = true;
    for (int a = 0; a < ARRAYS; a++) {
        bench->host[a] = calloc((size_t)bench->n, sizeof(uint64_t));
        bench->expected[a] = calloc((size_t)bench->n, sizeof(uint64_t));
        is_made &= bench->host[a] != NULL && bench->expected[a] != NULL;
    }
    return is_made;
}

int main(int argc, char **argv)
{
    struct bench bench = {.n = 1 << 24, .rounds = 7, .clock = CLOCK_MONOTONIC};
    const char *device = "cpu";
    char *names[MAX_NAMES];
    int name_count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log2") == 0 && i + 1 < argc) {
            int log2 = atoi(argv[++i]);
            bench.n = log2 >= 0 && log2 < 31 ? 1 << log2 : 0;
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            device = argv[++i];
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            bench.rounds = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--work") == 0) {
            bench.clock = CLOCK_PROCESS_CPUTIME_ID;
        } else if (argv[i][0] != '-' && name_count < MAX_NAMES) {
            names[name_count++] = argv[i];
        } else {
            bench.n = 0;
        }
    }
    if (bench.n == 0 || bench.rounds < 1 || bench.rounds > MAX_ROUNDS || !make_memory(&bench)) {
        fprintf(stderr, "usage: patterns [--log2 0 to 30] [--device NAME] [--rounds 1 to %d] [--work] [pattern ...]\n",
                MAX_ROUNDS);
        return 1;
    }
    bench.is_cpu = strcmp(device, "cpu") == 0;
    build_all(&bench);
    if (bench.libraries[BY_SERIAL] == NULL) {
        fprintf(stderr, "no g++: there is nothing to compare with\n");
        return 1;
    }
    printf("%d elements; milliseconds, medians; 'ratio' is the best of the others over rill: above 1 rill is faster\n",
           bench.n);
    rill_status status = measure_all(&bench, device, names, name_count);
    if (status != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
    }
    for (int a = 0; a < ARRAYS; a++) {
        free(bench.host[a]);
        free(bench.expected[a]);
    }
    return status == RILL_OK ? 0 : 1;
}
