// Nests whose inner loop begins or ends where the outer one has got to. On a GPU each is one space, in which the
// longest row counts for all.
#include <rill/kernel.h>
#include <stdint.h>
#include <stdio.h>

// run: below n=97
// run: below n=1
// run: below n=0
kernel void below(int n, float a[n][n], const float b[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            a[i][j] = a[i][j] * 0.5f + b[j][i];
        }
    }
}

// The first row is empty.
// run: strictly_below n=83
// run: strictly_below n=1
kernel void strictly_below(long n, double a[n][n])
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            a[i][j] += (double)(i * 3 - j);
        }
    }
}

// run: above n=90 m=120
// run: above n=120 m=70
// run: above n=5 m=0
kernel void above(int n, int m, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < m; j++) {
            a[i][j] = a[i][j] * 7 + i - j;
        }
    }
}

// run: upper_left n=77
// run: upper_left n=2
kernel void upper_left(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - i; j++) {
            a[i][j] += i * 5 + j;
        }
    }
}

// Rows of one length that begin elsewhere, and some that stop at the edge.
// run: band n=300 w=9
// run: band n=300 w=0
// run: band n=20 w=-4
// run: band n=5 w=40
kernel void band(int n, int w, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < i + w; j++) {
            if (j < n) {
                a[i][j] += j;
            }
        }
    }
}

// run: downwards n=91
// run: downwards n=1
kernel void downwards(int n, int a[n][n])
{
    for (int i = n - 1; i >= 0; i -= 2) {
        for (int j = i; j >= 0; j -= 3) {
            a[i][j] = a[i][j] * 3 + i + j;
        }
    }
}

// The outer loop goes down, the inner one up and by steps.
// run: stairs n=64 m=300
// run: stairs n=300 m=64
kernel void stairs(int n, int m, int a[n][m])
{
    for (int i = n; i > 0; i--) {
        for (int j = i; j < m; j += 5) {
            a[i - 1][j] += i ^ j;
        }
    }
}

// run: without_sign n=80
// run: without_sign n=0
kernel void without_sign(unsigned n, int a[n][n])
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = i; j < n; j++) {
            a[i][j] += (int)(i + 2 * j);
        }
    }
}

// i - 1 of the first row is the largest number there is: that row is empty.
// run: around n=80
kernel void around(unsigned n, int a[n][n])
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = i - 1; j < n; j++) {
            a[i][j] += (int)(i + 2 * j);
        }
    }
}

// run: sizes n=70
// run: sizes n=0
kernel void sizes(size_t n, int a[n][n])
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            a[i][j] -= (int)(i * j);
        }
    }
}

// Of 64 bits without a sign, and beyond what a signed number holds: i and j run from the largest numbers on.
// run: huge n=40
kernel void huge(size_t n, int a[n][n])
{
    size_t far = (size_t)0 - n - 1;
    for (size_t i = far; i < far + n; i++) {
        for (size_t j = i; j < far + n; j++) {
            a[i - far][j - far] += 3;
        }
    }
}

// Near the end of int. The last rows wrap, and are empty.
// run: near_the_end n=60 from=2147483587 w=5
// run: near_the_end n=60 from=2147483587 w=100
kernel void near_the_end(int n, int from, int w, int a[n][n])
{
    for (int i = from; i < 2147483647; i++) {
        for (int j = i; j < i + w; j++) {
            if (j - from < n) {
                a[i - from][j - from] += 1;
            }
        }
    }
}

// run: below_int n=50 from=-2147483648
kernel void below_int(int n, int from, int a[n][n])
{
    for (int i = from + n - 1; i > from; i--) {
        for (int j = from; j < i; j++) {
            a[i - from][j - from] += 2;
        }
    }
}

// run: small_types n=60
kernel void small_types(int n, int a[n][n])
{
    for (unsigned char i = 0; i < 60; i++) {
        for (short j = (short)(i - 30); j <= i; j++) {
            if (j >= 0) {
                a[i][j] += 4;
            }
        }
    }
}

// A row three times as long as the one before: no triangle.
// run: steep n=20
kernel void steep(int n, int a[n][3 * n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3 * i; j++) {
            a[i][j] += i;
        }
    }
}

// run: edge n=40 m=25
kernel void edge(int n, int m, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        int end = i < m ? i : m;
        for (int j = 0; j < end; j++) {
            a[i][j] += i - j;
        }
    }
}

// run: pyramid n=23
kernel void pyramid(int n, int a[n][n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = j; k < n; k++) {
                a[i][j][k] += i + 10 * j - k;
            }
        }
    }
}

// run: asked_pyramid n=23
kernel void asked_pyramid(int n, int a[n][n][n])
{
#pragma rill collapse(3)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = j; k <= i; k++) {
                a[i][j][k] += i + 10 * j - k;
            }
        }
    }
}

// run: prism n=19 m=33
kernel void prism(int n, int m, int a[n][m][n])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            for (int j = i; j < n; j++) {
                a[i][k][j] += i + 10 * j - k;
            }
        }
    }
}

// Rank-k update of a triangle.
// run: rank_k n=45 m=30 alpha=3
kernel void rank_k(int n, int m, double alpha, double c[n][n], const double a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k < m; k++) {
                s += a[i][k] * a[j][k];
            }
            c[i][j] += alpha * s;
        }
    }
}

// run: between n=60 k=3
kernel void between(int n, int k, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        int first = i + k;
        int twice = 2 * first;
        for (int j = first; j < n; j++) {
            a[i][j] = a[i][j] * twice + first;
        }
    }
}

// run: sum n=120
// run: sum n=1
kernel long sum(int n, const int a[n][n])
{
    long total = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            total += a[i][j] * (j % 7 + 1);
        }
    }
    return total;
}

// run: float_sum n=120 ~ 1e-6
kernel float float_sum(int n, const float a[n][n])
{
    float total = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            total += a[i][j];
        }
    }
    return total;
}

// The first of the least ones, by the order of C.
// run: least n=70
kernel void least(int n, const int a[n][n], int out[3])
{
    int best = 1 << 30, at = -1, row = -1;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            if (a[i][j] < best) {
                best = a[i][j];
                at = j;
                row = i;
            }
        }
    }
    out[0] = best;
    out[1] = at;
    out[2] = row;
}

// run: last n=50
// run: last n=1
kernel void last(int n, int a[n][n], int out[2])
{
    int kept = -5;
    int i, j = -7;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            a[i][j] += 1;
            kept = i * 100 + j;
        }
    }
    out[0] = kept;
    out[1] = i + j;
}

// What is kept is from a row that is not the last.
// run: last_of_some n=50
kernel void last_of_some(int n, int a[n][n], int out[1])
{
    int kept = -5;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            a[i][j] += 1;
            kept = i * 100 + j;
        }
    }
    out[0] = kept;
}

// run: printed n=7
kernel void printed(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = n - 1; j >= i; j--) {
            a[i][j] += 1;
            if ((i + j) % 2 == 0) {
                printf("%d %d\n", i, j);
            }
        }
    }
}

// run: histogram n=60 m=9
kernel void histogram(int n, int m, const int a[n][n], int bins[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            bins[(unsigned)a[i][j] % (unsigned)m] += 1;
        }
    }
}

// In an order around it: the triangle shrinks.
// run: factor n=31
kernel void factor(int n, double a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] = a[i][k] / (a[k][k] + 100.0);
        }
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j <= i; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

// run: two n=70
kernel void two(int n, int a[n][n], int b[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            a[i][j] += 2 * i - j;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            b[i][j] = a[i][j] * 3;
        }
    }
}

// A symmetric matrix in a flat array: one half is computed, and the other is its mirror image.
// run: correlated m=60 n=9 corr=3600 data=540
// run: correlated m=2 n=9 corr=4 data=18
// run: correlated m=1 n=9 corr=1 data=9
kernel void correlated(int m, int n, const double *data, double *corr)
{
    for (int i = 0; i < m - 1; i++) {
        corr[i * m + i] = 1;
        for (int j = i + 1; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += data[k * m + i] * data[k * m + j];
            }
            corr[i * m + j] = sum;
            corr[j * m + i] = corr[i * m + j];
        }
    }
}

// run: transposed_in_place m=75 a=5625
kernel void transposed_in_place(long m, int *a)
{
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < i; j++) {
            int t = a[i * m + j];
            a[i * m + j] = a[j * m + i];
            a[j * m + i] = t;
        }
    }
}

// The rows are one element too long for their pitch: the mirror image of the last is the next row's.
// run: too_long m=40 c=1680
kernel void too_long(int m, int *c)
{
    for (int i = 0; i < m - 1; i++) {
        for (int j = i + 1; j <= m; j++) {
            c[i * m + j] = i * 3;
            c[j * m + i] = j * 5;
        }
    }
}
