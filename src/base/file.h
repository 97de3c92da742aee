// Whole files.
#ifndef RILL_BASE_FILE_H
#define RILL_BASE_FILE_H

#include "rill/status.h"

#include <stddef.h>

enum { FILE_MAX_SIZE = 64 * 1024 * 1024 };

// Reads a regular file of at most FILE_MAX_SIZE bytes. |*out_text| is owned by the caller (free) and ends with a zero
// byte that |*out_size| does not count. |who| starts the message of a failure.
rill_status file_read(const char *who, const char *path, char **out_text, size_t *out_size);

#endif
