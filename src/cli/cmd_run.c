// rill run: compiles a file, fills its arrays with numbers, runs one kernel, and shows what came out.
#include "cli/fill.h"
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- the command line
// ------------------------------------------------------------------------------------------------

static int add_pair(struct pairs *pairs, const char *option, const char *text)
{
    pairs->option = option;
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return cli_fail(CLI_USAGE, "%s takes name=value, not '%s'", option, text);
    }
    if (pairs->count == sizeof pairs->items / sizeof pairs->items[0]) {
        return cli_fail(CLI_USAGE, "more than 128 %s options", option);
    }
    *equals = '\0'; // the process's own argument
    pairs->items[pairs->count++] = (struct pair){.name = text, .value = equals + 1};
    return CLI_OK;
}

struct pair *run_find_pair(struct pairs *pairs, const char *name)
{
    for (int i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->items[i].name, name) == 0) {
            pairs->items[i].is_used = true;
            return &pairs->items[i];
        }
    }
    return NULL;
}

// Takes the option at |at|; the number of words, 0 if it is none of run's, -1 after a message.
static int run_option(struct run *run, int argc, char **argv, int at)
{
    int taken = 0;
    const char *value;
    if ((value = cli_option_value("--set", argc, argv, at, &taken)) != NULL) {
        return add_pair(&run->set, "--set", value) == CLI_OK ? taken : -1;
    }
    if ((value = cli_option_value("--in", argc, argv, at, &taken)) != NULL) {
        return add_pair(&run->in, "--in", value) == CLI_OK ? taken : -1;
    }
    if ((value = cli_option_value("--out", argc, argv, at, &taken)) != NULL) {
        return add_pair(&run->out, "--out", value) == CLI_OK ? taken : -1;
    }
    if ((value = cli_option_value("--device", argc, argv, at, &taken)) != NULL) {
        run->device = value;
        return taken;
    }
    if ((value = cli_option_value("--trace", argc, argv, at, &taken)) != NULL) {
        run->trace = value;
        return taken;
    }
    if ((value = cli_option_value("--repeat", argc, argv, at, &taken)) != NULL) {
        char *end;
        long count = strtol(value, &end, 10);
        if (*end != '\0' || count < 1 || count > 1000000000) {
            cli_fail(CLI_USAGE, "--repeat takes a number from 1 on, not '%s'", value);
            return -1;
        }
        run->repeat = (int)count;
        return taken;
    }
    if (strcmp(argv[at], "--json") == 0) {
        run->is_json = true;
        return 1;
    }
    return cli_compile_option(&run->compile, argc, argv, at);
}

static int parse(struct run *run, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        int taken = run_option(run, argc, argv, i);
        if (taken < 0) {
            return CLI_USAGE;
        }
        if (taken == 0) {
            if (argv[i][0] == '-' && argv[i][1] != '\0') {
                return cli_fail(CLI_USAGE, "run: unknown option '%s', or its value is missing; see 'rill run --help'",
                                argv[i]);
            }
            if (run->path == NULL) {
                run->path = argv[i];
            } else if (run->kernel_name == NULL) {
                run->kernel_name = argv[i];
            } else {
                return cli_fail(CLI_USAGE, "run: what is '%s'? Scalars are given as --set name=value", argv[i]);
            }
            taken = 1;
        }
        i += taken;
    }
    return run->path != NULL ? CLI_OK : cli_fail(CLI_USAGE, "run: which file? See 'rill run --help'");
}

// ---- running
// ---------------------------------------------------------------------------------------------------------

static void keep_printed(void *user, const char *text, size_t length)
{
    struct run *run = user;
    char *larger = realloc(run->printed, run->printed_size + length + 1);
    if (larger != NULL) {
        memcpy(larger + run->printed_size, text, length);
        run->printed = larger;
        run->printed_size += length;
        larger[run->printed_size] = '\0';
    } else {
        run->printed_lost += length;
    }
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int find_kernel(struct run *run)
{
    rill_status status = rill_module_kernel(run->module, run->kernel_name, &run->kernel);
    if (status == RILL_OK) {
        status = rill_kernel_describe(run->kernel, &run->info);
        return status == RILL_OK ? CLI_OK : cli_fail_status(status);
    }
    size_t count = 0;
    if (rill_module_kernel_count(run->module, &count) != RILL_OK) {
        return cli_fail_status(status);
    }
    if (count == 0) {
        return cli_fail(CLI_FAILED, "'%s' has no kernels: mark a function with 'kernel'", run->path);
    }
    fprintf(stderr,
            run->kernel_name != NULL ? "rill: '%s' has no kernel '%s'; it has:"
                                     : "rill: '%s' has several kernels; name one:",
            run->path, run->kernel_name);
    for (size_t i = 0; i < count; i++) {
        rill_kernel kernel;
        rill_kernel_info info;
        if (rill_module_kernel_at(run->module, i, &kernel) == RILL_OK &&
            rill_kernel_describe(kernel, &info) == RILL_OK) {
            fprintf(stderr, " %s", info.name);
        }
    }
    fputc('\n', stderr);
    return CLI_USAGE;
}

static void show_printed(const struct run *run)
{
    if (run->printed_size > 0) {
        fwrite(run->printed, 1, run->printed_size, stdout);
    }
}

// What the kernel printed before it failed is what its author wants to see.
static int show_failure(const struct run *run, rill_status status)
{
    const char *message = rill_message();
    if (run->is_json) {
        printf("{\"kernel\": \"%s\", \"printed\": ", run->info.name);
        cli_json_string(stdout, run->printed != NULL ? run->printed : "", run->printed_size);
        printf(", \"error\": ");
        cli_json_string(stdout, message, strlen(message));
        puts("}");
    } else {
        show_printed(run);
    }
    fflush(stdout);
    return cli_fail_status(status);
}

static bool has_result(const struct run *run)
{
    return run->info.returns->kind != RILL_KIND_VOID && run->info.returns->size <= sizeof run->returned;
}

static int launch(struct run *run)
{
    rill_args args = {run->args, run->info.param_count};
    size_t size = has_result(run) ? run->info.returns->size : 0;
    run->best_ms = 1e300;
    for (int i = 0; i < run->repeat; i++) {
        double start = now_ms();
        rill_status status = rill_call(run->kernel, RILL_CURRENT, args, size > 0 ? run->returned : NULL, size);
        if (status != RILL_OK) {
            return show_failure(run, status);
        }
        double spent = now_ms() - start;
        run->best_ms = spent < run->best_ms ? spent : run->best_ms;
    }
    return CLI_OK;
}

// ---- what came out
// -----------------------------------------------------------------------------------------------------

static int collect(struct run *run)
{
    for (size_t i = 0; i < run->info.param_count; i++) {
        struct argument *argument = &run->arguments[i];
        if (!argument->param.is_array) {
            continue;
        }
        if (argument->size > 0) {
            rill_status status = rill_array_read(argument->array, RILL_CURRENT, argument->bytes, argument->size);
            if (status != RILL_OK) {
                return cli_fail_status(status);
            }
        }
        const struct pair *out = run_find_pair(&run->out, argument->param.name);
        char descr[16];
        if (out != NULL && npy_write(out->value, npy_descr(argument->param.type, descr), &argument->shape,
                                     argument->bytes, argument->size) != CLI_OK) {
            return CLI_FILE;
        }
    }
    return CLI_OK;
}

// Every const array is read once, every other read and written once.
static double bytes_moved(const struct run *run)
{
    double bytes = 0;
    for (size_t i = 0; i < run->info.param_count; i++) {
        bytes += (double)run->arguments[i].size * (run->arguments[i].param.is_const ? 1 : 2);
    }
    return bytes;
}

static void show_text(const struct run *run)
{
    show_printed(run);
    if (run->printed_size > 0 && run->printed[run->printed_size - 1] != '\n') {
        putchar('\n');
    }
    if (has_result(run)) {
        printf("returned  ");
        fill_print_value(stdout, run->info.returns, run->returned, false);
        putchar('\n');
    }
    printf("time      %.4f ms%s, %.2f GB/s if every array moves once\n", run->best_ms,
           run->repeat > 1 ? " at best" : "", bytes_moved(run) / run->best_ms * 1e-6);
    for (size_t i = 0; i < run->info.param_count; i++) {
        const struct argument *argument = &run->arguments[i];
        if (argument->param.is_array) {
            printf("%-9s %s", argument->param.name, argument->param.type->name);
            for (int k = 0; k < argument->shape.rank; k++) {
                printf("[%lld]", (long long)argument->shape.extents[k]);
            }
            printf("  checksum %016llx\n", (unsigned long long)fill_checksum(argument->bytes, argument->size));
        }
    }
}

static void show_json(const struct run *run)
{
    printf("{\"kernel\": \"%s\", \"printed\": ", run->info.name);
    cli_json_string(stdout, run->printed != NULL ? run->printed : "", run->printed_size);
    printf(", \"returned\": ");
    if (has_result(run)) {
        fill_print_value(stdout, run->info.returns, run->returned, true);
    } else {
        printf("null");
    }
    printf(", \"arrays\": {");
    const char *comma = "";
    for (size_t i = 0; i < run->info.param_count; i++) {
        const struct argument *argument = &run->arguments[i];
        if (!argument->param.is_array) {
            continue;
        }
        printf("%s\"%s\": {\"type\": \"%s\", \"shape\": [", comma, argument->param.name, argument->param.type->name);
        for (int k = 0; k < argument->shape.rank; k++) {
            printf("%s%lld", k > 0 ? ", " : "", (long long)argument->shape.extents[k]);
        }
        printf("], \"checksum\": \"%016llx\"}", (unsigned long long)fill_checksum(argument->bytes, argument->size));
        comma = ", ";
    }
    printf("}, \"time_ms\": %.6f}\n", run->best_ms);
}

// The library says that it cannot write the trace only when the context is closed: so the file is tried before, and
// looked at afterwards. What an earlier run wrote there is gone. What is no file (a pipe, a device) cannot be
// looked at: the library gets one of its own, which is copied.
static int prepare_trace(struct run *run)
{
    if (run->trace == NULL) {
        return CLI_OK;
    }
    const char *target = run->trace;
    FILE *file = fopen(run->trace, "wb");
    struct stat info;
    bool is_open = file != NULL && fstat(fileno(file), &info) == 0;
    if (is_open && !S_ISREG(info.st_mode)) {
        run->trace_stream = file;
        const char *folder = getenv("TMPDIR");
        snprintf(run->trace_copy, sizeof run->trace_copy, "%s/rill-trace-XXXXXX", folder != NULL ? folder : "/tmp");
        int handle = mkstemp(run->trace_copy);
        is_open = handle >= 0 && close(handle) == 0;
        target = run->trace_copy;
    } else if (is_open) {
        is_open = fclose(file) == 0;
    }
    if (!is_open || setenv("RILL_TRACE", target, 1) != 0) {
        return cli_fail(CLI_FILE, "cannot write the trace '%s': %s", run->trace, strerror(errno));
    }
    return CLI_OK;
}

// Whether the file ends as a trace does, and with |to| writes it there.
static bool copy_trace(const char *path, FILE *to, bool *out_is_empty)
{
    char part[1 << 12];
    char last[3] = "";
    size_t got;
    bool is_written = true;
    FILE *from = fopen(path, "rb");
    *out_is_empty = true;
    while (from != NULL && (got = fread(part, 1, sizeof part, from)) > 0) {
        *out_is_empty = false;
        is_written = to == NULL || (fwrite(part, 1, got, to) == got && is_written);
        for (size_t i = got < 3 ? 0 : got - 3; i < got; i++) {
            memmove(last, last + 1, 2);
            last[2] = part[i];
        }
    }
    bool is_read = from != NULL && ferror(from) == 0;
    if (from != NULL) {
        fclose(from);
    }
    return is_read && is_written && memcmp(last, "}}\n", 3) == 0;
}

static int check_trace(struct run *run)
{
    if (run->trace == NULL) {
        return CLI_OK;
    }
    bool is_empty;
    bool is_whole = copy_trace(run->trace_stream != NULL ? run->trace_copy : run->trace, run->trace_stream, &is_empty);
    if (run->trace_stream != NULL) {
        is_whole = fclose(run->trace_stream) == 0 && is_whole;
        run->trace_stream = NULL;
    }
    if (is_empty) {
        return cli_fail(CLI_FILE, "the trace '%s' was not written: device '%s' writes none", run->trace, run->device);
    }
    return is_whole ? CLI_OK : cli_fail(CLI_FILE, "cannot write the trace '%s': it is not whole", run->trace);
}

static void finish_trace(struct run *run)
{
    if (run->trace_stream != NULL) {
        fclose(run->trace_stream);
    }
    if (run->trace_copy[0] != '\0') {
        unlink(run->trace_copy);
    }
}

static int show_choice(const struct run *run)
{
    char *text = NULL;
    rill_status status = rill_kernel_explain(run->kernel, (rill_args){run->args, run->info.param_count}, &text);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    fputs(text, stdout);
    rill_free(text);
    return CLI_OK;
}

static int run_steps(struct run *run)
{
    run->text = cli_read_source(run->path);
    if (run->text == NULL || prepare_trace(run) != CLI_OK) {
        return CLI_FILE;
    }
    rill_open_options open = {.print = keep_printed, .print_user = run};
    rill_status status = rill_open(run->device, &open, &run->context);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    run->compile.options.diagnostics = &run->compile.diagnostics;
    run->compile.options.color = cli_color(stderr);
    run->compile.options.path = cli_source_name(run->path);
    status = rill_module_create(run->context, run->text, &run->compile.options, &run->module);
    if (status != RILL_OK || !run->explains) { // of all kernels of the file
        cli_print_diagnostics(&run->compile.diagnostics, stderr);
    }
    if (status != RILL_OK) {
        return status == RILL_ERR_COMPILE ? CLI_FAILED : cli_fail_status(status);
    }
    int code = find_kernel(run);
    if (code == CLI_OK) {
        code = run_make_arguments(run);
    }
    if (code == CLI_OK && run->explains) {
        return show_choice(run);
    }
    if (code == CLI_OK) {
        code = launch(run);
    }
    if (code == CLI_OK) {
        code = collect(run);
    }
    if (code == CLI_OK && run->is_json) {
        show_json(run);
    } else if (code == CLI_OK) {
        show_text(run);
    }
    if (code == CLI_OK && run->printed_lost > 0) {
        code = cli_fail(CLI_FAILED, "%zu bytes that the kernel printed are lost: no memory", run->printed_lost);
    }
    return code;
}

static int run_or_explain(int argc, char **argv, bool explains)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    run->explains = explains;
    run->device = "auto";
    run->repeat = 1;
    int code = parse(run, argc, argv);
    if (code == CLI_OK) {
        code = run_steps(run);
    }
    if (run->context.id != 0) {
        rill_status status = rill_close(run->context);
        if (status != RILL_OK && code == CLI_OK) {
            code = cli_fail_status(status);
        }
        code = code == CLI_OK ? check_trace(run) : code;
    }
    finish_trace(run);
    for (size_t i = 0; i < RILL_MAX_ARGS; i++) {
        free(run->arguments[i].bytes);
    }
    rill_diagnostics_free(&run->compile.diagnostics);
    free(run->printed);
    free(run->text);
    free(run);
    return code;
}

int cmd_run(int argc, char **argv)
{
    return run_or_explain(argc, argv, false);
}

int run_explain(int argc, char **argv)
{
    return run_or_explain(argc, argv, true);
}
