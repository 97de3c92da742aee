// Pointers that move on instead of products: in `s += a[i][k] * b[k][j]` the address of b's element is a base and k
// times the size of a row, a product of 64 bits that an NVIDIA GPU makes of four instructions, in a loop that has few
// others. LLVM's own pass over induction variables leaves such products alone where the factor is not a constant. Only
// loops of one block are looked at, which the innermost ones are once they were unrolled; all arithmetic wraps, so that
// nothing is assumed of the numbers.
#include "codegen/pipeline.h"

enum { MAX_POINTERS = 8 }; // of one loop: each takes two registers

// A number that goes up by a constant with each round of a loop.
struct counter {
    LLVMValueRef phi;
    LLVMValueRef first;
    LLVMBasicBlockRef before; // where the loop is come to from
    int64_t step;
};

// A pointer that starts as base + first * factor and moves on by step * factor.
struct pointer {
    LLVMValueRef base;
    LLVMValueRef factor;
    LLVMValueRef counter; // its phi
    LLVMValueRef phi;
    LLVMValueRef last; // the place computed last in a round
    int64_t last_ahead;
};

struct loop {
    struct emitter *e;
    LLVMBasicBlockRef block;
    struct pointer pointers[MAX_POINTERS];
    struct counter counters[MAX_POINTERS]; // of each
    int count;
};

static bool is_inside(const struct loop *loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionParent(value) == loop->block;
}

static bool is_constant(LLVMValueRef value, int64_t *out)
{
    bool is_one = LLVMIsAConstantInt(value) != NULL && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
    *out = is_one ? (int64_t)LLVMConstIntGetSExtValue(value) : 0;
    return is_one;
}

static bool find_counter(const struct loop *loop, LLVMValueRef phi, struct counter *out)
{
    if (LLVMIsAPHINode(phi) == NULL || LLVMGetInstructionParent(phi) != loop->block || LLVMCountIncoming(phi) != 2) {
        return false;
    }
    unsigned again = LLVMGetIncomingBlock(phi, 0) == loop->block ? 0 : 1;
    LLVMValueRef next = LLVMGetIncomingValue(phi, again);
    *out = (struct counter){
        .phi = phi, .first = LLVMGetIncomingValue(phi, 1 - again), .before = LLVMGetIncomingBlock(phi, 1 - again)};
    return LLVMGetIncomingBlock(phi, again) == loop->block && out->before != loop->block &&
           LLVMIsABinaryOperator(next) != NULL && LLVMGetInstructionOpcode(next) == LLVMAdd &&
           LLVMGetOperand(next, 0) == phi && is_constant(LLVMGetOperand(next, 1), &out->step);
}

// Whether |value| is a counter, or a constant |out_ahead| of one.
static bool find_place(const struct loop *loop, LLVMValueRef value, struct counter *out, int64_t *out_ahead)
{
    *out_ahead = 0;
    if (find_counter(loop, value, out)) {
        return true;
    }
    if (!is_inside(loop, value) || LLVMIsABinaryOperator(value) == NULL) {
        return false;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    bool adds = opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(value));
    return adds && is_constant(LLVMGetOperand(value, 1), out_ahead) &&
           find_counter(loop, LLVMGetOperand(value, 0), out);
}

// factor * times, computed before the loop.
static LLVMValueRef multiple(struct loop *loop, const struct counter *counter, LLVMValueRef factor, int64_t times)
{
    if (times == 1) {
        return factor;
    }
    LLVMBuilderRef builder = loop->e->builder;
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(counter->before));
    return LLVMBuildMul(builder, factor, LLVMConstInt(LLVMTypeOf(factor), (unsigned long long)times, true), "");
}

static LLVMValueRef move_on(struct loop *loop, LLVMValueRef from, LLVMValueRef by, LLVMValueRef before)
{
    LLVMBuilderRef builder = loop->e->builder;
    LLVMPositionBuilderBefore(builder, before);
    return LLVMBuildGEP2(builder, loop->e->types[IR_I8], from, &by, 1, "");
}

static struct pointer *find_pointer(struct loop *loop, LLVMValueRef base, LLVMValueRef factor,
                                    const struct counter *counter)
{
    for (int i = 0; i < loop->count; i++) {
        struct pointer *pointer = &loop->pointers[i];
        if (pointer->base == base && pointer->factor == factor && pointer->counter == counter->phi) {
            return pointer;
        }
    }
    if (loop->count == MAX_POINTERS) {
        return NULL;
    }
    LLVMBuilderRef builder = loop->e->builder;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(counter->before);
    LLVMPositionBuilderBefore(builder, end);
    LLVMValueRef start = LLVMBuildMul(builder, counter->first, factor, "");
    start = move_on(loop, base, start, end);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(loop->block));
    LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(base), "");
    LLVMAddIncoming(phi, &start, (LLVMBasicBlockRef[]){counter->before}, 1);
    loop->counters[loop->count] = *counter;
    struct pointer *pointer = &loop->pointers[loop->count++];
    *pointer = (struct pointer){.base = base, .factor = factor, .counter = counter->phi, .phi = phi, .last = phi};
    return pointer;
}

// An address of bytes: a base that stays and a counter times a factor that stays.
static void replace(struct loop *loop, LLVMValueRef address)
{
    LLVMValueRef base = LLVMGetOperand(address, 0);
    LLVMValueRef product = LLVMGetOperand(address, 1);
    if (is_inside(loop, base) || !is_inside(loop, product) || LLVMGetInstructionOpcode(product) != LLVMMul ||
        LLVMGetTypeKind(LLVMTypeOf(product)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(product)) != 64) {
        return;
    }
    struct counter counter;
    int64_t ahead;
    LLVMValueRef factor = LLVMGetOperand(product, 1);
    if (!find_place(loop, LLVMGetOperand(product, 0), &counter, &ahead)) {
        factor = LLVMGetOperand(product, 0);
        if (!find_place(loop, LLVMGetOperand(product, 1), &counter, &ahead)) {
            return;
        }
    }
    if (is_inside(loop, factor) || LLVMIsConstant(factor)) {
        return;
    }
    struct pointer *pointer = find_pointer(loop, base, factor, &counter);
    if (pointer == NULL) {
        return;
    }
    if (ahead != pointer->last_ahead) {
        bool is_behind = ahead < pointer->last_ahead;
        int64_t by = is_behind ? ahead : ahead - pointer->last_ahead;
        LLVMValueRef from = is_behind ? pointer->phi : pointer->last;
        LLVMValueRef place = by == 0 ? from : move_on(loop, from, multiple(loop, &counter, factor, by), address);
        LLVMReplaceAllUsesWith(address, place);
        pointer->last = is_behind ? pointer->last : place;
        pointer->last_ahead = is_behind ? pointer->last_ahead : ahead;
    } else {
        LLVMReplaceAllUsesWith(address, pointer->last);
    }
    LLVMInstructionEraseFromParent(address);
    if (LLVMGetFirstUse(product) == NULL) {
        LLVMInstructionEraseFromParent(product);
    }
}

static bool is_address_of_bytes(struct emitter *e, LLVMValueRef inst)
{
    return LLVMGetInstructionOpcode(inst) == LLVMGetElementPtr && LLVMGetNumOperands(inst) == 2 &&
           LLVMGetGEPSourceElementType(inst) == e->types[IR_I8] &&
           LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMPointerTypeKind;
}

bool advance_is_loop(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    unsigned count = end != NULL ? LLVMGetNumSuccessors(end) : 0;
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetSuccessor(end, i) == block) {
            return true;
        }
    }
    return false;
}

static void advance_in(struct emitter *e, LLVMBasicBlockRef block)
{
    struct loop loop = {.e = e, .block = block};
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL;) {
        LLVMValueRef next = LLVMGetNextInstruction(inst);
        if (is_address_of_bytes(e, inst)) {
            replace(&loop, inst); // what it erases stands before |next|
        }
        inst = next;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (int i = 0; i < loop.count; i++) {
        struct pointer *pointer = &loop.pointers[i];
        const struct counter *counter = &loop.counters[i];
        int64_t left = (int64_t)((uint64_t)counter->step - (uint64_t)pointer->last_ahead);
        LLVMValueRef by = multiple(&loop, counter, pointer->factor, left);
        LLVMValueRef moved = move_on(&loop, pointer->last, by, end);
        LLVMAddIncoming(pointer->phi, &moved, &block, 1);
    }
}

void advance_pointers(struct emitter *e, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b)) {
        if (advance_is_loop(b)) {
            advance_in(e, b);
        }
    }
}
