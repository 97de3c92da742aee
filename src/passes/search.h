// Loops that search: left by `break`, `return` or `goto` at the first iteration in which something holds.
#ifndef RILL_PASSES_SEARCH_H
#define RILL_PASSES_SEARCH_H

#include "base/diag.h"
#include "ir/ir.h"

void search_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

#endif
