// The order of streams, kept (RILL_ORDER_AUTO) or checked (RILL_ORDER_CHECK).
//
// Automatic order: what is queued on a stream follows the unfinished work of other streams that it conflicts with, and
// nothing else of theirs. Where order is checked nothing waits: what would have to is reported, unless streams and
// events put it in order already. In contexts with neither context.order is NULL, and nothing here is called.
//
// Whoever queues work says what it touches between order_begin(), which makes the stream wait, and order_end(), which
// notes the work. Between the two the order's lock is held, so that what is noted comes in the sequence in which it is
// queued; nothing may wait there.
#ifndef RILL_RUNTIME_ORDER_H
#define RILL_RUNTIME_ORDER_H

#include "runtime/hazard.h"
#include "runtime/stream.h"

struct event;
struct memory;
struct order_clock;
struct order_origin;
struct order_point;
struct packed_args;

// What is about to be queued.
struct order_work {
    const char *call; // "rill_launch"
    const struct hazard_access *accesses;
    int count;
    const struct packed_args *packed; // of a launch; else NULL
    const char *place;                // where it stands in the program; NULL: not known
};

struct order_use {
    struct order *order;
    struct stream *stream; // pinned; NULL: it does not take part
    const struct hazard_access *accesses;
    int count;
    struct order_origin *origin; // where order is checked
    struct order_point *point;   // where the work will be
    const void *kind;            // the kernel, or the name of the call
    void *before;                // what the back end's device_enter() has returned
    uint64_t depth;              // of what it follows on other streams, the largest
};

// What a context is opened with: |wanted|, or what RILL_ORDER says.
rill_status order_find_mode(rill_order wanted, rill_order *out_mode);

rill_status order_create(struct context *context, rill_order mode, const rill_open_options *options);
void order_destroy(struct order *order); // nothing is queued any more; NULL is skipped

// After a failure order_end() must not follow.
rill_status order_begin(struct order_use *use, const struct order_work *work, struct stream *stream);
// The stream on which work with such accesses had best be queued where the program does not say.
rill_status order_pick(struct context *context, const struct hazard_access *accesses, int count, rill_stream *out);
// Also where queueing has failed: some of it may run.
void order_end(struct order_use *use);

// What backend_launch.must_not_wait is in between; and what must follow order_end(): it waits where the launch would
// have waited.
bool order_must_not_wait(void);
void order_wait_for_room(struct stream *stream);

// Before something is queued on the stream that waits for others or for the program: what follows the work before it
// must not wait for that as well.
void order_keep_place(struct stream *stream);

// The stream's handle is gone; its work may still run.
void order_leave(struct stream *stream);

// Memory is free whose last use has run: it is forgotten, and its record freed, when somebody has the lock. Takes none.
void order_forget(struct order *order, struct memory *memory);
// Does that now. The caller has no lock of the order.
void order_forget_now(struct order *order);

uint64_t order_wait_count(struct order *order);

// The order's own of a stream, made if there is none; NULL: no memory. The lock is held.
struct order_stream *order_stream_of(struct stream *stream);
struct order_origin *order_origin_make(struct order *order, const struct order_work *work, struct stream *stream);

// ---- what orders streams otherwise, where order is checked

// Records the event on the stream, or makes the stream wait for it; makes the stream wait for another.
rill_status order_queue_event(struct stream *stream, struct event *event, bool waits);
rill_status order_queue_wait(struct stream *stream, struct stream *other);
// The program has waited for all that is queued on the stream, for an event, for everything.
void order_host_saw(struct stream *stream);
void order_host_saw_event(struct event *event);
void order_host_saw_all(struct order *order);
// A callback will run at this place of the stream; it runs. |clock| is the callback's.
void order_note_place(struct stream *stream, struct order_clock *clock);
void order_host_saw_place(struct context *context, struct order_clock *clock);
// RILL_ERR_CONFLICT, with words that begin with |who|, once after a conflict, if the context was opened so.
rill_status order_take_conflict(struct order *order, const char *who);
void order_label_array(struct order *order, const void *address, size_t size, const char *text);
void order_host_access(struct context *context, const void *memory, size_t size, bool writes);
void order_host_access_over(struct context *context, const void *memory);

// ---- copies and fills, in order if the context has one

rill_status order_copy_slowly(const char *who, struct stream *stream, void *target, const void *source, size_t size,
                              enum backend_read read);
rill_status order_fill_slowly(const char *who, struct stream *stream, void *target, size_t count, const void *element,
                              size_t size);

static inline rill_status order_copy(const char *who, struct stream *stream, void *target, const void *source,
                                     size_t size, enum backend_read read)
{
    const struct context *context = stream->context;
    return context->order == NULL ? context->backend->copy(stream->queue, target, source, size, read)
                                  : order_copy_slowly(who, stream, target, source, size, read);
}

static inline rill_status order_fill(const char *who, struct stream *stream, void *target, size_t count,
                                     const void *element, size_t size)
{
    const struct context *context = stream->context;
    return context->order == NULL ? context->backend->fill(stream->queue, target, count, element, size)
                                  : order_fill_slowly(who, stream, target, count, element, size);
}

#endif
