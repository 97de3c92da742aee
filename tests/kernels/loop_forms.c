// Every form of canonical loop in every integer type, and those that are not canonical.
#include <limits.h>
#include <rill/kernel.h>
#include <stdint.h>

// run: forms n=100
kernel int forms(int n, int a[10][n])
{
    int i, sum = 0;
    for (i = 0; i < n; i++) {
        a[0][i] = i;
    }
    sum = sum * 3 + i;
    for (i = 0; i <= n - 1; ++i) {
        a[1][i] = i;
    }
    sum = sum * 3 + i;
    for (i = n - 1; i >= 0; i--) {
        a[2][i] = i;
    }
    sum = sum * 3 + i;
    for (i = n - 1; i > -1; --i) {
        a[3][i] = i;
    }
    sum = sum * 3 + i;
    for (i = 0; i != n; i++) {
        a[4][i] = i;
    }
    sum = sum * 3 + i;
    for (i = n; i != 0; i--) {
        a[5][i - 1] = i;
    }
    sum = sum * 3 + i;
    for (i = 1; i < n; i += 3) {
        a[6][i] = i;
    }
    sum = sum * 3 + i;
    for (i = n - 1; 0 <= i; i -= 4) {
        a[7][i] = i;
    }
    sum = sum * 3 + i;
    for (i = 2; n > i; i = i + 5) {
        a[8][i] = i;
    }
    sum = sum * 3 + i;
    for (i = 3; i < n; i = 2 + i) {
        a[9][i] = i;
    }
    return sum * 3 + i;
}

// run: narrow n=100
kernel int narrow(int n, int a[4][n])
{
    int sum = 0;
    int8_t i;
    for (i = 0; i < n; i++) {
        a[0][i] = i;
    }
    sum += i;
    uint8_t j;
    for (j = n - 1; j > 0; j--) {
        a[1][j] = j;
    }
    sum = sum * 3 + j;
    int16_t k;
    for (k = 5; k <= n - 1; k += 7) {
        a[2][k] = k;
    }
    sum = sum * 3 + k;
    uint16_t l;
    for (l = 0; l != n; ++l) {
        a[3][l] = l;
    }
    return sum * 3 + l;
}

// run: wide n=100
kernel long wide(long n, int a[4][n])
{
    int64_t i;
    uint64_t j;
    unsigned k;
    size_t l;
    for (i = 0; i < n; i++) {
        a[0][i] = i;
    }
    for (j = n; j-- > 0;) {
        a[1][j] = j;
    }
    for (k = 0; k < n; k += 2) {
        a[2][k] = k;
    }
    for (l = n - 1; l < (size_t)n; l--) {
        a[3][l] = l; // wraps below 0, and ends there
    }
    return i + 3 * (long)j + 5 * k + 7 * (long)l;
}

// run: edges_low
kernel int edges_low(int a[16])
{
    int count = 0;
    for (int i = INT_MIN; i < INT_MIN + 5; i++) {
        a[i - INT_MIN] = i;
        count++;
    }
    for (long i = LONG_MAX - 3; i < LONG_MAX; i++) {
        a[5 + (LONG_MAX - i)] = 1;
        count++;
    }
    for (unsigned i = UINT_MAX - 2; i < UINT_MAX; i++) {
        count += 10;
    }
    for (uint8_t i = 250; i < 255; i++) {
        count += 100;
    }
    return count;
}

// run: none n=5 lo=7 hi=3
// run: none n=5 lo=-2147483648 hi=2147483647
kernel int none(int n, int lo, int hi, int a[n])
{
    int i, j, k;
    int x = 4;
    for (i = lo; i < hi && 0; i++) {
        x = i;
    }
    for (j = hi; j < 3; j++) {
        x = 1;
    }
    for (k = 9; k < n; k++) {
        a[k] = x = 2;
    }
    return i % 1000 + j % 1000 + k + x;
}

// run: steps n=100 s=7
// run: steps n=100 s=1
// run: steps n=100 s=200
kernel int steps(int n, int s, int a[n])
{
    int i;
    for (i = 0; i < n; i += s) {
        a[i] = -a[i];
    }
    return i;
}

// run: bounds_change n=50
kernel int bounds_change(int n, int a[n])
{
    int m = n, i;
    for (i = 0; i < m; i++) {
        a[i] = i;
        if (i % 10 == 3) {
            m--;
        }
    }
    for (int k = 0; k < n; k++) {
        if (a[k] % 4 == 0) {
            k++;
        }
        a[k % n] += 100;
    }
    return i * 100 + m;
}

// run: bound_in_memory n=60
kernel int bound_in_memory(int n, int a[n], int limit[2])
{
    int i;
    limit[0] = n / 2;
    for (i = 0; i < limit[0]; i++) {
        a[i] = i * 2;
    }
    limit[1] = i;
    for (i = limit[1]; i < n; i++) {
        a[i] = limit[0];
    }
    return i;
}

// run: float_loop n=40
kernel int float_loop(int n, float a[n])
{
    int k = 0;
    for (float x = 0; x < 1 && k < n; x += 0.0625f) {
        a[k++] = x;
    }
    return k;
}

// run: triangles n=40
kernel int triangles(int n, int a[n][n], int b[n][n])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            a[i][j] = i - j;
        }
        for (int j = n - 1; j > i; j -= 2) {
            b[j][i] = j;
            count++;
        }
    }
    return count;
}

// run: collapsed n=20 m=30
kernel void collapsed(int n, int m, int a[n][m])
{
#pragma rill collapse(2)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = i * j;
        }
    }
}

// run: blocked n=5000
kernel void blocked(int n, int a[n])
{
#pragma rill block_dim(64)
    for (int i = 0; i < n; i++) {
        a[i] = i ^ 5;
    }
}

// run: pragmas n=64 m=20
kernel int pragmas(int n, int m, int a[m][n])
{
    int order = 0;
#pragma rill serial
    for (int t = 1; t < m; t++) {
        for (int i = 0; i < n; i++) {
            a[t][i] = a[t - 1][i] + t;
        }
    }
#pragma rill single
    for (int i = 0; i < n; i++) {
        order = order * 31 + a[m - 1][i];
    }
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        a[0][i] = i;
    }
    return order;
}

#pragma rill single
// run: lonely n=100
kernel int lonely(int n, int a[n])
{
    int h = 0;
    for (int i = 0; i < n; i++) {
        a[i] += i;
        h = h * 7 + a[i];
    }
    return h;
}

// run: deep n=6
kernel void deep(int n, int a[n][n][n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k <= j; k++) {
                for (int l = k; l < n; l += 2) {
                    a[i][j][k][l] = i + 10 * j + 100 * k + 1000 * l;
                }
            }
        }
    }
}

// run: guarded n=500 k=3
// run: guarded n=500 k=0
kernel void guarded(int n, int k, const int a[n], int b[n])
{
    if (k > 0) {
        for (int i = 0; i < n; i++) {
            if (a[i] % 2) {
                b[i] = a[i] / k;
            } else if (i > n / 2) {
                b[i] = -1;
            }
        }
    } else {
        for (int i = 0; i < n; i++) {
            b[n - 1 - i] = a[i];
        }
    }
}

// run: while_control n=64
kernel int while_control(int n, int a[n], int b[n])
{
    int len = 1, rounds = 0;
    while (len < n) {
        for (int i = 0; i < n; i++) {
            b[i] = i >= len ? a[i] + a[i - len] : a[i];
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
        len *= 2;
        rounds++;
    }
    do {
        for (int i = 0; i < n; i++) {
            a[i]++;
        }
        rounds++;
    } while (a[0] < 50);
    return rounds;
}

// run: converge n=100
kernel int converge(int n, double a[n], double b[n])
{
    int rounds = 0;
    for (;;) {
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        }
        double worst = 0;
        for (int i = 1; i < n - 1; i++) {
            worst = fmax(worst, fabs(b[i] - a[i]));
            a[i] = b[i];
        }
        rounds++;
        if (worst < 0.5 || rounds == 200) {
            break;
        }
    }
    return rounds;
}

// A count of 16 bits that is compared with what it is at least.
// run: narrow_count m=12
// run: narrow_count m=0
kernel void narrow_count(short m, int a[2 * m + 1], const int p[m + 4])
{
#pragma rill single
    for (int i = 0; i != m; i++) {
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < m; k++) {
                a[j * m + k] = (j + 7 <= p[k & 3]) << 2;
            }
        }
    }
}

// run: narrow_choices n=300
kernel void narrow_choices(int n, const short a[n], short c[n], const unsigned char b[n], int d[n])
{
    for (int i = 0; i < n; i++) {
        short x = (short)(a[i] - 100);
        short k = x > 0 ? x : 0;
        unsigned char l = b[i] < 9 ? b[i] : 9;
        c[i] = k;
        d[i] = (k == 0) + 2 * (l == 9) + 4 * (k != 0 && l != 9);
    }
}
