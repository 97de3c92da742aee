// Products and quotients of complex numbers, as C99's Annex G asks for them: what comes out as two NaNs is computed
// again with infinities in mind. Read before every file that has complex numbers; what is defined here for the
// preprocessor is not seen there.
#ifdef __RILL_COMPLEX_ARITHMETIC
#pragma STDC FP_CONTRACT OFF

#define __RILL_IS_NAN(x) ((x) != (x))
#define __RILL_IS_INF(x) ((x) - (x) != (x) - (x) && (x) == (x))
#define __RILL_IS_FINITE(x) ((x) - (x) == (x) - (x))
#define __RILL_INF (1e308 * 10)

// 1 for an infinity and 0 for all else, with the sign of |x|.
static inline double __rill_complex_unit(double x)
{
    return __builtin_copysign(__RILL_IS_INF(x) ? 1.0 : 0.0, x);
}

static inline double __rill_complex_known(double x)
{
    return __RILL_IS_NAN(x) ? __builtin_copysign(0.0, x) : x;
}

// The same steps for both types: what is infinite or NaN is so in double, too.
static double _Complex __rill_complex_mul_again(double a, double b, double c, double d, int overflows)
{
    int again = overflows;
    if (__RILL_IS_INF(a) || __RILL_IS_INF(b)) {
        a = __rill_complex_unit(a);
        b = __rill_complex_unit(b);
        c = __rill_complex_known(c);
        d = __rill_complex_known(d);
        again = 1;
    }
    if (__RILL_IS_INF(c) || __RILL_IS_INF(d)) {
        c = __rill_complex_unit(c);
        d = __rill_complex_unit(d);
        a = __rill_complex_known(a);
        b = __rill_complex_known(b);
        again = 1;
    }
    if (!again) {
        return __builtin_complex(a * c - b * d, a * d + b * c);
    }
    a = __rill_complex_known(a);
    b = __rill_complex_known(b);
    c = __rill_complex_known(c);
    d = __rill_complex_known(d);
    return __builtin_complex(__RILL_INF * (a * c - b * d), __RILL_INF * (a * d + b * c));
}

static inline double _Complex __rill_complex_mul(double a, double b, double c, double d)
{
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    double x = ac - bd, y = ad + bc;
    if (__RILL_IS_NAN(x) & __RILL_IS_NAN(y)) {
        int overflows = __RILL_IS_INF(ac) || __RILL_IS_INF(bd) || __RILL_IS_INF(ad) || __RILL_IS_INF(bc);
        return __rill_complex_mul_again(a, b, c, d, overflows);
    }
    return __builtin_complex(x, y);
}

static inline float _Complex __rill_complex_mulf(float a, float b, float c, float d)
{
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    float x = ac - bd, y = ad + bc;
    if (__RILL_IS_NAN(x) & __RILL_IS_NAN(y)) {
        int overflows = __RILL_IS_INF(ac) || __RILL_IS_INF(bd) || __RILL_IS_INF(ad) || __RILL_IS_INF(bc);
        return __rill_complex_mul_again(a, b, c, d, overflows);
    }
    return __builtin_complex(x, y);
}

// |z| is two NaNs: of a division by zero, of an infinity by a number, or of a number by an infinity.
static double _Complex __rill_complex_div_again(double a, double b, double c, double d, double _Complex z, int is_float)
{
    double x = __real__ z, y = __imag__ z;
    if (c == 0 && d == 0 && (!__RILL_IS_NAN(a) || !__RILL_IS_NAN(b))) {
        x = __builtin_copysign(__RILL_INF, c) * a;
        y = __builtin_copysign(__RILL_INF, c) * b;
    } else if ((__RILL_IS_INF(a) || __RILL_IS_INF(b)) && __RILL_IS_FINITE(c) && __RILL_IS_FINITE(d)) {
        a = __rill_complex_unit(a);
        b = __rill_complex_unit(b);
        x = __RILL_INF * (a * c + b * d);
        y = __RILL_INF * (b * c - a * d);
    } else if ((__RILL_IS_INF(c) || __RILL_IS_INF(d)) && __RILL_IS_FINITE(a) && __RILL_IS_FINITE(b)) {
        c = __rill_complex_unit(c);
        d = __rill_complex_unit(d);
        x = a * c + b * d;
        y = b * c - a * d;
        x = 0.0 * (is_float ? (float)x : x); // where a float overflows
        y = 0.0 * (is_float ? (float)y : y);
    }
    return __builtin_complex(x, y);
}

// Of (a + b i) / (c + d i) one part, by Smith's method: |l| is the lesser of c and d and |g| the greater, |r| their
// quotient, |whole| the divisor's square by |g|. Where |r| would lose digits, the numerator is divided first.
static inline double __rill_complex_part(double scaled, double plain, double g, double l, double r, double whole)
{
    double by_ratio = (scaled * r + plain) / whole, by_parts = (l * (scaled / g) + plain) / whole;
    return __builtin_fabs(r) > 0x1p-1022 ? by_ratio : by_parts;
}

// With the scaling of Baudin and Smith, so that nothing on the way overflows or loses its digits.
static inline double _Complex __rill_complex_div(double a, double b, double c, double d)
{
    const double least = 0x1p-1022, most = 0x1.fffffffffffffp+1022, up = 0x1p52, high = most * 0x1p-52;
    int swaps = __builtin_fabs(c) < __builtin_fabs(d);
    double size = __builtin_fabs(swaps ? d : c), factor = 1;
    factor = size >= most ? 0.5 : factor;
    a *= factor;
    b *= factor;
    c *= factor;
    d *= factor;
    size *= factor;
    double p = __builtin_fabs(a), q = __builtin_fabs(b);
    int is_small = size < high && ((p < least && q < high) || (q < least && p < high));
    factor = size < 0x1p-52 || is_small ? up : 1;
    a *= factor;
    b *= factor;
    c *= factor;
    d *= factor;
    double g = swaps ? d : c, l = swaps ? c : d, r = l / g, whole = l * r + g;
    double x = __rill_complex_part(swaps ? a : b, swaps ? b : a, g, l, r, whole);
    double y = __rill_complex_part(swaps ? b : -a, swaps ? -a : b, g, l, r, whole);
    if (__RILL_IS_NAN(x) & __RILL_IS_NAN(y)) {
        return __rill_complex_div_again(a, b, c, d, __builtin_complex(x, y), 0);
    }
    return __builtin_complex(x, y);
}

// In double no square of a float overflows.
static inline float _Complex __rill_complex_divf(float a, float b, float c, float d)
{
    double p = a, q = b, r = c, s = d, whole = r * r + s * s;
    float x = (p * r + q * s) / whole, y = (q * r - p * s) / whole;
    if (__RILL_IS_NAN(x) & __RILL_IS_NAN(y)) {
        return __rill_complex_div_again(p, q, r, s, __builtin_complex((double)x, (double)y), 1);
    }
    return __builtin_complex(x, y);
}
#endif
