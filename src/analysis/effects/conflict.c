// Whether the effects of two blocks conflict: for no arguments, for some that the launch can tell, or for certain.
#include "analysis/effects/effects.h"

#include <assert.h>

// Regions become polynomials again: every leaf of the expressions is an atom, found by comparing.
struct leaves {
    struct poly_pool pool;
    struct system *system; // for one question
    VEC(const struct plan_expr *) items;
};

struct conflict_room {
    struct leaves leaves;
};

struct conflict_room *conflict_room_create(struct arena *arena)
{
    struct conflict_room *room = ARENA_NEW(arena, struct conflict_room);
    poly_pool_init(&room->leaves.pool, arena);
    room->leaves.system = ARENA_NEW(arena, struct system);
    return room;
}

static bool is_opaque(enum ir_op op)
{
    return op != IR_OP_ADD && op != IR_OP_SUB && op != IR_OP_MUL;
}

// Expressions of regions are exact, so that i64 arithmetic in them is arithmetic in the integers.
static const struct poly *value_of(struct leaves *leaves, const struct plan_expr *expr)
{
    int64_t constant;
    if (plan_expr_is_const(expr, &constant)) {
        return poly_const(&leaves->pool, constant);
    }
    if (expr->kind == PLAN_EXPR_OP && expr->type == IR_I64 && !is_opaque(expr->op)) {
        const struct poly *a = value_of(leaves, expr->args[0]), *b = value_of(leaves, expr->args[1]);
        return expr->op == IR_OP_ADD   ? poly_add(&leaves->pool, a, b)
               : expr->op == IR_OP_SUB ? poly_sub(&leaves->pool, a, b)
                                       : poly_mul(&leaves->pool, a, b);
    }
    for (int i = 0; i < leaves->items.count; i++) {
        if (plan_expr_equal(leaves->items.items[i], expr)) {
            return poly_atom(&leaves->pool, 2 * i);
        }
    }
    VEC_PUSH(leaves->pool.arena, &leaves->items, expr);
    return poly_atom(&leaves->pool, 2 * (leaves->items.count - 1));
}

static struct ir_update_use update_use(const struct plan_effect *effect)
{
    return (struct ir_update_use){effect->update, effect->type, effect->is_explicit};
}

bool updates_may_meet(const struct plan_effect *a, const struct plan_effect *b)
{
    return a->access == PLAN_UPDATE && b->access == PLAN_UPDATE && ir_updates_may_meet(update_use(a), update_use(b));
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
    const struct poly *distance =
        poly_sub(&leaves->pool, value_of(leaves, b->region.low), value_of(leaves, a->region.low));
    for (int i = 0; distance != NULL && i < distance->count; i++) {
        if (distance->terms[i].degree > 0 && distance->terms[i].coef % step_a != 0) {
            return false;
        }
    }
    way = poly_constant_of(distance) % step_a;
    way = way < 0 ? way + step_a : way;
    return distance != NULL && way >= a->region.width && step_a - way >= b->region.width;
}

// value >= 0 for all values of the atoms, given that |given| (may be NULL) is not negative.
static bool always_holds(struct leaves *leaves, const struct poly *value, const struct poly *given,
                         const struct poly *also)
{
    int64_t constant;
    if (value == NULL || (poly_is_const(value, &constant) && constant >= 0)) {
        return value != NULL;
    }
    struct system *system = leaves->system;
    system_clear(system);
    system_add(system, poly_plus(&leaves->pool, poly_scale(&leaves->pool, value, -1), -1), false);
    system_add(system, given, false);
    system_add(system, also, false);
    return system_is_infeasible(system);
}

struct bounds { // of two regions
    struct leaves *leaves;
    const struct poly *low_a;
    const struct poly *high_a;
    const struct poly *low_b;
    const struct poly *high_b;
};

static void find_bounds(struct leaves *leaves, const struct plan_effect *a, const struct plan_effect *b,
                        struct bounds *out)
{
    leaves->items.count = 0;
    *out = (struct bounds){.leaves = leaves};
    out->low_a = value_of(leaves, a->region.low);
    out->high_a = value_of(leaves, a->region.high);
    out->low_b = value_of(leaves, b->region.low);
    out->high_b = value_of(leaves, b->region.high);
}

// One of the regions ends before the other begins, for all arguments for which both touch anything.
static bool regions_miss(struct bounds *r)
{
    struct poly_pool *pool = &r->leaves->pool;
    const struct poly *some_a = poly_plus(pool, poly_sub(pool, r->high_a, r->low_a), -1);
    const struct poly *some_b = poly_plus(pool, poly_sub(pool, r->high_b, r->low_b), -1);
    return always_holds(r->leaves, poly_sub(pool, r->low_b, r->high_a), some_a, some_b) ||
           always_holds(r->leaves, poly_sub(pool, r->low_a, r->high_b), some_a, some_b);
}

// They meet whenever both touch anything, or, where both grow with the arguments, more than a few elements: that
// a[i] and a[i + 1] miss each other if there is but one i is of no use.
static bool regions_meet(struct bounds *r)
{
    enum { FEW = 64 }; // bytes
    struct poly_pool *pool = &r->leaves->pool;
    const struct poly *size_a = poly_sub(pool, r->high_a, r->low_a), *size_b = poly_sub(pool, r->high_b, r->low_b);
    bool is_fixed_a = poly_is_const(size_a, NULL), is_fixed_b = poly_is_const(size_b, NULL);
    int least = is_fixed_a || is_fixed_b ? 1 : FEW;
    const struct poly *some_a = is_fixed_a ? NULL : poly_plus(pool, size_a, -least);
    const struct poly *some_b = is_fixed_b ? NULL : poly_plus(pool, size_b, -least);
    return always_holds(r->leaves, poly_plus(pool, poly_sub(pool, r->high_a, r->low_b), -1), some_a, some_b) &&
           always_holds(r->leaves, poly_plus(pool, poly_sub(pool, r->high_b, r->low_a), -1), some_a, some_b);
}

bool effects_are_apart(struct conflict_room *room, const struct block_effect *a, const struct block_effect *b)
{
    if (a->effect.region.low == NULL || b->effect.region.low == NULL) {
        return false;
    }
    struct leaves *leaves = &room->leaves;
    struct poly_mark mark = poly_mark(&leaves->pool);
    struct bounds bounds;
    find_bounds(leaves, &a->effect, &b->effect, &bounds);
    bool are_apart = combs_miss(leaves, &a->effect, &b->effect) || regions_miss(&bounds); // the cheaper one first
    poly_release(&leaves->pool, mark);
    return are_apart;
}

// Of regions that are not apart: whether that is so for all arguments.
static bool always_meet(struct leaves *leaves, const struct plan_effect *a, const struct plan_effect *b)
{
    struct poly_mark mark = poly_mark(&leaves->pool);
    struct bounds bounds;
    find_bounds(leaves, a, b, &bounds);
    bool has_combs = a->region.step != NULL && b->region.step != NULL;
    int64_t step;
    bool may_interleave =
        has_combs && (!plan_expr_is_const(a->region.step, &step) || !plan_expr_is_const(b->region.step, &step) ||
                      !poly_is_const(poly_sub(&leaves->pool, bounds.low_a, bounds.low_b), NULL));
    bool meet = !may_interleave && regions_meet(&bounds);
    poly_release(&leaves->pool, mark);
    return meet;
}

static enum conflict_answer same_base(struct conflict_room *room, const struct block_effect *effect_a,
                                      const struct block_effect *effect_b)
{
    const struct plan_effect *a = &effect_a->effect, *b = &effect_b->effect;
    assert(a->base == b->base && a->index == b->index);
    if (a->region.low == NULL || b->region.low == NULL) {
        return CONFLICT_ALWAYS;
    }
    if (effects_are_apart(room, effect_a, effect_b)) {
        return effect_a->only_if == NULL && effect_b->only_if == NULL ? CONFLICT_NEVER : CONFLICT_TEST;
    }
    return always_meet(&room->leaves, a, b) ? CONFLICT_ALWAYS : CONFLICT_TEST;
}

enum conflict_answer effects_conflict(struct conflict_room *room, const struct block_effect *effect_a,
                                      const struct block_effect *effect_b)
{
    const struct plan_effect *a = &effect_a->effect, *b = &effect_b->effect;
    if (a->access == PLAN_READ && b->access == PLAN_READ) {
        return CONFLICT_NEVER;
    }
    // Updates of one base that may meet are atomic in both blocks. Those of two arguments are only if their loops need
    // it.
    bool commute = updates_may_meet(a, b);
    if (commute && a->is_atomic && b->is_atomic) {
        return CONFLICT_NEVER;
    }
    if (a->base == PLAN_BASE_UNKNOWN || b->base == PLAN_BASE_UNKNOWN) {
        return CONFLICT_ALWAYS;
    }
    if (a->base == b->base && a->index == b->index) {
        enum conflict_answer answer = same_base(room, effect_a, effect_b);
        return commute && answer == CONFLICT_ALWAYS ? CONFLICT_TEST : answer; // plain, since single updates are apart
    }
    bool is_argument = a->base == PLAN_BASE_PARAM || b->base == PLAN_BASE_PARAM;
    bool is_local = a->base == PLAN_BASE_BLOCK || b->base == PLAN_BASE_BLOCK;
    return is_argument && !is_local ? CONFLICT_TEST : CONFLICT_NEVER; // two fields are two objects
}
