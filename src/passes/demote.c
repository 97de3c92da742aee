#include "passes/demote.h"

#include "ir/walk.h"

#include <assert.h>

// A region is a row of segments: straight code between instructions that hold regions. A segment is the smallest piece
// that the offload pass cuts out, so a value must not be used beyond the segment that computes it.
struct demotion {
    struct ir_module *module;
    struct ir_function *function;
    struct ir_var **vars; // by value number; NULL: the value stays
    int *segments;        // by value number
    int count;            // values there were at the start: those made here are not looked at
};

// What uses a value more than once doubles it: a value of so many steps is computed once and kept.
enum { MOST_STEPS = 200 };

static bool is_recomputable(const struct ir_inst *value, int *steps)
{
    // Math is pure too, but the launch does not compute it.
    if (--*steps < 0 || !ir_op_is_pure(value->op) || value->op == IR_OP_MATH || value->op == IR_OP_FMA) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_recomputable(value->args[i], steps)) {
            return false;
        }
    }
    return true;
}

bool demote_is_recomputable(const struct ir_inst *value)
{
    int steps = MOST_STEPS;
    return is_recomputable(value, &steps);
}

static struct ir_var *var_of(struct demotion *demotion, const struct ir_inst *value)
{
    assert(value->id >= 0 && value->id < demotion->count && value->type != IR_VOID);
    if (demotion->vars[value->id] == NULL) {
        char *name = arena_printf(demotion->module->arena, ".v%d", value->id);
        struct ir_var *var = ir_var_create(demotion->module, demotion->function, name, value->type);
        var->loc = value->loc;
        for (struct ir_inst *owner = value->parent->owner; owner != NULL; owner = owner->parent->owner) {
            if (owner->op == IR_OP_FOR || owner->op == IR_OP_LOOP) {
                var->scope = owner;
                break;
            }
        }
        demotion->vars[value->id] = var;
    }
    return demotion->vars[value->id];
}

// A loop's first value and bound count as used elsewhere: the loop may become a task.
static bool crosses(const struct demotion *demotion, const struct ir_inst *user, const struct ir_inst *value,
                    int segment)
{
    if (value->id >= demotion->count || demote_is_recomputable(value)) {
        return false;
    }
    return value->parent != user->parent || user->op == IR_OP_FOR || demotion->segments[value->id] != segment;
}

static void demote_region(struct demotion *demotion, struct ir_region *region)
{
    int segment = 0;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        for (int i = 0; i < inst->arg_count; i++) {
            struct ir_inst *value = inst->args[i];
            if (crosses(demotion, inst, value, segment)) {
                struct ir_builder b = {.module = demotion->module,
                                       .function = demotion->function,
                                       .region = region,
                                       .before = inst,
                                       .loc = inst->loc};
                inst->args[i] = ir_get(&b, var_of(demotion, value));
            }
        }
        if (inst->id >= 0 && inst->id < demotion->count) {
            demotion->segments[inst->id] = segment;
        }
        for (int i = 0; i < inst->region_count; i++) {
            demote_region(demotion, &inst->regions[i]);
        }
        segment += inst->region_count > 0;
    }
}

static bool add_set(struct ir_inst *inst, void *user)
{
    struct demotion *demotion = user;
    if (inst->id >= 0 && inst->id < demotion->count && demotion->vars[inst->id] != NULL) {
        struct ir_builder b = {.module = demotion->module,
                               .function = demotion->function,
                               .region = inst->parent,
                               .before = inst->next,
                               .loc = inst->loc};
        ir_set(&b, demotion->vars[inst->id], inst);
    }
    return true;
}

void demote_function(struct ir_module *module, struct ir_function *function)
{
    struct demotion demotion = {.module = module, .function = function, .count = function->value_count};
    demotion.vars = ARENA_ARRAY(module->arena, struct ir_var *, function->value_count + 1);
    demotion.segments = ARENA_ARRAY(module->arena, int, function->value_count + 1);
    demote_region(&demotion, &function->body);
    walk_region(&function->body, add_set, &demotion);
}
