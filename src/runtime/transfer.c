// Copies between arrays of two contexts: by the back end where both devices are its own and it knows how, else piece by
// piece through memory of the host.
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/footprint.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/stream.h"

enum { PIECE_SIZE = 4 << 20 };

static const char who[] = "rill_array_transfer";

struct side {
    struct context *context; // entered
    struct array *array;     // pinned
    rill_stream stream;
};

static rill_status side_open(rill_array handle, rill_stream stream, struct side *out)
{
    *out = (struct side){.stream = stream};
    struct context *context;
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_ARRAY, &context, &object));
    out->context = context;
    out->array = object;
    return RILL_OK;
}

static void side_close(struct side *side)
{
    if (side->context != NULL) {
        context_unpin(side->context, side->array->id);
        context_leave(side->context);
    }
}

// Within one context: the target's stream waits for the source's, the host for neither.
static rill_status copy_inside(const struct side *target, const struct side *source)
{
    struct context *context = target->context;
    struct stream *to;
    struct stream *from;
    RILL_TRY(stream_pin(context, who, target->stream, &to));
    rill_status status = stream_pin(context, who, source->stream, &from);
    if (status == RILL_OK) {
        status = from != to ? order_queue_wait(to, from) : RILL_OK;
        if (status == RILL_OK) {
            status = order_copy(who, to, target->array->address, source->array->address, source->array->size,
                                BACKEND_READ_LATER);
        }
        context_unpin(context, from->id);
    }
    context_unpin(context, to->id);
    return context_fail_as(who, status);
}

static rill_status finish(const struct side *side)
{
    struct stream *stream;
    RILL_TRY(stream_pin(side->context, who, side->stream, &stream));
    rill_status status = stream_finish_work(who, stream);
    context_unpin(side->context, stream->id);
    return status;
}

// The same after what the source must follow where its context has an order.
static rill_status finish_source(const struct side *side)
{
    if (side->context->order == NULL) {
        return finish(side);
    }
    struct hazard_access access;
    struct order_use use;
    struct order_work work = {.call = who, .accesses = &access};
    struct stream *stream;
    RILL_TRY(stream_pin(side->context, who, side->stream, &stream));
    work.count = footprint_of_bytes(&access, HAZARD_READ, side->array->address, side->array->size);
    rill_status status = context_fail_as(who, order_begin(&use, &work, stream));
    if (status == RILL_OK) {
        order_end(&use); // the stream waits, and so does who waits for the stream
        status = stream_finish_work(who, stream);
    }
    context_unpin(side->context, stream->id);
    return status;
}

static rill_status copy_from(const struct side *target, const struct side *source, struct stream *stream)
{
    struct context *context = target->context;
    struct order_use use = {.stream = NULL};
    struct hazard_access access;
    struct order_work work = {.call = who, .accesses = &access};
    work.count = footprint_of_bytes(&access, HAZARD_WRITE, target->array->address, source->array->size);
    if (context->order != NULL) {
        RILL_TRY(order_begin(&use, &work, stream));
    }
    rill_status status = context->backend->copy_from(stream->queue, target->array->address, source->context->device,
                                                     source->array->address, source->array->size);
    order_end(&use);
    return status;
}

// From device to device. RILL_ERR_UNSUPPORTED: not these two.
static rill_status copy_across(const struct side *target, const struct side *source)
{
    const struct backend *backend = target->context->backend;
    if (source->context->backend != backend) {
        return RILL_ERR_UNSUPPORTED;
    }
    RILL_TRY(finish_source(source));
    struct stream *stream;
    RILL_TRY(stream_pin(target->context, who, target->stream, &stream));
    rill_status status = copy_from(target, source, stream);
    context_unpin(target->context, stream->id);
    return status == RILL_OK ? finish(target) : status;
}

static rill_status copy_by_pieces(const struct side *target, const struct side *source)
{
    size_t size = source->array->size;
    size_t piece = size < PIECE_SIZE ? size : PIECE_SIZE;
    void *bounce = context_alloc(target->context, piece > 0 ? piece : 1);
    if (bounce == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for %zu bytes on their way", who, piece);
    }
    rill_status status = RILL_OK;
    // Both may wrap the same memory: in the direction in which nothing is overwritten before it was read.
    bool backwards = target->array->address > source->array->address;
    for (size_t done = 0; done < size && status == RILL_OK; done += piece) {
        size_t part = size - done < piece ? size - done : piece;
        size_t at = backwards ? size - done - part : done;
        status = array_read_bytes(who, source->context, source->stream, bounce, source->array->address + at, part);
        if (status == RILL_OK) {
            status = array_write_bytes(who, target->context, target->stream, target->array->address + at, bounce, part);
        }
    }
    context_free(target->context, bounce, piece > 0 ? piece : 1);
    return status;
}

// A part of a step belongs to one device. What the two streams are for, the step finds out itself.
static rill_status record(const struct side *target, const struct side *source)
{
    if (target->context != source->context) {
        return record_refuse_now(who);
    }
    struct record_side sides[] = {{.array = target->array}, {.array = source->array}};
    return record_copy(who, target->context, target->stream, sides, 0, 0);
}

static rill_status transfer(const struct side *target, const struct side *source)
{
    if (source->array->size > target->array->size) {
        return status_fail(RILL_ERR_INVALID, "%s: the source has %zu bytes, the target only %zu", who,
                           source->array->size, target->array->size);
    }
    if (record_is_on(target->context) || record_is_on(source->context)) {
        return record(target, source);
    }
    array_note_use_on(target->array, target->stream);
    array_note_use_on(source->array, source->stream);
    if (target->context == source->context) {
        array_note_use_on(source->array, target->stream); // which does the copy
        return copy_inside(target, source);
    }
    RILL_TRY(callback_refuse(who));
    rill_status status = source->array->size > 0 ? copy_across(target, source) : RILL_OK;
    return status == RILL_ERR_UNSUPPORTED ? copy_by_pieces(target, source) : context_fail_as(who, status);
}

rill_status rill_array_transfer(rill_array target_handle, rill_stream target_stream, rill_array source_handle,
                                rill_stream source_stream)
{
    struct side target;
    struct side source;
    RILL_TRY(side_open(target_handle, target_stream, &target));
    rill_status status = side_open(source_handle, source_stream, &source);
    if (status == RILL_OK) {
        status = transfer(&target, &source);
        side_close(&source);
    }
    side_close(&target);
    return status;
}
