// stream_parallel on real kernels: program order, whatever overlaps. Sentence by sentence:
//
// clang-format off
//   loops and statements in a block keep order     tests/kernels/blocks*.c (own_time, statements, control_inside, …)
//   before, between, after; in control loops       what_stands_around_blocks_…, blocks_in_a_time_loop_…;
//                                                    kernels nested_time, until_done, mailbox; regions_test
//   the launch stream waits for the join,          …_and_work_queued_behind_sees_all_blocks,
//     the host does not                              host_does_not_wait_for_the_join
//   what was produced before is seen               blocks_see_what_the_stream_produced_before_…
//   no conflict: concurrent                        trace_test: blocks_overlap_in_the_trace_…; scalars_decide_at_launch
//   decided at launch: counted and logged          blocks_over_the_same_argument_…,
//                                                    views_are_compared_by_what_is_touched, scalars_decide_at_launch
//   refused with both lines and regions            tests/passes/cases/blocks;
//                                                    conflict_is_refused_with_both_lines_and_regions
//   updates of one class are accepted, atomic      updates_of_many_blocks_are_all_there; kernels blocks_updates.c
//   bounds computed by a block belong to it        bounds_are_computed_by_the_block_that_uses_them;
//                                                    tests/passes/blocks_test
//   more blocks than run at the same time          a_hundred_blocks_run_on_lent_streams_too;
//                                                    fakes/many_blocks_test
//   a failing block                                failure_in_one_block_ends_the_launch_and_the_others_join
// clang-format on
#include "world.h"

#include <semaphore.h>

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
    "kernel void three(int n, int a[n], int b[n], int c[n])\n" // reads and writes: two reasons to wait for each other
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] = a[i] * 2 + 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = b[i] * 3 + 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) c[i] = c[i] * 5 + 1; }\n"
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

static const char source_order[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "kernel void produce(int n, int round, int a[n]) { for (int i = 0; i < n; i++) a[i] = i + round; }\n"
    "kernel void consume(int n, const int a[n], int b[n], int c[n], int d[n], int e[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = a[i] * 2; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) c[i] = a[n - 1 - i]; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) d[i] = a[i] ^ 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) e[i] = -a[i]; }\n"
    "}\n"
    "kernel int gather(int n, const int b[n], const int c[n], const int d[n], const int e[n])\n"
    "{ int s = 0; for (int i = 0; i < n; i++) s += b[i] + 3 * c[i] + 5 * d[i] + 7 * e[i]; return s; }\n"
    "kernel void parts(int n, int k, int a[4 * n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[2 * i] = i; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[2 * i + 1] = -i; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[k + i] = 7; }\n"
    "}\n"
    "kernel void add_all(int n, int rounds, long sum[2])\n"
    "{\n"
    "    for (int t = 0; t < rounds; t++) {\n"
    "        stream_parallel { for (int i = 0; i < n; i++) sum[0] += i; }\n"
    "        stream_parallel { for (int i = 0; i < n; i++) sum[i & 1] += 1; }\n"
    "        stream_parallel { sum[0]++; sum[1]--; }\n"
    "        stream_parallel {\n"
    "#pragma rill single\n"
    "            for (int i = 0; i < n; i++) sum[1] += 2;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "kernel void own_bounds(int n, int rounds, int count[2], int a[n], int b[n])\n"
    "{\n"
    "    for (int t = 0; t < rounds; t++) {\n"
    "        stream_parallel { count[0] = (count[0] + 7) % n; for (int i = 0; i < count[0]; i++) a[i]++; }\n"
    "        stream_parallel { count[1] = (count[1] + 11) % n; for (int i = 0; i < count[1]; i++) b[i]++; }\n"
    "    }\n"
    "}\n"
    "kernel void half_fails(int n, int limit, int a[n], int b[n], int c[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) { assert(a[i] < limit); b[i] = 1; } }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) c[i] = 2; }\n"
    "    for (int i = 0; i < n; i++) a[i] = 99;\n"
    "}\n";

struct blocks {
    struct world world;
    rill_module module;
};

static void open_text(struct blocks *b, int threads, const char *text)
{
    world_open(&b->world, threads);
    OK(rill_module_create(b->world.context, text, NULL, &b->module));
}

static void open_blocks(struct blocks *b, int threads)
{
    open_text(b, threads, source);
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

// ---- order with the stream ----------------------------------------------------------------------------------------

static int gathered(int n, int round)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        unsigned a = (unsigned)(i + round), back = (unsigned)(n - 1 - i + round);
        s += a * 2 + 3 * back + 5 * (a ^ 1) - 7 * a;
    }
    return (int)s;
}

// On each of several streams: produce, blocks, gather, again and again, without a wait.
TEST(blocks_see_what_the_stream_produced_before_and_work_queued_behind_sees_all_blocks)
{
    enum { STREAMS = 4, ROUNDS = 25, N = 3000 };
    for (int threads = 1; threads <= 4; threads++) {
        struct blocks b;
        open_text(&b, threads, source_order);
        rill_kernel produce = kernel_of(&b, "produce"), consume = kernel_of(&b, "consume");
        rill_kernel gather = kernel_of(&b, "gather");
        rill_stream streams[STREAMS] = {{0}};
        rill_array arrays[STREAMS][5];
        rill_array results[STREAMS][ROUNDS];
        for (int s = 0; s < STREAMS; s++) {
            OK(rill_stream_create(b.world.context, NULL, &streams[s]));
            for (int i = 0; i < 5; i++) {
                arrays[s][i] = world_array(&b.world, RILL_I32, N);
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int s = 0; s < STREAMS; s++) {
                rill_array *x = arrays[s];
                results[s][round] = world_array(&b.world, RILL_I32, 1);
                OK(rill_launch(produce, streams[s], RILL_ARGS(N, round * STREAMS + s, x[0])));
                OK(rill_launch(consume, streams[s], RILL_ARGS(N, x[0], x[1], x[2], x[3], x[4])));
                OK(rill_launch_result(gather, streams[s], RILL_ARGS(N, x[1], x[2], x[3], x[4]), results[s][round]));
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int s = 0; s < STREAMS; s++) {
                int sum = 0;
                OK(rill_array_read(results[s][round], streams[s], &sum, sizeof sum));
                CHECK_INT(sum, gathered(N, round * STREAMS + s));
            }
        }
        world_close(&b.world);
    }
}

struct gate {
    sem_t entered;
    sem_t opened;
};

static void hold_here(void *user, rill_status status)
{
    struct gate *gate = user;
    CHECK_INT(status, RILL_OK);
    sem_post(&gate->entered);
    while (sem_wait(&gate->opened) != 0) {
    }
}

TEST(host_does_not_wait_for_the_join)
{
    struct blocks b;
    struct gate gate;
    open_blocks(&b, 2);
    int n = 1000;
    rill_stream s = {0};
    rill_array a = world_array(&b.world, RILL_I32, n), c = world_array(&b.world, RILL_I32, n);
    rill_array sum = world_array(&b.world, RILL_I32, 1);
    OK(rill_stream_create(b.world.context, NULL, &s));
    sem_init(&gate.entered, 0, 0);
    sem_init(&gate.opened, 0, 0);
    OK(rill_stream_callback(s, hold_here, &gate));
    while (sem_wait(&gate.entered) != 0) {
    }
    for (int i = 0; i < 50; i++) { // the blocks cannot have run: the stream is held
        OK(rill_launch(kernel_of(&b, "around"), s, RILL_ARGS(n, a, c, sum)));
    }
    STATUS(rill_stream_query(s), RILL_ERR_NOT_READY);
    sem_post(&gate.opened);
    int total = 0;
    OK(rill_array_read(sum, s, &total, sizeof total));
    CHECK_INT(total, n * 210);
    world_close(&b.world);
}

// ---- the launch decides -------------------------------------------------------------------------------------------

static uint64_t in_order_count(struct blocks *b)
{
    rill_stats stats = {0};
    OK(rill_sync(b->world.context));
    OK(rill_context_stats(b->world.context, &stats));
    return stats.block_in_order_count;
}

TEST(views_are_compared_by_what_is_touched)
{
    struct blocks b;
    open_blocks(&b, 3);
    enum { N = 2000 };
    static int host[2 * N];
    rill_array whole = world_array(&b.world, RILL_I32, 2 * N);
    static const struct {
        int first, second;
        bool meet;
    } cases[] = {{0, N, false}, {N, 0, false}, {0, N - 1, true}, {0, 0, true}, {1, N, true}, {N, 1, true}};
    uint64_t expected = 0;
    for (int k = 0; k < 6; k++) {
        rill_array first = {0}, second = {0};
        OK(rill_array_view(whole, (size_t)cases[k].first, RILL_SHAPE(N), &first));
        OK(rill_array_view(whole, (size_t)cases[k].second, RILL_SHAPE(N), &second));
        for (int round = 0; round < 10; round++) {
            OK(rill_launch(kernel_of(&b, "pair"), RILL_CURRENT, RILL_ARGS(N, first, second)));
            expected += cases[k].meet;
        }
        OK(rill_array_read(whole, RILL_CURRENT, host, sizeof host));
        int wrong = 0;
        for (int i = 0; i < N; i++) { // the second block comes last
            int at = cases[k].first + i;
            bool is_over = at >= cases[k].second && at < cases[k].second + N;
            wrong += host[cases[k].second + i] != 2 * i + 1 || (!is_over && host[at] != i);
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(in_order_count(&b), expected);
        OK(rill_array_destroy(first));
        OK(rill_array_destroy(second));
    }
    world_close(&b.world);
}

TEST(pair_of_blocks_is_counted_and_logged_once_whatever_they_share)
{
    struct blocks b;
    open_blocks(&b, 3);
    enum { N = 100 };
    int host[N];
    rill_array a = world_array(&b.world, RILL_I32, N);
    rill_array c = world_array(&b.world, RILL_I32, N);
    OK(rill_launch(kernel_of(&b, "three"), RILL_CURRENT, RILL_ARGS(N, a, c, a)));
    CHECK_INT(in_order_count(&b), 1); // the third, behind the first
    OK(rill_launch(kernel_of(&b, "three"), RILL_CURRENT, RILL_ARGS(N, a, a, a)));
    CHECK_INT(in_order_count(&b), 4); // the second behind the first, the third behind both
    int lines = 0;
    for (const char *at = b.world.logged; (at = strstr(at, "their regions overlap")) != NULL; at++) {
        lines++;
    }
    CHECK_INT(lines, 4);
    OK(rill_array_read(a, RILL_CURRENT, host, sizeof host));
    CHECK_INT(host[N - 1], ((6 * 2 + 1) * 3 + 1) * 5 + 1);
    world_close(&b.world);
}

TEST(scalars_decide_at_launch)
{
    struct blocks b;
    open_text(&b, 3, source_order);
    enum { N = 1500 };
    static int host[4 * N];
    rill_array a = world_array(&b.world, RILL_I32, 4 * N);
    static const struct {
        int k;
        int pairs; // of blocks that meet
    } cases[] = {{2 * N, 0}, {3 * N, 0}, {0, 2}, {N, 2}, {2 * N - 1, 1}, {2 * N - 2, 2}};
    uint64_t expected = 0;
    for (int c = 0; c < 6; c++) {
        int k = cases[c].k;
        OK(rill_launch(kernel_of(&b, "parts"), RILL_CURRENT, RILL_ARGS(N, k, a)));
        OK(rill_array_read(a, RILL_CURRENT, host, sizeof host));
        int wrong = 0;
        for (int i = 0; i < 4 * N; i++) {
            int value = i % 2 == 0 ? i / 2 : -(i / 2);
            wrong += i >= k && i < k + N ? host[i] != 7 : i < 2 * N && host[i] != value;
        }
        CHECK_INT(wrong, 0);
        expected += (uint64_t)cases[c].pairs;
        CHECK_INT(in_order_count(&b), expected);
    }
    world_close(&b.world);
}

TEST(conflict_is_refused_with_both_lines_and_regions)
{
    struct world world;
    world_open(&world, 1);
    rill_module module = {0};
    STATUS(rill_module_create(world.context,
                              "#include <rill/kernel.h>\n"
                              "kernel void f(int n, float x[n])\n"
                              "{\n"
                              "    stream_parallel { for (int i = 0; i < n; i++) x[i] = 1; }\n"
                              "    stream_parallel { for (int i = 0; i < n; i++) x[i] = 2; }\n"
                              "}\n",
                              &(rill_module_options){.path = "two.c"}, &module),
           RILL_ERR_COMPILE);
    CHECK_UINT(module.id, 0);
    CHECK_CONTAINS(rill_message(), "two.c:5:");
    CHECK_CONTAINS(rill_message(), "writes x bytes [0, n * 4)");
    world_close(&world);
}

// ---- updates, bounds, failures ------------------------------------------------------------------------------------

TEST(updates_of_many_blocks_are_all_there)
{
    for (int threads = 1; threads <= 4; threads++) {
        struct blocks b;
        open_text(&b, threads, source_order);
        long n = 2000, rounds = 30, sum[2] = {0};
        rill_array s = world_array(&b.world, RILL_I64, 2);
        OK(rill_launch(kernel_of(&b, "add_all"), RILL_CURRENT, RILL_ARGS((int)n, (int)rounds, s)));
        OK(rill_array_read(s, RILL_CURRENT, sum, sizeof sum));
        CHECK_INT(sum[0], rounds * (n * (n - 1) / 2 + n / 2 + 1));
        CHECK_INT(sum[1], rounds * (n / 2 - 1 + 2 * n));
        CHECK_INT(in_order_count(&b), 0);
        world_close(&b.world);
    }
}

// A region of more blocks than can run at the same time is not one that runs in order without a word.
TEST(a_hundred_blocks_run_on_lent_streams_too)
{
    enum { BLOCKS = 100, N = 20000 };
    char text[16384];
    int length =
        snprintf(text, sizeof text, "#include <rill/kernel.h>\nkernel void many(int n, int x[%d][n])\n{\n", BLOCKS);
    for (int k = 0; k < BLOCKS; k++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "stream_parallel { for (int i = 0; i < n; i++) x[%d][i] = i * %d; }\n", k, k);
    }
    snprintf(text + length, sizeof text - (size_t)length, "}\n");
    for (int threads = 1; threads <= 4; threads += 3) {
        struct blocks b;
        open_text(&b, threads, text);
        static int got[BLOCKS][N];
        rill_array x;
        OK(rill_array_create(b.world.context, RILL_I32, RILL_SHAPE(BLOCKS, N), &x));
        rill_stats before, after;
        OK(rill_context_stats(b.world.context, &before));
        OK(rill_launch(kernel_of(&b, "many"), RILL_CURRENT, RILL_ARGS(N, x)));
        OK(rill_array_read(x, RILL_CURRENT, got, sizeof got));
        OK(rill_context_stats(b.world.context, &after));
        int wrong = 0;
        for (int k = 0; k < BLOCKS; k++) {
            for (int i = 0; i < N; i++) {
                wrong += got[k][i] != i * k;
            }
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(after.block_in_order_count, 0);
        uint64_t lent = after.stream_pool.created_count + after.stream_pool.reused_count -
                        before.stream_pool.created_count - before.stream_pool.reused_count;
        if (world_is_cpu()) { // a GPU may replay them as a graph, which needs no streams
            CHECK(lent >= 2);
        }
        world_close(&b.world);
    }
}

// A bound that were read when the region begins, or for both blocks at once, would be the one of the round before.
TEST(bounds_are_computed_by_the_block_that_uses_them)
{
    enum { N = 300, ROUNDS = 40 };
    for (int threads = 1; threads <= 3; threads++) {
        struct blocks b;
        open_text(&b, threads, source_order);
        int got[2][N], expected[2][N] = {{0}}, count[2] = {0};
        rill_array c = world_array(&b.world, RILL_I32, 2);
        rill_array arrays[2] = {world_array(&b.world, RILL_I32, N), world_array(&b.world, RILL_I32, N)};
        OK(rill_launch(kernel_of(&b, "own_bounds"), RILL_CURRENT, RILL_ARGS(N, ROUNDS, c, arrays[0], arrays[1])));
        for (int t = 0; t < ROUNDS; t++) {
            for (int k = 0; k < 2; k++) {
                count[k] = (count[k] + 7 + 4 * k) % N;
                for (int i = 0; i < count[k]; i++) {
                    expected[k][i]++;
                }
            }
        }
        for (int k = 0; k < 2; k++) {
            OK(rill_array_read(arrays[k], RILL_CURRENT, got[k], sizeof got[k]));
            CHECK_MEM(got[k], expected[k], sizeof got[k]);
        }
        world_close(&b.world);
    }
}

TEST(failure_in_one_block_ends_the_launch_and_the_others_join)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct blocks b;
        open_text(&b, threads, source_order);
        enum { N = 500 };
        rill_kernel kernel = kernel_of(&b, "half_fails");
        rill_stream s = {0};
        rill_array x[3];
        int host[N];
        OK(rill_stream_create(b.world.context, NULL, &s));
        for (int i = 0; i < 3; i++) {
            x[i] = world_array(&b.world, RILL_I32, N);
        }
        OK(rill_launch(kernel, s, RILL_ARGS(N, 0, x[0], x[1], x[2])));
        STATUS(rill_stream_synchronize(s), RILL_ERR_ASSERT);
        rill_error_info info;
        OK(rill_stream_error(s, &info));
        CHECK_STR(info.kernel, "half_fails");
        OK(rill_array_read(x[0], RILL_CURRENT, host, sizeof host));
        CHECK_INT(host[0], 0); // what stands behind the region did not start
        OK(rill_stream_clear_error(s));
        for (int i = 0; i < 20; i++) { // what the blocks had is back
            OK(rill_launch(kernel, s, RILL_ARGS(N, 1000, x[0], x[1], x[2])));
        }
        OK(rill_array_read(x[0], s, host, sizeof host));
        CHECK_INT(host[N - 1], 99);
        OK(rill_array_read(x[2], s, host, sizeof host));
        CHECK_INT(host[N - 1], 2);
        world_close(&b.world);
    }
}
