#include "backend/cpu/trace.h"

#include "backend/cpu/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_RECORDS = 512 };

struct trace_record {
    char task[64];
    char kernel[64];
    char file[96];
    char way[16];
    uint32_t line;
    uint32_t chunk_count;
    int group;
    uint64_t stream;
    uint64_t begin;
    uint64_t end;
};

struct trace_page {
    struct trace_page *next; // newer
    int count;
    struct trace_record records[PAGE_RECORDS];
};

struct trace {
    struct thread_mutex lock;
    struct trace_page *first; // owned, guarded by lock
    struct trace_page *last;  //
    uint64_t lost_count;      // for want of memory
    char path[4096];
};

struct trace *trace_create(struct backend_device *device)
{
    const char *path = getenv("RILL_TRACE");
    struct trace *trace = path != NULL && *path != '\0' ? device_alloc(device, sizeof *trace, 16) : NULL;
    if (trace != NULL) {
        thread_mutex_init(&trace->lock);
        snprintf(trace->path, sizeof trace->path, "%s", path);
    }
    return trace;
}

// A record to fill; NULL without memory. The lock is held.
static struct trace_record *new_record(struct backend_device *device, struct trace *trace)
{
    if (trace->last == NULL || trace->last->count == PAGE_RECORDS) {
        struct trace_page *page = device_alloc(device, sizeof *page, 16);
        if (page == NULL) {
            trace->lost_count++;
            return NULL;
        }
        if (trace->last != NULL) {
            trace->last->next = page;
        } else {
            trace->first = page;
        }
        trace->last = page;
    }
    return &trace->last->records[trace->last->count++];
}

void trace_add(struct backend_device *device, const struct trace_event *event)
{
    struct trace *trace = device->trace;
    thread_lock(&trace->lock);
    struct trace_record *record = new_record(device, trace);
    if (record != NULL) {
        snprintf(record->task, sizeof record->task, "%s", event->task);
        snprintf(record->kernel, sizeof record->kernel, "%s", event->kernel);
        snprintf(record->file, sizeof record->file, "%s", event->file);
        snprintf(record->way, sizeof record->way, "%s", event->way);
        record->line = event->line;
        record->chunk_count = event->chunk_count;
        record->group = event->group;
        record->stream = event->stream;
        record->begin = event->begin;
        record->end = event->end;
    }
    thread_unlock(&trace->lock);
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

// A number that viewers take for a process: they expect 31 bits.
static uint32_t lane_of(uint64_t stream)
{
    return (uint32_t)(stream ^ stream >> 31) & 0x7fffffff;
}

// Streams are processes and their groups threads, so that blocks of one launch lie in lanes of their own.
static void write_record(FILE *file, const struct trace_record *record)
{
    fputs("{\"ph\": \"X\", \"name\": ", file);
    write_text(file, record->task);
    fprintf(file,
            ", \"pid\": %u, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"kernel\": ", lane_of(record->stream),
            record->group, (double)record->begin * 1e-3, (double)(record->end - record->begin) * 1e-3);
    write_text(file, record->kernel);
    fputs(", \"file\": ", file);
    write_text(file, record->file);
    fprintf(file, ", \"line\": %u, \"stream\": \"%llu\", \"pieces\": %u, \"ran\": ", record->line,
            (unsigned long long)record->stream, record->chunk_count);
    write_text(file, record->way);
    fputs("}}", file);
}

static void write_file(struct backend_device *device, const struct trace *trace)
{
    FILE *file = fopen(trace->path, "we");
    if (file == NULL) {
        device_log(device, BACKEND_LOG_ERROR, "cannot write the trace '%s': %s", trace->path, strerror(errno));
        return;
    }
    fputs("{\"traceEvents\": [", file);
    const char *before = "\n";
    for (const struct trace_page *page = trace->first; page != NULL; page = page->next) {
        for (int i = 0; i < page->count; i++) {
            fputs(before, file);
            write_record(file, &page->records[i]);
            before = ",\n";
        }
    }
    fprintf(file, "\n], \"otherData\": {\"lost\": %llu}}\n", (unsigned long long)trace->lost_count);
    if (fclose(file) != 0) {
        device_log(device, BACKEND_LOG_ERROR, "cannot write the trace '%s': %s", trace->path, strerror(errno));
    }
}

void trace_destroy(struct backend_device *device, struct trace *trace)
{
    if (trace == NULL) {
        return;
    }
    write_file(device, trace);
    while (trace->first != NULL) {
        struct trace_page *page = trace->first;
        trace->first = page->next;
        device_free(device, page, sizeof *page);
    }
    thread_mutex_finish(&trace->lock);
    device_free(device, trace, sizeof *trace);
}
