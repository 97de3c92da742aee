#include "base/handle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LIVE_BIT (UINT64_C(1) << HANDLE_LIVE_SHIFT)
#define STRIPED_BIT (UINT64_C(1) << HANDLE_STRIPED_SHIFT)
#define ENDED_BIT (UINT64_C(1) << HANDLE_ENDED_SHIFT)
#define MARKED_BIT (UINT64_C(1) << HANDLE_MARKED_SHIFT)
#define KIND_MASK 15

static int kind_of(uint64_t state)
{
    return (int)(state >> HANDLE_KIND_SHIFT & KIND_MASK);
}

static uint32_t generation_in(uint64_t state)
{
    return (uint32_t)(state >> HANDLE_STATE_GENERATION_SHIFT) & ((1u << HANDLE_GENERATION_BITS) - 1);
}

static uint64_t id_of(uint32_t slot, uint32_t generation)
{
    return (uint64_t)slot << HANDLE_GENERATION_BITS | generation;
}

// The chunk of a slot that is not among the first, and how many slots it has, which is also its first slot.
static uint32_t chunk_of(uint32_t slot)
{
    return 31 - HANDLE_FIRST_BITS - (uint32_t)__builtin_clz(slot);
}

static uint32_t chunk_slots(uint32_t chunk)
{
    return (uint32_t)HANDLE_FIRST_SLOTS << chunk;
}

// NULL: there was never an object in that slot.
static struct handle_entry *entry_at(struct handle_table *table, uint32_t slot)
{
    if (slot < HANDLE_FIRST_SLOTS) {
        return &table->first[slot];
    }
    uint32_t chunk = chunk_of(slot);
    assert(chunk < HANDLE_CHUNK_COUNT);
    struct handle_entry *entries = atomic_load_explicit(&table->chunks[chunk], memory_order_acquire);
    return entries != NULL ? &entries[slot - chunk_slots(chunk)] : NULL;
}

void handle_set_part(struct handle_table *table, uint64_t id, void *part)
{
    atomic_store_explicit(&entry_at(table, handle_slot_of(id))->part, part, memory_order_relaxed);
}

struct handle_entry *handle_entry_of(struct handle_table *table, uint64_t id)
{
    return entry_at(table, handle_slot_of(id));
}

void handle_table_init(struct handle_table *table, void (*dispose)(void *object, int kind))
{
    thread_mutex_init(&table->lock);
    table->dispose = dispose;
}

static void free_stripes(struct handle_table *table, struct handle_entry *entries, uint32_t count)
{
    for (uint32_t i = 0; entries != NULL && i < count; i++) {
        struct handle_stripe *stripes = atomic_load_explicit(&entries[i].stripes, memory_order_relaxed);
        free(stripes != table->stripes ? stripes : NULL);
    }
}

// Cleared; NULL: there is no memory. The lock is held.
static struct handle_stripe *take_stripes(struct handle_table *table)
{
    if (!table->has_lent_stripes) {
        table->has_lent_stripes = true;
        return table->stripes;
    }
    struct handle_stripe *stripes = aligned_alloc(_Alignof(struct handle_stripe), sizeof table->stripes);
    if (stripes != NULL) {
        memset(stripes, 0, sizeof table->stripes);
    }
    return stripes;
}

void handle_table_finish(struct handle_table *table)
{
    free_stripes(table, table->first, HANDLE_FIRST_SLOTS);
    for (uint32_t i = 0; i < HANDLE_CHUNK_COUNT; i++) {
        struct handle_entry *chunk = atomic_load_explicit(&table->chunks[i], memory_order_relaxed);
        free_stripes(table, chunk, chunk_slots(i));
        free(chunk);
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
    if (entry_at(table, slot) == NULL) {
        uint32_t chunk = chunk_of(slot);
        size_t size = chunk_slots(chunk) * sizeof(struct handle_entry);
        struct handle_entry *entries = aligned_alloc(_Alignof(struct handle_entry), size);
        if (entries == NULL) {
            return 0;
        }
        memset(entries, 0, size);
        atomic_store_explicit(&table->chunks[chunk], entries, memory_order_release);
    }
    table->slot_count = slot;
    return slot;
}

// A slot with stripes, if they are wanted. The table's lock is held. 0 if there is none.
static uint32_t take_slot(struct handle_table *table, bool is_striped)
{
    uint32_t slot = table->free_slot != 0 ? table->free_slot : fresh_slot(table);
    struct handle_entry *entry = slot != 0 ? entry_at(table, slot) : NULL;
    if (entry != NULL && is_striped && atomic_load_explicit(&entry->stripes, memory_order_relaxed) == NULL) {
        struct handle_stripe *stripes = take_stripes(table);
        if (stripes == NULL) { // a fresh slot is lost: there is no memory anyway
            return 0;
        }
        atomic_store_explicit(&entry->stripes, stripes, memory_order_release);
    }
    if (entry != NULL && slot == table->free_slot) {
        table->free_slot = entry->next_free;
    }
    return slot;
}

static uint64_t add(struct handle_table *table, void *object, int kind, bool is_striped)
{
    assert(object != NULL && kind >= 0 && kind <= KIND_MASK);
    thread_lock(&table->lock);
    uint32_t slot = take_slot(table, is_striped);
    uint64_t id = 0;
    if (slot != 0) {
        struct handle_entry *entry = entry_at(table, slot);
        uint32_t generation = generation_in(atomic_load_explicit(&entry->state, memory_order_relaxed)) + 1;
        atomic_store_explicit(&entry->object, object, memory_order_relaxed);
        atomic_store_explicit(&entry->part, NULL, memory_order_relaxed);
        uint64_t live = (uint64_t)generation << HANDLE_STATE_GENERATION_SHIFT | (uint64_t)kind << HANDLE_KIND_SHIFT |
                        LIVE_BIT | (is_striped ? STRIPED_BIT : 0);
        atomic_store_explicit(&entry->state, live, memory_order_release);
        table->live_count++;
        id = id_of(slot, generation);
    }
    thread_unlock(&table->lock);
    return id;
}

uint64_t handle_add(struct handle_table *table, void *object, int kind)
{
    return add(table, object, kind, false);
}

uint64_t handle_add_striped(struct handle_table *table, void *object, int kind)
{
    return add(table, object, kind, true);
}

static void give_back_slot(struct handle_table *table, struct handle_entry *entry, uint32_t slot, uint32_t generation)
{
    uint32_t limit = table->generation_limit != 0 ? table->generation_limit : (1u << HANDLE_GENERATION_BITS) - 1;
    thread_lock(&table->lock);
    assert(table->live_count > 0 && slot <= table->slot_count);
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
    struct handle_entry *entry = entry_at(table, handle_slot_of(id));
    if (entry == NULL) {
        return HANDLE_STALE;
    }
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    for (;;) {
        if (generation_in(state) != handle_generation_of(id) || (state & LIVE_BIT) == 0) {
            return HANDLE_STALE;
        }
        if (kind >= 0 && kind_of(state) != kind) {
            return HANDLE_WRONG_KIND;
        }
        uint64_t next = (state + 1) & ~(retire ? LIVE_BIT : 0);
        if (atomic_compare_exchange_weak(&entry->state, &state, next)) {
            *out_object = atomic_load_explicit(&entry->object, memory_order_relaxed);
            return HANDLE_OK;
        }
    }
}

enum handle_result handle_pin_slowly(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return take(table, id, kind, false, out_object);
}

bool handle_pin_striped_beyond(struct handle_table *table, uint64_t id, int kind, unsigned stripe, void **out_object)
{
    struct handle_entry *entry = entry_at(table, handle_slot_of(id));
    return entry != NULL && handle_pin_striped_entry(table, entry, id, kind, stripe, out_object);
}

void handle_unpin_beyond(struct handle_table *table, uint64_t id)
{
    handle_unpin_entry(table, entry_at(table, handle_slot_of(id)), id);
}

void handle_unpin_striped_beyond(struct handle_table *table, uint64_t id, unsigned stripe)
{
    handle_unpin_striped_entry(table, entry_at(table, handle_slot_of(id)), id, stripe);
}

enum handle_result handle_retire(struct handle_table *table, uint64_t id, int kind, void **out_object)
{
    return take(table, id, kind, true, out_object);
}

// The sum is read place by place while others count. Once the id is not live, pins are only dropped, and whoever tries
// to take one adds 1 and takes it off again in one place: so a sum of 0 means that no pin is left. Whoever sees more
// has left a later one to find 0, because each takes its own off first.
static bool has_striped_pins(struct handle_entry *entry)
{
    struct handle_stripe *stripes = atomic_load_explicit(&entry->stripes, memory_order_acquire);
    assert(stripes != NULL);
    int64_t sum = 0;
    for (int i = 0; i < HANDLE_STRIPES; i++) {
        sum += atomic_load(&stripes[i].pins);
    }
    return sum != 0;
}

void handle_end_striped(struct handle_table *table, uint32_t slot)
{
    struct handle_entry *entry = entry_at(table, slot);
    for (;;) {
        uint64_t state = atomic_load(&entry->state);
        if ((state & (LIVE_BIT | ENDED_BIT)) != 0 || (state & STRIPED_BIT) == 0 || (uint32_t)state != 0 ||
            has_striped_pins(entry)) {
            return;
        }
        void *object = atomic_load_explicit(&entry->object, memory_order_relaxed);
        // It fails where another disposes of the object, and perhaps the slot has a new one already.
        if (atomic_compare_exchange_strong(&entry->state, &state, state | ENDED_BIT)) {
            give_back_slot(table, entry, slot, generation_in(state));
            table->dispose(object, kind_of(state));
            return;
        }
    }
}

void handle_end(struct handle_table *table, uint64_t id, void *object, uint64_t before)
{
    if ((before & STRIPED_BIT) != 0) {
        handle_end_striped(table, handle_slot_of(id));
        return;
    }
    assert((before & LIVE_BIT) == 0 && generation_in(before) == handle_generation_of(id));
    give_back_slot(table, entry_at(table, handle_slot_of(id)), handle_slot_of(id), handle_generation_of(id));
    table->dispose(object, kind_of(before));
}

bool handle_is_marked(struct handle_table *table, uint64_t id)
{
    return (atomic_load(&entry_at(table, handle_slot_of(id))->state) & MARKED_BIT) != 0;
}

static bool is_state_of(uint64_t state, uint64_t id)
{
    return generation_in(state) == handle_generation_of(id) && (state & LIVE_BIT) != 0;
}

void handle_mark(struct handle_table *table, uint64_t id)
{
    struct handle_entry *entry = entry_at(table, handle_slot_of(id));
    uint64_t state = atomic_load(&entry->state);
    while (is_state_of(state, id) && !atomic_compare_exchange_weak(&entry->state, &state, state | MARKED_BIT)) {
    }
}

// Of an id that is not live only the pins are left, and then nobody pins it any more.
bool handle_unmark(struct handle_table *table, uint64_t id)
{
    struct handle_entry *entry = entry_at(table, handle_slot_of(id));
    uint64_t state = atomic_load(&entry->state);
    while (generation_in(state) == handle_generation_of(id)) {
        if ((uint32_t)state > 0) {
            return false;
        }
        if (atomic_compare_exchange_weak(&entry->state, &state, state & ~MARKED_BIT)) {
            return true;
        }
    }
    return true; // another object has the slot
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
    struct handle_entry *entry = entry_at(table, slot);
    uint64_t state = entry != NULL ? atomic_load_explicit(&entry->state, memory_order_acquire) : 0;
    return (state & LIVE_BIT) != 0 ? id_of(slot, generation_in(state)) : 0;
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
