// Notes at every instruction that has regions what becomes of it: a task, control around tasks, or serial code.
#include "offload/offload.h"

#include "ir/walk.h"

#include <assert.h>

static bool mark_inst(struct offload *o, struct ir_inst *inst, bool may_choose)
{
    struct offload_note *note = offload_note(o, inst);
    switch (inst->op) {
    case IR_OP_FOR:
        if (inst->loop->pragma_parallel && !walk_inst(inst, facts_is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc, "a loop under '#pragma rill parallel' cannot hold a stream_parallel block");
        }
        note->is_chosen = may_choose && facts_choose(inst);
        note->has_task =
            note->is_chosen || choose_in_region(o, &inst->regions[0],
                                                may_choose && !inst->loop->pragma_single && !inst->loop->is_fallback);
        break;
    case IR_OP_IF:
    case IR_OP_BLOCK:
    case IR_OP_LOOP:
        for (int i = 0; i < inst->region_count; i++) {
            note->has_task |= choose_in_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_BLOCKS:
        note->has_task = true;
        for (int i = 0; i < inst->region_count; i++) {
            choose_in_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_SWITCH:
    case IR_OP_CFG:
        if (!walk_inst(inst, facts_is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc, "a stream_parallel block cannot stand %s: use if and loops around it",
                       inst->op == IR_OP_CFG ? "between gotos" : "under a switch of so many cases");
        }
        break;
    default: break;
    }
    return note->has_task;
}

bool choose_in_region(struct offload *o, struct ir_region *region, bool may_choose)
{
    bool has_task = false;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->region_count > 0) {
            has_task |= mark_inst(o, inst, may_choose);
        }
    }
    return has_task;
}

void choose_loops(struct offload *o)
{
    assert(!o->is_chosen);
    o->is_chosen = true;
    o->has_task = choose_in_region(o, &o->kernel->body, !o->kernel->pragma_single);
}

bool choose_has_no_escape(struct ir_inst *inst, void *user)
{
    struct ir_inst *outer = user;
    return !(inst->op == IR_OP_RETURN || (inst->op == IR_OP_BREAK && !walk_is_inside(inst->target, outer)));
}
