// Loops whose independence is the question: what is parallel must be right on seven threads, what is not must run in
// order. Long enough that every thread gets a share.
#include <rill/kernel.h>
#include <stdint.h>

// run: forward n=200000
kernel void forward(int n, int a[n])
{
    for (int i = 0; i < n - 1; i++) {
        a[i] = a[i + 1] * 3 + 1;
    }
}

// run: backward n=100000
kernel void backward(int n, int a[n])
{
    for (int i = n - 1; i > 0; i--) {
        a[i] = a[i - 1] * 3 + 1;
    }
}

// run: fibonacci n=50000
kernel void fibonacci(int n, unsigned a[n])
{
    for (int i = 2; i < n; i++) {
        a[i] = a[i - 1] + a[i - 2];
    }
}

// run: distance n=100000 d=1
// run: distance n=100000 d=50000
// run: distance n=100000 d=99999
// run: distance n=100000 d=0
kernel void distance(int n, int d, int a[2 * n])
{
    for (int i = 0; i < n; i++) {
        a[i + d] = a[i] * 2 + 1;
    }
}

// run: evens_from_odds n=100000
kernel void evens_from_odds(int n, int a[2 * n])
{
    for (int i = 0; i < n; i++) {
        a[2 * i] = a[2 * i + 1] - i;
    }
}

// run: evens_from_evens n=100000
kernel void evens_from_evens(int n, int a[2 * n + 4])
{
    for (int i = 0; i < n; i++) {
        a[2 * i] = a[2 * i + 2] - i;
    }
}

// run: halving n=100000
kernel void halving(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i / 2] += i;
    }
}

// run: modulo n=100000 m=1000
// run: modulo n=1000 m=1000
kernel void modulo(int n, int m, int a[n + m])
{
    for (int i = 0; i < n; i++) {
        a[i % m] = i;
    }
}

// run: flattened n=300 m=200
kernel void flattened(int n, int m, int a[n * m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * m + j] = a[i * m + j] * 2 + i;
        }
    }
}

// run: flattened_short n=300 m=200 w=200
// run: flattened_short n=300 m=200 w=150
// run: flattened_short n=300 m=200 w=0
kernel void flattened_short(int n, int m, int w, int a[n * m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * w + j] = i + j; // rows overlap where w < m
        }
    }
}

// run: inverted n=100000
kernel void inverted(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[n - 1 - i] = a[i] + 1;
    }
}

// run: folded n=100000
kernel void folded(int n, int a[n])
{
    for (int i = 0; i < n / 2; i++) {
        a[i] += a[n - 1 - i];
    }
}

// run: masked n=70000
kernel void masked(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i & 1023] = i;
    }
}

// run: blocks_of n=8192
kernel void blocks_of(int n, int a[n])
{
    for (int b = 0; b < n / 64; b++) {
        for (int k = 1; k < 64; k++) {
            a[b * 64 + k] += a[b * 64 + k - 1];
        }
    }
}

// run: shifted_index n=8192
kernel void shifted_index(int n, int a[4 * n])
{
    for (int i = 0; i < n; i++) {
        a[i << 2] = i;
        a[(i << 2) + 1] = i >> 2;
        a[i << 2 | 2] = -i;
    }
}

// run: upper n=400
kernel void upper(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
    }
}

// run: wavefront n=300
kernel void wavefront(int n, int a[n][n])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < n; j++) {
            a[i][j] = a[i - 1][j] + a[i][j - 1] - a[i - 1][j - 1];
        }
    }
}

// run: skewed n=200
kernel void skewed(int n, int a[n][n])
{
    for (int d = 2; d < 2 * n - 1; d++) {
        int lo = d < n ? 1 : d - n + 1, hi = d < n ? d : n;
        for (int i = lo; i < hi; i++) {
            a[i][d - i] += a[i - 1][d - i] + a[i][d - i - 1];
        }
    }
}

// run: red_black n=300 m=300
kernel void red_black(int n, int m, int a[n][m])
{
    for (int colour = 0; colour < 2; colour++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1 + (i + colour) % 2; j < m - 1; j += 2) {
                a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
            }
        }
    }
}

// run: columns n=500 m=40
kernel void columns(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i - 1][j];
        }
    }
}

// run: row_carry n=300 m=100
kernel void row_carry(int n, int m, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][j] += a[i][j - 1];
        }
    }
}

// run: pivot n=60
kernel void pivot(int n, double a[n][n])
{
    for (int k = 0; k < n; k++) {
        double d = a[k][k] + 3000;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / d;
            for (int j = k; j < n; j++) {
                a[i][j] -= f * a[k][j];
            }
        }
    }
}

// run: floyd n=70
kernel void floyd(int n, int d[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (d[i][k] + d[k][j] < d[i][j]) {
                    d[i][j] = d[i][k] + d[k][j];
                }
            }
        }
    }
}

// run: bubble n=500
kernel void bubble(int n, int a[n])
{
    for (int round = 0; round < n; round++) {
        for (int i = round % 2; i + 1 < n; i += 2) {
            if (a[i] > a[i + 1]) {
                int t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
            }
        }
    }
}

// run: bitonic n=4096
kernel void bitonic(int n, int a[n])
{
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
#pragma rill parallel
            for (int i = 0; i < n; i++) {
                int l = i ^ j;
                if (l > i && ((i & k) == 0) == (a[i] > a[l])) {
                    int t = a[i];
                    a[i] = a[l];
                    a[l] = t;
                }
            }
        }
    }
}

// run: scan n=65536
kernel void scan(int n, int a[n], int b[n])
{
    for (int d = 1; d < n; d *= 2) {
        for (int i = 0; i < n; i++) {
            b[i] = i < d ? a[i] : a[i] + a[i - d];
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
}

// run: doubling n=65536
kernel int doubling(int n, int a[n])
{
    for (int w = n / 2; w > 0; w /= 2) {
        for (int i = 0; i < w; i++) {
            a[i] += a[i + w];
        }
    }
    return a[0];
}

// run: life n=100 m=120 steps=10
kernel int life(int n, int m, int steps, uint8_t a[2][n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[0][i][j] &= 1;
        }
    }
    for (int t = 0; t < steps; t++) {
        int from = t & 1, to = 1 - from;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                int s = 0;
                for (int y = -1; y <= 1; y++) {
                    for (int x = -1; x <= 1; x++) {
                        s += (x || y) && a[from][(i + y + n) % n][(j + x + m) % m];
                    }
                }
                a[to][i][j] = s == 3 || (s == 2 && a[from][i][j]);
            }
        }
    }
    int alive = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            alive += a[steps & 1][i][j];
        }
    }
    return alive;
}

// run: gather n=50000
kernel void gather(int n, const int index[n], const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = a[(index[i] * 7919 + i) % n];
    }
}

// A permutation: the author says that the stores do not meet.
// run: permute n=65536
kernel void permute(int n, int index[n], const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        index[i] = (int)((i * 40503u + 77) & 65535);
    }
    for (int i = 0; i < n; i++) {
        b[index[i]] = a[i];
    }
}

// run: one_constant n=100000 m=128
kernel void one_constant(int n, int m, const int key[n], int flag[m])
{
    for (int i = 0; i < n; i++) {
        flag[key[i] % m] = 1;
    }
}

// run: last_store n=100000 m=100
kernel void last_store(int n, int m, int a[m])
{
    for (int i = 0; i < n; i++) {
        a[i * 7 % m] = i; // followed, and a conflict: in order
    }
}

// run: one_place n=100000
kernel void one_place(int n, const int a[n], int out[4])
{
    for (int i = 0; i < n; i++) {
        out[1] = a[i]; // the last one stays
        if (a[i] == 5) {
            out[2] = i;
        }
    }
}

// run: convolution n=20000 k=9
kernel void convolution(int n, int k, const int a[n + k], const int w[k], int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < k; j++) {
            out[i] += a[i + j] * w[j];
        }
    }
}

// run: matmul n=50 m=60 k=70
kernel void matmul(int n, int m, int k, const int a[n][k], const int b[k][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = 0;
        }
    }
    for (int l = 0; l < k; l++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
}

// run: heat3 n=20 m=22 k=24 steps=6
kernel void heat3(int n, int m, int k, int steps, float a[n][m][k], float b[n][m][k])
{
    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < n - 1; x++) {
            for (int y = 1; y < m - 1; y++) {
                for (int z = 1; z < k - 1; z++) {
                    b[x][y][z] =
                        a[x][y][z] + 0.125f * (a[x - 1][y][z] + a[x + 1][y][z] + a[x][y - 1][z] + a[x][y + 1][z] +
                                               a[x][y][z - 1] + a[x][y][z + 1] - 6 * a[x][y][z]);
                }
            }
        }
        for (int x = 1; x < n - 1; x++) {
            for (int y = 1; y < m - 1; y++) {
                for (int z = 1; z < k - 1; z++) {
                    a[x][y][z] = b[x][y][z];
                }
            }
        }
    }
}

// run: bytes n=100000
kernel void bytes(int n, uint8_t a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] ^ (uint8_t)i; // neighbours share a word
    }
}

struct packed {
    unsigned lo : 4, hi : 4;
};
// struct packed: I

// Two fields of one unit, in two iterations: one storage unit, so in order.
// run: units n=20000
kernel void units(int n, struct packed a[n / 2])
{
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            a[i / 2].hi = i;
        } else {
            a[i / 2].lo = i * 3;
        }
    }
}
