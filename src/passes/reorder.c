// The pass: each outermost nest of a kernel is looked at, and replaced if another order is better. Where that depends
// on what only the launch knows, both are kept, and the source's runs, on one thread, where the test fails.
#include "passes/reorder.h"

#include "analysis/analyse.h"
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

struct reorder {
    struct ir_module *module;
    struct ir_function *kernel;
    struct analysis *an; // made when the first nest is met
};

static struct loop_info *info_of(const struct reorder *r, const struct ir_inst *inst)
{
    for (int i = 0; i < r->an->loops.count; i++) {
        if (r->an->loops.items[i]->inst == inst) {
            return r->an->loops.items[i];
        }
    }
    return NULL;
}

// What the nest declared is declared nowhere once it is gone.
static void drop(struct loop_nest *nest)
{
    for (int v = 0; v < nest->kernel->var_count; v++) {
        struct ir_var *var = nest->kernel->vars[v];
        if (var->scope != NULL && walk_is_inside(var->scope, nest->root->inst)) {
            var->scope = NULL;
        }
    }
    ir_remove(nest->root->inst);
}

// |has_extents|: among what is tested is whether the order has iterations enough.
static void describe(struct ir_region *code, bool is_tested, bool is_split, bool has_extents)
{
    const char *split = is_tested
                            ? "the nest is split at the iteration that the others depend on, where arguments do not "
                              "overlap; else it runs as in the source, on one thread"
                            : "the nest is split at the iteration that the others depend on";
    const char *order = has_extents
                            ? "the nest runs in another order than in the source, where that has enough iterations to "
                              "share out and arguments do not overlap; else as it is there"
                        : is_tested ? "the nest runs in another order than in the source, where arguments do not "
                                      "overlap; else as it is there, on one thread"
                                    : "the nest runs in another order than in the source";
    for (struct ir_inst *inst = code->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR) {
            inst->loop->order = is_split ? split : order;
            return;
        }
    }
}

// Code that came out right moves to before the nest, or beside it under the test. |is_fallback|: the source's order is
// not worth more than one thread.
static void put(struct loop_nest *nest, struct ir_region *code, struct ir_region *test, struct ir_inst *holds,
                bool is_fallback)
{
    struct ir_inst *root = nest->root->inst;
    for (struct ir_inst *inst = test->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        ir_move_before(inst, root);
        inst = next;
    }
    struct ir_builder to = {
        .module = nest->module, .function = nest->kernel, .region = root->parent, .before = root, .loc = root->loc};
    if (holds == NULL) {
        for (struct ir_inst *inst = code->first; inst != NULL;) {
            struct ir_inst *next = inst->next;
            ir_move_before(inst, root);
            inst = next;
        }
        drop(nest);
        return;
    }
    struct ir_inst *choice = ir_control(&to, IR_OP_IF, holds, 2);
    ir_remove(root);
    ir_append(&choice->regions[1], root);
    for (struct ir_inst *inst = code->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        ir_remove(inst);
        ir_append(&choice->regions[0], inst);
        inst = next;
    }
    root->loop->is_fallback = is_fallback;
    root->loop->order = is_fallback ? NULL : IR_ORDER_OF_SOURCE;
}

// True: the nest has been looked at as a whole.
static bool reorder_nest(struct reorder *r, struct ir_inst *root)
{
    if (r->an == NULL) {
        struct diags *diags = ARENA_NEW(r->module->arena, struct diags); // what it finds is said by the analysis proper
        diags_init(diags, r->module->arena);
        r->an = analysis_create(r->module, r->kernel, diags);
    }
    struct loop_nest *nest = ARENA_NEW(r->module->arena, struct loop_nest);
    nest->module = r->module;
    nest->kernel = r->kernel;
    nest->an = r->an;
    nest->root = info_of(r, root);
    if (nest->root == NULL || !nest_find_statements(nest) || !nest_find_dependences(nest)) {
        return false;
    }
    bool is_parallel;
    const struct order *order = nest_schedule(nest, &is_parallel);
    const struct order *split = is_parallel ? NULL : nest_split(nest);
    order = split != NULL ? split : order;
    struct plan_expr *extents = NULL;
    if (order == NULL || (split == NULL && !nest_is_long_enough(nest, order, &extents))) {
        return true;
    }
    if (extents != NULL) {
        struct plan_condition enough = {
            .expr = extents, .text = "the new order has enough iterations", .loc = root->loc};
        VEC_PUSH(r->module->arena, &nest->conditions, enough);
    }
    struct ir_region code = {.loc = root->parent->loc}, test = code;
    struct ir_builder to = {.module = r->module, .function = r->kernel, .region = &code, .loc = root->loc};
    struct ir_inst *holds = NULL;
    int var_count = r->kernel->var_count;
    bool is_built = nest_build(nest, order, &to);
    to.region = &test;
    if (is_built && nest_build_test(nest, &to, &holds)) {
        describe(&code, holds != NULL, split != NULL, extents != NULL);
        put(nest, &code, &test, holds, extents == NULL);
    } else {
        r->kernel->var_count = var_count; // those that were made belong to code that is dropped
    }
    return true;
}

static bool has_inner(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_FOR) {
            return true;
        }
    }
    return false;
}

static void reorder_region(struct reorder *r, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        bool is_done = inst->op == IR_OP_FOR && (!has_inner(inst) || reorder_nest(r, inst));
        // What blocks touch is compared with each other, and is described best in the source's order.
        is_done |= inst->op == IR_OP_BLOCKS || (inst->op == IR_OP_FOR && inst->loop->pragma_single);
        for (int i = 0; i < inst->region_count && !is_done; i++) {
            reorder_region(r, &inst->regions[i]);
        }
        inst = next;
    }
}

static void rename_in_region(struct reorder *r, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && has_inner(inst)) {
            nest_rename_scalars(r->module, r->kernel, inst);
        }
        for (int i = 0; i < inst->region_count && inst->op != IR_OP_FOR; i++) {
            rename_in_region(r, &inst->regions[i]);
        }
    }
}

void reorder_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    struct reorder r = {.module = module, .kernel = kernel};
    if (!kernel->pragma_single && !module->check_bounds) {
        rename_in_region(&r, &kernel->body);
        reorder_region(&r, &kernel->body);
    }
}
