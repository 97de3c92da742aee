// What every back end works out from the plan when it runs: which blocks of a region run in order and why.
#ifndef RILL_PLAN_ORDER_H
#define RILL_PLAN_ORDER_H

#include "plan/plan.h"

// ---- blocks of a region
// Blocks that nothing orders run at once. A block follows an earlier one where the source says so, or where this
// launch's arguments make regions overlap that the two blocks touch.

enum plan_order_reason {
    PLAN_ORDER_NONE,
    PLAN_ORDER_MARKED, // '#pragma rill in_order', or more blocks than a region holds
    PLAN_ORDER_SHARED, // the regions overlap in this launch
};

struct plan_block_order {
    uint64_t earlier;              // the blocks that it follows, as bits
    enum plan_order_reason reason; // why it follows |last|
    int last;                      // of these blocks, the one that was found last
};

struct plan_order {
    const struct plan_node *region;                  // borrowed
    struct plan_block_order blocks[PLAN_MAX_BLOCKS]; // those of the region are set
    bool is_marked;                                  // no two neighbours are in order for PLAN_ORDER_SHARED
};

// How the region as a whole runs.
enum plan_order_way {
    PLAN_ORDER_CONCURRENT, // some blocks may run at once
    PLAN_ORDER_OVERLAP,    // one after the other, because regions overlap
    PLAN_ORDER_IN_ORDER,   // one after the other, because the source says so
};

// What a test of two regions gives.
enum plan_overlap {
    PLAN_APART,
    PLAN_OVERLAPS, // and the later block follows the earlier one
    PLAN_BREAKS,   // `restrict` says that they are apart: the launch fails
};

// The order that the blocks' own marks give. Each conflict of |region| is then given to plan_order_asks(), in their
// order, and to plan_order_test() if that says so.
void plan_order_begin(struct plan_order *order, const struct plan_node *region);
// Notes an order that does not depend on arguments. True: they decide, and nothing orders the two blocks yet. One
// overlap is enough to order two blocks, to be counted and to be logged.
bool plan_order_asks(struct plan_order *order, const struct plan_conflict *conflict);
enum plan_overlap plan_order_test(struct plan_order *order, const struct plan_conflict *conflict,
                                  const struct plan_values *values);
// False: the regions are apart whatever their bounds are, because the arrays are. Evaluates no expression.
bool plan_conflict_is_possible(const struct plan_conflict *conflict, const struct plan_values *values);
enum plan_order_way plan_order_way(const struct plan_order *order);

static inline bool plan_order_follows(const struct plan_order *order, int later, int earlier)
{
    return (order->blocks[later].earlier >> earlier & 1) != 0;
}

#endif
