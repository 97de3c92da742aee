#include "runtime/scratch.h"

#include "plan/plan.h"

#include <assert.h>
#include <string.h>

enum { SCRATCH_ALIGN = 256 };

struct scratch {
    struct context *context; // borrowed
    void *address;           // owned
    uint64_t size;
    int launch_count; // that have it and are not queued yet; guarded by the context's scratch lock, as what follows
    bool is_replaced; // by a larger one: goes when the stream has come past the last launch that uses it
};

void scratch_destroy(struct scratch *scratch)
{
    if (scratch != NULL) {
        assert(scratch->launch_count == 0);
        struct context *context = scratch->context;
        context->backend->memory_destroy(context->device, scratch->address, scratch->size);
        context_free(context, scratch, sizeof *scratch);
    }
}

static void pass_mark(void *arg, const struct backend_error *error)
{
    (void)error;
    scratch_destroy(arg);
}

static void destroy_behind(struct scratch *scratch, struct stream *stream)
{
    const struct backend *backend = scratch->context->backend;
    if (backend->notify(stream->queue, pass_mark, scratch, false) != RILL_OK) {
        // There is no memory for a mark. Waiting is the one safe way that needs none.
        backend->stream_synchronize(stream->queue);
        scratch_destroy(scratch);
    }
}

static struct scratch *scratch_create(struct context *context, uint64_t size)
{
    struct scratch *scratch = context_alloc(context, sizeof *scratch);
    if (scratch == NULL) {
        return NULL;
    }
    *scratch = (struct scratch){.context = context, .size = size + size / 4};
    if (context->backend->memory_create(context->device, scratch->size, &scratch->address) != RILL_OK) {
        context_free(context, scratch, sizeof *scratch);
        return NULL;
    }
    return scratch;
}

// The stream's buffer of at least |size| bytes, counted as used; NULL: there is no memory.
static struct scratch *acquire(struct context *context, struct stream *stream, uint64_t size)
{
    struct scratch *made = NULL, *unwanted = NULL;
    thread_lock(&context->scratch_lock);
    if (stream->scratch == NULL || stream->scratch->size < size) {
        thread_unlock(&context->scratch_lock); // making one may take its time
        made = scratch_create(context, size);
        thread_lock(&context->scratch_lock);
    }
    if (made != NULL && (stream->scratch == NULL || stream->scratch->size < made->size)) {
        unwanted = stream->scratch;
        stream->scratch = made;
        made = NULL;
        if (unwanted != NULL) {
            unwanted->is_replaced = true;
            unwanted = unwanted->launch_count == 0 ? unwanted : NULL;
        }
    }
    assert(made == NULL || unwanted == NULL);
    struct scratch *lent = stream->scratch != NULL && stream->scratch->size >= size ? stream->scratch : NULL;
    if (lent != NULL) {
        lent->launch_count++;
    }
    thread_unlock(&context->scratch_lock);
    scratch_destroy(made); // another thread was faster
    if (unwanted != NULL) {
        destroy_behind(unwanted, stream);
    }
    return lent;
}

void scratch_return(struct scratch *scratch, struct stream *stream)
{
    thread_lock(&scratch->context->scratch_lock);
    assert(scratch->launch_count > 0);
    bool is_last = --scratch->launch_count == 0 && scratch->is_replaced;
    thread_unlock(&scratch->context->scratch_lock);
    if (is_last) {
        destroy_behind(scratch, stream);
    }
}

// A launch that is captured runs again later, beside others of the stream.
static bool is_captured(const struct context *context, const struct stream *stream)
{
    return stream->is_wrapped && context->backend->stream_may_wait(stream->queue, false) != RILL_OK;
}

// The memory for a launch; NULL: it wants none, or there is none, which is logged.
static struct scratch *find_scratch(const struct packed_args *packed, struct stream *stream, uint64_t size)
{
    struct context *context = packed->context;
    if (size == 0) {
        return NULL;
    }
    bool is_for_graph = is_captured(context, stream);
    struct scratch *scratch = is_for_graph ? NULL : acquire(context, stream, size);
    if (scratch == NULL) {
        context_log(context, RILL_LOG_WARNING, "kernel '%s': a scatter runs in order, on one thread: %s",
                    packed->kernel->plan->name,
                    is_for_graph ? "its stream is captured into a graph" : "there is no memory for its marks");
    }
    return scratch;
}

// What the back end will take for it. A device of its own has a fixed one, and its plans do not ask here.
static int64_t width_of(const struct context *context)
{
    struct backend_stats stats = {.thread_count = 0};
    context->backend->device_stats(context->device, &stats);
    return (int64_t)stats.thread_count * PLAN_WIDTH_PER_WORKER;
}

static uint64_t wanted_size(const struct packed_args *packed, int index)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    struct plan_values values = {
        .kernel = plan, .args = packed->buffer, .array_sizes = packed->sizes, .width = width_of(packed->context)};
    union ir_value size = {0};
    bool is_known = plan->params[index].scratch != NULL && plan_eval(plan->params[index].scratch, &values, &size);
    return is_known && size.i > 0 && size.i < INT64_MAX / 4 ? (uint64_t)size.i : 0;
}

static uint64_t round_up(uint64_t size)
{
    return (size + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

struct scratch *scratch_lend(struct packed_args *packed, struct stream *stream)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    assert(packed->count + plan->hidden_count == plan->param_count);
    uint64_t total = 0;
    for (int i = packed->count; i < plan->param_count; i++) {
        total += round_up(wanted_size(packed, i));
    }
    struct scratch *scratch = find_scratch(packed, stream, total);
    if (scratch == NULL) {
        return NULL;
    }
    unsigned char *at = scratch->address;
    for (int i = packed->count; i < plan->param_count; i++) {
        uint64_t size = wanted_size(packed, i);
        if (size > 0) {
            packed->sizes[i] = size;
            memcpy(packed->buffer + plan->params[i].offset, &at, sizeof at);
            at += round_up(size);
        }
    }
    args_count_elements(packed);
    return scratch;
}
