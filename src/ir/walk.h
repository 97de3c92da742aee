// Walking instructions with everything nested in them.
#ifndef RILL_IR_WALK_H
#define RILL_IR_WALK_H

#include "ir/ir.h"

// Calls |visit| for |inst| and all instructions nested in it, in program order. False from |visit| stops the walk; then
// false is returned.
typedef bool walk_visit(struct ir_inst *inst, void *user);
bool walk_inst(struct ir_inst *inst, walk_visit *visit, void *user);
bool walk_region(const struct ir_region *region, walk_visit *visit, void *user);

// Whether |inst| is |outer| or nested in it.
bool walk_is_inside(const struct ir_inst *inst, const struct ir_inst *outer);

#endif
