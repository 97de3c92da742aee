// Streams that are shared with others: wrapped ones and the handles of Rill's own.
#include "base/status.h"
#include "runtime/stream.h"

// One native stream is one stream. The handle of the one, other than |but|, that wraps |native| already, or that is
// Rill's own and gave it out; 0: none. The wrap lock is held.
static uint64_t find_shared(struct context *context, void *native, uint64_t but)
{
    uint64_t id = 0;
    uint64_t end;
    struct stream *stream = stream_next(context, NULL, &end);
    while (stream != NULL) {
        void *object;
        bool is_shared = stream->is_wrapped || stream->native != NULL;
        if (id == 0 && stream->id != but && is_shared && stream->native == native &&
            context_pin(context, "rill_stream_wrap", stream->id, KIND_STREAM, &object) == RILL_OK) {
            id = stream->id;
            context_unpin(context, id);
        }
        stream = stream_next(context, stream, &end);
    }
    return id;
}

// Some streams have two handles: the back end knows which one counts.
static rill_status make_wrapped(struct context *context, void *native, uint64_t *out_id)
{
    struct stream *stream;
    struct stream_origin origin = {.is_wrapped = true, .native = native};
    RILL_TRY(stream_make(context, "rill_stream_wrap", &origin, &stream));
    *out_id = stream->id;
    void *counts = native;
    RILL_TRY(context->backend->stream_native(stream->queue, &counts));
    stream->native = counts;
    uint64_t other = counts != native ? find_shared(context, counts, stream->id) : 0;
    if (other != 0) {
        void *object;
        RILL_TRY(context_retire(context, "rill_stream_wrap", stream->id, KIND_STREAM, &object));
        context_unpin(context, stream->id);
        *out_id = other;
    }
    return RILL_OK;
}

static rill_status wrap(struct context *context, void *native, rill_stream *out_stream)
{
    thread_lock(&context->wrap_lock);
    out_stream->id = find_shared(context, native, 0);
    rill_status status = out_stream->id != 0 ? RILL_OK : make_wrapped(context, native, &out_stream->id);
    thread_unlock(&context->wrap_lock);
    return status;
}

rill_status rill_stream_wrap(rill_context handle, void *native, rill_stream *out_stream)
{
    RILL_TRY(context_check_out("rill_stream_wrap", out_stream, "out_stream"));
    out_stream->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_stream_wrap", handle.id, KIND_CONTEXT, &context));
    rill_status status = wrap(context, native, out_stream);
    context_leave(context);
    return status;
}

static rill_status give_out(struct context *context, struct stream *stream, void **out_native)
{
    RILL_TRY(context_fail_as("rill_stream_native", context->backend->stream_native(stream->queue, out_native)));
    thread_lock(&context->wrap_lock);
    stream->native = *out_native;
    thread_unlock(&context->wrap_lock);
    return RILL_OK;
}

rill_status rill_stream_native(rill_stream handle, void **out_native)
{
    RILL_TRY(context_check_out("rill_stream_native", out_native, "out_native"));
    *out_native = NULL;
    struct context *context;
    struct stream *stream;
    if (handle.id == UINT64_MAX) {
        RILL_TRY(stream_only_current("rill_stream_native", &handle));
    }
    RILL_TRY(context_enter("rill_stream_native", handle.id, KIND_STREAM, &context));
    rill_status status = stream_pin(context, "rill_stream_native", handle, &stream);
    if (status == RILL_OK) {
        status = give_out(context, stream, out_native);
        context_unpin(context, stream->id);
    }
    context_leave(context);
    return status;
}

rill_status stream_may_wait(const char *who, struct stream *stream)
{
    return context_fail_as(who, stream->context->backend->stream_may_wait(stream->queue, false));
}
