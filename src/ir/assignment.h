// Which instructions assign a variable. SET and VUPDATE assign theirs, and a FOR assigns the variable that it counts
// with; nothing else does. Memory variables have no assignments: they are written through their address.
#ifndef RILL_IR_ASSIGNMENT_H
#define RILL_IR_ASSIGNMENT_H

#include "ir/ir.h"

// The variable that |inst| itself assigns, whatever its regions do; NULL: none.
static inline struct ir_var *assignment_target(const struct ir_inst *inst)
{
    return ir_op_sets(inst->op) ? inst->var : inst->op == IR_OP_FOR ? inst->loop->var : NULL;
}

// Whether |inst|, or anything nested in it, assigns the variable.
bool assignment_is_in(const struct ir_inst *inst, const struct ir_var *var);
bool assignment_is_in_region(const struct ir_region *region, const struct ir_var *var);

struct assignments {       // of one variable in some code
    struct ir_inst *first; // NULL: none
    int count;
};

// Adds the assignments in the region to |vars|, which has an entry for each variable of the function.
void assignments_add(const struct ir_region *region, struct assignments *vars);
struct assignments assignments_of(const struct ir_region *region, const struct ir_var *var);

// The SET that is the only assignment; NULL: there is none, there are more, or it is an update or a loop.
static inline struct ir_inst *assignments_only_set(const struct assignments *assignments)
{
    bool is_one = assignments->count == 1 && assignments->first->op == IR_OP_SET;
    return is_one ? assignments->first : NULL;
}

#endif
