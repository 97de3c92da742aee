// Regions at launch: from expressions to addresses, and whether two of them meet.
#include "plan/plan.h"

#include "plan/abi.h"

#include <assert.h>

static uint64_t base_address(const struct plan_effect *effect, const struct plan_values *values)
{
    uint64_t address = 0;
    if (effect->base == PLAN_BASE_PARAM && values->args != NULL) {
        const struct plan_expr param = {.kind = PLAN_EXPR_PARAM, .type = IR_PTR, .index = effect->index};
        union ir_value value;
        if (plan_eval(&param, values, &value)) {
            address = (uint64_t)value.i;
        }
    } else if (effect->base == PLAN_BASE_FIELD && values->field_addresses != NULL) {
        address = values->field_addresses[effect->index];
    } else if (effect->base == PLAN_BASE_BLOCK) {
        address = (uint64_t)(uintptr_t)values->block;
    }
    return address;
}

// The whole object behind a base. False if its size is not known.
static bool whole_size(const struct plan_effect *effect, const struct plan_values *values, uint64_t *out_size)
{
    if (effect->base == PLAN_BASE_PARAM && values->array_sizes != NULL) {
        *out_size = values->array_sizes[effect->index];
        return true;
    }
    if (effect->base == PLAN_BASE_FIELD && values->field_sizes != NULL) {
        *out_size = values->field_sizes[effect->index];
        return true;
    }
    if (effect->base == PLAN_BASE_BLOCK) {
        *out_size = values->kernel->block_size;
        return true;
    }
    return false;
}

bool plan_span_of(const struct plan_effect *effect, const struct plan_values *values, struct plan_span *out)
{
    *out = (struct plan_span){.unknown = true};
    if (effect->base == PLAN_BASE_UNKNOWN) {
        return true;
    }
    uint64_t base = base_address(effect, values);
    if (base == 0) {
        return false;
    }
    union ir_value low;
    union ir_value high;
    if (effect->region.low == NULL || !plan_eval(effect->region.low, values, &low) ||
        !plan_eval(effect->region.high, values, &high)) {
        uint64_t size;
        if (!whole_size(effect, values, &size)) {
            return true; // unknown: it overlaps with everything
        }
        *out = (struct plan_span){.low = base, .high = base + size};
        return true;
    }
    union ir_value step = {.i = 0};
    if (effect->region.step != NULL && !plan_eval(effect->region.step, values, &step)) {
        step.i = 0;
    }
    out->unknown = false;
    out->low = base + (uint64_t)low.i;
    out->high = high.i > low.i ? base + (uint64_t)high.i : out->low;
    out->step = step.i < 0 ? (uint64_t)0 - (uint64_t)step.i : (uint64_t)step.i;
    out->width = effect->region.width;
    return true;
}

// What the parameter's shape says; the array that was passed may be larger.
static bool shape_size(const struct plan_effect *effect, const struct plan_values *values, uint64_t *out_size)
{
    if (effect->base != PLAN_BASE_PARAM || values->kernel->params[effect->index].rank == 0) {
        return false;
    }
    const struct plan_param *param = &values->kernel->params[effect->index];
    uint64_t size = param->ctype->size;
    for (int i = 0; i < param->rank; i++) {
        union ir_value extent;
        if (!plan_eval(param->extents[i], values, &extent) || extent.i < 0 ||
            __builtin_mul_overflow(size, (uint64_t)extent.i, &size)) {
            return false;
        }
    }
    *out_size = size;
    return true;
}

bool plan_span_of_copy(const struct plan_task *task, int copy, const struct plan_values *values, struct plan_span *out,
                       const struct plan_effect **out_effect)
{
    assert(copy >= 0);
    *out = (struct plan_span){.low = UINT64_MAX};
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        struct plan_span span;
        if (effect->copy != copy + 1) {
            continue;
        }
        if (!plan_span_of(effect, values, &span) || span.unknown || span.high <= span.low) {
            return false;
        }
        uint64_t size;
        if (effect->region.low == NULL && shape_size(effect, values, &size) && size < span.high - span.low) {
            span.high = span.low + size;
        }
        out->low = span.low < out->low ? span.low : out->low;
        out->high = span.high > out->high ? span.high : out->high;
        *out_effect = effect;
    }
    return out->low < out->high;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool plan_spans_overlap(const struct plan_span *a, const struct plan_span *b)
{
    if (a->unknown || b->unknown) {
        return true;
    }
    if (a->low >= a->high || b->low >= b->high || a->high <= b->low || b->high <= a->low) {
        return false;
    }
    // Two combs that interleave: the accesses begin at low + k * step. They meet only if some distance between two
    // beginnings, which is the difference of the lows modulo the common divisor of the steps, is less than a width.
    if (a->step != 0 && b->step != 0 && a->width > 0 && b->width > 0) {
        uint64_t period = gcd(a->step, b->step);
        assert(period > 0);
        uint64_t ahead = b->low >= a->low ? (b->low - a->low) % period
                                          : (period - (a->low - b->low) % period) % period; // b's beginnings after a's
        return ahead < (uint64_t)a->width || period - ahead < (uint64_t)b->width;
    }
    return true;
}

enum ir_update plan_effect_merge(const struct plan_effect *effect)
{
    bool is_exact = effect->access == PLAN_UPDATE && effect->is_atomic && !effect->is_explicit &&
                    !ir_type_is_float(effect->type) && ir_updates_commute(effect->update, effect->update);
    return is_exact ? ir_update_merge(effect->update) : IR_UPDATE_NONE;
}

static bool pair_holds(const struct plan_task *task, const struct plan_pair *pair, const struct plan_values *values)
{
    assert(pair->a >= 0 && pair->a < task->effect_count && pair->b >= 0 && pair->b < task->effect_count);
    const struct plan_effect *a = &task->effects[pair->a];
    const struct plan_effect *b = &task->effects[pair->b];
    struct plan_span span_a;
    struct plan_span span_b;
    if (!plan_span_of(a, values, &span_a) || !plan_span_of(b, values, &span_b)) {
        return true; // a null array: nothing can be touched through it
    }
    if (!plan_spans_overlap(&span_a, &span_b)) {
        return true;
    }
    return pair->equal_will_do && base_address(a, values) == base_address(b, values);
}

const struct plan_pair *plan_task_broken_restrict(const struct plan_task *task, const struct plan_values *values)
{
    for (int i = 0; i < task->pair_count; i++) {
        if (task->pairs[i].is_restrict && !pair_holds(task, &task->pairs[i], values)) {
            return &task->pairs[i];
        }
    }
    return NULL;
}

static const char *effect_name(const struct plan_kernel *kernel, const struct plan_effect *effect)
{
    return effect->base == PLAN_BASE_PARAM ? kernel->params[effect->index].name : "a field";
}

bool plan_task_is_few(const struct plan_task *task, const struct plan_values *values)
{
    union ir_value value;
    return task->is_few != NULL && plan_eval(task->is_few, values, &value) && value.i != 0;
}

bool plan_task_is_fast(const struct plan_kernel *kernel, const struct plan_task *task, const struct plan_values *values,
                       struct str *out_why)
{
    for (int i = 0; i < task->condition_count; i++) {
        union ir_value value;
        if (!plan_eval(task->conditions[i].expr, values, &value) || value.i == 0) {
            if (out_why != NULL) {
                str_printf(out_why, "the condition '%s' does not hold", task->conditions[i].text);
            }
            return false;
        }
    }
    for (int i = 0; i < task->pair_count; i++) {
        if (!task->pairs[i].is_restrict && !pair_holds(task, &task->pairs[i], values)) {
            if (out_why != NULL) {
                str_printf(out_why, "'%s' and '%s' overlap", effect_name(kernel, &task->effects[task->pairs[i].a]),
                           effect_name(kernel, &task->effects[task->pairs[i].b]));
            }
            return false;
        }
    }
    return true;
}
