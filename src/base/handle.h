// Handles: 64-bit ids for objects that may be destroyed in one thread while another uses them.
//
// An id names a table (a context), a slot in it and the slot's generation. A slot's generation goes up when its object
// is gone, and a slot whose generations are used up is never used again, so that a stale id stays stale for ever.
//
// A user of an object pins it first. handle_retire() makes the id stale at once; the object is disposed of by whoever
// drops the last pin. Pinning and unpinning take no lock.
//
// What many threads pin at once may be added with stripes: pins are then counted in several places, on cache lines of
// their own, and threads that choose different ones write nothing that another reads.
//
// A mark says that an object may have been pinned since somebody looked: a call that finds it at its pin knows, without
// another look, that the object is already among those which that one will look at.
#ifndef RILL_BASE_HANDLE_H
#define RILL_BASE_HANDLE_H

#include "base/hot.h"
#include "base/thread.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    HANDLE_GENERATION_BITS = 21,
    HANDLE_SLOT_BITS = 21,
    HANDLE_TABLE_BITS = 22,
    HANDLE_FIRST_BITS = 6,
    HANDLE_FIRST_SLOTS = 1 << HANDLE_FIRST_BITS,               // slots that the table has itself
    HANDLE_CHUNK_COUNT = HANDLE_SLOT_BITS - HANDLE_FIRST_BITS, // each of these has as many as all before it
    HANDLE_STRIPES = 16,
};

struct handle_stripe {
    _Alignas(64) _Atomic int64_t pins; // of all together never below 0
};

// A cache line of its own: what was made one after the other is as a rule pinned by several threads at once.
struct handle_entry {
    _Alignas(64) _Atomic uint64_t state;     // generation, kind, whether it is live, pins
    _Atomic(void *) object;                  // borrowed; written before the entry is live
    _Atomic(void *) part;                    // of the object: see handle_set_part()
    _Atomic(struct handle_stripe *) stripes; // owned or the table's; NULL until something here wants them
    uint32_t next_free;                      // guarded by the table's lock
};

struct handle_table {
    struct handle_stripe stripes[HANDLE_STRIPES]; // of the first object that wants some
    struct handle_entry first[HANDLE_FIRST_SLOTS];
    struct thread_mutex lock;  // of the slots that are free
    uint32_t slot_count;       // guarded by lock: slots that were ever used
    uint32_t free_slot;        // guarded by lock: 0 is none; slot 0 is never given out
    uint32_t generation_limit; // a slot that reaches it is not used again
    uint32_t slot_limit;
    uint32_t live_count;   // guarded by lock
    bool has_lent_stripes; // guarded by lock: |stripes| are an entry's
    // Called without locks when a retired object has no pin left.
    void (*dispose)(void *object, int kind);
    _Atomic(struct handle_entry *) chunks[HANDLE_CHUNK_COUNT]; // owned; only ever added
};

// Zeroed limits mean what the bits of an id can hold.
void handle_table_init(struct handle_table *table, void (*dispose)(void *object, int kind));
// Nothing may be live or pinned any more.
void handle_table_finish(struct handle_table *table);

// Gives |object| a slot and returns its id within the table (slot and generation; never 0), or 0 if there is no memory
// or no slot left. |kind| is 0 to 15.
uint64_t handle_add(struct handle_table *table, void *object, int kind);
uint64_t handle_add_striped(struct handle_table *table, void *object, int kind);

enum handle_result { HANDLE_OK, HANDLE_STALE, HANDLE_WRONG_KIND };

// The state of an entry is one word: pins in the low 32 bits, then one bit that says whether the id is live, four bits
// of kind, then the generation, then whether it has stripes, whether such an object is being disposed of, and the mark.
// A pin is taken by a compare-and-swap on the whole word, so that it cannot be taken from a generation that has passed.
// Whoever brings the pins of an entry that is not live to zero owns the object and disposes of it.
enum {
    HANDLE_LIVE_SHIFT = 32,
    HANDLE_KIND_SHIFT = 33,
    HANDLE_STATE_GENERATION_SHIFT = 37,
    HANDLE_STRIPED_SHIFT = 58,
    HANDLE_ENDED_SHIFT = 59,
    HANDLE_MARKED_SHIFT = 60,
};

static inline uint32_t handle_slot_of(uint64_t id)
{
    return (uint32_t)(id >> HANDLE_GENERATION_BITS) & ((1u << HANDLE_SLOT_BITS) - 1);
}

static inline uint32_t handle_generation_of(uint64_t id)
{
    return (uint32_t)id & ((1u << HANDLE_GENERATION_BITS) - 1);
}

// What is inline below is what nearly always happens, to one of the first slots: the functions that it is part of need
// save nothing for the rest, which is here.
// Pins the object of |id|, or says why not.
enum handle_result handle_pin_slowly(struct handle_table *table, uint64_t id, int kind, void **out_object)
    __attribute__((noinline));
bool handle_pin_striped_beyond(struct handle_table *table, uint64_t id, int kind, unsigned stripe, void **out_object)
    __attribute__((noinline));
void handle_unpin_beyond(struct handle_table *table, uint64_t id) __attribute__((noinline));
void handle_unpin_striped_beyond(struct handle_table *table, uint64_t id, unsigned stripe) __attribute__((noinline));
// The last pin that the state counts, of an entry that is not live, was dropped: |before| is its state with that pin.
void handle_end(struct handle_table *table, uint64_t id, void *object, uint64_t before) __attribute__((noinline, cold));
// A pin of a stripe was dropped and the entry is not what it was: disposes of its object if that was the last one.
void handle_end_striped(struct handle_table *table, uint32_t slot) __attribute__((noinline, cold));

// The upper half of the state of a live entry without stripes and mark.
static inline uint64_t handle_live_state(uint64_t id, int kind)
{
    return (uint64_t)handle_generation_of(id) << 5 | (uint64_t)(unsigned)kind << 1 | 1;
}

#define HANDLE_STRIPED_PART (UINT64_C(1) << (HANDLE_STRIPED_SHIFT - HANDLE_LIVE_SHIFT))
#define HANDLE_MARKED_PART (UINT64_C(1) << (HANDLE_MARKED_SHIFT - HANDLE_LIVE_SHIFT))

// Pins the object of |id| if the upper half of its state is |live|, |ignored| left out.
static inline bool handle_pin_if(struct handle_table *table, uint64_t id, uint64_t live, uint64_t ignored,
                                 void **out_object)
{
    uint32_t slot = handle_slot_of(id);
    if (UNLIKELY(slot >= HANDLE_FIRST_SLOTS)) {
        return false;
    }
    struct handle_entry *entry = &table->first[slot];
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    if (UNLIKELY((state >> HANDLE_LIVE_SHIFT & ~ignored) != live) ||
        UNLIKELY(!atomic_compare_exchange_strong_explicit(&entry->state, &state, state + 1, memory_order_acq_rel,
                                                          memory_order_relaxed))) {
        return false;
    }
    *out_object = atomic_load_explicit(&entry->object, memory_order_relaxed);
    return true;
}

// Pins the object of |id| if nothing is in the way. False: handle_pin_slowly() pins it or says why not.
static inline bool handle_pin_at_once(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return handle_pin_if(table, id, handle_live_state(id, kind), HANDLE_STRIPED_PART | HANDLE_MARKED_PART, out_object);
}

// The same for an object that is marked and has no stripes.
static inline bool handle_pin_marked_at_once(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return handle_pin_if(table, id, handle_live_state(id, kind) | HANDLE_MARKED_PART, 0, out_object);
}

// Pins the object of |id|. |kind| -1 takes any.
static inline enum handle_result handle_pin(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return LIKELY(handle_pin_at_once(table, id, kind, out_object)) ? HANDLE_OK
                                                                   : handle_pin_slowly(table, id, kind, out_object);
}

static inline void handle_unpin_entry(struct handle_table *table, struct handle_entry *entry, uint64_t id)
{
    void *object = atomic_load_explicit(&entry->object, memory_order_relaxed); // ours while the pin is held
    uint64_t before = atomic_fetch_sub(&entry->state, 1);
    assert((uint32_t)before > 0); // pins are balanced
    if (UNLIKELY((uint32_t)before == 1 && (before >> HANDLE_LIVE_SHIFT & 1) == 0)) {
        handle_end(table, id, object, before);
    }
}

static inline void handle_unpin(struct handle_table *table, uint64_t id)
{
    uint32_t slot = handle_slot_of(id);
    if (LIKELY(slot < HANDLE_FIRST_SLOTS)) {
        handle_unpin_entry(table, &table->first[slot], id);
    } else {
        handle_unpin_beyond(table, id);
    }
}

static inline void handle_unpin_striped_entry(struct handle_table *table, struct handle_entry *entry, uint64_t id,
                                              unsigned stripe)
{
    struct handle_stripe *stripes = atomic_load_explicit(&entry->stripes, memory_order_relaxed);
    atomic_fetch_sub(&stripes[stripe % HANDLE_STRIPES].pins, 1);
    // In one order with handle_pin_striped() and handle_retire(), all sequentially consistent: whoever finds the id
    // live was counted before it was retired.
    if (UNLIKELY((atomic_load(&entry->state) >> HANDLE_LIVE_SHIFT & 1) == 0)) {
        handle_end_striped(table, handle_slot_of(id));
    }
}

static inline void handle_unpin_striped(struct handle_table *table, uint64_t id, unsigned stripe)
{
    uint32_t slot = handle_slot_of(id);
    if (LIKELY(slot < HANDLE_FIRST_SLOTS)) {
        handle_unpin_striped_entry(table, &table->first[slot], id, stripe);
    } else {
        handle_unpin_striped_beyond(table, id, stripe);
    }
}

static inline bool handle_pin_striped_entry(struct handle_table *table, struct handle_entry *entry, uint64_t id,
                                            int kind, unsigned stripe, void **out_object)
{
    struct handle_stripe *stripes = atomic_load_explicit(&entry->stripes, memory_order_acquire);
    if (UNLIKELY(stripes == NULL)) {
        return false;
    }
    atomic_fetch_add(&stripes[stripe % HANDLE_STRIPES].pins, 1);
    uint64_t live = UINT64_C(1) << (HANDLE_STRIPED_SHIFT - HANDLE_LIVE_SHIFT) | handle_live_state(id, kind);
    if (LIKELY(atomic_load(&entry->state) >> HANDLE_LIVE_SHIFT == live)) {
        *out_object = atomic_load_explicit(&entry->object, memory_order_relaxed);
        return true;
    }
    handle_unpin_striped_beyond(table, id, stripe); // it was none
    return false;
}

// Pins the object of |id|, which was added with stripes if it is of |kind|. The pin is dropped by
// handle_unpin_striped() with the same stripe or another. False: there is none, and handle_pin() says why.
static inline bool handle_pin_striped(struct handle_table *table, uint64_t id, int kind, unsigned stripe,
                                      void **out_object)
{
    uint32_t slot = handle_slot_of(id);
    return LIKELY(slot < HANDLE_FIRST_SLOTS)
               ? handle_pin_striped_entry(table, &table->first[slot], id, kind, stripe, out_object)
               : handle_pin_striped_beyond(table, id, kind, stripe, out_object);
}

// Something of a pinned object that calls want more often than the object itself, and so find beside its state; NULL
// until it is set.
void handle_set_part(struct handle_table *table, uint64_t id, void *part);
// Of an object that handle_pin_at_once() has pinned.
static inline void *handle_part_at_once(struct handle_table *table, uint64_t id)
{
    return atomic_load_explicit(&table->first[handle_slot_of(id)].part, memory_order_relaxed);
}

// Whether the object, which the caller has pinned, is marked; if so it stays that until the pin is dropped.
bool handle_is_marked(struct handle_table *table, uint64_t id);
void handle_mark(struct handle_table *table, uint64_t id); // a stale id is skipped
// Takes the mark off unless the object is pinned. True: it has none, and what was done under earlier pins is visible.
bool handle_unmark(struct handle_table *table, uint64_t id);

// Where |id| has its state; NULL: there was never an object there. For tests.
struct handle_entry *handle_entry_of(struct handle_table *table, uint64_t id);

// Makes a live id stale. The caller keeps a pin and drops it with handle_unpin(); of several who retire one id, one
// wins and the others get HANDLE_STALE.
enum handle_result handle_retire(struct handle_table *table, uint64_t id, int kind, void **out_object);

// Retires every live object of |kind| that |wants| agrees to (NULL: all), with no pins kept.
void handle_retire_all(struct handle_table *table, int kind, bool (*wants)(void *object, void *arg), void *arg);

// Calls |visit| with every live object of |kind|, each pinned meanwhile.
void handle_visit(struct handle_table *table, int kind, void (*visit)(void *object, void *arg), void *arg);

// An id within a table and the table's number (not 0) as one id, and back.
static inline uint64_t handle_join(uint32_t table, uint64_t id)
{
    return (uint64_t)table << (HANDLE_GENERATION_BITS + HANDLE_SLOT_BITS) | id;
}

static inline uint32_t handle_table_of(uint64_t full)
{
    return (uint32_t)(full >> (HANDLE_GENERATION_BITS + HANDLE_SLOT_BITS));
}

static inline uint64_t handle_in_table(uint64_t full)
{
    return full & ((UINT64_C(1) << (HANDLE_GENERATION_BITS + HANDLE_SLOT_BITS)) - 1);
}

#endif
