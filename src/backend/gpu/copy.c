// Copies and fills.
#include "backend/gpu/defer.h"
#include "backend/gpu/stage.h"

#include "base/status.h"

#include <string.h>

enum {
    PATTERN_SIZE = 4096,
    DETOUR_SIZE = 1 << 20, // of device memory that ranges go through which overlap at a smaller distance
};

// |source| is read before the call returns.
static rill_status copy_in_now(struct backend_stream *stream, uint64_t target, const void *source, size_t size,
                               backend_must_not_wait must_not_wait)
{
    uint64_t pinned;
    RILL_TRY(gpu_ring_take(stream, GPU_RING_PINNED, size, must_not_wait, &pinned));
    memcpy((void *)(uintptr_t)pinned, source, size);
    return stream->device->driver->copy(stream->lane.handle, target, pinned, size);
}

static bool overlaps(uint64_t target, uint64_t source, size_t size)
{
    return target < source ? source - target < size : target - source < size;
}

// What is overwritten has been read: from the side to which the bytes go, in pieces that do not overlap, or through
// memory of the device where these would be small. The driver copies no ranges that overlap.
static rill_status move_within(struct backend_stream *stream, uint64_t target, uint64_t source, size_t size,
                               bool *out_has_begun)
{
    const struct gpu_driver *driver = stream->device->driver;
    void *handle = stream->lane.handle;
    size_t piece = target < source ? source - target : target - source;
    uint64_t detour = 0;
    if (piece < DETOUR_SIZE) {
        piece = size < DETOUR_SIZE ? size : DETOUR_SIZE;
        RILL_TRY(gpu_ring_take(stream, GPU_RING_PLAIN, piece, backend_never_waits, &detour));
    }
    for (size_t done = 0; done < size; done += piece) {
        size_t left = size - done;
        size_t part = left < piece ? left : piece;
        uint64_t at = target < source ? done : left - part;
        if (detour != 0) {
            RILL_TRY(driver->copy(handle, detour, source + at, part));
        }
        RILL_TRY(driver->copy(handle, target + at, detour != 0 ? detour : source + at, part));
        *out_has_begun = true;
    }
    return RILL_OK;
}

rill_status gpu_copy_queue(struct backend_stream *stream, const struct gpu_copy *copy, bool *out_has_begun)
{
    const struct gpu_driver *driver = stream->device->driver;
    uint64_t to = (uint64_t)(uintptr_t)copy->target;
    uint64_t from = (uint64_t)(uintptr_t)copy->source;
    *out_has_begun = false;
    bool is_out = driver->place_of(copy->target) == GPU_PAGEABLE;
    bool is_staged = copy->read != BACKEND_READ_LATER;
    bool is_in = !is_staged && driver->place_of(copy->source) == GPU_PAGEABLE;
    if (stream->is_capturing && (is_staged || is_in || is_out)) {
        return gpu_capture_refuse("only memory of the device and pinned memory can be copied");
    }
    if (is_staged) {
        return copy_in_now(stream, to, copy->source, copy->size,
                           copy->read == BACKEND_READ_AT_ONCE ? backend_never_waits : NULL);
    }
    if (is_in && is_out) {
        return gpu_stage_move(stream, copy->target, copy->source, copy->size);
    }
    if (is_in || is_out) {
        struct gpu_stage stage = {.host = is_in ? (void *)(uintptr_t)copy->source : copy->target,
                                  .address = is_in ? to : from,
                                  .size = copy->size,
                                  .is_upload = is_in,
                                  .out_has_begun = out_has_begun};
        return gpu_stage_copy(stream, &stage);
    }
    if (!overlaps(to, from, copy->size)) {
        return driver->copy(stream->lane.handle, to, from, copy->size);
    }
    return to != from ? move_within(stream, to, from, copy->size, out_has_begun) : RILL_OK;
}

// What follows an operation on a stream.
static rill_status finish(struct backend_stream *stream, rill_status status)
{
    if (stream->is_capturing) {
        return status;
    }
    gpu_stream_number(stream);
    rill_status sealed = gpu_ring_seal(stream);
    return gpu_note_loss(stream->device, status != RILL_OK ? status : sealed);
}

// A call that fails though some of its operation has begun, which cannot be taken back.
static rill_status settle(struct backend_stream *stream, rill_status status)
{
    if (status != RILL_OK && stream->has_begun && !stream->is_capturing) {
        gpu_stream_fail_as(stream, status, true);
    }
    return status;
}

rill_status gpu_copy_now(struct backend_stream *stream, const struct gpu_copy *copy)
{
    rill_status status = gpu_copy_queue(stream, copy, &stream->has_begun);
    gpu_trace_other(stream, "a copy");
    return finish(stream, status);
}

rill_status gpu_copy(struct backend_stream *stream, void *target, const void *source, size_t size,
                     enum backend_read read)
{
    RILL_TRY(gpu_stream_refuse(stream));
    if (size == 0) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    struct gpu_copy copy = {.target = target, .source = source, .size = size, .read = read};
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    if (status != RILL_OK) {
        // nothing is queued
    } else if (gpu_defers(stream)) {
        status = gpu_defer(stream, &(struct gpu_op){.kind = GPU_OP_COPY, .u.copy = copy}, source,
                           read != BACKEND_READ_LATER ? size : 0);
    } else {
        status = settle(stream, gpu_copy_now(stream, &copy));
    }
    gpu_stream_end(stream, before);
    return status;
}

// The driver finds the way, also where it has to go through memory of the host. What it does not take at all goes
// through the host by the caller's hands.
rill_status gpu_copy_from(struct backend_stream *stream, void *target, struct backend_device *source_device,
                          const void *source, size_t size)
{
    struct backend_device *device = stream->device;
    bool is_same = overlaps((uint64_t)(uintptr_t)target, (uint64_t)(uintptr_t)source, size); // two names of one memory
    if (!device->properties.has_peers || is_same) {
        return RILL_ERR_UNSUPPORTED;
    }
    RILL_TRY(gpu_stream_refuse(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = RILL_ERR_UNSUPPORTED;
    if (!gpu_defers(stream)) {
        status = device->driver->copy_peer(stream->lane.handle, device->context, (uint64_t)(uintptr_t)target,
                                           source_device->context, (uint64_t)(uintptr_t)source, size);
        status = gpu_note_loss(device, status);
        gpu_trace_other(stream, "a copy");
        gpu_stream_number(stream);
    }
    gpu_stream_end(stream, before);
    return status == RILL_OK || atomic_load(&device->is_lost) ? status : RILL_ERR_UNSUPPORTED;
}

int gpu_fill_width(const void *bytes, size_t size, uint32_t *out_value)
{
    const unsigned char *element = bytes;
    for (int width = 1; width <= 4; width *= 2) {
        bool repeats = size % (size_t)width == 0;
        for (size_t i = (size_t)width; repeats && i < size; i++) {
            repeats = element[i] == element[i - (size_t)width];
        }
        if (repeats) {
            *out_value = 0;
            memcpy(out_value, element, (size_t)width);
            return width;
        }
    }
    return 0;
}

// The filled part doubles until it is everything.
static rill_status fill_by_copies(struct backend_stream *stream, uint64_t target, size_t whole, const void *element,
                                  size_t size)
{
    unsigned char pattern[PATTERN_SIZE];
    size_t first = size;
    const void *source = element;
    if (size <= PATTERN_SIZE) {
        first = PATTERN_SIZE / size * size;
        first = first < whole ? first : whole;
        for (size_t i = 0; i < first; i += size) {
            memcpy(pattern + i, element, size);
        }
        source = pattern;
    }
    RILL_TRY(copy_in_now(stream, target, source, first, backend_never_waits));
    stream->has_begun = true;
    for (size_t done = first; done < whole;) {
        size_t more = done < whole - done ? done : whole - done;
        RILL_TRY(stream->device->driver->copy(stream->lane.handle, target + done, target, more));
        done += more;
    }
    return RILL_OK;
}

rill_status gpu_fill_now(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size)
{
    uint64_t to = (uint64_t)(uintptr_t)target;
    uint32_t value;
    int width = gpu_fill_width(element, size, &value);
    bool is_set = width != 0 && to % (uint64_t)width == 0;
    if (stream->is_capturing && !is_set) {
        return gpu_capture_refuse("only elements of 1, 2 or 4 bytes can be filled in");
    }
    stream->has_begun = false;
    rill_status status =
        is_set ? driver_set(stream->device->driver, stream->lane.handle, to, value, width, count * size / (size_t)width)
               : fill_by_copies(stream, to, count * size, element, size);
    gpu_trace_other(stream, "a fill");
    return finish(stream, status);
}

rill_status gpu_fill(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size)
{
    RILL_TRY(gpu_stream_refuse(stream));
    if (count == 0 || size == 0) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    if (status != RILL_OK) {
        // nothing is queued
    } else if (gpu_defers(stream)) {
        struct gpu_op op = {.kind = GPU_OP_FILL, .u.fill = {.target = target, .count = count, .size = size}};
        status = gpu_defer(stream, &op, element, size);
    } else {
        status = settle(stream, gpu_fill_now(stream, target, count, element, size));
    }
    gpu_stream_end(stream, before);
    return status;
}
