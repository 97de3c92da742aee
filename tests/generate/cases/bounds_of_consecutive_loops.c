//@ buffer b0 i32 4000 range -100 60
//@ int 50
//@ int 5
//@ array b0 0 2000
//@ array b0 2000 2000
#include <rill/kernel.h>
// Consecutive loops with bounds that were read before and after an assignment to the same variable.
kernel int run(int n, int steps, int a[2000], int b[2000])
{
    int h = n;
    int w = 0;
    while (w < steps) {
        w++;
        for (int i = 0; i < h; i++) { a[i] += w; }
        h = n - w;
        for (int i = 0; i < h; i++) { b[i] += w; }
        int m = h;
        h = n + w * 2;
        for (int i = 0; i < m; i++) { a[i] += w; }
        for (int i = 0; i < h; i++) { b[i] += w * 3; }
    }
    return h;
}
