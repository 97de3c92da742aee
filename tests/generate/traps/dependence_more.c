// Loops that are parallel, and loops that only look so. generate_test.c says how a file of many kernels is read.

//== argmin
//@ buffer b0 i32 40 range -9 9
//@ buffer b1 i32 12 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 12
// or
//@ buffer b0 i32 40 range -9 9
//@ buffer b1 i32 12 range 0 0
//@ int 0
//@ array b0 0 40
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[12])
{
    int m = 1000, at = -1, w = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] < m) {
            m = x[i];
            at = i;
        }
    }
    r[0] = m;
    r[1] = at;
    m = 1000;
    at = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] <= m) {
            m = x[i];
            at = i;
            w = x[i] * 2;
        }
    }
    r[2] = m;
    r[3] = at;
    r[4] = w;
    m = -1000;
    at = -1;
    for (int i = n - 1; i >= 0; i--) {
        if (!(x[i] <= m)) {
            at = i;
            m = x[i];
        }
    }
    r[5] = m;
    r[6] = at;
    int b = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] < x[b]) {
            b = i;
        }
    }
    r[7] = b;
    int m1 = 1000, m2 = 1000;
    for (int i = 0; i < n; i++) {
        if (x[i] < m1) {
            m2 = m1;
            m1 = x[i];
        } else if (x[i] < m2) {
            m2 = x[i];
        }
    }
    r[8] = m1;
    r[9] = m2;
}

//== red_memory
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 4 range 0 9
//@ int 30
//@ array b0 0 30
//@ array b1 0 4
// or
//@ buffer b0 i32 34 range 0 9
//@ int 30
//@ array b0 0 30
//@ array b0 28 4
#include <rill/kernel.h>
kernel void run(int n, int x[n], int out[4])
{
    for (int i = 0; i < n; i++) {
        out[0] += x[i];
    }
    for (int i = 0; i < n; i++) {
        out[1] += x[i];
        out[2] ^= i;
    }
    for (int i = 0; i < n; i++) {
        out[i & 3] += x[i];
    }
    for (int i = 0; i < n; i++) {
        if (x[i] > out[3]) {
            out[3] = x[i];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] += out[0];
    }
}

//== red_zero_trip
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 6 range 0 9
//@ int 0
//@ array b0 0 30
//@ array b1 0 6
// or
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 6 range 0 9
//@ int -3
//@ array b0 0 30
//@ array b1 0 6
#include <rill/kernel.h>
kernel void run(int n, int x[30], int out[6])
{
    int s = 5, m = 7, last = 9, at = 3;
    bool f = 1;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (x[i] < m) {
            m = x[i];
            at = i;
        }
        last = x[i];
        f = f && x[i];
    }
    for (int i = 0; i < n; i++) {
        out[5] += x[i];
    }
    out[0] = s;
    out[1] = m;
    out[2] = last;
    out[3] = at;
    out[4] = f;
}

//== red_in_struct
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 6 range 0 9
//@ int 30
//@ array b0 0 30
//@ array b1 0 6
#include <rill/kernel.h>
struct acc {
    int s, c;
    int h[3];
};
static void take(struct acc *a, int v)
{
    a->s += v;
    a->c++;
    a->h[v % 3]++;
}
kernel void run(int n, const int x[n], int out[6])
{
    struct acc a = {1, 2, {3, 4, 5}};
    for (int i = 0; i < n; i++) {
        a.s += x[i];
        a.c++;
    }
    for (int i = 0; i < n; i++) {
        take(&a, x[i]);
    }
    struct acc b = a;
    for (int i = 0; i < n; i++) {
        b.s = b.s * 3 + x[i];
        b.c ^= b.s;
    }
    out[0] = a.s;
    out[1] = a.c;
    out[2] = a.h[0];
    out[3] = a.h[1] + a.h[2];
    out[4] = b.s;
    out[5] = b.c;
}

//== private_array_cond
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[n])
{
    int t[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            t[k] = x[i] + k;
        }
        r[i] = t[x[i] & 3];
    }
    int u[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; i++) {
        if (x[i] > 4) {
            u[i & 3] = i;
        }
        r[i] += u[0];
    }
    int v[3] = {0};
    for (int i = 0; i < n; i++) {
        v[0] = x[i];
        if (x[i] & 1) {
            v[1] = 5;
        } else {
            v[1] = 6;
        }
        r[i] += v[0] * v[1];
    }
    int w[3] = {7, 8, 9};
    for (int i = 0; i < n; i++) {
        w[0] = i;
        if (x[i] > 5) {
            w[2] = i;
        }
        r[i] += w[0] + w[2];
    }
    r[0] += w[1] + u[3];
}

//== private_struct_members
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
struct s {
    int a, b;
    struct {
        int c;
    } d;
};
kernel void run(int n, const int x[n], int r[n])
{
    struct s t = {5, 6, {7}};
    int q, *p;
    for (int i = 0; i < n; i++) {
        t.a = x[i];
        t.d.c = t.a + 1;
        r[i] = t.a * t.d.c + t.b;
    }
    for (int i = 0; i < n; i++) {
        if (x[i] > 3) {
            q = x[i];
        } else {
            q = 1;
        }
        r[i] += q;
    }
    r[0] += q;
    struct s z = {1, 2, {3}};
    for (int i = 0; i < n; i++) {
        if (i > 0) {
            r[i] += z.a;
        }
        z.a = x[i];
    }
    struct s y = {0};
    for (int i = 0; i < n; i++) {
        p = &y.b;
        *p = x[i];
        r[i] += y.b;
    }
}

//== last_value
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 12
// or
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 0
//@ array b0 0 20
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[20], int r[12])
{
    int a = 1, b = 2, c = 3, d = 4, k = 99;
    float f = 0.5f;
    short s = 7;
    unsigned char u = 200;
    for (int i = 0; i < n; i++) {
        a = x[i];
        if (x[i] > 5) {
            b = i;
        }
        s = x[i] * 5000;
        u = i * 100;
        f = x[i] * 0.5f;
        for (k = 0; k < x[i]; k++) {
            d = k;
        }
        if (x[i] > 100) {
            c = 0;
        }
    }
    r[0] = a;
    r[1] = b;
    r[2] = c;
    r[3] = d;
    r[4] = k;
    r[5] = s;
    r[6] = u;
    r[7] = (int)(f * 4);
    int t = 5;
    for (int i = n - 1; i >= 0; i--) {
        if (x[i] & 1) {
            t = i;
            continue;
        }
        t = t;
    }
    r[8] = t;
}

//== carry_prev
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[n])
{
    int prev = 0;
    for (int i = 0; i < n; i++) {
        r[i] = x[i] - prev;
        prev = x[i];
    }
    int flip = 1;
    for (int i = 0; i < n; i++) {
        r[i] *= flip;
        flip = -flip;
    }
    int wrap = n - 1;
    for (int i = 0; i < n; i++) {
        r[i] += x[wrap];
        wrap = i;
    }
    bool first = true;
    for (int i = 0; i < n; i++) {
        if (first) {
            r[i] = 7;
            first = false;
        }
    }
}

//== histogram
//@ buffer b0 i32 60 range 0 9
//@ buffer b1 i32 10 range 0 3
//@ buffer b2 f32 10 range 0 0
//@ buffer b3 u8 10 range 250 255
//@ int 60
//@ array b0 0 60
//@ array b1 0 10
//@ array b2 0 10
//@ array b3 0 10
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int h[10], float f[10], uint8_t b[10])
{
    for (int i = 0; i < n; i++) {
        h[x[i]]++;
    }
    for (int i = 0; i < n; i++) {
        f[x[i]] += 0.5f;
    }
    for (int i = 0; i < n; i++) {
        b[x[i]] += 3;
    }
    for (int i = 0; i < n; i++) {
        if (i > h[x[i]]) {
            h[x[i]] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        h[x[i]] = h[x[i]] + i - x[i];
    }
}

//== hist_used
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 10 range 0 0
//@ buffer b2 i32 30 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 10
//@ array b2 0 30
#include <rill/kernel.h>
#pragma rill single
kernel void run(int n, const int x[n], int h[10], int r[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = h[x[i]]++;
    }
    for (int i = 0; i < n; i++) {
        h[x[i]] = 2 * h[x[i]] + 1;
    }
}

//== perm_assumed
//@ buffer b0 i32 30 perm 0 0
//@ buffer b1 i32 30 range 0 0
//@ buffer b2 i32 30 range 0 9
//@ int 30
//@ array b0 0 30
//@ array b1 0 30
//@ array b2 0 30
#include <rill/kernel.h>
kernel void run(int n, const int p[n], int a[n], const int x[n])
{
    for (int i = 0; i < n; i++) {
        a[p[i]] = x[i] + i;
    }
    for (int i = 0; i < n; i++) {
        a[p[p[i]]] += x[i];
    }
    for (int i = 0; i < n; i++) {
        int q = p[i];
        a[q] = a[q] * 3 + 1;
    }
    for (int i = 0; i < n; i++) {
        a[p[i]] = a[p[i]] / 2;
    }
}

//== const_store
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 10 range 0 5
//@ buffer b2 i32 2 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 10
//@ array b2 0 2
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int seen[10], int f[2])
{
    for (int i = 0; i < n; i++) {
        seen[x[i]] = 1;
    }
    for (int i = 0; i < n; i++) {
        if (x[i] == 3) {
            f[0] = 7;
        }
    }
    for (int i = 0; i < n; i++) {
        if (x[i] == 3) {
            f[0] = 8;
        }
        if (x[i] == 4) {
            f[0] = 9;
        }
    }
    for (int i = 0; i < n; i++) {
        if (x[i] == 3) {
            f[1] = 8;
        }
        if (f[1]) {
            seen[0] = 3;
        }
    }
}

//== early_exit_inner
//@ buffer b0 i32 80 range 0 5
//@ buffer b1 i32 10 range 0 0
//@ int 10
//@ int 8
//@ array b0 0 80
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, int m, const int a[n][m], int r[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = -1;
        for (int j = 0; j < m; j++) {
            if (a[i][j] == 3) {
                r[i] = j;
                break;
            }
        }
        int k = 0;
        while (k < m && a[i][k] != 4) {
            k++;
        }
        r[i] += k * 100;
        if (k == m) {
            continue;
        }
        r[i] += a[i][k] * 10000;
    }
}

//== helper_pointers
//@ buffer b0 i32 48 range 0 9
//@ int 12
//@ array b0 0 48
#include <rill/kernel.h>
static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
static void sort4(int *p)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3 - i; j++) {
            if (p[j] > p[j + 1]) {
                swap(p + j, &p[j + 1]);
            }
        }
    }
}
static void deeper(int (*p)[4], int k)
{
    sort4(p[k]);
}
kernel void run(int n, int a[n][4])
{
    for (int i = 0; i < n; i++) {
        sort4(a[i]);
    }
    for (int i = 0; i < n; i++) {
        deeper(a, n - 1 - i);
    }
    for (int i = 0; i + 1 < n; i++) {
        swap(a[i], a[i + 1]);
    }
    for (int i = 0; i < n; i++) {
        swap(&a[i][0], &a[i][3]);
    }
}

//== indirect_two
//@ buffer b0 i32 10 perm 0 0
//@ buffer b1 i32 10 perm 0 0
//@ buffer b2 i32 10 range 0 9
//@ buffer b3 i32 10 range 0 0
//@ int 10
//@ array b0 0 10
//@ array b1 0 10
//@ array b2 0 10
//@ array b3 0 10
#include <rill/kernel.h>
kernel void run(int n, const int p[n], const int q[n], const int x[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        r[p[q[i]]] = x[q[p[i]]];
    }
    for (int i = 0; i < n; i++) {
        r[i] += x[p[q[i]]];
    }
}

//== written_index
//@ buffer b0 i32 10 perm 0 0
//@ buffer b1 i32 10 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, int p[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        r[p[i]] = i;
        p[i] = 0;
    }
}

//== n64
//@ buffer b0 i32 4 range 0 9
//@ int 5000000000
//@ array b0 0 4
#include <rill/kernel.h>
kernel void run(long n, int a[4])
{
    for (long i = 0; i < n; i += 1250000000) {
        a[i / 1250000000] += 3;
    }
    for (long i = n; i > 4999999996; i--) {
        a[n - i] ^= 1;
    }
    for (unsigned long i = 0xfffffffffffffff0u; i < 0xfffffffffffffff4u; i++) {
        a[i & 3] += 1;
    }
    for (long i = -9223372036854775807 - 1; i < -9223372036854775804; i++) {
        a[i & 3] *= 2;
    }
}

//== bound_max
//@ buffer b0 i32 8 range 0 9
//@ array b0 0 8
#include <rill/kernel.h>
kernel void run(int a[8])
{
    for (int i = 2147483640; i < 2147483647; i++) {
        a[i - 2147483640] += 1;
    }
    for (unsigned i = 4294967290u; i < 4294967295u; i++) {
        a[i - 4294967290u] += 1;
    }
    for (int i = -2147483647 - 1; i < -2147483645; i += 2) {
        a[(i + 2147483647 + 1)] ^= 1;
    }
    for (unsigned char i = 250; i < 255; i++) {
        a[i - 250] += 2;
    }
}

//== zero_neg_extents
//@ buffer b0 i32 1 range 0 9
//@ int 0
//@ int 0
//@ array b0 0 1
// or
//@ buffer b0 i32 1 range 0 9
//@ int -2
//@ int 3
//@ array b0 0 1
#include <rill/kernel.h>
kernel int run(int n, int m, int a[1])
{
    int c = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[0] += 1;
            c++;
        }
    }
    for (int i = 5; i < n; i++) {
        c += 100;
    }
    for (int i = n; i > 0; i--) {
        c += 1000;
    }
    for (unsigned i = 0; i < (unsigned)(n < 0 ? 0 : n); i++) {
        c++;
    }
    return c + a[0];
}

//== cas_pattern
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 4 range -1 -1
//@ buffer b2 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 4
//@ array b2 0 20
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int slot[4], int r[n])
{
    for (int i = 0; i < n; i++) {
        int k = i & 3;
        if (slot[k] == -1) {
            slot[k] = x[i];
        }
        r[i] = slot[k];
    }
    for (int i = 0; i < n; i++) {
        int old = rill_atomic_max(&slot[x[i] & 3], x[i]);
        (void)old;
    }
    for (int i = 0; i < n; i++) {
        rill_atomic_add(&slot[0], x[i]);
    }
    for (int i = 0; i < n; i++) {
        rill_atomic_cas(&r[i], x[i], 77);
    }
}
