// Loops inside a task that a GPU's team shares out although their iterations hand something on: they append to many
// lists, count into an array of the iteration's own, or keep running values. Lists that run into each other, and
// lengths of no, of one and of many elements.
#include <rill/kernel.h>

struct item {
    int key;
    short tag;
    double weight;
};
// struct item: ih2xd key tag weight

// Each row is sorted by its low bits: counted, summed up, put into place.
// run: rows rows=7 n=100 wild
// run: rows rows=1 n=5000 wild
// run: rows rows=40 n=33 wild
// run: rows rows=3 n=0
// run: rows rows=3 n=1
kernel void rows(int rows, int n, const unsigned in[rows][n], unsigned out[rows][n])
{
#pragma rill parallel
    for (int r = 0; r < rows; r++) {
        int at[64];
        int count[64] = {0};
        for (int i = 0; i < n; i++) {
            count[in[r][i] & 63]++;
        }
        int before = 0;
        for (int d = 0; d < 64; d++) {
            at[d] = before;
            before += count[d];
        }
        for (int i = 0; i < n; i++) {
            unsigned x = in[r][i];
            out[r][at[x & 63]++] = x;
        }
    }
}

// The lists begin close to each other, so that they overlap: what was stored last stays.
// run: crowded parts=9 n=400 wild
// run: crowded parts=1 n=3000 wild
kernel void crowded(int parts, int n, const int in[parts][n], int out[parts][n + 64], int ends[parts][8])
{
#pragma rill parallel
    for (int p = 0; p < parts; p++) {
        long at[8];
        for (int d = 0; d < 8; d++) {
            at[d] = 5 * d;
        }
        for (int i = 0; i < n; i++) {
            int x = in[p][i];
            out[p][at[x & 7]++] = x ^ i;
        }
        for (int d = 0; d < 8; d++) {
            ends[p][d] = (int)at[d];
        }
    }
}

// The later lists come first.
// run: downwards parts=4 n=1000 wild
kernel void downwards(int parts, int n, const int in[parts][n], int out[parts][3 * n])
{
#pragma rill parallel
    for (int p = 0; p < parts; p++) {
        int at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = (2 - d) * n;
        }
        for (int i = 0; i < n; i++) {
            out[p][at[(unsigned)in[p][i] % 3]++] = i;
        }
    }
}

// Several arrays, members, and elements that are copied whole.
// run: records parts=5 n=700
// run: records parts=2 n=97 wild
kernel void records(int parts, int n, const struct item in[parts * n], struct item out[parts * n],
                    struct item members[parts * n], int from[parts * n])
{
#pragma rill parallel
    for (int p = 0; p < parts; p++) {
        int at[16], count[16];
        for (int d = 0; d < 16; d++) {
            count[d] = 0;
        }
        for (int i = p * n; i < (p + 1) * n; i++) {
            count[in[i].key & 15]++;
        }
        int before = p * n;
        for (int d = 0; d < 16; d++) {
            at[d] = before;
            before += count[d];
        }
        for (int i = p * n; i < (p + 1) * n; i++) {
            struct item item = in[i];
            int place = at[item.key & 15]++;
            out[place] = item;
            members[place].key = item.key + 1;
            members[place].weight = item.weight;
            from[place] = i;
        }
    }
}

// In one array, from its upper half to its lower one: the launch cannot keep these apart.
// run: within n=600 wild
kernel void within(int n, int a[2 * n])
{
#pragma rill parallel
    for (int p = 0; p < 1; p++) {
        int at[2] = {0, n / 2};
        for (int i = 0; i < n; i++) {
            a[at[i & 1]++] = a[n + i];
        }
    }
}

// Least, most, bits: what a histogram keeps need not be a count.
// run: extremes parts=6 n=500 wild
// run: extremes parts=1 n=0
kernel void extremes(int parts, int n, const int in[parts][n], int most[parts][32], int64_t sums[parts][32],
                     unsigned bits[parts])
{
    for (int p = 0; p < parts; p++) {
        int best[32];
        int64_t sum[32];
        unsigned any[2];
        for (int d = 0; d < 32; d++) {
            best[d] = INT32_MIN;
            sum[d] = d;
        }
        any[0] = any[1] = 0;
        for (int i = 0; i < n; i++) {
            int d = (in[p][i] >> 3) & 31, x = in[p][i];
            if (x > best[d]) {
                best[d] = x;
            }
            sum[d] += x;
            any[i & 1] |= (unsigned)x;
        }
        for (int d = 0; d < 32; d++) {
            most[p][d] = best[d];
            sums[p][d] = sum[d];
        }
        bits[p] = any[0] ^ any[1];
    }
}

// Under a condition, and by a place that the loop moves on.
// run: some parts=6 n=500 wild
kernel void some(int parts, int n, const int in[parts][n], int count[parts][10])
{
    for (int p = 0; p < parts; p++) {
        int own[10] = {0};
        for (int i = 0; i < n; i++) {
            if (in[p][i] > 0) {
                int d = in[p][i] % 10;
                own[d] += 2;
                own[9 - d] -= 1;
            }
        }
        for (int d = 0; d < 10; d++) {
            count[p][d] = own[d];
        }
    }
}

// ---- running values

// run: sums rows=5 n=300 wild
// run: sums rows=70 n=1
// run: sums rows=2 n=4099 wild
// run: sums rows=2 n=0
kernel void sums(int rows, int n, const int in[rows][n], int64_t sum[rows][n], int most[rows][n], int64_t all[rows])
{
    for (int r = 0; r < rows; r++) {
        int64_t s = r;
        int m = INT32_MIN;
        for (int j = 0; j < n; j++) {
            int x = in[r][j];
            s += x;
            m = x > m ? x : m;
            sum[r][j] = s;
            most[r][j] = m;
        }
        all[r] = s;
    }
}

// What comes before, in place.
// run: before rows=9 n=257 wild
kernel void before(int rows, int n, unsigned a[rows][n])
{
    for (int r = 0; r < rows; r++) {
        unsigned s = 1;
        for (int j = n - 1; j >= 0; j--) {
            unsigned x = a[r][j];
            a[r][j] = s;
            s = s - x;
        }
    }
}

// Read again under a condition; and what is stored is read by the next iteration, so that this one is in order.
// run: mixed rows=9 n=257 wild
kernel void mixed(int rows, int n, const int in[rows][n], int out[rows][n], int steps[rows][n + 1])
{
    for (int r = 0; r < rows; r++) {
        int s = 0, t = 0;
        for (int j = 0; j < n; j++) {
            int x = in[r][j] & 0xff;
            s ^= x;
            if (s > 100) {
                out[r][j] = s;
            }
        }
        for (int j = 0; j < n; j++) {
            t += steps[r][j] & 7;
            steps[r][j + 1] = t;
        }
    }
}
