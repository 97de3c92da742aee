// What every lane adds to a sum is the same number, which was added once for all of them.
//@ buffer b1 i32 64 range -100 60
//@ int 64
//@ int 7
//@ array b1 0 64
#include <rill/kernel.h>

kernel int run(int n, int x, int a[n])
{
    int s = 4;
    for (int i = 0; i <= 8; i++) {
        a[i] = s;
        for (int q = 0; q < n; q++) {
            int t = 1;
            for (int k = 0; k < x; k++) {
                t = t * 3 + k;
            }
            s += t;
        }
    }
    return s;
}
// nobody gives his word
