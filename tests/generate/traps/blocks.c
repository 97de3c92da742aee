// stream_parallel blocks that touch, overlap, interleave and share locals. generate_test.c says how a file of many
// kernels is read.

//== touching
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n / 2; i++) {
            a[i] += i;
        }
    }
    stream_parallel
    {
        for (int i = n / 2; i < n; i++) {
            a[i] -= i;
        }
    }
}

//== touching_mid_arg
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ int 20
//@ int 20
//@ array b0 0 40
// or
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ int 21
//@ int 20
//@ array b0 0 40
// or
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ int 20
//@ int 25
//@ array b0 0 40
// or
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ int 40
//@ int 0
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int hi, int lo, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < hi; i++) {
            a[i] = a[i] * 3 + i;
        }
    }
    stream_parallel
    {
        for (int i = lo; i < n; i++) {
            a[i] = a[i] * 5 - i;
        }
    }
}

//== interleaved
//@ buffer b0 i32 40 range 0 9
//@ int 40
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i += 2) {
            a[i] = a[i] * 3 + i;
        }
    }
    stream_parallel
    {
        for (int i = 1; i < n; i += 2) {
            a[i] = a[i] * 5 - i;
        }
    }
}

//== interleaved_two_arg
//@ buffer b0 i32 40 range 0 9
//@ int 20
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[2 * n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2 * i] = a[2 * i] * 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2 * i + 1] = i;
        }
    }
}

//== overlap_in_order
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 20 range 0 19
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, int a[n], const int x[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[x[i]] = 7;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * 3 + i;
        }
    }
    stream_parallel
    {
        ;
    }
}

//== alias
//@ buffer b0 i32 40 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 10 10
// or
//@ buffer b0 i32 40 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 5 10
// or
//@ buffer b0 i32 40 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b0 0 10
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * 3 + 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = b[i] * 5 + 2;
        }
    }
}

//== updates_same_class
//@ buffer b0 i32 30 range 0 9
//@ buffer b1 i32 4 range 0 9
//@ int 30
//@ array b0 0 30
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int s[4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[0] += x[i];
        }
        for (int i = 0; i < n; i++) {
            s[x[i] & 3] += 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[i & 3] -= x[i];
        }
    }
    stream_parallel
    {
        s[0] += 5;
        s[1]++;
    }
}

//== known_other_class
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 4 range 0 9
//@ int 12
//@ array b0 0 12
//@ array b1 0 4
#include <rill/kernel.h>
// Known addresses: tested, so in program order, not an error.
kernel void run(int n, const int x[n], int s[4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[0] += x[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s[1] *= x[i] | 1;
        }
    }
}

//== in_time_loop
//@ buffer b0 i32 24 range 0 9
//@ buffer b1 i32 24 range 0 9
//@ int 24
//@ int 5
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel int run(int n, int steps, int a[n], int b[n])
{
    int c = 0;
    for (int t = 0; t < steps; t++) {
        if (t % 2) {
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    a[i] += b[i] + t;
                }
            }
            continue;
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                a[i] = a[i] * 3 + t;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                b[i] = b[i] * 5 - t;
            }
        }
        if (t == 4) {
            break;
        }
        c++;
    }
    return c;
}

//== locals_private
//@ buffer b0 i32 24 range 0 9
//@ buffer b1 i32 24 range 0 9
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel int run(int n, int a[n], int b[n])
{
    int i, t;
    stream_parallel
    {
        for (i = 0; i < n; i++) {
            t = a[i];
            a[i] = t * 2;
        }
    }
    stream_parallel
    {
        for (i = n - 1; i >= 0; i--) {
            t = b[i];
            b[i] = t * 3;
        }
    }
    return i * 1000;
}

//== local_before
//@ buffer b0 i32 24 range 0 9
//@ buffer b1 i32 24 range 0 9
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel int run(int n, int a[n], int b[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        k += a[i];
    }
    int m = k * 2, r = 1, q = 2;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = k + i;
        }
        r = m;
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = m - i;
        }
        q = k;
    }
    return r * 7 + q;
}

//== reductions_each
//@ buffer b0 i32 24 range 0 9
//@ buffer b1 i32 24 range 0 9
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel int run(int n, const int a[n], const int b[n])
{
    int s = 0, m = -5, at = -1;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s += a[i];
        }
        s *= 3;
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (b[i] > m) {
                m = b[i];
                at = i;
            }
        }
    }
    return s * 100 + m * 10 + at;
}

//== statement_between
//@ buffer b0 i32 10 range 0 9
//@ int 10
//@ array b0 0 10
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    int k;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] += 1;
        }
    }
    k = a[0];
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] *= k;
        }
    }
    stream_parallel{};
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] -= 1;
        }
    }
}

//== in_parallel_loop
//@ buffer b0 i32 30 range 0 9
//@ int 10
//@ array b0 0 30
#include <rill/kernel.h>
// The loop around blocks is control: in order.
kernel void run(int n, int a[3 * n])
{
    for (int t = 0; t < 3; t++) {
        stream_parallel
        {
            for (int i = 0; i < n / 2; i++) {
                a[t * n + i] += t;
            }
        }
        stream_parallel
        {
            for (int i = n / 2; i < n; i++) {
                a[t * n + i] -= t;
            }
        }
    }
}

//== kernel_call
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 12 range 0 9
//@ int 12
//@ int 3
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel void grow(int n, int k, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * k + i;
    }
}
kernel int total(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    return s;
}
kernel int run(int n, int k, int a[n], int b[n])
{
    int s, t;
    stream_parallel
    {
        grow(n, k, a);
        s = total(n, a);
    }
    stream_parallel
    {
        grow(n, k + 1, b);
        t = total(n / 2, b) + total(n - n / 2, b + n / 2);
    }
    return s * 3 + t;
}

//== kernel_with_blocks
//@ buffer b0 i32 12 range 0 9
//@ buffer b1 i32 12 range 0 9
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel void both(int n, int a[n], int b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i]++;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i]--;
        }
    }
}
kernel void run(int n, int a[n], int b[n])
{
    both(n, a, b);
    if (n > 3) {
        both(n, b, a);
    }
    for (int t = 0; t < 2; t++) {
        both(n / 2, a, a + n / 2);
    }
}

//== rows
//@ buffer b0 i32 42 range 0 9
//@ int 6
//@ int 7
//@ array b0 0 42
#include <rill/kernel.h>
kernel void run(int h, int w, int a[h][w])
{
    stream_parallel
    {
        for (int x = 0; x < w; x++) {
            a[0][x] = x;
        }
    }
    stream_parallel
    {
        for (int y = 1; y < h; y++) {
            for (int x = 0; x < w; x++) {
                a[y][x] += y;
            }
        }
    }
    stream_parallel
    {
        ;
    }
}

//== columns
//@ buffer b0 i32 42 range 0 9
//@ int 6
//@ int 7
//@ array b0 0 42
#include <rill/kernel.h>
kernel void run(int h, int w, int a[h][w])
{
    stream_parallel
    {
        for (int y = 0; y < h; y++) {
            a[y][0] = a[y][0] * 2 + y;
        }
    }
    stream_parallel
    {
        for (int y = 0; y < h; y++) {
            a[y][w - 1] = a[y][w - 1] * 3 - y;
        }
    }
}

//== columns_equal
//@ buffer b0 i32 42 range 0 9
//@ int 6
//@ int 1
//@ array b0 0 42
// or
//@ buffer b0 i32 42 range 0 9
//@ int 6
//@ int 3
//@ array b0 0 42
#include <rill/kernel.h>
kernel void run(int h, int w, int a[h][w])
{
    stream_parallel
    {
        for (int y = 0; y < h; y++) {
            a[y][0] = a[y][0] * 2 + y;
        }
    }
    stream_parallel
    {
        for (int y = 0; y < h; y++) {
            a[y][w - 1] = a[y][w - 1] * 3 - y;
        }
    }
}

//== read_shared_write_own
//@ buffer b0 i32 20 range 0 9
//@ buffer b1 i32 20 range 0 9
//@ buffer b2 i32 20 range 0 9
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
//@ array b2 0 20
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int a[n], int b[n])
{
    stream_parallel
    {
        for (int i = 1; i < n; i++) {
            a[i] = x[i] + x[i - 1];
        }
        for (int i = 1; i < n; i++) {
            a[i] += a[i - 1];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n - 1; i++) {
            b[i] = x[i] * x[i + 1];
        }
        while (b[0] < 1000) {
            b[0] += 1 + x[0];
        }
    }
}

//== cond_block
//@ buffer b0 i32 10 range 0 9
//@ buffer b1 i32 10 range 0 9
//@ int 10
//@ int 1
//@ array b0 0 10
//@ array b1 0 10
// or
//@ buffer b0 i32 10 range 0 9
//@ buffer b1 i32 10 range 0 9
//@ int 10
//@ int 0
//@ array b0 0 10
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, int f, int a[n], int b[n])
{
    stream_parallel
    {
        if (f) {
            for (int i = 0; i < n; i++) {
                a[i] = 1;
            }
        } else {
            a[0] = 9;
        }
    }
    stream_parallel
    {
        switch (f) {
        case 0: b[1] = 3; break;
        default:
            for (int i = 0; i < n; i++) {
                b[i] = 2;
            }
        }
    }
    if (f) {
        stream_parallel
        {
            a[3] = 4;
        }
    } else {
        stream_parallel
        {
            b[3] = 4;
        }
    }
}

//== fields
//@ buffer b0 i32 10 range 0 9
//@ int 10
//@ array b0 0 10
#include <rill/kernel.h>
int field_a[16] = {1, 2, 3}, field_b;
static int field_c[4];
kernel int run(int n, const int x[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            field_a[i] += x[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            field_b += x[i];
        }
        field_c[1] = field_b;
    }
    return field_a[3] + field_c[1];
}

//== struct_members
//@ buffer b0 bytes 160 range 0 20
//@ array b0 0 160
//@ int 10
#include <rill/kernel.h>
struct p {
    int x, y, z;
    float w;
};
kernel void run(struct p a[10], int n)
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i].x = a[i].x * 3 + i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i].y = a[i].y * 5 + i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i].z += a[i].z;
        }
    }
}

//== max_min
//@ buffer b0 i32 20 range -9 9
//@ buffer b1 i32 2 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 2
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[2])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (x[i] > r[0]) {
                r[0] = x[i];
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            r[0] = r[0] < x[i] * 2 ? x[i] * 2 : r[0];
        }
    }
}

//== min_max_mix
//@ buffer b0 i32 20 range -9 9
//@ buffer b1 i32 2 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 2
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[2])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (x[i] > r[0]) {
                r[0] = x[i];
            }
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (x[i] < r[0]) {
                r[0] = x[i];
            }
        }
    }
}

//== while_control
//@ buffer b0 i32 12 range 1 9
//@ buffer b1 i32 12 range 1 9
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel int run(int n, int a[n], int b[n])
{
    int t = 0;
    while (a[0] < 100 && t < 20) {
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                a[i] += b[i];
            }
        }
        stream_parallel
        {
            int z = 0;
            z++;
        }
        t++;
    }
    do {
        stream_parallel
        {
            a[1]++;
        }
        stream_parallel
        {
            b[1]--;
        }
    } while (++t < 25);
    return t;
}
