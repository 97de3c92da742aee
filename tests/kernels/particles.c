// Loops over particles that add to the nodes around each: the loop over particles is parallel by its updates, the loops
// over nodes or components inside it without. Which becomes the task is settled by cost; either way the results are the
// same. Also loops in order around small parallel ones, which run whole.
#include <rill/kernel.h>

struct particle {
    float x, y, u, v, mass;
    int kind;
};

// run: to_grid n=3000 m=40 ~ 1e-5
// run: to_grid n=1 m=40
// run: to_grid n=0 m=40
// A fluid of material points: nine nodes each.
kernel void to_grid(int n, int m, const float x[n], const float y[n], float u[m][m], float v[m][m], float mass[m][m])
{
    for (int p = 0; p < n; p++) {
        float px = x[p] - (int)x[p] + (int)x[p] % (m - 3), py = y[p] - (int)y[p] + (int)y[p] % (m - 3);
        int bx = (int)px, by = (int)py;
        float fx = px - bx, fy = py - by;
        float w[3][2] = {{1 - fx, 1 - fy}, {0.5f, 0.25f}, {fx, fy}};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                float weight = w[i][0] * w[j][1];
                u[bx + i][by + j] += weight * fx;
                v[bx + i][by + j] += weight * fy;
                mass[bx + i][by + j] += weight;
            }
        }
    }
}

// run: count_near n=5000 m=30 k=3
// run: count_near n=3 m=3000 k=2500
// run: count_near n=100 m=20 k=0
// As many nodes as the launch says.
kernel void count_near(int n, int m, int k, const int at[n], const int q[n], int rho[m + 1])
{
    for (int p = 0; p < n; p++) {
        int base = at[p] % (m - k);
        for (int j = 0; j < k; j++) {
            rho[base + j] += q[p] * (j + 1);
        }
    }
}

// run: components n=2000 m=50 dim=3
// run: components n=4 m=50 dim=900
// Edges of a mesh pull at both their nodes: the loop over components is independent, but for an edge from a node to
// itself, whose two updates belong to one iteration.
kernel void components(int n, int m, int dim, const int a[n], const int b[n], const int pull[n], int force[m][dim])
{
    for (int e = 0; e < n; e++) {
        int from = a[e] % m, to = b[e] % m;
        for (int d = 0; d < dim; d++) {
            force[from][d] += pull[e] * (d + 1);
            force[to][d] -= pull[e] + d;
        }
    }
}

// run: transposed n=60 m=2000
// run: transposed n=2000 m=3
// run: transposed n=1 m=1
// A perfect nest, by its updates outside and without inside.
kernel void transposed(int n, int m, const int a[n][m], const int x[n], int y[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            y[j] += a[i][j] * x[i];
        }
    }
}

// run: between n=300 m=100 k=40
// run: between n=3 m=9000 k=40
// A histogram, a last value and the loop's variable stand beside the inner loops; in either way each is as in C.
kernel int between(int n, int m, int k, const int key[n], const int w[m], int hist[k], int sums[m], int top[m])
{
    int i, last = -1;
    for (i = 0; i < n; i++) {
        int scale = key[i] % 5;
        hist[key[i] % k]++;
        for (int j = 0; j < m; j++) {
            sums[j] += w[j] * scale;
        }
        if (key[i] & 1) {
            for (int j = 0; j < m; j++) {
                top[j] = top[j] > w[j] + i ? top[j] : w[j] + i;
            }
            last = key[i];
        }
    }
    return last * 3 + i;
}

// run: rows n=2000 m=70
// run: rows n=3 m=70
// How many is loaded for each.
kernel void rows(int n, int m, const int start[n + 1], const int x[n], int y[m + 64])
{
    for (int i = 0; i < n; i++) {
        int from = start[i] % m, to = from + start[i + 1] % 6;
        for (int k = from; k < to; k++) {
            y[k] += x[i] - k;
        }
    }
}

// struct particle: fffffi x y u v mass kind
// run: structs n=700 m=16 ~ 1e-5
kernel void structs(int n, int m, struct particle p[n], float grid[m][m][3], int kinds[4])
{
    for (int i = 0; i < n; i++) {
        struct particle q = p[i];
        int bx = (int)q.x % (m - 2), by = (int)q.y % (m - 2);
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
                for (int c = 0; c < 3; c++) {
                    grid[bx + a][by + b][c] += q.mass * (c == 0 ? 1 : c == 1 ? q.u : q.v);
                }
            }
        }
        kinds[q.kind & 3]++;
        p[i].mass = q.mass + 1;
    }
}

// ---- in order, around small parallel loops --------------------------------------------------------------------------

// run: forward n=120
// run: forward n=1
// A triangular solve: the trip count grows with the row.
kernel void forward(int n, const int a[n][n], const int b[n], int x[n])
{
    for (int i = 0; i < n; i++) {
        int s = b[i];
        for (int j = 0; j < i; j++) {
            s -= a[i][j] % 3 * x[j];
        }
        x[i] = s & 0xffff;
    }
}

// run: sweep n=600 m=500
// run: sweep n=2 m=500
// A sweep over a sparse matrix: the trip count is loaded for each row.
kernel void sweep(int n, int m, const int start[n + 1], const int a[m + 8], int x[m + 8])
{
    for (int i = 0; i < n; i++) {
        int from = start[i] % m, to = from + start[i + 1] % 7, s = i;
        for (int k = from; k < to; k++) {
            s -= a[k] * x[k];
        }
        x[i % m] = s % 1000;
    }
}

// run: eliminate n=40
// run: eliminate n=2
kernel void eliminate(int n, int a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] = (a[i][k] + 1) % (a[k][k] % 7 + 3);
            for (int j = k + 1; j < n; j++) {
                a[i][j] = (a[i][j] - a[i][k] * a[k][j]) & 1023;
            }
        }
    }
}

// run: levels n=300 depth=9
// run: levels n=300 depth=0
// A `while` with a loop in order in it, around loops whose trip counts are loaded; one of them leaves early.
kernel int levels(int n, int depth, const int size[n], int x[n])
{
    int round = 0, total = 0;
    while (round < depth && total < 100000) {
        for (int l = 1; l < n; l++) {
            int from = l / 2, to = from + size[l] % 5;
            int carry = x[l - 1];
            to = to > n ? n : to;
            for (int i = from; i < to; i++) {
                x[i] = (x[i] * 3 + carry) & 4095;
            }
            total += carry & 1;
        }
        round++;
    }
    return total * 100 + round;
}
