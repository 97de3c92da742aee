// As control around the inner loop, where it is too short to be a task, the outer loop has its local in the launch
// block.
//@ buffer a i32 4000 range -9 9
//@ buffer x i32 4000 range -9 9
//@ int 2
//@ int 1500
//@ array a 0 4000
//@ array x 0 4000
#include <rill/kernel.h>
kernel void run(int n, int m, const int a[n][m], int x[n][m])
{
    for (int i = 0; i < n; i++) {
        int t[4];
        t[0] = a[i][0];
        t[1] = a[i][1];
        t[2] = a[i][2] + i;
        t[3] = 5;
        int *p = a[i][3] > 0 ? t : t + 1;
        for (int j = 0; j < m; j++) {
            x[i][j] = p[j % 3] + a[i][j];
        }
    }
}
