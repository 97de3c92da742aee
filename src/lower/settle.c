// What is done to a function once its body stands: the way out at its end, what nothing uses goes, may_fail is known.
#include "lower/internal.h"

#include "ir/walk.h"

#include <assert.h>

static void count_uses(const struct ir_region *region, int *uses)
{
    WALK (inst, region) {
        for (int i = 0; i < inst->arg_count; i++) {
            uses[inst->args[i]->id]++;
        }
    }
}

// Users come after what they use, and regions are visited backwards: one pass drops whole trees.
static bool drop_unused(struct ir_inst *inst, void *user)
{
    int *uses = user;
    if (!ir_op_is_value(inst->op) || uses[inst->id] > 0) {
        return true;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        uses[inst->args[i]->id]--;
    }
    ir_remove(inst);
    return true;
}

static bool may_fail(const struct ir_region *region)
{
    WALK (inst, region) {
        int64_t extent;
        bool is_checked = inst->op == IR_OP_INDEX && !(lower_const_value(inst->args[3], &extent) && extent == -1);
        if (ir_may_fail(inst, is_checked)) {
            return true;
        }
    }
    return false;
}

static bool renumber(struct ir_inst *inst, void *user)
{
    int *next = user;
    inst->id = inst->id >= 0 ? (*next)++ : -1;
    return true;
}

void lower_settle_function(struct lower *l, struct ir_function *function)
{
    assert(l->b.region == &function->body); // every region that was entered has been left
    if (function->return_type != IR_VOID && !lower_is_dead(l)) {
        enum ir_type type = function->return_type; // C leaves the value open when the end is reached
        struct ir_inst *value = ir_type_is_float(type) ? ir_fconst(&l->b, type, 0) : lower_int(l, type, 0);
        ir_emit1(&l->b, IR_OP_RETURN, IR_VOID, value);
    }
    int *uses = ARENA_ARRAY(l->arena, int, function->value_count + 1);
    count_uses(&function->body, uses);
    for (int i = 0; i < function->param_count; i++) {
        for (int k = 0; k < function->params[i].rank; k++) {
            uses[function->params[i].extents[k]->id]++;
        }
    }
    walk_region_back(&function->body, drop_unused, uses);
    int next = 0;
    walk_region(&function->body, renumber, &next);
    function->value_count = next;
    function->may_fail = function->kind == IR_FUNCTION_HELPER && may_fail(&function->body);
}
