// Loops of one iteration, or with one that updates: nothing that another iteration does is in the way of an update at a
// fixed place, but the iteration itself touches that place before or afterwards.
//@ buffer b0 i32 64 range 1 9
//@ buffer b1 i32 64 range 1 9
//@ buffer b2 i32 64 range 1 9
//@ int 1
//@ int 0
//@ int 20
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
#include <rill/kernel.h>
kernel void run(int n, int k, int m, int x[restrict 64], const int y[restrict 64], int z[restrict 64])
{
    for (int i = 0; i < n; i++) {
        x[k] += y[i];
        x[i] = y[i + 1];
    }
    for (int i = 0; i < n; i++) {
        x[k + 1] += y[i];
        z[i] = x[i + 1];
    }
    for (int i = 0; i < m; i++) {
        if (i < n) x[k + 2] += y[i];
        x[i + 2] = y[i + 1];
    }
    for (int i = 0; i < n; i++) {
        z[i + 30] = 5;
        if (y[i] > z[k + 30]) z[k + 30] = y[i];
        z[i + 31] = z[i + 30];
    }
}
// nobody gives his word
