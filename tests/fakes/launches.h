// What launches and streams promise on a GPU, where only a stand-in can show it: a launch that the driver takes in
// part, how many launches may be outstanding, when streams that blocks were lent go back, chains of streams. The
// programs that include this say on which stand-in.
#ifndef RILL_TESTS_FAKES_LAUNCHES_H
#define RILL_TESTS_FAKES_LAUNCHES_H

#include "scene.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

static void open_with(struct scene *s, const char *graph)
{
    open_fake();
    setenv("RILL_GRAPH", graph, 1);
    if (open_scene(s) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
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
