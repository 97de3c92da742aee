// A context, its callbacks and its counters.
#include "core.h"

#include "step.h"

#include <string.h>

PyTypeObject *context_type;

bool context_check(struct context_object *context)
{
    if (context->is_open) {
        return true;
    }
    core_fail_with(RILL_ERR_STALE, "the context was closed");
    return false;
}

// ---- callbacks: on threads of Rill's own, or on one that waits and has released the GIL
// ------------------------------

static void call_back(PyObject *callable, const char *format, int level, const char *text, Py_ssize_t length)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *words = PyUnicode_DecodeUTF8(text, length, "replace");
    PyObject *result = words == NULL ? NULL
                       : level < 0   ? PyObject_CallFunction(callable, format, words)
                                     : PyObject_CallFunction(callable, format, level, words);
    Py_XDECREF(words);
    if (result == NULL) {
        PyErr_WriteUnraisable(callable);
    }
    Py_XDECREF(result);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(state);
}

static void on_log(void *user, rill_log_level level, const char *text)
{
    struct context_object *context = user;
    call_back(context->log, "iO", (int)level, text, (Py_ssize_t)strlen(text));
}

static void on_print(void *user, const char *text, size_t length)
{
    struct context_object *context = user;
    call_back(context->print, "O", -1, text, (Py_ssize_t)length);
}

// ---- opening and closing
// ---------------------------------------------------------------------------------------------

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"device", "threads", "graphs", "order", "pool_cap", "cache", "log", "print", NULL};
    const char *device = "auto", *cache = NULL;
    int threads = 0, graphs = 0, order = 0, pool_cap = 0;
    PyObject *log = Py_None, *print = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|siiiizOO", names, &device, &threads, &graphs, &order, &pool_cap,
                                     &cache, &log, &print)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct context_object *self = (struct context_object *)allocate(type, 0);
    if (self == NULL) {
        return NULL;
    }
    rill_open_options options = {.thread_count = threads,
                                 .graph_mode = (rill_graph_mode)graphs,
                                 .order = (rill_order)order,
                                 .pool_cap = pool_cap,
                                 .cache = cache};
    if (log != Py_None) {
        Py_INCREF(log);
        self->log = log;
        options.log = on_log;
        options.log_user = self;
    }
    if (print != Py_None) {
        Py_INCREF(print);
        self->print = print;
        options.print = on_print;
        options.print_user = self;
    }
    self->keep = keep_create();
    if (self->keep == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    rill_status status;
    WITHOUT_GIL(status, rill_open(device, &options, &self->handle));
    if (status != RILL_OK) {
        core_fail(status);
        Py_DECREF(self);
        return NULL;
    }
    self->is_open = true;
    const char *name = "";
    status = rill_context_device(self->handle, &name);
    self->is_cpu = status == RILL_OK && strcmp(name, "cpu") == 0;
    const char *number = strchr(name, ':');
    self->device = number == NULL ? 0 : (int)strtol(number + 1, NULL, 10);
    return (PyObject *)self;
}

static rill_status close_handle(struct context_object *self)
{
    rill_context handle = self->handle;
    self->handle.id = 0;
    if (handle.id == 0) {
        return RILL_OK;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_close(handle));
    return status;
}

// Waits for all work. The context is closed for Python; where views of its memory are left in other hands, Rill's own
// context is closed with the last of them.
static PyObject *context_close(PyObject *object, PyObject *none)
{
    (void)none;
    struct context_object *self = (struct context_object *)object;
    if (!self->is_open) {
        Py_RETURN_NONE;
    }
    self->is_open = false;
    rill_status status;
    if (self->exports > 0) {
        WITHOUT_GIL(status, rill_sync(self->handle));
    } else {
        status = close_handle(self);
    }
    if (status != RILL_OK) {
        core_fail(status);
    }
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    keep_destroy(self);
    PyErr_Restore(type, value, trace);
    if (status != RILL_OK) {
        return NULL;
    }
    Py_RETURN_NONE;
}

void context_export(struct context_object *context)
{
    context->exports++;
    Py_INCREF(context);
}

void context_unexport(struct context_object *context)
{
    context->exports--;
    if (context->exports == 0 && !context->is_open) {
        rill_status status = close_handle(context);
        (void)status; // the work ended when Python's context was closed, which has returned its failure
    }
    Py_DECREF(context);
}

static void context_dealloc(PyObject *object)
{
    struct context_object *self = (struct context_object *)object;
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    self->is_open = false;
    rill_status status = close_handle(self);
    (void)status; // nobody is left to tell; the log has it
    step_forget(self);
    keep_destroy(self);
    Py_CLEAR(self->log);
    Py_CLEAR(self->print);
    PyErr_Restore(type, value, trace);
    core_free(object);
}

// ---- the rest
// --------------------------------------------------------------------------------------------------------

static PyObject *context_sync(PyObject *object, PyObject *none)
{
    (void)none;
    struct context_object *self = (struct context_object *)object;
    if (!context_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_sync(self->handle));
    if (status != RILL_OK) {
        core_fail(status);
    }
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    if (self->is_open) {
        keep_poll(self, 0);
    }
    PyErr_Restore(type, value, trace);
    if (status != RILL_OK) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *context_trim(PyObject *object, PyObject *none)
{
    (void)none;
    struct context_object *self = (struct context_object *)object;
    if (!context_check(self)) {
        return NULL;
    }
    keep_poll(self, 0);
    rill_status status;
    WITHOUT_GIL(status, rill_context_trim(self->handle));
    return core_none(status);
}

static PyObject *context_has(PyObject *object, PyObject *args)
{
    struct context_object *self = (struct context_object *)object;
    int capability = 0;
    bool has = false;
    if (!PyArg_ParseTuple(args, "i", &capability) || !context_check(self)) {
        return NULL;
    }
    rill_status status = rill_context_has(self->handle, (rill_capability)capability, &has);
    return status == RILL_OK ? PyBool_FromLong(has) : core_fail(status);
}

// The counters of rill_stats: those of 64 bits, by name.
#define COUNTERS(X)                                                                                                    \
    X(launch_count)                                                                                                    \
    X(launch_failed_count)                                                                                             \
    X(launch_skipped_count)                                                                                            \
    X(task_count)                                                                                                      \
    X(parallel_count)                                                                                                  \
    X(in_order_count)                                                                                                  \
    X(whole_count)                                                                                                     \
    X(copied_count)                                                                                                    \
    X(block_in_order_count)                                                                                            \
    X(ring_wait_count)                                                                                                 \
    X(print_lost_count)                                                                                                \
    X(readback_count)                                                                                                  \
    X(stream_count)                                                                                                    \
    X(array_count)                                                                                                     \
    X(array_size)                                                                                                      \
    X(module_count)                                                                                                    \
    X(regions.concurrent_count)                                                                                        \
    X(regions.overlap_count)                                                                                           \
    X(regions.marked_count)                                                                                            \
    X(regions.small_count)                                                                                             \
    X(regions.limited_count)                                                                                           \
    X(stream_pool.created_count)                                                                                       \
    X(stream_pool.reused_count)                                                                                        \
    X(stream_pool.shared_count)                                                                                        \
    X(stream_pool.trimmed_count)                                                                                       \
    X(stream_pool.in_use_count)                                                                                        \
    X(stream_pool.idle_count)                                                                                          \
    X(order_wait_count)                                                                                                \
    X(cache.hit_count)                                                                                                 \
    X(cache.missing_count)                                                                                             \
    X(cache.changed_count)                                                                                             \
    X(cache.damaged_count)                                                                                             \
    X(cache.passed_count)                                                                                              \
    X(cache.kept_count)                                                                                                \
    X(cache.not_kept_count)

static PyObject *context_stats(PyObject *object, PyObject *none)
{
    (void)none;
    struct context_object *self = (struct context_object *)object;
    rill_stats stats;
    if (!context_check(self)) {
        return NULL;
    }
    keep_poll(self, 0);
    rill_status status;
    WITHOUT_GIL(status, rill_context_stats(self->handle, &stats));
    if (status != RILL_OK) {
        return core_fail(status);
    }
    const struct {
        const char *name;
        uint64_t value;
    } counters[] = {
#define COUNTER(member) {#member, stats.member},
        COUNTERS(COUNTER)
#undef COUNTER
            {"thread_count", (uint64_t)stats.thread_count},
        {"kept_count", keep_count(self)},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof counters / sizeof counters[0]; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(counters[i].value);
        if (value == NULL || PyDict_SetItemString(dict, counters[i].name, value) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *context_is_open(PyObject *object, void *none)
{
    (void)none;
    return PyBool_FromLong(((struct context_object *)object)->is_open);
}

static PyObject *context_device(PyObject *object, void *none)
{
    (void)none;
    struct context_object *self = (struct context_object *)object;
    const char *name = NULL;
    if (!context_check(self)) {
        return NULL;
    }
    rill_status status = rill_context_device(self->handle, &name);
    return status == RILL_OK ? PyUnicode_FromString(name) : core_fail(status);
}

static PyMethodDef methods[] = {
    {"close", context_close, METH_NOARGS,
     "Waits for the context's work and destroys all that was made on it. Raises a failure of that work that no call "
     "has "
     "raised yet. Closing twice does nothing."},
    {"sync", context_sync, METH_NOARGS, "Waits for every stream of the context. Raises the first failure among them."},
    {"trim", context_trim, METH_NOARGS, "Destroys pooled streams that are idle."},
    {"_has", context_has, METH_VARARGS, NULL},
    {"_stats", context_stats, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"is_open", context_is_open, NULL, "False once the context was closed.", NULL},
    {"device", context_device, NULL, "What the context runs on: 'cpu', 'cuda:0'.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, "A device that was opened, and everything made on it."},
    {0, NULL},
};

static PyType_Spec spec = {"rill._core.Context", sizeof(struct context_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

bool context_make_type(PyObject *module)
{
    return core_add_type(module, &spec, &context_type);
}
