// Indices that wrap, fold and meet; extremes; what fusing must not do. generate_test.c says how a file of many kernels
// is read.

//== div_rows
//@ buffer b0 i32 64 range 0 9
//@ buffer b1 i32 64 range 0 9
//@ int 42
//@ int 7
//@ array b0 0 64
//@ array b1 0 64
#include <rill/kernel.h>
kernel void run(int n, int w, const int x[64], int a[64])
{
    for (int i = 0; i < n; i++) {
        int r = i / w, c = i % w;
        a[r * w + c] = x[c * (n / w) + r];
    }
    for (int i = 0; i < n; i++) {
        int r = i / w, c = i % w;
        if (r > 0) {
            a[r * w + c] += a[(r - 1) * w + c];
        }
    }
    for (int i = 0; i < n; i++) {
        a[i / w * w] += x[i];
    }
    for (int i = 0; i < n; i++) {
        a[i - i % w] = x[i];
    }
}

//== cond_write
//@ buffer b0 i32 40 range 0 9
//@ buffer b1 i32 40 range 0 9
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[n], const int x[n])
{
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0) {
            a[i] = x[i];
        } else {
            a[i - 1] = 5;
        }
    }
    for (int i = 0; i < n; i++) {
        if (i < n / 2) {
            a[i] = x[i];
        } else {
            a[i - n / 2] += 5;
        }
    }
    for (int i = 0; i < n; i++) {
        if (i == 7) {
            a[3] = 1;
        } else if (i != 3) {
            a[i] = a[3];
        }
    }
    for (int i = 0; i < n; i++) {
        if (i < 10) {
            a[i] = a[i + 10];
        } else if (i >= 20) {
            a[i] = 0;
        }
    }
    for (int i = 0; i < n; i++) {
        int j = i < 20 ? i : 39 - i;
        a[j] = i;
    }
}

//== nested_dep_outer
//@ buffer b0 i32 72 range 0 9
//@ buffer b1 i32 9 range 0 0
//@ int 8
//@ int 9
//@ array b0 0 72
//@ array b1 0 9
#include <rill/kernel.h>
kernel void run(int n, int m, int a[n][m], int s[m])
{
    for (int j = 0; j < m; j++) {
        s[j] = 0;
        for (int i = 0; i < n; i++) {
            s[j] += a[i][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[j] += a[i][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[j] = s[j] * 3 + a[i][j];
        }
    }
    for (int i = 0; i < n; i++) {
        int c = 0;
        for (int j = 0; j < m; j++) {
            c += a[i][j];
            a[i][j] = c;
        }
    }
    for (int j = 0; j < m; j++) {
        int c = 0;
        for (int i = 0; i < n; i++) {
            c += a[i][j];
            a[i][j] = c;
        }
    }
    int c = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c += a[i][j];
            a[i][j] = c;
        }
    }
}

//== imperfect_between
//@ buffer b0 i32 72 range 0 9
//@ buffer b1 i32 9 range 0 0
//@ buffer b2 i32 8 range 0 0
//@ int 8
//@ int 9
//@ array b0 0 72
//@ array b1 0 9
//@ array b2 0 8
#include <rill/kernel.h>
kernel int run(int n, int m, int a[n][m], int s[m], int t[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        t[i] = i * k;
        for (int j = 0; j < m; j++) {
            a[i][j] += t[i];
        }
        s[i] = a[i][0];
        k += 2;
        for (int j = 0; j < m; j++) {
            a[i][j] -= s[i];
        }
    }
    for (int i = 1; i < n; i++) {
        int b = t[i - 1];
        for (int j = 0; j < m; j++) {
            a[i][j] += b;
        }
        t[i] += a[i][3];
    }
    return k;
}

//== scalar_expand_chain
//@ buffer b0 i32 100 range 0 9
//@ buffer b1 i32 100 range 0 0
//@ int 100
//@ array b0 0 100
//@ array b1 0 100
#include <rill/kernel.h>
kernel int run(int n, const int x[n], int r[n])
{
    int a, b, c, d = 0;
    for (int i = 0; i < n; i++) {
        a = x[i];
        if (a > 5) {
            b = a * 2;
        } else {
            b = a + 1;
        }
        do {
            c = b;
            b -= 3;
        } while (b > 0);
        r[i] = c + a;
        d |= c;
    }
    for (int i = 0; i < n; i++) {
        if (x[i] > 3) {
            c = 1;
        }
        if (x[i] > 3) {
            r[i] += c;
        }
    }
    return a + b + d;
}

//== loop_fuse_trap
//@ buffer b0 i32 51 range 0 9
//@ buffer b1 i32 51 range 0 9
//@ int 50
//@ array b0 0 51
//@ array b1 0 51
#include <rill/kernel.h>
kernel void run(int n, int a[n + 1], int b[n + 1])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i + 1] * 2;
    }
    for (int i = 0; i < n; i++) {
        a[i] += b[n - 1 - i];
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i] - 1;
    }
    for (int i = n - 1; i >= 0; i--) {
        a[i] = b[i] * 3;
    }
    for (int i = 0; i < n; i += 2) {
        a[i] = b[i + 1];
    }
    for (int i = 0; i <= n; i++) {
        b[i]++;
    }
}

//== fuse_reduction_then_use
//@ buffer b0 i32 500 range 0 9
//@ buffer b1 i32 500 range 0 0
//@ int 500
//@ array b0 0 500
//@ array b1 0 500
#include <rill/kernel.h>
kernel int run(int n, int a[n], int b[n])
{
    int s = 0, m = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * s;
    }
    for (int i = 0; i < n; i++) {
        if (b[i] > m) {
            m = b[i];
        }
    }
    for (int i = 0; i < n; i++) {
        a[i] = b[i] - m;
    }
    int s2 = s;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    for (int i = 0; i < n; i++) {
        b[i] += s - s2;
    }
    return s;
}

//== struct_field_update
//@ buffer b0 bytes 480 range 0 9
//@ buffer b1 i32 40 range 0 39
//@ int 40
//@ array b0 0 480
//@ array b1 0 40
#include <rill/kernel.h>
struct p {
    int c;
    short s[2];
    float f;
};
kernel void run(int n, struct p a[n], const int x[n])
{
    for (int i = 0; i < n; i++) {
        a[i].f = 1;
        a[i].c = 0;
    }
    for (int i = 0; i < n; i++) {
        a[x[i]].c += i;
        a[x[i]].s[i & 1] += 3;
        a[x[i]].f += 2;
    }
    for (int i = 0; i < n; i++) {
        struct p *q = &a[i];
        q->c = q->c * 2 + q->s[0];
        if (i) {
            q->f += 1;
        }
    }
    for (int i = 1; i < n; i++) {
        a[i].c += a[i - 1].s[0];
    }
    for (int i = 1; i < n; i++) {
        a[i].c += a[i - 1].c;
    }
}

//== update_overlap_forms
//@ buffer b0 i32 60 range 0 9
//@ buffer b1 i32 10 range 0 9
//@ int 60
//@ array b0 0 60
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int h[10])
{
    for (int i = 0; i < n; i++) {
        h[x[i]] += i;
        h[x[i]] -= 1;
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] += x[i];
        h[(i + 3) % 10] -= x[i];
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] += x[i];
        h[(i + 3) % 10] ^= x[i];
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] += h[(i + 1) % 10];
    }
    for (int i = 0; i < n; i++) {
        int t = h[i % 10];
        h[i % 10] = t + x[i];
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] = x[i] - h[i % 10];
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] = h[i % 10] < x[i] ? x[i] : h[i % 10];
    }
    for (int i = 0; i < n; i++) {
        h[i % 10] <<= 1;
    }
    for (int i = 0; i < n; i++) {
        if (h[i % 10]++ > 5) {
            h[0] = 3;
        }
    }
}

//== collapse_pragmas
//@ buffer b0 i32 336 range 0 9
//@ int 6
//@ int 7
//@ int 8
//@ array b0 0 336
#include <rill/kernel.h>
kernel void run(int a, int b, int c, int v[a][b][c])
{
#pragma rill collapse(3)
    for (int i = 0; i < a; i++) {
        for (int j = 0; j < b; j++) {
            for (int k = 0; k < c; k++) {
                v[i][j][k] += i * 100 + j * 10 + k;
            }
        }
    }
#pragma rill collapse(2) block_dim(64)
    for (int i = a - 1; i >= 0; i--) {
        for (int j = 1; j < b; j += 2) {
            for (int k = 1; k < c; k++) {
                v[i][j][k] += v[i][j][k - 1];
            }
        }
    }
#pragma rill serial
    for (int i = 0; i < a; i++) {
#pragma rill block_dim(32)
        for (int j = 0; j < b; j++) {
            v[i][j][0]++;
        }
    }
#pragma rill single
    for (int i = 0; i < a; i++) {
        for (int j = 0; j < b; j++) {
            v[i][j][1]--;
        }
    }
}

//== zero_extent_mid
//@ buffer b0 i32 8 range 0 9
//@ int 6
//@ int 0
//@ int 8
//@ array b0 0 8
#include <rill/kernel.h>
kernel int run(int a, int b, int c, int *v)
{
    int s = 0;
    for (int i = 0; i < a; i++) {
        for (int j = 0; j < b; j++) {
            for (int k = 0; k < c; k++) {
                v[k] += 1;
                s++;
            }
        }
        s += 10;
        v[i] += i;
    }
    for (int j = 0; j < b; j++) {
        for (int i = 0; i < a; i++) {
            v[100] = 1;
        }
    }
    return s;
}

//== bool_flags
//@ buffer b0 i32 100 range 0 9
//@ buffer b1 i32 4 range 0 0
//@ int 100
//@ array b0 0 100
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[4])
{
    bool sorted = true, has = false;
    int cnt = 0, found = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] < x[i - 1]) {
            sorted = false;
        }
        has |= x[i] == 9;
        cnt += x[i] > x[i - 1];
        if (x[i] == 4) {
            found = 1;
        }
    }
    r[0] = sorted;
    r[1] = has;
    r[2] = cnt;
    r[3] = found;
}

//== volatile
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 2 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 2
#include <rill/kernel.h>
kernel void run(int n, volatile int a[n], volatile int *f)
{
    for (int i = 0; i < n; i++) {
        a[i] += 1;
    }
    for (int i = 0; i < n; i++) {
        *f = a[i];
    }
    volatile int t = 3;
    t = t + t;
    f[1] = t;
}

//== restrict
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 20 range 0 9
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, int *restrict a, const int *restrict b)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[n - 1 - i];
    }
    for (int i = 1; i < n; i++) {
        a[i] += b[i - 1];
    }
}
