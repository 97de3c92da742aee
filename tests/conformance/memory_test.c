// The n-th allocation made through Rill's allocator fails, for every n: a status, nothing lost, a context that works.
#include "world.h"

struct meter {
    atomic_long count;   // allocations so far
    atomic_long fail_at; // the allocation that fails; 0: none
    atomic_long live;    // bytes not yet released
    atomic_long blocks;
    atomic_bool is_empty; // every allocation fails
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    if (atomic_fetch_add(&meter->count, 1) + 1 == atomic_load(&meter->fail_at) || atomic_load(&meter->is_empty)) {
        return NULL;
    }
    void *memory;
    if (posix_memalign(&memory, alignment < 8 ? 8 : alignment, size) != 0) {
        return NULL;
    }
    memset(memory, 0xa5, size);
    atomic_fetch_add(&meter->live, (long)size);
    atomic_fetch_add(&meter->blocks, 1);
    return memory;
}

static void meter_release(void *user, void *memory, size_t size)
{
    struct meter *meter = user;
    atomic_fetch_sub(&meter->live, (long)size);
    atomic_fetch_sub(&meter->blocks, 1);
    free(memory);
}

static void ignore_callback(void *user, rill_status status)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

struct usage {
    rill_context context;
    rill_module module;
    rill_array a, b, view;
    rill_stream stream;
    rill_event event;
    atomic_int callbacks;
    float host[100];
};

// One of every call that allocates. Stops at the first that fails.
static rill_status use_everything(struct usage *s)
{
    rill_kernel saxpy;
    rill_kernel talk;
    rill_kernel sum;
    RILL_TRY(rill_module_create(s->context, world_source, NULL, &s->module));
    RILL_TRY(rill_module_kernel(s->module, "saxpy", &saxpy));
    RILL_TRY(rill_module_kernel(s->module, "talk", &talk));
    RILL_TRY(rill_module_kernel(s->module, "sum", &sum));
    RILL_TRY(rill_array_create(s->context, RILL_F32, RILL_SHAPE(100), &s->a));
    RILL_TRY(rill_array_create(s->context, RILL_F32, RILL_SHAPE(100), &s->b));
    RILL_TRY(rill_array_view(s->a, 10, RILL_SHAPE(90), &s->view));
    RILL_TRY(rill_stream_create(s->context, NULL, &s->stream));
    RILL_TRY(rill_event_create(s->context, NULL, &s->event));
    RILL_TRY(rill_array_write(s->a, s->stream, s->host, sizeof s->host));
    RILL_TRY(rill_launch(saxpy, s->stream, RILL_ARGS(90, 2, s->view, s->b)));
    RILL_TRY(rill_launch(talk, s->stream, RILL_ARGS(50)));
    RILL_TRY(rill_event_record(s->event, s->stream));
    RILL_TRY(rill_event_wait(s->event, RILL_CURRENT));
    RILL_TRY(rill_stream_wait(s->stream, rill_default_stream(s->context)));
    RILL_TRY(rill_stream_callback(s->stream, ignore_callback, &s->callbacks));
    float result;
    RILL_TRY(rill_call(sum, RILL_CURRENT, RILL_ARGS(100, s->b), &result, sizeof result));
    RILL_TRY(rill_array_fill(s->a, s->stream, s->host, sizeof *s->host));
    RILL_TRY(rill_array_copy(s->b, s->a, s->stream));
    RILL_TRY(rill_array_destroy(s->view));
    RILL_TRY(rill_module_destroy(s->module));
    RILL_TRY(rill_stream_destroy(s->stream));
    return rill_array_read(s->b, RILL_CURRENT, s->host, sizeof s->host);
}

static rill_status run_once(struct meter *meter, struct usage *s, struct world *world, bool *out_was_usable)
{
    memset(s, 0, sizeof *s);
    rill_allocator allocator = {meter, meter_allocate, meter_release};
    rill_open_options options = {.allocator = &allocator,
                                 .thread_count = 2,
                                 .log = world_log,
                                 .log_user = world,
                                 .print = world_print,
                                 .print_user = world};
    *out_was_usable = true;
    RILL_TRY(rill_open(world_device(), &options, &s->context));
    rill_status status = use_everything(s);
    if (status != RILL_OK) {
        // The context still works, whatever was left half done.
        atomic_store(&meter->fail_at, 0);
        struct usage again = {.context = s->context};
        *out_was_usable = use_everything(&again) == RILL_OK;
    }
    rill_status closed = rill_close(s->context);
    *out_was_usable = *out_was_usable && closed == RILL_OK;
    return status;
}

TEST(nth_allocation_fails_for_every_n)
{
    static struct world world;
    struct usage usage;
    struct meter meter = {0};
    bool was_usable;
    OK(run_once(&meter, &usage, &world, &was_usable));
    CHECK_INT(atomic_load(&meter.blocks), 0);
    long total = atomic_load(&meter.count);
    CHECK(total > 20);
    int failed = 0;
    for (long n = 1; n <= total + 2; n++) {
        memset(&world, 0, sizeof world);
        meter = (struct meter){0};
        atomic_store(&meter.fail_at, n);
        rill_status status = run_once(&meter, &usage, &world, &was_usable);
        failed += status != RILL_OK;
        if (status != RILL_OK && status != RILL_ERR_OUT_OF_MEMORY) {
            FAIL("allocation %ld: %s: %s", n, rill_status_name(status), rill_message());
        }
        if (!was_usable) {
            FAIL("allocation %ld: the context was not usable afterwards: %s", n, rill_message());
        }
        if (atomic_load(&meter.blocks) != 0) {
            FAIL("allocation %ld: %ld blocks and %ld bytes were lost", n, atomic_load(&meter.blocks),
                 atomic_load(&meter.live));
        }
    }
    CHECK(failed > 15);
}

// |fails_at| counts from here; 0: nothing fails.
static void fail_from_here(struct meter *meter, long fails_at)
{
    atomic_store(&meter->fail_at, fails_at != 0 ? atomic_load(&meter->count) + fails_at : 0);
}

// A stream that was never used has to get the memory of its queue where the first record is put into it.
TEST(event_keeps_its_record_where_another_finds_no_memory)
{
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    rill_context context = {0};
    OK(rill_open(world_device(), &(rill_open_options){.allocator = &allocator}, &context));
    int failed_count = 0;
    rill_status status = RILL_ERR_OUT_OF_MEMORY;
    for (long n = 1; n < 10 && status != RILL_OK; n++) {
        rill_stream old = {0};
        rill_stream fresh = {0};
        rill_event event = {0};
        rill_event never = {0};
        OK(rill_stream_create(context, NULL, &old));
        OK(rill_stream_create(context, NULL, &fresh));
        OK(rill_event_create(context, NULL, &event));
        OK(rill_event_create(context, NULL, &never));
        OK(rill_event_record(event, old));
        OK(rill_event_synchronize(event));
        fail_from_here(&meter, n);
        status = rill_event_record(event, fresh);
        rill_status first = rill_event_record(never, fresh);
        fail_from_here(&meter, 0);
        failed_count += status != RILL_OK;
        CHECK(status == RILL_OK || status == RILL_ERR_OUT_OF_MEMORY);
        OK(rill_event_wait(event, fresh)); // it has a record, the old one or the new
        OK(rill_event_synchronize(event));
        OK(rill_event_query(event));
        CHECK(rill_event_wait(never, old) == (first == RILL_OK ? RILL_OK : RILL_ERR_UNRECORDED));
        OK(rill_event_destroy(event));
        OK(rill_event_destroy(never));
        OK(rill_stream_destroy(old));
        OK(rill_stream_destroy(fresh));
    }
    OK(status);
    CHECK(failed_count > 0 || !world_is_cpu()); // elsewhere the driver keeps the queue
    OK(rill_close(context));
    CHECK_INT(atomic_load(&meter.blocks), 0);
}

// Each of the two needs memory of its own for the wait.
TEST(stream_that_finds_no_memory_to_wait_for_another_does_not_wait)
{
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    rill_context context = {0};
    OK(rill_open(world_device(), &(rill_open_options){.allocator = &allocator}, &context));
    int failed_count = 0;
    rill_status status = RILL_ERR_OUT_OF_MEMORY;
    for (long n = 1; n < 10 && status != RILL_OK; n++) {
        rill_stream first = {0};
        rill_stream second = {0};
        OK(rill_stream_create(context, NULL, &first));
        OK(rill_stream_create(context, NULL, &second));
        fail_from_here(&meter, n);
        status = rill_stream_wait(first, second);
        fail_from_here(&meter, 0);
        failed_count += status != RILL_OK;
        CHECK(status == RILL_OK || status == RILL_ERR_OUT_OF_MEMORY);
        OK(rill_stream_wait(first, second)); // and both can be used
        OK(rill_stream_wait(second, first));
        OK(rill_sync(context));
        OK(rill_stream_destroy(first));
        OK(rill_stream_destroy(second));
    }
    OK(status);
    CHECK(failed_count > 0 || !world_is_cpu()); // elsewhere the driver keeps the queue
    OK(rill_close(context));
    CHECK_INT(atomic_load(&meter.blocks), 0);
}

TEST(steady_state_allocates_nothing)
{
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    rill_context context = {0};
    OK(rill_open(world_device(), &(rill_open_options){.allocator = &allocator}, &context));
    rill_module module = {0};
    rill_kernel saxpy = {0};
    rill_kernel sum = {0};
    OK(rill_module_create(context, world_source, NULL, &module));
    OK(rill_module_kernel(module, "saxpy", &saxpy));
    OK(rill_module_kernel(module, "sum", &sum));
    rill_array x = {0};
    rill_array y = {0};
    rill_array result = {0};
    rill_stream other = {0};
    rill_event event = {0};
    int n = 100000;
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &x));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &y));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(1), &result));
    OK(rill_stream_create(context, NULL, &other));
    OK(rill_event_create(context, NULL, &event));
    long before = 0;
    for (int i = 0; i < 2000; i++) {
        OK(rill_launch(saxpy, RILL_CURRENT, RILL_ARGS(n, 0.5f, x, y)));
        OK(rill_event_record(event, RILL_CURRENT));
        OK(rill_event_wait(event, other));
        OK(rill_launch_result(sum, other, RILL_ARGS(n, y), result));
        OK(rill_stream_wait(rill_default_stream(context), other));
        if (i % 50 == 49) {
            OK(rill_sync(context));
        }
        if (i == 999) {
            before = atomic_load(&meter.count);
        }
    }
    CHECK_INT(atomic_load(&meter.count), before);
    OK(rill_close(context));
    CHECK_INT(atomic_load(&meter.blocks), 0);
}

// Queues on |stream|, behind something slow, until its memory is used up.
static void fill_up(struct meter *meter, rill_kernel slow, rill_stream stream, rill_array array)
{
    float one = 1;
    OK(rill_launch(slow, stream, RILL_ARGS(20000000)));
    atomic_store(&meter->is_empty, true);
    rill_status status = RILL_OK;
    while (status == RILL_OK) {
        status = rill_array_fill(array, stream, &one, sizeof one);
    }
    CHECK_INT(status, RILL_ERR_OUT_OF_MEMORY);
}

// There is no memory for the mark that would say when the memory may go: the call waits, because it must not fail.
TEST(without_memory_for_a_mark_destroying_waits_and_loses_nothing)
{
    if (!world_is_cpu()) {
        SKIP("only the CPU's queues take their memory from the allocator");
    }
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel slow = {0};
    rill_array array = {0};
    rill_stream stream = {0};
    rill_stream other = {0};
    OK(rill_open(world_device(), &(rill_open_options){.allocator = &allocator, .thread_count = 2}, &context));
    OK(rill_module_create(context, world_source, NULL, &module));
    OK(rill_module_kernel(module, "slow", &slow));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(4), &array));
    OK(rill_stream_create(context, NULL, &stream));
    OK(rill_stream_create(context, NULL, &other));
    fill_up(&meter, slow, stream, array);
    STATUS(rill_stream_wait(other, stream), RILL_ERR_OUT_OF_MEMORY);
    OK(rill_array_destroy(array));
    atomic_store(&meter.is_empty, false);
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(4), &array));
    fill_up(&meter, slow, stream, array);
    OK(rill_stream_destroy_later(stream));
    atomic_store(&meter.is_empty, false);
    OK(rill_array_destroy(array));
    rill_stats stats;
    OK(rill_sync(context));
    OK(rill_context_stats(context, &stats));
    CHECK_INT(stats.array_size, 0);
    CHECK_INT(stats.stream_count, 2); // the default one, and the other
    OK(rill_close(context));
    CHECK_INT(atomic_load(&meter.blocks), 0);
}
