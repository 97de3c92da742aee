// Which loops become tasks: the outermost independent ones, except where a loop inside is the better choice.
#include "passes/offload.h"

#include "passes/walk.h"

bool choose_is_not_blocks(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_BLOCKS;
}

enum { TRIPS_TOO_FEW = 16 }; // a task of so few iterations leaves most of a device idle

bool choose_has_few_iterations(const struct ir_inst *loop)
{
    const struct ir_inst *first = loop->args[0];
    const struct ir_inst *bound = loop->args[1];
    if (first->op != IR_OP_CONST || bound->op != IR_OP_CONST) {
        return false;
    }
    bool is_unsigned = loop->loop->compare >= IR_OP_ULT && loop->loop->compare <= IR_OP_UGE;
    return ir_trip_count(loop->loop->compare, loop->loop->var->type, is_unsigned, first->imm, bound->imm,
                         loop->loop->step) <= TRIPS_TOO_FEW;
}

// False when |inst| is a loop inside that is independent without updates, and has many iterations for all that the
// source says: the walk stops.
static bool is_not_better(struct ir_inst *inst, void *outer)
{
    if (inst == outer || inst->op != IR_OP_FOR || !ir_verdict_is_parallel(inst->loop->verdict)) {
        return true;
    }
    const struct loop_facts *facts = inst->loop->analysis;
    return facts == NULL || facts->independent_by_updates || choose_has_few_iterations(inst);
}

bool facts_choose(const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    if (!ir_verdict_is_parallel(loop->loop->verdict) || facts == NULL || loop->loop->pragma_single) {
        return false;
    }
    struct ir_inst *whole = (struct ir_inst *)loop; // walked, not changed
    if (!walk_inst(whole, choose_is_not_blocks, NULL)) {
        return false;
    }
    bool is_short = choose_has_few_iterations(loop) && loop->loop->collapse < 2;
    bool has_better = (facts->independent_by_updates || is_short) && !walk_inst(whole, is_not_better, whole);
    return loop->loop->pragma_parallel || !has_better;
}

static bool mark_inst(struct offload *o, struct ir_inst *inst, bool may_choose)
{
    struct mark *mark = offload_mark(o, inst);
    switch (inst->op) {
    case IR_OP_FOR:
        if (inst->loop->pragma_parallel && !walk_inst(inst, choose_is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc, "a loop under '#pragma rill parallel' cannot hold a stream_parallel block");
        }
        mark->is_chosen = may_choose && facts_choose(inst);
        mark->has_task =
            mark->is_chosen || choose_mark_region(o, &inst->regions[0], may_choose && !inst->loop->pragma_single);
        break;
    case IR_OP_IF:
    case IR_OP_BLOCK:
    case IR_OP_LOOP:
        for (int i = 0; i < inst->region_count; i++) {
            mark->has_task |= choose_mark_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_BLOCKS:
        mark->has_task = true;
        for (int i = 0; i < inst->region_count; i++) {
            choose_mark_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_SWITCH:
    case IR_OP_CFG:
        if (!walk_inst(inst, choose_is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc, "a stream_parallel block cannot stand %s: use if and loops around it",
                       inst->op == IR_OP_CFG ? "between gotos" : "under a switch of so many cases");
        }
        break;
    default: break;
    }
    return mark->has_task;
}

bool choose_mark_region(struct offload *o, struct ir_region *region, bool may_choose)
{
    bool has_task = false;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->region_count > 0) {
            has_task |= mark_inst(o, inst, may_choose);
        }
    }
    return has_task;
}

bool choose_has_no_escape(struct ir_inst *inst, void *user)
{
    struct ir_inst *outer = user;
    return !(inst->op == IR_OP_RETURN || (inst->op == IR_OP_BREAK && !walk_is_inside(inst->target, outer)));
}
