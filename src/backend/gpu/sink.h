// Where a walk of the plan puts its work. A walk meets tasks, values that the host stores for them, and regions of
// blocks; what becomes of these is decided by the sink of the run:
//
//   direct    tasks go to the driver's streams at once; each block of a region runs on a stream that it is lent
//   recorded  tasks become nodes of the stream's recording, which is replayed as one graph; no stream is needed
//   captured  tasks go to the one stream that somebody captures into a graph; blocks part by what they depend on
//
// Of a region, fork() comes first; then each block, in the order of the source, begins, is walked and ends; join()
// comes last, also after a failure, and then takes back what fork() took. A block depends on what came before the
// region and on the blocks that |order| says; what follows the region depends on all blocks.
#ifndef RILL_BACKEND_GPU_SINK_H
#define RILL_BACKEND_GPU_SINK_H

#include "backend/gpu/run.h"

struct gpu_task_call {
    void *function;
    uint32_t grid;
    uint32_t block;
    int64_t count;
    int64_t chunk;
    uint64_t partials; // 0: the walk's
    bool meets;        // all blocks run at the same time
};

// Of the direct sink: the streams of a region's blocks.
struct gpu_direct_fork {
    struct backend_lease leases[RUN_MAX_BLOCKS]; // streams lent to blocks
    struct gpu_lane *lanes[RUN_MAX_BLOCKS];      // of each block; where the device has few queues blocks share them
    int lease_count;
    uint64_t open;            // leases that have work behind their last recorded end, as bits
    struct gpu_kept *kept;    // taken from the stream; NULL: none
    struct gpu_follow follow; // of the block that is being walked, where there is a trace
};

// Of the recorded sink: the last nodes of each block that has ended, and of all of them.
struct gpu_recorded_fork {
    struct gpu_front ends[RUN_MAX_BLOCKS];
    struct gpu_front after;
};

struct gpu_captured_fork;

struct gpu_region {
    struct gpu_walk *outer; // that met the region
    const struct plan_node *node;
    struct plan_order order; // of its blocks
    union {
        struct gpu_direct_fork direct;
        struct gpu_recorded_fork recorded;
        struct gpu_captured_fork *captured; // owned
    } fork;                                 // not set before the sink's fork()
};

struct gpu_sink {
    // Control over what tasks compute becomes part of the recording; false: the host reads the values back and decides.
    bool decides_on_device;
    int store_width; // bytes of the widest store

    rill_status (*task)(struct gpu_walk *walk, const struct gpu_task_call *call);
    // Stores |width| bytes (1, 2, 4 or 8, at most |store_width|) of |value| into the launch block.
    rill_status (*store)(struct gpu_walk *walk, int64_t offset, uint64_t value, int width);

    rill_status (*fork)(struct gpu_region *region);
    // |walk| is that of the block, and has the place of the outer one.
    rill_status (*begin)(struct gpu_region *region, int index, struct gpu_walk *walk);
    // |step| is how the walk of the block ended. Not called where begin() failed.
    rill_status (*end)(struct gpu_region *region, int index, struct gpu_walk *walk, enum gpu_step step);
    // |step|: GPU_FAIL if something of the region has failed.
    rill_status (*join)(struct gpu_region *region, enum gpu_step step);
};

extern const struct gpu_sink gpu_sink_direct;
extern const struct gpu_sink gpu_sink_recorded;
extern const struct gpu_sink gpu_sink_captured;

// sink_direct.c: also what the captured sink does, whose stream takes tasks and stores like any other.
rill_status gpu_direct_task(struct gpu_walk *walk, const struct gpu_task_call *call);
rill_status gpu_direct_store(struct gpu_walk *walk, int64_t offset, uint64_t value, int width);

#endif
