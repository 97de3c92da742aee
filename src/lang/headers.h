// The built-in headers: C's standard ones and rill/kernel.h, as text. They are files (src/lang/include/ and
// include/rill/kernel.h) that the build puts into the library, so that a compile needs no headers on the machine.
#ifndef RILL_LANG_HEADERS_H
#define RILL_LANG_HEADERS_H

#include <stddef.h>

struct builtin_header {
    const char *name; // as written between < and >
    const char *text; // terminated
    size_t length;
};

// Ordered by name.
extern const struct builtin_header builtin_headers[];
extern const size_t builtin_header_count;

// NULL if there is none of that name.
const struct builtin_header *headers_find(const char *name);

#endif
