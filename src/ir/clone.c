#include "ir/clone.h"

#include "ir/walk.h"

#include <assert.h>

struct copier {
    struct ir_module *module;
    struct ir_var **vars;    // by the original's variable number
    struct ir_inst **values; // by the original's value number
};

static void copy_region(struct copier *c, const struct ir_region *from, struct ir_builder to);

// The places of |made|, by which it is where it is, are its own; all else is as in the original.
static void copy_fields(struct ir_inst *made, const struct ir_inst *inst)
{
    struct ir_inst copy = *inst;
    copy.id = made->id;
    copy.args = made->args;
    copy.parent = made->parent;
    copy.prev = made->prev;
    copy.next = made->next;
    copy.loop = made->loop;
    copy.regions = NULL;
    copy.region_count = 0;
    copy.note = NULL;
    *made = copy;
}

struct ir_inst *clone_inst(struct ir_builder *to, const struct ir_inst *inst, struct ir_inst *const *args)
{
    to->loc = inst->loc;
    struct ir_inst *made = ir_emit(to, inst->op, inst->type, inst->arg_count, args);
    copy_fields(made, inst);
    if (inst->op == IR_OP_FOR) {
        *made->loop = *inst->loop;
        made->loop->analysis = NULL;
    }
    if (inst->region_count > 0) {
        ir_make_regions(to->module, made, inst->region_count);
    }
    for (int i = 0; i < inst->region_count; i++) {
        made->regions[i].loc = inst->regions[i].loc;
        made->regions[i].in_order = inst->regions[i].in_order;
    }
    assert((made->id >= 0) == (inst->id >= 0) && made->region_count == inst->region_count);
    return made;
}

static void copy_inst(struct copier *c, struct ir_inst *inst, struct ir_builder *to)
{
    struct ir_inst **args = ARENA_ARRAY(c->module->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = c->values[inst->args[i]->id];
        assert(args[i] != NULL); // a value stands before its uses
    }
    struct ir_inst *made = clone_inst(to, inst, args);
    made->var = inst->var != NULL ? c->vars[inst->var->index] : NULL;
    if (inst->id >= 0) {
        c->values[inst->id] = made;
    }
    inst->note = made; // where jumps to it, variables of its scope and redirected calls find the copy
    if (made->loop != NULL) {
        made->loop->var = c->vars[inst->loop->var->index];
        made->loop->analysis = inst->loop->analysis;
    }
    for (int i = 0; i < inst->region_count; i++) {
        struct ir_builder inner = *to;
        inner.region = &made->regions[i];
        copy_region(c, &inst->regions[i], inner);
    }
    made->target = inst->target != NULL ? inst->target->note : NULL; // what is left encloses it: it has its copy
}

static void copy_region(struct copier *c, const struct ir_region *from, struct ir_builder to)
{
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        copy_inst(c, inst, &to);
    }
}

static void copy_vars(struct copier *c, const struct ir_function *from, struct ir_function *to)
{
    c->vars = ARENA_ARRAY(c->module->arena, struct ir_var *, from->var_count + 1);
    for (int i = 0; i < from->var_count; i++) {
        struct ir_var *copy = ir_var_create(c->module, to, from->vars[i]->name, from->vars[i]->type);
        int index = copy->index;
        *copy = *from->vars[i];
        copy->index = index;
        c->vars[i] = copy;
    }
}

struct ir_function *clone_helper(struct ir_module *module, struct ir_function *from, const char *name)
{
    assert(from->kind == IR_FUNCTION_HELPER);
    struct copier c = {.module = module};
    struct ir_function *to = ir_function_create(module, IR_FUNCTION_HELPER, name);
    to->loc = from->loc;
    to->return_type = from->return_type;
    to->return_ctype = from->return_ctype;
    to->params = from->params;
    to->param_count = from->param_count;
    to->may_fail = from->may_fail;
    copy_vars(&c, from, to);
    c.values = ARENA_ARRAY(module->arena, struct ir_inst *, from->value_count + 1);
    copy_region(&c, &from->body,
                (struct ir_builder){.module = module, .function = to, .region = &to->body, .loc = from->loc});
    for (int i = 0; i < to->var_count; i++) {
        to->vars[i]->scope = to->vars[i]->scope != NULL ? to->vars[i]->scope->note : NULL;
    }
    return to;
}

static bool forget(struct ir_inst *inst, void *user)
{
    (void)user;
    inst->note = NULL;
    return true;
}

void clone_forget(struct ir_function *from)
{
    walk_region(&from->body, forget, NULL);
}
