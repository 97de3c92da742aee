//@ buffer b0 i32 16 range -100 60
//@ int 5
//@ array b0 0 8
//@ array b0 8 8
#include <rill/kernel.h>
// Two blocks read a local array that neither writes; a scalar is a temporary of both, in a loop that may not run.
kernel int run(int k, int a[8], int b[8])
{
    int l[20] = {a[3]};
    int t = 0;
    int w = 0;
    while (w < 3) {
        w++;
        stream_parallel {
            int c = 0;
            while (c < k && b[c] < 1000) {
                t = c * l[c & 7];
                b[c] = t;
                c++;
            }
        }
        stream_parallel {
            for (int i = 0; i < 8; i++) {
                t = l[i + 1] + w;
                a[i] ^= t;
            }
        }
    }
    return a[0] + l[0];
}
