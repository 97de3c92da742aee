// What tells one build of a library or program from another, without loading it: the build id that the linker gave it,
// or, if it has none, what the file system says of the file.
#ifndef RILL_BASE_IDENTITY_H
#define RILL_BASE_IDENTITY_H

#include <stdbool.h>

enum { IDENTITY_SIZE = 32 };

struct identity {
    unsigned char bytes[IDENTITY_SIZE];
};

// False: the file cannot be read.
bool identity_of_file(const char *path, struct identity *out);
// Of the library or program that holds |address|.
bool identity_of_address(const void *address, struct identity *out);

#endif
