// What a back end is: one const table of operations over devices, memory, images, streams and events. A back end never
// calls up; what it needs from its context (memory, a log, a place for printed text) it is handed at open.
//
// Streams are queues: operations that take a stream queue work and return, unless they say that they wait. Work queued
// on one stream runs in order. Whatever fails to be queued leaves nothing behind.
//
// Threads: everything may be called from every thread. Destroying needs that nobody else uses the object any more,
// except for work that is still queued.
#ifndef RILL_BACKEND_BACKEND_H
#define RILL_BACKEND_BACKEND_H

#include "plan/mapping.h"
#include "plan/order.h"
#include "plan/plan.h"
#include "rill/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend_device;
struct backend_stream;
struct backend_event;
struct backend_image;

// As rill_capability in rill/context.h.
enum backend_capability {
    BACKEND_HAS_GRAPHS,
    BACKEND_HAS_CONDITIONS,
    BACKEND_HAS_POOLS,
    BACKEND_HAS_BINARIES,
    BACKEND_HAS_PEERS,
    BACKEND_CAPABILITY_COUNT,
};

enum backend_log_level { BACKEND_LOG_ERROR, BACKEND_LOG_WARNING, BACKEND_LOG_NOTE };

// A stream lent by the context's pool for the blocks of a launch. All zero is none.
struct backend_lease {
    struct backend_stream *stream;
    struct pool_entry *entry; // the pool's own
};

// What the context gives to its device. Everything may be called from any thread.
// Bytes at the front of a device and of a stream which hold what a launch looks at there. They lie on one page.
enum { BACKEND_DEVICE_FRONT = 1024, BACKEND_STREAM_FRONT = 512 };

// As in rill_open_options.
enum backend_graph_mode { BACKEND_GRAPH_AUTO, BACKEND_GRAPH_ON, BACKEND_GRAPH_OFF, BACKEND_GRAPH_MODE_COUNT };

// Code that a driver makes a binary of, and what tells that driver from every other.
struct backend_binary_key {
    const char *maker;
    const void *code;
    size_t size;
};

struct backend_host {
    void *user;
    void *(*allocate)(void *user, size_t size, size_t alignment); // NULL if there is no memory; not zeroed
    void (*release)(void *user, void *memory, size_t size);
    void (*log)(void *user, enum backend_log_level level, const char *text);
    bool (*listens)(void *user, enum backend_log_level level);  // whether |log| does anything; NULL: it does
    void (*print)(void *user, const char *text, size_t length); // what kernels print
    void (*trace_failed)(void *user, const char *text);         // a trace could not be written; NULL: nobody asks
    bool has_allocator;                 // |allocate| is the program's own: arrays come from it too
    int thread_count;                   // wanted; 0: the back end chooses
    enum backend_graph_mode graph_mode; // wanted of a GPU; its environment may say otherwise
    atomic_bool *sleeps;                // set while all threads of the back end sleep; NULL: nobody looks

    // What a driver made of code, on disk for the next process. True: found; |*out_memory| is for the caller to free(),
    // and the bytes in it are aligned to 64.
    bool (*find_binary)(void *user, const struct backend_binary_key *key, void **out_memory, const void **out_bytes,
                        size_t *out_size);
    // In place of what was found, if that was no good.
    void (*keep_binary)(void *user, const struct backend_binary_key *key, const void *bytes, size_t size);

    // Streams for fork and join. Acquiring does not wait; a stream may be lent to several at once when the
    // device has no more: what is queued on it runs in order then too. Releasing may come while work is still queued
    // and cannot fail; |is_sound| false: the join failed, and the stream is destroyed instead of lent again.
    rill_status (*acquire_stream)(void *user, int priority, struct backend_lease *out_lease);
    void (*release_stream)(void *user, const struct backend_lease *lease, bool is_sound);
};

struct backend_device_info {
    char name[32];
    char description[128];
    int thread_count;
    uint64_t memory_size;
};

// How a region of blocks ran: as in rill_region_stats.
enum backend_region_way {
    BACKEND_REGION_CONCURRENT,
    BACKEND_REGION_OVERLAP,
    BACKEND_REGION_MARKED,
    BACKEND_REGION_SMALL,
    BACKEND_REGION_LIMITED,
    BACKEND_REGION_WAY_COUNT,
};

struct backend_stats {
    uint64_t launch_count;
    uint64_t launch_failed_count;
    uint64_t launch_skipped_count;
    uint64_t task_count;
    uint64_t parallel_count;
    uint64_t in_order_count;
    uint64_t whole_count;
    uint64_t copied_count;
    uint64_t block_in_order_count;
    uint64_t region_counts[BACKEND_REGION_WAY_COUNT];
    uint64_t ring_wait_count;
    uint64_t print_lost_count;
    uint64_t readback_count;
    int thread_count; // that run; 0: not yet
    int worker_count; // on a CPU: that run, or will
};

// A failure of a kernel, complete: nothing here points into the module, which may be gone when it is looked at.
struct backend_error {
    rill_status status;
    char text[512];
    char kernel[128];
    char file[256];
    uint32_t line;
    uint32_t column;
    int64_t iteration;
    char array[64];
    int64_t index;
    int64_t extent;
    char shape[64];
    int64_t other_iteration;
    uint32_t other_line;
    uint64_t stream;
    uint64_t serial;   // no other error of its device has the same
    bool was_returned; // by the call that queued the work
};

// What a call says that queues nothing because of the stream's error, whose text it ends with. Another thread may have
// cleared that meanwhile: so not that it was not cleared.
#define BACKEND_STREAM_REFUSES "the stream has failed, until rill_stream_clear_error(): %s"
// The error of a stream that has no memory for one.
#define BACKEND_NO_WORDS                                                                                               \
    {                                                                                                                  \
        .status = RILL_ERR_OUT_OF_MEMORY,                                                                              \
        .text = "work on the stream failed, and there was no memory to say how",                                       \
        .serial = UINT64_MAX,                                                                                          \
    }

// What a queue looks at when it takes a launch of a kernel. Kept beside what the kernel's handle names, where each
// launch finds it at hand.
struct backend_kernel {
    const void *own;    // the back end's
    int param_count;    // as the plan has it, and so is what follows
    int hidden_count;   //
    uint64_t args_size; //
    uint64_t block_size;
    int depth;             // of the tree of control
    int block_count;       // the most blocks of a region
    uint64_t partial_size; // the largest partial record of its tasks
    int memo_count;        // as the plan has it
};

static inline struct backend_kernel backend_kernel_of(const struct plan_kernel *plan)
{
    return (struct backend_kernel){.param_count = plan->param_count,
                                   .hidden_count = plan->hidden_count,
                                   .args_size = plan->args_size,
                                   .block_size = plan->block_size,
                                   .memo_count = plan->memo_count};
}

// Memory of the host that a launch uses on a device with memory of its own. Each range is copied there before and back
// afterwards, in one step with the launch: nothing else that is queued on the stream comes between.
struct backend_host_range {
    char *low;       // of the host; until the stream came past
    uint64_t size;   // bytes
    uint64_t shift;  // the copy begins so many bytes behind an address that is aligned for everything
    bool is_read;    // its bytes matter to the kernel
    bool is_written; // the kernel may change them
    void *copy;      // the back end's: memory of the device
};

struct backend_host_memory {
    struct backend_host_range *ranges; // disjoint; copied
    int range_count;
    int param_count;
    void *const *params; // what was passed for each parameter, in one of the ranges or empty; NULL: none; copied
    void *args;          // those of the launch, where the back end puts the addresses of its copies
};

// Whether a call must not wait for work of the device: its queue grows instead. To be asked only where the call would
// wait, as the one who is asked may make up for it afterwards. NULL: it may.
typedef bool (*backend_must_not_wait)(void);

struct backend_launch {
    struct backend_image *image;        // borrowed; alive until the launch has run
    int kernel;                         // index into the plan's kernels
    const struct backend_kernel *known; // what image_describe() said of it; NULL: nobody has asked
    const void *args;                   // the argument buffer, copied
    const uint64_t *array_sizes;        // bytes of what was passed for each parameter, copied
    void *result;                       // where the returned value goes in stream order; NULL: nowhere
    size_t result_size;                 // bytes of the returned value
    const void *result_source;          // memory of the device where it is then; NULL: the launch block's beginning
    bool result_is_host;                // |result| is the host's memory and lives until the stream came past
    struct backend_error *caller; // set: a failure goes here and not to the stream; lives until the stream came past
    bool only_queues;             // nothing of the stream may run in the call: the caller has a lock
    struct backend_host_memory *host; // NULL: none; always where the device sees the host's memory
    backend_must_not_wait must_not_wait;
};

// A part of a batch. What it points to lives until the batch is queued with that part changed, or destroyed.
enum backend_part_kind { BACKEND_PART_MARK, BACKEND_PART_LAUNCH, BACKEND_PART_COPY, BACKEND_PART_FILL };
struct backend_part {
    enum backend_part_kind kind;
    bool is_changed;              // since the batch was queued last
    const int *after;             // the parts that it follows, all before it
    int after_count;              //
    struct backend_launch launch; // LAUNCH: |caller| and |host| are NULL, the result is the device's memory
    void *target;                 // COPY, FILL
    const void *source;           // COPY; FILL: the element, of the host
    size_t size;                  // COPY: bytes; FILL: of the element
    size_t count;                 // FILL: elements
};

// What is queued again and again as one: see batch_queue(). A batch is the back end's; NULL is one that was never
// queued.
struct backend_batch;
struct backend_parts {
    const struct backend_part *items;
    int count;
    bool has_changed;  // some part is_changed
    bool is_reordered; // what follows what is not as it was
    // All of it again and again, so many times at the most (1: once), and after each round only if the 32 bits of the
    // device's memory at |flag| are 0; NULL: nobody asks.
    uint32_t rounds;
    const void *flag;
    backend_must_not_wait must_not_wait;
};

static inline bool backend_may_wait(backend_must_not_wait must_not_wait)
{
    return must_not_wait == NULL || !must_not_wait();
}

// Called on a thread of the back end when the stream reaches the place. It must be quick, must not call the user and
// must not wait. |error| is the stream's at that place; NULL: none.
typedef void backend_notice(void *arg, const struct backend_error *error);

// When a copy reads its source.
enum backend_read {
    BACKEND_READ_LATER,   // when the stream comes to it
    BACKEND_READ_NOW,     // before the call returns, from memory of the host; the call may wait
    BACKEND_READ_AT_ONCE, // the same, and the call does not wait
};

// Every function is there. What a back end has no use for is one of defaults.c, named behind its entry.
struct backend {
    const char *name;  // "cpu"
    const char *alias; // another name that rill_open takes; NULL: none

    size_t (*device_count)(void);
    const char *(*device_absence)(void); // why there is no device, in words; NULL: it has none; backend_no_absence
    // Finds a device by another name than its number, what follows "cuda:" for instance; backend_no_named.
    bool (*device_named)(const char *name, size_t *out_index);
    void (*device_describe)(size_t index, struct backend_device_info *out_info);
    rill_status (*device_open)(size_t index, const struct backend_host *host, struct backend_device **out_device);
    void (*device_close)(
        struct backend_device *device); // every stream, event and image is destroyed; waits for threads
    void (*device_stats)(struct backend_device *device, struct backend_stats *out_stats);
    // What to compile for; NULL: the machine's own; backend_no_target.
    const char *(*device_target)(const struct backend_device *device);

    // Whether the device can do it; backend_no_capability.
    bool (*device_has)(const struct backend_device *device, enum backend_capability capability);

    bool has_own_memory; // addresses of the device mean nothing to the host: what is the host's must be copied
    void (*device_trim)(struct backend_device *device); // gives back what lies idle; backend_no_trim
    // Releases the streams of backend_host that the device keeps for later launches and that are idle;
    // backend_no_release_idle.
    void (*device_release_idle)(struct backend_device *device);
    // Around several operations by one thread: what each of them does to make calls of the driver is done once. leave()
    // gets what enter() has returned. backend_no_enter, backend_no_leave.
    void *(*device_enter)(struct backend_device *device);
    void (*device_leave)(struct backend_device *device, void *before);
    void (*device_flush)(struct backend_device *device); // the host has waited for all streams: writes their trace
    // What was logged goes to the trace, too, if there is one.
    void (*device_remark)(struct backend_device *device, const char *text);

    rill_status (*memory_create)(struct backend_device *device, uint64_t size, void **out_address); // zeroed
    void (*memory_destroy)(struct backend_device *device, void *address, uint64_t size);
    // Memory of the host from which the device copies without a detour. What it holds is not specified. Destroying it
    // may wait for the device, so that no thread does it on which the device's work waits.
    rill_status (*host_memory_create)(struct backend_device *device, uint64_t size, void **out_memory);
    void (*host_memory_destroy)(struct backend_device *device, void *memory, uint64_t size);

    // |plan| is borrowed and outlives the image; |code| is untrusted and not needed afterwards.
    rill_status (*image_load)(struct backend_device *device, const struct plan_module *plan, const void *code,
                              size_t code_size, struct backend_image **out_image);
    void (*image_unload)(struct backend_image *image); // no launch of it is queued any more
    void *(*image_field)(const struct backend_image *image, int field);
    // Adds what the back end itself looks at to what backend_kernel_of() has found in the plan;
    // backend_no_describe.
    void (*image_describe)(const struct backend_image *image, int kernel, struct backend_kernel *out);

    // |id| is for messages and errors; 0: a stream of the context's pool. RILL_ERR_LIMIT: the device has no more.
    rill_status (*stream_create)(struct backend_device *device, int priority, uint64_t id,
                                 struct backend_stream **out_stream);
    // A stream of others, by the driver's handle, and the handle of a stream; backend_no_wrap, backend_no_native.
    rill_status (*stream_wrap)(struct backend_device *device, void *native, uint64_t id,
                               struct backend_stream **out_stream);
    rill_status (*stream_native)(struct backend_stream *stream, void **out_native);
    // Whether a call may wait for the stream: not while it is captured into a graph. What it waits for then is also
    // what others have queued so far. |asks|: it does not wait; RILL_ERR_NOT_READY if something of others has not run.
    // backend_always_may_wait.
    rill_status (*stream_may_wait)(struct backend_stream *stream, bool asks);
    // Whether the stream is being captured into a graph; then |out_memory| gets |size| bytes that go with the graph (0:
    // none are wanted). backend_never_captures.
    rill_status (*stream_capture_memory)(struct backend_stream *stream, uint64_t size, bool *out_is_captured,
                                         void **out_memory);
    void (*stream_destroy)(struct backend_stream *stream);     // does not wait: goes when its work has run
    void (*stream_synchronize)(struct backend_stream *stream); // waits for what is queued so far
    // By a thread that is about to wait for several streams: does of this one what it can do itself, and does not wait.
    // backend_no_help.
    void (*stream_help)(struct backend_stream *stream);
    bool (*stream_is_idle)(struct backend_stream *stream);
    // True: it is idle and has no error. False: one would have to ask. Takes no lock and makes no call of a driver, so
    // that whoever goes through all streams passes by those that have nothing to do.
    bool (*stream_is_quiet)(struct backend_stream *stream);
    bool (*stream_error)(struct backend_stream *stream, struct backend_error *out_error); // false: none
    void (*stream_clear_error)(struct backend_stream *stream);
    // What is queued on |stream| from now on follows what is queued on |other| so far.
    rill_status (*stream_wait)(struct backend_stream *stream, struct backend_stream *other);

    rill_status (*launch)(struct backend_stream *stream, const struct backend_launch *launch);
    rill_status (*copy)(struct backend_stream *stream, void *target, const void *source, size_t size,
                        enum backend_read read);
    // From memory of another device of this back end. RILL_ERR_UNSUPPORTED, without words: these two cannot;
    // backend_no_copy_from.
    rill_status (*copy_from)(struct backend_stream *stream, void *target, struct backend_device *source_device,
                             const void *source, size_t size);
    rill_status (*fill)(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size);
    // |hold|: the stream stops at the place until proceed().
    rill_status (*notify)(struct backend_stream *stream, backend_notice *notice, void *arg, bool hold);
    void (*proceed)(struct backend_stream *stream);

    // Queues the parts as one operation: what is queued before it has run before any of them, and what is queued behind
    // it follows all of them. A batch is queued on one stream at a time; |*batch| is made when it is needed, and goes
    // to batch_destroy() when its work has run. |out_is_done| false, with RILL_OK: not this time, nothing was queued;
    // the caller queues them one by one. With RILL_OK the batch knows what has changed. backend_no_batch.
    rill_status (*batch_queue)(struct backend_stream *stream, struct backend_batch **batch,
                               const struct backend_parts *parts, bool *out_is_done);
    void (*batch_destroy)(struct backend_batch *batch); // NULL is skipped; backend_no_batch_destroy

    // |has_time| false: event_elapsed() is not asked for it.
    rill_status (*event_create)(struct backend_device *device, bool has_time, struct backend_event **out_event);
    void (*event_destroy)(struct backend_event *event);
    rill_status (*event_record)(struct backend_event *event, struct backend_stream *stream);
    bool (*event_is_recorded)(struct backend_event *event);
    rill_status (*event_wait)(struct backend_event *event, struct backend_stream *stream);
    // Waits. False: no error was on the event's stream when it passed.
    bool (*event_synchronize)(struct backend_event *event, struct backend_error *out_error);
    bool (*event_is_reached)(struct backend_event *event);
    // True: it is reached, and |stream|, on which it was recorded, has no error (NULL: the stream is gone). False: one
    // would have to ask. Makes no call of a driver, so that whoever queues work may look at all that it could follow.
    bool (*event_is_past)(struct backend_event *event, const struct backend_stream *stream);
    // RILL_ERR_NOT_READY, without words: one of them has not been reached.
    rill_status (*event_elapsed)(struct backend_event *begin, struct backend_event *end, double *out_milliseconds);
};

// defaults.c
const char *backend_no_absence(void);
bool backend_no_named(const char *name, size_t *out_index);
const char *backend_no_target(const struct backend_device *device);
bool backend_no_capability(const struct backend_device *device, enum backend_capability capability);
void backend_no_trim(struct backend_device *device);
void backend_no_release_idle(struct backend_device *device);
void *backend_no_enter(struct backend_device *device);
void backend_no_leave(struct backend_device *device, void *before);
void backend_no_describe(const struct backend_image *image, int kernel, struct backend_kernel *out);
rill_status backend_no_wrap(struct backend_device *device, void *native, uint64_t id,
                            struct backend_stream **out_stream);
rill_status backend_no_native(struct backend_stream *stream, void **out_native);
rill_status backend_always_may_wait(struct backend_stream *stream, bool asks);
bool backend_never_waits(void); // a backend_must_not_wait
rill_status backend_never_captures(struct backend_stream *stream, uint64_t size, bool *out_is_captured,
                                   void **out_memory);
void backend_no_help(struct backend_stream *stream);
rill_status backend_no_copy_from(struct backend_stream *stream, void *target, struct backend_device *source_device,
                                 const void *source, size_t size);
rill_status backend_no_batch(struct backend_stream *stream, struct backend_batch **batch,
                             const struct backend_parts *parts, bool *out_is_done);
void backend_no_batch_destroy(struct backend_batch *batch);

// host.c: the context's services, as every back end wants them.
void *backend_alloc(const struct backend_host *host, size_t size, size_t alignment); // zeroed; NULL: no memory
void backend_free(const struct backend_host *host, void *memory, size_t size);       // NULL is fine
void backend_log(const struct backend_host *host, enum backend_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What a kernel's failure record says, whatever device it comes from.
struct backend_failure {
    const struct plan_module *module;
    const struct plan_kernel *kernel;
    const struct plan_values *values; // for the shape of the array
    int kind;                         // enum abi_failure_kind
    uint32_t file;
    uint32_t line;
    uint32_t column;
    const char *text;
    int64_t iteration;
    int64_t index;
    int64_t extent;
    uint64_t stream;
};

// failure.c: the status that a kind of failure has (enum abi_failure_kind), and the failure in words.
rill_status backend_failure_status(int kind);
void backend_describe_failure(const struct backend_failure *failure, struct backend_error *out_error);
// Two regions overlap although `restrict` says that they do not.
void backend_describe_restrict(const struct plan_module *module, const struct plan_kernel *kernel,
                               const struct plan_effect *a, const struct plan_effect *b,
                               struct backend_error *out_error);

// trace.c: what ran when, for RILL_TRACE=file.json. Each event says what its task began after, which is why it did not
// overlap that. A device without a trace has NULL, and pays one test a task.
struct trace;

enum trace_cause_kind {
    TRACE_NOTHING,      // the first thing on its stream
    TRACE_TASK,         // the task |name| of the same launch
    TRACE_REGION,       // the stream_parallel blocks at line |number| of the same launch
    TRACE_BLOCK_MARKED, // block |number| of its region: '#pragma rill in_order', or too many blocks
    TRACE_BLOCK_SHARED, // block |number| of its region: this launch's arguments overlap
    TRACE_KERNEL,       // the kernel |name| on the same stream
    TRACE_OTHER,        // |name| on the same stream: a copy, a fill, a callback
    TRACE_EVENT,        // a place on stream |number|, reached after this stream came to the wait
    TRACE_READ,         // the host had to know |name|, of line |number|, and read it back from the device
    TRACE_READS,        // it is such a read itself, of |name|
    TRACE_CAPTURED,     // it went into a graph, not to the device
};

struct trace_cause {
    enum trace_cause_kind kind;
    uint64_t number;
    uint64_t ready; // when it was given to the threads, in nanoseconds; 0: it went on without that
    char name[64];
};

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
    int worker;           // the thread that began it; -1: the device's own
    const char *way;      // how it ran: "alone", "shared", "in order"; "read back", "captured"
    const char *way_text; // why in order; "" otherwise
    const struct trace_cause *cause;
};

// What else the file says of where its events come from.
struct trace_origin {
    int thread_count;   // of the host
    const char *device; // NULL: the host itself
    const char *note;   // with |device|: how its times were taken
};

void trace_cause_set(struct trace_cause *cause, enum trace_cause_kind kind, const char *name, uint64_t number);
// NULL if RILL_TRACE is not set, or without memory. |host| and the texts of |origin| outlive it.
struct trace *trace_create(const struct backend_host *host, const struct trace_origin *origin);
void trace_add(struct trace *trace, const struct trace_event *event);
void trace_lose(struct trace *trace, uint64_t count);     // tasks that ran and of which nothing is known
void trace_remark(struct trace *trace, const char *text); // which is copied; of the same text one is kept
void trace_flush(struct trace *trace);                    // what was added is in the file, which is a whole one
void trace_destroy(struct trace *trace);                  // NULL is skipped

// region.c: what is counted, logged and traced of the order of a region's blocks
enum backend_region_way backend_region_way(const struct plan_order *order);
void backend_log_overlap(const struct backend_host *host, const struct plan_kernel *kernel,
                         const struct plan_node *region, const struct plan_conflict *conflict);
// What block |index| follows. False, and nothing is set: no other block.
bool trace_cause_of_block(const struct plan_order *order, int index, struct trace_cause *out);

// registry.c: the back ends of this build, best first, ended by NULL.
extern const struct backend *const backend_registry[];
extern const struct backend backend_cpu;
extern const struct backend backend_cuda;
extern const struct backend backend_hip;

// fault.c: the same back end with operations that RILL_FAULT tells to fail; |backend| itself where it does not.
// RILL_ERR_INVALID with words if the variable makes no sense.
rill_status backend_with_faults(const struct backend *backend, const struct backend **out_backend);

#endif
