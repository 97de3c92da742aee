// Forward dataflow over structured control. One walk in program order carries a state from instruction to instruction,
// copies it where the ways part and joins it where they meet: after an `if`, at the end of what a `break` leaves,
// between the cases of a switch. What a state is, and what instructions do to it, is the problem's own.
//
// A loop is walked once. The state with which its body is walked must hold at the start of every iteration: enter_loop
// makes it so, by forgetting what the body assigns. A problem whose states only grow along the way needs nothing there,
// since no iteration starts with less than the first.
//
// Code that is not reached is walked too, since some problems note instructions wherever they stand; `is_dead` says so.
//
// Two walks that look alike are not problems of this kind. passes/promote_forward.c joins nothing: after any branch it
// forgets what the branch assigned, and undoes its changes to one table instead of copying it.
// analysis/scalars/memory.c lets no way out of a branch add anything, and follows the list of accesses beside the code.
#ifndef RILL_IR_FLOW_H
#define RILL_IR_FLOW_H

#include "ir/ir.h"

struct flow;

struct flow_problem {
    // A state that changes independently of |state|.
    void *(*copy)(struct flow *flow, const void *state);
    // Makes |into| what holds on either way. Both are reached; |from| stays as it is.
    void (*join)(struct flow *flow, void *into, const void *from);
    // What an instruction without regions does to flow->state. RETURN and FAIL come here before the place behind them
    // becomes dead; BREAK and JUMP do not.
    void (*visit)(struct flow *flow, struct ir_inst *inst);

    // All below may be NULL.

    // Before region |number| of an IF or FOR is walked; of an IF without an `else` also the way past it, as 1. |loop|
    // is what enter_loop returned; NULL for an IF.
    void (*enter_region)(struct flow *flow, struct ir_inst *inst, int number, void *loop);
    // FOR, LOOP, CFG: makes flow->state hold whenever one of its regions starts. What it returns is for the two others.
    void *(*enter_loop)(struct flow *flow, struct ir_inst *inst);
    // Makes flow->state hold behind it. Given is: FOR, the state at the end of its body, and |before| it; LOOP, what
    // its breaks bring; CFG, the state that enter_loop made. |before| is NULL but for FOR.
    void (*leave_loop)(struct flow *flow, struct ir_inst *inst, void *before, void *loop);
    // BLOCKS, whole; NULL: one after the other.
    void (*blocks)(struct flow *flow, struct ir_inst *inst);
};

struct flow_exit;

struct flow {
    const struct flow_problem *problem;
    void *user;              // the problem's
    void *state;             // at the place that the walk has got to
    bool is_dead;            // that place is not reached
    struct flow_exit *exits; // what the walk is in that a `break` may leave: flow.c's
};

void flow_region(struct flow *flow, struct ir_region *region);

#endif
