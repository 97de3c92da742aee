// One launch: the host walks the plan, decides what arguments decide, and gives the tasks to the driver. What tasks
// write into the launch block the host does not know; where control depends on it, it is read back and the call waits.
#ifndef RILL_BACKEND_GPU_RUN_H
#define RILL_BACKEND_GPU_RUN_H

#include "backend/gpu/graph.h"

enum { GPU_MAX_EFFECTS = 64 }; // of a task whose pairs are compared before their regions are known
enum { RUN_MAX_BLOCKS = PLAN_MAX_BLOCKS, PRINT_BUFFER_SIZE = 256 << 10, PRINT_ENDS = 4096 };

// Who has the value of a slot.
enum gpu_slot_state {
    GPU_SLOT_BOTH,   // host and device agree
    GPU_SLOT_HOST,   // the host has assigned it since
    GPU_SLOT_DEVICE, // a task may have written it since
};

struct gpu_sink;       // sink.h
struct gpu_batch_item; // batch.h

// Where the walk of one block, or of the kernel itself, queues its work.
struct gpu_walk {
    struct gpu_run *run;
    struct gpu_lane *lane;
    struct gpu_front front;       // where the tasks are recorded: the last ones
    int parent;                   // 1 + the conditional node whose body is recorded; 0: the graph itself
    const struct plan_node *loop; // whose rounds are recorded, the innermost; NULL: none
    int loop_index;               // its conditional node
    // The block that is walked and the region whose blocks run beside it; NULL: none, or one after another.
    const struct plan_node *region;
    const struct plan_node *block;
    struct gpu_follow *follow; // borrowed: what the next task begins after; NULL: there is no trace
    uint64_t partials;         // memory for partial records, used again by the tasks of this lane
    size_t partials_size;
};

struct gpu_run {
    struct backend_device *device;
    struct backend_stream *stream;
    const struct backend_image *image;
    const struct gpu_kernel *kernel;
    const struct backend_launch *launch;
    struct plan_values values;          // its block is |shadow|
    char *shadow;                       // what the host knows of the launch block
    unsigned char *slots;               // enum gpu_slot_state of each
    uint64_t block;                     // device addresses
    uint64_t frame;                     //
    const struct abi_gpu_frame *record; // of the host: where a failure will be found; NULL: in the frame
    uint64_t watched;                   // pinned: what the host will look at for a failure and for text
    uint64_t result;                    // pinned: where the returned value comes first, for memory of the host
    const struct gpu_sink *sink;        // what becomes of tasks, stores and regions
    struct gpu_recording *recording;    // borrowed; the recorded sink's; NULL: another one's turn
    struct gpu_batch_item *batch;       // borrowed: the part of a batch that is recorded; NULL: it is none
    bool is_remote;                     // tasks run in the version for memory outside of the device
    bool is_second;                     // the plan was walked already: counts and notes are made
    int target;                         // of the break that is on its way
    rill_status status;                 // the first failure of the driver or of Rill's own
    bool has_failed;                    // the kernel has: seen when something was read back
    uint64_t print_ends;    // device memory for how far the print buffer was filled after each printing task
    size_t print_end_count; // the tasks beyond PRINT_ENDS share the last one
};

enum gpu_step { GPU_ON, GPU_BREAK, GPU_RETURN, GPU_FAIL };

// Every launch must do again what the walk has just done (a note in the log, memory taken), so that its recording is
// not used for the next launch.
static inline void gpu_run_note(struct gpu_run *run)
{
    if (run->recording != NULL) {
        run->recording->is_noted = true;
    }
}

static inline void gpu_run_count(struct gpu_run *run, _Atomic uint64_t *counter)
{
    const struct gpu_counters *counters = &run->device->counters;
    if (!run->is_second) {
        gpu_count(counter);
    }
    if (run->recording != NULL) {
        struct gpu_tally *tally = &run->recording->tally;
        tally->task_count += counter == &counters->task_count;
        tally->parallel_count += counter == &counters->parallel_count;
        tally->whole_count += counter == &counters->whole_count;
    }
}

// What a call waits for: "a loop's bound" and where.
struct gpu_why {
    struct loc loc;
    const char *what;
};

// launch.c
// Room for what the host knows of the launch block, and the state of its slots behind it.
rill_status gpu_run_make_shadow(struct gpu_run *run);
// Marks every so many launches with an event, and waits for the oldest of these where too many launches are
// outstanding.
rill_status gpu_stream_make_room(struct backend_stream *stream, backend_must_not_wait must_not_wait);

// walk.c
enum gpu_step gpu_walk_node(struct gpu_walk *walk, const struct plan_node *node);
bool gpu_eval(struct gpu_walk *walk, const struct plan_expr *expr, const struct gpu_why *why, union ir_value *out);
enum gpu_step gpu_run_fail(struct gpu_run *run, rill_status status);
// The launch fails: two regions overlap although `restrict` says that they do not.
enum gpu_step gpu_run_refuse(struct gpu_run *run, const struct plan_effect *a, const struct plan_effect *b);

// condition.c: where a kernel is recorded for graphs that decide on the device
// Finds what may leave what, and says whether the device can decide all of the kernel's control.
bool gpu_condition_prepare(struct gpu_kernel *kernel);
bool gpu_condition_is_loop(const struct gpu_kernel *kernel, const struct plan_node *node);
enum gpu_step gpu_condition_if(struct gpu_walk *walk, const struct plan_node *node);
enum gpu_step gpu_condition_sequence(struct gpu_walk *walk, const struct plan_node *node); // is_left
enum gpu_step gpu_condition_block(struct gpu_walk *walk, const struct plan_node *node);
enum gpu_step gpu_condition_leave(struct gpu_walk *walk, const struct plan_node *node); // is_left
enum gpu_step gpu_condition_loop(struct gpu_walk *walk, const struct plan_node *node);

// region.c
enum gpu_step gpu_walk_region(struct gpu_walk *walk, const struct plan_node *node);

// task.c
enum gpu_step gpu_task_start(struct gpu_walk *walk, int index);
// Runs the entry that stores the value of an assignment, whose expression the host cannot evaluate.
enum gpu_step gpu_task_assign(struct gpu_walk *walk, const struct plan_node *node);

// Room for partial records, which the tasks of the walk use one after the other.
rill_status gpu_make_partials(struct gpu_walk *walk, size_t size);

// batch.c: memory that is the part's as long as the batch is there
rill_status gpu_batch_take(struct gpu_run *run, size_t size, uint64_t *out_address);

// resident.c: runs a loop in order on the device, if it can; false: it is walked.
bool gpu_resident_run(struct gpu_walk *walk, const struct plan_node *node, enum gpu_step *out_step);

// slots.c
// In the body of a conditional node the value goes to the device at once: elsewhere nobody could say whether it did.
rill_status gpu_slot_assign(struct gpu_walk *walk, const struct plan_node *node, union ir_value value);
rill_status gpu_slot_upload(struct gpu_walk *walk, int slot);                      // if the device's is old
rill_status gpu_slots_upload(struct gpu_walk *walk, const struct plan_expr *expr); // all that |expr| reads
// What the host has assigned goes to the device before branches part. In a block of a region, what that block assigns:
// the rest is there since before the region, or belongs to another block, whose tasks may be reading it.
rill_status gpu_slots_settle(struct gpu_walk *walk);
// Whether |expr| needs what only the device has.
bool gpu_slots_missing(const struct gpu_run *run, const struct plan_expr *expr);
rill_status gpu_slots_read(struct gpu_walk *walk, const struct gpu_why *why); // waits; counted, noted in the log

// host.c: memory of the host that the launch uses. |order| is held from one to the other.
// Makes the copies, queues what the kernel reads and puts the addresses into the arguments; leaves nothing if it fails.
rill_status gpu_host_begin(struct backend_stream *stream, const struct backend_launch *launch);
// Queues the way back if run->status is RILL_OK, and lets the copies go behind it.
rill_status gpu_host_end(struct gpu_run *run);

#endif
