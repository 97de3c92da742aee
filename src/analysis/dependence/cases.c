// The cases in which two accesses can meet, in terms of what the launch knows, in their shortest form.
#include "analysis/dependence/pair.h"

#include <assert.h>

static bool is_launch_known(const struct poly_term *column, void *data)
{
    const struct pair *pair = data;
    for (int k = 0; k < column->degree; k++) {
        if (pair_varies(pair, column->ids[k])) {
            return false;
        }
    }
    return true;
}

static const struct guard *add_guard(struct pair *pair, const struct poly *value, const struct guard *next)
{
    if (value == NULL || poly_is_const(value, NULL) || value_varies(pair->an, value, pair->info)) {
        return next;
    }
    struct guard *guard = poly_alloc(&pair->an->scratch, sizeof *guard);
    *guard = (struct guard){value, false, next};
    return guard;
}

// What makes a parallel loop worth it: trip counts that are not tiny, divisors that divide; and what holds at its
// entry. A condition that only holds where these do not is none.
const struct guard *pair_worthwhile(struct pair *pair)
{
    struct poly_pool *pool = &pair->an->scratch;
    const struct guard *guards = pair->info->guards;
    const struct loop_info *innermost[2] = {pair->a->loop, pair->b->loop};
    for (int i = 0; i < 2; i++) {
        for (const struct loop_info *loop = innermost[i]; loop != NULL; loop = loop->parent) {
            int64_t step = loop->inst->loop->step < 0 ? -loop->inst->loop->step : loop->inst->loop->step;
            int64_t wanted = loop == pair->info ? USEFUL_TRIP - 1 : loop_contains(pair->info, loop) ? 1 : 0;
            if (step < INT64_MAX / USEFUL_TRIP) {
                const struct poly *way = poly_sub(pool, loop->last, loop->first);
                guards = add_guard(pair, poly_plus(pool, way, -wanted * step), guards);
            }
        }
    }
    const struct access *accesses[2] = {pair->a, pair->b};
    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < accesses[i]->dim_count; d++) {
            guards = add_guard(pair, poly_plus(pool, accesses[i]->dims[d].extent, -1), guards);
        }
    }
    for (int i = 0; i < pair->id_count; i++) {
        const struct atom *atom = atom_of(pair->an, pair->ids[i]);
        if (atom->kind == ATOM_OP && (atom->op == IR_OP_SDIV || atom->op == IR_OP_SREM)) {
            guards = add_guard(pair, poly_plus(pool, atom->b, -2), guards);
        }
    }
    for (int i = 0; i < pair->fit_count; i++) {
        const struct poly *value = atom_of(pair->an, pair->fits[i])->a;
        value = poly_sub(pool, poly_atom(pool, pair->fits[i]), value);
        guards = add_guard(pair, value, guards);
        guards = add_guard(pair, poly_scale(pool, value, -1), guards);
    }
    const struct guard *plain = guards;
    for (int f = 0; f < pair->factor_count; f++) {
        int none[1] = {0};
        const struct poly *factor = pair_term_value(pool, &pair->factors[f]);
        bool is_positive =
            pair_sign_of(pair, &pair->factors[f], none, 0) == 1 || value_is_nonnegative(pair->an, factor, plain);
        for (const struct guard *guard = plain; guard != NULL && is_positive; guard = guard->next) {
            guards = add_guard(pair, poly_mul(pool, guard->value, factor), guards);
        }
    }
    return guards;
}

static bool follows(struct pair *pair, const struct constraint *row, const struct guard *guards)
{
    const struct poly *negative = poly_scale(&pair->an->scratch, row->value, -1);
    return value_is_nonnegative(pair->an, row->value, guards) &&
           (!row->is_equal || value_is_nonnegative(pair->an, negative, guards));
}

// Drops rows that follow from what is given, and with |by_others| from the other rows. (To drop one that does not would
// only make the launch's test stricter.)
static void drop_implied(struct pair *pair, struct conflict_case *found, bool by_others)
{
    const struct guard *given = pair_worthwhile(pair);
    for (int r = found->count - 1; r >= 0; r--) {
        const struct guard *guards = given;
        for (int other = 0; other < found->count && by_others; other++) {
            if (other != r) {
                struct guard *guard = poly_alloc(&pair->an->scratch, sizeof *guard);
                *guard = (struct guard){found->rows[other].value, found->rows[other].is_equal, guards};
                guards = guard;
            }
        }
        if (follows(pair, &found->rows[r], guards)) {
            found->rows[r] = found->rows[--found->count];
        }
    }
}

static bool is_same_case(const struct conflict_case *a, const struct conflict_case *b)
{
    bool is_same = a->count == b->count;
    for (int r = 0; r < a->count && is_same; r++) {
        is_same = poly_equal(a->rows[r].value, b->rows[r].value) && a->rows[r].is_equal == b->rows[r].is_equal;
    }
    return is_same;
}

// v == 0 is a case and v <= -1 is one: then v <= 0 is.
static bool merge_cases(struct pair *pair, struct conflict_case *into, const struct conflict_case *from)
{
    struct poly_pool *pool = &pair->an->scratch;
    if (into->count != 1 || from->count != 1 || into->rows[0].is_equal || !from->rows[0].is_equal) {
        return false;
    }
    const struct poly *wider = poly_plus(pool, into->rows[0].value, 1);
    const struct poly *zero = from->rows[0].value;
    if (!poly_equal(wider, zero) && !poly_equal(wider, poly_scale(pool, zero, -1))) {
        return false;
    }
    into->rows[0].value = wider;
    return true;
}

// Puts the cases into the shortest form: merged where two are neighbours, without rows that another case rules out, and
// without products where plain rows say as much.
void pair_simplify_cases(struct pair *pair)
{
    struct poly_pool *pool = &pair->an->scratch;
    assert(pair->case_count <= MAX_CASES && !pair->is_too_much); // else some cases are not there
    for (int a = 0; a < pair->case_count; a++) {
        for (int b = 0; b < pair->case_count; b++) {
            if (a != b && merge_cases(pair, &pair->cases[a], &pair->cases[b])) {
                pair->cases[b] = pair->cases[--pair->case_count];
                a = -1;
                break;
            }
        }
    }
    const struct guard *ruled_out = pair_worthwhile(pair);
    for (int c = 0; c < pair->case_count; c++) {
        if (pair->cases[c].count == 1 && !pair->cases[c].rows[0].is_equal) {
            struct guard *guard = poly_alloc(pool, sizeof *guard);
            const struct poly *value = poly_plus(pool, poly_scale(pool, pair->cases[c].rows[0].value, -1), -1);
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

static int degree_of(const struct poly *value)
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

static bool is_simpler(const struct poly *a, const struct poly *b)
{
    int x = degree_of(a), y = degree_of(b);
    return x != y ? x < y : a->count < b->count;
}

// Keeps the simplest rows, in that order.
static void add_row(struct conflict_case *found, struct constraint row)
{
    assert(found->count <= MAX_CASE_ROWS);
    int place = found->count;
    while (place > 0 && is_simpler(row.value, found->rows[place - 1].value)) {
        place--;
    }
    if (place == MAX_CASE_ROWS) {
        return;
    }
    found->count += found->count < MAX_CASE_ROWS;
    for (int r = found->count - 1; r > place; r--) {
        found->rows[r] = found->rows[r - 1];
    }
    found->rows[place] = row;
}

void pair_note_case(struct pair *pair, struct system *system)
{
    system_project(system, is_launch_known, pair);
    if (system->is_infeasible) {
        return;
    }
    struct conflict_case found = {.count = 0};
    for (int r = 0; r < system->row_count; r++) {
        const struct poly *value = system_row_value(&pair->an->scratch, system, r);
        bool is_idle = value == NULL || (!system->rows[r].is_equal && value_range(pair->an, value).lo >= 0);
        if (!is_idle) {
            add_row(&found, (struct constraint){value, system->rows[r].is_equal});
        }
    }
    drop_implied(pair, &found, false);
    drop_products(&found);
    drop_implied(pair, &found, true);
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
