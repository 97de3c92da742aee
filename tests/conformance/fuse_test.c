// Loops one after the other that run as one task: which do, which must not, and that nobody can tell from the results.
#include "world.h"

#define HEAD "#include <rill/kernel.h>\n#include <assert.h>\n#include <stdio.h>\n"

// ---- which loops --------------------------------------------------------------------------------------------------

static char *explain(const char *text)
{
    char *out = NULL;
    OK(rill_source_explain(text, NULL, &out));
    return out;
}

static int count_words(const char *text, const char *words)
{
    int count = 0;
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words)) {
        count++;
    }
    return count;
}

// The kernel's loops are |task_count| tasks, and |words| say so.
static void check_tasks(const char *body, int task_count, const char *words)
{
    char source[4096];
    snprintf(source, sizeof source, HEAD "float field[64];\n%s", body);
    char *text = explain(source);
    if (text == NULL) {
        return;
    }
    if (count_words(text, "\n  task ") != task_count || strstr(text, words) == NULL) {
        FAIL("expected %d tasks and '%s':\n%s\n%s", task_count, words, body, text);
    }
    rill_free(text);
}

#define N "int n, float a[n], float b[n], float c[n]"
#define LOOP "for (int i = 0; i < n; i++) "

TEST(twenty_elementwise_loops_are_one_task)
{
    check_tasks("#define L for (int i = 0; i < n; i++) { x[i] = s * x[i] + 1; }\n"
                "kernel void k(int n, float s, float x[n]) { L L L L L L L L L L L L L L L L L L L L }\n",
                1, "20 loops fused: lines");
}

TEST(loops_that_meet_only_in_one_iteration_are_fused)
{
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = b[i];\n" LOOP "c[i] = a[i] + b[i];\n }\n", 1,
                "fused with the loop in line 6");
    // Values and assignments between that do not matter to the first.
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = 1;\nint m = n / 2; float s = m * 0.5f;\n" LOOP
                "b[i] = s;\n }\n",
                1, "2 loops fused");
    check_tasks("kernel float k(" N ")\n{ float s = 0, t = 0;\n" LOOP "s += a[i];\n" LOOP
                "t += b[i];\nreturn s * t; }\n",
                1, "2 loops fused");
    check_tasks("kernel void k(int n, int m, float a[n][m], float b[n][m])\n"
                "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 1;\n"
                "  for (int r = 0; r < n; r++) for (int s = 0; s < m; s++) b[r][s] = 2 * a[r][s]; }\n",
                1, "2 loops as one space, 2 loops fused");
    // A temporary of both, one counter, and its value afterwards.
    check_tasks("kernel int k(" N ")\n{ int i; float t;\nfor (i = 0; i < n; i++) { t = a[i]; b[i] = t * t; }\n"
                "for (i = 0; i < n; i++) { t = c[i]; a[i] = t + 1; }\nreturn i; }\n",
                1, "2 loops fused");
    // What the second may say, the first has done.
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = 1;\n" LOOP "{ assert(b[i] > 0); b[i] = a[i]; } }\n", 1,
                "2 loops fused");
    check_tasks("kernel void k(" N ", int steps)\n{ for (int t = 0; t < steps; t++) {\n" LOOP "a[i] += 1;\n" LOOP
                "b[i] += a[i]; } }\n",
                2, "2 loops fused"); // the loop in order has a version that runs whole
    check_tasks("kernel void k(" N ")\n{ stream_parallel { " LOOP "a[i] = 1;\n" LOOP "a[i] += 2; }\n"
                "stream_parallel { " LOOP "b[i] = 1;\n" LOOP "b[i] += 2; } }\n",
                2, "group 2, 2 loops fused");
}

TEST(loops_that_meet_in_two_iterations_are_not_fused)
{
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = 1;\nfor (int i = 1; i < n; i++) b[i] = a[i - 1];\n }\n", 2,
                "not fused with the loop in line 6: it has other bounds");
    check_tasks("kernel void k(int n, float a[n + 1], float b[n])\n{ " LOOP "a[i] = 1;\n" LOOP "b[i] = a[i + 1];\n }\n",
                2, "other elements of 'a'");
    check_tasks("kernel void k(int n, float a[n + 1], float b[n])\n{ " LOOP "b[i] = a[i + 1];\n" LOOP "a[i] = 1;\n }\n",
                2, "other elements of 'a'");
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = b[i];\n" LOOP "c[i] = a[n - 1 - i];\n }\n", 2,
                "other elements of 'a'");
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] += 1;\n" LOOP "a[n - 1 - i] += 2;\n }\n", 2,
                "other elements of 'a'");
    // The same text, another value.
    check_tasks("kernel void k(" N ")\n{ int t;\n" LOOP "{ t = i; if (c[i] > 0) t = i; b[i] = a[t]; }\n" LOOP
                "{ t = n - 1 - i; if (c[i] > 0) t = n - 1 - i; a[t] = 1; } }\n",
                2, "not fused with the loop in line 7: in one loop");
    check_tasks("kernel void k(int n, const int x[n], float a[n], float b[n])\n{ " LOOP "a[i] = i;\n" LOOP
                "b[i] = a[x[i]];\n }\n",
                2, "not fused with the loop in line 6");
    check_tasks("kernel void k(" N ")\n{ " LOOP "field[i & 63] += 1;\n" LOOP "a[i] = field[i & 63];\n }\n", 2,
                "its iterations update the same memory");
    check_tasks("kernel void k(int n, int m, float a[n][m], float b[n][m])\n"
                "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 1;\n"
                "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i][j] = a[i][m - 1 - j]; }\n",
                2, "not fused with the loop in line 6");
}

TEST(scalars_and_bounds_that_change_keep_loops_apart)
{
    check_tasks("kernel void k(" N ")\n{ float s = 0;\n" LOOP "s += a[i];\n" LOOP "b[i] = s;\n }\n", 2,
                "'s' goes from one to the other");
    check_tasks("kernel void k(" N ")\n{ float s = c[0];\n" LOOP "b[i] = s;\n" LOOP "s += a[i];\nc[0] = s; }\n", 4,
                "'s' goes from one to the other");
    check_tasks("kernel void k(" N ")\n{ int h = n;\nfor (int i = 0; i < h; i++) a[i] = 1;\nh = n / 2;\n"
                "for (int i = 0; i < h; i++) b[i] = 1;\n }\n",
                2, "task k.1");
    check_tasks("kernel void k(" N ")\n{ float s = c[0];\n" LOOP "a[i] = s;\ns = s * 2;\n" LOOP "b[i] = s;\n }\n", 3,
                "task k.2");
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = 1;\nb[0] = 2;\n" LOOP "b[i] += a[i];\n }\n", 3, "task k.2");
    // Carried around a loop; that has a version that runs whole, or some rounds at once.
    check_tasks("kernel void k(" N ", int steps)\n{ float s = 1;\nfor (int t = 0; t < steps; t++) {\n" LOOP
                "a[i] += s;\ns = s * 0.5f;\n" LOOP "b[i] += s; } }\n",
                3, "task k.2");
    check_tasks("kernel void k(" N ", int steps)\n{ int h = n;\nfor (int t = 0; t < steps; t++) {\n"
                "for (int i = 0; i < h; i++) a[i] += t;\nh = h - 1;\nfor (int i = 0; i < h; i++) b[i] += t; } }\n",
                3, "task k.1");
    check_tasks("kernel void k(" N ", int steps)\n{ float s = 1;\nfor (int t = 0; t < steps; t++) {\n" LOOP
                "a[i] += s;\ns = 1 - s;\n" LOOP "b[i] += s; } }\n",
                3, "task k.2");
    check_tasks("kernel void k(" N
                ", int steps)\n{ int h = n;\nfor (int t = 0; t < steps; t++) {\nint m = h; h = n - t;\n"
                "for (int i = 0; i < m; i++) a[i] += t;\nfor (int i = 0; i < h; i++) b[i] += t; } }\n",
                3, "it has other bounds");
    check_tasks("kernel int k(" N
                ")\n{ int i, j;\nfor (i = 0; i < n; i++) a[i] = 1;\nfor (j = 0; j < n; j++) b[j] = i;\n"
                "return j; }\n",
                2, "uses the other's loop variable");
}

TEST(what_the_first_says_keeps_loops_apart)
{
    check_tasks("kernel void k(" N ")\n{ " LOOP "{ assert(a[i] > 0); a[i] = 1; }\n" LOOP "b[i] = a[i];\n }\n", 2,
                "may fail, and then this one must not run");
    check_tasks("kernel void k(" N ")\n{ " LOOP "a[i] = 1;\n" LOOP "printf(\"%d\", i);\n }\n", 2, "it prints");
    check_tasks("kernel void k(int n, int a[n])\n{ " LOOP "rill_atomic_exchange(&a[i], 1);\n" LOOP
                "rill_atomic_exchange(&a[i], 2);\n }\n",
                2, "it has atomics");
    check_tasks("kernel void k(" N ")\n{\n#pragma rill parallel\n" LOOP "a[i] = 1;\n" LOOP "b[i] = a[i];\n }\n", 2,
                "the author's word");
    char *text = NULL;
    OK(rill_source_explain(HEAD "kernel void k(" N ")\n{ " LOOP "a[i] = 1;\n" LOOP "b[i] = a[i];\n }\n",
                           &(rill_module_options){.check_bounds = true}, &text));
    CHECK_INT(count_words(text, "\n  task "), 2);
    rill_free(text);
}

// x2 may be x: then the loops alone run in parallel, and one task of both would run in order.
TEST(arguments_that_only_fusion_would_need_apart_keep_loops_apart)
{
    check_tasks("kernel void k(int n, const float x[n + 1], float y[n], float x2[n])\n{ " LOOP
                "y[i] = x[i] + x[i + 1];\n" LOOP "x2[i] = y[i];\n }\n",
                2, "more arguments would have to be apart");
    check_tasks("kernel void k(int n, const float x[n + 1], float y[n], float * restrict x2)\n{ " LOOP
                "y[i] = x[i] + x[i + 1];\n" LOOP "x2[i] = y[i];\n }\n",
                1, "2 loops fused");
}

TEST(a_fused_task_has_a_limited_size)
{
    char source[16384] = "kernel void k(int n, float x[n])\n{\n";
    for (int i = 0; i < 100; i++) {
        strcat(source, LOOP "x[i] = x[i] * 2 + 1;\n");
    }
    strcat(source, "}\n");
    char whole[17000];
    snprintf(whole, sizeof whole, HEAD "%s", source);
    char *text = explain(whole);
    CHECK(count_words(text, "\n  task ") >= 2 && count_words(text, "\n  task ") <= 10);
    CHECK(strstr(text, "one task of all would be too large") != NULL);
    rill_free(text);
}

// ---- what comes out -----------------------------------------------------------------------------------------------

static const char run_source[] = HEAD "kernel float chain(int n, float a[n], float b[n], const float c[n])\n"
                                      "{ float s = 0;\n" LOOP "a[i] = c[i] + 1;\n" LOOP "b[i] = a[i] * c[i];\n" LOOP
                                      "a[i] = b[i] - a[i];\n" LOOP "s += a[i];\n  return s; }\n"
                                      "kernel void late(int n, int limit, int a[n], int b[n])\n"
                                      "{ " LOOP "a[i] = i;\n" LOOP "{ assert(a[i] != limit); b[i] = a[i]; } }\n";

static float chain_serial(int n, float *a, float *b, const float *c)
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        a[i] = c[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * c[i];
    }
    for (int i = 0; i < n; i++) {
        a[i] = b[i] - a[i];
    }
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    return s;
}

struct chain_case {
    int a, b, c; // where the arguments begin in one array
    bool in_order;
};

// The same argument twice runs as one task; arguments that overlap run one loop after the other.
TEST(fused_loops_give_what_loops_in_program_order_give)
{
    enum { COUNT = 40000, ALL = 3 * COUNT };
    static const struct chain_case cases[] = {{0, COUNT, 2 * COUNT, false},
                                              {0, COUNT, 0, false},
                                              {0, COUNT, COUNT, false},
                                              {0, 0, COUNT, false},
                                              {0, 0, 0, false},
                                              {1, COUNT + 1, 0, true},
                                              {0, COUNT - 7, 2 * COUNT, true},
                                              {5, COUNT + 5, COUNT, true}};
    static float host[ALL], expected[ALL];
    for (int threads = 1; threads <= 7; threads += 3) {
        struct world world;
        world_open(&world, threads);
        rill_module module = {0};
        rill_kernel kernel = {0};
        OK(rill_module_create(world.context, run_source, NULL, &module));
        OK(rill_module_kernel(module, "chain", &kernel));
        rill_array all = world_array(&world, RILL_F32, ALL);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            for (int i = 0; i < ALL; i++) {
                host[i] = expected[i] = (float)(i % 13 - 6); // whole numbers: sums are exact
            }
            int at[3] = {cases[k].a, cases[k].b, cases[k].c};
            rill_array views[3];
            for (int v = 0; v < 3; v++) {
                OK(rill_array_view(all, at[v], RILL_SHAPE(COUNT), &views[v]));
            }
            OK(rill_array_write(all, RILL_CURRENT, host, sizeof host));
            rill_stats before, after;
            OK(rill_context_stats(world.context, &before));
            float sum = 0;
            OK(rill_call(kernel, RILL_CURRENT, RILL_ARGS(COUNT, views[0], views[1], views[2]), &sum, sizeof sum));
            OK(rill_context_stats(world.context, &after));
            float wanted = chain_serial(COUNT, expected + at[0], expected + at[1], expected + at[2]);
            OK(rill_array_read(all, RILL_CURRENT, host, sizeof host));
            CHECK_NEAR(sum, wanted, 0);
            CHECK(memcmp(host, expected, sizeof host) == 0);
            CHECK_UINT(after.task_count, before.task_count + 1);
            CHECK_UINT(after.in_order_count, before.in_order_count + cases[k].in_order);
            for (int v = 0; v < 3; v++) {
                OK(rill_array_destroy(views[v]));
            }
        }
        world_close(&world);
    }
}

TEST(the_first_loop_is_complete_when_the_second_fails)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(world.context, run_source, NULL, &module));
    OK(rill_module_kernel(module, "late", &kernel));
    int n = 100000;
    rill_array a = world_array(&world, RILL_I32, n), b = world_array(&world, RILL_I32, n);
    OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, 777, a, b)));
    STATUS(rill_stream_synchronize(rill_default_stream(world.context)), RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(rill_default_stream(world.context)));
    int *host = malloc((size_t)n * sizeof *host);
    OK(rill_array_read(a, RILL_CURRENT, host, (uint64_t)n * sizeof *host));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += host[i] != i;
    }
    CHECK_INT(wrong, 0);
    free(host);
    world_close(&world);
}
