// A vector clock over streams: of each stream, up to which number everything is known to come before. Streams of which
// nothing is known are left out.
//
// Threads: the caller has the order's lock.
#ifndef RILL_RUNTIME_ORDER_CLOCK_H
#define RILL_RUNTIME_ORDER_CLOCK_H

#include "runtime/context.h"

struct order_time {
    uint64_t stream; // its serial
    uint64_t number;
};

// All zero knows nothing.
struct order_clock {
    struct order_time *items; // owned, by serial
    size_t count;
    size_t capacity;
};

uint64_t order_clock_get(const struct order_clock *clock, uint64_t stream);
// False: no memory, and the clock is as it was.
bool order_clock_raise(struct context *context, struct order_clock *clock, uint64_t stream, uint64_t number);
// All that |other| knows; so is the next.
bool order_clock_join(struct context *context, struct order_clock *clock, const struct order_clock *other);
// Whether |clock| knows all of it.
bool order_clock_covers(const struct order_clock *clock, const struct order_clock *other);
void order_clock_remove(struct order_clock *clock, uint64_t stream);
void order_clock_finish(struct context *context, struct order_clock *clock);

#endif
