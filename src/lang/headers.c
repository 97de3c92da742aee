#include "lang/headers.h"

#include <string.h>

const struct builtin_header *headers_find(const char *name)
{
    size_t low = 0, high = builtin_header_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, builtin_headers[middle].name);
        if (order == 0) {
            return &builtin_headers[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
