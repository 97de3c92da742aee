#ifndef __RILL_MATH_H
#define __RILL_MATH_H

typedef float float_t;
typedef double double_t;

#define NAN __rill_nan__
#define INFINITY __rill_inf__
#define HUGE_VALF INFINITY
#define HUGE_VAL ((double)INFINITY)
#define HUGE_VALL ((long double)INFINITY)

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define FP_FAST_FMA 1
#define FP_FAST_FMAF 1
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0

#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

#define __RILL_MATH_1(name)                                                                                            \
    double name(double);                                                                                               \
    float name##f(float);                                                                                              \
    long double name##l(long double);
#define __RILL_MATH_2(name)                                                                                            \
    double name(double, double);                                                                                       \
    float name##f(float, float);                                                                                       \
    long double name##l(long double, long double);

__RILL_MATH_1(acos)
__RILL_MATH_1(asin)
__RILL_MATH_1(atan)
__RILL_MATH_2(atan2)
__RILL_MATH_1(cos)
__RILL_MATH_1(sin)
__RILL_MATH_1(tan)
__RILL_MATH_1(acosh)
__RILL_MATH_1(asinh)
__RILL_MATH_1(atanh)
__RILL_MATH_1(cosh)
__RILL_MATH_1(sinh)
__RILL_MATH_1(tanh)
__RILL_MATH_1(exp)
__RILL_MATH_1(exp2)
__RILL_MATH_1(expm1)
__RILL_MATH_1(log)
__RILL_MATH_1(log10)
__RILL_MATH_1(log1p)
__RILL_MATH_1(log2)
__RILL_MATH_1(logb)
__RILL_MATH_1(cbrt)
__RILL_MATH_1(fabs)
__RILL_MATH_2(hypot)
__RILL_MATH_2(pow)
__RILL_MATH_1(sqrt)
__RILL_MATH_1(erf)
__RILL_MATH_1(erfc)
__RILL_MATH_1(lgamma)
__RILL_MATH_1(tgamma)
__RILL_MATH_1(ceil)
__RILL_MATH_1(floor)
__RILL_MATH_1(nearbyint)
__RILL_MATH_1(rint)
__RILL_MATH_1(round)
__RILL_MATH_1(trunc)
__RILL_MATH_2(fmod)
__RILL_MATH_2(remainder)
__RILL_MATH_2(copysign)
__RILL_MATH_2(nextafter)
__RILL_MATH_2(fdim)
__RILL_MATH_2(fmax)
__RILL_MATH_2(fmin)

#undef __RILL_MATH_1
#undef __RILL_MATH_2

double fma(double, double, double);
float fmaf(float, float, float);
long double fmal(long double, long double, long double);
int ilogb(double);
int ilogbf(float);
int ilogbl(long double);
double ldexp(double, int);
float ldexpf(float, int);
long double ldexpl(long double, int);
double frexp(double, int *);
float frexpf(float, int *);
long double frexpl(long double, int *);
double remquo(double, double, int *);
float remquof(float, float, int *);
long double remquol(long double, long double, int *);
double nexttoward(double, long double);
float nexttowardf(float, long double);
long double nexttowardl(long double, long double);
long double modfl(long double, long double *);
long double nanl(const char *);
long double scalbnl(long double, int);
long double scalblnl(long double, long);
long lrintl(long double);
long lroundl(long double);
long long llrintl(long double);
long long llroundl(long double);

// These are other functions and a conversion, which saturates as every conversion to an integer does.
static inline long lrint(double x)
{
    return (long)rint(x);
}
static inline long lrintf(float x)
{
    return (long)rintf(x);
}
static inline long long llrint(double x)
{
    return (long long)rint(x);
}
static inline long long llrintf(float x)
{
    return (long long)rintf(x);
}
static inline long lround(double x)
{
    return (long)round(x);
}
static inline long lroundf(float x)
{
    return (long)roundf(x);
}
static inline long long llround(double x)
{
    return (long long)round(x);
}
static inline long long llroundf(float x)
{
    return (long long)roundf(x);
}

static inline int __rill_scale(long n)
{
    return n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n;
}
static inline double scalbn(double x, int n)
{
    return ldexp(x, n);
}
static inline float scalbnf(float x, int n)
{
    return ldexpf(x, n);
}
static inline double scalbln(double x, long n)
{
    return ldexp(x, __rill_scale(n));
}
static inline float scalblnf(float x, long n)
{
    return ldexpf(x, __rill_scale(n));
}

static inline double modf(double x, double *whole)
{
    double rest = x - trunc(x);
    *whole = trunc(x);
    return copysign(rest != rest && x == x ? 0.0 : rest, x);
}

static inline float modff(float x, float *whole)
{
    float rest = x - truncf(x);
    *whole = truncf(x);
    return copysignf(rest != rest && x == x ? 0.0f : rest, x);
}

// All NaNs are one.
static inline double nan(const char *tag)
{
    (void)tag;
    return (double)NAN;
}

static inline float nanf(const char *tag)
{
    (void)tag;
    return NAN;
}

static inline int __rill_isnan(double x)
{
    return x != x;
}
static inline int __rill_isnanf(float x)
{
    return x != x;
}
static inline int __rill_isinf(double x)
{
    return fabs(x) == (double)INFINITY;
}
static inline int __rill_isinff(float x)
{
    return fabsf(x) == INFINITY;
}
static inline int __rill_isinf_sign(double x)
{
    return x == (double)INFINITY ? 1 : x == -(double)INFINITY ? -1 : 0;
}
static inline int __rill_isfinite(double x)
{
    return fabs(x) < (double)INFINITY;
}
static inline int __rill_isfinitef(float x)
{
    return fabsf(x) < INFINITY;
}
static inline int __rill_isnormal(double x)
{
    return fabs(x) >= 0x1p-1022 && fabs(x) < (double)INFINITY;
}
static inline int __rill_isnormalf(float x)
{
    return fabsf(x) >= 0x1p-126f && fabsf(x) < INFINITY;
}
static inline int __rill_signbit(double x)
{
    return copysign(1.0, x) < 0;
}
static inline int __rill_signbitf(float x)
{
    return copysignf(1.0f, x) < 0;
}
static inline int __rill_isunordered(double x, double y)
{
    return x != x || y != y;
}
static inline int __rill_islessgreater(double x, double y)
{
    return x < y || x > y;
}

static inline int __rill_fpclassify(double x)
{
    return x != x                       ? FP_NAN
           : x == 0                     ? FP_ZERO
           : fabs(x) < 0x1p-1022        ? FP_SUBNORMAL
           : fabs(x) < (double)INFINITY ? FP_NORMAL
                                        : FP_INFINITE;
}

static inline int __rill_fpclassifyf(float x)
{
    return x != x                 ? FP_NAN
           : x == 0               ? FP_ZERO
           : fabsf(x) < 0x1p-126f ? FP_SUBNORMAL
           : fabsf(x) < INFINITY  ? FP_NORMAL
                                  : FP_INFINITE;
}

#define __RILL_BY_TYPE(name, x) _Generic((x), float: name##f, default: name)(x)
#define fpclassify(x) __RILL_BY_TYPE(__rill_fpclassify, x)
#define isnan(x) __RILL_BY_TYPE(__rill_isnan, x)
#define isinf(x) __RILL_BY_TYPE(__rill_isinf, x)
#define isfinite(x) __RILL_BY_TYPE(__rill_isfinite, x)
#define isnormal(x) __RILL_BY_TYPE(__rill_isnormal, x)
#define signbit(x) __RILL_BY_TYPE(__rill_signbit, x)

#define __builtin_inf() ((double)INFINITY)
#define __builtin_inff() INFINITY
#define __builtin_huge_val() ((double)INFINITY)
#define __builtin_huge_valf() INFINITY
#define __builtin_nan(tag) ((double)NAN)
#define __builtin_nanf(tag) NAN
#define __builtin_isnan(x) isnan(x)
#define __builtin_isinf(x) isinf(x)
#define __builtin_isinf_sign(x) __rill_isinf_sign(x)
#define __builtin_isfinite(x) isfinite(x)
#define __builtin_isnormal(x) isnormal(x)
#define __builtin_signbit(x) signbit(x)
#define __builtin_signbitf(x) signbit((float)(x))
#define __builtin_isnanf(x) isnan((float)(x))
#define __builtin_isinff(x) isinf((float)(x))
#define __builtin_finite(x) isfinite((double)(x))
#define __builtin_finitef(x) isfinite((float)(x))
#define __builtin_isgreater(x, y) ((x) > (y))
#define __builtin_isgreaterequal(x, y) ((x) >= (y))
#define __builtin_isless(x, y) ((x) < (y))
#define __builtin_islessequal(x, y) ((x) <= (y))
#define __builtin_islessgreater(x, y) islessgreater(x, y)
#define __builtin_isunordered(x, y) isunordered(x, y)

#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define islessgreater(x, y) __rill_islessgreater((x), (y))
#define isunordered(x, y) __rill_isunordered((x), (y))

#endif
