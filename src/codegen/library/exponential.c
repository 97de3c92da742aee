// exp, exp2 and tanh, on the instruction for powers of two.
#include "codegen/library/float.h"

// x = n ln 2 + r ln 2, with r from 0 to 1, where the instruction is best. n stays between -126 and 126, and what is
// beyond is left to r: so the last product alone rounds a subnormal result, and overflows as it should.
INLINED float rill_f32_exp(float x)
{
    float part = rill_hw_fma_clamped(x, 0x1.77313cp-8f, 0.5f - 0.5f / 252.0f); // log2 e / 252
    float rounded = fma_of(part, 252.0f, ROUNDER + 1.0f);
    float n = rounded - (ROUNDER + 127.0f);
    float r = fma_of(x, 0x1.715476p+0f, -n);
    r = fma_of(x, 0x1.4ae0cp-26f, r);
    return rill_hw_exp2(r) * with_bits(bits_of(rounded) << 23);
}

INLINED float rill_f32_exp2(float x)
{
    bool is_low = x < -126.0f; // then the sum is exact
    float value = rill_hw_exp2(is_low ? x + 24.0f : x);
    return is_low ? value * 0x1p-24f : value;
}

// Both ways for all: lanes that differ would take both anyway.
INLINED float rill_f32_tanh(float x)
{
    float size = size_of(x);
    float power = rill_hw_exp2(size * 0x1.715476p+1f); // e^2|x|
    float large = fma_of(rill_hw_reciprocal(power + 1.0f), -2.0f, 1.0f);
    float z = x * x;
    float p = fma_of(z, -0x1.828776p-8f, 0x1.54c3c2p-6f);
    p = fma_of(p, z, -0x1.b89abap-5f);
    p = fma_of(p, z, 0x1.1109bep-3f);
    p = fma_of(p, z, -0x1.55553ep-2f);
    p = fma_of(p, z, 0.0f);
    float small = fma_of(p, x, x);
    return size > 0.6f ? __builtin_copysignf(large, x) : small;
}
