// Which updates are atomic: those that two iterations of a task, or two blocks of a region, may make to one place.
#include "passes/atomics.h"

#include "analysis/dependence/dependence.h"
#include "analysis/effects/effects.h"
#include "passes/specialise.h"

// The loop around the access that becomes a task: the outermost one that is chosen.
static struct loop_info *task_loop(struct loop_info *loop)
{
    struct loop_info *chosen = NULL;
    for (; loop != NULL; loop = loop->parent) {
        if (loop->is_chosen) {
            chosen = loop;
        }
    }
    return chosen;
}

static void set_atomic(struct analysis *an, int index)
{
    struct access *access = &an->accesses.items[index];
    const struct loop_info *task = task_loop(access->loop);
    bool by_loop = task != NULL && shared_has(an, task, access);
    access->is_atomic = !access->inst->is_packed && (by_loop || shared_by_blocks(an, index));
    if (access->context == NULL) {
        access->inst->atomic |= access->is_atomic; // of several places it may touch one will do
    }
    if (access->is_atomic) {
        const char *what = base_name(an->module, an->kernel, access->base);
        struct atomic_reason reason = {.inst = access->inst};
        reason.why = by_loop
                         ? arena_printf(an->arena, "two iterations of the loop in line %u may update one place of '%s'",
                                        task->inst->loc.line, what)
                         : arena_printf(an->arena, "another block updates '%s' too", what);
        VEC_PUSH(an->arena, &an->atomics, reason);
    }
}

void atomics_set(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)module;
    (void)diags;
    struct analysis *an = kernel->analysis;
    for (int i = 0; i < an->loops.count; i++) { // once for each loop: the choice looks at all that is in it
        struct loop_info *loop = an->loops.items[i];
        loop->is_chosen = loop->is_kernel_loop && facts_choose(loop->inst);
    }
    for (int i = 0; i < an->accesses.count; i++) {
        if (an->accesses.items[i].kind == ACCESS_UPDATE && an->accesses.items[i].context == NULL) {
            an->accesses.items[i].inst->atomic = false;
        }
    }
    for (int i = 0; i < an->accesses.count; i++) {
        if (an->accesses.items[i].kind == ACCESS_UPDATE) {
            set_atomic(an, i);
        }
    }
    for (int i = 0; i < an->accesses.count; i++) { // all the places of one update, for the effects
        struct access *access = &an->accesses.items[i];
        access->is_atomic |= access->kind == ACCESS_UPDATE && access->context == NULL && access->inst->atomic;
    }
    specialise_calls(an);
}
