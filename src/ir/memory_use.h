// What code does with a local that lives in memory, as far as its address can be followed in that code.
#ifndef RILL_IR_MEMORY_USE_H
#define RILL_IR_MEMORY_USE_H

#include "ir/ir.h"

// Whether |count| instructions from |first| on may write the variable, or hand its address to where that cannot be
// seen.
bool memory_is_written(struct ir_inst *first, int count, const struct ir_var *var);

#endif
