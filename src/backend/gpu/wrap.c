// Streams that others use too: wrapped ones, and those whose handle was given out. Rill must neither wait for what
// others queue there nor ask the driver about a stream that is being captured, because asking ends the capture. So each
// of Rill's own operations there is followed by an event, and who wants to know how far they are asks that.
#include "backend/gpu/defer.h"

#include "base/status.h"

rill_status gpu_stream_share(struct backend_stream *stream)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (atomic_load(&stream->is_shared)) {
        return RILL_OK;
    }
    if (stream->last == NULL) {
        RILL_TRY(driver_event_create(driver, false, &stream->last));
    }
    RILL_TRY(driver_event_record(driver, stream->last, stream->lane.handle));
    atomic_store(&stream->last_number, atomic_load(&stream->queued));
    atomic_store(&stream->is_shared, true);
    return RILL_OK;
}

void gpu_stream_note_last(struct backend_stream *stream)
{
    const struct gpu_driver *driver = stream->device->driver;
    uint64_t number = atomic_load_explicit(&stream->queued, memory_order_relaxed);
    if (!atomic_load_explicit(&stream->is_shared, memory_order_relaxed) ||
        number == atomic_load_explicit(&stream->last_number, memory_order_relaxed) || stream->is_capturing) {
        return;
    }
    if (driver_event_record(driver, stream->last, stream->lane.handle) != RILL_OK) {
        (void)(driver_stream_synchronize(driver, stream->lane.handle) == RILL_OK); // without the event, the wait itself
    }
    atomic_store_explicit(&stream->last_number, number, memory_order_release);
}

rill_status gpu_stream_check_owner(struct backend_stream *stream)
{
    return !pthread_equal(stream->owner, pthread_self())
               ? status_fail(RILL_ERR_INVALID, "the stream is the per-thread default stream of another thread")
               : RILL_OK;
}

rill_status gpu_stream_await(struct backend_stream *stream, uint64_t *out_number)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (atomic_load_explicit(&stream->is_shared, memory_order_acquire)) {
        *out_number = atomic_load_explicit(&stream->last_number, memory_order_acquire);
        return driver_event_synchronize(driver, stream->last);
    }
    *out_number = atomic_load_explicit(&stream->queued, memory_order_acquire);
    return driver_stream_synchronize(driver, stream->lane.handle);
}

rill_status gpu_stream_ask(struct backend_stream *stream, uint64_t *out_number)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (atomic_load_explicit(&stream->is_shared, memory_order_acquire)) {
        *out_number = atomic_load_explicit(&stream->last_number, memory_order_acquire);
        return driver_event_query(driver, stream->last);
    }
    *out_number = atomic_load_explicit(&stream->queued, memory_order_acquire);
    return driver_stream_query(driver, stream->lane.handle);
}

// ---- wrapping -----------------------------------------------------------------------------------------------------

rill_status gpu_stream_wrap(struct backend_device *device, void *native, uint64_t id,
                            struct backend_stream **out_stream)
{
    const struct gpu_driver *driver = device->driver;
    *out_stream = NULL;
    struct backend_stream *stream;
    RILL_TRY(gpu_stream_make(device, id, &stream));
    stream->owner = pthread_self();
    stream->lane.level = 1;
    void *before = driver->enter(device->context);
    rill_status status = driver->stream_adopt(device->context, native, &stream->lane.handle, &stream->is_per_thread);
    stream->is_wrapped = status == RILL_OK;
    stream->lane.handle = stream->is_wrapped ? stream->lane.handle : NULL; // not ours to destroy
    status = status == RILL_OK ? driver_event_create(driver, false, &stream->lane.fork) : status;
    status = status == RILL_OK ? driver_event_create(driver, false, &stream->last) : status;
    driver->leave(device->context, before);
    if (status != RILL_OK) {
        gpu_stream_unreference(stream);
        return status;
    }
    atomic_store(&stream->is_shared, true); // nothing of Rill's is queued there yet: no event is needed
    *out_stream = stream;
    return RILL_OK;
}

rill_status gpu_stream_native(struct backend_stream *stream, void **out_native)
{
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_stream_share(stream);
    *out_native = status == RILL_OK ? stream->lane.handle : NULL;
    gpu_stream_end(stream, before);
    return status;
}

// Who waits has the place marked, so that it means what others have queued so far too.
rill_status gpu_stream_may_wait(struct backend_stream *stream, bool asks)
{
    if (!atomic_load(&stream->is_shared)) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    if (status == RILL_OK && stream->is_capturing) {
        status = gpu_capture_refuse("nothing can wait for it");
    } else if (status == RILL_OK && asks) {
        status = driver_stream_query(stream->device->driver, stream->lane.handle);
    } else if (status == RILL_OK) {
        gpu_stream_number(stream);
    }
    gpu_stream_end(stream, before);
    return status;
}

rill_status gpu_stream_capture_memory(struct backend_stream *stream, uint64_t size, bool *out_is_captured,
                                      void **out_memory)
{
    *out_is_captured = false;
    *out_memory = NULL;
    if (!atomic_load(&stream->is_shared)) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    uint64_t address = 0;
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    *out_is_captured = stream->is_capturing;
    if (status == RILL_OK && stream->is_capturing && size > 0) {
        status = gpu_capture_take(stream, GPU_RING_PLAIN, size, &address);
    }
    gpu_stream_end(stream, before);
    *out_memory = (void *)(uintptr_t)address;
    return status;
}
