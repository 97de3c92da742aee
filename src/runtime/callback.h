// The thread that runs the user's callbacks, so that no worker and no driver thread ever does. It starts with the first
// callback.
#ifndef RILL_RUNTIME_CALLBACK_H
#define RILL_RUNTIME_CALLBACK_H

#include "rill/status.h"

#include <stdbool.h>

struct context;

// Lives in whatever it is about; |run| may free it.
struct callback {
    void (*run)(struct callback *callback);
    struct callback *next;
};

rill_status callback_thread_create(struct context *context);
void callback_thread_destroy(struct context *context); // runs what is queued, then joins

// Starts the thread unless it runs: to be called where it can still fail.
rill_status callback_thread_start(struct context *context);
void callback_post(struct context *context, struct callback *callback);

// Whether the calling thread is running a callback, and the refusal of a call that would wait there.
bool callback_is_running(void);
rill_status callback_refuse(const char *who);

#endif
