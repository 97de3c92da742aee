#include "cli/cli.h"
#include "cli/help.h"

#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    const char *help;
};

static const struct command commands[] = {
    {"run", cmd_run, "compile a file and run one of its kernels", help_run},
    {"check", cmd_check, "say what is wrong with a file", help_check},
    {"explain", cmd_explain, "say of every loop whether it is parallel, and why", help_explain},
    {"emit", cmd_emit, "show a file as IR, plan, LLVM, assembly or OpenMP", help_emit},
    {"build", cmd_build, "compile a file ahead of time, for a program that links it", help_build},
    {"trace", cmd_trace, "draw what ran when, from a trace file", help_trace},
    {"devices", cmd_devices, "list the devices of this machine", help_devices},
    {"cache", cmd_cache, "look after what is kept of earlier compiles", help_cache},
    {"doctor", cmd_doctor, "say what is missing on this machine, and what launches cost", help_doctor},
    {"selftest", cmd_selftest, "run the conformance programs on a device, with a report", help_selftest},
    {"demo", cmd_demo, "a short tour: compile, explain, run, compare, overlap, refuse", help_demo},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_commands(FILE *out)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
}

static void print_help(FILE *out)
{
    fputs(
        "rill compiles data-parallel kernels written in plain C and runs them.\n\nusage: rill COMMAND [arguments]\n\n",
        out);
    print_commands(out);
    fputs(help_start, out);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

// A result that did not reach its file is no success.
static int flushed(int code)
{
    bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    return failed && code == CLI_OK ? cli_fail(CLI_FILE, "cannot write standard output") : code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return flushed(CLI_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("rill %s\n", rill_version());
        return flushed(CLI_OK);
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            if (asks_for_help(argc - 1, argv + 1)) {
                fputs(commands[i].help, stdout);
                return flushed(CLI_OK);
            }
            return flushed(commands[i].run(argc - 1, argv + 1));
        }
    }
    cli_fail(CLI_USAGE, "there is no command '%s'; there are:", argv[1]);
    print_commands(stderr);
    return CLI_USAGE;
}
