// Streams and events.
#include "cuda.h"

#include <stdlib.h>

int fake_cu_stream_create(cu_stream *out, unsigned flags, int priority)
{
    ENTER("cuStreamCreateWithPriority", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuStreamCreateWithPriority", &context);
    if (code == FAKE_OK) {
        *out = fake_handle(fake_stream_create_locked(context, flags != CU_STREAM_NON_BLOCKING, priority));
    }
    fake_unlock();
    return code;
}

int fake_cu_stream_destroy(cu_stream handle)
{
    ENTER_END("cuStreamDestroy_v2", DEVICE);
    fake_lock();
    struct fake_stream *stream = fake_get_locked(handle, FAKE_STREAM, "cuStreamDestroy_v2");
    if (stream != NULL) {
        fake_stream_destroy_locked(stream);
    }
    fake_unlock();
    LEAVE_END(stream != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

static int forbid_capture_locked(struct fake_stream *stream)
{
    if (stream->capture == NULL) {
        return FAKE_OK;
    }
    stream->capture->is_invalid = true;
    return FAKE_CAPTURE_UNSUPPORTED;
}

int fake_cu_stream_synchronize(cu_stream handle)
{
    ENTER("cuStreamSynchronize", DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, "cuStreamSynchronize", &stream);
    code = code == FAKE_OK ? forbid_capture_locked(stream) : code;
    if (code == FAKE_OK) {
        fake_stream_wait_locked(stream);
        code = stream->object.context->lost_code;
    }
    fake_unlock();
    return code;
}

int fake_cu_stream_query(cu_stream handle)
{
    ENTER("cuStreamQuery", DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, "cuStreamQuery", &stream);
    code = code == FAKE_OK ? forbid_capture_locked(stream) : code;
    if (code == FAKE_OK) {
        code = stream->object.context->lost_code;
    }
    if (code == FAKE_OK && stream->tail != NULL && !stream->tail->is_done) {
        code = FAKE_NOT_READY;
    }
    fake_unlock();
    return code;
}

int fake_cu_stream_wait_event(cu_stream handle, cu_event event_handle, unsigned flags)
{
    static const char call[] = "cuStreamWaitEvent";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    (void)flags;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    struct fake_event *event = code == FAKE_OK ? fake_get_locked(event_handle, FAKE_EVENT, call) : NULL;
    if (code == FAKE_OK) {
        code = event != NULL ? fake_event_wait_locked(event, stream, call) : FAKE_INVALID_HANDLE;
    }
    fake_unlock();
    return code;
}

int fake_cu_stream_is_capturing(cu_stream handle, int *out)
{
    ENTER("cuStreamIsCapturing", DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, "cuStreamIsCapturing", &stream);
    if (code == FAKE_OK) {
        *out = stream->capture == NULL ? 0 : stream->capture->is_invalid ? 2 : 1;
    }
    fake_unlock();
    return code;
}

int fake_cu_stream_context(cu_stream handle, cu_context *out)
{
    ENTER("cuStreamGetCtx", DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, "cuStreamGetCtx", &stream);
    if (code == FAKE_OK) {
        *out = fake_handle(stream->object.context);
    }
    fake_unlock();
    return code;
}

int fake_cu_capture_info(cu_stream handle, int *state, uint64_t *id, cu_graph *graph, const cu_node **after,
                         size_t *count)
{
    static const char call[] = "cuStreamGetCaptureInfo_v2";
    ENTER(call, DEVICE);
    static _Thread_local cu_node tails[256];
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    for (int i = 0; code == FAKE_OK && stream->capture != NULL && i < stream->capture_tail_count && i < 256; i++) {
        tails[i] = fake_handle(stream->capture_tails[i]);
    }
    if (code == FAKE_OK) {
        *state = stream->capture == NULL ? 0 : stream->capture->is_invalid ? 2 : 1;
        if (*state == 1 && id != NULL) {
            *id = stream->capture->id;
        }
        if (*state == 1 && graph != NULL) {
            *graph = fake_handle(stream->capture->graph);
        }
        if (*state == 1 && after != NULL) {
            *after = tails;
            *count = (size_t)stream->capture_tail_count;
        }
    }
    fake_unlock();
    return code;
}

int fake_cu_capture_update(cu_stream handle, cu_node *nodes, size_t count, unsigned flags)
{
    static const char call[] = "cuStreamUpdateCaptureDependencies";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && (stream->capture == NULL || flags != CU_CAPTURE_SET_DEPENDENCIES)) {
        code = FAKE_INVALID_VALUE;
    }
    struct fake_node **tails = fake_alloc(sizeof *tails * (count + 1));
    for (size_t i = 0; code == FAKE_OK && i < count; i++) {
        tails[i] = fake_get_locked(nodes[i], FAKE_NODE, call);
        code = tails[i] != NULL && tails[i]->graph == stream->capture->graph ? FAKE_OK : FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK) {
        free(stream->capture_tails);
        stream->capture_tails = tails;
        stream->capture_tail_count = (int)count;
    } else {
        free(tails);
    }
    fake_unlock();
    return code;
}

int fake_cu_capture_mode(int *mode)
{
    ENTER("cuThreadExchangeStreamCaptureMode", INIT);
    *mode = fake_exchange_capture_mode(*mode);
    return FAKE_OK;
}

int fake_cu_stream_wait_value(cu_stream handle, cu_address address, uint32_t value, unsigned flags)
{
    static const char call[] = "cuStreamWaitValue32_v2";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && address % 4 != 0) {
        code = FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK) {
        struct fake_work work = {.kind = FAKE_OP_WAIT_VALUE,
                                 .u.value = {.address = address, .value = value, .flags = flags}};
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    return code;
}

int fake_cu_host_function(cu_stream handle, cu_host_function *function, void *user)
{
    static const char call[] = "cuLaunchHostFunc";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK) {
        struct fake_work work = {.kind = FAKE_OP_HOST, .u.host = {.function = function, .user = user}};
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    return code;
}

// ---- events ---------------------------------------------------------------------------------------------------------

int fake_cu_event_create(cu_event *out, unsigned flags)
{
    ENTER("cuEventCreate", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuEventCreate", &context);
    if (code == FAKE_OK) {
        struct fake_event *event = fake_alloc(sizeof *event);
        event->has_timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
        fake_add_locked(event, FAKE_EVENT, context);
        *out = fake_handle(event);
    }
    fake_unlock();
    return code;
}

int fake_cu_event_destroy(cu_event handle)
{
    ENTER_END("cuEventDestroy_v2", DEVICE);
    fake_lock();
    struct fake_event *event = fake_get_locked(handle, FAKE_EVENT, "cuEventDestroy_v2");
    if (event != NULL) {
        fake_remove_locked(event);
        fake_op_release(event->op);
        event->op = NULL;
    }
    fake_unlock();
    LEAVE_END(event != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_event_record(cu_event handle, cu_stream stream_handle)
{
    static const char call[] = "cuEventRecord";
    ENTER(call, DEVICE);
    struct fake_stream *stream = NULL;
    fake_lock();
    struct fake_event *event = fake_get_locked(handle, FAKE_EVENT, call);
    int code = event == NULL ? FAKE_INVALID_HANDLE : fake_stream_get_locked(stream_handle, call, &stream);
    if (code == FAKE_OK && event->object.context != stream->object.context) {
        fake_violation_locked("%s: event and stream are of different contexts", call);
        code = FAKE_INVALID_HANDLE;
    }
    if (code == FAKE_OK) {
        code = fake_event_record_locked(event, stream, call);
    }
    fake_unlock();
    return code;
}

int fake_cu_event_query(cu_event handle)
{
    ENTER("cuEventQuery", DEVICE);
    fake_lock();
    struct fake_event *event = fake_get_locked(handle, FAKE_EVENT, "cuEventQuery");
    int code = event == NULL ? FAKE_INVALID_HANDLE : event->capture != NULL ? 907 : event->object.context->lost_code;
    if (code == FAKE_OK && event->op != NULL && !event->op->is_done) {
        code = FAKE_NOT_READY;
    }
    fake_unlock();
    return code;
}

int fake_cu_event_synchronize(cu_event handle)
{
    ENTER("cuEventSynchronize", DEVICE);
    fake_lock();
    struct fake_event *event = fake_get_locked(handle, FAKE_EVENT, "cuEventSynchronize");
    int code = event == NULL ? FAKE_INVALID_HANDLE : event->capture != NULL ? 907 : FAKE_OK;
    if (code == FAKE_OK) {
        fake_op_wait_locked(event->op);
        code = event->object.context->lost_code;
    }
    fake_unlock();
    return code;
}

int fake_cu_event_elapsed(float *out, cu_event begin_handle, cu_event end_handle)
{
    ENTER("cuEventElapsedTime", DEVICE);
    fake_lock();
    struct fake_event *begin = fake_get_locked(begin_handle, FAKE_EVENT, "cuEventElapsedTime");
    struct fake_event *end = begin != NULL ? fake_get_locked(end_handle, FAKE_EVENT, "cuEventElapsedTime") : NULL;
    int code = FAKE_OK;
    if (end == NULL || begin->op == NULL || end->op == NULL || !begin->has_timing || !end->has_timing) {
        code = FAKE_INVALID_HANDLE;
    } else if (!begin->op->is_done || !end->op->is_done) {
        code = FAKE_NOT_READY;
    } else {
        *out = (float)((double)(end->op->done_at - begin->op->done_at) * 1e-6);
    }
    fake_unlock();
    return code;
}
