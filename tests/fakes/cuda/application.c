#include "application.h"
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

int cuCtxSynchronize(void)
{
    ENTER("cuCtxSynchronize", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuCtxSynchronize", &context);
    code = code == FAKE_OK ? fake_unsafe_locked("cuCtxSynchronize") : code;
    if (code == FAKE_OK) {
        fake_context_wait_locked(context);
        code = context->lost_code;
    }
    fake_unlock();
    return code;
}

int cuCtxPushCurrent_v2(cu_context handle)
{
    ENTER("cuCtxPushCurrent_v2", INIT);
    fake_lock();
    struct fake_context *context = fake_get_locked(handle, FAKE_CONTEXT, "cuCtxPushCurrent_v2");
    int code = context != NULL ? fake_push_current(context) : FAKE_INVALID_CONTEXT;
    fake_unlock();
    return code;
}

int cuCtxPopCurrent_v2(cu_context *out)
{
    ENTER("cuCtxPopCurrent_v2", INIT);
    fake_lock();
    struct fake_context *context = fake_pop_current();
    if (out != NULL) {
        *out = fake_handle(context);
    }
    fake_unlock();
    return context != NULL ? FAKE_OK : FAKE_INVALID_CONTEXT;
}

int cuModuleLoadData(cu_module *out, const void *code)
{
    return fake_cu_module_load(out, code, 0, NULL, NULL);
}

int cuStreamCreate(cu_stream *out, unsigned flags)
{
    return fake_cu_stream_create(out, flags, 0);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static int copy_and_wait(const char *call, cu_address target, cu_address source, size_t size)
{
    int code = cuda_copy(call, target, source, size, NULL);
    if (code == FAKE_OK) {
        fake_lock();
        fake_stream_wait_locked(fake_current()->legacy);
        code = fake_current()->lost_code;
        fake_unlock();
    }
    return code;
}

int cuMemcpyHtoD_v2(cu_address target, const void *source, size_t size)
{
    ENTER("cuMemcpyHtoD_v2", DEVICE);
    return copy_and_wait("cuMemcpyHtoD_v2", target, (cu_address)(uintptr_t)source, size);
}

int cuMemcpyDtoH_v2(void *target, cu_address source, size_t size)
{
    ENTER("cuMemcpyDtoH_v2", DEVICE);
    return copy_and_wait("cuMemcpyDtoH_v2", (cu_address)(uintptr_t)target, source, size);
}

int cuMemsetD8_v2(cu_address target, unsigned char value, size_t count)
{
    int code = fake_cu_set8_async(target, value, count, NULL);
    return code == FAKE_OK ? fake_cu_stream_synchronize(NULL) : code;
}

int cuMemAllocAsync(cu_address *out, size_t size, cu_stream stream)
{
    ENTER("cuMemAllocAsync", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuMemAllocAsync", &context);
    cu_pool pool = code == FAKE_OK ? fake_handle(context->pool) : NULL;
    fake_unlock();
    return code == FAKE_OK ? fake_cu_pool_alloc(out, size, pool, stream) : code;
}

int cuMemGetInfo_v2(size_t *free_size, size_t *total_size)
{
    ENTER("cuMemGetInfo_v2", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuMemGetInfo_v2", &context);
    if (code == FAKE_OK) {
        *total_size = fake.memory_size;
        *free_size = fake.memory_size - context->used_size;
    }
    fake_unlock();
    return code;
}

int cuMemHostRegister_v2(void *memory, size_t size, unsigned flags)
{
    ENTER("cuMemHostRegister_v2", DEVICE);
    (void)flags;
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuMemHostRegister_v2", &context);
    if (code == FAKE_OK) {
        fake_memory_add_locked(context, memory, size, FAKE_RANGE_REGISTERED);
    }
    fake_unlock();
    return code;
}

int cuMemHostUnregister(void *memory)
{
    ENTER("cuMemHostUnregister", DEVICE);
    fake_lock();
    struct fake_range *range = fake_memory_find_locked((uint64_t)(uintptr_t)memory);
    int code = range != NULL && range->kind == FAKE_RANGE_REGISTERED ? FAKE_OK : FAKE_INVALID_VALUE;
    if (code == FAKE_OK) {
        fake_memory_in_flight_locked(range, NULL, "cuMemHostUnregister");
        fake_memory_forget_locked(range);
    }
    fake_unlock();
    return code;
}

int cuStreamWriteValue32_v2(cu_stream handle, cu_address address, uint32_t value, unsigned flags)
{
    static const char call[] = "cuStreamWriteValue32_v2";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK) {
        struct fake_work work = {.kind = FAKE_OP_WRITE_VALUE,
                                 .u.value = {.address = address, .value = value, .flags = flags}};
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    return code;
}

// ---- capture --------------------------------------------------------------------------------------------------------

int cuStreamBeginCapture_v2(cu_stream handle, int mode)
{
    static const char call[] = "cuStreamBeginCapture_v2";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && (stream->capture != NULL || stream->is_legacy)) {
        code = stream->is_legacy ? FAKE_CAPTURE_UNSUPPORTED : FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK) {
        struct fake_capture *capture = fake_alloc(sizeof *capture);
        capture->graph = fake_graph_create_locked(stream->object.context);
        capture->graph->object.is_internal = true;
        capture->origin = stream;
        capture->thread = pthread_self();
        capture->mode = mode;
        capture->id = ++fake.capture_id;
        stream->capture = capture;
        stream->capture_tail_count = 0;
        fake.capture_count++;
    }
    fake_unlock();
    return code;
}

static bool leads_to(const struct fake_node *from, const struct fake_node *to)
{
    if (from == to) {
        return true;
    }
    for (int i = 0; i < to->dependency_count; i++) {
        if (leads_to(from, to->dependencies[i])) {
            return true;
        }
    }
    return false;
}

// Every stream that joined the capture must have been joined back.
static bool is_joined(const struct fake_stream *stream, const struct fake_stream *origin)
{
    for (int i = 0; i < stream->capture_tail_count; i++) {
        bool found = false;
        for (int k = 0; k < origin->capture_tail_count && !found; k++) {
            found = leads_to(stream->capture_tails[i], origin->capture_tails[k]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

int cuStreamEndCapture(cu_stream handle, cu_graph *out)
{
    static const char call[] = "cuStreamEndCapture";
    ENTER(call, DEVICE);
    struct fake_stream *origin;
    *out = NULL;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &origin);
    struct fake_capture *capture = code == FAKE_OK ? origin->capture : NULL;
    if (code == FAKE_OK && (capture == NULL || capture->origin != origin)) {
        code = capture == NULL ? FAKE_INVALID_VALUE : FAKE_CAPTURE_UNMATCHED;
        capture = NULL;
    }
    for (uint32_t i = 0; capture != NULL && i < fake.object_count; i++) {
        struct fake_stream *stream = (struct fake_stream *)fake.objects[i];
        if (stream->object.kind == FAKE_STREAM && stream->capture == capture) {
            code = code == FAKE_OK && !is_joined(stream, origin) ? FAKE_CAPTURE_UNJOINED : code;
            stream->capture = NULL;
        } else if (stream->object.kind == FAKE_EVENT && ((struct fake_event *)stream)->capture == capture) {
            ((struct fake_event *)stream)->capture = NULL;
        }
    }
    if (capture != NULL) {
        fake.capture_count--;
        code = capture->is_invalid ? FAKE_CAPTURE_INVALIDATED : code;
        capture->graph->object.is_internal = false;
        if (code == FAKE_OK) {
            *out = fake_handle(capture->graph);
        } else {
            fake_graph_destroy_locked(capture->graph, NULL);
        }
        free(capture);
    }
    fake_unlock();
    return code;
}

int cuGraphGetNodes(cu_graph handle, cu_node *nodes, size_t *count)
{
    ENTER("cuGraphGetNodes", INIT);
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, "cuGraphGetNodes");
    for (int i = 0; graph != NULL && nodes != NULL && (size_t)i < *count && i < graph->node_count; i++) {
        nodes[i] = fake_handle(graph->nodes[i]);
    }
    if (graph != NULL) {
        *count = (size_t)graph->node_count;
    }
    fake_unlock();
    return graph != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}
