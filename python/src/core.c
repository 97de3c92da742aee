// The module: its types, its errors, and what needs no object.
#include "core.h"

#include "step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// By the negative of the status; NULL: RuntimeError. Set once by the package.
enum { STATUS_COUNT = 64 };
static PyObject *error_classes[STATUS_COUNT];

static PyObject *raise_text(rill_status status, const char *text)
{
    int index = -(int)status;
    PyObject *kind = index > 0 && index < STATUS_COUNT ? error_classes[index] : NULL;
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error =
        message == NULL ? NULL : PyObject_CallFunction(kind != NULL ? kind : PyExc_RuntimeError, "O", message);
    Py_XDECREF(message);
    if (error == NULL) {
        return NULL;
    }
    PyObject *code = PyLong_FromLong((long)status);
    PyObject *name = PyUnicode_FromString(rill_status_name(status));
    if (code != NULL && name != NULL && PyObject_SetAttrString(error, "status", code) == 0 &&
        PyObject_SetAttrString(error, "name", name) == 0) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(code);
    Py_XDECREF(name);
    Py_DECREF(error);
    return NULL;
}

PyObject *core_fail(rill_status status)
{
    if (PyErr_Occurred()) {
        return NULL;
    }
    const char *text = rill_message();
    return raise_text(status, text[0] != '\0' ? text : rill_status_text(status));
}

PyObject *core_fail_with(rill_status status, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return raise_text(status, text);
}

bool core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL) {
        return false;
    }
    const char *name = strrchr(spec->name, '.') + 1;
    Py_INCREF(type); // one for the module, one for us
    *out = (PyTypeObject *)type;
    if (PyModule_AddObject(module, name, type) != 0) {
        Py_DECREF(type);
        return false;
    }
    return true;
}

void core_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

// ---- handles -------------------------------------------------------------------------------------------------------

bool handle_check(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    if (handle->context == NULL || handle->id == 0) {
        core_fail_with(handle->context == NULL ? RILL_ERR_NULL_HANDLE : RILL_ERR_STALE, "this %s was %s", "object",
                       handle->context == NULL ? "never made" : "destroyed");
        return false;
    }
    return context_check(handle->context);
}

PyObject *handle_new(PyTypeObject *type, struct context_object *context, uint64_t id, bool is_owned)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *self = allocate(type, 0);
    if (self == NULL) {
        return NULL;
    }
    struct handle_object *handle = (struct handle_object *)self;
    handle->id = id;
    handle->is_owned = is_owned;
    handle->context = context;
    Py_INCREF(context);
    return self;
}

void handle_free(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    struct context_object *context = handle->context;
    handle->context = NULL;
    core_free(self);
    Py_XDECREF(context);
}

// ---- functions -----------------------------------------------------------------------------------------------------

static PyObject *set_errors(PyObject *module, PyObject *classes)
{
    (void)module;
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (PyDict_Next(classes, &at, &key, &value)) {
        long status = PyLong_AsLong(key);
        if (status >= 0 || status <= -STATUS_COUNT) {
            return PyErr_Format(PyExc_ValueError, "no such status: %ld", status);
        }
        Py_INCREF(value);
        REPLACE(error_classes[-status], value);
    }
    Py_RETURN_NONE;
}

static PyObject *statuses(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return Py_BuildValue("{"
#define STATUS_ITEM(name, value, text) ",s:i"
                         RILL_STATUS_LIST(STATUS_ITEM)
#undef STATUS_ITEM
                             "}"
#define STATUS_VALUE(name, value, text) , #name, value
                         RILL_STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
    );
}

static PyObject *types(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return Py_BuildValue("["
#define TYPE_ITEM(name, value, bytes, text) ",(siis)"
                         RILL_TYPE_LIST(TYPE_ITEM)
#undef TYPE_ITEM
                             "]"
#define TYPE_VALUE(name, value, bytes, text) , #name, value, bytes, text
                         RILL_TYPE_LIST(TYPE_VALUE)
#undef TYPE_VALUE
    );
}

static PyObject *devices(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    size_t count;
    Py_BEGIN_ALLOW_THREADS count = rill_device_count();
    Py_END_ALLOW_THREADS PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        rill_device_info info;
        rill_status status;
        WITHOUT_GIL(status, rill_device_get(i, &info));
        if (status != RILL_OK) {
            Py_DECREF(list);
            return core_fail(status);
        }
        PyObject *item = Py_BuildValue("(ssiK)", info.name, info.description, (int)info.thread_count,
                                       (unsigned long long)info.memory_size);
        if (item == NULL || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyUnicode_FromString(rill_version());
}

static PyMethodDef functions[] = {
    {"set_errors", set_errors, METH_O, "The exception classes, by status."},
    {"statuses", statuses, METH_NOARGS, "The status codes by name."},
    {"types", types, METH_NOARGS, "The element types: name, number, bytes, name in C."},
    {"devices", devices, METH_NOARGS, "Name, description, threads and bytes of each device."},
    {"version", version, METH_NOARGS, "The version of librill."},
    {NULL, NULL, 0, NULL},
};

static int fill_module(PyObject *module)
{
    // The types are one set for the process, and callbacks find the interpreter by the thread's.
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "rill runs in the main interpreter only: import it there, and hand its "
                                           "results to subinterpreters");
        return -1;
    }
    if (context_type != NULL) {
        PyErr_SetString(PyExc_ImportError, "rill._core is loaded already");
        return -1;
    }
    return context_make_type(module) && stream_make_types(module) && array_make_type(module) &&
                   module_make_type(module) && kernel_make_type(module) && step_make_type(module)
               ? 0
               : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "rill._core",
    "Rill's public calls as Python objects; import rill instead.",
    0,
    functions,
    slots,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
