// Errors of streams. A stream keeps a place for one, so that an error needs no memory when it happens; streams and
// marks that get it share it.
#include "backend/cpu/stream.h"
#include "base/status.h"

struct cpu_error *error_create(struct backend_device *device)
{
    struct cpu_error *error = device_alloc(device, sizeof *error, 16);
    if (error != NULL) {
        atomic_store_explicit(&error->reference_count, 1, memory_order_relaxed);
    }
    return error;
}

void error_release(struct backend_device *device, struct cpu_error *error)
{
    if (error != NULL && atomic_fetch_sub_explicit(&error->reference_count, 1, memory_order_acq_rel) == 1) {
        device_free(device, error, sizeof *error);
    }
}

void stream_take_error(struct backend_stream *stream, struct cpu_error *error)
{
    thread_latch_lock(&stream->lock);
    if (stream->error == NULL) {
        atomic_fetch_add_explicit(&error->reference_count, 1, memory_order_relaxed);
        stream->error = error;
        atomic_store_explicit(&stream->has_error, true, memory_order_release);
    }
    thread_latch_unlock(&stream->lock);
}

bool stream_get_error(struct backend_stream *stream, struct backend_error *out_error)
{
    thread_latch_lock(&stream->lock);
    bool has_error = stream->error != NULL;
    if (has_error && out_error != NULL) {
        *out_error = stream->error->error;
    }
    thread_latch_unlock(&stream->lock);
    return has_error;
}

rill_status stream_clear_error(struct backend_stream *stream)
{
    struct cpu_error *fresh = error_create(stream->device); // the next error needs a place
    thread_latch_lock(&stream->lock);
    bool has_place = stream->spare != NULL || fresh != NULL;
    struct cpu_error *old = NULL;
    if (has_place) {
        old = stream->error;
        stream->error = NULL;
        atomic_store_explicit(&stream->has_error, false, memory_order_release);
        if (stream->spare == NULL) {
            stream->spare = fresh;
            fresh = NULL;
        }
    }
    thread_latch_unlock(&stream->lock);
    error_release(stream->device, fresh);
    error_release(stream->device, old);
    return has_place ? RILL_OK : status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to clear a stream's error");
}
