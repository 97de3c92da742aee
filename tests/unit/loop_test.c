// Loops of the pool, step by step: the workers are coroutines that take turns at every atomic operation of loop.c, in
// an order made from a seed. So two that take the last chunk at the same moment, or one who comes as the last one
// leaves, which threads meet once in a million times, are met in every run; and a seed that fails fails again.
#include "backend/cpu/pool.h"

#include "test.h"

#include <ucontext.h>

static void turn(void);
static void long_turn(unsigned seldom);
static void lock_in_turns(struct thread_latch *latch);

#if defined(__clang__)
#define ATOMIC(name) __c11_atomic_##name
#define ATOMIC_LOAD __c11_atomic_load
#define ATOMIC_STORE __c11_atomic_store
#define EXCHANGE(object, expected, wanted)                                                                             \
    __c11_atomic_compare_exchange_strong(object, expected, wanted, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#else
#define ATOMIC(name) __atomic_##name
#define ATOMIC_LOAD __atomic_load_n
#define ATOMIC_STORE __atomic_store_n
#define EXCHANGE(object, expected, wanted)                                                                             \
    __atomic_compare_exchange_n(object, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#endif

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_or
#define atomic_load_explicit(object, order) (turn(), ATOMIC_LOAD(object, __ATOMIC_SEQ_CST))
#define atomic_store_explicit(object, value, order) (long_turn(16), ATOMIC_STORE(object, value, __ATOMIC_SEQ_CST))
#define atomic_compare_exchange_weak_explicit(object, expected, wanted, order, other)                                  \
    (turn(), EXCHANGE(object, expected, wanted))
#define atomic_compare_exchange_strong_explicit(object, expected, wanted, order, other)                                \
    (long_turn(2), EXCHANGE(object, expected, wanted))
#define atomic_fetch_add_explicit(object, value, order)                                                                \
    (long_turn(8), ATOMIC(fetch_add)(object, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_sub_explicit(object, value, order) (turn(), ATOMIC(fetch_sub)(object, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_and_explicit(object, value, order) (turn(), ATOMIC(fetch_and)(object, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_or_explicit(object, value, order) (long_turn(4), ATOMIC(fetch_or)(object, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_or(object, value) (long_turn(4), ATOMIC(fetch_or)(object, value, __ATOMIC_SEQ_CST))
#define thread_latch_lock lock_in_turns

#include "backend/cpu/loop.c" // NOLINT: it must see the names above

// ---- the scene -----------------------------------------------------------------------------------------------------

enum { MOST_WORKERS = 5, MOST_LOOPS = 3, MOST_CHUNKS = 12, STACK_SIZE = 64 << 10, MOST_TURNS = 200000 };

struct loop_case {
    struct cpu_pool_loop loop;
    struct cpu_pool_share shares[MOST_WORKERS];
    int hits[MOST_CHUNKS]; // since it was opened
    int chunk_count;
    int openings;     // that are left
    bool is_open;     // it was opened and is not over
    const char *flaw; // of an opening; NULL: none
};

struct scene {
    struct cpu_pool *pool;
    struct cpu_worker workers[MOST_WORKERS];
    ucontext_t contexts[MOST_WORKERS];
    bool is_done[MOST_WORKERS];
    struct loop_case loops[MOST_LOOPS];
    int loop_count;
    int current; // who has its turn
    int lasting; // how many of 16 turns go to who had the one before
    int held;    // who gets none for a while, as if its thread had lost its processor
    int held_until;
    int turn_count;
    bool has_jobs;   // workers leave loops for them
    unsigned seldom; // one comes once in so many chunks
    bool has_long_turns;
    uint64_t number;
    bool is_over; // nobody takes turns any more: the test itself looks
    ucontext_t test;
};

static struct scene scene;
static char stacks[MOST_WORKERS][STACK_SIZE];

static unsigned draw(unsigned count)
{
    scene.number ^= scene.number << 13;
    scene.number ^= scene.number >> 7;
    scene.number ^= scene.number << 17;
    return (unsigned)(scene.number >> 20) % count;
}

static bool may_go_on(int worker)
{
    return !scene.is_done[worker] && (worker != scene.held || scene.turn_count >= scene.held_until);
}

static void switch_to_another(void)
{
    int before = scene.current;
    if (scene.turn_count >= scene.held_until && draw(3) == 0) {
        scene.held = before;
        scene.held_until = scene.turn_count + (int)draw(150);
    }
    int next = (int)draw((unsigned)scene.pool->worker_count);
    for (int i = 0; i < scene.pool->worker_count && !may_go_on(next); i++) {
        next = (next + 1) % scene.pool->worker_count;
    }
    next = may_go_on(next) ? next : scene.held;
    if (scene.turn_count > MOST_TURNS || scene.is_done[next]) { // nobody, or the last one
        swapcontext(&scene.contexts[before], &scene.test);
    } else if (next != before) {
        scene.current = next;
        swapcontext(&scene.contexts[before], &scene.contexts[next]);
    }
}

static void turn(void)
{
    if (!scene.is_over && (scene.turn_count++ > MOST_TURNS || draw(16) >= (unsigned)scene.lasting)) {
        switch_to_another();
    }
}

// Before somebody comes to a loop (an addition), makes chunks its own (a store), says that all is used up (an or), or
// ends the loop (the strong exchange). In half of the scenes it loses its processor here, once in |seldom| times, for
// so long that the slot may see the loop end and others come and go: all that it finds then may look as before, and be
// something else.
static void long_turn(unsigned seldom)
{
    if (!scene.is_over && scene.has_long_turns && draw(seldom) == 0) {
        scene.held = scene.current;
        scene.held_until = scene.turn_count + (int)draw(1000);
        scene.turn_count++;
        switch_to_another();
    } else {
        turn();
    }
}

static void lock_in_turns(struct thread_latch *latch)
{
    while (!thread_latch_try(latch)) {
        scene.turn_count++;
        switch_to_another();
    }
}

// ---- what loop.c asks of the pool -----------------------------------------------------------------------------------

void sleep_unlock_and_call(struct cpu_pool *pool, int most)
{
    (void)most;
    thread_latch_unlock(&pool->lock);
}

bool cpu_pool_has_work(struct cpu_pool *pool)
{
    return cpu_pool_job_count(pool) > 0;
}

int cpu_pool_free_seats(struct cpu_pool *pool)
{
    (void)pool;
    return (int)draw(2);
}

bool sleep_waking_pays(struct cpu_pool *pool)
{
    (void)pool;
    return draw(2) == 0;
}

void spin_stop(struct cpu_pool *pool, struct cpu_worker *worker)
{
    (void)pool;
    worker->state = WORKER_WORKING;
}

void spin_again(struct cpu_pool *pool, struct cpu_worker *worker)
{
    (void)pool;
    worker->state = WORKER_VISITING;
}

// ---- the workers ----------------------------------------------------------------------------------------------------

static void run_chunk(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct loop_case *own = (struct loop_case *)loop;
    (void)worker;
    if (!own->is_open || chunk < 0 || chunk >= own->chunk_count) {
        own->flaw = own->is_open ? "a chunk runs that is none" : "a chunk runs after the end";
        return;
    }
    own->hits[chunk]++;
    turn();
    if (scene.has_jobs && draw(scene.seldom) == 0) {
        atomic_store(&scene.pool->ready, 1); // a job has come
    }
}

static void loop_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    struct loop_case *own = (struct loop_case *)loop;
    (void)worker;
    own->flaw = own->is_open ? own->flaw : "a loop ends twice";
    for (int i = 0; i < own->chunk_count; i++) {
        own->flaw = own->hits[i] == 1 ? own->flaw : own->hits[i] == 0 ? "a chunk is lost" : "a chunk runs twice";
        own->hits[i] = 0;
    }
    turn();
    own->is_open = false;
}

static struct loop_case *find_loop_to_open(void)
{
    for (int i = 0; i < scene.loop_count; i++) {
        struct loop_case *own = &scene.loops[i];
        if (!own->is_open && own->openings > 0) {
            return own;
        }
    }
    return NULL;
}

static bool is_all_over(void)
{
    bool is_over = true;
    for (int i = 0; i < scene.loop_count; i++) {
        is_over &= !scene.loops[i].is_open && scene.loops[i].openings == 0;
    }
    return is_over;
}

static void open_loop(struct loop_case *own, struct cpu_worker *worker)
{
    own->openings--;
    own->is_open = true;
    own->chunk_count = 1 + (int)draw(draw(2) == 0 ? 2 : draw(2) == 0 ? 4 : MOST_CHUNKS);
    own->loop.is_short = draw(2) == 0;
    own->loop.is_timed = draw(2) == 0;
    worker->state = WORKER_WORKING;
    if (cpu_pool_run_loop(scene.pool, &own->loop, (uint32_t)own->chunk_count, worker)) {
        loop_over(&own->loop, worker);
    }
}

// A slot without a loop never counts as open: whoever looks for work would look at it for ever. And without jobs nobody
// may leave chunks behind unless somebody is in the loop: all others may be asleep.
static void look_around(void)
{
    if ((scene.pool->slots_open & ~scene.pool->slots_taken) != 0) {
        scene.loops[0].flaw = "a slot without a loop counts as open";
    }
    for (int i = 0; i < POOL_SLOTS && !scene.has_jobs; i++) {
        uint64_t state = atomic_load(&scene.pool->slots[i].state);
        if ((state & (OPEN | USED_UP)) == OPEN && (state & VISITORS) == 0) {
            scene.loops[0].flaw = "chunks are left behind and nobody is there";
        }
    }
}

static void work_on(int index)
{
    struct cpu_worker *worker = &scene.workers[index];
    while (!is_all_over()) {
        atomic_store(&scene.pool->ready, 0); // it has done the job, if there was one
        struct loop_case *own = draw(3) == 0 ? find_loop_to_open() : NULL;
        if (own != NULL) {
            open_loop(own, worker);
        } else {
            worker->state = draw(2) == 0 ? WORKER_VISITING : WORKER_WORKING;
            worker->guest = draw(3) == 0 ? worker : NULL;
            const void *owner = worker->guest != NULL ? &scene.loops[draw((unsigned)scene.loop_count)] : NULL;
            struct cpu_pool_slot *slot = loop_enter(scene.pool, worker, owner);
            if (slot != NULL || worker->ended != NULL) {
                if (slot != NULL && owner != NULL && atomic_load(&slot->owner) != owner) {
                    scene.loops[0].flaw = "a guest comes to a loop that is not its own";
                }
                loop_visit(scene.pool, slot, worker);
            }
        }
        look_around();
        turn();
    }
    scene.is_done[index] = true;
    switch_to_another();
}

// ---- the tests ------------------------------------------------------------------------------------------------------

static void make_scene(uint64_t seed, int worker_count, int free_slots)
{
    struct cpu_pool *pool = aligned_alloc(_Alignof(struct cpu_pool), sizeof *pool);
    memset(pool, 0, sizeof *pool);
    scene = (struct scene){.pool = pool, .number = seed * UINT64_C(0x9e3779b97f4a7c15) | 1, .is_over = true};
    pool->workers = scene.workers;
    pool->worker_count = worker_count;
    pool->slots_taken = UINT64_MAX << free_slots;
    pool->is_alone = draw(2) == 0; // nobody looks for long
    scene.lasting = (int)draw(16);
    scene.has_jobs = draw(2) == 0;
    scene.seldom = draw(2) == 0 ? 8 : 2;
    scene.has_long_turns = draw(2) == 0;
    scene.loop_count = 1 + (int)draw(MOST_LOOPS);
    for (int i = 0; i < scene.loop_count; i++) {
        struct loop_case *own = &scene.loops[i];
        own->loop.body = run_chunk;
        own->loop.over = loop_over;
        own->loop.owner = own;
        own->loop.shares = own->shares;
        own->openings = 4;
    }
    for (int i = 0; i < worker_count; i++) {
        scene.workers[i] = (struct cpu_worker){.pool = pool, .state = WORKER_WORKING, .index = i, .home = i};
        getcontext(&scene.contexts[i]);
        scene.contexts[i].uc_stack.ss_sp = stacks[i];
        scene.contexts[i].uc_stack.ss_size = STACK_SIZE;
        makecontext(&scene.contexts[i], (void (*)(void))work_on, 1, i);
    }
}

// What is wrong after all have taken turns until nothing was left to do; NULL: nothing.
static const char *run_scene(uint64_t seed, int worker_count, int free_slots)
{
    make_scene(seed, worker_count, free_slots);
    scene.is_over = false;
    swapcontext(&scene.test, &scene.contexts[0]);
    scene.is_over = true;
    const char *flaw = scene.turn_count > MOST_TURNS ? "nobody goes on" : NULL;
    for (int i = 0; i < scene.loop_count; i++) {
        flaw = scene.loops[i].flaw != NULL ? scene.loops[i].flaw : flaw;
    }
    struct cpu_pool *pool = scene.pool;
    if (flaw == NULL && (pool->slots_open != 0 || pool->slots_taken != UINT64_MAX << free_slots)) {
        flaw = "a slot stays taken";
    }
    for (int i = 0; i < free_slots && flaw == NULL; i++) {
        flaw = pool->slots[i].state % NEXT_LOOP != 0 ? "somebody counts as being in a loop" : NULL;
    }
    free(pool);
    return flaw;
}

static void run_scenes(int worker_count, int free_slots)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("a sanitizer does not follow coroutines");
#endif
    uint64_t seeds = getenv("RILL_TEST_LONG") != NULL ? 20000 : 3000;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const char *flaw = run_scene(seed, worker_count, free_slots);
        if (flaw != NULL) {
            FAIL("seed %llu with %d workers and %d slots: %s", (unsigned long long)seed, worker_count, free_slots,
                 flaw);
            return;
        }
    }
}

TEST(every_chunk_runs_once_in_any_order_of_two_workers)
{
    run_scenes(2, 2);
}

TEST(every_chunk_runs_once_in_any_order_of_three_workers)
{
    run_scenes(3, 2);
}

TEST(every_chunk_runs_once_in_any_order_of_five_workers)
{
    run_scenes(5, 3);
}

TEST(every_chunk_runs_once_where_loops_wait_for_a_slot)
{
    run_scenes(3, 1);
}

// A loop in the first free slot, with its opener in it.
static struct cpu_pool_slot *open_for_demand(int index, int chunk_count, bool is_short)
{
    struct cpu_pool_loop *loop = &scene.loops[index].loop;
    loop->shares = scene.loops[index].shares;
    divide(scene.pool, loop, (uint32_t)chunk_count, 0);
    loop->chunk_count = chunk_count;
    loop->is_short = is_short;
    lock_in_turns(&scene.pool->lock);
    struct cpu_pool_slot *slot = open_slot(scene.pool, loop);
    thread_latch_unlock(&scene.pool->lock);
    return slot;
}

TEST(open_loop_wants_a_worker_for_each_chunk_that_nobody_is_there_for)
{
    make_scene(1, MOST_WORKERS, 2);
    CHECK(loop_demand(scene.pool) == 0);
    struct cpu_pool_slot *slot = open_for_demand(0, 3, false);
    CHECK(loop_demand(scene.pool) == 2); // the opener is there
    CHECK(loop_enter(scene.pool, &scene.workers[1], NULL) == slot);
    CHECK(loop_demand(scene.pool) == 1);
    CHECK(leave_slot(scene.pool, slot, presence_of(&scene.workers[1], false)) == NULL);
    CHECK(loop_demand(scene.pool) == 2);
    CHECK(close_slot(scene.pool, slot));
    CHECK(loop_demand(scene.pool) == 0);
    free(scene.pool);
}

TEST(short_loop_wants_nobody_until_it_is_for_sleepers_too)
{
    make_scene(1, MOST_WORKERS, 2);
    struct cpu_pool_slot *slot = open_for_demand(0, 4, true);
    CHECK(loop_demand(scene.pool) == 0);
    call_sleepers(scene.pool, slot);
    CHECK(loop_demand(scene.pool) == 3);
    free(scene.pool);
}

// Only one of several is looked at, and any of them may have much to do: so they are for all.
TEST(several_open_loops_want_every_worker)
{
    make_scene(1, MOST_WORKERS, 2);
    struct cpu_pool_slot *first = open_for_demand(0, 2, true);
    struct cpu_pool_slot *second = open_for_demand(1, 2, false);
    CHECK(first != second);
    CHECK(loop_demand(scene.pool) == MOST_WORKERS);
    CHECK(close_slot(scene.pool, first));
    CHECK(loop_demand(scene.pool) == 1);
    free(scene.pool);
}

// The opener has left for a job: who has run its own share must not leave the others' to it.
TEST(chunks_are_left_to_the_opener_only_while_it_is_there)
{
    make_scene(1, 3, 1);
    struct loop_case *own = &scene.loops[0];
    own->is_open = true;
    own->chunk_count = 3;
    struct cpu_pool_slot *slot = open_for_demand(0, 3, false);
    CHECK(leave_early(slot, presence_of(&scene.workers[0], true), false));
    CHECK(loop_enter(scene.pool, &scene.workers[1], NULL) == slot);
    loop_visit(scene.pool, slot, &scene.workers[1]);
    CHECK(!own->is_open); // it has run all of them and ended the loop
    CHECK(own->flaw == NULL);
    free(scene.pool);
}
