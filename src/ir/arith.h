// The language's arithmetic, operation by operation: language.md §6 with C's holes filled. fold.c and the interpreter
// are both made of these, so that there is one definition. Nothing here traps or is undefined for any operand.
#ifndef RILL_IR_ARITH_H
#define RILL_IR_ARITH_H

#include "ir/ir.h"

#include <math.h>
#include <string.h>

static inline int arith_width(enum ir_type type)
{
    return type == IR_I1 ? 1 : 8 * ir_type_size(type);
}

// Sign-extends the low |width| bits; width 1 gives 0 or 1.
static inline int64_t arith_wrap(int width, uint64_t value)
{
    switch (width) {
    case 1: return (int64_t)(value & 1);
    case 8: return (int8_t)(uint8_t)value;
    case 16: return (int16_t)(uint16_t)value;
    case 32: return (int32_t)(uint32_t)value;
    default: return (int64_t)value;
    }
}

static inline uint64_t arith_unsigned(int width, int64_t value)
{
    return width == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << width) - 1);
}

static inline int64_t arith_min(int width)
{
    return width == 1 ? 0 : -(INT64_C(1) << (width - 2)) * 2;
}

static inline int64_t arith_sdiv(int64_t a, int64_t b)
{
    // MIN / -1 wraps to MIN in 64 bits here; narrower types wrap when the result is stored.
    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t arith_srem(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline uint64_t arith_udiv(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : a / b;
}

static inline uint64_t arith_urem(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

static inline unsigned arith_shift(int width, int64_t count)
{
    return (unsigned)((uint64_t)count & (uint64_t)(width - 1)); // widths are powers of two
}

static inline int64_t arith_ashr(int64_t value, unsigned count)
{
    return value < 0 ? (int64_t)~(~(uint64_t)value >> count) : (int64_t)((uint64_t)value >> count);
}

static inline int arith_popcount(uint64_t value)
{
    int count = 0;
    for (; value != 0; value &= value - 1) {
        count++;
    }
    return count;
}

// |value| has no bits above |width|.
static inline int arith_clz(int width, uint64_t value)
{
    int count = width;
    for (; value != 0; value >>= 1) {
        count--;
    }
    return count;
}

static inline int arith_ctz(int width, uint64_t value)
{
    return value == 0 ? width : arith_popcount((value & (0 - value)) - 1);
}

static inline uint64_t arith_bitreverse(int width, uint64_t value)
{
    uint64_t result = 0;
    for (int i = 0; i < width; i++) {
        result = result << 1 | (value >> i & 1);
    }
    return result;
}

static inline uint64_t arith_bswap(int width, uint64_t value)
{
    uint64_t result = 0;
    for (int i = 0; i < width; i += 8) {
        result = result << 8 | (value >> i & 0xff);
    }
    return result;
}

// The upper half of the product: schoolbook multiplication of halves.
static inline uint64_t arith_umulh(int width, uint64_t a, uint64_t b)
{
    if (width < 64) {
        return a * b >> width;
    }
    uint64_t low = UINT64_C(0xffffffff);
    uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
    uint64_t other = (a & low) * (b >> 32) + (middle & low);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

// Saturates, NaN is 0. 2^(width-1) is exact in double, and so is every bound below it that can be reached by
// truncation.
static inline int64_t arith_fptosi(int width, double value)
{
    double limit = ldexp(1.0, width - 1);
    if (value != value) {
        return 0;
    }
    if (value >= limit) {
        return width == 64 ? INT64_MAX : (INT64_C(1) << (width - 1)) - 1;
    }
    return value < -limit ? arith_min(width) : (int64_t)value;
}

static inline int64_t arith_fptoui(int width, double value)
{
    if (!(value > -1.0)) {
        return 0; // NaN too
    }
    if (value >= ldexp(1.0, width)) {
        return arith_wrap(width, UINT64_MAX);
    }
    return value < 0 ? 0 : arith_wrap(width, (uint64_t)value);
}

static inline uint32_t arith_bits32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t arith_bits64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float arith_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double arith_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A float kept in a double and back. Hardware conversions make every NaN quiet; a value that only passes through must
// keep its bits.
static inline double arith_hold(float value)
{
    if (value == value) {
        return value;
    }
    uint64_t bits = arith_bits32(value);
    return arith_double((bits >> 31) << 63 | UINT64_C(0x7ff) << 52 | (bits & 0x7fffff) << 29);
}

static inline float arith_held(double value)
{
    if (value == value) {
        return (float)value;
    }
    uint64_t bits = arith_bits64(value);
    uint32_t payload = (uint32_t)(bits >> 29) & 0x7fffff;
    // A NaN whose payload does not fit must not become an infinity.
    return arith_float((uint32_t)(bits >> 63) << 31 | UINT32_C(0x7f800000) | (payload == 0 ? 0x400000 : payload));
}

// A NaN as conversions leave it.
static inline double arith_quiet(double value)
{
    return value == value ? value : arith_double(arith_bits64(value) | UINT64_C(1) << 51);
}

#endif
