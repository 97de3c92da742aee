// What people who come from other systems with streams try first: fields filled on two streams, regions of blocks that
// follow each other, stand in loops over device data, are left out or are alone; and kernels compiled by several
// threads at once. Each kernel is launched twice, so that what is replayed is seen too.
#include "world.h"

static const char source[] =
    "#include <rill/kernel.h>\n"
    "enum { N = 4096 };\n"
    "float left[N], right[N], both[N];\n"
    "kernel void fill_left(float value) { for (int i = 0; i < N; i++) left[i] = value; }\n"
    "kernel void fill_right(float value) { for (int i = 0; i < N; i++) right[i] = value; }\n"
    "kernel void copy(void) { for (int i = 0; i < N; i++) both[i] = left[i]; }\n"
    "kernel void combine(void) { for (int i = 0; i < N; i++) both[i] = left[i] + right[i]; }\n"
    "#define EACH(statement) stream_parallel { for (int i = 0; i < n; i++) { statement; } }\n"
    "kernel void fill_both(int n) { EACH(left[i] = 1) EACH(right[i] = 2) }\n"
    "kernel void two_loops_a_block(int n)\n"
    "{ stream_parallel { for (int i = 0; i < n; i++) left[i] = 1; for (int i = 0; i < n; i++) left[n - 1 - i] += 1; }\n"
    "  EACH(right[i] = 10) }\n"
    "kernel void then_sum(int n, float x[n], float y[n], float z[n])\n"
    "{ EACH(x[i] += 1) EACH(y[i] += 2) for (int i = 0; i < n; i++) z[i] = x[i] + y[i]; }\n"
    "kernel void three(int n, float x[n], float y[n], float z[n]) { EACH(x[i] += 1) EACH(y[i] += 2) EACH(z[i] += 3) }\n"
    "kernel void alone(int n, float x[n]) { EACH(x[i] += 5) }\n"
    "kernel void after_nothing(int n, float x[n]) { stream_parallel { } for (int i = 0; i < n; i++) x[i] += 5; }\n"
    "kernel void follow(int n, float x[n], float y[n])\n"
    "{ EACH(x[i] = 1) EACH(y[i] = 2) ; EACH(x[n - 1 - i] *= 10) EACH(y[n - 1 - i] *= 10) }\n"
    "kernel void follow_in_braces(int n, float x[n], float y[n])\n"
    "{ { EACH(x[i] = 1) EACH(y[i] = 2) } { EACH(x[n - 1 - i] *= 10) EACH(y[n - 1 - i] *= 10) } }\n"
    "kernel void set(int n, float x[n], float y[n]) { EACH(x[i] = 1) EACH(y[i] = 2) }\n"
    "kernel void grow(int n, float x[n], float y[n]) { EACH(x[n - 1 - i] *= 10) EACH(y[n - 1 - i] *= 10) }\n"
    "kernel void follow_in_calls(int n, float x[n], float y[n]) { set(n, x, y); grow(n, x, y); }\n"
    "kernel void statements(float x[1], float y[1], float p[1], float q[1])\n"
    "{ stream_parallel { x[0] = 1; } stream_parallel { y[0] = 2; } ;\n"
    "  stream_parallel { p[0] = x[0] * 10; } stream_parallel { q[0] = y[0] * 10; } }\n"
    "kernel void count_down(int n, int x[n], int y[n], int p[n], int q[n], int counter[1])\n"
    "{\n"
    "    while (counter[0] > 0) {\n"
    "        EACH(x[i] += 1) EACH(y[i] += 2) ;\n"
    "        EACH(p[n - 1 - i] = x[n - 1 - i] * 10) EACH(q[n - 1 - i] = y[n - 1 - i] * 10)\n"
    "        counter[0] -= 1;\n"
    "    }\n"
    "}\n"
    "kernel void perhaps(int n, int flag, float x[n], float y[n]) { EACH(x[i] += 1) if (flag) { EACH(y[i] += 1) } }\n"
    "kernel void rows(int k, int n, float x[k][n])\n"
    "{ for (int r = 0; r < k; r++) { stream_parallel { for (int i = 0; i < n; i++) x[r][i] += r + 1; } } }\n";

enum { N = 4096 };

struct regions {
    struct world world;
    rill_module module;
};

static void open_regions(struct regions *r)
{
    world_open(&r->world, 3);
    OK(rill_module_create(r->world.context, source, NULL, &r->module));
}

static rill_kernel kernel_of(struct regions *r, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(r->module, name, &kernel));
    return kernel;
}

static rill_array floats(struct regions *r)
{
    return world_array(&r->world, RILL_F32, N);
}

static int wrong_floats(const float *host, float value)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += host[i] != value;
    }
    return wrong;
}

static void check_field(struct regions *r, const char *name, rill_stream stream, float value)
{
    static float host[N];
    OK(rill_field_read(r->module, name, stream, host, sizeof host));
    CHECK_INT(wrong_floats(host, value), 0);
}

static void check_array(rill_array array, float value)
{
    static float host[N];
    OK(rill_array_read(array, RILL_CURRENT, host, sizeof host));
    CHECK_INT(wrong_floats(host, value), 0);
}

TEST(fields_are_filled_on_two_streams_and_combined_behind_events)
{
    struct regions r;
    open_regions(&r);
    rill_stream s[2] = {{0}};
    rill_event filled[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        OK(rill_stream_create(r.world.context, NULL, &s[i]));
        OK(rill_event_create(r.world.context, NULL, &filled[i]));
    }
    rill_stream d = rill_default_stream(r.world.context);
    for (int round = 1; round < 20; round++) {
        OK(rill_launch(kernel_of(&r, "fill_left"), s[0], RILL_ARGS(round)));
        OK(rill_launch(kernel_of(&r, "fill_right"), s[1], RILL_ARGS(100 * round)));
        for (int i = 0; i < 2; i++) {
            OK(rill_event_record(filled[i], s[i]));
            OK(rill_event_wait(filled[i], d));
        }
        OK(rill_launch(kernel_of(&r, "combine"), d, RILL_ARGS()));
        check_field(&r, "both", d, (float)(101 * round));
    }
    check_field(&r, "left", s[0], 19);
    check_field(&r, "right", s[1], 1900);
    world_close(&r.world);
}

TEST(host_that_waited_for_an_event_sees_what_was_before_it)
{
    struct regions r;
    open_regions(&r);
    rill_stream s = {0};
    rill_event done = {0};
    OK(rill_stream_create(r.world.context, NULL, &s));
    OK(rill_event_create(r.world.context, NULL, &done));
    OK(rill_launch(kernel_of(&r, "fill_left"), s, RILL_ARGS(13)));
    OK(rill_event_record(done, s));
    OK(rill_event_synchronize(done));
    OK(rill_event_query(done));
    check_field(&r, "left", rill_default_stream(r.world.context), 13); // another stream: the host has waited
    OK(rill_launch(kernel_of(&r, "copy"), rill_default_stream(r.world.context), RILL_ARGS()));
    check_field(&r, "both", rill_default_stream(r.world.context), 13);
    world_close(&r.world);
}

TEST(blocks_fill_fields_and_their_loops_keep_order)
{
    struct regions r;
    open_regions(&r);
    rill_stream d = rill_default_stream(r.world.context);
    for (int round = 0; round < 2; round++) {
        OK(rill_launch(kernel_of(&r, "fill_both"), d, RILL_ARGS((int)N)));
        check_field(&r, "left", d, 1);
        check_field(&r, "right", d, 2);
        OK(rill_launch(kernel_of(&r, "two_loops_a_block"), d, RILL_ARGS((int)N)));
        OK(rill_launch(kernel_of(&r, "combine"), d, RILL_ARGS()));
        check_field(&r, "left", d, 2);
        check_field(&r, "both", d, 12);
    }
    world_close(&r.world);
}

TEST(what_follows_two_or_three_blocks_or_one_or_none_sees_them)
{
    struct regions r;
    open_regions(&r);
    rill_array x = floats(&r), y = floats(&r), z = floats(&r);
    for (int round = 1; round <= 3; round++) {
        OK(rill_launch(kernel_of(&r, "then_sum"), RILL_CURRENT, RILL_ARGS((int)N, x, y, z)));
        check_array(z, 3.0f * (float)round);
    }
    OK(rill_launch(kernel_of(&r, "three"), RILL_CURRENT, RILL_ARGS((int)N, x, y, z)));
    OK(rill_launch(kernel_of(&r, "three"), RILL_CURRENT, RILL_ARGS((int)N, x, y, z)));
    check_array(x, 5);
    check_array(y, 10);
    check_array(z, 15);
    OK(rill_launch(kernel_of(&r, "alone"), RILL_CURRENT, RILL_ARGS((int)N, x)));
    check_array(x, 10);
    OK(rill_launch(kernel_of(&r, "after_nothing"), RILL_CURRENT, RILL_ARGS((int)N, x)));
    check_array(x, 15);
    world_close(&r.world);
}

// Every block of the second region reads what a block of the first wrote, from the other end.
TEST(regions_that_follow_each_other_keep_the_join_between_them)
{
    static const char *const names[] = {"follow", "follow_in_braces", "follow_in_calls"};
    struct regions r;
    open_regions(&r);
    rill_array x = floats(&r), y = floats(&r);
    for (int i = 0; i < 3; i++) {
        for (int round = 0; round < 10; round++) {
            OK(rill_launch(kernel_of(&r, names[i]), RILL_CURRENT, RILL_ARGS((int)N, x, y)));
            check_array(x, 10);
            check_array(y, 20);
        }
    }
    world_close(&r.world);
}

TEST(regions_of_statements_keep_the_join_between_them)
{
    struct regions r;
    open_regions(&r);
    rill_array one[4];
    for (int i = 0; i < 4; i++) {
        one[i] = world_array(&r.world, RILL_F32, 1);
    }
    for (int round = 0; round < 10; round++) {
        float host[2] = {0, 0};
        for (int i = 0; i < 4; i++) {
            OK(rill_array_fill(one[i], RILL_CURRENT, &host[0], sizeof host[0]));
        }
        OK(rill_launch(kernel_of(&r, "statements"), RILL_CURRENT, RILL_ARGS(one[0], one[1], one[2], one[3])));
        OK(rill_array_read(one[2], RILL_CURRENT, &host[0], sizeof host[0]));
        OK(rill_array_read(one[3], RILL_CURRENT, &host[1], sizeof host[1]));
        CHECK(host[0] == 10 && host[1] == 20);
    }
    world_close(&r.world);
}

TEST(regions_in_a_loop_over_device_data_keep_their_joins)
{
    struct regions r;
    open_regions(&r);
    static int host[4][N];
    rill_array x[4], counter = world_array(&r.world, RILL_I32, 1);
    for (int i = 0; i < 4; i++) {
        x[i] = world_array(&r.world, RILL_I32, N);
    }
    for (int round = 1; round <= 2; round++) {
        int times = 4;
        OK(rill_array_write(counter, RILL_CURRENT, &times, sizeof times));
        OK(rill_launch(kernel_of(&r, "count_down"), RILL_CURRENT, RILL_ARGS((int)N, x[0], x[1], x[2], x[3], counter)));
        OK(rill_array_read(counter, RILL_CURRENT, &times, sizeof times));
        CHECK_INT(times, 0);
        int wrong = 0;
        for (int i = 0; i < 4; i++) {
            OK(rill_array_read(x[i], RILL_CURRENT, host[i], sizeof host[i]));
            for (int k = 0; k < N; k++) {
                wrong += host[i][k] != 4 * round * (i % 2 + 1) * (i < 2 ? 1 : 10);
            }
        }
        CHECK_INT(wrong, 0);
    }
    world_close(&r.world);
}

TEST(block_behind_a_condition_runs_if_it_holds_and_blocks_in_a_loop_run_each_round)
{
    enum { ROWS = 4 };
    struct regions r;
    open_regions(&r);
    rill_array x = floats(&r), y = floats(&r), rows = {0};
    static float host[ROWS][N];
    for (int round = 1; round <= 2; round++) {
        OK(rill_launch(kernel_of(&r, "perhaps"), RILL_CURRENT, RILL_ARGS((int)N, 0, x, y)));
        OK(rill_launch(kernel_of(&r, "perhaps"), RILL_CURRENT, RILL_ARGS((int)N, 1, x, y)));
        check_array(x, 2.0f * (float)round);
        check_array(y, (float)round);
    }
    OK(rill_array_create(r.world.context, RILL_F32, RILL_SHAPE(ROWS, N), &rows));
    for (int k = 0; k <= ROWS; k++) { // no row first
        OK(rill_launch(kernel_of(&r, "rows"), RILL_CURRENT, RILL_ARGS(k, (int)N, rows)));
    }
    OK(rill_array_read(rows, RILL_CURRENT, host, sizeof host));
    for (int i = 0; i < ROWS; i++) {
        CHECK_INT(wrong_floats(host[i], (float)((i + 1) * (ROWS - i))), 0);
    }
    world_close(&r.world);
}

// ---- several threads compile --------------------------------------------------------------------------------------

struct compiling {
    struct regions *regions;
    pthread_barrier_t *start;
    int number;
    int wrong;
};

static void *compile_and_run(void *arg)
{
    struct compiling *c = arg;
    rill_context context = c->regions->world.context;
    rill_stream s = {0};
    rill_array x = world_array(&c->regions->world, RILL_I32, 10);
    OK(rill_stream_create(context, NULL, &s));
    pthread_barrier_wait(c->start);
    for (int round = 0; round < 3; round++) {
        char text[256];
        snprintf(text, sizeof text,
                 "#include <rill/kernel.h>\nint by = %d;\n"
                 "kernel int add(int n, int x[n]) { int s = 0; for (int i = 0; i < n; i++) { x[i] += by; s += x[i]; } "
                 "return s; }\n",
                 c->number);
        rill_module module = {0};
        rill_kernel add = {0};
        int sum = 0;
        OK(rill_module_create(context, text, NULL, &module));
        OK(rill_module_kernel(module, "add", &add));
        OK(rill_call(add, s, RILL_ARGS(10, x), &sum, sizeof sum));
        c->wrong += sum != 10 * c->number * (round + 1);
        OK(rill_module_destroy(module));
    }
    OK(rill_stream_destroy(s));
    return NULL;
}

TEST(threads_that_compile_at_once_get_their_own_kernels)
{
    enum { THREADS = 4 };
    struct regions r;
    open_regions(&r);
    struct compiling each[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    REQUIRE(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        each[i] = (struct compiling){.regions = &r, .start = &start, .number = i + 1};
        REQUIRE(pthread_create(&threads[i], NULL, compile_and_run, &each[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(each[i].wrong, 0);
    }
    pthread_barrier_destroy(&start);
    world_close(&r.world);
}
