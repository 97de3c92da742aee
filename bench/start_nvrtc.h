// The kernels of bench/start as somebody writes them in CUDA C++, one thread an element, and their start by NVRTC and
// the driver: compile to PTX, load. The driver keeps what it makes of PTX in a cache of its own (CUDA_CACHE_PATH).
#ifndef RILL_BENCH_START_NVRTC_H
#define RILL_BENCH_START_NVRTC_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVRTC_AT "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;"

static const char *const nvrtc_sources[] = {
    "scale(int n, float a, float *x) {" NVRTC_AT " if (i < n) x[i] *= a; }",
    "axpy(int n, float a, const float *x, float *y) {" NVRTC_AT " if (i < n) y[i] += a * x[i]; }",
    "triad(int n, double s, double *a, const double *b, const double *c) {" NVRTC_AT " if (i < n) a[i] = b[i] + s * "
    "c[i]; }",
    "dot(int n, const double *x, const double *y, double *out) {" NVRTC_AT
    " __shared__ double part[256]; double s = 0;\n"
    "for (; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i]; part[threadIdx.x] = s; __syncthreads();\n"
    "for (int k = 128; k > 0; k /= 2) { if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k]; "
    "__syncthreads(); }\n"
    "if (threadIdx.x == 0) atomicAdd(out, part[0]); }",
    "largest(int n, const float *x, float *out) {" NVRTC_AT " __shared__ float part[256]; float s = x[0];\n"
    "for (; i < n; i += gridDim.x * blockDim.x) s = x[i] > s ? x[i] : s; part[threadIdx.x] = s; __syncthreads();\n"
    "for (int k = 128; k > 0; k /= 2) { if (threadIdx.x < k && part[threadIdx.x + k] > part[threadIdx.x])\n"
    "part[threadIdx.x] = part[threadIdx.x + k]; __syncthreads(); } if (threadIdx.x == 0) out[blockIdx.x] = part[0]; }",
    "histogram(int n, const unsigned char *x, int *bins) {" NVRTC_AT " if (i < n) atomicAdd(&bins[x[i]], 1); }",
    "gather(int n, const int *at, const float *x, float *y) {" NVRTC_AT " if (i < n) y[i] = x[at[i]]; }",
    "transpose(int n, int m, const float *a, float *b) {" NVRTC_AT
    " if (i < m && j < n) b[i * n + j] = a[j * m + i]; }",
    "matvec(int n, int m, const float *a, const float *x, float *y) {" NVRTC_AT
    " if (i < n) { float s = 0; for (int k = 0; k < m; k++) s += a[i * m + k] * x[k]; y[i] = s; } }",
    "matmul(int n, const float *a, const float *b, float *c) {" NVRTC_AT
    " if (i < n && j < n) { float s = 0; for (int k = 0; k < n; k++) s += a[j * n + k] * b[k * n + i]; c[j * n + i] = "
    "s; } }",
    "jacobi(int n, const double *a, double *b) {" NVRTC_AT " if (i > 0 && j > 0 && i < n - 1 && j < n - 1)\n"
    "b[j * n + i] = 0.25 * (a[(j - 1) * n + i] + a[(j + 1) * n + i] + a[j * n + i - 1] + a[j * n + i + 1]); }",
    "heat(int n, const float *a, float *b) {" NVRTC_AT
    " if (i > 0 && i < n - 1) b[i] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]); }",
    "gray(int n, const unsigned char *rgb, unsigned char *out) {" NVRTC_AT
    " if (i < n) out[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8; }",
    "threshold(int n, int limit, unsigned char *x) {" NVRTC_AT " if (i < n) x[i] = x[i] > limit ? 255 : 0; }",
    "blur(int h, int w, const float *a, float *b) {" NVRTC_AT
    " if (i > 0 && j > 0 && i < w - 1 && j < h - 1) { float s = 0;\n"
    "for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) s += a[(j + y) * w + i + x]; b[j * w + i] = s / 9; } "
    "}",
    "mandelbrot(int h, int w, int *out) {" NVRTC_AT
    " if (i < w && j < h) { float cr = 3.0f * i / w - 2, ci = 2.0f * j / h - 1, r = 0, m = 0; int n = 0;\n"
    "for (; n < 100 && r * r + m * m < 4; n++) { float t = r * r - m * m + cr; m = 2 * r * m + ci; r = t; } out[j * w "
    "+ "
    "i] = n; } }",
    "forces(int n, const float *p, float *f) {" NVRTC_AT " if (i < n) { float fx = 0, fy = 0, fz = 0;\n"
    "for (int k = 0; k < n; k++) { float x = p[3 * k] - p[3 * i], y = p[3 * k + 1] - p[3 * i + 1], z = p[3 * k + 2] - "
    "p[3 * "
    "i + 2];\n"
    "float d = 1 / sqrtf(x * x + y * y + z * z + 1e-6f), q = d * d * d; fx += q * x; fy += q * y; fz += q * z; }\n"
    "f[3 * i] = fx; f[3 * i + 1] = fy; f[3 * i + 2] = fz; } }",
    "softmax(int n, int m, float *x) {" NVRTC_AT " if (i < n) { float *row = x + i * m, top = row[0], s = 0;\n"
    "for (int k = 1; k < m; k++) top = fmaxf(top, row[k]); for (int k = 0; k < m; k++) { row[k] = expf(row[k] - top); "
    "s += "
    "row[k]; }\n"
    "for (int k = 0; k < m; k++) row[k] /= s; } }",
    "spmv(int n, const int *row, const int *col, const double *a, const double *x, double *y) {" NVRTC_AT
    " if (i < n) { double s = 0; for (int k = row[i]; k < row[i + 1]; k++) s += a[k] * x[col[k]]; y[i] = s; } }",
    "collatz(int n, int *steps) {" NVRTC_AT " if (i < n) { long v = i + 1; int s = 0;\n"
    "while (v != 1 && s < 1000) { v = v % 2 ? 3 * v + 1 : v / 2; s++; } steps[i] = s; } }",
};

// X(member, symbol, parameters)
#define NVRTC_LIST(X)                                                                                                  \
    X(create, "nvrtcCreateProgram",                                                                                    \
      (void **, const char *, const char *, int, const char *const *, const char *const *))                            \
    X(compile, "nvrtcCompileProgram", (void *, int, const char *const *))                                              \
    X(size, "nvrtcGetPTXSize", (void *, size_t *))                                                                     \
    X(ptx, "nvrtcGetPTX", (void *, char *))                                                                            \
    X(destroy, "nvrtcDestroyProgram", (void **))
#define NVRTC_DRIVER_LIST(X)                                                                                           \
    X(init, "cuInit", (unsigned))                                                                                      \
    X(attribute, "cuDeviceGetAttribute", (int *, int, int))                                                            \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                                              \
    X(set_current, "cuCtxSetCurrent", (void *))                                                                        \
    X(load, "cuModuleLoadData", (void **, const void *))                                                               \
    X(function, "cuModuleGetFunction", (void **, void *, const char *))

struct nvrtc {
#define NVRTC_MEMBER(member, symbol, parameters) int(*member) parameters;
    NVRTC_LIST(NVRTC_MEMBER)
    NVRTC_DRIVER_LIST(NVRTC_MEMBER)
#undef NVRTC_MEMBER
    char target[64];
};

static inline int nvrtc_find(void *library, const char *symbol, void *out_function)
{
    void *found = library != NULL ? dlsym(library, symbol) : NULL;
    memcpy(out_function, &found, sizeof found);
    return found != NULL;
}

static inline void *nvrtc_library(void)
{
    static const char *const names[] = {"libnvrtc.so",
                                        "libnvrtc.so.13",
                                        "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so.13",
                                        "/usr/local/cuda/lib64/libnvrtc.so.12"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

// 0: both libraries, and the device's context, are there.
static inline int nvrtc_open(struct nvrtc *nvrtc)
{
    void *library = nvrtc_library(), *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int has_all = 1, major = 0, minor = 0;
#define NVRTC_FIND(member, symbol, parameters) has_all &= nvrtc_find(library, symbol, &nvrtc->member);
    NVRTC_LIST(NVRTC_FIND)
#undef NVRTC_FIND
#define NVRTC_FIND(member, symbol, parameters) has_all &= nvrtc_find(driver, symbol, &nvrtc->member);
    NVRTC_DRIVER_LIST(NVRTC_FIND)
#undef NVRTC_FIND
    enum { MAJOR = 75, MINOR = 76 }; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
    if (!has_all || nvrtc->init(0) != 0 || nvrtc->attribute(&major, MAJOR, 0) != 0 ||
        nvrtc->attribute(&minor, MINOR, 0) != 0 || nvrtc->retain(&context, 0) != 0 ||
        nvrtc->set_current(context) != 0) {
        return 1;
    }
    snprintf(nvrtc->target, sizeof nvrtc->target, "--gpu-architecture=compute_%d%d", major, minor);
    return 0;
}

// From text to a function that can be launched.
static inline int nvrtc_load(const struct nvrtc *nvrtc, const char *source)
{
    char text[2048], name[64];
    void *program, *module, *function;
    size_t size = 0, length = strcspn(source, "(");
    snprintf(name, sizeof name, "%.*s", (int)length, source);
    snprintf(text, sizeof text, "extern \"C\" __global__ void %s\n", source);
    const char *options[] = {nvrtc->target};
    if (nvrtc->create(&program, text, "start.cu", 0, NULL, NULL) != 0 || nvrtc->compile(program, 1, options) != 0 ||
        nvrtc->size(program, &size) != 0) {
        return 1;
    }
    char *ptx = malloc(size);
    int result = ptx == NULL || nvrtc->ptx(program, ptx) != 0 || nvrtc->load(&module, ptx) != 0 ||
                 nvrtc->function(&function, module, name) != 0;
    free(ptx);
    return nvrtc->destroy(&program) != 0 || result;
}

#endif
