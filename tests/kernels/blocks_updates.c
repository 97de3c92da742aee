// stream_parallel: memory that several blocks update by one class of operators.
#include <math.h>
#include <rill/kernel.h>
#include <stdint.h>

// Serial statements that update: no loop makes them atomic, the other block does.
// run: statements n=1
kernel int statements(int n, int a[n], int sum[1])
{
    for (int t = 0; t < 200; t++) {
        stream_parallel
        {
            sum[0] += t;
        }
        stream_parallel
        {
            sum[0] -= 2 * t;
        }
        stream_parallel
        {
            sum[0]++;
        }
        stream_parallel
        {
            sum[0]--;
            sum[0] += 3;
        }
    }
    return a[0] + sum[0];
}

// run: elements n=3000
kernel void elements(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] += i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[n - 1 - i] -= 3 * i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n / 2; i++) {
            a[i * 2]++;
        }
    }
}

// run: serial_loops n=3000
kernel void serial_loops(int n, int a[4])
{
    stream_parallel
    {
#pragma rill single
        for (int i = 0; i < n; i++) {
            a[i % 3] += i;
        }
    }
    stream_parallel
    {
#pragma rill single
        for (int i = 0; i < n; i++) {
            a[i % 4] += 2 * i;
        }
    }
}

// run: reductions n=5000
kernel void reductions(int n, const int a[n], int sum[1], int low[1], int high[1], unsigned bits[1])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            sum[0] += a[i];
            if (a[i] < low[0]) {
                low[0] = a[i];
            }
            high[0] = high[0] > a[i] ? high[0] : a[i];
            bits[0] ^= (unsigned)a[i] * 77u;
        }
    }
    stream_parallel
    {
        for (int i = n - 1; i >= 0; i--) {
            sum[0] -= a[i] / 2;
            low[0] = a[i] - 3 < low[0] ? a[i] - 3 : low[0];
            if (high[0] < a[i] * 2) {
                high[0] = a[i] * 2;
            }
            bits[0] ^= (unsigned)a[i] << 3;
        }
    }
}

// run: classes n=2000 wild
kernel void classes(int n, const int a[n], int and_[8], int or_[8], int xor_[8], int product[8], int min[8], int max[8])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            and_[i & 7] &= a[i] | 0xff00;
            or_[i & 7] |= a[i] & 0xf0;
            xor_[i & 7] ^= a[i];
            product[i & 7] *= a[i] | 1;
            if (a[i] < min[i & 7]) {
                min[i & 7] = a[i];
            }
            if (a[i] > max[i & 7]) {
                max[i & 7] = a[i];
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            and_[(i + 1) & 7] &= a[i] | 0xff;
            or_[(i + 3) & 7] |= a[i] & 0xf000;
            xor_[(i * 3) & 7] ^= a[i] * 5;
            product[(i + 5) & 7] *= 3;
            if (min[(i + 2) & 7] > a[i] / 2) {
                min[(i + 2) & 7] = a[i] / 2;
            }
            if (max[i & 7] < -a[i]) {
                max[i & 7] = -a[i];
            }
        }
    }
}

// run: small_types n=2000
kernel void small_types(int n, const int a[n], int8_t b[4], uint16_t s[4], uint8_t any[2], uint8_t all[2])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i & 3] += 1;
            s[i & 3] += 7;
            any[i & 1] |= a[i] == 5;
            all[i & 1] &= a[i] > 0;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i & 3] -= 3;
            s[i % 3] += 9;
            any[0] |= a[i] == 500;
            all[1] &= a[i] < 1000;
        }
    }
}

// Whole numbers in floats: the order does not show.
// run: floats n=3000
kernel void floats(int n, const int a[n], float f[3], double d[3], float low[1], double high[1])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            f[i % 3] += (float)a[i];
            d[0] += a[i];
            low[0] = fminf(low[0], (float)a[i]);
            high[0] = fmax(high[0], a[i]);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            f[i & 1] -= (float)(a[i] / 2);
            d[i % 3] += a[i];
            low[0] = fminf((float)-a[i], low[0]);
            high[0] = fmax(3.0 * a[i], high[0]);
        }
    }
}

static void deposit(int *to, int value)
{
    *to += value;
}
static void deposit_twice(int *cells, int i, int value)
{
    deposit(&cells[i], value);
    deposit(cells + i, 2 * value);
}
static void keep_low(int *to, int value)
{
    if (value < *to) {
        *to = value;
    }
}

// run: through_helpers n=2500
kernel void through_helpers(int n, const int a[n], int cells[16], int low[1])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            deposit_twice(cells, a[i] & 15, i);
            keep_low(low, a[i]);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            deposit(&cells[i & 15], -a[i]);
            keep_low(&low[0], a[i] - 50);
        }
    }
    stream_parallel
    {
        deposit(&cells[3], 1000);
        keep_low(low, -3);
    }
}

static int counter;
static struct {
    long hits;
    long misses;
} score;

// run: field_updates n=3000
kernel long field_updates(int n, const int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            counter += a[i];
            if (a[i] > 50) {
                score.hits++;
            } else {
                score.misses++;
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            counter -= 2;
            score.hits += a[i] & 1;
        }
    }
    stream_parallel
    {
        counter++;
        score.misses -= 5;
    }
    return counter + score.hits * 1000 + score.misses * 1000000;
}

struct bin {
    int count;
    float weight;
};

// struct bin: if count weight
// run: struct_updates n=2000
kernel void struct_updates(int n, const int a[n], struct bin bins[10])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            bins[a[i] % 10].count++;
            bins[i % 10].weight += 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            bins[i % 10].count += a[i];
            bins[a[i] % 10].weight -= 2;
        }
    }
}

// One block updates what the other takes by explicit atomics.
// run: explicit n=2000
kernel void explicit(int n, const int a[n], int sum[1], int max[4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            rill_atomic_add(&sum[0], a[i]);
            rill_atomic_max(&max[i & 3], a[i]);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            sum[0] += i;
            if (a[i] * 2 > max[a[i] & 3]) {
                max[a[i] & 3] = a[i] * 2;
            }
        }
    }
}

// Two arguments that are two arrays: each update is plain, the launch finds them apart.
// run: two_sums n=2000
kernel void two_sums(int n, const int a[n], int x[1], int y[1])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            x[0] += a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            y[0] += 2 * a[i];
        }
    }
}

// An update in two blocks inside a time loop that reads it between.
// run: read_between n=500 steps=12
kernel void read_between(int n, int steps, int a[n], long trail[steps], long sum[1])
{
    for (int t = 0; t < steps; t++) {
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                sum[0] += a[i];
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                sum[0] -= i;
            }
        }
        trail[t] = sum[0];
        for (int i = 0; i < n; i++) {
            a[i] ^= (int)(sum[0] & 15);
        }
    }
}

// Nested loops, collapsed or not: the inner update is shared with the other block only.
// run: nested n=40 m=30
kernel void nested(int n, int m, const int a[n][m], int rows[n], int cols[m])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                rows[i] += a[i][j];
            }
        }
    }
    stream_parallel
    {
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < n; i++) {
                cols[j] += a[i][j];
                rows[i] += 1;
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            rows[i] -= 5;
        }
        for (int j = 0; j < m; j++) {
            cols[j] += j;
        }
    }
}

// The loop runs in order (a value is carried), its update is shared all the same.
// run: carried n=1000
kernel void carried(int n, const int a[n], int sum[1], int last[1])
{
    stream_parallel
    {
        int x = 1;
        for (int i = 0; i < n; i++) {
            x = x * 31 + a[i];
            sum[0] += x & 7;
        }
        last[0] = x;
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            sum[0] += a[i];
        }
    }
}

#define ROUND x ^= x >> 7, x *= 0x9e3779b1u, x += x << 3;
#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND

static unsigned scramble(unsigned x)
{
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS return x;
}

// Too much for a helper to be taken into the kernel; what it updates is shared by the blocks all the same.
static void strew(unsigned *to, unsigned x)
{
    ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
        ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
            ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS
                ROUNDS ROUNDS *to += x & 255;
}

// run: scrambled n=300
kernel void scrambled(int n, unsigned a[n], unsigned sum[2])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = scramble(a[i]);
        }
        strew(&sum[0], 1);
        strew(&sum[1], 2);
    }
    stream_parallel
    {
#pragma rill single
        for (int i = 0; i < n; i++) {
            strew(&sum[i & 1], (unsigned)i);
        }
    }
}

// Minima that do not commute: of 3 and -1 either may be the lesser. In order, C's result comes out under every
// schedule. run: two_minima n=64
kernel void two_minima(int n, const int a[n], int x[n], float y[n])
{
    unsigned *bits = (unsigned *)x;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (a[i] < x[i % 5]) {
                x[i % 5] = a[i];
            }
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if ((unsigned)(a[i] - 7) < bits[i % 7]) {
                bits[i % 7] = (unsigned)(a[i] - 7);
            }
        }
    }
    y[0] = NAN;
    stream_parallel
    {
        y[0] = fminf(y[0], (float)n);
    }
#pragma rill in_order
    stream_parallel
    {
        if (2.0f < y[0]) {
            y[0] = 2.0f;
        }
    }
}
