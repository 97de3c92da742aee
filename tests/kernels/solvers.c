// Solvers of linear systems as textbooks have them: each step needs those before it, and much of a step is independent.
// The matrices are made dominant first, so that no pivot is small.
#include <math.h>
#include <rill/kernel.h>

// run: forward n=13 ~ 1e-12
// run: forward n=90 ~ 1e-12
// run: forward n=1 ~ 1e-12
kernel void forward(int n, double l[n][n], const double b[n], double x[n])
{
    int i, j;
    for (i = 0; i < n; i++) {
        l[i][i] += 32.0 * n;
    }
    for (i = 0; i < n; i++) {
        x[i] = b[i];
        for (j = 0; j < i; j++) {
            x[i] -= l[i][j] * x[j];
        }
        x[i] = x[i] / l[i][i];
    }
}

// By columns, from the last one; unsigned numbers, and ones on the diagonal.
// run: backward_columns n=13
// run: backward_columns n=90
kernel void backward_columns(int n, const unsigned u[n][n], unsigned x[n])
{
    for (int j = n - 1; j >= 0; j--) {
        for (int i = 0; i < j; i++) {
            x[i] -= u[i][j] * x[j];
        }
    }
}

// Many right sides.
// run: forward_many n=13 m=7
// run: forward_many n=40 m=50
// run: forward_many n=40 m=0
kernel void forward_many(int n, int m, const unsigned l[n][n], unsigned b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            for (int j = 0; j < m; j++) {
                b[i][j] -= l[i][k] * b[k][j];
            }
        }
    }
}

// run: gram_schmidt m=13 n=7 ~ 1e-10
// run: gram_schmidt m=40 n=30 ~ 1e-9
kernel void gram_schmidt(int m, int n, double a[m][n], double r[n][n], double q[m][n])
{
    int i, j, k;
    double norm;
    for (k = 0; k < n; k++) {
        a[k][k] += 40.0 * n;
    }
    for (k = 0; k < n; k++) {
        norm = 0;
        for (i = 0; i < m; i++) {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = sqrt(norm);
        for (i = 0; i < m; i++) {
            q[i][k] = a[i][k] / r[k][k];
        }
        for (j = k + 1; j < n; j++) {
            r[k][j] = 0;
            for (i = 0; i < m; i++) {
                r[k][j] += q[i][k] * a[i][j];
            }
            for (i = 0; i < m; i++) {
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
            }
        }
    }
}

// Left-looking: each element is finished before the next is begun.
// run: lu n=13 ~ 1e-12
// run: lu n=60 ~ 1e-12
kernel void lu(int n, double a[n][n])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        a[i][i] += 32.0 * n;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            for (k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
            a[i][j] /= a[j][j];
        }
        for (j = i; j < n; j++) {
            for (k = 0; k < i; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// The same without divisions, so that every bit counts.
// run: lu_wrapping n=13
// run: lu_wrapping n=70
// run: lu_wrapping n=2
kernel void lu_wrapping(int n, unsigned a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
            a[i][j] ^= a[j][j];
        }
        for (int j = i; j < n; j++) {
            for (int k = 0; k < i; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// Right-looking.
// run: lu_kij n=13
// run: lu_kij n=60
kernel void lu_kij(int n, float a[n][n])
{
    for (int i = 0; i < n; i++) {
        a[i][i] += 32.0f * n;
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
        }
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// run: cholesky n=13 ~ 1e-12
// run: cholesky n=60 ~ 1e-12
kernel void cholesky(int n, double a[n][n])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        a[i][i] += 32.0 * n;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            for (k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] /= a[j][j];
        }
        for (k = 0; k < i; k++) {
            a[i][i] -= a[i][k] * a[i][k];
        }
        a[i][i] = sqrt(a[i][i]);
    }
}

// run: cholesky_wrapping n=13
// run: cholesky_wrapping n=70
kernel void cholesky_wrapping(int n, unsigned long a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] *= a[j][j] | 1;
        }
        for (int k = 0; k < i; k++) {
            a[i][i] -= a[i][k] * a[i][k];
        }
        a[i][i] ^= a[i][i] >> 7;
    }
}

// A system solved by its factors, with one scalar to work in.
// run: lu_solve n=13 ~ 1e-11
// run: lu_solve n=50 ~ 1e-11
kernel void lu_solve(int n, double a[n][n], const double b[n], double x[n], double y[n])
{
    int i, j, k;
    double w;
    for (i = 0; i < n; i++) {
        a[i][i] += 32.0 * n;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            w = a[i][j];
            for (k = 0; k < j; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w / a[j][j];
        }
        for (j = i; j < n; j++) {
            w = a[i][j];
            for (k = 0; k < i; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w;
        }
    }
    for (i = 0; i < n; i++) {
        w = b[i];
        for (j = 0; j < i; j++) {
            w -= a[i][j] * y[j];
        }
        y[i] = w;
    }
    for (i = n - 1; i >= 0; i--) {
        w = y[i];
        for (j = i + 1; j < n; j++) {
            w -= a[i][j] * x[j];
        }
        x[i] = w / a[i][i];
    }
}

// Levinson and Durbin.
// run: levinson n=13 ~ 1e-10
// run: levinson n=80 ~ 1e-10
// run: levinson n=1 ~ 1e-10
kernel void levinson(int n, double r[n], double y[n], double z[n])
{
    double alpha, beta, sum;
    int i, k;
    for (k = 0; k < n; k++) {
        r[k] = 1.0 / (2 + k);
    }
    y[0] = -r[0];
    beta = 1;
    alpha = -r[0];
    for (k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        sum = 0;
        for (i = 0; i < k; i++) {
            sum += r[k - i - 1] * y[i];
        }
        alpha = -(r[k] + sum) / beta;
        for (i = 0; i < k; i++) {
            z[i] = y[i] + alpha * y[k - i - 1];
        }
        for (i = 0; i < k; i++) {
            y[i] = z[i];
        }
        y[k] = alpha;
    }
}

// Small systems, each solved by elimination; s systems of n unknowns.
// run: small_systems s=5 n=4
// run: small_systems s=90 n=6 ~ 1e-12
// run: small_systems s=0 n=6
kernel void small_systems(int s, int n, double a[s][n][n], double x[s][n])
{
    for (int b = 0; b < s; b++) {
        for (int i = 0; i < n; i++) {
            a[b][i][i] += 40.0 * n;
        }
        for (int k = 0; k < n; k++) {
            for (int i = k + 1; i < n; i++) {
                double f = a[b][i][k] / a[b][k][k];
                for (int j = k; j < n; j++) {
                    a[b][i][j] -= f * a[b][k][j];
                }
                x[b][i] -= f * x[b][k];
            }
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) {
                x[b][i] -= a[b][i][j] * x[b][j];
            }
            x[b][i] /= a[b][i][i];
        }
    }
}

// Tridiagonal systems side by side: the elimination goes down each column.
// run: tridiagonal n=13 m=7
// run: tridiagonal n=40 m=60
kernel void tridiagonal(int n, int m, const float a[n], const float b[n], const float c[n], float d[n][m],
                        float e[n][m])
{
    for (int j = 0; j < m; j++) {
        e[0][j] = c[0] / (b[0] + 99.0f);
        d[0][j] = d[0][j] / (b[0] + 99.0f);
        for (int i = 1; i < n; i++) {
            float w = b[i] + 99.0f - a[i] * e[i - 1][j];
            e[i][j] = c[i] / w;
            d[i][j] = (d[i][j] - a[i] * d[i - 1][j]) / w;
        }
        for (int i = n - 2; i >= 0; i--) {
            d[i][j] -= e[i][j] * d[i + 1][j];
        }
    }
}

// Gauss and Jordan, in place, without a search for pivots.
// run: invert n=7 ~ 1e-12
// run: invert n=33 ~ 1e-12
kernel void invert(int n, double a[n][n])
{
    for (int i = 0; i < n; i++) {
        a[i][i] += 32.0 * n;
    }
    for (int k = 0; k < n; k++) {
        double pivot = 1 / a[k][k];
        a[k][k] = 1;
        for (int j = 0; j < n; j++) {
            a[k][j] *= pivot;
        }
        for (int i = 0; i < n; i++) {
            if (i != k) {
                double f = a[i][k];
                a[i][k] = 0;
                for (int j = 0; j < n; j++) {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
    }
}

// With row pivots: the search is a reduction, and the rows change places.
// run: lu_pivots n=13 ~ 1e-10
// run: lu_pivots n=40 ~ 1e-9
kernel void lu_pivots(int n, double a[n][n], int row[n])
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double most = fabs(a[k][k]);
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i][k]) > most) {
                most = fabs(a[i][k]);
                p = i;
            }
        }
        row[k] = p;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
