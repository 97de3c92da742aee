#include "ir/lists.h"

#include "ir/invariant.h"
#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

// The variable whose memory the instruction accesses; NULL: not one that can be told.
static struct ir_var *local_of(const struct ir_inst *inst)
{
    const struct ir_inst *root = ir_op_accesses(inst->op) ? address_root(inst->args[0]) : inst;
    return root->op == IR_OP_ADDR_VAR ? root->var : NULL;
}

static bool is_one_more(const struct ir_inst *value, const struct ir_inst *old)
{
    return value->op == IR_OP_ADD && value->args[0] == old && value->args[1]->op == IR_OP_CONST &&
           value->args[1]->imm == 1;
}

static bool is_constant(const struct ir_inst *inst)
{
    return inst->op == IR_OP_CONST;
}

// counters[at], an element of an array of numbers.
static bool has_good_place(const struct ir_inst *load, struct lists *out)
{
    const struct ir_inst *place = load->args[0];
    int64_t size = ir_type_size(load->type);
    if (place->op != IR_OP_INDEX || place->args[0]->op != IR_OP_ADDR_VAR || !is_constant(place->args[2]) ||
        place->args[2]->imm != size) {
        return false;
    }
    out->counters = place->args[0]->var;
    out->at = place->args[1];
    out->count = (int64_t)(out->counters->size / (uint64_t)size);
    return (load->type == IR_I32 || load->type == IR_I64) && !load->is_volatile && !load->is_packed;
}

static bool find_counter(const struct ir_inst *loop, const struct ir_inst *store, struct lists *out)
{
    const struct ir_inst *value = store->args[1];
    const struct ir_inst *old = value->op == IR_OP_ADD ? value->args[0] : NULL;
    bool is_counter = store->op == IR_OP_STORE && old != NULL && is_one_more(value, old) && old->op == IR_OP_LOAD &&
                      old->parent == &loop->regions[0] && old->args[0] == store->args[0] && old->type == store->type &&
                      !store->is_volatile;
    if (!is_counter || !has_good_place(old, out)) {
        return false;
    }
    out->old = old;
    out->new = store;
    return true;
}

// Between the two nothing may happen that might fail, jump or see the counters.
static bool has_nothing_between(const struct lists *lists)
{
    for (const struct ir_inst *inst = lists->old->next; inst != lists->new; inst = inst->next) {
        if (!ir_op_is_value(inst->op) && inst->op != IR_OP_LOAD) {
            return false;
        }
    }
    return true;
}

// What stands ahead of it may be done more than once: it writes nothing but what belongs to the iteration.
static bool may_repeat(const struct ir_inst *inst, const struct ir_inst *loop)
{
    const struct ir_var *var = ir_op_sets(inst->op) ? inst->var : local_of(inst);
    bool is_own = var != NULL && var->scope != NULL && walk_is_inside(var->scope, loop);
    bool is_write = ir_op_writes(inst->op) || ir_op_sets(inst->op);
    return !inst->is_volatile && !ir_op_may_fail(inst->op) && !ir_op_is_terminator(inst->op) &&
           inst->op != IR_OP_PRINT && (is_own || !is_write);
}

bool lists_may_repeat(const struct ir_inst *loop, const struct lists *lists)
{
    for (const struct ir_inst *inst = loop->regions[0].first; inst != lists->old; inst = inst->next) {
        if (!may_repeat(inst, loop)) {
            return false;
        }
        for (int i = 0; i < inst->region_count; i++) {
            WALK (inner, &inst->regions[i]) {
                if (!may_repeat(inner, loop)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool is_only_use(const struct ir_inst *loop, const struct lists *lists)
{
    WALK (inst, &loop->regions[0]) {
        bool is_these = inst == lists->old || inst == lists->new || inst == lists->old->args[0] ||
                        inst == lists->old->args[0]->args[0];
        bool is_address = inst->op == IR_OP_ADDR_VAR && inst->var == lists->counters;
        bool is_access = ir_op_accesses(inst->op) && local_of(inst) == lists->counters;
        if ((is_address || is_access) && !is_these) {
            return false;
        }
        for (int i = 0; i < inst->arg_count && !is_these; i++) { // the address goes nowhere else
            if (inst->args[i] == lists->old->args[0] || inst->args[i] == lists->old->args[0]->args[0]) {
                return false;
            }
        }
    }
    return true;
}

bool lists_find(const struct ir_inst *loop, struct lists *out)
{
    assert(loop->op == IR_OP_FOR);
    *out = (struct lists){0};
    if (loop->loop->recheck) {
        return false;
    }
    for (const struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_STORE && find_counter(loop, inst, out)) {
            return has_nothing_between(out) && is_only_use(loop, out);
        }
    }
    return false;
}

bool lists_is_store(const struct lists *lists, const struct ir_inst *loop, const struct ir_inst *inst,
                    struct lists_place *out)
{
    bool is_copy = inst->op == IR_OP_COPY && is_constant(inst->args[2]);
    if ((inst->op != IR_OP_STORE && !is_copy) || inst->is_volatile || inst->is_around) {
        return false;
    }
    int64_t offset = 0, bytes = is_copy ? inst->args[2]->imm : ir_type_size(inst->type);
    const struct ir_inst *place = inst->args[0];
    for (; place->op == IR_OP_OFFSET; place = place->args[0]) {
        offset += place->imm;
    }
    if (place->op != IR_OP_INDEX || !is_constant(place->args[2]) || !invariant_in_loop(place->args[0], loop)) {
        return false;
    }
    const struct ir_inst *number = place->args[1];
    bool is_widened = number->op == IR_OP_SEXT || number->op == IR_OP_ZEXT;
    bool is_whole = place->args[0]->op == IR_OP_PARAM || place->args[0]->op == IR_OP_ADDR_GLOBAL;
    *out = (struct lists_place){place->args[2]->imm, is_whole ? NULL : inst};
    return (is_widened ? number->args[0] : number) == lists->old && offset >= 0 && bytes >= 0 &&
           offset + bytes <= out->size;
}
