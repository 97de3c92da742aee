// Workers that poll for work before they sleep, and between two operations of a stream: waking a thread takes longer
// than most kernels. While there is a spinner nobody is woken for work that it can take: see base/eventcount.h.
#include "backend/cpu/pool_parts.h"

#include "base/clock.h"

enum {
    SPIN_PAUSE = 2,         // of thread_relax() between two looks for work
    SPIN_TURN = 64,         // looks before others get a turn
    SPIN_LOST = 100 * 1000, // between two turns: somebody else had the processor, who needs it more
    WATCH_TURN = 8,         // looks between two at the job that is reserved for the host
    WATCH_LOOKS = 3,        // for which it stays so
    CALL_PATIENCE = 20,     // looks at a loop that has a share for others
    OFFER_PAUSE = 8,        // of thread_relax() between two looks at what was offered
    OFFER_TIME = 1500,      // nanoseconds that a job is left to the host's thread that pushed it
    LINGER_PAUSE = 4,       // of thread_relax() between two looks of cpu_pool_linger()
    LINGER_TURN = 8,        // of these before others get a turn
};

static void relax(int count)
{
    for (int i = 0; i < count; i++) {
        thread_relax();
    }
}

void cpu_pool_linger(struct cpu_worker *worker, int rounds, bool (*has_come)(void *arg), void *arg)
{
    struct cpu_pool *pool = worker->pool;
    if (pool->is_alone) {
        return;
    }
    cpu_worker_change(worker, WORKER_WORKING, WORKER_LINGERING);
    pollers_enter(&pool->spinners);
    for (int i = 1; i <= rounds && !has_come(arg) && !cpu_pool_has_work(pool); i++) {
        if (i % LINGER_TURN == 0) {
            thread_yield();
        }
        relax(LINGER_PAUSE);
    }
    worker->has_looked = !has_come(arg);
    cpu_worker_change(worker, WORKER_LINGERING, WORKER_WORKING);
    pollers_leave(&pool->spinners);
    sleep_call_another(pool);
}

void spin_stop(struct cpu_pool *pool, struct cpu_worker *worker)
{
    cpu_worker_change(worker, WORKER_VISITING, WORKER_WORKING);
    atomic_fetch_add(&pool->busy_count, 1);
    pollers_leave(&pool->spinners);
    sleep_call_another(pool);
}

void spin_again(struct cpu_pool *pool, struct cpu_worker *worker)
{
    cpu_worker_change(worker, WORKER_WORKING, WORKER_VISITING);
    pollers_enter(&pool->spinners);
    atomic_fetch_sub(&pool->busy_count, 1); // a spinner by now: it looks for work itself
}

// Goes to a loop that is open without taking the lock, where no job waits. The worker stays a spinner all the time, and
// goes on spinning afterwards: so whoever adds work and sees it is right to wake nobody. False: it came too late, or
// found no seat.
static bool visit_at_once(struct cpu_pool *pool, struct cpu_worker *worker)
{
    if (!seats_find(pool, worker)) {
        return false;
    }
    cpu_worker_change(worker, WORKER_SPINNING, WORKER_VISITING);
    struct cpu_pool_slot *slot = loop_enter(pool, worker, NULL);
    bool has_work = slot != NULL || worker->ended != NULL;
    if (has_work) {
        seats_note_processor(pool, worker);
        worker->has_looked = false;
        sleep_call_from_spinner(pool);
        loop_visit(pool, slot, worker);
    }
    cpu_worker_change(worker, WORKER_VISITING, WORKER_SPINNING);
    seats_give_back(pool, worker);
    return has_work;
}

// How long a worker that has nothing to do spins.
static uint64_t spin_time(struct cpu_pool *pool)
{
    return atomic_load_explicit(&pool->is_watchful, memory_order_relaxed) ? SPIN_LONG : SPIN_TIME;
}

struct spin {
    uint64_t end;    // when it has lasted for long
    uint64_t last;   // when others last had a turn
    int patience;    // looks for which the loop that is open is left to others
    unsigned served; // the loop that was visited last; see loop_calls()
    bool has_seen;   // others had work since the last turn: more will come
    bool is_watcher;
    unsigned watched; // jobs that had been reserved at the last look
    int watch_count;  // looks at the same one
};

static void begin_spin(struct cpu_pool *pool, struct spin *spin)
{
    spin->last = clock_now();
    spin->end = spin->last + spin_time(pool);
    spin->patience = CALL_PATIENCE;
    spin->has_seen = false;
}

// Lets others have a turn. False: the worker has spun for long, or others need the processor.
static bool take_turn(struct cpu_pool *pool, struct spin *spin)
{
    uint64_t now = clock_now();
    if (spin->has_seen) {
        spin->end = now + spin_time(pool);
        spin->has_seen = false;
    }
    if (now >= spin->end || now - spin->last >= SPIN_LOST) {
        atomic_store_explicit(&pool->is_watchful, false, memory_order_relaxed);
        return false;
    }
    spin->last = now;
    thread_yield();
    return true;
}

// One of the spinners looks at the job that is reserved. False: it is not left to the host any more.
static bool watch(struct cpu_pool *pool, struct spin *spin)
{
    if (!spin->is_watcher) {
        if (!pollers_enter_alone(&pool->watcher)) {
            return true;
        }
        spin->is_watcher = true;
    }
    unsigned count = atomic_load_explicit(&pool->reserved_count, memory_order_relaxed);
    if (count != spin->watched) {
        spin->watched = count;
        spin->watch_count = 0;
        spin->has_seen = true;
        return true;
    }
    return atomic_load_explicit(&pool->reserved, memory_order_relaxed) == NULL || ++spin->watch_count < WATCH_LOOKS;
}

// False: a job is reserved that must not stay so.
static bool stop_watching(struct cpu_pool *pool, struct spin *spin)
{
    if (!spin->is_watcher) {
        return true;
    }
    spin->is_watcher = false;
    pollers_leave(&pool->watcher);
    return atomic_load(&pool->reserved) == NULL;
}

// Leaves what was offered to who offered it, for a moment. True: it is still there.
static bool outlasts_offer(struct cpu_pool *pool)
{
    uint64_t end = clock_now() + OFFER_TIME;
    do {
        relax(OFFER_PAUSE);
        if (queue_is_urgent(pool)) {
            return true;
        }
        if (atomic_load_explicit(&pool->offered, memory_order_relaxed) == 0) {
            return false;
        }
    } while (clock_now() < end);
    return true;
}

// Deals with an open loop. False: there is something that needs the lock.
static bool look_at_loop(struct cpu_pool *pool, struct cpu_worker *worker, struct spin *spin)
{
    spin->has_seen = true;
    if (spin->patience > 0 && !loop_calls(pool, worker, spin->served)) {
        spin->patience--;
        return true;
    }
    if (pool->is_fuzzed || cpu_pool_job_count(pool) > 0 || !stop_watching(pool, spin)) {
        return false;
    }
    unsigned called = atomic_load_explicit(&pool->called, memory_order_relaxed);
    if (visit_at_once(pool, worker)) {
        begin_spin(pool, spin);
        spin->served = called;
    }
    return true;
}

bool spin_for_work(struct cpu_pool *pool, struct cpu_worker *worker)
{
    struct spin spin = {.is_watcher = false};
    bool is_patient = !pool->is_alone;
    cpu_worker_change(worker, WORKER_SEARCHING, WORKER_SPINNING);
    pollers_enter(&pool->spinners);
    begin_spin(pool, &spin);
    for (int i = 1; is_patient; i++) {
        if (atomic_load_explicit(&pool->ready, memory_order_acquire) > 0) {
            break;
        }
        if (atomic_load_explicit(&pool->slots_open, memory_order_acquire) != 0) {
            if (!look_at_loop(pool, worker, &spin)) {
                break;
            }
        } else if (atomic_load_explicit(&pool->offered, memory_order_acquire) > 0) {
            if (outlasts_offer(pool)) {
                if (!queue_is_urgent(pool)) {
                    break;
                }
                continue;
            }
            spin.has_seen = true;
        } else {
            spin.patience = CALL_PATIENCE;
        }
        if (i % WATCH_TURN == 0 && !watch(pool, &spin)) {
            break;
        }
        is_patient = i % SPIN_TURN != 0 || take_turn(pool, &spin);
        relax(SPIN_PAUSE);
    }
    stop_watching(pool, &spin);
    cpu_worker_change(worker, WORKER_SPINNING, WORKER_SEARCHING);
    pollers_leave(&pool->spinners);
    return is_patient;
}
