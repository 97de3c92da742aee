// Cuts a nest into statements: what shares a value that cannot be computed twice, or a scalar, stays together.
#include "analysis/scalars/scalars.h"
#include "ir/assignment.h"
#include "ir/trip.h"
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

const struct ir_inst *nest_counting_loop(const struct loop_nest *nest, const struct ir_inst *get)
{
    for (const struct ir_inst *owner = get->parent->owner; owner != NULL; owner = owner->parent->owner) {
        if (owner->op == IR_OP_FOR && owner->loop->var == get->var) {
            return owner;
        }
        if (owner == nest->root->inst) {
            return NULL;
        }
    }
    return NULL;
}

bool nest_is_in_run(const struct ir_inst *inst, const struct run *run)
{
    while (inst != NULL && inst->parent != run->first->parent) {
        inst = inst->parent != NULL ? inst->parent->owner : NULL;
    }
    for (const struct ir_inst *part = run->first; inst != NULL; part = part->next) {
        if (part == inst) {
            return true;
        }
        if (part == run->last) {
            break;
        }
    }
    return false;
}

bool nest_is_inside(const struct ir_inst *inst, const struct statement *statement)
{
    for (int i = 0; i < statement->left_out_count; i++) {
        if (nest_is_in_run(inst, &statement->left_out[i])) {
            return false;
        }
    }
    return nest_is_in_run(inst, &(struct run){statement->first, statement->last});
}

static bool is_written(const struct loop_nest *nest, int base)
{
    const struct analysis *an = nest->an;
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        if (access->kind != ACCESS_READ && (access->base == base || base_kind(access->base) == BASE_UNKNOWN)) {
            return true;
        }
    }
    return base_kind(base) == BASE_UNKNOWN;
}

// Whether the variable has another value elsewhere in the nest than where |inst| mentions it.
static bool is_carried(const struct loop_nest *nest, const struct ir_inst *inst)
{
    return inst->var != NULL && !inst->var->is_memory && nest->is_assigned[inst->var->index] &&
           (inst->op != IR_OP_GET || nest_counting_loop(nest, inst) == NULL);
}

bool nest_is_movable(const struct loop_nest *nest, const struct ir_inst *value)
{
    if (value->op == IR_OP_GET) {
        return !is_carried(nest, value);
    }
    return ir_op_is_pure(value->op) ||
           (value->op == IR_OP_LOAD && !value->is_volatile && !is_written(nest, value->base));
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static bool has_pragma(const struct ir_for *loop)
{
    return loop->pragma_parallel || loop->pragma_serial || loop->pragma_single || loop->collapse > 0 ||
           loop->block_dim > 0 || loop->map != IR_MAP_ANY;
}

static bool is_refused(const struct loop_nest *nest, const struct ir_inst *inst)
{
    const struct ir_inst *root = nest->root->inst;
    switch (inst->op) {
    case IR_OP_BLOCKS:
    case IR_OP_CALL:
    case IR_OP_PRINT:
    case IR_OP_RETURN:
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
    case IR_OP_CFG:
    case IR_OP_SWITCH: return true;
    case IR_OP_BREAK:
    case IR_OP_JUMP: return !walk_is_inside(inst->target, root);
    case IR_OP_FOR: return has_pragma(inst->loop) || inst->loop->recheck;
    case IR_OP_ADDR_VAR: return inst->var->scope != NULL && walk_is_inside(inst->var->scope, root);
    default: return inst->is_volatile || ir_may_fail(inst, nest->module->check_bounds);
    }
}

// Variables from outside that the nest does nothing to but update them, all in one way that commutes.
static void find_reduced(struct loop_nest *nest)
{
    enum { NOT_SEEN, SEEN, OTHERWISE };
    struct arena *arena = nest->an->arena;
    const struct ir_inst **first = ARENA_ARRAY(arena, const struct ir_inst *, nest->kernel->var_count + 1);
    uint8_t *state = ARENA_ARRAY(arena, uint8_t, nest->kernel->var_count + 1);
    nest->is_reduced = ARENA_ARRAY(arena, bool, nest->kernel->var_count + 1);
    WALK (inst, &nest->root->inst->regions[0]) {
        const struct ir_var *var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
        if (var == NULL || var->is_memory) {
            continue;
        }
        bool is_update = inst->op == IR_OP_VUPDATE && !scalars_is_declared_in(var, nest->root->inst) &&
                         ir_updates_commute(inst->update, inst->update) &&
                         ir_update_keeps_range(inst->update, inst->type);
        const struct ir_inst *other = first[var->index];
        is_update &= other == NULL || (state[var->index] == SEEN && ir_updates_commute(inst->update, other->update));
        first[var->index] = other == NULL ? inst : other;
        state[var->index] = is_update ? SEEN : OTHERWISE;
        nest->is_reduced[var->index] = is_update;
    }
}

// Notes which variables the nest assigns. False: something in it must stay where it is.
static bool look_through(struct loop_nest *nest)
{
    int count = 0;
    for (const struct ir_inst *inst = nest->root->inst; inst != NULL;
         inst = inst == nest->root->inst ? nest->root->inst->regions[0].first
                                         : walk_next(inst, &nest->root->inst->regions[0])) {
        if (++count > NEST_INSTRUCTIONS || is_refused(nest, inst)) {
            return false;
        }
        if ((ir_op_sets(inst->op) && !nest->is_reduced[inst->var->index]) ||
            (inst->op == IR_OP_GET && nest_counting_loop(nest, inst) == NULL &&
             assignment_is_in(nest->root->inst, inst->var))) {
            nest->is_assigned[inst->var->index] = true;
        }
    }
    return true;
}

// ---- one region ----------------------------------------------------------------------------------------------------

struct cutting { // of one region into runs
    struct loop_nest *nest;
    struct ir_region *region;
    struct pointer_map positions; // instruction → 1 + its position
    int *ends;                    // by position: the last one that goes with it
    int *first_of_var;            // by variable: 1 + the first position that mentions it
    int *stamps;                  // by value: 1 + the position for which it was looked at last
    int count;
};

static int position_of(const struct cutting *c, const struct ir_inst *inst)
{
    return (int)(intptr_t)pointer_map_get(&c->positions, inst) - 1;
}

static void tie(struct cutting *c, int from, int to)
{
    c->ends[from] = to > c->ends[from] ? to : c->ends[from];
}

static void reach(struct cutting *c, const struct ir_inst *value, int user)
{
    int at = value->parent == c->region ? position_of(c, value) : -1;
    if (at < 0 || at == user || c->stamps[value->id] == user + 1) {
        return;
    }
    c->stamps[value->id] = user + 1;
    if (!nest_is_movable(c->nest, value)) {
        tie(c, at, user);
    }
    for (int i = 0; i < value->arg_count; i++) {
        reach(c, value->args[i], user);
    }
}

bool nest_mentions_carried(const struct loop_nest *nest, const struct ir_inst *inst, const struct ir_var **out_var)
{
    *out_var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
    return inst->op == IR_OP_FOR ? nest->is_assigned[(*out_var)->index] : is_carried(nest, inst);
}

static void reach_from(struct cutting *c, const struct ir_inst *inst, int user)
{
    for (int i = 0; i < inst->arg_count; i++) {
        reach(c, inst->args[i], user);
    }
    const struct ir_var *var;
    if (nest_mentions_carried(c->nest, inst, &var)) {
        int *first = &c->first_of_var[var->index];
        *first = *first == 0 ? user + 1 : *first;
        tie(c, *first - 1, user);
    }
}

struct loop_info *nest_info_of(const struct loop_nest *nest, const struct ir_inst *inst)
{
    for (int i = 0; i < nest->an->loops.count; i++) {
        if (nest->an->loops.items[i]->inst == inst) {
            return nest->an->loops.items[i];
        }
    }
    return NULL;
}

bool nest_is_followed(const struct loop_nest *nest, const struct poly *value, struct loop_info *const *loops, int depth)
{
    for (int i = 0; i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            bool is_known = !atom_varies(nest->an, id, nest->root);
            for (int d = 0; d < depth && !is_known; d++) {
                is_known = id == loops[d]->variable;
            }
            if (!is_known) {
                return false;
            }
        }
    }
    return true;
}

static bool is_movable_deep(const struct loop_nest *nest, const struct ir_inst *value, int budget)
{
    if (!walk_is_inside(value, nest->root->inst)) {
        return true;
    }
    if (budget == 0 || !nest_is_movable(nest, value)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_movable_deep(nest, value->args[i], budget - 1)) {
            return false;
        }
    }
    return true;
}

bool nest_is_member(const struct loop_nest *nest, const struct ir_inst *inst, struct loop_info *const *loops, int depth)
{
    const struct loop_info *info = inst->op == IR_OP_FOR && depth < NEST_DEPTH ? nest_info_of(nest, inst) : NULL;
    return info != NULL && info->first != NULL && info->last != NULL && !nest->is_assigned[inst->loop->var->index] &&
           inst->loop->compare != IR_OP_NE && trip_step_fits(inst->loop) &&
           nest_is_followed(nest, info->init, loops, depth) && nest_is_followed(nest, info->bound, loops, depth) &&
           is_movable_deep(nest, inst->args[0], 16) && is_movable_deep(nest, inst->args[1], 16);
}

static void cut_region(struct loop_nest *nest, struct ir_region *region, struct loop_info **loops, int depth);

static void add_statement(struct loop_nest *nest, const struct statement *made)
{
    if (nest->statement_count == NEST_SOURCE_STATEMENTS) {
        nest->is_refused = true;
        return;
    }
    struct statement *statement = &nest->statements[nest->statement_count++];
    *statement = *made;
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        if (nest_is_inside(nest->an->accesses.items[i].site, statement)) {
            if (statement->access_count == NEST_ACCESSES) {
                nest->is_refused = true;
                return;
            }
            statement->accesses[statement->access_count++] = i;
        }
    }
}

static void add_run(struct loop_nest *nest, const struct run *run, struct loop_info **loops, int depth)
{
    if (run->first == run->last && nest_is_member(nest, run->first, loops, depth)) {
        loops[depth] = nest_info_of(nest, run->first);
        cut_region(nest, &run->first->regions[0], loops, depth + 1);
        return;
    }
    struct statement statement = {.first = run->first, .last = run->last, .depth = depth};
    memcpy(statement.loops, loops, sizeof *loops * (size_t)depth);
    struct run parts[NEST_LEFT_OUT];
    struct ir_inst *around[NEST_LEFT_OUT];
    int count = nest_peel(nest, &statement, parts, around);
    for (int i = 0; i < count; i++) {
        loops[depth] = nest_info_of(nest, around[i]);
        add_run(nest, &parts[i], loops, depth + 1);
    }
    add_statement(nest, &statement);
}

static void find_ties(struct cutting *c)
{
    int at = 0;
    for (struct ir_inst *inst = c->region->first; inst != NULL; inst = inst->next, at++) {
        if (nest_is_movable(c->nest, inst)) {
            continue;
        }
        reach_from(c, inst, at);
        for (int i = 0; i < inst->region_count; i++) {
            WALK (inner, &inst->regions[i]) {
                reach_from(c, inner, at);
            }
        }
    }
}

int nest_find_runs(struct loop_nest *nest, struct ir_region *region, struct run *out, int room)
{
    struct arena *arena = nest->an->arena;
    struct cutting c = {.nest = nest, .region = region};
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        pointer_map_set(arena, &c.positions, inst, (void *)(intptr_t)(++c.count));
    }
    struct ir_inst **insts = ARENA_ARRAY(arena, struct ir_inst *, c.count + 1);
    c.ends = ARENA_ARRAY(arena, int, c.count + 1);
    c.first_of_var = ARENA_ARRAY(arena, int, nest->kernel->var_count + 1);
    c.stamps = ARENA_ARRAY(arena, int, nest->kernel->value_count + 1);
    int at = 0, count = 0;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next, at++) {
        insts[at] = inst;
        c.ends[at] = at;
    }
    find_ties(&c);
    for (at = 0; at < c.count; at++) {
        if (nest_is_movable(nest, insts[at])) {
            continue;
        }
        int first = at, last = c.ends[at];
        for (; at < last; at++) {
            last = c.ends[at] > last ? c.ends[at] : last;
            last = c.ends[at + 1] > last ? c.ends[at + 1] : last;
        }
        if (count == room) {
            return -1;
        }
        out[count++] = (struct run){insts[first], insts[last]};
    }
    return count;
}

static void cut_region(struct loop_nest *nest, struct ir_region *region, struct loop_info **loops, int depth)
{
    struct run runs[NEST_SOURCE_STATEMENTS];
    int count = nest_find_runs(nest, region, runs, NEST_SOURCE_STATEMENTS);
    nest->is_refused |= count < 0;
    for (int i = 0; i < count && !nest->is_refused; i++) {
        add_run(nest, &runs[i], loops, depth);
    }
}

// ---- scalars -------------------------------------------------------------------------------------------------------

// Whether the loop is inside a statement, from which parts of it were peeled off.
static bool is_peeled(const struct loop_nest *nest, const struct loop_info *loop)
{
    for (int s = 0; s < nest->statement_count; s++) {
        if (nest_is_inside(loop->inst, &nest->statements[s])) {
            return true;
        }
    }
    return false;
}

// Nothing that a scalar holds goes from one execution of a statement to another, nor out of the nest.
static bool scalars_stay(struct loop_nest *nest)
{
    struct ir_inst *root = nest->root->inst;
    struct analysis *an = nest->an;
    for (int s = 0; s < nest->statement_count; s++) {
        const struct statement *statement = &nest->statements[s];
        for (int d = 0; d < statement->depth; d++) {
            struct poly_mark mark = poly_mark(&an->scratch);
            const struct scalar_use *uses = scalars_use(&an->scratch, nest->kernel, statement->loops[d]->inst);
            bool is_exposed = false;
            for (int v = 0; v < nest->kernel->var_count; v++) {
                // A loop that a part was peeled off is none of the rest's.
                is_exposed |= nest->is_assigned[v] && uses[v].exposed != NULL &&
                              (nest_is_inside(uses[v].exposed, statement) || !is_peeled(nest, statement->loops[d]));
            }
            poly_release(&an->scratch, mark);
            if (is_exposed) {
                return false;
            }
        }
    }
    for (int v = 0; v < nest->kernel->var_count; v++) {
        const struct ir_var *var = nest->kernel->vars[v];
        if (!var->is_memory && !nest->is_reduced[v] && assignment_is_in(root, var) && scalars_live_after(root, var)) {
            return false;
        }
    }
    return true;
}

// Whether the statement assigns the variable before all else that it does with it: it gets no value of it from others.
static bool is_set_first(const struct statement *statement, const struct ir_var *var)
{
    for (const struct ir_inst *inst = statement->first;; inst = inst->next) {
        if (inst->op == IR_OP_SET && inst->var == var) {
            return true;
        }
        bool is_mentioned = inst->var == var || (inst->op == IR_OP_FOR && inst->loop->var == var);
        for (int i = 0; i < inst->region_count && !is_mentioned; i++) {
            WALK (inner, &inst->regions[i]) {
                is_mentioned |= inner->var == var || (inner->op == IR_OP_FOR && inner->loop->var == var);
            }
        }
        if (is_mentioned || inst == statement->last) {
            return false;
        }
    }
}

// Every mention of an assigned variable, and what a jump goes to, lies in one statement, or each statement gives the
// variable a value of its own.
static bool statements_are_whole(const struct loop_nest *nest)
{
    int *owner = ARENA_ARRAY(nest->an->arena, int, nest->kernel->var_count + 1);
    WALK (inst, &nest->root->inst->regions[0]) {
        const struct ir_var *var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
        bool is_mention = var != NULL && !var->is_memory && nest->is_assigned[var->index] &&
                          (inst->op == IR_OP_FOR || is_carried(nest, inst));
        if (!is_mention && inst->target == NULL) {
            continue;
        }
        int found = 0;
        for (int s = 0; s < nest->statement_count; s++) {
            found = nest_is_inside(inst, &nest->statements[s]) ? s + 1 : found;
        }
        if (found == 0 || (inst->target != NULL && !nest_is_inside(inst->target, &nest->statements[found - 1])) ||
            (is_mention && owner[var->index] != 0 && owner[var->index] != found &&
             (!is_set_first(&nest->statements[found - 1], var) ||
              !is_set_first(&nest->statements[owner[var->index] - 1], var)))) {
            return false;
        }
        if (is_mention) {
            owner[var->index] = found;
        }
    }
    return true;
}

bool nest_find_statements(struct loop_nest *nest)
{
    nest->is_assigned = ARENA_ARRAY(nest->an->arena, bool, nest->kernel->var_count + 1);
    find_reduced(nest);
    if (!look_through(nest)) {
        return false;
    }
    struct loop_info *loops[NEST_DEPTH];
    struct ir_inst *root = nest->root->inst;
    if (!nest_is_member(nest, root, loops, 0)) {
        return false;
    }
    loops[0] = nest->root;
    cut_region(nest, &root->regions[0], loops, 1);
    return !nest->is_refused && nest->statement_count > 0 && statements_are_whole(nest) && scalars_stay(nest);
}
