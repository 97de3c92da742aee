// Small expressions over a launch's arguments and slots. Building folds what is constant, so that a plan over literal
// bounds holds plain numbers and two equal forms look alike.
#include "plan/plan.h"

#include "base/half.h"

#include <assert.h>
#include <string.h>

struct plan_expr *plan_const(struct arena *arena, enum ir_type type, int64_t value)
{
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    expr->kind = PLAN_EXPR_CONST;
    expr->type = type;
    expr->imm = value;
    return expr;
}

struct plan_expr *plan_param(struct arena *arena, enum ir_type type, int index)
{
    assert(index >= 0);
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    expr->kind = PLAN_EXPR_PARAM;
    expr->type = type;
    expr->index = index;
    return expr;
}

bool plan_expr_is_const(const struct plan_expr *expr, int64_t *out_value)
{
    if (expr == NULL || expr->kind != PLAN_EXPR_CONST || ir_type_is_float(expr->type)) {
        return false;
    }
    *out_value = expr->imm;
    return true;
}

bool plan_expr_is_of_arguments(const struct plan_expr *expr)
{
    bool is = expr->kind != PLAN_EXPR_SLOT && expr->kind != PLAN_EXPR_VAR && expr->kind != PLAN_EXPR_LOOPVAR;
    for (int i = 0; i < expr->arg_count && is; i++) {
        is = plan_expr_is_of_arguments(expr->args[i]);
    }
    return is;
}

static union ir_value const_value(const struct plan_expr *expr)
{
    union ir_value value = {.i = expr->imm};
    if (ir_type_is_float(expr->type)) {
        value.f = expr->fimm;
    }
    return value;
}

static struct plan_expr *new_const(struct arena *arena, enum ir_type type, union ir_value value)
{
    struct plan_expr *expr = plan_const(arena, type, 0);
    if (ir_type_is_float(type)) {
        expr->fimm = value.f;
    } else {
        expr->imm = value.i;
    }
    return expr;
}

static bool is_int(const struct plan_expr *expr, int64_t wanted)
{
    int64_t value;
    return plan_expr_is_const(expr, &value) && value == wanted;
}

// x + 0, x * 1 and their kin. NULL: no identity applies.
static struct plan_expr *identity(struct arena *arena, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    assert(a != NULL && b != NULL);
    switch (op) {
    case IR_OP_ADD: return is_int(a, 0) ? b : is_int(b, 0) ? a : NULL;
    case IR_OP_SUB:
        if (plan_expr_equal(a, b)) {
            return plan_const(arena, a->type, 0);
        }
        return is_int(b, 0) ? a : NULL;
    case IR_OP_MUL:
        if (is_int(a, 0) || is_int(b, 0)) {
            return plan_const(arena, a->type, 0);
        }
        return is_int(a, 1) ? b : is_int(b, 1) ? a : NULL;
    case IR_OP_SDIV:
    case IR_OP_UDIV: return is_int(b, 1) ? a : NULL;
    case IR_OP_SMIN:
    case IR_OP_SMAX:
    case IR_OP_UMIN:
    case IR_OP_UMAX: return plan_expr_equal(a, b) ? a : NULL;
    case IR_OP_AND:
        if (is_int(a, 0) || is_int(b, 0)) {
            return plan_const(arena, a->type, 0);
        }
        if (a->type == IR_I1) {
            return is_int(a, 1) ? b : is_int(b, 1) ? a : NULL;
        }
        return NULL;
    case IR_OP_OR: return is_int(a, 0) ? b : is_int(b, 0) ? a : NULL;
    case IR_OP_SEXT:
    case IR_OP_ZEXT:
    case IR_OP_TRUNC: return NULL;
    default: return NULL;
    }
}

struct plan_expr *plan_trip(struct arena *arena, const struct ir_for *loop, struct plan_expr *init,
                            struct plan_expr *bound)
{
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    *expr = (struct plan_expr){.kind = PLAN_EXPR_TRIP,
                               .type = IR_I64,
                               .op = loop->compare,
                               .arg_type = loop->var->type,
                               .index = trip_of(loop).is_unsigned,
                               .imm = loop->step,
                               .args = {init, bound},
                               .arg_count = 2};
    return expr;
}

struct ir_trip plan_trip_of(const struct plan_expr *expr)
{
    assert(expr->kind == PLAN_EXPR_TRIP);
    return trip_make(expr->op, expr->arg_type, expr->index != 0, expr->imm);
}

struct plan_expr *plan_op(struct arena *arena, enum ir_op op, enum ir_type type, enum ir_type arg_type,
                          struct plan_expr *a, struct plan_expr *b)
{
    bool is_unary = ir_op_arg_count(op) == 1;
    if (a == NULL || (b == NULL && !is_unary)) {
        return NULL;
    }
    if (a->kind == PLAN_EXPR_CONST && (is_unary || b->kind == PLAN_EXPR_CONST)) {
        union ir_value args[2] = {const_value(a), is_unary ? (union ir_value){0} : const_value(b)};
        union ir_value result;
        if (ir_fold(op, type, arg_type, args, &result)) {
            return new_const(arena, type, result);
        }
    }
    if (!is_unary && !ir_type_is_float(type)) {
        struct plan_expr *same = identity(arena, op, a, b);
        if (same != NULL && same->type == type) {
            return same;
        }
    }
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    expr->kind = PLAN_EXPR_OP;
    expr->type = type;
    expr->op = op;
    expr->arg_type = arg_type;
    expr->args[0] = a;
    expr->args[1] = is_unary ? NULL : b;
    expr->arg_count = is_unary ? 1 : 2;
    return expr;
}

struct plan_expr *plan_select(struct arena *arena, struct plan_expr *c, struct plan_expr *a, struct plan_expr *b)
{
    if (c == NULL || a == NULL || b == NULL) {
        return NULL;
    }
    int64_t known;
    if (plan_expr_is_const(c, &known)) {
        return known != 0 ? a : b;
    }
    if (plan_expr_equal(a, b)) {
        return a;
    }
    assert(a->type == b->type && c->type == IR_I1);
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    expr->kind = PLAN_EXPR_OP;
    expr->op = IR_OP_SELECT;
    expr->type = a->type;
    expr->arg_type = a->type;
    expr->args[0] = c;
    expr->args[1] = a;
    expr->args[2] = b;
    expr->arg_count = 3;
    return expr;
}

bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b)
{
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL || a->kind != b->kind || a->type != b->type || a->op != b->op ||
        a->arg_type != b->arg_type || a->index != b->index || a->imm != b->imm || a->arg_count != b->arg_count ||
        memcmp(&a->fimm, &b->fimm, sizeof a->fimm) != 0) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!plan_expr_equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

static bool read_scalar(enum ir_type type, const void *from, union ir_value *out)
{
    const char *p = from;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    float f32;
    switch (type) {
    case IR_I1:
    case IR_I8:
        memcpy(&i8, p, sizeof i8);
        out->i = type == IR_I1 ? (i8 & 1) : i8;
        return true;
    case IR_I16:
        memcpy(&i16, p, sizeof i16);
        out->i = i16;
        return true;
    case IR_I32:
        memcpy(&i32, p, sizeof i32);
        out->i = i32;
        return true;
    case IR_I64:
    case IR_PTR: memcpy(&out->i, p, sizeof out->i); return true;
    case IR_F16:
    case IR_BF16:
        memcpy(&i16, p, sizeof i16);
        out->f = half_value((uint16_t)i16, type == IR_BF16);
        return true;
    case IR_F32:
        memcpy(&f32, p, sizeof f32);
        out->f = f32;
        return true;
    case IR_F64: memcpy(&out->f, p, sizeof out->f); return true;
    case IR_VOID: break;
    }
    return false;
}

static bool eval_leaf(const struct plan_expr *expr, const struct plan_values *values, union ir_value *out)
{
    switch (expr->kind) {
    case PLAN_EXPR_CONST: *out = const_value(expr); return true;
    case PLAN_EXPR_PARAM:
        return values->args != NULL &&
               read_scalar(expr->type,
                           (const char *)values->args + values->kernel->params[expr->index].offset + expr->imm, out);
    case PLAN_EXPR_EXTENT:
        if (values->array_sizes == NULL) {
            return false;
        }
        out->i = (int64_t)values->array_sizes[expr->index];
        return true;
    case PLAN_EXPR_WIDTH: out->i = values->width > 0 ? values->width : PLAN_WIDTH_UNKNOWN; return true;
    case PLAN_EXPR_SLOT:
        return values->block != NULL && read_scalar(expr->type, (const char *)values->block + expr->imm, out);
    default: return false;
    }
}

static bool eval_node(const struct plan_expr *expr, const struct plan_values *values, union ir_value *out)
{
    if (expr->kind == PLAN_EXPR_OP && expr->op == IR_OP_SELECT) {
        union ir_value condition;
        return plan_eval(expr->args[0], values, &condition) &&
               plan_eval(expr->args[condition.i != 0 ? 1 : 2], values, out);
    }
    union ir_value args[3] = {{0}};
    assert(expr->arg_count <= 3);
    for (int i = 0; i < expr->arg_count; i++) {
        if (!plan_eval(expr->args[i], values, &args[i])) {
            return false;
        }
    }
    if (expr->kind == PLAN_EXPR_TRIP) {
        struct ir_trip trip = plan_trip_of(expr);
        uint64_t count = trip_count(&trip, args[0].i, args[1].i);
        out->i = count > INT64_MAX ? INT64_MAX : (int64_t)count;
        return true;
    }
    return ir_fold(expr->op, expr->type, expr->arg_type, args, out);
}

bool plan_eval(const struct plan_expr *expr, const struct plan_values *values, union ir_value *out)
{
    if (expr == NULL) {
        return false;
    }
    if (expr->kind != PLAN_EXPR_OP && expr->kind != PLAN_EXPR_TRIP) {
        return eval_leaf(expr, values, out);
    }
    if (expr->memo == 0 || values->memo.known == NULL) {
        return eval_node(expr, values, out);
    }
    assert(expr->memo <= values->kernel->memo_count);
    _Atomic uint8_t *known = &values->memo.known[expr->memo - 1];
    _Atomic uint64_t *bits = &values->memo.values[expr->memo - 1];
    if (atomic_load_explicit(known, memory_order_acquire) != 0) {
        out->i = (int64_t)atomic_load_explicit(bits, memory_order_relaxed);
        return true;
    }
    if (!eval_node(expr, values, out)) {
        return false;
    }
    atomic_store_explicit(bits, (uint64_t)out->i, memory_order_relaxed);
    atomic_store_explicit(known, 1, memory_order_release);
    return true;
}
