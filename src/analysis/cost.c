// Trip counts, and how much work an iteration is: simple operations, with the trip counts of inner loops multiplied in.
#include "analysis/analyse.h"
#include "analysis/effects/effects.h"
#include "analysis/values/slice.h"
#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>

enum {
    COST_LOAD = 2,
    COST_UPDATE = 5, // that is not atomic
    COST_DIVIDE = 8,
    COST_MATH = 20,
    COST_ATOMIC = 20,
    COST_PRINT = 2000,
    COST_MARK = 12, // marking a place and looking at the mark
    COST_UNKNOWN_TRIP = 16,
    LANES = 8, // iterations that a vector takes at once
};

int64_t cost_of_inst(const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_CONST:
    case IR_OP_FCONST:
    case IR_OP_PARAM:
    case IR_OP_GET:
    case IR_OP_SET:
    case IR_OP_ADDR_VAR:
    case IR_OP_ADDR_GLOBAL:
    case IR_OP_SEXT:
    case IR_OP_ZEXT:
    case IR_OP_OFFSET:
    case IR_OP_BREAK:
    case IR_OP_YIELD: return 0;
    case IR_OP_LOAD:
    case IR_OP_STORE: return COST_LOAD;
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_SREM:
    case IR_OP_UREM:
    case IR_OP_FDIV: return COST_DIVIDE;
    case IR_OP_MATH: return COST_MATH;
    case IR_OP_UPDATE:
    case IR_OP_ATOMIC:
    case IR_OP_CAS: return COST_ATOMIC;
    case IR_OP_CALL:
    case IR_OP_COPY:
    case IR_OP_FILL:
    case IR_OP_COMPARE: return 100;
    case IR_OP_PRINT: return COST_PRINT;
    default: return 1;
    }
}

// What is counted: an iteration of |info|, with its updates atomic or plain.
struct costing {
    struct analysis *an;
    const struct loop_info *info;
    bool is_plain;
    bool has_guess;            // set: a trip count in it is not known
    const struct slice *slice; // only this, and the marks at the places it makes; NULL: all
};

static struct plan_expr *cost_of_region(struct costing *c, const struct ir_region *region);

// The end itself, and, if it is a smallest (|op|) or largest value with something added, what it is by one of the two.
static int ends_of(struct analysis *an, const struct poly *end, enum ir_op op, const struct poly *out[3])
{
    out[0] = end;
    for (int i = 0; end != NULL && i < end->count; i++) {
        const struct poly_term *term = &end->terms[i];
        const struct atom *atom = term->degree == 1 ? atom_of(an, term->ids[0]) : NULL;
        if (atom != NULL && atom->kind == ATOM_OP && atom->op == op && term->coef == 1) {
            out[1] = poly_replace(&an->pool, end, term->ids[0], atom->a);
            out[2] = poly_replace(&an->pool, end, term->ids[0], atom->b);
            return 3;
        }
    }
    return 1;
}

// A loop over a block, from k to min(k + 64, n): the block's length. NULL: it is none.
static struct plan_expr *block_trip(struct analysis *an, const struct loop_info *inner)
{
    const struct poly *firsts[3], *lasts[3];
    int first_count = ends_of(an, inner->first, IR_OP_SMAX, firsts);
    int last_count = ends_of(an, inner->last, IR_OP_SMIN, lasts);
    int64_t least = INT64_MAX, way, step = inner->inst->loop->step;
    for (int i = 0; i < first_count; i++) {
        for (int k = 0; k < last_count; k++) {
            const struct poly *length = poly_sub(&an->pool, lasts[k], firsts[i]);
            if (length != NULL && poly_is_const(length, &way) && way >= 0 && way < least) {
                least = way;
            }
        }
    }
    return least == INT64_MAX || step == INT64_MIN ? NULL : plan_const(an->arena, IR_I64, least / llabs(step) + 1);
}

// The inner loop's trip count as seen at the outer loop's entry: with the outer variables in the middle of their range.
static struct plan_expr *inner_trip(struct costing *c, const struct ir_inst *inst)
{
    struct analysis *an = c->an;
    const struct loop_info *info = c->info;
    for (int i = 0; i < an->loops.count; i++) {
        const struct loop_info *inner = an->loops.items[i];
        if (inner->inst != inst || !inner->is_kernel_loop || inner->last == NULL) {
            continue;
        }
        const struct poly *way = poly_sub(&an->pool, inner->last, inner->first);
        const struct poly *low, *high;
        if (way == NULL || !value_extremes(an, way, info, &low, &high)) {
            return block_trip(an, inner);
        }
        struct plan_expr *sum = plan_op(an->arena, IR_OP_ADD, IR_I64, IR_I64, value_expr(an, low, &info->entry),
                                        value_expr(an, high, &info->entry));
        int64_t step = inst->loop->step;
        step = step == INT64_MIN ? INT64_MAX : step < 0 ? -step : step;
        int64_t divisor = step < INT64_MAX / 2 ? 2 * step : step;
        struct plan_expr *middle =
            poly_equal(low, high)
                ? plan_op(an->arena, IR_OP_SDIV, IR_I64, IR_I64, value_expr(an, low, &info->entry),
                          plan_const(an->arena, IR_I64, step))
                : plan_op(an->arena, IR_OP_SDIV, IR_I64, IR_I64, sum, plan_const(an->arena, IR_I64, divisor));
        middle = plan_op(an->arena, IR_OP_ADD, IR_I64, IR_I64, middle, plan_const(an->arena, IR_I64, 1));
        return plan_op(an->arena, IR_OP_SMAX, IR_I64, IR_I64, middle, plan_const(an->arena, IR_I64, 0));
    }
    return NULL;
}

static bool is_no_loop(struct ir_inst *inst, void *loop)
{
    return inst == loop || (inst->op != IR_OP_FOR && inst->op != IR_OP_LOOP && inst->op != IR_OP_CFG);
}

// Without atomics an innermost loop that is independent runs over vectors, once it is long enough: a good many times
// faster than updates one by one, which is what counts where the two are compared.
static struct plan_expr *vector_trip(struct costing *c, const struct ir_inst *inst, struct plan_expr *trip)
{
    const struct loop_facts *facts = inst->loop->analysis;
    struct ir_inst *loop = (struct ir_inst *)inst; // walked, not changed
    if (!c->is_plain || inst->loop->verdict != IR_VERDICT_PROVEN || facts == NULL || facts->independent_by_updates ||
        !walk_inst(loop, is_no_loop, loop)) {
        return trip;
    }
    struct arena *arena = c->an->arena;
    struct plan_expr *vectors = plan_op(arena, IR_OP_SDIV, IR_I64, IR_I64, trip, plan_const(arena, IR_I64, LANES));
    vectors = plan_op(arena, IR_OP_ADD, IR_I64, IR_I64, vectors, plan_const(arena, IR_I64, LANES - 1));
    return plan_op(arena, IR_OP_SMIN, IR_I64, IR_I64, trip, vectors);
}

static struct plan_expr *cost_of_nested(struct costing *c, const struct ir_inst *inst)
{
    struct arena *arena = c->an->arena;
    struct plan_expr *sum = plan_const(arena, IR_I64, 1);
    for (int i = 0; i < inst->region_count; i++) {
        struct plan_expr *body = cost_of_region(c, &inst->regions[i]);
        if (inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP) {
            struct plan_expr *trip = inst->op == IR_OP_FOR ? inner_trip(c, inst) : NULL;
            c->has_guess |= trip == NULL;
            trip = trip != NULL ? trip : plan_const(arena, IR_I64, COST_UNKNOWN_TRIP);
            trip = inst->op == IR_OP_FOR ? vector_trip(c, inst, trip) : trip;
            body = plan_op(arena, IR_OP_MUL, IR_I64, IR_I64, body, trip);
        }
        sum = plan_op(arena, IR_OP_ADD, IR_I64, IR_I64, sum, body);
    }
    return sum;
}

static int64_t cost_here(const struct costing *c, const struct ir_inst *inst)
{
    int64_t cost = c->is_plain && inst->op == IR_OP_UPDATE ? COST_UPDATE : cost_of_inst(inst);
    if (c->slice == NULL) {
        return cost;
    }
    int64_t mark = pointer_map_get(&c->slice->stores, inst) != NULL ? COST_MARK : 0;
    return mark + (slice_has(c->slice, inst) ? cost : 0);
}

static struct plan_expr *cost_of_region(struct costing *c, const struct ir_region *region)
{
    struct arena *arena = c->an->arena;
    int64_t count = 0;
    struct plan_expr *sum = plan_const(arena, IR_I64, 0);
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        count += cost_here(c, inst);
        if (inst->region_count > 0 && (c->slice == NULL || slice_has(c->slice, inst))) {
            sum = plan_op(arena, IR_OP_ADD, IR_I64, IR_I64, sum, cost_of_nested(c, inst));
        }
    }
    return plan_op(arena, IR_OP_ADD, IR_I64, IR_I64, sum, plan_const(arena, IR_I64, count));
}

void cost_fill(struct analysis *an, struct loop_info *info, struct loop_facts *facts)
{
    assert(info->inst->op == IR_OP_FOR);
    const struct ir_inst *inst = info->inst;
    struct costing costing = {.an = an, .info = info};
    facts->cost = cost_of_region(&costing, &inst->regions[0]);
    facts->plain_cost = facts->cost;
    if (facts->independent_by_updates) {
        costing.is_plain = true;
        facts->plain_cost = cost_of_region(&costing, &inst->regions[0]);
    }
    if (facts->scatter_count > 0) {
        struct costing marks = {.an = an, .info = info, .slice = facts->slice};
        facts->mark_cost = cost_of_region(&marks, &inst->regions[0]);
    }
    struct plan_expr *init = expr_of_value(an->arena, inst->args[0]);
    struct plan_expr *bound = expr_of_value(an->arena, inst->args[1]);
    if (init == NULL || bound == NULL) {
        return;
    }
    facts->trip = plan_trip(an->arena, inst->loop, init, bound);
}

// For costs inside |outer|; of a loop that was made of several, by the analysis of that.
static bool begin_inside(struct costing *c, const struct ir_function *kernel, const struct ir_inst *outer)
{
    const struct loop_facts *facts = outer->loop->analysis;
    *c = (struct costing){.an = facts != NULL ? facts->analysis : kernel->analysis};
    for (int i = 0; i < c->an->loops.count; i++) {
        const struct loop_info *info = c->an->loops.items[i];
        if (info->inst == outer && info->is_kernel_loop) {
            c->info = info;
        }
    }
    return c->info != NULL;
}

struct plan_expr *facts_work_inside(const struct ir_function *kernel, const struct ir_inst *outer,
                                    const struct ir_inst *inner)
{
    assert(outer->op == IR_OP_FOR && inner->op == IR_OP_FOR);
    struct costing costing;
    struct plan_expr *work = begin_inside(&costing, kernel, outer) ? cost_of_nested(&costing, inner) : NULL;
    return costing.has_guess ? NULL : work;
}

struct plan_expr *facts_trips_inside(const struct ir_function *kernel, const struct ir_inst *outer,
                                     const struct ir_inst *inner)
{
    struct costing costing;
    return begin_inside(&costing, kernel, outer) ? inner_trip(&costing, inner) : NULL;
}
