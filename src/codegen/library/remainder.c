// fmod, remainder and the quotient's low bits, by long division of the significands: exact for every pair of numbers. A
// step is one division of integers and takes 11 bits of the quotient. Floats go through doubles, which changes nothing:
// a remainder of floats is a float.
#include "codegen/library/double.h"

struct division {
    uint64_t rest;     // in units of 2^exponent
    uint64_t divisor;  // the same
    uint64_t quotient; // its low bits
    int32_t exponent;
};

// |x| / |y|, both finite and not 0.
INLINE struct division divide(double x, double y)
{
    int32_t x_exponent;
    int32_t y_exponent;
    uint64_t a = significand_of(x, &x_exponent);
    uint64_t b = significand_of(y, &y_exponent);
    int32_t bits = x_exponent - y_exponent;
    if (bits < 0) { // then |x| < |y|; only the next lower exponent can be more than half of it
        return (struct division){a, bits == -1 ? b << 1 : ~(uint64_t)0, 0, x_exponent};
    }
    uint64_t quotient = a / b;
    uint64_t rest = a % b;
    while (bits > 0) {
        int32_t step = bits < 11 ? bits : 11;
        rest <<= step;
        quotient = (quotient << step) + rest / b;
        rest %= b;
        bits -= step;
    }
    return (struct division){rest, b, quotient, y_exponent};
}

// Whether C gives x itself or a NaN, or there is something to divide.
INLINE bool is_plain_division(double x, double y)
{
    return x != 0.0 && y != 0.0 && size_of_double(x) < __builtin_inf() && size_of_double(y) < __builtin_inf();
}

INLINE double without_division(double x, double y)
{
    if (x != x || y != y || y == 0.0 || size_of_double(x) == __builtin_inf()) {
        return x + y != x + y ? x + y : __builtin_nan("");
    }
    return x;
}

// The nearest multiple is the next one.
INLINE bool rounds_up(const struct division *d)
{
    uint64_t other = d->divisor - d->rest;
    return d->rest > other || (d->rest == other && (d->quotient & 1) != 0);
}

double rill_f64_fmod(double x, double y)
{
    if (!is_plain_division(x, y)) {
        return without_division(x, y);
    }
    struct division d = divide(x, y);
    return __builtin_copysign(scaled(d.rest, d.exponent), x);
}

double rill_f64_remainder(double x, double y)
{
    if (!is_plain_division(x, y)) {
        return without_division(x, y);
    }
    struct division d = divide(x, y);
    if (rounds_up(&d)) {
        return scaled(d.divisor - d.rest, d.exponent) * (x < 0.0 ? 1.0 : -1.0);
    }
    return __builtin_copysign(scaled(d.rest, d.exponent), x);
}

// Three bits of the quotient with its sign, as C asks for.
int32_t rill_f64_remquo_bits(double x, double y)
{
    if (!is_plain_division(x, y)) {
        return 0;
    }
    struct division d = divide(x, y);
    int32_t bits = (int32_t)((d.quotient + (rounds_up(&d) ? 1 : 0)) & 7);
    return (x < 0.0) != (y < 0.0) ? -bits : bits;
}
