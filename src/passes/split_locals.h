// Gives each stream_parallel block its own copy of the locals that every block writes before it reads, and refuses
// locals that carry a value from one block to another.
#ifndef RILL_PASSES_SPLIT_LOCALS_H
#define RILL_PASSES_SPLIT_LOCALS_H

#include "base/diag.h"
#include "ir/ir.h"

void split_locals(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

#endif
