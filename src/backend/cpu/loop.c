// Loops of the pool: chunks in shares, and the slots through which workers come and go.
//
// An open loop stands in a slot. Who comes adds itself to the slot's state, works, and takes itself out: one atomic
// operation each way and no lock, so that a loop of a few microseconds is not spent on waiting in line. A slot is the
// pool's own memory: who comes too late finds a number that has changed and goes away again.
//
// The state: visitors, whether a loop is open there, whether its chunks are used up, and how many loops there were.
// Chunks that were used up stay so. So whoever leaves as the last one after that ends the loop; and the count of loops
// makes sure that it is one, even if another came too late and left in between.
//
// A loop with fewer chunks than the pool has workers has shares for as many seats as it has chunks, beginning with the
// first seat or with its opener's. Who looks for work and has none of them leaves the loop to those for a moment, so
// that a loop of a few microseconds is not spent on threads that come and find nothing. It is a hint: any may come.
//
// Where each share is one chunk, who has run its own leaves as long as the opener is there, and does not look for
// others, whose memory is likely to be in their caches: the opener stays, runs what was left, and says that all is used
// up.
//
// No chunk may stay behind. A worker holds chunks that others do not see only between taking half of a share and making
// the rest its own, and it is in the loop then. It may leave chunks of its own behind only while they are not used up,
// to be found by others: by who says that they are, at the latest, because that one looks once more afterwards.
#include "backend/cpu/pool_parts.h"

#include "base/clock.h"
#include "base/hot.h"

#include <stddef.h>

enum {
    LAST_LOOKS = 600,      // of who opened a loop, for those who are still in it
    LONG_LOOP = 60 * 1000, // nanoseconds of a loop by itself from which on sleepers are woken: waking takes half of it
};

static const uint64_t VISITORS = 0xffff;
static const uint64_t ONE_SPINNER = 0x10000; // beside a visitor: it is a spinner too, and VISITING
static const uint64_t OPEN = UINT64_C(1) << 32;
static const uint64_t USED_UP = UINT64_C(1) << 33;
static const uint64_t HAS_OPENER = UINT64_C(1) << 34; // who opened the loop is in it
static const uint64_t NEXT_LOOP = UINT64_C(1) << 35;

// ---- shares -------------------------------------------------------------------------------------------------------

static uint64_t range_of(uint32_t begin, uint32_t end)
{
    return (uint64_t)end << 32 | begin;
}

// Takes the first chunk of a share.
static bool take_first(struct cpu_pool_share *share, uint32_t *out_chunk)
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
static bool take_half(struct cpu_pool_share *victim, struct cpu_pool_share *own, uint32_t *out_chunk)
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

// The share that a seat begins with; -1: it has none.
static int share_of(const struct cpu_pool *pool, const struct cpu_pool_loop *loop, int seat)
{
    int share = seat - loop->first_seat;
    share += share < 0 ? pool->worker_count : 0;
    return share < loop->share_count ? share : -1;
}

// Who has no share of its own takes single chunks only: where there are fewer shares than seats each has one chunk.
static bool take_others(const struct cpu_pool *pool, struct cpu_pool_loop *loop, int seat, uint32_t *out_chunk)
{
    int own = share_of(pool, loop, seat);
    int first = own >= 0 ? own : seat % loop->share_count;
    for (int i = own >= 0; i < loop->share_count; i++) {
        int victim = first + i < loop->share_count ? first + i : first + i - loop->share_count;
        if (take_half(&loop->shares[victim], own >= 0 ? &loop->shares[own] : NULL, out_chunk)) {
            return true;
        }
    }
    return false;
}

static bool take_own(const struct cpu_pool *pool, struct cpu_pool_loop *loop, int seat, uint32_t *out_chunk)
{
    int own = share_of(pool, loop, seat);
    return own >= 0 && take_first(&loop->shares[own], out_chunk);
}

static void divide(const struct cpu_pool *pool, struct cpu_pool_loop *loop, uint32_t chunk_count, int opener)
{
    uint64_t seats = (uint64_t)pool->worker_count;
    uint64_t count = chunk_count < seats ? chunk_count : seats;
    assert(chunk_count > 0 && opener >= 0 && opener < pool->worker_count);
    loop->share_count = (int)count;
    loop->first_seat = opener < loop->share_count ? 0 : opener;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t begin = (uint32_t)(chunk_count * i / count);
        uint32_t end = (uint32_t)(chunk_count * (i + 1) / count);
        atomic_store_explicit(&loop->shares[i].range, range_of(begin, end), memory_order_relaxed);
    }
}

// ---- slots --------------------------------------------------------------------------------------------------------

static uint64_t bit_of(const struct cpu_pool *pool, const struct cpu_pool_slot *slot)
{
    return UINT64_C(1) << (slot - pool->slots);
}

// The caller is the loop's first visitor. NULL: every slot is taken. The lock is held.
static struct cpu_pool_slot *open_slot(struct cpu_pool *pool, struct cpu_pool_loop *loop)
{
    assert(thread_latch_is_held(&pool->lock));
    uint64_t taken = atomic_load_explicit(&pool->slots_taken, memory_order_acquire);
    if (taken == UINT64_MAX) {
        return NULL;
    }
    struct cpu_pool_slot *slot = &pool->slots[__builtin_ctzll(~taken)];
    atomic_fetch_or_explicit(&pool->slots_taken, bit_of(pool, slot), memory_order_relaxed);
    atomic_store_explicit(&slot->loop, loop, memory_order_relaxed);
    atomic_store_explicit(&slot->owner, loop->owner, memory_order_relaxed);
    atomic_store_explicit(&slot->chunk_count, loop->chunk_count, memory_order_relaxed);
    atomic_store_explicit(&slot->is_short, loop->is_short, memory_order_relaxed);
    unsigned count = atomic_fetch_add_explicit(&pool->change_count, 1, memory_order_relaxed);
    atomic_store_explicit(&pool->called, count << 21 | (unsigned)loop->first_seat << 11 | (unsigned)loop->share_count,
                          memory_order_relaxed);
    atomic_fetch_or(&pool->slots_open, bit_of(pool, slot)); // before spinners are counted: see base/eventcount.h
    // After its bit: who has seen that of the loop before comes now, may take every chunk, and takes the bit away.
    atomic_fetch_add_explicit(&slot->state, OPEN + HAS_OPENER + 1,
                              memory_order_acq_rel); // others may be about to leave
    return slot;
}

// Says that no chunk is left to be taken, once. True: the caller did, and must look again.
static bool close_slot(struct cpu_pool *pool, struct cpu_pool_slot *slot)
{
    if ((atomic_load_explicit(&slot->state, memory_order_acquire) & USED_UP) != 0 ||
        (atomic_fetch_or_explicit(&slot->state, USED_UP, memory_order_acq_rel) & USED_UP) != 0) {
        return false;
    }
    atomic_fetch_and_explicit(&pool->slots_open, ~bit_of(pool, slot), memory_order_release);
    return true;
}

// What a visitor adds to the state of a slot, and takes away again.
static uint64_t presence_of(const struct cpu_worker *worker, bool is_opener)
{
    return (worker->state == WORKER_VISITING ? ONE_SPINNER + 1 : 1) + (is_opener ? HAS_OPENER : 0);
}

// The loop that ends with this, or NULL.
static struct cpu_pool_loop *leave_slot(struct cpu_pool *pool, struct cpu_pool_slot *slot, uint64_t presence)
{
    uint64_t state = atomic_fetch_sub_explicit(&slot->state, presence, memory_order_acq_rel) - presence;
    assert((state & VISITORS) < VISITORS); // it was among them
    if ((state & (VISITORS | OPEN | USED_UP)) != (OPEN | USED_UP)) {
        return NULL;
    }
    struct cpu_pool_loop *loop = atomic_load_explicit(&slot->loop, memory_order_relaxed);
    uint64_t next = (state & ~(OPEN | USED_UP)) + NEXT_LOOP; // its opener has left
    if (!atomic_compare_exchange_strong_explicit(&slot->state, &state, next, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        return NULL; // somebody came too late and has not left yet, or has, and saw the same
    }
    atomic_fetch_and_explicit(&pool->slots_taken, ~bit_of(pool, slot), memory_order_release);
    return loop;
}

// Leaves unless the loop's chunks are used up, and only while the opener is there if it is |to_opener| that they are
// left.
static bool leave_early(struct cpu_pool_slot *slot, uint64_t presence, bool to_opener)
{
    uint64_t needed = to_opener ? HAS_OPENER : 0;
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    while ((state & USED_UP) == 0 && (state & needed) == needed) {
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state - presence, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

struct cpu_pool_slot *loop_enter(struct cpu_pool *pool, struct cpu_worker *worker, const void *owner)
{
    uint64_t open = atomic_load_explicit(&pool->slots_open, memory_order_acquire);
    if (owner == NULL && open != 0) { // each begins with another one
        int turn = (int)(worker->turn++ % POOL_SLOTS);
        uint64_t after = open & (UINT64_MAX << turn);
        open = after != 0 ? after : open;
    }
    for (; open != 0; open &= open - 1) {
        struct cpu_pool_slot *slot = &pool->slots[__builtin_ctzll(open)];
        if (owner != NULL && atomic_load_explicit(&slot->owner, memory_order_relaxed) != owner) {
            continue;
        }
        uint64_t state = atomic_fetch_add_explicit(&slot->state, presence_of(worker, false), memory_order_acq_rel);
        bool is_open = (state & (OPEN | USED_UP)) == OPEN;
        if (is_open && (owner == NULL || atomic_load_explicit(&slot->owner, memory_order_relaxed) == owner)) {
            return slot;
        }
        worker->ended = leave_slot(
            pool, slot, presence_of(worker, false)); // it came too late, and may be the last to leave all the same
        if (worker->ended != NULL) {
            return NULL;
        }
    }
    return NULL;
}

HOT int loop_demand(struct cpu_pool *pool)
{
    uint64_t open = atomic_load_explicit(&pool->slots_open, memory_order_relaxed);
    if (open == 0) {
        return 0;
    }
    const struct cpu_pool_slot *slot = &pool->slots[__builtin_ctzll(open)];
    int visitors = (int)(atomic_load_explicit(&slot->state, memory_order_relaxed) & VISITORS);
    int wanted = atomic_load_explicit(&slot->is_short, memory_order_relaxed)
                     ? 0
                     : atomic_load_explicit(&slot->chunk_count, memory_order_relaxed) - visitors;
    return (open & (open - 1)) != 0 ? pool->worker_count : wanted;
}

HOT int loop_visitors(struct cpu_pool *pool)
{
    int count = 0;
    uint64_t taken = atomic_load_explicit(&pool->slots_taken, memory_order_relaxed);
    for (; taken != 0; taken &= taken - 1) {
        uint64_t state = atomic_load_explicit(&pool->slots[__builtin_ctzll(taken)].state, memory_order_relaxed);
        count += (int)(state / ONE_SPINNER & VISITORS);
    }
    return count;
}

bool loop_calls(struct cpu_pool *pool, const struct cpu_worker *worker, unsigned served)
{
    uint64_t open = atomic_load_explicit(&pool->slots_open, memory_order_relaxed);
    unsigned called = atomic_load_explicit(&pool->called, memory_order_relaxed);
    int share_count = (int)(called & 0x7ff);
    if ((open & (open - 1)) != 0) {
        return true;
    }
    if (called == served || share_count >= pool->worker_count) {
        return called != served;
    }
    int share = worker->home - (int)(called >> 11 & 0x3ff);
    share += share < 0 ? pool->worker_count : 0;
    return share < share_count && !atomic_load_explicit(&pool->seats[worker->home].is_taken, memory_order_relaxed);
}

// ---- visiting -----------------------------------------------------------------------------------------------------

// Whether a job waits that the worker should do first. A guest does no jobs of others, but leaves its seat to who does.
static bool is_needed_elsewhere(struct cpu_pool *pool, const struct cpu_worker *worker)
{
    return cpu_pool_job_count(pool) > 0 && (worker->guest == NULL || cpu_pool_free_seats(pool) <= 0);
}

// Takes a chunk, if it |may_steal| and need be another's. Where all are used up nobody else has any.
static bool take_chunk(const struct cpu_pool *pool, const struct cpu_pool_slot *slot, struct cpu_pool_loop *loop,
                       int seat, bool may_steal, uint32_t *out_chunk)
{
    return take_own(pool, loop, seat, out_chunk) ||
           (may_steal && (atomic_load_explicit(&slot->state, memory_order_acquire) & USED_UP) == 0 &&
            take_others(pool, loop, seat, out_chunk));
}

// The loop is for sleepers too.
static void call_sleepers(struct cpu_pool *pool, struct cpu_pool_slot *slot)
{
    atomic_store_explicit(&slot->is_short, false, memory_order_relaxed);
    if (atomic_load_explicit(&pool->sleeping, memory_order_relaxed) > 0) {
        thread_latch_lock(&pool->lock);
        sleep_unlock_and_call(pool, POOL_WAKE_AT_ONCE);
    }
}

// Runs a chunk and sees how long it takes.
static void time_chunk(struct cpu_pool *pool, struct cpu_pool_slot *slot, struct cpu_pool_loop *loop, uint32_t chunk,
                       struct cpu_worker *worker)
{
    uint64_t begin = clock_now();
    loop->body(loop, chunk, worker);
    uint64_t time = clock_now() - begin;
    loop->chunk_time = time > 0 ? time : 1;
    if (loop->is_short && time >= (uint64_t)LONG_LOOP / (uint64_t)loop->chunk_count) {
        call_sleepers(pool, slot);
    }
}

// A visit to a loop.
struct visit {
    struct cpu_pool_slot *slot;
    struct cpu_pool_loop *loop;
    struct cpu_worker *worker;
    bool is_opener;
    bool is_timed;  // its next chunk is measured
    bool has_begun; // it has run a chunk
};

// A job waits. True: the worker has left the loop.
static bool leave_for_job(struct cpu_pool *pool, const struct visit *visit)
{
    if (atomic_load_explicit(&visit->slot->is_short, memory_order_relaxed)) {
        call_sleepers(pool, visit->slot); // who opened it may not come back
    }
    return leave_early(visit->slot, presence_of(visit->worker, visit->is_opener), false);
}

// True if all chunks that could be taken were, false if a job waited and the worker has left.
static bool run_chunks(struct cpu_pool *pool, struct visit *visit, bool may_steal)
{
    bool may_leave = true;
    uint32_t chunk;
    while (take_chunk(pool, visit->slot, visit->loop, visit->worker->index, may_steal, &chunk)) {
        if (visit->is_timed) {
            time_chunk(pool, visit->slot, visit->loop, chunk, visit->worker);
        } else {
            visit->loop->body(visit->loop, chunk, visit->worker);
        }
        visit->is_timed = false;
        visit->has_begun = true;
        if (may_leave && is_needed_elsewhere(pool, visit->worker)) {
            if (leave_for_job(pool, visit)) {
                return false;
            }
            may_leave = false;
        }
    }
    return true;
}

// What was left behind before anybody said that all was used up.
static void run_rest(struct cpu_pool *pool, struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    uint32_t chunk;
    while (take_own(pool, loop, worker->index, &chunk) || take_others(pool, loop, worker->index, &chunk)) {
        loop->body(loop, chunk, worker);
    }
}

// Handing the loop's end to another thread takes longer than a short look for it. Not where somebody waits for work to
// be done.
static void look_for_last(struct cpu_pool *pool, struct cpu_pool_slot *slot)
{
    for (int i = 0; i < LAST_LOOKS && !pool->is_alone; i++) {
        if ((atomic_load_explicit(&slot->state, memory_order_relaxed) & VISITORS) == 1 || cpu_pool_has_work(pool)) {
            return;
        }
        thread_relax();
    }
}

// Works on the loop in |slot|, which the worker has entered. The loop, if it has ended with that; else NULL.
static struct cpu_pool_loop *visit_slot(struct cpu_pool *pool, struct cpu_pool_slot *slot, struct cpu_worker *worker,
                                        bool is_opener)
{
    struct cpu_pool_loop *loop = atomic_load_explicit(&slot->loop, memory_order_relaxed);
    struct visit visit = {slot, loop, worker, is_opener, is_opener && loop->is_timed, false};
    uint64_t presence = presence_of(worker, is_opener);
    worker->had_job = false;
    if (loop->chunk_count == loop->share_count && loop->share_count > 1) {
        if (!run_chunks(pool, &visit, false)) {
            return NULL;
        }
        if (!is_opener && visit.has_begun && leave_early(slot, presence, true)) {
            return NULL;
        }
    }
    if (!run_chunks(pool, &visit, true)) {
        return NULL;
    }
    if (close_slot(pool, slot)) {
        run_rest(pool, loop, worker);
    }
    if (is_opener) {
        look_for_last(pool, slot);
    }
    return leave_slot(pool, slot, presence);
}

void loop_visit(struct cpu_pool *pool, struct cpu_pool_slot *slot, struct cpu_worker *worker)
{
    struct cpu_pool_loop *loop = slot != NULL ? visit_slot(pool, slot, worker, false) : worker->ended;
    worker->ended = NULL;
    if (loop == NULL) {
        return;
    }
    bool was_visiting = worker->state == WORKER_VISITING;
    assert(was_visiting || worker->state == WORKER_WORKING);
    if (was_visiting) { // it will be busy with whatever comes after the loop
        spin_stop(pool, worker);
    }
    loop->over(loop, worker);
    if (was_visiting) {
        spin_again(pool, worker);
    }
}

static struct cpu_pool_slot *open_and_wake(struct cpu_pool *pool, struct cpu_pool_loop *loop)
{
    if (loop->is_short && atomic_load_explicit(&pool->sleeping, memory_order_relaxed) > 0) {
        loop->is_short = !sleep_waking_pays(pool);
    }
    thread_latch_lock(&pool->lock);
    struct cpu_pool_slot *slot = open_slot(pool, loop);
    sleep_unlock_and_call(pool, slot != NULL ? POOL_WAKE_AT_ONCE : 0);
    return slot;
}

bool cpu_pool_run_loop(struct cpu_pool *pool, struct cpu_pool_loop *loop, uint32_t chunk_count,
                       struct cpu_worker *worker)
{
    divide(pool, loop, chunk_count, worker->index);
    loop->chunk_count = (int)chunk_count;
    loop->chunk_time = 0;
    struct cpu_pool_slot *slot = open_and_wake(pool, loop);
    while (slot == NULL) { // many are open: so far this one is its opener's alone
        uint32_t chunk;
        if (!take_own(pool, loop, worker->index, &chunk) && !take_others(pool, loop, worker->index, &chunk)) {
            return true;
        }
        loop->body(loop, chunk, worker);
        bool has_slot = atomic_load_explicit(&pool->slots_taken, memory_order_relaxed) != UINT64_MAX;
        slot = has_slot ? open_and_wake(pool, loop) : NULL;
    }
    return visit_slot(pool, slot, worker, true) != NULL;
}
