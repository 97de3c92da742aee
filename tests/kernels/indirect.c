// Pointers, members and addresses that the analysis has to follow: aliases, slices, structs of arrays, tables.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

// run: slices n=30000
kernel void slices(int n, int a[3 * n])
{
    int *x = a, *y = a + n, *z = &a[2 * n];
    for (int i = 0; i < n; i++) {
        z[i] = x[i] + y[n - 1 - i];
    }
}

// run: overlapping_slices n=30000 k=1
// run: overlapping_slices n=30000 k=30000
kernel void overlapping_slices(int n, int k, int a[2 * n])
{
    int *x = a, *y = a + k;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + 1;
    }
}

// run: moving n=20000
kernel int moving(int n, int a[n])
{
    int *p = a;
    for (int i = 0; i < n; i++) {
        *p++ = i * 3;
    }
    for (int i = 0; i < n; i++) {
        *--p += i;
    }
    return (int)(p - a);
}

// run: double_buffer n=5000 steps=9
kernel int double_buffer(int n, int steps, int a[n], int b[n])
{
    int *from = a, *to = b;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            to[i] = from[i] + from[(i + 1) % n] % 7;
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    return from[n / 2];
}

// run: rows_by_parity n=200 m=150
kernel void rows_by_parity(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i += 2) {
        for (int j = 0; j < m; j++) {
            a[i][j] = a[i - 1][j] * 2;
        }
    }
}

struct soa {
    int n;
    float x[64], y[64];
    uint8_t alive[64];
};

static struct soa store;

// run: struct_of_arrays n=64
kernel float struct_of_arrays(int n, const float a[n], float out[n])
{
    store.n = n;
    for (int i = 0; i < 64; i++) {
        store.x[i] = a[i];
        store.y[i] = -a[i];
        store.alive[i] = a[i] > 10;
    }
    for (int i = 1; i < store.n; i++) {
        out[i] = store.alive[i] ? store.x[i - 1] + store.y[i] : 0;
    }
    return store.x[3];
}

static int levels[4][32];

// run: field_levels n=32
kernel int field_levels(int n, const int a[n])
{
    for (int i = 0; i < 32; i++) {
        levels[0][i] = a[i];
    }
    for (int l = 1; l < 4; l++) {
        for (int i = 0; i < 32 >> l; i++) {
            levels[l][i] = levels[l - 1][2 * i] + levels[l - 1][2 * i + 1];
        }
    }
    return levels[3][0] * 1000 + levels[3][3];
}

// run: alias_of_local n=200
kernel void alias_of_local(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], y = i, *p = a[i] > 50 ? &x : &y;
        *p += 100;
        out[i] = x * 2 + y;
    }
}

// run: array_of_pointers n=100
kernel void array_of_pointers(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int p = 1, q = 2, r = 3;
        int *all[3] = {&p, &q, &r};
        *all[a[i] % 3] = a[i];
        *all[i % 3] *= 2;
        out[i] = p + q * 3 + r * 5;
    }
}

static void rotate(int *a, int *b, int *c)
{
    int t = *a;
    *a = *b;
    *b = *c;
    *c = t;
}

// run: rotations n=3000
kernel void rotations(int n, int a[3 * n])
{
    for (int i = 0; i < n; i++) {
        rotate(&a[3 * i], &a[3 * i + 1], &a[3 * i + 2]);
    }
}

// run: same_place n=100
kernel int same_place(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        rotate(&a[i], &a[i], &a[n - 1]);
    }
    return a[0];
}

static int lookup(const uint8_t *table, int size, int key)
{
    int lo = 0, hi = size;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (table[mid] < key) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static const uint8_t steps_table[10] = {3, 9, 20, 33, 41, 58, 66, 79, 85, 96};

// run: searches n=5000
kernel void searches(int n, const int key[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = lookup(steps_table, 10, key[i]);
    }
}

// run: csr n=200 m=2000
kernel void csr(int n, int m, int start[n + 1], const int column[m], const int value[m], const int x[n], int y[n])
{
    for (int i = 0; i <= n; i++) {
        start[i] = i * (m / n);
    }
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) {
            s += value[k] * x[column[k] % n];
        }
        y[i] = s;
    }
}

// run: worklist n=500
kernel int worklist(int n, int a[n], int queue[n])
{
    int head = 0, tail = 0, visited = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int at = queue[head++];
        visited++;
        for (int k = 1; k <= 2; k++) {
            int next = at * 2 + k;
            if (next < n && a[next] > 5) {
                a[next] = 0;
                queue[tail++] = next;
            }
        }
    }
    return visited;
}

// run: union_find n=300 m=400
kernel int union_find(int n, int m, int parent[n], const int x[m], const int y[m])
{
    int sets = n;
    for (int i = 0; i < n; i++) {
        parent[i] = i;
    }
// The indices come from memory, so the order has to be asked for.
#pragma rill serial
    for (int e = 0; e < m; e++) {
        int a = (x[e] * 31 + e) % n, b = (y[e] * 17) % n;
        while (parent[a] != a) {
            parent[a] = parent[parent[a]];
            a = parent[a];
        }
        while (parent[b] != b) {
            b = parent[b];
        }
        if (a != b) {
            parent[a] = b;
            sets--;
        }
    }
    return sets;
}

// run: bytes_as_words n=256
kernel uint32_t bytes_as_words(int n, uint8_t a[4 * n])
{
    uint32_t h = 0;
    uint32_t *w = (uint32_t *)a;
    for (int i = 0; i < n; i++) {
        w[i] = w[i] << 8 | w[i] >> 24;
    }
    for (int i = 0; i < 4 * n; i++) {
        h = h * 31 + a[i];
    }
    return h;
}

// run: partial_writes n=5000
kernel void partial_writes(int n, uint32_t a[n])
{
    for (int i = 0; i < n; i++) {
        uint8_t *b = (uint8_t *)&a[i];
        b[1] = i;
        ((uint16_t *)b)[1] ^= 0x5555;
    }
}

// run: const_and_restrict n=5000 a=5000 b=5000
kernel void const_and_restrict(int n, const int *restrict a, int *restrict b, int c[restrict n])
{
    for (int i = 0; i < n; i++) {
        b[i] = a[i] + 1;
        c[i] = a[n - 1 - i];
    }
}

// run: transposed_blocks n=64
kernel void transposed_blocks(int n, const int a[n][n], int b[n][n])
{
    for (int bi = 0; bi < n; bi += 8) {
        for (int bj = 0; bj < n; bj += 8) {
            for (int i = bi; i < bi + 8; i++) {
                for (int j = bj; j < bj + 8; j++) {
                    b[j][i] = a[i][j];
                }
            }
        }
    }
}

// run: histogram_rows n=100 m=80
kernel void histogram_rows(int n, int m, const uint8_t a[n][m], int h[256])
{
    for (int i = 0; i < n; i++) {
        int own[256];
        memset(own, 0, sizeof own);
        for (int j = 0; j < m; j++) {
            own[a[i][j]]++;
        }
        for (int k = 0; k < 256; k++) {
            h[k] += own[k];
        }
    }
}
