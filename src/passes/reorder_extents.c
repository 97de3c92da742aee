// Whether an order that avoids shared updates leaves enough to share out. A nest whose outermost loop is in the way of
// others by updates that commute alone runs in parallel as it stands, with atomics or a copy for each worker; another
// order needs neither, but its parallel loops may be three iterations long. The text may say so; else the launch looks.
#include "analysis/effects/effects.h"
#include "passes/reorder_nest.h"

#include <assert.h>

enum {
    LONG_CPU = 64, // the iterations of a strip: with fewer there is one
    LONG_GPU = 1024,
    MANY = 1024, // iterations of the source's loop: with fewer the nest is hardly worth sharing out
    RATIO = 16,  // of the iterations of the source's loop to those of the others
    FEW = 16,    // known to be so few, they are no match for a number that only the launch knows
};

// Whether iterations of the outermost loop are in each other's way, and that by updates that commute alone.
static bool is_parallel_by_updates(const struct loop_nest *nest)
{
    bool is_carried = false;
    for (int d = 0; d < nest->dependences.count; d++) {
        const struct dependence *dependence = &nest->dependences.items[d];
        const struct access *a = &nest->an->accesses.items[dependence->a];
        const struct access *b = &nest->an->accesses.items[dependence->b];
        if (dependence->level > 0) {
            continue;
        }
        if (a->kind != ACCESS_UPDATE || b->kind != ACCESS_UPDATE || a->type != b->type ||
            !ir_updates_commute(a->update, b->update)) {
            return false;
        }
        is_carried = true;
    }
    return is_carried;
}

// The iterations of the loop, in the nest, that has the most of them; NULL: the launch cannot tell.
static struct plan_expr *most_trips(struct loop_nest *nest, const struct loop_info *loop)
{
    struct analysis *an = nest->an;
    const struct poly *way = poly_sub(&an->pool, loop->last, loop->first), *low;
    if (loop != nest->root && !value_extremes(an, way, nest->root, &low, &way)) {
        return NULL;
    }
    int64_t step = loop->inst->loop->step;
    struct plan_expr *stride = plan_const(an->arena, IR_I64, step < 0 ? -step : step);
    struct plan_expr *rounds =
        plan_op(an->arena, IR_OP_SDIV, IR_I64, IR_I64, value_expr(an, way, &nest->root->entry), stride);
    rounds = plan_op(an->arena, IR_OP_ADD, IR_I64, IR_I64, rounds, plan_const(an->arena, IR_I64, 1));
    return plan_op(an->arena, IR_OP_SMAX, IR_I64, IR_I64, rounds, plan_const(an->arena, IR_I64, 0));
}

// The iterations of the parallel loops that come first, multiplied; NULL: not known, or the source's first loop is one
// of them, or none is parallel.
static struct plan_expr *parallel_trips(struct loop_nest *nest, const struct order *order)
{
    struct arena *arena = nest->an->arena;
    const int64_t most = (int64_t)1 << 20; // of one loop: keeps the product below 2^63
    struct plan_expr *trips = NULL;
    for (; order != NULL && order->kind == ORDER_LOOP && order->is_parallel && !order->is_tiled; order = order->first) {
        int first = __builtin_ctz(order->statements);
        const struct loop_info *loop = nest->statements[first].loops[order->loops[first]];
        if (loop == nest->root) {
            return NULL;
        }
        struct plan_expr *more =
            plan_op(arena, IR_OP_SMIN, IR_I64, IR_I64, most_trips(nest, loop), plan_const(arena, IR_I64, most));
        trips = trips == NULL ? more : plan_op(arena, IR_OP_MUL, IR_I64, IR_I64, trips, more);
        if (trips == NULL) {
            return NULL;
        }
    }
    return trips;
}

static struct plan_expr *compare(struct arena *arena, struct plan_expr *a, struct plan_expr *b)
{
    return plan_op(arena, IR_OP_SLT, IR_I1, IR_I64, a, b);
}

// Whether the order is worth it with so many parallel iterations instead of those of the source's loop.
static struct plan_expr *is_worth_it(struct loop_nest *nest, struct plan_expr *source, struct plan_expr *trips)
{
    struct arena *arena = nest->an->arena;
    int enough = nest->module->is_gpu ? LONG_GPU : LONG_CPU;
    struct plan_expr *ratio = plan_const(arena, IR_I64, RATIO);
    struct plan_expr *is_short = compare(arena, source, plan_const(arena, IR_I64, MANY));
    int64_t known;
    if (is_short != NULL && plan_expr_is_const(is_short, &known) && known != 0) {
        return is_short;
    }
    struct plan_expr *is_near = compare(arena, source, plan_op(arena, IR_OP_MUL, IR_I64, IR_I64, trips, ratio));
    struct plan_expr *is_long = compare(arena, plan_const(arena, IR_I64, enough - 1), trips);
    struct plan_expr *any = plan_op(arena, IR_OP_OR, IR_I1, IR_I1, is_short, is_near);
    return plan_op(arena, IR_OP_OR, IR_I1, IR_I1, any, is_long);
}

bool nest_is_long_enough(struct loop_nest *nest, const struct order *order, struct plan_expr **out_test)
{
    struct arena *arena = nest->an->arena;
    *out_test = NULL;
    if (!is_parallel_by_updates(nest)) {
        return true;
    }
    struct plan_expr *source = most_trips(nest, nest->root), *all = NULL;
    for (; order != NULL && source != NULL; order = order->next) {
        struct plan_expr *trips = parallel_trips(nest, order);
        struct plan_expr *test = is_worth_it(nest, source, trips);
        int64_t count, iterations, holds;
        if (test == NULL) {
            continue;
        }
        if ((plan_expr_is_const(trips, &count) && count <= FEW && !plan_expr_is_const(source, &iterations)) ||
            (plan_expr_is_const(test, &holds) && holds == 0)) {
            return false;
        }
        all = all == NULL ? test : plan_op(arena, IR_OP_AND, IR_I1, IR_I1, all, test);
    }
    int64_t holds;
    *out_test = all != NULL && plan_expr_is_const(all, &holds) ? NULL : all; // a constant one holds
    return true;
}
