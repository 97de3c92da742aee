// Stencils and images as they are brought from elsewhere.
#include <rill/kernel.h>

// run: jacobi_ptr n=30 m=40 steps=5
// run: jacobi_ptr n=30 m=40 steps=6
kernel void jacobi_ptr(int n, int m, int steps, double a[n][m], double b[n][m])
{
    double *src = &a[0][0], *dst = &b[0][0], *tmp;
    int t, i, j;
    for (t = 0; t < steps; t++) {
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < m - 1; j++) {
                dst[i * m + j] =
                    0.25 * (src[(i - 1) * m + j] + src[(i + 1) * m + j] + src[i * m + j - 1] + src[i * m + j + 1]);
            }
        }
        tmp = src;
        src = dst;
        dst = tmp;
    }
}

// run: heat_parity n=200 steps=7 k=0.1 a=200 b=200
kernel void heat_parity(int n, int steps, float k, float *a, float *b)
{
    for (int t = 0; t < steps; t++) {
        float *in = t % 2 ? b : a;
        float *out = t % 2 ? a : b;
        for (int i = 1; i < n - 1; i++) {
            out[i] = in[i] + k * (in[i - 1] - 2 * in[i] + in[i + 1]);
        }
    }
}

// run: heat_planes n=20 steps=5 k=0.1
kernel void heat_planes(int n, int steps, double k, double u[2][n][n])
{
    int cur = 0;
    for (int t = 0; t < steps; t++) {
        int next = 1 - cur;
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                u[next][i][j] = u[cur][i][j] + k * (u[cur][i - 1][j] + u[cur][i + 1][j] + u[cur][i][j - 1] +
                                                    u[cur][i][j + 1] - 4 * u[cur][i][j]);
            }
        }
        cur = next;
    }
}

// run: heat_mod n=100 steps=6 k=0.1
kernel void heat_mod(int n, int steps, double k, double u[2][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            u[(t + 1) % 2][i] = u[t % 2][i] + k * (u[t % 2][i - 1] - 2 * u[t % 2][i] + u[t % 2][i + 1]);
        }
    }
}

// Wave equation: three pointers that rotate.
// run: wave n=100 steps=7 c=0.3
kernel void wave(int n, int steps, float c, float u0[n], float u1[n], float u2[n])
{
    float *prev = u0, *cur = u1, *next = u2;
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < n - 1; i++) {
            next[i] = 2 * cur[i] - prev[i] + c * (cur[i + 1] - 2 * cur[i] + cur[i - 1]);
        }
        float *t = prev;
        prev = cur;
        cur = next;
        next = t;
    }
}

// Successive over-relaxation (SciMark).
// run: sor n=20 m=25 steps=4 omega=1.25
kernel void sor(int n, int m, int steps, double omega, double g[n][m])
{
    double omega_over_four = omega * 0.25;
    double one_minus_omega = 1.0 - omega;
    int p, i, j;
    for (p = 0; p < steps; p++) {
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < m - 1; j++) {
                g[i][j] = omega_over_four * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) +
                          one_minus_omega * g[i][j];
            }
        }
    }
}

#define IDX(i, j) ((i) + (n + 2) * (j))
// Stam's stable fluids: Gauss-Seidel.
// run: lin_solve n=20 a=0.5 c=3 iters=4 x=484 x0=484
kernel void lin_solve(int n, float a, float c, int iters, float *x, const float *x0)
{
    int i, j, k;
    for (k = 0; k < iters; k++) {
        for (i = 1; i <= n; i++) {
            for (j = 1; j <= n; j++) {
                x[IDX(i, j)] =
                    (x0[IDX(i, j)] + a * (x[IDX(i - 1, j)] + x[IDX(i + 1, j)] + x[IDX(i, j - 1)] + x[IDX(i, j + 1)])) /
                    c;
            }
        }
        for (i = 1; i <= n; i++) {
            x[IDX(0, i)] = -x[IDX(1, i)];
            x[IDX(n + 1, i)] = -x[IDX(n, i)];
            x[IDX(i, 0)] = x[IDX(i, 1)];
            x[IDX(i, n + 1)] = x[IDX(i, n)];
        }
    }
}

// Red-black with a step of two.
// run: red_black n=30 iters=4
kernel void red_black(int n, int iters, double u[n][n], const double f[n][n])
{
    for (int it = 0; it < iters; it++) {
        for (int color = 0; color < 2; color++) {
            for (int i = 1; i < n - 1; i++) {
                for (int j = 1 + (i + color) % 2; j < n - 1; j += 2) {
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
                }
            }
        }
    }
}

// Game of life with wrap and swap.
// run: life h=20 w=30 steps=3 a=600 b=600
kernel void life(int h, int w, int steps, unsigned char *a, unsigned char *b)
{
    while (steps-- > 0) {
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                int n = 0;
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        if (dx || dy) {
                            n += a[((y + dy + h) % h) * w + (x + dx + w) % w] & 1;
                        }
                    }
                }
                b[y * w + x] = n == 3 || (n == 2 && (a[y * w + x] & 1));
            }
        }
        unsigned char *t = a;
        a = b;
        b = t;
    }
}

// Integral image.
// run: integral h=30 w=40
kernel void integral(int h, int w, const unsigned char img[h * w], unsigned sum[h * w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            unsigned s = img[y * w + x];
            if (x > 0) {
                s += sum[y * w + x - 1];
            }
            if (y > 0) {
                s += sum[(y - 1) * w + x];
            }
            if (x > 0 && y > 0) {
                s -= sum[(y - 1) * w + x - 1];
            }
            sum[y * w + x] = s;
        }
    }
}

// Integral image by a running row sum.
// run: integral_row h=30 w=40
kernel void integral_row(int h, int w, const unsigned char img[h][w], unsigned sum[h][w])
{
    for (int y = 0; y < h; y++) {
        unsigned row = 0;
        for (int x = 0; x < w; x++) {
            row += img[y][x];
            sum[y][x] = row + (y > 0 ? sum[y - 1][x] : 0);
        }
    }
}

// Floyd-Steinberg error diffusion.
// run: dither h=30 w=40
kernel void dither(int h, int w, int img[h][w])
{
    for (int y = 0; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            int old = img[y][x];
            int new = old > 127 ? 255 : 0;
            int err = old - new;
            img[y][x] = new;
            img[y][x + 1] += err * 7 / 16;
            img[y + 1][x - 1] += err * 3 / 16;
            img[y + 1][x] += err * 5 / 16;
            img[y + 1][x + 1] += err * 1 / 16;
        }
    }
}

// Distance transform, two passes.
// run: chamfer h=30 w=40
kernel void chamfer(int h, int w, int d[h][w])
{
    int x, y;
    for (y = 1; y < h; y++) {
        for (x = 1; x < w - 1; x++) {
            int v = d[y][x];
            if (d[y - 1][x] + 3 < v) {
                v = d[y - 1][x] + 3;
            }
            if (d[y][x - 1] + 3 < v) {
                v = d[y][x - 1] + 3;
            }
            if (d[y - 1][x - 1] + 4 < v) {
                v = d[y - 1][x - 1] + 4;
            }
            if (d[y - 1][x + 1] + 4 < v) {
                v = d[y - 1][x + 1] + 4;
            }
            d[y][x] = v;
        }
    }
    for (y = h - 2; y >= 0; y--) {
        for (x = w - 2; x >= 1; x--) {
            int v = d[y][x];
            if (d[y + 1][x] + 3 < v) {
                v = d[y + 1][x] + 3;
            }
            if (d[y][x + 1] + 3 < v) {
                v = d[y][x + 1] + 3;
            }
            if (d[y + 1][x + 1] + 4 < v) {
                v = d[y + 1][x + 1] + 4;
            }
            if (d[y + 1][x - 1] + 4 < v) {
                v = d[y + 1][x - 1] + 4;
            }
            d[y][x] = v;
        }
    }
}

// Separable blur with a step argument.
// run: downsample n=40 m=50 h=3
// run: downsample n=40 m=50 h=1
kernel void downsample(int n, int m, int h, const float in[n][m], float out[n][m])
{
    for (int i = 0; i < n; i += h) {
        for (int j = 0; j < m; j += h) {
            float s = 0;
            for (int y = i; y < i + h && y < n; y++) {
                for (int x = j; x < j + h && x < m; x++) {
                    s += in[y][x];
                }
            }
            for (int y = i; y < i + h && y < n; y++) {
                for (int x = j; x < j + h && x < m; x++) {
                    out[y][x] = s / (h * h);
                }
            }
        }
    }
}

// Tiled transposition by hand, with the tile as argument.
// run: transpose_tiled n=40 bs=8
kernel void transpose_tiled(int n, int bs, const double a[n * n], double b[n * n])
{
    for (int ii = 0; ii < n; ii += bs) {
        for (int jj = 0; jj < n; jj += bs) {
            for (int i = ii; i < ii + bs && i < n; i++) {
                for (int j = jj; j < jj + bs && j < n; j++) {
                    b[j * n + i] = a[i * n + j];
                }
            }
        }
    }
}

// FFT butterflies as stages in a while loop.
// run: walsh n=64
kernel void walsh(int n, int a[n])
{
    int h = 1;
    while (h < n) {
        for (int i = 0; i < n; i += h * 2) {
            for (int j = i; j < i + h; j++) {
                int x = a[j];
                int y = a[j + h];
                a[j] = x + y;
                a[j + h] = x - y;
            }
        }
        h *= 2;
    }
}

// Bitonic sort.
// run: bitonic n=64
kernel void bitonic(int n, int a[n])
{
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < n; i++) {
                int l = i ^ j;
                if (l > i) {
                    if (((i & k) == 0 && a[i] > a[l]) || ((i & k) != 0 && a[i] < a[l])) {
                        int t = a[i];
                        a[i] = a[l];
                        a[l] = t;
                    }
                }
            }
        }
    }
}

// Odd-even transposition sort.
// run: odd_even n=63
kernel void odd_even(int n, int a[n])
{
    int phase, i, t;
    for (phase = 0; phase < n; phase++) {
        for (i = phase % 2; i + 1 < n; i += 2) {
            if (a[i] > a[i + 1]) {
                t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
            }
        }
    }
}
