//@ buffer b0 i32 16 range 1000 90000
//@ int 16
//@ array b0 0 16
#include <rill/kernel.h>
// A product of two loaded values may wrap: nothing may claim that it fits.
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        int w = 0;
        while (w < 3) {
            w++;
            a[i] = (a[i] | w) * (w | (0x7fffffff + a[i]));
        }
    }
}
