// Graphs, physics and statistics as they are brought from elsewhere.
#include <rill/kernel.h>

// run: bellman_ford e=200
kernel void bellman_ford(int e, const int src[e], const int dst[e], const int w[e], int dist[128])
{
    for (int r = 0; r < 5; r++) {
        for (int i = 0; i < e; i++) {
            if (dist[src[i]] + w[i] < dist[dst[i]]) {
                dist[dst[i]] = dist[src[i]] + w[i];
            }
        }
    }
}

#define D(i, j) d[(i) * n + (j)]
// run: floyd n=24 d=576
kernel void floyd(int n, int *d)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            for (j = 0; j < n; j++) {
                if (D(i, k) + D(k, j) < D(i, j)) {
                    D(i, j) = D(i, k) + D(k, j);
                }
            }
        }
    }
}

// run: warshall n=24
kernel void warshall(int n, unsigned char r[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            if (r[i][k]) {
                for (int j = 0; j < n; j++) {
                    r[i][j] = r[i][j] || r[k][j];
                }
            }
        }
    }
}

// Pagerank over a dense link matrix with swap.
// run: pagerank n=30 iters=3 rank=30 next=30 damp=0.85 ~ 1e-6
kernel void pagerank(int n, int iters, const float link[n][n], float *rank, float *next, float damp)
{
    for (int it = 0; it < iters; it++) {
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int j = 0; j < n; j++) {
                s += link[j][i] * rank[j];
            }
            next[i] = (1 - damp) / n + damp * s;
        }
        float *t = rank;
        rank = next;
        next = t;
    }
}

// Triangles in an adjacency matrix.
// run: triangles n=30
kernel int triangles(int n, const unsigned char adj[n][n])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (adj[i][j] & 1) {
                for (int k = j + 1; k < n; k++) {
                    if ((adj[i][k] & 1) && (adj[j][k] & 1)) {
                        count++;
                    }
                }
            }
        }
    }
    return count;
}

// N-body with symmetric forces (Newton's third law).
// run: nbody n=40 ~ 1e-5
kernel void nbody(int n, const float x[n], const float y[n], float fx[n], float fy[n])
{
    int i, j;
    for (i = 0; i < n; i++) {
        fx[i] = fy[i] = 0;
    }
    for (i = 0; i < n; i++) {
        for (j = i + 1; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i];
            float r2 = dx * dx + dy * dy + 0.01f;
            float f = 1.0f / r2;
            fx[i] += f * dx;
            fy[i] += f * dy;
            fx[j] -= f * dx;
            fy[j] -= f * dy;
        }
    }
}

// Lennard-Jones with structs.
struct vec {
    float x, y, z;
};
// struct vec: fff x y z
// run: lj n=30 ~ 1e-5
kernel float lj(int n, const struct vec pos[n], struct vec force[n])
{
    float energy = 0;
    for (int i = 0; i < n; i++) {
        struct vec f = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            if (i == j) {
                continue;
            }
            float dx = pos[i].x - pos[j].x, dy = pos[i].y - pos[j].y, dz = pos[i].z - pos[j].z;
            float r2 = dx * dx + dy * dy + dz * dz + 1;
            float s = 1 / (r2 * r2 * r2);
            energy += s * (s - 1);
            f.x += s * dx;
            f.y += s * dy;
            f.z += s * dz;
        }
        force[i] = f;
    }
    return energy;
}

// k-means, one kernel, centres updated with sums.
// run: kmeans n=100 k=5 d=3 ~ 1e-5
kernel void kmeans(int n, int k, int d, const float x[n][d], float c[k][d], int label[n], int count[k], float sum[k][d])
{
    int i, j, l;
    for (j = 0; j < k; j++) {
        count[j] = 0;
        for (l = 0; l < d; l++) {
            sum[j][l] = 0;
        }
    }
    for (i = 0; i < n; i++) {
        float best = 3e38f;
        for (j = 0; j < k; j++) {
            float dist = 0;
            for (l = 0; l < d; l++) {
                dist += (x[i][l] - c[j][l]) * (x[i][l] - c[j][l]);
            }
            if (dist < best) {
                best = dist;
                label[i] = j;
            }
        }
        count[label[i]]++;
        for (l = 0; l < d; l++) {
            sum[label[i]][l] += x[i][l];
        }
    }
    for (j = 0; j < k; j++) {
        for (l = 0; l < d; l++) {
            if (count[j] > 0) {
                c[j][l] = sum[j][l] / count[j];
            }
        }
    }
}

// Covariance, flat.
// run: covar n=20 m=12 data=240 cov=144 mean=12 ~ 1e-5
kernel void covar(int n, int m, double *data, double *cov, double *mean)
{
    int i, j, k;
    for (j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (i = 0; i < n; i++) {
            mean[j] += data[i * m + j];
        }
        mean[j] /= n;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            data[i * m + j] -= mean[j];
        }
    }
    for (i = 0; i < m; i++) {
        for (j = i; j < m; j++) {
            cov[i * m + j] = 0.0;
            for (k = 0; k < n; k++) {
                cov[i * m + j] += data[k * m + i] * data[k * m + j];
            }
            cov[i * m + j] /= n - 1;
            cov[j * m + i] = cov[i * m + j];
        }
    }
}

// Autocorrelation by lags.
// run: autocorr n=100 lags=20
kernel void autocorr(int n, int lags, const int x[n], int r[lags])
{
    for (int l = 0; l < lags; l++) {
        r[l] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < lags && l <= i; l++) {
            r[l] += x[i] * x[i - l];
        }
    }
}

// Two-dimensional histogram of images.
// run: joint n=500 wild
kernel void joint(int n, const unsigned char a[n], const unsigned char b[n], unsigned h[16][16])
{
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++) {
            h[i][j] = 0;
        }
    }
    for (int i = 0; i < n; i++) {
        h[a[i] >> 4][b[i] >> 4]++;
    }
}

// Ising by checkerboard, in one loop with a guard.
// run: ising n=20 steps=3
kernel void ising(int n, int steps, int s[n][n], const int h[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 2; colour++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    if ((i + j) % 2 != colour) {
                        continue;
                    }
                    int up = i == 0 ? n - 1 : i - 1;
                    int down = i == n - 1 ? 0 : i + 1;
                    int left = j == 0 ? n - 1 : j - 1;
                    int right = j == n - 1 ? 0 : j + 1;
                    int sum = s[up][j] + s[down][j] + s[i][left] + s[i][right];
                    if (sum * h[i][j] < 0) {
                        s[i][j] = -s[i][j];
                    }
                }
            }
        }
    }
}

// Lattice Boltzmann streaming, D1Q3, pull scheme and swap.
// run: lbm n=60 steps=3 f=180 g=180 omega=0.7
kernel void lbm(int n, int steps, float *f, float *g, float omega)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            int l = (i + n - 1) % n, r = (i + 1) % n;
            float f0 = f[i], f1 = f[n + l], f2 = f[2 * n + r];
            float rho = f0 + f1 + f2, u = f1 - f2;
            g[i] = f0 + omega * (rho / 2 - f0);
            g[n + i] = f1 + omega * (rho / 4 + u / 2 - f1);
            g[2 * n + i] = f2 + omega * (rho / 4 - u / 2 - f2);
        }
        float *tmp = f;
        f = g;
        g = tmp;
    }
}

// Binomial option pricing.
// run: binomial n=50 u=1.02 p=0.51 ~ 1e-6
kernel double binomial(int n, double u, double p, double v[n + 1])
{
    for (int t = n - 1; t >= 0; t--) {
        for (int i = 0; i <= t; i++) {
            v[i] = p * v[i + 1] + (1 - p) * v[i];
        }
    }
    return v[0];
}

// Moving average by a window sum.
// run: moving n=100 w=7
kernel void moving(int n, int w, const int x[n], int y[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        if (i >= w) {
            sum -= x[i - w];
        }
        y[i] = sum;
    }
}

// Exponential smoothing of many series, time outside.
// run: smooth n=30 m=40 alpha=0.3
kernel void smooth(int n, int m, float alpha, float x[n][m])
{
    for (int t = 1; t < n; t++) {
        for (int s = 0; s < m; s++) {
            x[t][s] = alpha * x[t][s] + (1 - alpha) * x[t - 1][s];
        }
    }
}

// Single loop, to be distributed: a recurrence and a map.
// run: mixed n=200
kernel void mixed(int n, const int a[n], int b[n], int c[n], int d[n])
{
    for (int i = 1; i < n; i++) {
        b[i] = a[i] * 3 + a[i - 1];
        c[i] = (c[i - 1] ^ b[i]) * 5;
        d[i] = b[i - 1] + b[i] * 2;
    }
}
