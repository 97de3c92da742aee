// What a launch costs in calls of the driver once it is warm, counted on the stand-in.
#include "cuda/application.h"
#include "ok.h"
#include "stand_in.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { N = 64, LAUNCHES = 500 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "kernel void one(int n, float s, float x[n]) { for (int i = 0; i < n; i++) x[i] += s; }\n"
    "kernel void checked(int n, float s, float x[n]) { for (int i = 0; i < n; i++) { assert(s >= 0); x[i] += s; } }\n"
    "kernel void own(int n, float s, float x[n])\n"
    "{\n"
    "    float t[n];\n"
    "    for (int i = 0; i < n; i++) t[i] = x[i] + s;\n"
    "    for (int i = 0; i < n; i++) x[i] = t[n - 1 - i];\n"
    "}\n"
    "kernel void four(int n, float s, float a[n], float b[n], float c[n], float d[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] += s; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] += s; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) c[i] += s; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) d[i] += s; }\n"
    "}\n";

// What is asked of the driver on the way, and costs nothing.
static const char *const free_calls[] = {"cuCtxGetCurrent", "cuCtxSetCurrent"};

static long (*calls)(const char *);

struct stage {
    rill_context context;
    rill_kernel one, checked, own, four;
    rill_array arrays[4];
};

static void fill_stage(struct stage *stage, const rill_open_options *options)
{
    setenv("FAKE_CUDA_MEMORY", "536870912", 1); // 512 MB
    void *library = use_stand_in();
    *(void **)&calls = dlsym(library, "stand_in_calls");
    REQUIRE(calls != NULL);
    rill_module module = {0};
    OK(rill_open("cuda:0", options, &stage->context));
    OK(rill_module_create(stage->context, source, NULL, &module));
    OK(rill_module_kernel(module, "one", &stage->one));
    OK(rill_module_kernel(module, "checked", &stage->checked));
    OK(rill_module_kernel(module, "own", &stage->own));
    OK(rill_module_kernel(module, "four", &stage->four));
    for (int i = 0; i < 4; i++) {
        OK(rill_array_create(stage->context, RILL_F32, RILL_SHAPE(N), &stage->arrays[i]));
    }
}

static void open_stage(struct stage *stage, const char *mode)
{
    setenv("RILL_GRAPH", mode, 1);
    fill_stage(stage, NULL);
}

static long all_calls(void)
{
    long count = calls("*");
    for (size_t i = 0; i < sizeof free_calls / sizeof free_calls[0]; i++) {
        count -= calls(free_calls[i]);
    }
    return count;
}

static void launch(struct stage *stage, rill_kernel kernel, float s)
{
    rill_array *a = stage->arrays;
    OK(kernel.id == stage->four.id ? rill_launch(kernel, RILL_CURRENT, RILL_ARGS(N, s, a[0], a[1], a[2], a[3]))
                                   : rill_launch(kernel, RILL_CURRENT, RILL_ARGS(N, s, a[0])));
}

struct count {
    long all;
    long graphs;
    long sets;
    long tasks;
};

// Calls for LAUNCHES launches, with a new number for each if |changes|. The stream is never asked and never waited for,
// but for an event every 1,024 launches that says how far it is.
static struct count count_launches(struct stage *stage, rill_kernel kernel, bool changes)
{
    for (int i = 0; i < 300; i++) {
        launch(stage, kernel, changes ? (float)i : 1);
    }
    OK(rill_sync(stage->context));
    struct count before = {all_calls(), calls("cuGraphLaunch"), calls("cuGraphExecKernelNodeSetParams"),
                           calls("cuLaunchKernel")};
    for (int i = 0; i < LAUNCHES; i++) {
        launch(stage, kernel, changes ? (float)(i + 1) : 1);
    }
    struct count count = {all_calls() - before.all, calls("cuGraphLaunch") - before.graphs,
                          calls("cuGraphExecKernelNodeSetParams") - before.sets,
                          calls("cuLaunchKernel") - before.tasks};
    OK(rill_sync(stage->context));
    return count;
}

enum { TICKS = 16 }; // calls beside the launches: events every so many of them

TEST(an_unchanged_launch_is_one_call_of_the_driver)
{
    struct stage stage;
    open_stage(&stage, "on");
    struct count one = count_launches(&stage, stage.one, false);
    CHECK_INT(one.graphs, LAUNCHES);
    CHECK_INT(one.sets, 0);
    CHECK(one.all - one.graphs <= TICKS);
    struct count four = count_launches(&stage, stage.four, false);
    CHECK_INT(four.graphs, LAUNCHES);
    CHECK_INT(four.sets, 0);
    CHECK(four.all - four.graphs <= TICKS);
    OK(rill_close(stage.context));
}

TEST(a_changed_argument_is_one_more_call_for_each_task)
{
    struct stage stage;
    open_stage(&stage, "on");
    struct count one = count_launches(&stage, stage.one, true);
    CHECK_INT(one.graphs, LAUNCHES);
    CHECK_INT(one.sets, LAUNCHES);
    CHECK(one.all - one.graphs - one.sets <= TICKS);
    struct count four = count_launches(&stage, stage.four, true);
    CHECK_INT(four.graphs, LAUNCHES);
    CHECK_INT(four.sets, 4 * LAUNCHES);
    CHECK(four.all - four.graphs - four.sets <= TICKS);
    OK(rill_close(stage.context));
}

TEST(a_failure_record_costs_no_call)
{
    struct stage stage;
    open_stage(&stage, "on");
    struct count checked = count_launches(&stage, stage.checked, true);
    CHECK_INT(checked.graphs, LAUNCHES);
    CHECK_INT(checked.sets, LAUNCHES);
    CHECK(checked.all - checked.graphs - checked.sets <= TICKS);
    OK(rill_close(stage.context));
}

TEST(arrays_that_the_launch_lends_cost_no_call)
{
    struct stage stage;
    open_stage(&stage, "on");
    struct count own = count_launches(&stage, stage.own, false);
    CHECK_INT(own.graphs, LAUNCHES);
    CHECK_INT(own.sets, 0);
    CHECK(own.all - own.graphs <= TICKS);
    OK(rill_close(stage.context));
}

TEST(a_direct_launch_is_one_call_for_each_task)
{
    struct stage stage;
    open_stage(&stage, "off");
    struct count one = count_launches(&stage, stage.one, true);
    CHECK_INT(one.tasks, LAUNCHES);
    CHECK(one.all - one.tasks <= TICKS);
    struct count checked = count_launches(&stage, stage.checked, true);
    CHECK_INT(checked.tasks, LAUNCHES);
    CHECK(checked.all - checked.tasks <= TICKS);
    // With blocks: the fork, then a wait, the task, a record and a wait for each.
    struct count four = count_launches(&stage, stage.four, true);
    CHECK_INT(four.tasks, 4 * LAUNCHES);
    CHECK(four.all <= (1 + 4 * 4) * LAUNCHES + TICKS);
    OK(rill_close(stage.context));
}

static long records_of(struct stage *stage, rill_stream from, rill_stream to)
{
    long before = calls("cuEventRecord");
    for (int i = 0; i < LAUNCHES; i++) {
        rill_array *a = &stage->arrays[to.id == from.id ? i % 2 * 2 : 0];
        OK(rill_launch(stage->one, i % 2 == 0 ? from : to, RILL_ARGS(N, 1.0f, *a)));
    }
    long count = calls("cuEventRecord") - before;
    OK(rill_sync(stage->context));
    return count;
}

TEST(automatic_order_records_what_is_waited_for)
{
    struct stage stage;
    setenv("RILL_GRAPH", "off", 1);
    fill_stage(&stage, &(rill_open_options){.order = RILL_ORDER_AUTO});
    rill_stream first = {0};
    rill_stream second = {0};
    OK(rill_stream_create(stage.context, NULL, &first));
    OK(rill_stream_create(stage.context, NULL, &second));
    records_of(&stage, first, first);
    CHECK(records_of(&stage, first, first) <= LAUNCHES / 64 + TICKS);
    records_of(&stage, first, second);
    CHECK(records_of(&stage, first, second) <= LAUNCHES + TICKS);
    OK(rill_close(stage.context));
}

TEST(automatic_order_waits_for_the_device_only_where_a_launch_would)
{
    struct stage stage;
    setenv("RILL_GRAPH", "off", 1);
    fill_stage(&stage, &(rill_open_options){.order = RILL_ORDER_AUTO});
    rill_stream first = {0};
    rill_stream second = {0};
    OK(rill_stream_create(stage.context, NULL, &first));
    OK(rill_stream_create(stage.context, NULL, &second));
    records_of(&stage, first, first);
    long before = calls("cuStreamSynchronize") + calls("cuEventSynchronize");
    records_of(&stage, first, first);
    records_of(&stage, first, second);
    CHECK(calls("cuStreamSynchronize") + calls("cuEventSynchronize") - before <= TICKS); // those of rill_sync
    OK(rill_close(stage.context));
}

static rill_stream make_stream(struct stage *stage, int priority)
{
    rill_stream stream = {0};
    OK(rill_stream_create(stage->context, &(rill_stream_options){.priority = priority}, &stream));
    return stream;
}

TEST(a_stream_made_after_one_was_destroyed_is_no_call_of_the_driver)
{
    struct stage stage;
    open_stage(&stage, "on");
    rill_stream first = make_stream(&stage, 0);
    OK(rill_stream_destroy(first));
    long before = all_calls();
    for (int i = 0; i < 10; i++) {
        rill_stream stream = make_stream(&stage, 0);
        CHECK(stream.id != first.id);
        OK(rill_stream_destroy(stream));
        CHECK_STR(rill_status_name(rill_stream_query(stream)), "RILL_ERR_STALE");
    }
    CHECK_INT(all_calls() - before, 0);
    long made = calls("cuStreamCreateWithPriority");
    rill_stream urgent = make_stream(&stage, 1); // of another priority, and so another stream of the driver
    CHECK_INT(calls("cuStreamCreateWithPriority") - made, 1);
    OK(rill_stream_destroy(urgent));
    long destroyed = calls("cuStreamDestroy_v2");
    OK(rill_context_trim(stage.context));
    CHECK_INT(calls("cuStreamDestroy_v2") - destroyed, 2);
    OK(rill_close(stage.context));
}

TEST(a_stream_whose_handle_was_given_out_is_destroyed)
{
    struct stage stage;
    open_stage(&stage, "on");
    rill_stream stream = make_stream(&stage, 0);
    void *native = NULL;
    OK(rill_stream_native(stream, &native));
    long destroyed = calls("cuStreamDestroy_v2");
    OK(rill_stream_destroy(stream));
    CHECK_INT(calls("cuStreamDestroy_v2") - destroyed, 1);
    OK(rill_close(stage.context));
}

static void *allocate_or_not(void *user, size_t size, size_t alignment)
{
    size_t step = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return atomic_load((atomic_bool *)user) ? NULL : aligned_alloc(step, (size + step - 1) / step * step);
}

static void release_any(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

// The driver has queued the wait before there is no memory to watch it.
TEST(a_stream_that_waits_though_the_call_failed_is_not_given_to_the_next_before_it_has_waited)
{
    struct stage stage;
    open_stage(&stage, "on");
    OK(rill_close(stage.context));
    atomic_bool is_empty = false;
    rill_allocator allocator = {&is_empty, allocate_or_not, release_any};
    rill_context context = {0};
    OK(rill_open("cuda:0", &(rill_open_options){.allocator = &allocator}, &context));
    rill_stream stream = {0};
    rill_event event = {0};
    OK(rill_stream_create(context, NULL, &stream));
    OK(rill_event_create(context, NULL, &event));
    OK(rill_event_record(event, rill_default_stream(context)));
    long waits = calls("cuStreamWaitEvent");
    atomic_store(&is_empty, true);
    CHECK_STR(rill_status_name(rill_event_wait(event, stream)), "RILL_ERR_OUT_OF_MEMORY");
    atomic_store(&is_empty, false);
    CHECK_INT(calls("cuStreamWaitEvent") - waits, 1);
    long synchronized = calls("cuStreamSynchronize");
    OK(rill_stream_destroy(stream));
    CHECK(calls("cuStreamSynchronize") > synchronized);
    OK(rill_close(context));
}

TEST(no_stream_of_a_device_that_was_lost_is_used_again)
{
    struct stage stage;
    open_stage(&stage, "on");
    OK(rill_stream_destroy(make_stream(&stage, 0)));
    void (*lose)(int) = NULL;
    *(void **)&lose = dlsym(stand_in_library(), "stand_in_lose");
    REQUIRE(lose != NULL);
    lose(CU_ILLEGAL_ADDRESS);
    CHECK_STR(rill_status_name(rill_launch(stage.one, RILL_CURRENT, RILL_ARGS(N, 1.0f, stage.arrays[0]))),
              "RILL_ERR_DEVICE");
    rill_stream stream = {0};
    CHECK_STR(rill_status_name(rill_stream_create(stage.context, NULL, &stream)), "RILL_ERR_DEVICE");
    (void)!rill_close(stage.context);
}

// Launches of one kernel in a context opened with |mode|, as graphs and task by task. RILL_GRAPH is |environment|.
static struct count count_in_mode(rill_graph_mode mode, const char *environment)
{
    struct stage stage = {.context = {0}};
    if (environment != NULL) {
        setenv("RILL_GRAPH", environment, 1);
    } else {
        unsetenv("RILL_GRAPH");
    }
    fill_stage(&stage, &(rill_open_options){.graph_mode = mode});
    struct count count = count_launches(&stage, stage.four, true);
    OK(rill_close(stage.context));
    return count;
}

TEST(graph_mode_of_a_context_decides_how_its_launches_go_and_the_environment_overrides_it)
{
    struct count on = count_in_mode(RILL_GRAPH_ON, NULL);
    CHECK_INT(on.graphs, LAUNCHES);
    CHECK_INT(on.tasks, 0);
    struct count off = count_in_mode(RILL_GRAPH_OFF, NULL);
    CHECK_INT(off.graphs, 0);
    CHECK_INT(off.tasks, 4 * LAUNCHES);
    CHECK_INT(count_in_mode(RILL_GRAPH_ON, "off").graphs, 0);
    CHECK_INT(count_in_mode(RILL_GRAPH_OFF, "on").graphs, LAUNCHES);
    CHECK_INT(count_in_mode(RILL_GRAPH_OFF, "sometimes").graphs, 0); // which says nothing
    struct count either = count_in_mode(RILL_GRAPH_AUTO, NULL);
    CHECK_INT(either.graphs + either.tasks / 4, LAUNCHES);
    struct count also = count_in_mode(RILL_GRAPH_OFF, "auto");
    CHECK_INT(also.graphs + also.tasks / 4, LAUNCHES);
}

enum { OUTSTANDING = 5120 }; // 4,096, and as many as share an event

TEST(a_launch_waits_only_where_thousands_are_outstanding_and_makes_no_event_for_it)
{
    struct stage stage;
    open_stage(&stage, "on");
    void (*lazy)(int);
    *(void **)&lazy = dlsym(use_stand_in(), "stand_in_lazy");
    REQUIRE(lazy != NULL);
    for (int i = 0; i < 20; i++) {
        launch(&stage, stage.one, 1);
    }
    long events = calls("cuEventCreate");
    lazy(1 << 30); // nothing runs before somebody waits for it
    for (int i = 20; i < OUTSTANDING; i++) {
        launch(&stage, stage.one, 1);
    }
    rill_stats stats = {0};
    OK(rill_context_stats(stage.context, &stats));
    CHECK_INT(stats.ring_wait_count, 0);
    launch(&stage, stage.one, 1);
    OK(rill_context_stats(stage.context, &stats));
    CHECK_INT(stats.ring_wait_count, 1);
    CHECK_INT(calls("cuEventCreate") - events, 0);
    float x[N] = {0};
    OK(rill_array_read(stage.arrays[0], RILL_CURRENT, x, sizeof x));
    CHECK(x[0] == OUTSTANDING + 1);
    OK(rill_close(stage.context));
    lazy(0);
}

enum { THREADS = 4, LAUNCHES_EACH = 1500 };

struct launcher {
    pthread_t thread;
    struct stage *stage;
    int index;
};

static void *launch_all(void *arg)
{
    struct launcher *launcher = arg;
    struct stage *stage = launcher->stage;
    rill_stream stream = make_stream(stage, 0);
    for (int i = 0; i < LAUNCHES_EACH; i++) {
        OK(rill_launch(stage->one, stream, RILL_ARGS(N, 1.0f, stage->arrays[launcher->index])));
    }
    OK(rill_stream_destroy(stream));
    return NULL;
}

TEST(threads_that_choose_together_how_to_launch_lose_no_launch)
{
    struct stage stage;
    open_stage(&stage, "auto");
    struct launcher launchers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        launchers[i] = (struct launcher){.stage = &stage, .index = i};
        REQUIRE(pthread_create(&launchers[i].thread, NULL, launch_all, &launchers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(launchers[i].thread, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        float x[N] = {0};
        OK(rill_array_read(stage.arrays[i], RILL_CURRENT, x, sizeof x));
        CHECK(x[0] == LAUNCHES_EACH && x[N - 1] == LAUNCHES_EACH);
    }
    OK(rill_close(stage.context));
}

enum { IDLE_STREAMS = 300 };

// Calls of the driver for rill_sync() and for destroying an array that one stream used, beside |count| idle streams.
static long count_beside_streams(int count)
{
    struct stage stage;
    open_stage(&stage, "off");
    float one = 1;
    rill_stream streams[IDLE_STREAMS];
    rill_array array;
    for (int i = 0; i < count; i++) {
        OK(rill_stream_create(stage.context, NULL, &streams[i]));
        OK(rill_array_fill(stage.arrays[0], streams[i], &one, sizeof one));
        OK(rill_stream_synchronize(streams[i])); // the next one fills the same array
    }
    OK(rill_sync(stage.context));
    OK(rill_array_create(stage.context, RILL_F32, RILL_SHAPE(N), &array));
    OK(rill_array_fill(array, streams[0], &one, sizeof one));
    long before = all_calls();
    OK(rill_array_destroy(array));
    OK(rill_sync(stage.context));
    long made = all_calls() - before;
    OK(rill_close(stage.context));
    return made;
}

TEST(sync_and_destroy_make_no_call_for_a_stream_that_is_idle)
{
    long beside_many = count_beside_streams(IDLE_STREAMS);
    CHECK(beside_many <= 10);
}

static void stand_at_gate(void *user, rill_status status)
{
    (void)status;
    while (!atomic_load((atomic_bool *)user)) {
        usleep(100);
    }
}

TEST(destroying_queues_nothing_on_streams_that_did_not_use_the_array)
{
    enum { BUSY = 100 };
    atomic_bool is_open = false;
    struct stage stage;
    open_stage(&stage, "off");
    float one = 1;
    rill_stream streams[BUSY];
    rill_array arrays[BUSY];
    rill_event event;
    for (int i = 0; i < BUSY; i++) {
        OK(rill_stream_create(stage.context, NULL, &streams[i]));
        OK(rill_array_create(stage.context, RILL_F32, RILL_SHAPE(N), &arrays[i]));
    }
    OK(rill_stream_callback(streams[0], stand_at_gate, &is_open));
    OK(rill_event_create(stage.context, NULL, &event));
    OK(rill_event_record(event, streams[0]));
    for (int i = 0; i < BUSY; i++) {
        OK(rill_event_wait(event, streams[i]));
        OK(rill_array_fill(arrays[i], streams[i], &one, sizeof one));
    }
    long before = calls("cuLaunchHostFunc");
    for (int i = 0; i < BUSY; i++) {
        OK(rill_array_destroy(arrays[i]));
    }
    atomic_store(&is_open, true);
    OK(rill_sync(stage.context));
    CHECK(calls("cuLaunchHostFunc") - before <= BUSY);
    OK(rill_close(stage.context));
}

TEST(memory_of_destroyed_arrays_is_used_again_beside_a_held_stream)
{
    atomic_bool is_open = false;
    struct stage stage;
    open_stage(&stage, "off");
    float one = 1;
    rill_stream held;
    rill_stream other;
    OK(rill_stream_create(stage.context, NULL, &held));
    OK(rill_stream_create(stage.context, NULL, &other));
    OK(rill_stream_callback(held, stand_at_gate, &is_open));
    OK(rill_array_fill(stage.arrays[0], held, &one, sizeof one));
    for (int i = 0; i < 100; i++) {
        rill_array array = {0};
        OK(rill_array_create(stage.context, RILL_F32, RILL_SHAPE(4 << 20), &array));
        OK(rill_array_fill(array, other, &one, sizeof one));
        OK(rill_stream_synchronize(other));
        OK(rill_array_destroy(array));
    }
    atomic_store(&is_open, true);
    OK(rill_close(stage.context));
}
