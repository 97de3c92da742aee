// What a launch costs on the CPU: waiting for each, and queueing many; beside the same body as a plain C call. Then
// what the choice among a nest's mappings costs: with the extents of the launch before, which is not chosen again, and
// with others each time, beside a kernel of one loop that has no choice.
//
//     build/release/bench/launch
#include "rill/rill.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void small(int n, float x[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        x[i] = x[i] * 0.5f + 1;\n"
                             "    }\n"
                             "}\n"
                             "kernel void no_choice(int n, int m, float x[n][m], float s[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        s[i] += x[i][m - 1];\n"
                             "    }\n"
                             "}\n"
                             "kernel void two_ways(int n, int m, float x[n][m], float s[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        s[i] = 0;\n"
                             "        for (int j = 0; j < m; j++) {\n"
                             "            s[i] += x[i][j];\n"
                             "        }\n"
                             "    }\n"
                             "}\n"
                             "kernel void another_order(int n, int m, float x[n][m], float s[n])\n"
                             "{\n"
                             "    for (int i = 1; i < n; i++) {\n"
                             "        for (int j = 0; j < m; j++) {\n"
                             "            x[i][j] += x[i - 1][j] * s[0];\n"
                             "        }\n"
                             "    }\n"
                             "}\n";

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { ROUNDS = 21, LAUNCHES = 2000 };

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof times[0], by_value);
    return times[ROUNDS / 2];
}

static void plain(int n, float *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * 0.5f + 1;
    }
    __asm__ volatile("" : : "r"(x) : "memory");
}

static rill_status measure(rill_context context, rill_kernel kernel, int n)
{
    rill_array x;
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &x));
    float *host = calloc((size_t)n + 1, sizeof *host);
    double waiting[ROUNDS];
    double queued[ROUNDS];
    double called[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_us();
        for (int i = 0; i < LAUNCHES / 10; i++) {
            RILL_TRY(rill_call(kernel, RILL_CURRENT, RILL_ARGS(n, x), NULL, 0));
        }
        waiting[r] = (now_us() - start) / (LAUNCHES / 10);
        start = now_us();
        for (int i = 0; i < LAUNCHES; i++) {
            RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, x)));
        }
        RILL_TRY(rill_sync(context));
        queued[r] = (now_us() - start) / LAUNCHES;
        start = now_us();
        for (int i = 0; i < LAUNCHES; i++) {
            plain(n, host);
        }
        called[r] = (now_us() - start) / LAUNCHES;
    }
    free(host);
    printf("%8d elements: %8.2f us a call that waits, %8.2f us a queued launch, %8.2f us a plain C call\n", n,
           median(waiting), median(queued), median(called));
    return rill_array_destroy(x);
}

// Launches of 4 by 4 and 5 by 4 elements, which run on one thread: |is_same|, the same size all the time.
static rill_status measure_choice(rill_context context, rill_kernel kernel, const rill_array arrays[2], bool is_same,
                                  double *out_us)
{
    double times[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_us();
        for (int i = 0; i < LAUNCHES; i++) {
            RILL_TRY(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(is_same ? 4 : 4 + i % 2, 4, arrays[0], arrays[1])));
        }
        RILL_TRY(rill_sync(context));
        times[r] = (now_us() - start) / LAUNCHES;
    }
    *out_us = median(times);
    return RILL_OK;
}

static rill_status measure_choices(rill_context context, rill_module module)
{
    static const char *const names[] = {"no_choice", "two_ways", "another_order"};
    rill_array arrays[2];
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(5, 4), &arrays[0]));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(5), &arrays[1]));
    printf("\n%16s %16s %16s %18s\n", "kernel", "same extents us", "others each us", "choosing costs us");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rill_kernel kernel;
        double same, other;
        RILL_TRY(rill_module_kernel(module, names[i], &kernel));
        RILL_TRY(measure_choice(context, kernel, arrays, true, &same));
        RILL_TRY(measure_choice(context, kernel, arrays, false, &other));
        printf("%16s %16.3f %16.3f %18.3f\n", names[i], same, other, other - same);
    }
    RILL_TRY(rill_array_destroy(arrays[0]));
    return rill_array_destroy(arrays[1]);
}

static rill_status run(void)
{
    RILL_AUTO_CONTEXT context = {0};
    RILL_TRY(rill_open("cpu", NULL, &context));
    rill_module module;
    rill_kernel kernel;
    RILL_TRY(rill_module_create(context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "small", &kernel));
    static const int sizes[] = {0, 100, 1000, 10000, 100000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        RILL_TRY(measure(context, kernel, sizes[i]));
    }
    return measure_choices(context, module);
}

int main(void)
{
    rill_status status = run();
    if (status != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
    }
    return status == RILL_OK ? 0 : 1;
}
