// Handles: 64-bit ids for objects that may be destroyed in one thread while another uses them.
//
// An id names a table (a context), a slot in it and the slot's generation. A slot's generation goes up when its object
// is gone, and a slot whose generations are used up is never used again, so that a stale id stays stale for ever.
//
// A user of an object pins it first. handle_retire() makes the id stale at once; the object is disposed of by whoever
// drops the last pin. Pinning and unpinning take no lock.
#ifndef RILL_BASE_HANDLE_H
#define RILL_BASE_HANDLE_H

#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    HANDLE_GENERATION_BITS = 21,
    HANDLE_SLOT_BITS = 21,
    HANDLE_TABLE_BITS = 22,
    HANDLE_CHUNK_SLOTS = 512,
    HANDLE_CHUNK_COUNT = (1 << HANDLE_SLOT_BITS) / HANDLE_CHUNK_SLOTS,
};

struct handle_entry {
    _Atomic uint64_t state; // generation, kind, whether it is live, pins: see handle.c
    void *object;           // borrowed; written before the entry is live
    uint32_t next_free;     // guarded by the table's lock
};

struct handle_table {
    struct thread_mutex lock;                                  // of the slots that are free
    _Atomic(struct handle_entry *) chunks[HANDLE_CHUNK_COUNT]; // owned; only ever added
    uint32_t slot_count;                                       // guarded by lock: slots that were ever used
    uint32_t free_slot;                                        // guarded by lock: 0 is none; slot 0 is never given out
    uint32_t generation_limit;                                 // a slot that reaches it is not used again
    uint32_t slot_limit;
    uint32_t live_count; // guarded by lock
    // Called without locks when a retired object has no pin left.
    void (*dispose)(void *object, int kind);
};

// Zeroed limits mean what the bits of an id can hold.
void handle_table_init(struct handle_table *table, void (*dispose)(void *object, int kind));
// Nothing may be live or pinned any more.
void handle_table_finish(struct handle_table *table);

// Gives |object| a slot and returns its id within the table (slot and generation; never 0), or 0 if there is no memory
// or no slot left. |kind| is 0 to 15.
uint64_t handle_add(struct handle_table *table, void *object, int kind);

enum handle_result { HANDLE_OK, HANDLE_STALE, HANDLE_WRONG_KIND };

// The state of an entry is one word: pins in the low 32 bits, then one bit that says whether the id is live, four bits
// of kind, then the generation. A pin is taken by a compare-and-swap on the whole word, so that it cannot be taken from
// a generation that has passed. Whoever brings the pins of an entry that is not live to zero owns the object and
// disposes of it.
enum { HANDLE_LIVE_SHIFT = 32, HANDLE_KIND_SHIFT = 33, HANDLE_STATE_GENERATION_SHIFT = 37 };

static inline uint32_t handle_slot_of(uint64_t id)
{
    return (uint32_t)(id >> HANDLE_GENERATION_BITS) & ((1u << HANDLE_SLOT_BITS) - 1);
}

static inline uint32_t handle_generation_of(uint64_t id)
{
    return (uint32_t)id & ((1u << HANDLE_GENERATION_BITS) - 1);
}

static inline struct handle_entry *handle_entry_at(struct handle_table *table, uint32_t slot)
{
    struct handle_entry *chunk = atomic_load_explicit(&table->chunks[slot / HANDLE_CHUNK_SLOTS], memory_order_acquire);
    return chunk != NULL ? &chunk[slot % HANDLE_CHUNK_SLOTS] : NULL;
}

// Why a pin of |id| was refused; or pins it, which happens where |kind| is -1.
enum handle_result handle_pin_slowly(struct handle_table *table, uint64_t id, int kind, void **out_object);
// The last pin of an entry that is not live was dropped: |before| is its state with that pin.
void handle_end(struct handle_table *table, uint64_t id, void *object, uint64_t before);

// Pins the object of |id|. |kind| -1 takes any. Every call of the API comes here several times: so it is inline.
static inline enum handle_result handle_pin(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    struct handle_entry *entry = handle_entry_at(table, handle_slot_of(id));
    if (entry == NULL) {
        *out_object = NULL;
        return HANDLE_STALE;
    }
    uint64_t live =
        (uint64_t)handle_generation_of(id) << 5 | (uint64_t)(unsigned)kind << 1 | 1; // the state's high half
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    while (state >> HANDLE_LIVE_SHIFT == live) {
        if (atomic_compare_exchange_weak_explicit(&entry->state, &state, state + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *out_object = entry->object;
            return HANDLE_OK;
        }
    }
    return handle_pin_slowly(table, id, kind, out_object);
}

static inline void handle_unpin(struct handle_table *table, uint64_t id)
{
    struct handle_entry *entry = handle_entry_at(table, handle_slot_of(id));
    void *object = entry->object; // ours while the pin is held
    uint64_t before = atomic_fetch_sub_explicit(&entry->state, 1, memory_order_acq_rel);
    if ((uint32_t)before == 1 && (before >> HANDLE_LIVE_SHIFT & 1) == 0) {
        handle_end(table, id, object, before);
    }
}

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
