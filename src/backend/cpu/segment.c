// The memory of a stream's operations: segments that are filled in order and used again when everything in them has
// run.
#include "backend/cpu/stream.h"

size_t segment_round_up(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

// A segment with room for |size| bytes becomes the current one. The stream's lock is held.
static bool next_segment(struct backend_stream *stream, size_t size)
{
    size_t head = segment_round_up(sizeof(struct cpu_segment));
    struct cpu_segment **at = &stream->free;
    while (*at != NULL && (*at)->size < head + size) {
        at = &(*at)->next;
    }
    struct cpu_segment *segment = *at;
    if (segment != NULL) {
        *at = segment->next;
    } else {
        size_t whole = head + size > STREAM_SEGMENT_SIZE ? head + size : STREAM_SEGMENT_SIZE;
        segment = device_alloc(stream->device, whole, 64);
        if (segment == NULL) {
            return false;
        }
        segment->size = whole;
    }
    segment->used = head;
    segment->op_count = 0;
    segment->next = NULL;
    struct cpu_segment *old = stream->current;
    stream->current = segment;
    if (old != NULL && old->op_count == 0) {
        old->next = stream->free;
        stream->free = old;
    }
    return true;
}

// Memory for an operation, 64-byte aligned, not zeroed. NULL: there is none. The stream's lock is held.
void *segment_take(struct backend_stream *stream, size_t size)
{
    size = segment_round_up(size);
    struct cpu_segment *segment = stream->current;
    if (segment != NULL && segment->op_count == 0) {
        segment->used = segment_round_up(sizeof *segment); // everything in it has run
    }
    if (segment == NULL || segment->size - segment->used < size) {
        if (!next_segment(stream, size)) {
            return NULL;
        }
        segment = stream->current;
    }
    struct cpu_op *op = (struct cpu_op *)((char *)segment + segment->used);
    segment->used += size;
    op->segment = segment;
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
