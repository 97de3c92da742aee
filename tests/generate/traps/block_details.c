// Blocks whose independence depends on one detail. generate_test.c says how a file of many kernels is read.

//== bitfields_of_one_word_in_two_blocks
//@ buffer b0 bytes 160 range 0 255
//@ int 40
//@ array b0 0 160
#include <rill/kernel.h>
struct s {
    unsigned a : 16, b : 16;
};
kernel void run(int n, struct s s[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].a = i * 7;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].b = i * 3;
        }
    }
}

//== bitfields_of_one_word_no_order
//@ buffer b0 bytes 160 range 0 255
//@ int 40
//@ array b0 0 160
#include <rill/kernel.h>
struct s {
    unsigned a : 16, b : 16;
};
kernel void run(int n, struct s s[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].a = i * 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].b = i * 3;
        }
    }
}

//== members_apart
//@ buffer b0 bytes 320 range 0 255
//@ int 40
//@ array b0 0 320
#include <rill/kernel.h>
struct s {
    int a;
    short b, c;
};
kernel void run(int n, struct s s[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].a = i * 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].b += s[i].b * 3;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[n - 1 - i].c ^= i;
        }
    }
}

//== union_members
//@ buffer b0 bytes 320 range 0 255
//@ int 40
//@ array b0 0 320
#include <rill/kernel.h>
union s {
    long l;
    struct {
        int a, b;
    } p;
};
kernel void run(int n, union s s[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].p.a = i * 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i].p.b = i * 9;
        }
    }
    for (int i = 0; i < n; i++) {
        s[i].l += 1;
    }
}

//== min_then_max
//@ buffer b0 i32 40 range -9 9
//@ buffer b1 i32 4 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (a[i] < r[0]) {
                r[0] = a[i];
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (a[i] < r[0]) {
                r[0] = a[i];
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            r[1] += a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            r[1] -= a[i] * 3;
        }
    }
}

//== even_and_odd_by_runtime_stride
//@ buffer b0 i32 64 range -9 9
//@ int 30
//@ int 2
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range -9 9
//@ int 30
//@ int 1
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range -9 9
//@ int 15
//@ int 4
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int s, int a[64])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i * s] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i * s + 1] = -i * 2;
        }
    }
}

//== halves_by_argument
//@ buffer b0 i32 64 range -9 9
//@ int 30
//@ int 21
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range -9 9
//@ int 30
//@ int 20
//@ array b0 0 64
// or
//@ buffer b0 i32 64 range -9 9
//@ int 30
//@ int -3
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int m, int a[64])
{
    stream_parallel
    {
        for (int i = 0; i < m; i++) {
            a[i] = a[i] * 3;
        }
    }
    stream_parallel
    {
        for (int i = 20; i < n; i++) {
            a[i] = a[i] + i;
        }
    }
}

//== bounds_from_memory_in_each
//@ buffer b0 i32 8 range 3 9
//@ buffer b1 i32 64 range -9 9
//@ buffer b2 i32 64 range -9 9
//@ int 30
//@ array b0 0 8
//@ array b1 0 64
//@ array b2 0 64
#include <rill/kernel.h>
kernel void run(int n, int lim[8], int a[64], int b[64])
{
    stream_parallel
    {
        for (int i = 0; i < lim[0]; i++) {
            a[i]++;
        }
        for (int i = 0; i < lim[1]; i++) {
            a[i + 20] = a[i];
        }
    }
    stream_parallel
    {
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < lim[2 + k]; i++) {
                b[i + k * 10] += lim[k];
            }
        }
    }
    lim[0] = 0;
    stream_parallel
    {
        while (lim[1] > 0) {
            lim[1]--;
            for (int i = 0; i < n; i++) {
                a[i] += lim[1];
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] ^= 5;
        }
    }
}

//== reductions_in_blocks_and_after
//@ buffer b0 i32 50 range -9 9
//@ buffer b1 i64 8 range 0 0
//@ int 50
//@ array b0 0 50
//@ array b1 0 8
#include <rill/kernel.h>
kernel long run(int n, const int a[n], long r[8])
{
    long s, t;
    int at, lo;
    stream_parallel
    {
        s = 1;
        for (int i = 0; i < n; i++) {
            s += a[i];
        }
        r[0] = s;
    }
    stream_parallel
    {
        t = 1;
        for (int i = 0; i < n; i++) {
            t ^= a[i] * i;
        }
        r[1] = t;
    }
    stream_parallel
    {
        lo = 99;
        at = -1;
        for (int i = 0; i < n; i++) {
            if (a[i] < lo) {
                lo = a[i];
                at = i;
            }
        }
        r[2] = lo;
        r[3] = at;
    }
    return s * 1000 + t + lo + at;
}

//== blocks_in_nested_control
//@ buffer b0 i32 64 range -9 9
//@ buffer b1 i32 64 range -9 9
//@ int 12
//@ int 4
//@ array b0 0 64
//@ array b1 0 64
#include <rill/kernel.h>
static int f(int x)
{
    return x * 3 + 1;
}
kernel void half(int n, int k, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] += f(i + k);
    }
}
kernel void run(int n, int steps, int a[64], int b[64])
{
    for (int t = 0; t < steps; t++) {
        if (t & 1) {
            stream_parallel
            {
                half(n, t, a);
            }
            stream_parallel
            {
                half(n, -t, b);
            }
        } else {
            stream_parallel
            {
                for (int k = 0; k < t; k++) {
                    half(n, k, a + n);
                    if (a[0] > 40) {
                        half(n, 1, a + n);
                    }
                }
            }
            stream_parallel
            {
                half(n, t, b + n);
                half(n, t, b + 2 * n);
            }
        }
        for (int i = 0; i < n; i++) {
            int x = a[i];
            a[i] = b[i] + 1;
            b[i] = x;
        }
        if (b[3] > 1000) {
            return;
        }
    }
}

//== pointer_swap_before_blocks
//@ buffer b0 i32 64 range -9 9
//@ buffer b1 i32 64 range -9 9
//@ int 20
//@ int 1
//@ array b0 0 64
//@ array b1 0 64
#include <rill/kernel.h>
kernel void run(int n, int swap, int a[64], int b[64])
{
    int *p = swap ? a : b, *q = swap ? b : a;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            p[i] += 1;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            q[i] = p[i] * 2;
        }
    }
}

//== a_block_assigns_what_an_index_was_made_of
//@ buffer b0 i32 360 range -100 60
//@ buffer b1 i32 10 range 0 0
//@ int 10
//@ int 5
//@ int 3
//@ array b0 0 360
//@ array b1 0 10
#include <rill/kernel.h>
kernel int run(int n, long m, int k, int x[restrict n][6][6], int y[restrict n])
{
    unsigned char left = 0;
    for (left = 11; left > 0; left--) {
    }
    k = left;
    int at = (k - m) & 7;
    stream_parallel
    {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += i;
        }
        k = s;
    }
    stream_parallel
    {
        int own[20] = {x[n - 1 - at][5][at % 3] & at};
        y[at] = own[0];
    }
    return k + at;
}

//== a_later_block_assigns_what_a_bound_was_made_of
//@ buffer b0 i32 40 range -100 60
//@ buffer b1 i32 40 range 0 0
//@ int 40
//@ int 3
//@ array b0 0 40
//@ array b1 0 40
#include <rill/kernel.h>
kernel int run(int n, int k, const int x[restrict n], int y[restrict n])
{
    unsigned char left = 0;
    for (left = 9; left > 2; left--) {
    }
    k = left;
    int from = k * 3;
    stream_parallel
    {
        int own[4] = {x[from], x[from + 1]};
        y[from] = own[0] + own[1];
        for (int i = from + 1; i < n - from; i++) {
            y[i] = x[i] * 2 + from;
        }
    }
    stream_parallel
    {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += x[i] & i;
        }
        k = s;
    }
    return k + from;
}
