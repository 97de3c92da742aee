// What is done to a function once its body stands: the way out at its end, what nothing uses goes, may_fail is known.
#include "lower/internal.h"

typedef void visit(struct ir_inst *inst, void *context);

static void visit_region(struct ir_region *region, visit *f, void *context)
{
    for (struct ir_inst *inst = region->last; inst != NULL;) {
        struct ir_inst *before = inst->prev; // f may remove inst
        for (int i = inst->region_count - 1; i >= 0; i--) {
            visit_region(&inst->regions[i], f, context);
        }
        f(inst, context);
        inst = before;
    }
}

static void count_uses(struct ir_inst *inst, void *context)
{
    int *uses = context;
    for (int i = 0; i < inst->arg_count; i++) {
        uses[inst->args[i]->id]++;
    }
}

// Users come after what they use, and regions are visited backwards: one pass drops whole trees.
static void drop_unused(struct ir_inst *inst, void *context)
{
    int *uses = context;
    bool is_droppable = ir_op_is_value(inst->op);
    if (!is_droppable || inst->id < 0 || uses[inst->id] > 0) {
        return;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        uses[inst->args[i]->id]--;
    }
    ir_remove(inst);
}

static void find_failure(struct ir_inst *inst, void *context)
{
    bool *may_fail = context;
    int64_t extent;
    bool is_checked = inst->op == IR_OP_INDEX && !(lower_const_value(inst->args[3], &extent) && extent == -1);
    *may_fail |= ir_may_fail(inst, is_checked);
}

static void renumber(struct ir_region *region, int *next)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->id >= 0) {
            inst->id = (*next)++;
        }
        for (int i = 0; i < inst->region_count; i++) {
            renumber(&inst->regions[i], next);
        }
    }
}

void lower_settle_function(struct lower *l, struct ir_function *function)
{
    if (function->return_type != IR_VOID && !lower_is_dead(l)) {
        enum ir_type type = function->return_type; // C leaves the value open when the end is reached
        struct ir_inst *value = ir_type_is_float(type) ? ir_fconst(&l->b, type, 0) : lower_int(l, type, 0);
        ir_emit1(&l->b, IR_OP_RETURN, IR_VOID, value);
    }
    int *uses = ARENA_ARRAY(l->arena, int, function->value_count + 1);
    visit_region(&function->body, count_uses, uses);
    for (int i = 0; i < function->param_count; i++) {
        for (int k = 0; k < function->params[i].rank; k++) {
            uses[function->params[i].extents[k]->id]++;
        }
    }
    visit_region(&function->body, drop_unused, uses);
    int next = 0;
    renumber(&function->body, &next);
    function->value_count = next;
    bool may_fail = false;
    visit_region(&function->body, find_failure, &may_fail);
    function->may_fail = function->kind == IR_FUNCTION_HELPER && may_fail;
}
