#include "backend/cpu/print.h"

#include "backend/cpu/device.h"
#include "base/format.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = INT_MAX }; // of one %s without a precision: what C can print

void print_init(struct print_log *log)
{
    thread_mutex_init(&log->lock);
}

void print_finish(struct backend_device *device, struct print_log *log)
{
    device_free(device, log->records, log->record_capacity * sizeof *log->records);
    device_free(device, log->text, log->text_capacity);
    thread_mutex_finish(&log->lock);
}

// Makes room for |wanted| bytes in a block of |*capacity|. False leaves it as it was.
static bool grow(struct backend_device *device, void *block, size_t *capacity, size_t used, size_t wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t size = *capacity * 2 > wanted ? *capacity * 2 : wanted + 4096;
    void *old;
    memcpy(&old, block, sizeof old);
    void *bigger = device_alloc(device, size, 16);
    if (bigger == NULL) {
        return false;
    }
    if (used > 0) {
        memcpy(bigger, old, used);
    }
    device_free(device, old, *capacity);
    memcpy(block, &bigger, sizeof bigger);
    *capacity = size;
    return true;
}

// The log's lock is held.
static bool keep(struct backend_device *device, struct print_log *log, int64_t iteration, const struct str *text)
{
    size_t capacity = log->record_capacity * sizeof *log->records;
    size_t used = log->record_count * sizeof *log->records;
    bool ok = grow(device, &log->records, &capacity, used, used + sizeof *log->records);
    log->record_capacity = capacity / sizeof *log->records;
    if (!ok || !grow(device, &log->text, &log->text_capacity, log->text_size, log->text_size + text->length)) {
        return false;
    }
    assert(log->record_count < log->record_capacity && log->text_size + text->length <= log->text_capacity);
    log->records[log->record_count] = (struct print_record){
        .iteration = iteration, .sequence = log->record_count, .offset = log->text_size, .length = text->length};
    log->record_count++;
    memcpy(log->text + log->text_size, text->text, text->length);
    log->text_size += text->length;
    return true;
}

static bool format_and_keep(struct backend_device *device, struct print_log *log, int64_t iteration, const char *format,
                            const uint64_t *args, int count)
{
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    volatile bool ok = false;
    if (setjmp(escape) == 0) {
        struct str text;
        str_init(&text, &arena);
        ok = format_printf(&text, format, args, count, TEXT_LIMIT);
        if (ok && text.length > 0) {
            thread_lock(&log->lock);
            ok = keep(device, log, iteration, &text);
            thread_unlock(&log->lock);
        }
    }
    arena_finish(&arena);
    return ok;
}

void print_add(struct backend_device *device, struct print_log *log, int64_t iteration, const char *format,
               const uint64_t *args, int count)
{
    if (!format_and_keep(device, log, iteration, format, args, count)) {
        device_count(&device->counters.print_lost_count);
        atomic_fetch_add(&log->lost_count, 1);
    }
}

static int compare_records(const void *a, const void *b)
{
    const struct print_record *x = a;
    const struct print_record *y = b;
    if (x->iteration != y->iteration) {
        return x->iteration < y->iteration ? -1 : 1;
    }
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

void print_order(struct print_log *log)
{
    size_t count = log->record_count - log->ordered_count;
    if (count > 1) {
        qsort(log->records + log->ordered_count, count, sizeof *log->records, compare_records);
    }
    log->ordered_count = log->record_count;
}

void print_flush(struct backend_device *device, struct print_log *log)
{
    if (atomic_load_explicit(&log->lost_count, memory_order_relaxed) > 0) {
        uint64_t lost = atomic_exchange(&log->lost_count, 0);
        backend_log(&device->host, BACKEND_LOG_WARNING,
                    "%llu printf calls of kernels are lost: no memory, or a width beyond 1,000,000",
                    (unsigned long long)lost);
    }
    if (log->record_count == 0) {
        return;
    }
    thread_lock(&device->print_lock);
    for (size_t i = 0; i < log->record_count;) {
        // Records that lie one behind the other in the text leave together.
        size_t length = log->records[i].length;
        size_t k = i + 1;
        while (k < log->record_count && log->records[k].offset == log->records[i].offset + length) {
            length += log->records[k++].length;
        }
        device->host.print(device->host.user, log->text + log->records[i].offset, length);
        i = k;
    }
    thread_unlock(&device->print_lock);
    log->record_count = 0;
    log->ordered_count = 0;
    log->text_size = 0;
}
