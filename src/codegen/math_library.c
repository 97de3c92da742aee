// Math on GPUs: calls of our own single-precision functions (library/float.h) and, for all the rest, of libclc's by
// their mangled names; and the library linked in lazily: a function that is not called costs nothing.
#include "codegen/math.h"

#include "base/status.h"
#include "codegen/library.h"
#include "codegen/pipeline.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

static LLVMValueRef declare(struct emitter *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    return function != NULL ? function : LLVMAddFunction(e->llvm, name, type);
}

static LLVMValueRef call_library(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    const char *letter = type == IR_F32 ? "f" : "d";
    const char *name = ir_math_name(math);
    name = arena_printf(e->arena, "_Z%zu%s%s%s", strlen(name), name, letter, count == 2 ? letter : "");
    LLVMTypeRef params[2] = {e->types[type], e->types[type]};
    LLVMTypeRef function_type = LLVMFunctionType(e->types[type], params, (unsigned)count, false);
    return LLVMBuildCall2(e->builder, function_type, declare(e, name, function_type), args, (unsigned)count, "");
}

static const char *own_name(enum ir_math math)
{
    switch (math) {
    case IR_MATH_COS: return "rill_f32_cos";
    case IR_MATH_EXP: return "rill_f32_exp";
    case IR_MATH_EXP2: return "rill_f32_exp2";
    case IR_MATH_LOG: return "rill_f32_log";
    case IR_MATH_LOG10: return "rill_f32_log10";
    case IR_MATH_LOG2: return "rill_f32_log2";
    case IR_MATH_POW: return "rill_f32_pow";
    case IR_MATH_SIN: return "rill_f32_sin";
    case IR_MATH_TAN: return "rill_f32_tan";
    case IR_MATH_TANH: return "rill_f32_tanh";
    default: return NULL;
    }
}

static LLVMValueRef call_own(struct emitter *e, const char *name, enum ir_type type, LLVMValueRef *args, int count)
{
    enum ir_type operand = strncmp(name, "rill_f32_", 9) == 0 ? IR_F32 : IR_F64;
    LLVMTypeRef params[2] = {e->types[operand], e->types[operand]};
    LLVMTypeRef function_type = LLVMFunctionType(e->types[type], params, (unsigned)count, false);
    return LLVMBuildCall2(e->builder, function_type, declare(e, name, function_type), args, (unsigned)count, "");
}

// Those that exist for doubles only; what they give for two floats is a float, or becomes one by one rounding.
static const char *wide_name(enum ir_math math)
{
    switch (math) {
    case IR_MATH_FMOD: return "rill_f64_fmod";
    case IR_MATH_LGAMMA: return "rill_f64_lgamma";
    case IR_MATH_REMAINDER: return "rill_f64_remainder";
    case IR_MATH_REMQUO_BITS: return "rill_f64_remquo_bits";
    case IR_MATH_TGAMMA: return "rill_f64_tgamma";
    default: return NULL;
    }
}

static LLVMValueRef call_wide(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    LLVMValueRef wide[2] = {args[0], args[1]};
    for (int i = 0; i < count && type == IR_F32; i++) {
        wide[i] = LLVMBuildFPExt(e->builder, args[i], e->types[IR_F64], "");
    }
    if (math == IR_MATH_REMQUO_BITS) {
        return call_own(e, wide_name(math), IR_I32, wide, count);
    }
    LLVMValueRef value = call_own(e, wide_name(math), IR_F64, wide, count);
    return type == IR_F32 ? LLVMBuildFPTrunc(e->builder, value, e->types[IR_F32], "") : value;
}

// ---- where the library goes wrong
// ----------------------------------------------------------------------------------------------

// Its erfc of floats is up to 5 ulp off, and 0 where the result is subnormal: the double form is asked but near 0.
static LLVMValueRef call_erfc(struct emitter *e, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef high = emit_block(e, "erfc.high");
    LLVMBasicBlockRef low = emit_block(e, "erfc.low");
    LLVMBasicBlockRef after = emit_block(e, "erfc.after");
    LLVMBuildCondBr(b, LLVMBuildFCmp(b, LLVMRealOGT, x, LLVMConstReal(e->types[IR_F32], 0.5), ""), high, low);
    emit_at(e, high);
    LLVMValueRef wide = LLVMBuildFPExt(b, x, e->types[IR_F64], "");
    LLVMValueRef values[2] = {
        LLVMBuildFPTrunc(b, call_library(e, IR_MATH_ERFC, IR_F64, &wide, 1), e->types[IR_F32], ""), NULL};
    LLVMBuildBr(b, after);
    emit_at(e, low);
    values[1] = call_library(e, IR_MATH_ERFC, IR_F32, &x, 1);
    LLVMBuildBr(b, after);
    emit_at(e, after);
    LLVMValueRef value = LLVMBuildPhi(b, e->types[IR_F32], "");
    LLVMAddIncoming(value, values, (LLVMBasicBlockRef[]){high, low}, 2);
    return value;
}

// Its pow of doubles loses its way with exponents beyond 2^66 or so, where the result is 0, 1 or infinity all the same;
// such exponents are even numbers, and so is the one that stands in for them.
static LLVMValueRef call_pow(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef limit = LLVMConstReal(e->types[IR_F64], 0x1p66);
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGT, emit_intrinsic1(e, "llvm.fabs", y), limit, "");
    LLVMValueRef args[2] = {x, LLVMBuildSelect(b, large, emit_intrinsic2(e, "llvm.copysign", limit, y), y, "")};
    return call_library(e, IR_MATH_POW, IR_F64, args, 2);
}

// Its functions of doubles that go through 0 lose the sign of a negative zero.
static bool loses_zero(enum ir_math math)
{
    switch (math) {
    case IR_MATH_ASIN:
    case IR_MATH_ATAN:
    case IR_MATH_ERF:
    case IR_MATH_EXPM1:
    case IR_MATH_SIN:
    case IR_MATH_TAN: return true;
    default: return false;
    }
}

static LLVMValueRef call_through_zero(struct emitter *e, enum ir_math math, LLVMValueRef x)
{
    LLVMValueRef value = call_library(e, math, IR_F64, &x, 1);
    LLVMValueRef is_zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, LLVMConstReal(e->types[IR_F64], 0.0), "");
    return LLVMBuildSelect(e->builder, is_zero, x, value, "");
}

LLVMValueRef math_call_gpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    if (math_library_size == 0) {
        emit_fail(e, e->function->ir->loc, "not supported: %s, since Rill was built without libclc or clang",
                  ir_math_name(math));
        return LLVMGetPoison(e->types[math == IR_MATH_REMQUO_BITS ? IR_I32 : type]);
    }
    e->needs_math_library = true;
    if (type == IR_F32 && own_name(math) != NULL) {
        return call_own(e, own_name(math), IR_F32, args, count);
    }
    if (wide_name(math) != NULL) {
        return call_wide(e, math, type, args, count);
    }
    if (math == IR_MATH_ERFC && type == IR_F32) {
        return call_erfc(e, args[0]);
    }
    if (math == IR_MATH_POW && type == IR_F64) {
        return call_pow(e, args[0], args[1]);
    }
    if (type == IR_F64 && loses_zero(math)) {
        return call_through_zero(e, math, args[0]);
    }
    return call_library(e, math, type, args, count);
}

// ---- linking
// -----------------------------------------------------------------------------------------------------------------

// The instructions that our functions call by name: intrinsics of LLVM. What has none here keeps the body that the
// library has for it. NVIDIA's power of two is given as text: LLVM would compute the intrinsic of a constant itself, to
// other last bits than the GPU's, and a call must not depend on whether its argument is a constant.
static const struct instruction {
    const char *name;
    const char *nvptx;
    const char *amdgpu; // for any type
} instructions[] = {
    {"rill_hw_exp2", "ex2.approx.ftz.f32 $0, $1;", "llvm.amdgcn.exp2"},
    {"rill_hw_reciprocal", "llvm.nvvm.rcp.approx.ftz.f", "llvm.amdgcn.rcp"},
    {"rill_hw_fma_clamped", "llvm.nvvm.fma.rn.sat.f", NULL},
};

static LLVMValueRef instruction_for(struct emitter *e, const struct instruction *row, LLVMValueRef function)
{
    bool is_nvptx = e->target->kind == TARGET_NVPTX;
    const char *name = is_nvptx ? row->nvptx : e->target->kind == TARGET_AMDGPU ? row->amdgpu : NULL;
    if (name == NULL) {
        return NULL;
    }
    if (strncmp(name, "llvm.", 5) != 0) {
        return LLVMGetInlineAsm(LLVMGlobalGetValueType(function), name, strlen(name), "=f,f", 4, false, false,
                                LLVMInlineAsmDialectATT, false);
    }
    LLVMTypeRef type = e->types[IR_F32];
    return LLVMGetIntrinsicDeclaration(e->llvm, LLVMLookupIntrinsicID(name, strlen(name)), &type, is_nvptx ? 0 : 1);
}

static void put_instructions(struct emitter *e)
{
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(e->llvm, instructions[i].name);
        LLVMValueRef instruction = function != NULL ? instruction_for(e, &instructions[i], function) : NULL;
        if (instruction != NULL) {
            LLVMReplaceAllUsesWith(function, instruction);
            LLVMDeleteFunction(function);
        }
    }
}

// What is rare is a call, so that kernels stay small. But NVIDIA's linker holds calls to their convention: in a loop
// that never takes one, constants and arguments are fetched anew behind each. For the tangent that is a fourteenth of
// its time, so where few are asked for the rare way stands in place.
enum { FEW_CALLS = 32 };

static void inline_rare_tangents(struct emitter *e)
{
    LLVMValueRef tangent = LLVMGetNamedFunction(e->llvm, "rill_f32_tan");
    LLVMValueRef rare = LLVMGetNamedFunction(e->llvm, "rill_f32_far_tan");
    int count = 0;
    for (LLVMUseRef use = tangent != NULL ? LLVMGetFirstUse(tangent) : NULL; use != NULL && count <= FEW_CALLS;
         use = LLVMGetNextUse(use)) {
        count++;
    }
    if (rare != NULL && count <= FEW_CALLS) {
        pipeline_set_attribute(e, rare, "noinline", false);
        pipeline_set_attribute(e, rare, "alwaysinline", true);
    }
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
    put_instructions(e);
    if (e->target->kind == TARGET_NVPTX) {
        inline_rare_tangents(e);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    if (e->target->is_stand_in) {
        stand_in_saturate(e);
    }
    return RILL_OK;
}
