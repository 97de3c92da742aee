// The lowest and highest value of a polynomial over everything that was made since some time, in terms of what was
// there before.
#include "analysis/effects/effects.h"

#include <assert.h>

// The varying atom that was made last: bounds of what was made later mention only what was made before.
static int last_varying(const struct analysis *an, const struct poly *value, int first_atom)
{
    int last = -1;
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            last = id > last && atom_varies_since(an, id, first_atom) ? id : last;
        }
    }
    return last;
}

static const struct poly *bound_of(struct analysis *an, const struct poly *value, int first_atom, bool wants_high,
                                   int depth);

static const struct poly *range_bound(struct analysis *an, int id, bool wants_high)
{
    enum { WIDEST = 1 << 24 };
    struct poly_range range = atom_of(an, id)->range;
    if (range.hi - range.lo > WIDEST) {
        return NULL; // true, but of no use
    }
    return poly_const(&an->pool, (int64_t)(wants_high ? range.hi : range.lo));
}

// Whether the divisor is at least 1: known, or taken so where the caller tests it.
static bool is_positive_divisor(struct analysis *an, const struct poly *divisor, int first_atom)
{
    if (value_range(an, divisor).lo >= 1) {
        return true;
    }
    if (!an->may_assume || value_varies_since(an, divisor, first_atom)) {
        return false;
    }
    for (int i = 0; i < an->assumed.count; i++) {
        if (poly_equal(an->assumed.items[i], divisor)) {
            return true;
        }
    }
    VEC_PUSH(an->arena, &an->assumed, divisor);
    return true;
}

// One operand alone bounds a minimum from above; the one that does not vary says it shortest.
static const struct poly *extreme_bound(struct analysis *an, const struct atom *atom, int first_atom, bool wants_high,
                                        int depth)
{
    bool is_swapped = value_varies_since(an, atom->a, first_atom);
    const struct poly *first = is_swapped ? atom->b : atom->a, *other = is_swapped ? atom->a : atom->b;
    const struct poly *bound = bound_of(an, first, first_atom, wants_high, depth + 1);
    return bound != NULL ? bound : bound_of(an, other, first_atom, wants_high, depth + 1);
}

static bool depends_on_changing_bound(const struct analysis *an, const struct poly *value)
{
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            const struct atom *atom = atom_of(an, value->terms[i].ids[k]);
            if (atom->kind == ATOM_LOOP && atom->loop->bound_may_change) {
                return true;
            }
        }
    }
    return false;
}

static const struct poly *quotient_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    if (depends_on_changing_bound(an, atom->a)) {
        return NULL;
    }
    for (const struct fact *fact = atom->facts; fact != NULL && wants_high; fact = fact->next) {
        const struct poly *rest;
        int64_t one;
        if ((fact->guard == NULL || is_positive_divisor(an, fact->guard, first_atom)) && !fact->is_equal &&
            poly_is_const(poly_coefficient(&an->pool, fact->value, id, &rest), &one) && one == -1 &&
            !value_varies_since(an, rest, first_atom)) {
            return rest; // rest - q >= 0
        }
    }
    if (atom->op == IR_OP_SDIV && !is_positive_divisor(an, atom->b, first_atom)) {
        return NULL;
    }
    const struct poly *a = bound_of(an, atom->a, first_atom, wants_high, depth + 1);
    if (a == NULL || value_varies_since(an, atom->b, first_atom)) {
        return NULL;
    }
    // Quotients by what is positive grow with their first operand.
    return poly_atom(&an->pool, atom_intern_op(an, atom->op, IR_I64, a, atom->b, atom->range));
}

static const struct poly *op_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    const struct poly *bound = NULL;
    switch (atom->op) {
    case IR_OP_SMIN:
    case IR_OP_SMAX:
        if ((atom->op == IR_OP_SMIN) == wants_high) {
            bound = extreme_bound(an, atom, first_atom, wants_high, depth);
        }
        break;
    case IR_OP_SDIV:
    case IR_OP_ASHR: bound = quotient_bound(an, id, first_atom, wants_high, depth); break;
    case IR_OP_SREM:
    case IR_OP_AND:
        if (!wants_high && atom->range.lo >= 0) {
            bound = poly_const(&an->pool, (int64_t)atom->range.lo);
        } else if (atom->op == IR_OP_SREM && !value_varies_since(an, atom->b, first_atom) &&
                   is_positive_divisor(an, atom->b, first_atom)) {
            bool is_positive = value_is_nonnegative(an, atom->a, NULL);
            bound = wants_high ? poly_plus(&an->pool, atom->b, -1)
                               : poly_plus(&an->pool, poly_scale(&an->pool, atom->b, is_positive ? 0 : -1),
                                           is_positive ? 0 : 1);
        }
        break;
    default: break;
    }
    return bound != NULL ? bound : range_bound(an, id, wants_high);
}

static const struct poly *atom_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    switch (atom->kind) {
    case ATOM_LOOP: {
        const struct poly *edge = wants_high ? atom->loop->last : atom->loop->first;
        bool is_end = wants_high == (atom->loop->inst->loop->step > 0);
        edge = is_end && atom->loop->bound_may_change ? NULL : edge;
        return edge != NULL ? edge : range_bound(an, id, wants_high);
    }
    case ATOM_COUNT: {
        const struct ir_for *loop = atom->loop->inst->loop;
        if (!wants_high) {
            return poly_const(&an->pool, 0);
        }
        if (atom->loop->last == NULL || atom->loop->bound_may_change || (loop->step != 1 && loop->step != -1)) {
            return NULL;
        }
        return poly_sub(&an->pool, atom->loop->last, atom->loop->first);
    }
    case ATOM_OP: return op_bound(an, id, first_atom, wants_high, depth);
    default: return range_bound(an, id, wants_high);
    }
}

// The lowest or highest value over all atoms made since |first_atom|; NULL if not known.
static const struct poly *bound_of(struct analysis *an, const struct poly *value, int first_atom, bool wants_high,
                                   int depth)
{
    enum { MAX_ROUNDS = 24 };
    struct poly_pool *pool = &an->pool;
    for (int round = 0; value != NULL && round < MAX_ROUNDS; round++) {
        int id = last_varying(an, value, first_atom);
        if (id < 0) {
            return value;
        }
        const struct poly *rest;
        const struct poly *factor = poly_coefficient(pool, value, id, &rest);
        if (factor == NULL || depth > 8) {
            return NULL;
        }
        bool is_up = value_is_nonnegative(an, factor, NULL);
        bool is_down = !is_up && value_is_nonnegative(an, poly_scale(pool, factor, -1), NULL);
        if (is_up || is_down) {
            const struct poly *bound = atom_bound(an, id, first_atom, wants_high == is_up, depth);
            value = poly_add(pool, rest, poly_mul(pool, factor, bound));
            continue;
        }
        if (value_varies_since(an, factor, first_atom)) {
            return NULL;
        }
        const struct poly *low =
            bound_of(an, atom_bound(an, id, first_atom, false, depth), first_atom, false, depth + 1);
        const struct poly *high =
            bound_of(an, atom_bound(an, id, first_atom, true, depth), first_atom, true, depth + 1);
        low = poly_mul(pool, factor, low);
        high = poly_mul(pool, factor, high);
        if (low == NULL || high == NULL) {
            return NULL;
        }
        struct poly_range x = value_range(an, low), y = value_range(an, high);
        struct poly_range range = {x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
        int edge = atom_intern_op(an, wants_high ? IR_OP_SMAX : IR_OP_SMIN, IR_I64, low, high, range);
        value = poly_add(pool, rest, poly_atom(pool, edge));
    }
    return NULL;
}

bool value_extremes(struct analysis *an, const struct poly *value, const struct loop_info *loop,
                    const struct poly **out_lowest, const struct poly **out_highest)
{
    int first_atom = loop != NULL ? loop->variable >> 1 : 0;
    *out_lowest = bound_of(an, value, first_atom, false, 0);
    *out_highest = bound_of(an, value, first_atom, true, 0);
    return *out_lowest != NULL && *out_highest != NULL;
}

const struct poly *effects_bound(struct analysis *an, const struct poly *value, int first_atom, bool wants_high)
{
    assert(first_atom >= 0);
    return bound_of(an, value, first_atom, wants_high, 0);
}
