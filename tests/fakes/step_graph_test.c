// A step is one graph of the driver: what its launches cost in calls of the driver, counted on the stand-in, and what
// it does where a graph cannot be had.
#include "ok.h"
#include "stand_in.h"

enum { N = 100, LAUNCHES = 200 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "kernel void add(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] += v; }\n"
    "kernel void get(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
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
