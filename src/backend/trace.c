// What ran when, for RILL_TRACE=file.json: one event for each task, in the form that Perfetto and chrome://tracing
// open. Records are kept in memory and written when a page is full, when the host waits for a stream and when the
// device closes. The end of the file is written each time and overwritten by what follows, so that the file of a
// program that never closes its context is whole too.
#include "backend/backend.h"

#include "backend/trace_file.h"
#include "base/thread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_RECORDS = 512 };

struct trace_record {
    char task[64];
    char kernel[64];
    char file[96];
    char way[16];
    char way_text[160];
    struct trace_cause cause;
    uint32_t line;
    uint32_t chunk_count;
    int worker;
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

// What was logged meanwhile.
struct trace_remark {
    struct trace_remark *next;
    size_t size;
    char text[];
};

enum { MOST_REMARKS = 200 };

struct trace {
    const struct backend_host *host; // borrowed: the device's
    struct trace_origin origin;      // its texts are borrowed
    struct thread_mutex lock;
    struct trace_page *first;     // owned, guarded by lock
    struct trace_page *last;      //
    struct trace_page *spare;     // owned, guarded by lock: one that was written, for the next; NULL: none
    uint64_t lost_count;          // guarded by lock: for want of memory
    struct trace_remark *remarks; // owned, guarded by lock: the first; they stay, at the file's end
    int remark_count;             // guarded by lock
    bool has_news;                // guarded by lock: something is not in the file yet

    struct thread_mutex file_lock; // taken before |lock|; of all that follows
    struct trace_file file;
    // Streams are numbered in the order in which they appear, from 1.
    uint64_t *streams; // owned
    size_t stream_capacity;
    size_t stream_count;
    bool has_records;
};

void trace_cause_set(struct trace_cause *cause, enum trace_cause_kind kind, const char *name, uint64_t number)
{
    cause->kind = kind;
    cause->number = number;
    cause->ready = 0;
    snprintf(cause->name, sizeof cause->name, "%s", name);
}

// A record to fill; NULL without memory. The lock is held.
static struct trace_record *new_record(struct trace *trace)
{
    if (trace->last == NULL || trace->last->count == PAGE_RECORDS) {
        struct trace_page *page = trace->spare != NULL ? trace->spare : backend_alloc(trace->host, sizeof *page, 16);
        trace->spare = NULL;
        if (page == NULL) {
            trace->lost_count++;
            return NULL;
        }
        page->next = NULL;
        page->count = 0;
        if (trace->last != NULL) {
            trace->last->next = page;
        } else {
            trace->first = page;
        }
        trace->last = page;
    }
    assert(trace->last->count < PAGE_RECORDS);
    return &trace->last->records[trace->last->count++];
}

void trace_lose(struct trace *trace, uint64_t count)
{
    thread_lock(&trace->lock);
    trace->lost_count += count;
    trace->has_news = true;
    thread_unlock(&trace->lock);
}

void trace_remark(struct trace *trace, const char *text)
{
    thread_lock(&trace->lock);
    struct trace_remark **place = &trace->remarks;
    while (*place != NULL && strcmp((*place)->text, text) != 0) {
        place = &(*place)->next;
    }
    if (*place == NULL && trace->remark_count < MOST_REMARKS) {
        size_t size = sizeof(struct trace_remark) + strlen(text) + 1;
        struct trace_remark *remark = backend_alloc(trace->host, size, 16);
        if (remark != NULL) {
            remark->next = NULL;
            remark->size = size;
            memcpy(remark->text, text, strlen(text) + 1);
            *place = remark;
            trace->remark_count++;
            trace->has_news = true;
        }
    }
    thread_unlock(&trace->lock);
}

void trace_add(struct trace *trace, const struct trace_event *event)
{
    thread_lock(&trace->lock);
    struct trace_record *record = new_record(trace);
    trace->has_news = true;
    if (record != NULL) {
        snprintf(record->task, sizeof record->task, "%s", event->task);
        snprintf(record->kernel, sizeof record->kernel, "%s", event->kernel);
        snprintf(record->file, sizeof record->file, "%s", event->file);
        snprintf(record->way, sizeof record->way, "%s", event->way);
        snprintf(record->way_text, sizeof record->way_text, "%s", event->way_text);
        record->cause = *event->cause;
        record->worker = event->worker;
        record->line = event->line;
        record->chunk_count = event->chunk_count;
        record->group = event->group;
        record->stream = event->stream;
        record->begin = event->begin;
        record->end = event->end;
    }
    bool is_full = trace->last != NULL && trace->last->count == PAGE_RECORDS;
    thread_unlock(&trace->lock);
    if (is_full) {
        trace_flush(trace);
    }
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

// The number of a stream, from 1; 0 without memory. |is_new|: it was not known before.
static size_t stream_number(struct trace *trace, uint64_t stream, bool *is_new)
{
    *is_new = false;
    for (size_t i = trace->stream_count; i > 0; i--) { // the last ones first: records of one time stand together
        if (trace->streams[i - 1] == stream) {
            return i;
        }
    }
    if (trace->stream_count == trace->stream_capacity) {
        size_t capacity = trace->stream_capacity > 0 ? 2 * trace->stream_capacity : 64;
        uint64_t *larger = backend_alloc(trace->host, capacity * sizeof *larger, 16);
        if (larger == NULL) {
            return 0;
        }
        if (trace->stream_count > 0) {
            memcpy(larger, trace->streams, trace->stream_count * sizeof *larger);
        }
        backend_free(trace->host, trace->streams, trace->stream_capacity * sizeof *larger);
        trace->streams = larger;
        trace->stream_capacity = capacity;
    }
    trace->streams[trace->stream_count++] = stream;
    assert(trace->stream_count <= trace->stream_capacity);
    *is_new = true;
    return trace->stream_count;
}

static void describe_cause(const struct trace_cause *cause, size_t other, char *out, size_t size)
{
    int number = (int)cause->number;
    switch (cause->kind) {
    case TRACE_NOTHING: snprintf(out, size, "first on its stream"); return;
    case TRACE_TASK: snprintf(out, size, "after task %s of its launch", cause->name); return;
    case TRACE_REGION: snprintf(out, size, "after the blocks at line %d of its launch", number); return;
    case TRACE_BLOCK_MARKED: snprintf(out, size, "after block %d: in program order", number); return;
    case TRACE_BLOCK_SHARED: snprintf(out, size, "after block %d: their arguments overlap", number); return;
    case TRACE_KERNEL: snprintf(out, size, "after kernel %s on its stream", cause->name); return;
    case TRACE_OTHER: snprintf(out, size, "after %s on its stream", cause->name); return;
    case TRACE_EVENT: snprintf(out, size, "waited for an event of stream %zu", other); return;
    case TRACE_READ: snprintf(out, size, "after %s at line %d was read back by the host", cause->name, number); return;
    case TRACE_READS:
        snprintf(out, size, "%s over device data is read back: the host waits for it", cause->name);
        return;
    case TRACE_CAPTURED: snprintf(out, size, "captured into a graph: when that runs is not traced"); return;
    }
}

// Nanoseconds as microseconds. Not %f, which follows the program's locale: there is no comma in JSON's numbers.
static void write_number(FILE *file, const char *name, uint64_t nanoseconds)
{
    fprintf(file, "%s%llu.%03llu", name, (unsigned long long)(nanoseconds / 1000),
            (unsigned long long)(nanoseconds % 1000));
}

// Why the task did not begin earlier: what it had to follow, a thread that was not free, iterations that need order.
static void write_why(FILE *file, const struct trace_record *record, size_t other)
{
    enum { WAIT_WORTH_TELLING = 100000 }; // a sleeping thread is up in less
    char text[512];
    describe_cause(&record->cause, other, text, sizeof text);
    uint64_t ready = record->cause.ready;
    uint64_t waited = ready != 0 && record->begin > ready ? record->begin - ready : 0;
    size_t length = strlen(text);
    if (waited >= WAIT_WORTH_TELLING) {
        snprintf(text + length, sizeof text - length, "; waited %llu.%03llu ms for a thread",
                 (unsigned long long)(waited / 1000000), (unsigned long long)(waited / 1000 % 1000));
        length = strlen(text);
    }
    if (record->way_text[0] != '\0') {
        snprintf(text + length, sizeof text - length, "; its iterations in order: %s", record->way_text);
    }
    write_number(file, ", \"queued\": ", waited);
    fputs(", \"why\": ", file);
    write_text(file, text);
}

// A stream is a process to the viewer and a group its thread, so that the blocks of a launch lie in lanes of their own.
static void write_name(FILE *file, size_t number)
{
    fprintf(file, "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %zu, \"args\": {\"name\": \"stream %zu\"}},\n",
            number, number);
}

static void write_record(FILE *file, const struct trace_record *record, size_t stream, size_t other)
{
    fputs("{\"ph\": \"X\", \"name\": ", file);
    write_text(file, record->task);
    fprintf(file, ", \"pid\": %zu, \"tid\": %d", stream, record->group);
    write_number(file, ", \"ts\": ", record->begin);
    write_number(file, ", \"dur\": ", record->end - record->begin);
    fputs(", \"args\": {\"kernel\": ", file);
    write_text(file, record->kernel);
    fputs(", \"file\": ", file);
    write_text(file, record->file);
    fprintf(file,
            ", \"line\": %u, \"group\": %d, \"stream\": %zu, \"stream_id\": \"%llu\", \"thread\": %d, \"pieces\": %u, "
            "\"ran\": ",
            record->line, record->group, stream, (unsigned long long)record->stream, record->worker,
            record->chunk_count);
    write_text(file, record->way);
    write_why(file, record, other);
    fputs("}}", file);
}

static void write_records(FILE *file, struct trace *trace, const struct trace_page *page)
{
    for (; page != NULL; page = page->next) {
        for (int i = 0; i < page->count; i++) {
            const struct trace_record *record = &page->records[i];
            bool is_new;
            bool is_other_new = false;
            size_t other = 0;
            fputs(trace->has_records ? ",\n" : "\n", file);
            trace->has_records = true;
            if (record->cause.kind == TRACE_EVENT) {
                other = stream_number(trace, record->cause.number, &is_other_new);
                if (is_other_new) {
                    write_name(file, other);
                }
            }
            size_t stream = stream_number(trace, record->stream, &is_new);
            if (is_new) {
                write_name(file, stream);
            }
            write_record(file, record, stream, other);
        }
    }
}

// Remarks are only ever added behind the others, and go with the trace: |first| is read without the lock.
static void write_end(FILE *file, const struct trace_origin *origin, uint64_t lost_count,
                      const struct trace_remark *first, int remark_count)
{
    fprintf(file, "\n], \"otherData\": {\"producer\": \"rill\", \"threads\": %d, \"lost\": %llu", origin->thread_count,
            (unsigned long long)lost_count);
    if (origin->device != NULL) {
        fputs(", \"device\": ", file);
        write_text(file, origin->device);
        fputs(", \"note\": ", file);
        write_text(file, origin->note);
    }
    for (int i = 0; i < remark_count; i++, first = first->next) {
        fputs(i == 0 ? ", \"remarks\": [" : ", ", file);
        write_text(file, first->text);
    }
    fputs(remark_count > 0 ? "]}}\n" : "}}\n", file);
}

static void free_pages(struct trace *trace, struct trace_page *page)
{
    while (page != NULL) {
        struct trace_page *next = page->next;
        backend_free(trace->host, page, sizeof *page);
        page = next;
    }
}

// file_lock is held.
static void write_news(struct trace *trace, bool is_end)
{
    thread_lock(&trace->lock);
    struct trace_page *pages = trace->first;
    uint64_t lost_count = trace->lost_count;
    const struct trace_remark *remarks = trace->remarks;
    int remark_count = trace->remark_count;
    bool has_news = trace->has_news || is_end;
    trace->first = NULL;
    trace->last = NULL;
    trace->has_news = false;
    thread_unlock(&trace->lock);
    FILE *file = has_news ? trace_file_append(&trace->file) : NULL;
    if (file != NULL) {
        write_records(file, trace, pages);
        trace_file_mark_end(&trace->file);
        if (is_end || trace->file.is_seekable) {
            write_end(file, &trace->origin, lost_count, remarks, remark_count);
        }
        trace_file_flush(&trace->file, trace->host);
    }
    thread_lock(&trace->lock);
    if (pages != NULL && trace->spare == NULL) {
        struct trace_page *spare = pages;
        pages = spare->next;
        spare->next = NULL;
        trace->spare = spare;
    }
    thread_unlock(&trace->lock);
    free_pages(trace, pages);
}

void trace_flush(struct trace *trace)
{
    thread_lock(&trace->file_lock);
    write_news(trace, false);
    thread_unlock(&trace->file_lock);
}

struct trace *trace_create(const struct backend_host *host, const struct trace_origin *origin)
{
    const char *path = getenv("RILL_TRACE");
    struct trace *trace = path != NULL && *path != '\0' ? backend_alloc(host, sizeof *trace, 16) : NULL;
    if (trace != NULL) {
        trace->host = host;
        trace->origin = *origin;
        thread_mutex_init(&trace->lock);
        thread_mutex_init(&trace->file_lock);
        trace_file_open(&trace->file, path, host);
        trace->has_news = true;
        trace_flush(trace);
    }
    return trace;
}

void trace_destroy(struct trace *trace)
{
    if (trace == NULL) {
        return;
    }
    thread_lock(&trace->file_lock);
    write_news(trace, true);
    thread_unlock(&trace->file_lock);
    trace_file_close(&trace->file, trace->host);
    free_pages(trace, trace->spare);
    while (trace->remarks != NULL) {
        struct trace_remark *next = trace->remarks->next;
        backend_free(trace->host, trace->remarks, trace->remarks->size);
        trace->remarks = next;
    }
    backend_free(trace->host, trace->streams, trace->stream_capacity * sizeof *trace->streams);
    thread_mutex_finish(&trace->file_lock);
    thread_mutex_finish(&trace->lock);
    backend_free(trace->host, trace, sizeof *trace);
}
