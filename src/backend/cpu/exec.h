// Runs the plan of one launch. An executor walks the tree of control with a stack of its own, so that it can stop at a
// parallel task and be taken up again by the worker that leaves the task last: no worker ever waits for another.
//
// A region's blocks are queued on streams that the context's pool has lent, one for each block, and run by the
// executors of those. They start together, except where a block must follow an earlier one, and the last to end takes
// up the executor that met the region. Two blocks on one stream, which happens when the device has no more, run one
// after the other.
#ifndef RILL_BACKEND_CPU_EXEC_H
#define RILL_BACKEND_CPU_EXEC_H

#include "backend/cpu/device.h"
#include "backend/cpu/image.h"
#include "backend/cpu/op.h"
#include "backend/cpu/pool.h"
#include "backend/cpu/print.h"
#include "plan/abi.h"

enum {
    EXEC_MAX_PARTIALS = PLAN_MAX_PARTIALS, // pieces of a loop with reductions
    EXEC_MAX_BLOCKS = PLAN_MAX_BLOCKS,
};

struct cpu_exec;

// One run of a kernel: what its executors share. It lies in the workspace, made by the worker that begins the launch:
// what queues a launch writes only what it alone knows.
struct cpu_run {
    struct backend_device *device;
    struct backend_stream *queue;      // borrowed: the stream it runs on
    const struct backend_image *image; // borrowed
    const struct cpu_kernel *kernel;   // borrowed
    struct plan_values values;         // args, sizes, fields; its block is |block|
    void *block;
    const struct backend_lease *lanes; // borrowed: the streams of its blocks, one for each block of its largest region
    uint64_t stream;                   // the id of the stream it runs on
    const struct trace_cause *cause;   // borrowed: what its first task begins after; only with a trace
    // Called by the worker that ends a run which exec_start() could not end itself.
    void (*over)(struct cpu_run *run, struct cpu_worker *worker);

    // The first failure: claimed, filled, then published.
    atomic_int failure_state; // 0 none, 1 claimed, 2 published
    rill_status failure_status;
    const struct abi_failure *failure;            // borrowed from the image; NULL if it is not the code that failed
    const struct plan_effect *failure_effects[2]; // borrowed: overlap in spite of `restrict`; NULL: they do not
    int64_t failure_iteration;
    int64_t failure_index;
    int64_t failure_extent;
};

// The private copies of the task that runs now: one part of |memory| for each worker. See copies.c.
struct cpu_copies {
    char *memory; // owned; grows with the largest task
    size_t size;
    size_t stride; // bytes of one worker's part
    int count;     // 0: the task runs without
    struct copied_span {
        uint64_t first; // address of what is copied
        uint64_t size;  // bytes
        size_t offset;  // in each part
        enum ir_type type;
        enum ir_update update;
    } items[PLAN_MAX_COPIES];
};

struct cpu_frame {
    const struct plan_node *node;
    int64_t next; // the child or round to go on with
    int64_t trip;
    int64_t init;
};

// One block of a region that runs now.
struct cpu_block {
    struct cpu_op op;         // first: in the queue of the block's stream
    struct cpu_exec *parent;  // who met the region
    int index;                // among the region's blocks
    struct trace_cause cause; // what it begins after; only with a trace
    struct print_log print;   // goes out in program order when the region ends
};

struct cpu_exec {
    struct cpu_run *run;         // borrowed; of the run it works for now
    struct cpu_block *block;     // borrowed: the block it runs; NULL: it walks the kernel
    struct backend_stream *lane; // borrowed: the block's stream
    struct cpu_frame *frames;    // room for the deepest kernel it was made for
    int depth;
    struct cpu_pool_loop loop; // the parallel task that runs now
    const struct plan_task *task;
    struct cpu_task *entries;
    int64_t trip;
    int64_t work; // simple operations
    int64_t chunk_size;
    uint32_t chunk_count;
    bool is_shared;      // other workers may help
    uint64_t begin_time; // of the task that runs now; only with a trace, and so are the next two
    int begin_worker;
    struct trace_cause cause; // what the next task begins after
    char *partials;           // EXEC_MAX_PARTIALS records of the largest size it was made for
    struct cpu_copies copies;
    struct print_log *print; // borrowed: the workspace's or the block's

    // The region that runs now.
    struct cpu_block *blocks; // one for each block
    const struct plan_node *region;
    bool is_region_small;                // its blocks are not worth waking a thread for
    atomic_int open_count;               // blocks that have not ended, and one for who opens the region
    atomic_int waits[EXEC_MAX_BLOCKS];   // how many earlier blocks a block still waits for, and one for who opens
    uint64_t followers[EXEC_MAX_BLOCKS]; // of a block: those that wait for it, as bits
};

// What a workspace has room for.
struct cpu_need {
    int depth; // 0: there is no workspace
    int block_count;
    uint64_t partial_size;
    uint64_t local_size;
    int memo_count;      // of plan_memo
    uint64_t known_size; // of the arguments and sizes of arrays that one memo is for
};

// Arguments for which the memo holds what was evaluated. A later launch on the stream begins with that if it is one of
// the same kernel with the same arguments: the steps of a computation repeat a few launches, or two arrays change
// places.
enum { EXEC_KNOWN_COUNT = 4 };

struct cpu_known {
    struct plan_memo memo;
    uint64_t image_number; // which no other image has; 0: none
    const struct cpu_kernel *kernel;
    unsigned char *args; // and sizes of arrays
};

// The workspace of a stream: what it needs to run one launch, or one block of another stream's launch, at a time. One
// piece of memory. Who queues a launch does not look at it: the worker writes here all the time.
struct cpu_workspace {
    size_t size;
    struct cpu_need need;
    void *locals; // the launch block: locals that cross tasks, the result
    struct cpu_known known[EXEC_KNOWN_COUNT];
    int known_next; // which of them goes first
    struct cpu_run run;
    struct cpu_exec exec;
    struct print_log print;
    struct cpu_block blocks[]; // of the region that runs now
};

bool need_fits(const struct cpu_need *has, const struct cpu_need *wanted);
struct cpu_need need_join(const struct cpu_need *a, const struct cpu_need *b);
// NULL: no memory.
struct cpu_workspace *workspace_create(struct backend_device *device, const struct cpu_need *need);
void workspace_destroy(struct backend_device *device, struct cpu_workspace *workspace);

// Runs as much of the workspace's run as can be run now. True: the run is over. False: another worker will end it and
// call run->over.
bool exec_start(struct cpu_workspace *workspace, struct cpu_worker *worker);

// task.c: true if the task has ended, false if other workers still run it; the last of them calls exec_resume().
bool task_start(struct cpu_exec *exec, int index, struct cpu_worker *worker);
void exec_resume(struct cpu_exec *exec, struct cpu_worker *worker);

// About how many simple operations a task has in this run; INT64_MAX: not known.
int64_t task_work(const struct cpu_run *run, int index);
bool task_is_only_one(const struct backend_device *device); // nobody else can run a task now
enum { TASK_WORK_ALONE = PLAN_WORK_ALONE };

// copies.c: whether the task that starts is to have private copies, with |work| simple operations by |worker_count|
// workers; those of |worker|, for a call of the entry; and what was gathered goes to where it belongs.
void copies_begin(struct cpu_exec *exec, int64_t work, int worker_count);
const struct abi_copy *copies_of(struct cpu_exec *exec, const struct cpu_worker *worker);
void copies_end(struct cpu_exec *exec);
void copies_finish(struct backend_device *device, struct cpu_copies *copies);

bool run_has_failed(struct cpu_run *run);
// Notes a failure of Rill's own: a plan that cannot be evaluated.
void run_fail(struct cpu_run *run, rill_status status);
// Notes that two effects overlap although a parameter in them is `restrict`.
void run_fail_restrict(struct cpu_run *run, const struct plan_effect *a, const struct plan_effect *b);
// The first failure in words. The run has failed.
void run_describe_failure(struct cpu_run *run, uint64_t stream, struct backend_error *out_error);

// region.c: whether the blocks are so small that they are best run one after the other by who meets the region.
bool region_runs_here(const struct cpu_exec *exec, const struct plan_node *node);
// True if the blocks have ended already.
bool region_start(struct cpu_exec *exec, const struct plan_node *node, struct cpu_worker *worker);
// A block's stream has come to it. Whoever ends the block takes it out of the stream's queue.
void region_run_block(struct cpu_exec *exec, struct cpu_block *block, struct cpu_worker *worker);
void region_block_over(struct cpu_exec *exec, struct cpu_worker *worker);

extern const struct abi_services task_services;

#endif
