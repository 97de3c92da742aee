// Loops that read through an index array what they write at an index that is followed.
//@ buffer b0 i32 64 range 0 9
//@ buffer b1 i32 64 below 0 0
//@ buffer b2 i32 64 range 1 9
//@ buffer b3 i32 64 range 0 63
//@ buffer b4 i32 128 range 0 99
//@ buffer b5 i32 64 range -9 9
//@ buffer b6 i32 64 range 0 9
//@ buffer b7 i32 64 perm 0 0
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
//@ array b3 0 64
//@ array b4 0 128
//@ array b5 0 64
//@ array b6 0 64
//@ array b7 0 64
#include <rill/kernel.h>

kernel void knapsack(int n, int dp[n], const int wt[n], const int value[n])
{
    for (int i = 0; i < n; i++) {
        for (int w = n - 1; w >= wt[i]; w--) {
            if (dp[w - wt[i]] + value[i] > dp[w]) dp[w] = dp[w - wt[i]] + value[i];
        }
    }
}

kernel void depths(int n, int depth[n], const int parent[n])
{
    depth[0] = 0;
    for (int i = 1; i < n; i++) depth[i] = depth[parent[i]] + 1;
}

kernel void gauss_seidel(int n, int x[n], const int column[n])
{
    for (int i = 0; i < n / 2; i++) {
        int sum = x[i];
        for (int k = 2 * i; k < 2 * i + 2; k++) sum -= x[column[k]] / 2;
        x[i] = sum;
    }
}

kernel void unpack(int n, int out[2 * n], const int distance[n])
{
    for (int i = 0; i < n; i++) out[n + i] = out[n + i - distance[i]];
}

kernel void colouring(int n, int colour[n], const int neighbour[n])
{
    for (int i = 0; i < n; i++) {
        int c = 0;
        for (int k = 0; k < 3; k++) {
            if (colour[neighbour[(i + k) % n]] == c) c++;
        }
        colour[i] = c;
    }
}

kernel void relaxation(int n, int dist[n], const int from[n], const int to[n])
{
    for (int i = 0; i < n; i++) {
        if (dist[from[i]] + 1 < dist[to[i]]) dist[to[i]] = dist[from[i]] + 1;
    }
}

kernel void shuffle(int n, int x[n], const int draw[n])
{
    for (int i = n - 1; i > 0; i--) {
        int j = draw[i] % (i + 1), t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
}

kernel void jumping(int n, int next[n])
{
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < n; i++) next[i] = next[next[i]];
    }
}

kernel void run(int n, int dp[n], const int parent[n], const int wt[n], int at[n], int out[2 * n], int x[n], int y[n],
                const int perm[n])
{
    knapsack(n, dp, wt, perm);
    colouring(n, y, at);
    relaxation(n, y, parent, perm);
    gauss_seidel(n, x, at);
    unpack(n, out, wt);
    depths(n, x, parent);
    shuffle(n, x, perm);
    jumping(n, at);
}
// nobody gives his word
