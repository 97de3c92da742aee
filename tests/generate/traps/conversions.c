// Promotions, conversions, constants. generate_test.c says how a file of many kernels is read.

//== compound_narrow
//@ buffer b0 i8 64 range -128 127
//@ buffer b1 u8 64 range 0 255
//@ buffer b2 i16 64 range -30000 30000
//@ buffer b3 u16 64 range 0 65535
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
//@ array b3 0 64
#include <rill/kernel.h>
kernel void run(int n, int8_t a[n], uint8_t b[n], int16_t c[n], uint16_t d[n])
{
    for (int i = 0; i < n; i++) {
        a[i] += b[i];
        b[i] -= a[i];
        c[i] *= d[i];
        d[i] += c[i] >> 3;
        a[i] <<= 3;
        b[i] >>= 1;
        c[i] ^= ~d[i];
        d[i] %= 1000;
        a[i] |= 0x80;
        c[i] /= 7;
        b[i] += 1.75;
        a[i] -= 0.5f;
    }
}

//== promote
//@ buffer b0 u8 32 range 0 255
//@ buffer b1 u16 32 range 0 65535
//@ buffer b2 i64 32 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 32
//@ array b2 0 32
#include <rill/kernel.h>
kernel void run(int n, const uint8_t a[n], const uint16_t b[n], long r[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = (a[i] - 300 < 0) + 10 * (b[i] * b[i] < 0) + 100 * (~a[i] < 0) + 1000 * (-a[i] > 0) +
               10000L * (a[i] << 24 < 0) + 100000L * ((uint8_t)~a[i] == 255 - a[i]) + (sizeof(a[i] + a[i]) * 1000000L) +
               (1 ? -1 : 1u) + (a[i] - 1u > 10);
    }
}

//== mixed_sign
//@ buffer b0 i32 40 range -50 50
//@ buffer b1 u32 40 range 1 50
//@ buffer b2 i64 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
//@ array b2 0 40
#include <rill/kernel.h>
kernel void run(int n, const int a[n], const unsigned b[n], int64_t r[n])
{
    for (int i = 0; i < n; i++) {
        int64_t t = 0;
        t |= (a[i] < b[i]) << 0;
        t |= (a[i] < (long)b[i]) << 1;
        t |= (a[i] / b[i] > 100) << 2;
        t |= (a[i] % (int)(b[i] + 1) < 0) << 3;
        t |= (int64_t)(a[i] + b[i]) << 8;
        t ^= (int64_t)(a[i] * b[i]) << 20;
        t += (short)a[i] - (unsigned char)b[i];
        t += (a[i] > -1u) + (-1L < b[i]) + (-1 < 1ul) + (a[i] >= 0u);
        r[i] = t;
    }
}

//== bool
//@ buffer b0 f32 32 range -2 2
//@ buffer b1 i32 32 range -3 3
//@ buffer b2 bool 32 range 0 1
//@ buffer b3 i32 32 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 32
//@ array b2 0 32
//@ array b3 0 32
#include <rill/kernel.h>
kernel void run(int n, const float f[n], const int a[n], bool b[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        b[i] += a[i];
        b[i] = b[i] ? (bool)(f[i] * 0.25f) : 256;
        b[i] |= a[i] & 2;
        b[i] ^= 3;
        bool c = 0.1;
        c -= 1;
        _Bool d = (_Bool)0x100;
        d *= a[i];
        c++;
        r[i] = b[i] + c * 2 + d * 4 + (!!f[i]) * 8 + (sizeof(!a[i]) << 4) + (b[i] + b[i]) * 256 + ~c;
    }
}

//== incdec
//@ buffer b0 u8 16 range 0 255
//@ buffer b1 i8 16 range -128 127
//@ buffer b2 f32 16 range -3 3
//@ buffer b3 i32 16 range 0 0
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
//@ array b2 0 16
//@ array b3 0 16
#include <rill/kernel.h>
kernel void run(int n, uint8_t a[n], int8_t b[n], float f[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int t = a[i]++ * 3 - --b[i];
        t += (a[i]-- > b[i]++) + (int)(f[i]++ * 4) + (int)--f[i];
        uint8_t z = 0;
        z--;
        int8_t y = 127;
        y++;
        bool q = 0;
        q++;
        q++;
        r[i] = t * 2 + z + y + q + (int)sizeof(z++) + z;
    }
}

//== shift_types
//@ buffer b0 i32 40 range 0 31
//@ buffer b1 i64 40 range -1000000 1000000
//@ buffer b2 i64 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
//@ array b2 0 40
#include <rill/kernel.h>
kernel void run(int n, const int s[n], const long x[n], long r[n])
{
    for (int i = 0; i < n; i++) {
        unsigned char c = 200;
        signed char d = -100;
        unsigned short h = 0xf00f;
        c >>= (long)(s[i] & 7);
        d >>= s[i] & 3;
        h <<= s[i] & 15;
        r[i] = (1u << s[i]) + (x[i] >> s[i]) + ((unsigned)x[i] >> s[i]) + c * 3 + d * 5 + h * 7 + ((char)x[i] >> 2) +
               (1L << s[i] << s[i]);
    }
}

//== float_int
//@ buffer b0 f64 40 range -3000000 3000000
//@ buffer b1 f32 40 range -3000 3000
//@ buffer b2 i64 40 range 0 0
//@ buffer b3 f32 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
//@ array b2 0 40
//@ array b3 0 40
#include <rill/kernel.h>
kernel void run(int n, const double d[n], const float f[n], long r[n], float g[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = (int)(d[i] / 7) + (short)(int)f[i] * 3 + (long)(f[i] * d[i]) + (unsigned char)(int)(f[i] * 0.01f) +
               (int64_t)(float)(d[i] * 1e6);
        g[i] = (float)r[i] + (float)(unsigned long)(r[i] & 0x7fffffffffffff) + 16777217 + (float)0xffffffffu +
               (float)(double)(long)d[i];
    }
}

//== const_types
//@ buffer b0 i64 40 range 0 0
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(long r[40])
{
    int k = 0;
    r[k++] = sizeof(2147483647);
    r[k++] = sizeof(2147483648);
    r[k++] = sizeof(0xffffffff);
    r[k++] = sizeof(0x100000000);
    r[k++] = -2147483648 < 0;
    r[k++] = 0xffffffff > -1;
    r[k++] = 4294967295 > -1;
    r[k++] = 037777777777 == -1;
    r[k++] = 1u - 2 > 0;
    r[k++] = 1ul - 2 > 0;
    r[k++] = sizeof('a');
    r[k++] = '\xff';
    r[k++] = '\0' + '\7' + '\x41' + '\101';
    r[k++] = sizeof(1.f);
    r[k++] = sizeof 1.;
    r[k++] = sizeof(1 + 1.f);
    r[k++] = sizeof(1ull + 1.f);
    r[k++] = 0x1p4 + 0x.8p1f + .5e1 + 1.e0;
    r[k++] = 08.5 + 09e0;
    r[k++] = L'x' + sizeof L'x';
    r[k++] = sizeof(short) + sizeof((short)1 + (short)1);
    r[k++] = sizeof((char)1 << 1L);
    r[k++] = sizeof(1 ? 1 : 1L);
    r[k++] = sizeof(0, 1.0f);
    r[k++] = 0777 + 0b101;
    r[k++] = 1 ? 2147483647 + 1u : 0;
    r[k++] = (char)300 + (signed char)200 + (unsigned char)-1 + (unsigned short)-1;
}

//== ternary_types
//@ buffer b0 i32 20 range -9 9
//@ buffer b1 f64 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int a[n], double r[n])
{
    for (int i = 0; i < n; i++) {
        const unsigned u = 3;
        const char c = -7;
        const float f = 0.1f;
        r[i] = (a[i] > 0 ? a[i] : u) + (a[i] > 2 ? c : 5L) + (a[i] < 0 ? f : 0.1) + (a[i] ? 1 : 2.0f) / 3 +
               (a[i] > 1 ? (short)c : c) + (a[i] & 1 ? -1 : u);
    }
}

//== chain_assign
//@ buffer b0 i32 20 range -900 900
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        signed char c;
        unsigned char u;
        short s;
        bool b;
        float f;
        int t = c = u = a[i];
        int w = u = c = a[i] * 3;
        int z = s = f = a[i] / 7.0f;
        int y = b = u = c;
        r[i] = t + w * 3 + z * 5 + y * 7 + (c += u -= 3) + (u *= s <<= 2) + (f += b = 7);
    }
}

//== div_neg
//@ buffer b0 i32 40 range -100 100
//@ buffer b1 i32 40 range -9 -1
//@ buffer b2 i64 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
//@ array b2 0 40
#include <rill/kernel.h>
kernel void run(int n, const int a[n], const int b[n], int64_t r[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = a[i] / b[i] + 1000 * (a[i] % b[i]) + 1000000L * (a[i] / 4) + (a[i] >> 2) * 7 + a[i] % 8 * 11 +
               (unsigned)a[i] / 3 + (unsigned)a[i] % 10u + (long)a[i] / b[i] + (int8_t)a[i] / (int8_t)b[i] +
               (int16_t)a[i] % b[i];
    }
}

//== hole_ops
//@ buffer b0 i32 30 range -2147483648 2147483647
//@ buffer b1 i32 30 range -2 2
//@ buffer b2 f32 30 special -4 4
//@ buffer b3 i64 30 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 30
//@ array b2 0 30
//@ array b3 0 30
#include <rill/kernel.h>
// What C leaves open, language.md 6 closes: all of Rill's ways must agree with each other.
kernel void run(int n, const int a[n], const int b[n], const float f[n], int64_t r[n])
{
    for (int i = 0; i < n; i++) {
        int m = -2147483647 - 1;
        r[i] = a[i] / b[i] + (long)(a[i] % b[i]) * 3 + m / b[i] + m % b[i] + (1 << b[i]) + (a[i] >> b[i]) +
               (int)(f[i] * 1e9f) * 7L + (unsigned char)(f[i] * 1e3f) + (unsigned)(f[i] * 1e10f) + (bool)f[i] +
               (int64_t)(f[i] * 1e20f) / 3 + (uint64_t)(f[i] * 1e20f) % 1001 + (short)(f[i] * 1e5f);
    }
}

//== enum
//@ buffer b0 i32 20 range 0 6
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
enum e { A = -2, B, C, D = C + 5, E_, F = 'a', G = sizeof(int), H = D == 5 ? 1 : 2 };
typedef enum { X1 = 1u << 3, X2 = ~0 } flags;
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        enum e v = a[i];
        flags w = X1;
        enum { LOCAL = 40, A = 3 };
        v++;
        w |= v;
        r[i] = v + B * 10 + C + D + E_ + F + G + H + LOCAL + A + w + (v < B) + sizeof(enum e) + (X2 < 0);
    }
}

//== unsigned_wrap
//@ buffer b0 u8 20 range 0 255
//@ buffer b1 u32 20 range 0 4294967295
//@ buffer b2 u64 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
//@ array b2 0 20
#include <rill/kernel.h>
kernel void run(int n, const uint8_t a[n], const unsigned b[n], uint64_t r[n])
{
    for (int i = 0; i < n; i++) {
        uint8_t x = a[i] + 200;
        uint16_t y = b[i] * 3;
        unsigned z = b[i] * b[i];
        uint64_t w = b[i] * b[i], v = (uint64_t)b[i] * b[i];
        r[i] =
            x + y * 3ul + z + w * 5 + v + (uint8_t)(a[i] - 201) + (0u - a[i]) + (uint16_t)-a[i] + -(uint64_t)a[i] + !x;
    }
}

//== side_effect_order
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
static int bump(int *p, int by)
{
    *p += by;
    return *p;
}
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], y = 3, t[3] = {1, 2, 3};
        int z = (bump(&x, 1) && bump(&y, 1)) || bump(&x, 100);
        z += a[i] > 4 ? bump(&x, 2) : bump(&y, 2);
        z += (bump(&x, 1), bump(&x, 1));
        int k = 0;
        t[k++] += 5;
        t[k] *= 2;
        k = k++ ? 2 : 0;
        t[k] = k;
        int q = 0;
        q += 2, q += 3;
        r[i] = z + x * 100 + y * 1000 + t[0] + t[1] * 3 + t[2] * 5 + q;
    }
}

//== minmax_const
//@ buffer b0 i64 16 range 0 0
//@ array b0 0 16
#include <float.h>
#include <limits.h>
#include <rill/kernel.h>
kernel void run(long r[16])
{
    r[0] = INT_MAX + 1LL;
    r[1] = UINT_MAX;
    r[2] = LONG_MIN;
    r[3] = SCHAR_MIN + CHAR_MAX + UCHAR_MAX;
    r[4] = SHRT_MAX + USHRT_MAX;
    r[5] = ULLONG_MAX == -1;
    r[6] = INT64_MAX == LLONG_MAX;
    r[7] = UINT8_MAX + INT16_MIN;
    r[8] = SIZE_MAX == UINT64_MAX;
    r[9] = FLT_MANT_DIG + DBL_MAX_EXP + FLT_MIN_EXP;
    r[10] = (long)(FLT_MAX / 1e30f);
    r[11] = INT_MIN / 2 - INT_MAX;
    r[12] = UINT64_C(1) << 63 >> 60;
    r[13] = INT8_C(-3) * UINT16_C(4);
    r[14] = sizeof(intptr_t) + sizeof(ptrdiff_t) + sizeof(wchar_t) + sizeof(intmax_t);
    r[15] = INT_LEAST16_MAX + UINT_FAST8_MAX;
}

//== bitops_narrow
//@ buffer b0 u8 20 range 0 255
//@ buffer b1 u16 20 range 0 65535
//@ buffer b2 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
//@ array b2 0 20
#include <rill/kernel.h>
kernel void run(int n, uint8_t a[n], uint16_t b[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        uint8_t rot = a[i] << 3 | a[i] >> 5;
        uint16_t sw = b[i] << 8 | b[i] >> 8;
        uint8_t rev = 0;
        for (int k = 0; k < 8; k++) {
            rev |= (a[i] >> k & 1) << (7 - k);
        }
        uint8_t gray = a[i] ^ a[i] >> 1;
        int pop = 0;
        for (uint8_t x = a[i]; x; x &= x - 1) {
            pop++;
        }
        r[i] = rot + sw * 3 + rev * 5 + gray * 7 + pop * 11 + ((a[i] & -a[i]) == (uint8_t)(a[i] & ~(a[i] - 1)));
        a[i] = ~a[i];
        b[i] = ~b[i] + 1;
        a[i] = !a[i] + (a[i] & 0xf) + ~(a[i] >> 4);
    }
}

//== float_double_mix
//@ buffer b0 f32 30 range -9 9
//@ buffer b1 f64 30 range -9 9
//@ buffer b2 f64 30 range 0 0
//@ buffer b3 f32 30 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 30
//@ array b2 0 30
//@ array b3 0 30
#include <rill/kernel.h>
kernel void run(int n, const float f[n], const double d[n], double r[n], float q[n])
{
    for (int i = 0; i < n; i++) {
        float x = f[i] * 0.1;
        x += 0.1;
        x *= d[i];
        x -= 1e-3;
        double y = f[i] * 0.1f;
        y += 0.1f;
        y /= 3;
        q[i] = x + f[i] / 3;
        r[i] = y + x + (float)d[i] * 0.3 + (float)(d[i] * 0.3) + f[i] / 3.0f;
        q[i] += 1;
        q[i] = q[i] + 0.5;
        r[i] += 1.0f / 3;
        q[i] = -q[i];
        q[i] = q[i] > 0.1 ? q[i] : 0.1f == 0.1;
    }
}
