#include "cli/cli.h"

int cmd_devices(int argc, char **argv)
{
    if (argc > 1) {
        return cli_fail(CLI_USAGE, "devices takes no arguments, not '%s'", argv[1]);
    }
    size_t count = rill_device_count();
    for (size_t i = 0; i < count; i++) {
        rill_device_info info;
        rill_status status = rill_device_get(i, &info);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
        printf("%-10s %s, %.1f GB\n", info.name, info.description, (double)info.memory_size * 1e-9);
    }
    return CLI_OK;
}
