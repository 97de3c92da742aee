// Particles that add to the nodes of a grid, beside serial gcc -O3 and OpenMP by hand with atomics: a step of a fluid
// of material points (nine nodes a particle, there and back) and the deposit of charge of a particle-in-cell code
// (four). Everybody takes turns, the least of several is compared, and results are compared with serial C's.
//
//     build/release/bench/particles [particles of the fluid]
//
// OMP_NUM_THREADS and RILL_THREADS say how many threads the two have.
#include "rill/rill.h"
#include "tree.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9, STEPS = 4 };
enum { BY_SERIAL, BY_HAND, BY_RILL, WAYS };

typedef void fluid_function(int n, int m, int steps, float dt, float *x, float *v, float *c, float *volume,
                            float *grid_v, float *grid_m);
typedef void deposit_function(int n, int m, const float *x, const float *y, float *rho);

struct bench {
    int n; // particles
    int m; // nodes of a side
    bool is_fluid;
    float *start;    // owned: positions, 2 n
    float *arrays;   // owned: of the particles, 9 n: x v c volume
    float *grid;     // owned: 3 m m
    float *expected; // owned: 3 m m
    fluid_function *fluid[2];
    deposit_function *deposit[2];
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

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

static void find_native(struct bench *bench)
{
    void *libraries[2] = {build("", "kernels/particles.c"), build("-fopenmp", "particles/openmp/atomics.c")};
    for (int i = 0; i < 2; i++) {
        void *fluid = libraries[i] != NULL ? dlsym(libraries[i], "fluid") : NULL;
        void *deposit = libraries[i] != NULL ? dlsym(libraries[i], "deposit") : NULL;
        memcpy(&bench->fluid[i], &fluid, sizeof fluid);
        memcpy(&bench->deposit[i], &deposit, sizeof deposit);
    }
}

// A block of fluid in the middle; charges all over the grid.
static bool make_case(struct bench *bench, int n, int m, bool is_fluid)
{
    uint64_t state = 7;
    bench->n = n;
    bench->m = m;
    bench->is_fluid = is_fluid;
    bench->start = malloc(sizeof(float) * 2 * (size_t)n);
    bench->arrays = malloc(sizeof(float) * 9 * (size_t)n);
    bench->grid = malloc(sizeof(float) * 3 * (size_t)m * (size_t)m);
    bench->expected = malloc(sizeof(float) * 3 * (size_t)m * (size_t)m);
    if (bench->start == NULL || bench->arrays == NULL || bench->grid == NULL || bench->expected == NULL) {
        return false;
    }
    for (int i = 0; i < 2 * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        float drawn = (float)(uint32_t)(state >> 33) / 2147483648.0f;
        bench->start[i] = is_fluid ? 0.2f + 0.4f * drawn : drawn * (float)(m - 2) * 0.999f;
    }
    return true;
}

static void reset(struct bench *bench)
{
    size_t n = (size_t)bench->n;
    memcpy(bench->arrays, bench->start, sizeof(float) * 2 * n);
    memset(bench->arrays + 2 * n, 0, sizeof(float) * 6 * n);
    for (size_t i = 8 * n; i < 9 * n; i++) {
        bench->arrays[i] = 1;
    }
    memset(bench->grid, 0, sizeof(float) * 3 * (size_t)bench->m * (size_t)bench->m);
}

static void run_native(const struct bench *b, int way)
{
    size_t n = (size_t)b->n;
    float *x = b->arrays;
    if (b->is_fluid) {
        b->fluid[way](b->n, b->m, STEPS, 1e-4f, x, x + 2 * n, x + 4 * n, x + 8 * n, b->grid,
                      b->grid + 2 * (size_t)b->m * (size_t)b->m);
    } else {
        b->deposit[way](b->n, b->m, x, x + n, b->grid);
    }
}

static rill_status run_rill(const struct bench *b, rill_kernel kernel)
{
    size_t n = (size_t)b->n, nodes = (size_t)b->m * (size_t)b->m;
    float *x = b->arrays;
    if (b->is_fluid) {
        return rill_call(kernel, RILL_CURRENT,
                         RILL_ARGS(b->n, b->m, STEPS, 1e-4f, RILL_HOST(x, 2 * n), RILL_HOST(x + 2 * n, 2 * n),
                                   RILL_HOST(x + 4 * n, 4 * n), RILL_HOST(x + 8 * n, n), RILL_HOST(b->grid, 2 * nodes),
                                   RILL_HOST(b->grid + 2 * nodes, nodes)),
                         NULL, 0);
    }
    return rill_call(kernel, RILL_CURRENT,
                     RILL_ARGS(b->n, b->m, RILL_HOST(x, n), RILL_HOST(x + n, n), RILL_HOST(b->grid, nodes)), NULL, 0);
}

// The largest difference to serial C's grid, relative to its largest value.
static double error_of(const struct bench *bench)
{
    double most = 0, scale = 1e-30;
    for (size_t i = 0; i < 3 * (size_t)bench->m * (size_t)bench->m; i++) {
        most = fmax(most, fabs((double)bench->grid[i] - (double)bench->expected[i]));
        scale = fmax(scale, fabs((double)bench->expected[i]));
    }
    return most / scale;
}

static rill_status measure(struct bench *bench, rill_kernel kernel, const char *name)
{
    double least[WAYS] = {INFINITY, INFINITY, INFINITY};
    double error = 0;
    for (int round = -1; round < ROUNDS; round++) { // the first is to warm up
        for (int way = 0; way < WAYS; way++) {
            bool is_missing = way < BY_RILL && bench->fluid[way] == NULL;
            usleep(5000); // OpenMP's threads spin for a while
            reset(bench);
            double begin = now_ms();
            if (way < BY_RILL && !is_missing) {
                run_native(bench, way);
            } else if (way == BY_RILL) {
                RILL_TRY(run_rill(bench, kernel));
            }
            double time = now_ms() - begin;
            least[way] = round < 0 || is_missing || time > least[way] ? least[way] : time;
            if (way == BY_SERIAL) {
                memcpy(bench->expected, bench->grid, sizeof(float) * 3 * (size_t)bench->m * (size_t)bench->m);
            }
            error = fmax(error, error_of(bench));
        }
    }
    printf("%-34s%12.2f%12.2f%12.2f%9.2f%9.2f%10.0e\n", name, least[BY_SERIAL], least[BY_HAND], least[BY_RILL],
           least[BY_SERIAL] / least[BY_RILL], least[BY_HAND] / least[BY_RILL], error);
    fflush(stdout);
    free(bench->start);
    free(bench->arrays);
    free(bench->grid);
    free(bench->expected);
    return RILL_OK;
}

static rill_status measure_all(struct bench *bench, int n)
{
    static const struct {
        const char *name;
        int m;
        bool is_fluid;
        int part; // particles: this many times n
    } cases[] = {{"fluid, 128 x 128", 128, true, 1},
                 {"fluid, 512 x 512", 512, true, 1},
                 {"deposit, 256 x 256", 256, false, 10},
                 {"deposit, 1024 x 1024", 1024, false, 10}};
    char path[2048];
    rill_context context;
    rill_kernel kernels[2];
    snprintf(path, sizeof path, "%s/bench/kernels/particles.c", tree_root());
    RILL_TRY(rill_open("cpu", NULL, &context));
    RILL_TRY(rill_kernel_load(context, path, "deposit", &kernels[0]));
    RILL_TRY(rill_kernel_load(context, path, "fluid", &kernels[1]));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!make_case(bench, cases[i].part * n, cases[i].m, cases[i].is_fluid)) {
            fprintf(stderr, "no memory\n");
            return RILL_OK;
        }
        RILL_TRY(measure(bench, kernels[cases[i].is_fluid], cases[i].name));
    }
    return rill_close(context);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    if (n < 1 || n > 10000000) {
        fprintf(stderr, "not a number of particles\n");
        return 1;
    }
    find_native(&bench);
    printf("fluid: %d particles, %d steps; deposit: %d; milliseconds, the least of %d\n", n, STEPS, 10 * n, ROUNDS);
    printf("%-34s%12s%12s%12s%9s%9s%10s\n", "", "gcc serial", "OpenMP", "rill", "x gcc", "x OpenMP", "error");
    if (measure_all(&bench, n) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    return 0;
}
