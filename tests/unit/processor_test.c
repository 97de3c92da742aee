// Where threads run: one that shares a processor with another who works goes to a free one, and may run where it might
// before.
#include "test.h"

#include "backend/cpu/pool.h"

#include <sched.h>

static int allowed_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST(thread_leaves_a_busy_processor_and_may_come_back)
{
    if (allowed_count() < 2) {
        SKIP("one processor");
    }
    cpu_set_t before;
    cpu_set_t after;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    int moved = 0; // the system may bring it back at once, but hardly each time
    for (int i = 0; i < 20; i++) {
        uint64_t busy[THREAD_PROCESSORS / 64] = {0};
        int processor = thread_processor();
        REQUIRE(processor >= 0);
        for (int k = 0; k < THREAD_PROCESSORS; k++) { // all but one, which is another
            bool is_free = CPU_ISSET(k, &before) && k != processor;
            busy[k / 64] |= (uint64_t)!is_free << k % 64;
        }
        thread_move_from(busy);
        moved += thread_processor() != processor;
        REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
        CHECK(CPU_EQUAL(&before, &after));
    }
    CHECK(moved > 0);
}

TEST(thread_stays_where_all_is_busy)
{
    uint64_t busy[THREAD_PROCESSORS / 64];
    memset(busy, 0xff, sizeof busy);
    cpu_set_t before;
    cpu_set_t after;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    thread_move_from(busy);
    REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_EQUAL(&before, &after));
}

// Two jobs that wait for each other, each noting where it began.
struct pair {
    struct cpu_pool_job job;
    atomic_int *arrived;
    int began;
};

static void run_pair(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct pair *pair = (struct pair *)job;
    pair->began = atomic_load(&worker->pool->seats[worker->index].processor);
    atomic_fetch_add(pair->arrived, 1);
    while (atomic_load(pair->arrived) < 2) {
        thread_yield();
    }
}

TEST(workers_are_noted_where_they_went)
{
    enum { ROUNDS = 50 };
    static struct pair pairs[ROUNDS][2];
    static atomic_int arrived[ROUNDS];
    struct cpu_pool pool = {0};
    struct cpu_worker workers[2];
    cpu_pool_init(&pool, workers, 2);
    REQUIRE(cpu_pool_start(&pool) == RILL_OK);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            pairs[round][i] = (struct pair){.job = {.run = run_pair, .level = 1}, .arrived = &arrived[round]};
            cpu_pool_push(&pool, &pairs[round][i].job);
        }
        while (atomic_load(&arrived[round]) < 2) {
            thread_yield();
        }
    }
    while (cpu_pool_has_work(&pool) || cpu_pool_free_seats(&pool) < 2) {
        thread_yield();
    }
    cpu_pool_finish(&pool);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(pairs[round][0].began >= 0 && pairs[round][1].began >= 0);
    }
}
