#include "ir/running.h"

#include "ir/walk.h"

#include <assert.h>

bool running_has(const struct running *running, const struct ir_var *var)
{
    for (int i = 0; i < running->count; i++) {
        if (running->updates[i]->var == var) {
            return true;
        }
    }
    return false;
}

// Values of it may be put together in any grouping.
static bool accumulates(const struct ir_inst *update)
{
    union ir_value identity;
    enum ir_type type = update->var->type;
    enum ir_update merge = ir_update_merge(update->update);
    return merge != IR_UPDATE_NONE && !ir_update_is_ordered(update->update) && ir_update_keeps_range(merge, type) &&
           ir_update_identity(update->update, type, &identity) && type != IR_I1 && !ir_type_is_half(type) &&
           type != IR_PTR;
}

static bool is_set(const struct ir_inst *loop, const struct ir_var *var)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_SET && inst->var == var) {
            return true;
        }
    }
    return false;
}

static bool is_read(const struct ir_inst *loop, const struct ir_var *var)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_GET && inst->var == var) {
            return true;
        }
    }
    return false;
}

// What the loop sets is its iteration's own. Of the rest each is updated once in each iteration, and read.
static bool find_updates(const struct ir_inst *loop, struct running *out)
{
    WALK (inst, &loop->regions[0]) {
        if (ir_op_repeats(inst->op)) {
            return false;
        }
        if (inst->op != IR_OP_VUPDATE || is_set(loop, inst->var)) {
            continue;
        }
        if (inst->parent != &loop->regions[0] || out->count == RUNNING_MOST || running_has(out, inst->var) ||
            !accumulates(inst) || !is_read(loop, inst->var)) {
            return false;
        }
        out->updates[out->count++] = inst;
    }
    return out->count > 0;
}

static bool sees(const struct running *running, const struct ir_inst *inst)
{
    bool is_it = ir_op_writes(inst->op) ||
                 ((inst->op == IR_OP_GET || inst->op == IR_OP_VUPDATE) && running_has(running, inst->var));
    for (int i = 0; i < inst->region_count && !is_it; i++) {
        WALK (inner, &inst->regions[i]) {
            is_it |= ir_op_writes(inner->op) ||
                     ((inner->op == IR_OP_GET || inner->op == IR_OP_VUPDATE) && running_has(running, inner->var));
        }
    }
    return is_it;
}

// Whether the value is made of what stands ahead, wherever the operations stand that make it.
static bool is_ahead(const struct ir_inst *value, const struct ir_inst *loop, const struct ir_inst *behind)
{
    if (!walk_is_inside(value, loop)) {
        return true;
    }
    const struct ir_inst *inst = loop->regions[0].first;
    while (inst != behind && inst != value) {
        inst = inst->next;
    }
    if (inst == value && inst != behind) {
        return true;
    }
    bool is_made = ir_op_is_pure(value->op) && value->parent == &loop->regions[0];
    for (int i = 0; i < value->arg_count && is_made; i++) {
        is_made = is_ahead(value->args[i], loop, behind);
    }
    return is_made;
}

bool running_find(const struct ir_inst *loop, struct running *out)
{
    assert(loop->op == IR_OP_FOR);
    *out = (struct running){0};
    if (loop->loop->recheck || !find_updates(loop, out)) {
        return false;
    }
    out->behind = loop->regions[0].first;
    while (!sees(out, out->behind)) {
        out->behind = out->behind->next;
    }
    for (int i = 0; i < out->count; i++) {
        if (!is_ahead(out->updates[i]->args[0], loop, out->behind)) {
            return false;
        }
    }
    return true;
}
