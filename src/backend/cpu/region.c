// Runs the blocks of a region at once. Which blocks must follow which earlier ones is settled when the region is met,
// from the addresses, shapes and scalars of this launch.
#include "backend/cpu/stream.h"

#include <assert.h>

static void count_region(const struct cpu_exec *exec, const struct plan_node *node, enum backend_region_way way)
{
    if (node->child_count > 1) {
        device_count(&exec->run->device->counters.region_counts[way]);
    }
}

// Settles one conflict whose order this launch's arguments decide.
static void settle(struct cpu_run *run, struct plan_order *order, const struct plan_conflict *conflict)
{
    switch (plan_order_test(order, conflict, &run->values)) {
    case PLAN_APART: break;
    case PLAN_BREAKS: run_fail_restrict(run, conflict->effect_a, conflict->effect_b); break;
    case PLAN_OVERLAPS:
        device_count(&run->device->counters.block_in_order_count);
        backend_log_overlap(&run->device->host, run->kernel->plan, order->region, conflict);
        break;
    }
}

// What each block waits for: the blocks that it follows, and the one count that let_start() takes.
static void set_waits(struct cpu_exec *exec, const struct plan_order *order)
{
    bool has_trace = exec->run->device->trace != NULL;
    assert(order->region->child_count <= EXEC_MAX_BLOCKS);
    for (int later = 0; later < order->region->child_count; later++) {
        int wait_count = 1;
        exec->followers[later] = 0;
        for (int earlier = 0; order->blocks[later].earlier != 0 && earlier < later; earlier++) {
            if (plan_order_follows(order, later, earlier)) {
                exec->followers[earlier] |= UINT64_C(1) << later;
                wait_count++;
            }
        }
        atomic_store_explicit(&exec->waits[later], wait_count, memory_order_relaxed);
        if (has_trace) {
            (void)trace_cause_of_block(order, later, &exec->blocks[later].cause);
        }
    }
}

static void order_blocks(struct cpu_exec *exec, const struct plan_node *node)
{
    struct plan_order order;
    plan_order_begin(&order, node);
    for (int i = 0; i < node->conflict_count; i++) {
        if (plan_order_asks(&order, &node->conflicts[i])) {
            settle(exec->run, &order, &node->conflicts[i]);
        }
    }
    set_waits(exec, &order);
    count_region(exec, node, backend_region_way(&order));
}

static void let_start(struct cpu_exec *exec, int index)
{
    assert(index >= 0 && index < exec->region->child_count);
    assert(atomic_load_explicit(&exec->waits[index], memory_order_relaxed) > 0);
    thread_publish(&exec->waits[index]); // only the last of those that it follows queues it
    if (atomic_fetch_sub_explicit(&exec->waits[index], 1, memory_order_acq_rel) == 1) {
        cpu_stream_queue_block(exec->run->lanes[index].stream, &exec->blocks[index], exec->is_region_small);
    }
}

// Takes what a node will do from |budget|. False if that is more, or cannot be known: control and serial code. What is
// computed inside a block is not known yet; a loop that turns out to be long finds its helpers itself.
static bool is_within(const struct cpu_run *run, const struct plan_node *node, int64_t *budget)
{
    if (node->kind == PLAN_TASK) {
        int64_t work = task_work(run, node->task);
        *budget -= work < *budget ? work : *budget;
        return *budget > 0;
    }
    if (node->kind != PLAN_SEQUENCE) {
        return node->kind == PLAN_ASSIGN;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (!is_within(run, node->children[i], budget)) {
            return false;
        }
    }
    return true;
}

static bool is_small(const struct cpu_run *run, const struct plan_node *region)
{
    int64_t budget = TASK_WORK_ALONE;
    for (int i = 0; i < region->child_count; i++) {
        if (!is_within(run, region->children[i], &budget)) {
            return false;
        }
    }
    return true;
}

// Handing a block to another thread costs more than running a small one. With a trace or a chosen schedule the blocks
// overlap all the same: that is what is to be seen. Conflicts need the looking at addresses that a region does.
bool region_runs_here(const struct cpu_exec *exec, const struct plan_node *node)
{
    const struct backend_device *device = exec->run->device;
    bool runs_here =
        node->conflict_count == 0 && device->trace == NULL && !device->pool.is_fuzzed && is_small(exec->run, node);
    if (runs_here) {
        count_region(exec, node, BACKEND_REGION_SMALL);
    }
    return runs_here;
}

// What the blocks printed goes out in program order once all have ended.
static void end_region(struct cpu_exec *exec)
{
    thread_observe(exec->blocks);
    for (int i = 0; i < exec->region->child_count; i++) {
        print_flush(exec->run->device, &exec->blocks[i].print);
    }
    if (exec->run->device->trace != NULL) {
        trace_cause_set(&exec->cause, TRACE_REGION, "", exec->region->loc.line);
    }
}

// True if nothing of the region is left.
static bool leave_region(struct cpu_exec *exec)
{
    int before = atomic_fetch_sub_explicit(&exec->open_count, 1, memory_order_acq_rel);
    assert(before > 0);
    return before == 1;
}

bool region_start(struct cpu_exec *exec, const struct plan_node *node, struct cpu_worker *worker)
{
    (void)worker;
    if (node->child_count == 0) {
        return true;
    }
    exec->region = node;
    exec->is_region_small = is_small(exec->run, node);
    int count = node->child_count;
    atomic_store_explicit(&exec->open_count, count + 1, memory_order_relaxed);
    for (int i = 0; i < count; i++) {
        exec->blocks[i].parent = exec;
        if (exec->run->device->trace != NULL) {
            exec->blocks[i].cause = exec->cause;
        }
    }
    order_blocks(exec, node);
    thread_publish(exec);
    for (int i = 0; i < count; i++) {
        let_start(exec, i);
    }
    if (!leave_region(exec)) {
        return false;
    }
    end_region(exec);
    return true;
}

void region_run_block(struct cpu_exec *exec, struct cpu_block *block, struct cpu_worker *worker)
{
    struct cpu_exec *parent = block->parent;
    thread_observe(parent);
    thread_observe(&parent->waits[block->index]);
    exec->run = parent->run;
    exec->block = block;
    exec->print = &block->print;
    if (exec->run->device->trace != NULL) {
        exec->cause = block->cause;
    }
    exec->depth = 1;
    exec->frames[0] = (struct cpu_frame){.node = parent->region->children[block->index]};
    exec_resume(exec, worker);
}

void region_block_over(struct cpu_exec *exec, struct cpu_worker *worker)
{
    assert(exec->block != NULL && exec->lane != NULL);
    struct cpu_exec *parent = exec->block->parent;
    uint64_t followers = parent->followers[exec->block->index];
    thread_publish(parent->blocks);
    // Before anything else goes on: its stream is idle when the join has passed. From here on the executor is
    // another's.
    cpu_stream_end_block(exec->lane);
    for (int i = 0; followers != 0; i++, followers >>= 1) {
        if ((followers & 1) != 0) {
            let_start(parent, i);
        }
    }
    if (leave_region(parent)) {
        end_region(parent);
        exec_resume(parent, worker);
    }
}
