// The functions of complex.h for parts of the type __RILL_T, whose names are __RILL_F(name). Infinities and NaNs give
// what C99's Annex G says. No guard: complex.h includes it once for each type.
//
// __RILL_LOG_MOST is the largest number whose exp is finite, about; numbers beyond __RILL_MOST and below __RILL_LEAST
// are scaled before they are squared; beside one beyond __RILL_FAR its reciprocal's square is nothing.
#ifdef __RILL_T
#define __RILL_C __RILL_T _Complex

static inline __RILL_T __RILL_F(creal)(__RILL_C z)
{
    return __real__ z;
}

static inline __RILL_T __RILL_F(cimag)(__RILL_C z)
{
    return __imag__ z;
}

static inline __RILL_C __RILL_F(conj)(__RILL_C z)
{
    return ~z;
}

static inline __RILL_T __RILL_F(cabs)(__RILL_C z)
{
    return __RILL_F(hypot)(__real__ z, __imag__ z);
}

static inline __RILL_T __RILL_F(carg)(__RILL_C z)
{
    return __RILL_F(atan2)(__imag__ z, __real__ z);
}

static inline __RILL_C __RILL_F(cproj)(__RILL_C z)
{
    if (isinf(__real__ z) || isinf(__imag__ z)) {
        return __builtin_complex((__RILL_T)INFINITY, __RILL_F(copysign)(0, __imag__ z));
    }
    return z;
}

// i z, and -i z.
static inline __RILL_C __RILL_F(__rill_turned)(__RILL_C z)
{
    return __builtin_complex(-__imag__ z, __real__ z);
}

static inline __RILL_C __RILL_F(__rill_turned_back)(__RILL_C z)
{
    return __builtin_complex(__imag__ z, -__real__ z);
}

// ---- exponential functions

// factor exp(x) (cos(y) + i sin(y)), also where exp(x) alone is too large.
static inline __RILL_C __RILL_F(__rill_cis)(__RILL_T x, __RILL_T y, __RILL_T factor)
{
    const __RILL_T most = __RILL_LOG_MOST;
    for (int k = 0; k < 2 && x > most && x <= 3 * most; k++) {
        x -= most;
        factor *= __RILL_F(exp)(most);
    }
    __RILL_T size = __RILL_F(exp)(x);
    return __builtin_complex(size * __RILL_F(cos)(y) * factor, size * __RILL_F(sin)(y) * factor);
}

static inline __RILL_C __RILL_F(cexp)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (y == 0) {
        return __builtin_complex(__RILL_F(exp)(x), y);
    }
    if (isinf(x) && !isfinite(y)) {
        return x < 0 ? __builtin_complex((__RILL_T)0, __RILL_F(copysign)(0, y)) : __builtin_complex(x, y - y);
    }
    return __RILL_F(__rill_cis)(x, y, 1);
}

static inline __RILL_C __RILL_F(csinh)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (y == 0) {
        return __builtin_complex(__RILL_F(sinh)(x), y);
    }
    if ((x == 0 || isinf(x)) && !isfinite(y)) {
        return __builtin_complex(x, y - y);
    }
    if (__RILL_F(fabs)(x) < 30) {
        return __builtin_complex(__RILL_F(sinh)(x) * __RILL_F(cos)(y), __RILL_F(cosh)(x) * __RILL_F(sin)(y));
    }
    __RILL_C e = __RILL_F(__rill_cis)(__RILL_F(fabs)(x), y, (__RILL_T)0.5);
    return x < 0 ? __builtin_complex(-__real__ e, __imag__ e) : e;
}

static inline __RILL_C __RILL_F(ccosh)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (y == 0) {
        return __builtin_complex(__RILL_F(cosh)(x), __RILL_F(copysign)(1, x) * y);
    }
    if (x == 0 && !isfinite(y)) {
        return __builtin_complex(y - y, x);
    }
    if (isinf(x) && !isfinite(y)) {
        return __builtin_complex(__RILL_F(fabs)(x), y - y);
    }
    if (__RILL_F(fabs)(x) < 30) {
        return __builtin_complex(__RILL_F(cosh)(x) * __RILL_F(cos)(y), __RILL_F(sinh)(x) * __RILL_F(sin)(y));
    }
    __RILL_C e = __RILL_F(__rill_cis)(__RILL_F(fabs)(x), y, (__RILL_T)0.5);
    return x < 0 ? __builtin_complex(__real__ e, -__imag__ e) : e;
}

static inline __RILL_C __RILL_F(ctanh)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (y == 0) {
        return __builtin_complex(__RILL_F(tanh)(x), y);
    }
    if (isinf(x)) {
        __RILL_T sign = isfinite(y) ? __RILL_F(sin)(y) * __RILL_F(cos)(y) : y;
        return __builtin_complex(__RILL_F(copysign)(1, x), __RILL_F(copysign)(0, sign));
    }
    if (!isfinite(y)) {
        return __builtin_complex(x == 0 ? x : y - y, y - y);
    }
    if (__RILL_F(fabs)(x) > 30) {
        __RILL_T small = __RILL_F(exp)(-__RILL_F(fabs)(x));
        return __builtin_complex(__RILL_F(copysign)(1, x), 4 * __RILL_F(sin)(y) * __RILL_F(cos)(y) * small * small);
    }
    __RILL_T t = __RILL_F(tan)(y), s = __RILL_F(sinh)(x), square = 1 + t * t, root = __RILL_F(sqrt)(1 + s * s);
    __RILL_T under = 1 + square * s * s;
    return isinf(t) ? __builtin_complex(root / s, 1 / t) : __builtin_complex(square * root * s / under, t / under);
}

static inline __RILL_C __RILL_F(csin)(__RILL_C z)
{
    return __RILL_F(__rill_turned_back)(__RILL_F(csinh)(__RILL_F(__rill_turned)(z)));
}

static inline __RILL_C __RILL_F(ccos)(__RILL_C z)
{
    return __RILL_F(ccosh)(__RILL_F(__rill_turned)(z));
}

static inline __RILL_C __RILL_F(ctan)(__RILL_C z)
{
    return __RILL_F(__rill_turned_back)(__RILL_F(ctanh)(__RILL_F(__rill_turned)(z)));
}

// ---- roots and logarithms

static inline __RILL_C __RILL_F(csqrt)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z, scale = 1;
    if (x == 0 && y == 0) {
        return __builtin_complex((__RILL_T)0, y);
    }
    if (isinf(y)) {
        return __builtin_complex(__RILL_F(fabs)(y), y);
    }
    if (isinf(x)) {
        return x < 0 ? __builtin_complex(__RILL_F(fabs)(y - y), __RILL_F(copysign)(x, y))
                     : __builtin_complex(x, __RILL_F(copysign)(y - y, y));
    }
    if (__RILL_F(fabs)(x) > __RILL_MOST || __RILL_F(fabs)(y) > __RILL_MOST) {
        x *= (__RILL_T)0.0625;
        y *= (__RILL_T)0.0625;
        scale = 4;
    } else if (__RILL_F(fabs)(x) < __RILL_LEAST && __RILL_F(fabs)(y) < __RILL_LEAST) {
        x *= (__RILL_T)0x1p100;
        y *= (__RILL_T)0x1p100;
        scale = (__RILL_T)0x1p-50;
    }
    __RILL_T root = __RILL_F(sqrt)((__RILL_F(fabs)(x) + __RILL_F(hypot)(x, y)) / 2), other = y / (2 * root);
    if (x < 0) {
        return __builtin_complex(__RILL_F(fabs)(other) * scale, __RILL_F(copysign)(root, y) * scale);
    }
    return __builtin_complex(root * scale, other * scale);
}

// The logarithm of |z|, without loss near 1.
static inline __RILL_T __RILL_F(__rill_log_abs)(__RILL_T x, __RILL_T y)
{
    __RILL_T large = __RILL_F(fabs)(x), small = __RILL_F(fabs)(y);
    if (large < small) {
        __RILL_T t = large;
        large = small;
        small = t;
    }
    if (large > (__RILL_T)0.5 && large < 3) {
        return __RILL_F(log1p)(__RILL_F(fma)(small, small, (large - 1) * (large + 1))) / 2;
    }
    if (large > __RILL_MOST) {
        return __RILL_F(log)(__RILL_F(hypot)(large / 16, small / 16)) + __RILL_F(log)(16);
    }
    return __RILL_F(log)(__RILL_F(hypot)(x, y));
}

static inline __RILL_C __RILL_F(clog)(__RILL_C z)
{
    return __builtin_complex(__RILL_F(__rill_log_abs)(__real__ z, __imag__ z), __RILL_F(carg)(z));
}

static inline __RILL_C __RILL_F(cpow)(__RILL_C z, __RILL_C exponent)
{
    return __RILL_F(cexp)(exponent * __RILL_F(clog)(z));
}

// ---- inverse functions, by Kahan's formulas

static inline int __RILL_F(__rill_is_far)(__RILL_C z)
{
    return !(__RILL_F(fabs)(__real__ z) < __RILL_FAR && __RILL_F(fabs)(__imag__ z) < __RILL_FAR);
}

static inline __RILL_C __RILL_F(casin)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (__RILL_F(__rill_is_far)(z)) {
        __RILL_T size = __RILL_F(__rill_log_abs)(x, y) + __RILL_F(log)(2);
        return __builtin_complex(x == 0 ? x : __RILL_F(atan2)(x, __RILL_F(fabs)(y)), __RILL_F(copysign)(size, y));
    }
    __RILL_C less = __RILL_F(csqrt)(1 - z), more = __RILL_F(csqrt)(1 + z);
    __RILL_T under = __real__ less * __real__ more - __imag__ less * __imag__ more;
    __RILL_T side = __real__ less * __imag__ more - __imag__ less * __real__ more;
    return __builtin_complex(__RILL_F(atan2)(x, under), __RILL_F(asinh)(side));
}

static inline __RILL_C __RILL_F(cacos)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (__RILL_F(__rill_is_far)(z)) {
        __RILL_T size = __RILL_F(__rill_log_abs)(x, y) + __RILL_F(log)(2);
        return __builtin_complex(__RILL_F(atan2)(__RILL_F(fabs)(y), x), -__RILL_F(copysign)(size, y));
    }
    __RILL_C less = __RILL_F(csqrt)(1 - z), more = __RILL_F(csqrt)(1 + z);
    __RILL_T side = __real__ more * __imag__ less - __imag__ more * __real__ less;
    return __builtin_complex(2 * __RILL_F(atan2)(__real__ less, __real__ more), __RILL_F(asinh)(side));
}

static inline __RILL_C __RILL_F(cacosh)(__RILL_C z)
{
    __RILL_T x = __real__ z, y = __imag__ z;
    if (__RILL_F(__rill_is_far)(z)) {
        return __builtin_complex(__RILL_F(__rill_log_abs)(x, y) + __RILL_F(log)(2), __RILL_F(atan2)(y, x));
    }
    __RILL_C less = __RILL_F(csqrt)(z - 1), more = __RILL_F(csqrt)(z + 1);
    __RILL_T side = __real__ less * __real__ more + __imag__ less * __imag__ more;
    return __builtin_complex(__RILL_F(asinh)(side), 2 * __RILL_F(atan2)(__imag__ less, __real__ more));
}

static inline __RILL_C __RILL_F(casinh)(__RILL_C z)
{
    return __RILL_F(__rill_turned_back)(__RILL_F(casin)(__RILL_F(__rill_turned)(z)));
}

static inline __RILL_C __RILL_F(catanh)(__RILL_C z)
{
    const __RILL_T quarter = (__RILL_T)1.57079632679489661923;
    __RILL_T x = __RILL_F(fabs)(__real__ z), y = __imag__ z, re, im;
    if (isnan(x) || isnan(y)) {
        re = isinf(x) || isinf(y) || x == 0 ? 0 : x + y;
        im = isinf(y) ? __RILL_F(copysign)(quarter, y) : x + y;
    } else if (__RILL_F(__rill_is_far)(z)) {
        __RILL_T size = __RILL_F(hypot)(x, y);
        re = isinf(size) ? 0 : x / size / size;
        im = __RILL_F(copysign)(quarter, y) - (isinf(size) ? 0 : y / size / size);
    } else {
        __RILL_T square = (1 - x) * (1 - x) + y * y;
        re = square < (__RILL_T)0x1p-50 ? __RILL_F(log)(4 * x) / 4 - __RILL_F(log)(__RILL_F(hypot)(1 - x, y)) / 2
                                        : __RILL_F(log1p)(4 * x / square) / 4;
        im = __RILL_F(atan2)(2 * y, (1 - x) * (1 + x) - y * y) / 2;
    }
    return __builtin_complex(__RILL_F(copysign)(re, __real__ z), im);
}

static inline __RILL_C __RILL_F(catan)(__RILL_C z)
{
    return __RILL_F(__rill_turned_back)(__RILL_F(catanh)(__RILL_F(__rill_turned)(z)));
}

#undef __RILL_C
#endif
