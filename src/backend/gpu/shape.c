// Grids: how many blocks of how many threads a task gets.
#include "backend/gpu/image.h"

#include "plan/abi.h"

#include <assert.h>

enum {
    MAX_BLOCK = 256,    // threads of a block; more gains nothing and leaves less to choose from at the end of a grid
    GRIDS_AT_MOST = 32, // as many threads as the device runs at a time, times this: then they take more iterations
    GATHER_GRIDS = 2,   // the same where each block has an end to pay for
    GATHER_WORK = 16,   // iterations for each element that a block sets up and adds
    TILE_PART = 6,      // of the threads that the device runs at a time: fewer with tiles lose to many without …
    LARGE_PART = 2,     // … and fewer with large tiles lose to more with small ones
};

// The most threads, up to |wanted|, that the device has for one block: whole warps.
static uint32_t whole_warps(const struct backend_device *device, uint32_t wanted)
{
    uint32_t warp = (uint32_t)(device->properties.warp_size > 0 ? device->properties.warp_size : 1);
    uint32_t most = (uint32_t)(device->properties.max_threads > 0 ? device->properties.max_threads : 1);
    uint32_t threads = (wanted + warp - 1) / warp * warp;
    return threads <= most ? threads : most / warp > 0 ? most / warp * warp : most;
}

// Where threads merge what they have, the number of threads decides the bits of a float's sum: it depends on the source
// alone, unless the device has not so many.
static uint32_t merged_block(const struct backend_device *device, const struct plan_task *plan)
{
    return whole_warps(device, plan->block_dim > 0 ? (uint32_t)plan->block_dim : ABI_GPU_MERGED_BLOCK);
}

// Blocks of teams are whole ones, and whole warps. A device whose blocks have one thread has it do for a team.
static uint32_t whole_teams(const struct backend_device *device, uint32_t wanted)
{
    uint32_t threads = whole_warps(device, wanted);
    return threads >= ABI_GPU_TEAM ? threads / ABI_GPU_TEAM * ABI_GPU_TEAM : 1;
}

rill_status gpu_shape_find(struct backend_device *device, const struct plan_task *plan, struct gpu_task *task)
{
    task->block = 1;
    task->max_grid = 1;
    if (plan->kind != PLAN_TASK_PARALLEL) {
        return RILL_OK;
    }
    uint32_t grid;
    uint32_t block;
    RILL_TRY(device->driver->occupancy(task->entry, &grid, &block));
    uint64_t threads = (uint64_t)grid * block;
    uint32_t most = (uint32_t)(device->properties.max_threads > 0 ? device->properties.max_threads : 1);
    task->block = block < MAX_BLOCK ? block : MAX_BLOCK;
    if (plan->is_merged) {
        task->block = merged_block(device, plan);
    } else if (plan->team != NULL) {
        task->block =
            whole_teams(device, plan->team_columns > 0 ? (uint32_t)plan->team_columns * ABI_GPU_TEAM : task->block);
    } else if (plan->block_dim > 0) {
        task->block = (uint32_t)plan->block_dim < most ? (uint32_t)plan->block_dim : most;
    }
    uint64_t limit = threads / task->block * GRIDS_AT_MOST;
    task->max_grid = limit < 1 ? 1 : limit < INT32_MAX ? (uint32_t)limit : INT32_MAX;
    return RILL_OK;
}

struct gpu_shape gpu_shape_of(const struct plan_task *plan, const struct gpu_task *task, int64_t trip)
{
    assert(trip > 0 && task->block > 0 && task->max_grid > 0);
    struct gpu_shape shape = {.block = task->block, .chunk = 0, .finish_block = 1};
    if (plan->partial_size == 0) {
        uint64_t run = plan->run > 1 ? (uint64_t)plan->run : 1;
        uint64_t shares = ((uint64_t)trip + run - 1) / run;
        uint64_t blocks = (shares + task->block - 1) / task->block;
        shape.grid = blocks < task->max_grid ? (uint32_t)blocks : task->max_grid;
        return shape;
    }
    shape.chunk = abi_gpu_chunk(trip, plan->is_merged);
    shape.records = trip / shape.chunk + (trip % shape.chunk != 0);
    if (plan->is_merged) {
        shape.grid = (uint32_t)shape.records;
        shape.finish_block = task->block;
        return shape;
    }
    shape.block = task->block < 64 ? task->block : 64;
    shape.grid = (uint32_t)((shape.records + shape.block - 1) / shape.block);
    return shape;
}

void gpu_shape_teams(const struct plan_task *plan, const struct gpu_task *task, const struct plan_values *values,
                     int64_t trip, struct gpu_shape *shape)
{
    union ir_value limit;
    if (plan->team == NULL || !plan_eval(plan->team, values, &limit) || trip > limit.i) {
        return;
    }
    uint64_t teams = task->block > ABI_GPU_TEAM ? task->block / ABI_GPU_TEAM : 1;
    uint64_t blocks = ((uint64_t)trip + teams - 1) / teams;
    shape->grid = blocks < task->max_grid ? (uint32_t)blocks : task->max_grid;
}

// How many threads a nest has in tiles; 0: its loops are too short for them.
static uint64_t tile_threads(const struct plan_tile *tile, const struct gpu_nest *nest)
{
    int64_t strip = (int64_t)ABI_TILE_LANES * tile->columns;
    if (nest->length < strip || nest->rows < tile->rows) {
        return 0;
    }
    uint64_t across = (uint64_t)(nest->length / strip + (nest->length % strip != 0)) * ABI_TILE_LANES;
    uint64_t down = (uint64_t)(nest->rows / tile->rows + (nest->rows % tile->rows != 0));
    return across * down * (uint64_t)(nest->trip / nest->length / nest->rows);
}

const struct gpu_task *gpu_shape_in_tiles(const struct plan_task *plan, const struct gpu_task *task,
                                          const struct gpu_nest *nest, struct gpu_shape *shape)
{
    assert(nest->trip > 0 && nest->length > 0 && nest->rows > 0);
    for (int i = 0; i < plan->tile_count; i++) {
        const struct gpu_task *tile = &task->tiles[i];
        uint64_t threads = tile_threads(&plan->tiles[i], nest);
        uint64_t resident = (uint64_t)tile->max_grid / GRIDS_AT_MOST * tile->block;
        bool has_smaller = i + 1 < plan->tile_count && tile_threads(&plan->tiles[i + 1], nest) > 0;
        if (threads > 0 && threads >= resident / (has_smaller ? LARGE_PART : TILE_PART)) {
            uint64_t blocks = (threads + tile->block - 1) / tile->block;
            *shape = (struct gpu_shape){.block = tile->block, .finish_block = 1};
            shape->grid = blocks < tile->max_grid ? (uint32_t)blocks : tile->max_grid;
            return tile;
        }
    }
    return NULL;
}

void gpu_shape_gather(const struct plan_task *plan, const struct gpu_task *task, const struct plan_values *values,
                      int64_t trip, struct gpu_shape *shape)
{
    struct plan_span span;
    const struct plan_effect *effect;
    if (plan->partial_size != 0 || !plan_span_of_copy(plan, 0, values, &span, &effect)) {
        return;
    }
    uint64_t width = (uint64_t)ir_type_size(effect->type);
    bool is_wide_int = effect->type == IR_I32 || effect->type == IR_I64;
    if (!is_wide_int || span.low % width != 0 || span.high - span.low > ABI_GPU_COPY_SIZE) {
        return;
    }
    uint64_t count = (span.high - span.low) / width;
    uint64_t most = task->max_grid / GRIDS_AT_MOST * GATHER_GRIDS;
    uint64_t paid = (uint64_t)trip / (count * GATHER_WORK);
    uint64_t grid = paid < most ? paid : most;
    if (count == 0 || grid < 1) {
        return;
    }
    shape->first = span.low;
    shape->chunk = (int64_t)(count * width);
    shape->grid = grid < shape->grid ? (uint32_t)grid : shape->grid;
}
