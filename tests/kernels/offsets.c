// Indices that are sums and products of arguments: what they reach is tested at launch, and that they do not wrap.
#include <rill/kernel.h>

// run: comb n=200000 m=100000 first=0
// run: comb n=200000 m=99000 first=1
// run: comb n=200000 m=0 first=7
kernel void comb(int n, int m, int first, float x[n])
{
    for (int i = 0; i < m; i++) {
        x[2 * i + first] += 1;
    }
}

// run: move n=100000 lo=0 hi=50000 to=50000
// run: move n=100000 lo=70000 hi=100000 to=3
kernel void move(int n, int lo, int hi, int to, const float x[n], float y[n])
{
    for (int i = lo; i < hi; i++) {
        y[i - lo + to] = x[i];
    }
}

// Two parts of one array, which lie apart or not.
// run: shift n=100000 m=40000 from=0 skip=10 to=50000
// run: shift n=100000 m=40000 from=50000 skip=10 to=5
// run: shift n=100000 m=40000 from=100 skip=10 to=105
kernel void shift(int n, int m, int from, int skip, int to, float x[n])
{
    for (int i = 0; i < m; i++) {
        x[i + to + skip] = x[i + from + skip] * 0.5f + i;
    }
}

// run: tile n=300 b=100 bi=2 bj=1
// run: tile n=300 b=150 bi=0 bj=1
// run: tile n=300 b=300 bi=0 bj=0
kernel void tile(int n, int b, int bi, int bj, float m[n][n])
{
    for (int i = 0; i < b; i++) {
        for (int j = 0; j < b; j++) {
            m[bi * b + i][bj * b + j] += (float)(i - j);
        }
    }
}

// The sum leaves the range of int on its way back into the array.
// run: wrapped n=50000 m=40000 far=-2147483648
// run: wrapped n=50000 m=40000 far=5
kernel void wrapped(int n, int m, int far, float x[n])
{
    for (int i = 0; i < m; i++) {
        x[i + far + far] += (float)i;
    }
}

// run: counted_from_far n=50000 far=4294957296
// run: counted_from_far n=50000 far=3
kernel void counted_from_far(int n, unsigned far, float x[n])
{
    for (unsigned i = 10000; i < 40000; i++) {
        x[i + far] += (float)i;
    }
}

// run: five_points n=300 b=100 bi=1 bj=1
kernel void five_points(int n, int b, int bi, int bj, const float x[n][n], float y[n][n])
{
    for (int i = 0; i < b; i++) {
        for (int j = 0; j < b; j++) {
            int r = bi * b + i, c = bj * b + j;
            y[r][c] = x[r][c] + x[r - 1][c] + x[r + 1][c] + x[r][c - 1] + x[r][c + 1];
        }
    }
}
