// What the files of rill._core share. The extension is written to CPython's stable ABI of 3.9, so that one file serves
// every later version, and over Rill's public header alone.
//
// The GIL is released around every call of Rill that may wait, compile, log or print: a callback written in Python
// takes it on a thread of Rill's own, while this thread may hold a lock of Rill. What guards the objects here is the
// GIL.
#ifndef RILL_PYTHON_CORE_H
#define RILL_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <rill/rill.h>

#include <stdbool.h>

// ---- the buffer protocol -------------------------------------------------------------------------------------------
// It is a part of the stable ABI from 3.11 on, in the form that every version since 3.0 has had.

struct buffer {
    void *buf;
    PyObject *obj;
    Py_ssize_t len;
    Py_ssize_t itemsize;
    int readonly;
    int ndim;
    char *format;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t *suboffsets;
    void *internal;
};

enum { BUFFER_WRITABLE = 0x0001, BUFFER_FORMAT = 0x0004, BUFFER_ND = 0x0008, BUFFER_STRIDES = 0x0010 | 0x0008 };

// Whether |object| has the protocol; taking it, into a zeroed struct; giving it back, which zeroes it.
int buffer_is_offered(PyObject *object);
int buffer_get(PyObject *object, struct buffer *buffer, int flags);
void buffer_release(struct buffer *buffer);
bool buffer_is_contiguous(const struct buffer *buffer);
// The rill_type of a format and size; -1 if Rill has none.
int buffer_type(const char *format, Py_ssize_t itemsize);

// ---- objects -------------------------------------------------------------------------------------------------------

struct keep;
struct recording;

struct context_object {
    PyObject_HEAD rill_context handle;
    bool is_open; // for Python: false once it was closed
    bool is_cpu;
    int device;                   // the GPU's number
    Py_ssize_t exports;           // views of its memory that others hold: rill_close() comes after the last
    struct keep *keep;            // owned; objects that queued work uses
    struct recording *recordings; // owned; of threads that record a step
    PyObject *log;                // owned; callables or NULL
    PyObject *print;              // owned
};

// Stream, Event, Module, and the beginning of Array and Kernel.
struct handle_object {
    PyObject_HEAD uint64_t id;      // 0: destroyed, or never made
    struct context_object *context; // owned
    bool is_owned;                  // destroyed when Python lets go of it
};

struct array_object {
    struct handle_object base;
    rill_array_info info;
    PyObject *dtype; // owned; what the package says the elements are
};

extern PyTypeObject *context_type, *stream_type, *event_type, *array_type, *module_type, *kernel_type, *scope_type,
    *step_type;

bool context_make_type(PyObject *module);
bool stream_make_types(PyObject *module);
bool array_make_type(PyObject *module);
bool module_make_type(PyObject *module);
bool kernel_make_type(PyObject *module);

// Makes a type of |spec|, puts it into the module and into |out|.
bool core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out);
// Frees the memory of an object whose type is on the heap.
void core_free(PyObject *self);

// ---- errors --------------------------------------------------------------------------------------------------------

// Raises the exception that belongs to |status| with Rill's message, or with words of our own. Returns NULL.
PyObject *core_fail(rill_status status);
PyObject *core_fail_with(rill_status status, const char *format, ...);
// None, or the exception.
static inline PyObject *core_none(rill_status status)
{
    if (status != RILL_OK) {
        return core_fail(status);
    }
    Py_RETURN_NONE;
}

// Makes a call of Rill without the GIL.
#define WITHOUT_GIL(status, call)                                                                                      \
    do {                                                                                                               \
        PyThreadState *core_state_ = PyEval_SaveThread();                                                              \
        (status) = (call);                                                                                             \
        PyEval_RestoreThread(core_state_);                                                                             \
    } while (0)

// Puts |value| into a place, and lets go of what was there when the place is whole again.
#define REPLACE(place, value)                                                                                          \
    do {                                                                                                               \
        PyObject *core_old_ = (place);                                                                                 \
        (place) = (value);                                                                                             \
        Py_XDECREF(core_old_);                                                                                         \
    } while (0)

// ---- what several files need ---------------------------------------------------------------------------------------

// False, with an exception, if the context was closed or the object destroyed.
bool context_check(struct context_object *context);
bool handle_check(PyObject *self);
void handle_free(PyObject *self);
// A new object of |type| (or of a type derived of it) over a handle.
PyObject *handle_new(PyTypeObject *type, struct context_object *context, uint64_t id, bool is_owned);
static inline rill_stream stream_of_id(uint64_t id)
{
    rill_stream stream;
    stream.id = id;
    return stream;
}
// A Stream of |context|, or None for the current one. False with an exception.
bool stream_from(PyObject *value, struct context_object *context, rill_stream *out_stream);
rill_array array_handle(PyObject *array);
// Counts one view of the context's memory that others hold.
void context_export(struct context_object *context);
void context_unexport(struct context_object *context);

// ---- what queued work uses -----------------------------------------------------------------------------------------

// A buffer, an object alone (buffer.obj NULL), or a tensor of DLPack's.
struct held {
    struct buffer buffer;
    PyObject *object;                // owned
    struct dlpack_versioned *tensor; // owned
};
void held_release(struct held *held, size_t count);

struct keep *keep_create(void);
// Keeps |held| until |stream| has come past what is queued there now. Takes them over, whatever happens.
void keep_until(struct context_object *context, rill_stream stream, struct held *held, size_t count);
// Lets go of what is done: looks at |limit| entries, 0: at all.
void keep_poll(struct context_object *context, size_t limit);
size_t keep_count(const struct context_object *context);
// Lets go of everything: no work is left.
void keep_destroy(struct context_object *context);

#endif
