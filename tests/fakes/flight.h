// Faults while work is in flight: the stand-in is lazy and leaves what nobody waits for where it is. Rill then must not
// take for done what is only asked for, or waited for, or marked, by a call that failed.
#ifndef RILL_TESTS_FAKES_FLIGHT_H
#define RILL_TESTS_FAKES_FLIGHT_H

#include "scene.h"

#include <stdatomic.h>
#include <unistd.h>

enum { UNKNOWN = 999, LAZY = 20000 };

static void open_lazy(struct scene *s)
{
    open_fake();
    setenv("RILL_GRAPH", "off", 1);
    if (open_scene(s) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
    stand_in_lazy_at(LAZY);
}

static void close_lazy(struct scene *s)
{
    stand_in_fail_at("", 0, 0);
    (void)!rill_close(s->context);
    unsetenv("RILL_GRAPH");
    if (stand_in_violations_at() != 0) {
        FAIL("%s", stand_in_violation_at(0));
        stand_in_forgive_at();
    }
}

// ---- the memory of launches -----------------------------------------------------------------------------------------

// So many that memory of launches is used again several times.
enum { PRINTS = 24 };

// Prints numbers while the n-th call of |name| fails, and looks whether those are there whose launch did not fail.
// False: there was no such call.
static bool print_with_fault(struct scene *s, const char *name, long n)
{
    bool is_launched[PRINTS];
    rill_stream stream = {0}; // which has no memory yet
    CHECK_INT(rill_stream_create(s->context, NULL, &stream), RILL_OK);
    s->printed_size = 0;
    memset(s->printed, 0, sizeof s->printed);
    stand_in_fail_at(name, n, UNKNOWN);
    for (int i = 0; i < PRINTS; i++) {
        is_launched[i] = rill_launch(kernel_of(s, "say"), stream, RILL_ARGS(i)) == RILL_OK;
    }
    bool has_failed = *stand_in_failed_at() != '\0';
    stand_in_fail_at("", 0, 0);
    rill_status status = rill_stream_destroy(stream);
    if (status != RILL_OK) {
        FAIL("%s fails the %ld-th time, and then the stream: %s", name, n, rill_message());
    }
    for (int i = 0; i < PRINTS; i++) {
        char word[16];
        snprintf(word, sizeof word, "<%d>", i);
        const char *found = strstr(s->printed, word);
        if ((is_launched[i] && found == NULL) || (found != NULL && strstr(found + 1, word) != NULL)) {
            FAIL("%s fails the %ld-th time, and %s is printed %s: %s", name, n, word, found == NULL ? "never" : "twice",
                 s->printed);
            break;
        }
    }
    stand_in_drain_at();
    return has_failed;
}

static void print_with_faults(const char *name)
{
    struct scene s;
    open_lazy(&s);
    long n = 1;
    while (n < 100 && print_with_fault(&s, name, n)) {
        n++;
    }
    CHECK(n > 2);
    close_lazy(&s);
}

TEST(memory_of_launches_is_not_used_again_because_a_mark_behind_it_could_not_be_asked)
{
    print_with_faults(vendor.event_query);
}

TEST(memory_of_launches_is_not_used_again_because_it_could_not_be_marked)
{
    print_with_faults(vendor.event_record);
}

// ---- events ---------------------------------------------------------------------------------------------------------

// A kernel that fails, and an event behind it.
static rill_event fail_and_record(struct scene *s)
{
    rill_event event = {0};
    int host[N] = {2000000};
    CHECK_INT(rill_array_write(s->x, s->stream, host, sizeof host), RILL_OK);
    CHECK_INT(rill_event_create(s->context, NULL, &event), RILL_OK);
    CHECK_INT(rill_launch(kernel_of(s, "checked"), s->stream, RILL_ARGS(N, s->x)), RILL_OK);
    CHECK_INT(rill_event_record(event, s->stream), RILL_OK);
    return event;
}

static void check_found(struct scene *s)
{
    rill_error_info info = {0};
    CHECK_INT(rill_stream_synchronize(s->stream), RILL_ERR_ASSERT);
    CHECK_INT(rill_stream_error(s->stream, &info), RILL_OK);
    CHECK_INT(info.status, RILL_ERR_ASSERT);
}

TEST(a_failure_is_found_though_the_event_behind_it_could_not_be_asked)
{
    struct scene s;
    open_lazy(&s);
    rill_event event = fail_and_record(&s);
    stand_in_fail_at(vendor.event_query, 1, UNKNOWN);
    CHECK_INT(rill_event_query(event), RILL_ERR_NOT_READY);
    CHECK_STR(stand_in_failed_at(), vendor.event_query);
    stand_in_fail_at("", 0, 0);
    check_found(&s);
    CHECK_INT(rill_event_destroy(event), RILL_OK);
    close_lazy(&s);
}

TEST(a_failure_is_found_though_the_event_behind_it_could_not_be_waited_for)
{
    struct scene s;
    open_lazy(&s);
    rill_event event = fail_and_record(&s);
    stand_in_fail_at(vendor.event_synchronize, 1, UNKNOWN);
    CHECK(rill_event_synchronize(event) != RILL_OK);
    CHECK_STR(stand_in_failed_at(), vendor.event_synchronize);
    stand_in_fail_at("", 0, 0);
    check_found(&s);
    CHECK_INT(rill_event_destroy(event), RILL_OK);
    close_lazy(&s);
}

// ---- records that are put off ---------------------------------------------------------------------------------------

static void hold(void *user, rill_status status)
{
    (void)status;
    while (!atomic_load((atomic_bool *)user)) {
        usleep(100);
    }
}

// An event behind a launch, both put off by a callback, and the n-th record fails. Who waits for the event, the host or
// a stream, finds the launch done or a failure. False: no record failed.
static bool wait_with_fault(struct scene *s, bool by_stream, long n)
{
    atomic_bool goes_on = false;
    int host[N] = {0};
    rill_stream stream = {0}, other = {0};
    rill_event event = {0};
    CHECK_INT(rill_stream_create(s->context, NULL, &stream), RILL_OK);
    CHECK_INT(rill_stream_create(s->context, NULL, &other), RILL_OK);
    CHECK_INT(rill_event_create(s->context, NULL, &event), RILL_OK);
    CHECK_INT(rill_array_write(s->x, stream, host, sizeof host), RILL_OK);
    CHECK_INT(rill_stream_callback(stream, hold, &goes_on), RILL_OK);
    CHECK_INT(rill_launch(kernel_of(s, "add"), stream, RILL_ARGS(N, 7, s->x)), RILL_OK);
    CHECK_INT(rill_event_record(event, stream), RILL_OK);
    stand_in_fail_at(vendor.event_record, n, UNKNOWN);
    rill_status status = by_stream ? rill_event_wait(event, other) : RILL_OK;
    atomic_store(&goes_on, true);
    status = first_of(status, by_stream ? RILL_OK : rill_event_synchronize(event));
    status = first_of(status, rill_array_read(s->x, other, host, sizeof host));
    bool has_failed = *stand_in_failed_at() != '\0';
    stand_in_fail_at("", 0, 0);
    if (status == RILL_OK && host[0] != 7) {
        FAIL("the %ld-th record fails, and %s does not wait for what is before it", n,
             by_stream ? "a stream" : "the host");
    }
    (void)!rill_stream_destroy(stream);
    (void)!rill_stream_destroy(other);
    CHECK_INT(rill_event_destroy(event), RILL_OK);
    stand_in_drain_at();
    return has_failed;
}

TEST(who_waits_for_a_record_that_was_put_off_and_failed_is_told)
{
    for (int by_stream = 0; by_stream < 2; by_stream++) {
        struct scene s;
        open_lazy(&s);
        long n = 1;
        while (n < 20 && wait_with_fault(&s, by_stream != 0, n)) {
            n++;
        }
        CHECK(n > 1);
        close_lazy(&s);
    }
}

// Destroying a stream that nobody asked says what its wait has found.
TEST(stream_that_waited_for_a_record_that_failed_returns_it_when_it_is_destroyed)
{
    struct scene s;
    open_lazy(&s);
    atomic_bool goes_on = false;
    rill_stream stream = {0}, other = {0};
    rill_event event = {0};
    CHECK_INT(rill_stream_create(s.context, NULL, &stream), RILL_OK);
    CHECK_INT(rill_stream_create(s.context, NULL, &other), RILL_OK);
    CHECK_INT(rill_event_create(s.context, NULL, &event), RILL_OK);
    CHECK_INT(rill_stream_callback(stream, hold, &goes_on), RILL_OK);
    CHECK_INT(rill_launch(kernel_of(&s, "add"), stream, RILL_ARGS(N, 7, s.x)), RILL_OK);
    CHECK_INT(rill_event_record(event, stream), RILL_OK);
    CHECK_INT(rill_event_wait(event, other), RILL_OK);
    stand_in_fail_at(vendor.event_record, 1, UNKNOWN);
    atomic_store(&goes_on, true);
    CHECK(rill_stream_destroy(other) != RILL_OK);
    CHECK_STR(stand_in_failed_at(), vendor.event_record);
    stand_in_fail_at("", 0, 0);
    CHECK(rill_stream_destroy(stream) != RILL_OK);
    CHECK_INT(rill_event_destroy(event), RILL_OK);
    close_lazy(&s);
}

#endif
