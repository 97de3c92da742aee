#include "runtime/stream_set.h"

#include "runtime/context.h"
#include "runtime/stream.h"

#include <assert.h>

enum { LEAST_SIZE = 16 };

// Open addressing with linear probing, at most half full. Who looks without the lock while the table is changed may
// miss an id that is in it, and then looks again under the lock; it never finds one that was not added. So a table that
// was replaced by a larger one must stay, but may be out of date.
struct stream_table {
    struct stream_table *smaller; // owned: what it has replaced
    uint32_t size;                // a power of two
    uint32_t count;               // of ids; guarded by the context's lock
    _Atomic uint64_t ids[];       // 0: free
};

static size_t table_bytes(uint32_t size)
{
    return sizeof(struct stream_table) + size * sizeof(_Atomic uint64_t);
}

static uint64_t load(const _Atomic uint64_t *place)
{
    return atomic_load_explicit(place, memory_order_relaxed);
}

static void store(_Atomic uint64_t *place, uint64_t id)
{
    atomic_store_explicit(place, id, memory_order_relaxed);
}

static uint32_t home_of(const struct stream_table *table, uint64_t id)
{
    assert((table->size & (table->size - 1)) == 0 && id != 0); // 0 marks a free place
    return (uint32_t)((id * 0x9e3779b97f4a7c15u) >> 32) & (table->size - 1);
}

// Where the id is, or the free place where it belongs.
static uint32_t find(const struct stream_table *table, uint64_t id)
{
    uint32_t at = home_of(table, id);
    for (uint32_t i = 0; i < table->size; i++) { // a table that changes meanwhile may look full
        uint64_t there = load(&table->ids[at]);
        if (there == id || there == 0) {
            break;
        }
        at = (at + 1) & (table->size - 1);
    }
    return at;
}

static bool has(struct stream_set *set, uint64_t id)
{
    if (stream_set_has_at_once(set, id)) {
        return true;
    }
    const struct stream_table *table = atomic_load_explicit(&set->table, memory_order_acquire);
    return table != NULL && load(&table->ids[find(table, id)]) == id;
}

// ---- under the context's lock -------------------------------------------------------------------------------------

static void put(struct stream_table *table, uint64_t id)
{
    assert(table->count < table->size / 2);
    store(&table->ids[find(table, id)], id);
    table->count++;
}

// Moves up those behind the place that would no longer be found past it.
static void take_out(struct stream_table *table, uint32_t place)
{
    assert(place < table->size && table->count > 0);
    uint32_t mask = table->size - 1;
    for (uint32_t at = (place + 1) & mask; load(&table->ids[at]) != 0; at = (at + 1) & mask) {
        uint64_t id = load(&table->ids[at]);
        if (((at - home_of(table, id)) & mask) >= ((at - place) & mask)) {
            store(&table->ids[place], id);
            place = at;
        }
    }
    store(&table->ids[place], 0);
    table->count--;
}

static void sweep(struct context *context, struct stream_table *table)
{
    for (uint32_t i = 0; i < table->size; i++) {
        while (load(&table->ids[i]) != 0 && !stream_is_listed(context, load(&table->ids[i]))) {
            take_out(table, i);
        }
    }
}

// A table with room for one more; NULL: no memory. A table is kept only where the next sweep is far away.
static struct stream_table *make_room(struct context *context, struct stream_set *set)
{
    struct stream_table *table = atomic_load_explicit(&set->table, memory_order_relaxed);
    if (table != NULL && table->count + 1 < table->size / 2) {
        return table;
    }
    if (table != NULL) {
        sweep(context, table);
    }
    if (table != NULL && table->count + 1 < table->size / 4) {
        return table;
    }
    uint32_t size = table == NULL ? LEAST_SIZE : 2 * table->size;
    struct stream_table *larger = context_alloc(context, table_bytes(size));
    if (larger == NULL) {
        return NULL;
    }
    larger->smaller = table;
    larger->size = size;
    for (uint32_t i = 0; table != NULL && i < table->size; i++) {
        if (load(&table->ids[i]) != 0) {
            put(larger, load(&table->ids[i]));
        }
    }
    atomic_store_explicit(&set->table, larger, memory_order_release);
    return larger;
}

static void add(struct context *context, struct stream_set *set, uint64_t id)
{
    _Atomic uint64_t *place = stream_set_place(set, id);
    if (load(place) == 0 || !stream_is_listed(context, load(place))) {
        store(place, id);
        return;
    }
    struct stream_table *table = make_room(context, set);
    if (table != NULL) {
        put(table, id);
    } else {
        stream_set_add_all(set);
    }
}

// ---- for all ------------------------------------------------------------------------------------------------------

bool stream_set_add(struct context *context, struct stream_set *set, uint64_t id)
{
    if (stream_set_is_all(set) || has(set, id)) {
        return false;
    }
    thread_lock(&context->lock);
    bool is_new = !has(set, id);
    if (is_new) {
        add(context, set, id);
    }
    thread_unlock(&context->lock);
    return is_new;
}

void stream_set_add_all(struct stream_set *set)
{
    atomic_store_explicit(&set->is_all, true, memory_order_relaxed);
}

bool stream_set_is_all(const struct stream_set *set)
{
    return atomic_load_explicit(&set->is_all, memory_order_relaxed);
}

void stream_set_each(struct context *context, const struct stream_set *set,
                     void (*visit)(struct context *context, uint64_t id, void *arg), void *arg)
{
    for (int i = 0; i < STREAM_SET_FEW; i++) {
        if (load(&set->few[i]) != 0) {
            visit(context, load(&set->few[i]), arg);
        }
    }
    const struct stream_table *table = atomic_load_explicit(&set->table, memory_order_relaxed);
    for (uint32_t i = 0; table != NULL && i < table->size; i++) {
        if (load(&table->ids[i]) != 0) {
            visit(context, load(&table->ids[i]), arg);
        }
    }
}

void stream_set_finish(struct context *context, struct stream_set *set)
{
    struct stream_table *table = atomic_load_explicit(&set->table, memory_order_relaxed);
    while (table != NULL) {
        struct stream_table *smaller = table->smaller;
        context_free(context, table, table_bytes(table->size));
        table = smaller;
    }
}
