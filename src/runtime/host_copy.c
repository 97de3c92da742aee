#include "runtime/host_copy.h"

#include "base/status.h"

#include <string.h>

// ---- what the kernel does with a parameter ------------------------------------------------------------------------

static bool touches(const struct plan_effect *effect, int index)
{
    return effect->base == PLAN_BASE_UNKNOWN || (effect->base == PLAN_BASE_PARAM && effect->index == index);
}

static bool may_write(const struct plan_kernel *kernel, int index)
{
    for (int t = 0; t < kernel->task_count; t++) {
        for (int i = 0; i < kernel->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &kernel->tasks[t].effects[i];
            if (touches(effect, index) && effect->access != PLAN_READ) {
                return true;
            }
        }
    }
    return false;
}

// Whether the task writes every byte of the parameter, and reads none.
static bool writes_all(const struct packed_args *packed, const struct plan_task *task, int index)
{
    const struct plan_kernel *kernel = packed->kernel->plan;
    struct plan_values values = {.kernel = kernel, .args = packed->buffer, .array_sizes = packed->sizes};
    uint64_t base;
    memcpy(&base, packed->buffer + kernel->params[index].offset, sizeof base);
    bool is_whole = false;
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        if (!touches(effect, index)) {
            continue;
        }
        struct plan_span span;
        if (effect->access != PLAN_WRITE || effect->base != PLAN_BASE_PARAM) {
            return false;
        }
        is_whole |= effect->is_must && effect->region.low != NULL && plan_span_of(effect, &values, &span) &&
                    !span.unknown && span.low <= base && span.high >= base + packed->sizes[index] && span.step != 0 &&
                    span.step <= (uint64_t)span.width;
    }
    return is_whole;
}

static bool task_touches(const struct plan_task *task, int index)
{
    for (int i = 0; i < task->effect_count; i++) {
        if (touches(&task->effects[i], index)) {
            return true;
        }
    }
    return false;
}

// Whether bytes that the host had may matter: all of them are written first only where the first task that touches the
// parameter is sure to run.
static bool may_read(const struct packed_args *packed, int index)
{
    const struct plan_kernel *kernel = packed->kernel->plan;
    const struct plan_node *root = kernel->root;
    if (root == NULL || root->kind != PLAN_SEQUENCE) {
        return true;
    }
    for (int i = 0; i < root->child_count; i++) {
        const struct plan_node *node = root->children[i];
        if (node->kind == PLAN_ASSIGN) {
            continue;
        }
        if (node->kind != PLAN_TASK && !(node->kind == PLAN_IF && node->task >= 0)) {
            return true;
        }
        if (task_touches(&kernel->tasks[node->task], index)) {
            return !writes_all(packed, &kernel->tasks[node->task], index);
        }
    }
    return false; // nothing touches it
}

// ---- copies -------------------------------------------------------------------------------------------------------

enum { HOST_COPY_ALIGNMENT = 128 }; // more than any element has

// Adds a range; what it overlaps becomes one with it.
static void add_range(struct host_copies *copies, struct host_copy range)
{
    for (int i = 0; i < copies->count;) {
        struct host_copy *other = &copies->items[i];
        if (other->low >= range.high || range.low >= other->high) {
            i++;
            continue;
        }
        range.low = other->low < range.low ? other->low : range.low;
        range.high = other->high > range.high ? other->high : range.high;
        range.param_count += other->param_count;
        range.is_read |= other->is_read;
        range.is_written |= other->is_written;
        *other = copies->items[--copies->count];
        i = 0;
    }
    copies->items[copies->count++] = range;
}

static void set_addresses(const struct host_copies *copies, struct packed_args *packed)
{
    for (int i = 0; i < packed->count; i++) {
        for (int k = 0; packed->hosts[i] != NULL && k < copies->count; k++) {
            const struct host_copy *copy = &copies->items[k];
            char *host = packed->hosts[i];
            if (host >= copy->low && host < copy->high) {
                char *address = copy->address + (host - copy->low);
                memcpy(packed->buffer + packed->kernel->plan->params[i].offset, &address, sizeof address);
            }
        }
    }
}

rill_status host_copies_begin(struct host_copies *copies, struct packed_args *packed, struct stream *stream)
{
    const struct backend *backend = packed->context->backend;
    copies->count = 0;
    for (int i = 0; i < packed->count; i++) {
        if (packed->hosts[i] != NULL && packed->sizes[i] > 0) {
            char *low = packed->hosts[i];
            add_range(copies, (struct host_copy){.low = low,
                                                 .high = low + packed->sizes[i],
                                                 .param_count = 1,
                                                 .is_read = may_read(packed, i),
                                                 .is_written = may_write(packed->kernel->plan, i)});
        }
    }
    for (int i = 0; i < copies->count; i++) {
        struct host_copy *copy = &copies->items[i];
        size_t size = (size_t)(copy->high - copy->low);
        // The first byte is aligned as one array wants it: others in the same copy are if it lies as on the host.
        size_t shift = copy->param_count > 1 ? (uintptr_t)copy->low % HOST_COPY_ALIGNMENT : 0;
        void *memory;
        rill_status made = backend->memory_create(packed->context->device, size + shift, &memory);
        RILL_TRY(context_fail_as(packed->who, made));
        copy->memory = memory;
        copy->size = size + shift;
        copy->address = copy->memory + shift;
        if (copy->is_read || copy->param_count > 1) {
            rill_status status = backend->copy(stream->queue, copy->address, copy->low, size, false);
            RILL_TRY(context_fail_as(packed->who, status));
        }
    }
    set_addresses(copies, packed);
    return RILL_OK;
}

struct leaving_copy {
    struct context *context;
    void *address;
    size_t size;
};

static void let_go(void *arg, const struct backend_error *error)
{
    (void)error;
    struct leaving_copy *leaving = arg;
    struct context *context = leaving->context;
    context->backend->memory_destroy(context->device, leaving->address, leaving->size);
    context_free(context, leaving, sizeof *leaving);
}

// Frees the copy when the stream has come past. Without memory for a notice the call waits, which needs none.
static void release(struct context *context, struct stream *stream, const struct host_copy *copy)
{
    struct leaving_copy *leaving = context_alloc(context, sizeof *leaving);
    if (leaving != NULL) {
        *leaving = (struct leaving_copy){context, copy->memory, copy->size};
        if (context->backend->notify(stream->queue, let_go, leaving, false) == RILL_OK) {
            return;
        }
        context_free(context, leaving, sizeof *leaving);
    }
    context->backend->stream_synchronize(stream->queue);
    context->backend->memory_destroy(context->device, copy->memory, copy->size);
}

rill_status host_copies_end(struct host_copies *copies, struct packed_args *packed, struct stream *stream,
                            rill_status status)
{
    struct context *context = packed->context;
    struct saved_message message;
    if (status != RILL_OK) {
        context_save_message(&message);
    }
    rill_status first = status;
    for (int i = 0; i < copies->count; i++) {
        struct host_copy *copy = &copies->items[i];
        if (first == RILL_OK && copy->is_written) {
            size_t size = (size_t)(copy->high - copy->low);
            first = context_fail_as(packed->who,
                                    context->backend->copy(stream->queue, copy->low, copy->address, size, false));
        }
        if (copy->memory != NULL) {
            release(context, stream, copy);
        }
    }
    if (status != RILL_OK) {
        context_restore_message(&message);
    }
    return first;
}
