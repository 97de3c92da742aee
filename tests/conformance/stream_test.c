// Streams, events, callbacks, scopes: order is shown by results that are wrong if the order is wrong.
#include "world.h"

struct digits {
    struct world world;
    rill_kernel append;
    rill_kernel slow;
    long out[1];
};

static void open_digits(struct digits *d, int threads)
{
    world_open(&d->world, threads);
    d->append = world_kernel(&d->world, "append");
    d->slow = world_kernel(&d->world, "slow");
    d->out[0] = 0;
}

static void put(struct digits *d, rill_stream stream, int digit)
{
    OK(rill_launch(d->append, stream, RILL_ARGS(digit, RILL_HOST(d->out, 1))));
}

static void dawdle(struct digits *d, rill_stream stream)
{
    OK(rill_launch(d->slow, stream, RILL_ARGS(3000000)));
}

TEST(one_stream_keeps_order)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct digits d;
        open_digits(&d, threads);
        for (int i = 1; i <= 9; i++) {
            dawdle(&d, RILL_CURRENT);
            put(&d, RILL_CURRENT, i);
        }
        OK(rill_sync(d.world.context));
        CHECK_INT(d.out[0], 123456789);
        world_close(&d.world);
    }
}

TEST(events_and_waits_order_two_streams)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct digits d;
        open_digits(&d, threads);
        rill_stream a = {0};
        rill_stream b = {0};
        rill_event e = {0};
        OK(rill_stream_create(d.world.context, NULL, &a));
        OK(rill_stream_create(d.world.context, &(rill_stream_options){.priority = 1}, &b));
        OK(rill_event_create(d.world.context, &(rill_event_options){.without_time = threads > 1}, &e));
        dawdle(&d, a);
        put(&d, a, 1);
        OK(rill_event_record(e, a));
        OK(rill_event_wait(e, b));
        put(&d, b, 2);
        dawdle(&d, b);
        put(&d, b, 3);
        OK(rill_stream_wait(a, b));
        put(&d, a, 4);
        OK(rill_event_record(e, a));
        OK(rill_event_wait(e, RILL_CURRENT));
        put(&d, RILL_CURRENT, 5);
        OK(rill_event_destroy(e)); // what waits goes on waiting
        OK(rill_sync(d.world.context));
        CHECK_INT(d.out[0], 12345);
        OK(rill_stream_destroy(a));
        OK(rill_stream_destroy(b));
        world_close(&d.world);
    }
}

TEST(launches_are_counted_also_when_their_stream_is_gone)
{
    struct digits d;
    open_digits(&d, 2);
    rill_stream streams[3];
    for (int i = 0; i < 3; i++) {
        OK(rill_stream_create(d.world.context, NULL, &streams[i]));
        OK(rill_launch(d.slow, streams[i], RILL_ARGS(1)));
    }
    OK(rill_launch(d.slow, streams[1], RILL_ARGS(1)));
    OK(rill_stream_destroy(streams[1]));
    OK(rill_launch(d.slow, RILL_CURRENT, RILL_ARGS(1)));
    rill_stats stats;
    OK(rill_context_stats(d.world.context, &stats));
    CHECK_INT(stats.launch_count, 5);
    OK(rill_stream_destroy(streams[2]));
    OK(rill_stream_destroy(streams[0]));
    OK(rill_launch(d.slow, RILL_CURRENT, RILL_ARGS(1)));
    OK(rill_context_stats(d.world.context, &stats));
    CHECK_INT(stats.launch_count, 6);
    world_close(&d.world);
}

TEST(wait_means_the_last_record_before_it)
{
    struct digits d;
    open_digits(&d, 2);
    rill_stream a = {0};
    rill_stream b = {0};
    rill_event e = {0};
    OK(rill_stream_create(d.world.context, NULL, &a));
    OK(rill_stream_create(d.world.context, NULL, &b));
    OK(rill_event_create(d.world.context, NULL, &e));
    OK(rill_event_record(e, a)); // an empty stream: reached at once
    OK(rill_event_wait(e, b));
    dawdle(&d, a);
    OK(rill_event_record(e, a));
    OK(rill_event_record(e, b));
    OK(rill_event_wait(e, a)); // means b's record, which waits for nothing of a: no deadlock
    put(&d, a, 1);
    OK(rill_sync(d.world.context));
    CHECK_INT(d.out[0], 1);
    OK(rill_event_query(e));
    world_close(&d.world);
}

TEST(events_measure_time)
{
    struct digits d;
    open_digits(&d, 1);
    rill_event begin = {0};
    rill_event end = {0};
    OK(rill_event_create(d.world.context, NULL, &begin));
    OK(rill_event_create(d.world.context, NULL, &end));
    OK(rill_event_record(begin, RILL_CURRENT));
    dawdle(&d, RILL_CURRENT);
    OK(rill_event_record(end, RILL_CURRENT));
    OK(rill_event_synchronize(end));
    double ms = 0;
    OK(rill_event_elapsed(begin, end, &ms));
    CHECK(ms > 0);
    double back = 0;
    OK(rill_event_elapsed(end, begin, &back));
    CHECK_NEAR(back, -ms, 1e-9);
    world_close(&d.world);
}

TEST(an_event_without_time_is_reached_and_measures_none)
{
    struct digits d;
    open_digits(&d, 1);
    rill_event begin = {0};
    rill_event end = {0};
    OK(rill_event_create(d.world.context, NULL, &begin));
    OK(rill_event_create(d.world.context, &(rill_event_options){.without_time = true}, &end));
    OK(rill_event_record(begin, RILL_CURRENT));
    OK(rill_event_record(end, RILL_CURRENT));
    OK(rill_event_synchronize(end));
    OK(rill_event_query(end));
    double ms = 1;
    STATUS(rill_event_elapsed(begin, end, &ms), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "without_time");
    STATUS(rill_event_elapsed(end, begin, &ms), RILL_ERR_INVALID);
    CHECK(ms == 0);
    OK(rill_event_elapsed(begin, begin, &ms));
    world_close(&d.world);
}

TEST(query_says_whether_work_is_left)
{
    struct digits d;
    open_digits(&d, 1);
    rill_stream s = {0};
    OK(rill_stream_create(d.world.context, NULL, &s));
    OK(rill_stream_query(s));
    struct world_gate gate = WORLD_GATE_INIT;
    OK(rill_stream_callback(s, world_stand_at_gate, &gate));
    STATUS(rill_stream_query(s), RILL_ERR_NOT_READY);
    OK(rill_launch(d.slow, s, RILL_ARGS(1000)));
    STATUS(rill_stream_query(s), RILL_ERR_NOT_READY);
    world_open_gate(&gate);
    OK(rill_stream_synchronize(s));
    OK(rill_stream_query(s));
    world_close(&d.world);
}

// ---- scopes -------------------------------------------------------------------------------------------------------

static rill_status use_scope(struct digits *d, rill_stream s, bool fail)
{
    RILL_AUTO_SCOPE scope = {0};
    RILL_TRY(rill_scope_enter(&scope, s));
    CHECK_UINT(rill_current_stream(d->world.context).id, s.id);
    if (fail) {
        RILL_TRY(rill_array_destroy((rill_array){0}));
    }
    put(d, RILL_CURRENT, 7);
    return RILL_OK;
}

TEST(scope_sets_the_current_stream_and_restores_it_on_every_way_out)
{
    struct digits d;
    open_digits(&d, 2);
    rill_stream a = {0};
    rill_stream b = {0};
    OK(rill_stream_create(d.world.context, NULL, &a));
    OK(rill_stream_create(d.world.context, NULL, &b));
    rill_stream standard = rill_default_stream(d.world.context);
    CHECK_UINT(rill_current_stream(d.world.context).id, standard.id);
    OK(use_scope(&d, a, false));
    CHECK_UINT(rill_current_stream(d.world.context).id, standard.id);
    STATUS(use_scope(&d, a, true), RILL_ERR_NULL_HANDLE);
    CHECK_UINT(rill_current_stream(d.world.context).id, standard.id);
    rill_scope outer = {0};
    rill_scope inner = {0};
    OK(rill_scope_enter(&outer, a));
    OK(rill_scope_enter(&inner, b));
    STATUS(rill_scope_leave(&outer), RILL_ERR_INVALID);
    STATUS(rill_scope_enter(&outer, b), RILL_ERR_INVALID);
    STATUS(rill_scope_enter(&inner, a), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "entered the scope already");
    OK(rill_scope_leave(&inner));
    CHECK_UINT(rill_current_stream(d.world.context).id, a.id);
    // A destroyed stream that is still current is an error, never the default stream.
    OK(rill_stream_destroy(a));
    STATUS(rill_launch(d.append, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(d.out, 1))), RILL_ERR_STALE);
    OK(rill_scope_leave(&outer));
    OK(rill_sync(d.world.context));
    CHECK_INT(d.out[0], 7);
    world_close(&d.world);
}

TEST(scope_belongs_to_its_thread_and_its_context)
{
    struct digits d;
    open_digits(&d, 2);
    rill_context other = {0};
    OK(rill_open(world_device(), NULL, &other));
    rill_stream s = {0};
    OK(rill_stream_create(d.world.context, NULL, &s));
    rill_scope scope = {0};
    OK(rill_scope_enter(&scope, s));
    CHECK_UINT(rill_current_stream(other).id, rill_default_stream(other).id);
    OK(rill_scope_leave(&scope));
    OK(rill_close(other));
    world_close(&d.world);
}

// ---- callbacks ----------------------------------------------------------------------------------------------------

struct seen {
    struct digits *digits;
    rill_stream stream;
    rill_status sync_status;
    rill_status launch_status;
    long value;
    pthread_t thread;
    atomic_bool go; // what comes behind the callback is queued
};

static void look(void *user, rill_status status)
{
    struct seen *seen = user;
    while (!atomic_load(&seen->go)) {
        usleep(100);
    }
    CHECK_INT(status, RILL_OK);
    seen->value = seen->digits->out[0];
    seen->thread = pthread_self();
    seen->sync_status = rill_stream_synchronize(seen->stream);
    seen->digits->out[0] = seen->digits->out[0] * 10 + 9; // before what is queued behind it
    // Queues on a stream that stands at this very callback: it must not wait for itself.
    seen->launch_status =
        rill_launch(seen->digits->append, seen->stream, RILL_ARGS(3, RILL_HOST(seen->digits->out, 1)));
}

TEST(callback_runs_in_order_on_a_thread_of_its_own_and_may_queue)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct digits d;
        open_digits(&d, threads);
        rill_stream s = {0};
        OK(rill_stream_create(d.world.context, NULL, &s));
        struct seen seen = {.digits = &d, .stream = s};
        dawdle(&d, s);
        put(&d, s, 1);
        OK(rill_stream_callback(s, look, &seen));
        put(&d, s, 2);
        atomic_store(&seen.go, true);
        // What the callback queues may come later than a synchronize that was called before it.
        OK(rill_stream_synchronize(s));
        OK(rill_stream_synchronize(s));
        CHECK_INT(seen.value, 1);
        CHECK_INT(seen.sync_status, RILL_ERR_IN_CALLBACK);
        CHECK_INT(seen.launch_status, RILL_OK);
        CHECK(!pthread_equal(seen.thread, pthread_self()));
        CHECK_INT(d.out[0], 1923);
        world_close(&d.world);
    }
}

struct visits {
    atomic_bool *gate; // closed until true; NULL: none
    atomic_int *present;
    atomic_int *most;
    atomic_int done;
};

static void visit(void *user, rill_status status)
{
    struct visits *v = user;
    (void)status;
    int here = atomic_fetch_add(v->present, 1) + 1;
    int before = atomic_load(v->most);
    while (here > before && !atomic_compare_exchange_weak(v->most, &before, here)) {
    }
    while (v->gate != NULL && !atomic_load(v->gate)) {
        usleep(100);
    }
    atomic_fetch_sub(v->present, 1);
    atomic_fetch_add(&v->done, 1);
}

TEST(callbacks_of_a_context_run_one_at_a_time_and_one_that_lasts_holds_up_no_kernel)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct digits d;
        open_digits(&d, threads);
        rill_stream a = {0};
        rill_stream b = {0};
        OK(rill_stream_create(d.world.context, NULL, &a));
        OK(rill_stream_create(d.world.context, NULL, &b));
        atomic_bool gate = false;
        atomic_int present = 0;
        atomic_int most = 0;
        struct visits lasting = {.gate = &gate, .present = &present, .most = &most};
        struct visits quick = {.present = &present, .most = &most};
        OK(rill_stream_callback(a, visit, &lasting));
        while (atomic_load(&present) == 0) {
            usleep(100);
        }
        put(&d, b, 1);
        put(&d, b, 2);
        OK(rill_stream_synchronize(b));
        CHECK_INT(d.out[0], 12);
        for (int i = 0; i < 5; i++) {
            OK(rill_stream_callback(b, visit, &quick));
        }
        usleep(2000);
        CHECK_INT(atomic_load(&quick.done), 0); // its turn has not come
        atomic_store(&gate, true);
        OK(rill_sync(d.world.context));
        CHECK_INT(atomic_load(&quick.done), 5);
        CHECK_INT(atomic_load(&most), 1);
        world_close(&d.world);
    }
}

static void compile_in_callback(void *user, rill_status status)
{
    (void)status;
    struct world *world = user;
    rill_module module;
    OK(rill_module_create(world->context, "#include <rill/kernel.h>\nkernel int f(void) { return 1; }\n", NULL,
                          &module));
    OK(rill_module_destroy(module));
}

static const char halve_source[] = "#include <rill/kernel.h>\n"
                                   "kernel int halve(int n, int a[n])\n"
                                   "{\n"
                                   "    int rounds = 0;\n"
                                   "    int most = 1;\n"
                                   "    while (most > 0) {\n"
                                   "        most = 0;\n"
                                   "        for (int i = 0; i < n; i++) { a[i] /= 2; if (a[i] > most) most = a[i]; }\n"
                                   "        rounds++;\n"
                                   "    }\n"
                                   "    return rounds;\n"
                                   "}\n";

struct halving {
    rill_kernel kernel;
    rill_stream other;
    rill_array numbers;
    rill_array rounds;
    rill_status status;
};

static void halve_in_callback(void *user, rill_status status)
{
    struct halving *h = user;
    h->status =
        status != RILL_OK ? status : rill_launch_result(h->kernel, h->other, RILL_ARGS(20000, h->numbers), h->rounds);
}

// The rounds depend on what the loop computes: a device that is asked for it must not be waited for in a callback.
TEST(callback_may_launch_what_depends_on_its_own_results)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {0};
    struct halving h = {.status = RILL_ERR_INTERNAL};
    OK(rill_module_create(world.context, halve_source, NULL, &module));
    OK(rill_module_kernel(module, "halve", &h.kernel));
    OK(rill_stream_create(world.context, NULL, &h.other));
    h.numbers = world_array(&world, RILL_I32, 20000);
    h.rounds = world_array(&world, RILL_I32, 1);
    int value = 1000;
    OK(rill_array_fill(h.numbers, h.other, &value, sizeof value));
    OK(rill_stream_callback(rill_default_stream(world.context), halve_in_callback, &h));
    OK(rill_sync(world.context));
    CHECK_INT(h.status, RILL_OK);
    int rounds = 0;
    OK(rill_array_read(h.rounds, h.other, &rounds, sizeof rounds));
    CHECK_INT(rounds, 10);
    world_close(&world);
}

TEST(callback_may_compile_and_drop_modules)
{
    struct world world;
    world_open(&world, 2);
    for (int i = 0; i < 3; i++) {
        OK(rill_stream_callback(rill_default_stream(world.context), compile_in_callback, &world));
    }
    OK(rill_sync(world.context));
    world_close(&world);
}

// ---- lifetimes ----------------------------------------------------------------------------------------------------

TEST(stream_destroyed_later_still_runs_its_work)
{
    struct digits d;
    open_digits(&d, 1);
    rill_stream s = {0};
    OK(rill_stream_create(d.world.context, NULL, &s));
    dawdle(&d, s);
    put(&d, s, 5);
    OK(rill_stream_destroy_later(s));
    STATUS(rill_stream_query(s), RILL_ERR_STALE);
    OK(rill_sync(d.world.context));
    CHECK_INT(d.out[0], 5);
    world_close(&d.world);
}

TEST(closing_waits_for_queued_work)
{
    struct digits d;
    open_digits(&d, 2);
    dawdle(&d, RILL_CURRENT);
    put(&d, RILL_CURRENT, 8);
    world_close(&d.world);
    CHECK_INT(d.out[0], 8);
    STATUS(rill_launch(d.append, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(d.out, 1))), RILL_ERR_STALE);
}

static rill_status leave_scope(struct digits *d)
{
    RILL_AUTO_CONTEXT context = {0};
    RILL_AUTO_STREAM none = {0};
    RILL_AUTO_EVENT no_event = {0};
    RILL_AUTO_ARRAY no_array = {0};
    RILL_TRY(rill_open(world_device(), NULL, &context));
    RILL_AUTO_STREAM s = {0};
    RILL_AUTO_EVENT e = {0};
    RILL_AUTO_ARRAY a = {0};
    RILL_TRY(rill_stream_create(d->world.context, NULL, &s));
    RILL_TRY(rill_event_create(d->world.context, NULL, &e));
    RILL_TRY(rill_array_create(d->world.context, RILL_F32, RILL_SHAPE(4), &a));
    dawdle(d, s);
    put(d, s, 6);
    RILL_TRY(rill_event_record(e, s));
    (void)none;
    (void)no_event;
    (void)no_array;
    return RILL_OK;
}

TEST(automatic_handles_wait_and_clean_up_and_skip_zero)
{
    struct digits d;
    open_digits(&d, 2);
    OK(leave_scope(&d));
    CHECK_INT(d.out[0], 6);
    rill_stats stats;
    OK(rill_context_stats(d.world.context, &stats));
    CHECK_INT(stats.stream_count, 1);
    CHECK_INT(stats.array_count, 0);
    world_close(&d.world);
}

static rill_status fail_on_the_way(void)
{
    RILL_AUTO_ARRAY a = {0};
    RILL_AUTO_EVENT e = {0};
    RILL_AUTO_STREAM s = {0};
    RILL_AUTO_CONTEXT context = {0}; // goes first: the others are stale by then
    RILL_TRY(rill_open(world_device(), NULL, &context));
    RILL_TRY(rill_stream_create(context, NULL, &s));
    RILL_TRY(rill_event_create(context, NULL, &e));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(4), &a));
    return rill_event_query(e);
}

TEST(leaving_a_scope_keeps_the_message_of_the_failure_that_led_there)
{
    STATUS(fail_on_the_way(), RILL_ERR_UNRECORDED);
    CHECK_STR(rill_message(), "rill_event_query: the event was never recorded");
}

static void leave_in_callback(void *user, rill_status status)
{
    (void)status;
    struct digits *d = user;
    RILL_AUTO_STREAM s = {0};
    OK(rill_stream_create(d->world.context, NULL, &s));
    put(d, s, 4);
}

TEST(automatic_stream_does_not_wait_in_a_callback)
{
    struct digits d;
    open_digits(&d, 1);
    OK(rill_stream_callback(rill_default_stream(d.world.context), leave_in_callback, &d));
    OK(rill_sync(d.world.context));
    OK(rill_sync(d.world.context));
    CHECK_INT(d.out[0], 4);
    CHECK_STR(d.world.logged, "");
    world_close(&d.world);
}

TEST(stale_handles_stay_stale_when_another_context_opens)
{
    uint64_t old_stream;
    {
        struct world world;
        world_open(&world, 1);
        rill_stream s = {0};
        OK(rill_stream_create(world.context, NULL, &s));
        old_stream = s.id;
        world_close(&world);
    }
    for (int i = 0; i < 50; i++) {
        rill_context context = {0};
        rill_stream s = {0};
        OK(rill_open(world_device(), NULL, &context));
        OK(rill_stream_create(context, NULL, &s));
        CHECK(s.id != old_stream);
        STATUS(rill_stream_query((rill_stream){old_stream}), RILL_ERR_STALE);
        OK(rill_close(context));
    }
}

// ---- threads ------------------------------------------------------------------------------------------------------

struct worker {
    struct world *world;
    rill_kernel kernel;
    int n;
    int wrong;
};

static void *launch_often(void *arg)
{
    struct worker *w = arg;
    rill_stream s = {0};
    OK(rill_stream_create(w->world->context, NULL, &s));
    float *x = malloc((size_t)w->n * sizeof *x);
    float *y = malloc((size_t)w->n * sizeof *y);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < w->n; i++) {
            x[i] = (float)i;
            y[i] = 1;
        }
        OK(rill_launch(w->kernel, s, RILL_ARGS(w->n, round, RILL_HOST(x, w->n), RILL_HOST(y, w->n))));
        OK(rill_stream_synchronize(s));
        for (int i = 0; i < w->n; i++) {
            w->wrong += y[i] != 1 + (float)round * (float)i;
        }
    }
    OK(rill_stream_destroy(s));
    free(x);
    free(y);
    return NULL;
}

TEST(one_kernel_from_many_threads_with_different_arguments)
{
    enum { COUNT = 8 };
    struct world world;
    world_open(&world, 3);
    struct worker workers[COUNT];
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++) {
        workers[i] = (struct worker){.world = &world, .kernel = world_kernel(&world, "saxpy"), .n = 10 + 37 * i * i};
        REQUIRE(pthread_create(&threads[i], NULL, launch_often, &workers[i]) == 0);
    }
    for (int i = 0; i < 20; i++) {
        OK(rill_sync(world.context));
        rill_array array = world_array(&world, RILL_F64, 1000);
        OK(rill_array_destroy(array));
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(workers[i].wrong, 0);
    }
    world_close(&world);
}

static void *close_it(void *arg)
{
    struct world *world = arg;
    usleep(2000);
    OK(rill_close(world->context));
    return NULL;
}

TEST(closing_while_other_threads_use_the_context_is_safe)
{
    for (int round = 0; round < 5; round++) {
        struct world world;
        world_open(&world, 2);
        rill_kernel append = world_kernel(&world, "append");
        long out[1] = {0};
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, close_it, &world) == 0);
        rill_status status = RILL_OK;
        for (int i = 0; status == RILL_OK; i++) {
            status = rill_launch(append, RILL_CURRENT, RILL_ARGS(0, RILL_HOST(out, 1)));
            if (status == RILL_OK && i % 16 == 0) {
                status = rill_sync(world.context);
            }
        }
        CHECK_INT(status, RILL_ERR_STALE);
        pthread_join(thread, NULL);
    }
}

TEST(launches_beyond_the_ring_wait_and_are_counted)
{
    struct digits d;
    open_digits(&d, 1);
    rill_kernel answer = world_kernel(&d.world, "answer");
    rill_stats stats = {0};
    int tries = 0;
    int most_tries = world_is_cpu() ? 4 : 1; // a GPU's driver may wait by itself, long before the ring is full
    for (int rounds = 30000000; stats.ring_wait_count == 0 && tries < most_tries;
         rounds *= 4) { // until launching is quicker
        OK(rill_launch(d.slow, RILL_CURRENT, RILL_ARGS(rounds)));
        for (int i = 0; i < 5000; i++) {
            OK(rill_launch(answer, RILL_CURRENT, RILL_ARGS()));
        }
        OK(rill_sync(d.world.context));
        OK(rill_context_stats(d.world.context, &stats));
        tries++;
    }
    CHECK(stats.ring_wait_count >= 1 || !world_is_cpu());
    CHECK_INT(stats.launch_count, 5001 * tries);
    world_close(&d.world);
}
