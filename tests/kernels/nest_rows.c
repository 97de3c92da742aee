// Nests whose text runs down columns. A CPU takes them along rows where that is lawful and where arguments are apart.
#include <rill/kernel.h>

// run: rows_ijk n=19
kernel void rows_ijk(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: rows_ikj n=19
kernel void rows_ikj(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: rows_jik n=19
kernel void rows_jik(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: rows_jki n=70
kernel void rows_jki(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: rows_kij n=19
kernel void rows_kij(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: rows_kji n=70
kernel void rows_kji(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// The order in which a float gets its terms is that of the source.
// run: rows_float n=23
kernel void rows_float(int n, const float a[n * n], const float b[n * n], float c[n * n])
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            c[i * n + j] = 0.5f;
            for (int k = n - 1; k >= 0; k--) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}

static inline void flat(int n, int m, const int *a, const int *b, int *c)
{
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                c[i * m + j] += a[i * n + k] * b[k * m + j];
            }
        }
    }
}

// run: rows_flat n=21 m=34
// run: rows_flat n=1 m=1
// run: rows_flat n=0 m=5
kernel void rows_flat(int n, int m, const int a[n * n], const int b[n * m], int c[n * m])
{
    flat(n, m, a, b, c);
}

// Both read what they write: the source's order alone is right.
// run: rows_aliased n=17
kernel void rows_aliased(int n, int a[2 * n * n])
{
    flat(n, n, a, a + n * n, a + n * n);
    flat(n, n, a + n * n, a, a + n);
}

// Another order would be wrong: a row is made of the one before, read further to the right.
// run: rows_carried n=15 m=40
kernel void rows_carried(int n, int m, int a[n][m])
{
    for (int j = 1; j < m - 1; j++) {
        for (int h = 0; h < 3; h++) {
            for (int i = 1; i < n; i++) {
                a[i][j] += a[i - 1][j + 1] * (h + 1);
            }
        }
    }
}

// Of three dimensions, one of them short.
// run: rows_deep n=9 m=30
kernel void rows_deep(int n, int m, const int x[n][4][m], int y[n][4][m])
{
    for (int k = 0; k < m; k++) {
        for (int c = 0; c < 4; c++) {
            for (int i = 0; i < n; i++) {
                y[i][c][k] = x[i][3 - c][k] * k + i;
            }
        }
    }
}

// The trip count of one loop depends on another: it stays as it is.
// run: rows_triangle n=25
kernel void rows_triangle(int n, const int a[n][n], int c[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k <= j; k++) {
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k];
            }
        }
    }
}

// Indices that wrap: with n of 65536 and more, i * n + j does not fit. Here the launch must look.
// run: rows_unsigned n=12
kernel void rows_unsigned(unsigned n, const unsigned a[n * n], unsigned c[n * n])
{
    for (unsigned j = 0; j < n; j++) {
        for (unsigned k = 0; k < 5; k++) {
            for (unsigned i = 0; i < n; i++) {
                c[(i * n + j) % (n * n)] += a[(i + k) % (n * n)];
            }
        }
    }
}
