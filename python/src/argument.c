// One argument of a call: a number, an Array, or memory of others by the protocols of Python. Everything is checked
// before anything is queued.
#include "tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct kernel_object *kernel_of(const struct call *call)
{
    return call->kernel;
}

bool argument_fail(const struct call *call, size_t index, const char *format, ...)
{
    char text[700];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const struct kernel_object *kernel = kernel_of(call);
    core_fail_with(RILL_ERR_ARGUMENTS, "kernel '%s', parameter '%s': %s", kernel->text, kernel->params[index].text,
                   text);
    return false;
}

// "f32", "struct point".
static const char *type_words(rill_type type)
{
    switch (type) {
#define TYPE_CASE(name, value, bytes, text)                                                                            \
    case RILL_##name: return text;
        RILL_TYPE_LIST(TYPE_CASE)
#undef TYPE_CASE
    case RILL_RECORD: break;
    }
    return "structs";
}

static void shape_words(char *out, size_t size, int rank, const int64_t *extents)
{
    size_t at = (size_t)snprintf(out, size, "(");
    for (int i = 0; i < rank && at + 24 < size; i++) {
        at += (size_t)snprintf(out + at, size - at, i == 0 ? "%lld" : ", %lld", (long long)extents[i]);
    }
    snprintf(out + at, size - at, rank == 1 ? ",)" : ")");
}

static const char *type_name_of(PyObject *value, char *out, size_t size)
{
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__name__");
    PyObject *bytes = name == NULL ? NULL : PyUnicode_AsUTF8String(name);
    snprintf(out, size, "%s", bytes == NULL ? "object" : PyBytes_AsString(bytes));
    Py_XDECREF(name);
    Py_XDECREF(bytes);
    PyErr_Clear();
    return out;
}

// ---- numbers
// -----------------------------------------------------------------------------------------------------------

static bool whole_number(struct call *call, size_t index, PyObject *value)
{
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
        call->items[index] = rill_arg_int(number);
        return number != -1 || !PyErr_Occurred();
    }
    if (overflow > 0) {
        unsigned long long wide = PyLong_AsUnsignedLongLong(value);
        if (!PyErr_Occurred()) {
            call->items[index] = rill_arg_uint(wide);
            return true;
        }
        PyErr_Clear();
    }
    if (kernel_of(call)->params[index].is_float) { // an int of Python's is as long as it likes
        double real = PyFloat_AsDouble(value);
        if (!PyErr_Occurred()) {
            call->items[index] = rill_arg_float(real);
            return true;
        }
        PyErr_Clear();
    }
    return argument_fail(call, index, "the number does not fit into %s", kernel_of(call)->params[index].type_name);
}

static bool number(struct call *call, size_t index, PyObject *value)
{
    char name[64];
    if (PyFloat_Check(value)) {
        call->items[index] = rill_arg_float(PyFloat_AsDouble(value));
        return true;
    }
    if (PyLong_Check(value)) {
        return whole_number(call, index, value);
    }
    if (strncmp(type_name_of(value, name, sizeof name), "bool", 4) == 0) { // numpy.bool_ is no number
        int truth = PyObject_IsTrue(value);
        call->items[index] = rill_arg_uint(truth > 0);
        return truth >= 0;
    }
    if (PyIndex_Check(value)) {
        PyObject *whole = PyNumber_Index(value);
        if (whole != NULL) {
            bool is_done = whole_number(call, index, whole);
            Py_DECREF(whole);
            return is_done;
        }
        PyErr_Clear(); // a tensor of one float has the method, and refuses
    }
    double real = PyErr_Occurred() ? 0 : PyFloat_AsDouble(value);
    if (!PyErr_Occurred()) {
        call->items[index] = rill_arg_float(real);
        return true;
    }
    PyErr_Clear();
    return argument_fail(call, index, "takes a number (%s), and got a value of type %s",
                         kernel_of(call)->params[index].type_name, type_name_of(value, name, sizeof name));
}

// ---- memory
// ------------------------------------------------------------------------------------------------------------

static int32_t memory_kind(const struct memory *memory)
{
    if (memory->is_readonly) {
        return memory->is_device ? RILL_ARG_CONST_PTR : RILL_ARG_CONST_HOST;
    }
    return memory->is_device ? RILL_ARG_PTR : RILL_ARG_HOST;
}

bool argument_of_memory(struct call *call, size_t index, const struct memory *memory)
{
    const struct param *param = &kernel_of(call)->params[index];
    char shape[256];
    const struct extents *extents = &call->extents[index];
    if (memory->is_readonly && !param->is_const) {
        return argument_fail(call, index, "the kernel writes it, and the memory that was passed is read-only");
    }
    if (memory->type < 0) {
        return argument_fail(call, index, "its elements are %s, and what was passed has elements '%s'",
                             param->type_name, memory->type_text);
    }
    bool is_same = memory->type == (int)param->type && memory->itemsize == param->size;
    if (!is_same && (param->type != RILL_RECORD || memory->itemsize != param->size)) {
        return argument_fail(call, index,
                             "its elements are %s (%zu bytes), and those of what was passed are %s (%zu bytes)",
                             param->type_name, param->size, type_words((rill_type)memory->type), memory->itemsize);
    }
    if (param->rank > 0 && extents->rank != param->rank) {
        shape_words(shape, sizeof shape, extents->rank, extents->extents);
        return argument_fail(call, index, "takes an array of %d extents, and what was passed has the shape %s",
                             param->rank, shape);
    }
    const struct context_object *context = call->kernel->base.context;
    if (memory->is_device && context->is_cpu) {
        return argument_fail(call, index, "the memory is a GPU's, and the kernel runs on the CPU");
    }
    if (memory->is_device && memory->device >= 0 && memory->device != context->device) {
        return argument_fail(call, index, "the memory is that of GPU %d, and the kernel runs on GPU %d", memory->device,
                             context->device);
    }
    call->items[index] =
        rill_arg_memory(memory_kind(memory), (rill_type)memory->type, memory->address, memory->count, memory->itemsize);
    call->has_device_memory = call->has_device_memory || memory->is_device;
    return true;
}

// Of the buffer that was taken last.
static bool from_buffer(struct call *call, size_t index)
{
    const struct buffer *buffer = &call->held[call->held_count++].buffer;
    struct extents *extents = &call->extents[index];
    extents->rank = buffer->ndim;
    if (buffer->ndim > RILL_MAX_RANK) {
        return argument_fail(call, index, "the memory that was passed has %d extents, and an array at most %d",
                             buffer->ndim, (int)RILL_MAX_RANK);
    }
    for (int i = 0; i < buffer->ndim; i++) {
        extents->extents[i] = buffer->shape[i];
    }
    if (!buffer_is_contiguous(buffer)) {
        char shape[256], strides[256];
        int64_t steps[RILL_MAX_RANK];
        for (int i = 0; i < buffer->ndim; i++) {
            steps[i] = buffer->strides[i];
        }
        shape_words(shape, sizeof shape, buffer->ndim, extents->extents);
        shape_words(strides, sizeof strides, buffer->ndim, steps);
        return argument_fail(call, index,
                             "the memory that was passed is not in one piece (shape %s, strides %s): pass a "
                             "contiguous copy, numpy.ascontiguousarray()",
                             shape, strides);
    }
    struct memory memory = {.address = buffer->buf,
                            .type = buffer_type(buffer->format, buffer->itemsize),
                            .type_text = buffer->format,
                            .itemsize = (size_t)buffer->itemsize,
                            .count = buffer->itemsize == 0 ? 0 : (size_t)(buffer->len / buffer->itemsize),
                            .is_readonly = buffer->readonly != 0};
    return argument_of_memory(call, index, &memory);
}

// The stream that the owner of memory says its work is on, of version 3 of __cuda_array_interface__: what we queue
// comes behind that. None and nothing: the owner says that there is nothing to wait for.
static bool wait_for_owner(struct call *call, size_t index, PyObject *native)
{
    if (native == NULL || native == Py_None || call->owner_count == sizeof call->owners / sizeof call->owners[0]) {
        return true;
    }
    void *handle = PyLong_AsVoidPtr(native);
    if (PyErr_Occurred() || handle == NULL) {
        PyErr_Clear();
        return argument_fail(call, index,
                             "the stream in its __cuda_array_interface__ is not of the form that is agreed on");
    }
    for (size_t i = 0; i < call->owner_count; i++) {
        if (call->owners[i] == handle) {
            return true;
        }
    }
    call->owners[call->owner_count++] = handle;
    return true;
}

// The dictionary of __cuda_array_interface__: data, shape, typestr, strides, stream.
static bool from_cuda(struct call *call, size_t index, PyObject *value, PyObject *interface)
{
    PyObject *data = PyDict_GetItemString(interface, "data"), *shape = PyDict_GetItemString(interface, "shape"),
             *typestr = PyDict_GetItemString(interface, "typestr"),
             *strides = PyDict_GetItemString(interface, "strides");
    if (data == NULL || shape == NULL || typestr == NULL || !PyTuple_Check(data) || !PyTuple_Check(shape) ||
        PyTuple_Size(data) != 2 || PyTuple_Size(shape) > RILL_MAX_RANK) {
        return argument_fail(call, index, "its __cuda_array_interface__ is not of the form that is agreed on");
    }
    PyObject *bytes = PyUnicode_AsUTF8String(typestr); // "<f4"
    if (bytes == NULL) {
        return false;
    }
    char code[16];
    snprintf(code, sizeof code, "%s", PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    long itemsize = code[0] != '\0' && code[1] != '\0' ? strtol(code + 2, NULL, 10) : 0;
    char format[2] = {code[1] == 'i'   ? 'q'
                      : code[1] == 'u' ? 'Q'
                      : code[1] == 'f' ? 'd'
                      : code[1] == 'b' ? '?'
                                       : 'x',
                      0};
    struct extents *extents = &call->extents[index];
    extents->rank = (int)PyTuple_Size(shape);
    size_t count = 1;
    for (int i = 0; i < extents->rank; i++) {
        extents->extents[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        count *= (size_t)extents->extents[i];
    }
    if (strides != NULL && strides != Py_None && PyTuple_Check(strides)) {
        long long step = itemsize;
        for (int i = extents->rank - 1; i >= 0; i--) {
            if (extents->extents[i] != 1 && PyLong_AsLongLong(PyTuple_GetItem(strides, i)) != step) {
                return argument_fail(call, index, "the array is not in one piece: pass a contiguous copy");
            }
            step *= extents->extents[i];
        }
    }
    struct held *held = &call->held[call->held_count++];
    memset(held, 0, sizeof *held);
    Py_INCREF(value);
    held->object = value;
    struct memory memory = {.address = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)),
                            .type = buffer_type(format, itemsize),
                            .type_text = "of a kind that Rill has not",
                            .itemsize = (size_t)itemsize,
                            .count = count,
                            .is_readonly = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1,
                            .is_device = true,
                            .device = -1};
    if (!wait_for_owner(call, index, PyDict_GetItemString(interface, "stream"))) {
        return false;
    }
    return !PyErr_Occurred() && argument_of_memory(call, index, &memory);
}

static bool array(struct call *call, size_t index, PyObject *value)
{
    char name[64];
    if (PyObject_TypeCheck(value, array_type)) {
        if (!handle_check(value)) {
            return false;
        }
        call->extents[index].rank = -1;
        call->items[index] = rill_arg_array(array_handle(value));
        return true;
    }
    if (buffer_is_offered(value)) {
        struct held *held = &call->held[call->held_count];
        memset(held, 0, sizeof *held);
        if (buffer_get(value, &held->buffer, BUFFER_FORMAT | BUFFER_STRIDES) == 0) {
            return from_buffer(call, index);
        }
        PyErr_Clear(); // CuPy's arrays have the protocol, to refuse it
    }
    const struct dlpack_exchange *exchange = tensor_exchange(value);
    if (exchange != NULL) {
        return argument_from_exchange(call, index, value, exchange);
    }
    PyObject *interface = PyObject_GetAttrString(value, "__cuda_array_interface__");
    if (interface != NULL && PyDict_Check(interface)) {
        bool is_done = from_cuda(call, index, value, interface);
        Py_DECREF(interface);
        return is_done;
    }
    Py_XDECREF(interface);
    PyErr_Clear();
    if (PyObject_HasAttrString(value, "__dlpack__")) {
        return argument_from_dlpack(call, index, value);
    }
    return argument_fail(call, index,
                         "takes an array of %s: a rill.Array, or memory by the buffer protocol, DLPack or "
                         "__cuda_array_interface__; got a value of type %s",
                         kernel_of(call)->params[index].type_name, type_name_of(value, name, sizeof name));
}

// ---- structs by value
// ----------------------------------------------------------------------------------------------------

static bool record(struct call *call, size_t index, PyObject *value)
{
    const struct param *param = &kernel_of(call)->params[index];
    char name[64];
    PyObject *packed = NULL, *original = value;
    if (!buffer_is_offered(value)) {
        packed = PyObject_CallFunction(kernel_struct_packer, "Os", value, param->type_name);
        if (packed == NULL) {
            return false;
        }
        value = packed;
    }
    if (packed == Py_None) {
        Py_DECREF(packed);
        return argument_fail(
            call, index,
            "takes a %s by value: an object of a dataclass, bytes, a ctypes.Structure or a NumPy record of its "
            "layout; got a value of type %s",
            param->type_name, type_name_of(original, name, sizeof name));
    }
    struct held *held = &call->held[call->held_count];
    memset(held, 0, sizeof *held);
    int failed = buffer_get(value, &held->buffer, BUFFER_ND); // keeps it
    Py_XDECREF(packed);
    if (failed != 0) {
        return false;
    }
    call->held_count++;
    if ((size_t)held->buffer.len != param->size) {
        return argument_fail(call, index, "a value of %zd bytes was passed, and a %s has %zu", held->buffer.len,
                             param->type_name, param->size);
    }
    call->items[index] = rill_arg_struct(held->buffer.buf, param->size);
    return true;
}

bool argument_from(struct call *call, size_t index, PyObject *value)
{
    const struct param *param = &kernel_of(call)->params[index];
    if (param->is_array) {
        return array(call, index, value);
    }
    return param->is_record ? record(call, index, value) : number(call, index, value);
}

bool argument_check_shapes(struct call *call)
{
    const struct kernel_object *kernel = kernel_of(call);
    for (size_t i = 0; i < kernel->count; i++) {
        const struct extents *extents = &call->extents[i];
        if (!kernel->params[i].is_array || kernel->params[i].rank < 2 || extents->rank < 0) {
            continue;
        }
        rill_kernel handle = {kernel->base.id};
        rill_args args = {call->items, kernel->count};
        rill_shape shape;
        rill_status status = rill_kernel_param_shape(handle, i, args, &shape);
        if (status != RILL_OK) {
            core_fail(status);
            return false;
        }
        bool fits = extents->extents[0] >= shape.extents[0];
        for (int k = 1; k < shape.rank; k++) {
            fits = fits && extents->extents[k] == shape.extents[k];
        }
        if (!fits) {
            char has[256], wants[256];
            shape_words(has, sizeof has, extents->rank, extents->extents);
            shape_words(wants, sizeof wants, shape.rank, shape.extents);
            return argument_fail(call, i, "has the shape %s for these arguments, and what was passed has %s", wants,
                                 has);
        }
    }
    return true;
}
