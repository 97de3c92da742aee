// What the files of the pool share: queue.c, sleep.c, seats.c, spin.c, loop.c and pool.c. Nobody else includes it.
#ifndef RILL_BACKEND_CPU_POOL_PARTS_H
#define RILL_BACKEND_CPU_POOL_PARTS_H

#include "backend/cpu/pool.h"

#include <assert.h>

enum {
    SPIN_TIME =
        200 * 1000, // nanoseconds that a worker looks for work before it sleeps: several times what waking costs
    SPIN_LONG = 2500 * 1000, // the same while work comes at such intervals
};

// An arrow of the diagram in pool.h.
static inline void cpu_worker_change(struct cpu_worker *worker, enum cpu_worker_state from, enum cpu_worker_state to)
{
    assert(worker->state == from);
    (void)from;
    worker->state = to;
}

// ---- queue.c ------------------------------------------------------------------------------------------------------

// Takes |job|, which follows |before| in its level, out of the queue. The lock is held.
void queue_unlink(struct cpu_pool *pool, struct cpu_pool_job *job, struct cpu_pool_job *before);
struct cpu_pool_job *queue_pop(struct cpu_pool *pool); // NULL: it is empty. The lock is held
// A job that was reserved for the host is one like others from now on. The lock is held.
void queue_take_reserved(struct cpu_pool *pool);
// Small jobs are offered ones from now on: see cpu_pool_promote_small(). The lock is held.
void queue_promote_small(struct cpu_pool *pool);
uint64_t queue_random(struct cpu_pool *pool); // of the schedule fuzzer. The lock is held

// Whether there is work that is not left to anybody first.
static inline bool queue_is_urgent(struct cpu_pool *pool)
{
    return atomic_load(&pool->slots_open) != 0 || atomic_load(&pool->ready) > 0;
}

// ---- sleep.c ------------------------------------------------------------------------------------------------------

// How many of those who sleep should get up, at most |most|: there is more work than workers who spin. They are counted
// as coming; the caller lets go of the lock and then wakes them, by sleep_unlock_and_wake(). The lock is held.
int sleep_choose(struct cpu_pool *pool, int most);
// The same by a guest, or for one, which may be about to do the next thing itself.
int sleep_choose_for_offers(struct cpu_pool *pool, int most);
void sleep_unlock_and_wake(struct cpu_pool *pool, int count);
// Lets go of the lock and wakes at most |most| of those who sleep, if there is work for them.
void sleep_unlock_and_call(struct cpu_pool *pool, int most);
// Wakes another worker for what came while this one was a spinner, or had a seat, and was left to it.
void sleep_call_another(struct cpu_pool *pool);
// A spinner that found a loop calls others, if there is work for them. Cheap if nobody sleeps.
void sleep_call_from_spinner(struct cpu_pool *pool);
// Until the worker is woken, or the pool stops. The lock is held on entry and on return.
void sleep_for_work(struct cpu_pool *pool, struct cpu_worker *worker);
// Whether short loops come so often that who is woken for one will be awake for the next.
bool sleep_waking_pays(struct cpu_pool *pool);
bool sleep_may_spin(struct cpu_pool *pool); // there are not too many spinners yet, and a seat is free

// ---- seats.c ------------------------------------------------------------------------------------------------------

int seats_busy(struct cpu_pool *pool); // how many are taken
// Takes a seat that the pool's count need not know of. False: all are taken.
bool seats_find(struct cpu_pool *pool, struct cpu_worker *worker);
void seats_give_back(struct cpu_pool *pool, const struct cpu_worker *worker);
// A seat that was found is counted: from SEARCHING to WORKING.
static inline void seats_begin(struct cpu_pool *pool, struct cpu_worker *worker)
{
    int before = atomic_fetch_add(&pool->busy_count, 1);
    assert(before < pool->worker_count);
    (void)before;
    cpu_worker_change(worker, WORKER_SEARCHING, WORKER_WORKING);
}
// The same with a seat that it finds, and back. Work may be left to a free seat as to a poller (base/eventcount.h): so
// the caller looks for jobs after it has left.
bool seats_take(struct cpu_pool *pool, struct cpu_worker *worker); // false: all are taken
void seats_leave(struct cpu_pool *pool, struct cpu_worker *worker);
int seats_note_processor(struct cpu_pool *pool, const struct cpu_worker *worker); // where the worker runs now
// Whether another who works began on this worker's processor, and |busy|, where they all began. The system brings two
// threads to one processor when the one wakes the other, and may leave them there for as long as both work. The lock is
// held.
bool seats_share_processor(struct cpu_pool *pool, const struct cpu_worker *worker,
                           uint64_t busy[THREAD_PROCESSORS / 64]);

// ---- spin.c -------------------------------------------------------------------------------------------------------

// Polls for work, until there is some that needs the lock. False: it has done so for long. The caller then looks at the
// queue and at the job that is reserved, under the lock.
bool spin_for_work(struct cpu_pool *pool, struct cpu_worker *worker);
// From VISITING to WORKING, and back: see the diagram.
void spin_stop(struct cpu_pool *pool, struct cpu_worker *worker);
void spin_again(struct cpu_pool *pool, struct cpu_worker *worker);

// ---- loop.c -------------------------------------------------------------------------------------------------------

// Comes to an open loop, of |owner| unless that is NULL. NULL: there is none; but the worker may have ended one, with
// which loop_visit() goes on too. The worker has a seat. May be called with the lock held, loop_visit() not.
struct cpu_pool_slot *loop_enter(struct cpu_pool *pool, struct cpu_worker *worker, const void *owner);
void loop_visit(struct cpu_pool *pool, struct cpu_pool_slot *slot, struct cpu_worker *worker);
int loop_demand(struct cpu_pool *pool);   // how many more workers open loops have chunks for
int loop_visitors(struct cpu_pool *pool); // workers that are VISITING
// Whether the loop that was opened last has a share for the worker's own seat, or all may come. |served|: the value of
// |called| at its last visit, after which it has no share any more.
bool loop_calls(struct cpu_pool *pool, const struct cpu_worker *worker, unsigned served);

#endif
