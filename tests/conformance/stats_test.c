// Counters of a context that say how regions of blocks ran.
#include "world.h"

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdio.h>\n"
    "#define EACH(statement) stream_parallel { for (int i = 0; i < n; i++) { statement; } }\n"
    "int left[4], right[4];\n"
    "kernel void fields(int n) { EACH(left[i & 3] += i) EACH(right[i & 3] *= i) }\n"
    "kernel void alone(int n, int x[n]) { EACH(x[i] += 1) }\n"
    "kernel void pair(int n, int x[n], int y[n]) { EACH(x[i] += i) EACH(y[i] *= 3) }\n"
    "kernel void three(int n, int x[n], int y[n], int z[n]) { EACH(x[i] += i) EACH(y[i] *= 3) EACH(z[i] += 2) }\n"
    "kernel void marked(int n, int x[n]) { EACH(x[i] += i)\n#pragma rill in_order\nEACH(x[n - 1 - i] *= 3) }\n"
    "kernel void twice(int n, int x[n], int y[n]) { EACH(x[i] += 1) EACH(y[i] += 1) ; EACH(x[i] += 1) EACH(y[i] += 1) "
    "}\n"
    "kernel void loop(int n, int x[n], int y[n])\n"
    "{ for (int k = 0; k < 5; k++) { EACH(x[i] = x[i] * k + 1) EACH(y[i] = y[i] * k + 1) } }\n"
    "kernel void until(int n, int x[n], int y[n], int left[1])\n"
    "{ while (left[0] > 0) { EACH(x[i] = x[i] * 3 + 1) EACH(y[i] = y[i] * 3 + 1) left[0] -= 1; } }\n"
    "kernel void talk(int n, int x[n], int y[n])\n"
    "{ EACH(x[i] += 1) stream_parallel { for (int i = 0; i < n; i++) if (y[i] == 77) printf(\"%d\", i); } }\n"
    "#define FOUR(k) EACH(x[k * n + i] += 1) EACH(x[(k + 1) * n + i] += 1) EACH(x[(k + 2) * n + i] += 1) \\\n"
    "    EACH(x[(k + 3) * n + i] += 1)\n"
    "#define TWENTY(k) FOUR(k) FOUR(k + 4) FOUR(k + 8) FOUR(k + 12) FOUR(k + 16)\n"
    "kernel void many(int n, int x[80 * n]) { TWENTY(0) TWENTY(20) TWENTY(40) TWENTY(60) }\n";

enum { LARGE = 40000, SMALL = 4, ROUNDS = 10 };

struct stage {
    struct world world;
    rill_module module;
    rill_array x, y, z;
};

static void open_stage(struct stage *stage)
{
    world_open(&stage->world, 3);
    if (rill_module_create(stage->world.context, source, NULL, &stage->module) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
    stage->x = world_array(&stage->world, RILL_I32, LARGE);
    stage->y = world_array(&stage->world, RILL_I32, LARGE);
    stage->z = world_array(&stage->world, RILL_I32, LARGE);
}

// What ROUNDS launches add.
static rill_region_stats launch(struct stage *stage, const char *name, rill_args args)
{
    rill_kernel kernel = {0};
    rill_stats before, after;
    OK(rill_module_kernel(stage->module, name, &kernel));
    OK(rill_context_stats(stage->world.context, &before));
    for (int i = 0; i < ROUNDS; i++) {
        OK(rill_launch(kernel, RILL_CURRENT, args));
    }
    OK(rill_sync(stage->world.context));
    OK(rill_context_stats(stage->world.context, &after));
    return (rill_region_stats){
        .concurrent_count = after.regions.concurrent_count - before.regions.concurrent_count,
        .overlap_count = after.regions.overlap_count - before.regions.overlap_count,
        .marked_count = after.regions.marked_count - before.regions.marked_count,
        .small_count = after.regions.small_count - before.regions.small_count,
        .limited_count = after.regions.limited_count - before.regions.limited_count,
    };
}

#define CHECK_REGIONS(name, args, ...)                                                                                 \
    do {                                                                                                               \
        rill_region_stats got = launch(&stage, name, args);                                                            \
        rill_region_stats want = {__VA_ARGS__};                                                                        \
        if (memcmp(&got, &want, sizeof got) != 0) {                                                                    \
            FAIL("%s: %llu concurrent, %llu overlap, %llu marked, %llu small, %llu limited", name,                     \
                 (unsigned long long)got.concurrent_count, (unsigned long long)got.overlap_count,                      \
                 (unsigned long long)got.marked_count, (unsigned long long)got.small_count,                            \
                 (unsigned long long)got.limited_count);                                                               \
        }                                                                                                              \
    } while (0)

TEST(regions_are_counted_by_how_they_ran)
{
    struct stage stage;
    open_stage(&stage);
    rill_array x = stage.x, y = stage.y, z = stage.z;
    int n = LARGE;
    CHECK_REGIONS("three", RILL_ARGS(n, x, y, z), .concurrent_count = ROUNDS);
    CHECK_REGIONS("three", RILL_ARGS(n, x, x, z), .concurrent_count = ROUNDS); // the third is free
    CHECK_REGIONS("three", RILL_ARGS(n, x, x, x), .overlap_count = ROUNDS);
    CHECK_REGIONS("pair", RILL_ARGS(n, x, x), .overlap_count = ROUNDS);
    CHECK_REGIONS("marked", RILL_ARGS(n, x), .marked_count = ROUNDS);
    CHECK_REGIONS("twice", RILL_ARGS(n, x, y), .concurrent_count = 2 * ROUNDS);
    CHECK_REGIONS("loop", RILL_ARGS(n, x, y), .concurrent_count = 5 * ROUNDS);
    CHECK_REGIONS("alone", RILL_ARGS(n, x), .concurrent_count = 0);
    rill_stats stats;
    OK(rill_context_stats(stage.world.context, &stats));
    CHECK_UINT(stats.block_in_order_count, ROUNDS * (1 + 3 + 1));
    world_close(&stage.world);
}

TEST(regions_that_a_device_runs_in_order_say_why)
{
    struct stage stage;
    open_stage(&stage);
    rill_array x = stage.x, y = stage.y;
    bool is_shown = world_is_traced() || getenv("RILL_SCHEDULE") != NULL; // blocks overlap then to be seen
    if (world_is_cpu() && !is_shown) {
        CHECK_REGIONS("fields", RILL_ARGS(SMALL), .small_count = ROUNDS);
    } else {
        CHECK_REGIONS("fields", RILL_ARGS(SMALL), .concurrent_count = ROUNDS);
    }
    if (world_is_cpu()) {
        CHECK_REGIONS("talk", RILL_ARGS(LARGE, x, y), .concurrent_count = ROUNDS);
    } else {
        CHECK_REGIONS("talk", RILL_ARGS(LARGE, x, y), .limited_count = ROUNDS);
    }
    CHECK_REGIONS("many", RILL_ARGS(LARGE / 80, x), .concurrent_count = 2 * ROUNDS); // 80 blocks: 64, then 16
    world_close(&stage.world);
}

TEST(regions_in_a_loop_that_the_device_decides_are_counted_once)
{
    struct stage stage;
    open_stage(&stage);
    enum { TIMES = 6 };
    rill_kernel until = {0};
    rill_array left = world_array(&stage.world, RILL_I32, 1);
    rill_stats before, after;
    OK(rill_module_kernel(stage.module, "until", &until));
    OK(rill_array_write(left, RILL_CURRENT, &(int){TIMES}, sizeof(int)));
    OK(rill_context_stats(stage.world.context, &before));
    OK(rill_launch(until, RILL_CURRENT, RILL_ARGS(LARGE, stage.x, stage.y, left)));
    OK(rill_sync(stage.world.context));
    OK(rill_context_stats(stage.world.context, &after));
    int value = 0;
    OK(rill_array_read_at(stage.x, RILL_CURRENT, LARGE - 1, &value, 1));
    CHECK_INT(value, 364); // six rounds
    bool device_decides = !world_is_cpu() && after.readback_count == before.readback_count;
    CHECK_UINT(after.regions.concurrent_count - before.regions.concurrent_count, device_decides ? 1 : TIMES);
    world_close(&stage.world);
}

// A scan is cut into runs where it has the iterations for it; that one which has few runs as in the source is a choice.
TEST(scan_that_is_too_short_for_runs_is_neither_counted_nor_logged)
{
    static const char text[] = "#include <rill/kernel.h>\n"
                               "kernel void sums(int n, const float a[n], float b[n])\n"
                               "{ float s = 0; for (int i = 0; i < n; i++) { s = 0.5f * s + a[i]; b[i] = s; } }\n";
    enum { N = 100000, FEW = 10 };
    struct world world;
    world_open(&world, 3);
    rill_module module;
    rill_kernel sums;
    OK(rill_module_create(world.context, text, NULL, &module));
    OK(rill_module_kernel(module, "sums", &sums));
    rill_array both = world_array(&world, RILL_F32, 2 * N), a = {0}, near = {0}, far = {0}, few_a = {0}, few_b = {0};
    OK(rill_array_view(both, 0, RILL_SHAPE(N), &a));
    OK(rill_array_view(both, 5, RILL_SHAPE(N), &near));
    OK(rill_array_view(both, N, RILL_SHAPE(N), &far));
    OK(rill_array_view(both, 0, RILL_SHAPE(FEW), &few_a));
    OK(rill_array_view(both, N, RILL_SHAPE(FEW), &few_b));
    world.logged[0] = '\0';
    rill_stats stats;
    OK(rill_launch(sums, RILL_CURRENT, RILL_ARGS(FEW, few_a, few_b)));
    OK(rill_launch(sums, RILL_CURRENT, RILL_ARGS(N, a, far)));
    OK(rill_sync(world.context));
    OK(rill_context_stats(world.context, &stats));
    CHECK_UINT(stats.in_order_count, 0);
    CHECK_STR(world.logged, "");
    OK(rill_launch(sums, RILL_CURRENT, RILL_ARGS(N, a, near)));
    OK(rill_sync(world.context));
    OK(rill_context_stats(world.context, &stats));
    CHECK_UINT(stats.in_order_count, 1);
    CHECK_CONTAINS(world.logged, "the nest runs as in the source: arguments overlap, or indices wrap");
    world_close(&world);
}

// The columns are parallel once the loops are interchanged, which arguments that overlap do not allow. Each launch says
// so.
TEST(nest_that_runs_as_in_the_source_is_counted_and_logged)
{
    static const char text[] = "#include <rill/kernel.h>\n"
                               "kernel void down(int n, int m, int a[n][m], const int b[n][m])\n"
                               "{ for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = a[i - 1][j] + "
                               "b[i][j]; }\n";
    enum { N = 8, M = 12 };
    struct world world;
    world_open(&world, 3);
    rill_module module;
    rill_kernel down;
    OK(rill_module_create(world.context, text, NULL, &module));
    OK(rill_module_kernel(module, "down", &down));
    rill_array both = world_array(&world, RILL_I32, 3 * N * M), first = {0}, near = {0}, far = {0};
    OK(rill_array_view(both, 0, RILL_SHAPE(N, M), &first));
    OK(rill_array_view(both, 5, RILL_SHAPE(N, M), &near));
    OK(rill_array_view(both, 2 * N * M, RILL_SHAPE(N, M), &far));
    rill_stats before, after;
    OK(rill_launch(down, RILL_CURRENT, RILL_ARGS(N, M, first, far)));
    OK(rill_sync(world.context));
    OK(rill_context_stats(world.context, &before));
    CHECK_UINT(before.in_order_count, 0);
    for (int i = 0; i < 3; i++) {
        OK(rill_launch(down, RILL_CURRENT, RILL_ARGS(N, M, near, first)));
    }
    OK(rill_sync(world.context));
    OK(rill_context_stats(world.context, &after));
    CHECK_UINT(after.in_order_count, 3);
    CHECK_CONTAINS(world.logged, "the nest runs as in the source: arguments overlap, or indices wrap");
    world_close(&world);
}
