// bfloat16: storage, conversions, arithmetic that rounds after each operation. A compiler without __bf16 gets it from
// its bits.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

#ifdef __RILL__
typedef __bf16 bf16;
#define VALUE(x) ((float)(x))
#define FROM(x) ((bf16)(x))
#define FROM_INTEGER(x) ((bf16)(x))
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
static void put(bf16 x, uint16_t *to)
{
    memcpy(to, &x, 2);
}
static bf16 get(uint16_t bits)
{
    bf16 x;
    memcpy(&x, &bits, 2);
    return x;
}
#else
typedef uint16_t bf16;
static float value(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
// A significand of 8 bits, by the exact long double.
static uint16_t from(long double x)
{
    if (x != x) {
        return 0x7fc0;
    }
    int exponent;
    long double size = fabsl(x);
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    frexpl(size, &exponent);
    exponent = exponent < -125 ? -125 : exponent;
    long double scaled = size == INFINITY ? size : rintl(ldexpl(size, 8 - exponent));
    float f = (float)ldexpl(scaled, exponent - 8);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return sign | (uint16_t)(bits >> 16);
}
#define VALUE(x) value(x)
#define FROM(x) from(x)
#define FROM_INTEGER(x) from(x)
#define ADD(x, y) from(value(x) + value(y))
#define MUL(x, y) from(value(x) * value(y))
#define DIV(x, y) from(value(x) / value(y))
static void put(bf16 x, uint16_t *to)
{
    *to = x;
}
static bf16 get(uint16_t bits)
{
    return bits;
}
#endif

// All NaNs are one.
static uint16_t plain(uint16_t x)
{
    return (x & 0x7fff) > 0x7f80 ? 0x7fc0 : x;
}

// run: arithmetic n=3000 wild
kernel void arithmetic(int n, const uint16_t a[n], const uint16_t b[n], uint16_t out[n][4], float wide[n])
{
    for (int i = 0; i < n; i++) {
        bf16 x = get(a[i]), y = get(b[i]);
        put(ADD(x, y), &out[i][0]);
        put(MUL(x, y), &out[i][1]);
        put(DIV(x, y), &out[i][2]);
        put(ADD(MUL(x, y), x), &out[i][3]);
        wide[i] = VALUE(x);
        for (int k = 0; k < 4; k++) {
            out[i][k] = plain(out[i][k]);
        }
    }
}

// run: rounded n=3000 wild
kernel void rounded(int n, const float f[n], const double d[n], const int64_t a[n], uint16_t out[n][8])
{
    for (int i = 0; i < n; i++) {
        uint64_t tie = (UINT64_C(1) << 62) + (UINT64_C(1) << 54) + (uint64_t)(i % 3) - 1;
        put(FROM(f[i]), &out[i][0]);
        put(FROM(d[i]), &out[i][1]);
        put(FROM(1.0 + 0x1p-8 + (i % 3 - 1) * 0x1p-40), &out[i][2]);
        put(FROM_INTEGER(a[i]), &out[i][3]);
        put(FROM_INTEGER((uint64_t)a[i] >> i % 64), &out[i][4]);
        put(FROM_INTEGER(tie), &out[i][5]);
        put(FROM_INTEGER((int)a[i]), &out[i][6]);
        put(FROM(d[i] * 1e-30), &out[i][7]);
        for (int k = 0; k < 8; k++) {
            out[i][k] = plain(out[i][k]);
        }
    }
}
