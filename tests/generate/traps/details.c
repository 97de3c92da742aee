// Loops whose independence depends on one detail. generate_test.c says how a file of many kernels is read.

//== bitfield_neighbours
//@ buffer b0 bytes 16 range 0 255
//@ int 16
//@ array b0 0 16
#include <rill/kernel.h>
struct s {
    unsigned char lo : 4, hi : 4;
};
kernel void run(int n, struct s a[n])
{
    for (int i = 0; i < 2 * n; i++) {
        if (i & 1) {
            a[i >> 1].hi = i * 3;
        } else {
            a[i >> 1].lo = i * 5;
        }
    }
}

//== bitfield_sums_in_one_word
//@ buffer b0 i32 40 range 0 9
//@ buffer b1 bytes 4 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 4
#include <rill/kernel.h>
struct s {
    unsigned a : 10, b : 10, c : 12;
};
kernel void run(int n, const int x[n], struct s s[1])
{
    for (int i = 0; i < n; i++) {
        if (x[i] < 3) {
            s[0].a += x[i];
        } else if (x[i] < 6) {
            s[0].b += x[i];
        } else {
            s[0].c ^= x[i];
        }
    }
}

//== bitfield_halves_by_two_loops_in_blocks
//@ buffer b0 bytes 96 range 0 255
//@ int 24
//@ array b0 0 96
#include <rill/kernel.h>
struct s {
    unsigned a : 16, b : 16;
};
kernel void run(int n, struct s s[n])
{
    for (int i = 0; i < n; i++) {
        s[i].a = i * 7;
    }
    for (int i = 0; i < n; i++) {
        s[i].b = s[n - 1 - i].a;
    }
}

//== char_neighbours
//@ buffer b0 u8 301 range 0 255
//@ int 300
//@ array b0 0 301
#include <rill/kernel.h>
kernel void run(int n, unsigned char a[n + 1])
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 3 + 1;
    }
    for (int i = 0; i < n; i += 2) {
        a[i + 1] = a[i] + a[i + 1];
    }
    for (int i = 1; i < n; i += 2) {
        a[i - 1] ^= a[i];
    }
}

//== bool_neighbours_packed_ints
//@ buffer b0 u8 64 range 0 1
//@ buffer b1 u64 1 range 0 0
//@ int 64
//@ array b0 0 64
//@ array b1 0 1
#include <rill/kernel.h>
kernel void run(int n, const unsigned char f[n], uint64_t m[1])
{
    for (int i = 0; i < n; i++) {
        if (f[i]) {
            m[0] |= UINT64_C(1) << i;
        }
    }
}

//== union_fields_overlap
//@ buffer b0 bytes 160 range 0 255
//@ int 20
//@ array b0 0 160
#include <rill/kernel.h>
union u {
    struct {
        int a, b;
    } s;
    struct {
        short p, q, x, y;
    } h;
    long all;
};
kernel void run(int n, union u v[n])
{
    for (int i = 1; i < n; i++) {
        v[i].s.a = v[i - 1].h.x;
    }
    for (int i = 1; i < n; i++) {
        v[i].s.b = v[i - 1].h.p + i;
    }
    for (int i = 1; i < n; i++) {
        v[i].h.y = (short)(v[i - 1].all >> 48);
    }
}

//== struct_fields_apart
//@ buffer b0 bytes 160 range 0 255
//@ int 20
//@ array b0 0 160
#include <rill/kernel.h>
struct s {
    int a;
    int b;
};
kernel void run(int n, struct s v[n])
{
    for (int i = 1; i < n; i++) {
        v[i].a = v[i - 1].b;
    }
    for (int i = 0; i < n - 1; i++) {
        int *p = &v[i].b;
        p[1] = i;
        p[0]++;
    }
}

//== unsigned_index_wraps_by_offset
//@ buffer b0 i32 64 range 0 99
//@ int 20
//@ int 3
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, unsigned k, int a[64])
{
    for (unsigned i = 0; i < (unsigned)n; i++) {
        if (i - k < 20u) {
            a[i - k] = a[i] + 1;
        }
    }
    for (unsigned i = 0; i < (unsigned)n; i++) {
        unsigned j = i * 0x80000001u;
        a[j & 31] += 2;
        a[(j >> 31) + 40] = 5;
    }
}

//== uchar_index_wraps_all_256
//@ buffer b0 i32 256 range 0 99
//@ int 300
//@ array b0 0 256
#include <rill/kernel.h>
kernel void run(int n, int a[256])
{
    for (int i = 0; i < n; i++) {
        a[(unsigned char)i] = i;
    }
    for (int i = 0; i < n; i++) {
        a[(signed char)i & 127] -= i;
    }
    for (int i = 0; i < n; i++) {
        unsigned char c = i * 3;
        a[c] = a[c] * 2 + i;
    }
}

//== short_index_overflows
//@ buffer b0 u8 65536 range 0 255
//@ int 66000
//@ array b0 0 65536
#include <rill/kernel.h>
kernel void run(int n, unsigned char a[65536])
{
    for (int i = 0; i < n; i++) {
        unsigned short s = i;
        a[s] = a[s] * 5 + 1;
    }
}

//== short_counter_signed
//@ buffer b0 i32 400 range 0 99
//@ int 200
//@ array b0 0 400
#include <rill/kernel.h>
kernel void run(int n, int a[2 * n])
{
    for (short i = 0; i < n; i++) {
        a[i] = i;
        a[i + n] = (signed char)i;
    }
    for (signed char i = -100; i < 100; i += 25) {
        a[i + 100]--;
    }
    for (unsigned char i = 200; i > 100; i -= 7) {
        a[i - 100] = i;
    }
}

//== negative_steps
//@ buffer b0 i32 80 range 0 99
//@ int 33
//@ array b0 0 80
#include <rill/kernel.h>
kernel void run(int n, int a[80])
{
    for (int i = n; i > 0; i--) {
        a[i] = a[i - 1] + 1;
    }
    for (int i = n; i >= 1; i -= 2) {
        a[i - 1] = a[i] + 1;
    }
    for (int i = n; i > 0; i -= 3) {
        a[i + 1] = a[i] * 2;
    }
    for (int i = n - 1; i != -1; i--) {
        a[i + n] = a[i];
    }
    for (long i = n; i-- > 0;) {
        a[i] += a[i + 1];
    }
}

//== ne_conditions
//@ buffer b0 i32 64 range 0 99
//@ int 30
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[64])
{
    for (int i = 0; i != n; i++) {
        a[i] += i;
    }
    for (int i = n; i != 0; --i) {
        a[i] += a[i - 1];
    }
    for (int i = 0; i != n; i += 2) {
        a[i + 1] -= a[i];
    }
    for (unsigned i = n; i != 10u; i--) {
        a[i] ^= 1;
    }
    for (int i = 5; 5 + n != i; ++i) {
        a[i] *= 3;
    }
    for (int i = 0; n > i; ++i) {
        a[i]++;
    }
}

//== bound_changes_in_body
//@ buffer b0 i32 64 range 0 3
//@ int 40
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[64])
{
    int m = n;
    for (int i = 0; i < m; i++) {
        a[i]++;
        if (a[i] == 3) {
            m--;
        }
    }
    int lim[2] = {30, 20};
    for (int i = 0; i < lim[0]; i++) {
        a[i] += 2;
        lim[1]++;
        lim[0] = lim[1] > 35 ? 10 : lim[0];
    }
    for (int i = 0; i < a[63] + 20; i++) {
        a[63 - i] = 1;
    }
    a[0] = m;
    a[1] = lim[0];
}

//== bound_in_the_array_that_is_written
//@ buffer b0 i32 64 range 1 6
//@ int 10
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[64])
{
    for (int i = 0; i < a[0]; i++) {
        a[i + 1] = i;
    }
    a[5] = 9;
    for (int i = 0; i < a[5]; i++) {
        a[i] = 12;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (a[i] & 7); j++) {
            a[20 + j] += 1;
        }
    }
}

//== counter_written_in_body
//@ buffer b0 i32 64 range 0 3
//@ int 40
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, int a[64])
{
    for (int i = 0; i < n; i++) {
        a[i] += 10;
        if (a[i] & 1) {
            i++;
        }
    }
    for (int i = 0; i < n; i++) {
        a[i]++;
        i += a[i] > 11;
        a[i] -= 2;
    }
    for (int i = 0, *p = &i; i < n; i++) {
        a[i] ^= 64;
        if (i == 7) {
            *p = 20;
        }
    }
}
