// Loops in order whose tasks are all too small to be shared: they can run whole, as one serial task.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/assignment.h"
#include "ir/walk.h"

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
    const struct ir_var *var = assignment_target(inst);
    return var == NULL || !expr_names(user, var);
}

// ---- by value ------------------------------------------------------------------------------------------------------

enum { MANY_LEVELS = 8, MANY_NODES = 48 }; // of an expression that variables are replaced in

// What the variable is assigned, if that is done in one place of the kernel; made for all of them at once.
static const struct ir_inst *only_set_of(struct offload *o, int var)
{
    if (o->assigned == NULL) {
        o->assigned_count = o->kernel->var_count;
        o->assigned = ARENA_ARRAY(o->arena, struct assignments, o->assigned_count + 1);
        assignments_add(&o->kernel->body, o->assigned);
    }
    return var < o->assigned_count ? assignments_only_set(&o->assigned[var]) : NULL;
}

static bool is_of_arguments(const struct plan_expr *expr)
{
    bool is_good = expr->kind != PLAN_EXPR_VAR;
    for (int i = 0; i < expr->arg_count && is_good; i++) {
        is_good = is_of_arguments(expr->args[i]);
    }
    return is_good;
}

// Whether what |source| names has, where |loop| begins, the value that it had at the assignment.
static bool is_unchanged_since(const struct ir_inst *set, const struct ir_inst *loop, struct plan_expr *source)
{
    struct ir_inst *top = (struct ir_inst *)loop; // walked, not changed
    while (top != NULL && top->parent != set->parent) {
        top = top->parent->owner;
    }
    if (top == NULL || (top != loop && !walk_inst(top, whole_does_not_assign, source))) {
        return false;
    }
    struct ir_inst *inst = set->next;
    while (inst != NULL && inst != top && walk_inst(inst, whole_does_not_assign, source)) {
        inst = inst->next;
    }
    return inst == top;
}

struct replacing {
    struct offload *o;
    struct ir_inst *loop; // NULL: none
    int nodes;
    int level;
};

static struct plan_expr *replaced(struct replacing *r, struct plan_expr *expr);

// A variable that is assigned in one place has the value that was assigned there, or none yet. So has what it was made
// of, if that is arguments and constants; if nothing changed it until the loop; or, where that is assigned in the loop,
// if nothing in the loop assigns what it was made of, which whoever asks has to see to.
static struct plan_expr *replaced_var(struct replacing *r, struct plan_expr *expr)
{
    const struct ir_inst *set = only_set_of(r->o, expr->index);
    struct plan_expr *source = set != NULL && r->level < MANY_LEVELS ? expr_of_value(r->o->arena, set->args[0]) : NULL;
    if (source == NULL) {
        return expr;
    }
    r->level++;
    source = replaced(r, source);
    r->level--;
    bool is_same = is_of_arguments(source);
    if (!is_same && r->loop != NULL) {
        bool is_inside = !walk_inst(r->loop, whole_does_not_assign, expr);
        is_same = is_inside || is_unchanged_since(set, r->loop, source);
    }
    return is_same ? source : expr;
}

static struct plan_expr *replaced(struct replacing *r, struct plan_expr *expr)
{
    if (expr == NULL || ++r->nodes > MANY_NODES) {
        return expr;
    }
    if (expr->kind == PLAN_EXPR_VAR) {
        return replaced_var(r, expr);
    }
    struct plan_expr *copy = ARENA_NEW(r->o->arena, struct plan_expr);
    *copy = *expr;
    for (int i = 0; i < expr->arg_count; i++) {
        copy->args[i] = replaced(r, expr->args[i]);
    }
    return copy;
}

struct plan_expr *whole_by_value(struct offload *o, struct plan_expr *expr, struct ir_inst *loop)
{
    struct replacing r = {.o = o, .loop = loop};
    return replaced(&r, expr);
}

// ---- loops that run whole ------------------------------------------------------------------------------------------

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
    work = whole_by_value(o, work, loop);
    return work != NULL && walk_inst(loop, whole_does_not_assign, work) ? work : NULL;
}

enum { WORK_TOO_SMALL = 50 * 1000 }; // operations that one core does while others are still being woken

// A loop in order whose tasks are all too small to be shared runs whole: the launch decides by their trip counts.
void whole_add(struct offload *o, struct ir_inst *loop, struct plan_node *node, int first_task)
{
    if (o->module->never_whole || !walk_inst(loop, facts_is_not_blocks, NULL) ||
        !walk_inst(loop, choose_has_no_escape, loop)) {
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
