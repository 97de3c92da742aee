// Two accesses through one base, made in two different iterations of a loop: can they meet? Everything that is known of
// the two iterations becomes a system of linear inequalities; if it has no solution, they cannot. Where a solution
// hangs on values that the launch knows, what is left of the system after all else has been eliminated is what the
// launch tests.
//
// Products like m * i are columns of their own. What is known of i is multiplied by m, where the sign of m is known or
// has been split into cases, so that m * i + j with j below m is understood without special treatment.
#include "passes/analyse.h"

enum {
    MAX_CONSTRAINTS = 96,
    MAX_SPLITS = 8,
    MAX_FACTORS = 4,
    MAX_CASES = 6,
    MAX_CASE_ROWS = 24,
    MAX_IDS = 64,
    MAX_GUARDED = 24,
    USEFUL_TRIP = 64, // a condition that only shorter loops fulfil is not worth a test
};

struct constraint {
    const struct affine *value;
    bool is_equal;
};

struct split { // one of the options holds
    struct constraint options[3];
    int count;
    int zero_id;                // options[1] says that this atom is 0; -1: no
    const struct affine *guard; // options[0] says that this is at least 1: facts that hang on it hold
};

struct guarded {
    struct constraint fact;
    const struct affine *guard;
};

struct conflict_case { // they can meet where all of these hold
    struct constraint rows[MAX_CASE_ROWS];
    int count;
};

struct pair {
    struct analysis *an;
    struct loop_info *info;
    const struct access *a;
    const struct access *b;
    bool shares_still; // what does not hang on the loop's iteration is the same for both
    struct constraint constraints[MAX_CONSTRAINTS];
    int constraint_count;
    struct guarded guarded[MAX_GUARDED];
    int guarded_count;
    struct split splits[MAX_SPLITS];
    int split_count;
    int ids[MAX_IDS]; // atoms whose facts are in
    int id_count;
    struct affine_term factors[MAX_FACTORS]; // launch-known factors of varying atoms
    int factor_count;
    struct conflict_case cases[MAX_CASES];
    int case_count;
    bool is_too_much;
};

// ---- the second iteration ------------------------------------------------------------------------------------------

static bool value_hangs(struct pair *pair, const struct affine *value);

static bool has_data_bounds(const struct analysis *an, const struct loop_info *loop)
{
    return ((value_taint(an, loop->init) | value_taint(an, loop->bound)) & TAINT_DATA) != 0;
}

static bool hangs_on_iteration(struct pair *pair, int id)
{
    struct analysis *an = pair->an;
    const struct atom *atom = atom_of(an, id);
    switch (atom->kind) {
    case ATOM_PARAM: return false;
    case ATOM_LOOP:
    case ATOM_COUNT:
        // Of an inner loop whose bounds are data: its values are the same only if these are.
        return atom->loop == pair->info ||
               (has_data_bounds(an, atom->loop) && atom_varies(an, id, pair->info) &&
                (value_hangs(pair, atom->loop->init) || value_hangs(pair, atom->loop->bound)));
    case ATOM_UNKNOWN:
        if (!atom_varies(an, id, pair->info)) {
            return false;
        }
        if (atom->var != NULL && pair->info->is_kernel_loop) {
            struct ir_inst get = {.op = IR_OP_GET, .var = atom->var};
            return independence_depends(an, pair->info, &get);
        }
        return atom->inst != NULL && independence_depends(an, pair->info, atom->inst);
    case ATOM_OP: break;
    }
    return value_hangs(pair, atom->a) || value_hangs(pair, atom->b);
}

static bool value_hangs(struct pair *pair, const struct affine *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            if (hangs_on_iteration(pair, value->terms[i].ids[k])) {
                return true;
            }
        }
    }
    return false;
}

static const struct affine *second(struct pair *pair, const struct affine *value)
{
    struct affine_pool *pool = &pair->an->scratch;
    const struct affine *result = value;
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            bool differs = pair->shares_still ? hangs_on_iteration(pair, id) : atom_varies(pair->an, id, pair->info);
            if (differs && (id & 1) == 0 && affine_mentions(result, id)) {
                result = affine_replace(pool, result, id, affine_atom(pool, id | 1));
            }
        }
    }
    return result;
}

static void add_constraint(struct pair *pair, const struct affine *value, bool is_equal)
{
    if (value == NULL || pair->constraint_count == MAX_CONSTRAINTS) {
        return;
    }
    pair->constraints[pair->constraint_count++] = (struct constraint){value, is_equal};
}

static void add_split(struct pair *pair, struct split split)
{
    if (pair->split_count < MAX_SPLITS) {
        pair->splits[pair->split_count++] = split;
    }
}

// ---- what is known of the atoms ------------------------------------------------------------------------------------

static void add_known(struct pair *pair, const struct affine *value);

// A fact that holds only where its guard is at least 1: the cases are that it is, or that the fact says nothing.
static void add_guarded(struct pair *pair, const struct affine *value, bool is_equal, const struct affine *guard)
{
    if (guard == NULL || value_range(pair->an, guard).lo >= 1) {
        add_constraint(pair, value, is_equal);
    } else if (value != NULL && pair->guarded_count < MAX_GUARDED && !value_varies(pair->an, guard, pair->info)) {
        pair->guarded[pair->guarded_count++] = (struct guarded){{value, is_equal}, guard};
    }
}

static void split_guards(struct pair *pair)
{
    struct affine_pool *pool = &pair->an->scratch;
    for (int g = 0; g < pair->guarded_count; g++) {
        const struct affine *guard = pair->guarded[g].guard;
        bool is_done = false;
        for (int s = 0; s < pair->split_count; s++) {
            is_done |= pair->splits[s].guard != NULL && affine_equal(pair->splits[s].guard, guard);
        }
        if (!is_done) {
            struct split split = {.count = 2, .zero_id = -1, .guard = guard};
            split.options[0].value = affine_plus(pool, guard, -1);
            split.options[1].value = affine_scale(pool, guard, -1);
            add_split(pair, split);
        }
    }
}

static bool is_in_force(const struct pair *pair, const struct guarded *guarded, const int *choice, int depth)
{
    for (int s = 0; s < depth; s++) {
        if (pair->splits[s].guard != NULL && choice[s] == 0 && affine_equal(pair->splits[s].guard, guarded->guard)) {
            return true;
        }
    }
    return false;
}

static void add_range(struct pair *pair, int id)
{
    struct affine_pool *pool = &pair->an->scratch;
    struct affine_range range = atom_of(pair->an, id)->range;
    const struct affine *atom = affine_atom(pool, id);
    if (range.lo >= INT64_MIN / 4) {
        add_constraint(pair, affine_plus(pool, atom, (int64_t)-range.lo), false);
    }
    if (range.hi <= INT64_MAX / 4) {
        add_constraint(pair, affine_plus(pool, affine_scale(pool, atom, -1), (int64_t)range.hi), false);
    }
}

static void add_atom(struct pair *pair, int id)
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
        const struct affine *value = (id & 1) != 0 ? second(pair, fact->value) : fact->value;
        add_guarded(pair, value, fact->is_equal, fact->guard);
        add_known(pair, value);
    }
}

static void add_known(struct pair *pair, const struct affine *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            add_atom(pair, value->terms[i].ids[k]);
        }
    }
}

// ---- the equations of the accesses ---------------------------------------------------------------------------------

// Whether everything below dimension |dim| stays inside one step of it.
static bool is_inside_step(struct analysis *an, const struct access *access, int dim)
{
    struct affine_pool *pool = &an->scratch;
    const struct affine *end = affine_add(pool, access->offset, access->size);
    if (value_range(an, access->offset).lo < 0) {
        return false;
    }
    for (int d = dim + 1; d < access->dim_count; d++) {
        const struct affine *last = affine_plus(pool, access->dims[d].extent, -1); // NULL without an extent
        end = affine_add(pool, end, affine_mul(pool, last, access->dims[d].stride));
    }
    return value_is_nonnegative(an, affine_sub(pool, access->dims[dim].stride, end), NULL);
}

static bool has_same_dims(struct analysis *an, const struct access *a, const struct access *b)
{
    if (a->dim_count != b->dim_count || a->dim_count == 0) {
        return false;
    }
    for (int d = 0; d < a->dim_count; d++) {
        if (!affine_equal(a->dims[d].stride, b->dims[d].stride) || !is_inside_step(an, a, d) ||
            !is_inside_step(an, b, d)) {
            return false;
        }
    }
    return true;
}

// Members of one element that do not overlap.
static bool has_apart_offsets(struct analysis *an, const struct access *a, const struct access *b)
{
    struct affine_pool *pool = &an->scratch;
    return value_is_nonnegative(an, affine_sub(pool, b->offset, affine_add(pool, a->offset, a->size)), NULL) ||
           value_is_nonnegative(an, affine_sub(pool, a->offset, affine_add(pool, b->offset, b->size)), NULL);
}

static void add_bounds(struct pair *pair, const struct access *access, bool is_second)
{
    struct affine_pool *pool = &pair->an->scratch;
    for (int d = 0; d < access->dim_count; d++) {
        if (access->dims[d].extent != NULL) {
            const struct affine *index = is_second ? second(pair, access->dims[d].index) : access->dims[d].index;
            const struct affine *extent = is_second ? second(pair, access->dims[d].extent) : access->dims[d].extent;
            add_constraint(pair, index, false);
            add_constraint(pair, affine_plus(pool, affine_sub(pool, extent, index), -1), false);
        }
    }
    for (const struct guard *guard = access->guards; guard != NULL; guard = guard->next) {
        add_constraint(pair, is_second ? second(pair, guard->value) : guard->value, guard->is_equal);
    }
}

// The accesses touch a common byte. False: they never do, whatever the iterations.
static bool add_equations(struct pair *pair)
{
    struct analysis *an = pair->an;
    struct affine_pool *pool = &an->scratch;
    const struct access *a = pair->a, *b = pair->b;
    if (has_same_dims(an, a, b)) {
        if (has_apart_offsets(an, a, b) || (an->bug == BUG_MEMBERS_APART && !affine_equal(a->offset, b->offset))) {
            return false;
        }
        for (int d = 0; d < a->dim_count; d++) {
            add_constraint(pair, affine_sub(pool, a->dims[d].index, second(pair, b->dims[d].index)), true);
        }
    } else {
        const struct affine *way = affine_sub(pool, second(pair, b->flat), a->flat);
        if (a->size != NULL) { // b begins before a ends
            add_constraint(pair, affine_plus(pool, affine_sub(pool, a->size, way), -1), false);
        }
        if (b->size != NULL) {
            add_constraint(pair, affine_plus(pool, affine_add(pool, second(pair, b->size), way), -1), false);
        }
    }
    return true;
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static bool id_varies(const struct pair *pair, int id)
{
    return atom_varies(pair->an, id, pair->info);
}

// The launch-known factor of a term that also varies; degree 0 if there is none.
static struct affine_term factor_of(const struct pair *pair, const struct affine_term *term)
{
    struct affine_term factor = {.coef = 1};
    bool varies = false;
    for (int k = 0; k < term->degree; k++) {
        if (id_varies(pair, term->ids[k])) {
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

static const struct affine *constraint_at(const struct pair *pair, int c)
{
    return c < pair->constraint_count ? pair->constraints[c].value
                                      : pair->guarded[c - pair->constraint_count].fact.value;
}

static void find_factors(struct pair *pair)
{
    for (int c = 0; c < pair->constraint_count + pair->guarded_count; c++) {
        const struct affine *value = constraint_at(pair, c);
        for (int i = 0; i < value->count; i++) {
            struct affine_term factor = factor_of(pair, &value->terms[i]);
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

// A launch-known factor of unknown sign: positive, zero, or negative.
static void split_signs(struct pair *pair)
{
    struct affine_pool *pool = &pair->an->scratch;
    for (int f = 0; f < pair->factor_count; f++) {
        for (int k = 0; k < pair->factors[f].degree; k++) {
            int id = pair->factors[f].ids[k];
            struct affine_range range = atom_of(pair->an, id)->range;
            bool is_done = range.lo >= 0 || range.hi <= 0;
            for (int s = 0; s < pair->split_count; s++) {
                is_done |= pair->splits[s].zero_id == id;
            }
            if (is_done) {
                continue;
            }
            const struct affine *atom = affine_atom(pool, id);
            struct split split = {.count = 3, .zero_id = id};
            split.options[0].value = affine_plus(pool, atom, -1);
            split.options[1] = (struct constraint){atom, true};
            split.options[2].value = affine_plus(pool, affine_scale(pool, atom, -1), -1);
            add_split(pair, split);
        }
    }
}

// A varying atom with a launch-known factor: less than, the same as, or more than in the other iteration. Only so does
// a whole step of it show.
static void split_distances(struct pair *pair)
{
    struct affine_pool *pool = &pair->an->scratch;
    for (int i = 0; i < pair->id_count; i++) {
        int id = pair->ids[i];
        if ((id & 1) != 0 || !id_varies(pair, id) || id == pair->info->variable) {
            continue;
        }
        bool has_factor = false, has_other = false;
        for (int k = 0; k < pair->id_count; k++) {
            has_other |= pair->ids[k] == (id | 1);
        }
        for (int c = 0; c < pair->constraint_count + pair->guarded_count && !has_factor; c++) {
            const struct affine *value = constraint_at(pair, c);
            for (int t = 0; t < value->count; t++) {
                for (int k = 0; k < value->terms[t].degree; k++) {
                    has_factor |= value->terms[t].ids[k] == id && factor_of(pair, &value->terms[t]).degree > 0;
                }
            }
        }
        if (has_factor && has_other) {
            const struct affine *way = affine_sub(pool, affine_atom(pool, id | 1), affine_atom(pool, id));
            struct split split = {.count = 3, .zero_id = -1};
            split.options[0].value = affine_plus(pool, way, -1);
            split.options[1] = (struct constraint){way, true};
            split.options[2].value = affine_plus(pool, affine_scale(pool, way, -1), -1);
            add_split(pair, split);
        }
    }
}

// ---- solving -------------------------------------------------------------------------------------------------------

// 1, 0 or -1 if the factor is known to be >= 0, == 0 or <= 0 in the case at hand; 2 if not.
static int sign_of(struct pair *pair, const struct affine_term *factor, const int *choice, int depth)
{
    int sign = 1;
    for (int k = 0; k < factor->degree; k++) {
        struct affine_range range = atom_of(pair->an, factor->ids[k])->range;
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
    }
    return sign;
}

static const struct affine *term_value(struct affine_pool *pool, const struct affine_term *term)
{
    const struct affine *value = affine_const(pool, term->coef);
    for (int k = 0; k < term->degree; k++) {
        value = affine_mul(pool, value, affine_atom(pool, term->ids[k]));
    }
    return value;
}

static bool mentions_varying(const struct pair *pair, const struct affine *value)
{
    return value_varies(pair->an, value, pair->info);
}

static const struct affine *without_zeros(struct pair *pair, const struct affine *value, const int *choice, int depth)
{
    for (int s = 0; s < depth; s++) {
        if (pair->splits[s].zero_id >= 0 && choice[s] == 1) {
            value =
                affine_replace(&pair->an->scratch, value, pair->splits[s].zero_id, affine_const(&pair->an->scratch, 0));
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
    struct affine_pool *pool = &pair->an->scratch;
    for (int f = 0; f < pair->factor_count; f++) {
        const struct affine_term *factor = &pair->factors[f];
        for (int k = 0; k < factor->degree && factor->degree > 1; k++) {
            struct affine_term rest = {.coef = 1};
            for (int i = 0; i < factor->degree; i++) {
                if (i != k) {
                    rest.ids[rest.degree++] = factor->ids[i];
                }
            }
            if (is_at_least_one(pair, factor->ids[k], choice, depth) && sign_of(pair, &rest, choice, depth) == 1) {
                const struct affine *more = affine_plus(pool, affine_atom(pool, factor->ids[k]), -1);
                system_add(system, affine_mul(pool, more, term_value(pool, &rest)), false);
            }
        }
    }
}

// Every constraint in force, then each of them times each factor.
static void build(struct pair *pair, const int *choice, int depth, struct system *system)
{
    struct affine_pool *pool = &pair->an->scratch;
    int total = pair->constraint_count + pair->guarded_count + depth;
    system_clear(system);
    for (int f = -1; f < pair->factor_count; f++) {
        int sign = f < 0 ? 1 : sign_of(pair, &pair->factors[f], choice, depth);
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
                c.value = affine_mul(pool, c.value, term_value(pool, &pair->factors[f]));
                c.value = sign == -1 ? affine_scale(pool, c.value, -1) : c.value;
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

static bool is_launch_known(const struct affine_term *column, void *data)
{
    const struct pair *pair = data;
    for (int k = 0; k < column->degree; k++) {
        if (id_varies(pair, column->ids[k])) {
            return false;
        }
    }
    return true;
}

static const struct guard *add_guard(struct pair *pair, const struct affine *value, const struct guard *next)
{
    if (value == NULL || affine_is_const(value, NULL) || value_varies(pair->an, value, pair->info)) {
        return next;
    }
    struct guard *guard = affine_alloc(&pair->an->scratch, sizeof *guard);
    *guard = (struct guard){value, false, next};
    return guard;
}

// What makes a parallel loop worth it: trip counts that are not tiny, divisors that divide; and what holds at its
// entry. A condition that only holds where these do not is none.
static const struct guard *worthwhile(struct pair *pair)
{
    struct affine_pool *pool = &pair->an->scratch;
    const struct guard *guards = pair->info->guards;
    const struct loop_info *innermost[2] = {pair->a->loop, pair->b->loop};
    for (int i = 0; i < 2; i++) {
        for (const struct loop_info *loop = innermost[i]; loop != NULL; loop = loop->parent) {
            int64_t step = loop->inst->loop->step < 0 ? -loop->inst->loop->step : loop->inst->loop->step;
            int64_t wanted = loop == pair->info ? USEFUL_TRIP - 1 : loop_contains(pair->info, loop) ? 1 : 0;
            if (step < INT64_MAX / USEFUL_TRIP) {
                const struct affine *way = affine_sub(pool, loop->last, loop->first);
                guards = add_guard(pair, affine_plus(pool, way, -wanted * step), guards);
            }
        }
    }
    const struct access *accesses[2] = {pair->a, pair->b};
    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < accesses[i]->dim_count; d++) {
            guards = add_guard(pair, affine_plus(pool, accesses[i]->dims[d].extent, -1), guards);
        }
    }
    for (int i = 0; i < pair->id_count; i++) {
        const struct atom *atom = atom_of(pair->an, pair->ids[i]);
        if (atom->kind == ATOM_OP && (atom->op == IR_OP_SDIV || atom->op == IR_OP_SREM)) {
            guards = add_guard(pair, affine_plus(pool, atom->b, -2), guards);
        }
    }
    const struct guard *plain = guards;
    for (int f = 0; f < pair->factor_count; f++) {
        int none[1] = {0};
        const struct affine *factor = term_value(pool, &pair->factors[f]);
        bool is_positive =
            sign_of(pair, &pair->factors[f], none, 0) == 1 || value_is_nonnegative(pair->an, factor, plain);
        for (const struct guard *guard = plain; guard != NULL && is_positive; guard = guard->next) {
            guards = add_guard(pair, affine_mul(pool, guard->value, factor), guards);
        }
    }
    return guards;
}

// Drops rows that follow from the others. (To drop one that does not would only make the test stricter.)
static void drop_implied(struct pair *pair, struct conflict_case *found)
{
    struct affine_pool *pool = &pair->an->scratch;
    const struct guard *given = worthwhile(pair);
    for (int r = found->count - 1; r >= 0; r--) {
        const struct guard *guards = given;
        for (int other = 0; other < found->count; other++) {
            if (other != r) {
                struct guard *guard = affine_alloc(pool, sizeof *guard);
                *guard = (struct guard){found->rows[other].value, found->rows[other].is_equal, guards};
                guards = guard;
            }
        }
        const struct constraint *row = &found->rows[r];
        if (value_is_nonnegative(pair->an, row->value, guards) &&
            (!row->is_equal || value_is_nonnegative(pair->an, affine_scale(pool, row->value, -1), guards))) {
            found->rows[r] = found->rows[--found->count];
        }
    }
}

static bool is_same_case(const struct conflict_case *a, const struct conflict_case *b)
{
    bool is_same = a->count == b->count;
    for (int r = 0; r < a->count && is_same; r++) {
        is_same = affine_equal(a->rows[r].value, b->rows[r].value) && a->rows[r].is_equal == b->rows[r].is_equal;
    }
    return is_same;
}

// v == 0 is a case and v <= -1 is one: then v <= 0 is.
static bool merge_cases(struct pair *pair, struct conflict_case *into, const struct conflict_case *from)
{
    struct affine_pool *pool = &pair->an->scratch;
    if (into->count != 1 || from->count != 1 || into->rows[0].is_equal || !from->rows[0].is_equal) {
        return false;
    }
    const struct affine *wider = affine_plus(pool, into->rows[0].value, 1);
    const struct affine *zero = from->rows[0].value;
    if (!affine_equal(wider, zero) && !affine_equal(wider, affine_scale(pool, zero, -1))) {
        return false;
    }
    into->rows[0].value = wider;
    return true;
}

// Puts the cases into the shortest form: merged where two are neighbours, without rows that another case rules out, and
// without products where plain rows say as much.
static void simplify_cases(struct pair *pair)
{
    struct affine_pool *pool = &pair->an->scratch;
    for (int a = 0; a < pair->case_count; a++) {
        for (int b = 0; b < pair->case_count; b++) {
            if (a != b && merge_cases(pair, &pair->cases[a], &pair->cases[b])) {
                pair->cases[b] = pair->cases[--pair->case_count];
                a = -1;
                break;
            }
        }
    }
    const struct guard *ruled_out = worthwhile(pair);
    for (int c = 0; c < pair->case_count; c++) {
        if (pair->cases[c].count == 1 && !pair->cases[c].rows[0].is_equal) {
            struct guard *guard = affine_alloc(pool, sizeof *guard);
            const struct affine *value = affine_plus(pool, affine_scale(pool, pair->cases[c].rows[0].value, -1), -1);
            *guard = (struct guard){value, false, ruled_out};
            ruled_out = guard;
        }
    }
    for (int c = 0; c < pair->case_count; c++) {
        struct conflict_case *found = &pair->cases[c];
        for (int r = found->count - 1; r >= 0 && found->count > 1; r--) {
            if (!found->rows[r].is_equal && value_is_nonnegative(pair->an, found->rows[r].value, ruled_out)) {
                found->rows[r] = found->rows[--found->count];
            }
        }
    }
}

static int degree_of(const struct affine *value)
{
    return value->count > 0 ? value->terms[value->count - 1].degree : 0;
}

static void drop_products(struct conflict_case *found)
{
    int plain = 0;
    for (int r = 0; r < found->count; r++) {
        plain += degree_of(found->rows[r].value) <= 1;
    }
    for (int r = found->count - 1; r >= 0 && plain > 0; r--) {
        if (degree_of(found->rows[r].value) > 1) {
            found->rows[r] = found->rows[--found->count];
        }
    }
}

static void note_case(struct pair *pair, struct system *system)
{
    system_project(system, is_launch_known, pair);
    if (system->is_infeasible) {
        return;
    }
    struct conflict_case found = {.count = 0};
    for (int r = 0; r < system->row_count && found.count < MAX_CASE_ROWS; r++) {
        const struct affine *value = system_row_value(&pair->an->scratch, system, r);
        if (value != NULL) {
            found.rows[found.count++] = (struct constraint){value, system->rows[r].is_equal};
        }
    }
    drop_implied(pair, &found);
    drop_products(&found);
    for (int c = 0; c < pair->case_count; c++) { // the same again, from another way of splitting
        if (is_same_case(&pair->cases[c], &found)) {
            return;
        }
    }
    if (pair->case_count == MAX_CASES) {
        pair->is_too_much = true;
        return;
    }
    pair->cases[pair->case_count++] = found;
}

static void solve(struct pair *pair, int *choice, int depth)
{
    struct analysis *an = pair->an;
    struct affine_mark mark = affine_mark(&an->scratch);
    struct system *system = &an->systems[0];
    struct system *copy = &an->systems[1];
    build(pair, choice, depth, system);
    system_copy(copy, system);
    if (system_is_infeasible(copy)) {
        affine_release(&an->scratch, mark);
        return;
    }
    if (depth == pair->split_count || an->budget-- <= 0) {
        note_case(pair, system); // its rows stay: the mark is not released
        return;
    }
    for (choice[depth] = 0; choice[depth] < pair->splits[depth].count; choice[depth]++) {
        solve(pair, choice, depth + 1);
        if (pair->is_too_much) {
            return;
        }
    }
}

// Sets the system up and solves it. False: apart for reasons that need none.
static bool run(struct pair *pair, bool same_iteration)
{
    struct affine_pool *pool = &pair->an->scratch;
    if (!add_equations(pair)) {
        return false;
    }
    int equations = pair->constraint_count;
    if (!same_iteration) {
        const struct affine *x = affine_atom(pool, pair->info->variable);
        const struct affine *y = affine_atom(pool, pair->info->variable | 1);
        struct split order = {.count = 2, .zero_id = -1};
        order.options[0].value = affine_plus(pool, affine_sub(pool, y, x), -1);
        order.options[1].value = affine_plus(pool, affine_sub(pool, x, y), -1);
        if (pair->a == pair->b || pair->an->bug == BUG_ONE_ORDER) {
            order.count = 1; // the other order is the same pair again
        }
        add_split(pair, order);
        add_atom(pair, pair->info->variable);
        add_atom(pair, pair->info->variable | 1);
    }
    for (int i = 0; i < equations; i++) {
        add_known(pair, pair->constraints[i].value);
    }
    for (const struct loop_info *loop = pair->info->parent; loop != NULL; loop = loop->parent) {
        add_atom(pair, loop->variable); // that the loops around this one run says something of their bounds
    }
    int known = pair->constraint_count;
    add_bounds(pair, pair->a, false);
    add_bounds(pair, pair->b, true);
    for (int i = known; i < pair->constraint_count && i < MAX_CONSTRAINTS; i++) {
        add_known(pair, pair->constraints[i].value);
    }
    find_factors(pair);
    split_guards(pair);
    split_signs(pair);
    split_distances(pair);
    int choice[MAX_SPLITS + 1] = {0};
    solve(pair, choice, 0);
    return pair->case_count > 0 || pair->is_too_much;
}

// ---- answers -------------------------------------------------------------------------------------------------------

// Whether a value cannot be followed: it hangs on loaded data, or on a product of two varying values.
static bool is_blurred(struct pair *pair, const struct affine *value, bool *hangs)
{
    bool found = false;
    for (int i = 0; value != NULL && i < value->count; i++) {
        const struct affine_term *term = &value->terms[i];
        int varying = 0;
        bool is_tainted = false, is_moving = false;
        for (int k = 0; k < term->degree; k++) {
            int id = term->ids[k];
            const struct atom *atom = atom_of(pair->an, id);
            if (!id_varies(pair, id)) {
                continue;
            }
            varying++;
            is_moving |= hangs_on_iteration(pair, id);
            is_tainted |= (atom->taint & TAINT_DATA) != 0;
            if (atom->kind == ATOM_LOOP || atom->kind == ATOM_COUNT) {
                is_tainted |= atom->loop != pair->info && has_data_bounds(pair->an, atom->loop);
            }
            if (atom->kind == ATOM_OP) {
                bool inner = false;
                is_tainted |= is_blurred(pair, atom->a, &inner) || is_blurred(pair, atom->b, &inner);
            }
        }
        if (varying > 1 || is_tainted) {
            found = true;
            *hangs |= is_moving;
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
// If nothing that cannot be followed is left in the equations, the answer is certain.
static enum pair_answer judge_blurred(struct analysis *an, struct loop_info *info, const struct access *a,
                                      const struct access *b, bool same_iteration)
{
    struct pair *still = affine_alloc(&an->scratch, sizeof *still);
    *still = (struct pair){.an = an, .info = info, .a = a, .b = b, .shares_still = true};
    bool feasible = run(still, same_iteration);
    bool hangs = false, is_left = false;
    struct pair *probe = affine_alloc(&an->scratch, sizeof *probe);
    *probe = (struct pair){.an = an, .info = info, .a = a, .b = b, .shares_still = true};
    add_equations(probe);
    for (int i = 0; i < probe->constraint_count; i++) {
        is_left |= is_blurred(probe, probe->constraints[i].value, &hangs);
    }
    return is_left || !feasible ? PAIR_ASSUMED : PAIR_CONFLICT;
}

static struct plan_expr *magnitude_guard(struct analysis *an, const struct affine *value,
                                         const struct sym *const *entry)
{
    affine_wide limit = (affine_wide)1 << 62;
    struct affine_range range = value_range(an, value);
    if (range.lo > -limit && range.hi < limit) {
        return plan_const(an->arena, IR_I1, 1);
    }
    struct plan_expr *all = plan_const(an->arena, IR_I1, 1);
    struct plan_expr *most =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, (int64_t)1 << 56), NULL);
    struct plan_expr *least = plan_op(an->arena, IR_OP_FNEG, IR_F64, IR_F64, most, NULL);
    for (int i = 0; i < value->count; i++) {
        struct affine *one = affine_alloc(&an->scratch, sizeof *one + sizeof one->terms[0]);
        one->count = 1;
        one->terms[0] = value->terms[i];
        struct plan_expr *term = value_expr_float(an, one, entry);
        struct plan_expr *fits =
            plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, plan_op(an->arena, IR_OP_FLT, IR_I1, IR_F64, term, most),
                    plan_op(an->arena, IR_OP_FGT, IR_I1, IR_F64, term, least));
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, fits);
    }
    return all;
}

// Positive terms on the left, negative ones on the right, as one writes it.
static void print_negation(struct analysis *an, const struct constraint *row, struct str *out)
{
    struct affine_pool *pool = &an->scratch;
    const struct affine *left = affine_const(pool, 0), *right = left;
    for (int i = 0; i < row->value->count; i++) {
        struct affine_term term = row->value->terms[i];
        if (term.degree == 0) {
            continue;
        }
        bool is_left = term.coef > 0;
        term.coef = is_left ? term.coef : -term.coef;
        const struct affine **side = is_left ? &left : &right;
        *side = affine_add(pool, *side, term_value(pool, &term));
    }
    int64_t constant = affine_constant_of(row->value);
    const char *relation = row->is_equal ? " != " : constant == -1 ? " <= " : " < ";
    if (row->is_equal || constant != -1) {
        *(constant > 0 ? &left : &right) =
            affine_plus(pool, constant > 0 ? left : right, constant > 0 ? constant : -constant);
    }
    value_print(an, left, out);
    str_add(out, relation);
    value_print(an, right, out);
}

// Whether one row of each case can fail at the same time, given trip counts that make the loop worth it.
static bool can_hold(struct pair *pair, int c, const struct guard *guards)
{
    struct affine_pool *pool = &pair->an->scratch;
    if (c == pair->case_count) {
        return !value_is_nonnegative(pair->an, affine_const(pool, -1),
                                     guards); // -1 >= 0 follows from contradictions only
    }
    for (int r = 0; r < pair->cases[c].count; r++) {
        const struct constraint *row = &pair->cases[c].rows[r];
        for (int side = 0; side < (row->is_equal ? 2 : 1); side++) {
            struct guard *guard = affine_alloc(pool, sizeof *guard);
            const struct affine *value = side == 0 ? affine_scale(pool, row->value, -1) : row->value;
            *guard = (struct guard){affine_plus(pool, value, -1), false, guards};
            if (can_hold(pair, c + 1, guard)) {
                return true;
            }
        }
    }
    return false;
}

// The launch's test: none of the cases holds.
static struct pair_result make_condition(struct pair *pair)
{
    struct analysis *an = pair->an;
    struct arena *arena = an->arena;
    const struct sym *const *entry = pair->info->entry;
    struct pair_result result = {.answer = PAIR_CONFLICT};
    struct plan_expr *all = plan_const(arena, IR_I1, 1);
    struct str text;
    str_init(&text, arena);
    simplify_cases(pair);
    if (!can_hold(pair, 0, worthwhile(pair))) {
        return result;
    }
    for (int c = 0; c < pair->case_count; c++) {
        const struct conflict_case *found = &pair->cases[c];
        if (found->count == 0) {
            return result;
        }
        struct plan_expr *any = plan_const(arena, IR_I1, 0);
        str_add(&text, c > 0 ? " and " : "");
        str_add(&text, pair->case_count > 1 && found->count > 1 ? "(" : "");
        for (int r = 0; r < found->count; r++) {
            struct plan_expr *value = value_expr(an, found->rows[r].value, entry);
            struct plan_expr *fails = plan_op(arena, found->rows[r].is_equal ? IR_OP_NE : IR_OP_SLT, IR_I1, IR_I64,
                                              value, plan_const(arena, IR_I64, 0));
            fails = plan_op(arena, IR_OP_AND, IR_I1, IR_I1, fails, magnitude_guard(an, found->rows[r].value, entry));
            any = plan_op(arena, IR_OP_OR, IR_I1, IR_I1, any, fails);
            str_add(&text, r > 0 ? " or " : "");
            print_negation(an, &found->rows[r], &text);
        }
        str_add(&text, pair->case_count > 1 && found->count > 1 ? ")" : "");
        all = plan_op(arena, IR_OP_AND, IR_I1, IR_I1, all, any);
    }
    if (all == NULL) {
        return result;
    }
    return (struct pair_result){.answer = PAIR_IF, .condition = all, .text = str_text(&text)};
}

// ---- needs ---------------------------------------------------------------------------------------------------------

static struct plan_expr *need_condition(struct analysis *an, const struct loop_info *info, const struct need *need)
{
    const struct affine *low, *high;
    an->assumed.count = 0;
    an->may_assume = true; // divisors that are positive: tested too
    bool is_known = value_extremes(an, need->value, info, &low, &high);
    an->may_assume = false;
    if (!is_known) {
        return NULL;
    }
    struct affine_range range = affine_type_range(need->type, need->is_signed);
    if (need->type == IR_I64) { // rounding of the test must not matter
        range.hi = (affine_wide)1 << 62;
        range.lo = need->is_signed ? -range.hi : 0;
    }
    struct plan_expr *least =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, (int64_t)range.lo), NULL);
    struct plan_expr *most =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, (int64_t)range.hi), NULL);
    struct plan_expr *above =
        plan_op(an->arena, IR_OP_FGE, IR_I1, IR_F64, value_expr_float(an, low, info->entry), least);
    struct plan_expr *below =
        plan_op(an->arena, IR_OP_FLE, IR_I1, IR_F64, value_expr_float(an, high, info->entry), most);
    struct plan_expr *all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, above, below);
    for (int i = 0; i < an->assumed.count; i++) {
        struct plan_expr *positive =
            plan_op(an->arena, IR_OP_SGT, IR_I1, IR_I64, value_expr(an, an->assumed.items[i], info->entry),
                    plan_const(an->arena, IR_I64, 0));
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, positive);
    }
    return all;
}

// The accesses are apart provided that their offsets are what they seem.
static struct pair_result with_needs(struct analysis *an, struct loop_info *info, const struct access *a,
                                     const struct access *b, struct pair_result result)
{
    const struct need *lists[2] = {a->needs, a == b ? NULL : b->needs};
    for (int i = 0; i < 2; i++) {
        for (const struct need *need = lists[i]; need != NULL; need = need->next) {
            struct plan_expr *condition = need_condition(an, info, need);
            if (condition == NULL) {
                return (struct pair_result){.answer = PAIR_CONFLICT};
            }
            struct str text;
            str_init(&text, an->arena);
            value_print(an, need->value, &text);
            str_printf(&text, " fits in %d bits", 8 * ir_type_size(need->type));
            if (result.answer == PAIR_IF && strstr(result.text, str_text(&text)) != NULL) {
                continue;
            }
            result.condition = result.answer == PAIR_IF
                                   ? plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, result.condition, condition)
                                   : condition;
            result.text = result.answer == PAIR_IF ? arena_printf(an->arena, "%s and %s", result.text, str_text(&text))
                                                   : str_text(&text);
            result.is_fit |= result.answer == PAIR_APART;
            result.answer = PAIR_IF;
        }
    }
    return result;
}

// The usual case, without a system: one index is the same in both, moves with the loop and with nothing else.
static bool is_plainly_apart(struct analysis *an, const struct loop_info *info, const struct access *a,
                             const struct access *b)
{
    for (int d = 0; d < a->dim_count && d < b->dim_count; d++) {
        const struct affine *rest;
        int64_t factor;
        if (affine_equal(a->dims[d].index, b->dims[d].index) &&
            affine_is_const(affine_coefficient(&an->scratch, a->dims[d].index, info->variable, &rest), &factor) &&
            factor != 0 && !value_varies(an, rest, info)) {
            return has_same_dims(an, a, b);
        }
    }
    return false;
}

struct pair_result pair_test(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, bool same_iteration)
{
    struct affine_mark mark = affine_mark(&an->scratch);
    struct pair_result result = {.answer = PAIR_APART};
    if (!same_iteration && a->needs == NULL && b->needs == NULL && is_plainly_apart(an, info, a, b)) {
        affine_release(&an->scratch, mark);
        return result;
    }
    struct pair *pair = affine_alloc(&an->scratch, sizeof *pair);
    *pair = (struct pair){.an = an, .info = info, .a = a, .b = b};
    if (run(pair, same_iteration)) {
        bool hangs = false;
        bool is_unclear = access_is_blurred(pair, a, &hangs) | access_is_blurred(pair, b, &hangs);
        if (is_unclear) {
            result.answer = judge_blurred(an, info, a, b, same_iteration);
        } else if (pair->is_too_much || an->budget <= 0) {
            result.answer = PAIR_CONFLICT;
        } else {
            result = make_condition(pair);
        }
    }
    if (result.answer == PAIR_APART || result.answer == PAIR_IF) {
        result = with_needs(an, info, a, b, result);
    }
    affine_release(&an->scratch, mark);
    return result;
}
