// How long a kernel takes from text to runnable, by its length, and a file by the number of its fields. The first
// compile of a process loads the compiler. Processor time is printed beside: it says the same on a machine that is busy
// with something else.
//
//     build/release/bench/compile
#include "rill/rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

// A kernel of about |lines| lines: loops of ten statements each.
static char *make_kernel(int lines, int variant)
{
    size_t size = (size_t)lines * 80 + 1000;
    char *text = malloc(size);
    size_t at = (size_t)snprintf(text, size,
                                 "#include <rill/kernel.h>\n\nkernel void many(int n, float a[n], float b[n], const "
                                 "float c[n])\n{\n");
    int line = 5;
    while (line < lines) {
        at +=
            (size_t)snprintf(text + at, size - at, "    for (int i = 1; i < n - 1; i++) {\n        float t = c[i];\n");
        line += 2;
        for (int k = 0; k < 8 && line < lines; k++, line++) {
            at += (size_t)snprintf(text + at, size - at, "        t = t * %d.5f + c[i %c 1] - t / %d.0f;\n",
                                   k + variant, k % 2 == 0 ? '-' : '+', line);
        }
        at += (size_t)snprintf(text + at, size - at, "        %c[i] = t;\n    }\n", line / 10 % 2 == 0 ? 'a' : 'b');
        line += 2;
    }
    snprintf(text + at, size - at, "}\n");
    return text;
}

// A kernel that uses one of |count| fields: their number, too, must cost no more than in proportion.
static char *make_fields(int count)
{
    size_t size = (size_t)count * 40 + 1000;
    char *text = malloc(size);
    size_t at = (size_t)snprintf(text, size, "#include <rill/kernel.h>\n");
    for (int i = 0; i < count; i++) {
        at += (size_t)snprintf(text + at, size - at, "int field%d = %d;\n", i, i);
    }
    snprintf(text + at, size - at, "kernel void one(int n, int x[n])\n{\n    x[0] = field%d;\n}\n", count - 1);
    return text;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spent {
    double wall;
    double processor; // of this thread, which does all the work
};

// Frees the text.
static struct spent compile(rill_context context, char *text)
{
    rill_module module = {0};
    struct spent start = {now_ms(CLOCK_MONOTONIC), now_ms(CLOCK_THREAD_CPUTIME_ID)};
    rill_status status = rill_module_create(context, text, NULL, &module);
    struct spent spent = {now_ms(CLOCK_MONOTONIC) - start.wall, now_ms(CLOCK_THREAD_CPUTIME_ID) - start.processor};
    if (status != RILL_OK || rill_module_destroy(module) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
    }
    free(text);
    return spent;
}

int main(void)
{
    RILL_AUTO_CONTEXT context = {0};
    if (rill_open("cpu", &(rill_open_options){.cache = "off"}, &context) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    struct spent first = compile(context, make_kernel(20, 1));
    printf("first compile of the process, 20 lines: %.1f ms, %.1f of the processor\n", first.wall, first.processor);
    static const int lengths[] = {20, 50, 100, 200, 500, 1000, 2000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        double wall[7], processor[7];
        for (int k = 0; k < 7; k++) {
            struct spent spent = compile(context, make_kernel(lengths[i], k + 2));
            wall[k] = spent.wall;
            processor[k] = spent.processor;
        }
        qsort(wall, 7, sizeof wall[0], by_value);
        qsort(processor, 7, sizeof processor[0], by_value);
        printf("%5d lines: %8.1f ms, %.3f ms a line (median of 7); %8.1f ms of the processor at best\n", lengths[i],
               wall[3], wall[3] / lengths[i], processor[0]);
    }
    static const int counts[] = {1000, 10000, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct spent spent = compile(context, make_fields(counts[i]));
        printf("%6d fields: %8.1f ms, %.2f us a field; %8.1f ms of the processor\n", counts[i], spent.wall,
               spent.wall * 1e3 / counts[i], spent.processor);
    }
    return 0;
}
