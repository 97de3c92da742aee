// How many threads: RILL_THREADS, else what affinity leaves, and never more than control groups allow.
#include "backend/cpu/device.h"

#include "test.h"

#include <sched.h>

TEST(environment_decides_where_it_is_a_positive_number)
{
    setenv("RILL_THREADS", "7", 1);
    CHECK_INT(topology_thread_count(), 7);
    setenv("RILL_THREADS", "1000000", 1);
    CHECK_INT(topology_thread_count(), POOL_MAX_WORKERS);
    setenv("RILL_THREADS", "many", 1);
    int fallback = topology_thread_count();
    setenv("RILL_THREADS", "0", 1);
    CHECK_INT(topology_thread_count(), fallback);
    setenv("RILL_THREADS", "", 1);
    CHECK_INT(topology_thread_count(), fallback);
    unsetenv("RILL_THREADS");
    CHECK_INT(topology_thread_count(), fallback);
    CHECK(fallback >= 1);
}

TEST(affinity_is_honoured)
{
    cpu_set_t before;
    cpu_set_t one;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &one);
        }
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_INT(topology_thread_count(), 1);
    CHECK_INT(topology_processor_count(), 1);
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK_INT(topology_processor_count(), CPU_COUNT(&before));
    CHECK(topology_thread_count() <= CPU_COUNT(&before));
}

TEST(limit_of_a_control_group_is_rounded_up)
{
    char folder[] = "/tmp/rill_group_XXXXXX";
    char path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    static const struct {
        const char *text;
        int limit;
    } cases[] = {{"max 100000\n", POOL_MAX_WORKERS},
                 {"200000 100000\n", 2},
                 {"150000 100000\n", 2},
                 {"10000 100000\n", 1},
                 {"rubbish\n", POOL_MAX_WORKERS}};
    for (int i = 0; i < 5; i++) {
        FILE *file = fopen(path, "w");
        REQUIRE(file != NULL);
        fputs(cases[i].text, file);
        fclose(file);
        CHECK_INT(topology_group_limit(folder), cases[i].limit);
    }
    unlink(path);
    CHECK_INT(topology_group_limit(folder), POOL_MAX_WORKERS);
    static const char *const files[] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
    static const char *const texts[] = {"300000\n", "100000\n"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *file = fopen(path, "w");
        REQUIRE(file != NULL);
        fputs(texts[i], file);
        fclose(file);
    }
    CHECK_INT(topology_group_limit(folder), 3);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

TEST(processor_has_a_name)
{
    char name[128];
    topology_describe(name, sizeof name);
    CHECK(strlen(name) > 0);
}
