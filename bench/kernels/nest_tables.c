// Dynamic programmes, sparse matrices and particles for bench/nests, in the loop order of textbooks; `omp:` as in
// nest_products.c.
#include <math.h>
#include <rill/kernel.h>

// run: floyd_warshall n=13
kernel void floyd_warshall(int n, double path[n][n])
{
    for (int k = 0; k < n; k++) {
        // omp: parallel for
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
            }
        }
    }
}

// run: matrix_chain n=13
kernel void matrix_chain(int n, const double p[n + 1], double cost[n][n])
{
    for (int i = 0; i < n; i++) {
        cost[i][i] = 0;
    }
    for (int length = 2; length <= n; length++) {
        // omp: parallel for
        for (int i = 0; i <= n - length; i++) {
            int j = i + length - 1;
            cost[i][j] = 1e300;
            for (int k = i; k < j; k++) {
                double q = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
                if (q < cost[i][j]) {
                    cost[i][j] = q;
                }
            }
        }
    }
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

// The most pairs in each interval of a chain of bases.
// run: folding n=13
kernel void folding(int n, const int base[n], int table[n][n])
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            if (j - 1 >= 0) {
                table[i][j] = max_of(table[i][j], table[i][j - 1]);
            }
            if (i + 1 < n) {
                table[i][j] = max_of(table[i][j], table[i + 1][j]);
            }
            if (j - 1 >= 0 && i + 1 < n) {
                if (i < j - 1) {
                    table[i][j] = max_of(table[i][j], table[i + 1][j - 1] + (base[i] + base[j] == 3));
                } else {
                    table[i][j] = max_of(table[i][j], table[i + 1][j - 1]);
                }
            }
            for (int k = i + 1; k < j; k++) {
                table[i][j] = max_of(table[i][j], table[i][k] + table[k + 1][j]);
            }
        }
    }
}

// run: common_subsequence n=7 m=13
kernel void common_subsequence(int n, int m, const int x[n], const int y[m], int c[n + 1][m + 1])
{
    for (int i = 0; i <= n; i++) {
        c[i][0] = 0;
    }
    for (int j = 0; j <= m; j++) {
        c[0][j] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            if (x[i - 1] == y[j - 1]) {
                c[i][j] = c[i - 1][j - 1] + 1;
            } else {
                c[i][j] = c[i - 1][j] >= c[i][j - 1] ? c[i - 1][j] : c[i][j - 1];
            }
        }
    }
}

// run: edit_distance n=7 m=13
kernel void edit_distance(int n, int m, const int x[n], const int y[m], int d[n + 1][m + 1])
{
    int i, j, a, b, c;
    for (i = 0; i <= n; i++) {
        d[i][0] = i;
    }
    for (j = 1; j <= m; j++) {
        d[0][j] = j;
    }
    for (i = 1; i <= n; i++) {
        for (j = 1; j <= m; j++) {
            a = d[i - 1][j] + 1;
            b = d[i][j - 1] + 1;
            c = d[i - 1][j - 1] + (x[i - 1] != y[j - 1]);
            d[i][j] = a < b ? (a < c ? a : c) : (b < c ? b : c);
        }
    }
}

// run: smith_waterman n=7 m=13
kernel void smith_waterman(int n, int m, const int x[n], const int y[m], int h[n + 1][m + 1], int most[1])
{
    most[0] = 0;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            h[i][j] = 0;
        }
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int s = h[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 3 : -3);
            s = max_of(s, h[i - 1][j] - 2);
            s = max_of(s, h[i][j - 1] - 2);
            h[i][j] = max_of(s, 0);
            most[0] = max_of(most[0], h[i][j]);
        }
    }
}

// run: knapsack n=9 w=300
kernel void knapsack(int n, int w, const int weight[n], const int value[n], int best[n + 1][w + 1])
{
    for (int c = 0; c <= w; c++) {
        best[0][c] = 0;
    }
    for (int i = 1; i <= n; i++) {
        // omp: parallel for
        for (int c = 0; c <= w; c++) {
            best[i][c] = best[i - 1][c];
            if (c >= weight[i - 1] && best[i - 1][c - weight[i - 1]] + value[i - 1] > best[i][c]) {
                best[i][c] = best[i - 1][c - weight[i - 1]] + value[i - 1];
            }
        }
    }
}

// run: viterbi steps=9 n=13
kernel void viterbi(int steps, int n, const double move[n][n], const double emit[steps][n], double score[steps][n],
                    int from[steps][n])
{
    for (int j = 0; j < n; j++) {
        score[0][j] = emit[0][j];
    }
    for (int t = 1; t < steps; t++) {
        // omp: parallel for
        for (int j = 0; j < n; j++) {
            double best = -1e300;
            int where = 0;
            for (int i = 0; i < n; i++) {
                if (score[t - 1][i] + move[i][j] > best) {
                    best = score[t - 1][i] + move[i][j];
                    where = i;
                }
            }
            score[t][j] = best + emit[t][j];
            from[t][j] = where;
        }
    }
}

// run: prefix_rows n=9 m=13
kernel void prefix_rows(int n, int m, double a[n][m])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][j] += a[i][j - 1];
        }
    }
}

// run: transpose n=13
kernel void transpose(int n, double a[n][n])
{
    // omp: parallel for schedule(dynamic, 16)
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
    }
}

// ---- sparse matrices and particles --------------------------------------------------------------------------------

// A test's numbers are below 100: columns of its matrix, and row starts that do not always rise.
// run: sparse n=100 e=200 ~ 1e-12
kernel void sparse(int n, int e, const int start[n + 1], const int column[e], const double value[e], const double x[n],
                   double y[n])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) {
            s += value[k] * x[column[k]];
        }
        y[i] = s;
    }
}

// run: histogram n=9 m=13 bins=100
kernel void histogram(int n, int m, int bins, const int image[n][m], int count[bins])
{
    for (int b = 0; b < bins; b++) {
        count[b] = 0;
    }
    // omp: parallel for reduction(+ : count[ : bins])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            count[image[i][j]]++;
        }
    }
}

// run: bodies n=13 dt=0.01 ~ 1e-10
kernel void bodies(int n, double dt, double x[n][3], double v[n][3], const double mass[n])
{
    // omp: parallel for
    for (int i = 0; i < n; i++) {
        double fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            double dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
            double r2 = dx * dx + dy * dy + dz * dz + 1e-3;
            double w = mass[j] / (r2 * sqrt(r2));
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        v[i][0] += dt * fx;
        v[i][1] += dt * fy;
        v[i][2] += dt * fz;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            x[i][k] += dt * v[i][k];
        }
    }
}

// Material points: each gives mass and momentum to the 3 x 3 nodes around it. Places are fractions of the grid.
// run: material_points p=50 g=9 ~ 1e-11
kernel void material_points(int p, int g, const double x[p][2], const double v[p][2], double mass[g][g],
                            double push[g][g][2])
{
    for (int i = 0; i < g; i++) {
        for (int j = 0; j < g; j++) {
            mass[i][j] = 0;
            push[i][j][0] = push[i][j][1] = 0;
        }
    }
    // omp: parallel for
    for (int s = 0; s < p; s++) {
        double px = (x[s][0] - floor(x[s][0])) * (g - 3), py = (x[s][1] - floor(x[s][1])) * (g - 3);
        int bx = (int)px, by = (int)py;
        double fx = px - bx, fy = py - by;
        double wx[3] = {0.5 * (1 - fx) * (1 - fx), 0.75 - (fx - 0.5) * (fx - 0.5), 0.5 * fx * fx};
        double wy[3] = {0.5 * (1 - fy) * (1 - fy), 0.75 - (fy - 0.5) * (fy - 0.5), 0.5 * fy * fy};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double w = wx[i] * wy[j];
                // omp: atomic
                mass[bx + i][by + j] += w;
                // omp: atomic
                push[bx + i][by + j][0] += w * v[s][0];
                // omp: atomic
                push[bx + i][by + j][1] += w * v[s][1];
            }
        }
    }
}

// Particles in cells: the charge of each goes to the four corners of its cell.
// run: cells p=50 g=9 ~ 1e-11
kernel void cells(int p, int g, const double x[p], const double y[p], const double q[p], double charge[g][g])
{
    for (int i = 0; i < g; i++) {
        for (int j = 0; j < g; j++) {
            charge[i][j] = 0;
        }
    }
    // omp: parallel for
    for (int s = 0; s < p; s++) {
        double px = (x[s] - floor(x[s])) * (g - 1), py = (y[s] - floor(y[s])) * (g - 1);
        int i = (int)px, j = (int)py;
        double dx = px - i, dy = py - j;
        // omp: atomic
        charge[i][j] += q[s] * (1 - dx) * (1 - dy);
        // omp: atomic
        charge[i + 1][j] += q[s] * dx * (1 - dy);
        // omp: atomic
        charge[i][j + 1] += q[s] * (1 - dx) * dy;
        // omp: atomic
        charge[i + 1][j + 1] += q[s] * dx * dy;
    }
}

// How far each point is from the nearest bright one, by rows and columns: once down and once up.
// run: distances n=150 m=133
kernel void distances(int n, int m, const int in[n][m], int d[n][m])
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < m; x++) {
            d[y][x] = in[y][x] > 240 ? 0 : n + m;
            if (y > 0 && d[y - 1][x] + 1 < d[y][x]) {
                d[y][x] = d[y - 1][x] + 1;
            }
            if (x > 0 && d[y][x - 1] + 1 < d[y][x]) {
                d[y][x] = d[y][x - 1] + 1;
            }
        }
    }
    for (int y = n - 1; y >= 0; y--) {
        for (int x = m - 1; x >= 0; x--) {
            if (y < n - 1 && d[y + 1][x] + 1 < d[y][x]) {
                d[y][x] = d[y + 1][x] + 1;
            }
            if (x < m - 1 && d[y][x + 1] + 1 < d[y][x]) {
                d[y][x] = d[y][x + 1] + 1;
            }
        }
    }
}

// Two tones: the error of each point goes to those around it that are still to come (Floyd and Steinberg).
// run: dithering n=150 m=133
kernel void dithering(int n, int m, int img[n][m])
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < m; x++) {
            int old = img[y][x], tone = old > 127 ? 255 : 0, error = old - tone;
            img[y][x] = tone;
            if (x + 1 < m) {
                img[y][x + 1] += error * 7 / 16;
            }
            if (y + 1 < n) {
                if (x > 0) {
                    img[y + 1][x - 1] += error * 3 / 16;
                }
                img[y + 1][x] += error * 5 / 16;
                if (x + 1 < m) {
                    img[y + 1][x + 1] += error / 16;
                }
            }
        }
    }
}
