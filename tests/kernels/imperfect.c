// Parallel loops around parallel loops with other statements between them. Where the outer loop has few iterations the
// launch runs it as control and the inner loops as tasks; either way the results are the same.
#include <rill/kernel.h>

int marks[64];

// run: channels c=3 n=1000
// run: channels c=1 n=1000
// run: channels c=40 n=9
// run: channels c=0 n=50
kernel void channels(int c, int n, const int x[n], int y[c][n], int z[c][n], int s[c])
{
    for (int k = 0; k < c; k++) {
        int t = x[k % n] * 3;
        int acc = 0;
        for (int i = 0; i < n; i++) {
            y[k][i] = x[i] * t;
        }
        for (int i = 1; i < n; i++) {
            z[k][i] = y[k][i - 1] + y[k][n - i];
            acc += z[k][i];
        }
        s[k] = acc;
    }
}

// The outer loop has last values, sums and a search of its own; its variable is used afterwards.
// run: kept c=4 n=500
// run: kept c=0 n=500
// run: kept c=60 n=30
kernel long long kept(int c, int n, const int x[n], int y[n + 64])
{
    int last = -1, best = 1 << 30, where = -1, k;
    long long sum = 0;
    for (k = 0; k < c; k++) {
        int here = 0;
        for (int i = 0; i < n; i++) {
            here += x[i] ^ k;
        }
        if (here % 1000 < best) {
            best = here % 1000;
            where = k;
        }
        sum += here;
        last = here & 255;
        y[n + (k & 63)] = here;
    }
    return sum + last + best * 3 + where * 5 + k * 7;
}

// run: triangle c=5 n=200
// run: triangle c=50 n=20
kernel void triangle(int c, int n, const int x[n], int y[c][n])
{
    for (int k = 0; k < c; k++) {
        int low = x[k % n] % 7;
        for (int i = low; i < n - k % 5; i++) {
            y[k][i] += x[i] * k;
        }
        if (k & 1) {
            for (int i = 0; i < n; i++) {
                y[k][i] -= low;
            }
        } else {
            y[k][0] = k;
        }
    }
}

// run: local_rows c=3 n=300
kernel void local_rows(int c, int n, const int x[n], int y[c][n])
{
    int row[16];
    for (int k = 0; k < c; k++) {
        int own[8];
        for (int j = 0; j < 16; j++) {
            row[j] = j * k;
        }
        for (int j = 0; j < 8; j++) {
            own[j] = row[15 - j] + k;
        }
        for (int i = 0; i < n; i++) {
            y[k][i] = x[i] + row[i & 15] + own[i & 7];
        }
    }
}

// run: in_steps steps=5 c=2 n=400
// run: in_steps steps=3 c=70 n=10
kernel int in_steps(int steps, int c, int n, const int x[n], int y[c][n])
{
    int sum = 0;
    for (int t = 0; t < steps; t++) {
        for (int k = 0; k < c; k++) {
            int f = t + k;
            for (int i = 0; i < n; i++) {
                y[k][i] = y[k][i] * 3 + f;
            }
            for (int i = 0; i < n; i++) {
                y[k][i] ^= x[i];
            }
        }
        sum = sum * 5 + y[0][t];
    }
    return sum;
}

// run: deeper c=3 m=4 n=100
kernel void deeper(int c, int m, int n, const int x[n], int y[c][m][n])
{
    for (int a = 0; a < c; a++) {
        int u = x[a % n];
        for (int b = 0; b < m; b++) {
            int v = u + b;
            for (int i = 0; i < n; i++) {
                y[a][b][i] = x[i] * v;
            }
            for (int i = 0; i < n - 1; i++) {
                y[a][b][i] += x[i + 1];
            }
        }
    }
}

// run: sums_in_memory c=3 n=600
// run: sums_in_memory c=64 n=6
kernel void sums_in_memory(int c, int n, const int x[n], int s[c], int y[n])
{
    for (int k = 0; k < c; k++) {
        s[k] = k;
        for (int i = 0; i < n; i++) {
            s[k] += x[i] * (i ^ k);
        }
        marks[k & 63] += s[k];
    }
    for (int i = 0; i < 64 && i < n; i++) {
        y[i] = marks[i];
    }
}

// run: shared_rows c=3 n=300
kernel void shared_rows(int c, int n, const int x[n], int y[n], int h[16])
{
    for (int k = 0; k < c; k++) {
        int f = k + 1;
        for (int i = 0; i < n; i++) {
            h[(x[i] + k) & 15] += f;
        }
        for (int i = 0; i < n; i++) {
            y[i] += f;
        }
    }
}

// run: in_blocks c=3 n=300
kernel void in_blocks(int c, int n, const int x[n], int y[c][n], int z[c][n])
{
    stream_parallel
    {
        for (int k = 0; k < c; k++) {
            int f = k * 3;
            for (int i = 0; i < n; i++) {
                y[k][i] = x[i] + f;
            }
            y[k][0] = f;
        }
    }
    stream_parallel
    {
        for (int k = 0; k < c; k++) {
            int f = k * 5;
            for (int i = 0; i < n; i++) {
                z[k][i] = x[i] - f;
            }
            z[k][1] = f;
        }
    }
}

// run: floats c=3 n=2000 ~ 1e-5
// run: floats c=50 n=200 ~ 1e-5
kernel void floats(int c, int n, const float x[n], float s[c])
{
    for (int k = 0; k < c; k++) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += x[i] * (float)(k + 1);
        }
        s[k] = sum;
    }
}

// run: overlap c=3 n=200
kernel void overlap(int c, int n, int x[c * n + n])
{
    for (int k = 0; k < c; k++) {
        int f = x[k % n];
        for (int i = 0; i < n; i++) {
            x[(k + 1) * n + i] = x[i] + f;
        }
        x[(k + 1) * n] = k;
    }
}
