// What kernels give back: structs, and values through pointers to the host's variables.
#include "world.h"

static const char source[] =
    "#include <rill/kernel.h>\n#include <assert.h>\n"
    "struct stats { double mean; int least, most; struct { short low[2]; unsigned wide : 20; } "
    "rest; };\n"
    "kernel struct stats survey(int n, int limit, const int a[n])\n"
    "{\n"
    "    struct stats s = {0, a[0], a[0], {{1, 2}, 1000000}};\n"
    "    long sum = 0;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        assert(a[i] < limit);\n"
    "        s.least = a[i] < s.least ? a[i] : s.least;\n"
    "        s.most = a[i] > s.most ? a[i] : s.most;\n"
    "        sum += a[i];\n"
    "    }\n"
    "    s.mean = (double)sum / n;\n"
    "    return s;\n"
    "}\n"
    "struct large { int of[3000]; };\n"
    "kernel struct large many(int first)\n"
    "{\n"
    "    struct large l;\n"
    "    for (int i = 0; i < 3000; i++) l.of[i] = first + i;\n"
    "    return l;\n"
    "}\n"
    "kernel int halve(int n, long *out_rounds, float *out_last, int x[n])\n"
    "{\n"
    "    long rounds = 0;\n"
    "    int most = 1;\n"
    "    while (most > 0) {\n"
    "        most = 0;\n"
    "        for (int i = 0; i < n; i++) { x[i] /= 2; most = x[i] > most ? x[i] : most; }\n"
    "        rounds++;\n"
    "    }\n"
    "    *out_rounds = rounds;\n"
    "    *out_last = 0.5f * rounds;\n"
    "    return n;\n"
    "}\n";

struct stats {
    double mean;
    int least, most;
    struct {
        short low[2];
        unsigned wide : 20;
    } rest;
};

enum { N = 5000 };

struct scene {
    struct world world;
    rill_module module;
    rill_stream stream;
    rill_array numbers;
    int host[N];
};

static void open_scene(struct scene *s)
{
    world_open(&s->world, 4);
    OK(rill_module_create(s->world.context, source, NULL, &s->module));
    s->stream = rill_default_stream(s->world.context);
    for (int i = 0; i < N; i++) {
        s->host[i] = (int)((long)i * 48271 % 30011) - 100;
    }
    OK(rill_array_create(s->world.context, RILL_I32, RILL_SHAPE(N), &s->numbers));
    OK(rill_array_write(s->numbers, s->stream, s->host, sizeof s->host));
}

static rill_kernel find(const struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->module, name, &kernel));
    return kernel;
}

static void check_stats(const struct scene *s, int n, const struct stats *got)
{
    int least = s->host[0], most = s->host[0];
    long sum = 0;
    for (int i = 0; i < n; i++) {
        least = s->host[i] < least ? s->host[i] : least;
        most = s->host[i] > most ? s->host[i] : most;
        sum += s->host[i];
    }
    CHECK_INT(got->least, least);
    CHECK_INT(got->most, most);
    CHECK(got->mean == (double)sum / n);
    CHECK_INT(got->rest.low[0] * 10 + got->rest.low[1], 12);
    CHECK_INT((int)got->rest.wide, 1000000);
}

TEST(a_call_gives_the_struct_that_its_kernel_returns)
{
    static struct scene s;
    open_scene(&s);
    rill_kernel survey = find(&s, "survey");
    struct stats got;
    for (int n = 1; n <= N; n = n * 7) {
        memset(&got, 0xee, sizeof got);
        OK(rill_call(survey, s.stream, RILL_ARGS(n, 1000000, s.numbers), &got, sizeof got));
        check_stats(&s, n, &got);
    }
    OK(rill_call(survey, s.stream, RILL_ARGS(5, 1000000, s.numbers), NULL, 0)); // dropped
    OK(rill_launch(survey, s.stream, RILL_ARGS(5, 1000000, s.numbers)));
    OK(rill_close(s.world.context));
}

TEST(a_large_struct_comes_back_whole)
{
    static struct scene s;
    static int got[3000];
    open_scene(&s);
    rill_kernel many = find(&s, "many");
    for (int first = 0; first < 3; first++) {
        OK(rill_call(many, s.stream, RILL_ARGS(first * 100), got, sizeof got));
        CHECK_INT(got[0], first * 100);
        CHECK_INT(got[2999], first * 100 + 2999);
    }
    OK(rill_close(s.world.context));
}

TEST(a_failure_and_a_wrong_size_leave_the_struct_as_it_was)
{
    static struct scene s;
    open_scene(&s);
    rill_kernel survey = find(&s, "survey");
    struct stats got;
    memset(&got, 0x5a, sizeof got);
    struct stats before = got;
    STATUS(rill_call(survey, s.stream, RILL_ARGS(N, 1000000, s.numbers), &got, 8), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "returns struct stats of 24 bytes, but 8 are expected");
    STATUS(rill_call(survey, s.stream, RILL_ARGS(N, 1000, s.numbers), &got, sizeof got), RILL_ERR_ASSERT);
    CHECK(memcmp(&got, &before, sizeof got) == 0);
    OK(rill_call(survey, s.stream, RILL_ARGS(N, 1000000, s.numbers), &got, sizeof got));
    check_stats(&s, N, &got);
    OK(rill_close(s.world.context));
}

// Each result goes out before the next launch of the stream has its memory.
TEST(launches_leave_their_structs_in_arrays_in_stream_order)
{
    static struct scene s;
    open_scene(&s);
    rill_kernel survey = find(&s, "survey");
    rill_array results[20], wrong;
    for (int i = 0; i < 20; i++) {
        OK(rill_array_create_struct(s.world.context, sizeof(struct stats), RILL_SHAPE(1), &results[i]));
        OK(rill_launch_result(survey, s.stream, RILL_ARGS(1 + i * 200, 1000000, s.numbers), results[i]));
    }
    for (int i = 0; i < 20; i++) {
        struct stats got;
        OK(rill_array_read(results[i], s.stream, &got, sizeof got));
        check_stats(&s, 1 + i * 200, &got);
    }
    OK(rill_array_create_struct(s.world.context, 16, RILL_SHAPE(1), &wrong));
    STATUS(rill_launch_result(survey, s.stream, RILL_ARGS(5, 1000000, s.numbers), wrong), RILL_ERR_ARGUMENTS);
    OK(rill_array_create(s.world.context, RILL_F64, RILL_SHAPE(3), &wrong));
    STATUS(rill_launch_result(survey, s.stream, RILL_ARGS(5, 1000000, s.numbers), wrong), RILL_ERR_ARGUMENTS);
    OK(rill_close(s.world.context));
}

struct caller {
    struct scene *scene;
    int n;
    int wrong_count;
};

static void *call_many(void *arg)
{
    struct caller *c = arg;
    rill_kernel survey = find(c->scene, "survey");
    for (int i = 0; i < 40; i++) {
        struct stats got = {0};
        OK(rill_call(survey, c->scene->stream, RILL_ARGS(c->n, 1000000, c->scene->numbers), &got, sizeof got));
        struct stats other = {0};
        OK(rill_call(survey, c->scene->stream, RILL_ARGS(c->n, 1000000, c->scene->numbers), &other, sizeof other));
        c->wrong_count += got.mean != other.mean || got.least != other.least || got.most != other.most;
    }
    struct stats last = {0};
    OK(rill_call(survey, c->scene->stream, RILL_ARGS(c->n, 1000000, c->scene->numbers), &last, sizeof last));
    check_stats(c->scene, c->n, &last);
    return NULL;
}

TEST(threads_that_call_on_one_stream_get_each_its_own)
{
    static struct scene s;
    open_scene(&s);
    pthread_t threads[4];
    struct caller callers[4];
    for (int t = 0; t < 4; t++) {
        callers[t] = (struct caller){.scene = &s, .n = 17 + 900 * t};
        REQUIRE(pthread_create(&threads[t], NULL, call_many, &callers[t]) == 0);
    }
    for (int t = 0; t < 4; t++) {
        pthread_join(threads[t], NULL);
        CHECK_INT(callers[t].wrong_count, 0);
    }
    OK(rill_close(s.world.context));
}

TEST(reflection_knows_the_struct_and_no_parameter_for_it)
{
    static struct scene s;
    open_scene(&s);
    rill_kernel_info info;
    OK(rill_kernel_describe(find(&s, "survey"), &info));
    CHECK_INT((int)info.param_count, 3);
    CHECK_INT(info.returns->kind, RILL_KIND_RECORD);
    CHECK_STR(info.returns->name, "struct stats");
    CHECK_INT((int)info.returns->size, (int)sizeof(struct stats));
    CHECK_INT((int)info.returns->member_count, 4);
    CHECK_STR(info.returns->members[2].name, "most");
    CHECK_INT((int)info.returns->members[2].offset, 12);
    OK(rill_close(s.world.context));
}

TEST(several_values_go_to_variables_of_the_host)
{
    static struct scene s;
    open_scene(&s);
    rill_kernel halve = find(&s, "halve");
    long rounds = -1;
    float last = -1;
    int value = 0;
    OK(rill_call(halve, s.stream, RILL_ARGS(N, RILL_HOST(&rounds, 1), RILL_HOST(&last, 1), s.numbers), &value,
                 sizeof value));
    CHECK_INT(value, N);
    CHECK_INT(rounds, 15); // the largest is below 2^15
    CHECK(last == 7.5f);
    OK(rill_array_write(s.numbers, s.stream, s.host, sizeof s.host));
    OK(rill_launch(halve, s.stream, RILL_ARGS(1, RILL_HOST(&rounds, 1), RILL_HOST(&last, 1), s.numbers)));
    OK(rill_stream_synchronize(s.stream));
    CHECK_INT(rounds, 1); // -100 counts as nothing
    CHECK(last == 0.5f);
    OK(rill_close(s.world.context));
}
