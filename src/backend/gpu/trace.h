// What ran when on a GPU, for RILL_TRACE. Each task stands between two of the driver's events with time stamps; they
// are read once it has run, by launches that come later and when the device closes. The tasks go to the driver one by
// one then, never as a graph. Nothing that fails here fails a launch: what is not known is counted as lost.
//
// A device without a trace has NULL, and pays one test a task and an operation.
#ifndef RILL_BACKEND_GPU_TRACE_H
#define RILL_BACKEND_GPU_TRACE_H

#include "backend/backend.h"

struct gpu_mark;
struct gpu_run;
struct gpu_trace;
struct gpu_trace_task;
struct gpu_trace_wait;
struct gpu_walk;
struct gpu_why;

// Where a stream, or the walk of a block, stands: what the next task begins after.
struct gpu_follow {
    struct trace_cause cause;
    struct gpu_trace_wait *wait; // one reference; events waited for since |cause|; NULL: none
    int group;                   // of the last task
};

// The device is current in all of these. gpu_trace_destroy() finds everything run, and writes the file.
struct gpu_trace *gpu_trace_create(struct backend_device *device); // NULL: RILL_TRACE is not set, or without trace
void gpu_trace_remark(struct backend_device *device, const char *text);
void gpu_trace_flush(struct backend_device *device); // what has run is in the file
void gpu_trace_destroy(struct backend_device *device);

// Streams; |order| is held. All may be called without a trace.
void gpu_trace_other(struct backend_stream *stream, const char *name); // "a copy" was queued
void gpu_trace_kernel(struct backend_stream *stream, const char *name);
// Before the driver is told to wait for |mark|. |has_stood|: the host has kept the stream's work back for it.
void gpu_trace_waits(struct backend_stream *stream, struct gpu_mark *mark, bool has_stood);
void gpu_trace_forget(struct backend_stream *stream); // it goes

// Blocks of a region: a place of their own, from where the region was met; |number| is that of the block it follows.
struct gpu_follow gpu_follow_fork(struct gpu_walk *outer, const struct trace_cause *cause);
void gpu_follow_join(struct gpu_walk *walk);
void gpu_follow_set(struct gpu_walk *walk, enum trace_cause_kind kind, const char *name, uint64_t number);

// Tasks. NULL: it is not traced.
struct gpu_trace_task *gpu_trace_begin(struct gpu_walk *walk, const struct plan_task *task);
struct gpu_trace_how {
    const char *way;
    const char *way_text;
    uint32_t piece_count;
};
// |how| NULL: it was not launched.
void gpu_trace_end(struct gpu_walk *walk, struct gpu_trace_task *task, const struct gpu_trace_how *how);
// The host has waited, from |begin| till now, for what tasks compute.
void gpu_trace_read(struct gpu_walk *walk, const struct gpu_why *why, uint64_t begin);

#endif
