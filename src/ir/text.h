// What the printer and the reader of the IR's text form share: the words of the enums.
#ifndef RILL_IR_TEXT_H
#define RILL_IR_TEXT_H

#include "ir/ir.h"

#define IR_TEXT_MAGIC "rill-ir 1"

// X(NAME, "word")
#define IR_VERDICT_LIST(X)                                                                                             \
    X(NONE, "none")                                                                                                    \
    X(IN_ORDER, "in_order")                                                                                            \
    X(PROVEN, "proven")                                                                                                \
    X(IF, "if")                                                                                                        \
    X(SCATTER, "scatter")                                                                                              \
    X(ATOMICS, "atomics")                                                                                              \
    X(PRAGMA, "pragma")
#define IR_ROLE_LIST(X)                                                                                                \
    X(PRIVATE, "private")                                                                                              \
    X(LAST_VALUE, "last_value")                                                                                        \
    X(REDUCTION, "reduction")                                                                                          \
    X(SELECTION, "selection")                                                                                          \
    X(COMPANION, "companion")
#define IR_FUNCTION_KIND_LIST(X)                                                                                       \
    X(KERNEL, "kernel")                                                                                                \
    X(HELPER, "helper")                                                                                                \
    X(TASK, "task")                                                                                                    \
    X(FINISH, "finish")
#define IR_CTYPE_KIND_LIST(X)                                                                                          \
    X(SCALAR, "scalar")                                                                                                \
    X(RECORD, "record")                                                                                                \
    X(ARRAY, "array")                                                                                                  \
    X(POINTER, "pointer")

// Whether |imm| is part of the operation and always printed, right after the type.
static inline bool ir_op_has_imm(enum ir_op op)
{
    return op == IR_OP_CONST || op == IR_OP_PARAM || op == IR_OP_ADDR_SLOT || op == IR_OP_NEST_ITER ||
           op == IR_OP_OFFSET || op == IR_OP_JUMP;
}

#endif
