// Floats of 16 bits on the host: IEEE 754's binary16 (_Float16 in a kernel, RILL_F16) and bfloat16 (__bf16, RILL_BF16),
// as the bits that an array holds. For compilers that have no such types, and for conversions that round once, to
// nearest, ties to even, whatever the processor.
//
// Threads: any. Nothing here fails.
#ifndef RILL_HALF_H
#define RILL_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// A float of |mantissa| bits behind the point whose exponent field has all ones at |most|. A NaN keeps the upper bits
// of its payload; one that has none there becomes quiet.
static inline uint16_t rill_half_from_(double value, int mantissa, int bias, int most)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = (uint32_t)(bits >> 63) << 15;
    uint32_t infinity = (uint32_t)most << mantissa;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
        uint32_t payload = (uint32_t)(fraction >> (52 - mantissa));
        return (uint16_t)(sign | infinity | (fraction != 0 && payload == 0 ? 1U << (mantissa - 1) : payload));
    }
    exponent += bias - 1023;
    if (exponent >= most) {
        return (uint16_t)(sign | infinity);
    }
    // Below the normal numbers the significand moves down, and the exponent stays where it is.
    int shift = 52 - mantissa + (exponent <= 0 ? 1 - exponent : 0);
    if (shift > 54) {
        return (uint16_t)sign;
    }
    uint64_t significand = fraction | UINT64_C(1) << 52;
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    uint64_t tie = UINT64_C(1) << (shift - 1);
    kept += rest > tie || (rest == tie && (kept & 1) != 0);
    uint32_t result = (uint32_t)kept + (exponent > 0 ? (uint32_t)(exponent - 1) << mantissa : 0);
    return (uint16_t)(sign | (result > infinity ? infinity : result));
}

static inline double rill_half_to_(uint16_t half, int mantissa, int bias, int most)
{
    uint64_t sign = (uint64_t)(half >> 15) << 63;
    int exponent = half >> mantissa & most;
    uint64_t fraction = half & ((1U << mantissa) - 1);
    uint64_t bits = sign;
    if (exponent == most) {
        bits |= UINT64_C(0x7ff) << 52 | fraction << (52 - mantissa);
    } else if (exponent != 0 || fraction != 0) {
        if (exponent == 0) { // the highest bit moves up to where the hidden one is
            for (exponent = 1; fraction >> mantissa == 0; exponent--) {
                fraction <<= 1;
            }
            fraction &= (1U << mantissa) - 1;
        }
        bits |= (uint64_t)(exponent - bias + 1023) << 52 | fraction << (52 - mantissa);
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The bits of the nearest float of 16 bits.
static inline uint16_t rill_f16_from_double(double value)
{
    return rill_half_from_(value, 10, 15, 31);
}

static inline uint16_t rill_bf16_from_double(double value)
{
    return rill_half_from_(value, 7, 127, 255);
}

// The value, exactly. A NaN keeps its payload.
static inline double rill_f16_to_double(uint16_t bits)
{
    return rill_half_to_(bits, 10, 15, 31);
}

static inline double rill_bf16_to_double(uint16_t bits)
{
    return rill_half_to_(bits, 7, 127, 255);
}

#ifdef __cplusplus
}
#endif
#endif
