// How long launches, events, forks and joins take through Rill.
#include "cli/doctor.h"

#include <math.h>

enum { LARGEST = 1 << 26 };

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void small(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] += 1; }\n"
                             "kernel void pair(int n, float x[n], float y[n])\n"
                             "{\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) y[i] += 1; }\n"
                             "}\n"
                             "kernel void spin(int n, float x[1])\n"
                             "{\n"
                             "#pragma rill single\n"
                             "    for (int i = 0; i < n; i++) x[0] = 0.5f * x[0] + 1;\n"
                             "}\n";

enum { SMALL = 64 };

struct bench {
    rill_context context;
    rill_kernel small, pair, spin;
    rill_array x, y;
    rill_stream a, b;
    rill_event event;
    int adds;           // of one to each element of x
    rill_status status; // of the last call that is timed
};

static rill_status prepare(struct bench *bench)
{
    rill_module module;
    RILL_TRY(rill_module_create(bench->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "small", &bench->small));
    RILL_TRY(rill_module_kernel(module, "pair", &bench->pair));
    RILL_TRY(rill_module_kernel(module, "spin", &bench->spin));
    RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(SMALL), &bench->x));
    RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(SMALL), &bench->y));
    RILL_TRY(rill_stream_create(bench->context, NULL, &bench->a));
    RILL_TRY(rill_stream_create(bench->context, NULL, &bench->b));
    return rill_event_create(bench->context, &(rill_event_options){.without_time = true}, &bench->event);
}

static bool holds(struct bench *bench, rill_status status)
{
    bench->status = status;
    return status == RILL_OK;
}

static bool queue(void *user)
{
    struct bench *bench = user;
    bench->adds++;
    return holds(bench, rill_launch(bench->small, bench->a, RILL_ARGS((int)SMALL, bench->x)));
}

static bool queue_and_wait(void *user)
{
    struct bench *bench = user;
    return queue(bench) && holds(bench, rill_stream_synchronize(bench->a));
}

static bool pass_event(void *user)
{
    struct bench *bench = user;
    return holds(bench, rill_event_record(bench->event, bench->a)) &&
           holds(bench, rill_event_wait(bench->event, bench->b));
}

static bool fork_and_join(void *user)
{
    struct bench *bench = user;
    bench->adds++;
    return holds(bench, rill_launch(bench->pair, bench->a, RILL_ARGS((int)SMALL, bench->x, bench->y))) &&
           holds(bench, rill_stream_synchronize(bench->a));
}

static bool settle(void *user)
{
    struct bench *bench = user;
    return holds(bench, rill_sync(bench->context));
}

static rill_status time_of(struct bench *bench, doctor_call *call, double *out)
{
    *out = doctor_time_of(call, settle, bench);
    return bench->status;
}

static rill_status spin_on(struct bench *bench, rill_stream second, int rounds, double *out)
{
    double begin = doctor_now();
    RILL_TRY(rill_launch(bench->spin, bench->a, RILL_ARGS(rounds, bench->x)));
    RILL_TRY(rill_launch(bench->spin, second, RILL_ARGS(rounds, bench->y)));
    RILL_TRY(rill_sync(bench->context));
    *out = doctor_now() - begin;
    return RILL_OK;
}

// Two kernels of some 5 ms each, on one stream and on two.
static rill_status overlap_of(struct bench *bench, double *out)
{
    int rounds = 1 << 16;
    double serial = 0;
    double beside = INFINITY;
    while (rounds < LARGEST && serial < 1e4) { // twice: another program may have had the processor
        double again;
        rounds *= 2;
        RILL_TRY(spin_on(bench, bench->a, rounds, &serial));
        RILL_TRY(spin_on(bench, bench->a, rounds, &again));
        serial = again < serial ? again : serial;
    }
    for (int i = 0; i < 9; i++) {
        double time;
        RILL_TRY(spin_on(bench, bench->a, rounds, &time));
        serial = time < serial ? time : serial;
        RILL_TRY(spin_on(bench, bench->b, rounds, &time));
        beside = time < beside ? time : beside;
    }
    *out = beside / serial;
    return RILL_OK;
}

static rill_status measure(struct bench *bench, struct doctor_times *out)
{
    float counted[SMALL];
    RILL_TRY(prepare(bench));
    RILL_TRY(time_of(bench, queue, &out->launch));
    RILL_TRY(time_of(bench, queue_and_wait, &out->round));
    RILL_TRY(time_of(bench, pass_event, &out->event));
    RILL_TRY(time_of(bench, fork_and_join, &out->fork));
    RILL_TRY(rill_array_read(bench->x, bench->a, counted, sizeof counted));
    for (int i = 0; i < SMALL; i++) {
        if (counted[i] != (float)bench->adds) {
            fprintf(stderr, "rill: element %d was counted up %d times and is %g\n", i, bench->adds, (double)counted[i]);
            return RILL_ERR_INTERNAL;
        }
    }
    return overlap_of(bench, &out->overlap);
}

rill_status doctor_measure(const char *device, struct doctor_times *out)
{
    struct bench bench = {0};
    RILL_TRY(rill_open(device, NULL, &bench.context));
    rill_status status = measure(&bench, out);
    rill_status closed = rill_close(bench.context);
    return status != RILL_OK ? status : closed;
}
