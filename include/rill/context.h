// A context is one opened device with everything made on it: arrays, modules, kernels, streams, events.
//
// Threads: a context may be used from any thread, also while another closes it; calls that come later are refused.
// Lifetime: rill_close() waits for all work and destroys everything made on the context.
#ifndef RILL_CONTEXT_H
#define RILL_CONTEXT_H

#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_context {
    uint64_t id; // 0 is no context: every call refuses it
} rill_context;

typedef enum rill_log_level {
    RILL_LOG_ERROR = 0,   // a failure that no call returned
    RILL_LOG_WARNING = 1, // something that is probably not meant
    RILL_LOG_NOTE = 2,    // what Rill did that may surprise: a task that ran in order, a call that waited
} rill_log_level;

// Gets one line without a newline. Called from any thread of the program or of Rill, one call at a time for each
// context. It must not call Rill.
typedef void (*rill_log_callback)(void *user, rill_log_level level, const char *text);

// Gets what kernels print, whole printf calls. Called from threads of Rill, one call at a time for each context. It
// must not call Rill.
typedef void (*rill_print_callback)(void *user, const char *text, size_t length);

// Where host memory comes from: objects, queues, and on the CPU the arrays. |allocate| returns NULL when there is none;
// |alignment| is a power of two. Both are called from any thread, several at a time. (The compiler's own memory and
// what a module keeps of its plan come from malloc.)
typedef struct rill_allocator {
    void *user;
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size);
} rill_allocator;

// How a GPU is given a launch: as an executable graph that is replayed with new parameters, or task by task.
typedef enum rill_graph_mode {
    RILL_GRAPH_AUTO = 0, // whichever has cost the host less
    RILL_GRAPH_ON = 1,   // as a graph, wherever the driver can
    RILL_GRAPH_OFF = 2,  // task by task
} rill_graph_mode;

// Who orders work on several streams that touches the same memory. docs/streams.md.
typedef enum rill_order {
    RILL_ORDER_MANUAL = 0, // the program, by events
    // Rill: whatever is queued on a stream follows the unfinished work of others that was queued before and touches the
    // same bytes, one of the two writing them. The results are those of running everything in the sequence of the
    // calls.
    RILL_ORDER_AUTO = 1,
    // The program; and Rill says which two pieces of work touch the same bytes and are ordered by no stream and no
    // event, whatever they did this time. A warning in the log for each pair of places.
    RILL_ORDER_CHECK = 2,
} rill_order;

// One of two pieces of work that conflict.
typedef struct rill_conflict_side {
    const char *call;        // "rill_launch", "rill_array_copy"
    const char *kernel_name; // "" if it is no launch
    const char *place;       // where a launch stands in the program, "main.c:41"; "": not known
    const char *stream;      // its label (rill_stream_label), or its number
    const char *access;      // "reads", "writes", "updates"
    const char *array;       // its label (rill_array_label), or the kernel's name for it
    uint64_t low;            // the bytes of it that are touched ...
    uint64_t high;           // ... end here; UINT64_MAX: all
} rill_conflict_side;

typedef struct rill_conflict {
    rill_conflict_side first; // was queued before the other
    rill_conflict_side second;
    bool is_certain;  // both touch these bytes; else they may, as far as the compiler can tell
    const char *text; // all of it as one sentence
} rill_conflict;

// Called from the thread that queues the second, one call at a time for each context. It must not call Rill; what
// |conflict| has lives until it returns.
typedef void (*rill_conflict_callback)(void *user, const rill_conflict *conflict);

// All zero is the default.
typedef struct rill_open_options {
    rill_log_callback log; // NULL: errors and warnings go to stderr; RILL_LOG=note in the environment adds the notes
    void *log_user;
    rill_print_callback print; // NULL: stdout
    void *print_user;
    const rill_allocator *allocator; // NULL: the C library's; copied
    int thread_count;                // CPU: threads that run kernels; 0: RILL_THREADS, else what the machine gives
    rill_graph_mode graph_mode;      // GPUs; RILL_GRAPH in the environment overrides it. The CPU has no graphs
    rill_order order;                // RILL_ORDER in the environment overrides it
    rill_conflict_callback conflict; // RILL_ORDER_CHECK: gets what is reported; the log gets it too
    void *conflict_user;
    bool conflict_fails;         // the next rill_sync() or rill_stream_synchronize() returns RILL_ERR_CONFLICT, once
    bool only_certain_conflicts; // what only may be one is not reported
    int pool_cap;                // idle streams that the context keeps for stream_parallel blocks; 0: 64; below 0: none
    const char *cache; // the folder in which compiles are kept for the next process, or "off"; NULL: RILL_CACHE in the
                       // environment, else rill in $XDG_CACHE_HOME or ~/.cache; copied
} rill_open_options;

// Opens |device|: "cpu", "cuda:0", "amdgpu:1", as rill_device_get() names them, or "auto" for the best device there is
// (the variable RILL_DEVICE overrides "auto"). Threads start at the first launch.
RILL_API RILL_NODISCARD rill_status rill_open(const char *device, const rill_open_options *options,
                                              rill_context *out_context);

// Waits for the context's work, then destroys it and all that was made on it. Every handle of it is stale at once.
// Returns a failure of that work that no call has returned yet, or else RILL_ERR_IO if the trace that RILL_TRACE asks
// for could not be written, which the log has said before; the context is closed then too. Does not wait for the work
// of other contexts. On a GPU without RILL_CAPABILITY_POOLS the memory of the context stays with the process, for other
// contexts of the device, until the last of them closes.
RILL_API RILL_NODISCARD rill_status rill_close(rill_context context);

// Waits for every stream of the context. Returns the first failure found among them.
RILL_API RILL_NODISCARD rill_status rill_sync(rill_context context);

typedef struct rill_device_info {
    char name[32];         // what rill_open takes: "cpu", "cuda:0"
    char description[128]; // "AMD EPYC 9654, 16 threads"
    int32_t thread_count;  // CPU threads that would run kernels; 0 on other devices
    uint64_t memory_size;  // bytes
} rill_device_info;

// The devices of this machine that this build can use, best first.
RILL_API size_t rill_device_count(void);
RILL_API RILL_NODISCARD rill_status rill_device_get(size_t index, rill_device_info *out_info);

// What a context runs on, "cpu" or "cuda:0". The name is valid as long as the context is open.
RILL_API RILL_NODISCARD rill_status rill_context_device(rill_context context, const char **out_name);

// What the device and its driver can do beyond what every device can; everything works without. What the CPU does not
// need it does not have.
typedef enum rill_capability {
    RILL_CAPABILITY_GRAPHS = 0,     // launches may be replayed as executable graphs
    RILL_CAPABILITY_CONDITIONS = 1, // graphs decide on the device: no launch waits for a condition over device data
    RILL_CAPABILITY_POOLS = 2,      // device memory is allocated and freed in stream order
    RILL_CAPABILITY_BINARIES = 3,   // what the driver compiles is kept: it is paid once
    RILL_CAPABILITY_PEERS = 4,      // devices of this kind copy to each other without the host
} rill_capability;

RILL_API RILL_NODISCARD rill_status rill_context_has(rill_context context, rill_capability capability, bool *out_has);

// The streams that a context lends to the blocks of its launches and takes back when their join has passed. Those that
// exist are created_count - trimmed_count.
typedef struct rill_pool_stats {
    uint64_t created_count; // made because none was idle
    uint64_t reused_count;  // loans of an idle one
    uint64_t shared_count;  // loans of a busy one, because the device had no more or there was no memory
    uint64_t trimmed_count; // destroyed: idle beyond the cap, by rill_context_trim(), or because a join failed
    uint64_t in_use_count;  // lent now
    uint64_t idle_count;    // idle now
} rill_pool_stats;

// How regions of stream_parallel blocks ran, those of two blocks and more; each is counted once, when it is met. One of
// more than 64 blocks is several, of 64 each, one after the other. (On a GPU the rounds of a loop that the device
// decides are one, and a captured launch counts when it is captured.)
typedef struct rill_region_stats {
    uint64_t concurrent_count; // two blocks at least were free to overlap
    uint64_t overlap_count; // one block after the other, as arguments overlap: block_in_order_count counts the blocks
    uint64_t marked_count;  // one after the other, as `#pragma rill in_order` says
    uint64_t small_count;   // one after the other on one thread, as that is quicker for so little work; the CPU
    uint64_t
        limited_count; // one after the other, as the device cannot do more: on a GPU blocks of a kernel that prints
} rill_region_stats;

// The cache of compiles on disk: each module that is made, and each binary of a GPU's driver that it needs, counts once
// as found, missed or passed by.
typedef struct rill_cache_stats {
    uint64_t hit_count;     // found
    uint64_t missing_count; // missed: there is no entry
    uint64_t changed_count; // missed: a file that the source includes is not what it was, or one has come before it
    uint64_t damaged_count; // missed: the entry is damaged, of another format or not this user's; also logged
    uint64_t passed_count; // not looked for: instrumented kernels, a folder that cannot be used, no memory; also logged
    uint64_t kept_count;   // entries written
    uint64_t not_kept_count;    // entries that could not be written, also of binaries; the first one is also logged
    uint64_t binary_hit_count;  // what a GPU's driver makes of a module's code: found
    uint64_t binary_miss_count; // made by the driver, as no entry had it
    uint64_t binary_kept_count; // entries written
    uint64_t choice_kept_count; // entries written: which of several kernels is fastest (rill/variants.h)
} rill_cache_stats;

// Counters since the context was opened.
typedef struct rill_stats {
    uint64_t launch_count;         // launches queued
    uint64_t launch_failed_count;  // launches whose kernel failed (assert, bounds)
    uint64_t launch_skipped_count; // launches that did not run because their stream had failed before
    uint64_t task_count;           // tasks run
    uint64_t parallel_count;       // of these, spread over several threads
    uint64_t in_order_count;       // parallel tasks, and nests whose order had been changed, that ran as the source has
                                   // them, because arguments overlap or a condition failed
    uint64_t whole_count;          // in-order loops that ran whole: as one task, because the loops inside are small, or
                                   // as one grid on a GPU, whose threads meet behind each task
    uint64_t copied_count;         // parallel tasks whose updates of shared memory went to copies of each thread's own
    uint64_t block_in_order_count; // times a stream_parallel block waited for an earlier one, as arguments overlap
    uint64_t ring_wait_count;      // launches that waited because 4,096 or more were outstanding on their stream
    uint64_t print_lost_count;     // printf calls that were lost for want of memory, or of a GPU's buffer; also logged
    uint64_t readback_count;       // times a launch waited for what its tasks had computed, because control needs it
    uint64_t stream_count;         // streams that exist
    uint64_t array_count;          // arrays that exist
    uint64_t array_size;           // bytes in arrays that exist or are still in use, views and wrapped memory left out
    uint64_t module_count;         // modules that exist
    int32_t thread_count;          // threads that run kernels; 0 before the first launch
    uint64_t ahead_count;          // packages opened with code that was built ahead of time
    uint64_t ahead_compiled_count; // packages of which the source was compiled, or found in the cache
    uint64_t order_wait_count;     // RILL_ORDER_AUTO: times that a stream was made to wait for another
    rill_region_stats regions;     // regions of stream_parallel blocks
    rill_pool_stats stream_pool;   // streams for stream_parallel blocks
    rill_cache_stats cache;        // compiles on disk; all 0 with the cache off
} rill_stats;

RILL_API RILL_NODISCARD rill_status rill_context_stats(rill_context context, rill_stats *out_stats);

// Destroys the pooled streams that are idle, and what a GPU keeps of streams that were destroyed, for the next ones.
// What is lent stays. Does not wait.
RILL_API RILL_NODISCARD rill_status rill_context_trim(rill_context context);

// Frees text that a call gave to the caller; NULL is skipped.
RILL_API void rill_free(void *text);

// The version of the library, "0.1.0".
RILL_API const char *rill_version(void);

// RILL_AUTO_CONTEXT ctx = {0}; closes the context at the end of the scope, waiting for its work. A handle still zero is
// skipped. A failure found there goes to the log.
RILL_API void rill_auto_context(rill_context *context);
#if defined(__GNUC__)
#define RILL_AUTO_CONTEXT __attribute__((cleanup(rill_auto_context))) rill_context
#endif

#ifdef __cplusplus
}
#endif
#endif
