#include "analysis/values/slice.h"

#include "base/vec.h"
#include "ir/assignment.h"
#include "ir/points_to.h"
#include "ir/walk.h"

bool slice_has(const struct slice *slice, const struct ir_inst *inst)
{
    return pointer_map_get(&slice->members, inst) != NULL;
}

static void refuse(struct slice *slice, const struct ir_inst *inst, const char *why)
{
    if (slice->refused == NULL) {
        slice->refused = inst;
        slice->why = why;
    }
}

static void need(struct slice *slice, struct ir_inst *inst)
{
    if (inst == slice->loop || !walk_is_inside(inst, slice->loop) || slice_has(slice, inst)) {
        return;
    }
    pointer_map_set(slice->arena, &slice->members, inst, inst);
    VEC_PUSH(slice->arena, &slice->open, inst);
}

// Whether the instruction runs depends on all that it stands in.
static void need_control(struct slice *slice, const struct ir_inst *inst)
{
    for (struct ir_inst *owner = inst->parent->owner; owner != NULL && owner != slice->loop;
         owner = owner->parent->owner) {
        need(slice, owner);
    }
}

struct search {
    struct slice *slice;
    const struct ir_var *var;
    const struct ir_inst *target;
    int base;
};

static bool need_assignment(struct ir_inst *inst, void *user)
{
    struct search *search = user;
    if (assignment_target(inst) == search->var) {
        need(search->slice, inst);
    }
    return true;
}

static bool need_exit(struct ir_inst *inst, void *user)
{
    struct search *search = user;
    bool leaves = (inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP) && inst->target == search->target;
    if (leaves || inst->op == IR_OP_RETURN) {
        need(search->slice, inst);
    }
    return true;
}

static bool need_write(struct ir_inst *inst, void *user)
{
    struct search *search = user;
    if (inst->op == IR_OP_CALL && !search->slice->may_call(inst, search->slice->user)) {
        refuse(search->slice, inst, "the place of a store depends on a local that a helper may write");
    }
    bool writes = ir_op_writes(inst->op) && inst->op != IR_OP_CALL;
    if (writes && (inst->base == search->base || inst->base == 0)) {
        need(search->slice, inst);
    }
    return true;
}

static void look_at_read(struct slice *slice, struct ir_inst *inst, int base)
{
    if (slice->is_private(base, slice->user)) {
        struct search search = {.slice = slice, .base = base};
        walk_region(&slice->loop->regions[0], need_write, &search);
    } else if (!slice->may_read(inst, base, slice->user)) {
        refuse(slice, inst,
               base == 0 ? "the place of a store is read through a pointer of which it is not known where it points"
                         : "the place of a store depends on memory that the loop itself writes");
    }
}

static void look_at(struct slice *slice, struct ir_inst *inst)
{
    struct search search = {.slice = slice, .var = inst->var, .target = inst};
    const struct ir_region *body = &slice->loop->regions[0];
    need_control(slice, inst);
    for (int i = 0; i < inst->arg_count; i++) {
        need(slice, inst->args[i]);
    }
    switch (inst->op) {
    case IR_OP_GET:
        if (inst->var != slice->loop->loop->var) {
            walk_region(body, need_assignment, &search);
        }
        break;
    case IR_OP_VUPDATE: walk_region(body, need_assignment, &search); break;
    case IR_OP_LOAD: look_at_read(slice, inst, inst->base); break;
    case IR_OP_COPY: // ir_inst.base is that of where it goes
        look_at_read(slice, inst, base_beginning_at(address_root(inst->args[1])));
        break;
    case IR_OP_FOR:
        if (inst->loop->recheck) {
            need(slice, inst->regions[1].last);
        }
        break;
    case IR_OP_BLOCK:
    case IR_OP_LOOP:
    case IR_OP_SWITCH:
    case IR_OP_CFG: walk_region(body, need_exit, &search); break;
    case IR_OP_ATOMIC:
    case IR_OP_CAS: slice->atomic = inst; break;
    case IR_OP_CALL:
        if (!slice->may_call(inst, slice->user)) {
            refuse(slice, inst, "the place of a store depends on a call of a helper that does more than read");
        }
        break;
    case IR_OP_COMPARE:
    case IR_OP_UPDATE:
    case IR_OP_BLOCKS:
    case IR_OP_RETURN: refuse(slice, inst, "the place of a store depends on what cannot be computed ahead"); break;
    default: break;
    }
}

void slice_add_store(struct slice *slice, struct ir_inst *store)
{
    pointer_map_set(slice->arena, &slice->stores, store, store);
    need(slice, store->args[0]);
    need_control(slice, store);
}

static bool is_no_part(struct ir_inst *inst, void *user)
{
    const struct slice *slice = user;
    return !slice_has(slice, inst) && pointer_map_get(&slice->stores, inst) == NULL;
}

static bool need_failure(struct ir_inst *inst, void *user)
{
    bool may_fail =
        inst->op == IR_OP_FAIL || inst->op == IR_OP_CHECK || (inst->op == IR_OP_CALL && inst->function->may_fail);
    if (may_fail) {
        need(user, inst);
    }
    return true;
}

// What the author asserts of an index holds only behind the assertion: without it the slice would go on where the
// iteration ends. In the last statement that has a part of the slice one may come after an assertion, by a loop.
static void need_failures(struct slice *slice)
{
    const struct ir_inst *last = NULL;
    for (struct ir_inst *inst = slice->loop->regions[0].first; inst != NULL; inst = inst->next) {
        last = walk_inst(inst, is_no_part, slice) ? last : inst;
    }
    for (struct ir_inst *inst = slice->loop->regions[0].first; last != NULL && inst != last->next; inst = inst->next) {
        walk_inst(inst, need_failure, slice);
    }
}

bool slice_close(struct slice *slice)
{
    while (slice->open.count > 0 && slice->refused == NULL) {
        look_at(slice, slice->open.items[--slice->open.count]);
        if (slice->open.count == 0) {
            need_failures(slice);
        }
    }
    return slice->refused == NULL;
}
