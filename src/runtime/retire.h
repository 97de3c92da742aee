// Lets go of what queued work may still use: memory, code. It goes when each stream that used it has come past the work
// that was queued on it when it was retired.
#ifndef RILL_RUNTIME_RETIRE_H
#define RILL_RUNTIME_RETIRE_H

#include <stdatomic.h>

struct context;
struct stream_set;

// Lives in what is retired. |release| runs on the retiring thread or on one of the back end's; it must not wait.
struct retirement {
    void (*release)(struct retirement *retirement);
    atomic_int open_count;
};

// |users|: the streams that used it; NULL: any may have. Nothing is added to the set any more.
void retire(struct context *context, struct retirement *retirement, const struct stream_set *users);

#endif
