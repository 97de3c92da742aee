// A kernel's parameters as a call looks at them, and one call.
#ifndef RILL_PYTHON_KERNEL_H
#define RILL_PYTHON_KERNEL_H

#include "core.h"
#include "dlpack.h"

// It gets a value of the call; it gets |value| always.
enum { EXTENT_NONE = -1, EXTENT_BOUND = -2 };

struct param {
    PyObject *name;       // owned, interned
    const char *text;     // the name; borrowed of |name_bytes|
    PyObject *name_bytes; // owned
    PyObject *value;      // owned; what a call takes that names none, or NULL
    bool is_array;
    bool is_const;
    bool is_record; // a struct by value
    bool is_float;  // a scalar
    int rank;
    int extent_of; // the array parameter whose extent |axis| it gets, or one of the two below
    int axis;
    rill_type type;
    size_t size;
    char type_name[64];
};

struct kernel_object {
    struct handle_object base;
    PyObject *module;     // owned: the kernel lives as long as it does
    PyObject *name;       // owned
    const char *text;     // borrowed of |name_bytes|
    PyObject *name_bytes; // owned
    size_t count;
    struct param *params; // owned
    size_t visible_count; // parameters that get values of the call
    unsigned char visible[RILL_MAX_ARGS];
    bool has_shapes; // an array of two extents or more
    rill_type_kind result_kind;
    rill_type result_type;
    size_t result_size;
};

// The shape of memory that a call was given for an array parameter.
struct extents {
    int rank; // -1: an Array, which the launch checks
    int64_t extents[RILL_MAX_RANK];
};

struct call {
    struct kernel_object *kernel;
    size_t held_count;
    size_t tensor_count;    // of them, those of |exchange| on its device
    bool has_device_memory; // of somebody else's allocator
    PyObject *wanted;       // the stream that the caller named; borrowed, or NULL
    // Memory of a library that says by itself which stream its work is on; or NULL.
    const struct dlpack_exchange *exchange;
    struct dlpack_device exchange_device;
    bool is_on_their_stream; // the launch goes there
    size_t owner_count;
    void *owners[4]; // native streams that the launch comes behind
    rill_arg items[RILL_MAX_ARGS];
    struct held held[RILL_MAX_ARGS];
    struct extents extents[RILL_MAX_ARGS];
};

// Makes argument |index| of |value|. False with an exception; what was taken is in |held| in either case.
bool argument_from(struct call *call, size_t index, PyObject *value);
// The shapes against those the kernel has for these scalars.
bool argument_check_shapes(struct call *call);
// Called with an object and the name of a struct in C: the bytes of it, or None.
extern PyObject *kernel_struct_packer;

// Where the work goes: what the caller said; else the current stream; else, where memory of another library's allocator
// is used and no scope is entered, that library's stream.
bool call_stream(struct call *call, rill_stream *out_stream);
// Raises with "kernel 'k', parameter 'x': " before the words. Returns false.
bool argument_fail(const struct call *call, size_t index, const char *format, ...);

#endif
