#ifndef RILL_RUNTIME_EVENT_H
#define RILL_RUNTIME_EVENT_H

#include "runtime/context.h"

struct event {
    struct context *context;     // borrowed
    struct backend_event *place; // owned
    uint64_t id;
    bool has_time;
};

void event_dispose(struct event *event);

#endif
