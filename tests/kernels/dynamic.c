// Dynamic programmes, sorts and sums: tables that are filled from what stands in them already. All over integers.
#include <rill/kernel.h>
#include <stdint.h>

// run: floyd_warshall n=13
// run: floyd_warshall n=50
// run: floyd_warshall n=1
kernel void floyd_warshall(int n, int path[n][n])
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            for (j = 0; j < n; j++) {
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
            }
        }
    }
}

// Negative lengths make cycles that go on falling: row and column k change while k is taken.
// run: floyd_negative n=9
// run: floyd_negative n=30
kernel void floyd_negative(int n, int path[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            path[i][j] -= 40;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (path[i][k] + path[k][j] < path[i][j]) {
                    path[i][j] = path[i][k] + path[k][j];
                }
            }
        }
    }
}

// run: closure n=13
// run: closure n=60
kernel void closure(int n, uint8_t reach[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            reach[i][j] = reach[i][j] > 90;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
            }
        }
    }
}

// By the length of the chain.
// run: matrix_chain n=13
// run: matrix_chain n=60
// run: matrix_chain n=1
kernel long matrix_chain(int n, const int p[n + 1], long cost[n][n])
{
    for (int i = 0; i < n; i++) {
        cost[i][i] = 0;
    }
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i <= n - length; i++) {
            int j = i + length - 1;
            cost[i][j] = 1L << 60;
            for (int k = i; k < j; k++) {
                long q = cost[i][k] + cost[k + 1][j] + (long)p[i] * p[k + 1] * p[j + 1];
                if (q < cost[i][j]) {
                    cost[i][j] = q;
                }
            }
        }
    }
    return cost[0][n - 1];
}

// By the beginning of the interval, from the last.
// run: intervals n=13
// run: intervals n=60
kernel void intervals(int n, const int w[n], int cost[n][n])
{
    for (int i = n - 1; i >= 0; i--) {
        cost[i][i] = w[i];
        for (int j = i + 1; j < n; j++) {
            int best = cost[i][i] + cost[i + 1][j];
            for (int k = i + 1; k < j; k++) {
                int c = cost[i][k] + cost[k + 1][j];
                best = c < best ? c : best;
            }
            cost[i][j] = best + w[i] * w[j];
        }
    }
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

// The folding of a chain whose bases pair: the most pairs of each interval.
// run: folding n=13
// run: folding n=60
// run: folding n=0
kernel void folding(int n, const int base[n], int table[n][n])
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            table[i][j] = 0;
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++) {
            if (j - 1 >= 0) {
                table[i][j] = max_of(table[i][j], table[i][j - 1]);
            }
            if (i + 1 < n) {
                table[i][j] = max_of(table[i][j], table[i + 1][j]);
            }
            if (j - 1 >= 0 && i + 1 < n) {
                if (i < j - 1) {
                    table[i][j] = max_of(table[i][j], table[i + 1][j - 1] + ((base[i] + base[j]) % 4 == 3));
                } else {
                    table[i][j] = max_of(table[i][j], table[i + 1][j - 1]);
                }
            }
            for (k = i + 1; k < j; k++) {
                table[i][j] = max_of(table[i][j], table[i][k] + table[k + 1][j]);
            }
        }
    }
}

// run: common_subsequence n=7 m=13
// run: common_subsequence n=60 m=41
// run: common_subsequence n=0 m=5
kernel int common_subsequence(int n, int m, const int x[n], const int y[m], int c[n + 1][m + 1])
{
    for (int i = 0; i <= n; i++) {
        c[i][0] = 0;
    }
    for (int j = 0; j <= m; j++) {
        c[0][j] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            if (x[i - 1] % 4 == y[j - 1] % 4) {
                c[i][j] = c[i - 1][j - 1] + 1;
            } else {
                c[i][j] = c[i - 1][j] >= c[i][j - 1] ? c[i - 1][j] : c[i][j - 1];
            }
        }
    }
    return c[n][m];
}

// run: edit_distance n=7 m=13
// run: edit_distance n=50 m=70
kernel int edit_distance(int n, int m, const int x[n], const int y[m], int d[n + 1][m + 1])
{
    int i, j, a, b, c;
    for (i = 0; i <= n; i++) {
        d[i][0] = i;
    }
    for (j = 1; j <= m; j++) {
        d[0][j] = j;
    }
    for (i = 1; i <= n; i++) {
        for (j = 1; j <= m; j++) {
            a = d[i - 1][j] + 1;
            b = d[i][j - 1] + 1;
            c = d[i - 1][j - 1] + (x[i - 1] % 5 != y[j - 1] % 5);
            d[i][j] = a < b ? (a < c ? a : c) : (b < c ? b : c);
        }
    }
    return d[n][m];
}

// Two rows are enough.
// run: edit_distance_rows n=7 m=13
// run: edit_distance_rows n=50 m=70
kernel int edit_distance_rows(int n, int m, const int x[n], const int y[m], int d[2][m + 1])
{
    for (int j = 0; j <= m; j++) {
        d[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        d[i & 1][0] = i;
        for (int j = 1; j <= m; j++) {
            int best = d[~i & 1][j - 1] + (x[i - 1] % 5 != y[j - 1] % 5);
            if (d[~i & 1][j] + 1 < best) {
                best = d[~i & 1][j] + 1;
            }
            if (d[i & 1][j - 1] + 1 < best) {
                best = d[i & 1][j - 1] + 1;
            }
            d[i & 1][j] = best;
        }
    }
    return d[n & 1][m];
}

// run: smith_waterman n=7 m=13
// run: smith_waterman n=50 m=70
kernel int smith_waterman(int n, int m, const int x[n], const int y[m], int h[n + 1][m + 1])
{
    int most = 0;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            h[i][j] = 0;
        }
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int s = h[i - 1][j - 1] + (x[i - 1] % 4 == y[j - 1] % 4 ? 3 : -3);
            s = max_of(s, h[i - 1][j] - 2);
            s = max_of(s, h[i][j - 1] - 2);
            h[i][j] = max_of(s, 0);
            most = max_of(most, h[i][j]);
        }
    }
    return most;
}

// The whole table.
// run: knapsack_table n=9 w=60
// run: knapsack_table n=40 w=500
// run: knapsack_table n=0 w=7
kernel int knapsack_table(int n, int w, const int weight[n], const int value[n], int best[n + 1][w + 1])
{
    for (int c = 0; c <= w; c++) {
        best[0][c] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int c = 0; c <= w; c++) {
            best[i][c] = best[i - 1][c];
            if (c >= weight[i - 1] && best[i - 1][c - weight[i - 1]] + value[i - 1] > best[i][c]) {
                best[i][c] = best[i - 1][c - weight[i - 1]] + value[i - 1];
            }
        }
    }
    return best[n][w];
}

// One row, from its end; and from its beginning, which takes each thing as often as one likes.
// run: knapsack_row n=9 w=60
// run: knapsack_row n=40 w=500
kernel void knapsack_row(int n, int w, const int weight[n], const int value[n], int once[w + 1], int often[w + 1])
{
    for (int c = 0; c <= w; c++) {
        once[c] = often[c] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int c = w; c >= weight[i]; c--) {
            if (once[c - weight[i]] + value[i] > once[c]) {
                once[c] = once[c - weight[i]] + value[i];
            }
        }
        for (int c = weight[i]; c <= w; c++) {
            if (often[c - weight[i]] + value[i] > often[c]) {
                often[c] = often[c - weight[i]] + value[i];
            }
        }
    }
}

// Ways to pay a sum with coins.
// run: coins n=5 w=100
// run: coins n=8 w=900
kernel void coins(int n, int w, const int coin[n], uint64_t ways[w + 1])
{
    for (int c = 1; c <= w; c++) {
        ways[c] = 0;
    }
    ways[0] = 1;
    for (int i = 0; i < n; i++) {
        for (int c = coin[i]; c <= w; c++) {
            ways[c] += ways[c - coin[i]];
        }
    }
}

// run: pascal n=13
// run: pascal n=70
kernel void pascal(int n, unsigned b[n][n])
{
    for (int i = 0; i < n; i++) {
        b[i][0] = 1;
        for (int j = 1; j <= i; j++) {
            b[i][j] = b[i - 1][j - 1] + (j < i ? b[i - 1][j] : 0);
        }
    }
}

// The least path through a grid, down and to the right.
// run: grid_path n=7 m=13
// run: grid_path n=60 m=41
kernel int grid_path(int n, int m, const int cost[n][m], int best[n][m])
{
    best[0][0] = cost[0][0];
    for (int j = 1; j < m; j++) {
        best[0][j] = best[0][j - 1] + cost[0][j];
    }
    for (int i = 1; i < n; i++) {
        best[i][0] = best[i - 1][0] + cost[i][0];
        for (int j = 1; j < m; j++) {
            int above = best[i - 1][j], left = best[i][j - 1];
            best[i][j] = cost[i][j] + (above < left ? above : left);
        }
    }
    return best[n - 1][m - 1];
}

// Viterbi: the best state before, for each state, at each time.
// run: viterbi steps=7 n=5
// run: viterbi steps=40 n=30
kernel void viterbi(int steps, int n, const int move[n][n], const int emit[steps][n], int score[steps][n],
                    int from[steps][n])
{
    for (int j = 0; j < n; j++) {
        score[0][j] = emit[0][j];
    }
    for (int t = 1; t < steps; t++) {
        for (int j = 0; j < n; j++) {
            int best = -1, where = 0;
            for (int i = 0; i < n; i++) {
                if (score[t - 1][i] + move[i][j] > best) {
                    best = score[t - 1][i] + move[i][j];
                    where = i;
                }
            }
            score[t][j] = best + emit[t][j];
            from[t][j] = where;
        }
    }
}

// ---- in place -----------------------------------------------------------------------------------------------------

// run: prefix_sum n=13
// run: prefix_sum n=3000
// run: prefix_sum n=0
kernel void prefix_sum(int n, const int a[n], long s[n + 1])
{
    s[0] = 0;
    for (int i = 0; i < n; i++) {
        s[i + 1] = s[i] + a[i];
    }
}

// run: prefix_rows n=13 m=7
// run: prefix_rows n=9 m=300
kernel void prefix_rows(int n, int m, int a[n][m], int last[n])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
            a[i][j] = sum;
        }
        last[i] = sum;
    }
}

// run: bubble_sort n=13
// run: bubble_sort n=90
kernel void bubble_sort(int n, int a[n])
{
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
        }
    }
}

// Even and odd neighbours in turn: each turn is independent.
// run: odd_even_sort n=13
// run: odd_even_sort n=150
kernel void odd_even_sort(int n, int a[n])
{
    for (int round = 0; round < n; round++) {
        for (int j = round % 2; j + 1 < n; j += 2) {
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
        }
    }
}

// run: transpose n=13
// run: transpose n=60
kernel void transpose(int n, int a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
    }
}

// run: rotate_rows n=13 m=9
kernel void rotate_rows(int n, int m, short a[n][m])
{
    for (int i = 0; i < n; i++) {
        short first = a[i][0];
        for (int j = 0; j < m - 1; j++) {
            a[i][j] = a[i][j + 1];
        }
        a[i][m - 1] = first;
    }
}
