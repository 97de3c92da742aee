// rill selftest: does Rill do on this machine what it promises? Runs the conformance programs that come with a release,
// or lie in a build, on one device; the report is what owners of a device send us.
#include "cli/cli.h"
#include "cli/selftest.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { TAIL_LINES = 60, LINE_SIZE = 400, TIME_LIMIT = 600, MANY_JOBS = 8 };

// ---- a first look -------------------------------------------------------------------------------------------------

static const char first_source[] = "#include <rill/kernel.h>\n"
                                   "kernel int first(int n, int x[n])\n"
                                   "{\n"
                                   "    int s = 0;\n"
                                   "    for (int i = 0; i < n; i++) x[i] = 3 * i + 1;\n"
                                   "    for (int i = 0; i < n; i++) s += x[i];\n"
                                   "    return s;\n"
                                   "}\n";

// Compiles and runs one small kernel, so that a device that does not work at all is said in one line.
static rill_status run_first(rill_context context, int *out_sum)
{
    enum { COUNT = 1000 };
    rill_module module;
    rill_kernel kernel;
    rill_array x;
    RILL_TRY(rill_module_create(context, first_source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "first", &kernel));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(COUNT), &x));
    return rill_call(kernel, rill_default_stream(context), RILL_ARGS((int)COUNT, x), out_sum, sizeof *out_sum);
}

static int look_first(struct selftest *test, char *device, size_t size)
{
    rill_context context;
    const char *name = NULL;
    int sum = 0;
    rill_status status = rill_open(test->device, NULL, &context);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    status = rill_context_device(context, &name);
    snprintf(device, size, "%s", status == RILL_OK ? name : test->device);
    status = status == RILL_OK ? run_first(context, &sum) : status;
    if (status == RILL_OK && sum != 1499500) {
        RILL_IGNORE(rill_close(context));
        return cli_fail(CLI_FAILED, "a small kernel gives %d on %s, not 1499500", sum, device);
    }
    rill_status closed = rill_close(context);
    status = status == RILL_OK ? closed : status;
    return status == RILL_OK ? CLI_OK : cli_fail_status(status);
}

// ---- the programs -------------------------------------------------------------------------------------------------

// Those that take longest begin first, so that none of them is left alone at the end.
static int begin_rank(const char *name)
{
    static const char *const slow[] = {"blocks_test", "sweep_test",        "memory_test",
                                       "stream_test", "math_special_test", "races_test"};
    enum { COUNT = sizeof slow / sizeof slow[0] };
    int rank = 0;
    while (rank < COUNT && strcmp(slow[rank], name) != 0) {
        rank++;
    }
    return rank;
}

static int by_rank(const void *a, const void *b)
{
    const struct selftest_program *x = a, *y = b;
    int difference = begin_rank(x->name) - begin_rank(y->name);
    return difference != 0 ? difference : strcmp(x->name, y->name);
}

// ../tests/conformance, seen from the folder of this program: so it is in an archive and in a build.
static bool find_programs(struct selftest *test)
{
    char self[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
    }
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    snprintf(test->folder, sizeof test->folder, "%s/../tests/conformance", self);
    DIR *dir = opendir(test->folder);
    if (dir == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t size = strlen(entry->d_name);
        if (size > 5 && size < sizeof test->programs[0].name && strcmp(entry->d_name + size - 5, "_test") == 0 &&
            test->program_count < SELFTEST_MAX_PROGRAMS) {
            memcpy(test->programs[test->program_count++].name, entry->d_name, size + 1);
        }
    }
    closedir(dir);
    qsort(test->programs, (size_t)test->program_count, sizeof test->programs[0], by_rank);
    return test->program_count > 0;
}

// ---- the report ---------------------------------------------------------------------------------------------------

static bool open_report(struct selftest *test)
{
    char own[64];
    if (test->report_path == NULL) {
        return true;
    }
    snprintf(own, sizeof own, "rill-selftest-%.40s.txt", test->device);
    for (char *at = own; *at != '\0'; at++) {
        *at = *at == ':' || *at == '/' ? '-' : *at;
    }
    test->report = fopen(*test->report_path != '\0' ? test->report_path : own, "we"); // not for the programs
    if (test->report == NULL) {
        return false;
    }
    struct utsname system;
    time_t now = time(NULL);
    char date[40] = "";
    struct tm day;
    if (gmtime_r(&now, &day) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &day);
    }
    fprintf(test->report, "rill selftest %s, %s\n", rill_version(), date);
    if (uname(&system) == 0) {
        fprintf(test->report, "%s %s %s\n", system.sysname, system.release, system.machine);
    }
    fprintf(test->report, "\ndevices:\n");
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        if (rill_device_get(i, &info) == RILL_OK) {
            fprintf(test->report, "  %s: %s, %llu bytes\n", info.name, info.description,
                    (unsigned long long)info.memory_size);
        }
    }
    fprintf(test->report, "\ntested:\n");
    return true;
}

// Keeps |line| as the last of the tail, unless it says that all is well. A test is announced by "run"; once another
// line follows it has ended, and its own line says how.
static void add_to_tail(char (*lines)[LINE_SIZE], int *count, const char *line)
{
    if (*count > 0 && strncmp(lines[(*count - 1) % TAIL_LINES], "run ", 4) == 0) {
        --*count;
    }
    if (strncmp(line, "ok ", 3) != 0) {
        snprintf(lines[(*count)++ % TAIL_LINES], LINE_SIZE, "%s", line);
    }
}

// What went wrong is in the last lines.
static void report_tail(const struct selftest *test, FILE *output)
{
    char line[LINE_SIZE];
    char(*lines)[LINE_SIZE] = calloc(TAIL_LINES, sizeof *lines);
    int count = 0;
    rewind(output);
    while (lines != NULL && fgets(line, sizeof line, output) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        add_to_tail(lines, &count, line);
    }
    for (int i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++) {
        fprintf(test->report, "    | %s\n", lines[i % TAIL_LINES]);
    }
    free(lines);
}

// What did not pass, by name, and in the report with what it wrote last. Returns how many.
static int name_bad(struct selftest *test)
{
    int bad = 0;
    for (int i = 0; i < test->program_count; i++) {
        struct selftest_program *program = &test->programs[i];
        if (program->end == SELFTEST_PASSED) {
            continue;
        }
        if (bad++ == 0) {
            selftest_say(test, "\ndid not pass:\n");
        }
        selftest_say(test, "  %s%s\n", program->name, program->end == SELFTEST_NOT_RUN ? ": not run" : "");
        if (test->report != NULL && program->output != NULL) {
            report_tail(test, program->output);
        }
    }
    return bad;
}

static int close_report(struct selftest *test)
{
    if (test->report == NULL) {
        return CLI_OK;
    }
    bool is_written = fflush(test->report) == 0 && ferror(test->report) == 0;
    is_written &= fclose(test->report) == 0;
    if (!is_written) {
        return cli_fail(CLI_FILE, "cannot write the report");
    }
    printf("The report is written. It holds what you see above, the devices, the system's version and what failing "
           "programs wrote last.\n");
    return CLI_OK;
}

static int finish(struct selftest *test)
{
    int passed = 0, failed = 0, skipped = 0;
    for (int i = 0; i < test->program_count; i++) {
        passed += test->programs[i].passed;
        failed += test->programs[i].failed;
        skipped += test->programs[i].skipped;
    }
    int bad = name_bad(test);
    selftest_say(test, "%s: %d passed, %d failed, %d skipped, in %d programs, %d of which did not pass\n", test->device,
                 passed, failed, skipped, test->program_count, bad);
    int code = close_report(test);
    for (int i = 0; i < test->program_count; i++) {
        if (test->programs[i].output != NULL) {
            fclose(test->programs[i].output);
        }
    }
    return code != CLI_OK || bad == 0 ? code : cli_fail(CLI_FAILED, "%d programs did not pass", bad);
}

// ---- the command --------------------------------------------------------------------------------------------------

// Programs on a GPU need a core each to compile; more than a few share the driver's locks.
static int usable_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < MANY_JOBS ? count : MANY_JOBS;
}

static int take_number(const char *option, const char *text, int most, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most) {
        return cli_fail(CLI_USAGE, "%s takes a number from 1 to %d, not '%s'", option, most, text);
    }
    *out = (int)value;
    return CLI_OK;
}

static int parse(struct selftest *test, int argc, char **argv)
{
    int code = CLI_OK;
    for (int i = 1, taken; i < argc && code == CLI_OK; i += taken) {
        const char *value;
        taken = 1;
        if ((value = cli_option_value("--device", argc, argv, i, &taken)) != NULL) {
            test->device = value;
        } else if ((value = cli_option_value("--jobs", argc, argv, i, &taken)) != NULL) {
            code = take_number("--jobs", value, SELFTEST_MAX_JOBS, &test->jobs);
        } else if ((value = cli_option_value("--time", argc, argv, i, &taken)) != NULL) {
            code = take_number("--time", value, 1000000, &test->time_limit);
        } else if (strcmp(argv[i], "--report") == 0) {
            test->report_path = "";
        } else if (strncmp(argv[i], "--report=", 9) == 0) {
            test->report_path = argv[i] + 9;
        } else {
            code =
                cli_fail(CLI_USAGE, "selftest takes --device D, --jobs N, --time SECONDS and --report[=FILE], not '%s'",
                         argv[i]);
        }
    }
    return code;
}

static int run_all(struct selftest *test)
{
    selftest_say(test, "%s: %d programs, %d at once, in at most %d s (--time SECONDS is another limit)\n", test->device,
                 test->program_count, test->jobs, test->time_limit);
    if (setenv("RILL_TEST_DEVICE", test->device, 1) != 0 || setenv("RILL_TEST_PROGRESS", "1", 1) != 0) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    selftest_run(test);
    return finish(test);
}

int cmd_selftest(int argc, char **argv)
{
    struct selftest *test = calloc(1, sizeof *test);
    if (test == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    test->device = "auto";
    test->jobs = usable_cores();
    test->time_limit = TIME_LIMIT;
    char device[64] = "";
    int code = parse(test, argc, argv);
    code = code == CLI_OK ? look_first(test, device, sizeof device) : code;
    if (code == CLI_OK && !find_programs(test)) {
        code = cli_fail(CLI_FILE,
                        "a small kernel runs on %s; the conformance programs are not here (%s): they come "
                        "with a release's archive",
                        device, test->folder);
    }
    test->device = code == CLI_OK ? device : test->device;
    if (code == CLI_OK && !open_report(test)) {
        code = cli_fail(CLI_FILE, "cannot write the report");
    }
    code = code == CLI_OK ? run_all(test) : code;
    free(test);
    return code;
}
