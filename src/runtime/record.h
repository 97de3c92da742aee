// Recording: what a thread queues on a context while it records a step there. The calls that queue ask
// record_is_on() first, and then hand over what they were given.
#ifndef RILL_RUNTIME_RECORD_H
#define RILL_RUNTIME_RECORD_H

#include "runtime/context.h"

struct array;
struct event;
struct kernel;
struct step;
struct stream;

bool record_is_mine(const struct context *context) __attribute__((noinline, cold));

// Whether the calling thread records on the context.
static inline bool record_is_on(const struct context *context)
{
    return UNLIKELY(atomic_load_explicit(&context->recording_count, memory_order_relaxed) > 0) &&
           record_is_mine(context);
}

// RILL_ERR_RECORDING, with words, if the calling thread records on the context: the call cannot be recorded.
rill_status record_refuse_now(const char *who) __attribute__((noinline, cold));
static inline rill_status record_refuse(const struct context *context, const char *who)
{
    return record_is_on(context) ? record_refuse_now(who) : RILL_OK;
}

// |stream|: the id of a stream that is pinned. |result| is pinned or NULL.
rill_status record_launch(const char *who, struct kernel *kernel, uint64_t stream, rill_args args,
                          struct array *result);
// One side of a copy: |array|, pinned, or else memory of the host.
struct record_side {
    struct array *array;
    const void *host;
};
// |offset|: where in its array a copy to or from the host begins; |size|: its bytes. Between arrays both are 0.
rill_status record_copy(const char *who, struct context *context, rill_stream stream, const struct record_side *sides,
                        size_t offset, size_t size);
rill_status record_fill(struct array *array, uint64_t stream, const void *element, size_t size);
rill_status record_event(const char *who, struct event *event, uint64_t stream, bool waits);
rill_status record_wait(struct context *context, uint64_t stream, uint64_t other);
rill_status record_step(const char *who, struct context *context, struct step *inner, uint64_t stream,
                        rill_step_values values);

#endif
