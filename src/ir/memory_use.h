// What code does with a local that lives in memory, as far as its address can be followed in that code, and with an
// index.
#ifndef RILL_IR_MEMORY_USE_H
#define RILL_IR_MEMORY_USE_H

#include "ir/ir.h"

// Whether |count| instructions from |first| on may write the variable, or hand its address to where that cannot be
// seen.
bool memory_is_written(struct ir_inst *first, int count, const struct ir_var *var);

// Whether |sext| is nothing but the index of elements of arrays that are accessed wherever it is computed: an index of
// 32 bits that wraps between neighbouring iterations is negative in one of those, which is an access before the array.
bool index_is_accessed(const struct ir_inst *sext);

#endif
