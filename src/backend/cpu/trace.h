// What ran when, for RILL_TRACE=file.json: one event for each task, in the form that Perfetto and chrome://tracing
// open. Each says what its task began after, which is why it did not overlap that. Records are kept in memory and
// written when the device closes. A device without a trace has NULL, and pays one test a task.
#ifndef RILL_BACKEND_CPU_TRACE_H
#define RILL_BACKEND_CPU_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct backend_device;
struct trace;

// What a task begins after.
enum trace_cause_kind {
    TRACE_NOTHING,      // the first thing on its stream
    TRACE_TASK,         // the task |name| of the same launch
    TRACE_REGION,       // the stream_parallel blocks at line |number| of the same launch
    TRACE_BLOCK_MARKED, // block |number| of its region: '#pragma rill in_order', or too many blocks
    TRACE_BLOCK_SHARED, // block |number| of its region: this launch's arguments overlap
    TRACE_KERNEL,       // the kernel |name| on the same stream
    TRACE_OTHER,        // |name| on the same stream: a copy, a fill, a callback
    TRACE_EVENT,        // a place on stream |number|, reached after this stream came to the wait
};

struct trace_cause {
    enum trace_cause_kind kind;
    uint64_t number;
    uint64_t ready; // when it was given to the threads, in nanoseconds; 0: it went on without that
    char name[64];
};

void trace_cause_set(struct trace_cause *cause, enum trace_cause_kind kind, const char *name, uint64_t number);

struct trace_event {
    const char *task; // texts are copied
    const char *kernel;
    const char *file;
    uint32_t line;
    int group;       // the stream_parallel block; 0: none
    uint64_t stream; // its id
    uint64_t begin;  // nanoseconds
    uint64_t end;
    uint32_t chunk_count; // pieces it was cut into
    int worker;           // the thread that began it
    const char *way;      // how it ran: "alone", "shared", "in order"
    const char *way_text; // why in order; "" otherwise
    const struct trace_cause *cause;
};

// NULL if RILL_TRACE is not set, or without memory.
struct trace *trace_create(struct backend_device *device);
void trace_add(struct backend_device *device, const struct trace_event *event);
// Writes the file. NULL is skipped.
void trace_destroy(struct backend_device *device, struct trace *trace);

#endif
