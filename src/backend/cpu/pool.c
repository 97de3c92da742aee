#include "backend/cpu/pool.h"

#include "base/clock.h"
#include "base/hot.h"

#include <stddef.h>

enum {
    SPIN_PAUSE = 2, // of thread_relax() between two looks for work
    SPIN_TURN = 64, // looks before others get a turn
    SPIN_TIME =
        200 * 1000, // nanoseconds that a worker looks for work before it sleeps: several times what waking costs
    SPIN_LONG = 2500 * 1000, // the same while work comes at such intervals
    SPIN_LOST = 100 * 1000,  // between two turns: somebody else had the processor, who needs it more
    WATCH_TURN = 8,          // looks between two at the job in the host's hands
    WATCH_LOOKS = 3,         // for which that is left there
    CALL_PATIENCE = 20,      // looks at a loop that has a share for others
    OFFER_PAUSE = 8,         // of thread_relax() between two looks at what was offered
    OFFER_TIME = 1500,       // nanoseconds that a job is left to the host's thread that pushed it
    LINGER_PAUSE = 4,        // of thread_relax() between two looks of pool_linger()
    LINGER_TURN = 8,         // of these before others get a turn
};

// ---- waking -------------------------------------------------------------------------------------------------------

static int spinning(struct pool *pool)
{
    return atomic_load(&pool->spinners.count) - loop_lookers(pool);
}

static HOT int active(struct pool *pool)
{
    return atomic_load(&pool->busy_count) + loop_lookers(pool);
}

int pool_free_seats(struct pool *pool)
{
    return pool->worker_count - active(pool);
}

uint64_t pool_task_count(struct pool *pool)
{
    uint64_t count = 0;
    for (int i = 0; i < pool->worker_count; i++) {
        count += atomic_load_explicit(&pool->seats[i].task_count, memory_order_relaxed);
    }
    return count;
}

// How many more of those who sleep there is work for, if |demand| could be busy.
static HOT int wanted_sleepers(struct pool *pool, int demand)
{
    int seats = pool_free_seats(pool);
    return (demand < seats ? demand : seats) - spinning(pool);
}

// The lock is held.
static void note_sleep(struct pool *pool, bool all_sleep)
{
    if (pool->sleeps != NULL) {
        atomic_store_explicit(pool->sleeps, all_sleep, memory_order_relaxed);
    }
}

// How many of those who sleep should get up, at most |most|: there is more work than workers who look for it. They are
// counted as coming; the caller lets go of the lock and then wakes them. The lock is held.
static HOT int choose_sleepers(struct pool *pool, int most)
{
    int sleeping = atomic_load_explicit(&pool->sleeping, memory_order_relaxed);
    if (sleeping == 0) {
        return 0;
    }
    int wanted = wanted_sleepers(pool, pool_job_count(pool) - pool->small_count + loop_demand(pool)) - pool->waking;
    wanted = wanted < most ? wanted : most;
    wanted = wanted < sleeping ? wanted : sleeping;
    if (wanted <= 0) {
        return 0;
    }
    atomic_store_explicit(&pool->sleeping, sleeping - wanted, memory_order_relaxed);
    pool->waking += wanted;
    note_sleep(pool, false);
    return wanted;
}

// Whether there is work that is not left to anybody first.
static bool is_urgent(struct pool *pool)
{
    return atomic_load(&pool->slots_open) != 0 || atomic_load(&pool->ready) > 0;
}

// Whoever looks for work, or is coming to do so, will find what was offered. The lock is held.
static bool is_anybody_up(struct pool *pool)
{
    return pool->waking > 0 || spinning(pool) > 0;
}

// The same by a guest, or for one. It may be about to do the next thing itself.
static HOT int choose_for_offers(struct pool *pool, int most)
{
    return !is_urgent(pool) && is_anybody_up(pool) ? 0 : choose_sleepers(pool, most);
}

static HOT void unlock_and_wake(struct pool *pool, int count)
{
    thread_latch_unlock(&pool->lock);
    if (count > 0) {
        eventcount_notify(&pool->wakeups, count);
    }
}

void pool_unlock_and_wake(struct pool *pool, int most)
{
    unlock_and_wake(pool, most > 0 ? choose_sleepers(pool, most) : 0);
}

// A worker was woken, and those who sleep have not slept for long: next time they look for work for longer. By who is
// woken and not by who wakes, whose call it would make longer. The lock is held.
static void note_wake(struct pool *pool)
{
    if (!pool->is_frugal && !atomic_load_explicit(&pool->is_watchful, memory_order_relaxed) &&
        clock_now() - pool->slept_time < SPIN_LONG - SPIN_TIME) {
        atomic_store_explicit(&pool->is_watchful, true, memory_order_relaxed);
    }
}

// Until it is woken, or the pool stops. The lock is held on entry and on return.
static void sleep_for_work(struct pool *pool)
{
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
}

// ---- seats --------------------------------------------------------------------------------------------------------

static bool take_this_seat(struct pool *pool, struct pool_worker *worker, int seat)
{
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

// False: all are taken.
static HOT bool find_seat(struct pool *pool, struct pool_worker *worker)
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

static void give_back_seat(struct pool *pool, const struct pool_worker *worker)
{
    thread_publish(&pool->workers[worker->index]);
    atomic_store_explicit(&pool->seats[worker->index].is_taken, false, memory_order_release);
}

static bool take_seat(struct pool *pool, struct pool_worker *worker)
{
    if (pool_free_seats(pool) <= 0 || !find_seat(pool, worker)) {
        return false;
    }
    atomic_fetch_add(&pool->busy_count, 1);
    return true;
}

// A free seat is what work may be left to, as to a poller: the caller looks for jobs after this.
static void leave_seat(struct pool *pool, const struct pool_worker *worker)
{
    give_back_seat(pool, worker);
    atomic_fetch_sub(&pool->busy_count, 1);
}

// ---- jobs ---------------------------------------------------------------------------------------------------------

// The lock is held.
static HOT void enqueue(struct pool *pool, struct pool_job *job, enum pool_push kind)
{
    job->next = NULL;
    job->push = kind;
    pool->small_count += kind == POOL_PUSH_SMALL;
    if (pool->first[job->level] == NULL) {
        pool->first[job->level] = job;
    } else {
        pool->last[job->level]->next = job;
    }
    pool->last[job->level] = job;
    // Before spinners, seats and sleepers are looked at: see base/eventcount.h.
    atomic_fetch_add(kind != POOL_PUSH_PLAIN ? &pool->offered : &pool->ready, 1);
    atomic_fetch_add_explicit(&pool->change_count, 1, memory_order_relaxed);
}

static HOT void push(struct pool *pool, struct pool_job *job, enum pool_push kind)
{
    if (pool->is_timed) {
        job->push_time = clock_now();
    }
    thread_latch_lock(&pool->lock);
    enqueue(pool, job, kind);
    unlock_and_wake(pool, kind == POOL_PUSH_OFFER ? choose_for_offers(pool, 1) : choose_sleepers(pool, 1));
}

__attribute__((noinline)) void pool_push(struct pool *pool, struct pool_job *job)
{
    push(pool, job, POOL_PUSH_PLAIN);
}

void pool_push_small(struct pool *pool, struct pool_job *job)
{
    push(pool, job, POOL_PUSH_SMALL);
}

void pool_offer(struct pool *pool, struct pool_job *job)
{
    push(pool, job, POOL_PUSH_OFFER);
}

// Nobody watches the pocket that |job| was put into.
static __attribute__((noinline)) void offer_back(struct pool *pool, struct pool_job *job)
{
    if (pool_take_back(pool, job)) {
        pool_offer(pool, job);
    }
}

// No job is left in the pocket while nobody watches it: the watcher is a poller as in base/eventcount.h.
HOT void pool_hand(struct pool *pool, struct pool_job *job)
{
    if (pool->is_fuzzed || pool->is_timed || atomic_load_explicit(&pool->watcher.count, memory_order_relaxed) == 0) {
        pool_offer(pool, job);
        return;
    }
    unsigned count = atomic_load_explicit(&pool->pocket_count, memory_order_relaxed);
    atomic_store_explicit(&pool->pocket_count, count + 1, memory_order_relaxed); // a guess will do
    struct pool_job *before = atomic_exchange(&pool->pocket, job);
    if (before != NULL) {
        pool_push(pool, before);
    }
    if (UNLIKELY(!pollers_are_present(&pool->watcher))) {
        offer_back(pool, job);
    }
}

bool pool_take_back(struct pool *pool, struct pool_job *job)
{
    return atomic_load_explicit(&pool->pocket, memory_order_relaxed) == job &&
           atomic_compare_exchange_strong(&pool->pocket, &job, NULL);
}

// What is in the pocket is a job like others from now on. The lock is held.
static void empty_pocket(struct pool *pool)
{
    if (atomic_load(&pool->pocket) != NULL) {
        struct pool_job *job = atomic_exchange(&pool->pocket, NULL);
        if (job != NULL) {
            enqueue(pool, job, POOL_PUSH_PLAIN);
        }
    }
}

// What nobody was woken for, because a guest would come back to it, is for workers after all. The lock is held.
static void forget_small(struct pool *pool)
{
    if (pool->small_count == 0) {
        return;
    }
    for (int level = 0; level < POOL_LEVELS; level++) {
        for (struct pool_job *job = pool->first[level]; job != NULL; job = job->next) {
            job->push = job->push == POOL_PUSH_SMALL ? POOL_PUSH_OFFER : job->push;
        }
    }
    pool->small_count = 0;
}

void pool_push_left(struct pool *pool)
{
    thread_latch_lock(&pool->lock);
    forget_small(pool);
    unlock_and_wake(pool, choose_sleepers(pool, 1));
}

bool pool_has_jobs(struct pool *pool)
{
    return atomic_load_explicit(&pool->slots_open, memory_order_relaxed) != 0 || pool_job_count(pool) > 0;
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
    pool->is_fuzzed = seed != 0;
    pool->schedule = seed != 0 ? seed * UINT64_C(0x9e3779b97f4a7c15) | 1 : 0;
}

// A job has left the queue. The lock is held.
static void count_out(struct pool *pool, const struct pool_job *job)
{
    pool->small_count -= job->push == POOL_PUSH_SMALL;
    atomic_fetch_sub_explicit(job->push != POOL_PUSH_PLAIN ? &pool->offered : &pool->ready, 1, memory_order_release);
}

// Takes |job|, which follows |before|, out of the queue. The lock is held.
static void unlink_job(struct pool *pool, struct pool_job *job, struct pool_job *before)
{
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
static struct pool_job *pop_any_job(struct pool *pool)
{
    int count = pool_job_count(pool);
    int chosen = count > 0 ? (int)(next_random(pool) % (uint64_t)count) : 0;
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct pool_job *before = NULL;
        for (struct pool_job *job = pool->first[level]; job != NULL; before = job, job = job->next) {
            if (chosen-- == 0) {
                unlink_job(pool, job, before);
                return job;
            }
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
            unlink_job(pool, job, NULL);
            return job;
        }
    }
    return NULL;
}

// ---- workers ------------------------------------------------------------------------------------------------------

// Leaves what was offered to who offered it, for a moment. True: it is still there.
static bool outlasts_offer(struct pool *pool)
{
    uint64_t end = clock_now() + OFFER_TIME;
    do {
        for (int k = 0; k < OFFER_PAUSE; k++) {
            thread_relax();
        }
        if (is_urgent(pool)) {
            return true;
        }
        if (atomic_load_explicit(&pool->offered, memory_order_relaxed) == 0) {
            return false;
        }
    } while (clock_now() < end);
    return true;
}

// Wakes another worker for what came while this one was a spinner, or had a seat, and was left to it.
static void wake_in_place(struct pool *pool)
{
    if (!is_urgent(pool) && atomic_load(&pool->offered) == 0) {
        return;
    }
    thread_latch_lock(&pool->lock);
    unlock_and_wake(pool, choose_sleepers(pool, 1));
}

void pool_linger(struct pool_worker *worker, int rounds, bool (*has_come)(void *arg), void *arg)
{
    struct pool *pool = worker->pool;
    if (pool->is_alone) {
        return;
    }
    pollers_enter(&pool->spinners);
    for (int i = 1; i <= rounds && !has_come(arg) && !pool_has_jobs(pool); i++) {
        if (i % LINGER_TURN == 0) {
            thread_yield();
        }
        for (int k = 0; k < LINGER_PAUSE; k++) {
            thread_relax();
        }
    }
    worker->has_looked = !has_come(arg);
    pollers_leave(&pool->spinners);
    wake_in_place(pool);
}

static int note_processor(struct pool *pool, const struct pool_worker *worker)
{
    int processor = thread_processor();
    atomic_store_explicit(&pool->seats[worker->index].processor, (short)processor, memory_order_relaxed);
    return processor;
}

// Whether another who works began on this worker's processor, and |busy|, where they all began. The system brings two
// threads to one processor when the one wakes the other, and may leave them there for as long as both work. The lock is
// held.
static bool shares_processor(struct pool *pool, const struct pool_worker *worker, uint64_t busy[THREAD_PROCESSORS / 64])
{
    int own = note_processor(pool, worker);
    if (pool->is_alone || own < 0 || active(pool) < 2) {
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

// False: nobody sleeps, or those who are up are as many as there are seats. Looks at lines that seldom change.
static bool may_want_sleepers(struct pool *pool)
{
    return atomic_load_explicit(&pool->spinners.count, memory_order_relaxed) +
                   atomic_load_explicit(&pool->busy_count, memory_order_relaxed) <
               pool->worker_count &&
           atomic_load_explicit(&pool->sleeping, memory_order_relaxed) > 0;
}

void pool_stop_looking(struct pool *pool, struct pool_worker *worker)
{
    worker->is_looking = false;
    atomic_fetch_add(&pool->busy_count, 1);
    pollers_leave(&pool->spinners);
    wake_in_place(pool);
}

void pool_look_again(struct pool *pool, struct pool_worker *worker)
{
    pollers_enter(&pool->spinners);
    atomic_fetch_sub(&pool->busy_count, 1); // a spinner by now: it looks for work itself
    worker->is_looking = true;
}

bool pool_comes_often(struct pool *pool)
{
    uint64_t now = clock_now();
    uint64_t last = atomic_exchange_explicit(&pool->short_time, now, memory_order_relaxed);
    return now - last < (pool->is_frugal ? SPIN_TIME : SPIN_LONG);
}

// Goes to a loop that is open without taking the lock, where no job waits. The worker counts as one that looks for work
// all the time, and goes on looking afterwards: so whoever adds work and sees it is right to wake nobody. False: it
// came too late, or found no seat.
static bool visit_at_once(struct pool *pool, struct pool_worker *worker)
{
    if (!find_seat(pool, worker)) {
        return false;
    }
    worker->is_looking = true;
    struct pool_slot *slot = loop_enter(pool, worker, NULL);
    bool has_work = slot != NULL || worker->ended != NULL;
    if (has_work) {
        note_processor(pool, worker);
        worker->has_looked = false;
        // Also for a job: whoever pushed one since it looked may have left it to this worker.
        if (may_want_sleepers(pool) && wanted_sleepers(pool, pool_job_count(pool) + loop_demand(pool)) > 0) {
            thread_latch_lock(&pool->lock);
            pool_unlock_and_wake(pool, POOL_WAKE_AT_ONCE);
        }
        loop_visit(pool, slot, worker);
    }
    worker->is_looking = false;
    give_back_seat(pool, worker);
    return has_work;
}

// How long a worker that has nothing to do looks for work.
static uint64_t spin_time(struct pool *pool)
{
    return atomic_load_explicit(&pool->is_watchful, memory_order_relaxed) ? SPIN_LONG : SPIN_TIME;
}

// The state of a worker that looks for work.
struct spin {
    uint64_t end;    // when it has looked for long
    uint64_t last;   // when it was last its turn
    int patience;    // looks for which the loop that is open is left to others
    unsigned served; // the loop that it visited last; see loop_calls()
    bool has_seen;   // others had work since its last turn: more will come
    bool is_watcher;
    unsigned watched; // jobs that had been in the pocket when it looked last
    int watch_count;  // looks at the same job there
};

static void begin_spin(struct pool *pool, struct spin *spin)
{
    spin->last = clock_now();
    spin->end = spin->last + spin_time(pool);
    spin->patience = CALL_PATIENCE;
    spin->has_seen = false;
}

// Lets others have a turn. False: it has looked for long, or others need the processor.
static bool take_turn(struct pool *pool, struct spin *spin)
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

// One of those who look for work looks at the pocket. False: what is there is not left to the host any more.
static bool watch(struct pool *pool, struct spin *spin)
{
    if (!spin->is_watcher) {
        if (!pollers_enter_alone(&pool->watcher)) {
            return true;
        }
        spin->is_watcher = true;
    }
    unsigned count = atomic_load_explicit(&pool->pocket_count, memory_order_relaxed);
    if (count != spin->watched) {
        spin->watched = count;
        spin->watch_count = 0;
        spin->has_seen = true;
        return true;
    }
    return atomic_load_explicit(&pool->pocket, memory_order_relaxed) == NULL || ++spin->watch_count < WATCH_LOOKS;
}

// False: there is something in the pocket that must not stay there. See pool_hand().
static bool stop_watching(struct pool *pool, struct spin *spin)
{
    if (!spin->is_watcher) {
        return true;
    }
    spin->is_watcher = false;
    pollers_leave(&pool->watcher);
    return atomic_load(&pool->pocket) == NULL;
}

// Deals with an open loop. False: there is something that needs the lock.
static bool look_at_loop(struct pool *pool, struct pool_worker *worker, struct spin *spin)
{
    spin->has_seen = true;
    if (spin->patience > 0 && !loop_calls(pool, worker, spin->served)) {
        spin->patience--;
        return true;
    }
    if (pool->is_fuzzed || pool_job_count(pool) > 0 || !stop_watching(pool, spin)) {
        return false;
    }
    unsigned called = atomic_load_explicit(&pool->called, memory_order_relaxed);
    if (visit_at_once(pool, worker)) {
        begin_spin(pool, spin);
        spin->served = called;
    }
    return true;
}

// Looks for work, until there is some that needs the lock. False: it has looked for long.
static bool spin_for_work(struct pool *pool, struct pool_worker *worker)
{
    struct spin spin = {.is_watcher = false};
    bool is_patient = !pool->is_alone;
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
                if (!is_urgent(pool)) {
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
        for (int k = 0; k < SPIN_PAUSE; k++) {
            thread_relax();
        }
    }
    stop_watching(pool, &spin); // the caller looks at the queue and the pocket again, under the lock
    pollers_leave(&pool->spinners);
    return is_patient;
}

// Runs a job or visits a loop, in a seat. The lock is held on entry and on return.
static void work(struct pool *pool, struct pool_worker *worker, struct pool_job *job, struct pool_slot *slot)
{
    int wake =
        worker->guest != NULL ? choose_for_offers(pool, POOL_WAKE_AT_ONCE) : choose_sleepers(pool, POOL_WAKE_AT_ONCE);
    int delay = pool->schedule != 0 && next_random(pool) % 4 == 0 ? (int)(next_random(pool) % 2000) : 0;
    uint64_t busy[THREAD_PROCESSORS / 64] = {0};
    bool must_move = shares_processor(pool, worker, busy) && (job != NULL || worker->was_woken);
    // Who was woken for the rest may have been put on the processor of the thread that woke it, and would wait there
    // for milliseconds while this one works.
    bool must_yield = worker->guest != NULL && pool->waking + wake > 0 && pool_has_jobs(pool);
    worker->was_woken = false;
    unlock_and_wake(pool, wake);
    if (must_yield) {
        thread_yield();
    }
    if (must_move) {
        thread_move_from(busy);
        note_processor(pool, worker);
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
    leave_seat(pool, worker);
}

// One piece of work, if there is any and a seat. The lock is held on entry and on return.
static bool work_once(struct pool *pool, struct pool_worker *worker)
{
    if (!take_seat(pool, worker)) {
        return false;
    }
    bool is_loops_turn = worker->had_job;
    struct pool_slot *slot = is_loops_turn ? loop_enter(pool, worker, NULL) : NULL;
    struct pool_job *job = slot == NULL && worker->ended == NULL ? pop_job(pool) : NULL;
    if (slot == NULL && job == NULL && !is_loops_turn) {
        slot = loop_enter(pool, worker, NULL);
    }
    if (job == NULL && slot == NULL && worker->ended == NULL) {
        leave_seat(pool, worker);
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
    struct pool_job *job; // the first of its owners; NULL: none
    struct pool_job *before;
    int others; // jobs of others, until there are more than seats
};

// The lock is held.
static struct finding look_through(struct pool *pool, const void *const *owners, int owner_count)
{
    struct finding found = {0};
    int seats = pool_free_seats(pool);
    for (int level = 0; level < POOL_LEVELS; level++) {
        struct pool_job *before = NULL;
        for (struct pool_job *job = pool->first[level]; job != NULL; before = job, job = job->next) {
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
static bool help(struct pool *pool, struct pool_worker *guest, const void *const *owners, int owner_count)
{
    if (pool->schedule != 0 && next_random(pool) % 2 == 0) {
        return false;
    }
    struct finding found = look_through(pool, owners, owner_count);
    bool has_loops = atomic_load_explicit(&pool->slots_open, memory_order_relaxed) != 0;
    if ((found.job == NULL && !has_loops) || found.others >= pool_free_seats(pool) || !take_seat(pool, guest)) {
        return false;
    }
    struct pool_slot *slot = NULL;
    if (found.job != NULL) {
        unlink_job(pool, found.job, found.before);
    }
    for (int i = 0; i < owner_count && found.job == NULL && slot == NULL && guest->ended == NULL; i++) {
        slot = loop_enter(pool, guest, owners[i]);
    }
    if (found.job == NULL && slot == NULL && guest->ended == NULL) {
        leave_seat(pool, guest);
        return false;
    }
    work(pool, guest, found.job, slot);
    return true;
}

bool pool_help(struct pool *pool, struct pool_worker *guest, const void *const *owners, int owner_count)
{
    thread_latch_lock(&pool->lock);
    bool has_helped = help(pool, guest, owners, owner_count);
    if (!has_helped) {
        forget_small(pool);
    }
    unlock_and_wake(pool, choose_for_offers(pool, 1));
    return has_helped;
}

// The guest is the only one that works. Else where others began must be looked at, under the lock.
static bool sit_down_alone(struct pool *pool, struct pool_worker *guest)
{
    if (pool->is_fuzzed || pool_job_count(pool) > 0 || active(pool) > 0 || !find_seat(pool, guest)) {
        return false;
    }
    atomic_fetch_add(&pool->busy_count, 1);
    note_processor(pool, guest);
    return true;
}

bool pool_sit_down(struct pool *pool, struct pool_worker *guest)
{
    if (sit_down_alone(pool, guest)) {
        return true;
    }
    thread_latch_lock(&pool->lock);
    bool may_sit = !pool->is_fuzzed && pool_job_count(pool) < pool_free_seats(pool) && take_seat(pool, guest);
    uint64_t busy[THREAD_PROCESSORS / 64] = {0};
    bool must_move = may_sit && shares_processor(pool, guest, busy);
    thread_latch_unlock(&pool->lock);
    if (must_move) {
        thread_move_from(busy);
        note_processor(pool, guest);
    }
    return may_sit;
}

// A worker that found no seat for a job has gone to sleep again, and who pushed one may have woken nobody.
void pool_get_up(struct pool *pool, struct pool_worker *guest)
{
    leave_seat(pool, guest);
    if (is_urgent(pool) || atomic_load(&pool->offered) > 0) {
        thread_latch_lock(&pool->lock);
        unlock_and_wake(pool, choose_for_offers(pool, 1));
    }
}

// All workers but one may look for work at once: the host's own thread needs a processor too. Fewer would leave the
// next short loop to those that are awake. Workers beyond the processors would only take turns.
static int spinner_limit(const struct pool *pool)
{
    bool has_spare = pool->processor_count > 0 && pool->processor_count < pool->worker_count;
    int most = has_spare ? pool->processor_count : pool->worker_count;
    return most > 1 ? most - 1 : 1;
}

static bool may_spin(struct pool *pool)
{
    int looking = atomic_load_explicit(&pool->spinners.count, memory_order_relaxed);
    return looking < spinner_limit(pool) && pool_free_seats(pool) > 0;
}

static void *run_worker(void *arg)
{
    struct pool_worker *worker = arg;
    struct pool *pool = worker->pool;
    struct thread_mood inherited;
    thread_mood_enter(&inherited);
    bool has_spun = false;
    thread_latch_lock(&pool->lock);
    while (!pool->stop) {
        bool may_look = !has_spun && may_spin(pool);
        bool looks_first = worker->has_looked && may_look; // so that what is offered stays so for its moment
        worker->has_looked = false;
        if (!looks_first && work_once(pool, worker)) {
            has_spun = false;
        } else if (may_look) {
            thread_latch_unlock(&pool->lock);
            has_spun = !spin_for_work(pool, worker); // who only came too late for work is not tired of looking
            thread_latch_lock(&pool->lock);
            empty_pocket(pool);
        } else {
            sleep_for_work(pool);
            has_spun = false;
            worker->was_woken = true;
        }
    }
    thread_latch_unlock(&pool->lock);
    return NULL;
}

void pool_init(struct pool *pool, struct pool_worker *workers, int worker_count)
{
    pool->workers = workers;
    pool->worker_count = worker_count;
    for (int i = 0; i < worker_count; i++) {
        workers[i] = (struct pool_worker){.pool = pool, .index = i, .home = i};
    }
}

static void count_started(struct pool *pool, int more)
{
    thread_latch_lock(&pool->lock);
    pool->started_count += more;
    thread_latch_unlock(&pool->lock);
}

// Without the pool's lock, which every new thread comes for at once: those that wait for it look at it again and again,
// and hundreds of them would keep this one from starting the rest.
rill_status pool_start(struct pool *pool)
{
    rill_status status = RILL_OK;
    thread_latch_lock(&pool->start_lock);
    while (pool->started_count < pool->worker_count && status == RILL_OK) {
        struct pool_worker *worker = &pool->workers[pool->started_count];
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

void pool_finish(struct pool *pool)
{
    thread_latch_lock(&pool->lock);
    pool->stop = true;
    atomic_fetch_add(&pool->ready, 1); // who looks for work comes for this
    unlock_and_wake(pool, pool->worker_count);
    for (int i = 0; i < pool->worker_count; i++) {
        thread_join(&pool->workers[i].thread);
    }
}
