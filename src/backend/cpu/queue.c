// The pool's queue of jobs, and the one job that is reserved for a thread of the host.
//
// Jobs wait in levels, each first in, first out. Whoever adds one counts it, with sequential consistency, before it
// looks whether spinners, seats or sleepers are there to take it: see base/eventcount.h.
#include "backend/cpu/pool_parts.h"

#include "base/clock.h"
#include "base/hot.h"

// The lock is held.
static HOT void enqueue(struct cpu_pool *pool, struct cpu_pool_job *job, enum cpu_pool_push kind)
{
    assert(thread_latch_is_held(&pool->lock));
    assert(job->level >= 0 && job->level < POOL_LEVELS);
    assert(pool->last[job->level] != job); // it is in the queue at most once
    job->next = NULL;
    job->push = kind;
    pool->small_count += kind == POOL_PUSH_SMALL;
    if (pool->first[job->level] == NULL) {
        pool->first[job->level] = job;
    } else {
        pool->last[job->level]->next = job;
    }
    pool->last[job->level] = job;
    atomic_fetch_add(kind != POOL_PUSH_PLAIN ? &pool->offered : &pool->ready, 1);
    atomic_fetch_add_explicit(&pool->change_count, 1, memory_order_relaxed);
}

static HOT void push(struct cpu_pool *pool, struct cpu_pool_job *job, enum cpu_pool_push kind)
{
    if (pool->is_timed) {
        job->push_time = clock_now();
    }
    thread_latch_lock(&pool->lock);
    enqueue(pool, job, kind);
    sleep_unlock_and_wake(pool, kind == POOL_PUSH_OFFER ? sleep_choose_for_offers(pool, 1) : sleep_choose(pool, 1));
}

__attribute__((noinline)) void cpu_pool_push(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    push(pool, job, POOL_PUSH_PLAIN);
}

void cpu_pool_push_small(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    push(pool, job, POOL_PUSH_SMALL);
}

void cpu_pool_offer(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    push(pool, job, POOL_PUSH_OFFER);
}

// Nobody watches the job that was reserved.
static __attribute__((noinline)) void offer_back(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    if (cpu_pool_unreserve(pool, job)) {
        cpu_pool_offer(pool, job);
    }
}

// No job stays reserved while nobody watches it: the watcher is a poller as in base/eventcount.h.
HOT void cpu_pool_reserve(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    if (pool->is_fuzzed || pool->is_timed || atomic_load_explicit(&pool->watcher.count, memory_order_relaxed) == 0) {
        cpu_pool_offer(pool, job);
        return;
    }
    unsigned count = atomic_load_explicit(&pool->reserved_count, memory_order_relaxed);
    atomic_store_explicit(&pool->reserved_count, count + 1, memory_order_relaxed); // a guess will do
    struct cpu_pool_job *before = atomic_exchange(&pool->reserved, job);
    assert(before != job);
    if (before != NULL) {
        cpu_pool_push(pool, before);
    }
    if (UNLIKELY(!pollers_are_present(&pool->watcher))) {
        offer_back(pool, job);
    }
}

bool cpu_pool_unreserve(struct cpu_pool *pool, struct cpu_pool_job *job)
{
    return atomic_load_explicit(&pool->reserved, memory_order_relaxed) == job &&
           atomic_compare_exchange_strong(&pool->reserved, &job, NULL);
}

void queue_take_reserved(struct cpu_pool *pool)
{
    if (atomic_load(&pool->reserved) != NULL) {
        struct cpu_pool_job *job = atomic_exchange(&pool->reserved, NULL);
        if (job != NULL) {
            enqueue(pool, job, POOL_PUSH_PLAIN);
        }
    }
}

void queue_promote_small(struct cpu_pool *pool)
{
    assert(thread_latch_is_held(&pool->lock));
    if (pool->small_count == 0) {
        return;
    }
    for (int level = 0; level < POOL_LEVELS; level++) {
        for (struct cpu_pool_job *job = pool->first[level]; job != NULL; job = job->next) {
            job->push = job->push == POOL_PUSH_SMALL ? POOL_PUSH_OFFER : job->push;
        }
    }
    pool->small_count = 0;
}

void cpu_pool_promote_small(struct cpu_pool *pool)
{
    thread_latch_lock(&pool->lock);
    queue_promote_small(pool);
    sleep_unlock_and_call(pool, 1);
}

bool cpu_pool_has_work(struct cpu_pool *pool)
{
    return atomic_load_explicit(&pool->slots_open, memory_order_relaxed) != 0 || cpu_pool_job_count(pool) > 0;
}

// xorshift
uint64_t queue_random(struct cpu_pool *pool)
{
    assert(thread_latch_is_held(&pool->lock) && pool->schedule != 0);
    pool->schedule ^= pool->schedule << 13;
    pool->schedule ^= pool->schedule >> 7;
    pool->schedule ^= pool->schedule << 17;
    return pool->schedule;
}

void cpu_pool_fuzz_schedule(struct cpu_pool *pool, uint64_t seed)
{
    pool->is_fuzzed = seed != 0;
    pool->schedule = seed != 0 ? seed * UINT64_C(0x9e3779b97f4a7c15) | 1 : 0;
}

// A job has left the queue. The lock is held.
static void count_out(struct cpu_pool *pool, const struct cpu_pool_job *job)
{
    assert(job->push != POOL_PUSH_SMALL || pool->small_count > 0);
    pool->small_count -= job->push == POOL_PUSH_SMALL;
    atomic_fetch_sub_explicit(job->push != POOL_PUSH_PLAIN ? &pool->offered : &pool->ready, 1, memory_order_release);
}

void queue_unlink(struct cpu_pool *pool, struct cpu_pool_job *job, struct cpu_pool_job *before)
{
    assert(thread_latch_is_held(&pool->lock));
    assert(before != NULL ? before->next == job : pool->first[job->level] == job);
    if (before != NULL) {
        before->next = job->next;
    } else {
        pool->first[job->level] = job->next;
    }
    if (pool->last[job->level] == job) {
        pool->last[job->level] = before;
    }
    count_out(pool, job);
}

// Any job of any level. The lock is held.
static struct cpu_pool_job *pop_any(struct cpu_pool *pool)
{
    int count = cpu_pool_job_count(pool);
    int chosen = count > 0 ? (int)(queue_random(pool) % (uint64_t)count) : 0;
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct cpu_pool_job *before = NULL;
        for (struct cpu_pool_job *job = pool->first[level]; job != NULL; before = job, job = job->next) {
            if (chosen-- == 0) {
                queue_unlink(pool, job, before);
                return job;
            }
        }
    }
    return NULL;
}

struct cpu_pool_job *queue_pop(struct cpu_pool *pool)
{
    if (pool->schedule != 0) {
        return pop_any(pool);
    }
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct cpu_pool_job *job = pool->first[level];
        if (job != NULL) {
            queue_unlink(pool, job, NULL);
            return job;
        }
    }
    return NULL;
}
