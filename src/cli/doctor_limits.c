// What the system lets a process have: of the machine, of the control group that a container or a service is, and of
// the limits that a shell sets.
#include "cli/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MEGABYTE 1e-6

// ---- control groups -----------------------------------------------------------------------------------------------

// The group of this process, as "/user.slice/…", in the one tree that has all of them.
static bool find_group(char *out, size_t size)
{
    char line[1024];
    bool is_found = false;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) == 0) {
            snprintf(out, size, "%s", line + 3);
            is_found = true;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_found;
}

static bool read_number(const char *group, const char *name, uint64_t *out)
{
    char path[1200];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, name);
    FILE *file = fopen(path, "r");
    bool is_read = file != NULL && fscanf(file, "%" SCNu64, out) == 1; // not where it says "max"
    if (file != NULL) {
        fclose(file);
    }
    return is_read;
}

// What is left of |what| ("memory", "pids") in the tightest of the groups around this process. False: there is no
// limit.
static bool find_room(const char *what, uint64_t *out_room)
{
    char group[1024], limit_name[32], used_name[32];
    bool is_limited = false;
    snprintf(limit_name, sizeof limit_name, "%s.max", what);
    snprintf(used_name, sizeof used_name, "%s.current", what);
    if (!find_group(group, sizeof group)) {
        return false;
    }
    for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
        uint64_t limit, used;
        *slash = '\0';
        if (read_number(group, limit_name, &limit) && read_number(group, used_name, &used)) {
            uint64_t room = used < limit ? limit - used : 0;
            *out_room = is_limited && *out_room < room ? *out_room : room;
            is_limited = true;
        }
    }
    return is_limited;
}

// ---- each ---------------------------------------------------------------------------------------------------------

static void check_processors(struct doctor *doctor)
{
    rill_device_info info;
    char text[256];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t room;
    bool knows = rill_device_count() > 0 && rill_device_get(0, &info) == RILL_OK && strcmp(info.name, "cpu") == 0;
    if (knows && (long)info.thread_count < online) {
        snprintf(text, sizeof text, "%ld, of which %ld are used: affinity, control group or RILL_THREADS say so",
                 online, (long)info.thread_count);
    } else {
        snprintf(text, sizeof text, "%ld", online);
    }
    doctor_say("processors", text);
    if (find_room("pids", &room) && room < (uint64_t)online + 8) {
        snprintf(text, sizeof text, "%" PRIu64 " more in this control group", room);
        doctor_complain(doctor, "threads", text,
                        "docker run --pids-limit -1, or TasksMax=infinity of the service: each processor has a thread");
    }
}

static void check_memory(struct doctor *doctor)
{
    enum { LEAST = 256 << 20 };
    uint64_t room;
    char text[256];
    if (find_room("memory", &room)) {
        snprintf(text, sizeof text, "%.0f MB are left in this control group", (double)room * MEGABYTE);
        if (room < LEAST) {
            doctor_complain(doctor, "memory", text, "docker run --memory 1g, or MemoryMax=1G of the service");
        } else {
            doctor_say("memory", text);
        }
    }
    // As the code of a kernel is placed.
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_READ | PROT_EXEC) != 0) {
        doctor_complain(doctor, "code", "memory that was written cannot be made executable: no kernel runs on the CPU",
                        "MemoryDenyWriteExecute=no of the service, or setsebool -P deny_execmem 0");
    }
    if (memory != MAP_FAILED) {
        munmap(memory, page);
    }
}

// What `ulimit` shows. |least| in its own units.
struct limit {
    int resource;
    const char *name;
    rlim_t least;
    double unit; // of what is shown
    const char *unit_name;
    const char *remedy;
};

static const struct limit limits[] = {
    {RLIMIT_AS, "addresses", (rlim_t)1 << 30, 1e-9, " GB", "ulimit -v unlimited: the compiler needs up to 1 GB"},
    {RLIMIT_NPROC, "threads", 256, 1, "", "ulimit -u 4096: each processor has a thread"},
    {RLIMIT_NOFILE, "files", 128, 1, "", "ulimit -n 1024: a GPU's driver opens dozens"},
    {RLIMIT_STACK, "stack", 128 << 10, 1e-3, " kB", "ulimit -s 8192: small kernels run on the stack of their caller"},
    {RLIMIT_FSIZE, "file size", 16 << 20, 1e-6, " MB",
     "ulimit -f unlimited: entries of the cache and traces are files"},
    {RLIMIT_MEMLOCK, "locked", 0, 1e-6, " MB", ""},
};

static void check_limit(struct doctor *doctor, const struct limit *limit)
{
    struct rlimit now;
    char text[128];
    if (getrlimit((__rlimit_resource_t)limit->resource, &now) != 0 || now.rlim_cur == RLIM_INFINITY) {
        return;
    }
    snprintf(text, sizeof text, "%.0f%s at most", (double)now.rlim_cur * limit->unit, limit->unit_name);
    if (now.rlim_cur < limit->least) {
        doctor_complain(doctor, limit->name, text, limit->remedy);
    } else {
        doctor_say(limit->name, text);
    }
}

static void check_folder(struct doctor *doctor, const char *name, const char *folder, const char *remedy)
{
    char text[256];
    struct statvfs info;
    if (access(folder, W_OK | X_OK) != 0) {
        snprintf(text, sizeof text, "'%.200s' cannot be written", folder);
        doctor_complain(doctor, name, text, remedy);
    } else if (statvfs(folder, &info) == 0) {
        snprintf(text, sizeof text, "%.0f MB are free in '%.200s'",
                 (double)info.f_bavail * (double)info.f_frsize * MEGABYTE, folder);
        doctor_say(name, text);
    }
}

void doctor_check_limits(struct doctor *doctor)
{
    puts("\nlimits");
    check_processors(doctor);
    check_memory(doctor);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        check_limit(doctor, &limits[i]);
    }
    const char *folder = getenv("TMPDIR");
    check_folder(doctor, "temporaries", folder != NULL && *folder != '\0' ? folder : "/tmp",
                 "TMPDIR=FOLDER: rill demo and traces need one");
    if (rill_device_count() > 1) {
        check_folder(doctor, "shared", "/dev/shm", "mount -t tmpfs tmpfs /dev/shm: libraries for GPUs use it");
    }
}
