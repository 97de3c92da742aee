#include "runtime/retire.h"

#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/stream_set.h"

#include <assert.h>

static void count_down(struct retirement *retirement)
{
    assert(atomic_load_explicit(&retirement->open_count, memory_order_relaxed) > 0);
    if (atomic_fetch_sub_explicit(&retirement->open_count, 1, memory_order_acq_rel) == 1) {
        thread_observe(retirement);
        retirement->release(retirement);
    }
}

static void pass_mark(void *arg, const struct backend_error *error)
{
    (void)error;
    thread_publish(arg);
    count_down(arg);
}

// Waits for the stream's work, by a mark behind it if there is any.
static void await(struct retirement *retirement, struct stream *stream)
{
    const struct backend *backend = stream->context->backend;
    if (backend->stream_is_idle(stream->queue)) {
        return;
    }
    atomic_fetch_add_explicit(&retirement->open_count, 1, memory_order_relaxed);
    if (backend->notify(stream->queue, pass_mark, retirement, false) == RILL_OK) {
        atomic_store(&stream->has_mark, true);
    } else {
        // There is no memory for a mark. Waiting is the one safe way that needs none.
        backend->stream_synchronize(stream->queue);
        atomic_fetch_sub_explicit(&retirement->open_count, 1, memory_order_relaxed);
    }
}

static void await_user(struct context *context, uint64_t id, void *arg)
{
    struct stream *stream = stream_visit(context, id);
    if (stream != NULL) { // else it is gone, and its work has run
        await(arg, stream);
        stream_leave(stream);
    }
}

static void await_all(struct context *context, struct retirement *retirement)
{
    uint64_t end;
    struct stream *stream = stream_next_busy(context, NULL, &end);
    for (; stream != NULL; stream = stream_next_busy(context, stream, &end)) {
        await(retirement, stream);
    }
}

void retire(struct context *context, struct retirement *retirement, const struct stream_set *users)
{
    assert(retirement->release != NULL);
    atomic_store_explicit(&retirement->open_count, 1, memory_order_relaxed);
    if (users == NULL || stream_set_is_all(users)) {
        await_all(context, retirement);
    } else {
        stream_set_each(context, users, await_user, retirement);
    }
    thread_publish(retirement);
    count_down(retirement);
}
