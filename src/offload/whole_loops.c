// Loops in order whose tasks are all too small to be shared, or do not run: they can run whole, as one serial task.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"
#include "offload/fuse.h"
#include "plan/mapping.h"

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

// The same on average, where trip counts depend on the variables of |loop| and of loops in it; NULL: not known either.
static struct plan_expr *middle_work(struct offload *o, const struct fragment *fragment, const struct ir_inst *loop)
{
    if (loop->op != IR_OP_FOR || fragment == NULL) {
        return NULL;
    }
    const struct fusion *fusion = fragment->fusion;
    if (fusion == NULL) {
        return facts_work_inside(o->kernel, loop, fragment->first);
    }
    struct plan_expr *sum = plan_const(o->arena, IR_I64, 0);
    for (int i = 0; i < fusion->count; i++) {
        sum = plan_op(o->arena, IR_OP_ADD, IR_I64, IR_I64, sum, facts_work_inside(o->kernel, loop, fusion->parts[i]));
    }
    return sum;
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
    bool is_known = work != NULL && walk_inst(loop, substitute_is_unassigned, work);
    return is_known ? work : middle_work(o, fragment, loop);
}

int64_t offload_work_too_small(const struct offload *o)
{
    enum { ON_A_GPU = 50 * 1000 };
    return o->module->is_gpu ? ON_A_GPU : PLAN_WORK_ALONE;
}

bool whole_loops_may_be_task(struct offload *o, struct ir_inst *loop)
{
    return !o->module->never_whole && !races_has_trusted(o, loop) && walk_inst(loop, facts_is_not_blocks, NULL) &&
           walk_inst(loop, choose_has_no_escape, loop);
}

int whole_loops_add_task(struct offload *o, struct fragment fragment, int group)
{
    struct ir_inst *loop = fragment.first;
    fragment.kind = FRAGMENT_SERIAL;
    fragment.count = 1;
    fragment.group = group;
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_SERIAL, loop->loc, group, &fragment.task);
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    effects_of_code(o->module, o->kernel, loop, 1, &task->effects, &task->effect_count);
    VEC_PUSH(o->arena, &o->fragments, fragment);
    return fragment.task;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

enum { PAIRS_MOST = 12 }; // of a loop that runs whole: it is short, and each costs

struct pairs {
    struct plan_task *task;
    struct plan_pair *items;
    int count;
    int capacity;
};

static bool is_array(const struct plan_effect *effect)
{
    return effect->base == PLAN_BASE_PARAM || effect->base == PLAN_BASE_FIELD;
}

static bool is_of(const struct plan_effect *effect, const struct plan_effect *other)
{
    return effect->base == other->base && effect->index == other->index;
}

static void add_pair(struct offload *o, struct pairs *pairs, int a, int b)
{
    for (int i = 0; i < pairs->count; i++) {
        if (pairs->items[i].a == a && pairs->items[i].b == b) {
            return;
        }
    }
    const struct plan_effect *effects = pairs->task->effects;
    struct plan_pair pair = {.a = a, .b = b, .loc_a = effects[a].loc, .loc_b = effects[b].loc};
    VEC_PUSH(o->arena, pairs, pair);
}

// All that the task touches of one array is to be apart from all that it touches of the other.
static void keep_apart(struct offload *o, struct pairs *pairs, const struct plan_effect *x, const struct plan_effect *y)
{
    const struct plan_task *task = pairs->task;
    for (int i = 0; i < task->effect_count; i++) {
        for (int k = i + 1; k < task->effect_count; k++) {
            const struct plan_effect *a = &task->effects[i], *b = &task->effects[k];
            bool are_these = (is_of(a, x) && is_of(b, y)) || (is_of(a, y) && is_of(b, x));
            if (are_these && (a->access != PLAN_READ || b->access != PLAN_READ)) {
                add_pair(o, pairs, i, k);
            }
        }
    }
}

// What the independent loops inside need apart, so that they are vectors without a look at addresses each time, and
// their sums are in registers. On a GPU one thread runs them as they are.
static void add_tests(struct offload *o, struct ir_inst *loop, struct plan_task *task)
{
    struct pairs pairs = {.task = task};
    if (o->module->is_gpu || task->may_fail || task->group != 0) {
        return;
    }
    for (int i = 0; i < loop->region_count; i++) {
        WALK (inst, &loop->regions[i]) {
            const struct loop_facts *facts = inst->op == IR_OP_FOR ? inst->loop->analysis : NULL;
            bool is_tested = facts != NULL && facts->condition_count == 0 &&
                             (inst->loop->verdict == IR_VERDICT_PROVEN || inst->loop->verdict == IR_VERDICT_IF);
            for (int k = 0; is_tested && k < facts->pair_count; k++) {
                const struct plan_effect *a = &facts->effects[facts->pairs[k].a],
                                         *b = &facts->effects[facts->pairs[k].b];
                if (is_array(a) && is_array(b) && !is_of(a, b)) {
                    keep_apart(o, &pairs, a, b);
                }
            }
        }
    }
    if (pairs.count > 0 && pairs.count <= PAIRS_MOST) {
        task->pairs = pairs.items;
        task->pair_count = pairs.count;
    }
}

// ---- when ----------------------------------------------------------------------------------------------------------

// Whether it can be evaluated where the loop begins, even if it would not be, and is the same for any number of
// threads.
static bool is_sure(const struct plan_expr *expr)
{
    bool divides = expr->kind == PLAN_EXPR_OP && (expr->op == IR_OP_SDIV || expr->op == IR_OP_UDIV ||
                                                  expr->op == IR_OP_SREM || expr->op == IR_OP_UREM);
    bool is_good = !divides && expr->kind != PLAN_EXPR_WIDTH;
    for (int i = 0; i < expr->arg_count && is_good; i++) {
        is_good = is_sure(expr->args[i]);
    }
    return is_good;
}

// What of the condition is the same in all rounds of the loop, and known where it begins; NULL: nothing.
static struct plan_expr *known_part(struct offload *o, struct plan_expr *condition, struct ir_inst *loop)
{
    if (condition->kind == PLAN_EXPR_OP && condition->op == IR_OP_AND && condition->type == IR_I1) {
        struct plan_expr *a = known_part(o, condition->args[0], loop);
        struct plan_expr *b = known_part(o, condition->args[1], loop);
        return a == NULL ? b : b == NULL ? a : plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, a, b);
    }
    condition = substitute_variables(o, condition, loop);
    bool is_known = is_sure(condition) && walk_inst(loop, substitute_is_unassigned, condition);
    return is_known ? condition : NULL;
}

// Adds to |out_idle| where it is known that the task, which is in the node, does not run. False: it is not in it.
static bool find_idle(struct offload *o, const struct plan_node *node, int task, struct ir_inst *loop,
                      struct plan_expr **out_idle)
{
    bool has = node->kind == PLAN_TASK && node->task == task;
    for (int i = 0; i < node->child_count && !has; i++) {
        has = find_idle(o, node->children[i], task, loop, out_idle);
        struct plan_expr *runs = has && node->kind == PLAN_IF && i == 0 ? known_part(o, node->expr, loop) : NULL;
        if (runs != NULL) {
            struct plan_expr *no = plan_const(o->arena, IR_I1, 0);
            struct plan_expr *idle = plan_op(o->arena, IR_OP_EQ, IR_I1, IR_I1, runs, no);
            *out_idle = *out_idle == NULL ? idle : plan_op(o->arena, IR_OP_OR, IR_I1, IR_I1, *out_idle, idle);
        }
    }
    return has;
}

// Whether the task is too small to be shared, or does not run; NULL: it is not known where the loop begins.
static struct plan_expr *is_small(struct offload *o, const struct control_loop *control, int task, bool *out_by_work)
{
    struct plan_expr *limit = plan_const(o->arena, IR_I64, offload_work_too_small(o));
    struct plan_expr *small = plan_op(o->arena, IR_OP_SLT, IR_I1, IR_I64, work_of(o, task, control->loop), limit);
    int64_t value = 1;
    bool may_be_small = small != NULL && !(plan_expr_is_const(small, &value) && value == 0);
    struct plan_expr *idle = NULL;
    *out_by_work &= may_be_small;
    if (!control->is_innermost && !o->module->is_gpu) { // an innermost one has its rounds to decide
        find_idle(o, control->node, task, control->loop, &idle);
    }
    return idle == NULL ? small : may_be_small ? plan_op(o->arena, IR_OP_OR, IR_I1, IR_I1, idle, small) : idle;
}

// A loop in order whose tasks are all too small to be shared, or do not run, runs whole: the launch decides by their
// trip counts and conditions. False: it never does, or some are known only not to run.
static bool add_whole(struct offload *o, const struct control_loop *control)
{
    struct ir_inst *loop = control->loop;
    struct plan_node *node = control->node;
    bool is_by_work = true;
    assert(loop->op == IR_OP_FOR || loop->op == IR_OP_LOOP);
    assert(control->last_task <= o->tasks.count && node->whole_task < 0);
    if (!whole_loops_may_be_task(o, loop)) {
        return false;
    }
    struct plan_expr *small = plan_const(o->arena, IR_I1, 1);
    for (int i = control->first_task; i < control->last_task && small != NULL; i++) {
        const struct plan_task *task = &o->tasks.items[i];
        const struct fragment *fragment = fragment_of(o, i);
        if (task->kind == PLAN_TASK_PARALLEL && !(fragment != NULL && fragment->is_alternative)) {
            small = plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, small, is_small(o, control, i, &is_by_work));
        }
    }
    if (small == NULL) {
        return false;
    }
    node->whole_task = whole_loops_add_task(o, (struct fragment){.first = loop}, node->group);
    struct plan_task *whole = &o->tasks.items[node->whole_task];
    add_tests(o, loop, whole);
    whole->in_order = whole->pair_count > 0 ? arena_printf(o->arena, "%s.in_order", whole->name) : NULL;
    node->whole_if = small;
    offload_add_expr(o, &node->whole_if);
    return is_by_work;
}

// How much the threads of a GPU have to share in a round, where the loop stays on the device (plan/resident.c).
static void add_work(struct offload *o, const struct control_loop *control)
{
    struct plan_expr *most = plan_const(o->arena, IR_I64, 0);
    for (int i = control->first_task; i < control->last_task && most != NULL; i++) {
        if (o->tasks.items[i].kind == PLAN_TASK_PARALLEL) {
            most = plan_op(o->arena, IR_OP_SMAX, IR_I64, IR_I64, most, work_of(o, i, control->loop));
        }
    }
    control->node->work = most;
    offload_add_expr(o, &control->node->work);
}

void whole_loops_note(struct offload *o, const struct control_loop *control)
{
    assert(control->node->children[0] != NULL);
    VEC_PUSH(o->arena, &o->control_loops, *control);
}

// Whether all parallel tasks of the outer loop are in the inner one: if they are small, the outer one runs whole.
static bool has_all(const struct offload *o, const struct control_loop *outer, const struct control_loop *inner)
{
    bool has = true;
    for (int i = outer->first_task; i < outer->last_task && has; i++) {
        has = o->tasks.items[i].kind != PLAN_TASK_PARALLEL || (i >= inner->first_task && i < inner->last_task);
    }
    return has;
}

// Each loop that may run whole is its code once more. So it is the outermost one, which has all, and those that have no
// loop in them, which do most, where something else keeps the outermost one from running whole.
void whole_loops_settle(struct offload *o)
{
    const struct control_loop *outer = &VEC_LAST(&o->control_loops);
    bool is_by_work = add_whole(o, outer);
    for (int i = 0; i < o->control_loops.count; i++) {
        const struct control_loop *control = &o->control_loops.items[i];
        if (o->module->is_gpu) {
            add_work(o, control);
        }
        if (!control->is_innermost || (is_by_work && has_all(o, outer, control))) {
            continue;
        }
        if (control != outer) {
            add_whole(o, control);
        }
        if (control->node->whole_task < 0) {
            rounds_add(o, control);
        }
    }
    o->control_loops.count = 0;
}
