// What a task touches up to |k| was written with |x|, which holds the last 8 bits of k.
//@ buffer b1 i16 1000 range -100 60
//@ int 1000
//@ array b1 0 1000
#include <rill/kernel.h>
kernel int run(int n, short a[n])
{
    unsigned char x = 0;
    unsigned k = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > -1000) k++;
    }
    x = k;
    for (int e = 0; e < (int)k; e++) a[e] = (a[e] + e) & 15;
    return x;
}
// nobody gives his word
