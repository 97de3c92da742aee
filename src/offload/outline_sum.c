// What the iterations of a loop inside a task update in memory is kept in a variable while the loop runs, which the
// code generator then accumulates like any reduction of the loop. Memory that something else may update meanwhile, or
// that perhaps no iteration touches, is updated once behind the loop.
#include "offload/outline.h"

#include "analysis/facts.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/walk.h"

#include <assert.h>

struct loop_sum {
    const struct memory_reduction *memory;
    struct ir_var *sum;
    struct ir_var *ran;      // NULL: every iteration updates it
    bool is_atomic;          //
    struct ir_inst *address; // of the memory that |sum| is loaded from before the loop; NULL: it begins with nothing
};

// ---- what the launch tests ----------------------------------------------------------------------------------------

static bool is_base(const struct plan_effect *effect, const struct plan_effect *other)
{
    return effect->base == other->base && effect->index == other->index;
}

// Whether the launch keeps all that the task touches of two arrays apart, as far as it writes one of them.
static bool are_apart(const struct plan_task *task, const struct plan_effect *a, const struct plan_effect *b)
{
    if (is_base(a, b) || (a->base != PLAN_BASE_PARAM && a->base != PLAN_BASE_FIELD) ||
        (b->base != PLAN_BASE_PARAM && b->base != PLAN_BASE_FIELD)) {
        return false;
    }
    for (int i = 0; i < task->effect_count; i++) {
        for (int k = 0; k < task->effect_count; k++) {
            bool are_these = is_base(&task->effects[i], a) && is_base(&task->effects[k], b);
            bool is_read = task->effects[i].access == PLAN_READ && task->effects[k].access == PLAN_READ;
            if (are_these && !is_read && !plan_task_keeps_apart(task, i, k)) {
                return false;
            }
        }
    }
    return true;
}

// Whether all that the loop's independence depends on is among the tests of the task.
static bool adds_no_test(const struct outline *out, const struct ir_inst *loop)
{
    const struct ir_inst *outer = out->fragment->first;
    const struct loop_facts *around = outer->loop->analysis;
    struct nest tests = {.count = 1,
                         .conditions = around->conditions,
                         .condition_count = around->condition_count,
                         .pairs = around->pairs,
                         .pair_count = around->pair_count};
    if (out->fragment->nest != NULL) {
        tests = *out->fragment->nest;
        tests.is_flexible = false;
    }
    tests.loops[0] = (struct ir_inst *)outer;
    struct nest all = tests;
    if (nest_take_tests(out->o, &all, loop, NULL, 0) != NULL || all.condition_count != tests.condition_count ||
        all.pair_count != tests.pair_count) {
        return false;
    }
    for (int i = 0; i < tests.pair_count; i++) {
        if (tests.pairs[i].equal_will_do && !all.pairs[i].equal_will_do) {
            return false;
        }
    }
    return true;
}

// Whether the pairs are, where the tests are those of other code: of a loop that others have been fused with.
static bool keeps_pairs_apart(const struct outline *out, const struct loop_facts *facts)
{
    const struct plan_task *task = &out->o->tasks.items[out->fragment->task];
    for (int i = 0; i < facts->pair_count; i++) {
        if (!are_apart(task, &facts->effects[facts->pairs[i].a], &facts->effects[facts->pairs[i].b])) {
            return false;
        }
    }
    return true;
}

static bool is_tested(const struct outline *out, const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    bool is_independent = loop->loop->verdict == IR_VERDICT_PROVEN || loop->loop->verdict == IR_VERDICT_IF;
    // A GPU's threads take iterations of the task; what is known of loops inside these makes no better code there.
    if (out->o->module->is_gpu || !out->is_tested || !is_independent || facts == NULL || loop == out->fragment->first) {
        return false;
    }
    const struct loop_facts *around = out->is_parallel ? out->fragment->first->loop->analysis : NULL;
    bool is_same = around != NULL && around->analysis == facts->analysis && out->fragment->fusion == NULL;
    return (facts->condition_count == 0 && keeps_pairs_apart(out, facts)) || (is_same && adds_no_test(out, loop));
}

static bool has_loops(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_FOR) {
            return true;
        }
    }
    return false;
}

// A loop that runs down columns is no vector: elements that are scattered cost more than one after the other. A few
// beside a loop inside are touched once for all that this does: see codegen/lanes.c.
bool outline_is_tested(const struct outline *out, const struct ir_inst *loop)
{
    return is_tested(out, loop) && facts_far_accesses(loop, loop, loop) < (has_loops(loop) ? FACTS_TRIPS_INSIDE : 1);
}

// ---- sums ---------------------------------------------------------------------------------------------------------

static bool is_certain(const struct ir_inst *loop, const struct memory_reduction *memory)
{
    for (int i = 0; i < memory->update_count; i++) {
        if (memory->updates[i].inst->parent == &loop->regions[0]) {
            return true;
        }
    }
    return false;
}

// What the address is made of inside the loop is made anew outside of it: the loop does not change it.
static struct ir_inst *value_outside(struct outline *out, const struct ir_inst *loop, struct ir_inst *value,
                                     struct ir_builder *to)
{
    if (!walk_is_inside(value, loop)) {
        return outline_value(out, value);
    }
    if (value->op == IR_OP_GET) {
        return ir_get(to, outline_var(out, value->var));
    }
    if (value->op == IR_OP_ADDR_VAR) {
        return outline_memory_address(out, value->var, to);
    }
    struct ir_inst **args = ARENA_ARRAY(out->o->arena, struct ir_inst *, value->arg_count + 1);
    for (int i = 0; i < value->arg_count; i++) {
        args[i] = value_outside(out, loop, value->args[i], to);
    }
    return clone_inst(to, value, args);
}

// Whether finding the address may end the iteration with an error, which a loop without iterations does not.
static bool may_fail(const struct outline *out, const struct ir_inst *loop, const struct ir_inst *value)
{
    if (!walk_is_inside(value, loop)) {
        return false;
    }
    bool fails = ir_may_fail(value, out->o->module->check_bounds);
    for (int i = 0; i < value->arg_count && !fails; i++) {
        fails = may_fail(out, loop, value->args[i]);
    }
    return fails;
}

// Whether an iteration runs at all.
static struct ir_inst *runs(struct outline *out, const struct ir_inst *loop, struct ir_builder *to)
{
    struct ir_inst *init = outline_value(out, loop->args[0]);
    return ir_emit2(to, loop->loop->compare, IR_I1, init, outline_value(out, loop->args[1]));
}

static struct ir_builder inside_if(struct ir_builder *to, struct ir_inst *condition)
{
    struct ir_builder then = *to;
    then.region = &ir_control(to, IR_OP_IF, condition, 2)->regions[0];
    then.before = NULL;
    return then;
}

// Whether nothing else in the loop updates memory: what does so by the same operator may have the same place.
static bool is_only_update(const struct ir_inst *loop, const struct memory_reduction *memory)
{
    int count = 0;
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_CALL) {
            return false;
        }
        count += ir_op_accesses(inst->op) && ir_op_reads(inst->op) && ir_op_writes(inst->op);
    }
    return count == memory->update_count;
}

// What the sum begins with is what the memory has, where nothing else updates that meanwhile.
static void begin_sum(struct outline *out, const struct ir_inst *loop, struct loop_sum *sum, struct ir_builder *to)
{
    const struct memory_reduction *memory = sum->memory;
    sum->sum = ir_var_create(out->o->module, out->function, ".sum", memory->type);
    ir_set(to, sum->sum, reduce_identity(to, memory->update, memory->type));
    for (int i = 0; i < memory->update_count; i++) {
        const struct ir_inst *inst = memory->updates[i].inst;
        sum->is_atomic |= inst->atomic && outline_is_shared(out, inst);
    }
    if (!is_certain(loop, memory)) {
        sum->ran = ir_var_create(out->o->module, out->function, ".ran", IR_I32);
        ir_set(to, sum->ran, ir_const(to, IR_I32, 0));
        return;
    }
    const struct ir_inst *first = memory->updates[0].inst;
    if (!sum->is_atomic && is_only_update(loop, memory) && !may_fail(out, loop, first->args[0])) {
        sum->address = value_outside(out, loop, first->args[0], to);
        struct ir_builder then = inside_if(to, runs(out, loop, to));
        struct ir_inst *load = ir_emit1(&then, IR_OP_LOAD, memory->type, sum->address);
        load->base = first->base;
        load->is_packed = first->is_packed;
        ir_set(&then, sum->sum, load);
    }
}

static void begin_sums(struct outline *out, struct loop_sums *sums, const struct ir_inst *loop, struct ir_builder *to)
{
    const struct loop_facts *facts = loop->loop->analysis;
    *sums = (struct loop_sums){.loop = loop, .outer = out->sums};
    sums->items = ARENA_ARRAY(out->o->arena, struct loop_sum, facts->reduction_count + 1);
    for (int i = 0; i < facts->reduction_count; i++) {
        struct loop_sum *sum = &sums->items[sums->count++];
        sum->memory = &facts->reductions[i];
        begin_sum(out, loop, sum, to);
    }
    out->sums = sums;
}

static void add_role(struct outline *out, struct ir_for *loop, struct ir_var *var, enum ir_update update)
{
    struct ir_scalar_role *roles = ARENA_ARRAY(out->o->arena, struct ir_scalar_role, loop->role_count + 1);
    for (int i = 0; i < loop->role_count; i++) {
        roles[i] = loop->roles[i];
    }
    roles[loop->role_count++] = (struct ir_scalar_role){.var = var, .role = IR_ROLE_REDUCTION, .update = update};
    loop->roles = roles;
}

static void add_roles(struct outline *out, const struct loop_sums *sums, struct ir_for *loop)
{
    for (int i = 0; i < sums->count; i++) {
        add_role(out, loop, sums->items[i].sum, sums->items[i].memory->update);
        if (sums->items[i].ran != NULL) {
            add_role(out, loop, sums->items[i].ran, IR_UPDATE_OR);
        }
    }
}

// What was accumulated goes to the memory, if an iteration has updated it.
static void end_sum(struct outline *out, const struct ir_inst *loop, const struct loop_sum *sum, struct ir_builder *to)
{
    struct ir_inst *any = sum->ran != NULL
                              ? ir_emit2(to, IR_OP_NE, IR_I1, ir_get(to, sum->ran), ir_const(to, IR_I32, 0))
                              : runs(out, loop, to);
    struct ir_builder then = inside_if(to, any);
    const struct ir_inst *first = sum->memory->updates[0].inst;
    struct ir_inst *address = sum->address != NULL ? sum->address : value_outside(out, loop, first->args[0], &then);
    struct ir_inst *value = ir_get(&then, sum->sum);
    if (sum->address == NULL && ir_update_takes_truth(first->update)) {
        value = ir_type_is_float(first->type)
                    ? ir_emit2(&then, IR_OP_FNE, IR_I1, value, ir_fconst(&then, first->type, 0))
                    : ir_emit2(&then, IR_OP_NE, IR_I1, value, ir_const(&then, first->type, 0));
    }
    struct ir_inst *args[2] = {address, value};
    struct ir_inst *write = ir_emit(&then, sum->address != NULL ? IR_OP_STORE : IR_OP_UPDATE, first->type, 2, args);
    write->update = sum->address != NULL ? IR_UPDATE_NONE : ir_update_merge(first->update);
    write->atomic = sum->is_atomic;
    write->base = first->base;
    write->is_packed = first->is_packed;
}

void outline_summing_loop(struct outline *out, const struct ir_inst *inst, int level, struct ir_builder *to)
{
    struct loop_sums sums;
    to->loc = inst->loc;
    begin_sums(out, &sums, inst, to);
    struct ir_inst *clone = outline_clone(out, inst, to);
    outline_clone_loop(out, inst, clone);
    // The launch has tested what the loop's independence depends on, and so that its bound stays as it is.
    clone->loop->verdict = IR_VERDICT_PROVEN;
    clone->loop->recheck = false;
    clone->loop->level = level;
    clone->region_count = 1;
    add_roles(out, &sums, clone->loop);
    offload_note(out->o, (struct ir_inst *)inst)->clone = clone;
    struct ir_builder inner = *to;
    inner.region = &clone->regions[0];
    inner.before = NULL;
    outline_region(out, &inst->regions[0], &inner);
    out->sums = sums.outer;
    to->loc = inst->loc;
    for (int i = 0; i < sums.count; i++) {
        end_sum(out, inst, &sums.items[i], to);
    }
}

static const struct loop_sum *sum_of(const struct outline *out, const struct ir_inst *update)
{
    for (const struct loop_sums *sums = out->sums; sums != NULL; sums = sums->outer) {
        for (int i = 0; i < sums->count; i++) {
            const struct memory_reduction *memory = sums->items[i].memory;
            for (int k = 0; k < memory->update_count; k++) {
                if (memory->updates[k].inst == update) {
                    return &sums->items[i];
                }
            }
        }
    }
    return NULL;
}

bool outline_sum_update(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    const struct loop_sum *sum = sum_of(out, inst);
    if (sum == NULL) {
        return false;
    }
    struct ir_inst *operand = outline_value(out, inst->args[1]);
    to->loc = inst->loc;
    struct ir_inst *update = ir_emit1(to, IR_OP_VUPDATE, inst->type, operand);
    update->var = sum->sum;
    update->update = inst->update;
    update->fused = inst->fused;
    if (sum->ran != NULL) {
        struct ir_inst *ran = ir_emit1(to, IR_OP_VUPDATE, IR_I32, ir_const(to, IR_I32, 1));
        ran->var = sum->ran;
        ran->update = IR_UPDATE_OR;
    }
    return true;
}

// ---- loops that one thread runs -----------------------------------------------------------------------------------

static bool is_gathered(const struct ir_inst *loop, const struct ir_inst *update)
{
    const struct loop_facts *facts = loop->loop->analysis;
    for (int i = 0; i < facts->reduction_count; i++) {
        for (int k = 0; k < facts->reductions[i].update_count; k++) {
            const struct reduced_update *reduced = &facts->reductions[i].updates[k];
            if (reduced->inst == update && reduced->context == NULL) {
                return true;
            }
        }
    }
    return false;
}

// Whether the loop writes nothing else.
static bool only_gathers(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_CALL ||
            (ir_op_accesses(inst->op) && ir_op_writes(inst->op) && !is_gathered(loop, inst))) {
            return false;
        }
    }
    return true;
}

bool outline_sums(const struct outline *out, const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    if (!is_tested(out, loop) || facts->reduction_count == 0 || facts->may_fail || out->fragment->group != 0 ||
        loop == out->fragment->first || out->fragment->races != NULL) {
        return false;
    }
    for (int i = 0; i < facts->reduction_count; i++) {
        const struct memory_reduction *memory = &facts->reductions[i];
        for (int k = 0; k < memory->update_count; k++) {
            const struct ir_inst *update = memory->updates[k].inst;
            if (memory->updates[k].context != NULL || (update->atomic && outline_is_shared(out, update))) {
                return false;
            }
        }
        if (!is_certain(loop, memory)) {
            return false;
        }
    }
    for (int i = 0; i < facts->shared_count; i++) {
        if (!is_gathered(loop, facts->shared[i])) {
            return false;
        }
    }
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (loop->loop->roles[i].var->is_memory) {
            return false;
        }
    }
    return facts_far_accesses(loop, loop, loop) == 0 || only_gathers(loop);
}
