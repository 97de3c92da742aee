// Floats of 16 bits: every one of them there and back, and rounding between all neighbours.
#include "test.h"

#include "base/half.h"

#include <math.h>

TEST(every_half_comes_back)
{
    for (int kind = 0; kind < 2; kind++) {
        int wrong = 0;
        for (int bits = 0; bits < 0x10000; bits++) {
            wrong += half_bits(half_value((uint16_t)bits, kind != 0), kind != 0) != bits;
        }
        CHECK_INT(wrong, 0);
    }
}

TEST(values_are_what_the_formats_say)
{
    CHECK(half_value(0x3c00, false) == 1.0 && half_value(0x3f80, true) == 1.0);
    CHECK(half_value(0x7bff, false) == 65504.0 && half_value(0x0001, false) == 0x1p-24);
    CHECK(half_value(0x03ff, false) == 0x3ffp-24 && half_value(0x0400, false) == 0x1p-14);
    CHECK(half_value(0x7f7f, true) == 0x1.fep127 && half_value(0x0001, true) == 0x1p-133);
    CHECK(half_value(0xfc00, false) == -(double)INFINITY && isnan(half_value(0x7e00, false)));
    CHECK(signbit(half_value(0x8000, true)) && half_value(0x8000, true) == 0);
}

// Between two neighbours the nearer wins, in the middle the even one.
static int wrong_between(uint16_t low, bool is_bf16)
{
    double a = half_value(low, is_bf16), b = half_value((uint16_t)(low + 1), is_bf16);
    double middle = a + (b - a) / 2;
    int even = (low & 1) == 0 ? low : low + 1;
    return (half_bits(middle, is_bf16) != even) + (half_bits(nextafter(middle, 0), is_bf16) != low) +
           (half_bits(nextafter(middle, 1e300), is_bf16) != low + 1) + (half_bits(-middle, is_bf16) != (even | 0x8000));
}

TEST(rounding_is_to_nearest_and_even_in_the_middle)
{
    int wrong = 0;
    for (int bits = 0; bits < 0x7f7f; bits++) {
        wrong += bits < 0x7bff ? wrong_between((uint16_t)bits, false) : 0;
        wrong += wrong_between((uint16_t)bits, true);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(half_bits(65519.999, false), 0x7bff);
    CHECK_INT(half_bits(65520, false), 0x7c00);
    CHECK_INT(half_bits(1e300, true), 0x7f80);
    CHECK_INT(half_bits(-1e-300, false), 0x8000);
}

TEST(integers_round_once)
{
    uint64_t tie = (UINT64_C(1) << 62) + (UINT64_C(1) << 54);
    CHECK_INT(half_bits(half_sticky(tie, false), true), half_bits(0x1p62, true));
    CHECK_INT(half_bits(half_sticky(tie + 1, false), true), half_bits(0x1p62, true) + 1);
    CHECK_INT(half_bits(half_sticky(tie - 1, true), true), half_bits(-0x1p62, true));
    CHECK_INT(half_bits(half_sticky(UINT64_MAX, false), true), half_bits(0x1p64, true));
    CHECK(half_sticky((UINT64_C(1) << 53) - 1, false) == 0x1p53 - 1);
}
