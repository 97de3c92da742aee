// Grids: how src/backend/gpu/shape.c cuts tasks into blocks of threads.
#include "test.h"

#include "backend/gpu/image.h"
#include "plan/abi.h"

static rill_status occupancy(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    (void)function;
    *out_grid = 132 * 2;
    *out_block = 1024;
    return RILL_OK;
}

static rill_status occupancy_of_one(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    (void)function;
    *out_grid = 4;
    *out_block = 1;
    return RILL_OK;
}

static const struct gpu_driver big = {.occupancy = occupancy};
static const struct gpu_driver small = {.occupancy = occupancy_of_one};

static struct backend_device *make_device(const struct gpu_driver *driver, int max_threads, int warp_size)
{
    struct backend_device *device = calloc(1, sizeof *device);
    device->driver = driver;
    device->properties.max_threads = max_threads;
    device->properties.warp_size = warp_size;
    return device;
}

static struct gpu_shape shape_of(struct backend_device *device, const struct plan_task *plan, int64_t trip)
{
    struct gpu_task task = {0};
    CHECK_INT(gpu_shape_find(device, plan, &task), RILL_OK);
    return gpu_shape_of(plan, &task, trip);
}

TEST(a_grid_has_a_thread_for_each_iteration_until_the_device_is_full_many_times)
{
    struct backend_device *device = make_device(&big, 1024, 32);
    struct plan_task plan = {.kind = PLAN_TASK_PARALLEL};
    CHECK_INT(shape_of(device, &plan, 1).grid, 1);
    CHECK_INT(shape_of(device, &plan, 1000).grid, 4);
    CHECK_INT(shape_of(device, &plan, 1000).block, 256);
    CHECK_INT(shape_of(device, &plan, INT64_MAX).grid, 132 * 2 * 4 * 32);
    CHECK_INT(shape_of(device, &plan, 1000).chunk, 0); // gathers nothing
    free(device);
}

TEST(a_run_takes_fewer_threads)
{
    struct backend_device *device = make_device(&big, 1024, 32);
    struct plan_task plan = {.kind = PLAN_TASK_PARALLEL, .run = 4};
    CHECK_INT(shape_of(device, &plan, 1024).grid, 1);
    CHECK_INT(shape_of(device, &plan, 1025).grid, 2);
    free(device);
}

TEST(the_pragma_says_how_many_threads_a_block_has)
{
    struct backend_device *device = make_device(&big, 1024, 32);
    struct plan_task plan = {.kind = PLAN_TASK_PARALLEL, .block_dim = 48};
    CHECK_INT(shape_of(device, &plan, 480).block, 48);
    CHECK_INT(shape_of(device, &plan, 480).grid, 10);
    plan.block_dim = 4096;
    CHECK_INT(shape_of(device, &plan, 480).block, 1024);
    plan = (struct plan_task){.kind = PLAN_TASK_PARALLEL, .block_dim = 48, .partial_size = 8, .is_merged = true};
    CHECK_INT(shape_of(device, &plan, 480).block, 64); // whole warps
    free(device);
}

TEST(reductions_are_cut_by_the_trip_count_alone)
{
    struct backend_device *device = make_device(&big, 1024, 32);
    struct backend_device *other = make_device(&small, 1, 1);
    struct plan_task merged = {.kind = PLAN_TASK_PARALLEL, .partial_size = 8, .is_merged = true};
    struct plan_task ordered = {.kind = PLAN_TASK_PARALLEL, .partial_size = 8};
    static const int64_t trips[] = {1, 16, 17, 2047, 2048, 2049, 100000, 4194304, 4194305, INT64_C(1) << 40};
    for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++) {
        struct gpu_shape a = shape_of(device, &merged, trips[i]);
        struct gpu_shape b = shape_of(other, &merged, trips[i]);
        CHECK_INT(a.chunk, b.chunk);
        CHECK_INT(a.records, b.records);
        CHECK_INT(a.grid, a.records);
        CHECK_INT(b.grid, b.records);
        CHECK_INT(a.chunk % 16, 0);
        CHECK(a.records <= ABI_GPU_MAX_PARTIALS && a.records * a.chunk >= trips[i]);
        CHECK((a.records - 1) * a.chunk < trips[i]);
        CHECK_INT(a.finish_block, 256);
        CHECK_INT(b.finish_block, 1);
        struct gpu_shape c = shape_of(device, &ordered, trips[i]);
        CHECK(c.records <= ABI_GPU_MAX_PARTIALS && c.records * c.chunk >= trips[i]);
        CHECK((int64_t)c.grid * c.block >= c.records);
        CHECK_INT(c.finish_block, 1);
    }
    free(device);
    free(other);
}

static const struct gpu_task *tiles_of(struct backend_device *device, const struct plan_task *plan, int64_t rows,
                                       int64_t columns, struct gpu_shape *out_shape)
{
    static struct gpu_task tiles[PLAN_MAX_TILES];
    struct gpu_task task = {.tiles = tiles};
    for (int i = 0; i < plan->tile_count; i++) {
        CHECK_INT(gpu_shape_find(device, plan, &tiles[i]), RILL_OK);
    }
    const struct gpu_task *chosen =
        gpu_shape_in_tiles(plan, &task, &(struct gpu_nest){rows * columns, columns, rows}, out_shape);
    CHECK(chosen == NULL || chosen == &tiles[0] || chosen == &tiles[1]);
    return chosen;
}

static rill_status occupancy_of_tiles(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    (void)function;
    *out_grid = 132 * 2;
    *out_block = 256;
    return RILL_OK;
}

TEST(tiles_are_taken_where_loops_are_long_enough_and_the_device_stays_busy)
{
    static const struct gpu_driver driver = {.occupancy = occupancy_of_tiles};
    struct backend_device *device = make_device(&driver, 1024, 32);
    struct plan_task plan = {.kind = PLAN_TASK_PARALLEL, .collapse = 2, .tiles = {{"a", 8, 8}, {"b", 4, 4}}};
    struct gpu_shape shape = {0};
    plan.tile_count = 2;
    const struct gpu_task *large = tiles_of(device, &plan, 2048, 2048, &shape);
    CHECK(large != NULL);
    CHECK_INT(shape.grid, 256);
    CHECK_INT(shape.block, 256);
    const struct gpu_task *small_one = tiles_of(device, &plan, 1024, 1024, &shape);
    CHECK(small_one == large + 1); // large ones would leave most of the device idle
    CHECK_INT(shape.grid, 256);
    CHECK(tiles_of(device, &plan, 256, 256, &shape) == NULL);
    CHECK(tiles_of(device, &plan, 1 << 20, 127, &shape) == NULL); // no 128 columns
    CHECK(tiles_of(device, &plan, 1 << 20, 255, &shape) == small_one);
    CHECK(tiles_of(device, &plan, 1 << 20, 256, &shape) == large);
    CHECK(tiles_of(device, &plan, 3, 1 << 24, &shape) == NULL); // no four rows
    CHECK(tiles_of(device, &plan, 7, 1 << 24, &shape) == small_one);
    CHECK(tiles_of(device, &plan, 8, 1 << 24, &shape) == large);
    CHECK(tiles_of(device, &plan, 2049, 2049, &shape) == large);
    CHECK_INT(shape.grid, 257 * 9 * 32 / 256 + 1); // one more row of tiles, and one more column
    plan.tile_count = 0;
    CHECK(tiles_of(device, &plan, 2048, 2048, &shape) == NULL);
    free(device);
}

static struct gpu_shape shape_of_teams(struct backend_device *device, const struct plan_task *plan, int64_t trip)
{
    struct gpu_task task = {0};
    struct plan_values values = {0};
    CHECK_INT(gpu_shape_find(device, plan, &task), RILL_OK);
    struct gpu_shape shape = gpu_shape_of(plan, &task, trip);
    gpu_shape_teams(plan, &task, &values, trip, &shape);
    return shape;
}

TEST(teams_are_whole_and_as_many_as_there_are_iterations)
{
    struct backend_device *device = make_device(&big, 1024, 32);
    struct backend_device *wide = make_device(&big, 1024, 64);
    struct backend_device *one = make_device(&small, 1, 1);
    struct plan_expr limit = {.kind = PLAN_EXPR_CONST, .type = IR_I64, .imm = 1000};
    struct plan_task plan = {.kind = PLAN_TASK_PARALLEL, .team = &limit};
    CHECK_INT(shape_of_teams(device, &plan, 999).block, 256);
    CHECK_INT(shape_of_teams(device, &plan, 999).grid, 125); // of eight teams
    CHECK_INT(shape_of_teams(device, &plan, 1000).grid, 125);
    CHECK_INT(shape_of_teams(device, &plan, 1001).grid, 4); // a thread each
    CHECK_INT(shape_of_teams(wide, &plan, 999).grid, 125);
    CHECK_INT(shape_of_teams(one, &plan, 999).block, 1); // the stand-in's thread is a team
    CHECK_INT(shape_of_teams(one, &plan, 64).grid, 64);
    plan.team_columns = ABI_GPU_TEAM_COLUMNS;
    CHECK_INT(shape_of_teams(device, &plan, 999).block, 512);
    CHECK_INT(shape_of_teams(device, &plan, 999).grid, 63); // of sixteen columns
    CHECK_INT(shape_of_teams(device, &plan, 1001).grid, 2);
    free(device);
    free(wide);
    free(one);
}
