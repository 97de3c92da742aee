// stream_parallel: blocks in control, control in blocks, locals, values that cross, helpers and kernels that are
// called.
#include <rill/kernel.h>
#include <stdint.h>

// run: branches n=200 k=3
// run: branches n=200 k=2
// run: branches n=200 k=-1
kernel int branches(int n, int k, int a[n], int b[n])
{
    if (k % 2) {
        if (k > 0) {
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    a[i] += k;
                }
            }
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    b[i] -= k;
                }
            }
        } else {
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    b[i] = a[i];
                }
            }
        }
    } else {
        stream_parallel
        {
            a[0] = 77;
        }
        stream_parallel
        {
            b[0] = 88;
        }
        return a[0] + b[0];
    }
    return a[1] * 1000 + b[1];
}

// The loop goes on while the device's data says so.
// run: until_done n=300
kernel int until_done(int n, int a[n], int b[n], int left[1])
{
    int rounds = 0;
    left[0] = 1;
    while (left[0] > 0 && rounds < 40) {
        left[0] = 0;
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                if (a[i] > 3) {
                    a[i] /= 2;
                    left[0] += 1;
                }
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                if (b[i] > 7) {
                    b[i] -= 5;
                    left[0] += 1;
                }
            }
        }
        rounds++;
    }
    return rounds;
}

// run: do_while n=100
kernel int do_while(int n, int a[n], int b[n])
{
    int t = 0;
    do {
        stream_parallel
        {
            for (int i = 1; i < n; i++) {
                b[i] = a[i - 1] + t;
            }
        }
        stream_parallel
        {
            b[0] = t * 7;
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
        t++;
    } while (a[n - 1] < 90 && t < 15);
    return t;
}

// continue and break of a control loop, beside blocks.
// run: skips n=64 steps=12
kernel void skips(int n, int steps, int a[n], int b[n])
{
    for (int t = 0; t < steps; t++) {
        if (t % 3 == 1) {
            continue;
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                a[i] += t;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                b[i] ^= t;
            }
        }
        if (a[0] + b[0] > 1000000 || t == 9) {
            break;
        }
        a[0] -= b[0];
    }
}

// break and continue that stay inside the block.
// run: jumps_inside n=100 k=7
kernel void jumps_inside(int n, int k, int a[n], int b[n])
{
    int m;
    stream_parallel
    {
        for (int t = 0; t < 20; t++) {
            if (t == k) {
                break;
            }
            if (t % 2) {
                continue;
            }
            for (int i = 0; i < n; i++) {
                a[i] += t;
            }
        }
    }
    stream_parallel
    {
        int i = 0;
again:
        b[i] = -i;
        if (++i < n) {
            goto again;
        }
    }
    stream_parallel
    {
        switch (k) {
        case 7: m = 8; break;
        default: m = 9;
        }
    }
    a[0] += m;
}

// run: nested_time n=50 rounds=4 steps=5
kernel void nested_time(int n, int rounds, int steps, int a[n], int b[n], int c[n])
{
    for (int r = 0; r < rounds; r++) {
        for (int t = 0; t < steps; t++) {
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    a[i] = b[i] + t;
                }
            }
            stream_parallel
            {
                for (int i = 0; i < n; i++) {
                    c[i] = b[n - 1 - i] - r;
                }
            }
            for (int i = 0; i < n; i++) {
                b[i] = a[i] * 3 + c[i];
            }
        }
        stream_parallel
        {
            for (int i = 1; i < n; i++) {
                a[i] += a[i - 1];
            }
        }
        stream_parallel
        {
            for (int i = n - 2; i >= 0; i--) {
                c[i] += c[i + 1];
            }
        }
    }
}

// Steps within blocks: each has its own time loop.
// run: own_time n=100 steps=9
kernel void own_time(int n, int steps, int a[n], int b[n])
{
    stream_parallel
    {
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n; i++) {
                a[i] = a[i] * 3 + a[i - 1] + t;
            }
        }
    }
    stream_parallel
    {
        for (int t = 0; t < 2 * steps; t++) {
            for (int i = 0; i < n; i++) {
                b[i] += i * t;
            }
            b[t % n] = t;
        }
    }
}

// What is read before a block writes is read before.
// run: read_before n=100
kernel void read_before(int n, int c[4], int out[4])
{
    int v = c[0], w = c[1];
    c[2] = 5;
    stream_parallel
    {
        c[0] = 7;
        c[2] = 6;
    }
    stream_parallel
    {
        out[0] = v;
        out[1] = w;
    }
    stream_parallel
    {
        c[1] = 9;
    }
    out[2] = c[2];
    out[3] = c[0] + c[1] + v + n;
}

// Each block has a counter and a temporary of its own; afterwards the last block's values are there.
// run: c89 n=120 k=5
// run: c89 n=120 k=0
kernel int c89(int n, int k, int a[n], int b[n])
{
    int i, j, t;
    stream_parallel
    {
        for (i = 0; i < n; i++) {
            t = i * k;
            for (j = 0; j < 3; j++) {
                t += j;
            }
            a[i] = t;
        }
    }
    stream_parallel
    {
        t = 3;
        for (i = n; i > 0; i--) {
            b[i - 1] = t * i;
        }
        for (j = 0; j < 9; j += 2) {
        }
    }
    return i * 100 + j * 10 + t;
}

// A scalar that one block sets and code behind the region uses.
// run: set_in_one n=100 k=3
// run: set_in_one n=100 k=-3
kernel int set_in_one(int n, int k, const int a[n], int b[n])
{
    int s = 11, m = -1, where = -1;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (a[i] > m) {
                m = a[i];
                where = i;
            }
        }
    }
    stream_parallel
    {
        if (k > 0) {
            s = k;
        }
        for (int i = 0; i < n; i++) {
            b[i] = a[i] + s;
        }
    }
    return s * 1000000 + m * 1000 + where;
}

// A by-value parameter is a local too.
// run: parameters n=100 k=3
kernel int parameters(int n, int k, int a[n], int b[n])
{
    stream_parallel
    {
        k = k * 2;
        for (int i = 0; i < k; i++) {
            a[i] = k;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = n;
        }
    }
    return k;
}

// Bounds from memory: each block computes its own, from what it wrote itself.
// run: own_bounds n=200
kernel void own_bounds(int n, int a[n], int b[n], int counts[2])
{
    counts[0] = counts[1] = n;
    stream_parallel
    {
        counts[0] = n / 2;
        for (int i = 0; i < counts[0]; i++) {
            a[i] = -1;
        }
        counts[0] = 3;
        for (int i = n - counts[0]; i < n; i++) {
            a[i] = -2;
        }
    }
    stream_parallel
    {
        counts[1] = n / 3;
        for (int i = 0; i < counts[1]; i++) {
            b[i] = -3;
        }
    }
}

// The second block's bound is what the code before the region left, though the first counts in memory beside it.
// run: bound_beside n=200
kernel void bound_beside(int n, int a[n], int b[n], int counts[2])
{
    counts[1] = n / 4;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            if (a[i] > 50) {
                counts[0]++;
            }
        }
        for (int i = 0; i < counts[0] % n; i++) {
            a[i] = 0;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < counts[1]; i++) {
            b[i] = 0;
        }
    }
}

// run: compaction n=300
kernel int compaction(int n, const int a[n], int low[n], int high[n], int counts[2])
{
    counts[0] = counts[1] = 0;
    stream_parallel
    {
        int k = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] < 50) {
                low[k++] = a[i];
            }
        }
        counts[0] = k;
    }
    stream_parallel
    {
        int k = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] >= 50) {
                high[k++] = a[i];
            }
        }
        counts[1] = k;
    }
    return counts[0] * 1000 + counts[1];
}

static int squared(const int *x, int i)
{
    return x[i] * x[i];
}
static void store_all(int *to, const int *from, int n, int k)
{
    for (int i = 0; i < n; i++) {
        to[i] = squared(from, i) + k;
    }
}
static void swap(int *x, int *y)
{
    int t = *x;
    *x = *y;
    *y = t;
}

// run: helpers n=150
kernel void helpers(int n, const int a[n], int b[2 * n], int c[n])
{
    stream_parallel
    {
        store_all(b, a, n, 1);
    }
    stream_parallel
    {
        store_all(b + n, a, n, 2);
    }
    stream_parallel
    {
        for (int i = 0; i + 1 < n; i += 2) {
            swap(&c[i], &c[i + 1]);
        }
    }
}

kernel void twice(int n, int a[n], int k)
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 2 + k;
    }
}

kernel void both(int n, int a[n], int b[n], int k)
{
    stream_parallel
    {
        twice(n, a, k);
    }
    stream_parallel
    {
        twice(n, b, -k);
        twice(n, b, 1);
    }
}

// A kernel that holds blocks stands for its body, also in a loop, also with halves of one array.
// run: calls_blocked n=100 steps=6
kernel void calls_blocked(int n, int steps, int a[n], int b[2 * n])
{
    both(n, a, b, 3);
    for (int t = 0; t < steps; t++) {
        both(n, b, b + n, t);
        both(n, a, b + n, 1);
    }
}

kernel int first_above(int n, const int a[n], int limit)
{
    for (int i = 0; i < n; i++) {
        if (a[i] > limit) {
            return i;
        }
    }
    return -1;
}

// The return of a called kernel ends the call, not the block.
// run: returns_inside n=100
kernel int returns_inside(int n, const int a[n], int out[2])
{
    stream_parallel
    {
        out[0] = first_above(n, a, 60);
    }
    stream_parallel
    {
        out[1] = first_above(n, a, 1000);
    }
    return out[0] * 3 + out[1];
}

// Local arrays and structs of a block.
// run: block_locals n=64
kernel void block_locals(int n, const int a[n], int b[n], int c[n])
{
    stream_parallel
    {
        int bins[8] = {0};
        for (int i = 0; i < n; i++) {
            bins[a[i] & 7]++;
        }
        for (int i = 0; i < n; i++) {
            b[i] = bins[i & 7];
        }
    }
    stream_parallel
    {
        struct {
            int lo, hi;
        } range = {1000, -1000};
        for (int i = 0; i < n; i++) {
            if (a[i] < range.lo) {
                range.lo = a[i];
            }
            if (a[i] > range.hi) {
                range.hi = a[i];
            }
        }
        for (int i = 0; i < n; i++) {
            c[i] = (a[i] - range.lo) * 100 / (range.hi - range.lo + 1);
        }
    }
}

// A table made before is read by both blocks.
// run: table_before n=64
kernel void table_before(int n, const int a[n], int b[n], int c[n])
{
    int table[8];
    for (int i = 0; i < 8; i++) {
        table[i] = a[i] * 3;
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = table[i & 7];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i] = table[(i * 3) & 7] + 1;
        }
    }
    table[2] = 99;
    stream_parallel
    {
        b[0] = table[2];
    }
    stream_parallel
    {
        c[0] = table[1];
    }
}

// in_order after two that overlap; a fourth beside all.
// run: mixed_order n=100
kernel void mixed_order(int n, int a[n], int b[n], int c[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = 2 * i;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] += b[n - 1 - i];
        }
        for (int i = 0; i < n; i++) {
            b[i] = a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i] = i * i;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i] -= a[i];
        }
    }
}

// Random numbers in two blocks: functions of their key and counter alone.
// run: random n=400
kernel void random(int n, uint32_t a[n], uint32_t b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = rill_random_u32(7, (uint64_t)i);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = rill_random_u32(7, (uint64_t)i) ^ rill_random_u32(8, (uint64_t)i);
        }
    }
}

// Loops of no iterations, conditions that are false: the join comes all the same.
// run: nothing_to_do n=0 k=0
// run: nothing_to_do n=10 k=0
kernel int nothing_to_do(int n, int k, int a[16])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = 1;
        }
    }
    stream_parallel
    {
        if (k) {
            for (int i = 10; i < 16; i++) {
                a[i] = 2;
            }
        }
    }
    for (int t = 0; t < k; t++) {
        stream_parallel
        {
            a[0] = 3;
        }
        stream_parallel
        {
            a[1] = 3;
        }
    }
    return a[0] + a[15];
}

// One element is a mailbox between a region and the next.
// run: mailbox n=50
kernel int mailbox(int n, int box[1], int out[n])
{
    for (int t = 0; t < n; t++) {
        stream_parallel
        {
            box[0] = t * 3;
        }
        int v = box[0];
        stream_parallel
        {
            out[t] = v + box[0];
        }
        box[0] = -1;
    }
    return box[0] + out[n - 1];
}
