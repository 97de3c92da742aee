// After inlining, locals that need no address become scalars: what a helper writes through `f(&x)`, small structs,
// arrays that only constants index. The loop analysis then sees variables where the source had memory.
#ifndef RILL_PASSES_PROMOTE_H
#define RILL_PASSES_PROMOTE_H

#include "ir/ir.h"

void promote_function(struct ir_module *module, struct ir_function *function);

#endif
