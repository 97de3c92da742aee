#include "backend/cpu/pool.h"

#include "base/clock.h"

#include <stddef.h>

enum { SPIN_TURN = 32 };     // of thread_relax() before others get a turn
enum { LINGER_PAUSE = 4 };   // of thread_relax() between two looks
enum { SPIN_ROUNDS = 2000 }; // of thread_relax(): some tens of microseconds, about what waking a thread costs

// ---- shares -------------------------------------------------------------------------------------------------------

static uint64_t range_of(uint32_t begin, uint32_t end)
{
    return (uint64_t)end << 32 | begin;
}

// Takes the first chunk of a share.
static bool take_first(struct pool_share *share, uint32_t *out_chunk)
{
    uint64_t range = atomic_load_explicit(&share->range, memory_order_acquire);
    while ((uint32_t)range < (uint32_t)(range >> 32)) {
        *out_chunk = (uint32_t)range;
        if (atomic_compare_exchange_weak_explicit(&share->range, &range, range + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

// Takes the second half of a share, at least one chunk: the first of them is the thief's, the rest becomes its own
// share, which is empty. A range never comes back to a share it has left, because its first chunk has been taken by
// then; so a compare-and-swap cannot mistake an old range for a new one.
static bool take_half(struct pool_share *victim, struct pool_share *own, uint32_t *out_chunk)
{
    uint64_t range = atomic_load_explicit(&victim->range, memory_order_acquire);
    for (;;) {
        uint32_t begin = (uint32_t)range;
        uint32_t end = (uint32_t)(range >> 32);
        if (begin >= end) {
            return false;
        }
        uint32_t middle = begin + (end - begin) / 2;
        if (atomic_compare_exchange_weak_explicit(&victim->range, &range, range_of(begin, middle), memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *out_chunk = middle;
            if (middle + 1 < end) {
                atomic_store_explicit(&own->range, range_of(middle + 1, end), memory_order_release);
            }
            return true;
        }
    }
}

static bool take_chunk(struct pool *pool, struct pool_loop *loop, int index, uint32_t *out_chunk)
{
    if (take_first(&loop->shares[index], out_chunk)) {
        return true;
    }
    for (int i = 1; i < pool->worker_count; i++) {
        int victim = (index + i) % pool->worker_count;
        if (take_half(&loop->shares[victim], &loop->shares[index], out_chunk)) {
            return true;
        }
    }
    return false;
}

// ---- loops --------------------------------------------------------------------------------------------------------

// The lock is held.
static void open_loop(struct pool *pool, struct pool_loop *loop)
{
    if (pool->loops == NULL) {
        loop->next = loop;
        loop->previous = loop;
        pool->loops = loop;
    } else {
        loop->next = pool->loops;
        loop->previous = pool->loops->previous;
        loop->previous->next = loop;
        loop->next->previous = loop;
    }
    loop->is_open = true;
    atomic_fetch_add(&pool->ready, 1); // before |spinning| is looked at: see pool_linger()
}

// The lock is held.
static void close_loop(struct pool *pool, struct pool_loop *loop)
{
    if (!loop->is_open) {
        return;
    }
    if (loop->next == loop) {
        pool->loops = NULL;
    } else {
        loop->previous->next = loop->next;
        loop->next->previous = loop->previous;
        if (pool->loops == loop) {
            pool->loops = loop->next;
        }
    }
    loop->is_open = false;
    atomic_fetch_sub_explicit(&pool->ready, 1, memory_order_release);
}

// Whether somebody who sleeps should get up: there is work, and nobody who looks for it. The lock is held.
static bool wants_more_workers(const struct pool *pool)
{
    return pool->sleeping > 0 && atomic_load_explicit(&pool->ready, memory_order_relaxed) > pool->small_count &&
           atomic_load(&pool->spinning) == 0;
}

static bool has_chunks(const struct pool *pool, const struct pool_loop *loop)
{
    for (int i = 0; i < pool->worker_count; i++) {
        uint64_t range = atomic_load_explicit(&loop->shares[i].range, memory_order_acquire);
        if ((uint32_t)range < (uint32_t)(range >> 32)) {
            return true;
        }
    }
    return false;
}

// True if all chunks that could be taken were, false if a job waits and the worker may leave.
static bool run_chunks(struct pool *pool, struct pool_loop *loop, struct pool_worker *worker, bool may_leave)
{
    uint32_t chunk;
    while (take_chunk(pool, loop, worker->index, &chunk)) {
        loop->body(loop, chunk, worker);
        if (may_leave && atomic_load_explicit(&pool->job_count, memory_order_relaxed) > 0) {
            return false;
        }
    }
    return true;
}

// Runs chunks until none is left, or a job waits. True if nothing of the loop is left and nobody else is in it.
//
// No chunk may stay behind when the loop is over. A worker holds chunks that others do not see only between taking half
// of a share and making the rest its own, and it is in the loop then. So a loop is closed only when, under the lock,
// every share is empty; and a worker may leave chunks of its own behind only in a loop that is open, to be found by
// others.
static bool visit_loop(struct pool *pool, struct pool_loop *loop, struct pool_worker *worker)
{
    bool may_leave = true;
    for (;;) {
        bool is_used_up = run_chunks(pool, loop, worker, may_leave);
        thread_lock(&pool->lock);
        bool must_go_on = is_used_up ? loop->is_open && has_chunks(pool, loop) : !loop->is_open;
        if (!must_go_on) {
            if (is_used_up) {
                close_loop(pool, loop);
            }
            break;
        }
        may_leave = loop->is_open;
        thread_unlock(&pool->lock);
    }
    bool is_last = --loop->visitor_count == 0 && !loop->is_open;
    thread_unlock(&pool->lock);
    worker->had_job = false;
    return is_last;
}

bool pool_run_loop(struct pool *pool, struct pool_loop *loop, uint32_t chunk_count, struct pool_worker *worker)
{
    uint64_t count = (uint64_t)pool->worker_count;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t begin = (uint32_t)(chunk_count * i / count);
        uint32_t end = (uint32_t)(chunk_count * (i + 1) / count);
        atomic_store_explicit(&loop->shares[i].range, range_of(begin, end), memory_order_relaxed);
    }
    thread_lock(&pool->lock);
    loop->visitor_count = 1;
    open_loop(pool, loop);
    bool wake = wants_more_workers(pool);
    thread_unlock(&pool->lock);
    if (wake) {
        thread_signal(&pool->wake);
    }
    return visit_loop(pool, loop, worker);
}

// ---- jobs ---------------------------------------------------------------------------------------------------------

static void push(struct pool *pool, struct pool_job *job, bool is_small)
{
    if (pool->is_timed) {
        job->push_time = clock_now();
    }
    thread_lock(&pool->lock);
    job->next = NULL;
    job->is_small = is_small;
    pool->small_count += is_small;
    if (pool->first[job->level] == NULL) {
        pool->first[job->level] = job;
    } else {
        pool->last[job->level]->next = job;
    }
    pool->last[job->level] = job;
    atomic_fetch_add(&pool->ready, 1); // before |spinning| is looked at: see pool_linger()
    atomic_fetch_add_explicit(&pool->job_count, 1, memory_order_relaxed);
    bool wake = wants_more_workers(pool);
    thread_unlock(&pool->lock);
    if (wake) {
        thread_signal(&pool->wake);
    }
}

void pool_push(struct pool *pool, struct pool_job *job)
{
    push(pool, job, false);
}

void pool_push_small(struct pool *pool, struct pool_job *job)
{
    push(pool, job, true);
}

bool pool_has_jobs(struct pool *pool)
{
    return atomic_load_explicit(&pool->ready, memory_order_relaxed) > 0;
}

// xorshift. The lock is held.
static uint64_t next_random(struct pool *pool)
{
    pool->schedule ^= pool->schedule << 13;
    pool->schedule ^= pool->schedule >> 7;
    pool->schedule ^= pool->schedule << 17;
    return pool->schedule;
}

void pool_fuzz_schedule(struct pool *pool, uint64_t seed)
{
    pool->schedule = seed != 0 ? seed * UINT64_C(0x9e3779b97f4a7c15) | 1 : 0;
}

// A job has left the queue. The lock is held.
static void count_out(struct pool *pool, const struct pool_job *job)
{
    pool->small_count -= job->is_small;
    atomic_fetch_sub_explicit(&pool->ready, 1, memory_order_release);
    atomic_fetch_sub_explicit(&pool->job_count, 1, memory_order_relaxed);
}

// Any job of any level. The lock is held.
static struct pool_job *pop_any_job(struct pool *pool)
{
    int count = 0;
    for (int level = 0; level < POOL_LEVELS; level++) {
        for (struct pool_job *job = pool->first[level]; job != NULL; job = job->next) {
            count++;
        }
    }
    int chosen = count > 0 ? (int)(next_random(pool) % (uint64_t)count) : 0;
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct pool_job *before = NULL;
        for (struct pool_job *job = pool->first[level]; job != NULL; before = job, job = job->next) {
            if (chosen-- > 0) {
                continue;
            }
            if (before != NULL) {
                before->next = job->next;
            } else {
                pool->first[level] = job->next;
            }
            if (pool->last[level] == job) {
                pool->last[level] = before;
            }
            count_out(pool, job);
            return job;
        }
    }
    return NULL;
}

// The lock is held.
static struct pool_job *pop_job(struct pool *pool)
{
    if (pool->schedule != 0) {
        return pop_any_job(pool);
    }
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct pool_job *job = pool->first[level];
        if (job != NULL) {
            pool->first[level] = job->next;
            count_out(pool, job);
            return job;
        }
    }
    return NULL;
}

// ---- workers ------------------------------------------------------------------------------------------------------

static void spin_for_work(struct pool *pool)
{
    atomic_fetch_add_explicit(&pool->spinning, 1, memory_order_relaxed);
    int rounds = pool->is_alone ? 0 : SPIN_ROUNDS;
    for (int i = 1; i <= rounds && atomic_load_explicit(&pool->ready, memory_order_acquire) == 0; i++) {
        thread_relax();
        if (i % SPIN_TURN == 0) {
            thread_yield();
        }
    }
    // Whoever adds work and still sees a spinner wakes nobody; so the queue is looked at again, under the lock, after
    // this.
    atomic_fetch_sub_explicit(&pool->spinning, 1, memory_order_relaxed);
}

void pool_linger(struct pool *pool, int rounds, bool (*has_come)(void *arg), void *arg)
{
    if (pool->is_alone) {
        return;
    }
    atomic_fetch_add_explicit(&pool->spinning, 1, memory_order_relaxed);
    for (int i = 1; i <= rounds && !has_come(arg); i++) {
        if (atomic_load_explicit(&pool->ready, memory_order_relaxed) > 0) {
            break;
        }
        if (i % (SPIN_TURN / LINGER_PAUSE) == 0) {
            thread_yield();
        }
        for (int k = 0; k < LINGER_PAUSE; k++) {
            thread_relax();
        }
    }
    // Work that came meanwhile woke nobody, and this worker may be about to do something else. Who adds work counts it
    // and then looks for spinners; this is the other way round, so that one of the two sees the other.
    atomic_fetch_sub(&pool->spinning, 1);
    if (atomic_load(&pool->ready) == 0) {
        return;
    }
    thread_lock(&pool->lock);
    bool wake = wants_more_workers(pool);
    thread_unlock(&pool->lock);
    if (wake) {
        thread_signal(&pool->wake);
    }
}

// One piece of work, if there is any. The lock is held on entry and on return.
static bool work_once(struct pool *pool, struct pool_worker *worker)
{
    bool is_loops_turn = worker->had_job && pool->loops != NULL;
    struct pool_job *job = is_loops_turn ? NULL : pop_job(pool);
    struct pool_loop *loop = NULL;
    if (job == NULL) {
        loop = pool->loops;
        if (loop == NULL) {
            return false;
        }
        pool->loops = loop->next; // the next visitor looks at another one first
        loop->visitor_count++;
    }
    bool wake = wants_more_workers(pool);
    int delay = pool->schedule != 0 && next_random(pool) % 4 == 0 ? (int)(next_random(pool) % 2000) : 0;
    thread_unlock(&pool->lock);
    if (wake) {
        thread_signal(&pool->wake);
    }
    for (int i = 0; i < delay; i++) {
        thread_relax();
    }
    if (job != NULL) {
        worker->had_job = true;
        job->run(job, worker);
    } else if (visit_loop(pool, loop, worker)) {
        loop->over(loop, worker);
    }
    thread_lock(&pool->lock);
    return true;
}

// All workers but one may look for work at once: the host's own thread needs a processor too. Fewer would leave the
// next short loop to those that are awake.
static int spinner_limit(const struct pool *pool)
{
    return pool->worker_count > 1 ? pool->worker_count - 1 : 1;
}

static void *run_worker(void *arg)
{
    struct pool_worker *worker = arg;
    struct pool *pool = worker->pool;
    bool has_spun = false;
    thread_lock(&pool->lock);
    while (!pool->stop) {
        if (work_once(pool, worker)) {
            has_spun = false;
        } else if (!has_spun && atomic_load(&pool->spinning) < spinner_limit(pool)) {
            thread_unlock(&pool->lock);
            spin_for_work(pool);
            thread_lock(&pool->lock);
            has_spun = true;
        } else {
            pool->sleeping++;
            thread_wait(&pool->wake, &pool->lock);
            pool->sleeping--;
            has_spun = false;
        }
    }
    thread_unlock(&pool->lock);
    return NULL;
}

void pool_init(struct pool *pool, struct pool_worker *workers, int worker_count)
{
    thread_mutex_init(&pool->lock);
    thread_cond_init(&pool->wake);
    pool->workers = workers;
    pool->worker_count = worker_count;
    for (int i = 0; i < worker_count; i++) {
        workers[i] = (struct pool_worker){.pool = pool, .index = i};
    }
}

rill_status pool_start(struct pool *pool)
{
    rill_status status = RILL_OK;
    thread_lock(&pool->lock);
    while (pool->started_count < pool->worker_count) {
        struct pool_worker *worker = &pool->workers[pool->started_count];
        status = thread_start(&worker->thread, "rill-worker", run_worker, worker);
        if (status != RILL_OK) {
            break;
        }
        pool->started_count++;
    }
    bool is_usable = pool->started_count > 0;
    thread_unlock(&pool->lock);
    return is_usable ? RILL_OK : status;
}

void pool_finish(struct pool *pool)
{
    thread_lock(&pool->lock);
    pool->stop = true;
    thread_unlock(&pool->lock);
    thread_broadcast(&pool->wake);
    for (int i = 0; i < pool->worker_count; i++) {
        thread_join(&pool->workers[i].thread);
    }
    thread_cond_finish(&pool->wake);
    thread_mutex_finish(&pool->lock);
}
