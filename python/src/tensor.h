// Memory of others as a call takes it, and tensors by DLPack.
#ifndef RILL_PYTHON_TENSOR_H
#define RILL_PYTHON_TENSOR_H

#include "dlpack.h"
#include "kernel.h"

// What somebody passed for an array parameter; its shape is in the call's extents.
struct memory {
    void *address;
    int type; // -1: none of Rill's
    const char *type_text;
    size_t itemsize;
    size_t count;
    bool is_readonly;
    bool is_device;
    int device; // the number of the GPU; -1: not known
};

// Makes argument |index| of memory, if it is what the parameter takes. False with an exception.
bool argument_of_memory(struct call *call, size_t index, const struct memory *memory);

// The table by which the library of |value| gives its tensors without a line of Python (DLPack 1.2; torch from 2.10
// on); NULL if it has none.
const struct dlpack_exchange *tensor_exchange(PyObject *value);
bool argument_from_exchange(struct call *call, size_t index, PyObject *value, const struct dlpack_exchange *exchange);
// By the methods __dlpack__ and __dlpack_device__.
bool argument_from_dlpack(struct call *call, size_t index, PyObject *value);

#endif
