// Stencils, sweeps and filters for bench/nests, in the loop order of textbooks; `omp:` as in nest_products.c.
#include <rill/kernel.h>

// run: jacobi_1d n=13 steps=5
kernel void jacobi_1d(int n, int steps, double a[n], double b[n])
{
    for (int t = 0; t < steps; t++) {
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        }
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
        }
    }
}

// run: jacobi_2d n=13 steps=3
kernel void jacobi_2d(int n, int steps, double a[n][n], double b[n][n])
{
    for (int t = 0; t < steps; t++) {
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][1 + j] + a[1 + i][j] + a[i - 1][j]);
            }
        }
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][1 + j] + b[1 + i][j] + b[i - 1][j]);
            }
        }
    }
}

// run: gauss_seidel n=13 steps=3
kernel void gauss_seidel(int n, int steps, double a[n][n])
{
    for (int t = 0; t <= steps - 1; t++) {
        for (int i = 1; i <= n - 2; i++) {
            for (int j = 1; j <= n - 2; j++) {
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9.0;
            }
        }
    }
}

// run: red_black n=13 steps=3
kernel void red_black(int n, int steps, double u[n][n], const double f[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 2; colour++) {
            // omp: parallel for
            for (int i = 1; i < n - 1; i++) {
                for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
                }
            }
        }
    }
}

// run: heat_3d n=9 steps=2
kernel void heat_3d(int n, int steps, double a[n][n][n], double b[n][n][n])
{
    for (int t = 1; t <= steps; t++) {
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                for (int k = 1; k < n - 1; k++) {
                    b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                                 0.125 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                                 0.125 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
                }
            }
        }
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                for (int k = 1; k < n - 1; k++) {
                    a[i][j][k] = 0.125 * (b[i + 1][j][k] - 2.0 * b[i][j][k] + b[i - 1][j][k]) +
                                 0.125 * (b[i][j + 1][k] - 2.0 * b[i][j][k] + b[i][j - 1][k]) +
                                 0.125 * (b[i][j][k + 1] - 2.0 * b[i][j][k] + b[i][j][k - 1]) + b[i][j][k];
                }
            }
        }
    }
}

// run: fdtd_2d n=9 m=13 steps=3
kernel void fdtd_2d(int n, int m, int steps, double ex[n][m], double ey[n][m], double hz[n][m],
                    const double source[steps])
{
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < m; j++) {
            ey[0][j] = source[t];
        }
        // omp: parallel for
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < m; j++) {
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        // omp: parallel for
        for (int i = 0; i < n; i++) {
            for (int j = 1; j < m; j++) {
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        // omp: parallel for
        for (int i = 0; i < n - 1; i++) {
            for (int j = 0; j < m - 1; j++) {
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}

// run: adi n=13 steps=2
kernel void adi(int n, int steps, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    double a = -0.375, b = 1.75, c = -0.375, d = -0.125, e = 1.75, f = 1.25;
    for (int t = 1; t <= steps; t++) {
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + f * u[j][i] - d * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
            }
        }
        // omp: parallel for
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + e);
                q[i][j] = (-d * v[i - 1][j] + f * v[i][j] - d * v[i + 1][j] - a * q[i][j - 1]) / (a * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--) {
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
            }
        }
    }
}

// run: deriche w=9 h=13
kernel void deriche(int w, int h, const double in[w][h], double out[w][h], double y1[w][h], double y2[w][h])
{
    int i, j;
    double a1 = 0.1875, a2 = 0.125, a3 = 0.25, a4 = -0.0625, b1 = 0.875, b2 = -0.25;
    double xm1, ym1, ym2, xp1, xp2, yp1, yp2, tm1, tp1, tp2;
    // omp: parallel for private(j, xm1, ym1, ym2)
    for (i = 0; i < w; i++) {
        ym1 = 0.0;
        ym2 = 0.0;
        xm1 = 0.0;
        for (j = 0; j < h; j++) {
            y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = in[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    // omp: parallel for private(j, xp1, xp2, yp1, yp2)
    for (i = 0; i < w; i++) {
        yp1 = 0.0;
        yp2 = 0.0;
        xp1 = 0.0;
        xp2 = 0.0;
        for (j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = in[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    // omp: parallel for private(j)
    for (i = 0; i < w; i++) {
        for (j = 0; j < h; j++) {
            out[i][j] = 0.5 * (y1[i][j] + y2[i][j]);
        }
    }
    // omp: parallel for private(i, tm1, ym1, ym2)
    for (j = 0; j < h; j++) {
        tm1 = 0.0;
        ym1 = 0.0;
        ym2 = 0.0;
        for (i = 0; i < w; i++) {
            y1[i][j] = a1 * out[i][j] + a2 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = out[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    // omp: parallel for private(i, tp1, tp2, yp1, yp2)
    for (j = 0; j < h; j++) {
        tp1 = 0.0;
        tp2 = 0.0;
        yp1 = 0.0;
        yp2 = 0.0;
        for (i = w - 1; i >= 0; i--) {
            y2[i][j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = out[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    // omp: parallel for private(j)
    for (i = 0; i < w; i++) {
        for (j = 0; j < h; j++) {
            out[i][j] = 0.5 * (y1[i][j] + y2[i][j]);
        }
    }
}

// run: convolution n=9 m=13 k=3 ~ 1e-12
kernel void convolution(int n, int m, int k, const double image[n][m], const double weight[k][k], double out[n][m])
{
    // omp: parallel for
    for (int i = 0; i <= n - k; i++) {
        for (int j = 0; j <= m - k; j++) {
            double s = 0;
            for (int y = 0; y < k; y++) {
                for (int x = 0; x < k; x++) {
                    s += image[i + y][j + x] * weight[y][x];
                }
            }
            out[i][j] = s;
        }
    }
}

// Successive over-relaxation: each point from two that are new and two that are old.
// run: over_relaxation n=40 steps=3 omega=1.25 ~ 1e-12
// run: over_relaxation n=150 steps=2 omega=1.25 ~ 1e-12
kernel void over_relaxation(int n, int steps, double omega, double g[n][n])
{
    double fourth = omega * 0.25, rest = 1 - omega;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                g[i][j] = fourth * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) + rest * g[i][j];
            }
        }
    }
}
