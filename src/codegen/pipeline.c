#include "codegen/pipeline.h"

#include "base/status.h"
#include "codegen/math.h"

#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

rill_status pipeline_passes(struct emitter *e, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
    LLVMErrorRef error = LLVMRunPasses(e->llvm, passes, e->target->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL) {
        return RILL_OK;
    }
    char *text = LLVMGetErrorMessage(error);
    rill_status status = status_fail(RILL_ERR_INTERNAL, "LLVM's passes failed: %s", text);
    LLVMDisposeErrorMessage(text);
    return status;
}

// A pass named in text checks itself if it can: instcombine would end the process where it needs another round, hence
// no-verify-fixpoint everywhere.
//
// The passes over loops take more than linear time in the size of the function around them. One of many thousands of
// instructions (a program of a thousand lines in one task) is left out of them: nobody waits a minute for a compile.
enum { LARGE_FUNCTION = 12000 };

static bool is_large(LLVMValueRef function)
{
    unsigned count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL; inst = LLVMGetNextInstruction(inst)) {
            if (++count > LARGE_FUNCTION) {
                return true;
            }
        }
    }
    return false;
}

// A task's version that runs in order is marked as cold: it is called only if arguments overlap, so that being compiled
// soon is worth more than being fast.
static bool is_cold(LLVMValueRef function)
{
    unsigned cold = LLVMGetEnumAttributeKindForName("cold", strlen("cold"));
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, cold) != NULL;
}

void pipeline_each_inst(struct emitter *e, pipeline_visit *visit, void *arg)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL; block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst != NULL; inst = next) {
                next = LLVMGetNextInstruction(inst);
                visit(arg, inst);
            }
        }
    }
}

void pipeline_set_attribute(struct emitter *e, LLVMValueRef function, const char *name, bool on)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (on) {
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    } else {
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
    }
}

// Passes leave a function alone that has optnone. LLVM wants noinline beside it and no optsize.
static void leave_out(struct emitter *e, LLVMValueRef function, bool on)
{
    pipeline_set_attribute(e, function, "optnone", on);
    pipeline_set_attribute(e, function, "noinline", on);
    if (on) {
        pipeline_set_attribute(e, function, "optsize", false);
    }
}

// Whether there are any.
static bool leave_out_large(struct emitter *e, bool on)
{
    unsigned none = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        bool is_out = LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, none) != NULL;
        if (is_out != on && !is_cold(f) && (!on || is_large(f))) {
            leave_out(e, f, on);
            any = true;
        }
    }
    return any;
}

// The code generator too makes haste with these.
static void leave_out_cold(struct emitter *e)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (is_cold(f) && !LLVMIsDeclaration(f)) {
            leave_out(e, f, true);
        }
    }
}

// Whether |last| leads back while a counter is not yet a constant: such a loop may be unrolled as a whole.
static bool is_fixed_loop(LLVMValueRef last)
{
    LLVMValueRef test = LLVMIsABranchInst(last) != NULL && LLVMIsConditional(last) ? LLVMGetCondition(last) : NULL;
    if (test == NULL || LLVMIsAICmpInst(test) == NULL || LLVMIsAConstantInt(LLVMGetOperand(test, 1)) == NULL) {
        return false;
    }
    LLVMValueRef next = LLVMGetOperand(test, 0);
    LLVMValueRef counter = LLVMIsABinaryOperator(next) != NULL ? LLVMGetOperand(next, 0) : NULL;
    if (counter == NULL || LLVMIsAPHINode(counter) == NULL) {
        return false;
    }
    LLVMBasicBlockRef head = LLVMGetInstructionParent(counter);
    return LLVMGetSuccessor(last, 0) == head || LLVMGetSuccessor(last, 1) == head;
}

static bool has_fixed_loops(struct emitter *e)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = is_cold(f) ? NULL : LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            if (is_fixed_loop(LLVMGetBasicBlockTerminator(b))) {
                return true;
            }
        }
    }
    return false;
}

// Short on purpose: code is wanted in milliseconds. Helpers are inlined first, so that everything after sees whole
// loops; the vectoriser wants loops simplified, counted and free of what does not change in them.
static rill_status run_cpu(struct emitter *e)
{
    if (e->helper_count > 0) {
        RILL_TRY(pipeline_passes(
            e, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),cgscc(inline),globaldce"));
    }
    bool has_large = leave_out_large(e, true);
    struct opaque opaque;
    opaque_find(e, &opaque);
    RILL_TRY(pipeline_passes(e, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)"));
    leave_out_cold(e);
    bool has_fixed = has_fixed_loops(e);
    // Unrolling makes indices of local arrays constant: only then can they become registers.
#define LOOPS "loop-mssa(licm,simple-loop-unswitch),loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse"
    // In its copies of a loop's body values have become invariant of the loop around: a row that was clamped to the
    // image, for one. Left inside, the vectoriser takes the rows that they lead to for scattered; and what was found
    // out about them while they were inside has to be forgotten.
#define INVARIANT "loop-mssa(licm),invalidate<scalar-evolution>"
    // A loop that runs in order keeps in registers what the next iteration reads: while narrow indices are still
    // hidden, because this rests on the analysis that opaque.c is about.
#define VECTORS "loop-vectorize,loop-load-elim,early-cse,simplifycfg"
    if (opaque.functions.count > 0) {
        RILL_TRY(pipeline_passes(e, has_fixed ? "function(" LOOPS "," INVARIANT ")" : "function(" LOOPS ")"));
        opaque_indices(e, &opaque);
        RILL_TRY(pipeline_passes(e, "function(" VECTORS ")"));
    } else {
        RILL_TRY(pipeline_passes(e, has_fixed ? "function(" LOOPS "," INVARIANT "," VECTORS ")"
                                              : "function(" LOOPS "," VECTORS ")"));
    }
    if (has_large && leave_out_large(e, false)) {
        RILL_TRY(pipeline_passes(e, "function(sroa,early-cse,simplifycfg)"));
    }
    if (e->math_uses == NULL) {
        return RILL_OK;
    }
    math_finish(e);
    return pipeline_passes(e, "always-inline,function(instcombine<no-verify-fixpoint>,simplifycfg)");
}

static bool has_inner_loops(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, EMIT_INNER_LOOPS,
                                         strlen(EMIT_INNER_LOOPS)) != NULL;
}

static void group_in_loops(struct emitter *e, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b)) {
        if (advance_is_loop(b)) {
            group_loads(e, b);
        }
    }
}

// Loops inside an iteration are worth unrolling, and pointers that move on instead of products. The loop over a
// thread's iterations is not: it goes round once or twice.
static rill_status run_gpu_loops(struct emitter *e)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        any |= has_inner_loops(f) && !is_cold(f) && !is_large(f);
    }
    if (!any) {
        return RILL_OK;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && (!has_inner_loops(f) || is_cold(f) || is_large(f))) {
            pipeline_set_attribute(e, f, "optnone", true);
        }
    }
    rill_status status =
        pipeline_passes(e, "function(loop-unroll<O3>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)");
    // The stand-in does what a GPU's code does, so that tests run it.
    bool advances = e->target->kind == TARGET_NVPTX || e->target->is_stand_in;
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (status == RILL_OK && advances && has_inner_loops(f) && !is_cold(f) && !is_large(f)) {
            advance_pointers(e, f);
        }
    }
    if (status == RILL_OK) {
        status = pipeline_passes(e, "function(loop(loop-reduce),simplifycfg)");
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (status == RILL_OK && advances && has_inner_loops(f) && !is_cold(f) && !is_large(f)) {
            group_in_loops(e, f);
        }
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        pipeline_set_attribute(e, f, "optnone", false);
    }
    return status;
}

// Pointers to the device's memory come out of the arguments as such; the pass that follows them into loads and stores
// must run after inlining.
static rill_status run_gpu(struct emitter *e)
{
    RILL_TRY(pipeline_passes(
        e, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),cgscc(inline),globaldce,"
           "function(infer-address-spaces,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
           "loop-mssa(loop-instsimplify,loop-simplifycfg,licm),"
           "loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
           "simplifycfg)"));
    RILL_TRY(run_gpu_loops(e));
    // Entries say which of the runtime's services they use. Without this pass they claim all of them, and the runtime
    // would start a thread for calls to the host and make a heap on the device.
    return e->target->kind == TARGET_AMDGPU ? pipeline_passes(e, "amdgpu-attributor") : RILL_OK;
}

static rill_status run_cpu_unoptimised(struct emitter *e)
{
    math_finish(e);
    return pipeline_passes(e, "always-inline");
}

// The language has no recursion, nor has the library. An AMD GPU's kernel that calls a function which might recurse
// claims a stack whose size is not known before it runs, and memory for it.
static void mark_not_recursive(struct emitter *e)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            pipeline_set_attribute(e, f, "norecurse", true);
        }
    }
}

rill_status pipeline_run(struct emitter *e)
{
    if (!target_is_gpu(e->target)) {
        RILL_TRY(e->options->unoptimised ? run_cpu_unoptimised(e) : run_cpu(e));
        RILL_TRY(sanitize_finish(e));
        inner_choices(e);
        saturate_vectors(e);
        split_blocks(e);
        return RILL_OK;
    }
    RILL_TRY(math_link_library(e));
    mark_not_recursive(e);
    if (!e->options->unoptimised) {
        RILL_TRY(run_gpu(e));
    }
    if (e->target->kind == TARGET_NVPTX) {
        cut_floats(e);
        widen_choices(e);
    }
    return RILL_OK;
}
