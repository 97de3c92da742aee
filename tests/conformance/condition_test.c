// Control over device data: `while`, `do`, `if` and `break` that depend on what tasks compute. Results are those of C;
// where the device's graphs can decide, no launch waits, and elsewhere each wait is counted and named.
#include "world.h"

static const char source[] = "#include <rill/kernel.h>\n"
                             "#include <assert.h>\n"
                             "#pragma rill single\n"
                             "kernel void hold(volatile int flag[1]) { while (flag[0] == 0) { } }\n"
                             "kernel void repeat(int n, int flag[1], int x[n])\n"
                             "{\n"
                             "    while (flag[0] > 0) {\n"
                             "        for (int i = 0; i < n; i++) x[i] += i % 7;\n"
                             "        flag[0]--;\n"
                             "    }\n"
                             "}\n"
                             "kernel void choose(int n, const int flag[2], int x[n])\n"
                             "{\n"
                             "    if (flag[0] > 0) { for (int i = 0; i < n; i++) x[i] += 1; }\n"
                             "    else { for (int i = 0; i < n; i++) x[i] -= 1; }\n"
                             "    if (flag[1] > 0) { for (int i = 0; i < n; i++) x[i] += 10; }\n"
                             "    if (flag[0] == 0) { } else { for (int i = 0; i < n; i++) x[i] += 100; }\n"
                             "}\n"
                             "kernel int settle(int n, int limit, float x[n], float y[n])\n"
                             "{\n"
                             "    float r;\n"
                             "    int rounds = 0;\n"
                             "    do {\n"
                             "        r = 0;\n"
                             "        for (int i = 1; i < n - 1; i++) y[i] = 0.5f * (x[i - 1] + x[i + 1]);\n"
                             "        for (int i = 1; i < n - 1; i++) { r = fmaxf(r, fabsf(y[i] - x[i])); }\n"
                             "        for (int i = 1; i < n - 1; i++) x[i] = y[i];\n"
                             "        rounds++;\n"
                             "    } while (r > 0.01f && rounds < limit);\n"
                             "    return rounds;\n"
                             "}\n"
                             "kernel void nested(int n, int steps, int todo[1], int x[n], int y[n])\n"
                             "{\n"
                             "    for (int t = 0; t < steps; t++) {\n"
                             "        int scale = t + 1;\n"
                             "        while (todo[0] > 0) {\n"
                             "            if (todo[0] % 2 == 0) {\n"
                             "                scale += 2;\n"
                             "                stream_parallel { for (int i = 0; i < n; i++) x[i] += scale; }\n"
                             "                stream_parallel { for (int i = 0; i < n; i++) y[i] += 2 * scale; }\n"
                             "            } else {\n"
                             "                for (int i = 0; i < n; i++) x[i] -= scale;\n"
                             "            }\n"
                             "            todo[0]--;\n"
                             "            if (todo[0] == 3) break;\n"
                             "            for (int i = 0; i < n; i++) y[i] += 1;\n"
                             "        }\n"
                             "        for (int i = 0; i < n; i++) x[i] += scale;\n"
                             "        todo[0] += 5;\n"
                             "    }\n"
                             "}\n"
                             "kernel void failing(int n, int limit, int flag[1], int x[n])\n"
                             "{\n"
                             "    while (flag[0] > 0) {\n"
                             "        for (int i = 0; i < n; i++) { x[i] += 1; assert(x[i] < limit); }\n"
                             "    }\n"
                             "}\n"
                             "kernel void leave(int n, const int flag[1], int x[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) x[i] += 1;\n"
                             "    if (flag[0] > 0) return;\n"
                             "    for (int i = 0; i < n; i++) x[i] += 1;\n"
                             "}\n"
                             "kernel int search(int n, int m, const int flag[2], int x[n])\n"
                             "{\n"
                             "    for (int t = 0; t < m; t++) {\n"
                             "        for (int i = 0; i < n; i++) x[i] += t;\n"
                             "        if (flag[0] == t) return 100 + t;\n"
                             "        for (int i = 0; i < n; i++) x[i] += 2;\n"
                             "        if (flag[1] == t) { for (int i = 0; i < n; i++) x[i] += 50; return -t; }\n"
                             "    }\n"
                             "    for (int i = 0; i < n; i++) x[i] += 1000;\n"
                             "    return 1;\n"
                             "}\n"
                             "kernel int twice(int n, int todo[2], int x[n])\n"
                             "{\n"
                             "    int rounds = 0;\n"
                             "    while (todo[0] > 0) {\n"
                             "        int k = 3;\n"
                             "        while (k > 0) {\n"
                             "            for (int i = 0; i < n; i++) x[i] += k;\n"
                             "            rounds++;\n"
                             "            if (todo[1] == rounds) goto out;\n"
                             "            if (todo[1] + 100 == rounds) return 7;\n"
                             "            k--;\n"
                             "            for (int i = 0; i < n; i++) x[i] += 10;\n"
                             "        }\n"
                             "        todo[0]--;\n"
                             "    }\n"
                             "    for (int i = 0; i < n; i++) x[i] += 100;\n"
                             "out:\n"
                             "    for (int i = 0; i < n; i++) x[i] += 1000;\n"
                             "    return rounds;\n"
                             "}\n"
                             "kernel int again(int n, int steps, int todo[2], int x[n])\n"
                             "{\n"
                             "    int seen = 0;\n"
                             "    for (int t = 0; t < steps; t++) {\n"
                             "        while (todo[0] > 0) {\n"
                             "            while (todo[1] > 0) {\n"
                             "                for (int i = 0; i < n; i++) x[i] += 1;\n"
                             "                todo[1]--;\n"
                             "                if (todo[1] == 2) { seen += 10; goto next; }\n"
                             "            }\n"
                             "            for (int i = 0; i < n; i++) x[i] += 100;\n"
                             "            todo[0]--;\n"
                             "            seen += 1;\n"
                             "        }\n"
                             "    next:\n"
                             "        for (int i = 0; i < n; i++) x[i] += 10000;\n"
                             "        todo[1] += 1;\n"
                             "    }\n"
                             "    return seen;\n"
                             "}\n"
                             "kernel int mixed(int n, int mode, int k, const int flag[2], int x[n])\n"
                             "{\n"
                             "    int r = 0;\n"
                             "    switch (mode) {\n"
                             "    case 1:\n"
                             "        for (int i = 0; i < n; i++) x[i] += 1;\n"
                             "        if (k > 10) { r = 1; break; }\n"
                             "        r = 2;\n"
                             "    case 2:\n"
                             "        for (int i = 0; i < n; i++) x[i] += 10;\n"
                             "        if (flag[0] > 5) return r + 10;\n"
                             "    case 3: break;\n"
                             "    }\n"
                             "    for (int i = 0; i < n; i++) x[i] += 100;\n"
                             "    return r;\n"
                             "}\n";

enum { N = 20000 }; // so large that no loop is run whole

struct scene {
    struct world world;
    rill_module module;
    rill_stream stream;
    bool decides; // no launch may wait
};

static uint64_t readbacks(const struct scene *scene)
{
    rill_stats stats;
    OK(rill_context_stats(scene->world.context, &stats));
    return stats.readback_count;
}

// |resident|: which loops stay on a GPU as one grid.
static void scene_open_with(struct scene *scene, const char *resident)
{
    setenv("RILL_RESIDENT", resident, 1);
    world_open(&scene->world, 2);
    OK(rill_module_create(scene->world.context, source, NULL, &scene->module));
    OK(rill_stream_create(scene->world.context, NULL, &scene->stream));
    const char *mode = getenv("RILL_GRAPH");
    bool has = false;
    OK(rill_context_has(scene->world.context, RILL_CAPABILITY_CONDITIONS, &has));
    bool has_graphs = mode == NULL || strcmp(mode, "off") != 0;
    scene->decides = world_is_cpu() || (has && has_graphs && !world_is_traced());
}

// Loops are walked: this is about who decides then.
static void scene_open(struct scene *scene)
{
    scene_open_with(scene, "off");
}

static void scene_close(struct scene *scene)
{
    unsetenv("RILL_RESIDENT");
    world_close(&scene->world);
}

static rill_kernel kernel_of(const struct scene *scene, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(scene->module, name, &kernel));
    return kernel;
}

static void put(const struct scene *scene, rill_array array, int a, int b)
{
    int values[2] = {a, b};
    OK(rill_array_write(array, scene->stream, values, sizeof values));
}

// What the kernel did to every element, C did to one.
static void check_all(const struct scene *scene, rill_array array, int expected)
{
    static int host[N];
    OK(rill_array_read(array, scene->stream, host, sizeof host));
    CHECK_INT(host[0], expected);
    CHECK_INT(host[N - 1], expected);
}

TEST(while_over_device_data_runs_as_often_as_in_c)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    static int host[N];
    int total = 0;
    uint64_t before = readbacks(&scene);
    for (int rounds = 0; rounds < 8; rounds++) {
        put(&scene, flag, rounds, 0);
        OK(rill_launch(kernel_of(&scene, "repeat"), scene.stream, RILL_ARGS(N, flag, x)));
        total += rounds;
    }
    OK(rill_array_read(x, scene.stream, host, sizeof host));
    for (int i = 0; i < N; i++) {
        CHECK_INT(host[i], total * (i % 7));
    }
    CHECK(scene.decides == (readbacks(&scene) == before));
    if (!scene.decides) {
        CHECK_CONTAINS(scene.world.logged, "the launch waits for a condition that tasks compute");
    }
    scene_close(&scene);
}

// If the launch waited, the flag would never be set.
TEST(condition_on_the_device_does_not_make_the_host_wait)
{
    struct scene scene;
    scene_open(&scene);
    if (!scene.decides || world_is_serial() || world_finds_races()) {
        scene_close(&scene);
        SKIP("the device's graphs do not decide, one thread runs everything, or the kernel in front would race for its "
             "flag");
    }
    rill_stream other = {0};
    OK(rill_stream_create(scene.world.context, NULL, &other));
    rill_array gate = world_array(&scene.world, RILL_I32, 1);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    static int host[N];
    put(&scene, flag, 2, 0);
    OK(rill_launch(kernel_of(&scene, "repeat"), scene.stream, RILL_ARGS(N, flag, x)));
    OK(rill_launch(kernel_of(&scene, "choose"), scene.stream, RILL_ARGS(N, flag, x)));
    put(&scene, flag, 3, 1);
    OK(rill_stream_synchronize(scene.stream));
    OK(rill_launch(kernel_of(&scene, "hold"), scene.stream, RILL_ARGS(gate)));
    OK(rill_launch(kernel_of(&scene, "repeat"), scene.stream, RILL_ARGS(N, flag, x)));
    OK(rill_launch(kernel_of(&scene, "choose"), scene.stream, RILL_ARGS(N, flag, x)));
    STATUS(rill_stream_query(scene.stream), RILL_ERR_NOT_READY);
    int one = 1;
    OK(rill_array_write(gate, other, &one, sizeof one));
    OK(rill_array_read(x, scene.stream, host, sizeof host));
    for (int i = 0; i < N; i++) {
        CHECK_INT(host[i], 5 * (i % 7) - 1 - 1 + 10);
    }
    scene_close(&scene);
}

TEST(branches_over_device_data_are_those_of_c)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    static int host[N];
    int wanted = 0;
    for (int k = 0; k < 12; k++) {
        int a = k % 3 - 1;
        int b = k / 3 % 2;
        put(&scene, flag, a, b);
        OK(rill_launch(kernel_of(&scene, "choose"), scene.stream, RILL_ARGS(N, flag, x)));
        wanted += (a > 0 ? 1 : -1) + (b > 0 ? 10 : 0) + (a == 0 ? 0 : 100);
    }
    OK(rill_array_read(x, scene.stream, host, sizeof host));
    CHECK_INT(host[0], wanted);
    CHECK_INT(host[N - 1], wanted);
    scene_close(&scene);
}

TEST(iteration_until_something_is_small_ends_where_c_ends)
{
    struct scene scene;
    scene_open(&scene);
    static float host[N];
    static float next[N];
    rill_array x = world_array(&scene.world, RILL_F32, N);
    rill_array y = world_array(&scene.world, RILL_F32, N);
    for (int limit = 1; limit <= 64; limit *= 4) {
        for (int i = 0; i < N; i++) {
            host[i] = (float)(i % 100 == 50);
            next[i] = 0;
        }
        OK(rill_array_write(x, scene.stream, host, sizeof host));
        int rounds = 0;
        float r;
        do {
            r = 0;
            for (int i = 1; i < N - 1; i++) {
                next[i] = 0.5f * (host[i - 1] + host[i + 1]);
            }
            for (int i = 1; i < N - 1; i++) {
                r = fmaxf(r, fabsf(next[i] - host[i]));
            }
            for (int i = 1; i < N - 1; i++) {
                host[i] = next[i];
            }
            rounds++;
        } while (r > 0.01f && rounds < limit);
        int found = 0;
        OK(rill_call(kernel_of(&scene, "settle"), scene.stream, RILL_ARGS(N, limit, x, y), &found, sizeof found));
        CHECK_INT(found, rounds);
        static float got[N];
        OK(rill_array_read(x, scene.stream, got, sizeof got));
        CHECK_MEM(got, host, sizeof host);
    }
    scene_close(&scene);
}

static void nested_in_c(int steps, int *todo, int *x, int *y)
{
    for (int t = 0; t < steps; t++) {
        int scale = t + 1;
        while (*todo > 0) {
            if (*todo % 2 == 0) {
                scale += 2;
                *x += scale;
                *y += 2 * scale;
            } else {
                *x -= scale;
            }
            --*todo;
            if (*todo == 3) {
                break;
            }
            *y += 1;
        }
        *x += scale;
        *todo += 5;
    }
}

TEST(control_over_device_data_nests)
{
    struct scene scene;
    scene_open(&scene);
    rill_array todo = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    rill_array y = world_array(&scene.world, RILL_I32, N);
    int x0 = 0;
    int y0 = 0;
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 6; k++) {
        int left = k * 3 - 2;
        put(&scene, todo, left, 0);
        OK(rill_launch(kernel_of(&scene, "nested"), scene.stream, RILL_ARGS(N, k % 4, todo, x, y)));
        nested_in_c(k % 4, &left, &x0, &y0);
        int found[2];
        OK(rill_array_read(todo, scene.stream, found, sizeof found));
        CHECK_INT(found[0], left);
    }
    check_all(&scene, x, x0);
    check_all(&scene, y, y0);
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

// A loop whose tasks no longer start must end all the same.
TEST(failure_ends_a_loop_over_device_data)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    put(&scene, flag, 1, 0);
    STATUS(rill_call(kernel_of(&scene, "failing"), scene.stream, RILL_ARGS(N, 5, flag, x), NULL, 0), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "x[i] < limit");
    put(&scene, flag, 0, 0);
    OK(rill_call(kernel_of(&scene, "failing"), scene.stream, RILL_ARGS(N, 5, flag, x), NULL, 0));
    scene_close(&scene);
}

TEST(return_over_device_data_ends_the_kernel)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    static int host[N];
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 2; k++) {
        put(&scene, flag, k, 0);
        OK(rill_launch(kernel_of(&scene, "leave"), scene.stream, RILL_ARGS(N, flag, x)));
    }
    OK(rill_array_read(x, scene.stream, host, sizeof host));
    CHECK_INT(host[N - 1], 3);
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

// ---- leaving more than one loop -----------------------------------------------------------------------------------

static int search_in_c(int m, const int flag[2], int *x)
{
    for (int t = 0; t < m; t++) {
        *x += t;
        if (flag[0] == t) {
            return 100 + t;
        }
        *x += 2;
        if (flag[1] == t) {
            *x += 50;
            return -t;
        }
    }
    *x += 1000;
    return 1;
}

// The result is what the device has decided about too.
TEST(return_out_of_a_loop_over_device_data_gives_its_value)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    int x0 = 0;
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 10; k++) {
        int flags[2] = {k % 5, k / 2 - 1};
        put(&scene, flag, flags[0], flags[1]);
        int found = 0;
        OK(rill_call(kernel_of(&scene, "search"), scene.stream, RILL_ARGS(N, k % 4, flag, x), &found, sizeof found));
        CHECK_INT(found, search_in_c(k % 4, flags, &x0));
        check_all(&scene, x, x0);
    }
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

static int twice_in_c(int todo[2], int *x)
{
    int rounds = 0;
    while (todo[0] > 0) {
        int k = 3;
        while (k > 0) {
            *x += k;
            rounds++;
            if (todo[1] == rounds) {
                goto out;
            }
            if (todo[1] + 100 == rounds) {
                return 7;
            }
            k--;
            *x += 10;
        }
        todo[0]--;
    }
    *x += 100;
out:
    *x += 1000;
    return rounds;
}

TEST(leaving_two_loops_over_device_data_skips_what_c_skips)
{
    struct scene scene;
    scene_open(&scene);
    rill_array todo = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    int x0 = 0;
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 12; k++) {
        int left[2] = {k % 4, k < 8 ? k : k - 104};
        put(&scene, todo, left[0], left[1]);
        int found = 0;
        OK(rill_call(kernel_of(&scene, "twice"), scene.stream, RILL_ARGS(N, todo, x), &found, sizeof found));
        CHECK_INT(found, twice_in_c(left, &x0));
        check_all(&scene, x, x0);
    }
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

static int again_in_c(int steps, int todo[2], int *x)
{
    int seen = 0;
    for (int t = 0; t < steps; t++) {
        while (todo[0] > 0) {
            while (todo[1] > 0) {
                *x += 1;
                todo[1]--;
                if (todo[1] == 2) {
                    seen += 10;
                    goto next;
                }
            }
            *x += 100;
            todo[0]--;
            seen += 1;
        }
next:
        *x += 10000;
        todo[1] += 1;
    }
    return seen;
}

// What was left once is entered again: that it was left before must not be seen.
TEST(loops_that_were_left_are_entered_again)
{
    struct scene scene;
    scene_open(&scene);
    rill_array todo = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    int x0 = 0;
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 8; k++) {
        int left[2] = {k % 3 + 1, k};
        put(&scene, todo, left[0], left[1]);
        int found = 0;
        OK(rill_call(kernel_of(&scene, "again"), scene.stream, RILL_ARGS(N, 4, todo, x), &found, sizeof found));
        CHECK_INT(found, again_in_c(4, left, &x0));
        int now[2];
        OK(rill_array_read(todo, scene.stream, now, sizeof now));
        CHECK_INT(now[0], left[0]);
        CHECK_INT(now[1], left[1]);
        check_all(&scene, x, x0);
    }
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

static int mixed_in_c(int mode, int k, int flag, int *x)
{
    int r = 0;
    *x += mode == 1;
    if (mode == 1 && k > 10) {
        *x += 100;
        return 1;
    }
    r = mode == 1 ? 2 : 0;
    if (mode == 1 || mode == 2) {
        *x += 10;
        if (flag > 5) {
            return r + 10;
        }
    }
    *x += 100;
    return r;
}

// What the host decides and what the device decides leave the same statement.
TEST(host_and_device_leave_the_same_switch)
{
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = world_array(&scene.world, RILL_I32, N);
    int x0 = 0;
    uint64_t before = readbacks(&scene);
    for (int k = 0; k < 16; k++) {
        put(&scene, flag, k % 2 * 9, 0);
        int found = 0;
        OK(rill_call(kernel_of(&scene, "mixed"), scene.stream, RILL_ARGS(N, k / 4 + 1, k % 4 * 5, flag, x), &found,
                     sizeof found));
        CHECK_INT(found, mixed_in_c(k / 4 + 1, k % 4 * 5, k % 2 * 9, &x0));
    }
    check_all(&scene, x, x0);
    CHECK(scene.decides == (readbacks(&scene) == before));
    scene_close(&scene);
}

// The entries that decide are looked up by the kernel's name and a number.
TEST(kernel_with_a_long_name_decides_too)
{
    struct scene scene;
    scene_open(&scene);
    char name[251];
    char text[640];
    memset(name, 'k', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             "#include <rill/kernel.h>\nkernel void %s(int n, int limit, int x[n])\n"
             "{ int s, rounds = 0; do { s = 0; for (int i = 0; i < n; i++) x[i] += 1;\n"
             "  for (int i = 0; i < n; i++) s += x[i]; rounds++; } while (s < 5 * n && rounds < limit); }\n",
             name);
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(scene.world.context, text, NULL, &module));
    OK(rill_module_kernel(module, name, &kernel));
    rill_array x = world_array(&scene.world, RILL_I32, N);
    OK(rill_launch(kernel, scene.stream, RILL_ARGS(N, 9, x)));
    check_all(&scene, x, 5);
    scene_close(&scene);
}

static const char apart_source[] = "#include <rill/kernel.h>\n"
                                   "kernel void apart(int n, int m, const int flag[2], int x[m + 1][n], int y[n])\n"
                                   "{\n"
                                   "    stream_parallel {\n"
                                   "        #pragma rill serial\n"
                                   "        for (int a = 1; a <= 2; a++) {\n"
                                   "            #pragma rill serial\n"
                                   "            for (int b = 0; b < m; b++) {\n"
                                   "                for (int i = 0; i < n; i++) x[b][i] = 10 * x[b][i] + a;\n"
                                   "            }\n"
                                   "        }\n"
                                   "    }\n"
                                   "    stream_parallel {\n"
                                   "        for (int i = 0; i < n; i++) y[i] += 1;\n"
                                   "        if (flag[0] > 0) { for (int i = 0; i < n; i++) y[i] += 10; }\n"
                                   "        if (flag[1] > 0) { for (int i = 0; i < n; i++) y[i] += 100; }\n"
                                   "    }\n"
                                   "}\n";

// Before a block decides what the host knows must be on the device, but not what another block counts with meanwhile.
TEST(deciding_in_one_block_leaves_the_counters_of_another_alone)
{
    enum { ROWS = 16, ROUNDS = 6 };
    struct scene scene;
    scene_open(&scene);
    rill_array flag = world_array(&scene.world, RILL_I32, 2);
    rill_array x = {0};
    rill_array y = world_array(&scene.world, RILL_I32, N);
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(scene.world.context, apart_source, NULL, &module));
    OK(rill_module_kernel(module, "apart", &kernel));
    OK(rill_array_create(scene.world.context, RILL_I32, RILL_SHAPE(ROWS + 1, N), &x));
    static int host[(ROWS + 1) * N];
    for (int k = 0; k < ROUNDS; k++) {
        put(&scene, flag, 1, k % 2);
        memset(host, 0, sizeof host);
        OK(rill_array_write(x, scene.stream, host, sizeof host));
        OK(rill_launch(kernel, scene.stream, RILL_ARGS(N, ROWS, flag, x, y)));
        OK(rill_array_read(x, scene.stream, host, sizeof host));
        for (int row = 0; row <= ROWS; row++) {
            CHECK_INT(host[row * N], row < ROWS ? 12 : 0);
            CHECK_INT(host[row * N + N - 1], row < ROWS ? 12 : 0);
        }
    }
    check_all(&scene, y, ROUNDS * 11 + ROUNDS / 2 * 100);
    scene_close(&scene);
}

// One launch runs all rounds, and the threads themselves decide about each.
TEST(loop_that_stays_on_the_device_waits_for_nothing)
{
    static const char *const modes[] = {"auto", "block", "grid"};
    for (int mode = 0; mode < 3; mode++) {
        struct scene scene;
        scene_open_with(&scene, modes[mode]);
        rill_array flag = world_array(&scene.world, RILL_I32, 2);
        rill_array x = world_array(&scene.world, RILL_I32, N);
        static int host[N];
        rill_stats before, after;
        OK(rill_context_stats(scene.world.context, &before));
        put(&scene, flag, 9, 0);
        OK(rill_launch(kernel_of(&scene, "repeat"), scene.stream, RILL_ARGS(N, flag, x)));
        OK(rill_array_read(x, scene.stream, host, sizeof host));
        OK(rill_context_stats(scene.world.context, &after));
        for (int i = 0; i < N; i++) {
            CHECK_INT(host[i], 9 * (i % 7));
        }
        CHECK_INT(after.readback_count, before.readback_count);
        if (!world_is_cpu()) {
            CHECK_INT(after.task_count - before.task_count, 1);
            CHECK_INT(after.whole_count - before.whole_count, 1);
        }
        scene_close(&scene);
    }
}
