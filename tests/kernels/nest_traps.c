// Near-copies of textbook nests in which the transformation that offers itself would change the result: distribution
// against a backward dependence, interchange across (<, >), privatising of what is read before or after, and the like.
#include <limits.h>
#include <rill/kernel.h>
#include <stdint.h>

// ---- distribution -------------------------------------------------------------------------------------------------

// The second statement feeds the first of the next iteration: two loops would read what is not there yet.
// run: fed_back n=13
// run: fed_back n=500
kernel void fed_back(int n, int a[n + 1], int b[n + 1], const int c[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + c[i];
        b[i + 1] = a[i] * 2;
    }
}

// The first reads ahead what the second overwrites: the second loop may not go first, the first may.
// run: read_ahead n=13
// run: read_ahead n=500
kernel void read_ahead(int n, int a[n], int b[n + 1])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i + 1] * 3;
        b[i] = a[i] + 1;
    }
}

// y = a' (a x) with y among what the first loop reads.
// run: normal_in_place n=13
// run: normal_in_place n=60
kernel void normal_in_place(int n, const int a[n][n], int y[n], int t[n])
{
    for (int i = 0; i < n; i++) {
        t[i] = 0;
        for (int j = 0; j < n; j++) {
            t[i] += a[i][j] * y[j];
        }
        for (int j = 0; j < n; j++) {
            y[j] += a[i][j] * t[i];
        }
    }
}

// A scaled product whose factor is the result's own row before it.
// run: product_of_itself n=13 m=9
// run: product_of_itself n=50 m=60
kernel void product_of_itself(int n, int m, const int a[n][n], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] *= 3;
        }
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * c[k][j];
            }
        }
    }
}

// The running sum is read between its updates.
// run: read_between n=13 m=7
// run: read_between n=40 m=50
kernel void read_between(int n, int m, const int a[n][m], int s[m], int seen[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[j] += a[i][j];
        }
        for (int j = 0; j < m; j++) {
            seen[i][j] = s[m - 1 - j];
        }
    }
}

// A work row of which one element is left over from the iteration before.
// run: row_left_over n=13 m=7
// run: row_left_over n=50 m=40
kernel void row_left_over(int n, int m, int a[n][m], int work[m + 1])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            work[j] = a[i][j] * 2 + work[j + 1];
        }
        for (int j = 0; j < m; j++) {
            a[i][j] = work[j];
        }
        work[m] = work[0];
    }
}

// A work row that is written in full only by the longest iteration: what lies behind is older.
// run: row_in_part n=13
// run: row_in_part n=60
kernel void row_in_part(int n, const int a[n][n], int b[n][n], int work[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (i % 3 == 0 ? n : i); j++) {
            work[j] = a[i][j] + i;
        }
        for (int j = 0; j < n; j++) {
            b[i][j] = work[j];
        }
    }
}

// The work row is an argument: its last state is the caller's.
// run: row_kept n=13 m=7
// run: row_kept n=50 m=40
// run: row_kept n=0 m=40
kernel void row_kept(int n, int m, const int a[n][m], int b[n][m], int work[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            work[j] = a[i][j] * (i + 1);
        }
        for (int j = 0; j < m; j++) {
            b[i][j] = work[m - 1 - j];
        }
    }
}

// ---- interchange --------------------------------------------------------------------------------------------------

// (<, >): what row i reads stands to the right, in the row above.
// run: up_right n=13 m=9
// run: up_right n=60 m=50
kernel void up_right(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m - 1; j++) {
            a[i][j] = a[i - 1][j + 1] + a[i][j];
        }
    }
}

// The same, from the columns: (<, >) again.
// run: down_left n=13 m=9
// run: down_left n=60 m=50
kernel void down_left(int n, int m, int a[n][m])
{
    for (int j = 1; j < m; j++) {
        for (int i = 0; i < n - 1; i++) {
            a[i][j] += a[i + 1][j - 1] * 3;
        }
    }
}

// A skewed wavefront needs two steps of the inner loop: i + j is not enough.
// run: far_right n=13 m=19
// run: far_right n=50 m=60
kernel void far_right(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m - 3; j++) {
            a[i][j] = (a[i - 1][j + 3] + a[i][j - 1] * 2) ^ a[i][j];
        }
    }
}

// A last value by columns: an interchange would leave another one.
// run: last_by_column n=13 m=9
// run: last_by_column n=40 m=50
kernel int last_by_column(int n, int m, const int a[n][m], int out[n + m])
{
    int last = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            out[i + j] = a[i][j];
            if (a[i][j] > 90) {
                last = i * 1000 + j;
            }
        }
    }
    return last;
}

// A triangle whose bounds go the other way: the outer variable is the inner one's limit, and both fall. What is read
// was written in the row below, one column to the left: (<, >) once more.
// run: other_triangle n=13
// run: other_triangle n=50
kernel void other_triangle(int n, int a[n][n])
{
    for (int i = n - 2; i >= 0; i--) {
        for (int j = n - 1; j > i; j--) {
            a[i][j] += a[i + 1][j - 1] * 3;
        }
    }
}

// Triangular product in place whose sum takes the rows that are finished.
// run: triangle_reversed n=13 m=7
// run: triangle_reversed n=40 m=30
kernel void triangle_reversed(int n, int m, const int a[n][n], int b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < i; k++) {
                b[i][j] += a[i][k] * b[k][j];
            }
            b[i][j] = 3 * b[i][j];
        }
    }
}

// A symmetric product that reads what it scatters.
// run: symmetric_in_place n=13 m=7
// run: symmetric_in_place n=40 m=30
kernel void symmetric_in_place(int n, int m, const int a[n][n], int b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int t = 0;
            for (int k = 0; k < i; k++) {
                b[k][j] += b[i][j] * a[i][k];
                t += b[k][j] * a[i][k];
            }
            b[i][j] = b[i][j] * a[i][i] + t;
        }
    }
}

// ---- stencils -----------------------------------------------------------------------------------------------------

// It looks like Jacobi's, but both statements stand in one loop: the row above is new.
// run: nearly_jacobi n=9 m=13 steps=3
// run: nearly_jacobi n=40 m=31 steps=3
kernel void nearly_jacobi(int n, int m, int steps, int a[n][m], int b[n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j];
                a[i][j] = b[i][j] >> 2;
            }
        }
    }
}

// This one may be distributed, though it looks no better: nothing reads the row that is written.
// run: one_behind n=9 m=13 steps=3
// run: one_behind n=40 m=31 steps=3
kernel void one_behind(int n, int m, int steps, int a[n][m], int b[n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j];
                a[i - 1][j] = b[i][j] >> 2;
            }
        }
    }
}

// In place, by rows alone: the row above is new, the one below old.
// run: rows_in_place n=13 m=9
// run: rows_in_place n=40 m=50
kernel void rows_in_place(int n, int m, double a[n][m])
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = 0.25 * a[i - 1][j] + 0.5 * a[i][j] + 0.25 * a[i + 1][j];
        }
    }
}

// Red and black with a neighbour of the same colour: two steps away.
// run: same_colour n=13
// run: same_colour n=50
kernel void same_colour(int n, int u[n][n])
{
    for (int colour = 0; colour < 2; colour++) {
        for (int i = 2; i < n - 2; i++) {
            for (int j = 2 + (i + colour) % 2; j < n - 2; j += 2) {
                u[i][j] = (u[i - 1][j] + u[i][j - 2] + u[i + 2][j] + u[i - 1][j + 1]) / 4;
            }
        }
    }
}

// Two buffers that take turns by the row, not by the step: row i reads row i - 1 of its own step.
// run: turns_by_row n=13 m=9
// run: turns_by_row n=40 m=50
kernel void turns_by_row(int n, int m, int u[2][m], int out[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m - 1; j++) {
            u[(i + 1) % 2][j] = (u[i % 2][j - 1] + u[i % 2][j + 1]) / 2 + i;
        }
        for (int j = 0; j < m; j++) {
            out[i][j] = u[(i + 1) % 2][j];
        }
    }
}

// ---- the same array twice -----------------------------------------------------------------------------------------

static void product_into(int n, const int *a, const int *b, int *c)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
        }
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}

// Squared into itself, and by a factor whose rows are the result's, moved by one.
// run: product_twice n=7
// run: product_twice n=40
kernel void product_twice(int n, int a[n * n], int b[n * n + n])
{
    product_into(n, a, a, a);
    product_into(n, a, b, b + n);
}

kernel void smooth(int n, int m, const int a[n][m], int b[n][m])
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
        }
    }
}

// run: smooth_in_place n=9 m=13
// run: smooth_in_place n=40 m=50
kernel void smooth_in_place(int n, int m, int a[n][m], int b[n][m])
{
    smooth(n, m, a, b);
    smooth(n, m, a, a);
}

kernel void both_ways(int n, const int *a, const int *p, const int *r, int *q, int *s)
{
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * a[i * n + j];
            q[i] += a[i * n + j] * p[j];
        }
    }
}

// One vector in two roles, and one that overlaps another by half.
// run: both_ways_aliased n=13
// run: both_ways_aliased n=60
kernel void both_ways_aliased(int n, const int a[n * n], int x[n], int y[n], int z[2 * n])
{
    both_ways(n, a, x, y, x, z);
    both_ways(n, a, y, x, z, z + n / 2);
}
