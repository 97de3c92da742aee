// A difference that is below 0 by as little as the last bits of its terms: the launch's test must see it.
//@ buffer p i32 256 range 0 9
//@ int 9
//@ int 4611686018427387903
//@ array p 0 256
#include <rill/kernel.h>
kernel void run(int n, long big, int p[256])
{
    for (long i = big; i > big - n; i--) {
        p[(unsigned long)(i - big) >> 56] = (int)(i - big);
    }
}
