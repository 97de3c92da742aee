// What the launch tests before a nest runs in any order: the conditions and pairs of all its loops, as they are known
// where the outermost one begins.
//
// The task runs in any order if the outermost loop's conditions hold, and those of the loops inside in each of its
// iterations. On a GPU, where the loops inside are what fills the device, these become the task's. That such a test
// fails is rare: most say that an index does not wrap. On a CPU the outer loop alone has iterations enough, as a rule,
// and a test that fails would take the threads from it; where it has few, the launch runs it as control
// (short_loops.c), with the inner loop as it stands, which is faster code than strips whose index might wrap.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>

enum { TESTS_MOST = 64 }; // of one task

struct tests {
    struct offload *o;
    VEC(struct plan_condition) conditions;
    VEC(struct plan_pair) pairs;
};

static void add_condition(struct tests *tests, struct plan_condition condition)
{
    for (int i = 0; i < tests->conditions.count; i++) {
        if (plan_expr_equal(tests->conditions.items[i].expr, condition.expr)) {
            return;
        }
    }
    VEC_PUSH(tests->o->arena, &tests->conditions, condition);
}

static void add_pair(struct tests *tests, struct plan_pair pair)
{
    for (int i = 0; i < tests->pairs.count; i++) {
        struct plan_pair *other = &tests->pairs.items[i];
        if ((other->a == pair.a && other->b == pair.b) || (other->a == pair.b && other->b == pair.a)) {
            other->equal_will_do &= pair.equal_will_do;
            return;
        }
    }
    VEC_PUSH(tests->o->arena, &tests->pairs, pair);
}

static struct tests tests_of(struct offload *o, const struct nest *nest)
{
    struct tests tests = {.o = o};
    for (int i = 0; i < nest->condition_count; i++) {
        VEC_PUSH(o->arena, &tests.conditions, nest->conditions[i]);
    }
    for (int i = 0; i < nest->pair_count; i++) {
        VEC_PUSH(o->arena, &tests.pairs, nest->pairs[i]);
    }
    return tests;
}

// The inner loop's condition where |outer| begins: for all iterations of that, or because it is the same in all.
static struct plan_expr *condition_at(struct offload *o, const struct ir_inst *inner, int number, struct ir_inst *outer)
{
    const struct loop_facts *facts = inner->loop->analysis;
    struct plan_expr *expr = facts_condition_at(inner, number, outer);
    if (expr != NULL) {
        return expr;
    }
    expr = substitute_variables(o, facts->conditions[number].expr, outer);
    return walk_inst(outer, substitute_is_unassigned, expr) ? expr : NULL;
}

static bool names(const struct plan_expr *expr, int var)
{
    bool is_named = expr != NULL && expr->kind == PLAN_EXPR_VAR && expr->index == var;
    for (int i = 0; expr != NULL && i < expr->arg_count && !is_named; i++) {
        is_named = names(expr->args[i], var);
    }
    return is_named;
}

// Whether the launch has the variable anyway: a loop around the nest counts it, or the outermost loop's own bounds or
// tests need it.
static bool is_at_hand(struct offload *o, const struct nest *nest, int var)
{
    const struct ir_inst *outer = nest->loops[0];
    bool is_known = names(offload_trip(o, outer), var);
    for (int i = 0; i < nest->condition_count && !is_known; i++) {
        is_known = names(nest->conditions[i].expr, var);
    }
    for (const struct ir_inst *around = outer->parent->owner; around != NULL && !is_known;
         around = around->parent->owner) {
        is_known = around->op == IR_OP_FOR && around->loop->var->index == var;
    }
    return is_known;
}

// On a GPU another variable may be what a task computes: the launch would have to wait for it.
static bool can_be_tested(struct offload *o, const struct nest *nest, const struct plan_expr *expr)
{
    if (expr->kind == PLAN_EXPR_VAR && !is_at_hand(o, nest, expr->index)) {
        return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!can_be_tested(o, nest, expr->args[i])) {
            return false;
        }
    }
    return true;
}

static bool is_stricter(const struct nest *nest, const struct tests *tests)
{
    bool is_more = tests->conditions.count > nest->condition_count || tests->pairs.count > nest->pair_count;
    for (int i = 0; i < nest->pair_count; i++) {
        is_more |= nest->pairs[i].equal_will_do && !tests->pairs.items[i].equal_will_do;
    }
    return is_more;
}

const char *nest_take_tests(struct offload *o, struct nest *nest, const struct ir_inst *inner,
                            const struct plan_condition *more, int more_count)
{
    const struct loop_facts *facts = inner->loop->analysis;
    struct tests tests = tests_of(o, nest);
    for (int i = 0; i < more_count; i++) {
        add_condition(&tests, more[i]);
    }
    for (int i = 0; i < facts->condition_count; i++) {
        struct plan_condition condition = facts->conditions[i];
        condition.expr = condition_at(o, inner, i, nest->loops[0]);
        if (condition.expr == NULL) {
            return "the inner loop's iterations are independent only if a test holds that changes in it";
        }
        add_condition(&tests, condition);
    }
    struct plan_pair *pairs;
    int pair_count;
    if (!facts_pairs_at(inner, nest->loops[0], &pairs, &pair_count)) {
        return "the inner loop needs more arguments to be apart";
    }
    for (int i = 0; i < pair_count; i++) {
        add_pair(&tests, pairs[i]);
    }
    if (nest->is_flexible && (facts->condition_count > 0 || is_stricter(nest, &tests))) {
        return "the inner loop's iterations are independent only if a test holds";
    }
    for (int i = nest->condition_count; i < tests.conditions.count; i++) {
        if (!can_be_tested(o, nest, tests.conditions.items[i].expr)) {
            return "the inner loop's iterations are independent only if a test holds that the device has to make";
        }
    }
    if (tests.conditions.count > TESTS_MOST && tests.conditions.count > nest->condition_count) {
        return "the inner loop's iterations are independent only if more tests hold than a launch makes";
    }
    nest->conditions = tests.conditions.items;
    nest->condition_count = tests.conditions.count;
    nest->pairs = tests.pairs.items;
    nest->pair_count = tests.pairs.count;
    return NULL;
}
