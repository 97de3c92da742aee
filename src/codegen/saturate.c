// Conversions of vectors of floats to integers that saturate. LLVM 22 takes such a vector apart and converts element by
// element, five times as slow as the loop that a plain C compiler makes, which need not saturate. So a vector is
// clamped to what the integer holds, by the instructions for minimum and maximum, and converted whole. A single value
// is left to LLVM, which does that well.
#include "codegen/pipeline.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct conversion {
    LLVMBuilderRef b;
    LLVMValueRef x;
    LLVMTypeRef floats; // vector types
    LLVMTypeRef ints;
    int bits; // of the result
    bool is_signed;
};

enum { MAX_ELEMENTS = 64 }; // of what the widest register holds, in bytes

static LLVMValueRef splat(LLVMTypeRef vector, LLVMValueRef element)
{
    LLVMValueRef all[MAX_ELEMENTS];
    unsigned count = LLVMGetVectorSize(vector);
    assert(count <= MAX_ELEMENTS);
    for (unsigned i = 0; i < count; i++) {
        all[i] = element;
    }
    return LLVMConstVector(all, count);
}

static LLVMValueRef floats_of(const struct conversion *c, double value)
{
    return splat(c->floats, LLVMConstReal(LLVMGetElementType(c->floats), value));
}

static LLVMValueRef choose(const struct conversion *c, LLVMRealPredicate holds, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(c->b, LLVMBuildFCmp(c->b, holds, x, y, ""), x, y, "");
}

// The operands stand as the instructions have them, whose second one is the result where one is a NaN: of an unsigned
// result a NaN becomes 0 by the way.
static LLVMValueRef clamp(const struct conversion *c, double least, double most)
{
    LLVMValueRef x = c->x;
    if (c->is_signed) {
        LLVMValueRef is_number = LLVMBuildFCmp(c->b, LLVMRealORD, x, x, "");
        x = LLVMBuildSelect(c->b, is_number, x, floats_of(c, 0.0), "");
    }
    x = choose(c, LLVMRealOGT, x, floats_of(c, least));
    return choose(c, LLVMRealOLT, x, floats_of(c, most));
}

// Up to 16 bits the conversion to 32, which every vector unit has, is cut.
static LLVMValueRef convert(const struct conversion *c, LLVMValueRef clamped)
{
    if (c->bits <= 16) {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(c->ints));
        LLVMTypeRef words = LLVMVectorType(i32, LLVMGetVectorSize(c->ints));
        return LLVMBuildTrunc(c->b, LLVMBuildFPToSI(c->b, clamped, words, ""), c->ints, "");
    }
    return c->is_signed ? LLVMBuildFPToSI(c->b, clamped, c->ints, "") : LLVMBuildFPToUI(c->b, clamped, c->ints, "");
}

static LLVMValueRef saturate(const struct conversion *c)
{
    int digits = LLVMGetTypeKind(LLVMGetElementType(c->floats)) == LLVMFloatTypeKind ? 24 : 53;
    int power = c->is_signed ? c->bits - 1 : c->bits;
    double beyond = ldexp(1.0, power); // the least value that is too large
    bool is_exact = power <= digits;   // the greatest integer is a float
    double most = is_exact ? beyond - 1 : beyond - ldexp(1.0, power - digits);
    LLVMValueRef value = convert(c, clamp(c, c->is_signed ? -beyond : 0.0, most));
    if (is_exact) {
        return value;
    }
    uint64_t greatest = UINT64_MAX >> (64 - power);
    LLVMValueRef is_beyond = LLVMBuildFCmp(c->b, LLVMRealOGE, c->x, floats_of(c, beyond), "");
    LLVMValueRef all = splat(c->ints, LLVMConstInt(LLVMGetElementType(c->ints), greatest, false));
    return LLVMBuildSelect(c->b, is_beyond, all, value, "");
}

static bool is_call_of(LLVMValueRef inst, const char *name)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) != NULL ? LLVMGetCalledValue(inst) : NULL;
    return callee != NULL && LLVMIsAFunction(callee) != NULL &&
           LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

static void look_at(void *arg, LLVMValueRef inst)
{
    struct emitter *e = arg;
    if (LLVMGetInstructionOpcode(inst) != LLVMCall || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVectorTypeKind) {
        return;
    }
    bool is_signed = is_call_of(inst, "llvm.fptosi.sat");
    bool is_other = !is_signed && !is_call_of(inst, "llvm.fptoui.sat");
    if (is_other || LLVMGetVectorSize(LLVMTypeOf(inst)) > MAX_ELEMENTS) {
        return;
    }
    LLVMPositionBuilderBefore(e->builder, inst);
    LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(inst));
    struct conversion c = {
        .b = e->builder,
        .x = LLVMGetOperand(inst, 0),
        .floats = LLVMTypeOf(LLVMGetOperand(inst, 0)),
        .ints = LLVMTypeOf(inst),
        .bits = (int)LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(inst))),
        .is_signed = is_signed,
    };
    LLVMReplaceAllUsesWith(inst, saturate(&c));
    LLVMInstructionEraseFromParent(inst);
}

void saturate_vectors(struct emitter *e)
{
    pipeline_each_inst(e, look_at, e);
}
