// What code touches, as regions that the launch can compute: lowest and highest byte over everything that varies in the
// code, and the step between accesses. Regions hold whatever version of a task runs, so where an index might wrap the
// launch tests whether it does: then its region is the whole array, or as much of it as the index may reach.
#include "analysis/effects/effects.h"

#include <assert.h>

enum { MAX_REGIONS = 8 }; // of one base and kind of access

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

static const char *why_atomic(const struct analysis *an, const struct access *access)
{
    if (access->kind == ACCESS_ATOMIC) {
        return "an explicit atomic";
    }
    for (int i = 0; i < an->atomics.count; i++) {
        if (an->atomics.items[i].inst == access->inst) {
            return an->atomics.items[i].why;
        }
    }
    return NULL;
}

static void set_access(const struct analysis *an, const struct access *access, struct plan_effect *out)
{
    out->access = access->kind == ACCESS_READ ? PLAN_READ : access->kind == ACCESS_WRITE ? PLAN_WRITE : PLAN_UPDATE;
    out->update = access->kind == ACCESS_UPDATE || access->kind == ACCESS_ATOMIC ? access->update : IR_UPDATE_NONE;
    out->type = access->type;
    out->is_explicit = access->kind == ACCESS_ATOMIC;
    out->is_atomic = out->is_explicit || (access->kind == ACCESS_UPDATE && access->is_atomic);
    out->loc = access->inst->loc;
    out->why = out->is_atomic ? why_atomic(an, access) : NULL;
}

static bool is_same_kind(const struct plan_effect *a, const struct plan_effect *b)
{
    return a->base == b->base && a->index == b->index && a->access == b->access && a->update == b->update &&
           a->type == b->type && a->is_explicit == b->is_explicit && a->is_atomic == b->is_atomic;
}

static bool same_test(const struct plan_expr *a, const struct plan_expr *b)
{
    return a == b || (a != NULL && b != NULL && plan_expr_equal(a, b));
}

static bool same_value(const struct poly *a, const struct poly *b)
{
    return a == b || poly_equal(a, b);
}

// Regions that differ by constants become one; beginnings then have in common what the steps and the distance have.
static bool merge_region(struct analysis *an, struct region *into, const struct region *from)
{
    struct poly_pool *pool = &an->pool;
    if (into->low == NULL || from->low == NULL) {
        if (into->low == NULL && from->low == NULL) {
            return true;
        }
        return false;
    }
    assert(into->high != NULL && from->high != NULL); // a region has both ends or none
    if (!same_value(into->wide_low, from->wide_low) || !same_value(into->wide_high, from->wide_high) ||
        (into->only_if == NULL) != (from->only_if == NULL)) {
        return false;
    }
    int64_t low, high;
    if (!poly_is_const(poly_sub(pool, from->low, into->low), &low) ||
        !poly_is_const(poly_sub(pool, from->high, into->high), &high)) {
        return false;
    }
    if (!same_test(into->only_if, from->only_if)) {
        into->only_if = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, into->only_if, from->only_if);
        into->test_count += from->test_count;
    }
    if (low == 0 && high == 0 && into->width == from->width && poly_equal(into->step, from->step)) {
        into->is_must |= from->is_must;
        into->is_sure |= from->is_sure;
        into->bound = into->is_sure ? NULL : into->bound;
        return true;
    }
    int64_t step_a, step_b;
    if (poly_is_const(into->step, &step_a) && poly_is_const(from->step, &step_b) && into->width == from->width) {
        int64_t common = effects_gcd(effects_gcd(step_a, step_b), low);
        into->step = common > into->width ? poly_const(pool, common) : NULL;
    } else {
        into->step = NULL;
    }
    into->low = low < 0 ? from->low : into->low;
    into->high = high > 0 ? from->high : into->high;
    into->is_must = false;
    into->is_sure = false;
    if (into->bound == NULL) {
        into->bound = from->bound != NULL ? from->bound : "several accesses count as one range";
        into->bound_loc = from->bound_loc;
    }
    return true;
}

// Whether two regions lie so close that one says as much as both: the same bytes, or runs without gaps that touch.
static bool is_adjacent(struct analysis *an, const struct region *a, const struct region *b)
{
    struct poly_pool *pool = &an->pool;
    if (a->low == NULL || b->low == NULL) {
        return a->low == b->low;
    }
    int64_t low, high, step_a, step_b;
    if (!same_test(a->only_if, b->only_if) || a->width != b->width ||
        !poly_is_const(poly_sub(pool, b->low, a->low), &low) ||
        !poly_is_const(poly_sub(pool, b->high, a->high), &high) || low != high) {
        return false;
    }
    bool is_gapless = a->width > 0 && poly_is_const(a->step, &step_a) && poly_is_const(b->step, &step_b) &&
                      step_a <= a->width && step_b <= b->width;
    return low == 0 ? poly_equal(a->step, b->step) || (a->step == NULL && b->step == NULL)
                    : is_gapless && low >= -a->width && low <= a->width;
}

// A launch makes few tests of one array; and none where all that it would leave out is touched by another access.
static bool is_worth_tests(const struct drafts *drafts, const struct draft *draft)
{
    enum { MAX_TESTS = 6 };
    int count = 0, same = 0;
    for (int i = 0; i < drafts->count; i++) {
        const struct region *region = &drafts->items[i].region;
        if (is_same_kind(&drafts->items[i].effect, &draft->effect)) {
            if (region->only_if == NULL && same_value(region->low, draft->region.wide_low) &&
                same_value(region->high, draft->region.wide_high)) {
                return false;
            }
            same++;
            count += same_test(region->only_if, draft->region.only_if) ? 0 : region->test_count;
        }
    }
    return count < MAX_TESTS && same <= MAX_REGIONS / 2;
}

static int add_draft(struct analysis *an, struct drafts *drafts, struct draft *draft, bool keep_apart)
{
    if (draft->region.wide_low != NULL && !is_worth_tests(drafts, draft)) {
        effects_widen(&draft->region);
    }
    int same = 0, last = -1;
    for (int i = 0; i < drafts->count; i++) {
        if (!is_same_kind(&drafts->items[i].effect, &draft->effect)) {
            continue;
        }
        struct region *region = &drafts->items[i].region;
        if ((!keep_apart || is_adjacent(an, region, &draft->region)) && merge_region(an, region, &draft->region)) {
            return i;
        }
        same++;
        last = i;
    }
    if (same >= MAX_REGIONS) {
        drafts->items[last].region = (struct region){0};
        return last;
    }
    VEC_PUSH(an->arena, drafts, *draft);
    return drafts->count - 1;
}

// Both regions hold where the test does. Which bytes the steps begin at must stay as it is though.
static void add_wide(struct analysis *an, const struct region *region, const struct var_values *entry,
                     struct plan_region *out)
{
    struct arena *arena = an->arena;
    struct plan_expr *low = value_expr(an, region->wide_low, entry), *high = value_expr(an, region->wide_high, entry);
    struct plan_expr *later = plan_op(arena, IR_OP_SMAX, IR_I64, IR_I64, low, out->low);
    struct plan_expr *earlier = plan_op(arena, IR_OP_SMIN, IR_I64, IR_I64, high, out->high);
    bool has_step = out->step != NULL;
    out->low = plan_select(arena, region->only_if, has_step ? out->low : later, low);
    out->high = plan_select(arena, region->only_if, earlier, high);
    out->step = has_step ? plan_select(arena, region->only_if, out->step, plan_const(arena, IR_I64, 0)) : NULL;
}

static void finish_draft(struct analysis *an, const struct draft *draft, const struct var_values *entry,
                         struct plan_effect *out)
{
    *out = draft->effect;
    out->bound = draft->region.bound;
    out->bound_loc = draft->region.bound_loc;
    out->region.low = value_expr(an, draft->region.low, entry);
    out->region.high = value_expr(an, draft->region.high, entry);
    if (out->region.low == NULL || out->region.high == NULL || out->base == PLAN_BASE_UNKNOWN) {
        out->region = (struct plan_region){0};
        return;
    }
    out->region.width = draft->region.width;
    int64_t step;
    bool is_gapless = poly_is_const(draft->region.step, &step) && step <= draft->region.width;
    out->region.step = draft->region.step != NULL && !is_gapless ? value_expr(an, draft->region.step, entry) : NULL;
    if (draft->region.wide_low != NULL) {
        assert(!draft->region.is_must && !draft->region.is_sure);
        add_wide(an, &draft->region, entry, &out->region);
    }
    out->is_must = draft->region.is_must;
    out->bound = out->is_must ? NULL : out->bound;
    out->is_sure = draft->region.is_sure;
}

bool effects_is_own(const struct effects_scope *scope, const struct ir_var *var)
{
    if (scope->info != NULL && ir_has_role(scope->info->inst->loop, var)) {
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
    struct poly_pool *pool = &an->pool;
    if (region->low != NULL && analysis_has_bug(an, BUG_REGION_SHORT)) {
        region->high = poly_sub(pool, region->high, access->size);
    } else if (region->low != NULL && analysis_has_bug(an, BUG_REGION_LATE)) {
        region->low = poly_add(pool, region->low, access->size);
    } else if (analysis_has_bug(an, BUG_STEP_DOUBLED)) {
        region->step = poly_scale(pool, region->step, 2);
    }
    const struct ir_inst *owner = access->inst->parent->owner;
    return analysis_has_bug(an, BUG_BRANCH_STORES) && access->kind == ACCESS_WRITE && owner != NULL &&
           owner->op == IR_OP_IF;
}

static struct drafts draft_all(struct analysis *an, const struct effects_scope *scope, int *effect_of_access)
{
    struct drafts drafts = {0};
    for (int i = scope->begin; i < scope->end; i++) {
        const struct access *access = &an->accesses.items[i];
        struct draft draft = {0};
        if (effect_of_access != NULL) {
            effect_of_access[i - scope->begin] = -1;
        }
        if ((scope->wants != NULL && !scope->wants(access, scope->data)) ||
            !effect_base(an, access, scope, &draft.effect)) {
            continue;
        }
        set_access(an, access, &draft.effect);
        if (!(scope->is_block && effects_find_region_if(an, access, scope, &draft.region)) &&
            !effects_find_region(an, access, scope->first_atom, &draft.region)) {
            draft.region = (struct region){0};
        }
        if (!scope->is_block) {
            effects_narrow(an, access, scope, &draft.region);
        }
        if (plant_bug(an, access, &draft.region)) {
            continue;
        }
        draft.region.is_sure = draft.region.low != NULL && effects_is_sure(an, access, scope->info, &draft.region);
        draft.region.is_must = draft.region.low != NULL && effects_is_must(an, access, scope->info, &draft.region);
        draft.region.bound_loc = access->inst->loc;
        if (!draft.region.is_sure) {
            draft.region.bound = effects_why_bound(an, access, scope->info, &draft.region);
        }
        int index = add_draft(an, &drafts, &draft, scope->is_block);
        if (effect_of_access != NULL) {
            effect_of_access[i - scope->begin] = index;
        }
    }
    return drafts;
}

void effects_sum_up(struct analysis *an, const struct effects_scope *scope, struct plan_effect **out_effects,
                    int *out_count, int *effect_of_access)
{
    assert(scope->begin <= scope->end && scope->end <= an->accesses.count);
    struct drafts drafts = draft_all(an, scope, effect_of_access);
    *out_count = drafts.count;
    *out_effects = ARENA_ARRAY(an->arena, struct plan_effect, drafts.count + 1);
    for (int i = 0; i < drafts.count; i++) {
        finish_draft(an, &drafts.items[i], scope->entry, &(*out_effects)[i]);
    }
}

void effects_sum_up_block(struct analysis *an, const struct effects_scope *scope, struct block_effect **out_effects,
                          int *out_count)
{
    struct drafts drafts = draft_all(an, scope, NULL);
    *out_count = drafts.count;
    *out_effects = ARENA_ARRAY(an->arena, struct block_effect, drafts.count + 1);
    for (int i = 0; i < drafts.count; i++) {
        struct block_effect *out = &(*out_effects)[i];
        finish_draft(an, &drafts.items[i], scope->entry, &out->effect);
        out->only_if = out->effect.region.low != NULL ? drafts.items[i].region.only_if : NULL;
    }
}
