// Products of matrices from plain loops beside the vendor's library: cuBLAS without tensor cores on an NVIDIA GPU,
// OpenBLAS on the CPU, where either is installed. `sum` and `flat` add up in a local variable, the others in memory, in
// each order of the three loops.
//
//     build/release/bench/products [--device NAME] [--seconds N] [n …]
//
// Without sizes 512, 1024, 1000 and 2048 are taken. Times are those of one launch, of several in a row with one wait at
// the end; the least of all rounds counts. One core beside one core: RILL_THREADS=1 OPENBLAS_NUM_THREADS=1.
#include "rill/rill.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#define PRODUCT(T, name, x, y, z) \\\n"
    "kernel void name(int n, const T a[n][n], const T b[n][n], T c[n][n]) \\\n"
    "{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { c[i][j] = 0; } } \\\n"
    "  for (int x = 0; x < n; x++) { for (int y = 0; y < n; y++) { for (int z = 0; z < n; z++) { \\\n"
    "  c[i][j] += a[i][k] * b[k][j]; } } } }\n"
    "#define PRODUCTS(T, name) \\\n"
    "PRODUCT(T, name##_ijk, i, j, k) PRODUCT(T, name##_jik, j, i, k) PRODUCT(T, name##_jki, j, k, i) \\\n"
    "PRODUCT(T, name##_kij, k, i, j) PRODUCT(T, name##_kji, k, j, i) \\\n"
    "kernel void name##_sum(int n, const T a[n][n], const T b[n][n], T c[n][n]) \\\n"
    "{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { T s = 0; \\\n"
    "  for (int k = 0; k < n; k++) { s += a[i][k] * b[k][j]; } c[i][j] = s; } } } \\\n"
    "kernel void name##_ikj(int n, const T a[n][n], const T b[n][n], T c[n][n]) \\\n"
    "{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { c[i][j] = 0; } \\\n"
    "  for (int k = 0; k < n; k++) { for (int j = 0; j < n; j++) { c[i][j] += a[i][k] * b[k][j]; } } } } \\\n"
    "kernel void name##_flat(int n, const T *a, const T *b, T *c) \\\n"
    "{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { T s = 0; \\\n"
    "  for (int k = 0; k < n; k++) { s += a[i * n + k] * b[k * n + j]; } c[i * n + j] = s; } } }\n"
    "PRODUCTS(float, single)\n"
    "PRODUCTS(double, wide)\n";

enum { MIN_ROUNDS = 3, MAX_ROUNDS = 50 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// ---- libraries ----------------------------------------------------------------------------------------------------

enum { ROW_MAJOR = 101, NO_TRANS = 111, CUBLAS_NO_TRANS = 0, CUBLAS_PEDANTIC = 2 };

struct library {
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                  int);
    int (*cublas_sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                        const float *, float *, int);
    int (*cublas_dgemm)(void *, int, int, int, int, int, const double *, const double *, int, const double *, int,
                        const double *, double *, int);
    int (*synchronize)(void);
    void *handle;     // cuBLAS's
    const char *name; // NULL: there is none
};

static void *open_any(const char *const *names)
{
    void *library = NULL;
    for (; *names != NULL && library == NULL; names++) {
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void open_openblas(struct library *out)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    void *library = open_any(names);
    if (library != NULL) {
        *(void **)&out->sgemm = dlsym(library, "cblas_sgemm");
        *(void **)&out->dgemm = dlsym(library, "cblas_dgemm");
        out->name = out->sgemm != NULL && out->dgemm != NULL ? "OpenBLAS" : NULL;
    }
}

// The driver's primary context, which Rill uses too, becomes this thread's.
static bool enter_context(struct library *out)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    void *context = NULL;
    if (driver == NULL) {
        return false;
    }
    *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
    *(void **)&out->synchronize = dlsym(driver, "cuCtxSynchronize");
    return retain != NULL && set_current != NULL && out->synchronize != NULL && retain(&context, 0) == 0 &&
           set_current(context) == 0;
}

static void open_cublas(struct library *out)
{
    static const char *const names[] = {"libcublas.so",
                                        "libcublas.so.13",
                                        "libcublas.so.12",
                                        "libcublas.so.11",
                                        "/usr/local/cuda/lib64/libcublas.so",
                                        NULL};
    void *library = open_any(names);
    int (*create)(void **) = NULL;
    int (*set_mode)(void *, int) = NULL;
    if (library == NULL || !enter_context(out)) {
        return;
    }
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&set_mode = dlsym(library, "cublasSetMathMode");
    *(void **)&out->cublas_sgemm = dlsym(library, "cublasSgemm_v2");
    *(void **)&out->cublas_dgemm = dlsym(library, "cublasDgemm_v2");
    if (create != NULL && set_mode != NULL && out->cublas_sgemm != NULL && out->cublas_dgemm != NULL &&
        create(&out->handle) == 0 && set_mode(out->handle, CUBLAS_PEDANTIC) == 0) {
        out->name = "cuBLAS";
    }
}

// c = a b, row by row: to cuBLAS, which has columns, that is c' = b' a'.
static bool multiply(const struct library *library, int n, bool is_wide, void *a, void *b, void *c)
{
    float one = 1;
    float zero = 0;
    double wide_one = 1;
    double wide_zero = 0;
    if (library->handle != NULL) {
        int said = is_wide ? library->cublas_dgemm(library->handle, CUBLAS_NO_TRANS, CUBLAS_NO_TRANS, n, n, n,
                                                   &wide_one, b, n, a, n, &wide_zero, c, n)
                           : library->cublas_sgemm(library->handle, CUBLAS_NO_TRANS, CUBLAS_NO_TRANS, n, n, n, &one, b,
                                                   n, a, n, &zero, c, n);
        return said == 0;
    }
    if (is_wide) {
        library->dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, a, n, b, n, 0, c, n);
    } else {
        library->sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, a, n, b, n, 0, c, n);
    }
    return true;
}

// ---- one size -----------------------------------------------------------------------------------------------------

struct bench {
    rill_context context;
    rill_module module;
    struct library library;
    double seconds; // for the rounds of one row
};

struct matrices {
    rill_array a;
    rill_array b;
    rill_array c;
    rill_array d; // the library's result
    int n;
    bool is_wide;
};

static rill_status fill(rill_array array, const struct matrices *m)
{
    size_t count = (size_t)m->n * (size_t)m->n;
    size_t size = m->is_wide ? sizeof(double) : sizeof(float);
    void *values = malloc(count * size);
    if (values == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        double value = (double)((i * 7919 + i / 13) % 1000) / 1000 - 0.5;
        if (m->is_wide) {
            ((double *)values)[i] = value;
        } else {
            ((float *)values)[i] = (float)value;
        }
    }
    rill_status status = rill_array_write(array, RILL_CURRENT, values, count * size);
    free(values);
    return status;
}

static rill_status make_matrices(struct bench *bench, struct matrices *m)
{
    rill_array *all[4] = {&m->a, &m->b, &m->c, &m->d};
    for (int i = 0; i < 4; i++) {
        RILL_TRY(rill_array_create(bench->context, m->is_wide ? RILL_F64 : RILL_F32, RILL_SHAPE(m->n, m->n), all[i]));
        RILL_TRY(fill(*all[i], m));
    }
    return RILL_OK;
}

// The largest difference of the two results, relative to the largest element.
static rill_status compare(const struct matrices *m, double *out)
{
    size_t count = (size_t)m->n * (size_t)m->n;
    size_t size = m->is_wide ? sizeof(double) : sizeof(float);
    char *x = malloc(2 * count * size);
    if (x == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    char *y = x + count * size;
    rill_status status = rill_array_read(m->c, RILL_CURRENT, x, count * size);
    status = status != RILL_OK ? status : rill_array_read(m->d, RILL_CURRENT, y, count * size);
    double worst = 0;
    double largest = 1e-30;
    for (size_t i = 0; i < count; i++) {
        double p = m->is_wide ? ((double *)x)[i] : ((float *)x)[i];
        double q = m->is_wide ? ((double *)y)[i] : ((float *)y)[i];
        worst = fabs(p - q) > worst ? fabs(p - q) : worst;
        largest = fabs(q) > largest ? fabs(q) : largest;
    }
    free(x);
    *out = worst / largest;
    return status;
}

static rill_status time_rill(struct bench *bench, rill_kernel kernel, const struct matrices *m, double *out)
{
    double end = now() + bench->seconds;
    *out = 1e30;
    for (int round = 0; round < MIN_ROUNDS || (round < MAX_ROUNDS && now() < end); round++) {
        double start = now();
        int count = *out < 0.01 ? 4 : 1;
        for (int i = 0; i < count; i++) {
            RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(m->n, m->a, m->b, m->c)));
        }
        RILL_TRY(rill_sync(bench->context));
        double time = (now() - start) / count;
        *out = time < *out ? time : *out;
    }
    return RILL_OK;
}

static rill_status time_library(struct bench *bench, const struct matrices *m, double *out)
{
    void *addresses[3];
    RILL_TRY(rill_array_address(m->a, &addresses[0]));
    RILL_TRY(rill_array_address(m->b, &addresses[1]));
    RILL_TRY(rill_array_address(m->d, &addresses[2]));
    double end = now() + bench->seconds;
    *out = 1e30;
    for (int round = 0; round < MIN_ROUNDS || (round < MAX_ROUNDS && now() < end); round++) {
        double start = now();
        int count = *out < 0.01 ? 4 : 1;
        bool is_good = true;
        for (int i = 0; i < count; i++) {
            is_good &= multiply(&bench->library, m->n, m->is_wide, addresses[0], addresses[1], addresses[2]);
        }
        is_good &= bench->library.synchronize == NULL || bench->library.synchronize() == 0;
        double time = is_good ? (now() - start) / count : 1e30;
        *out = time < *out ? time : *out;
    }
    return RILL_OK;
}

static rill_status run_size(struct bench *bench, int n, bool is_wide)
{
    static const char *const orders[] = {"sum", "flat", "ijk", "ikj", "jik", "jki", "kij", "kji"};
    struct matrices m = {.n = n, .is_wide = is_wide};
    double library = 0;
    double flops = 2.0 * n * n * n;
    RILL_TRY(make_matrices(bench, &m));
    if (bench->library.name != NULL) {
        RILL_TRY(time_library(bench, &m, &library));
    }
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        char name[32];
        rill_kernel kernel;
        double time;
        double difference = 0;
        snprintf(name, sizeof name, "%s_%s", is_wide ? "wide" : "single", orders[i]);
        RILL_TRY(rill_module_kernel(bench->module, name, &kernel));
        RILL_TRY(time_rill(bench, kernel, &m, &time));
        printf("  %-12s %6d %10.3f ms %9.1f GFLOP/s", name, n, 1e3 * time, 1e-9 * flops / time);
        if (bench->library.name != NULL) {
            RILL_TRY(compare(&m, &difference));
            printf("   %s %10.3f ms %9.1f GFLOP/s  %5.2f of it, differ by %.1e", bench->library.name, 1e3 * library,
                   1e-9 * flops / library, library / time, difference);
        }
        printf("\n");
        fflush(stdout);
    }
    RILL_TRY(rill_array_destroy(m.a));
    RILL_TRY(rill_array_destroy(m.b));
    RILL_TRY(rill_array_destroy(m.c));
    return rill_array_destroy(m.d);
}

static rill_status run(struct bench *bench, const char *device, const int *sizes, int count)
{
    RILL_TRY(rill_open(device, NULL, &bench->context));
    RILL_TRY(rill_module_create(bench->context, source, NULL, &bench->module));
    if (strncmp(device, "cpu", 3) == 0) {
        open_openblas(&bench->library);
    } else if (strncmp(device, "cuda", 4) == 0) {
        open_cublas(&bench->library);
    }
    printf("products on %s, beside %s\n", device, bench->library.name != NULL ? bench->library.name : "nothing");
    for (int i = 0; i < 2 * count; i++) {
        RILL_TRY(run_size(bench, sizes[i % count], i >= count));
    }
    return rill_close(bench->context);
}

int main(int argc, char **argv)
{
    int sizes[16] = {512, 1024, 1000, 2048};
    int count = 0;
    const char *device = "cpu";
    struct bench bench = {.seconds = 0.5};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            device = argv[++i];
        } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            bench.seconds = atof(argv[++i]);
        } else if (atoi(argv[i]) > 0 && count < 16) {
            sizes[count++] = atoi(argv[i]);
        } else {
            fprintf(stderr, "usage: products [--device NAME] [--seconds N] [n …]\n");
            return 2;
        }
    }
    if (run(&bench, device, sizes, count > 0 ? count : 4) != RILL_OK) {
        fprintf(stderr, "products: %s\n", rill_message());
        return 1;
    }
    return 0;
}
