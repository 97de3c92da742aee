// Expressions. Operands are evaluated left to right; a value is an instruction, so what is assigned later does not
// change what was read before.
#include "lower/internal.h"

#include <assert.h>

// ---- arithmetic ----------------------------------------------------------------------------------------------------

static enum ir_op integer_op(enum expr_kind kind, bool is_unsigned)
{
    switch (kind) {
    case EXPR_ADD: return IR_OP_ADD;
    case EXPR_SUB: return IR_OP_SUB;
    case EXPR_MUL: return IR_OP_MUL;
    case EXPR_DIV: return is_unsigned ? IR_OP_UDIV : IR_OP_SDIV;
    case EXPR_MOD: return is_unsigned ? IR_OP_UREM : IR_OP_SREM;
    case EXPR_SHL: return IR_OP_SHL;
    case EXPR_SHR: return is_unsigned ? IR_OP_LSHR : IR_OP_ASHR;
    case EXPR_AND: return IR_OP_AND;
    case EXPR_OR: return IR_OP_OR;
    default: return IR_OP_XOR;
    }
}

static enum ir_op float_op(enum expr_kind kind)
{
    switch (kind) {
    case EXPR_ADD: return IR_OP_FADD;
    case EXPR_SUB: return IR_OP_FSUB;
    case EXPR_MUL: return IR_OP_FMUL;
    default: return IR_OP_FDIV;
    }
}

struct ir_inst *lower_arithmetic(struct lower *l, enum expr_kind kind, const struct type *type, struct ir_inst *x,
                                 struct ir_inst *y)
{
    enum ir_type t = lower_type(type);
    if (ir_type_is_float(t)) {
        return lower_binary(l, float_op(kind), t, x, y);
    }
    return lower_binary(l, integer_op(kind, lower_is_unsigned(type)), t, x, y);
}

struct ir_inst *lower_compare(struct lower *l, enum expr_kind kind, const struct type *type, struct ir_inst *x,
                              struct ir_inst *y)
{
    static const enum ir_op signed_ops[] = {IR_OP_SLT, IR_OP_SLE, IR_OP_SGT, IR_OP_SGE, IR_OP_EQ, IR_OP_NE};
    static const enum ir_op unsigned_ops[] = {IR_OP_ULT, IR_OP_ULE, IR_OP_UGT, IR_OP_UGE, IR_OP_EQ, IR_OP_NE};
    static const enum ir_op float_ops[] = {IR_OP_FLT, IR_OP_FLE, IR_OP_FGT, IR_OP_FGE, IR_OP_FEQ, IR_OP_FNE};
    const enum ir_op *ops = signed_ops;
    if (type_is_float(type)) {
        ops = float_ops;
    } else if (type->kind == TYPE_POINTER || lower_is_unsigned(type)) {
        ops = unsigned_ops;
    }
    return lower_binary(l, ops[kind - EXPR_LT], IR_I1, x, y);
}

// a * b + c and its kin, when the product is an operand as written: one rounding. The left product is preferred.
static struct ir_inst *contracted(struct lower *l, const struct expr *e)
{
    bool is_float = e->type->kind == TYPE_FLOAT || e->type->kind == TYPE_DOUBLE;
    if (!l->options.contract || e->is_uncontracted || !is_float || (e->kind != EXPR_ADD && e->kind != EXPR_SUB)) {
        return NULL;
    }
    enum ir_type type = lower_type(e->type);
    if (e->a->kind == EXPR_MUL) {
        struct ir_inst *x = lower_value(l, e->a->a);
        struct ir_inst *y = lower_value(l, e->a->b);
        struct ir_inst *z = lower_value(l, e->b);
        lower_at(l, e->loc);
        if (e->kind == EXPR_SUB) {
            z = lower_unary(l, IR_OP_FNEG, type, z);
        }
        return ir_emit3(&l->b, IR_OP_FMA, type, x, y, z);
    }
    if (e->b->kind == EXPR_MUL) {
        struct ir_inst *z = lower_value(l, e->a);
        struct ir_inst *x = lower_value(l, e->b->a);
        struct ir_inst *y = lower_value(l, e->b->b);
        lower_at(l, e->loc);
        if (e->kind == EXPR_SUB) {
            x = lower_unary(l, IR_OP_FNEG, type, x);
        }
        return ir_emit3(&l->b, IR_OP_FMA, type, x, y, z);
    }
    return NULL;
}

// A shift count comes in its own type; only its low bits matter, so that either extension will do.
static struct ir_inst *shift_count(struct lower *l, struct ir_inst *count, const struct type *from, enum ir_type to)
{
    int grows = ir_type_size(to) - ir_type_size(count->type);
    if (grows == 0) {
        return count;
    }
    return lower_unary(l, grows < 0 ? IR_OP_TRUNC : lower_is_unsigned(from) ? IR_OP_ZEXT : IR_OP_SEXT, to, count);
}

static struct ir_inst *binary_value(struct lower *l, const struct expr *e)
{
    struct ir_inst *fused = contracted(l, e);
    if (fused != NULL) {
        return fused;
    }
    struct ir_inst *x = lower_value(l, e->a);
    struct ir_inst *y = lower_value(l, e->b);
    lower_at(l, e->loc);
    if (e->kind == EXPR_SHL || e->kind == EXPR_SHR) {
        y = shift_count(l, y, e->b->type, lower_type(e->type));
    }
    return lower_arithmetic(l, e->kind, e->type, x, y);
}

static struct ir_inst *pointer_difference(struct lower *l, const struct expr *e)
{
    struct ir_inst *x = lower_value(l, e->a);
    struct ir_inst *y = lower_value(l, e->b);
    lower_at(l, e->loc);
    x = ir_emit1(&l->b, IR_OP_PTRTOINT, IR_I64, x);
    y = ir_emit1(&l->b, IR_OP_PTRTOINT, IR_I64, y);
    struct ir_inst *bytes = lower_binary(l, IR_OP_SUB, IR_I64, x, y);
    struct ir_inst *size = lower_type_size(l, e->a->type->base);
    int64_t known;
    if (lower_const_value(size, &known) && known == 1) {
        return bytes;
    }
    return lower_binary(l, IR_OP_SDIV, IR_I64, bytes, size);
}

// ---- conditions ----------------------------------------------------------------------------------------------------

// x && y and x || y where y must not run unless x asks for it.
static struct ir_inst *short_circuit(struct lower *l, const struct expr *e)
{
    bool is_and = e->kind == EXPR_LOGAND;
    struct ir_inst *x = lower_condition(l, e->a);
    lower_at(l, e->loc);
    int64_t known;
    if (lower_const_value(x, &known)) {
        return (known != 0) == is_and ? lower_condition(l, e->b) : x;
    }
    if (lower_is_cheap(l, e->b)) {
        struct ir_inst *y = lower_condition(l, e->b);
        lower_at(l, e->loc);
        return lower_binary(l, is_and ? IR_OP_AND : IR_OP_OR, IR_I1, x, y);
    }
    struct ir_var *result = lower_temp(l, IR_I1);
    ir_set(&l->b, result, x);
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, x, 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &branch->regions[is_and ? 0 : 1];
    ir_set(&l->b, result, lower_condition(l, e->b));
    l->b.region = outer;
    return ir_get(&l->b, result);
}

struct ir_inst *lower_condition(struct lower *l, const struct expr *e)
{
    e = lower_truth(e);
    lower_at(l, e->loc);
    if (e->kind >= EXPR_LT && e->kind <= EXPR_NE) {
        struct ir_inst *x = lower_value(l, e->a);
        struct ir_inst *y = lower_value(l, e->b);
        lower_at(l, e->loc);
        return lower_compare(l, e->kind, e->a->type, x, y);
    }
    switch (e->kind) {
    case EXPR_LOGNOT: {
        struct ir_inst *x = lower_condition(l, e->a);
        lower_at(l, e->loc);
        return lower_not(l, x);
    }
    case EXPR_LOGAND:
    case EXPR_LOGOR: return short_circuit(l, e);
    case EXPR_CAST:
        if (e->type->kind == TYPE_BOOL) {
            return lower_condition(l, e->a);
        }
        break;
    default: break;
    }
    struct ir_inst *value = lower_value(l, e);
    lower_at(l, e->loc);
    return lower_is_nonzero(l, value);
}

static void cond_arm(struct lower *l, const struct expr *e, struct ir_region *region, struct ir_var *result)
{
    assert(region->first == NULL);
    struct ir_region *outer = l->b.region;
    l->b.region = region;
    if (e->type->kind == TYPE_VOID) {
        lower_effect(l, e);
    } else {
        struct ir_inst *value = lower_value(l, e);
        if (result->is_memory) {
            lower_copy_record(l, lower_addr_var(l, result), value, e->type, false);
        } else {
            ir_set(&l->b, result, value);
        }
    }
    l->b.region = outer;
}

static struct ir_inst *conditional_value(struct lower *l, const struct expr *e)
{
    struct ir_inst *condition = lower_condition(l, e->a);
    lower_at(l, e->loc);
    int64_t known;
    if (lower_const_value(condition, &known)) {
        return lower_value(l, known != 0 ? e->b : e->c);
    }
    if (type_is_scalar(e->type) && lower_is_cheap(l, e->b) && lower_is_cheap(l, e->c)) {
        struct ir_inst *x = lower_value(l, e->b);
        struct ir_inst *y = lower_value(l, e->c);
        lower_at(l, e->loc);
        return lower_select(l, condition, x, y);
    }
    struct ir_var *result = NULL;
    if (type_is_record(e->type)) {
        result = lower_memory(l, NULL, e->type, e->loc);
    } else if (e->type->kind != TYPE_VOID) {
        result = lower_temp(l, lower_type(e->type));
        result->is_unsigned = lower_is_unsigned(e->type);
    }
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, condition, 2);
    cond_arm(l, e->b, &branch->regions[0], result);
    cond_arm(l, e->c, &branch->regions[1], result);
    lower_at(l, e->loc);
    if (result == NULL) {
        return NULL;
    }
    return result->is_memory ? lower_addr_var(l, result) : ir_get(&l->b, result);
}

// ---- assignment ----------------------------------------------------------------------------------------------------

static struct ir_inst *assign_value(struct lower *l, const struct expr *e)
{
    struct lower_place place = lower_place(l, e->a);
    struct ir_inst *value = lower_value(l, e->b);
    lower_at(l, e->loc);
    return lower_place_write(l, &place, value);
}

// x += a * b and x -= a * b are sums with a product as well.
static bool is_contracted_update(const struct lower *l, const struct expr *e)
{
    return l->options.contract && !e->is_uncontracted && (e->op == EXPR_ADD || e->op == EXPR_SUB) &&
           e->b->kind == EXPR_MUL && (e->compute_type->kind == TYPE_FLOAT || e->compute_type->kind == TYPE_DOUBLE);
}

static struct ir_inst *contracted_update(struct lower *l, const struct expr *e, const struct lower_place *place,
                                         struct ir_inst *old)
{
    struct ir_inst *x = lower_value(l, e->b->a);
    struct ir_inst *y = lower_value(l, e->b->b);
    lower_at(l, e->loc);
    old = old != NULL ? old : lower_place_read(l, place);
    enum ir_type type = lower_type(e->compute_type);
    if (e->op == EXPR_SUB) {
        x = lower_unary(l, IR_OP_FNEG, type, x);
    }
    struct ir_inst *sum = ir_emit3(&l->b, IR_OP_FMA, type, x, y, lower_convert(l, old, e->a->type, e->compute_type));
    return lower_convert(l, sum, e->compute_type, e->a->type);
}

// A call in the operand comes before the update or after it, as C has it, not between its read and its write.
static struct ir_inst *update_value(struct lower *l, const struct expr *e)
{
    struct lower_place place = lower_place(l, e->a);
    struct ir_inst *old = lower_has_effect(l, e->b) ? NULL : lower_place_read(l, &place);
    struct ir_inst *value;
    if (is_contracted_update(l, e)) {
        value = lower_place_write(l, &place, contracted_update(l, e, &place, old));
        return value; // a step, ++ or --, has no product
    }
    struct ir_inst *operand = lower_value(l, e->b);
    lower_at(l, e->loc);
    old = old != NULL ? old : lower_place_read(l, &place);
    if (e->op == EXPR_PTR_ADD) {
        struct ir_inst *args[] = {old, lower_widen(l, operand, e->b->type), lower_type_size(l, e->a->type->base),
                                  lower_int(l, IR_I64, -1)};
        value = ir_emit(&l->b, IR_OP_INDEX, IR_PTR, 4, args);
        value->text = lower_expr_name(l, e->a);
    } else {
        struct ir_inst *x = lower_convert(l, old, e->a->type, e->compute_type);
        if (e->op == EXPR_SHL || e->op == EXPR_SHR) {
            operand = shift_count(l, operand, e->b->type, x->type);
        }
        value = lower_arithmetic(l, e->op, e->compute_type, x, operand);
        value = lower_convert(l, value, e->compute_type, e->a->type);
    }
    value = lower_place_write(l, &place, value);
    return e->is_postfix ? old : value;
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static struct ir_inst *unary_value(struct lower *l, const struct expr *e)
{
    struct ir_inst *x = lower_value(l, e->a);
    lower_at(l, e->loc);
    enum ir_type type = lower_type(e->type);
    if (e->kind == EXPR_BITNOT) {
        return lower_binary(l, IR_OP_XOR, type, x, lower_int(l, type, -1));
    }
    if (ir_type_is_float(type)) {
        return lower_unary(l, IR_OP_FNEG, type, x);
    }
    return lower_binary(l, IR_OP_SUB, type, lower_int(l, type, 0), x);
}

static struct ir_inst *cast_value(struct lower *l, const struct expr *e)
{
    if (e->type->kind == TYPE_VOID) {
        lower_effect(l, e->a);
        return NULL;
    }
    if (e->type->kind == TYPE_BOOL && type_is_scalar(e->a->type)) {
        struct ir_inst *truth = lower_condition(l, e->a);
        lower_at(l, e->loc);
        return lower_unary(l, IR_OP_ZEXT, IR_I8, truth);
    }
    struct ir_inst *value = e->is_extent ? lower_extent_value(l, e->a) : lower_value(l, e->a);
    lower_at(l, e->loc);
    return lower_convert(l, value, e->a->type, e->type);
}

static struct ir_inst *lvalue_value(struct lower *l, const struct expr *e)
{
    if (e->kind == EXPR_OBJECT && e->object->kind == OBJECT_CONSTANT) {
        struct ir_inst *known = lower_constant(l, e->object);
        if (known != NULL) {
            return known;
        }
    }
    struct lower_place place = lower_place(l, e);
    lower_at(l, e->loc);
    return lower_place_read(l, &place);
}

static struct ir_inst *value_of(struct lower *l, const struct expr *e)
{
    lower_at(l, e->loc);
    switch (e->kind) {
    case EXPR_INT: return lower_int(l, lower_type(e->type), (int64_t)e->u);
    case EXPR_FLOAT: return ir_fconst(&l->b, lower_type(e->type), e->f);
    case EXPR_STRING:
    case EXPR_OBJECT:
    case EXPR_DEREF:
    case EXPR_MEMBER:
    case EXPR_COMPOUND_LITERAL: return lvalue_value(l, e);
    case EXPR_NEG:
    case EXPR_BITNOT: return unary_value(l, e);
    case EXPR_CAST: return cast_value(l, e);
    case EXPR_DECAY:
    case EXPR_ADDR: return lower_address(l, e->a);
    case EXPR_LOGNOT:
    case EXPR_LOGAND:
    case EXPR_LOGOR:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: {
        struct ir_inst *truth = lower_condition(l, e);
        return lower_unary(l, IR_OP_ZEXT, lower_type(e->type), truth);
    }
    case EXPR_COMMA: lower_effect(l, e->a); return lower_value(l, e->b);
    case EXPR_PTR_ADD: return lower_element(l, e, false);
    case EXPR_PTR_DIFF: return pointer_difference(l, e);
    case EXPR_ASSIGN: return assign_value(l, e);
    case EXPR_UPDATE: return update_value(l, e);
    case EXPR_COND: return conditional_value(l, e);
    case EXPR_CALL: return lower_call(l, e, true);
    case EXPR_STATEMENTS: lower_stmt(l, e->body); return lower_value(l, e->a);
    case EXPR_REFUSED:
    case EXPR_FUNCTION: return lower_int(l, IR_I32, 0); // refused before: never reached without an error
    default: return binary_value(l, e);
    }
}

struct ir_inst *lower_value(struct lower *l, const struct expr *e)
{
    struct ir_inst *value = lower_enter(l, e->loc) ? value_of(l, e) : lower_int(l, IR_I32, 0);
    lower_leave(l);
    return value;
}

void lower_effect(struct lower *l, const struct expr *e)
{
    lower_at(l, e->loc);
    switch (e->kind) {
    case EXPR_CAST:
        if (e->type->kind == TYPE_VOID || e->is_implicit) {
            lower_effect(l, e->a);
            return;
        }
        break;
    case EXPR_COMMA:
        lower_effect(l, e->a);
        lower_effect(l, e->b);
        return;
    case EXPR_CALL: lower_call(l, e, false); return;
    case EXPR_STATEMENTS:
        lower_stmt(l, e->body);
        if (e->a != NULL) {
            lower_effect(l, e->a);
        }
        return;
    case EXPR_ASSIGN:
    case EXPR_UPDATE:
        if (lower_try_update(l, e)) {
            return;
        }
        break;
    default: break;
    }
    lower_value(l, e);
}
