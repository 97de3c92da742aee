// Constant folding with the language's own arithmetic (language.md, section 6): the same holes filled the same way as
// at run time, so that folding never changes a result.
#include "lang/types.h"

#include "base/half.h"

#include <assert.h>
#include <math.h>

struct value {
    bool is_float;
    int64_t i; // sign-extended when the type is signed
    double f;
};

static bool eval(const struct expr *e, struct value *out);

static int64_t wrap(const struct type *type, uint64_t bits)
{
    int width = (int)type->size * 8;
    if (width >= 64 || width == 0) {
        return (int64_t)bits;
    }
    bits &= (UINT64_C(1) << width) - 1;
    if (type_is_signed(type) && (bits >> (width - 1)) != 0) {
        bits |= ~UINT64_C(0) << width;
    }
    return (int64_t)bits;
}

static double round_to(const struct type *type, double value)
{
    if (type->kind == TYPE_F16 || type->kind == TYPE_BF16) {
        return half_round(value, type->kind == TYPE_BF16);
    }
    return type->kind == TYPE_FLOAT ? (double)(float)value : value;
}

// Saturates; NaN is 0.
static int64_t float_to_int(const struct type *type, double value)
{
    assert(type_is_integer(type));
    int bits = type_int_bits(type);
    if (isnan(value)) {
        return 0;
    }
    if (type_is_signed(type)) {
        double limit = ldexp(1.0, bits - 1);
        int64_t max = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        return value >= limit ? max : value < -limit ? -max - 1 : (int64_t)value;
    }
    uint64_t max = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (int64_t)(value <= 0 ? 0 : value >= ldexp(1.0, bits) ? max : (uint64_t)value);
}

static double int_to_float(const struct type *from, const struct type *to, int64_t value)
{
    if (to->kind == TYPE_F16 || to->kind == TYPE_BF16) {
        bool is_negative = type_is_signed(from) && value < 0;
        uint64_t magnitude = is_negative ? 0 - (uint64_t)value : (uint64_t)value;
        return half_round(half_sticky(magnitude, is_negative), to->kind == TYPE_BF16);
    }
    // Straight to float: by way of double it would be rounded twice.
    if (to->kind == TYPE_FLOAT) {
        return type_is_signed(from) ? (double)(float)value : (double)(float)(uint64_t)value;
    }
    return type_is_signed(from) ? (double)value : (double)(uint64_t)value;
}

static bool cast(const struct type *from, const struct type *to, struct value *v)
{
    if (to->kind == TYPE_BOOL) {
        v->i = v->is_float ? v->f != 0 : v->i != 0;
        v->is_float = false;
    } else if (type_is_integer(to)) {
        v->i = v->is_float ? float_to_int(to, v->f) : wrap(to, (uint64_t)v->i);
        v->is_float = false;
    } else if (type_is_float(to)) {
        v->f = v->is_float ? round_to(to, v->f) : int_to_float(from, to, v->i);
        v->is_float = true;
    } else {
        return false;
    }
    return true;
}

static bool truth(const struct value *v)
{
    return v->is_float ? v->f != 0 : v->i != 0;
}

static int64_t divide(const struct type *type, int64_t a, int64_t b)
{
    if (b == 0) {
        return 0;
    }
    if (!type_is_signed(type)) {
        return (int64_t)((uint64_t)a / (uint64_t)b);
    }
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remainder_of(const struct type *type, int64_t a, int64_t b)
{
    if (b == 0) {
        return a;
    }
    if (!type_is_signed(type)) {
        return (int64_t)((uint64_t)a % (uint64_t)b);
    }
    return b == -1 ? 0 : a % b;
}

static int64_t shift_right(const struct type *type, int64_t a, int count)
{
    assert(count >= 0 && count < 64);
    if (!type_is_signed(type)) {
        return (int64_t)((uint64_t)a >> count);
    }
    return a < 0 ? (int64_t)~(~(uint64_t)a >> count) : (int64_t)((uint64_t)a >> count);
}

static bool eval_int_binary(const struct expr *e, int64_t a, int64_t b, int64_t *out)
{
    const struct type *type = e->type;
    int shift = (int)((uint64_t)b & (uint64_t)(type->size * 8 - 1));
    uint64_t ua = (uint64_t)a;
    uint64_t ub = (uint64_t)b;
    switch (e->kind) {
    case EXPR_ADD: *out = wrap(type, ua + ub); return true;
    case EXPR_SUB: *out = wrap(type, ua - ub); return true;
    case EXPR_MUL: *out = wrap(type, ua * ub); return true;
    case EXPR_DIV: *out = wrap(type, (uint64_t)divide(type, a, b)); return true;
    case EXPR_MOD: *out = remainder_of(type, a, b); return true;
    case EXPR_SHL: *out = wrap(type, ua << shift); return true;
    case EXPR_SHR: *out = shift_right(type, a, shift); return true;
    case EXPR_AND: *out = a & b; return true;
    case EXPR_OR: *out = a | b; return true;
    case EXPR_XOR: *out = a ^ b; return true;
    default: return false;
    }
}

static bool eval_float_binary(const struct expr *e, double a, double b, double *out)
{
    double result;
    switch (e->kind) {
    // A product of two floats is exact in double, a sum or quotient rounds to the same float either way.
    case EXPR_ADD: result = a + b; break;
    case EXPR_SUB: result = a - b; break;
    case EXPR_MUL: result = a * b; break;
    case EXPR_DIV: result = a / b; break;
    default: return false;
    }
    *out = round_to(e->type, result);
    return true;
}

static bool compare(const struct expr *e, const struct value *a, const struct value *b, int64_t *out)
{
    int order; // -1, 0, 1; 2 is unordered
    if (a->is_float) {
        order = a->f < b->f ? -1 : a->f > b->f ? 1 : a->f == b->f ? 0 : 2;
    } else if (type_is_signed(e->a->type)) {
        order = a->i < b->i ? -1 : a->i > b->i;
    } else {
        order = (uint64_t)a->i<(uint64_t)b->i ? -1 : (uint64_t)a->i>(uint64_t) b->i;
    }
    switch (e->kind) {
    case EXPR_LT: *out = order == -1; return true;
    case EXPR_LE: *out = order == -1 || order == 0; return true;
    case EXPR_GT: *out = order == 1; return true;
    case EXPR_GE: *out = order == 1 || order == 0; return true;
    case EXPR_EQ: *out = order == 0; return true;
    case EXPR_NE: *out = order != 0; return true;
    default: return false;
    }
}

static bool eval_binary(const struct expr *e, struct value *out)
{
    struct value a;
    struct value b;
    if (!eval(e->a, &a) || !eval(e->b, &b) || a.is_float != b.is_float) {
        return false;
    }
    assert(e->kind >= EXPR_ADD && e->kind <= EXPR_NE);
    if (e->kind >= EXPR_LT && e->kind <= EXPR_NE) {
        out->is_float = false;
        return compare(e, &a, &b, &out->i);
    }
    out->is_float = a.is_float;
    return a.is_float ? eval_float_binary(e, a.f, b.f, &out->f) : eval_int_binary(e, a.i, b.i, &out->i);
}

// Whether an operand that is not evaluated could be a constant at all: `0 && f()` is none, `0 && 1 / 0` is 0.
static bool eval_logical(const struct expr *e, struct value *out)
{
    struct value a;
    struct value b;
    if (!eval(e->a, &a)) {
        return false;
    }
    bool decides = truth(&a) == (e->kind == EXPR_LOGOR);
    if (!eval(e->b, &b)) {
        return false;
    }
    out->is_float = false;
    out->i = decides ? e->kind == EXPR_LOGOR : truth(&b);
    return true;
}

static bool eval_unary(const struct expr *e, struct value *out)
{
    struct value a;
    if (!eval(e->a, &a)) {
        return false;
    }
    *out = a;
    switch (e->kind) {
    case EXPR_NEG:
        out->f = -a.f;
        out->i = a.is_float ? 0 : wrap(e->type, 0 - (uint64_t)a.i);
        return true;
    case EXPR_BITNOT: out->i = wrap(e->type, ~(uint64_t)a.i); return !a.is_float;
    default: *out = (struct value){.i = !truth(&a)}; return true;
    }
}

// The old way to write offsetof: an address inside a null object, as an integer.
static bool eval_pointer_cast(const struct expr *e, struct value *out)
{
    struct const_address address;
    if (!type_is_integer(e->type) || !const_eval_address(e->a, &address) || address.object != NULL ||
        address.string != NULL || address.function != NULL) {
        return false;
    }
    *out =
        (struct value){.i = e->type->kind == TYPE_BOOL ? address.offset != 0 : wrap(e->type, (uint64_t)address.offset)};
    return true;
}

static bool eval(const struct expr *e, struct value *out)
{
    *out = (struct value){0};
    switch (e->kind) {
    case EXPR_INT: out->i = (int64_t)e->u; return type_is_integer(e->type);
    case EXPR_FLOAT:
        out->f = e->f;
        out->is_float = true;
        return type_is_float(e->type);
    case EXPR_CAST:
        if (e->a->type->kind == TYPE_POINTER) {
            return eval_pointer_cast(e, out);
        }
        return eval(e->a, out) && cast(e->a->type, e->type, out);
    case EXPR_NEG:
    case EXPR_BITNOT:
    case EXPR_LOGNOT: return eval_unary(e, out);
    case EXPR_LOGAND:
    case EXPR_LOGOR: return eval_logical(e, out);
    case EXPR_COND: {
        struct value condition;
        return eval(e->a, &condition) && eval(truth(&condition) ? e->b : e->c, out);
    }
    default: return e->kind >= EXPR_ADD && e->kind <= EXPR_NE && eval_binary(e, out);
    }
}

bool const_eval_int(const struct expr *expr, int64_t *out_value)
{
    struct value value;
    *out_value = 0;
    if (!type_is_integer(expr->type) || !eval(expr, &value)) {
        return false;
    }
    *out_value = value.i;
    return true;
}

bool const_eval_float(const struct expr *expr, double *out_value)
{
    struct value value;
    *out_value = 0;
    if (!eval(expr, &value)) {
        return false;
    }
    if (value.is_float) {
        *out_value = value.f;
    } else {
        *out_value = type_is_signed(expr->type) ? (double)value.i : (double)(uint64_t)value.i;
    }
    return true;
}

// ---- addresses -----------------------------------------------------------------------------------------------------

static bool is_static(const struct object *object)
{
    return object->kind == OBJECT_FIELD || object->kind == OBJECT_CONSTANT || object->kind == OBJECT_STATIC_LOCAL;
}

// Where an lvalue is.
static bool eval_place(const struct expr *e, struct const_address *out)
{
    switch (e->kind) {
    case EXPR_OBJECT: out->object = e->object; return is_static(e->object);
    case EXPR_STRING: out->string = e; return true;
    case EXPR_FUNCTION: out->function = e->function; return true;
    case EXPR_DEREF: return const_eval_address(e->a, out);
    case EXPR_MEMBER:
        if (!eval_place(e->a, out)) {
            return false;
        }
        out->offset = (int64_t)((uint64_t)out->offset + e->member->offset);
        return true;
    default: return false;
    }
}

bool const_eval_address(const struct expr *expr, struct const_address *out_address)
{
    *out_address = (struct const_address){0};
    int64_t value;
    switch (expr->kind) {
    case EXPR_DECAY:
    case EXPR_ADDR: return eval_place(expr->a, out_address);
    case EXPR_CAST:
        if (expr->a->type->kind == TYPE_POINTER) {
            return const_eval_address(expr->a, out_address);
        }
        return const_eval_int(expr->a, &out_address->offset);
    case EXPR_PTR_ADD:
        if (type_is_variable(expr->a->type->base) || !const_eval_address(expr->a, out_address) ||
            !const_eval_int(expr->b, &value)) {
            return false;
        }
        out_address->offset = (int64_t)((uint64_t)out_address->offset + (uint64_t)value * expr->a->type->base->size);
        return true;
    case EXPR_COND:
        return const_eval_int(expr->a, &value) && const_eval_address(value != 0 ? expr->b : expr->c, out_address);
    default: return false;
    }
}
