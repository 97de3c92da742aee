// Parallel loops that may be better run as control, with a task for each loop inside them: those that turn out too
// short to fill the device and are no perfect nests, and those whose iterations share updates that the loops inside do
// not share. The plan holds both ways, and the launch takes the faster one by the trip counts.
#include "offload/offload.h"

#include "ir/walk.h"
#include "offload/team.h"
#include "plan/abi.h"

#include <assert.h>

enum {
    TASK_WORK_CPU = 50 * 1000,  // operations of one thread while a parallel task begins and ends
    SERIAL_WORK_CPU = 5 * 1000, // a serial one
    TASK_WORK_GPU = 2 * 1000,
    THREADS_GPU = 1 << 16, // that run at once
    WORKERS_ANY = 8,       // where their number may not count
    MAX_LOCALS = 1024,     // bytes of memory declared in the body: it would live in the launch block
    MAX_INNER = 8,         // loops inside
};

struct inside {
    struct offload *o;
    struct ir_inst *outer;
    bool by_updates; // iterations of the outer one share updates
    int loop_count;  // that become tasks
    bool is_longer;  // one of them may have more iterations than the outer one, or enough to pay without atomics
};

static bool look_at_region(struct inside *in, const struct ir_region *region);

// for (i < n) … for (j < n): if one is short, both are.
static bool has_same_trips(const struct inside *in, const struct ir_inst *inner)
{
    struct plan_expr *a = substitute_variables(in->o, offload_trip(in->o, in->outer), in->outer);
    struct plan_expr *b = substitute_variables(in->o, offload_trip(in->o, inner), in->outer);
    return a->args[0] != NULL && a->args[1] != NULL && b->args[0] != NULL && b->args[1] != NULL &&
           plan_expr_equal(a, b);
}

// On a GPU a value that a task computes would have to be read back each round. |var| may be NULL.
static bool is_of_arguments(const struct plan_expr *expr, const struct ir_var *var)
{
    if (expr == NULL) {
        return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!is_of_arguments(expr->args[i], var)) {
            return false;
        }
    }
    return expr->arg_count > 0 || expr->kind == PLAN_EXPR_CONST || expr->kind == PLAN_EXPR_PARAM ||
           (expr->kind == PLAN_EXPR_VAR && var != NULL && expr->index == var->index);
}

static bool is_known_to_host(const struct inside *in, const struct ir_inst *value)
{
    struct plan_expr *expr = substitute_variables(in->o, expr_of_value(in->o->arena, value), in->outer);
    return !in->o->module->is_gpu || is_of_arguments(expr, in->outer->loop->var);
}

// Whether the instruction is a parallel loop, or so cheap that it does not matter on one thread.
static bool look_at(struct inside *in, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_FOR: {
        const struct loop_facts *facts = inst->loop->analysis;
        in->loop_count++;
        in->is_longer |= !facts_has_few_iterations(inst) && (in->by_updates || !has_same_trips(in, inst));
        return offload_note(in->o, inst)->is_chosen && facts != NULL && !facts->independent_by_updates &&
               !inst->loop->pragma_single && is_known_to_host(in, inst->args[0]) && is_known_to_host(in, inst->args[1]);
    }
    case IR_OP_IF:
    case IR_OP_BLOCK:
        if (offload_note(in->o, inst)->has_task && inst->op == IR_OP_IF && !is_known_to_host(in, inst->args[0])) {
            return false;
        }
        for (int i = 0; i < inst->region_count; i++) {
            if (!look_at_region(in, &inst->regions[i])) {
                return false;
            }
        }
        return true;
    case IR_OP_CALL:
    case IR_OP_COPY:
    case IR_OP_FILL:
    case IR_OP_COMPARE:
    case IR_OP_PRINT: return false;
    default: return inst->region_count == 0;
    }
}

static bool look_at_region(struct inside *in, const struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (!look_at(in, inst)) {
            return false;
        }
    }
    return true;
}

// A pointer that is stored would outlive the task that knows what it points to; what may fail names its iteration.
static bool is_plain(struct ir_inst *inst, void *user)
{
    const struct offload *o = user;
    return !ir_may_fail(inst, o->module->check_bounds) && !(inst->op == IR_OP_STORE && inst->type == IR_PTR);
}

static bool has_small_locals(const struct offload *o, const struct ir_inst *outer)
{
    uint64_t bytes = 0;
    for (int i = 0; i < o->kernel->var_count; i++) {
        const struct ir_var *var = o->kernel->vars[i];
        bool is_inside = var->scope != NULL && walk_is_inside(var->scope, outer);
        for (int k = 0; k < outer->loop->role_count && !is_inside; k++) {
            is_inside = outer->loop->roles[k].var == var;
        }
        bytes += is_inside && var->is_memory ? var->size : 0;
    }
    return bytes <= MAX_LOCALS;
}

static struct plan_expr *op(struct offload *o, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    bool is_compare = op == IR_OP_SLT || op == IR_OP_SGE;
    return plan_op(o->arena, op, is_compare ? IR_I1 : IR_I64, IR_I64, a, b);
}

static struct plan_expr *number(struct offload *o, int64_t value)
{
    return plan_const(o->arena, IR_I64, value);
}

// Workers that share an iteration's inner loops. Where floats are summed the way taken must not depend on their number.
static struct plan_expr *workers(struct offload *o, struct ir_inst *outer)
{
    if (o->module->is_gpu) {
        return number(o, THREADS_GPU);
    }
    if (!walk_inst(outer, offload_sums_no_float, NULL)) {
        return number(o, WORKERS_ANY);
    }
    return op(o, IR_OP_SMAX, op(o, IR_OP_SDIV, offload_width(o), number(o, PLAN_WIDTH_PER_WORKER)), number(o, 1));
}

// What the tasks of one iteration cost to begin and end, with serial code around the loops.
static int64_t begin_work(const struct offload *o, int loop_count)
{
    if (o->module->has_short_strips) {
        return 1;
    }
    return o->module->is_gpu ? (2 * loop_count + 1) * (int64_t)TASK_WORK_GPU
                             : loop_count * (int64_t)TASK_WORK_CPU + (loop_count + 1) * (int64_t)SERIAL_WORK_CPU;
}

// Whether the loop may run in any order, as far as the launch tests conditions of it; NULL: nothing is tested, or on a
// GPU not by the host.
static struct plan_expr *holds(struct offload *o, const struct loop_facts *facts)
{
    struct plan_expr *all = NULL;
    for (int i = 0; i < facts->condition_count; i++) {
        struct plan_expr *expr = facts->conditions[i].expr;
        if (o->module->is_gpu && !is_of_arguments(expr, NULL)) {
            return NULL;
        }
        all = all == NULL ? expr : plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, all, expr);
    }
    return all;
}

// With w workers and n iterations of c operations each: ceil(n / w) * c, or n * c / w where the loops inside are cut
// too; with teams of t threads ceil(n * t / w) * c / t. Where updates are atomic a CPU may also run the task on one
// worker, with plain ones; where its conditions do not hold, it has to.
static struct plan_expr *work_as_task(struct offload *o, struct ir_inst *outer, struct plan_expr *n,
                                      struct plan_expr *w)
{
    const struct loop_facts *facts = outer->loop->analysis;
    struct plan_expr *most = number(o, INT64_C(1) << 38);
    struct plan_expr *cost = op(o, IR_OP_SMIN, facts->cost, most);
    struct plan_expr *threads = n;
    if (team_of(o, outer)->is_found) {
        threads = op(o, IR_OP_MUL, n, number(o, ABI_GPU_TEAM));
        cost = op(o, IR_OP_SDIV, cost, number(o, ABI_GPU_TEAM));
    }
    struct plan_expr *rounds = op(o, IR_OP_SDIV, op(o, IR_OP_ADD, threads, op(o, IR_OP_SUB, w, number(o, 1))), w);
    struct plan_expr *work =
        nest_of(o, outer)->is_found ? op(o, IR_OP_SDIV, op(o, IR_OP_MUL, n, cost), w) : op(o, IR_OP_MUL, rounds, cost);
    struct plan_expr *in_order = op(o, IR_OP_MUL, n, op(o, IR_OP_SMIN, facts->plain_cost, most));
    if (facts->independent_by_updates && !o->module->is_gpu) {
        work = op(o, IR_OP_SMIN, work, in_order);
    }
    struct plan_expr *condition = holds(o, facts);
    return condition != NULL ? plan_select(o->arena, condition, work, in_order) : work;
}

// As control the loop takes n * (c / w + b), where its tasks take b to begin and end. That must be a good deal less.
static struct plan_expr *is_too_short(struct offload *o, struct ir_inst *outer, int loop_count)
{
    const struct loop_facts *facts = outer->loop->analysis;
    struct plan_expr *trip = offload_trip(o, outer);
    if (trip->args[0] == NULL || trip->args[1] == NULL || facts->cost == NULL ||
        (o->module->is_gpu && !(is_of_arguments(trip, NULL) && is_of_arguments(facts->cost, NULL)))) {
        return NULL;
    }
    struct plan_expr *most = number(o, INT64_C(1) << 20); // keeps the products below 2^63
    struct plan_expr *w = workers(o, outer);
    struct plan_expr *n = op(o, IR_OP_SMIN, trip, most);
    struct plan_expr *c = op(o, IR_OP_SMIN, facts->plain_cost, number(o, INT64_C(1) << 38));
    struct plan_expr *as_task = work_as_task(o, outer, n, w);
    struct plan_expr *begin = number(o, begin_work(o, loop_count));
    struct plan_expr *as_control = op(o, IR_OP_MUL, n, op(o, IR_OP_ADD, op(o, IR_OP_SDIV, c, w), begin));
    as_control = op(o, IR_OP_ADD, as_control, op(o, IR_OP_SDIV, as_control, number(o, 4)));
    return op(o, IR_OP_SLT, as_control, as_task);
}

static struct plan_expr *short_test(struct offload *o, struct ir_inst *outer)
{
    assert(offload_note(o, outer)->is_chosen);
    const struct ir_for *loop = outer->loop;
    const struct loop_facts *facts = loop->analysis;
    bool is_scan = false;
    WALK (inst, &outer->regions[0]) {
        is_scan |= inst->op == IR_OP_FOR && (inst->loop->scan == IR_SCAN_AHEAD || inst->loop->scan == IR_SCAN_HANDS_ON);
    }
    if (is_scan) { // its runs are cut for teams
        return NULL;
    }
    struct inside in = {.o = o, .outer = outer, .by_updates = facts->independent_by_updates};
    if (loop->pragma_parallel || loop->collapse > 0 || loop->block_dim > 0 || loop->map != IR_MAP_ANY ||
        loop->recheck || !walk_inst(outer, is_plain, o) || !has_small_locals(o, outer)) {
        return NULL;
    }
    choose_in_region(o, &outer->regions[0], true);
    if (!look_at_region(&in, &outer->regions[0]) || !in.is_longer || in.loop_count > MAX_INNER) {
        return NULL;
    }
    return is_too_short(o, outer, in.loop_count);
}

static void find_in_region(struct offload *o, struct ir_region *region);

// Of a loop that is control its loops are looked at in turn.
static void find_of_chosen(struct offload *o, struct ir_inst *loop)
{
    struct offload_note *note = offload_note(o, loop);
    const struct loop_facts *facts = loop->loop->analysis;
    if (loop->loop->verdict == IR_VERDICT_SCATTER || note->fusion != NULL ||
        (nest_of(o, loop)->is_found && !facts->independent_by_updates)) {
        return;
    }
    note->is_short = short_test(o, loop);
    if (note->is_short != NULL) {
        find_in_region(o, &loop->regions[0]);
    }
}

static void find_in_region(struct offload *o, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        const struct offload_note *note = inst->region_count > 0 ? offload_note(o, inst) : NULL;
        if (note == NULL || !note->has_task || note->is_absorbed) {
            continue;
        }
        if (inst->op == IR_OP_FOR && note->is_chosen) {
            find_of_chosen(o, inst);
            continue;
        }
        for (int i = 0; i < inst->region_count; i++) {
            find_in_region(o, &inst->regions[i]);
        }
    }
}

void short_loops_find(struct offload *o)
{
    find_in_region(o, &o->kernel->body);
}
