// Nests in which two loops carry all dependences forwards: on a CPU they run in tiles. Sizes are around multiples of a
// tile's 64 iterations, and none.
#include <rill/kernel.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// run: common_subsequence n=150 m=200
// run: common_subsequence n=64 m=128
// run: common_subsequence n=1 m=65
// run: common_subsequence n=0 m=5
kernel int common_subsequence(int n, int m, const char a[n], const char b[m], int c[n + 1][m + 1])
{
    int i, j;
    for (i = 0; i <= n; i++) {
        c[i][0] = 0;
    }
    for (j = 0; j <= m; j++) {
        c[0][j] = 0;
    }
    for (i = 1; i <= n; i++) {
        for (j = 1; j <= m; j++) {
            if (a[i - 1] == b[j - 1]) {
                c[i][j] = c[i - 1][j - 1] + 1;
            } else if (c[i - 1][j] >= c[i][j - 1]) {
                c[i][j] = c[i - 1][j];
            } else {
                c[i][j] = c[i][j - 1];
            }
        }
    }
    return c[n][m];
}

// Gaps by tables of their own, and the best score of all.
// run: gotoh n=130 m=190
kernel int gotoh(int n, int m, const char a[n], const char b[m], int h[n + 1][m + 1], int e[n + 1][m + 1],
                 int f[n + 1][m + 1])
{
    int best = 0;
    for (int i = 0; i <= n; i++) {
        h[i][0] = e[i][0] = 0;
    }
    for (int j = 0; j <= m; j++) {
        h[0][j] = f[0][j] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            e[i][j] = MAX(h[i][j - 1] - 5, e[i][j - 1] - 1);
            f[i][j] = MAX(h[i - 1][j] - 5, f[i - 1][j] - 1);
            h[i][j] = MAX(MAX(0, h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -2)), MAX(e[i][j], f[i][j]));
            best = MAX(best, h[i][j]);
        }
    }
    return best;
}

// run: sor n=140 m=200 steps=4 omega=1.25
// run: sor n=3 m=300 steps=2 omega=1.25
// run: sor n=2 m=300 steps=2 omega=1.25
// run: sor n=300 m=1 steps=2 omega=1.25
kernel void sor(int n, int m, int steps, double omega, double g[n][m])
{
    double w4 = omega * 0.25, w1 = 1.0 - omega;
    for (int p = 0; p < steps; p++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                g[i][j] = w4 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) + w1 * g[i][j];
            }
        }
    }
}

// The neighbour above to the right: tiles lean.
// run: nine_points n=140 m=200 steps=3
// run: nine_points n=70 m=5 steps=2
kernel void nine_points(int n, int m, int steps, float a[n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9;
            }
        }
    }
}

// Once down and to the right, once up and to the left.
// run: distances h=150 w=133
kernel void distances(int h, int w, const unsigned char in[h][w], int d[h][w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            if (in[y][x] > 95) {
                d[y][x] = 0;
            } else {
                d[y][x] = h + w;
                if (y > 0 && d[y - 1][x] + 1 < d[y][x]) {
                    d[y][x] = d[y - 1][x] + 1;
                }
                if (x > 0 && d[y][x - 1] + 1 < d[y][x]) {
                    d[y][x] = d[y][x - 1] + 1;
                }
            }
        }
    }
    for (int y = h - 1; y >= 0; y--) {
        for (int x = w - 1; x >= 0; x--) {
            if (y < h - 1 && d[y + 1][x] + 1 < d[y][x]) {
                d[y][x] = d[y + 1][x] + 1;
            }
            if (x < w - 1 && d[y][x + 1] + 1 < d[y][x]) {
                d[y][x] = d[y][x + 1] + 1;
            }
        }
    }
}

// One loop falls, the other rises, and tiles lean.
// run: mixed n=140 m=200
kernel void mixed(int n, int m, unsigned a[n][m])
{
    for (int i = n - 2; i >= 0; i--) {
        for (int j = 1; j < m - 1; j++) {
            a[i][j] = a[i + 1][j + 1] * 3 + a[i + 1][j] * 5 + a[i][j - 1] * 7 + 1;
        }
    }
}

// run: mixed_back n=140 m=200
kernel void mixed_back(int n, int m, unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = m - 2; j > 0; --j) {
            a[i][j] = a[i - 1][j - 1] * 3 + a[i - 1][j] * 5 + a[i][j + 1] * 7 + 1;
        }
    }
}

// Two columns ahead: tiles lean by two.
// run: far_ahead n=140 m=200
kernel void far_ahead(int n, int m, unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m - 2; j++) {
            a[i][j] = a[i - 1][j + 2] * 3 + a[i][j - 1] * 7 + 1;
        }
    }
}

// Three: they do not lean so far.
// run: too_far n=140 m=200
kernel void too_far(int n, int m, unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m - 3; j++) {
            a[i][j] = a[i - 1][j + 3] * 3 + a[i][j - 1] * 7 + 1;
        }
    }
}

// An error goes to neighbours that are still to come.
// run: dither h=130 w=150
kernel void dither(int h, int w, int img[h][w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int old = img[y][x];
            int q = old > 50 ? 100 : 0;
            int e = old - q;
            img[y][x] = q;
            if (x + 1 < w) {
                img[y][x + 1] += e * 7 / 16;
            }
            if (y + 1 < h) {
                if (x > 0) {
                    img[y + 1][x - 1] += e * 3 / 16;
                }
                img[y + 1][x] += e * 5 / 16;
                if (x + 1 < w) {
                    img[y + 1][x + 1] += e / 16;
                }
            }
        }
    }
}

// run: flat n=140 m=200 h=28341
kernel void flat(unsigned n, unsigned m, unsigned *h)
{
    for (unsigned i = 1; i <= n; i++) {
        for (unsigned j = 1; j <= m; j++) {
            h[i * (m + 1) + j] += h[(i - 1) * (m + 1) + j] + h[i * (m + 1) + j - 1] * 3;
        }
    }
}

// run: longs n=140 m=200
// run: longs n=-5 m=200
kernel void longs(long n, long m, const unsigned b[200], unsigned a[200][200])
{
    for (long i = 1; i < n; i++) {
        for (long j = 1; j < m; j++) {
            a[i][j] = a[i - 1][j] * b[j] + a[i][j - 1] + (unsigned)(i * j);
        }
    }
}

// Work at each point, and a loop inside.
// run: heavy n=100 m=90
kernel void heavy(int n, int m, const unsigned b[m], unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            unsigned s = 0;
            for (int k = 0; k < j; k++) {
                s = s * 3 + b[k];
            }
            a[i][j] = a[i - 1][j] + a[i][j - 1] + s;
        }
    }
}

// Three loops that all carry something.
// run: cube n=20 m=70 l=80
kernel void cube(int n, int m, int l, unsigned a[n][m][l])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            for (int k = 1; k < l; k++) {
                a[i][j][k] = a[i - 1][j][k] * 3 + a[i][j - 1][k] * 5 + a[i][j][k - 1] * 7 + a[i - 1][j - 1][k - 1];
            }
        }
    }
}

// A sum beside it: in parts, as reductions are.
// run: residual n=140 ~ 1e-12
kernel double residual(int n, double u[n][n], const double f[n][n])
{
    double sum = 0;
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            double old = u[i][j];
            u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
            sum += (u[i][j] - old) * (u[i][j] - old);
        }
    }
    return sum;
}

// Arguments that overlap: the order of the source.
static void add_up(int n, int m, const unsigned b[n][m], unsigned a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][j] += a[i - 1][j] + a[i][j - 1] + b[n - i][m - j];
        }
    }
}

// run: overlap n=140 m=200
kernel void overlap(int n, int m, unsigned a[n][m])
{
    add_up(n, m, a, a);
}
