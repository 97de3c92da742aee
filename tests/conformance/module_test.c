// Modules and their kernels.
#include "world.h"

#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    REQUIRE(fputs(text, file) >= 0);
    REQUIRE(fclose(file) == 0);
}

TEST(kernel_knows_its_module)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {77};
    OK(rill_kernel_module(world_kernel(&world, "sum"), &module));
    CHECK_UINT(module.id, world.module.id);
    STATUS(rill_kernel_module((rill_kernel){0}, &module), RILL_ERR_NULL_HANDLE);
    CHECK_UINT(module.id, 0);
    world_close(&world);
}

TEST(module_of_a_loaded_file_has_its_fields_and_may_be_destroyed)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/rill-module-%d.c", (int)getpid());
    write_file(path, "#include <rill/kernel.h>\nint level = 3;\nkernel int get(void) { return level; }\n");
    struct world world;
    world_open(&world, 2);
    rill_kernel get = {0}, again = {0};
    rill_module module = {0}, other = {0};
    int level = 0;
    OK(rill_kernel_load(world.context, path, "get", &get));
    OK(rill_kernel_module(get, &module));
    OK(rill_field_write(module, "level", RILL_CURRENT, &(int){8}, sizeof(int)));
    OK(rill_call(get, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 8);

    // The file is read again after that, and the kernel's old handle is stale.
    OK(rill_module_destroy(module));
    STATUS(rill_kernel_module(get, &other), RILL_ERR_STALE);
    write_file(path, "#include <rill/kernel.h>\nint level = 4;\nkernel int get(void) { return level; }\n");
    OK(rill_kernel_load(world.context, path, "get", &again));
    OK(rill_call(again, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 4);
    OK(rill_kernel_module(again, &other));
    CHECK(other.id != module.id);

    // One that does not compile any more is an error, and the next that does is not.
    OK(rill_module_destroy(other));
    write_file(path, "#include <rill/kernel.h>\nkernel int get(void) { return nothing; }\n");
    STATUS(rill_kernel_load(world.context, path, "get", &get), RILL_ERR_COMPILE);
    write_file(path, "#include <rill/kernel.h>\nkernel int get(void) { return 5; }\n");
    OK(rill_kernel_load(world.context, path, "get", &get));
    OK(rill_call(get, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 5);
    world_close(&world);
    remove(path);
}
