// The CPU as a device: its pool of threads, its counters, and what its streams and events share.
#ifndef RILL_BACKEND_CPU_DEVICE_H
#define RILL_BACKEND_CPU_DEVICE_H

#include "backend/backend.h"
#include "backend/cpu/pool.h"
#include "base/eventcount.h"
#include "base/thread.h"

#include <stdatomic.h>

struct cpu_mark;

struct cpu_counters {
    _Alignas(64) _Atomic uint64_t launch_failed_count; // changed by workers, and so is what follows
    _Atomic uint64_t launch_skipped_count;
    _Atomic uint64_t parallel_count;
    _Atomic uint64_t in_order_count;
    _Atomic uint64_t whole_count;
    _Atomic uint64_t copied_count;
    _Atomic uint64_t block_in_order_count;
    _Atomic uint64_t region_counts[BACKEND_REGION_WAY_COUNT];
    _Atomic uint64_t ring_wait_count;
    _Atomic uint64_t print_lost_count;
};

// An error with the streams and marks that have it.
struct cpu_error {
    atomic_int reference_count;
    struct backend_error error;
};

// What all look at and nobody changes lies apart from what is changed often.
struct backend_device {
    struct backend_host host;
    struct trace *trace;    // owned; NULL: off
    atomic_bool is_started; // the pool's threads run
    struct cpu_pool pool;
    atomic_uint wait_count; // waits of the host; only under ThreadSanitizer, and so is the next
    atomic_uint call_count; // launches that their caller waits for
    struct pollers guests;  // guests that look for what they can do
    struct cpu_counters counters;
    _Alignas(64) struct thread_latch mark_lock; // of every mark and event of the device
    struct eventcount marks;                    // host threads wait here until a mark is reached
    struct cpu_mark *free_marks;                // owned, guarded by mark_lock
    struct thread_mutex print_lock;             // printed text leaves one task at a time
    struct thread_mutex drain_lock;             // of what follows
    struct thread_cond drain_cond;              // stream_count became 0
    atomic_int stream_count;                    // changed under drain_lock: streams not yet freed
    struct backend_stream *streams; // guarded by drain_lock: those whose launches are not part of |launch_count| yet
    uint64_t launch_count;          // guarded by drain_lock: launches ever queued on streams that are gone
    _Atomic uint64_t image_count;   // images ever made
    _Atomic uint64_t error_count;   // errors of streams ever: each has a number that no later one has
    struct cpu_error no_words;      // what a stream has whose error found no memory; the device has one reference
};

// Memory from the host's allocator; NULL if there is none. Zeroed.
void *device_alloc(struct backend_device *device, size_t size, size_t alignment);
void device_free(struct backend_device *device, void *memory, size_t size);

static inline void device_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// topology.c: threads that this process may run at once, from its affinity and its control groups.
int topology_thread_count(void);
int topology_processor_count(void); // processors that this process may use, however many threads it is to have
bool topology_is_limited(void);     // a control group gives this process less time than its processors have
int topology_group_limit(const char *folder); // of one group, by its folder
void topology_describe(char *out, size_t size);

#endif
