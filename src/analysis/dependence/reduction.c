// Updates at an address that does not vary with the loop: reductions whose end is one update of the memory.
#include "analysis/dependence/dependence.h"
#include "ir/invariant.h"

#include <assert.h>

// Whether the address can be computed outside the loop. In a helper: made of its parameters alone, which are such
// values where it is called.
static bool is_invariant_in(const struct ir_inst *inst, const struct call_context *context, const struct ir_inst *loop)
{
    if (context == NULL) {
        return invariant_in_loop(inst, loop);
    }
    if (inst->op == IR_OP_PARAM) {
        return is_invariant_in(context->call->args[inst->imm], context->caller, loop);
    }
    if (!ir_op_is_pure(inst->op) || inst->op == IR_OP_ADDR_VAR) {
        return false;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        if (!is_invariant_in(inst->args[i], context, loop)) {
            return false;
        }
    }
    return true;
}

// Whether the update always has one place, which is known outside the loop.
static bool is_reducible(struct analysis *an, const struct loop_info *info, const struct access *access)
{
    return !access->is_alternative && !access->inst->is_volatile && !value_varies(an, access->flat, info) &&
           base_kind(access->base) != BASE_UNKNOWN &&
           is_invariant_in(access->inst->args[0], access->context, info->inst);
}

// Whether the iteration itself may touch the place otherwise. Then the update must happen where it stands: that no
// other iteration touches it, which is all that was shown, says nothing where there is only one.
static bool is_touched_beside(struct analysis *an, struct loop_info *info, const struct access *access)
{
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *other = &an->accesses.items[i];
        bool commutes = other->kind == ACCESS_UPDATE && other->type == access->type &&
                        ir_updates_combine(other->update, access->update);
        if (!commutes && access_relation(an, access, other) == RELATION_SAME &&
            pair_test(an, info, access, other, true).answer != PAIR_APART) {
            return true;
        }
    }
    return false;
}

static bool add_to(struct analysis *an, struct memory_reduction *reduction, struct reduced_update update)
{
    const struct access *mine = &an->accesses.items[update.access];
    const struct access *first = &an->accesses.items[reduction->updates[0].access];
    if (mine->base != first->base || !poly_equal(mine->flat, first->flat) || mine->type != reduction->type ||
        !ir_updates_combine(mine->update, reduction->update)) {
        return false;
    }
    struct reduced_update *larger = ARENA_ARRAY(an->arena, struct reduced_update, reduction->update_count + 1);
    memcpy(larger, reduction->updates, sizeof *larger * (size_t)reduction->update_count);
    larger[reduction->update_count++] = update;
    reduction->updates = larger;
    return true;
}

static void add_update(struct analysis *an, struct loop_facts *facts, int index)
{
    const struct access *access = &an->accesses.items[index];
    struct reduced_update update = {access->inst, access->context, index, -1};
    for (int k = 0; k < facts->reduction_count; k++) {
        if (add_to(an, &facts->reductions[k], update)) {
            return;
        }
    }
    struct memory_reduction *reduction = &facts->reductions[facts->reduction_count++];
    *reduction = (struct memory_reduction){.update_count = 1, .update = access->update, .type = access->type};
    reduction->updates = ARENA_ARRAY(an->arena, struct reduced_update, 1);
    reduction->updates[0] = update;
}

void independence_find_reductions(struct analysis *an, struct loop_info *info, struct loop_facts *facts)
{
    assert(info->is_kernel_loop && facts != NULL);
    int most = info->shared.count + info->shared_in_calls.count;
    facts->reductions = ARENA_ARRAY(an->arena, struct memory_reduction, most + 1);
    for (int i = info->access_begin; i < info->access_end && most > 0; i++) {
        const struct access *access = &an->accesses.items[i];
        bool is_shared = access->kind == ACCESS_UPDATE && shared_has(an, info, access);
        if (is_shared && is_reducible(an, info, access) && !is_touched_beside(an, info, access)) {
            add_update(an, facts, i);
        } else if (is_shared) {
            facts->independent_by_updates = true;
        }
    }
}
