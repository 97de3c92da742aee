// Which streams are looked at by who waits for all of them.
#include "runtime/stream.h"

#include "rill/rill.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MANY = 100, FEW = 16, THREADS = 3, ROUNDS = 60 };

struct many {
    rill_context context;
    rill_stream streams[MANY];
};

static void open_many(struct many *many)
{
    REQUIRE(rill_open("cpu", &(rill_open_options){.thread_count = 2}, &many->context) == RILL_OK);
    for (int i = 0; i < MANY; i++) {
        REQUIRE(rill_stream_create(many->context, NULL, &many->streams[i]) == RILL_OK);
    }
}

static size_t used_count(const struct many *many)
{
    struct context *context;
    REQUIRE(context_enter("test", many->context.id, KIND_CONTEXT, &context) == RILL_OK);
    thread_lock(&context->lock);
    size_t count = 0;
    for (struct stream *stream = context->used_streams; stream != NULL; stream = stream->next_used) {
        count++;
    }
    CHECK_UINT(count, context->used_count);
    thread_unlock(&context->lock);
    context_leave(context);
    return count;
}

static void count_up(void *arg, rill_status status)
{
    CHECK_INT(status, RILL_OK);
    atomic_fetch_add((atomic_int *)arg, 1);
}

TEST(streams_that_only_exist_are_not_looked_at)
{
    struct many many;
    open_many(&many);
    CHECK_UINT(used_count(&many), 0);
    atomic_int calls = 0;
    CHECK(rill_stream_callback(many.streams[7], count_up, &calls) == RILL_OK);
    CHECK_UINT(used_count(&many), 1);
    CHECK(rill_sync(many.context) == RILL_OK);
    CHECK_INT(atomic_load(&calls), 1);
    CHECK(rill_close(many.context) == RILL_OK);
}

TEST(streams_that_were_used_are_forgotten_once_their_work_is_done)
{
    struct many many;
    open_many(&many);
    for (int round = 1; round <= 3; round++) {
        atomic_int calls = 0;
        for (int i = 0; i < MANY; i++) {
            CHECK(rill_stream_callback(many.streams[i], count_up, &calls) == RILL_OK);
        }
        CHECK_UINT(used_count(&many), MANY);
        CHECK(rill_sync(many.context) == RILL_OK); // finds work, and leaves them where they are
        CHECK_INT(atomic_load(&calls), MANY);
        CHECK(rill_sync(many.context) == RILL_OK);
        CHECK(used_count(&many) <= FEW);
    }
    // Destroying them in a stale list would be seen by the sanitizers.
    atomic_int calls = 0;
    for (int i = 0; i < MANY; i++) {
        CHECK(rill_stream_callback(many.streams[i], count_up, &calls) == RILL_OK);
        CHECK(rill_stream_destroy(many.streams[i]) == RILL_OK);
    }
    CHECK(rill_sync(many.context) == RILL_OK);
    CHECK_INT(atomic_load(&calls), MANY);
    CHECK(rill_sync(many.context) == RILL_OK);
    CHECK(used_count(&many) <= FEW);
    CHECK(rill_close(many.context) == RILL_OK);
}

struct user {
    struct many *many;
    unsigned seed;
};

static void *use(void *arg)
{
    struct user *user = arg;
    for (int i = 0; i < ROUNDS; i++) {
        user->seed = user->seed * 1103515245u + 12345u;
        atomic_int calls = 0;
        rill_stream stream = user->many->streams[(user->seed >> 8) % MANY];
        CHECK(rill_stream_callback(stream, count_up, &calls) == RILL_OK);
        CHECK(rill_sync(user->many->context) == RILL_OK);
        CHECK_INT(atomic_load(&calls), 1); // what this thread had queued has run
    }
    return NULL;
}

TEST(waiting_for_all_misses_no_stream_that_threads_take_up_again)
{
    struct many many;
    open_many(&many);
    pthread_t threads[THREADS];
    struct user users[THREADS];
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct user){.many = &many, .seed = (unsigned)i + 1};
        REQUIRE(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(rill_close(many.context) == RILL_OK);
}
