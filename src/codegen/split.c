// Large blocks are cut before code is generated. LLVM selects and schedules instructions block by block, in time that
// grows with the square of a block's size: a loop body of a thousand accesses takes seconds in one piece and a tenth of
// that in ten. A cut costs nothing when the code runs, since the parts follow each other and are laid out so.
#include "codegen/pipeline.h"

enum {
    SPLIT_LIMIT = 500, // blocks of fewer instructions stay whole
    SPLIT_PART = 300,
};

// How many instructions go into the first part; 0 if the block stays as it is. Phis must stay first in their block, and
// room on the stack is made in the entry block alone.
static int part_of(LLVMBasicBlockRef block)
{
    int count = 0;
    int least = SPLIT_PART;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL; inst = LLVMGetNextInstruction(inst)) {
        count++;
        if (LLVMIsAPHINode(inst) != NULL || LLVMIsAAllocaInst(inst) != NULL) {
            least = count > least ? count : least;
        }
    }
    return count >= SPLIT_LIMIT && least < count ? least : 0;
}

// The first |count| instructions move to a new block, which takes the place of |block| wherever that is branched to;
// what follows, and phis there, know the rest by the old name.
static void split_off(struct emitter *e, LLVMBuilderRef builder, LLVMBasicBlockRef block, int count)
{
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(e->context, block, "part");
    LLVMPositionBuilderAtEnd(builder, head);
    for (int i = 0; i < count; i++) {
        LLVMValueRef inst = LLVMGetFirstInstruction(block);
        LLVMInstructionRemoveFromParent(inst);
        LLVMInsertIntoBuilder(builder, inst);
    }
    // With the terminator in place LLVM would rename the block in the phis that follow too.
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    LLVMInstructionRemoveFromParent(last);
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(head));
    LLVMBuildBr(builder, block);
    LLVMPositionBuilderAtEnd(builder, block);
    LLVMInsertIntoBuilder(builder, last);
    // A block whose address somebody has is not joined with the one before it.
    LLVMBlockAddress(LLVMGetBasicBlockParent(block), block);
}

void split_blocks(struct emitter *e)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context); // without a place: instructions keep theirs
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
            for (int count = part_of(b); count > 0; count = part_of(b)) {
                split_off(e, builder, b, count);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
