// Events of the CPU. An event holds the mark of its last record. A stream that stands at a wait for a mark not yet
// reached is linked to the mark, and pushed again by the stream that reaches it.
#include "backend/cpu/stream.h"

#include "base/clock.h"
#include "base/hot.h"
#include "base/status.h"

#include <assert.h>

struct backend_event {
    struct backend_device *device; // borrowed
    struct cpu_mark *mark;         // one reference, guarded by mark_lock; NULL: never recorded
    bool has_time;                 // is asked when it was reached
};

// mark_lock is held.
static void release_locked(struct backend_device *device, struct cpu_mark *mark)
{
    assert(thread_latch_is_held(&device->mark_lock) && mark->reference_count > 0);
    if (--mark->reference_count > 0) {
        return;
    }
    if (UNLIKELY(mark->error != NULL)) {
        error_release(device, mark->error);
    }
    assert(mark->first_waiter == NULL);
    mark->error = NULL; // field by field: the rest is set again, and nobody waits for it
    mark->is_reached = false;
    mark->has_time = false;
    mark->next = device->free_marks;
    device->free_marks = mark;
}

void mark_release(struct backend_device *device, struct cpu_mark *mark)
{
    thread_latch_lock(&device->mark_lock);
    release_locked(device, mark);
    thread_latch_unlock(&device->mark_lock);
}

static struct cpu_mark *mark_create(struct backend_device *device)
{
    thread_latch_lock(&device->mark_lock);
    struct cpu_mark *mark = device->free_marks;
    if (mark != NULL) {
        device->free_marks = mark->next;
        mark->next = NULL;
    }
    thread_latch_unlock(&device->mark_lock);
    return mark != NULL ? mark : device_alloc(device, sizeof *mark, 16);
}

// A reference to the error a stream has now; NULL: none.
static struct cpu_error *share_error(struct backend_stream *stream)
{
    if (!atomic_load_explicit(&stream->has_error, memory_order_acquire)) {
        return NULL;
    }
    thread_latch_lock(&stream->lock);
    struct cpu_error *error = stream->error;
    if (error != NULL) {
        atomic_fetch_add_explicit(&error->reference_count, 1, memory_order_relaxed);
    }
    thread_latch_unlock(&stream->lock);
    return error;
}

// Lets those pass who stand at the mark: nobody else has their streams, and whoever takes one up once it was pushed
// need not ask again. mark_lock is held.
static void admit_waiters(struct cpu_mark *mark)
{
    for (struct backend_stream *stands = mark->first_waiter; stands != NULL; stands = stands->next_waiter) {
        atomic_store_explicit(&stands->waits_for, NULL, memory_order_relaxed);
        if (mark->error != NULL) {
            cpu_stream_take_error(stands, mark->error);
        }
        thread_publish(&stands->waits_for);
        stands->was_admitted = true;
        assert(mark->reference_count > 1);
        mark->reference_count--; // not the last: who reaches the mark has one
    }
    mark->first_waiter = NULL;
}

static void reach(struct backend_stream *stream, struct cpu_mark *mark, struct cpu_worker *worker)
{
    guest_note_reached(worker, mark);
    struct backend_device *device = stream->device;
    struct cpu_error *error = share_error(stream);
    uint64_t now = mark->has_time ? clock_now() : 0; // one look at the clock is a twentieth of a chain of two kernels
    thread_latch_lock(&device->mark_lock);
    assert(!mark->is_reached && mark->source == stream);
    mark->is_reached = true;
    mark->time = now;
    mark->error = error;
    thread_publish(mark);
    struct backend_stream *waiter = mark->first_waiter;
    admit_waiters(mark);
    release_locked(device, mark);
    thread_latch_unlock(&device->mark_lock);
    eventcount_notify_all(&device->marks);
    while (waiter != NULL) {
        struct backend_stream *next = waiter->next_waiter; // once pushed, the stream may wait elsewhere
        guest_push(worker, waiter);
        waiter = next;
    }
}

// The stream stands at a mark that has not been reached, and will be pushed when it is. mark_lock is held.
static void stand(struct backend_stream *stream, struct cpu_mark *mark)
{
    assert(thread_latch_is_held(&stream->device->mark_lock) && !mark->is_reached);
    assert(atomic_load_explicit(&stream->waits_for, memory_order_relaxed) == NULL);
    if (stream->device->trace != NULL) {
        trace_cause_set(&stream->cause, TRACE_EVENT, "", mark->stream);
    }
    atomic_store_explicit(&stream->waits_for, mark, memory_order_relaxed);
    stream->next_waiter = mark->first_waiter;
    mark->first_waiter = stream;
}

// True if the mark has been reached; else the stream is linked to it and will be pushed. A stream that was admitted has
// no reference any more: the mark may be another's by now.
static bool pass(struct backend_stream *stream, struct cpu_mark *mark)
{
    if (stream->was_admitted) {
        stream->was_admitted = false;
        thread_observe(&stream->waits_for);
        return true;
    }
    struct backend_device *device = stream->device;
    thread_latch_lock(&device->mark_lock);
    bool is_reached = mark->is_reached;
    if (is_reached) {
        thread_observe(mark);
        if (mark->error != NULL) {
            cpu_stream_take_error(stream, mark->error);
        }
        release_locked(device, mark);
    } else {
        stand(stream, mark);
    }
    thread_latch_unlock(&device->mark_lock);
    return is_reached;
}

bool mark_stand(struct backend_stream *stream, struct cpu_mark *mark)
{
    struct backend_device *device = stream->device;
    thread_latch_lock(&device->mark_lock);
    bool must_wait = !mark->is_reached;
    if (must_wait) {
        stand(stream, mark);
    }
    thread_latch_unlock(&device->mark_lock);
    return must_wait;
}

bool mark_run(struct backend_stream *stream, struct cpu_mark_op *op, struct cpu_worker *worker)
{
    if (op->op.kind == CPU_OP_WAIT) {
        return pass(stream, op->mark);
    }
    reach(stream, op->mark, worker);
    return true;
}

rill_status cpu_event_create(struct backend_device *device, bool has_time, struct backend_event **out_event)
{
    *out_event = device_alloc(device, sizeof **out_event, 16);
    if (*out_event == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an event");
    }
    (*out_event)->device = device;
    (*out_event)->has_time = has_time;
    return RILL_OK;
}

void cpu_event_destroy(struct backend_event *event)
{
    if (event == NULL) {
        return;
    }
    if (event->mark != NULL) {
        mark_release(event->device, event->mark);
    }
    device_free(event->device, event, sizeof *event);
}

HOT FLAT rill_status cpu_event_record(struct backend_event *event, struct backend_stream *stream)
{
    struct backend_device *device = event->device;
    struct cpu_mark *mark = mark_create(device);
    if (mark == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to record an event");
    }
    mark->reference_count = 2; // the event's and the queue's
    mark->has_time = event->has_time;
    mark->stream = stream->id;
    mark->source = stream;
    rill_status status = cpu_stream_queue_mark(stream, CPU_OP_RECORD, mark);
    thread_latch_lock(&device->mark_lock);
    if (LIKELY(status == RILL_OK)) {
        struct cpu_mark *old = event->mark;
        event->mark = mark;
        mark = old;
    } else {
        mark->reference_count = 1;
    }
    if (mark != NULL) {
        release_locked(device, mark);
    }
    thread_latch_unlock(&device->mark_lock);
    return status;
}

// A reference to the mark of the last record; NULL: never recorded.
static struct cpu_mark *share_mark(struct backend_event *event)
{
    thread_latch_lock(&event->device->mark_lock);
    struct cpu_mark *mark = event->mark;
    if (mark != NULL) {
        mark->reference_count++;
    }
    thread_latch_unlock(&event->device->mark_lock);
    return mark;
}

bool cpu_event_is_recorded(struct backend_event *event)
{
    thread_latch_lock(&event->device->mark_lock);
    bool is_recorded = event->mark != NULL;
    thread_latch_unlock(&event->device->mark_lock);
    return is_recorded;
}

HOT FLAT rill_status cpu_event_wait(struct backend_event *event, struct backend_stream *stream)
{
    struct cpu_mark *mark = share_mark(event);
    if (mark == NULL) {
        return status_fail(RILL_ERR_UNRECORDED, "the event was never recorded");
    }
    rill_status status = cpu_stream_queue_mark(stream, CPU_OP_WAIT, mark);
    if (status != RILL_OK) {
        mark_release(event->device, mark);
    }
    return status;
}

static bool is_mark_reached(void *arg)
{
    const struct cpu_guest *guest = arg;
    thread_latch_lock(&guest->device->mark_lock);
    bool is_reached = guest->mark->is_reached;
    thread_latch_unlock(&guest->device->mark_lock);
    return is_reached;
}

bool cpu_event_synchronize(struct backend_event *event, struct backend_error *out_error)
{
    struct backend_device *device = event->device;
    struct cpu_guest guest = {.mark = share_mark(event)};
    if (guest.mark == NULL) {
        return false;
    }
    guest_init(&guest, device);
    while (!is_mark_reached(&guest)) {
        if (!guest_help(&guest)) {
            eventcount_wait(&device->marks, is_mark_reached, &guest);
        }
    }
    thread_latch_lock(&device->mark_lock);
    thread_observe(guest.mark);
    bool has_error = guest.mark->error != NULL;
    if (has_error) {
        *out_error = guest.mark->error->error;
    }
    release_locked(device, guest.mark);
    thread_latch_unlock(&device->mark_lock);
    return has_error;
}

bool cpu_event_is_reached(struct backend_event *event)
{
    thread_latch_lock(&event->device->mark_lock);
    bool is_reached = event->mark != NULL && event->mark->is_reached;
    if (is_reached) {
        thread_observe(event->mark);
    }
    thread_latch_unlock(&event->device->mark_lock);
    return is_reached;
}

bool cpu_event_is_past(struct backend_event *event, const struct backend_stream *stream)
{
    return cpu_event_is_reached(event) &&
           (stream == NULL || !atomic_load_explicit(&stream->has_error, memory_order_acquire));
}

rill_status cpu_event_elapsed(struct backend_event *begin, struct backend_event *end, double *out_milliseconds)
{
    thread_latch_lock(&begin->device->mark_lock);
    bool is_known = begin->mark != NULL && begin->mark->is_reached && end->mark != NULL && end->mark->is_reached;
    if (is_known) {
        *out_milliseconds = ((double)end->mark->time - (double)begin->mark->time) * 1e-6;
    }
    thread_latch_unlock(&begin->device->mark_lock);
    return is_known ? RILL_OK : RILL_ERR_NOT_READY;
}

rill_status cpu_stream_wait(struct backend_stream *stream, struct backend_stream *other)
{
    struct cpu_mark *mark = mark_create(stream->device);
    if (mark == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a stream to wait");
    }
    mark->reference_count = 2; // one for each queue
    mark->stream = other->id;
    mark->source = other;
    rill_status status = cpu_stream_queue_mark(other, CPU_OP_RECORD, mark);
    if (status != RILL_OK) {
        mark->reference_count = 1;
        mark_release(stream->device, mark);
        return status;
    }
    status = cpu_stream_queue_mark(stream, CPU_OP_WAIT, mark);
    if (status != RILL_OK) {
        mark_release(stream->device, mark);
    }
    return status;
}
