// Explicit atomic additions at one address, as in `at = rill_atomic_add(&count, 1); list[at] = x`: the threads of a
// warp that are there together add at once what they would add one after the other, and share out what it was before.
// Any order will do, by the author's word. AMD's code generator does this by itself.
#include "codegen/emit.h"

#include "ir/invariant.h"

#include <assert.h>

// Whether the value is the same in all iterations, by how it is made.
static bool is_uniform(const struct ir_inst *value, const struct ir_function *task)
{
    bool is_made = ir_op_is_pure(value->op) && value->op != IR_OP_NEST_ITER && value->arg_count > 0;
    for (int i = 0; i < value->arg_count && is_made; i++) {
        is_made = is_uniform(value->args[i], task);
    }
    return is_made || value->op == IR_OP_ADDR_SLOT || invariant_in_task(value, task);
}

bool emit_append_is_one(const struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_function *ir = e->function->ir;
    bool is_sum = inst->op == IR_OP_ATOMIC && (inst->update == IR_UPDATE_ADD || inst->update == IR_UPDATE_SUB) &&
                  (inst->type == IR_I32 || inst->type == IR_I64);
    return is_sum && e->target->kind == TARGET_NVPTX && !e->target->is_stand_in && ir->kind == IR_FUNCTION_TASK &&
           !ir->is_serial && is_uniform(inst->args[0], ir) && is_uniform(inst->args[1], ir);
}

static LLVMValueRef count_bits(struct emitter *e, LLVMValueRef x)
{
    return emit_intrinsic1(e, "llvm.ctpop", x);
}

// 32 bits that thread |from| has, for all of |mask|.
static LLVMValueRef share_word(struct emitter *e, LLVMValueRef mask, LLVMValueRef word, LLVMValueRef from)
{
    LLVMValueRef args[4] = {mask, word, from, emit_const(e, IR_I32, 31)};
    return emit_intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, args, 4);
}

static LLVMValueRef share(struct emitter *e, LLVMValueRef mask, LLVMValueRef value, LLVMValueRef from)
{
    LLVMBuilderRef b = e->builder;
    if (LLVMTypeOf(value) == e->types[IR_I32]) {
        return share_word(e, mask, value, from);
    }
    LLVMValueRef half = emit_i64(e, 32);
    LLVMValueRef low = share_word(e, mask, LLVMBuildTrunc(b, value, e->types[IR_I32], ""), from);
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, value, half, ""), e->types[IR_I32], "");
    high = LLVMBuildZExt(b, share_word(e, mask, high, from), e->types[IR_I64], "");
    return LLVMBuildOr(b, LLVMBuildShl(b, high, half, ""), LLVMBuildZExt(b, low, e->types[IR_I64], ""), "");
}

LLVMValueRef emit_append(struct emitter *e, const struct ir_inst *inst, const LLVMValueRef *args)
{
    assert(emit_append_is_one(e, inst));
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = e->types[inst->type];
    LLVMValueRef zero = emit_const(e, IR_I32, 0);
    LLVMValueRef mask = emit_intrinsic(e, "llvm.nvvm.activemask", NULL, 0, NULL, 0);
    LLVMValueRef smaller = emit_intrinsic(e, "llvm.nvvm.read.ptx.sreg.lanemask.lt", NULL, 0, NULL, 0);
    LLVMValueRef before = count_bits(e, LLVMBuildAnd(b, mask, smaller, ""));
    LLVMValueRef all = LLVMBuildZExtOrBitCast(b, count_bits(e, mask), type, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef first = emit_block(e, "first");
    LLVMBasicBlockRef added = emit_block(e, "added");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, before, zero, ""), first, added);
    emit_at(e, first);
    LLVMValueRef sum = LLVMBuildMul(b, all, args[1], "");
    LLVMValueRef old = emit_atomic_at(e, inst->update, inst->type, args[0], sum, false);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, added);
    emit_at(e, added);
    LLVMValueRef own = LLVMBuildPhi(b, type, "");
    LLVMAddIncoming(own, (LLVMValueRef[]){LLVMConstNull(type), old}, (LLVMBasicBlockRef[]){here, end}, 2);
    LLVMValueRef never_zero = emit_const(e, IR_I1, 1);
    LLVMValueRef from = emit_intrinsic(e, "llvm.cttz", &e->types[IR_I32], 1, (LLVMValueRef[]){mask, never_zero}, 2);
    LLVMValueRef was = share(e, mask, own, from);
    LLVMValueRef way = LLVMBuildMul(b, LLVMBuildZExtOrBitCast(b, before, type, ""), args[1], "");
    return inst->update == IR_UPDATE_ADD ? LLVMBuildAdd(b, was, way, "") : LLVMBuildSub(b, was, way, "");
}
