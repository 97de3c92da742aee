// The body of a task for a nest of loops: the iteration's number is taken apart into each loop's own.
#include "offload/outline.h"

#include "ir/invariant.h"
#include "ir/trip.h"

#include <assert.h>

static struct ir_inst *number(struct outline *out, int64_t value)
{
    return ir_const(&out->prologue, IR_I64, value);
}

// ---- trip counts
// ---------------------------------------------------------------------------------------------------

static struct ir_inst *widened(struct ir_builder *b, struct ir_inst *value, bool is_unsigned)
{
    return value->type == IR_I64 ? value : ir_emit1(b, is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

// As struct ir_trip says. The distance less one is divided, for which 64 unsigned bits are enough.
static struct ir_inst *trips(struct outline *out, struct ir_trip trip, struct ir_inst *first, struct ir_inst *bound,
                             struct ir_builder *b)
{
    struct ir_inst *from = trip.rises ? first : bound;
    struct ir_inst *to = trip.rises ? bound : first;
    assert(!trip.is_endless && (!trip.is_around || trip.stride == 1)); // a canonical loop's
    if (trip.is_around) {
        return widened(b, ir_emit2(b, IR_OP_SUB, first->type, to, from), true);
    }
    from = widened(b, from, trip.is_unsigned);
    to = widened(b, to, trip.is_unsigned);
    struct ir_inst *way = ir_emit2(b, IR_OP_SUB, IR_I64, to, from);
    way = ir_emit2(b, IR_OP_SUB, IR_I64, way, number(out, !trip.is_inclusive));
    struct ir_inst *rounds = ir_emit2(b, IR_OP_UDIV, IR_I64, way, number(out, (int64_t)trip.stride));
    rounds = ir_emit2(b, IR_OP_ADD, IR_I64, rounds, number(out, 1));
    struct ir_inst *runs = ir_emit2(b, trip.compare, IR_I1, first, bound);
    struct ir_inst *choice[3] = {runs, rounds, number(out, 0)};
    return ir_emit(b, IR_OP_SELECT, IR_I64, 3, choice);
}

// The expression as code of the prologue; nest.c has seen that this can be done.
static struct ir_inst *computed(struct outline *out, const struct plan_expr *expr)
{
    struct ir_builder *b = &out->prologue;
    struct ir_inst *args[3];
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        return ir_type_is_float(expr->type) ? ir_fconst(b, expr->type, expr->fimm) : ir_const(b, expr->type, expr->imm);
    case PLAN_EXPR_PARAM: {
        struct ir_inst *param = ir_emit0(b, IR_OP_PARAM, expr->type);
        param->imm = expr->index;
        return param;
    }
    case PLAN_EXPR_VAR: return ir_get(b, outline_var(out, out->o->kernel->vars[expr->index]));
    case PLAN_EXPR_TRIP: {
        struct ir_inst *first = computed(out, expr->args[0]);
        return trips(out, plan_trip_of(expr), first, computed(out, expr->args[1]), b);
    }
    default:
        for (int i = 0; i < expr->arg_count; i++) {
            args[i] = computed(out, expr->args[i]);
        }
        return ir_emit(b, expr->op, expr->type, expr->arg_count, args);
    }
}

// ---- the body
// ------------------------------------------------------------------------------------------------------

static struct ir_inst *import_var(struct outline *out, struct ir_var *var)
{
    return ir_get(&out->prologue, outline_var(out, var));
}

// One strip of the innermost loop: a loop over iteration numbers.
static void add_strip(struct outline *out, const struct nest *nest, struct ir_inst *strip, struct ir_inst *count)
{
    struct ir_builder *b = &out->body;
    const struct ir_inst *loop = nest->loops[nest->count - 1];
    struct ir_inst *size = nest->is_flexible ? import_var(out, nest->strip_size) : number(out, nest->strip);
    struct ir_inst *first = ir_emit2(b, IR_OP_MUL, IR_I64, strip, size);
    struct ir_inst *end = ir_emit2(b, IR_OP_SMIN, IR_I64, ir_emit2(b, IR_OP_ADD, IR_I64, first, size), count);
    struct ir_var *at = ir_var_create(out->o->module, out->function, ".at", IR_I64);
    struct ir_inst *clone = ir_emit_for(b, at, first, end, IR_OP_SLT, 1);
    outline_clone_loop(out, loop, clone);
    clone->loop->var = at;
    clone->loop->compare = IR_OP_SLT;
    clone->loop->step = 1;
    struct ir_builder inner = *b;
    inner.region = &clone->regions[0];
    outline_loop_variable(out, loop, ir_get(&inner, at), &inner);
    outline_region(out, &loop->regions[0], &inner);
}

// From the loop of the last digit on. |counts| are the trip counts of the loops.
static void split_iteration(struct outline *out, const struct nest *nest, struct ir_inst *const *counts,
                            struct ir_inst **own)
{
    int last = nest->count - 1;
    struct ir_inst *sizes[NEST_MOST];
    for (int i = 1; i <= last; i++) {
        sizes[i - 1] = counts[nest->order[i]];
    }
    if (nest->strip > 1) {
        assert(nest->order[last] == last);
        struct ir_inst *most = ir_emit2(&out->prologue, IR_OP_ADD, IR_I64, counts[last], number(out, nest->strip - 1));
        sizes[last - 1] = ir_emit2(&out->prologue, IR_OP_UDIV, IR_I64, most, number(out, nest->strip));
    }
    for (int i = last; i >= 0; i--) {
        struct ir_inst *digit = ir_emit(&out->body, IR_OP_NEST_ITER, IR_I64, last, sizes);
        digit->imm = i;
        own[nest->order[i]] = digit;
    }
}

// The same for two loops, without a division where the whole inner loop is one strip.
static void split_flexible(struct outline *out, const struct nest *nest, struct ir_inst **own)
{
    struct ir_builder *b = &out->body;
    struct ir_inst *iter = ir_emit0(b, IR_OP_ITER, IR_I64);
    struct ir_inst *count = import_var(out, nest->strip_count);
    struct ir_inst *is_cut = ir_emit2(&out->prologue, IR_OP_NE, IR_I1, count, number(out, 1));
    struct ir_var *row = ir_var_create(out->o->module, out->function, ".row", IR_I64);
    struct ir_var *strip = ir_var_create(out->o->module, out->function, ".strip", IR_I64);
    ir_set(b, row, iter);
    ir_set(b, strip, ir_const(b, IR_I64, 0));
    struct ir_builder then = *b;
    then.region = &ir_control(b, IR_OP_IF, is_cut, 2)->regions[0];
    ir_set(&then, row, ir_emit2(&then, IR_OP_UDIV, IR_I64, iter, count));
    ir_set(&then, strip, ir_emit2(&then, IR_OP_UREM, IR_I64, iter, count));
    own[0] = ir_get(b, row);
    own[1] = ir_get(b, strip);
}

// Whether the value is the same in all iterations: made of nothing but parameters and constants.
static bool is_invariant(const struct ir_inst *value, const struct ir_function *task, int depth)
{
    bool is_made = depth > 0 && value->arg_count > 0 && ir_op_is_pure(value->op) && value->op != IR_OP_NEST_ITER;
    for (int i = 0; i < value->arg_count && is_made; i++) {
        is_made = is_invariant(value->args[i], task, depth - 1);
    }
    return is_made || invariant_in_task(value, task);
}

// Whether rows of different lengths end at the same number: on a GPU such a row is counted from its end, so that what
// neighbouring rows do in the same column has the same number, and reads the same elements.
static bool ends_as_others(const struct outline *out, const struct ir_inst *loop, const struct ir_inst *bound)
{
    const struct ir_for *canonical = loop->loop;
    return out->o->module->is_gpu && canonical->step == 1 && canonical->var->type == IR_I32 &&
           (canonical->compare == IR_OP_SLT || canonical->compare == IR_OP_SLE) &&
           is_invariant(bound, out->function, 4);
}

// The code of an iteration that its row has: nothing if the row ends before the number |own|. |longest| is the length
// of the longest row; |out_at|, if the row is counted from its end, the value of the loop's variable, else NULL.
static struct ir_builder in_row(struct outline *out, const struct ir_inst *loop, struct ir_inst *own,
                                struct ir_inst *longest, struct ir_builder *b, struct ir_inst **out_at)
{
    struct ir_inst *first = outline_value(out, loop->args[0]);
    struct ir_inst *bound = outline_value(out, loop->args[1]);
    struct ir_inst *is_in;
    *out_at = NULL;
    if (ends_as_others(out, loop, bound)) {
        struct ir_inst *end = widened(b, bound, false);
        end = ir_emit2(b, IR_OP_ADD, IR_I64, end, number(out, loop->loop->compare == IR_OP_SLE));
        *out_at = ir_emit2(b, IR_OP_ADD, IR_I64, ir_emit2(b, IR_OP_SUB, IR_I64, end, longest), own);
        (*out_at)->no_wrap = true;
        is_in = ir_emit2(b, IR_OP_SGE, IR_I1, *out_at, widened(b, first, false));
    } else {
        is_in = ir_emit2(b, IR_OP_ULT, IR_I1, own, trips(out, trip_of(loop->loop), first, bound, b));
    }
    struct ir_builder inner = *b;
    inner.region = &ir_control(b, IR_OP_IF, is_in, 2)->regions[0];
    if (*out_at != NULL) {
        *out_at = ir_emit1(&inner, IR_OP_TRUNC, IR_I32, *out_at);
        (*out_at)->no_wrap = true;
    }
    return inner;
}

static void set_variable(struct outline *out, const struct ir_inst *loop, struct ir_inst *own, struct ir_inst *at,
                         struct ir_builder *b)
{
    if (at != NULL) {
        ir_set(b, outline_var(out, loop->loop->var), at);
    } else {
        outline_loop_variable(out, loop, own, b);
    }
}

// What stands between the loops is done again for each iteration of the task.
void outline_nest(struct outline *out, const struct nest *nest)
{
    assert(nest->is_found && out->is_parallel);
    struct ir_builder *b = &out->body;
    struct ir_builder row; // in the condition that an iteration is in its row
    struct ir_inst *own[NEST_MOST];
    struct ir_inst *counts[NEST_MOST];
    struct ir_inst *at = NULL; // the next loop's variable
    if (nest->is_flexible) {
        counts[1] = import_var(out, nest->trip_count);
        split_flexible(out, nest, own);
    } else {
        for (int i = nest->order[0] == 0; i < nest->count; i++) {
            counts[i] = computed(out, nest->trips[i]);
        }
        split_iteration(out, nest, counts, own);
    }
    for (int i = 0; i < nest->count - 1; i++) {
        set_variable(out, nest->loops[i], own[i], at, b);
        at = NULL;
        const struct ir_inst *inst = nest->loops[i]->regions[0].first;
        for (; inst != NULL && inst != nest->loops[i + 1]; inst = inst->next) {
            outline_inst(out, inst, b);
        }
        if (nest->has_rows[i + 1]) {
            row = in_row(out, nest->loops[i + 1], own[i + 1], counts[i + 1], b, &at);
            b = &row;
        }
    }
    int last = nest->count - 1;
    if (nest->strip > 1 || nest->is_flexible) {
        add_strip(out, nest, own[last], counts[last]);
        return;
    }
    set_variable(out, nest->loops[last], own[last], at, b);
    outline_region(out, &nest->loops[last]->regions[0], b);
}
