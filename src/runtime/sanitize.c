// Places in instrumented kernels for ThreadSanitizer's reports.
#include "rill/tsan.h"

#include "plan/abi.h"

#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// Reads this process's own memory where it may be unmapped: a report may name a place in a module that is gone.
static bool read_memory(const void *from, void *to, size_t size)
{
    struct iovec local = {to, size};
    struct iovec remote = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool read_text(const char *from, char *to, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!read_memory(from + i, to + i, 1)) {
            return false;
        }
        if (to[i] == '\0') {
            return true;
        }
    }
    if (size > 0) {
        to[size - 1] = '\0';
    }
    return true;
}

int rill_tsan_symbolize(uintptr_t pc, char *function, size_t function_size, char *file, size_t file_size, int *line,
                        int *column)
{
    struct abi_place place;
    if ((pc & ABI_PLACE_BIT) == 0 || !read_memory((const void *)(pc & ~ABI_PLACE_BIT), &place, sizeof place) ||
        !read_text(place.function, function, function_size) || !read_text(place.file, file, file_size)) {
        return 0;
    }
    *line = (int)place.line;
    *column = (int)place.column;
    return 1;
}
