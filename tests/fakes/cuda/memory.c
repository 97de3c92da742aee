// Memory: allocations, copies, fills.
#include "cuda.h"

#include <string.h>

static bool has_work_locked(const struct fake_context *context)
{
    for (const struct fake_op *op = fake.pending; op != NULL; op = op->next_pending) {
        if (op->context == context && op->work.kind != FAKE_OP_NOTHING) {
            return true;
        }
    }
    return false;
}

static int begin_alloc_locked(const char *call, struct fake_context **out_context)
{
    int code = fake_need_context_locked(call, out_context);
    return code != FAKE_OK ? code : fake_unsafe_locked(call);
}

int fake_cu_memory_alloc(cu_address *out, size_t size)
{
    ENTER("cuMemAlloc_v2", DEVICE);
    struct fake_context *context;
    struct fake_range *range = NULL;
    fake_lock();
    int code = begin_alloc_locked("cuMemAlloc_v2", &context);
    if (code == FAKE_OK) {
        code = fake_memory_create_locked(context, size, FAKE_RANGE_DEVICE, FAKE_RANGE_LIVE, &range);
    }
    if (code == FAKE_OK) {
        *out = range->address;
    }
    fake_unlock();
    return code;
}

// The range that begins at |address| and has not been given back.
static struct fake_range *to_free_locked(const char *call, cu_address address)
{
    struct fake_range *range = fake_memory_find_locked(address);
    if (range == NULL || range->address != address || range->kind == FAKE_RANGE_MODULE) {
        fake_violation_locked("%s: %#lx is no allocation", call, (unsigned long)address);
        return NULL;
    }
    if (range->is_free_called) {
        fake_violation_locked("%s: freed twice: an allocation of %lu bytes", call, (unsigned long)range->size);
        return NULL;
    }
    return range;
}

int fake_cu_memory_free(cu_address address)
{
    ENTER_END("cuMemFree_v2", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = begin_alloc_locked("cuMemFree_v2", &context);
    if (code == FAKE_OK && address != 0) {
        struct fake_range *range = to_free_locked("cuMemFree_v2", address);
        code = range != NULL ? FAKE_OK : FAKE_INVALID_VALUE;
        if (range != NULL) {
            range->is_free_called = true;
            if (has_work_locked(range->context)) {
                fake_violation_locked("cuMemFree_v2: a synchronous free while work is in flight");
            }
            fake_memory_in_flight_locked(range, NULL, "cuMemFree_v2");
            fake_context_wait_locked(range->context);
            fake_memory_free_locked(range);
        }
    }
    fake_unlock();
    LEAVE_END(code);
}

int fake_cu_host_alloc(void **out, size_t size, unsigned flags)
{
    ENTER("cuMemHostAlloc", DEVICE);
    struct fake_context *context;
    struct fake_range *range = NULL;
    (void)flags;
    fake_lock();
    int code = begin_alloc_locked("cuMemHostAlloc", &context);
    if (code == FAKE_OK) {
        code = fake_memory_create_locked(context, size, FAKE_RANGE_HOST, FAKE_RANGE_LIVE, &range);
    }
    if (code == FAKE_OK) {
        *out = (void *)(uintptr_t)range->address;
    }
    fake_unlock();
    return code;
}

int fake_cu_host_free(void *memory)
{
    ENTER_END("cuMemFreeHost", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = begin_alloc_locked("cuMemFreeHost", &context);
    if (code == FAKE_OK) {
        struct fake_range *range = to_free_locked("cuMemFreeHost", (cu_address)(uintptr_t)memory);
        code = range != NULL ? FAKE_OK : FAKE_INVALID_VALUE;
        if (range != NULL) {
            range->is_free_called = true;
            fake_memory_in_flight_locked(range, NULL, "cuMemFreeHost");
            fake_memory_free_locked(range);
        }
    }
    fake_unlock();
    LEAVE_END(code);
}

// ---- in stream order ------------------------------------------------------------------------------------------------

int fake_cu_pool_create(cu_pool *out, const struct driver_pool_options *options)
{
    ENTER("cuMemPoolCreate", INIT);
    int device = options->location.id;
    if (options->location.kind != 1 || device < 0 || device >= fake.device_count || options->allocation != 1) {
        return FAKE_INVALID_VALUE;
    }
    fake_lock();
    struct fake_pool *pool = fake_alloc(sizeof *pool);
    pool->device = device;
    fake_add_locked(pool, FAKE_POOL, &fake.contexts[device]);
    *out = fake_handle(pool);
    fake_unlock();
    return FAKE_OK;
}

int fake_cu_pool_destroy(cu_pool handle)
{
    ENTER_END("cuMemPoolDestroy", INIT);
    fake_lock();
    struct fake_pool *pool = fake_get_locked(handle, FAKE_POOL, "cuMemPoolDestroy");
    if (pool != NULL) {
        fake_remove_locked(pool);
    }
    fake_unlock();
    LEAVE_END(pool != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_pool_set(cu_pool handle, int attribute, void *value)
{
    ENTER("cuMemPoolSetAttribute", INIT);
    fake_lock();
    struct fake_pool *pool = fake_get_locked(handle, FAKE_POOL, "cuMemPoolSetAttribute");
    if (pool != NULL && attribute == CU_POOL_RELEASE_THRESHOLD) {
        memcpy(&pool->release_threshold, value, sizeof pool->release_threshold);
    }
    fake_unlock();
    return pool != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}

static int alloc_in_order_locked(const char *call, struct fake_stream *stream, size_t size, cu_address *out)
{
    struct fake_range *range;
    if (stream->capture != NULL) {
        stream->capture->is_invalid = true;
        return FAKE_NOT_SUPPORTED; // a real driver makes a node of it
    }
    int code = fake_memory_create_locked(stream->object.context, size, FAKE_RANGE_DEVICE, FAKE_RANGE_RESERVED, &range);
    if (code != FAKE_OK) {
        return code;
    }
    range->is_async = true;
    struct fake_work work = {.kind = FAKE_OP_ALLOC, .u.range = range};
    code = fake_queue_locked(stream, &work, call);
    *out = range->address;
    return code;
}

int fake_cu_pool_alloc(cu_address *out, size_t size, cu_pool pool_handle, cu_stream handle)
{
    static const char call[] = "cuMemAllocFromPoolAsync";
    ENTER(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    struct fake_pool *pool = fake_get_locked(pool_handle, FAKE_POOL, call);
    int code = pool == NULL ? FAKE_INVALID_HANDLE : fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK) {
        code = alloc_in_order_locked(call, stream, size, out);
    }
    fake_unlock();
    return code;
}

int fake_cu_memory_free_async(cu_address address, cu_stream handle)
{
    static const char call[] = "cuMemFreeAsync";
    ENTER_END(call, DEVICE);
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    struct fake_range *range = code == FAKE_OK ? to_free_locked(call, address) : NULL;
    if (code == FAKE_OK && range == NULL) {
        code = FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK && stream->capture != NULL) {
        stream->capture->is_invalid = true;
        code = FAKE_CAPTURE_UNSUPPORTED;
    }
    if (code == FAKE_OK) {
        range->is_free_called = true;
        struct fake_work work = {.kind = FAKE_OP_FREE, .u.range = range};
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    LEAVE_END(code);
}

int fake_cu_pointer_get(void *out, int attribute, cu_address address)
{
    ENTER("cuPointerGetAttribute", DEVICE);
    fake_lock();
    const struct fake_range *range = fake_memory_find_locked(address);
    int code = range == NULL || range->is_free_called ? FAKE_INVALID_VALUE : FAKE_OK;
    if (code == FAKE_OK && attribute == CU_POINTER_MEMORY_TYPE) {
        bool is_host = range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED;
        *(unsigned *)out = is_host ? 1 : 2;
    } else if (code == FAKE_OK && attribute == CU_POINTER_DEVICE_ORDINAL) {
        *(int *)out = range->context->device;
    } else if (code == FAKE_OK) {
        code = FAKE_NOT_SUPPORTED;
    }
    fake_unlock();
    return code;
}

int fake_cu_pointer_get_many(unsigned count, int *attributes, void **out, cu_address address)
{
    ENTER("cuPointerGetAttributes", DEVICE);
    fake_lock();
    const struct fake_range *range = fake_memory_find_locked(address);
    range = range == NULL || range->is_free_called ? NULL : range;
    int code = FAKE_OK;
    for (unsigned i = 0; i < count; i++) {
        bool is_host = range != NULL && (range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED);
        if (attributes[i] == CU_POINTER_MEMORY_TYPE) {
            *(unsigned *)out[i] = range == NULL ? 0 : is_host ? 1 : 2;
        } else {
            code = FAKE_NOT_SUPPORTED;
        }
    }
    fake_unlock();
    return code;
}

// ---- copies and fills -----------------------------------------------------------------------------------------------

static bool is_pinned_or_device(cu_address address)
{
    return fake_memory_find_locked(address) != NULL;
}

static bool may_host_change_locked(void)
{
    for (const struct fake_op *op = fake.pending; op != NULL; op = op->next_pending) {
        if (op->work.kind == FAKE_OP_HOST || op->work.kind == FAKE_OP_WRITE_VALUE || op->work.kind == FAKE_OP_KERNEL ||
            (op->work.kind == FAKE_OP_COPY && !op->work.u.copy.is_staged)) {
            return true;
        }
    }
    return false;
}

// Pageable memory is read at once, as drivers do; pinned memory when the copy runs, and the host must not change it
// until then: a snapshot shows whether it did. Nothing else that could have written it must be under way for that.
static void look_at_source_locked(struct fake_copy *copy)
{
    enum { SNAPSHOT_LIMIT = 1 << 16 };
    const struct fake_range *range = fake_memory_find_locked(copy->source);
    bool is_pageable = range == NULL;
    bool is_host = range != NULL && (range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED);
    if (!is_pageable && (!is_host || copy->size > SNAPSHOT_LIMIT || may_host_change_locked())) {
        return;
    }
    copy->snapshot = fake_alloc(copy->size);
    memcpy(copy->snapshot, (const void *)(uintptr_t)copy->source, copy->size);
    copy->is_staged = is_pageable;
    copy->writes_before = fake.host_write_count;
}

// What drivers leave undefined: a copy that reads what it writes.
static bool overlaps(cu_address target, cu_address source, size_t size)
{
    return target < source ? source - target < size : target - source < size;
}

int cuda_copy(const char *call, cu_address target, cu_address source, size_t size, cu_stream handle)
{
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && overlaps(target, source, size)) {
        code = FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK && !fake_same_context_locked(call, stream)) {
        code = FAKE_INVALID_CONTEXT;
    }
    if (code == FAKE_OK && size != 0) {
        struct fake_work work = {.kind = FAKE_OP_COPY, .u.copy = {.target = target, .source = source, .size = size}};
        bool waits = stream->capture == NULL && !is_pinned_or_device(target);
        if (stream->capture == NULL) {
            look_at_source_locked(&work.u.copy);
        }
        code = fake_queue_locked(stream, &work, call);
        if (code == FAKE_OK && waits) {
            fake_op_wait_locked(stream->tail);
            code = stream->object.context->lost_code;
        }
    }
    fake_unlock();
    return code;
}

int fake_cu_copy_async(cu_address target, cu_address source, size_t size, cu_stream handle)
{
    ENTER("cuMemcpyAsync", DEVICE);
    return cuda_copy("cuMemcpyAsync", target, source, size, handle);
}

static bool is_of_context_locked(cu_address address, cu_context handle, const char *call)
{
    const struct fake_range *range = fake_memory_find_locked(address);
    const struct fake_context *context = fake_get_locked(handle, FAKE_CONTEXT, call);
    if (range == NULL || context == NULL || range->context == context) {
        return context != NULL;
    }
    fake_violation_locked("%s: the memory is of another context than the one named", call);
    return false;
}

int fake_cu_copy_peer(cu_address target, cu_context target_context, cu_address source, cu_context source_context,
                      size_t size, cu_stream handle)
{
    static const char call[] = "cuMemcpyPeerAsync";
    ENTER(call, DEVICE);
    fake_lock();
    bool is_good =
        is_of_context_locked(target, target_context, call) && is_of_context_locked(source, source_context, call);
    fake_unlock();
    return is_good ? cuda_copy(call, target, source, size, handle) : FAKE_INVALID_VALUE;
}

static int fill(const char *call, struct fake_fill fill, cu_stream handle)
{
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && !fake_same_context_locked(call, stream)) {
        code = FAKE_INVALID_CONTEXT;
    }
    if (code == FAKE_OK && (fill.target % fill.element_size != 0 || !is_pinned_or_device(fill.target))) {
        code = FAKE_INVALID_VALUE;
    }
    if (code == FAKE_OK && fill.count != 0) {
        struct fake_work work = {.kind = FAKE_OP_FILL, .u.fill = fill};
        code = fake_queue_locked(stream, &work, call);
    }
    fake_unlock();
    return code;
}

int fake_cu_set8_async(cu_address target, unsigned char value, size_t count, cu_stream handle)
{
    ENTER("cuMemsetD8Async", DEVICE);
    return fill("cuMemsetD8Async", (struct fake_fill){target, value, 1, count}, handle);
}

int fake_cu_set16_async(cu_address target, unsigned short value, size_t count, cu_stream handle)
{
    ENTER("cuMemsetD16Async", DEVICE);
    return fill("cuMemsetD16Async", (struct fake_fill){target, value, 2, count}, handle);
}

int fake_cu_set32_async(cu_address target, unsigned value, size_t count, cu_stream handle)
{
    ENTER("cuMemsetD32Async", DEVICE);
    return fill("cuMemsetD32Async", (struct fake_fill){target, value, 4, count}, handle);
}
