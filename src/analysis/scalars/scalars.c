// The role of every scalar that a loop assigns and that was declared outside of it.
#include "analysis/scalars/scalars.h"

#include "analysis/values/atoms.h"

#include <assert.h>

static bool is_assigned(const struct scalar_use *use)
{
    return use->set_count + use->update_count > 0;
}

static void add_role(struct ir_for *loop, struct ir_scalar_role role)
{
    loop->roles[loop->role_count++] = role;
}

// A selection gives roles to its variable and its companions.
static bool add_selection(struct analysis *an, struct ir_inst *inst, const struct scalar_use *uses, struct ir_var *var)
{
    struct selection selection;
    if (!scalars_find_selection(inst, uses, var, &selection)) {
        return false;
    }
    add_role(inst->loop, (struct ir_scalar_role){.var = var,
                                                 .role = IR_ROLE_SELECTION,
                                                 .update = selection.update,
                                                 .inclusive = selection.inclusive,
                                                 .unordered = selection.unordered});
    for (const struct ir_inst *i = selection.branch->first; i != NULL; i = i->next) {
        if (i->op == IR_OP_SET && i->var != var && !scalars_is_declared_in(i->var, inst) &&
            !ir_has_role(inst->loop, i->var)) {
            add_role(inst->loop, (struct ir_scalar_role){.var = i->var, .role = IR_ROLE_COMPANION, .leader = var});
        }
    }
    (void)an;
    return true;
}

static bool is_only_updated(const struct scalar_use *use)
{
    return use->get_count == 0 && use->set_count == 0 && !use->is_mixed;
}

static bool is_reduction(const struct ir_for *loop, const struct scalar_use *use, const struct ir_var *var)
{
    return is_only_updated(use) && (loop->pragma_parallel || ir_update_keeps_range(use->update->update, var->type));
}

static struct scalar_result carried(struct analysis *an, const struct scalar_use *use, const struct ir_var *var)
{
    const char *name = var->name != NULL && var->name[0] != '.' ? var->name : "a temporary";
    const char *reason;
    if (is_only_updated(use)) {
        reason = arena_printf(an->arena,
                              "'%s' is a product of floats: those of parts of it might be 0 or infinite where none of "
                              "the source's is",
                              name);
    } else if (use->set_count == 0 && use->get_count == 0) {
        reason = arena_printf(an->arena, "'%s' is updated here in one way and there in another", name);
    } else if (use->set_count == 0) {
        reason = arena_printf(an->arena, "'%s', updated here, is read here before the loop has ended", name);
    } else {
        reason = arena_printf(an->arena, "'%s', written here, is read here by the next iteration", name);
    }
    const struct ir_inst *read = use->exposed->op == IR_OP_VUPDATE && use->get != NULL ? use->get : use->exposed;
    return (struct scalar_result){false, reason, use->write->loc, read->loc};
}

// As many as there are, not as many as there might be.
static void keep_roles(struct analysis *an, struct ir_for *loop)
{
    struct ir_scalar_role *roles = ARENA_ARRAY(an->arena, struct ir_scalar_role, loop->role_count + 1);
    memcpy(roles, loop->roles, sizeof *roles * (size_t)loop->role_count);
    loop->roles = roles;
}

struct scalar_result scalars_find_roles(struct analysis *an, struct loop_info *info)
{
    assert(info->inst->op == IR_OP_FOR);
    struct ir_inst *inst = info->inst;
    struct ir_for *loop = inst->loop;
    struct ir_function *function = info->function;
    struct poly_mark mark = poly_mark(&an->scratch);
    struct scalar_use *uses = scalars_use(&an->scratch, function, inst);
    struct scalar_result result = {.is_ok = true};
    loop->roles = poly_alloc(&an->scratch, sizeof *loop->roles * (size_t)(function->var_count + 1));
    loop->role_count = 0;
    for (int v = 0; v < function->var_count; v++) {
        struct ir_var *var = function->vars[v];
        if (uses[v].exposed != NULL && is_assigned(&uses[v]) && !scalars_is_declared_in(var, inst) &&
            uses[v].get_count == 1) {
            add_selection(an, inst, uses, var);
        }
    }
    for (int v = 0; v < function->var_count; v++) {
        struct ir_var *var = function->vars[v];
        const struct scalar_use *use = &uses[v];
        if (!is_assigned(use) || var == loop->var || ir_has_role(loop, var) || scalars_is_declared_in(var, inst)) {
            continue;
        }
        if (use->exposed == NULL) {
            bool is_live = scalars_live_after(inst, var);
            add_role(loop, (struct ir_scalar_role){.var = var,
                                                   .role = is_live ? IR_ROLE_LAST_VALUE : IR_ROLE_PRIVATE,
                                                   .always_written = use->always_written});
        } else if (is_reduction(loop, use, var)) {
            add_role(loop,
                     (struct ir_scalar_role){.var = var, .role = IR_ROLE_REDUCTION, .update = use->update->update});
        } else if (result.is_ok) {
            result = carried(an, use, var);
        }
    }
    for (int v = 0; v < function->var_count; v++) {
        struct ir_var *var = function->vars[v];
        if (var->is_memory && info->is_kernel_loop && !scalars_is_declared_in(var, inst) &&
            scalars_memory_is_private(an, info, var)) {
            add_role(loop, (struct ir_scalar_role){.var = var, .role = IR_ROLE_PRIVATE});
        }
    }
    keep_roles(an, loop);
    poly_release(&an->scratch, mark);
    return result;
}
