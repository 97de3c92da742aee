// Streams, events, and the scope that makes a stream the thread's current one.
#include "core.h"

#include <string.h>

PyTypeObject *stream_type, *event_type, *scope_type;

bool stream_from(PyObject *value, struct context_object *context, rill_stream *out_stream)
{
    if (value == NULL || value == Py_None) {
        *out_stream = rill_current_stream(context->handle);
        return true;
    }
    if (!PyObject_TypeCheck(value, stream_type)) {
        PyErr_Format(PyExc_TypeError, "stream is %R, and must be a rill.Stream or None, the current one", value);
        return false;
    }
    if (!handle_check(value)) {
        return false;
    }
    *out_stream = stream_of_id(((struct handle_object *)value)->id);
    return true;
}

static struct context_object *context_of(PyObject *self)
{
    return ((struct handle_object *)self)->context;
}

static rill_stream stream_handle(PyObject *self)
{
    return stream_of_id(((struct handle_object *)self)->id);
}

static rill_event event_handle(PyObject *self)
{
    rill_event event = {((struct handle_object *)self)->id};
    return event;
}

// After a wait: raises what it returned, and lets go of what is done in either case.
static PyObject *end_wait(struct context_object *context, rill_status status)
{
    if (status != RILL_OK) {
        core_fail(status);
    }
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    if (context->is_open) {
        keep_poll(context, 0);
    }
    PyErr_Restore(type, value, trace);
    if (status != RILL_OK) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// ---- streams
// -----------------------------------------------------------------------------------------------------------

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", "priority", "native", "place", "unordered", NULL};
    struct context_object *context = NULL;
    int priority = 0, unordered = 0;
    int place = 0; // 1: the default stream, 2: the current one
    PyObject *native = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|iOip", names, context_type, &context, &priority, &native, &place,
                                     &unordered) ||
        !context_check(context)) {
        return NULL;
    }
    rill_stream stream = {0};
    rill_status status = RILL_OK;
    if (place != 0) {
        stream = place == 1 ? rill_default_stream(context->handle) : rill_current_stream(context->handle);
        status = stream.id == 0 ? RILL_ERR_INVALID : RILL_OK;
    } else if (native != Py_None) {
        void *handle = PyLong_AsVoidPtr(native);
        if (PyErr_Occurred()) {
            return NULL;
        }
        WITHOUT_GIL(status, rill_stream_wrap(context->handle, handle, &stream));
    } else {
        rill_stream_options options = {.priority = priority, .is_unordered = unordered != 0};
        WITHOUT_GIL(status, rill_stream_create(context->handle, &options, &stream));
    }
    if (status != RILL_OK) {
        return core_fail(status);
    }
    return handle_new(type, context, stream.id, place == 0 && native == Py_None);
}

static void stream_dealloc(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    if (handle->is_owned && handle->id != 0 && handle->context->is_open) {
        rill_status status;
        WITHOUT_GIL(status, rill_stream_destroy_later(stream_handle(self)));
        (void)status; // a failure goes to the log and to the next sync
    }
    handle_free(self);
}

static PyObject *stream_destroy(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_stream stream = stream_handle(self);
    ((struct handle_object *)self)->id = 0;
    rill_status status;
    WITHOUT_GIL(status, rill_stream_destroy(stream));
    return end_wait(context_of(self), status);
}

static PyObject *stream_synchronize(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_stream_synchronize(stream_handle(self)));
    return end_wait(context_of(self), status);
}

static PyObject *answer(rill_status status)
{
    return status == RILL_OK || status == RILL_ERR_NOT_READY ? PyBool_FromLong(status == RILL_OK) : core_fail(status);
}

static PyObject *stream_query(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_stream_query(stream_handle(self)));
    return answer(status);
}

static PyObject *event_wait_on(PyObject *event, rill_stream stream);

static PyObject *stream_wait(PyObject *self, PyObject *other)
{
    if (!handle_check(self)) {
        return NULL;
    }
    if (PyObject_TypeCheck(other, event_type)) {
        return handle_check(other) ? event_wait_on(other, stream_handle(self)) : NULL;
    }
    rill_stream stream;
    if (!stream_from(other, context_of(self), &stream)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_stream_wait(stream_handle(self), stream));
    return core_none(status);
}

static void on_callback(void *user, rill_status status)
{
    PyObject *callable = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(callable, "i", (int)status);
    if (result == NULL) {
        PyErr_WriteUnraisable(callable);
    }
    Py_XDECREF(result);
    Py_DECREF(callable);
    PyGILState_Release(state);
}

static PyObject *stream_callback(PyObject *self, PyObject *callable)
{
    if (!handle_check(self)) {
        return NULL;
    }
    if (!PyCallable_Check(callable)) {
        return PyErr_Format(PyExc_TypeError, "%R cannot be called", callable);
    }
    Py_INCREF(callable);
    rill_status status;
    WITHOUT_GIL(status, rill_stream_callback(stream_handle(self), on_callback, callable));
    if (status != RILL_OK) {
        core_fail(status);
        Py_DECREF(callable);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *stream_native(PyObject *self, void *none)
{
    (void)none;
    void *native = NULL;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_stream_native(stream_handle(self), &native));
    return status == RILL_OK ? PyLong_FromVoidPtr(native) : core_fail(status);
}

static PyObject *stream_error(PyObject *self, PyObject *none)
{
    (void)none;
    rill_error_info info;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status = rill_stream_error(stream_handle(self), &info);
    if (status != RILL_OK) {
        return core_fail(status);
    }
    if (info.status == RILL_OK) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("{s:i,s:s,s:s,s:s,s:I,s:I,s:L,s:s,s:L,s:L,s:s}", "status", (int)info.status, "text", info.text,
                         "kernel", info.kernel, "file", info.file, "line", (unsigned)info.line, "column",
                         (unsigned)info.column, "iteration", (long long)info.iteration, "array", info.array, "index",
                         (long long)info.index, "extent", (long long)info.extent, "shape", info.shape);
}

static PyObject *stream_clear_error(PyObject *self, PyObject *none)
{
    (void)none;
    return handle_check(self) ? core_none(rill_stream_clear_error(stream_handle(self))) : NULL;
}

static PyMethodDef stream_methods[] = {
    {"destroy", stream_destroy, METH_NOARGS,
     "Waits for the stream's work, then destroys it. Raises the first failure of that work that no call has raised."},
    {"synchronize", stream_synchronize, METH_NOARGS, "Waits for everything queued so far. Raises the stream's error."},
    {"query", stream_query, METH_NOARGS, "Whether everything queued so far has run. Does not wait."},
    {"wait", stream_wait, METH_O,
     "What is queued here from now on starts after what another stream has so far, or after an event. The host does "
     "not "
     "wait."},
    {"callback", stream_callback, METH_O,
     "Calls a function with the stream's status when everything queued so far has run, on a thread of Rill's own. A "
     "call "
     "that waits raises there."},
    {"_error", stream_error, METH_NOARGS, NULL},
    {"clear_error", stream_clear_error, METH_NOARGS, "Forgets the stream's error; it can be used again."},
    {NULL, NULL, 0, NULL},
};

static PyObject *get_context(PyObject *self, void *none)
{
    (void)none;
    PyObject *context = (PyObject *)context_of(self);
    Py_INCREF(context);
    return context;
}

static PyObject *get_id(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(((struct handle_object *)self)->id);
}

static PyGetSetDef stream_getters[] = {
    {"context", get_context, NULL, "The context that it was made on.", NULL},
    {"id", get_id, NULL, "The handle of the C interface.", NULL},
    {"native", stream_native, NULL, "The driver's own handle of the stream, a CUstream on an NVIDIA GPU.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_getters},
    {Py_tp_doc, "A queue of device work that runs in the order it was given."},
    {0, NULL},
};
static PyType_Spec stream_spec = {"rill._core.Stream", sizeof(struct handle_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, stream_slots};

// ---- events
// ------------------------------------------------------------------------------------------------------------

static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", "timed", NULL};
    struct context_object *context = NULL;
    int timed = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|p", names, context_type, &context, &timed) ||
        !context_check(context)) {
        return NULL;
    }
    rill_event event = {0};
    rill_event_options options = {.without_time = !timed};
    rill_status status;
    WITHOUT_GIL(status, rill_event_create(context->handle, &options, &event));
    return status == RILL_OK ? handle_new(type, context, event.id, true) : core_fail(status);
}

static void event_dealloc(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    if (handle->is_owned && handle->id != 0 && handle->context->is_open) {
        rill_status status;
        WITHOUT_GIL(status, rill_event_destroy(event_handle(self)));
        (void)status; // only a handle that is none is refused
    }
    handle_free(self);
}

static PyObject *event_destroy(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_event event = event_handle(self);
    ((struct handle_object *)self)->id = 0;
    rill_status status;
    WITHOUT_GIL(status, rill_event_destroy(event));
    return core_none(status);
}

static bool only_stream(PyObject *self, PyObject *args, PyObject *kwargs, rill_stream *out_stream)
{
    static char *names[] = {"stream", NULL};
    PyObject *stream = Py_None;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &stream) && handle_check(self) &&
           stream_from(stream, context_of(self), out_stream);
}

static PyObject *event_record(PyObject *self, PyObject *args, PyObject *kwargs)
{
    rill_stream stream;
    if (!only_stream(self, args, kwargs, &stream)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_event_record(event_handle(self), stream));
    return core_none(status);
}

static PyObject *event_wait_on(PyObject *event, rill_stream stream)
{
    rill_status status;
    WITHOUT_GIL(status, rill_event_wait(event_handle(event), stream));
    return core_none(status);
}

static PyObject *event_wait(PyObject *self, PyObject *args, PyObject *kwargs)
{
    rill_stream stream;
    return only_stream(self, args, kwargs, &stream) ? event_wait_on(self, stream) : NULL;
}

static PyObject *event_synchronize(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_event_synchronize(event_handle(self)));
    return end_wait(context_of(self), status);
}

static PyObject *event_query(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_event_query(event_handle(self)));
    return answer(status);
}

static PyObject *event_elapsed(PyObject *self, PyObject *end)
{
    double milliseconds = 0;
    if (!PyObject_TypeCheck(end, event_type)) {
        return PyErr_Format(PyExc_TypeError, "%R is no rill.Event", end);
    }
    if (!handle_check(self) || !handle_check(end)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_event_elapsed(event_handle(self), event_handle(end), &milliseconds));
    return status == RILL_OK ? PyFloat_FromDouble(milliseconds) : core_fail(status);
}

static PyMethodDef event_methods[] = {
    {"destroy", event_destroy, METH_NOARGS, "Does not wait. What waits for the event goes on waiting for its mark."},
    {"record", (PyCFunction)(void (*)(void))event_record, METH_VARARGS | METH_KEYWORDS,
     "Marks the place after everything queued on a stream so far, the current one if none is given."},
    {"wait", (PyCFunction)(void (*)(void))event_wait, METH_VARARGS | METH_KEYWORDS,
     "What is queued on the stream from now on starts after the mark. The host does not wait."},
    {"synchronize", event_synchronize, METH_NOARGS, "The host waits for the mark."},
    {"query", event_query, METH_NOARGS, "Whether the mark has been reached. Does not wait."},
    {"elapsed", event_elapsed, METH_O, "Milliseconds from this mark to that of another event."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef event_getters[] = {
    {"context", get_context, NULL, "The context that it was made on.", NULL},
    {"id", get_id, NULL, "The handle of the C interface.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot event_slots[] = {
    {Py_tp_new, event_new},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_methods, event_methods},
    {Py_tp_getset, event_getters},
    {Py_tp_doc, "A mark in a stream, for other streams and the host to wait for."},
    {0, NULL},
};
static PyType_Spec event_spec = {"rill._core.Event", sizeof(struct handle_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, event_slots};

// ---- scopes
// ------------------------------------------------------------------------------------------------------------

struct scope_object {
    PyObject_HEAD rill_scope scope;
    bool is_entered;
    PyObject *stream; // owned
};

static PyObject *scope_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", NULL};
    PyObject *stream = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!", names, stream_type, &stream)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct scope_object *self = (struct scope_object *)allocate(type, 0);
    if (self != NULL) {
        Py_INCREF(stream);
        self->stream = stream;
    }
    return (PyObject *)self;
}

static void scope_dealloc(PyObject *object)
{
    struct scope_object *self = (struct scope_object *)object;
    Py_CLEAR(self->stream);
    if (self->is_entered && rill_scope_leave(&self->scope) != RILL_OK) {
        return; // another thread's list still leads through this memory: it stays
    }
    core_free(object);
}

static PyObject *scope_enter(PyObject *object, PyObject *none)
{
    (void)none;
    struct scope_object *self = (struct scope_object *)object;
    if (self->is_entered) {
        return core_fail_with(RILL_ERR_INVALID, "this scope was entered already: call rill.stream() for each `with`");
    }
    if (!handle_check(self->stream)) {
        return NULL;
    }
    rill_status status = rill_scope_enter(&self->scope, stream_handle(self->stream));
    if (status != RILL_OK) {
        return core_fail(status);
    }
    self->is_entered = true;
    Py_INCREF(self->stream);
    return self->stream;
}

static PyObject *scope_exit(PyObject *object, PyObject *args)
{
    (void)args;
    struct scope_object *self = (struct scope_object *)object;
    if (!self->is_entered) {
        Py_RETURN_NONE;
    }
    rill_status status = rill_scope_leave(&self->scope);
    self->is_entered = status != RILL_OK;
    return core_none(status);
}

static PyMethodDef scope_methods[] = {
    {"__enter__", scope_enter, METH_NOARGS, NULL},
    {"__exit__", scope_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot scope_slots[] = {
    {Py_tp_new, scope_new},
    {Py_tp_dealloc, scope_dealloc},
    {Py_tp_methods, scope_methods},
    {Py_tp_doc, "Makes a stream the thread's current stream of its context, until it is left."},
    {0, NULL},
};
static PyType_Spec scope_spec = {"rill._core.Scope", sizeof(struct scope_object), 0, Py_TPFLAGS_DEFAULT, scope_slots};

bool stream_make_types(PyObject *module)
{
    return core_add_type(module, &stream_spec, &stream_type) && core_add_type(module, &event_spec, &event_type) &&
           core_add_type(module, &scope_spec, &scope_type);
}
