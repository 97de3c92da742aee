// rill devices: what this machine has, and why it does not have more.
#include "cli/cli.h"

#include <string.h>

// Asks for a device of a family that lists none; the library's answer says why.
static void print_missing(const char *name)
{
    rill_context context;
    if (rill_open(name, NULL, &context) != RILL_OK) {
        const char *why = rill_message();
        const char *colon = strncmp(why, "rill_open: ", 11) == 0 ? why + 11 : why;
        printf("%-10s not there: %s\n", name, colon);
    } else if (rill_close(context) != RILL_OK) {
        cli_fail(CLI_FAILED, "%s", rill_message());
    }
}

int cli_print_devices(bool with_missing)
{
    static const char *const families[] = {"cuda", "amdgpu"};
    bool is_there[2] = {false};
    size_t count = rill_device_count();
    for (size_t i = 0; i < count; i++) {
        rill_device_info info;
        rill_status status = rill_device_get(i, &info);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
        printf("%-10s %s, %.1f GB\n", info.name, info.description, (double)info.memory_size * 1e-9);
        for (int k = 0; k < 2; k++) {
            is_there[k] |= strncmp(info.name, families[k], strlen(families[k])) == 0;
        }
    }
    for (int k = 0; k < 2 && with_missing; k++) {
        if (!is_there[k]) {
            char name[16];
            snprintf(name, sizeof name, "%s:0", families[k]);
            print_missing(name);
        }
    }
    return CLI_OK;
}

int cmd_devices(int argc, char **argv)
{
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0;
    if (argc > 1 && !all) {
        return cli_fail(CLI_USAGE, "devices takes no arguments but --all, not '%s'", argv[all || argc == 2 ? 1 : 2]);
    }
    return cli_print_devices(all);
}
