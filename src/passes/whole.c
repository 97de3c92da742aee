// Loops in order whose tasks are all too small to be shared: they can run whole, as one serial task.
#include "passes/offload.h"

#include "base/vec.h"
#include "passes/walk.h"

#include <string.h>

static bool expr_names(const struct plan_expr *expr, const struct ir_var *var)
{
    if (expr->kind == PLAN_EXPR_VAR && expr->index == var->index) {
        return true;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (expr_names(expr->args[i], var)) {
            return true;
        }
    }
    return false;
}

bool whole_does_not_assign(struct ir_inst *inst, void *user)
{
    const struct plan_expr *expr = user;
    bool assigns = inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE;
    return !(assigns && expr_names(expr, inst->var)) && !(inst->op == IR_OP_FOR && expr_names(expr, inst->loop->var));
}

struct set_search {
    const struct ir_var *var;
    const struct ir_inst *set;
};

static bool is_not_set_of(struct ir_inst *inst, void *user)
{
    struct set_search *search = user;
    if (inst->op != IR_OP_SET || inst->var != search->var) {
        return true;
    }
    search->set = inst;
    return false;
}

// The expression with what the demote pass copied (".v…", assigned once) in place of the copies.
struct plan_expr *whole_without_copies(struct offload *o, struct plan_expr *expr)
{
    if (expr == NULL) {
        return NULL;
    }
    if (expr->kind == PLAN_EXPR_VAR) {
        struct set_search search = {.var = o->kernel->vars[expr->index]};
        bool is_copy = strncmp(search.var->name, ".v", 2) == 0;
        if (is_copy && !walk_region(&o->kernel->body, is_not_set_of, &search)) {
            struct plan_expr *source = expr_of_value(o->arena, search.set->args[0]);
            return source != NULL ? source : expr;
        }
        return expr;
    }
    struct plan_expr *copy = ARENA_NEW(o->arena, struct plan_expr);
    *copy = *expr;
    for (int i = 0; i < expr->arg_count; i++) {
        copy->args[i] = whole_without_copies(o, expr->args[i]);
    }
    return copy;
}

static const struct piece *piece_of(const struct offload *o, int task)
{
    for (int i = 0; i < o->pieces.count; i++) {
        if (o->pieces.items[i].task == task) {
            return &o->pieces.items[i];
        }
    }
    return NULL;
}

// Operations of one run of the task, as far as they are known where |loop| begins; NULL: they are not.
static struct plan_expr *work_of(struct offload *o, int index, struct ir_inst *loop)
{
    const struct plan_task *task = &o->tasks.items[index];
    const struct piece *piece = piece_of(o, index);
    struct plan_expr *trip = task->trip;
    struct plan_expr *cost = task->cost;
    if (piece != NULL && piece->nest != NULL) { // how it is cut is settled later
        const struct loop_facts *facts = piece->first->loop->analysis;
        trip = offload_trip(o, piece->first);
        cost = facts->cost;
    }
    struct plan_expr *work = plan_op(o->arena, IR_OP_MUL, IR_I64, IR_I64, trip, cost);
    work = whole_without_copies(o, work);
    return work != NULL && walk_inst(loop, whole_does_not_assign, work) ? work : NULL;
}

enum { WORK_TOO_SMALL = 50 * 1000 }; // operations that one core does while others are still being woken

// A loop in order whose tasks are all too small to be shared runs whole: the launch decides by their trip counts.
void whole_add(struct offload *o, struct ir_inst *loop, struct plan_node *node, int first_task)
{
    if (!walk_inst(loop, choose_is_not_blocks, NULL) || !walk_inst(loop, choose_has_no_escape, loop)) {
        return;
    }
    struct plan_expr *small = plan_const(o->arena, IR_I1, 1);
    for (int i = first_task; i < o->tasks.count && small != NULL; i++) {
        const struct plan_task *task = &o->tasks.items[i];
        const struct piece *piece = piece_of(o, i);
        if (task->kind == PLAN_TASK_PARALLEL && !(piece != NULL && piece->is_alternative)) {
            struct plan_expr *limit = plan_const(o->arena, IR_I64, WORK_TOO_SMALL);
            struct plan_expr *is_small = plan_op(o->arena, IR_OP_SLT, IR_I1, IR_I64, work_of(o, i, loop), limit);
            small = plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, small, is_small);
        }
    }
    if (small == NULL) {
        return;
    }
    struct piece piece = {.kind = PIECE_SERIAL, .first = loop, .count = 1, .group = node->group};
    struct plan_task *task = piece_add_task(o, PLAN_TASK_SERIAL, loop->loc, node->group, &piece.task);
    struct piece_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, piece_look_at, &flags);
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    effects_of_code(o->module, o->kernel, loop, 1, &task->effects, &task->effect_count);
    VEC_PUSH(o->arena, &o->pieces, piece);
    node->whole_task = piece.task;
    node->whole_if = small;
    offload_add_expr(o, &node->whole_if);
}
