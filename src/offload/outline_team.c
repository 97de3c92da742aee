// A loop of a task that a GPU's team shares out. What all its iterations update in memory is kept in a variable
// meanwhile, which the code generator merges over the team like any reduction of the loop. Where one thread runs the
// loop it does what the source says, in its order. Memory that something else may update meanwhile, or that perhaps no
// iteration touches, is updated once behind the loop.
#include "offload/outline.h"

#include "analysis/facts.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "offload/team.h"

#include <assert.h>

enum { LEVEL_LANE = 2 }; // ir_for.level

struct team_sum {
    const struct memory_reduction *memory;
    struct ir_var *sum;
    struct ir_var *ran;      // NULL: every iteration updates it
    bool is_atomic;          //
    struct ir_inst *address; // of the memory that |sum| is loaded from before the loop; NULL: it begins with nothing
};

struct team_loop {
    const struct ir_inst *loop;
    struct team_sum *sums;
    int sum_count;
};

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

static void begin_sum(struct outline *out, const struct ir_inst *loop, struct team_sum *sum, struct ir_builder *to)
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
    } else if (!sum->is_atomic && is_only_update(loop, memory)) {
        const struct ir_inst *first = memory->updates[0].inst;
        sum->address = value_outside(out, loop, first->args[0], to);
        struct ir_builder then = inside_if(to, runs(out, loop, to));
        struct ir_inst *load = ir_emit1(&then, IR_OP_LOAD, memory->type, sum->address);
        load->base = first->base;
        load->is_packed = first->is_packed;
        ir_set(&then, sum->sum, load);
    }
}

static void begin_sums(struct outline *out, struct team_loop *team, struct ir_builder *to)
{
    const struct loop_facts *facts = team->loop->loop->analysis;
    team->sums = ARENA_ARRAY(out->o->arena, struct team_sum, facts->reduction_count + 1);
    for (int i = 0; i < facts->reduction_count; i++) {
        struct team_sum *sum = &team->sums[team->sum_count++];
        sum->memory = &facts->reductions[i];
        begin_sum(out, team->loop, sum, to);
    }
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

// What was accumulated goes to the memory, if an iteration has updated it.
static void end_sum(struct outline *out, const struct ir_inst *loop, const struct team_sum *sum, struct ir_builder *to)
{
    struct ir_inst *any = sum->ran != NULL
                              ? ir_emit2(to, IR_OP_NE, IR_I1, ir_get(to, sum->ran), ir_const(to, IR_I32, 0))
                              : runs(out, loop, to);
    struct ir_builder then = inside_if(to, any);
    const struct ir_inst *first = sum->memory->updates[0].inst;
    struct ir_inst *address = sum->address != NULL ? sum->address : value_outside(out, loop, first->args[0], &then);
    struct ir_inst *args[2] = {address, ir_get(&then, sum->sum)};
    struct ir_inst *write = ir_emit(&then, sum->address != NULL ? IR_OP_STORE : IR_OP_UPDATE, first->type, 2, args);
    write->update = sum->address != NULL ? IR_UPDATE_NONE : ir_update_merge(first->update);
    write->atomic = sum->is_atomic;
    write->base = first->base;
    write->is_packed = first->is_packed;
}

void outline_team_loop(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    assert(out->team_loop == NULL); // one level is spread
    struct team_loop team = {.loop = inst};
    to->loc = inst->loc;
    begin_sums(out, &team, to);
    struct ir_inst *clone = outline_clone(out, inst, to);
    outline_clone_loop(out, inst, clone);
    // The launch has tested what the loop's independence depends on, and so that its bound stays as it is.
    clone->loop->verdict = IR_VERDICT_PROVEN;
    clone->loop->level = LEVEL_LANE;
    clone->loop->recheck = false;
    clone->region_count = 1;
    for (int i = 0; i < team.sum_count; i++) {
        add_role(out, clone->loop, team.sums[i].sum, team.sums[i].memory->update);
        if (team.sums[i].ran != NULL) {
            add_role(out, clone->loop, team.sums[i].ran, IR_UPDATE_OR);
        }
    }
    offload_note(out->o, (struct ir_inst *)inst)->clone = clone;
    out->team_loop = &team;
    struct ir_builder inner = *to;
    inner.region = &clone->regions[0];
    inner.before = NULL;
    outline_region(out, &inst->regions[0], &inner);
    out->team_loop = NULL;
    to->loc = inst->loc;
    for (int i = 0; i < team.sum_count; i++) {
        end_sum(out, inst, &team.sums[i], to);
    }
}

bool outline_team_update(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    const struct team_loop *team = out->team_loop;
    for (int i = 0; team != NULL && i < team->sum_count; i++) {
        const struct team_sum *sum = &team->sums[i];
        for (int k = 0; k < sum->memory->update_count; k++) {
            if (sum->memory->updates[k].inst != inst) {
                continue;
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
    }
    return false;
}
