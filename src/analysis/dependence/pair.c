// The answer for one pair of accesses: apart, apart under a condition, or in conflict.
#include "analysis/dependence/pair.h"

#include <assert.h>

// ---- answers -------------------------------------------------------------------------------------------------------

// The usual case, without a system: one index is the same in both, moves with the loop and with nothing else.
static bool has_same_index(struct analysis *an, const struct loop_info *info, const struct access *a,
                           const struct access *b)
{
    for (int d = 0; d < a->dim_count && d < b->dim_count; d++) {
        const struct poly *rest;
        int64_t factor;
        if (poly_equal(a->dims[d].index, b->dims[d].index) &&
            poly_is_const(poly_coefficient(&an->scratch, a->dims[d].index, info->variable, &rest), &factor) &&
            factor != 0 && !value_varies(an, rest, info)) {
            return pair_has_same_dims(an, a, b);
        }
    }
    return false;
}

// The other one: offsets that move by the same number of bytes and are a constant apart, as in unrolled code.
static bool has_wide_step(struct analysis *an, const struct loop_info *info, const struct access *a,
                          const struct access *b)
{
    const struct poly *rest;
    int64_t factor, way, size_a, size_b, stride;
    if (!poly_is_const(poly_sub(&an->scratch, a->flat, b->flat), &way) || !poly_is_const(a->size, &size_a) ||
        !poly_is_const(b->size, &size_b) ||
        !poly_is_const(poly_coefficient(&an->scratch, a->flat, info->variable, &rest), &factor) ||
        value_varies(an, rest, info) || __builtin_mul_overflow(factor, info->inst->loop->step, &stride)) {
        return false;
    }
    const int64_t limit = INT64_C(1) << 40;
    stride = stride < 0 ? -stride : stride;
    way = way < 0 ? -way : way;
    return stride < limit && way < limit && stride - way >= (size_a > size_b ? size_a : size_b);
}

static struct pair *new_pair(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b)
{
    struct pair *pair = poly_alloc(&an->scratch, sizeof *pair);
    *pair = (struct pair){.an = an, .info = info, .a = a, .b = b};
    return pair;
}

static bool has_wrapping(const struct pair *pair)
{
    for (int i = 0; i < pair->id_count; i++) {
        const struct atom *atom = atom_of(pair->an, pair->ids[i]);
        if (atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT)) {
            return true;
        }
    }
    return false;
}

// They can meet: is it certain, or can the launch see that they do not?
static struct pair_result judge_cases(struct pair *pair, bool same_iteration)
{
    struct analysis *an = pair->an;
    struct pair_result result = {.answer = PAIR_CONFLICT};
    if (!pair->is_too_much && an->budget > 0) {
        result = pair_make_condition(pair);
    }
    // Bounds that might wrap often stand in the way of a proof; that they do not is a condition of its own.
    if (!has_wrapping(pair)) {
        return result;
    }
    struct pair *fitting = new_pair(an, pair->info, pair->a, pair->b);
    assert(!pair->assumes_fits); // once
    fitting->assumes_fits = true;
    bool can_meet = pair_run(fitting, same_iteration);
    if (fitting->fit_count == 0 || an->budget <= 0) {
        return result;
    }
    struct pair_result other = {.answer = PAIR_APART, .is_fit = true};
    if (can_meet) {
        other = result.answer == PAIR_CONFLICT && !fitting->is_too_much ? pair_make_condition(fitting) : result;
        other.is_fit = false;
    }
    bool is_better = other.answer == PAIR_APART || (other.answer == PAIR_IF && result.answer == PAIR_CONFLICT);
    other = is_better ? pair_with_fits(fitting, other) : result;
    return other.answer == PAIR_CONFLICT ? result : other; // that it fits may be more than the launch can see
}

// Whether the place that it touches is followed from one iteration of the loop to another.
bool pair_is_followed(const struct analysis *an, const struct loop_info *info, const struct access *access)
{
    return access->flat != NULL && value_is_followed(an, access->flat, info);
}

struct pair_result pair_test(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, bool same_iteration)
{
    assert(a->kind != ACCESS_READ || b->kind != ACCESS_READ); // two reads never collide
    struct poly_mark mark = poly_mark(&an->scratch);
    struct pair_result result = {.answer = PAIR_APART};
    if (!same_iteration && a->needs == NULL && b->needs == NULL &&
        (has_same_index(an, info, a, b) || has_wide_step(an, info, a, b))) {
        poly_release(&an->scratch, mark);
        return result;
    }
    struct pair *pair = new_pair(an, info, a, b);
    if (pair_run(pair, same_iteration)) {
        result = judge_cases(pair, same_iteration);
    }
    if (result.answer == PAIR_APART || result.answer == PAIR_IF) {
        result = pair_with_needs(an, info, a, b, result);
    }
    poly_release(&an->scratch, mark);
    return result;
}

struct pair_result pair_meet(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, const struct pair_relation *relations, int count)
{
    struct poly_mark mark = poly_mark(&an->scratch);
    struct pair_result result = {.answer = PAIR_APART};
    struct pair *pair = new_pair(an, info, a, b);
    if (pair_run_related(pair, relations, count)) {
        result.answer = PAIR_CONFLICT;
        struct pair *fitting = new_pair(an, info, a, b);
        fitting->assumes_fits = true;
        if (has_wrapping(pair) && !pair_run_related(fitting, relations, count) && fitting->fit_count > 0) {
            result = pair_with_fits(fitting, (struct pair_result){.answer = PAIR_APART, .is_fit = true});
        }
    }
    if (result.answer != PAIR_CONFLICT) {
        result = pair_with_needs(an, info, a, b, result);
    }
    poly_release(&an->scratch, mark);
    return result;
}
