// The steps of promotion, repeated until nothing changes: pointers that are known where they are read are read no
// more, and memory whose every access is then known becomes variables.
#ifndef RILL_PASSES_PROMOTE_INTERNAL_H
#define RILL_PASSES_PROMOTE_INTERNAL_H

#include "base/vec.h"
#include "passes/promote.h"

// Replaces reads of variables by what was stored there, where that is arithmetic over parameters, constants and
// addresses of locals. True if anything changed.
bool promote_forward(struct ir_module *module, struct ir_function *function);

// Splits memory variables into scalars. True if any was.
bool promote_memory(struct ir_module *module, struct ir_function *function);

// Hands over what helpers read of locals instead of the locals' addresses. True if any was.
bool promote_call(struct ir_module *module, struct ir_function *function);

// Takes structs apart that stay memory, where every use stays in one member. True if any was.
bool promote_split(struct ir_module *module, struct ir_function *function);

// In loops: removes what inlined helpers that take and return structs leave of copies. True if anything changed.
bool promote_choices(struct ir_module *module, struct ir_function *function);

// Makes updates of what reads a place in a loop, computes with it once and writes it again.
void promote_updates(struct ir_module *module, struct ir_function *function);

#endif
