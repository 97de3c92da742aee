// Atomics on memory of one's own: GPUs have none there, so each operation on each type must become a plain one, and a
// pointer that may lead to a local or to an array must find out.
#include "include/atomics.h"

// struct all: dqQfiIhHbB6x f64 i64 u64 f32 i32 u32 i16 u16 i8 u8

// ---- a local array in a loop that runs on one thread

#define SINGLE(T, OPS)                                                                                                 \
    T own[4] = {1, 2, 3};                                                                                              \
    unsigned long seen = 0;                                                                                            \
    _Pragma("rill single") for (int i = 0; i < n; i++)                                                                 \
    {                                                                                                                  \
        OPS(&own[key[i] & 3], key[i], seen);                                                                           \
        sum[i] = seen;                                                                                                 \
        out[i & 3] = own[i & 3];                                                                                       \
    }

// run: single_i8 n=60
kernel void single_i8(int n, const int key[n], signed char out[4], unsigned long sum[n]){SINGLE(signed char, ALL)}

// run: single_u8 n=60
kernel void single_u8(int n, const int key[n], unsigned char out[4], unsigned long sum[n]){SINGLE(unsigned char, ALL)}

// run: single_i16 n=60
kernel void single_i16(int n, const int key[n], short out[4], unsigned long sum[n]){SINGLE(short, ALL)}

// run: single_u16 n=60
kernel
    void single_u16(int n, const int key[n], unsigned short out[4], unsigned long sum[n]){SINGLE(unsigned short, ALL)}

// run: single_i32 n=60
kernel void single_i32(int n, const int key[n], int out[4], unsigned long sum[n]){SINGLE(int, ALL)}

// run: single_u32 n=60
kernel void single_u32(int n, const int key[n], unsigned out[4], unsigned long sum[n]){SINGLE(unsigned, ALL)}

// run: single_i64 n=60
kernel void single_i64(int n, const int key[n], long out[4], unsigned long sum[n]){SINGLE(long, ALL)}

// run: single_u64 n=60
kernel void single_u64(int n, const int key[n], unsigned long out[4], unsigned long sum[n]){SINGLE(unsigned long, ALL)}

// run: single_f32 n=60
kernel void single_f32(int n, const int key[n], float out[4], unsigned long sum[n]){SINGLE(float, COMMON)}

// run: single_f64 n=60
kernel void single_f64(int n, const int key[n], double out[4], unsigned long sum[n]){SINGLE(double, COMMON)}

// ---- a struct of an iteration, one that an array's element may stand in for, and a parameter

// run: parallel n=200
kernel void parallel(int n, const int key[n], long v[n][10], unsigned long sum[n])
{
    for (int i = 0; i < n; i++) {
        struct all own;
        unsigned long seen = 0;
        load(&own, v[i]);
        for (int k = 0; k < 3; k++) {
            EVERY(&own, key[i] + k, seen);
        }
        store(v[i], &own);
        sum[i] = seen;
    }
}

// run: either n=60
kernel void either(int n, const int key[n], long v[10], unsigned long sum[n], struct all there[1])
{
    struct all own;
    load(&own, v);
    load(there, v);
#pragma rill single
    for (int i = 0; i < n; i++) {
        unsigned long seen = i;
        struct all *p = key[i] & 1 ? &own : there;
        EVERY(p, key[i], seen);
        sum[i] = seen;
    }
    store(v, &own);
}

// run: passed_by_value n=50 k.f64=3 k.i64=4 k.u64=5 k.f32=6 k.i32=7 k.u32=8 k.i16=9 k.u16=10 k.i8=11 k.u8=200
kernel void passed_by_value(int n, const int key[n], struct all k, unsigned long sum[n], long v[10])
{
#pragma rill single
    for (int i = 0; i < n; i++) {
        unsigned long seen = 0;
        EVERY(&k, key[i], seen);
        sum[i] = seen;
    }
    store(v, &k);
}
