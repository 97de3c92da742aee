#ifndef RILL_RUNTIME_STREAM_H
#define RILL_RUNTIME_STREAM_H

#include "runtime/context.h"

struct stream {
    struct context *context;      // borrowed
    struct backend_stream *queue; // owned
    uint64_t id;
    struct scratch *scratch;      // owned; guarded by the context's scratch lock; NULL: no launch has wanted any
    struct order_stream *order;   // the order's own: see order.h; NULL: none yet
    int priority;                 // as it was made
    bool is_unordered;            // the order leaves it alone
    char label[32];               // the program's name for it; guarded by the context's lock
    bool is_wrapped;              // the driver's stream is another's
    void *native;                 // the driver's handle, once others have it; guarded by the context's wrap lock
    struct stream *next;          // guarded by the context's lock, and so is what follows
    uint64_t number;              // counts up: by age
    struct stream *previous;      //
    struct stream *bucket_next;   // among those with the same place in the index
    struct stream *next_used;     // among those that may be busy: see stream_list.c
    struct stream *previous_used; //
    uint64_t use_number;          // counts up: when it came among them; 0: it is not
    int visitor_count;            // walkers of the lists that stand here
    bool is_over;                 // its work has run: goes when no visitor is left
    atomic_bool has_mark;         // a visitor has queued a mark since the last notice; set before it leaves
    _Atomic uint64_t known_error; // the serial of the error that a call has returned since the last clear; 0: none
    bool wants_log;               // a failure nobody has seen goes to the log
};

// What a stream is made of: a priority, or another's stream.
struct stream_origin {
    int priority;
    bool is_unordered;
    bool is_wrapped;
    void *native;
};

// Makes a stream. Its handle is stream->id.
rill_status stream_make(struct context *context, const char *who, const struct stream_origin *origin,
                        struct stream **out_stream);
// The handle and every pin are gone: lets the stream run out, then frees it.
void stream_dispose(struct stream *stream);

// stream_list.c: the streams whose work may not have run.

// Adds a stream that is made. False: no memory.
bool stream_list_add(struct stream *stream);
void stream_list_finish(struct context *context); // every stream is gone
// Lets a stream go that nothing names any more, once its work has run.
void stream_end(struct stream *stream);

// Walks them, the oldest first, and none that is made meanwhile: that is what |end| is for. |stream| NULL starts; NULL
// ends. A walk must go on to its end.
struct stream *stream_next(struct context *context, struct stream *stream, uint64_t *end);
// The same without those that have no work left and no error, in the order in which they began to be used. It looks
// only at streams that were used since such a walk found them without work.
struct stream *stream_next_busy(struct context *context, struct stream *stream, uint64_t *end);
// Whoever pins a stream to queue something there calls this first: stream_pin() and stream_pin_queue() have.
void stream_note_use(struct stream *stream);
// The stream of that id, also if its handle is stale; NULL: it is gone, and its work has run.
struct stream *stream_visit(struct context *context, uint64_t id);
void stream_leave(struct stream *stream);
// Whether it is not gone. The context's lock is held.
bool stream_is_listed(struct context *context, uint64_t id);

// A stream that is pinned, for those who need its queue and nothing else of it.
struct pinned_stream {
    struct stream *stream;
    struct backend_stream *queue;
    uint64_t id;
};

// Pins what |handle| means in |context|, RILL_CURRENT included.
rill_status stream_pin_queue(struct context *context, const char *who, rill_stream handle, struct pinned_stream *out);
rill_status stream_pin(struct context *context, const char *who, rill_stream handle, struct stream **out_stream);

// Where a call that names the stream counts its pins: streams that were made one after the other have different places.
static inline unsigned stream_stripe(rill_stream handle)
{
    return handle_slot_of(handle_in_table(handle.id)) * 0x9e3779b9u >> 28;
}

// RILL_OK, or why no call can wait for the stream now.
rill_status stream_may_wait(const char *who, struct stream *stream);
// Whether the stream has an error that no call has returned yet.
bool stream_has_news(struct stream *stream, struct backend_error *out_error);
// The stream's error as a status with a message; RILL_OK if there is none.
rill_status stream_check(const char *who, struct stream *stream);
// Waits for what is queued so far and checks.
rill_status stream_finish_work(const char *who, struct stream *stream);

rill_stream stream_current(struct context *context);
// What RILL_CURRENT is where no argument names a context: what the innermost scope of the thread has set, if its scopes
// are of one context; without scopes the default stream of the only context that is open. Else RILL_ERR_INVALID.
rill_status stream_only_current(const char *who, rill_stream *stream) __attribute__((noinline, cold));

#endif
