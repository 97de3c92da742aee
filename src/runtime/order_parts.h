// What the files of the order share: order.c, which makes streams wait, and order_check.c, which only looks.
#ifndef RILL_RUNTIME_ORDER_PARTS_H
#define RILL_RUNTIME_ORDER_PARTS_H

#include "runtime/order.h"
#include "runtime/order_clock.h"

enum { ORDER_KNOWN_STREAMS = 16, ORDER_NAME = 48, ORDER_ANY_STREAMS = 8, ORDER_HABITS = 16 };

// Whether others wait for the places behind one kernel's launches on a stream: an event behind each costs more than the
// launch on a GPU, so it is left out where nobody has waited for many.
struct order_habit {
    const void *of; // the kernel, or the name of the call
    int unneeded;   // events in a row that nobody waited for
    int limit;      // with so many the next is left out
};

struct order_point {
    struct hazard_point base;    // first
    struct backend_event *event; // owned; NULL: there was no memory for one
    struct order_habit *habit;   // of its stream; NULL: every place of it is recorded
    uint64_t depth;              // one more than that of whatever comes before it, on its stream and on others
    struct order_time known[ORDER_KNOWN_STREAMS]; // of its stream when it was queued
    bool is_recorded;            // the event marks the place; else only the stream's end is known to be behind it
    struct order_origin *origin; // owned; only where order is checked or explained
    struct order_point *next;    // among those that are free
};

// A stream as the order sees it. Lives as long as a point of it.
struct order_stream {
    struct backend_stream *queue; // NULL: the stream is gone
    struct backend_event *last;   // owned; of a stream that is gone: behind all its work. NULL: that has run
    uint64_t serial;              // no other stream of the context has it
    uint64_t number;              // of the last point
    uint64_t passed;              // the points up to this one have been passed, without an error
    uint64_t blind;               // up to this point there may be accesses that are not in the table; 0: none
    uint64_t recorded;            // the last point that was recorded when it was queued
    uint64_t depth;               // of the last point
    uint64_t used;                // the last launch that was given this stream
    uint64_t swept;               // the sweep that what follows is of
    uint64_t unreached;           // this point and those behind it have not been passed
    bool is_busy;                 // its end has not been reached
    struct order_point *tail;     // borrowed: the last one; NULL: nobody asks for it any more
    size_t point_count;
    struct order_habit habits[ORDER_HABITS];
    struct order_time known[ORDER_KNOWN_STREAMS]; // by serial; one that is missing is only waited for again
    struct order_clock clock;                     // where order is checked: what comes before its next work
    uint64_t host_version;                        // of the host's clock when it was last made part of this one
    struct order_stream *next;
    struct order_stream *previous;
};

// A label that the program gave to an array.
struct order_label {
    uint64_t low;
    uint64_t high;
    char text[ORDER_NAME];
};

struct order {
    struct context *context; // borrowed
    bool is_check;           // nothing waits: conflicts are reported
    bool is_explained;       // things wait, and notes say why: RILL_LOG=note, or there is a trace
    struct thread_mutex lock;
    struct hazard_table table;
    struct order_stream *streams;    // owned
    struct order_point *free_points; // owned
    uint64_t serial;
    uint64_t wait_count;
    uint64_t sweep_count;
    size_t blind_count;                    // of streams
    struct stream *any[ORDER_ANY_STREAMS]; // those for RILL_ANY; they live as long as the context
    int any_count;
    uint64_t pick_count;                // launches that were given one of these
    uint64_t depth;                     // the largest of all points
    _Atomic(struct memory *) forgotten; // owned: released, and not forgotten yet

    // Where order is checked.
    rill_conflict_callback report;
    void *report_user;
    bool fails;              // a conflict is a status of the next call that waits
    bool only_certain;       // what only may be a conflict is not reported
    bool has_lost;           // there was no memory: what is known is not all
    struct order_clock host; // what the program has waited for
    uint64_t host_version;
    struct order_stream *program; // owned: what the program itself does between rill_host_access_begin() and _end()
    uint64_t *seen;               // owned: pairs of places that were reported; open addressing, 0: free
    size_t seen_count;
    size_t seen_capacity;
    struct order_label *labels; // owned
    size_t label_count;
    size_t label_capacity;
    uint64_t conflict_count;
    atomic_bool has_unreported;
    char unreported[2048];
};

struct order_stream *order_add_stream(struct order *order, struct backend_stream *queue);
struct order_point *order_take_point(struct order *order, struct order_stream *own);
// Whether what is queued on |own| from now on comes behind that point of |other| anyway.
bool order_knows(struct order_stream *own, const struct order_stream *other, uint64_t number);
// Whether the work is known to have run, without a failure; no driver is asked.
bool order_is_past(struct order *order, const struct hazard_point *point);

// order_check.c. The lock is held.
void order_check_begin(struct order *order, struct order_stream *own, const struct order_use *use);
// The access that waits, and the earlier one that it waits for: a note, once for each pair of places.
void order_check_explain(struct order *order, const struct order_use *use, const struct hazard_access *access,
                         const struct hazard_entry *entry);
bool order_check_has_passed(struct order *order, const struct hazard_point *point);
void order_check_stream_gone(struct order *order, const struct order_stream *own);
void order_check_forget(struct order *order, uint64_t low, uint64_t high);
void order_check_finish(struct order *order);
void order_origin_free(struct order *order, struct order_origin *origin); // NULL is skipped

#endif
