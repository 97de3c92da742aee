// What the files of `rill run` share.
#ifndef RILL_CLI_RUN_H
#define RILL_CLI_RUN_H

#include "cli/cli.h"

struct pair { // name=value of --set, --in, --out
    const char *name;
    const char *value;
    bool is_used;
};

struct pairs {
    const char *option;
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
    char *text; // owned: the file
    const char *kernel_name;
    const char *device;
    struct pairs set;
    struct pairs in;
    struct pairs out;
    const char *trace;    // NULL: none
    FILE *trace_stream;   // owned: where it goes if that is no file; NULL otherwise
    char trace_copy[256]; // the file that the library then writes; "": none
    bool explains;        // `rill explain --set …`: says what a launch would do
    int repeat;
    bool is_json;
    // What kernels printed; a print callback fills it.
    char *printed; // owned
    size_t printed_size;
    size_t printed_lost; // bytes for which there was no memory
    rill_context context;
    rill_module module;
    rill_kernel kernel;
    rill_kernel_info info;
    struct argument arguments[RILL_MAX_ARGS];
    rill_arg args[RILL_MAX_ARGS];
    unsigned char returned[4096]; // numbers and structs; larger ones are dropped
    double best_ms;
};

// The pair |name|, which is marked as used; NULL if there is none.
struct pair *run_find_pair(struct pairs *pairs, const char *name);

// `rill explain` with values for the kernel's parameters.
int run_explain(int argc, char **argv);

// arguments.c: makes run->args from the command line and the kernel's parameters. cli_exit, after a message.
int run_make_arguments(struct run *run);

#endif
