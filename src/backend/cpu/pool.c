#include "backend/cpu/pool.h"

#include "base/clock.h"

#include <stddef.h>

enum {
    SPIN_PAUSE = 8, // of thread_relax() between two looks for work
    SPIN_TURN = 4,  // looks before others get a turn
    SPIN_TIME =
        200 * 1000,    // nanoseconds that a worker looks for work before it sleeps: several times what waking costs
    OFFER_TIME = 1500, // nanoseconds that a job is left to the host's thread that pushed it
    LINGER_PAUSE = 4,  // of thread_relax() between two looks of pool_linger()
    LINGER_TURN = 8,   // of these before others get a turn
};

// ---- waking -------------------------------------------------------------------------------------------------------

static const uint64_t ONE_ACTIVE = 1;
static const uint64_t ONE_SPINNING = UINT64_C(1) << 32;

static int spinning(struct pool *pool)
{
    return (int)(atomic_load(&pool->census) >> 32);
}

static int active(struct pool *pool)
{
    return (int)(uint32_t)atomic_load_explicit(&pool->census, memory_order_relaxed);
}

int pool_free_seats(struct pool *pool)
{
    return pool->worker_count - active(pool);
}

// How many more workers there is work for. The lock is held.
static int demand(struct pool *pool)
{
    return atomic_load_explicit(&pool->job_count, memory_order_relaxed) - pool->small_count + loop_demand(pool);
}

// How many of those who sleep should get up, at most |most|: there is more work than workers who look for it. They are
// counted as coming; the caller lets go of the lock and then wakes them. The lock is held.
static int choose_sleepers(struct pool *pool, int most)
{
    int sleeping = atomic_load_explicit(&pool->sleeping, memory_order_relaxed);
    if (sleeping == 0) {
        return 0;
    }
    int wanted = demand(pool);
    int seats = pool_free_seats(pool);
    wanted = (wanted < seats ? wanted : seats) - spinning(pool) - pool->waking;
    wanted = wanted < most ? wanted : most;
    wanted = wanted < sleeping ? wanted : sleeping;
    if (wanted <= 0) {
        return 0;
    }
    atomic_store_explicit(&pool->sleeping, sleeping - wanted, memory_order_relaxed);
    pool->waking += wanted;
    atomic_fetch_add_explicit(&pool->wake_word, 1, memory_order_relaxed);
    return wanted;
}

// Whoever looks for work, or is coming to do so, will find what was offered. The lock is held.
static bool is_anybody_up(struct pool *pool)
{
    return pool->waking > 0 || spinning(pool) > 0;
}

// The same by a guest, or for one. It may be about to do the next thing itself.
static int choose_for_offers(struct pool *pool, int most)
{
    bool is_urgent = atomic_load_explicit(&pool->ready, memory_order_relaxed) > 0;
    return !is_urgent && is_anybody_up(pool) ? 0 : choose_sleepers(pool, most);
}

static void unlock_and_wake(struct pool *pool, int count)
{
    thread_latch_unlock(&pool->lock);
    if (count > 0) {
        thread_wake(&pool->wake_word, count);
    }
}

void pool_unlock_and_wake(struct pool *pool, int most)
{
    unlock_and_wake(pool, most > 0 ? choose_sleepers(pool, most) : 0);
}

// Until it is woken, or the pool stops. The lock is held on entry and on return.
static void sleep_for_work(struct pool *pool)
{
    atomic_fetch_add_explicit(&pool->sleeping, 1, memory_order_relaxed);
    while (pool->waking == 0 && !pool->stop) {
        unsigned seen = atomic_load_explicit(&pool->wake_word, memory_order_relaxed);
        thread_latch_unlock(&pool->lock);
        thread_sleep(&pool->wake_word, seen);
        thread_latch_lock(&pool->lock);
    }
    if (pool->waking > 0) { // who woke has taken it out of |sleeping|
        pool->waking--;
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
static bool find_seat(struct pool *pool, struct pool_worker *worker)
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
    atomic_fetch_add(&pool->census, ONE_ACTIVE);
    return true;
}

static void leave_seat(struct pool *pool, const struct pool_worker *worker)
{
    give_back_seat(pool, worker);
    atomic_fetch_sub(&pool->census, ONE_ACTIVE);
}

// ---- jobs ---------------------------------------------------------------------------------------------------------

enum push_kind { PUSH_PLAIN, PUSH_SMALL, PUSH_OFFER };

static void push(struct pool *pool, struct pool_job *job, enum push_kind kind)
{
    if (pool->is_timed) {
        job->push_time = clock_now();
    }
    thread_latch_lock(&pool->lock);
    job->next = NULL;
    job->is_small = kind == PUSH_SMALL;
    job->is_offered = kind != PUSH_PLAIN;
    pool->small_count += job->is_small;
    if (pool->first[job->level] == NULL) {
        pool->first[job->level] = job;
    } else {
        pool->last[job->level]->next = job;
    }
    pool->last[job->level] = job;
    // Before |spinning| is looked at: see pool_linger().
    atomic_fetch_add(job->is_offered ? &pool->offered : &pool->ready, 1);
    atomic_fetch_add_explicit(&pool->job_count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool->change_count, 1, memory_order_relaxed);
    unlock_and_wake(pool, kind == PUSH_OFFER ? choose_for_offers(pool, 1) : choose_sleepers(pool, 1));
}

void pool_push(struct pool *pool, struct pool_job *job)
{
    push(pool, job, PUSH_PLAIN);
}

void pool_push_small(struct pool *pool, struct pool_job *job)
{
    push(pool, job, PUSH_SMALL);
}

void pool_offer(struct pool *pool, struct pool_job *job)
{
    push(pool, job, PUSH_OFFER);
}

// What nobody was woken for, because a guest would come back to it, is for workers after all. The lock is held.
static void forget_small(struct pool *pool)
{
    if (pool->small_count == 0) {
        return;
    }
    for (int level = 0; level < POOL_LEVELS; level++) {
        for (struct pool_job *job = pool->first[level]; job != NULL; job = job->next) {
            job->is_small = false;
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
    return atomic_load_explicit(&pool->ready, memory_order_relaxed) > 0 ||
           atomic_load_explicit(&pool->offered, memory_order_relaxed) > 0;
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
    pool->small_count -= job->is_small;
    atomic_fetch_sub_explicit(job->is_offered ? &pool->offered : &pool->ready, 1, memory_order_release);
    atomic_fetch_sub_explicit(&pool->job_count, 1, memory_order_relaxed);
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
    int count = atomic_load_explicit(&pool->job_count, memory_order_relaxed);
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
        for (int k = 0; k < SPIN_PAUSE; k++) {
            thread_relax();
        }
        if (atomic_load_explicit(&pool->ready, memory_order_relaxed) > 0) {
            return true;
        }
        if (atomic_load_explicit(&pool->offered, memory_order_relaxed) == 0) {
            return false;
        }
    } while (clock_now() < end);
    return true;
}

void pool_linger(struct pool_worker *worker, int rounds, bool (*has_come)(void *arg), void *arg)
{
    struct pool *pool = worker->pool;
    if (pool->is_alone) {
        return;
    }
    atomic_fetch_add(&pool->census, ONE_SPINNING);
    for (int i = 1; i <= rounds && !has_come(arg) && !pool_has_jobs(pool); i++) {
        if (i % LINGER_TURN == 0) {
            thread_yield();
        }
        for (int k = 0; k < LINGER_PAUSE; k++) {
            thread_relax();
        }
    }
    worker->has_looked = !has_come(arg);
    // Work that came meanwhile woke nobody, and this worker may be about to do something else. Who adds work counts it
    // and then looks for spinners; this is the other way round, so that one of the two sees the other.
    atomic_fetch_sub(&pool->census, ONE_SPINNING);
    if (atomic_load(&pool->ready) == 0 && atomic_load(&pool->offered) == 0) {
        return;
    }
    thread_latch_lock(&pool->lock);
    unlock_and_wake(pool, choose_sleepers(pool, 1));
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

// Goes to a loop that is open without taking the lock, where no job waits. The worker is one that looks for work, and
// is again afterwards. False: there is none, or there is something that needs the lock.
static bool visit_at_once(struct pool *pool, struct pool_worker *worker)
{
    if (pool->is_fuzzed || atomic_load_explicit(&pool->job_count, memory_order_relaxed) > 0 ||
        atomic_load_explicit(&pool->slots_open, memory_order_acquire) == 0 || !find_seat(pool, worker)) {
        return false;
    }
    atomic_fetch_add(&pool->census, ONE_ACTIVE - ONE_SPINNING);
    struct pool_slot *slot = loop_enter(pool, worker, NULL);
    bool has_work = slot != NULL || worker->ended != NULL;
    if (has_work) {
        note_processor(pool, worker);
        worker->has_looked = false;
        if (atomic_load_explicit(&pool->sleeping, memory_order_relaxed) > 0 && loop_demand(pool) > 0) {
            thread_latch_lock(&pool->lock);
            pool_unlock_and_wake(pool, POOL_WAKE_AT_ONCE);
        }
        loop_visit(pool, slot, worker);
    }
    give_back_seat(pool, worker);
    // Whoever adds work counts it and then looks for who looks for work; this is the other way round.
    atomic_fetch_add(&pool->census, ONE_SPINNING - ONE_ACTIVE);
    return has_work;
}

// Looks for work, until there is some that needs the lock or it has looked for long.
static void spin_for_work(struct pool *pool, struct pool_worker *worker)
{
    atomic_fetch_add(&pool->census, ONE_SPINNING);
    uint64_t end = clock_now() + SPIN_TIME;
    for (int i = 1; !pool->is_alone; i++) {
        if (atomic_load_explicit(&pool->ready, memory_order_acquire) > 0) {
            if (!visit_at_once(pool, worker)) {
                break;
            }
            end = clock_now() + SPIN_TIME;
        } else if (atomic_load_explicit(&pool->offered, memory_order_acquire) > 0) {
            if (outlasts_offer(pool)) {
                if (atomic_load_explicit(&pool->ready, memory_order_relaxed) == 0) {
                    break;
                }
                continue;
            }
            end = clock_now() + SPIN_TIME; // others are busy: more will come
        }
        if (i % SPIN_TURN == 0) {
            if (clock_now() >= end) {
                break;
            }
            thread_yield();
        }
        for (int k = 0; k < SPIN_PAUSE; k++) {
            thread_relax();
        }
    }
    // Whoever adds work and still sees a spinner wakes nobody; so the queue is looked at again, under the lock, after
    // this.
    atomic_fetch_sub(&pool->census, ONE_SPINNING);
}

// Runs a job or visits a loop, in a seat. The lock is held on entry and on return.
static void work(struct pool *pool, struct pool_worker *worker, struct pool_job *job, struct pool_slot *slot)
{
    int wake =
        worker->guest != NULL ? choose_for_offers(pool, POOL_WAKE_AT_ONCE) : choose_sleepers(pool, POOL_WAKE_AT_ONCE);
    int delay = pool->schedule != 0 && next_random(pool) % 4 == 0 ? (int)(next_random(pool) % 2000) : 0;
    uint64_t busy[THREAD_PROCESSORS / 64] = {0};
    bool must_move = shares_processor(pool, worker, busy) && (job != NULL || worker->was_woken);
    worker->was_woken = false;
    unlock_and_wake(pool, wake);
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

// All workers but one may look for work at once: the host's own thread needs a processor too. Fewer would leave the
// next short loop to those that are awake.
static int spinner_limit(const struct pool *pool)
{
    return pool->worker_count > 1 ? pool->worker_count - 1 : 1;
}

static bool may_spin(struct pool *pool)
{
    return spinning(pool) < spinner_limit(pool) && pool_free_seats(pool) > 0;
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
            spin_for_work(pool, worker);
            thread_latch_lock(&pool->lock);
            has_spun = true;
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

rill_status pool_start(struct pool *pool)
{
    rill_status status = RILL_OK;
    thread_latch_lock(&pool->lock);
    while (pool->started_count < pool->worker_count) {
        struct pool_worker *worker = &pool->workers[pool->started_count];
        status = thread_start(&worker->thread, "rill-worker", run_worker, worker);
        if (status != RILL_OK) {
            break;
        }
        pool->started_count++;
    }
    bool is_usable = pool->started_count > 0;
    thread_latch_unlock(&pool->lock);
    return is_usable ? RILL_OK : status;
}

void pool_finish(struct pool *pool)
{
    thread_latch_lock(&pool->lock);
    pool->stop = true;
    atomic_fetch_add_explicit(&pool->wake_word, 1, memory_order_relaxed);
    unlock_and_wake(pool, pool->worker_count);
    for (int i = 0; i < pool->worker_count; i++) {
        thread_join(&pool->workers[i].thread);
    }
}
