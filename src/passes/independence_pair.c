// The answer for one pair of accesses: apart, apart under a condition, taken to be apart, or in conflict.
#include "passes/independence_pair.h"

// ---- answers -------------------------------------------------------------------------------------------------------

// Whether a value cannot be followed: it hangs on loaded data, or on a product of two varying values. |hangs| is set if
// that part of it hangs on the loop's iteration.
static bool is_blurred(struct pair *pair, const struct affine *value, bool *hangs);

struct blur {
    int varying; // atoms of the term that vary
    bool is_tainted;
    bool is_moving;
};

static void look_at_atom(struct pair *pair, int id, struct blur *blur, bool *hangs)
{
    const struct atom *atom = atom_of(pair->an, id);
    if (!pair_varies(pair, id)) {
        return;
    }
    // What is only hidden from the analysis is no value that the author sees vary.
    blur->varying += (atom->taint & (TAINT_HIDDEN | TAINT_DATA)) != TAINT_HIDDEN;
    if (atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT)) {
        // A sum that might wrap is as clear as its parts.
        bool inner = false;
        blur->is_tainted |= is_blurred(pair, atom->a, &inner);
        blur->is_moving |= inner;
        *hangs |= inner;
        return;
    }
    blur->is_moving |= pair_hangs(pair, id);
    blur->is_tainted |= (atom->taint & TAINT_DATA) != 0;
    if (atom->kind == ATOM_LOOP || atom->kind == ATOM_COUNT) {
        blur->is_tainted |= atom->loop != pair->info && pair_has_data_bounds(pair->an, atom->loop);
    } else if (atom->kind == ATOM_OP) {
        bool inner = false;
        blur->is_tainted |= is_blurred(pair, atom->a, &inner) || is_blurred(pair, atom->b, &inner);
    }
}

static bool is_blurred(struct pair *pair, const struct affine *value, bool *hangs)
{
    bool found = false;
    for (int i = 0; value != NULL && i < value->count; i++) {
        const struct affine_term *term = &value->terms[i];
        struct blur blur = {0};
        for (int k = 0; k < term->degree; k++) {
            look_at_atom(pair, term->ids[k], &blur, hangs);
        }
        if (blur.varying > 1 || blur.is_tainted) {
            found = true;
            *hangs |= blur.is_moving;
        }
    }
    return found;
}

static bool access_is_blurred(struct pair *pair, const struct access *access, bool *hangs)
{
    bool found = is_blurred(pair, access->offset, hangs);
    for (int d = 0; d < access->dim_count; d++) {
        found |= is_blurred(pair, access->dims[d].index, hangs);
    }
    return found;
}

// The cases in which the two can meet, with every value that does not hang on the iteration taken as the same in both.
// If nothing that cannot be followed and hangs on the iteration is left in the equations, an order must be kept: loaded
// data that is the same in all iterations is no statement about their independence.
static enum pair_answer judge_blurred(struct analysis *an, struct loop_info *info, const struct access *a,
                                      const struct access *b, bool same_iteration)
{
    struct pair *still = affine_alloc(&an->scratch, sizeof *still);
    *still = (struct pair){.an = an, .info = info, .a = a, .b = b, .shares_still = true};
    bool feasible = pair_run(still, same_iteration);
    bool hangs = false;
    struct pair *probe = affine_alloc(&an->scratch, sizeof *probe);
    *probe = (struct pair){.an = an, .info = info, .a = a, .b = b, .shares_still = true};
    pair_add_equations(probe);
    for (int i = 0; i < probe->constraint_count; i++) {
        is_blurred(probe, probe->constraints[i].value, &hangs);
    }
    return hangs || !feasible ? PAIR_ASSUMED : PAIR_CONFLICT;
}

// The usual case, without a system: one index is the same in both, moves with the loop and with nothing else.
static bool has_same_index(struct analysis *an, const struct loop_info *info, const struct access *a,
                           const struct access *b)
{
    for (int d = 0; d < a->dim_count && d < b->dim_count; d++) {
        const struct affine *rest;
        int64_t factor;
        if (affine_equal(a->dims[d].index, b->dims[d].index) &&
            affine_is_const(affine_coefficient(&an->scratch, a->dims[d].index, info->variable, &rest), &factor) &&
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
    const struct affine *rest;
    int64_t factor, way, size_a, size_b, stride;
    if (!affine_is_const(affine_sub(&an->scratch, a->flat, b->flat), &way) || !affine_is_const(a->size, &size_a) ||
        !affine_is_const(b->size, &size_b) ||
        !affine_is_const(affine_coefficient(&an->scratch, a->flat, info->variable, &rest), &factor) ||
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
    struct pair *pair = affine_alloc(&an->scratch, sizeof *pair);
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

static struct pair_result judge_unclear(struct pair *pair, bool same_iteration)
{
    struct pair_result result = {.answer = judge_blurred(pair->an, pair->info, pair->a, pair->b, same_iteration)};
    // Stores that collide are the author's business; a read that another iteration changes is an order.
    bool is_read = pair->a->kind == ACCESS_READ || pair->b->kind == ACCESS_READ;
    if (result.answer == PAIR_ASSUMED && is_read && pair_has_witness(pair->an, pair->info, pair->a, pair->b)) {
        result.answer = PAIR_CONFLICT;
    }
    return result;
}

// Where an index that cannot be followed hangs on the iteration, both iterations' parts of it are in the equation,
// whatever the other index is.
bool pair_is_scattered(struct analysis *an, struct loop_info *info, const struct access *access)
{
    struct affine_mark mark = affine_mark(&an->scratch);
    struct pair *pair = new_pair(an, info, access, access);
    bool hangs = false;
    bool is_unclear = access->flat != NULL && access_is_blurred(pair, access, &hangs);
    hangs = false;
    pair->shares_still = true;
    if (is_unclear && pair_add_equations(pair)) {
        for (int i = 0; i < pair->constraint_count; i++) {
            is_blurred(pair, pair->constraints[i].value, &hangs);
        }
    }
    affine_release(&an->scratch, mark);
    return hangs;
}

struct pair_result pair_test(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, bool same_iteration)
{
    struct affine_mark mark = affine_mark(&an->scratch);
    struct pair_result result = {.answer = PAIR_APART};
    if (!same_iteration && a->needs == NULL && b->needs == NULL &&
        (has_same_index(an, info, a, b) || has_wide_step(an, info, a, b))) {
        affine_release(&an->scratch, mark);
        return result;
    }
    struct pair *pair = new_pair(an, info, a, b);
    if (pair_run(pair, same_iteration)) {
        bool hangs = false;
        bool is_unclear = access_is_blurred(pair, a, &hangs) || access_is_blurred(pair, b, &hangs);
        result = is_unclear ? judge_unclear(pair, same_iteration) : judge_cases(pair, same_iteration);
    }
    if (result.answer == PAIR_APART || result.answer == PAIR_IF) {
        result = pair_with_needs(an, info, a, b, result);
    }
    affine_release(&an->scratch, mark);
    return result;
}
