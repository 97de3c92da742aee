//@ buffer b0 i16 2448 range -100 60
//@ buffer b1 i32 12 range -100 60
//@ int 17
//@ int 3
//@ array b0 0 2448
//@ array b1 0 12
#include <rill/kernel.h>
// The remainder of a large unsigned number is not that of the negative number with the same bits.
kernel void run(int n, int v, short a[144][n], int out[12])
{
    unsigned long x = (-3 | v);
    out[0] = a[(x % 0x7fffffff) & 7][3];
    out[1] = a[(x / 0x7fffffff) & 7][2];
    for (int i = 2; i < 12; i++) {
        out[i] += a[((x + i) % 1000) & 7][i] + a[((x - i) >> 60) & 15][i];
    }
}
