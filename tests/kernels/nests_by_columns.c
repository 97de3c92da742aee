// Nests in which the elements of another loop than the innermost are neighbours in memory: on a GPU threads that are
// neighbours take these, unless the order of C shows.
#include <rill/kernel.h>
#include <stdio.h>

// run: columns n=70 m=90
// run: columns n=0 m=9
// run: columns n=9 m=0
kernel void columns(int n, int m, float a[n][m])
{
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            a[i][j] = a[i][j] * 0.5f + (float)(i - j);
        }
    }
}

// run: column_product n=37 m=21
kernel void column_product(int n, int m, double c[n][n], const double a[n][m], const double b[m][n])
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int k = 0; k < m; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: middle n=12 m=20 l=31
kernel void middle(int n, int m, int l, int a[n][l][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                a[i][k][j] += i + 10 * j - k;
            }
        }
    }
}

// A triangle by columns, and one in which the inner loop begins where the outer one is.
// run: triangle_by_columns n=67
kernel void triangle_by_columns(int n, int a[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            a[i][j] += i * 3 - j;
        }
    }
}

// run: diagonals n=60
kernel void diagonals(int n, int a[n][n])
{
    for (int d = 0; d < n; d++) {
        for (int i = 0; i < n - d; i++) {
            a[i][i + d] += i * 3 - d;
        }
    }
}

// By columns, but the first in C's order is wanted.
// run: least_by_columns n=70
kernel void least_by_columns(int n, const int a[n][n], int out[3])
{
    int best = 1 << 30, at = -1, row = -1;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            if (a[i][j] < best) {
                best = a[i][j];
                at = j;
                row = i;
            }
        }
    }
    out[0] = best;
    out[1] = at;
    out[2] = row;
}

// run: print_by_columns n=7
kernel void print_by_columns(int n, int a[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            a[i][j] += 1;
            if ((i + j) % 3 == 0) {
                printf("%d %d\n", i, j);
            }
        }
    }
}
