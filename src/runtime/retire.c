#include "runtime/retire.h"

#include "runtime/context.h"
#include "runtime/stream.h"

static void count_down(struct retirement *retirement)
{
    if (atomic_fetch_sub_explicit(&retirement->open_count, 1, memory_order_acq_rel) == 1) {
        retirement->release(retirement);
    }
}

static void pass_mark(void *arg, const struct backend_error *error)
{
    (void)error;
    count_down(arg);
}

void retire(struct context *context, struct retirement *retirement)
{
    atomic_store_explicit(&retirement->open_count, 1, memory_order_relaxed);
    uint64_t end;
    struct stream *stream = stream_next(context, NULL, &end);
    for (; stream != NULL; stream = stream_next(context, stream, &end)) {
        if (context->backend->stream_is_idle(stream->queue)) {
            continue;
        }
        atomic_fetch_add_explicit(&retirement->open_count, 1, memory_order_relaxed);
        if (context->backend->notify(stream->queue, pass_mark, retirement, false) != RILL_OK) {
            // There is no memory for a mark. Waiting is the one safe way that needs none.
            context->backend->stream_synchronize(stream->queue);
            atomic_fetch_sub_explicit(&retirement->open_count, 1, memory_order_relaxed);
        }
    }
    count_down(retirement);
}
