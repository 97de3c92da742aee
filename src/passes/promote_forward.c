// One walk in program order with the values that variables are known to hold. A region of a loop starts without those
// that the loop writes; after an `if` or a block those written inside are unknown.
//
// A value may stand for a variable where the two are computed in one segment, that is, in one region with no control
// instruction between; and anywhere if it is arithmetic over parameters, constants and addresses. Elsewhere the
// variable is what later passes want: a kernel is cut into tasks between segments, and variables are what tasks hand
// on.
#include "ir/assignment.h"
#include "ir/walk.h"
#include "passes/promote_internal.h"

#include <assert.h>

// A value is forwarded only while the tree that recomputes it is small: users of the IR walk it as a tree.
enum { MAX_TREE = 64 };

struct change {
    int var;
    struct ir_inst *old;
};

struct forward {
    struct arena *arena;
    struct ir_inst **known;       // by variable; NULL: unknown
    int *tree;                    // by value number: nodes of the tree that recomputes it; 0: it cannot be
    int *segments;                // by value number: where it is computed
    int segment;                  // this one
    int segment_count;            //
    struct ir_inst **replacement; // by value number, for `get`
    VEC(struct change) changes;   // so that leaving a region restores what was known
    bool changed;
};

static void set_known(struct forward *f, const struct ir_var *var, struct ir_inst *value)
{
    assert(!var->is_memory);
    if (f->known[var->index] == value) {
        return;
    }
    struct change change = {var->index, f->known[var->index]};
    VEC_PUSH(f->arena, &f->changes, change);
    f->known[var->index] = value;
}

static void forget_written(struct forward *f, const struct ir_region *region)
{
    WALK (inst, region) {
        const struct ir_var *var = assignment_target(inst);
        if (var != NULL) {
            set_known(f, var, NULL);
        }
    }
}

static void forget_written_by(struct forward *f, const struct ir_inst *inst)
{
    if (inst->op == IR_OP_FOR) {
        set_known(f, inst->loop->var, NULL);
    }
    for (int i = 0; i < inst->region_count; i++) {
        forget_written(f, &inst->regions[i]);
    }
}

static void leave(struct forward *f, int mark)
{
    assert(mark >= 0 && mark <= f->changes.count);
    while (f->changes.count > mark) {
        struct change change = f->changes.items[--f->changes.count];
        f->known[change.var] = change.old;
    }
}

static void measure(struct forward *f, const struct ir_inst *inst)
{
    if (!ir_op_is_pure(inst->op) || inst->op == IR_OP_MATH || inst->op == IR_OP_FMA) {
        return;
    }
    int size = 1;
    for (int i = 0; i < inst->arg_count; i++) {
        int part = f->tree[inst->args[i]->id];
        size = part == 0 || size + part > MAX_TREE ? MAX_TREE + 1 : size + part;
    }
    f->tree[inst->id] = size > MAX_TREE ? 0 : size;
}

static void forward_region(struct forward *f, struct ir_region *region);

static void forward_nested(struct forward *f, struct ir_inst *inst)
{
    // From one block to the next, one iteration to the next, one case to the next: what is written may be seen.
    bool starts_clean = inst->op != IR_OP_IF && inst->op != IR_OP_BLOCK;
    if (starts_clean) {
        forget_written_by(f, inst);
    }
    for (int i = 0; i < inst->region_count; i++) {
        int mark = f->changes.count;
        f->segment = ++f->segment_count;
        forward_region(f, &inst->regions[i]);
        leave(f, mark);
    }
    f->segment = ++f->segment_count;
    if (!starts_clean) {
        forget_written_by(f, inst);
    }
}

static struct ir_inst *known_value(const struct forward *f, const struct ir_var *var)
{
    struct ir_inst *value = f->known[var->index];
    bool serves = value != NULL && (f->tree[value->id] > 0 || f->segments[value->id] == f->segment);
    return serves ? value : NULL;
}

static void forward_region(struct forward *f, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        for (int i = 0; i < inst->arg_count; i++) {
            struct ir_inst *better = f->replacement[inst->args[i]->id];
            if (better != NULL) {
                inst->args[i] = better;
                f->changed = true;
            }
        }
        if (inst->id >= 0) {
            measure(f, inst);
            f->segments[inst->id] = f->segment;
        }
        if (inst->op == IR_OP_GET) {
            f->replacement[inst->id] = known_value(f, inst->var);
        } else if (inst->op == IR_OP_SET) {
            set_known(f, inst->var, inst->args[0]);
        } else if (inst->op == IR_OP_VUPDATE) {
            set_known(f, inst->var, NULL);
        }
        if (inst->region_count > 0) {
            forward_nested(f, inst);
        }
    }
}

bool promote_forward(struct ir_module *module, struct ir_function *function)
{
    struct forward f = {.arena = module->arena,
                        .known = ARENA_ARRAY(module->arena, struct ir_inst *, function->var_count + 1),
                        .tree = ARENA_ARRAY(module->arena, int, function->value_count + 1),
                        .segments = ARENA_ARRAY(module->arena, int, function->value_count + 1),
                        .replacement = ARENA_ARRAY(module->arena, struct ir_inst *, function->value_count + 1)};
    forward_region(&f, &function->body);
    for (int i = 0; i < function->param_count; i++) {
        for (int k = 0; k < function->params[i].rank; k++) {
            struct ir_inst *better = f.replacement[function->params[i].extents[k]->id];
            function->params[i].extents[k] = better != NULL ? better : function->params[i].extents[k];
        }
    }
    return f.changed;
}
