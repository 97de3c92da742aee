// Seats: the right to run kernels. There are as many as the pool has workers, whoever sits there: a worker, or a guest
// in the place of one. What is kept for each worker, such as its share of a loop, belongs to the seat.
#include "backend/cpu/pool_parts.h"

#include "base/hot.h"

HOT int seats_busy(struct cpu_pool *pool)
{
    return atomic_load(&pool->busy_count) + loop_visitors(pool);
}

int cpu_pool_free_seats(struct cpu_pool *pool)
{
    return pool->worker_count - seats_busy(pool);
}

uint64_t cpu_pool_task_count(struct cpu_pool *pool)
{
    uint64_t count = 0;
    for (int i = 0; i < pool->worker_count; i++) {
        count += atomic_load_explicit(&pool->seats[i].task_count, memory_order_relaxed);
    }
    return count;
}

static bool take_this_seat(struct cpu_pool *pool, struct cpu_worker *worker, int seat)
{
    assert(seat >= 0 && seat < pool->worker_count);
    bool is_taken = false;
    if (atomic_load_explicit(&pool->seats[seat].is_taken, memory_order_relaxed) ||
        !atomic_compare_exchange_strong_explicit(&pool->seats[seat].is_taken, &is_taken, true, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return false;
    }
    worker->index = seat;
    thread_observe(&pool->workers[seat]); // what a seat has to itself goes to the next who sits there
    return true;
}

HOT bool seats_find(struct cpu_pool *pool, struct cpu_worker *worker)
{
    if (take_this_seat(pool, worker, worker->home)) {
        return true;
    }
    for (int seat = pool->worker_count - 1; seat >= 0; seat--) { // guests come from below, where homes begin
        if (take_this_seat(pool, worker, seat)) {
            return true;
        }
    }
    return false;
}

void seats_give_back(struct cpu_pool *pool, const struct cpu_worker *worker)
{
    assert(atomic_load_explicit(&pool->seats[worker->index].is_taken, memory_order_relaxed));
    thread_publish(&pool->workers[worker->index]);
    atomic_store_explicit(&pool->seats[worker->index].is_taken, false, memory_order_release);
}

bool seats_take(struct cpu_pool *pool, struct cpu_worker *worker)
{
    if (cpu_pool_free_seats(pool) <= 0 || !seats_find(pool, worker)) {
        return false;
    }
    seats_begin(pool, worker);
    return true;
}

void seats_leave(struct cpu_pool *pool, struct cpu_worker *worker)
{
    cpu_worker_change(worker, WORKER_WORKING, WORKER_SEARCHING);
    seats_give_back(pool, worker);
    int before = atomic_fetch_sub(&pool->busy_count, 1);
    assert(before > 0);
    (void)before;
}

int seats_note_processor(struct cpu_pool *pool, const struct cpu_worker *worker)
{
    int processor = thread_processor();
    atomic_store_explicit(&pool->seats[worker->index].processor, (short)processor, memory_order_relaxed);
    return processor;
}

bool seats_share_processor(struct cpu_pool *pool, const struct cpu_worker *worker,
                           uint64_t busy[THREAD_PROCESSORS / 64])
{
    assert(thread_latch_is_held(&pool->lock));
    int own = seats_note_processor(pool, worker);
    if (pool->is_alone || own < 0 || seats_busy(pool) < 2) {
        return false;
    }
    bool is_shared = false;
    for (int seat = 0; seat < pool->worker_count; seat++) {
        int processor = atomic_load_explicit(&pool->seats[seat].processor, memory_order_relaxed);
        bool is_taken =
            seat != worker->index && atomic_load_explicit(&pool->seats[seat].is_taken, memory_order_relaxed);
        if (is_taken && processor >= 0) {
            busy[processor / 64] |= UINT64_C(1) << processor % 64;
            is_shared |= processor == own;
        }
    }
    return is_shared;
}
