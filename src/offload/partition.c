// Cuts the kernel into the code of its tasks under a tree of control: the plan's tree. A loop that was chosen is a
// task, with those that are fused with it and the loops of its nest; a loop around tasks is control; what stands
// between is arithmetic that the launch does itself, or a serial task (straight_line.c). A loop in order may also run
// whole, as one serial task (whole_loops.c): it gets that task here, because tasks are numbered as they are met.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"
#include "offload/fuse.h"
#include "offload/team.h"

#include <assert.h>

static void build_region(struct offload *o, struct ir_region *region, struct plan_node *parent);

// A read of a loop's variable that is not inside a loop over it.
static bool note_outside(struct ir_inst *inst, void *user)
{
    bool *is_read_outside = user;
    const struct ir_inst *owner = inst->op == IR_OP_GET ? inst->parent->owner : NULL;
    while (owner != NULL && !(owner->op == IR_OP_FOR && owner->loop->var == inst->var)) {
        owner = owner->parent->owner;
    }
    if (inst->op == IR_OP_GET && owner == NULL) {
        is_read_outside[inst->var->index] = true;
    }
    return true;
}

// C's value of the loop variable after all its iterations; NULL if nobody reads it.
static struct plan_expr *final_value(struct offload *o, const struct ir_inst *loop)
{
    if (o->is_read_outside == NULL) { // of all variables at once: a kernel may have many loops
        o->is_read_outside = ARENA_ARRAY(o->arena, bool, o->kernel->var_count + 1);
        walk_region(&o->kernel->body, note_outside, o->is_read_outside);
    }
    if (!o->is_read_outside[loop->loop->var->index]) {
        return NULL;
    }
    enum ir_type type = loop->loop->var->type;
    struct plan_expr *trip = offload_trip(o, loop);
    if (type != IR_I64) {
        trip = plan_op(o->arena, IR_OP_TRUNC, type, IR_I64, trip, NULL);
    }
    struct plan_expr *distance =
        plan_op(o->arena, IR_OP_MUL, type, type, trip, plan_const(o->arena, type, loop->loop->step));
    return plan_op(o->arena, IR_OP_ADD, type, type, expr_of_value(o->arena, loop->args[0]), distance);
}

void partition_add_final_value(struct offload *o, const struct ir_inst *loop, struct plan_node *parent)
{
    struct plan_expr *value = final_value(o, loop);
    if (value != NULL) {
        offload_assign(o, parent, loop->loop->var, value, loop->loc);
    }
}

static struct plan_effect *copy_effects(struct offload *o, const struct plan_effect *effects, int count)
{
    struct plan_effect *copy = ARENA_ARRAY(o->arena, struct plan_effect, count);
    for (int i = 0; i < count; i++) {
        copy[i] = effects[i];
    }
    return copy;
}

// A reduction's memory is updated once, by the end of the task: atomic only if another block may touch it meanwhile.
static void describe_reductions(const struct loop_facts *facts, struct plan_task *task)
{
    for (int i = 0; i < facts->reduction_count; i++) {
        for (int k = 0; k < facts->reductions[i].update_count; k++) {
            int number = facts->reductions[i].updates[k].effect;
            if (number >= 0) {
                task->effects[number].is_atomic &= task->group != 0;
                task->effects[number].why = "a reduction: one update at the end";
            }
        }
    }
}

// On a CPU, what an iteration of the task costs in order, where that spares atomic updates. NULL: it does not.
static struct plan_expr *order_cost(struct offload *o, const struct ir_inst *loop, const struct nest *nest)
{
    const struct loop_facts *facts = loop->loop->analysis;
    if (!facts->independent_by_updates || o->module->is_gpu || (nest != NULL && !nest->is_flexible)) {
        return NULL;
    }
    return nest == NULL
               ? facts->plain_cost
               : plan_op(o->arena, IR_OP_SDIV, IR_I64, IR_I64, facts->plain_cost, offload_var(o, nest->strip_count));
}

// The task of a parallel loop, or of a nest of them.
static int add_parallel(struct offload *o, struct ir_inst *loop, int group, const struct nest *nest,
                        const struct races *races)
{
    assert(loop->op == IR_OP_FOR && loop->loop->analysis != NULL);
    const struct loop_facts *facts = loop->loop->analysis;
    struct fragment fragment = {.kind = FRAGMENT_PARALLEL, .first = loop, .count = 1, .group = group, .nest = nest};
    fragment.races = races;
    fragment.fusion = offload_note(o, loop)->fusion;
    const struct nest *tests = nest; // NULL: the loop's own
    if (nest == NULL && team_of(o, loop)->is_found) {
        fragment.team = team_of(o, loop);
        tests = &fragment.team->tests;
    }
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_PARALLEL, loop->loc, group, &fragment.task);
    task->trip = nest != NULL ? nest_trip(o, nest) : offload_trip(o, loop);
    task->cost = nest != NULL ? nest_cost(o, nest) : facts->cost;
    task->order_cost = order_cost(o, loop, nest);
    task->row_length = nest != NULL ? nest_digit_trip(o, nest, nest->count - 1) : NULL;
    task->row_count = nest != NULL && nest->count > 2 ? nest_digit_trip(o, nest, nest->count - 2) : NULL;
    task->effects = copy_effects(o, facts->effects, facts->effect_count);
    task->effect_count = facts->effect_count;
    describe_reductions(facts, task);
    task->pairs = tests != NULL ? tests->pairs : facts->pairs;
    task->pair_count = tests != NULL ? tests->pair_count : facts->pair_count;
    const struct plan_condition *conditions = tests != NULL ? tests->conditions : facts->conditions;
    task->condition_count = tests != NULL ? tests->condition_count : facts->condition_count;
    task->conditions = ARENA_ARRAY(o->arena, struct plan_condition, task->condition_count);
    for (int i = 0; i < task->condition_count; i++) {
        task->conditions[i] = offload_condition(o, &conditions[i]);
    }
    task->loop = offload_note(o, loop)->loop_index;
    task->collapse = nest != NULL ? nest->count : 1;
    task->block_dim = loop->loop->block_dim;
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    task->may_fail = flags.may_fail || races != NULL;
    task->may_print = flags.may_print;
    VEC_PUSH(o->arena, &o->fragments, fragment);
    return fragment.task;
}

static void warn_of_collapse(struct offload *o, const struct ir_inst *loop, const struct nest *nest)
{
    const char *why = nest->why_not;
    if (loop->loop->collapse > 1) {
        diag_warning(o->diags, loop->loc, "'#pragma rill collapse(%d)' is not followed: %s", loop->loop->collapse,
                     why != NULL ? why : "there are fewer loops");
        diag_note(o->diags, nest->loops[nest->count - 1]->loc, "of this loop");
    }
}

static void warn_of_teams(struct offload *o, const struct ir_inst *loop, bool has_team)
{
    if (loop->loop->map == IR_MAP_TWO_LEVEL && o->module->is_gpu && !has_team) {
        diag_warning(o->diags, loop->loc,
                     "'#pragma rill map(two_level)' is not followed: a team of threads can share no loop inside");
    }
}

// Notes which task the loop has. The versions of loops that run now and then (what a search leaves to the source's
// loop) are not described, and so is nothing in them.
static void tell_task(struct offload *o, struct ir_inst *loop, int task)
{
    int index = offload_note(o, loop)->loop_index;
    if (index >= 0) {
        o->loops.items[index].task = task;
    }
}

int partition_add_task(struct offload *o, struct ir_inst *loop, struct plan_node *parent, struct nest *nest)
{
    assert(nest == NULL || (nest->is_found && nest->loops[0] == loop));
    if (nest != NULL) {
        nest_settle(o, nest, parent);
    }
    const struct races *races = races_build(o, loop, parent);
    int task = add_parallel(o, loop, parent->group, nest, races);
    const struct fusion *fusion = offload_note(o, loop)->fusion;
    tell_task(o, loop, task);
    for (int i = 0; fusion != NULL && i < fusion->count; i++) {
        tell_task(o, fusion->parts[i], task);
    }
    fragment_add_node(o, parent, PLAN_TASK, loop->loc)->task = task;
    return task;
}

static int build_parallel(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    struct nest *nest = nest_of(o, loop);
    if (nest->is_found) {
        const char *words = nest_words(o, nest);
        int index = offload_note(o, loop)->loop_index;
        if (words != NULL && index >= 0) {
            struct plan_loop *told = &o->loops.items[index];
            bool has_notes = told->notes != NULL && told->notes[0] != '\0';
            told->notes = has_notes ? arena_printf(o->arena, "%s, %s", told->notes, words) : words;
        }
        return partition_add_task(o, loop, parent, nest);
    }
    warn_of_collapse(o, loop, nest);
    warn_of_teams(o, loop, team_of(o, loop)->is_found);
    return partition_add_task(o, loop, parent, NULL);
}

static struct plan_node *add_for(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    struct plan_node *node = fragment_add_node(o, parent, PLAN_FOR, loop->loc);
    offload_note(o, loop)->node_id = node->id;
    node->slot = loop->loop->var->index;
    node->type = loop->loop->var->type;
    node->step = loop->loop->step;
    node->expr = expr_of_value(o->arena, loop->args[0]);
    node->trip = offload_trip(o, loop);
    offload_add_expr(o, &node->expr);
    offload_add_expr(o, &node->trip);
    return node;
}

// Whether an update is atomic was decided for the loop around the task, which runs in order here.
static void describe_plain_updates(struct offload *o, const struct fragment *fragment)
{
    struct plan_task *task = &o->tasks.items[fragment->task];
    bool is_plain = fragment->kind == FRAGMENT_PARALLEL && fragment->group == 0;
    for (int i = 0; i < task->effect_count && is_plain; i++) {
        if (task->effects[i].access == PLAN_UPDATE && !task->effects[i].is_explicit) {
            task->effects[i].is_atomic = false;
            task->effects[i].why = NULL;
        }
    }
}

// A loop as control, with the loops inside it as tasks, where |is_short| holds; else as one task.
static void build_either(struct offload *o, struct ir_inst *loop, struct plan_node *parent, struct plan_expr *is_short)
{
    assert(offload_note(o, loop)->is_chosen);
    assert(!nest_of(o, loop)->is_found || ((struct loop_facts *)loop->loop->analysis)->independent_by_updates);
    struct plan_node *choice = fragment_add_node(o, parent, PLAN_IF, loop->loc);
    choice->expr = is_short;
    offload_add_expr(o, &choice->expr);
    struct plan_node *node = add_for(o, loop, fragment_add_node(o, choice, PLAN_SEQUENCE, loop->loc));
    int first = o->fragments.count;
    o->loop_depth++;
    build_region(o, &loop->regions[0], fragment_add_node(o, node, PLAN_SEQUENCE, loop->loc));
    o->loop_depth--;
    for (int i = first; i < o->fragments.count; i++) {
        o->fragments.items[i].is_alternative = true;
        describe_plain_updates(o, &o->fragments.items[i]);
    }
    struct plan_node *task = fragment_add_node(o, choice, PLAN_SEQUENCE, loop->loc);
    choice->task = build_parallel(o, loop, task);
    partition_add_final_value(o, loop, task);
}

// The bound is read from memory. Where arguments overlap and the loop runs in order, the loop itself may move the
// bound, and only its last check knows where it ended: a variable says so that the checks set, which the task in
// parallel never makes.
static void build_moving(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct ir_var *var = loop->loop->var;
    struct plan_expr *value = final_value(o, loop);
    if (value == NULL) {
        build_parallel(o, loop, parent);
        return;
    }
    struct ir_region *check = &loop->regions[1];
    struct ir_var *end = ir_var_create(o->module, o->kernel,
                                       arena_printf(o->arena, ".end%d", offload_note(o, loop)->loop_index), var->type);
    struct ir_builder b = {
        .module = o->module, .function = o->kernel, .region = check, .before = check->last, .loc = loop->loc};
    ir_set(&b, end, ir_get(&b, loop->loop->var));
    offload_assign(o, parent, end, value, loop->loc);
    build_parallel(o, loop, parent);
    offload_assign(o, parent, var, offload_var(o, end), loop->loc);
}

// The task of a loop, and of those that are fused with it.
static void build_chosen(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct fusion *fusion = offload_note(o, loop)->fusion;
    if (loop->loop->verdict == IR_VERDICT_SCATTER) {
        scatter_build(o, loop, parent);
        return;
    }
    if (fusion == NULL) {
        struct plan_expr *is_short = offload_note(o, loop)->is_short;
        if (is_short != NULL) {
            build_either(o, loop, parent, is_short);
            return;
        }
        if (loop->loop->recheck) {
            build_moving(o, loop, parent);
            return;
        }
        build_parallel(o, loop, parent);
        partition_add_final_value(o, loop, parent);
        return;
    }
    offload_note(o, fusion->loop)->fusion = fusion;
    build_parallel(o, fusion->loop, parent);
    for (int i = 0; i < fusion->count; i++) {
        partition_add_final_value(o, fusion->parts[i], parent);
    }
}

// A loop whose bound is read from memory each time round.
static void build_rechecked(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct ir_var *var = loop->loop->var;
    offload_assign(o, parent, var, expr_of_value(o->arena, loop->args[0]), loop->loc);
    struct plan_node *node = fragment_add_node(o, parent, PLAN_LOOP, loop->loc);
    offload_note(o, loop)->node_id = node->id;
    struct plan_node *round = fragment_add_node(o, node, PLAN_SEQUENCE, loop->loc);
    // The yielded condition becomes an ordinary variable.
    struct ir_region *check = &loop->regions[1];
    struct ir_inst *yield = check->last;
    assert(yield->op == IR_OP_YIELD && yield->arg_count == 1);
    struct ir_var *goes_on = ir_var_create(o->module, o->kernel, arena_printf(o->arena, ".on%d", node->id), IR_I1);
    struct ir_builder b = {
        .module = o->module, .function = o->kernel, .region = check, .before = yield, .loc = loop->loc};
    ir_set(&b, goes_on, yield->args[0]);
    build_region(o, check, round);
    struct plan_node *choice = fragment_add_node(o, round, PLAN_IF, loop->loc);
    choice->expr = plan_op(o->arena, IR_OP_EQ, IR_I1, IR_I1, offload_var(o, goes_on), plan_const(o->arena, IR_I1, 0));
    offload_add_expr(o, &choice->expr);
    fragment_add_node(o, fragment_add_node(o, choice, PLAN_SEQUENCE, loop->loc), PLAN_BREAK, loop->loc)->target =
        node->id;
    build_region(o, &loop->regions[0], round);
    struct plan_expr *next = plan_op(o->arena, IR_OP_ADD, var->type, var->type, offload_var(o, var),
                                     plan_const(o->arena, var->type, loop->loop->step));
    offload_assign(o, round, var, next, loop->loc);
}

static void build_body(struct offload *o, struct ir_inst *loop, struct plan_node *node, struct plan_node *parent)
{
    assert(o->loop_depth >= 0);
    struct control_loop control = {.loop = loop, .node = node, .parent = parent, .first_task = o->tasks.count};
    int loop_count = o->control_loops.count;
    o->loop_depth++;
    build_region(o, &loop->regions[0], fragment_add_node(o, node, PLAN_SEQUENCE, loop->loc));
    o->loop_depth--;
    control.is_innermost = o->control_loops.count == loop_count;
    control.last_task = o->tasks.count;
    whole_loops_note(o, &control);
    if (o->loop_depth == 0) {
        whole_loops_settle(o);
    }
}

static void build_for(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    if (loop->loop->recheck) {
        build_rechecked(o, loop, parent);
        return;
    }
    build_body(o, loop, add_for(o, loop, parent), parent);
}

static void build_blocks(struct offload *o, struct ir_inst *inst, struct plan_node *parent)
{
    assert(inst->op == IR_OP_BLOCKS && offload_note(o, inst)->nodes == NULL); // each is built once
    int node_count = (inst->region_count + PLAN_MAX_BLOCKS - 1) / PLAN_MAX_BLOCKS;
    struct plan_node **nodes = ARENA_ARRAY(o->arena, struct plan_node *, node_count);
    struct plan_node *node = NULL;
    for (int i = 0; i < inst->region_count; i++) {
        if (i % PLAN_MAX_BLOCKS == 0) {
            node = fragment_add_node(o, parent, PLAN_REGION, i == 0 ? inst->loc : inst->regions[i].loc);
            node->goes_on = i > 0;
            nodes[i / PLAN_MAX_BLOCKS] = node;
        }
        struct plan_node *block = fragment_add_node(o, node, PLAN_SEQUENCE, inst->regions[i].loc);
        block->group = ++o->group_count;
        block->in_order = inst->regions[i].in_order;
        build_region(o, &inst->regions[i], block);
    }
    offload_note(o, inst)->nodes = nodes;
}

static void build_control(struct offload *o, struct ir_inst *inst, struct plan_node *parent, struct pending *pending)
{
    switch (inst->op) {
    case IR_OP_IF: {
        struct plan_expr *condition = straight_line_value(o, parent, pending, inst->args[0], inst);
        struct plan_node *node = fragment_add_node(o, parent, PLAN_IF, inst->loc);
        node->expr = condition;
        offload_add_expr(o, &node->expr);
        for (int i = 0; i < inst->region_count; i++) {
            build_region(o, &inst->regions[i], fragment_add_node(o, node, PLAN_SEQUENCE, inst->loc));
        }
        break;
    }
    case IR_OP_FOR:
        straight_line_flush(o, parent, pending);
        if (offload_note(o, inst)->is_absorbed) {
            break; // the first loop of its run has the task
        }
        if (offload_note(o, inst)->is_chosen) {
            build_chosen(o, inst, parent);
        } else {
            build_for(o, inst, parent);
        }
        break;
    case IR_OP_LOOP:
    case IR_OP_BLOCK: {
        straight_line_flush(o, parent, pending);
        struct plan_node *node =
            fragment_add_node(o, parent, inst->op == IR_OP_LOOP ? PLAN_LOOP : PLAN_BLOCK, inst->loc);
        offload_note(o, inst)->node_id = node->id;
        if (inst->op == IR_OP_LOOP) {
            build_body(o, inst, node, parent);
        } else {
            build_region(o, &inst->regions[0], fragment_add_node(o, node, PLAN_SEQUENCE, inst->loc));
        }
        break;
    }
    case IR_OP_BLOCKS:
        straight_line_flush(o, parent, pending);
        build_blocks(o, inst, parent);
        break;
    case IR_OP_BREAK:
        straight_line_flush(o, parent, pending);
        fragment_add_node(o, parent, PLAN_BREAK, inst->loc)->target = offload_note(o, inst->target)->node_id;
        break;
    default:
        assert(inst->op == IR_OP_RETURN);
        straight_line_flush(o, parent, pending);
        fragment_add_node(o, parent, PLAN_RETURN, inst->loc);
    }
}

static bool is_control(struct offload *o, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_BREAK:
    case IR_OP_RETURN:
    case IR_OP_BLOCKS: return true;
    case IR_OP_FOR:
    case IR_OP_LOOP: return offload_note(o, inst)->has_task;
    case IR_OP_IF:
    case IR_OP_BLOCK: return offload_note(o, inst)->has_task || !walk_inst(inst, choose_has_no_escape, inst);
    default: return false;
    }
}

static void build_region(struct offload *o, struct ir_region *region, struct plan_node *parent)
{
    struct pending pending = {0};
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_RETURN && inst->arg_count > 0) {
            struct ir_builder b = {
                .module = o->module, .function = o->kernel, .region = region, .before = inst, .loc = inst->loc};
            struct ir_inst *set = ir_set(&b, o->result, inst->args[0]);
            pending.first = pending.count == 0 ? set : pending.first;
            pending.count++;
        }
        if (inst->op == IR_OP_YIELD) {
            break; // the last of a recheck: its value has been stored
        }
        if (is_control(o, inst)) {
            build_control(o, inst, parent, &pending);
        } else {
            pending.first = pending.count == 0 ? inst : pending.first;
            pending.count++;
        }
    }
    straight_line_flush(o, parent, &pending);
}

// Nothing in the kernel is parallel: one serial task is all of it, returns and all.
static void build_single(struct offload *o)
{
    int count = 0;
    for (const struct ir_inst *inst = o->kernel->body.first; inst != NULL; inst = inst->next) {
        count++;
    }
    struct pending pending = {.first = o->kernel->body.first, .count = count};
    if (count > 0) {
        fragment_add_serial(o, o->out->root, pending.first, pending.count, true);
    }
}

void partition_kernel(struct offload *o)
{
    assert(o->fragments.count == 0 && o->tasks.count == 0);
    o->out->root = fragment_add_node(o, NULL, PLAN_SEQUENCE, o->kernel->loc);
    if (o->has_task) {
        build_region(o, &o->kernel->body, o->out->root);
    } else {
        build_single(o);
    }
    assert(o->loop_depth == 0);
}
