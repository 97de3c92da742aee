// For programs built with ThreadSanitizer. Kernels on the CPU are then instrumented too; for a race inside one to be
// reported with the kernel's own file and line, and not as <null>, write
//
//     RILL_TSAN_SYMBOLIZER
//
// once in the program, at file scope, in C or C++. Not included by rill.h.
#ifndef RILL_TSAN_H
#define RILL_TSAN_H

#include "rill/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Turns what an instrumented kernel gives as its place into names and a line. 0 if |pc| is no such place.
RILL_API int rill_tsan_symbolize(uintptr_t pc, char *function, size_t function_size, char *file, size_t file_size,
                                 int *line, int *column);

int __tsan_symbolize_external(uintptr_t pc, char *function, size_t function_size, char *file, size_t file_size,
                              int *line, int *column);

#define RILL_TSAN_SYMBOLIZER                                                                                           \
    int __tsan_symbolize_external(uintptr_t pc, char *function, size_t function_size, char *file, size_t file_size,    \
                                  int *line, int *column)                                                              \
    {                                                                                                                  \
        return rill_tsan_symbolize(pc, function, function_size, file, file_size, line, column);                        \
    }

#ifdef __cplusplus
}
#endif
#endif
