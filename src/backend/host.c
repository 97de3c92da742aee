#include "backend/backend.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *backend_alloc(const struct backend_host *host, size_t size, size_t alignment)
{
    assert(alignment > 0 && (alignment & (alignment - 1)) == 0);
    void *memory = host->allocate(host->user, size, alignment);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void backend_free(const struct backend_host *host, void *memory, size_t size)
{
    if (memory != NULL) {
        host->release(host->user, memory, size);
    }
}

void backend_log(const struct backend_host *host, enum backend_log_level level, const char *format, ...)
{
    if (host->listens != NULL && !host->listens(host->user, level)) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    host->log(host->user, level, text);
}
