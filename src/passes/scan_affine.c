// First-order linear recurrences, s = a * s + b: what a run of them comes to is a factor and a summand, whatever s was.
#include "passes/scan_loop.h"

#include "ir/walk.h"

#include <assert.h>

static int reads_of(const struct scan *s, const struct ir_inst *value, const struct ir_var *var)
{
    if (!walk_is_inside(value, s->loop)) {
        return 0;
    }
    int count = value->op == IR_OP_GET && value->var == var;
    for (int i = 0; i < value->arg_count && count < 2; i++) {
        count += reads_of(s, value->args[i], var);
    }
    return count;
}

bool scan_reads(const struct scan *s, const struct ir_inst *value, const struct ir_var *var)
{
    return reads_of(s, value, var) > 0;
}

static const struct ir_inst *get_in(const struct scan *s, const struct ir_inst *value, const struct ir_var *var)
{
    for (int i = 0; i < value->arg_count; i++) {
        if (scan_reads(s, value->args[i], var)) {
            return get_in(s, value->args[i], var);
        }
    }
    return value;
}

// Which operand of the operation the scalar is in, if it is linear in that; -1: it is not.
static int linear_side(const struct scan *s, const struct ir_inst *value, const struct ir_var *var)
{
    switch (value->op) {
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_FADD:
    case IR_OP_FSUB:
    case IR_OP_FMUL:
    case IR_OP_FNEG:
    case IR_OP_FMA: break;
    default: return -1;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (scan_reads(s, value->args[i], var)) {
            return i;
        }
    }
    return -1;
}

bool scan_is_affine(const struct scan *s, const struct ir_inst *set)
{
    const struct ir_inst *value = set->args[0];
    if (set->op != IR_OP_SET || reads_of(s, value, set->var) != 1) {
        return false;
    }
    const struct ir_inst *get = get_in(s, value, set->var);
    while (value != get) {
        int side = linear_side(s, value, set->var);
        if (side < 0) {
            return false;
        }
        value = value->args[side];
    }
    return get->parent == set->parent && !scan_is_assigned_between(get, set);
}

static struct ir_inst *negated(struct ir_builder *to, struct ir_inst *value)
{
    if (ir_type_is_float(value->type)) {
        return ir_emit1(to, IR_OP_FNEG, value->type, value);
    }
    struct ir_inst *zero = ir_const(to, value->type, 0);
    return ir_emit2(to, IR_OP_SUB, value->type, zero, value);
}

struct ir_inst *scan_emit_factor(struct scan *s, struct ir_builder *to, const struct ir_inst *set)
{
    const struct ir_inst *value = set->args[0];
    enum ir_type type = value->type;
    struct ir_inst *factor = ir_type_is_float(type) ? ir_fconst(to, type, 1) : ir_const(to, type, 1);
    while (value->op != IR_OP_GET || value->var != set->var) {
        int side = linear_side(s, value, set->var);
        assert(side >= 0);
        bool is_product = value->op == IR_OP_MUL || value->op == IR_OP_FMUL || (value->op == IR_OP_FMA && side < 2);
        if (is_product) {
            struct ir_inst *other = value->args[1 - side];
            struct ir_inst *copy = s->values[other->id];
            enum ir_op op = ir_type_is_float(type) ? IR_OP_FMUL : IR_OP_MUL;
            factor = ir_emit2(to, op, type, factor, copy != NULL ? copy : other);
        } else if (value->op == IR_OP_FNEG || ((value->op == IR_OP_SUB || value->op == IR_OP_FSUB) && side == 1)) {
            factor = negated(to, factor);
        }
        value = value->args[side];
    }
    return factor;
}
