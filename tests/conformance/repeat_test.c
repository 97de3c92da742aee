// Launches that come again with the same arguments, or nearly: what one has found out about its arguments is used by
// later ones on the stream, and must not be by those with others.
#include "world.h"

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void count(int n, int m, int by, int *out)\n"
                             "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) out[i * m + j] += by; }\n"
                             "kernel void move(int n, int to, const int *in, int *out)\n"
                             "{ for (int i = 0; i < n; i++) out[i + to] = in[i] + 1; }\n";

enum { SIZE = 64 };

static rill_kernel kernel_of(rill_module module, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

TEST(arguments_that_come_again_give_their_own_results)
{
    struct world world;
    rill_module module;
    world_open(&world, 0);
    OK(rill_module_create(world.context, source, NULL, &module));
    rill_array out = world_array(&world, RILL_I32, SIZE);
    int expected[SIZE] = {0};
    // More sets of arguments than are remembered, in an order that brings each again at once, soon and late.
    static const int order[] = {0, 0, 1, 0, 2, 3, 4, 0, 5, 5, 1, 2, 3, 4, 5, 0, 0};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        int n = 1 + order[k];
        int m = 8 - order[k] / 2;
        OK(rill_launch(kernel_of(module, "count"), RILL_CURRENT, RILL_ARGS(n, m, (int)k, out)));
        for (int i = 0; i < n * m; i++) {
            expected[i] += (int)k;
        }
    }
    int got[SIZE];
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < SIZE; i++) {
        CHECK_INT(got[i], expected[i]);
    }
    world_close(&world);
}

// Whether a loop may run in parallel hangs on the arrays and on a number: both change while all else stays.
TEST(arrays_that_overlap_are_seen_after_some_that_do_not)
{
    struct world world;
    rill_module module;
    world_open(&world, 0);
    OK(rill_module_create(world.context, source, NULL, &module));
    rill_array a = world_array(&world, RILL_I32, SIZE + 1);
    rill_array b = world_array(&world, RILL_I32, SIZE + 1);
    for (int round = 0; round < 3; round++) {
        int zero = 0;
        int got[SIZE + 1];
        OK(rill_array_fill(a, RILL_CURRENT, &zero, sizeof zero));
        OK(rill_launch(kernel_of(module, "move"), RILL_CURRENT, RILL_ARGS(SIZE, 1, a, b)));
        OK(rill_launch(kernel_of(module, "move"), RILL_CURRENT, RILL_ARGS(SIZE, 1, a, a)));
        OK(rill_array_read(a, RILL_CURRENT, got, sizeof got));
        for (int i = 0; i <= SIZE; i++) {
            CHECK_INT(got[i], i);
        }
        OK(rill_launch(kernel_of(module, "move"), RILL_CURRENT, RILL_ARGS(SIZE, 0, a, a)));
        OK(rill_array_read(b, RILL_CURRENT, got, sizeof got));
        for (int i = 1; i <= SIZE; i++) {
            CHECK_INT(got[i], 1);
        }
        OK(rill_array_read(a, RILL_CURRENT, got, sizeof got));
        CHECK_INT(got[SIZE - 1], SIZE);
        CHECK_INT(got[SIZE], SIZE);
    }
    world_close(&world);
}

// A module that is gone may leave its place to another, whose kernel gets the same arguments.
TEST(another_module_is_another_although_it_lies_in_the_same_place)
{
    struct world world;
    world_open(&world, 0);
    rill_array out = world_array(&world, RILL_I32, SIZE);
    for (int by = 1; by <= 6; by++) {
        char text[256];
        rill_module module;
        snprintf(text, sizeof text,
                 "#include <rill/kernel.h>\n"
                 "kernel void add(int n, int *out) { for (int i = 0; i < n * %d; i++) out[i] += %d; }\n",
                 by, by);
        OK(rill_module_create(world.context, text, NULL, &module));
        OK(rill_launch(kernel_of(module, "add"), RILL_CURRENT, RILL_ARGS(10, out)));
        OK(rill_sync(world.context));
        OK(rill_module_destroy(module));
    }
    int got[SIZE];
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < 60; i++) {
        int sum = 0;
        for (int by = i / 10 + 1; by <= 6; by++) {
            sum += by;
        }
        CHECK_INT(got[i], sum);
    }
    world_close(&world);
}
