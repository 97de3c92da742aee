// Loops whose iterations are taken several at a time, as the lanes of vectors, with the loops inside run once for all
// of them. LLVM's vectoriser does this with innermost loops alone.
#ifndef RILL_CODEGEN_LANES_H
#define RILL_CODEGEN_LANES_H

#include "codegen/emit.h"

enum lanes_kind {
    LANES_SAME,   // one value for all lanes
    LANES_LINEAR, // an integer or an address: |step| more from one lane to the next
    LANES_VECTOR, // a number in each lane
};

struct lanes_value {
    enum lanes_kind kind;
    int64_t step;
    bool is_sure;                 // LINEAR, 32 bits: no lane's value has wrapped
    const struct ir_inst *source; // GET: what its variable was set to before; NULL: not known
};

struct lanes {
    struct emitter *e;
    const struct ir_region *body; // of one iteration
    const struct ir_var *counter; // that the loop counts with, by |step|; NULL: a task, whose iterations are numbered
    int64_t step;
    struct lanes_value *values; // by ir_inst.id
    bool *varies;               // by ir_var.index: lanes may have different values
    struct assignments *assigned;
    int width; // lanes
    bool may_mask;

    // While code is emitted.
    LLVMValueRef first;  // the counter in lane 0, of its own type
    LLVMValueRef mask;   // the lanes that are in use; NULL: all
    LLVMValueRef *items; // by ir_inst.id: of LINEAR the value in lane 0
    LLVMValueRef *vars;  // by ir_var.index: where the vectors of one that varies are kept
};

// Of the FOR |loop|, or, if that is NULL, of the task that is emitted now: NULL if its iterations are not worth it, or
// its code is none that lanes can do together.
struct lanes *lanes_find(struct emitter *e, const struct ir_inst *loop);

// The loop's iterations: so many as fill vectors, and the rest masked. |init| is the counter's first value. Returns how
// many iterations that were: all of them, unless what they access cannot be masked.
LLVMValueRef lanes_emit_loop(struct lanes *lanes, LLVMValueRef init, LLVMValueRef trip);
// Emits |inst|, of a loop that is emitted so. False: it is the same for all lanes, and emitted as everywhere.
bool lanes_emit(struct lanes *lanes, const struct ir_inst *inst);

#endif
