// Which bytes queued work touches that has not been seen to end: a table of accesses by address. Whoever queues work
// asks first what it must follow, and then adds what the work itself touches.
//
// Addresses are those of the device, and on every device those of the host too: the two never coincide.
//
// The table is a list of zones, disjoint and in the order of their addresses. An access lies in one zone; zones that it
// connects become one. Work that an access follows, and that everything which conflicts with it would have to follow
// too, is forgotten: a write takes the place of all that lies in its range.
//
// Threads: the caller has a lock.
#ifndef RILL_RUNTIME_HAZARD_H
#define RILL_RUNTIME_HAZARD_H

#include "plan/plan.h"

struct context;

enum hazard_kind { HAZARD_READ, HAZARD_WRITE, HAZARD_UPDATE };

struct hazard_access {
    struct plan_span span; // |unknown| is not looked at: what may touch everything is 0 to UINT64_MAX
    enum hazard_kind kind;
    enum ir_update update; // HAZARD_UPDATE: done atomically, and one of those that commute with themselves
    enum ir_type type;     //
    bool is_certain;       // every byte is touched; else each may be
    int what;              // the caller's: of what this is an access
    int number;            // the caller's: which of the accesses of one piece of work
};

// A place in a stream, behind what has the access. Counted by the table's entries and by whoever works with it.
struct hazard_point {
    void *stream; // two points of one stream are in order
    uint64_t number;
    int reference_count;
};

struct hazard_entry {
    struct hazard_access access;
    struct hazard_point *point; // one reference
};

struct hazard_zone {
    uint64_t low;
    uint64_t high;
    struct hazard_entry *entries; // owned
    size_t count;
    size_t capacity;
};

struct hazard_table {
    struct context *context;    // borrowed: where memory comes from
    struct hazard_zone **zones; // owned, by address
    size_t count;
    size_t capacity;
    size_t entry_count;
    size_t sweep_count; // entries with which the next sweep is due
    // Called with a point that no entry has any more and nobody else either.
    void (*release)(void *user, struct hazard_point *point);
    void *user;
};

void hazard_init(struct hazard_table *table, struct context *context);
void hazard_finish(struct hazard_table *table);

// Whether the two must stay in order.
bool hazard_conflicts(const struct hazard_access *a, const struct hazard_access *b);

// Calls |visit| for each entry that conflicts with |access| and is not of |stream|.
void hazard_find(const struct hazard_table *table, const struct hazard_access *access, const void *stream,
                 void (*visit)(void *arg, const struct hazard_entry *entry), void *arg);

// Adds an access of work that follows all that hazard_find() gives. False: no memory, and nothing was added.
bool hazard_add(struct hazard_table *table, const struct hazard_access *access, struct hazard_point *point);

// Drops a reference to the point.
void hazard_release(struct hazard_table *table, struct hazard_point *point);

// Whether there are so many entries that a sweep is worth it.
static inline bool hazard_wants_sweep(const struct hazard_table *table)
{
    return table->entry_count >= table->sweep_count;
}
// Forgets the entries whose work has run, as |has_passed| says, and cuts zones where nothing connects them any more.
void hazard_sweep(struct hazard_table *table, bool (*has_passed)(void *arg, const struct hazard_point *point),
                  void *arg);
// Forgets what touches nothing beside [low, high).
void hazard_forget(struct hazard_table *table, uint64_t low, uint64_t high);
// Forgets one access of |stream| that begins at |low|.
void hazard_forget_first(struct hazard_table *table, uint64_t low, const void *stream);

#endif
