// Integers of the IR as quasi-affine expressions. What a value may be is followed as an interval beside it, so that isl
// is asked for wrapping only where that is not enough. A value that might wrap, or is made of memory, is not known.
#include "value.h"

isl_space *walk_space(const struct walk *walk)
{
    return isl_space_set_alloc(walk->ctx, 0, (unsigned)walk->depth);
}

isl_pw_aff *walk_variable(const struct walk *walk, int loop)
{
    return isl_pw_aff_var_on_domain(isl_local_space_from_space(walk_space(walk)), isl_dim_set, (unsigned)loop);
}

void value_finish(struct value *value)
{
    isl_pw_aff_free(value->number);
    isl_set_free(value->truth);
    *value = (struct value){0};
}

struct value value_copy(const struct value *value)
{
    struct value copy = *value;
    copy.number = isl_pw_aff_copy(value->number);
    copy.truth = isl_set_copy(value->truth);
    return copy;
}

isl_pw_aff *value_number_at(const struct walk *walk, int64_t number)
{
    return isl_pw_aff_val_on_domain(isl_set_universe(walk_space(walk)), isl_val_int_from_si(walk->ctx, number));
}

struct value value_number(isl_pw_aff *number, int64_t low, int64_t high, int64_t multiple)
{
    return (struct value){.kind = VALUE_NUMBER, .number = number, .low = low, .high = high, .multiple = multiple};
}

struct value value_constant(const struct walk *walk, int64_t number)
{
    return value_number(value_number_at(walk, number), number, number, number < 0 ? -number : number);
}

struct value value_truth(isl_set *truth)
{
    return (struct value){.kind = VALUE_TRUTH, .truth = truth};
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

// The set in which the number is outside of [low, high], where the walk stands, is empty.
static bool stays_within(struct walk *walk, const struct value *value, int64_t low, int64_t high)
{
    if (value->low >= low && value->high <= high) {
        return true;
    }
    isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(value->number), value_number_at(walk, low));
    isl_set *above = isl_pw_aff_gt_set(isl_pw_aff_copy(value->number), value_number_at(walk, high));
    isl_set *outside = isl_set_intersect(isl_set_union(below, above), isl_set_copy(walk->domain));
    outside = isl_set_intersect_params(outside, isl_set_copy(walk->context));
    bool is_empty = isl_set_is_empty(outside) == isl_bool_true;
    isl_set_free(outside);
    return is_empty;
}

bool value_is_natural(struct walk *walk, const struct value *value)
{
    return stays_within(walk, value, 0, INT64_MAX);
}

static bool fits(struct walk *walk, const struct value *value, enum ir_type type)
{
    int bits = 8 * ir_type_size(type);
    int64_t high = bits == 64 ? INT64_MAX / 4 : (INT64_C(1) << (bits - 1)) - 1;
    return stays_within(walk, value, -high - 1, high);
}

// ---- operations ----------------------------------------------------------------------------------------------------

int64_t value_add_limits(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int64_t multiply_limits(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : product;
}

struct value value_sum(const struct value *a, const struct value *b, bool is_difference)
{
    isl_pw_aff *x = isl_pw_aff_copy(a->number), *y = isl_pw_aff_copy(b->number);
    int64_t low = is_difference ? (b->high == INT64_MIN ? INT64_MAX : -b->high) : b->low;
    int64_t high = is_difference ? (b->low == INT64_MIN ? INT64_MAX : -b->low) : b->high;
    return value_number(is_difference ? isl_pw_aff_sub(x, y) : isl_pw_aff_add(x, y), value_add_limits(a->low, low),
                        value_add_limits(a->high, high), gcd(a->multiple, b->multiple));
}

static bool is_constant(const struct value *value, int64_t *out)
{
    *out = value->low;
    return value->kind == VALUE_NUMBER && value->low == value->high;
}

struct value value_product(struct walk *walk, const struct value *a, const struct value *b)
{
    int64_t factor;
    if (!is_constant(b, &factor)) {
        const struct value *swap = a;
        a = b;
        b = swap;
    }
    if (!is_constant(b, &factor)) {
        return (struct value){0};
    }
    isl_pw_aff *number = isl_pw_aff_scale_val(isl_pw_aff_copy(a->number), isl_val_int_from_si(walk->ctx, factor));
    int64_t x = multiply_limits(a->low, factor), y = multiply_limits(a->high, factor);
    int64_t multiple = multiply_limits(a->multiple, factor < 0 ? -factor : factor);
    return value_number(number, x < y ? x : y, x < y ? y : x, multiple);
}

static struct value quotient(struct walk *walk, enum ir_op op, const struct value *a, const struct value *b)
{
    int64_t divisor;
    bool is_signed = op == IR_OP_SDIV || op == IR_OP_SREM;
    if (!is_constant(b, &divisor) || divisor <= 0 || (!is_signed && !value_is_natural(walk, a))) {
        return (struct value){0};
    }
    isl_pw_aff *x = isl_pw_aff_copy(a->number), *y = value_number_at(walk, divisor);
    if (op == IR_OP_SDIV || op == IR_OP_UDIV) {
        return value_number(isl_pw_aff_tdiv_q(x, y), a->low / divisor, a->high / divisor, 1);
    }
    return value_number(isl_pw_aff_tdiv_r(x, y), a->low < 0 ? 1 - divisor : 0, a->high > 0 ? divisor - 1 : 0,
                        gcd(a->multiple, divisor));
}

// floor(a / 2^bits), or what is left of it.
static struct value bits_of(struct walk *walk, const struct value *a, int bits, bool is_rest)
{
    isl_val *power = isl_val_2exp(isl_val_int_from_si(walk->ctx, bits));
    isl_pw_aff *x = isl_pw_aff_copy(a->number);
    if (is_rest) {
        int64_t whole = INT64_C(1) << bits;
        return value_number(isl_pw_aff_mod_val(x, power), 0, whole - 1, gcd(a->multiple, whole));
    }
    return value_number(isl_pw_aff_floor(isl_pw_aff_scale_down_val(x, power)), a->low >> bits, a->high >> bits, 1);
}

static struct value shifted(struct walk *walk, enum ir_op op, const struct value *a, const struct value *b)
{
    int64_t count;
    if (!is_constant(b, &count) || count < 0 || count > 40) {
        return (struct value){0};
    }
    if (op == IR_OP_SHL) {
        struct value power = value_constant(walk, INT64_C(1) << count);
        struct value result = value_product(walk, a, &power);
        value_finish(&power);
        return result;
    }
    if (op == IR_OP_LSHR && !value_is_natural(walk, a)) {
        return (struct value){0};
    }
    return bits_of(walk, a, (int)count, false);
}

static struct value masked(struct walk *walk, const struct value *a, const struct value *b)
{
    int64_t mask;
    if (!is_constant(b, &mask)) {
        const struct value *swap = a;
        a = b;
        b = swap;
    }
    bool is_mask = is_constant(b, &mask) && mask > 0 && (mask & (mask + 1)) == 0 && mask < INT64_C(1) << 40;
    return is_mask ? bits_of(walk, a, __builtin_popcountll((unsigned long long)mask), true) : (struct value){0};
}

static struct value extreme(struct walk *walk, enum ir_op op, const struct value *a, const struct value *b)
{
    bool is_signed = op == IR_OP_SMIN || op == IR_OP_SMAX;
    if (!is_signed && !(value_is_natural(walk, a) && value_is_natural(walk, b))) {
        return (struct value){0};
    }
    isl_pw_aff *x = isl_pw_aff_copy(a->number), *y = isl_pw_aff_copy(b->number);
    int64_t multiple = gcd(a->multiple, b->multiple);
    if (op == IR_OP_SMIN || op == IR_OP_UMIN) {
        return value_number(isl_pw_aff_min(x, y), a->low < b->low ? a->low : b->low,
                            a->high < b->high ? a->high : b->high, multiple);
    }
    return value_number(isl_pw_aff_max(x, y), a->low > b->low ? a->low : b->low, a->high > b->high ? a->high : b->high,
                        multiple);
}

// The number as one without a sign.
static struct value widened(struct walk *walk, const struct value *a, enum ir_type from)
{
    if (value_is_natural(walk, a)) {
        return value_copy(a);
    }
    if (ir_type_size(from) > 4) {
        return (struct value){0};
    }
    int64_t around = INT64_C(1) << (8 * ir_type_size(from));
    isl_set *negative = isl_pw_aff_lt_set(isl_pw_aff_copy(a->number), value_number_at(walk, 0));
    isl_pw_aff *more = isl_pw_aff_add(isl_pw_aff_copy(a->number), value_number_at(walk, around));
    isl_pw_aff *other = isl_pw_aff_subtract_domain(isl_pw_aff_copy(a->number), isl_set_copy(negative));
    isl_pw_aff *whole = isl_pw_aff_union_add(isl_pw_aff_intersect_domain(more, negative), other);
    return value_number(whole, 0, around - 1, 1);
}

static struct value compared(struct walk *walk, enum ir_op op, enum ir_type type, const struct value *a,
                             const struct value *b)
{
    struct value x = {0}, y = {0};
    if (a->kind != VALUE_NUMBER || b->kind != VALUE_NUMBER) {
        return (struct value){0};
    }
    bool is_unsigned = op == IR_OP_ULT || op == IR_OP_ULE || op == IR_OP_UGT || op == IR_OP_UGE;
    x = is_unsigned ? widened(walk, a, type) : value_copy(a);
    y = is_unsigned ? widened(walk, b, type) : value_copy(b);
    isl_set *truth = NULL;
    if (x.kind == VALUE_NUMBER && y.kind == VALUE_NUMBER) {
        isl_pw_aff *p = isl_pw_aff_copy(x.number), *q = isl_pw_aff_copy(y.number);
        switch (op) {
        case IR_OP_EQ: truth = isl_pw_aff_eq_set(p, q); break;
        case IR_OP_NE: truth = isl_pw_aff_ne_set(p, q); break;
        case IR_OP_SLT:
        case IR_OP_ULT: truth = isl_pw_aff_lt_set(p, q); break;
        case IR_OP_SLE:
        case IR_OP_ULE: truth = isl_pw_aff_le_set(p, q); break;
        case IR_OP_SGT:
        case IR_OP_UGT: truth = isl_pw_aff_gt_set(p, q); break;
        default: truth = isl_pw_aff_ge_set(p, q); break;
        }
    }
    value_finish(&x);
    value_finish(&y);
    return truth != NULL ? value_truth(truth) : (struct value){0};
}

static struct value of_truths(enum ir_op op, const struct value *a, const struct value *b)
{
    isl_set *x = isl_set_copy(a->truth), *y = isl_set_copy(b->truth);
    switch (op) {
    case IR_OP_AND: return value_truth(isl_set_intersect(x, y));
    case IR_OP_OR: return value_truth(isl_set_union(x, y));
    case IR_OP_XOR:
    case IR_OP_NE:
        return value_truth(isl_set_union(isl_set_subtract(isl_set_copy(x), isl_set_copy(y)), isl_set_subtract(y, x)));
    case IR_OP_EQ: {
        isl_set *both = isl_set_intersect(isl_set_copy(x), isl_set_copy(y));
        return value_truth(isl_set_union(both, isl_set_complement(isl_set_union(x, y))));
    }
    default:
        isl_set_free(x);
        isl_set_free(y);
        return (struct value){0};
    }
}

static struct value chosen(const struct value *truth, const struct value *a, const struct value *b)
{
    if (truth->kind != VALUE_TRUTH || a->kind != b->kind || a->kind == VALUE_UNKNOWN || a->base != b->base) {
        return (struct value){0};
    }
    if (a->kind == VALUE_TRUTH) {
        isl_set *yes = isl_set_intersect(isl_set_copy(truth->truth), isl_set_copy(a->truth));
        return value_truth(isl_set_union(yes, isl_set_subtract(isl_set_copy(b->truth), isl_set_copy(truth->truth))));
    }
    isl_pw_aff *yes = isl_pw_aff_intersect_domain(isl_pw_aff_copy(a->number), isl_set_copy(truth->truth));
    isl_pw_aff *no = isl_pw_aff_subtract_domain(isl_pw_aff_copy(b->number), isl_set_copy(truth->truth));
    struct value result = value_number(isl_pw_aff_union_add(yes, no), a->low < b->low ? a->low : b->low,
                                       a->high > b->high ? a->high : b->high, gcd(a->multiple, b->multiple));
    result.kind = a->kind;
    result.base = a->base;
    return result;
}

// Launches test in doubles whether sums of products fit. Whole numbers that doubles hold exactly are as good as
// integers.
static bool is_exact(const struct value *a)
{
    const int64_t most = INT64_C(1) << 53;
    return a->low >= -most && a->high <= most;
}

struct value value_real(const struct walk *walk, double number)
{
    const double most = (double)(INT64_C(1) << 53);
    bool is_whole = number >= -most && number <= most && (double)(int64_t)number == number;
    return is_whole ? value_constant(walk, (int64_t)number) : (struct value){0};
}

// The operation on integers that does the same; IR_OP_COUNT: there is none.
static enum ir_op as_integers(enum ir_op op)
{
    switch (op) {
    case IR_OP_FADD: return IR_OP_ADD;
    case IR_OP_FSUB: return IR_OP_SUB;
    case IR_OP_FMUL: return IR_OP_MUL;
    case IR_OP_FEQ: return IR_OP_EQ;
    case IR_OP_FNE: return IR_OP_NE;
    case IR_OP_FLT: return IR_OP_SLT;
    case IR_OP_FLE: return IR_OP_SLE;
    case IR_OP_FGT: return IR_OP_SGT;
    case IR_OP_FGE: return IR_OP_SGE;
    default: return IR_OP_COUNT;
    }
}

static struct value converted(struct walk *walk, enum ir_op op, enum ir_type type, enum ir_type from,
                              const struct value *a)
{
    if (a->kind == VALUE_TRUTH && (op == IR_OP_ZEXT || op == IR_OP_SEXT)) {
        isl_pw_aff *one = isl_set_indicator_function(isl_set_copy(a->truth));
        return op == IR_OP_ZEXT ? value_number(one, 0, 1, 1) : value_number(isl_pw_aff_neg(one), -1, 0, 1);
    }
    if (a->kind != VALUE_NUMBER) {
        return (struct value){0};
    }
    if (op == IR_OP_TRUNC && type == IR_I1) {
        struct value bit = bits_of(walk, a, 1, true);
        isl_set *truth = isl_pw_aff_ne_set(bit.number, value_number_at(walk, 0));
        return value_truth(truth);
    }
    if (op == IR_OP_ZEXT) {
        return widened(walk, a, from);
    }
    if (op == IR_OP_SITOFP) {
        return type == IR_F64 && is_exact(a) ? value_copy(a) : (struct value){0};
    }
    return op == IR_OP_SEXT || fits(walk, a, type) ? value_copy(a) : (struct value){0};
}

static struct value of_numbers(struct walk *walk, enum ir_op op, const struct value *a, const struct value *b)
{
    switch (op) {
    case IR_OP_ADD: return value_sum(a, b, false);
    case IR_OP_SUB: return value_sum(a, b, true);
    case IR_OP_MUL: return value_product(walk, a, b);
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_SREM:
    case IR_OP_UREM: return quotient(walk, op, a, b);
    case IR_OP_SHL:
    case IR_OP_ASHR:
    case IR_OP_LSHR: return shifted(walk, op, a, b);
    case IR_OP_AND: return masked(walk, a, b);
    case IR_OP_SMIN:
    case IR_OP_SMAX:
    case IR_OP_UMIN:
    case IR_OP_UMAX: return extreme(walk, op, a, b);
    default: return (struct value){0};
    }
}

struct value value_operation(struct walk *walk, enum ir_op op, enum ir_type type, enum ir_type from,
                             const struct value *args)
{
    if (op == IR_OP_SELECT) {
        return chosen(&args[0], &args[1], &args[2]);
    }
    if (ir_op_group(op) == IR_GROUP_CONVERT) {
        return converted(walk, op, type, from, &args[0]);
    }
    if (from == IR_F64 && as_integers(op) != IR_OP_COUNT) {
        struct value result = value_operation(walk, as_integers(op), type == IR_F64 ? IR_I64 : type, IR_I64, args);
        if (result.kind == VALUE_NUMBER && !is_exact(&result)) {
            value_finish(&result);
        }
        return result;
    }
    if (args[0].kind == VALUE_TRUTH && args[1].kind == VALUE_TRUTH) {
        return of_truths(op, &args[0], &args[1]);
    }
    if (ir_op_group(op) == IR_GROUP_COMPARE) {
        return compared(walk, op, from, &args[0], &args[1]);
    }
    if (ir_op_group(op) != IR_GROUP_INTEGER || args[0].kind != VALUE_NUMBER || args[1].kind != VALUE_NUMBER) {
        return (struct value){0};
    }
    struct value result = of_numbers(walk, op, &args[0], &args[1]);
    if (result.kind == VALUE_NUMBER && !fits(walk, &result, type)) {
        value_finish(&result);
    }
    return result;
}
