// Lets go of what queued work may still use: memory, code. It goes when every stream has come past the work that was
// queued on it when it was retired.
#ifndef RILL_RUNTIME_RETIRE_H
#define RILL_RUNTIME_RETIRE_H

#include <stdatomic.h>

struct context;

// Lives in what is retired. |release| runs on the retiring thread or on one of the back end's; it must not wait.
struct retirement {
    void (*release)(struct retirement *retirement);
    atomic_int open_count;
};

void retire(struct context *context, struct retirement *retirement);

#endif
