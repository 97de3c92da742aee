// Stores at places that depend on data: with equal ones, made of what the loop writes, beside reads and reductions.
//@ buffer b0 i32 64 range 0 9
//@ buffer b1 i32 64 perm 0 0
//@ buffer b2 i32 64 range 0 0
//@ buffer b3 i32 64 range 0 0
//@ buffer b4 i16 64 range 0 0
//@ buffer b5 u8 64 range 0 0
//@ buffer b6 i64 64 range 0 0
//@ buffer b7 bytes 768 points 0 0
//@ buffer b8 i32 64 perm 0 0
//@ buffer b9 i32 64 perm 0 0
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
//@ array b3 0 64
//@ array b4 0 64
//@ array b5 0 64
//@ array b6 0 64
//@ array b7 0 768
//@ array b8 0 64
//@ array b9 0 64
#include <rill/kernel.h>
struct pt { int a; float b; short c[2]; };

kernel void counting_sort(int n, int start[n], int out[n], const int key[n])
{
    for (int i = 0; i < n; i++) start[i] = 0;
    for (int i = 0; i < n; i++) start[key[i] + 1]++;
    for (int k = 1; k < 12; k++) start[k] += start[k - 1];
    for (int i = 0; i < n; i++) out[start[key[i]]++] = i;
}

kernel int last_stores(int n, short a[n], unsigned char b[n], long c[n], struct pt p[n], const int dup[n], const int perm[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) a[dup[i]] = i * 3;
    for (int i = 0; i < n; i++) {
        b[dup[i]] = i;
        sum += dup[i];
    }
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1) continue;
        c[dup[i]] = i;
        c[perm[i]] = -i;
    }
    for (int i = 0; i < n; i++) {
        p[dup[i]].a = i;
        p[dup[i]].c[1] = i + 1;
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            if (dup[i * 8 + j] > 6) break;
            a[32 + dup[i * 8 + j]] = i * 10 + j;
        }
    }
    return sum;
}

kernel void unlink_some(int n, int next[n], int prev[n], const int gone[n])
{
    for (int i = 0; i < n; i++) {
        next[i] = (i + 1) % n;
        prev[i] = (i + n - 1) % n;
    }
    for (int i = 0; i < n / 2; i++) {
        int v = gone[i];
        next[prev[v]] = next[v];
        prev[next[v]] = prev[v];
    }
}

kernel void sieve(int n, int composite[n])
{
    for (int i = 0; i < n; i++) composite[i] = 0;
    for (int i = 2; i * i < n; i++) {
        if (composite[i]) continue;
        for (int j = i * i; j < n; j += i) composite[j] = 1;
    }
}

kernel int run(int n, const int dup[n], const int perm[n], int start[n], int out[n], short a[n], unsigned char b[n],
               long c[n], struct pt p[n], int next[n], int prev[n])
{
    counting_sort(n, start, out, dup);
    int sum = last_stores(n, a, b, c, p, dup, perm);
    unlink_some(n, next, prev, perm);
    sieve(n, start);
    return sum;
}
// nobody gives his word
