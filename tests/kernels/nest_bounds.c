// Bounds, steps and values that nests keep: what a transformation of a nest must leave as plain C has it.
#include <limits.h>
#include <rill/kernel.h>
#include <stdint.h>

// ---- directions and steps -----------------------------------------------------------------------------------------

// run: downwards n=13 m=9
// run: downwards n=50 m=60
kernel void downwards(int n, int m, int a[n][m])
{
    for (int i = n - 1; i > 0; i--) {
        for (int j = m - 1; j > 0; j--) {
            a[i][j] = a[i - 1][j] + a[i][j - 1];
        }
    }
}

// Down in one, up in the other, by threes.
// run: crosswise n=13 m=19
// run: crosswise n=50 m=60
kernel void crosswise(int n, int m, int a[n][m])
{
    for (int i = n - 2; i >= 0; i -= 3) {
        for (int j = 3; j < m; j += 3) {
            a[i][j] = a[i + 1][j] + a[i][j - 3] * 2;
        }
    }
}

// A step that jumps over the neighbour it reads: independent, though it does not look so.
// run: jumping n=30 m=9
// run: jumping n=61 m=40
kernel void jumping(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i += 2) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i - 1][j];
        }
    }
}

// The variable of the outer loop cancels out of how many iterations there are, and stands in both bounds: with the
// loops the other way round it is not known where the bounds are needed. run: window n=50 step=1 run: window n=300
// step=3 run: window n=300 step=12
kernel void window(int n, int step, int a[n + 32])
{
    for (int t = 0; t < n; t++) {
        for (int i = t; i < t + 9; i += step) {
            a[i + 9 - t] += a[i - t] + 1;
        }
    }
}

// run: window_weighted n=50 step=1
// run: window_weighted n=300 step=3
// run: window_weighted n=300 step=12
kernel void window_weighted(int n, int step, int a[n + 32])
{
    for (int t = 0; t < n; t++) {
        for (int i = t; i < t + 9; i += step) {
            a[t + 12] = a[t + 12] * 3 + a[i - t];
        }
    }
}

// run: empty_rows n=50 step=1
// run: empty_rows n=300 step=11
kernel void empty_rows(int n, int step, int a[64])
{
    for (int t = 0; t < n; t++) {
        for (int i = t; i < t; i += step) {
            a[9 - i] = a[t + 2 - i];
        }
    }
}

// ---- no iterations ------------------------------------------------------------------------------------------------

// run: empty_inner n=7 m=-3 l=4
// run: empty_inner n=50 m=2 l=0
// run: empty_inner n=-2 m=2 l=4
// run: empty_inner n=9 m=8 l=7
kernel int empty_inner(int n, int m, int l, int a[64][64], int seen[64])
{
    int i = -5, j = -6, k = -7;
    for (i = 0; i < n; i++) {
        seen[i] = 0;
        for (j = 0; j < m; j++) {
            for (k = 0; k < l; k++) {
                a[i][j] += a[i][k] + 1;
            }
            seen[i] += a[i][j];
        }
    }
    return i * 10000 + j * 100 + k;
}

// The first triangle has no second row, the last no columns.
// run: thin_triangles n=1
// run: thin_triangles n=2
// run: thin_triangles n=45
kernel void thin_triangles(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n - i; j++) {
            a[i][j] += a[j][i];
        }
        for (int j = n; j < i; j++) {
            a[i][j] = -1;
        }
    }
}

// Bounds from an array: some rows are empty, some reach over the end and are cut.
// run: ragged n=13 m=20
// run: ragged n=90 m=70
kernel void ragged(int n, int m, const int from[n], const int to[n], int a[n][m], int total[n])
{
    for (int i = 0; i < n; i++) {
        int end = to[i] < m ? to[i] : m;
        for (int j = from[i]; j < end; j++) {
            a[i][j] *= 2;
            total[i] += a[i][j];
        }
    }
}

// A bound that the loop around it changes.
// run: growing n=9 m=60
// run: growing n=30 m=400
kernel int growing(int n, int m, int a[n][m])
{
    int end = 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < end; j++) {
            a[i][j] += end;
        }
        end += a[i][0] % 5;
        if (end > m) {
            end = m;
        }
    }
    return end;
}

// ---- values that are left -----------------------------------------------------------------------------------------

// run: kept_scalars n=7 m=13
// run: kept_scalars n=50 m=40
// run: kept_scalars n=5 m=0
// run: kept_scalars n=0 m=5
kernel long kept_scalars(int n, int m, const int a[n][m], int b[n][m])
{
    int i, j, t = 17, largest = 0, row = -1;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            t = a[i][j] * 3;
            b[i][j] = t + 1;
            if (t > largest) {
                largest = t;
                row = i;
            }
        }
    }
    return t + 1000L * largest + 1000000L * row + 100000000L * i + 10000000000L * j;
}

// A work scalar that crosses from one row to the next.
// run: carried_scalar n=7 m=13
// run: carried_scalar n=40 m=50
kernel int carried_scalar(int n, int m, int a[n][m])
{
    int w = 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int old = a[i][j];
            a[i][j] = old + w;
            w = old;
        }
    }
    return w;
}

// The sum of the row before is the factor of this one.
// run: factor_of_before n=7 m=13
// run: factor_of_before n=40 m=50
kernel void factor_of_before(int n, int m, unsigned a[n][m])
{
    unsigned factor = 3;
    for (int i = 0; i < n; i++) {
        unsigned s = 0;
        for (int j = 0; j < m; j++) {
            a[i][j] *= factor;
            s += a[i][j];
        }
        factor = s | 1;
    }
}

// Levinson's update without its second array: both halves read each other.
// run: mirror n=13
// run: mirror n=90
kernel void mirror(int n, int y[n])
{
    for (int k = 1; k < n; k++) {
        for (int i = 0; i < k; i++) {
            y[i] = y[i] + 3 * y[k - i - 1];
        }
        y[k] = y[0] ^ k;
    }
}

// ---- the ends of the types ----------------------------------------------------------------------------------------

// run: near_overflow n=7 m=13
// run: near_overflow n=40 m=50
kernel int near_overflow(int n, int m, int a[n][m])
{
    int i, j = 0, steps = 0;
    for (i = INT_MAX - n; i < INT_MAX; i++) {
        for (j = INT_MIN + m; j > INT_MIN; j--) {
            a[i - (INT_MAX - n)][j - INT_MIN - 1] += i ^ j;
            steps++;
        }
    }
    return steps + (i == INT_MAX) + (j == INT_MIN);
}

// The last step ends just below the end of the type.
// run: large_steps n=7 m=5
kernel long large_steps(int n, int m, int a[n][m])
{
    long i, sum = 0;
    int rows = 0;
    for (i = LONG_MAX - 9; i < LONG_MAX - 1; i += 4) {
        for (uint8_t j = 250; j < 255; j += 1) {
            a[rows % n][(j - 250) % m] += (int)(i & 0xff);
            sum += j;
        }
        rows++;
    }
    return sum * 100 + rows;
}

// Unsigned variables that count down to zero, and a difference that wraps.
// run: unsigned_down n=13 m=9
// run: unsigned_down n=40 m=50
kernel void unsigned_down(unsigned n, unsigned m, unsigned a[n][m])
{
    for (unsigned i = n; i > 0; i--) {
        for (unsigned j = m - 1; j >= 1; j--) {
            a[i - 1][j] -= a[i - 1][j - 1] * i;
        }
    }
}

// Narrow variables: i * m is an int, i + 1 of the type does not wrap.
// run: narrow n=13 m=9
// run: narrow n=120 m=100
kernel void narrow(short n, int8_t m, int a[n * m])
{
    for (short i = 0; i < n; i++) {
        for (int8_t j = 0; j < m; j++) {
            a[i * m + j] += a[(i * m + j) / 2] * 2;
        }
    }
}

// A nest flattened by hand, and one that overlaps its rows.
// run: flat n=7 m=13 stride=13
// run: flat n=7 m=13 stride=5
// run: flat n=40 m=50 stride=50
// run: flat n=40 m=50 stride=49
// run: flat n=9 m=50 stride=0
kernel void flat(int n, int m, int stride, int a[n * 64])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * stride + j] = a[i * stride + j] * 3 + i - j;
        }
    }
}

// The offset decides whether the rows meet.
// run: offset n=20 m=9 d=1
// run: offset n=20 m=9 d=0
// run: offset n=20 m=9 d=25
// run: offset n=20 m=9 d=-1
kernel void offset(int n, int m, int d, int a[2 * n + 9][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i + d][j] * 2;
        }
    }
}

// The inner variable is written in the body, the outer bound is read from what the nest writes.
// run: own_counter n=9 m=30
// run: own_counter n=40 m=70
kernel int own_counter(int n, int m, int a[n][m], int limit[1])
{
    int rounds = 0;
    limit[0] = n;
    for (int i = 0; i < limit[0]; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] % 7 == 0) {
                j += 2;
            }
            rounds++;
        }
        if (a[i][0] > 95 && limit[0] > i + 2) {
            limit[0]--;
        }
    }
    return rounds;
}

// A break that ends the row, and one that ends the nest.
// run: breaks n=13 m=9
// run: breaks n=60 m=50
kernel int breaks(int n, int m, int a[n][m])
{
    int i;
    for (i = 0; i < n; i++) {
        int j;
        for (j = 0; j < m; j++) {
            if (a[i][j] == 42) {
                break;
            }
            a[i][j]++;
        }
        if (j < m && a[i][0] > 97) {
            break;
        }
    }
    return i;
}
