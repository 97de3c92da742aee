// Bitcode of the math functions that GPUs do not have: our own (library/float.h) and libclc's, cut down at build time
// by library/trim.c.
#ifndef RILL_CODEGEN_LIBRARY_H
#define RILL_CODEGEN_LIBRARY_H

#include <stddef.h>

extern const unsigned char math_library_bytes[];
extern const size_t math_library_size; // 0: Rill was built without libclc or clang

#endif
