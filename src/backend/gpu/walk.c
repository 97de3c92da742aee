// Control: the host's part of the plan.
#include "backend/gpu/sink.h"

#include "base/status.h"

enum { WHOLE_WORK = 2000 }; // simple operations for each task: launching it costs about as much as this on one thread

enum gpu_step gpu_run_fail(struct gpu_run *run, rill_status status)
{
    if (run->status == RILL_OK) {
        run->status = status;
    }
    return GPU_FAIL;
}

enum gpu_step gpu_run_refuse(struct gpu_run *run, const struct plan_effect *a, const struct plan_effect *b)
{
    struct backend_stream *stream = run->stream;
    struct backend_error error;
    backend_describe_restrict(run->image->plan, run->kernel->plan, a, b, &error);
    error.stream = stream->id;
    run->has_failed = true;
    if (run->batch != NULL) { // it is launched by itself, and fails then
        return GPU_FAIL;
    }
    gpu_count(&run->device->counters.launch_failed_count);
    if (run->launch->caller != NULL) {
        *run->launch->caller = error;
        return GPU_FAIL;
    }
    thread_latch_lock(&run->device->reap_lock);
    gpu_stream_fail(stream, &error);
    thread_latch_unlock(&run->device->reap_lock);
    return GPU_FAIL;
}

bool gpu_eval(struct gpu_walk *walk, const struct plan_expr *expr, const struct gpu_why *why, union ir_value *out)
{
    struct gpu_run *run = walk->run;
    rill_status status = gpu_slots_missing(run, expr) ? gpu_slots_read(walk, why) : RILL_OK;
    if (status != RILL_OK) {
        gpu_run_fail(run, status);
    }
    if (status != RILL_OK || run->has_failed) {
        return false;
    }
    if (plan_eval(expr, &run->values, out)) {
        return true;
    }
    gpu_run_fail(
        run, status_fail(RILL_ERR_INTERNAL, "kernel '%s': its plan could not be evaluated", run->kernel->plan->name));
    return false;
}

static enum gpu_step walk_sequence(struct gpu_walk *walk, const struct plan_node *node)
{
    for (int i = 0; i < node->child_count; i++) {
        enum gpu_step step = gpu_walk_node(walk, node->children[i]);
        if (step != GPU_ON) {
            return step;
        }
    }
    return GPU_ON;
}

static enum gpu_step walk_if(struct gpu_walk *walk, const struct plan_node *node)
{
    union ir_value value;
    if (walk->run->sink->decides_on_device && gpu_slots_missing(walk->run, node->expr)) {
        return gpu_condition_if(walk, node);
    }
    if (!gpu_eval(walk, node->expr, &(struct gpu_why){node->loc, "a condition"}, &value)) {
        return GPU_FAIL;
    }
    int chosen = value.i != 0 ? 0 : 1;
    if (chosen < node->child_count && node->children[chosen] != NULL) {
        return gpu_walk_node(walk, node->children[chosen]);
    }
    return GPU_ON;
}

// ---- loops --------------------------------------------------------------------------------------------------------

static int64_t add_work(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// An estimate of the operations of a task, less what it costs to launch it.
static int64_t task_work(const struct gpu_run *run, const struct plan_task *task)
{
    int64_t trip;
    int64_t cost = PLAN_COST_UNKNOWN;
    bool has_trip = task->kind != PLAN_TASK_PARALLEL || !gpu_slots_missing(run, task->trip);
    if (!has_trip || !plan_task_trip(task, &run->values, &trip)) {
        return INT64_MAX;
    }
    if (!gpu_slots_missing(run, task->cost)) {
        (void)plan_task_cost(task, &run->values, &cost); // or the guess
    }
    int64_t work = plan_work(trip, cost);
    return trip <= 0 || work == INT64_MAX ? work : work - WHOLE_WORK;
}

// An estimate of the operations of one round, less what a task is allowed; unknown is much.
static int64_t work_of(struct gpu_run *run, const struct plan_node *node)
{
    if (node == NULL) {
        return 0;
    }
    if (node->kind == PLAN_TASK) {
        return task_work(run, &run->kernel->plan->tasks[node->task]);
    }
    int64_t work = 0;
    for (int i = 0; i < node->child_count && work != INT64_MAX; i++) {
        work = add_work(work, work_of(run, node->children[i]));
    }
    return work;
}

// Whether a loop that is met should run whole, on one thread of the device: where its control would be read back each
// round, or where its tasks are too small to be worth launching.
static bool runs_whole(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    bool runs_whole = false;
    if (node->whole_task < 0 || gpu_slots_missing(run, node->whole_if) ||
        !plan_loop_runs_whole(node, &run->values, &runs_whole) || !runs_whole) {
        return false;
    }
    if (!run->kernel->reads_device[node->id] && work_of(run, node->children[0]) > 0) {
        return false;
    }
    gpu_run_count(run, &run->device->counters.whole_count);
    return true;
}

// What the body of a loop means for the loop. True: go on with the next round.
static bool goes_on(struct gpu_walk *walk, const struct plan_node *node, enum gpu_step step, enum gpu_step *out_step)
{
    *out_step = step;
    if (step == GPU_BREAK && walk->run->target == node->id) {
        *out_step = GPU_ON;
        return false;
    }
    return step == GPU_ON;
}

static enum gpu_step walk_for(struct gpu_walk *walk, const struct plan_node *node)
{
    enum gpu_step resident;
    if (gpu_resident_run(walk, node, &resident)) {
        return resident;
    }
    if (runs_whole(walk, node)) {
        return gpu_task_start(walk, node->whole_task);
    }
    union ir_value init;
    union ir_value trip;
    struct gpu_why why = {node->loc, "a loop's bound"};
    if (!gpu_eval(walk, node->expr, &why, &init) || !gpu_eval(walk, node->trip, &why, &trip)) {
        return GPU_FAIL;
    }
    for (int64_t i = 0;; i++) {
        if (node->slot >= 0) { // after the last round: C's value; the slot's width wraps it
            uint64_t value = (uint64_t)init.i + (uint64_t)i * (uint64_t)node->step;
            rill_status status = gpu_slot_assign(walk, node, (union ir_value){.i = (int64_t)value});
            if (status != RILL_OK) {
                return gpu_run_fail(walk->run, status);
            }
        }
        if (i >= trip.i) {
            return GPU_ON;
        }
        enum gpu_step step;
        if (!goes_on(walk, node, gpu_walk_node(walk, node->children[0]), &step)) {
            return step;
        }
    }
}

static enum gpu_step walk_loop(struct gpu_walk *walk, const struct plan_node *node)
{
    enum gpu_step resident;
    if (gpu_resident_run(walk, node, &resident)) {
        return resident;
    }
    if (runs_whole(walk, node)) {
        return gpu_task_start(walk, node->whole_task);
    }
    if (walk->run->sink->decides_on_device && gpu_condition_is_loop(walk->run->kernel, node)) {
        return gpu_condition_loop(walk, node);
    }
    for (;;) {
        enum gpu_step step;
        if (!goes_on(walk, node, gpu_walk_node(walk, node->children[0]), &step)) {
            return step;
        }
    }
}

// Whether the device decides about a break or return that leaves the node, in the recording.
static bool is_left(const struct gpu_walk *walk, const struct plan_node *node)
{
    return walk->run->sink->decides_on_device && walk->run->kernel->is_left[node->id];
}

enum gpu_step gpu_walk_node(struct gpu_walk *walk, const struct plan_node *node)
{
    union ir_value value;
    enum gpu_step step;
    rill_status status;
    switch (node->kind) {
    case PLAN_SEQUENCE: return is_left(walk, node) ? gpu_condition_sequence(walk, node) : walk_sequence(walk, node);
    case PLAN_IF: return walk_if(walk, node);
    case PLAN_FOR: return walk_for(walk, node);
    case PLAN_LOOP: return walk_loop(walk, node);
    case PLAN_BLOCK:
        if (is_left(walk, node->children[0])) {
            return gpu_condition_block(walk, node);
        }
        goes_on(walk, node, gpu_walk_node(walk, node->children[0]), &step);
        return step;
    case PLAN_BREAK:
        walk->run->target = node->target;
        return is_left(walk, node) ? gpu_condition_leave(walk, node) : GPU_BREAK;
    case PLAN_RETURN: return is_left(walk, node) ? gpu_condition_leave(walk, node) : GPU_RETURN;
    case PLAN_ASSIGN:
        if (walk->run->kernel->node_entries[node->id] != NULL && gpu_slots_missing(walk->run, node->expr)) {
            return gpu_task_assign(walk, node);
        }
        if (!gpu_eval(walk, node->expr, &(struct gpu_why){node->loc, "an assigned value"}, &value)) {
            return GPU_FAIL;
        }
        status = gpu_slot_assign(walk, node, value);
        return status == RILL_OK ? GPU_ON : gpu_run_fail(walk->run, status);
    case PLAN_TASK: return gpu_task_start(walk, node->task);
    case PLAN_REGION: return gpu_walk_region(walk, node);
    }
    return gpu_run_fail(walk->run, RILL_ERR_INTERNAL);
}
