// Runs what `rill emit --ptx` writes on an NVIDIA GPU, through the driver alone, and compares the arrays with the same
// kernels run on the CPU by the library. A program for machines with a GPU, not one of the tests: it needs a driver.
//
//     ptx_run [kernel folder]        each line: ok or FAIL, the kernel, the largest relative error
#include "rill/rill.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The driver's own prototypes, as far as they are used here.
typedef int cu_result;
typedef struct {
    cu_result (*init)(unsigned);
    cu_result (*device_get)(int *, int);
    cu_result (*device_name)(char *, int, int);
    cu_result (*context_retain)(void **, int);
    cu_result (*context_set)(void *);
    cu_result (*module_load)(void **, const void *);
    cu_result (*module_function)(void **, void *, const char *);
    cu_result (*alloc)(uint64_t *, size_t);
    cu_result (*free)(uint64_t);
    cu_result (*to_device)(uint64_t, const void *, size_t);
    cu_result (*to_host)(void *, uint64_t, size_t);
    cu_result (*memset8)(uint64_t, unsigned char, size_t);
    cu_result (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                        void **);
    cu_result (*synchronize)(void);
} driver;

static bool load_driver(driver *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        printf("skip: there is no NVIDIA driver here\n");
        return false;
    }
    static const char *const names[] = {
        "cuInit",          "cuDeviceGet",      "cuDeviceGetName",     "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent", "cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc_v2",
        "cuMemFree_v2",    "cuMemcpyHtoD_v2",  "cuMemcpyDtoH_v2",     "cuMemsetD8_v2",
        "cuLaunchKernel",  "cuCtxSynchronize"};
    void **slots = (void **)d;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        slots[i] = dlsym(library, names[i]);
        if (slots[i] == NULL) {
            printf("FAIL: the driver has no %s\n", names[i]);
            return false;
        }
    }
    return true;
}

enum { MAX_ARRAYS = 6 };

struct test {
    const char *file;
    const char *kernel;
    long long n;    // first parameter
    double second;  // value of the second scalar, if there is one
    int scalars;    // 1: n; 2: n and an int; 3: n and a float
    long long trip; // of the kernel's one task
    int array_count;
    size_t counts[MAX_ARRAYS];
    rill_type types[MAX_ARRAYS];
    bool has_finish;
    double tolerance; // relative
};

#define F RILL_F32
#define I RILL_I32
#define B RILL_U8
static const struct test tests[] = {
    {"vectors", "triad", 100003, 0.5, 3, 100003, 3, {100003, 100003, 100003}, {F, F, F}, false, 0},
    {"vectors", "saxpy", 100003, 0.5, 3, 100003, 2, {100003, 100003}, {F, F}, false, 0},
    {"vectors", "sum", 100003, 0, 1, 100003, 1, {100003}, {F}, true, 1e-5},
    {"vectors", "map_sin", 100003, 0, 1, 100003, 2, {100003, 100003}, {F, F}, false, 1e-6},
    {"vectors", "map_exp", 100003, 0, 1, 100003, 2, {100003, 100003}, {F, F}, false, 1e-6},
    {"vectors", "map_pow", 100003, 0, 1, 100003, 2, {100003, 100003}, {F, F}, false, 2e-6},
    {"histogram", "histogram", 100003, 256, 2, 100003, 2, {100003, 256}, {I, I}, false, 0},
    {"grids", "stencil5", 300, 0, 1, 298, 2, {90000, 90000}, {F, F}, false, 0},
    {"grids", "heat3", 40, 0.1, 3, 38, 2, {64000, 64000}, {F, F}, false, 0},
    {"grids", "life", 300, 0, 1, 298, 2, {90000, 90000}, {B, B}, false, 0},
    {"matmul", "matmul_ijk", 100, 0, 1, 100, 3, {10000, 10000, 10000}, {F, F, F}, false, 1e-5},
    {"matmul", "matmul_ikj", 100, 0, 1, 100, 3, {10000, 10000, 10000}, {F, F, F}, false, 1e-5},
    {"bodies", "nbody", 500, 0, 1, 500, 6, {500, 500, 500, 500, 500, 500}, {F, F, F, F, F, F}, false, 1e-5},
    {"bodies", "mandelbrot", 200, 64, 2, 200, 1, {40000}, {I}, false, 0},
};

static size_t size_of(rill_type type)
{
    return type == RILL_U8 ? 1 : 4;
}

static void fill(const struct test *test, int i, void *array)
{
    for (size_t k = 0; k < test->counts[i]; k++) {
        if (test->types[i] == RILL_F32) {
            ((float *)array)[k] = (float)(k % 251 + 1) * 0.01f;
        } else if (test->types[i] == RILL_I32) {
            ((int *)array)[k] = i == 0 ? (int)(k * 7919 % 256) : 0;
        } else {
            ((unsigned char *)array)[k] = k * 7919 % 5 < 2;
        }
    }
}

// The arguments as the entries want them: in order, each at its own alignment.
static size_t lay_out(const struct test *test, const uint64_t *addresses, unsigned char *out)
{
    int n = (int)test->n;
    int integer = (int)test->second;
    float number = (float)test->second;
    size_t at = 0;
    memcpy(out, &n, 4);
    at = 4;
    if (test->scalars > 1) {
        memcpy(out + at, test->scalars == 2 ? (void *)&integer : (void *)&number, 4);
        at += 4;
    }
    at = (at + 7) / 8 * 8;
    for (int i = 0; i < test->array_count; i++) {
        memcpy(out + at, &addresses[i], 8);
        at += 8;
    }
    return at;
}

// The largest difference over the largest magnitude of the array: sums that cancel have no meaningful relative error.
static double difference(const struct test *test, int i, const void *a, const void *b)
{
    double worst = 0;
    double scale = 1e-30;
    for (size_t k = 0; k < test->counts[i]; k++) {
        if (test->types[i] == RILL_F32) {
            double x = (double)((const float *)a)[k];
            double y = (double)((const float *)b)[k];
            scale = fmax(scale, fabs(y));
            worst = x == y ? worst : fmax(worst, isnan(x - y) ? 1e30 : fabs(x - y));
        } else if (memcmp((const char *)a + k * size_of(test->types[i]), (const char *)b + k * size_of(test->types[i]),
                          size_of(test->types[i])) != 0) {
            return 1e9;
        }
    }
    return worst / scale;
}

struct gpu {
    driver d;
    rill_context cpu;
    const char *folder;
};

static cu_result launch(struct gpu *gpu, void *module, const char *name, const unsigned char *args, uint64_t block,
                        long long trip, long long chunk, uint64_t partial, uint64_t frame, unsigned threads)
{
    void *function;
    cu_result result = gpu->d.module_function(&function, module, name);
    if (result != 0) {
        return result;
    }
    void *params[] = {(void *)(uintptr_t)args, &block, &trip, &chunk, &partial, &frame};
    unsigned grid = (threads + 127) / 128;
    return gpu->d.launch(function, grid, 1, 1, threads < 128 ? threads : 128, 1, 1, 0, NULL, params, NULL);
}

static char *emit(const struct gpu *gpu, const struct test *test)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.c", gpu->folder, test->file);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    char *ptx = NULL;
    rill_module_options options = {.path = path, .target = "sm_90", .contract_off = true};
    if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0 ||
        rill_source_emit(text, &options, RILL_EMIT_ASM, &ptx) != RILL_OK) {
        printf("FAIL %s: %s\n", path, rill_message());
    }
    if (file != NULL) {
        fclose(file);
    }
    free(text);
    return ptx;
}

static rill_status run_cpu(const struct gpu *gpu, const struct test *test, void *const *arrays, float *returned)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.c", gpu->folder, test->file);
    rill_module_options options = {.contract_off = true};
    rill_module module;
    rill_kernel kernel;
    RILL_TRY(rill_module_load(gpu->cpu, path, &options, &module));
    RILL_TRY(rill_module_kernel(module, test->kernel, &kernel));
    rill_arg args[8];
    size_t count = 0;
    args[count++] = rill_arg_int(test->n);
    if (test->scalars == 2) {
        args[count++] = rill_arg_int((int64_t)test->second);
    } else if (test->scalars == 3) {
        args[count++] = rill_arg_float(test->second);
    }
    for (int i = 0; i < test->array_count; i++) {
        args[count++] =
            rill_arg_memory(RILL_ARG_HOST, test->types[i], arrays[i], test->counts[i], size_of(test->types[i]));
    }
    RILL_TRY(rill_call(kernel, RILL_CURRENT, (rill_args){args, count}, test->has_finish ? returned : NULL,
                       test->has_finish ? sizeof *returned : 0));
    return rill_module_destroy(module);
}

static bool run_test(struct gpu *gpu, const struct test *test)
{
    void *host[MAX_ARRAYS];
    void *back[MAX_ARRAYS];
    uint64_t device[MAX_ARRAYS];
    cu_result result = 0;
    for (int i = 0; i < test->array_count; i++) {
        size_t size = test->counts[i] * size_of(test->types[i]);
        host[i] = calloc(1, size);
        back[i] = calloc(1, size);
        fill(test, i, host[i]);
        result |= gpu->d.alloc(&device[i], size) | gpu->d.to_device(device[i], host[i], size);
    }
    char *ptx = emit(gpu, test);
    void *module = NULL;
    if (ptx == NULL || (result = gpu->d.module_load(&module, ptx)) != 0) {
        printf("FAIL %s: the driver does not load the PTX (%d)\n", test->kernel, result);
        return false;
    }
    uint64_t block;
    uint64_t partial;
    uint64_t frame;
    result |= gpu->d.alloc(&block, 4096) | gpu->d.alloc(&partial, 1 << 20) | gpu->d.alloc(&frame, 1 << 16);
    result |= gpu->d.memset8(block, 0, 4096) | gpu->d.memset8(frame, 0, 1 << 16);
    unsigned char args[256] = {0};
    lay_out(test, device, args);
    char name[128];
    long long chunk = test->has_finish ? 64 : 1;
    long long records = (test->trip + chunk - 1) / chunk;
    snprintf(name, sizeof name, "%s$0", test->kernel);
    result |= launch(gpu, module, name, args, block, test->trip, chunk, partial, frame, (unsigned)records);
    if (test->has_finish) {
        snprintf(name, sizeof name, "%s$0$finish", test->kernel);
        result |= launch(gpu, module, name, args, block, records, 1, partial, frame, 1);
    }
    result |= gpu->d.synchronize();
    float gpu_sum = 0;
    result |= gpu->d.to_host(&gpu_sum, test->has_finish ? block + 4 * 0 : block, 4);
    // A reduction's variable may have a slot of its own beside the result: the first non-zero word is the sum.
    float words[8] = {0};
    result |= gpu->d.to_host(words, block, sizeof words);
    for (int i = 0; i < 8 && gpu_sum == 0; i++) {
        gpu_sum = words[i];
    }
    for (int i = 0; i < test->array_count; i++) {
        result |= gpu->d.to_host(back[i], device[i], test->counts[i] * size_of(test->types[i]));
    }
    if (result != 0) {
        printf("FAIL %s: the driver says %d\n", test->kernel, result);
        return false;
    }
    float cpu_sum = 0;
    rill_status status = run_cpu(gpu, test, host, &cpu_sum);
    if (status != RILL_OK) {
        printf("FAIL %s on the CPU: %s\n", test->kernel, rill_message());
        return false;
    }
    double worst = test->has_finish ? fabs((double)gpu_sum - (double)cpu_sum) / fabs((double)cpu_sum) : 0;
    for (int i = 0; i < test->array_count; i++) {
        worst = fmax(worst, difference(test, i, back[i], host[i]));
        gpu->d.free(device[i]);
        free(host[i]);
        free(back[i]);
    }
    rill_free(ptx);
    bool ok = worst <= test->tolerance;
    printf("%s %s: largest relative error %.3g\n", ok ? "ok" : "FAIL", test->kernel, worst);
    return ok;
}

int main(int argc, char **argv)
{
    struct gpu gpu = {.folder = argc > 1 ? argv[1] : "bench/kernels"};
    if (!load_driver(&gpu.d)) {
        return 77;
    }
    int device;
    void *context;
    char name[128] = "";
    if (gpu.d.init(0) != 0 || gpu.d.device_get(&device, 0) != 0 || gpu.d.device_name(name, sizeof name, device) != 0 ||
        gpu.d.context_retain(&context, device) != 0 || gpu.d.context_set(context) != 0 ||
        rill_open("cpu", NULL, &gpu.cpu) != RILL_OK) {
        printf("FAIL: no device could be opened: %s\n", rill_message());
        return 1;
    }
    printf("on %s\n", name);
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        failed += !run_test(&gpu, &tests[i]);
    }
    printf("%zu passed, %d failed\n", sizeof tests / sizeof tests[0] - (size_t)failed, failed);
    return failed > 0 || rill_close(gpu.cpu) != RILL_OK;
}
