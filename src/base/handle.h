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

// Pins the object of |id|. |kind| -1 takes any.
enum handle_result handle_pin(struct handle_table *table, uint64_t id, int kind, void **out_object);
void handle_unpin(struct handle_table *table, uint64_t id);
// Makes a live id stale. The caller keeps a pin and drops it with handle_unpin(); of several who retire one id, one
// wins and the others get HANDLE_STALE.
enum handle_result handle_retire(struct handle_table *table, uint64_t id, int kind, void **out_object);

// Retires every live object of |kind| that |wants| agrees to (NULL: all), with no pins kept.
void handle_retire_all(struct handle_table *table, int kind, bool (*wants)(void *object, void *arg), void *arg);

// Calls |visit| with every live object of |kind|, each pinned meanwhile.
void handle_visit(struct handle_table *table, int kind, void (*visit)(void *object, void *arg), void *arg);

// An id within a table and the table's number (not 0) as one id, and back.
uint64_t handle_join(uint32_t table, uint64_t id);
uint32_t handle_table_of(uint64_t full);
uint64_t handle_in_table(uint64_t full);

#endif
