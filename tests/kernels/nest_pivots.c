// Nests in which one iteration, the pivot, is what the others depend on: they are split there. Traps: values that
// change in the pivot's own row and column, pivots that the loop does not reach, loops that count down, and two pivots.
#include <rill/kernel.h>

// Numbers may be negative: row and column k do change in step k.
// run: shortest n=1
// run: shortest n=2
// run: shortest n=17 wild
// run: shortest n=70 wild
kernel void shortest(int n, double path[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
            }
        }
    }
}

// Which value is read, the one before or the one behind the pivot, shows in every bit.
// run: mixing n=1
// run: mixing n=19 wild
// run: mixing n=66 wild
kernel void mixing(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + (a[i][k] ^ (a[k][j] << 1)) + 1;
            }
        }
    }
}

// run: relaxed n=13
// run: relaxed n=60 wild
kernel void relaxed(int n, int a[n][n], int next[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if ((unsigned)a[i][k] + a[k][j] < (unsigned)a[i][j]) {
                    a[i][j] = (unsigned)a[i][k] + a[k][j];
                    next[i][j] = next[i][k];
                }
            }
        }
    }
}

// run: closure_bytes n=13
// run: closure_bytes n=70 wild
kernel void closure_bytes(int n, unsigned char r[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                r[i][j] |= r[i][k] & r[k][j];
            }
        }
    }
}

// run: closure_rows n=13 wild
// run: closure_rows n=60 wild
kernel void closure_rows(int n, _Bool r[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            if (r[i][k]) {
                for (int j = 0; j < n; j++) {
                    r[i][j] = r[i][j] || r[k][j];
                }
            }
        }
    }
}

// ---- pivots out of range ------------------------------------------------------------------------------------------

// Steps beyond the rows, beyond the columns, and before both.
// run: beyond n=9 m=13 from=0 to=20 l=24
// run: beyond n=40 m=50 from=3 to=45 l=60
// run: beyond n=40 m=5 from=0 to=12 l=60
// run: beyond n=0 m=5 from=0 to=4 l=9
kernel void beyond(int n, int m, int from, int to, int l, unsigned a[l][l])
{
    for (int k = from; k < to; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                a[i][j] = a[i][j] * 5 + a[i][k] + 3 * a[k][j];
            }
        }
    }
}

// The pivot is another row than the step.
// run: shifted n=12
// run: shifted n=55
kernel void shifted(int n, unsigned a[n + 2][n + 2])
{
    for (int k = 0; k < n; k++) {
        for (int i = 1; i < n; i++) {
            for (int j = 2; j <= n; j++) {
                a[i][j] = a[i][j] * 7 + a[i][k + 2] + a[k + 1][j] * 11;
            }
        }
    }
}

// One row for all steps.
// run: one_row n=12 m=17 row=5
// run: one_row n=12 m=17 row=30
// run: one_row n=60 m=70 row=0
kernel void one_row(int n, int m, int row, unsigned a[64][m])
{
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                a[i][j] += a[row][j] * 3 + t;
            }
        }
    }
}

// ---- directions ---------------------------------------------------------------------------------------------------

// run: downwards_rows n=13
// run: downwards_rows n=60
kernel void downwards_rows(int n, unsigned a[n][n])
{
    for (int k = n - 1; k >= 0; k--) {
        for (int i = n - 1; i >= 0; i--) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[i][k] + (a[k][j] << 2);
            }
        }
    }
}

// run: downwards_both n=13
// run: downwards_both n=60
kernel void downwards_both(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = n - 1; i >= 0; i--) {
            for (int j = n - 1; j >= 0; j--) {
                a[i][j] = a[i][j] * 3 + a[i][k] + (a[k][j] << 2);
            }
        }
    }
}

// Columns outside: the pieces of a row are far apart.
// run: by_columns n=13
// run: by_columns n=60
kernel void by_columns(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                a[i][j] = a[i][j] * 3 + a[i][k] + (a[k][j] << 2);
            }
        }
    }
}

// Every second row: the pivot may be one that is left out.
// run: strided n=13
// run: strided n=60
kernel void strided(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i += 2) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[k][j];
            }
        }
    }
}

// ---- elimination --------------------------------------------------------------------------------------------------

// run: jordan n=9 ~ 1e-9
// run: jordan n=40 ~ 1e-6
kernel void jordan(int n, double a[n][2 * n])
{
    for (int k = 0; k < n; k++) {
        double p = a[k][k];
        for (int j = 0; j < 2 * n; j++) {
            a[k][j] /= p;
        }
        for (int i = 0; i < n; i++) {
            if (i != k) {
                double f = a[i][k];
                for (int j = 0; j < 2 * n; j++) {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
    }
}

// From the right, so that column k is the last to change.
// run: jordan_backward n=9 wild
// run: jordan_backward n=40
kernel void jordan_backward(int n, unsigned a[n][2 * n])
{
    for (int k = 0; k < n; k++) {
        for (int j = 2 * n - 1; j >= k; j--) {
            a[k][j] *= a[k][k] | 1;
        }
        for (int i = 0; i < n; i++) {
            if (i != k) {
                for (int j = 2 * n - 1; j >= k; j--) {
                    a[i][j] -= a[i][k] * a[k][j];
                }
            }
        }
    }
}

// ---- traps --------------------------------------------------------------------------------------------------------

// The row before the pivot, too.
// run: two_pivots n=13
// run: two_pivots n=50
kernel void two_pivots(int n, unsigned a[n + 1][n])
{
    for (int k = 1; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[k][j] + a[k - 1][j] * 5;
            }
        }
    }
}

// A neighbour beside the pivot: rows are not independent.
// run: with_neighbour n=13
// run: with_neighbour n=50
kernel void with_neighbour(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[k][j] + a[i - 1][j];
            }
        }
    }
}

// The transposed element: (i, j) and (j, i) meet.
// run: transposed n=13
// run: transposed n=50
kernel void transposed(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[k][j] + a[j][i];
            }
        }
    }
}

// The bound of the columns is the pivot's row, and the other way about.
// run: triangles n=13
// run: triangles n=50
kernel void triangles(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                a[i][j] = a[i][j] * 3 + a[i][k] + (a[k][j] << 2);
            }
        }
    }
}

// Columns alone are split, and in some rows the pivot is none of them.
// run: rows_in_order n=13
// run: rows_in_order n=50
kernel void rows_in_order(int n, unsigned a[n][n])
{
    for (int k = n - 1; k > 0; k--) {
        for (int i = n - 1; i > 0; i--) {
            for (int j = i; j < n; j++) {
                a[i][j] += (a[i - 1][k] + a[k][j] * 3) & 31;
            }
        }
    }
}

// Two arrays, which may be one: the test of the launch decides.
// run: two_tables n=13
// run: two_tables n=50
kernel void two_tables(int n, unsigned a[n][n], unsigned b[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = a[i][j] * 3 + b[i][k] + a[k][j];
                b[i][j] = b[i][j] * 5 + a[i][k] + b[k][j];
            }
        }
    }
}
