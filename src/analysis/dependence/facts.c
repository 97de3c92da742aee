// What is known of two iterations, as constraints: where the accesses meet, loop bounds, facts of the atoms, guards.
#include "analysis/dependence/pair.h"

#include <assert.h>

// ---- the second iteration ------------------------------------------------------------------------------------------

static const struct poly *second(struct pair *pair, const struct poly *value)
{
    struct poly_pool *pool = &pair->an->scratch;
    const struct poly *result = value;
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            if (atom_varies(pair->an, id, pair->info) && (id & 1) == 0 && poly_mentions(result, id)) {
                result = poly_replace(pool, result, id, poly_atom(pool, id | 1));
            }
        }
    }
    return result;
}

// n - 1 as a bound is what it seems unless it wraps, which the launch can see.
static const struct poly *fitting(struct pair *pair, const struct poly *value)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            const struct atom *atom = atom_of(pair->an, id);
            bool may_wrap = atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT);
            bool is_known = false;
            for (int f = 0; f < pair->fit_count; f++) {
                is_known |= pair->fits[f] == (id & ~1);
            }
            if (!may_wrap || (!is_known && pair->fit_count == MAX_FITS)) {
                continue;
            }
            if (!is_known) {
                pair->fits[pair->fit_count++] = id & ~1;
            }
            const struct poly *whole = (id & 1) != 0 ? second(pair, atom->a) : atom->a;
            return fitting(pair, poly_replace(pool, value, id, whole));
        }
    }
    return value;
}

void pair_add_constraint(struct pair *pair, const struct poly *value, bool is_equal)
{
    assert(pair->assumes_fits || pair->fit_count == 0);
    value = pair->assumes_fits ? fitting(pair, value) : value;
    if (value == NULL || pair->constraint_count == MAX_CONSTRAINTS) {
        return;
    }
    for (int i = 0; i < pair->constraint_count; i++) { // a fact belongs to more than one atom
        if (pair->constraints[i].is_equal == is_equal && poly_equal(pair->constraints[i].value, value)) {
            return;
        }
    }
    pair->constraints[pair->constraint_count++] = (struct constraint){value, is_equal};
}

void pair_add_split(struct pair *pair, struct split split)
{
    assert(split.count >= 1 && split.count <= 3);
    if (pair->split_count < MAX_SPLITS) {
        pair->splits[pair->split_count++] = split;
    }
}

// ---- what is known of the atoms ------------------------------------------------------------------------------------

void pair_add_known(struct pair *pair, const struct poly *value);

// A fact that holds only where its guard is at least 1: the cases are that it is, or that the fact says nothing.
static void add_guarded(struct pair *pair, const struct poly *value, bool is_equal, const struct poly *guard)
{
    if (guard == NULL || value_range(pair->an, guard).lo >= 1) {
        pair_add_constraint(pair, value, is_equal);
    } else if (value != NULL && pair->guarded_count < MAX_GUARDED && !value_varies(pair->an, guard, pair->info)) {
        value = pair->assumes_fits ? fitting(pair, value) : value;
        pair->guarded[pair->guarded_count++] = (struct guarded){{value, is_equal}, guard};
    }
}

static void add_range(struct pair *pair, int id)
{
    struct poly_pool *pool = &pair->an->scratch;
    struct poly_range range = atom_of(pair->an, id)->range;
    const struct poly *atom = poly_atom(pool, id);
    if (range.lo >= INT64_MIN / 4) {
        pair_add_constraint(pair, poly_plus(pool, atom, (int64_t)-range.lo), false);
    }
    if (range.hi <= INT64_MAX / 4) {
        pair_add_constraint(pair, poly_plus(pool, poly_scale(pool, atom, -1), (int64_t)range.hi), false);
    }
}

void pair_add_atom(struct pair *pair, int id)
{
    for (int i = 0; i < pair->id_count; i++) {
        if (pair->ids[i] == id) {
            return;
        }
    }
    if (pair->id_count == MAX_IDS) {
        return;
    }
    pair->ids[pair->id_count++] = id;
    add_range(pair, id);
    for (const struct fact *fact = atom_of(pair->an, id)->facts; fact != NULL; fact = fact->next) {
        const struct poly *value = (id & 1) != 0 ? second(pair, fact->value) : fact->value;
        add_guarded(pair, value, fact->is_equal, fact->guard);
        pair_add_known(pair, value);
    }
}

void pair_add_known(struct pair *pair, const struct poly *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            pair_add_atom(pair, value->terms[i].ids[k]);
        }
    }
}

// ---- the equations of the accesses ---------------------------------------------------------------------------------

// Whether everything below dimension |dim| stays inside one step of it.
static bool is_inside_step(struct analysis *an, const struct access *access, int dim)
{
    struct poly_pool *pool = &an->scratch;
    const struct poly *end = poly_add(pool, access->offset, access->size);
    if (value_range(an, access->offset).lo < 0) {
        return false;
    }
    for (int d = dim + 1; d < access->dim_count; d++) {
        const struct poly *last = poly_plus(pool, access->dims[d].extent, -1); // NULL without an extent
        end = poly_add(pool, end, poly_mul(pool, last, access->dims[d].stride));
    }
    return value_is_nonnegative(an, poly_sub(pool, access->dims[dim].stride, end), NULL);
}

bool pair_has_same_dims(struct analysis *an, const struct access *a, const struct access *b)
{
    if (a->dim_count != b->dim_count || a->dim_count == 0) {
        return false;
    }
    for (int d = 0; d < a->dim_count; d++) {
        if (!poly_equal(a->dims[d].stride, b->dims[d].stride) || !is_inside_step(an, a, d) ||
            !is_inside_step(an, b, d)) {
            return false;
        }
    }
    return true;
}

// Members of one element that do not overlap.
static bool has_apart_offsets(struct analysis *an, const struct access *a, const struct access *b)
{
    struct poly_pool *pool = &an->scratch;
    return value_is_nonnegative(an, poly_sub(pool, b->offset, poly_add(pool, a->offset, a->size)), NULL) ||
           value_is_nonnegative(an, poly_sub(pool, a->offset, poly_add(pool, b->offset, b->size)), NULL);
}

void pair_add_bounds(struct pair *pair, const struct access *access, bool is_second)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int d = 0; d < access->dim_count; d++) {
        if (access->dims[d].extent != NULL) {
            const struct poly *index = is_second ? second(pair, access->dims[d].index) : access->dims[d].index;
            const struct poly *extent = is_second ? second(pair, access->dims[d].extent) : access->dims[d].extent;
            pair_add_constraint(pair, index, false);
            pair_add_constraint(pair, poly_plus(pool, poly_sub(pool, extent, index), -1), false);
        }
    }
    for (const struct guard *guard = access->guards; guard != NULL; guard = guard->next) {
        pair_add_constraint(pair, is_second ? second(pair, guard->value) : guard->value, guard->is_equal);
    }
}

// i * n + j as the digits i and j, if j stays below n.
static bool split_digits(struct pair *pair, const struct access *access, int dim, int id, const struct poly **out_high,
                         const struct poly **out_low)
{
    struct analysis *an = pair->an;
    struct poly_pool *pool = &an->scratch;
    *out_high = poly_coefficient(pool, access->dims[dim].index, id, out_low);
    if (*out_high == NULL || (*out_high)->count == 0) {
        return false;
    }
    const struct poly *room = poly_plus(pool, poly_sub(pool, poly_atom(pool, id), *out_low), -1);
    return value_is_nonnegative(an, *out_low, access->guards) && value_is_nonnegative(an, room, access->guards);
}

// Flat indices that agree agree digit by digit.
static void add_digits(struct pair *pair, int dim)
{
    struct poly_pool *pool = &pair->an->scratch;
    const struct poly *index = pair->a->dims[dim].index;
    for (int i = 0; i < index->count; i++) {
        const struct poly_term *term = &index->terms[i];
        for (int k = 0; k < term->degree && term->degree > 1; k++) {
            const struct poly *high_a, *low_a, *high_b, *low_b;
            if (!atom_varies(pair->an, term->ids[k], pair->info) &&
                split_digits(pair, pair->a, dim, term->ids[k], &high_a, &low_a) &&
                split_digits(pair, pair->b, dim, term->ids[k], &high_b, &low_b)) {
                pair_add_constraint(pair, poly_sub(pool, high_a, second(pair, high_b)), true);
                pair_add_constraint(pair, poly_sub(pool, low_a, second(pair, low_b)), true);
                return;
            }
        }
    }
}

// The accesses touch a common byte. False: they never do, whatever the iterations.
bool pair_add_equations(struct pair *pair)
{
    struct analysis *an = pair->an;
    struct poly_pool *pool = &an->scratch;
    const struct access *a = pair->a, *b = pair->b;
    if (pair_has_same_dims(an, a, b)) {
        if (has_apart_offsets(an, a, b) ||
            (analysis_has_bug(an, BUG_MEMBERS_APART) && !poly_equal(a->offset, b->offset))) {
            return false;
        }
        for (int d = 0; d < a->dim_count; d++) {
            pair_add_constraint(pair, poly_sub(pool, a->dims[d].index, second(pair, b->dims[d].index)), true);
            add_digits(pair, d);
        }
    } else {
        const struct poly *way = poly_sub(pool, second(pair, b->flat), a->flat);
        if (a->size != NULL) { // b begins before a ends
            pair_add_constraint(pair, poly_plus(pool, poly_sub(pool, a->size, way), -1), false);
        }
        if (b->size != NULL) {
            pair_add_constraint(pair, poly_plus(pool, poly_add(pool, second(pair, b->size), way), -1), false);
        }
    }
    return true;
}
