// Threads, locks and conditions. A thread made here blocks every signal, so that a program's handlers run on its own
// threads. Locks and conditions cannot fail once made.
//
// thread_publish() and thread_observe() tell ThreadSanitizer about an edge that the program itself cannot see when only
// the user's code is instrumented: what happened before a publish of an address happened before an observe that
// follows.
#ifndef RILL_BASE_THREAD_H
#define RILL_BASE_THREAD_H

#include "rill/status.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_mutex {
    pthread_mutex_t mutex;
};

struct thread_cond {
    pthread_cond_t cond;
};

#define THREAD_MUTEX_INIT {PTHREAD_MUTEX_INITIALIZER}

void thread_mutex_init(struct thread_mutex *mutex);
void thread_mutex_finish(struct thread_mutex *mutex);
void thread_lock(struct thread_mutex *mutex);
void thread_unlock(struct thread_mutex *mutex);

void thread_cond_init(struct thread_cond *cond);
void thread_cond_finish(struct thread_cond *cond);
void thread_wait(struct thread_cond *cond, struct thread_mutex *mutex); // may return without a signal
void thread_signal(struct thread_cond *cond);
void thread_broadcast(struct thread_cond *cond);

// A lock for what is so short that many threads may come for it at once: who finds it taken looks at it, without
// changing it, for longer than it is ever held, and only then sleeps. A mutex puts them to sleep one behind the other.
//
// Letting go of it is a plain store unless somebody is seen to sleep: a locked operation costs more than all that most
// latches are held for. So who says that it will sleep between the look and the store is overlooked, and its word is
// overwritten. That is no harm to whose turn it is, as only who has the latch lets go of it; and such a sleeper looks
// again by itself after a moment, because nobody sleeps for a latch without an end.
struct thread_latch {
    atomic_uint state; // 0 free, 1 taken, 2 taken and somebody may sleep; all zero is a latch that is free
};

// The rare ways, never part of the common ones. The first takes a latch that was found taken, the second lets one of
// those look again that sleep for it.
__attribute__((noinline, cold)) void thread_latch_wait(struct thread_latch *latch);
__attribute__((noinline, cold)) void thread_latch_rouse(struct thread_latch *latch);

static inline bool thread_latch_try(struct thread_latch *latch)
{
    unsigned is_free = 0;
    return atomic_compare_exchange_strong_explicit(&latch->state, &is_free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

// By somebody: what must hold where the caller has it.
static inline bool thread_latch_is_taken(struct thread_latch *latch)
{
    return atomic_load_explicit(&latch->state, memory_order_relaxed) != 0;
}

static inline void thread_latch_lock(struct thread_latch *latch)
{
    if (__builtin_expect(!thread_latch_try(latch), 0)) {
        thread_latch_wait(latch);
    }
}

// By somebody: for assertions.
static inline bool thread_latch_is_held(struct thread_latch *latch)
{
    return atomic_load_explicit(&latch->state, memory_order_relaxed) != 0;
}

static inline void thread_latch_unlock(struct thread_latch *latch)
{
    assert(thread_latch_is_held(latch));
    bool may_be_awaited = atomic_load_explicit(&latch->state, memory_order_relaxed) != 1;
    atomic_store_explicit(&latch->state, 0, memory_order_release);
    if (may_be_awaited) {
        thread_latch_rouse(latch);
    }
}

// Sleeps unless |*word| has changed from |seen|; may return without a wake. Who wakes changes the word first.
void thread_sleep(atomic_uint *word, unsigned seen);
void thread_wake(atomic_uint *word, int count); // at most |count| of those that sleep

struct thread {
    pthread_t thread;
    bool is_started;
};

// The stack of every thread, whatever limit the process was given for its own: kernels may count on it.
enum { THREAD_STACK_SIZE = 8 << 20 };

// |name| (at most 15 characters) is what debuggers show.
rill_status thread_start(struct thread *thread, const char *name, void *(*body)(void *), void *arg);
void thread_join(struct thread *thread); // skips one that was never started

// Bytes of its stack that the calling thread has left; 0 if it runs on another's, a coroutine's for instance.
size_t thread_stack_left(void);

// What a program may have set for its thread and a kernel that runs there must neither see nor change: how floats round
// and underflow, which exceptions they have raised, errno.
struct thread_fenv {
    unsigned float_control;
    int error;
};

// Sets what a new thread of a plain program has. Threads of Rill's own need it too: a new thread inherits its maker's.
void thread_fenv_enter(struct thread_fenv *out_before);
void thread_fenv_leave(const struct thread_fenv *before);

// Tells the processor that this is a loop that waits.
void thread_relax(void);
// Lets another thread have the processor. What is waited for may be done by a thread that shares it.
void thread_yield(void);
// Where the calling thread runs; -1: nobody knows, or beyond THREAD_PROCESSORS.
enum { THREAD_PROCESSORS = 1024 };
int thread_processor(void);
// Moves the calling thread to a processor that it may use and that has no bit in |busy|, if there is one. Where it may
// run stays as it was.
void thread_move_from(const uint64_t busy[THREAD_PROCESSORS / 64]);

extern bool thread_checked; // see thread_is_checked()
void thread_publish_checked(void *address) __attribute__((cold));
void thread_observe_checked(void *address) __attribute__((cold));

static inline bool thread_is_checked(void) // the program is built with ThreadSanitizer
{
    return thread_checked;
}

static inline void thread_publish(void *address)
{
    if (thread_checked) {
        thread_publish_checked(address);
    }
}

static inline void thread_observe(void *address)
{
    if (thread_checked) {
        thread_observe_checked(address);
    }
}

#endif
