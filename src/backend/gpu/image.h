// A loaded module on a GPU: where its entries and fields are, and what its kernels need from the host.
#ifndef RILL_BACKEND_GPU_IMAGE_H
#define RILL_BACKEND_GPU_IMAGE_H

#include "backend/gpu/device.h"
#include "base/arena.h"
#include "plan/abi.h"

struct gpu_task {
    void *entry;             // functions of the driver; NULL: the image has it in late code
    void *in_order;          // the same; NULL also if there is none
    void *finish;            //
    uint32_t block;          // threads of a block for |entry|
    uint32_t max_grid;       // blocks beyond which threads take more than one iteration
    int *slot_indices;       // of the plan's slot uses; -1: none
    bool computes_trip;      // |entry| and |finish| find the trip count themselves where the host does not know it
    struct gpu_task *tiles;  // the versions whose threads take tiles, entries alone: as many as the plan has
    struct gpu_task *remote; // the version for memory outside of the device; NULL: this one will do
};

// The grid of a parallel task, as plan/abi.h wants it.
struct gpu_shape {
    uint32_t grid;
    uint32_t block;
    uint32_t finish_block; // threads of the one block that finishes
    int64_t chunk;         // iterations of one partial record, or bytes of what the blocks gather
    int64_t records;
    uint64_t first; // address of what the blocks gather; 0: nothing
};

// Bytes of the argument buffer.
struct gpu_part {
    size_t offset;
    size_t size;
};

struct gpu_kernel {
    const struct plan_kernel *plan; // borrowed
    struct gpu_task *tasks;
    int first_task; // its number among all of the image
    bool may_fail;
    bool may_print;
    bool reads_control;  // control depends on what tasks write: a launch may wait for it
    bool reads_results;  // some expression of the plan reads what tasks write
    bool is_graphable;   // the arguments decide all of its plan, and nothing but tasks runs
    bool is_conditional; // control over what tasks write can be decided on the device
    bool needs_block;    // some task touches the launch block, or there is a result
    bool *spare_tasks;   // for each task: only where a loop cannot stay on the device (plan_spare_tasks())
    bool *task_writes;   // for each slot: a task writes it, or it is assigned from such a one
    void **node_entries; // for each node: what evaluates its assignment or condition on the device; NULL: nothing
    // The arguments that may decide what the plan does: all but floating numbers that stand in none of its expressions.
    struct gpu_part *deciding;
    int deciding_count;
    void *store;                     // stores a value of the host into the launch block; NULL: there is none to store
    int64_t *condition_offsets;      // for each node whose entry stores a condition: where in the launch block
    uint64_t block_size;             // the plan's, and a byte for each such condition
    bool *reads_device;              // for each node: control in it depends on what tasks write
    bool *is_left;                   // for each node: a break or return leaves it that only the device decides about
    int64_t *left_offsets;           // for each node that is left to: a byte of the launch block that says so; 0: none
    int64_t return_offset;           // the same for returns
    bool leaves_by_bytes;            // these bytes are used
    int64_t zero_offset;             // a byte of the launch block that stays zero, where the device decides
    struct gpu_resident **residents; // by node; NULL: the loop does not stay on the device
    int64_t meet_offset;             // of the launch block: by which the blocks of such a loop meet
};

// A loop in order that stays on the device: resident.c.
struct gpu_resident {
    void *entry;
    uint32_t block;       // threads of a block
    uint32_t grid;        // blocks that run at the same time
    const bool *written;  // by slot: a task of the loop writes it
    const bool *changes;  // by slot: the loop does
    const bool *reads;    // by parameter: its tasks only read it
    const bool *writes;   // by parameter: they write it
    int variable;         // the slot of the loop's variable, if the loop runs to its end; -1: none
    size_t partials_size; // of the task that needs most
    bool has_loops;       // in order, inside it
};

struct backend_image {
    struct backend_device *device;  // borrowed
    const struct plan_module *plan; // borrowed
    struct arena arena;             // holds what follows
    void *module;                   // owned
    uint64_t number;                // no other image of the device ever has it
    struct gpu_kernel *kernels;
    int task_count;        // of all kernels
    struct gpu_late *late; // owned; NULL: all code was loaded
    uint64_t *field_addresses;
    uint64_t *field_sizes;
};

// remote.c: whether the kernel updates memory atomically that is not the device's own, and the driver minds.
bool gpu_launch_is_remote(const struct backend_device *device, const struct backend_launch *launch);

int gpu_slot_at(const struct plan_kernel *kernel, int64_t offset); // the slot that holds the byte; -1: none

// image.c: whether the choice of a task's version, or the order of a region's blocks, needs what tasks write
bool gpu_task_reads(const struct gpu_kernel *kernel, const struct plan_task *task);
bool gpu_region_reads(const struct gpu_kernel *kernel, const struct plan_node *node);

// What the driver's code calls an entry or a field. False if that does not fit into |size| bytes.
bool gpu_spell(const struct gpu_driver *driver, const char *name, char *out, size_t size);
const char *gpu_symbol(const struct gpu_driver *driver, struct arena *arena, const char *name);

// late.c: what is loaded by the first launch that needs it. gpu_late_find gives the bytes that are loaded at once, and
// where the others are (size 0: none); gpu_late_entry the version in order, or the one of a spare task, and loads it if
// it is the first.
size_t gpu_late_find(const void *code, size_t code_size, struct abi_gpu_late *out);
rill_status gpu_late_make(struct backend_image *image, const void *code, const struct abi_gpu_late *where);
void gpu_late_destroy(struct backend_image *image);
rill_status gpu_late_entry(const struct backend_image *image, const struct gpu_kernel *kernel,
                           const struct plan_task *plan, void **out_entry);

// resident.c: finds the entries of loops that stay on the device
rill_status gpu_residents_find(struct backend_image *image, struct gpu_kernel *kernel);

// shape.c
rill_status gpu_shape_find(struct backend_device *device, const struct plan_task *plan, struct gpu_task *task);
struct gpu_shape gpu_shape_of(const struct plan_task *plan, const struct gpu_task *task, int64_t trip);
// The iterations of a nest's task: in all, of its innermost loop, and of the loop around that.
struct gpu_nest {
    int64_t trip;
    int64_t length;
    int64_t rows;
};
// The version that such a task is worth running in tiles, and its grid; NULL: none.
const struct gpu_task *gpu_shape_in_tiles(const struct plan_task *plan, const struct gpu_task *task,
                                          const struct gpu_nest *nest, struct gpu_shape *shape);
// For a task that has private copies: whether its blocks gather what they update.
// Where teams take the iterations, as many blocks as there are teams for.
void gpu_shape_teams(const struct plan_task *plan, const struct gpu_task *task, const struct plan_values *values,
                     int64_t trip, struct gpu_shape *shape);
void gpu_shape_gather(const struct plan_task *plan, const struct gpu_task *task, const struct plan_values *values,
                      int64_t trip, struct gpu_shape *shape);

#endif
