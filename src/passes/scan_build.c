// The code of a scan, in three steps over runs of consecutive iterations:
//
//     for b: part[b] = what the updates of run b come to     parallel
//     for b: part[b] = s; s = s op (what part[b] was)        in order
//     for b: the source's body over run b, from part[b] on   parallel
//
// A GPU takes all iterations at once, in RUNS runs, and a team of threads takes a run where iterations hand on nothing
// but what an operator combines in any grouping (emit_scan.c). There the second step is part of the third: each run
// adds up what those before it come to. The body is written in two parts, with what it hands on between them:
//
//     for b: s' = s; for a < b: s' = s' op part[a];          parallel, teams
//            for each iteration of run b: own = what its updates come to; now = s'; s' = s' op own; the body, from now
//            on
//
// A CPU takes rounds of RUNS runs of RUN_SIZE iterations, so that the
// third step finds in a cache what the first one has read; fewer where an iteration is a loop. How iterations are cut
// into runs depends on their number alone, and so do the bits of a sum of floats.
#include "passes/scan_loop.h"

#include "analysis/scalars/scalars.h"
#include "ir/assignment.h"
#include "ir/clone.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

enum { RUNS_GPU = 1024, DEEP_RUNS_GPU = 256, SHORTEST_GPU = 512, RUNS_CPU = 128, RUN_SIZE = 8192, FEWEST = 32768 };
enum { DEEP_RUN_SIZE = 32, DEEP_FEWEST = 256 }; // where an iteration is a loop
enum { TEAM_RUNS = 2048, TEAM_STEP = 256, TEAM_SHORTEST = 512, TEAM_FEWEST = 64 };
enum { LANES = 4 };
enum { SHORT_RUNS = 8, SHORT_RUN_SIZE = 16, SHORT_FEWEST = 24 }; // tests: where it does not pay

struct parts { // values and variables of the three steps
    struct ir_var *memory[SCAN_CARRIES];
    struct ir_var *ends[SCAN_CARRIES];    // where each run ends; NULL: nobody asks
    struct ir_var *resets[SCAN_CARRIES];  // whether a run has set it; NULL: none does
    struct ir_var *factors[SCAN_CARRIES]; // what a run multiplies it by; NULL: none does
    struct ir_inst *init;                 // of the loop, i64
    struct ir_inst *count;
    struct ir_inst *begin; // the first iteration of the runs
    struct ir_inst *runs;  // how many
    struct ir_inst *size;  // of a run
    struct ir_inst *scope; // the loop around the runs, for variables; NULL: none
};

static struct ir_inst *op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, ir_op_is_compare(op) ? IR_I1 : x->type, x, y);
}

static struct ir_inst *op_const(struct ir_builder *b, enum ir_op which, struct ir_inst *x, int64_t y)
{
    return op(b, which, x, ir_const(b, x->type, y));
}

static struct ir_var *make_var(struct scan *s, const char *name, enum ir_type type, struct ir_inst *scope)
{
    struct ir_var *var = ir_var_create(s->module, s->kernel, name, type);
    var->loc = s->loop->loc;
    var->scope = scope;
    return var;
}

// ---- how runs are cut ----------------------------------------------------------------------------------------------

static int runs_of(const struct scan *s)
{
    if (s->has_teams) {
        return s->module->has_short_strips ? SHORT_RUNS : s->is_deep ? 4 * DEEP_RUNS_GPU : TEAM_RUNS;
    }
    int gpu = s->is_deep ? DEEP_RUNS_GPU : RUNS_GPU;
    return s->module->is_gpu ? gpu : s->module->has_short_strips ? SHORT_RUNS : RUNS_CPU;
}

static int run_size_of(const struct scan *s)
{
    return s->module->has_short_strips ? SHORT_RUN_SIZE : s->is_deep ? DEEP_RUN_SIZE : RUN_SIZE;
}

static int fewest_of(const struct scan *s)
{
    return s->module->has_short_strips ? SHORT_FEWEST : s->has_teams ? TEAM_FEWEST : s->is_deep ? DEEP_FEWEST : FEWEST;
}

// The innermost loop, or region of blocks, that |owner| is or stands in: whose the variables made there are.
static struct ir_inst *loop_around(struct ir_inst *owner)
{
    while (owner != NULL && owner->op != IR_OP_FOR && owner->op != IR_OP_LOOP && owner->op != IR_OP_BLOCKS) {
        owner = owner->parent->owner;
    }
    return owner;
}

// ---- the body ------------------------------------------------------------------------------------------------------

static struct ir_inst *value_of(const struct scan *s, struct ir_inst *value)
{
    struct ir_inst *copy = value->id < s->value_count ? s->values[value->id] : NULL;
    return copy != NULL ? copy : value;
}

static struct ir_var *var_of(const struct scan *s, struct ir_var *var)
{
    struct ir_var *copy = var != NULL && var->index < s->var_count ? s->vars[var->index] : NULL;
    return copy != NULL ? copy : var;
}

struct body {
    struct scan *s;
    struct ir_inst *wide; // the loop's variable in this iteration, i64
    struct ir_inst *counter;
    bool is_ahead;                        // no more than the updates need
    bool is_behind;                       // what they need stands before it
    int number;                           // of the runs, for what they store
    struct ir_inst *ends[SCAN_CARRIES];   // of the third step: where the run ends; NULL: nobody asks
    struct ir_var *resets[SCAN_CARRIES];  // of the first: whether the run has set it …
    struct ir_var *factors[SCAN_CARRIES]; // … and what it has multiplied it by
};

static void copy_update(const struct body *body, struct ir_builder *to, const struct ir_inst *inst)
{
    struct scan_update update;
    struct scan *s = body->s;
    const struct scan_carry *carry = scan_carry_of(s, inst->var);
    bool is_update = scan_is_update(inst, &update);
    if (!is_update && carry->is_affine) {
        struct ir_inst *factor = scan_emit_factor(s, to, inst);
        ir_set(to, var_of(s, inst->var), value_of(s, inst->args[0]));
        struct ir_var *var = body->factors[carry - s->carries];
        enum ir_op times = ir_type_is_float(var->type) ? IR_OP_FMUL : IR_OP_MUL;
        struct ir_inst *old = ir_get(to, var);
        ir_set(to, var, ir_emit2(to, times, var->type, old, factor));
        return;
    }
    if (!is_update) {
        ir_set(to, var_of(s, inst->var), value_of(s, inst->args[0]));
        ir_set(to, body->resets[carry - s->carries], ir_const(to, IR_I32, 1));
        return;
    }
    struct ir_inst *made = ir_emit1(to, IR_OP_VUPDATE, inst->var->type, value_of(s, update.operand));
    made->var = var_of(s, inst->var);
    made->update = update.update;
}

// The loop's variable, which the run counts in another way.
static struct ir_inst *copy_of_counter(const struct body *body, const struct ir_inst *inst)
{
    const struct ir_var *var = body->s->loop->loop->var;
    if (inst->op == IR_OP_GET) {
        return inst->var == var ? body->counter : NULL;
    }
    bool is_unsigned = trip_of(body->s->loop->loop).is_unsigned;
    bool is_wide = inst->op == (is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT) && inst->type == IR_I64;
    return is_wide && inst->args[0]->op == IR_OP_GET && inst->args[0]->var == var ? body->wide : NULL;
}

static void copy_region(const struct body *body, const struct ir_region *from, struct ir_builder to);

static void copy_inst(const struct body *body, struct ir_inst *inst, struct ir_builder to)
{
    struct scan *s = body->s;
    struct ir_inst *counter = copy_of_counter(body, inst);
    if (counter != NULL) {
        s->values[inst->id] = counter;
        return;
    }
    struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = value_of(s, inst->args[i]);
    }
    struct ir_inst *made = clone_inst(&to, inst, args);
    made->var = var_of(s, inst->var);
    made->own = !body->is_ahead && pointer_map_get(&s->own, inst) != NULL ? body->number : 0;
    inst->note = made;
    if (inst->id >= 0) {
        s->values[inst->id] = made;
    }
    if (made->op == IR_OP_FOR) {
        made->loop->var = var_of(s, inst->loop->var);
    }
    made->target = inst->target != NULL ? inst->target->note : NULL;
    for (int i = 0; i < inst->region_count; i++) {
        struct ir_builder inner = to;
        inner.region = &made->regions[i];
        inner.before = NULL;
        copy_region(body, &inst->regions[i], inner);
    }
}

// One of the two regions of a branch that becomes plain code. What it stores goes to where the counter is, kept or not.
static void copy_flat(const struct body *body, const struct ir_region *from, struct ir_builder to,
                      struct ir_inst *is_kept)
{
    struct scan *s = body->s;
    struct ir_inst *update = NULL, *begin = NULL, *behind = NULL, *has_room = NULL;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        update = ir_op_sets(inst->op) ? inst : update;
    }
    const struct scan_carry *carry = update != NULL ? scan_carry_of(s, update->var) : NULL;
    assert(carry != NULL);
    if (carry == NULL) {
        return;
    }
    begin = ir_get(&to, var_of(s, carry->var));
    has_room = op(&to, IR_OP_NE, begin, body->ends[carry - s->carries]);
    behind = op_const(&to, IR_OP_ADD, begin, 1);
    struct ir_inst *now = begin;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        to.loc = inst->loc;
        if (inst == update) {
            now = behind;
        } else if (inst->op == IR_OP_GET && inst->var == carry->var) {
            s->values[inst->id] = now;
        } else if (inst->op == IR_OP_STORE) {
            struct ir_inst *branch = ir_control(&to, IR_OP_IF, has_room, 2);
            struct ir_builder inner = to;
            inner.region = &branch->regions[0];
            inner.before = NULL;
            copy_inst(body, inst, inner);
        } else {
            copy_inst(body, inst, to);
        }
    }
    to.loc = update->loc;
    struct ir_inst *added = ir_emit1(&to, IR_OP_ZEXT, update->type, is_kept);
    struct ir_inst *made = ir_emit1(&to, IR_OP_VUPDATE, update->type, added);
    made->var = var_of(s, carry->var);
    made->update = IR_UPDATE_ADD;
}

static void copy_region(const struct body *body, const struct ir_region *from, struct ir_builder to)
{
    struct scan *s = body->s;
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        bool is_needed = pointer_map_get(&s->needed, inst) != NULL;
        bool is_there = body->is_behind && from == &s->loop->regions[0] && is_needed &&
                        (ir_op_is_value(inst->op) || inst->op == IR_OP_LOAD);
        if (is_there || (body->is_ahead && !is_needed)) {
            continue;
        }
        to.loc = inst->loc;
        if (ir_op_sets(inst->op) && scan_carry_of(s, inst->var) != NULL && body->is_ahead) {
            copy_update(body, &to, inst);
        } else if (!body->is_ahead && pointer_map_get(&s->flat, inst) != NULL) {
            struct ir_inst *is_kept = value_of(s, inst->args[0]);
            copy_flat(body, &inst->regions[0], to, is_kept);
            if (inst->regions[1].first != NULL) {
                struct ir_inst *is_dropped = op_const(&to, IR_OP_XOR, is_kept, 1);
                copy_flat(body, &inst->regions[1], to, is_dropped);
            }
        } else {
            copy_inst(body, inst, to);
        }
    }
}

static struct ir_var *copy_var(struct scan *s, const struct ir_var *var, struct ir_inst *scope)
{
    struct ir_var *copy = make_var(s, var->name, var->type, scope);
    int index = copy->index;
    *copy = *var;
    copy->index = index;
    copy->scope = scope;
    return copy;
}

// Scalars that iterations assign are new in each run, but for those that matter after the loop, of which the third step
// makes the reductions and last values that they are.
static void copy_vars(struct scan *s, struct ir_inst *run, struct ir_inst *iteration, bool is_ahead)
{
    memset(s->vars, 0, sizeof *s->vars * (size_t)s->var_count);
    WALK (inst, &s->loop->regions[0]) {
        struct ir_var *var = assignment_target(inst);
        if (inst->op == IR_OP_ADDR_VAR && scalars_is_declared_in(inst->var, s->loop)) {
            var = inst->var;
        }
        if (var == NULL || s->vars[var->index] != NULL) {
            continue;
        }
        bool is_local = scalars_is_declared_in(var, s->loop);
        if (scan_carry_of(s, var) != NULL) {
            s->vars[var->index] = copy_var(s, var, run);
        } else if (is_local || is_ahead) {
            s->vars[var->index] = copy_var(s, var, iteration);
        }
    }
}

// ---- the three steps -----------------------------------------------------------------------------------------------

// |first|: NULL is 0.
static struct ir_inst *make_runs(struct scan *s, struct ir_builder *to, const struct parts *p, struct ir_inst *first,
                                 struct ir_var **out_run)
{
    *out_run = make_var(s, ".run", IR_I64, p->scope);
    to->loc = s->loop->loc;
    first = first != NULL ? first : ir_const(to, IR_I64, 0);
    return ir_emit_for(to, *out_run, first, p->runs, IR_OP_SLT, 1);
}

// Of a run, in the memory of a carry.
static struct ir_inst *part_of(struct scan *s, struct ir_builder *to, const struct ir_var *memory, enum ir_type type,
                               struct ir_inst *run)
{
    struct ir_inst *base = ir_emit0(to, IR_OP_ADDR_VAR, IR_PTR);
    base->var = (struct ir_var *)memory;
    struct ir_inst *element = ir_const(to, IR_I64, ir_type_size(type));
    struct ir_inst *extent = ir_const(to, IR_I64, runs_of(s));
    struct ir_inst *args[4] = {base, run, element, extent};
    struct ir_inst *index = ir_emit(to, IR_OP_INDEX, IR_PTR, 4, args);
    index->text = ".part";
    index->in_bounds = true;
    return index;
}

static struct ir_inst *emit_load(struct scan *s, struct ir_builder *to, const struct ir_var *memory, enum ir_type type,
                                 struct ir_inst *run)
{
    struct ir_inst *place = part_of(s, to, memory, type, run);
    return ir_emit1(to, IR_OP_LOAD, type, place);
}

static struct ir_inst *emit_identity(struct ir_builder *to, const struct scan_carry *carry)
{
    union ir_value identity = {0};
    bool is_float = ir_type_is_float(carry->var->type);
    if (carry->merge != IR_UPDATE_NONE && !carry->is_affine) { // else it is set before it is asked for
        bool has_one = ir_update_identity(carry->merge, carry->var->type, &identity);
        assert(has_one);
        (void)has_one;
    }
    return is_float ? ir_fconst(to, carry->var->type, identity.f) : ir_const(to, carry->var->type, identity.i);
}

static struct ir_inst *emit_narrow(struct scan *s, struct ir_builder *to, struct ir_inst *wide)
{
    enum ir_type type = s->loop->loop->var->type;
    if (type == IR_I64) {
        return wide;
    }
    struct ir_inst *made = ir_emit1(to, IR_OP_TRUNC, type, wide);
    made->no_wrap = !trip_of(s->loop->loop).is_unsigned;
    return made;
}

// The loop's variable in iteration |at| (i64, from 0), which the source may count in any type and by any step.
static void set_counter(struct ir_builder *to, const struct parts *p, struct ir_inst *at, struct body *out)
{
    struct scan *s = out->s;
    int64_t step = s->loop->loop->step;
    bool is_zero = s->loop->args[0]->op == IR_OP_CONST && s->loop->args[0]->imm == 0;
    struct ir_inst *way = step == 1 ? at : op_const(to, IR_OP_MUL, at, step);
    out->wide = is_zero ? way : op(to, IR_OP_ADD, p->init, way);
    out->counter = emit_narrow(s, to, out->wide);
}

// What the run |run| begins with, |before| the loop over its iterations, which |body| is for.
static void begin_run(struct scan *s, struct ir_builder before, const struct parts *p, struct ir_inst *run,
                      struct body *body)
{
    struct ir_inst *inner = before.before;
    copy_vars(s, loop_around(inner->parent->owner), inner, body->is_ahead);
    for (int i = 0; i < s->carry_count; i++) {
        enum ir_type type = s->carries[i].var->type;
        struct ir_inst *first =
            body->is_ahead ? emit_identity(&before, &s->carries[i]) : emit_load(s, &before, p->memory[i], type, run);
        ir_set(&before, s->vars[s->carries[i].var->index], first);
        if (!body->is_ahead && p->ends[i] != NULL) {
            body->ends[i] = emit_load(s, &before, p->ends[i], type, run);
        }
        if (body->is_ahead && p->factors[i] != NULL) {
            body->factors[i] = make_var(s, ".factor", type, loop_around(inner->parent->owner));
            bool is_float = ir_type_is_float(type);
            ir_set(&before, body->factors[i], is_float ? ir_fconst(&before, type, 1) : ir_const(&before, type, 1));
        }
        if (body->is_ahead && p->resets[i] != NULL) {
            body->resets[i] = make_var(s, ".reset", IR_I32, loop_around(inner->parent->owner));
            ir_set(&before, body->resets[i], ir_const(&before, IR_I32, 0));
        }
    }
    memset(s->values, 0, sizeof *s->values * (size_t)s->value_count);
}

static void end_run(struct scan *s, struct ir_builder *in, const struct parts *p, struct ir_inst *run,
                    const struct body *body)
{
    for (int i = 0; i < s->carry_count && body->is_ahead; i++) {
        struct ir_var *var = s->carries[i].var;
        struct ir_inst *place = part_of(s, in, p->memory[i], var->type, run);
        ir_emit2(in, IR_OP_STORE, var->type, place, ir_get(in, s->vars[var->index]));
        if (p->factors[i] != NULL) {
            place = part_of(s, in, p->factors[i], var->type, run);
            ir_emit2(in, IR_OP_STORE, var->type, place, ir_get(in, body->factors[i]));
        }
        if (p->resets[i] != NULL) {
            place = part_of(s, in, p->resets[i], IR_I32, run);
            ir_emit2(in, IR_OP_STORE, IR_I32, place, ir_get(in, body->resets[i]));
        }
    }
}

// The loop over the run's iterations. |from|: a carry that begins with its own value; NULL: none.
static void build_run(struct scan *s, struct ir_builder *in, const struct parts *p, struct ir_inst *run,
                      const struct scan_carry *from, struct body *body)
{
    struct ir_inst *low = op(in, IR_OP_MUL, run, p->size);
    low = op(in, IR_OP_ADD, p->begin, low);
    struct ir_inst *high = op(in, IR_OP_ADD, low, p->size);
    high = op(in, IR_OP_SMIN, high, p->count);
    struct ir_var *at = make_var(s, ".at", IR_I64, loop_around(in->region->owner));
    struct ir_inst *inner = ir_emit_for(in, at, low, high, IR_OP_SLT, 1);
    inner->loop->scan = s->has_teams ? IR_SCAN_AHEAD : IR_SCAN_NONE;
    struct ir_builder to = *in, before = *in;
    to.region = &inner->regions[0];
    before.before = inner;
    begin_run(s, before, p, run, body);
    if (from != NULL) {
        ir_set(&before, s->vars[from->var->index], ir_get(&before, from->var));
    }
    set_counter(&to, p, ir_get(&to, at), body);
    copy_region(body, &s->loop->regions[0], to);
    clone_forget(s->kernel);
}

static struct ir_inst *build_runs(struct scan *s, struct ir_builder *to, const struct parts *p, struct ir_inst *first,
                                  bool is_ahead)
{
    struct ir_var *run_var;
    struct ir_inst *outer = make_runs(s, to, p, first, &run_var);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *run = ir_get(&in, run_var);
    struct body body = {.s = s, .is_ahead = is_ahead, .number = s->made};
    build_run(s, &in, p, run, NULL, &body);
    end_run(s, &in, p, run, &body);
    return outer;
}

// ---- the third step of a team
// ----------------------------------------------------------------------------------------

// The variable gets what is in the first |end| parts of the carry.
static void fold_parts(struct scan *s, struct ir_builder *to, const struct parts *p, int carry, struct ir_var *var,
                       struct ir_inst *end)
{
    enum ir_type type = s->carries[carry].var->type;
    struct ir_var *at = make_var(s, ".before", IR_I64, loop_around(to->region->owner));
    struct ir_inst *loop = ir_emit_for(to, at, ir_const(to, IR_I64, 0), end, IR_OP_SLT, 1);
    loop->loop->scan = IR_SCAN_AHEAD;
    struct ir_builder in = *to;
    in.region = &loop->regions[0];
    in.before = NULL;
    struct ir_inst *part = emit_load(s, &in, p->memory[carry], type, ir_get(&in, at));
    struct ir_inst *update = ir_emit1(&in, IR_OP_VUPDATE, type, part);
    update->var = var;
    update->update = s->carries[carry].merge;
}

// One iteration, |in| the loop over those of a run: what its updates come to goes to |handed|, and the rest goes on
// with what was there.
static void build_iteration(struct scan *s, struct ir_builder in, const struct parts *p, struct ir_inst *number,
                            struct ir_var **handed)
{
    struct ir_inst *loop = in.region->owner, *own[SCAN_CARRIES], *before[SCAN_CARRIES];
    struct body body = {.s = s, .is_ahead = true, .number = s->made};
    copy_vars(s, loop, loop, true);
    for (int i = 0; i < s->carry_count; i++) {
        ir_set(&in, s->vars[s->carries[i].var->index], emit_identity(&in, &s->carries[i]));
    }
    set_counter(&in, p, number, &body);
    copy_region(&body, &s->loop->regions[0], in);
    clone_forget(s->kernel);
    for (int i = 0; i < s->carry_count; i++) {
        own[i] = ir_get(&in, s->vars[s->carries[i].var->index]);
    }
    in.loc = s->loop->loc;
    for (int i = 0; i < s->carry_count; i++) {
        before[i] = ir_get(&in, handed[i]);
        struct ir_inst *update = ir_emit1(&in, IR_OP_VUPDATE, handed[i]->type, own[i]);
        update->var = handed[i];
        update->update = s->carries[i].merge;
    }
    copy_vars(s, loop, loop, false);
    for (int i = 0; i < s->carry_count; i++) {
        ir_set(&in, s->vars[s->carries[i].var->index], before[i]);
    }
    body.is_ahead = false;
    body.is_behind = true;
    copy_region(&body, &s->loop->regions[0], in);
    clone_forget(s->kernel);
}

static struct ir_inst *build_team_runs(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    struct ir_var *run_var, *handed[SCAN_CARRIES];
    struct ir_inst *outer = make_runs(s, to, p, NULL, &run_var);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *run = ir_get(&in, run_var);
    for (int i = 0; i < s->carry_count; i++) {
        struct ir_var *var = s->carries[i].var;
        handed[i] = make_var(s, var->name, var->type, outer);
        ir_set(&in, handed[i], ir_get(&in, var));
        fold_parts(s, &in, p, i, handed[i], run);
    }
    struct ir_inst *low = op(&in, IR_OP_MUL, run, p->size);
    struct ir_inst *high = op(&in, IR_OP_SMIN, op(&in, IR_OP_ADD, low, p->size), p->count);
    struct ir_var *at = make_var(s, ".at", IR_I64, outer);
    struct ir_inst *inner = ir_emit_for(&in, at, low, high, IR_OP_SLT, 1);
    inner->loop->scan = IR_SCAN_HANDS_ON;
    in.region = &inner->regions[0];
    build_iteration(s, in, p, ir_get(&in, at), handed);
    return outer;
}

// LANES runs at a time, all of them whole: an iteration of each in turn, so that they do not wait for each other.
static struct ir_inst *build_lanes(struct scan *s, struct ir_builder *to, const struct parts *p, struct ir_inst *groups)
{
    struct ir_var *group_var = make_var(s, ".group", IR_I64, p->scope);
    to->loc = s->loop->loc;
    struct ir_inst *zero = ir_const(to, IR_I64, 0);
    struct ir_inst *outer = ir_emit_for(to, group_var, zero, groups, IR_OP_SLT, 1);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *first = op_const(&in, IR_OP_MUL, ir_get(&in, group_var), LANES);
    struct ir_var *at = make_var(s, ".at", IR_I64, outer);
    struct ir_inst *inner = ir_emit_for(&in, at, zero, p->size, IR_OP_SLT, 1);
    struct ir_builder body_to = in, before = in;
    body_to.region = &inner->regions[0];
    before.before = inner;
    for (int lane = 0; lane < LANES; lane++) {
        struct ir_inst *run = lane == 0 ? first : op_const(&before, IR_OP_ADD, first, lane);
        struct ir_inst *low = op(&before, IR_OP_MUL, run, p->size);
        low = op(&before, IR_OP_ADD, p->begin, low);
        struct body body = {.s = s, .number = s->made};
        begin_run(s, before, p, run, &body);
        struct ir_inst *number = op(&body_to, IR_OP_ADD, low, ir_get(&body_to, at));
        set_counter(&body_to, p, number, &body);
        copy_region(&body, &s->loop->regions[0], body_to);
        clone_forget(s->kernel);
    }
    return outer;
}

static struct ir_inst *is_below(struct ir_builder *to, struct ir_inst *value, double limit)
{
    struct ir_inst *size = ir_emit1(to, IR_OP_MATH, value->type, value);
    size->imm = IR_MATH_FABS;
    struct ir_inst *most = ir_fconst(to, value->type, limit);
    return ir_emit2(to, IR_OP_FLE, IR_I1, size, most);
}

// s = a * s + b of a whole run. Where the product of all its factors is large, or no number, it says nothing of what s
// would be: then the run's iterations are gone through here, one after the other.
static void build_affine(struct scan *s, struct ir_builder in, const struct parts *p, struct ir_inst *run, int carry)
{
    const double most_factor = 1e6, most = s->carries[carry].var->type == IR_F32 ? 1e30 : 1e300;
    struct ir_var *var = s->carries[carry].var;
    struct ir_inst *summand = emit_load(s, &in, p->memory[carry], var->type, run);
    struct ir_inst *factor = emit_load(s, &in, p->factors[carry], var->type, run);
    struct ir_inst *before = ir_get(&in, var);
    struct ir_inst *place = part_of(s, &in, p->memory[carry], var->type, run);
    ir_emit2(&in, IR_OP_STORE, var->type, place, before);
    struct ir_builder then = in;
    bool is_float = ir_type_is_float(var->type);
    if (is_float) {
        struct ir_inst *is_small = is_below(&in, factor, most_factor);
        struct ir_inst *is_number = is_below(&in, before, most);
        struct ir_inst *branch = ir_control(&in, IR_OP_IF, op(&in, IR_OP_AND, is_small, is_number), 2);
        struct ir_builder otherwise = in;
        then.region = &branch->regions[0];
        otherwise.region = &branch->regions[1];
        struct body body = {.s = s, .is_ahead = true, .number = s->made};
        build_run(s, &otherwise, p, run, &s->carries[carry], &body);
        ir_set(&otherwise, var, ir_get(&otherwise, s->vars[var->index]));
    }
    struct ir_inst *product = ir_emit2(&then, is_float ? IR_OP_FMUL : IR_OP_MUL, var->type, factor, before);
    ir_set(&then, var, ir_emit2(&then, is_float ? IR_OP_FADD : IR_OP_ADD, var->type, product, summand));
}

static void build_middle(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    struct ir_var *run_var;
    struct ir_inst *outer = make_runs(s, to, p, NULL, &run_var);
    outer->loop->is_fallback = true; // in order, and not worth a word
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *run = ir_get(&in, run_var);
    for (int i = 0; i < s->carry_count; i++) {
        struct ir_var *var = s->carries[i].var;
        if (s->carries[i].is_affine) {
            build_affine(s, in, p, run, i);
            continue;
        }
        struct ir_inst *place = part_of(s, &in, p->memory[i], var->type, run);
        struct ir_inst *part = ir_emit1(&in, IR_OP_LOAD, var->type, place);
        ir_emit2(&in, IR_OP_STORE, var->type, place, ir_get(&in, var));
        struct ir_builder otherwise = in;
        if (p->resets[i] != NULL) {
            struct ir_inst *is_set = emit_load(s, &in, p->resets[i], IR_I32, run);
            struct ir_inst *branch = ir_control(&in, IR_OP_IF, op_const(&in, IR_OP_NE, is_set, 0), 2);
            struct ir_builder then = in;
            then.region = &branch->regions[0];
            ir_set(&then, var, part);
            otherwise.region = &branch->regions[1];
        }
        if (s->carries[i].merge != IR_UPDATE_NONE) {
            struct ir_inst *update = ir_emit1(&otherwise, IR_OP_VUPDATE, var->type, part);
            update->var = var;
            update->update = s->carries[i].merge;
        }
        if (p->ends[i] != NULL) {
            struct ir_inst *end = part_of(s, &in, p->ends[i], var->type, run);
            ir_emit2(&in, IR_OP_STORE, var->type, end, ir_get(&in, var));
        }
    }
}

static void build_steps(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    static const char scan_text[] = "a scan: runs of iterations begin with what those before them come to";
    static const char list_text[] = "a compaction: runs of iterations count what they will store, then each stores "
                                    "from where those before it end";
    s->made++;
    struct ir_for *ahead = build_runs(s, to, p, NULL, true)->loop;
    ahead->order = s->has_rest ? NULL : scan_text;
    if (s->has_teams) {
        struct ir_for *last = build_team_runs(s, to, p)->loop;
        last->runs = s->has_own ? s->made : 0;
        last->order = s->has_own ? list_text : scan_text;
        for (int i = 0; i < s->carry_count; i++) {
            if (scalars_live_after(s->loop, s->carries[i].var)) {
                fold_parts(s, to, p, i, s->carries[i].var, p->runs);
            }
        }
        return;
    }
    build_middle(s, to, p);
    if (!s->has_rest) {
        return;
    }
    struct ir_inst *first = NULL;
    if (s->has_lanes) {
        struct ir_inst *groups = op(to, IR_OP_SUB, p->count, p->begin);
        groups = op(to, IR_OP_SDIV, groups, p->size);
        groups = op_const(to, IR_OP_SDIV, op(to, IR_OP_SMIN, groups, p->runs), LANES);
        build_lanes(s, to, p, groups)->loop->order = scan_text;
        first = op_const(to, IR_OP_MUL, groups, LANES);
    }
    struct ir_for *last = build_runs(s, to, p, first, false)->loop;
    last->runs = s->has_own ? s->made : 0;
    last->order = s->has_own ? list_text : scan_text;
}

// ---- how many ------------------------------------------------------------------------------------------------------

static struct ir_inst *widened(struct ir_builder *b, struct ir_inst *value, bool is_unsigned)
{
    return value->type == IR_I64 ? value : ir_emit1(b, is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

// The trip count, in |out->count|. What is given back is false where it might not be right, and where there are few.
static struct ir_inst *emit_count(struct scan *s, struct ir_builder *b, struct parts *out)
{
    const struct ir_trip trip = trip_of(s->loop->loop);
    struct ir_inst *bound = widened(b, s->loop->args[1], trip.is_unsigned);
    out->init = widened(b, s->loop->args[0], trip.is_unsigned);
    struct ir_inst *low = trip.rises ? out->init : bound, *high = trip.rises ? bound : out->init;
    struct ir_inst *distance = op(b, IR_OP_SUB, high, low);
    int64_t stride = (int64_t)trip.stride, more = trip.is_inclusive ? stride : stride - 1;
    out->count = more == 0 ? distance : op_const(b, IR_OP_ADD, distance, more);
    out->count = stride == 1 ? out->count : op_const(b, IR_OP_SDIV, out->count, stride);
    struct ir_inst *is_right = op_const(b, IR_OP_SGE, out->count, fewest_of(s));
    if (trip.type == IR_I64) { // else it may wrap around
        const int64_t most = INT64_C(1) << 61;
        struct ir_inst *is_low = op_const(b, IR_OP_SGE, low, trip.is_unsigned ? 0 : -most);
        struct ir_inst *is_high = op_const(b, IR_OP_SLE, high, most);
        is_right = op(b, IR_OP_AND, is_right, op(b, IR_OP_AND, is_low, is_high));
    }
    int64_t most = INT64_MAX;
    for (int i = 0; i < s->carry_count && s->has_own; i++) {
        const struct scan_carry *carry = &s->carries[i];
        if (carry->is_counter && !carry->is_repeated && carry->var->type == IR_I32 && INT32_MAX / carry->most < most) {
            most = INT32_MAX / carry->most;
        }
    }
    bool is_few = trip.type == IR_I32 && most == INT32_MAX && !trip.is_unsigned;
    return is_few || most == INT64_MAX ? is_right
                                       : op(b, IR_OP_AND, is_right, op_const(b, IR_OP_SLE, out->count, most));
}

static struct ir_var *make_memory(struct scan *s, const char *name, enum ir_type type)
{
    struct ir_var *memory = make_var(s, name, IR_VOID, loop_around(s->loop->parent->owner));
    memory->is_memory = true;
    memory->align = 8;
    memory->size = (uint64_t)(runs_of(s) * ir_type_size(type));
    return memory;
}

static const char no_memory_text[] =
    "would be a scan, but the arrays of the kernel's own and the scans before it have used "
    "up the 48 KiB that there are between tasks";

// What crosses tasks shares 64 KiB a launch with arrays of the kernel's own, which come first.
static bool has_memory_left(const struct scan *s)
{
    enum { MOST_MEMORY = 48 << 10, MOST_PARTS = 4 };
    uint64_t size = 0;
    for (int i = 0; i < s->kernel->var_count; i++) {
        size += s->kernel->vars[i]->is_memory ? s->kernel->vars[i]->size : 0;
    }
    for (int i = 0; i < s->carry_count; i++) {
        size += (uint64_t)(runs_of(s) * (s->has_teams ? 1 : MOST_PARTS) * ir_type_size(s->carries[i].var->type));
    }
    return size <= MOST_MEMORY;
}

static void make_parts(struct scan *s, struct parts *p)
{
    for (int i = 0; i < s->carry_count; i++) {
        const struct scan_carry *carry = &s->carries[i];
        p->memory[i] = make_memory(s, ".parts", carry->var->type);
        p->factors[i] = carry->is_affine ? make_memory(s, ".factors", carry->var->type) : NULL;
        p->resets[i] = carry->has_reset ? make_memory(s, ".resets", IR_I32) : NULL;
        p->ends[i] = carry->is_flat ? make_memory(s, ".ends", carry->var->type) : NULL;
    }
}

static void build_rounds(struct scan *s, struct ir_builder *to, struct parts *p)
{
    const int64_t run_size = run_size_of(s), most = runs_of(s);
    struct ir_var *begin = make_var(s, ".begin", IR_I64, loop_around(s->loop->parent->owner));
    struct ir_inst *rounds = ir_emit_for(to, begin, ir_const(to, IR_I64, 0), p->count, IR_OP_SLT, most * run_size);
    rounds->loop->carries = true;
    struct ir_builder in = *to;
    in.region = &rounds->regions[0];
    p->scope = rounds;
    p->begin = ir_get(&in, begin);
    struct ir_inst *left = op(&in, IR_OP_SUB, p->count, p->begin);
    left = op_const(&in, IR_OP_ADD, left, run_size - 1);
    struct ir_inst *runs = op_const(&in, IR_OP_SDIV, left, run_size);
    p->runs = op_const(&in, IR_OP_SMIN, runs, most);
    p->size = ir_const(&in, IR_I64, run_size);
    build_steps(s, &in, p);
}

static void build_at_once(struct scan *s, struct ir_builder *to, struct parts *p)
{
    p->scope = loop_around(s->loop->parent->owner);
    p->begin = ir_const(to, IR_I64, 0);
    const int64_t runs = runs_of(s);
    struct ir_inst *size = op_const(to, IR_OP_SDIV, op_const(to, IR_OP_ADD, p->count, runs - 1), runs);
    if (s->has_teams && !s->is_deep) { // whole rows, which begin where arrays are aligned
        size = op_const(to, IR_OP_ADD, size, TEAM_STEP - 1);
        size = op_const(to, IR_OP_MUL, op_const(to, IR_OP_SDIV, size, TEAM_STEP), TEAM_STEP);
    }
    p->size = op_const(to, IR_OP_SMAX, size, s->is_deep ? 1 : s->has_teams ? TEAM_SHORTEST : SHORTEST_GPU);
    struct ir_inst *more = op(to, IR_OP_ADD, p->count, op_const(to, IR_OP_SUB, p->size, 1));
    p->runs = op(to, IR_OP_SDIV, more, p->size);
    build_steps(s, to, p);
}

// The variable as C leaves it.
static void set_last(struct scan *s, struct ir_builder *to, const struct parts *p)
{
    if (scalars_live_after(s->loop, s->loop->loop->var)) {
        struct ir_inst *way = op_const(to, IR_OP_MUL, p->count, s->loop->loop->step);
        struct ir_inst *last = op(to, IR_OP_ADD, p->init, way);
        ir_set(to, s->loop->loop->var, emit_narrow(s, to, last));
    }
}

void scan_build(struct scan *s, struct loop_nest *nest)
{
    struct ir_inst *loop = s->loop;
    if (!has_memory_left(s)) {
        loop->loop->order = no_memory_text;
        return;
    }
    s->value_count = s->kernel->value_count;
    s->var_count = s->kernel->var_count;
    s->values = ARENA_ARRAY(s->module->arena, struct ir_inst *, s->value_count + 1);
    s->vars = ARENA_ARRAY(s->module->arena, struct ir_var *, s->var_count + 1);
    struct ir_region test = {.loc = loop->parent->loc};
    struct ir_builder to = {.module = s->module, .function = s->kernel, .region = &test, .loc = loop->loc};
    struct ir_inst *holds = NULL;
    if (!nest_build_test(nest, &to, &holds)) {
        return;
    }
    for (struct ir_inst *inst = test.first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        ir_move_before(inst, loop);
        inst = next;
    }
    to.region = loop->parent;
    to.before = loop;
    struct parts p = {0};
    struct ir_inst *are_many = emit_count(s, &to, &p);
    struct ir_inst *all = holds == NULL ? are_many : op(&to, IR_OP_AND, holds, are_many);
    struct ir_inst *choice = ir_control(&to, IR_OP_IF, all, 2);
    make_parts(s, &p);
    struct ir_builder in = to;
    in.region = &choice->regions[0];
    in.before = NULL;
    scan_read_memory(s, &in);
    if (s->module->is_gpu) {
        build_at_once(s, &in, &p);
    } else {
        build_rounds(s, &in, &p);
    }
    set_last(s, &in, &p);
    ir_remove(loop);
    ir_append(&choice->regions[1], loop);
    loop->loop->is_fallback = true;
}
