// Streams that a context lends to its back end for the blocks of a launch.
//
// A stream comes back busy: its join is queued, not passed. It is lent again only once it is idle, so that one launch
// never waits for the tail of another.
//
// Acquiring never waits. The cap limits what lies idle, not what is lent. When the device has no more streams, or there
// is no memory for one, a stream that is lent already is lent once more: its work is a queue, so that sharing costs
// overlap and nothing else. Only if there is none at all does acquiring fail.
//
// Threads: everything may be called from every thread, except that nothing may follow pool_finish_streams().
#ifndef RILL_RUNTIME_POOL_H
#define RILL_RUNTIME_POOL_H

#include "backend/backend.h"
#include "base/thread.h"
#include "rill/context.h"

enum { POOL_DEFAULT_CAP = 64 };

struct pool_entry {
    struct pool_entry *next;       // in the list it is in
    struct pool_entry *previous;   // only while it is lent
    struct backend_stream *stream; // owned
    int priority;
    int borrower_count; // above 1: shared
    bool is_doubtful;   // a join on it failed: it goes when it comes back
};

struct stream_pool {
    const struct backend *ops;     // borrowed
    struct backend_device *device; // borrowed
    rill_allocator allocator;
    size_t cap; // idle ones that are kept
    struct thread_mutex lock;
    struct pool_entry *idle;          // owned, guarded by lock, the last that became idle first
    struct pool_entry *draining;      // owned, guarded by lock: back, perhaps with work still queued; the last one last
    struct pool_entry **draining_end; // guarded by lock
    struct pool_entry *lent;          // owned, guarded by lock
    size_t idle_count;                // guarded by lock, and so is what follows
    size_t draining_count;
    rill_pool_stats stats; // without the counts of what is idle
};

void pool_init_streams(struct stream_pool *pool, const struct backend *ops, struct backend_device *device,
                       const rill_allocator *allocator);
// Destroys everything; all work has run. A pool that was never initialised is skipped.
void pool_finish_streams(struct stream_pool *pool);

// |priority| is that of the stream whose launch wants it. |out_entry| is NULL after a failure.
rill_status pool_acquire(struct stream_pool *pool, int priority, struct pool_entry **out_entry);
// Gives one loan back. |is_sound| false: it is destroyed, not lent again, once every borrower has given it back.
void pool_release(struct stream_pool *pool, struct pool_entry *entry, bool is_sound);
// Destroys what is idle. Does not wait.
void pool_trim(struct stream_pool *pool);
void pool_read_stats(struct stream_pool *pool, rill_pool_stats *out_stats);

#endif
