// The order in which the iterations of two accesses run, and whether they touch the same.
#include "oracle.h"

#include <assert.h>

int order_common(const struct access *a, const struct access *b)
{
    int common = 0;
    while (common < a->depth && common < b->depth && a->loops[common] == b->loops[common]) {
        common++;
    }
    return common;
}

static isl_map *pairs_of(const struct access *a, const struct access *b)
{
    isl_ctx *ctx = isl_set_get_ctx(a->domain);
    return isl_map_universe(isl_space_alloc(ctx, 0, (unsigned)a->depth, (unsigned)b->depth));
}

static isl_map *same_until(const struct access *a, const struct access *b, int level)
{
    isl_map *map = pairs_of(a, b);
    for (int i = 0; i < level; i++) {
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
    }
    return map;
}

// By the first loop in which they differ.
static isl_map *order_by_loops(const struct access *a, const struct access *b, bool is_before)
{
    int common = order_common(a, b);
    isl_ctx *ctx = isl_set_get_ctx(a->domain);
    isl_map *all = isl_map_empty(isl_space_alloc(ctx, 0, (unsigned)a->depth, (unsigned)b->depth));
    for (int i = 0; i < common; i++) {
        isl_map *map = same_until(a, b, i);
        bool counts_up = a->falls[i] != is_before;
        map = counts_up ? isl_map_order_lt(map, isl_dim_in, i, isl_dim_out, i)
                        : isl_map_order_gt(map, isl_dim_in, i, isl_dim_out, i);
        all = isl_map_union(all, map);
    }
    return all;
}

isl_map *order_before(const struct access *a, const struct access *b)
{
    int common = order_common(a, b);
    isl_map *all = order_by_loops(a, b, true);
    return a->order[common] < b->order[common] ? isl_map_union(all, same_until(a, b, common)) : all;
}

isl_map *order_not_before(const struct access *a, const struct access *b)
{
    int common = order_common(a, b);
    isl_map *all = order_by_loops(a, b, false);
    return a->order[common] >= b->order[common] ? isl_map_union(all, same_until(a, b, common)) : all;
}

isl_map *order_meets(const struct access *a, const struct access *b)
{
    return isl_map_apply_range(isl_map_copy(a->touches), isl_map_reverse(isl_map_copy(b->touches)));
}

bool order_counts(const struct access *a, const struct access *b)
{
    return a->storage == b->storage && (a->is_write || b->is_write) && a->touches != NULL && b->touches != NULL;
}

static const struct ir_inst *stored(const struct access *access)
{
    const struct ir_inst *inst = access->inst;
    const struct ir_inst *value = inst->op == IR_OP_STORE || inst->op == IR_OP_FILL ? inst->args[1] : NULL;
    return value != NULL && (value->op == IR_OP_CONST || value->op == IR_OP_FCONST) ? value : NULL;
}

bool order_is_free(const struct access *a, const struct access *b)
{
    const struct ir_inst *x = a->inst, *y = b->inst;
    if (ir_op_updates(x->op) && ir_op_updates(y->op)) {
        return x->op == y->op && x->type == y->type && ir_updates_commute(x->update, y->update);
    }
    const struct ir_inst *v = stored(a), *w = stored(b);
    return v != NULL && w != NULL && x->op == y->op && x->type == y->type && v->imm == w->imm &&
           memcmp(&v->fimm, &w->fimm, sizeof v->fimm) == 0;
}

void order_describe(isl_map *pairs, char *out, size_t size)
{
    isl_basic_map *sample = isl_map_sample(isl_map_copy(pairs));
    char *text = isl_basic_map_to_str(sample);
    snprintf(out, size, "%.300s", text != NULL ? text : "?");
    free(text);
    isl_basic_map_free(sample);
}
