// Bit-fields, unions, punning, struct layout.
#include <rill/kernel.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct packed_date {
    unsigned day : 5;
    unsigned month : 4;
    int year : 14;
    unsigned : 3;
    unsigned weekday : 3;
    _Bool leap : 1;
};

// run: fields n=300 wild
kernel void fields(int n, const int a[n], int out[n], int raw[n])
{
    for (int i = 0; i < n; i++) {
        struct packed_date d = {0};
        d.day = a[i];
        d.month = a[i] >> 5;
        d.year = a[i] >> 9;
        d.weekday += a[i];
        d.leap = a[i] & 0x100;
        d.day++;
        d.month -= 3;
        d.year = -d.year;
        out[i] = d.day + d.month * 100 + d.year * 3 + d.weekday * 7 + d.leap * 1000 + (d.day - 31 < 0);
        memcpy(&raw[i], &d, 4);
    }
}

struct signed_fields {
    int a : 1;
    int b : 3;
    long long c : 33;
    unsigned long long d : 40;
    short e : 9;
    unsigned char f : 3;
    unsigned char : 0;
    unsigned char g : 6;
    char h : 2;
};

// run: signed_bits n=300 wild
kernel void signed_bits(int n, const int64_t a[n], int64_t out[n], int size[1])
{
    for (int i = 0; i < n; i++) {
        struct signed_fields s;
        memset(&s, 0, sizeof s);
        int64_t x = 0;
        x += s.a = a[i];
        x += s.b = a[i] >> 1;
        x += s.c = a[i] >> 4;
        x += s.d = a[i] >> 3;
        x += s.e = a[i] >> 20;
        x += s.f |= a[i] >> 7;
        x += s.g ^= a[i] >> 9;
        x += s.h = a[i];
        // Whether a field wider than int keeps its width in arithmetic is the compiler's choice: these are cast.
        x += (int64_t)(s.c <<= 1) + (int64_t)(s.d >>= 5) + (s.e *= 3) + s.f++ + --s.g + s.h--;
        out[i] =
            x + s.a * 3 + s.b * 5 + (int64_t)s.c * 7 + (int64_t)s.d * 11 + s.e * 13 + s.f * 17 + s.g * 19 + s.h * 23;
    }
    size[0] = sizeof(struct signed_fields);
}

// A bit-field narrower than int promotes to int, one of 32 unsigned bits to unsigned.
struct promoted {
    unsigned narrow : 31;
    unsigned full : 32;
};

// run: promotions
kernel int promotions(int out[4])
{
    struct promoted p = {0, 0};
    out[0] = p.narrow - 1 < 0;
    out[1] = p.full - 1 < 0;
    out[2] = ~p.narrow < 0;
    out[3] = -p.full > 0;
    return sizeof(+p.narrow);
}

union word {
    float f;
    uint32_t u;
    int32_t i;
    uint8_t b[4];
    struct {
        uint16_t lo, hi;
    } h;
    struct {
        uint32_t mantissa : 23, exponent : 8, sign : 1;
    } parts;
};

// run: unions n=300 wild
kernel void unions(int n, const float a[n], uint32_t out[n], uint8_t bytes[n][4])
{
    for (int i = 0; i < n; i++) {
        union word w;
        w.f = a[i] != a[i] ? 0 : a[i];
        for (int k = 0; k < 4; k++) {
            bytes[i][k] = w.b[k];
        }
        w.h.lo ^= w.h.hi;
        w.parts.sign = !w.parts.sign;
        w.parts.exponent += 3;
        w.b[1]++;
        out[i] = w.u + w.i;
    }
}

// run: punning n=300 wild
kernel void punning(int n, const uint32_t a[n], float f[n], uint64_t d[n], uint16_t h[2 * n])
{
    for (int i = 0; i < n; i++) {
        uint32_t u = a[i] & 0x7f7fffff;
        f[i] = *(float *)&u;
        double x = f[i];
        memcpy(&d[i], &x, sizeof x);
        *(uint32_t *)&h[2 * i] = a[i] * 3;
    }
}

// run: bytes_of n=200 wild
kernel void bytes_of(int n, double a[n], unsigned char out[8 * n])
{
    const unsigned char *p = (const unsigned char *)a;
    for (int i = 0; i < 8 * n; i++) {
        out[i] = p[i] ^ 0x5a;
    }
}

struct layout {
    char a;
    double b;
    short c;
    int d;
    char e[3];
    union {
        int i;
        char letter;
    };
    struct {
        char x;
        long y;
    } inner[2];
};

#pragma pack(push, 1)
struct tight {
    char a;
    double b;
    short c;
    int d;
};
#pragma pack(2)
struct pairs {
    char a;
    int b;
    long c;
};
#pragma pack(pop)

// run: layouts
kernel void layouts(int out[16])
{
    out[0] = sizeof(struct layout);
    out[1] = offsetof(struct layout, b);
    out[2] = offsetof(struct layout, d);
    out[3] = offsetof(struct layout, e[2]);
    out[4] = offsetof(struct layout, i);
    out[5] = offsetof(struct layout, inner[1].y);
    out[6] = sizeof(struct tight);
    out[7] = offsetof(struct tight, d);
    out[8] = sizeof(struct pairs);
    out[9] = offsetof(struct pairs, c);
    out[10] = _Alignof(struct layout);
    out[11] = _Alignof(struct tight);
    out[12] = _Alignof(struct pairs);
    out[13] = sizeof(union word);
    out[14] = sizeof(struct packed_date);
    out[15] = sizeof(((struct layout *)0)->inner);
}

// run: tight_access n=100 wild
kernel void tight_access(int n, const int a[n], unsigned char out[15 * n])
{
    for (int i = 0; i < n; i++) {
        struct tight t = {a[i], (double)(a[i] >> 4), a[i] >> 3, a[i] * 5};
        t.d += t.c;
        *(struct tight *)&out[15 * i] = t;
    }
}

struct mixed {
    int8_t kind;
    int flags : 12;
    unsigned count : 20;
    float weight;
};
// struct mixed: b3xif

// run: bits_in_arrays n=200
kernel void bits_in_arrays(int n, struct mixed a[n])
{
    for (int i = 0; i < n; i++) {
        a[i].flags = a[i].kind * 3;
        a[i].count += i;
        a[i].weight *= a[i].flags;
        a[i].kind = a[i].count & 1 ? -a[i].kind : a[i].kind;
    }
}

struct flags {
    volatile unsigned a : 3;
    const unsigned b : 2;
    unsigned c : 27;
};

// run: qualified n=50
kernel void qualified(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        struct flags f = {i, i >> 3, i * 12345};
        f.a += 5;
        f.c ^= f.b;
        out[i] = f.a + f.b * 8 + f.c * 32;
    }
}

// run: whole_copies n=100 wild
kernel void whole_copies(int n, const uint32_t a[n], uint32_t b[n])
{
    for (int i = 0; i < n; i++) {
        union word x = {.u = a[i]}, y, z[2];
        y = x;
        z[i & 1] = y;
        z[~i & 1].u = i;
        x = z[0];
        b[i] = x.u + z[1].h.hi + (union word){.h = {.hi = 7}}.u;
    }
}

#pragma pack(push, 1)
struct across {
    unsigned a : 5;
    uint64_t b : 62;
    int64_t c : 61;
    uint64_t d : 64;
    unsigned e : 3;
};
#pragma pack(pop)

static const struct across fixed = {17, 0x2123456789abcdefu, -0x0123456789abcdefl, 0xfedcba9876543210u, 5};

// Fields that reach into a ninth byte.
// run: nine_bytes n=60 wild
kernel void nine_bytes(int n, const uint64_t in[n], uint64_t out[n])
{
    for (int i = 0; i + 4 < n; i += 5) {
        struct across s = fixed;
        s.b ^= in[i];
        s.c += (int64_t)in[i + 1];
        s.a++;
        s.d = s.d * 3 + in[i + 2];
        s.e -= 7;
        out[i] = s.b;
        out[i + 1] = (uint64_t)(int64_t)s.c;
        out[i + 2] = s.d;
        out[i + 3] = s.a * 8u + s.e;
        out[i + 4] = sizeof s + (s.b = in[i + 3]);
    }
}
