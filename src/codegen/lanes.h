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
    int rows;  // of a tile: so many times the registers are needed
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
// The same of a loop that |rows| iterations of the task run at once, which may be worth it for their sake: see
// panels.h.
struct lanes *lanes_find_rows(struct emitter *e, const struct ir_inst *loop, int rows);
// Whether the numbers of a loop are such that lanes differ by a step.
bool lanes_may_count(const struct lanes *lanes, const struct ir_inst *loop);
// Whether lanes access neighbours.
bool lanes_is_unit(const struct lanes *lanes, const struct ir_inst *access);

// The loop's iterations: so many as fill vectors, and the rest masked. |init| is the counter's first value. Returns how
// many iterations that were: all of them, unless what they access cannot be masked.
LLVMValueRef lanes_emit_loop(struct lanes *lanes, LLVMValueRef init, LLVMValueRef trip);
// Emits |inst|, of a loop that is emitted so. False: it is the same for all lanes, and emitted as everywhere.
bool lanes_emit(struct lanes *lanes, const struct ir_inst *inst);
// Lanes begin with the loop's iteration number |at|, of which |left| are left; the others are masked.
void lanes_emit_place(struct lanes *lanes, LLVMValueRef init, LLVMValueRef at, LLVMValueRef left);
LLVMValueRef lanes_emit_load(struct lanes *lanes, const struct ir_inst *access); // of its address and type
void lanes_emit_store(struct lanes *lanes, const struct ir_inst *access, LLVMValueRef value);
LLVMValueRef lanes_emit_updated(struct lanes *lanes, const struct ir_inst *update, enum ir_type type, LLVMValueRef old);
LLVMTypeRef lanes_type(const struct lanes *lanes, enum ir_type type);
LLVMValueRef lanes_emit_slot(struct lanes *lanes, const struct ir_var *var); // room for a vector

#endif
