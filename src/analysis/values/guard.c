// What the way to an instruction says of values: the conditions of the branches around it.
#include "analysis/values/evaluate.h"

#include <assert.h>

// a != b, where one of them is never above the other: then it is below. So it is with the rest of a division and 0. The
// rest of a division by 2 is 1 then.
static const struct poly *apart_by_one(struct analysis *an, const struct poly *a, const struct poly *b,
                                       bool *out_is_equal)
{
    const struct poly *way = poly_sub(&an->pool, a, b);
    struct poly_range range = value_range(an, way);
    if (way == NULL || (range.lo < 0 && range.hi > 0)) {
        return NULL;
    }
    *out_is_equal = range.lo >= -1 && range.hi <= 1;
    return poly_plus(&an->pool, range.lo >= 0 ? way : poly_scale(&an->pool, way, -1), -1);
}

static const struct guard *compare_guard(struct frame *frame, const struct ir_inst *condition, enum ir_op op,
                                         const struct guard *next)
{
    struct analysis *an = frame->an;
    struct poly_pool *pool = &an->pool;
    bool is_signed = op < IR_OP_ULT;
    enum ir_type type = condition->args[0]->type;
    const struct poly *a = sym_exact_or_wrapped(frame, sym_of(frame, condition->args[0]), type, is_signed);
    const struct poly *b = sym_exact_or_wrapped(frame, sym_of(frame, condition->args[1]), type, is_signed);
    const struct poly *value = NULL;
    bool is_equal = op == IR_OP_EQ;
    switch (op) {
    case IR_OP_SLT:
    case IR_OP_ULT: value = poly_plus(pool, poly_sub(pool, b, a), -1); break;
    case IR_OP_SLE:
    case IR_OP_ULE: value = poly_sub(pool, b, a); break;
    case IR_OP_SGT:
    case IR_OP_UGT: value = poly_plus(pool, poly_sub(pool, a, b), -1); break;
    case IR_OP_SGE:
    case IR_OP_UGE:
    case IR_OP_EQ: value = poly_sub(pool, a, b); break;
    case IR_OP_NE: value = apart_by_one(an, a, b, &is_equal); break;
    default: break;
    }
    if (value == NULL) {
        return next;
    }
    struct guard *guard = ARENA_NEW(an->arena, struct guard);
    *guard = (struct guard){value, is_equal, next};
    return guard;
}

const struct guard *access_guard(struct frame *frame, const struct ir_inst *condition, bool is_true,
                                 const struct guard *next)
{
    assert(condition->type == IR_I1);
    if (condition->op == IR_OP_AND && condition->type == IR_I1 && is_true) {
        next = access_guard(frame, condition->args[0], true, next);
        return access_guard(frame, condition->args[1], true, next);
    }
    if (condition->op == IR_OP_OR && condition->type == IR_I1 && !is_true) {
        next = access_guard(frame, condition->args[0], false, next);
        return access_guard(frame, condition->args[1], false, next);
    }
    if (condition->op == IR_OP_XOR && condition->type == IR_I1 && condition->args[1]->op == IR_OP_CONST) { // `!`
        return access_guard(frame, condition->args[0], is_true != (condition->args[1]->imm != 0), next);
    }
    bool is_int_compare = ir_op_group(condition->op) == IR_GROUP_COMPARE && ir_type_is_int(condition->args[0]->type);
    if (!is_int_compare) {
        return next;
    }
    return compare_guard(frame, condition, is_true ? condition->op : ir_op_negated(condition->op), next);
}
