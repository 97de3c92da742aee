// What a launch costs on the CPU: waiting for each, and queueing many; beside the same body as a plain C call.
//
//     build/release/bench/launch
#include "rill/rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void small(int n, float x[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        x[i] = x[i] * 0.5f + 1;\n"
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
    return RILL_OK;
}

int main(void)
{
    rill_status status = run();
    if (status != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
    }
    return status == RILL_OK ? 0 : 1;
}
