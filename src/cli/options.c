#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_fail(enum cli_exit code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("rill: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return (int)code;
}

int cli_fail_status(rill_status status)
{
    const char *message = rill_message();
    size_t length = strlen(message);
    const char *end = length > 0 && message[length - 1] == '\n' ? "" : "\n";
    fprintf(stderr, "rill: %s%s", length > 0 ? message : rill_status_text(status), end);
    switch (status) {
    case RILL_ERR_IO: return CLI_FILE;
    case RILL_ERR_NO_DEVICE: // names and values that the command line gave
    case RILL_ERR_INVALID:
    case RILL_ERR_ARGUMENTS: return CLI_USAGE;
    default: return CLI_FAILED;
    }
}

bool cli_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (no_color == NULL || no_color[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(stream));
}

FILE *cli_open(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        cli_fail(CLI_FILE, "cannot open '%s': %s", path, strerror(errno));
    }
    return file;
}

void cli_close(FILE *file)
{
    if (file != NULL && file != stdin) {
        fclose(file);
    }
}

// Up to |limit| bytes and one more, which says that there is too much. NULL: no memory.
static char *read_some(FILE *file, size_t limit, size_t *out_size)
{
    size_t size = 0;
    size_t capacity = 1 << 16;
    char *text = malloc(capacity + 1);
    while (text != NULL && size <= limit) {
        size_t got = fread(text + size, 1, capacity - size, file);
        size += got;
        if (got == 0) {
            break;
        }
        if (size == capacity) {
            capacity *= 2;
            char *larger = realloc(text, capacity + 1);
            if (larger == NULL) {
                free(text);
            }
            text = larger;
        }
    }
    *out_size = size;
    return text;
}

char *cli_read_file(const char *path, size_t limit, size_t *out_size)
{
    FILE *file = cli_open(path);
    if (file == NULL) {
        return NULL;
    }
    char *text = read_some(file, limit, out_size);
    int error = text == NULL ? ENOMEM : ferror(file) != 0 ? errno : 0;
    cli_close(file);
    if (error != 0) {
        cli_fail(CLI_FILE, "cannot read '%s': %s", path, strerror(error));
    } else if (*out_size > limit) {
        cli_fail(CLI_FILE, "'%s' holds more than %zu MiB", path, limit >> 20);
    } else {
        text[*out_size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *cli_read_source(const char *path)
{
    enum { MEGABYTES = 16 }; // what the compiler takes
    size_t size;
    char *text = cli_read_file(path, (size_t)MEGABYTES << 20, &size);
    if (text != NULL && strlen(text) != size) {
        cli_fail(CLI_FILE, "'%s' holds a zero byte: is it a C file?", path);
        free(text);
        return NULL;
    }
    return text;
}

const char *cli_source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

const char *cli_option_value(const char *name, int argc, char **argv, int at, int *taken)
{
    size_t length = strlen(name);
    if (strncmp(argv[at], name, length) != 0) {
        return NULL;
    }
    if (argv[at][length] == '=') {
        *taken = 1;
        return argv[at] + length + 1;
    }
    if (argv[at][length] == '\0' && at + 1 < argc) {
        *taken = 2;
        return argv[at + 1];
    }
    return NULL;
}

// -Dname or -D name: what follows the letter.
static const char *letter_value(char letter, int argc, char **argv, int at, int *taken)
{
    if (argv[at][0] != '-' || argv[at][1] != letter) {
        return NULL;
    }
    *taken = argv[at][2] != '\0' ? 1 : 2;
    return *taken == 1 ? argv[at] + 2 : at + 1 < argc ? argv[at + 1] : NULL;
}

static int add_define(struct cli_compile *compile, char *text, int taken)
{
    if (compile->options.define_count == sizeof compile->defines / sizeof compile->defines[0]) {
        cli_fail(CLI_USAGE, "more than 64 -D options");
        return -1;
    }
    char *equals = strchr(text, '=');
    const char *value = NULL;
    if (equals != NULL) {
        *equals = '\0'; // the process's own argument, used nowhere else
        value = equals + 1;
    }
    compile->defines[compile->options.define_count++] = (rill_define){.name = text, .value = value};
    compile->options.defines = compile->defines;
    return taken;
}

// "bounds", "races", or both with a comma.
static bool take_checks(struct cli_compile *compile, const char *value)
{
    static const char bounds[] = "bounds", races[] = "races";
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        bool is_bounds = length == sizeof bounds - 1 && memcmp(at, bounds, length) == 0;
        bool is_races = length == sizeof races - 1 && memcmp(at, races, length) == 0;
        if (!is_bounds && !is_races) {
            cli_fail(CLI_USAGE, "--check takes 'bounds', 'races' or 'bounds,races', not '%s'", value);
            return false;
        }
        compile->options.check_bounds |= is_bounds;
        compile->options.check_races |= is_races;
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}

int cli_compile_option(struct cli_compile *compile, int argc, char **argv, int at)
{
    int taken = 0;
    const char *value;
    if ((value = letter_value('D', argc, argv, at, &taken)) != NULL) {
        return add_define(compile, (char *)value, taken);
    }
    if ((value = letter_value('I', argc, argv, at, &taken)) != NULL) {
        if (compile->options.include_dir_count == sizeof compile->include_dirs / sizeof compile->include_dirs[0]) {
            cli_fail(CLI_USAGE, "more than 64 -I options");
            return -1;
        }
        compile->include_dirs[compile->options.include_dir_count++] = value;
        compile->options.include_dirs = compile->include_dirs;
        return taken;
    }
    if ((value = cli_option_value("--contract", argc, argv, at, &taken)) != NULL) {
        if (strcmp(value, "off") != 0 && strcmp(value, "on") != 0) {
            cli_fail(CLI_USAGE, "--contract takes 'on' or 'off', not '%s'", value);
            return -1;
        }
        compile->options.contract_off = strcmp(value, "off") == 0;
        return taken;
    }
    if ((value = cli_option_value("--check", argc, argv, at, &taken)) != NULL) {
        return take_checks(compile, value) ? taken : -1;
    }
    if ((value = cli_option_value("--target", argc, argv, at, &taken)) != NULL) {
        compile->options.target = value;
        return taken;
    }
    if ((value = cli_option_value("--sanitize", argc, argv, at, &taken)) != NULL) {
        compile->options.sanitize = value;
        return taken;
    }
    if (strcmp(argv[at], "--fast-math") == 0) {
        compile->options.fast_math = true;
        return 1;
    }
    return 0;
}

static void print_left_out(size_t count, const char *what, FILE *out)
{
    if (count > 0) {
        fprintf(out, "rill: %zu more %s%s not shown\n", count, what, count == 1 ? " is" : "s are");
    }
}

// A generated file may have thousands: the first ones are read, the others hide them.
void cli_print_diagnostics(const rill_diagnostics *diagnostics, FILE *out)
{
    enum { SHOWN = 50 };
    size_t shown[RILL_SEVERITY_ERROR + 1] = {0};
    bool is_shown = true;
    for (size_t i = 0; i < diagnostics->count; i++) {
        rill_severity severity = diagnostics->items[i].severity;
        if (severity != RILL_SEVERITY_NOTE) { // notes go with what they belong to
            is_shown = shown[severity] < SHOWN;
            shown[severity] += is_shown;
        }
        if (is_shown) {
            fputs(diagnostics->items[i].rendered, out);
        }
    }
    print_left_out(diagnostics->warning_count - shown[RILL_SEVERITY_WARNING], "warning", out);
    print_left_out(diagnostics->error_count - shown[RILL_SEVERITY_ERROR], "error", out);
}

size_t cli_character_size(const unsigned char *text, size_t length)
{
    size_t size = text[0] < 0x80   ? 1
                  : text[0] < 0xc2 ? 0
                  : text[0] < 0xe0 ? 2
                  : text[0] < 0xf0 ? 3
                  : text[0] < 0xf5 ? 4
                                   : 0;
    if (size == 0 || size > length) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool is_overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool is_beyond = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return is_overlong || is_beyond ? 0 : size;
}

void cli_json_string(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length;) {
        const unsigned char *at = (const unsigned char *)text + i;
        size_t size = cli_character_size(at, length - i);
        if (size == 0) {
            fputs("\\ufffd", out);
        } else if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at == '\n') {
            fputs("\\n", out);
        } else if (*at == '\t') {
            fputs("\\t", out);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\u%04x", *at);
        } else {
            fwrite(at, 1, size, out);
        }
        i += size > 0 ? size : 1;
    }
    fputc('"', out);
}
