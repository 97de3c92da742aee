// What the library says by itself of kernels whose diagnostics nobody took: at the first launch of a kernel which loops
// run in order, why, and what to write; at loading what else the compiler warns of.
#include "world.h"

#include <unistd.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void follow(int n, const int at[n], float a[n])\n"
                             "{\n"
                             "    for (int i = 1; i < n; i++)\n"
                             "        a[i] = a[at[i]] + a[i - 1] * a[i - 1];\n"
                             "}\n"
                             "kernel void meant(int n, float a[n])\n"
                             "{\n"
                             "#pragma rill serial\n"
                             "    for (int i = 1; i < n; i++) a[i] = a[i - 1] * a[i - 1] + 1;\n"
                             "}\n"
                             "kernel void doubtful(int n, unsigned a[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) if (a[i] >= 0) a[i] = i;\n"
                             "#pragma rill parallel\n"
                             "    for (int i = 0; i < n; i++) a[i / 2] = i;\n"
                             "}\n"
                             "kernel void squared(int n, const int at[n], float a[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) a[at[i]] = a[at[i]] * a[at[i]] + i;\n"
                             "}\n"
                             "kernel void exchanged(int n, const int at[n], float a[n])\n"
                             "{\n"
                             "    float next[4];\n"
                             "    for (int i = 0; i < n; i++) { next[i & 3] = a[at[i]]; a[at[i]] = i; }\n"
                             "    if (n > 0) a[0] = next[0];\n"
                             "}\n";

static rill_kernel kernel_of(struct world *world, const char *name, rill_diagnostics *diagnostics)
{
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(world->context, source, &(rill_module_options){.path = "tell.c", .diagnostics = diagnostics},
                          &module));
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

static void launch_follow(struct world *world, rill_kernel kernel, int n)
{
    rill_array at, a;
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(n), &at));
    OK(rill_array_create(world->context, RILL_F32, RILL_SHAPE(n), &a));
    OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, at, a)));
    OK(rill_sync(world->context));
    OK(rill_array_destroy(at));
    OK(rill_array_destroy(a));
}

TEST(the_first_launch_says_which_loop_runs_in_order_and_what_to_write)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel follow = kernel_of(&world, "follow", NULL);
    world.logged[0] = '\0';
    launch_follow(&world, follow, 10);
    CHECK_CONTAINS(world.logged, "2: kernel 'follow', tell.c:4: this loop runs in order, on one thread: ");
    CHECK_CONTAINS(world.logged, "'a[at[i]]'");
    CHECK_CONTAINS(world.logged, "(line 5)");
    CHECK_CONTAINS(world.logged, "'#pragma rill parallel' before it if any order will do, '#pragma rill serial'");
    world.logged[0] = '\0';
    launch_follow(&world, follow, 10);
    CHECK_STR(world.logged, "");
    world_close(&world);
}

TEST(what_to_write_is_no_pragma_for_iterations_that_share_what_they_replace)
{
    struct world world;
    world_open(&world, 2);
    launch_follow(&world, kernel_of(&world, "squared", NULL), 10);
    CHECK_CONTAINS(world.logged, "write '#pragma rill parallel' before it if no two iterations share 'a[at[i]]', ");
    launch_follow(&world, kernel_of(&world, "exchanged", NULL), 10);
    CHECK_CONTAINS(world.logged, "write 'rill_atomic_exchange(&a[at[i]], …)' in it if any order will do, ");
    world_close(&world);
}

TEST(it_is_a_warning_where_the_arguments_make_the_loop_long)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel follow = kernel_of(&world, "follow", NULL);
    world.logged[0] = '\0';
    launch_follow(&world, follow, 3000000);
    CHECK_CONTAINS(world.logged, "1: kernel 'follow', tell.c:4: this loop runs in order");
    world_close(&world);
}

TEST(nothing_is_said_where_the_order_is_meant_or_the_program_took_the_diagnostics)
{
    struct world world;
    world_open(&world, 2);
    rill_diagnostics diagnostics = {0};
    rill_kernel meant = kernel_of(&world, "meant", NULL);
    rill_kernel taken = kernel_of(&world, "follow", &diagnostics);
    CHECK(diagnostics.warning_count > 0);
    rill_diagnostics_free(&diagnostics);
    world.logged[0] = '\0';
    rill_array a;
    OK(rill_array_create(world.context, RILL_F32, RILL_SHAPE(10), &a));
    OK(rill_launch(meant, RILL_CURRENT, RILL_ARGS(10, a)));
    OK(rill_sync(world.context));
    launch_follow(&world, taken, 10);
    CHECK_STR(world.logged, "");
    world_close(&world);
}

TEST(a_file_that_is_loaded_has_its_warnings_logged)
{
    struct world world;
    world_open(&world, 2);
    char path[] = "/tmp/rill-tell-XXXXXX.c";
    int handle = mkstemps(path, 2);
    CHECK(handle >= 0 && write(handle, source, sizeof source - 1) == (ssize_t)sizeof source - 1);
    close(handle);
    rill_kernel kernel;
    OK(rill_kernel_load(world.context, path, "meant", &kernel));
    CHECK_CONTAINS(world.logged, "1: ");
    CHECK_CONTAINS(world.logged, ":16:5: under '#pragma rill parallel' it is left to chance what stays: 'a[i / 2]' is "
                                 "written by more than one iteration");
    unlink(path);
    world_close(&world);
}
