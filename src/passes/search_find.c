// Which loops are searches. What matters is what an iteration does that does not leave the loop: it may compute, read
// and assign scalars of its own, and nothing else. What stands on a way out is never run ahead, and so may be anything.
#include "passes/search_loop.h"

#include "analysis/scalars/scalars.h"
#include "ir/assignment.h"
#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

bool search_is_exit(const struct search *s, const struct ir_inst *inst)
{
    bool is_jump = inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP;
    bool is_out = is_jump && (inst->target == s->loop || !walk_is_inside(inst->target, s->loop));
    return inst->op == IR_OP_RETURN || is_out;
}

bool search_leaves(const struct search *s, const struct ir_region *region)
{
    if (region->last == NULL || !search_is_exit(s, region->last)) {
        return false;
    }
    WALK (inst, region) {
        bool is_jump = inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP;
        if (is_jump && !search_is_exit(s, inst) && walk_is_inside(region->owner, inst->target)) {
            return false; // goes on with the next iteration, perhaps
        }
    }
    return true;
}

bool search_is_on_way_out(const struct search *s, const struct ir_inst *inst)
{
    for (const struct ir_region *region = inst->parent; region->owner != s->loop; region = region->owner->parent) {
        if (search_leaves(s, region)) {
            return true;
        }
    }
    return false;
}

// ---- the variable and its limit ------------------------------------------------------------------------------------

static bool find_step(struct search *s)
{
    struct ir_inst *last = s->loop->regions[0].last;
    bool is_step = last != NULL && last->op == IR_OP_VUPDATE && last->args[0]->op == IR_OP_CONST &&
                   (last->update == IR_UPDATE_ADD || last->update == IR_UPDATE_SUB) && ir_type_is_int(last->type);
    int64_t limit = INT64_C(1) << 30; // so that no sum of a few of them wraps in 64 bits
    if (!is_step || last->args[0]->imm == 0 || last->args[0]->imm > limit || last->args[0]->imm < -limit) {
        return false;
    }
    s->step = last;
    s->var = last->var;
    s->stride = last->update == IR_UPDATE_ADD ? last->args[0]->imm : -last->args[0]->imm;
    bool is_counter = last->type == IR_I32 || last->type == IR_I64;
    return is_counter && assignments_of(&s->loop->regions[0], s->var).count == 1;
}

static bool is_variable(const struct search *s, const struct ir_inst *value)
{
    if ((value->op == IR_OP_SEXT || value->op == IR_OP_ZEXT) && value->type == IR_I64) {
        value = value->args[0];
    }
    return value->op == IR_OP_GET && value->var == s->var;
}

// Whether the value can be computed before the loop as at its head: it is made of what stands there.
static bool is_early(const struct search *s, const struct ir_inst *value)
{
    if (!walk_is_inside(value, s->loop)) {
        return true;
    }
    bool is_load = value->op == IR_OP_LOAD && !value->is_volatile && !value->atomic;
    if (value->op == IR_OP_GET && value->var != s->var && assignment_is_in(s->loop, value->var)) {
        return false;
    }
    if (value->parent->owner != s->loop || (!ir_op_is_value(value->op) && !is_load)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_early(s, value->args[i])) {
            return false;
        }
    }
    return true;
}

static bool takes_limit(struct search *s, struct ir_inst *inst, int side)
{
    bool is_down = s->stride < 0;
    bool is_less = inst->op == IR_OP_SLT || inst->op == IR_OP_SLE || inst->op == IR_OP_ULT || inst->op == IR_OP_ULE;
    bool is_more = inst->op == IR_OP_SGT || inst->op == IR_OP_SGE || inst->op == IR_OP_UGT || inst->op == IR_OP_UGE;
    const struct ir_inst *var = inst->args[side];
    bool is_towards = side == 0 ? (is_down ? is_more : is_less) : (is_down ? is_less : is_more);
    bool is_around = inst->op == IR_OP_NE && (s->stride == 1 || s->stride == -1) && var->op == IR_OP_GET;
    if (!is_variable(s, var) || !(is_towards || is_around) || !is_early(s, inst->args[1 - side])) {
        return false;
    }
    bool is_plain = var->op == IR_OP_GET;
    s->is_unsigned = !is_plain ? var->op == IR_OP_ZEXT : is_around ? s->var->is_unsigned : ir_op_is_unsigned(inst->op);
    s->limit = inst;
    s->limit_side = side;
    return true;
}

// The first comparison at the loop's head. Whether it really ends the loop does not matter: it only says how far ahead
// iterations are tried.
static bool find_limit(struct search *s)
{
    for (struct ir_inst *inst = s->loop->regions[0].first; inst != NULL && inst->region_count == 0; inst = inst->next) {
        if (ir_op_group(inst->op) == IR_GROUP_COMPARE && (takes_limit(s, inst, 0) || takes_limit(s, inst, 1))) {
            return true;
        }
    }
    return false;
}

// ---- what iterations do --------------------------------------------------------------------------------------------

bool search_index_offset(const struct search *s, const struct ir_inst *index, int64_t *out_offset)
{
    int64_t offset = 0;
    for (int i = 0; i < 4; i++) {
        bool is_sum = index->op == IR_OP_ADD || index->op == IR_OP_SUB;
        if (is_sum && index->args[1]->op == IR_OP_CONST) {
            int64_t part = index->args[1]->imm;
            if (part > INT32_MAX || part < -INT32_MAX) {
                return false;
            }
            offset += index->op == IR_OP_ADD ? part : -part;
            index = index->args[0];
        } else if (index->op == IR_OP_SEXT || index->op == IR_OP_ZEXT) {
            index = index->args[0];
        }
    }
    *out_offset = offset;
    bool fits = offset <= INT32_MAX && offset >= -INT32_MAX;
    return fits && index->op == IR_OP_GET && index->var == s->var && index->type == s->var->type;
}

static bool is_same_extent(const struct ir_inst *a, const struct ir_inst *b)
{
    return a == b || (a->op == IR_OP_CONST && b->op == IR_OP_CONST && a->imm == b->imm);
}

// Whether a read of |size| bytes is inside its array if every index is inside its extent: an array parameter in its
// declared shape, with an index for each extent. (What a helper declares its parameters to be is no promise.)
static bool is_inside_parameter(const struct search *s, const struct ir_inst *address, int64_t size)
{
    int64_t offset = 0;
    for (; address->op == IR_OP_OFFSET; address = address->args[0]) {
        offset += address->imm;
    }
    const struct ir_inst *root = address_root(address);
    if (root->op != IR_OP_PARAM || address->op != IR_OP_INDEX || address->args[2]->op != IR_OP_CONST) {
        return false;
    }
    const struct ir_param *param = &s->kernel->params[root->imm];
    if (!param->is_array || param->rank == 0 || address->args[2]->imm != (int64_t)param->ctype->size || offset < 0 ||
        offset + size > address->args[2]->imm) {
        return false;
    }
    for (int level = param->rank - 1; level >= 0; level--, address = address->args[0]) {
        if (address->op != IR_OP_INDEX || !is_same_extent(address->args[3], param->extents[level])) {
            return false;
        }
    }
    return address == root;
}

// Whether an iteration may do this though C might never come to it.
static bool may_run_ahead(const struct search *s, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_IF:
    case IR_OP_BLOCK:
    case IR_OP_GET:
    case IR_OP_SET:
    case IR_OP_VUPDATE: return true;
    case IR_OP_FOR: return !inst->loop->recheck;
    case IR_OP_BREAK: return true;
    case IR_OP_RETURN: return true; // it leaves the loop
    case IR_OP_LOAD:
        return !inst->is_volatile && !inst->atomic && is_inside_parameter(s, inst->args[0], ir_type_size(inst->type));
    default: return ir_op_is_pure(inst->op);
    }
}

// A scalar that an iteration assigns and goes on must not be read by the next one. What it holds after the loop is what
// the last iteration that was completed left in it.
static bool check_scalars(struct search *s, const struct ir_region *body)
{
    struct scalar_use *uses = scalars_use_region(s->module->arena, s->kernel, &s->loop->regions[0]);
    WALK (inst, body) {
        struct ir_var *var = assignment_target(inst);
        if (var == NULL || inst == s->step || search_is_on_way_out(s, inst)) {
            continue;
        }
        const struct scalar_use *use = &uses[var->index];
        if (use->exposed != NULL) {
            return false;
        }
        if (!scalars_is_declared_in(var, s->loop) && !(var->scope != NULL && walk_is_inside(var->scope, s->loop))) {
            if (!use->always_written) {
                return false;
            }
            s->needs_previous = true;
        }
    }
    return true;
}

// A pragma asks for it, or the loop runs only where another version of it does not: nobody is told of that one, and no
// part of it becomes a task.
static bool stays_as_it_is(const struct ir_inst *loop)
{
    return loop->text != NULL && (strcmp(loop->text, IR_REASON_ASKED) == 0 ||
                                  strcmp(loop->text, IR_REASON_WRAPS) == 0 || strcmp(loop->text, IR_REASON_STEP) == 0);
}

bool search_find(struct search *s)
{
    assert(s->loop->op == IR_OP_LOOP);
    if (stays_as_it_is(s->loop) || !find_step(s) || !find_limit(s)) {
        return false;
    }
    bool has_exit = false, has_load = false;
    const struct ir_region *body = &s->loop->regions[0];
    WALK (inst, body) {
        if (search_is_on_way_out(s, inst)) {
            has_exit |= search_is_exit(s, inst);
            continue;
        }
        if (!may_run_ahead(s, inst)) {
            return false;
        }
        has_exit |= search_is_exit(s, inst);
        has_load |= inst->op == IR_OP_LOAD || inst->op == IR_OP_MATH || inst->op == IR_OP_FOR;
    }
    return has_exit && has_load && check_scalars(s, body);
}
