#include "runtime/event.h"

#include "base/hot.h"
#include "base/status.h"
#include "runtime/callback.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/stream.h"

#include <assert.h>

void event_dispose(struct event *event)
{
    struct context *context = event->context;
    context->backend->event_destroy(event->place);
    order_clock_finish(context, &event->clock);
    context_free(context, event, sizeof *event);
}

static rill_status event_make(struct context *context, bool has_time, uint64_t *out_id)
{
    struct event *event = context_alloc(context, sizeof *event);
    if (event == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_event_create: no memory for an event");
    }
    event->context = context;
    event->has_time = has_time;
    rill_status status = context->backend->event_create(context->device, has_time, &event->place);
    if (status == RILL_OK) {
        event->id = context_add(context, "rill_event_create", event, KIND_EVENT);
        if (event->id != 0) {
            *out_id = event->id;
            return RILL_OK;
        }
        status = RILL_ERR_OUT_OF_MEMORY;
    } else {
        context_fail_as("rill_event_create", status);
    }
    event_dispose(event);
    return status;
}

rill_status rill_event_create(rill_context handle, const rill_event_options *options, rill_event *out_event)
{
    RILL_TRY(context_check_out("rill_event_create", out_event, "out_event"));
    out_event->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_event_create", handle.id, KIND_CONTEXT, &context));
    rill_status status = event_make(context, options == NULL || !options->without_time, &out_event->id);
    context_leave(context);
    return status;
}

rill_status rill_event_destroy(rill_event handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_event_destroy", handle.id, KIND_EVENT, &context));
    void *object;
    rill_status status = context_retire(context, "rill_event_destroy", handle.id, KIND_EVENT, &object);
    if (status == RILL_OK) {
        context_unpin(context, handle.id);
    }
    context_leave(context);
    return status;
}

void rill_auto_event(rill_event *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    if (rill_event_destroy(*handle) != RILL_OK) { // stale: its context was closed first
        context_restore_message(&message);
    }
    handle->id = 0;
}

static rill_status begin(const char *who, rill_event handle, struct context **out_context, struct event **out_event)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_EVENT, out_context, &object));
    *out_event = object;
    return RILL_OK;
}

static rill_status end(struct context *context, struct event *event, rill_status status)
{
    assert(event->context == context);
    return context_end(context, event->id, status);
}

static rill_status unrecorded(const char *who)
{
    return status_fail(RILL_ERR_UNRECORDED, "%s: the event was never recorded", who);
}

// An event and a stream, pinned for a call that queues the one on the other.
struct event_use {
    struct context *context;
    struct event *event;
    struct pinned_stream on;
    unsigned stripe;
};

static inline rill_status begin_on(const char *who, rill_event handle, rill_stream stream, struct event_use *use)
{
    void *object;
    use->stripe = stream_stripe(stream);
    RILL_TRY(context_enter_striped(who, handle.id, KIND_EVENT, use->stripe, &use->context));
    rill_status status = context_pin(use->context, who, handle.id, KIND_EVENT, &object);
    if (LIKELY(status == RILL_OK)) {
        use->event = object;
        status = stream_pin_queue(use->context, who, stream, &use->on);
        if (LIKELY(status == RILL_OK)) {
            return RILL_OK;
        }
        context_unpin(use->context, handle.id);
    }
    context_leave_striped(use->context, use->stripe);
    return status;
}

static inline void end_on(const struct event_use *use)
{
    context_unpin(use->context, use->on.id);
    context_unpin(use->context, use->event->id);
    context_leave_striped(use->context, use->stripe);
}

static inline rill_status queue_on(const char *who, rill_event handle, rill_stream stream, bool waits)
{
    struct event_use use;
    RILL_TRY(begin_on(who, handle, stream, &use));
    const struct backend *backend = use.context->backend;
    if (UNLIKELY(record_is_on(use.context))) {
        rill_status recorded = record_event(who, use.event, use.on.id, waits);
        end_on(&use);
        return recorded;
    }
    rill_status status = UNLIKELY(use.context->order != NULL) ? order_queue_event(use.on.stream, use.event, waits)
                         : waits                              ? backend->event_wait(use.event->place, use.on.queue)
                                                              : backend->event_record(use.event->place, use.on.queue);
    status = context_fail_as(who, status);
    end_on(&use);
    return status;
}

HOT FLAT rill_status rill_event_record(rill_event handle, rill_stream stream)
{
    return queue_on("rill_event_record", handle, stream, false);
}

HOT FLAT rill_status rill_event_wait(rill_event handle, rill_stream stream)
{
    return queue_on("rill_event_wait", handle, stream, true);
}

rill_status rill_event_synchronize(rill_event handle)
{
    struct context *context;
    struct event *event;
    RILL_TRY(begin("rill_event_synchronize", handle, &context, &event));
    rill_status status = callback_refuse("rill_event_synchronize");
    status = status == RILL_OK ? record_refuse(context, "rill_event_synchronize") : status;
    if (status == RILL_OK && !context->backend->event_is_recorded(event->place)) {
        status = unrecorded("rill_event_synchronize");
    }
    struct backend_error error;
    if (status == RILL_OK && context->backend->event_synchronize(event->place, &error)) {
        status = status_fail(error.status, "rill_event_synchronize: %s", error.text);
    }
    if (status == RILL_OK && context->order != NULL) {
        order_host_saw_event(event);
    }
    return end(context, event, status);
}

rill_status rill_event_query(rill_event handle)
{
    struct context *context;
    struct event *event;
    RILL_TRY(begin("rill_event_query", handle, &context, &event));
    rill_status status = record_refuse(context, "rill_event_query");
    if (status != RILL_OK) {
        return end(context, event, status);
    }
    if (!context->backend->event_is_recorded(event->place)) {
        status = unrecorded("rill_event_query");
    } else if (!context->backend->event_is_reached(event->place)) {
        status = status_fail(RILL_ERR_NOT_READY, "rill_event_query: the event has not been reached");
    } else if (context->order != NULL) {
        order_host_saw_event(event);
    }
    return end(context, event, status);
}

static rill_status elapsed(struct context *context, struct event *first, struct event *second, double *out)
{
    const struct backend *backend = context->backend;
    if (!first->has_time || !second->has_time) {
        return status_fail(RILL_ERR_INVALID, "rill_event_elapsed: an event was created without_time");
    }
    if (!backend->event_is_recorded(first->place) || !backend->event_is_recorded(second->place)) {
        return unrecorded("rill_event_elapsed");
    }
    rill_status status = backend->event_elapsed(first->place, second->place, out);
    return status != RILL_ERR_NOT_READY ? status
                                        : status_fail(status, "rill_event_elapsed: an event has not been reached");
}

rill_status rill_event_elapsed(rill_event begin_handle, rill_event end_handle, double *out_milliseconds)
{
    RILL_TRY(context_check_out("rill_event_elapsed", out_milliseconds, "out_milliseconds"));
    *out_milliseconds = 0;
    struct context *context;
    struct event *first;
    RILL_TRY(begin("rill_event_elapsed", begin_handle, &context, &first));
    void *object;
    rill_status refused = record_refuse(context, "rill_event_elapsed");
    if (refused != RILL_OK) {
        return end(context, first, refused);
    }
    rill_status status = context_pin(context, "rill_event_elapsed", end_handle.id, KIND_EVENT, &object);
    if (status == RILL_OK) {
        status = elapsed(context, first, object, out_milliseconds);
        context_unpin(context, end_handle.id);
    }
    return end(context, first, status);
}
