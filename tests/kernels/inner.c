// Loops inside tasks: what is proven of them makes vectors, so each form of independence is here with every pointer
// restrict, where nothing is left to a test at launch.
#include <rill/kernel.h>
#include <stdint.h>

// run: saxpy_rows n=40 m=101
kernel void saxpy_rows(int n, int m, const float s[restrict n], const float x[restrict n][m], float y[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            y[i][j] += s[i] * x[i][j];
        }
    }
}

// run: carried_rows n=40 m=101
kernel void carried_rows(int n, int m, int a[restrict n][m], const int b[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 3; j < m; j++) {
            a[i][j] = a[i][j - 3] + b[i][j];
        }
    }
}

// run: ahead n=40 m=101
kernel void ahead(int n, int m, int a[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m - 2; j++) {
            a[i][j] = a[i][j + 2] * 3;
        }
    }
}

// run: same_constant n=40 m=101
kernel void same_constant(int n, int m, const uint8_t key[restrict n][m], uint8_t seen[restrict n][32])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 32; k++) {
            seen[i][k] = 0;
        }
        for (int j = 0; j < m; j++) {
            seen[i][key[i][j] % 32] = 1;
        }
    }
}

// run: last_of_row n=40 m=101
kernel void last_of_row(int n, int m, const int a[restrict n][m], int last[restrict n], int at[restrict n])
{
    for (int i = 0; i < n; i++) {
        int value = -1, where = -1, t = 0;
        for (int j = 0; j < m; j++) {
            t = a[i][j] * 2;
            if (a[i][j] % 7 == 3) {
                value = t;
                where = j;
            }
        }
        last[i] = value + t;
        at[i] = where;
    }
}

// run: best_of_row n=40 m=101
kernel void best_of_row(int n, int m, const float a[restrict n][m], float best[restrict n], int at[restrict n])
{
    for (int i = 0; i < n; i++) {
        float b = -1;
        int k = -1;
        for (int j = 0; j < m; j++) {
            if (a[i][j] > b) {
                b = a[i][j];
                k = j;
            }
        }
        best[i] = b;
        at[i] = k;
    }
}

// run: reductions_of_row n=40 m=101
kernel void reductions_of_row(int n, int m, const int a[restrict n][m], int out[restrict n][8])
{
    for (int i = 0; i < n; i++) {
        int sum = 0, lo = 1000, hi = -1, all = -1, any = 0, parity = 0, product = 1, count = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
            lo = a[i][j] < lo ? a[i][j] : lo;
            hi = a[i][j] > hi ? a[i][j] : hi;
            all &= a[i][j];
            any |= a[i][j];
            parity ^= a[i][j];
            product *= a[i][j] | 1;
            count += a[i][j] > 50;
        }
        int all_of_them[8] = {sum, lo, hi, all, any, parity, product, count};
        for (int k = 0; k < 8; k++) {
            out[i][k] = all_of_them[k];
        }
    }
}

// run: float_reductions n=40 m=301 ~ 1e-5
kernel void float_reductions(int n, int m, const float a[restrict n][m], float sum[restrict n], double wide[restrict n])
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        double w = 0;
        for (int j = 0; j < m; j++) {
            s += a[i][j];
            w += a[i][j] * 0.5;
        }
        sum[i] = s;
        wide[i] = w;
    }
}

// run: minimum_with_nan n=40 m=101
kernel void minimum_with_nan(int n, int m, const float a[restrict n][m], float out[restrict n][4])
{
    for (int i = 0; i < n; i++) {
        float m0 = INFINITY, m1 = INFINITY, m2 = INFINITY, m3 = -INFINITY;
        for (int j = 0; j < m; j++) {
            float x = (int)a[i][j] % 5 == 0 ? NAN : a[i][j] + j;
            m0 = fminf(m0, x);
            if (x < m1) {
                m1 = x;
            }
            m2 = m2 < x ? m2 : x;
            m3 = x > m3 ? x : m3;
        }
        out[i][0] = m0;
        out[i][1] = m1;
        out[i][2] = m2;
        out[i][3] = m3;
    }
}

typedef struct {
    int a, b, c;
} triple;
// struct triple: iii

// run: members_of_row n=40 m=50
kernel void members_of_row(int n, int m, triple t[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int x = t[i][j].a;
            t[i][j].a = t[i][j].b + 1;
            t[i][j].b = t[i][j].c + t[i][j].a;
            t[i][j].c = x;
        }
    }
}

// run: pairs_of_row n=40 m=100
kernel void pairs_of_row(int n, int m, int a[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j + 1 < m; j += 2) {
            int t = a[i][j];
            a[i][j] = a[i][j + 1];
            a[i][j + 1] = t + a[i][j];
        }
    }
}

// run: private_in_row n=30 m=40
kernel void private_in_row(int n, int m, const int a[restrict n][m], int out[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        int w[4];
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < 4; k++) {
                w[k] = a[i][j] * k + j;
            }
            out[i][j] = w[a[i][j] % 4] - w[j % 4];
        }
    }
}

// run: in_place_local n=50
kernel void in_place_local(int n, const int a[restrict n], int out[restrict n])
{
    for (int i = 0; i < n; i++) {
        int v[64];
        for (int k = 0; k < 64; k++) {
            v[k] = a[i] ^ k;
        }
        for (int k = 1; k < 64; k++) {
            v[k] += v[k - 1];
        }
        for (int k = 0; k < 32; k++) {
            v[k] = v[63 - k];
        }
        for (int k = 0; k < 63; k++) {
            v[k] -= v[k + 1];
        }
        int s = 0;
        for (int k = 0; k < 64; k++) {
            s = s * 3 + v[k];
        }
        out[i] = s;
    }
}

// run: conditional_stores n=40 m=101
kernel void conditional_stores(int n, int m, const int a[restrict n][m], int b[restrict n][m], int16_t c[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] > 60) {
                b[i][j] = 100 / a[i][j];
            } else if (a[i][j] % 2) {
                c[i][j] = -a[i][j];
                continue;
            }
            b[i][j] ^= 1;
        }
    }
}

// run: mixed_widths n=40 m=101 wild
kernel void mixed_widths(int n, int m, const int8_t a[restrict n][m], const uint16_t b[restrict n][m],
                         int64_t c[restrict n][m], uint8_t d[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] += (int64_t)a[i][j] * b[i][j];
            d[i][j] = (a[i][j] + b[i][j]) >> 2;
        }
    }
}

// run: shifted_rows n=40 m=101 wild
kernel void shifted_rows(int n, int m, const int a[restrict n][m], int b[restrict n][m], unsigned c[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int s = a[i][j] & 31;
            b[i][j] = a[i][j] >> s;
            c[i][j] = (unsigned)a[i][j] << (31 - s) | 1u << s;
            int d = a[i][j] % 1000;
            b[i][j] += d ? 100000 / d : 0;
        }
    }
}

// run: gathered_rows n=40 m=101
kernel void gathered_rows(int n, int m, const int index[restrict n][m], const int table[restrict 128],
                          int out[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            out[i][j] = table[index[i][j]] + table[127 - index[i][j]];
        }
    }
}

// run: strided_rows n=20 m=30
kernel void strided_rows(int n, int m, const int a[restrict n][3 * m], int b[restrict n][2 * m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            b[i][2 * j] = a[i][3 * j] + a[i][3 * j + 2];
            b[i][2 * j + 1] = a[i][3 * j + 1] - j;
        }
    }
}

// run: downwards n=20 m=101
kernel void downwards(int n, int m, int a[restrict n][m], const int b[restrict n][m])
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = m - 1; j > 0; j--) {
            a[i][j] = b[i][m - j] + a[i][j];
        }
        for (uint8_t k = 0; k < 90; k += 3) {
            a[i][k] ^= k;
        }
    }
}

// run: zero_width n=20 m=0
// run: zero_width n=20 m=1
kernel int zero_width(int n, int m, int a[restrict n][m + 1])
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int j, s = 3;
        for (j = 0; j < m; j++) {
            s += a[i][j];
        }
        a[i][m] = s * 10 + j;
        total += s;
    }
    return total;
}

// run: sqrt_rows n=30 m=65
kernel void sqrt_rows(int n, int m, const float a[restrict n][m], float b[restrict n][m], double c[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            b[i][j] = sqrtf(a[i][j]) / (a[i][j] + 0.5f);
            c[i][j] = floor(a[i][j] / 3.0) + fabs(sin(0.0)) + trunc(a[i][j] * 0.7);
        }
    }
}

// Two indices that wrap at different places: neither may be taken for one that counts up.
// run: narrowed n=200
#pragma rill single
kernel void narrowed(int n, unsigned long a[n], const unsigned long b[n])
{
    for (long i = 0; i < n; i++) {
        a[(unsigned char)i] = b[i & 3] * 3;
    }
}

// The same with their signs, and a constant added before they are cut.
// run: narrowed_signed n=100
#pragma rill single
kernel void narrowed_signed(int n, unsigned long a[2 * n], const unsigned long b[2 * n])
{
    for (long i = 0; i < n; i++) {
        a[(signed char)(i + 3)] = b[((i + 2) & 7)] * 3 + b[(short)(i - 5) + 5];
    }
}

// What an inner loop alone sets, as an index after it. The loop's bound is read anew each time.
// run: set_inside n=50 m=40
#pragma rill single
kernel void set_inside(int n, int m, int a[3 * n + 3], int left[m])
{
    int w = 0;
    for (int i = 0; i < m; i++) {
        w = w < left[i] ? left[i] & 1 : w;
    }
    for (int i = 0; i < n; i++) {
        int k;
        left[i % m] = (left[i % m] & 3) + 2;
        for (int j = 0; j < left[i % m]; j++) {
            k = 3 * i + w;
            a[3 * i] += j;
            left[i % m]--;
        }
        a[k] += left[i % m];
    }
}
