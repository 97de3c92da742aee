#include "codegen/math.h"

LLVMValueRef math_call_gpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    (void)args;
    (void)count;
    emit_fail(e, e->function->ir->loc, "not supported: %s on a GPU", ir_math_name(math));
    return LLVMGetPoison(e->types[type]);
}

rill_status math_link_library(struct emitter *e)
{
    (void)e;
    return RILL_OK;
}
