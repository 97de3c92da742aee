// Loops that are parallel, and loops that only look so. generate_test.c says how a file of many kernels is read.

//== down_unsigned
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ array b0 0 20
// or
//@ buffer b0 i32 20 range 0 9
//@ int 0
//@ array b0 0 20
#include <rill/kernel.h>
kernel void run(unsigned n, int a[20])
{
    for (unsigned i = n; i > 0; i--) {
        a[i - 1] += i;
    }
    for (unsigned i = n - 1; i < n; i--) {
        a[i] *= 2;
    }
    for (unsigned i = 19; i >= 3; i -= 3) {
        a[i] ^= 5;
    }
}

//== uchar_wrap_step
//@ buffer b0 i32 256 range 0 9
//@ int 256
//@ array b0 0 256
#include <rill/kernel.h>
// The counter never exceeds the bound: 250 + 10 wraps to 4. C runs until the break.
kernel void run(int n, int a[n])
{
    int guard = 0;
    for (unsigned char i = 0; i < 252; i += 10) {
        a[i]++;
        if (++guard > 60) {
            break;
        }
    }
}

//== short_bound
//@ buffer b0 i32 300 range 0 9
//@ int 300
//@ array b0 0 300
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (short i = 0; i < n; i++) {
        a[i] += 3;
    }
    for (signed char i = -100; i <= 100; i += 3) {
        a[i + 100] ^= 7;
    }
    for (unsigned char i = 0; i < 200; i++) {
        a[i] -= 1;
    }
    for (long i = n - 1; i >= 0; i--) {
        a[i] += (int)i;
    }
    for (unsigned long i = 0; i < (unsigned)n; i += 2) {
        a[i]++;
    }
}

//== ne_bound
//@ buffer b0 i32 30 range 0 9
//@ int 4
//@ int 12
//@ array b0 0 30
// or
//@ buffer b0 i32 30 range 0 9
//@ int 12
//@ int 4
//@ array b0 0 30
// or
//@ buffer b0 i32 30 range 0 9
//@ int 5
//@ int 5
//@ array b0 0 30
#include <rill/kernel.h>
kernel void run(int lo, int hi, int a[30])
{
    if (lo <= hi) {
        for (int i = lo; i != hi; i++) {
            a[i] += i;
        }
    }
    if (lo >= hi) {
        for (int i = lo; i != hi; i--) {
            a[i] -= i;
        }
    }
    for (int i = 0; i != 12; i += 4) {
        a[i] += 100;
    }
    for (unsigned char c = 250; c != 3; c++) {
        a[c & 15]++;
    }
}

//== two_induction
//@ buffer b0 i32 64 range 0 9
//@ int 16
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[64])
{
    int j = 40;
    for (int i = 0; i < n; i++, j++) {
        a[i] = a[j] + 1;
    }
    for (int i = 0, k = 63; i < n; i++, k -= 2) {
        a[i] += a[k];
    }
    int p = 0;
    for (int i = 0; i < n; i++) {
        a[p] += i;
        p += 3;
    }
    int q = 0;
    for (int i = 0; i < n; i++) {
        a[q] = i;
        q = (q + 5) & 63;
    }
    int *w = a;
    for (int i = 0; i < n; i++) {
        *w++ = i * 2;
    }
    int *e = a + n;
    for (int *x = a + 1; x < e; x++) {
        *x += x[-1];
    }
    a[63] = j + p + q;
}

//== triangular
//@ buffer b0 i32 144 range 0 9
//@ buffer b1 i32 144 range 0 9
//@ int 12
//@ array b0 0 144
//@ array b1 0 144
#include <rill/kernel.h>
kernel void run(int n, int a[n][n], int b[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = a[j][i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            b[i][j] = b[j][i] + 1;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
    }
}

//== tri_transpose_ge
//@ buffer b0 i32 144 range 0 9
//@ int 12
//@ array b0 0 144
#include <rill/kernel.h>
// i <= j and j <= i meet on the diagonal only, with themselves.
kernel void run(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            a[j][i] = a[i][j] * 2;
        }
    }
}

//== tri_offset
//@ buffer b0 i32 169 range 0 9
//@ int 12
//@ array b0 0 169
#include <rill/kernel.h>
kernel void run(int n, int a[n + 1][n + 1])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            a[j + 1][i] = a[i][j] + 1;
        }
    }
}

//== stride_mod
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 7 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 7
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int a[7])
{
    for (int i = 0; i < n; i++) {
        a[i % 7] = x[i];
    }
    for (int i = 0; i < 7; i++) {
        a[i * 3 % 7] = x[i];
    }
    for (int i = 0; i < n; i++) {
        a[i % 7] += x[i];
    }
    for (int i = 0; i < n; i++) {
        a[i / 5] ^= x[i];
    }
    for (int i = 0; i < n; i++) {
        a[i / 5] = x[i];
    }
    for (int i = 0; i < n; i++) {
        a[i & 3] = i;
    }
}

//== stride_odd_even
//@ buffer b0 i32 40 range 0 9
//@ int 16
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[40])
{
    for (int i = 0; i < n; i++) {
        a[2 * i] = a[2 * i + 1] + 1;
    }
    for (int i = 0; i < n; i++) {
        a[2 * i] = a[2 * i + 2] + 1;
    }
    for (int i = 0; i < n; i++) {
        a[4 * i % 40] = a[(4 * i + 2) % 40];
    }
    for (int i = 0; i < n - 1; i += 2) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
    }
    for (int i = 1; i < n; i += 2) {
        a[i] += a[i - 1];
    }
    for (int i = 0; i < n; i += 3) {
        a[i] = 1;
        a[i + 3] = 2;
    }
    for (int i = 0; i < n; i++) {
        a[i] = 5;
        a[n - 1 - i] = 6;
    }
    for (int i = 0; i < n / 2; i++) {
        int t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}

//== alias_offset
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 1 10
// or
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 1 10
//@ array b0 0 10
// or
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 0 10
// or
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 10 10
// or
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 9 10
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + 1;
    }
    for (int i = 0; i < n - 1; i++) {
        a[i] += b[i + 1];
    }
    for (int i = 0; i < n; i++) {
        a[i] *= 2;
        b[i] += 3;
    }
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        b[0] = 5;
    }
    for (int i = 0; i < n; i++) {
        b[i] = s;
    }
}

//== alias_bound
//@ buffer b0 i32 30 range 3 9
//@ int 10
//@ array b0 0 10
//@ array b0 5 1
// or
//@ buffer b0 i32 30 range 3 9
//@ int 10
//@ array b0 0 10
//@ array b0 12 1
#include <rill/kernel.h>
kernel void run(int n, int a[n], int m[1])
{
    for (int i = 0; i < m[0]; i++) {
        a[i] = 12 - i;
    }
    for (int i = 0; i < n && i < 8; i++) {
        a[i] += m[0];
    }
    for (int i = 0; i < n; i++) {
        if (m[0] > 4) {
            a[i] += 1;
        }
    }
}

//== alias_three
//@ buffer b0 i32 40 range 0 9
//@ int 8
//@ array b0 0 8
//@ array b0 4 8
//@ array b0 2 8
// or
//@ buffer b0 i32 40 range 0 9
//@ int 8
//@ array b0 0 8
//@ array b0 8 8
//@ array b0 16 8
// or
//@ buffer b0 i32 40 range 0 9
//@ int 8
//@ array b0 0 8
//@ array b0 0 8
//@ array b0 0 8
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n], const int c[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = c[i];
        b[i] = a[i] + c[n - 1 - i];
    }
    for (int i = 0; i < n; i += 2) {
        a[i] = b[i + 1];
    }
    for (int i = 0; i < n; i++) {
        a[i] += b[0];
    }
}

//== alias_types
//@ buffer b0 i32 40 range 0 9
//@ int 8
//@ array b0 0 8
//@ array b0 4 8
// or
//@ buffer b0 i32 40 range 0 9
//@ int 8
//@ array b0 0 8
//@ array b0 20 8
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    // Bytes of the same memory: as in memory.
    unsigned char *p = (unsigned char *)b;
    for (int i = 0; i < 4 * n; i++) {
        p[i] = (unsigned char)(a[i / 4] + i);
    }
    short *h = (short *)a;
    for (int i = 0; i < 2 * n; i++) {
        h[i] += p[i];
    }
}

//== stencil_inplace
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ array b0 0 20
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int i = 1; i < n - 1; i++) {
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    }
    for (int i = 1; i < n; i++) {
        a[i] += a[i - 1];
    }
    for (int i = 0; i < n - 1; i++) {
        a[i] += a[i + 1];
    }
    for (int i = 2; i < n; i++) {
        a[i] = a[i - 1] + a[i - 2];
    }
    for (int i = n - 2; i >= 0; i--) {
        a[i] ^= a[i + 1];
    }
    for (int i = n / 2; i < n; i++) {
        a[i] = a[i - n / 2];
    }
    for (int i = 0; i < n; i++) {
        a[i] = a[0] + 1;
    }
    for (int i = 1; i < n; i++) {
        a[i] = a[0] + 1;
    }
}

//== stencil_2d
//@ buffer b0 i32 56 range 0 9
//@ buffer b1 i32 56 range 0 9
//@ int 7
//@ int 8
//@ array b0 0 56
//@ array b1 0 56
#include <rill/kernel.h>
kernel void run(int h, int w, int a[h][w], int b[h][w])
{
    for (int y = 1; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            b[y][x] = a[y - 1][x] + a[y + 1][x] + a[y][x - 1] + a[y][x + 1];
        }
    }
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w; x++) {
            a[y][x] += a[y - 1][x];
        }
    }
    for (int y = 0; y < h; y++) {
        for (int x = 1; x < w; x++) {
            a[y][x] += a[y][x - 1];
        }
    }
    for (int y = 1; y < h; y++) {
        for (int x = 1; x < w; x++) {
            a[y][x] = a[y - 1][x - 1] + 1;
        }
    }
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w - 1; x++) {
            a[y][x] = a[y - 1][x + 1] + 1;
        }
    }
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            if ((x + y) % 2 == 0 && x > 0 && y > 0 && x < w - 1 && y < h - 1) {
                b[y][x] = b[y][x - 1] + b[y - 1][x] + b[y + 1][x];
            }
        }
    }
}

//== inner_dim_escape
//@ buffer b0 i32 64 range 0 9
//@ int 4
//@ int 5
//@ int 7
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 4
//@ int 5
//@ int 3
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 4
//@ int 5
//@ int 5
//@ array b0 0 64
#include <rill/kernel.h>
// j may go beyond the row: then rows share elements.
kernel void run(int h, int w, int m, int *a)
{
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < m; j++) {
            a[i * w + j] = a[i * w + j] * 3 + i;
        }
    }
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < m; j++) {
            a[i * w + j] = i * 100 + j;
        }
    }
}

//== stride_arg
//@ buffer b0 i32 64 range 0 9
//@ int 8
//@ int 0
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 8
//@ int 1
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 8
//@ int -1
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 8
//@ int 3
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int s, int *a)
{
    int *m = a + 32;
    for (int i = 0; i < n; i++) {
        m[i * s] = i;
    }
    for (int i = 0; i < n; i++) {
        m[i * s] = m[i * s + 1] + 1;
    }
    for (int i = 0; i < n; i++) {
        m[i + s] = m[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        m[i] = m[i + 8 * s] + 1;
    }
}

//== offset_arg
//@ buffer b0 i32 64 range 0 9
//@ int 10
//@ int 10
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 10
//@ int 9
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 10
//@ int 0
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 10
//@ int -10
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range 0 9
//@ int 10
//@ int -4
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int k, int *b)
{
    int *a = b + 20;
    for (int i = 0; i < n; i++) {
        a[i] = a[i + k] * 2 + 1;
    }
    for (int i = 0; i < n; i += 2) {
        a[i] = a[i + k] + 1;
    }
    for (int i = 0; i < n; i++) {
        a[2 * i] = a[2 * i + k];
    }
}

//== shift_index
//@ buffer b0 i32 256 range 0 9
//@ int 8
//@ int 2
//@ array b0 0 256
// or
//@ buffer b0 i32 256 range 0 9
//@ int 8
//@ int 0
//@ array b0 0 256
// or
//@ buffer b0 i32 256 range 0 9
//@ int 8
//@ int 31
//@ array b0 0 256
#include <rill/kernel.h>
kernel void run(int n, int s, int *a)
{
    for (int i = 0; i < n; i++) {
        a[(i << (s & 3)) & 255] = i;
    }
    for (int i = 0; i < n; i++) {
        a[i >> 1] = i;
    }
    for (int i = 0; i < n; i++) {
        a[(i << 1) | 1] = i;
    }
    for (int i = 0; i < n; i++) {
        a[i ^ 1] = i + 1;
    }
    for (int i = 0; i < n; i++) {
        a[i ^ 3] += a[i];
    }
    for (int i = 0; i < n; i++) {
        a[(unsigned)i * 2654435761u >> 28] = i;
    }
    for (int i = 0; i < n; i++) {
        a[-i + 7] = a[i + 8];
    }
    for (int i = 0; i < n; i++) {
        a[~i & 7] = a[i];
    }
}

//== red_odd_forms
//@ buffer b0 i32 33 range -50 50
//@ buffer b1 i64 12 range 0 0
//@ int 33
//@ array b0 0 33
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], long r[12])
{
    int s = 1, p = 1, d = 0, m = 0, mn = 1000, o = 0, an = -1, xo = 0;
    bool all = true, any = false;
    unsigned u = 7;
    for (int i = 0; i < n; i++) {
        s = x[i] + s;
        d -= x[i];
        p = x[i] * p;
        if (x[i] > m) {
            m = x[i];
        }
        mn = mn < x[i] ? mn : x[i];
        o = o | x[i];
        an &= x[i];
        xo = x[i] ^ xo;
        all = all && x[i] != 7;
        any = any || x[i] == 13;
        u += x[i];
    }
    r[0] = s;
    r[1] = p;
    r[2] = d;
    r[3] = m;
    r[4] = mn;
    r[5] = o;
    r[6] = an;
    r[7] = xo;
    r[8] = all;
    r[9] = any;
    r[10] = u;
}

//== red_read_too
//@ buffer b0 i32 33 range -50 50
//@ buffer b1 i32 33 range 0 0
//@ int 33
//@ array b0 0 33
//@ array b1 0 33
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        a[i] = s;
    }
    int t = 0;
    for (int i = 0; i < n; i++) {
        a[i] += t;
        t += x[i];
    }
    int c = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
            a[c++] = x[i];
        }
    }
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > m) {
            m = x[i];
            a[i] = 1;
        }
    }
    int e = 0;
    for (int i = 0; i < n; i++) {
        e = x[i] - e;
    }
    a[0] = e;
    int f = 1;
    for (int i = 0; i < n; i++) {
        f += x[i];
        f *= 3;
    }
    a[1] = f;
    int g = 0;
    for (int i = 0; i < n; i++) {
        g += g + x[i];
    }
    a[2] = g;
    int h = 0;
    for (int i = 0; i < n; i++) {
        h = h + x[i] * h;
    }
    a[3] = h;
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (k < 10) {
            k += x[i];
        }
    }
    a[4] = k;
    int q = 9;
    for (int i = 0; i < n; i++) {
        q /= 2;
    }
    a[5] = q;
}
