// The bound of a canonical loop. C compares in the common type of i and the bound, which may be wider than i. The loop
// counts in i's own type, so the bound is brought there: as it is where its value surely fits; clamped where only an
// overflow of a signed i, which C leaves undefined, could tell the difference. Where i would wrap and the loop never
// end (an unsigned char does not reach 1000) it is clamped too, behind a check that fails and says so. Where i wraps
// and the loop does end (by threes from 250 to 254) the loop runs as C has it: whether it does is tested at its entry.
#include "lower/loop.h"

#include <assert.h>

const struct expr *lower_without_widening(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->is_implicit && type_is_integer(e->type) && type_is_integer(e->a->type) &&
           e->type->size >= e->a->type->size) {
        e = e->a;
    }
    return e;
}

static bool fits_range(const struct type *type, int64_t value, bool value_is_unsigned)
{
    int bits = (int)type->size * 8;
    if (value_is_unsigned && value < 0) {
        return bits == 64 && !type_is_signed(type);
    }
    if (type_is_signed(type)) {
        return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
    }
    return value >= 0 && (bits == 64 || (uint64_t)value < UINT64_C(1) << bits);
}

static bool surely_fits(const struct canonical *c)
{
    int64_t value;
    const struct type *var = c->var->type;
    if (const_eval_int(c->bound, &value)) {
        return fits_range(var, value, lower_is_unsigned(c->common));
    }
    const struct type *from = lower_without_widening(c->bound)->type;
    if (from == c->bound->type) {
        return false;
    }
    if (type_is_signed(from) && !type_is_signed(c->common)) {
        return false; // a negative one has become large
    }
    bool same_sign = type_is_signed(from) == type_is_signed(var);
    return same_sign ? from->size <= var->size : !type_is_signed(from) && from->size < var->size;
}

static bool starts_at_zero_or_above(const struct canonical *c)
{
    int64_t value;
    if (c->init == NULL) {
        return false;
    }
    if (const_eval_int(c->init, &value)) {
        return value >= 0;
    }
    const struct type *from = lower_without_widening(c->init)->type;
    return !type_is_signed(from) && from->size < c->var->type->size;
}

// Steps of more than one may carry an unsigned variable past the end of its type and on, which C defines. (Steps of one
// reach every bound, or never end.) Upwards that takes a bound at the very end of the type, which nobody has with 32 or
// 64 bits: there the rule stands that trips are counted without overflow.
static bool may_wrap(const struct canonical *c)
{
    const struct type *type = c->var->type;
    bool is_defined = !type_is_signed(type) || type->size < 4;
    return is_defined && c->compare != EXPR_NE && (c->step < -1 || (c->step > 1 && type->size < 4));
}

// Where it begins and ends, if these are constants of a usual size.
static bool has_known_ends(const struct canonical *c, int64_t *out_init, int64_t *out_bound)
{
    return c->init != NULL && const_eval_int(c->init, out_init) && const_eval_int(c->bound, out_bound) &&
           *out_init >= 0 && *out_bound >= 0 && *out_init <= INT64_MAX / 2 && *out_bound <= INT64_MAX / 2;
}

// With constants it is known here: then the loop is what C makes of it, however long that takes.
static bool surely_wraps(const struct canonical *c)
{
    int64_t init;
    int64_t bound;
    if (!may_wrap(c) || !has_known_ends(c, &init, &bound)) {
        return false;
    }
    bool is_strict = c->compare == EXPR_LT || c->compare == EXPR_GT;
    int64_t size = c->step > 0 ? c->step : -c->step;
    int64_t way = c->step > 0 ? bound - init : init - bound;
    if (way < 0 || (is_strict && way == 0)) {
        return false;
    }
    int64_t trips = is_strict ? (way - 1) / size + 1 : way / size + 1;
    return !fits_range(c->var->type, init + trips * c->step, false);
}

bool lower_bound_may_wrap(const struct canonical *c)
{
    int64_t init;
    int64_t bound;
    return may_wrap(c) && !has_known_ends(c, &init, &bound);
}

enum bound_way lower_bound_way(const struct canonical *c)
{
    const struct type *var = c->var->type;
    if ((may_wrap(c) && c->recheck) || surely_wraps(c)) {
        return BOUND_NONE;
    }
    if (var->size == c->common->size) {
        return BOUND_SAME;
    }
    bool is_signed = type_is_signed(var);
    // A signed variable compared unsigned: the order is that of i only while i is not negative.
    bool order_holds = !is_signed || type_is_signed(c->common);
    if (surely_fits(c) && (order_holds || starts_at_zero_or_above(c))) {
        int64_t value;
        bool is_positive = const_eval_int(c->bound, &value) && value > 0;
        if (order_holds || (c->compare != EXPR_GE && c->compare != EXPR_NE) || (is_positive && c->compare == EXPR_GE)) {
            return BOUND_FITS;
        }
    }
    if (!is_signed || var->size < 4 || c->compare == EXPR_NE) {
        // What the bound is at entry settles it only if it stays that.
        return order_holds && !c->recheck ? BOUND_GUARD : BOUND_NONE;
    }
    if (type_is_signed(c->common)) {
        return BOUND_CLAMP;
    }
    return starts_at_zero_or_above(c) && c->compare != EXPR_GE ? BOUND_UCLAMP : BOUND_NONE;
}

// Clamping i <= n to the type's range is wrong for an i at its very end; there the comparison is made strict instead.
static struct ir_inst *clamped(struct lower *l, struct canonical *c, struct ir_inst *bound)
{
    enum ir_type type = lower_type(c->var->type);
    int bits = 8 * ir_type_size(type);
    int64_t low = -(INT64_C(1) << (bits - 1));
    int64_t high = (INT64_C(1) << (bits - 1)) - 1;
    int64_t init;
    bool init_known = c->init != NULL && const_eval_int(c->init, &init);
    int64_t shift = 0;
    if (c->compare == EXPR_LE && (!init_known || init == low)) {
        c->compare = EXPR_LT;
        shift = 1;
    } else if (c->compare == EXPR_GE && (!init_known || init == high)) {
        c->compare = EXPR_GT;
        shift = -1;
    }
    bound = lower_binary(l, IR_OP_SMAX, IR_I64, bound, lower_int(l, IR_I64, low - (shift > 0 ? 1 : 0)));
    bound = lower_binary(l, IR_OP_SMIN, IR_I64, bound, lower_int(l, IR_I64, high - (shift > 0 ? 1 : 0)));
    if (shift < 0) {
        bound = lower_binary(l, IR_OP_SMAX, IR_I64, bound, lower_int(l, IR_I64, low + 1));
    }
    if (shift != 0) {
        bound = lower_binary(l, IR_OP_ADD, IR_I64, bound, lower_int(l, IR_I64, shift));
    }
    return lower_unary(l, IR_OP_TRUNC, type, bound);
}

static void fail_if(struct lower *l, struct ir_inst *condition, const char *text)
{
    assert(condition->type == IR_I1 && text != NULL);
    int64_t known;
    if (lower_const_value(condition, &known) && known == 0) {
        return;
    }
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, condition, 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &branch->regions[0];
    struct ir_inst *inst = ir_emit0(&l->b, IR_OP_FAIL, IR_VOID);
    inst->text = text;
    l->b.region = outer;
}

// The variable wraps instead of getting past a bound outside its range. |v| is the bound as i64.
static struct ir_inst *guarded(struct lower *l, struct canonical *c, struct ir_inst *v)
{
    enum ir_type type = lower_type(c->var->type);
    int bits = 8 * ir_type_size(type);
    bool is_signed = type_is_signed(c->common);
    int64_t min = type_is_signed(c->var->type) ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t max = type_is_signed(c->var->type) ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    struct ir_inst *low = lower_int(l, IR_I64, min);
    struct ir_inst *high = lower_int(l, IR_I64, max);
    struct ir_inst *above = lower_binary(l, is_signed ? IR_OP_SGT : IR_OP_UGT, IR_I1, v, high);
    struct ir_inst *below = is_signed ? lower_binary(l, IR_OP_SLT, IR_I1, v, low) : lower_int(l, IR_I1, 0);
    const char *text = arena_printf(l->arena, "the bound of the loop can be reached by '%s', which is '%s'",
                                    c->var->name, type_describe(l->arena, c->var->type));
    struct ir_inst *at_end;
    switch (c->compare) {
    case EXPR_NE: fail_if(l, lower_binary(l, IR_OP_OR, IR_I1, above, below), text); break;
    case EXPR_LE:
        at_end = lower_binary(l, IR_OP_EQ, IR_I1, v, high);
        fail_if(l, lower_binary(l, IR_OP_OR, IR_I1, above, at_end), text);
        v = lower_binary(l, IR_OP_ADD, IR_I64, v, lower_int(l, IR_I64, 1));
        c->compare = EXPR_LT;
        break;
    case EXPR_GE:
        at_end = lower_binary(l, IR_OP_EQ, IR_I1, v, low);
        fail_if(l, lower_binary(l, IR_OP_OR, IR_I1, below, at_end), text);
        v = lower_binary(l, IR_OP_SUB, IR_I64, v, lower_int(l, IR_I64, 1));
        c->compare = EXPR_GT;
        break;
    default: fail_if(l, c->compare == EXPR_LT ? above : below, text); break;
    }
    if (c->compare == EXPR_GT) {
        v = lower_binary(l, is_signed ? IR_OP_SMIN : IR_OP_UMIN, IR_I64, v, high);
    } else if (c->compare == EXPR_LT && is_signed) {
        v = lower_binary(l, IR_OP_SMAX, IR_I64, v, low);
    }
    return lower_unary(l, IR_OP_TRUNC, type, v);
}

static struct ir_inst *single_bound(struct lower *l, struct canonical *c)
{
    enum ir_type type = lower_type(c->var->type);
    const struct expr *narrow = lower_without_widening(c->bound);
    struct ir_inst *value;
    if (c->way == BOUND_FITS && !const_eval_int(c->bound, &(int64_t){0})) {
        return lower_convert(l, lower_value(l, narrow), narrow->type, c->var->type);
    }
    value = lower_value(l, c->bound);
    lower_at(l, c->condition->loc);
    if (c->way == BOUND_SAME) {
        return value;
    }
    if (c->way == BOUND_FITS) {
        return lower_unary(l, IR_OP_TRUNC, type, value);
    }
    if (c->way == BOUND_CLAMP) {
        return clamped(l, c, lower_widen(l, value, c->common));
    }
    if (c->way == BOUND_GUARD) {
        return guarded(l, c, lower_widen(l, value, c->common));
    }
    int64_t high = (INT64_C(1) << (8 * ir_type_size(type) - 1)) - 1;
    value = lower_binary(l, IR_OP_UMIN, IR_I64, value, lower_int(l, IR_I64, high));
    return lower_unary(l, IR_OP_TRUNC, type, value);
}

// i <= v as i < v + 1. A v at the end of the type is left: the other bound, which is strict, is reached first.
static struct ir_inst *strict(struct lower *l, struct canonical *c, struct ir_inst *value)
{
    bool is_unsigned = ir_op_is_unsigned(lower_bound_compare(c)), is_up = c->compare == EXPR_LE;
    int bits = 8 * ir_type_size(value->type);
    int64_t low = is_unsigned ? 0 : (int64_t)(UINT64_C(-1) << (bits - 1));
    int64_t high = (int64_t)(UINT64_MAX >> (64 - bits + !is_unsigned));
    int64_t end = ir_normalize(value->type, is_up ? high - 1 : low + 1);
    enum ir_op nearer = is_up ? (is_unsigned ? IR_OP_UMIN : IR_OP_SMIN) : (is_unsigned ? IR_OP_UMAX : IR_OP_SMAX);
    value = lower_binary(l, nearer, value->type, value, lower_int(l, value->type, end));
    c->compare = is_up ? EXPR_LT : EXPR_GT;
    return lower_binary(l, IR_OP_ADD, value->type, value, lower_int(l, value->type, is_up ? 1 : -1));
}

struct ir_inst *lower_bound_value(struct lower *l, struct canonical *c)
{
    struct ir_inst *value = single_bound(l, c);
    for (struct canonical *also = c->also; also != NULL; also = also->also) {
        struct ir_inst *other = single_bound(l, also);
        if (c->compare != also->compare) {
            bool is_first = c->compare == EXPR_LE || c->compare == EXPR_GE;
            value = is_first ? strict(l, c, value) : value;
            other = is_first ? other : strict(l, also, other);
        }
        assert(c->compare == also->compare && value->type == other->type);
        bool is_unsigned = ir_op_is_unsigned(lower_bound_compare(c));
        enum ir_op nearer =
            c->step > 0 ? (is_unsigned ? IR_OP_UMIN : IR_OP_SMIN) : (is_unsigned ? IR_OP_UMAX : IR_OP_SMAX);
        value = lower_binary(l, nearer, value->type, value, other);
    }
    return value;
}

enum ir_op lower_bound_compare(const struct canonical *c)
{
    static const enum ir_op signed_ops[] = {IR_OP_SLT, IR_OP_SLE, IR_OP_SGT, IR_OP_SGE, IR_OP_EQ, IR_OP_NE};
    static const enum ir_op unsigned_ops[] = {IR_OP_ULT, IR_OP_ULE, IR_OP_UGT, IR_OP_UGE, IR_OP_EQ, IR_OP_NE};
    bool is_unsigned = lower_is_unsigned(c->way == BOUND_SAME ? c->common : c->var->type);
    return (is_unsigned ? unsigned_ops : signed_ops)[c->compare - EXPR_LT];
}

// Whether the first value that ends the loop lies outside the variable's type; operands as i64, for up to 32 bits.
static struct ir_inst *leaves_narrow(struct lower *l, const struct canonical *c, struct ir_inst *x, struct ir_inst *y)
{
    assert(c->step != 0);
    bool is_signed = type_is_signed(c->var->type);
    int bits = (int)c->var->type->size * 8;
    int64_t step = c->step > 0 ? c->step : -c->step;
    bool is_strict = c->compare == EXPR_LT || c->compare == EXPR_GT;
    enum ir_op runs_op = c->step > 0 ? (is_strict ? IR_OP_SGT : IR_OP_SGE) : (is_strict ? IR_OP_SLT : IR_OP_SLE);
    struct ir_inst *runs = lower_binary(l, runs_op, IR_I1, y, x);
    struct ir_inst *way =
        c->step > 0 ? lower_binary(l, IR_OP_SUB, IR_I64, y, x) : lower_binary(l, IR_OP_SUB, IR_I64, x, y);
    way = lower_binary(l, IR_OP_ADD, IR_I64, way, lower_int(l, IR_I64, is_strict ? step - 1 : step));
    struct ir_inst *trips = lower_binary(l, IR_OP_SDIV, IR_I64, way, lower_int(l, IR_I64, step));
    struct ir_inst *moved = lower_binary(l, IR_OP_MUL, IR_I64, trips, lower_int(l, IR_I64, c->step));
    struct ir_inst *end = lower_binary(l, IR_OP_ADD, IR_I64, x, moved);
    int64_t max = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t min = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    struct ir_inst *out = c->step > 0 ? lower_binary(l, IR_OP_SGT, IR_I1, end, lower_int(l, IR_I64, max))
                                      : lower_binary(l, IR_OP_SLT, IR_I1, end, lower_int(l, IR_I64, min));
    return lower_binary(l, IR_OP_AND, IR_I1, runs, out);
}

// The same for 64 bits, where sums would wrap themselves, and downwards: by the remainder of the way.
static struct ir_inst *leaves_wide(struct lower *l, const struct canonical *c, struct ir_inst *x, struct ir_inst *y)
{
    assert(c->step != 0);
    bool is_strict = c->compare == EXPR_GT;
    struct ir_inst *size = lower_int(l, IR_I64, -c->step);
    struct ir_inst *runs = lower_binary(l, is_strict ? IR_OP_ULT : IR_OP_ULE, IR_I1, y, x);
    struct ir_inst *way = lower_binary(l, IR_OP_SUB, IR_I64, x, y);
    struct ir_inst *rest = lower_binary(l, IR_OP_UREM, IR_I64, way, size);
    if (!is_strict) {
        struct ir_inst *last = lower_binary(l, IR_OP_ADD, IR_I64, y, rest);
        return lower_binary(l, IR_OP_AND, IR_I1, runs, lower_binary(l, IR_OP_ULT, IR_I1, last, size));
    }
    struct ir_inst *is_off = lower_binary(l, IR_OP_NE, IR_I1, rest, lower_int(l, IR_I64, 0));
    struct ir_inst *missing = lower_binary(l, IR_OP_SUB, IR_I64, size, rest);
    struct ir_inst *out = lower_binary(l, IR_OP_ULT, IR_I1, y, missing);
    return lower_binary(l, IR_OP_AND, IR_I1, runs, lower_binary(l, IR_OP_AND, IR_I1, is_off, out));
}

struct ir_inst *lower_bound_wraps(struct lower *l, const struct canonical *c, struct ir_inst *init,
                                  struct ir_inst *bound)
{
    if (!may_wrap(c)) {
        return NULL;
    }
    const struct type *type = c->var->type;
    struct ir_inst *x = lower_widen(l, init, type);
    struct ir_inst *y = lower_widen(l, bound, type);
    struct ir_inst *wraps = type->size == 8 ? leaves_wide(l, c, x, y) : leaves_narrow(l, c, x, y);
    int64_t known;
    return lower_const_value(wraps, &known) && known == 0 ? NULL : wraps;
}

// A variable that goes around and around meets all values that differ from its first by a multiple of the largest power
// of two in its step, and no others. The loop ends if one of them lies beyond the bound; the one nearest to the end of
// the type says so.
void lower_bound_check(struct lower *l, const struct canonical *c, struct ir_inst *init, struct ir_inst *bound)
{
    const struct type *type = c->var->type;
    bool is_wide = type->size == 8; // then unsigned, and downwards
    bool is_signed = type_is_signed(type);
    int bits = (int)type->size * 8;
    int64_t mask = (c->step & -c->step) - 1;
    int64_t end =
        c->step < 0 ? (is_signed ? -(INT64_C(1) << (bits - 1)) : 0) : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    struct ir_inst *x = lower_widen(l, init, type);
    struct ir_inst *y = lower_widen(l, bound, type);
    struct ir_inst *ending = lower_int(l, IR_I64, end);
    struct ir_inst *missing =
        c->step < 0 ? lower_binary(l, IR_OP_SUB, IR_I64, x, ending) : lower_binary(l, IR_OP_SUB, IR_I64, ending, x);
    missing = lower_binary(l, IR_OP_AND, IR_I64, missing, lower_int(l, IR_I64, mask));
    struct ir_inst *nearest = lower_binary(l, c->step < 0 ? IR_OP_ADD : IR_OP_SUB, IR_I64, ending, missing);
    enum ir_op goes_on; // nearest goes_on y: even there the condition holds
    switch (c->compare) {
    case EXPR_LT: goes_on = IR_OP_SLT; break;
    case EXPR_LE: goes_on = IR_OP_SLE; break;
    case EXPR_GT: goes_on = is_wide ? IR_OP_UGT : IR_OP_SGT; break;
    default: goes_on = is_wide ? IR_OP_UGE : IR_OP_SGE; break;
    }
    fail_if(l, lower_binary(l, goes_on, IR_I1, nearest, y),
            arena_printf(l->arena, "the loop ends, though '%s' wraps around", c->var->name));
}
