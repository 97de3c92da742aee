// Textbook algorithms whose loops read what they write, through indices that are not followed or are computed in the
// body: every one of them must give serial C's result.
#include <rill/kernel.h>
#include <stdint.h>

// run: walsh_hadamard levels=12
kernel void walsh_hadamard(int levels, int a[1 << levels])
{
    for (int s = 0; s < levels; s++) {
        int half = 1 << s;
        for (int k = 0; k < (1 << levels) / 2; k++) {
            int j = (k >> s) * (2 * half) + (k & (half - 1));
            int x = a[j], y = a[j + half];
            a[j] = x + y;
            a[j + half] = x - y;
        }
    }
}

// run: bitonic_sort n=4096
kernel void bitonic_sort(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 7919 % 10007;
    }
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < n; i++) {
                int l = i ^ j;
                if (l > i && ((i & k) == 0) == (a[i] > a[l])) {
                    int t = a[i];
                    a[i] = a[l];
                    a[l] = t;
                }
            }
        }
    }
}

// run: knapsack n=60 capacity=5000
kernel int knapsack(int n, int capacity, const int weight[n], const int value[n], int best[capacity + 1])
{
    for (int w = 0; w <= capacity; w++) {
        best[w] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int w = capacity; w >= weight[i]; w--) {
            int with = best[w - weight[i]] + value[i];
            best[w] = with > best[w] ? with : best[w];
        }
    }
    return best[capacity];
}

// run: depths n=30000
kernel void depths(int n, int parent[n], int depth[n])
{
    for (int i = 0; i < n; i++) {
        parent[i] = i == 0 ? 0 : (int)((int64_t)i * 7919 % i);
    }
    depth[0] = 0;
    for (int i = 1; i < n; i++) {
        depth[i] = depth[parent[i]] + 1;
    }
}

// run: gauss_seidel n=5000 ~ 1e-5
kernel void gauss_seidel(int n, int column[4 * n], const float b[n], float x[n])
{
    for (int i = 0; i < 4 * n; i++) {
        column[i] = (int)((int64_t)i * 48271 % n);
    }
    for (int sweep = 0; sweep < 3; sweep++) {
        for (int i = 0; i < n; i++) {
            float sum = b[i];
            for (int k = 4 * i; k < 4 * i + 4; k++) {
                sum -= 0.125f * x[column[k]];
            }
            x[i] = sum * 0.5f;
        }
    }
}

// run: lz_copy n=40000
kernel void lz_copy(int n, const int back[n], uint8_t out[n])
{
    for (int i = 300; i < n; i++) {
        out[i] = (uint8_t)(out[i - back[i] % 5 - 1] + 1);
    }
}

// run: counting_sort n=40000
kernel void counting_sort(int n, int key[n], int start[256], int out[n])
{
    for (int k = 0; k < 256; k++) {
        start[k] = 0;
    }
    for (int i = 0; i < n; i++) {
        start[key[i] % 255 + 1]++;
    }
    for (int k = 1; k < 256; k++) {
        start[k] += start[k - 1];
    }
    for (int i = 0; i < n; i++) {
        out[start[key[i] % 255]++] = i;
    }
}

// run: colouring n=5000
kernel void colouring(int n, int edge[4 * n], int colour[n])
{
    for (int i = 0; i < 4 * n; i++) {
        edge[i] = (int)((int64_t)i * 7919 % n);
    }
    for (int i = 0; i < n; i++) {
        colour[i] = 0;
    }
    for (int v = 0; v < n; v++) {
        int used = 0;
        for (int k = 4 * v; k < 4 * v + 4; k++) {
            used |= 1 << colour[edge[k]];
        }
        int c = 1;
        while (used >> c & 1) {
            c++;
        }
        colour[v] = c;
    }
}

// run: relax n=3000 m=12000
kernel void relax(int n, int m, int from[m], int to[m], const int length[m], int distance[n])
{
    for (int e = 0; e < m; e++) {
        from[e] = (int)((int64_t)e * 7919 % n);
        to[e] = (int)((int64_t)e * 104729 % n);
    }
    for (int v = 0; v < n; v++) {
        distance[v] = v == 0 ? 0 : 1000000;
    }
    for (int round = 0; round < 4; round++) {
        for (int e = 0; e < m; e++) {
            int d = distance[from[e]] + length[e];
            if (d < distance[to[e]]) {
                distance[to[e]] = d;
            }
        }
    }
}

// run: shuffle n=30000
kernel void shuffle(int n, int a[n])
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)((int64_t)i * 48271 % (i + 1));
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}

// run: pointer_jumping n=20000 rounds=5
kernel void pointer_jumping(int n, int rounds, int next[n])
{
    for (int i = 0; i < n; i++) {
        next[i] = i + 1 < n ? i + 1 : i;
    }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++) {
            next[i] = next[next[i]];
        }
    }
}

// run: union_find n=5000
kernel void union_find(int n, int parent[n])
{
    for (int i = 0; i < n; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < n; i++) {
        int a = (int)((int64_t)i * 7919 % n), b = (int)((int64_t)i * 104729 % n);
        while (parent[a] != a) {
            a = parent[a];
        }
        while (parent[b] != b) {
            b = parent[b];
        }
        parent[a] = b;
    }
}

static int width = 3, factor = 0;
static const int shifts[4] = {0, 1, 2, 3};

// run: strides n=20000 k=8 l=3 f=0.5
// run: strides n=20000 k=2 l=1 f=1.5
kernel void strides(int n, int k, int l, float f, int x[8 * n], int y[8 * n], int z[8 * n], int u[n], int v[n])
{
    for (int i = 1; i < n; i++) {
        x[i * (k >> l)] = x[(i - 1) * (k >> l)] + 1;
    }
    for (int i = 0; i < n; i++) {
        y[i * (k > l)] = i;
    }
    for (int i = 1; i < n; i++) {
        z[i * (int)f] = z[(i - 1) * (int)f] + i;
    }
    for (int i = 0; i < n; i++) {
        u[i / width] = i;
    }
    for (int i = 0; i < n; i++) {
        u[i >> shifts[l]] += u[n - 1] + i;
    }
    for (int i = 0; i < n; i++) {
        v[i * factor] = i;
    }
}

// run: field_width n=200
kernel void field_width(int n, int a[4 * n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < width; j++) {
            a[i * width + j] += i * 10 + j;
        }
    }
}

// run: unlink n=20000
kernel void unlink(int n, int next[n + 1], int before[n + 1])
{
    for (int i = 0; i <= n; i++) {
        next[i] = (i + 1) % (n + 1);
        before[i] = (i + n) % (n + 1);
    }
    for (int i = 0; i < n; i += 2) {
        next[before[i]] = next[i];
        before[next[i]] = before[i];
    }
}

// run: prefix_doubling n=10000
kernel void prefix_doubling(int n, int a[n])
{
    for (int d = 1; d < n; d *= 2) {
        for (int i = n - 1; i >= d; i--) {
            a[i] += a[i - d];
        }
    }
}

// run: transpose_in_place n=150
kernel void transpose_in_place(int n, int a[n * n])
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
    }
}

// run: sieve n=50000
kernel int sieve(int n, uint8_t composite[n])
{
    for (int i = 0; i < n; i++) {
        composite[i] = 0;
    }
    for (int p = 2; p * p < n; p++) {
        if (!composite[p]) {
            for (int k = p * p; k < n; k += p) {
                composite[k] = 1;
            }
        }
    }
    int count = 0;
    for (int i = 2; i < n; i++) {
        count += !composite[i];
    }
    return count;
}
