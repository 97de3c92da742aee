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

bool index_is_accessed(const struct ir_inst *sext)
{
    bool is_accessed = false;
    for (const struct ir_inst *inst = sext->next; inst != NULL; inst = inst->next) {
        const struct ir_inst *at = ir_op_is_element(inst->op) ? inst->args[0] : NULL;
        for (; at != NULL && (at->op == IR_OP_INDEX || at->op == IR_OP_OFFSET); at = at->args[0]) {
            is_accessed |= at->op == IR_OP_INDEX && at->args[1] == sext;
        }
        for (int i = 0; i < inst->arg_count; i++) {
            const struct ir_inst *base = inst->args[0];
            bool has_begin = base->op == IR_OP_PARAM || base->op == IR_OP_ADDR_GLOBAL;
            if (inst->args[i] == sext && (inst->op != IR_OP_INDEX || i != 1 || !has_begin)) {
                return false;
            }
        }
        if (inst->region_count > 0) {
            return is_accessed; // a use behind it is none that was looked at
        }
    }
    return is_accessed;
}
