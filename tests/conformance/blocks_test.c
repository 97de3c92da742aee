// stream_parallel on real kernels: program order, whatever overlaps.
#include "world.h"

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdio.h>\n"
    "kernel void contact(int n, const float x[n], const float v[n], float f[n])\n"
    "{ for (int i = 0; i < n; i++) f[i] = -40.0f * (x[i] < 0 ? x[i] : 0.0f) - 0.1f * v[i]; }\n"
    "kernel void spring(int n, const float x[n], float g[n])\n"
    "{ for (int i = 1; i < n - 1; i++) g[i] = x[i - 1] - 2 * x[i] + x[i + 1]; }\n"
    "kernel void simulate(int n, int steps, float dt, float x[n], float v[n], float f[n], float g[n])\n"
    "{\n"
    "    for (int t = 0; t < steps; t++) {\n"
    "        stream_parallel { contact(n, x, v, f); }\n"
    "        stream_parallel { spring(n, x, g); }\n"
    "        for (int i = 0; i < n; i++) { v[i] += dt * (f[i] + g[i]); x[i] += dt * v[i]; }\n"
    "    }\n"
    "}\n"
    "kernel void pair(int n, int a[n], int b[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] = i; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = 2 * i + 1; }\n"
    "}\n"
    "kernel void around(int n, int a[n], int b[n], int sum[1])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) { a[i] = 1; b[i] = 2; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] *= 10; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] *= 100; }\n"
    "    int s = 0;\n"
    "    for (int i = 0; i < n; i++) s += a[i] + b[i];\n"
    "    sum[0] = s;\n"
    "}\n"
    "kernel void tell(void)\n"
    "{\n"
    "    stream_parallel { printf(\"first \"); printf(\"block\\n\"); }\n"
    "    stream_parallel { printf(\"second block\\n\"); }\n"
    "    printf(\"after\\n\");\n"
    "}\n";

struct blocks {
    struct world world;
    rill_module module;
};

static void open_blocks(struct blocks *b, int threads)
{
    world_open(&b->world, threads);
    OK(rill_module_create(b->world.context, source, NULL, &b->module));
}

static rill_kernel kernel_of(struct blocks *b, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(b->module, name, &kernel));
    return kernel;
}

static void simulate(int n, int steps, float dt, float *x, float *v, float *f, float *g)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            f[i] = -40.0f * (x[i] < 0 ? x[i] : 0.0f) - 0.1f * v[i];
        }
        for (int i = 1; i < n - 1; i++) {
            g[i] = x[i - 1] - 2 * x[i] + x[i + 1];
        }
        for (int i = 0; i < n; i++) {
            v[i] += dt * (f[i] + g[i]);
            x[i] += dt * v[i];
        }
    }
}

TEST(blocks_in_a_time_loop_give_the_serial_result)
{
    setenv("RILL_CONTRACT", "off", 1);
    for (int threads = 1; threads <= 4; threads++) {
        for (int n = 1; n <= 20000; n = n * 7 + 3) {
            struct blocks b;
            open_blocks(&b, threads);
            size_t size = (size_t)n * sizeof(float);
            float *host = calloc(8, size);
            for (int i = 0; i < n; i++) {
                host[i] = host[4 * n + i] = (float)(i % 13) - 6;
            }
            float *mine = host + 4 * n;
            OK(rill_launch(kernel_of(&b, "simulate"), RILL_CURRENT,
                           RILL_ARGS(n, 20, 0.01, RILL_HOST(host, n), RILL_HOST(host + n, n),
                                     RILL_HOST(host + 2 * n, n), RILL_HOST(host + 3 * n, n))));
            OK(rill_sync(b.world.context));
            simulate(n, 20, 0.01f, mine, mine + n, mine + 2 * n, mine + 3 * n);
            CHECK_MEM(host, mine, size);
            CHECK_MEM(host + n, mine + n, size);
            free(host);
            world_close(&b.world);
        }
    }
    unsetenv("RILL_CONTRACT");
}

TEST(what_stands_around_blocks_is_ordered_with_them)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct blocks b;
        open_blocks(&b, threads);
        int n = 5000;
        rill_array a = world_array(&b.world, RILL_I32, n);
        rill_array c = world_array(&b.world, RILL_I32, n);
        rill_array sum = world_array(&b.world, RILL_I32, 1);
        for (int round = 0; round < 50; round++) {
            OK(rill_launch(kernel_of(&b, "around"), RILL_CURRENT, RILL_ARGS(n, a, c, sum)));
            int total = 0;
            OK(rill_array_read(sum, RILL_CURRENT, &total, sizeof total));
            CHECK_INT(total, n * 210);
        }
        world_close(&b.world);
    }
}

TEST(blocks_over_the_same_argument_run_in_program_order_counted_and_logged)
{
    struct blocks b;
    open_blocks(&b, 4);
    int n = 50000;
    rill_array a = world_array(&b.world, RILL_I32, n);
    rill_array c = world_array(&b.world, RILL_I32, n);
    rill_stats stats;
    OK(rill_launch(kernel_of(&b, "pair"), RILL_CURRENT, RILL_ARGS(n, a, c)));
    OK(rill_sync(b.world.context));
    OK(rill_context_stats(b.world.context, &stats));
    CHECK_INT(stats.block_in_order_count, 0);
    int *host = malloc((size_t)n * sizeof *host);
    for (int round = 1; round <= 30; round++) {
        OK(rill_launch(kernel_of(&b, "pair"), RILL_CURRENT, RILL_ARGS(n, a, a)));
        OK(rill_array_read(a, RILL_CURRENT, host, (size_t)n * sizeof *host));
        int wrong = 0;
        for (int i = 0; i < n; i++) {
            wrong += host[i] != 2 * i + 1;
        }
        CHECK_INT(wrong, 0);
        OK(rill_context_stats(b.world.context, &stats));
        CHECK_INT(stats.block_in_order_count, round);
    }
    CHECK_CONTAINS(b.world.logged, "runs after block 1: their regions overlap");
    free(host);
    world_close(&b.world);
}

TEST(blocks_print_in_program_order)
{
    for (int round = 0; round < 20; round++) {
        struct blocks b;
        open_blocks(&b, 4);
        OK(rill_launch(kernel_of(&b, "tell"), RILL_CURRENT, RILL_ARGS()));
        OK(rill_sync(b.world.context));
        CHECK_STR(b.world.printed, "first block\nsecond block\nafter\n");
        world_close(&b.world);
    }
}
