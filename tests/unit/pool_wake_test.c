// Workers that fall asleep while work is pushed: no wake-up is lost. A job that nobody comes for hangs the test.
//
// The pool believes that it has one processor, so that workers sleep as soon as they find nothing; who pushes waits for
// a moment of changing length first, so that work comes at every step on the way to sleep.
#include "pools.h"

enum { WORKERS = 3, PUSHERS = 2 };

struct pusher {
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
    atomic_fetch_add(&((struct pusher *)job)->ran, 1);
}

static void push_in_one_way(struct pusher *own, int way)
{
    if (way == 0) {
        cpu_pool_push(own->pool, &own->job);
    } else if (way == 1) {
        cpu_pool_offer(own->pool, &own->job);
    } else {
        cpu_pool_push_small(own->pool, &own->job);
        cpu_pool_promote_small(own->pool);
    }
}

static void *push_and_wait(void *arg)
{
    struct pusher *own = arg;
    for (int round = 0; round < own->rounds; round++) {
        own->seed = own->seed * 1103515245u + 12345u;
        for (unsigned i = 0; i < (own->seed >> 16) % 400; i++) {
            thread_relax();
        }
        push_in_one_way(own, round % 3);
        for (int looks = 0; atomic_load(&own->ran) <= round; looks++) {
            if (looks % 64 == 63) {
                thread_yield();
            }
            thread_relax();
        }
    }
    return NULL;
}

static void push_from_threads(int worker_count, int rounds)
{
    struct cpu_pool *pool = make_pool(worker_count);
    pool->is_alone = true;
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    static struct pusher pushers[PUSHERS];
    for (int i = 0; i < PUSHERS; i++) {
        pushers[i] = (struct pusher){.pool = pool, .rounds = rounds, .seed = (unsigned)i};
        pushers[i].job.run = note_run;
        pushers[i].job.level = 1;
        REQUIRE(thread_start(&pushers[i].thread, "pusher", push_and_wait, &pushers[i]) == RILL_OK);
    }
    for (int i = 0; i < PUSHERS; i++) {
        thread_join(&pushers[i].thread);
        CHECK_INT(atomic_load(&pushers[i].ran), rounds);
    }
    free_pool(pool);
}

// One that sleeps alone has nobody who would get up in its place.
TEST(no_wake_up_of_the_only_worker_is_lost)
{
    push_from_threads(1, getenv("RILL_TEST_LONG") != NULL ? 500000 : 4000);
}

TEST(no_wake_up_of_several_workers_is_lost)
{
    push_from_threads(WORKERS, getenv("RILL_TEST_LONG") != NULL ? 500000 : 4000);
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Nothing is compared with the clock on the wall: a worker that looked for work all the time would use processors for
// as long as this sleeps, however slowly the machine lets it.
TEST(idle_workers_sleep)
{
    struct cpu_pool *pool = make_pool(WORKERS);
    pool->is_alone = false;
    REQUIRE(cpu_pool_start(pool) == RILL_OK);
    struct pusher pusher = {.pool = pool, .rounds = 3};
    pusher.job.run = note_run;
    push_and_wait(&pusher);
    while (atomic_load(&pool->sleeping) < WORKERS) {
        usleep(1000);
    }
    double before = processor_seconds();
    usleep(200000);
    CHECK(processor_seconds() - before < 0.02);
    CHECK_INT(atomic_load(&pool->sleeping), WORKERS);
    free_pool(pool);
}
