// For every public call and every call of the driver that it makes: the n-th one fails, for every n. The public call
// returns a status with words or does without; nothing is lost, no rule of the driver is broken, and the context works
// on. The programs that include this say on which stand-in.
#ifndef RILL_TESTS_FAKES_FAULTS_H
#define RILL_TESTS_FAKES_FAULTS_H

#include "exports.h"
#include "form.h"
#include "steps.h"

// ---- the sweep ------------------------------------------------------------------------------------------------------

enum { UNKNOWN = 999 };

static void forget_errors(struct scene *s)
{
    (void)!rill_stream_clear_error(s->stream);
    (void)!rill_stream_clear_error(s->other);
    (void)!rill_stream_clear_error(rill_default_stream(s->context));
    (void)!rill_sync(s->context);
    stand_in_drain_at(); // what the call left behind shows now, not with the next one
}

// The context does what it did before.
static bool works(struct scene *s, const char *step, long n)
{
    int host[N], sum = 0;
    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    rill_status status = rill_array_write(s->x, s->stream, host, sizeof host);
    status = first_of(status, rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->x)));
    status = first_of(status, rill_call(kernel_of(s, "sum"), s->stream, RILL_ARGS(N, s->x), &sum, sizeof sum));
    if (status != RILL_OK || sum != N * (N - 1) / 2 + N) {
        return FAIL("%s: after call %ld, %s, failed the context does not work: %d, %s", step, n, stand_in_failed_at(),
                    sum, status != RILL_OK ? rill_message() : "wrong result");
    }
    if (rill_current_stream(s->context).id != rill_default_stream(s->context).id) {
        return FAIL("%s: after call %ld, %s, failed the thread has another stream", step, n, stand_in_failed_at());
    }
    return true;
}

static bool no_rule_is_broken(const char *step, long n)
{
    if (stand_in_violations_at() == 0) {
        return true;
    }
    FAIL("%s: call %ld, %s, failed, and then: %s", step, n, stand_in_failed_at(), stand_in_violation_at(0));
    stand_in_forgive_at();
    return false;
}

// Nothing of any kind is left once the last context is closed.
static void nothing_is_left(const char *step, long n)
{
    static const char *const kinds[] = {"memory", "host", "stream", "event", "module", "graph", "exec", "pool"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (stand_in_alive_at(kinds[i]) != 0) {
            FAIL("%s: call %ld, %s, failed, and %ld of '%s' are left", step, n, stand_in_failed_at(),
                 stand_in_alive_at(kinds[i]), kinds[i]);
        }
    }
}

// A failure has words, and where the driver does not say that there is no memory they are the driver's.
static void check_words(const struct step *step, long n, rill_status status, int code)
{
    const char *message = *first_words != '\0' ? first_words : rill_message();
    if (status != RILL_OK && *message == '\0') {
        FAIL("%s: call %ld, %s, failed, and nothing says so", step->name, n, stand_in_failed_at());
    }
    if (status != RILL_OK && code == UNKNOWN && strstr(message, vendor.unknown) == NULL) {
        FAIL("%s: call %ld, %s, failed, and that is not said: %s", step->name, n, stand_in_failed_at(), message);
    }
}

// Few points of what takes long under sanitizers; in the short form of the suite few of the others as well.
static long stride_of(bool is_slow)
{
    if (!form_is_sanitized()) {
        return 1;
    }
    return is_slow ? 7 : form_is_long() ? 1 : 5;
}

// Another first point in each turn.
static long first_point(long stride)
{
    return 1 + (long)(form_turn() % (unsigned long)stride);
}

static long sweep_step(struct scene *s, const struct step *step, int code, long stride)
{
    long points = 0;
    for (long n = first_point(stride); n < 1000; n += stride) {
        if (step->before != NULL) {
            step->before(s);
        }
        long before = stand_in_calls_at("*");
        stand_in_fail_at("*", n, code);
        *first_words = '\0';
        rill_status status = step->run(s);
        check_words(step, n, status, code);
        stand_in_fail_at("", 0, 0);
        bool fired = stand_in_calls_at("*") - before >= n;
        if (step->after != NULL) {
            step->after(s);
        }
        forget_errors(s);
        if (!no_rule_is_broken(step->name, n) || !works(s, step->name, n) || !fired) {
            break;
        }
        points++;
    }
    return points;
}

// |only|: names of steps, "" for all. |lazy|: microseconds that what nobody waits for stays in flight.
static void sweep(const char *graph, const char *only, int lazy)
{
    open_fake();
    setenv("RILL_GRAPH", graph, 1);
    struct scene s;
    if (open_wide_scene(&s) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
    stand_in_lazy_at(lazy);
    long points = 0;
    for (int i = 0; i < STEP_COUNT; i++) {
        const struct step *step = &steps[i];
        if ((*only != '\0' && strstr(only, step->name) == NULL) || (lazy > 0 && step->is_slow)) {
            continue;
        }
        if (step->before == NULL && step->run(&s) != RILL_OK) {
            FAIL("%s: %s", step->name, rill_message());
        }
        long stride = stride_of(step->is_slow || lazy > 0);
        points += sweep_step(&s, step, UNKNOWN, stride);
        points += sweep_step(&s, step, CU_OUT_OF_MEMORY, stride);
    }
    stand_in_lazy_at(0);
    CHECK_INT(rill_close(s.far), RILL_OK);
    CHECK_INT(rill_close(s.context), RILL_OK);
    no_rule_is_broken("close", 0);
    nothing_is_left("close", 0);
    printf("  %ld points\n", points);
    CHECK(points > (*only != '\0' || lazy > 0 ? 50 : 500) / stride_of(false));
    unsetenv("RILL_GRAPH");
}

static const char *name_of_step(int row)
{
    static const char *const names[] = {
#define NAME(name, step) #name,
        STEP_CALLS(NAME)
#undef NAME
    };
    return names[row];
}

TEST(every_exported_call_has_a_step_or_calls_no_driver)
{
    static const char *const where[] = {
#define WHERE(name, step) step,
        STEP_CALLS(WHERE)
#undef WHERE
    };
    enum { COUNT = sizeof where / sizeof where[0] };
    exports_check(name_of_step, COUNT, "nobody says whether it calls the driver");
    for (int i = 0; i < COUNT; i++) {
        bool is_found = *where[i] == '\0' || strcmp(where[i], "open") == 0;
        for (int k = 0; k < STEP_COUNT && !is_found; k++) {
            is_found = strcmp(steps[k].name, where[i]) == 0;
        }
        CHECK(is_found);
    }
}

TEST(every_call_of_the_driver_may_fail_in_direct_launches)
{
    sweep("off", "", 0);
}

TEST(every_call_of_the_driver_may_fail_in_graphs)
{
    sweep("on", "", 0);
}

// A thread without a context of its own, as most are: the calls that follow say only that there is none.
TEST(a_device_that_cannot_be_made_current_is_said)
{
    open_fake();
    struct scene s;
    REQUIRE(open_scene_of(&s, small_source) == RILL_OK);
    for (long n = 1; n < 4; n++) {
        rill_array array = {0};
        stand_in_fail_at(vendor.enters, n, UNKNOWN);
        rill_status status = rill_array_create(s.context, RILL_F32, RILL_SHAPE(N), &array);
        stand_in_fail_at("", 0, 0);
        CHECK(status == RILL_OK || strstr(rill_message(), vendor.unknown) != NULL);
        CHECK(status != RILL_OK || rill_array_destroy(array) == RILL_OK);
        forget_errors(&s);
    }
    CHECK_INT(rill_close(s.context), RILL_OK);
}

// What was queued before the call that fails is still there: it may be neither freed nor looked at.
TEST(every_call_of_the_driver_may_fail_in_direct_launches_with_work_in_flight)
{
    sweep("off", "", 3000);
}

TEST(every_call_of_the_driver_may_fail_in_graphs_with_work_in_flight)
{
    sweep("on", "", 3000);
}

// A trace makes calls of its own. One that fails costs the trace a task, and nobody else anything.
TEST(every_call_of_the_driver_may_fail_while_tracing)
{
    setenv("RILL_TRACE", "/dev/null", 1);
    sweep("off", "blocks control event", 0);
    unsetenv("RILL_TRACE");
}

// Opening and closing: a context for each point, and few points under sanitizers.
TEST(opening_and_closing_may_fail_anywhere)
{
    open_fake();
    struct scene first; // a driver that cannot be loaded is not looked for again
    REQUIRE(open_scene_of(&first, small_source) == RILL_OK);
    CHECK_INT(rill_close(first.context), RILL_OK);
    long points = 0;
    for (long n = first_point(stride_of(true)); n < 1000; n += stride_of(true)) {
        long before = stand_in_calls_at("*");
        struct scene s;
        stand_in_fail_at("*", n, 999);
        rill_status status = open_scene_of(&s, small_source);
        if (status == RILL_OK) {
            status = do_launch(&s);
        }
        if (s.context.id != 0) {
            status = first_of(status, rill_close(s.context));
        }
        stand_in_fail_at("", 0, 0);
        bool fired = stand_in_calls_at("*") - before >= n;
        nothing_is_left("open and close", n);
        if (!no_rule_is_broken("open and close", n) || !fired) {
            break;
        }
        points++;
    }
    printf("  %ld points\n", points);
    CHECK(points > 3);
}

// ---- a device that is lost ------------------------------------------------------------------------------------------

static void lose_while_queued(struct scene *s)
{
    rill_array y = s->y;
    for (int i = 0; i < 20; i++) {
        (void)!rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, y));
    }
    stand_in_lose_at(CU_ILLEGAL_ADDRESS);
    for (int i = 0; i < 20; i++) {
        (void)!rill_launch(kernel_of(s, "add"), s->other, RILL_ARGS(N, 1, y));
    }
}

// It is written all the same, and says that it does not know.
static void check_lost_trace(const char *path)
{
    char text[16384] = "";
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    CHECK_CONTAINS(text, "\"producer\": \"rill\"");
    CHECK(strstr(text, "\"lost\": ") != NULL && strstr(text, "\"lost\": 0") == NULL);
}

TEST(a_lost_device_is_said_and_stays_said)
{
    open_fake();
    char path[] = "/tmp/rill_lost_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    for (int graph = 0; graph < 2; graph++) {
        setenv("RILL_GRAPH", graph == 0 ? "off" : "on", 1);
        setenv("RILL_TRACE", graph == 0 ? path : "", 1);
        struct scene s;
        REQUIRE(open_scene(&s) == RILL_OK && do_blocks(&s) == RILL_OK);
        lose_while_queued(&s);
        for (int step = 0; step < STEP_COUNT; step++) {
            rill_status status = steps[step].run(&s);
            if (strcmp(steps[step].name, "array") != 0 &&
                strcmp(steps[step].name, "devices") != 0) { // these may succeed
                CHECK(status != RILL_OK);
            }
        }
        CHECK_INT(rill_launch(kernel_of(&s, "add"), s.stream, RILL_ARGS(N, 1, s.y)), RILL_ERR_DEVICE);
        CHECK_CONTAINS(rill_message(), vendor.illegal);
        (void)!rill_close(s.context);
        no_rule_is_broken("lost", 0);
        if (graph == 0) {
            check_lost_trace(path);
            unsetenv("RILL_TRACE");
        }
        rill_status again = open_scene(&s);
        if (!vendor.recovers) {
            CHECK_INT(again, RILL_ERR_DEVICE);
            CHECK_CONTAINS(rill_message(), vendor.illegal);
            (void)!(s.context.id != 0 && rill_close(s.context) == RILL_OK);
            break;
        }
        REQUIRE(again == RILL_OK);
        works(&s, "a context after the loss", 0);
        CHECK_INT(rill_close(s.context), RILL_OK);
        no_rule_is_broken("lost", 0);
    }
    unsetenv("RILL_GRAPH");
}

#endif
