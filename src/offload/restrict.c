// What `restrict` says about the arguments of a kernel, and the tests of it in checked mode.
#include "base/vec.h"
#include "offload/offload.h"

#include <assert.h>

static bool is_restrict(const struct offload *o, const struct plan_effect *effect)
{
    assert(effect->base != PLAN_BASE_PARAM || effect->index < o->out->param_count);
    return effect->base == PLAN_BASE_PARAM && o->out->params[effect->index].is_restrict;
}

bool restrict_separates(const struct offload *o, const struct plan_effect *a, const struct plan_effect *b)
{
    bool are_visible = (a->base == PLAN_BASE_PARAM || a->base == PLAN_BASE_FIELD) &&
                       (b->base == PLAN_BASE_PARAM || b->base == PLAN_BASE_FIELD);
    bool is_one = a->base == b->base && a->index == b->index;
    return are_visible && !is_one && (is_restrict(o, a) || is_restrict(o, b)) &&
           (a->access != PLAN_READ || b->access != PLAN_READ);
}

// The analysis takes it that `restrict` arguments are disjoint. In checked mode the launch tests that they are.
static void add_pairs(struct offload *o, struct plan_task *task)
{
    struct {
        struct plan_pair *items;
        int count;
        int capacity;
    } pairs = {task->pairs, task->pair_count, task->pair_count};
    for (int i = 0; i < task->effect_count; i++) {
        for (int k = i + 1; k < task->effect_count; k++) {
            const struct plan_effect *a = &task->effects[i];
            const struct plan_effect *b = &task->effects[k];
            if (restrict_separates(o, a, b)) {
                struct plan_pair pair = {.a = i, .b = k, .is_restrict = true, .loc_a = a->loc, .loc_b = b->loc};
                VEC_PUSH(o->arena, &pairs, pair);
            }
        }
    }
    task->pairs = pairs.items;
    task->pair_count = pairs.count;
}

void restrict_check(struct offload *o)
{
    bool is_checked = o->module->check_bounds || o->module->check_races;
    for (int i = 0; i < o->tasks.count && is_checked; i++) {
        add_pairs(o, &o->tasks.items[i]);
    }
}
