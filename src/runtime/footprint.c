#include "runtime/footprint.h"

#include "base/hot.h"
#include "runtime/array.h"
#include "runtime/host_range.h"

#include <assert.h>
#include <string.h>

// ---- once for each kernel -----------------------------------------------------------------------------------------

static const struct footprint_bound no_bound;

static bool add_bounds(struct footprint_bound *a, const struct footprint_bound *b, uint64_t sign)
{
    if (a->number != FOOTPRINT_NONE && b->number != FOOTPRINT_NONE &&
        (a->number != b->number || a->offset != b->offset)) {
        return false;
    }
    if (a->number == FOOTPRINT_NONE) {
        a->number = b->number;
        a->offset = b->offset;
    }
    a->constant += sign * b->constant;
    a->factor += sign * b->factor;
    return true;
}

static bool multiply_bounds(struct footprint_bound *a, const struct footprint_bound *b)
{
    if (a->number != FOOTPRINT_NONE && b->number != FOOTPRINT_NONE) {
        return false;
    }
    bool is_constant = a->number == FOOTPRINT_NONE;
    struct footprint_bound variable = is_constant ? *b : *a;
    uint64_t times = is_constant ? a->constant : b->constant;
    *a = variable;
    a->constant *= times;
    a->factor *= times;
    return true;
}

static bool read_number(const struct plan_kernel *kernel, const struct plan_expr *param, enum footprint_number number,
                        struct footprint_bound *out)
{
    if (param->kind != PLAN_EXPR_PARAM) {
        return false;
    }
    *out = (struct footprint_bound){
        .number = number, .factor = 1, .offset = kernel->params[param->index].offset + (uint64_t)param->imm};
    return true;
}

// Arithmetic on i64 wraps, here as in plan_eval(). False: it is another kind of expression.
static bool is_linear(const struct plan_kernel *kernel, const struct plan_expr *expr, struct footprint_bound *out)
{
    *out = no_bound;
    if (expr->type != IR_I64) {
        return false;
    }
    if (expr->kind == PLAN_EXPR_CONST) {
        out->constant = (uint64_t)expr->imm;
        return true;
    }
    if (expr->kind == PLAN_EXPR_PARAM) {
        return read_number(kernel, expr, FOOTPRINT_I64, out);
    }
    if (expr->kind != PLAN_EXPR_OP) {
        return false;
    }
    if ((expr->op == IR_OP_SEXT || expr->op == IR_OP_ZEXT) && expr->args[0]->type == IR_I32) {
        return read_number(kernel, expr->args[0], expr->op == IR_OP_SEXT ? FOOTPRINT_S32 : FOOTPRINT_U32, out);
    }
    struct footprint_bound other;
    if ((expr->op != IR_OP_ADD && expr->op != IR_OP_SUB && expr->op != IR_OP_MUL) ||
        !is_linear(kernel, expr->args[0], out) || !is_linear(kernel, expr->args[1], &other)) {
        return false;
    }
    return expr->op == IR_OP_MUL ? multiply_bounds(out, &other)
                                 : add_bounds(out, &other, expr->op == IR_OP_ADD ? 1 : (uint64_t)-1);
}

// Whether the arguments of a launch are enough to evaluate it.
static bool is_known(const struct plan_expr *expr)
{
    if (expr->kind == PLAN_EXPR_SLOT || expr->kind == PLAN_EXPR_VAR || expr->kind == PLAN_EXPR_LOOPVAR ||
        expr->kind == PLAN_EXPR_WIDTH) {
        return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!is_known(expr->args[i])) {
            return false;
        }
    }
    return true;
}

static struct footprint_bound describe_bound(const struct plan_kernel *kernel, const struct plan_expr *expr)
{
    struct footprint_bound bound;
    if (expr == NULL) {
        return no_bound;
    }
    return is_linear(kernel, expr, &bound) ? bound : (struct footprint_bound){.number = FOOTPRINT_EXPR, .expr = expr};
}

static enum hazard_kind kind_of(const struct plan_effect *effect)
{
    return effect->access == PLAN_READ                   ? HAZARD_READ
           : plan_effect_merge(effect) != IR_UPDATE_NONE ? HAZARD_UPDATE
                                                         : HAZARD_WRITE;
}

static bool needs_fast(const struct plan_task *task)
{
    bool has_tests = task->condition_count > 0;
    for (int i = 0; i < task->pair_count; i++) {
        has_tests = has_tests || !task->pairs[i].is_restrict;
    }
    return has_tests;
}

static bool leaves_early(const struct plan_node *node)
{
    bool does = node != NULL && (node->kind == PLAN_RETURN || node->kind == PLAN_BREAK);
    for (int i = 0; node != NULL && !does && i < node->child_count; i++) {
        does = leaves_early(node->children[i]);
    }
    return does;
}

// Whether the task runs, at least for no iteration, whenever |node| does.
static bool runs_for_sure(const struct plan_node *node, int task)
{
    if (node == NULL || (node->kind == PLAN_TASK && node->task != task)) {
        return false;
    }
    bool does = node->kind == PLAN_TASK;
    bool goes_in = node->kind == PLAN_SEQUENCE || node->kind == PLAN_REGION;
    for (int i = 0; goes_in && !does && i < node->child_count; i++) {
        does = runs_for_sure(node->children[i], task);
    }
    return does;
}

static struct footprint_rule describe_effect(const struct kernel *kernel, const struct plan_task *task,
                                             const struct plan_effect *effect)
{
    const struct plan_region *region = &effect->region;
    struct footprint_rule rule = {.effect = effect, .access = {.kind = kind_of(effect), .is_certain = effect->is_sure}};
    if (rule.access.kind == HAZARD_UPDATE) {
        rule.access.update = plan_effect_merge(effect);
        rule.access.type = effect->type;
        rule.task = needs_fast(task) ? task : NULL;
    }
    rule.access.what = effect->base == PLAN_BASE_PARAM   ? effect->index
                       : effect->base == PLAN_BASE_FIELD ? FOOTPRINT_FIELD + effect->index
                                                         : FOOTPRINT_ANYTHING;
    if (effect->base == PLAN_BASE_FIELD) {
        const struct module *module = kernel->module;
        rule.base = (uint64_t)(uintptr_t)kernel->context->backend->image_field(kernel->image, effect->index);
        rule.size = module->plan->fields[effect->index].size;
    }
    rule.is_whole = region->low == NULL || region->high == NULL || !is_known(region->low) || !is_known(region->high);
    if (!rule.is_whole) {
        rule.low = describe_bound(kernel->plan, region->low);
        rule.high = describe_bound(kernel->plan, region->high);
        bool has_step = region->step != NULL && is_known(region->step);
        rule.step = has_step ? describe_bound(kernel->plan, region->step) : no_bound;
        rule.access.span.width = region->width;
    }
    return rule;
}

static bool same_expr(const struct plan_expr *a, const struct plan_expr *b)
{
    return a == b || (a != NULL && b != NULL && plan_expr_equal(a, b));
}

static bool is_same(const struct footprint_rule *a, const struct footprint_rule *b)
{
    const struct plan_region *x = &a->effect->region;
    const struct plan_region *y = &b->effect->region;
    return a->is_whole == b->is_whole && (a->is_whole || (same_expr(x->low, y->low) && same_expr(x->high, y->high) &&
                                                          same_expr(x->step, y->step) && x->width == y->width));
}

// Whether |a| makes |b| say nothing more.
static bool covers(const struct footprint_rule *a, const struct footprint_rule *b)
{
    if (a->access.what != b->access.what || (!a->is_whole && !is_same(a, b))) {
        return false;
    }
    return a->access.kind == HAZARD_WRITE ||
           (a->access.kind == b->access.kind && a->access.update == b->access.update &&
            a->access.type == b->access.type && a->task == b->task);
}

struct rules {
    struct footprint_rule items[FOOTPRINT_MAX_RULES];
    int count;
};

// False: there is no room.
static bool add_rule(struct rules *rules, const struct footprint_rule *rule)
{
    for (int i = 0; i < rules->count; i++) {
        if (covers(&rules->items[i], rule)) {
            rules->items[i].access.is_certain |= rule->access.is_certain && is_same(&rules->items[i], rule);
            return true;
        }
    }
    for (int i = rules->count; i > 0; i--) {
        if (covers(rule, &rules->items[i - 1])) {
            rules->items[i - 1] = rules->items[--rules->count];
        }
    }
    if (rules->count == FOOTPRINT_MAX_RULES) {
        return false;
    }
    rules->items[rules->count++] = *rule;
    return true;
}

// Memory that is lent to one launch, and what lives no longer than it, nobody else touches.
static bool counts(const struct plan_kernel *plan, const struct plan_effect *effect)
{
    return effect->base == PLAN_BASE_UNKNOWN || effect->base == PLAN_BASE_FIELD ||
           (effect->base == PLAN_BASE_PARAM && effect->index < plan->param_count - plan->hidden_count);
}

// With |is_coarse| of each array whether it is read or written, and nothing else.
static bool find_rules(const struct kernel *kernel, bool is_coarse, struct rules *rules)
{
    const struct plan_kernel *plan = kernel->plan;
    bool early = leaves_early(plan->root);
    rules->count = 0;
    for (int t = 0; t < plan->task_count; t++) {
        for (int i = 0; i < plan->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &plan->tasks[t].effects[i];
            if (!counts(plan, effect)) {
                continue;
            }
            struct footprint_rule rule = describe_effect(kernel, &plan->tasks[t], effect);
            rule.access.is_certain = rule.access.is_certain && !early && runs_for_sure(plan->root, t);
            if (is_coarse) {
                rule.is_whole = true;
                rule.access.is_certain = false;
                rule.access.kind = rule.access.kind == HAZARD_READ ? HAZARD_READ : HAZARD_WRITE;
                rule.access.update = IR_UPDATE_NONE;
                rule.access.type = IR_VOID;
                rule.task = NULL;
            }
            if (!add_rule(rules, &rule)) {
                return false;
            }
        }
    }
    return true;
}

void footprint_describe(struct kernel *kernel)
{
    struct rules rules;
    if (!find_rules(kernel, false, &rules) && !find_rules(kernel, true, &rules)) {
        static const struct plan_effect anything = {.base = PLAN_BASE_UNKNOWN, .access = PLAN_WRITE};
        rules.items[0] = (struct footprint_rule){
            .effect = &anything, .access = {.kind = HAZARD_WRITE, .what = FOOTPRINT_ANYTHING}, .is_whole = true};
        rules.count = 1;
    }
    struct footprint_rule *copy =
        ARENA_ARRAY(&kernel->module->arena, struct footprint_rule, rules.count > 0 ? rules.count : 1);
    for (int i = 0; i < rules.count; i++) {
        const struct footprint_rule *rule = &rules.items[i];
        copy[i] = *rule;
        kernel->footprint_has_expr |= rule->task != NULL || rule->low.number == FOOTPRINT_EXPR ||
                                      rule->high.number == FOOTPRINT_EXPR || rule->step.number == FOOTPRINT_EXPR;
    }
    kernel->footprint = copy;
    kernel->footprint_count = rules.count;
}

// ---- for each launch ----------------------------------------------------------------------------------------------

static inline bool evaluate(const struct footprint_bound *bound, const struct plan_values *values, uint64_t *out)
{
    const unsigned char *args = values->args;
    int32_t narrow;
    int64_t wide = 0;
    switch (bound->number) {
    case FOOTPRINT_NONE: *out = bound->constant; return true;
    case FOOTPRINT_S32:
    case FOOTPRINT_U32:
        memcpy(&narrow, args + bound->offset, sizeof narrow);
        wide = bound->number == FOOTPRINT_S32 ? narrow : (int64_t)(uint32_t)narrow;
        break;
    case FOOTPRINT_I64: memcpy(&wide, args + bound->offset, sizeof wide); break;
    case FOOTPRINT_EXPR: {
        union ir_value value;
        bool is_known_now = plan_eval(bound->expr, values, &value);
        *out = is_known_now ? (uint64_t)value.i : 0;
        return is_known_now;
    }
    }
    *out = bound->constant + bound->factor * (uint64_t)wide;
    return true;
}

// The region of a rule that is not the whole. False: one end could not be evaluated.
static inline bool find_span(const struct footprint_rule *rule, const struct plan_values *values, uint64_t base,
                             struct plan_span *out)
{
    uint64_t low;
    uint64_t high;
    uint64_t step = 0;
    if (!evaluate(&rule->low, values, &low) || !evaluate(&rule->high, values, &high)) {
        return false;
    }
    if (!evaluate(&rule->step, values, &step)) {
        step = 0;
    }
    out->low = base + low;
    out->high = (int64_t)high > (int64_t)low ? base + high : out->low;
    out->step = (int64_t)step < 0 ? 0 - step : step;
    out->width = rule->access.span.width;
    out->unknown = false;
    if (out->high < out->low) { // beyond the end of all addresses
        *out = (struct plan_span){.high = UINT64_MAX};
    }
    return true;
}

static const struct plan_span everything = {.high = UINT64_MAX};

static struct plan_span bytes_at(uint64_t address, uint64_t size)
{
    return (struct plan_span){.low = address, .high = size <= UINT64_MAX - address ? address + size : UINT64_MAX};
}

static inline void add_by_rule(struct footprint *out, const struct footprint_rule *rule,
                               const struct plan_values *values, const struct packed_args *packed)
{
    struct hazard_access *access = &out->items[out->count];
    *access = rule->access;
    uint64_t base = rule->base;
    uint64_t size = rule->size;
    if (LIKELY(rule->effect->base == PLAN_BASE_PARAM)) {
        int index = rule->effect->index;
        if (UNLIKELY(packed->host_count > 0) && packed->hosts[index] != NULL) {
            return; // a copy of the launch's own
        }
        memcpy(&base, packed->buffer + packed->kernel->plan->params[index].offset, sizeof base);
        size = packed->sizes[index];
    }
    if (UNLIKELY(rule->effect->base == PLAN_BASE_UNKNOWN)) {
        access->span = everything;
    } else if (base == 0) {
        return; // nothing can be touched through it
    } else if (rule->is_whole || !find_span(rule, values, base, &access->span)) {
        access->span = bytes_at(base, size);
    }
    if (UNLIKELY(rule->task != NULL) && !plan_task_is_fast(values->kernel, rule->task, values, NULL)) {
        access->kind = HAZARD_WRITE; // in order its updates are not atomic
    }
    out->count += access->span.low < access->span.high;
}

// Memory of the host that is copied to the device and back: all of a range, whatever the kernel touches of it.
static __attribute__((noinline)) void add_host_ranges(struct footprint *out, const struct packed_args *packed)
{
    struct host_ranges ranges;
    host_ranges_find(&ranges, packed);
    for (int i = 0; i < ranges.count; i++) {
        const struct backend_host_range *range = &ranges.items[i];
        enum hazard_kind kind = range->is_written ? HAZARD_WRITE : HAZARD_READ;
        if ((range->is_written || range->is_read) &&
            footprint_of_bytes(&out->items[out->count], kind, range->low, range->size)) {
            out->count++;
        }
    }
}

static inline void add_all(struct footprint *out, const struct plan_values *values, const struct packed_args *packed)
{
    const struct kernel *kernel = packed->kernel;
    for (int i = 0; i < kernel->footprint_count; i++) {
        add_by_rule(out, &kernel->footprint[i], values, packed);
    }
}

// The ends and the step of a region have most of their expressions in common. Of a kernel with more of them than there
// is room for each is evaluated wherever it stands.
static __attribute__((noinline)) void add_all_once(struct footprint *out, struct plan_values *values,
                                                   const struct packed_args *packed)
{
    enum { ROOM = 512 };
    _Atomic uint64_t results[ROOM];
    _Atomic uint8_t known[ROOM];
    int count = values->kernel->memo_count;
    if (count <= ROOM) {
        memset((void *)known, 0, (size_t)count);
        values->memo = (struct plan_memo){.values = results, .known = known};
    }
    add_all(out, values, packed);
    values->memo = (struct plan_memo){0};
}

void footprint_of_launch(struct footprint *out, const struct packed_args *packed, const void *result)
{
    const struct kernel *kernel = packed->kernel;
    struct plan_values values = {.kernel = kernel->plan, .args = packed->buffer, .array_sizes = packed->sizes};
    out->count = 0;
    if (UNLIKELY(kernel->footprint_has_expr)) {
        add_all_once(out, &values, packed);
    } else {
        add_all(out, &values, packed);
    }
    if (UNLIKELY(packed->host_count > 0)) {
        add_host_ranges(out, packed);
    }
    assert(out->count < FOOTPRINT_MAX);
    if (result != NULL && footprint_of_bytes(&out->items[out->count], HAZARD_WRITE, result, kernel->returns->size)) {
        out->items[out->count++].what = FOOTPRINT_RESULT;
    }
}

bool footprint_of_bytes(struct hazard_access *out, enum hazard_kind kind, const void *address, size_t size)
{
    *out = (struct hazard_access){.span = bytes_at((uint64_t)(uintptr_t)address, size),
                                  .kind = kind,
                                  .is_certain = true,
                                  .what = FOOTPRINT_ANYTHING};
    return size > 0;
}
