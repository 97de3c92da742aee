// Walking instructions with everything nested in them: by a visitor, which may unlink what it is given, or as a loop
// over code that stays as it is:
//
//     WALK(inst, region) { count += inst->op == IR_OP_FOR; }
#ifndef RILL_IR_WALK_H
#define RILL_IR_WALK_H

#include "ir/ir.h"

// Calls |visit| for |inst| and all instructions nested in it, in program order. False from |visit| stops the walk; then
// false is returned.
typedef bool walk_visit(struct ir_inst *inst, void *user);
bool walk_inst(struct ir_inst *inst, walk_visit *visit, void *user);
bool walk_region(const struct ir_region *region, walk_visit *visit, void *user);

// All instructions of the region, each before what is nested in it, in program order.
#define WALK(inst, region)                                                                                             \
    for (const struct ir_inst *inst = (region)->first; inst != NULL; inst = walk_next(inst, (region)))

// The one after |inst|, which stands somewhere in |region|, in that order; NULL at the end. walk_over() leaves out what
// is nested in |inst|.
struct ir_inst *walk_next(const struct ir_inst *inst, const struct ir_region *region);
struct ir_inst *walk_over(const struct ir_inst *inst, const struct ir_region *region);

// Backwards: later instructions first, and what is nested in one, its last region first, before it. |visit| may unlink
// the instruction. False from it stops the walk.
bool walk_region_back(const struct ir_region *region, walk_visit *visit, void *user);

// Whether |inst| is |outer| or nested in it.
bool walk_is_inside(const struct ir_inst *inst, const struct ir_inst *outer);

#endif
