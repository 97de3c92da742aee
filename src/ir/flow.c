#include "ir/flow.h"

#include <assert.h>

struct flow_exit { // the end of something that `break` leaves
    const struct ir_inst *inst;
    void *state; // of all breaks so far; NULL: none was reached
    struct flow_exit *outer;
};

static struct flow_exit open_exit(struct flow *flow, const struct ir_inst *inst)
{
    return (struct flow_exit){inst, NULL, flow->exits};
}

// One more way that leads to |*into|, from here.
static void reach(struct flow *flow, void **into)
{
    if (flow->is_dead) {
        return;
    }
    if (*into == NULL) {
        *into = flow->problem->copy(flow, flow->state);
    } else {
        flow->problem->join(flow, *into, flow->state);
    }
}

// Goes on behind what |exit| is of: where the walk has got to, and where the breaks come from.
static void arrive(struct flow *flow, struct flow_exit *exit)
{
    assert(flow->exits == exit);
    flow->exits = exit->outer;
    if (exit->state == NULL) {
        return;
    }
    reach(flow, &exit->state);
    flow->state = exit->state;
    flow->is_dead = false;
}

static void enter_region(struct flow *flow, struct ir_inst *inst, int number, void *loop)
{
    if (flow->problem->enter_region != NULL) {
        flow->problem->enter_region(flow, inst, number, loop);
    }
}

static void *enter_loop(struct flow *flow, struct ir_inst *inst)
{
    return flow->problem->enter_loop != NULL ? flow->problem->enter_loop(flow, inst) : NULL;
}

static void leave_loop(struct flow *flow, struct ir_inst *inst, void *before, void *loop)
{
    if (flow->problem->leave_loop != NULL) {
        flow->problem->leave_loop(flow, inst, before, loop);
    }
}

static void walk_if(struct flow *flow, struct ir_inst *inst)
{
    void *other = flow->problem->copy(flow, flow->state);
    bool was_dead = flow->is_dead;
    enter_region(flow, inst, 0, NULL);
    flow_region(flow, &inst->regions[0]);
    void *first = flow->is_dead ? NULL : flow->state;
    flow->state = other;
    flow->is_dead = was_dead;
    enter_region(flow, inst, 1, NULL);
    if (inst->region_count > 1) {
        flow_region(flow, &inst->regions[1]);
    }
    if (first != NULL) {
        reach(flow, &first);
        flow->state = first;
        flow->is_dead = false;
    }
}

static void walk_block(struct flow *flow, struct ir_inst *inst)
{
    struct flow_exit exit = open_exit(flow, inst);
    flow->exits = &exit;
    flow_region(flow, &inst->regions[0]);
    arrive(flow, &exit);
}

static void walk_loop(struct flow *flow, struct ir_inst *inst)
{
    struct flow_exit exit = open_exit(flow, inst);
    void *loop = enter_loop(flow, inst);
    flow->exits = &exit;
    flow_region(flow, &inst->regions[0]);
    flow->is_dead = true; // only breaks leave it
    arrive(flow, &exit);
    leave_loop(flow, inst, NULL, loop);
}

static void walk_for(struct flow *flow, struct ir_inst *inst)
{
    void *before = flow->problem->copy(flow, flow->state);
    bool was_dead = flow->is_dead;
    void *loop = enter_loop(flow, inst);
    for (int i = inst->region_count - 1; i >= 0; i--) { // the bound is read before the body runs
        enter_region(flow, inst, i, loop);
        flow_region(flow, &inst->regions[i]);
        flow->is_dead = was_dead;
    }
    leave_loop(flow, inst, before, loop);
}

static void walk_switch(struct flow *flow, struct ir_inst *inst)
{
    struct flow_exit exit = open_exit(flow, inst);
    void *entry = flow->problem->copy(flow, flow->state);
    bool was_dead = flow->is_dead;
    flow->exits = &exit;
    flow->is_dead = true;
    for (int i = 0; i < inst->region_count; i++) {
        void *start = flow->problem->copy(flow, entry);
        reach(flow, &start); // falls through from the one before
        flow->state = start;
        flow->is_dead = was_dead;
        flow_region(flow, &inst->regions[i]);
    }
    reach(flow, &exit.state); // falls out of the last
    flow->state = entry;
    flow->is_dead = was_dead || inst->default_region >= 0; // else no case may fit
    arrive(flow, &exit);
}

static void walk_cfg(struct flow *flow, struct ir_inst *inst)
{
    bool was_dead = flow->is_dead;
    void *loop = enter_loop(flow, inst);
    void *entry = flow->state;
    for (int i = 0; i < inst->region_count; i++) {
        flow->state = flow->problem->copy(flow, entry);
        flow->is_dead = was_dead;
        flow_region(flow, &inst->regions[i]);
    }
    flow->state = entry;
    flow->is_dead = was_dead;
    leave_loop(flow, inst, NULL, loop);
}

static void walk_blocks(struct flow *flow, struct ir_inst *inst)
{
    if (flow->problem->blocks != NULL) {
        flow->problem->blocks(flow, inst);
        return;
    }
    for (int i = 0; i < inst->region_count; i++) {
        flow_region(flow, &inst->regions[i]);
    }
}

static void walk_break(struct flow *flow, const struct ir_inst *inst)
{
    for (struct flow_exit *exit = flow->exits; exit != NULL; exit = exit->outer) {
        if (exit->inst == inst->target) {
            reach(flow, &exit->state);
            break;
        }
    }
    flow->is_dead = true;
}

static void walk_inst(struct flow *flow, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_IF: walk_if(flow, inst); return;
    case IR_OP_BLOCK: walk_block(flow, inst); return;
    case IR_OP_LOOP: walk_loop(flow, inst); return;
    case IR_OP_FOR: walk_for(flow, inst); return;
    case IR_OP_SWITCH: walk_switch(flow, inst); return;
    case IR_OP_CFG: walk_cfg(flow, inst); return;
    case IR_OP_BLOCKS: walk_blocks(flow, inst); return;
    case IR_OP_BREAK: walk_break(flow, inst); return;
    case IR_OP_JUMP: flow->is_dead = true; return; // to a region of its CFG, which takes nothing from here
    default: break;
    }
    assert(inst->region_count == 0);
    flow->problem->visit(flow, inst);
    flow->is_dead |= inst->op == IR_OP_RETURN || inst->op == IR_OP_FAIL;
}

void flow_region(struct flow *flow, struct ir_region *region)
{
    assert(flow->state != NULL);
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        walk_inst(flow, inst);
    }
}
