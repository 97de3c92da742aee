// Pools by themselves, and what their tests have in common.
#ifndef TESTS_UNIT_POOLS_H
#define TESTS_UNIT_POOLS_H

#include "backend/cpu/pool.h"

#include "test.h"

#include <stddef.h>

static inline struct cpu_pool *make_pool(int worker_count)
{
    struct cpu_pool *pool = aligned_alloc(_Alignof(struct cpu_pool), sizeof *pool);
    memset(pool, 0, sizeof *pool);
    cpu_pool_init(pool, calloc((size_t)worker_count, sizeof(struct cpu_worker)), worker_count);
    return pool;
}

static inline void free_pool(struct cpu_pool *pool)
{
    struct cpu_worker *workers = pool->workers;
    cpu_pool_finish(pool);
    free(workers);
    free(pool);
}

// Who has run the last of a loop says so before it gets up: its seat is free a moment later.
static inline void wait_for_seats(struct cpu_pool *pool, int count)
{
    while (cpu_pool_free_seats(pool) != count) {
        usleep(100);
    }
}

// A loop whose chunks last until three threads are in it, or nobody has come for so long that nobody will: a busy
// machine may take seconds.
struct meeting {
    struct cpu_pool_loop loop;
    struct cpu_pool_job job;
    struct cpu_pool *pool;
    atomic_int present;
    atomic_int most;
    atomic_int done;
};

static inline void meet(struct meeting *own)
{
    int here = atomic_fetch_add(&own->present, 1) + 1;
    for (int i = 0; i < 200000 && atomic_load(&own->most) < 3; i++) {
        int most = atomic_load(&own->most);
        if (here > most) {
            atomic_compare_exchange_strong(&own->most, &most, here);
        }
        here = atomic_load(&own->present);
        usleep(100);
    }
    atomic_fetch_sub(&own->present, 1);
}

static inline void meeting_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    (void)worker;
    atomic_store(&((struct meeting *)loop)->done, 1);
}

#endif
