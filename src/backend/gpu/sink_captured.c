// Tasks go to a stream that somebody captures into a graph. There is one stream for all blocks of a region: before each
// block the driver is told which nodes of the capture it depends on.
#include "backend/gpu/sink.h"

#include "base/status.h"

#include <assert.h>

enum { MAX_FRONT = 2 * RUN_MAX_BLOCKS }; // nodes; two for the end of each block

struct captured_front {
    void *nodes[MAX_FRONT];
    size_t count;
};

// On the heap: 64 KB are too much for the stack of a small thread.
struct gpu_captured_fork {
    struct captured_front before; // what was captured before the region
    struct captured_front after;  // the ends of all blocks
    struct captured_front ends[RUN_MAX_BLOCKS];
};

// False: there are too many.
static bool front_add(struct captured_front *front, const struct captured_front *more)
{
    for (size_t i = 0; i < more->count; i++) {
        bool has_it = false;
        for (size_t k = 0; k < front->count; k++) {
            has_it |= front->nodes[k] == more->nodes[i];
        }
        if (!has_it && front->count == MAX_FRONT) {
            return false;
        }
        if (!has_it) {
            front->nodes[front->count++] = more->nodes[i];
        }
    }
    return true;
}

// What is captured next depends on |front|.
static rill_status set_front(struct gpu_walk *walk, struct captured_front *front)
{
    return driver_capture_set_front(walk->run->device->driver, walk->lane->handle, front->nodes, front->count);
}

static rill_status get_front(struct gpu_walk *walk, struct captured_front *out_front)
{
    return driver_capture_front(walk->run->device->driver, walk->lane->handle, out_front->nodes, MAX_FRONT,
                                &out_front->count);
}

static rill_status fork_blocks(struct gpu_region *region)
{
    region->fork.captured = gpu_alloc(region->outer->run->device, sizeof *region->fork.captured);
    if (region->fork.captured == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to capture %d blocks", region->node->child_count);
    }
    return get_front(region->outer, &region->fork.captured->before);
}

static rill_status begin_block(struct gpu_region *region, int index, struct gpu_walk *walk)
{
    struct gpu_captured_fork *fork = region->fork.captured;
    struct captured_front front = fork->before;
    assert(walk->run->stream->is_capturing);
    bool fits = true;
    for (int i = 0; i < index; i++) {
        if (plan_order_follows(&region->order, index, i)) {
            fits &= front_add(&front, &fork->ends[i]);
        }
    }
    // Where they do not fit, it follows the block before it, and so all that were captured.
    return fits ? set_front(walk, &front) : RILL_OK;
}

static rill_status end_block(struct gpu_region *region, int index, struct gpu_walk *walk, enum gpu_step step)
{
    struct gpu_captured_fork *fork = region->fork.captured;
    if (step == GPU_FAIL) {
        return RILL_OK;
    }
    RILL_TRY(get_front(walk, &fork->ends[index]));
    return front_add(&fork->after, &fork->ends[index]) ? RILL_OK
                                                       : status_fail(RILL_ERR_LIMIT, "too many blocks to capture");
}

static rill_status join_blocks(struct gpu_region *region, enum gpu_step step)
{
    struct gpu_captured_fork *fork = region->fork.captured;
    rill_status status = step != GPU_FAIL ? set_front(region->outer, &fork->after) : RILL_OK;
    gpu_free(region->outer->run->device, fork, sizeof *fork);
    return status;
}

const struct gpu_sink gpu_sink_captured = {
    .store_width = 4,
    .task = gpu_direct_task,
    .store = gpu_direct_store,
    .fork = fork_blocks,
    .begin = begin_block,
    .end = end_block,
    .join = join_blocks,
};
