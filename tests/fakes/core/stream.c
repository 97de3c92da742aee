// Streams and events: who follows whom. A stream is its last operation; an event is the operation of its last record.
// Stream 0 follows every blocking stream of its context and goes before what they get later.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- streams --------------------------------------------------------------------------------------------------------

struct fake_stream *fake_stream_create_locked(struct fake_context *context, bool is_blocking, int priority)
{
    struct fake_stream *stream = fake_alloc(sizeof *stream);
    stream->is_blocking = is_blocking;
    stream->priority = priority;
    stream->id = ++fake.stream_id;
    fake_add_locked(stream, FAKE_STREAM, context);
    FAKE_GROW(context->streams, context->stream_count, context->stream_capacity);
    context->streams[context->stream_count++] = stream;
    return stream;
}

// What is queued goes on; the context must still wait for it.
void fake_stream_destroy_locked(struct fake_stream *stream)
{
    struct fake_context *context = stream->object.context;
    fake_remove_locked(stream);
    if (stream->tail != NULL && !stream->tail->is_done) {
        struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
        struct fake_op *join = fake_op_create(context, context->orphans, &nothing);
        fake_op_after_locked(join, stream->tail);
        fake_op_after_locked(join, context->orphans->tail);
        fake_op_submit_locked(join);
        fake_op_release(context->orphans->tail);
        context->orphans->tail = join;
    }
    fake_op_release(stream->tail);
    stream->tail = NULL;
    for (int i = 0; i < context->stream_count; i++) {
        if (context->streams[i] == stream) {
            context->streams[i] = context->streams[--context->stream_count];
            return;
        }
    }
}

static _Thread_local struct fake_stream *per_thread[FAKE_DEVICE_LIMIT];

// 0 and 1 are the legacy stream of the current context, 2 is the calling thread's.
int fake_stream_get_locked(const void *handle, const char *call, struct fake_stream **out_stream)
{
    *out_stream = NULL;
    uintptr_t bits = (uintptr_t)handle;
    if (bits > 2) {
        *out_stream = fake_get_locked(handle, FAKE_STREAM, call);
        return *out_stream != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
    }
    struct fake_context *context;
    int code = fake_need_context_locked(call, &context);
    if (code != FAKE_OK) {
        return code;
    }
    if (bits < 2) {
        *out_stream = context->legacy;
        return FAKE_OK;
    }
    struct fake_stream **own = &per_thread[context->device];
    if (*own == NULL || (*own)->object.is_destroyed) {
        *own = fake_stream_create_locked(context, true, 0);
        (*own)->object.is_internal = true;
    }
    *out_stream = *own;
    return FAKE_OK;
}

// The stream waits for |op|, then for nothing else.
static void set_tail(struct fake_stream *stream, struct fake_op *op)
{
    fake_op_release(stream->tail);
    stream->tail = fake_op_hold(op);
}

static void follow_stream(struct fake_op *op, struct fake_stream *stream)
{
    struct fake_context *context = stream->object.context;
    fake_op_after_locked(op, stream->tail);
    if (!stream->is_legacy) {
        if (stream->is_blocking) {
            fake_op_after_locked(op, context->legacy->tail);
        }
        return;
    }
    for (int i = 0; i < context->stream_count; i++) {
        if (context->streams[i]->is_blocking) {
            fake_op_after_locked(op, context->streams[i]->tail);
        }
    }
}

void fake_stream_wait_locked(struct fake_stream *stream)
{
    struct fake_op *tail = stream->tail;
    if (stream->is_legacy) {
        struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
        tail = fake_op_create(stream->object.context, stream, &nothing);
        follow_stream(tail, stream);
        fake_op_submit_locked(tail);
        fake_op_wait_locked(tail);
        fake_op_release(tail);
        return;
    }
    if (fake.is_traced && tail != NULL) {
        fprintf(stderr, "fake driver waits for %lu\n", (unsigned long)tail->number);
    }
    fake_op_wait_locked(tail);
}

void fake_context_wait_locked(struct fake_context *context)
{
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    struct fake_op *all = fake_op_create(context, NULL, &nothing);
    for (int i = 0; i < context->stream_count; i++) {
        fake_op_after_locked(all, context->streams[i]->tail);
    }
    fake_op_submit_locked(all);
    fake_op_wait_locked(all);
    fake_op_release(all);
}

// ---- capture --------------------------------------------------------------------------------------------------------

static void set_capture_tails(struct fake_stream *stream, struct fake_node *const *tails, int count)
{
    struct fake_node **copy = fake_alloc(sizeof *copy * (size_t)(count + 1));
    memcpy(copy, tails, sizeof *copy * (size_t)count);
    free(stream->capture_tails);
    stream->capture_tails = copy;
    stream->capture_tail_count = count;
}

static int capture_work(struct fake_stream *stream, struct fake_work *work)
{
    if (stream->capture->is_invalid) {
        fake_work_finish(work);
        return FAKE_CAPTURE_INVALIDATED;
    }
    struct fake_node *node =
        fake_graph_add_locked(stream->capture->graph, work, stream->capture_tails, (size_t)stream->capture_tail_count);
    set_capture_tails(stream, &node, 1);
    return FAKE_OK;
}

static _Thread_local int thread_mode;

int fake_exchange_capture_mode(int mode)
{
    int before = thread_mode;
    thread_mode = mode;
    return before;
}

// While a stream captures, nothing may wait for work or touch the device behind its back, except in a thread that has
// said that it knows what it does.
int fake_unsafe_locked(const char *call)
{
    (void)call;
    if (fake.capture_count == 0 || thread_mode == 2) {
        return FAKE_OK;
    }
    for (uint32_t i = 0; i < fake.object_count; i++) {
        struct fake_stream *stream = (struct fake_stream *)fake.objects[i];
        if (stream->object.kind != FAKE_STREAM || stream->capture == NULL || stream->capture->origin != stream) {
            continue;
        }
        bool is_mine = pthread_equal(stream->capture->thread, pthread_self()) != 0;
        if (stream->capture->mode == 0 || (stream->capture->mode == 1 && is_mine)) {
            stream->capture->is_invalid = true;
            return FAKE_CAPTURE_UNSUPPORTED;
        }
    }
    return FAKE_OK;
}

// ---- queueing -------------------------------------------------------------------------------------------------------

int fake_queue_locked(struct fake_stream *stream, struct fake_work *work, const char *call)
{
    fake_check_work_locked(work, call);
    if (stream->capture != NULL) {
        return capture_work(stream, work);
    }
    struct fake_op *op = fake_op_create(stream->object.context, stream, work);
    follow_stream(op, stream);
    fake_op_submit_locked(op);
    if (fake.is_traced) {
        fprintf(stderr, "fake driver queues %lu, %s, on stream %lu\n", (unsigned long)op->number,
                fake_work_name(&op->work), (unsigned long)stream->id);
    }
    set_tail(stream, op);
    fake_op_release(op);
    return FAKE_OK;
}

int fake_event_record_locked(struct fake_event *event, struct fake_stream *stream, const char *call)
{
    if (stream->capture != NULL) {
        event->capture = stream->capture;
        free(event->capture_tails);
        event->capture_tails = fake_alloc(sizeof *event->capture_tails * (size_t)(stream->capture_tail_count + 1));
        memcpy(event->capture_tails, stream->capture_tails,
               sizeof *event->capture_tails * (size_t)stream->capture_tail_count);
        event->capture_tail_count = stream->capture_tail_count;
        return FAKE_OK;
    }
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    int code = fake_queue_locked(stream, &nothing, call);
    if (code == FAKE_OK) {
        event->capture = NULL;
        fake_op_release(event->op);
        event->op = fake_op_hold(stream->tail);
    }
    return code;
}

static int wait_captured(struct fake_event *event, struct fake_stream *stream)
{
    if (stream->capture == NULL) { // joins the capture
        stream->capture = event->capture;
        set_capture_tails(stream, event->capture_tails, event->capture_tail_count);
        return FAKE_OK;
    }
    int count = stream->capture_tail_count + event->capture_tail_count;
    struct fake_node **all = fake_alloc(sizeof *all * (size_t)(count + 1));
    memcpy(all, stream->capture_tails, sizeof *all * (size_t)stream->capture_tail_count);
    memcpy(all + stream->capture_tail_count, event->capture_tails, sizeof *all * (size_t)event->capture_tail_count);
    set_capture_tails(stream, all, count);
    free(all);
    return FAKE_OK;
}

int fake_event_wait_locked(struct fake_event *event, struct fake_stream *stream, const char *call)
{
    (void)call;
    if (event->capture != NULL) {
        return wait_captured(event, stream);
    }
    if (stream->capture != NULL) { // an event from outside does not belong to the graph
        stream->capture->is_invalid = true;
        return FAKE_CAPTURE_UNSUPPORTED + 5; // 905: isolation
    }
    if (event->op == NULL || event->op->is_done) {
        return FAKE_OK;
    }
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    struct fake_op *op = fake_op_create(stream->object.context, stream, &nothing);
    follow_stream(op, stream);
    fake_op_after_locked(op, event->op);
    fake_op_submit_locked(op);
    set_tail(stream, op);
    fake_op_release(op);
    return FAKE_OK;
}
