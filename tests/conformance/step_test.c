// Steps (rill/step.h): what is recorded does not run; what is launched gives the results of what was recorded, in its
// sequence, with the values of the launch; what need not follow does not.
#include "world.h"

#include <pthread.h>

enum { N = 64, THREADS = 4 };

static const char step_source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "struct by { int a, b; };\n"
    "kernel void put(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] = v; }\n"
    "kernel void add(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] += v; }\n"
    "kernel void mul(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] *= v; }\n"
    "kernel void get(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n"
    "kernel void sum2(int n, const int x[n], const int y[n], int z[n]) { for (int i = 0; i < n; i++) z[i] = x[i] + "
    "y[i]; }\n"
    "kernel void part(int n, int from, int to, int v, int x[n]) { for (int i = from; i < to; i++) x[i] = v; }\n"
    "kernel void shift(int n, struct by by, int x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] * by.a + by.b; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void fails(int n, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] < 0); }\n"
    "kernel void blocks(int n, int v, int x[n], int y[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) x[i] = v; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) y[i] = 2 * v; }\n"
    "    for (int i = 0; i < n; i++) x[i] += y[i];\n"
    "}\n"
    "kernel void own(int n, int v, int x[n])\n"
    "{ int a[n]; for (int i = 0; i < n; i++) a[i] = x[(i + 1) % n] + v; for (int i = 0; i < n; i++) x[i] = a[i]; }\n"
    "kernel void through(int n, int v, int *p) { for (int i = 0; i < n; i++) p[i] += v; }\n"
    "kernel void reach(int n, int limit, const int x[n], int flag[1]) { if (x[0] >= limit) flag[0] = 1; }\n"
    "kernel void down(int n, int x[n]) { while (x[0] > 5) { for (int i = 0; i < n; i++) x[i] -= 3; } }\n";

struct scene {
    struct world world;
    rill_module module;
    rill_array x, y, z, w;
    rill_stream a, b;
};

static rill_kernel kernel_of(struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->module, name, &kernel));
    return kernel;
}

static void open_scene_with(struct scene *s, rill_order order)
{
    memset(s, 0, sizeof *s);
    rill_open_options options = {.log = world_log, .log_user = &s->world, .thread_count = 2, .order = order};
    if (rill_open(world_device(), &options, &s->world.context) != RILL_OK ||
        rill_module_create(s->world.context, step_source, NULL, &s->module) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
    s->x = world_array(&s->world, RILL_I32, N);
    s->y = world_array(&s->world, RILL_I32, N);
    s->z = world_array(&s->world, RILL_I32, N);
    s->w = world_array(&s->world, RILL_I32, N);
    OK(rill_stream_create(s->world.context, NULL, &s->a));
    OK(rill_stream_create(s->world.context, NULL, &s->b));
}

static void open_scene(struct scene *s)
{
    open_scene_with(s, RILL_ORDER_MANUAL);
}

static void close_scene(struct scene *s)
{
    OK(rill_close(s->world.context));
}

static void begin(struct scene *s)
{
    OK(rill_record_begin(s->world.context));
}

static rill_step end(struct scene *s)
{
    rill_step step = {0};
    OK(rill_record_end(s->world.context, &step));
    return step;
}

// One of an array's elements, which are all alike.
static int value_on(rill_array array, rill_stream stream)
{
    int got[N] = {0};
    OK(rill_array_read(array, stream, got, sizeof got));
    for (int i = 1; i < N; i++) {
        if (got[i] != got[0]) {
            FAIL("element %d is %d, the first %d", i, got[i], got[0]);
            break;
        }
    }
    return got[0];
}

static int value_of(struct scene *s, rill_array array)
{
    OK(rill_sync(s->world.context));
    return value_on(array, s->a);
}

// A launch with values. (In OK() and STATUS() the text of the check would be too long.)
#define LAUNCH(step, stream, ...)                                                                                      \
    do {                                                                                                               \
        rill_step_values values_ = RILL_VALUES(__VA_ARGS__);                                                           \
        OK(rill_step_launch(step, stream, values_));                                                                   \
    } while (0)
#define REFUSED(status, step, stream, ...)                                                                             \
    do {                                                                                                               \
        rill_step_values values_ = RILL_VALUES(__VA_ARGS__);                                                           \
        STATUS(rill_step_launch(step, stream, values_), status);                                                       \
    } while (0)

static rill_step_info info_of(rill_step step)
{
    rill_step_info info = {0};
    OK(rill_step_describe(step, &info));
    return info;
}

TEST(what_is_recorded_runs_when_the_step_is_launched)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 3, s.x)));
    OK(rill_launch(kernel_of(&s, "mul"), s.a, RILL_ARGS(N, 5, s.x)));
    rill_step step = end(&s);
    CHECK_INT(value_of(&s, s.x), 0);
    for (int i = 0; i < 3; i++) {
        OK(rill_step_launch(step, s.b, RILL_NO_VALUES));
    }
    CHECK_INT(value_on(s.x, s.b), ((3 * 5 + 3) * 5 + 3) * 5);
    OK(rill_launch(kernel_of(&s, "add"), s.b, RILL_ARGS(N, 1, s.x))); // the recording is over
    CHECK_INT(value_on(s.x, s.b), ((3 * 5 + 3) * 5 + 3) * 5 + 1);
    OK(rill_step_destroy(step));
    STATUS(rill_step_launch(step, s.b, RILL_NO_VALUES), RILL_ERR_STALE);
    close_scene(&s);
    STATUS(rill_step_launch(step, s.b, RILL_NO_VALUES), RILL_ERR_STALE);
}

TEST(parts_that_touch_different_bytes_do_not_follow_each_other)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), RILL_CURRENT, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "put"), RILL_CURRENT, RILL_ARGS(N, 2, s.y)));
    OK(rill_launch(kernel_of(&s, "sum2"), RILL_CURRENT, RILL_ARGS(N, s.x, s.y, s.z)));
    OK(rill_launch(kernel_of(&s, "part"), RILL_CURRENT, RILL_ARGS(N, 0, N / 2, 7, s.w)));
    OK(rill_launch(kernel_of(&s, "part"), RILL_CURRENT, RILL_ARGS(N, N / 2, N, 7, s.w)));
    rill_step step = end(&s);
    rill_step_info info = info_of(step);
    CHECK_INT(info.operation_count, 5);
    CHECK_INT(info.dependency_count, 2);
    CHECK_INT(info.depth, 2);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    CHECK_INT(value_on(s.z, s.a), 3);
    CHECK_INT(value_on(s.w, s.a), 7);
    close_scene(&s);
}

// A diamond in which each side is long, many times: whoever does not wait reads what is not there yet.
TEST(what_follows_waits_for_all_that_it_follows)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "get"), s.a, RILL_ARGS(N, s.x, s.y)));
    OK(rill_launch(kernel_of(&s, "get"), s.b, RILL_ARGS(N, s.x, s.z)));
    OK(rill_launch(kernel_of(&s, "add"), s.b, RILL_ARGS(N, 10, s.z)));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, s.y, s.z, s.x)));
    rill_step step = end(&s);
    int expected = 0;
    for (int i = 0; i < 20; i++) {
        OK(rill_step_launch(step, i % 2 == 0 ? s.a : s.b, RILL_NO_VALUES));
        expected = 2 * (expected + 1) + 10;
        OK(rill_stream_wait(i % 2 == 0 ? s.b : s.a, i % 2 == 0 ? s.a : s.b));
    }
    CHECK_INT(value_of(&s, s.x), expected);
    close_scene(&s);
}

TEST(values_are_given_by_name_by_kernel_by_number_and_by_array)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2, s.x)));
    OK(rill_launch(kernel_of(&s, "mul"), s.a, RILL_ARGS(N, 3, s.x)));
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 4, s.x)));
    rill_step step = end(&s);
    LAUNCH(step, s.a, RILL_SET("v", 5));
    CHECK_INT(value_on(s.x, s.a), 5 * 5 + 5);
    LAUNCH(step, s.a, RILL_SET("mul.v", 10));
    CHECK_INT(value_on(s.x, s.a), 2 * 10 + 4);
    LAUNCH(step, s.a, RILL_SET_AT(2, 1, 100), RILL_SET_AT(0, 1, 1));
    CHECK_INT(value_on(s.x, s.a), 1 * 3 + 100);
    LAUNCH(step, s.a, RILL_SET_ARRAY(s.x, s.y));
    CHECK_INT(value_on(s.y, s.a), 2 * 3 + 4);
    CHECK_INT(value_on(s.x, s.a), 1 * 3 + 100);
    LAUNCH(step, s.a, RILL_SET("v", 5), RILL_SET("add.v", 6)); // the later one holds
    CHECK_INT(value_on(s.x, s.a), 5 * 5 + 6);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES)); // the others held for their launch
    CHECK_INT(value_on(s.x, s.a), 2 * 3 + 4);
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET("dt", 1));
    CHECK_CONTAINS(rill_message(), "'dt'");
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET("put.w", 1));
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET_AT(3, 0, 1));
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET_AT(0, 3, 1));
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET_ARRAY(s.z, s.y));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("v", 0.5));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("n", N + 1));
    rill_step_value unset = {.name = "v"};
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, unset);
    unset.value.kind = 100;
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, unset);
    STATUS(rill_step_launch(step, s.a, ((rill_step_values){NULL, 1})), RILL_ERR_INVALID);
    CHECK_INT(value_on(s.x, s.a), 2 * 3 + 4); // what was refused has queued nothing
    LAUNCH(step, s.a, RILL_SET("mul.v", 1));
    CHECK_INT(value_on(s.x, s.a), 2 * 1 + 4);
    close_scene(&s);
}

// With one array in place of two, what did not follow does.
TEST(values_that_change_what_is_touched_change_the_order)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    for (int i = 0; i < 8; i++) {
        OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
        OK(rill_launch(kernel_of(&s, "mul"), s.a, RILL_ARGS(N, 3, s.y)));
    }
    rill_step step = end(&s);
    CHECK_INT(info_of(step).depth, 8);
    int together = 0;
    for (int i = 0; i < 8; i++) {
        together = (together + 1) * 3;
    }
    for (int round = 0; round < 6; round++) { // the arrays take turns
        OK(rill_array_fill(s.z, s.a, &(int){0}, sizeof(int)));
        LAUNCH(step, s.a, RILL_SET_ARRAY(s.x, s.z), RILL_SET_ARRAY(s.y, s.z));
        CHECK_INT(value_on(s.z, s.a), together);
        OK(rill_array_fill(s.x, s.a, &(int){0}, sizeof(int)));
        OK(rill_array_fill(s.y, s.a, &(int){1}, sizeof(int)));
        OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
        CHECK_INT(value_on(s.x, s.a), 8);
        CHECK_INT(value_on(s.y, s.a), 6561);
    }
    close_scene(&s);
}

TEST(copies_fills_and_results_are_recorded)
{
    struct scene s;
    open_scene(&s);
    int host[N], back[N] = {0};
    for (int i = 0; i < N; i++) {
        host[i] = 3;
    }
    rill_array total = world_array(&s.world, RILL_I32, 1);
    begin(&s);
    OK(rill_array_fill(s.y, s.a, &(int){7}, sizeof(int)));
    OK(rill_array_write_async(s.x, s.a, host, sizeof host));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, s.x, s.y, s.z)));
    OK(rill_array_copy(s.w, s.z, s.b));
    OK(rill_launch_result(kernel_of(&s, "sum"), s.b, RILL_ARGS(N, s.w), total));
    OK(rill_array_read_async(s.w, s.a, back, sizeof back));
    OK(rill_array_write_at_async(s.w, s.a, N - 1, host, 1));
    rill_step step = end(&s);
    CHECK_INT(info_of(step).operation_count, 7);
    CHECK_INT(value_of(&s, s.y), 0);
    for (int round = 0; round < 3; round++) {
        OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
        int got = 0;
        OK(rill_array_read(total, s.a, &got, sizeof got));
        CHECK_INT(got, 10 * N);
        CHECK_INT(back[N - 1], 10);
        OK(rill_array_read_at(s.w, s.a, N - 1, &got, 1));
        CHECK_INT(got, 3);
    }
    int seven = 9, other[N], more[N];
    for (int i = 0; i < N; i++) {
        more[i] = 4;
    }
    LAUNCH(step, s.a, RILL_SET("rill_array_fill.element", RILL_STRUCT(seven)),
           RILL_SET("rill_array_write_async.source", RILL_HOST(more, N)), RILL_SET_AT(5, 0, RILL_HOST(other, N)),
           RILL_SET("sum.result", total), RILL_SET("rill_array_copy.target", s.x));
    OK(rill_stream_synchronize(s.a));
    int sum = 0;
    OK(rill_array_read(total, s.a, &sum, sizeof sum));
    CHECK_INT(sum, 10 * (N - 1) + 3); // the sum of w, which nothing has written this time
    CHECK_INT(value_on(s.x, s.a), 13);
    CHECK_INT(other[0], 10);
    REFUSED(RILL_ERR_NOT_FOUND, step, s.a, RILL_SET("target", s.x));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("rill_array_copy.target", 1));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("rill_array_fill.element", 1));
    REFUSED(RILL_ERR_INVALID, step, s.a, RILL_SET("rill_array_copy.target", total));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("rill_array_read_async.target", RILL_HOST(other, 2)));
    REFUSED(RILL_ERR_ARGUMENTS, step, s.a, RILL_SET("sum.result", s.x), RILL_SET("sum.x", 1));
    OK(rill_sync(s.world.context));
    close_scene(&s);
}

TEST(a_step_keeps_what_it_uses)
{
    struct scene s;
    open_scene(&s);
    rill_kernel add = kernel_of(&s, "add");
    rill_array view = {0}, gone = world_array(&s.world, RILL_I32, N);
    OK(rill_array_view(s.x, 0, RILL_SHAPE(N), &view));
    begin(&s);
    OK(rill_launch(add, s.a, RILL_ARGS(N, 2, view)));
    OK(rill_launch(add, s.a, RILL_ARGS(N, 2, gone)));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, view, gone, s.y)));
    rill_step step = end(&s);
    OK(rill_array_destroy(view));
    OK(rill_array_destroy(gone));
    OK(rill_module_destroy(s.module));
    STATUS(rill_launch(add, s.a, RILL_ARGS(N, 2, s.x)), RILL_ERR_STALE);
    for (int i = 1; i < 4; i++) {
        LAUNCH(step, s.a, RILL_SET("add.v", 2));
        CHECK_INT(value_on(s.y, s.a), 4 * i);
    }
    REFUSED(RILL_ERR_STALE, step, s.a, RILL_SET("add.x", gone));
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    OK(rill_step_destroy(step)); // and what was launched runs
    CHECK_INT(value_on(s.y, s.a), 16);
    rill_stats stats;
    OK(rill_sync(s.world.context));
    OK(rill_context_stats(s.world.context, &stats));
    CHECK_INT(stats.array_count, 4);
    CHECK_INT(stats.module_count, 0);
    close_scene(&s);
}

TEST(what_gives_data_or_waits_is_refused_and_the_recording_goes_on)
{
    struct scene s;
    open_scene(&s);
    int host[N] = {0};
    rill_event event = {0}, before = {0};
    double time = 0;
    OK(rill_event_create(s.world.context, NULL, &event));
    OK(rill_event_create(s.world.context, NULL, &before));
    OK(rill_event_record(before, s.a));
    begin(&s);
    STATUS(rill_record_begin(s.world.context), RILL_ERR_RECORDING);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2, s.x)));
    STATUS(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2)), RILL_ERR_ARGUMENTS);
    STATUS(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2, s.x, s.y)), RILL_ERR_ARGUMENTS);
    STATUS(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N + 1, 2, s.x)), RILL_ERR_ARGUMENTS);
    STATUS(rill_array_read(s.x, s.a, host, sizeof host), RILL_ERR_RECORDING);
    CHECK_CONTAINS(rill_message(), "rill_array_read: this thread is recording a step");
    STATUS(rill_array_write(s.x, s.a, host, sizeof host), RILL_ERR_RECORDING);
    STATUS(rill_array_read_at(s.x, s.a, 0, host, 1), RILL_ERR_RECORDING);
    STATUS(rill_call(kernel_of(&s, "sum"), s.a, RILL_ARGS(N, s.x), host, sizeof *host), RILL_ERR_RECORDING);
    STATUS(rill_sync(s.world.context), RILL_ERR_RECORDING);
    STATUS(rill_stream_synchronize(s.a), RILL_ERR_RECORDING);
    STATUS(rill_stream_query(s.a), RILL_ERR_RECORDING);
    STATUS(rill_event_synchronize(before), RILL_ERR_RECORDING);
    STATUS(rill_event_query(before), RILL_ERR_RECORDING);
    STATUS(rill_event_elapsed(before, before, &time), RILL_ERR_RECORDING);
    STATUS(rill_event_wait(before, s.a), RILL_ERR_UNRECORDED);
    STATUS(rill_stream_callback(s.a, world_stand_at_gate, NULL), RILL_ERR_RECORDING);
    OK(rill_event_record(event, s.a));
    rill_step step = end(&s);
    CHECK_INT(info_of(step).operation_count, 1);
    STATUS(rill_event_query(event), RILL_ERR_UNRECORDED); // it was not recorded outside
    STATUS(rill_record_end(s.world.context, &step), RILL_ERR_INVALID);
    STATUS(rill_record_drop(s.world.context), RILL_ERR_INVALID);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 9, s.x)));
    OK(rill_record_drop(s.world.context));
    CHECK_INT(value_of(&s, s.x), 0);
    begin(&s); // closing ends it
    close_scene(&s);
    open_scene(&s);
    begin(&s);
    step = end(&s);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES)); // with nothing in it
    close_scene(&s);
}

TEST(events_and_waits_of_the_recording_order_besides)
{
    struct scene s;
    open_scene(&s);
    rill_event event = {0};
    OK(rill_event_create(s.world.context, NULL, &event));
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 1, s.y)));
    OK(rill_event_record(event, s.a));
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 1, s.w))); // behind the event
    OK(rill_event_wait(event, s.b));
    OK(rill_launch(kernel_of(&s, "put"), s.b, RILL_ARGS(N, 1, s.z)));
    rill_step step = end(&s);
    CHECK_INT(info_of(step).operation_count, 4);
    CHECK_INT(info_of(step).depth, 2);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    CHECK_INT(value_on(s.z, s.a), 1);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2, s.x)));
    OK(rill_stream_wait(s.b, s.a));
    OK(rill_launch(kernel_of(&s, "put"), s.b, RILL_ARGS(N, 2, s.y)));
    OK(rill_stream_wait(s.a, s.b));
    OK(rill_stream_wait(s.a, s.a));
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, 2, s.z)));
    rill_step chain = end(&s);
    CHECK_INT(info_of(chain).depth, 3);
    LAUNCH(chain, s.a, RILL_SET_AT(2, 1, 5));
    CHECK_INT(value_on(s.z, s.a), 5);
    CHECK_INT(value_on(s.y, s.a), 2);
    close_scene(&s);
}

TEST(steps_are_parts_of_steps)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "mul"), s.a, RILL_ARGS(N, 2, s.x)));
    OK(rill_array_copy(s.z, s.x, s.a));
    rill_step inner = end(&s);
    OK(rill_step_repeat(inner, 2));
    begin(&s);
    OK(rill_step_launch(inner, s.a, RILL_NO_VALUES));
    LAUNCH(inner, s.b, RILL_SET_ARRAY(s.x, s.y), RILL_SET("add.v", 4));
    REFUSED(RILL_ERR_ARGUMENTS, inner, s.b, RILL_SET("add.v", 1.5));
    REFUSED(RILL_ERR_ARGUMENTS, inner, s.b, RILL_SET("rill_array_copy.target", 3));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, s.x, s.y, s.w)));
    rill_step outer = end(&s);
    OK(rill_step_destroy(inner));
    OK(rill_array_destroy(s.z));
    CHECK_INT(info_of(outer).operation_count, 13);
    OK(rill_step_launch(outer, s.a, RILL_NO_VALUES));
    int x = (0 + 1) * 2, y = (0 + 4) * 2;
    x = (x + 1) * 2, y = (y + 4) * 2;
    CHECK_INT(value_on(s.w, s.a), x + y);
    LAUNCH(outer, s.a, RILL_SET("add.v", 0), RILL_SET("mul.v", 1), RILL_SET_AT(0, 1, 100));
    CHECK_INT(value_on(s.w, s.a), x + 100 + y);
    STATUS(rill_step_repeat(outer, 0), RILL_ERR_INVALID);
    close_scene(&s);
}

TEST(repeated_steps_run_one_after_the_other)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 2, s.y)));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, s.x, s.y, s.z)));
    rill_step step = end(&s);
    OK(rill_step_repeat(step, 50));
    CHECK_INT(info_of(step).repeat_count, 50);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    CHECK_INT(value_on(s.z, s.a), 150);
    close_scene(&s);
}

TEST(kernels_with_structs_blocks_memory_of_their_own_and_of_the_host)
{
    struct scene s;
    open_scene(&s);
    struct by {
        int a, b;
    } by = {2, 1}, other = {3, 0};
    int host[N] = {0}, second[N] = {0};
    begin(&s);
    OK(rill_launch(kernel_of(&s, "blocks"), s.a, RILL_ARGS(N, 5, s.x, s.y)));
    OK(rill_launch(kernel_of(&s, "shift"), s.a, RILL_ARGS(N, RILL_STRUCT(by), s.x)));
    OK(rill_launch(kernel_of(&s, "own"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "own"), s.a, RILL_ARGS(N, 7, s.y)));
    OK(rill_launch(kernel_of(&s, "get"), s.a, RILL_ARGS(N, s.x, RILL_HOST(host, N))));
    rill_step step = end(&s);
    by.a = 1000; // it was copied
    for (int round = 0; round < 3; round++) {
        memset(host, 0, sizeof host);
        OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
        CHECK_INT(value_on(s.x, s.a), 15 * 2 + 1 + 1);
        CHECK_INT(value_on(s.y, s.a), 17);
        CHECK_INT(host[N - 1], 32);
    }
    LAUNCH(step, s.a, RILL_SET("by", RILL_STRUCT(other)), RILL_SET("get.y", RILL_HOST(second, N)));
    OK(rill_stream_synchronize(s.a));
    CHECK_INT(second[N - 1], 46);
    CHECK_INT(host[N - 1], 32);
    close_scene(&s);
}

TEST(an_error_in_a_part_is_on_the_stream_of_the_launch)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, -1, s.x)));
    OK(rill_launch(kernel_of(&s, "put"), s.a, RILL_ARGS(N, -1, s.y)));
    OK(rill_launch(kernel_of(&s, "fails"), s.a, RILL_ARGS(N, s.x)));
    OK(rill_launch(kernel_of(&s, "fails"), s.a, RILL_ARGS(N, s.y)));
    rill_step step = end(&s);
    for (int i = 0; i < 4; i++) {
        OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
        OK(rill_stream_synchronize(s.a));
        LAUNCH(step, s.a, RILL_SET_AT((size_t)(i % 2), 1, 1));
        STATUS(rill_stream_synchronize(s.a), RILL_ERR_ASSERT);
        rill_error_info info;
        OK(rill_stream_error(s.a, &info));
        CHECK_STR(info.kernel, "fails");
        STATUS(rill_step_launch(step, s.a, RILL_NO_VALUES), RILL_ERR_ASSERT);
        OK(rill_stream_clear_error(s.a));
    }
    OK(rill_step_launch(step, s.b, RILL_NO_VALUES));
    OK(rill_sync(s.world.context));
    close_scene(&s);
}

struct replays {
    struct scene *s;
    rill_step step;
    rill_array x, y;
    rill_stream stream;
    int index;
};

static void *replay(void *arg)
{
    struct replays *r = arg;
    for (int i = 0; i < 40; i++) {
        rill_step_value values[] = {RILL_SET_ARRAY(r->s->x, r->x), RILL_SET_ARRAY(r->s->y, r->y),
                                    RILL_SET("add.v", r->index + i % 3)};
        OK(rill_step_launch(r->step, r->stream, ((rill_step_values){values, 3})));
        if (i % 10 == 9) {
            OK(rill_stream_synchronize(r->stream));
        }
    }
    return NULL;
}

TEST(threads_launch_one_step_at_the_same_time)
{
    struct scene s;
    open_scene(&s);
    pthread_t threads[THREADS];
    struct replays replays[THREADS];
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 2, s.y)));
    OK(rill_launch(kernel_of(&s, "sum2"), s.a, RILL_ARGS(N, s.x, s.y, s.x)));
    rill_step step = end(&s);
    for (int i = 0; i < THREADS; i++) {
        replays[i] = (struct replays){.s = &s, .step = step, .index = i};
        replays[i].x = world_array(&s.world, RILL_I32, N);
        replays[i].y = world_array(&s.world, RILL_I32, N);
        OK(rill_stream_create(s.world.context, NULL, &replays[i].stream));
        pthread_create(&threads[i], NULL, replay, &replays[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        unsigned x = 0, y = 0;
        for (int k = 0; k < 40; k++) {
            x += (unsigned)(i + k % 3);
            y += (unsigned)(i + k % 3);
            x += y;
        }
        CHECK_INT(value_on(replays[i].x, replays[i].stream), (int)x);
        CHECK_INT(value_on(replays[i].y, replays[i].stream), (int)y);
    }
    close_scene(&s);
}

// In automatic order a step follows what other streams have unfinished, and they follow it.
TEST(steps_take_part_in_automatic_order)
{
    struct scene s;
    open_scene_with(&s, RILL_ORDER_AUTO);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "add"), RILL_ANY, RILL_ARGS(N, 1, s.y)));
    rill_step step = end(&s);
    unsigned x = 0, y = 0;
    for (int i = 0; i < 30; i++) {
        OK(rill_step_launch(step, i % 2 == 0 ? s.a : s.b, RILL_NO_VALUES));
        OK(rill_launch(kernel_of(&s, "mul"), i % 3 == 0 ? s.a : s.b, RILL_ARGS(N, 3, s.x)));
        OK(rill_launch(kernel_of(&s, "sum2"), i % 3 == 0 ? s.b : s.a, RILL_ARGS(N, s.x, s.y, s.y)));
        x = (x + 1) * 3;
        y = y + 1 + x;
    }
    CHECK_INT(value_of(&s, s.x), (int)x);
    CHECK_INT(value_of(&s, s.y), (int)y);
    close_scene(&s);
}

static int count_conflicts(struct scene *s)
{
    int count = 0;
    for (const char *at = s->world.logged; (at = strstr(at, "nothing orders the two")) != NULL; at++) {
        count++;
    }
    return count;
}

TEST(steps_are_checked_against_other_streams)
{
    struct scene s;
    open_scene_with(&s, RILL_ORDER_CHECK);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "get"), s.b, RILL_ARGS(N, s.x, s.y)));
    rill_step step = end(&s);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    OK(rill_stream_wait(s.b, s.a));
    OK(rill_step_launch(step, s.b, RILL_NO_VALUES));
    CHECK_INT(count_conflicts(&s), 0); // neither inside of the step nor where a wait is between
    OK(rill_launch(kernel_of(&s, "get"), s.a, RILL_ARGS(N, s.x, s.z)));
    CHECK_INT(count_conflicts(&s), 1);
    CHECK_CONTAINS(s.world.logged, "rill_step_launch");
    OK(rill_sync(s.world.context));
    close_scene(&s);
}

static rill_array flag_of(struct scene *s)
{
    return world_array(&s->world, RILL_I32, 1);
}

static rill_step counting_step(struct scene *s, rill_array flag)
{
    begin(s);
    OK(rill_launch(kernel_of(s, "add"), s->a, RILL_ARGS(N, 2, s->x)));
    OK(rill_launch(kernel_of(s, "add"), s->b, RILL_ARGS(N, 1, s->y)));
    OK(rill_launch(kernel_of(s, "reach"), s->a, RILL_ARGS(N, 20, s->x, flag)));
    return end(s);
}

static void lower(rill_array flag, rill_stream stream)
{
    int zero = 0;
    OK(rill_array_fill(flag, stream, &zero, sizeof zero));
}

TEST(a_step_runs_until_its_flag_says_stop)
{
    struct scene s;
    open_scene(&s);
    rill_array flag = flag_of(&s);
    rill_step step = counting_step(&s, flag);
    OK(rill_step_until(step, flag));
    OK(rill_step_launch(step, s.b, RILL_NO_VALUES));
    CHECK_INT(value_on(s.x, s.b), 20);
    CHECK_INT(value_on(s.y, s.b), 10);
    OK(rill_step_launch(step, s.b, RILL_NO_VALUES)); // still up: one round
    CHECK_INT(value_on(s.x, s.b), 22);
    lower(flag, s.b);
    OK(rill_step_launch(step, s.b, RILL_VALUES(RILL_SET("limit", 50)))); // with another value in every round
    CHECK_INT(value_on(s.x, s.b), 50);
    lower(flag, s.b);
    OK(rill_step_repeat(step, 4)); // at the most
    OK(rill_step_launch(step, s.b, RILL_VALUES(RILL_SET("limit", 1000))));
    CHECK_INT(value_on(s.x, s.b), 58);
    OK(rill_step_until(step, (rill_array){0})); // without a flag again
    OK(rill_step_launch(step, s.b, RILL_NO_VALUES));
    CHECK_INT(value_on(s.x, s.b), 66);
    close_scene(&s);
}

TEST(a_step_keeps_its_flag_and_refuses_what_is_none)
{
    struct scene s;
    open_scene(&s);
    rill_array flag = flag_of(&s);
    rill_array wide = world_array(&s.world, RILL_F64, 1);
    rill_array other = flag_of(&s);
    rill_step step = counting_step(&s, flag);
    STATUS(rill_step_until(step, wide), RILL_ERR_INVALID);
    OK(rill_step_until(step, other));
    OK(rill_step_until(step, flag));
    OK(rill_array_destroy(flag));
    OK(rill_array_destroy(other));
    STATUS(rill_step_until(step, flag), RILL_ERR_STALE);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    CHECK_INT(value_on(s.x, s.a), 20);
    begin(&s);
    STATUS(rill_step_launch(step, s.a, RILL_NO_VALUES), RILL_ERR_RECORDING);
    OK(rill_record_drop(s.world.context));
    OK(rill_step_destroy(step));
    STATUS(rill_step_until(step, flag), RILL_ERR_STALE);
    close_scene(&s);
}

// More rounds than are queued one by one, with parts that loop themselves, on streams that each follow the other.
TEST(many_rounds_are_so_many)
{
    struct scene s;
    open_scene_with(&s, RILL_ORDER_AUTO);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_launch(kernel_of(&s, "blocks"), s.a, RILL_ARGS(N, 3, s.y, s.z)));
    rill_step plain = end(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 10, s.w)));
    OK(rill_launch(kernel_of(&s, "down"), s.a, RILL_ARGS(N, s.w)));
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    rill_step loops = end(&s);
    OK(rill_step_repeat(plain, 100));
    OK(rill_step_repeat(loops, 70));
    OK(rill_step_launch(plain, s.a, RILL_NO_VALUES));
    OK(rill_step_launch(loops, s.b, RILL_NO_VALUES));
    OK(rill_step_launch(plain, s.a, RILL_VALUES(RILL_SET("blocks.v", 5))));
    int w = 0;
    for (int i = 0; i < 70; i++) {
        for (w += 10; w > 5;) {
            w -= 3;
        }
    }
    CHECK_INT(value_on(s.x, s.b), 270);
    CHECK_INT(value_on(s.y, s.b), 5 + 10);
    CHECK_INT(value_on(s.w, s.b), w);
    close_scene(&s);
}

TEST(an_error_ends_the_rounds)
{
    struct scene s;
    open_scene(&s);
    rill_array flag = flag_of(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "fails"), s.a, RILL_ARGS(N, s.x))); // may fail: no device loops over it by itself
    rill_step step = end(&s);
    OK(rill_step_until(step, flag));
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES)); // the error ends it
    CHECK(rill_stream_synchronize(s.a) == RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(s.a));
    close_scene(&s);
}

// What was recorded on streams and with events does not need them; a stream goes when what was launched there has run.
TEST(a_step_outlives_the_streams_and_events_of_its_recording)
{
    struct scene s;
    open_scene(&s);
    rill_event event = {0};
    rill_stream other = {0};
    OK(rill_event_create(s.world.context, NULL, &event));
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    OK(rill_event_record(event, s.a));
    OK(rill_event_wait(event, s.b));
    OK(rill_launch(kernel_of(&s, "get"), s.b, RILL_ARGS(N, s.x, s.y)));
    rill_step step = end(&s);
    OK(rill_event_destroy(event));
    OK(rill_stream_destroy(s.b));
    for (int i = 1; i <= 5; i++) { // streams that come and go, some while the step runs there
        OK(rill_stream_create(s.world.context, NULL, &other));
        OK(rill_step_launch(step, other, RILL_NO_VALUES));
        OK(rill_stream_wait(s.a, other));
        OK(i % 2 == 0 ? rill_stream_destroy(other) : rill_stream_destroy_later(other));
        CHECK_INT(value_on(s.y, s.a), i);
        STATUS(rill_step_launch(step, other, RILL_NO_VALUES), RILL_ERR_STALE);
    }
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    close_scene(&s); // with the step, which is launched
    STATUS(rill_step_launch(step, s.a, RILL_NO_VALUES), RILL_ERR_STALE);
}

TEST(a_context_is_closed_while_a_step_is_recorded)
{
    struct scene s;
    open_scene(&s);
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    close_scene(&s);
    open_scene(&s); // another one records again
    begin(&s);
    OK(rill_launch(kernel_of(&s, "add"), s.a, RILL_ARGS(N, 1, s.x)));
    rill_step step = end(&s);
    OK(rill_step_launch(step, s.a, RILL_NO_VALUES));
    CHECK_INT(value_on(s.x, s.a), 1);
    close_scene(&s);
}
