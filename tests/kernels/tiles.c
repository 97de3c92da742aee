// Nests whose iterations share what they read: on a GPU a thread takes a tile of them. Rows and columns that do not
// fill the last tile, loops below a tile, inner loops without iterations, conditions that part of a tile meets.
#include <rill/kernel.h>

// run: product n=20 m=300 l=7 ~ 1e-5
// run: product n=8 m=256 l=1
// run: product n=8 m=256 l=0
// run: product n=9 m=257 l=33 wild ~ 1e-5
// run: product n=1 m=600 l=3 ~ 1e-5
// run: product n=17 m=31 l=5 ~ 1e-5
// run: product n=0 m=300 l=5
// run: product n=64 m=511 l=12 ~ 1e-5
// run: product n=30 m=150 l=6 ~ 1e-5
// run: product n=5 m=128 l=6 ~ 1e-5
kernel void product(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: scaled n=20 m=300 l=7 alpha=1.5 beta=1.25
// run: scaled n=8 m=128 l=3 alpha=1.5 beta=1.25
// run: scaled n=13 m=129 l=0 alpha=1.5 beta=1.25
// run: scaled n=7 m=65 l=5 alpha=1.5 beta=1.25
// run: scaled n=11 m=333 l=5 alpha=1.5 beta=0.5 wild
kernel void scaled(int n, int m, int l, double alpha, double beta, const double a[n][l], const double b[l][m],
                   double c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] *= beta;
        }
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}

// run: flat n=20 m=300 l=7 a=140 b=2100 c=6000
// run: flat n=21 m=140 l=7 a=147 b=980 c=2940
// run: flat n=33 m=290 l=2 a=66 b=580 c=9570 wild
kernel void flat(int n, int m, int l, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                c[i * m + j] += a[i * l + k] * b[k * m + j];
            }
        }
    }
}

// Both operands transposed, and numbers that wrap.
// run: transposed n=20 m=300 l=7 wild
// run: transposed n=10 m=259 l=40 wild
kernel void transposed(int n, int m, int l, const int a[l][n], const int b[m][l], int c[n][m])
{
    for (int k = 0; k < l; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i][j] -= a[k][i] * b[j][k];
            }
        }
    }
}

// Half of the tiles are cut by the diagonal; a[j][k] of rows behind it is not there.
// run: triangle n=300 m=5 alpha=1.5
// run: triangle n=100 m=3 alpha=1.5
// run: triangle n=261 m=1 alpha=1.5
// run: triangle n=257 m=0 alpha=1.5
kernel void triangle(int n, int m, double alpha, const double a[n][m], double c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            for (int j = 0; j <= i; j++) {
                c[i][j] += alpha * a[i][k] * a[j][k];
            }
        }
    }
}

// What iterations outside of the triangle would read lies outside of the arrays.
// run: corner n=300 l=4
// run: corner n=99 l=3
// run: corner n=277 l=9
kernel void corner(int n, int l, const float a[l][n], const float b[n][l], float c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i + j < n) {
                float s = a[0][i + j];
                for (int k = 0; k < l; k++) {
                    s -= a[k][i] * b[j][k];
                }
                c[i][j] = s;
            }
        }
    }
}

// run: both_ways n=19 m=301 l=6 limit=2
// run: both_ways n=9 m=77 l=4 limit=4
// run: both_ways n=16 m=256 l=1 limit=9
kernel void both_ways(int n, int m, int l, int limit, const float a[n][l], const float b[l][m], const int mask[n][m],
                      float c[n][m], float d[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 1;
            if (mask[i][j] > limit) {
                for (int k = 0; k < l; k++) {
                    s -= a[i][k] * b[k][j];
                }
                c[i][j] = s;
            } else {
                for (int k = 0; k < l; k++) {
                    s *= a[i][k] - b[k][j];
                }
            }
            d[i][j] = s;
        }
    }
}

// Two sums, one of each kind, and a choice in the loop.
// run: sums n=21 m=280 l=9
// run: sums n=21 m=280 l=9 wild ~ 1e-5
kernel void sums(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m], int where[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float best = -1;
            int at = -1;
            for (int k = 0; k < l; k++) {
                float x = a[i][k] - b[k][j];
                if (x > best) {
                    best = x;
                    at = k;
                }
            }
            c[i][j] = best;
            where[i][j] = at;
        }
    }
}

// run: pairs n=12 m=300 l=3 ~ 1e-5
kernel void pairs(int n, int m, int l, const float x[n][l], const float y[m][l], float d[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                float t = x[i][k] - y[j][k];
                s += t * t;
            }
            d[i][j] = s;
        }
    }
}

struct point {
    float x, y, z;
};

// struct point: fff x y z
// run: struct_sums n=12 m=300 l=6 ~ 1e-5
kernel void struct_sums(int n, int m, int l, const struct point a[n][l], const float b[l][m], struct point c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            struct point p = {0, 0, 0};
            for (int k = 0; k < l; k++) {
                p.x += a[i][k].x * b[k][j];
                p.y += a[i][k].y * b[k][j];
                p.z += a[i][k].z * b[k][j];
            }
            c[i][j] = p;
        }
    }
}

// run: filter n=20 m=300 r=2 ~ 1e-5
// run: filter n=14 m=270 r=0 ~ 1e-5
kernel void filter(int n, int m, int r, const float in[n + 2 * r][m + 2 * r], const float w[2 * r + 1][2 * r + 1],
                   float out[n][m])
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < m; x++) {
            float s = 0;
            for (int ky = 0; ky <= 2 * r; ky++) {
                for (int kx = 0; kx <= 2 * r; kx++) {
                    s += in[y + ky][x + kx] * w[ky][kx];
                }
            }
            out[y][x] = s;
        }
    }
}

// The inner loop's bound is the row's: only columns are tiled.
// run: ragged n=20 m=300 ~ 1e-5
// run: ragged n=9 m=256 ~ 1e-5
kernel void ragged(int n, int m, const float a[n][n], const float b[n][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = i + 1; k < n; k++) {
                c[i][j] -= a[k][i] * b[k][j];
            }
        }
    }
}

// What is updated may be what is read: the tile's version must not be taken, nor must a sum stay in a register.
// run: in_place n=20 m=300
kernel void in_place(int n, int m, float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < 4; k++) {
                c[i][j] += c[i][j] * (float)k;
            }
        }
    }
}

// run: two_arrays n=20 m=300 l=5
kernel void two_arrays(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m], double d[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                c[i][j] += a[i][k] * b[k][j];
                d[i][j] -= a[i][k] + b[k][j];
            }
        }
    }
}

// Rows, then columns, that begin elsewhere and go in steps.
// run: steps n=50 m=900 l=5 first=3
kernel void steps(int n, int m, int l, int first, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = n - 1; i >= first; i -= 2) {
        for (int j = first; j < m; j += 3) {
            float s = 0.5f;
            for (int k = l - 1; k >= 0; k--) {
                s -= a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// Many small products: rows are tiled within one of them.
// run: batch q=3 n=9 m=130 l=4 ~ 1e-5
// run: batch q=5 n=3 m=257 l=4 ~ 1e-5
// run: batch q=2 n=16 m=256 l=0
kernel void batch(int q, int n, int m, int l, const float a[q][n][l], const float b[l][m], float c[q][n][m])
{
    for (int g = 0; g < q; g++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                float s = 0;
                for (int k = 0; k < l; k++) {
                    s += a[g][i][k] * b[k][j];
                }
                c[g][i][j] = s;
            }
        }
    }
}

// Rows that end alike begin one later each; the result goes to both sides of the diagonal.
// run: upper n=5 m=300
// run: upper n=3 m=133
// run: upper n=0 m=129
kernel void upper(int n, int m, const double data[n][m], double c[m][m])
{
    for (int i = 0; i < m - 1; i++) {
        for (int j = i + 1; j < m; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                c[i][j] -= data[k][i] * data[k][j];
            }
            c[j][i] = c[i][j];
        }
    }
}

// run: upper_inclusive n=4 m=200
kernel void upper_inclusive(int n, int m, const float data[n][m], float c[m][m])
{
    for (int i = 0; i < m; i++) {
        for (int j = i; j <= m - 1; j++) {
            float s = 1;
            for (int k = 0; k < n; k++) {
                s -= data[k][i] * data[k][j];
            }
            c[i][j] = s;
        }
    }
}
