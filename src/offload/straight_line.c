// Straight code between control: scalar arithmetic that the launch does itself, or a serial task.
#include "offload/offload.h"

#include <assert.h>

// Whether |value| reads |var| by a `get` that stands before |where|, both in one segment.
static bool reads_before(const struct ir_inst *value, const struct ir_var *var, const struct ir_inst *where)
{
    if (value->op == IR_OP_GET && value->var == var && value->parent == where->parent) {
        for (const struct ir_inst *inst = where; inst != NULL; inst = inst->prev) {
            if (inst == value) {
                return true;
            }
        }
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (reads_before(value->args[i], var, where)) {
            return true;
        }
    }
    return false;
}

// An expression is evaluated where it is used: a variable that it read must not have been assigned since.
static bool is_fresh(const struct pending *pending, const struct ir_inst *value, const struct ir_inst *used_by)
{
    const struct ir_inst *inst = pending->first;
    for (int i = 0; i < pending->count && inst != used_by; i++, inst = inst->next) {
        if (ir_op_sets(inst->op) && reads_before(value, inst->var, inst)) {
            return false;
        }
    }
    return true;
}

// The new value of the variable that |inst| assigns, as an expression; NULL if it is none.
static struct plan_expr *assigned_value(struct offload *o, const struct pending *pending, const struct ir_inst *inst)
{
    struct plan_expr *value = expr_of_value(o->arena, inst->args[0]);
    if (value == NULL || !is_fresh(pending, inst->args[0], inst) || inst->var->is_memory) {
        return NULL;
    }
    if (inst->op == IR_OP_SET) {
        return value;
    }
    if (inst->fused) {
        return NULL; // x += a * b, rounded once: expressions of the launch have no such operation
    }
    enum ir_type type = inst->var->type;
    enum ir_op op = ir_update_op(inst->update, type);
    if (op == IR_OP_COUNT) {
        return NULL;
    }
    struct plan_expr *old = ARENA_NEW(o->arena, struct plan_expr);
    *old = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = type, .index = inst->var->index};
    return plan_op(o->arena, op, type, type, old, value);
}

enum { MAX_CONTROL_CODE = 256 };

// Scalar arithmetic over arguments and other scalars is no task: the launch does it. False if there is more to it.
static bool flush_as_assignments(struct offload *o, struct plan_node *parent, const struct pending *pending)
{
    if (pending->count > MAX_CONTROL_CODE) {
        return false;
    }
    struct plan_expr *values[MAX_CONTROL_CODE];
    struct ir_inst *inst = pending->first;
    for (int i = 0; i < pending->count; i++, inst = inst->next) {
        bool assigns = ir_op_sets(inst->op);
        if (!assigns && !ir_op_is_value(inst->op)) {
            return false;
        }
        values[i] = assigns ? assigned_value(o, pending, inst) : NULL;
        if (assigns && values[i] == NULL) {
            return false;
        }
    }
    inst = pending->first;
    for (int i = 0; i < pending->count; i++, inst = inst->next) {
        if (values[i] != NULL) {
            struct plan_node *node = fragment_add_node(o, parent, PLAN_ASSIGN, inst->loc);
            node->slot = inst->var->index;
            node->type = inst->var->type;
            node->expr = values[i];
            offload_add_expr(o, &node->expr);
        }
    }
    return true;
}

void straight_line_flush(struct offload *o, struct plan_node *parent, struct pending *pending)
{
    assert((pending->count > 0) == (pending->first != NULL));
    if (pending->count > 0 && !flush_as_assignments(o, parent, pending)) {
        fragment_add_serial(o, parent, pending->first, pending->count, false);
    }
    *pending = (struct pending){0};
}

// The last thing that pending code does is to store the value.
static void spill(struct offload *o, struct pending *pending, struct ir_inst *value, struct ir_var *var,
                  struct ir_inst *control)
{
    struct ir_builder b = {
        .module = o->module, .function = o->kernel, .region = control->parent, .before = control, .loc = value->loc};
    struct ir_inst *set = ir_set(&b, var, value);
    pending->first = pending->count == 0 ? set : pending->first;
    pending->count++;
}

// The value that control needs, after everything pending has run.
struct plan_expr *straight_line_value(struct offload *o, struct plan_node *parent, struct pending *pending,
                                      struct ir_inst *value, struct ir_inst *control)
{
    assert(control->op == IR_OP_IF && control->args[0] == value);
    struct plan_expr *expr = expr_of_value(o->arena, value);
    if (expr == NULL || !is_fresh(pending, value, NULL)) {
        char *name = arena_printf(o->arena, ".c%d", value->id);
        struct ir_var *var = ir_var_create(o->module, o->kernel, name, value->type);
        spill(o, pending, value, var, control);
        expr = ARENA_NEW(o->arena, struct plan_expr);
        *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = value->type, .index = var->index};
    }
    straight_line_flush(o, parent, pending);
    return expr;
}
