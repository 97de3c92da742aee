// Updates of shared memory: histograms, scatters, atomics, fields; their results do not depend on the order.
#include <rill/kernel.h>
#include <stdbool.h>
#include <stdint.h>

// run: counts n=5000 m=64
kernel void counts(int n, int m, const int key[n], int a[m], unsigned b[m], long c[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        a[k]++;
        b[k] -= i;
        c[k] += (long)i << 20;
    }
}

// run: bits n=5000 m=40
kernel void bits(int n, int m, const int key[n], unsigned a[m], uint64_t b[m], int c[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        a[k] |= 1u << i % 31;
        b[k] ^= (uint64_t)i * 0x9e3779b97f4a7c15u;
        c[k] &= ~(1 << i % 20);
    }
}

// run: small_types n=4000 m=30
kernel void small_types(int n, int m, const int key[n], uint8_t a[m], int16_t b[m], int8_t c[m], uint16_t d[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        a[k] += i;
        b[k] ^= i;
        c[k]--;
        d[k] |= i & 0x1111;
    }
}

// run: products n=2000 m=30
kernel void products(int n, int m, const int key[n], int a[m], uint64_t b[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        a[k] *= i | 1;
        b[k] = b[k] * (2 * i + 1);
    }
}

// run: float_scatter n=4000 m=32 ~ 1e-5
kernel void float_scatter(int n, int m, const int key[n], const float w[n], float a[m], double b[m])
{
    for (int i = 0; i < n; i++) {
        a[key[i] % m] += w[i];
        b[key[i] % m] -= w[i] * 0.5;
    }
}

// run: flags n=3000 m=50
kernel void flags(int n, int m, const int key[n], bool seen[m], int mark[m])
{
    for (int i = 0; i < n; i++) {
        if (key[i] > 60) {
            seen[key[i] % m] = true;
            mark[key[i] % m] = 7;
        }
    }
}

// run: logicals n=3000
kernel void logicals(int n, const int a[n], int out[2], bool flag[2])
{
    for (int i = 0; i < n; i++) {
        flag[0] = flag[0] && a[i] > 0;
        flag[1] = flag[1] || a[i] > 98;
        out[0] += flag[0] ? 0 : 1;
    }
}

// run: two_arrays n=3000 m=20
kernel void two_arrays(int n, int m, const int key[n], int a[m][m], int row[m])
{
    for (int i = 0; i < n; i++) {
        int r = key[i] % m, c = key[n - 1 - i] % m;
        a[r][c] += 1;
        a[c][r] += 2;
        row[r] -= c;
    }
}

// run: stencil_scatter n=1000
kernel void stencil_scatter(int n, const int a[n], int b[n + 2])
{
    for (int i = 0; i < n; i++) {
        b[i] += a[i];
        b[i + 1] += 2 * a[i];
        b[i + 2] += a[i];
    }
}

// run: atomics n=3000 m=25
kernel void atomics(int n, int m, const int key[n], int a[m], unsigned b[m], int lo[m], int hi[m], uint64_t bits[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        rill_atomic_add(&a[k], i);
        rill_atomic_xor(&b[k], (unsigned)i);
        rill_atomic_min(&lo[k], i - 5000);
        rill_atomic_max(&hi[k], i);
        rill_atomic_or(&bits[k], (uint64_t)1 << i % 64);
    }
}

// run: atomics_in_order n=200
kernel int atomics_in_order(int n, const int key[n], int a[8], long b[2])
{
    int sum = 0;
#pragma rill single
    for (int i = 0; i < n; i++) {
        sum = sum * 3 + rill_atomic_add(&a[0], key[i]);
        sum ^= rill_atomic_sub(&a[1], key[i]);
        sum += rill_atomic_mul(&a[2], 3);
        sum += rill_atomic_and(&a[3], ~i);
        sum += rill_atomic_exchange(&a[4], i);
        sum += rill_atomic_cas(&a[5], i, i + 2);
        sum += rill_atomic_cas(&a[6], a[6], a[6] + 1);
        sum += (int)rill_atomic_max(&b[0], (long)i * 5);
        sum += (int)rill_atomic_min(&b[1], (long)-i);
    }
    return sum;
}

// run: slots n=2000
kernel int slots(int n, const int a[n], int out[n], int count[1])
{
    count[0] = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            int at = rill_atomic_add(&count[0], 1);
            out[at] = 0; // which one is open; that it is one of them is not
        }
    }
    return count[0];
}

static int total;
static unsigned hash[16];
static double level = 2;

// run: fields n=3000
kernel double fields(int n, const int a[n], unsigned out[16])
{
    for (int i = 0; i < n; i++) {
        total += a[i];
        hash[a[i] % 16] ^= i * 2654435761u;
        level = fmax(level, a[i] * 0.5);
    }
    for (int i = 0; i < 16; i++) {
        out[i] = hash[i];
    }
    return total + level;
}

static void add_to(int *where, int value)
{
    *where += value;
}

static void bump_row(int m, int row[m], int k)
{
    row[k % m]++;
    row[(k + 1) % m] += 2;
}

// run: helpers n=2000 m=10
kernel void helpers(int n, int m, const int key[n], int a[m][m], int b[m])
{
    for (int i = 0; i < n; i++) {
        add_to(&b[key[i] % m], i);
        bump_row(m, a[key[i] % m], i);
    }
}

// run: plain_where_private n=100 m=50
kernel void plain_where_private(int n, int m, const int key[n][m], int a[n][16])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][key[i][j] % 16] += j;
        }
    }
}

// run: not_an_update n=500 m=20
kernel void not_an_update(int n, int m, const int a[n], int b[m])
{
    for (int i = 0; i < n; i++) { // reads what it writes: in order
        b[i % m] = b[i % m] * 3 + a[i];
    }
}

struct cell {
    int count;
    float heat;
    unsigned char tag;
};
// struct cell: ifB3x

// run: members n=3000 m=40
kernel void members(int n, int m, const int key[n], struct cell c[m])
{
    for (int i = 0; i < n; i++) {
        struct cell *p = &c[key[i] % m];
        p->count += i;
        p->heat = fmaxf(p->heat, i * 0.25f);
        p->tag |= i;
    }
}

// Inside a task the inner loop's updates are plain: its iterations are not independent then.
// run: keyed_rows n=50 m=70
kernel void keyed_rows(int n, int m, const uint8_t key[restrict n][m], int a[restrict n][16])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][key[i][j] % 16] += j;
        }
    }
}

// run: folded_rows n=50 m=70
kernel void folded_rows(int n, int m, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++) {
            a[i][0] += a[i][j];
        }
    }
}

// run: keyed_sums n=40 m=300
kernel void keyed_sums(int n, int m, const uint8_t key[restrict n][m], long out[restrict n])
{
    for (int i = 0; i < n; i++) {
        unsigned sum[32] = {0};
        uint8_t seen[32] = {0};
        for (int j = 0; j < m; j++) {
            sum[key[i][j] % 32] ^= j * 77u;
            seen[key[i][j] % 32] += 1;
        }
        out[i] = 0;
        for (int k = 0; k < 32; k++) {
            out[i] += (long)sum[k] * seen[k];
        }
    }
}

// The author's word on one index is none on the updates beside it.
// run: updates_beside_a_word n=1000
kernel long updates_beside_a_word(int n, int a[n], const int b[n], int t[4])
{
#pragma rill parallel
    for (int i = 0; i < (n & ~1); i++) {
        a[i ^ 1] = i;
        t[b[i] & 3] += 1;
    }
    return (long)t[0] + t[1] * 3 + t[2] * 5 + t[3] * 7;
}
