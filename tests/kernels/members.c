// Structs declared outside a loop, of which each member goes its own way: private, read, a reduction, a last value,
// shared.
#include <rill/kernel.h>

struct work {
    int sum;
    short count;
    int tmp[4];
    int scale;
    union {
        int word;
        unsigned char bytes[4];
    } bits;
};

struct inner {
    int key[4];
    int best;
};

struct outer {
    struct inner a;
    struct inner b;
    long long last;
};

// run: every_role n=1000
kernel int every_role(int n, const int x[n], int y[n])
{
    struct work w = {0, 0, {0}, 2, {0}};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            w.tmp[k] = x[i] * k;
        }
        int t = 0;
        for (int k = 0; k < 4; k++) {
            t += w.tmp[3 - k] << k;
        }
        w.bits.word = t;
        y[i] = t * w.scale + w.bits.bytes[i & 3];
        w.count++;
        w.sum += t;
    }
    return w.sum * 3 + w.count + w.scale + w.tmp[0] * 0;
}

// run: member_read_after n=500
kernel int member_read_after(int n, const int x[n], int y[n])
{
    struct work w = {0, 0, {5, 6, 7, 8}, 2, {0}};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            w.tmp[k] = x[i] + k;
        }
        y[i] = w.tmp[i & 3];
    }
    return w.tmp[1] + w.tmp[n & 3];
}

// run: no_iteration n=0
// run: no_iteration n=9
kernel int no_iteration(int n, const int x[n])
{
    struct outer o = {{{1, 2, 3, 4}, 5}, {{6, 7, 8, 9}, 10}, -1};
    for (int i = 0; i < n; i++) {
        o.b.best = x[i];
        o.last = i;
    }
    return o.a.key[n & 3] + o.b.key[n & 3] * 10 + o.b.best * 100 + (int)o.last * 1000;
}

// run: nested n=700
kernel int nested(int n, const int x[n], int y[n])
{
    struct outer o = {{{1, 2, 3, 4}, 0}, {{0}, 1000}, 0};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            o.b.key[k] = x[i] + o.a.key[k];
        }
        y[i] = o.b.key[x[i] & 3] + o.a.key[i & 3];
        if (x[i] - i < o.b.best) {
            o.b.best = x[i] - i;
            o.a.best = i;
        }
        o.last = i;
    }
    return o.b.best + o.a.best * 7 + (int)o.last;
}

// run: copied n=300
kernel int copied(int n, const int x[n], int y[n])
{
    struct inner first = {{1, 2, 3, 4}, 5}, second = {{0}, 0}, third = {{9, 9, 9, 9}, 9};
    for (int i = 0; i < n; i++) {
        second = first;
        second.key[x[i] & 3] = i;
        y[i] = second.key[i & 3] + second.best;
        if (i == n - 1) {
            third = second;
        }
    }
    return third.key[0] + third.key[n & 3] + third.best;
}

// run: histogram n=5000
kernel void histogram(int n, const int x[n], int out[5])
{
    struct inner p = {{0}, 0};
    for (int i = 0; i < n; i++) {
        p.key[x[i] & 3]++;
        p.best += x[i];
    }
    for (int k = 0; k < 4; k++) {
        out[k] = p.key[k];
    }
    out[4] = p.best;
}

// run: in_one_piece n=200
kernel int in_one_piece(int n, const int x[n], int y[n])
{
    struct inner p = {{0}, 7};
    int *q = (int *)&p;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            p.key[k] = x[i] + k;
        }
        p.best ^= i;
        y[i] = q[i % 5] + p.key[n & 3];
    }
    return p.best;
}

// run: arrays_of_structs n=400
kernel int arrays_of_structs(int n, const int x[n], int y[n])
{
    struct inner p[3] = {{{0}, 0}, {{1, 1, 1, 1}, 1}, {{2, 2, 2, 2}, 2}};
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 4; k++) {
                p[r].key[k] = x[i] * r + k;
            }
        }
        y[i] = p[i % 3].key[x[i] & 3];
    }
    return p[1].best + p[2].best;
}

// run: between_loops n=300 m=20
kernel int between_loops(int n, int m, const int x[n], int y[n])
{
    struct work w = {0, 0, {0}, 1, {0}};
    for (int t = 0; t < m; t++) {
        w.scale = w.scale * 3 + t;
        for (int k = 0; k < 4; k++) {
            w.tmp[k] = w.scale >> k;
        }
        for (int i = 0; i < n; i++) {
            y[i] += w.tmp[(x[i] + t) & 3];
            w.sum += y[i];
        }
        w.count = (short)(w.count + w.tmp[t & 3]);
    }
    return w.sum + w.count;
}
