// rill explain, rill emit, rill check: what the compiler says of a file, without running it.
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

struct source_command {
    struct cli_compile compile;
    const char *path;
    char *text; // owned
};

static void finish(struct source_command *command)
{
    rill_diagnostics_free(&command->compile.diagnostics);
    free(command->text);
}

// Diagnostics go to standard error, the text that was asked for to standard output: colour only if both are terminals.
static int open_source(struct source_command *command)
{
    command->text = cli_read_source(command->path);
    command->compile.options.path = cli_source_name(command->path);
    command->compile.options.diagnostics = &command->compile.diagnostics;
    command->compile.options.color = cli_color(stdout) && cli_color(stderr);
    return command->text != NULL ? CLI_OK : CLI_FILE;
}

// Shows what was said; text goes to standard output.
static int show(struct source_command *command, rill_status status, char *text)
{
    cli_print_diagnostics(&command->compile.diagnostics, stderr);
    if (status == RILL_OK) {
        fputs(text, stdout);
    }
    rill_free(text);
    if (status == RILL_ERR_COMPILE) {
        return CLI_FAILED;
    }
    return status == RILL_OK ? CLI_OK : cli_fail_status(status);
}

static int take_path(struct source_command *command, const char *arg, const char *name)
{
    if (arg[0] == '-' && arg[1] != '\0') {
        return cli_fail(CLI_USAGE, "%s: unknown option '%s', or its value is missing; see 'rill %s --help'", name, arg,
                        name);
    }
    if (command->path != NULL) {
        return cli_fail(CLI_USAGE, "%s: one file at a time: '%s' or '%s'?", name, command->path, arg);
    }
    command->path = arg;
    return CLI_OK;
}

static int parse(struct source_command *command, int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc;) {
        int taken = cli_compile_option(&command->compile, argc, argv, i);
        if (taken < 0 || (taken == 0 && take_path(command, argv[i], name) != CLI_OK)) {
            return CLI_USAGE;
        }
        i += taken > 0 ? taken : 1;
    }
    return command->path != NULL ? CLI_OK : cli_fail(CLI_USAGE, "%s: which file? See 'rill %s --help'", name, name);
}

// With values or a device it is a launch that is explained.
static bool names_launch(int argc, char **argv)
{
    for (int i = 1, taken; i < argc; i++) {
        if (cli_option_value("--set", argc, argv, i, &taken) != NULL ||
            cli_option_value("--device", argc, argv, i, &taken) != NULL) {
            return true;
        }
    }
    return false;
}

int cmd_explain(int argc, char **argv)
{
    if (names_launch(argc, argv)) {
        return run_explain(argc, argv);
    }
    struct source_command command = {0};
    int code = parse(&command, argc, argv, "explain");
    if (code == CLI_OK) {
        code = open_source(&command);
    }
    if (code == CLI_OK) {
        char *text = NULL;
        rill_status status = rill_source_explain(command.text, &command.compile.options, &text);
        if (status == RILL_OK && text[0] == '\0') {
            fprintf(stderr, "rill: '%s' has no kernels: mark a function with 'kernel'\n", command.path);
        }
        code = show(&command, status, text);
    }
    finish(&command);
    return code;
}

struct emit_kind {
    const char *option;
    rill_emit kind;
    const char *target; // of the short forms
};

static const struct emit_kind emit_kinds[] = {
    {"--ir", RILL_EMIT_IR, NULL},          {"--plan", RILL_EMIT_PLAN, NULL},     {"--llvm", RILL_EMIT_LLVM, NULL},
    {"--asm", RILL_EMIT_ASM, NULL},        {"--openmp", RILL_EMIT_OPENMP, NULL}, {"--ptx", RILL_EMIT_ASM, "sm_90"},
    {"--amdgcn", RILL_EMIT_ASM, "gfx942"},
};

// --ptx --target gfx942 would be AMD's code under NVIDIA's name.
static int check_target(const struct emit_kind *kind, const char *target)
{
    size_t letters = kind->target != NULL ? strcspn(kind->target, "_0123456789") : 0;
    if (kind->target == NULL || strncmp(target, kind->target, letters) == 0) {
        return CLI_OK;
    }
    return cli_fail(CLI_USAGE, "emit: %s is for targets like %s, not '%s'; --asm takes any", kind->option, kind->target,
                    target);
}

// Takes the kind and --after out of the arguments; what is left stays for the other options.
static int parse_emit(struct source_command *command, int *argc, char **argv, const struct emit_kind **out_kind)
{
    int kept = 1;
    *out_kind = NULL;
    for (int i = 1, taken = 1; i < *argc; i += taken) {
        const struct emit_kind *found = NULL;
        taken = 1;
        for (size_t k = 0; k < sizeof emit_kinds / sizeof emit_kinds[0]; k++) {
            found = strcmp(argv[i], emit_kinds[k].option) == 0 ? &emit_kinds[k] : found;
        }
        const char *after = cli_option_value("--after", *argc, argv, i, &taken);
        if (after != NULL) {
            command->compile.options.after = after;
        } else if (found == NULL) {
            argv[kept++] = argv[i];
        } else if (*out_kind != NULL && *out_kind != found) {
            return cli_fail(CLI_USAGE, "emit: one kind at a time: %s or %s?", (*out_kind)->option, found->option);
        } else {
            *out_kind = found;
        }
    }
    *argc = kept;
    if (*out_kind == NULL) {
        return cli_fail(CLI_USAGE, "emit: what? --ir, --plan, --llvm, --asm, --openmp, --ptx or --amdgcn");
    }
    if (command->compile.options.after != NULL && (*out_kind)->kind != RILL_EMIT_IR) {
        return cli_fail(CLI_USAGE, "emit: --after goes with --ir, not %s: passes leave IR", (*out_kind)->option);
    }
    return CLI_OK;
}

static int list_passes(struct source_command *command)
{
    char *text = NULL;
    rill_status status = rill_source_emit("", &command->compile.options, RILL_EMIT_IR, &text);
    return show(command, status, text);
}

int cmd_emit(int argc, char **argv)
{
    struct source_command command = {0};
    const struct emit_kind *kind;
    int code = parse_emit(&command, &argc, argv, &kind);
    if (code == CLI_OK && command.compile.options.after != NULL && strcmp(command.compile.options.after, "list") == 0) {
        return list_passes(&command); // needs no file
    }
    if (code == CLI_OK) {
        code = parse(&command, argc, argv, "emit");
    }
    if (code == CLI_OK) {
        code = open_source(&command);
    }
    if (code == CLI_OK) {
        if (command.compile.options.target == NULL) {
            command.compile.options.target = kind->target;
        }
        code = check_target(kind, command.compile.options.target);
    }
    if (code == CLI_OK) {
        char *text = NULL;
        rill_status status = rill_source_emit(command.text, &command.compile.options, kind->kind, &text);
        code = show(&command, status, text);
    }
    finish(&command);
    return code;
}

static void print_json(const rill_diagnostics *diagnostics)
{
    static const char *const severities[] = {"note", "warning", "error"};
    printf("{\"errors\": %zu, \"warnings\": %zu, \"diagnostics\": [", diagnostics->error_count,
           diagnostics->warning_count);
    for (size_t i = 0; i < diagnostics->count; i++) {
        const rill_diagnostic *item = &diagnostics->items[i];
        printf("%s\n  {\"severity\": \"%s\", \"file\": ", i > 0 ? "," : "", severities[item->severity]);
        cli_json_string(stdout, item->file, strlen(item->file));
        printf(", \"line\": %u, \"column\": %u, \"text\": ", item->line, item->column);
        cli_json_string(stdout, item->text, strlen(item->text));
        putchar('}');
    }
    puts(diagnostics->count > 0 ? "\n]}" : "]}");
}

int cmd_check(int argc, char **argv)
{
    struct source_command command = {0};
    bool is_json = false;
    bool is_strict = false;
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            is_json = true;
        } else if (strcmp(argv[i], "--strict") == 0) {
            is_strict = true;
        } else {
            argv[kept++] = argv[i];
        }
    }
    int code = parse(&command, kept, argv, "check");
    if (code == CLI_OK) {
        code = open_source(&command);
    }
    if (code == CLI_OK) {
        command.compile.options.color = !is_json && cli_color(stderr);
        rill_status status = rill_check(command.text, &command.compile.options);
        const rill_diagnostics *diagnostics = &command.compile.diagnostics;
        if (is_json && (status == RILL_OK || status == RILL_ERR_COMPILE)) {
            print_json(diagnostics);
        } else {
            cli_print_diagnostics(diagnostics, stderr);
        }
        if (status != RILL_OK && status != RILL_ERR_COMPILE) {
            code = cli_fail_status(status);
        } else if (status != RILL_OK || (is_strict && diagnostics->warning_count > 0)) {
            code = CLI_FAILED;
        }
    }
    finish(&command);
    return code;
}
