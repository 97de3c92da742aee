// Each region of the switch runs if the value names it, or one before it that falls through to it. Where nothing falls
// through, a `break` at a region's end is dropped; any other one leaves a block around the branches.
#include "passes/switches.h"

#include "ir/walk.h"

#include <assert.h>

enum { MAX_CASES = 256 }; // more make long conditions

static bool is_no_loop(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_FOR && inst->op != IR_OP_BLOCKS;
}

static bool is_no_break(struct ir_inst *inst, void *target)
{
    return inst->op != IR_OP_BREAK || inst->target != target;
}

static bool is_break_of(const struct ir_inst *inst, const struct ir_inst *target)
{
    return inst != NULL && inst->op == IR_OP_BREAK && inst->target == target;
}

// Whether control comes from region |i| to the next one.
static bool falls_through(const struct ir_inst *inst, int i)
{
    const struct ir_inst *last = inst->regions[i].last;
    return i + 1 < inst->region_count && (last == NULL || !ir_op_is_terminator(last->op));
}

// Whether the value names region |i|: one of its cases, or none of any where it is the default.
static struct ir_inst *names_region(struct ir_builder *b, const struct ir_inst *inst, int i)
{
    assert(inst->op == IR_OP_SWITCH && i >= 0 && i < inst->region_count);
    bool is_default = inst->default_region == i;
    struct ir_inst *any = NULL;
    for (int k = 0; k < inst->case_count; k++) {
        if ((inst->case_regions[k] == i) == is_default) {
            continue; // the default's own cases are like all that nobody names
        }
        struct ir_inst *is_it =
            ir_emit2(b, IR_OP_EQ, IR_I1, inst->args[0], ir_const(b, inst->args[0]->type, inst->cases[k]));
        any = any == NULL ? is_it : ir_emit2(b, IR_OP_OR, IR_I1, any, is_it);
    }
    any = any != NULL ? any : ir_const(b, IR_I1, 0);
    return is_default ? ir_emit2(b, IR_OP_XOR, IR_I1, any, ir_const(b, IR_I1, 1)) : any;
}

static void move_region(struct ir_region *from, struct ir_region *to)
{
    assert(from != to);
    while (from->first != NULL) {
        struct ir_inst *inst = from->first;
        ir_remove(inst);
        ir_append(to, inst);
    }
}

static bool retarget(struct ir_inst *inst, void *user)
{
    struct ir_inst **targets = user;
    inst->target = inst->target == targets[0] ? targets[1] : inst->target;
    return true;
}

static void drop_last_breaks(struct ir_inst *inst)
{
    for (int i = 0; i < inst->region_count; i++) {
        if (is_break_of(inst->regions[i].last, inst)) {
            ir_remove(inst->regions[i].last);
        }
    }
}

static void convert(struct ir_module *module, struct ir_function *kernel, struct ir_inst *inst)
{
    struct ir_builder b = {.module = module, .function = kernel, .region = inst->parent, .before = inst};
    b.loc = inst->loc;
    struct ir_inst **conditions = ARENA_ARRAY(module->arena, struct ir_inst *, inst->region_count + 1);
    bool falls = false; // from the region before
    for (int i = 0; i < inst->region_count; i++) {
        conditions[i] = names_region(&b, inst, i);
        if (falls) {
            conditions[i] = ir_emit2(&b, IR_OP_OR, IR_I1, conditions[i - 1], conditions[i]);
        }
        falls = falls_through(inst, i);
    }
    drop_last_breaks(inst);
    struct ir_inst *block = NULL;
    if (!walk_inst(inst, is_no_break, inst)) {
        block = ir_control(&b, IR_OP_BLOCK, NULL, 1);
        b.region = &block->regions[0];
        b.before = NULL;
    }
    for (int i = 0; i < inst->region_count; i++) {
        if (inst->regions[i].first != NULL) {
            struct ir_inst *branch = ir_control(&b, IR_OP_IF, conditions[i], 2);
            move_region(&inst->regions[i], &branch->regions[0]);
        }
    }
    struct ir_inst *targets[2] = {inst, block};
    if (block != NULL) {
        walk_inst(block, retarget, targets);
    }
    ir_remove(inst);
}

static void visit(struct ir_module *module, struct ir_function *kernel, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        for (int i = 0; i < inst->region_count; i++) {
            visit(module, kernel, &inst->regions[i]);
        }
        if (inst->op == IR_OP_SWITCH && inst->case_count <= MAX_CASES && !walk_inst(inst, is_no_loop, NULL)) {
            convert(module, kernel, inst);
        }
        inst = next;
    }
}

void switches_to_branches(struct ir_module *module, struct ir_function *kernel)
{
    visit(module, kernel, &kernel->body);
}
