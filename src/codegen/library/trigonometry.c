// sin, cos and tan. The argument is brought near zero by multiples of pi (of pi/2 for tan) in three steps, each one
// fused multiply-add by a part of the constant; that is exact enough as long as the multiple has at most 16 bits.
// Beyond, the fraction of a turn comes from a product with enough bits of 1/(2 pi).
#include "codegen/library/float.h"

#define FAR 1e5f

// pi/2 = HIGH + MIDDLE + LOW, and a rest below 2^-72. None is negative, so that nothing is taken from a negative zero.
#define HIGH 0x1.921fb4p+0f
#define MIDDLE 0x1.4442d0p-24f
#define LOW 0x1.84698ap-48f
#define INVERSE 0x1.45f306p-1f

// x + n pi, where n is minus a multiple.
INLINE float plus_multiple_of_pi(float x, float n)
{
    x = fma_of(n, 2.0f * HIGH, x);
    x = fma_of(n, 2.0f * MIDDLE, x);
    return fma_of(n, 2.0f * LOW, x);
}

// The sine for |r| up to pi/2 and a little more, by one polynomial. Near the ends what r * r lost in rounding would be
// half an ulp of the result, so it is put back. The signs are such that a negative zero stays one.
INLINE float sine_of(float r)
{
    float z = r * r;
    float lost = fma_of(-r, r, z);
    float p = fma_of(z, 0x1.5db264p-19f, -0x1.9f6fb6p-13f);
    p = fma_of(p, z, 0x1.110ed6p-7f);
    p = fma_of(p, z, -0x1.55554cp-3f);
    p = fma_of(p, z, lost * 0x1.555556p-3f);
    return fma_of(p, r, r);
}

// ---- far from zero
// ------------------------------------------------------------------------------------------------------------

// Word |index| of 32 zero bits and the bits of 1/(2 pi).
INLINE uint32_t turn_word(uint32_t index)
{
    return index == 0   ? 0
           : index == 1 ? 0x28be60dbu
           : index == 2 ? 0x9391054au
           : index == 3 ? 0x7f09d5f4u
           : index == 4 ? 0x7d4d3770u
           : index == 5 ? 0x36d8a566u
           : index == 6 ? 0x4f10e410u
           : index == 7 ? 0x7f9458eau
                        : 0xf7aef158u;
}

// The fraction of a turn that a finite angle of at least 2^-8 is, in units of 2^-64. With m * 2^e for the angle, the
// first e bits of 1/(2 pi) give whole turns; of the 96 behind them, times 24 bits of m, the upper 64 are right.
INLINE uint64_t turn_of(float x)
{
    uint32_t bits = bits_of(x);
    uint64_t m = (bits & 0x007fffffu) | 0x00800000u;
    uint32_t from = (bits >> 23 & 0xffu) - 150u + 32u;
    uint32_t word = from >> 5;
    uint32_t shift = from & 31u;
    uint64_t a = turn_word(word);
    uint64_t b = turn_word(word + 1);
    uint64_t c = turn_word(word + 2);
    uint64_t d = turn_word(word + 3);
    uint64_t high = (a << 32 | b) << shift >> 32;
    uint64_t middle = (b << 32 | c) << shift >> 32 & 0xffffffffu;
    uint64_t low = (c << 32 | d) << shift >> 32 & 0xffffffffu;
    middle = middle * m + (low * m >> 32);
    high = (high & 0xffffffffu) * m + (middle >> 32);
    uint64_t turn = high << 32 | (middle & 0xffffffffu);
    return bits >> 31 != 0 ? -turn : turn;
}

// The sine of |turn| turns.
INLINE float sine_of_turn(uint64_t turn)
{
    bool is_odd = (turn + (UINT64_C(1) << 62)) >> 63 != 0;
    float r = (float)((double)(int64_t)(turn << 1) * 0x1.921fb54442d18p-63);
    return sine_of(is_odd ? -r : r);
}

// sin(x) for |quarters| 0, cos(x) for 1.
RARE float rill_f32_far_sin(float x, uint32_t quarters)
{
    return size_of(x) < __builtin_inff() ? sine_of_turn(turn_of(x) + ((uint64_t)quarters << 62)) : x - x;
}

// ---- sin, cos
// -----------------------------------------------------------------------------------------------------------------

INLINED float rill_f32_sin(float x)
{
    bool is_far = size_of(x) > FAR;
    float rounded = fma_of(x, INVERSE * 0.5f, ROUNDER);
    float r = plus_multiple_of_pi(x, -(rounded - ROUNDER));
    float value = sine_of(with_bits(bits_of(r) ^ bits_of(rounded) << 31));
    return RARELY(is_far) ? rill_f32_far_sin(x, 0) : value;
}

// Around odd multiples of pi/2: cos(n pi + pi/2 - r) is the sine of r, with its sign changed for an odd n.
INLINED float rill_f32_cos(float x)
{
    bool is_far = size_of(x) > FAR;
    float rounded = fma_of(x, INVERSE * 0.5f, -0.5f) + ROUNDER;
    float r = plus_multiple_of_pi(-x, rounded - ROUNDER + 0.5f);
    float value = sine_of(with_bits(bits_of(r) ^ bits_of(rounded) << 31));
    return RARELY(is_far) ? rill_f32_far_sin(x, 1) : value;
}

// ---- tan
// ----------------------------------------------------------------------------------------------------------------------

#define THIRD 0x1.55556ap-2f // the first coefficient of the tangent, put right for the others

// Multiples of pi/2 are counted in this unit, so that what the argument is multiplied by is a coefficient of the
// tangent as well. A multiply-add takes one constant; each second one is an instruction more.
#define UNIT 0x1p-9f
#define STEEP (INVERSE * UNIT)

// The tangent of r + low * THIRD, for |r| up to pi/4 and a little more and a small |low|; or the negative of its
// reciprocal, where the step that puts right what the instruction gives takes the two parts of the sum, and not what is
// left of it after rounding. |low| counts only where r is small, and comes in with the first coefficient there.
//
// What the series has behind its first coefficient is nearly the reciprocal of a line: three coefficients of that do
// for five of the series, and the last of the three hardly counts, so that it may be a number at hand. All of it is a
// twentieth of the result, so the reciprocal may be what the instruction gives. The other two are a few units off
// tools/fit-math's, where the errors to both sides are alike over all floats.
INLINE float tangent_of(float r, float low, bool is_odd)
{
    float z = r * r;
    float rest = fma_of(fma_of(z, -STEEP, -0x1.849caap+1f), z, 0x1.e00222p+2f);
    float p = fma_of(z, rill_hw_reciprocal(rest), THIRD);
    float cube = fma_of(r, z, low);
    float t = fma_of(p, cube, r);
    float q = rill_hw_reciprocal(-t);
    float error = fma_of(q, p * cube, fma_of(q, r, 1.0f));
    return is_odd ? fma_of(q, error, q) : t;
}

RARE float rill_f32_far_tan(float x)
{
    if (!(size_of(x) < __builtin_inff())) {
        return x - x;
    }
    uint64_t turn = turn_of(x) << 1;
    bool is_odd = (turn + (UINT64_C(1) << 62)) >> 63 != 0;
    double angle = (double)(int64_t)(turn << 1) * 0x1.921fb54442d18p-64;
    float r = (float)angle;
    return tangent_of(r, (float)(angle - r) * (1.0f / THIRD), is_odd); // a division would be a call
}

INLINED float rill_f32_tan(float x)
{
    bool is_far = size_of(x) > FAR;
    float rounded = fma_of(x, STEEP, ROUNDER * UNIT);
    float n = rounded - ROUNDER * UNIT;
    float r = fma_of(n, -MIDDLE / UNIT, fma_of(n, -HIGH / UNIT, x));
    float value = tangent_of(r, n * (-LOW / UNIT / THIRD), (bits_of(rounded) & 1u) != 0);
    return RARELY(is_far) ? rill_f32_far_tan(x) : value;
}
