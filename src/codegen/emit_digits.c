// The numbers of a nest's loops on a GPU. A nest is one space of iterations; each loop's own number is a digit of the
// iteration's, taken off by a division, and there is no instruction for that. A thread takes every n-th iteration: so
// the digits are computed for its first, and then the digits of n are added, with carries.
#include "codegen/emit.h"

static bool divides(const struct emitter *e, const struct ir_inst *inst, enum ir_op op, const struct ir_inst *rest)
{
    return inst->op == op && inst->type == IR_I64 && inst->args[0] == rest &&
           inst->args[1]->parent == &e->function->ir->prologue;
}

static const struct ir_inst *find(const struct emitter *e, enum ir_op op, const struct ir_inst *rest)
{
    for (const struct ir_inst *inst = rest->next; inst != NULL; inst = inst->next) {
        if (divides(e, inst, op, rest)) {
            return inst;
        }
    }
    return NULL;
}

static const struct ir_inst *find_iteration(const struct ir_region *body)
{
    const struct ir_inst *inst = body->first;
    while (inst != NULL && inst->op != IR_OP_ITER) {
        inst = inst->next;
    }
    return inst;
}

// Takes the digits off |value|; what is left comes back.
static LLVMValueRef take_digits(struct emitter *e, const struct emit_digits *digits, LLVMValueRef value,
                                LLVMValueRef *out_digits)
{
    for (int i = 0; i < digits->count; i++) {
        value = emit_divide(e, value, digits->items[i].size, &out_digits[i]);
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
    const struct ir_inst *rest = find_iteration(&e->function->ir->body);
    digits->count = 0;
    while (rest != NULL && digits->count < EMIT_MAX_DIGITS) {
        const struct ir_inst *digit = find(e, IR_OP_UREM, rest);
        const struct ir_inst *quotient = find(e, IR_OP_UDIV, rest);
        if (digit == NULL || quotient == NULL || digit->args[1] != quotient->args[1]) {
            break;
        }
        // A nest that has iterations has some in each loop.
        LLVMValueRef size = digits->count == 0 && innermost != NULL ? innermost : emit_value(e, digit->args[1]);
        size = emit_intrinsic2(e, "llvm.umax", size, emit_i64(e, 1));
        digits->items[digits->count++] = (struct emit_digit){.digit = digit, .quotient = quotient, .size = size};
        rest = quotient;
    }
}

// The digits of an iteration whose innermost loop has the number |inner|, and whose other loops make up |outer|.
void emit_digits_set(struct emitter *e, struct emit_digits *digits, LLVMValueRef inner, LLVMValueRef outer)
{
    find_digits(e, digits, NULL);
    digits->values[0] = inner;
    for (int i = 1; i < digits->count; i++) {
        outer = emit_divide(e, outer, digits->items[i].size, &digits->values[i]);
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
            LLVMValueRef size = digits->items[i].size;
            LLVMValueRef is_over = LLVMBuildICmp(b, LLVMIntUGE, sum, size, "");
            sum = LLVMBuildSelect(b, is_over, LLVMBuildSub(b, sum, size, ""), sum, "");
            carry = LLVMBuildZExt(b, is_over, e->types[IR_I64], "");
        }
        LLVMAddIncoming(digits->values[i], (LLVMValueRef[]){digits->firsts[i], sum},
                        (LLVMBasicBlockRef[]){before, latch}, 2);
    }
}

LLVMValueRef emit_digits_value(struct emitter *e, const struct ir_inst *inst)
{
    const struct emit_digits *digits = e->function->digits;
    for (int i = 0; digits != NULL && i < digits->count; i++) {
        if (digits->items[i].digit == inst) {
            return digits->values[i];
        }
        if (digits->items[i].quotient == inst && i + 1 == digits->count) {
            return digits->values[i + 1];
        }
    }
    return NULL;
}
