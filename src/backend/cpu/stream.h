// A stream of the CPU: a queue of operations that workers of the pool take up one after the other. At most one worker
// advances a stream at a time. An operation that cannot end at once (a launch whose loop is shared, a wait for an
// event, a callback) leaves the stream to whoever ends it; no worker stays behind.
//
// Who queues holds the stream's lock and puts operations into the inbox. The worker that advances the stream takes the
// whole inbox at once, by one atomic operation, and then goes through it without a lock: so a queue that is fed fast
// costs each side a cache line, not a turn at a lock.
//
// Operations lie one after the other in segments of memory that are used again when everything in them has run, so that
// a stream which has found its size allocates nothing.
//
// A thread of the host that waits for a stream takes it up itself if no worker has, or what the stream waits for: a
// guest of the pool. It stops where its wait ends, whatever else is queued.
//
// While launches with blocks are outstanding a stream has lanes: streams of the context's pool that its blocks are
// queued on. The launches of one stream run one after the other, so that they share them; they go back with the last.
#ifndef RILL_BACKEND_CPU_STREAM_H
#define RILL_BACKEND_CPU_STREAM_H

#include "backend/backend.h"
#include "backend/cpu/device.h"
#include "backend/cpu/exec.h"
#include "base/eventcount.h"
#include "base/hot.h"

enum {
    STREAM_MAX_LAUNCHES = 4096,     // outstanding on one stream before a launch waits
    STREAM_SEGMENT_SIZE = 64 << 10, //
    STREAM_SPIN = 1000,             // looks of a host thread before it sleeps
    STREAM_SPIN_TURN = 32,          // of these before others get a turn: a worker may share the processor
    STREAM_LINGER = 250,            // looks of a worker at an empty queue before it leaves the stream
    STREAM_TURN = 64,               // operations a worker runs of one stream while others wait for a worker
    GUEST_CHAIN = 8,                // streams a guest looks at, each of which waits for the next
    GUEST_STACK = 6 << 20,          // bytes a thread must have left to be a guest: what a task may use, and more
};

// An error with the streams and marks that have it.
// One record of an event: the place that waits mean, whatever happens to the event later.
struct cpu_mark {
    struct cpu_mark *next;               // in the device's free list
    uint64_t stream;                     // the id of the one it was recorded on; set before it is queued
    struct backend_stream *source;       // that stream, which is there until the mark is reached
    int reference_count;                 // guarded by mark_lock
    bool is_reached;                     //
    bool has_time;                       // set before it is queued
    uint64_t time;                       // when it was reached, if it has one
    struct cpu_error *error;             // one reference; of the stream when it was reached; NULL: none
    struct backend_stream *first_waiter; // streams that stand at a wait for it
};

struct cpu_segment {
    struct cpu_segment *next;                  // in the list it is in
    size_t size;                               // of the whole segment
    uint64_t queued_count;                     // operations in it; of the current one the stream knows it
    _Alignas(64) _Atomic uint64_t ended_count; // of these; written by the worker that advances the stream
};

struct cpu_launch {
    struct cpu_op op;
    const struct backend_image *image;   // borrowed
    const struct cpu_kernel *kernel;     // borrowed
    struct cpu_workspace *new_workspace; // owned until it starts: replaces the stream's; NULL: the stream's will do
    void *result;
    size_t result_size;
    const void *result_source; // NULL: the block's beginning
    struct backend_error *caller;
    _Alignas(16) unsigned char args[]; // then the sizes of what was passed for each parameter
};

struct cpu_copy {
    struct cpu_op op;
    void *target;
    const void *source;
    size_t size;
};

struct cpu_fill {
    struct cpu_op op;
    void *target;
    size_t count;
    size_t size;
    unsigned char element[];
};

struct cpu_notify {
    struct cpu_op op;
    backend_notice *notice;
    void *arg;
    bool hold;
    bool was_called;
};

struct cpu_mark_op { // record and wait
    struct cpu_op op;
    struct cpu_mark *mark; // one reference; of a wait until the stream was admitted
};

// What who queues changes, what both sides change and what the worker changes lie on cache lines of their own.
struct backend_stream {
    struct backend_device *device; // borrowed
    uint64_t id;
    int priority;
    bool is_checked; // thread_is_checked(), at hand for who queues
    struct cpu_pool_job job;
    struct backend_stream *next;          // guarded by drain_lock: in the device's list
    struct backend_stream **link;         // guarded by drain_lock: what points to it there
    struct backend_stream *next_waiter;   // guarded by mark_lock
    _Atomic(struct cpu_mark *) waits_for; // changed under mark_lock: the mark it stands at; NULL: none
    bool was_admitted; // the mark it stood at was reached; by who reaches it, then by who has the stream

    _Alignas(64) struct thread_latch lock;
    _Atomic uint64_t queued_count; // operations ever queued; changed under the lock, and so is what follows
    _Atomic uint64_t launch_count; // launches ever queued; device_stats() adds them up, so that streams share no count
    uint64_t launch_ended_seen;    // of these, ended when somebody looked last
    struct cpu_segment *current;   // owned: new operations go here; NULL at first
    size_t current_used;           // bytes of it
    size_t current_size;           // 0 while there is none
    uint64_t current_count;        // operations in it
    struct cpu_need newest_need;   // what the workspace that the last queued launch will find has room for
    struct cpu_error *error;       // one reference; NULL: none
    bool is_at_hand;               // no worker has taken the inbox since the stream was last at rest, for all one knows
    struct cpu_segment *used;      // owned: full ones, the oldest first
    struct cpu_segment *used_last; //
    struct cpu_segment *free;      // owned
    struct cpu_workspace *next_workspace; // owned: of a lane, replaces its workspace before the next block; NULL: none
    int blocked_count;                    // launches with blocks outstanding
    int lane_count;                       // lanes that are lent to it
    struct cpu_error *spare;              // owned: so that an error needs no memory when it happens

    _Alignas(64) _Atomic(struct cpu_op *) inbox; // the last queued first; &rest: no worker has the stream
    struct cpu_op rest;                          // never queued
    struct cpu_op end;                           // the last operation of a stream that is destroyed

    _Alignas(64) struct cpu_op *first;   // only the worker that advances the stream sees it: taken, in order
    _Atomic uint64_t ended_count;        // operations ended; who waits looks
    _Atomic uint64_t launch_ended_count; // launches ended
    struct eventcount progress;          // host threads wait here until more operations have ended
    atomic_bool has_error;               // |error| is not NULL; changed under the lock
    atomic_bool was_waited_for;          // by the host since a worker took it up: more may not come at once
    atomic_int guest_count;              // guests that wait for it and look for what they can do
    struct cpu_workspace *workspace;     // owned; only the worker sees it, and the next
    struct trace_cause cause;            // what the next operation begins after; only with a trace

    // Written where a launch is queued, read by launches that were queued later; guarded by lock where it is changed.
    struct backend_lease lanes[EXEC_MAX_BLOCKS];
};

// A thread of the host that waits: for |target| operations of |stream|, or, if that is NULL, for |mark|.
struct cpu_guest {
    struct cpu_worker worker;
    struct backend_device *device; // borrowed
    struct backend_stream *stream; // borrowed, and there
    uint64_t target;               //
    struct cpu_mark *mark;         // borrowed
    bool is_able;                  // has the stack that kernels may count on
    bool is_looking;               // counts among those that look for what they can do
    unsigned seen;                 // the pool's count of changes when it looked last
    struct backend_stream *next;   // of its chain, can go on, and is in its hands: nobody else sees it; NULL: none

    // What its wait depends on now: each stream must reach its mark for the one before to go on. Only the first is sure
    // to be there; the others are compared with, and looked at where something shows that they are.
    int chain_count;
    const void *chain[GUEST_CHAIN];
    struct cpu_mark *marks[GUEST_CHAIN]; // NULL: the stream waited for
    bool is_served[GUEST_CHAIN];         // it has reached the mark itself
};

// guest.c
void guest_init(struct cpu_guest *guest, struct backend_device *device);
void guest_finish(struct cpu_guest *guest); // before it sleeps, and when its wait is over
// The calling thread has queued what it waits for at once, up to |target| operations, on a stream that nobody has: it
// runs the stream itself, and nobody else need know. False: it may not, and the stream's job must be pushed.
bool guest_run_at_once(struct backend_stream *stream, uint64_t target);
// Does something that it waits for. False: there is nothing that it could do.
bool guest_help(struct cpu_guest *guest);
// Whether there may be something new to help with.
bool guest_has_news(const struct cpu_guest *guest);
// Whether the stream, taken up by a guest, is still what it waits for. True for workers.
bool guest_wants(const struct cpu_worker *worker, struct backend_stream *stream);
// Whether it should leave the stream to others: what it waits for has come. False for workers.
bool guest_must_stop(const struct cpu_worker *worker, struct backend_stream *stream);
// Pushes a stream that can go on. Nobody is woken for it if a guest waits for it or comes back to it anyway.
void guest_push(const struct cpu_worker *worker, struct backend_stream *stream);
// The stream that the worker goes on with, if it is a guest that has one in its hands; else NULL.
struct backend_stream *guest_take_next(const struct cpu_worker *worker);
void guest_note_reached(const struct cpu_worker *worker, const struct cpu_mark *mark);
// Waits for the guest's wait to end without sleeping. True: it has ended, or there may be something to help with.
bool guest_looks(struct cpu_guest *guest, bool (*has_ended)(struct cpu_guest *guest));

rill_status cpu_stream_create(struct backend_device *device, int priority, uint64_t id,
                              struct backend_stream **out_stream);
void cpu_stream_destroy(struct backend_stream *stream);
uint64_t cpu_stream_count_launches(struct backend_device *device); // ever queued, on all streams
void cpu_stream_synchronize(struct backend_stream *stream);
void cpu_stream_help(struct backend_stream *stream);
bool cpu_stream_is_idle(struct backend_stream *stream);
bool cpu_stream_is_quiet(struct backend_stream *stream);
// Whether the stream has an error, and that. What few streams need is apart, for the launch that asks.
bool cpu_stream_get_error(struct backend_stream *stream, struct backend_error *out_error) __attribute__((noinline));
static inline bool cpu_stream_error(struct backend_stream *stream, struct backend_error *out_error)
{
    return UNLIKELY(atomic_load_explicit(&stream->has_error, memory_order_acquire)) &&
           cpu_stream_get_error(stream, out_error);
}
void cpu_stream_clear_error(struct backend_stream *stream);
rill_status cpu_stream_launch(struct backend_stream *stream, const struct backend_launch *launch);
rill_status cpu_stream_copy(struct backend_stream *stream, void *target, const void *source, size_t size,
                            enum backend_read read);
rill_status cpu_stream_fill(struct backend_stream *stream, void *target, size_t count, const void *element,
                            size_t size);
rill_status cpu_stream_notify(struct backend_stream *stream, backend_notice *notice, void *arg, bool hold);
void cpu_stream_proceed(struct backend_stream *stream);
rill_status cpu_stream_wait(struct backend_stream *stream, struct backend_stream *other);

// error.c
struct cpu_error *error_create(struct backend_device *device); // NULL: no memory
void error_release(struct backend_device *device, struct cpu_error *error);
// Where the stream's error is to be written, which it has from now on; NULL: it has one already, or there is no memory.
// The stream's lock is held.
struct backend_error *cpu_stream_fail(struct backend_stream *stream);
void cpu_stream_take_error(struct backend_stream *stream,
                           struct cpu_error *error); // adds a reference, unless it has one

// segment.c
size_t segment_round_up(size_t size); // to whole cache lines
// Memory for an operation, 64-byte aligned, not zeroed. NULL: there is none. The stream's lock is held.
void *segment_take(struct backend_stream *stream, size_t size);
void segment_free_all(struct backend_device *device, struct cpu_segment *segment);

// lane.c: streams lent for the blocks of a stream's launches.
// Makes sure of the lanes of one more launch with blocks. The stream's lock is held.
rill_status lanes_take(struct backend_stream *stream, const struct backend_kernel *kernel);
// One launch with blocks has ended, or was not queued after all: the last gives the lanes back. The lock is held.
void lanes_leave(struct backend_stream *stream);
// |is_small|: not worth waking a thread for.
void cpu_stream_queue_block(struct backend_stream *lane, struct cpu_block *block, bool is_small);
void cpu_stream_run_block(struct backend_stream *lane, struct cpu_block *block, struct cpu_worker *worker);
// The first operation, a block, has ended.
void cpu_stream_end_block(struct backend_stream *lane);

// For lane.c.
// Replaces the workspace, with what no run of the stream changes written in it. By who advances the stream.
void cpu_stream_take_workspace(struct backend_stream *stream, struct cpu_workspace *workspace)
    __attribute__((noinline));
bool cpu_stream_append(struct backend_stream *stream, struct cpu_op *op, enum cpu_op_kind kind);
void cpu_stream_remove_first(struct backend_stream *stream);
struct cpu_op *cpu_stream_first_op(struct backend_stream *stream);

// For event.c.
rill_status cpu_stream_queue_mark(struct backend_stream *stream, enum cpu_op_kind kind, struct cpu_mark *mark);
// event.c: true if the operation has ended.
bool mark_run(struct backend_stream *stream, struct cpu_mark_op *op, struct cpu_worker *worker);
// The stream's first operation waits for the mark, and nobody has the stream. True: it stands there now, and is pushed
// by who reaches the mark; else it may go on.
bool mark_stand(struct backend_stream *stream, struct cpu_mark *mark);
void mark_release(struct backend_device *device, struct cpu_mark *mark);

rill_status cpu_event_create(struct backend_device *device, bool has_time, struct backend_event **out_event);
void cpu_event_destroy(struct backend_event *event);
rill_status cpu_event_record(struct backend_event *event, struct backend_stream *stream);
bool cpu_event_is_recorded(struct backend_event *event);
rill_status cpu_event_wait(struct backend_event *event, struct backend_stream *stream);
bool cpu_event_synchronize(struct backend_event *event, struct backend_error *out_error);
bool cpu_event_is_reached(struct backend_event *event);
bool cpu_event_is_past(struct backend_event *event, const struct backend_stream *stream);
rill_status cpu_event_elapsed(struct backend_event *begin, struct backend_event *end, double *out_milliseconds);

#endif
