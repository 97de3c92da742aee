// The memory of a stream's operations: segments that are filled in order and used again when everything in them has
// run. Who queues holds the stream's lock and does everything here but count what has ended; that count is looked at
// only when a segment is full, so that the two sides do not pass its cache line to and fro.
#include "backend/cpu/stream.h"

#include "base/hot.h"

#include <assert.h>

enum { PREFETCH_SIZE = 256 };

size_t segment_round_up(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

static size_t head_size(void)
{
    return segment_round_up(sizeof(struct cpu_segment));
}

static bool has_run(struct cpu_segment *segment)
{
    return atomic_load_explicit(&segment->ended_count, memory_order_acquire) == segment->queued_count;
}

// New operations go to |segment|, in which nothing is left to run.
static void begin(struct backend_stream *stream, struct cpu_segment *segment)
{
    assert(has_run(segment) && segment->size >= head_size());
    thread_observe(segment); // what the workers read in it is read
    atomic_store_explicit(&segment->ended_count, 0, memory_order_relaxed);
    segment->next = NULL;
    stream->current = segment;
    stream->current_used = head_size();
    stream->current_size = segment->size;
    stream->current_count = 0;
}

// Operations run in order, so that the oldest segment is the first to be free.
static void collect_used(struct backend_stream *stream)
{
    while (stream->used != NULL && has_run(stream->used)) {
        struct cpu_segment *segment = stream->used;
        stream->used = segment->next;
        segment->next = stream->free;
        stream->free = segment;
    }
}

static struct cpu_segment *make_segment(struct backend_stream *stream, size_t size)
{
    size_t whole = head_size() + size > STREAM_SEGMENT_SIZE ? head_size() + size : STREAM_SEGMENT_SIZE;
    struct cpu_segment *segment = device_alloc(stream->device, whole, 64);
    if (segment != NULL) {
        segment->size = whole;
    }
    return segment;
}

// A segment with room for |size| bytes that nothing is in. NULL: no memory.
static struct cpu_segment *take_segment(struct backend_stream *stream, size_t size)
{
    collect_used(stream);
    struct cpu_segment **at = &stream->free;
    while (*at != NULL && (*at)->size < head_size() + size) {
        at = &(*at)->next;
    }
    struct cpu_segment *segment = *at;
    if (segment != NULL) {
        *at = segment->next;
        return segment;
    }
    return make_segment(stream, size);
}

static bool has_second(const struct backend_stream *stream)
{
    return stream->free != NULL || stream->used != NULL;
}

// A segment with room for |size| bytes becomes the current one.
static __attribute__((noinline)) bool next_segment(struct backend_stream *stream, size_t size)
{
    struct cpu_segment *old = stream->current;
    if (old != NULL) {
        old->queued_count = stream->current_count;
    }
    if (old != NULL && has_run(old) && old->size >= head_size() + size) {
        if (!has_second(stream)) { // see segment_take(); without memory it is tried again
            stream->free = make_segment(stream, 0);
        }
        begin(stream, old);
        return true;
    }
    struct cpu_segment *segment = take_segment(stream, size);
    if (segment == NULL) {
        return false;
    }
    begin(stream, segment);
    if (old != NULL) {
        if (stream->used == NULL) {
            stream->used = old;
        } else {
            stream->used_last->next = old;
        }
        stream->used_last = old;
        old->next = NULL;
    }
    return true;
}

HOT void *segment_take(struct backend_stream *stream, size_t size)
{
    assert(thread_latch_is_held(&stream->lock) && stream->current_used <= stream->current_size);
    size = segment_round_up(size);
    // ThreadSanitizer does not see the stream's lock. It is told only of those who queue on one stream, because more
    // would hide what the program forgot to order.
    if (UNLIKELY(stream->is_checked)) {
        thread_observe(&stream->current);
    }
    // Who waits for each thing that it queues has few lines to itself: everything in the segment has run, and it begins
    // again. Not before there are two, so that it is only at the beginning that a stream allocates, whether it comes to
    // the end of a segment or not. And not under ThreadSanitizer, which would have to be told, and would take it for an
    // order of the program's.
    bool is_at_hand = stream->is_at_hand;
    if (is_at_hand && LIKELY(!stream->is_checked) && has_second(stream) &&
        atomic_load_explicit(&stream->inbox, memory_order_acquire) == &stream->rest) {
        stream->current_used = head_size();
    }
    if (UNLIKELY(stream->current_size - stream->current_used < size) && !next_segment(stream, size)) {
        return NULL;
    }
    struct cpu_op *op = (struct cpu_op *)((char *)stream->current + stream->current_used);
    stream->current_used += size;
    op->segment = stream->current;
    // A worker has had the lines of the next operation. They are asked for now, so that they are here by then.
    if (!is_at_hand && stream->current_size - stream->current_used >= size) {
        fetch_for_writing((char *)stream->current + stream->current_used, size < PREFETCH_SIZE ? size : PREFETCH_SIZE);
    }
    return op;
}

void segment_free_all(struct backend_device *device, struct cpu_segment *segment)
{
    while (segment != NULL) {
        struct cpu_segment *next = segment->next;
        device_free(device, segment, segment->size);
        segment = next;
    }
}
