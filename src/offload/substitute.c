// Variables of an expression replaced by what they were assigned, so that a value that is computed inside a loop can be
// known where the loop begins, or to the host.
#include "offload/offload.h"

#include "ir/assignment.h"
#include "ir/walk.h"

#include <assert.h>

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

bool substitute_is_unassigned(struct ir_inst *inst, void *user)
{
    const struct ir_var *var = assignment_target(inst);
    return var == NULL || !expr_names(user, var);
}

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
    if (top == NULL || (top != loop && !walk_inst(top, substitute_is_unassigned, source))) {
        return false;
    }
    struct ir_inst *inst = set->next;
    while (inst != NULL && inst != top && walk_inst(inst, substitute_is_unassigned, source)) {
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
// if nothing in the loop assigns what it was made of, which the caller has to check.
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
        bool is_inside = !walk_inst(r->loop, substitute_is_unassigned, expr);
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

struct plan_expr *substitute_variables(struct offload *o, struct plan_expr *expr, struct ir_inst *loop)
{
    assert(loop == NULL || loop->region_count > 0);
    struct replacing r = {.o = o, .loop = loop};
    return replaced(&r, expr);
}
