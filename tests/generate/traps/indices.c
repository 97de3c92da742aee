// Indices that wrap, fold and meet; extremes; what fusing must not do. generate_test.c says how a file of many kernels
// is read.

//== narrow_index
//@ buffer b0 i32 70000 range 0 9
//@ int 3000
//@ array b0 0 70000
#include <rill/kernel.h>
kernel void run(int n, int *a)
{
    for (int i = 0; i < n; i++) {
        a[(uint8_t)i] = i;
    }
    for (int i = 0; i < 200; i++) {
        a[(uint8_t)i] = i;
    }
    for (int i = 0; i < n; i++) {
        a[(uint8_t)(i * 7)] += i;
    }
    for (int i = 0; i < n; i++) {
        a[(uint16_t)(i * 64)] = i;
    }
    for (int i = 0; i < n; i++) {
        a[(signed char)i + 128] = i;
    }
    for (unsigned i = 0; i < (unsigned)n; i++) {
        a[(i * 0x40000000u) >> 28] = i;
    }
    for (int i = 0; i < n; i++) {
        uint8_t k = i;
        k += 3;
        a[k] = i;
    }
    for (int i = 0; i < n; i++) {
        short k = i * 100;
        a[k & 0xffff] = i;
    }
}

//== mul_wrap_index
//@ buffer b0 i32 64 range 0 9
//@ int 40
//@ int 1073741824
//@ array b0 0 64
// or
//@ buffer b0 i32 200 range 0 9
//@ int 40
//@ int 3
//@ array b0 0 200
#include <rill/kernel.h>
kernel void run(int n, int s, int *a)
{
    for (int i = 0; i < n; i++) {
        a[(i * s) & 63] = i;
    }
    for (int i = 0; i < 4; i++) {
        a[i * s * 4] = i + 1;
    }
    for (unsigned i = 0; i < 4; i++) {
        a[(unsigned)s * 4 * i] += i + 1;
    }
}

//== minus_zero
//@ buffer b0 f32 2000 range -1 1
//@ buffer b1 f32 16 range 0 0
//@ int 2000
//@ array b0 0 2000
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, float x[n], float r[16])
{
    for (int i = 0; i < n; i++) {
        x[i] = x[i] == 0 && i & 1 ? -0.0f : x[i] == 0 ? 0.0f : x[i] > 0 ? 0.0f : -0.0f;
    }
    float a = 0, b = 0, c = -0.0f, d = -0.0f, e = 1, f = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] < a) {
            a = x[i];
        }
    }
    for (int i = 0; i < n; i++) {
        if (x[i] <= b) {
            b = x[i];
        }
    }
    for (int i = 0; i < n; i++) {
        if (c < x[i]) {
            c = x[i];
        }
    }
    for (int i = 0; i < n; i++) {
        d = d >= x[i] ? d : x[i];
    }
    for (int i = 0; i < n; i++) {
        e = x[i] < e ? x[i] : e;
    }
    for (int i = 0; i < n; i++) {
        f = x[i] >= f ? x[i] : f;
    }
    r[0] = a;
    r[1] = b;
    r[2] = c;
    r[3] = d;
    r[4] = e;
    r[5] = f;
}

//== nan_minmax
//@ buffer b0 f32 2000 special -100 100
//@ buffer b1 f32 16 range 0 0
//@ buffer b2 i32 16 range 0 0
//@ int 2000
//@ array b0 0 2000
//@ array b1 0 16
//@ array b2 0 16
#include <rill/kernel.h>
kernel void run(int n, const float x[n], float r[16], int t[16])
{
    float a = 1000, b = -1000, c = 1000, d = -1000, e = 1000, f = 1000, g = 1000;
    int at = -1, bt = -1, et = -1, ft = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] < a) {
            a = x[i];
            at = i;
        }
    }
    for (int i = 0; i < n; i++) {
        if (x[i] >= b) {
            b = x[i];
            bt = i;
        }
    }
    for (int i = 0; i < n; i++) {
        c = c < x[i] ? c : x[i];
    }
    for (int i = 0; i < n; i++) {
        d = d > x[i] ? d : x[i];
    }
    for (int i = 0; i < n; i++) {
        e = fminf(e, x[i]);
    }
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= f)) {
            f = x[i];
            ft = i;
        }
    }
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) {
            continue;
        }
        if (x[i] * x[i] < g) {
            g = x[i] * x[i];
            et = i;
        }
    }
    r[0] = a;
    r[1] = b;
    r[2] = c;
    r[3] = d;
    r[4] = e;
    r[5] = f;
    r[6] = g;
    t[0] = at;
    t[1] = bt;
    t[2] = et;
    t[3] = ft;
}

//== reduce_types
//@ buffer b0 i32 3000 range -100000 100000
//@ buffer b1 i64 20 range 0 0
//@ int 3000
//@ array b0 0 3000
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int x[n], long r[20])
{
    signed char c = 1;
    unsigned char uc = 2;
    short s = 3;
    unsigned short us = 4;
    unsigned u = 5;
    long l = 6;
    unsigned long ul = 7;
    double d = 8;
    float f = 0;
    bool b = 0, bb = 1;
    signed char mx = -128;
    unsigned char mn = 255;
    long long mu = 1;
    short an = -1;
    for (int i = 0; i < n; i++) {
        c += x[i];
        uc -= x[i];
        s ^= x[i];
        us |= x[i] & 0x1010;
        u *= x[i] | 1;
        l += x[i];
        ul -= x[i];
        d += x[i];
        b = b || x[i] == 77;
        bb = bb && x[i] != 77;
        mu *= 3;
        an &= x[i] | 0xff;
        if ((signed char)x[i] > mx) {
            mx = (signed char)x[i];
        }
        mn = mn < (unsigned char)x[i] ? mn : (unsigned char)x[i];
    }
    r[0] = c;
    r[1] = uc;
    r[2] = s;
    r[3] = us;
    r[4] = u;
    r[5] = l;
    r[6] = ul;
    r[7] = (long)d;
    r[8] = b;
    r[9] = bb;
    r[10] = mx;
    r[11] = mn;
    r[12] = mu;
    r[13] = an;
}

//== reduce_mixed_class
//@ buffer b0 i32 300 range -10 10
//@ buffer b1 i64 20 range 0 0
//@ int 300
//@ array b0 0 300
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int x[n], long r[20])
{
    int a = 0, b = 1, d = 0;
    float f = 0;
    int g = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1) {
            a += x[i];
        } else {
            a -= 2 * x[i];
        }
    }
    r[0] = a;
    for (int i = 0; i < n; i++) {
        if (x[i] & 1) {
            b += x[i];
        } else {
            b *= 3;
        }
    }
    r[1] = b;
    for (int i = 0; i < n; i++) {
        d += x[i] * 0.75;
    }
    r[2] = d;
    for (int i = 0; i < n; i++) {
        f += x[i] * 0.25;
    }
    r[3] = f;
    for (int i = 0; i < n; i++) {
        g = g + x[i] > 50 ? 50 : g + x[i];
    }
    r[4] = g;
    bool q = 0;
    for (int i = 0; i < n; i++) {
        q ^= x[i] & 1;
    }
    r[5] = q;
    bool w = 0;
    for (int i = 0; i < n; i++) {
        w += x[i];
    }
    r[6] = w;
    int z = 0;
    for (int i = 0; i < n; i++) {
        z++;
        z += 2;
        --z;
    }
    r[7] = z;
    int y = 0;
    for (int i = 0; i < n; i++) {
        y = -x[i] + y - 1;
    }
    r[8] = y;
    int v = 3;
    for (int i = 0; i < n; i++) {
        v = v;
    }
    r[9] = v;
    int h = 1;
    for (int i = 0; i < n; i++) {
        h = 2 * (h * x[i]) + 0 * h;
    }
    r[10] = h;
}

//== big_last
//@ buffer b0 i32 5000 range 0 99
//@ buffer b1 i32 8 range 0 0
//@ int 5000
//@ array b0 0 5000
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[8])
{
    int a = -1, b = -2, c = -3, k;
    struct {
        int p, q;
    } s = {5, 6};
    for (int i = 0; i < n; i++) {
        if (x[i] == 50) {
            a = i;
        }
        if (x[i] == 1000) {
            b = i;
        }
        if (x[i] < 3) {
            c = x[i] * i;
        }
        for (k = 0; k < (x[i] & 3); k++) {
            if (x[i] > 98) {
                c = k;
            }
        }
    }
    r[0] = a;
    r[1] = b;
    r[2] = c;
    r[3] = k;
    for (int i = 0; i < n; i++) {
        s.p = x[i];
        if (x[i] > 97) {
            s.q = i;
        }
    }
    r[4] = s.p;
    r[5] = s.q;
}

//== big_hist_modes
//@ buffer b0 i32 20000 range 0 99999
//@ buffer b1 i32 4096 range 0 0
//@ buffer b2 i64 4 range 0 0
//@ int 20000
//@ array b0 0 20000
//@ array b1 0 4096
//@ array b2 0 4
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int h[4096], long r[4])
{
    for (int i = 0; i < n; i++) {
        h[x[i] & 4095]++;
    }
    for (int i = 0; i < n; i++) {
        h[x[i] % 7] += x[i];
    }
    for (int i = 0; i < n; i++) {
        r[0] += x[i];
        r[1] ^= x[i];
        r[x[i] & 1 ? 2 : 3] += 1;
    }
}

//== select_pointer
//@ buffer b0 i32 64 range 0 9
//@ buffer b1 i32 64 range 0 9
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        int *p = i & 1 ? a : b;
        p[i] = i;
    }
    for (int i = 0; i < n; i++) {
        int *p = i & 1 ? a : b;
        p[i] += p[(i + 1) % n];
    }
    int *p = a, *q = b;
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < n; i++) {
            q[i] = p[n - 1 - i] + t;
        }
        int *s = p;
        p = q;
        q = s;
    }
    int *z = n > 10 ? a + 5 : b;
    for (int i = 0; i < 20; i++) {
        z[i] ^= 3;
    }
    int *end = a;
    while (end < a + n && *end > 3) {
        end++;
    }
    for (int *w = a; w != end; ++w) {
        *w = 0;
    }
}

//== swap_rows
//@ buffer b0 i32 48 range 0 9
//@ int 6
//@ int 8
//@ array b0 0 48
#include <rill/kernel.h>
kernel void run(int n, int m, int a[n][m])
{
    int(*cur)[m] = a, (*nxt)[m] = a + n / 2;
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < n / 2; i++) {
            for (int j = 0; j < m; j++) {
                nxt[i][j] = cur[i][(j + 1) % m] + t;
            }
        }
        int(*s)[m] = cur;
        cur = nxt;
        nxt = s;
    }
}

//== unsigned_sub_index
//@ buffer b0 i32 100 range 0 9
//@ int 50
//@ int 5
//@ array b0 0 100
// or
//@ buffer b0 i32 160 range 0 9
//@ int 50
//@ int 60
//@ array b0 0 160
#include <rill/kernel.h>
kernel void run(unsigned n, unsigned k, int *a)
{
    for (unsigned i = k; i < n; i++) {
        a[i - k] = a[i] + 1;
    }
    for (unsigned i = 0; i < n; i++) {
        a[i] = i >= k ? a[i - k] : 0;
    }
    for (unsigned i = 0; i < n - k && n > k; i++) {
        a[i] += 2;
    }
    if (n >= k) {
        for (unsigned i = n - k; i-- > 0;) {
            a[i + k] = a[i];
        }
    }
}

//== mod_ring
//@ buffer b0 i32 64 range 0 9
//@ int 40
//@ int 7
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 40
//@ int 40
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 40
//@ int 0
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int k, int *a)
{
    for (int i = 0; i < n; i++) {
        a[(i + k) % n] = i;
    }
    for (int i = 0; i < n; i++) {
        a[i] = a[(i + k) % n] + 1;
    }
    for (int i = 0; i < n; i++) {
        a[(i + 1) & 31] = i;
    }
    for (int i = 0; i < 32; i++) {
        a[(i * 5) & 31] += i;
    }
    for (int i = 0; i < n; i++) {
        a[i % (k + 1)] = 4;
    }
}
