// rill doctor: what is found on this machine, what is missing and what mends it, and what launches cost here.
#include "cli/doctor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

enum { MANY_DEVICES = 16 };

struct doctor {
    int problem_count;
};

static void say(const char *what, const char *is)
{
    printf("  %-12s %s\n", what, is);
}

// A fault, and the sentence that says what to do about it.
static void complain(struct doctor *doctor, const char *what, const char *is, const char *remedy)
{
    say(what, is);
    printf("  %-12s -> %s\n", "", remedy);
    doctor->problem_count++;
}

// ---- the libraries -------------------------------------------------------------------------------------------------

static void check_libraries(struct doctor *doctor)
{
    static const char trivial[] = "#include <rill/kernel.h>\nkernel int one(void) { return 1; }\n";
    Dl_info where = {0};
    char text[512];
    const char *(*version)(void) = rill_version;
    void *address;
    memcpy(&address, &version, sizeof address);
    snprintf(text, sizeof text, "%s", rill_version());
    puts("rill");
    say("version", text);
    say("library", dladdr(address, &where) != 0 && where.dli_fname != NULL ? where.dli_fname : "in this program");
    if (rill_check(trivial, NULL) == RILL_OK) {
        say("compiler", "compiles");
    } else {
        complain(doctor, "compiler", rill_message(),
                 "librill-compiler.so belongs beside librill.so, or where RILL_COMPILER says");
    }
}

// ---- the machine ---------------------------------------------------------------------------------------------------

// Whether a display or compute device of this vendor is in a slot.
static bool has_card(const char *vendor)
{
    bool is_found = false;
    DIR *folder = opendir("/sys/bus/pci/devices");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL && !is_found;) {
        static const char *const files[] = {"vendor", "class"};
        char value[2][16] = {"", ""};
        for (int i = 0; i < 2; i++) {
            char path[512];
            snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", entry->d_name, files[i]);
            FILE *file = fopen(path, "r");
            if (file != NULL) {
                (void)!fgets(value[i], sizeof value[i], file);
                fclose(file);
            }
        }
        bool computes = strncmp(value[1], "0x03", 4) == 0 || strncmp(value[1], "0x12", 4) == 0;
        is_found = computes && strncmp(value[0], vendor, strlen(vendor)) == 0;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return is_found;
}

static bool has_device(const char *family)
{
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        if (rill_device_get(i, &info) == RILL_OK && strncmp(info.name, family, strlen(family)) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_forbidden(const char *node)
{
    return access(node, F_OK) == 0 && access(node, R_OK | W_OK) != 0;
}

static void check_family(struct doctor *doctor, const char *family, const char *vendor, const char *node,
                         const char *install)
{
    char name[32];
    char text[256];
    if (has_device(family)) {
        return;
    }
    snprintf(name, sizeof name, "%s:0", family);
    rill_context context;
    if (rill_open(name, NULL, &context) == RILL_OK) { // it was plugged in just now
        (void)!rill_close(context);
        return;
    }
    if (is_forbidden(node)) {
        snprintf(text, sizeof text, "this user may not open %s", node);
        complain(doctor, name, text, "usermod -aG render,video $USER, and log in again");
    } else if (has_card(vendor)) {
        complain(doctor, name, rill_message(), install);
    } else {
        say(name, "no such card");
    }
}

static void check_devices(struct doctor *doctor)
{
    puts("\ndevices");
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        char text[256];
        if (rill_device_get(i, &info) == RILL_OK) {
            snprintf(text, sizeof text, "%s, %.1f GB", info.description, (double)info.memory_size * 1e-9);
            say(info.name, text);
        }
    }
    check_family(doctor, "cuda", "0x10de", "/dev/nvidia0",
                 "install NVIDIA's driver, which has libcuda.so.1 (Debian: apt-get install nvidia-driver)");
    check_family(doctor, "amdgpu", "0x1002", "/dev/kfd",
                 "install the HIP runtime, which is libamdhip64.so (Debian: apt-get install libamdhip64-5)");
}

static void check_limits(struct doctor *doctor)
{
    struct rlimit limit;
    char text[256];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    puts("\nlimits");
    snprintf(text, sizeof text, "%ld", online);
    say("processors", text);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        snprintf(text, sizeof text, "%.1f GB", (double)limit.rlim_cur * 1e-9);
        if (limit.rlim_cur < (rlim_t)1 << 30) {
            complain(doctor, "addresses", text, "ulimit -v unlimited: the compiler needs up to 1 GB");
        } else {
            say("addresses", text);
        }
    }
    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < 256) {
        snprintf(text, sizeof text, "%lu", (unsigned long)limit.rlim_cur);
        complain(doctor, "threads", text, "ulimit -u 4096: each processor has a thread");
    }
    const char *folder = getenv("TMPDIR");
    folder = folder != NULL && *folder != '\0' ? folder : "/tmp";
    if (access(folder, W_OK) != 0) {
        snprintf(text, sizeof text, "'%s' cannot be written", folder);
        complain(doctor, "temporaries", text, "TMPDIR=FOLDER: rill demo and traces need one");
    }
}

// ---- the environment -----------------------------------------------------------------------------------------------

// As docs/env.md lists them for those who run programs.
static const char *const variables[] = {
    "RILL_CACHE",        "RILL_ORDER",  "RILL_ATOMICS",  "RILL_CHECK",    "RILL_COMPILER",    "RILL_CONTRACT",
    "RILL_CUDA_LIBRARY", "RILL_DEVICE", "RILL_FAULT",    "RILL_GRAPH",    "RILL_HIP_LIBRARY", "RILL_LOG",
    "RILL_NVTX",         "RILL_PERF",   "RILL_RESIDENT", "RILL_SANITIZE", "RILL_SCHEDULE",    "RILL_STAND_IN",
    "RILL_THREADS",      "RILL_TRACE",  "RILL_VERIFY",
};

// What builds and tests read.
static const char *const of_builds[] = {"RILL_BUILD", "RILL_LIBRARY", "RILL_LLVM_CONFIG", "RILL_REAL_COMPILER",
                                        "RILL_SOURCE"};

enum { VARIABLE_COUNT = sizeof variables / sizeof variables[0] };

static const char *variable_at(const void *user, size_t index)
{
    (void)user;
    return variables[index];
}

static bool is_variable(const char *name)
{
    for (size_t i = 0; i < sizeof of_builds / sizeof of_builds[0]; i++) {
        if (strcmp(of_builds[i], name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < VARIABLE_COUNT; i++) {
        if (strcmp(variables[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_environment(struct doctor *doctor)
{
    bool has_any = false;
    for (char **at = environ; *at != NULL; at++) {
        const char *equals = strchr(*at, '=');
        char name[64];
        if (strncmp(*at, "RILL_", 5) != 0 || equals == NULL || equals - *at >= (ptrdiff_t)sizeof name) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(equals - *at), *at);
        printf("%s", has_any ? "" : "\nenvironment\n");
        has_any = true;
        if (is_variable(name) || strncmp(name, "RILL_TEST_", 10) == 0) {
            printf("  %s\n", *at);
            continue;
        }
        char remedy[128];
        const char *meant = cli_suggest(name, variable_at, NULL, VARIABLE_COUNT);
        snprintf(remedy, sizeof remedy, meant != NULL ? "did you mean %s?" : "docs/env.md lists those that are", meant);
        complain(doctor, name, "is no variable of Rill's", remedy);
    }
}

// ---- measurement ---------------------------------------------------------------------------------------------------

static void print_time(const char *what, double mine, double bare)
{
    printf("  %-44s%9.2f us", what, mine);
    if (bare >= 0) {
        printf("%12.2f us", bare);
    }
    putchar('\n');
}

static void measure_device(struct doctor *doctor, const char *name)
{
    struct doctor_times mine;
    struct doctor_times bare = {-1, -1, -1, -1, -1};
    bool is_cpu = strcmp(name, "cpu") == 0;
    rill_status status = doctor_measure(name, &mine);
    if (status != RILL_OK) {
        char remedy[64];
        printf("\n%s\n", name);
        snprintf(remedy, sizeof remedy, "rill selftest --device %s --report says more", name);
        complain(doctor, "measured", rill_message(), remedy);
        return;
    }
    bool has_bare = is_cpu ? doctor_measure_threads(&bare) : strcmp(name, "cuda:0") == 0 && doctor_measure_cuda(&bare);
    printf("\n%-46s%12s%15s\n", name, "rill", has_bare ? is_cpu ? "a bare thread" : "bare driver" : "");
    print_time("queue a small kernel", mine.launch, bare.launch);
    print_time(is_cpu ? "queue it and wait; wake a thread and wait" : "queue it and wait", mine.round, bare.round);
    print_time("record an event, let another stream wait", mine.event, bare.event);
    print_time("two at the same time, forked and joined", mine.fork, bare.fork);
    printf("  %-44s%9.2f of one after the other\n", "two long ones on two streams", mine.overlap);
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor doctor = {0};
    const char *only = NULL;
    bool is_quick = false;
    for (int i = 1; i < argc;) {
        int taken;
        const char *value = cli_option_value("--device", argc, argv, i, &taken);
        if (value != NULL) {
            only = value;
            i += taken;
        } else if (strcmp(argv[i], "--quick") == 0) {
            is_quick = true;
            i++;
        } else {
            return cli_fail(CLI_USAGE, "doctor takes --device and --quick, not '%s'", argv[i]);
        }
    }
    check_libraries(&doctor);
    check_devices(&doctor);
    check_limits(&doctor);
    check_environment(&doctor);
    size_t count = rill_device_count();
    for (size_t i = 0; i < count && i < MANY_DEVICES && only == NULL && !is_quick && doctor.problem_count == 0; i++) {
        rill_device_info info;
        if (rill_device_get(i, &info) == RILL_OK) {
            measure_device(&doctor, info.name);
        }
    }
    if (only != NULL && !is_quick) {
        measure_device(&doctor, only);
    }
    if (doctor.problem_count > 0) {
        printf("\n%d to mend: each line with an arrow says how.\n", doctor.problem_count);
        return CLI_FAILED;
    }
    puts("\nAll is well.");
    return CLI_OK;
}
