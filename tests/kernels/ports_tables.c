// Dynamic programming as it is brought from elsewhere.
#include <rill/kernel.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define H(i, j) h[(i) * (m + 1) + (j)]

// run: smith_waterman n=40 m=53
// run: smith_waterman n=5 m=150
kernel int smith_waterman(int n, int m, const char s[n], const char t[m], int h[(n + 1) * (m + 1)])
{
    int i, j, best = 0;
    for (i = 0; i <= n; i++) {
        H(i, 0) = 0;
    }
    for (j = 0; j <= m; j++) {
        H(0, j) = 0;
    }
    for (i = 1; i <= n; i++) {
        for (j = 1; j <= m; j++) {
            int diag = H(i - 1, j - 1) + (s[i - 1] == t[j - 1] ? 3 : -3);
            int up = H(i - 1, j) - 2;
            int left = H(i, j - 1) - 2;
            int x = MAX(MAX(diag, 0), MAX(up, left));
            H(i, j) = x;
            if (x > best) {
                best = x;
            }
        }
    }
    return best;
}

// run: needleman_wunsch n=40 m=53 gap=2
kernel void needleman_wunsch(int n, int m, const char a[n], const char b[m], int f[n + 1][m + 1], int gap)
{
    for (int i = 0; i <= n; i++) {
        f[i][0] = -i * gap;
    }
    for (int j = 0; j <= m; j++) {
        f[0][j] = -j * gap;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int match = f[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 1 : -1);
            int del = f[i - 1][j] - gap;
            int ins = f[i][j - 1] - gap;
            f[i][j] = match;
            if (del > f[i][j]) {
                f[i][j] = del;
            }
            if (ins > f[i][j]) {
                f[i][j] = ins;
            }
        }
    }
}

// Edit distance with two rows that swap.
// run: edit_rows n=40 m=53
// run: edit_rows n=3 m=300
kernel int edit_rows(int n, int m, const char s[n], const char t[m], int v0[m + 1], int v1[m + 1])
{
    int *prev = v0, *cur = v1, *tmp;
    int i, j;
    for (j = 0; j <= m; j++) {
        prev[j] = j;
    }
    for (i = 0; i < n; i++) {
        cur[0] = i + 1;
        for (j = 0; j < m; j++) {
            int cost = s[i] == t[j] ? 0 : 1;
            int d = prev[j + 1] + 1;
            if (cur[j] + 1 < d) {
                d = cur[j] + 1;
            }
            if (prev[j] + cost < d) {
                d = prev[j] + cost;
            }
            cur[j + 1] = d;
        }
        tmp = prev;
        prev = cur;
        cur = tmp;
    }
    return prev[m];
}

// Edit distance with one row and a saved corner.
// run: edit_one_row n=40 m=53
kernel int edit_one_row(int n, int m, const char s[n], const char t[m], int row[m + 1])
{
    for (int j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int old = row[j];
            int d = corner + (s[i - 1] != t[j - 1]);
            d = MIN(d, old + 1);
            d = MIN(d, row[j - 1] + 1);
            row[j] = d;
            corner = old;
        }
    }
    return row[m];
}

#define L(i, j) l[(i) * (m + 1) + (j)]
// run: lcs n=40 m=53
kernel void lcs(size_t n, size_t m, const char x[n], const char y[m], unsigned l[(n + 1) * (m + 1)])
{
    size_t i, j;
    for (i = 0; i <= n; i++) {
        for (j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                L(i, j) = 0;
            } else if (x[i - 1] == y[j - 1]) {
                L(i, j) = L(i - 1, j - 1) + 1;
            } else {
                L(i, j) = MAX(L(i - 1, j), L(i, j - 1));
            }
        }
    }
}

// run: knapsack n=30 cap=200
kernel int knapsack(int n, int cap, const int w[n], const int v[n], int k[n + 1][cap + 1])
{
    int i, c;
    for (i = 0; i <= n; i++) {
        for (c = 0; c <= cap; c++) {
            if (i == 0 || c == 0) {
                k[i][c] = 0;
            } else if (w[i - 1] <= c) {
                k[i][c] = MAX(v[i - 1] + k[i - 1][c - w[i - 1]], k[i - 1][c]);
            } else {
                k[i][c] = k[i - 1][c];
            }
        }
    }
    return k[n][cap];
}

// run: knapsack_rows n=30 cap=200
kernel int knapsack_rows(int n, int cap, const int w[n], const int v[n], int r0[cap + 1], int r1[cap + 1])
{
    int *old = r0, *new = r1;
    for (int c = 0; c <= cap; c++) {
        old[c] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c <= cap; c++) {
            new[c] = old[c];
            if (c >= w[i] && old[c - w[i]] + v[i] > new[c]) {
                new[c] = old[c - w[i]] + v[i];
            }
        }
        int *t = old;
        old = new;
        new = t;
    }
    return old[cap];
}

// run: knapsack_down n=30 cap=200
kernel void knapsack_down(int n, int cap, const int w[n], const int v[n], int best[cap + 1])
{
    for (int i = 0; i < n; i++) {
        for (int c = cap; c >= w[i]; c--) {
            if (best[c - w[i]] + v[i] > best[c]) {
                best[c] = best[c - w[i]] + v[i];
            }
        }
    }
}

// run: matrix_chain n=40
kernel void matrix_chain(int n, const int p[n + 1], int m[n + 1][n + 1])
{
    int i, j, k, len, q;
    for (i = 1; i <= n; i++) {
        m[i][i] = 0;
    }
    for (len = 2; len <= n; len++) {
        for (i = 1; i <= n - len + 1; i++) {
            j = i + len - 1;
            m[i][j] = 2147483647;
            for (k = i; k <= j - 1; k++) {
                q = m[i][k] + m[k + 1][j] + p[i - 1] * p[k] * p[j];
                if (q < m[i][j]) {
                    m[i][j] = q;
                }
            }
        }
    }
}

// run: optimal_bst n=40
kernel void optimal_bst(int n, const int freq[n], int cost[n][n])
{
    for (int i = n - 1; i >= 0; i--) {
        cost[i][i] = freq[i];
        for (int j = i + 1; j < n; j++) {
            int sum = 0;
            for (int k = i; k <= j; k++) {
                sum += freq[k];
            }
            int best = 1 << 30;
            for (int r = i; r <= j; r++) {
                int c = sum;
                if (r > i) {
                    c += cost[i][r - 1];
                }
                if (r < j) {
                    c += cost[r + 1][j];
                }
                if (c < best) {
                    best = c;
                }
            }
            cost[i][j] = best;
        }
    }
}

// run: longest_palindrome n=60
kernel int longest_palindrome(int n, const char s[n], int p[n][n])
{
    int best = 1;
    for (int i = n - 1; i >= 0; --i) {
        p[i][i] = 1;
        for (int j = i + 1; j < n; ++j) {
            if (s[i] == s[j]) {
                p[i][j] = j == i + 1 ? 2 : p[i + 1][j - 1] + 2;
            } else {
                p[i][j] = MAX(p[i + 1][j], p[i][j - 1]);
            }
            best = MAX(best, p[i][j]);
        }
    }
    return best;
}

// Viterbi with two rows by parity.
// run: viterbi steps=20 n=30 ~ 1e-6
kernel void viterbi(int steps, int n, const float trans[n][n], const float emit[steps][n], float p[2][n],
                    int back[steps][n])
{
    for (int t = 1; t < steps; t++) {
        float *cur = p[t & 1], *last = p[(t - 1) & 1];
        for (int j = 0; j < n; j++) {
            float best = -1e30f;
            int arg = 0;
            for (int i = 0; i < n; i++) {
                float x = last[i] + trans[i][j];
                if (x > best) {
                    best = x;
                    arg = i;
                }
            }
            cur[j] = best + emit[t][j];
            back[t][j] = arg;
        }
    }
}

// Seam carving: least path from the top.
// run: seam h=40 w=60
kernel void seam(int h, int w, const int energy[h * w], int cost[h * w])
{
    for (int x = 0; x < w; x++) {
        cost[x] = energy[x];
    }
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int best = cost[(y - 1) * w + x];
            if (x > 0 && cost[(y - 1) * w + x - 1] < best) {
                best = cost[(y - 1) * w + x - 1];
            }
            if (x < w - 1 && cost[(y - 1) * w + x + 1] < best) {
                best = cost[(y - 1) * w + x + 1];
            }
            cost[y * w + x] = energy[y * w + x] + best;
        }
    }
}

// Grid path from the lower right corner (dungeon game).
// run: paths h=40 w=60
kernel void paths(unsigned h, unsigned w, unsigned d[h][w])
{
    for (unsigned y = h; y-- > 0;) {
        for (unsigned x = w; x-- > 0;) {
            if (y == h - 1 && x == w - 1) {
                continue;
            }
            unsigned a = y + 1 < h ? d[y + 1][x] : 0xffffffffu;
            unsigned b = x + 1 < w ? d[y][x + 1] : 0xffffffffu;
            d[y][x] += a < b ? a : b;
        }
    }
}

// Dynamic time warping, C89.
// run: dtw n=40 m=53 a=40 b=53 d=2120
kernel double dtw(int n, int m, const double *a, const double *b, double *d)
{
    int i, j;
    double cost, best;
    for (i = 1; i < n; i++) {
        for (j = 1; j < m; j++) {
            cost = a[i] - b[j];
            if (cost < 0) {
                cost = -cost;
            }
            best = d[(i - 1) * m + j];
            if (d[i * m + j - 1] < best) {
                best = d[i * m + j - 1];
            }
            if (d[(i - 1) * m + j - 1] < best) {
                best = d[(i - 1) * m + j - 1];
            }
            d[i * m + j] = cost + best;
        }
    }
    return d[n * m - 1];
}

// Coins: one table.
// run: coins k=10 sum=500
kernel void coins(int k, int sum, const int coin[k], unsigned ways[sum + 1])
{
    for (int i = 0; i <= sum; i++) {
        ways[i] = 0;
    }
    ways[0] = 1;
    for (int c = 0; c < k; c++) {
        for (int s = coin[c]; s <= sum; s++) {
            ways[s] += ways[s - coin[c]];
        }
    }
}

// Pascal's triangle.
// run: pascal n=60
kernel void pascal(int n, unsigned c[n][n])
{
    for (int i = 0; i < n; i++) {
        c[i][0] = c[i][i] = 1;
        for (int j = 1; j < i; j++) {
            c[i][j] = c[i - 1][j - 1] + c[i - 1][j];
        }
    }
}

// Longest increasing subsequence, quadratic.
// run: lis n=100
kernel int lis(int n, const int a[n], int len[n])
{
    int best = 0;
    for (int i = 0; i < n; i++) {
        len[i] = 1;
        for (int j = 0; j < i; j++) {
            if (a[j] < a[i] && len[j] + 1 > len[i]) {
                len[i] = len[j] + 1;
            }
        }
        if (len[i] > best) {
            best = len[i];
        }
    }
    return best;
}

// run: sieve n=2000
kernel void sieve(int n, unsigned char prime[n + 1])
{
    for (int i = 0; i <= n; i++) {
        prime[i] = 1;
    }
    prime[0] = prime[1] = 0;
    for (int p = 2; p * p <= n; p++) {
        if (prime[p]) {
            for (int i = p * p; i <= n; i += p) {
                prime[i] = 0;
            }
        }
    }
}
