// Updates at an address that does not vary with the loop: reductions whose end is one update of the memory.
#include "passes/analyse.h"

static bool is_assigned_in(const struct ir_region *region, const struct ir_var *var)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        bool is_set = (inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE) && inst->var == var;
        if (is_set || (inst->op == IR_OP_FOR && inst->loop->var == var)) {
            return true;
        }
        for (int i = 0; i < inst->region_count; i++) {
            if (is_assigned_in(&inst->regions[i], var)) {
                return true;
            }
        }
    }
    return false;
}

// Whether the address can be computed outside the loop: pure operations on what the loop does not change.
static bool is_invariant_tree(const struct ir_inst *inst, const struct ir_inst *loop)
{
    if (inst->op == IR_OP_GET) {
        return inst->var != loop->loop->var && !is_assigned_in(&loop->regions[0], inst->var);
    }
    if (!ir_op_is_pure(inst->op)) {
        return false;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        if (!is_invariant_tree(inst->args[i], loop)) {
            return false;
        }
    }
    return true;
}

static const struct access *access_of(const struct analysis *an, const struct loop_info *info,
                                      const struct ir_inst *inst)
{
    const struct access *found = NULL;
    for (int i = info->access_begin; i < info->access_end; i++) {
        if (an->accesses.items[i].inst == inst) {
            if (found != NULL) {
                return NULL; // several alternatives
            }
            found = &an->accesses.items[i];
        }
    }
    return found;
}

static bool add_to(struct analysis *an, const struct loop_info *info, struct memory_reduction *reduction,
                   struct ir_inst *inst)
{
    const struct access *mine = access_of(an, info, inst);
    const struct access *first = access_of(an, info, reduction->updates[0]);
    int class = ir_update_class(inst->update);
    bool is_same_form = class == ir_update_class(reduction->update) &&
                        (class == ir_update_class(IR_UPDATE_ADD) || inst->update == reduction->update);
    if (mine->base != first->base || !affine_equal(mine->flat, first->flat) || inst->type != reduction->type ||
        !is_same_form) {
        return false;
    }
    struct ir_inst **larger = ARENA_ARRAY(an->arena, struct ir_inst *, reduction->update_count + 1);
    memcpy(larger, reduction->updates, sizeof *larger * (size_t)reduction->update_count);
    larger[reduction->update_count++] = inst;
    reduction->updates = larger;
    return true;
}

void independence_find_reductions(struct analysis *an, struct loop_info *info, struct loop_facts *facts)
{
    facts->reductions = ARENA_ARRAY(an->arena, struct memory_reduction, info->shared.count + 1);
    for (int i = 0; i < info->shared.count; i++) {
        struct ir_inst *inst = info->shared.items[i];
        const struct access *access = access_of(an, info, inst);
        if (access == NULL || inst->is_volatile || value_varies(an, access->flat, info) ||
            base_kind(access->base) == BASE_UNKNOWN || !is_invariant_tree(inst->args[0], info->inst)) {
            facts->independent_by_updates = true;
            continue;
        }
        bool is_added = false;
        for (int k = 0; k < facts->reduction_count && !is_added; k++) {
            is_added = add_to(an, info, &facts->reductions[k], inst);
        }
        if (is_added) {
            continue;
        }
        struct memory_reduction *reduction = &facts->reductions[facts->reduction_count++];
        *reduction = (struct memory_reduction){
            .update_count = 1, .update = inst->update, .type = inst->type, .address = inst->args[0]};
        reduction->updates = ARENA_ARRAY(an->arena, struct ir_inst *, 1);
        reduction->updates[0] = inst;
    }
}
