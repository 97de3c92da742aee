// pow. The logarithm is needed to 32 bits, since the power may multiply its error by 128: it is the sum of two floats,
// and so are the terms that matter in it.
#include "codegen/library/float.h"

#define LARGE 0x1p70f // exponents beyond it overflow, underflow or change nothing

struct pair {
    float high;
    float low;
};

// The sum, for |a| >= |b| or a == 0.
INLINE struct pair sum_of(float a, float b)
{
    float high = a + b;
    return (struct pair){high, b - (high - a)};
}

// log2 of a plain number m 2^(n + less), less |less|: 2 / ln 2 * (s + s^3 / 3 + s^5 / 5 ...) with
// s = (m - 1) / (m + 1), and n.
INLINE struct pair log2_pair(uint32_t bits, int32_t less)
{
    float m;
    float n = take_apart(bits, 0x3f3504f3u, less, &m) * 0x1p-23f; // m from sqrt(1/2)
    float f = m - 1.0f;
    float inverse = rill_hw_reciprocal(m + 1.0f);
    float s = f * inverse;
    float s_low = fma_of(-s, f, fma_of(-2.0f, s, f)) * inverse;

    float z = s * s;
    float z_low = fma_of(s, s, -z);
    z_low = fma_of(s + s, s_low, z_low);
    float q = fma_of(z, 0x1.d818bcp-4f, 0x1.2479eep-3f);
    q = fma_of(q, z, 0x1.9999a4p-3f);
    struct pair p = sum_of(0x1.555556p-2f, q * z); // 1/3 and a little more
    p.low += -0x1.555556p-27f;

    float a = s * 0x1.715476p+1f; // 2 / ln 2
    float a_low = fma_of(s, 0x1.715476p+1f, -a);
    a_low = fma_of(s_low, 0x1.715476p+1f, fma_of(s, 0x1.4ae0cp-25f, a_low));

    float w = a * z;
    float w_low = fma_of(a, z, -w);
    w_low = fma_of(a_low, z, fma_of(a, z_low, w_low));
    float b = w * p.high;
    float b_low = fma_of(w, p.high, -b);
    b_low = fma_of(w_low, p.high, fma_of(w, p.low, b_low));

    struct pair sum = sum_of(n, a);
    struct pair all = sum_of(sum.high, b);
    all.low += sum.low + (a_low + b_low);
    return all;
}

// x^y for a plain x divided by 2^less; |y| up to LARGE. The end is that of exp.
INLINE float power_of(uint32_t bits, int32_t less, float y)
{
    struct pair log = log2_pair(bits, less);
    float high = y * log.high;
    float low = fma_of(y, log.low, fma_of(y, log.high, -high));
    float part = rill_hw_fma_clamped(high, 0x1.041042p-8f, 0.5f - 0.5f / 252.0f); // 1 / 252
    float rounded = fma_of(part, 252.0f, ROUNDER + 1.0f);
    float r = high - (rounded - (ROUNDER + 127.0f)) + low;
    return rill_hw_exp2(r) * with_bits(bits_of(rounded) << 23);
}

// 0: no integer; 1: odd; 2: even. Every float of at least 2^24 is an even integer.
INLINE int parity_of(float y)
{
    if (size_of(y) >= 0x1p24f) {
        return 2;
    }
    int32_t whole = (int32_t)y;
    return (float)whole != y ? 0 : (whole & 1) != 0 ? 1 : 2;
}

// x is 0 or infinite, or y is infinite; neither is a NaN.
INLINE float power_at_end(float x, float y, bool is_odd)
{
    float size = size_of(x);
    bool is_large = size > 1.0f;
    if (size == 1.0f) {
        return 1.0f;
    }
    float value = is_large == (y > 0.0f) ? __builtin_inff() : 0.0f;
    return is_odd ? __builtin_copysignf(value, x) : value;
}

RARE float rill_f32_far_pow(float x, float y)
{
    if (x == 1.0f || y == 0.0f) {
        return 1.0f;
    }
    if (x != x || y != y) {
        return x + y;
    }
    float size = size_of(x);
    int parity = parity_of(y);
    if (size == 0.0f || size == __builtin_inff() || size_of(y) == __builtin_inff()) {
        return power_at_end(x, y, parity == 1);
    }
    if (x < 0.0f && parity == 0) {
        return __builtin_nanf("");
    }
    y = y > LARGE ? LARGE : y < -LARGE ? -LARGE : y;
    bool is_low = size < 0x1p-126f;
    float value = power_of(bits_of(is_low ? size * 0x1p24f : size), is_low ? 24 : 0, y);
    return parity == 1 ? __builtin_copysignf(value, x) : value;
}

INLINED float rill_f32_pow(float x, float y)
{
    if (RARELY(!(is_plain(bits_of(x)) && size_of(y) < LARGE))) {
        return rill_f32_far_pow(x, y);
    }
    return power_of(bits_of(x), 0, y);
}
