// A loop in lanes whose widest number is a byte, and that touches no memory: 256 lanes at a time.
//@ buffer b1 i32 64 range 0 6
//@ int 64
//@ array b1 0 64
#include <rill/kernel.h>

static int steps(int k)
{
    int s = 1;
    for (int i = 0; i < k; i++) {
        s = s * 3 + i;
    }
    return s;
}

kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] += i;
        for (int q = n; q >= 0; q--) {
            _Bool t = (steps(a[n - 1] & 7) > (short)i ? 5 : q);
        }
    }
}
// nobody gives his word
