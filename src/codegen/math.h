// Math functions. On the CPU a function that glibc's libmvec has is always that one vector routine, also for a single
// value: a result then depends on the argument alone, not on where the element stood in a vector or in a chunk.
//
// While LLVM vectorises, such a function is `rill_sinf`, of which it only knows that forms for several elements exist.
// Afterwards math_finish gives bodies to the forms that are used, all made of calls of the one routine.
#ifndef RILL_CODEGEN_MATH_H
#define RILL_CODEGEN_MATH_H

#include "codegen/emit.h"

// A function in use whose forms are still without bodies.
struct math_use {
    const char *name;    // "rill_sinf"
    const char *routine; // "_ZGVeN16v_sinf"
    enum ir_math math;
    enum ir_type type;
    int arg_count;
    int lanes; // of the routine
    LLVMTypeRef function_type;
    LLVMValueRef function;
    struct math_use *next;
};

// The call of a function by its C name (of the double form), or of its vector routine.
LLVMValueRef math_call_cpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count);

// After vectorisation: bodies for the forms in use.
void math_finish(struct emitter *e);

// GPUs: a call of the math library, and the library itself linked in where it is called.
LLVMValueRef math_call_gpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count);
rill_status math_link_library(struct emitter *e);

#endif
