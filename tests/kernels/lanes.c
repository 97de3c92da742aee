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
