// Products of matrices and vectors in the loop orders that textbooks have them in. Most are over integers, where every
// lawful order gives the same bits; those over floats have a tolerance where a sum may be taken in another order.
#include <rill/kernel.h>

// ---- products, in all six orders ----------------------------------------------------------------------------------

// run: product_ijk n=7 m=13 l=5
// run: product_ijk n=3 m=41 l=60
// run: product_ijk n=0 m=4 l=3
kernel void product_ijk(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            for (k = 0; k < l; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: product_ikj n=7 m=13 l=5
// run: product_ikj n=61 m=70 l=33
// run: product_ikj n=5 m=0 l=9
kernel void product_ikj(int n, int m, int l, const unsigned a[n][l], const unsigned b[l][m], unsigned c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: product_jik n=13 m=7 l=11
// run: product_jik n=64 m=31 l=50
kernel void product_jik(int n, int m, int l, const long a[n][l], const long b[l][m], long c[n][m])
{
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            long s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: product_jki n=13 m=7 l=11
// run: product_jki n=2 m=90 l=40
kernel void product_jki(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < l; k++) {
            int t = b[k][j];
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k] * t;
            }
        }
    }
}

// run: product_kij n=9 m=17 l=6
// run: product_kij n=50 m=61 l=20
// run: product_kij n=9 m=17 l=0
kernel void product_kij(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    for (int k = 0; k < l; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: product_kji n=9 m=17 l=6
// run: product_kji n=70 m=3 l=41
kernel void product_kji(int n, int m, int l, const long a[n][l], const long b[l][m], long c[n][m])
{
    for (int k = 0; k < l; k++) {
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < n; i++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: scaled_product n=7 m=13 l=5 alpha=3 beta=-2
// run: scaled_product n=48 m=55 l=60 alpha=7 beta=5
// run: scaled_product n=6 m=8 l=0 alpha=7 beta=5
kernel void scaled_product(int n, int m, int l, int alpha, int beta, const int a[n][l], const int b[l][m], int c[n][m])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            c[i][j] *= beta;
        }
        for (k = 0; k < l; k++) {
            for (j = 0; j < m; j++) {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}

// run: scaled_product_double n=11 m=13 l=9 alpha=1.5 beta=1.25
// run: scaled_product_double n=40 m=64 l=30 alpha=1.5 beta=0
kernel void scaled_product_double(int n, int m, int l, double alpha, double beta, const double a[n][l],
                                  const double b[l][m], double c[n][m])
{
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

// d = alpha a b c + beta d, through a product that is kept.
// run: three_factors n=7 m=9 l=11 k=13 alpha=3 beta=2
// run: three_factors n=30 m=42 l=17 k=55 alpha=-1 beta=1
kernel void three_factors(int n, int m, int l, int k, int alpha, int beta, const int a[n][l], const int b[l][m],
                          const int c[m][k], int t[n][m], int d[n][k])
{
    int i, j, p;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            t[i][j] = 0;
            for (p = 0; p < l; ++p) {
                t[i][j] += alpha * a[i][p] * b[p][j];
            }
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < k; j++) {
            d[i][j] *= beta;
            for (p = 0; p < m; ++p) {
                d[i][j] += t[i][p] * c[p][j];
            }
        }
    }
}

// (a b) (c d)
// run: four_factors n=6 m=7 l=8 k=9 o=10
// run: four_factors n=31 m=29 l=37 k=23 o=41
kernel void four_factors(int n, int m, int l, int k, int o, const long a[n][l], const long b[l][m], const long c[m][o],
                         const long d[o][k], long e[n][m], long f[m][k], long g[n][k])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            e[i][j] = 0;
            for (int p = 0; p < l; ++p) {
                e[i][j] += a[i][p] * b[p][j];
            }
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < k; j++) {
            f[i][j] = 0;
            for (int p = 0; p < o; ++p) {
                f[i][j] += c[i][p] * d[p][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) {
            g[i][j] = 0;
            for (int p = 0; p < m; ++p) {
                g[i][j] += e[i][p] * f[p][j];
            }
        }
    }
}

// ---- triangles and symmetry ---------------------------------------------------------------------------------------

// run: rank_k n=13 m=7 alpha=3 beta=2
// run: rank_k n=50 m=60 alpha=3 beta=-1
kernel void rank_k(int n, int m, int alpha, int beta, const int a[n][m], int c[n][n])
{
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

// run: rank_k_upper n=13 m=7 ~ 1e-12
// run: rank_k_upper n=45 m=30 ~ 1e-12
kernel void rank_k_upper(int n, int m, const double a[m][n], double c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            double s = 0;
            for (int k = 0; k < m; k++) {
                s += a[k][i] * a[k][j];
            }
            c[i][j] = s;
            c[j][i] = s;
        }
    }
}

// run: rank_2k n=13 m=7 alpha=3 beta=2
// run: rank_2k n=40 m=50 alpha=-5 beta=1
// run: rank_2k n=1 m=9 alpha=-5 beta=1
kernel void rank_2k(int n, int m, int alpha, int beta, const int a[n][m], const int b[n][m], int c[n][n])
{
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

// Only the lower triangle of a is there.
// run: symmetric_product n=9 m=14 alpha=3 beta=2
// run: symmetric_product n=40 m=33 alpha=-1 beta=0
kernel void symmetric_product(int n, int m, int alpha, int beta, const int a[n][n], const int b[n][m], int c[n][m])
{
    int i, j, k, t;
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

// b = alpha a' b, in place; a is lower triangular with ones on its diagonal.
// run: triangular_product n=9 m=14 alpha=3
// run: triangular_product n=41 m=30 alpha=1
// run: triangular_product n=1 m=30 alpha=5
kernel void triangular_product(int n, int m, int alpha, const int a[n][n], int b[n][m])
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

// ---- matrix and vector --------------------------------------------------------------------------------------------

// y = a' (a x)
// run: normal_product n=7 m=13
// run: normal_product n=70 m=61
// run: normal_product n=0 m=6
kernel void normal_product(int n, int m, const int a[n][m], const int x[m], int y[m], int t[n])
{
    int i, j;
    for (i = 0; i < m; i++) {
        y[i] = 0;
    }
    for (i = 0; i < n; i++) {
        t[i] = 0;
        for (j = 0; j < m; j++) {
            t[i] = t[i] + a[i][j] * x[j];
        }
        for (j = 0; j < m; j++) {
            y[j] = y[j] + a[i][j] * t[i];
        }
    }
}

// run: normal_product_float n=13 m=9 ~ 1e-4
// run: normal_product_float n=50 m=90 ~ 1e-4
kernel void normal_product_float(int n, int m, const float a[n][m], const float x[m], float y[m])
{
    for (int j = 0; j < m; j++) {
        y[j] = 0;
    }
    for (int i = 0; i < n; i++) {
        float t = 0;
        for (int j = 0; j < m; j++) {
            t += a[i][j] * x[j];
        }
        for (int j = 0; j < m; j++) {
            y[j] += a[i][j] * t;
        }
    }
}

// q = a p and s = a' r in one nest.
// run: two_ways n=7 m=13
// run: two_ways n=90 m=51
kernel void two_ways(int n, int m, const int a[n][m], const int p[m], const int r[n], int q[n], int s[m])
{
    int i, j;
    for (i = 0; i < m; i++) {
        s[i] = 0;
    }
    for (i = 0; i < n; i++) {
        q[i] = 0;
        for (j = 0; j < m; j++) {
            s[j] = s[j] + r[i] * a[i][j];
            q[i] = q[i] + a[i][j] * p[j];
        }
    }
}

// run: transposed_pair n=13
// run: transposed_pair n=80
kernel void transposed_pair(int n, const long a[n][n], const long y1[n], const long y2[n], long x1[n], long x2[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x1[i] = x1[i] + a[i][j] * y1[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x2[i] = x2[i] + a[j][i] * y2[j];
        }
    }
}

// run: rank_2_and_vectors n=13 alpha=2 beta=3
// run: rank_2_and_vectors n=70 alpha=-1 beta=1
kernel void rank_2_and_vectors(int n, int alpha, int beta, int a[n][n], const int u1[n], const int v1[n],
                               const int u2[n], const int v2[n], const int y[n], const int z[n], int x[n], int w[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x[i] = x[i] + beta * a[j][i] * y[j];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = x[i] + z[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            w[i] = w[i] + alpha * a[i][j] * x[j];
        }
    }
}

// run: two_sums n=13 alpha=1.5 beta=1.25 ~ 1e-12
// run: two_sums n=75 alpha=1.5 beta=-1 ~ 1e-12
kernel void two_sums(int n, double alpha, double beta, const double a[n][n], const double b[n][n], const double x[n],
                     double y[n], double t[n])
{
    for (int i = 0; i < n; i++) {
        t[i] = 0;
        y[i] = 0;
        for (int j = 0; j < n; j++) {
            t[i] = a[i][j] * x[j] + t[i];
            y[i] = b[i][j] * x[j] + y[i];
        }
        y[i] = alpha * t[i] + beta * y[i];
    }
}

// s[j] is a sum of a column, the result that of everything.
// run: column_sums n=7 m=13
// run: column_sums n=120 m=45
// run: column_sums n=4 m=0
kernel long column_sums(int n, int m, const int a[n][m], long s[m])
{
    long total = 0;
    for (int j = 0; j < m; j++) {
        s[j] = 0;
        for (int i = 0; i < n; i++) {
            s[j] += a[i][j];
        }
        total += s[j];
    }
    return total;
}

// ---- three dimensions ---------------------------------------------------------------------------------------------

// Each row of a is multiplied by c, with one row to work in.
// run: contraction r=3 q=5 p=7
// run: contraction r=12 q=11 p=30
// run: contraction r=2 q=0 p=3
kernel void contraction(int r, int q, int p, int a[r][q][p], const int c[p][p], int work[p])
{
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < q; j++) {
            for (int k = 0; k < p; k++) {
                work[k] = 0;
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

// run: batch b=5 n=7
// run: batch b=60 n=9
kernel void batch(int b, int n, const float x[b][n][n], const float y[b][n][n], float z[b][n][n])
{
    for (int s = 0; s < b; s++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                z[s][i][j] = 0;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                for (int j = 0; j < n; j++) {
                    z[s][i][j] += x[s][i][k] * y[s][k][j];
                }
            }
        }
    }
}
