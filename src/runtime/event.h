#ifndef RILL_RUNTIME_EVENT_H
#define RILL_RUNTIME_EVENT_H

#include "runtime/context.h"
#include "runtime/order_clock.h"

struct event {
    struct context *context;     // borrowed
    struct backend_event *place; // owned
    uint64_t id;
    bool has_time;
    struct order_clock clock; // where order is checked: what comes before the last record; guarded by the order's lock
};

void event_dispose(struct event *event);

#endif
