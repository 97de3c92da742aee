// Who of the pool's workers sleeps, and who is woken when there is work.
//
// Whoever adds work counts it first and then looks for spinners and free seats; whoever stops spinning or leaves a seat
// looks for work after that. Why no wake-up is lost: base/eventcount.h. Sleepers themselves are counted and chosen
// under the pool's lock: |sleeping| until somebody chooses them, |waking| from then until they come.
#include "backend/cpu/pool_parts.h"

#include "base/clock.h"
#include "base/hot.h"

static int spinning(struct cpu_pool *pool)
{
    return atomic_load(&pool->spinners.count) - loop_visitors(pool);
}

// How many more of those who sleep there is work for, if |demand| could be busy.
static HOT int wanted_sleepers(struct cpu_pool *pool, int demand)
{
    int seats = cpu_pool_free_seats(pool);
    return (demand < seats ? demand : seats) - spinning(pool);
}

// The lock is held.
static void note_sleep(struct cpu_pool *pool, bool all_sleep)
{
    if (pool->sleeps != NULL) {
        atomic_store_explicit(pool->sleeps, all_sleep, memory_order_relaxed);
    }
}

HOT int sleep_choose(struct cpu_pool *pool, int most)
{
    assert(thread_latch_is_held(&pool->lock));
    int sleeping = atomic_load_explicit(&pool->sleeping, memory_order_relaxed);
    if (sleeping == 0) {
        return 0;
    }
    int wanted = wanted_sleepers(pool, cpu_pool_job_count(pool) - pool->small_count + loop_demand(pool)) - pool->waking;
    wanted = wanted < most ? wanted : most;
    wanted = wanted < sleeping ? wanted : sleeping;
    if (wanted <= 0) {
        return 0;
    }
    atomic_store_explicit(&pool->sleeping, sleeping - wanted, memory_order_relaxed);
    pool->waking += wanted;
    assert(pool->waking <= pool->started_count);
    note_sleep(pool, false);
    return wanted;
}

// Whoever spins, or is coming to do so, will find what was offered. The lock is held.
static bool is_anybody_up(struct cpu_pool *pool)
{
    return pool->waking > 0 || spinning(pool) > 0;
}

HOT int sleep_choose_for_offers(struct cpu_pool *pool, int most)
{
    return !queue_is_urgent(pool) && is_anybody_up(pool) ? 0 : sleep_choose(pool, most);
}

HOT void sleep_unlock_and_wake(struct cpu_pool *pool, int count)
{
    assert(thread_latch_is_held(&pool->lock));
    thread_latch_unlock(&pool->lock);
    if (count > 0) {
        eventcount_notify(&pool->wakeups, count);
    }
}

void sleep_unlock_and_call(struct cpu_pool *pool, int most)
{
    sleep_unlock_and_wake(pool, most > 0 ? sleep_choose(pool, most) : 0);
}

void sleep_call_another(struct cpu_pool *pool)
{
    if (!queue_is_urgent(pool) && atomic_load(&pool->offered) == 0) {
        return;
    }
    thread_latch_lock(&pool->lock);
    sleep_unlock_and_call(pool, 1);
}

// False: nobody sleeps, or those who are up are as many as there are seats. Looks at lines that seldom change.
static bool may_want_sleepers(struct cpu_pool *pool)
{
    int up = atomic_load_explicit(&pool->spinners.count, memory_order_relaxed) +
             atomic_load_explicit(&pool->busy_count, memory_order_relaxed);
    return up < pool->worker_count && atomic_load_explicit(&pool->sleeping, memory_order_relaxed) > 0;
}

// Also for a job: whoever pushed one since the spinner looked may have left it to it.
void sleep_call_from_spinner(struct cpu_pool *pool)
{
    if (may_want_sleepers(pool) && wanted_sleepers(pool, cpu_pool_job_count(pool) + loop_demand(pool)) > 0) {
        thread_latch_lock(&pool->lock);
        sleep_unlock_and_call(pool, POOL_WAKE_AT_ONCE);
    }
}

// A worker was woken, and those who sleep have not slept for long: next time they spin for longer. By who is woken and
// not by who wakes, whose call it would make longer. The lock is held.
static void note_wake(struct cpu_pool *pool)
{
    if (!pool->is_frugal && !atomic_load_explicit(&pool->is_watchful, memory_order_relaxed) &&
        clock_now() - pool->slept_time < SPIN_LONG - SPIN_TIME) {
        atomic_store_explicit(&pool->is_watchful, true, memory_order_relaxed);
    }
}

void sleep_for_work(struct cpu_pool *pool, struct cpu_worker *worker)
{
    assert(thread_latch_is_held(&pool->lock));
    cpu_worker_change(worker, WORKER_SEARCHING, WORKER_SLEEPING);
    int sleeping = atomic_fetch_add_explicit(&pool->sleeping, 1, memory_order_relaxed) + 1;
    note_sleep(pool, sleeping == pool->started_count);
    pool->slept_time = clock_now();
    while (pool->waking == 0 && !pool->stop) {
        unsigned key = eventcount_prepare(&pool->wakeups); // under the lock, as the check was
        thread_latch_unlock(&pool->lock);
        eventcount_commit(&pool->wakeups, key);
        thread_latch_lock(&pool->lock);
    }
    if (pool->waking > 0) { // who woke has taken it out of |sleeping|
        pool->waking--;
        note_wake(pool);
    } else {
        atomic_fetch_sub_explicit(&pool->sleeping, 1, memory_order_relaxed);
    }
    cpu_worker_change(worker, WORKER_SLEEPING, WORKER_SEARCHING);
}

bool sleep_waking_pays(struct cpu_pool *pool)
{
    uint64_t now = clock_now();
    uint64_t last = atomic_exchange_explicit(&pool->short_time, now, memory_order_relaxed);
    return now - last < (pool->is_frugal ? SPIN_TIME : SPIN_LONG);
}

// All workers but one may spin at once: the host's own thread needs a processor too. Fewer would leave the next short
// loop to those that are awake. Workers beyond the processors would only take turns.
static int spinner_limit(const struct cpu_pool *pool)
{
    bool has_spare = pool->processor_count > 0 && pool->processor_count < pool->worker_count;
    int most = has_spare ? pool->processor_count : pool->worker_count;
    return most > 1 ? most - 1 : 1;
}

bool sleep_may_spin(struct cpu_pool *pool)
{
    int spinners = atomic_load_explicit(&pool->spinners.count, memory_order_relaxed);
    return spinners < spinner_limit(pool) && cpu_pool_free_seats(pool) > 0;
}
