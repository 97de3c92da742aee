// Threads of the program that wait. On the CPU such a thread runs what it waits for itself, if nobody has begun it:
// that must not be seen in results, in what the thread had set, or in how long a wait lasts.
#include "world.h"

#include <errno.h>
#include <fenv.h>

static const char wait_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void third(float x[4]) { x[0] = 1 / x[1]; x[2] = x[3] * 0.5f; }\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n";

static const char deep_source[] =
    "#include <rill/kernel.h>\n"
    "#define LOCAL(now, before) int now[16000]; for (int k = 0; k < 16000; k++) now[k] = i + k + before;\n"
    "kernel void deep(int n, int x[n])\n"
    "{\n"
    "#pragma rill single\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        LOCAL(a, 0) LOCAL(b, a[k * 7 % 16000]) LOCAL(c, b[k * 7 % 16000]) LOCAL(d, c[k * 7 % 16000])\n"
    "        LOCAL(e, d[k * 7 % 16000]) LOCAL(f, e[k * 7 % 16000]) LOCAL(g, f[k * 7 % 16000])\n"
    "        LOCAL(h, g[k * 7 % 16000]) LOCAL(j, h[k * 7 % 16000]) LOCAL(l, j[k * 7 % 16000])\n"
    "        x[i] = l[0] + a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0] + j[0];\n"
    "    }\n"
    "}\n";

struct waiting {
    struct world world;
    rill_module module;
};

static void open_waiting(struct waiting *w, int threads)
{
    world_open(&w->world, threads);
    OK(rill_module_create(w->world.context, wait_source, NULL, &w->module));
}

static rill_kernel kernel_of(struct waiting *w, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(w->module, name, &kernel));
    return kernel;
}

static rill_array floats(struct waiting *w, const float values[4])
{
    rill_array array = {0};
    OK(rill_array_create(w->world.context, RILL_F32, RILL_SHAPE(4), &array));
    OK(rill_array_write(array, rill_default_stream(w->world.context), values, 4 * sizeof *values));
    return array;
}

// How a program's thread rounds is its own affair: kernels round to nearest and keep subnormals, whoever runs them, and
// leave no trace of having run.
TEST(kernel_neither_sees_nor_changes_how_the_waiting_thread_rounds)
{
    if (!world_is_cpu()) {
        SKIP("only the CPU runs kernels on the program's own threads");
    }
    for (int way = 0; way < 4; way++) {
        int rounding = way / 2 == 0 ? FE_DOWNWARD : FE_TONEAREST;
        fenv_t before;
        CHECK_INT(fegetenv(&before), 0);
        CHECK_INT(fesetround(rounding), 0);
        struct waiting w;
        open_waiting(&w, 1 + way % 2); // its threads are made by one that rounds down
        rill_kernel third = kernel_of(&w, "third");
        for (int i = 0; i < 50; i++) {
            rill_array array = floats(&w, (const float[]){0, 3, 0, 1.17549435e-38f});
            OK(rill_launch(third, RILL_CURRENT, RILL_ARGS(array)));
            if (i % 4 == 3) {
                usleep(500); // a worker's turn
            }
            int raised = i % 3 == 0 ? 0 : FE_DIVBYZERO; // which the kernel does not raise; it does others
            feclearexcept(FE_ALL_EXCEPT);
            feraiseexcept(raised);
            errno = 77;
            OK(rill_stream_synchronize(rill_default_stream(w.world.context)));
            CHECK_INT(errno, 77);
            CHECK_INT(fetestexcept(FE_ALL_EXCEPT), raised);
            CHECK_INT(fegetround(), rounding);
            float values[4];
            OK(rill_array_read(array, RILL_CURRENT, values, sizeof values));
            CHECK(values[0] == 0x1.555556p-2f); // the nearest, which is above
            CHECK(values[2] == 0x1p-127f);
            OK(rill_array_destroy(array));
        }
        world_close(&w.world);
        CHECK_INT(fesetenv(&before), 0);
    }
}

static void *wait_on_a_small_stack(void *arg)
{
    struct waiting *w = arg;
    rill_array array = {0};
    OK(rill_array_create(w->world.context, RILL_I32, RILL_SHAPE(3), &array));
    rill_stream stream = {0};
    OK(rill_stream_create(w->world.context, NULL, &stream));
    rill_module module = {0};
    rill_kernel deep = {0};
    OK(rill_module_create(w->world.context, deep_source, NULL, &module));
    OK(rill_module_kernel(module, "deep", &deep));
    OK(rill_launch(deep, stream, RILL_ARGS(3, array)));
    OK(rill_stream_synchronize(stream));
    int values[3];
    OK(rill_array_read(array, stream, values, sizeof values));
    CHECK_INT(values[2], 2 * 55); // the sum of 1 to 10, for each of the ten
    OK(rill_stream_destroy(stream));
    OK(rill_array_destroy(array));
    return NULL;
}

TEST(thread_with_a_small_stack_may_wait_for_a_kernel_that_needs_a_large_one)
{
    if (!world_is_cpu()) {
        SKIP("a GPU has no such stacks");
    }
    struct waiting w;
    open_waiting(&w, 2);
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, 512 << 10) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, wait_on_a_small_stack, &w) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    world_close(&w.world);
}

enum { FED = 64 };

struct feeding {
    struct waiting *w;
    rill_stream stream;
    rill_array array;
    atomic_bool stop;
    atomic_int queued;
};

static void *feed(void *arg)
{
    struct feeding *f = arg;
    rill_kernel add = kernel_of(f->w, "add");
    while (!atomic_load(&f->stop)) {
        OK(rill_launch(add, f->stream, RILL_ARGS(FED, 1, f->array)));
        atomic_fetch_add(&f->queued, 1);
    }
    return NULL;
}

TEST(wait_ends_although_another_thread_goes_on_queueing)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct waiting w;
        open_waiting(&w, threads);
        struct feeding f = {.w = &w};
        OK(rill_stream_create(w.world.context, NULL, &f.stream));
        OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(FED), &f.array));
        rill_event event = {0};
        OK(rill_event_create(w.world.context, NULL, &event));
        pthread_t feeder;
        REQUIRE(pthread_create(&feeder, NULL, feed, &f) == 0);
        for (int i = 0; i < 10; i++) {
            OK(rill_stream_synchronize(f.stream));
            OK(rill_event_record(event, f.stream));
            OK(rill_event_synchronize(event));
        }
        atomic_store(&f.stop, true);
        pthread_join(feeder, NULL);
        static int values[FED];
        OK(rill_array_read(f.array, f.stream, values, sizeof values));
        CHECK_INT(values[0], atomic_load(&f.queued));
        CHECK_INT(values[FED - 1], atomic_load(&f.queued));
        world_close(&w.world);
    }
}

// The host waits for the last of several streams, each of which waits for the one before.
TEST(wait_reaches_through_events_to_what_it_depends_on)
{
    enum { STREAMS = 12, N = 50 };
    for (int threads = 1; threads <= 3; threads++) {
        struct waiting w;
        open_waiting(&w, threads);
        rill_kernel add = kernel_of(&w, "add");
        rill_stream streams[STREAMS];
        rill_event event = {0};
        rill_array array = {0};
        OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(N), &array));
        OK(rill_event_create(w.world.context, NULL, &event));
        for (int i = 0; i < STREAMS; i++) {
            OK(rill_stream_create(w.world.context, NULL, &streams[i]));
        }
        for (int round = 1; round <= 60; round++) {
            for (int i = 0; i < STREAMS; i++) {
                OK(rill_launch(add, streams[i], RILL_ARGS(N, 1, array)));
                OK(rill_event_record(event, streams[i]));
                if (i + 1 < STREAMS) {
                    OK(rill_event_wait(event, streams[i + 1]));
                }
            }
            if (round % 2 == 0) {
                OK(rill_event_synchronize(event));
            } else {
                OK(rill_stream_synchronize(streams[STREAMS - 1]));
            }
            int values[N];
            OK(rill_array_read(array, streams[STREAMS - 1], values, sizeof values));
            CHECK_INT(values[N - 1], STREAMS * round);
        }
        world_close(&w.world);
    }
}

// What a waiting thread lets go on, but does not wait for itself, is run all the same.
TEST(streams_behind_an_event_go_on_when_the_wait_for_the_event_is_over)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct waiting w;
        open_waiting(&w, threads);
        rill_kernel add = kernel_of(&w, "add");
        rill_stream a = {0};
        rill_stream b = {0};
        rill_event event = {0};
        rill_array array = {0};
        OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(8), &array));
        OK(rill_event_create(w.world.context, NULL, &event));
        OK(rill_stream_create(w.world.context, NULL, &a));
        OK(rill_stream_create(w.world.context, NULL, &b));
        for (int round = 1; round <= 30; round++) {
            if (round % 3 == 0) {
                usleep(1000); // the pool sleeps
            }
            OK(rill_launch(add, a, RILL_ARGS(8, 1, array)));
            OK(rill_event_record(event, a));
            OK(rill_event_wait(event, b));
            OK(rill_launch(add, b, RILL_ARGS(8, 1, array)));
            OK(rill_stream_synchronize(a)); // and nobody waits for b
            while (rill_stream_query(b) == RILL_ERR_NOT_READY) {
                usleep(50);
            }
            int values[8];
            OK(rill_array_read(array, b, values, sizeof values));
            CHECK_INT(values[7], 2 * round);
        }
        world_close(&w.world);
    }
}
