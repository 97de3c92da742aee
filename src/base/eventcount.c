#include "base/eventcount.h"

void eventcount_wait(struct eventcount *events, bool (*holds)(void *arg), void *arg)
{
    while (!holds(arg)) {
        unsigned key = eventcount_prepare(events);
        if (holds(arg)) {
            eventcount_cancel(events);
            return;
        }
        eventcount_commit(events, key);
    }
}

void eventcount_wake(struct eventcount *events, int most)
{
    atomic_fetch_add(&events->epoch, 1);
    thread_wake(&events->epoch, most);
}
