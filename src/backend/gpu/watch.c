// What the host does once work has run: see device.h.
#include "backend/gpu/device.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

enum { TICK = 256 }; // watches on a stream before it is asked how far it is

// ---- errors -------------------------------------------------------------------------------------------------------

struct gpu_error *gpu_error_create(struct backend_device *device)
{
    struct gpu_error *error = gpu_alloc(device, sizeof *error);
    if (error != NULL) {
        atomic_store_explicit(&error->reference_count, 1, memory_order_relaxed);
    }
    return error;
}

void gpu_error_release(struct backend_device *device, struct gpu_error *error)
{
    assert(error == NULL || atomic_load_explicit(&error->reference_count, memory_order_relaxed) > 0);
    if (error != NULL && atomic_fetch_sub_explicit(&error->reference_count, 1, memory_order_acq_rel) == 1) {
        gpu_free(device, error, sizeof *error);
    }
}

static struct gpu_error *share_error(struct gpu_error *error)
{
    if (error != NULL) {
        atomic_fetch_add_explicit(&error->reference_count, 1, memory_order_relaxed);
    }
    return error;
}

void gpu_stream_fail(struct backend_stream *stream, const struct backend_error *error)
{
    assert(thread_latch_is_taken(&stream->device->reap_lock) && error->status != RILL_OK);
    if (stream->error != NULL) {
        return;
    }
    struct backend_device *device = stream->device;
    struct gpu_error *place = stream->spare != NULL ? stream->spare : gpu_error_create(device);
    stream->spare = NULL;
    if (place != NULL) {
        place->error = *error;
        place->error.serial = atomic_fetch_add(&device->error_count, 1) + 1;
    }
    stream->error = place != NULL ? place : share_error(&device->no_words);
    atomic_store_explicit(&stream->has_error, true, memory_order_release);
}

// An error that nobody else has gives its place to the next one. Where marks have it, the next one looks for memory: so
// that clearing needs none.
void gpu_stream_clear_error(struct backend_stream *stream)
{
    thread_latch_lock(&stream->device->reap_lock);
    struct gpu_error *old = stream->error;
    stream->error = NULL;
    atomic_store_explicit(&stream->has_error, false, memory_order_release);
    if (old != NULL && stream->spare == NULL && atomic_load(&old->reference_count) == 1) {
        stream->spare = old;
        old = NULL;
    }
    thread_latch_unlock(&stream->device->reap_lock);
    gpu_error_release(stream->device, old);
}

// ---- watches ------------------------------------------------------------------------------------------------------

// Long lists are shortened on the way: whether the stream is past an operation shows only where somebody asks.
static void shorten(struct backend_stream *stream)
{
    uint64_t number;
    if (gpu_stream_ask(stream, &number) == RILL_OK) {
        gpu_reap(stream, number);
    }
}

// A watch with what it is added for.
struct addition {
    const struct gpu_watch *like;
    struct backend_event *event; // of a record: its own from now on; NULL: no event's
    bool takes;                  // of a wait: the caller's reference
};

// reap_lock is held. A launch's watch is large; those of marks are filled by hand.
static void append(struct backend_stream *stream, struct gpu_watch *watch, const struct addition *addition)
{
    struct gpu_mark *mark = addition->like->mark;
    assert(thread_latch_is_taken(&stream->device->reap_lock));
    watch->kind = addition->like->kind;
    if (watch->kind == GPU_WATCH_FRAME || watch->kind == GPU_WATCH_COPY) {
        *watch = *addition->like;
    }
    watch->mark = mark;
    watch->next = NULL;
    assert(mark != NULL || watch->kind == GPU_WATCH_FRAME || watch->kind == GPU_WATCH_COPY);
    watch->sequence = gpu_stream_number(stream);
    if (mark != NULL) {
        mark->reference_count += !addition->takes;
        mark->watch_count++;
    }
    if (watch->kind == GPU_WATCH_RECORD) {
        mark->stream = stream;
        mark->stream_id = stream->id;
        mark->sequence = watch->sequence;
    }
    if (addition->event != NULL) {
        struct gpu_mark *old = addition->event->mark;
        addition->event->mark = mark;
        gpu_mark_release(stream->device, old);
    }
    if (stream->first_watch == NULL) {
        stream->first_watch = watch;
    } else {
        stream->last_watch->next = watch;
    }
    stream->last_watch = watch;
    stream->watch_count++;
}

static rill_status add(struct backend_stream *stream, const struct addition *addition)
{
    struct backend_device *device = stream->device;
    thread_latch_lock(&device->reap_lock);
    bool is_long = stream->watch_count >= TICK && stream->watch_count % TICK == 0;
    struct gpu_watch *watch = stream->free_watches;
    if (watch != NULL) {
        stream->free_watches = watch->next;
    }
    if (watch != NULL && !is_long) {
        append(stream, watch, addition);
        thread_latch_unlock(&device->reap_lock);
        return RILL_OK;
    }
    thread_latch_unlock(&device->reap_lock);
    if (is_long) {
        shorten(stream);
    }
    watch = watch != NULL ? watch : gpu_alloc(device, sizeof *watch);
    if (watch == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
    }
    thread_latch_lock(&device->reap_lock);
    append(stream, watch, addition);
    thread_latch_unlock(&device->reap_lock);
    return RILL_OK;
}

rill_status gpu_watch_reserve(struct backend_stream *stream, int count)
{
    struct backend_device *device = stream->device;
    if (stream->is_capturing) {
        return RILL_OK;
    }
    thread_latch_lock(&device->reap_lock);
    for (const struct gpu_watch *watch = stream->free_watches; watch != NULL && count > 0; watch = watch->next) {
        count--;
    }
    thread_latch_unlock(&device->reap_lock);
    for (; count > 0; count--) {
        struct gpu_watch *watch = gpu_alloc(device, sizeof *watch);
        if (watch == NULL) {
            return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
        }
        thread_latch_lock(&device->reap_lock);
        watch->next = stream->free_watches;
        stream->free_watches = watch;
        thread_latch_unlock(&device->reap_lock);
    }
    return RILL_OK;
}

rill_status gpu_watch_add(struct backend_stream *stream, const struct gpu_watch *like)
{
    if (stream->is_capturing) {
        gpu_capture_watch(stream, &like->frame);
        return RILL_OK;
    }
    return add(stream, &(struct addition){.like = like});
}

rill_status gpu_watch_record(struct backend_stream *stream, struct gpu_mark *mark, struct backend_event *event)
{
    struct gpu_watch like = {.kind = GPU_WATCH_RECORD, .mark = mark};
    return add(stream, &(struct addition){.like = &like, .event = event});
}

rill_status gpu_watch_wait(struct backend_stream *stream, struct gpu_mark *mark)
{
    struct gpu_watch like = {.kind = GPU_WATCH_WAIT, .mark = mark};
    return add(stream, &(struct addition){.like = &like, .takes = true});
}

static void take_error(struct backend_stream *stream, const struct gpu_mark *mark)
{
    if (mark->error != NULL && stream->error == NULL) {
        stream->error = share_error(mark->error);
        atomic_store_explicit(&stream->has_error, true, memory_order_release);
    }
}

static void run_watch(struct backend_stream *stream, struct gpu_watch *watch)
{
    switch (watch->kind) {
    case GPU_WATCH_FRAME: gpu_frame_look(stream, &watch->frame); break;
    case GPU_WATCH_COPY:
        if (!atomic_load(&stream->device->is_lost)) {
            memcpy(watch->target, watch->source, watch->size);
        }
        break;
    case GPU_WATCH_RECORD:
        watch->mark->error = share_error(stream->error);
        watch->mark->is_reached = true;
        watch->mark->stream = NULL;
        gpu_mark_unwatch(stream->device, watch->mark);
        break;
    case GPU_WATCH_WAIT:
        take_error(stream, watch->mark);
        gpu_mark_unwatch(stream->device, watch->mark);
        break;
    }
}

// The stream whose watches go before |watch|: what a stream has waited for has run, since it has come past the wait.
// NULL: none.
static struct backend_stream *goes_before(const struct gpu_watch *watch)
{
    bool is_open = watch->kind == GPU_WATCH_WAIT && !watch->mark->is_reached;
    return is_open ? watch->mark->stream : NULL;
}

// Runs watches up to reap.sequence. NULL: all of them; else the stream that goes before the next one.
static struct backend_stream *run_watches(struct backend_stream *stream)
{
    while (stream->first_watch != NULL && stream->first_watch->sequence <= stream->reap.sequence) {
        struct gpu_watch *watch = stream->first_watch;
        struct backend_stream *before = goes_before(watch);
        if (before != NULL) {
            assert(!before->reap.is_active && "streams wait for each other in a circle");
            before->reap.sequence = watch->mark->sequence;
            return before;
        }
        stream->first_watch = watch->next;
        assert(stream->watch_count > 0);
        stream->watch_count--;
        run_watch(stream, watch);
        watch->next = stream->free_watches;
        stream->free_watches = watch;
    }
    return NULL;
}

// A chain of waits may be as long as there are streams: those that were begun are kept in a list, not on the stack.
void gpu_reap_locked(struct backend_stream *stream, uint64_t sequence)
{
    assert(thread_latch_is_taken(&stream->device->reap_lock));
    stream->reap.sequence = sequence;
    stream->reap.after = NULL;
    while (stream != NULL) {
        stream->reap.is_active = true;
        struct backend_stream *before = run_watches(stream);
        if (before != NULL) {
            before->reap.after = stream;
            stream = before;
            continue;
        }
        uint64_t reaped = atomic_load_explicit(&stream->reaped, memory_order_relaxed);
        if (stream->reap.sequence > reaped && stream->reap.sequence != UINT64_MAX) {
            atomic_store_explicit(&stream->reaped, stream->reap.sequence, memory_order_release);
        }
        stream->reap.is_active = false;
        stream = stream->reap.after;
    }
}

void gpu_reap(struct backend_stream *stream, uint64_t sequence)
{
    thread_latch_lock(&stream->device->reap_lock);
    gpu_reap_locked(stream, sequence);
    thread_latch_unlock(&stream->device->reap_lock);
}

void gpu_watch_finish(struct backend_stream *stream)
{
    assert(stream->first_watch == NULL); // all were run
    while (stream->free_watches != NULL) {
        struct gpu_watch *watch = stream->free_watches;
        stream->free_watches = watch->next;
        gpu_free(stream->device, watch, sizeof *watch);
    }
}
