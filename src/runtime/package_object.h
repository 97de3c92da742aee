// An object file for the linker: bytes under a name.
#ifndef RILL_RUNTIME_PACKAGE_OBJECT_H
#define RILL_RUNTIME_PACKAGE_OBJECT_H

#include <stddef.h>

// An ELF file (free()) that defines |symbol|, constant data that the linker aligns to 64 bytes and that other shared
// libraries do not see. NULL: no memory.
unsigned char *package_object_make(const char *symbol, const void *bytes, size_t size, size_t *out_size);

#endif
