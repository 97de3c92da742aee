// Floats of 16 bits. For LLVM they are integers of 16 bits, so that no target needs a library for them: arithmetic
// widens them to float, and rounds the result back. Where the target has instructions for the conversions, LLVM sees
// them as its own `half` between the two, and does in `half` what the target can do there.
//
// A sum, product or quotient of float that is rounded to 16 bits is the nearest one: float has more than twice the bits
// of either, and two more.
#include "codegen/emit.h"

#include "base/half.h"

#include <assert.h>

static LLVMValueRef word(struct emitter *e, int64_t value)
{
    return emit_const(e, IR_I32, value);
}

static LLVMValueRef as_bits(struct emitter *e, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->builder, x, e->types[IR_I32], "");
}

static LLVMValueRef as_float(struct emitter *e, LLVMValueRef bits)
{
    return LLVMBuildBitCast(e->builder, bits, e->types[IR_F32], "");
}

static LLVMValueRef chosen(struct emitter *e, LLVMIntPredicate predicate, LLVMValueRef x, int64_t limit,
                           LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, predicate, x, word(e, limit), ""), yes, no, "");
}

static bool has_instructions(const struct emitter *e)
{
    return e->target->kind != TARGET_X86 || e->target->has_f16c;
}

// ---- to float ------------------------------------------------------------------------------------------------------

// binary16 by integers. The fields moved to float's place are the value times 2^-112, also below the normal numbers.
static LLVMValueRef widen_by_bits(struct emitter *e, LLVMValueRef wide)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, wide, word(e, 0x8000), ""), word(e, 16), "");
    LLVMValueRef moved = LLVMBuildShl(b, LLVMBuildAnd(b, wide, word(e, 0x7fff), ""), word(e, 13), "");
    LLVMValueRef scale = LLVMConstReal(e->types[IR_F32], 0x1p112);
    LLVMValueRef number = as_bits(e, LLVMBuildFMul(b, as_float(e, moved), scale, ""));
    LLVMValueRef quiet = chosen(e, LLVMIntUGT, moved, 0x7c00 << 13, word(e, 0x7fc00000), word(e, 0x7f800000));
    LLVMValueRef special = LLVMBuildOr(b, moved, quiet, "");
    return as_float(e, LLVMBuildOr(b, chosen(e, LLVMIntUGE, moved, 0x7c00 << 13, special, number), sign, ""));
}

LLVMValueRef emit_half_widen(struct emitter *e, enum ir_type type, LLVMValueRef x)
{
    assert(ir_type_is_half(type));
    LLVMBuilderRef b = e->builder;
    if (type == IR_BF16) {
        LLVMValueRef wide = LLVMBuildZExt(b, x, e->types[IR_I32], "");
        return as_float(e, LLVMBuildShl(b, wide, word(e, 16), ""));
    }
    if (!has_instructions(e)) {
        return widen_by_bits(e, LLVMBuildZExt(b, x, e->types[IR_I32], ""));
    }
    LLVMValueRef half = LLVMBuildBitCast(b, x, LLVMHalfTypeInContext(e->context), "");
    return LLVMBuildFPExt(b, half, e->types[IR_F32], "");
}

// ---- from float ----------------------------------------------------------------------------------------------------

// |bits| without the lowest |count|, rounded to nearest, ties to even; the carry goes up into the exponent.
static LLVMValueRef rounded(struct emitter *e, LLVMValueRef bits, int count)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef last = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, word(e, count), ""), word(e, 1), "");
    LLVMValueRef below = LLVMBuildAdd(b, last, word(e, (1 << (count - 1)) - 1), "");
    return LLVMBuildLShr(b, LLVMBuildAdd(b, bits, below, ""), word(e, count), "");
}

static LLVMValueRef narrow_to_bf16(struct emitter *e, LLVMValueRef bits)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = LLVMBuildAnd(b, bits, word(e, 0x7fffffff), "");
    LLVMValueRef nan = LLVMBuildOr(b, LLVMBuildLShr(b, bits, word(e, 16), ""), word(e, 0x40), "");
    return chosen(e, LLVMIntUGT, size, 0x7f800000, nan, rounded(e, bits, 16));
}

// binary16 by integers. Below its normal numbers, 2^-14, a sum with 1/2 has just its last bit, and float rounds it.
static LLVMValueRef narrow_to_f16(struct emitter *e, LLVMValueRef bits)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = LLVMBuildAnd(b, bits, word(e, 0x7fffffff), "");
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, word(e, 16), ""), word(e, 0x8000), "");
    LLVMValueRef half = LLVMConstReal(e->types[IR_F32], 0.5);
    LLVMValueRef sum = as_bits(e, LLVMBuildFAdd(b, as_float(e, size), half, ""));
    LLVMValueRef small = LLVMBuildSub(b, sum, word(e, 0x3f000000), "");
    LLVMValueRef normal = rounded(e, LLVMBuildSub(b, size, word(e, 0x38000000), ""), 13);
    LLVMValueRef payload = LLVMBuildAnd(b, LLVMBuildLShr(b, size, word(e, 13), ""), word(e, 0x3ff), "");
    LLVMValueRef nan = LLVMBuildOr(b, payload, word(e, 0x7e00), "");
    LLVMValueRef large = chosen(e, LLVMIntUGT, size, 0x7f800000, nan, word(e, 0x7c00));
    LLVMValueRef value = chosen(e, LLVMIntULT, size, 0x38800000, small, normal);
    return LLVMBuildOr(b, chosen(e, LLVMIntUGE, size, 0x477ff000, large, value), sign, "");
}

LLVMValueRef emit_half_narrow(struct emitter *e, enum ir_type type, LLVMValueRef x)
{
    assert(ir_type_is_half(type));
    LLVMBuilderRef b = e->builder;
    if (type == IR_F16 && has_instructions(e)) {
        LLVMValueRef half = LLVMBuildFPTrunc(b, x, LLVMHalfTypeInContext(e->context), "");
        return LLVMBuildBitCast(b, half, e->types[IR_I16], "");
    }
    LLVMValueRef bits = as_bits(e, x);
    LLVMValueRef cut = type == IR_BF16 ? narrow_to_bf16(e, bits) : narrow_to_f16(e, bits);
    return LLVMBuildTrunc(b, cut, e->types[IR_I16], "");
}

// ---- conversions ---------------------------------------------------------------------------------------------------

// A float that rounds to 16 bits as the double does: the nearest one or, if that is even and not exact, the odd one on
// the double's side of it. Two roundings to nearest could both go up.
static LLVMValueRef round_to_odd(struct emitter *e, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef nearest = LLVMBuildFPTrunc(b, x, e->types[IR_F32], "");
    LLVMValueRef back = LLVMBuildFPExt(b, nearest, e->types[IR_F64], "");
    LLVMValueRef bits = as_bits(e, nearest);
    LLVMValueRef is_even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, word(e, 1), ""), word(e, 0), "");
    LLVMValueRef is_inexact = LLVMBuildFCmp(b, LLVMRealONE, back, x, "");
    LLVMValueRef is_beyond =
        LLVMBuildFCmp(b, LLVMRealOGT, emit_intrinsic1(e, "llvm.fabs", back), emit_intrinsic1(e, "llvm.fabs", x), "");
    LLVMValueRef step = LLVMBuildSelect(b, is_beyond, word(e, -1), word(e, 1), "");
    LLVMValueRef moves = LLVMBuildAnd(b, is_even, is_inexact, "");
    return as_float(e, LLVMBuildAdd(b, bits, LLVMBuildSelect(b, moves, step, word(e, 0), ""), ""));
}

// Integers of 64 bits that a double has no room for keep only that there was something below: see half_sticky().
static LLVMValueRef sticky(struct emitter *e, LLVMValueRef x, bool is_signed)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = x;
    if (is_signed) {
        LLVMValueRef args[2] = {x, emit_const(e, IR_I1, 0)};
        size = emit_intrinsic(e, "llvm.abs", (LLVMTypeRef[]){LLVMTypeOf(x)}, 1, args, 2);
    }
    LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, size, emit_i64(e, INT64_C(1) << 53), "");
    LLVMValueRef lost = LLVMBuildAnd(b, size, emit_i64(e, 0xfff), "");
    LLVMValueRef mark = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, lost, emit_i64(e, 0), ""), emit_i64(e, 0x1000),
                                        emit_i64(e, 0), "");
    LLVMValueRef jammed = LLVMBuildOr(b, LLVMBuildXor(b, size, lost, ""), mark, "");
    LLVMValueRef value = LLVMBuildUIToFP(b, LLVMBuildSelect(b, is_large, jammed, size, ""), e->types[IR_F64], "");
    if (!is_signed) {
        return value;
    }
    LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, x, emit_i64(e, 0), "");
    return LLVMBuildSelect(b, is_negative, LLVMBuildFNeg(b, value, ""), value, "");
}

static LLVMValueRef from_integer(struct emitter *e, const struct ir_inst *inst, LLVMValueRef x)
{
    enum ir_type from = inst->args[0]->type;
    bool is_signed = inst->op == IR_OP_SITOFP && from != IR_I1;
    if (inst->type == IR_BF16 && from == IR_I64) {
        return emit_half_narrow(e, inst->type, round_to_odd(e, sticky(e, x, is_signed)));
    }
    // What float does not hold exactly is infinite as binary16; double holds all of 32 bits.
    LLVMTypeRef type = e->types[inst->type == IR_BF16 ? IR_F64 : IR_F32];
    LLVMValueRef value =
        is_signed ? LLVMBuildSIToFP(e->builder, x, type, "") : LLVMBuildUIToFP(e->builder, x, type, "");
    return emit_half_narrow(e, inst->type, inst->type == IR_BF16 ? round_to_odd(e, value) : value);
}

LLVMValueRef emit_half_conversion(struct emitter *e, const struct ir_inst *inst, LLVMValueRef x)
{
    enum ir_type from = inst->args[0]->type;
    switch (inst->op) {
    case IR_OP_SITOFP:
    case IR_OP_UITOFP: return from_integer(e, inst, x);
    case IR_OP_FPTRUNC: return emit_half_narrow(e, inst->type, from == IR_F64 ? round_to_odd(e, x) : x);
    case IR_OP_FPEXT: {
        LLVMValueRef wide = emit_half_widen(e, from, x);
        return inst->type == IR_F64 ? LLVMBuildFPExt(e->builder, wide, e->types[IR_F64], "") : wide;
    }
    default: assert(inst->op == IR_OP_BITCAST); return x; // it is an integer already
    }
}

// ---- constants and signs -------------------------------------------------------------------------------------------

LLVMValueRef emit_real(struct emitter *e, enum ir_type type, double value)
{
    assert(ir_type_is_float(type));
    return ir_type_is_half(type) ? LLVMConstInt(e->types[type], half_bits(value, type == IR_BF16), false)
                                 : LLVMConstReal(e->types[type], value);
}

LLVMValueRef emit_negated(struct emitter *e, enum ir_type type, LLVMValueRef x)
{
    return ir_type_is_half(type) ? LLVMBuildXor(e->builder, x, emit_const(e, IR_I16, 0x8000), "")
                                 : LLVMBuildFNeg(e->builder, x, "");
}
