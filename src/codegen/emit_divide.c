// Division of 64-bit numbers on NVIDIA GPUs, for what finds a thread's part of a nest. The device has no instruction
// for it: the driver calls a routine, and what is alive in an entry that calls keeps to other registers. In code that
// the driver's linker makes, whose result can be kept, a matrix product was half as fast for the divisions that find
// its tiles. Nearly always 32 bits are enough; otherwise a quotient is found bit by bit, without a call.
#include "codegen/emit.h"

static void keep_loop_short(struct emitter *e, LLVMValueRef branch)
{
    LLVMMetadataRef once = emit_note(e, "llvm.loop.unroll.count", LLVMValueAsMetadata(emit_const(e, IR_I32, 1)));
    emit_metadata(e, branch, "llvm.loop", emit_loop_id(e, &once, 1));
}

// Schoolbook division: y is not 0 and below 2^63. Ends where the quotient is known, and branches to |done|.
static LLVMValueRef divide_wide(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMValueRef one = emit_i64(e, 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef loop = emit_block(e, "digit");
    LLVMBuildBr(b, loop);
    emit_at(e, loop);
    LLVMValueRef at = LLVMBuildPhi(b, i64, "at");
    LLVMValueRef rest = LLVMBuildPhi(b, i64, "rest");
    LLVMValueRef quotient = LLVMBuildPhi(b, i64, "quotient");
    LLVMValueRef digit = LLVMBuildAnd(b, LLVMBuildLShr(b, x, at, ""), one, "");
    LLVMValueRef more = LLVMBuildOr(b, LLVMBuildShl(b, rest, one, ""), digit, "");
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGE, more, y, "");
    LLVMValueRef less = LLVMBuildSelect(b, fits, LLVMBuildSub(b, more, y, ""), more, "");
    LLVMValueRef longer = LLVMBuildOr(b, LLVMBuildShl(b, quotient, one, ""), LLVMBuildZExt(b, fits, i64, ""), "");
    LLVMValueRef next = LLVMBuildSub(b, at, one, "");
    LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, at, emit_i64(e, 0), ""), done, loop);
    keep_loop_short(e, branch);
    LLVMBasicBlockRef from[2] = {before, loop};
    LLVMAddIncoming(at, (LLVMValueRef[]){emit_i64(e, 63), next}, from, 2);
    LLVMAddIncoming(rest, (LLVMValueRef[]){emit_i64(e, 0), less}, from, 2);
    LLVMAddIncoming(quotient, (LLVMValueRef[]){emit_i64(e, 0), longer}, from, 2);
    return longer;
}

LLVMValueRef emit_divide(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *out_rest)
{
    LLVMValueRef unused;
    out_rest = out_rest != NULL ? out_rest : &unused;
    LLVMBuilderRef b = e->builder;
    bool calls = e->target->kind == TARGET_NVPTX || (e->target->is_stand_in && e->target->stands_for == TARGET_NVPTX);
    if (!calls) {
        *out_rest = LLVMBuildURem(b, x, y, "");
        return LLVMBuildUDiv(b, x, y, "");
    }
    LLVMBasicBlockRef narrow = emit_block(e, "narrow");
    LLVMBasicBlockRef wide = emit_block(e, "wide");
    LLVMBasicBlockRef done = emit_block(e, "divided");
    LLVMValueRef high = LLVMBuildLShr(b, LLVMBuildOr(b, x, y, ""), emit_i64(e, 32), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, high, emit_i64(e, 0), ""), narrow, wide);
    emit_at(e, narrow);
    LLVMTypeRef i32 = e->types[IR_I32];
    LLVMValueRef words = LLVMBuildUDiv(b, LLVMBuildTrunc(b, x, i32, ""), LLVMBuildTrunc(b, y, i32, ""), "");
    LLVMValueRef small = LLVMBuildZExt(b, words, e->types[IR_I64], "");
    LLVMBuildBr(b, done);
    emit_at(e, wide);
    LLVMValueRef large = divide_wide(e, x, y, done);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
    emit_at(e, done);
    LLVMValueRef quotient = LLVMBuildPhi(b, e->types[IR_I64], "");
    LLVMAddIncoming(quotient, (LLVMValueRef[]){small, large}, (LLVMBasicBlockRef[]){narrow, end}, 2);
    *out_rest = LLVMBuildSub(b, x, LLVMBuildMul(b, quotient, y, ""), "");
    return quotient;
}
