// A GPU, its streams and what belongs to them. Work goes straight to the driver's streams. What the host has to do once
// work has run (look at a failure record, copy from pinned memory, print) is kept with the stream as a list of watches,
// in order, and done by whoever finds that the stream has come past: a call that synchronises or queries, or the
// thread that delivers notices.
//
// Locks, in the order in which they may be taken: a stream's |order|, then the device's |reap_lock|, then the device's
// |lock|. Only |order| is held while the driver is called, and a blocking call only where the stream's own next
// operation has to wait for it anyway.
#ifndef RILL_BACKEND_GPU_DEVICE_H
#define RILL_BACKEND_GPU_DEVICE_H

#include "backend/gpu/choice.h"
#include "backend/gpu/driver.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/trace.h"
#include "base/thread.h"
#include "plan/abi.h"

#include <stdatomic.h>

struct gpu_counters {
    _Atomic uint64_t launch_count;
    _Atomic uint64_t launch_failed_count;
    _Atomic uint64_t launch_skipped_count;
    _Atomic uint64_t task_count;
    _Atomic uint64_t parallel_count;
    _Atomic uint64_t in_order_count;
    _Atomic uint64_t whole_count;
    _Atomic uint64_t block_in_order_count;
    _Atomic uint64_t region_counts[BACKEND_REGION_WAY_COUNT];
    _Atomic uint64_t ring_wait_count;
    _Atomic uint64_t readback_count;
    _Atomic uint64_t print_lost_count;
};

// A driver's stream with two events of its own: an event is free for the next record as soon as the waits for it are
// queued.
struct gpu_lane {
    void *handle;
    void *end;  // event: the last work of a block that ran here
    void *fork; // event: where blocks leave from
    int level;  // 0 high, 1 normal, 2 low
};

// Lanes of streams that were destroyed, for the next ones: making one costs the driver more than all that a stream does
// before its first launch.
enum { GPU_LEVELS = 3, GPU_SPARE_LANES = 16 };
struct gpu_spare_lanes {
    struct gpu_lane lanes[GPU_SPARE_LANES]; // owned, the last one first
    int count;
};

// Pinned memory that pageable memory goes through: see stage.c.
enum { GPU_CHUNKS = 16 };
struct gpu_chunk {
    char *memory;                      // owned; NULL: not made yet
    void *event;                       // owned: behind the last use
    bool is_recorded;                  // it was
    bool is_taken;                     // guarded by the device's lock, as is what follows: a stream queues with it
    const struct backend_stream *user; // the last; NULL: none, or it is gone
    uint64_t turn;                     // of the last use, counted by the device
};

// An error with the streams and marks that have it.
struct gpu_error {
    atomic_int reference_count;
    struct backend_error error;
};

// One record of an event: the place that waits mean, whatever happens to the event later. Guarded by reap_lock.
struct gpu_mark {
    struct gpu_mark *next; // in the device's free list
    bool has_time;         // its event has
    int reference_count;
    int watch_count;               // references that watches have: they do not need |event|
    bool is_reached;               // and what came before it was looked at
    atomic_bool is_recorded;       // the driver knows of it; false while the record is put off
    bool is_captured;              // into a graph: nobody on the host can wait for it
    uint64_t stream_id;            // of the stream that it was recorded on
    void *event;                   // owned; NULL when only watches have the mark
    struct backend_stream *stream; // until it is reached
    uint64_t sequence;             // on that stream
    struct gpu_error *error;       // one reference; of the stream when it was reached; NULL: none
};

struct gpu_notice {
    struct gpu_notice *next;       // in the list of those to be called
    struct gpu_notice *all_next;   // among all that were queued
    struct gpu_notice **all_link;  //
    struct backend_stream *stream; // one reference
    uint64_t sequence;
    backend_notice *function;
    void *arg;
    bool is_signalled;
};

struct gpu_recording;
struct gpu_instance;
struct gpu_block;
struct gpu_kept;
struct gpu_op;
struct gpu_store;

enum { GPU_SPARE_EVENTS = 8 };

// What marks are made of, with time or without.
struct gpu_mark_pool {
    struct gpu_mark *free;          // owned
    void *events[GPU_SPARE_EVENTS]; // owned: events of the driver that no mark needs any more, the last one first
    int event_count;
};

// Which loops in order stay on the device: RILL_RESIDENT.
enum gpu_resident_mode {
    GPU_RESIDENT_AUTO,
    GPU_RESIDENT_OFF,
    GPU_RESIDENT_BLOCK, // all that can, on one block
    GPU_RESIDENT_GRID,  // all that can
    GPU_RESIDENT_MODE_COUNT
};
enum gpu_resident_mode gpu_resident_mode(void); // resident.c

struct backend_device {
    // What each launch looks at, side by side: the driver has pushed it out of the first cache since the last one.
    struct gpu_properties properties; // ends with the flags
    const struct gpu_driver *driver;
    void *context; // owned
    enum backend_graph_mode graph_mode;
    enum gpu_resident_mode resident_mode;
    atomic_bool is_lost;
    struct gpu_choice choice; // its first words

    struct backend_host host;
    struct gpu_counters counters; // of streams that are gone, and what launches do not count for their stream
    void *service;                // owned: the stream of allocations

    struct thread_mutex kept_lock;
    struct gpu_block *kept_blocks;     // owned; guarded by kept_lock: memory.h
    struct gpu_block *spare_blocks;    // owned; guarded by kept_lock: one for each piece of memory in use
    struct gpu_store *store;           // one reference: store.h
    struct backend_device *store_next; // guarded by the store's lock

    struct thread_latch reap_lock; // watches, marks, errors of streams
    struct gpu_mark_pool marks[2]; // by whether they have a time; guarded by reap_lock
    struct gpu_captured *captured; // guarded by reap_lock
    struct gpu_home *home;         // one reference; NULL until something is captured; guarded by reap_lock

    struct thread_mutex lock;
    struct gpu_chunk chunks[GPU_CHUNKS];            // stage.c; which is whose is guarded by lock
    uint64_t chunk_turn;                            // guarded by lock
    struct gpu_spare_lanes spare_lanes[GPU_LEVELS]; // by level; guarded by lock
    struct backend_stream *streams;                 // guarded by lock
    int stream_count;                               // guarded by lock: streams not yet freed
    int deferring_count;                            // guarded by lock: operations that are put off, of all streams
    int mark_waiter_count;                          // guarded by lock: host threads
    bool wants_pump;                // guarded by lock: operations that were put off may have become possible
    struct thread_cond changed;     // stream_count became 0, a notice was called, a notice is to be called
    struct gpu_notice *first_ready; // guarded by lock
    struct gpu_notice *last_ready;  //
    struct gpu_notice *all_notices; // guarded by lock
    bool is_closing;                // guarded by lock
    bool has_notifier;              // guarded by lock: the thread runs
    pthread_t notifier_self;        // guarded by lock
    struct thread notifier;         // started by the first notice; guarded by notifier_lock
    struct thread_mutex notifier_lock;
    struct thread_mutex print_lock; // printed text leaves one launch at a time

    struct gpu_trace *trace; // owned; NULL: off
    void *condition; // the driver's kernel that sets conditional nodes; owned by the driver; NULL: there are none
    void *again;     // the one that sets the node of a loop of rounds
    _Atomic uint64_t image_count; // images ever loaded: each has a number that no later one has
    _Atomic uint64_t error_count; // errors of streams ever: the same
    struct gpu_error no_words;    // what a stream has whose error found no memory; the device has one reference

    char lost_text[256]; // written once, before is_lost
    bool is_gone;        // the same; it is lost because the driver has shut down
    atomic_bool lost_claimed;
};

// ---- memory of launches (ring.c)

// Of frames each has its record in pinned memory, so that nothing is copied for a launch that does not fail.
enum gpu_ring_kind { GPU_RING_ZEROED, GPU_RING_PLAIN, GPU_RING_PINNED, GPU_RING_FRAMES, GPU_RING_KINDS };

struct gpu_segment {
    struct gpu_segment *next;
    enum gpu_ring_kind kind;
    uint64_t address; // of the device or, pinned, of both
    char *records;    // owned, FRAMES: pinned, as large as the segment
    size_t size;
    size_t used;
    void *event;       // owned; recorded when the last work that uses it is queued
    uint64_t sequence; // of that work
};

struct gpu_ring {
    enum gpu_ring_kind kind;
    struct gpu_segment *current; // owned; NULL at first
    struct gpu_segment *leaving; // owned: full, their last work is being queued
    struct gpu_segment *first;   // owned: full, oldest first
    struct gpu_segment *last;
    size_t total_size;
};

// ---- streams

// Launches outstanding on one stream before a launch waits, how many of them share an event that says how far the
// stream is, and the launch that makes these events, all at once: while other threads launch, the driver takes
// milliseconds to make one. Of a stream that launches less nobody will ask.
enum {
    GPU_MAX_LAUNCHES = 4096,
    GPU_LAUNCHES_A_TICK = 1024,
    GPU_TICKS = GPU_MAX_LAUNCHES / GPU_LAUNCHES_A_TICK,
    GPU_TICKS_BEGIN = 16,
};

enum gpu_watch_kind { GPU_WATCH_FRAME, GPU_WATCH_COPY, GPU_WATCH_RECORD, GPU_WATCH_WAIT };

struct gpu_frame_watch {
    const struct backend_image *image; // borrowed: unloaded only after the launches that it ran
    int kernel;
    const struct abi_gpu_frame *frame; // pinned, as it was when the launch ended
    const uint64_t *print_ends;        // pinned: how far the print buffer was filled after each printing task
    size_t print_end_count;
    const void *args;            // pinned copies, for the words
    const uint64_t *array_sizes; //
    struct backend_error *caller;
};

struct gpu_watch {
    struct gpu_watch *next;
    uint64_t sequence;
    enum gpu_watch_kind kind;
    struct gpu_mark *mark; // RECORD, WAIT: one reference, made when the watch is added
    void *target;          // COPY: from pinned to any memory of the host
    const void *source;    //
    size_t size;           //
    struct gpu_frame_watch frame;
};

// What launches of one stream have done, changed under its |order| alone.
struct gpu_totals {
    _Atomic uint64_t launch_count;
    _Atomic uint64_t task_count;
    _Atomic uint64_t parallel_count;
    _Atomic uint64_t whole_count;
};

// A stream whose watches are being run. Guarded by reap_lock.
struct gpu_reaping {
    struct backend_stream *after; // which goes on when this one is done; NULL: none
    uint64_t sequence;            // up to which
    bool is_active;
};

struct backend_stream {
    // What each launch looks at, side by side, as in backend_device.
    struct backend_device *device;  // borrowed
    struct thread_latch order;      // one operation is queued at a time
    atomic_bool has_error;          // |error| is set, to be looked at without the lock
    atomic_bool is_shared;          // others may queue on it, or capture it
    atomic_bool is_held;            // a callback has not returned; changed under the device's lock
    bool is_per_thread;             // its handle means |owner|'s stream in |owner| alone
    bool is_capturing;              // guarded by |order|: this operation is captured
    bool is_leaving;                // guarded by |order|: some ring has segments whose last work is being queued
    bool has_begun;                 // guarded by |order|: some of this operation has gone to the driver
    struct gpu_lane lane;           // owned
    struct gpu_captured *captured;  // guarded by |order|: what belongs to this operation's graph; NULL: nothing yet
    _Atomic uint64_t queued;        // operations ever queued; changed under |order|
    struct gpu_op *first_op;        // owned; guarded by |order|: what is put off
    struct gpu_instance *instances; // owned; guarded by |order|
    struct gpu_instance *told;      // guarded by |order|: whose launch goes task by task this time
    uint64_t launch_count;          // guarded by |order|: launches ever queued
    struct gpu_totals totals;

    uint64_t id;
    bool is_wrapped;                       // the lane's stream is another's, and never destroyed
    pthread_t owner;                       // is_per_thread
    void *last;                            // owned event: the last operation outside of a capture; is_shared
    _Atomic uint64_t last_number;          // of that operation
    struct gpu_ring rings[GPU_RING_KINDS]; // by kind; guarded by |order|
    struct gpu_op *last_op;                // guarded by |order|
    struct backend_stream *next;     // among the device's; guarded by its lock, under which what follows is changed
    struct backend_stream **link;    //
    _Atomic uint64_t ops_queued;     // operations ever put off
    _Atomic uint64_t ops_issued;     // and issued since
    int launches_put_off;            // of these, launches that were not issued yet
    _Atomic uint64_t holds_queued;   // callbacks that hold the stream
    _Atomic uint64_t holds_passed;   // and have returned
    atomic_int reference_count;      // the owner's and one for each notice
    void *ticks[GPU_TICKS];          // owned events; NULL until they are made
    struct gpu_recording *recording; // owned; guarded by |order|; NULL until it is needed
    _Atomic(struct gpu_kept *) kept; // owned: streams lent for blocks, for the next launch; NULL: in use, or none
    struct gpu_follow *follow;       // owned; what the next operation begins after; NULL: there is no trace
    void *small_chunk;               // owned; guarded by |order|: pinned, see stage.c; NULL until it is needed
    void *scratch;                   // owned; guarded by |order|: what the host knows of a launch's block
    size_t scratch_size;

    struct gpu_watch *first_watch; // owned; guarded by reap_lock, and so is what follows
    struct gpu_watch *last_watch;
    struct gpu_watch *free_watches;
    struct gpu_reaping reap;
    _Atomic uint64_t reaped;         // sequence up to which work has run and was looked at
    struct gpu_error *error;         // one reference; NULL: none
    struct gpu_error *spare;         // owned: so that an error needs no memory when it happens
    _Atomic uint64_t notices_queued; // changed under the device's lock
    _Atomic uint64_t notices_called; //
    int watch_count;
};

struct backend_event {
    struct backend_device *device; // borrowed
    struct gpu_mark *mark;         // one reference; NULL: never recorded
    bool has_time;
};

// gpu.c
void *gpu_alloc(struct backend_device *device, size_t size); // zeroed; NULL: no memory
void gpu_free(struct backend_device *device, void *memory, size_t size);
static inline void gpu_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
static inline void gpu_count_more(_Atomic uint64_t *counter, uint64_t more)
{
    if (more > 0) {
        atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
    }
}
// Where one thread at a time adds: without the lock of the bus.
static inline void gpu_total(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}
// The device is lost if |status| of a call that waited or asked says so: that is noted, with the thread's message.
rill_status gpu_note_loss(struct backend_device *device, rill_status status);
// A lane that nothing is queued on; and back, if nothing is again, for the next one or for good.
rill_status gpu_lane_init(struct backend_device *device, int level, struct gpu_lane *lane);
void gpu_lane_keep(struct backend_device *device, struct gpu_lane *lane);
void gpu_lane_finish(struct backend_device *device, struct gpu_lane *lane);

// stream.c
rill_status gpu_stream_make(struct backend_device *device, uint64_t id, struct backend_stream **out_stream); // no lane
// Between these the caller has the stream to itself and the device is current.
void *gpu_stream_begin(struct backend_stream *stream);
void gpu_stream_end(struct backend_stream *stream, void *before);
// RILL_OK, or the stream's error with words.
rill_status gpu_stream_refuse_error(struct backend_stream *stream);
static inline rill_status gpu_stream_refuse(struct backend_stream *stream)
{
    bool is_well = !atomic_load_explicit(&stream->has_error, memory_order_acquire) &&
                   !atomic_load_explicit(&stream->device->is_lost, memory_order_acquire);
    return is_well ? RILL_OK : gpu_stream_refuse_error(stream);
}
// The failure, with the thread's message, is the stream's, also where the call has returned it: an operation that has
// begun cannot be taken back.
void gpu_stream_fail_as(struct backend_stream *stream, rill_status status, bool was_returned);
// A number for the operation that was just queued. |order| is held, so that nobody else counts meanwhile.
static inline uint64_t gpu_stream_number(struct backend_stream *stream)
{
    uint64_t number = atomic_load_explicit(&stream->queued, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->queued, number, memory_order_release);
    return number;
}

// watch.c
rill_status gpu_watch_add(struct backend_stream *stream, const struct gpu_watch *watch); // |order| is held
// Memory for |count| watches, so that adding them in this operation does not fail.
rill_status gpu_watch_reserve(struct backend_stream *stream, int count);
// The same for a record that becomes |event|'s; the caller's reference goes to the event.
rill_status gpu_watch_record(struct backend_stream *stream, struct gpu_mark *mark, struct backend_event *event);
// The same for a wait; the caller's reference goes to the watch.
rill_status gpu_watch_wait(struct backend_stream *stream, struct gpu_mark *mark);
void gpu_reap(struct backend_stream *stream, uint64_t sequence); // the work up to |sequence| has run
void gpu_reap_locked(struct backend_stream *stream, uint64_t sequence);
void gpu_watch_finish(struct backend_stream *stream);
struct gpu_error *gpu_error_create(struct backend_device *device);
void gpu_error_release(struct backend_device *device, struct gpu_error *error);
void gpu_stream_fail(struct backend_stream *stream, const struct backend_error *error); // reap_lock is held

// event.c; reap_lock is held for release
rill_status gpu_mark_create(struct backend_device *device, bool has_time, struct gpu_mark **out_mark); // one reference
void gpu_mark_release(struct backend_device *device, struct gpu_mark *mark);
void gpu_mark_unwatch(struct backend_device *device, struct gpu_mark *mark); // the reference of a watch
void gpu_mark_finish_all(struct backend_device *device);
// A reference more, so that the mark keeps its event, and one less; reap_lock is not held.
void gpu_mark_hold(struct backend_device *device, struct gpu_mark *mark);
void gpu_mark_drop(struct backend_device *device, struct gpu_mark *mark);

// ring.c: |order| is held. The memory may be used by work that is queued before gpu_ring_seal().
rill_status gpu_ring_take(struct backend_stream *stream, enum gpu_ring_kind kind, size_t size,
                          backend_must_not_wait must_not_wait, uint64_t *out_address);
// A frame that was not claimed yet, and where its record will be found; NULL: in the frame itself.
rill_status gpu_ring_take_frame(struct backend_stream *stream, backend_must_not_wait must_not_wait,
                                uint64_t *out_address, const struct abi_gpu_frame **out_record);
rill_status gpu_ring_seal_all(struct backend_stream *stream);
// After the last work of the operation.
static inline rill_status gpu_ring_seal(struct backend_stream *stream)
{
    return stream->is_leaving ? gpu_ring_seal_all(stream) : RILL_OK;
}
void gpu_ring_finish(struct backend_stream *stream);

// lease.c
void gpu_kept_release(struct backend_stream *stream); // the streams lent go back to the pool
void gpu_kept_finish(struct backend_stream *stream);

// wrap.c: streams that others may use too
rill_status gpu_stream_share(struct backend_stream *stream); // |order| is held, and the stream is not captured
void gpu_stream_note_last(struct backend_stream *stream);    // after an operation; |order| is held
// Waits for, or asks for, what Rill has queued. |out_number|: the operations that have run then.
rill_status gpu_stream_await(struct backend_stream *stream, uint64_t *out_number);
rill_status gpu_stream_ask(struct backend_stream *stream, uint64_t *out_number);
rill_status gpu_stream_check_owner(struct backend_stream *stream);
static inline rill_status gpu_stream_check_thread(struct backend_stream *stream)
{
    return stream->is_per_thread ? gpu_stream_check_owner(stream) : RILL_OK;
}

// capture.c: what a stream that is being captured takes
rill_status gpu_capture_ask(struct backend_stream *stream);
// Sets is_capturing; |order| is held.
static inline rill_status gpu_capture_begin(struct backend_stream *stream)
{
    stream->is_capturing = false;
    stream->captured = NULL;
    return atomic_load_explicit(&stream->is_shared, memory_order_relaxed) ? gpu_capture_ask(stream) : RILL_OK;
}
void gpu_capture_end(struct backend_stream *stream);
rill_status gpu_capture_take(struct backend_stream *stream, enum gpu_ring_kind kind, size_t size,
                             uint64_t *out_address);
rill_status gpu_capture_refuse(const char *what); // RILL_ERR_CAPTURING with words
void gpu_capture_watch(struct backend_stream *stream, const struct gpu_frame_watch *watch);
void gpu_capture_look(struct backend_stream *stream);
void gpu_capture_forget_stream(struct backend_stream *stream);
void gpu_capture_forget_image(const struct backend_image *image);
void gpu_capture_collect(struct backend_device *device, bool all);

// notify.c
rill_status gpu_notify_start(struct backend_device *device); // the thread, if it does not run yet
void gpu_notify_finish(struct backend_device *device);
void gpu_notify_all(struct backend_device *device); // the device is lost: nobody else will
void gpu_stream_unreference(struct backend_stream *stream);
// The next stream of the list of which |wants| holds, asked with the device's lock held, with a reference; the one for
// |stream| is given back. NULL starts, and NULL ends.
struct backend_stream *gpu_stream_next(struct backend_device *device, struct backend_stream *stream,
                                       bool (*wants)(const struct backend_stream *stream));

// failure.c: what a launch left behind
void gpu_frame_look(struct backend_stream *stream, const struct gpu_frame_watch *watch);

#endif
