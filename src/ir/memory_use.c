#include "ir/memory_use.h"

#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

static bool does_not_write(struct ir_inst *inst, void *var)
{
    for (int i = 0; i < inst->arg_count; i++) {
        const struct ir_inst *root = address_root(inst->args[i]);
        if (root->op != IR_OP_ADDR_VAR || root->var != var) {
            continue;
        }
        bool is_moved = (inst->op == IR_OP_INDEX || inst->op == IR_OP_OFFSET) && i == 0;
        bool is_read = ir_op_accesses(inst->op) && ir_op_reads(inst->op) &&
                       (!ir_op_writes(inst->op) || (ir_op_is_bytes(inst->op) && i == 1));
        if (!is_moved && !is_read) {
            return false;
        }
    }
    return true;
}

bool memory_is_written(struct ir_inst *first, int count, const struct ir_var *var)
{
    assert(var->is_memory);
    bool is_written = false;
    for (struct ir_inst *inst = first; inst != NULL && count > 0 && !is_written; inst = inst->next, count--) {
        is_written = !walk_inst(inst, does_not_write, (void *)var);
    }
    return is_written;
}
