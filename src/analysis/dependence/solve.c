// Two accesses through one base, made in two different iterations of a loop: can they meet? Everything that is known of
// the two iterations becomes a system of linear inequalities; if it has no solution, they cannot. Where a solution
// depends on values that the launch knows, what is left of the system after all else has been eliminated is what the
// launch tests.
//
// Products like m * i are columns of their own. What is known of i is multiplied by m, where the sign of m is known or
// has been split into cases, so that m * i + j with j below m is understood without special treatment.
#include "analysis/dependence/pair.h"

#include <assert.h>

// ---- cases ---------------------------------------------------------------------------------------------------------

bool pair_varies(const struct pair *pair, int id)
{
    return atom_varies(pair->an, id, pair->info);
}

// The launch-known factor of a term that also varies; degree 0 if there is none.
static struct poly_term factor_of(const struct pair *pair, const struct poly_term *term)
{
    struct poly_term factor = {.coef = 1};
    bool varies = false;
    for (int k = 0; k < term->degree; k++) {
        if (pair_varies(pair, term->ids[k])) {
            varies = true;
        } else {
            factor.ids[factor.degree++] = term->ids[k];
        }
    }
    if (!varies) {
        factor.degree = 0;
    }
    return factor;
}

static const struct poly *constraint_at(const struct pair *pair, int c)
{
    return c < pair->constraint_count ? pair->constraints[c].value
                                      : pair->guarded[c - pair->constraint_count].fact.value;
}

static void find_factors(struct pair *pair)
{
    for (int c = 0; c < pair->constraint_count + pair->guarded_count; c++) {
        const struct poly *value = constraint_at(pair, c);
        for (int i = 0; i < value->count; i++) {
            struct poly_term factor = factor_of(pair, &value->terms[i]);
            bool is_new = factor.degree > 0 && pair->factor_count < MAX_FACTORS;
            for (int f = 0; f < pair->factor_count && is_new; f++) {
                is_new = pair->factors[f].degree != factor.degree ||
                         memcmp(pair->factors[f].ids, factor.ids, sizeof factor.ids) != 0;
            }
            if (is_new) {
                pair->factors[pair->factor_count++] = factor;
            }
        }
    }
}

static void split_guards(struct pair *pair)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int g = 0; g < pair->guarded_count; g++) {
        const struct poly *guard = pair->guarded[g].guard;
        bool is_done = false;
        for (int s = 0; s < pair->split_count; s++) {
            is_done |= pair->splits[s].guard != NULL && poly_equal(pair->splits[s].guard, guard);
        }
        if (!is_done) {
            struct split split = {.count = 2, .zero_id = -1, .guard = guard};
            split.options[0].value = poly_plus(pool, guard, -1);
            split.options[1].value = poly_scale(pool, guard, -1);
            pair_add_split(pair, split);
        }
    }
}

static bool is_in_force(const struct pair *pair, const struct guarded *guarded, const int *choice, int depth)
{
    for (int s = 0; s < depth; s++) {
        if (pair->splits[s].guard != NULL && choice[s] == 0 && poly_equal(pair->splits[s].guard, guarded->guard)) {
            return true;
        }
    }
    return false;
}

// A launch-known factor of unknown sign: positive, zero, or negative.
static void split_signs(struct pair *pair)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int f = 0; f < pair->factor_count; f++) {
        for (int k = 0; k < pair->factors[f].degree; k++) {
            int id = pair->factors[f].ids[k];
            struct poly_range range = atom_of(pair->an, id)->range;
            bool is_done = range.lo >= 0 || range.hi <= 0;
            for (int s = 0; s < pair->split_count; s++) {
                is_done |= pair->splits[s].zero_id == id;
            }
            if (is_done) {
                continue;
            }
            const struct poly *atom = poly_atom(pool, id);
            struct split split = {.count = 3, .zero_id = id};
            split.options[0].value = poly_plus(pool, atom, -1);
            split.options[1] = (struct constraint){atom, true};
            split.options[2].value = poly_plus(pool, poly_scale(pool, atom, -1), -1);
            pair_add_split(pair, split);
        }
    }
}

static struct split distance_split(struct poly_pool *pool, int id, int other)
{
    const struct poly *way = poly_sub(pool, poly_atom(pool, id), poly_atom(pool, other));
    struct split split = {.count = 3, .zero_id = -1};
    split.options[0].value = poly_plus(pool, way, -1);
    split.options[1] = (struct constraint){way, true};
    split.options[2].value = poly_plus(pool, poly_scale(pool, way, -1), -1);
    return split;
}

// A varying atom with a launch-known factor: less than, the same as, or more than in the other iteration. Only so does
// a whole step of it show.
static void split_distances(struct pair *pair)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int i = 0; i < pair->id_count; i++) {
        int id = pair->ids[i];
        if ((id & 1) != 0 || !pair_varies(pair, id) || id == pair->info->variable) {
            continue;
        }
        bool has_factor = false, has_other = false;
        for (int k = 0; k < pair->id_count; k++) {
            has_other |= pair->ids[k] == (id | 1);
        }
        for (int c = 0; c < pair->constraint_count + pair->guarded_count && !has_factor; c++) {
            const struct poly *value = constraint_at(pair, c);
            for (int t = 0; t < value->count; t++) {
                for (int k = 0; k < value->terms[t].degree; k++) {
                    has_factor |= value->terms[t].ids[k] == id && factor_of(pair, &value->terms[t]).degree > 0;
                }
            }
        }
        if (has_factor && has_other) {
            pair_add_split(pair, distance_split(pool, id | 1, id));
        }
    }
}

// The one atom of each iteration that the equations count in steps of |factor|. False: it is not one in each.
static bool find_counted(const struct pair *pair, int equations, const struct poly_term *factor, int ids[2])
{
    ids[0] = ids[1] = -1;
    for (int c = 0; c < equations; c++) {
        const struct poly *value = pair->constraints[c].value;
        for (int t = 0; t < value->count; t++) {
            struct poly_term other = factor_of(pair, &value->terms[t]);
            if (other.degree != factor->degree || memcmp(other.ids, factor->ids, sizeof other.ids) != 0) {
                continue;
            }
            for (int k = 0; k < value->terms[t].degree; k++) {
                int id = value->terms[t].ids[k];
                if (pair_varies(pair, id) && ids[id & 1] >= 0 && ids[id & 1] != id) {
                    return false;
                }
                ids[id & 1] = pair_varies(pair, id) ? id : ids[id & 1];
            }
        }
    }
    return ids[0] >= 0 && ids[1] >= 0;
}

// m * i + j and m * j' + i', as a matrix and its mirror image have them: i is less than, the same as, or more than j'.
// False: there is nothing of the kind.
static bool split_across(struct pair *pair, int equations)
{
    struct poly_pool *pool = &pair->an->scratch;
    int count = pair->split_count, ids[2];
    for (int f = 0; f < pair->factor_count; f++) {
        if (find_counted(pair, equations, &pair->factors[f], ids) && ids[1] != (ids[0] | 1)) {
            pair_add_split(pair, distance_split(pool, ids[1], ids[0]));
        }
    }
    return pair->split_count > count;
}

// ---- solving -------------------------------------------------------------------------------------------------------

// 1, 0 or -1 if the factor is known to be >= 0, == 0 or <= 0 in the case at hand; 2 if not.
int pair_sign_of(struct pair *pair, const struct poly_term *factor, const int *choice, int depth)
{
    int sign = 1;
    for (int k = 0; k < factor->degree; k++) {
        struct poly_range range = atom_of(pair->an, factor->ids[k])->range;
        int one = range.lo >= 0 ? 1 : range.hi <= 0 ? -1 : 2;
        for (int s = 0; s < depth; s++) {
            if (pair->splits[s].zero_id == factor->ids[k]) {
                one = 1 - choice[s];
            }
        }
        if (one == 2) {
            return 2;
        }
        sign *= one;
        assert(sign >= -1 && sign <= 1);
    }
    return sign;
}

const struct poly *pair_term_value(struct poly_pool *pool, const struct poly_term *term)
{
    const struct poly *value = poly_const(pool, term->coef);
    for (int k = 0; k < term->degree; k++) {
        value = poly_mul(pool, value, poly_atom(pool, term->ids[k]));
    }
    return value;
}

static bool mentions_varying(const struct pair *pair, const struct poly *value)
{
    return value_varies(pair->an, value, pair->info);
}

static const struct poly *without_zeros(struct pair *pair, const struct poly *value, const int *choice, int depth)
{
    for (int s = 0; s < depth; s++) {
        if (pair->splits[s].zero_id >= 0 && choice[s] == 1) {
            value = poly_replace(&pair->an->scratch, value, pair->splits[s].zero_id, poly_const(&pair->an->scratch, 0));
        }
    }
    return value;
}

static bool is_at_least_one(struct pair *pair, int id, const int *choice, int depth)
{
    for (int s = 0; s < depth; s++) {
        if (pair->splits[s].zero_id == id) {
            return choice[s] == 0;
        }
    }
    return atom_of(pair->an, id)->range.lo >= 1;
}

// A product of positive numbers is at least as large as without one of them.
static void add_positive_factors(struct pair *pair, const int *choice, int depth, struct system *system)
{
    struct poly_pool *pool = &pair->an->scratch;
    for (int f = 0; f < pair->factor_count; f++) {
        const struct poly_term *factor = &pair->factors[f];
        for (int k = 0; k < factor->degree && factor->degree > 1; k++) {
            struct poly_term rest = {.coef = 1};
            for (int i = 0; i < factor->degree; i++) {
                if (i != k) {
                    rest.ids[rest.degree++] = factor->ids[i];
                }
            }
            if (is_at_least_one(pair, factor->ids[k], choice, depth) && pair_sign_of(pair, &rest, choice, depth) == 1) {
                const struct poly *more = poly_plus(pool, poly_atom(pool, factor->ids[k]), -1);
                system_add(system, poly_mul(pool, more, pair_term_value(pool, &rest)), false);
            }
        }
    }
}

// Every constraint in force, then each of them times each factor.
static void build(struct pair *pair, const int *choice, int depth, struct system *system)
{
    struct poly_pool *pool = &pair->an->scratch;
    int total = pair->constraint_count + pair->guarded_count + depth;
    system_clear(system);
    for (int f = -1; f < pair->factor_count; f++) {
        int sign = f < 0 ? 1 : pair_sign_of(pair, &pair->factors[f], choice, depth);
        for (int i = 0; i < total && !system->is_infeasible; i++) {
            int g = i - pair->constraint_count, s = g - pair->guarded_count;
            if (g >= 0 && s < 0 && !is_in_force(pair, &pair->guarded[g], choice, depth)) {
                continue;
            }
            struct constraint c = g < 0   ? pair->constraints[i]
                                  : s < 0 ? pair->guarded[g].fact
                                          : pair->splits[s].options[choice[s]];
            if (f >= 0) {
                if ((sign == 2 && !c.is_equal) || !mentions_varying(pair, c.value)) {
                    continue;
                }
                c.value = poly_mul(pool, c.value, pair_term_value(pool, &pair->factors[f]));
                c.value = sign == -1 ? poly_scale(pool, c.value, -1) : c.value;
            }
            bool names_zero = s >= 0 && f < 0 && pair->splits[s].zero_id >= 0;
            system_add(system, names_zero ? c.value : without_zeros(pair, c.value, choice, depth), c.is_equal);
        }
    }
    add_positive_factors(pair, choice, depth, system);
    for (const struct fact *fact = pair->an->facts; fact != NULL; fact = fact->next) {
        system_add(system, fact->value, fact->is_equal);
    }
}

static void solve(struct pair *pair, int *choice, int depth)
{
    struct analysis *an = pair->an;
    struct poly_mark mark = poly_mark(&an->scratch);
    struct system *system = &an->systems[0];
    struct system *copy = &an->systems[1];
    if (++pair->node_count > MAX_NODES || an->budget-- <= 0) {
        pair->is_too_much = true;
        return;
    }
    assert(depth <= pair->split_count);
    build(pair, choice, depth, system);
    system_copy(copy, system);
    if (system_is_infeasible(copy)) {
        poly_release(&an->scratch, mark);
        return;
    }
    if (depth == pair->split_count) {
        pair_note_case(pair, system); // its rows stay: the mark is not released
        return;
    }
    for (choice[depth] = 0; choice[depth] < pair->splits[depth].count; choice[depth]++) {
        solve(pair, choice, depth + 1);
        if (pair->is_too_much) {
            return;
        }
    }
}

// Whether they cannot meet where the cases are split further; if so there are none. What has been found else stays:
// what more cases leave of a condition is no shorter.
static bool is_apart_across(struct pair *pair, int equations)
{
    bool was_too_much = pair->is_too_much;
    int count = pair->case_count, choice[MAX_SPLITS + 1] = {0};
    struct conflict_case found[MAX_CASES];
    memcpy(found, pair->cases, sizeof found);
    if (!split_across(pair, equations)) {
        return false;
    }
    pair->is_too_much = false;
    pair->case_count = pair->node_count = 0;
    solve(pair, choice, 0);
    bool is_apart = pair->case_count == 0 && !pair->is_too_much;
    if (!is_apart) {
        memcpy(pair->cases, found, sizeof found);
        pair->case_count = count;
        pair->is_too_much = was_too_much;
    }
    return is_apart;
}

// Adds all that is known of what the first |equations| constraints mention, and solves. False: they cannot meet.
static bool run(struct pair *pair, int equations)
{
    assert(pair->case_count == 0 && pair->node_count == 0); // a pair is solved once
    for (int i = 0; i < equations; i++) {
        pair_add_known(pair, pair->constraints[i].value);
    }
    for (const struct loop_info *loop = pair->info->parent; loop != NULL; loop = loop->parent) {
        pair_add_atom(pair, loop->variable); // that the loops around this one run says something of their bounds
    }
    int known = pair->constraint_count;
    pair_add_bounds(pair, pair->a, false);
    pair_add_bounds(pair, pair->b, true);
    for (int i = known; i < pair->constraint_count && i < MAX_CONSTRAINTS; i++) {
        pair_add_known(pair, pair->constraints[i].value);
    }
    find_factors(pair);
    split_guards(pair);
    split_signs(pair);
    split_distances(pair);
    int choice[MAX_SPLITS + 1] = {0};
    solve(pair, choice, 0);
    return (pair->case_count > 0 || pair->is_too_much) && !is_apart_across(pair, equations);
}

bool pair_run(struct pair *pair, bool same_iteration)
{
    struct poly_pool *pool = &pair->an->scratch;
    if (!pair_add_equations(pair)) {
        return false;
    }
    int equations = pair->constraint_count;
    if (!same_iteration) {
        const struct poly *x = poly_atom(pool, pair->info->variable);
        const struct poly *y = poly_atom(pool, pair->info->variable | 1);
        struct split order = {.count = 2, .zero_id = -1};
        order.options[0].value = poly_plus(pool, poly_sub(pool, y, x), -1);
        order.options[1].value = poly_plus(pool, poly_sub(pool, x, y), -1);
        if (pair->a == pair->b || analysis_has_bug(pair->an, BUG_ONE_ORDER)) {
            order.count = 1; // the other order is the same pair again
        }
        pair_add_split(pair, order);
        pair_add_atom(pair, pair->info->variable);
        pair_add_atom(pair, pair->info->variable | 1);
    }
    return run(pair, equations);
}

bool pair_run_related(struct pair *pair, const struct pair_relation *relations, int count)
{
    if (!pair_add_equations(pair)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        assert(relations[i].value != NULL);
        pair_add_constraint(pair, relations[i].value, relations[i].is_equal);
    }
    return run(pair, pair->constraint_count);
}
