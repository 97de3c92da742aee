#include "runtime/array.h"

#include "base/status.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/stream.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { STAGE_SIZE = 64 * 1024 }; // up to here a write copies what the host gave and returns at once

// ---- types and shapes ---------------------------------------------------------------------------------------------

size_t array_type_size(rill_type type)
{
    switch (type) {
#define TYPE_SIZE(name, value, bytes, text)                                                                            \
    case RILL_##name: return bytes;
        RILL_TYPE_LIST(TYPE_SIZE)
#undef TYPE_SIZE
    case RILL_RECORD: break;
    }
    return 0;
}

const char *array_type_name(rill_type type)
{
    switch (type) {
#define TYPE_NAME(name, value, bytes, text)                                                                            \
    case RILL_##name: return text;
        RILL_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
    case RILL_RECORD: break;
    }
    return "struct";
}

void array_shape_text(const rill_shape *shape, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < shape->rank && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "[%lld]", (long long)shape->extents[i]);
    }
}

// The number of elements, and of bytes.
static rill_status measure(const char *who, rill_shape shape, size_t element_size, size_t *out_count, size_t *out_size)
{
    if (shape.rank < 1 || shape.rank > RILL_MAX_RANK) {
        return status_fail(RILL_ERR_INVALID, "%s: the shape has %d extents; 1 to %d are possible", who, (int)shape.rank,
                           (int)RILL_MAX_RANK);
    }
    size_t count = 1;
    bool overflows = false;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.extents[i] < 0) {
            return status_fail(RILL_ERR_INVALID, "%s: extent %d of the shape is %lld", who, i,
                               (long long)shape.extents[i]);
        }
        overflows = __builtin_mul_overflow(count, (size_t)shape.extents[i], &count) || overflows;
    }
    for (int i = 0; i < shape.rank; i++) {
        overflows = overflows && shape.extents[i] != 0; // with an extent of 0 nothing overflows
        count = shape.extents[i] != 0 ? count : 0;
    }
    overflows = overflows || __builtin_mul_overflow(count, element_size, out_size) || *out_size > PTRDIFF_MAX;
    if (overflows) {
        char text[256];
        array_shape_text(&shape, text, sizeof text);
        return status_fail(RILL_ERR_INVALID, "%s: the shape %s has more bytes than can be addressed", who, text);
    }
    *out_count = count;
    return RILL_OK;
}

// ---- memory -------------------------------------------------------------------------------------------------------

// The memory is gone, or nothing of it is ours any more.
static void free_record(struct memory *memory)
{
    struct context *context = memory->context;
    if (context->order != NULL) {
        order_forget(context->order, memory);
    } else {
        context_free(context, memory, sizeof *memory);
    }
}

static void release_wrapped(struct callback *callback)
{
    struct memory *memory = (struct memory *)((char *)callback - offsetof(struct memory, callback));
    memory->release(memory->user, memory->address);
    free_record(memory);
}

static void release_memory(struct retirement *retirement)
{
    struct memory *memory = (struct memory *)retirement;
    assert(atomic_load_explicit(&memory->reference_count, memory_order_relaxed) == 0);
    struct context *context = memory->context;
    stream_set_finish(context, &memory->users);
    if (memory->release != NULL) {
        memory->callback.run = release_wrapped;
        callback_post(context, &memory->callback);
        return;
    }
    if (!memory->is_wrapped) {
        atomic_fetch_sub(&context->array_size, memory->size);
        context->backend->memory_destroy(context->device, memory->address, memory->size);
    }
    free_record(memory);
}

static void memory_unreference(struct memory *memory)
{
    assert(atomic_load_explicit(&memory->reference_count, memory_order_relaxed) > 0);
    if (atomic_fetch_sub_explicit(&memory->reference_count, 1, memory_order_acq_rel) == 1) {
        retire(memory->context, &memory->retirement, &memory->users);
    }
}

void array_add_user(struct array *array, uint64_t stream)
{
    bool is_new = stream_set_add(array->context, &array->memory->users, stream);
    if (is_new || atomic_load_explicit(&array->user, memory_order_relaxed) == 0) {
        atomic_store_explicit(&array->user, stream, memory_order_relaxed);
    }
}

void array_note_use_on(struct array *array, rill_stream stream)
{
    array_note_use(array, stream.id != UINT64_MAX ? stream.id : stream_current(array->context).id);
}

static struct memory *memory_make(struct context *context, const char *who)
{
    if (context->order != NULL) {
        order_forget_now(context->order);
    }
    struct memory *memory = context_alloc(context, sizeof *memory);
    if (memory == NULL) {
        status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for an array", who);
        return NULL;
    }
    memory->context = context;
    memory->retirement.release = release_memory;
    atomic_store(&memory->reference_count, 1);
    return memory;
}

void array_dispose(struct array *array)
{
    struct context *context = array->context;
    struct memory *memory = array->memory;
    atomic_fetch_sub(&context->array_count, 1);
    context_free(context, array, sizeof *array);
    memory_unreference(memory);
}

// An array over memory of which the caller gives it one reference, if it succeeds.
static rill_status array_make(struct context *context, const char *who, const struct array *like, rill_array *out)
{
    assert(like->memory != NULL && like->shape.rank >= 1 && like->shape.rank <= RILL_MAX_RANK);
    struct array *array = context_alloc(context, sizeof *array);
    if (array == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for an array", who);
    }
    *array = *like;
    array->context = context;
    // The id is written before anybody can know it.
    uint64_t id = context_add(context, who, array, KIND_ARRAY);
    if (id == 0) {
        context_free(context, array, sizeof *array);
        return RILL_ERR_OUT_OF_MEMORY;
    }
    array->id = id;
    atomic_fetch_add(&context->array_count, 1);
    out->id = id;
    return RILL_OK;
}

// ---- making -------------------------------------------------------------------------------------------------------

static rill_status create(const char *who, struct context *context, struct array *array, rill_array *out)
{
    RILL_TRY(measure(who, array->shape, array->element_size, &array->count, &array->size));
    struct memory *memory = memory_make(context, who);
    if (memory == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    rill_status status = context->backend->memory_create(context->device, array->size, &memory->address);
    if (status != RILL_OK) {
        context_free(context, memory, sizeof *memory);
        return context_fail_as(who, status);
    }
    memory->size = array->size;
    atomic_fetch_add(&context->array_size, array->size);
    array->memory = memory;
    array->address = memory->address;
    status = array_make(context, who, array, out);
    if (status != RILL_OK) {
        memory_unreference(memory);
    }
    return status;
}

rill_status rill_array_create(rill_context handle, rill_type type, rill_shape shape, rill_array *out_array)
{
    RILL_TRY(context_check_out("rill_array_create", out_array, "out_array"));
    out_array->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_array_create", handle.id, KIND_CONTEXT, &context));
    struct array array = {.type = type, .element_size = array_type_size(type), .shape = shape};
    rill_status status;
    if (array.element_size == 0) {
        status =
            status_fail(RILL_ERR_INVALID,
                        "rill_array_create: %d is no scalar type; structs want rill_array_create_struct()", (int)type);
    } else {
        status = create("rill_array_create", context, &array, out_array);
    }
    context_leave(context);
    return status;
}

rill_status rill_array_create_struct(rill_context handle, size_t element_size, rill_shape shape, rill_array *out_array)
{
    RILL_TRY(context_check_out("rill_array_create_struct", out_array, "out_array"));
    out_array->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_array_create_struct", handle.id, KIND_CONTEXT, &context));
    struct array array = {.type = RILL_RECORD, .element_size = element_size, .shape = shape};
    rill_status status = element_size > 0
                             ? create("rill_array_create_struct", context, &array, out_array)
                             : status_fail(RILL_ERR_INVALID, "rill_array_create_struct: the element size is 0");
    context_leave(context);
    return status;
}

// Enters the context of an array and pins it.
static rill_status begin(const char *who, rill_array handle, struct context **out_context, struct array **out_array)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_ARRAY, out_context, &object));
    *out_array = object;
    return RILL_OK;
}

static rill_status make_view(struct context *context, struct array *base, size_t offset, rill_shape shape,
                             rill_array *out)
{
    struct array view = {
        .memory = base->memory, .type = base->type, .element_size = base->element_size, .shape = shape};
    RILL_TRY(measure("rill_array_view", shape, base->element_size, &view.count, &view.size));
    if (offset > base->count || view.count > base->count - offset) {
        return status_fail(RILL_ERR_INVALID,
                           "rill_array_view: %zu elements from element %zu on are more than the array's %zu",
                           view.count, offset, base->count);
    }
    view.address = base->address + offset * base->element_size;
    atomic_fetch_add_explicit(&view.memory->reference_count, 1, memory_order_relaxed);
    rill_status status = array_make(context, "rill_array_view", &view, out);
    if (status != RILL_OK) {
        memory_unreference(view.memory);
    }
    return status;
}

rill_status rill_array_view(rill_array handle, size_t offset, rill_shape shape, rill_array *out_view)
{
    RILL_TRY(context_check_out("rill_array_view", out_view, "out_view"));
    out_view->id = 0;
    struct context *context;
    struct array *base;
    RILL_TRY(begin("rill_array_view", handle, &context, &base));
    return context_end(context, handle.id, make_view(context, base, offset, shape, out_view));
}

static rill_status check_wrap(const rill_wrap *wrap, struct array *array)
{
    array->type = wrap->type;
    array->element_size = wrap->type == RILL_RECORD ? wrap->element_size : array_type_size(wrap->type);
    array->shape = wrap->shape;
    if (array->element_size == 0 || (wrap->element_size != 0 && wrap->element_size != array->element_size)) {
        return status_fail(RILL_ERR_INVALID, "rill_array_wrap: elements of type %s cannot have %zu bytes",
                           array_type_name(wrap->type), wrap->element_size);
    }
    RILL_TRY(measure("rill_array_wrap", array->shape, array->element_size, &array->count, &array->size));
    if (wrap->memory == NULL && array->size > 0) {
        return status_fail(RILL_ERR_INVALID, "rill_array_wrap: the memory is NULL");
    }
    if (wrap->type != RILL_RECORD && (uintptr_t)wrap->memory % array->element_size != 0) {
        return status_fail(RILL_ERR_INVALID, "rill_array_wrap: the memory at %p is not aligned for %s", wrap->memory,
                           array_type_name(wrap->type));
    }
    return RILL_OK;
}

static rill_status make_wrap(struct context *context, const rill_wrap *wrap, rill_array *out)
{
    struct array array = {0};
    RILL_TRY(check_wrap(wrap, &array));
    if (wrap->release != NULL) {
        rill_status status = callback_thread_start(context); // so that releasing cannot fail
        if (status != RILL_OK) {
            return context_fail_as("rill_array_wrap", status);
        }
    }
    struct memory *memory = memory_make(context, "rill_array_wrap");
    if (memory == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    memory->is_wrapped = true;
    stream_set_add_all(&memory->users); // its address is known: kernels may be given that
    memory->address = wrap->memory;
    memory->size = array.size;
    array.memory = memory;
    array.address = wrap->memory;
    rill_status status = array_make(context, "rill_array_wrap", &array, out);
    if (status != RILL_OK) {
        context_free(context, memory, sizeof *memory);
        return status;
    }
    memory->release = wrap->release;
    memory->user = wrap->user;
    return RILL_OK;
}

rill_status rill_array_wrap(rill_context handle, const rill_wrap *wrap, rill_array *out_array)
{
    RILL_TRY(context_check_out("rill_array_wrap", out_array, "out_array"));
    out_array->id = 0;
    RILL_TRY(context_check_out("rill_array_wrap", wrap, "wrap"));
    struct context *context;
    RILL_TRY(context_enter("rill_array_wrap", handle.id, KIND_CONTEXT, &context));
    rill_status status = make_wrap(context, wrap, out_array);
    context_leave(context);
    return status;
}

rill_status rill_array_destroy(rill_array handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_array_destroy", handle.id, KIND_ARRAY, &context));
    void *object;
    rill_status status = context_retire(context, "rill_array_destroy", handle.id, KIND_ARRAY, &object);
    if (status == RILL_OK) {
        context_unpin(context, handle.id);
    }
    context_leave(context);
    return status;
}

void rill_auto_array(rill_array *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    if (rill_array_destroy(*handle) != RILL_OK) { // stale: its context was closed first
        context_restore_message(&message);
    }
    handle->id = 0;
}

// ---- looking, copying ---------------------------------------------------------------------------------------------

rill_status rill_array_describe(rill_array handle, rill_array_info *out_info)
{
    RILL_TRY(context_check_out("rill_array_describe", out_info, "out_info"));
    *out_info = (rill_array_info){.size = 0};
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_describe", handle, &context, &array));
    *out_info = (rill_array_info){
        .type = array->type, .element_size = array->element_size, .shape = array->shape, .size = array->size};
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_array_label(rill_array handle, const char *label)
{
    RILL_TRY(context_check_out("rill_array_label", label, "label"));
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_label", handle, &context, &array));
    if (context->order != NULL) {
        order_label_array(context->order, array->address, array->size, label);
    }
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_array_address(rill_array handle, void **out_address)
{
    RILL_TRY(context_check_out("rill_array_address", out_address, "out_address"));
    *out_address = NULL;
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_address", handle, &context, &array));
    *out_address = array->address;
    stream_set_add_all(&array->memory->users); // kernels, and work of others, may be given it
    return context_end(context, handle.id, RILL_OK);
}

rill_status array_read_bytes(const char *who, struct context *context, rill_stream handle, void *host,
                             const void *address, size_t size)
{
    RILL_TRY(callback_refuse(who));
    RILL_TRY(record_refuse(context, who));
    struct stream *stream;
    RILL_TRY(stream_pin(context, who, handle, &stream));
    rill_status status = stream_may_wait(who, stream);
    status = status == RILL_OK ? context_fail_as(who, order_copy(who, stream, host, address, size, BACKEND_READ_LATER))
                               : status;
    if (status == RILL_OK) {
        status = stream_finish_work(who, stream);
    }
    context_unpin(context, stream->id);
    return status;
}

rill_status array_write_bytes(const char *who, struct context *context, rill_stream handle, void *address,
                              const void *host, size_t size)
{
    struct stream *stream;
    RILL_TRY(record_refuse(context, who));
    RILL_TRY(stream_pin(context, who, handle, &stream));
    enum backend_read read = callback_is_running() ? BACKEND_READ_AT_ONCE
                             : size <= STAGE_SIZE  ? BACKEND_READ_NOW
                                                   : BACKEND_READ_LATER;
    rill_status status = read != BACKEND_READ_LATER ? RILL_OK : stream_may_wait(who, stream);
    status = status == RILL_OK ? context_fail_as(who, order_copy(who, stream, address, host, size, read)) : status;
    if (status == RILL_OK && read == BACKEND_READ_LATER) {
        status = stream_finish_work(who, stream);
    }
    context_unpin(context, stream->id);
    return status;
}

static rill_status check_transfer(const char *who, const struct array *array, const void *host, size_t size)
{
    if (size > array->size) {
        return status_fail(RILL_ERR_INVALID, "%s: %zu bytes are more than the array's %zu", who, size, array->size);
    }
    return host != NULL || size == 0 ? RILL_OK : status_fail(RILL_ERR_INVALID, "%s: the host memory is NULL", who);
}

rill_status rill_array_read(rill_array handle, rill_stream stream, void *host, size_t size)
{
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_read", handle, &context, &array));
    rill_status status = check_transfer("rill_array_read", array, host, size);
    if (status == RILL_OK) {
        array_note_use_on(array, stream);
        status = array_read_bytes("rill_array_read", context, stream, host, array->address, size);
    }
    return context_end(context, handle.id, status);
}

rill_status rill_array_write(rill_array handle, rill_stream stream, const void *host, size_t size)
{
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_write", handle, &context, &array));
    rill_status status = check_transfer("rill_array_write", array, host, size);
    if (status == RILL_OK) {
        array_note_use_on(array, stream);
        status = array_write_bytes("rill_array_write", context, stream, array->address, host, size);
    }
    return context_end(context, handle.id, status);
}

rill_status array_copy_later(const char *who, struct context *context, rill_stream handle, void *target,
                             const void *source, size_t size)
{
    struct stream *stream;
    assert(!record_is_on(context));
    RILL_TRY(stream_pin(context, who, handle, &stream));
    rill_status status = context_fail_as(who, order_copy(who, stream, target, source, size, BACKEND_READ_LATER));
    context_unpin(context, stream->id);
    return status;
}

rill_status rill_array_read_async(rill_array handle, rill_stream stream, void *host, size_t size)
{
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_read_async", handle, &context, &array));
    rill_status status = check_transfer("rill_array_read_async", array, host, size);
    if (status == RILL_OK && record_is_on(context)) {
        struct record_side sides[] = {{.host = host}, {.array = array}};
        status = record_copy("rill_array_read_async", context, stream, sides, 0, size);
    } else if (status == RILL_OK) {
        array_note_use_on(array, stream);
        status = array_copy_later("rill_array_read_async", context, stream, host, array->address, size);
    }
    return context_end(context, handle.id, status);
}

rill_status rill_array_write_async(rill_array handle, rill_stream stream, const void *host, size_t size)
{
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_write_async", handle, &context, &array));
    rill_status status = check_transfer("rill_array_write_async", array, host, size);
    if (status == RILL_OK && record_is_on(context)) {
        struct record_side sides[] = {{.array = array}, {.host = host}};
        status = record_copy("rill_array_write_async", context, stream, sides, 0, size);
    } else if (status == RILL_OK) {
        array_note_use_on(array, stream);
        status = array_copy_later("rill_array_write_async", context, stream, array->address, host, size);
    }
    return context_end(context, handle.id, status);
}

static rill_status fill(struct context *context, struct array *array, rill_stream handle, const void *element,
                        size_t element_size)
{
    if (element == NULL) {
        return status_fail(RILL_ERR_INVALID, "rill_array_fill: the element is NULL");
    }
    if (element_size != array->element_size) {
        return status_fail(RILL_ERR_INVALID, "rill_array_fill: the element has %zu bytes, the array's have %zu",
                           element_size, array->element_size);
    }
    struct stream *stream;
    RILL_TRY(stream_pin(context, "rill_array_fill", handle, &stream));
    rill_status status;
    if (record_is_on(context)) {
        status = record_fill(array, stream->id, element, element_size);
    } else {
        array_note_use(array, stream->id);
        status = order_fill("rill_array_fill", stream, array->address, array->count, element, element_size);
        status = context_fail_as("rill_array_fill", status);
    }
    context_unpin(context, stream->id);
    return status;
}

rill_status rill_array_fill(rill_array handle, rill_stream stream, const void *element, size_t element_size)
{
    struct context *context;
    struct array *array;
    RILL_TRY(begin("rill_array_fill", handle, &context, &array));
    return context_end(context, handle.id, fill(context, array, stream, element, element_size));
}

static rill_status copy_array(struct context *context, struct array *target, struct array *source, rill_stream stream)
{
    if (source->size > target->size) {
        return status_fail(RILL_ERR_INVALID, "rill_array_copy: the source has %zu bytes, the target only %zu",
                           source->size, target->size);
    }
    if (record_is_on(context)) {
        struct record_side sides[] = {{.array = target}, {.array = source}};
        return record_copy("rill_array_copy", context, stream, sides, 0, 0);
    }
    array_note_use_on(target, stream);
    array_note_use_on(source, stream);
    return array_copy_later("rill_array_copy", context, stream, target->address, source->address, source->size);
}

rill_status rill_array_copy(rill_array target_handle, rill_array source_handle, rill_stream stream)
{
    struct context *context;
    struct array *target;
    RILL_TRY(begin("rill_array_copy", target_handle, &context, &target));
    void *source;
    rill_status status = context_pin(context, "rill_array_copy", source_handle.id, KIND_ARRAY, &source);
    if (status == RILL_OK) {
        status = copy_array(context, target, source, stream);
        context_unpin(context, source_handle.id);
    }
    return context_end(context, target_handle.id, status);
}
