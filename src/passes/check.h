// Where bounds are checked, every pointer is followed from the array that it was made of to what is read or written
// through it. Beside the pointer travel how far it is behind the beginning of that array and how long the array is: in
// variables beside pointer variables, in parameters beside the pointers that helpers are given. An access that the
// checked indices on its way do not cover already gets a check of its own, which names the array.
//
// Of a `T *p` parameter of a kernel the launch counts the elements: see ir_param.counts.
//
// A pointer that is loaded from memory, or returned by a helper that is called, is looked up by its address.
#ifndef RILL_PASSES_CHECK_H
#define RILL_PASSES_CHECK_H

#include "ir/ir.h"

// Once for the module, after promotion: the fewer variables are memory, the more pointers are known.
void check_module(struct ir_module *module);

#endif
