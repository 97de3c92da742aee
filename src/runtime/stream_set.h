// The streams that have used an object, so that it waits for these alone when it goes. Whoever uses the object notes
// its stream each time, while it has the object and the stream pinned: to find that the stream is noted already takes
// no lock and writes nothing.
//
// A stream is named by its id, which no later one has. Streams that are gone make room for new ones.
#ifndef RILL_RUNTIME_STREAM_SET_H
#define RILL_RUNTIME_STREAM_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct context;
struct stream_table;

enum { STREAM_SET_BITS = 3, STREAM_SET_FEW = 1 << STREAM_SET_BITS };

// All zero is an empty set.
struct stream_set {
    atomic_bool is_all; // any stream may have used the object
    // By a hash of the id; 0: free. Changed under the context's lock, and so is what follows.
    _Atomic uint64_t few[STREAM_SET_FEW];
    _Atomic(struct stream_table *) table; // owned: those whose place was taken; NULL: none
};

static inline _Atomic uint64_t *stream_set_place(struct stream_set *set, uint64_t id)
{
    return &set->few[(id * 0x9e3779b97f4a7c15u) >> (64 - STREAM_SET_BITS)];
}

// True: the stream is noted. False: one would have to look further.
static inline bool stream_set_has_at_once(struct stream_set *set, uint64_t id)
{
    return atomic_load_explicit(stream_set_place(set, id), memory_order_relaxed) == id;
}

// Notes a stream that is not gone. True if it was not there. Without memory for it the set becomes that of all streams.
bool stream_set_add(struct context *context, struct stream_set *set, uint64_t id);
// From now on the uses of the object are not known.
void stream_set_add_all(struct stream_set *set);
bool stream_set_is_all(const struct stream_set *set);

// Calls |visit| for each of them, also for some that are gone. Nobody adds any more.
void stream_set_each(struct context *context, const struct stream_set *set,
                     void (*visit)(struct context *context, uint64_t id, void *arg), void *arg);
void stream_set_finish(struct context *context, struct stream_set *set);

#endif
