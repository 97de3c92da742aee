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
