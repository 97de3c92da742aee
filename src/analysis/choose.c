// Which of two loops inside each other becomes the task: the outermost independent one, except where the source says
// that it has few iterations and a loop inside is the better choice. That iterations of the outer one share updates is
// no reason to take a loop inside: it may have three iterations. Where both ways are lawful and the trip counts are not
// known here, the plan holds both and the launch decides (offload/short_loops.c).
#include "analysis/facts.h"

#include "analysis/values/analysis.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>

bool facts_is_not_blocks(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_BLOCKS;
}

enum { TRIPS_TOO_FEW = 16 }; // a task of so few iterations leaves most of a device idle

bool facts_has_few_iterations(const struct ir_inst *loop)
{
    uint64_t count;
    return trip_is_known(loop, &count) && count <= TRIPS_TOO_FEW;
}

// False when |inst| is a loop inside that is independent without updates, and has many iterations for all that the
// source says: the walk stops.
static bool is_not_better(struct ir_inst *inst, void *outer)
{
    if (inst == outer || inst->op != IR_OP_FOR || !ir_verdict_is_parallel(inst->loop->verdict)) {
        return true;
    }
    const struct loop_facts *facts = inst->loop->analysis;
    return facts == NULL || facts->independent_by_updates || facts_has_few_iterations(inst);
}

bool facts_is_trusted(const struct ir_inst *loop)
{
    return loop->loop->verdict == IR_VERDICT_PRAGMA || loop->loop->verdict == IR_VERDICT_ATOMICS;
}

static bool is_not_trusted(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_FOR || !facts_is_trusted(inst);
}

// What is proven needs no watching, but a loop inside that is trusted does, and then must be the task.
static bool is_watched_inside(const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    return facts->analysis->module->check_races && !facts_is_trusted(loop) &&
           !walk_inst((struct ir_inst *)loop, is_not_trusted, NULL);
}

bool facts_choose(const struct ir_inst *loop)
{
    assert(loop->op == IR_OP_FOR);
    const struct loop_facts *facts = loop->loop->analysis;
    if (!ir_verdict_is_parallel(loop->loop->verdict) || facts == NULL || loop->loop->pragma_single) {
        return false;
    }
    struct ir_inst *whole = (struct ir_inst *)loop; // walked, not changed
    if (is_watched_inside(loop) || !walk_inst(whole, facts_is_not_blocks, NULL)) {
        return false;
    }
    bool is_short = facts_has_few_iterations(loop) && loop->loop->collapse < 2 && loop->loop->map == IR_MAP_ANY;
    bool has_better = is_short && !walk_inst(whole, is_not_better, whole);
    return loop->loop->pragma_parallel || !has_better;
}
