// A copy of a kernel with runs of loops put together. Every instruction is copied once and keeps its number, every
// variable too, so that expressions over variables mean the same in both.
#include "offload/fuse.h"

#include "ir/clone.h"
#include "ir/walk.h"

#include <assert.h>

struct renaming { // in the later parts of a run: their loop variable is the first one's
    const struct ir_var *from;
    struct ir_var *to;
};

struct copier {
    struct offload *o;
    struct ir_function *copy;
    struct ir_inst **values; // by number
    struct fusion *runs;
    int run_count;
    struct renaming renamings[NEST_MOST];
    int renaming_count;
};

static void copy_region(struct copier *c, const struct ir_region *from, struct ir_region *to);

static struct ir_var *copied_var(const struct copier *c, const struct ir_var *var)
{
    for (int i = 0; i < c->renaming_count; i++) {
        if (c->renamings[i].from == var) {
            return c->renamings[i].to;
        }
    }
    return c->copy->vars[var->index];
}

static void forget_verdict(struct copier *c, struct ir_for *loop)
{
    loop->var = copied_var(c, loop->var);
    loop->verdict = IR_VERDICT_NONE;
    loop->roles = NULL;
    loop->role_count = 0;
    loop->reason = NULL;
    loop->reason_loc_a = (struct loc){0};
    loop->reason_loc_b = (struct loc){0};
}

// The instruction alone, at the end of |to|; its regions are made empty.
static struct ir_inst *copy_inst(struct copier *c, struct ir_inst *inst, struct ir_region *to)
{
    struct ir_inst **args = ARENA_ARRAY(c->o->arena, struct ir_inst *, inst->arg_count);
    for (int i = 0; i < inst->arg_count; i++) {
        assert(c->values[inst->args[i]->id] != NULL); // values stand before their uses
        args[i] = c->values[inst->args[i]->id];
    }
    struct ir_builder b = {.module = c->o->module, .function = c->copy, .region = to};
    struct ir_inst *copy = clone_inst(&b, inst, args);
    copy->id = inst->id;
    copy->var = inst->var != NULL ? copied_var(c, inst->var) : NULL;
    copy->target = inst->target != NULL ? offload_note(c->o, inst->target)->clone : NULL;
    if (copy->loop != NULL) {
        forget_verdict(c, copy->loop);
    }
    if (inst->id >= 0) {
        c->values[inst->id] = copy;
    }
    if (inst->region_count > 0) {
        offload_note(c->o, inst)->clone = copy;
    }
    return copy;
}

struct ir_inst *fuse_inner(const struct ir_inst *outer)
{
    struct ir_inst *inner = NULL;
    for (struct ir_inst *inst = outer->regions[0].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && inner == NULL) {
            inner = inst;
        } else if (!ir_op_is_value(inst->op)) {
            return NULL;
        }
    }
    return inner;
}

// What has been made of a run so far: of each level the loops of all parts, and the one that stands for them.
struct merging {
    struct ir_inst *const *loops[NEST_MOST];
    struct ir_inst *merged[NEST_MOST];
    int depth;
};

// From here on the variables of part |part| are the merged loops' own. The first part's are these already.
static void enter_part(struct copier *c, const struct merging *m, int part)
{
    c->renaming_count = 0;
    for (int level = 0; part > 0 && level < m->depth; level++) {
        c->renamings[c->renaming_count++] =
            (struct renaming){m->loops[level][part]->loop->var, m->merged[level]->loop->var};
    }
}

// One loop of the |count| loops of the next level.
static void merge_level(struct copier *c, struct merging *m, struct ir_inst *const *loops, const struct fusion *run,
                        struct ir_region *to)
{
    enter_part(c, m, 0);
    struct ir_inst *merged = copy_inst(c, loops[0], to);
    m->loops[m->depth] = loops;
    m->merged[m->depth++] = merged;
    struct ir_inst **inner = ARENA_ARRAY(c->o->arena, struct ir_inst *, run->count);
    for (int i = 0; i < run->count; i++) {
        offload_note(c->o, loops[i])->clone = merged;
        enter_part(c, m, i);
        if (m->depth == run->levels) {
            copy_region(c, &loops[i]->regions[0], &merged->regions[0]);
            continue;
        }
        inner[i] = fuse_inner(loops[i]);
        for (struct ir_inst *inst = loops[i]->regions[0].first; inst != NULL; inst = inst->next) {
            if (inst != inner[i]) {
                copy_inst(c, inst, &merged->regions[0]);
            }
        }
    }
    if (m->depth < run->levels) {
        merge_level(c, m, inner, run, &merged->regions[0]);
    }
}

static void merge(struct copier *c, struct fusion *run, struct ir_region *to)
{
    assert(run->count > 1 && run->levels >= 1 && run->levels <= NEST_MOST);
    struct merging m = {.depth = 0};
    for (int i = 1; i < run->count; i++) { // what stands between the loops may stand before them
        for (struct ir_inst *inst = run->parts[i - 1]->next; inst != run->parts[i]; inst = inst->next) {
            copy_inst(c, inst, to);
        }
    }
    merge_level(c, &m, run->parts, run, to);
    c->renaming_count = 0;
    run->loop = m.merged[0];
    run->copy = c->copy;
}

static struct fusion *run_of(const struct copier *c, const struct ir_inst *inst)
{
    for (int i = 0; i < c->run_count; i++) {
        if (c->runs[i].count > 1 && c->runs[i].parts[0] == inst) {
            return &c->runs[i];
        }
    }
    return NULL;
}

static void copy_region(struct copier *c, const struct ir_region *from, struct ir_region *to)
{
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        struct fusion *run = inst->op == IR_OP_FOR ? run_of(c, inst) : NULL;
        if (run != NULL) {
            merge(c, run, to);
            inst = run->parts[run->count - 1];
            continue;
        }
        struct ir_inst *copy = copy_inst(c, inst, to);
        for (int i = 0; i < inst->region_count; i++) {
            copy_region(c, &inst->regions[i], &copy->regions[i]);
        }
    }
}

static void copy_vars(struct copier *c)
{
    const struct ir_function *kernel = c->o->kernel;
    c->copy->vars = ARENA_ARRAY(c->o->arena, struct ir_var *, kernel->var_count + 1);
    for (int i = 0; i < kernel->var_count; i++) {
        c->copy->vars[i] = ARENA_NEW(c->o->arena, struct ir_var);
        *c->copy->vars[i] = *kernel->vars[i];
    }
    c->copy->var_capacity = kernel->var_count;
}

// What refers to instructions anywhere in the body, once these are there.
static void copy_references(struct copier *c)
{
    const struct ir_function *kernel = c->o->kernel;
    for (int i = 0; i < kernel->var_count; i++) {
        struct ir_inst *scope = kernel->vars[i]->scope;
        c->copy->vars[i]->scope = scope != NULL ? offload_note(c->o, scope)->clone : NULL;
    }
    c->copy->params = ARENA_ARRAY(c->o->arena, struct ir_param, kernel->param_count + 1);
    for (int i = 0; i < kernel->param_count; i++) {
        struct ir_param *param = &c->copy->params[i];
        *param = kernel->params[i];
        param->extents = ARENA_ARRAY(c->o->arena, struct ir_inst *, param->rank + 1);
        for (int k = 0; k < param->rank; k++) {
            param->extents[k] = c->values[kernel->params[i].extents[k]->id];
        }
    }
}

void fuse_copy_kernel(struct offload *o, struct fusion *runs, int count)
{
    struct copier c = {.o = o, .runs = runs, .run_count = count};
    c.copy = ARENA_NEW(o->arena, struct ir_function);
    *c.copy = *o->kernel;
    c.copy->body = (struct ir_region){.loc = o->kernel->body.loc};
    c.copy->analysis = NULL;
    c.values = ARENA_ARRAY(o->arena, struct ir_inst *, o->kernel->value_count + 1);
    copy_vars(&c);
    copy_region(&c, &o->kernel->body, &c.copy->body);
    copy_references(&c);
    c.copy->value_count = o->kernel->value_count; // the numbers are the kernel's
}
