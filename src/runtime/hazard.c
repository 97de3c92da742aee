#include "runtime/hazard.h"

#include "base/hot.h"
#include "runtime/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SWEEP = 256, LEAST_ENTRIES = 4, LEAST_ZONES = 16 };

// ---- accesses -----------------------------------------------------------------------------------------------------

static bool touches(const struct plan_span *a, const struct plan_span *b)
{
    return a->low < b->high && b->low < a->high && ((a->step | b->step) == 0 || plan_spans_overlap(a, b));
}

// Whether the two leave the same behind in either order.
static bool may_swap(const struct hazard_access *a, const struct hazard_access *b)
{
    return (a->kind == HAZARD_READ && b->kind == HAZARD_READ) ||
           (a->kind == HAZARD_UPDATE && b->kind == HAZARD_UPDATE && a->type == b->type && a->update == b->update);
}

bool hazard_conflicts(const struct hazard_access *a, const struct hazard_access *b)
{
    return touches(&a->span, &b->span) && !may_swap(a, b);
}

static bool is_inside(const struct plan_span *inner, const struct plan_span *outer)
{
    if (inner->low < outer->low || inner->high > outer->high) {
        return false;
    }
    return outer->step == 0 || (inner->low == outer->low && inner->high == outer->high && inner->step == outer->step &&
                                inner->width == outer->width);
}

// Whether whoever conflicts with |old| also conflicts with |access|, which follows it.
static bool replaces(const struct hazard_access *access, const struct hazard_access *old, bool is_one_stream)
{
    if (!is_inside(&old->span, &access->span)) {
        return false;
    }
    return access->kind == HAZARD_WRITE || (is_one_stream && access->kind == old->kind && may_swap(access, old));
}

// ---- points -------------------------------------------------------------------------------------------------------

void hazard_release(struct hazard_table *table, struct hazard_point *point)
{
    assert(point->reference_count > 0);
    if (--point->reference_count == 0) {
        table->release(table->user, point);
    }
}

static void drop_entry(struct hazard_table *table, struct hazard_zone *zone, size_t index)
{
    assert(index < zone->count && table->entry_count > 0);
    struct hazard_point *point = zone->entries[index].point;
    zone->entries[index] = zone->entries[--zone->count];
    table->entry_count--;
    hazard_release(table, point);
}

// ---- zones --------------------------------------------------------------------------------------------------------

// The first zone that ends behind |low|.
static size_t first_behind(const struct hazard_table *table, uint64_t low)
{
    size_t begin = 0;
    size_t end = table->count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (table->zones[middle]->high > low) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return begin;
}

static void free_zone(struct hazard_table *table, struct hazard_zone *zone)
{
    context_free(table->context, zone->entries, zone->capacity * sizeof *zone->entries);
    context_free(table->context, zone, sizeof *zone);
}

static bool has_room(struct hazard_table *table, struct hazard_zone *zone, size_t more)
{
    if (LIKELY(zone->count + more <= zone->capacity)) {
        return true;
    }
    size_t capacity = zone->capacity > 0 ? 2 * zone->capacity : LEAST_ENTRIES;
    capacity = capacity > zone->count + more ? capacity : zone->count + more;
    struct hazard_entry *entries = context_alloc(table->context, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    if (zone->count > 0) {
        memcpy(entries, zone->entries, zone->count * sizeof *entries);
    }
    context_free(table->context, zone->entries, zone->capacity * sizeof *entries);
    zone->entries = entries;
    zone->capacity = capacity;
    return true;
}

static bool has_room_for_zones(struct hazard_table *table, size_t more)
{
    if (LIKELY(table->count + more <= table->capacity)) {
        return true;
    }
    size_t capacity = table->capacity > 0 ? 2 * table->capacity : LEAST_ZONES;
    capacity = capacity > table->count + more ? capacity : table->count + more;
    struct hazard_zone **zones = context_alloc(table->context, capacity * sizeof *zones);
    if (zones == NULL) {
        return false;
    }
    if (table->count > 0) {
        memcpy(zones, table->zones, table->count * sizeof *zones);
    }
    context_free(table->context, table->zones, table->capacity * sizeof *zones);
    table->zones = zones;
    table->capacity = capacity;
    return true;
}

static void remove_zones(struct hazard_table *table, size_t at, size_t count)
{
    assert(at + count <= table->count);
    memmove(table->zones + at, table->zones + at + count, (table->count - at - count) * sizeof *table->zones);
    table->count -= count;
}

// A new zone, which is the one at |at|, with room for |room| entries. NULL: no memory.
static struct hazard_zone *insert_zone(struct hazard_table *table, size_t at, size_t room)
{
    struct hazard_zone *zone = context_alloc(table->context, sizeof *zone);
    if (zone == NULL) {
        return NULL;
    }
    if (!has_room(table, zone, room) || !has_room_for_zones(table, 1)) {
        free_zone(table, zone);
        return NULL;
    }
    memmove(table->zones + at + 1, table->zones + at, (table->count - at) * sizeof *table->zones);
    table->zones[at] = zone;
    table->count++;
    return zone;
}

// Makes the zones [first, end) one. False: no memory.
static bool join_zones(struct hazard_table *table, size_t first, size_t end)
{
    struct hazard_zone *zone = table->zones[first];
    size_t more = 0;
    for (size_t i = first + 1; i < end; i++) {
        more += table->zones[i]->count;
    }
    if (!has_room(table, zone, more + 1)) {
        return false;
    }
    for (size_t i = first + 1; i < end; i++) {
        struct hazard_zone *other = table->zones[i];
        memcpy(zone->entries + zone->count, other->entries, other->count * sizeof *other->entries);
        zone->count += other->count;
        zone->high = other->high;
        free_zone(table, other);
    }
    remove_zones(table, first + 1, end - first - 1);
    return true;
}

// The zone for an access, with room for it. NULL: no memory.
static struct hazard_zone *zone_for(struct hazard_table *table, const struct plan_span *span)
{
    size_t first = first_behind(table, span->low);
    size_t end = first;
    while (end < table->count && table->zones[end]->low < span->high) {
        end++;
    }
    if (end == first) {
        struct hazard_zone *zone = insert_zone(table, first, 1);
        if (zone != NULL) {
            zone->low = span->low;
            zone->high = span->high;
        }
        return zone;
    }
    if (end > first + 1 && !join_zones(table, first, end)) {
        return NULL;
    }
    struct hazard_zone *zone = table->zones[first];
    if (!has_room(table, zone, 1)) {
        return NULL;
    }
    zone->low = span->low < zone->low ? span->low : zone->low;
    zone->high = span->high > zone->high ? span->high : zone->high;
    return zone;
}

// ---- calls --------------------------------------------------------------------------------------------------------

void hazard_init(struct hazard_table *table, struct context *context)
{
    *table = (struct hazard_table){.context = context, .sweep_count = LEAST_SWEEP};
}

void hazard_finish(struct hazard_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        while (table->zones[i]->count > 0) {
            drop_entry(table, table->zones[i], table->zones[i]->count - 1);
        }
        free_zone(table, table->zones[i]);
    }
    context_free(table->context, table->zones, table->capacity * sizeof *table->zones);
    *table = (struct hazard_table){.context = table->context, .sweep_count = LEAST_SWEEP};
}

void hazard_find(const struct hazard_table *table, const struct hazard_access *access, const void *stream,
                 void (*visit)(void *arg, const struct hazard_entry *entry), void *arg)
{
    for (size_t i = first_behind(table, access->span.low); i < table->count; i++) {
        const struct hazard_zone *zone = table->zones[i];
        if (zone->low >= access->span.high) {
            break;
        }
        for (size_t k = 0; k < zone->count; k++) {
            const struct hazard_entry *entry = &zone->entries[k];
            if (entry->point->stream != stream && hazard_conflicts(&entry->access, access)) {
                visit(arg, entry);
            }
        }
    }
}

bool hazard_add(struct hazard_table *table, const struct hazard_access *access, struct hazard_point *point)
{
    assert(access->span.low < access->span.high);
    struct hazard_zone *zone = zone_for(table, &access->span);
    if (zone == NULL) {
        return false;
    }
    point->reference_count++; // first: an entry of the same point may go
    for (size_t i = zone->count; i > 0; i--) {
        const struct hazard_entry *old = &zone->entries[i - 1];
        if (replaces(access, &old->access, old->point->stream == point->stream)) {
            drop_entry(table, zone, i - 1);
        }
    }
    assert(zone->count < zone->capacity);
    zone->entries[zone->count++] = (struct hazard_entry){*access, point};
    table->entry_count++;
    return true;
}

static int by_low(const void *a, const void *b)
{
    const struct hazard_entry *x = a;
    const struct hazard_entry *y = b;
    return (x->access.span.low > y->access.span.low) - (x->access.span.low < y->access.span.low);
}

// Cuts a zone where no entry connects its two sides; without memory for a second zone it stays one.
static void cut_zone(struct hazard_table *table, size_t at)
{
    struct hazard_zone *zone = table->zones[at];
    qsort(zone->entries, zone->count, sizeof *zone->entries, by_low);
    uint64_t end = zone->entries[0].access.span.high;
    zone->low = zone->entries[0].access.span.low;
    for (size_t i = 1; i < zone->count; i++) {
        if (zone->entries[i].access.span.low >= end) {
            size_t rest = zone->count - i;
            struct hazard_zone *behind = insert_zone(table, at + 1, rest);
            if (behind != NULL) { // which is looked at next
                memcpy(behind->entries, zone->entries + i, rest * sizeof *zone->entries);
                behind->count = rest;
                behind->low = behind->entries[0].access.span.low;
                behind->high = zone->high;
                zone->count = i;
                zone->high = end;
            }
            return;
        }
        end = zone->entries[i].access.span.high > end ? zone->entries[i].access.span.high : end;
    }
    zone->high = end;
}

void hazard_sweep(struct hazard_table *table, bool (*has_passed)(void *arg, const struct hazard_point *point),
                  void *arg)
{
    for (size_t i = 0; i < table->count;) {
        struct hazard_zone *zone = table->zones[i];
        for (size_t k = zone->count; k > 0; k--) {
            if (has_passed(arg, zone->entries[k - 1].point)) {
                drop_entry(table, zone, k - 1);
            }
        }
        if (zone->count == 0) {
            free_zone(table, zone);
            remove_zones(table, i, 1);
        } else {
            cut_zone(table, i++);
        }
    }
    table->sweep_count = 2 * table->entry_count > LEAST_SWEEP ? 2 * table->entry_count : LEAST_SWEEP;
}

void hazard_forget(struct hazard_table *table, uint64_t low, uint64_t high)
{
    for (size_t i = first_behind(table, low); i < table->count && table->zones[i]->low < high;) {
        struct hazard_zone *zone = table->zones[i];
        for (size_t k = zone->count; k > 0; k--) {
            const struct plan_span *span = &zone->entries[k - 1].access.span;
            if (span->low >= low && span->high <= high) {
                drop_entry(table, zone, k - 1);
            }
        }
        if (zone->count == 0) {
            free_zone(table, zone);
            remove_zones(table, i, 1);
        } else {
            i++;
        }
    }
}

void hazard_forget_first(struct hazard_table *table, uint64_t low, const void *stream)
{
    size_t at = first_behind(table, low);
    if (at == table->count) {
        return;
    }
    struct hazard_zone *zone = table->zones[at];
    for (size_t k = 0; k < zone->count; k++) {
        if (zone->entries[k].access.span.low == low && zone->entries[k].point->stream == stream) {
            drop_entry(table, zone, k);
            break;
        }
    }
    if (zone->count == 0) {
        free_zone(table, zone);
        remove_zones(table, at, 1);
    }
}
