// Bits of integers: counted, turned round, and the upper half of a product. Each is one instruction, or a few, of every
// target.
#include "codegen/emit.h"

#include <assert.h>

// Zeros of 0 are counted too: the intrinsic's flag, if set, leaves them open.
static LLVMValueRef zeros(struct emitter *e, const char *name, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[2] = {x, emit_const(e, IR_I1, 0)};
    return emit_intrinsic(e, name, &type, 1, args, 2);
}

LLVMValueRef emit_bits(struct emitter *e, enum ir_op op, LLVMValueRef x)
{
    assert(ir_op_group(op) == IR_GROUP_BITS);
    switch (op) {
    case IR_OP_POPCOUNT: return emit_intrinsic1(e, "llvm.ctpop", x);
    case IR_OP_CLZ: return zeros(e, "llvm.ctlz", x);
    case IR_OP_CTZ: return zeros(e, "llvm.cttz", x);
    case IR_OP_BSWAP: return LLVMGetIntTypeWidth(LLVMTypeOf(x)) == 8 ? x : emit_intrinsic1(e, "llvm.bswap", x);
    default: return emit_intrinsic1(e, "llvm.bitreverse", x);
    }
}

LLVMValueRef emit_upper_product(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned width = LLVMGetIntTypeWidth(type);
    LLVMTypeRef wide = LLVMIntTypeInContext(e->context, 2 * width);
    LLVMValueRef product =
        LLVMBuildNUWMul(e->builder, LLVMBuildZExt(e->builder, x, wide, ""), LLVMBuildZExt(e->builder, y, wide, ""), "");
    return LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, product, LLVMConstInt(wide, width, false), ""), type,
                          "");
}
