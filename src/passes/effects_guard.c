// Regions of a block that hold if an index does not wrap. What blocks touch is compared at launch anyway, so the launch
// can also find out whether `3 * i` stays an int; if it does not, the block touches the whole array.
#include "passes/effects.h"

// low and high fit the type of the need, computed in f64: they might not fit 64 bits.
struct plan_expr *effects_fits(struct analysis *an, const struct need *need, const struct affine *low,
                               const struct affine *high, const struct var_values *entry)
{
    struct arena *arena = an->arena;
    struct affine_range range = affine_type_range(need->type, need->is_signed);
    if (need->type == IR_I64) { // rounding of the test must not matter
        range.hi = (affine_wide)1 << 62;
        range.lo = need->is_signed ? -range.hi : 0;
    }
    struct plan_expr *least =
        plan_op(arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(arena, IR_I64, (int64_t)range.lo), NULL);
    struct plan_expr *most =
        plan_op(arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(arena, IR_I64, (int64_t)range.hi), NULL);
    struct plan_expr *above = plan_op(arena, IR_OP_FGE, IR_I1, IR_F64, value_expr_float(an, low, entry), least);
    struct plan_expr *below = plan_op(arena, IR_OP_FLE, IR_I1, IR_F64, value_expr_float(an, high, entry), most);
    return plan_op(arena, IR_OP_AND, IR_I1, IR_I1, above, below);
}

// Bytes from the base that no object has: beyond, arithmetic on addresses might wrap.
static struct plan_expr *is_near(struct analysis *an, const struct affine *value, const struct var_values *entry)
{
    affine_wide limit = (affine_wide)1 << 46;
    struct affine_range range = value_range(an, value);
    if (range.lo >= -limit && range.hi <= limit) {
        return plan_const(an->arena, IR_I1, 1);
    }
    struct plan_expr *bytes = value_expr_float(an, value, entry);
    struct plan_expr *most =
        plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, (int64_t)limit), NULL);
    struct plan_expr *least = plan_op(an->arena, IR_OP_FNEG, IR_F64, IR_F64, most, NULL);
    return plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, plan_op(an->arena, IR_OP_FLE, IR_I1, IR_F64, bytes, most),
                   plan_op(an->arena, IR_OP_FGE, IR_I1, IR_F64, bytes, least));
}

// A value that wraps to its type is the value itself if it fits. Takes those that vary out of the offset, one by one,
// and notes what must fit.
static void unwrap(struct analysis *an, struct access *access, int first_atom)
{
    enum { MOST = 8 };
    struct affine_pool *pool = &an->pool;
    for (int round = 0; access->flat != NULL && round < MOST; round++) {
        int id = -1;
        for (int i = 0; i < access->flat->count; i++) {
            for (int k = 0; k < access->flat->terms[i].degree; k++) {
                const struct atom *atom = atom_of(an, access->flat->terms[i].ids[k]);
                bool wraps = atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT);
                if (wraps && effects_atom_varies(an, access->flat->terms[i].ids[k], first_atom)) {
                    id = access->flat->terms[i].ids[k];
                }
            }
        }
        const struct affine *rest;
        const struct affine *factor = id >= 0 ? affine_coefficient(pool, access->flat, id, &rest) : NULL;
        const struct affine *inner = factor != NULL ? affine_mul(pool, factor, atom_of(an, id)->a) : NULL;
        const struct affine *flat = inner != NULL ? affine_add(pool, rest, inner) : NULL;
        if (flat == NULL) {
            return;
        }
        struct need *need = ARENA_NEW(an->arena, struct need);
        *need = (struct need){atom_of(an, id)->a, atom_of(an, id)->type, atom_of(an, id)->op == IR_OP_SEXT,
                              access->inst->loc, access->needs};
        access->flat = flat;
        access->needs = need;
    }
}

bool effects_find_region_if(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                            struct region *out)
{
    struct access exact = *access;
    unwrap(an, &exact, scope->first_atom);
    if (exact.needs == NULL || access->size == NULL) {
        return false; // nothing to test
    }
    struct plan_expr *all = plan_const(an->arena, IR_I1, 1);
    bool is_wide = false; // an index of 32 bits is near whatever it is
    for (const struct need *need = exact.needs; need != NULL; need = need->next) {
        is_wide |= need->type == IR_I64;
        const struct affine *low = effects_bound(an, need->value, scope->first_atom, false);
        const struct affine *high = effects_bound(an, need->value, scope->first_atom, true);
        struct plan_expr *fits = low != NULL && high != NULL ? effects_fits(an, need, low, high, scope->entry) : NULL;
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, fits);
    }
    exact.needs = NULL;
    if (all == NULL || !effects_find_region(an, &exact, scope->first_atom, out)) {
        return false;
    }
    if (is_wide) {
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, is_near(an, out->low, scope->entry));
        all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, is_near(an, out->high, scope->entry));
    }
    int64_t value;
    bool is_known = plan_expr_is_const(all, &value);
    out->only_if = is_known ? NULL : all;
    return all != NULL && (!is_known || value != 0);
}
