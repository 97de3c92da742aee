// The text of a package's header: a function for each kernel, with the kernel's own parameters.
#ifndef RILL_RUNTIME_PACKAGE_HEADER_H
#define RILL_RUNTIME_PACKAGE_HEADER_H

#include "base/arena.h"
#include "rill/status.h"
#include "runtime/package_format.h"

struct package_header {
    const char *name;                  // of the package: an identifier
    const char *prefix;                // before each function; "": none
    const char *include;               // declares the structs; NULL: this header does
    const char *path;                  // of the source
    uint64_t size;                     // of the package
    uint64_t check;                    // package_check() of it
    const struct package_image *image; // one of it: the kernels of all have the same parameters
};

// |*out_text| is the caller's (free()). The arena may jump out.
rill_status package_header_make(const struct package_header *header, struct arena *arena, char **out_text);

#endif
