// rill selftest: does Rill do on this machine what it promises? Runs the conformance programs that come with a release,
// or lie in a build, on one device; the report is what owners of a device send us.
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROGRAMS = 64, TAIL_LINES = 60, LINE_SIZE = 400 };

struct selftest {
    const char *device;
    const char *report_path; // NULL: none
    char folder[512];        // of the programs
    char names[MAX_PROGRAMS][64];
    int name_count;
    FILE *report;
    int passed;
    int failed;
    int skipped;
    int bad_programs;
};

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
        (void)!rill_close(context);
        return cli_fail(CLI_FAILED, "a small kernel gives %d on %s, not 1499500", sum, device);
    }
    rill_status closed = rill_close(context);
    status = status == RILL_OK ? closed : status;
    return status == RILL_OK ? CLI_OK : cli_fail_status(status);
}

// ---- the programs -------------------------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
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
        if (size > 5 && size < sizeof test->names[0] && strcmp(entry->d_name + size - 5, "_test") == 0 &&
            test->name_count < MAX_PROGRAMS) {
            memcpy(test->names[test->name_count++], entry->d_name, size + 1);
        }
    }
    closedir(dir);
    qsort(test->names, (size_t)test->name_count, sizeof test->names[0], by_name);
    return test->name_count > 0;
}

static void say(struct selftest *test, const char *format, const char *name, const char *text)
{
    printf(format, name, text);
    fflush(stdout);
    if (test->report != NULL) {
        fprintf(test->report, format, name, text);
    }
}

// What went wrong is in the last lines.
static void report_tail(struct selftest *test, char (*lines)[LINE_SIZE], int count)
{
    for (int i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count && test->report != NULL; i++) {
        fprintf(test->report, "    | %s", lines[i % TAIL_LINES]);
    }
}

static void run_program(struct selftest *test, const char *name)
{
    static char lines[TAIL_LINES][LINE_SIZE];
    char command[800];
    int count = 0, passed = 0, failed = 0, skipped = 0;
    snprintf(command, sizeof command, "RILL_TEST_DEVICE='%s' '%s/%s' 2>&1", test->device, test->folder, name);
    FILE *pipe = popen(command, "r");
    char text[100];
    if (pipe == NULL) {
        say(test, "  %-20s %s\n", name, "cannot be started");
        test->bad_programs++;
        return;
    }
    while (fgets(lines[count % TAIL_LINES], LINE_SIZE, pipe) != NULL) {
        const char *line = lines[count++ % TAIL_LINES];
        passed += strncmp(line, "ok ", 3) == 0;
        failed += strncmp(line, "FAIL ", 5) == 0;
        skipped += strncmp(line, "skip ", 5) == 0;
    }
    int status = pclose(pipe);
    bool is_bad = status != 0 || failed > 0;
    snprintf(text, sizeof text, "%d passed, %d failed, %d skipped%s", passed, failed, skipped,
             status != 0 && failed == 0 ? ", and it did not end well" : "");
    say(test, "  %-20s %s\n", name, text);
    if (is_bad) {
        report_tail(test, lines, count);
    }
    test->passed += passed;
    test->failed += failed;
    test->skipped += skipped;
    test->bad_programs += is_bad;
}

// ---- the report ---------------------------------------------------------------------------------------------------

static bool open_report(struct selftest *test, const char *device)
{
    char own[64];
    if (test->report_path == NULL) {
        return true;
    }
    snprintf(own, sizeof own, "rill-selftest-%.40s.txt", device);
    for (char *at = own; *at != '\0'; at++) {
        *at = *at == ':' || *at == '/' ? '-' : *at;
    }
    test->report = fopen(*test->report_path != '\0' ? test->report_path : own, "w");
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
    fprintf(test->report, "\ntested: %s\n", device);
    return true;
}

static int finish(struct selftest *test, const char *device)
{
    char text[160];
    snprintf(text, sizeof text, "%d passed, %d failed, %d skipped, in %d programs", test->passed, test->failed,
             test->skipped, test->name_count);
    say(test, "%s: %s\n", device, text);
    if (test->report != NULL) {
        bool is_written = fflush(test->report) == 0 && ferror(test->report) == 0;
        is_written &= fclose(test->report) == 0;
        if (!is_written) {
            return cli_fail(CLI_FILE, "cannot write the report");
        }
        printf("The report is written. It holds what you see above, the devices and the system's version.\n");
    }
    return test->bad_programs == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%d programs did not pass", test->bad_programs);
}

int cmd_selftest(int argc, char **argv)
{
    struct selftest *test = calloc(1, sizeof *test);
    if (test == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    test->device = "auto";
    int code = CLI_OK;
    for (int i = 1; i < argc && code == CLI_OK; i++) {
        if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            test->device = argv[++i];
        } else if (strcmp(argv[i], "--report") == 0) {
            test->report_path = "";
        } else if (strncmp(argv[i], "--report=", 9) == 0) {
            test->report_path = argv[i] + 9;
        } else {
            code = cli_fail(CLI_USAGE, "selftest takes --device D and --report[=FILE], not '%s'", argv[i]);
        }
    }
    char device[64] = "";
    if (code == CLI_OK && strchr(test->device, '\'') != NULL) {
        code = cli_fail(CLI_USAGE, "selftest: no device has such a name: %s", test->device);
    }
    code = code == CLI_OK ? look_first(test, device, sizeof device) : code;
    if (code == CLI_OK && !find_programs(test)) {
        code = cli_fail(CLI_FILE,
                        "a small kernel runs on %s; the conformance programs are not here (%s): they come "
                        "with a release's archive",
                        device, test->folder);
    }
    if (code == CLI_OK && !open_report(test, device)) {
        code = cli_fail(CLI_FILE, "cannot write the report");
    }
    if (code == CLI_OK) {
        test->device = device;
        for (int i = 0; i < test->name_count; i++) {
            run_program(test, test->names[i]);
        }
        code = finish(test, device);
    }
    free(test);
    return code;
}
