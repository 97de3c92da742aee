// Errors of streams. A stream keeps a place for one, so that an error needs no memory when it happens; streams and
// marks that get it share it.
#include "backend/cpu/stream.h"

#include <assert.h>

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

void cpu_stream_take_error(struct backend_stream *stream, struct cpu_error *error)
{
    assert(atomic_load_explicit(&error->reference_count, memory_order_relaxed) > 0);
    thread_latch_lock(&stream->lock);
    if (stream->error == NULL) {
        atomic_fetch_add_explicit(&error->reference_count, 1, memory_order_relaxed);
        stream->error = error;
        atomic_store_explicit(&stream->has_error, true, memory_order_release);
    }
    thread_latch_unlock(&stream->lock);
}

bool cpu_stream_get_error(struct backend_stream *stream, struct backend_error *out_error)
{
    thread_latch_lock(&stream->lock);
    bool has_error = stream->error != NULL;
    if (has_error && out_error != NULL) {
        *out_error = stream->error->error;
    }
    thread_latch_unlock(&stream->lock);
    return has_error;
}

struct backend_error *cpu_stream_fail(struct backend_stream *stream)
{
    assert(thread_latch_is_held(&stream->lock));
    if (stream->error != NULL) {
        return NULL;
    }
    struct backend_device *device = stream->device;
    struct cpu_error *place = stream->spare != NULL ? stream->spare : error_create(device);
    stream->spare = NULL;
    if (place == NULL) {
        atomic_fetch_add_explicit(&device->no_words.reference_count, 1, memory_order_relaxed);
    } else {
        place->error.serial = atomic_fetch_add(&device->error_count, 1) + 1;
    }
    stream->error = place != NULL ? place : &device->no_words;
    atomic_store_explicit(&stream->has_error, true, memory_order_release);
    return place != NULL ? &place->error : NULL;
}

// An error that nobody else has gives its place to the next one. Where marks have it, the next one looks for memory: so
// that clearing needs none.
void cpu_stream_clear_error(struct backend_stream *stream)
{
    thread_latch_lock(&stream->lock);
    struct cpu_error *old = stream->error;
    stream->error = NULL;
    atomic_store_explicit(&stream->has_error, false, memory_order_release);
    if (old != NULL && stream->spare == NULL && atomic_load(&old->reference_count) == 1) {
        stream->spare = old;
        old = NULL;
    }
    thread_latch_unlock(&stream->lock);
    error_release(stream->device, old);
}
