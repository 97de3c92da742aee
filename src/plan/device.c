// What of a plan the host cannot know at launch, because tasks compute it: the slots that tasks write, what is assigned
// from them, and the expressions over both. The code generator gives such expressions code of their own, so that the
// device evaluates them where they are needed; a GPU's back end asks the same questions to know which it has.
#include "plan/plan.h"

#include <assert.h>

int plan_slot_at(const struct plan_kernel *kernel, int64_t offset)
{
    assert(offset >= 0 && (uint64_t)offset < kernel->block_size);
    for (int i = 0; i < kernel->slot_count; i++) {
        const struct plan_slot *slot = &kernel->slots[i];
        if (offset >= slot->offset && (uint64_t)(offset - slot->offset) < slot->size) {
            return i;
        }
    }
    return -1;
}

int plan_slot_assigned(const struct plan_kernel *kernel, const struct plan_node *node)
{
    bool assigns = node->kind == PLAN_ASSIGN || (node->kind == PLAN_FOR && node->slot >= 0);
    return assigns ? plan_slot_at(kernel, node->slot) : -1;
}

bool plan_expr_reads(const struct plan_kernel *kernel, const struct plan_expr *expr, const bool *slots)
{
    if (expr == NULL) {
        return false;
    }
    if (expr->kind == PLAN_EXPR_SLOT) {
        int slot = plan_slot_at(kernel, expr->imm);
        return slot >= 0 && slots[slot];
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (plan_expr_reads(kernel, expr->args[i], slots)) {
            return true;
        }
    }
    return false;
}

bool plan_decides_on_device(const struct plan_kernel *kernel, const struct plan_node *node, const bool *slots)
{
    if (node == NULL || (node->kind == PLAN_IF && plan_expr_reads(kernel, node->expr, slots)) ||
        (node->kind == PLAN_FOR && plan_expr_reads(kernel, node->trip, slots))) {
        return node != NULL;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (plan_decides_on_device(kernel, node->children[i], slots)) {
            return true;
        }
    }
    return false;
}

// Whether the host cannot know how often the children run.
static bool is_open(const struct plan_kernel *kernel, const struct plan_node *node, const bool *slots)
{
    if (node->kind == PLAN_LOOP) {
        return plan_decides_on_device(kernel, node, slots);
    }
    return (node->kind == PLAN_IF && plan_expr_reads(kernel, node->expr, slots)) ||
           (node->kind == PLAN_FOR && plan_expr_reads(kernel, node->trip, slots));
}

// One round: what is assigned from a slot that tasks write, or where such a slot decides whether it is, is one too.
static bool spread(const struct plan_kernel *kernel, const struct plan_node *node, bool is_inside, bool *slots)
{
    bool has_changed = false;
    int slot = plan_slot_assigned(kernel, node);
    if (slot >= 0 && !slots[slot] &&
        (is_inside || plan_expr_reads(kernel, node->expr, slots) || plan_expr_reads(kernel, node->trip, slots))) {
        slots[slot] = true;
        has_changed = true;
    }
    is_inside = is_inside || is_open(kernel, node, slots);
    for (int i = 0; i < node->child_count; i++) {
        has_changed |= node->children[i] != NULL && spread(kernel, node->children[i], is_inside, slots);
    }
    return has_changed;
}

void plan_device_slots(const struct plan_kernel *kernel, bool *out_slots)
{
    for (int i = 0; i < kernel->slot_count; i++) {
        out_slots[i] = false;
    }
    for (int i = 0; i < kernel->task_count; i++) {
        const struct plan_task *task = &kernel->tasks[i];
        for (int k = 0; k < task->slot_use_count; k++) {
            int slot = plan_slot_at(kernel, task->slot_uses[k].offset);
            if (slot >= 0 && task->slot_uses[k].writes) {
                out_slots[slot] = true;
            }
        }
    }
    while (kernel->root != NULL && spread(kernel, kernel->root, false, out_slots)) {
    }
}

// ---- expressions that have code -----------------------------------------------------------------------------------

static bool op_has_code(enum ir_op op, int arg_count)
{
    switch (op) {
    case IR_OP_FMA:
    case IR_OP_MATH:
    case IR_OP_BITCAST:
    case IR_OP_PTRTOINT:
    case IR_OP_INTTOPTR: return false;
    case IR_OP_SELECT: return arg_count == 3;
    default: return arg_count == 1 || arg_count == 2;
    }
}

static bool trip_has_code(const struct plan_expr *expr)
{
    return expr->arg_type != IR_I1 && expr->imm != 0 && expr->imm != INT64_MIN &&
           (expr->op != IR_OP_NE || expr->imm == 1 || expr->imm == -1); // as trip_step_fits()
}

bool plan_expr_has_code(const struct plan_expr *expr)
{
    if (expr == NULL || expr->type == IR_PTR) {
        return false;
    }
    bool has_code = false;
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
    case PLAN_EXPR_PARAM:
    case PLAN_EXPR_WIDTH:
    case PLAN_EXPR_SLOT: return true;
    case PLAN_EXPR_OP: has_code = op_has_code(expr->op, expr->arg_count); break;
    case PLAN_EXPR_TRIP: has_code = trip_has_code(expr); break;
    default: return false; // sizes of arrays only the host knows
    }
    for (int i = 0; i < expr->arg_count; i++) {
        has_code = has_code && plan_expr_has_code(expr->args[i]);
    }
    return has_code;
}

// Threads of a task read its trip's slots when they begin, while others may be done: none of them may be its own.
static bool writes_own_trip(const struct plan_kernel *kernel, const struct plan_task *task,
                            const struct plan_expr *expr)
{
    for (int i = 0; expr->kind == PLAN_EXPR_SLOT && i < task->slot_use_count; i++) {
        if (task->slot_uses[i].writes &&
            plan_slot_at(kernel, task->slot_uses[i].offset) == plan_slot_at(kernel, expr->imm)) {
            return true;
        }
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (writes_own_trip(kernel, task, expr->args[i])) {
            return true;
        }
    }
    return false;
}

bool plan_trip_has_code(const struct plan_kernel *kernel, const struct plan_task *task, const bool *slots)
{
    return task->kind == PLAN_TASK_PARALLEL && plan_expr_reads(kernel, task->trip, slots) &&
           plan_expr_has_code(task->trip) && !writes_own_trip(kernel, task, task->trip);
}

bool plan_node_has_code(const struct plan_kernel *kernel, const struct plan_node *node, const bool *slots)
{
    // A condition that is a slot needs none: whoever wants it looks there.
    bool is_kind = node->kind == PLAN_ASSIGN || (node->kind == PLAN_IF && node->expr->kind != PLAN_EXPR_SLOT);
    return is_kind && plan_expr_reads(kernel, node->expr, slots) && plan_expr_has_code(node->expr);
}

bool plan_effect_is_remote(const struct plan_effect *effect)
{
    return (effect->is_atomic || effect->is_explicit) &&
           (effect->base == PLAN_BASE_PARAM || effect->base == PLAN_BASE_UNKNOWN);
}

bool plan_task_has_remote(const struct plan_task *task)
{
    for (int i = 0; i < task->effect_count; i++) {
        if (plan_effect_is_remote(&task->effects[i])) {
            return true;
        }
    }
    return false;
}

static bool is_of_param(const struct plan_effect *effect, int param)
{
    return effect->base == PLAN_BASE_PARAM && effect->index == param;
}

bool plan_task_keeps_apart(const struct plan_task *task, int a, int b)
{
    for (int i = 0; i < task->pair_count; i++) {
        const struct plan_pair *pair = &task->pairs[i];
        bool is_it = (pair->a == a && pair->b == b) || (pair->a == b && pair->b == a);
        if (is_it && !pair->equal_will_do) {
            return true;
        }
    }
    return false;
}

bool plan_writes_param(const struct plan_kernel *kernel, int param)
{
    assert(param >= 0 && param < kernel->param_count);
    for (int t = 0; t < kernel->task_count; t++) {
        for (int i = 0; i < kernel->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &kernel->tasks[t].effects[i];
            if (effect->base == PLAN_BASE_PARAM && effect->index == param && effect->access != PLAN_READ) {
                return true;
            }
        }
    }
    return false;
}

bool plan_task_only_reads(const struct plan_kernel *kernel, const struct plan_task *task, int param)
{
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *written = &task->effects[i];
        if (written->access == PLAN_READ) {
            continue;
        }
        if (written->base == PLAN_BASE_UNKNOWN || is_of_param(written, param)) {
            return false;
        }
        bool is_restrict = written->base == PLAN_BASE_PARAM &&
                           (kernel->params[written->index].is_restrict || kernel->params[param].is_restrict);
        for (int k = 0; k < task->effect_count && !is_restrict && written->base != PLAN_BASE_BLOCK; k++) {
            if (is_of_param(&task->effects[k], param) && !plan_task_keeps_apart(task, i, k)) {
                return false;
            }
        }
    }
    return true;
}
