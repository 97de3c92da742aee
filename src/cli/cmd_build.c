// rill build: a kernel file, compiled ahead of time into an object and a header that a C or C++ program links and
// includes.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TARGETS = 64 };

struct build_command {
    struct cli_compile compile;
    rill_package_options package;
    const char *targets[MAX_TARGETS];
    const char *path;
    const char *depfile; // NULL: none
    const char *out;     // without its ending; NULL: beside where we are, by the file's name
    char *text;          // owned
    char *words;         // owned: the list of targets, cut
};

static void finish(struct build_command *command)
{
    rill_diagnostics_free(&command->compile.diagnostics);
    free(command->text);
    free(command->words);
}

// ---- the command line ---------------------------------------------------------------------------------------------

// "cpu,sm_80,gfx942"; several lists add up.
static int add_targets(struct build_command *command, const char *list)
{
    size_t before = command->words != NULL ? strlen(command->words) + 1 : 0, size = strlen(list) + 1;
    char *words = malloc(before + size);
    if (words == NULL) {
        return cli_fail(CLI_FILE, "no memory");
    }
    snprintf(words, before + size, "%s%s%s", before > 0 ? command->words : "", before > 0 ? "," : "", list);
    free(command->words);
    command->words = words;
    return CLI_OK;
}

static int cut_targets(struct build_command *command)
{
    char *rest = NULL;
    for (char *word = strtok_r(command->words, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        if (command->package.target_count == MAX_TARGETS) {
            return cli_fail(CLI_USAGE, "build: more than %d targets", (int)MAX_TARGETS);
        }
        command->targets[command->package.target_count++] = word;
    }
    command->package.targets = command->targets;
    return CLI_OK;
}

// How many arguments it took; 0: it is another one; -1 after a message.
static int own_option(struct build_command *command, int argc, char **argv, int at)
{
    int taken = 0;
    const char *value;
    if ((value = cli_option_value("--target", argc, argv, at, &taken)) != NULL) {
        return add_targets(command, value) == CLI_OK ? taken : -1;
    }
    if ((value = cli_option_value("--prefix", argc, argv, at, &taken)) != NULL) {
        command->package.prefix = value;
        return taken;
    }
    if ((value = cli_option_value("--include", argc, argv, at, &taken)) != NULL) {
        command->package.include = value;
        return taken;
    }
    if ((value = cli_option_value("--depfile", argc, argv, at, &taken)) != NULL) {
        command->depfile = value;
        return taken;
    }
    if (strcmp(argv[at], "--no-source") == 0) {
        command->package.no_source = true;
        return 1;
    }
    if (strcmp(argv[at], "-o") == 0 && at + 1 < argc) {
        command->out = argv[at + 1];
        return 2;
    }
    return 0;
}

static int take_path(struct build_command *command, const char *arg)
{
    if (arg[0] == '-' && arg[1] != '\0') {
        return cli_fail(CLI_USAGE, "build: unknown option '%s', or its value is missing; see 'rill build --help'", arg);
    }
    if (command->path != NULL) {
        return cli_fail(CLI_USAGE, "build: one file at a time: '%s' or '%s'?", command->path, arg);
    }
    command->path = arg;
    return CLI_OK;
}

static int parse(struct build_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        int taken = own_option(command, argc, argv, i);
        taken = taken == 0 ? cli_compile_option(&command->compile, argc, argv, i) : taken;
        if (taken < 0 || (taken == 0 && take_path(command, argv[i]) != CLI_OK)) {
            return CLI_USAGE;
        }
        i += taken > 0 ? taken : 1;
    }
    if (command->path == NULL) {
        return cli_fail(CLI_USAGE, "build: which file? See 'rill build --help'");
    }
    if (command->out == NULL && strcmp(command->path, "-") == 0) {
        return cli_fail(CLI_USAGE, "build: what is read from standard input needs -o NAME");
    }
    return command->words != NULL ? cut_targets(command) : CLI_OK;
}

// ---- names --------------------------------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

// Where both files go, without .h and .o: what -o says, or the source's name, here.
static int stem_of(const struct build_command *command, char *out, size_t size)
{
    const char *from = command->out;
    if (from == NULL) {
        const char *slash = strrchr(command->path, '/');
        from = slash != NULL ? slash + 1 : command->path;
    }
    int length = snprintf(out, size, "%s", from);
    if (length < 0 || (size_t)length >= size) {
        return cli_fail(CLI_USAGE, "build: the name '%.40s…' is too long", from);
    }
    bool has_ending = command->out != NULL ? ends_with(out, ".o") || ends_with(out, ".h") : ends_with(out, ".c");
    if (has_ending) {
        out[length - 2] = '\0';
    }
    return CLI_OK;
}

// The package is called as its files are.
static void name_of(const char *stem, char *out, size_t size)
{
    const char *slash = strrchr(stem, '/');
    const char *base = slash != NULL ? slash + 1 : stem;
    bool is_digit = base[0] >= '0' && base[0] <= '9';
    snprintf(out, size, "%s%s", is_digit ? "k" : "", base);
    for (char *at = out; *at != '\0'; at++) {
        bool fits = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        *at = fits ? *at : '_';
    }
}

// ---- writing ------------------------------------------------------------------------------------------------------

// Under another name first: what is there is a whole file, the old one or the new one.
static int write_file(const char *stem, const char *ending, const void *bytes, size_t size)
{
    char path[4096], made[4096 + 32];
    snprintf(path, sizeof path, "%s%s", stem, ending);
    snprintf(made, sizeof made, "%s.%ld~", path, (long)getpid());
    FILE *file = fopen(made, "wb");
    bool is_written = file != NULL && fwrite(bytes, 1, size, file) == size;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (is_written && rename(made, path) == 0) {
        return CLI_OK;
    }
    int code = cli_fail(CLI_FILE, "cannot write '%s': %s", path, strerror(errno));
    remove(made);
    return code;
}

// A path as make reads it.
static void put_path(FILE *file, const char *path, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (path[i] == '$') {
            fputc('$', file);
        } else if (path[i] == ' ' || path[i] == '#') {
            fputc('\\', file);
        }
        fputc(path[i], file);
    }
}

// A rule for make and ninja: what was written depends on the source and on what that includes.
static int write_depfile(const struct build_command *command, const char *stem, const char *files)
{
    FILE *file = fopen(command->depfile, "w");
    if (file == NULL) {
        return cli_fail(CLI_FILE, "cannot write '%s': %s", command->depfile, strerror(errno));
    }
    put_path(file, stem, strlen(stem));
    fputs(".o ", file);
    put_path(file, stem, strlen(stem));
    fputs(".h:", file);
    if (strcmp(command->path, "-") != 0) {
        fputc(' ', file);
        put_path(file, command->path, strlen(command->path));
    }
    for (const char *at = files; *at != '\0'; at += strcspn(at, "\n") + 1) {
        fputs(" \\\n  ", file);
        put_path(file, at, strcspn(at, "\n"));
    }
    fputc('\n', file);
    bool is_written = ferror(file) == 0;
    return fclose(file) == 0 && is_written
               ? CLI_OK
               : cli_fail(CLI_FILE, "cannot write '%s': %s", command->depfile, strerror(errno));
}

static int build(struct build_command *command)
{
    char stem[4000], name[4000 + 1];
    int code = stem_of(command, stem, sizeof stem);
    if (code != CLI_OK) {
        return code;
    }
    name_of(stem, name, sizeof name);
    command->package.name = name;
    rill_built built;
    rill_status status = rill_package_build(command->text, &command->compile.options, &command->package, &built);
    cli_print_diagnostics(&command->compile.diagnostics, stderr);
    if (status != RILL_OK) {
        return status == RILL_ERR_COMPILE ? CLI_FAILED : cli_fail_status(status);
    }
    code = write_file(stem, ".o", built.object, built.object_size);
    code = code == CLI_OK ? write_file(stem, ".h", built.header, strlen(built.header)) : code;
    code = code == CLI_OK && command->depfile != NULL ? write_depfile(command, stem, built.files) : code;
    rill_built_free(&built);
    return code;
}

int cmd_build(int argc, char **argv)
{
    struct build_command command = {.path = NULL};
    int code = parse(&command, argc, argv);
    if (code == CLI_OK) {
        command.text = cli_read_source(command.path);
        command.compile.options.path = cli_source_name(command.path);
        command.compile.options.diagnostics = &command.compile.diagnostics;
        command.compile.options.color = cli_color(stderr);
        code = command.text != NULL ? build(&command) : CLI_FILE;
    }
    finish(&command);
    return code;
}
