// rill trace: draws what ran when.
#include "cli/timeline.h"

#include <stdlib.h>
#include <string.h>

struct trace_command {
    const char *path;
    const char *svg;
    struct timeline_style style;
};

// A count of an option; -1 after a message.
static int take_count(const char *option, const char *text, int least)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0' || count < least || count > 1000000000) {
        cli_fail(CLI_USAGE, "trace: %s takes a number from %d on, not '%s'", option, least, text);
        return -1;
    }
    return (int)count;
}

// The number of words taken, 0 if it is no option of trace, -1 after a message.
static int take_option(struct trace_command *command, int argc, char **argv, int at)
{
    int taken = 0;
    const char *value;
    if ((value = cli_option_value("--svg", argc, argv, at, &taken)) != NULL) {
        command->svg = value;
        return taken;
    }
    if ((value = cli_option_value("--width", argc, argv, at, &taken)) != NULL) {
        command->style.width = take_count("--width", value, 40);
        return command->style.width > 0 ? taken : -1;
    }
    if ((value = cli_option_value("--tasks", argc, argv, at, &taken)) != NULL) {
        command->style.task_limit = take_count("--tasks", value, 0);
        return command->style.task_limit >= 0 ? taken : -1;
    }
    return 0;
}

static int parse(struct trace_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        int taken = take_option(command, argc, argv, i);
        if (taken < 0) {
            return CLI_USAGE;
        }
        if (taken == 0 && argv[i][0] == '-' && argv[i][1] != '\0') {
            return cli_fail(CLI_USAGE, "trace: unknown option '%s', or its value is missing; see 'rill trace --help'",
                            argv[i]);
        }
        if (taken == 0 && command->path != NULL) {
            return cli_fail(CLI_USAGE, "trace: one file at a time: '%s' or '%s'?", command->path, argv[i]);
        }
        if (taken == 0) {
            command->path = argv[i];
            taken = 1;
        }
        i += taken;
    }
    return command->path != NULL ? CLI_OK : cli_fail(CLI_USAGE, "trace: which file? See 'rill trace --help'");
}

int cmd_trace(int argc, char **argv)
{
    struct trace_command command = {.style = timeline_style(stdout)};
    int code = parse(&command, argc, argv);
    if (code != CLI_OK) {
        return code;
    }
    struct timeline timeline;
    code = timeline_read(command.path, &timeline);
    if (code == CLI_OK && command.svg != NULL) {
        code = timeline_write_svg(&timeline, command.svg);
    } else if (code == CLI_OK) {
        timeline_draw(&timeline, &command.style, stdout);
    }
    timeline_finish(&timeline);
    return code;
}
