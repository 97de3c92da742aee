// Tensors by DLPack: through the table that a library offers to C, or through the methods of its objects.
#include "tensor.h"

#include <stdio.h>
#include <string.h>

static PyObject *table_word, *gradient_word; // interned

// ---- what types have the table
// -----------------------------------------------------------------------------------------

struct known_type {
    PyTypeObject *type; // owned
    const struct dlpack_exchange *exchange;
    // Its tensors may be looked at without being taken: whoever uses them on the library's stream needs nothing else,
    // and none is read-only. True of torch's.
    bool is_viewed;
};

// The types that were looked at last. A type that is here is not freed, so that its address is no other's.
static struct known_type known_types[8];
static size_t next_known;

static const struct dlpack_exchange *table_of(PyObject *type)
{
    PyObject *capsule = PyObject_GetAttr(type, table_word);
    const struct dlpack_exchange *exchange =
        capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, DLPACK_EXCHANGE_NAME);
    Py_XDECREF(capsule); // the table is static, as DLPack has it
    PyErr_Clear();
    while (exchange != NULL && exchange->version.major > 1) {
        exchange = exchange->previous;
    }
    return exchange != NULL && exchange->version.major == 1 ? exchange : NULL;
}

static bool is_of_torch(PyObject *type)
{
    PyObject *module = PyObject_GetAttrString(type, "__module__");
    PyObject *bytes = module != NULL && PyUnicode_Check(module) ? PyUnicode_AsUTF8String(module) : NULL;
    bool is_torch = bytes != NULL && strncmp(PyBytes_AsString(bytes), "torch", 5) == 0;
    Py_XDECREF(bytes);
    Py_XDECREF(module);
    PyErr_Clear();
    return is_torch;
}

static struct known_type *find_type(PyTypeObject *type)
{
    for (size_t i = 0; i < sizeof known_types / sizeof known_types[0]; i++) {
        if (known_types[i].type == type) {
            return &known_types[i];
        }
    }
    return NULL;
}

const struct dlpack_exchange *tensor_exchange(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    const struct known_type *known = find_type(type);
    if (known != NULL) {
        return known->exchange;
    }
    if (table_word == NULL) {
        table_word = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
        gradient_word = PyUnicode_InternFromString("requires_grad");
    }
    if (table_word == NULL || gradient_word == NULL) {
        PyErr_Clear();
        return NULL;
    }
    const struct dlpack_exchange *exchange = table_of((PyObject *)type);
    struct known_type *place = &known_types[next_known++ % (sizeof known_types / sizeof known_types[0])];
    PyObject *old = (PyObject *)place->type;
    Py_INCREF(type);
    *place = (struct known_type){type, exchange,
                                 exchange != NULL && exchange->view != NULL && is_of_torch((PyObject *)type)};
    Py_XDECREF(old);
    return exchange;
}

// ---- tensors
// -----------------------------------------------------------------------------------------------------------

static bool is_contiguous(const struct dlpack_tensor *tensor)
{
    int64_t stride = 1;
    for (int i = tensor->rank - 1; i >= 0 && tensor->strides != NULL; i--) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != stride) {
            return false;
        }
        stride *= tensor->shape[i];
    }
    return true;
}

static bool from_tensor(struct call *call, size_t index, const struct dlpack_tensor *tensor, bool is_readonly)
{
    struct extents *extents = &call->extents[index];
    if (tensor->rank > RILL_MAX_RANK) {
        return argument_fail(call, index, "the tensor has %d extents, and an array at most %d", (int)tensor->rank,
                             (int)RILL_MAX_RANK);
    }
    extents->rank = tensor->rank;
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++) {
        extents->extents[i] = tensor->shape[i];
        count *= (size_t)tensor->shape[i];
    }
    if (count > 0 && !is_contiguous(tensor)) {
        return argument_fail(call, index, "the tensor is not in one piece: pass a contiguous copy, x.contiguous()");
    }
    int kind = tensor->device.type;
    struct memory memory = {.address = (char *)tensor->data + tensor->byte_offset,
                            .type = dlpack_type_of(tensor->dtype),
                            .type_text = "of DLPack that Rill has not",
                            .itemsize = tensor->dtype.bits / 8u,
                            .count = count,
                            .is_readonly = is_readonly,
                            .is_device = kind == DLPACK_CUDA || kind == DLPACK_ROCM || kind == DLPACK_MANAGED,
                            .device = kind == DLPACK_MANAGED ? -1 : tensor->device.id};
    if (!memory.is_device && kind != DLPACK_CPU && kind != DLPACK_CUDA_HOST && kind != DLPACK_ROCM_HOST) {
        return argument_fail(call, index, "the tensor lies on a device that Rill does not know (DLPack's number %d)",
                             kind);
    }
    return argument_of_memory(call, index, &memory);
}

// A kernel is no part of what a library differentiates: a gradient would be lost, or be that of other values.
static bool has_gradient(struct call *call, size_t index, PyObject *value)
{
    PyObject *gradient = PyObject_GetAttr(value, gradient_word);
    int is_true = gradient == NULL ? 0 : PyObject_IsTrue(gradient);
    Py_XDECREF(gradient);
    PyErr_Clear();
    if (is_true > 0) {
        argument_fail(call, index,
                      "the tensor wants a gradient, and a kernel gives none: pass x.detach(), or make the kernel "
                      "an operator of torch, rill.torch.operator(), with a gradient of its own");
    }
    return is_true > 0;
}

// What the library says, without the frames that it adds to the first line.
static bool no_access(struct call *call, size_t index)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    char words[300] = "its library gives no reason";
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value == NULL ? NULL : PyObject_Str(value);
    PyObject *bytes = text == NULL ? NULL : PyUnicode_AsUTF8String(text);
    if (bytes != NULL) {
        snprintf(words, sizeof words, "%s", PyBytes_AsString(bytes));
        words[strcspn(words, "\n")] = '\0';
    }
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Clear();
    return argument_fail(call, index, "the tensor gives no access to its memory: %s", words);
}

static bool is_on_gpu(const struct dlpack_tensor *tensor)
{
    return tensor->device.type == DLPACK_CUDA || tensor->device.type == DLPACK_ROCM;
}

// Whether work on memory of a GPU goes to the stream of its library.
static bool goes_to_library(const struct call *call)
{
    rill_context context = call->kernel->base.context->handle;
    return (call->wanted == NULL || call->wanted == Py_None) && !call->kernel->base.context->is_cpu &&
           rill_current_stream(context).id == rill_default_stream(context).id;
}

bool argument_from_exchange(struct call *call, size_t index, PyObject *value, const struct dlpack_exchange *exchange)
{
    if (has_gradient(call, index, value)) {
        return false;
    }
    const struct known_type *known = find_type(Py_TYPE(value));
    struct dlpack_tensor view = {0};
    if (known != NULL && known->is_viewed && goes_to_library(call)) {
        if (exchange->view(value, &view) != 0) {
            return no_access(call, index);
        }
        if (is_on_gpu(&view)) {
            call->exchange = exchange;
            call->exchange_device = view.device;
            return from_tensor(call, index, &view, false);
        }
    }
    struct dlpack_versioned *tensor = NULL;
    if (exchange->give(value, &tensor) != 0 || tensor == NULL) {
        return no_access(call, index);
    }
    struct held *held = &call->held[call->held_count++];
    memset(held, 0, sizeof *held);
    held->tensor = tensor;
    if (!from_tensor(call, index, &tensor->tensor, (tensor->flags & DLPACK_READ_ONLY) != 0)) {
        return false;
    }
    if (call->items[index].kind == RILL_ARG_PTR || call->items[index].kind == RILL_ARG_CONST_PTR) {
        call->exchange = exchange;
        call->exchange_device = tensor->tensor.device;
        call->tensor_count++;
    }
    return true;
}

// ---- by methods
// --------------------------------------------------------------------------------------------------------

static bool lies_on_gpu(PyObject *value)
{
    PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", NULL);
    PyObject *kind =
        device != NULL && PyTuple_Check(device) && PyTuple_Size(device) == 2 ? PyTuple_GetItem(device, 0) : NULL;
    PyObject *number = kind == NULL ? NULL : PyNumber_Long(kind); // it may be an enumeration
    long which = number == NULL ? 0 : PyLong_AsLong(number);
    Py_XDECREF(number);
    Py_XDECREF(device);
    PyErr_Clear();
    return which == DLPACK_CUDA || which == DLPACK_ROCM;
}

// The number of our stream as DLPack has it: 1 is CUDA's legacy default stream, 0 AMD's. None for the CPU's memory.
static PyObject *our_stream(struct call *call, PyObject *value)
{
    rill_stream stream;
    void *native = NULL;
    if (call->kernel->base.context->is_cpu || !lies_on_gpu(value)) {
        Py_RETURN_NONE;
    }
    bool before = call->has_device_memory;
    call->has_device_memory = true; // as it will be
    bool is_known = call_stream(call, &stream);
    call->has_device_memory = before;
    if (!is_known) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_stream_native(stream, &native));
    return status == RILL_OK ? PyLong_FromVoidPtr(native) : core_fail(status);
}

// Whoever gives a tensor of a GPU makes it ready for the stream that it is told: ours. Libraries from before DLPack 1
// do not know the version.
static PyObject *ask_for_capsule(struct call *call, PyObject *value)
{
    PyObject *stream = our_stream(call, value);
    PyObject *method = stream == NULL ? NULL : PyObject_GetAttrString(value, "__dlpack__");
    PyObject *none = method == NULL ? NULL : PyTuple_New(0);
    PyObject *named = none == NULL ? NULL : Py_BuildValue("{s:O,s:(ii)}", "stream", stream, "max_version", 1, 0);
    PyObject *capsule = named == NULL ? NULL : PyObject_Call(method, none, named);
    if (capsule == NULL && named != NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        Py_DECREF(named);
        named = Py_BuildValue("{s:O}", "stream", stream);
        capsule = named == NULL ? NULL : PyObject_Call(method, none, named);
    }
    Py_XDECREF(named);
    Py_XDECREF(none);
    Py_XDECREF(method);
    Py_XDECREF(stream);
    return capsule;
}

bool argument_from_dlpack(struct call *call, size_t index, PyObject *value)
{
    PyObject *capsule = ask_for_capsule(call, value);
    if (capsule == NULL) {
        return false; // its own words are the best
    }
    struct held *held = &call->held[call->held_count++];
    memset(held, 0, sizeof *held);
    held->object = capsule; // its destructor gives the memory back
    if (PyCapsule_IsValid(capsule, DLPACK_VERSIONED_NAME)) {
        const struct dlpack_versioned *tensor = PyCapsule_GetPointer(capsule, DLPACK_VERSIONED_NAME);
        if (tensor->version.major != 1) {
            return argument_fail(call, index,
                                 "the tensor comes by version %u of DLPack, and Rill knows versions 0 and 1",
                                 (unsigned)tensor->version.major);
        }
        return from_tensor(call, index, &tensor->tensor, (tensor->flags & DLPACK_READ_ONLY) != 0);
    }
    const struct dlpack_managed *managed = PyCapsule_GetPointer(capsule, DLPACK_NAME);
    return managed != NULL && from_tensor(call, index, &managed->tensor, false);
}
