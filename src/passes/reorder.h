// Nests of loops in another order: distributed, interchanged, with statements aligned on the loop that carries their
// dependences, where that gives parallel loops that the source does not have, or more of them.
#ifndef RILL_PASSES_REORDER_H
#define RILL_PASSES_REORDER_H

#include "base/diag.h"
#include "ir/ir.h"

void reorder_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

#endif
