// What launches and streams promise on a GPU, where only a stand-in can show it: a launch that the driver takes in
// part, how many launches may be outstanding, when streams that blocks were lent go back, chains of streams. The
// programs that include this say on which stand-in.
#ifndef RILL_TESTS_FAKES_LAUNCHES_H
#define RILL_TESTS_FAKES_LAUNCHES_H

#include "scene.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

static void open_with_source(struct scene *s, const char *graph, const char *text)
{
    open_fake();
    setenv("RILL_GRAPH", graph, 1);
    if (open_scene_of(s, text) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
}

static void open_with(struct scene *s, const char *graph)
{
    open_with_source(s, graph, source);
}

// |expected|: what streams still have when they go.
static void close_with(struct scene *s, rill_status expected)
{
    CHECK_INT(rill_close(s->context), expected);
    unsetenv("RILL_GRAPH");
    if (stand_in_violations_at() != 0) {
        FAIL("%s", stand_in_violation_at(0));
        stand_in_forgive_at();
    }
}

// ---- launches that the driver takes in part
// ---------------------------------------------------------------------------

static const char partial_source[] =
    "#include <rill/kernel.h>\n#include <assert.h>\n#include <stdio.h>\n"
    "kernel int tasks(int n, int a[n], int b[n])\n"
    "{\n"
    "    int s = 0;\n"
    "    for (int i = 0; i < n; i++) a[i] += 1;\n"
    "    for (int i = 0; i < n; i++) b[i] += a[n - 1 - i];\n"
    "    for (int i = 0; i < n; i++) { assert(b[i] < 1000000); a[i] = b[n - 1 - i]; }\n"
    "    for (int i = 0; i < n; i++) s += a[i];\n"
    "    return s;\n"
    "}\n"
    "kernel int blocks(int n, int a[n], int b[n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) a[i] += 1;\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] += i; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] += 2 * i + 1; }\n"
    "    for (int i = 0; i < n; i++) b[i] += a[n - 1 - i];\n"
    "    return 7;\n"
    "}\n"
    "kernel int conditions(int n, int a[n], int b[n])\n"
    "{\n"
    "    while (b[0] < 3) {\n"
    "        for (int i = 0; i < n; i++) a[i] += b[i];\n"
    "        if (a[1] > 2) for (int i = 0; i < n; i++) b[i] += 1;\n"
    "        for (int i = 0; i < n; i++) a[i] += b[n - 1 - i];\n"
    "    }\n"
    "    return a[n - 1];\n"
    "}\n"
    "kernel int prints(int n, int a[n], int b[n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) a[i] += 1;\n"
    "    for (int i = 0; i < n; i++) { b[i] += a[n - 1 - i]; if (i == 0) printf(\"%d\", b[i]); }\n"
    "    return b[0];\n"
    "}\n";

enum partial_call { BY_LAUNCH, BY_RESULT, BY_CALL, PARTIAL_CALLS };
enum { UNTOUCHED = 12345 };

struct partial {
    struct scene scene;
    rill_array result;
    const char *kernel;
    enum partial_call call;
    int wanted[2][N]; // what the arrays hold after the launch
    int value;        // what the kernel returns
    long partial_count;
};

static void set_arrays(struct partial *p)
{
    int a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 1;
    }
    struct scene *s = &p->scene;
    CHECK_INT(rill_array_write(s->x, s->stream, a, sizeof a), RILL_OK);
    CHECK_INT(rill_array_write(s->y, s->stream, b, sizeof b), RILL_OK);
    CHECK_INT(rill_array_fill(p->result, s->stream, &(int){UNTOUCHED}, sizeof(int)), RILL_OK);
    CHECK_INT(rill_sync(s->context), RILL_OK);
}

static rill_status launch_partial(struct partial *p, int *out_value)
{
    struct scene *s = &p->scene;
    rill_kernel kernel = kernel_of(s, p->kernel);
    rill_args args = RILL_ARGS(N, s->x, s->y);
    return p->call == BY_LAUNCH   ? rill_launch(kernel, s->stream, args)
           : p->call == BY_RESULT ? rill_launch_result(kernel, s->stream, args, p->result)
                                  : rill_call(kernel, s->stream, args, out_value, sizeof *out_value);
}

// Whether the arrays hold |wanted|; NULL: what they held before.
static bool arrays_hold(struct partial *p, int wanted[2][N])
{
    struct scene *s = &p->scene;
    int a[N], b[N];
    stand_in_drain_at();
    CHECK_INT(rill_array_read(s->x, s->other, a, sizeof a), RILL_OK);
    CHECK_INT(rill_array_read(s->y, s->other, b, sizeof b), RILL_OK);
    bool is_right = true;
    for (int i = 0; i < N; i++) {
        is_right &= a[i] == (wanted != NULL ? wanted[0][i] : i) && b[i] == (wanted != NULL ? wanted[1][i] : 1);
    }
    return is_right;
}

// The launch has failed. Either nothing has run, or the stream has the error, or rill_call() has returned it.
static void check_failed(struct partial *p, long n, int value)
{
    struct scene *s = &p->scene;
    char message[1024];
    snprintf(message, sizeof message, "%s", rill_message());
    if (value != UNTOUCHED) {
        FAIL("%s, call %ld, %s: the result was written", p->kernel, n, stand_in_failed_at());
    }
    rill_error_info info;
    CHECK_INT(rill_stream_error(s->stream, &info), RILL_OK);
    bool is_of_wait = p->call == BY_CALL && info.status != RILL_OK; // the launch has succeeded
    if (!is_of_wait && strstr(message, p->kernel) == NULL) {
        FAIL("%s, call %ld, %s: the kernel is not named: %s", p->kernel, n, stand_in_failed_at(), message);
    }
    if (p->call != BY_CALL && info.status != RILL_OK) {
        p->partial_count++;
        CHECK_STR(info.kernel, p->kernel);
        CHECK_CONTAINS(info.text, p->kernel);
        CHECK_CONTAINS(info.text, "in part");
        CHECK_INT(rill_launch(kernel_of(s, p->kernel), s->stream, RILL_ARGS(N, s->x, s->y)), info.status);
    } else if (strstr(message, "not launched") != NULL && !arrays_hold(p, NULL)) {
        FAIL("%s, call %ld, %s: something has run: %s", p->kernel, n, stand_in_failed_at(), message);
    } else if (p->call != BY_CALL && strstr(message, "not launched") == NULL) {
        FAIL("%s, call %ld, %s: neither: %s", p->kernel, n, stand_in_failed_at(), message);
    }
    p->partial_count += p->call == BY_CALL && strstr(message, "in part") != NULL;
}

static void learn_wanted(struct partial *p)
{
    struct scene *s = &p->scene;
    set_arrays(p);
    CHECK_INT(rill_call(kernel_of(s, p->kernel), s->stream, RILL_ARGS(N, s->x, s->y), &p->value, sizeof p->value),
              RILL_OK);
    CHECK_INT(rill_array_read(s->x, s->stream, p->wanted[0], sizeof p->wanted[0]), RILL_OK);
    CHECK_INT(rill_array_read(s->y, s->stream, p->wanted[1], sizeof p->wanted[1]), RILL_OK);
}

// The |n|-th call of the driver fails. False: there are not so many.
static bool fail_partial(struct partial *p, long n, int code)
{
    struct scene *s = &p->scene;
    set_arrays(p);
    int value = UNTOUCHED;
    long before = stand_in_calls_at("*");
    stand_in_fail_at("*", n, code);
    rill_status status = launch_partial(p, &value);
    stand_in_fail_at("", 0, 0);
    bool has_fired = stand_in_calls_at("*") - before >= n;
    if (status != RILL_OK) {
        check_failed(p, n, value);
    } else if (rill_stream_synchronize(s->stream) != RILL_OK || !arrays_hold(p, p->wanted)) {
        FAIL("%s, call %ld, %s: the launch succeeded and has not run", p->kernel, n, stand_in_failed_at());
    }
    CHECK_INT(rill_stream_clear_error(s->stream), RILL_OK);
    set_arrays(p);
    if (launch_partial(p, &value) != RILL_OK || rill_stream_synchronize(s->stream) != RILL_OK ||
        !arrays_hold(p, p->wanted) || (p->call == BY_CALL && value != p->value)) {
        FAIL("%s, call %ld, %s: the context does not work: %s", p->kernel, n, stand_in_failed_at(), rill_message());
    }
    return has_fired;
}

// New streams have no memory yet, nor a graph: launches on them make the most calls.
static void sweep_partial(const char *graph, bool is_fresh)
{
    static const char *const kernels[] = {"tasks", "blocks", "conditions", "prints"};
    struct partial p = {.partial_count = 0};
    open_with_source(&p.scene, graph, partial_source);
    REQUIRE(rill_array_create(p.scene.context, RILL_I32, RILL_SHAPE(1), &p.result) == RILL_OK);
    long points = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        p.kernel = kernels[k];
        learn_wanted(&p);
        for (int call = 0; call < PARTIAL_CALLS; call++) {
            p.call = (enum partial_call)call;
            bool has_fired = true;
            for (long n = 1; n < 1000 && has_fired; n++, points++) {
                if (is_fresh) {
                    CHECK_INT(rill_stream_destroy(p.scene.stream), RILL_OK);
                    REQUIRE(rill_stream_create(p.scene.context, NULL, &p.scene.stream) == RILL_OK);
                }
                has_fired = fail_partial(&p, n, n % 2 == 0 ? 999 : CU_OUT_OF_MEMORY);
            }
        }
    }
    printf("  %ld points, %ld launches in part\n", points, p.partial_count);
    CHECK(points > 40);
    close_with(&p.scene, RILL_OK);
}

TEST(a_launch_that_fails_has_not_run_or_is_an_error_of_its_stream_in_direct_launches)
{
    sweep_partial("off", false);
}

TEST(a_launch_that_fails_has_not_run_or_is_an_error_of_its_stream_in_graphs)
{
    sweep_partial("on", false);
}

TEST(a_launch_that_fails_has_not_run_or_is_an_error_of_its_stream_in_direct_launches_on_new_streams)
{
    sweep_partial("off", true);
}

TEST(a_launch_that_fails_has_not_run_or_is_an_error_of_its_stream_in_graphs_on_new_streams)
{
    sweep_partial("on", true);
}

// ---- launches outstanding -------------------------------------------------------------------------------------------

enum { MAX_LAUNCHES = 4096, LAUNCHES = 3 * MAX_LAUNCHES };

struct many {
    struct scene *scene;
    atomic_bool may_return; // the callback
    atomic_int taken_count; // launches that have returned
};

static void hold(void *user, rill_status status)
{
    struct many *many = user;
    CHECK_INT(status, RILL_OK);
    while (!atomic_load(&many->may_return)) {
        usleep(1000);
    }
}

static void *launch_many(void *arg)
{
    struct many *many = arg;
    struct scene *s = many->scene;
    rill_kernel add = kernel_of(s, "add");
    for (int i = 0; i < LAUNCHES; i++) {
        CHECK_INT(rill_launch(add, s->stream, RILL_ARGS(N, 1, s->x)), RILL_OK);
        atomic_fetch_add(&many->taken_count, 1);
    }
    return NULL;
}

static uint64_t ring_waits(struct scene *s)
{
    rill_stats stats;
    CHECK_INT(rill_context_stats(s->context, &stats), RILL_OK);
    return stats.ring_wait_count;
}

static void launch_behind_a_callback(const char *graph)
{
    struct scene s;
    open_with(&s, graph);
    struct many many = {.scene = &s};
    pthread_t thread;
    CHECK_INT(rill_stream_callback(s.stream, hold, &many), RILL_OK);
    REQUIRE(pthread_create(&thread, NULL, launch_many, &many) == 0);
    while (ring_waits(&s) == 0 && atomic_load(&many.taken_count) < LAUNCHES) {
        usleep(1000);
    }
    CHECK_INT(atomic_load(&many.taken_count), MAX_LAUNCHES);
    CHECK_INT(ring_waits(&s), 1);
    atomic_store(&many.may_return, true);
    REQUIRE(pthread_join(thread, NULL) == 0);
    int host[N];
    CHECK_INT(rill_array_read(s.x, s.stream, host, sizeof host), RILL_OK);
    CHECK_INT(host[N - 1], LAUNCHES);
    close_with(&s, RILL_OK);
}

TEST(behind_a_callback_a_launch_waits_when_4096_are_outstanding_in_direct_launches)
{
    launch_behind_a_callback("off");
}

TEST(behind_a_callback_a_launch_waits_when_4096_are_outstanding_in_graphs)
{
    launch_behind_a_callback("on");
}

// A callback must not wait: there the launches are taken.
static void launch_in_callback(void *user, rill_status status)
{
    struct many *many = user;
    CHECK_INT(status, RILL_OK);
    launch_many(many);
}

TEST(in_a_callback_no_launch_waits)
{
    struct scene s;
    open_with(&s, "off");
    struct many many = {.scene = &s};
    CHECK_INT(rill_stream_callback(s.stream, launch_in_callback, &many), RILL_OK);
    CHECK_INT(rill_stream_synchronize(s.stream), RILL_OK);
    CHECK_INT(atomic_load(&many.taken_count), LAUNCHES);
    int host[N];
    CHECK_INT(rill_array_read(s.x, s.stream, host, sizeof host), RILL_OK);
    CHECK_INT(host[N - 1], LAUNCHES);
    close_with(&s, RILL_OK);
}

// ---- streams that blocks were lent
// ------------------------------------------------------------------------------------

enum { LENDING_STREAMS = 50 };

// Nobody synchronises the streams: what they were lent goes back when it is idle and wanted.
TEST(streams_lent_to_blocks_go_back_when_their_join_has_passed)
{
    struct scene s;
    open_with(&s, "off");
    static rill_stream streams[LENDING_STREAMS];
    rill_event event = {0};
    rill_stats stats;
    CHECK_INT(rill_event_create(s.context, NULL, &event), RILL_OK);
    for (int i = 0; i < LENDING_STREAMS; i++) {
        REQUIRE(rill_stream_create(s.context, NULL, &streams[i]) == RILL_OK);
        CHECK_INT(rill_launch(kernel_of(&s, "pair"), streams[i], RILL_ARGS(N, s.x, s.y)), RILL_OK);
        CHECK_INT(rill_event_record(event, streams[i]), RILL_OK);
        CHECK_INT(rill_event_synchronize(event), RILL_OK);
    }
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.created_count, 2);
    CHECK_INT(stats.stream_pool.in_use_count, 0);
    CHECK_INT(stats.stream_pool.idle_count, 2);
    CHECK_INT(rill_context_trim(s.context), RILL_OK);
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.trimmed_count, 2);
    CHECK_INT(stats.stream_pool.idle_count, 0);
    close_with(&s, RILL_OK);
}

// While the blocks run their streams are not lent to others.
TEST(streams_lent_to_blocks_stay_while_they_are_busy)
{
    struct scene s;
    open_with(&s, "off");
    rill_stats stats;
    stand_in_lazy_at(200000);
    CHECK_INT(rill_launch(kernel_of(&s, "pair"), s.stream, RILL_ARGS(N, s.x, s.y)), RILL_OK);
    CHECK_INT(rill_context_trim(s.context), RILL_OK);
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.in_use_count, 2);
    CHECK_INT(rill_launch(kernel_of(&s, "pair"), s.stream, RILL_ARGS(N, s.x, s.y)), RILL_OK);
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.created_count, 2);
    CHECK_INT(rill_launch(kernel_of(&s, "pair"), s.other, RILL_ARGS(N, s.x, s.y)), RILL_OK);
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.created_count, 4);
    stand_in_lazy_at(0);
    CHECK_INT(rill_sync(s.context), RILL_OK);
    CHECK_INT(rill_context_trim(s.context), RILL_OK);
    CHECK_INT(rill_context_stats(s.context, &stats), RILL_OK);
    CHECK_INT(stats.stream_pool.trimmed_count, 4);
    close_with(&s, RILL_OK);
}

// ---- chains ---------------------------------------------------------------------------------------------------------

enum { CHAIN = 5000, SMALL_STACK = 64 << 10, SANITIZED_STACK = 256 << 10 };

static size_t small_stack(void)
{
    const char *part = getenv("RILL_TEST_PART");
    size_t size = part == NULL || strcmp(part, "plain") == 0 ? SMALL_STACK : SANITIZED_STACK;
    return size > (size_t)PTHREAD_STACK_MIN ? size : (size_t)PTHREAD_STACK_MIN;
}

static void *synchronize_last(void *arg)
{
    struct scene *s = arg;
    return (void *)(intptr_t)rill_stream_synchronize(s->other);
}

static void synchronize_on_small_stack(struct scene *s)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *status = NULL;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, small_stack()) == 0);
    REQUIRE(pthread_create(&thread, &attributes, synchronize_last, s) == 0);
    REQUIRE(pthread_join(thread, &status) == 0);
    pthread_attr_destroy(&attributes);
    CHECK_INT((intptr_t)status, RILL_ERR_ASSERT);
}

// Each stream waits for the one before it; the first one's kernel fails, and the error comes to the last.
TEST(a_chain_of_waits_over_thousands_of_streams_needs_no_stack)
{
    struct scene s;
    open_with(&s, "off");
    static rill_stream chain[CHAIN];
    CHECK_INT(rill_array_fill(s.x, s.stream, &(int){2000000}, sizeof(int)), RILL_OK);
    CHECK_INT(rill_launch(kernel_of(&s, "checked"), s.stream, RILL_ARGS(N, s.x)), RILL_OK);
    rill_stream before = s.stream;
    for (int i = 0; i < CHAIN; i++) {
        REQUIRE(rill_stream_create(s.context, NULL, &chain[i]) == RILL_OK);
        REQUIRE(rill_stream_wait(chain[i], before) == RILL_OK);
        before = chain[i];
    }
    CHECK_INT(rill_stream_wait(s.other, before), RILL_OK);
    synchronize_on_small_stack(&s);
    rill_error_info info;
    CHECK_INT(rill_stream_error(chain[CHAIN / 2], &info), RILL_OK);
    CHECK_STR(info.kernel, "checked");
    close_with(&s, RILL_ERR_ASSERT);
}

#endif
