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
// Short on purpose: code is wanted in milliseconds. Helpers are inlined first, so that everything after sees whole
// loops; the vectoriser wants loops simplified, counted and free of what does not change in them.
static rill_status run_cpu(struct emitter *e)
{
    if (e->helper_count > 0) {
        RILL_TRY(pipeline_passes(
            e, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),cgscc(inline),globaldce"));
    }
    // Unrolling makes indices of local arrays constant: only then can they become registers.
    RILL_TRY(pipeline_passes(e, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
                                "loop-mssa(licm,simple-loop-unswitch),"
                                "loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse,"
                                "loop-vectorize,early-cse,simplifycfg)"));
    if (e->math_uses == NULL) {
        return RILL_OK;
    }
    math_finish(e);
    return pipeline_passes(e, "always-inline,function(instcombine<no-verify-fixpoint>,simplifycfg)");
}

// Pointers to the device's memory come out of the arguments as such; the pass that follows them into loads and stores
// must run after inlining.
static rill_status run_gpu(struct emitter *e)
{
    return pipeline_passes(
        e,
        "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),cgscc(inline),globaldce,"
        "function(infer-address-spaces,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
        "loop-mssa(loop-instsimplify,loop-simplifycfg,licm),"
        "loop(indvars,loop-deletion,loop-unroll-full),early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)");
}

static rill_status run_cpu_unoptimised(struct emitter *e)
{
    math_finish(e);
    return pipeline_passes(e, "always-inline");
}

rill_status pipeline_run(struct emitter *e)
{
    if (e->target->kind == TARGET_X86) {
        RILL_TRY(e->options->unoptimised ? run_cpu_unoptimised(e) : run_cpu(e));
        return sanitize_finish(e);
    }
    RILL_TRY(math_link_library(e));
    return e->options->unoptimised ? RILL_OK : run_gpu(e);
}
