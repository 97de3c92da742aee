// What ran when, for RILL_TRACE=file.json: one event for each task, in the form that Perfetto and chrome://tracing
// open. Records are kept in memory and written when the device closes. A device without a trace has NULL, and pays one
// test a task.
#ifndef RILL_BACKEND_CPU_TRACE_H
#define RILL_BACKEND_CPU_TRACE_H

#include <stdint.h>

struct backend_device;
struct trace;

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
    const char *way;      // how it ran: "alone", "shared", "in order"
};

// NULL if RILL_TRACE is not set, or without memory.
struct trace *trace_create(struct backend_device *device);
void trace_add(struct backend_device *device, const struct trace_event *event);
// Writes the file. NULL is skipped.
void trace_destroy(struct backend_device *device, struct trace *trace);

#endif
