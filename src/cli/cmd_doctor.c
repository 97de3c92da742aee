// rill doctor: what is found on this machine, what is missing and what mends it, and what launches cost here.
#include "cli/doctor.h"

#include <dlfcn.h>
#include <stdlib.h>
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

// As docs/env.md lists them for those who run programs, with what they may say: words, of which there may be several
// with commas; "#": a number; NULL: anything. To say nothing else is to be read as nothing by the library, without a
// word.
static const struct variable {
    const char *name;
    const char *words;
} variables[] = {
    {"RILL_AHEAD", NULL},
    {"RILL_CACHE", NULL},
    {"RILL_ORDER", "auto check manual"},
    {"RILL_ATOMICS", "anywhere"},
    {"RILL_CHECK", "bounds races"},
    {"RILL_COMPILER", NULL},
    {"RILL_CONTRACT", "off"},
    {"RILL_CUDA_LIBRARY", NULL},
    {"RILL_DEVICE", NULL},
    {"RILL_FAULT", NULL},
    {"RILL_GRAPH", "on off auto"},
    {"RILL_HIP_LIBRARY", NULL},
    {"RILL_LOG", "note"},
    {"RILL_NVTX", "1"},
    {"RILL_PERF", "1"},
    {"RILL_PROCESSOR", "x86-64 x86-64-v2 x86-64-v3"},
    {"RILL_RESIDENT", "auto off block grid"},
    {"RILL_SANITIZE", "address thread off"},
    {"RILL_SCHEDULE", "#"},
    {"RILL_STAND_IN", "1"},
    {"RILL_THREADS", "#"},
    {"RILL_TRACE", NULL},
    {"RILL_VERIFY", NULL},
};

// What builds and tests read.
static const char *const of_builds[] = {"RILL_BUILD", "RILL_LIBRARY", "RILL_LLVM_CONFIG", "RILL_REAL_COMPILER",
                                        "RILL_SOURCE"};

enum { VARIABLE_COUNT = sizeof variables / sizeof variables[0] };

static const char *variable_at(const void *user, size_t index)
{
    (void)user;
    return variables[index].name;
}

static const struct variable *find_variable(const char *name)
{
    for (int i = 0; i < VARIABLE_COUNT; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            return &variables[i];
        }
    }
    return NULL;
}

static bool is_of_builds(const char *name)
{
    for (size_t i = 0; i < sizeof of_builds / sizeof of_builds[0]; i++) {
        if (strcmp(of_builds[i], name) == 0) {
            return true;
        }
    }
    return strncmp(name, "RILL_TEST_", 10) == 0;
}

static bool is_among(const char *words, const char *word, size_t length)
{
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        size_t size = strcspn(words, " ");
        if (size == length && memcmp(words, word, length) == 0) {
            return true;
        }
        words += size;
    }
    return false;
}

static bool may_say(const struct variable *variable, const char *value)
{
    if (variable->words == NULL || *value == '\0') {
        return true;
    }
    if (variable->words[0] == '#') {
        char *end;
        (void)strtoull(value, &end, 0);
        return *end == '\0';
    }
    for (; *value != '\0'; value += *value == ',') {
        size_t length = strcspn(value, ",");
        if (!is_among(variable->words, value, length)) {
            return false;
        }
        value += length;
    }
    return true;
}

static void check_variable(struct doctor *doctor, const char *name, const char *value)
{
    char remedy[128];
    const struct variable *variable = find_variable(name);
    if (variable == NULL && !is_of_builds(name)) {
        const char *meant = cli_suggest(name, variable_at, NULL, VARIABLE_COUNT);
        snprintf(remedy, sizeof remedy, meant != NULL ? "did you mean %s?" : "docs/env.md lists those that are", meant);
        doctor_complain(doctor, name, "is no variable of Rill's", remedy);
    } else if (variable != NULL && !may_say(variable, value)) {
        char is[512];
        bool is_number = variable->words[0] == '#';
        snprintf(is, sizeof is, "is '%s', which Rill does not know", value);
        snprintf(remedy, sizeof remedy, "it may be %s: docs/env.md", is_number ? "a number" : variable->words);
        doctor_complain(doctor, name, is, remedy);
    } else {
        printf("  %s=%s\n", name, value);
    }
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
        check_variable(doctor, name, equals + 1);
    }
}

// Whether a program that names no device gets one; the environment may forbid it.
static void check_opening(struct doctor *doctor)
{
    rill_context context;
    rill_status status = rill_open("auto", NULL, &context);
    status = status == RILL_OK ? rill_close(context) : status;
    if (status == RILL_OK) {
        return;
    }
    char is[512], remedy[128] = "rill selftest --device cpu --report says more";
    snprintf(is, sizeof is, "%s", rill_message());
    for (char **at = environ; *at != NULL; at++) {
        enum { TELLING = 3 }; // letters of a value that do not stand in any message
        const char *equals = strchr(*at, '=');
        if (strncmp(*at, "RILL_", 5) == 0 && equals != NULL && equals - *at < (ptrdiff_t)sizeof remedy / 2) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(equals - *at), *at);
            if (strstr(is, name) != NULL || (strlen(equals + 1) >= TELLING && strstr(is, equals + 1) != NULL)) {
                snprintf(remedy, sizeof remedy, "unset %s, or change it", name);
            }
        }
    }
    doctor_complain(doctor, "opening", is, remedy);
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
    check_opening(&doctor);
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
