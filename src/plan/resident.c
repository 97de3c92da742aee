// Resident loops: loops in order that a GPU runs as one grid, whose threads walk the loop's part of the plan themselves
// and meet at a barrier behind each task. The host launches once instead of once for each task of each round, and
// nobody waits for what a condition reads. The code generator makes an entry for such a loop, and the back end looks
// for it: both ask here.
//
// Control runs in all threads alike. What it assigns is a thread's own, unless a task of the loop writes the slot too:
// such a slot stays in the launch block, and one thread stores for all.
#include "plan/resident.h"

#include <assert.h>

static bool task_is_fit(const struct plan_kernel *kernel, const struct plan_task *task, const bool *changes)
{
    if (task->may_print || task->block_dim > 0 || task->entry == NULL || task->entry[0] == '\0') {
        return false;
    }
    for (int i = 0; i < task->condition_count; i++) { // the host decides once which versions run
        if (plan_expr_reads(kernel, task->conditions[i].expr, changes)) {
            return false;
        }
    }
    return task->kind != PLAN_TASK_PARALLEL || plan_expr_has_code(task->trip);
}

static bool is_inside(const struct plan_node *node, int target)
{
    bool is_it = node->id == target;
    for (int i = 0; i < node->child_count && !is_it; i++) {
        is_it = node->children[i] != NULL && is_inside(node->children[i], target);
    }
    return is_it;
}

struct look {
    const struct plan_kernel *kernel;
    const struct plan_node *loop;
    const bool *changes;
    bool has_parallel;
};

static bool node_is_fit(struct look *look, const struct plan_node *node)
{
    switch (node->kind) {
    case PLAN_RETURN:
    case PLAN_REGION: return false;
    case PLAN_BREAK: return is_inside(look->loop, node->target);
    case PLAN_IF:
    case PLAN_ASSIGN: return plan_expr_has_code(node->expr);
    case PLAN_FOR: return node->slot >= 0 && plan_expr_has_code(node->expr) && plan_expr_has_code(node->trip);
    case PLAN_TASK:
        look->has_parallel |= look->kernel->tasks[node->task].kind == PLAN_TASK_PARALLEL;
        return task_is_fit(look->kernel, &look->kernel->tasks[node->task], look->changes);
    default: return true;
    }
}

static bool all_fit(struct look *look, const struct plan_node *node)
{
    bool fit = node_is_fit(look, node);
    for (int i = 0; i < node->child_count && fit; i++) {
        fit = node->children[i] == NULL || all_fit(look, node->children[i]);
    }
    return fit;
}

static void mark(const struct plan_kernel *kernel, const struct plan_node *node, struct plan_resident *out)
{
    int slot = plan_slot_assigned(kernel, node);
    if (slot >= 0) {
        out->assigned[slot] = true;
    }
    const struct plan_task *task = node->kind == PLAN_TASK ? &kernel->tasks[node->task] : NULL;
    for (int i = 0; task != NULL && i < task->slot_use_count; i++) {
        slot = plan_slot_at(kernel, task->slot_uses[i].offset);
        if (slot >= 0 && task->slot_uses[i].writes) {
            out->written[slot] = true;
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            mark(kernel, node->children[i], out);
        }
    }
}

void plan_resident_slots(const struct plan_kernel *kernel, const struct plan_node *loop, struct plan_resident *out)
{
    for (int i = 0; i < kernel->slot_count; i++) {
        out->assigned[i] = false;
        out->written[i] = false;
    }
    mark(kernel, loop, out);
    for (int i = 0; i < kernel->slot_count; i++) {
        out->changes[i] = out->assigned[i] || out->written[i];
    }
}

// ---- what the host would have to know afterwards --------------------------------------------------------------------

static bool region_reads(const struct plan_kernel *kernel, const struct plan_effect *effect, const bool *slots)
{
    return effect != NULL &&
           (plan_expr_reads(kernel, effect->region.low, slots) || plan_expr_reads(kernel, effect->region.high, slots) ||
            plan_expr_reads(kernel, effect->region.step, slots));
}

static bool task_reads(const struct plan_kernel *kernel, const struct plan_task *task, const bool *slots)
{
    bool reads = plan_expr_reads(kernel, task->trip, slots);
    for (int i = 0; i < task->condition_count && !reads; i++) {
        reads = plan_expr_reads(kernel, task->conditions[i].expr, slots);
    }
    for (int i = 0; i < task->pair_count && !reads; i++) {
        reads = region_reads(kernel, &task->effects[task->pairs[i].a], slots) ||
                region_reads(kernel, &task->effects[task->pairs[i].b], slots);
    }
    return reads;
}

// Whether an expression of the plan outside of |loop| reads one of |slots|.
static bool reads_outside(const struct plan_kernel *kernel, const struct plan_node *node, const struct plan_node *loop,
                          const bool *slots)
{
    if (node == loop) {
        return false;
    }
    bool reads = plan_expr_reads(kernel, node->expr, slots) || plan_expr_reads(kernel, node->trip, slots);
    reads |= node->kind == PLAN_TASK && task_reads(kernel, &kernel->tasks[node->task], slots);
    for (int i = 0; i < node->conflict_count && !reads; i++) {
        reads = region_reads(kernel, node->conflicts[i].effect_a, slots) ||
                region_reads(kernel, node->conflicts[i].effect_b, slots);
    }
    for (int i = 0; i < node->child_count && !reads; i++) {
        reads = node->children[i] != NULL && reads_outside(kernel, node->children[i], loop, slots);
    }
    return reads;
}

static bool has_break(const struct plan_node *node, int target)
{
    bool has = node->kind == PLAN_BREAK && node->target == target;
    for (int i = 0; i < node->child_count && !has; i++) {
        has = node->children[i] != NULL && has_break(node->children[i], target);
    }
    return has;
}

int plan_resident_variable(const struct plan_kernel *kernel, const struct plan_node *loop)
{
    bool runs_to_its_end = loop->kind == PLAN_FOR && !has_break(loop, loop->id);
    return runs_to_its_end ? plan_slot_at(kernel, loop->slot) : -1;
}

// ---- the loops ------------------------------------------------------------------------------------------------------

bool plan_loop_is_resident(const struct plan_kernel *kernel, const struct plan_node *loop, struct plan_resident *out)
{
    if (loop->kind != PLAN_FOR && loop->kind != PLAN_LOOP) {
        return false;
    }
    for (int i = 0; i < kernel->task_count; i++) { // threads that found a failure would leave the others waiting
        if (kernel->tasks[i].may_fail) {
            return false;
        }
    }
    plan_resident_slots(kernel, loop, out);
    struct look look = {.kernel = kernel, .loop = loop, .changes = out->changes};
    if (!all_fit(&look, loop) || !look.has_parallel) {
        return false;
    }
    int variable = plan_resident_variable(kernel, loop);
    if (variable >= 0 && !out->written[variable]) { // the host knows its value in the end
        out->assigned[variable] = false;
    }
    bool is_open = reads_outside(kernel, kernel->root, loop, out->assigned);
    if (variable >= 0) {
        out->assigned[variable] = true;
    }
    return !is_open;
}

static bool mark_params(const struct plan_kernel *kernel, const struct plan_node *node, bool *read, bool *written)
{
    const struct plan_task *task = node->kind == PLAN_TASK ? &kernel->tasks[node->task] : NULL;
    bool are_known = true;
    for (int i = 0; task != NULL && i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        bool is_param = effect->base == PLAN_BASE_PARAM;
        bool writes = effect->access != PLAN_READ;
        if (is_param) {
            (writes ? written : read)[effect->index] = true;
        }
        are_known &= !writes || is_param || effect->base == PLAN_BASE_BLOCK; // a field may be an argument too
    }
    for (int i = 0; i < node->child_count; i++) {
        are_known &= node->children[i] == NULL || mark_params(kernel, node->children[i], read, written);
    }
    return are_known;
}

bool plan_resident_params(const struct plan_kernel *kernel, const struct plan_node *loop, bool *out_read,
                          bool *out_written)
{
    for (int i = 0; i < kernel->param_count; i++) {
        out_read[i] = false;
        out_written[i] = false;
    }
    bool are_known = mark_params(kernel, loop, out_read, out_written);
    for (int i = 0; i < kernel->param_count; i++) {
        out_read[i] = out_read[i] && !out_written[i] && are_known && kernel->params[i].is_array;
    }
    return are_known;
}

static void mark_spare(const struct plan_kernel *kernel, const struct plan_node *node, bool is_resident,
                       struct plan_resident *slots, bool *tasks)
{
    is_resident = is_resident || plan_loop_is_resident(kernel, node, slots);
    bool is_loop = node->kind == PLAN_FOR || node->kind == PLAN_LOOP;
    if (is_resident && is_loop && node->whole_task >= 0) {
        tasks[node->whole_task] = true;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            mark_spare(kernel, node->children[i], is_resident, slots, tasks);
        }
    }
}

void plan_spare_tasks(const struct plan_kernel *kernel, struct plan_resident *slots, bool *out_tasks)
{
    for (int i = 0; i < kernel->task_count; i++) {
        out_tasks[i] = false;
    }
    if (kernel->root != NULL) {
        mark_spare(kernel, kernel->root, false, slots, out_tasks);
    }
}
