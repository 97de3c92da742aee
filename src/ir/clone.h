// Copies of helpers, for passes that make one code of them for some calls and another for others.
#ifndef RILL_IR_CLONE_H
#define RILL_IR_CLONE_H

#include "ir/ir.h"

// A helper of the same code. The copy of each instruction is left in the original's |note| until clone_forget().
struct ir_function *clone_helper(struct ir_module *module, struct ir_function *from, const char *name);
void clone_forget(struct ir_function *from);

#endif
