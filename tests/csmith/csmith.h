// What the programs of Csmith include: arithmetic that is defined for every operand, and a checksum of the globals.
//
// Written for kernels and for the plain build alike, so that both run the same program. An operation that C leaves
// undefined gives its left operand. CSMITH_TRACE prints the checksum after each global: the first line that differs
// names the one that went wrong.
#ifndef RILL_TESTS_CSMITH_H
#define RILL_TESTS_CSMITH_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

// The shift count has its own type; the promoted left operand is never wider than the result for narrow types, so that
// a shift of it by less than 32 is defined where the value still fits.
#define SAFE_SHIFTS_SIGNED(T, MAX, COUNT, S, BITS)                                                                     \
    static T safe_lshift_func_##T##_s_##S(T a, COUNT b)                                                                \
    {                                                                                                                  \
        return a < 0 || (int)b < 0 || (int)b >= BITS || a > (MAX >> (int)b) ? a : (T)(a << (int)b);                    \
    }                                                                                                                  \
    static T safe_rshift_func_##T##_s_##S(T a, COUNT b)                                                                \
    {                                                                                                                  \
        return a < 0 || (int)b < 0 || (int)b >= BITS ? a : (T)(a >> (int)b);                                           \
    }

#define SAFE_SHIFTS_UNSIGNED(T, MAX, COUNT, S, BITS)                                                                   \
    static T safe_lshift_func_##T##_u_##S(T a, COUNT b)                                                                \
    {                                                                                                                  \
        return (int)b < 0 || (int)b >= BITS || a > (MAX >> (int)b) ? a : (T)(a << (int)b);                             \
    }                                                                                                                  \
    static T safe_rshift_func_##T##_u_##S(T a, COUNT b)                                                                \
    {                                                                                                                  \
        return (int)b < 0 || (int)b >= BITS ? a : (T)(a >> (int)b);                                                    \
    }

#define SAFE_DIVISIONS(T, S)                                                                                           \
    static T safe_mod_func_##T##_##S(T a, T b)                                                                         \
    {                                                                                                                  \
        return b == 0 ? a : (T)(a % b);                                                                                \
    }                                                                                                                  \
    static T safe_div_func_##T##_##S(T a, T b)                                                                         \
    {                                                                                                                  \
        return b == 0 ? a : (T)(a / b);                                                                                \
    }

#define SAFE_SIGNED_DIVISIONS(T, MIN)                                                                                  \
    static T safe_mod_func_##T##_s_s(T a, T b)                                                                         \
    {                                                                                                                  \
        return b == 0 || (a == MIN && b == -1) ? a : (T)(a % b);                                                       \
    }                                                                                                                  \
    static T safe_div_func_##T##_s_s(T a, T b)                                                                         \
    {                                                                                                                  \
        return b == 0 || (a == MIN && b == -1) ? a : (T)(a / b);                                                       \
    }

// Types narrower than int: the sums and products fit into int.
#define SAFE_NARROW(T, S1, S2)                                                                                         \
    static T safe_unary_minus_func_##T##_##S1(T a)                                                                     \
    {                                                                                                                  \
        return (T) - a;                                                                                                \
    }                                                                                                                  \
    static T safe_add_func_##T##_##S2(T a, T b)                                                                        \
    {                                                                                                                  \
        return (T)(a + b);                                                                                             \
    }                                                                                                                  \
    static T safe_sub_func_##T##_##S2(T a, T b)                                                                        \
    {                                                                                                                  \
        return (T)(a - b);                                                                                             \
    }                                                                                                                  \
    static T safe_mul_func_##T##_##S2(T a, T b)                                                                        \
    {                                                                                                                  \
        return (T)((unsigned)a * (unsigned)b);                                                                         \
    }

#define SAFE_WIDE_UNSIGNED(T)                                                                                          \
    static T safe_unary_minus_func_##T##_u(T a)                                                                        \
    {                                                                                                                  \
        return -a;                                                                                                     \
    }                                                                                                                  \
    static T safe_add_func_##T##_u_u(T a, T b)                                                                         \
    {                                                                                                                  \
        return a + b;                                                                                                  \
    }                                                                                                                  \
    static T safe_sub_func_##T##_u_u(T a, T b)                                                                         \
    {                                                                                                                  \
        return a - b;                                                                                                  \
    }                                                                                                                  \
    static T safe_mul_func_##T##_u_u(T a, T b)                                                                         \
    {                                                                                                                  \
        return a * b;                                                                                                  \
    }

#define SAFE_WIDE_SIGNED(T, MIN, MAX)                                                                                  \
    static T safe_unary_minus_func_##T##_s(T a)                                                                        \
    {                                                                                                                  \
        return a == MIN ? a : -a;                                                                                      \
    }                                                                                                                  \
    static T safe_add_func_##T##_s_s(T a, T b)                                                                         \
    {                                                                                                                  \
        return (b > 0 && a > MAX - b) || (b < 0 && a < MIN - b) ? a : a + b;                                           \
    }                                                                                                                  \
    static T safe_sub_func_##T##_s_s(T a, T b)                                                                         \
    {                                                                                                                  \
        return (b < 0 && a > MAX + b) || (b > 0 && a < MIN + b) ? a : a - b;                                           \
    }                                                                                                                  \
    static T safe_mul_func_##T##_s_s(T a, T b)                                                                         \
    {                                                                                                                  \
        if (a > 0 && b > 0) {                                                                                          \
            return a > MAX / b ? a : a * b;                                                                            \
        }                                                                                                              \
        if (a > 0) {                                                                                                   \
            return b < MIN / a ? a : a * b;                                                                            \
        }                                                                                                              \
        if (b > 0) {                                                                                                   \
            return a < MIN / b ? a : a * b;                                                                            \
        }                                                                                                              \
        return a != 0 && b < MAX / a ? a : a * b;                                                                      \
    }

#define SAFE_SIGNED(T, MIN, MAX, BITS)                                                                                 \
    SAFE_SHIFTS_SIGNED(T, MAX, int, s, BITS)                                                                           \
    SAFE_SHIFTS_SIGNED(T, MAX, unsigned, u, BITS)                                                                      \
    SAFE_SIGNED_DIVISIONS(T, MIN)

#define SAFE_UNSIGNED(T, MAX, BITS)                                                                                    \
    SAFE_SHIFTS_UNSIGNED(T, MAX, int, s, BITS)                                                                         \
    SAFE_SHIFTS_UNSIGNED(T, MAX, unsigned, u, BITS)                                                                    \
    SAFE_DIVISIONS(T, u_u)

SAFE_NARROW(int8_t, s, s_s)
SAFE_NARROW(int16_t, s, s_s)
SAFE_NARROW(uint8_t, u, u_u)
SAFE_NARROW(uint16_t, u, u_u)
SAFE_WIDE_SIGNED(int32_t, INT32_MIN, INT32_MAX)
SAFE_WIDE_SIGNED(int64_t, INT64_MIN, INT64_MAX)
SAFE_WIDE_UNSIGNED(uint32_t)
SAFE_WIDE_UNSIGNED(uint64_t)
SAFE_SIGNED(int8_t, INT8_MIN, INT8_MAX, 32)
SAFE_SIGNED(int16_t, INT16_MIN, INT16_MAX, 32)
SAFE_SIGNED(int32_t, INT32_MIN, INT32_MAX, 32)
SAFE_SIGNED(int64_t, INT64_MIN, INT64_MAX, 64)
SAFE_UNSIGNED(uint8_t, UINT8_MAX, 32)
SAFE_UNSIGNED(uint16_t, UINT16_MAX, 32)
SAFE_UNSIGNED(uint32_t, UINT32_MAX, 32)
SAFE_UNSIGNED(uint64_t, UINT64_MAX, 64)

static uint32_t crc32_table[256];
static uint32_t crc32_context = 0xFFFFFFFFu;

static void crc32_gentab(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) {
            c = (c & 1) != 0 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        }
        crc32_table[i] = c;
    }
}

static void crc32_value(uint64_t value)
{
    for (int byte = 0; byte < 8; byte++) {
        crc32_context = crc32_context >> 8 ^ crc32_table[(crc32_context ^ value >> 8 * byte) & 0xFF];
    }
}

#ifdef CSMITH_TRACE
#define transparent_crc(value, name, flag) (crc32_value(value), (void)printf("%s %x\n", name, crc32_context))
#else
#define transparent_crc(value, name, flag) crc32_value(value)
#endif
#define transparent_crc_bytes(pointer, size, name, flag) crc32_bytes((const unsigned char *)(pointer), size)

static void crc32_bytes(const unsigned char *bytes, int size)
{
    for (int i = 0; i < size; i++) {
        crc32_value(bytes[i]);
    }
}

#define platform_main_begin() ((void)0)
#define platform_main_end(crc, flag) ((void)0)

#endif
