// Scalars that several loops of a nest use, each for itself: one of each loop's own for every such loop. A `w` that is
// declared at the top of a function, as C89 has it, else ties all loops that use it to one statement.
//
//     for i { for j { w = a[i][j]; ... }  for j { w = b[i][j]; ... } }
#include "analysis/scalars/scalars.h"
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

struct renaming {
    struct ir_module *module;
    struct ir_function *kernel;
    struct arena *arena;
    int var_count;          // before any is made
    int *counts;            // by variable: mentions in the nest
    struct ir_inst **seen;  // by variable: the loop whose body was last seen to mention it
    struct ir_inst **first; // by variable: the assignment that comes before all else that this loop does with it
};

static struct ir_var *mentioned(const struct ir_inst *inst)
{
    struct ir_var *var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
    return var != NULL && !var->is_memory ? var : NULL;
}

static int count_in(const struct ir_inst *loop, const struct ir_var *var)
{
    int count = 0;
    WALK (inst, &loop->regions[0]) {
        count += mentioned(inst) == var;
    }
    return count;
}

static void rename_in(struct renaming *r, struct ir_inst *loop, struct ir_var *var)
{
    struct ir_var *made = ir_var_create(r->module, r->kernel, var->name, var->type);
    made->is_unsigned = var->is_unsigned;
    made->loc = var->loc;
    made->scope = loop;
    for (struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = walk_next(inst, &loop->regions[0])) {
        if (inst->op == IR_OP_FOR && inst->loop->var == var) {
            inst->loop->var = made;
        } else if (inst->var == var) {
            inst->var = made;
        }
    }
}

// Each iteration assigns the variable before all else, nothing behind the loop reads it, and it is used elsewhere.
static void rename_in_loop(struct renaming *r, struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        struct ir_var *var = mentioned(inst);
        if (var != NULL && var->index < r->var_count && r->seen[var->index] != loop) {
            r->seen[var->index] = loop;
            bool is_first = inst->op == IR_OP_SET && inst->parent == &loop->regions[0];
            r->first[var->index] = is_first ? (struct ir_inst *)inst : NULL;
        }
    }
    for (struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = inst->next) {
        struct ir_var *var = inst->op == IR_OP_SET ? inst->var : NULL;
        if (var == NULL || var->is_memory || var->index >= r->var_count || r->first[var->index] != inst ||
            scalars_is_declared_in(var, loop)) {
            continue;
        }
        int count = count_in(loop, var);
        if (count < r->counts[var->index] && !scalars_live_after(loop, var)) {
            r->counts[var->index] -= count;
            rename_in(r, loop, var);
        }
    }
}

void nest_rename_scalars(struct ir_module *module, struct ir_function *kernel, struct ir_inst *root)
{
    assert(root->op == IR_OP_FOR);
    struct renaming r = {.module = module, .kernel = kernel, .arena = module->arena, .var_count = kernel->var_count};
    int size = 0;
    WALK (inst, &root->regions[0]) {
        if (++size > NEST_INSTRUCTIONS) {
            return;
        }
    }
    r.counts = ARENA_ARRAY(r.arena, int, r.var_count + 1);
    r.seen = ARENA_ARRAY(r.arena, struct ir_inst *, r.var_count + 1);
    r.first = ARENA_ARRAY(r.arena, struct ir_inst *, r.var_count + 1);
    WALK (inst, &root->regions[0]) {
        const struct ir_var *var = mentioned(inst);
        if (var != NULL) {
            r.counts[var->index]++;
        }
    }
    for (struct ir_inst *inst = root->regions[0].first; inst != NULL; inst = walk_next(inst, &root->regions[0])) {
        if (inst->op == IR_OP_FOR) {
            rename_in_loop(&r, inst);
        }
    }
}
