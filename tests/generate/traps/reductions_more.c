// Reductions in odd forms, fields, changed bounds, memory functions, kernels that call kernels. generate_test.c says
// how a file of many kernels is read.

//== struct_bound
//@ buffer b0 bytes 16 range 2 5
//@ buffer b1 i32 400 range 0 9
//@ struct b0
//@ array b1 0 400
#include <rill/kernel.h>
struct dims {
    unsigned char n[4];
    short w, h;
    int z, q;
};
kernel int run(struct dims d, int *a)
{
    int c = 0;
    for (int i = 0; i < d.n[1]; i++) {
        a[i] += d.n[0];
    }
    for (int i = 0; i < d.n[2]; i++) {
        a[i] *= 2;
        d.n[3]++;
        c++;
    }
    for (int i = 0; i < d.n[0]; i++) {
        a[i]++;
        if (i == 1 && d.n[0] < 20) {
            d.n[0] += 3;
        }
    }
    struct dims e = d;
    e.w = 7;
    for (int i = 0; i < e.w; i++) {
        a[i] ^= d.n[3];
    }
    return c + d.n[0] + d.n[3];
}

//== loop_var_address
//@ buffer b0 i32 40 range 0 9
//@ int 20
//@ array b0 0 40
#include <rill/kernel.h>
static void skip(int *p)
{
    if (*p % 4 == 1) {
        ++*p;
    }
}
static int look(const int *p)
{
    return *p * 2;
}
kernel void run(int n, int a[40])
{
    for (int i = 0; i < n; i++) {
        a[i]++;
        skip(&i);
    }
    for (int i = 0; i < n; i++) {
        a[i] += look(&i);
    }
    for (int i = 0; i < n; i++) {
        int *p = &i;
        a[*p] ^= 3;
    }
    int m = n;
    for (int i = 0; i < m; i++) {
        int *p = &m;
        a[i] -= 1;
        if (i == 5) {
            *p = 12;
        }
    }
    for (int i = 0, *q = a; i < n; i++, q++) {
        *q += i;
    }
    for (float f = 0; f < 5; f += 0.5f) {
        a[(int)f]++;
    }
    for (int *p = a, *e = a + n; p < e; p += 2) {
        *p = 9;
    }
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
    for (unsigned i = 0, j = 1; i < 6; i++, j *= 2) {
        a[j] = i;
    }
    for (int i = 1; i < n; i *= 2) {
        a[i]--;
    }
    for (int i = n; i; i >>= 1) {
        a[i] += 5;
    }
}

//== big_locals
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int t[1024];
        char seen[300] = {0};
        for (int k = 0; k < 1024; k++) {
            t[k] = k * x[i];
        }
        for (int k = 0; k < 50; k++) {
            seen[t[k * 20] % 300] = 1;
        }
        int c = 0;
        for (int k = 0; k < 300; k++) {
            c += seen[k];
        }
        double d[16][16] = {{1}};
        d[15][15] = x[i];
        r[i] = c + t[1023] + (int)d[15][15] + (int)d[0][0];
    }
}

//== flat_2d
//@ buffer b0 i32 35 range 0 9
//@ int 5
//@ int 7
//@ array b0 0 35
#include <rill/kernel.h>
static int total(const int *p, int n)
{
    int s = 0;
    while (n > 0) {
        s += p[--n];
    }
    return s;
}
static void scale(int n, int *p, int by)
{
    for (int i = 0; i < n; i++) {
        p[i] *= by;
    }
}
kernel int run(int h, int w, int a[h][w])
{
    int *f = &a[0][0];
    for (int i = 0; i < h * w; i++) {
        f[i] += i;
    }
    scale(h * w, a[0], 2);
    for (int y = 0; y < h; y++) {
        scale(w, a[y], y + 1);
    }
    int *end = f + h * w;
    for (int *p = end; p-- > f;) {
        *p ^= 1;
    }
    char *c = (char *)a;
    for (int i = 0; i < h * w * 4; i += 4) {
        c[i] += 1;
    }
    int(*back)[w] = a + h - 1;
    for (int y = 0; y < h; y++) {
        back[-y][0] = y;
    }
    const int *mid = f + 17;
    for (int i = -17; i < 18; i++) {
        f[0] += mid[i];
    }
    return total(f, h * w) + total(a[2], w) + total(&a[1][3], 4);
}

//== asserts
//@ buffer b0 i32 12 range 1 9
//@ int 12
//@ array b0 0 12
#include <assert.h>
#include <rill/kernel.h>
static int half(int x)
{
    assert(x >= 0);
    return x / 2;
}
kernel void run(int n, int a[n])
{
    assert(n > 0 && "some");
    for (int i = 0; i < n; i++) {
        assert(a[i] > 0);
        a[i] = half(a[i]);
        assert(i[a] < 5);
    }
}

//== kernel_calls
//@ buffer b0 i32 24 range 0 9
//@ int 12
//@ int 3
//@ array b0 0 24
#include <rill/kernel.h>
kernel int norm(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * a[i];
    }
    return s;
}
kernel void shift(int n, int k, int a[n])
{
    if (k <= 0) {
        return;
    }
    n -= k;
    for (int i = 0; i < n; i++) {
        a[i] += k;
    }
    if (n < 3) {
        return;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] == 5) {
            break;
        }
        a[i]--;
    }
}
kernel int probe(int i, int n, const int a[n])
{
    return i < n ? a[i] : -1;
}
kernel int run(int n, int k, int a[2 * n])
{
    int t = 0;
    shift(n, k, a);
    shift(n, k - 3, a + n);
    while (norm(n, a) < 4000 && t++ < 10) {
        shift(n, 2, a);
    }
    for (int i = 0; i < n; i++) {
        a[n + i] = probe(n - 1 - i, n, a) + norm(3, a);
    }
    int(*v)[2] = (int(*)[2])a;
    shift(2, 1, v[1]);
    return t + norm(n, a + n) + (norm(2, a) > 5 ? norm(1, a) : probe(3, 2, a));
}

//== while_nests
//@ buffer b0 i32 30 range 1 9
//@ int 10
//@ array b0 0 30
#include <rill/kernel.h>
kernel int run(int n, int a[3 * n])
{
    int t = 0;
    while (t < 3) {
        for (int i = 0; i < n; i++) {
            a[t * n + i] += t;
        }
        t++;
    }
    do {
        for (int i = 0; i < n; i++) {
            a[i] = a[n + i] + a[i];
        }
        t--;
    } while (t > 0);
    int changed = 1, rounds = 0;
    while (changed) {
        changed = 0;
        for (int i = 0; i < n - 1; i++) {
            if (a[i] > a[i + 1]) {
                int s = a[i];
                a[i] = a[i + 1];
                a[i + 1] = s;
                changed = 1;
            }
        }
        rounds++;
    }
    int err = 100;
    while (err > 3 && rounds < 40) {
        err = 0;
        for (int i = 0; i < n; i++) {
            a[n + i] /= 2;
            err += a[n + i];
        }
        rounds++;
    }
    for (;;) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            m = a[i] > m ? a[i] : m;
        }
        if (m > 100 || rounds > 60) {
            break;
        }
        for (int i = 0; i < n; i++) {
            a[i] += m;
        }
        rounds++;
    }
    return rounds;
}

//== cond_control
//@ buffer b0 i32 20 range 0 9
//@ int 10
//@ int 1
//@ array b0 0 20
// or
//@ buffer b0 i32 20 range 0 9
//@ int 10
//@ int 0
//@ array b0 0 20
#include <rill/kernel.h>
kernel int run(int n, int f, int a[20])
{
    int r = 0;
    if (a[0] > 4) {
        for (int i = 0; i < n; i++) {
            a[i] += 1;
        }
        r = 1;
    } else {
        for (int i = 0; i < n; i++) {
            a[i] -= 1;
        }
        r = 2;
    }
    switch (f) {
    case 0:
        for (int i = 0; i < n; i++) {
            a[i] *= 2;
        }
    case 1:
        for (int i = 0; i < n; i++) {
            a[n + i] = a[i];
        }
        break;
    default: return -1;
    }
    for (int i = 0; i < (f ? n : n / 2); i++) {
        a[i] ^= 1;
    }
    for (int i = 0; i < a[0]; i++) {
        a[i % 20]++;
    }
    for (int i = f ? 3 : 0; i < n; i += 1) {
        a[i] += f;
    }
    int k = f && a[1] > 2 ? 1 : a[2] > 3 ? 2 : 3;
    for (int i = 0; i < n; i++) {
        a[i] += k;
    }
    if (f) {
        goto out;
    }
    for (int i = 0; i < n; i++) {
        a[i]--;
    }
out:
    return r * 10 + k;
}

//== atomics
//@ buffer b0 i32 300 range 0 9
//@ buffer b1 i32 12 range 5 5
//@ buffer b2 u8 4 range 0 0
//@ buffer b3 i64 4 range 0 0
//@ buffer b4 f32 4 range 0 0
//@ int 300
//@ array b0 0 300
//@ array b1 0 12
//@ array b2 0 4
//@ array b3 0 4
//@ array b4 0 4
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int a[12], uint8_t b[4], int64_t c[4], float f[4])
{
    for (int i = 0; i < n; i++) {
        rill_atomic_add(&a[0], x[i]);
        rill_atomic_sub(a + 1, x[i]);
        rill_atomic_max(&a[2], x[i]);
        rill_atomic_min(&a[3], x[i]);
        rill_atomic_and(&a[4], x[i] | 3);
        rill_atomic_or(&a[5], x[i]);
        rill_atomic_xor(&a[6], x[i]);
        rill_atomic_mul(&a[7], x[i] | 1);
        rill_atomic_add(&b[x[i] & 3], 7);
        rill_atomic_add(&c[i & 3], (int64_t)x[i] << 33);
        rill_atomic_add(&f[i & 3], x[i]);
    }
    rill_atomic_exchange(&a[8], 9);
    int old = rill_atomic_cas(&a[9], 5, 11);
    a[10] = old;
    a[11] = rill_atomic_cas(&a[9], 5, 12);
}

//== dot_chain
//@ buffer b0 f32 64 range -8 8
//@ buffer b1 f32 64 range -8 8
//@ buffer b2 f32 64 range 0 0
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
#include <rill/kernel.h>
kernel float run(int n, const float x[n], const float y[n], float z[n])
{
    float dot = 0, nx = 0, ny = 0;
    for (int i = 0; i < n; i++) {
        dot += x[i] * y[i];
        nx += x[i] * x[i];
        ny += y[i] * y[i];
    }
    float k = nx > ny ? 2.0f : 0.5f;
    for (int i = 0; i < n; i++) {
        z[i] = k * x[i] - y[i];
    }
    float m = -INFINITY;
    for (int i = 0; i < n; i++) {
        m = fmaxf(m, z[i]);
    }
    double d = 0;
    for (int i = 0; i < n; i++) {
        d += z[i] - m;
    }
    return dot + (float)d + m;
}

//== two_d_local
//@ buffer b0 i32 10 range 0 9
//@ buffer b1 i32 10 range 0 0
//@ int 10
//@ array b0 0 10
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[n])
{
    int t[3][4];
    struct {
        int v[2];
    } s[2];
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 4; b++) {
                t[a][b] = a * x[i] + b;
            }
        }
        s[0].v[0] = t[1][1];
        s[0].v[1] = s[0].v[0] + t[2][x[i] & 3];
        s[1] = s[0];
        r[i] = s[1].v[1];
    }
    int u[4];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < x[i] && k < 4; k++) {
            u[k] = i;
        }
        if (x[i] > 3) {
            r[i] += u[3];
        }
    }
}

//== private_after
//@ buffer b0 i32 10 range 0 9
//@ buffer b1 i32 10 range 0 0
//@ int 10
//@ array b0 0 10
//@ array b1 0 10
#include <rill/kernel.h>
kernel int run(int n, const int x[n], int r[n])
{
    int t[3] = {1, 2, 3};
    for (int i = 0; i < n; i++) {
        t[0] = x[i];
        t[1] = t[0] * 2;
        r[i] = t[0] + t[1];
    }
    int q = t[0] * 100 + t[1] * 10 + t[2];
    struct {
        int a, b;
    } s = {5, 6};
    for (int i = 0; i < n; i++) {
        s.a = x[i];
        r[i] += s.a;
        if (x[i] > 8) {
            s.b = i;
        }
    }
    return q + s.a + s.b;
}
