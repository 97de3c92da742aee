// Atomics in helpers that are called, or inlined, for memory of one's own and for arrays. See own_atomics.c.
#include "include/atomics.h"

// struct all: dqQfiIhHbB6x f64 i64 u64 f32 i32 u32 i16 u16 i8 u8

// So long that a GPU calls it.
static unsigned long step(struct all *p, int k)
{
    unsigned long seen = 0;
    EVERY(p, k, seen);
    EVERY(p, k + 5, seen);
    EVERY(p, k ^ 9, seen);
    return seen;
}

// Short: inlined everywhere.
static int raise(int *p, float *f, int k)
{
    return rill_atomic_max(p, k) + (int)rill_atomic_min(f, k);
}

// run: called n=200
kernel void called(int n, const int key[n], long v[n][10], unsigned long sum[n])
{
    for (int i = 0; i < n; i++) {
        struct all own[2];
        load(&own[0], v[i]);
        load(&own[1], v[i]);
        sum[i] = step(&own[key[i] & 1], key[i]);
        sum[i] ^= step(&own[0], key[i] + 1) >> 1;
        sum[i] ^= step(&own[key[i] >> 1 & 1], key[i] + 2) >> 2;
        store(v[i], &own[0]);
        v[i][0] ^= own[1].i64 ^ own[1].i32;
    }
}

// run: called_in_order n=60
kernel void called_in_order(int n, const int key[n], long v[10], unsigned long sum[n])
{
    struct all own[2];
    load(&own[0], v);
    load(&own[1], v);
#pragma rill single
    for (int i = 0; i < n; i++) {
        sum[i] = step(&own[key[i] & 1], key[i]);
        sum[i] ^= step(&own[sum[i] >> 5 & 1], key[i] + 1);
        sum[i] += step(&own[0], 3);
    }
    store(v, &own[1]);
}

// The helper's own code is one for both, or was inlined twice: the first call leads to a local, the second to an array.
// run: called_for_both n=100
kernel void called_for_both(int n, const int key[n], long v[10], unsigned long sum[n], struct all there[2])
{
    struct all own[2];
    load(&own[0], v);
    load(&own[1], v);
    load(&there[0], v);
    load(&there[1], v);
#pragma rill single
    for (int i = 0; i < n; i++) {
        sum[i] = step(&own[key[i] & 1], key[i]);
        sum[i] ^= step(&there[key[i] & 1], key[i] + 1) >> 1;
        struct all *either = key[i] & 2 ? &own[0] : &there[1];
        sum[i] ^= step(either, key[i] + 2) >> 2;
    }
    store(v, &own[1]);
}

// run: either_of_list n=100
kernel void either_of_list(int n, const int key[n], int a[4], long sum[n], float f[4])
{
    int own[4] = {5, 6, 7, 8};
    float mine[4] = {100, 50, 20, 9};
#pragma rill single
    for (int i = 0; i < n; i++) {
        int *lists[2] = {own, a};
        float *floats[2] = {f, mine};
        sum[i] = raise(&lists[key[i] & 1][i & 3], &floats[key[i] >> 1 & 1][i & 3], key[i]);
        sum[i] += raise(&own[i & 3], &mine[i & 3], key[i] >> 1);
        sum[i] += raise(&a[i & 3], &f[i & 3], key[i] >> 1);
    }
    for (int i = 0; i < 4; i++) {
        a[i] += own[i];
        f[i] += mine[i];
    }
}
