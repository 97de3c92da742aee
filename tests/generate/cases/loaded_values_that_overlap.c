// Strides, counts and places that are loaded in the loop from an array that overlaps what the loop writes.
//@ buffer b0 i32 1024 range 1 1
//@ buffer b1 i32 256 range 1 3
//@ buffer b2 i32 256 range 0 99
//@ int 100
//@ array b0 0 1024
//@ array b0 5 4
//@ array b1 0 128
//@ array b1 3 8
//@ array b2 0 256
//@ array b2 10 100
#include <rill/kernel.h>
kernel int run(int n, int x[1024], const int w[4], int y[128], const int c[8], int z[256], const int at[100])
{
    int sum = 0;
    for (int i = 0; i < n; i++) x[i * w[0]] = 2;
    for (int i = 0; i < n; i++) x[300 + i * w[1]] = x[2 + i] + 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (w[2] & 3); j++) x[i + j] += 1;
    }
    for (int i = 0; i < n; i++) {
        y[i >> (c[0] & 3)] = i;
        sum += c[1];
    }
    for (int i = 0; i < n; i++) {
        if (c[2] > 1) y[i] = i & 3;
    }
    for (int i = 0; i < n; i++) z[at[i] & 127] = 99 - i;
    for (int i = 0; i < n; i++) z[at[99 - i] & 127] = i * 2;
    for (int i = 0; i < n; i++) {
        int k = at[7] & 31;
        z[i + k] = i;
    }
    return sum;
}
// nobody gives his word
