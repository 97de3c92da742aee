// A step is one graph of the driver: what its launches cost in calls of the driver, counted on the stand-in, and what
// it does where a graph cannot be had.
#include "ok.h"
#include "stand_in.h"

#include <semaphore.h>
#include <unistd.h>

enum { N = 100, LAUNCHES = 200 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "kernel void add(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] += v; }\n"
    "kernel void get(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void reach(int n, int limit, const int x[n], int flag[1]) { if (x[0] >= limit) flag[0] = 1; }\n"
    "kernel void halve(int n, int x[n])\n"
    "{\n"
    "    while (x[0] > 10) {\n"
    "        for (int i = 0; i < n; i++) x[i] /= 2;\n"
    "    }\n"
    "}\n"
    "kernel void blocks(int n, int v, int x[n], int y[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) x[i] += v; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) y[i] += 2 * v; }\n"
    "    for (int i = 0; i < n; i++) x[i] += y[i];\n"
    "}\n"
    "kernel void checked(int n, int v, int x[n]) { for (int i = 0; i < n; i++) { assert(v >= 0); x[i] += v; } }\n";

static long (*calls)(const char *);

struct stage {
    rill_context context;
    rill_module module;
    rill_array x, y, z, one;
};

static rill_array array_of(struct stage *s, int n)
{
    rill_array array = {0};
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(n), &array));
    return array;
}

static void open_stage(struct stage *s, const char *mode)
{
    setenv("RILL_GRAPH", mode, 1);
    void *library = use_stand_in();
    *(void **)&calls = dlsym(library, "stand_in_calls");
    REQUIRE(calls != NULL);
    OK(rill_open("cuda:0", NULL, &s->context));
    OK(rill_module_create(s->context, source, NULL, &s->module));
    s->x = array_of(s, N);
    s->y = array_of(s, N);
    s->z = array_of(s, N);
    s->one = array_of(s, 1);
}

static rill_kernel kernel_of(struct stage *s, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->module, name, &kernel));
    return kernel;
}

static int first_of(rill_array array)
{
    int got = -1;
    OK(rill_array_read_at(array, RILL_CURRENT, 0, &got, 1));
    return got;
}

static rill_step record(struct stage *s, void (*parts)(struct stage *s))
{
    rill_step step = {0};
    OK(rill_record_begin(s->context));
    parts(s);
    OK(rill_record_end(s->context, &step));
    return step;
}

struct count {
    long graphs;
    long sets;
    long tasks;
    long copies;
    long instances;
};

static struct count count_now(void)
{
    return (struct count){calls("cuGraphLaunch"),
                          calls("cuGraphExecKernelNodeSetParams") + calls("cuGraphExecMemcpyNodeSetParams") +
                              calls("cuGraphExecMemsetNodeSetParams"),
                          calls("cuLaunchKernel"), calls("cuMemcpyAsync") + calls("cuMemsetD32Async"),
                          calls("cuGraphInstantiateWithFlags")};
}

static struct count count_since(struct count before)
{
    struct count now = count_now();
    return (struct count){now.graphs - before.graphs, now.sets - before.sets, now.tasks - before.tasks,
                          now.copies - before.copies, now.instances - before.instances};
}

static void many_parts(struct stage *s)
{
    static const int seven = 7;
    OK(rill_array_fill(s->y, RILL_CURRENT, &seven, sizeof seven));
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 3, s->x)));
    OK(rill_launch(kernel_of(s, "blocks"), RILL_CURRENT, RILL_ARGS(N, 2, s->x, s->y)));
    OK(rill_array_copy(s->z, s->x, RILL_CURRENT));
    OK(rill_launch_result(kernel_of(s, "sum"), RILL_CURRENT, RILL_ARGS(N, s->z), s->one));
    for (int i = 0; i < 10; i++) {
        OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 1, s->y)));
    }
}

TEST(a_step_is_one_launch_of_a_graph)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_step step = record(&s, many_parts);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    OK(rill_sync(s.context));
    struct count before = count_now();
    for (int i = 0; i < LAUNCHES; i++) {
        OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    }
    struct count count = count_since(before);
    CHECK_INT(count.graphs, LAUNCHES);
    CHECK_INT(count.sets, 0);
    CHECK_INT(count.tasks, 0);
    CHECK_INT(count.copies, 0);
    CHECK_INT(count.instances, 0);
    int x = 0;
    for (int i = 0; i <= LAUNCHES; i++) {
        x += 3 + 2 + 7 + 4;
    }
    CHECK_INT(first_of(s.x), x);
    CHECK_INT(first_of(s.y), 7 + 4 + 10);
    CHECK_INT(first_of(s.z), x);
    CHECK_INT(first_of(s.one), x * N);
    rill_stats stats;
    OK(rill_context_stats(s.context, &stats));
    CHECK_INT(stats.launch_count, (LAUNCHES + 1) * 13);
    OK(rill_close(s.context));
}

// What has another value is set, and nothing else.
TEST(values_set_the_parts_that_they_change)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_step step = record(&s, many_parts);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET_AT(1, 1, 1))));
    struct count before = count_now();
    for (int i = 0; i < LAUNCHES; i++) {
        OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET_AT(1, 1, i))));
    }
    struct count count = count_since(before);
    CHECK_INT(count.graphs, LAUNCHES);
    CHECK_INT(count.sets, LAUNCHES);
    CHECK_INT(count.tasks, 0);
    CHECK_INT(count.instances, 0);
    int x = 3 + 13 + 1 + 13;
    for (int i = 0; i < LAUNCHES; i++) {
        x += i + 13;
    }
    CHECK_INT(first_of(s.x), x);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES)); // the recorded ones again
    CHECK_INT(first_of(s.x), x + 3 + 13);
    OK(rill_close(s.context));
}

static void two_adds(struct stage *s)
{
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 3, s->x)));
    OK(rill_launch(kernel_of(s, "get"), RILL_CURRENT, RILL_ARGS(N, s->y, s->z)));
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 4, s->y)));
}

// The second add follows the first only with the array of the value.
TEST(another_order_is_another_graph)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_step step = record(&s, two_adds);
    for (int i = 0; i < LAUNCHES; i++) {
        OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
        OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET_AT(0, 2, s.y))));
    }
    CHECK_INT(first_of(s.x), 3 * LAUNCHES);
    CHECK_INT(first_of(s.y), (4 + 3 + 4) * LAUNCHES);
    CHECK_INT(first_of(s.z), (4 + 3 + 4) * (LAUNCHES - 1) + 4 + 3);
    OK(rill_close(s.context));
}

static void with_control(struct stage *s)
{
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 1000, s->x)));
    OK(rill_launch(kernel_of(s, "halve"), RILL_CURRENT, RILL_ARGS(N, s->x)));
    OK(rill_launch(kernel_of(s, "get"), RILL_CURRENT, RILL_ARGS(N, s->x, s->y)));
}

// The loop over device data is a node of the step's graph.
TEST(control_over_data_is_part_of_the_graph)
{
    struct stage s;
    open_stage(&s, "auto");
    setenv("RILL_RESIDENT", "off", 1);
    rill_step step = record(&s, with_control);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    struct count before = count_now();
    int x = 7;
    CHECK_INT(first_of(s.y), 7); // 1000, 500, 250, 125, 62, 31, 15, 7
    before = count_now();
    for (int i = 0; i < 10; i++) {
        OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
        for (x += 1000; x > 10;) {
            x /= 2;
        }
    }
    struct count count = count_since(before);
    CHECK_INT(count.graphs, 10);
    CHECK_INT(count.tasks, 0);
    CHECK_INT(first_of(s.y), x);
    OK(rill_close(s.context));
}

static void with_a_check(struct stage *s)
{
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 3, s->x)));
    OK(rill_launch(kernel_of(s, "checked"), RILL_CURRENT, RILL_ARGS(N, 4, s->x)));
}

// What may fail brings its record to the host, and so goes by itself.
TEST(what_may_fail_is_launched_part_by_part_and_says_so)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_step step = record(&s, with_a_check);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    CHECK_INT(first_of(s.x), 7);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET("checked.v", -1))));
    CHECK(rill_sync(s.context) == RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(rill_default_stream(s.context)));
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    OK(rill_sync(s.context));
    OK(rill_close(s.context));
}

static void counting(struct stage *s)
{
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 2, s->x)));
    OK(rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 1, s->y)));
    OK(rill_launch(kernel_of(s, "reach"), RILL_CURRENT, RILL_ARGS(N, 500, s->x, s->one)));
}

// A launch of any number of rounds is one call of the driver, and the host waits for none of them.
TEST(rounds_are_a_loop_of_the_device)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_step step = record(&s, counting);
    OK(rill_step_until(step, s.one));
    struct count before = count_now();
    long waits = calls("cuStreamSynchronize") + calls("cuEventSynchronize");
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    CHECK_INT(count_since(before).graphs, 1);
    CHECK_INT(count_since(before).tasks, 0);
    CHECK(calls("cuStreamSynchronize") + calls("cuEventSynchronize") <= waits + 1); // memory of the graph
    CHECK_INT(first_of(s.x), 500);
    CHECK_INT(first_of(s.y), 250);
    OK(rill_step_until(step, (rill_array){0}));
    OK(rill_step_repeat(step, 1000));
    before = count_now();
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    CHECK_INT(count_since(before).graphs, 2);
    CHECK_INT(count_since(before).instances, 1);
    CHECK_INT(first_of(s.x), 500 + 2 * 2000);
    OK(rill_close(s.context));
}

// With graphs off each part is a call of its own.
TEST(without_graphs_a_step_does_the_same)
{
    struct stage s;
    open_stage(&s, "off");
    rill_step step = record(&s, many_parts);
    struct count before = count_now();
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    struct count count = count_since(before);
    CHECK_INT(count.graphs, 0);
    CHECK(count.tasks >= 13);
    CHECK_INT(first_of(s.x), 16);
    CHECK_INT(first_of(s.one), 16 * N);
    OK(rill_close(s.context));
}

// ---- with others --------------------------------------------------------------------------------------------------

static void begin_capture(void *stream)
{
    int (*begin)(void *, int);
    *(void **)&begin = dlsym(stand_in_library(), "cuStreamBeginCapture_v2");
    REQUIRE(begin != NULL && begin(stream, 2) == 0);
}

static void *end_capture(void *stream)
{
    int (*end)(void *, void **);
    void *graph = NULL;
    *(void **)&end = dlsym(stand_in_library(), "cuStreamEndCapture");
    REQUIRE(end != NULL && end(stream, &graph) == 0);
    return graph;
}

static void launch_captured(void *graph, void *stream, int times)
{
    int (*instantiate)(void **, void *, unsigned long long);
    int (*run)(void *, void *);
    int (*destroy)(void *);
    void *exec = NULL;
    *(void **)&instantiate = dlsym(stand_in_library(), "cuGraphInstantiateWithFlags");
    *(void **)&run = dlsym(stand_in_library(), "cuGraphLaunch");
    *(void **)&destroy = dlsym(stand_in_library(), "cuGraphExecDestroy");
    REQUIRE(instantiate(&exec, graph, 0) == 0);
    for (int i = 0; i < times; i++) {
        REQUIRE(run(exec, stream) == 0);
    }
    REQUIRE(destroy(exec) == 0);
    *(void **)&destroy = dlsym(stand_in_library(), "cuGraphDestroy");
    REQUIRE(destroy(graph) == 0);
}

// A step on a stream of others is a graph there too; while they capture the stream its parts become nodes of theirs,
// also with values that the step's own graph has not seen.
TEST(a_step_goes_into_the_graph_of_others)
{
    struct stage s;
    open_stage(&s, "auto");
    rill_stream wrapped = {0};
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*create)(void **, unsigned, int);
    *(void **)&retain = dlsym(stand_in_library(), "cuDevicePrimaryCtxRetain");
    *(void **)&set_current = dlsym(stand_in_library(), "cuCtxSetCurrent");
    *(void **)&create = dlsym(stand_in_library(), "cuStreamCreateWithPriority");
    void *theirs = NULL, *primary = NULL;
    REQUIRE(retain(&primary, 0) == 0 && set_current(primary) == 0 && create(&theirs, 1, 0) == 0);
    OK(rill_stream_wrap(s.context, theirs, &wrapped));
    rill_step step = record(&s, two_adds);
    OK(rill_step_launch(step, wrapped, RILL_NO_VALUES));
    struct count before = count_now();
    OK(rill_step_launch(step, wrapped, RILL_NO_VALUES));
    CHECK_INT(count_since(before).graphs, 1);
    OK(rill_stream_synchronize(wrapped));
    begin_capture(theirs);
    OK(rill_step_launch(step, wrapped, RILL_VALUES(RILL_SET_AT(0, 1, 100))));
    void *graph = end_capture(theirs);
    CHECK_INT(first_of(s.x), 6); // nothing of it has run
    launch_captured(graph, theirs, 2);
    OK(rill_step_launch(step, wrapped, RILL_VALUES(RILL_SET_AT(0, 1, 100))));
    OK(rill_step_launch(step, wrapped, RILL_NO_VALUES));
    OK(rill_stream_synchronize(wrapped));
    CHECK_INT(first_of(s.x), 6 + 200 + 100 + 3);
    CHECK_INT(first_of(s.y), 6 * 4);
    OK(rill_stream_destroy(wrapped));
    OK(rill_close(s.context));
}

static void let_go(void *user, rill_status status)
{
    (void)status;
    sem_wait(user);
}

// Behind a callback that has not returned the parts are put off, also those that have new values.
TEST(behind_a_callback_a_step_is_put_off)
{
    struct stage s;
    open_stage(&s, "auto");
    sem_t gate;
    sem_init(&gate, 0, 0);
    rill_step step = record(&s, two_adds);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    OK(rill_stream_callback(rill_default_stream(s.context), let_go, &gate));
    OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET_AT(0, 1, 100))));
    sem_post(&gate);
    CHECK_INT(first_of(s.x), 103);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET_AT(0, 1, 100))));
    CHECK_INT(first_of(s.x), 203);
    OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    CHECK_INT(first_of(s.x), 206);
    OK(rill_close(s.context));
    sem_destroy(&gate);
}

static int count_in_file(const char *path, const char *text)
{
    static char line[1 << 16];
    int count = 0;
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        count += strstr(line, text) != NULL;
    }
    fclose(file);
    return count;
}

TEST(a_trace_shows_each_part_of_each_launch)
{
    struct stage s;
    char path[64];
    snprintf(path, sizeof path, "/tmp/rill-step-trace-%d.json", (int)getpid());
    setenv("RILL_TRACE", path, 1);
    open_stage(&s, "auto");
    unsetenv("RILL_TRACE");
    rill_step step = record(&s, two_adds);
    for (int i = 0; i < 3; i++) {
        OK(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
    }
    CHECK_INT(first_of(s.x), 9);
    OK(rill_close(s.context));
    CHECK_INT(count_in_file(path, "\"name\": \"add.0\""), 6);
    CHECK_INT(count_in_file(path, "\"name\": \"get.0\""), 3);
    unlink(path);
}
