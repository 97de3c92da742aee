// What a kernel file includes. The same text serves Rill, for which it is built in, and a plain C compiler, which makes
// ordinary functions of the kernels that run serially.
//
//   kernel, RILL_KERNEL                     marks a function that the host can launch
//   stream_parallel, RILL_STREAM_PARALLEL   before a block: it may overlap with the blocks beside it
//   rill_atomic_add ...                     updates of one place, in any order, that return the old value
//   rill_random_u32 ...                     numbers that depend on a key and a counter alone
//   rill_rsqrt, rill_rsqrtf                 1 / sqrt(x)
//
// With RILL_NO_SHORT_NAMES defined before the #include, `kernel` and `stream_parallel` stay ordinary names. For Rill
// stream_parallel means something only before a block, and kernel only before a type or a function's name; for a plain
// C compiler both short names are macros, so a file that also uses one of them for a variable or a member must use the
// full names (Rill warns of it).
//
// A plain C compiler takes `#pragma rill ...` for unknown; the warning is silenced from here on.
#ifndef RILL_KERNEL_H
#define RILL_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef M_E
#define M_E 2.7182818284590452354
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.4426950408889634074
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.43429448190325182765
#endif
#ifndef M_LN2
#define M_LN2 0.69314718055994530942
#endif
#ifndef M_LN10
#define M_LN10 2.30258509299404568402
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif
#ifndef M_PI_4
#define M_PI_4 0.78539816339744830962
#endif
#ifndef M_1_PI
#define M_1_PI 0.31830988618379067154
#endif
#ifndef M_2_PI
#define M_2_PI 0.63661977236758134308
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.70710678118654752440
#endif

#ifdef __RILL__

#define RILL_KERNEL __rill_kernel__
#define RILL_STREAM_PARALLEL __rill_stream_parallel__
#ifndef RILL_NO_SHORT_NAMES
#define kernel __rill_short_kernel__
#pragma rill short_names
#endif

#else

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#define RILL_KERNEL
#define RILL_STREAM_PARALLEL
#ifndef RILL_NO_SHORT_NAMES
#define kernel
#define stream_parallel
#endif

// Atomic updates. |place| points to any arithmetic type, the value is converted to that type, and the result is what
// the place held before. min and max of floats pass over a NaN, as fmin and fmax do. Serial code needs no more than
// this; in a file that is built with OpenMP they are atomic, relaxed.
#if defined(__GNUC__) || defined(__TINYC__)
#if defined(_OPENMP) && defined(__GNUC__)
#define RILL_ATOMIC_LOAD_(place, to) __atomic_load((place), (to), __ATOMIC_RELAXED)
#define RILL_ATOMIC_SWAP_(place, expected, wanted)                                                                     \
    __atomic_compare_exchange((place), (expected), (wanted), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#else
#define RILL_ATOMIC_LOAD_(place, to) ((void)(*(to) = *(place)))
#define RILL_ATOMIC_SWAP_(place, expected, wanted) ((void)(expected), *(place) = *(wanted), 1)
#endif

#define RILL_ATOMIC_(place, value, result)                                                                             \
    __extension__({                                                                                                    \
        __typeof__(*(place)) *rill_place_ = (place);                                                                   \
        __typeof__(*(place)) rill_value_ = (__typeof__(*(place)))(value);                                              \
        __typeof__(*(place)) rill_old_, rill_new_;                                                                     \
        RILL_ATOMIC_LOAD_(rill_place_, &rill_old_);                                                                    \
        do {                                                                                                           \
            rill_new_ = (__typeof__(*(place)))(result);                                                                \
        } while (!RILL_ATOMIC_SWAP_(rill_place_, &rill_old_, &rill_new_));                                             \
        (void)rill_value_;                                                                                             \
        rill_old_;                                                                                                     \
    })

#define rill_atomic_add(place, value) RILL_ATOMIC_(place, value, rill_old_ + rill_value_)
#define rill_atomic_sub(place, value) RILL_ATOMIC_(place, value, rill_old_ - rill_value_)
#define rill_atomic_mul(place, value) RILL_ATOMIC_(place, value, rill_old_ *rill_value_)
#define rill_atomic_and(place, value) RILL_ATOMIC_(place, value, rill_old_ &rill_value_)
#define rill_atomic_or(place, value) RILL_ATOMIC_(place, value, rill_old_ | rill_value_)
#define rill_atomic_xor(place, value) RILL_ATOMIC_(place, value, rill_old_ ^ rill_value_)
#define rill_atomic_exchange(place, value) RILL_ATOMIC_(place, value, rill_value_)
#define rill_atomic_min(place, value)                                                                                  \
    RILL_ATOMIC_(place, value, rill_value_ < rill_old_ || rill_old_ != rill_old_ ? rill_value_ : rill_old_)
#define rill_atomic_max(place, value)                                                                                  \
    RILL_ATOMIC_(place, value, rill_value_ > rill_old_ || rill_old_ != rill_old_ ? rill_value_ : rill_old_)

// If the place holds |expected|, it gets |wanted|.
#define rill_atomic_cas(place, expected, wanted)                                                                       \
    __extension__({                                                                                                    \
        __typeof__(*(place)) rill_expected_ = (__typeof__(*(place)))(expected);                                        \
        RILL_ATOMIC_(place, wanted, rill_old_ == rill_expected_ ? rill_value_ : rill_old_);                            \
    })
#endif

#endif // __RILL__

// 1 / sqrt(x), each of the two rounded to nearest: at most one unit in the last place from the exact value, and the
// same bits on every back end and in the plain build. (C23 has rsqrt; the C library of few machines does.)
static inline float rill_rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

static inline double rill_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

// Random numbers. Each is a function of its two arguments: no state, so any order and any number of threads give the
// same numbers, and every back end and the plain build give the same bits. Use the key for what is drawn and the
// counter for which one of them (the element, the step). The functions are independent of each other at equal
// arguments, except that rill_random_f32 is made of the upper bits of rill_random_u32.
//
// The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
// Its 128-bit counter is |counter| and |purpose|; its result here is the first two of the four words.
//
// The rounds are written out, not looped over: a loop around a call of this then has no loop inside and vectorises.
#define RILL_RANDOM_ROUND_                                                                                             \
    p0 = (uint64_t)0xd2511f53u * c0;                                                                                   \
    p1 = (uint64_t)0xcd9e8d57u * c2;                                                                                   \
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;                                                                               \
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;                                                                               \
    c1 = (uint32_t)p1;                                                                                                 \
    c3 = (uint32_t)p0;                                                                                                 \
    k0 += 0x9e3779b9u;                                                                                                 \
    k1 += 0xbb67ae85u;
#define RILL_RANDOM_5_ROUNDS_                                                                                          \
    RILL_RANDOM_ROUND_ RILL_RANDOM_ROUND_ RILL_RANDOM_ROUND_ RILL_RANDOM_ROUND_ RILL_RANDOM_ROUND_

static inline uint64_t rill_random_bits_(uint64_t key, uint64_t counter, uint32_t purpose)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32), c2 = purpose, c3 = 0;
    uint64_t p0, p1;
    RILL_RANDOM_5_ROUNDS_
    RILL_RANDOM_5_ROUNDS_
    return (uint64_t)c1 << 32 | c0;
}

#undef RILL_RANDOM_5_ROUNDS_
#undef RILL_RANDOM_ROUND_

// Uniform: every value of 32 bits.
static inline uint32_t rill_random_u32(uint64_t key, uint64_t counter)
{
    return (uint32_t)rill_random_bits_(key, counter, 0);
}

// Uniform in [0, 1), in steps of 2^-24.
static inline float rill_random_f32(uint64_t key, uint64_t counter)
{
    return (float)(rill_random_u32(key, counter) >> 8) * 5.9604644775390625e-8f;
}

// Uniform in [0, 1), in steps of 2^-53.
static inline double rill_random_f64(uint64_t key, uint64_t counter)
{
    return (double)(rill_random_bits_(key, counter, 1) >> 11) * 1.1102230246251565404236316680908203125e-16;
}

// The inverse of the normal distribution's tail. |n| is odd; p = n / 2^65 is the probability of the tail, in (0, 1/2),
// and the result is the x >= 0 beyond which it lies. All of it is integer arithmetic, exact scaling, and fma where a
// product meets a sum, so that no setting for contraction changes a bit.
//
// With q = 1/2 - p and w = -ln(4p(1-p)), x is q times a smooth function of w near the middle, and a smooth function of
// w alone in the tail. 4p(1-p) is r / 2^zeros with r in [0.75, 2): the logarithm needs no exponent from a float. The
// error is at most 5e-7 of x.
static inline float rill_normal_tail_(uint64_t n)
{
    uint64_t shifted = n;
    int zeros = 0; // above the highest bit of n
    if (shifted >> 32 == 0) {
        shifted <<= 32;
        zeros += 32;
    }
    if (shifted >> 48 == 0) {
        shifted <<= 16;
        zeros += 16;
    }
    if (shifted >> 56 == 0) {
        shifted <<= 8;
        zeros += 8;
    }
    if (shifted >> 60 == 0) {
        shifted <<= 4;
        zeros += 4;
    }
    if (shifted >> 62 == 0) {
        shifted <<= 2;
        zeros += 2;
    }
    if (shifted >> 63 == 0) {
        shifted <<= 1;
        zeros += 1;
    }
    float mantissa = (float)(uint32_t)(shifted >> 40) * 1.1920928955078125e-7f;      // of p, in [1, 2)
    float q = (float)(0 - n) * 2.710505431213761085018632002174854278564453125e-20f; // 1/2 - p
    float other = fmaf(2.0f, q, 1.0f);                                               // 2(1 - p), in [1, 2]
    bool halve = mantissa * other >= 2.45f;
    float scale = halve ? 0.5f : 1.0f;
    float exponent = (float)(halve ? zeros : zeros + 1);

    // ln r, r in [1.22, 2.46], around 1.84375.
    float t = fmaf(scale * mantissa, other, -1.84375f);
    float ln = fmaf(-0.0011603249f, t, 0.00243056193f);
    ln = fmaf(ln, t, -0.00417413143f);
    ln = fmaf(ln, t, 0.0092469966f);
    ln = fmaf(ln, t, -0.0216413047f);
    ln = fmaf(ln, t, 0.053198386f);
    ln = fmaf(ln, t, -0.147083953f);
    ln = fmaf(ln, t, 0.542372406f);
    ln = fmaf(ln, t, 0.611801565f);
    float w = fmaf(exponent, 0.693147181f, -ln);

    float x;
    if (w < 5.0f) {
        t = w - 2.5f;
        x = fmaf(-2.52633026e-8f, t, 6.6004084e-8f);
        x = fmaf(x, t, 1.32407536e-6f);
        x = fmaf(x, t, -9.7976299e-6f);
        x = fmaf(x, t, -1.40641268e-5f);
        x = fmaf(x, t, 0.00061758532f);
        x = fmaf(x, t, -0.00354324537f);
        x = fmaf(x, t, -0.0118154511f);
        x = fmaf(x, t, 0.69760406f);
        x = fmaf(x, t, 4.24662685f);
        x = q * x;
    } else if (w < 12.0f) {
        t = w - 8.5f;
        x = fmaf(-2.22129182e-9f, t, 2.20476402e-8f);
        x = fmaf(x, t, -1.67536115e-7f);
        x = fmaf(x, t, 1.94234735e-6f);
        x = fmaf(x, t, -2.55938539e-5f);
        x = fmaf(x, t, 0.00037396219f);
        x = fmaf(x, t, -0.00682048779f);
        x = fmaf(x, t, 0.242881984f);
        x = fmaf(x, t, 3.88640594f);
    } else {
        t = w - 28.5f;
        x = fmaf(-3.58538115e-16f, t, 1.21190306e-14f);
        x = fmaf(x, t, -1.47476988e-13f);
        x = fmaf(x, t, 5.47502798e-12f);
        x = fmaf(x, t, -2.83501889e-10f);
        x = fmaf(x, t, 1.09551799e-8f);
        x = fmaf(x, t, -4.432666e-7f);
        x = fmaf(x, t, 2.04928929e-5f);
        x = fmaf(x, t, -0.00117752736f);
        x = fmaf(x, t, 0.133796915f);
        x = fmaf(x, t, 7.34246874f);
    }
    return x;
}

// Normal with mean 0 and deviation 1. The magnitude is at most 9.2.
static inline float rill_random_normal_f32(uint64_t key, uint64_t counter)
{
    uint64_t bits = rill_random_bits_(key, counter, 2);
    float x = rill_normal_tail_(bits << 1 | 1);
    return bits >> 63 != 0 ? -x : x;
}

#endif
