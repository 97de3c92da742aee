// Loops that the launch may run in more than one way, by the trip counts: which way it takes, told by the tasks that
// ran, and that nobody can tell from the results.
#include "world.h"

static const char ways_source[] =
    "#include <rill/kernel.h>\n"
    // A parallel loop with statements between the loops inside it: as one task, or as control with a task for each.
    "kernel void rows(int n, int m, const int x[n][m], int y[n][m], int z[n][m], int ends[n])\n"
    "{ for (int i = 0; i < n; i++) {\n"
    "    for (int j = 0; j < m; j++) y[i][j] = 3 * x[i][j] + j;\n"
    "    ends[i] = 2 * x[i][0];\n"
    "    for (int j = 1; j < m; j++) z[i][j] = y[i][m - j] - i; } }\n"
    // Where floats are summed the number of threads does not decide.
    "kernel void sums(int n, int m, const float x[n][m], float y[n][m], float s[n])\n"
    "{ for (int i = 0; i < n; i++) {\n"
    "    float t = 0;\n"
    "    for (int j = 0; j < m; j++) t += x[i][j];\n"
    "    s[i] = t;\n"
    "    for (int j = 0; j < m; j++) y[i][j] = x[i][m - 1 - j] + t; } }\n"
    // The same bound by another name: if one is short, so is the other, and there is no second way.
    "kernel void squares(int n, const int x[n][n], int y[n][n], int ends[n])\n"
    "{ int size = n; for (int i = 0; i < n; i++) {\n"
    "    int m = size;\n"
    "    ends[i] = x[i][0];\n"
    "    for (int j = 0; j < m; j++) y[i][j] = x[i][j] + i; } }\n"
    // Both have few iterations: the source says so.
    "kernel void few(int y[16])\n"
    "{ for (int i = 0; i < 16; i++) {\n"
    "    int t[4];\n"
    "    for (int j = 0; j < 4; j++) t[j] = i * j;\n"
    "    y[i] = t[i % 3] + t[3]; } }\n"
    // The same value, computed twice from what the kernel has changed before.
    "kernel void halves(int n, int k, const int x[n][n], int y[n][n], int ends[n])\n"
    "{ int size = n; if (k > 3) size = n / 2;\n"
    "  int rows = size / 2 + 1, all = size, columns = all / 2 + 1;\n"
    "  for (int i = 0; i < rows; i++) {\n"
    "    ends[i] = x[i][0];\n"
    "    for (int j = 0; j < columns; j++) y[i][j] = x[i][j] + i; } }\n"
    // The name is the same, the value is not.
    "kernel void changed(int n, int k, const int x[n][n], int y[n][n], int ends[n])\n"
    "{ int size = n; if (k > 3) size = n / 2;\n"
    "  int m = size / 2 + 1; size = size / 3;\n"
    "  for (int i = 0; i < size / 2 + 1; i++) {\n"
    "    ends[i] = x[i][0];\n"
    "    for (int j = 0; j < m; j++) y[i][j] = x[i][j] + i; } }\n"
    // A perfect nest whose inner bound is computed in it, from arguments alone: cut into strips.
    "kernel void inner_bound(int n, int m, const int x[n][m], int y[n][m])\n"
    "{ for (int i = 0; i < n; i++) {\n"
    "    int last = m - 1;\n"
    "    for (int j = 1; j < last; j++) y[i][j] = x[i][j - 1] + x[i][j + 1]; } }\n"
    // The bound of the inner loop is another one each time.
    "kernel void triangle(int n, int m, const int x[n][m], int y[n][m])\n"
    "{ for (int i = 0; i < n; i++) {\n"
    "    int last = m - i;\n"
    "    for (int j = 0; j < last; j++) y[i][j] = x[i][j] + 1; } }\n"
    // By its updates outside, without inside: as one task, with atomics or copies, or as control.
    "kernel void nodes(int n, int m, int k, const int at[n], int y[m])\n"
    "{ for (int p = 0; p < n; p++) {\n"
    "    int base = at[p];\n"
    "    for (int j = 0; j < k; j++) y[base + j] += j + p; } }\n"
    // The same with three nodes: never as control.
    "kernel void three_nodes(int n, int m, const int at[n], int y[m])\n"
    "{ for (int p = 0; p < n; p++) for (int j = 0; j < 3; j++) y[at[p] + j] += j + p; }\n"
    // In order, with a loop inside whose bounds are loaded each time; the second by a `while`.
    "kernel void sweep(int n, int m, const int row[n + 1], const int a[m], int x[n])\n"
    "{ for (int i = 0; i < n; i++) {\n"
    "    int s = i;\n"
    "    for (int k = row[i]; k < row[i + 1]; k++) s += a[k] * x[(i + k) % n];\n"
    "    x[i] = s & 1023; } }\n"
    "kernel void sweep_while(int n, int m, const int row[n + 1], const int a[m], int x[n])\n"
    "{ int i = 0; while (i < n) {\n"
    "    int s = i;\n"
    "    for (int k = row[i]; k < row[i + 1]; k++) s += a[k] * x[(i + k) % n];\n"
    "    x[i] = s & 1023; i++; } }\n"
    // The same inside of another loop with a large task, and three at a time.
    "kernel void threes(int n, int steps, const int at[n], int x[n], int y[n])\n"
    "{ for (int t = 0; t < steps; t++) {\n"
    "    for (int i = 0; i < n; i++) y[i] = 3 * y[i] + t;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "      int from = at[i], s = x[from] + y[i];\n"
    "      for (int j = 0; j < 3; j++) x[from + j] = s & 255; } } }\n"
    // The trip count grows.
    "kernel void triangle_in_order(int n, const int a[n], int x[n])\n"
    "{ for (int i = 1; i < n; i++) {\n"
    "    int s = a[i];\n"
    "    for (int j = 0; j < i; j++) s += a[j] * x[j];\n"
    "    x[i] = s & 1023; } }\n"
    // In order, with a loop inside whose bound is computed in it.
    "kernel void steps(int n, int rounds, int x[n])\n"
    "{ for (int t = 0; t < rounds; t++) {\n"
    "    int half = n / 2;\n"
    "    for (int i = 0; i < half; i++) x[i] = x[i] * 3 + x[i + half];\n"
    "    for (int i = 0; i < half; i++) x[i + half] ^= x[half - 1 - i]; } }\n";

static uint64_t task_count(const struct world *world)
{
    rill_stats stats;
    OK(rill_context_stats(world->context, &stats));
    return stats.task_count;
}

static uint64_t whole_count(const struct world *world)
{
    rill_stats stats;
    OK(rill_context_stats(world->context, &stats));
    return stats.whole_count;
}

static rill_kernel find(rill_module module, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

// How many tasks a launch of `rows` runs with |thread_count| threads; the results are checked.
static uint64_t tasks_of_rows(int thread_count, int n, int m)
{
    struct world world;
    rill_module module = {0};
    world_open(&world, thread_count);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    size_t size = (size_t)n * (size_t)m;
    int *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y), *z = calloc(size, sizeof *z);
    int *ends = calloc((size_t)n, sizeof *ends);
    for (size_t k = 0; k < size; k++) {
        x[k] = (int)(k * 7 % 1000);
    }
    uint64_t before = task_count(&world);
    OK(rill_launch(find(module, "rows"), RILL_CURRENT,
                   RILL_ARGS(n, m, RILL_HOST(x, size), RILL_HOST(y, size), RILL_HOST(z, size), RILL_HOST(ends, n))));
    OK(rill_sync(world.context));
    uint64_t count = task_count(&world) - before;
    bool is_right = true;
    for (int i = 0; i < n; i++) {
        is_right &= ends[i] == 2 * x[(size_t)i * (size_t)m];
        for (int j = 0; j < m; j++) {
            size_t at = (size_t)i * (size_t)m + (size_t)j, across = (size_t)i * (size_t)m + (size_t)(m - j);
            is_right &= y[at] == 3 * x[at] + j && (j == 0 || z[at] == y[across] - i);
        }
    }
    CHECK(is_right);
    free(x);
    free(y);
    free(z);
    free(ends);
    world_close(&world);
    return count;
}

// Two rows of 400,000 on eight threads: as one task six threads would be idle. The numbers are far from the edge, so
// that what the launch takes an operation to cost does not decide.
TEST(a_short_loop_around_long_ones_is_control)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    CHECK_INT(tasks_of_rows(8, 2, 400 * 1000), 2 * 3);
}

TEST(a_long_loop_around_long_ones_is_one_task)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    CHECK_INT(tasks_of_rows(8, 64, 8 * 1000), 1);
    CHECK_INT(tasks_of_rows(2, 40, 8 * 1000), 1);
}

TEST(a_short_loop_around_short_ones_is_one_task)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    unsetenv("RILL_VERIFY"); // with it loops are taken apart where it does not pay, so that tests see both ways
    CHECK_INT(tasks_of_rows(8, 2, 100), 1);
}

TEST(one_thread_never_takes_a_loop_apart)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    CHECK_INT(tasks_of_rows(1, 2, 400 * 1000), 1);
}

TEST(sums_of_floats_go_the_same_way_on_every_number_of_threads)
{
    enum { N = 2, M = 300 * 1000 };
    uint64_t counts[3] = {0};
    float sums[3][N] = {{0}};
    static const int threads[3] = {1, 3, 8};
    float *x = calloc((size_t)N * M, sizeof *x), *y = calloc((size_t)N * M, sizeof *y);
    for (size_t k = 0; k < (size_t)N * M; k++) {
        x[k] = 1.0f / (float)(k % 1000 + 1);
    }
    for (int i = 0; i < 3; i++) {
        struct world world;
        rill_module module = {0};
        world_open(&world, threads[i]);
        OK(rill_module_create(world.context, ways_source, NULL, &module));
        uint64_t before = task_count(&world);
        OK(rill_launch(find(module, "sums"), RILL_CURRENT,
                       RILL_ARGS(N, M, RILL_HOST(x, N * M), RILL_HOST(y, N * M), RILL_HOST(sums[i], N))));
        OK(rill_sync(world.context));
        counts[i] = task_count(&world) - before;
        world_close(&world);
    }
    CHECK(counts[0] == counts[1] && counts[1] == counts[2]);
    CHECK(!world_is_cpu() || counts[0] > 1);
    CHECK(memcmp(sums[0], sums[1], sizeof sums[0]) == 0 && memcmp(sums[1], sums[2], sizeof sums[0]) == 0);
    free(x);
    free(y);
}

// ---- shared updates -------------------------------------------------------------------------------------------------

// How many tasks a launch of `nodes` runs; the results are checked. |out_stats| says how they ran.
static uint64_t tasks_of_nodes(int thread_count, int n, int k, rill_stats *out_stats)
{
    struct world world;
    rill_module module = {0};
    world_open(&world, thread_count);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    int m = k + 1000;
    int *at = calloc((size_t)n, sizeof *at), *y = calloc((size_t)m, sizeof *y);
    int *expected = calloc((size_t)m, sizeof *expected);
    for (int p = 0; p < n; p++) {
        at[p] = (int)((unsigned)p * 7919 % 1000);
        for (int j = 0; j < k; j++) {
            expected[at[p] + j] += j + p;
        }
    }
    uint64_t before = task_count(&world);
    OK(rill_launch(find(module, "nodes"), RILL_CURRENT, RILL_ARGS(n, m, k, RILL_HOST(at, n), RILL_HOST(y, m))));
    OK(rill_sync(world.context));
    uint64_t count = task_count(&world) - before;
    OK(rill_context_stats(world.context, out_stats));
    CHECK(memcmp(y, expected, (size_t)m * sizeof *y) == 0);
    free(at);
    free(y);
    free(expected);
    world_close(&world);
    return count;
}

TEST(a_loop_with_shared_updates_around_short_ones_is_one_task)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    unsetenv("RILL_VERIFY"); // as above
    rill_stats stats;
    CHECK_INT(tasks_of_nodes(8, 50 * 1000, 3, &stats), 1);
    CHECK_INT(stats.copied_count, 1);
    CHECK_INT(tasks_of_nodes(8, 50 * 1000, 0, &stats), 1);
}

TEST(a_loop_with_shared_updates_around_long_ones_is_control)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    unsetenv("RILL_VERIFY");
    rill_stats stats;
    CHECK_INT(tasks_of_nodes(8, 5, 4000 * 1000, &stats), 5 * 2);
    CHECK_INT(stats.copied_count, 0);
}

TEST(one_thread_has_no_atomics_and_no_copies)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    unsetenv("RILL_VERIFY");
    rill_stats stats;
    CHECK_INT(tasks_of_nodes(1, 50 * 1000, 3, &stats), 1);
    CHECK_INT(stats.copied_count, 0);
    CHECK_INT(tasks_of_nodes(1, 5, 400 * 1000, &stats), 1);
    CHECK_INT(stats.copied_count, 0);
}

// The inner loop runs over vectors without atomics: two threads with scalar updates are no match.
TEST(one_thread_over_vectors_is_faster_than_two_with_shared_updates)
{
    if (!world_is_cpu()) {
        SKIP("the counts are those of the CPU");
    }
    unsetenv("RILL_VERIFY");
    rill_stats stats;
    CHECK_INT(tasks_of_nodes(2, 1000, 1000, &stats), 1);
    CHECK_INT(stats.copied_count, 0);
    CHECK_INT(stats.parallel_count, 0);
}

// ---- bounds by value ------------------------------------------------------------------------------------------------

static bool explains(const char *kernel, const char *words)
{
    char *text = NULL;
    OK(rill_source_explain(ways_source, NULL, &text));
    const char *at = text != NULL ? strstr(text, kernel) : NULL;
    const char *end = at != NULL ? strstr(at, "\n\n") : NULL;
    const char *found = at != NULL ? strstr(at, words) : NULL;
    bool has_words = found != NULL && (end == NULL || found < end);
    rill_free(text);
    return has_words;
}

TEST(bounds_are_compared_by_value)
{
    CHECK(explains("kernel rows ", "where the loop around it is too short"));
    CHECK(!explains("kernel squares ", "where the loop around it is too short"));
    CHECK(!explains("kernel halves ", "where the loop around it is too short"));
    CHECK(explains("kernel changed ", "where the loop around it is too short"));
    CHECK(explains("kernel nodes ", "where that is faster than the atomics of the loop around it"));
    CHECK(!explains("kernel three_nodes ", "where that is faster than the atomics of the loop around it"));
    CHECK(explains("kernel few ", "(inside a task)"));
    CHECK(explains("kernel inner_bound ", "2 loops as one space"));
    CHECK(!explains("kernel triangle ", "2 loops as one space"));
}

TEST(an_in_order_loop_around_small_ones_runs_whole_whatever_name_their_bound_has)
{
    enum { N = 64, ROUNDS = 100 };
    struct world world;
    rill_module module = {0};
    world_open(&world, 2);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    int x[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = expected[i] = i;
    }
    for (int t = 0; t < ROUNDS; t++) {
        for (int i = 0; i < N / 2; i++) {
            expected[i] = (int)((unsigned)expected[i] * 3 + (unsigned)expected[i + N / 2]);
        }
        for (int i = 0; i < N / 2; i++) {
            expected[i + N / 2] ^= expected[N / 2 - 1 - i];
        }
    }
    uint64_t before = whole_count(&world);
    OK(rill_launch(find(module, "steps"), RILL_CURRENT, RILL_ARGS(N, ROUNDS, RILL_HOST(x, N))));
    OK(rill_sync(world.context));
    CHECK(!world_is_cpu() || whole_count(&world) == before + 1);
    CHECK(memcmp(x, expected, sizeof x) == 0);
    world_close(&world);
}

// ---- small rounds of loops in order ---------------------------------------------------------------------------------

// How many tasks a launch of |name| runs, on rows of |size| elements each; the results are checked.
static uint64_t tasks_of_sweep(const char *name, int n, int size)
{
    struct world world;
    rill_module module = {0};
    world_open(&world, 2);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    int m = n * size;
    int *row = calloc((size_t)n + 1, sizeof *row), *a = calloc((size_t)m, sizeof *a);
    int *x = calloc((size_t)n, sizeof *x), *expected = calloc((size_t)n, sizeof *expected);
    for (int i = 0; i <= n; i++) {
        row[i] = i * size;
    }
    for (int i = 0; i < m; i++) {
        a[i] = i % 7;
    }
    for (int i = 0; i < n; i++) {
        unsigned s = (unsigned)i;
        for (int k = row[i]; k < row[i + 1]; k++) {
            s += (unsigned)(a[k] * expected[(i + k) % n]);
        }
        expected[i] = (int)(s & 1023);
    }
    uint64_t before = task_count(&world);
    OK(rill_launch(find(module, name), RILL_CURRENT,
                   RILL_ARGS(n, m, RILL_HOST(row, n + 1), RILL_HOST(a, m), RILL_HOST(x, n))));
    OK(rill_sync(world.context));
    uint64_t count = task_count(&world) - before;
    CHECK(memcmp(x, expected, (size_t)n * sizeof *x) == 0);
    free(row);
    free(a);
    free(x);
    free(expected);
    world_close(&world);
    return count;
}

TEST(rounds_that_are_small_run_several_at_once)
{
    uint64_t count = tasks_of_sweep("sweep", 5000, 3);
    uint64_t count_by_while = tasks_of_sweep("sweep_while", 5000, 3);
    CHECK(!world_is_cpu() || (count < 200 && count_by_while < 200));
}

TEST(rounds_that_are_large_are_tasks)
{
    uint64_t count = tasks_of_sweep("sweep", 20, 40 * 1000);
    uint64_t count_by_while = tasks_of_sweep("sweep_while", 20, 40 * 1000);
    CHECK(!world_is_cpu() || (count >= 3 * 20 && count_by_while >= 3 * 20));
}

TEST(a_loop_in_order_inside_of_another_runs_whole)
{
    enum { N = 20 * 1000, STEPS = 3 };
    struct world world;
    rill_module module = {0};
    world_open(&world, 2);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    static int at[N], x[N], y[N], expected[N], more[N];
    for (int i = 0; i < N; i++) {
        at[i] = (int)((unsigned)i * 7919 % (N - 3));
    }
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < N; i++) {
            more[i] = 3 * more[i] + t;
        }
        for (int i = 0; i < N; i++) {
            int s = expected[at[i]] + more[i];
            for (int j = 0; j < 3; j++) {
                expected[at[i] + j] = s & 255;
            }
        }
    }
    uint64_t before = task_count(&world);
    OK(rill_launch(find(module, "threes"), RILL_CURRENT,
                   RILL_ARGS(N, STEPS, RILL_HOST(at, N), RILL_HOST(x, N), RILL_HOST(y, N))));
    OK(rill_sync(world.context));
    CHECK(!world_is_cpu() || task_count(&world) - before == 2 * STEPS);
    CHECK(memcmp(x, expected, sizeof x) == 0 && memcmp(y, more, sizeof y) == 0);
    world_close(&world);
}

TEST(a_loop_in_order_around_a_growing_one_runs_whole_by_its_middle)
{
    enum { N = 500 };
    struct world world;
    rill_module module = {0};
    world_open(&world, 2);
    OK(rill_module_create(world.context, ways_source, NULL, &module));
    int a[N], x[N] = {0}, expected[N] = {0};
    for (int i = 0; i < N; i++) {
        a[i] = i % 5;
    }
    for (int i = 1; i < N; i++) {
        int s = a[i];
        for (int j = 0; j < i; j++) {
            s += a[j] * expected[j];
        }
        expected[i] = s & 1023;
    }
    uint64_t before = whole_count(&world);
    OK(rill_launch(find(module, "triangle_in_order"), RILL_CURRENT, RILL_ARGS(N, RILL_HOST(a, N), RILL_HOST(x, N))));
    OK(rill_sync(world.context));
    CHECK(!world_is_cpu() || whole_count(&world) == before + 1);
    CHECK(memcmp(x, expected, sizeof x) == 0);
    world_close(&world);
}
