// The plan of a scatter. Marks for each scattered array are hidden parameters, memory that the launch lends. Where it
// has none to lend, or where clearing marks costs more than the loop itself, the loop runs in order as one serial task;
// else three tasks follow each other: the marks are cleared, set, and the loop stores where it finds its own.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

enum {
    WORK_LEAST_CPU = 50 * 1000, // operations that are done before others have begun to help
    TRIP_LEAST_CPU = 64,        // where the operations of an iteration are not known
    TRIP_LEAST_GPU = 32,
    MARKS_FOR_EACH = 4, // on a CPU: clearing so many marks takes as long as one operation
};

static struct plan_expr *op(struct offload *o, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    bool is_truth = op == IR_OP_SLT || op == IR_OP_SGT || op == IR_OP_SLE || op == IR_OP_OR;
    enum ir_type operands = op == IR_OP_OR ? IR_I1 : IR_I64;
    return plan_op(o->arena, op, is_truth ? IR_I1 : IR_I64, operands, a, b);
}

static struct plan_expr *number(struct offload *o, int64_t value)
{
    return plan_const(o->arena, IR_I64, value);
}

// ---- the marks -----------------------------------------------------------------------------------------------------

// On a CPU. Where floats are summed the way taken must not depend on the number of threads: it decides on the bits.
static bool may_ask_for_workers(struct offload *o, struct ir_inst *loop)
{
    return !o->module->is_gpu && !o->module->never_whole && walk_inst(loop, offload_sums_no_float, NULL);
}

// One thread gets none: for it order costs nothing.
static struct plan_expr *wanted_marks(struct offload *o, struct ir_inst *loop, struct plan_expr *size)
{
    if (!may_ask_for_workers(o, loop)) {
        return size;
    }
    struct plan_expr *is_one = op(o, IR_OP_SLE, offload_width(o), number(o, PLAN_WIDTH_PER_WORKER));
    return plan_select(o->arena, is_one, number(o, 0), size);
}

static void add_marks(struct offload *o, struct scatter *scatter, struct ir_inst *loop)
{
    struct lent marks = {
        .name = arena_printf(o->arena, ".marks%d", o->scratch_count++), .type = IR_I32, .loc = loop->loc};
    struct plan_expr *count = op(o, IR_OP_SDIV, lent_bytes_of_base(o, scatter->base), number(o, scatter->granule));
    marks.size = wanted_marks(o, loop, op(o, IR_OP_MUL, count, number(o, ir_type_size(IR_I32))));
    scatter->param = lent_add(o, &marks);
}

static bool has_room(const struct offload *o, const struct loop_facts *facts)
{
    uint64_t more = (uint64_t)facts->scatter_count * 2 * sizeof(uint64_t) + sizeof(uint64_t);
    return o->scratch_count + facts->scatter_count <= PLAN_MAX_SCRATCH && o->out->args_size + more <= ABI_MAX_ARGS_SIZE;
}

// ---- the choice ----------------------------------------------------------------------------------------------------

// Whether the loop is done in order before the marks are cleared, as far as is known.
static struct plan_expr *is_small(struct offload *o, struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    struct plan_expr *trip = offload_trip(o, loop);
    if (o->module->is_gpu || o->module->never_whole || facts->cost == NULL) {
        bool is_cpu = !o->module->is_gpu;
        return op(o, IR_OP_SLT, trip, number(o, o->module->never_whole ? 0 : is_cpu ? TRIP_LEAST_CPU : TRIP_LEAST_GPU));
    }
    struct plan_expr *work = op(o, IR_OP_MUL, trip, facts->cost);
    struct plan_expr *is = op(o, IR_OP_SLT, work, number(o, WORK_LEAST_CPU));
    if (may_ask_for_workers(o, loop)) { // with few of them the operations alone are done sooner than with the marks
        struct plan_expr *others = op(o, IR_OP_SUB, offload_width(o), number(o, PLAN_WIDTH_PER_WORKER));
        struct plan_expr *gain = op(o, IR_OP_MUL, facts->cost, others);
        struct plan_expr *marks = op(o, IR_OP_MUL, facts->mark_cost, number(o, PLAN_WIDTH_PER_WORKER));
        is = op(o, IR_OP_OR, is, op(o, IR_OP_SLE, gain, marks));
    }
    for (int i = 0; i < facts->scatter_count; i++) {
        struct plan_expr *count = plan_param(o->arena, IR_I64, facts->scatters[i].param + 1);
        is = op(o, IR_OP_OR, is, op(o, IR_OP_SLT, work, op(o, IR_OP_SDIV, count, number(o, MARKS_FOR_EACH))));
    }
    return is;
}

// Also where there are no marks, or more iterations than they can tell apart.
static struct plan_expr *is_better_in_order(struct offload *o, struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    struct plan_expr *is = op(o, IR_OP_SGT, offload_trip(o, loop), number(o, INT32_MAX - 1));
    for (int i = 0; i < facts->scatter_count; i++) {
        struct plan_expr *count = plan_param(o->arena, IR_I64, facts->scatters[i].param + 1);
        is = op(o, IR_OP_OR, is, op(o, IR_OP_SLE, count, number(o, 0)));
    }
    return op(o, IR_OP_OR, is, is_small(o, loop));
}

// ---- the tasks -----------------------------------------------------------------------------------------------------

static struct plan_effect mark_effect(const struct scatter *scatter, enum plan_access access, struct loc loc)
{
    return (struct plan_effect){.base = PLAN_BASE_PARAM,
                                .index = scatter->param,
                                .access = access,
                                .update = access == PLAN_UPDATE ? IR_UPDATE_SMAX : IR_UPDATE_NONE,
                                .type = IR_I32,
                                .is_atomic = access == PLAN_UPDATE,
                                .loc = loc,
                                .why = access == PLAN_UPDATE ? "the last iteration that stores there" : NULL};
}

// Adds what is done to the marks to the task's effects.
static void add_effects(struct offload *o, struct plan_task *task, const struct loop_facts *facts,
                        enum plan_access marks)
{
    struct plan_effect *effects = ARENA_ARRAY(o->arena, struct plan_effect, task->effect_count + facts->scatter_count);
    int count = 0;
    for (int i = 0; i < task->effect_count; i++) {
        effects[count++] = task->effects[i];
    }
    for (int i = 0; i < facts->scatter_count; i++) {
        effects[count++] = mark_effect(&facts->scatters[i], marks, task->loc);
    }
    task->effects = effects;
    task->effect_count = count;
}

static void add_mark(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct loop_facts *facts = loop->loop->analysis;
    struct fragment fragment = {
        .kind = FRAGMENT_MARK, .first = loop, .count = 1, .group = parent->group, .is_alternative = true};
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_PARALLEL, loop->loc, parent->group, &fragment.task);
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    task->may_fail = flags.may_fail;
    task->trip = offload_trip(o, loop);
    task->cost = facts->cost;
    task->collapse = 1;
    // It only reads; but where the loop's conditions or pairs do not hold it must not run either.
    task->effects = ARENA_ARRAY(o->arena, struct plan_effect, facts->effect_count + 1);
    task->effect_count = facts->effect_count;
    for (int i = 0; i < facts->effect_count; i++) {
        task->effects[i] = facts->effects[i];
        task->effects[i].is_must = false;
    }
    task->pairs = facts->pairs;
    task->pair_count = facts->pair_count;
    task->conditions = ARENA_ARRAY(o->arena, struct plan_condition, facts->condition_count + 1);
    task->condition_count = facts->condition_count;
    for (int i = 0; i < facts->condition_count; i++) {
        task->conditions[i] = offload_condition(o, &facts->conditions[i]);
    }
    add_effects(o, task, facts, PLAN_UPDATE);
    VEC_PUSH(o->arena, &o->fragments, fragment);
    fragment_add_node(o, parent, PLAN_TASK, loop->loc)->task = fragment.task;
}

static void add_in_order(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    int first = o->fragments.count;
    fragment_add_serial(o, parent, loop, 1, false);
    for (int i = first; i < o->fragments.count; i++) {
        o->fragments.items[i].is_alternative = true;
    }
}

void scatter_build(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    assert(loop->loop->verdict == IR_VERDICT_SCATTER);
    struct loop_facts *facts = loop->loop->analysis;
    if (!has_room(o, facts)) {
        add_in_order(o, loop, parent);
        return;
    }
    for (int i = 0; i < facts->scatter_count; i++) {
        add_marks(o, &facts->scatters[i], loop);
    }
    struct plan_node *choice = fragment_add_node(o, parent, PLAN_IF, loop->loc);
    choice->expr = is_better_in_order(o, loop);
    offload_add_expr(o, &choice->expr);
    add_in_order(o, loop, fragment_add_node(o, choice, PLAN_SEQUENCE, loop->loc));
    struct plan_node *tasks = fragment_add_node(o, choice, PLAN_SEQUENCE, loop->loc);
    for (int i = 0; i < facts->scatter_count; i++) {
        lent_add_clear(o, loop, facts->scatters[i].param, tasks);
    }
    add_mark(o, loop, tasks);
    choice->task = partition_add_task(o, loop, tasks, NULL);
    add_effects(o, &o->tasks.items[choice->task], facts, PLAN_READ);
    partition_add_final_value(o, loop, tasks);
}
