// Linear algebra and solvers as they are brought from elsewhere.
#include <rill/kernel.h>

#define A(i, j) a[(i) * n + (j)]
// run: gauss_flat n=20 a=400 b=20
kernel void gauss_flat(int n, float *a, float *b)
{
    int i, j, k;
    for (k = 0; k < n - 1; k++) {
        for (i = k + 1; i < n; i++) {
            float f = A(i, k) / A(k, k);
            for (j = k; j < n; j++) {
                A(i, j) -= f * A(k, j);
            }
            b[i] -= f * b[k];
        }
    }
}

// run: back_substitution n=20 ~ 1e-5
kernel void back_substitution(int n, const float a[n * n], const float b[n], float x[n])
{
    for (int i = n - 1; i >= 0; i--) {
        float s = b[i];
        for (int j = i + 1; j < n; j++) {
            s -= A(i, j) * x[j];
        }
        x[i] = s / A(i, i);
    }
}

// Column-oriented form.
// run: forward_columns n=20
kernel void forward_columns(int n, const float l[n][n], float x[n])
{
    for (int j = 0; j < n; j++) {
        x[j] /= l[j][j];
        for (int i = j + 1; i < n; i++) {
            x[i] -= l[i][j] * x[j];
        }
    }
}

// LU with partial pivoting.
// run: lu_pivot n=20
kernel int lu_pivot(int n, double a[n][n], int piv[n])
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double max = fabs(a[k][k]);
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i][k]) > max) {
                max = fabs(a[i][k]);
                p = i;
            }
        }
        piv[k] = p;
        if (max == 0.0) {
            return k + 1;
        }
        if (p != k) {
            for (int j = 0; j < n; j++) {
                double t = a[p][j];
                a[p][j] = a[k][j];
                a[k][j] = t;
            }
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
    return 0;
}

// LU solve with the scalar w (ludcmp).
// run: ludcmp n=20 ~ 1e-7
kernel void ludcmp(int n, double a[n][n], const double b[n], double x[n], double y[n])
{
    int i, j, k;
    double w;
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

// Cholesky as Numerical Recipes have it.
// run: choldc n=20 ~ 1e-5
kernel void choldc(int n, double a[n][n], double p[n])
{
    int i, j, k;
    double sum;
    for (i = 0; i < n; i++) {
        a[i][i] += 400;
        for (j = i; j < n; j++) {
            for (sum = a[i][j], k = i - 1; k >= 0; k--) {
                sum -= a[i][k] * a[j][k];
            }
            if (i == j) {
                p[i] = sqrt(fabs(sum));
            } else {
                a[j][i] = sum / p[i];
            }
        }
    }
}

// Conjugate gradients over a dense matrix.
// run: conjugate n=20 iters=3 a=400 x=20 r=20 p=20 ap=20 ~ 1e-6
kernel double conjugate(int n, int iters, const double *a, double *x, double *r, double *p, double *ap)
{
    double rs = 0;
    int i, j, it;
    for (i = 0; i < n; i++) {
        rs += r[i] * r[i];
    }
    for (it = 0; it < iters; it++) {
        for (i = 0; i < n; i++) {
            ap[i] = 0;
            for (j = 0; j < n; j++) {
                ap[i] += A(i, j) * p[j];
            }
        }
        double d = 0;
        for (i = 0; i < n; i++) {
            d += p[i] * ap[i];
        }
        double alpha = rs / d;
        for (i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        double rn = 0;
        for (i = 0; i < n; i++) {
            rn += r[i] * r[i];
        }
        for (i = 0; i < n; i++) {
            p[i] = r[i] + rn / rs * p[i];
        }
        rs = rn;
    }
    return rs;
}

// Jacobi method with a norm in a do loop, and a copy back.
// run: jacobi_method n=20 ~ 1e-6
kernel int jacobi_method(int n, const float a[n][n], const float b[n], float x[n], float y[n])
{
    int iters = 0;
    float norm;
    do {
        norm = 0;
        for (int i = 0; i < n; i++) {
            float s = b[i];
            for (int j = 0; j < n; j++) {
                if (j != i) {
                    s -= a[i][j] * 1e-3f * x[j];
                }
            }
            y[i] = s / 100.0f;
            norm += fabsf(y[i] - x[i]);
        }
        for (int i = 0; i < n; i++) {
            x[i] = y[i];
        }
        iters++;
    } while (norm > 1e-3f && iters < 20);
    return iters;
}

// Modified Gram-Schmidt over columns, flat.
// run: gram_schmidt m=20 n=10 a=200 r=100 q=200 ~ 1e-5
kernel void gram_schmidt(int m, int n, double *a, double *r, double *q)
{
    int i, j, k;
    double nrm;
    for (k = 0; k < n; k++) {
        nrm = 0.0;
        for (i = 0; i < m; i++) {
            nrm += a[i * n + k] * a[i * n + k];
        }
        r[k * n + k] = sqrt(nrm);
        for (i = 0; i < m; i++) {
            q[i * n + k] = a[i * n + k] / r[k * n + k];
        }
        for (j = k + 1; j < n; j++) {
            r[k * n + j] = 0.0;
            for (i = 0; i < m; i++) {
                r[k * n + j] += q[i * n + k] * a[i * n + j];
            }
            for (i = 0; i < m; i++) {
                a[i * n + j] -= q[i * n + k] * r[k * n + j];
            }
        }
    }
}

// Thomas algorithm for a batch, systems side by side.
// run: thomas batch=30 n=12
kernel void thomas(int batch, int n, const double a[n][batch], double b[n][batch], const double c[n][batch],
                   double d[n][batch])
{
    for (int i = 1; i < n; i++) {
        for (int s = 0; s < batch; s++) {
            double w = a[i][s] / b[i - 1][s];
            b[i][s] -= w * c[i - 1][s];
            d[i][s] -= w * d[i - 1][s];
        }
    }
    for (int s = 0; s < batch; s++) {
        d[n - 1][s] /= b[n - 1][s];
    }
    for (int i = n - 2; i >= 0; i--) {
        for (int s = 0; s < batch; s++) {
            d[i][s] = (d[i][s] - c[i][s] * d[i + 1][s]) / b[i][s];
        }
    }
}

// Blocked product with the block as an argument.
// run: blocked n=20 bs=6 a=400 b=400 c=400
kernel void blocked(int n, int bs, const double *a, const double *b, double *c)
{
    int i, j, k, ii, jj, kk;
    for (ii = 0; ii < n; ii += bs) {
        for (jj = 0; jj < n; jj += bs) {
            for (kk = 0; kk < n; kk += bs) {
                for (i = ii; i < (ii + bs < n ? ii + bs : n); i++) {
                    for (j = jj; j < (jj + bs < n ? jj + bs : n); j++) {
                        for (k = kk; k < (kk + bs < n ? kk + bs : n); k++) {
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
                        }
                    }
                }
            }
        }
    }
}

// Power iteration.
// run: power n=20 iters=4 a=400 v=20 w=20 ~ 1e-5
kernel float power(long n, long iters, const float *a, float *v, float *w)
{
    float lambda = 0;
    for (long it = 0; it < iters; ++it) {
        float norm = 0;
        for (long i = 0; i < n; ++i) {
            w[i] = 0;
            for (long j = 0; j < n; ++j) {
                w[i] += a[i * n + j] * v[j];
            }
            if (fabsf(w[i]) > norm) {
                norm = fabsf(w[i]);
            }
        }
        for (long i = 0; i < n; ++i) {
            v[i] = w[i] / norm;
        }
        lambda = norm;
    }
    return lambda;
}

// Horner for many points, coefficients outside.
// run: horner n=50 deg=10
kernel void horner(int n, int deg, const double c[deg + 1], const double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = c[deg];
    }
    for (int k = deg - 1; k >= 0; k--) {
        for (int i = 0; i < n; i++) {
            y[i] = y[i] * x[i] + c[k];
        }
    }
}

// Divided differences.
// run: divided n=30
kernel void divided(int n, const double x[n], double c[n])
{
    for (int j = 1; j < n; j++) {
        for (int i = n - 1; i >= j; i--) {
            c[i] = (c[i] - c[i - 1]) / (x[i] + 100 * i - (x[i - j] + 100 * (i - j)));
        }
    }
}

// Polynomial product.
// run: polymul n=30 m=40
kernel void polymul(int n, int m, const unsigned a[n], const unsigned b[m], unsigned c[n + m])
{
    int i, j;
    for (i = 0; i < n + m; i++) {
        c[i] = 0;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            c[i + j] += a[i] * b[j];
        }
    }
}

// Inverse by Gauss-Jordan.
// run: gauss_jordan n=16
kernel void gauss_jordan(int n, double a[n][n], double inv[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            inv[i][j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        double p = a[k][k];
        for (int j = 0; j < n; j++) {
            a[k][j] /= p;
            inv[k][j] /= p;
        }
        for (int i = 0; i < n; i++) {
            if (i == k) {
                continue;
            }
            double f = a[i][k];
            for (int j = 0; j < n; j++) {
                a[i][j] -= f * a[k][j];
                inv[i][j] -= f * inv[k][j];
            }
        }
    }
}
