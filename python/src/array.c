// Arrays: made, viewed, wrapped, read and written through buffers, given to others.
#include "core.h"

#include "dlpack.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *array_type;

rill_array array_handle(PyObject *array)
{
    rill_array handle = {((struct handle_object *)array)->id};
    return handle;
}

static struct array_object *as_array(PyObject *self)
{
    return (struct array_object *)self;
}

static struct context_object *context_of(PyObject *self)
{
    return ((struct handle_object *)self)->context;
}

static bool shape_from(PyObject *extents, rill_shape *out_shape)
{
    memset(out_shape, 0, sizeof *out_shape);
    if (!PyTuple_Check(extents)) {
        PyErr_SetString(PyExc_TypeError, "a shape is a tuple of whole numbers");
        return false;
    }
    Py_ssize_t rank = PyTuple_Size(extents);
    if (rank > RILL_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "%zd extents: an array has at most %d", rank, (int)RILL_MAX_RANK);
        return false;
    }
    for (Py_ssize_t i = 0; i < rank; i++) {
        PyObject *extent = PyNumber_Index(PyTuple_GetItem(extents, i));
        if (extent == NULL) {
            return false;
        }
        out_shape->extents[i] = PyLong_AsLongLong(extent);
        Py_DECREF(extent);
        if (PyErr_Occurred()) {
            return false;
        }
    }
    out_shape->rank = (int32_t)rank;
    return true;
}

// Takes over the handle: if no object can be made, it is destroyed.
static PyObject *array_of(PyTypeObject *type, struct context_object *context, rill_array handle, PyObject *dtype)
{
    PyObject *self = handle_new(type, context, handle.id, true);
    if (self == NULL) {
        RILL_IGNORE(rill_array_destroy(handle));
        return NULL;
    }
    Py_INCREF(dtype);
    as_array(self)->dtype = dtype;
    rill_status status = rill_array_describe(handle, &as_array(self)->info);
    if (status != RILL_OK) {
        core_fail(status);
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", "type", "size", "shape", "dtype", NULL};
    struct context_object *context = NULL;
    int element = 0;
    Py_ssize_t size = 0;
    PyObject *extents = NULL, *dtype = NULL;
    rill_shape shape;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!inOO", names, context_type, &context, &element, &size, &extents,
                                     &dtype) ||
        !context_check(context) || !shape_from(extents, &shape)) {
        return NULL;
    }
    keep_poll(context, 2);
    rill_array array = {0};
    rill_status status;
    if (element == RILL_RECORD) {
        WITHOUT_GIL(status, rill_array_create_struct(context->handle, (size_t)size, shape, &array));
    } else {
        WITHOUT_GIL(status, rill_array_create(context->handle, (rill_type)element, shape, &array));
    }
    return status == RILL_OK ? array_of(type, context, array, dtype) : core_fail(status);
}

static void array_dealloc(PyObject *self)
{
    struct handle_object *handle = &as_array(self)->base;
    if (handle->id != 0 && handle->context->is_open) {
        rill_status status;
        WITHOUT_GIL(status, rill_array_destroy(array_handle(self)));
        (void)status; // only a handle that is none is refused
    }
    Py_CLEAR(as_array(self)->dtype);
    handle_free(self);
}

static PyObject *array_destroy(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_array array = array_handle(self);
    as_array(self)->base.id = 0;
    rill_status status;
    WITHOUT_GIL(status, rill_array_destroy(array));
    return core_none(status);
}

static PyObject *array_view(PyObject *self, PyObject *args)
{
    Py_ssize_t offset = 0;
    PyObject *extents = NULL;
    PyObject *dtype = as_array(self)->dtype;
    rill_shape shape;
    if (!PyArg_ParseTuple(args, "nO", &offset, &extents) || !handle_check(self) || !shape_from(extents, &shape)) {
        return NULL;
    }
    rill_array view = {0};
    rill_status status;
    WITHOUT_GIL(status, rill_array_view(array_handle(self), (size_t)offset, shape, &view));
    return status == RILL_OK ? array_of(Py_TYPE(self), context_of(self), view, dtype) : core_fail(status);
}

// _exchange(self, other): each array has the memory of the other from now on, so that one whose extents were not known
// may be made before them. Neither may be a parameter of work that is recorded.
static PyObject *array_exchange(PyObject *self, PyObject *other)
{
    if (!PyObject_TypeCheck(other, array_type) || context_of(self) != context_of(other)) {
        PyErr_SetString(PyExc_TypeError, "an array is exchanged with another one of its context");
        return NULL;
    }
    struct array_object *a = as_array(self), *b = as_array(other);
    uint64_t id = a->base.id;
    rill_array_info info = a->info;
    a->base.id = b->base.id;
    a->info = b->info;
    b->base.id = id;
    b->info = info;
    Py_RETURN_NONE;
}

// ---- memory of others
// --------------------------------------------------------------------------------------------------

// Called by Rill on any thread, also on one that holds the GIL.
static void on_release(void *user, void *memory)
{
    (void)memory;
    struct held *held = user;
    PyGILState_STATE state = PyGILState_Ensure();
    held_release(held, 1);
    PyGILState_Release(state);
    free(held);
}

// _wrap(cls, context, owner, address, type, size, shape, dtype): |address| is None for an owner with the buffer
// protocol.
static PyObject *array_wrap(PyObject *type, PyObject *args)
{
    struct context_object *context = NULL;
    PyObject *owner = NULL, *address = NULL, *extents = NULL, *dtype = NULL;
    int element = 0;
    Py_ssize_t size = 0;
    rill_wrap wrap = {0};
    if (!PyArg_ParseTuple(args, "O!OOinOO", context_type, &context, &owner, &address, &element, &size, &extents,
                          &dtype) ||
        !context_check(context) || !shape_from(extents, &wrap.shape)) {
        return NULL;
    }
    struct held *held = calloc(1, sizeof *held);
    if (held == NULL) {
        return PyErr_NoMemory();
    }
    if (address == Py_None) {
        if (buffer_get(owner, &held->buffer, BUFFER_ND | BUFFER_WRITABLE) != 0) {
            free(held);
            return NULL;
        }
        wrap.memory = held->buffer.buf;
    } else {
        wrap.memory = PyLong_AsVoidPtr(address);
        if (PyErr_Occurred()) {
            free(held);
            return NULL;
        }
        Py_INCREF(owner);
        held->object = owner;
    }
    wrap.type = (rill_type)element;
    wrap.element_size = (size_t)size;
    wrap.release = on_release;
    wrap.user = held;
    rill_array array = {0};
    rill_status status;
    WITHOUT_GIL(status, rill_array_wrap(context->handle, &wrap, &array));
    if (status != RILL_OK) {
        core_fail(status);
        held_release(held, 1);
        free(held);
        return NULL;
    }
    return array_of((PyTypeObject *)type, context, array, dtype);
}

static PyObject *array_address(PyObject *self, void *none)
{
    (void)none;
    void *address = NULL;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status = rill_array_address(array_handle(self), &address);
    return status == RILL_OK ? PyLong_FromVoidPtr(address) : core_fail(status);
}

// ---- copies
// ------------------------------------------------------------------------------------------------------------

// _read(buffer, offset, count, stream) and _write: elements from |offset| on. They wait, without the GIL.
static PyObject *copy(PyObject *self, PyObject *args, bool is_read)
{
    PyObject *object = NULL, *stream_object = Py_None;
    Py_ssize_t offset = 0, count = 0;
    rill_stream stream;
    if (!PyArg_ParseTuple(args, "Onn|O", &object, &offset, &count, &stream_object) || !handle_check(self) ||
        !stream_from(stream_object, context_of(self), &stream)) {
        return NULL;
    }
    struct buffer buffer = {0};
    if (buffer_get(object, &buffer, BUFFER_ND | (is_read ? BUFFER_WRITABLE : 0)) != 0) {
        return NULL;
    }
    size_t size = as_array(self)->info.element_size * (size_t)count;
    rill_status status;
    if (offset < 0 || count < 0 || (size_t)buffer.len != size) {
        core_fail_with(RILL_ERR_INVALID, "a buffer of %zd bytes was given for %zd elements, which have %zu", buffer.len,
                       count, size);
        status = RILL_ERR_INVALID;
    } else {
        rill_array array = array_handle(self);
        if (is_read) {
            WITHOUT_GIL(status, rill_array_read_at(array, stream, (size_t)offset, buffer.buf, (size_t)count));
        } else {
            WITHOUT_GIL(status, rill_array_write_at(array, stream, (size_t)offset, buffer.buf, (size_t)count));
        }
        if (status != RILL_OK) {
            core_fail(status);
        }
    }
    PyObject *kind = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&kind, &value, &trace);
    buffer_release(&buffer);
    PyErr_Restore(kind, value, trace);
    if (status != RILL_OK) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *array_read(PyObject *self, PyObject *args)
{
    return copy(self, args, true);
}

static PyObject *array_write(PyObject *self, PyObject *args)
{
    return copy(self, args, false);
}

static PyObject *array_fill(PyObject *self, PyObject *args)
{
    const char *element = NULL;
    Py_ssize_t size = 0;
    PyObject *stream_object = Py_None;
    rill_stream stream;
    if (!PyArg_ParseTuple(args, "y#|O", &element, &size, &stream_object) || !handle_check(self) ||
        !stream_from(stream_object, context_of(self), &stream)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_array_fill(array_handle(self), stream, element, (size_t)size));
    return core_none(status);
}

// _copy(source, stream, source_stream)
static PyObject *array_copy(PyObject *self, PyObject *args)
{
    PyObject *source = NULL, *stream_object = Py_None, *source_object = Py_None;
    rill_stream stream, source_stream;
    if (!PyArg_ParseTuple(args, "O!|OO", array_type, &source, &stream_object, &source_object) || !handle_check(self) ||
        !handle_check(source) || !stream_from(stream_object, context_of(self), &stream)) {
        return NULL;
    }
    rill_status status;
    if (context_of(self) == context_of(source)) {
        WITHOUT_GIL(status, rill_array_copy(array_handle(self), array_handle(source), stream));
    } else {
        if (!stream_from(source_object, context_of(source), &source_stream)) {
            return NULL;
        }
        WITHOUT_GIL(status, rill_array_transfer(array_handle(self), stream, array_handle(source), source_stream));
    }
    return core_none(status);
}

// ---- views of the memory in other hands
// ---------------------------------------------------------------------------------- An Export is a view of its own: it
// keeps the memory, also behind destroy() and close(), until it is let go.

struct export_object {
    PyObject_HEAD struct context_object *context; // owned, and counted
    rill_array view;
    void *address;
    rill_array_info info;
};

static PyTypeObject *export_type;

static void export_dealloc(PyObject *object)
{
    struct export_object *self = (struct export_object *)object;
    struct context_object *context = self->context;
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    if (context != NULL) {
        rill_status status;
        WITHOUT_GIL(status, rill_array_destroy(self->view));
        (void)status; // only a handle that is none is refused
        context_unexport(context);
    }
    PyErr_Restore(type, value, trace);
    core_free(object);
}

static PyObject *array_export(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    struct array_object *array = as_array(self);
    rill_array view = {0};
    void *address = NULL;
    rill_status status = rill_array_view(array_handle(self), 0, array->info.shape, &view);
    if (status == RILL_OK) {
        status = rill_array_address(view, &address);
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(export_type, Py_tp_alloc);
    PyObject *object = status == RILL_OK ? allocate(export_type, 0) : NULL;
    if (object == NULL) {
        if (status != RILL_OK) {
            core_fail(status);
        }
        if (view.id != 0) {
            RILL_IGNORE(rill_array_destroy(view));
        }
        return NULL;
    }
    struct export_object *result = (struct export_object *)object;
    result->context = array->base.context;
    context_export(result->context);
    result->view = view;
    result->address = address;
    result->info = array->info;
    return object;
}

static PyObject *export_address(PyObject *object, void *none)
{
    (void)none;
    return PyLong_FromVoidPtr(((struct export_object *)object)->address);
}

static void capsule_release(PyObject *capsule)
{
    struct dlpack_managed *managed = PyCapsule_GetPointer(capsule, DLPACK_NAME);
    if (managed == NULL) {
        PyErr_Clear(); // somebody took it over, and renamed the capsule
        return;
    }
    managed->deleter(managed);
}

struct exported_tensor {
    struct dlpack_managed managed;
    int64_t shape[RILL_MAX_RANK];
    int64_t strides[RILL_MAX_RANK];
};

// Called by whoever took the tensor, on any thread, perhaps without the GIL, perhaps after the end of Python.
static void on_delete(struct dlpack_managed *managed)
{
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF((PyObject *)managed->context);
        PyGILState_Release(state);
    }
    free(managed);
}

// _dlpack(device_type, device_id): a capsule.
static PyObject *export_dlpack(PyObject *object, PyObject *args)
{
    struct export_object *self = (struct export_object *)object;
    int device = 0, number = 0;
    if (!PyArg_ParseTuple(args, "ii", &device, &number)) {
        return NULL;
    }
    struct exported_tensor *tensor = calloc(1, sizeof *tensor);
    if (tensor == NULL) {
        return PyErr_NoMemory();
    }
    struct dlpack_tensor *plain = &tensor->managed.tensor;
    int code = dlpack_code_of((int)self->info.type);
    if (code < 0) {
        free(tensor);
        return core_fail_with(RILL_ERR_UNSUPPORTED, "DLPack has no structs: use numpy()");
    }
    plain->data = self->address;
    plain->device.type = device;
    plain->device.id = number;
    plain->rank = self->info.shape.rank;
    plain->dtype.code = (uint8_t)code;
    plain->dtype.bits = (uint8_t)(8 * self->info.element_size);
    plain->dtype.lanes = 1;
    plain->shape = tensor->shape;
    plain->strides = tensor->strides;
    int64_t stride = 1;
    for (int i = plain->rank - 1; i >= 0; i--) {
        tensor->shape[i] = self->info.shape.extents[i];
        tensor->strides[i] = stride;
        stride *= tensor->shape[i];
    }
    tensor->managed.context = object;
    tensor->managed.deleter = on_delete;
    PyObject *capsule = PyCapsule_New(tensor, DLPACK_NAME, capsule_release);
    if (capsule == NULL) {
        free(tensor);
        return NULL;
    }
    Py_INCREF(object);
    return capsule;
}

static PyMethodDef export_methods[] = {
    {"_dlpack", export_dlpack, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef export_getters[] = {
    {"address", export_address, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot export_slots[] = {
    {Py_tp_dealloc, export_dealloc},
    {Py_tp_methods, export_methods},
    {Py_tp_getset, export_getters},
    {Py_tp_doc, "A view of an array's memory in other hands."},
    {0, NULL},
};
static PyType_Spec export_spec = {"rill._core.Export", sizeof(struct export_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, export_slots};

// ---- the type
// ----------------------------------------------------------------------------------------------------------

static PyObject *array_context(PyObject *self, void *none)
{
    (void)none;
    PyObject *context = (PyObject *)context_of(self);
    Py_INCREF(context);
    return context;
}

static PyObject *array_id(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(as_array(self)->base.id);
}

static PyObject *array_shape(PyObject *self, void *none)
{
    (void)none;
    const rill_shape *shape = &as_array(self)->info.shape;
    PyObject *tuple = PyTuple_New(shape->rank);
    for (int i = 0; tuple != NULL && i < shape->rank; i++) {
        PyObject *extent = PyLong_FromLongLong(shape->extents[i]);
        if (extent == NULL || PyTuple_SetItem(tuple, i, extent) != 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

static PyObject *array_dtype(PyObject *self, void *none)
{
    (void)none;
    PyObject *dtype = as_array(self)->dtype;
    Py_INCREF(dtype);
    return dtype;
}

static PyObject *array_itemsize(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromSize_t(as_array(self)->info.element_size);
}

static PyObject *array_nbytes(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromSize_t(as_array(self)->info.size);
}

static PyMethodDef methods[] = {
    {"destroy", array_destroy, METH_NOARGS,
     "Gives the memory back when the work that uses it has run. Does not wait; the array cannot be used any more."},
    {"_view", array_view, METH_VARARGS, NULL},
    {"_exchange", array_exchange, METH_O, NULL},
    {"_wrap", array_wrap, METH_VARARGS | METH_CLASS, NULL},
    {"_read", array_read, METH_VARARGS, NULL},
    {"_write", array_write, METH_VARARGS, NULL},
    {"_fill", array_fill, METH_VARARGS, NULL},
    {"_copy", array_copy, METH_VARARGS, NULL},
    {"_export", array_export, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getters[] = {
    {"context", array_context, NULL, "The context that it was made on.", NULL},
    {"id", array_id, NULL, "The handle of the C interface.", NULL},
    {"shape", array_shape, NULL, "The extents, outermost first.", NULL},
    {"dtype", array_dtype, NULL, "What the elements are.", NULL},
    {"itemsize", array_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", array_nbytes, NULL, "Bytes in all.", NULL},
    {"address", array_address, NULL, "The device address of the first element.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, array_new},  {Py_tp_dealloc, array_dealloc},     {Py_tp_methods, methods},
    {Py_tp_getset, getters}, {Py_tp_doc, "Memory of a device."}, {0, NULL},
};
static PyType_Spec spec = {"rill._core.Array", sizeof(struct array_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           slots};

bool array_make_type(PyObject *module)
{
    return core_add_type(module, &spec, &array_type) && core_add_type(module, &export_spec, &export_type);
}
