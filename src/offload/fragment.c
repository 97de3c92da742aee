// Adding to the plan: nodes, tasks, and the fragments of code that tasks are made of.
#include "analysis/analyse.h"
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

struct plan_node *fragment_add_node(struct offload *o, struct plan_node *parent, enum plan_node_kind kind,
                                    struct loc loc)
{
    assert(parent != NULL || o->out->root == NULL); // only the root has no parent
    struct plan_node *node = ARENA_NEW(o->arena, struct plan_node);
    node->kind = kind;
    node->id = o->out->node_count++;
    node->loc = loc;
    node->whole_task = -1;
    node->task = -1;
    node->target = -1;
    if (parent != NULL) {
        node->group = parent->group;
        if (parent->child_count == parent->child_capacity) {
            parent->child_capacity = parent->child_capacity == 0 ? 4 : 2 * parent->child_capacity;
            struct plan_node **larger = ARENA_ARRAY(o->arena, struct plan_node *, parent->child_capacity);
            if (parent->child_count > 0) {
                memcpy(larger, parent->children, sizeof *larger * (size_t)parent->child_count);
            }
            parent->children = larger;
        }
        parent->children[parent->child_count++] = node;
    }
    return node;
}

struct plan_task *fragment_add_task(struct offload *o, enum plan_task_kind kind, struct loc loc, int group,
                                    int *out_index)
{
    assert(group >= 0 && group <= o->group_count);
    *out_index = o->tasks.count;
    char *name = arena_printf(o->arena, "%s.%d", o->kernel->name, o->tasks.count);
    struct plan_task task = {.name = name, .kind = kind, .loc = loc, .group = group, .loop = -1, .entry = name};
    VEC_PUSH(o->arena, &o->tasks, task);
    return &VEC_LAST(&o->tasks);
}

bool fragment_note_flags(struct ir_inst *inst, void *user)
{
    struct fragment_flags *flags = user;
    flags->may_fail |= ir_may_fail(inst, flags->check_bounds);
    flags->may_print |= inst->op == IR_OP_PRINT || inst->op == IR_OP_CALL;
    return true;
}

struct escape_search {
    struct offload *o;
    struct fragment *fragment;
    struct {
        struct ir_inst **items;
        int count;
        int capacity;
    } targets;
};

static bool is_in_range(const struct fragment *fragment, const struct ir_inst *inst)
{
    const struct ir_inst *part = fragment->first;
    for (int i = 0; i < fragment->count; i++, part = part->next) {
        if (walk_is_inside(inst, part)) {
            return true;
        }
    }
    return false;
}

static bool find_escape(struct ir_inst *inst, void *user)
{
    struct escape_search *search = user;
    bool is_escape = inst->op == IR_OP_RETURN || ((inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP) &&
                                                  !is_in_range(search->fragment, inst->target));
    if (!is_escape) {
        return true;
    }
    struct ir_inst *target = inst->op == IR_OP_RETURN ? NULL : inst->target;
    for (int i = 0; i < search->targets.count; i++) {
        if (search->targets.items[i] == target) {
            return true;
        }
    }
    VEC_PUSH(search->o->arena, &search->targets, target);
    return true;
}

struct straight_cost {
    int64_t sum;
    bool is_known; // nothing in it repeats
};

static bool add_cost(struct ir_inst *inst, void *user)
{
    struct straight_cost *cost = user;
    cost->is_known &=
        inst->op != IR_OP_FOR && inst->op != IR_OP_LOOP && inst->op != IR_OP_CALL && inst->op != IR_OP_JUMP;
    cost->sum += cost_of_inst(inst);
    return true;
}

// Of a nest as the source has it, beside the order that it runs in as a rule: the first loop of that; else -1.
static int replaced_loop(struct offload *o, const struct ir_inst *first, int count)
{
    if (count != 1 || first->op != IR_OP_FOR || !first->loop->is_fallback) {
        return -1;
    }
    const struct ir_inst *choice = first->parent->owner;
    assert(choice != NULL && choice->op == IR_OP_IF);
    for (struct ir_inst *inst = choice->regions[0].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR) {
            return offload_note(o, inst)->loop_index;
        }
    }
    return -1;
}

// Of such a nest: whether it runs only because that takes less time.
static struct plan_expr *is_few(struct offload *o, const struct ir_inst *loop)
{
    struct plan_expr *few = plan_const(o->arena, IR_I64, loop->loop->few);
    return loop->loop->few > 0 ? plan_op(o->arena, IR_OP_SLT, IR_I1, IR_I64, offload_trip(o, loop), few) : NULL;
}

// |is_all|: nothing follows the fragment, so that it does not matter by which exit it was left.
void fragment_add_serial(struct offload *o, struct plan_node *parent, struct ir_inst *first, int count, bool is_all)
{
    assert(first != NULL && count > 0);
    struct fragment fragment = {.kind = FRAGMENT_SERIAL, .first = first, .count = count, .group = parent->group};
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_SERIAL, first->loc, parent->group, &fragment.task);
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    struct escape_search search = {.o = o, .fragment = &fragment};
    struct straight_cost cost = {.is_known = true};
    struct ir_inst *inst = first;
    for (int i = 0; i < count; i++, inst = inst->next) {
        walk_inst(inst, add_cost, &cost);
        walk_inst(inst, fragment_note_flags, &flags);
        walk_inst(inst, find_escape, &search);
    }
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    task->loop = replaced_loop(o, first, count);
    task->is_few = task->loop >= 0 ? is_few(o, first) : NULL;
    task->cost = cost.is_known ? plan_const(o->arena, IR_I64, cost.sum) : NULL;
    effects_of_code(o->module, o->kernel, first, count, &task->effects, &task->effect_count);
    struct plan_node *node = fragment_add_node(o, parent, PLAN_TASK, first->loc);
    node->task = fragment.task;
    if (search.targets.count > 0 && !is_all) {
        fragment.escape =
            ir_var_create(o->module, o->kernel, arena_printf(o->arena, ".escape%d", fragment.task), IR_I32);
        fragment.escapes = search.targets.items;
        fragment.escape_count = search.targets.count;
    }
    VEC_PUSH(o->arena, &o->fragments, fragment);
    for (int i = 0; i < fragment.escape_count; i++) {
        struct plan_expr *way = ARENA_NEW(o->arena, struct plan_expr);
        *way = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = IR_I32, .index = fragment.escape->index};
        struct plan_node *choice = fragment_add_node(o, parent, PLAN_IF, first->loc);
        choice->expr = plan_op(o->arena, IR_OP_EQ, IR_I1, IR_I32, way, plan_const(o->arena, IR_I32, i + 1));
        offload_add_expr(o, &choice->expr);
        struct plan_node *then = fragment_add_node(o, choice, PLAN_SEQUENCE, first->loc);
        if (fragment.escapes[i] == NULL) {
            fragment_add_node(o, then, PLAN_RETURN, first->loc);
        } else {
            fragment_add_node(o, then, PLAN_BREAK, first->loc)->target = offload_note(o, fragment.escapes[i])->node_id;
        }
    }
}
