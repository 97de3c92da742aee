// What a context gives to its own parts and to its back end: memory, the log, a place for printed text.
#include "runtime/cache.h"
#include "runtime/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *memory = NULL;
    return posix_memalign(&memory, alignment > sizeof(void *) ? alignment : sizeof(void *), size) == 0 ? memory : NULL;
}

static void default_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

const rill_allocator host_allocator = {NULL, default_allocate, default_release};

void *context_alloc(struct context *context, size_t size)
{
    void *memory = context->allocator.allocate(context->allocator.user, size, 64);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void context_free(struct context *context, void *memory, size_t size)
{
    if (memory != NULL) {
        context->allocator.release(context->allocator.user, memory, size);
    }
}

static void default_log(const struct context *context, rill_log_level level, const char *text)
{
    static const char *const words[] = {"error", "warning", "note"};
    if (level != RILL_LOG_NOTE || context->has_notes) {
        fprintf(stderr, "rill: %s: %s\n", words[level], text);
    }
}

static void log_text(struct context *context, rill_log_level level, const char *text)
{
    thread_lock(&context->log_lock);
    if (context->log != NULL) {
        context->log(context->log_user, level, text);
    } else {
        default_log(context, level, text);
    }
    thread_unlock(&context->log_lock);
    if (context->device != NULL) { // not while it is opened, nor after it was closed
        context->backend->device_remark(context->device, text);
    }
}

void context_log(struct context *context, rill_log_level level, const char *format, ...)
{
    char text[2048]; // two places and what both touch
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_text(context, level, text);
}

static void *host_allocate(void *user, size_t size, size_t alignment)
{
    struct context *context = user;
    return context->allocator.allocate(context->allocator.user, size, alignment);
}

static void host_release(void *user, void *memory, size_t size)
{
    struct context *context = user;
    context->allocator.release(context->allocator.user, memory, size);
}

static void host_log(void *user, enum backend_log_level level, const char *text)
{
    log_text(user, (rill_log_level)level, text);
}

static bool host_listens(void *user, enum backend_log_level level)
{
    const struct context *context = user;
    return context->log != NULL || level != BACKEND_LOG_NOTE || context->has_notes || context->is_traced;
}

static void host_print(void *user, const char *text, size_t length)
{
    struct context *context = user;
    if (context->print != NULL) {
        context->print(context->print_user, text, length);
    } else {
        fwrite(text, 1, length, stdout);
    }
}

// The first one is what rill_close() returns.
static void host_trace_failed(void *user, const char *text)
{
    struct context *context = user;
    thread_lock(&context->lock);
    if (context->trace_failure[0] == '\0') {
        snprintf(context->trace_failure, sizeof context->trace_failure, "%s", text);
    }
    thread_unlock(&context->lock);
}

static rill_status host_acquire_stream(void *user, int priority, struct backend_lease *out_lease)
{
    struct context *context = user;
    *out_lease = (struct backend_lease){0};
    RILL_TRY(pool_acquire(&context->stream_pool, priority, &out_lease->entry));
    out_lease->stream = out_lease->entry->stream;
    return RILL_OK;
}

static void host_release_stream(void *user, const struct backend_lease *lease, bool is_sound)
{
    struct context *context = user;
    pool_release(&context->stream_pool, lease->entry, is_sound);
}

static bool host_find_binary(void *user, const struct backend_binary_key *key, void **out_memory,
                             const void **out_bytes, size_t *out_size)
{
    struct cache_blob blob;
    if (!cache_find_binary(user, key, &blob)) {
        return false;
    }
    *out_memory = blob.memory;
    *out_bytes = blob.payload;
    *out_size = blob.size;
    return true;
}

static void host_keep_binary(void *user, const struct backend_binary_key *key, const void *bytes, size_t size)
{
    cache_keep_binary(user, key, bytes, size);
}

void host_describe(struct context *context, struct backend_host *out_host)
{
    *out_host = (struct backend_host){.user = context,
                                      .allocate = host_allocate,
                                      .release = host_release,
                                      .log = host_log,
                                      .listens = host_listens,
                                      .print = host_print,
                                      .trace_failed = host_trace_failed,
                                      .find_binary = host_find_binary,
                                      .keep_binary = host_keep_binary,
                                      .acquire_stream = host_acquire_stream,
                                      .release_stream = host_release_stream,
                                      .sleeps = &context->sleeps,
                                      .has_allocator = context->allocator.allocate != default_allocate};
}
