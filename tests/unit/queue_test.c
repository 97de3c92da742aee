// The CPU's queues and events on their own, through the table of operations.
#include "backend/cpu/device.h"
#include "backend/cpu/stream.h"

#include "test.h"

struct queue {
    struct backend_device *device;
    struct backend_stream *stream;
};

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void open_queue(struct queue *queue)
{
    struct backend_host host = {.allocate = allocate, .release = release, .thread_count = 2};
    REQUIRE(backend_cpu.device_open(0, &host, &queue->device) == RILL_OK);
    REQUIRE(backend_cpu.stream_create(queue->device, 0, 7, &queue->stream) == RILL_OK);
}

static void close_queue(struct queue *queue)
{
    backend_cpu.stream_destroy(queue->stream);
    backend_cpu.device_close(queue->device);
}

TEST(memory_of_a_queue_is_used_again_and_grows_for_what_is_larger)
{
    struct queue queue;
    open_queue(&queue);
    static unsigned char target[200 * 1000];
    static unsigned char source[200 * 1000];
    memset(source, 7, sizeof source);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) { // several segments
            unsigned char element = (unsigned char)i;
            REQUIRE(backend_cpu.fill(queue.stream, target, 10, &element, 1) == RILL_OK);
        }
        backend_cpu.stream_synchronize(queue.stream);
        CHECK_INT(target[9], 4999 % 256);
        REQUIRE(backend_cpu.copy(queue.stream, target, source, sizeof source, true) == RILL_OK);
        source[0]++; // it was copied before the call returned
        backend_cpu.stream_synchronize(queue.stream);
        CHECK_INT(target[0], 7 + round);
        CHECK_INT(target[sizeof target - 1], 7);
    }
    close_queue(&queue);
}

// What is queued behind something that still runs gets memory of its own; behind a wait the queue begins again.
TEST(queue_that_is_waited_for_begins_again_at_the_front)
{
    struct queue queue;
    open_queue(&queue);
    static unsigned char target[64][10];
    int again_count = 0;
    for (int round = 0; round < 400; round++) {
        size_t used = queue.stream->current_used;
        int count = 1 + round % 64;
        for (int i = 0; i < count; i++) {
            unsigned char element = (unsigned char)(round + i);
            REQUIRE(backend_cpu.fill(queue.stream, target[i], sizeof target[i], &element, 1) == RILL_OK);
            again_count += i == 0 && queue.stream->current_used < used;
        }
        backend_cpu.stream_synchronize(queue.stream);
        for (int i = 0; i < count; i++) {
            CHECK_INT(target[i][0], (unsigned char)(round + i));
            CHECK_INT(target[i][9], (unsigned char)(round + i));
        }
    }
    CHECK(again_count > 50 || thread_is_checked()); // more often than it comes to the end
    close_queue(&queue);
}

TEST(event_that_was_never_recorded_is_not_waited_for)
{
    struct queue queue;
    open_queue(&queue);
    struct backend_event *event;
    struct backend_error error;
    double time = -1;
    REQUIRE(backend_cpu.event_create(queue.device, true, &event) == RILL_OK);
    CHECK(!backend_cpu.event_is_recorded(event));
    CHECK(!backend_cpu.event_is_reached(event));
    CHECK(!backend_cpu.event_synchronize(event, &error));
    CHECK_INT(backend_cpu.event_elapsed(event, event, &time), RILL_ERR_NOT_READY);
    CHECK_INT(backend_cpu.event_wait(event, queue.stream), RILL_ERR_UNRECORDED);
    backend_cpu.event_destroy(event);
    backend_cpu.event_destroy(NULL);
    close_queue(&queue);
}

// ---- guests, in a pool whose threads have not started: whatever runs, the thread that waits has run -----------------

static void open_empty(struct queue *queue)
{
    if (thread_is_checked() || getenv("RILL_SCHEDULE") != NULL) {
        SKIP("under ThreadSanitizer and in a chosen schedule not every wait helps");
    }
    if (thread_stack_left() < GUEST_STACK) {
        SKIP("a thread with a small stack does not help");
    }
    open_queue(queue);
    atomic_store(&queue->device->is_started, true);
}

static void close_empty(struct queue *queue)
{
    REQUIRE(cpu_pool_start(&queue->device->pool) == RILL_OK);
    close_queue(queue);
}

struct endless {
    struct backend_stream *stream;
    int count;
};

static void queue_another(void *arg, const struct backend_error *error)
{
    struct endless *endless = arg;
    CHECK(error == NULL);
    if (++endless->count < 100000) {
        CHECK_INT(backend_cpu.notify(endless->stream, queue_another, endless, false), RILL_OK);
    }
}

TEST(guest_stops_where_its_wait_ends)
{
    struct queue queue;
    open_empty(&queue);
    struct endless endless = {.stream = queue.stream};
    REQUIRE(backend_cpu.notify(queue.stream, queue_another, &endless, false) == RILL_OK);
    backend_cpu.stream_synchronize(queue.stream);
    CHECK_INT(endless.count, 1);
    backend_cpu.stream_synchronize(queue.stream);
    CHECK_INT(endless.count, 2);

    struct backend_event *event;
    struct backend_error error;
    REQUIRE(backend_cpu.event_create(queue.device, true, &event) == RILL_OK);
    REQUIRE(backend_cpu.event_record(event, queue.stream) == RILL_OK);
    CHECK(!backend_cpu.event_synchronize(event, &error));
    CHECK_INT(endless.count, 3);

    // The same stream, reached through another that waits for the event.
    struct backend_stream *other;
    REQUIRE(backend_cpu.stream_create(queue.device, 0, 8, &other) == RILL_OK);
    REQUIRE(backend_cpu.event_record(event, queue.stream) == RILL_OK);
    REQUIRE(backend_cpu.event_wait(event, other) == RILL_OK);
    backend_cpu.stream_synchronize(other);
    CHECK_INT(endless.count, 4);
    endless.count = 100000;
    backend_cpu.stream_destroy(other);
    backend_cpu.event_destroy(event);
    close_empty(&queue);
}

static void count_notice(void *arg, const struct backend_error *error)
{
    CHECK(error == NULL);
    ++*(int *)arg;
}

TEST(help_does_what_can_be_done_and_does_not_wait)
{
    struct queue queue;
    open_empty(&queue);
    int count = 0;
    unsigned char target[4] = {0};
    unsigned char element = 9;
    REQUIRE(backend_cpu.fill(queue.stream, target, 2, &element, 1) == RILL_OK);
    REQUIRE(backend_cpu.notify(queue.stream, count_notice, &count, true) == RILL_OK);
    REQUIRE(backend_cpu.fill(queue.stream, target + 2, 2, &element, 1) == RILL_OK);
    backend_cpu.stream_help(queue.stream);
    CHECK_INT(count, 1);
    CHECK_INT(target[1], 9);
    CHECK_INT(target[2], 0); // the notice holds the stream
    backend_cpu.stream_help(queue.stream);
    CHECK_INT(count, 1);
    CHECK(!backend_cpu.stream_is_idle(queue.stream));
    backend_cpu.proceed(queue.stream);
    backend_cpu.stream_help(queue.stream);
    CHECK_INT(target[3], 9);
    CHECK(backend_cpu.stream_is_idle(queue.stream));
    backend_cpu.stream_help(queue.stream); // nothing left
    close_empty(&queue);
}
