// Copies of IR: of single instructions for whoever copies some code in his own way (offload/outline.c,
// offload/fuse_copy.c), and of helpers, for passes that make one code of them for some calls and another for others.
#ifndef RILL_IR_CLONE_H
#define RILL_IR_CLONE_H

#include "ir/ir.h"

// Emits a copy of |inst| with the operands |args|. All that is said of it is copied, so that nobody who copies code
// forgets a field: the properties of a `for` are in a struct of its own, without |analysis|, and regions are made
// empty. What refers to other code (|var|, |target|, |loop->var|, roles) still means the original's: the caller
// replaces it.
struct ir_inst *clone_inst(struct ir_builder *to, const struct ir_inst *inst, struct ir_inst *const *args);

// A helper of the same code. The copy of each instruction is left in the original's |note| until clone_forget().
struct ir_function *clone_helper(struct ir_module *module, struct ir_function *from, const char *name);
void clone_forget(struct ir_function *from);

#endif
