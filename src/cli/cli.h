// The command line: one file a subcommand. Sees the public headers only.
#ifndef RILL_CLI_CLI_H
#define RILL_CLI_CLI_H

#include "rill/rill.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Documented in rill(1).
enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1, // the source has errors, or the kernel did not run to its end
    CLI_USAGE = 2,  // the command line is wrong
    CLI_FILE = 3,   // a file could not be read or written
};

int cmd_devices(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_build(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_cache(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_demo(int argc, char **argv);

// Prints "rill: …" to stderr and returns |code|.
int cli_fail(enum cli_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same for a failed call of the library: prints rill_message().
int cli_fail_status(rill_status status);

// The nearest of |count| names, or NULL; |name_at| gives them.
const char *cli_suggest(const char *name, const char *(*name_at)(const void *user, size_t index), const void *user,
                        size_t count);

bool cli_color(FILE *stream); // a terminal, and NO_COLOR is not set

// "-" is standard input. NULL after a message.
FILE *cli_open(const char *path);
void cli_close(FILE *file);
// The whole file, terminated by a zero; NULL and a message on stderr if it cannot be read or holds more than |limit|
// bytes, as a device that never ends does.
char *cli_read_file(const char *path, size_t limit, size_t *out_size);
// The same for a C file, which holds no zero byte.
char *cli_read_source(const char *path);
// The name that diagnostics give it.
const char *cli_source_name(const char *path);

// Options that all commands take which compile: -D name[=value], -I dir, --contract=off, --check=bounds,races,
// --fast-math,
// --target=T or --target T. One that is none of these is left alone.
struct cli_compile {
    rill_module_options options;
    rill_define defines[64];
    const char *include_dirs[64];
    rill_diagnostics diagnostics;
};
// Returns how many arguments of |argv| at |at| were taken (0: none is its business), or -1 after a message.
int cli_compile_option(struct cli_compile *compile, int argc, char **argv, int at);
// The value of "--name=value" or "--name value" at |at|; NULL if it is another option. |taken| gets 1 or 2.
const char *cli_option_value(const char *name, int argc, char **argv, int at, int *taken);
// cmd_devices.c: the devices, and on request why there are no others. cli_exit.
int cli_print_devices(bool with_missing);
// At most 50 errors and 50 warnings with their notes, then how many more there are.
void cli_print_diagnostics(const rill_diagnostics *diagnostics, FILE *out);

// The bytes of the UTF-8 character at |text|; 0 if there is none. JSON and XML take nothing else.
size_t cli_character_size(const unsigned char *text, size_t length);
void cli_json_string(FILE *out, const char *text, size_t length);

// number.c: |text| as a number that |type| holds, or a message that names option and parameter. cli_exit.
int cli_number(const char *option, const char *name, const char *text, const rill_type_info *type, rill_arg *out);

// npy.c
struct npy {
    const char *path; // borrowed
    FILE *file;       // owned
    char descr[16];   // "<f4"
    rill_shape shape;
    void *data; // owned
};
// The first reads the header, the second the |size| bytes of elements, and no more. cli_exit, after a message; finish
// in any case.
int npy_open(const char *path, struct npy *out);
int npy_read(struct npy *npy, size_t size);
void npy_finish(struct npy *npy);
int npy_write(const char *path, const char *descr, const rill_shape *shape, const void *data, size_t size);
const char *npy_descr(const rill_type_info *type, char text[16]);

#endif
