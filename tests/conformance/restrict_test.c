// What `restrict` promises is taken as it stands, and looked at in checked mode only: there a launch that breaks the
// promise is an error that names both parameters.
#include "world.h"

static const char source[] = "#include <rill/kernel.h>\n"
                             "int field[64];\n"
                             "kernel void shift(int n, int *restrict to, const int *from)\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) to[i] = from[i] + 1;\n"
                             "}\n"
                             "kernel void both(int n, int a[restrict n], const int b[restrict n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) a[i] = b[i];\n"
                             "}\n"
                             "kernel void running(int n, int *restrict to, const int *from)\n"
                             "{\n"
                             "    for (int i = 1; i < n; i++) to[i] = to[i - 1] + from[i];\n"
                             "}\n"
                             "kernel void readers(int n, const int *restrict a, const int *restrict b, int *c)\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];\n"
                             "}\n"
                             "kernel void blocks(int n, int *restrict a, int *b)\n"
                             "{\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) a[i] = 1; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) b[i] = 2; }\n"
                             "}\n";

struct bench {
    struct world world;
    rill_module module;
    int x[64];
};

static void open_bench(struct bench *b, bool is_checked)
{
    world_open(&b->world, 2);
    memset(b->x, 0, sizeof b->x);
    rill_module_options options = {.path = "restrict.c", .check_bounds = is_checked};
    OK(rill_module_create(b->world.context, source, &options, &b->module));
}

static rill_kernel kernel_of(struct bench *b, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(b->module, name, &kernel));
    return kernel;
}

// Two stretches of n elements, |apart| elements from each other.
static rill_status call(struct bench *b, const char *name, int n, int apart)
{
    return rill_call(kernel_of(b, name), RILL_CURRENT, RILL_ARGS(n, RILL_HOST(b->x, n), RILL_HOST(b->x + apart, n)),
                     NULL, 0);
}

TEST(checked_mode_names_both_parameters_of_a_broken_restrict)
{
    struct bench b;
    open_bench(&b, true);
    STATUS(call(&b, "shift", 8, 7), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(),
                   "kernel 'shift', restrict.c:5: 'from' and 'to' (line 5) overlap, but 'to' is restrict");
    STATUS(call(&b, "both", 8, 0), RILL_ERR_CONFLICT); // the same array is no better
    CHECK_CONTAINS(rill_message(), "'b' and 'a' (line 9) overlap, but both are restrict");
    world_close(&b.world);
}

TEST(checked_mode_compares_what_is_touched)
{
    struct bench b;
    open_bench(&b, true);
    OK(call(&b, "shift", 8, 8));
    CHECK_INT(b.x[7], 1);
    // The arrays overlap, the elements that the kernel touches do not.
    OK(rill_call(kernel_of(&b, "shift"), RILL_CURRENT, RILL_ARGS(8, RILL_HOST(b.x, 16), RILL_HOST(b.x + 8, 16)), NULL,
                 0));
    OK(rill_call(kernel_of(&b, "readers"), RILL_CURRENT,
                 RILL_ARGS(8, RILL_HOST(b.x, 8), RILL_HOST(b.x, 8), RILL_HOST(b.x + 8, 8)), NULL, 0));
    world_close(&b.world);
}

TEST(checked_mode_tests_loops_that_run_in_order_too)
{
    struct bench b;
    open_bench(&b, true);
    STATUS(call(&b, "running", 8, 4), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "overlap, but 'to' is restrict");
    OK(call(&b, "running", 8, 8));
    world_close(&b.world);
}

TEST(checked_mode_tests_restrict_between_blocks)
{
    struct bench b;
    open_bench(&b, true);
    STATUS(call(&b, "blocks", 8, 4), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "'a' and 'b' (line 22) overlap, but 'a' is restrict");
    OK(call(&b, "blocks", 8, 8));
    CHECK_INT(b.x[7], 1);
    CHECK_INT(b.x[8], 2);
    world_close(&b.world);
}

TEST(unchecked_mode_asks_nothing)
{
    struct bench b;
    open_bench(&b, false);
    rill_stats before;
    rill_stats after;
    OK(rill_context_stats(b.world.context, &before));
    OK(call(&b, "shift", 8, 8));
    OK(call(&b, "shift", 8, 0));
    OK(call(&b, "blocks", 8, 8));
    OK(call(&b, "blocks", 8, 4));
    OK(rill_context_stats(b.world.context, &after));
    CHECK_UINT(after.in_order_count, before.in_order_count);
    CHECK_UINT(after.block_in_order_count, before.block_in_order_count);
    world_close(&b.world);
}
