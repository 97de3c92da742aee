#include "plan/order.h"

#include <assert.h>

// ---- blocks of a region -------------------------------------------------------------------------------------------

static void follow(struct plan_order *order, int earlier, int later, enum plan_order_reason reason)
{
    assert(0 <= earlier && earlier < later && later < order->region->child_count);
    struct plan_block_order *block = &order->blocks[later];
    block->earlier |= UINT64_C(1) << earlier;
    block->reason = reason;
    block->last = earlier;
}

void plan_order_begin(struct plan_order *order, const struct plan_node *region)
{
    assert(region->kind == PLAN_REGION && region->child_count <= PLAN_MAX_BLOCKS);
    order->region = region;
    order->is_marked = true;
    for (int i = 0; i < region->child_count; i++) {
        order->blocks[i] = (struct plan_block_order){.reason = PLAN_ORDER_NONE};
        for (int k = 0; region->children[i]->in_order && k < i; k++) {
            follow(order, k, i, PLAN_ORDER_MARKED);
        }
    }
}

bool plan_order_asks(struct plan_order *order, const struct plan_conflict *conflict)
{
    if (conflict->kind == PLAN_CONFLICT_IN_ORDER) {
        follow(order, conflict->block_a, conflict->block_b, PLAN_ORDER_MARKED);
        return false;
    }
    return conflict->is_restrict || !plan_order_follows(order, conflict->block_b, conflict->block_a);
}

static bool effects_overlap(const struct plan_effect *effect_a, const struct plan_effect *effect_b,
                            const struct plan_values *values)
{
    struct plan_span a;
    struct plan_span b;
    return plan_span_of(effect_a, values, &a) && plan_span_of(effect_b, values, &b) && plan_spans_overlap(&a, &b);
}

enum plan_overlap plan_order_test(struct plan_order *order, const struct plan_conflict *conflict,
                                  const struct plan_values *values)
{
    assert(conflict->kind == PLAN_CONFLICT_TEST);
    if (!effects_overlap(conflict->effect_a, conflict->effect_b, values)) {
        return PLAN_APART;
    }
    if (conflict->is_restrict) {
        return PLAN_BREAKS;
    }
    follow(order, conflict->block_a, conflict->block_b, PLAN_ORDER_SHARED);
    order->is_marked &= conflict->block_b != conflict->block_a + 1;
    return PLAN_OVERLAPS;
}

bool plan_conflict_is_possible(const struct plan_conflict *conflict, const struct plan_values *values)
{
    struct plan_effect a = *conflict->effect_a;
    struct plan_effect b = *conflict->effect_b;
    a.region = (struct plan_region){.width = a.region.width};
    b.region = (struct plan_region){.width = b.region.width};
    return effects_overlap(&a, &b, values);
}

enum plan_order_way plan_order_way(const struct plan_order *order)
{
    assert(order->region->child_count > 0);
    for (int i = 1; i < order->region->child_count; i++) {
        if (!plan_order_follows(order, i, i - 1)) {
            return PLAN_ORDER_CONCURRENT;
        }
    }
    return order->is_marked ? PLAN_ORDER_IN_ORDER : PLAN_ORDER_OVERLAP;
}

// ---- loops and tasks ----------------------------------------------------------------------------------------------

bool plan_loop_runs_whole(const struct plan_node *loop, const struct plan_values *values, bool *out_runs_whole)
{
    union ir_value value = {.i = 1};
    assert(loop->kind == PLAN_FOR || loop->kind == PLAN_LOOP);
    *out_runs_whole = false;
    if (loop->whole_task >= 0 && loop->whole_if != NULL && !plan_eval(loop->whole_if, values, &value)) {
        return false;
    }
    *out_runs_whole = loop->whole_task >= 0 && value.i != 0;
    return true;
}

bool plan_task_cost(const struct plan_task *task, const struct plan_values *values, int64_t *out_cost)
{
    union ir_value cost;
    bool is_known = task->cost != NULL && plan_eval(task->cost, values, &cost);
    *out_cost = !is_known ? PLAN_COST_UNKNOWN : cost.i > 1 ? cost.i : 1;
    return is_known;
}

bool plan_task_trip(const struct plan_task *task, const struct plan_values *values, int64_t *out_trip)
{
    union ir_value trip = {.i = 1};
    bool is_known = task->kind != PLAN_TASK_PARALLEL || plan_eval(task->trip, values, &trip);
    *out_trip = is_known ? trip.i : 0;
    return is_known;
}

int64_t plan_work(int64_t trip, int64_t cost)
{
    int64_t work;
    assert(cost >= 1);
    return trip <= 0 ? 0 : __builtin_mul_overflow(trip, cost, &work) ? INT64_MAX : work;
}
