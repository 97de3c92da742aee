// Products of matrices and vectors for bench/nests, in the loop order of textbooks. A comment that begins with `omp:`
// is a pragma in the OpenMP build and nothing anywhere else.
#include <rill/kernel.h>

// run: scaled_product n=7 m=13 l=5 alpha=1.5 beta=1.25
// run: scaled_product n=40 m=33 l=50 alpha=1.5 beta=1.25
kernel void scaled_product(int n, int m, int l, double alpha, double beta, const double a[n][l], const double b[l][m],
                           double c[n][m])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] *= beta;
        }
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}

// run: product_ijk n=11 m=13 l=9 ~ 1e-12
kernel void product_ijk(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = 0;
            for (int k = 0; k < l; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// As from a language whose arrays lie by columns.
// run: product_jki n=11 m=13 l=9
kernel void product_jki(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    // omp: parallel for
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < l; k++) {
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: product_flat n=11 m=13 l=9
kernel void product_flat(int n, int m, int l, const double a[n * l], const double b[l * m], double c[n * m])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i * m + j] = 0;
            for (int k = 0; k < l; k++) {
                c[i * m + j] += a[i * l + k] * b[k * m + j];
            }
        }
    }
}

// run: product_kij n=11 m=13 l=9
kernel void product_kij(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    for (int k = 0; k < l; k++) {
        // omp: parallel for
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: three_factors n=7 m=9 l=11 k=13 alpha=1.5 beta=1.25 ~ 1e-12
kernel void three_factors(int n, int m, int l, int k, double alpha, double beta, const double a[n][l],
                          const double b[l][m], const double c[m][k], double t[n][m], double d[n][k])
{
    int i, j, p;
    // omp: parallel for private(j, p)
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            t[i][j] = 0.0;
            for (p = 0; p < l; ++p) {
                t[i][j] += alpha * a[i][p] * b[p][j];
            }
        }
    }
    // omp: parallel for private(j, p)
    for (i = 0; i < n; i++) {
        for (j = 0; j < k; j++) {
            d[i][j] *= beta;
            for (p = 0; p < m; ++p) {
                d[i][j] += t[i][p] * c[p][j];
            }
        }
    }
}

// run: four_factors n=7 m=9 l=11 k=13 o=8 ~ 1e-12
kernel void four_factors(int n, int m, int l, int k, int o, const double a[n][l], const double b[l][m],
                         const double c[m][o], const double d[o][k], double e[n][m], double f[m][k], double g[n][k])
{
    int i, j, p;
    // omp: parallel for private(j, p)
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            e[i][j] = 0.0;
            for (p = 0; p < l; ++p) {
                e[i][j] += a[i][p] * b[p][j];
            }
        }
    }
    // omp: parallel for private(j, p)
    for (i = 0; i < m; i++) {
        for (j = 0; j < k; j++) {
            f[i][j] = 0.0;
            for (p = 0; p < o; ++p) {
                f[i][j] += c[i][p] * d[p][j];
            }
        }
    }
    // omp: parallel for private(j, p)
    for (i = 0; i < n; i++) {
        for (j = 0; j < k; j++) {
            g[i][j] = 0.0;
            for (p = 0; p < m; ++p) {
                g[i][j] += e[i][p] * f[p][j];
            }
        }
    }
}

// run: rank_k n=13 m=7 alpha=1.5 beta=1.25
kernel void rank_k(int n, int m, double alpha, double beta, const double a[n][m], double c[n][n])
{
    // omp: parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            c[i][j] *= beta;
        }
        for (int k = 0; k < m; k++) {
            for (int j = 0; j <= i; j++) {
                c[i][j] += alpha * a[i][k] * a[j][k];
            }
        }
    }
}

// run: rank_2k n=13 m=7 alpha=1.5 beta=1.25
kernel void rank_2k(int n, int m, double alpha, double beta, const double a[n][m], const double b[n][m], double c[n][n])
{
    // omp: parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            c[i][j] *= beta;
        }
        for (int k = 0; k < m; k++) {
            for (int j = 0; j <= i; j++) {
                c[i][j] += a[j][k] * alpha * b[i][k] + b[j][k] * alpha * a[i][k];
            }
        }
    }
}

// run: symmetric_product n=9 m=14 alpha=1.5 beta=1.25 ~ 1e-12
kernel void symmetric_product(int n, int m, double alpha, double beta, const double a[n][n], const double b[n][m],
                              double c[n][m])
{
    for (int i = 0; i < n; i++) {
        // omp: parallel for
        for (int j = 0; j < m; j++) {
            double t = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                t += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * t;
        }
    }
}

// run: triangular_product n=9 m=14 alpha=1.5 ~ 1e-12
kernel void triangular_product(int n, int m, double alpha, const double a[n][n], double b[n][m])
{
    for (int i = 0; i < n; i++) {
        // omp: parallel for
        for (int j = 0; j < m; j++) {
            for (int k = i + 1; k < n; k++) {
                b[i][j] += a[k][i] * b[k][j];
            }
            b[i][j] = alpha * b[i][j];
        }
    }
}

// run: contraction r=3 q=5 p=7 ~ 1e-12
kernel void contraction(int r, int q, int p, double a[r][q][p], const double c[p][p], double work[p])
{
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < q; j++) {
            for (int k = 0; k < p; k++) {
                work[k] = 0.0;
                for (int s = 0; s < p; s++) {
                    work[k] += a[i][j][s] * c[s][k];
                }
            }
            for (int k = 0; k < p; k++) {
                a[i][j][k] = work[k];
            }
        }
    }
}

// ---- matrix and vector --------------------------------------------------------------------------------------------

// run: normal_product n=7 m=13 ~ 1e-12
kernel void normal_product(int n, int m, const double a[n][m], const double x[m], double y[m], double t[n])
{
    for (int i = 0; i < m; i++) {
        y[i] = 0;
    }
    // omp: parallel for reduction(+ : y[ : m])
    for (int i = 0; i < n; i++) {
        t[i] = 0.0;
        for (int j = 0; j < m; j++) {
            t[i] = t[i] + a[i][j] * x[j];
        }
        for (int j = 0; j < m; j++) {
            y[j] = y[j] + a[i][j] * t[i];
        }
    }
}

// run: two_ways n=7 m=13 ~ 1e-12
kernel void two_ways(int n, int m, const double a[n][m], const double p[m], const double r[n], double q[n], double s[m])
{
    for (int i = 0; i < m; i++) {
        s[i] = 0;
    }
    // omp: parallel for reduction(+ : s[ : m])
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] = s[j] + r[i] * a[i][j];
            q[i] = q[i] + a[i][j] * p[j];
        }
    }
}

// run: transposed_pair n=13 ~ 1e-12
kernel void transposed_pair(int n, const double a[n][n], const double y1[n], const double y2[n], double x1[n],
                            double x2[n])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x1[i] = x1[i] + a[i][j] * y1[j];
        }
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x2[i] = x2[i] + a[j][i] * y2[j];
        }
    }
}

// run: rank_2_and_vectors n=13 alpha=1.5 beta=1.25 ~ 1e-12
kernel void rank_2_and_vectors(int n, double alpha, double beta, double a[n][n], const double u1[n], const double v1[n],
                               const double u2[n], const double v2[n], const double y[n], const double z[n],
                               double x[n], double w[n])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x[i] = x[i] + beta * a[j][i] * y[j];
        }
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        x[i] = x[i] + z[i];
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            w[i] = w[i] + alpha * a[i][j] * x[j];
        }
    }
}

// run: two_sums n=13 alpha=1.5 beta=1.25 ~ 1e-12
kernel void two_sums(int n, double alpha, double beta, const double a[n][n], const double b[n][n], const double x[n],
                     double y[n], double t[n])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        t[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            t[i] = a[i][j] * x[j] + t[i];
            y[i] = b[i][j] * x[j] + y[i];
        }
        y[i] = alpha * t[i] + beta * y[i];
    }
}
