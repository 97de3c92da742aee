// Kernels: what a call does. The arguments become a list of rill_arg on the stack; memory of others is held until the
// work that uses it is done.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *kernel_type;
PyObject *kernel_struct_packer;

static PyObject *stream_word;    // "stream", interned
static PyObject *result_word;    // "result", interned
static PyObject *stream_chooser; // asked where work on other people's device memory goes; or NULL

static struct kernel_object *as_kernel(PyObject *self)
{
    return (struct kernel_object *)self;
}

// ---- making
// ------------------------------------------------------------------------------------------------------------

static bool describe_param(struct kernel_object *self, size_t index)
{
    rill_param_info info;
    rill_kernel handle = {self->base.id};
    rill_status status = rill_kernel_param(handle, index, &info);
    if (status != RILL_OK) {
        core_fail(status);
        return false;
    }
    struct param *param = &self->params[index];
    param->name = PyUnicode_InternFromString(info.name);
    param->name_bytes = PyBytes_FromString(info.name);
    if (param->name == NULL || param->name_bytes == NULL) {
        return false;
    }
    param->text = PyBytes_AsString(param->name_bytes);
    param->extent_of = EXTENT_NONE;
    param->is_array = info.is_array;
    param->is_const = info.is_const;
    param->is_record = !info.is_array && info.type->kind == RILL_KIND_RECORD;
    param->type = info.type->kind == RILL_KIND_SCALAR ? info.type->type : RILL_RECORD;
    param->is_float =
        param->type == RILL_F32 || param->type == RILL_F64 || param->type == RILL_F16 || param->type == RILL_BF16;
    param->rank = info.rank;
    param->size = info.type->size;
    snprintf(param->type_name, sizeof param->type_name, "%s", info.type->name);
    self->has_shapes = self->has_shapes || (param->is_array && param->rank > 1);
    return true;
}

static void note_visible(struct kernel_object *self)
{
    self->visible_count = 0;
    for (size_t i = 0; i < self->count && i < RILL_MAX_ARGS; i++) {
        if (self->params[i].extent_of == EXTENT_NONE) {
            self->visible[self->visible_count++] = (unsigned char)i;
        }
    }
}

static bool describe(struct kernel_object *self)
{
    rill_kernel_info info;
    rill_kernel handle = {self->base.id};
    rill_status status = rill_kernel_describe(handle, &info);
    if (status != RILL_OK) {
        core_fail(status);
        return false;
    }
    self->name = PyUnicode_FromString(info.name);
    self->name_bytes = PyBytes_FromString(info.name);
    self->params = calloc(info.param_count + 1, sizeof *self->params);
    if (self->name == NULL || self->name_bytes == NULL || self->params == NULL) {
        PyErr_NoMemory();
        return false;
    }
    self->text = PyBytes_AsString(self->name_bytes);
    self->count = info.param_count;
    self->result_kind = info.returns->kind;
    self->result_type = info.returns->kind == RILL_KIND_SCALAR ? info.returns->type : RILL_RECORD;
    self->result_size = info.returns->kind == RILL_KIND_VOID ? 0 : info.returns->size;
    for (size_t i = 0; i < self->count; i++) {
        if (!describe_param(self, i)) {
            return false;
        }
    }
    note_visible(self);
    return true;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"module", "name", NULL};
    PyObject *module = NULL;
    const char *name = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|z", names, module_type, &module, &name) ||
        !handle_check(module)) {
        return NULL;
    }
    rill_module module_handle = {((struct handle_object *)module)->id};
    rill_kernel kernel = {0};
    rill_status status = rill_module_kernel(module_handle, name, &kernel);
    if (status != RILL_OK) {
        return core_fail(status);
    }
    PyObject *self = handle_new(type, ((struct handle_object *)module)->context, kernel.id, false);
    if (self == NULL) {
        return NULL;
    }
    Py_INCREF(module);
    as_kernel(self)->module = module;
    if (!describe(as_kernel(self))) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

// A module keeps the kernels that were looked up in it, and a kernel its module: the collector must see the ring.
static int kernel_traverse(PyObject *object, visitproc visit, void *arg)
{
    struct kernel_object *self = as_kernel(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->module);
    for (size_t i = 0; self->params != NULL && i < self->count; i++) {
        Py_VISIT(self->params[i].value);
    }
    return 0;
}

static int kernel_clear(PyObject *object)
{
    struct kernel_object *self = as_kernel(object);
    Py_CLEAR(self->module);
    for (size_t i = 0; self->params != NULL && i < self->count; i++) {
        Py_CLEAR(self->params[i].value);
    }
    return 0;
}

static void kernel_dealloc(PyObject *object)
{
    struct kernel_object *self = as_kernel(object);
    PyObject_GC_UnTrack(object);
    for (size_t i = 0; self->params != NULL && i < self->count; i++) {
        Py_CLEAR(self->params[i].name);
        Py_CLEAR(self->params[i].name_bytes);
        Py_CLEAR(self->params[i].value);
    }
    free(self->params);
    Py_CLEAR(self->name);
    Py_CLEAR(self->name_bytes);
    Py_CLEAR(self->module);
    handle_free(object);
}

// ---- calling
// -----------------------------------------------------------------------------------------------------------

static int index_of(const struct kernel_object *self, PyObject *name)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->params[i].name == name && self->params[i].extent_of == EXTENT_NONE) {
            return (int)i;
        }
    }
    for (size_t i = 0; i < self->count; i++) {
        if (self->params[i].extent_of == EXTENT_NONE && PyUnicode_Compare(self->params[i].name, name) == 0) {
            return (int)i;
        }
    }
    PyErr_Clear();
    return -1;
}

struct named {
    PyObject *stream; // borrowed, or NULL
    PyObject *result;
};

// Puts the values of |kwargs| to their parameters; what is no parameter must be one of ours.
static bool take_named(const struct kernel_object *self, PyObject *kwargs, PyObject **values, bool has_result,
                       struct named *out)
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
        if (key == stream_word || PyUnicode_Compare(key, stream_word) == 0) {
            out->stream = value;
            continue;
        }
        if (has_result && PyUnicode_Compare(key, result_word) == 0) {
            out->result = value;
            continue;
        }
        int index = index_of(self, key);
        if (index < 0) {
            PyErr_Format(PyExc_TypeError, "kernel '%s' has no parameter %R", self->text, key);
            return false;
        }
        if (values[index] != NULL) {
            PyErr_Format(PyExc_TypeError, "kernel '%s' got two values for parameter %R", self->text, key);
            return false;
        }
        values[index] = value;
    }
    return true;
}

static bool take_values(const struct kernel_object *self, PyObject *args, PyObject *kwargs, PyObject **values,
                        bool has_result, struct named *out)
{
    size_t given = (size_t)PyTuple_Size(args);
    if (given > self->visible_count) {
        PyErr_Format(PyExc_TypeError, "kernel '%s' takes %zu arguments, and got %zu", self->text, self->visible_count,
                     given);
        return false;
    }
    for (size_t i = 0; i < self->visible_count; i++) {
        values[self->visible[i]] = i < given ? PyTuple_GetItem(args, (Py_ssize_t)i) : NULL;
    }
    if (kwargs != NULL && !take_named(self, kwargs, values, has_result, out)) {
        return false;
    }
    for (size_t i = given; i < self->visible_count; i++) {
        size_t index = self->visible[i];
        values[index] = values[index] != NULL ? values[index] : self->params[index].value;
        if (values[index] == NULL) {
            PyErr_Format(PyExc_TypeError, "kernel '%s' got no value for parameter '%s'", self->text,
                         self->params[index].text);
            return false;
        }
    }
    return true;
}

// The parameters that get no value of the call: bound ones, and extents of arrays.
static bool take_hidden(struct call *call, PyObject **values)
{
    struct kernel_object *self = call->kernel;
    for (size_t i = 0; i < self->count; i++) {
        const struct param *param = &self->params[i];
        if (param->extent_of == EXTENT_BOUND && !argument_from(call, i, param->value)) {
            return false;
        }
        if (param->extent_of < 0) {
            continue;
        }
        size_t index = (size_t)param->extent_of;
        const struct extents *extents = &call->extents[index];
        int rank = extents->rank;
        const int64_t *numbers = extents->extents;
        if (rank < 0) {
            const rill_shape *shape = &((struct array_object *)values[index])->info.shape;
            rank = shape->rank;
            numbers = shape->extents;
        }
        if (rank != self->params[index].rank) {
            return argument_fail(call, index, "takes an array of %d extents, and what was passed has %d",
                                 self->params[index].rank, rank);
        }
        call->items[i] = rill_arg_int(numbers[param->axis]);
    }
    return true;
}

// The stream that the library whose tensors these are works on.
static bool stream_of_exchange(struct call *call, rill_stream *out_stream)
{
    void *native = NULL;
    rill_status status;
    if (call->exchange->current_stream(call->exchange_device.type, call->exchange_device.id, &native) != 0) {
        return false;
    }
    WITHOUT_GIL(status, rill_stream_wrap(call->kernel->base.context->handle, native, out_stream));
    if (status != RILL_OK) {
        core_fail(status);
        return false;
    }
    call->is_on_their_stream = true;
    return true;
}

bool call_stream(struct call *call, rill_stream *out_stream)
{
    struct context_object *context = call->kernel->base.context;
    if (!stream_from(call->wanted, context, out_stream)) {
        return false;
    }
    if (!call->has_device_memory || (call->wanted != NULL && call->wanted != Py_None) ||
        out_stream->id != rill_default_stream(context->handle).id) {
        return true;
    }
    if (call->exchange != NULL) {
        return stream_of_exchange(call, out_stream);
    }
    if (stream_chooser == NULL) {
        return true;
    }
    PyObject *chosen = PyObject_CallFunctionObjArgs(stream_chooser, (PyObject *)context, NULL);
    bool is_done = chosen != NULL && stream_from(chosen, context, out_stream);
    Py_XDECREF(chosen);
    return is_done;
}

// The launch comes behind what the owners of its memory have queued.
static bool wait_for_owners(struct call *call, rill_stream stream)
{
    rill_status status = RILL_OK;
    for (size_t i = 0; i < call->owner_count && status == RILL_OK; i++) {
        rill_stream owner = {0};
        WITHOUT_GIL(status, rill_stream_wrap(call->kernel->base.context->handle, call->owners[i], &owner));
        if (status == RILL_OK && owner.id != stream.id) {
            WITHOUT_GIL(status, rill_stream_wait(stream, owner));
        }
    }
    if (status != RILL_OK) {
        core_fail(status);
    }
    return status == RILL_OK;
}

static PyObject *result_of(const struct kernel_object *self, const void *memory)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } value;
    if (self->result_kind != RILL_KIND_SCALAR) {
        return PyBytes_FromStringAndSize(memory, (Py_ssize_t)self->result_size);
    }
    memcpy(&value, memory, self->result_size < sizeof value ? self->result_size : sizeof value);
    switch (self->result_type) {
    case RILL_BOOL: return PyBool_FromLong(value.u8);
    case RILL_I8: return PyLong_FromLong(value.i8);
    case RILL_U8: return PyLong_FromLong(value.u8);
    case RILL_I16: return PyLong_FromLong(value.i16);
    case RILL_U16: return PyLong_FromLong(value.u16);
    case RILL_I32: return PyLong_FromLong(value.i32);
    case RILL_U32: return PyLong_FromUnsignedLong(value.u32);
    case RILL_I64: return PyLong_FromLongLong(value.i64);
    case RILL_U64: return PyLong_FromUnsignedLongLong(value.u64);
    case RILL_F32: return PyFloat_FromDouble((double)value.f32);
    case RILL_F64: return PyFloat_FromDouble(value.f64);
    case RILL_F16:
    case RILL_BF16:
    case RILL_RECORD: break;
    }
    return PyBytes_FromStringAndSize(memory, (Py_ssize_t)self->result_size);
}

// Lets go of what the call took; an exception that is on its way stays.
static void let_go(struct call *call)
{
    if (call->held_count > 0) {
        PyObject *type = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        held_release(call->held, call->held_count);
        PyErr_Restore(type, value, trace);
    }
}

static PyObject *wait_for_result(struct call *call, rill_stream stream, rill_args args)
{
    char small[64], *memory = small;
    struct kernel_object *self = call->kernel;
    rill_kernel kernel = {self->base.id};
    if (self->result_size > sizeof small && (memory = malloc(self->result_size)) == NULL) {
        let_go(call);
        return PyErr_NoMemory();
    }
    rill_status status;
    WITHOUT_GIL(status, rill_call(kernel, stream, args, self->result_size > 0 ? memory : NULL, self->result_size));
    PyObject *result = NULL;
    if (status != RILL_OK) {
        core_fail(status);
    } else if (self->result_size == 0) {
        result = Py_None;
        Py_INCREF(result);
    } else {
        result = result_of(self, memory);
    }
    if (memory != small) {
        free(memory);
    }
    let_go(call);
    return result;
}

static PyObject *queue(struct call *call, rill_stream stream, rill_args args, PyObject *result)
{
    struct kernel_object *self = call->kernel;
    struct context_object *context = self->base.context;
    rill_kernel kernel = {self->base.id};
    rill_status status;
    if (result == NULL) {
        WITHOUT_GIL(status, rill_launch(kernel, stream, args));
    } else {
        WITHOUT_GIL(status, rill_launch_result(kernel, stream, args, array_handle(result)));
    }
    if (status != RILL_OK) {
        core_fail(status);
        // Only a GPU's driver that fails in the middle leaves something queued.
        if (context->is_cpu || (status != RILL_ERR_DEVICE && status != RILL_ERR_OUT_OF_MEMORY)) {
            let_go(call);
            return NULL;
        }
    }
    // On the stream of their library its allocator keeps memory in order, as it does for the library's own work.
    if (call->held_count > 0 && context->is_open &&
        !(call->is_on_their_stream && call->held_count == call->tensor_count)) {
        PyObject *type = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        keep_until(context, stream, call->held, call->held_count);
        PyErr_Restore(type, value, trace);
    } else {
        let_go(call); // closed by another thread, which has waited
    }
    if (status != RILL_OK) {
        return NULL;
    }
    Py_RETURN_NONE;
}

enum manner { BY_RETURN, WAITING, QUEUED };

static PyObject *run(PyObject *object, PyObject *args, PyObject *kwargs, enum manner manner)
{
    struct kernel_object *self = as_kernel(object);
    PyObject *values[RILL_MAX_ARGS + 1];
    struct named named = {0};
    struct call call;
    call.kernel = self;
    call.held_count = 0;
    call.tensor_count = 0;
    call.has_device_memory = false;
    call.exchange = NULL;
    call.is_on_their_stream = false;
    call.owner_count = 0;
    if (!handle_check(object) || self->count > RILL_MAX_ARGS ||
        !take_values(self, args, kwargs, values, manner == QUEUED, &named)) {
        return NULL;
    }
    if (named.result != NULL && named.result != Py_None &&
        (!PyObject_TypeCheck(named.result, array_type) || !handle_check(named.result))) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "result must be a rill.Array of one element");
    }
    call.wanted = named.stream;
    keep_poll(self->base.context, 2);
    for (size_t i = 0; i < self->visible_count; i++) {
        size_t index = self->visible[i];
        if (!argument_from(&call, index, values[index])) {
            let_go(&call);
            return NULL;
        }
    }
    rill_stream stream;
    if ((self->visible_count < self->count && !take_hidden(&call, values)) ||
        (self->has_shapes && call.held_count > 0 && !argument_check_shapes(&call)) || !call_stream(&call, &stream) ||
        (call.owner_count > 0 && !wait_for_owners(&call, stream))) {
        let_go(&call);
        return NULL;
    }
    rill_args list = {call.items, self->count};
    if (manner == WAITING || (manner == BY_RETURN && self->result_size > 0)) {
        return wait_for_result(&call, stream, list);
    }
    return queue(&call, stream, list, named.result == Py_None ? NULL : named.result);
}

static PyObject *kernel_tp_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return run(self, args, kwargs, BY_RETURN);
}

static PyObject *kernel_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return run(self, args, kwargs, WAITING);
}

static PyObject *kernel_launch(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return run(self, args, kwargs, QUEUED);
}

// ---- the rest
// ------------------------------------------------------------------------------------------------------------

static PyObject *kernel_set_default(PyObject *object, PyObject *args)
{
    struct kernel_object *self = as_kernel(object);
    PyObject *name = NULL, *value = NULL;
    if (!PyArg_ParseTuple(args, "UO", &name, &value)) {
        return NULL;
    }
    int index = index_of(self, name);
    if (index < 0) {
        return PyErr_Format(PyExc_TypeError, "kernel '%s' has no parameter %R", self->text, name);
    }
    Py_INCREF(value);
    REPLACE(self->params[index].value, value);
    Py_RETURN_NONE;
}

// _bind(index, value): parameter |index| gets |value| in every call.
static PyObject *kernel_bind(PyObject *object, PyObject *args)
{
    struct kernel_object *self = as_kernel(object);
    Py_ssize_t index = 0;
    PyObject *value = NULL;
    if (!PyArg_ParseTuple(args, "nO", &index, &value)) {
        return NULL;
    }
    if (index < 0 || (size_t)index >= self->count) {
        return PyErr_Format(PyExc_ValueError, "kernel '%s' has no such parameter", self->text);
    }
    Py_INCREF(value);
    REPLACE(self->params[index].value, value);
    self->params[index].extent_of = EXTENT_BOUND;
    note_visible(self);
    Py_RETURN_NONE;
}

// _set_extent(index, array, axis): parameter |index| gets an extent of the array parameter of that name, and no value
// of a call. Whoever says so says it for all extents of all arrays.
static PyObject *kernel_set_extent(PyObject *object, PyObject *args)
{
    struct kernel_object *self = as_kernel(object);
    Py_ssize_t index = 0;
    PyObject *name = NULL;
    int axis = 0;
    if (!PyArg_ParseTuple(args, "nUi", &index, &name, &axis)) {
        return NULL;
    }
    int array = index_of(self, name);
    if (index < 0 || (size_t)index >= self->count || array < 0 || axis < 0 || axis >= self->params[array].rank) {
        return PyErr_Format(PyExc_ValueError, "kernel '%s' has no such extent", self->text);
    }
    self->params[index].extent_of = array;
    self->params[index].axis = axis;
    self->has_shapes = false; // they are what they are
    note_visible(self);
    Py_RETURN_NONE;
}

static PyObject *kernel_params(PyObject *object, void *none)
{
    (void)none;
    struct kernel_object *self = as_kernel(object);
    PyObject *list = PyTuple_New((Py_ssize_t)self->visible_count);
    for (size_t i = 0; list != NULL && i < self->visible_count; i++) {
        const struct param *p = &self->params[self->visible[i]];
        PyObject *item =
            Py_BuildValue("(OOOiisnN)", p->name, p->is_array ? Py_True : Py_False, p->is_const ? Py_True : Py_False,
                          p->rank, (int)p->type, p->type_name, (Py_ssize_t)p->size, PyBool_FromLong(p->value != NULL));
        if (item == NULL || PyTuple_SetItem(list, (Py_ssize_t)i, item) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *kernel_default(PyObject *object, PyObject *name)
{
    struct kernel_object *self = as_kernel(object);
    int index = index_of(self, name);
    PyObject *value = index < 0 || self->params[index].value == NULL ? Py_None : self->params[index].value;
    Py_INCREF(value);
    return value;
}

static PyObject *kernel_info(PyObject *object, void *none)
{
    (void)none;
    struct kernel_object *self = as_kernel(object);
    rill_kernel handle = {self->base.id};
    rill_kernel_info info;
    if (!handle_check(object)) {
        return NULL;
    }
    rill_status status = rill_kernel_describe(handle, &info);
    if (status != RILL_OK) {
        return core_fail(status);
    }
    return Py_BuildValue("(sInis)", info.file, (unsigned)info.line, (Py_ssize_t)info.task_count, (int)self->result_kind,
                         info.returns->name);
}

static PyObject *kernel_name(PyObject *object, void *none)
{
    (void)none;
    PyObject *name = as_kernel(object)->name;
    Py_INCREF(name);
    return name;
}

static PyObject *kernel_module(PyObject *object, void *none)
{
    (void)none;
    PyObject *module = as_kernel(object)->module;
    if (module == NULL) {
        return core_fail_with(RILL_ERR_STALE, "the kernel is being collected");
    }
    Py_INCREF(module);
    return module;
}

static PyObject *kernel_id(PyObject *object, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(as_kernel(object)->base.id);
}

static PyMethodDef methods[] = {
    {"launch", (PyCFunction)(void (*)(void))kernel_launch, METH_VARARGS | METH_KEYWORDS,
     "Queues the kernel and returns at once, whatever it returns; result= is an Array of one element that gets that in "
     "stream order."},
    {"call", (PyCFunction)(void (*)(void))kernel_call, METH_VARARGS | METH_KEYWORDS,
     "Queues the kernel, waits for it and returns what it returned. Its failure is raised, and leaves no error on the "
     "stream."},
    {"_set_default", kernel_set_default, METH_VARARGS, NULL},
    {"_bind", kernel_bind, METH_VARARGS, NULL},
    {"_set_extent", kernel_set_extent, METH_VARARGS, NULL},
    {"_default", kernel_default, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getters[] = {
    {"name", kernel_name, NULL, "The function's name in the source.", NULL},
    {"module", kernel_module, NULL, "The module that it is of.", NULL},
    {"id", kernel_id, NULL, "The handle of the C interface.", NULL},
    {"_params", kernel_params, NULL, NULL, NULL},
    {"_info", kernel_info, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_traverse, kernel_traverse},
    {Py_tp_clear, kernel_clear},
    {Py_tp_call, kernel_tp_call},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc,
     "Called with the kernel's arguments: queues it, and returns at once unless the kernel returns a value."},
    {0, NULL},
};
static PyType_Spec spec = {"rill._core.Kernel", sizeof(struct kernel_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

static PyObject *set_stream_chooser(PyObject *module, PyObject *callable)
{
    (void)module;
    Py_INCREF(callable);
    REPLACE(stream_chooser, callable);
    Py_RETURN_NONE;
}

static PyObject *set_struct_packer(PyObject *module, PyObject *callable)
{
    (void)module;
    Py_INCREF(callable);
    REPLACE(kernel_struct_packer, callable);
    Py_RETURN_NONE;
}

static PyMethodDef packer = {"set_struct_packer", set_struct_packer, METH_O, NULL};
static PyMethodDef chooser = {"set_stream_chooser", set_stream_chooser, METH_O, NULL};

bool kernel_make_type(PyObject *module)
{
    stream_word = PyUnicode_InternFromString("stream");
    result_word = PyUnicode_InternFromString("result");
    PyObject *function = PyCFunction_New(&chooser, module), *second = PyCFunction_New(&packer, module);
    return stream_word != NULL && result_word != NULL && function != NULL && second != NULL &&
           PyModule_AddObject(module, "set_stream_chooser", function) == 0 &&
           PyModule_AddObject(module, "set_struct_packer", second) == 0 && core_add_type(module, &spec, &kernel_type);
}
