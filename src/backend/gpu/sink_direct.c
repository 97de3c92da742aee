// Tasks go to the driver at once. A region forks from the stream that meets it: each block runs on a stream that it is
// lent, and the stream waits for all of them. The host queues and never waits for the join.
#include "backend/gpu/lease.h"
#include "backend/gpu/sink.h"

#include <assert.h>

rill_status gpu_direct_task(struct gpu_walk *walk, const struct gpu_task_call *call)
{
    static const uint64_t none = 0;
    struct gpu_run *run = walk->run;
    uint64_t partials = call->partials != 0 ? call->partials : walk->partials;
    void *params[] = {(void *)(uintptr_t)(run->kernel->plan->args_size > 0 ? run->launch->args : &none),
                      &run->block,
                      (void *)(uintptr_t)&call->count,
                      (void *)(uintptr_t)&call->chunk,
                      &partials,
                      &run->frame};
    struct gpu_kernel_call kernel_call = {
        .function = call->function, .grid = call->grid, .block = call->block, .params = params, .meets = call->meets};
    RILL_TRY(driver_launch(run->device->driver, walk->lane->handle, &kernel_call));
    run->stream->has_begun = true;
    return RILL_OK;
}

// By a memset, which needs no memory of the host that would have to live on.
rill_status gpu_direct_store(struct gpu_walk *walk, int64_t offset, uint64_t value, int width)
{
    struct gpu_run *run = walk->run;
    assert(width == 1 || width == 2 || width == 4);
    return driver_set(run->device->driver, walk->lane->handle, run->block + (uint64_t)offset, (uint32_t)value, width,
                      1);
}

// Gives every block a stream and lets that wait for the fork. More streams than the device has queues would wait for
// each other in the hardware, and each costs two edges.
static rill_status fork_blocks(struct gpu_region *region)
{
    struct gpu_direct_fork *fork = &region->fork.direct;
    struct gpu_walk *outer = region->outer;
    struct backend_device *device = outer->run->device;
    int queue_count = device->properties.queue_count;
    int block_count = region->node->child_count;
    int lane_count = queue_count > 0 && queue_count < block_count ? queue_count : block_count;
    fork->lease_count = 0;
    fork->open = 0;
    fork->kept = gpu_kept_take(outer->run->stream); // without it, from the pool each time
    RILL_TRY(driver_event_record(device->driver, outer->lane->fork, outer->lane->handle));
    for (int i = 0; i < block_count; i++) {
        if (i >= lane_count) {
            fork->lanes[i] = fork->lanes[i - lane_count];
            continue;
        }
        RILL_TRY(gpu_lease_take(device, fork->kept, 1 - outer->lane->level, &fork->leases[i]));
        fork->lanes[i] = &fork->leases[i].stream->lane;
        fork->lease_count = i + 1;
        fork->open |= UINT64_C(1) << i;
        RILL_TRY(driver_stream_wait_event(device->driver, fork->lanes[i]->handle, outer->lane->fork));
    }
    return RILL_OK;
}

// Lets a block wait for those that it follows. What runs on its own lane went before it anyway; an end that a later
// block has marked again comes behind the one that is meant.
static rill_status begin_block(struct gpu_region *region, int index, struct gpu_walk *walk)
{
    struct gpu_direct_fork *fork = &region->fork.direct;
    const struct gpu_driver *driver = walk->run->device->driver;
    assert(fork->lease_count > 0); // every block has a lane
    fork->open |= UINT64_C(1) << index % fork->lease_count;
    walk->lane = fork->lanes[index];
    for (int i = 0; i < index; i++) {
        if (plan_order_follows(&region->order, index, i) && fork->lanes[i] != walk->lane) {
            RILL_TRY(driver_stream_wait_event(driver, walk->lane->handle, fork->lanes[i]->end));
        }
    }
    if (walk->follow != NULL) {
        struct trace_cause cause;
        bool has_cause = trace_cause_of_block(&region->order, index, &cause);
        fork->follow = gpu_follow_fork(region->outer, has_cause ? &cause : NULL);
        fork->follow.group = index + 1;
        walk->follow = &fork->follow;
    }
    return RILL_OK;
}

static rill_status end_block(struct gpu_region *region, int index, struct gpu_walk *walk, enum gpu_step step)
{
    struct gpu_direct_fork *fork = &region->fork.direct;
    (void)step; // what the block has queued before it failed is joined too
    if (walk->follow != NULL) {
        gpu_follow_join(walk);
    }
    RILL_TRY(driver_event_record(walk->run->device->driver, walk->lane->end, walk->lane->handle));
    fork->open &= ~(UINT64_C(1) << index % fork->lease_count);
    return RILL_OK;
}

// The outer stream waits for the work of lease |index|. A stream whose join cannot be queued is not lent again.
static rill_status join_lease(struct gpu_region *region, int index)
{
    struct gpu_direct_fork *fork = &region->fork.direct;
    struct backend_device *device = region->outer->run->device;
    const struct gpu_driver *driver = device->driver;
    struct gpu_lane *lane = fork->lanes[index];
    bool is_open = (fork->open >> index & 1) != 0;
    rill_status status = is_open ? driver_event_record(driver, lane->end, lane->handle) : RILL_OK;
    status = status == RILL_OK ? driver_stream_wait_event(driver, region->outer->lane->handle, lane->end) : status;
    if (status != RILL_OK) { // nothing else waits for the block, which uses the launch's memory
        (void)(driver_stream_synchronize(driver, lane->handle) == RILL_OK);
    }
    gpu_stream_number(fork->leases[index].stream); // it may be busy: the pool asks before it lends it again
    gpu_lease_keep(device, fork->kept, &fork->leases[index], status == RILL_OK);
    return status;
}

// Joins every block that has begun, also after a failure.
static rill_status join_blocks(struct gpu_region *region, enum gpu_step step)
{
    struct gpu_direct_fork *fork = &region->fork.direct;
    rill_status first = RILL_OK;
    (void)step;
    for (int i = fork->lease_count - 1; i >= 0; i--) { // the first is lent first the next time
        rill_status status = join_lease(region, i);
        first = first == RILL_OK ? status : first;
    }
    gpu_kept_put(region->outer->run->stream, fork->kept);
    return first;
}

const struct gpu_sink gpu_sink_direct = {
    .store_width = 4,
    .task = gpu_direct_task,
    .store = gpu_direct_store,
    .fork = fork_blocks,
    .begin = begin_block,
    .end = end_block,
    .join = join_blocks,
};
