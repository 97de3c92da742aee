// Steps: what a thread records on a context and launches as one. Memory of others that was recorded is kept as long as
// the step, or work of it that is queued, uses it.
#include "step.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *step_type;

#define MEMORIES "rill.memories" // the name of capsules

// What one thread records on one context.
struct recording {
    struct recording *next;
    unsigned long thread;
    struct memories *memories; // owned
};

// Memory of others, and how many objects keep it: the step, and the launches that are queued.
struct memories {
    size_t count, capacity;
    struct held *items; // owned
};

struct step_object {
    struct handle_object base;
    PyObject *memories; // owned: a capsule, which every launch holds
};

static struct step_object *as_step(PyObject *self)
{
    return (struct step_object *)self;
}

static rill_step step_handle(PyObject *self)
{
    rill_step step = {((struct handle_object *)self)->id};
    return step;
}

// ---- recording -----------------------------------------------------------------------------------------------------

static struct recording **find(struct context_object *context)
{
    unsigned long thread = PyThread_get_thread_ident();
    struct recording **place = &context->recordings;
    while (*place != NULL && (*place)->thread != thread) {
        place = &(*place)->next;
    }
    return place;
}

bool step_is_recording(struct context_object *context)
{
    return context->recordings != NULL && *find(context) != NULL;
}

static void free_memories(struct memories *memories)
{
    held_release(memories->items, memories->count);
    free(memories->items);
    free(memories);
}

void step_forget(struct context_object *context)
{
    while (context->recordings != NULL) {
        struct recording *recording = context->recordings;
        context->recordings = recording->next;
        free_memories(recording->memories);
        free(recording);
    }
}

void step_keep(struct context_object *context, struct held *held, size_t count)
{
    struct memories *memories = (*find(context))->memories;
    if (memories->capacity - memories->count < count) {
        size_t capacity = 2 * memories->capacity + count;
        struct held *items = realloc(memories->items, capacity * sizeof *items);
        if (items == NULL) {
            return; // they are kept for ever: what is recorded may use them
        }
        memories->items = items;
        memories->capacity = capacity;
    }
    memcpy(memories->items + memories->count, held, count * sizeof *held);
    memories->count += count;
}

// The memories of this thread's recording, which is over.
static struct memories *end_recording(struct context_object *context)
{
    struct recording **place = find(context), *recording = *place;
    if (recording == NULL) {
        return NULL;
    }
    struct memories *memories = recording->memories;
    *place = recording->next;
    free(recording);
    return memories;
}

// ---- objects -------------------------------------------------------------------------------------------------------

static void delete_capsule(PyObject *capsule)
{
    free_memories(PyCapsule_GetPointer(capsule, MEMORIES));
}

static PyObject *step_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", NULL};
    struct context_object *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!", names, context_type, &context) || !context_check(context)) {
        return NULL;
    }
    return handle_new(type, context, 0, true);
}

static PyObject *step_begin(PyObject *self, PyObject *none)
{
    (void)none;
    struct context_object *context = ((struct handle_object *)self)->context;
    if (!context_check(context)) {
        return NULL;
    }
    struct recording *recording = calloc(1, sizeof *recording);
    struct memories *memories = calloc(1, sizeof *memories);
    rill_status status = recording == NULL || memories == NULL ? RILL_ERR_OUT_OF_MEMORY : RILL_OK;
    if (status != RILL_OK) {
        PyErr_NoMemory();
    } else if ((status = rill_record_begin(context->handle)) != RILL_OK) {
        core_fail(status);
    }
    if (status != RILL_OK) {
        free(recording);
        free(memories);
        return NULL;
    }
    *recording = (struct recording){context->recordings, PyThread_get_thread_ident(), memories};
    context->recordings = recording;
    Py_RETURN_NONE;
}

static PyObject *step_drop(PyObject *self, PyObject *none)
{
    (void)none;
    struct context_object *context = ((struct handle_object *)self)->context;
    struct memories *memories = end_recording(context);
    if (memories == NULL) {
        Py_RETURN_NONE;
    }
    rill_status status = context->is_open ? rill_record_drop(context->handle) : RILL_OK;
    free_memories(memories);
    return core_none(status);
}

static PyObject *step_end(PyObject *self, PyObject *none)
{
    (void)none;
    struct context_object *context = ((struct handle_object *)self)->context;
    struct memories *memories = end_recording(context);
    if (memories == NULL) {
        return core_fail_with(RILL_ERR_INVALID, "this thread records no step");
    }
    rill_step step = {0};
    rill_status status;
    WITHOUT_GIL(status, rill_record_end(context->handle, &step));
    PyObject *capsule = PyCapsule_New(memories, MEMORIES, delete_capsule);
    if (capsule == NULL) {
        free_memories(memories);
    }
    if (status != RILL_OK || capsule == NULL) {
        Py_XDECREF(capsule);
        RILL_IGNORE(status == RILL_OK ? rill_step_destroy(step) : RILL_OK);
        return status != RILL_OK ? core_fail(status) : NULL;
    }
    ((struct handle_object *)self)->id = step.id;
    REPLACE(as_step(self)->memories, capsule);
    Py_RETURN_NONE;
}

static bool check(PyObject *self)
{
    if (((struct handle_object *)self)->id == 0 && as_step(self)->memories == NULL) {
        core_fail_with(RILL_ERR_INVALID,
                       "the step is not recorded: `with rill.record() as step:` records what is queued "
                       "in its block, and behind it the step may be launched");
        return false;
    }
    return handle_check(self);
}

static void step_dealloc(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    if (handle->is_owned && handle->id != 0 && handle->context->is_open) {
        RILL_IGNORE(rill_step_destroy(step_handle(self))); // what is queued runs
    }
    Py_CLEAR(as_step(self)->memories);
    handle_free(self);
}

static PyObject *step_destroy(PyObject *self, PyObject *none)
{
    (void)none;
    if (!check(self)) {
        return NULL;
    }
    rill_step step = step_handle(self);
    ((struct handle_object *)self)->id = 0;
    Py_INCREF(Py_None); // it was recorded
    REPLACE(as_step(self)->memories, Py_None);
    return core_none(rill_step_destroy(step));
}

// ---- values --------------------------------------------------------------------------------------------------------

// The values of one launch; the texts are borrowed from |names|.
struct values {
    size_t count, held_count;
    rill_step_value items[RILL_MAX_ARGS];
    struct held held[RILL_MAX_ARGS];
    PyObject *names[RILL_MAX_ARGS]; // owned
};

static void release_names(struct values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        Py_CLEAR(values->names[i]);
    }
}

static bool number_value(PyObject *value, rill_arg *out)
{
    if (PyFloat_Check(value)) {
        *out = rill_arg_float(PyFloat_AsDouble(value));
        return true;
    }
    if (PyIndex_Check(value)) {
        PyObject *whole = PyNumber_Index(value);
        long long number = whole == NULL ? 0 : PyLong_AsLongLong(whole);
        Py_XDECREF(whole);
        *out = rill_arg_int(number);
        return !PyErr_Occurred();
    }
    double real = PyFloat_AsDouble(value);
    *out = rill_arg_float(real);
    return !PyErr_Occurred();
}

static bool buffer_value(struct values *values, PyObject *value, rill_arg *out)
{
    struct held *held = &values->held[values->held_count];
    memset(held, 0, sizeof *held);
    if (buffer_get(value, &held->buffer, BUFFER_FORMAT | BUFFER_STRIDES) != 0) {
        return false;
    }
    if (held->buffer.ndim == 0) { // a number of NumPy
        buffer_release(&held->buffer);
        return number_value(value, out);
    }
    values->held_count++;
    const struct buffer *buffer = &held->buffer;
    int type = buffer_type(buffer->format, buffer->itemsize);
    if (!buffer_is_contiguous(buffer) || type < 0) {
        core_fail_with(RILL_ERR_ARGUMENTS, type < 0 ? "Rill has no elements like these"
                                                    : "the memory is not in one piece: pass a contiguous copy");
        return false;
    }
    *out = rill_arg_memory(buffer->readonly ? RILL_ARG_CONST_HOST : RILL_ARG_HOST, (rill_type)type, buffer->buf,
                           (size_t)(buffer->len / buffer->itemsize), (size_t)buffer->itemsize);
    return true;
}

static bool value_from(struct values *values, PyObject *value, rill_arg *out)
{
    if (PyObject_TypeCheck(value, array_type)) {
        *out = rill_arg_array(array_handle(value));
        return handle_check(value);
    }
    bool is_scalar = PyFloat_Check(value) || PyLong_Check(value);
    return !is_scalar && buffer_is_offered(value) ? buffer_value(values, value, out) : number_value(value, out);
}

// What a value is for: "dt", "move.dt", an Array that was recorded, or (operation, argument).
static bool place_from(struct values *values, PyObject *key, rill_step_value *out)
{
    if (PyUnicode_Check(key)) {
        PyObject *bytes = PyUnicode_AsUTF8String(key);
        values->names[values->count] = bytes;
        out->name = bytes == NULL ? NULL : PyBytes_AsString(bytes);
        return bytes != NULL;
    }
    if (PyObject_TypeCheck(key, array_type)) {
        out->array = ((struct handle_object *)key)->id;
        return handle_check(key);
    }
    if (PyTuple_Check(key) && PyTuple_Size(key) == 2) {
        out->operation = PyLong_AsSize_t(PyTuple_GetItem(key, 0));
        out->argument = PyErr_Occurred() ? 0 : PyLong_AsSize_t(PyTuple_GetItem(key, 1));
        return !PyErr_Occurred();
    }
    PyErr_SetString(PyExc_TypeError,
                    "a value is named by a text (\"dt\", \"move.dt\"), by the array that was recorded, or "
                    "by (operation, argument)");
    return false;
}

static bool add_value(struct values *values, PyObject *key, PyObject *value)
{
    if (values->count == RILL_MAX_ARGS) {
        core_fail_with(RILL_ERR_LIMIT, "a launch of a step takes %d values at most", (int)RILL_MAX_ARGS);
        return false;
    }
    rill_step_value *item = &values->items[values->count];
    memset(item, 0, sizeof *item);
    values->names[values->count] = NULL;
    bool is_done = place_from(values, key, item) && value_from(values, value, &item->value);
    values->count++;
    return is_done;
}

static bool add_all(struct values *values, PyObject *dict, PyObject **out_stream)
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (dict != NULL && PyDict_Next(dict, &at, &key, &value)) {
        bool is_stream =
            out_stream != NULL && PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, "stream") == 0;
        if (is_stream) {
            *out_stream = value;
        } else if (!add_value(values, key, value)) {
            return false;
        }
    }
    return true;
}

// Queues it; what it uses of others is held until |stream| has come past.
static PyObject *launch(PyObject *self, rill_stream stream, struct values *values)
{
    struct context_object *context = ((struct handle_object *)self)->context;
    rill_step_values list = {values->items, values->count};
    rill_status status;
    WITHOUT_GIL(status, rill_step_launch(step_handle(self), stream, list));
    const struct memories *memories = PyCapsule_GetPointer(as_step(self)->memories, MEMORIES);
    bool is_queued = status == RILL_OK || (!context->is_cpu && status == RILL_ERR_DEVICE);
    PyObject *result = core_none(status);
    if (!is_queued || !context->is_open) {
        held_release(values->held, values->held_count);
    } else if (memories->count > 0 || values->held_count > 0) {
        struct held *own = &values->held[values->held_count++];
        memset(own, 0, sizeof *own);
        Py_INCREF(as_step(self)->memories);
        own->object = as_step(self)->memories;
        PyObject *type = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        keep_until(context, stream, values->held, values->held_count);
        PyErr_Restore(type, value, trace);
    }
    return result;
}

// step(values, **named): values is a dictionary or nothing.
static PyObject *step_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *dict = NULL, *wanted = NULL;
    if (!check(self) || !PyArg_ParseTuple(args, "|O!:step", &PyDict_Type, &dict)) {
        return NULL;
    }
    struct context_object *context = ((struct handle_object *)self)->context;
    struct values *values = malloc(sizeof *values);
    if (values == NULL) {
        return PyErr_NoMemory();
    }
    values->count = values->held_count = 0;
    keep_poll(context, 2);
    rill_stream stream;
    PyObject *result = NULL;
    if (add_all(values, dict, NULL) && add_all(values, kwargs, &wanted) && stream_from(wanted, context, &stream)) {
        result = launch(self, stream, values);
    } else {
        PyObject *type = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        held_release(values->held, values->held_count);
        PyErr_Restore(type, value, trace);
    }
    release_names(values);
    free(values);
    return result;
}

static PyObject *step_repeat(PyObject *self, PyObject *count)
{
    size_t times = PyLong_AsSize_t(count);
    if (PyErr_Occurred() || !check(self)) {
        return NULL;
    }
    return core_none(rill_step_repeat(step_handle(self), times));
}

static PyObject *step_info(PyObject *self, void *none)
{
    (void)none;
    rill_step_info info;
    if (!check(self)) {
        return NULL;
    }
    rill_status status = rill_step_describe(step_handle(self), &info);
    if (status != RILL_OK) {
        return core_fail(status);
    }
    return Py_BuildValue("(nnnn)", (Py_ssize_t)info.operation_count, (Py_ssize_t)info.dependency_count,
                         (Py_ssize_t)info.depth, (Py_ssize_t)info.repeat_count);
}

static PyObject *step_context(PyObject *self, void *none)
{
    (void)none;
    PyObject *context = (PyObject *)((struct handle_object *)self)->context;
    Py_INCREF(context);
    return context;
}

static PyObject *step_id(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(((struct handle_object *)self)->id);
}

static PyMethodDef methods[] = {
    {"_begin", step_begin, METH_NOARGS, NULL},
    {"_end", step_end, METH_NOARGS, NULL},
    {"_drop", step_drop, METH_NOARGS, NULL},
    {"repeat", step_repeat, METH_O, "From now on a launch runs the step that many times, one after the other."},
    {"destroy", step_destroy, METH_NOARGS, "Does not wait: what was launched runs."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getters[] = {
    {"context", step_context, NULL, "The context that it was recorded on.", NULL},
    {"id", step_id, NULL, "The handle of the C interface.", NULL},
    {"_info", step_info, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, step_new},
    {Py_tp_dealloc, step_dealloc},
    {Py_tp_call, step_call},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, "Launches that were recorded, and are launched as one."},
    {0, NULL},
};
static PyType_Spec spec = {"rill._core.Step", sizeof(struct step_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           slots};

bool step_make_type(PyObject *module)
{
    return core_add_type(module, &spec, &step_type);
}
