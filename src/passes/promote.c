#include "passes/promote.h"

#include "ir/assignment.h"
#include "ir/walk.h"
#include "passes/promote_internal.h"

#include <assert.h>

// ---- what nobody reads ---------------------------------------------------------------------------------------------

struct usage {
    int *uses;     // by value number
    bool *is_read; // by variable
};

static bool note_reads(struct ir_inst *inst, void *user)
{
    struct usage *usage = user;
    bool reads = inst->op == IR_OP_GET || inst->op == IR_OP_ADDR_VAR;
    if (reads && inst->var != NULL) {
        usage->is_read[inst->var->index] = true;
    }
    if (inst->op == IR_OP_FOR) {
        usage->is_read[inst->loop->var->index] = true; // the loop itself counts with it
    }
    return true;
}

static void count_uses(struct ir_region *region, int *uses)
{
    WALK (inst, region) {
        for (int i = 0; i < inst->arg_count; i++) {
            uses[inst->args[i]->id]++;
        }
    }
}

static bool is_droppable(const struct usage *usage, const struct ir_inst *inst)
{
    if (ir_op_sets(inst->op)) {
        return !usage->is_read[inst->var->index];
    }
    return ir_op_is_value(inst->op) && usage->uses[inst->id] == 0;
}

// Backwards, so that what only a dropped instruction used goes in the same pass.
static bool drop_unused(struct ir_region *region, const struct usage *usage)
{
    bool changed = false;
    for (struct ir_inst *inst = region->last; inst != NULL;) {
        struct ir_inst *before = inst->prev;
        for (int i = inst->region_count - 1; i >= 0; i--) {
            changed |= drop_unused(&inst->regions[i], usage);
        }
        if (is_droppable(usage, inst)) {
            for (int i = 0; i < inst->arg_count; i++) {
                usage->uses[inst->args[i]->id]--;
            }
            ir_remove(inst);
            changed = true;
        }
        inst = before;
    }
    return changed;
}

static bool sweep(struct ir_module *module, struct ir_function *function)
{
    struct usage usage = {.uses = ARENA_ARRAY(module->arena, int, function->value_count + 1),
                          .is_read = ARENA_ARRAY(module->arena, bool, function->var_count + 1)};
    count_uses(&function->body, usage.uses);
    for (int i = 0; i < function->param_count; i++) {
        for (int k = 0; k < function->params[i].rank; k++) {
            usage.uses[function->params[i].extents[k]->id]++;
        }
    }
    walk_region(&function->body, note_reads, &usage);
    return drop_unused(&function->body, &usage);
}

// ---- the variables that are left -----------------------------------------------------------------------------------

static bool note_vars(struct ir_inst *inst, void *user)
{
    bool *is_used = user;
    if (inst->var != NULL) {
        is_used[inst->var->index] = true;
    }
    if (inst->op == IR_OP_FOR) {
        is_used[inst->loop->var->index] = true;
    }
    return true;
}

static void drop_vars(struct ir_module *module, struct ir_function *function)
{
    bool *is_used = ARENA_ARRAY(module->arena, bool, function->var_count + 1);
    walk_region(&function->body, note_vars, is_used);
    int kept = 0;
    for (int i = 0; i < function->var_count; i++) {
        struct ir_var *var = function->vars[i];
        if (is_used[i]) {
            var->index = kept;
            function->vars[kept++] = var;
        }
    }
    function->var_count = kept;
}

// ---- bounds that were memory ---------------------------------------------------------------------------------------

// The condition is made of variables that the body does not write: the trip count at entry is the trip count.
static bool is_settled(struct ir_module *module, const struct ir_function *function, const struct ir_inst *loop)
{
    assert(loop->loop->recheck && loop->region_count == 2);
    struct assignments *assigned = ARENA_ARRAY(module->arena, struct assignments, function->var_count + 1);
    assignments_add(&loop->regions[0], assigned);
    for (const struct ir_inst *inst = loop->regions[1].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_GET && inst->var != loop->loop->var && assigned[inst->var->index].count > 0) {
            return false;
        }
        if (inst->op != IR_OP_YIELD && !ir_op_is_value(inst->op)) {
            return false;
        }
    }
    return true;
}

static void settle_rechecks(struct ir_module *module, struct ir_function *function, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        if (inst->op == IR_OP_FOR && inst->loop->recheck && is_settled(module, function, inst)) {
            inst->loop->recheck = false;
            inst->region_count = 1;
        }
    }
}

static void renumber(struct ir_region *region, int *next)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        if (inst->id >= 0) {
            inst->id = (*next)++;
        }
    }
}

void promote_function(struct ir_module *module, struct ir_function *function)
{
    // Each round opens at most one more level of pointers held in locals; more than a few levels are not worth it.
    for (int round = 0; round < 8; round++) {
        bool changed = promote_forward(module, function);
        changed |= sweep(module, function);
        changed |= promote_call(module, function);
        changed |= promote_memory(module, function);
        changed |= promote_split(module, function);
        if (!changed) {
            break;
        }
    }
    settle_rechecks(module, function, &function->body);
    while (sweep(module, function)) {
    }
    for (int round = 0; round < 8 && promote_choices(module, function); round++) {
        (void)promote_forward(module, function);
        while (sweep(module, function)) {
        }
    }
    promote_updates(module, function);
    while (sweep(module, function)) {
    }
    drop_vars(module, function);
    int next = 0;
    renumber(&function->body, &next);
    function->value_count = next;
}
