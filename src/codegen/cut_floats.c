// PTX's registers have a size and no type here, and ptxas finds the type out by what is computed: it takes a store of
// the low byte of a register that holds a float for a conversion of the float to a byte. An operation on integers in
// between says that bits are meant. LLVM would see that it does nothing and drop it; so it is written in PTX.
#include "codegen/pipeline.h"

#include <stdio.h>
#include <string.h>

static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_bits_of_float(LLVMValueRef value)
{
    return LLVMIsABitCastInst(value) != NULL && is_float(LLVMTypeOf(LLVMGetOperand(value, 0)));
}

// |bits| & |mask|, in PTX.
static LLVMValueRef take_bits(struct emitter *e, LLVMValueRef bits, unsigned long long mask)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    bool is_wide = LLVMGetIntTypeWidth(type) == 64;
    char text[64];
    int length = snprintf(text, sizeof text, "and.b%d $0, $1, 0x%llx;", is_wide ? 64 : 32, mask);
    const char *constraints = is_wide ? "=l,l" : "=r,r";
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef code = LLVMGetInlineAsm(function, text, (size_t)length, constraints, strlen(constraints), false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, function, code, &bits, 1, "");
}

static void cut(struct emitter *e, LLVMValueRef trunc)
{
    LLVMValueRef bits = LLVMGetOperand(trunc, 0);
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(trunc));
    LLVMPositionBuilderBefore(e->builder, trunc);
    LLVMSetOperand(trunc, 0, take_bits(e, bits, (1ull << width) - 1));
}

// LLVM makes several narrower stores of one that is not aligned, the first of them of the register as it is.
static void store_bits(struct emitter *e, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    bool is_wide = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind;
    LLVMPositionBuilderBefore(e->builder, store);
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, value, e->types[is_wide ? IR_I64 : IR_I32], "");
    LLVMSetOperand(store, 0, take_bits(e, bits, is_wide ? ~0ull : 0xffffffffull));
}

static bool is_cut(LLVMValueRef store)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    return is_float(type) && LLVMGetAlignment(store) < (LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? 8u : 4u);
}

static void look_at(void *arg, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    if (opcode == LLVMTrunc && is_bits_of_float(LLVMGetOperand(inst, 0))) {
        cut(arg, inst);
    } else if (opcode == LLVMStore && is_cut(inst)) {
        store_bits(arg, inst);
    }
}

void cut_floats(struct emitter *e)
{
    pipeline_each_inst(e, look_at, e);
}
