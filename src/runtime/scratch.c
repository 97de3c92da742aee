#include "runtime/scratch.h"

#include "base/status.h"
#include "plan/plan.h"

#include <assert.h>
#include <inttypes.h>
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

// |more|: bytes that it may have beyond |size|, so that launches that grow do not make one each.
static struct scratch *scratch_create(struct context *context, uint64_t size, uint64_t more)
{
    struct scratch *scratch = context_alloc(context, sizeof *scratch);
    if (scratch == NULL) {
        return NULL;
    }
    *scratch = (struct scratch){.context = context, .size = size + more};
    rill_status status = context->backend->memory_create(context->device, scratch->size, &scratch->address);
    if (status != RILL_OK && more > 0) {
        scratch->size = size;
        status = context->backend->memory_create(context->device, size, &scratch->address);
    }
    if (status != RILL_OK) {
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
        made = scratch_create(context, size, size / 4);
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

// ---- what a launch wants -------------------------------------------------------------------------------------------

// What the back end will take for it. A device of its own has a fixed one, and its plans do not ask here.
static int64_t width_of(const struct context *context)
{
    struct backend_stats stats = {.thread_count = 0};
    context->backend->device_stats(context->device, &stats);
    return (int64_t)stats.thread_count * PLAN_WIDTH_PER_WORKER;
}

static struct plan_values values_of(const struct packed_args *packed, bool has_width)
{
    return (struct plan_values){.kernel = packed->kernel->plan,
                                .args = packed->buffer,
                                .array_sizes = packed->sizes,
                                .width = has_width ? width_of(packed->context) : 0};
}

static uint64_t marks_size(const struct packed_args *packed, const struct plan_param *param)
{
    struct plan_values values = values_of(packed, true);
    union ir_value size = {0};
    bool is_known = plan_eval(param->scratch, &values, &size);
    return is_known && size.i > 0 && size.i < INT64_MAX / 4 ? (uint64_t)size.i : 0;
}

static rill_status own_size(const struct packed_args *packed, const struct plan_param *param, uint64_t *out_size)
{
    struct plan_values values = values_of(packed, false);
    const char *who = packed->who, *kernel = packed->kernel->plan->name;
    uint64_t size = param->ctype->size;
    bool is_empty = false, is_large = false;
    for (int i = 0; i < param->rank; i++) {
        union ir_value extent = {0};
        if (!plan_eval(param->extents[i], &values, &extent)) {
            return status_fail(RILL_ERR_INTERNAL, "%s: kernel '%s': the length of its array '%s' is not known", who,
                               kernel, param->name);
        }
        if (extent.i < 0) {
            return status_fail(RILL_ERR_ARGUMENTS, "%s: kernel '%s': its array '%s' would have a length of %" PRId64,
                               who, kernel, param->name, extent.i);
        }
        is_empty = is_empty || extent.i == 0;
        is_large = is_large || __builtin_mul_overflow(size, (uint64_t)extent.i, &size) || size > PLAN_MAX_OBJECT_SIZE;
        size = is_large ? 1 : size; // as far as there is an element at all
    }
    if (is_large && !is_empty) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: kernel '%s': its array '%s' would take more than 2^47 bytes", who,
                           kernel, param->name);
    }
    *out_size = is_empty ? 0 : size;
    return RILL_OK;
}

static uint64_t round_up(uint64_t size)
{
    return (size + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

// Notes for each hidden parameter how much it gets.
static rill_status find_sizes(struct packed_args *packed, uint64_t *out_own, uint64_t *out_marks)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    *out_own = 0;
    *out_marks = 0;
    for (int i = packed->count; i < plan->param_count; i++) {
        const struct plan_param *param = &plan->params[i];
        uint64_t size = 0;
        if (param->is_scratch || param->is_needed) {
            size = param->is_scratch ? 0 : marks_size(packed, param);
            RILL_TRY(param->is_scratch ? own_size(packed, param, &size) : RILL_OK);
            *out_own += round_up(size); // a few dozen of 2^47 bytes at most
        } else if (param->scratch != NULL) {
            size = marks_size(packed, param);
            *out_marks += round_up(size);
        }
        packed->sizes[i] = size;
    }
    return RILL_OK;
}

static void put_addresses(struct packed_args *packed, void *memory, bool has_marks)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    unsigned char *at = memory;
    for (int i = packed->count; i < plan->param_count; i++) {
        const struct plan_param *param = &plan->params[i];
        bool is_lent =
            param->is_scratch || (param->scratch != NULL && (has_marks || param->is_needed) && packed->sizes[i] > 0);
        if (is_lent && at != NULL) {
            memcpy(packed->buffer + param->offset, &at, sizeof at);
            at += round_up(packed->sizes[i]);
        } else if (param->scratch != NULL) {
            packed->sizes[i] = 0;
        }
    }
    args_count_elements(packed);
}

static bool has_needed(const struct packed_args *packed)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    for (int i = packed->count; i < plan->param_count; i++) {
        if (plan->params[i].is_needed) {
            return true;
        }
    }
    return false;
}

static void log_no_marks(const struct packed_args *packed)
{
    context_log(packed->context, RILL_LOG_WARNING,
                "kernel '%s': a scatter runs in order, on one thread: there is no memory for its marks",
                packed->kernel->plan->name);
}

// The graph's own memory for a launch that is captured.
static rill_status take_captured(struct packed_args *packed, struct stream *stream, uint64_t own, uint64_t marks,
                                 bool *out_is_captured)
{
    const struct backend *backend = packed->context->backend;
    void *memory;
    bool has_marks = marks > 0;
    rill_status status = backend->stream_capture_memory(stream->queue, own + marks, out_is_captured, &memory);
    if (status != RILL_OK && *out_is_captured && has_marks) {
        has_marks = false;
        status = backend->stream_capture_memory(stream->queue, own, out_is_captured, &memory);
    }
    RILL_TRY(context_fail_as(packed->who, status));
    if (*out_is_captured) {
        if (marks > 0 && !has_marks) {
            log_no_marks(packed);
        }
        put_addresses(packed, memory, has_marks);
    }
    return RILL_OK;
}

rill_status scratch_lend(struct packed_args *packed, struct stream *stream, struct scratch **out_scratch)
{
    assert(packed->count + packed->kernel->plan->hidden_count == packed->kernel->plan->param_count);
    *out_scratch = NULL;
    uint64_t own, marks;
    bool is_captured = false;
    RILL_TRY(find_sizes(packed, &own, &marks));
    if (own + marks > 0) {
        RILL_TRY(take_captured(packed, stream, own, marks, &is_captured));
    }
    if (own + marks == 0 || is_captured) {
        if (!is_captured) {
            put_addresses(packed, NULL, false);
        }
        return RILL_OK;
    }
    struct scratch *scratch = acquire(packed->context, stream, own + marks);
    bool has_marks = scratch != NULL && marks > 0;
    if (scratch == NULL && marks > 0 && own > 0) {
        scratch = acquire(packed->context, stream, own);
    }
    if (scratch == NULL && own > 0) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: kernel '%s': no memory for its own arrays%s, %" PRIu64 " bytes",
                           packed->who, packed->kernel->plan->name, has_needed(packed) ? " and the check of races" : "",
                           own);
    }
    if (marks > 0 && !has_marks) {
        log_no_marks(packed);
    }
    put_addresses(packed, scratch != NULL ? scratch->address : NULL, has_marks);
    *out_scratch = scratch;
    return RILL_OK;
}
