// What a worker does next, how a guest helps, and how the pool starts and ends.
#include "backend/cpu/pool_parts.h"

#include "base/hot.h"

#include <stddef.h>

// Runs a job or visits a loop, in a seat. The lock is held on entry and on return.
static void work(struct cpu_pool *pool, struct cpu_worker *worker, struct cpu_pool_job *job, struct cpu_pool_slot *slot)
{
    int wake = worker->guest != NULL ? sleep_choose_for_offers(pool, POOL_WAKE_AT_ONCE)
                                     : sleep_choose(pool, POOL_WAKE_AT_ONCE);
    int delay = pool->schedule != 0 && queue_random(pool) % 4 == 0 ? (int)(queue_random(pool) % 2000) : 0;
    uint64_t busy[THREAD_PROCESSORS / 64] = {0};
    bool must_move = seats_share_processor(pool, worker, busy) && (job != NULL || worker->was_woken);
    // Who was woken for the rest may have been put on the processor of the thread that woke it, and would wait there
    // for milliseconds while this one works.
    bool must_yield = worker->guest != NULL && pool->waking + wake > 0 && cpu_pool_has_work(pool);
    worker->was_woken = false;
    sleep_unlock_and_wake(pool, wake);
    if (must_yield) {
        thread_yield();
    }
    if (must_move) {
        thread_move_from(busy);
        seats_note_processor(pool, worker);
    }
    for (int i = 0; i < delay; i++) {
        thread_relax();
    }
    if (job != NULL) {
        worker->had_job = true;
        job->run(job, worker);
    } else {
        loop_visit(pool, slot, worker);
    }
    thread_latch_lock(&pool->lock);
    seats_leave(pool, worker);
}

// One piece of work, if there is any and a seat. The lock is held on entry and on return.
static bool work_once(struct cpu_pool *pool, struct cpu_worker *worker)
{
    if (!seats_take(pool, worker)) {
        return false;
    }
    bool is_loops_turn = worker->had_job;
    struct cpu_pool_slot *slot = is_loops_turn ? loop_enter(pool, worker, NULL) : NULL;
    struct cpu_pool_job *job = slot == NULL && worker->ended == NULL ? queue_pop(pool) : NULL;
    if (slot == NULL && job == NULL && !is_loops_turn) {
        slot = loop_enter(pool, worker, NULL);
    }
    if (job == NULL && slot == NULL && worker->ended == NULL) {
        seats_leave(pool, worker);
        return false;
    }
    worker->has_looked = false;
    work(pool, worker, job, slot);
    return true;
}

static bool is_among(const void *owner, const void *const *owners, int count)
{
    for (int i = 0; i < count; i++) {
        if (owners[i] == owner) {
            return true;
        }
    }
    return false;
}

// What a guest finds in the queue.
struct finding {
    struct cpu_pool_job *job; // the first of its owners; NULL: none
    struct cpu_pool_job *before;
    int others; // jobs of others, until there are more than seats
};

// The lock is held.
static struct finding look_through(struct cpu_pool *pool, const void *const *owners, int owner_count)
{
    struct finding found = {0};
    int seats = cpu_pool_free_seats(pool);
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct cpu_pool_job *before = NULL;
        for (struct cpu_pool_job *job = pool->first[level]; job != NULL; before = job, job = job->next) {
            if (!is_among(job->owner, owners, owner_count)) {
                if (++found.others >= seats) {
                    return found;
                }
            } else if (found.job == NULL) {
                found.job = job;
                found.before = before;
            }
        }
    }
    return found;
}

// A guest takes a seat only if one is left for each job of others: it takes nothing from them. The lock is held on
// entry and on return.
static bool help(struct cpu_pool *pool, struct cpu_worker *guest, const void *const *owners, int owner_count)
{
    if (pool->schedule != 0 && queue_random(pool) % 2 == 0) {
        return false;
    }
    struct finding found = look_through(pool, owners, owner_count);
    bool has_loops = atomic_load_explicit(&pool->slots_open, memory_order_relaxed) != 0;
    if ((found.job == NULL && !has_loops) || found.others >= cpu_pool_free_seats(pool) || !seats_take(pool, guest)) {
        return false;
    }
    struct cpu_pool_slot *slot = NULL;
    if (found.job != NULL) {
        queue_unlink(pool, found.job, found.before);
    }
    for (int i = 0; i < owner_count && found.job == NULL && slot == NULL && guest->ended == NULL; i++) {
        slot = loop_enter(pool, guest, owners[i]);
    }
    if (found.job == NULL && slot == NULL && guest->ended == NULL) {
        seats_leave(pool, guest);
        return false;
    }
    work(pool, guest, found.job, slot);
    return true;
}

bool cpu_pool_help(struct cpu_pool *pool, struct cpu_worker *guest, const void *const *owners, int owner_count)
{
    thread_latch_lock(&pool->lock);
    bool has_helped = help(pool, guest, owners, owner_count);
    if (!has_helped) {
        queue_promote_small(pool);
    }
    sleep_unlock_and_wake(pool, sleep_choose_for_offers(pool, 1));
    assert(guest->state == WORKER_SEARCHING && guest->ended == NULL);
    return has_helped;
}

// The guest is the only one that works. Else where others began must be looked at, under the lock.
static bool sit_down_alone(struct cpu_pool *pool, struct cpu_worker *guest)
{
    if (pool->is_fuzzed || cpu_pool_job_count(pool) > 0 || seats_busy(pool) > 0 || !seats_find(pool, guest)) {
        return false;
    }
    seats_begin(pool, guest);
    seats_note_processor(pool, guest);
    return true;
}

HOT FLAT bool cpu_pool_sit_down(struct cpu_pool *pool, struct cpu_worker *guest)
{
    if (sit_down_alone(pool, guest)) {
        return true;
    }
    thread_latch_lock(&pool->lock);
    bool may_sit = !pool->is_fuzzed && cpu_pool_job_count(pool) < cpu_pool_free_seats(pool) && seats_take(pool, guest);
    uint64_t busy[THREAD_PROCESSORS / 64] = {0};
    bool must_move = may_sit && seats_share_processor(pool, guest, busy);
    thread_latch_unlock(&pool->lock);
    if (must_move) {
        thread_move_from(busy);
        seats_note_processor(pool, guest);
    }
    return may_sit;
}

// A worker that found no seat for a job has gone to sleep again, and who pushed one may have woken nobody.
HOT FLAT void cpu_pool_get_up(struct cpu_pool *pool, struct cpu_worker *guest)
{
    seats_leave(pool, guest);
    if (queue_is_urgent(pool) || atomic_load(&pool->offered) > 0) {
        thread_latch_lock(&pool->lock);
        sleep_unlock_and_wake(pool, sleep_choose_for_offers(pool, 1));
    }
}

static void *run_worker(void *arg)
{
    struct cpu_worker *worker = arg;
    struct cpu_pool *pool = worker->pool;
    assert(worker->home == worker - pool->workers && worker->guest == NULL);
    struct thread_fenv inherited;
    thread_fenv_enter(&inherited);
    bool has_spun = false;
    thread_latch_lock(&pool->lock);
    while (!pool->stop) {
        bool may_look = !has_spun && sleep_may_spin(pool);
        bool looks_first = worker->has_looked && may_look; // so that what is offered stays so for its moment
        worker->has_looked = false;
        if (!looks_first && work_once(pool, worker)) {
            has_spun = false;
        } else if (may_look) {
            thread_latch_unlock(&pool->lock);
            has_spun = !spin_for_work(pool, worker); // who only came too late for work may spin again
            thread_latch_lock(&pool->lock);
            queue_take_reserved(pool);
        } else {
            sleep_for_work(pool, worker);
            has_spun = false;
            worker->was_woken = true;
        }
    }
    thread_latch_unlock(&pool->lock);
    return NULL;
}

void cpu_pool_init(struct cpu_pool *pool, struct cpu_worker *workers, int worker_count)
{
    assert(worker_count > 0 && worker_count <= POOL_MAX_WORKERS);
    pool->workers = workers;
    pool->worker_count = worker_count;
    for (int i = 0; i < worker_count; i++) {
        workers[i] = (struct cpu_worker){.pool = pool, .index = i, .home = i};
    }
}

static void count_started(struct cpu_pool *pool, int more)
{
    thread_latch_lock(&pool->lock);
    pool->started_count += more;
    thread_latch_unlock(&pool->lock);
}

// Without the pool's lock, which every new thread comes for at once: those that wait for it look at it again and again,
// and hundreds of them would keep this one from starting the rest.
rill_status cpu_pool_start(struct cpu_pool *pool)
{
    rill_status status = RILL_OK;
    thread_latch_lock(&pool->start_lock);
    while (pool->started_count < pool->worker_count && status == RILL_OK) {
        struct cpu_worker *worker = &pool->workers[pool->started_count];
        count_started(pool, 1);
        status = thread_start(&worker->thread, "rill-worker", run_worker, worker);
        if (status != RILL_OK) {
            count_started(pool, -1);
        }
    }
    bool is_usable = pool->started_count > 0;
    thread_latch_unlock(&pool->start_lock);
    return is_usable ? RILL_OK : status;
}

void cpu_pool_finish(struct cpu_pool *pool)
{
    thread_latch_lock(&pool->lock);
    pool->stop = true;
    atomic_fetch_add(&pool->ready, 1); // spinners come for this
    sleep_unlock_and_wake(pool, pool->worker_count);
    for (int i = 0; i < pool->worker_count; i++) {
        thread_join(&pool->workers[i].thread);
    }
    // Counts balance: nobody spins, sits, sleeps or is on its way.
    assert(atomic_load(&pool->spinners.count) == 0 && atomic_load(&pool->watcher.count) == 0);
    assert(atomic_load(&pool->busy_count) == 0 && atomic_load(&pool->sleeping) == 0);
    assert(atomic_load(&pool->wakeups.waiter_count) == 0);
}
