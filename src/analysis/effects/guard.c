// Regions that hold if an index does not wrap. What blocks and launches touch is compared at launch anyway, so the
// launch can also find out whether `3 * i` stays an int; if it does not, the whole array is touched.
#include "analysis/effects/effects.h"

#include <assert.h>

static struct plan_expr *both(struct analysis *an, struct plan_expr *a, struct plan_expr *b)
{
    return plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, a, b);
}

static struct plan_expr *is_at_least(struct analysis *an, struct plan_expr *value, int64_t limit)
{
    struct plan_expr *least =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, limit), NULL);
    return plan_op(an->arena, IR_OP_FGE, IR_I1, IR_F64, value, least);
}

static struct plan_expr *is_at_most(struct analysis *an, struct plan_expr *value, int64_t limit)
{
    struct plan_expr *most =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, limit), NULL);
    return plan_op(an->arena, IR_OP_FLE, IR_I1, IR_F64, value, most);
}

// How large a term may be for the sum of all of them to be exact in f64.
static int64_t exact_limit(const struct poly *value)
{
    return value == NULL || value->count == 0 ? 0 : ((int64_t)1 << 53) / value->count;
}

// low and high fit the type of the need. They might not fit 64 bits, so the sums are computed in f64: exactly, since no
// term is larger than exact_limit. A need of 64 bits does with less than the type holds: what terms of up to 2^62 lose
// in f64 does not matter then, but at 0. Of values that are read as signed though the loop counts without a sign, low
// may be above high: both must be near.
struct plan_expr *effects_fits(struct analysis *an, const struct need *need, const struct poly *low,
                               const struct poly *high, const struct var_values *entry)
{
    const int64_t wide = (int64_t)1 << 62;
    bool is_wide = need->type == IR_I64;
    struct poly_range range = poly_type_range(need->type, need->is_signed);
    int64_t least = is_wide ? (need->is_signed ? -wide : 0) : (int64_t)range.lo;
    int64_t most = is_wide ? wide : (int64_t)range.hi;
    struct plan_expr *bottom = value_expr_float(an, low, entry), *top = value_expr_float(an, high, entry);
    struct plan_expr *sums = both(an, is_at_least(an, bottom, least), is_at_most(an, top, most));
    bool is_low_wide = is_wide && need->is_signed; // whether it is below 0 must be exact
    struct plan_expr *terms = both(an, value_terms_within(an, low, is_low_wide ? wide : exact_limit(low), entry),
                                   value_terms_within(an, high, is_wide ? wide : exact_limit(high), entry));
    return both(an, terms, sums);
}

// Bytes from the base that no object has: beyond, arithmetic on addresses might wrap.
static struct plan_expr *is_near(struct analysis *an, const struct poly *value, const struct var_values *entry)
{
    const int64_t limit = (int64_t)1 << 46;
    struct poly_range range = value_range(an, value);
    if (range.lo >= -limit && range.hi <= limit) {
        return plan_const(an->arena, IR_I1, 1);
    }
    struct plan_expr *bytes = value_expr_float(an, value, entry);
    struct plan_expr *sum = both(an, is_at_most(an, bytes, limit), is_at_least(an, bytes, -limit));
    return both(an, value_terms_within(an, value, exact_limit(value), entry), sum);
}

// A value that wraps to its type is the value itself if it fits. Takes those that vary out of the offset, one by one,
// and notes what must fit.
static void unwrap(struct analysis *an, struct access *access, int first_atom)
{
    enum { MOST = 8 };
    struct poly_pool *pool = &an->pool;
    for (int round = 0; access->flat != NULL && round < MOST; round++) {
        int id = -1;
        for (int i = 0; i < access->flat->count; i++) {
            for (int k = 0; k < access->flat->terms[i].degree; k++) {
                const struct atom *atom = atom_of(an, access->flat->terms[i].ids[k]);
                bool wraps = atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT);
                if (wraps && atom_varies_since(an, access->flat->terms[i].ids[k], first_atom)) {
                    id = access->flat->terms[i].ids[k];
                }
            }
        }
        const struct poly *rest;
        const struct poly *factor = id >= 0 ? poly_coefficient(pool, access->flat, id, &rest) : NULL;
        const struct poly *inner = factor != NULL ? poly_mul(pool, factor, atom_of(an, id)->a) : NULL;
        const struct poly *flat = inner != NULL ? poly_add(pool, rest, inner) : NULL;
        if (flat == NULL) {
            return;
        }
        struct need *need = ARENA_NEW(an->arena, struct need);
        *need = (struct need){atom_of(an, id)->a, atom_of(an, id)->type, atom_of(an, id)->op == IR_OP_SEXT,
                              access->inst->loc, access->needs};
        access->flat = flat;
        access->needs = need;
    }
}

bool effects_find_region_if(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                            struct region *out)
{
    struct access exact = *access;
    unwrap(an, &exact, scope->first_atom);
    if (exact.needs == NULL || access->size == NULL) {
        return false; // nothing to test
    }
    struct plan_expr *all = plan_const(an->arena, IR_I1, 1);
    for (const struct need *need = exact.needs; need != NULL; need = need->next) {
        const struct poly *low = effects_bound(an, need->value, scope->first_atom, false);
        const struct poly *high = effects_bound(an, need->value, scope->first_atom, true);
        struct plan_expr *fits = low != NULL && high != NULL ? effects_fits(an, need, low, high, scope->entry) : NULL;
        all = both(an, all, fits);
    }
    exact.needs = NULL;
    if (all == NULL || !effects_find_region(an, &exact, scope->first_atom, out)) {
        return false;
    }
    all = both(an, all, both(an, is_near(an, out->low, scope->entry), is_near(an, out->high, scope->entry)));
    int64_t value;
    bool is_known = plan_expr_is_const(all, &value);
    out->only_if = is_known ? NULL : all;
    return all != NULL && (!is_known || value != 0);
}

// How many steps it takes to evaluate, as the tree that it is.
static int64_t steps_of(const struct plan_expr *expr)
{
    int64_t steps = 1;
    for (int i = 0; i < expr->arg_count; i++) {
        steps += steps_of(expr->args[i]);
    }
    return steps;
}

// Products by what may be negative have ends that are many times as large as the index, and seldom say anything.
static bool is_short_and_of_arguments(const struct plan_expr *expr)
{
    enum { MOST_STEPS = 512 };
    return expr != NULL && plan_expr_is_of_arguments(expr) && steps_of(expr) <= MOST_STEPS;
}

static bool is_of_arguments(struct analysis *an, const struct poly *value, const struct var_values *entry)
{
    return is_short_and_of_arguments(value_expr(an, value, entry));
}

// Whether what is left is all of |wide| in any case.
static bool leaves_nothing_out(struct analysis *an, const struct region *narrow, const struct region *wide)
{
    int64_t step;
    const struct poly *before = poly_sub(&an->pool, wide->low, narrow->low);
    const struct poly *behind = poly_sub(&an->pool, narrow->high, wide->high);
    bool is_gapless = narrow->step == NULL || (poly_is_const(narrow->step, &step) && step <= narrow->width);
    return is_gapless && before != NULL && behind != NULL && value_is_nonnegative(an, before, NULL) &&
           value_is_nonnegative(an, behind, NULL);
}

// What other launches are ordered by is evaluated from the arguments. A region that depends on more would only make the
// launch wait for it.
void effects_narrow(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                    struct region *region)
{
    struct region narrow;
    if (region->low == NULL || !effects_find_region_if(an, access, scope, &narrow) || narrow.only_if == NULL ||
        !is_short_and_of_arguments(narrow.only_if) || !is_of_arguments(an, narrow.low, scope->entry) ||
        !is_of_arguments(an, narrow.high, scope->entry) || !is_of_arguments(an, region->low, scope->entry) ||
        !is_of_arguments(an, region->high, scope->entry) ||
        (narrow.step != NULL && !is_of_arguments(an, narrow.step, scope->entry)) ||
        leaves_nothing_out(an, &narrow, region)) {
        return;
    }
    narrow.wide_low = region->low;
    narrow.wide_high = region->high;
    narrow.test_count = 1;
    *region = narrow;
}

void effects_widen(struct region *region)
{
    assert(region->wide_low != NULL && region->wide_high != NULL);
    region->low = region->wide_low;
    region->high = region->wide_high;
    region->step = NULL;
    region->width = 0;
    region->only_if = NULL;
    region->test_count = 0;
    region->wide_low = NULL;
    region->wide_high = NULL;
}
