#include "base/handle.h"

#include <stdlib.h>

#define LIVE_BIT (UINT64_C(1) << HANDLE_LIVE_SHIFT)
#define KIND_MASK 15

static int kind_of(uint64_t state)
{
    return (int)(state >> HANDLE_KIND_SHIFT & KIND_MASK);
}

static uint64_t id_of(uint32_t slot, uint32_t generation)
{
    return (uint64_t)slot << HANDLE_GENERATION_BITS | generation;
}

void handle_table_init(struct handle_table *table, void (*dispose)(void *object, int kind))
{
    thread_mutex_init(&table->lock);
    table->dispose = dispose;
}

void handle_table_finish(struct handle_table *table)
{
    for (int i = 0; i < HANDLE_CHUNK_COUNT; i++) {
        free(atomic_load_explicit(&table->chunks[i], memory_order_relaxed));
    }
    thread_mutex_finish(&table->lock);
}

// A slot that was never used. The table's lock is held. 0 if there is none.
static uint32_t fresh_slot(struct handle_table *table)
{
    uint32_t limit = table->slot_limit != 0 ? table->slot_limit : 1u << HANDLE_SLOT_BITS;
    uint32_t slot = table->slot_count + 1;
    if (slot >= limit) {
        return 0;
    }
    uint32_t chunk = slot / HANDLE_CHUNK_SLOTS;
    if (atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed) == NULL) {
        struct handle_entry *entries = calloc(HANDLE_CHUNK_SLOTS, sizeof *entries);
        if (entries == NULL) {
            return 0;
        }
        atomic_store_explicit(&table->chunks[chunk], entries, memory_order_release);
    }
    table->slot_count = slot;
    return slot;
}

uint64_t handle_add(struct handle_table *table, void *object, int kind)
{
    thread_lock(&table->lock);
    uint32_t slot = table->free_slot;
    if (slot != 0) {
        table->free_slot = handle_entry_at(table, slot)->next_free;
    } else {
        slot = fresh_slot(table);
    }
    uint64_t id = 0;
    if (slot != 0) {
        struct handle_entry *entry = handle_entry_at(table, slot);
        uint64_t state = atomic_load_explicit(&entry->state, memory_order_relaxed);
        uint32_t generation = (uint32_t)(state >> HANDLE_STATE_GENERATION_SHIFT) + 1;
        entry->object = object;
        uint64_t live =
            (uint64_t)generation << HANDLE_STATE_GENERATION_SHIFT | (uint64_t)kind << HANDLE_KIND_SHIFT | LIVE_BIT;
        atomic_store_explicit(&entry->state, live, memory_order_release);
        table->live_count++;
        id = id_of(slot, generation);
    }
    thread_unlock(&table->lock);
    return id;
}

static void give_back_slot(struct handle_table *table, struct handle_entry *entry, uint32_t slot, uint32_t generation)
{
    uint32_t limit = table->generation_limit != 0 ? table->generation_limit : (1u << HANDLE_GENERATION_BITS) - 1;
    thread_lock(&table->lock);
    table->live_count--;
    if (generation < limit) {
        entry->next_free = table->free_slot;
        table->free_slot = slot;
    }
    thread_unlock(&table->lock);
}

// Adds a pin to a live entry of that generation, and takes the live bit if |retire|.
static enum handle_result take(struct handle_table *table, uint64_t id, int kind, bool retire, void **out_object)
{
    *out_object = NULL;
    struct handle_entry *entry = handle_entry_at(table, handle_slot_of(id));
    if (entry == NULL) {
        return HANDLE_STALE;
    }
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    for (;;) {
        if (state >> HANDLE_STATE_GENERATION_SHIFT != handle_generation_of(id) || (state & LIVE_BIT) == 0) {
            return HANDLE_STALE;
        }
        if (kind >= 0 && kind_of(state) != kind) {
            return HANDLE_WRONG_KIND;
        }
        uint64_t next = (state + 1) & ~(retire ? LIVE_BIT : 0);
        if (atomic_compare_exchange_weak_explicit(&entry->state, &state, next, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *out_object = entry->object;
            return HANDLE_OK;
        }
    }
}

enum handle_result handle_pin_slowly(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return take(table, id, kind, false, out_object);
}

enum handle_result handle_retire(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return take(table, id, kind, true, out_object);
}

void handle_end(struct handle_table *table, uint64_t id, void *object, uint64_t before)
{
    give_back_slot(table, handle_entry_at(table, handle_slot_of(id)), handle_slot_of(id), handle_generation_of(id));
    table->dispose(object, kind_of(before));
}

static uint32_t used_slots(struct handle_table *table)
{
    thread_lock(&table->lock);
    uint32_t count = table->slot_count;
    thread_unlock(&table->lock);
    return count;
}

// The id of what lives in a slot now; 0 if nothing does.
static uint64_t live_id(struct handle_table *table, uint32_t slot)
{
    struct handle_entry *entry = handle_entry_at(table, slot);
    uint64_t state = entry != NULL ? atomic_load_explicit(&entry->state, memory_order_acquire) : 0;
    return (state & LIVE_BIT) != 0 ? id_of(slot, (uint32_t)(state >> HANDLE_STATE_GENERATION_SHIFT)) : 0;
}

void handle_retire_all(struct handle_table *table, int kind, bool (*wants)(void *object, void *arg), void *arg)
{
    uint32_t count = used_slots(table);
    for (uint32_t slot = 1; slot <= count; slot++) {
        uint64_t id = live_id(table, slot);
        void *object;
        if (id == 0 || handle_pin(table, id, kind, &object) != HANDLE_OK) {
            continue;
        }
        void *same;
        if ((wants == NULL || wants(object, arg)) && handle_retire(table, id, kind, &same) == HANDLE_OK) {
            handle_unpin(table, id);
        }
        handle_unpin(table, id);
    }
}

void handle_visit(struct handle_table *table, int kind, void (*visit)(void *object, void *arg), void *arg)
{
    uint32_t count = used_slots(table);
    for (uint32_t slot = 1; slot <= count; slot++) {
        uint64_t id = live_id(table, slot);
        void *object;
        if (id != 0 && handle_pin(table, id, kind, &object) == HANDLE_OK) {
            visit(object, arg);
            handle_unpin(table, id);
        }
    }
}
