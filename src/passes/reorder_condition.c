// What the launch tests before it takes the new order of a nest: that arguments do not overlap, and that indices and
// bounds are what they seem.
#include "analysis/effects/effects.h"
#include "passes/reorder_nest.h"

#include <assert.h>

enum { EDGES = 4 };

// What is touched of one argument: from the least of the lows to before the greatest of the highs.
struct footprint {
    const struct poly *lows[EDGES];
    int low_count;
    const struct poly *highs[EDGES];
    int high_count;
};

// ---- expressions ---------------------------------------------------------------------------------------------------

static struct ir_inst *emit_leaf(struct ir_builder *to, struct ir_function *kernel, const struct plan_expr *expr)
{
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        return ir_type_is_float(expr->type) ? ir_fconst(to, expr->type, expr->fimm)
                                            : ir_const(to, expr->type, expr->imm);
    case PLAN_EXPR_PARAM: {
        if (kernel->params[expr->index].is_struct) {
            return NULL;
        }
        struct ir_inst *param = ir_emit0(to, IR_OP_PARAM, expr->type);
        param->imm = expr->index;
        return param;
    }
    case PLAN_EXPR_VAR: return ir_get(to, kernel->vars[expr->index]);
    default: return NULL;
    }
}

struct ir_inst *nest_emit_expr(struct ir_builder *to, struct ir_function *kernel, const struct plan_expr *expr)
{
    if (expr == NULL || expr->kind != PLAN_EXPR_OP) {
        return expr == NULL ? NULL : emit_leaf(to, kernel, expr);
    }
    struct ir_inst *args[3] = {0};
    assert(expr->arg_count <= 3);
    for (int i = 0; i < expr->arg_count; i++) {
        args[i] = nest_emit_expr(to, kernel, expr->args[i]);
        if (args[i] == NULL) {
            return NULL;
        }
    }
    return ir_emit(to, expr->op, expr->type, expr->arg_count, args);
}

// ---- footprints ----------------------------------------------------------------------------------------------------

// Only edges of which none is known to be outside the others are kept. False: there are too many.
static bool add_edge(struct loop_nest *nest, const struct poly **edges, int *count, const struct poly *edge,
                     bool is_low)
{
    struct analysis *an = nest->an;
    const struct guard *guards = nest->root->guards;
    for (int i = 0; i < *count; i++) {
        const struct poly *more = poly_sub(&an->pool, edge, edges[i]);
        const struct poly *less = poly_sub(&an->pool, edges[i], edge);
        if (value_is_nonnegative(an, is_low ? more : less, guards)) {
            return true;
        }
        if (value_is_nonnegative(an, is_low ? less : more, guards)) {
            edges[i] = edge;
            return true;
        }
    }
    if (*count == EDGES) {
        return false;
    }
    edges[(*count)++] = edge;
    return true;
}

// Whether the launch can test that the access's indices are what they seem. Those of an index that is data cannot be:
// then no more is known of it than that it lies inside the array.
static bool has_testable_needs(struct loop_nest *nest, const struct access *access)
{
    for (const struct need *need = access->needs; need != NULL; need = need->next) {
        struct plan_expr *expr = need_condition(nest->an, nest->root, need);
        int64_t known;
        if (expr == NULL || (plan_expr_is_const(expr, &known) && known == 0)) {
            return false;
        }
    }
    return true;
}

static bool find_footprint(struct loop_nest *nest, int base, struct footprint *out)
{
    struct analysis *an = nest->an;
    *out = (struct footprint){0};
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        struct access exact = an->accesses.items[i];
        const struct poly *low, *high;
        if (exact.base == base && has_testable_needs(nest, &exact)) {
            exact.needs = NULL; // they are tested: see add_needs()
        }
        if (exact.base == base && (!effects_region(an, &exact, nest->root->variable >> 1, &low, &high) ||
                                   !add_edge(nest, out->lows, &out->low_count, low, true) ||
                                   !add_edge(nest, out->highs, &out->high_count, high, false))) {
            return false;
        }
    }
    return out->low_count > 0;
}

static void add_condition(struct loop_nest *nest, struct plan_expr *expr, const struct need *need)
{
    int64_t known;
    if (plan_expr_is_const(expr, &known)) {
        assert(known != 0);
        return;
    }
    for (int i = 0; i < nest->conditions.count; i++) {
        if (plan_expr_equal(nest->conditions.items[i].expr, expr)) {
            return;
        }
    }
    struct plan_condition condition = {.expr = expr, .text = "an index does not wrap", .loc = need->loc};
    VEC_PUSH(nest->an->arena, &nest->conditions, condition);
}

// What is touched of an argument is known if indices into it are what they seem. False: it cannot be tested, and must
// be.
static bool add_needs(struct loop_nest *nest, int base)
{
    struct analysis *an = nest->an;
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        if (access->base != base) {
            continue;
        }
        bool is_tested = has_testable_needs(nest, access);
        if (!is_tested && !nest->bounds_by_extents) {
            return false;
        }
        for (const struct need *need = access->needs; need != NULL && is_tested; need = need->next) {
            add_condition(nest, need_condition(an, nest->root, need), need);
        }
    }
    return true;
}

// The address of an end of what is touched; NULL: the launch does not know it.
static struct ir_inst *emit_edge(struct loop_nest *nest, struct ir_builder *to, int base,
                                 const struct poly *const *edges, int count, enum ir_op op)
{
    struct ir_inst *edge = NULL;
    for (int i = 0; i < count; i++) {
        struct ir_inst *one = nest_emit_expr(to, nest->kernel, value_expr(nest->an, edges[i], &nest->root->entry));
        if (one == NULL || base_kind(base) != BASE_PARAM) {
            return NULL;
        }
        edge = edge == NULL ? one : ir_emit2(to, op, IR_I64, edge, one);
    }
    struct ir_inst *param = ir_emit0(to, IR_OP_PARAM, IR_PTR);
    param->imm = base_index(base);
    return ir_emit2(to, IR_OP_ADD, IR_I64, ir_emit1(to, IR_OP_PTRTOINT, IR_I64, param), edge);
}

static struct ir_inst *both(struct ir_builder *to, struct ir_inst *a, struct ir_inst *b)
{
    return a == NULL ? b : ir_emit2(to, IR_OP_AND, IR_I1, a, b);
}

// One ends before the other begins.
static bool add_pair(struct loop_nest *nest, struct ir_builder *to, const struct base_pair *pair, struct ir_inst **all)
{
    struct ir_inst *lows[2], *highs[2];
    for (int i = 0; i < 2; i++) {
        int base = i == 0 ? pair->a : pair->b;
        struct footprint found;
        if (!find_footprint(nest, base, &found)) {
            return false;
        }
        lows[i] = emit_edge(nest, to, base, found.lows, found.low_count, IR_OP_SMIN);
        highs[i] = emit_edge(nest, to, base, found.highs, found.high_count, IR_OP_SMAX);
        if (lows[i] == NULL || highs[i] == NULL) {
            return false;
        }
    }
    struct ir_inst *before = ir_emit2(to, IR_OP_SLE, IR_I1, highs[0], lows[1]);
    struct ir_inst *after = ir_emit2(to, IR_OP_SLE, IR_I1, highs[1], lows[0]);
    *all = both(to, *all, ir_emit2(to, IR_OP_OR, IR_I1, before, after));
    return true;
}

bool nest_build_test(struct loop_nest *nest, struct ir_builder *to, struct ir_inst **out)
{
    *out = NULL;
    for (int i = 0; i < nest->pair_count; i++) {
        if (!add_needs(nest, nest->pairs[i].a) || !add_needs(nest, nest->pairs[i].b)) {
            return false;
        }
    }
    for (int i = 0; i < nest->conditions.count; i++) {
        struct ir_inst *holds = nest_emit_expr(to, nest->kernel, nest->conditions.items[i].expr);
        if (holds == NULL) {
            return false;
        }
        *out = both(to, *out, holds);
    }
    for (int i = 0; i < nest->pair_count; i++) {
        if (!add_pair(nest, to, &nest->pairs[i], out)) {
            return false;
        }
    }
    return true;
}
