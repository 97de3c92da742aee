// What automatic order adds to a launch: the same launches with 4 arrays in a context with manual and in one with
// automatic order, in turns, on one stream and on two in turns, which share nothing, a read array, or all.
//
//     build/release/bench/order [device]
#include "rill/rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void four(int n, const float a[n], const float b[n], float c[n], float d[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        c[i] = a[i] + b[i];\n"
                             "        d[i] = a[i] - b[i];\n"
                             "    }\n"
                             "}\n";

enum { ROUNDS = 31, LAUNCHES = 1000, N = 16, SETS = 2 };

struct side {
    rill_context context;
    rill_kernel four;
    rill_stream streams[2];
    rill_array arrays[SETS][4];
    double times[ROUNDS];
};

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

static rill_status open_side(struct side *side, const char *device, rill_order order)
{
    rill_module module;
    RILL_TRY(rill_open(device, &(rill_open_options){.order = order}, &side->context));
    RILL_TRY(rill_module_create(side->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "four", &side->four));
    for (int i = 0; i < 2; i++) {
        RILL_TRY(rill_stream_create(side->context, NULL, &side->streams[i]));
    }
    for (int i = 0; i < SETS * 4; i++) {
        RILL_TRY(rill_array_create(side->context, RILL_F32, RILL_SHAPE(N), &side->arrays[i / 4][i % 4]));
    }
    return RILL_OK;
}

struct shape {
    const char *text;
    int streams;
    bool shares_read;
    bool shares_all;
};

// The host's time for a launch, the queue empty at first.
static rill_status measure(struct side *side, const struct shape *shape, int round)
{
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
        int turn = i % shape->streams;
        rill_array *own = side->arrays[shape->shares_all ? 0 : turn];
        rill_array *read = side->arrays[shape->shares_all || shape->shares_read ? 0 : turn];
        RILL_TRY(rill_launch(side->four, side->streams[turn], RILL_ARGS(N, read[0], read[1], own[2], own[3])));
    }
    side->times[round] = (now_us() - start) / LAUNCHES;
    return rill_sync(side->context);
}

static double median(struct side *side)
{
    qsort(side->times, ROUNDS, sizeof side->times[0], by_value);
    return side->times[ROUNDS / 2];
}

static rill_status run(const char *device)
{
    static const struct shape shapes[] = {{"one stream", 1, false, false},
                                          {"two streams, nothing in common", 2, false, false},
                                          {"two streams, read arrays in common", 2, true, false},
                                          {"two streams, each follows the other", 2, true, true}};
    static struct side manual;
    static struct side automatic;
    RILL_TRY(open_side(&manual, device, RILL_ORDER_MANUAL));
    RILL_TRY(open_side(&automatic, device, RILL_ORDER_AUTO));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int round = 0; round < ROUNDS; round++) {
            RILL_TRY(measure(&manual, &shapes[i], round));
            RILL_TRY(measure(&automatic, &shapes[i], round));
        }
        double without = median(&manual);
        double with = median(&automatic);
        printf("%-36s manual %6.3f us a launch, auto %6.3f, added %6.3f\n", shapes[i].text, without, with,
               with - without);
    }
    RILL_TRY(rill_close(manual.context));
    return rill_close(automatic.context);
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : "cpu") != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    return 0;
}
