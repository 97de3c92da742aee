// The numbers of a nest's loops on a GPU. A nest is one space of iterations; each loop's own number is a digit of the
// iteration's, taken off by a division, and there is no instruction for that. A thread takes every n-th iteration: so
// the digits are computed for its first, and then the digits of n are added, with carries.
#include "codegen/emit.h"

#include "codegen/run.h"

#include <assert.h>

// Takes the digits off |value|; what is left comes back.
static LLVMValueRef take_digits(struct emitter *e, const struct emit_digits *digits, LLVMValueRef value,
                                LLVMValueRef *out_digits)
{
    for (int i = 0; i < digits->count; i++) {
        value = emit_divide(e, value, digits->sizes[i], &out_digits[i]);
    }
    return value;
}

// The digits of |stride|, where a thread has more than one iteration; else nobody looks at them.
static void find_steps(struct emitter *e, struct emit_digits *digits, LLVMValueRef stride, LLVMValueRef limit)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef take = emit_block(e, "steps");
    LLVMBasicBlockRef taken = emit_block(e, "stepped");
    LLVMValueRef steps[EMIT_MAX_DIGITS];
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, stride, limit, ""), take, taken);
    emit_at(e, take);
    LLVMValueRef rest = take_digits(e, digits, stride, steps);
    take = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, taken);
    emit_at(e, taken);
    LLVMValueRef zero = emit_i64(e, 0);
    for (int i = 0; i <= digits->count; i++) {
        LLVMValueRef phi = LLVMBuildPhi(b, e->types[IR_I64], "");
        LLVMValueRef step = i < digits->count ? steps[i] : rest;
        LLVMAddIncoming(phi, (LLVMValueRef[]){zero, step}, (LLVMBasicBlockRef[]){before, take}, 2);
        digits->steps[i] = phi;
    }
}

static void find_digits(struct emitter *e, struct emit_digits *digits, LLVMValueRef innermost)
{
    const struct ir_inst *nest = run_nest(e->function->ir);
    digits->count = 0;
    for (int i = nest != NULL ? nest->arg_count : 0; i > 0 && digits->count < EMIT_MAX_DIGITS; i--) {
        // A nest that has iterations has some in each loop.
        LLVMValueRef size = digits->count == 0 && innermost != NULL ? innermost : emit_value(e, nest->args[i - 1]);
        digits->sizes[digits->count++] = emit_intrinsic2(e, "llvm.umax", size, emit_i64(e, 1));
    }
}

// The digits of an iteration whose innermost loop has the number |inner|, and whose other loops make up |outer|.
void emit_digits_set(struct emitter *e, struct emit_digits *digits, LLVMValueRef inner, LLVMValueRef outer)
{
    assert(e->function->digits == NULL);
    find_digits(e, digits, NULL);
    digits->values[0] = inner;
    for (int i = 1; i < digits->count; i++) {
        outer = emit_divide(e, outer, digits->sizes[i], &digits->values[i]);
    }
    digits->values[digits->count] = outer;
    e->function->digits = digits;
}

void emit_digits_begin(struct emitter *e, struct emit_digits *digits, LLVMValueRef first, LLVMValueRef stride,
                       LLVMValueRef limit, LLVMValueRef innermost)
{
    find_digits(e, digits, innermost);
    if (digits->count == 0) {
        return;
    }
    digits->firsts[digits->count] = take_digits(e, digits, first, digits->firsts);
    find_steps(e, digits, stride, limit);
}

// In the loop's first block.
void emit_digits_open(struct emitter *e, struct emit_digits *digits)
{
    assert(digits->count >= 0 && digits->count <= EMIT_MAX_DIGITS);
    for (int i = 0; i <= digits->count && digits->count > 0; i++) {
        digits->values[i] = LLVMBuildPhi(e->builder, e->types[IR_I64], "");
    }
    e->function->digits = digits->count > 0 ? digits : NULL;
}

void emit_digits_close(struct emitter *e, struct emit_digits *digits, LLVMBasicBlockRef before)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMValueRef carry = emit_i64(e, 0);
    e->function->digits = NULL;
    for (int i = 0; i <= digits->count && digits->count > 0; i++) {
        LLVMValueRef sum = LLVMBuildAdd(b, LLVMBuildAdd(b, digits->values[i], digits->steps[i], ""), carry, "");
        if (i < digits->count) {
            LLVMValueRef size = digits->sizes[i];
            LLVMValueRef is_over = LLVMBuildICmp(b, LLVMIntUGE, sum, size, "");
            sum = LLVMBuildSelect(b, is_over, LLVMBuildSub(b, sum, size, ""), sum, "");
            carry = LLVMBuildZExt(b, is_over, e->types[IR_I64], "");
        }
        LLVMAddIncoming(digits->values[i], (LLVMValueRef[]){digits->firsts[i], sum},
                        (LLVMBasicBlockRef[]){before, latch}, 2);
    }
}

// What is left of the iteration number once the numbers of all loops inside |inst|'s were taken off.
static LLVMValueRef rest_for(struct emitter *e, const struct ir_inst *inst)
{
    struct emit_function *f = e->function;
    int loop = inst->arg_count; // whose number comes next
    LLVMValueRef rest = f->iter;
    if (f->digits != NULL) {
        loop -= f->digits->count;
        rest = f->digits->values[f->digits->count];
    }
    if (f->nest_at != NULL && f->nest_at->imm == inst->imm + 1 && inst->imm < loop) {
        return f->nest_rest; // the innermost comes first, and each leaves what the next one needs
    }
    for (; loop > inst->imm; loop--) {
        rest = emit_binary(e, IR_OP_UDIV, IR_I64, rest, emit_value(e, inst->args[loop - 1]));
    }
    return rest;
}

LLVMValueRef emit_nest_iter(struct emitter *e, const struct ir_inst *inst)
{
    struct emit_function *f = e->function;
    int digit = inst->arg_count - (int)inst->imm;
    assert(digit >= 0 && inst->imm >= 0);
    if (f->digits != NULL && digit < f->digits->count) {
        return f->digits->values[digit];
    }
    LLVMValueRef rest = rest_for(e, inst);
    if (inst->imm == 0) {
        return rest;
    }
    LLVMValueRef size = emit_value(e, inst->args[inst->imm - 1]);
    LLVMValueRef own = emit_binary(e, IR_OP_UREM, IR_I64, rest, size);
    f->nest_at = inst;
    f->nest_rest = emit_binary(e, IR_OP_UDIV, IR_I64, rest, size);
    return own;
}
