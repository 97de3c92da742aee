// Conversions between the arithmetic types, the usual arithmetic conversions and integer promotions.
#include <limits.h>
#include <rill/kernel.h>
#include <stdbool.h>
#include <stdint.h>

// run: widen n=500 wild
kernel void widen(int n, const int8_t a[n], const uint8_t b[n], const int16_t c[n], const uint16_t d[n], int64_t out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = (int64_t)a[i] + b[i] + c[i] + d[i];
    }
}

// run: narrow n=500 wild
kernel void narrow(int n, const int64_t a[n], int8_t b[n], uint8_t c[n], int16_t d[n], uint16_t e[n], int f[n],
                   uint32_t g[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = a[i];
        c[i] = a[i];
        d[i] = a[i];
        e[i] = a[i];
        f[i] = a[i];
        g[i] = a[i];
    }
}

// run: reinterpret n=500 wild
kernel void reinterpret(int n, const int a[n], const uint32_t b[n], uint64_t c[n], int64_t d[n], uint64_t e[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = a[i];           // sign-extends, then wraps
        d[i] = b[i];           // zero-extends
        e[i] = (unsigned)a[i]; // wraps, then zero-extends
    }
}

// run: promote n=500 wild
kernel void promote(int n, const uint8_t a[n], const int8_t b[n], const uint16_t c[n], int out[n], int sizes[6])
{
    for (int i = 0; i < n; i++) {
        out[i] = ~a[i] + (a[i] << 8) - (b[i] >> 1) + (a[i] - c[i] < 0) + (b[i] == a[i]);
    }
    sizes[0] = sizeof(a[0] + a[0]);
    sizes[1] = sizeof('a');
    sizes[2] = sizeof(+b[0]);
    sizes[3] = sizeof(c[0] << 40LL);
    sizes[4] = sizeof(1 ? a[0] : 1L);
    sizes[5] = sizeof(1.0f * 1.0);
}

// run: mixed_signs n=500 wild
kernel void mixed_signs(int n, const int a[n], const unsigned b[n], const long c[n], const unsigned long d[n],
                        int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = (a[i] < b[i]) | (b[i] < c[i]) << 1 | (c[i] < d[i]) << 2 | (a[i] < d[i]) << 3 | (-1 < 1u) << 4 |
                 ((a[i] + b[i]) / 2 > 5) << 5 | (-1L < 1u) << 6;
    }
}

// run: floats n=500 wild
kernel void floats(int n, const float a[n], const double b[n], double c[n], float d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = a[i];
        d[i] = (float)b[i];
    }
}

// run: int_to_float n=500 wild
kernel void int_to_float(int n, const int a[n], const unsigned b[n], const int64_t c[n], const uint64_t d[n],
                         float e[n], double f[n], float g[n], double h[n])
{
    for (int i = 0; i < n; i++) {
        e[i] = a[i];
        f[i] = b[i];
        g[i] = c[i];
        h[i] = d[i];
    }
}

// run: long_to_float n=500 wild
kernel void long_to_float(int n, const uint64_t a[n], const int64_t b[n], float c[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = a[i];
        d[i] = b[i];
    }
}

// run: float_to_int n=500
kernel void float_to_int(int n, const float a[n], const double b[n], int c[n], int8_t d[n], uint64_t e[n],
                         unsigned f[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = a[i] * -1000.7f;
        d[i] = -b[i];
        e[i] = b[i] * 1e12;
        f[i] = (unsigned)(a[i] * 1e6f);
    }
}

// run: to_bool n=500 wild
kernel void to_bool(int n, const int a[n], const float b[n], const double c[n], const uint8_t d[n], bool out[n],
                    int count[1])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        _Bool x = a[i] & 0x100, y = b[i], z = c[i] * 0.0, w = d[i] & 3;
        out[i] = x ^ y ^ z ^ w;
        sum += x + y + z + w;
        x += 7;
        y--;
        sum += x * 2 + y;
    }
    count[0] = sum;
}

// run: literals
kernel int literals(int sizes[14], long values[14])
{
    sizes[0] = sizeof 2147483647;
    sizes[1] = sizeof 2147483648;
    sizes[2] = sizeof 0x80000000;
    sizes[3] = sizeof 0xFFFFFFFFFF;
    sizes[4] = sizeof 1u;
    sizes[5] = sizeof 1ull;
    sizes[6] = sizeof 0x1p3f;
    sizes[7] = sizeof 1e3;
    sizes[8] = sizeof "abc\0\x41";
    sizes[9] = sizeof(L'a');
    sizes[10] = 0x80000000 > -1;
    sizes[11] = 2147483648 > -1;
    sizes[12] = '\377' < 0;
    sizes[13] = 0777;
    values[0] = 0x7fffffffffffffff;
    values[1] = 'a' * 256 + '\n' + '\0' + '\x7f' + '\101';
    values[2] = (long)0x1.8p1;
    values[3] = (long)1.5e3f;
    values[4] = INT_MIN;
    values[5] = UINT_MAX;
    values[6] = LONG_MIN;
    values[7] = CHAR_MIN;
    values[8] = SHRT_MAX;
    values[9] = INT64_C(5) << 40;
    values[10] = UINT16_MAX + 1;
    values[11] = -1u / 2;
    values[12] = -1 / 2;
    values[13] = 5 % -3 * 10 + -5 % 3;
    return sizeof(long) + sizeof(void *) * 10 + sizeof(size_t) * 100;
}

// run: assignments n=500 wild
kernel void assignments(int n, const int a[n], uint8_t b[n], int16_t c[n], float d[n], unsigned e[n])
{
    for (int i = 0; i < n; i++) {
        b[i] += a[i];
        b[i] <<= 3;
        b[i] /= 3;
        c[i] *= a[i];
        c[i] >>= 2;
        c[i] ^= 0x1234;
        d[i] = a[i] % 1000;
        d[i] *= 1.1; // in double, then rounded
        d[i] -= 3;
        e[i] %= 77;
        e[i] |= a[i] & ~0xff;
        e[i] = (b[i] += 250) + (c[i]++) + --e[i];
    }
}

// run: chains n=300 wild
kernel void chains(int n, const int a[n], int8_t b[n], int c[n], float d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = b[i] = a[i]; // c gets the narrowed value
        d[i] = c[i] += b[i] *= 2;
    }
}

// run: conditionals n=300 wild
kernel void conditionals(int n, const int a[n], const unsigned b[n], const float c[n], double d[n], long e[n])
{
    for (int i = 0; i < n; i++) {
        d[i] = a[i] > 0 ? a[i] : b[i];      // unsigned
        e[i] = a[i] & 1 ? -1 : b[i];        // unsigned too
        d[i] += a[i] & 2 ? c[i] > 0 : a[i]; // int
        e[i] += (a[i] & 4 ? 'c' : (short)a[i]);
    }
}

// run: shifts n=400 wild
kernel void shifts(int n, const int a[n], const unsigned b[n], const int64_t c[n], const uint64_t d[n], int64_t out[n])
{
    for (int i = 0; i < n; i++) {
        int s = b[i] & 31, t = b[i] >> 7 & 63;
        out[i] = (a[i] >> s) ^ (int64_t)(b[i] << s) ^ (b[i] >> s) ^ (c[i] >> t) ^ (int64_t)(d[i] << t) ^
                 (int64_t)(d[i] >> t) ^ ((int64_t)a[i] << (t & 31)) ^ (1u << s) ^ ((uint8_t)a[i] >> (s & 7)) ^
                 ((int8_t)a[i] >> (s & 7));
    }
}

// run: divisions n=400 wild
kernel void divisions(int n, const int a[n], const int b[n], const int64_t c[n], const unsigned d[n], int64_t out[n])
{
    for (int i = 0; i < n; i++) {
        int m = b[i] | 1;
        m = m == -1 ? 7 : m;
        unsigned k = d[i] | 1;
        out[i] = a[i] / m + a[i] % m + c[i] / m + c[i] % m + a[i] / k + a[i] % k + (int8_t)a[i] / 3 +
                 (uint8_t)b[i] % 10 + c[i] / 1000 + (int64_t)((uint64_t)c[i] / 1000) + a[i] / 8 + a[i] % 8 + a[i] / -16;
    }
}

// run: wrapping n=400 wild
kernel void wrapping(int n, const int a[n], const int b[n], const int64_t c[n], const int16_t d[n], int64_t out[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i] + b[i], y = a[i] - b[i], z = a[i] * b[i], w = -a[i];
        int64_t p = c[i] * c[i] + a[i], q = -c[i];
        int16_t s = d[i] * d[i];
        out[i] = x ^ (int64_t)y << 3 ^ (int64_t)z << 7 ^ w ^ p ^ q ^ s;
    }
}

// run: comparisons n=400 wild
kernel void comparisons(int n, const float a[n], const float b[n], const double c[n], const int d[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        float x = i % 3 == 0 ? a[i] : b[i];
        out[i] = (a[i] < x) | (a[i] <= x) << 1 | (a[i] > x) << 2 | (a[i] >= x) << 3 | (a[i] == x) << 4 |
                 (a[i] != x) << 5 | !a[i] << 6 | (a[i] && b[i]) << 7 | (c[i] || b[i]) << 8 | !(c[i] < d[i]) << 9 |
                 (x == c[i]) << 10;
    }
}

// run: float_arithmetic n=400 wild
kernel void float_arithmetic(int n, const float a[n], const float b[n], const double c[n], float d[n], double e[n],
                             float f[n])
{
    for (int i = 0; i < n; i++) {
        d[i] = a[i] * b[i] + a[i];
        e[i] = a[i] * c[i] / b[i] - 1;
        f[i] = -a[i] / (b[i] + 1) + sqrtf(fabsf(a[i])) - (float)sqrt(fabs(c[i]));
    }
}
