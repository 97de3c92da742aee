// Stencils, sweeps and filters in the order that textbooks have them.
#include <math.h>
#include <rill/kernel.h>

// run: jacobi_1d n=13 steps=5
// run: jacobi_1d n=700 steps=4
// run: jacobi_1d n=2 steps=3
kernel void jacobi_1d(int n, int steps, double a[n], double b[n])
{
    int t, i;
    for (t = 0; t < steps; t++) {
        for (i = 1; i < n - 1; i++) {
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        }
        for (i = 1; i < n - 1; i++) {
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
        }
    }
}

// run: jacobi_2d n=7 m=13 steps=3
// run: jacobi_2d n=60 m=41 steps=4
// run: jacobi_2d n=5 m=5 steps=0
kernel void jacobi_2d(int n, int m, int steps, int a[n][m], int b[n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                b[i][j] = (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]) / 5;
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                a[i][j] = (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]) / 5;
            }
        }
    }
}

// A copy after each step, the form of beginners.
// run: jacobi_copy n=9 steps=3
// run: jacobi_copy n=40 steps=3
kernel void jacobi_copy(int n, int steps, float u[n][n], float old[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                old[i][j] = u[i][j];
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                u[i][j] = 0.25f * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
            }
        }
    }
}

// Nine points, in place.
// run: gauss_seidel n=9 m=13 steps=3
// run: gauss_seidel n=40 m=33 steps=3
// run: gauss_seidel n=2 m=33 steps=3
kernel void gauss_seidel(int n, int m, int steps, int a[n][m])
{
    for (int t = 0; t <= steps - 1; t++) {
        for (int i = 1; i <= n - 2; i++) {
            for (int j = 1; j <= m - 2; j++) {
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9;
            }
        }
    }
}

// run: gauss_seidel_double n=13 steps=2
// run: gauss_seidel_double n=50 steps=3
kernel void gauss_seidel_double(int n, int steps, double a[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9.0;
            }
        }
    }
}

// Five points, over-relaxed, from the last element to the first.
// run: backwards n=13 omega=1.25
// run: backwards n=50 omega=1.5
kernel void backwards(int n, double omega, double u[n][n], const double f[n][n])
{
    for (int i = n - 2; i >= 1; i--) {
        for (int j = n - 2; j >= 1; j--) {
            double r = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]) * 0.25 - u[i][j];
            u[i][j] += omega * r;
        }
    }
}

// run: red_black n=9 steps=3
// run: red_black n=45 steps=3
kernel void red_black(int n, int steps, float u[n][n], const float f[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 2; colour++) {
            for (int i = 1; i < n - 1; i++) {
                for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
                    u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
                }
            }
        }
    }
}

// run: heat_3d n=7 steps=3
// run: heat_3d n=18 steps=2
// run: heat_3d n=2 steps=2
kernel void heat_3d(int n, int steps, double a[n][n][n], double b[n][n][n])
{
    int t, i, j, k;
    for (t = 1; t <= steps; t++) {
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < n - 1; j++) {
                for (k = 1; k < n - 1; k++) {
                    b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                                 0.125 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                                 0.125 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
                }
            }
        }
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < n - 1; j++) {
                for (k = 1; k < n - 1; k++) {
                    a[i][j][k] = 0.125 * (b[i + 1][j][k] - 2.0 * b[i][j][k] + b[i - 1][j][k]) +
                                 0.125 * (b[i][j + 1][k] - 2.0 * b[i][j][k] + b[i][j - 1][k]) +
                                 0.125 * (b[i][j][k + 1] - 2.0 * b[i][j][k] + b[i][j][k - 1]) + b[i][j][k];
                }
            }
        }
    }
}

// Two fields of an electric wave and a magnetic one.
// run: fdtd_2d n=7 m=13 steps=4
// run: fdtd_2d n=40 m=33 steps=5
// run: fdtd_2d n=1 m=33 steps=3
kernel void fdtd_2d(int n, int m, int steps, double ex[n][m], double ey[n][m], double hz[n][m],
                    const double source[steps])
{
    int t, i, j;
    for (t = 0; t < steps; t++) {
        for (j = 0; j < m; j++) {
            ey[0][j] = source[t];
        }
        for (i = 1; i < n; i++) {
            for (j = 0; j < m; j++) {
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for (i = 0; i < n; i++) {
            for (j = 1; j < m; j++) {
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for (i = 0; i < n - 1; i++) {
            for (j = 0; j < m - 1; j++) {
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}

// Alternating directions: columns are solved, then rows.
// run: adi n=9 steps=2
// run: adi n=30 steps=2
kernel void adi(int n, int steps, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    int t, i, j;
    double a = -0.375, b = 1.75, c = -0.375, d = -0.125, f = 1.25;
    for (t = 1; t <= steps; t++) {
        for (i = 1; i < n - 1; i++) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + f * u[j][i] - d * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1;
            for (j = n - 2; j >= 1; j--) {
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
            }
        }
        for (i = 1; i < n - 1; i++) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * v[i - 1][j] + f * v[i][j] - d * v[i + 1][j] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
            u[i][n - 1] = 1;
            for (j = n - 2; j >= 1; j--) {
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
            }
        }
    }
}

// A recursive filter after Deriche: along the rows both ways, then along the columns.
// run: deriche w=9 h=13
// run: deriche w=50 h=31
kernel void deriche(int w, int h, const float in[w][h], float out[w][h], float y1[w][h], float y2[w][h])
{
    int i, j;
    float k = 0.1875f, a1 = k, a2 = 0.125f, a3 = 0.25f, a4 = -0.0625f, b1 = 0.875f, b2 = -0.25f;
    float xm1, ym1, ym2, xp1, xp2, yp1, yp2, tm1, tp1, tp2;
    for (i = 0; i < w; i++) {
        ym1 = 0;
        ym2 = 0;
        xm1 = 0;
        for (j = 0; j < h; j++) {
            y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = in[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (i = 0; i < w; i++) {
        yp1 = 0;
        yp2 = 0;
        xp1 = 0;
        xp2 = 0;
        for (j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = in[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < w; i++) {
        for (j = 0; j < h; j++) {
            out[i][j] = 0.5f * (y1[i][j] + y2[i][j]);
        }
    }
    for (j = 0; j < h; j++) {
        tm1 = 0;
        ym1 = 0;
        ym2 = 0;
        for (i = 0; i < w; i++) {
            y1[i][j] = a1 * out[i][j] + a2 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = out[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (j = 0; j < h; j++) {
        tp1 = 0;
        tp2 = 0;
        yp1 = 0;
        yp2 = 0;
        for (i = w - 1; i >= 0; i--) {
            y2[i][j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = out[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < w; i++) {
        for (j = 0; j < h; j++) {
            out[i][j] = 0.5f * (y1[i][j] + y2[i][j]);
        }
    }
}

// run: convolution n=9 m=13 k=3
// run: convolution n=40 m=50 k=5
// run: convolution n=4 m=4 k=5
kernel void convolution(int n, int m, int k, const int image[n][m], const int weight[k][k], int out[n][m])
{
    for (int i = 0; i <= n - k; i++) {
        for (int j = 0; j <= m - k; j++) {
            int s = 0;
            for (int y = 0; y < k; y++) {
                for (int x = 0; x < k; x++) {
                    s += image[i + y][j + x] * weight[y][x];
                }
            }
            out[i][j] = s;
        }
    }
}

// The weights outside: each adds a shifted copy of the image.
// run: convolution_outside n=9 m=13 k=3
// run: convolution_outside n=33 m=44 k=4
kernel void convolution_outside(int n, int m, int k, const int image[n + 8][m + 8], const int weight[k][k],
                                int out[n][m])
{
    for (int y = 0; y < k; y++) {
        for (int x = 0; x < k; x++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    out[i][j] += image[i + y][j + x] * weight[y][x];
                }
            }
        }
    }
}

// Columns first, in place: each column is a running sum, and then each row.
// run: integral_image n=9 m=13
// run: integral_image n=60 m=70
kernel void integral_image(int n, int m, unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i - 1][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][j] += a[i][j - 1];
        }
    }
}

// The step of a wave equation with three buffers that take turns.
// run: wave n=9 m=13 steps=5
// run: wave n=30 m=41 steps=7
kernel void wave(int n, int m, int steps, int u[3][n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                u[(t + 2) % 3][i][j] = 2 * u[(t + 1) % 3][i][j] - u[t % 3][i][j] +
                                       (u[(t + 1) % 3][i - 1][j] + u[(t + 1) % 3][i + 1][j] + u[(t + 1) % 3][i][j - 1] +
                                        u[(t + 1) % 3][i][j + 1] - 4 * u[(t + 1) % 3][i][j]) /
                                           8;
            }
        }
    }
}
