// Array parameters of rank one to four, their extents, views by pointers, and pointers that walk.
#include <rill/kernel.h>
#include <stdint.h>

// run: rank1 n=1000
kernel void rank1(int n, const int a[n], int b[n + 5])
{
    for (int i = 0; i < n; i++) {
        b[i + 5] = a[n - 1 - i];
    }
}

// run: rank2 n=33 m=17
kernel void rank2(int n, int m, const int a[n][m], int b[m][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            b[j][i] = a[i][j] + i * 100 + j;
        }
    }
}

// run: rank3 n=7 m=9 k=11
kernel void rank3(int n, int m, int k, const float a[n][m][k], float b[n][m][k])
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            for (int l = 1; l < k - 1; l++) {
                b[i][j][l] = a[i - 1][j][l] + a[i + 1][j][l] + a[i][j - 1][l] + a[i][j + 1][l] + a[i][j][l - 1] +
                             a[i][j][l + 1] - 6 * a[i][j][l];
            }
        }
    }
}

// run: rank4 n=3 m=4 k=5 l=6
kernel void rank4(int n, int m, int k, int l, int a[n][m][k][l], const int b[l][k][m][n])
{
    for (int p = 0; p < n; p++) {
        for (int q = 0; q < m; q++) {
            for (int r = 0; r < k; r++) {
                for (int s = 0; s < l; s++) {
                    a[p][q][r][s] = b[s][r][q][p] * (p + 1) - s;
                }
            }
        }
    }
}

// run: extents n=6 m=8
kernel int extents(int n, int m, int a[2 * n + 1][m / 2][3], long b[n * m])
{
    for (int i = 0; i < 2 * n + 1; i++) {
        for (int j = 0; j < m / 2; j++) {
            a[i][j][(i + j) % 3] = sizeof a[i] + sizeof a[i][j];
        }
    }
    for (int i = 0; i < n * m; i++) {
        b[i] = i * 3;
    }
    return sizeof a[0] / sizeof a[0][0][0];
}

// run: fixed
kernel void fixed(int a[4][5], const int b[const 20], int c[static 20])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 5; j++) {
            a[i][j] += b[i * 5 + j];
            c[j * 4 + i] = a[i][j];
        }
    }
}

// run: wide_extent n=100
kernel void wide_extent(uint64_t n, uint8_t a[n], uint16_t b[n][2])
{
    for (uint64_t i = 0; i < n; i++) {
        b[i][0] = a[i] * 257;
        b[i][1] = a[n - i - 1];
    }
}

// run: whole p=100 n=100
kernel void whole(int n, int *p)
{
    for (int i = 0; i < n; i++) {
        p[i] = p[i] * 2 + 1;
    }
}

// run: pointer_walk n=200
kernel int pointer_walk(int n, const int a[n], int b[n])
{
    const int *p = a, *end = a + n;
    int *q = b;
    int sum = 0;
    while (p < end) {
        sum += *p;
        *q++ = *p++ * 3;
    }
    return sum + (int)(q - b) + (p == end);
}

// run: pointer_loop n=200
kernel void pointer_loop(int n, float a[n])
{
    for (float *p = a; p != a + n; p++) {
        *p = *p * 0.5f + (p - a);
    }
}

// run: row_pointers n=12 m=15
kernel void row_pointers(int n, int m, int a[n][m], const int b[n][m])
{
    for (int i = 0; i < n; i++) {
        int *row = a[i];
        const int *other = &b[n - 1 - i][0];
        for (int j = 0; j < m; j++) {
            row[j] = other[m - 1 - j];
        }
    }
}

// run: array_pointers n=10
kernel int array_pointers(int n, int a[n][4])
{
    int(*p)[4] = a;
    int sum = 0;
    for (int i = 0; i < n; i++, p++) {
        (*p)[1] = (*p)[0] + p[0][2];
        sum += sizeof *p;
    }
    int(*q)[4] = &a[2];
    return sum + q[-1][3] + (int)(p - a);
}

// run: negative_index n=64
kernel void negative_index(int n, int a[n])
{
    int *middle = &a[n / 2];
    for (int i = 1; i <= n / 2; i++) {
        middle[-i] = i * i;
    }
    for (int i = 0; i < n / 2; i++) {
        *(middle + i) -= 7;
        i[middle] ^= 3;
    }
}

// run: strides n=100
kernel void strides(int n, int a[4 * n])
{
    for (int i = 0; i < n; i++) {
        a[4 * i] = i;
        a[4 * i + 1] = -i;
        a[4 * i + 3] += a[4 * i + 2];
    }
}

// run: swap_rows n=16 m=20 r=3 s=12
// run: swap_rows n=16 m=20 r=3 s=3
kernel void swap_rows(int n, int m, int r, int s, float a[n][m])
{
    for (int j = 0; j < m; j++) {
        float t = a[r][j];
        a[r][j] = a[s][j];
        a[s][j] = t;
    }
}

// run: halves n=100
kernel void halves(int n, double a[2 * n])
{
    double *lo = a, *hi = a + n;
    for (int i = 0; i < n; i++) {
        hi[i] = lo[i] * 2;
    }
    for (int i = 0; i < n; i++) {
        lo[i] = hi[n - 1 - i];
    }
}

static void fill(int n, int m, int a[n][m], int value)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = value + i * m + j;
        }
    }
}

static int trace_of(int n, const int a[n][n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i][i];
    }
    return sum;
}

// run: helper_shapes n=9
kernel int helper_shapes(int n, int a[n][n], int b[n * n])
{
    fill(n, n, a, 100);
    fill(3, n, (int(*)[n])b, 7);
    return trace_of(n, (const int(*)[n])a) + trace_of(3, (const int(*)[3])b);
}

// run: empty n=0 m=5
// run: empty n=5 m=0
kernel int empty(int n, int m, int a[n][m])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = 1;
            count++;
        }
    }
    return count;
}

// run: choose n=50 which=0
// run: choose n=50 which=1
kernel void choose(int n, int which, int a[n], int b[n])
{
    int *p = which ? a : b;
    for (int i = 0; i < n; i++) {
        p[i] += 1000;
    }
}

// run: pointer_compare n=50
kernel int pointer_compare(int n, int a[n])
{
    int count = 0;
    int *low = a + 3, *high = a + n - 3;
    for (int i = 0; i < n; i++) {
        int *p = &a[i];
        count += (p < low) + 2 * (p >= high) + 4 * (p == low) + 8 * (p != 0) + 16 * !p;
    }
    return count;
}

// run: pointer_to_pointer n=40
kernel void pointer_to_pointer(int n, int a[n], int b[n])
{
    int *rows[2] = {a, b};
    int **pp = rows;
    for (int i = 0; i < n; i++) {
        pp[i & 1][i] = i;
        *(*(pp + (~i & 1)) + i) += 2;
    }
}
