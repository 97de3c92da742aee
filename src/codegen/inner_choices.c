// With AVX-512 LLVM 22 makes one instruction of bits that are chosen by a constant mask, where a condition decides
// whether they are: `c ? (a & m) | (p & ~m) : p`, which is what assigning to a bit-field under a condition becomes. It
// orders the operands so that p is what stays where c does not hold, and does not order the table that says which of
// them the bits come from: where c holds the bits are others. So the choice is made inside, `((c ? a : p) & m) | (p &
// ~m)`, where p cannot be what stays.
#include "codegen/pipeline.h"

// The operand beside |known|, if |inst| is the operation and has both; NULL: it is not.
static LLVMValueRef beside(LLVMValueRef inst, LLVMOpcode opcode, LLVMValueRef known)
{
    if (LLVMIsAInstruction(inst) == NULL || LLVMGetInstructionOpcode(inst) != opcode) {
        return NULL;
    }
    LLVMValueRef a = LLVMGetOperand(inst, 0), b = LLVMGetOperand(inst, 1);
    return a == known ? b : b == known ? a : NULL;
}

// |inst| is `x & m` with a constant m, which LLVM puts behind.
static bool is_masked(LLVMValueRef inst)
{
    return LLVMIsAInstruction(inst) != NULL && LLVMGetInstructionOpcode(inst) == LLVMAnd &&
           LLVMIsConstant(LLVMGetOperand(inst, 1));
}

// The `a & m` of |merged| if that is `(a & m) | (p & ~m)`; NULL: it is not.
static LLVMValueRef other_part(LLVMValueRef merged, LLVMValueRef p)
{
    LLVMOpcode opcode = LLVMIsAInstruction(merged) != NULL ? LLVMGetInstructionOpcode(merged) : LLVMRet;
    if (opcode != LLVMOr && opcode != LLVMAdd && opcode != LLVMXor) {
        return NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = LLVMGetOperand(merged, i), kept = LLVMGetOperand(merged, 1 - i);
        if (is_masked(part) && is_masked(kept) && LLVMGetOperand(kept, 0) == p &&
            LLVMConstNot(LLVMGetOperand(kept, 1)) == LLVMGetOperand(part, 1)) {
            return part;
        }
    }
    return NULL;
}

// The `(a ^ p) & m` of |merged| if that is `((a ^ p) & m) ^ p`, the same in other words; NULL: it is not.
static LLVMValueRef other_difference(LLVMValueRef merged, LLVMValueRef p)
{
    LLVMValueRef part = beside(merged, LLVMXor, p);
    return part != NULL && is_masked(part) && beside(LLVMGetOperand(part, 0), LLVMXor, p) != NULL ? part : NULL;
}

// |merged| is what |select| has if its condition |holds|, and |p| what it has else. True: it was put right.
static bool put_inside(struct emitter *e, LLVMValueRef select, LLVMValueRef merged, LLVMValueRef p, bool holds)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef part = other_part(merged, p);
    LLVMValueRef difference = part == NULL ? other_difference(merged, p) : NULL;
    if (part == NULL && difference == NULL) {
        return false;
    }
    LLVMValueRef masked = part != NULL ? part : difference;
    LLVMValueRef a = LLVMGetOperand(masked, 0), test = LLVMGetOperand(select, 0);
    a = difference != NULL ? beside(a, LLVMXor, p) : a;
    LLVMPositionBuilderBefore(b, select);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(select));
    LLVMValueRef mask = LLVMGetOperand(masked, 1);
    LLVMValueRef chosen = holds ? LLVMBuildSelect(b, test, a, p, "") : LLVMBuildSelect(b, test, p, a, "");
    LLVMValueRef bits = LLVMBuildAnd(b, chosen, mask, "");
    LLVMValueRef kept = LLVMBuildAnd(b, p, LLVMConstNot(mask), "");
    LLVMReplaceAllUsesWith(select, LLVMBuildOr(b, bits, kept, ""));
    LLVMInstructionEraseFromParent(select);
    return true;
}

static void look_at(void *arg, LLVMValueRef inst)
{
    struct emitter *e = arg;
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (LLVMGetInstructionOpcode(inst) != LLVMSelect || LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind) {
        return;
    }
    LLVMValueRef yes = LLVMGetOperand(inst, 1), no = LLVMGetOperand(inst, 2);
    if (!put_inside(e, inst, yes, no, true)) {
        put_inside(e, inst, no, yes, false);
    }
}

void inner_choices(struct emitter *e)
{
    pipeline_each_inst(e, look_at, e);
}
