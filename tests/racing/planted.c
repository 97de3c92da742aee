// Kernels with a race in a loop that `#pragma rill parallel` stands before, and the same without it: P(racy, right) is
// the first in one module and the second in another. conformance/racing_test runs both under RILL_CHECK=races.
#ifndef P
#define P(racy, right) right
#endif
#include <rill/kernel.h>
#include <string.h>
struct body {
    float x, y;
    int v[4];
};
int field[64];
float plane[8][8];
int counter;
#define KERNEL(name)                                                                                                   \
    kernel void name(int n, int k, const int idx[n], const int perm[n], const int row[n], float a[n], float b[n],      \
                     int h[n], unsigned char c[n], short w[n], long l[n], double d[n], struct body s[n],               \
                     float g[8][32])
#define ALL _Pragma("rill parallel") for (int i = 0; i < n; i++)
#define TILES _Pragma("rill parallel") for (int i = 0; i < n / 8 - 1; i++)
static void put(float *p, float value)
{
    *p = value;
}
static int bump(int *p)
{
    int old = *p;
    *p = old + 1;
    return old;
}
KERNEL(scatter)
{
    ALL a[P(idx, perm)[i]] = i;
}
KERNEL(gather_in_place)
{
    ALL a[i] = P(a, b)[perm[i]] + 1;
}
KERNEL(jump_pointers)
{
    ALL h[i] = P(h, idx)[idx[i]];
}
KERNEL(histogram)
{
    ALL h[P(idx, perm)[i]] = h[P(idx, perm)[i]] * 3 + 1;
}
KERNEL(added_and_doubled)
{
    ALL
    {
        h[P(idx, perm)[i]] += 3;
        h[P(idx, perm)[i]] *= 2;
    }
}
KERNEL(decay)
{
    ALL a[P(idx, perm)[i]] = a[P(idx, perm)[i]] * 0.5f + b[i];
}
KERNEL(last_one)
{
    ALL if (b[i] >= 0) h[P(k, i)] = i;
}
KERNEL(flag_and_read)
{
    ALL
    {
        if (idx[i] == 5) {
            h[k] = 1;
        }
        c[i] = P(h[k], 1);
    }
}
KERNEL(two_sums)
{
    ALL b[P(idx[i] % 2, perm[i])] = b[P(idx[i] % 2, perm[i])] * 0.5f + a[i];
}
KERNEL(shared_temporary)
{
    ALL
    {
        b[P(idx[i] % 8, perm[i])] = a[i];
        a[i] = b[P(idx[i] % 8, perm[i])] * 2;
    }
}
KERNEL(tiles)
{
    TILES for (int j = 0; j < P(9, 8); j++) a[row[i] + j] = i;
}
KERNEL(tiles_read)
{
    TILES for (int j = 0; j < 8; j++) a[row[i] + j] = P(a, b)[row[i] + 8 - j] + 1;
}
KERNEL(member)
{
    ALL s[P(idx, perm)[i]].x = i;
}
KERNEL(other_member)
{
    ALL s[i].y = P(s[perm[i]].y, s[perm[i]].x) + 1;
}
KERNEL(array_in_struct)
{
    ALL s[P(idx, perm)[i]].v[i % 4] = i;
}
KERNEL(whole_struct)
{
    ALL
    {
        struct body one = {i, i, {i, 2, 3, 4}};
        s[P(idx, perm)[i]] = one;
    }
}
KERNEL(bytes)
{
    ALL c[P(idx, perm)[i]] = i;
}
KERNEL(neighbour_bytes)
{
    ALL c[P(perm[i] & ~1, perm[i])] = i;
}
KERNEL(shorts)
{
    ALL w[P(idx, perm)[i]] = i;
}
KERNEL(longs)
{
    ALL l[P(idx, perm)[i]] = i;
}
KERNEL(doubles)
{
    ALL d[P(idx, perm)[i]] = i;
}
KERNEL(two_levels)
{
#pragma rill parallel
    for (int i = 0; i < 8; i++)
#pragma rill parallel
        for (int j = 0; j < 32; j++) {
            g[i][P(idx[j] / 2, perm[j] % 32)] = j;
        }
}
KERNEL(inner_level)
{
    for (int i = 0; i < 8; i++)
#pragma rill parallel
        for (int j = 0; j < 32; j++) {
            g[i][P(idx[j] / 2, perm[j] % 32)] = j;
        }
}
KERNEL(outer_level)
{
#pragma rill parallel
    for (int i = 0; i < P(16, 8); i++) {
        for (int j = 0; j < 32; j++) {
            g[perm[i] % 8][j] = i;
        }
    }
}
KERNEL(transpose)
{
#pragma rill parallel
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            g[i][j] = P(g[perm[j] % 8][i], b[perm[j] % 8]);
        }
    }
}
KERNEL(fields)
{
    ALL if (i < P(n, 64)) field[idx[i]] = i;
}
KERNEL(fields_of_rows)
{
    ALL if (i < P(n, 64)) plane[idx[i] / 8][idx[i] % 8] = a[i];
}
KERNEL(locals)
{
    float t[64];
    for (int i = 0; i < 64; i++) {
        t[i] = 0;
    }
    ALL if (i < P(n, 64)) t[idx[i]] = i;
    for (int i = 0; i < 64; i++) {
        a[i] = t[i];
    }
}
KERNEL(swap)
{
    ALL
    {
        int p = perm[i], q = P(perm[(i + 1) % n], p);
        float t = a[p];
        a[p] = a[q];
        a[q] = t;
    }
}
KERNEL(odd_and_even)
{
    ALL if (i % 2 == 0) a[perm[i]] = i;
    else a[perm[i]] = P(a[perm[i - 1]], b[i]);
}
KERNEL(relax)
{
    ALL if (a[P(idx, perm)[i]] >= b[i] - 1) a[P(idx, perm)[i]] = b[i];
}
KERNEL(atomic_and_plain)
{
    ALL
    {
        rill_atomic_add(&h[k], 1);
        if (idx[i] == 9) {
            h[P(k, k + 1 + i % 100)] = i;
        }
    }
}
KERNEL(half_a_counter)
{
    ALL
    {
        int at = rill_atomic_add(&counter, 1);
        h[P(at / 2, at)] = i;
    }
}
KERNEL(copies)
{
    TILES memcpy(&a[row[i]], &b[row[i]], P(36, 32));
}
KERNEL(copied_from)
{
    TILES memcpy(&a[row[i]], P(&a[row[i + 1]], &b[row[i + 1]]), 32);
}
KERNEL(fills)
{
    TILES memset(&c[row[i]], i, P(9, 8));
}
KERNEL(running_sum)
{
    ALL
    {
        int p = perm[i];
        a[p] = P(a, b)[p > 0 ? p - 1 : 0] + 1;
    }
}
KERNEL(list)
{
    ALL
    {
        int at = P(h[idx[i] % 4], rill_atomic_add(&h[idx[i] % 4], 1));
        P(h[idx[i] % 4] = at + 1, (void)at);
    }
}
KERNEL(reverse)
{
    ALL a[n - 1 - perm[i]] = P(a, b)[perm[i]];
}
KERNEL(by_helper)
{
    ALL put(&a[P(idx, perm)[i]], i);
}
KERNEL(by_pointer)
{
    ALL
    {
        float *p = a + P(idx, perm)[i];
        *p = i;
    }
}
KERNEL(one_of_two)
{
    ALL
    {
        float *p = k > 2 ? a : b;
        p[P(idx, perm)[i]] = i;
    }
}
KERNEL(heap)
{
    ALL
    {
        int at = i;
        while (at > 0) {
            a[at] = i;
            at = P(at / 2, 0);
        }
    }
}
KERNEL(rounds)
{
    for (int t = 0; t < 3; t++) {
        ALL a[P(idx, perm)[i]] = i + t;
    }
}
KERNEL(under_a_condition)
{
    if (n > 10) {
        ALL a[P(idx, perm)[i]] = i;
    }
}
KERNEL(blocks)
{
    stream_parallel
    {
        ALL a[perm[i]] = i;
    }
    stream_parallel
    {
        ALL b[P(idx, perm)[i]] = i;
    }
}
KERNEL(backwards)
{
#pragma rill parallel
    for (int i = n - 2; i >= 0; i -= 2) {
        a[P(idx, perm)[i]] = i;
    }
}
KERNEL(long_variable)
{
#pragma rill parallel
    for (long i = 0; i < n; i++) {
        a[P(idx, perm)[i]] = i;
    }
}
KERNEL(second_loop)
{
    ALL a[perm[i]] = i;
    ALL a[P(idx, perm)[i]] += a[P(idx, perm)[i]] * 2;
}
KERNEL(boundary)
{
    ALL
    {
        a[perm[i]] = i;
        if (idx[i] == 60) {
            a[P(perm[0], perm[i])] = 0.5f * i;
        }
    }
}
KERNEL(two_constants)
{
    ALL if (i < 128) h[idx[i]] = 1;
    else h[idx[i]] = P(2, 1);
}
KERNEL(constant_and_read)
{
    ALL
    {
        h[idx[i]] = 1;
        if (P(h[idx[i]], i) >= 1) {
            c[i] = 1;
        }
    }
}
KERNEL(remainder_of)
{
    ALL a[P(i % 100, perm[i])] = i;
}
KERNEL(half_index)
{
    ALL a[P(i / 2, perm[i])] = i;
}
KERNEL(masked)
{
    ALL a[P(i * 7 & 63, perm[i])] = i;
}
KERNEL(old_value)
{
    ALL w[i] = P(bump(&h[idx[i]]), bump(&h[perm[i]]));
}
KERNEL(reads_of_many)
{
    ALL
    {
        b[i] = a[P(idx[i], perm[i])];
        if (idx[i] == 3) {
            a[P(3, perm[i])] = i;
        }
    }
}
