// Memory that all iterations update, a histogram for one. Each update would have to be atomic; but if the task touches
// an array by nothing else, and the operation has an identity, each worker may gather the updates of its
// iterations in a copy of its own and add it to the array in the end. Which arrays these are is said here; whether it
// pays depends on sizes and trip counts, so the launch decides.
#include "offload/outline.h"

#include "ir/points_to.h"

#include <assert.h>

// Whether the task does nothing to the base of effect |index| but updates that one copy can take.
static bool is_only_updated(const struct plan_task *task, int index)
{
    const struct plan_effect *first = &task->effects[index];
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        if (effect->base == PLAN_BASE_UNKNOWN) {
            return false;
        }
        if (effect->base != first->base || effect->index != first->index) {
            continue;
        }
        if (effect->access != PLAN_UPDATE || effect->is_explicit || effect->type != first->type ||
            !ir_updates_combine(effect->update, first->update)) {
            return false;
        }
    }
    return true;
}

static void mark_bases(struct plan_task *task, bool are_locals)
{
    for (int i = 0; i < task->effect_count && task->copy_count < PLAN_MAX_COPIES; i++) {
        const struct plan_effect *first = &task->effects[i];
        if (first->access != PLAN_UPDATE || !first->is_atomic || first->copy != 0 ||
            (first->base == PLAN_BASE_BLOCK) != are_locals || !ir_update_gathers(first->update, first->type) ||
            !is_only_updated(task, i)) {
            continue;
        }
        task->copy_count++;
        for (int k = i; k < task->effect_count; k++) {
            struct plan_effect *effect = &task->effects[k];
            if (effect->base == first->base && effect->index == first->index && effect->is_atomic) {
                effect->copy = task->copy_count;
            }
        }
    }
}

// Arrays before locals: a GPU takes the first copy alone, and none of a local.
static void mark_task(struct plan_task *task)
{
    assert(task->kind == PLAN_TASK_PARALLEL && task->copy_count == 0);
    mark_bases(task, false);
    mark_bases(task, true);
}

void privatise_updates(struct offload *o)
{
    for (int i = 0; i < o->fragments.count; i++) {
        if (o->fragments.items[i].kind == FRAGMENT_PARALLEL) {
            mark_task(&o->tasks.items[o->fragments.items[i].task]);
        }
    }
}

static int field_number(const struct ir_module *module, int global)
{
    int number = 0;
    for (int i = 0; i < global; i++) {
        number += !module->globals[i]->is_const;
    }
    return number;
}

int privatise_copy_of(const struct outline *out, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_UPDATE);
    const struct plan_task *task = &out->o->tasks.items[out->fragment->task];
    enum plan_base base;
    int index = base_index(inst->base);
    switch (base_kind(inst->base)) {
    case BASE_PARAM: base = PLAN_BASE_PARAM; break;
    case BASE_GLOBAL:
        base = PLAN_BASE_FIELD;
        index = field_number(out->o->module, index);
        break;
    case BASE_LOCAL: base = PLAN_BASE_BLOCK; break;
    default: return 0;
    }
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        if (effect->base == base && effect->index == index && effect->copy != 0) {
            return effect->copy;
        }
    }
    return 0;
}
