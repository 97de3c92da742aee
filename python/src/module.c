// Modules: compiled kernel files. What a compile says becomes a list of tuples.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *module_type;

static rill_module module_handle(PyObject *self)
{
    rill_module module = {((struct handle_object *)self)->id};
    return module;
}

// ---- options
// -----------------------------------------------------------------------------------------------------------

// Pairs of text from a dictionary, and text from a list; they borrow from it.
struct texts {
    rill_define *pairs; // owned; rill_header has the same members
    const char **items; // owned
    size_t count;
};

_Static_assert(sizeof(rill_define) == sizeof(rill_header), "a header is a pair of texts, as a definition is");

static bool pairs_from(PyObject *dict, struct texts *out)
{
    if (dict == NULL || dict == Py_None) {
        return true;
    }
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "defines and headers are dictionaries of text");
        return false;
    }
    out->pairs = calloc((size_t)PyDict_Size(dict) + 1, sizeof *out->pairs);
    if (out->pairs == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        PyObject *name = PyUnicode_AsUTF8String(key), *text = name == NULL ? NULL : PyUnicode_AsUTF8String(value);
        rill_define *pair = &out->pairs[out->count];
        if (text != NULL) {
            pair->name = strdup(PyBytes_AsString(name));
            pair->value = strdup(PyBytes_AsString(text));
            out->count++;
        }
        Py_XDECREF(name);
        Py_XDECREF(text);
        if (text == NULL) {
            return false;
        }
    }
    return true;
}

static bool items_from(PyObject *list, struct texts *out)
{
    if (list == NULL || list == Py_None) {
        return true;
    }
    Py_ssize_t count = PySequence_Size(list);
    if (count < 0) {
        return false;
    }
    out->items = calloc((size_t)count + 1, sizeof *out->items);
    if (out->items == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        PyObject *text = item == NULL ? NULL : PyUnicode_AsUTF8String(item);
        if (text != NULL) {
            out->items[out->count++] = strdup(PyBytes_AsString(text));
        }
        Py_XDECREF(item);
        Py_XDECREF(text);
        if (text == NULL) {
            return false;
        }
    }
    return true;
}

static void texts_free(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (texts->pairs != NULL) {
            free((void *)(uintptr_t)texts->pairs[i].name);
            free((void *)(uintptr_t)texts->pairs[i].value);
        } else {
            free((void *)(uintptr_t)texts->items[i]);
        }
    }
    free(texts->pairs);
    free(texts->items);
}

struct options {
    rill_module_options c;
    struct texts defines, headers, dirs;
    rill_diagnostics diagnostics;
};

static bool options_from(PyObject *dict, struct options *out)
{
    rill_module_options *c = &out->c;
    PyObject *defines = PyDict_GetItemString(dict, "defines"), *headers = PyDict_GetItemString(dict, "headers"),
             *dirs = PyDict_GetItemString(dict, "include_dirs");
    if (!pairs_from(defines, &out->defines) || !pairs_from(headers, &out->headers) || !items_from(dirs, &out->dirs)) {
        return false;
    }
    c->defines = out->defines.pairs;
    c->define_count = out->defines.count;
    c->headers = (const rill_header *)(const void *)out->headers.pairs;
    c->header_count = out->headers.count;
    c->include_dirs = out->dirs.items;
    c->include_dir_count = out->dirs.count;
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"contract_off", &c->contract_off},
                 {"check_bounds", &c->check_bounds},
                 {"check_races", &c->check_races},
                 {"fast_math", &c->fast_math},
                 {"color", &c->color}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        PyObject *value = PyDict_GetItemString(dict, flags[i].name);
        *flags[i].flag = value != NULL && PyObject_IsTrue(value) == 1;
    }
    return true;
}

static void options_free(struct options *options)
{
    texts_free(&options->defines);
    texts_free(&options->headers);
    texts_free(&options->dirs);
    rill_diagnostics_free(&options->diagnostics);
}

static PyObject *diagnostics_list(const rill_diagnostics *diagnostics)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < diagnostics->count; i++) {
        const rill_diagnostic *d = &diagnostics->items[i];
        PyObject *item = Py_BuildValue("(isIIss)", (int)d->severity, d->file, (unsigned)d->line, (unsigned)d->column,
                                       d->text, d->rendered);
        if (item == NULL || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

// The exception that is being raised gets the list as an attribute.
static void attach(PyObject *list)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (list == NULL || value == NULL || PyObject_SetAttrString(value, "_diagnostics", list) != 0) {
        PyErr_Clear();
    }
    PyErr_Restore(type, value, trace);
}

// ---- making
// ------------------------------------------------------------------------------------------------------------

static PyObject *module_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", "text", "path", "options", NULL};
    struct context_object *context = NULL;
    const char *text = NULL, *path = NULL;
    PyObject *dict = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!zzO!", names, context_type, &context, &text, &path, &PyDict_Type,
                                     &dict) ||
        !context_check(context)) {
        return NULL;
    }
    struct options options = {0};
    if (!options_from(dict, &options)) {
        options_free(&options);
        return NULL;
    }
    options.c.path = path;
    options.c.diagnostics = &options.diagnostics;
    rill_module module = {0};
    rill_status status;
    if (text != NULL) {
        WITHOUT_GIL(status, rill_module_create(context->handle, text, &options.c, &module));
    } else {
        WITHOUT_GIL(status, rill_module_load(context->handle, path, &options.c, &module));
    }
    if (status != RILL_OK) {
        core_fail(status);
    }
    PyObject *list = status == RILL_OK ? diagnostics_list(&options.diagnostics) : NULL;
    if (status != RILL_OK) {
        PyObject *kind = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&kind, &value, &trace);
        list = diagnostics_list(&options.diagnostics);
        PyErr_Restore(kind, value, trace);
        attach(list);
        Py_CLEAR(list);
    }
    options_free(&options);
    if (status != RILL_OK) {
        return NULL;
    }
    PyObject *self = list == NULL ? NULL : handle_new(type, context, module.id, true);
    if (self == NULL || PyObject_SetAttrString(self, "_diagnostics", list) != 0) {
        Py_CLEAR(self);
        RILL_IGNORE(rill_module_destroy(module));
    }
    Py_XDECREF(list);
    return self;
}

static void module_dealloc(PyObject *self)
{
    struct handle_object *handle = (struct handle_object *)self;
    if (handle->is_owned && handle->id != 0 && handle->context->is_open) {
        rill_status status;
        WITHOUT_GIL(status, rill_module_destroy(module_handle(self)));
        (void)status; // only a handle that is none is refused
    }
    handle_free(self);
}

static PyObject *module_destroy(PyObject *self, PyObject *none)
{
    (void)none;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_module module = module_handle(self);
    ((struct handle_object *)self)->id = 0;
    rill_status status;
    WITHOUT_GIL(status, rill_module_destroy(module));
    return core_none(status);
}

// ---- what the compiler can show
// ------------------------------------------------------------------------------------------

static PyObject *text_or_fail(rill_status status, char *text)
{
    if (status != RILL_OK) {
        return core_fail(status);
    }
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    rill_free(text);
    return result;
}

static PyObject *module_explain(PyObject *self, PyObject *none)
{
    (void)none;
    char *text = NULL;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_module_explain(module_handle(self), &text));
    return text_or_fail(status, text);
}

static PyObject *module_emit(PyObject *self, PyObject *args)
{
    int kind = 0;
    const char *target = NULL;
    char *text = NULL;
    if (!PyArg_ParseTuple(args, "iz", &kind, &target) || !handle_check(self)) {
        return NULL;
    }
    rill_status status;
    WITHOUT_GIL(status, rill_module_emit(module_handle(self), (rill_emit)kind, target, &text));
    return text_or_fail(status, text);
}

// ---- fields
// --------------------------------------------------------------------------------------------------------------

// The innermost element's type and the lengths of the arrays around it.
static PyObject *field_tuple(const rill_field_info *field)
{
    const rill_type_info *type = field->type;
    PyObject *lengths = PyList_New(0);
    while (lengths != NULL && type->kind == RILL_KIND_ARRAY) {
        PyObject *length = PyLong_FromLongLong(type->length);
        if (length == NULL || PyList_Append(lengths, length) != 0) {
            Py_CLEAR(lengths);
        }
        Py_XDECREF(length);
        type = type->element;
    }
    return lengths == NULL ? NULL
                           : Py_BuildValue("(siisnN)", field->name, (int)type->kind, (int)type->type, type->name,
                                           (Py_ssize_t)type->size, lengths);
}

static PyObject *module_fields(PyObject *self, PyObject *none)
{
    (void)none;
    size_t count = 0;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status = rill_module_field_count(module_handle(self), &count);
    PyObject *list = status == RILL_OK ? PyList_New(0) : core_fail(status);
    for (size_t i = 0; list != NULL && i < count; i++) {
        rill_field_info field;
        status = rill_module_field(module_handle(self), i, &field);
        PyObject *item = status == RILL_OK ? field_tuple(&field) : core_fail(status);
        if (item == NULL || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *field_copy(PyObject *self, PyObject *args, bool is_read)
{
    const char *name = NULL;
    PyObject *object = NULL, *stream_object = Py_None;
    rill_stream stream;
    struct buffer buffer = {0};
    if (!PyArg_ParseTuple(args, "sO|O", &name, &object, &stream_object) || !handle_check(self) ||
        !stream_from(stream_object, ((struct handle_object *)self)->context, &stream) ||
        buffer_get(object, &buffer, BUFFER_ND | (is_read ? BUFFER_WRITABLE : 0)) != 0) {
        return NULL;
    }
    rill_module module = module_handle(self);
    rill_status status;
    if (is_read) {
        WITHOUT_GIL(status, rill_field_read(module, name, stream, buffer.buf, (size_t)buffer.len));
    } else {
        WITHOUT_GIL(status, rill_field_write(module, name, stream, buffer.buf, (size_t)buffer.len));
    }
    PyObject *result = core_none(status);
    PyObject *kind = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&kind, &value, &trace);
    buffer_release(&buffer);
    PyErr_Restore(kind, value, trace);
    return result;
}

static PyObject *module_read_field(PyObject *self, PyObject *args)
{
    return field_copy(self, args, true);
}

static PyObject *module_write_field(PyObject *self, PyObject *args)
{
    return field_copy(self, args, false);
}

static PyObject *module_kernel_names(PyObject *self, PyObject *none)
{
    (void)none;
    size_t count = 0;
    if (!handle_check(self)) {
        return NULL;
    }
    rill_status status = rill_module_kernel_count(module_handle(self), &count);
    PyObject *list = status == RILL_OK ? PyList_New(0) : core_fail(status);
    for (size_t i = 0; list != NULL && i < count; i++) {
        rill_kernel kernel;
        rill_kernel_info info;
        status = rill_module_kernel_at(module_handle(self), i, &kernel);
        status = status == RILL_OK ? rill_kernel_describe(kernel, &info) : status;
        PyObject *name = status == RILL_OK ? PyUnicode_FromString(info.name) : core_fail(status);
        if (name == NULL || PyList_Append(list, name) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"destroy", module_destroy, METH_NOARGS, "Its kernels cannot be used any more; what is queued still runs."},
    {"explain", module_explain, METH_NOARGS, "What Rill found: control, tasks, each loop's verdict, effects."},
    {"_emit", module_emit, METH_VARARGS, NULL},
    {"_fields", module_fields, METH_NOARGS, NULL},
    {"_read_field", module_read_field, METH_VARARGS, NULL},
    {"_write_field", module_write_field, METH_VARARGS, NULL},
    {"_kernel_names", module_kernel_names, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *module_context(PyObject *self, void *none)
{
    (void)none;
    PyObject *context = (PyObject *)((struct handle_object *)self)->context;
    Py_INCREF(context);
    return context;
}

static PyObject *module_id(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(((struct handle_object *)self)->id);
}

static PyGetSetDef getters[] = {
    {"context", module_context, NULL, "The context that it was made on.", NULL},
    {"id", module_id, NULL, "The handle of the C interface.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, module_new},
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, "A compiled kernel file, with its fields."},
    {0, NULL},
};
static PyType_Spec spec = {"rill._core.Module", sizeof(struct handle_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

bool module_make_type(PyObject *module)
{
    return core_add_type(module, &spec, &module_type);
}
