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

// ---- parts beside a sum -------------------------------------------------------------------------------------------

// Half of the matrix is stored: row k gets its share in the loop that sums for row i.
// run: symmetric n=1 m=3 alpha=3 beta=5
// run: symmetric n=13 m=17 alpha=3 beta=5
// run: symmetric n=40 m=50 alpha=7 beta=9 wild
kernel void symmetric(int n, int m, unsigned alpha, unsigned beta, const unsigned a[n][n], const unsigned b[n][m],
                      unsigned c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            unsigned t = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                t = t * 3 + b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * t;
        }
    }
}

// run: symmetric_floats n=13 m=17 alpha=1.5 beta=0.75
// run: symmetric_floats n=40 m=50 alpha=1.5 beta=0.75
kernel void symmetric_floats(int n, int m, float alpha, float beta, const float a[n][n], const float b[n][m],
                             float c[n][m])
{
    int i, j, k;
    float t;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            t = 0;
            for (k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                t += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * t;
        }
    }
}

// The sum reads what the part writes.
// run: sum_of_part n=13 m=17
// run: sum_of_part n=40 m=50
kernel void sum_of_part(int n, int m, const unsigned a[n][n], unsigned c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            unsigned t = 1;
            for (int k = 0; k < i; k++) {
                c[k][j] += a[i][k];
                t = t * 3 + c[k][j];
            }
            c[i][j] += t;
        }
    }
}

// The part writes what the sum has read, one iteration earlier.
// run: part_behind_sum n=13 m=17
// run: part_behind_sum n=40 m=50
kernel void part_behind_sum(int n, int m, const unsigned a[n][n], unsigned c[n + 1][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            unsigned t = 1;
            for (int k = 0; k < i; k++) {
                t = t * 3 + c[k + 1][j];
                c[k][j] += a[i][k];
            }
            c[i][j] += t;
        }
    }
}

// The part takes the sum as far as it has got.
// run: part_of_sum n=13 m=17
// run: part_of_sum n=40 m=50
kernel void part_of_sum(int n, int m, const unsigned a[n][n], unsigned b[n][m], unsigned c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            unsigned t = 1;
            for (int k = 0; k < i; k++) {
                c[k][j] += a[i][k] + t;
                t += b[k][j];
            }
            b[i][j] += t;
        }
    }
}

// One scalar for two statements, each of which gives it a value first.
// run: two_uses n=13
// run: two_uses n=40
kernel void two_uses(int n, unsigned a[n][n])
{
    int i, j, k;
    unsigned w;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            w = a[i][j];
            for (k = 0; k < j; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w * (a[j][j] | 1);
        }
        for (j = i; j < n; j++) {
            w = a[i][j];
            for (k = 0; k < i; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w;
        }
    }
}

// Two statements of which the second goes on with the first one's value.
// run: handed_over n=13 m=17
// run: handed_over n=40 m=50
kernel void handed_over(int n, int m, unsigned a[n][m], unsigned b[n][m])
{
    unsigned w = 5;
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            w = a[i][j] * 3;
            a[i - 1][j] += w;
        }
        for (int j = 0; j < m; j++) {
            b[i][j] += w;
            w = b[i][j] + b[i - 1][j];
        }
    }
}
