// An eventcount: threads wait for a condition that other threads make true, without a lock around the condition.
//
//     a waiter                                        a notifier
//     1 key = eventcount_prepare(): counts itself,    A makes the condition true
//       then reads the epoch                          B eventcount_notify(): reads the count; 0: done
//     2 checks the condition again                    C changes the epoch
//     3 true: eventcount_cancel()                     D wakes those that sleep on it
//       false: eventcount_commit(key) sleeps while
//       the epoch is |key|; then the same again
//
// No wake-up is lost. It is a store-load (Dekker) pattern: each side writes its own word and then reads the other's, so
// at least one of the two sees the other. If B does not see the count of 1, then A came before 2 and the check finds
// the condition true. If B sees it, C and D follow: either the key was read after C, and so the check after A; or it is
// the epoch before C, and then the kernel, which compares and goes to sleep in one step, either sees that the epoch has
// changed or has put the thread to sleep before D.
//
// Memory orders: 1, 2, A and B are sequentially consistent, so that they have one order that agrees with each thread's
// own, and the argument above is about that order. Weaker ones are not enough: release and acquire allow both sides to
// read the old value. A condition that is changed and checked under a lock needs nothing more: if the check is before
// the change there, so is the count of 1 before B. What is written before A is visible to who finds the condition true,
// provided that the check reads with acquire, as every sequentially consistent load does.
//
// The same pattern serves threads that poll. Who adds work leaves it to a thread that polls, if there is one, and wakes
// nobody. So a thread that stops polling takes itself out of the count and then looks for work once more:
//
//     a poller                                        who adds work
//     1 pollers_leave(): takes itself out             A adds it
//     2 looks for work; takes it or wakes another     B pollers_are_present(): reads the count; 0: wakes somebody
//
// If B still sees the poller, A came before 1 and so before 2. Anything else that the adding side looks at to leave the
// work to somebody, such as a free seat of the pool, follows the same rule: change it, then look for work again.
//
// tests/unit/eventcount_test.c runs this code through every interleaving of these steps.
#ifndef RILL_BASE_EVENTCOUNT_H
#define RILL_BASE_EVENTCOUNT_H

#include "base/hot.h"
#include "base/thread.h"

#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

// All zero is one that nobody waits for.
struct eventcount {
    atomic_uint epoch;       // sleepers sleep on it
    atomic_int waiter_count; // threads between eventcount_prepare() and the end of their wait
};

// Announces a wait. The caller checks its condition after this and then calls one of the next two, with the key.
static inline unsigned eventcount_prepare(struct eventcount *events)
{
    atomic_fetch_add(&events->waiter_count, 1);
    return atomic_load(&events->epoch);
}

static inline void eventcount_cancel(struct eventcount *events)
{
    int before = atomic_fetch_sub(&events->waiter_count, 1);
    assert(before > 0);
    (void)before;
}

// Sleeps until it is notified. May return without that: the caller checks its condition again.
static inline void eventcount_commit(struct eventcount *events, unsigned key)
{
    thread_sleep(&events->epoch, key);
    eventcount_cancel(events);
}

// Waits until |holds| says that the condition is true. What |holds| reads, it reads with sequential consistency or
// under a lock.
void eventcount_wait(struct eventcount *events, bool (*holds)(void *arg), void *arg);

// Changes the epoch and wakes, whether anybody waits or not.
void eventcount_wake(struct eventcount *events, int most) __attribute__((noinline));

// The condition has become true, by a sequentially consistent operation or under the lock of the check: wakes at most
// |most| of those that wait for it.
static inline void eventcount_notify(struct eventcount *events, int most)
{
    assert(most > 0);
    if (UNLIKELY(atomic_load(&events->waiter_count) > 0)) {
        eventcount_wake(events, most);
    }
}

static inline void eventcount_notify_all(struct eventcount *events)
{
    eventcount_notify(events, INT_MAX);
}

// Threads that poll. All zero is none.
struct pollers {
    atomic_int count;
};

static inline void pollers_enter(struct pollers *pollers)
{
    atomic_fetch_add(&pollers->count, 1);
}

// Enters if nobody else polls. For what one poller is enough for.
static inline bool pollers_enter_alone(struct pollers *pollers)
{
    int none = 0;
    return atomic_load_explicit(&pollers->count, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong(&pollers->count, &none, 1);
}

// The caller looks for work once more after this.
static inline void pollers_leave(struct pollers *pollers)
{
    int before = atomic_fetch_sub(&pollers->count, 1);
    assert(before > 0);
    (void)before;
}

// For who has added work, by a sequentially consistent operation: whether somebody will find it.
static inline bool pollers_are_present(struct pollers *pollers)
{
    return atomic_load(&pollers->count) > 0;
}

#endif
