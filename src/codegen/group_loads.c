// Loads before what uses them: in an unrolled loop the loads of several rounds stand together in front of the
// arithmetic, so that all of them are under way at a time. The driver's assembler keeps to the order it is given where
// registers are short: of a matrix product as LLVM unrolls it two loads are under way, and so sixteen. Nothing moves
// across what writes memory or may not return.
#include "codegen/pipeline.h"

#include <llvm-c/Target.h>
#include <string.h>

enum {
    GROUP_WORDS = 16,  // registers that the loads of a group may fill
    BLOCK_LIMIT = 400, // instructions; a block of more stays as it is
    LONG_GROUP = 8,    // loads of a loop that was unrolled, and is no remainder
    SHORT_LOOP = 6,    // instructions for each load, where unrolling further is worth while
};

struct block {
    LLVMValueRef insts[BLOCK_LIMIT]; // without phis
    bool is_early[BLOCK_LIMIT];      // of the group being made: its loads, and what their addresses are made of
    int count;
};

static bool is_plain_load(LLVMValueRef inst)
{
    return LLVMGetInstructionOpcode(inst) == LLVMLoad && !LLVMGetVolatile(inst) &&
           LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
}

// A call of something that neither reads nor writes memory, and returns.
static bool is_pure_call(LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    if (LLVMIsAFunction(callee) == NULL || LLVMGetIntrinsicID(callee) == 0) {
        return false;
    }
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
    unsigned returns = LLVMGetEnumAttributeKindForName("willreturn", strlen("willreturn"));
    unsigned meets = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
    LLVMAttributeRef touched = LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, memory);
    return touched != NULL && LLVMGetEnumAttributeValue(touched) == 0 &&
           LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, returns) != NULL &&
           LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, meets) == NULL;
}

// Loads and arithmetic may change places with each other; everything else stays, and lets nothing pass.
static bool may_move(LLVMValueRef inst)
{
    if (LLVMIsACallInst(inst) != NULL) {
        return is_pure_call(inst);
    }
    return is_plain_load(inst) || LLVMIsABinaryOperator(inst) != NULL || LLVMIsACastInst(inst) != NULL ||
           LLVMIsACmpInst(inst) != NULL || LLVMIsAGetElementPtrInst(inst) != NULL || LLVMIsASelectInst(inst) != NULL ||
           LLVMIsAUnaryOperator(inst) != NULL;
}

static int place_of(const struct block *block, LLVMValueRef inst, int first, int end)
{
    for (int i = first; i < end; i++) {
        if (block->insts[i] == inst) {
            return i;
        }
    }
    return -1;
}

// Adds the load |at| and what it needs behind |first|; not if its address depends on a load there.
static bool add_load(struct block *block, int first, int at)
{
    bool needed[BLOCK_LIMIT] = {false};
    needed[at] = true;
    for (int i = at; i >= first; i--) {
        if (!needed[i]) {
            continue;
        }
        if (i != at && is_plain_load(block->insts[i])) {
            return false;
        }
        for (int n = LLVMGetNumOperands(block->insts[i]) - 1; n >= 0; n--) {
            int place = place_of(block, LLVMGetOperand(block->insts[i], (unsigned)n), first, i);
            if (place >= 0) {
                needed[place] = true;
            }
        }
    }
    for (int i = first; i <= at; i++) {
        block->is_early[i] |= needed[i];
    }
    return true;
}

// Puts what is early in [first, end) before the rest, both in their order.
static void put_first(struct block *block, LLVMBuilderRef builder, int first, int end)
{
    LLVMValueRef late[BLOCK_LIMIT];
    int late_count = 0;
    int at = first;
    for (int i = first; i < end; i++) {
        LLVMValueRef inst = block->insts[i];
        if (!block->is_early[i]) {
            late[late_count++] = inst;
            continue;
        }
        if (late_count > 0) {
            LLVMInstructionRemoveFromParent(inst);
            LLVMPositionBuilderBefore(builder, late[0]);
            LLVMInsertIntoBuilder(builder, inst);
        }
        block->insts[at++] = inst;
    }
    for (int i = 0; i < late_count; i++) {
        block->insts[at++] = late[i];
    }
}

// A group from |first| on, which is a load. Returns where to look for the next one.
static int make_group(struct emitter *e, struct block *block, LLVMBuilderRef builder, int first)
{
    memset(block->is_early, 0, sizeof block->is_early);
    int words = 0;
    int end = first;
    for (int i = first; i < block->count && may_move(block->insts[i]); i++) {
        if (!is_plain_load(block->insts[i])) {
            continue;
        }
        unsigned long long size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(e->llvm), LLVMTypeOf(block->insts[i]));
        words += (int)((size + 3) / 4);
        if (words > GROUP_WORDS || !add_load(block, first, i)) {
            break;
        }
        end = i + 1;
    }
    put_first(block, builder, first, end);
    return end > first ? end : first + 1;
}

static bool read_block(struct block *block, LLVMBasicBlockRef from)
{
    block->count = 0;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(from); inst != NULL; inst = LLVMGetNextInstruction(inst)) {
        if (LLVMIsAPHINode(inst) != NULL) {
            continue;
        }
        if (block->count == BLOCK_LIMIT) {
            return false;
        }
        block->insts[block->count++] = inst;
    }
    return true;
}

// LLVM says of a loop that it unrolled as often as it was told that nobody is to unroll it further. The driver may: it
// goes on from many rounds at a time to few with less code than the loop over single rounds behind it.
static void leave_to_driver(struct emitter *e, const struct block *block)
{
    int load_count = 0;
    for (int i = 0; i < block->count; i++) {
        load_count += is_plain_load(block->insts[i]);
    }
    if (load_count >= LONG_GROUP && block->count <= SHORT_LOOP * load_count) {
        unsigned kind = LLVMGetMDKindIDInContext(e->context, "llvm.loop", (unsigned)strlen("llvm.loop"));
        LLVMSetMetadata(block->insts[block->count - 1], kind, NULL);
    }
}

void group_loads(struct emitter *e, LLVMBasicBlockRef loop)
{
    struct block block;
    if (!read_block(&block, loop)) {
        return;
    }
    leave_to_driver(e, &block);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context); // without a place: instructions keep theirs
    for (int i = 0; i < block.count;) {
        i = is_plain_load(block.insts[i]) ? make_group(e, &block, builder, i) : i + 1;
    }
    LLVMDisposeBuilder(builder);
}
