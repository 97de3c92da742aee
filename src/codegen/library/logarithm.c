// log, log2 and log10. An argument is 2^n times a number between 2/3 and 4/3.
#include "codegen/library/float.h"

#define LEAST 0x3f2aaaabu // 2/3

// log(1 + f) = f + f^2 * this, for |f| up to 1/3.
INLINE float log_rest(float f)
{
    float p = fma_of(f, -0x1.087e8p-3f, 0x1.19b5a6p-3f);
    p = fma_of(p, f, -0x1.f30748p-4f);
    p = fma_of(p, f, 0x1.1fd5fp-3f);
    p = fma_of(p, f, -0x1.559bf4p-3f);
    p = fma_of(p, f, 0x1.99bfe6p-3f);
    p = fma_of(p, f, -0x1.ffff0cp-3f);
    p = fma_of(p, f, 0x1.55552cp-2f);
    return fma_of(p, f, -0.5f);
}

// |n| is the exponent times 2^23, as take_apart gives it; the constants that multiply it hold 2^-23.
INLINE float log_of(uint32_t bits, int32_t less)
{
    float m;
    float n = take_apart(bits, LEAST, less, &m);
    float f = m - 1.0f;
    return fma_of(n, 0x1.62e43p-24f, fma_of(f * f, log_rest(f), f)); // ln 2 is nearly a float
}

INLINE float log2_of(uint32_t bits, int32_t less)
{
    float m;
    float n = take_apart(bits, LEAST, less, &m);
    float f = m - 1.0f;
    float low = fma_of(f * f * log_rest(f), 0x1.715476p+0f, f * 0x1.4ae0cp-26f); // 1 / ln 2 in two parts
    return fma_of(n, 0x1p-23f, fma_of(f, 0x1.715476p+0f, low));
}

INLINE float log10_of(uint32_t bits, int32_t less)
{
    float m;
    float n = take_apart(bits, LEAST, less, &m);
    float f = m - 1.0f;
    float low = fma_of(f * f * log_rest(f), 0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f); // 1 / ln 10 in two parts
    low = fma_of(n, -0x1.ec10cp-50f, low);                                         // log10 2 in two parts
    return fma_of(n, 0x1.344136p-25f, fma_of(f, 0x1.bcb7b2p-2f, low));
}

// What is not plain: subnormal numbers, or the result itself.
INLINE bool is_subnormal(float x)
{
    return x > 0.0f && x < 0x1p-126f;
}

INLINE float log_beyond(float x)
{
    if (x == 0.0f) {
        return -__builtin_inff();
    }
    return x < 0.0f ? __builtin_nanf("") : x + x;
}

RARE float rill_f32_far_log(float x)
{
    return is_subnormal(x) ? log_of(bits_of(x * 0x1p24f), 24) : log_beyond(x);
}

RARE float rill_f32_far_log2(float x)
{
    return is_subnormal(x) ? log2_of(bits_of(x * 0x1p24f), 24) : log_beyond(x);
}

RARE float rill_f32_far_log10(float x)
{
    return is_subnormal(x) ? log10_of(bits_of(x * 0x1p24f), 24) : log_beyond(x);
}

INLINED float rill_f32_log(float x)
{
    return RARELY(!is_plain(bits_of(x))) ? rill_f32_far_log(x) : log_of(bits_of(x), 0);
}

INLINED float rill_f32_log2(float x)
{
    return RARELY(!is_plain(bits_of(x))) ? rill_f32_far_log2(x) : log2_of(bits_of(x), 0);
}

INLINED float rill_f32_log10(float x)
{
    return RARELY(!is_plain(bits_of(x))) ? rill_f32_far_log10(x) : log10_of(bits_of(x), 0);
}
