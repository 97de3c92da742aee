// The floats of 16 bits as values that a double holds: rill/half.h by the kind.
#ifndef RILL_BASE_HALF_H
#define RILL_BASE_HALF_H

#include "rill/half.h"

#include <stdbool.h>

static inline uint16_t half_bits(double value, bool is_bf16)
{
    return is_bf16 ? rill_bf16_from_double(value) : rill_f16_from_double(value);
}

static inline double half_value(uint16_t bits, bool is_bf16)
{
    return is_bf16 ? rill_bf16_to_double(bits) : rill_f16_to_double(bits);
}

static inline double half_round(double value, bool is_bf16)
{
    return half_value(half_bits(value, is_bf16), is_bf16);
}

// A double that rounds to 16 bits as the integer does: of what a double has no room for it only says that it is not
// zero.
static inline double half_sticky(uint64_t magnitude, bool is_negative)
{
    if (magnitude >> 53 != 0) {
        uint64_t lost = magnitude & 0xfff;
        magnitude = (magnitude ^ lost) | (lost != 0 ? 0x1000 : 0);
    }
    double value = (double)magnitude;
    return is_negative ? -value : value;
}

#endif
