// Loops in order whose tasks are all too small to be shared: they can run whole, as one serial task.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>

static const struct fragment *fragment_of(const struct offload *o, int task)
{
    for (int i = 0; i < o->fragments.count; i++) {
        if (o->fragments.items[i].task == task) {
            return &o->fragments.items[i];
        }
    }
    return NULL;
}

// Operations of one run of the task, as far as they are known where |loop| begins; NULL: they are not.
static struct plan_expr *work_of(struct offload *o, int index, struct ir_inst *loop)
{
    const struct plan_task *task = &o->tasks.items[index];
    const struct fragment *fragment = fragment_of(o, index);
    struct plan_expr *trip = task->trip;
    struct plan_expr *cost = task->cost;
    if (fragment != NULL && fragment->nest != NULL) { // how it is cut is settled later
        const struct loop_facts *facts = fragment->first->loop->analysis;
        trip = offload_trip(o, fragment->first);
        cost = facts->cost;
    }
    struct plan_expr *work = plan_op(o->arena, IR_OP_MUL, IR_I64, IR_I64, trip, cost);
    work = substitute_variables(o, work, loop);
    return work != NULL && walk_inst(loop, substitute_is_unassigned, work) ? work : NULL;
}

enum { WORK_TOO_SMALL = 50 * 1000 }; // operations that one core does while others are still being woken

// A loop in order whose tasks are all too small to be shared runs whole: the launch decides by their trip counts.
void whole_loops_add(struct offload *o, struct ir_inst *loop, struct plan_node *node, int first_task)
{
    assert(loop->op == IR_OP_FOR || loop->op == IR_OP_LOOP);
    assert(first_task <= o->tasks.count && node->whole_task < 0);
    if (o->module->never_whole || !walk_inst(loop, facts_is_not_blocks, NULL) ||
        !walk_inst(loop, choose_has_no_escape, loop)) {
        return;
    }
    struct plan_expr *small = plan_const(o->arena, IR_I1, 1);
    for (int i = first_task; i < o->tasks.count && small != NULL; i++) {
        const struct plan_task *task = &o->tasks.items[i];
        const struct fragment *fragment = fragment_of(o, i);
        if (task->kind == PLAN_TASK_PARALLEL && !(fragment != NULL && fragment->is_alternative)) {
            struct plan_expr *limit = plan_const(o->arena, IR_I64, WORK_TOO_SMALL);
            struct plan_expr *is_small = plan_op(o->arena, IR_OP_SLT, IR_I1, IR_I64, work_of(o, i, loop), limit);
            small = plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, small, is_small);
        }
    }
    if (small == NULL) {
        return;
    }
    struct fragment fragment = {.kind = FRAGMENT_SERIAL, .first = loop, .count = 1, .group = node->group};
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_SERIAL, loop->loc, node->group, &fragment.task);
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    effects_of_code(o->module, o->kernel, loop, 1, &task->effects, &task->effect_count);
    VEC_PUSH(o->arena, &o->fragments, fragment);
    node->whole_task = fragment.task;
    node->whole_if = small;
    offload_add_expr(o, &node->whole_if);
}
