// Small algorithms as they stand in textbooks. generate_test.c says how a file of many kernels is read.

//== bfs
//@ buffer b0 i32 13 range 0 0
//@ buffer b1 i32 36 range 0 11
//@ buffer b2 i32 12 range 0 0
//@ buffer b3 i32 12 range 0 0
//@ buffer b4 i32 12 range 0 0
//@ int 12
//@ array b0 0 13
//@ array b1 0 36
//@ array b2 0 12
//@ array b3 0 12
//@ array b4 0 12
#include <rill/kernel.h>
kernel int run(int n, int row[n + 1], const int adj[3 * n], int dist[n], int cur[n], int nxt[n])
{
    for (int i = 0; i <= n; i++) {
        row[i] = 3 * i;
    }
    for (int i = 0; i < n; i++) {
        dist[i] = -1;
    }
    int c = 1, level = 0;
    cur[0] = 0;
    dist[0] = 0;
    while (c > 0) {
        int m = 0;
        for (int f = 0; f < c; f++) {
            for (int e = row[cur[f]]; e < row[cur[f] + 1]; e++) {
                if (dist[adj[e]] < 0) {
                    dist[adj[e]] = level + 1;
                    nxt[m++] = adj[e];
                }
            }
        }
        for (int i = 0; i < m; i++) {
            cur[i] = nxt[i];
        }
        c = m;
        level++;
    }
    return level;
}

//== union_find
//@ buffer b0 i32 20 range 0 15
//@ buffer b1 i32 20 range 0 15
//@ buffer b2 i32 16 range 0 0
//@ int 16
//@ array b0 0 20
//@ array b1 0 20
//@ array b2 0 16
#include <rill/kernel.h>
static int find(int *p, int x)
{
    while (p[x] != x) {
        p[x] = p[p[x]];
        x = p[x];
    }
    return x;
}
kernel int run(int n, const int a[20], const int b[20], int p[n])
{
    for (int i = 0; i < n; i++) {
        p[i] = i;
    }
    int sets = n;
#pragma rill single
    for (int e = 0; e < 20; e++) {
        int x = find(p, a[e]), y = find(p, b[e]);
        if (x != y) {
            p[x > y ? x : y] = x < y ? x : y;
            sets--;
        }
    }
#pragma rill single
    for (int i = 0; i < n; i++) {
        find(p, i);
    }
    return sets;
}

//== spmv
//@ buffer b0 i32 11 range 0 0
//@ buffer b1 i32 40 range 0 9
//@ buffer b2 f32 40 range -9 9
//@ buffer b3 f32 10 range -9 9
//@ buffer b4 f32 10 range 0 0
//@ int 10
//@ array b0 0 11
//@ array b1 0 40
//@ array b2 0 40
//@ array b3 0 10
//@ array b4 0 10
#include <rill/kernel.h>
kernel void run(int n, int row[n + 1], const int col[4 * n], const float v[4 * n], const float x[n], float y[n])
{
    for (int i = 0; i <= n; i++) {
        row[i] = i * i * 4 / n / 1 > 4 * n ? 4 * n : i * i * 4 / n;
    }
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = row[i]; k < row[i + 1]; k++) {
            s += v[k] * x[col[k]];
        }
        y[i] = s;
    }
    for (int i = 0; i < n; i++) {
        for (int k = row[i]; k < row[i + 1]; k++) {
            y[col[k]] += v[k];
        }
    }
}

//== marching
//@ buffer b0 f32 42 range -9 9
//@ buffer b1 i32 30 range 0 0
//@ int 6
//@ int 7
//@ array b0 0 42
//@ array b1 0 30
#include <rill/kernel.h>
static const int8_t edges[16][4] = {{-1},   {0, 3}, {0, 1},       {1, 3}, {1, 2}, {0, 1, 2, 3}, {0, 2}, {2, 3},
                                    {2, 3}, {0, 2}, {0, 3, 1, 2}, {1, 2}, {1, 3}, {0, 1},       {0, 3}, {-1}};
kernel int run(int h, int w, const float f[h][w], int seg[(h - 1) * (w - 1)])
{
    int total = 0;
    for (int y = 0; y < h - 1; y++) {
        for (int x = 0; x < w - 1; x++) {
            int c = (f[y][x] > 0) | (f[y][x + 1] > 0) << 1 | (f[y + 1][x + 1] > 0) << 2 | (f[y + 1][x] > 0) << 3;
            int s = 0;
            for (int k = 0; k < 4; k++) {
                s = s * 5 + edges[c][k];
            }
            seg[y * (w - 1) + x] = s;
            total += c != 0 && c != 15;
        }
    }
    return total;
}

//== ray_sphere
//@ buffer b0 f32 36 range -9 9
//@ buffer b1 bytes 80 range 0 40
//@ buffer b2 i32 12 range 0 0
//@ int 12
//@ int 4
//@ array b0 0 36
//@ array b1 0 80
//@ array b2 0 12
#include <rill/kernel.h>
typedef struct {
    float x, y, z;
} vec;
typedef struct {
    vec c;
    float r;
    int id;
} ball;
static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static bool hit(const ball *s, vec o, vec d, float *t)
{
    vec oc = sub(o, s->c);
    float b = dot(oc, d), c = dot(oc, oc) - s->r * s->r, disc = b * b - c * dot(d, d);
    if (disc < 0) {
        return false;
    }
    float q = -b - sqrtf(disc);
    if (q <= 0) {
        return false;
    }
    *t = q;
    return true;
}
kernel void run(int n, int m, const float o[n][3], ball s[m], int r[n])
{
    for (int k = 0; k < m; k++) {
        s[k].c = (vec){k, -k, 3 * k};
        s[k].r = 4;
        s[k].id = k + 1;
    }
    for (int i = 0; i < n; i++) {
        float best = INFINITY;
        int id = 0;
        for (int k = 0; k < m; k++) {
            float t;
            if (hit(&s[k], (vec){o[i][0], o[i][1], o[i][2]}, (vec){0, 1, 0}, &t) && t < best) {
                best = t;
                id = s[k].id;
            }
        }
        r[i] = id;
    }
}

//== sph_grid
//@ buffer b0 f32 30 range 0 15
//@ buffer b1 i32 16 range 0 0
//@ buffer b2 i32 17 range 0 0
//@ buffer b3 i32 30 range 0 0
//@ buffer b4 i32 30 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 16
//@ array b2 0 17
//@ array b3 0 30
//@ array b4 0 30
#include <rill/kernel.h>
kernel void run(int n, const float x[n], int cnt[16], int start[17], int order[n], int nb[n])
{
    for (int i = 0; i < n; i++) {
        cnt[(int)x[i] & 15]++;
    }
    for (int c = 0; c < 16; c++) {
        start[c + 1] = start[c] + cnt[c];
    }
    for (int c = 0; c < 16; c++) {
        cnt[c] = 0;
    }
#pragma rill serial
    for (int i = 0; i < n; i++) {
        int c = (int)x[i] & 15;
        order[start[c] + cnt[c]++] = i;
    }
    for (int i = 0; i < n; i++) {
        int c = (int)x[i] & 15, k = 0;
        for (int d = c > 0 ? c - 1 : 0; d <= (c < 15 ? c + 1 : 15); d++) {
            for (int e = start[d]; e < start[d + 1]; e++) {
                k += order[e] != i && fabsf(x[order[e]] - x[i]) <= 1;
            }
        }
        nb[i] = k;
    }
}

//== collide_pairs
//@ buffer b0 i32 12 range -20 20
//@ buffer b1 i32 12 range 0 0
//@ buffer b2 i32 132 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
//@ array b2 0 132
#include <rill/kernel.h>
kernel int run(int n, const int x[n], int deg[n], int pair[n * (n - 1)])
{
    int c = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int d = x[i] - x[j];
            if (d * d < 25) {
                deg[i]++;
                deg[j]++;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if ((x[i] > x[j] ? x[i] - x[j] : x[j] - x[i]) < 5) {
                pair[c++] = i;
                pair[c++] = j;
            }
        }
    }
    return c;
}

//== sieve
//@ buffer b0 u8 60 range 1 1
//@ int 60
//@ array b0 0 60
#include <rill/kernel.h>
kernel int run(int n, uint8_t p[n])
{
    p[0] = p[1] = 0;
    for (int i = 2; i * i < n; i++) {
        if (p[i]) {
            for (int j = i * i; j < n; j += i) {
                p[j] = 0;
            }
        }
    }
    int c = 0;
    for (int i = 0; i < n; i++) {
        c += p[i];
    }
    return c;
}

//== gcd_table
//@ buffer b0 i32 120 range 0 0
//@ int 10
//@ int 12
//@ array b0 0 120
#include <rill/kernel.h>
static int gcd(int a, int b)
{
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
kernel int run(int n, int m, int g[n][m])
{
    int c = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            g[i][j] = gcd(i, j);
            c += g[i][j] == 1;
        }
    }
    return c;
}

//== lcs
//@ buffer b0 u8 10 range 0 3
//@ buffer b1 u8 12 range 0 3
//@ buffer b2 i32 143 range 0 0
//@ int 10
//@ int 12
//@ array b0 0 10
//@ array b1 0 12
//@ array b2 0 143
#include <rill/kernel.h>
kernel int run(int n, int m, const uint8_t a[n], const uint8_t b[m], int d[n + 1][m + 1])
{
    for (int i = 0; i <= n; i++) {
        d[i][0] = 0;
    }
    for (int j = 0; j <= m; j++) {
        d[0][j] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            d[i][j] = a[i - 1] == b[j - 1]        ? d[i - 1][j - 1] + 1
                      : d[i - 1][j] > d[i][j - 1] ? d[i - 1][j]
                                                  : d[i][j - 1];
        }
    }
    return d[n][m];
}

//== wavefront
//@ buffer b0 i32 64 range 0 9
//@ int 8
//@ array b0 0 64
#include <rill/kernel.h>
// The anti-diagonals in order, the cells of one in parallel.
kernel void run(int n, int a[n][n])
{
    for (int d = 2; d < 2 * n - 1; d++) {
        for (int i = 1; i < n; i++) {
            int j = d - i;
            if (j >= 1 && j < n) {
                a[i][j] += a[i - 1][j] + a[i][j - 1];
            }
        }
    }
}

//== knapsack
//@ buffer b0 i32 6 range 1 12
//@ buffer b1 i32 6 range 1 40
//@ buffer b2 i32 31 range 0 0
//@ int 6
//@ int 30
//@ array b0 0 6
//@ array b1 0 6
//@ array b2 0 31
#include <rill/kernel.h>
kernel int run(int n, int cap, const int w[n], const int v[n], int best[cap + 1])
{
    for (int i = 0; i < n; i++) {
        for (int c = cap; c >= w[i]; c--) {
            int t = best[c - w[i]] + v[i];
            if (t > best[c]) {
                best[c] = t;
            }
        }
    }
    return best[cap];
}

//== scan_blelloch
//@ buffer b0 i32 32 range 0 9
//@ int 32
//@ array b0 0 32
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int d = 1; d < n; d *= 2) {
        for (int k = 0; k < n; k += 2 * d) {
            a[k + 2 * d - 1] += a[k + d - 1];
        }
    }
    a[n - 1] = 0;
    for (int d = n / 2; d > 0; d /= 2) {
        for (int k = 0; k < n; k += 2 * d) {
            int t = a[k + d - 1];
            a[k + d - 1] = a[k + 2 * d - 1];
            a[k + 2 * d - 1] += t;
        }
    }
}

//== tree_reduce
//@ buffer b0 i32 32 range 0 9
//@ int 32
//@ array b0 0 32
#include <rill/kernel.h>
kernel int run(int n, int a[n])
{
    for (int s = n / 2; s > 0; s >>= 1) {
        for (int i = 0; i < s; i++) {
            a[i] += a[i + s];
        }
    }
    return a[0];
}

//== gauss_seidel_rb
//@ buffer b0 f64 100 range -64 64
//@ int 8
//@ array b0 0 100
#include <rill/kernel.h>
kernel void run(int n, double u[n + 2][n + 2])
{
    for (int c = 0; c < 2; c++) {
        for (int i = 1; i <= n; i++) {
            for (int j = 1 + (i + c) % 2; j <= n; j += 2) {
                u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
    }
}

//== mandel
//@ buffer b0 i32 48 range 0 0
//@ int 6
//@ int 8
//@ array b0 0 48
#include <rill/kernel.h>
kernel void run(int h, int w, int it[h][w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            double cr = x * 0.375 - 2, ci = y * 0.5 - 1.25, zr = 0, zi = 0;
            int k;
            for (k = 0; k < 50 && zr * zr + zi * zi <= 4; k++) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
            it[y][x] = k;
        }
    }
}

//== josephus_list
//@ buffer b0 i32 12 range 0 0
//@ buffer b1 i32 12 range 0 0
//@ int 12
//@ int 3
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel int run(int n, int k, int next[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        next[i] = (i + 1) % n;
    }
    int p = n - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < k; j++) {
            p = next[p];
        }
        out[i] = next[p];
        next[p] = next[next[p]];
    }
    return p;
}

//== pointer_jump
//@ buffer b0 i32 16 range 0 15
//@ buffer b1 i32 16 range 0 0
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, int p[n], int q[n])
{
    for (int i = 0; i < n; i++) {
        p[i] = p[i] % (i + 1);
    }
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < n; i++) {
            q[i] = p[p[i]];
        }
        for (int i = 0; i < n; i++) {
            p[i] = q[i];
        }
    }
}

//== dct_like
//@ buffer b0 i16 256 range -100 100
//@ int 4
//@ array b0 0 256
#include <rill/kernel.h>
kernel void run(int n, int16_t b[n][8][8])
{
    static const int8_t c[8] = {4, 3, 2, 1, -1, -2, -3, -4};
    for (int k = 0; k < n; k++) {
        int t[8][8];
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                int s = 0;
                for (int l = 0; l < 8; l++) {
                    s += b[k][i][l] * c[(l + j) & 7];
                }
                t[j][i] = s >> 2;
            }
        }
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                b[k][i][j] = t[i][j];
            }
        }
    }
}

//== soundex_state
//@ buffer b0 u8 20 range 0 127
//@ buffer b1 i32 4 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, const uint8_t s[n], int r[4])
{
    enum { START, WORD, NUM, SPACE } st = START;
    int words = 0, nums = 0, val = 0;
    for (int i = 0; i < n; i++) {
        int c = s[i];
        switch (st) {
        case START:
        case SPACE:
            if (c >= 'a') {
                st = WORD;
                words++;
            } else if (c >= '0' && c <= '9') {
                st = NUM;
                nums++;
                val = c - '0';
            } else {
                st = SPACE;
            }
            break;
        case WORD:
            if (c < 'a') {
                st = SPACE;
            }
            break;
        case NUM:
            if (c >= '0' && c <= '9') {
                val = val * 10 + c - '0';
            } else {
                st = c >= 'a' ? WORD : SPACE;
            }
            break;
        }
    }
    r[0] = words;
    r[1] = nums;
    r[2] = val;
    r[3] = st;
}
