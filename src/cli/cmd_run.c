// rill run: compiles a file, fills its arrays with numbers, runs one kernel, and shows what came out.
#include "cli/cli.h"
#include "cli/fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pair { // name=value of --set, --in, --out
    const char *name;
    const char *value;
    bool is_used;
};

struct pairs {
    struct pair items[128];
    int count;
};

struct argument {
    rill_param_info param;
    rill_shape shape;
    rill_array array;
    unsigned char *bytes; // owned: an array's contents on the host, or a struct by value
    size_t size;
};

struct run {
    struct cli_compile compile;
    const char *path;
    const char *kernel_name;
    const char *device;
    struct pairs set;
    struct pairs in;
    struct pairs out;
    int repeat;
    bool is_json;
    // What kernels printed; a print callback fills it.
    char *printed; // owned
    size_t printed_size;
    rill_context context;
    rill_module module;
    rill_kernel kernel;
    rill_kernel_info info;
    struct argument arguments[RILL_MAX_ARGS];
    rill_arg args[RILL_MAX_ARGS];
    unsigned char returned[64];
    double best_ms;
};

// ---- the command line
// ------------------------------------------------------------------------------------------------

static int add_pair(struct pairs *pairs, const char *option, const char *text)
{
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

static struct pair *find_pair(struct pairs *pairs, const char *name)
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

// ---- arguments
// -------------------------------------------------------------------------------------------------------

static int parse_number(const char *name, const char *text, const rill_type_info *type, rill_arg *out)
{
    char *end;
    bool is_float = type->type == RILL_F32 || type->type == RILL_F64;
    errno = 0;
    if (!is_float && strpbrk(text, ".eEnNiI") == NULL) {
        *out = text[0] == '-' ? rill_arg_int(strtoll(text, &end, 0)) : rill_arg_uint(strtoull(text, &end, 0));
    } else if (!is_float && (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))) {
        *out = rill_arg_uint(strtoull(text, &end, 16));
    } else {
        *out = rill_arg_float(strtod(text, &end));
    }
    if (end == text || *end != '\0' || (errno == ERANGE && !is_float)) {
        return cli_fail(CLI_USAGE, "--set %s=%s: that is no number a %s can hold", name, text, type->name);
    }
    return CLI_OK;
}

static int set_scalar(struct run *run, size_t index)
{
    const struct argument *argument = &run->arguments[index];
    const struct pair *pair = find_pair(&run->set, argument->param.name);
    if (pair == NULL) {
        return cli_fail(CLI_USAGE, "parameter '%s' (%s) has no value: add --set %s=…", argument->param.name,
                        argument->param.type->name, argument->param.name);
    }
    return parse_number(pair->name, pair->value, argument->param.type, &run->args[index]);
}

// A struct by value is zero but for the members that --set name.member=value names.
static int set_struct(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    argument->size = argument->param.type->size;
    argument->bytes = calloc(1, argument->size + 1);
    if (argument->bytes == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    size_t length = strlen(argument->param.name);
    for (int i = 0; i < run->set.count; i++) {
        struct pair *pair = &run->set.items[i];
        if (strncmp(pair->name, argument->param.name, length) != 0 || pair->name[length] != '.') {
            continue;
        }
        pair->is_used = true;
        const rill_member_info *member = fill_find_member(argument->param.type, pair->name + length + 1);
        if (member == NULL || member->type->kind != RILL_KIND_SCALAR) {
            return cli_fail(CLI_USAGE, "--set %s: '%s' has no such scalar member", pair->name,
                            argument->param.type->name);
        }
        rill_arg number;
        if (parse_number(pair->name, pair->value, member->type, &number) != CLI_OK) {
            return CLI_USAGE;
        }
        fill_store_member(argument->bytes, member, &number);
    }
    run->args[index] = rill_arg_struct(argument->bytes, argument->size);
    return CLI_OK;
}

static int load_input(struct run *run, struct argument *argument, const struct pair *pair)
{
    (void)run;
    struct npy npy;
    int code = npy_read(pair->value, &npy);
    if (code != CLI_OK) {
        return code;
    }
    char descr[16];
    npy_descr(argument->param.type, descr);
    size_t count = 1;
    for (int i = 0; i < npy.shape.rank; i++) {
        count *= (size_t)npy.shape.extents[i];
    }
    if (strcmp(descr, npy.descr) != 0) {
        code = cli_fail(CLI_FILE, "'%s' holds '%s', parameter '%s' wants '%s' (%s)", pair->value, npy.descr,
                        argument->param.name, descr, argument->param.type->name);
    } else if (npy.size < count * argument->param.type->size) {
        code = cli_fail(CLI_FILE, "'%s' is cut short", pair->value);
    } else if (argument->param.rank == 0) {
        argument->shape = npy.shape.rank > 0 ? npy.shape : RILL_SHAPE(1);
        argument->size = count * argument->param.type->size;
        argument->bytes = npy.data;
        return CLI_OK;
    } else if (count * argument->param.type->size < argument->size) {
        code = cli_fail(CLI_FILE, "'%s' has %zu elements, parameter '%s' wants %zu", pair->value, count,
                        argument->param.name, argument->size / argument->param.type->size);
    } else {
        memcpy(argument->bytes, npy.data, argument->size);
    }
    npy_finish(&npy);
    return code;
}

// The shape of an array: from the parameter's extents, or for `T *p` from --set p=count or the file.
static int find_shape(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    if (argument->param.rank > 0) {
        rill_args args = {run->args, run->info.param_count};
        rill_status status = rill_kernel_param_shape(run->kernel, index, args, &argument->shape);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
    } else {
        const struct pair *pair = find_pair(&run->set, argument->param.name);
        if (pair == NULL) {
            return cli_fail(CLI_USAGE, "parameter '%s' is a pointer: add --set %s=COUNT for its length, or --in",
                            argument->param.name, argument->param.name);
        }
        long long count = strtoll(pair->value, NULL, 0);
        argument->shape = RILL_SHAPE(count > 0 ? count : 0);
    }
    argument->size = argument->param.type->size;
    for (int i = 0; i < argument->shape.rank; i++) {
        argument->size *= (size_t)(argument->shape.extents[i] > 0 ? argument->shape.extents[i] : 0);
    }
    return CLI_OK;
}

static int set_array(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    const struct pair *in = find_pair(&run->in, argument->param.name);
    int code = CLI_OK;
    if (in == NULL || argument->param.rank > 0) {
        code = find_shape(run, index);
        argument->bytes = code == CLI_OK ? calloc(1, argument->size + 1) : NULL;
        if (code == CLI_OK && argument->bytes == NULL) {
            return cli_fail(CLI_FAILED, "parameter '%s': no memory for %zu bytes", argument->param.name,
                            argument->size);
        }
    }
    if (code == CLI_OK && in != NULL) {
        code = load_input(run, argument, in);
    } else if (code == CLI_OK) {
        fill_array(argument->param.type, argument->bytes, argument->size);
    }
    if (code != CLI_OK) {
        return code;
    }
    const rill_type_info *type = argument->param.type;
    rill_status status = type->kind == RILL_KIND_SCALAR
                             ? rill_array_create(run->context, type->type, argument->shape, &argument->array)
                             : rill_array_create_struct(run->context, type->size, argument->shape, &argument->array);
    if (status == RILL_OK && argument->size > 0) {
        status = rill_array_write(argument->array, RILL_CURRENT, argument->bytes, argument->size);
    }
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    run->args[index] = rill_arg_array(argument->array);
    return CLI_OK;
}

static int check_unused(const struct run *run)
{
    const struct pairs *all[] = {&run->set, &run->in, &run->out};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < all[k]->count; i++) {
            if (!all[k]->items[i].is_used) {
                return cli_fail(CLI_USAGE, "kernel '%s' has no parameter '%s'", run->info.name, all[k]->items[i].name);
            }
        }
    }
    return CLI_OK;
}

static int make_arguments(struct run *run)
{
    for (size_t i = 0; i < run->info.param_count; i++) {
        rill_status status = rill_kernel_param(run->kernel, i, &run->arguments[i].param);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
    }
    for (int pass = 0; pass < 2; pass++) { // scalars first: shapes hang on them
        for (size_t i = 0; i < run->info.param_count; i++) {
            const rill_param_info *param = &run->arguments[i].param;
            if (param->is_array != (pass == 1)) {
                continue;
            }
            int code = param->is_array                         ? set_array(run, i)
                       : param->type->kind == RILL_KIND_RECORD ? set_struct(run, i)
                                                               : set_scalar(run, i);
            if (code != CLI_OK) {
                return code;
            }
        }
    }
    for (size_t i = 0; i < run->info.param_count; i++) {
        if (run->arguments[i].param.is_array) {
            find_pair(&run->out, run->arguments[i].param.name);
        }
    }
    return check_unused(run);
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
    fputs(count == 0 ? " none\n" : "\n", stderr);
    return CLI_USAGE;
}

static int launch(struct run *run)
{
    rill_args args = {run->args, run->info.param_count};
    size_t size = run->info.returns->kind == RILL_KIND_VOID ? 0 : run->info.returns->size;
    run->best_ms = 1e300;
    for (int i = 0; i < run->repeat; i++) {
        double start = now_ms();
        rill_status status = rill_call(run->kernel, RILL_CURRENT, args, size > 0 ? run->returned : NULL, size);
        if (status != RILL_OK) {
            fwrite(run->printed, 1, run->printed_size, stdout);
            return cli_fail_status(status);
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
        const struct pair *out = find_pair(&run->out, argument->param.name);
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
    fwrite(run->printed, 1, run->printed_size, stdout);
    if (run->info.returns->kind == RILL_KIND_SCALAR) {
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
    if (run->info.returns->kind == RILL_KIND_SCALAR) {
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

static int run_steps(struct run *run)
{
    rill_open_options open = {.print = keep_printed, .print_user = run};
    rill_status status = rill_open(run->device, &open, &run->context);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    run->compile.options.diagnostics = &run->compile.diagnostics;
    run->compile.options.color = cli_color(stderr);
    status = rill_module_load(run->context, run->path, &run->compile.options, &run->module);
    cli_print_diagnostics(&run->compile.diagnostics, stderr);
    if (status != RILL_OK) {
        return status == RILL_ERR_COMPILE ? CLI_FAILED : cli_fail_status(status);
    }
    int code = find_kernel(run);
    if (code == CLI_OK) {
        code = make_arguments(run);
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
    return code;
}

int cmd_run(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
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
    }
    for (size_t i = 0; i < RILL_MAX_ARGS; i++) {
        free(run->arguments[i].bytes);
    }
    rill_diagnostics_free(&run->compile.diagnostics);
    free(run->printed);
    free(run);
    return code;
}
