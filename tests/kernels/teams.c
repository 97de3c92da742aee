// Tasks whose iterations hold loops: on a GPU a team of threads takes each iteration and shares those loops out. Rows
// of 0, 1, 31, 32, 33 elements and many; what is written in one part of an iteration and read in the next; loops that
// only look as if they could be shared out.
#include <limits.h>
#include <math.h>
#include <rill/kernel.h>
#include <stdint.h>

// ---- rows that are summed -----------------------------------------------------------------------------------------

// run: row_sums n=5 m=0 ~ 1e-5
// run: row_sums n=5 m=1 ~ 1e-5
// run: row_sums n=5 m=31 ~ 1e-5
// run: row_sums n=5 m=32 ~ 1e-5
// run: row_sums n=5 m=33 ~ 1e-5
// run: row_sums n=7 m=700 ~ 1e-5
// run: row_sums n=2 m=40000 ~ 1e-5
// run: row_sums n=700 m=64 ~ 1e-5
// run: row_sums n=700 m=97 ~ 1e-5
// run: row_sums n=700 m=333 ~ 1e-5
kernel void row_sums(int n, int m, const float a[n][m], float s[n])
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
        }
        s[i] = sum;
    }
}

// The sum is kept in memory, which a row without elements leaves alone, wherever the place would be.
// run: memory_sums n=9 m=0 at=100000
// run: memory_sums n=9 m=40 at=0
// run: memory_sums n=9 m=333 at=0
// run: memory_sums n=700 m=97 at=0
kernel void memory_sums(int n, int m, int at, const int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[i + at] += a[i][j] * 3;
        }
    }
}

// Two sums that have one place if k is 0.
// run: two_places n=9 m=40 k=0
// run: two_places n=9 m=333 k=1
// run: two_places n=20 m=333 k=0
// run: two_places n=700 m=97 k=0
// run: two_places n=701 m=97 k=0
// run: two_places n=700 m=97 k=1
kernel void two_places(int n, int m, int k, const int a[n][m], int s[n][2])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[i][0] += a[i][j];
            s[i][k] += a[i][j] * j;
        }
    }
}

// Under a condition: the place exists only where one element asks for it.
// run: perhaps n=9 m=50
// run: perhaps n=40 m=333
// run: perhaps n=700 m=97
kernel void perhaps(int n, int m, const int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (i % 3 == 0 && a[i][j] > 2) {
                s[i * 2 % 3 * n + i] += a[i][j];
            }
        }
    }
}

// Integers wrap the same way in any order; each operator with a row of its own.
// run: operators n=6 m=37 wild
// run: operators n=33 m=100 wild
// run: operators n=700 m=97 wild
kernel void operators(int n, int m, const int a[n][m], int s[n][8])
{
    for (int i = 0; i < n; i++) {
        int sum = INT_MAX, product = 1, all = -1, some = 0, odd = 5, least = INT_MAX, most = INT_MIN;
        unsigned low = UINT_MAX;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
            product *= a[i][j] | 1;
            all &= a[i][j] | 0xff00;
            some |= a[i][j] & 0xff;
            odd ^= a[i][j];
            least = a[i][j] < least ? a[i][j] : least;
            if (a[i][j] > most) {
                most = a[i][j];
            }
            unsigned u = (unsigned)a[i][j];
            low = u < low ? u : low;
        }
        s[i][0] = sum;
        s[i][1] = product;
        s[i][2] = all;
        s[i][3] = some;
        s[i][4] = odd;
        s[i][5] = least;
        s[i][6] = most;
        s[i][7] = (int)low;
    }
}

// 8, 16 and 64 bits, and 5 && 1, which is 1.
// run: widths n=7 m=100 wild
// run: widths n=700 m=97 wild
kernel void widths(int n, int m, const int8_t a[n][m], int8_t s8[n], int16_t s16[n], int64_t s64[n], int t[n])
{
    for (int i = 0; i < n; i++) {
        int8_t x = 1;
        int16_t y = 2;
        int64_t z = 3;
        int all = 5;
        for (int j = 0; j < m; j++) {
            x += a[i][j];
            y -= a[i][j];
            z += (int64_t)a[i][j] * 1000000007;
            all = all && a[i][j] > -100;
        }
        s8[i] = x;
        s16[i] = y;
        s64[i] = z;
        t[i] = all;
    }
}

// A NaN is ignored by one form, taken by another, and resets a third.
// run: extremes n=8 m=45 wild
// run: extremes n=20 m=320 wild
// run: extremes n=700 m=97 wild
kernel void extremes(int n, int m, const float a[n][m], float s[n][4])
{
    for (int i = 0; i < n; i++) {
        float call = INFINITY, branch = INFINITY, choice = INFINITY, most = -INFINITY;
        for (int j = 0; j < m; j++) {
            call = fminf(call, fabsf(a[i][j]));
            if (a[i][j] + 1 < branch) {
                branch = a[i][j] + 1;
            }
            choice = choice < a[i][j] ? choice : a[i][j];
            most = fmaxf(most, a[i][j] + 1);
        }
        s[i][0] = call;
        s[i][1] = branch;
        s[i][2] = choice;
        s[i][3] = most;
    }
}

// Which of equal ones it was is the first; the loop beside it may be shared out.
// run: least_at n=9 m=70
// run: least_at n=40 m=133
// run: least_at n=700 m=97
kernel void least_at(int n, int m, const int a[n][m], int at[n], int sums[n])
{
    for (int i = 0; i < n; i++) {
        int least = INT_MAX, where = -1, sum = 0;
        for (int j = 0; j < m; j++) {
            if (a[i][j] < least) {
                least = a[i][j];
                where = j;
            }
        }
        for (int j = 0; j < m; j++) {
            sum += a[i][j] * (j - where);
        }
        at[i] = where;
        sums[i] = sum;
    }
}

// Downwards, by threes, with counters of other types.
// run: counted n=9 m=200
// run: counted n=700 m=97
kernel void counted(int n, int m, const int a[n][m], int s[n], long t[n], unsigned u[n])
{
    for (int i = 0; i < n; i++) {
        int down = 0;
        long odd = 0;
        unsigned bits = 0;
        for (int j = m - 1; j >= 0; j -= 3) {
            down += a[i][j] * j;
        }
        for (long j = 1; j < m; j += 2) {
            odd += a[i][j] * j;
        }
        for (uint8_t j = 200; j != 0; j++) {
            bits += (unsigned)a[i][j % m] * j;
        }
        s[i] = down;
        t[i] = odd;
        u[i] = bits;
    }
}

// ---- one part after the other ---------------------------------------------------------------------------------------

// What the first loop leaves in memory the second one reads, from another thread.
// run: twice n=9 m=64
// run: twice n=33 m=333
// run: twice n=700 m=97
kernel void twice(int n, int m, const int a[n][m], int b[n][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            b[i][j] = a[i][j] * 2 + i;
        }
        for (int j = 0; j < m; j++) {
            c[i][j] = b[i][m - 1 - j] - b[i][(j + 1) % m];
        }
    }
}

// A sum in memory that the same iteration begins, reads, and ends.
// run: read_back n=9 m=64
// run: read_back n=33 m=333
// run: read_back n=700 m=97
kernel void read_back(int n, int m, const int a[n][m], int b[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        s[i] = i;
        for (int j = 0; j < m; j++) {
            s[i] += a[i][j];
        }
        s[i] = s[i] / 3 + 1;
        for (int j = 0; j < m; j++) {
            b[i][j] = a[i][j] + s[i];
        }
        s[i] = s[i] + b[i][0] + b[i][m - 1];
        for (int j = 0; j < m; j++) {
            b[i][j] -= s[i] * j;
        }
    }
}

// An element that the iteration writes between two reads of it: no thread may be late.
// run: between n=9 m=64
// run: between n=33 m=333
// run: between n=700 m=97
kernel void between(int n, int m, int a[n][m], int s[n][4])
{
    for (int i = 0; i < n; i++) {
        int first = a[i][0];
        a[i][0] = first + 1;
        int second = a[i][0];
        a[i][0] = second * 2;
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
        }
        a[i][m - 1] = sum;
        int last = a[i][m - 1] - a[i][0];
        s[i][0] = first;
        s[i][1] = second;
        s[i][2] = sum;
        s[i][3] = last;
    }
}

// run: soft_rows n=9 m=70 ~ 1e-5
// run: soft_rows n=33 m=333 ~ 1e-5
// run: soft_rows n=700 m=97 ~ 1e-5
kernel void soft_rows(int n, int m, const float a[n][m], float b[n][m])
{
    for (int i = 0; i < n; i++) {
        float most = -INFINITY, sum = 0;
        for (int j = 0; j < m; j++) {
            most = fmaxf(most, a[i][j]);
        }
        for (int j = 0; j < m; j++) {
            b[i][j] = expf(a[i][j] - most);
            sum += b[i][j];
        }
        for (int j = 0; j < m; j++) {
            b[i][j] /= sum;
        }
    }
}

// Each element of the second loop needs the one before: in order.
// run: running n=9 m=70
// run: running n=33 m=333
// run: running n=700 m=97
kernel void running(int n, int m, int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
        }
        for (int j = 1; j < m; j++) {
            a[i][j] = a[i][j - 1] + a[i][j];
        }
        s[i] = sum - a[i][m - 1];
    }
}

// The sum is read while it grows.
// run: growing n=9 m=70
// run: growing n=700 m=97
kernel void growing(int n, int m, const int a[n][m], int b[n][m])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
            b[i][j] = sum;
        }
    }
}

// The loop moves the bound that it reads.
// run: moving n=9 m=70 k=12
// run: moving n=700 m=97 k=12
kernel void moving(int n, int m, int k, int bound[n], int a[n][m])
{
    for (int i = 0; i < n; i++) {
        bound[i] = k;
        for (int j = 0; j < bound[i] && j < m; j++) {
            a[i][j] += j;
            if (j == 5) {
                bound[i] = k + 20;
            }
        }
    }
}

// ---- conditions and loops around ------------------------------------------------------------------------------------

// Rows that take different ways, and leave early.
// run: ways n=40 m=70
// run: ways n=70 m=133
// run: ways n=700 m=97
kernel void ways(int n, int m, const int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        if (i % 5 == 4) {
            s[i] = -1;
            continue;
        }
        if (i % 2 == 0) {
            for (int j = 0; j < m; j++) {
                if (a[i][j] < 2) {
                    continue;
                }
                sum += a[i][j];
            }
        } else {
            for (int j = i; j < m; j++) {
                sum ^= a[i][j] << (j & 7);
            }
            s[i] = 1;
        }
        s[i] += sum;
    }
}

// A loop in order around loops that are shared out, until a row says that it is enough.
// run: rounds n=9 m=70 k=5
// run: rounds n=20 m=133 k=9
// run: rounds n=700 m=97 k=9
kernel void rounds(int n, int m, int k, int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        int total = 0;
        for (int r = 0; r < k; r++) {
            int sum = 0;
            for (int j = 0; j < m; j++) {
                sum += a[i][j] % 7;
            }
            for (int j = 0; j < m; j++) {
                a[i][j] += sum % 5 + r;
            }
            total += sum;
            if (total % 11 == 3) {
                break;
            }
        }
        s[i] = total;
    }
}

// One level is shared out, and the loops inside it run in their threads; a triangle, so that rows end differently.
// run: inner_pairs n=7 m=50 ~ 1e-12
// run: inner_pairs n=3 m=133 ~ 1e-12
// run: inner_pairs n=700 m=97 ~ 1e-12
kernel void inner_pairs(int n, int m, const double a[n][m], double s[n])
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) {
            for (int k = j; k < m; k++) {
                sum += a[i][j] * a[i][k];
            }
        }
        s[i] = sum;
    }
}

// Counters and temporaries of the old style keep what the last iteration left.
// run: old_style n=9 m=70
// run: old_style n=20 m=133
// run: old_style n=700 m=97
kernel void old_style(int n, int m, const int a[n][m], int s[n][3])
{
    int i, j, t, u;
    for (i = 0; i < n; i++) {
        u = 0;
        for (j = 0; j < m; j++) {
            t = a[i][j] * 2;
            u += t;
        }
        s[i][0] = u;
        s[i][1] = t;
        s[i][2] = j;
    }
}

// A temporary that not every iteration sets.
// run: sometimes n=9 m=70
// run: sometimes n=700 m=97
kernel void sometimes(int n, int m, const int a[n][m], int s[n][2])
{
    for (int i = 0; i < n; i++) {
        int last = -1, sum = 0;
        for (int j = 0; j < m; j++) {
            if (a[i][j] % 3 == 1) {
                last = j;
            }
            sum += a[i][j];
        }
        s[i][0] = last;
        s[i][1] = sum;
    }
}

// A small array of the iteration's own, filled by one loop and read by another.
// run: own_array n=9 m=70
// run: own_array n=40 m=133
// run: own_array n=700 m=97
kernel void own_array(int n, int m, const int a[n][m], int b[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        int count[8] = {0};
        for (int j = 0; j < m; j++) {
            count[a[i][j] & 7]++;
        }
        for (int j = 0; j < m; j++) {
            b[i][j] = count[a[i][j] & 7] * 100 + count[j & 7];
        }
        s[i] = count[3];
    }
}

// run: fixed_array n=9 m=70
// run: fixed_array n=40 m=133
// run: fixed_array n=700 m=97
kernel void fixed_array(int n, int m, const int a[n][m], int s[n])
{
    for (int i = 0; i < n; i++) {
        int sums[3];
        sums[0] = i;
        sums[1] = 2 * i;
        sums[2] = 7;
        for (int j = 0; j < m; j++) {
            sums[1] += a[i][j] * sums[0];
        }
        s[i] = sums[1] + sums[2];
    }
}

// ---- sparse rows ----------------------------------------------------------------------------------------------------

// Rows of 0, 1, 31, 32, 33 and more elements, whose bounds are in memory that the task does not write.
// run: sparse_rows n=40 m=5000 k=60 ~ 1e-12
kernel void sparse_rows(int n, int m, int k, int start[n + 1], int column[m], double value[m], double x[k], double y[n])
{
    static const int lengths[8] = {0, 1, 31, 32, 33, 2, 333, 64};
    start[0] = 0;
    for (int i = 0; i < n; i++) {
        start[i + 1] = start[i] + lengths[i % 8];
    }
    for (int i = 0; i < m; i++) {
        column[i] = (int)((unsigned)i * 2654435761u >> 7) % k;
        column[i] = column[i] < 0 ? -column[i] : column[i];
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = start[i]; j < start[i + 1]; j++) {
            sum += value[j] * x[column[j]];
        }
        y[i] = sum;
    }
}

// Updates that rows share: atomic, whoever makes them.
// run: sparse_columns n=40 m=2000 k=60
kernel void sparse_columns(int n, int m, int k, const int value[n][m], int y[k])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            y[(i * 7 + j * 3) % k] += value[i][j];
            sum += value[i][j];
        }
        y[i % k] += sum;
    }
}

// By the author's word others may write what an iteration asks about: each asks once.
// run: asked n=40 m=70
// run: asked n=700 m=97
kernel void asked(int n, int m, const int at[n], const int a[n][m], int flag[4], int s[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        int sum = 0;
        if (flag[at[i] & 3] != 77) {
            for (int j = 0; j < m; j++) {
                sum += a[i][j];
            }
            flag[at[i] & 3] = 33;
        }
        s[i] = sum;
    }
}

// ---- matrices -------------------------------------------------------------------------------------------------------

// run: by_columns n=70 m=13 ~ 1e-12
// run: by_columns n=333 m=40 ~ 1e-12
// run: by_columns n=97 m=700 ~ 1e-12
kernel void by_columns(int n, int m, const double a[n][m], const double t[n], double y[m])
{
    for (int j = 0; j < m; j++) {
        y[j] = 1.5;
        for (int i = 0; i < n; i++) {
            y[j] += a[i][j] * t[i];
        }
    }
}

// run: normal n=70 m=65 ~ 1e-12
// run: normal n=700 m=97 ~ 1e-12
kernel void normal(int n, int m, const double a[n][m], const double x[m], double y[m], double t[n])
{
    for (int i = 0; i < m; i++) {
        y[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        t[i] = 0;
        for (int j = 0; j < m; j++) {
            t[i] = t[i] + a[i][j] * x[j];
        }
        for (int j = 0; j < m; j++) {
            y[j] = y[j] + a[i][j] * t[i];
        }
    }
}

// A system for each iteration: steps in order, the rows of a step shared out.
// run: systems s=9 n=2 ~ 1e-9
// run: systems s=3 n=12 ~ 1e-6
// run: systems s=40 n=30 ~ 1e-6
kernel void systems(int s, int n, double a[s][n][n], double x[s][n])
{
    for (int b = 0; b < s; b++) {
        for (int i = 0; i < n; i++) {
            a[b][i][i] += 100 * n;
        }
        for (int k = 0; k < n; k++) {
            for (int i = k + 1; i < n; i++) {
                double f = a[b][i][k] / a[b][k][k];
                for (int j = k; j < n; j++) {
                    a[b][i][j] -= f * a[b][k][j];
                }
                x[b][i] -= f * x[b][k];
            }
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) {
                x[b][i] -= a[b][i][j] * x[b][j];
            }
            x[b][i] /= a[b][i][i];
        }
    }
}
