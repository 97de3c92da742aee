// PTX has min and max of 16 bits, which ptxas makes with one instruction for two halves. Where the result is compared
// with a constant that it was chosen from, ptxas 13.0 takes what that instruction says of the other half for the
// answer: a loop over a `short` was never entered. So the lesser and the greater of narrow numbers are found in 32
// bits. Atomic ones are left as they are: LLVM makes loops around compare and swap of them, behind these passes, in
// which what was chosen goes into the word to be stored, and only the words are compared.
#include "codegen/pipeline.h"

#include <string.h>

enum { NARROW_BITS = 16 };

static const char *const INTRINSICS[] = {"llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"};
enum { INTRINSIC_COUNT = 4 };

static bool is_narrow(LLVMTypeRef type)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) <= NARROW_BITS &&
           LLVMGetIntTypeWidth(element) > 1;
}

static LLVMTypeRef widened(struct emitter *e, LLVMTypeRef type)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    return is_vector ? LLVMVectorType(e->types[IR_I32], LLVMGetVectorSize(type)) : e->types[IR_I32];
}

static unsigned id_of(int which)
{
    return LLVMLookupIntrinsicID(INTRINSICS[which], strlen(INTRINSICS[which]));
}

// Which of the intrinsics the call is; -1: none.
static int called(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    unsigned id = LLVMIsAFunction(callee) != NULL ? LLVMGetIntrinsicID(callee) : 0;
    for (int i = 0; i < INTRINSIC_COUNT; i++) {
        if (id != 0 && id == id_of(i)) {
            return i;
        }
    }
    return -1;
}

// Which of them `a ? b : c` is, as the code generator finds them; -1: none.
static int selected(LLVMValueRef select)
{
    LLVMValueRef test = LLVMGetOperand(select, 0), yes = LLVMGetOperand(select, 1), no = LLVMGetOperand(select, 2);
    if (LLVMIsAICmpInst(test) == NULL || LLVMTypeOf(LLVMGetOperand(test, 0)) != LLVMTypeOf(select)) {
        return -1;
    }
    LLVMValueRef left = LLVMGetOperand(test, 0), right = LLVMGetOperand(test, 1);
    bool as_tested = left == yes && right == no;
    if (!as_tested && !(left == no && right == yes)) {
        return -1;
    }
    switch (LLVMGetICmpPredicate(test)) {
    case LLVMIntSLT:
    case LLVMIntSLE: return as_tested ? 0 : 1;
    case LLVMIntSGT:
    case LLVMIntSGE: return as_tested ? 1 : 0;
    case LLVMIntULT:
    case LLVMIntULE: return as_tested ? 2 : 3;
    case LLVMIntUGT:
    case LLVMIntUGE: return as_tested ? 3 : 2;
    default: return -1;
    }
}

static void widen(struct emitter *e, LLVMValueRef inst, int which, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef narrow = LLVMTypeOf(inst), wide = widened(e, narrow);
    bool is_signed = which < 2;
    LLVMPositionBuilderBefore(e->builder, inst);
    LLVMValueRef args[] = {is_signed ? LLVMBuildSExt(e->builder, a, wide, "") : LLVMBuildZExt(e->builder, a, wide, ""),
                           is_signed ? LLVMBuildSExt(e->builder, b, wide, "") : LLVMBuildZExt(e->builder, b, wide, "")};
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(e->llvm, id_of(which), &wide, 1);
    LLVMValueRef chosen = LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
    LLVMReplaceAllUsesWith(inst, LLVMBuildTrunc(e->builder, chosen, narrow, ""));
    LLVMInstructionEraseFromParent(inst);
}

static void look_at(void *arg, LLVMValueRef inst)
{
    struct emitter *e = arg;
    if (!is_narrow(LLVMTypeOf(inst))) {
        return;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    int which = opcode == LLVMCall ? called(inst) : opcode == LLVMSelect ? selected(inst) : -1;
    if (which >= 0) {
        int first = opcode == LLVMSelect ? 1 : 0;
        widen(e, inst, which, LLVMGetOperand(inst, (unsigned)first), LLVMGetOperand(inst, (unsigned)first + 1));
    }
}

void widen_choices(struct emitter *e)
{
    pipeline_each_inst(e, look_at, e);
}
