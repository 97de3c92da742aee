// Streams, events, host functions.
#include "../cuda/application.h"
#include "hip.h"

int fake_hip_stream_create(hip_stream *out, unsigned flags, int priority)
{
    return fake_cu_stream_create(out, flags, priority);
}

int fake_hip_stream_destroy(hip_stream stream)
{
    return fake_cu_stream_destroy(stream);
}

int fake_hip_stream_synchronize(hip_stream stream)
{
    return fake_cu_stream_synchronize(stream);
}

int fake_hip_stream_query(hip_stream stream)
{
    return fake_cu_stream_query(stream);
}

int fake_hip_stream_wait_event(hip_stream stream, hip_event event, unsigned flags)
{
    return fake_cu_stream_wait_event(stream, event, flags);
}

int fake_hip_stream_is_capturing(hip_stream stream, int *out)
{
    return fake_cu_stream_is_capturing(stream, out);
}

int fake_hip_stream_wait_value(hip_stream stream, void *address, uint32_t value, unsigned flags, uint32_t mask)
{
    if (mask != 0xffffffff) {
        fake_violation("hipStreamWaitValue32: with mask %#x", mask);
    }
    return fake_cu_stream_wait_value(stream, (cu_address)(uintptr_t)address, value, flags);
}

int fake_hip_host_function(hip_stream stream, hip_host_function *function, void *user)
{
    return fake_cu_host_function(stream, function, user);
}

int fake_hip_add_callback(hip_stream handle, hip_callback *function, void *user, unsigned flags)
{
    static const char call[] = "hipStreamAddCallback";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = flags != 0 ? FAKE_INVALID_VALUE : fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK) {
        struct fake_work work = {.kind = FAKE_OP_HOST, .u.host = {.user = user, .stream = handle}};
        *(hip_callback **)&work.u.host.stream_function = function;
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    return code;
}

int fake_hip_event_create(hip_event *out, unsigned flags)
{
    return fake_cu_event_create(out, flags);
}

int fake_hip_event_destroy(hip_event event)
{
    return fake_cu_event_destroy(event);
}

int fake_hip_event_record(hip_event event, hip_stream stream)
{
    return fake_cu_event_record(event, stream);
}

int fake_hip_event_query(hip_event event)
{
    return fake_cu_event_query(event);
}

int fake_hip_event_synchronize(hip_event event)
{
    return fake_cu_event_synchronize(event);
}

int fake_hip_event_elapsed(float *out, hip_event begin, hip_event end)
{
    return fake_cu_event_elapsed(out, begin, end);
}

// ---- streams of others, captures ------------------------------------------------------------------------------------

int fake_hip_stream_device(hip_stream handle, int *out)
{
    ENTER("hipStreamGetDevice", INIT);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, "hipStreamGetDevice", &stream);
    if (code == FAKE_OK) {
        *out = stream->object.context->device;
    }
    fake_unlock();
    return code;
}

int fake_hip_capture_info(hip_stream stream, int *state, uint64_t *id, hip_graph *graph, const hip_node **after,
                          size_t *count)
{
    uint64_t number = 0;
    int code =
        fake_cu_capture_info(stream, state, &number, graph, after, count);
    *id = number;
    return code;
}

int fake_hip_capture_update(hip_stream stream, hip_node *nodes, size_t count, unsigned flags)
{
    return fake_cu_capture_update(stream, nodes, count, flags);
}

int fake_hip_capture_mode(int *mode)
{
    return fake_cu_capture_mode(mode);
}

int fake_hip_user_create(hip_user *out, void *user, hip_host_function *destroy, unsigned count, unsigned flags)
{
    return fake_cu_user_create(out, user, destroy, count, flags);
}

int fake_hip_user_release(hip_user object, unsigned count)
{
    return fake_cu_user_release(object, count);
}

int fake_hip_graph_retain(hip_graph graph, hip_user object, unsigned count, unsigned flags)
{
    return fake_cu_graph_retain(graph, object, count, flags);
}

// What an application beside Rill calls.
EXPORT int hipStreamCreateWithFlags(hip_stream *out, unsigned flags);
EXPORT int hipStreamBeginCapture(hip_stream stream, int mode);
EXPORT int hipStreamEndCapture(hip_stream stream, hip_graph *out);

int hipStreamCreateWithFlags(hip_stream *out, unsigned flags)
{
    return fake_hip_stream_create(out, flags, 0);
}

int hipStreamBeginCapture(hip_stream stream, int mode)
{
    return cuStreamBeginCapture_v2(stream, mode);
}

int hipStreamEndCapture(hip_stream stream, hip_graph *out)
{
    return cuStreamEndCapture(stream, out);
}
