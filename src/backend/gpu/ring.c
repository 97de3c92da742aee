// Memory of launches and copies: taken from segments one piece behind the other, never given back piece by piece. A
// segment that is full is used again once the work that uses it has run; until then the ring grows. Zeroed memory is
// cleared a whole segment at a time, so that a launch clears nothing.
#include "backend/gpu/device.h"
#include "backend/gpu/memory.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

enum {
    ZEROED_SIZE = 256 << 10,
    PLAIN_SIZE = 2 << 20,
    PINNED_SIZE = 1 << 20,
    PIECE_ALIGN = 64,
    FRAME_SIZE = (sizeof(struct abi_gpu_frame) + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN,
    FRAMES_SIZE = 1024 * FRAME_SIZE,
    RING_LIMIT = 64 << 20, // a ring beyond this waits for its oldest segment instead of growing
};

static size_t usual_size(enum gpu_ring_kind kind)
{
    assert(kind < GPU_RING_KINDS);
    static const size_t sizes[GPU_RING_KINDS] = {[GPU_RING_ZEROED] = ZEROED_SIZE,
                                                 [GPU_RING_PLAIN] = PLAIN_SIZE,
                                                 [GPU_RING_PINNED] = PINNED_SIZE,
                                                 [GPU_RING_FRAMES] = FRAMES_SIZE};
    return sizes[kind];
}

static void segment_destroy(struct backend_stream *stream, struct gpu_segment *segment)
{
    struct backend_device *device = stream->device;
    if (segment == NULL) {
        return;
    }
    if (segment->kind == GPU_RING_PINNED) {
        driver_pinned_free(device->driver, (void *)(uintptr_t)segment->address);
    } else {
        gpu_memory_give(device, device->service, segment->address, segment->size);
    }
    driver_pinned_free(device->driver, segment->records);
    driver_event_destroy(device->driver, segment->event);
    gpu_free(device, segment, sizeof *segment);
}

// Frames that nobody has claimed, each with the address of its record. The records are the source of the copy too: they
// change only when a launch that comes behind it fails.
static rill_status clear_frames(struct backend_stream *stream, struct gpu_segment *segment)
{
    memset(segment->records, 0, segment->size);
    for (size_t at = 0; at + FRAME_SIZE <= segment->size; at += FRAME_SIZE) {
        struct abi_gpu_frame *frame = (struct abi_gpu_frame *)(segment->records + at);
        frame->record = (uint64_t)(uintptr_t)frame;
    }
    return stream->device->driver->copy(stream->lane.handle, segment->address, (uint64_t)(uintptr_t)segment->records,
                                        segment->size);
}

static bool has_failures(const struct gpu_segment *segment)
{
    bool has_one = false;
    for (size_t at = 0; at + FRAME_SIZE <= segment->size; at += FRAME_SIZE) {
        has_one |= ((const struct abi_gpu_frame *)(segment->records + at))->published != 0;
    }
    return has_one;
}

static rill_status segment_create(struct backend_stream *stream, enum gpu_ring_kind kind, size_t size,
                                  struct gpu_segment **out_segment)
{
    struct backend_device *device = stream->device;
    const struct gpu_driver *driver = device->driver;
    *out_segment = NULL;
    struct gpu_segment *segment = gpu_alloc(device, sizeof *segment);
    if (segment == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
    }
    segment->kind = kind;
    segment->size = size;
    rill_status status = driver_event_create(driver, false, &segment->event);
    if (status == RILL_OK && kind == GPU_RING_PINNED) {
        void *memory = NULL;
        status = driver_pinned_alloc(driver, size, &memory);
        segment->address = (uint64_t)(uintptr_t)memory;
    } else if (status == RILL_OK) {
        // Blocks use it on other streams, which may have parted from this one already: it must be there at once.
        status = gpu_memory_take(device, device->service, size, &segment->address);
        if (status == RILL_OK && kind == GPU_RING_PLAIN && size == PLAIN_SIZE) {
            // Print buffers are copied whole, however little was printed: nobody shall read what was never written.
            status = driver_set(driver, device->service, segment->address, 0, 4, size / 4);
        }
        status = status == RILL_OK ? driver_stream_synchronize(driver, device->service) : status;
    }
    if (status == RILL_OK && kind == GPU_RING_FRAMES) {
        void *memory = NULL;
        status = driver_pinned_alloc(driver, size, &memory);
        segment->records = memory;
        status = status == RILL_OK ? clear_frames(stream, segment) : status;
    }
    if (status == RILL_OK && kind == GPU_RING_ZEROED) {
        status = driver_set(driver, stream->lane.handle, segment->address, 0, 4, size / 4);
    }
    if (status != RILL_OK) {
        segment_destroy(stream, segment);
        return status;
    }
    *out_segment = segment;
    return RILL_OK;
}

// The oldest full segment if its work has run; where the ring |is_large| it is waited for. NULL: none.
static struct gpu_segment *take_oldest(struct backend_stream *stream, struct gpu_ring *ring, bool is_large,
                                       backend_must_not_wait must_not_wait)
{
    struct gpu_segment *segment = ring->first;
    const struct gpu_driver *driver = stream->device->driver;
    if (segment == NULL) {
        return NULL;
    }
    bool has_run = atomic_load_explicit(&stream->reaped, memory_order_acquire) >= segment->sequence;
    if (!has_run) {
        rill_status status = gpu_note_loss(stream->device, driver_event_query(driver, segment->event));
        if (status != RILL_OK && !(is_large && backend_may_wait(must_not_wait))) {
            return NULL; // a question that failed says nothing either
        }
        if (status != RILL_OK) {
            gpu_count(&stream->device->counters.ring_wait_count);
            gpu_note_loss(stream->device, driver_event_synchronize(driver, segment->event));
        }
        gpu_reap(stream, segment->sequence); // what the host still wants from pinned memory
    }
    ring->first = segment->next;
    ring->last = ring->first != NULL ? ring->last : NULL;
    segment->next = NULL;
    return segment;
}

static rill_status reuse(struct backend_stream *stream, struct gpu_segment *segment)
{
    segment->used = 0;
    if (segment->kind == GPU_RING_FRAMES) {
        return has_failures(segment) ? clear_frames(stream, segment) : RILL_OK;
    }
    if (segment->kind != GPU_RING_ZEROED) {
        return RILL_OK;
    }
    return driver_set(stream->device->driver, stream->lane.handle, segment->address, 0, 4, segment->size / 4);
}

static rill_status next_segment(struct backend_stream *stream, struct gpu_ring *ring, size_t size,
                                backend_must_not_wait must_not_wait)
{
    if (ring->current != NULL) { // full; sealed when its last work is queued
        ring->current->next = ring->leaving;
        ring->leaving = ring->current;
        stream->is_leaving = true;
        ring->current = NULL;
    }
    for (;;) {
        bool is_large = ring->total_size + size > RING_LIMIT;
        struct gpu_segment *segment = take_oldest(stream, ring, is_large, must_not_wait);
        if (segment == NULL) {
            break;
        }
        assert(ring->total_size >= segment->size);
        if (segment->size >= size && segment->size == usual_size(ring->kind)) {
            rill_status status = reuse(stream, segment);
            if (status == RILL_OK) {
                ring->current = segment;
                return RILL_OK;
            }
            ring->total_size -= segment->size;
            segment_destroy(stream, segment);
            return status;
        }
        ring->total_size -= segment->size;
        segment_destroy(stream, segment);
    }
    size_t wanted = size > usual_size(ring->kind) ? size : usual_size(ring->kind);
    RILL_TRY(segment_create(stream, ring->kind, wanted, &ring->current));
    ring->total_size += wanted;
    return RILL_OK;
}

rill_status gpu_ring_take(struct backend_stream *stream, enum gpu_ring_kind kind, size_t size,
                          backend_must_not_wait must_not_wait, uint64_t *out_address)
{
    struct gpu_ring *ring = &stream->rings[kind];
    *out_address = 0;
    assert(thread_latch_is_taken(&stream->order) && ring->kind == kind);
    size = (size + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
    if (stream->is_capturing) {
        return gpu_capture_take(stream, kind, size, out_address);
    }
    if (ring->current == NULL || ring->current->size - ring->current->used < size) {
        RILL_TRY(next_segment(stream, ring, size, must_not_wait));
    }
    *out_address = ring->current->address + ring->current->used;
    ring->current->used += size;
    assert(ring->current->used <= ring->current->size);
    return RILL_OK;
}

rill_status gpu_ring_take_frame(struct backend_stream *stream, backend_must_not_wait must_not_wait,
                                uint64_t *out_address, const struct abi_gpu_frame **out_record)
{
    *out_record = NULL;
    if (stream->is_capturing) { // cleared by the graph, and copied by it
        return gpu_ring_take(stream, GPU_RING_ZEROED, sizeof(struct abi_gpu_frame), must_not_wait, out_address);
    }
    RILL_TRY(gpu_ring_take(stream, GPU_RING_FRAMES, FRAME_SIZE, must_not_wait, out_address));
    const struct gpu_segment *segment = stream->rings[GPU_RING_FRAMES].current;
    assert(*out_address >= segment->address && *out_address + FRAME_SIZE <= segment->address + segment->size);
    *out_record = (const struct abi_gpu_frame *)(segment->records + (*out_address - segment->address));
    return RILL_OK;
}

rill_status gpu_ring_seal_all(struct backend_stream *stream)
{
    const struct gpu_driver *driver = stream->device->driver;
    rill_status first = RILL_OK;
    stream->is_leaving = false;
    assert(thread_latch_is_taken(&stream->order));
    for (int i = 0; i < GPU_RING_KINDS; i++) {
        struct gpu_ring *ring = &stream->rings[i];
        while (ring->leaving != NULL) {
            struct gpu_segment *segment = ring->leaving;
            ring->leaving = segment->next;
            segment->next = NULL;
            rill_status status = driver_event_record(driver, segment->event, stream->lane.handle);
            if (status != RILL_OK) { // without the event, the wait itself: an older record of it says nothing
                gpu_count(&stream->device->counters.ring_wait_count);
                status = driver_stream_synchronize(driver, stream->lane.handle);
            }
            first = first == RILL_OK ? status : first;
            segment->sequence = atomic_load_explicit(&stream->queued, memory_order_relaxed);
            if (ring->first == NULL) {
                ring->first = segment;
            } else {
                ring->last->next = segment;
            }
            ring->last = segment;
        }
    }
    return first;
}

void gpu_ring_finish(struct backend_stream *stream)
{
    for (int i = 0; i < GPU_RING_KINDS; i++) {
        struct gpu_ring *ring = &stream->rings[i];
        struct gpu_segment *lists[] = {ring->current, ring->leaving, ring->first};
        for (int k = 0; k < 3; k++) {
            while (lists[k] != NULL) {
                struct gpu_segment *next = k == 0 ? NULL : lists[k]->next;
                segment_destroy(stream, lists[k]);
                lists[k] = next;
            }
        }
    }
}
