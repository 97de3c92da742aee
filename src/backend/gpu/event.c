// Events, by marks: each record is a mark of its own with a driver's event of its own.
#include "backend/gpu/defer.h"

#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// An event of the driver that a mark gave up, the last one first: it is the likeliest to be in the caches, the driver's
// own part of it above all. |own| goes to the others.
static void *take_spare(struct gpu_mark_pool *pool, void *own)
{
    if (pool->event_count == 0) {
        return own;
    }
    void *spare = pool->events[--pool->event_count];
    if (own != NULL) {
        memmove(pool->events + 1, pool->events, (size_t)pool->event_count++ * sizeof *pool->events);
        pool->events[0] = own;
    }
    return spare;
}

// For a time the device has something to do at the place: only who wants times pays for that, and the trace, which
// wants them of all.
rill_status gpu_mark_create(struct backend_device *device, bool has_time, struct gpu_mark **out_mark)
{
    *out_mark = NULL;
    has_time = has_time || device->trace != NULL;
    struct gpu_mark_pool *pool = &device->marks[has_time];
    thread_latch_lock(&device->reap_lock);
    struct gpu_mark *mark = pool->free;
    if (mark != NULL) {
        pool->free = mark->next;
        mark->event = take_spare(pool, mark->event);
    }
    thread_latch_unlock(&device->reap_lock);
    mark = mark != NULL ? mark : gpu_alloc(device, sizeof *mark);
    if (mark == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to record an event");
    }
    if (mark->event == NULL) {
        rill_status status = driver_event_create(device->driver, has_time, &mark->event);
        if (status != RILL_OK) {
            gpu_free(device, mark, sizeof *mark);
            return status;
        }
    }
    mark->has_time = has_time;
    mark->reference_count = 1;
    mark->watch_count = 0;
    mark->is_reached = false;
    mark->is_captured = false;
    atomic_store_explicit(&mark->is_recorded, false, memory_order_relaxed);
    mark->stream = NULL;
    *out_mark = mark;
    return RILL_OK;
}

// Waits that are queued mean the record that was there: the driver's event may be recorded anew as soon as nobody can
// ask for it any more.
static void let_go(struct backend_device *device, struct gpu_mark *mark)
{
    assert(0 <= mark->watch_count && mark->watch_count <= mark->reference_count);
    struct gpu_mark_pool *pool = &device->marks[mark->has_time];
    bool has_event = mark->event != NULL && mark->reference_count == mark->watch_count;
    if (has_event && pool->event_count < GPU_SPARE_EVENTS) {
        pool->events[pool->event_count++] = mark->event;
        mark->event = NULL;
    }
    if (mark->reference_count == 0) {
        gpu_error_release(device, mark->error);
        mark->error = NULL;
        mark->next = pool->free;
        pool->free = mark;
    }
}

void gpu_mark_release(struct backend_device *device, struct gpu_mark *mark)
{
    if (mark != NULL) {
        assert(thread_latch_is_taken(&device->reap_lock) && mark->reference_count > 0);
        mark->reference_count--;
        let_go(device, mark);
    }
}

void gpu_mark_unwatch(struct backend_device *device, struct gpu_mark *mark)
{
    assert(mark->watch_count > 0);
    mark->watch_count--;
    gpu_mark_release(device, mark);
}

static void finish_pool(struct backend_device *device, struct gpu_mark_pool *pool)
{
    while (pool->free != NULL) {
        struct gpu_mark *mark = pool->free;
        pool->free = mark->next;
        driver_event_destroy(device->driver, mark->event);
        gpu_free(device, mark, sizeof *mark);
    }
    while (pool->event_count > 0) {
        driver_event_destroy(device->driver, pool->events[--pool->event_count]);
    }
}

void gpu_mark_finish_all(struct backend_device *device)
{
    finish_pool(device, &device->marks[false]);
    finish_pool(device, &device->marks[true]);
}

static void unreference(struct backend_device *device, struct gpu_mark *mark)
{
    thread_latch_lock(&device->reap_lock);
    gpu_mark_release(device, mark);
    thread_latch_unlock(&device->reap_lock);
}

void gpu_mark_drop(struct backend_device *device, struct gpu_mark *mark)
{
    unreference(device, mark);
}

rill_status gpu_event_create(struct backend_device *device, bool has_time, struct backend_event **out_event)
{
    *out_event = gpu_alloc(device, sizeof **out_event);
    if (*out_event == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an event");
    }
    (*out_event)->device = device;
    (*out_event)->has_time = has_time;
    return RILL_OK;
}

void gpu_event_destroy(struct backend_event *event)
{
    if (event != NULL) {
        unreference(event->device, event->mark);
        gpu_free(event->device, event, sizeof *event);
    }
}

static void share(struct backend_device *device, struct gpu_mark *mark)
{
    thread_latch_lock(&device->reap_lock);
    assert(mark->reference_count > 0); // nobody takes up what is gone
    mark->reference_count++;
    thread_latch_unlock(&device->reap_lock);
}

void gpu_mark_hold(struct backend_device *device, struct gpu_mark *mark)
{
    share(device, mark);
}

// Whatever becomes of the record: who waits for it must not wait for ever.
static void note_recorded(struct backend_device *device, struct gpu_mark *mark)
{
    thread_lock(&device->lock);
    atomic_store(&mark->is_recorded, true);
    if (device->deferring_count > 0 || device->mark_waiter_count > 0) {
        device->wants_pump = true;
        thread_broadcast(&device->changed);
    }
    thread_unlock(&device->lock);
}

// An older record of the event says nothing, and of a record that was put off no call is left that could return the
// failure: so the place is waited for, and who waits for the mark finds the failure there.
static rill_status fail_record(struct backend_stream *stream, struct gpu_mark *mark, rill_status status)
{
    struct backend_device *device = stream->device;
    thread_latch_lock(&device->reap_lock);
    bool is_known = mark->reference_count > 1; // by an event, or by who waits
    thread_latch_unlock(&device->reap_lock);
    if (!is_known) {
        return status;
    }
    struct backend_error error = {.status = status, .stream = stream->id};
    snprintf(error.text, sizeof error.text, "%s", rill_message());
    (void)(driver_stream_synchronize(device->driver, stream->lane.handle) == RILL_OK);
    struct gpu_error *shared = gpu_error_create(device);
    if (shared != NULL) { // without memory it is in order, and its own stream has the failure
        shared->error = error;
        shared->error.serial = atomic_fetch_add(&device->error_count, 1) + 1;
        thread_latch_lock(&device->reap_lock);
        gpu_error_release(device, mark->error);
        mark->error = shared;
        mark->is_reached = true;
        thread_latch_unlock(&device->reap_lock);
    }
    return status_fail(status, "%s", error.text);
}

rill_status gpu_record_now(struct backend_stream *stream, struct gpu_mark *mark)
{
    struct backend_device *device = stream->device;
    assert(thread_latch_is_taken(&stream->order) && mark->event != NULL);
    rill_status status = driver_event_record(device->driver, mark->event, stream->lane.handle);
    mark->is_captured = stream->is_capturing;
    if (status == RILL_OK && !mark->is_captured) {
        status = gpu_watch_record(stream, mark, NULL);
    }
    if (status != RILL_OK && !mark->is_captured) {
        status = fail_record(stream, mark, status);
    }
    note_recorded(device, mark);
    return status;
}

// The driver has queued a wait. If nobody can watch it the stream has something queued all the same, which who lets the
// stream go must know.
static rill_status note_wait(struct backend_stream *stream, struct gpu_mark *mark)
{
    rill_status status = gpu_watch_wait(stream, mark);
    if (status != RILL_OK) {
        gpu_stream_number(stream);
    }
    return status;
}

rill_status gpu_wait_now(struct backend_stream *stream, struct gpu_mark *mark, bool has_stood)
{
    struct backend_device *device = stream->device;
    if (mark->is_captured && !stream->is_capturing) { // the stream is captured too from now on
        RILL_TRY(gpu_stream_share(stream));
    }
    if (stream->is_capturing && !mark->is_captured) { // what has run already needs no waiting for
        return driver_event_query(device->driver, mark->event) == RILL_OK
                   ? RILL_OK
                   : gpu_capture_refuse("it cannot wait for what is not captured and has not run yet");
    }
    gpu_trace_waits(stream, mark, has_stood);
    RILL_TRY(driver_stream_wait_event(device->driver, stream->lane.handle, mark->event));
    if (mark->is_captured) {
        return RILL_OK;
    }
    share(device, mark);
    rill_status status = note_wait(stream, mark);
    if (status != RILL_OK) {
        unreference(device, mark);
    }
    return status;
}

// Records |mark|, of which the caller has a reference, on |stream|, or waits for it: now, or when the stream is so far.
static rill_status queue_mark(struct backend_stream *stream, struct gpu_mark *mark, enum gpu_op_kind kind)
{
    struct backend_device *device = stream->device;
    RILL_TRY(gpu_stream_check_thread(stream));
    assert(kind == GPU_OP_RECORD || kind == GPU_OP_WAIT);
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    bool is_open = kind == GPU_OP_WAIT && !atomic_load(&mark->is_recorded);
    if (status == RILL_OK && is_open && (stream->is_capturing || stream->is_per_thread)) {
        status = status_fail(RILL_ERR_UNSUPPORTED, "the stream cannot wait for what stands behind a callback");
    } else if (status != RILL_OK) {
        // nothing is queued
    } else if (gpu_defers(stream) || is_open) {
        share(device, mark);
        bool has_stood = is_open && !gpu_defers(stream); // nothing else keeps the stream back
        status = gpu_defer(stream, &(struct gpu_op){.kind = kind, .has_stood = has_stood, .u.mark = mark}, NULL, 0);
        if (status != RILL_OK) {
            unreference(device, mark);
        }
    } else {
        status = kind == GPU_OP_RECORD ? gpu_record_now(stream, mark) : gpu_wait_now(stream, mark, false);
    }
    gpu_stream_end(stream, before);
    return status;
}

// The driver knows of the record.
static void wait_until_recorded(struct backend_device *device, struct gpu_mark *mark)
{
    thread_lock(&device->lock);
    device->mark_waiter_count++;
    while (!atomic_load(&mark->is_recorded)) {
        thread_wait(&device->changed, &device->lock);
    }
    device->mark_waiter_count--;
    thread_unlock(&device->lock);
}

static rill_status make_mark(struct backend_device *device, bool has_time, struct gpu_mark **out_mark)
{
    void *before = device->driver->enter(device->context);
    rill_status status = gpu_mark_create(device, has_time, out_mark);
    device->driver->leave(device->context, before);
    return status;
}

// Whether what is queued now goes to the driver at once and to no graph. |order| is held.
static bool is_plain(struct backend_stream *stream)
{
    return !stream->is_capturing && !gpu_defers(stream);
}

// |order| is held. Nobody knows the mark before it is recorded, and so nobody is to be told.
static rill_status record_plainly(struct backend_event *event, struct backend_stream *stream)
{
    struct gpu_mark *mark;
    RILL_TRY(gpu_mark_create(stream->device, event->has_time, &mark));
    rill_status status = driver_event_record(stream->device->driver, mark->event, stream->lane.handle);
    atomic_store_explicit(&mark->is_recorded, true, memory_order_release);
    status = status == RILL_OK ? gpu_watch_record(stream, mark, event) : status;
    if (status != RILL_OK) {
        unreference(stream->device, mark);
    }
    return status;
}

static rill_status record_somehow(struct backend_event *event, struct backend_stream *stream)
{
    struct backend_device *device = event->device;
    struct gpu_mark *mark;
    RILL_TRY(make_mark(device, event->has_time, &mark));
    rill_status status = queue_mark(stream, mark, GPU_OP_RECORD);
    thread_latch_lock(&device->reap_lock);
    if (status == RILL_OK) {
        struct gpu_mark *old = event->mark;
        event->mark = mark;
        mark = old;
    }
    gpu_mark_release(device, mark);
    thread_latch_unlock(&device->reap_lock);
    return status;
}

rill_status gpu_event_record(struct backend_event *event, struct backend_stream *stream)
{
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    bool is_done = status != RILL_OK || is_plain(stream);
    if (status == RILL_OK && is_done) {
        status = record_plainly(event, stream);
    }
    gpu_stream_end(stream, before);
    return is_done ? status : record_somehow(event, stream);
}

// A reference to the mark of the last record; NULL: never recorded.
static struct gpu_mark *share_mark(struct backend_event *event)
{
    thread_latch_lock(&event->device->reap_lock);
    struct gpu_mark *mark = event->mark;
    if (mark != NULL) {
        mark->reference_count++;
    }
    thread_latch_unlock(&event->device->reap_lock);
    return mark;
}

bool gpu_event_is_recorded(struct backend_event *event)
{
    thread_latch_lock(&event->device->reap_lock);
    bool is_recorded = event->mark != NULL;
    thread_latch_unlock(&event->device->reap_lock);
    return is_recorded;
}

// |order| is held. |out_is_done| false, with RILL_OK: it needs the other way.
static rill_status wait_plainly(struct backend_event *event, struct backend_stream *stream, bool *out_is_done)
{
    struct backend_device *device = stream->device;
    struct gpu_mark *mark = share_mark(event);
    *out_is_done = mark == NULL;
    if (mark == NULL) {
        return status_fail(RILL_ERR_UNRECORDED, "the event was never recorded");
    }
    rill_status status = RILL_OK;
    if (is_plain(stream) && atomic_load_explicit(&mark->is_recorded, memory_order_acquire) && !mark->is_captured) {
        *out_is_done = true;
        gpu_trace_waits(stream, mark, false);
        status = driver_stream_wait_event(device->driver, stream->lane.handle, mark->event);
        status = status == RILL_OK ? note_wait(stream, mark) : status;
        if (status == RILL_OK) {
            return RILL_OK; // the watch has the reference
        }
    }
    unreference(device, mark);
    return status;
}

static rill_status wait_somehow(struct backend_event *event, struct backend_stream *stream)
{
    struct gpu_mark *mark = share_mark(event);
    if (mark == NULL) {
        return status_fail(RILL_ERR_UNRECORDED, "the event was never recorded");
    }
    rill_status status = queue_mark(stream, mark, GPU_OP_WAIT);
    unreference(event->device, mark);
    return status;
}

rill_status gpu_event_wait(struct backend_event *event, struct backend_stream *stream)
{
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    bool is_done = status != RILL_OK;
    if (status == RILL_OK) {
        status = wait_plainly(event, stream, &is_done);
    }
    gpu_stream_end(stream, before);
    return is_done ? status : wait_somehow(event, stream);
}

// The driver says that the mark is reached: does what the host has to do up to it.
static void reach(struct backend_device *device, struct gpu_mark *mark)
{
    thread_latch_lock(&device->reap_lock);
    if (!mark->is_reached && mark->stream != NULL) {
        gpu_reap_locked(mark->stream, mark->sequence);
    }
    thread_latch_unlock(&device->reap_lock);
}

// Gives the device's loss, or the error that the mark has.
static bool error_of(struct backend_device *device, struct gpu_mark *mark, struct backend_error *out_error)
{
    thread_latch_lock(&device->reap_lock);
    bool has_error = mark->error != NULL;
    if (has_error) {
        *out_error = mark->error->error;
    }
    thread_latch_unlock(&device->reap_lock);
    return has_error;
}

bool gpu_event_synchronize(struct backend_event *event, struct backend_error *out_error)
{
    struct backend_device *device = event->device;
    struct gpu_mark *mark = share_mark(event);
    if (mark == NULL) {
        return false;
    }
    wait_until_recorded(device, mark);
    if (mark->is_captured) {
        *out_error =
            (struct backend_error){.status = RILL_ERR_CAPTURING, .text = "the event was captured into a graph"};
        unreference(device, mark);
        return true;
    }
    void *before = device->driver->enter(device->context);
    rill_status status = gpu_note_loss(device, driver_event_synchronize(device->driver, mark->event));
    device->driver->leave(device->context, before);
    reach(device, mark);
    bool has_error = error_of(device, mark, out_error);
    if (!has_error && status != RILL_OK) {
        *out_error = (struct backend_error){.status = status};
        for (size_t i = 0; i + 1 < sizeof out_error->text && rill_message()[i] != '\0'; i++) {
            out_error->text[i] = rill_message()[i];
        }
        has_error = true;
    }
    unreference(device, mark);
    return has_error;
}

bool gpu_event_is_reached(struct backend_event *event)
{
    struct backend_device *device = event->device;
    struct gpu_mark *mark = share_mark(event);
    if (mark == NULL) {
        return false;
    }
    void *before = device->driver->enter(device->context);
    bool is_reached = atomic_load(&mark->is_recorded) && !mark->is_captured &&
                      (gpu_note_loss(device, driver_event_query(device->driver, mark->event)) == RILL_OK ||
                       atomic_load(&device->is_lost)); // a question that failed says nothing
    device->driver->leave(device->context, before);
    if (is_reached) {
        reach(device, mark);
    }
    unreference(device, mark);
    return is_reached;
}

bool gpu_event_is_past(struct backend_event *event, const struct backend_stream *stream)
{
    struct backend_device *device = event->device;
    thread_latch_lock(&device->reap_lock);
    bool is_past = event->mark != NULL && event->mark->is_reached;
    thread_latch_unlock(&device->reap_lock);
    return is_past && (stream == NULL || !atomic_load_explicit(&stream->has_error, memory_order_acquire)) &&
           !atomic_load_explicit(&device->is_lost, memory_order_acquire);
}

// Whether the host may ask for the mark's time.
static rill_status ask_mark(struct backend_device *device, struct gpu_mark *mark)
{
    bool is_there = mark != NULL && atomic_load(&mark->is_recorded) && !mark->is_captured;
    return is_there ? driver_event_query(device->driver, mark->event) : RILL_ERR_NOT_READY;
}

rill_status gpu_event_elapsed(struct backend_event *begin, struct backend_event *end, double *out_milliseconds)
{
    struct backend_device *device = begin->device;
    struct gpu_mark *first = share_mark(begin);
    struct gpu_mark *second = share_mark(end);
    const struct gpu_driver *driver = device->driver;
    void *before = driver->enter(device->context);
    rill_status status = ask_mark(device, first);
    status = status == RILL_OK ? ask_mark(device, second) : status;
    status = status == RILL_OK ? driver_event_elapsed(driver, first->event, second->event, out_milliseconds) : status;
    status = gpu_note_loss(device, status);
    driver->leave(device->context, before);
    unreference(device, first);
    unreference(device, second);
    return status;
}

rill_status gpu_stream_wait(struct backend_stream *stream, struct backend_stream *other)
{
    if (stream == other) {
        return RILL_OK;
    }
    struct gpu_mark *mark;
    RILL_TRY(make_mark(stream->device, false, &mark));
    rill_status status = queue_mark(other, mark, GPU_OP_RECORD);
    status = status == RILL_OK ? queue_mark(stream, mark, GPU_OP_WAIT) : status;
    unreference(stream->device, mark);
    return status;
}
