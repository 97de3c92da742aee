// What every back end says of a region of blocks: in its counters, its log and its trace.
#include "backend/backend.h"

#include <assert.h>

enum backend_region_way backend_region_way(const struct plan_order *order)
{
    switch (plan_order_way(order)) {
    case PLAN_ORDER_CONCURRENT: return BACKEND_REGION_CONCURRENT;
    case PLAN_ORDER_OVERLAP: return BACKEND_REGION_OVERLAP;
    case PLAN_ORDER_IN_ORDER: return BACKEND_REGION_MARKED;
    }
    assert(!"a way of a region that is none");
    return BACKEND_REGION_CONCURRENT;
}

void backend_log_overlap(const struct backend_host *host, const struct plan_kernel *kernel,
                         const struct plan_node *region, const struct plan_conflict *conflict)
{
    backend_log(host, BACKEND_LOG_NOTE,
                "kernel '%s': block %d of the region at line %u runs after block %d: their regions overlap",
                kernel->name, conflict->block_b + 1, region->loc.line, conflict->block_a + 1);
}

bool trace_cause_of_block(const struct plan_order *order, int index, struct trace_cause *out)
{
    const struct plan_block_order *block = &order->blocks[index];
    if (block->earlier == 0) {
        return false;
    }
    assert(block->reason != PLAN_ORDER_NONE && block->last < index);
    trace_cause_set(out, block->reason == PLAN_ORDER_MARKED ? TRACE_BLOCK_MARKED : TRACE_BLOCK_SHARED, "",
                    (uint64_t)block->last + 1);
    return true;
}
