// Memory of the host that the device copies without a detour. What is freed waits for marks on the streams, like
// arrays, since copies of it may be queued. The thread that comes past the last mark must not wait, and a driver that
// frees pinned memory may wait for the whole device: so the memory becomes idle there, and a call that may wait gives
// it back.
#include "base/status.h"
#include "runtime/callback.h"
#include "runtime/context.h"
#include "runtime/order.h"
#include "runtime/retire.h"

#include <assert.h>

struct host_block {
    struct retirement retirement; // first
    struct context *context;      // borrowed
    struct host_block *next;      // guarded by the context's host lock
    void *memory;                 // owned
    size_t size;
};

static void destroy_all(struct host_block *block)
{
    while (block != NULL) {
        struct host_block *next = block->next;
        struct context *context = block->context;
        context->backend->host_memory_destroy(context->device, block->memory, block->size);
        context_free(context, block, sizeof *block);
        block = next;
    }
}

static void become_idle(struct retirement *retirement)
{
    struct host_block *block = (struct host_block *)retirement;
    struct context *context = block->context;
    thread_lock(&context->host_lock);
    block->next = context->host_idle;
    context->host_idle = block;
    thread_unlock(&context->host_lock);
}

void host_memory_collect(struct context *context)
{
    if (callback_is_running()) {
        return;
    }
    thread_lock(&context->host_lock);
    struct host_block *idle = context->host_idle;
    context->host_idle = NULL;
    thread_unlock(&context->host_lock);
    destroy_all(idle);
}

void host_memory_finish(struct context *context)
{
    destroy_all(context->host_idle);
    destroy_all(context->host_blocks);
    context->host_idle = NULL;
    context->host_blocks = NULL;
}

static rill_status allocate(struct context *context, size_t size, void **out_memory)
{
    if (size > PTRDIFF_MAX) {
        return status_fail(RILL_ERR_INVALID, "rill_host_alloc: %zu bytes are more than can be addressed", size);
    }
    struct host_block *block = context_alloc(context, sizeof *block);
    if (block == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_host_alloc: no memory for a record of it");
    }
    *block = (struct host_block){.retirement.release = become_idle, .context = context, .size = size};
    rill_status status = context->backend->host_memory_create(context->device, size, &block->memory);
    if (status != RILL_OK) {
        context_free(context, block, sizeof *block);
        return context_fail_as("rill_host_alloc", status);
    }
    thread_lock(&context->host_lock);
    block->next = context->host_blocks;
    context->host_blocks = block;
    thread_unlock(&context->host_lock);
    *out_memory = block->memory;
    return RILL_OK;
}

rill_status rill_host_alloc(rill_context handle, size_t size, void **out_memory)
{
    RILL_TRY(context_check_out("rill_host_alloc", out_memory, "out_memory"));
    *out_memory = NULL;
    struct context *context;
    RILL_TRY(context_enter("rill_host_alloc", handle.id, KIND_CONTEXT, &context));
    host_memory_collect(context);
    rill_status status = allocate(context, size, out_memory);
    context_leave(context);
    return status;
}

// Takes the block at |memory| out of those that are in use; NULL: there is none.
static struct host_block *take(struct context *context, const void *memory)
{
    thread_lock(&context->host_lock);
    struct host_block **link = &context->host_blocks;
    while (*link != NULL && (*link)->memory != memory) {
        link = &(*link)->next;
    }
    struct host_block *block = *link;
    if (block != NULL) {
        *link = block->next;
    }
    thread_unlock(&context->host_lock);
    return block;
}

rill_status rill_host_free(rill_context handle, void *memory)
{
    struct context *context;
    RILL_TRY(context_enter("rill_host_free", handle.id, KIND_CONTEXT, &context));
    struct host_block *block = memory != NULL ? take(context, memory) : NULL;
    rill_status status = RILL_OK;
    if (block != NULL) {
        assert(block->context == context && block->memory == memory);
        retire(context, &block->retirement, NULL);
        host_memory_collect(context);
    } else if (memory != NULL) {
        status = status_fail(RILL_ERR_INVALID,
                             "rill_host_free: %p is no address that rill_host_alloc() gave for this context, or it was "
                             "freed before",
                             memory);
    }
    context_leave(context);
    return status;
}

rill_status rill_host_access_begin(rill_context handle, const void *memory, size_t size, bool writes)
{
    struct context *context;
    RILL_TRY(context_enter("rill_host_access_begin", handle.id, KIND_CONTEXT, &context));
    rill_status status =
        memory != NULL ? RILL_OK : status_fail(RILL_ERR_INVALID, "rill_host_access_begin: the memory is NULL");
    if (status == RILL_OK && context->order != NULL) {
        order_host_access(context, memory, size, writes);
    }
    context_leave(context);
    return status;
}

rill_status rill_host_access_end(rill_context handle, const void *memory)
{
    struct context *context;
    RILL_TRY(context_enter("rill_host_access_end", handle.id, KIND_CONTEXT, &context));
    rill_status status =
        memory != NULL ? RILL_OK : status_fail(RILL_ERR_INVALID, "rill_host_access_end: the memory is NULL");
    if (status == RILL_OK && context->order != NULL) {
        order_host_access_over(context, memory);
    }
    context_leave(context);
    return status;
}
