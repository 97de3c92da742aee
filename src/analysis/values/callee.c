// What a helper may do, with all that it calls: found out once for each function, however many ways lead to it.
#include "analysis/values/evaluate.h"
#include "base/pointer_map.h"
#include "ir/walk.h"

#include <assert.h>

struct callee { // of a function; all zero while its own body is looked at
    unsigned does;
};

static unsigned done_by(struct analysis *an, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_CALL: return access_callee_does(an, inst->function);
    case IR_OP_PRINT: return CALLEE_PRINTS | CALLEE_TOUCHES; // texts lie in memory
    case IR_OP_FAIL: return CALLEE_FAILS;
    case IR_OP_GET:
    case IR_OP_SET:
    case IR_OP_VUPDATE: return 0;
    default: {
        bool is_plain = ir_op_is_pure(inst->op) || ir_op_has_regions(inst->op) || ir_op_is_terminator(inst->op);
        return is_plain ? 0 : CALLEE_TOUCHES;
    }
    }
}

static unsigned done_in(struct analysis *an, const struct ir_region *region)
{
    unsigned does = 0;
    WALK (inst, region) {
        does |= done_by(an, inst);
    }
    return does;
}

unsigned access_callee_does(struct analysis *an, const struct ir_function *function)
{
    assert(function != NULL);
    struct callee *known = pointer_map_get(&an->callees, function);
    if (known == NULL) {
        known = ARENA_NEW(an->arena, struct callee);
        pointer_map_set(an->arena, &an->callees, function, known);
        known->does = done_in(an, &function->body);
    }
    return known->does;
}

int access_call_charge(const struct ir_function *callee)
{
    enum { VALUES = 64 }; // so that calls of long helpers do not make long kernels of short ones
    return 1 + callee->value_count / VALUES;
}
