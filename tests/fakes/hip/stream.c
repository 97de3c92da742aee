// Streams, events, host functions.
#include "hip.h"

int fake_hip_stream_create(hip_stream *out, unsigned flags, int priority)
{
    return fake_cu_stream_create((cu_stream *)out, flags, priority);
}

int fake_hip_stream_destroy(hip_stream stream)
{
    return fake_cu_stream_destroy((cu_stream)stream);
}

int fake_hip_stream_synchronize(hip_stream stream)
{
    return fake_cu_stream_synchronize((cu_stream)stream);
}

int fake_hip_stream_query(hip_stream stream)
{
    return fake_cu_stream_query((cu_stream)stream);
}

int fake_hip_stream_wait_event(hip_stream stream, hip_event event, unsigned flags)
{
    return fake_cu_stream_wait_event((cu_stream)stream, (cu_event)event, flags);
}

int fake_hip_stream_is_capturing(hip_stream stream, int *out)
{
    return fake_cu_stream_is_capturing((cu_stream)stream, out);
}

int fake_hip_stream_wait_value(hip_stream stream, void *address, uint32_t value, unsigned flags, uint32_t mask)
{
    if (mask != 0xffffffff) {
        fake_violation("hipStreamWaitValue32: with mask %#x", mask);
    }
    return fake_cu_stream_wait_value((cu_stream)stream, (cu_address)(uintptr_t)address, value, flags);
}

int fake_hip_host_function(hip_stream stream, hip_host_function *function, void *user)
{
    return fake_cu_host_function((cu_stream)stream, function, user);
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
    return fake_cu_event_create((cu_event *)out, flags);
}

int fake_hip_event_destroy(hip_event event)
{
    return fake_cu_event_destroy((cu_event)event);
}

int fake_hip_event_record(hip_event event, hip_stream stream)
{
    return fake_cu_event_record((cu_event)event, (cu_stream)stream);
}

int fake_hip_event_query(hip_event event)
{
    return fake_cu_event_query((cu_event)event);
}

int fake_hip_event_synchronize(hip_event event)
{
    return fake_cu_event_synchronize((cu_event)event);
}

int fake_hip_event_elapsed(float *out, hip_event begin, hip_event end)
{
    return fake_cu_event_elapsed(out, (cu_event)begin, (cu_event)end);
}
