// Math on GPUs: calls of libclc's functions by their mangled names, and the library linked in lazily: a function that
// is not called costs nothing.
#include "codegen/math.h"

#include "base/status.h"
#include "codegen/library.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

static LLVMValueRef declare(struct emitter *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    return function != NULL ? function : LLVMAddFunction(e->llvm, name, type);
}

// The low quotient bits come back through a pointer.
static LLVMValueRef call_remquo(struct emitter *e, enum ir_type type, LLVMValueRef *args)
{
    const char *name = type == IR_F32 ? "_Z6remquoffPi" : "_Z6remquoddPi";
    LLVMTypeRef params[3] = {e->types[type], e->types[type], e->types[IR_PTR]};
    LLVMTypeRef function_type = LLVMFunctionType(e->types[type], params, 3, false);
    LLVMValueRef number = emit_alloca(e, e->types[IR_I32], 4, "int");
    LLVMValueRef all[3] = {args[0], args[1], emit_generic(e, number)};
    LLVMBuildCall2(e->builder, function_type, declare(e, name, function_type), all, 3, "");
    return LLVMBuildLoad2(e->builder, e->types[IR_I32], number, "");
}

LLVMValueRef math_call_gpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    if (math_library_size == 0) {
        emit_fail(e, e->function->ir->loc, "not supported: %s, since Rill was built without libclc",
                  ir_math_name(math));
        return LLVMGetPoison(e->types[math == IR_MATH_REMQUO_BITS ? IR_I32 : type]);
    }
    e->needs_math_library = true;
    if (math == IR_MATH_REMQUO_BITS) {
        return call_remquo(e, type, args);
    }
    const char *letter = type == IR_F32 ? "f" : "d";
    const char *name = ir_math_name(math);
    name = arena_printf(e->arena, "_Z%zu%s%s%s", strlen(name), name, letter, count == 2 ? letter : "");
    LLVMTypeRef params[2] = {e->types[type], e->types[type]};
    LLVMTypeRef function_type = LLVMFunctionType(e->types[type], params, (unsigned)count, false);
    return LLVMBuildCall2(e->builder, function_type, declare(e, name, function_type), args, (unsigned)count, "");
}

rill_status math_link_library(struct emitter *e)
{
    if (!e->needs_math_library) {
        return RILL_OK;
    }
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)math_library_bytes, math_library_size, "math", false);
    LLVMModuleRef library;
    if (LLVMGetBitcodeModuleInContext2(e->context, buffer, &library) != 0) { // takes the buffer
        return status_fail(RILL_ERR_INTERNAL, "the embedded math library does not read");
    }
    LLVMSetTarget(library, e->target->triple);
    LLVMSetDataLayout(library, e->target->layout);
    if (LLVMLinkModules2(e->llvm, library) != 0) { // takes the library
        return status_fail(RILL_ERR_INTERNAL, "the embedded math library does not link");
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    return RILL_OK;
}
