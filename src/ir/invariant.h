// Whether a value of the IR is the same in every iteration. These look at how the value is computed; what the analysis
// knows of values that are computed anew in each iteration and still do not change is in analysis/values/varies.h.
#ifndef RILL_IR_INVARIANT_H
#define RILL_IR_INVARIANT_H

#include "ir/ir.h"

// Whether the value can be computed before the FOR: pure operations on what the loop does not assign.
bool invariant_in_loop(const struct ir_inst *value, const struct ir_inst *loop);

// Whether the value is the same in all iterations of the task: of its prologue, or made of parameters and constants.
bool invariant_in_task(const struct ir_inst *value, const struct ir_function *task);

#endif
