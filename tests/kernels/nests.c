// Nests of independent loops whose outer loop is too short to fill the device, so that the launch cuts the inner one
// into strips or takes several loops as one space. Each is compared with its gcc build bit by bit.
#include <rill/kernel.h>
#include <stdint.h>

// run: planes n=3 m=20011
// run: planes n=40 m=5001
// run: planes n=1 m=100000
// run: planes n=0 m=10
// run: planes n=5 m=0
kernel void planes(int n, int m, float a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = a[i][j] * 0.5f + (float)(i * 3 + j);
        }
    }
}

// What stands between the loops belongs to each strip.
// run: between n=3 m=9001 k=7
kernel void between(int n, int m, int k, int a[n][m], const int b[n][m])
{
    for (int i = 0; i < n; i++) {
        int base = i * k + 1;
        int twice = 2 * base;
        for (int j = m - 1; j >= 0; j -= 2) {
            a[i][j] = b[i][j] * twice + base;
        }
    }
}

// Sums of integers are exact in any order; sums of floats are not, and keep the outer loop.
// run: sums n=3 m=30001
kernel long sums(int n, int m, const int a[n][m])
{
    long total = 0;
    int most = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            total += a[i][j] * (j % 7);
            if (a[i][j] > most) {
                most = a[i][j];
            }
        }
    }
    return total * 1000 + most;
}

// run: float_sums n=3 m=3001 ~ 1e-5
kernel float float_sums(int n, int m, const float a[n][m])
{
    float total = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            total += a[i][j];
        }
    }
    return total;
}

// run: collapsed_sums n=3 m=3001 ~ 1e-5
kernel double collapsed_sums(int n, int m, const float a[n][m])
{
    double total = 0;
#pragma rill collapse(2)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            total += a[i][j];
        }
    }
    return total;
}

// C89: the counters live outside, and have C's values afterwards.
// run: counters n=3 m=5001
// run: counters n=0 m=5001
// run: counters n=4 m=0
kernel int counters(int n, int m, int a[n][m])
{
    int i = -1, j = -1;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            a[i][j] += i ^ j;
        }
    }
    return 100000 * i + j;
}

// run: unread_counters n=3 m=5001
kernel void unread_counters(int n, int m, int a[n][m])
{
    int i, j, t;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            t = i * j;
            a[i][j] += t;
        }
    }
}

// The inner bound changes with the outer loop: no rectangle.
// run: triangle n=101
kernel void triangle(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = i - j;
        }
    }
}

// run: product n=5 m=37 l=600
kernel void product(int n, int m, int l, const int a[n][m], const int b[m][l], int c[n][l])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < l; j++) {
            int s = 0;
            for (int k = 0; k < m; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: three n=2 m=31 l=77
// run: three n=50 m=4 l=3
// run: three n=50 m=0 l=3
kernel void three(int n, int m, int l, const int b[n][m][l], int a[n][m][l])
{
#pragma rill block_dim(128)
#pragma rill collapse(3)
    for (int i = 0; i < n; i++) {
        int t = i * 7;
        for (int j = 0; j < m; j++) {
            for (int k = l - 1; k >= 0; k--) {
                a[i][j][k] = t + b[i][j][k] * k - j;
            }
        }
    }
}

// run: two_of_three n=2 m=31 l=77
kernel void two_of_three(int n, int m, int l, int a[n][m][l])
{
#pragma rill collapse(2)
    for (uint16_t i = 0; i != n; i++) {
        for (int64_t j = 1; j < m; j += 3) {
            for (int k = 0; k < l; k++) {
                a[i][j][k] += (int)(i + j * k);
            }
        }
    }
}

// run: steps n=3 m=700 t=9
kernel void steps(int n, int m, int t, int a[n][m], int b[n][m])
{
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++) {
            for (int j = 1; j < m - 1; j++) {
                b[i][j] = a[i][j - 1] + a[i][j + 1];
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                a[i][j] = b[i][j] & 0xffff;
            }
        }
    }
}

// run: in_blocks n=3 m=4001
kernel void in_blocks(int n, int m, int a[n][m], int b[n][m])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                a[i][j] = i * j;
            }
        }
    }
    stream_parallel
    {
#pragma rill collapse(2)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                b[i][j] = i + j;
            }
        }
    }
}

// Shared updates stay with the outer loop, or are atomic there.
// run: columns n=4 m=3000
kernel void columns(int n, int m, const int a[n][m], int sum[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            sum[j] += a[i][j];
        }
    }
}

// The inner loop carries a value: the outer one alone is the task.
// run: running n=3 m=5003
kernel void running(int n, int m, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][j] += a[i][j - 1];
        }
    }
}

// Variables that span more than half of their type.
// run: wide_span n=300 m=300
kernel void wide_span(int n, int m, int a[n][m])
{
#pragma rill collapse(2)
    for (int8_t i = -128; i < 120; i += 3) {
        for (int8_t j = -120; j < 126; j += 2) {
            a[i + 128][j + 128] = i * 1000 + j;
        }
    }
}

// Nests that keep something: the last value in program order, the first of the smallest, sums and counts of all.
// run: last_in_nest n=3 m=900
// run: last_in_nest n=700 m=65
// run: last_in_nest n=4 m=0
kernel int last_in_nest(int n, int m, const int a[n][m], int y[n][m])
{
    int last = -1, at = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            y[i][j] = a[i][j] + i;
            if (a[i][j] % 5 == 3) {
                last = a[i][j] * 1000 + j;
            }
            at = i * m + j;
        }
    }
    return last * 7 + at;
}

// What stands between the loops is done also where the inner one has no iterations.
// run: last_between n=5 m=300
// run: last_between n=5 m=0
kernel int last_between(int n, int m, const int a[n], int y[n][m])
{
    int row = -1, j = -2;
    for (int i = 0; i < n; i++) {
        row = a[i] * 3;
        for (j = 0; j < m; j++) {
            y[i][j] = row + j;
        }
    }
    return row * 1000 + j;
}

// run: least_in_nest n=3 m=1000
// run: least_in_nest n=300 m=70
kernel int least_in_nest(int n, int m, const float a[n][m], int at[2])
{
    float best = 1e30f;
    int row = -1, column = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float e = a[i][j] * (float)((i * 7 + j) % 13) - 3.0f * (float)((i + j) % 5);
            if (e <= best) {
                best = e;
                row = i;
                column = j;
            }
        }
    }
    at[0] = row;
    at[1] = column;
    return (int)best;
}

// run: counts_in_nest n=3 m=2000
// run: counts_in_nest n=400 m=66
kernel void counts_in_nest(int n, int m, const int a[n][m], int bins[16], long total[2], unsigned most[1], int y[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            bins[a[i][j] & 15]++;
            total[1] += a[i][j];
            unsigned e = a[i][j] * j;
            if (e > most[0]) {
                most[0] = e;
            }
            y[i][j] = j;
        }
    }
}

// The sum of a row belongs to the outer iteration, unless the inner loop is cut.
// run: row_totals n=3 m=900
kernel void row_totals(int n, int m, const int a[n][m], int sums[n], int bins[8])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            sums[i] += a[i][j];
            bins[j & 7] ^= a[i][j];
        }
    }
}

// run: asked_for n=9 m=11
kernel int asked_for(int n, int m, const int a[n][m], int bins[4], float low[1])
{
    int last = 0;
#pragma rill collapse(2)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            bins[a[i][j] & 3] += j;
            if ((float)a[i][j] < low[0]) {
                low[0] = (float)a[i][j];
            }
            last = a[i][j] > 40 ? i + j : j;
        }
    }
    return last;
}

// The bound of the inner loop has a name of its own in each iteration, and one value in all of them.
// run: bound_inside n=3 m=800
// run: bound_inside n=300 m=3
kernel void bound_inside(int n, int m, const int a[n][m], int y[n][m], int z[m][n])
{
    for (int i = 0; i < n; i++) {
        int first = 1, last = m - first;
        for (int j = first; j < last; j++) {
            y[i][j] = a[i][j - 1] - a[i][j + 1];
        }
    }
    int width = n;
    for (int j = 0; j < m; j++) {
        int end = width / 2 + j % 2;
        for (int i = 0; i < end; i++) {
            z[j][i] = i + j;
        }
    }
    width = width > 5 ? 5 : width;
    for (int j = 0; j < m; j++) {
        int end = width;
        for (int i = 0; i < end; i++) {
            z[j][i] += 2 * i;
        }
    }
}
