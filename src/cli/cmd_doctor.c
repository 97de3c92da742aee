// rill doctor: what is found on this machine, what is missing and what mends it, and what launches cost here.
#include "cli/doctor.h"

#include <dlfcn.h>
#include <string.h>

extern char **environ;

enum { MANY_DEVICES = 16 };

void doctor_say(const char *what, const char *is)
{
    printf("  %-12s %s\n", what, is);
}

void doctor_complain(struct doctor *doctor, const char *what, const char *is, const char *remedy)
{
    doctor_say(what, is);
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
    doctor_say("version", text);
    doctor_say("library",
               dladdr(address, &where) != 0 && where.dli_fname != NULL ? where.dli_fname : "in this program");
    if (rill_check(trivial, NULL) == RILL_OK) {
        doctor_say("compiler", "compiles");
    } else {
        doctor_complain(doctor, "compiler", rill_message(),
                        "librill-compiler.so belongs beside librill.so, or where RILL_COMPILER says");
    }
}

// ---- the environment -----------------------------------------------------------------------------------------------

// As docs/env.md lists them for those who run programs.
static const char *const variables[] = {
    "RILL_AHEAD",    "RILL_CACHE",        "RILL_ORDER",   "RILL_ATOMICS",   "RILL_CHECK",    "RILL_COMPILER",
    "RILL_CONTRACT", "RILL_CUDA_LIBRARY", "RILL_DEVICE",  "RILL_FAULT",     "RILL_GRAPH",    "RILL_HIP_LIBRARY",
    "RILL_LOG",      "RILL_NVTX",         "RILL_PERF",    "RILL_PROCESSOR", "RILL_RESIDENT", "RILL_SANITIZE",
    "RILL_SCHEDULE", "RILL_STAND_IN",     "RILL_THREADS", "RILL_TRACE",     "RILL_VERIFY",
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
        doctor_complain(doctor, name, "is no variable of Rill's", remedy);
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
        doctor_complain(doctor, "measured", rill_message(), remedy);
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
    doctor_check_devices(&doctor);
    doctor_check_limits(&doctor);
    doctor_check_cache(&doctor, !is_quick);
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
