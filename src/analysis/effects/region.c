// The bytes that one access touches, and whether it touches them all.
#include "analysis/effects/effects.h"

#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

int64_t effects_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int mentions(const struct poly *value, int id)
{
    int count = 0;
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            count += value->terms[i].ids[k] == id;
        }
    }
    return count;
}

// A single varying value times what the launch knows: the step is that, whatever its sign.
static const struct poly *step_by_factor(struct analysis *an, const struct poly *flat, int first_atom)
{
    int varying = -1;
    for (int i = 0; i < flat->count; i++) {
        for (int k = 0; k < flat->terms[i].degree; k++) {
            int id = flat->terms[i].ids[k];
            if (atom_varies_since(an, id, first_atom) && id != varying) {
                if (varying >= 0) {
                    return NULL;
                }
                varying = id;
            }
        }
    }
    const struct poly *rest;
    const struct poly *factor = varying >= 0 ? poly_coefficient(&an->pool, flat, varying, &rest) : NULL;
    bool is_known = factor == NULL || poly_is_const(factor, NULL) || value_varies_since(an, factor, first_atom);
    return is_known ? NULL : factor;
}

// What every beginning has in common: the largest step that all varying terms are multiples of.
static const struct poly *step_of(struct analysis *an, const struct poly *flat, int first_atom)
{
    const struct poly *factor = step_by_factor(an, flat, first_atom);
    if (factor != NULL) {
        return factor;
    }
    int64_t common = 0;
    for (int i = 0; i < flat->count; i++) {
        const struct poly_term *term = &flat->terms[i];
        int varying = -1, count = 0;
        for (int k = 0; k < term->degree; k++) {
            if (atom_varies_since(an, term->ids[k], first_atom)) {
                varying = term->ids[k];
                count++;
            }
        }
        if (count == 0) {
            continue;
        }
        int64_t times = 1;
        const struct atom *atom = atom_of(an, varying);
        // An ascending loop's variable begins at the lower end of the region and comes in its own steps.
        if (atom->kind == ATOM_LOOP && atom->loop->inst->loop->step > 1 && term->coef > 0 && term->degree == 1 &&
            mentions(flat, varying) == 1 && atom->loop->first != NULL &&
            !value_varies_since(an, atom->loop->first, first_atom)) {
            times = atom->loop->inst->loop->step;
        }
        int64_t one;
        if (__builtin_mul_overflow(term->coef, times, &one)) {
            return NULL;
        }
        if (term->degree > 1) {
            one = term->coef; // a multiple of the number, whatever the other factors are
        }
        common = effects_gcd(common, one);
    }
    return common > 0 ? poly_const(&an->pool, common) : NULL;
}

// In-bounds indices reach from 0 to the extent, whatever they are.
static bool region_by_extents(struct analysis *an, const struct access *access, int first_atom, struct region *out)
{
    struct poly_pool *pool = &an->pool;
    const struct poly *low = access->offset, *high = access->offset;
    for (int d = 0; d < access->dim_count; d++) {
        const struct sym_dim *dim = &access->dims[d];
        const struct poly *first = NULL, *last = NULL;
        if (access->needs == NULL) {
            first = effects_bound(an, dim->index, first_atom, false);
            last = effects_bound(an, dim->index, first_atom, true);
        }
        if (dim->extent != NULL && !value_varies_since(an, dim->extent, first_atom)) {
            first = first != NULL ? first : poly_const(pool, 0);
            last = last != NULL ? last : poly_plus(pool, dim->extent, -1);
        }
        if (value_varies_since(an, dim->stride, first_atom) || value_range(an, dim->stride).lo < 0) {
            return false;
        }
        low = poly_add(pool, low, poly_mul(pool, first, dim->stride));
        high = poly_add(pool, high, poly_mul(pool, last, dim->stride));
    }
    const struct poly *size = effects_bound(an, access->size, first_atom, true);
    out->low = effects_bound(an, low, first_atom, false);
    out->high = poly_add(pool, effects_bound(an, high, first_atom, true), size);
    return out->low != NULL && out->high != NULL;
}

bool effects_find_region(struct analysis *an, const struct access *access, int first_atom, struct region *out)
{
    assert(first_atom >= 0);
    *out = (struct region){0};
    if (access->size == NULL) {
        return false;
    }
    int64_t width;
    bool has_width = poly_is_const(access->size, &width) && width > 0 && width < 1 << 20;
    if (access->needs == NULL) {
        const struct poly *size = effects_bound(an, access->size, first_atom, true);
        out->low = effects_bound(an, access->flat, first_atom, false);
        out->high = poly_add(&an->pool, effects_bound(an, access->flat, first_atom, true), size);
        if (out->low != NULL && out->high != NULL) {
            out->step = has_width ? step_of(an, access->flat, first_atom) : NULL;
            out->width = has_width ? (int)width : 0;
            return true;
        }
    }
    return region_by_extents(an, access, first_atom, out);
}

// ---- must ----------------------------------------------------------------------------------------------------------

// Whether nothing but loops, and calls of helpers that run to their end, stands between the access and |top|, so that
// it is made in each of their iterations.
static bool is_unconditional(const struct analysis *an, const struct access *access, const struct ir_region *top)
{
    const struct ir_region *region = access->inst->parent;
    const struct call_context *context = access->context;
    while (region != top) {
        if (region->owner == NULL) {
            bool is_certain = analysis_has_bug(an, BUG_CALLS_CERTAIN);
            if (context == NULL || (effects_returns_early(context->callee) && !is_certain)) {
                return false;
            }
            region = context->call->parent;
            context = context->caller;
        } else if (region->owner->op == IR_OP_FOR) {
            region = region->owner->parent;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_no_return(struct ir_inst *inst, void *last)
{
    return inst->op != IR_OP_RETURN || inst == last;
}

bool effects_returns_early(const struct ir_function *helper)
{
    return !walk_region(&helper->body, is_no_return, helper->body.last);
}

// How often an inner loop runs: none of it is negative.
static const struct poly *runs_of(struct analysis *an, const struct poly *trip, bool *is_clamped)
{
    if (trip == NULL || value_is_nonnegative(an, trip, NULL)) {
        return trip;
    }
    struct poly_range range = value_range(an, trip);
    range = (struct poly_range){range.lo > 0 ? range.lo : 0, range.hi > 0 ? range.hi : 0};
    *is_clamped = true;
    return poly_atom(&an->pool, atom_intern_op(an, IR_OP_SMAX, IR_I64, trip, poly_const(&an->pool, 0), range));
}

// Whether the value is known before the loop. One that is loaded in it may stay the same in all iterations, but outside
// only bounds of it are known, and what lies between these is not touched for certain.
static bool is_exact(const struct analysis *an, const struct poly *value, const struct loop_info *top)
{
    return !value_varies_since(an, value, top->variable >> 1);
}

// Each loop's stride is the run of bytes that the loops inside it have covered. A loop inside that may have a negative
// number of iterations makes the region, which is |region|, one that is empty then.
static bool covers_region(struct analysis *an, const struct access *access, const struct loop_info *top,
                          struct region *region)
{
    struct poly_pool *pool = &an->pool;
    const struct poly *run = access->size, *rest = access->flat, *total = run, *low = poly_const(pool, 0);
    bool is_clamped = false;
    for (const struct loop_info *loop = access->loop;; loop = loop->parent) {
        if (loop == NULL || loop->last == NULL || loop->bound_may_change ||
            (loop->inst->loop->step != 1 && loop->inst->loop->step != -1)) {
            return false;
        }
        const struct poly *factor = poly_coefficient(pool, rest, loop->variable, &rest);
        const struct poly *trip = poly_plus(pool, poly_sub(pool, loop->last, loop->first), 1);
        if (factor == NULL || !poly_equal(factor, run) || value_varies(an, trip, top)) {
            return false;
        }
        run = poly_mul(pool, run, trip);
        low = poly_add(pool, low, poly_mul(pool, factor, loop->first));
        total = poly_mul(pool, total, loop == top ? trip : runs_of(an, trip, &is_clamped));
        if (loop == top) {
            break;
        }
    }
    if (run == NULL || value_varies(an, rest, top) || !is_exact(an, rest, top) || !is_exact(an, low, top) ||
        !is_exact(an, total, top)) {
        return false;
    }
    if (is_clamped) {
        region->low = poly_add(pool, low, rest);
        region->high = poly_add(pool, region->low, total);
    }
    return region->low != NULL && region->high != NULL;
}

static bool is_certain(const struct analysis *an, const struct access *access, const struct loop_info *info)
{
    return info != NULL && !access->is_alternative && access->needs == NULL && access->size != NULL &&
           access->recheck == NULL &&
           (is_unconditional(an, access, info->inst->parent) || analysis_has_bug(an, BUG_MUST_IN_BRANCH));
}

static bool is_certain_write(const struct analysis *an, const struct access *access, const struct loop_info *info)
{
    return access->kind == ACCESS_WRITE && is_certain(an, access, info);
}

bool effects_is_must_by_steps(struct analysis *an, const struct access *access, const struct loop_info *info,
                              int64_t *out_step)
{
    assert(out_step != NULL);
    struct poly_pool *pool = &an->pool;
    const struct poly *rest;
    int64_t factor, size;
    if (!is_certain_write(an, access, info) || access->loop != info || info->last == NULL || info->bound_may_change ||
        (info->inst->loop->step != 1 && info->inst->loop->step != -1)) {
        return false;
    }
    const struct poly *trip = poly_plus(pool, poly_sub(pool, info->last, info->first), 1);
    if (!poly_is_const(poly_coefficient(pool, access->flat, info->variable, &rest), &factor) ||
        !poly_is_const(access->size, &size) || trip == NULL || value_varies(an, trip, info) ||
        value_varies(an, rest, info) || !is_exact(an, rest, info) || !is_exact(an, trip, info) || factor < size ||
        factor > INT32_MAX) {
        return false;
    }
    *out_step = factor;
    return true;
}

bool effects_region(struct analysis *an, const struct access *access, int first_atom, const struct poly **out_low,
                    const struct poly **out_high)
{
    struct region region;
    if (!effects_find_region(an, access, first_atom, &region)) {
        return false;
    }
    *out_low = region.low;
    *out_high = region.high;
    return true;
}

bool effects_is_must(struct analysis *an, const struct access *access, const struct loop_info *info,
                     struct region *region)
{
    return is_certain_write(an, access, info) && covers_region(an, access, info, region);
}

bool effects_is_sure(struct analysis *an, const struct access *access, const struct loop_info *info,
                     const struct region *region)
{
    struct region copy = *region;
    return is_certain(an, access, info) && covers_region(an, access, info, &copy);
}

// The element as the source has it, else the name of what is touched.
static const char *element_text(struct analysis *an, const struct access *access)
{
    const struct ir_inst *inst = access->inst;
    const char *source = ir_op_is_element(inst->op) ? inst->args[0]->source : NULL;
    return source != NULL ? source : base_name(an->module, an->kernel, access->base);
}

const char *effects_why_bound(struct analysis *an, const struct access *access, const struct loop_info *info,
                              const struct region *region)
{
    const char *text = element_text(an, access);
    if (info == NULL) {
        return NULL; // of code that is no loop nothing is said
    }
    for (int i = 0; i < access->dim_count; i++) {
        if (!value_is_followed(an, access->dims[i].index, NULL)) {
            return arena_printf(an->arena, "the index of '%s' is data", text);
        }
    }
    if (access->is_alternative || base_kind(access->base) == BASE_UNKNOWN) {
        return "a pointer may be one of several";
    }
    if (!is_unconditional(an, access, info->inst->parent)) {
        return arena_printf(an->arena, "'%s' is touched under a condition", text);
    }
    return region->low == NULL || (access->needs != NULL && region->only_if == NULL)
               ? arena_printf(an->arena, "the index of '%s' may wrap, or is not followed", text)
               : arena_printf(an->arena, "'%s' does not touch all of it, as far as is known", text);
}
