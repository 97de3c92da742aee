// Math functions of floats on an NVIDIA GPU, beside the same loops built by nvcc (without fast math) where it is
// installed: calls per nanosecond, with everything in registers so that arithmetic is all there is.
//
//     build/release/bench/gpu_math [rounds]
//
// Eight calls a round for each element, on arguments that lie apart. The bits of the results are combined by an
// exclusive or, which no compiler can make part of a function's last step. That says nothing of whether they are right:
// each function's results for the first round are added up as well, and the sums of the two compared.
#include "rill/rill.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 20, CALLS = 8, BLOCK = 256, TRIES = 7 };

// X(name, call, lower and upper end of the arguments). The second argument of pow goes the other way.
#define CASE_LIST(X)                                                                                                   \
    X("sin", "sinf(v)", -50, 50)                                                                                       \
    X("cos", "cosf(v)", -50, 50)                                                                                       \
    X("sin and cos", "(sinf(v) + cosf(v))", -50, 50)                                                                   \
    X("tan", "tanf(v)", -50, 50)                                                                                       \
    X("exp", "expf(v)", -20, 20)                                                                                       \
    X("exp2", "exp2f(v)", -20, 20)                                                                                     \
    X("log", "logf(v)", 0.01, 100)                                                                                     \
    X("log2", "log2f(v)", 0.01, 100)                                                                                   \
    X("log10", "log10f(v)", 0.01, 100)                                                                                 \
    X("pow", "powf(v, 3.0f - v)", 0.01, 10)                                                                            \
    X("tanh", "tanhf(v)", -4, 4)

static const struct {
    const char *name;
    const char *call;
    double low, high;
} cases[] = {
#define CASE_ROW(name, call, low, high) {name, call, low, high},
    CASE_LIST(CASE_ROW)
#undef CASE_ROW
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// What both compilers read. LOOP is the loop over elements.
static const char body[] = "union both { float number; unsigned bits; };\n"
                           "#define CALL(c) v = a + (c) * d; r.number = F(v); s ^= r.bits\n"
                           "#define KERNEL(name) \\\n"
                           "  ENTRY void name(int n, int rounds, float d, float step, const float *x, float *y) \\\n"
                           "  { LOOP { \\\n"
                           "    float a = x[i]; float v = a; unsigned s = 0; union both r; float first = F(v); \\\n"
                           "    for (int k = 0; k < rounds; k++) { \\\n"
                           "      CALL(0.0f); CALL(1.0f); CALL(2.0f); CALL(3.0f); \\\n"
                           "      CALL(4.0f); CALL(5.0f); CALL(6.0f); CALL(7.0f); a += step; } \\\n"
                           "    y[i] = s == 12345u ? 0 : first; } }\n";
static const char rill_head[] = "#include <rill/kernel.h>\n#include <math.h>\n#define ENTRY kernel\n"
                                "#define LOOP for (int i = 0; i < n; i++)\n";
static const char cuda_head[] = "#define ENTRY extern \"C\" __global__\n"
                                "#define LOOP int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)\n";

// The kernels k0, k1 ... in |text|.
static void write_source(const char *head, char *text, size_t size)
{
    int used = snprintf(text, size, "%s%s", head, body);
    for (int i = 0; i < CASE_COUNT; i++) {
        used +=
            snprintf(text + used, size - (size_t)used, "#undef F\n#define F(v) %s\nKERNEL(k%d)\n", cases[i].call, i);
    }
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct bench {
    rill_context context;
    rill_module module;
    rill_array x;
    rill_array y;
    void *x_address;
    void *y_address;
    int rounds;
    float *host;
};

static float spread_of(int i)
{
    return (float)((cases[i].high - cases[i].low) * 1e-3);
}

static rill_status fill(struct bench *bench, int which)
{
    double range = cases[which].high - cases[which].low;
    for (int i = 0; i < N; i++) {
        unsigned scattered = (unsigned)i * 2654435761u;
        bench->host[i] = (float)(cases[which].low + range * 0.9 * (scattered / 4294967296.0));
    }
    return rill_array_write(bench->x, RILL_CURRENT, bench->host, N * sizeof(float));
}

static rill_status sum_of(struct bench *bench, double *out_sum)
{
    RILL_TRY(rill_array_read(bench->y, RILL_CURRENT, bench->host, N * sizeof(float)));
    *out_sum = 0;
    for (int i = 0; i < N; i++) {
        *out_sum += fabs((double)bench->host[i]);
    }
    return RILL_OK;
}

static rill_status run_rill(struct bench *bench, int which, double *out_rate)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", which);
    rill_kernel kernel;
    RILL_TRY(rill_module_kernel(bench->module, name, &kernel));
    double best = 1e30;
    float d = spread_of(which);
    for (int i = 0; i < TRIES; i++) {
        double start = now_ns();
        RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(N, bench->rounds, d, d / 16, bench->x, bench->y)));
        RILL_TRY(rill_sync(bench->context));
        double time = now_ns() - start;
        best = time < best ? time : best;
    }
    *out_rate = (double)N * CALLS * bench->rounds / best;
    return RILL_OK;
}

// ---- nvcc's ---------------------------------------------------------------------------------------------------------

struct peer {
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*synchronize)(void);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    void *module;
};

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        bytes = size > 0 ? malloc((size_t)size) : NULL;
        if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

// The kernels compiled by nvcc for this device, or NULL.
static char *compile_with_nvcc(void)
{
    char folder[] = "/tmp/rill-bench-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        return NULL;
    }
    static char text[16384];
    write_source(cuda_head, text, sizeof text);
    char source[64];
    char binary[64];
    char command[256];
    snprintf(source, sizeof source, "%s/math.cu", folder);
    snprintf(binary, sizeof binary, "%s/math.cubin", folder);
    FILE *file = fopen(source, "w");
    char *bytes = NULL;
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
        snprintf(command, sizeof command, "nvcc -O3 -arch=native -cubin -o %s %s 2>%s.log", binary, source, binary);
        bytes = system(command) == 0 ? read_all(binary) : NULL;
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
    return bytes;
}

static bool open_peer(struct peer *peer)
{
    static const char *const names[] = {"cuModuleLoadData", "cuModuleGetFunction",      "cuLaunchKernel",
                                        "cuCtxSynchronize", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void **slots = (void **)peer;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        slots[i] = library != NULL ? dlsym(library, names[i]) : NULL;
        if (slots[i] == NULL) {
            return false;
        }
    }
    void *context;
    char *bytes = compile_with_nvcc();
    bool good = bytes != NULL && peer->retain(&context, 0) == 0 && peer->set_current(context) == 0 &&
                peer->load(&peer->module, bytes) == 0;
    free(bytes);
    return good;
}

static bool run_peer(struct peer *peer, struct bench *bench, int which, double *out_rate)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", which);
    void *kernel;
    if (peer->function(&kernel, peer->module, name) != 0) {
        return false;
    }
    int n = N;
    float d = spread_of(which);
    float step = d / 16;
    void *params[] = {&n, &bench->rounds, &d, &step, &bench->x_address, &bench->y_address};
    double best = 1e30;
    for (int i = 0; i < TRIES; i++) {
        double start = now_ns();
        if (peer->launch(kernel, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL) != 0 ||
            peer->synchronize() != 0) {
            return false;
        }
        double time = now_ns() - start;
        best = time < best ? time : best;
    }
    *out_rate = (double)N * CALLS * bench->rounds / best;
    return true;
}

// ---- the table
// --------------------------------------------------------------------------------------------------------

static rill_status run_all(struct bench *bench, struct peer *peer)
{
    printf("calls per ns        Rill     nvcc    ratio\n");
    for (int i = 0; i < CASE_COUNT; i++) {
        double rate;
        double sum;
        RILL_TRY(fill(bench, i));
        RILL_TRY(run_rill(bench, i, &rate));
        RILL_TRY(sum_of(bench, &sum));
        printf("  %-12s  %8.1f", cases[i].name, rate);
        double peer_rate;
        double peer_sum;
        if (peer != NULL && run_peer(peer, bench, i, &peer_rate)) {
            RILL_TRY(sum_of(bench, &peer_sum));
            bool agrees = fabs(sum - peer_sum) <= 1e-3 * fabs(peer_sum);
            printf(" %8.1f   %5.2fx%s", peer_rate, rate / peer_rate, agrees ? "" : "   (the results differ)");
        }
        printf("\n");
    }
    return RILL_OK;
}

static rill_status open_bench(struct bench *bench)
{
    static char text[16384];
    write_source(rill_head, text, sizeof text);
    RILL_TRY(rill_module_create(bench->context, text, NULL, &bench->module));
    RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(N), &bench->x));
    RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(N), &bench->y));
    RILL_TRY(rill_array_address(bench->x, &bench->x_address));
    return rill_array_address(bench->y, &bench->y_address);
}

int main(int argc, char **argv)
{
    struct bench bench = {.rounds = argc > 1 ? atoi(argv[1]) : 256, .host = malloc(N * sizeof(float))};
    if (bench.host == NULL || rill_open("cuda:0", NULL, &bench.context) != RILL_OK) {
        printf("there is no NVIDIA GPU here: %s\n", rill_message());
        free(bench.host);
        return 0;
    }
    struct peer peer = {0};
    bool has_peer = open_peer(&peer);
    if (!has_peer) {
        printf("nvcc is not here, or could not compile for this device\n");
    }
    rill_status status = open_bench(&bench);
    if (status == RILL_OK) {
        status = run_all(&bench, has_peer ? &peer : NULL);
    }
    if (status != RILL_OK) {
        printf("failed: %s\n", rill_message());
    }
    if (rill_close(bench.context) != RILL_OK) {
        printf("failed: %s\n", rill_message());
    }
    free(bench.host);
    return status == RILL_OK ? 0 : 1;
}
