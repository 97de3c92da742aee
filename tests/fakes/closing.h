// Memory without pools, and contexts of one device that close while others have work. The stand-in takes a free by the
// driver for a violation while something is in flight: a device stands still for it.
#ifndef RILL_TESTS_FAKES_CLOSING_H
#define RILL_TESTS_FAKES_CLOSING_H

#include "scene.h"

#include <pthread.h>
#include <stdatomic.h>

enum { UNKNOWN = 999, BIG = 1 << 20 };

static const char with_hold[] = "#include <rill/kernel.h>\n"
                                "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n"
                                "#pragma rill single\n"
                                "kernel void hold(volatile int flag[1]) { while (flag[0] == 0) { } }\n";

static void open_without_pools(const char *memory)
{
    setenv(vendor.attribute, vendor.no_pools, 1);
    setenv("RILL_GRAPH", "off", 1);
    if (memory != NULL) {
        setenv(vendor.memory, memory, 1);
    }
    open_fake();
}

static void open_or_end(struct scene *s)
{
    bool has_pools = true;
    if (open_scene_of(s, with_hold) != RILL_OK ||
        rill_context_has(s->context, RILL_CAPABILITY_POOLS, &has_pools) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
    CHECK(!has_pools);
}

// Makes, uses and destroys an array, whose memory the context then keeps.
static rill_status use_memory(struct scene *s, int count)
{
    rill_array array = {0};
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(count), &array));
    rill_status status = rill_launch(kernel_of(s, "add"), s->other, RILL_ARGS(count, 1, array));
    status = first_of(status, rill_array_destroy(array));
    return first_of(status, rill_stream_synchronize(s->other));
}

static void check_rules(const char *when, long n)
{
    if (stand_in_violations_at() != 0) {
        FAIL("%s, call %ld fails: %s", when, n, stand_in_violation_at(0));
        stand_in_forgive_at();
    }
}

static void check_nothing_is_left(void)
{
    static const char *const kinds[] = {"memory", "host", "stream", "event", "module", "graph", "exec", "pool"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (stand_in_alive_at(kinds[i]) != 0) {
            FAIL("%ld of '%s' are left", stand_in_alive_at(kinds[i]), kinds[i]);
        }
    }
}

// ---- work that is in flight -----------------------------------------------------------------------------------------

// A kernel on |stream| of the scene that ends when its array |y| is no longer 0.
static void begin_hold(struct scene *s)
{
    int none[N] = {0};
    CHECK_INT(rill_array_write(s->y, s->stream, none, sizeof none), RILL_OK);
    CHECK_INT(rill_launch(kernel_of(s, "hold"), s->stream, RILL_ARGS(s->y)), RILL_OK);
}

static void end_hold(struct scene *s)
{
    int ones[N];
    for (int i = 0; i < N; i++) {
        ones[i] = 1;
    }
    CHECK_INT(rill_array_write(s->y, s->other, ones, sizeof ones), RILL_OK);
    CHECK_INT(rill_stream_synchronize(s->stream), RILL_OK);
}

// Ends the hold after a while if nobody else has: so that a close that waits for it fails a test, and does not hang it.
struct guard {
    struct scene *scene;
    atomic_bool is_over;
    atomic_bool has_acted;
    pthread_t thread;
};

static void *watch(void *user)
{
    struct guard *guard = user;
    for (int i = 0; i < 5000 && !atomic_load(&guard->is_over); i++) {
        usleep(1000);
    }
    if (!atomic_load(&guard->is_over)) {
        atomic_store(&guard->has_acted, true);
        end_hold(guard->scene);
    }
    return NULL;
}

static void begin_guard(struct guard *guard, struct scene *s)
{
    *guard = (struct guard){.scene = s};
    REQUIRE(pthread_create(&guard->thread, NULL, watch, guard) == 0);
}

static void end_guard(struct guard *guard)
{
    atomic_store(&guard->is_over, true);
    pthread_join(guard->thread, NULL);
    CHECK(!atomic_load(&guard->has_acted));
    if (!atomic_load(&guard->has_acted)) {
        CHECK_INT(rill_stream_query(guard->scene->stream), RILL_ERR_NOT_READY);
        end_hold(guard->scene);
    }
}

// ---- the tests ------------------------------------------------------------------------------------------------------

TEST(closing_a_context_without_pools_does_not_wait_for_another)
{
    struct scene a, b;
    struct guard guard;
    open_without_pools(NULL);
    open_or_end(&a);
    open_or_end(&b);
    CHECK_INT(use_memory(&b, BIG), RILL_OK);
    begin_hold(&a);
    begin_guard(&guard, &a);
    CHECK_INT(rill_close(b.context), RILL_OK);
    end_guard(&guard);
    check_rules("closing", 0);
    CHECK_INT(rill_close(a.context), RILL_OK);
    check_rules("closing the last", 0);
    check_nothing_is_left();
}

TEST(memory_of_a_closed_context_without_pools_serves_the_others)
{
    struct scene a, b;
    open_without_pools(NULL);
    open_or_end(&a);
    open_or_end(&b);
    CHECK_INT(use_memory(&b, BIG), RILL_OK);
    CHECK_INT(rill_close(b.context), RILL_OK);
    long before = stand_in_calls_at(vendor.memory_alloc);
    CHECK_INT(use_memory(&a, BIG), RILL_OK);
    CHECK_INT(stand_in_calls_at(vendor.memory_alloc), before);
    rill_array array = {0};
    int host[N];
    CHECK_INT(rill_array_create(a.context, RILL_I32, RILL_SHAPE(BIG), &array), RILL_OK); // zeroed all the same
    CHECK_INT(rill_array_read_at(array, a.stream, 0, host, N), RILL_OK);
    CHECK_INT(host[0], 0);
    CHECK_INT(rill_array_destroy(array), RILL_OK);
    CHECK_INT(rill_close(a.context), RILL_OK);
    check_rules("closing", 0);
    check_nothing_is_left();
}

TEST(memory_of_a_closed_context_without_pools_goes_when_there_is_no_other)
{
    struct scene a, b;
    open_without_pools("67108864");
    open_or_end(&a);
    open_or_end(&b);
    CHECK_INT(use_memory(&b, 10000000), RILL_OK);
    CHECK_INT(rill_close(b.context), RILL_OK);
    CHECK_INT(use_memory(&a, 14000000), RILL_OK); // larger than what is left, and than what was closed
    CHECK_INT(rill_close(a.context), RILL_OK);
    check_rules("closing", 0);
    check_nothing_is_left();
}

// Few points under sanitizers: each compiles two modules.
static long stride(void)
{
    const char *part = getenv("RILL_TEST_PART");
    return part != NULL && strcmp(part, "plain") != 0 ? 7 : 1;
}

// Every call of the driver fails once while a context closes and another has work, and while that one then takes the
// memory over.
TEST(closing_a_context_without_pools_keeps_the_rules_whatever_fails)
{
    open_without_pools(NULL);
    bool has_failed = true;
    for (long n = 1; n < 300 && has_failed; n += stride()) {
        struct scene a, b;
        struct guard guard;
        open_or_end(&a);
        open_or_end(&b);
        CHECK_INT(use_memory(&b, BIG), RILL_OK);
        begin_hold(&a);
        begin_guard(&guard, &a);
        stand_in_fail_at("*", n, UNKNOWN);
        (void)!rill_close(b.context);
        (void)!use_memory(&a, BIG);
        has_failed = *stand_in_failed_at() != '\0';
        stand_in_fail_at("", 0, 0);
        (void)!rill_stream_clear_error(a.other);
        end_guard(&guard);
        check_rules("closing", n);
        CHECK_INT(use_memory(&a, BIG), RILL_OK);
        CHECK_INT(rill_close(a.context), RILL_OK);
        check_rules("closing the last", n);
    }
    CHECK(!has_failed);
    check_nothing_is_left();
}

#endif
