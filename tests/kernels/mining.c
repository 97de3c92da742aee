// Statistics, particles, sparse matrices: nests with sums of several kinds, and stores through computed indices.
#include <math.h>
#include <rill/kernel.h>

// run: correlation n=13 m=7 ~ 1e-10
// run: correlation n=40 m=33 ~ 1e-10
kernel void correlation(int n, int m, double data[n][m], double corr[m][m], double mean[m], double deviation[m])
{
    int i, j, k;
    double eps = 0.1;
    for (j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= n;
    }
    for (j = 0; j < m; j++) {
        deviation[j] = 0.0;
        for (i = 0; i < n; i++) {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] /= n;
        deviation[j] = sqrt(deviation[j]);
        deviation[j] = deviation[j] <= eps ? 1.0 : deviation[j];
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt((double)n) * deviation[j];
        }
    }
    for (i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (k = 0; k < n; k++) {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
}

// run: covariance n=13 m=7 ~ 1e-10
// run: covariance n=50 m=30 ~ 1e-10
kernel void covariance(int n, int m, double data[n][m], double cov[m][m], double mean[m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
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

// Integers: the means are rounded down, and every bit counts.
// run: covariance_long n=13 m=7
// run: covariance_long n=60 m=33
kernel void covariance_long(int n, int m, long data[n][m], long cov[m][m], long mean[m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            cov[i][j] = 0;
            for (int k = 0; k < n; k++) {
                cov[i][j] += data[k][i] * data[k][j];
            }
            cov[j][i] = cov[i][j];
        }
    }
}

// One step: the nearest centre of each point, then the centre of its points.
// run: means n=40 k=3 d=2
// run: means n=500 k=7 d=5
// run: means n=0 k=4 d=2
kernel void means(int n, int k, int d, const int point[n][d], int centre[k][d], int count[k], long sum[k][d],
                  int label[n])
{
    for (int c = 0; c < k; c++) {
        count[c] = 0;
        for (int j = 0; j < d; j++) {
            sum[c][j] = 0;
        }
    }
    for (int i = 0; i < n; i++) {
        int nearest = 0;
        long least = 1L << 60;
        for (int c = 0; c < k; c++) {
            long distance = 0;
            for (int j = 0; j < d; j++) {
                distance += (long)(point[i][j] - centre[c][j]) * (point[i][j] - centre[c][j]);
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        label[i] = nearest;
        count[nearest]++;
        for (int j = 0; j < d; j++) {
            sum[nearest][j] += point[i][j];
        }
    }
    for (int c = 0; c < k; c++) {
        for (int j = 0; j < d; j++) {
            if (count[c] > 0) {
                centre[c][j] = (int)(sum[c][j] / count[c]);
            }
        }
    }
}

// run: bodies n=13 dt=0.01 ~ 1e-9
// run: bodies n=90 dt=0.01 ~ 1e-9
kernel void bodies(int n, double dt, double x[n][3], double v[n][3], const double mass[n])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        double f[3] = {0, 0, 0};
        for (j = 0; j < n; j++) {
            double d[3], r2 = 1e-3;
            for (k = 0; k < 3; k++) {
                d[k] = x[j][k] - x[i][k];
                r2 += d[k] * d[k];
            }
            double w = mass[j] / (r2 * sqrt(r2));
            for (k = 0; k < 3; k++) {
                f[k] += w * d[k];
            }
        }
        for (k = 0; k < 3; k++) {
            v[i][k] += dt * f[k];
        }
    }
    for (i = 0; i < n; i++) {
        for (k = 0; k < 3; k++) {
            x[i][k] += dt * v[i][k];
        }
    }
}

// Each pair once: both bodies get the force.
// run: pairs n=13
// run: pairs n=90
kernel void pairs(int n, const int x[n], int force[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int f = (x[j] - x[i]) * 3;
            force[i] += f;
            force[j] -= f;
        }
    }
}

// run: sparse n=13 e=60
// run: sparse n=400 e=3000
kernel void sparse(int n, int e, int start[n + 1], int column[e], const int value[e], const int x[n], int y[n])
{
    for (int i = 0; i <= n; i++) {
        start[i] = (int)((long)i * e / n);
    }
    for (int k = 0; k < e; k++) {
        column[k] = k * 31 % n;
    }
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) {
            s += value[k] * x[column[k]];
        }
        y[i] = s;
    }
}

// With the transposed matrix: each row scatters.
// run: sparse_transposed n=13 e=60
// run: sparse_transposed n=300 e=3000
kernel void sparse_transposed(int n, int e, int start[n + 1], int column[e], const int value[e], const int x[n],
                              int y[n])
{
    for (int i = 0; i <= n; i++) {
        start[i] = (int)((long)i * e / n);
    }
    for (int k = 0; k < e; k++) {
        column[k] = k * 31 % n;
    }
    for (int i = 0; i < n; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            y[column[k]] += value[k] * x[i];
        }
    }
}

// run: histogram n=13 m=21 bins=16
// run: histogram n=90 m=70 bins=37
kernel void histogram(int n, int m, int bins, const int image[n][m], int count[bins], double share[bins])
{
    for (int b = 0; b < bins; b++) {
        count[b] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            count[image[i][j] % bins]++;
        }
    }
    for (int b = 0; b < bins; b++) {
        share[b] = (double)count[b] / (n * m);
    }
}

// Material points: each gives mass and momentum to the 3 x 3 nodes around it.
// run: material_points p=50 g=9 ~ 1e-11
// run: material_points p=900 g=20 ~ 1e-11
// run: material_points p=0 g=5 ~ 1e-11
kernel void material_points(int p, int g, const double x[p][2], const double v[p][2], double mass[g][g],
                            double push[g][g][2])
{
    for (int i = 0; i < g; i++) {
        for (int j = 0; j < g; j++) {
            mass[i][j] = 0;
            push[i][j][0] = push[i][j][1] = 0;
        }
    }
    for (int s = 0; s < p; s++) {
        double px = x[s][0] * (g - 3) / 32, py = x[s][1] * (g - 3) / 32;
        int bx = (int)px, by = (int)py;
        double fx = px - bx, fy = py - by;
        double wx[3] = {0.5 * (1 - fx) * (1 - fx), 0.75 - (fx - 0.5) * (fx - 0.5), 0.5 * fx * fx};
        double wy[3] = {0.5 * (1 - fy) * (1 - fy), 0.75 - (fy - 0.5) * (fy - 0.5), 0.5 * fy * fy};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double w = wx[i] * wy[j];
                mass[bx + i][by + j] += w;
                push[bx + i][by + j][0] += w * v[s][0];
                push[bx + i][by + j][1] += w * v[s][1];
            }
        }
    }
}

// The same in fixed point: exact in any order.
// run: fixed_points p=50 g=9
// run: fixed_points p=900 g=20
kernel void fixed_points(int p, int g, const int x[p][2], const int v[p][2], long mass[g][g], long push[g][g][2])
{
    for (int s = 0; s < p; s++) {
        int px = x[s][0] * (g - 3) * 10 / 100, py = x[s][1] * (g - 3) * 10 / 100;
        int bx = px / 10, by = py / 10, fx = px % 10, fy = py % 10;
        int wx[3] = {(10 - fx) * (10 - fx), 150 - (2 * fx - 10) * (2 * fx - 10) / 2, fx * fx};
        int wy[3] = {(10 - fy) * (10 - fy), 150 - (2 * fy - 10) * (2 * fy - 10) / 2, fy * fy};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                int w = wx[i] * wy[j];
                mass[bx + i][by + j] += w;
                push[bx + i][by + j][0] += (long)w * v[s][0];
                push[bx + i][by + j][1] += (long)w * v[s][1];
            }
        }
    }
}

// Particles in cells: charge to the four corners, and then the field back from them.
// run: cells p=50 g=9 ~ 1e-11
// run: cells p=900 g=30 ~ 1e-11
kernel void cells(int p, int g, double x[p], double y[p], const double q[p], double charge[g][g])
{
    for (int i = 0; i < g; i++) {
        for (int j = 0; j < g; j++) {
            charge[i][j] = 0;
        }
    }
    for (int s = 0; s < p; s++) {
        double px = x[s] / 32 * (g - 1), py = y[s] / 32 * (g - 1);
        int i = (int)px, j = (int)py;
        double dx = px - i, dy = py - j;
        charge[i][j] += q[s] * (1 - dx) * (1 - dy);
        charge[i + 1][j] += q[s] * dx * (1 - dy);
        charge[i][j + 1] += q[s] * (1 - dx) * dy;
        charge[i + 1][j + 1] += q[s] * dx * dy;
    }
    for (int s = 0; s < p; s++) {
        double px = x[s] / 32 * (g - 1), py = y[s] / 32 * (g - 1);
        int i = (int)px, j = (int)py;
        x[s] += 1e-3 * (charge[i + 1][j] - charge[i][j]);
        y[s] += 1e-3 * (charge[i][j + 1] - charge[i][j]);
    }
}

// Distances of all pairs, and of each point the nearest other.
// run: nearest n=13 d=3
// run: nearest n=80 d=4
kernel void nearest(int n, int d, const int x[n][d], int distance[n][n], int other[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            distance[i][j] = 0;
            for (int k = 0; k < d; k++) {
                distance[i][j] += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        int least = 1 << 30;
        other[i] = -1;
        for (int j = 0; j < n; j++) {
            if (j != i && distance[i][j] < least) {
                least = distance[i][j];
                other[i] = j;
            }
        }
    }
}

// A layer of neurons and its gradient.
// run: layer n=9 wide=7 out=5
// run: layer n=40 wide=30 out=20
kernel void layer(int n, int wide, int out, const int x[n][wide], const int w[out][wide], const int b[out],
                  int y[n][out], int dw[out][wide], int db[out], int dx[n][wide])
{
    for (int s = 0; s < n; s++) {
        for (int o = 0; o < out; o++) {
            int sum = b[o];
            for (int i = 0; i < wide; i++) {
                sum += w[o][i] * x[s][i];
            }
            y[s][o] = sum > 5000 ? sum - 5000 : 0;
        }
    }
    for (int o = 0; o < out; o++) {
        db[o] = 0;
        for (int i = 0; i < wide; i++) {
            dw[o][i] = 0;
        }
    }
    for (int s = 0; s < n; s++) {
        for (int i = 0; i < wide; i++) {
            dx[s][i] = 0;
        }
        for (int o = 0; o < out; o++) {
            db[o] += y[s][o];
            for (int i = 0; i < wide; i++) {
                dw[o][i] += y[s][o] * x[s][i];
                dx[s][i] += y[s][o] * w[o][i];
            }
        }
    }
}
