// The body of a loop that becomes a scan, copied into the steps: all of it, or what its updates need.
#include "passes/scan_build.h"

#include "analysis/scalars/scalars.h"
#include "ir/assignment.h"
#include "ir/clone.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

static struct ir_inst *value_of(const struct scan *s, struct ir_inst *value)
{
    struct ir_inst *copy = value->id < s->value_count ? s->values[value->id] : NULL;
    return copy != NULL ? copy : value;
}

static struct ir_var *var_of(const struct scan *s, struct ir_var *var)
{
    struct ir_var *copy = var != NULL && var->index < s->var_count ? s->vars[var->index] : NULL;
    return copy != NULL ? copy : var;
}

static void copy_update(const struct scan_body *body, struct ir_builder *to, const struct ir_inst *inst)
{
    struct scan_update update;
    struct scan *s = body->s;
    const struct scan_carry *carry = scan_carry_of(s, inst->var);
    bool is_update = scan_is_update(inst, &update);
    if (!is_update && carry->is_affine) {
        struct ir_inst *factor = scan_emit_factor(s, to, inst);
        ir_set(to, var_of(s, inst->var), value_of(s, inst->args[0]));
        struct ir_var *var = body->factors[carry - s->carries];
        enum ir_op times = ir_type_is_float(var->type) ? IR_OP_FMUL : IR_OP_MUL;
        struct ir_inst *old = ir_get(to, var);
        ir_set(to, var, ir_emit2(to, times, var->type, old, factor));
        return;
    }
    if (!is_update) {
        ir_set(to, var_of(s, inst->var), value_of(s, inst->args[0]));
        ir_set(to, body->resets[carry - s->carries], ir_const(to, IR_I32, 1));
        return;
    }
    struct ir_inst *made = ir_emit1(to, IR_OP_VUPDATE, inst->var->type, value_of(s, update.operand));
    made->var = var_of(s, inst->var);
    made->update = update.update;
}

// The loop's variable, which the run counts in another way.
static struct ir_inst *copy_of_counter(const struct scan_body *body, const struct ir_inst *inst)
{
    const struct ir_var *var = body->s->loop->loop->var;
    if (inst->op == IR_OP_GET) {
        return inst->var == var ? body->counter : NULL;
    }
    bool is_unsigned = trip_of(body->s->loop->loop).is_unsigned;
    bool is_wide = inst->op == (is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT) && inst->type == IR_I64;
    return is_wide && inst->args[0]->op == IR_OP_GET && inst->args[0]->var == var ? body->wide : NULL;
}

static void copy_inst(const struct scan_body *body, struct ir_inst *inst, struct ir_builder to)
{
    struct scan *s = body->s;
    struct ir_inst *counter = copy_of_counter(body, inst);
    if (counter != NULL) {
        s->values[inst->id] = counter;
        return;
    }
    struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = value_of(s, inst->args[i]);
    }
    struct ir_inst *made = clone_inst(&to, inst, args);
    made->var = var_of(s, inst->var);
    made->own = !body->is_ahead && pointer_map_get(&s->own, inst) != NULL ? body->number : 0;
    inst->note = made;
    if (inst->id >= 0) {
        s->values[inst->id] = made;
    }
    if (made->op == IR_OP_FOR) {
        made->loop->var = var_of(s, inst->loop->var);
        made->loop->recheck = false; // the launch has tested that the bound stays
        made->region_count = 1;
    }
    made->target = inst->target != NULL ? inst->target->note : NULL;
    for (int i = 0; i < made->region_count; i++) {
        struct ir_builder inner = to;
        inner.region = &made->regions[i];
        inner.before = NULL;
        scan_copy_region(body, &inst->regions[i], inner);
    }
}

// One of the two regions of a branch that becomes plain code. What it stores goes to where the counter is, kept or not.
static void copy_flat(const struct scan_body *body, const struct ir_region *from, struct ir_builder to,
                      struct ir_inst *is_kept)
{
    struct scan *s = body->s;
    struct ir_inst *update = NULL, *begin = NULL, *behind = NULL, *has_room = NULL;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        update = ir_op_sets(inst->op) ? inst : update;
    }
    const struct scan_carry *carry = update != NULL ? scan_carry_of(s, update->var) : NULL;
    assert(carry != NULL);
    if (carry == NULL) {
        return;
    }
    begin = ir_get(&to, var_of(s, carry->var));
    has_room = scan_emit_op(&to, IR_OP_NE, begin, body->ends[carry - s->carries]);
    behind = scan_emit_op_const(&to, IR_OP_ADD, begin, 1);
    struct ir_inst *now = begin;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        to.loc = inst->loc;
        if (inst == update) {
            now = behind;
        } else if (inst->op == IR_OP_GET && inst->var == carry->var) {
            s->values[inst->id] = now;
        } else if (inst->op == IR_OP_STORE) {
            struct ir_inst *branch = ir_control(&to, IR_OP_IF, has_room, 2);
            struct ir_builder inner = to;
            inner.region = &branch->regions[0];
            inner.before = NULL;
            copy_inst(body, inst, inner);
        } else {
            copy_inst(body, inst, to);
        }
    }
    to.loc = update->loc;
    struct ir_inst *added = ir_emit1(&to, IR_OP_ZEXT, update->type, is_kept);
    struct ir_inst *made = ir_emit1(&to, IR_OP_VUPDATE, update->type, added);
    made->var = var_of(s, carry->var);
    made->update = IR_UPDATE_ADD;
}

void scan_copy_region(const struct scan_body *body, const struct ir_region *from, struct ir_builder to)
{
    struct scan *s = body->s;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        bool is_needed = pointer_map_get(&s->needed, inst) != NULL;
        bool is_there = body->is_behind && from == &s->loop->regions[0] && is_needed &&
                        (ir_op_is_value(inst->op) || inst->op == IR_OP_LOAD);
        if (is_there || (body->is_ahead && !is_needed)) {
            continue;
        }
        to.loc = inst->loc;
        if (ir_op_sets(inst->op) && scan_carry_of(s, inst->var) != NULL && body->is_ahead) {
            copy_update(body, &to, inst);
        } else if (!body->is_ahead && pointer_map_get(&s->flat, inst) != NULL) {
            struct ir_inst *is_kept = value_of(s, inst->args[0]);
            copy_flat(body, &inst->regions[0], to, is_kept);
            if (inst->regions[1].first != NULL) {
                struct ir_inst *is_dropped = scan_emit_op_const(&to, IR_OP_XOR, is_kept, 1);
                copy_flat(body, &inst->regions[1], to, is_dropped);
            }
        } else {
            copy_inst(body, inst, to);
        }
    }
}

static struct ir_var *copy_var(struct scan *s, const struct ir_var *var, struct ir_inst *scope)
{
    struct ir_var *copy = scan_make_var(s, var->name, var->type, scope);
    int index = copy->index;
    *copy = *var;
    copy->index = index;
    copy->scope = scope;
    return copy;
}

void scan_copy_vars(struct scan *s, struct ir_inst *run, struct ir_inst *iteration, bool is_ahead)
{
    memset(s->vars, 0, sizeof *s->vars * (size_t)s->var_count);
    WALK (inst, &s->loop->regions[0]) {
        struct ir_var *var = assignment_target(inst);
        if (inst->op == IR_OP_ADDR_VAR && scalars_is_declared_in(inst->var, s->loop)) {
            var = inst->var;
        }
        if (var == NULL || s->vars[var->index] != NULL) {
            continue;
        }
        bool is_local = scalars_is_declared_in(var, s->loop);
        if (scan_carry_of(s, var) != NULL) {
            s->vars[var->index] = copy_var(s, var, run);
        } else if (is_local || is_ahead) {
            s->vars[var->index] = copy_var(s, var, iteration);
        }
    }
}
