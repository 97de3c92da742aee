// Nests with one parallel loop around two that are not: on a GPU one of those runs in order outside, if that makes the
// others parallel. Traps: what the steps read must not have changed yet, or must have.
#include <rill/kernel.h>

// Row k is read in steps before its own sum begins.
// run: upper n=1 m=3 alpha=3
// run: upper n=13 m=17 alpha=7
// run: upper n=40 m=50 alpha=5 wild
kernel void upper(int n, int m, unsigned alpha, const unsigned a[n][n], unsigned b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = i + 1; k < n; k++) {
                b[i][j] += a[k][i] * b[k][j];
            }
            b[i][j] = alpha * b[i][j];
        }
    }
}

// The sums of floats keep their order.
// run: upper_floats n=13 m=17 alpha=1.5
// run: upper_floats n=40 m=50 alpha=0.75
kernel void upper_floats(int n, int m, float alpha, const float a[n][n], float b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = i + 1; k < n; k++) {
                b[i][j] += a[k][i] * b[k][j];
            }
            b[i][j] = alpha * b[i][j];
        }
    }
}

// Row k has its sum already, and its factor.
// run: lower n=13 m=17 alpha=3
// run: lower n=40 m=50 alpha=5
kernel void lower(int n, int m, unsigned alpha, const unsigned a[n][n], unsigned b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < i; k++) {
                b[i][j] += a[k][i] * b[k][j];
            }
            b[i][j] = alpha * b[i][j];
        }
    }
}

// All rows, those before changed and those behind not, and row i itself in the middle of its sum.
// run: whole n=13 m=17
// run: whole n=40 m=50
kernel void whole(int n, int m, const unsigned a[n][n], unsigned b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < n; k++) {
                b[i][j] = b[i][j] * 3 + a[k][i] * b[k][j];
            }
        }
    }
}

// From the last row up.
// run: upwards n=13 m=17
// run: upwards n=40 m=50
kernel void upwards(int n, int m, const unsigned a[n][n], unsigned b[n][m])
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < i; k++) {
                b[i][j] = b[i][j] * 3 + a[k][i] * b[k][j];
            }
        }
    }
}
