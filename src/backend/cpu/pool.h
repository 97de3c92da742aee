// The pool of threads that run kernels. It knows two things: jobs, which run once on some worker, and loops, whose
// chunks are shared by every worker that has nothing else to do.
//
// A worker that shares a loop looks for jobs between two chunks, so that a long loop does not keep other streams
// waiting; after a job it goes back to a loop, so that jobs do not keep loops waiting.
//
// A worker never waits. A job that needs what is not there yet returns, and whoever makes it there pushes the job
// again. A loop has no owner that waits for it: the last worker to leave it goes on with what comes after.
//
// The chunks of a loop are first divided evenly, worker by worker, so that a loop which runs again touches the same
// memory on the same core; a worker whose share is used up takes half of what is left of another's.
//
// A thread of the host that waits is a guest: it runs what it waits for itself if nobody has begun it, which is faster
// than handing it to another thread. Whoever works has a seat, and there are as many as the pool has workers: a guest
// takes the place of a worker that has nothing to do, so that never more threads run kernels than were asked for.
//
// Files: queue.c jobs, sleep.c who sleeps and who is woken, seats.c seats and processors, spin.c workers that poll for
// work, loop.c loops, pool.c what a worker does next, guests, start and end. pool_parts.h is what these share.
#ifndef RILL_BACKEND_CPU_POOL_H
#define RILL_BACKEND_CPU_POOL_H

#include "base/eventcount.h"
#include "base/thread.h"
#include "rill/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cpu_pool;

enum {
    POOL_MAX_WORKERS = 1024,
    POOL_LEVELS = 3,
    POOL_SLOTS = 64,       // loops that others can come to at the same time
    POOL_WAKE_AT_ONCE = 2, // threads that one wakes, who wake others in turn
};

// What a worker does. A state says how the worker is counted, and so what those who add work may leave to it.
//
//              counted as     seat   lock
//   SEARCHING  nothing        no     held: looks for what to do next. Also a guest that runs nothing, without the lock
//   WORKING    busy           yes    runs a job or works on a loop
//   LINGERING  busy, spinner  yes    polls for the next operation of the stream whose job it runs
//   SPINNING   spinner        no     polls for work
//   VISITING   spinner        yes    works on a loop that it found while it was spinning: the loop's slot counts it
//   SLEEPING   sleeper        no     waits to be woken
//
//     SLEEPING <----> SEARCHING <----> SPINNING <----> VISITING
//                         ^                                ^
//                         |  takes a seat, leaves it       |  was the last to leave the loop: runs what comes after it
//                         v                                |
//     LINGERING <---> WORKING <----------------------------+
//
// Every arrow is one call of cpu_worker_change(), which names both of its ends.
enum cpu_worker_state {
    WORKER_SEARCHING, // all zero
    WORKER_WORKING,
    WORKER_LINGERING,
    WORKER_SPINNING,
    WORKER_VISITING,
    WORKER_SLEEPING,
};

struct cpu_worker {
    struct cpu_pool *pool;       // borrowed
    enum cpu_worker_state state; // only the worker itself sees it
    int index;                   // its seat, while it has one
    int home;                    // the seat that it takes if it can
    bool had_job;                // the last thing it did was a job: a loop's turn
    bool has_looked;             // it did nothing since it last polled for work
    bool was_woken;              // it did nothing since it slept
    unsigned turn;               // which of several loops it goes to next
    struct cpu_pool_loop *ended; // a loop that it came to too late, and is the last to leave; see loop_enter()
    void *guest;                 // of a guest: what it waits for, for those who make jobs; NULL: a thread of the pool
    struct thread thread;
};

// What a job was pushed as.
enum cpu_pool_push {
    POOL_PUSH_PLAIN, // for whoever comes first
    POOL_PUSH_SMALL, // offered, and not worth waking a worker for
    POOL_PUSH_OFFER, // see cpu_pool_offer()
};

// Lives inside the object it advances. It is in the queue at most once.
struct cpu_pool_job {
    void (*run)(struct cpu_pool_job *job, struct cpu_worker *worker);
    const void *owner;         // guests that wait for this one may run it; set while it is not in the queue
    struct cpu_pool_job *next; // guarded by the pool's lock
    int level;                 // 0 first, POOL_LEVELS - 1 last
    enum cpu_pool_push push;   // guarded by the pool's lock
    uint64_t push_time;        // when it was pushed; only if the pool is timed
};

// A worker's share of a loop: the chunks [begin, end), begin in the low half.
struct cpu_pool_share {
    _Alignas(64) _Atomic uint64_t range;
};

// Lives inside the object that runs it, and may be used again once it is over.
struct cpu_pool_loop {
    void (*body)(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker);
    void (*over)(struct cpu_pool_loop *loop,
                 struct cpu_worker *worker); // by the last to leave, if that is not the opener
    const void *owner;                       // guests that wait for this one may visit it
    struct cpu_pool_share *shares;           // one for each worker of the pool
    int chunk_count;
    int first_seat;      // whose share is the first
    int share_count;     // shares that have chunks at first: of that seat and the next ones
    bool is_short;       // nobody is woken for it, unless its first chunk takes long
    bool is_timed;       // its opener measures a chunk
    uint64_t chunk_time; // nanoseconds of that chunk; 0: it was not measured
};

// Where an open loop stands. See loop.c.
struct cpu_pool_slot {
    _Alignas(64) _Atomic uint64_t state;
    _Atomic(struct cpu_pool_loop *) loop; // of the loop that is open, and so is what follows
    _Atomic(const void *) owner;
    atomic_int chunk_count;
    atomic_bool is_short;
};

// A seat is its own cache line: a worker that takes its own disturbs nobody.
struct cpu_pool_seat {
    _Alignas(64) atomic_bool is_taken;
    atomic_short processor;      // where who sits there began; of seats that are taken
    _Atomic uint64_t task_count; // tasks that were begun there, by whoever sat there
};

struct cpu_pool {
    struct cpu_worker *workers; // owned; all that is not changed once threads have started is side by side
    int worker_count;
    int processor_count; // that they share; 0: nobody has asked; set before cpu_pool_start()
    bool is_alone;  // one processor: who looks for work keeps it from who would make some; set before cpu_pool_start()
    bool is_frugal; // the processors' time is limited: nobody looks for work for long; set before cpu_pool_start()
    bool is_fuzzed; // |schedule| was set
    bool is_timed;  // notes when jobs are pushed, for a trace; set before cpu_pool_start()
    struct thread_latch start_lock; // one thread at a time starts the workers
    atomic_bool *sleeps; // borrowed: set while all workers sleep; NULL: nobody looks; set before cpu_pool_start()

    _Alignas(64) struct thread_latch lock;   // for moments: when a loop opens every worker comes for it
    int small_count;                         // guarded by lock: jobs queued that are small
    struct cpu_pool_job *first[POOL_LEVELS]; // guarded by lock
    struct cpu_pool_job *last[POOL_LEVELS];  // guarded by lock
    atomic_int sleeping;                     // changed under the lock
    int waking;                              // guarded by lock: were woken and have not come yet
    _Atomic uint64_t slots_taken;            // a bit for each slot in use; set under the lock
    uint64_t slept_time;                     // guarded by lock: when a worker last fell asleep
    atomic_bool is_watchful; // work came soon after workers had fallen asleep: they look for it for longer
    bool stop;               // guarded by lock
    int started_count;       // changed under lock, and start_lock
    uint64_t schedule;       // guarded by lock: state of the schedule fuzzer; 0: off

    // Looked at by all who look for work: a change here costs whoever makes it a turn with each of them. So the line is
    // changed once where a loop opens, once where it closes, and once where a job comes or goes.
    _Alignas(64) _Atomic uint64_t slots_open; // a bit for each slot whose loop has chunks to take
    atomic_int ready;                         // jobs queued that were not offered; changed under the lock
    atomic_int offered;                       // jobs queued that were; changed under the lock
    atomic_uint called;                       // the seats for which the newest loop has shares: see loop.c
    _Alignas(64) atomic_uint change_count;    // jobs ever pushed and loops ever opened: guests look at it
    // Who comes to a loop from looking for work stays among the spinners, and its seat is not counted here: the slot
    // counts it instead, so that a short loop is not spent on one more line that all change.
    _Alignas(64) struct pollers spinners;     // workers that look for work
    atomic_int busy_count;                    // seats taken
    _Alignas(64) _Atomic uint64_t short_time; // when a short loop last opened while workers slept
    struct eventcount wakeups;                // workers sleep here
    // The job that is reserved for the host's thread that queued it: see cpu_pool_reserve(). Only one of the spinners
    // looks at it, and only now and then, so that the line stays with who queues.
    _Alignas(64) _Atomic(struct cpu_pool_job *) reserved;
    atomic_uint reserved_count;          // jobs ever put there
    _Alignas(64) struct pollers watcher; // the spinner that looks at it; one at most
    struct cpu_pool_slot slots[POOL_SLOTS];
    struct cpu_pool_seat seats[POOL_MAX_WORKERS];
};

// |workers| is memory for |worker_count| of them. Threads start with cpu_pool_start().
void cpu_pool_init(struct cpu_pool *pool, struct cpu_worker *workers, int worker_count);
// Starts the threads unless they run. One thread is enough to go on: what fails to start beyond it is left out.
rill_status cpu_pool_start(struct cpu_pool *pool);
// The queue is empty and nothing runs. Joins the threads.
void cpu_pool_finish(struct cpu_pool *pool);

// Takes jobs in an order made from |seed|, which need not be fair, and delays some of them: any order that the pool may
// choose must be right. 0 turns it off. Before cpu_pool_start().
void cpu_pool_fuzz_schedule(struct cpu_pool *pool, uint64_t seed);

void cpu_pool_push(struct cpu_pool *pool, struct cpu_pool_job *job);
// The same, by a worker or a guest that will come back for it itself before long: wakes nobody, and who only looks for
// work leaves it for a moment.
void cpu_pool_push_small(struct cpu_pool *pool, struct cpu_pool_job *job);
// Turns small jobs into ordinary ones: the guest that would have come back for them is leaving.
void cpu_pool_promote_small(struct cpu_pool *pool);
// The same, by a thread of the host, which may be about to wait for it: workers that only look for work leave it the
// job for a moment.
void cpu_pool_offer(struct cpu_pool *pool, struct cpu_pool_job *job);
// The same, and while a spinner watches, the job stays reserved for the host: the thread that waits takes it back by
// cpu_pool_unreserve() and tells nobody. One job at a time: the one before goes to the workers.
void cpu_pool_reserve(struct cpu_pool *pool, struct cpu_pool_job *job);
// Takes back a job that is still reserved. It is looked for by its address alone: it may be gone.
bool cpu_pool_unreserve(struct cpu_pool *pool, struct cpu_pool_job *job);
bool cpu_pool_has_work(struct cpu_pool *pool); // jobs or loops

// Jobs that are queued.
static inline int cpu_pool_job_count(struct cpu_pool *pool)
{
    return atomic_load_explicit(&pool->ready, memory_order_relaxed) +
           atomic_load_explicit(&pool->offered, memory_order_relaxed);
}

// A worker that runs a job polls |rounds| times for what it is about to need, until |has_come| says that it is there or
// there is other work. It counts as a spinner meanwhile, so that nobody is woken in vain.
void cpu_pool_linger(struct cpu_worker *worker, int rounds, bool (*has_come)(void *arg), void *arg);

// A guest that waits for |owners| runs a job of one of them, or works on a loop of one, if there is any and a seat is
// free that no other job needs. False: there was not.
bool cpu_pool_help(struct cpu_pool *pool, struct cpu_worker *guest, const void *const *owners, int owner_count);

// Opens the loop over |chunk_count| chunks and works on it. True: all of it has run and |over| is not called. False:
// other workers still run chunks of it, and the last of them calls |over|; the caller must not touch the loop any more.
bool cpu_pool_run_loop(struct cpu_pool *pool, struct cpu_pool_loop *loop, uint32_t chunk_count,
                       struct cpu_worker *worker);

// How many seats are free.
int cpu_pool_free_seats(struct cpu_pool *pool);

// Counts a task that |worker| begins, in the seat that it has to itself: no line that another changes.
static inline void cpu_pool_count_task(const struct cpu_worker *worker)
{
    _Atomic uint64_t *count = &worker->pool->seats[worker->index].task_count;
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}
uint64_t cpu_pool_task_count(struct cpu_pool *pool); // of all seats together

// A guest sits down to run a job that only it knows, and gets up again. False: no seat is free that no other job needs.
bool cpu_pool_sit_down(struct cpu_pool *pool, struct cpu_worker *guest);
void cpu_pool_get_up(struct cpu_pool *pool, struct cpu_worker *guest);

#endif
