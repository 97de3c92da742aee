// The test that the launch makes: that no case holds in which two accesses can meet, and that indices fit their types.
#include "analysis/dependence/pair.h"
#include "analysis/effects/effects.h"

#include <assert.h>

// The value is what 64 bits compute. A sum that fits at last is right whatever its terms are; a least or greatest of
// two values is not if one of them has wrapped.
static struct plan_expr *magnitude_guard(struct analysis *an, const struct poly *value, const struct var_values *entry)
{
    const int64_t term_limit = (int64_t)1 << 56;
    poly_wide limit = (poly_wide)1 << 62;
    struct poly_range range = value_range(an, value);
    if (range.lo > -limit && range.hi < limit) {
        return value_operands_within(an, value, term_limit, entry);
    }
    return value_terms_within(an, value, term_limit, entry);
}

// Positive terms on the left, negative ones on the right, as one writes it.
static void print_negation(struct analysis *an, const struct constraint *row, struct str *out)
{
    struct poly_pool *pool = &an->scratch;
    const struct poly *left = poly_const(pool, 0), *right = left;
    for (int i = 0; i < row->value->count; i++) {
        struct poly_term term = row->value->terms[i];
        if (term.degree == 0) {
            continue;
        }
        bool is_left = term.coef > 0;
        term.coef = is_left ? term.coef : -term.coef;
        const struct poly **side = is_left ? &left : &right;
        *side = poly_add(pool, *side, pair_term_value(pool, &term));
    }
    int64_t constant = poly_constant_of(row->value);
    const char *relation = row->is_equal ? " != " : constant == -1 ? " <= " : " < ";
    if (row->is_equal || constant != -1) {
        *(constant > 0 ? &left : &right) =
            poly_plus(pool, constant > 0 ? left : right, constant > 0 ? constant : -constant);
    }
    value_print(an, left, out);
    str_add(out, relation);
    value_print(an, right, out);
}

// Whether one row of each case can fail at the same time, given trip counts that make the loop worth it.
static bool can_hold(struct pair *pair, int c, const struct guard *guards)
{
    struct poly_pool *pool = &pair->an->scratch;
    if (c == pair->case_count) {
        return !value_is_nonnegative(pair->an, poly_const(pool, -1),
                                     guards); // -1 >= 0 follows from contradictions only
    }
    for (int r = 0; r < pair->cases[c].count; r++) {
        const struct constraint *row = &pair->cases[c].rows[r];
        for (int side = 0; side < (row->is_equal ? 2 : 1); side++) {
            struct guard *guard = poly_alloc(pool, sizeof *guard);
            const struct poly *value = side == 0 ? poly_scale(pool, row->value, -1) : row->value;
            *guard = (struct guard){poly_plus(pool, value, -1), false, guards};
            if (can_hold(pair, c + 1, guard)) {
                return true;
            }
        }
    }
    return false;
}

// |need| may be NULL.
static bool add_condition(struct pair_result *result, struct plan_condition condition, const struct need *need)
{
    if (condition.expr == NULL || result->condition_count == PAIR_MAX_CONDITIONS) {
        return false;
    }
    result->needs[result->condition_count] = need;
    result->conditions[result->condition_count++] = condition;
    return true;
}

// One row of the case fails.
static struct plan_expr *negated_case(struct pair *pair, const struct conflict_case *found, struct str *text)
{
    struct analysis *an = pair->an;
    struct arena *arena = an->arena;
    const struct var_values *entry = &pair->info->entry;
    struct plan_expr *any = plan_const(arena, IR_I1, 0);
    for (int r = 0; r < found->count; r++) {
        struct plan_expr *value = value_expr(an, found->rows[r].value, entry);
        struct plan_expr *fails = plan_op(arena, found->rows[r].is_equal ? IR_OP_NE : IR_OP_SLT, IR_I1, IR_I64, value,
                                          plan_const(arena, IR_I64, 0));
        fails = plan_op(arena, IR_OP_AND, IR_I1, IR_I1, fails, magnitude_guard(an, found->rows[r].value, entry));
        any = plan_op(arena, IR_OP_OR, IR_I1, IR_I1, any, fails);
        str_add(text, r > 0 ? " or " : "");
        print_negation(an, &found->rows[r], text);
    }
    return any;
}

// The launch's test: none of the cases holds.
struct pair_result pair_make_condition(struct pair *pair)
{
    enum { MAX_COMBINATIONS = 32 }; // of rows that might fail: beyond, the launch finds out
    struct analysis *an = pair->an;
    const struct pair_result conflict = {.answer = PAIR_CONFLICT};
    struct pair_result result = {.answer = PAIR_IF};
    pair_simplify_cases(pair);
    int combinations = 1;
    for (int c = 0; c < pair->case_count && combinations <= MAX_COMBINATIONS; c++) {
        combinations *= pair->cases[c].count;
    }
    if (combinations <= MAX_COMBINATIONS && !can_hold(pair, 0, pair_worthwhile(pair))) {
        return conflict;
    }
    an->names = &pair->info->entry;
    for (int c = 0; c < pair->case_count; c++) {
        struct str text;
        str_init(&text, an->arena);
        struct plan_expr *expr = negated_case(pair, &pair->cases[c], &text);
        struct plan_condition condition = {.expr = expr, .text = str_text(&text), .loc = pair->a->inst->loc};
        if (pair->cases[c].count == 0 || !add_condition(&result, condition, NULL)) {
            result = conflict;
            break;
        }
    }
    an->names = NULL;
    return result;
}

// ---- needs ---------------------------------------------------------------------------------------------------------

struct plan_expr *need_condition(struct analysis *an, const struct loop_info *info, const struct need *need)
{
    const struct poly *low, *high;
    an->assumed.count = 0;
    an->may_assume = true; // divisors that are positive: tested too
    bool is_known = value_extremes(an, need->value, info, &low, &high);
    an->may_assume = false;
    if (!is_known) {
        return NULL;
    }
    struct plan_expr *all = effects_fits(an, need, low, high, &info->entry);
    for (int i = 0; i < an->assumed.count; i++) {
        struct plan_expr *positive =
            plan_op(an->arena, IR_OP_SGT, IR_I1, IR_I64, value_expr(an, an->assumed.items[i], &info->entry),
                    plan_const(an->arena, IR_I64, 0));
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, positive);
    }
    return all;
}

// Loops in order around the task would have the launch ask again in each round, which costs as much as a short task
// does: one answer for all of them comes from the arguments. NULL: there is none, or it is asked once anyway.
static struct plan_expr *condition_throughout(struct analysis *an, const struct loop_info *info,
                                              const struct need *need, const struct plan_expr *each_time)
{
    const struct loop_info *root = info;
    while (root->parent != NULL) {
        root = root->parent;
    }
    if (root == info || each_time == NULL || plan_expr_is_of_arguments(each_time)) {
        return NULL;
    }
    struct plan_expr *all = need_condition(an, root, need);
    return all != NULL && plan_expr_is_of_arguments(all) ? all : NULL;
}

static bool add_need(struct analysis *an, const struct loop_info *info, const struct need *need,
                     struct pair_result *result)
{
    struct str text;
    str_init(&text, an->arena);
    an->names = &info->entry;
    value_print(an, need->value, &text);
    an->names = NULL;
    str_printf(&text, " fits in %d bits", 8 * ir_type_size(need->type));
    result->answer = PAIR_IF;
    struct plan_condition condition = {
        .expr = need_condition(an, info, need), .text = str_text(&text), .loc = need->loc};
    condition.throughout = condition_throughout(an, info, need, condition.expr);
    return add_condition(result, condition, need);
}

// The same for what was taken not to wrap.
struct pair_result pair_with_fits(struct pair *pair, struct pair_result result)
{
    assert(pair->assumes_fits && result.answer != PAIR_CONFLICT);
    for (int i = 0; i < pair->fit_count; i++) {
        const struct atom *atom = atom_of(pair->an, pair->fits[i]);
        struct need *need = ARENA_NEW(pair->an->arena, struct need); // the loop's facts keep it
        *need = (struct need){atom->a, atom->type, atom->op == IR_OP_SEXT, pair->info->inst->loc, NULL};
        if (!add_need(pair->an, pair->info, need, &result)) {
            return (struct pair_result){.answer = PAIR_CONFLICT};
        }
    }
    return result;
}

// The accesses are apart provided that their offsets are what they seem.
struct pair_result pair_with_needs(struct analysis *an, struct loop_info *info, const struct access *a,
                                   const struct access *b, struct pair_result result)
{
    const struct need *lists[2] = {a->needs, a == b ? NULL : b->needs};
    assert(result.answer != PAIR_CONFLICT);
    result.is_fit |= result.answer == PAIR_APART;
    for (int i = 0; i < 2; i++) {
        for (const struct need *need = lists[i]; need != NULL; need = need->next) {
            if (!add_need(an, info, need, &result)) {
                return (struct pair_result){.answer = PAIR_CONFLICT};
            }
        }
    }
    return result;
}
