// Loops that carry a running value and store it, or store by it: prefix sums, lists and their kin, written as three
// steps of which the first and the last are parallel.
#ifndef RILL_PASSES_SCAN_H
#define RILL_PASSES_SCAN_H

#include "base/diag.h"
#include "ir/ir.h"

void scan_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

#endif
