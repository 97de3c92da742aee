// Jobs that stay in the hands of the host's thread that queued them: it can take them back, and none is forgotten there
// when the worker that watches over it does something else or falls asleep. A job that nobody comes for hangs the test.
#include "pools.h"

enum { WORKERS = 3, HOSTS = 3 };

struct host {
    struct cpu_pool_job job;
    struct cpu_pool *pool;
    atomic_int ran;
    int rounds;
    unsigned seed;
    struct thread thread;
};

static void note_run(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    (void)worker;
    atomic_fetch_add(&((struct host *)job)->ran, 1);
}

static void finish(struct cpu_pool *pool)
{
    struct cpu_worker *workers = pool->workers;
    cpu_pool_finish(pool);
    CHECK(atomic_load(&pool->reserved) == NULL);
    CHECK_INT(atomic_load(&pool->watcher.count), 0);
    free(workers);
    free(pool);
}

static struct host host_of(struct cpu_pool *pool)
{
    return (struct host){.pool = pool, .job.run = note_run, .job.level = 1};
}

// The pool has no threads here: whatever happens, happens in these calls.
TEST(job_is_in_hand_while_a_worker_watches)
{
    struct cpu_pool *pool = make_pool(1);
    struct host hosts[3] = {host_of(pool), host_of(pool), host_of(pool)};
    CHECK(!cpu_pool_unreserve(pool, &hosts[0].job));
    pollers_enter(&pool->watcher);
    cpu_pool_reserve(pool, &hosts[0].job);
    CHECK_INT(cpu_pool_job_count(pool), 0);
    CHECK(!cpu_pool_unreserve(pool, &hosts[1].job));
    CHECK(cpu_pool_unreserve(pool, &hosts[0].job));
    CHECK(!cpu_pool_unreserve(pool, &hosts[0].job));
    cpu_pool_reserve(pool, &hosts[0].job);
    cpu_pool_reserve(pool, &hosts[1].job); // the one before goes to the workers
    CHECK_INT(cpu_pool_job_count(pool), 1);
    CHECK(!cpu_pool_unreserve(pool, &hosts[0].job));
    CHECK(cpu_pool_unreserve(pool, &hosts[1].job));
    pollers_leave(&pool->watcher);
    cpu_pool_reserve(pool, &hosts[2].job); // nobody would see it
    CHECK_INT(cpu_pool_job_count(pool), 2);
    CHECK(!cpu_pool_unreserve(pool, &hosts[2].job));
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    while (atomic_load(&hosts[0].ran) + atomic_load(&hosts[2].ran) < 2) {
        thread_yield();
    }
    CHECK_INT(atomic_load(&hosts[1].ran), 0);
    finish(pool);
}

static unsigned next_number(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

// Pauses about as long as a worker looks for work, so that jobs come at every step on its way to sleep and back.
static void rest(struct host *own)
{
    unsigned number = next_number(&own->seed);
    if (number % 4 == 0) {
        usleep(number / 4 % 400);
    }
    for (unsigned i = 0; i < number % 500; i++) {
        thread_relax();
    }
}

static void *hand_and_wait(void *arg)
{
    struct host *own = arg;
    for (int round = 0; round < own->rounds; round++) {
        rest(own);
        cpu_pool_reserve(own->pool, &own->job);
        if (next_number(&own->seed) % 2 == 0 && cpu_pool_unreserve(own->pool, &own->job)) {
            note_run(&own->job, NULL);
        }
        for (int looks = 0; atomic_load(&own->ran) <= round; looks++) {
            if (looks % 64 == 63) {
                thread_yield();
            }
            thread_relax();
        }
    }
    return NULL;
}

struct looping {
    struct cpu_pool_job job;
    struct cpu_pool_loop loop;
    struct cpu_pool *pool;
    atomic_bool stop;
    atomic_int done;
    atomic_int chunks;
    int rounds;
};

static void spend(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct looping *own = (struct looping *)((char *)loop - offsetof(struct looping, loop));
    (void)worker;
    atomic_fetch_add(&own->chunks, 1);
    for (int i = 0; i < 20 * (int)chunk; i++) {
        thread_relax();
    }
}

static void run_round(struct cpu_pool_job *job, struct cpu_worker *worker);

// Goes back to the queue after each loop, so that workers look for work in between.
static void round_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    struct looping *own = (struct looping *)((char *)loop - offsetof(struct looping, loop));
    (void)worker;
    own->rounds++;
    if (atomic_load(&own->stop)) {
        atomic_store(&own->done, 1);
    } else {
        cpu_pool_push(own->pool, &own->job);
    }
}

static void run_round(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct looping *own = (struct looping *)job;
    own->loop.is_short = own->rounds % 3 != 0;
    own->loop.is_timed = own->loop.is_short;
    if (cpu_pool_run_loop(own->pool, &own->loop, 5, worker)) {
        round_over(&own->loop, worker);
    }
}

static void hand_from_threads(int worker_count, int rounds, bool has_loops)
{
    struct cpu_pool *pool = make_pool(worker_count);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    struct looping loops = {.pool = pool};
    loops.job.run = run_round;
    loops.job.level = 1;
    loops.loop.body = spend;
    loops.loop.over = round_over;
    loops.loop.shares = aligned_alloc(64, (size_t)worker_count * sizeof(struct cpu_pool_share));
    if (has_loops) {
        cpu_pool_push(pool, &loops.job);
    }
    static struct host hosts[HOSTS];
    for (int i = 0; i < HOSTS; i++) {
        hosts[i] = host_of(pool);
        hosts[i].rounds = rounds;
        hosts[i].seed = (unsigned)i;
        REQUIRE(thread_start(&hosts[i].thread, "host", hand_and_wait, &hosts[i]) == RILL_OK);
    }
    for (int i = 0; i < HOSTS; i++) {
        thread_join(&hosts[i].thread);
        CHECK_INT(atomic_load(&hosts[i].ran), rounds);
    }
    atomic_store(&loops.stop, true);
    while (has_loops && atomic_load(&loops.done) == 0) {
        thread_yield();
    }
    CHECK_INT(atomic_load(&loops.chunks), 5 * loops.rounds);
    finish(pool);
    free(loops.loop.shares);
}

static int round_count(void)
{
    return getenv("RILL_TEST_LONG") != NULL ? 50000 : 700;
}

TEST(no_job_in_hand_is_forgotten_by_the_only_worker)
{
    hand_from_threads(1, round_count(), false);
}

TEST(no_job_in_hand_is_forgotten_by_several_workers)
{
    hand_from_threads(WORKERS, round_count(), false);
}

TEST(no_job_in_hand_is_forgotten_for_loops)
{
    hand_from_threads(WORKERS, round_count(), true);
}

// The opener's first chunk is long; in the others they meet.
static void meet_later(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    (void)worker;
    if (chunk == 0) {
        usleep(2000);
        return;
    }
    meet((struct meeting *)loop);
}

static void start_meeting(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct meeting *own = (struct meeting *)((char *)job - offsetof(struct meeting, job));
    own->loop.is_short = true;
    own->loop.is_timed = true;
    if (cpu_pool_run_loop(own->pool, &own->loop, 9, worker)) {
        meeting_over(&own->loop, worker);
    }
}

TEST(sleepers_come_to_a_loop_that_is_longer_than_it_was_thought_to_be)
{
    struct cpu_pool *pool = make_pool(3);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    while (atomic_load(&pool->sleeping) < 3) {
        usleep(1000);
    }
    struct meeting meeting = {.pool = pool};
    meeting.loop.body = meet_later;
    meeting.loop.over = meeting_over;
    meeting.loop.shares = aligned_alloc(64, 3 * sizeof(struct cpu_pool_share));
    struct cpu_worker guest = {.pool = pool, .guest = &guest}; // sits where the first share is
    meeting.job.run = start_meeting;
    REQUIRE(cpu_pool_sit_down(pool, &guest));
    meeting.job.run(&meeting.job, &guest);
    cpu_pool_get_up(pool, &guest);
    while (atomic_load(&meeting.done) == 0) {
        usleep(100);
    }
    CHECK_INT(atomic_load(&meeting.most), 3);
    wait_for_seats(pool, 3);
    finish(pool);
    free(meeting.loop.shares);
}

struct errand {
    struct cpu_pool_job opener;
    struct cpu_pool_job job;
    struct cpu_pool_loop loop;
    struct cpu_pool *pool;
    atomic_int round; // of the loop that is about to open
    atomic_int ran;   // times that |job| has run
    atomic_int done;  // loops that are over
};

// Looks often at first, so that what comes next comes at once.
static void wait_for(atomic_int *count, int least)
{
    for (int looks = 1; atomic_load(count) < least; looks++) {
        thread_relax();
        if (looks % 500 == 0) {
            usleep(50);
        }
    }
}

static void run_errand(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    (void)worker;
    atomic_fetch_add(&((struct errand *)((char *)job - offsetof(struct errand, job)))->ran, 1);
}

// A chunk that lasts until the job has run.
static void wait_for_errand(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct errand *own = (struct errand *)((char *)loop - offsetof(struct errand, loop));
    (void)chunk;
    (void)worker;
    wait_for(&own->ran, atomic_load(&own->round));
}

static void errand_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    (void)worker;
    atomic_fetch_add(&((struct errand *)((char *)loop - offsetof(struct errand, loop)))->done, 1);
}

static void open_for_errand(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct errand *own = (struct errand *)job;
    own->loop.is_short = true; // as it was thought to be
    atomic_fetch_add(&own->round, 1);
    if (cpu_pool_run_loop(own->pool, &own->loop, 2, worker)) {
        errand_over(&own->loop, worker);
    }
}

// Who looks for work counts on a job that is pushed, and may be on its way into a loop already: then it has to see to
// it that somebody else gets up. Two of three workers have the chunks here, and the third sleeps or looks for work.
TEST(job_that_was_left_to_a_worker_on_its_way_into_a_loop_does_not_wait_for_the_loop)
{
    struct cpu_pool *pool = make_pool(3);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    struct errand errand = {.pool = pool};
    errand.opener.run = open_for_errand;
    errand.job.run = run_errand;
    errand.loop.body = wait_for_errand;
    errand.loop.over = errand_over;
    errand.loop.shares = aligned_alloc(64, 3 * sizeof(struct cpu_pool_share));
    unsigned seed = 1;
    int rounds = round_count() / 7;
    for (int round = 1; round <= rounds; round++) {
        cpu_pool_push(pool, &errand.opener);
        wait_for(&errand.round, round);
        for (unsigned i = next_number(&seed) % 60; i > 0; i--) {
            thread_relax();
        }
        cpu_pool_push(pool, &errand.job);
        wait_for(&errand.done, round);
    }
    CHECK_INT(atomic_load(&errand.ran), rounds);
    finish(pool);
    free(errand.loop.shares);
}

TEST(guest_sits_only_where_no_job_waits_for_the_seat)
{
    struct cpu_pool *pool = make_pool(1);
    struct host host = host_of(pool);
    struct cpu_worker guest = {.pool = pool, .guest = &guest};
    struct cpu_worker other = {.pool = pool, .guest = &other};
    REQUIRE(cpu_pool_sit_down(pool, &guest));
    CHECK(!cpu_pool_sit_down(pool, &other));
    cpu_pool_get_up(pool, &guest);
    cpu_pool_push(pool, &host.job);
    CHECK(!cpu_pool_sit_down(pool, &guest));
    CHECK_INT(cpu_pool_free_seats(pool), 1);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    while (atomic_load(&host.ran) < 1) {
        thread_yield();
    }
    finish(pool);
}
