// The optimiser's passes for a target, run over a module that emit_module has built.
#ifndef RILL_CODEGEN_PIPELINE_H
#define RILL_CODEGEN_PIPELINE_H

#include "base/vec.h"
#include "codegen/emit.h"

rill_status pipeline_run(struct emitter *e);

// The passes that |passes| names, in the syntax of LLVM's `opt`.
rill_status pipeline_passes(struct emitter *e, const char *passes);

// Calls |visit| for every instruction of the module, which may take that out or put others before it.
typedef void pipeline_visit(void *arg, LLVMValueRef inst);
void pipeline_each_inst(struct emitter *e, pipeline_visit *visit, void *arg);

// Gives |function| an attribute of LLVM's, or takes it.
void pipeline_set_attribute(struct emitter *e, LLVMValueRef function, const char *name, bool on);

// opaque.c: keeps narrow indices from the loop vectoriser, in the functions that have some as they were written.
struct opaque {
    VEC(LLVMValueRef) functions;
};
void opaque_find(struct emitter *e, struct opaque *opaque);          // before the passes, which make more of them
void opaque_indices(struct emitter *e, const struct opaque *opaque); // right before the vectoriser

// inner_choices.c: CPUs, after the passes.
void inner_choices(struct emitter *e);
// saturate.c: likewise.
void saturate_vectors(struct emitter *e);

// Cuts large blocks, for the code generator.
void split_blocks(struct emitter *e);

// advance.c: in the innermost loops of |function|, after they were unrolled.
void advance_pointers(struct emitter *e, LLVMValueRef function);
bool advance_is_loop(LLVMBasicBlockRef block); // of one block

// group_loads.c: in the block of a loop.
void group_loads(struct emitter *e, LLVMBasicBlockRef loop);

// cut_floats.c: PTX, after the passes.
void cut_floats(struct emitter *e);
// widen_choices.c: likewise.
void widen_choices(struct emitter *e);

#endif
