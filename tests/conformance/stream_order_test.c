// What streams and events promise, sentence by sentence. A callback that does not return holds its stream; what gets
// past it, and what does not, shows the order without a clock.
//
// clang-format off
//   create with priority, both ways to destroy,   stream_test: events_and_waits_order_two_streams,
//     synchronize, query, waits, callbacks          stream_destroyed_later_…, query_says_…, callback_…
//   destroying waits for the stream's work        destroying_waits_and_destroying_later_does_not
//   a launch returns at once                      launches_return_while_their_stream_is_held
//   two streams overlap                           held_stream_does_not_hold_others;
//                                                   trace_test: streams_overlap_in_the_trace
//   one stream keeps order                        stream_test: one_stream_keeps_order
//   the default stream is an ordinary queue       default_stream_is_ordered_with_nothing
//   rill_sync waits for every stream              sync_waits_for_every_stream
//   wait for an event, recorded again             waits_keep_to_the_record_they_were_queued_for
//   destroy an event while it is waited on        destroyed_event_is_still_waited_for
//   wait for a stream: what is queued so far      stream_waits_for_what_was_queued_so_far
//   elapsed time                                  stream_test: events_measure_time;
//                                                   elapsed_time_of_a_place_not_reached_…
//   RILL_CURRENT and scopes, on every way out     stream_test: scope_…; scopes_restore_on_break_goto_and_return
//   RILL_AUTO_*                                   stream_test: automatic_…, leaving_…; failure_test: failure_found_…
//   small kernels do not each wake all threads    small_kernels_do_not_wake_all_threads
//   everything is right with RILL_THREADS=1       one_thread_is_enough, and every test that counts threads from 1
//   used from threads that did not make them      streams_and_events_are_used_by_threads_that_did_not_make_them
//   handles of every wrong kind                   misuse_test, handles_test
//   fields on streams, regions one after another  regions_test
// clang-format on
#include "world.h"

#include <dirent.h>
#include <semaphore.h>

struct order {
    struct world world;
    rill_kernel append;
    rill_array out; // one long: the digits in the order in which they were put
    rill_stream a, b, c;
    rill_event e;
};

static void open_order(struct order *o, int threads)
{
    world_open(&o->world, threads);
    o->append = world_kernel(&o->world, "append");
    o->out = world_array(&o->world, RILL_I64, 1);
    rill_stream *streams[] = {&o->a, &o->b, &o->c};
    for (int i = 0; i < 3; i++) {
        OK(rill_stream_create(o->world.context, &(rill_stream_options){.priority = i - 1}, streams[i]));
    }
    OK(rill_event_create(o->world.context, NULL, &o->e));
}

static void put(struct order *o, rill_stream stream, int digit)
{
    OK(rill_launch(o->append, stream, RILL_ARGS(digit, o->out)));
}

static int64_t digits(struct order *o)
{
    int64_t value = -1;
    OK(rill_sync(o->world.context));
    OK(rill_array_read(o->out, rill_default_stream(o->world.context), &value, sizeof value));
    return value;
}

// ---- gates --------------------------------------------------------------------------------------------------------

struct gate {
    sem_t entered;
    sem_t opened;
};

static void hold_here(void *user, rill_status status)
{
    struct gate *gate = user;
    CHECK_INT(status, RILL_OK);
    sem_post(&gate->entered);
    while (sem_wait(&gate->opened) != 0) {
    }
}

// What is queued on the stream from now on does not begin before the gate opens.
static void hold(struct gate *gate, rill_stream stream)
{
    sem_init(&gate->entered, 0, 0);
    sem_init(&gate->opened, 0, 0);
    OK(rill_stream_callback(stream, hold_here, gate));
    while (sem_wait(&gate->entered) != 0) {
    }
}

static void let_go(struct gate *gate)
{
    sem_post(&gate->opened);
}

// ---- streams ------------------------------------------------------------------------------------------------------

TEST(launches_return_while_their_stream_is_held)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct order o;
        struct gate gate;
        open_order(&o, threads);
        hold(&gate, o.a);
        for (int i = 0; i < 300; i++) {
            put(&o, o.a, 0);
        }
        put(&o, o.a, 7);
        STATUS(rill_stream_query(o.a), RILL_ERR_NOT_READY);
        let_go(&gate);
        CHECK_INT(digits(&o), 7);
        OK(rill_stream_query(o.a));
        world_close(&o.world);
    }
}

TEST(held_stream_does_not_hold_others)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct order o;
        struct gate gate;
        open_order(&o, threads);
        hold(&gate, o.a);
        put(&o, o.a, 2);
        put(&o, o.b, 1);
        OK(rill_stream_synchronize(o.b)); // it comes past, though it was queued later
        STATUS(rill_stream_query(o.a), RILL_ERR_NOT_READY);
        let_go(&gate);
        CHECK_INT(digits(&o), 12);
        world_close(&o.world);
    }
}

TEST(default_stream_is_ordered_with_nothing)
{
    struct order o;
    struct gate gate;
    open_order(&o, 2);
    rill_stream standard = rill_default_stream(o.world.context);
    hold(&gate, o.a);
    put(&o, o.a, 2);
    put(&o, standard, 1);
    OK(rill_stream_synchronize(standard)); // does not wait for other streams …
    let_go(&gate);
    OK(rill_stream_synchronize(o.a));
    hold(&gate, standard);
    put(&o, standard, 4);
    put(&o, o.a, 3);
    OK(rill_stream_synchronize(o.a)); // … nor they for it
    STATUS(rill_stream_query(standard), RILL_ERR_NOT_READY);
    let_go(&gate);
    CHECK_INT(digits(&o), 1234);
    world_close(&o.world);
}

TEST(sync_waits_for_every_stream)
{
    struct order o;
    open_order(&o, 2);
    rill_stream streams[] = {o.a, o.b, o.c, rill_default_stream(o.world.context)};
    for (int i = 0; i < 4; i++) {
        put(&o, streams[i], 1);
        OK(rill_event_record(o.e, streams[i])); // recorded again and again, each wait means its own
        OK(rill_event_wait(o.e, streams[(i + 1) % 4]));
    }
    OK(rill_sync(o.world.context));
    for (int i = 0; i < 4; i++) {
        OK(rill_stream_query(streams[i]));
    }
    CHECK_INT(digits(&o), 1111);
    world_close(&o.world);
}

TEST(destroying_waits_and_destroying_later_does_not)
{
    struct order o;
    struct gate gate;
    open_order(&o, 1);
    hold(&gate, o.a);
    put(&o, o.a, 5);
    OK(rill_stream_destroy_later(o.a)); // returns though the stream is held
    STATUS(rill_stream_query(o.a), RILL_ERR_STALE);
    put(&o, o.b, 3);
    OK(rill_stream_destroy(o.b));
    STATUS(rill_stream_synchronize(o.b), RILL_ERR_STALE);
    int64_t value = 0;
    OK(rill_array_read(o.out, o.c, &value, sizeof value)); // destroying b has waited for its work
    CHECK_INT(value, 3);
    let_go(&gate);
    CHECK_INT(digits(&o), 35);
    world_close(&o.world);
}

TEST(stream_waits_for_what_was_queued_so_far)
{
    struct order o;
    struct gate first;
    struct gate second;
    open_order(&o, 2);
    hold(&first, o.a);
    put(&o, o.a, 1);
    OK(rill_stream_wait(o.b, o.a));
    OK(rill_event_record(o.e, o.a));
    put(&o, o.b, 2);
    STATUS(rill_stream_query(o.b), RILL_ERR_NOT_READY);
    let_go(&first);
    OK(rill_event_synchronize(o.e));
    hold(&second, o.a);
    OK(rill_stream_synchronize(o.b)); // what came on a later does not hold it
    put(&o, o.a, 3);
    let_go(&second);
    CHECK_INT(digits(&o), 123);
    world_close(&o.world);
}

// ---- events -------------------------------------------------------------------------------------------------------

TEST(waits_keep_to_the_record_they_were_queued_for)
{
    struct order o;
    struct gate gate;
    open_order(&o, 2);
    hold(&gate, o.a);
    put(&o, o.a, 1);
    OK(rill_event_record(o.e, o.a));
    OK(rill_event_wait(o.e, o.b));
    put(&o, o.b, 2);
    OK(rill_event_record(o.e, o.c)); // a place that is reached at once: b waits for the other one all the same
    OK(rill_event_synchronize(o.e));
    OK(rill_event_wait(o.e, o.c));
    OK(rill_stream_synchronize(o.c));
    STATUS(rill_stream_query(o.b), RILL_ERR_NOT_READY);
    let_go(&gate);
    CHECK_INT(digits(&o), 12);
    world_close(&o.world);
}

TEST(destroyed_event_is_still_waited_for)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct order o;
        struct gate gate;
        open_order(&o, threads);
        hold(&gate, o.a);
        put(&o, o.a, 1);
        OK(rill_event_record(o.e, o.a));
        OK(rill_event_wait(o.e, o.b));
        OK(rill_event_wait(o.e, o.c));
        OK(rill_event_destroy(o.e));
        STATUS(rill_event_query(o.e), RILL_ERR_STALE);
        put(&o, o.b, 2);
        OK(rill_stream_wait(o.c, o.b));
        put(&o, o.c, 3);
        STATUS(rill_stream_query(o.b), RILL_ERR_NOT_READY);
        let_go(&gate);
        CHECK_INT(digits(&o), 123);
        world_close(&o.world);
    }
}

TEST(elapsed_time_of_a_place_not_reached_is_not_ready)
{
    struct order o;
    struct gate gate;
    open_order(&o, 1);
    rill_event end = {0};
    double ms = -1;
    OK(rill_event_create(o.world.context, NULL, &end));
    OK(rill_event_record(o.e, o.a));
    hold(&gate, o.a);
    OK(rill_event_record(end, o.a));
    STATUS(rill_event_elapsed(o.e, end, &ms), RILL_ERR_NOT_READY);
    STATUS(rill_event_query(end), RILL_ERR_NOT_READY);
    let_go(&gate);
    OK(rill_event_synchronize(end));
    OK(rill_event_elapsed(o.e, end, &ms));
    CHECK(ms >= 0);
    world_close(&o.world);
}

// An event that orders a chain over many streams, recorded again at each link.
TEST(one_event_carries_an_order_over_many_streams)
{
    enum { LINKS = 60 };
    for (int threads = 1; threads <= 3; threads++) {
        struct order o;
        open_order(&o, threads);
        rill_stream streams[LINKS] = {{0}};
        int64_t expected = 0;
        for (int i = 0; i < LINKS; i++) {
            OK(rill_stream_create(o.world.context, NULL, &streams[i]));
            if (i > 0) {
                OK(rill_event_wait(o.e, streams[i]));
            }
            put(&o, streams[i], i % 10);
            OK(rill_event_record(o.e, streams[i]));
            expected = (int64_t)((uint64_t)expected * 10 + (uint64_t)(i % 10));
        }
        for (int i = 0; i < LINKS; i++) {
            OK(i % 2 == 0 ? rill_stream_destroy_later(streams[i]) : rill_stream_destroy(streams[i]));
        }
        CHECK_INT(digits(&o), expected);
        world_close(&o.world);
    }
}

// ---- scopes -------------------------------------------------------------------------------------------------------

static int leave_by(struct order *o, int way)
{
    for (int i = 0; i < 3; i++) {
        RILL_AUTO_SCOPE scope = {0};
        OK(rill_scope_enter(&scope, o->a));
        {
            RILL_AUTO_SCOPE inner = {0};
            OK(rill_scope_enter(&inner, o->b));
            CHECK_UINT(rill_current_stream(o->world.context).id, o->b.id);
            if (way == 0) {
                break;
            } else if (way == 1) {
                goto out;
            } else if (way == 2) {
                return 1;
            }
        }
        CHECK_UINT(rill_current_stream(o->world.context).id, o->a.id);
        put(o, RILL_CURRENT, i + 1);
    }
out:
    CHECK_UINT(rill_current_stream(o->world.context).id, rill_default_stream(o->world.context).id);
    return 0;
}

TEST(scopes_restore_on_break_goto_and_return)
{
    struct order o;
    open_order(&o, 2);
    for (int way = 0; way < 4; way++) {
        leave_by(&o, way);
        CHECK_UINT(rill_current_stream(o.world.context).id, rill_default_stream(o.world.context).id);
    }
    CHECK_INT(digits(&o), 123);
    world_close(&o.world);
}

// ---- threads ------------------------------------------------------------------------------------------------------

static void *use_from_elsewhere(void *arg)
{
    struct order *o = arg;
    // The scope of the thread that made all this is not this thread's.
    CHECK_UINT(rill_current_stream(o->world.context).id, rill_default_stream(o->world.context).id);
    put(o, o->a, 2);
    OK(rill_event_record(o->e, o->a));
    OK(rill_event_wait(o->e, o->b));
    put(o, o->b, 3);
    OK(rill_stream_synchronize(o->b));
    return NULL;
}

TEST(streams_and_events_are_used_by_threads_that_did_not_make_them)
{
    struct order o;
    open_order(&o, 2);
    RILL_AUTO_SCOPE scope = {0};
    OK(rill_scope_enter(&scope, o.c));
    put(&o, o.a, 1);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, use_from_elsewhere, &o) == 0);
    pthread_join(thread, NULL);
    OK(rill_stream_wait(o.c, o.b));
    put(&o, RILL_CURRENT, 4);
    CHECK_INT(digits(&o), 1234);
    OK(rill_scope_leave(&scope));
    world_close(&o.world);
}

TEST(one_thread_is_enough)
{
    struct order o;
    struct gate gate;
    setenv("RILL_THREADS", "1", 1);
    open_order(&o, 0);
    rill_stats stats;
    hold(&gate, o.c);
    // b waits for a, a for c, which is held: nothing of this may keep the one thread from the default stream.
    OK(rill_event_record(o.e, o.c));
    OK(rill_event_wait(o.e, o.a));
    put(&o, o.a, 2);
    OK(rill_stream_wait(o.b, o.a));
    put(&o, o.b, 3);
    put(&o, RILL_CURRENT, 1);
    OK(rill_stream_synchronize(rill_current_stream(o.world.context)));
    let_go(&gate);
    CHECK_INT(digits(&o), 123);
    OK(rill_context_stats(o.world.context, &stats));
    CHECK(stats.thread_count <= 1);
    unsetenv("RILL_THREADS");
    world_close(&o.world);
}

// How often the threads of this process other than the caller have gone to sleep.
static long sleeps(void)
{
    long total = 0;
    DIR *folder = opendir("/proc/self/task");
    REQUIRE(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[300], line[200];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = atoi(entry->d_name) != 0 && atoi(entry->d_name) != getpid() ? fopen(path, "r") : NULL;
        long count;
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            total += sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1 ? count : 0;
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    closedir(folder);
    return total;
}

TEST(small_kernels_do_not_wake_all_threads)
{
    enum { WORKERS = 16, LAUNCHES = 300 };
    struct order o;
    open_order(&o, WORKERS);
    put(&o, o.a, 1);
    OK(rill_stream_synchronize(o.a));
    rill_stats stats;
    OK(rill_context_stats(o.world.context, &stats));
    if (stats.thread_count == 0) {
        world_close(&o.world);
        SKIP("the device has no threads of the host");
    }
    rill_kernel saxpy = world_kernel(&o.world, "saxpy");
    rill_array x = world_array(&o.world, RILL_F32, 64);
    rill_array y = world_array(&o.world, RILL_F32, 64);
    long before = sleeps();
    for (int i = 0; i < LAUNCHES; i++) {
        OK(rill_launch(saxpy, o.a, RILL_ARGS(64, 2.0f, x, y)));
        OK(rill_stream_synchronize(o.a)); // so that the pool has gone to sleep, or is about to, before each launch
    }
    long woken = sleeps() - before;
    CHECK(woken < (long)LAUNCHES * WORKERS / 4);
    OK(rill_context_stats(o.world.context, &stats));
    CHECK_INT(stats.parallel_count, 0);
    world_close(&o.world);
}
