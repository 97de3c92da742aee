#include "backend/gpu/defer.h"
#include "backend/gpu/graph.h"
#include "backend/gpu/stage.h"

#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void *gpu_stream_begin(struct backend_stream *stream)
{
    thread_latch_lock(&stream->order);
    return stream->device->driver->enter(stream->device->context);
}

void gpu_stream_end(struct backend_stream *stream, void *before)
{
    if (atomic_load_explicit(&stream->is_shared, memory_order_relaxed)) {
        gpu_stream_note_last(stream);
        gpu_capture_end(stream);
    }
    stream->device->driver->leave(stream->device->context, before);
    thread_latch_unlock(&stream->order);
}

rill_status gpu_stream_refuse_error(struct backend_stream *stream)
{
    struct backend_error error;
    if (!gpu_stream_error(stream, &error)) {
        return RILL_OK;
    }
    return status_fail(error.status, BACKEND_STREAM_REFUSES, error.text);
}

void gpu_stream_fail_as(struct backend_stream *stream, rill_status status, bool was_returned)
{
    assert(status != RILL_OK);
    struct backend_error error = {.status = status, .stream = stream->id, .was_returned = was_returned};
    snprintf(error.text, sizeof error.text, "%s", rill_message());
    thread_latch_lock(&stream->device->reap_lock);
    gpu_stream_fail(stream, &error);
    thread_latch_unlock(&stream->device->reap_lock);
}

// ---- making, letting go -------------------------------------------------------------------------------------------

// Nothing was ever queued on it, also nothing that failed half-way.
static bool is_untouched(const struct backend_stream *stream)
{
    bool has_memory = false;
    for (int i = 0; i < GPU_RING_KINDS; i++) {
        has_memory |= stream->rings[i].current != NULL;
    }
    return !has_memory && stream->instances == NULL && atomic_load(&stream->queued) == 0;
}

// Streams that are lent for blocks go because there are too many, or because a join on them failed; of one that others
// know, or that has failed, nobody can say what is still queued.
static bool is_lane_sound(const struct backend_stream *stream)
{
    return stream->id != 0 && !atomic_load(&stream->is_shared) && !stream->is_wrapped && stream->error == NULL &&
           !atomic_load(&stream->device->is_lost);
}

static void free_stream(struct backend_stream *stream)
{
    assert(stream->first_op == NULL && atomic_load(&stream->reference_count) == 0);
    struct backend_device *device = stream->device;
    void *before = device->driver->enter(device->context);
    if (stream->lane.handle != NULL || stream->is_wrapped) { // HIP's default stream is NULL
        uint64_t number;
        bool is_quiet = is_untouched(stream) ? !stream->is_wrapped : gpu_stream_await(stream, &number) == RILL_OK;
        gpu_reap(stream, UINT64_MAX);
        gpu_kept_finish(stream);
        gpu_capture_forget_stream(stream);
        gpu_graph_finish(stream);
        gpu_ring_finish(stream);
        gpu_stage_forget(stream);
        for (int i = 0; i < GPU_TICKS; i++) {
            driver_event_destroy(device->driver, stream->ticks[i]);
        }
        driver_event_destroy(device->driver, stream->last);
        stream->lane.handle = stream->is_wrapped ? NULL : stream->lane.handle;
        if (is_quiet && is_lane_sound(stream)) {
            gpu_lane_keep(device, &stream->lane);
        } else {
            gpu_lane_finish(device, &stream->lane);
        }
    }
    device->driver->leave(device->context, before);
    gpu_trace_forget(stream);
    gpu_watch_finish(stream);
    gpu_free(device, stream->scratch, stream->scratch_size);
    gpu_error_release(device, stream->error);
    gpu_error_release(device, stream->spare);
    gpu_free(device, stream, sizeof *stream);
    thread_lock(&device->lock);
    if (--device->stream_count == 0) {
        thread_broadcast(&device->changed);
    }
    thread_unlock(&device->lock);
}

void gpu_stream_unreference(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    // Under the lock, so that whoever walks the list finds none that is going.
    thread_lock(&device->lock);
    assert(atomic_load(&stream->reference_count) > 0);
    bool is_last = atomic_fetch_sub_explicit(&stream->reference_count, 1, memory_order_acq_rel) == 1;
    if (is_last) {
        gpu_count_more(&device->counters.launch_count, atomic_load(&stream->totals.launch_count));
        gpu_count_more(&device->counters.task_count, atomic_load(&stream->totals.task_count));
        gpu_count_more(&device->counters.parallel_count, atomic_load(&stream->totals.parallel_count));
        gpu_count_more(&device->counters.whole_count, atomic_load(&stream->totals.whole_count));
        *stream->link = stream->next;
        if (stream->next != NULL) {
            stream->next->link = stream->link;
        }
    }
    thread_unlock(&device->lock);
    if (is_last) {
        free_stream(stream);
    }
}

struct backend_stream *gpu_stream_next(struct backend_device *device, struct backend_stream *stream,
                                       bool (*wants)(const struct backend_stream *stream))
{
    thread_lock(&device->lock);
    struct backend_stream *next = stream == NULL ? device->streams : stream->next;
    while (next != NULL && (!wants(next) || atomic_load(&next->reference_count) == 0)) {
        next = next->next;
    }
    if (next != NULL) {
        atomic_fetch_add(&next->reference_count, 1);
    }
    thread_unlock(&device->lock);
    if (stream != NULL) {
        gpu_stream_unreference(stream);
    }
    return next;
}

rill_status gpu_stream_make(struct backend_device *device, uint64_t id, struct backend_stream **out_stream)
{
    *out_stream = NULL;
    struct backend_stream *stream = gpu_alloc(device, sizeof *stream);
    if (stream == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a stream");
    }
    stream->device = device;
    stream->id = id;
    atomic_store(&stream->reference_count, 1);
    for (int i = 0; i < GPU_RING_KINDS; i++) {
        stream->rings[i].kind = (enum gpu_ring_kind)i;
    }
    thread_lock(&device->lock);
    device->stream_count++;
    stream->next = device->streams;
    stream->link = &device->streams;
    if (stream->next != NULL) {
        stream->next->link = &stream->next;
    }
    device->streams = stream;
    thread_unlock(&device->lock);
    stream->spare = gpu_error_create(device);
    stream->follow = device->trace != NULL ? gpu_alloc(device, sizeof *stream->follow) : NULL;
    if (stream->spare == NULL || (device->trace != NULL && stream->follow == NULL)) {
        gpu_stream_unreference(stream);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a stream");
    }
    *out_stream = stream;
    return RILL_OK;
}

rill_status gpu_stream_create(struct backend_device *device, int priority, uint64_t id,
                              struct backend_stream **out_stream)
{
    struct backend_stream *stream;
    *out_stream = NULL;
    RILL_TRY(gpu_stream_make(device, id, &stream));
    void *before = device->driver->enter(device->context);
    rill_status status = gpu_lane_init(device, priority > 0 ? 0 : priority == 0 ? 1 : 2, &stream->lane);
    device->driver->leave(device->context, before);
    if (status != RILL_OK) {
        gpu_stream_unreference(stream);
        return status;
    }
    *out_stream = stream;
    return RILL_OK;
}

void gpu_stream_destroy(struct backend_stream *stream)
{
    if (stream != NULL) {
        gpu_stream_unreference(stream);
    }
}

// ---- waiting ------------------------------------------------------------------------------------------------------

// A stream whose device was lost has that error; what was queued will not run. Where the driver has left before, as it
// does at the process's end, there is nobody whom that would concern.
static void fail_lost(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    if (device->is_gone) {
        return;
    }
    struct backend_error error = {.status = RILL_ERR_DEVICE, .stream = stream->id};
    memcpy(error.text, device->lost_text, sizeof device->lost_text);
    thread_latch_lock(&device->reap_lock);
    gpu_stream_fail(stream, &error);
    thread_latch_unlock(&device->reap_lock);
}

// A wait that failed for itself has ended with the work, which may have failed too for all that anybody knows.
static void fail_wait(struct backend_stream *stream, rill_status status)
{
    if (atomic_load(&stream->device->is_lost)) {
        fail_lost(stream);
    } else {
        gpu_stream_fail_as(stream, status, false);
    }
}

// What was queued so far has run, notices included, except that nobody waits for the thread that calls them on itself.
static void wait_for_notices(struct backend_stream *stream, uint64_t target)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    bool is_notifier = device->has_notifier && pthread_equal(device->notifier_self, pthread_self());
    while (!is_notifier && stream->notices_called < target) {
        thread_wait(&device->changed, &device->lock);
    }
    thread_unlock(&device->lock);
}

static uint64_t notices_of(struct backend_stream *stream)
{
    thread_lock(&stream->device->lock);
    uint64_t count = stream->notices_queued;
    thread_unlock(&stream->device->lock);
    return count;
}

void *gpu_device_enter(struct backend_device *device)
{
    return device->driver->enter(device->context);
}

void gpu_device_leave(struct backend_device *device, void *before)
{
    device->driver->leave(device->context, before);
}

// Who waits for a stream finds what has run in the file, also if the context is never closed.
void gpu_device_flush(struct backend_device *device)
{
    if (device->trace != NULL) {
        void *before = device->driver->enter(device->context);
        gpu_trace_flush(device);
        device->driver->leave(device->context, before);
    }
}

void gpu_device_remark(struct backend_device *device, const char *text)
{
    if (device->trace != NULL) {
        gpu_trace_remark(device, text);
    }
}

void gpu_stream_synchronize(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    gpu_progress_wait(stream, gpu_progress_wanted(stream));
    uint64_t notices = notices_of(stream);
    uint64_t target = atomic_load_explicit(&stream->queued, memory_order_acquire);
    if (atomic_load_explicit(&stream->reaped, memory_order_acquire) < target) {
        void *before = device->driver->enter(device->context);
        uint64_t number;
        rill_status status = gpu_note_loss(device, gpu_stream_await(stream, &number));
        target = number < target ? number : target;
        device->driver->leave(device->context, before);
        if (status != RILL_OK) {
            fail_wait(stream, status);
        }
        gpu_reap(stream, target);
        gpu_device_flush(device);
    }
    gpu_kept_release(stream);
    wait_for_notices(stream, notices);
}

bool gpu_stream_is_idle(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    if (!gpu_progress_is_made(stream, gpu_progress_wanted(stream))) {
        return false;
    }
    uint64_t notices = notices_of(stream);
    uint64_t target = atomic_load_explicit(&stream->queued, memory_order_acquire);
    if (atomic_load_explicit(&stream->reaped, memory_order_acquire) < target) {
        void *before = device->driver->enter(device->context);
        uint64_t number;
        rill_status status = gpu_note_loss(device, gpu_stream_ask(stream, &number));
        target = number < target ? number : target;
        device->driver->leave(device->context, before);
        if (status != RILL_OK && !atomic_load(&device->is_lost)) {
            return false; // as far as anybody knows
        }
        if (status != RILL_OK) {
            fail_lost(stream);
        }
        gpu_reap(stream, target);
    }
    gpu_kept_release(stream);
    thread_lock(&device->lock);
    bool is_idle = stream->notices_called >= notices;
    thread_unlock(&device->lock);
    return is_idle;
}

// What was put off comes first: it becomes queued before it counts as issued.
bool gpu_stream_is_quiet(struct backend_stream *stream)
{
    uint64_t op_count = atomic_load(&stream->ops_queued);
    uint64_t hold_count = atomic_load(&stream->holds_queued);
    if (atomic_load(&stream->ops_issued) < op_count || atomic_load(&stream->holds_passed) < hold_count) {
        return false;
    }
    uint64_t notices = atomic_load(&stream->notices_queued);
    uint64_t target = atomic_load_explicit(&stream->queued, memory_order_acquire);
    return atomic_load_explicit(&stream->reaped, memory_order_acquire) >= target &&
           atomic_load(&stream->notices_called) >= notices && !atomic_load(&stream->is_shared) &&
           atomic_load(&stream->kept) == NULL && !atomic_load_explicit(&stream->has_error, memory_order_acquire) &&
           !atomic_load(&stream->device->is_lost);
}

// Whoever asks for an error looks whether there is one: nobody else may come by.
static void look(struct backend_stream *stream)
{
    uint64_t target = atomic_load_explicit(&stream->queued, memory_order_acquire);
    if (atomic_load_explicit(&stream->reaped, memory_order_acquire) < target) {
        struct backend_device *device = stream->device;
        void *before = device->driver->enter(device->context);
        uint64_t number;
        bool has_run = gpu_stream_ask(stream, &number) == RILL_OK;
        target = number < target ? number : target;
        device->driver->leave(device->context, before);
        if (has_run) {
            gpu_reap(stream, target);
        }
    }
}

bool gpu_stream_error(struct backend_stream *stream, struct backend_error *out_error)
{
    if (atomic_load_explicit(&stream->device->is_lost, memory_order_acquire)) {
        fail_lost(stream);
    }
    if (!atomic_load_explicit(&stream->has_error, memory_order_acquire)) {
        look(stream);
        gpu_capture_look(stream);
    }
    if (!atomic_load_explicit(&stream->has_error, memory_order_acquire)) {
        return false;
    }
    thread_latch_lock(&stream->device->reap_lock);
    bool has_error = stream->error != NULL;
    if (has_error && out_error != NULL) {
        *out_error = stream->error->error;
    }
    thread_latch_unlock(&stream->device->reap_lock);
    return has_error;
}
