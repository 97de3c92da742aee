// 'x' may equal 'y' for the outer loop, and for one of the regions read only: for the inner loop it may not.
//@ buffer b i32 20 range -9 9
//@ buffer z i32 2000 range 0 0
//@ int 3
//@ int 600
//@ int 5
//@ array b 0 10
//@ array b 0 10
//@ array z 0 2000
#include <rill/kernel.h>
kernel void run(int n, int m, int k, int x[10], const int y[10], int z[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            z[i][j] = y[i] + y[k];
            x[i] = 7;
        }
    }
}
