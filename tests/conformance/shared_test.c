// Streams that Rill shares with others: wrapped ones, native handles given out, and streams that are captured into a
// graph. The others' calls are made to the driver by hand.
#include "world.h"

#include <dlfcn.h>
#include <unistd.h>

enum { N = 1000, REPLAYS = 1000 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n#include <stdio.h>\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n"
    "kernel void pair(int n, int a[n], int b[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] += 1; for (int i = 0; i < n; i++) a[i] += 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] += 3; }\n"
    "    for (int i = 0; i < n; i++) b[i] += a[n - 1 - i];\n"
    "}\n"
    "kernel void spread(int n, int x[n])\n"
    "{ int s = 0; for (int i = 0; i < n; i++) s += x[i] & 1; for (int i = 0; i < n; i++) x[i] += s; }\n"
    "kernel long total(int n, const int x[n]) { long s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void checked(int n, int limit, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] < limit); }\n"
    "kernel void talk(int n) { for (int i = 0; i < n; i++) printf(\"%d \", i); }\n"
    "kernel void stops(int n, int x[n])\n"
    "{ int go = 1; while (go) { go = 0; for (int i = 0; i < n; i++) { if (x[i] < 3) { x[i]++; go |= 1; } } } }\n";

// X(member, symbol of CUDA, symbol of HIP, parameters): what others call. "": it has none.
#define OTHERS(X)                                                                                                      \
    X(context_set, "cuCtxSetCurrent", "", (void *))                                                                    \
    X(context_get, "cuCtxGetCurrent", "", (void **))                                                                   \
    X(retain, "cuDevicePrimaryCtxRetain", "", (void **, int))                                                          \
    X(release, "cuDevicePrimaryCtxRelease_v2", "", (int))                                                              \
    X(device_set, "", "hipSetDevice", (int))                                                                           \
    X(device_get, "", "hipGetDevice", (int *))                                                                         \
    X(init, "cuInit", "hipInit", (unsigned))                                                                           \
    X(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags", (void **, unsigned))                                \
    X(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy", (void *))                                              \
    X(synchronize, "cuStreamSynchronize", "hipStreamSynchronize", (void *))                                            \
    X(set, "cuMemsetD32Async", "hipMemsetD32Async", (uint64_t, unsigned, size_t, void *))                              \
    X(begin, "cuStreamBeginCapture_v2", "hipStreamBeginCapture", (void *, int))                                        \
    X(end, "cuStreamEndCapture", "hipStreamEndCapture", (void *, void **))                                             \
    X(instantiate, "cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags",                                      \
      (void **, void *, unsigned long long))                                                                           \
    X(launch, "cuGraphLaunch", "hipGraphLaunch", (void *, void *))                                                     \
    X(exec_destroy, "cuGraphExecDestroy", "hipGraphExecDestroy", (void *))                                             \
    X(graph_destroy, "cuGraphDestroy", "hipGraphDestroy", (void *))

struct stage {
    struct world world;
    rill_kernel add, pair, spread, total, checked, talk, stops;
    rill_array x, y;
    void *x_at, *y_at;
    void *context;
    void *stream; // another's
    rill_stream wrapped;
#define MEMBER(member, cuda, hip, parameters) int(*member) parameters;
    OTHERS(MEMBER)
#undef MEMBER
};

#define CU(call) CHECK_INT((call), 0)

static bool is_hip(void)
{
    return strncmp(world_device(), "amdgpu", 6) == 0 || strncmp(world_device(), "hip", 3) == 0;
}

static void open_others(struct stage *stage)
{
    const char *path = getenv(is_hip() ? "RILL_HIP_LIBRARY" : "RILL_CUDA_LIBRARY");
    const char *name = is_hip() ? "libamdhip64.so" : "libcuda.so.1";
    void *library = dlopen(path != NULL ? path : name, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
#define FIND(member, cuda, hip, parameters)                                                                            \
    if (*(is_hip() ? hip : cuda) != '\0') {                                                                            \
        *(void **)&stage->member = dlsym(library, is_hip() ? hip : cuda);                                              \
        REQUIRE(stage->member != NULL);                                                                                \
    }
    OTHERS(FIND)
#undef FIND
    CU(stage->init(0));
    if (is_hip()) {
        CU(stage->device_set(0));
        return;
    }
    CU(stage->retain(&stage->context, 0));
    CU(stage->context_set(stage->context));
}

static void open_stage(struct stage *stage)
{
    if (world_is_cpu()) {
        SKIP("only where there are native streams");
    }
    memset(stage, 0, sizeof *stage);
    open_others(stage);
    world_open(&stage->world, 0);
    rill_module module = {0};
    OK(rill_module_create(stage->world.context, source, NULL, &module));
    OK(rill_module_kernel(module, "add", &stage->add));
    OK(rill_module_kernel(module, "pair", &stage->pair));
    OK(rill_module_kernel(module, "spread", &stage->spread));
    OK(rill_module_kernel(module, "total", &stage->total));
    OK(rill_module_kernel(module, "checked", &stage->checked));
    OK(rill_module_kernel(module, "talk", &stage->talk));
    OK(rill_module_kernel(module, "stops", &stage->stops));
    OK(rill_array_create(stage->world.context, RILL_I32, RILL_SHAPE(N), &stage->x));
    OK(rill_array_create(stage->world.context, RILL_I32, RILL_SHAPE(N), &stage->y));
    OK(rill_array_address(stage->x, &stage->x_at));
    OK(rill_array_address(stage->y, &stage->y_at));
    CU(stage->stream_create(&stage->stream, 1));
    OK(rill_stream_wrap(stage->world.context, stage->stream, &stage->wrapped));
}

static void close_stage(struct stage *stage)
{
    void *current = NULL;
    int device = -1;
    world_close(&stage->world);
    if (is_hip()) {
        CU(stage->device_get(&device));
        CHECK_INT(device, 0);
        CU(stage->stream_destroy(stage->stream));
        return;
    }
    CU(stage->context_get(&current));
    CHECK(current == stage->context); // nothing of the thread's is changed
    CU(stage->stream_destroy(stage->stream));
    CU(stage->context_set(NULL));
    CU(stage->release(0));
}

static int first_of(struct stage *stage, rill_array array)
{
    int host[N] = {-1};
    OK(rill_sync(stage->world.context));
    OK(rill_array_read(array, rill_default_stream(stage->world.context), host, sizeof host));
    for (int i = 1; i < N; i++) {
        if (host[i] != host[0]) {
            FAIL("element %d is %d, element 0 is %d", i, host[i], host[0]);
            break;
        }
    }
    return host[0];
}

static void others_set(struct stage *stage, void *stream, void *at, unsigned value)
{
    CU(stage->set((uint64_t)(uintptr_t)at, value, N, stream));
}

// ---- wrapping -------------------------------------------------------------------------------------------------------

TEST(what_rill_queues_on_a_wrapped_stream_keeps_its_place_among_what_others_queue)
{
    struct stage stage;
    open_stage(&stage);
    for (int i = 0; i < 50; i++) {
        others_set(&stage, stage.stream, stage.x_at, (unsigned)i);
        OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
        OK(rill_launch(stage.pair, stage.wrapped, RILL_ARGS(N, stage.x, stage.y)));
        others_set(&stage, stage.stream, stage.y_at, 7);
        OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.y)));
    }
    OK(rill_stream_synchronize(stage.wrapped));
    CHECK_INT(first_of(&stage, stage.x), 49 + 1 + 2);
    CHECK_INT(first_of(&stage, stage.y), 8);
    close_stage(&stage);
}

TEST(synchronising_a_wrapped_stream_waits_for_what_others_have_queued)
{
    struct stage stage;
    open_stage(&stage);
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    OK(rill_stream_synchronize(stage.wrapped));
    others_set(&stage, stage.stream, stage.x_at, 77);
    OK(rill_stream_synchronize(stage.wrapped));
    OK(rill_stream_query(stage.wrapped));
    CHECK_INT(first_of(&stage, stage.x), 77);
    close_stage(&stage);
}

TEST(one_native_stream_is_one_stream_and_is_never_destroyed)
{
    struct stage stage;
    open_stage(&stage);
    rill_stream again = {0};
    OK(rill_stream_wrap(stage.world.context, stage.stream, &again));
    CHECK(again.id == stage.wrapped.id);
    void *native = NULL;
    OK(rill_stream_native(again, &native));
    CHECK(native == stage.stream);
    OK(rill_launch(stage.add, again, RILL_ARGS(N, 4, stage.x)));
    OK(rill_stream_destroy(again));
    STATUS(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)), RILL_ERR_STALE);
    others_set(&stage, stage.stream, stage.y_at, 3); // it is still there
    CU(stage.synchronize(stage.stream));
    OK(rill_stream_wrap(stage.world.context, stage.stream, &again));
    CHECK(again.id != stage.wrapped.id);
    OK(rill_launch(stage.add, again, RILL_ARGS(N, 4, stage.x)));
    CHECK_INT(first_of(&stage, stage.x), 8);
    // The same for one of Rill's own that was given out.
    rill_stream ours = {0};
    OK(rill_stream_create(stage.world.context, NULL, &ours));
    OK(rill_stream_native(ours, &native));
    OK(rill_stream_wrap(stage.world.context, native, &again));
    CHECK(again.id == ours.id);
    OK(rill_stream_native(rill_default_stream(stage.world.context), &native));
    OK(rill_stream_wrap(stage.world.context, native, &again));
    CHECK(again.id == rill_default_stream(stage.world.context).id);
    close_stage(&stage);
}

TEST(default_streams_of_others_can_be_wrapped)
{
    struct stage stage;
    open_stage(&stage);
    rill_stream zero = {0};
    rill_stream legacy = {0};
    rill_stream own = {0};
    OK(rill_stream_wrap(stage.world.context, NULL, &zero));
    OK(rill_stream_wrap(stage.world.context, (void *)(uintptr_t)1, &legacy));
    OK(rill_stream_wrap(stage.world.context, (void *)(uintptr_t)2, &own));
    CHECK(zero.id == legacy.id);
    CHECK(zero.id != own.id);
    rill_stream streams[] = {zero, own};
    for (int i = 0; i < 2; i++) {
        others_set(&stage, (void *)(uintptr_t)(i + 1), stage.x_at, 10);
        OK(rill_launch(stage.add, streams[i], RILL_ARGS(N, 1, stage.x)));
        OK(rill_launch(stage.pair, streams[i], RILL_ARGS(N, stage.x, stage.y)));
        OK(rill_stream_synchronize(streams[i]));
        CHECK_INT(first_of(&stage, stage.x), 13);
    }
    close_stage(&stage);
}

struct elsewhere {
    struct stage *stage;
    rill_stream stream;
    rill_array extra;
};

static void *use_elsewhere(void *arg)
{
    struct elsewhere *e = arg;
    STATUS(rill_launch(e->stage->add, e->stream, RILL_ARGS(N, 1, e->stage->x)), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "per-thread");
    STATUS(rill_stream_synchronize(e->stream), RILL_ERR_INVALID);
    OK(rill_array_destroy(e->extra)); // may have to wait for that stream
    OK(rill_sync(e->stage->world.context));
    return NULL;
}

TEST(the_default_stream_of_a_thread_is_used_by_that_thread)
{
    struct stage stage;
    open_stage(&stage);
    struct elsewhere e = {.stage = &stage};
    OK(rill_stream_wrap(stage.world.context, (void *)(uintptr_t)2, &e.stream));
    OK(rill_array_create(stage.world.context, RILL_I32, RILL_SHAPE(N), &e.extra));
    for (int i = 0; i < 20; i++) {
        OK(rill_launch(stage.add, e.stream, RILL_ARGS(N, 1, e.extra)));
    }
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, use_elsewhere, &e) == 0);
    pthread_join(thread, NULL);
    OK(rill_launch(stage.add, e.stream, RILL_ARGS(N, 1, stage.x)));
    OK(rill_stream_destroy(e.stream));
    CHECK_INT(first_of(&stage, stage.x), 1);
    close_stage(&stage);
}

TEST(others_queue_on_a_stream_of_rills)
{
    struct stage stage;
    open_stage(&stage);
    rill_stream stream = {0};
    void *native = NULL;
    OK(rill_stream_create(stage.world.context, NULL, &stream));
    OK(rill_stream_native(stream, &native));
    for (int i = 0; i < 20; i++) {
        OK(rill_launch(stage.add, stream, RILL_ARGS(N, 1, stage.x)));
        others_set(&stage, native, stage.x_at, 5);
        OK(rill_launch(stage.add, stream, RILL_ARGS(N, 1, stage.x)));
    }
    OK(rill_stream_synchronize(stream));
    CHECK_INT(first_of(&stage, stage.x), 6);
    OK(rill_stream_destroy(stream));
    close_stage(&stage);
}

// ---- capture --------------------------------------------------------------------------------------------------------

static void replay(struct stage *stage, void *graph, int times)
{
    void *exec = NULL;
    CU(stage->instantiate(&exec, graph, 0));
    CU(stage->graph_destroy(graph));
    for (int i = 0; i < times; i++) {
        CU(stage->launch(exec, stage->stream));
        if (i % 100 == 99) {
            CU(stage->synchronize(stage->stream));
        }
    }
    CU(stage->synchronize(stage->stream));
    CU(stage->exec_destroy(exec));
}

TEST(a_captured_launch_runs_whenever_the_graph_is_replayed)
{
    struct stage stage;
    open_stage(&stage);
    void *graph = NULL;
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 5, stage.x))); // before, and not captured
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 2, stage.x)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    CHECK_INT(first_of(&stage, stage.x), 5);
    replay(&stage, graph, REPLAYS);
    CHECK_INT(first_of(&stage, stage.x), 5 + 3 * REPLAYS);
    close_stage(&stage);
}

// In a capture there is nothing to time: the trace says so, and the launch before has its times all the same.
TEST(a_captured_launch_is_told_apart_in_the_trace)
{
    if (world_is_cpu()) {
        SKIP("only where there are native streams");
    }
    char path[] = "/tmp/rill_trace_XXXXXX";
    char text[8192] = "";
    void *graph = NULL;
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    setenv("RILL_TRACE", path, 1);
    struct stage stage;
    open_stage(&stage);
    unsetenv("RILL_TRACE");
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 5, stage.x)));
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    OK(rill_launch(stage.pair, stage.wrapped, RILL_ARGS(N, stage.x, stage.y)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    replay(&stage, graph, 3);
    CHECK_INT(first_of(&stage, stage.x), 5 + 3 * 3);
    close_stage(&stage);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    int captured = 0;
    for (const char *at = text; (at = strstr(at, "\"ran\": \"captured\"")) != NULL; at++) {
        captured++;
    }
    CHECK(captured >= 4); // one of add, at least three of pair
    CHECK_CONTAINS(text, "\"why\": \"captured into a graph: when that runs is not traced\"");
    CHECK_CONTAINS(text, "\"ran\": \"shared\"");
    CHECK_CONTAINS(text, "\"lost\": 0");
}

TEST(blocks_locals_and_results_of_a_captured_launch_are_its_own_in_every_replay)
{
    struct stage stage;
    open_stage(&stage);
    void *graph = NULL;
    rill_array sum = {0};
    OK(rill_array_create(stage.world.context, RILL_I64, RILL_SHAPE(1), &sum));
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.pair, stage.wrapped, RILL_ARGS(N, stage.x, stage.y)));    // x += 2, y += 3 + x
    OK(rill_launch(stage.checked, stage.wrapped, RILL_ARGS(N, 1 << 30, stage.x))); // has a failure record
    OK(rill_launch_result(stage.total, stage.wrapped, RILL_ARGS(N, stage.x), sum));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    enum { TIMES = 20 };
    replay(&stage, graph, TIMES);
    CHECK_INT(first_of(&stage, stage.x), 2 * TIMES);
    CHECK_INT(first_of(&stage, stage.y), 3 * TIMES + TIMES * (TIMES + 1));
    long host = 0;
    OK(rill_array_read(sum, RILL_CURRENT, &host, sizeof host));
    CHECK_INT(host, 2L * TIMES * N);
    close_stage(&stage);
}

static void ignore(void *user, rill_status status)
{
    (void)user;
    (void)status;
}

TEST(what_cannot_be_captured_fails_with_words_and_the_capture_goes_on)
{
    struct stage stage;
    open_stage(&stage);
    int host[N];
    long sum = 0;
    rill_event event = {0};
    rill_event inside = {0};
    void *graph = NULL;
    OK(rill_event_create(stage.world.context, NULL, &event));
    OK(rill_event_create(stage.world.context, NULL, &inside));
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    STATUS(rill_stream_synchronize(stage.wrapped), RILL_ERR_CAPTURING);
    CHECK_CONTAINS(rill_message(), "captured");
    STATUS(rill_stream_query(stage.wrapped), RILL_ERR_CAPTURING);
    STATUS(rill_stream_callback(stage.wrapped, ignore, NULL), RILL_ERR_CAPTURING);
    STATUS(rill_array_read(stage.x, stage.wrapped, host, sizeof host), RILL_ERR_CAPTURING);
    STATUS(rill_array_read_async(stage.x, stage.wrapped, host, sizeof host), RILL_ERR_CAPTURING);
    STATUS(rill_array_write(stage.x, stage.wrapped, host, sizeof host), RILL_ERR_CAPTURING);
    STATUS(rill_call(stage.total, stage.wrapped, RILL_ARGS(N, stage.x), &sum, sizeof sum), RILL_ERR_CAPTURING);
    STATUS(rill_launch(stage.talk, stage.wrapped, RILL_ARGS(3)), RILL_ERR_CAPTURING);
    CHECK_CONTAINS(rill_message(), "prints");
    OK(rill_event_record(inside, stage.wrapped));
    STATUS(rill_event_synchronize(inside), RILL_ERR_CAPTURING);
    OK(rill_sync(stage.world.context)); // what was queued before
    rill_array extra = {0};
    OK(rill_array_create(stage.world.context, RILL_I32, RILL_SHAPE(N), &extra)); // and others go on
    OK(rill_launch(stage.add, RILL_CURRENT, RILL_ARGS(N, 1, extra)));
    OK(rill_stream_synchronize(rill_default_stream(stage.world.context)));
    OK(rill_array_destroy(extra));
    int three = 3;
    OK(rill_array_fill(stage.y, stage.wrapped, &three, sizeof three));
    OK(rill_array_copy(stage.x, stage.y, stage.wrapped));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 4, stage.x)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    replay(&stage, graph, 2);
    CHECK_INT(first_of(&stage, stage.x), 7);
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    OK(rill_event_record(event, stage.wrapped));
    OK(rill_event_synchronize(event));
    CHECK_INT(first_of(&stage, stage.x), 8);
    close_stage(&stage);
}

TEST(streams_fork_and_join_inside_a_capture)
{
    struct stage stage;
    open_stage(&stage);
    rill_stream side = {0};
    rill_event forked = {0};
    rill_event joined = {0};
    void *graph = NULL;
    OK(rill_stream_create(stage.world.context, NULL, &side));
    OK(rill_event_create(stage.world.context, NULL, &forked));
    OK(rill_event_create(stage.world.context, NULL, &joined));
    OK(rill_launch(stage.add, side, RILL_ARGS(N, 9, stage.y)));
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    OK(rill_event_record(forked, stage.wrapped));
    OK(rill_event_wait(forked, side));
    OK(rill_launch(stage.add, side, RILL_ARGS(N, 1, stage.x)));
    STATUS(rill_stream_synchronize(side), RILL_ERR_CAPTURING);
    OK(rill_event_record(joined, side));
    OK(rill_event_wait(joined, stage.wrapped));
    OK(rill_launch(stage.pair, stage.wrapped, RILL_ARGS(N, stage.x, stage.y)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    CHECK_INT(first_of(&stage, stage.x), 0);
    CHECK_INT(first_of(&stage, stage.y), 9);
    replay(&stage, graph, 10);
    CHECK_INT(first_of(&stage, stage.x), 40);
    OK(rill_launch(stage.add, side, RILL_ARGS(N, 1, stage.x)));
    OK(rill_stream_destroy(side));
    CHECK_INT(first_of(&stage, stage.x), 41);
    close_stage(&stage);
}

TEST(a_failure_in_a_replay_is_found_on_the_stream_that_was_captured)
{
    struct stage stage;
    open_stage(&stage);
    void *graph = NULL;
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.checked, stage.wrapped, RILL_ARGS(N, 5, stage.x)));
    OK(rill_launch(stage.add, stage.wrapped, RILL_ARGS(N, 1, stage.x)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    void *exec = NULL;
    CU(stage.instantiate(&exec, graph, 0));
    CU(stage.graph_destroy(graph));
    for (int round = 0; round < 2; round++) {
        others_set(&stage, stage.stream, stage.x_at, 0);
        for (int i = 0; i < 5; i++) {
            CU(stage.launch(exec, stage.stream));
        }
        CU(stage.synchronize(stage.stream));
        OK(rill_stream_synchronize(stage.wrapped));
        CU(stage.launch(exec, stage.stream));
        CU(stage.synchronize(stage.stream));
        STATUS(rill_stream_synchronize(stage.wrapped), RILL_ERR_ASSERT);
        CHECK_CONTAINS(rill_message(), "x[i] < limit");
        rill_error_info info;
        OK(rill_stream_error(stage.wrapped, &info));
        CHECK_STR(info.kernel, "checked");
        OK(rill_stream_clear_error(stage.wrapped));
    }
    CU(stage.exec_destroy(exec));
    close_stage(&stage);
}

TEST(a_captured_graph_may_outlive_stream_and_context)
{
    struct stage stage;
    open_stage(&stage);
    void *graph = NULL;
    CU(stage.begin(stage.stream, 0));
    OK(rill_launch(stage.checked, stage.wrapped, RILL_ARGS(N, 5, stage.x)));
    OK(rill_launch(stage.pair, stage.wrapped, RILL_ARGS(N, stage.x, stage.y)));
    CU(stage.end(stage.stream, &graph));
    REQUIRE(graph != NULL);
    OK(rill_stream_destroy(stage.wrapped));
    world_close(&stage.world);
    CU(stage.graph_destroy(graph));
    CU(stage.stream_destroy(stage.stream));
    if (!is_hip()) {
        CU(stage.context_set(NULL));
        CU(stage.release(0));
    }
}

TEST(the_cpu_has_no_native_streams_and_says_so)
{
    if (!world_is_cpu()) {
        SKIP("only on the CPU");
    }
    struct world world;
    world_open(&world, 0);
    rill_stream stream = {1};
    STATUS(rill_stream_wrap(world.context, NULL, &stream), RILL_ERR_UNSUPPORTED);
    CHECK(stream.id == 0);
    void *native = &world;
    STATUS(rill_stream_native(rill_default_stream(world.context), &native), RILL_ERR_UNSUPPORTED);
    CHECK(native == NULL);
    world_close(&world);
}
