#include "ir/memory_use.h"

#include "base/vec.h"
#include "ir/walk.h"

// Addresses that were made from the address of one memory variable.
struct addresses {
    struct arena *arena;
    const struct ir_var *var;
    VEC(const struct ir_inst *) items;
    bool is_written; // or handed to where that cannot be seen
};

static bool is_derived(const struct addresses *a, const struct ir_inst *value)
{
    for (int i = 0; i < a->items.count; i++) {
        if (a->items.items[i] == value) {
            return true;
        }
    }
    return value->op == IR_OP_ADDR_VAR && value->var == a->var;
}

static bool follow_address(struct ir_inst *inst, void *user)
{
    struct addresses *a = user;
    for (int i = 0; i < inst->arg_count; i++) {
        if (!is_derived(a, inst->args[i])) {
            continue;
        }
        bool is_moved = (inst->op == IR_OP_INDEX || inst->op == IR_OP_OFFSET) && i == 0;
        bool is_read = ir_op_accesses(inst->op) && ir_op_reads(inst->op) &&
                       (!ir_op_writes(inst->op) || (ir_op_is_bytes(inst->op) && i == 1));
        if (is_moved) {
            VEC_PUSH(a->arena, &a->items, inst);
        }
        a->is_written |= !is_moved && !is_read;
    }
    return true;
}

bool memory_is_written(struct arena *arena, struct ir_inst *first, int count, const struct ir_var *var)
{
    struct addresses a = {.arena = arena, .var = var};
    for (struct ir_inst *inst = first; inst != NULL && count > 0 && !a.is_written; inst = inst->next, count--) {
        walk_inst(inst, follow_address, &a);
    }
    return a.is_written;
}
