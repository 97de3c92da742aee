// Integer arithmetic on polynomials. Sums, differences and products hold modulo 2^width without any condition;
// divisions, shifts to the right and masks become atoms that are tied to what they were made of.
#include "analysis/values/evaluate.h"

#include <assert.h>

// Quotient and remainder of a by b are two atoms tied by a = b * quotient + remainder.
static void tie_division(struct analysis *an, int quotient, int remainder, const struct poly *a, const struct poly *b,
                         bool is_floor)
{
    struct poly_pool *pool = &an->pool;
    if (atom_of(an, quotient)->facts != NULL) {
        return;
    }
    const struct poly *guard = value_range(an, b).lo >= 1 ? NULL : b;
    struct atom *rest = atom_of(an, remainder);
    if (guard == NULL || value_range(an, a).lo > INT32_MIN) {
        rest->quotient = quotient;
        rest->divisor = b;
    }
    const struct poly *q = poly_atom(pool, quotient), *r = poly_atom(pool, remainder);
    const struct poly *sum = poly_add(pool, poly_mul(pool, b, q), r);
    bool is_positive = is_floor || value_is_nonnegative(an, a, NULL);
    const struct poly *top = poly_plus(pool, poly_sub(pool, b, r), -1); // b - 1 - r >= 0
    const struct poly *bottom = is_positive ? r : poly_plus(pool, poly_add(pool, b, r), -1);
    for (int i = 0; i < 2; i++) {
        int id = i == 0 ? quotient : remainder;
        atom_add_fact(an, id, poly_sub(pool, a, sum), true, guard);
        atom_add_fact(an, id, top, false, guard);
        atom_add_fact(an, id, bottom, false, guard);
        if (is_positive && value_is_nonnegative(an, a, NULL)) {
            atom_add_fact(an, id, q, false, guard);
        }
    }
    // k / m with k < n * m stays below n. That is not linear, so it is said here.
    int loop_id;
    if (poly_is_atom(a, &loop_id) && atom_of(an, loop_id)->kind == ATOM_LOOP) {
        const struct poly *end = poly_plus(pool, atom_of(an, loop_id)->loop->last, 1);
        const struct poly *count = poly_divide(pool, end, b);
        if (count != NULL && is_positive) {
            atom_add_fact(an, quotient, poly_plus(pool, poly_sub(pool, count, q), -1), false, guard);
        }
    }
}

struct division {
    bool is_floor; // by a power of two: rounds down; else towards zero
    bool wants_remainder;
    struct poly_range limits; // of the type: results of exact operands stay inside
    enum ir_type type;
};

static struct poly_range narrowed(struct poly_range range, struct poly_range limits)
{
    range.lo = range.lo > limits.lo ? range.lo : limits.lo;
    range.hi = range.hi < limits.hi ? range.hi : limits.hi;
    return range;
}

static const struct poly *divide(struct analysis *an, const struct poly *a, const struct poly *b, struct division how)
{
    bool is_floor = how.is_floor, wants_remainder = how.wants_remainder;
    if (a == NULL || b == NULL) {
        return NULL;
    }
    int64_t divisor;
    const struct poly *exact = poly_is_const(b, &divisor) && divisor != 0 ? poly_divide(&an->pool, a, b) : NULL;
    if (exact != NULL) {
        return wants_remainder ? poly_const(&an->pool, 0) : exact;
    }
    bool is_positive = value_is_nonnegative(an, a, NULL); // no guards: the atoms serve everywhere
    is_floor &= !is_positive;
    struct poly_range range_a = value_range(an, a), range_b = value_range(an, b);
    struct poly_range range_q = {-POLY_INFINITY, POLY_INFINITY}, range_r = range_q;
    if (range_b.lo >= 1) {
        range_q = (struct poly_range){range_a.lo < 0 ? range_a.lo : 0, range_a.hi > 0 ? range_a.hi : 0};
        range_r = (struct poly_range){is_positive || is_floor ? 0 : -(range_b.hi - 1), range_b.hi - 1};
        if (range_b.lo == range_b.hi && range_a.lo >= 0) {
            range_q = (struct poly_range){range_a.lo / range_b.lo, range_a.hi / range_b.lo};
        }
    } else { // x / 0 is 0, x % 0 is x; a negative divisor at most turns the sign
        poly_wide most = -range_a.lo > range_a.hi ? -range_a.lo : range_a.hi;
        range_q = range_r = (struct poly_range){-most, most};
        if (is_positive && range_b.lo >= 0) {
            range_q.lo = range_r.lo = 0;
        }
    }
    enum ir_op division = is_floor ? IR_OP_ASHR : IR_OP_SDIV, rest = is_floor ? IR_OP_AND : IR_OP_SREM;
    const struct poly *second = b, *mask = b;
    if (is_floor) { // only for powers of two: shift and mask are floor division and its remainder
        int shift = 63 - __builtin_clzll((unsigned long long)divisor);
        second = poly_const(&an->pool, shift);
        mask = poly_const(&an->pool, divisor - 1);
    }
    int q = atom_intern_op(an, division, how.type, a, second, narrowed(range_q, how.limits));
    int r = atom_intern_op(an, rest, how.type, a, mask, narrowed(range_r, how.limits));
    tie_division(an, q, r, a, b, is_floor);
    return poly_atom(&an->pool, wants_remainder ? r : q);
}

static bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static const struct poly *extreme(struct analysis *an, enum ir_op op, const struct poly *a, const struct poly *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (poly_equal(a, b)) {
        return a;
    }
    struct poly_pool *pool = &an->pool;
    bool is_min = op == IR_OP_SMIN;
    struct poly_range x = value_range(an, a), y = value_range(an, b);
    struct poly_range range = {(x.lo < y.lo) == is_min ? x.lo : y.lo, (x.hi < y.hi) == is_min ? x.hi : y.hi};
    int id = atom_intern_op(an, op, IR_I64, a, b, range);
    if (atom_of(an, id)->facts == NULL) {
        const struct poly *value = poly_atom(pool, id);
        atom_add_fact(an, id, is_min ? poly_sub(pool, a, value) : poly_sub(pool, value, a), false, NULL);
        atom_add_fact(an, id, is_min ? poly_sub(pool, b, value) : poly_sub(pool, value, b), false, NULL);
    }
    return poly_atom(pool, id);
}

// x & mask with a mask that is not a run of low bits, |, ^, and shifts by what is not constant.
static const struct poly *opaque(struct analysis *an, enum ir_op op, enum ir_type type, const struct poly *a,
                                 const struct poly *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct poly_range range = poly_type_range(type, true), x = value_range(an, a), y = value_range(an, b);
    if (op == IR_OP_AND && (x.lo >= 0 || y.lo >= 0)) {
        range = (struct poly_range){0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : x.hi < y.hi ? x.hi : y.hi};
    }
    int id = atom_intern_op(an, op, IR_I64, a, b, range);
    struct atom *atom = atom_of(an, id);
    atom->is_opaque = true;
    if (op == IR_OP_AND && atom->facts == NULL) {
        const struct poly *value = poly_atom(&an->pool, id);
        if (x.lo >= 0) {
            atom_add_fact(an, id, poly_sub(&an->pool, a, value), false, NULL);
        }
        if (y.lo >= 0) {
            atom_add_fact(an, id, poly_sub(&an->pool, b, value), false, NULL);
        }
    }
    return poly_atom(&an->pool, id);
}

static const struct poly *exact_operand(struct frame *frame, struct operand *o, const struct poly *value,
                                        bool is_signed)
{
    struct sym_alt alt = {.value = value};
    return sym_exact(frame, &alt, o->type, is_signed, &o->needs, o->inst->loc);
}

// Exact, wrapped if it must be: for what only bounds other values, where that says enough.
static const struct poly *wrapped_operand(struct frame *frame, struct operand *o, const struct poly *value,
                                          bool is_signed)
{
    const struct need *needs = o->needs;
    const struct poly *exact = exact_operand(frame, o, value, is_signed);
    if (o->needs == needs) {
        return exact;
    }
    o->needs = needs;
    return sym_wrapped(frame->an, value, o->type, is_signed);
}

static const struct poly *and_mask(struct frame *frame, struct operand *o)
{
    struct analysis *an = frame->an;
    int64_t mask;
    if (poly_is_const(o->a, &mask)) {
        const struct poly *a = o->a;
        o->a = o->b;
        o->b = a;
    }
    // Of a value that may have wrapped: the quotient has no limits, the remainder needs none.
    const struct division low_bits = {true, true, {-POLY_INFINITY, POLY_INFINITY}, IR_I64};
    if (poly_is_const(o->b, &mask)) {
        if (mask >= 0 && mask != INT64_MAX &&
            is_power_of_two(mask + 1)) { // the low bits are right whatever was carried out at the top
            return divide(an, o->a, poly_const(&an->pool, mask + 1), low_bits);
        }
        if (mask < 0 && mask != INT64_MIN && is_power_of_two(-mask)) {
            const struct poly *low = divide(an, o->a, poly_const(&an->pool, -mask), low_bits);
            return poly_sub(&an->pool, o->a, low);
        }
    }
    return opaque(an, IR_OP_AND, o->type, exact_operand(frame, o, o->a, true), exact_operand(frame, o, o->b, true));
}

static const struct poly *shift(struct frame *frame, struct operand *o, enum ir_op op)
{
    struct analysis *an = frame->an;
    int64_t count;
    int bits = 8 * ir_type_size(o->type);
    if (poly_is_const(o->b, &count)) {
        count &= bits - 1;
        if (count > 61) {
            return NULL;
        }
        const struct poly *power = poly_const(&an->pool, (int64_t)1 << count);
        if (op == IR_OP_SHL) {
            return poly_mul(&an->pool, o->a, power);
        }
        const struct poly *a = exact_operand(frame, o, o->a, op == IR_OP_ASHR);
        struct division how = {true, false, poly_type_range(o->type, op == IR_OP_ASHR), o->type};
        return count == 0 ? a : divide(an, a, power, how);
    }
    if (op != IR_OP_SHL) {
        return NULL;
    }
    const struct poly *a = exact_operand(frame, o, o->a, true);
    const struct poly *b = opaque(an, IR_OP_AND, o->type, o->b, poly_const(&an->pool, bits - 1));
    // As the type's signed reading, so that all uses of the variable it goes to agree.
    const struct poly *value = sym_wrapped(an, opaque(an, IR_OP_SHL, IR_I64, a, b), o->type, true);
    return value;
}

// b * (a / b) + a % b is a, whatever b is (but for the one case that wraps, which is excluded here).
static const struct poly *joined(struct analysis *an, const struct poly *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        const struct poly_term *term = &value->terms[i];
        for (int k = 0; k < term->degree; k++) {
            const struct atom *rest = atom_of(an, term->ids[k]);
            bool is_rest = rest->kind == ATOM_OP && (rest->op == IR_OP_SREM || rest->op == IR_OP_AND);
            if (!is_rest || rest->quotient == 0) {
                continue;
            }
            // The terms with the remainder, times what ties it: if that makes the sum shorter, it is the better form.
            const struct poly *whole =
                poly_sub(&an->pool, rest->a, poly_mul(&an->pool, rest->divisor, poly_atom(&an->pool, rest->quotient)));
            const struct poly *shorter = poly_replace(&an->pool, value, term->ids[k], whole);
            if (shorter != NULL && shorter->count < value->count) {
                return joined(an, shorter);
            }
        }
    }
    return value;
}

const struct poly *access_operation(struct frame *frame, enum ir_op op, struct operand *o)
{
    struct analysis *an = frame->an;
    struct poly_pool *pool = &an->pool;
    bool is_signed = op == IR_OP_SDIV || op == IR_OP_SREM || op == IR_OP_SMIN || op == IR_OP_SMAX;
    switch (op) {
    case IR_OP_ADD: return joined(an, poly_add(pool, o->a, o->b));
    case IR_OP_SUB: return poly_sub(pool, o->a, o->b);
    case IR_OP_MUL: return poly_mul(pool, o->a, o->b);
    case IR_OP_SHL:
    case IR_OP_LSHR:
    case IR_OP_ASHR: return shift(frame, o, op);
    case IR_OP_AND: return and_mask(frame, o);
    case IR_OP_OR:
    case IR_OP_XOR:
        return opaque(an, op, o->type, exact_operand(frame, o, o->a, true), exact_operand(frame, o, o->b, true));
    default: break;
    }
    if (op >= IR_OP_SMIN && op <= IR_OP_UMAX) {
        return extreme(an, op == IR_OP_SMIN || op == IR_OP_UMIN ? IR_OP_SMIN : IR_OP_SMAX,
                       wrapped_operand(frame, o, o->a, is_signed), wrapped_operand(frame, o, o->b, is_signed));
    }
    const struct poly *a = exact_operand(frame, o, o->a, is_signed);
    const struct poly *b = exact_operand(frame, o, o->b, is_signed);
    bool is_remainder = op == IR_OP_SREM || op == IR_OP_UREM;
    struct division how = {false, is_remainder, poly_type_range(o->type, is_signed), o->type};
    switch (op) {
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_SREM:
    case IR_OP_UREM: return is_remainder && analysis_has_bug(an, BUG_REMAINDER_DIFFERS) ? a : divide(an, a, b, how);
    default: return NULL;
    }
}

static bool fits_plainly(const struct analysis *an, const struct sym *sym, enum ir_type type)
{
    struct poly_range wanted = poly_type_range(type, true);
    for (int i = 0; i < sym->alt_count; i++) {
        struct poly_range range = value_range(an, sym->alts[i].value);
        if (sym->alts[i].needs != NULL || range.lo < wanted.lo || range.hi > wanted.hi) {
            return false;
        }
    }
    return sym->alt_count > 0;
}

// Whether the value stands for whatever the instruction gives, wrapped or not.
static bool is_own_atom(const struct analysis *an, const struct sym *sym, const struct ir_inst *inst)
{
    int id;
    return sym->alt_count == 1 && poly_is_atom(sym->alts[0].value, &id) && atom_of(an, id)->inst == inst;
}

// Tells the code generator of sums that do not wrap: operands and result fit, by their ranges alone.
static void mark_no_wrap(struct frame *frame, struct ir_inst *inst, const struct sym *result)
{
    bool is_sum = inst->op == IR_OP_ADD || inst->op == IR_OP_SUB || inst->op == IR_OP_MUL;
    if (is_sum && frame->caller == NULL && inst->type == IR_I32 && !is_own_atom(frame->an, result, inst) &&
        fits_plainly(frame->an, result, inst->type) &&
        fits_plainly(frame->an, sym_of(frame, inst->args[0]), inst->type) &&
        fits_plainly(frame->an, sym_of(frame, inst->args[1]), inst->type)) {
        inst->no_wrap = true;
    }
}

// What is asked of a value is asked of all it is made of, and hashes (x ^= x >> 7, again and again) double that with
// every statement.
static bool is_too_deep(const struct analysis *an, const struct poly *value)
{
    enum { MAX_WEIGHT = 500 };
    return value_weight(an, value) > MAX_WEIGHT;
}

static const struct sym *evaluate(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *a = sym_of(frame, inst->args[0]), *b = sym_of(frame, inst->args[1]);
    int count = a->alt_count * b->alt_count;
    if (count == 0 || count > SYM_MAX_ALTS || inst->type == IR_I1) {
        return sym_unknown(frame, inst, NULL, inst->type, sym_home_of_operands(frame, inst));
    }
    struct sym *sym = sym_create(an, count);
    for (int i = 0; i < count; i++) {
        const struct sym_alt *x = &a->alts[i / b->alt_count], *y = &b->alts[i % b->alt_count];
        struct operand o = {x->value, y->value, sym_both_needs(an, x->needs, y->needs), inst->type, inst};
        sym->alts[i].value = access_operation(frame, inst->op, &o);
        sym->alts[i].needs = o.needs;
        if (sym->alts[i].value == NULL || is_too_deep(an, sym->alts[i].value)) {
            return sym_unknown(frame, inst, NULL, inst->type, sym_home_of_operands(frame, inst));
        }
    }
    return sym;
}

const struct sym *access_arithmetic(struct frame *frame, struct ir_inst *inst)
{
    assert(inst->arg_count > 0);
    const struct sym *result = evaluate(frame, inst);
    mark_no_wrap(frame, inst, result);
    return result;
}
