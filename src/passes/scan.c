// A loop whose iterations depend on each other only by an integer s = s op e, where e does not depend on s, and in
// which s is read. It becomes three steps over BLOCKS runs of consecutive iterations:
//
//     for b: part[b] = what the updates of run b come to     parallel
//     for b: part[b] = s; s = s op (what part[b] was)        in order, BLOCKS of them
//     for b: the source's body over run b, from part[b] on   parallel
//
// Iterations that are left over by the division into runs follow in order. The first step reads before the third
// writes: so the updates may depend only on arrays that the loop does not write, and the launch tests that arguments do
// not overlap. Where they do, or where there are few iterations, the source's loop runs. Whether the third step is
// parallel is for the analysis proper to say.
//
// Only for a GPU, where the alternative is one of its threads. On two threads of a CPU the loop in order, which reads
// everything once, was as fast, and on one thread twice as fast.
#include "passes/scan.h"

#include "analysis/analyse.h"
#include "analysis/scalars/scalars.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

enum { BLOCKS = 256, FEWEST = 32768 };

struct scan {
    struct ir_module *module;
    struct ir_function *kernel;
    struct analysis *an; // made when the first loop is met that might be one
    struct ir_inst *loop;
    struct ir_var *sum;
    enum ir_update merge;
    struct ir_inst **values; // by value number: the copy; NULL: none yet
    bool *is_needed;         // by value number: the updates depend on it
    int value_count;
};

// ---- which loops ---------------------------------------------------------------------------------------------------

static bool takes_inst(struct scan *s, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET: return true;
    case IR_OP_LOAD:
    case IR_OP_STORE: return !inst->is_volatile && !inst->is_around && !inst->atomic;
    case IR_OP_VUPDATE: {
        union ir_value identity;
        if (!ir_type_is_int(inst->type) || inst->type == IR_I1 || ir_update_merge(inst->update) == IR_UPDATE_NONE ||
            !ir_update_identity(inst->update, inst->type, &identity) || (s->sum != NULL && s->sum != inst->var) ||
            (s->sum != NULL && s->merge != ir_update_merge(inst->update))) {
            return false;
        }
        s->sum = inst->var;
        s->merge = ir_update_merge(inst->update);
        return true;
    }
    default: return ir_op_is_pure(inst->op);
    }
}

// Marks what the updates are made of. False: s itself is part of it.
static bool need_value(struct scan *s, const struct ir_inst *value)
{
    if (!walk_is_inside(value, s->loop) || s->is_needed[value->id]) {
        return true;
    }
    s->is_needed[value->id] = true;
    if (value->op == IR_OP_GET && value->var == s->sum) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!need_value(s, value->args[i])) {
            return false;
        }
    }
    return true;
}

static bool is_scan(struct scan *s)
{
    const struct ir_for *loop = s->loop->loop;
    enum ir_type type = loop->var->type;
    bool is_read = false;
    if (loop->compare != IR_OP_SLT || loop->step != 1 || (type != IR_I32 && type != IR_I64) || loop->recheck ||
        loop->pragma_single || loop->pragma_serial || loop->pragma_parallel || loop->carries || loop->is_fallback) {
        return false;
    }
    s->sum = NULL;
    for (const struct ir_inst *inst = s->loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (!takes_inst(s, inst)) {
            return false;
        }
    }
    for (const struct ir_inst *inst = s->loop->regions[0].first; inst != NULL && s->sum != NULL; inst = inst->next) {
        is_read |= inst->op == IR_OP_GET && inst->var == s->sum;
        if (inst->op == IR_OP_VUPDATE && !need_value(s, inst->args[0])) {
            return false;
        }
    }
    return is_read && s->sum != loop->var && s->sum->scope == NULL && !scalars_live_after(s->loop, loop->var);
}

// ---- what the launch tests -----------------------------------------------------------------------------------------

static void add_pair(struct loop_nest *nest, int a, int b)
{
    for (int i = 0; i < nest->pair_count; i++) {
        if (nest->pairs[i].a == a && nest->pairs[i].b == b) {
            return;
        }
    }
    nest->is_refused |= nest->pair_count == NEST_PAIRS;
    if (!nest->is_refused) {
        nest->pairs[nest->pair_count++] = (struct base_pair){a, b};
    }
}

// Each array that the updates read must be apart from each that the loop writes.
static bool find_pairs(struct scan *s, struct loop_nest *nest)
{
    const struct loop_info *info = nest->root;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *read = &s->an->accesses.items[i];
        if (read->inst->op != IR_OP_LOAD || !s->is_needed[read->inst->id]) {
            continue;
        }
        for (int k = info->access_begin; k < info->access_end; k++) {
            const struct access *write = &s->an->accesses.items[k];
            enum relation relation = write->kind == ACCESS_READ ? RELATION_NONE : access_relation(s->an, read, write);
            if (relation == RELATION_SAME || relation == RELATION_UNKNOWN) {
                return false;
            }
            if (relation == RELATION_TWO_BASES) {
                add_pair(nest, read->base, write->base);
            }
        }
    }
    return !nest->is_refused;
}

static struct loop_nest *find_nest(struct scan *s)
{
    if (s->an == NULL) {
        struct diags *diags = ARENA_NEW(s->module->arena, struct diags); // what it finds is said by the analysis proper
        diags_init(diags, s->module->arena);
        s->an = analysis_create(s->module, s->kernel, diags);
    }
    struct loop_nest *nest = ARENA_NEW(s->module->arena, struct loop_nest);
    *nest = (struct loop_nest){.module = s->module, .kernel = s->kernel, .an = s->an};
    for (int i = 0; i < s->an->loops.count; i++) {
        nest->root = s->an->loops.items[i]->inst == s->loop ? s->an->loops.items[i] : nest->root;
    }
    return nest->root != NULL && find_pairs(s, nest) ? nest : NULL;
}

// ---- the code ------------------------------------------------------------------------------------------------------

struct parts { // values and variables of the three steps
    struct ir_var *memory;
    struct ir_var *size;
    struct ir_inst *init; // i64
    struct ir_inst *loop_bound;
};

// The body, with |counter| (i64) for the loop's variable and |sum| for s. |only_sum|: no more than the updates need.
static void copy_body(struct scan *s, struct ir_builder *to, struct ir_var *counter, struct ir_var *sum, bool only_sum)
{
    const struct ir_var *var = s->loop->loop->var;
    memset(s->values, 0, sizeof *s->values * (size_t)s->value_count);
    for (const struct ir_inst *inst = s->loop->regions[0].first; inst != NULL; inst = inst->next) {
        bool is_part = inst->op == IR_OP_VUPDATE || (inst->id >= 0 && s->is_needed[inst->id]);
        if (only_sum && !is_part) {
            continue;
        }
        struct ir_inst *args[8] = {0};
        assert(inst->arg_count <= 8);
        for (int i = 0; i < inst->arg_count; i++) {
            struct ir_inst *copy = s->values[inst->args[i]->id];
            args[i] = copy != NULL ? copy : inst->args[i];
        }
        to->loc = inst->loc;
        struct ir_inst *made;
        if (inst->op == IR_OP_GET && inst->var == var) {
            made = ir_get(to, counter);
            if (var->type != IR_I64) {
                made = ir_emit1(to, IR_OP_TRUNC, var->type, made);
                made->no_wrap = true;
            }
        } else if (inst->op == IR_OP_SEXT && inst->type == IR_I64 && inst->args[0]->op == IR_OP_GET &&
                   inst->args[0]->var == var) {
            made = ir_get(to, counter);
        } else {
            made = clone_inst(to, inst, args);
            made->var = inst->var == s->sum ? sum : inst->var;
        }
        if (inst->id >= 0) {
            s->values[inst->id] = made;
        }
    }
}

static struct ir_var *make_var(struct scan *s, const char *name, enum ir_type type, struct ir_inst *scope)
{
    struct ir_var *var = ir_var_create(s->module, s->kernel, name, type);
    var->loc = s->loop->loc;
    var->scope = scope;
    return var;
}

static struct ir_inst *outer_scope(const struct ir_inst *inst)
{
    struct ir_inst *owner = inst->parent->owner;
    while (owner != NULL && owner->op != IR_OP_FOR && owner->op != IR_OP_LOOP && owner->op != IR_OP_BLOCKS) {
        owner = owner->parent->owner;
    }
    return owner;
}

static struct ir_inst *make_blocks(struct scan *s, struct ir_builder *to, struct ir_var **out_block)
{
    *out_block = make_var(s, ".block", IR_I64, outer_scope(s->loop));
    to->loc = s->loop->loc;
    struct ir_inst *zero = ir_const(to, IR_I64, 0), *count = ir_const(to, IR_I64, BLOCKS);
    return ir_emit_for(to, *out_block, zero, count, IR_OP_SLT, 1);
}

static struct ir_inst *place_of(struct scan *s, struct ir_builder *to, const struct parts *p, struct ir_var *block)
{
    struct ir_inst *base = ir_emit0(to, IR_OP_ADDR_VAR, IR_PTR);
    base->var = p->memory;
    struct ir_inst *number = ir_get(to, block);
    struct ir_inst *element = ir_const(to, IR_I64, ir_type_size(s->sum->type));
    struct ir_inst *count = ir_const(to, IR_I64, BLOCKS);
    struct ir_inst *args[4] = {base, number, element, count};
    struct ir_inst *index = ir_emit(to, IR_OP_INDEX, IR_PTR, 4, args);
    index->text = ".part";
    index->in_bounds = true;
    return index;
}

// Step 1, if |only_sum|, or step 3.
static struct ir_inst *build_runs(struct scan *s, struct ir_builder *to, const struct parts *p, bool only_sum)
{
    struct ir_var *block;
    struct ir_inst *outer = make_blocks(s, to, &block);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    struct ir_var *sum = make_var(s, only_sum ? ".part" : ".sum", s->sum->type, outer);
    struct ir_var *counter = make_var(s, ".i", IR_I64, outer);
    if (only_sum) {
        union ir_value identity;
        ir_update_identity(s->merge, sum->type, &identity);
        ir_set(&in, sum, ir_const(&in, sum->type, identity.i));
    } else {
        ir_set(&in, sum, ir_emit1(&in, IR_OP_LOAD, sum->type, place_of(s, &in, p, block)));
    }
    struct ir_inst *size = ir_get(&in, p->size);
    struct ir_inst *number = ir_get(&in, block);
    struct ir_inst *run = ir_emit2(&in, IR_OP_MUL, IR_I64, number, size);
    struct ir_inst *low = ir_emit2(&in, IR_OP_ADD, IR_I64, p->init, run);
    struct ir_inst *high = ir_emit2(&in, IR_OP_ADD, IR_I64, low, ir_get(&in, p->size));
    struct ir_inst *inner = ir_emit_for(&in, counter, low, high, IR_OP_SLT, 1);
    struct ir_builder body = in;
    body.region = &inner->regions[0];
    copy_body(s, &body, counter, sum, only_sum);
    if (only_sum) {
        struct ir_inst *place = place_of(s, &in, p, block);
        ir_emit2(&in, IR_OP_STORE, sum->type, place, ir_get(&in, sum));
    }
    return outer;
}

static void build_middle(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    struct ir_var *block;
    struct ir_inst *outer = make_blocks(s, to, &block);
    outer->loop->is_fallback = true; // in order, and not worth a word
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    struct ir_inst *place = place_of(s, &in, p, block);
    struct ir_inst *part = ir_emit1(&in, IR_OP_LOAD, s->sum->type, place);
    ir_emit2(&in, IR_OP_STORE, s->sum->type, place, ir_get(&in, s->sum));
    struct ir_inst *update = ir_emit1(&in, IR_OP_VUPDATE, s->sum->type, part);
    update->var = s->sum;
    update->update = s->merge;
}

static void build_rest(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    struct ir_var *counter = make_var(s, ".i", IR_I64, outer_scope(s->loop));
    struct ir_inst *blocks = ir_const(to, IR_I64, BLOCKS);
    struct ir_inst *done = ir_emit2(to, IR_OP_MUL, IR_I64, ir_get(to, p->size), blocks);
    struct ir_inst *low = ir_emit2(to, IR_OP_ADD, IR_I64, p->init, done);
    struct ir_inst *outer = ir_emit_for(to, counter, low, p->loop_bound, IR_OP_SLT, 1);
    outer->loop->is_fallback = true;
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    copy_body(s, &in, counter, s->sum, false);
}

static struct ir_inst *wide(struct ir_builder *to, struct ir_inst *value)
{
    return value->type == IR_I64 ? value : ir_emit1(to, IR_OP_SEXT, IR_I64, value);
}

static void rewrite(struct scan *s, struct ir_region *test, struct ir_inst *holds)
{
    struct ir_inst *loop = s->loop;
    for (struct ir_inst *inst = test->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        ir_move_before(inst, loop);
        inst = next;
    }
    struct ir_builder to = {
        .module = s->module, .function = s->kernel, .region = loop->parent, .before = loop, .loc = loop->loc};
    struct parts p = {0};
    p.init = wide(&to, loop->args[0]);
    p.loop_bound = wide(&to, loop->args[1]);
    struct ir_inst *count = ir_emit2(&to, IR_OP_SUB, IR_I64, p.loop_bound, p.init);
    struct ir_inst *are_many = ir_emit2(&to, IR_OP_SGE, IR_I1, count, ir_const(&to, IR_I64, FEWEST));
    // In 64 bits the difference of a bound far below the first value wraps around to a positive one.
    are_many = ir_emit2(&to, IR_OP_AND, IR_I1, are_many, ir_emit2(&to, IR_OP_SLT, IR_I1, p.init, p.loop_bound));
    struct ir_inst *all = holds == NULL ? are_many : ir_emit2(&to, IR_OP_AND, IR_I1, holds, are_many);
    struct ir_inst *choice = ir_control(&to, IR_OP_IF, all, 2);
    p.size = make_var(s, ".size", IR_I64, outer_scope(loop));
    p.memory = make_var(s, ".parts", IR_VOID, outer_scope(loop));
    p.memory->is_memory = true;
    p.memory->align = 8;
    p.memory->size = (uint64_t)(BLOCKS * ir_type_size(s->sum->type));
    struct ir_builder in = {
        .module = s->module, .function = s->kernel, .region = &choice->regions[0], .loc = loop->loc};
    ir_set(&in, p.size, ir_emit2(&in, IR_OP_SDIV, IR_I64, count, ir_const(&in, IR_I64, BLOCKS)));
    build_runs(s, &in, &p, true);
    build_middle(s, &in, &p);
    build_runs(s, &in, &p, false)->loop->order = "a scan: runs of iterations begin with what those before them come to";
    build_rest(s, &in, &p);
    ir_remove(loop);
    ir_append(&choice->regions[1], loop);
    loop->loop->is_fallback = true;
}

static void scan_loop(struct scan *s, struct ir_inst *loop)
{
    s->loop = loop;
    s->value_count = s->kernel->value_count;
    s->values = ARENA_ARRAY(s->module->arena, struct ir_inst *, s->value_count + 1);
    s->is_needed = ARENA_ARRAY(s->module->arena, bool, s->value_count + 1);
    struct loop_nest *nest = is_scan(s) ? find_nest(s) : NULL;
    struct ir_region test = {.loc = loop->parent->loc};
    struct ir_builder to = {.module = s->module, .function = s->kernel, .region = &test, .loc = loop->loc};
    struct ir_inst *holds = NULL;
    if (nest != NULL && nest_build_test(nest, &to, &holds)) {
        rewrite(s, &test, holds);
    }
}

static void scan_region(struct scan *s, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        bool is_left = inst->op == IR_OP_BLOCKS || inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP;
        if (inst->op == IR_OP_FOR) {
            scan_loop(s, inst);
        }
        for (int i = 0; i < inst->region_count && !is_left; i++) {
            scan_region(s, &inst->regions[i]);
        }
        inst = next;
    }
}

void scan_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    struct scan s = {.module = module, .kernel = kernel};
    if (module->is_gpu && !kernel->pragma_single && !module->check_bounds) {
        scan_region(&s, &kernel->body);
    }
}
