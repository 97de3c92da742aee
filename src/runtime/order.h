// Automatic order: what is queued on a stream follows the unfinished work of other streams that it conflicts with, and
// nothing else of theirs. A context has this if it was opened so; in others context.order is NULL, and nothing here is
// called.
//
// Whoever queues work says what it touches between order_begin(), which makes the stream wait, and order_end(), which
// notes the work. Between the two the order's lock is held, so that what is noted comes in the sequence in which it is
// queued; nothing may wait there.
#ifndef RILL_RUNTIME_ORDER_H
#define RILL_RUNTIME_ORDER_H

#include "runtime/hazard.h"
#include "runtime/stream.h"

struct memory;
struct order_point;

struct order_use {
    struct order *order;
    struct stream *stream; // pinned; NULL: it does not take part
    const struct hazard_access *accesses;
    int count;
    struct order_point *point; // where the work will be
};

// What a context is opened with: |wanted|, or what RILL_ORDER says.
rill_status order_find_mode(rill_order wanted, rill_order *out_mode);

rill_status order_create(struct context *context);
void order_destroy(struct order *order); // nothing is queued any more; NULL is skipped

// |who| begins the message of a failure, with which order_end() must not follow.
rill_status order_begin(struct order_use *use, const char *who, struct stream *stream,
                        const struct hazard_access *accesses, int count);
// Also where queueing has failed: some of it may run.
void order_end(struct order_use *use);

// What backend_launch.must_not_wait is in between; and what must follow order_end(): it waits where the launch would
// have waited.
bool order_must_not_wait(void);
void order_wait_for_room(struct stream *stream);

// The stream's handle is gone; its work may still run.
void order_leave(struct stream *stream);

// Memory is free whose last use has run: it is forgotten, and its record freed, when somebody has the lock. Takes none.
void order_forget(struct order *order, struct memory *memory);
// Does that now. The caller has no lock of the order.
void order_forget_now(struct order *order);

uint64_t order_wait_count(struct order *order);

// Queue a copy or a fill, ordered if the context has an order.
rill_status order_copy_slowly(struct stream *stream, void *target, const void *source, size_t size,
                              enum backend_read read);
rill_status order_fill_slowly(struct stream *stream, void *target, size_t count, const void *element, size_t size);

static inline rill_status order_copy(struct stream *stream, void *target, const void *source, size_t size,
                                     enum backend_read read)
{
    const struct context *context = stream->context;
    return context->order == NULL ? context->backend->copy(stream->queue, target, source, size, read)
                                  : order_copy_slowly(stream, target, source, size, read);
}

static inline rill_status order_fill(struct stream *stream, void *target, size_t count, const void *element,
                                     size_t size)
{
    const struct context *context = stream->context;
    return context->order == NULL ? context->backend->fill(stream->queue, target, count, element, size)
                                  : order_fill_slowly(stream, target, count, element, size);
}

#endif
