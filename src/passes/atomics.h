// Which updates are atomic.
#ifndef RILL_PASSES_ATOMICS_H
#define RILL_PASSES_ATOMICS_H

#include "analysis/analyse.h"

// Sets ir_inst.atomic of every UPDATE of the kernel, for the loops that become tasks (facts_choose() says which), and
// gives each call of a helper the code in which just those updates are atomic that must be there.
void atomics_set(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

#endif
