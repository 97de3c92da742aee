// Nests whose order has to be another one, with numbers gathered in memory: what is only gathered is no obstacle.
#include <rill/kernel.h>

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

// run: best_score n=7 m=13
// run: best_score n=50 m=70
// run: best_score n=300 m=200
kernel void best_score(int n, int m, const int x[n], const int y[m], int h[n + 1][m + 1], int most[1])
{
    most[0] = 0;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int s = h[i - 1][j - 1] % 100 + (x[i - 1] == y[j - 1] ? 3 : -3);
            s = max_of(s, h[i - 1][j] % 100 - 2);
            s = max_of(s, h[i][j - 1] % 100 - 2);
            h[i][j] = max_of(s, 0);
            most[0] = max_of(most[0], h[i][j]);
        }
    }
}

// Several, in the spellings that people use, of which one is under a condition.
// run: totals n=40 m=53
// run: totals n=5 m=150
// run: totals n=260 m=190
kernel void totals(int n, int m, int h[n][m], long long sums[2], int counts[3], float largest[1])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + 3 * h[i][j - 1] + i) % 1000;
            sums[0] += h[i][j];
            sums[1] ^= h[i][j] * 7;
            if (h[i][j] > 500) {
                counts[1]++;
            }
            if (counts[2] < h[i][j]) {
                counts[2] = h[i][j];
            }
            largest[0] = largest[0] > (float)h[i][j] ? largest[0] : (float)h[i][j];
        }
    }
}

// What is gathered is read on the way: in order.
// run: follows n=40 m=53
kernel void follows(int n, int m, int h[n][m], int most[1])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + h[i][j - 1] + most[0]) % 1000;
            most[0] = max_of(most[0], h[i][j]);
        }
    }
}

// Two ways that do not commute with each other: in order.
// run: mixed n=40 m=53
kernel void mixed(int n, int m, int h[n][m], int most[1])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + h[i][j - 1]) % 1000;
            most[0] += h[i][j] % 3;
            most[0] = max_of(most[0], h[i][j]);
        }
    }
}

// Into an element that varies with a loop of the nest.
// run: of_rows n=40 m=53
kernel void of_rows(int n, int m, int h[n][m], int most[n])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + h[i][j - 1]) % 1000;
            most[i] = max_of(most[i], h[i][j]);
        }
    }
}

// Into a struct's member, and into one that lies in the nest's own array, which is not gathered.
// struct found: ii least most
struct found {
    int least, most;
};
// run: members n=40 m=53
kernel void members(int n, int m, int h[n][m], struct found found[1])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + h[i][j - 1]) % 1000;
            found[0].most = max_of(found[0].most, h[i][j]);
            found[0].least = found[0].least < h[i][j] ? found[0].least : h[i][j];
        }
    }
}

// run: own_corner n=40 m=53
kernel void own_corner(int n, int m, int h[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < m; j++) {
            h[i][j] = (h[i - 1][j] + h[i][j - 1]) % 1000;
            h[0][0] = max_of(h[0][0], h[i][j]);
        }
    }
}
