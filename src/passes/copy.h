// Copies of helpers, for passes that make one code of them for some calls and another for others.
#ifndef RILL_PASSES_COPY_H
#define RILL_PASSES_COPY_H

#include "ir/ir.h"

// A helper of the same code. The copy of each instruction is left in the original's |note| until copy_forget().
struct ir_function *copy_helper(struct ir_module *module, struct ir_function *from, const char *name);
void copy_forget(struct ir_function *from);

#endif
