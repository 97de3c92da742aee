#include "runtime/launch.h"
#include "base/hot.h"
#include "base/status.h"
#include "runtime/args.h"
#include "runtime/array.h"
#include "runtime/callback.h"
#include "runtime/footprint.h"
#include "runtime/host_range.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/scratch.h"
#include "runtime/stream.h"
#include "runtime/tell.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// A struct that is returned lies in memory that the launch was lent.
static __attribute__((noinline)) const void *find_source(const struct packed_args *packed)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    const void *address = NULL;
    for (int i = packed->count; i < plan->param_count; i++) {
        if (plan->params[i].is_result) {
            memcpy(&address, packed->buffer + plan->params[i].offset, sizeof address);
        }
    }
    return address;
}

static inline const void *result_source(const struct packed_args *packed, const struct launch_result *result)
{
    return UNLIKELY(result->address != NULL && packed->kernel->known.hidden_count > 0) ? find_source(packed) : NULL;
}

static HOT rill_status launch_packed(struct packed_args *packed, struct backend_stream *queue,
                                     const struct launch_result *result, struct backend_host_memory *host)
{
    struct context *context = packed->context;
    const struct kernel *kernel = packed->kernel;
    struct backend_launch launch = {.image = kernel->image,
                                    .kernel = kernel->index,
                                    .known = &kernel->known,
                                    .args = packed->buffer,
                                    .array_sizes = packed->sizes,
                                    .result = result->address,
                                    .result_size = result->size,
                                    .result_is_host = result->is_host,
                                    .result_source = result_source(packed, result),
                                    .caller = result->caller,
                                    .only_queues = result->is_ordered,
                                    .host = host,
                                    .must_not_wait = result->is_ordered ? order_must_not_wait : callback_is_running};
    return context_fail_as(packed->who, context->launch(queue, &launch));
}

// Apart from launch_on(), whose stack would be larger by thousands of bytes for every launch that has no host memory.
static __attribute__((noinline)) rill_status launch_with_host(struct packed_args *packed, struct backend_stream *queue,
                                                              const struct launch_result *result)
{
    struct host_ranges ranges;
    host_ranges_find(&ranges, packed);
    struct backend_host_memory host = {.ranges = ranges.items,
                                       .range_count = ranges.count,
                                       .param_count = packed->count,
                                       .params = packed->hosts,
                                       .args = packed->buffer};
    return launch_packed(packed, queue, result, &host);
}

// With memory for hidden parameters. Apart for the same reason.
static __attribute__((noinline)) rill_status launch_lent(struct packed_args *packed, const struct pinned_stream *on,
                                                         const struct launch_result *result)
{
    struct scratch *scratch;
    RILL_TRY(scratch_lend(packed, on->stream, &scratch));
    rill_status status = packed->host_count == 0 ? launch_packed(packed, on->queue, result, NULL)
                                                 : launch_with_host(packed, on->queue, result);
    if (scratch != NULL) {
        scratch_return(scratch, on->stream);
    }
    return status;
}

static inline rill_status launch_now(struct packed_args *packed, const struct pinned_stream *on,
                                     const struct launch_result *result)
{
    return UNLIKELY(packed->kernel->known.hidden_count > 0) ? launch_lent(packed, on, result)
           : LIKELY(packed->host_count == 0)                ? launch_packed(packed, on->queue, result, NULL)
                                                            : launch_with_host(packed, on->queue, result);
}

rill_status launch_queue(struct packed_args *packed, const struct pinned_stream *on, const struct launch_result *result)
{
    return launch_now(packed, on, result);
}

// Behind the unfinished work of other streams that it conflicts with.
static rill_status launch_behind(struct packed_args *packed, const struct pinned_stream *on,
                                 const struct launch_result *result, const struct footprint *footprint)
{
    struct order_use use;
    struct launch_result ordered = *result;
    struct order_work work = {.call = packed->who,
                              .accesses = footprint->items,
                              .count = footprint->count,
                              .packed = packed,
                              .place = result->place};
    RILL_TRY(context_fail_as(packed->who, order_begin(&use, &work, on->stream)));
    ordered.is_ordered = use.stream != NULL;
    rill_status status = launch_now(packed, on, &ordered);
    order_end(&use);
    order_wait_for_room(on->stream);
    return status;
}

static __attribute__((noinline)) rill_status launch_ordered(struct packed_args *packed, const struct pinned_stream *on,
                                                            const struct launch_result *result)
{
    struct footprint footprint;
    footprint_of_launch(&footprint, packed, result->is_host ? NULL : result->address);
    return launch_behind(packed, on, result, &footprint);
}

static inline rill_status launch_args(struct packed_args *packed, const char *who, struct kernel *kernel,
                                      const struct pinned_stream *on, rill_args args,
                                      const struct launch_result *result)
{
    rill_status status = args_pack(packed, who, kernel, args);
    if (LIKELY(status == RILL_OK)) {
        if (UNLIKELY(atomic_load_explicit(&kernel->is_untold, memory_order_relaxed))) {
            tell_loops(packed, kernel);
        }
        status = LIKELY(packed->context->order == NULL) ? launch_now(packed, on, result)
                                                        : launch_ordered(packed, on, result);
    }
    args_finish(packed, on->id);
    return status;
}

static __attribute__((noinline)) rill_status launch_many(const char *who, struct kernel *kernel,
                                                         const struct pinned_stream *on, rill_args args,
                                                         const struct launch_result *result)
{
    struct many_args room;
    struct packed_args packed = ARGS_IN(&room);
    return launch_args(&packed, who, kernel, on, args, result);
}

static HOT rill_status launch_on(const char *who, struct kernel *kernel, const struct pinned_stream *on, rill_args args,
                                 const struct launch_result *result)
{
    if (UNLIKELY(kernel->known.param_count > ARGS_FEW || kernel->known.args_size > ARGS_FEW_SIZE)) {
        return launch_many(who, kernel, on, args, result);
    }
    struct few_args room;
    struct packed_args packed = ARGS_IN(&room);
    return launch_args(&packed, who, kernel, on, args, result);
}

// Asks for what is still to come of a launch, all at once: by itself each line of it would be waited for. A guess that
// is wrong does no harm.
static LAUNCH_PART __attribute__((noinline)) void
fetch_launch(const struct context *context, const struct kernel *kernel, const struct pinned_stream *on)
{
    fetch_for_reading(kernel, sizeof *kernel);
    fetch_for_reading(on->queue, BACKEND_STREAM_FRONT);
    fetch_for_reading(context->device, BACKEND_DEVICE_FRONT);
    fetch_for_reading((const void *)(uintptr_t)context->launch, HOT_PART_SIZE);
    fetch_for_reading((const void *)(uintptr_t)rill_launch_at, HOT_PART_SIZE);
}

// On the stream that suits what it touches.
static rill_status launch_picked(struct packed_args *packed, const struct launch_result *result)
{
    struct context *context = packed->context;
    struct footprint footprint;
    struct pinned_stream on;
    rill_stream stream = {0};
    footprint_of_launch(&footprint, packed, NULL);
    rill_status status = order_pick(context, footprint.items, footprint.count, &stream);
    if (status == RILL_OK) {
        status = stream_pin_queue(context, packed->who, stream, &on);
    }
    if (status != RILL_OK) {
        args_drop(packed);
        return status;
    }
    status = launch_behind(packed, &on, result, &footprint);
    args_finish(packed, on.id);
    context_unpin(context, on.id);
    return status;
}

static rill_status launch_anywhere(struct kernel *kernel, rill_args args, const char *place)
{
    struct many_args room;
    struct packed_args packed = ARGS_IN(&room);
    rill_status status = args_pack(&packed, "rill_launch", kernel, args);
    if (status != RILL_OK) {
        args_drop(&packed);
        return status;
    }
    if (UNLIKELY(atomic_load_explicit(&kernel->is_untold, memory_order_relaxed))) {
        tell_loops(&packed, kernel);
    }
    return launch_picked(&packed, &(struct launch_result){.place = place});
}

static __attribute__((noinline)) rill_status launch_any(const char *place, rill_kernel handle, rill_args args)
{
    struct context *context;
    struct kernel *kernel;
    rill_stream none = {0};
    rill_status status = RILL_OK;
    RILL_TRY(kernel_begin_launch("rill_launch", handle, 0, &context, &kernel));
    if (record_is_on(context)) { // a step's parts have no stream
        status = record_launch("rill_launch", kernel, context->default_stream, args, NULL);
    } else if (context->order == NULL) {
        status = order_pick(context, NULL, 0, &none); // which says why not
    } else {
        status = launch_anywhere(kernel, args, place);
    }
    kernel_end_launch(context, kernel, 0);
    return status;
}

LAUNCH_PART rill_status rill_launch_at(const char *place, rill_kernel handle, rill_stream stream_handle, rill_args args)
{
    struct context *context;
    struct kernel *kernel;
    struct pinned_stream on;
    if (UNLIKELY(stream_handle.id == UINT64_MAX - 1)) {
        return launch_any(place, handle, args);
    }
    unsigned stripe = stream_stripe(stream_handle);
    RILL_TRY(kernel_begin_launch("rill_launch", handle, stripe, &context, &kernel));
    rill_status status = stream_pin_queue(context, "rill_launch", stream_handle, &on);
    if (LIKELY(status == RILL_OK)) {
        if (UNLIKELY(atomic_load_explicit(&context->sleeps, memory_order_relaxed))) {
            fetch_launch(context, kernel, &on);
        }
        status = UNLIKELY(record_is_on(context))
                     ? record_launch("rill_launch", kernel, on.id, args, NULL)
                     : launch_on("rill_launch", kernel, &on, args, &(struct launch_result){.place = place});
        context_unpin(context, on.id);
    }
    kernel_end_launch(context, kernel, stripe);
    return status;
}

rill_status(rill_launch)(rill_kernel kernel, rill_stream stream, rill_args args)
{
    return rill_launch_at(NULL, kernel, stream, args);
}

static rill_status check_result(const struct kernel *kernel, const void *out_result, size_t size)
{
    const rill_type_info *returns = kernel->returns;
    const char *name = kernel->plan->name;
    if (returns->kind == RILL_KIND_VOID) {
        return size == 0
                   ? RILL_OK
                   : status_fail(RILL_ERR_ARGUMENTS,
                                 "rill_call: kernel '%s' returns nothing, but %zu bytes are expected", name, size);
    }
    if (out_result == NULL && size == 0) {
        return RILL_OK; // dropped
    }
    if (out_result == NULL) {
        return status_fail(RILL_ERR_INVALID, "rill_call: out_result is NULL");
    }
    if (size != returns->size) {
        return status_fail(RILL_ERR_ARGUMENTS, "rill_call: kernel '%s' returns %s of %zu bytes, but %zu are expected",
                           name, returns->name, returns->size, size);
    }
    return RILL_OK;
}

// Launches, with a place for the value, and waits.
static rill_status call_into(struct kernel *kernel, const struct pinned_stream *on, rill_args args, void *value,
                             size_t size)
{
    struct backend_error error = {.status = RILL_OK};
    struct launch_result result = {.address = value, .size = size, .is_host = true, .caller = &error};
    RILL_TRY(launch_on("rill_call", kernel, on, args, &result));
    kernel->context->backend->stream_synchronize(on->queue);
    if (UNLIKELY(kernel->context->order != NULL)) {
        order_host_saw(on->stream);
    }
    if (error.status == RILL_OK) { // the stream itself may have failed meanwhile
        RILL_TRY(stream_check("rill_call", on->stream));
    }
    return error.status != RILL_OK ? status_fail(error.status, "rill_call: %s", error.text) : RILL_OK;
}

// The value goes to a place of Rill's own first: a call that fails leaves |out_result| as it was.
static rill_status call_on(struct kernel *kernel, const struct pinned_stream *on, rill_args args, void *out_result,
                           size_t size)
{
    RILL_TRY(callback_refuse("rill_call"));
    RILL_TRY(record_refuse(kernel->context, "rill_call"));
    RILL_TRY(check_result(kernel, out_result, size));
    RILL_TRY(stream_may_wait("rill_call", on->stream));
    _Alignas(16) unsigned char room[256]; // for numbers and most structs
    unsigned char *value = size > sizeof room ? context_alloc(kernel->context, size) : room;
    if (value == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_call: no memory for a result of %zu bytes", size);
    }
    rill_status status = call_into(kernel, on, args, size > 0 ? value : NULL, size);
    if (status == RILL_OK && size > 0) {
        memcpy(out_result, value, size);
    }
    if (value != room) {
        context_free(kernel->context, value, size);
    }
    return status;
}

rill_status rill_call(rill_kernel handle, rill_stream stream_handle, rill_args args, void *out_result, size_t size)
{
    struct context *context;
    struct kernel *kernel;
    struct pinned_stream on;
    unsigned stripe = stream_stripe(stream_handle);
    RILL_TRY(kernel_begin_launch("rill_call", handle, stripe, &context, &kernel));
    rill_status status = stream_pin_queue(context, "rill_call", stream_handle, &on);
    if (status == RILL_OK) {
        status = call_on(kernel, &on, args, out_result, size);
        context_unpin(context, on.id);
    }
    kernel_end_launch(context, kernel, stripe);
    return status;
}

rill_status launch_check_result(const char *who, const struct kernel *kernel, const struct array *array)
{
    const rill_type_info *returns = kernel->returns;
    const char *name = kernel->plan->name;
    if (returns->kind == RILL_KIND_VOID) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: kernel '%s' returns nothing", who, name);
    }
    if (array->count < 1) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: the array has no element", who);
    }
    if (array->type != returns->type || array->element_size != returns->size) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: kernel '%s' returns %s, the array holds %s", who, name,
                           returns->name, array_type_name(array->type));
    }
    return RILL_OK;
}

static rill_status launch_into(struct kernel *kernel, const struct pinned_stream *on, rill_args args, rill_array target)
{
    struct context *context = kernel->context;
    void *object;
    RILL_TRY(context_pin(context, "rill_launch_result", target.id, KIND_ARRAY, &object));
    struct array *array = object;
    rill_status status = launch_check_result("rill_launch_result", kernel, array);
    if (status == RILL_OK && record_is_on(context)) {
        status = record_launch("rill_launch_result", kernel, on->id, args, array);
    } else if (status == RILL_OK) {
        struct launch_result result = {.address = array->address, .size = kernel->returns->size};
        array_note_use(array, on->id);
        status = launch_on("rill_launch_result", kernel, on, args, &result);
    }
    context_unpin(context, target.id);
    return status;
}

rill_status rill_launch_result(rill_kernel handle, rill_stream stream_handle, rill_args args, rill_array result)
{
    struct context *context;
    struct kernel *kernel;
    struct pinned_stream on;
    unsigned stripe = stream_stripe(stream_handle);
    RILL_TRY(kernel_begin_launch("rill_launch_result", handle, stripe, &context, &kernel));
    rill_status status = stream_pin_queue(context, "rill_launch_result", stream_handle, &on);
    if (status == RILL_OK) {
        status = launch_into(kernel, &on, args, result);
        context_unpin(context, on.id);
    }
    kernel_end_launch(context, kernel, stripe);
    return status;
}

static rill_status param_shape(const struct kernel *kernel, size_t index, rill_args args, rill_shape *out_shape)
{
    const char *who = "rill_kernel_param_shape";
    const struct plan_kernel *plan = kernel->plan;
    int count = plan->param_count - plan->hidden_count;
    if (index >= (size_t)count) {
        return status_fail(RILL_ERR_INVALID, "%s: index %zu of %d parameters", who, index, count);
    }
    if (!plan->params[index].is_array || plan->params[index].rank == 0) {
        return status_fail(RILL_ERR_INVALID, "%s: parameter '%s' of kernel '%s' has no shape of its own", who,
                           plan->params[index].name, plan->name);
    }
    struct many_args room;
    struct packed_args packed = ARGS_IN(&room);
    rill_status status = args_pack_scalars(&packed, who, kernel, args);
    if (status == RILL_OK) {
        status = args_param_shape(&packed, (int)index, out_shape);
    }
    args_finish(&packed, 0); // it has no arrays
    return status;
}

rill_status rill_kernel_param_shape(rill_kernel handle, size_t index, rill_args args, rill_shape *out_shape)
{
    RILL_TRY(context_check_out("rill_kernel_param_shape", out_shape, "out_shape"));
    *out_shape = (rill_shape){.rank = 0};
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_param_shape", handle, &context, &kernel));
    rill_status status = param_shape(kernel, index, args, out_shape);
    context_unpin(context, handle.id);
    context_leave(context);
    return status;
}
