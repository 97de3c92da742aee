#include "runtime/stream.h"

#include "base/hot.h"
#include "base/status.h"
#include "runtime/callback.h"
#include "runtime/order.h"
#include "runtime/order_clock.h"
#include "runtime/record.h"

#include <stdio.h>

// The calling thread's scopes, innermost first. They live in the caller's own memory.
static _Thread_local rill_scope *scopes;

// ---- making, letting go -------------------------------------------------------------------------------------------

static rill_status make_queue(struct stream *stream, const struct stream_origin *origin)
{
    struct context *context = stream->context;
    return origin->is_wrapped
               ? context->backend->stream_wrap(context->device, origin->native, stream->id, &stream->queue)
               : context->backend->stream_create(context->device, origin->priority, stream->id, &stream->queue);
}

rill_status stream_make(struct context *context, const char *who, const struct stream_origin *origin,
                        struct stream **out_stream)
{
    *out_stream = NULL;
    struct stream *stream = context_alloc(context, sizeof *stream);
    if (stream == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a stream", who);
    }
    stream->context = context;
    stream->id = context_add(context, who, stream, KIND_STREAM);
    if (stream->id == 0) {
        context_free(context, stream, sizeof *stream);
        return RILL_ERR_OUT_OF_MEMORY;
    }
    stream->is_wrapped = origin->is_wrapped;
    stream->is_unordered = origin->is_unordered;
    stream->priority = origin->priority;
    stream->native = origin->native;
    rill_status status = make_queue(stream, origin);
    if (status == RILL_OK && !stream_list_add(stream)) {
        context->backend->stream_destroy(stream->queue);
        stream->queue = NULL;
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a stream");
    }
    if (status != RILL_OK) {
        void *object;
        context_retire(context, who, stream->id, KIND_STREAM, &object);
        context_unpin(context, stream->id); // disposes of it
        return context_fail_as(who, status);
    }
    handle_set_part(&context->handles, handle_in_table(stream->id), stream->queue);
    if (stream->is_wrapped) {
        stream_note_use(stream); // others queue there too
    }
    atomic_fetch_add(&context->stream_count, 1);
    *out_stream = stream;
    return RILL_OK;
}

void stream_dispose(struct stream *stream)
{
    struct context *context = stream->context;
    if (stream->queue == NULL) { // half-made
        context_free(context, stream, sizeof *stream);
        return;
    }
    atomic_fetch_sub(&context->stream_count, 1);
    if (stream->order != NULL) {
        order_leave(stream);
    }
    stream_end(stream);
}

rill_status rill_stream_create(rill_context handle, const rill_stream_options *options, rill_stream *out_stream)
{
    RILL_TRY(context_check_out("rill_stream_create", out_stream, "out_stream"));
    out_stream->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_stream_create", handle.id, KIND_CONTEXT, &context));
    struct stream *stream;
    struct stream_origin origin = {.priority = options != NULL ? options->priority : 0,
                                   .is_unordered = options != NULL && options->is_unordered};
    rill_status status = stream_make(context, "rill_stream_create", &origin, &stream);
    if (status == RILL_OK) {
        out_stream->id = stream->id;
    }
    context_leave(context);
    return status;
}

rill_status rill_stream_label(rill_stream handle, const char *label)
{
    struct context *context;
    struct stream *stream;
    if (handle.id == UINT64_MAX) {
        RILL_TRY(stream_only_current("rill_stream_label", &handle));
    }
    RILL_TRY(context_enter("rill_stream_label", handle.id, KIND_STREAM, &context));
    rill_status status = stream_pin(context, "rill_stream_label", handle, &stream);
    if (status == RILL_OK) {
        thread_lock(&context->lock);
        snprintf(stream->label, sizeof stream->label, "%s", label != NULL ? label : "");
        thread_unlock(&context->lock);
        context_unpin(context, stream->id);
    }
    context_leave(context);
    return status;
}

// ---- looking up ---------------------------------------------------------------------------------------------------

rill_stream stream_current(struct context *context)
{
    for (rill_scope *scope = scopes; scope != NULL; scope = scope->outer) {
        if (handle_table_of(scope->stream) == context->serial) {
            return (rill_stream){scope->stream};
        }
    }
    return (rill_stream){context->default_stream};
}

rill_status stream_only_current(const char *who, rill_stream *stream)
{
    for (const rill_scope *scope = scopes; scope != NULL; scope = scope->outer) {
        if (handle_table_of(scope->stream) != handle_table_of(scopes->stream)) {
            return status_fail(RILL_ERR_INVALID,
                               "%s: RILL_CURRENT does not say of which context: this thread is in scopes of several; "
                               "write rill_current_stream(context)",
                               who);
        }
    }
    if (scopes != NULL) {
        stream->id = scopes->stream;
        return RILL_OK;
    }
    return context_only(who, &stream->id);
}

rill_status stream_pin(struct context *context, const char *who, rill_stream handle, struct stream **out_stream)
{
    if (handle.id == UINT64_MAX) {
        handle = stream_current(context);
    }
    void *object;
    RILL_TRY(context_pin(context, who, handle.id, KIND_STREAM, &object));
    *out_stream = object;
    stream_note_use(*out_stream);
    return RILL_OK;
}

// RILL_CURRENT, and what cannot be pinned at once.
static __attribute__((noinline)) rill_status pin_slowly(struct context *context, const char *who, rill_stream handle,
                                                        struct pinned_stream *out)
{
    RILL_TRY(stream_pin(context, who, handle, &out->stream));
    out->queue = out->stream->queue;
    out->id = out->stream->id;
    return RILL_OK;
}

HOT rill_status stream_pin_queue(struct context *context, const char *who, rill_stream handle,
                                 struct pinned_stream *out)
{
    void *object;
    uint64_t id = handle_in_table(handle.id);
    if (LIKELY(handle_table_of(handle.id) == context->serial &&
               handle_pin_marked_at_once(&context->handles, id, KIND_STREAM, &object))) {
        *out = (struct pinned_stream){object, handle_part_at_once(&context->handles, id), handle.id};
        return RILL_OK;
    }
    return pin_slowly(context, who, handle, out);
}

// Enters the context of a stream and pins it.
static HOT rill_status begin(const char *who, rill_stream handle, struct context **out_context,
                             struct stream **out_stream)
{
    void *object;
    if (UNLIKELY(handle.id == UINT64_MAX)) {
        RILL_TRY(stream_only_current(who, &handle));
    }
    RILL_TRY(context_enter_striped(who, handle.id, KIND_STREAM, stream_stripe(handle), out_context));
    rill_status status = context_pin(*out_context, who, handle.id, KIND_STREAM, &object);
    if (UNLIKELY(status != RILL_OK)) {
        context_leave_striped(*out_context, stream_stripe(handle));
        return status;
    }
    *out_stream = object;
    stream_note_use(*out_stream);
    return RILL_OK;
}

static HOT rill_status end(struct context *context, struct stream *stream, rill_status status)
{
    unsigned stripe = stream_stripe((rill_stream){stream->id});
    context_unpin(context, stream->id); // which may be the last
    context_leave_striped(context, stripe);
    return status;
}

bool stream_has_news(struct stream *stream, struct backend_error *out_error)
{
    return stream->context->backend->stream_error(stream->queue, out_error) && !out_error->was_returned &&
           out_error->serial != atomic_load(&stream->known_error);
}

// The stream's error, for a call that returns it.
//
// No call returns an error that was cleared before the call: the back end keeps the error of a stream in one place,
// which reading and clearing reach under one lock, and nothing here keeps a copy. |known_error| is a number only.
// Another thread may clear the error and return a newer one before this thread has noted the serial of what it read;
// the older serial must not take the place of the newer one, so that the error is asked for again then.
static __attribute__((noinline, cold)) bool note_error(struct stream *stream, struct backend_error *out_error)
{
    uint64_t known = atomic_load(&stream->known_error);
    while (stream->context->backend->stream_error(stream->queue, out_error)) {
        if (atomic_compare_exchange_strong(&stream->known_error, &known, out_error->serial)) {
            return true;
        }
    }
    return false;
}

// A stream without an error, which is asked at every wait, is not looked at here.
static inline bool take_error(struct stream *stream, struct backend_error *out_error)
{
    return UNLIKELY(stream->context->backend->stream_error(stream->queue, out_error)) && note_error(stream, out_error);
}

rill_status stream_check(const char *who, struct stream *stream)
{
    struct backend_error error;
    return take_error(stream, &error) ? status_fail(error.status, "%s: %s", who, error.text) : RILL_OK;
}

rill_status stream_finish_work(const char *who, struct stream *stream)
{
    struct context *context = stream->context;
    context->backend->stream_synchronize(stream->queue);
    if (UNLIKELY(context->order != NULL)) {
        order_host_saw(stream);
    }
    return stream_check(who, stream);
}

// ---- calls --------------------------------------------------------------------------------------------------------

static rill_status refuse_default(const char *who, struct context *context, rill_stream handle)
{
    if (handle.id != context->default_stream) {
        return RILL_OK;
    }
    return status_fail(RILL_ERR_INVALID, "%s: the default stream lives as long as its context", who);
}

// Makes the handle stale. The caller is then in the context and has the one pin that retiring gave.
static rill_status take_away(const char *who, rill_stream handle, bool waits, struct context **out_context,
                             struct stream **out_stream)
{
    RILL_TRY(context_enter_striped(who, handle.id, KIND_STREAM, stream_stripe(handle), out_context));
    rill_status status = waits ? callback_refuse(who) : RILL_OK;
    status = status != RILL_OK ? status : refuse_default(who, *out_context, handle);
    void *object;
    status = status != RILL_OK ? status : context_retire(*out_context, who, handle.id, KIND_STREAM, &object);
    if (status != RILL_OK) {
        context_leave_striped(*out_context, stream_stripe(handle));
        return status;
    }
    *out_stream = object;
    return RILL_OK;
}

rill_status rill_stream_destroy(rill_stream handle)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(take_away("rill_stream_destroy", handle, true, &context, &stream));
    context->backend->stream_synchronize(stream->queue);
    if (context->order != NULL) {
        order_host_saw(stream);
    }
    struct backend_error error;
    rill_status status = stream_has_news(stream, &error) ? stream_check("rill_stream_destroy", stream) : RILL_OK;
    return end(context, stream, status);
}

rill_status rill_stream_destroy_later(rill_stream handle)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(take_away("rill_stream_destroy_later", handle, false, &context, &stream));
    stream->wants_log = true;
    return end(context, stream, RILL_OK);
}

void rill_auto_stream(rill_stream *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    struct context *context;
    if (context_enter("rill_auto_stream", handle->id, KIND_STREAM, &context) == RILL_OK) {
        // In a callback nothing may wait.
        rill_status status = callback_is_running() ? rill_stream_destroy_later(*handle) : rill_stream_destroy(*handle);
        if (status != RILL_OK && status != RILL_ERR_STALE) {
            context_note_failure(context, status, rill_message());
        }
        context_leave(context);
    }
    context_restore_message(&message);
    handle->id = 0;
}

HOT FLAT rill_status rill_stream_synchronize(rill_stream handle)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_stream_synchronize", handle, &context, &stream));
    rill_status status = callback_refuse("rill_stream_synchronize");
    status = status == RILL_OK ? record_refuse(context, "rill_stream_synchronize") : status;
    status = status == RILL_OK ? stream_may_wait("rill_stream_synchronize", stream) : status;
    if (status == RILL_OK) {
        status = stream_finish_work("rill_stream_synchronize", stream);
    }
    if (UNLIKELY(context->order != NULL) && status == RILL_OK) {
        status = order_take_conflict(context->order, "rill_stream_synchronize");
    }
    return end(context, stream, status);
}

rill_status rill_stream_query(rill_stream handle)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_stream_query", handle, &context, &stream));
    const struct backend *backend = context->backend;
    rill_status status = record_refuse(context, "rill_stream_query");
    if (status != RILL_OK) {
        return end(context, stream, status);
    }
    status = backend->stream_may_wait(stream->queue, true);
    if (status != RILL_OK && status != RILL_ERR_NOT_READY) {
        return end(context, stream, context_fail_as("rill_stream_query", status));
    }
    bool is_idle = status == RILL_OK && backend->stream_is_idle(stream->queue);
    status = stream_check("rill_stream_query", stream);
    if (status == RILL_OK && !is_idle) {
        status = status_fail(RILL_ERR_NOT_READY, "rill_stream_query: the stream's work has not finished");
    }
    if (status == RILL_OK && context->order != NULL) {
        order_host_saw(stream);
    }
    return end(context, stream, status);
}

rill_status rill_stream_wait(rill_stream handle, rill_stream other_handle)
{
    struct context *context;
    struct stream *stream;
    struct stream *other;
    rill_stream named = handle.id != UINT64_MAX ? handle : other_handle; // one names the context of the other
    if (named.id == UINT64_MAX) {
        RILL_TRY(stream_only_current("rill_stream_wait", &named));
    }
    RILL_TRY(context_enter("rill_stream_wait", named.id, KIND_STREAM, &context));
    rill_status status = stream_pin(context, "rill_stream_wait", handle, &stream);
    if (status == RILL_OK) {
        status = stream_pin(context, "rill_stream_wait", other_handle, &other);
        if (status == RILL_OK) {
            status = record_is_on(context) ? record_wait(context, stream->id, other->id)
                                           : context_fail_as("rill_stream_wait", order_queue_wait(stream, other));
            context_unpin(context, other->id);
        }
        context_unpin(context, stream->id);
    }
    context_leave(context);
    return status;
}

// ---- callbacks ----------------------------------------------------------------------------------------------------

struct stream_callback {
    struct callback callback; // first
    struct context *context;
    struct backend_stream *queue;
    rill_stream_callback_function function;
    void *user;
    rill_status status;
    struct order_clock clock; // what comes before it, where order is checked
};

static void run_callback(struct callback *callback)
{
    struct stream_callback *own = (struct stream_callback *)callback;
    if (own->context->order != NULL) {
        order_host_saw_place(own->context, &own->clock);
    }
    own->function(own->user, own->status);
    const struct backend *backend = own->context->backend;
    struct backend_stream *queue = own->queue;
    context_free(own->context, own, sizeof *own);
    backend->proceed(queue); // from here on the stream, and with it the context, may be gone
}

static void post_callback(void *arg, const struct backend_error *error)
{
    struct stream_callback *own = arg;
    own->status = error != NULL ? error->status : RILL_OK;
    callback_post(own->context, &own->callback);
}

static rill_status queue_callback(struct context *context, struct stream *stream,
                                  rill_stream_callback_function function, void *user)
{
    if (function == NULL) {
        return status_fail(RILL_ERR_INVALID, "rill_stream_callback: the callback is NULL");
    }
    rill_status status = callback_thread_start(context);
    if (status != RILL_OK) {
        return context_fail_as("rill_stream_callback", status);
    }
    struct stream_callback *own = context_alloc(context, sizeof *own);
    if (own == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_stream_callback: no memory for a callback");
    }
    own->callback.run = run_callback;
    own->context = context;
    own->queue = stream->queue;
    own->function = function;
    own->user = user;
    if (context->order != NULL) {
        order_keep_place(stream);
        order_note_place(stream, &own->clock);
    }
    status = context->backend->notify(stream->queue, post_callback, own, true);
    if (status != RILL_OK) {
        order_clock_finish(context, &own->clock);
        context_free(context, own, sizeof *own);
    }
    return context_fail_as("rill_stream_callback", status);
}

rill_status rill_stream_callback(rill_stream handle, rill_stream_callback_function callback, void *user)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_stream_callback", handle, &context, &stream));
    rill_status status = record_refuse(context, "rill_stream_callback");
    return end(context, stream, status == RILL_OK ? queue_callback(context, stream, callback, user) : status);
}

// ---- errors -------------------------------------------------------------------------------------------------------

rill_status rill_stream_error(rill_stream handle, rill_error_info *out_info)
{
    RILL_TRY(context_check_out("rill_stream_error", out_info, "out_info"));
    *out_info = (rill_error_info){.status = RILL_OK};
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_stream_error", handle, &context, &stream));
    struct backend_error error;
    if (take_error(stream, &error)) {
        out_info->status = error.status;
        out_info->line = error.line;
        out_info->column = error.column;
        out_info->iteration = error.iteration;
        out_info->index = error.index;
        out_info->extent = error.extent;
        out_info->other_iteration = error.other_iteration;
        out_info->other_line = error.other_line;
        out_info->stream = error.stream;
        snprintf(out_info->text, sizeof out_info->text, "%s", error.text);
        snprintf(out_info->kernel, sizeof out_info->kernel, "%s", error.kernel);
        snprintf(out_info->file, sizeof out_info->file, "%s", error.file);
        snprintf(out_info->array, sizeof out_info->array, "%s", error.array);
        snprintf(out_info->shape, sizeof out_info->shape, "%s", error.shape);
    }
    return end(context, stream, RILL_OK);
}

rill_status rill_stream_clear_error(rill_stream handle)
{
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_stream_clear_error", handle, &context, &stream));
    uint64_t known = atomic_load(&stream->known_error);
    context->backend->stream_clear_error(stream->queue);
    // The same error is news if a wait for an event brings it again. Not where a newer one was returned meanwhile.
    atomic_compare_exchange_strong(&stream->known_error, &known, 0);
    return end(context, stream, RILL_OK);
}

// ---- current streams ----------------------------------------------------------------------------------------------

rill_stream rill_default_stream(rill_context handle)
{
    struct context *context;
    rill_stream stream = {0};
    if (context_enter("rill_default_stream", handle.id, KIND_CONTEXT, &context) == RILL_OK) {
        stream.id = context->default_stream;
        context_leave(context);
    }
    return stream;
}

rill_stream rill_current_stream(rill_context handle)
{
    struct context *context;
    rill_stream stream = {0};
    if (context_enter("rill_current_stream", handle.id, KIND_CONTEXT, &context) == RILL_OK) {
        stream = stream_current(context);
        context_leave(context);
    }
    return stream;
}

rill_status rill_scope_enter(rill_scope *scope, rill_stream handle)
{
    RILL_TRY(context_check_out("rill_scope_enter", scope, "scope"));
    // What the caller's struct holds says nothing, because it need not be set: the thread's own list does.
    for (const rill_scope *entered = scopes; entered != NULL; entered = entered->outer) {
        if (entered == scope) {
            return status_fail(RILL_ERR_INVALID, "rill_scope_enter: this thread has entered the scope already");
        }
    }
    struct context *context;
    struct stream *stream;
    RILL_TRY(begin("rill_scope_enter", handle, &context, &stream));
    scope->stream = stream->id;
    scope->outer = scopes;
    scope->is_entered = 1;
    scopes = scope;
    return end(context, stream, RILL_OK);
}

rill_status rill_scope_leave(rill_scope *scope)
{
    RILL_TRY(context_check_out("rill_scope_leave", scope, "scope"));
    if (scope->is_entered == 0 || scopes != scope) {
        return status_fail(RILL_ERR_INVALID,
                           "rill_scope_leave: the scope is not the innermost one that this thread has entered");
    }
    scopes = scope->outer;
    *scope = (rill_scope){0};
    return RILL_OK;
}

void rill_auto_scope(rill_scope *scope)
{
    if (scope->is_entered != 0) {
        RILL_IGNORE(rill_scope_leave(scope));
    }
}
