// Functions that are built in and exact: random numbers, memory, absolute values, rounding.
#include <inttypes.h>
#include <rill/kernel.h>
#include <stdlib.h>
#include <string.h>

// run: random_bits n=2000
kernel void random_bits(int n, uint32_t a[n], float b[n], double c[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = rill_random_u32(17, i);
        b[i] = rill_random_f32(0x123456789abcdefULL + i, 5);
        c[i] = rill_random_f64(i, (uint64_t)i << 33);
    }
}

// run: random_normal n=5000
kernel void random_normal(int n, float a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = rill_random_normal_f32(42, i);
    }
}

// run: random_walk n=100 steps=30
kernel int random_walk(int n, int steps, int a[n])
{
    int inside = 0;
    for (int i = 0; i < n; i++) {
        int x = 0;
        for (int t = 0; t < steps; t++) {
            x += (int)(rill_random_u32(i, t) % 3) - 1;
            if (rill_random_f32(i, 1000 + t) < 0.125f) {
                x = -x;
            }
        }
        a[i] = x;
        inside += x > -4 && x < 4;
    }
    return inside;
}

// run: copies n=50
kernel void copies(int n, const int a[n][6], int b[n][6], char c[n][10])
{
    for (int i = 0; i < n; i++) {
        memcpy(b[i], a[n - 1 - i], 4 * sizeof(int));
        memset(&b[i][4], 0x11, 2 * sizeof b[i][4]);
        memset(c[i], i, 9);
        memmove(c[i] + 2, c[i] + 1, 7);
        memmove(c[i], c[i] + 3, 5);
        c[i][9] = memcmp(c[i], c[i] + 4, 4) != 0;
    }
}

// run: whole_arrays n=300
kernel int whole_arrays(int n, double a[n], double b[n])
{
    memcpy(b, a, n * sizeof *a);
    memset(a, 0, n / 2 * sizeof *a);
    memmove(a + 1, a, (n - 1) * sizeof *a);
    return memcmp(a, b, n * sizeof *a) != 0;
}

// run: compare_bytes n=60
kernel int compare_bytes(int n, const unsigned char a[n], const unsigned char b[n])
{
    int less = 0, more = 0;
    for (int i = 0; i + 3 <= n; i++) {
        int r = memcmp(a + i, b + i, 3);
        less += r < 0;
        more += r > 0;
    }
    return less * 100 + more + (memcmp(a, a, n) == 0) * 10000;
}

struct record {
    int id;
    char name[12];
};

// run: records n=40
kernel int records(int n, int out[n])
{
    int equal = 0;
    for (int i = 0; i < n; i++) {
        struct record r = {i, "first"}, s;
        memcpy(&s, &r, sizeof r);
        s.name[i % 5] = 'x';
        equal += memcmp(&r, &s, sizeof r) == 0;
        memcpy(r.name, "other", 6);
        out[i] = r.name[i % 6] + s.name[i % 12];
    }
    return equal;
}

// run: absolutes n=300 wild
kernel void absolutes(int n, const int a[n], const long b[n], const float c[n], long out[n], float f[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i] == INT32_MIN ? 0 : a[i];
        long y = b[i] == INT64_MIN ? 0 : b[i];
        out[i] = abs(x) + labs(y) / 2 + llabs(y % 1000);
        f[i] = fabsf(c[i]);
    }
}

// run: rounding n=400 wild
kernel void rounding(int n, const float a[n], const double b[n], float c[n], double d[n], float e[n], double f[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = floorf(a[i]) + ceilf(a[i] * 0.5f);
        d[i] = trunc(b[i]) - round(b[i] * 0.25);
        e[i] = rintf(a[i] * 0.5f) + nearbyintf(a[i]);
        f[i] = rint(b[i]) + floor(-b[i]);
    }
}

// run: to_integers n=200
kernel void to_integers(int n, const float a[n], const double b[n], long c[n], int d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = lroundf(a[i] * -1.5f) + llrint(b[i] * 3.5) + lround(b[i]);
        d[i] = (int)lrintf(a[i]);
    }
}

// run: exact_functions n=400 wild
kernel void exact_functions(int n, const float a[n], const double b[n], const float c[n], float d[n], double e[n])
{
    for (int i = 0; i < n; i++) {
        d[i] = copysignf(fabsf(a[i]), c[i]) + sqrtf(fabsf(c[i]));
        e[i] = copysign(1.0, b[i]) + fdim(b[i], a[i]) + sqrt(fabs(b[i]));
    }
}

// run: fused n=400
kernel void fused(int n, const float a[n], const double b[n], float c[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = fmaf(a[i], a[i], -c[i]);
        d[i] = fma(b[i], 1.0 / 3, d[i]);
    }
}

// run: classes n=400 wild
kernel void classes(int n, const float a[n], const double b[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = !!isnan(a[i]) | !!isinf(b[i]) << 1 | !!isfinite(a[i]) << 2 | !!signbit(b[i]) << 3 |
                 !!isnormal(a[i]) << 4 | isless(a[i], b[i]) << 5 | isgreaterequal(a[i], b[i]) << 6 |
                 !!isunordered(a[i], b[i]) << 7 | islessgreater(a[i], b[i]) << 8;
    }
}

// run: scaling n=300 wild
kernel void scaling(int n, const float a[n], const double b[n], float c[n], double d[n], int e[n])
{
    for (int i = 0; i < n; i++) {
        int exponent = 0;
        float x = isfinite(a[i]) ? a[i] : 1;
        double y = isfinite(b[i]) && b[i] != 0 ? b[i] : 1;
        c[i] = frexpf(x, &exponent) + ldexpf(x, i % 20 - 10);
        d[i] = scalbn(y, 3) + logb(y) + scalbln(y, -2L);
        e[i] = exponent + ilogb(y);
    }
}

// run: parts n=300 wild
kernel void parts(int n, const float a[n], const double b[n], float c[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        float whole;
        double rest;
        float x = isfinite(a[i]) ? a[i] : 2.5f;
        double y = isfinite(b[i]) ? b[i] : -2.5;
        c[i] = modff(x, &whole);
        c[i] += whole * 2;
        d[i] = modf(y, &rest) + rest + fmod(y, 3.0) + remainder(y, 2.0);
    }
}

// run: neighbours n=300 wild
kernel void neighbours(int n, const float a[n], const double b[n], float c[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = nextafterf(a[i], 1.0f);
        d[i] = nextafter(b[i], -INFINITY);
    }
}

// run: constants
kernel void constants(double out[8])
{
    out[0] = M_PI;
    out[1] = M_E;
    out[2] = M_SQRT2;
    out[3] = M_LN2;
    out[4] = INFINITY;
    out[5] = HUGE_VAL;
    out[6] = (double)INT64_MAX;
    out[7] = M_PI_2 + M_1_PI;
}
