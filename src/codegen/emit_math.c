// Math functions: instructions where there are some, bit operations for what takes floats apart, calls for the rest.
#include "codegen/emit.h"

#include "codegen/math.h"

#include <assert.h>

// The layout of a float type, as integers of the same size.
struct float_parts {
    enum ir_type type;
    enum ir_type as;
    int mantissa; // bits
    int64_t mask; // of the exponent, shifted down
    int64_t bias;
};

static struct float_parts parts_of(enum ir_type type)
{
    assert(ir_type_is_float(type));
    return type == IR_F32 ? (struct float_parts){IR_F32, IR_I32, 23, 0xff, 127}
                          : (struct float_parts){IR_F64, IR_I64, 52, 0x7ff, 1023};
}

static LLVMValueRef real(struct emitter *e, enum ir_type type, double value)
{
    assert(ir_type_is_float(type));
    return LLVMConstReal(e->types[type], value);
}

// 2 to the power of a constant that the type holds.
static LLVMValueRef power(struct emitter *e, enum ir_type type, int exponent)
{
    double value = 1.0;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        value = exponent < 0 ? value / 2 : value * 2;
    }
    return real(e, type, value);
}

static LLVMValueRef bits_of(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->builder, x, e->types[p->as], "");
}

// y < x ? y : x, and the other operand where one is a NaN: of two zeros the first, like the C library, and the same
// bits from the scalar and the vector instruction.
LLVMValueRef emit_minimum(struct emitter *e, LLVMValueRef x, LLVMValueRef y, bool least)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef takes = LLVMBuildFCmp(b, least ? LLVMRealOLT : LLVMRealOGT, y, x, "");
    LLVMValueRef value = LLVMBuildSelect(b, takes, y, x, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), y, value, "");
}

static LLVMValueRef emit_difference(struct emitter *e, enum ir_type type, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef less = LLVMBuildFCmp(e->builder, LLVMRealOLE, x, y, "");
    return LLVMBuildSelect(e->builder, less, real(e, type, 0.0), LLVMBuildFSub(e->builder, x, y, ""), "");
}

// ---- taking floats apart
// ---------------------------------------------------------------------------------------------------------

struct taken_apart {
    LLVMValueRef bits;     // of the value scaled into the normal range
    LLVMValueRef exponent; // biased, of the value itself; i32 or i64
    LLVMValueRef is_zero;
    LLVMValueRef is_special; // infinity or NaN
};

static struct taken_apart take_apart(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    struct taken_apart t;
    LLVMValueRef size = emit_intrinsic1(e, "llvm.fabs", x);
    t.is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, real(e, p->type, 0.0), "");
    LLVMValueRef is_small = LLVMBuildFCmp(b, LLVMRealOLT, size, power(e, p->type, (int)(1 - p->bias)), "");
    LLVMValueRef scaled = LLVMBuildFMul(b, x, power(e, p->type, p->mantissa + 2), "");
    t.bits = bits_of(e, p, LLVMBuildSelect(b, is_small, scaled, x, ""));
    LLVMValueRef shifted = LLVMBuildLShr(b, t.bits, emit_const(e, p->as, p->mantissa), "");
    LLVMValueRef raw = LLVMBuildAnd(b, shifted, emit_const(e, p->as, p->mask), "");
    t.is_special = LLVMBuildICmp(b, LLVMIntEQ, raw, emit_const(e, p->as, p->mask), "");
    LLVMValueRef back =
        LLVMBuildSelect(b, is_small, emit_const(e, p->as, p->mantissa + 2), emit_const(e, p->as, 0), "");
    t.exponent = LLVMBuildSub(b, raw, back, "");
    return t;
}

static LLVMValueRef to_i32(struct emitter *e, const struct float_parts *p, LLVMValueRef value)
{
    return p->as == IR_I32 ? value : LLVMBuildTrunc(e->builder, value, e->types[IR_I32], "");
}

static LLVMValueRef emit_fraction(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    struct taken_apart t = take_apart(e, p, x);
    LLVMValueRef rest = LLVMBuildAnd(b, t.bits, emit_const(e, p->as, ~(p->mask << p->mantissa)), "");
    LLVMValueRef half = LLVMBuildOr(b, rest, emit_const(e, p->as, (p->bias - 1) << p->mantissa), "");
    LLVMValueRef same = LLVMBuildOr(b, t.is_zero, t.is_special, "");
    return LLVMBuildSelect(b, same, x, LLVMBuildBitCast(b, half, e->types[p->type], ""), "");
}

static LLVMValueRef emit_exponent(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    struct taken_apart t = take_apart(e, p, x);
    LLVMValueRef none = LLVMBuildOr(b, t.is_zero, t.is_special, "");
    LLVMValueRef exponent = LLVMBuildSub(b, t.exponent, emit_const(e, p->as, p->bias - 1), "");
    return to_i32(e, p, LLVMBuildSelect(b, none, emit_const(e, p->as, 0), exponent, ""));
}

static LLVMValueRef emit_ilogb(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    struct taken_apart t = take_apart(e, p, x);
    LLVMValueRef value = LLVMBuildSub(b, t.exponent, emit_const(e, p->as, p->bias), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
    LLVMValueRef least = LLVMBuildOr(b, t.is_zero, is_nan, ""); // FP_ILOGB0 and FP_ILOGBNAN are both INT_MIN
    value = LLVMBuildSelect(b, t.is_special, emit_const(e, p->as, INT32_MAX), value, "");
    return to_i32(e, p, LLVMBuildSelect(b, least, emit_const(e, p->as, INT32_MIN), value, ""));
}

static LLVMValueRef emit_logb(struct emitter *e, const struct float_parts *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    struct taken_apart t = take_apart(e, p, x);
    LLVMValueRef whole = LLVMBuildSub(b, t.exponent, emit_const(e, p->as, p->bias), "");
    LLVMValueRef value = LLVMBuildSIToFP(b, whole, e->types[p->type], "");
    value = LLVMBuildSelect(b, t.is_special, LLVMBuildFMul(b, x, x, ""), value, ""); // NaN stays, infinities are +
    return LLVMBuildSelect(b, t.is_zero, real(e, p->type, -__builtin_inf()), value, "");
}

// Two steps of a large factor and one of the rest. Going down, the steps stop short of the subnormals, so that only the
// last product is rounded.
static LLVMValueRef emit_ldexp(struct emitter *e, const struct float_parts *p, LLVMValueRef x, LLVMValueRef n)
{
    LLVMBuilderRef b = e->builder;
    int64_t most = p->bias;
    int64_t least = 1 - p->bias;
    int64_t down = -least - (p->mantissa + 1);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef high = LLVMBuildICmp(b, LLVMIntSGT, n, emit_const(e, IR_I32, most), "");
        LLVMValueRef low = LLVMBuildICmp(b, LLVMIntSLT, n, emit_const(e, IR_I32, least), "");
        LLVMValueRef larger = LLVMBuildFMul(b, x, power(e, p->type, (int)most), "");
        LLVMValueRef smaller = LLVMBuildFMul(b, x, power(e, p->type, (int)-down), "");
        x = LLVMBuildSelect(b, high, larger, LLVMBuildSelect(b, low, smaller, x, ""), "");
        LLVMValueRef less = LLVMBuildSub(b, n, emit_const(e, IR_I32, most), "");
        LLVMValueRef more = LLVMBuildAdd(b, n, emit_const(e, IR_I32, down), "");
        n = LLVMBuildSelect(b, high, less, LLVMBuildSelect(b, low, more, n, ""), "");
    }
    n = emit_intrinsic2(e, "llvm.smin", n, emit_const(e, IR_I32, most));
    n = emit_intrinsic2(e, "llvm.smax", n, emit_const(e, IR_I32, least));
    LLVMValueRef biased = LLVMBuildAdd(b, n, emit_const(e, IR_I32, p->bias), "");
    if (p->as == IR_I64) {
        biased = LLVMBuildZExt(b, biased, e->types[IR_I64], "");
    }
    LLVMValueRef factor = LLVMBuildShl(b, biased, emit_const(e, p->as, p->mantissa), "");
    return LLVMBuildFMul(b, x, LLVMBuildBitCast(b, factor, e->types[p->type], ""), "");
}

static LLVMValueRef emit_nextafter(struct emitter *e, const struct float_parts *p, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = real(e, p->type, 0.0);
    LLVMValueRef rises = LLVMBuildFCmp(b, LLVMRealOLT, x, y, "");
    LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
    LLVMValueRef away = LLVMBuildICmp(b, LLVMIntEQ, rises, positive, "");
    LLVMValueRef step = LLVMBuildSelect(b, away, emit_const(e, p->as, 1), emit_const(e, p->as, -1), "");
    LLVMValueRef bits = LLVMBuildAdd(b, bits_of(e, p, x), step, "");
    LLVMValueRef value = LLVMBuildBitCast(b, bits, e->types[p->type], "");
    LLVMValueRef least = LLVMBuildBitCast(b, emit_const(e, p->as, 1), e->types[p->type], "");
    LLVMValueRef tiny = emit_intrinsic2(e, "llvm.copysign", least, y);
    value = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""), tiny, value, "");
    value = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, y, ""), y, value, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, y, "");
    return LLVMBuildSelect(b, is_nan, LLVMBuildFAdd(b, x, y, ""), value, "");
}

// ---- calls with an out-parameter
// ---------------------------------------------------------------------------------------------------

// lgamma_r and remquo, which write an int through their last parameter.
static LLVMValueRef call_with_int(struct emitter *e, enum ir_type type, const char *name, LLVMValueRef *args, int count,
                                  LLVMValueRef *out_int)
{
    LLVMTypeRef t = e->types[type];
    LLVMTypeRef params[3] = {t, t, t};
    params[count] = e->types[IR_PTR];
    LLVMTypeRef function_type = LLVMFunctionType(t, params, (unsigned)count + 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    if (function == NULL) {
        function = LLVMAddFunction(e->llvm, name, function_type);
        emit_attribute(e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
        emit_attribute(e, function, LLVMAttributeFunctionIndex, "nobuiltin", 0);
    }
    LLVMValueRef all[3] = {args[0], args[1], NULL};
    all[count] = emit_alloca(e, e->types[IR_I32], 4, "int");
    LLVMBuildStore(e->builder, emit_const(e, IR_I32, 0), all[count]); // remquo writes nothing if its result is a NaN
    LLVMValueRef value = LLVMBuildCall2(e->builder, function_type, function, all, (unsigned)count + 1, "");
    *out_int = LLVMBuildLoad2(e->builder, e->types[IR_I32], all[count], "");
    return value;
}

static LLVMValueRef emit_library(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args)
{
    int count = ir_math_arg_count(math);
    if (target_is_gpu(e->target)) {
        return math_call_gpu(e, math, type, args, count);
    }
    LLVMValueRef number;
    if (math == IR_MATH_LGAMMA) { // lgamma itself writes a global
        return call_with_int(e, type, type == IR_F32 ? "lgammaf_r" : "lgamma_r", args, 1, &number);
    }
    if (math == IR_MATH_REMQUO_BITS) {
        (void)call_with_int(e, type, type == IR_F32 ? "remquof" : "remquo", args, 2, &number);
        return number;
    }
    return math_call_cpu(e, math, type, args, count);
}

static const char *intrinsic_of(enum ir_math math)
{
    switch (math) {
    case IR_MATH_CEIL: return "llvm.ceil";
    case IR_MATH_COPYSIGN: return "llvm.copysign";
    case IR_MATH_FABS: return "llvm.fabs";
    case IR_MATH_FLOOR: return "llvm.floor";
    case IR_MATH_NEARBYINT: return "llvm.nearbyint";
    case IR_MATH_RINT: return "llvm.rint";
    case IR_MATH_ROUND: return "llvm.round";
    case IR_MATH_SQRT: return "llvm.sqrt";
    case IR_MATH_TRUNC: return "llvm.trunc";
    default: return NULL;
    }
}

LLVMValueRef emit_math(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_MATH && inst->imm >= 0 && inst->imm < IR_MATH_COUNT);
    enum ir_math math = (enum ir_math)inst->imm;
    enum ir_type type = inst->args[0]->type;
    struct float_parts parts = parts_of(type);
    LLVMValueRef args[3] = {0};
    for (int i = 0; i < inst->arg_count && i < 3; i++) {
        args[i] = emit_value(e, inst->args[i]);
    }
    const char *intrinsic = intrinsic_of(math);
    if (intrinsic != NULL) {
        return inst->arg_count == 1 ? emit_intrinsic1(e, intrinsic, args[0])
                                    : emit_intrinsic2(e, intrinsic, args[0], args[1]);
    }
    switch (math) {
    case IR_MATH_FMIN: return emit_minimum(e, args[0], args[1], true);
    case IR_MATH_FMAX: return emit_minimum(e, args[0], args[1], false);
    case IR_MATH_FDIM: return emit_difference(e, type, args[0], args[1]);
    case IR_MATH_FREXP_FRACTION: return emit_fraction(e, &parts, args[0]);
    case IR_MATH_FREXP_EXPONENT: return emit_exponent(e, &parts, args[0]);
    case IR_MATH_ILOGB: return emit_ilogb(e, &parts, args[0]);
    case IR_MATH_LOGB: return emit_logb(e, &parts, args[0]);
    case IR_MATH_LDEXP: return emit_ldexp(e, &parts, args[0], args[1]);
    case IR_MATH_NEXTAFTER: return emit_nextafter(e, &parts, args[0], args[1]);
    default: return emit_library(e, math, type, args);
    }
}
