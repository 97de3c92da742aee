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
#include "passes/scan_build.h"

#include "analysis/scalars/scalars.h"
#include "ir/clone.h"
#include "ir/trip.h"

enum { RUNS_GPU = 1024, DEEP_RUNS_GPU = 256, SHORTEST_GPU = 512, RUNS_CPU = 128, RUN_SIZE = 8192, FEWEST = 32768 };
enum { DEEP_RUN_SIZE = 32, DEEP_FEWEST = 256 }; // where an iteration is a loop
enum { TEAM_RUNS = 2048, TEAM_STEP = 256, TEAM_SHORTEST = 512, TEAM_FEWEST = 64 };
enum { SHORT_RUNS = 8, SHORT_RUN_SIZE = 16, SHORT_FEWEST = 24 }; // tests: where it does not pay

struct ir_inst *scan_emit_op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, ir_op_is_compare(op) ? IR_I1 : x->type, x, y);
}

struct ir_inst *scan_emit_op_const(struct ir_builder *b, enum ir_op which, struct ir_inst *x, int64_t y)
{
    return scan_emit_op(b, which, x, ir_const(b, x->type, y));
}

struct ir_var *scan_make_var(struct scan *s, const char *name, enum ir_type type, struct ir_inst *scope)
{
    struct ir_var *var = ir_var_create(s->module, s->kernel, name, type);
    var->loc = s->loop->loc;
    var->scope = scope;
    return var;
}

// ---- how runs are cut ----------------------------------------------------------------------------------------------

int scan_runs_of(const struct scan *s)
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

int scan_fewest(const struct scan *s)
{
    return s->module->has_short_strips ? SHORT_FEWEST : s->has_teams ? TEAM_FEWEST : s->is_deep ? DEEP_FEWEST : FEWEST;
}

struct ir_inst *scan_loop_around(struct ir_inst *owner)
{
    while (owner != NULL && owner->op != IR_OP_FOR && owner->op != IR_OP_LOOP && owner->op != IR_OP_BLOCKS) {
        owner = owner->parent->owner;
    }
    return owner;
}

// ---- how many ------------------------------------------------------------------------------------------------------

static struct ir_inst *widened(struct ir_builder *b, struct ir_inst *value, bool is_unsigned)
{
    return value->type == IR_I64 ? value : ir_emit1(b, is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

// The trip count, in |out->count|. What is given back is false where it might not be right, and where there are few.
static struct ir_inst *emit_count(struct scan *s, struct ir_builder *b, struct scan_parts *out)
{
    const struct ir_trip trip = trip_of(s->loop->loop);
    struct ir_inst *bound = widened(b, s->loop->args[1], trip.is_unsigned);
    out->init = widened(b, s->loop->args[0], trip.is_unsigned);
    struct ir_inst *low = trip.rises ? out->init : bound, *high = trip.rises ? bound : out->init;
    struct ir_inst *distance = scan_emit_op(b, IR_OP_SUB, high, low);
    int64_t stride = (int64_t)trip.stride, more = trip.is_inclusive ? stride : stride - 1;
    out->count = more == 0 ? distance : scan_emit_op_const(b, IR_OP_ADD, distance, more);
    out->count = stride == 1 ? out->count : scan_emit_op_const(b, IR_OP_SDIV, out->count, stride);
    struct ir_inst *is_right = scan_emit_op_const(b, IR_OP_SGE, out->count, scan_fewest(s));
    if (trip.type == IR_I64) { // else it may wrap around
        const int64_t most = INT64_C(1) << 61;
        struct ir_inst *is_low = scan_emit_op_const(b, IR_OP_SGE, low, trip.is_unsigned ? 0 : -most);
        struct ir_inst *is_high = scan_emit_op_const(b, IR_OP_SLE, high, most);
        is_right = scan_emit_op(b, IR_OP_AND, is_right, scan_emit_op(b, IR_OP_AND, is_low, is_high));
    }
    int64_t most = INT64_MAX;
    for (int i = 0; i < s->carry_count && s->has_own; i++) {
        const struct scan_carry *carry = &s->carries[i];
        if (carry->is_counter && !carry->is_repeated && carry->var->type == IR_I32 && INT32_MAX / carry->most < most) {
            most = INT32_MAX / carry->most;
        }
    }
    bool is_few = trip.type == IR_I32 && most == INT32_MAX && !trip.is_unsigned;
    return is_few || most == INT64_MAX
               ? is_right
               : scan_emit_op(b, IR_OP_AND, is_right, scan_emit_op_const(b, IR_OP_SLE, out->count, most));
}

static struct ir_var *make_memory(struct scan *s, const char *name, enum ir_type type)
{
    struct ir_var *memory = scan_make_var(s, name, IR_VOID, scan_loop_around(s->loop->parent->owner));
    memory->is_memory = true;
    memory->align = 8;
    memory->size = (uint64_t)(scan_runs_of(s) * ir_type_size(type));
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
        size += (uint64_t)(scan_runs_of(s) * (s->has_teams ? 1 : MOST_PARTS) * ir_type_size(s->carries[i].var->type));
    }
    return size <= MOST_MEMORY;
}

static void make_parts(struct scan *s, struct scan_parts *p)
{
    for (int i = 0; i < s->carry_count; i++) {
        const struct scan_carry *carry = &s->carries[i];
        p->memory[i] = make_memory(s, ".parts", carry->var->type);
        p->factors[i] = carry->is_affine ? make_memory(s, ".factors", carry->var->type) : NULL;
        p->resets[i] = carry->has_reset ? make_memory(s, ".resets", IR_I32) : NULL;
        p->ends[i] = carry->is_flat ? make_memory(s, ".ends", carry->var->type) : NULL;
    }
}

static void build_rounds(struct scan *s, struct ir_builder *to, struct scan_parts *p)
{
    const int64_t run_size = run_size_of(s), most = scan_runs_of(s);
    struct ir_var *begin = scan_make_var(s, ".begin", IR_I64, scan_loop_around(s->loop->parent->owner));
    struct ir_inst *rounds = ir_emit_for(to, begin, ir_const(to, IR_I64, 0), p->count, IR_OP_SLT, most * run_size);
    rounds->loop->carries = true;
    struct ir_builder in = *to;
    in.region = &rounds->regions[0];
    p->scope = rounds;
    p->begin = ir_get(&in, begin);
    struct ir_inst *left = scan_emit_op(&in, IR_OP_SUB, p->count, p->begin);
    left = scan_emit_op_const(&in, IR_OP_ADD, left, run_size - 1);
    struct ir_inst *runs = scan_emit_op_const(&in, IR_OP_SDIV, left, run_size);
    p->runs = scan_emit_op_const(&in, IR_OP_SMIN, runs, most);
    p->size = ir_const(&in, IR_I64, run_size);
    scan_build_steps(s, &in, p);
}

static void build_at_once(struct scan *s, struct ir_builder *to, struct scan_parts *p)
{
    p->scope = scan_loop_around(s->loop->parent->owner);
    p->begin = ir_const(to, IR_I64, 0);
    const int64_t runs = scan_runs_of(s);
    struct ir_inst *size =
        scan_emit_op_const(to, IR_OP_SDIV, scan_emit_op_const(to, IR_OP_ADD, p->count, runs - 1), runs);
    if (s->has_teams && !s->is_deep) { // whole rows, which begin where arrays are aligned
        size = scan_emit_op_const(to, IR_OP_ADD, size, TEAM_STEP - 1);
        size = scan_emit_op_const(to, IR_OP_MUL, scan_emit_op_const(to, IR_OP_SDIV, size, TEAM_STEP), TEAM_STEP);
    }
    p->size = scan_emit_op_const(to, IR_OP_SMAX, size, s->is_deep ? 1 : s->has_teams ? TEAM_SHORTEST : SHORTEST_GPU);
    struct ir_inst *more = scan_emit_op(to, IR_OP_ADD, p->count, scan_emit_op_const(to, IR_OP_SUB, p->size, 1));
    p->runs = scan_emit_op(to, IR_OP_SDIV, more, p->size);
    scan_build_steps(s, to, p);
}

// The variable as C leaves it.
static void set_last(struct scan *s, struct ir_builder *to, const struct scan_parts *p)
{
    if (scalars_live_after(s->loop, s->loop->loop->var)) {
        struct ir_inst *way = scan_emit_op_const(to, IR_OP_MUL, p->count, s->loop->loop->step);
        struct ir_inst *last = scan_emit_op(to, IR_OP_ADD, p->init, way);
        ir_set(to, s->loop->loop->var, scan_emit_narrow(s, to, last));
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
    struct scan_parts p = {0};
    struct ir_inst *are_many = emit_count(s, &to, &p);
    struct ir_inst *all = holds == NULL ? are_many : scan_emit_op(&to, IR_OP_AND, holds, are_many);
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
    loop->loop->few = scan_fewest(s);
}
