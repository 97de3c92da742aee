// Solvers and statistics for bench/nests, in the loop order of textbooks; `omp:` as in nest_products.c.
#include <math.h>
#include <rill/kernel.h>

// run: forward n=13 ~ 1e-2
kernel void forward(int n, const double l[n][n], const double b[n], double x[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++) {
            x[i] -= l[i][j] * x[j];
        }
        x[i] = x[i] / l[i][i];
    }
}

// run: gram_schmidt m=13 n=7 ~ 1e-6
kernel void gram_schmidt(int m, int n, double a[m][n], double r[n][n], double q[m][n])
{
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < m; i++) {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = sqrt(norm);
        for (int i = 0; i < m; i++) {
            q[i][k] = a[i][k] / r[k][k];
        }
        // omp: parallel for
        for (int j = k + 1; j < n; j++) {
            r[k][j] = 0.0;
            for (int i = 0; i < m; i++) {
                r[k][j] += q[i][k] * a[i][j];
            }
            for (int i = 0; i < m; i++) {
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
            }
        }
    }
}

// run: lu n=1 ~ 1e-6
kernel void lu(int n, double a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < n; j++) {
            for (int k = 0; k < i; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// Right-looking.
// run: lu_kij n=7 ~ 1e-3
kernel void lu_kij(int n, double a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
        }
        // omp: parallel for
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// run: cholesky n=1 ~ 1e-6
kernel void cholesky(int n, double a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++) {
            a[i][i] -= a[i][k] * a[i][k];
        }
        a[i][i] = sqrt(a[i][i]);
    }
}

// run: lu_solve n=1 ~ 1e-6
kernel void lu_solve(int n, double a[n][n], const double b[n], double x[n], double y[n])
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

// run: levinson n=1 ~ 1e-6
kernel void levinson(int n, const double r[n], double y[n], double z[n])
{
    y[0] = -r[0];
    double beta = 1.0, alpha = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0.0;
        for (int i = 0; i < k; i++) {
            sum += r[k - i - 1] * y[i];
        }
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++) {
            z[i] = y[i] + alpha * y[k - i - 1];
        }
        for (int i = 0; i < k; i++) {
            y[i] = z[i];
        }
        y[k] = alpha;
    }
}

// run: small_systems s=9 n=2 ~ 1e-6
kernel void small_systems(int s, int n, double a[s][n][n], double x[s][n])
{
    // omp: parallel for
    for (int b = 0; b < s; b++) {
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

// ---- statistics ---------------------------------------------------------------------------------------------------

// run: correlation n=13 m=7 ~ 1e-10
kernel void correlation(int n, int m, double data[n][m], double corr[m][m], double mean[m], double deviation[m])
{
    double eps = 0.1;
    // omp: parallel for
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= n;
    }
    // omp: parallel for
    for (int j = 0; j < m; j++) {
        deviation[j] = 0.0;
        for (int i = 0; i < n; i++) {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] /= n;
        deviation[j] = sqrt(deviation[j]);
        deviation[j] = deviation[j] <= eps ? 1.0 : deviation[j];
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt((double)n) * deviation[j];
        }
    }
    // omp: parallel for schedule(dynamic, 8)
    for (int i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
}

// run: covariance n=13 m=7 ~ 1e-10
kernel void covariance(int n, int m, double data[n][m], double cov[m][m], double mean[m])
{
    // omp: parallel for
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= n;
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
    // omp: parallel for schedule(dynamic, 8)
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                cov[i][j] += data[k][i] * data[k][j];
            }
            cov[i][j] /= n - 1.0;
            cov[j][i] = cov[i][j];
        }
    }
}

// One step of k-means.
// run: means n=40 k=3 d=2 ~ 1e-10
kernel void means(int n, int k, int d, const double point[n][d], double centre[k][d], int count[k], double sum[k][d],
                  int label[n])
{
    for (int c = 0; c < k; c++) {
        count[c] = 0;
        for (int j = 0; j < d; j++) {
            sum[c][j] = 0;
        }
    }
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        int nearest = 0;
        double least = 1e300;
        for (int c = 0; c < k; c++) {
            double distance = 0;
            for (int j = 0; j < d; j++) {
                distance += (point[i][j] - centre[c][j]) * (point[i][j] - centre[c][j]);
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        label[i] = nearest;
        // omp: atomic
        count[nearest]++;
        for (int j = 0; j < d; j++) {
            // omp: atomic
            sum[nearest][j] += point[i][j];
        }
    }
    for (int c = 0; c < k; c++) {
        for (int j = 0; j < d; j++) {
            if (count[c] > 0) {
                centre[c][j] = sum[c][j] / count[c];
            }
        }
    }
}
