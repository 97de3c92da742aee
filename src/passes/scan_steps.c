// The three steps of a scan, which the head of scan_build.c shows.
#include "passes/scan_build.h"

#include "analysis/scalars/scalars.h"
#include "ir/clone.h"
#include "ir/trip.h"

#include <assert.h>
#include <string.h>

enum { LANES = 4 };

// |first|: NULL is 0.
static struct ir_inst *make_runs(struct scan *s, struct ir_builder *to, const struct scan_parts *p,
                                 struct ir_inst *first, struct ir_var **out_run)
{
    *out_run = scan_make_var(s, ".run", IR_I64, p->scope);
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
    struct ir_inst *extent = ir_const(to, IR_I64, scan_runs_of(s));
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

struct ir_inst *scan_emit_narrow(struct scan *s, struct ir_builder *to, struct ir_inst *wide)
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
static void set_counter(struct ir_builder *to, const struct scan_parts *p, struct ir_inst *at, struct scan_body *out)
{
    struct scan *s = out->s;
    int64_t step = s->loop->loop->step;
    bool is_zero = s->loop->args[0]->op == IR_OP_CONST && s->loop->args[0]->imm == 0;
    struct ir_inst *way = step == 1 ? at : scan_emit_op_const(to, IR_OP_MUL, at, step);
    out->wide = is_zero ? way : scan_emit_op(to, IR_OP_ADD, p->init, way);
    out->counter = scan_emit_narrow(s, to, out->wide);
}

// What the run |run| begins with, |before| the loop over its iterations, which |body| is for.
static void begin_run(struct scan *s, struct ir_builder before, const struct scan_parts *p, struct ir_inst *run,
                      struct scan_body *body)
{
    struct ir_inst *inner = before.before;
    scan_copy_vars(s, scan_loop_around(inner->parent->owner), inner, body->is_ahead);
    for (int i = 0; i < s->carry_count; i++) {
        enum ir_type type = s->carries[i].var->type;
        struct ir_inst *first =
            body->is_ahead ? emit_identity(&before, &s->carries[i]) : emit_load(s, &before, p->memory[i], type, run);
        ir_set(&before, s->vars[s->carries[i].var->index], first);
        if (!body->is_ahead && p->ends[i] != NULL) {
            body->ends[i] = emit_load(s, &before, p->ends[i], type, run);
        }
        if (body->is_ahead && p->factors[i] != NULL) {
            body->factors[i] = scan_make_var(s, ".factor", type, scan_loop_around(inner->parent->owner));
            bool is_float = ir_type_is_float(type);
            ir_set(&before, body->factors[i], is_float ? ir_fconst(&before, type, 1) : ir_const(&before, type, 1));
        }
        if (body->is_ahead && p->resets[i] != NULL) {
            body->resets[i] = scan_make_var(s, ".reset", IR_I32, scan_loop_around(inner->parent->owner));
            ir_set(&before, body->resets[i], ir_const(&before, IR_I32, 0));
        }
    }
    memset(s->values, 0, sizeof *s->values * (size_t)s->value_count);
}

static void end_run(struct scan *s, struct ir_builder *in, const struct scan_parts *p, struct ir_inst *run,
                    const struct scan_body *body)
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
static void build_run(struct scan *s, struct ir_builder *in, const struct scan_parts *p, struct ir_inst *run,
                      const struct scan_carry *from, struct scan_body *body)
{
    struct ir_inst *low = scan_emit_op(in, IR_OP_MUL, run, p->size);
    low = scan_emit_op(in, IR_OP_ADD, p->begin, low);
    struct ir_inst *high = scan_emit_op(in, IR_OP_ADD, low, p->size);
    high = scan_emit_op(in, IR_OP_SMIN, high, p->count);
    struct ir_var *at = scan_make_var(s, ".at", IR_I64, scan_loop_around(in->region->owner));
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
    scan_copy_region(body, &s->loop->regions[0], to);
    clone_forget(s->kernel);
}

static struct ir_inst *build_runs(struct scan *s, struct ir_builder *to, const struct scan_parts *p,
                                  struct ir_inst *first, bool is_ahead)
{
    struct ir_var *run_var;
    struct ir_inst *outer = make_runs(s, to, p, first, &run_var);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *run = ir_get(&in, run_var);
    struct scan_body body = {.s = s, .is_ahead = is_ahead, .number = s->made};
    build_run(s, &in, p, run, NULL, &body);
    end_run(s, &in, p, run, &body);
    return outer;
}

// ---- the third step of a team
// ----------------------------------------------------------------------------------------

// The variable gets what is in the first |end| parts of the carry.
static void fold_parts(struct scan *s, struct ir_builder *to, const struct scan_parts *p, int carry, struct ir_var *var,
                       struct ir_inst *end)
{
    enum ir_type type = s->carries[carry].var->type;
    struct ir_var *at = scan_make_var(s, ".before", IR_I64, scan_loop_around(to->region->owner));
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
static void build_iteration(struct scan *s, struct ir_builder in, const struct scan_parts *p, struct ir_inst *number,
                            struct ir_var **handed)
{
    struct ir_inst *loop = in.region->owner, *own[SCAN_CARRIES], *before[SCAN_CARRIES];
    struct scan_body body = {.s = s, .is_ahead = true, .number = s->made};
    scan_copy_vars(s, loop, loop, true);
    for (int i = 0; i < s->carry_count; i++) {
        ir_set(&in, s->vars[s->carries[i].var->index], emit_identity(&in, &s->carries[i]));
    }
    set_counter(&in, p, number, &body);
    scan_copy_region(&body, &s->loop->regions[0], in);
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
    scan_copy_vars(s, loop, loop, false);
    for (int i = 0; i < s->carry_count; i++) {
        ir_set(&in, s->vars[s->carries[i].var->index], before[i]);
    }
    body.is_ahead = false;
    body.is_behind = true;
    scan_copy_region(&body, &s->loop->regions[0], in);
    clone_forget(s->kernel);
}

static struct ir_inst *build_team_runs(struct scan *s, struct ir_builder *to, const struct scan_parts *p)
{
    struct ir_var *run_var, *handed[SCAN_CARRIES];
    struct ir_inst *outer = make_runs(s, to, p, NULL, &run_var);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *run = ir_get(&in, run_var);
    for (int i = 0; i < s->carry_count; i++) {
        struct ir_var *var = s->carries[i].var;
        handed[i] = scan_make_var(s, var->name, var->type, outer);
        ir_set(&in, handed[i], ir_get(&in, var));
        fold_parts(s, &in, p, i, handed[i], run);
    }
    struct ir_inst *low = scan_emit_op(&in, IR_OP_MUL, run, p->size);
    struct ir_inst *high = scan_emit_op(&in, IR_OP_SMIN, scan_emit_op(&in, IR_OP_ADD, low, p->size), p->count);
    struct ir_var *at = scan_make_var(s, ".at", IR_I64, outer);
    struct ir_inst *inner = ir_emit_for(&in, at, low, high, IR_OP_SLT, 1);
    inner->loop->scan = IR_SCAN_HANDS_ON;
    in.region = &inner->regions[0];
    build_iteration(s, in, p, ir_get(&in, at), handed);
    return outer;
}

// LANES runs at a time, all of them whole: an iteration of each in turn, so that they do not wait for each other.
static struct ir_inst *build_lanes(struct scan *s, struct ir_builder *to, const struct scan_parts *p,
                                   struct ir_inst *groups)
{
    struct ir_var *group_var = scan_make_var(s, ".group", IR_I64, p->scope);
    to->loc = s->loop->loc;
    struct ir_inst *zero = ir_const(to, IR_I64, 0);
    struct ir_inst *outer = ir_emit_for(to, group_var, zero, groups, IR_OP_SLT, 1);
    struct ir_builder in = *to;
    in.region = &outer->regions[0];
    in.before = NULL;
    struct ir_inst *first = scan_emit_op_const(&in, IR_OP_MUL, ir_get(&in, group_var), LANES);
    struct ir_var *at = scan_make_var(s, ".at", IR_I64, outer);
    struct ir_inst *inner = ir_emit_for(&in, at, zero, p->size, IR_OP_SLT, 1);
    struct ir_builder body_to = in, before = in;
    body_to.region = &inner->regions[0];
    before.before = inner;
    for (int lane = 0; lane < LANES; lane++) {
        struct ir_inst *run = lane == 0 ? first : scan_emit_op_const(&before, IR_OP_ADD, first, lane);
        struct ir_inst *low = scan_emit_op(&before, IR_OP_MUL, run, p->size);
        low = scan_emit_op(&before, IR_OP_ADD, p->begin, low);
        struct scan_body body = {.s = s, .number = s->made};
        begin_run(s, before, p, run, &body);
        struct ir_inst *number = scan_emit_op(&body_to, IR_OP_ADD, low, ir_get(&body_to, at));
        set_counter(&body_to, p, number, &body);
        scan_copy_region(&body, &s->loop->regions[0], body_to);
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
static void build_affine(struct scan *s, struct ir_builder in, const struct scan_parts *p, struct ir_inst *run,
                         int carry)
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
        struct ir_inst *branch = ir_control(&in, IR_OP_IF, scan_emit_op(&in, IR_OP_AND, is_small, is_number), 2);
        struct ir_builder otherwise = in;
        then.region = &branch->regions[0];
        otherwise.region = &branch->regions[1];
        struct scan_body body = {.s = s, .is_ahead = true, .number = s->made};
        build_run(s, &otherwise, p, run, &s->carries[carry], &body);
        ir_set(&otherwise, var, ir_get(&otherwise, s->vars[var->index]));
    }
    struct ir_inst *product = ir_emit2(&then, is_float ? IR_OP_FMUL : IR_OP_MUL, var->type, factor, before);
    ir_set(&then, var, ir_emit2(&then, is_float ? IR_OP_FADD : IR_OP_ADD, var->type, product, summand));
}

static void build_middle(struct scan *s, struct ir_builder *to, const struct scan_parts *p)
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
            struct ir_inst *branch = ir_control(&in, IR_OP_IF, scan_emit_op_const(&in, IR_OP_NE, is_set, 0), 2);
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

void scan_build_steps(struct scan *s, struct ir_builder *to, const struct scan_parts *p)
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
        struct ir_inst *groups = scan_emit_op(to, IR_OP_SUB, p->count, p->begin);
        groups = scan_emit_op(to, IR_OP_SDIV, groups, p->size);
        groups = scan_emit_op_const(to, IR_OP_SDIV, scan_emit_op(to, IR_OP_SMIN, groups, p->runs), LANES);
        build_lanes(s, to, p, groups)->loop->order = scan_text;
        first = scan_emit_op_const(to, IR_OP_MUL, groups, LANES);
    }
    struct ir_for *last = build_runs(s, to, p, first, false)->loop;
    last->runs = s->has_own ? s->made : 0;
    last->order = s->has_own ? list_text : scan_text;
}
