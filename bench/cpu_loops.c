// Short parallel loops: what sharing a loop costs. One static loop over so many floats that serial code takes 5 to
// 1,000 microseconds, beside the same loop with `#pragma omp parallel for`, built by gcc and by clang while this runs.
// Builds take turns; minima and medians are printed. The host pauses between two calls: not at all, for a moment in
// which every runtime's threads are still awake, and for so long that Rill's sleep.
//
//     make bench                          or      build/release/bench/cpu_loops [rounds]
#include "rill/rill.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUILDS = 4, CALLS = 20, MAX_ROUNDS = 200, MAX_N = 1 << 24 };

static const char text[] = "void f(int n, const float a[n], const float b[n], float c[n])\n"
                           "{\n"
                           "PRAGMA\n"
                           "    for (int i = 0; i < n; i++) { c[i] = a[i] + 3 * b[i]; }\n"
                           "}\n";

typedef void native(int n, const float *a, const float *b, float *c);

struct build {
    const char *name;
    const char *command; // NULL: Rill
    const char *flags;
    unsigned rest;    // microseconds in which its threads come to rest after its turn
    native *function; // NULL: left out
};

static struct build builds[BUILDS] = {
    {.name = "rill", .rest = 3000},
    {.name = "gcc omp", .command = "gcc", .flags = "-fopenmp '-DPRAGMA=_Pragma(\"omp parallel for\")'", .rest = 20000},
    {.name = "clang omp",
     .command = "clang-22",
     .flags = "-fopenmp '-DPRAGMA=_Pragma(\"omp parallel for\")'",
     .rest = 250000},
    {.name = "serial", .command = "gcc", .flags = "-DPRAGMA="},
};

static rill_context context;
static rill_kernel kernel;
static float *a;
static float *b;
static float *c;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int by_value(const void *left, const void *right)
{
    double x = *(const double *)left;
    double y = *(const double *)right;
    return (x > y) - (x < y);
}

static native *build_native(const struct build *build, const char *dir)
{
    char source[128];
    char object[128];
    char command[1024];
    snprintf(source, sizeof source, "%s/f.c", dir);
    snprintf(object, sizeof object, "%s/%d.so", dir, (int)(build - builds));
    FILE *file = fopen(source, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        return NULL;
    }
    snprintf(command, sizeof command, "%s -O3 -march=native -shared -fPIC %s -o %s %s 2>/dev/null", build->command,
             build->flags, object, source);
    void *library = system(command) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library != NULL ? dlsym(library, "f") : NULL;
    native *function = NULL;
    memcpy(&function, &symbol, sizeof symbol);
    return function;
}

static double call_once(const struct build *build, int n)
{
    double start = now();
    if (build->command != NULL) {
        build->function(n, a, b, c);
    } else if (rill_call(kernel, rill_default_stream(context),
                         RILL_ARGS(n, RILL_HOST(a, n), RILL_HOST(b, n), RILL_HOST(c, n)), NULL, 0) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        exit(1);
    }
    return now() - start;
}

// How many elements serial code does in |wanted| microseconds.
static int find_n(double wanted)
{
    const struct build *serial = &builds[BUILDS - 1];
    int n = 4096;
    for (;;) {
        double best = INFINITY;
        for (int i = 0; i < 20; i++) {
            best = fmin(best, call_once(serial, n));
        }
        if (best >= wanted || n > MAX_N / 2) {
            return best > wanted ? (int)((double)n * wanted / best) : n;
        }
        n = best < wanted / 2 ? 2 * n : (int)((double)n * fmax(1.02, fmin(1.5, wanted / best)));
    }
}

static void pause_for(double microseconds)
{
    double end = now() + microseconds;
    while (now() < end) {
    }
}

// The first calls of each turn wake the build's threads and are not counted. Threads of the build before come to rest
// in a pause.
static void measure(int n, double pause, int rounds, double minima[BUILDS], double medians[BUILDS])
{
    static double times[BUILDS][MAX_ROUNDS * CALLS];
    int counts[BUILDS] = {0};
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < BUILDS; i++) {
            if (builds[i].command != NULL && builds[i].function == NULL) {
                continue;
            }
            for (int call = -3; call < CALLS; call++) {
                pause_for(pause);
                double time = call_once(&builds[i], n);
                if (call >= 0) {
                    times[i][counts[i]++] = time;
                }
            }
            usleep(builds[i].rest);
        }
    }
    for (int i = 0; i < BUILDS; i++) {
        qsort(times[i], (size_t)counts[i], sizeof(double), by_value);
        minima[i] = counts[i] > 0 ? times[i][0] : (double)NAN;
        medians[i] = counts[i] > 0 ? times[i][counts[i] / 2] : (double)NAN;
    }
}

static bool open_all(const char *dir)
{
    static const char head[] = "#include <rill/kernel.h>\n#define PRAGMA\nkernel ";
    char source[sizeof head + sizeof text];
    snprintf(source, sizeof source, "%s%s", head, text);
    rill_module module;
    if (rill_open("cpu", NULL, &context) != RILL_OK || rill_module_create(context, source, NULL, &module) != RILL_OK ||
        rill_module_kernel(module, "f", &kernel) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return false;
    }
    for (int i = 1; i < BUILDS; i++) {
        builds[i].function = build_native(&builds[i], dir);
    }
    float **arrays[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        *arrays[i] = aligned_alloc(64, MAX_N * sizeof(float));
        if (*arrays[i] == NULL) {
            return false;
        }
        memset(*arrays[i], 0, MAX_N * sizeof(float));
    }
    if (builds[BUILDS - 1].function == NULL) {
        fprintf(stderr, "gcc is needed for the serial build\n");
        return false;
    }
    return true;
}

static void print_all(int rounds)
{
    static const double lengths[] = {5, 20, 70, 200, 1000};
    static const double pauses[] = {0, 100, 1000};
    printf("microseconds, minimum / median of %d calls, builds in turn\n%-24s%9s", rounds * CALLS, "serial, pause",
           "floats");
    for (int i = 0; i < BUILDS; i++) {
        printf("%18s", builds[i].name);
    }
    putchar('\n');
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int n = find_n(lengths[l]);
        for (size_t p = 0; p < sizeof pauses / sizeof *pauses; p++) {
            double minima[BUILDS];
            double medians[BUILDS];
            measure(n, pauses[p], rounds, minima, medians);
            printf("%6.0f, %6.0f            %9d", lengths[l], pauses[p], n);
            for (int i = 0; i < BUILDS; i++) {
                printf("%9.1f /%7.1f", minima[i], medians[i]);
            }
            putchar('\n');
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    rounds = rounds < 2 ? 2 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    char dir[] = "/tmp/rill-bench-XXXXXX";
    if (mkdtemp(dir) == NULL) {
        perror("mkdtemp");
        return 1;
    }
    bool is_open = open_all(dir);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command) != 0 || !is_open) {
        return 1;
    }
    print_all(rounds);
    return rill_close(context) == RILL_OK ? 0 : 1;
}
