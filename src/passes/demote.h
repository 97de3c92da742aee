// Values that are used in another region than the one that computes them, and that cannot be recomputed from parameters
// alone, become variables. After this pass a piece of a kernel can be cut out of it at any control instruction: all it
// needs from outside are parameters, variables, and arithmetic over parameters.
#ifndef RILL_PASSES_DEMOTE_H
#define RILL_PASSES_DEMOTE_H

#include "ir/ir.h"

void demote_function(struct ir_module *module, struct ir_function *function);

// Whether the value is arithmetic over parameters and constants.
bool demote_is_recomputable(const struct ir_inst *value);

#endif
