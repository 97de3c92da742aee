// Elements of an array that the host reads or writes: some of them, from any one on.
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/record.h"
#include "runtime/stream.h"

struct elements {
    struct context *context; // entered
    struct array *array;     // pinned
    char *address;           // of the first
    size_t size;             // bytes
};

static void elements_close(const struct elements *elements)
{
    context_unpin(elements->context, elements->array->id);
    context_leave(elements->context);
}

static rill_status check_range(const char *who, const struct array *array, size_t offset, size_t count,
                               const void *host)
{
    if (offset > array->count || count > array->count - offset) {
        return status_fail(RILL_ERR_INVALID, "%s: %zu elements from element %zu on are more than the array's %zu", who,
                           count, offset, array->count);
    }
    return host != NULL || count == 0 ? RILL_OK : status_fail(RILL_ERR_INVALID, "%s: the host memory is NULL", who);
}

static rill_status elements_open(const char *who, rill_array handle, size_t offset, size_t count, const void *host,
                                 struct elements *out)
{
    struct context *context;
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_ARRAY, &context, &object));
    struct array *array = object;
    *out = (struct elements){.context = context, .array = array};
    rill_status status = check_range(who, array, offset, count, host);
    if (status != RILL_OK) {
        elements_close(out);
        return status;
    }
    out->address = array->address + offset * array->element_size;
    out->size = count * array->element_size;
    return RILL_OK;
}

rill_status rill_array_read_at(rill_array array, rill_stream stream, size_t offset, void *host, size_t count)
{
    static const char who[] = "rill_array_read_at";
    struct elements from;
    RILL_TRY(elements_open(who, array, offset, count, host, &from));
    array_note_use_on(from.array, stream);
    rill_status status = array_read_bytes(who, from.context, stream, host, from.address, from.size);
    elements_close(&from);
    return status;
}

rill_status rill_array_write_at(rill_array array, rill_stream stream, size_t offset, const void *host, size_t count)
{
    static const char who[] = "rill_array_write_at";
    struct elements to;
    RILL_TRY(elements_open(who, array, offset, count, host, &to));
    array_note_use_on(to.array, stream);
    rill_status status = array_write_bytes(who, to.context, stream, to.address, host, to.size);
    elements_close(&to);
    return status;
}

rill_status rill_array_read_at_async(rill_array array, rill_stream stream, size_t offset, void *host, size_t count)
{
    static const char who[] = "rill_array_read_at_async";
    struct elements from;
    RILL_TRY(elements_open(who, array, offset, count, host, &from));
    rill_status status;
    if (record_is_on(from.context)) {
        struct record_side sides[] = {{.host = host}, {.array = from.array}};
        status = record_copy(who, from.context, stream, sides, (size_t)(from.address - from.array->address), from.size);
    } else {
        array_note_use_on(from.array, stream);
        status = array_copy_later(who, from.context, stream, host, from.address, from.size);
    }
    elements_close(&from);
    return status;
}

rill_status rill_array_write_at_async(rill_array array, rill_stream stream, size_t offset, const void *host,
                                      size_t count)
{
    static const char who[] = "rill_array_write_at_async";
    struct elements to;
    RILL_TRY(elements_open(who, array, offset, count, host, &to));
    rill_status status;
    if (record_is_on(to.context)) {
        struct record_side sides[] = {{.array = to.array}, {.host = host}};
        status = record_copy(who, to.context, stream, sides, (size_t)(to.address - to.array->address), to.size);
    } else {
        array_note_use_on(to.array, stream);
        status = array_copy_later(who, to.context, stream, to.address, host, to.size);
    }
    elements_close(&to);
    return status;
}
