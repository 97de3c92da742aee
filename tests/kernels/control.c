// Statements: switch, goto, continue, break, do, comma, and what they leave behind.
#include <rill/kernel.h>
#include <stdbool.h>

// run: switches n=500 wild
kernel void switches(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int x = 0;
        switch (a[i] % 10) {
        case 0: x = 5; break;
        case 1:
        case 2: x += 10; // falls through
        case 3: x += 100; break;
        case -4: x = -4;
        default: x -= 1; break;
        case 5: {
            int y = a[i] & 15;
            x = y;
            if (y > 3) {
                break;
            }
            x = 99;
        }
        case 6 + 1: x *= 2;
        }
        out[i] = x;
    }
}

// run: nested_switches n=500
kernel void nested_switches(int n, const unsigned char a[n], const long b[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int r = 0;
        switch (a[i] & 3) {
        case 1:
            for (int k = 0; k < 5; k++) {
                switch (b[i] + k) {
                case 7L: r += 1; break;
                case 9L: continue;
                case 11L: r += 100;
                default: r += k;
                }
                r += 1000;
            }
            break;
        case 2:
            switch (a[i]) {
            case 2: r = 2; break;
            case 34: r = 34;
            }
            r += 7;
        default: r++;
        }
        out[i] = r;
    }
}

// Jumps into the middle of a loop, as Duff wrote it.
// run: duff n=100
kernel void duff(int n, const int a[n], int b[n])
{
    int i = 0, rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0:
        do {
            b[i] = a[i];
            i++;
        case 3: b[i] = a[i]; i++;
        case 2: b[i] = a[i]; i++;
        case 1: b[i] = a[i]; i++;
        } while (--rounds > 0);
    }
}

// run: no_case n=20
kernel int no_case(int n, const int a[n])
{
    int x = 3;
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        }
        switch (a[i])
        case 5:
            x++;
        switch (a[i] > 50) {
        default: x += 2;
        }
        switch (1) {
            x = 1000;
        }
    }
    return x;
}

// run: big_values n=60 wild
kernel void big_values(int n, const unsigned long a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        case 0: out[i] = 1; break;
        case 0x8000000000000000UL: out[i] = 2; break;
        case 0x7fffffffffffffffUL: out[i] = 3; break;
        case -1UL: out[i] = 4; break;
        default: out[i] = 5;
        }
    }
}

enum state { IDLE, READING, DONE };

// run: machine n=400
kernel int machine(int n, const char a[n])
{
    enum state s = IDLE;
    int words = 0;
    for (int i = 0; i < n; i++) {
        switch (s) {
        case IDLE: s = a[i] > 50 ? READING : IDLE; break;
        case READING:
            if (a[i] < 20) {
                s = DONE;
            }
            break;
        case DONE:
            words++;
            s = IDLE;
            break;
        }
    }
    return words * 10 + s;
}

// run: gotos n=200
kernel void gotos(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], steps = 0;
again:
        if (x == 1) {
            goto done;
        }
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
        if (steps < 50) {
            goto again;
        }
        steps = -1;
done:
        out[i] = steps;
    }
}

// run: goto_out n=30 m=20
kernel int goto_out(int n, int m, const int a[n][m])
{
    int i, j;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            if (a[i][j] == 42) {
                goto found;
            }
        }
    }
    return -1;
found:
    return i * 100 + j;
}

// run: goto_forward n=100
kernel int goto_forward(int n, const int a[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 30) {
            goto skip;
        }
        {
            int y = a[i] * 2;
            if (y > 150) {
                goto big;
            }
            sum += y;
            continue;
        }
big:
        sum -= 1;
skip:
        sum += 3;
    }
    return sum;
}

// run: goto_into n=10 k=0
// run: goto_into n=10 k=1
kernel int goto_into(int n, int k, int a[n])
{
    int i = 0;
    if (k) {
        goto inside;
    }
    a[0] = 77;
    while (i < n) {
        a[i] = i;
inside:
        a[i] += 5;
        i++;
    }
    return i;
}

// run: whiles n=100
kernel int whiles(int n, const int a[n])
{
    int i = 0, sum = 0;
    while (i < n) {
        if (a[i] == 50) {
            i += 2;
            continue;
        }
        if (a[i] > 97) {
            break;
        }
        sum += a[i++];
    }
    do {
        sum++;
        if (sum % 3 == 0) {
            continue;
        }
        sum += 2;
    } while (sum % 7 != 0);
    while (sum > 1000) {
        sum /= 2;
    }
    for (;;) {
        if (++sum % 11 == 0) {
            break;
        }
    }
    return sum * 100 + i;
}

// run: gcds n=300
kernel void gcds(int n, const int a[n], const int b[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], y = b[i];
        while (y) {
            int t = x % y;
            x = y;
            y = t;
        }
        out[i] = x;
    }
}

// run: breaks n=40 m=30
kernel void breaks(int n, int m, const int a[n][m], int first[n])
{
    for (int i = 0; i < n; i++) {
        int j;
        for (j = 0; j < m; j++) {
            if (a[i][j] > 90) {
                break;
            }
        }
        first[i] = j;
    }
}

// run: early n=100 mode=0
// run: early n=100 mode=1
// run: early n=100 mode=2
kernel int early(int n, int mode, int a[n])
{
    if (mode == 0) {
        return 5;
    }
    for (int i = 0; i < n; i++) {
        a[i] = mode;
    }
    if (mode == 1) {
        return a[3] + 1;
    }
    for (int i = 0; i < n; i++) {
        a[i] += i;
    }
    return a[n - 1];
}

// run: commas n=50
kernel int commas(int n, int a[n])
{
    int i, j, last = 0;
    for (i = 0, j = n - 1; i < j; i++, j--) {
        int t = (last = a[i], a[j]);
        a[i] = t, a[j] = last;
    }
    return (i++, j--, i * 100 + j);
}

static int bump(int *p)
{
    return ++*p;
}

// run: short_circuits n=100
kernel int short_circuits(int n, const int a[n])
{
    int calls = 0, hits = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50 && bump(&calls) % 2) {
            hits++;
        }
        if (a[i] < 20 || bump(&calls) % 3 == 0) {
            hits += 10;
        }
        hits += a[i] > 70 ? bump(&calls) : 0;
        bool b = a[i] && !(a[i] % 5) || a[i] == 7;
        hits += b;
    }
    return hits * 1000 + calls;
}

static int order(int *log, int *count, int value)
{
    log[(*count)++] = value;
    return value;
}

static int three(int a, int b, int c)
{
    return a * 100 + b * 10 + c;
}

// Statements in order; inside an expression nothing here depends on the order.
// run: sequence
kernel int sequence(int log[16])
{
    int count = 0;
    int x = order(log, &count, 1) && order(log, &count, 0) && order(log, &count, 3);
    int y = order(log, &count, 4) ? order(log, &count, 5) : order(log, &count, 6);
    int z = (order(log, &count, 7), order(log, &count, 8));
    return three(x, y, z) + count * 1000;
}

// run: dangling n=60
kernel void dangling(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        if (a[i] > 30) {
            if (a[i] > 60) {
                out[i] = 2;
            } else {
                out[i] = 1;
            }
        } else if (a[i] > 10) {
        } else {
            out[i] = -1;
        }
    }
}

// run: scopes n=10
kernel int scopes(int n, int a[n])
{
    int i = 7;
    for (int i = 0; i < n; i++) {
        int x = i;
        {
            int x = 100, i = x + 1;
            a[0] += x + i;
        }
        a[i] += x;
    }
    struct t {
        int v;
    } s = {i};
    {
        struct t {
            char c[9];
        } u;
        i += sizeof u;
        typedef long t;
        i += sizeof(t);
    }
    enum { K = 4 };
    {
        enum { K = 9 };
        i += K;
    }
    return i + s.v + K;
}

// run: label_before_a_graph n=30
#pragma rill single
kernel int label_before_a_graph(int n, const int a[n])
{
    int sum = 0, round = 0;
again:
    if (a[round] & 1) {
middle:
        for (int k = 0; k < 3; k++) {
            sum = sum * 3 + k;
        }
    } else {
        for (int i = 0; i < n; i++) {
            sum += a[i];
            if (i > round && round < 7) {
                round++;
                goto again;
            }
            if (sum & 4) {
                goto middle;
            }
        }
    }
    return sum;
}

// run: label_of_a_loop_in_a_case n=30
#pragma rill single
kernel int label_of_a_loop_in_a_case(int n, const int a[n])
{
    int sum = 0, k = 0;
    switch (n & 1) {
    case 0:
again:
        while (k < n) {
            k++;
            sum = sum * 5 + a[k - 1];
            if (sum & 1) {
                goto again;
            }
            sum++;
        }
    }
    return sum;
}

// run: switch_never_reached n=30
kernel int switch_never_reached(int n, int out[n])
{
    int i = 0;
    do {
        if (1) {
            return n;
        }
    } while (i++ < 3);
    for (int k = 0; k < n; k++) {
        switch (out[k] & 3) {
        case 0: out[k] = 7; break;
        case 1: i++; break;
        }
        out[k] += i;
    }
    return i;
}

// Bounds that an `if` makes of arguments and of data. A value read before does not see the assignment.
// run: clamped n=100 lo=-3 count=50
// run: clamped n=100 lo=3 count=500
// run: clamped n=100 lo=3 count=2
kernel int clamped(int n, int lo, int count, int out[n])
{
    int hi = lo + count;
    if (hi > n) {
        hi = n;
    }
    if (lo < 0) {
        lo = 0;
    }
    for (int i = lo; i < hi; i++) {
        out[i] += 1;
    }
    int before = hi;
    if (hi < 7) {
        hi = 7;
    } else if (hi > 50) {
        hi = 50;
        lo = lo + 1;
    }
    for (int i = lo; i < hi; i++) {
        out[i] += before;
    }
    return hi * 1000 + lo;
}

// run: swapped n=40 p=10 q=30
// run: swapped n=40 p=30 q=10
// run: swapped n=40 p=2 q=10
kernel int swapped(int n, int p, int q, int out[n])
{
    int t;
    if (p > q) {
        t = p;
        p = q;
        q = t;
    }
    for (int i = p; i < q; i++) {
        out[i] += 1;
    }
    int old = p;
    if (p > 3) {
        p = q - p;
    } else {
        q = p + q;
    }
    for (int i = 0; i < n; i++) {
        out[i] += p * 3 + q + old;
    }
    if (old > 2) {
        p = old;
        old = p + q;
    }
    for (int i = 0; i < n; i++) {
        out[i] += p * 7 + q + old;
    }
    return p * 10000 + q * 100 + old;
}

// run: bounded n=40 u=3000000000 w=-100 c=250
// run: bounded n=2 u=3 w=100 c=5
kernel int64_t bounded(int n, unsigned u, int64_t w, unsigned char c, int out[n])
{
    if (u > 10) {
        u = 10;
    }
    if (w < -5) {
        w = -5;
    }
    if (c > 200) {
        c = c + 100;
    }
    if (n > 3 && u) {
        w += u;
    }
    unsigned m = u;
    m = m < 5 ? 5 : m;
    for (int i = 0; i < n; i++) {
        out[i] += u + w + c + m;
    }
    return u + w * 100 + c * 10000;
}

// run: by_round n=50 t=8
// run: by_round n=50 t=0
kernel int by_round(int n, int t, int out[n])
{
    int k = 1, most = 0;
    for (int s = 0; s < t; s++) {
        if (s % 3 == 0) {
            k = n - s;
        } else {
            k = s;
        }
        if (k > 20) {
            k = 20;
        }
        for (int i = 0; i < k; i++) {
            out[i] += s;
        }
        if (k > most) {
            most = k;
        }
    }
    return k * 100 + most;
}

// run: by_data n=50
kernel int by_data(int n, int out[n])
{
    int k = out[3];
    for (int i = 0; i < n; i++) {
        out[i] += k;
    }
    if (k > 10) {
        k = 10;
    }
    if (k < 2) {
        k = 3;
    } else {
        k++;
    }
    for (int i = 0; i < k; i++) {
        out[i] += 1;
    }
    return k;
}

// run: by_blocks n=50 h=20
// run: by_blocks n=50 h=90
// run: by_blocks n=50 h=2
kernel int by_blocks(int n, int h, int out[n])
{
    if (h > n) {
        h = n;
    }
    int q = 1;
    if (h > 4) {
        q = 2;
    }
    stream_parallel
    {
        int z = q;
        if (z > 1) {
            z = z * 3;
        }
        for (int i = 0; i < h; i++) {
            out[i] += z;
        }
    }
    stream_parallel
    {
        for (int i = h; i < n; i++) {
            out[i] *= q;
        }
    }
    return h + q;
}

// Each line uses the one before three times: as a tree the last has over a hundred million leaves.
#define TWICE(v) v = v * v + v
// run: each_line_uses_the_last_one_thrice n=100
kernel unsigned each_line_uses_the_last_one_thrice(unsigned n, unsigned x[n])
{
    unsigned v = n;
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    for (unsigned i = 0; i < n; i++) {
        x[i] += v;
    }
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    TWICE(v);
    for (unsigned i = 0; i < v % 50; i++) {
        x[i] ^= v;
    }
    return v;
}
