#include <rill/kernel.h>

// run: matmul_ijk n=70 ~ 1e-5
kernel void matmul_ijk(int n, const float a[n][n], const float b[n][n], float c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: matmul_ikj n=70
kernel void matmul_ikj(int n, const float a[n][n], const float b[n][n], float c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i][j] = 0;
        }
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
