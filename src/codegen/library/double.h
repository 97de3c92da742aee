// Double-precision functions for GPUs, in place of those of libclc that are not what C asks for.
#ifndef RILL_CODEGEN_LIBRARY_DOUBLE_H
#define RILL_CODEGEN_LIBRARY_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

double rill_f64_fmod(double x, double y);
double rill_f64_lgamma(double x);
double rill_f64_remainder(double x, double y);
int32_t rill_f64_remquo_bits(double x, double y);
double rill_f64_tgamma(double x);

INLINE double size_of_double(double x)
{
    return __builtin_fabs(x);
}

INLINE uint64_t bits_of_double(double x)
{
    union {
        double number;
        uint64_t bits;
    } both = {.number = x};
    return both.bits;
}

INLINE double double_with_bits(uint64_t bits)
{
    union {
        uint64_t bits;
        double number;
    } both = {.bits = bits};
    return both.number;
}

// |x| as an integer of 53 bits times 2^exponent, for finite numbers other than 0.
INLINE uint64_t significand_of(double x, int32_t *out_exponent)
{
    int32_t less = 0;
    if (size_of_double(x) < 0x1p-1022) {
        x *= 0x1p54;
        less = 54;
    }
    uint64_t bits = bits_of_double(x);
    *out_exponent = (int32_t)(bits >> 52 & 0x7ff) - 1075 - less;
    return (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
}

INLINE double power_of_two(int32_t exponent) // of a normal number
{
    return double_with_bits((uint64_t)(exponent + 1023) << 52);
}

// value * 2^exponent where that is a double.
INLINE double scaled(uint64_t value, int32_t exponent)
{
    int32_t half = exponent / 2;
    return (double)value * power_of_two(half) * power_of_two(exponent - half);
}

#endif
