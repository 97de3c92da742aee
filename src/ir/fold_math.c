// The math functions by the C library. A function of f32 is the library's own float form, not the double one rounded.
#include "ir/ir.h"

#include <math.h>

static bool is_integer_result(enum ir_math math)
{
    return math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
}

static int64_t integer_f32(enum ir_math math, float x, float y)
{
    int result = 0;
    switch (math) {
    case IR_MATH_ILOGB: return ilogbf(x);
    case IR_MATH_FREXP_EXPONENT: (void)frexpf(x, &result); return isfinite(x) ? result : 0;
    case IR_MATH_REMQUO_BITS: (void)remquof(x, y, &result); return result;
    default: return 0;
    }
}

static int64_t integer_f64(enum ir_math math, double x, double y)
{
    int result = 0;
    switch (math) {
    case IR_MATH_ILOGB: return ilogb(x);
    case IR_MATH_FREXP_EXPONENT: (void)frexp(x, &result); return isfinite(x) ? result : 0;
    case IR_MATH_REMQUO_BITS: (void)remquo(x, y, &result); return result;
    default: return 0;
    }
}

// X(NAME, function) for the functions whose C names only take an `f` for float.
#define MATH_UNARY(X)                                                                                                  \
    X(ACOS, acos)                                                                                                      \
    X(ACOSH, acosh)                                                                                                    \
    X(ASIN, asin)                                                                                                      \
    X(ASINH, asinh)                                                                                                    \
    X(ATAN, atan)                                                                                                      \
    X(ATANH, atanh)                                                                                                    \
    X(CBRT, cbrt)                                                                                                      \
    X(CEIL, ceil)                                                                                                      \
    X(COS, cos)                                                                                                        \
    X(COSH, cosh)                                                                                                      \
    X(ERF, erf)                                                                                                        \
    X(ERFC, erfc)                                                                                                      \
    X(EXP, exp)                                                                                                        \
    X(EXP2, exp2)                                                                                                      \
    X(EXPM1, expm1)                                                                                                    \
    X(FABS, fabs)                                                                                                      \
    X(FLOOR, floor)                                                                                                    \
    X(LOG, log)                                                                                                        \
    X(LOG10, log10)                                                                                                    \
    X(LOG1P, log1p)                                                                                                    \
    X(LOG2, log2)                                                                                                      \
    X(LOGB, logb)                                                                                                      \
    X(NEARBYINT, nearbyint)                                                                                            \
    X(RINT, rint)                                                                                                      \
    X(ROUND, round)                                                                                                    \
    X(SIN, sin)                                                                                                        \
    X(SINH, sinh)                                                                                                      \
    X(SQRT, sqrt)                                                                                                      \
    X(TAN, tan)                                                                                                        \
    X(TANH, tanh)                                                                                                      \
    X(TGAMMA, tgamma)                                                                                                  \
    X(TRUNC, trunc)
#define MATH_BINARY(X)                                                                                                 \
    X(ATAN2, atan2)                                                                                                    \
    X(COPYSIGN, copysign)                                                                                              \
    X(FDIM, fdim)                                                                                                      \
    X(FMAX, fmax)                                                                                                      \
    X(FMIN, fmin)                                                                                                      \
    X(FMOD, fmod)                                                                                                      \
    X(HYPOT, hypot)                                                                                                    \
    X(NEXTAFTER, nextafter)                                                                                            \
    X(POW, pow)                                                                                                        \
    X(REMAINDER, remainder)

static bool float_f32(enum ir_math math, float x, float y, int exponent, float *out)
{
    int unused;
    switch (math) {
#define MATH_CASE(name, function)                                                                                      \
    case IR_MATH_##name: *out = function##f(x); return true;
        MATH_UNARY(MATH_CASE)
#undef MATH_CASE
#define MATH_CASE(name, function)                                                                                      \
    case IR_MATH_##name: *out = function##f(x, y); return true;
        MATH_BINARY(MATH_CASE)
#undef MATH_CASE
    case IR_MATH_LDEXP: *out = ldexpf(x, exponent); return true;
    case IR_MATH_LGAMMA: *out = lgammaf_r(x, &unused); return true; // lgammaf writes the global signgam
    case IR_MATH_FREXP_FRACTION: *out = frexpf(x, &unused); return true;
    default: return false;
    }
}

static bool float_f64(enum ir_math math, double x, double y, int exponent, double *out)
{
    int unused;
    switch (math) {
#define MATH_CASE(name, function)                                                                                      \
    case IR_MATH_##name: *out = function(x); return true;
        MATH_UNARY(MATH_CASE)
#undef MATH_CASE
#define MATH_CASE(name, function)                                                                                      \
    case IR_MATH_##name: *out = function(x, y); return true;
        MATH_BINARY(MATH_CASE)
#undef MATH_CASE
    case IR_MATH_LDEXP: *out = ldexp(x, exponent); return true;
    case IR_MATH_LGAMMA: *out = lgamma_r(x, &unused); return true;
    case IR_MATH_FREXP_FRACTION: *out = frexp(x, &unused); return true;
    default: return false;
    }
}

bool ir_fold_math(enum ir_math math, enum ir_type arg_type, const union ir_value *args, union ir_value *out)
{
    if ((unsigned)math >= IR_MATH_COUNT || !ir_type_is_float(arg_type)) {
        return false;
    }
    double x = args[0].f;
    double y = ir_math_arg_count(math) > 1 && math != IR_MATH_LDEXP ? args[1].f : 0;
    int exponent = math == IR_MATH_LDEXP ? (int)args[1].i : 0;
    if (is_integer_result(math)) {
        out->i = arg_type == IR_F32 ? integer_f32(math, (float)x, (float)y) : integer_f64(math, x, y);
        return true;
    }
    if (arg_type == IR_F64) {
        return float_f64(math, x, y, exponent, &out->f);
    }
    float result;
    if (!float_f32(math, (float)x, (float)y, exponent, &result)) {
        return false;
    }
    out->f = (double)result;
    return true;
}
