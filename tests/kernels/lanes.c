// Loops whose neighbouring iterations are lanes of vectors on a CPU: what all lanes share, and what the rest masks.
#include <rill/kernel.h>

// run: counts_beside n=45 rows=33 blocks=7
kernel void counts_beside(int n, int rows, int blocks, const float a[blocks * rows * n], float out[blocks * n],
                          long counted[blocks])
{
    for (int b = 0; b < blocks; b++) {
        int count = 0;
        double half = 0;
        unsigned bits = 0;
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int k = 0; k < rows; k++) {
                s = s * 0.5f + a[(b * rows + k) * n + i];
                count += k;
                half += 0.5;
                bits ^= k + 1;
            }
            out[b * n + i] = s;
        }
        counted[b] = count * 1000L + (long)half + bits;
    }
}

struct totals {
    int steps, sum;
};

// run: members_beside n=21 rows=5 blocks=6
// struct totals: ii
kernel void members_beside(int n, int rows, int blocks, const float a[blocks * rows * n], float out[blocks * n],
                           struct totals totals[blocks])
{
    for (int b = 0; b < blocks; b++) {
        struct totals t = {0, 0};
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int k = 0; k < rows; k++) {
                s = s * 0.5f + a[(b * rows + k) * n + i];
                t.steps++;
                t.sum += k;
            }
            out[b * n + i] = s;
        }
        totals[b] = t;
    }
}

// The largest of what no lane changes, and the last of it.
// run: last_beside n=19 rows=6 blocks=5
kernel void last_beside(int n, int rows, int blocks, const float a[blocks * rows * n], float out[blocks * n],
                        int last[blocks], float largest[blocks])
{
    for (int b = 0; b < blocks; b++) {
        int at = -1;
        float most = 2;
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int k = 0; k < rows; k++) {
                s = s * 0.5f + a[(b * rows + k) * n + i];
                at = k + b;
                if (most < k) {
                    most = k;
                }
            }
            out[b * n + i] = s;
        }
        last[b] = at;
        largest[b] = most;
    }
}

// run: mixed_types n=37 rows=9 wild
kernel void mixed_types(int n, int rows, const short a[rows * n], const int b[rows * n], const signed char c[rows * n],
                        const uint8_t d[rows * n], long out[n], int out_int[n])
{
    for (int i = 0; i < n; i++) {
        long s = 0;
        int u = 0;
        for (int k = 0; k < rows; k++) {
            s = s * 5 + a[k * n + i] - d[k * n + i];
            u = (u << 1) + (a[k * n + i] > c[k * n + i]) + b[k * n + i] - d[k * n + i];
        }
        out[i] = s;
        out_int[i] = u;
    }
}

// The same index for all lanes may divide by nothing; each lane's own may, too.
// run: divisions n=23 rows=11
kernel void divisions(int n, int rows, const int a[rows * n], const int by[rows], int out[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = 0; k < rows; k++) {
            int d = by[k] % 3, e = a[k * n + i] % 5;
            s = s * 3 + a[k * n + i];
            if (d != 0) {
                s += s / d + s % d;
            }
            if (e != 0) {
                s -= k / e;
            }
        }
        out[i] = s;
    }
}

// What a sum over a column comes to goes to both halves of a symmetric matrix: lanes store one of them down a column.
// run: both_halves n=45 rows=17
// run: both_halves n=3 rows=1
// run: both_halves n=70 rows=0
kernel void both_halves(int n, int rows, const double x[rows][n], double out[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            out[i][j] = 0;
            for (int k = 0; k < rows; k++) {
                out[i][j] += x[k][i] * x[k][j];
            }
            out[i][j] /= rows + 1;
            out[j][i] = out[i][j];
        }
    }
}

// run: both_halves_flat n=45 rows=17
// run: both_halves_flat n=70 rows=2
kernel void both_halves_flat(int n, int rows, const float x[rows * n], float out[n * n], int count[n * n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            float s = 0;
            int above = 0;
            for (int k = 0; k < rows; k++) {
                s = s * 0.5f + x[k * n + i] * x[k * n + j];
                above += x[k * n + j] > x[k * n + i];
            }
            out[i * n + j] = s;
            out[j * n + i] = s;
            count[j * n + i] = above;
        }
    }
}

// Columns of the result, and of what it begins with.
// run: transposed n=45 rows=17 m=19
kernel void transposed(int n, int rows, int m, const short x[rows][n], const short from[n][m], short out[n][m],
                       long wide[n][m])
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            short s = from[j][i];
            for (int k = 0; k < rows; k++) {
                s = s * 3 + x[k][j] * i;
            }
            out[j][i] = s;
            wide[j][m - 1 - i] = s * 100000L;
        }
    }
}

// run: transposed_once n=75 rows=17
kernel void transposed_once(int n, int rows, const float x[rows][n], float out[n][3])
{
    for (int j = 0; j < n; j++) {
        float s = 1;
        for (int k = 0; k < rows; k++) {
            s = s * 0.25f + x[k][j];
        }
        out[j][0] = s;
        out[j][2] = -s;
    }
}

// As many columns as the text says: vectors of so many.
// run: small_products n=37
kernel void small_products(int n, const double a[n][4][4], const double b[n][4][4], double out[n][4][4],
                           float out_float[n][5][3], const float c[n][5][2], const float d[n][2][3])
{
    for (int s = 0; s < n; s++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                out[s][i][j] = 0;
                for (int k = 0; k < 4; k++) {
                    out[s][i][j] += a[s][i][k] * b[s][k][j];
                }
            }
        }
    }
    for (int s = 0; s < n; s++) {
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 3; j++) {
                float t = 1;
                for (int k = 0; k < 2; k++) {
                    t = t * 0.5f + c[s][i][k] * d[s][k][j];
                }
                out_float[s][i][j] = t;
            }
        }
    }
}

// run: few_columns n=37 rows=6
kernel void few_columns(int n, int rows, const float one[rows][n], const int nine[rows][9], int out[n][9],
                        const short seventeen[rows][17], int sums[n][17], float last[n])
{
    for (int s = 0; s < n; s++) {
        for (int j = 8; j >= 0; j--) {
            int t = s;
            for (int k = 0; k < rows; k++) {
                t = t * 3 + nine[k][j];
            }
            out[s][j] = t;
        }
        for (int j = 0; j < 17; j++) {
            int t = -s;
            for (int k = 0; k < rows; k++) {
                t = t * 5 - seventeen[k][j];
            }
            sums[s][j] = t;
        }
        for (int j = 3; j < 4; j++) {
            float t = s;
            for (int k = 0; k < rows; k++) {
                t = t * 0.5f + one[k][j];
            }
            last[s] = t;
        }
    }
}
