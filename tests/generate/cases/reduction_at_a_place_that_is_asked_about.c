// What is summed up has one place, and the loops ask whether it is there before they touch it. None of these is.
//@ buffer a i32 70 range 0 9
//@ buffer x i32 4 range 1 3
//@ int 70
//@ int 4
//@ int 1000000000
//@ array a 0 70
//@ array x 0 4
#include <rill/kernel.h>
static void grow(int *x, int k, int m, int by)
{
    if (k < m) {
        x[k] += by;
    }
}
int total;
kernel void run(int n, int m, int k, const int a[n], int x[m])
{
    for (int i = 0; i < n; i++) {
        if (k < m) {
            x[k] += a[i];
        }
        total += a[i];
    }
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            x[k] *= a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = k; j < m; j++) {
            x[k] |= a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        grow(x, k, m, a[i]);
    }
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            continue;
        }
        if (a[i] < 50) {
            continue;
        }
        x[-k] -= a[i];
    }
}
