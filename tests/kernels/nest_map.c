// Nests that a pragma maps: another task, the same results.
#include <rill/kernel.h>

// run: outer n=40 m=70
// run: outer n=3 m=500
kernel void outer(int n, int m, float a[n][m], const float b[n][m])
{
#pragma rill map(outer)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += 2 * b[i][j];
        }
    }
}

// run: inner n=40 m=70
// run: inner n=3 m=500
kernel void inner(int n, int m, int a[n][m])
{
#pragma rill map(inner)
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i - 1][j];
        }
    }
}

// run: serial n=40 m=70
kernel int serial(int n, int m, int a[n][m])
{
    int sum = 0;
#pragma rill map(serial)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            sum = sum * 3 + a[i][j];
        }
    }
    return sum;
}

// run: two_level n=40 m=70 ~ 1e-9
// run: two_level n=700 m=3 ~ 1e-9
// run: two_level n=5 m=0 ~ 1e-9
kernel void two_level(int n, int m, const double a[n][m], double s[n], double t[n])
{
#pragma rill map(two_level)
    for (int i = 0; i < n; i++) {
        double most = -1;
        s[i] = 0;
        for (int j = 0; j < m; j++) {
            s[i] += a[i][j];
            most = a[i][j] > most ? a[i][j] : most;
        }
        t[i] = most * s[i];
    }
}

// Parts of tiles at both ends.
// run: tile n=67 m=131 l=9 ~ 1e-9
// run: tile n=1 m=1 l=3 ~ 1e-9
// run: tile n=64 m=256 l=4 ~ 1e-9
kernel void tile(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
#pragma rill map(tile(4, 2))
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: tile_rows n=67 m=131
// run: tile_rows n=200 m=300
kernel void tile_rows(int n, int m, const int a[n], const int b[m], int c[n][m])
{
#pragma rill map(tile(2, 1))
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = a[i] * b[j] + c[i][j];
        }
    }
}

// run: tile_columns n=67 m=131
// run: tile_columns n=200 m=300
kernel void tile_columns(int n, int m, const int a[n], const int b[m], int c[n][m])
{
#pragma rill map(tile(1, 4))
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = a[i] * b[j] + c[i][j];
        }
    }
}

// run: tile_uneven n=67 m=131
// run: tile_uneven n=200 m=300
kernel void tile_uneven(int n, int m, const int a[n], const int b[m], int c[n][m])
{
#pragma rill map(tile(2, 8))
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = a[i] * b[j] + c[i][j];
        }
    }
}
