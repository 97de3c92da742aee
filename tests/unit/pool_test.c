// The pool by itself: jobs run once, loops run every chunk once, whoever leaves last goes on.
#include "pools.h"

// ---- jobs ---------------------------------------------------------------------------------------------------------

struct counting_job {
    struct cpu_pool_job job;
    atomic_int *done;
    atomic_int *order;
    int place; // among those that ran
};

static void count_job(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct counting_job *own = (struct counting_job *)job;
    (void)worker;
    own->place = own->order != NULL ? atomic_fetch_add(own->order, 1) : 0;
    atomic_fetch_add(own->done, 1);
}

static void wait_until(atomic_int *counter, int wanted)
{
    while (atomic_load(counter) < wanted) {
        usleep(100);
    }
}

TEST(threads_start_only_when_asked)
{
    struct cpu_pool *pool = make_pool(3);
    CHECK_INT(pool->started_count, 0);
    CHECK_INT(cpu_pool_start(pool), RILL_OK);
    CHECK_INT(pool->started_count, 3);
    CHECK_INT(cpu_pool_start(pool), RILL_OK);
    CHECK_INT(pool->started_count, 3);
    free_pool(pool);
    pool = make_pool(2);
    free_pool(pool); // never started
}

static void *push_many(void *arg)
{
    struct counting_job *jobs = ((void **)arg)[0];
    struct cpu_pool *pool = ((void **)arg)[1];
    for (int i = 0; i < 1000; i++) {
        cpu_pool_push(pool, &jobs[i].job);
    }
    return NULL;
}

TEST(every_job_runs_once_whoever_pushes_it)
{
    enum { PUSHERS = 4, EACH = 1000 };
    struct cpu_pool *pool = make_pool(3);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    static struct counting_job jobs[PUSHERS][EACH];
    atomic_int done = 0;
    struct thread threads[PUSHERS] = {{0}};
    void *args[PUSHERS][2];
    for (int i = 0; i < PUSHERS; i++) {
        for (int k = 0; k < EACH; k++) {
            jobs[i][k] = (struct counting_job){.job.run = count_job, .job.level = k % POOL_LEVELS, .done = &done};
        }
        args[i][0] = jobs[i];
        args[i][1] = pool;
        REQUIRE(thread_start(&threads[i], "pusher", push_many, args[i]) == RILL_OK);
    }
    for (int i = 0; i < PUSHERS; i++) {
        thread_join(&threads[i]);
    }
    wait_until(&done, PUSHERS * EACH);
    usleep(1000);
    CHECK_INT(atomic_load(&done), PUSHERS * EACH);
    free_pool(pool);
}

TEST(jobs_of_a_better_level_go_first)
{
    struct cpu_pool *pool = make_pool(1);
    atomic_int done = 0;
    atomic_int order = 0;
    struct counting_job jobs[3];
    for (int i = 0; i < 3; i++) {
        jobs[i] = (struct counting_job){.job.run = count_job, .job.level = 2 - i, .done = &done, .order = &order};
        cpu_pool_push(pool, &jobs[i].job);
    }
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    wait_until(&done, 3);
    CHECK_INT(jobs[2].place, 0);
    CHECK_INT(jobs[1].place, 1);
    CHECK_INT(jobs[0].place, 2);
    free_pool(pool);
}

// ---- latches ------------------------------------------------------------------------------------------------------

struct latched {
    struct thread_latch latch;
    long count; // guarded by latch
};

static void *count_under_a_latch(void *arg)
{
    struct latched *latched = arg;
    for (int i = 0; i < 20000; i++) {
        thread_latch_lock(&latched->latch);
        latched->count++;
        if (i % 5000 == 0) {
            usleep(1000); // longer than anybody looks: others sleep
        }
        thread_latch_unlock(&latched->latch);
    }
    return NULL;
}

TEST(latch_keeps_all_but_one_out_and_wakes_who_slept)
{
    struct latched latched = {.count = 0};
    struct thread threads[6] = {{0}};
    for (int i = 0; i < 6; i++) {
        REQUIRE(thread_start(&threads[i], "latch", count_under_a_latch, &latched) == RILL_OK);
    }
    for (int i = 0; i < 6; i++) {
        thread_join(&threads[i]);
    }
    CHECK_INT(latched.count, 6 * 20000);
    CHECK_INT(atomic_load(&latched.latch.state), 0);
}

static void *count_once(void *arg)
{
    struct latched *latched = arg;
    thread_latch_lock(&latched->latch);
    latched->count++;
    thread_latch_unlock(&latched->latch);
    return NULL;
}

// Who lets go may have looked before a sleeper said so: then its word is overwritten and nobody wakes it.
TEST(latch_is_found_again_by_a_sleeper_that_was_overlooked)
{
    struct latched latched = {.count = 0};
    struct thread thread = {0};
    thread_latch_lock(&latched.latch);
    REQUIRE(thread_start(&thread, "latch", count_once, &latched) == RILL_OK);
    while (atomic_load(&latched.latch.state) != 2) {
        usleep(100);
    }
    usleep(2000); // it sleeps now, or not yet: it must come in either case
    CHECK_INT(latched.count, 0);
    atomic_store(&latched.latch.state, 0);
    thread_join(&thread);
    CHECK_INT(latched.count, 1);
    CHECK_INT(atomic_load(&latched.latch.state), 0);
}

// ---- loops --------------------------------------------------------------------------------------------------------

struct counting_loop {
    struct cpu_pool_job job;
    struct cpu_pool_loop loop;
    struct cpu_pool *pool;
    uint32_t chunk_count;
    atomic_uchar *hits;
    atomic_int *done;
    int rounds;
    bool is_uneven;
};

static void count_chunk(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct counting_loop *own = (struct counting_loop *)((char *)loop - offsetof(struct counting_loop, loop));
    (void)worker;
    atomic_fetch_add_explicit(&own->hits[chunk], 1, memory_order_relaxed);
    if (own->is_uneven && chunk % 64 == 0) {
        usleep(50);
    }
}

static void next_round(struct counting_loop *own, struct cpu_worker *worker);

static void round_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    struct counting_loop *own = (struct counting_loop *)((char *)loop - offsetof(struct counting_loop, loop));
    own->rounds--;
    next_round(own, worker);
}

static void next_round(struct counting_loop *own, struct cpu_worker *worker)
{
    while (own->rounds > 0) {
        if (!cpu_pool_run_loop(own->pool, &own->loop, own->chunk_count, worker)) {
            return; // round_over goes on
        }
        own->rounds--;
    }
    atomic_fetch_add(own->done, 1);
}

static void start_loop(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    next_round((struct counting_loop *)job, worker);
}

static void run_loops(int worker_count, int loop_count, uint32_t chunk_count, int rounds, bool is_uneven)
{
    struct cpu_pool *pool = make_pool(worker_count);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    struct counting_loop *loops = calloc((size_t)loop_count, sizeof *loops);
    atomic_int done = 0;
    for (int i = 0; i < loop_count; i++) {
        struct counting_loop *loop = &loops[i];
        loop->job.run = start_loop;
        loop->job.level = 1;
        loop->loop.body = count_chunk;
        loop->loop.over = round_over;
        loop->loop.shares = aligned_alloc(64, (size_t)worker_count * sizeof(struct cpu_pool_share));
        loop->pool = pool;
        loop->chunk_count = chunk_count;
        loop->hits = calloc(chunk_count, sizeof *loop->hits);
        loop->done = &done;
        loop->rounds = rounds;
        loop->is_uneven = is_uneven;
        cpu_pool_push(pool, &loop->job);
    }
    wait_until(&done, loop_count);
    int wrong = 0;
    for (int i = 0; i < loop_count; i++) {
        for (uint32_t k = 0; k < chunk_count; k++) {
            wrong += loops[i].hits[k] != (unsigned char)rounds;
        }
        free(loops[i].hits);
        free(loops[i].loop.shares);
    }
    CHECK_INT(wrong, 0);
    free(loops);
    free_pool(pool);
}

TEST(every_chunk_runs_once_with_any_number_of_workers)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 64, 1000};
    for (int workers = 1; workers <= 7; workers += 2) {
        for (int i = 0; i < 6; i++) {
            run_loops(workers, 1, counts[i], 20, false);
        }
    }
}

TEST(uneven_chunks_are_taken_from_other_shares)
{
    run_loops(4, 1, 512, 3, true);
}

TEST(many_loops_at_once_do_not_mix)
{
    run_loops(4, 40, 100, 30, false);
}

// Workers leave each loop for the jobs that open the others, so that all are open at once: more than there are slots.
TEST(more_loops_than_slots_run_all_the_same)
{
    run_loops(3, POOL_SLOTS + 60, 40, 3, false);
}

// Who comes to a slot too late finds the next loop there, and must not end that one.
TEST(loops_that_end_at_once_are_not_mistaken_for_the_next)
{
    bool is_long = getenv("RILL_TEST_LONG") != NULL;
    for (int workers = 2; workers <= 6; workers += 2) {
        run_loops(workers, 1, 3, is_long ? 100000 : 2000, false); // counts in bytes wrap alike
        run_loops(workers, 3, 2, is_long ? 100000 : 2000, false);
    }
}

struct spam {
    struct cpu_pool *pool;
    struct counting_job jobs[16];
    atomic_int ran;
    atomic_bool stop;
};

// Keeps jobs coming, so that workers leave loops again and again.
static void *push_jobs(void *arg)
{
    struct spam *spam = arg;
    int pushed = 0;
    while (!atomic_load(&spam->stop)) {
        for (int i = 0; i < 16; i++) {
            cpu_pool_push(spam->pool, &spam->jobs[i].job);
        }
        pushed += 16;
        wait_until(&spam->ran, pushed);
    }
    return NULL;
}

static void run_loops_among_jobs(uint32_t chunk_count)
{
    enum { LOOPS = 6, ROUNDS = 200, WORKERS = 5 };
    struct cpu_pool *pool = make_pool(WORKERS);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    static struct spam spam;
    spam = (struct spam){.pool = pool};
    for (int i = 0; i < 16; i++) {
        spam.jobs[i] = (struct counting_job){.job.run = count_job, .job.level = i % POOL_LEVELS, .done = &spam.ran};
    }
    struct thread pusher = {0};
    REQUIRE(thread_start(&pusher, "pusher", push_jobs, &spam) == RILL_OK);
    static struct counting_loop loops[LOOPS];
    atomic_int done = 0;
    for (int i = 0; i < LOOPS; i++) {
        loops[i] = (struct counting_loop){.pool = pool, .chunk_count = chunk_count, .done = &done, .rounds = ROUNDS};
        loops[i].job.run = start_loop;
        loops[i].job.level = 1;
        loops[i].loop.body = count_chunk;
        loops[i].loop.over = round_over;
        loops[i].loop.shares = aligned_alloc(64, WORKERS * sizeof(struct cpu_pool_share));
        loops[i].hits = calloc(chunk_count, sizeof *loops[i].hits);
        cpu_pool_push(pool, &loops[i].job);
    }
    wait_until(&done, LOOPS);
    atomic_store(&spam.stop, true);
    thread_join(&pusher);
    int wrong = 0;
    for (int i = 0; i < LOOPS; i++) {
        for (uint32_t k = 0; k < chunk_count; k++) {
            wrong += loops[i].hits[k] != ROUNDS;
        }
        free(loops[i].hits);
        free(loops[i].loop.shares);
    }
    CHECK_INT(wrong, 0);
    free_pool(pool);
}

TEST(no_chunk_is_lost_when_workers_leave_for_jobs)
{
    run_loops_among_jobs(97);
    run_loops_among_jobs(4); // one for each who comes: others leave them to the opener, which leaves too
}

static void meet_in_chunk(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    (void)chunk;
    (void)worker;
    meet((struct meeting *)loop);
}

static void start_meeting(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct meeting *own = (struct meeting *)((char *)job - offsetof(struct meeting, job));
    if (cpu_pool_run_loop(own->pool, &own->loop, 3, worker)) {
        meeting_over(&own->loop, worker);
    }
}

TEST(sleeping_workers_are_woken_for_a_loop)
{
    struct cpu_pool *pool = make_pool(3);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    usleep(20000); // by now they sleep
    struct meeting meeting = {.pool = pool};
    meeting.loop.body = meet_in_chunk;
    meeting.loop.over = meeting_over;
    meeting.loop.shares = aligned_alloc(64, 3 * sizeof(struct cpu_pool_share));
    meeting.job.run = start_meeting;
    cpu_pool_push(pool, &meeting.job);
    wait_until(&meeting.done, 1);
    CHECK_INT(atomic_load(&meeting.most), 3); // three workers were in the loop at the same time
    free_pool(pool);
    free(meeting.loop.shares);
}

// ---- jobs and loops
// --------------------------------------------------------------------------------------------------

enum { LONG_CHUNKS = 300, LONG_JOBS = 20 };

struct long_loop {
    struct cpu_pool_loop loop;
    struct cpu_pool_job job;
    struct cpu_pool *pool;
    atomic_bool are_pushed; // the jobs
    atomic_int jobs_done;
    atomic_int chunks;
    atomic_int done;
};

// Whoever runs a chunk while jobs wait leaves afterwards. Once all of them are taken, those who have them are not in
// the loop, and the chunk lasts until they are done: so however slow somebody is, few chunks run before the last job.
static void take_time(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct long_loop *own = (struct long_loop *)loop;
    (void)chunk;
    (void)worker;
    while (atomic_load(&own->chunks) >= 3 && !atomic_load(&own->are_pushed)) {
        usleep(100);
    }
    while (atomic_load(&own->are_pushed) && cpu_pool_job_count(own->pool) == 0 &&
           atomic_load(&own->jobs_done) < LONG_JOBS) {
        usleep(100);
    }
    atomic_fetch_add(&own->chunks, 1);
}

static void long_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    (void)worker;
    atomic_fetch_add(&((struct long_loop *)loop)->done, 1);
}

static void start_long(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct long_loop *own = (struct long_loop *)((char *)job - offsetof(struct long_loop, job));
    if (cpu_pool_run_loop(own->pool, &own->loop, LONG_CHUNKS, worker)) {
        long_over(&own->loop, worker);
    }
}

struct short_job {
    struct cpu_pool_job job;
    struct long_loop *loop;
    int chunks; // that had run when it ran
};

static void note_chunks(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct short_job *own = (struct short_job *)job;
    (void)worker;
    own->chunks = atomic_load(&own->loop->chunks);
    atomic_fetch_add(&own->loop->jobs_done, 1);
}

TEST(job_does_not_wait_for_the_end_of_a_loop_and_the_loop_is_ended_all_the_same)
{
    for (int workers = 1; workers <= 3; workers++) {
        struct cpu_pool *pool = make_pool(workers);
        struct long_loop own = {.pool = pool};
        own.loop.body = take_time;
        own.loop.over = long_over;
        own.loop.shares = aligned_alloc(64, (size_t)workers * sizeof(struct cpu_pool_share));
        own.job.run = start_long;
        own.job.level = 1;
        REQUIRE(cpu_pool_start(pool) == RILL_OK);
        cpu_pool_push(pool, &own.job);
        wait_until(&own.chunks, 3);
        struct short_job jobs[LONG_JOBS];
        for (int i = 0; i < LONG_JOBS; i++) {
            jobs[i] = (struct short_job){.job.run = note_chunks, .job.level = 2, .loop = &own};
            cpu_pool_push(pool, &jobs[i].job);
        }
        atomic_store(&own.are_pushed, true);
        wait_until(&own.done, 1);
        for (int i = 0; i < LONG_JOBS; i++) {
            CHECK(jobs[i].chunks < LONG_CHUNKS);
        }
        CHECK_INT(atomic_load(&own.jobs_done), LONG_JOBS);
        CHECK_INT(atomic_load(&own.chunks), LONG_CHUNKS);
        CHECK_INT(atomic_load(&own.done), 1);
        free_pool(pool);
        free(own.loop.shares);
    }
}

// ---- guests -------------------------------------------------------------------------------------------------------

static struct counting_job owned_job(const void *owner, atomic_int *done)
{
    return (struct counting_job){.job.run = count_job, .job.owner = owner, .job.level = 1, .done = done};
}

TEST(guest_runs_what_it_waits_for_and_nothing_else)
{
    struct cpu_pool *pool = make_pool(3); // its threads never start: whatever runs, the guest has run
    atomic_int own_done = 0;
    atomic_int other_done = 0;
    struct counting_job other = owned_job(&other_done, &other_done);
    struct counting_job own[2] = {owned_job(&own_done, &own_done), owned_job(&own_done, &own_done)};
    cpu_pool_push(pool, &own[0].job);
    cpu_pool_push(pool, &other.job);
    cpu_pool_offer(pool, &own[1].job);
    struct cpu_worker guest = {.pool = pool, .guest = &guest};
    const void *owners[] = {&guest, &own_done};
    CHECK(cpu_pool_help(pool, &guest, owners, 2));
    CHECK(cpu_pool_help(pool, &guest, owners, 2));
    CHECK(!cpu_pool_help(pool, &guest, owners, 2));
    CHECK_INT(own_done, 2);
    CHECK_INT(other_done, 0);
    CHECK_INT(cpu_pool_free_seats(pool), pool->worker_count);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    wait_until(&other_done, 1);
    free_pool(pool);
}

TEST(guest_takes_no_seat_that_another_job_needs)
{
    for (int own_first = 0; own_first <= 1; own_first++) {
        struct cpu_pool *pool = make_pool(1);
        atomic_int own_done = 0;
        atomic_int other_done = 0;
        struct counting_job other = owned_job(&other_done, &other_done);
        struct counting_job own = owned_job(&own_done, &own_done);
        cpu_pool_push(pool, own_first ? &own.job : &other.job);
        cpu_pool_push(pool, own_first ? &other.job : &own.job);
        struct cpu_worker guest = {.pool = pool, .guest = &guest};
        const void *owners[] = {&own_done};
        CHECK(!cpu_pool_help(pool, &guest, owners, 1));
        REQUIRE(cpu_pool_start(pool) == RILL_OK);
        wait_until(&own_done, 1);
        wait_until(&other_done, 1);
        free_pool(pool);
    }
}

TEST(guest_opens_loops_and_works_on_those_of_its_owner)
{
    for (int workers = 1; workers <= 3; workers++) {
        struct cpu_pool *pool = make_pool(workers);
        atomic_int done = 0;
        struct counting_loop loop = {.pool = pool, .chunk_count = 7, .done = &done, .rounds = 5};
        loop.job.run = start_loop;
        loop.job.owner = &loop;
        loop.loop.body = count_chunk;
        loop.loop.over = round_over;
        loop.loop.owner = &loop;
        loop.loop.shares = aligned_alloc(64, (size_t)workers * sizeof(struct cpu_pool_share));
        loop.hits = calloc(7, sizeof *loop.hits);
        cpu_pool_push(pool, &loop.job);
        struct cpu_worker guest = {.pool = pool, .guest = &guest};
        const void *owners[] = {&loop};
        CHECK(cpu_pool_help(pool, &guest, owners, 1));
        CHECK_INT(done, 1);
        for (int i = 0; i < 7; i++) {
            CHECK_INT(loop.hits[i], 5);
        }
        free(loop.hits);
        free(loop.loop.shares);
        free_pool(pool);
    }
}

enum { CROWD = 4, CROWD_JOBS = 300 };

struct crowd_job {
    struct cpu_pool_job job;
    atomic_int *present;
    atomic_int *most;
    atomic_int *seats; // one for each
    atomic_int done;
};

static void be_present(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct crowd_job *own = (struct crowd_job *)job;
    int here = atomic_fetch_add(own->present, 1) + 1;
    int before = atomic_load(own->most);
    while (here > before && !atomic_compare_exchange_weak(own->most, &before, here)) {
    }
    CHECK_INT(atomic_fetch_add(&own->seats[worker->index], 1), 0); // nobody else sits there
    for (int i = 0; i < 200; i++) {
        thread_relax();
    }
    atomic_fetch_sub(&own->seats[worker->index], 1);
    atomic_fetch_sub(own->present, 1);
    atomic_fetch_add(&own->done, 1);
}

struct crowd {
    struct cpu_pool *pool;
    struct crowd_job job;
};

static void *push_and_help(void *arg)
{
    struct crowd *crowd = arg;
    struct cpu_worker guest = {.pool = crowd->pool, .guest = crowd};
    const void *owners[] = {crowd};
    for (int i = 1; i <= CROWD_JOBS; i++) {
        cpu_pool_offer(crowd->pool, &crowd->job.job);
        while (atomic_load(&crowd->job.done) < i) {
            cpu_pool_help(crowd->pool, &guest, owners, 1);
        }
    }
    return NULL;
}

TEST(workers_and_guests_together_are_never_more_than_the_pool_has_seats)
{
    for (int workers = 1; workers <= 3; workers++) {
        struct cpu_pool *pool = make_pool(workers);
        REQUIRE(cpu_pool_start(pool) == RILL_OK);
        atomic_int present = 0;
        atomic_int most = 0;
        atomic_int seats[3] = {0};
        struct thread threads[CROWD] = {{0}};
        struct crowd crowds[CROWD];
        for (int i = 0; i < CROWD; i++) {
            crowds[i] = (struct crowd){.pool = pool, .job = {.present = &present, .most = &most, .seats = seats}};
            crowds[i].job.job = (struct cpu_pool_job){.run = be_present, .owner = &crowds[i], .level = i % POOL_LEVELS};
            REQUIRE(thread_start(&threads[i], "guest", push_and_help, &crowds[i]) == RILL_OK);
        }
        for (int i = 0; i < CROWD; i++) {
            thread_join(&threads[i]);
            CHECK_INT(atomic_load(&crowds[i].job.done), CROWD_JOBS);
        }
        CHECK(atomic_load(&most) <= workers);
        free_pool(pool);
    }
}

TEST(small_jobs_that_nobody_comes_back_for_are_run_by_workers)
{
    struct cpu_pool *pool = make_pool(2);
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    for (int i = 0; i < 20; i++) {
        atomic_int done = 0;
        struct counting_job own = owned_job(&own, &done);
        usleep(i % 4 * 400); // asleep, and still awake
        cpu_pool_push_small(pool, &own.job);
        if (i % 2 == 0) {
            cpu_pool_promote_small(pool);
        } else { // a guest that waits for something else: it leaves nothing to sleep over
            struct cpu_worker guest = {.pool = pool, .guest = &guest};
            const void *owners[] = {&done};
            CHECK(!cpu_pool_help(pool, &guest, owners, 1));
        }
        wait_until(&done, 1);
    }
    free_pool(pool);
}
