// How many threads make sense: the processors this process may run on, and no more than its control groups' time
// allows.
#include "backend/cpu/device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int affinity_count(void)
{
    // The kernel's mask may be larger than cpu_set_t; grow until it fits.
    for (int size = 1024; size <= 1 << 20; size *= 2) {
        cpu_set_t *set = CPU_ALLOC(size);
        if (set == NULL) {
            break;
        }
        size_t bytes = CPU_ALLOC_SIZE(size);
        int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0) {
            return count;
        }
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool ok = fgets(line, size, file) != NULL;
    fclose(file);
    return ok;
}

static int quota_count(double quota, double period)
{
    if (quota <= 0 || period <= 0) {
        return POOL_MAX_WORKERS;
    }
    double count = quota / period;
    int whole = (int)count;
    return count > whole ? whole + 1 : whole > 0 ? whole : 1;
}

// The limit of one group: "200000 100000" or "max 100000" in version 2, two files in version 1.
int topology_group_limit(const char *folder)
{
    char path[1200];
    char line[128];
    double quota;
    double period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_line(path, line, sizeof line)) {
        return sscanf(line, "%lf %lf", &quota, &period) == 2 ? quota_count(quota, period) : POOL_MAX_WORKERS;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lf", &quota) != 1) {
        return POOL_MAX_WORKERS;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lf", &period) != 1) {
        return POOL_MAX_WORKERS;
    }
    return quota_count(quota, period);
}

// The least limit of the group and the groups around it.
static int least_limit(const char *root, char *group)
{
    int least = POOL_MAX_WORKERS;
    for (;;) {
        char folder[1100];
        snprintf(folder, sizeof folder, "%s%s", root, group);
        int limit = topology_group_limit(folder);
        least = limit < least ? limit : least;
        char *slash = strrchr(group, '/');
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

static int control_group_count(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL) {
        return POOL_MAX_WORKERS;
    }
    int least = POOL_MAX_WORKERS;
    char line[1000];
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) {
            continue;
        }
        *group++ = '\0';
        int limit = POOL_MAX_WORKERS;
        if (controllers[1] == '\0') {
            limit = least_limit("/sys/fs/cgroup", group);
        } else if (strstr(controllers + 1, "cpu") != NULL) {
            limit = least_limit("/sys/fs/cgroup/cpu", group);
        }
        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}

int topology_processor_count(void)
{
    return affinity_count();
}

bool topology_is_limited(void)
{
    return control_group_count() < affinity_count();
}

int topology_thread_count(void)
{
    const char *wanted = getenv("RILL_THREADS");
    if (wanted != NULL && *wanted != '\0') {
        char *end;
        long count = strtol(wanted, &end, 10);
        if (*end == '\0' && count >= 1) {
            return count < POOL_MAX_WORKERS ? (int)count : POOL_MAX_WORKERS;
        }
    }
    int count = affinity_count();
    int limit = control_group_count();
    count = limit < count ? limit : count;
    return count < POOL_MAX_WORKERS ? count : POOL_MAX_WORKERS;
}

void topology_describe(char *out, size_t size)
{
    snprintf(out, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) {
        return;
    }
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
            break;
        }
    }
    fclose(file);
}
