// Copies and fills. Host memory that the driver cannot reach by itself goes through pinned memory, and the host's part
// of the copy is done by a host function at its place in the stream.
#include "backend/gpu/defer.h"

#include "base/status.h"

#include <string.h>

enum {
    THROUGH_PINNED = 16 << 20, // larger copies the driver stages itself, and the call may wait
    PATTERN_SIZE = 4096,
    DETOUR_SIZE = 1 << 20, // of device memory that ranges go through which overlap at a smaller distance
};

// A copy by the host at its place in the stream, behind and before what the stream does with the same memory.
struct host_move {
    void *target;
    const void *source;
    size_t size;
};

// Runs on a thread of the driver.
static void move(void *user)
{
    const struct host_move *job = user;
    memcpy(job->target, job->source, job->size);
}

enum { MOVE_SIZE = (sizeof(struct host_move) + 63) / 64 * 64 };

// Pinned memory for |size| bytes, with a job in front.
static rill_status take_pinned(struct backend_stream *stream, size_t size, struct host_move **out_move,
                               uint64_t *out_pinned)
{
    uint64_t address;
    RILL_TRY(gpu_ring_take(stream, GPU_RING_PINNED, MOVE_SIZE + size, true, &address));
    *out_move = (struct host_move *)(uintptr_t)address;
    *out_pinned = address + MOVE_SIZE;
    return RILL_OK;
}

// |source| is read before the call returns.
static rill_status copy_in_now(struct backend_stream *stream, uint64_t target, const void *source, size_t size)
{
    uint64_t pinned;
    RILL_TRY(gpu_ring_take(stream, GPU_RING_PINNED, size, true, &pinned));
    memcpy((void *)(uintptr_t)pinned, source, size);
    return stream->device->driver->copy(stream->lane.handle, target, pinned, size);
}

// |source| is read when the stream comes to it.
static rill_status copy_in(struct backend_stream *stream, uint64_t target, const void *source, size_t size)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (size > THROUGH_PINNED) {
        RILL_TRY(driver->stream_synchronize(stream->lane.handle));
        return driver->copy(stream->lane.handle, target, (uint64_t)(uintptr_t)source, size);
    }
    struct host_move *job;
    uint64_t pinned;
    RILL_TRY(take_pinned(stream, size, &job, &pinned));
    *job = (struct host_move){(void *)(uintptr_t)pinned, source, size};
    RILL_TRY(driver->host_function(stream->lane.handle, move, job));
    return driver->copy(stream->lane.handle, target, pinned, size);
}

static rill_status copy_out(struct backend_stream *stream, void *target, uint64_t source, size_t size)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (size > THROUGH_PINNED) {
        return driver->copy(stream->lane.handle, (uint64_t)(uintptr_t)target, source, size);
    }
    struct host_move *job;
    uint64_t pinned;
    RILL_TRY(take_pinned(stream, size, &job, &pinned));
    *job = (struct host_move){target, (const void *)(uintptr_t)pinned, size};
    RILL_TRY(driver->copy(stream->lane.handle, pinned, source, size));
    return driver->host_function(stream->lane.handle, move, job);
}

static bool overlaps(uint64_t target, uint64_t source, size_t size)
{
    return target < source ? source - target < size : target - source < size;
}

// What is overwritten has been read: from the side to which the bytes go, in pieces that do not overlap, or through
// memory of the device where these would be small. |out_done|: bytes whose way is queued.
static rill_status move_by_pieces(struct backend_stream *stream, uint64_t target, uint64_t source, size_t size,
                                  size_t *out_done)
{
    const struct gpu_driver *driver = stream->device->driver;
    void *handle = stream->lane.handle;
    size_t piece = target < source ? source - target : target - source;
    uint64_t detour = 0;
    if (piece < DETOUR_SIZE) {
        piece = size < DETOUR_SIZE ? size : DETOUR_SIZE;
        RILL_TRY(gpu_ring_take(stream, GPU_RING_PLAIN, piece, false, &detour));
    }
    while (*out_done < size) {
        size_t left = size - *out_done;
        size_t part = left < piece ? left : piece;
        uint64_t at = target < source ? *out_done : left - part;
        if (detour != 0) {
            RILL_TRY(driver->copy(handle, detour, source + at, part));
        }
        RILL_TRY(driver->copy(handle, target + at, detour != 0 ? detour : source + at, part));
        *out_done += part;
    }
    return RILL_OK;
}

// The driver copies no ranges that overlap.
static rill_status move_within(struct backend_stream *stream, uint64_t target, uint64_t source, size_t size)
{
    size_t done = 0;
    rill_status status = target != source ? move_by_pieces(stream, target, source, size, &done) : RILL_OK;
    if (status != RILL_OK && done > 0 && !stream->is_capturing) { // which nobody can take back
        gpu_stream_fail_as(stream, status);
    }
    return status;
}

rill_status gpu_copy_queue(struct backend_stream *stream, void *target, const void *source, size_t size, bool stage)
{
    const struct gpu_driver *driver = stream->device->driver;
    uint64_t to = (uint64_t)(uintptr_t)target;
    uint64_t from = (uint64_t)(uintptr_t)source;
    if (stream->is_capturing &&
        (stage || driver->place_of(target) == GPU_PAGEABLE || driver->place_of(source) == GPU_PAGEABLE)) {
        return gpu_capture_refuse("only memory of the device and pinned memory can be copied");
    }
    if (stage) {
        return copy_in_now(stream, to, source, size);
    }
    if (driver->place_of(target) == GPU_PAGEABLE) {
        return copy_out(stream, target, from, size);
    }
    if (driver->place_of(source) == GPU_PAGEABLE) {
        return copy_in(stream, to, source, size);
    }
    return overlaps(to, from, size) ? move_within(stream, to, from, size)
                                    : driver->copy(stream->lane.handle, to, from, size);
}

rill_status gpu_copy_now(struct backend_stream *stream, void *target, const void *source, size_t size, bool stage)
{
    rill_status status = gpu_copy_queue(stream, target, source, size, stage);
    gpu_trace_other(stream, "a copy");
    if (stream->is_capturing) {
        return status;
    }
    gpu_stream_number(stream);
    rill_status sealed = gpu_ring_seal(stream);
    return gpu_note_loss(stream->device, status != RILL_OK ? status : sealed);
}

rill_status gpu_copy(struct backend_stream *stream, void *target, const void *source, size_t size, bool stage)
{
    RILL_TRY(gpu_stream_refuse(stream));
    if (size == 0) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    if (status != RILL_OK) {
        // nothing is queued
    } else if (gpu_defers(stream)) {
        struct gpu_op op = {.kind = GPU_OP_COPY,
                            .u.copy = {.target = target, .source = source, .size = size, .stage = stage}};
        status = gpu_defer(stream, &op, source, stage ? size : 0);
    } else {
        status = gpu_copy_now(stream, target, source, size, stage);
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

// The width of a memset that makes the element again and again; 0: there is none.
static int width_of(const unsigned char *element, size_t size, uint32_t *out_value)
{
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
    RILL_TRY(copy_in_now(stream, target, source, first));
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
    int width = width_of(element, size, &value);
    bool is_set = width != 0 && to % (uint64_t)width == 0;
    if (stream->is_capturing && !is_set) {
        return gpu_capture_refuse("only elements of 1, 2 or 4 bytes can be filled in");
    }
    rill_status status =
        is_set ? stream->device->driver->set(stream->lane.handle, to, value, width, count * size / (size_t)width)
               : fill_by_copies(stream, to, count * size, element, size);
    gpu_trace_other(stream, "a fill");
    if (stream->is_capturing) {
        return status;
    }
    gpu_stream_number(stream);
    rill_status sealed = gpu_ring_seal(stream);
    return gpu_note_loss(stream->device, status != RILL_OK ? status : sealed);
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
        status = gpu_fill_now(stream, target, count, element, size);
    }
    gpu_stream_end(stream, before);
    return status;
}
