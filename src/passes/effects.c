// What code touches, as regions that the launch can compute: lowest and highest byte over everything that varies in the
// code, and the step between accesses. Regions hold whatever version of a task runs, so an index that might wrap has
// none: its region is the whole array, or as much of it as the index may reach.
#include "passes/effects.h"
#include "passes/analyse.h"

// ---- extremes ------------------------------------------------------------------------------------------------------

static bool atom_varies_since(const struct analysis *an, int id, int first_atom);

static bool value_varies_since(const struct analysis *an, const struct affine *value, int first_atom)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            if (atom_varies_since(an, value->terms[i].ids[k], first_atom)) {
                return true;
            }
        }
    }
    return false;
}

static bool atom_varies_since(const struct analysis *an, int id, int first_atom)
{
    const struct atom *atom = atom_of(an, id);
    if (atom->kind == ATOM_OP) {
        return value_varies_since(an, atom->a, first_atom) || value_varies_since(an, atom->b, first_atom);
    }
    return atom->kind != ATOM_PARAM && atom->kind != ATOM_MEMBER && id >> 1 >= first_atom;
}

// The varying atom that was made last: bounds of what was made later mention only what was made before.
static int last_varying(const struct analysis *an, const struct affine *value, int first_atom)
{
    int last = -1;
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            last = id > last && atom_varies_since(an, id, first_atom) ? id : last;
        }
    }
    return last;
}

static const struct affine *bound_of(struct analysis *an, const struct affine *value, int first_atom, bool wants_high,
                                     int depth);

static const struct affine *range_bound(struct analysis *an, int id, bool wants_high)
{
    enum { WIDEST = 1 << 24 };
    struct affine_range range = atom_of(an, id)->range;
    if (range.hi - range.lo > WIDEST) {
        return NULL; // true, but of no use
    }
    return affine_const(&an->pool, (int64_t)(wants_high ? range.hi : range.lo));
}

// Whether the divisor is at least 1: known, or taken so where the caller tests it.
static bool is_positive_divisor(struct analysis *an, const struct affine *divisor, int first_atom)
{
    if (value_range(an, divisor).lo >= 1) {
        return true;
    }
    if (!an->may_assume || value_varies_since(an, divisor, first_atom)) {
        return false;
    }
    for (int i = 0; i < an->assumed.count; i++) {
        if (affine_equal(an->assumed.items[i], divisor)) {
            return true;
        }
    }
    VEC_PUSH(an->arena, &an->assumed, divisor);
    return true;
}

// One operand alone bounds a minimum from above; the one that does not vary says it shortest.
static const struct affine *extreme_bound(struct analysis *an, const struct atom *atom, int first_atom, bool wants_high,
                                          int depth)
{
    bool is_swapped = value_varies_since(an, atom->a, first_atom);
    const struct affine *first = is_swapped ? atom->b : atom->a, *other = is_swapped ? atom->a : atom->b;
    const struct affine *bound = bound_of(an, first, first_atom, wants_high, depth + 1);
    return bound != NULL ? bound : bound_of(an, other, first_atom, wants_high, depth + 1);
}

static bool hangs_on_changing_bound(const struct analysis *an, const struct affine *value)
{
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            const struct atom *atom = atom_of(an, value->terms[i].ids[k]);
            if (atom->kind == ATOM_LOOP && atom->loop->bound_may_change) {
                return true;
            }
        }
    }
    return false;
}

static const struct affine *quotient_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    if (hangs_on_changing_bound(an, atom->a)) {
        return NULL;
    }
    for (const struct fact *fact = atom->facts; fact != NULL && wants_high; fact = fact->next) {
        const struct affine *rest;
        int64_t one;
        if ((fact->guard == NULL || is_positive_divisor(an, fact->guard, first_atom)) && !fact->is_equal &&
            affine_is_const(affine_coefficient(&an->pool, fact->value, id, &rest), &one) && one == -1 &&
            !value_varies_since(an, rest, first_atom)) {
            return rest; // rest - q >= 0
        }
    }
    if (atom->op == IR_OP_SDIV && !is_positive_divisor(an, atom->b, first_atom)) {
        return NULL;
    }
    const struct affine *a = bound_of(an, atom->a, first_atom, wants_high, depth + 1);
    if (a == NULL || value_varies_since(an, atom->b, first_atom)) {
        return NULL;
    }
    // Quotients by what is positive grow with their first operand.
    return affine_atom(&an->pool, atom_intern_op(an, atom->op, IR_I64, a, atom->b, atom->range));
}

static const struct affine *op_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    const struct affine *bound = NULL;
    switch (atom->op) {
    case IR_OP_SMIN:
    case IR_OP_SMAX:
        if ((atom->op == IR_OP_SMIN) == wants_high) {
            bound = extreme_bound(an, atom, first_atom, wants_high, depth);
        }
        break;
    case IR_OP_SDIV:
    case IR_OP_ASHR: bound = quotient_bound(an, id, first_atom, wants_high, depth); break;
    case IR_OP_SREM:
    case IR_OP_AND:
        if (!wants_high && atom->range.lo >= 0) {
            bound = affine_const(&an->pool, (int64_t)atom->range.lo);
        } else if (atom->op == IR_OP_SREM && !value_varies_since(an, atom->b, first_atom) &&
                   is_positive_divisor(an, atom->b, first_atom)) {
            bool is_positive = value_is_nonnegative(an, atom->a, NULL);
            bound = wants_high ? affine_plus(&an->pool, atom->b, -1)
                               : affine_plus(&an->pool, affine_scale(&an->pool, atom->b, is_positive ? 0 : -1),
                                             is_positive ? 0 : 1);
        }
        break;
    default: break;
    }
    return bound != NULL ? bound : range_bound(an, id, wants_high);
}

static const struct affine *atom_bound(struct analysis *an, int id, int first_atom, bool wants_high, int depth)
{
    const struct atom *atom = atom_of(an, id);
    switch (atom->kind) {
    case ATOM_LOOP: {
        const struct affine *edge = wants_high ? atom->loop->last : atom->loop->first;
        bool is_end = wants_high == (atom->loop->inst->loop->step > 0);
        edge = is_end && atom->loop->bound_may_change ? NULL : edge;
        return edge != NULL ? edge : range_bound(an, id, wants_high);
    }
    case ATOM_COUNT: {
        const struct ir_for *loop = atom->loop->inst->loop;
        if (!wants_high) {
            return affine_const(&an->pool, 0);
        }
        if (atom->loop->last == NULL || atom->loop->bound_may_change || (loop->step != 1 && loop->step != -1)) {
            return NULL;
        }
        return affine_sub(&an->pool, atom->loop->last, atom->loop->first);
    }
    case ATOM_OP: return op_bound(an, id, first_atom, wants_high, depth);
    default: return range_bound(an, id, wants_high);
    }
}

// The lowest or highest value over all atoms made since |first_atom|; NULL if not known.
static const struct affine *bound_of(struct analysis *an, const struct affine *value, int first_atom, bool wants_high,
                                     int depth)
{
    enum { MAX_ROUNDS = 24 };
    struct affine_pool *pool = &an->pool;
    for (int round = 0; value != NULL && round < MAX_ROUNDS; round++) {
        int id = last_varying(an, value, first_atom);
        if (id < 0) {
            return value;
        }
        const struct affine *rest;
        const struct affine *factor = affine_coefficient(pool, value, id, &rest);
        if (factor == NULL || depth > 8) {
            return NULL;
        }
        bool is_up = value_is_nonnegative(an, factor, NULL);
        bool is_down = !is_up && value_is_nonnegative(an, affine_scale(pool, factor, -1), NULL);
        if (is_up || is_down) {
            const struct affine *bound = atom_bound(an, id, first_atom, wants_high == is_up, depth);
            value = affine_add(pool, rest, affine_mul(pool, factor, bound));
            continue;
        }
        if (value_varies_since(an, factor, first_atom)) {
            return NULL;
        }
        const struct affine *low =
            bound_of(an, atom_bound(an, id, first_atom, false, depth), first_atom, false, depth + 1);
        const struct affine *high =
            bound_of(an, atom_bound(an, id, first_atom, true, depth), first_atom, true, depth + 1);
        low = affine_mul(pool, factor, low);
        high = affine_mul(pool, factor, high);
        if (low == NULL || high == NULL) {
            return NULL;
        }
        struct affine_range x = value_range(an, low), y = value_range(an, high);
        struct affine_range range = {x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
        int edge = atom_intern_op(an, wants_high ? IR_OP_SMAX : IR_OP_SMIN, IR_I64, low, high, range);
        value = affine_add(pool, rest, affine_atom(pool, edge));
    }
    return NULL;
}

bool value_extremes(struct analysis *an, const struct affine *value, const struct loop_info *loop,
                    const struct affine **out_lowest, const struct affine **out_highest)
{
    int first_atom = loop != NULL ? loop->variable >> 1 : 0;
    *out_lowest = bound_of(an, value, first_atom, false, 0);
    *out_highest = bound_of(an, value, first_atom, true, 0);
    return *out_lowest != NULL && *out_highest != NULL;
}

// ---- regions -------------------------------------------------------------------------------------------------------

struct region { // of one access
    const struct affine *low;
    const struct affine *high;
    const struct affine *step; // NULL: any byte between
    int width;
    bool is_must;
};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int mentions(const struct affine *value, int id)
{
    int count = 0;
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            count += value->terms[i].ids[k] == id;
        }
    }
    return count;
}

// What every beginning has in common: the largest step that all varying terms are multiples of.
static const struct affine *step_of(struct analysis *an, const struct affine *flat, int first_atom)
{
    int64_t common = 0;
    for (int i = 0; i < flat->count; i++) {
        const struct affine_term *term = &flat->terms[i];
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
        common = gcd(common, one);
    }
    return common > 0 ? affine_const(&an->pool, common) : NULL;
}

// In-bounds indices reach from 0 to the extent, whatever they are.
static bool region_by_extents(struct analysis *an, const struct access *access, int first_atom, struct region *out)
{
    struct affine_pool *pool = &an->pool;
    const struct affine *low = access->offset, *high = access->offset;
    for (int d = 0; d < access->dim_count; d++) {
        const struct sym_dim *dim = &access->dims[d];
        const struct affine *first = NULL, *last = NULL;
        if (access->needs == NULL) {
            first = bound_of(an, dim->index, first_atom, false, 0);
            last = bound_of(an, dim->index, first_atom, true, 0);
        }
        if (dim->extent != NULL && !value_varies_since(an, dim->extent, first_atom)) {
            first = first != NULL ? first : affine_const(pool, 0);
            last = last != NULL ? last : affine_plus(pool, dim->extent, -1);
        }
        if (value_varies_since(an, dim->stride, first_atom) || value_range(an, dim->stride).lo < 0) {
            return false;
        }
        low = affine_add(pool, low, affine_mul(pool, first, dim->stride));
        high = affine_add(pool, high, affine_mul(pool, last, dim->stride));
    }
    const struct affine *size = bound_of(an, access->size, first_atom, true, 0);
    out->low = bound_of(an, low, first_atom, false, 0);
    out->high = affine_add(pool, bound_of(an, high, first_atom, true, 0), size);
    return out->low != NULL && out->high != NULL;
}

static bool find_region(struct analysis *an, const struct access *access, int first_atom, struct region *out)
{
    *out = (struct region){0};
    if (access->size == NULL) {
        return false;
    }
    int64_t width;
    bool has_width = affine_is_const(access->size, &width) && width > 0 && width < 1 << 20;
    if (access->needs == NULL) {
        const struct affine *size = bound_of(an, access->size, first_atom, true, 0);
        out->low = bound_of(an, access->flat, first_atom, false, 0);
        out->high = affine_add(&an->pool, bound_of(an, access->flat, first_atom, true, 0), size);
        if (out->low != NULL && out->high != NULL) {
            out->step = has_width ? step_of(an, access->flat, first_atom) : NULL;
            out->width = has_width ? (int)width : 0;
            return true;
        }
    }
    return region_by_extents(an, access, first_atom, out);
}

// ---- must ----------------------------------------------------------------------------------------------------------

// Whether nothing but loops stands between the access and |top|, so that it is made in each of their iterations.
static bool is_unconditional(const struct access *access, const struct ir_region *top)
{
    const struct ir_region *region = access->inst->parent;
    while (region != NULL && region != top) {
        if (region->owner == NULL || region->owner->op != IR_OP_FOR) {
            return false;
        }
        region = region->owner->parent;
    }
    return region == top;
}

// Each loop's stride is the run of bytes that the loops inside it have covered.
static bool covers_region(struct analysis *an, const struct access *access, const struct loop_info *top)
{
    struct affine_pool *pool = &an->pool;
    const struct affine *run = access->size, *rest = access->flat;
    for (const struct loop_info *loop = access->loop;; loop = loop->parent) {
        if (loop == NULL || loop->last == NULL || loop->bound_may_change ||
            (loop->inst->loop->step != 1 && loop->inst->loop->step != -1)) {
            return false;
        }
        const struct affine *factor = affine_coefficient(pool, rest, loop->variable, &rest);
        const struct affine *trip = affine_plus(pool, affine_sub(pool, loop->last, loop->first), 1);
        if (factor == NULL || !affine_equal(factor, run) || value_varies(an, trip, top)) {
            return false;
        }
        run = affine_mul(pool, run, trip);
        if (loop == top) {
            break;
        }
    }
    return run != NULL && !value_varies(an, rest, top);
}

static bool is_must(struct analysis *an, const struct access *access, const struct loop_info *info)
{
    return info != NULL && access->kind == ACCESS_WRITE && !access->is_alternative && access->needs == NULL &&
           access->size != NULL && access->site == access->inst && !access->is_recheck &&
           (is_unconditional(access, info->inst->parent) || an->bug == BUG_MUST_IN_BRANCH) &&
           covers_region(an, access, info);
}

bool effects_region(struct analysis *an, const struct access *access, int first_atom, const struct affine **out_low,
                    const struct affine **out_high)
{
    struct region region;
    if (!find_region(an, access, first_atom, &region)) {
        return false;
    }
    *out_low = region.low;
    *out_high = region.high;
    return true;
}

bool effects_is_must(struct analysis *an, const struct access *access, const struct loop_info *info)
{
    return is_must(an, access, info);
}

// ---- effects -------------------------------------------------------------------------------------------------------

struct draft {
    struct plan_effect effect;
    struct region region; // low NULL: the whole array
};

struct drafts {
    struct draft *items;
    int count;
    int capacity;
};

static int field_number(const struct ir_module *module, int global)
{
    int number = 0;
    for (int i = 0; i < global; i++) {
        number += !module->globals[i]->is_const;
    }
    return number;
}

// False for what is no effect: constants, structs by value, memory of the code's own.
static bool effect_base(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                        struct plan_effect *out)
{
    int index = base_index(access->base);
    switch (base_kind(access->base)) {
    case BASE_PARAM:
        out->base = PLAN_BASE_PARAM;
        out->index = index;
        return !an->kernel->params[index].is_struct;
    case BASE_GLOBAL:
        out->base = PLAN_BASE_FIELD;
        out->index = field_number(an->module, index);
        return !an->module->globals[index]->is_const;
    case BASE_LOCAL:
        out->base = PLAN_BASE_BLOCK;
        out->index = index;
        return !effects_is_own(scope, an->kernel->vars[index]);
    case BASE_NULL: return false;
    case BASE_UNKNOWN: break;
    }
    out->base = PLAN_BASE_UNKNOWN;
    out->index = 0;
    return true;
}

static void set_access(const struct access *access, struct plan_effect *out)
{
    out->access = access->kind == ACCESS_READ ? PLAN_READ : access->kind == ACCESS_WRITE ? PLAN_WRITE : PLAN_UPDATE;
    out->update = access->kind == ACCESS_UPDATE || access->kind == ACCESS_ATOMIC ? access->update : IR_UPDATE_NONE;
    out->type = access->type;
    out->is_explicit = access->kind == ACCESS_ATOMIC;
    out->is_atomic = out->is_explicit || (access->kind == ACCESS_UPDATE && access->inst->atomic);
    out->loc = access->inst->loc;
}

static bool is_same_kind(const struct plan_effect *a, const struct plan_effect *b)
{
    return a->base == b->base && a->index == b->index && a->access == b->access && a->update == b->update &&
           a->type == b->type && a->is_explicit == b->is_explicit && a->is_atomic == b->is_atomic;
}

// Regions that differ by constants become one; beginnings then have in common what the steps and the distance have.
static bool merge_region(struct analysis *an, struct region *into, const struct region *from)
{
    struct affine_pool *pool = &an->pool;
    if (into->low == NULL || from->low == NULL) {
        if (into->low == NULL && from->low == NULL) {
            return true;
        }
        return false;
    }
    int64_t low, high;
    if (!affine_is_const(affine_sub(pool, from->low, into->low), &low) ||
        !affine_is_const(affine_sub(pool, from->high, into->high), &high)) {
        return false;
    }
    if (low == 0 && high == 0 && into->width == from->width && affine_equal(into->step, from->step)) {
        into->is_must |= from->is_must;
        return true;
    }
    int64_t step_a, step_b;
    if (affine_is_const(into->step, &step_a) && affine_is_const(from->step, &step_b) && into->width == from->width) {
        int64_t common = gcd(gcd(step_a, step_b), low);
        into->step = common > into->width ? affine_const(pool, common) : NULL;
    } else {
        into->step = NULL;
    }
    into->low = low < 0 ? from->low : into->low;
    into->high = high > 0 ? from->high : into->high;
    into->is_must = false;
    return true;
}

static int add_draft(struct analysis *an, struct drafts *drafts, const struct plan_effect *effect,
                     const struct region *region)
{
    enum { MAX_REGIONS = 8 };
    int same = 0, last = -1;
    for (int i = 0; i < drafts->count; i++) {
        if (!is_same_kind(&drafts->items[i].effect, effect)) {
            continue;
        }
        if (merge_region(an, &drafts->items[i].region, region)) {
            return i;
        }
        same++;
        last = i;
    }
    if (same >= MAX_REGIONS) {
        drafts->items[last].region = (struct region){0};
        return last;
    }
    struct draft draft = {*effect, *region};
    VEC_PUSH(an->arena, drafts, draft);
    return drafts->count - 1;
}

static void finish_draft(struct analysis *an, const struct draft *draft, const struct sym *const *entry,
                         struct plan_effect *out)
{
    *out = draft->effect;
    out->region.low = value_expr(an, draft->region.low, entry);
    out->region.high = value_expr(an, draft->region.high, entry);
    if (out->region.low == NULL || out->region.high == NULL || out->base == PLAN_BASE_UNKNOWN) {
        out->region = (struct plan_region){0};
        return;
    }
    out->region.width = draft->region.width;
    int64_t step;
    bool is_gapless = affine_is_const(draft->region.step, &step) && step <= draft->region.width;
    out->region.step = draft->region.step != NULL && !is_gapless ? value_expr(an, draft->region.step, entry) : NULL;
    out->is_must = draft->region.is_must;
}

bool effects_is_own(const struct effects_scope *scope, const struct ir_var *var)
{
    if (scope->info != NULL && scalars_is_private_memory(scope->info, var)) {
        return true;
    }
    for (const struct ir_inst *outer = var->scope; outer != NULL;
         outer = outer->parent != NULL ? outer->parent->owner : NULL) {
        for (int i = 0; i < scope->root_count; i++) {
            if (outer == scope->roots[i]) {
                return true;
            }
        }
    }
    return false;
}

// Tests only: spoils the region, or says that the access is to be forgotten.
static bool plant_bug(struct analysis *an, const struct access *access, struct region *region)
{
    struct affine_pool *pool = &an->pool;
    if (region->low != NULL && an->bug == BUG_REGION_SHORT) {
        region->high = affine_sub(pool, region->high, access->size);
    } else if (region->low != NULL && an->bug == BUG_REGION_LATE) {
        region->low = affine_add(pool, region->low, access->size);
    } else if (an->bug == BUG_STEP_DOUBLED) {
        region->step = affine_scale(pool, region->step, 2);
    }
    const struct ir_inst *owner = access->inst->parent->owner;
    return an->bug == BUG_BRANCH_STORES && access->kind == ACCESS_WRITE && owner != NULL && owner->op == IR_OP_IF;
}

void effects_sum_up(struct analysis *an, const struct effects_scope *scope, struct plan_effect **out_effects,
                    int *out_count, int *effect_of_access)
{
    struct drafts drafts = {0};
    for (int i = scope->begin; i < scope->end; i++) {
        const struct access *access = &an->accesses.items[i];
        struct plan_effect effect = {0};
        struct region region;
        if (effect_of_access != NULL) {
            effect_of_access[i - scope->begin] = -1;
        }
        if ((scope->wants != NULL && !scope->wants(access, scope->data)) || !effect_base(an, access, scope, &effect)) {
            continue;
        }
        set_access(access, &effect);
        if (!find_region(an, access, scope->first_atom, &region)) {
            region = (struct region){0};
        }
        if (plant_bug(an, access, &region)) {
            continue;
        }
        region.is_must = region.low != NULL && is_must(an, access, scope->info);
        int index = add_draft(an, &drafts, &effect, &region);
        if (effect_of_access != NULL) {
            effect_of_access[i - scope->begin] = index;
        }
    }
    *out_count = drafts.count;
    *out_effects = ARENA_ARRAY(an->arena, struct plan_effect, drafts.count + 1);
    for (int i = 0; i < drafts.count; i++) {
        finish_draft(an, &drafts.items[i], scope->entry, &(*out_effects)[i]);
    }
}
