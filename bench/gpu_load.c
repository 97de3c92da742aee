// From text to runnable on an NVIDIA GPU, by the number of statements: Rill's compile with the driver's, the same text
// again (the driver's part is kept and loaded as a binary), and beside it NVRTC with the driver's compile and nvcc,
// where they are installed. Then control over device data: what a round of `while (flag[0] > 0)` takes where the device
// decides, and where the launch waits for each condition.
//
//     build/release/bench/gpu_load
#include "rill/rill.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int stop(const char *what)
{
    fprintf(stderr, "gpu_load: %s: %s\n", what, rill_message());
    return 1;
}

// One loop of |count| statements; as C for Rill, or as CUDA.
static char *make_text(int count, bool is_cuda, int variant)
{
    size_t size = (size_t)count * 64 + 1000;
    char *text = malloc(size);
    size_t at = (size_t)snprintf(
        text, size, "%s",
        is_cuda
            ? "extern \"C\" __global__ void k(int n, const float *c, float *a)\n{\n    int i = blockIdx.x * "
              "blockDim.x + threadIdx.x;\n    if (i < n) {\n        float t = c[i];\n"
            : "#include <rill/kernel.h>\nkernel void k(int n, const float c[n], float a[n])\n{\n    for (int i = 0; "
              "i < n; i++) {\n        float t = c[i];\n");
    for (int i = 0; i < count; i++) {
        at += (size_t)snprintf(text + at, size - at, "        t = t * %d.5f + c[i] / (t + %d.0f);\n", i % 9 + variant,
                               i + 3);
    }
    snprintf(text + at, size - at, "        a[i] = t;\n    }\n}\n");
    return text;
}

// ---- Rill ---------------------------------------------------------------------------------------------------------

static rill_status load(rill_context context, const char *text, double *out_ms)
{
    rill_module module;
    rill_kernel kernel;
    double start = now_ms();
    RILL_TRY(rill_module_create(context, text, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "k", &kernel));
    *out_ms = now_ms() - start;
    return rill_module_destroy(module);
}

static rill_status time_rill(rill_context context, int count, double *out_first, double *out_again)
{
    *out_first = 1e30;
    *out_again = 1e30;
    for (int round = 0; round < 3; round++) {
        char *text = make_text(count, false, round + (int)getpid() % 1000); // that no cache of the driver's knows
        double first;
        double again;
        rill_status status = load(context, text, &first);
        status = status == RILL_OK ? load(context, text, &again) : status;
        free(text);
        RILL_TRY(status);
        *out_first = first < *out_first ? first : *out_first;
        *out_again = again < *out_again ? again : *out_again;
    }
    return RILL_OK;
}

// ---- NVRTC and nvcc -----------------------------------------------------------------------------------------------

static struct {
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*size)(void *, size_t *);
    int (*ptx)(void *, char *);
    int (*destroy)(void **);
    int (*load)(void **, const void *);
    int (*unload)(void *);
    int (*retain)(void **, int);
    int (*set_current)(void *);
} cuda;

static bool open_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW);
    }
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL || driver == NULL) {
        return false;
    }
    *(void **)&cuda.create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&cuda.compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&cuda.size = dlsym(library, "nvrtcGetPTXSize");
    *(void **)&cuda.ptx = dlsym(library, "nvrtcGetPTX");
    *(void **)&cuda.destroy = dlsym(library, "nvrtcDestroyProgram");
    *(void **)&cuda.load = dlsym(driver, "cuModuleLoadData");
    *(void **)&cuda.unload = dlsym(driver, "cuModuleUnload");
    *(void **)&cuda.retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&cuda.set_current = dlsym(driver, "cuCtxSetCurrent");
    void *context;
    return cuda.create != NULL && cuda.compile != NULL && cuda.size != NULL && cuda.ptx != NULL &&
           cuda.destroy != NULL && cuda.load != NULL && cuda.unload != NULL && cuda.retain != NULL &&
           cuda.set_current != NULL && cuda.retain(&context, 0) == 0 && cuda.set_current(context) == 0;
}

// Milliseconds; 0: it did not work.
static double time_nvrtc(int count, double *out_driver)
{
    char *text = make_text(count, true, 1 + (int)getpid() % 1000);
    static const char *const options[] = {"--gpu-architecture=compute_90"};
    void *program = NULL;
    double start = now_ms();
    size_t size = 0;
    bool is_good = cuda.create(&program, text, "k.cu", 0, NULL, NULL) == 0 && cuda.compile(program, 1, options) == 0 &&
                   cuda.size(program, &size) == 0;
    char *ptx = malloc(size + 1);
    is_good = is_good && cuda.ptx(program, ptx) == 0;
    double compiled = now_ms();
    void *module = NULL;
    is_good = is_good && cuda.load(&module, ptx) == 0;
    double end = now_ms();
    if (is_good) {
        cuda.unload(module);
    }
    if (program != NULL) {
        cuda.destroy(&program);
    }
    free(ptx);
    free(text);
    *out_driver = is_good ? end - compiled : 0;
    return is_good ? compiled - start : 0;
}

static double time_nvcc(int count)
{
    char name[] = "/tmp/rill-bench-XXXXXX.cu";
    int file = mkstemps(name, 3);
    char *text = make_text(count, true, 1);
    char command[256];
    bool is_good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    snprintf(command, sizeof command, "nvcc -O3 -arch=sm_90 -cubin -o /dev/null %s > /dev/null 2>&1", name);
    double start = now_ms();
    is_good = is_good && system(command) == 0;
    double end = now_ms();
    if (file >= 0) {
        close(file);
        unlink(name);
    }
    free(text);
    return is_good ? end - start : 0;
}

static void show(double time)
{
    if (time > 0) {
        printf(" %10.1f", time);
    } else {
        printf(" %10s", "-");
    }
}

static int compare_loads(rill_context context)
{
    bool has_nvrtc = open_nvrtc();
    printf("ms from text to runnable\n%10s %10s %10s %10s %10s %10s\n", "statements", "rill", "again", "NVRTC",
           "+ driver", "nvcc");
    static const int counts[] = {20, 200, 500};
    for (int i = 0; i < 3; i++) {
        double first;
        double again;
        if (time_rill(context, counts[i], &first, &again) != RILL_OK) {
            return stop("load");
        }
        double driver = 0;
        double nvrtc = has_nvrtc ? time_nvrtc(counts[i], &driver) : 0;
        printf("%10d", counts[i]);
        show(first);
        show(again);
        show(nvrtc);
        show(driver > 0 ? nvrtc + driver : 0);
        show(time_nvcc(counts[i]));
        printf("\n");
    }
    return 0;
}

// ---- control ------------------------------------------------------------------------------------------------------

static const char control_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void repeat(int n, int flag[1], float x[n])\n"
    "{ while (flag[0] > 0) { for (int i = 0; i < n; i++) { x[i] = x[i] * 0.5f + 1; } flag[0]--; } }\n";

// Microseconds of one round, and of the call.
static rill_status time_control(const char *mode, int rounds, double *out_round, double *out_call)
{
    enum { N = 100000 };
    setenv("RILL_GRAPH", mode, 1);
    rill_context context;
    rill_module module;
    rill_kernel repeat;
    rill_array flag;
    rill_array x;
    RILL_TRY(rill_open("cuda:0", NULL, &context));
    RILL_TRY(rill_module_create(context, control_source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "repeat", &repeat));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(1), &flag));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(N), &x));
    *out_round = 1e30;
    *out_call = 1e30;
    for (int i = 0; i < 5; i++) {
        RILL_TRY(rill_array_write(flag, RILL_CURRENT, &rounds, sizeof rounds));
        RILL_TRY(rill_sync(context));
        double start = now_ms();
        RILL_TRY(rill_launch(repeat, RILL_CURRENT, RILL_ARGS(N, flag, x)));
        double called = now_ms();
        RILL_TRY(rill_sync(context));
        double round = (now_ms() - start) * 1e3 / rounds;
        *out_round = round < *out_round ? round : *out_round;
        *out_call = (called - start) * 1e3 < *out_call ? (called - start) * 1e3 : *out_call;
    }
    return rill_close(context);
}

int main(void)
{
    rill_context context;
    if (rill_open("cuda:0", &(rill_open_options){.cache = "off"}, &context) != RILL_OK) {
        return stop("rill_open");
    }
    int result = compare_loads(context);
    if (rill_close(context) != RILL_OK || result != 0) {
        return result != 0 ? result : stop("rill_close");
    }
    printf("while over device data, 1000 rounds of one loop: us of a round, us until the call returns\n");
    static const char *const modes[] = {"auto", "off"};
    for (int i = 0; i < 2; i++) {
        double round;
        double call;
        if (time_control(modes[i], 1000, &round, &call) != RILL_OK) {
            return stop("control");
        }
        printf("  %-28s %8.2f %10.1f\n", i == 0 ? "decided on the device" : "read back", round, call);
    }
    return 0;
}
