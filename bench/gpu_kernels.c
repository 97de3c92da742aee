// Kernels from plain C on an NVIDIA GPU beside the same loops written by hand in CUDA and compiled by nvcc -O3: what
// reads and writes memory (beside a device copy), reductions, a histogram, a stencil, a matrix product, n bodies.
//
//     build/release/bench/gpu_kernels [name]
//
// nvcc is looked for in PATH when the program runs; without it only Rill's times are printed. Times are those of one
// launch, in microseconds, of many in a row with one wait at the end; the best of three. The results of both are
// compared.
#include "rill/rill.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- the kernels --------------------------------------------------------------------------------------------------

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void triad(int n, const float a[n], const float b[n], float c[n])\n"
    "{ for (int i = 0; i < n; i++) { c[i] = a[i] + 0.5f * b[i]; } }\n"
    "kernel void saxpy(int n, const float a[n], const float b[1], float c[n])\n"
    "{ for (int i = 0; i < n; i++) { c[i] = 0.5f * a[i] + c[i]; } }\n"
    "kernel void shift(int n, const float a[n], const float b[1], float c[n])\n"
    "{ for (int i = 1; i < n - 1; i++) { c[i] = a[i - 1] - 2 * a[i] + a[i + 1]; } }\n"
    "kernel void sum(int n, const float a[n], const float b[1], float c[1])\n"
    "{ float s = 0; for (int i = 0; i < n; i++) { s += a[i]; } c[0] = s; }\n"
    "kernel void dot(int n, const float a[n], const float b[n], float c[1])\n"
    "{ double s = 0; for (int i = 0; i < n; i++) { s += (double)a[i] * b[i]; } c[0] = s; }\n"
    "kernel void argmin(int n, const float a[n], const float b[1], float c[2])\n"
    "{ float s = a[0]; int k = 0; for (int i = 0; i < n; i++) { if (a[i] < s) { s = a[i]; k = i; } }\n"
    "  c[0] = s; c[1] = k; }\n"
    "kernel void histogram(int n, const int a[n], const float b[1], int c[256])\n"
    "{ for (int i = 0; i < n; i++) { c[a[i] & 255]++; } }\n"
    "kernel void stencil(int n, const float a[n][n], const float b[1], float c[n][n])\n"
    "{ for (int i = 1; i < n - 1; i++) { for (int j = 1; j < n - 1; j++) {\n"
    "  c[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]); } } }\n"
    "kernel void matmul(int n, const float a[n][n], const float b[n][n], float c[n][n])\n"
    "{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { float s = 0;\n"
    "  for (int k = 0; k < n; k++) { s += a[i][k] * b[k][j]; } c[i][j] = s; } } }\n"
    "kernel void nbody(int n, const float a[3][n], const float b[1], float c[3][n])\n"
    "{ for (int i = 0; i < n; i++) { float x = 0, y = 0, z = 0; for (int j = 0; j < n; j++) {\n"
    "  float dx = a[0][j] - a[0][i], dy = a[1][j] - a[1][i], dz = a[2][j] - a[2][i];\n"
    "  float r = dx * dx + dy * dy + dz * dz + 0.01f; float w = 1 / (r * sqrtf(r));\n"
    "  x += w * dx; y += w * dy; z += w * dz; } c[0][i] = x; c[1][i] = y; c[2][i] = z; } }\n";

static const char reductions_by_hand[] =
    "template <typename T> __device__ void block_sum(T s, T *to)\n"
    "{ __shared__ T warps[32]; for (int d = 16; d > 0; d /= 2) { s += __shfl_down_sync(~0u, s, d); }\n"
    "  if (threadIdx.x % 32 == 0) { warps[threadIdx.x / 32] = s; } __syncthreads();\n"
    "  if (threadIdx.x < 32) { s = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;\n"
    "  for (int d = 16; d > 0; d /= 2) { s += __shfl_down_sync(~0u, s, d); } if (threadIdx.x == 0) { *to = s; } } }\n"
    "__device__ float parts[4096]; __device__ double wide_parts[4096];\n"
    "extern \"C\" __global__ void sum(int n, const float *a, const float *b, float *c)\n"
    "{ float s = 0; for (int i = HERE; i < n; i += gridDim.x * blockDim.x) { s += a[i]; }\n"
    "  block_sum(s, &parts[blockIdx.x]); }\n"
    "extern \"C\" __global__ void sum_end(int n, const float *a, const float *b, float *c)\n"
    "{ float s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) { s += parts[i]; } block_sum(s, c); }\n"
    "extern \"C\" __global__ void dot(int n, const float *a, const float *b, float *c)\n"
    "{ double s = 0; for (int i = HERE; i < n; i += gridDim.x * blockDim.x) { s += (double)a[i] * b[i]; }\n"
    "  block_sum(s, &wide_parts[blockIdx.x]); }\n"
    "extern \"C\" __global__ void dot_end(int n, const float *a, const float *b, float *c)\n"
    "{ __shared__ double r; double s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) { s += wide_parts[i]; }\n"
    "  block_sum(s, &r); if (threadIdx.x == 0) { *c = r; } }\n"
    "__device__ unsigned long long best[4096];\n" // positive floats are ordered as their bits
    "__device__ void block_min(unsigned long long s, unsigned long long *to)\n"
    "{ __shared__ unsigned long long warps[32];\n"
    "  for (int d = 16; d > 0; d /= 2) { s = min(s, __shfl_down_sync(~0u, s, d)); }\n"
    "  if (threadIdx.x % 32 == 0) { warps[threadIdx.x / 32] = s; } __syncthreads();\n"
    "  if (threadIdx.x < 32) { s = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : ~0ull;\n"
    "  for (int d = 16; d > 0; d /= 2) { s = min(s, __shfl_down_sync(~0u, s, d)); }\n"
    "  if (threadIdx.x == 0) { *to = s; } } }\n"
    "extern \"C\" __global__ void argmin(int n, const float *a, const float *b, float *c)\n"
    "{ float s = a[0]; int k = 0; for (int i = HERE; i < n; i += gridDim.x * blockDim.x) {\n"
    "  float x = a[i]; if (x < s) { s = x; k = i; } }\n"
    "  block_min((unsigned long long)__float_as_uint(s) << 32 | (unsigned)k, &best[blockIdx.x]); }\n"
    "extern \"C\" __global__ void argmin_end(int n, const float *a, const float *b, float *c)\n"
    "{ __shared__ unsigned long long r; unsigned long long s = ~0ull;\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) { s = min(s, best[i]); } block_min(s, &r);\n"
    "  if (threadIdx.x == 0) { c[0] = __uint_as_float(r >> 32); c[1] = (float)(int)r; } }\n";

// As CUDA's own examples write them: one thread an element, and reductions by shuffles and shared memory.
static const char by_hand[] =
    "#define HERE (blockIdx.x * blockDim.x + threadIdx.x)\n"
    "extern \"C\" __global__ void triad(int n, const float *a, const float *b, float *c)\n"
    "{ int i = HERE; if (i < n) { c[i] = a[i] + 0.5f * b[i]; } }\n"
    "extern \"C\" __global__ void saxpy(int n, const float *a, const float *b, float *c)\n"
    "{ int i = HERE; if (i < n) { c[i] = 0.5f * a[i] + c[i]; } }\n"
    "extern \"C\" __global__ void shift(int n, const float *a, const float *b, float *c)\n"
    "{ int i = HERE + 1; if (i < n - 1) { c[i] = a[i - 1] - 2 * a[i] + a[i + 1]; } }\n"
    "extern \"C\" __global__ void histogram(int n, const int *a, const float *b, int *c)\n"
    "{ __shared__ int bins[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) { bins[i] = 0; }\n"
    "  __syncthreads(); for (int i = HERE; i < n; i += gridDim.x * blockDim.x) { atomicAdd(&bins[a[i] & 255], 1); }\n"
    "  __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) { atomicAdd(&c[i], bins[i]); } }\n"
    "extern \"C\" __global__ void stencil(int n, const float *a, const float *b, float *c)\n"
    "{ int j = HERE + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1; long at = (long)i * n + j;\n"
    "  if (i < n - 1 && j < n - 1) { c[at] = 0.2f * (a[at] + a[at - n] + a[at + n] + a[at - 1] + a[at + 1]); } }\n"
    "extern \"C\" __global__ void matmul(int n, const float *a, const float *b, float *c)\n"
    "{ int j = HERE, i = blockIdx.y * blockDim.y + threadIdx.y; if (i < n && j < n) { float s = 0;\n"
    "  for (int k = 0; k < n; k++) { s += a[(long)i * n + k] * b[(long)k * n + j]; } c[(long)i * n + j] = s; } }\n"
    "extern \"C\" __global__ void nbody(int n, const float *a, const float *b, float *c)\n"
    "{ int i = HERE; if (i < n) { float x = 0, y = 0, z = 0; for (int j = 0; j < n; j++) {\n"
    "  float dx = a[j] - a[i], dy = a[n + j] - a[n + i], dz = a[2 * n + j] - a[2 * n + i];\n"
    "  float r = dx * dx + dy * dy + dz * dz + 0.01f; float w = 1 / (r * sqrtf(r));\n"
    "  x += w * dx; y += w * dy; z += w * dz; } c[i] = x; c[n + i] = y; c[2 * n + i] = z; } }\n";

enum shape { FLAT, REDUCED, GRID };

static const struct row {
    const char *name;
    int n;
    enum shape shape;
    double a_size; // elements
    double b_size;
    double c_size;
    double bytes; // moved by one launch; 0: it is arithmetic that counts
    double flops;
} rows[] = {
    {"triad", 1 << 27, FLAT, 1 << 27, 1 << 27, 1 << 27, 12.0 * (1 << 27), 0},
    {"saxpy", 1 << 27, FLAT, 1 << 27, 1, 1 << 27, 12.0 * (1 << 27), 0},
    {"shift", 1 << 27, FLAT, 1 << 27, 1, 1 << 27, 8.0 * (1 << 27), 0},
    {"sum", 1 << 28, REDUCED, 1 << 28, 1, 1, 4.0 * (1 << 28), 0},
    {"dot", 1 << 27, REDUCED, 1 << 27, 1 << 27, 1, 8.0 * (1 << 27), 0},
    {"argmin", 1 << 28, REDUCED, 1 << 28, 1, 2, 4.0 * (1 << 28), 0},
    {"histogram", 1 << 28, REDUCED, 1 << 28, 1, 256, 4.0 * (1 << 28), 0},
    {"stencil", 16384, GRID, 16384.0 * 16384, 1, 16384.0 * 16384, 8.0 * 16384 * 16384, 0},
    {"matmul", 2048, GRID, 2048.0 * 2048, 2048.0 * 2048, 2048.0 * 2048, 0, 2.0 * 2048 * 2048 * 2048},
    {"nbody", 1 << 16, FLAT, 3.0 * (1 << 16), 1, 3.0 * (1 << 16), 0, 20.0 * (1 << 16) * (1 << 16)},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0], BLOCK = 256, BLOCKS_AT_MOST = 132 * 16 };

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

// ---- by hand ------------------------------------------------------------------------------------------------------

struct raw {
    int (*init)(unsigned);
    int (*attribute)(int *, int, int);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*synchronize)(void);
    int (*copy)(uint64_t, uint64_t, size_t, void *);
    void *module; // NULL: no nvcc
};

static bool open_raw(struct raw *raw)
{
    static const char *const names[] = {"cuInit",          "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent", "cuModuleLoadData",     "cuModuleGetFunction",
                                        "cuLaunchKernel",  "cuCtxSynchronize",     "cuMemcpyDtoDAsync_v2"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void **slots = (void **)raw;
    for (size_t i = 0; library != NULL && i < sizeof names / sizeof names[0]; i++) {
        slots[i] = dlsym(library, names[i]);
        if (slots[i] == NULL) {
            return false;
        }
    }
    void *context;
    return library != NULL && raw->init(0) == 0 && raw->retain(&context, 0) == 0 && raw->set_current(context) == 0;
}

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    enum { LIMIT = 16 << 20 };
    char *bytes = file != NULL ? calloc(1, LIMIT) : NULL;
    size_t size = bytes != NULL ? fread(bytes, 1, LIMIT - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    if (size == 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

// By nvcc, if there is one.
static void compile_by_hand(struct raw *raw)
{
    char folder[] = "/tmp/rill-bench-XXXXXX";
    char text[128];
    char binary[128];
    char command[512];
    int major = 0;
    int minor = 0;
    if (mkdtemp(folder) == NULL || raw->attribute(&major, 75, 0) != 0 || raw->attribute(&minor, 76, 0) != 0) {
        return;
    }
    snprintf(text, sizeof text, "%s/kernels.cu", folder);
    snprintf(binary, sizeof binary, "%s/kernels.cubin", folder);
    FILE *file = fopen(text, "w");
    if (file != NULL) {
        fputs(by_hand, file);
        fputs(reductions_by_hand, file);
        fclose(file);
    }
    snprintf(command, sizeof command, "nvcc -O3 -arch=sm_%d%d -cubin -o %s %s >/dev/null 2>&1", major, minor, binary,
             text);
    if (file != NULL && system(command) == 0) {
        void *bytes = read_file(binary);
        if (bytes == NULL || raw->load(&raw->module, bytes) != 0) {
            raw->module = NULL;
        }
        free(bytes);
    }
    unlink(text);
    unlink(binary);
    rmdir(folder);
}

struct arrays {
    uint64_t a;
    uint64_t b;
    uint64_t c;
};

static int launch_by_hand(struct raw *raw, const struct row *row, const struct arrays *arrays)
{
    void *function;
    void *end = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s_end", row->name);
    if (raw->function(&function, raw->module, row->name) != 0) {
        return 1;
    }
    (void)raw->function(&end, raw->module, name);
    int n = row->n;
    void *params[] = {&n, (void *)&arrays->a, (void *)&arrays->b, (void *)&arrays->c};
    if (row->shape == GRID) {
        unsigned wide = (unsigned)(n + 31) / 32;
        unsigned high = (unsigned)(n + 7) / 8;
        return raw->launch(function, wide, high, 1, 32, 8, 1, 0, NULL, params, NULL);
    }
    unsigned blocks = (unsigned)(n + BLOCK - 1) / BLOCK;
    if (row->shape == REDUCED && blocks > BLOCKS_AT_MOST) {
        blocks = BLOCKS_AT_MOST;
    }
    int failed = raw->launch(function, blocks, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL);
    if (end != NULL) {
        int count = (int)blocks;
        params[0] = &count;
        failed |= raw->launch(end, 1, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL);
    }
    return failed;
}

static double time_by_hand(struct raw *raw, const struct row *row, const struct arrays *arrays, int rounds)
{
    double best = 1e30;
    int failed = launch_by_hand(raw, row, arrays) | raw->synchronize();
    for (int r = 0; r < 3; r++) {
        double start = now_us();
        for (int i = 0; i < rounds; i++) {
            failed |= launch_by_hand(raw, row, arrays);
        }
        failed |= raw->synchronize();
        double time = (now_us() - start) / rounds;
        best = time < best ? time : best;
    }
    return failed == 0 ? best : -1;
}

// ---- by Rill ------------------------------------------------------------------------------------------------------

struct bench {
    rill_context context;
    rill_module module;
    rill_array a;
    rill_array b;
    rill_array c;
    rill_array d; // what CUDA's kernel writes
};

static uint64_t address_of(rill_array array)
{
    void *address = NULL;
    return rill_array_address(array, &address) == RILL_OK ? (uint64_t)(uintptr_t)address : 0;
}

// By their addresses, so that one array serves whatever shape a kernel wants.
static rill_arg memory_of(rill_array array, double elements, bool is_int)
{
    const void *address = (const void *)(uintptr_t)address_of(array);
    return rill_arg_memory(RILL_ARG_PTR, is_int ? RILL_I32 : RILL_F32, address, (uint64_t)elements, sizeof(float));
}

static rill_status launch_rill(const struct bench *bench, rill_kernel kernel, const struct row *row)
{
    bool is_int = strcmp(row->name, "histogram") == 0;
    rill_arg args[] = {rill_arg_int(row->n), memory_of(bench->a, row->a_size, is_int),
                       memory_of(bench->b, row->b_size, false), memory_of(bench->c, row->c_size, is_int)};
    return rill_launch(kernel, RILL_CURRENT, (rill_args){args, 4});
}

static rill_status time_rill(const struct bench *bench, const struct row *row, int rounds, double *out_time)
{
    rill_kernel kernel;
    RILL_TRY(rill_module_kernel(bench->module, row->name, &kernel));
    for (int i = 0; i < 3; i++) {
        RILL_TRY(launch_rill(bench, kernel, row));
    }
    RILL_TRY(rill_sync(bench->context));
    *out_time = 1e30;
    for (int r = 0; r < 3; r++) {
        double start = now_us();
        for (int i = 0; i < rounds; i++) {
            RILL_TRY(launch_rill(bench, kernel, row));
        }
        RILL_TRY(rill_sync(bench->context));
        double time = (now_us() - start) / rounds;
        *out_time = time < *out_time ? time : *out_time;
    }
    return RILL_OK;
}

static rill_status make_array(rill_context context, double elements, bool is_int, bool is_filled, rill_array *out)
{
    enum { PART = 1 << 20 };
    int64_t count = (int64_t)elements;
    RILL_TRY(rill_array_create(context, is_int ? RILL_I32 : RILL_F32, RILL_SHAPE(count), out));
    if (!is_filled) {
        return RILL_OK;
    }
    size_t size = (size_t)count * sizeof(float);
    unsigned *words = malloc(size);
    if (words == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    unsigned state = 12345;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        float value = 0.5f + (float)(state >> 8) / (float)(1 << 24);
        if (is_int) {
            words[i] = state >> 8;
        } else {
            memcpy(&words[i], &value, sizeof value);
        }
    }
    rill_status status = rill_array_write(*out, RILL_CURRENT, words, size);
    free(words);
    return status;
}

static rill_status make_arrays(struct bench *bench, const struct row *row)
{
    bool is_int = strcmp(row->name, "histogram") == 0;
    RILL_TRY(make_array(bench->context, row->a_size, is_int, true, &bench->a));
    RILL_TRY(make_array(bench->context, row->b_size, false, true, &bench->b));
    RILL_TRY(make_array(bench->context, row->c_size, is_int, false, &bench->c));
    return make_array(bench->context, row->c_size, is_int, false, &bench->d);
}

// ---- both ---------------------------------------------------------------------------------------------------------

// One launch of each on zeroed arrays: the greatest difference, relative to the greatest value.
static rill_status compare(struct raw *raw, struct bench *bench, const struct row *row, struct arrays *arrays,
                           double *out_difference)
{
    rill_kernel kernel;
    size_t count = (size_t)row->c_size < 1 << 20 ? (size_t)row->c_size : 1 << 20;
    bool is_int = strcmp(row->name, "histogram") == 0;
    float *x = malloc(count * sizeof *x);
    float *y = malloc(count * sizeof *y);
    rill_status status = x == NULL || y == NULL ? RILL_ERR_OUT_OF_MEMORY : RILL_OK;
    status = status != RILL_OK ? status : rill_module_kernel(bench->module, row->name, &kernel);
    status = status != RILL_OK ? status : launch_rill(bench, kernel, row);
    status = status != RILL_OK ? status : rill_sync(bench->context);
    int failed = status != RILL_OK || launch_by_hand(raw, row, arrays) != 0 || raw->synchronize() != 0;
    status = status != RILL_OK ? status : rill_array_read(bench->c, RILL_CURRENT, x, count * sizeof *x);
    status = status != RILL_OK ? status : rill_array_read(bench->d, RILL_CURRENT, y, count * sizeof *y);
    double worst = failed ? 1 : 0;
    double largest = 1e-30;
    for (size_t i = 0; status == RILL_OK && i < count; i++) {
        int a;
        int b;
        memcpy(&a, &x[i], sizeof a);
        memcpy(&b, &y[i], sizeof b);
        double difference = is_int ? fabs((double)a - b) : fabs((double)x[i] - y[i]);
        worst = difference > worst ? difference : worst;
        double size = is_int ? fabs((double)a) : fabs((double)x[i]);
        largest = size > largest ? size : largest;
    }
    free(x);
    free(y);
    *out_difference = worst / largest;
    return status;
}

static void show(const struct row *row, double time, double by_hand_time, double difference)
{
    char speed[32];
    if (row->bytes > 0) {
        snprintf(speed, sizeof speed, "%6.2f TB/s", 1e-6 * row->bytes / time);
    } else {
        snprintf(speed, sizeof speed, "%6.1f TFLOP/s", 1e-6 * row->flops / time);
    }
    printf("  %-10s %10.1f  %-14s", row->name, time, speed);
    if (by_hand_time > 0) {
        printf(" %10.1f  %5.2fx  differ by %.1e", by_hand_time, time / by_hand_time, difference);
    } else {
        printf(" %s", by_hand_time < 0 ? "the driver failed" : "nvcc: not installed");
    }
    printf("\n");
    fflush(stdout);
}

static rill_status run_row(struct raw *raw, const struct row *row, double *out_copy)
{
    struct bench bench = {0};
    RILL_TRY(rill_open("cuda:0", NULL, &bench.context));
    RILL_TRY(rill_module_create(bench.context, source, NULL, &bench.module));
    RILL_TRY(make_arrays(&bench, row));
    struct arrays arrays = {address_of(bench.a), address_of(bench.b), address_of(bench.d)};
    double difference = 0;
    if (raw->module != NULL) {
        RILL_TRY(compare(raw, &bench, row, &arrays, &difference));
    }
    int rounds = row->bytes > 0 ? 30 : 5;
    double time;
    RILL_TRY(time_rill(&bench, row, rounds, &time));
    double hand = raw->module != NULL ? time_by_hand(raw, row, &arrays, rounds) : 0;
    show(row, time, hand, difference);
    if (*out_copy == 0 && row->a_size == row->c_size) {
        size_t size = (size_t)row->a_size * sizeof(float);
        for (int r = 0; r < 4; r++) {
            double start = now_us();
            for (int i = 0; i < rounds; i++) {
                (void)raw->copy(arrays.c, arrays.a, size, NULL);
            }
            (void)raw->synchronize();
            double speed = 2e-6 * (double)size * rounds / (now_us() - start);
            *out_copy = speed > *out_copy ? speed : *out_copy;
        }
        printf("  %-10s %10s  %6.2f TB/s\n", "(copy)", "", *out_copy);
    }
    return rill_close(bench.context);
}

int main(int argc, char **argv)
{
    static struct raw raw;
    rill_context context;
    if (rill_open("cuda:0", NULL, &context) != RILL_OK || rill_close(context) != RILL_OK || !open_raw(&raw)) {
        printf("there is no NVIDIA GPU here: %s\n", rill_message());
        return 0;
    }
    compile_by_hand(&raw);
    printf("  %-10s %10s  %-14s %10s  %6s\n", "kernel", "Rill, us", "", "nvcc, us", "ratio");
    double copy = 0;
    int failed = 0;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (argc > 1 && strcmp(argv[1], rows[i].name) != 0) {
            continue;
        }
        if (run_row(&raw, &rows[i], &copy) != RILL_OK) {
            printf("%s failed: %s\n", rows[i].name, rill_message());
            failed = 1;
        }
    }
    return failed;
}
