#include "ir/invariant.h"

#include "ir/assignment.h"

#include <assert.h>

bool invariant_in_loop(const struct ir_inst *value, const struct ir_inst *loop)
{
    assert(loop->op == IR_OP_FOR);
    if (value->op == IR_OP_GET) {
        return value->var != loop->loop->var && !assignment_is_in_region(&loop->regions[0], value->var);
    }
    if (!ir_op_is_pure(value->op)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!invariant_in_loop(value->args[i], loop)) {
            return false;
        }
    }
    return true;
}

bool invariant_in_task(const struct ir_inst *value, const struct ir_function *task)
{
    assert(task->kind == IR_FUNCTION_TASK || task->kind == IR_FUNCTION_FINISH); // others have no prologue
    return value->parent == &task->prologue || value->op == IR_OP_CONST || value->op == IR_OP_PARAM ||
           value->op == IR_OP_ADDR_GLOBAL || (value->op == IR_OP_SEXT && invariant_in_task(value->args[0], task));
}
