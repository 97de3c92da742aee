#include "codegen/emit.h"

void emit_gpu_failure(struct emitter *e, const struct ir_inst *inst, int kind, LLVMValueRef index,
                      LLVMValueRef extent)
{
    (void)kind;
    (void)index;
    (void)extent;
    emit_fail(e, inst->loc, "not supported: assertions on a GPU");
}

void emit_gpu_print(struct emitter *e, const struct ir_inst *inst, LLVMValueRef *values)
{
    (void)values;
    emit_fail(e, inst->loc, "not supported: printing on a GPU");
}
