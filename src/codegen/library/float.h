// Single-precision functions for GPUs, written for their arithmetic: a fused multiply-add costs as much as an addition,
// and reciprocals and powers of two are instructions that are nearly right. Every result is within 2 ulp of the exact
// one; docs/math.md has the errors seen.
//
// These files are compiled to bitcode when Rill is built and linked into kernels that call them (math_library.c). They
// hold no tables and no static data: one bitcode serves every GPU. The coefficients come from tools/fit-math.
//
// A function is a short way that nearly every argument takes, and a rare one (huge, subnormal, not finite) in a
// function of its own that is not inlined, so that kernels stay small (but for a few tangents: math_library.c).
#ifndef RILL_CODEGEN_LIBRARY_FLOAT_H
#define RILL_CODEGEN_LIBRARY_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define RARE __attribute__((noinline, cold))
#define PURE __attribute__((const))
#define INLINED __attribute__((always_inline)) // into the kernel
#define RARELY(condition) __builtin_expect(!!(condition), 0)

// Instructions that GPUs have and C does not. math_library.c puts the instruction in place of the call; hardware.c has
// what is computed where there is none.
PURE float rill_hw_exp2(float x);       // within 2 ulp; a result below the normal numbers may be 0
PURE float rill_hw_reciprocal(float x); // within 1 ulp, for x and 1/x normal; infinite for 0, 0 for infinities
PURE float rill_hw_fma_clamped(float a, float b,
                               float c); // a * b + c, cut off at 0 and at 1; a NaN gives a number or a NaN

float rill_f32_cos(float x);
float rill_f32_exp(float x);
float rill_f32_exp2(float x);
float rill_f32_log(float x);
float rill_f32_log10(float x);
float rill_f32_log2(float x);
float rill_f32_pow(float x, float y);
float rill_f32_sin(float x);
float rill_f32_tan(float x);
float rill_f32_tanh(float x);

INLINE float fma_of(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

INLINE float size_of(float x)
{
    return __builtin_fabsf(x);
}

INLINE uint32_t bits_of(float x)
{
    union {
        float number;
        uint32_t bits;
    } both = {.number = x};
    return both.bits;
}

INLINE float with_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float number;
    } both = {.bits = bits};
    return both.number;
}

// Added to a number below 2^22 in size, it leaves the nearest integer in the low bits of the sum.
#define ROUNDER 0x1.8p23f

// Positive, normal, finite.
INLINE bool is_plain(uint32_t bits)
{
    return bits - 0x00800000u < 0x7f000000u;
}

// n * 2^23, an integer, and m with 2^(n + less) m = x, for a plain x; |least| are the bits of the least m.
INLINE float take_apart(uint32_t bits, uint32_t least, int32_t less, float *out_m)
{
    uint32_t exponent = (bits - least) & 0xff800000u;
    *out_m = with_bits(bits - exponent);
    return (float)((int32_t)exponent - (less << 23));
}

#endif
