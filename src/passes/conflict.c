// Whether the effects of two blocks conflict: for no arguments, for some that the launch can tell, or for certain.
#include "passes/analyse.h"

// Regions become polynomials again: every leaf of the expressions is an atom, found by comparing.
struct leaves {
    struct affine_pool pool;
    VEC(const struct plan_expr *) items;
};

static bool is_opaque(enum ir_op op)
{
    return op != IR_OP_ADD && op != IR_OP_SUB && op != IR_OP_MUL;
}

// Expressions of regions are exact, so that i64 arithmetic in them is arithmetic in the integers.
static const struct affine *value_of(struct leaves *leaves, const struct plan_expr *expr)
{
    if (expr == NULL) {
        return NULL;
    }
    int64_t constant;
    if (plan_expr_is_const(expr, &constant)) {
        return affine_const(&leaves->pool, constant);
    }
    if (expr->kind == PLAN_EXPR_OP && expr->type == IR_I64 && !is_opaque(expr->op)) {
        const struct affine *a = value_of(leaves, expr->args[0]), *b = value_of(leaves, expr->args[1]);
        return expr->op == IR_OP_ADD   ? affine_add(&leaves->pool, a, b)
               : expr->op == IR_OP_SUB ? affine_sub(&leaves->pool, a, b)
                                       : affine_mul(&leaves->pool, a, b);
    }
    for (int i = 0; i < leaves->items.count; i++) {
        if (plan_expr_equal(leaves->items.items[i], expr)) {
            return affine_atom(&leaves->pool, 2 * i);
        }
    }
    VEC_PUSH(leaves->pool.arena, &leaves->items, expr);
    return affine_atom(&leaves->pool, 2 * (leaves->items.count - 1));
}

static bool updates_commute(const struct plan_effect *a, const struct plan_effect *b)
{
    if (a->access != PLAN_UPDATE || b->access != PLAN_UPDATE || a->type != b->type) {
        return false;
    }
    if (a->is_explicit && b->is_explicit) {
        return true;
    }
    int class = ir_update_class(a->update);
    return class != 0 && class == ir_update_class(b->update);
}

// Two combs whose beginnings never come near each other.
static bool combs_miss(struct leaves *leaves, const struct plan_effect *a, const struct plan_effect *b)
{
    int64_t step_a, step_b, way;
    if (!plan_expr_is_const(a->region.step, &step_a) || !plan_expr_is_const(b->region.step, &step_b) || step_a <= 0 ||
        step_b <= 0 || a->region.width <= 0 || b->region.width <= 0) {
        return false;
    }
    while (step_b != 0) {
        int64_t rest = step_a % step_b;
        step_a = step_b;
        step_b = rest;
    }
    const struct affine *distance =
        affine_sub(&leaves->pool, value_of(leaves, b->region.low), value_of(leaves, a->region.low));
    for (int i = 0; distance != NULL && i < distance->count; i++) {
        if (distance->terms[i].degree > 0 && distance->terms[i].coef % step_a != 0) {
            return false;
        }
    }
    way = affine_constant_of(distance) % step_a;
    way = way < 0 ? way + step_a : way;
    return distance != NULL && way >= a->region.width && step_a - way >= b->region.width;
}

// value >= 0 for all values of the atoms, given that |given| (may be NULL) is not negative.
static bool always_holds(struct leaves *leaves, const struct affine *value, const struct affine *given,
                         const struct affine *also)
{
    if (value == NULL) {
        return false;
    }
    struct system *system = ARENA_NEW(leaves->pool.arena, struct system);
    system_add(system, affine_plus(&leaves->pool, affine_scale(&leaves->pool, value, -1), -1), false);
    system_add(system, given, false);
    system_add(system, also, false);
    return system_is_infeasible(system);
}

// One of the regions ends before the other begins, for all arguments for which both touch anything.
static bool regions_miss(struct leaves *leaves, const struct affine *low_a, const struct affine *high_a,
                         const struct affine *low_b, const struct affine *high_b)
{
    struct affine_pool *pool = &leaves->pool;
    const struct affine *some_a = affine_plus(pool, affine_sub(pool, high_a, low_a), -1);
    const struct affine *some_b = affine_plus(pool, affine_sub(pool, high_b, low_b), -1);
    return always_holds(leaves, affine_sub(pool, low_b, high_a), some_a, some_b) ||
           always_holds(leaves, affine_sub(pool, low_a, high_b), some_a, some_b);
}

// They meet whenever both are of a size that is worth a block.
static bool regions_meet(struct leaves *leaves, const struct affine *low_a, const struct affine *high_a,
                         const struct affine *low_b, const struct affine *high_b)
{
    enum { WORTHWHILE = 1024 }; // bytes
    struct affine_pool *pool = &leaves->pool;
    const struct affine *size_a = affine_sub(pool, high_a, low_a), *size_b = affine_sub(pool, high_b, low_b);
    const struct affine *some_a = affine_is_const(size_a, NULL) ? NULL : affine_plus(pool, size_a, -WORTHWHILE);
    const struct affine *some_b = affine_is_const(size_b, NULL) ? NULL : affine_plus(pool, size_b, -WORTHWHILE);
    return always_holds(leaves, affine_plus(pool, affine_sub(pool, high_a, low_b), -1), some_a, some_b) &&
           always_holds(leaves, affine_plus(pool, affine_sub(pool, high_b, low_a), -1), some_a, some_b);
}

static enum conflict_answer same_base(struct arena *arena, const struct plan_effect *a, const struct plan_effect *b)
{
    if (a->region.low == NULL || b->region.low == NULL) {
        return CONFLICT_ALWAYS;
    }
    struct leaves leaves = {0};
    affine_pool_init(&leaves.pool, arena);
    const struct affine *low_a = value_of(&leaves, a->region.low), *high_a = value_of(&leaves, a->region.high);
    const struct affine *low_b = value_of(&leaves, b->region.low), *high_b = value_of(&leaves, b->region.high);
    if (regions_miss(&leaves, low_a, high_a, low_b, high_b) || combs_miss(&leaves, a, b)) {
        return CONFLICT_NEVER;
    }
    bool has_combs = a->region.step != NULL && b->region.step != NULL;
    int64_t step;
    bool may_interleave =
        has_combs && (!plan_expr_is_const(a->region.step, &step) || !plan_expr_is_const(b->region.step, &step) ||
                      !affine_is_const(affine_sub(&leaves.pool, low_a, low_b), NULL));
    if (!may_interleave && regions_meet(&leaves, low_a, high_a, low_b, high_b)) {
        return CONFLICT_ALWAYS;
    }
    return CONFLICT_TEST;
}

enum conflict_answer effects_conflict(struct arena *arena, const struct plan_effect *a, const struct plan_effect *b)
{
    if (a->access == PLAN_READ && b->access == PLAN_READ) {
        return CONFLICT_NEVER;
    }
    // Updates of one base are atomic in both blocks. Those of two arguments are only if their loops need it.
    bool is_one = a->base == b->base && a->index == b->index;
    if (updates_commute(a, b) && (is_one || (a->is_atomic && b->is_atomic))) {
        return CONFLICT_NEVER;
    }
    if (a->base == PLAN_BASE_UNKNOWN || b->base == PLAN_BASE_UNKNOWN) {
        return CONFLICT_ALWAYS;
    }
    if (a->base == b->base && a->index == b->index) {
        return same_base(arena, a, b);
    }
    bool is_argument = a->base == PLAN_BASE_PARAM || b->base == PLAN_BASE_PARAM;
    bool is_local = a->base == PLAN_BASE_BLOCK || b->base == PLAN_BASE_BLOCK;
    return is_argument && !is_local ? CONFLICT_TEST : CONFLICT_NEVER; // two fields are two objects
}
