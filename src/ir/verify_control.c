// Control: what encloses what, which jumps may leave what, and the shape of loops.
#include "ir/trip.h"
#include "ir/verify.h"

#include <inttypes.h>

// Whether |outer| is |inst| or holds it in its regions.
bool ir_verify_encloses(const struct ir_inst *outer, const struct ir_inst *inst)
{
    int depth = 0;
    for (; inst != NULL && depth < VERIFY_DEPTH_LIMIT; depth++) {
        if (inst == outer) {
            return true;
        }
        inst = inst->parent != NULL ? inst->parent->owner : NULL;
    }
    return false;
}

// The innermost `for` or `blocks` that |inst| leaves on its way to |target| (NULL: out of the function).
static const struct ir_inst *crossed(const struct ir_inst *inst, const struct ir_inst *target)
{
    const struct ir_inst *outer = inst->parent->owner;
    while (outer != NULL && outer != target) {
        if (outer->op == IR_OP_FOR || outer->op == IR_OP_BLOCKS) {
            return outer;
        }
        outer = outer->parent->owner;
    }
    return NULL;
}

static void verify_leave(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_inst *target = inst->target;
    if (inst->op != IR_OP_RETURN) {
        bool fits = target != NULL && (inst->op == IR_OP_JUMP ? target->op == IR_OP_CFG
                                                              : target->op == IR_OP_BLOCK || target->op == IR_OP_LOOP ||
                                                                    target->op == IR_OP_SWITCH);
        if (!fits) {
            ir_verify_error(v, inst, "its target is no %s", inst->op == IR_OP_JUMP ? "cfg" : "block, loop or switch");
            return;
        }
        if (!ir_verify_encloses(target, inst)) {
            ir_verify_error(v, inst, "its target does not enclose it");
            return;
        }
        if (inst->op == IR_OP_JUMP && (inst->imm < 0 || inst->imm >= target->region_count)) {
            ir_verify_error(v, inst, "its target has no region %" PRId64, inst->imm);
        }
    }
    const struct ir_inst *outer = crossed(inst, inst->op == IR_OP_RETURN ? NULL : target);
    if (outer != NULL) {
        ir_verify_error(v, inst, "leaves a %s", outer->op == IR_OP_FOR ? "for" : "stream_parallel block");
    }
}

static void verify_roles(struct verifier *v, const struct ir_inst *inst)
{
    for (int i = 0; i < inst->loop->role_count; i++) {
        const struct ir_scalar_role *role = &inst->loop->roles[i];
        // Of memory only: each iteration fills it before it reads it.
        bool is_fit = ir_verify_owns_var(v, role->var) && (!role->var->is_memory || role->role == IR_ROLE_PRIVATE);
        if (!is_fit) {
            ir_verify_error(v, inst, "role %d is of what is no scalar of this function", i);
            continue;
        }
        bool updates = role->role == IR_ROLE_REDUCTION || role->role == IR_ROLE_SELECTION;
        if (updates != (role->update != IR_UPDATE_NONE)) {
            ir_verify_error(v, inst, "the role of '%s' %s", role->var->name,
                            updates ? "has no update" : "has an update");
        }
        bool follows = role->role == IR_ROLE_COMPANION;
        if (follows != (role->leader != NULL) || (follows && !ir_verify_owns_var(v, role->leader))) {
            ir_verify_error(v, inst, "the role of '%s' must %sname a leader", role->var->name, follows ? "" : "not ");
        }
    }
}

static void verify_for(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_for *loop = inst->loop;
    if (loop == NULL) {
        ir_verify_error(v, inst, "has no loop");
        return;
    }
    const struct ir_var *var = loop->var;
    if (!ir_verify_owns_var(v, var) || var->is_memory || !ir_type_is_int(var->type) || var->type == IR_I1) {
        ir_verify_error(v, inst, "its counter is no integer variable of this function");
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (inst->args[i]->type != var->type) {
            ir_verify_error(v, inst, "its %s has type %s, its counter %s", i == 0 ? "init" : "bound",
                            ir_type_name(inst->args[i]->type), ir_type_name(var->type));
        }
    }
    if (!trip_compares(loop->compare)) {
        ir_verify_error(v, inst, "it compares by %s", ir_op_name(loop->compare));
    } else if (!trip_step_fits(loop)) {
        ir_verify_error(v, inst, "step %" PRId64 " does not fit %s of %s", loop->step, ir_op_name(loop->compare),
                        ir_type_name(var->type));
    }
    if (inst->region_count != (loop->recheck ? 2 : 1)) {
        ir_verify_error(v, inst, "has %d regions, must have %d", inst->region_count, loop->recheck ? 2 : 1);
    } else if (loop->recheck && (inst->regions[1].last == NULL || inst->regions[1].last->op != IR_OP_YIELD)) {
        ir_verify_error(v, inst, "its recheck region does not end with yield");
    }
    if (loop->level < 0 || loop->level > 2 || loop->collapse < 0 || loop->block_dim < 0) {
        ir_verify_error(v, inst, "its level, collapse or block_dim is out of range");
    }
    verify_roles(v, inst);
}

static void verify_switch(struct verifier *v, const struct ir_inst *inst)
{
    if (inst->default_region < -1 || inst->default_region >= inst->region_count) {
        ir_verify_error(v, inst, "its default region %d does not exist", inst->default_region);
    }
    for (int i = 0; i < inst->case_count; i++) {
        if (inst->case_regions[i] < 0 || inst->case_regions[i] >= inst->region_count) {
            ir_verify_error(v, inst, "case %" PRId64 " starts at region %d, which does not exist", inst->cases[i],
                            inst->case_regions[i]);
        }
        for (int k = 0; k < i; k++) {
            if (inst->cases[k] == inst->cases[i]) {
                ir_verify_error(v, inst, "case %" PRId64 " stands twice", inst->cases[i]);
                break;
            }
        }
    }
}

static void verify_blocks(struct verifier *v, const struct ir_inst *inst)
{
    if (v->function->kind != IR_FUNCTION_KERNEL) {
        ir_verify_error(v, inst, "stands outside a kernel");
    }
    if (v->blocks != NULL) {
        ir_verify_error(v, inst, "stands in a block of another");
    }
}

static void verify_yield(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    if (owner == NULL || owner->op != IR_OP_FOR || owner->region_count < 2 || inst->parent != &owner->regions[1]) {
        ir_verify_error(v, inst, "stands outside a recheck region");
    }
}

void ir_verify_control(struct verifier *v, const struct ir_inst *inst)
{
    static const int lowest[] = {[IR_OP_IF] = 1,     [IR_OP_BLOCK] = 1, [IR_OP_LOOP] = 1,  [IR_OP_FOR] = 1,
                                 [IR_OP_SWITCH] = 1, [IR_OP_CFG] = 1,   [IR_OP_BLOCKS] = 1};
    static const int highest[] = {[IR_OP_IF] = 2, [IR_OP_BLOCK] = 1, [IR_OP_LOOP] = 1, [IR_OP_FOR] = 2};
    if (ir_op_has_regions(inst->op)) {
        bool is_open = inst->op > IR_OP_FOR; // switch, cfg, blocks: any number
        if (inst->region_count < lowest[inst->op] || (!is_open && inst->region_count > highest[inst->op])) {
            ir_verify_error(v, inst, "has %d regions", inst->region_count);
        }
    } else if (inst->region_count != 0) {
        ir_verify_error(v, inst, "must not have regions");
    }
    switch (inst->op) {
    case IR_OP_BREAK:
    case IR_OP_JUMP:
    case IR_OP_RETURN: verify_leave(v, inst); break;
    case IR_OP_FOR: verify_for(v, inst); break;
    case IR_OP_SWITCH: verify_switch(v, inst); break;
    case IR_OP_BLOCKS: verify_blocks(v, inst); break;
    case IR_OP_YIELD: verify_yield(v, inst); break;
    case IR_OP_BARRIER:
        if (v->function->kind != IR_FUNCTION_KERNEL && v->function->kind != IR_FUNCTION_TASK) {
            ir_verify_error(v, inst, "stands outside a kernel or task");
        }
        break;
    default: break;
    }
}
