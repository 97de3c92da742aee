// More loops whose independence depends on one detail. generate_test.c says how a file of many kernels is read.

//== views_overlap_by_one
//@ buffer b0 i32 64 range 0 99
//@ int 40
//@ array b0 0 40
//@ array b0 1 40
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i] + 1;
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] = a[i] * 3;
    }
}

//== views_overlap_other_widths
//@ buffer b0 i32 64 range 0 99
//@ int 30
//@ array b0 0 30
//@ array b0 10 20
#include <rill/kernel.h>
kernel void run(int n, int a[n], int *b)
{
    unsigned char *c = (unsigned char *)b;
    for (int i = 0; i < n; i++) {
        a[i] += c[i];
    }
    for (int i = 0; i < n; i++) {
        c[i] = a[i];
    }
    short *s = (short *)(b + 2);
    for (int i = 0; i < 10; i++) {
        s[i] = a[i + 5];
    }
}

//== rows_and_columns_of_one_view
//@ buffer b0 i32 200 range 0 99
//@ int 10
//@ int 9
//@ array b0 0 90
//@ array b0 9 90
#include <rill/kernel.h>
kernel void run(int n, int m, int a[n][m], int b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = b[i][j] + 1;
        }
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            b[i][j] = a[i][j] * 2;
        }
    }
}

//== volatile_accesses
//@ buffer b0 i32 64 range 0 99
//@ int 40
//@ array b0 0 64
#include <rill/kernel.h>
kernel void run(int n, volatile int a[64])
{
    volatile int s = 0;
    for (int i = 0; i < n; i++) {
        a[i] = a[i] + 1;
        s += a[i];
    }
    for (int i = 1; i < n; i++) {
        volatile int t = a[i - 1];
        a[i] = t + 1;
    }
    a[63] = s;
}

//== mixed_operators
//@ buffer b0 i32 50 range -9 9
//@ buffer b1 i64 16 range 0 0
//@ int 50
//@ array b0 0 50
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], long r[16])
{
    int s = 1, t = 5, u = 0, v = 1, w = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
            s += a[i];
        } else {
            s -= 2;
        }
    }
    for (int i = 0; i < n; i++) {
        if (a[i] > 3) {
            t *= 3;
        } else {
            t += a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        u |= a[i];
        u &= 0xffff;
    }
    for (int i = 0; i < n; i++) {
        v = -v + a[i];
    }
    for (int i = 0; i < n; i++) {
        w = a[i] - w;
    }
    r[0] = s;
    r[1] = t;
    r[2] = u;
    r[3] = v;
    r[4] = w;
    long x = 3;
    for (int i = 0; i < n; i++) {
        x = x - a[i];
    }
    r[5] = x;
    for (int i = 0; i < n; i++) {
        x = a[i] - x + a[i];
    }
    r[6] = x;
    for (int i = 0; i < n; i++) {
        x = (x + a[i]) + x;
    }
    r[7] = x;
    for (int i = 0; i < n; i++) {
        x = x + a[i] * (x > 5 ? 1 : 2);
    }
    r[8] = x;
    for (int i = 0; i < n; i++) {
        x = ~x;
    }
    r[9] = x;
    for (int i = 0; i < n; i++) {
        x = x + -x;
        x += a[i];
    }
    r[10] = x;
    short h = 0;
    for (int i = 0; i < n; i++) {
        h = h + a[i] * 4000;
    }
    r[11] = h;
    unsigned char c = 200;
    for (int i = 0; i < n; i++) {
        c -= a[i];
    }
    r[12] = c;
}

//== minmax_with_else
//@ buffer b0 i32 50 range -99 99
//@ buffer b1 i64 16 range 0 0
//@ int 50
//@ array b0 0 50
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], long r[16])
{
    int lo = 100, hi = -100, second = -100, at = -1, cnt = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > hi) {
            second = hi;
            hi = a[i];
        } else if (a[i] > second) {
            second = a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        if (a[i] < lo) {
            lo = a[i];
            at = i;
        } else {
            cnt++;
        }
    }
    r[0] = lo;
    r[1] = hi;
    r[2] = second;
    r[3] = at;
    r[4] = cnt;
    lo = 100;
    for (int i = 0; i < n; i++) {
        if (!(a[i] >= lo)) {
            lo = a[i];
        }
    }
    r[5] = lo;
    lo = 100;
    hi = -100;
    for (int i = 0; i < n; i++) {
        lo = lo < a[i] ? lo : a[i];
        hi = hi > a[i] ? hi : a[i];
    }
    r[6] = lo;
    r[7] = hi;
    int last = 7;
    for (int i = 0; i < n; i++) {
        if (a[i] <= last) {
            last = a[i];
            at = i;
        }
    }
    r[8] = last;
    r[9] = at;
    for (int i = 0; i < n; i++) {
        last = a[i] > last ? last : a[i] + 1;
    }
    r[10] = last;
    int best = 0;
    at = 99;
    for (int i = 0; i < n; i++) {
        int v = a[i] * a[i] % 17;
        if (v >= best) {
            best = v;
            at = i;
            r[15] = i;
        }
    }
    r[11] = best;
    r[12] = at;
    char small = 3;
    for (int i = 0; i < n; i++) {
        if (a[i] * 5 < small) {
            small = a[i] * 5;
        }
    }
    r[13] = small;
    unsigned um = 50;
    for (int i = 0; i < n; i++) {
        if (a[i] < um) {
            um = a[i];
        }
    }
    r[14] = um;
}

//== early_break
//@ buffer b0 i32 50 range -99 99
//@ buffer b1 i64 16 range 0 0
//@ int 50
//@ array b0 0 50
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], long r[16])
{
    int i, s = 0, found = -1;
    for (i = 0; i < n; i++) {
        if (a[i] > 95) {
            break;
        }
        s += a[i];
    }
    r[0] = i;
    r[1] = s;
    for (i = 0; i < n; i++) {
        if (a[i] < -60) {
            found = i;
            break;
        }
    }
    r[2] = found;
    for (i = 0; i < n; i++) {
        int j;
        for (j = 0; j < n; j++) {
            if (a[j] == a[i] && j != i) {
                break;
            }
        }
        if (j == n) {
            r[3]++;
        }
        if (i == 30) {
            goto out;
        }
    }
out:
    r[4] = i;
    for (i = 0; i < n; i++) {
        switch (a[i] & 3) {
        case 0: continue;
        case 1: break;
        default: r[5] += a[i]; continue;
        }
        r[6] += a[i];
    }
    i = n;
    while (i-- > 0) {
        if (a[i] & 1) {
            continue;
        }
        r[7] ^= a[i];
        if (i < 5) {
            break;
        }
    }
    r[8] = i;
    do {
        if (++i & 1) {
            continue;
        }
        r[9] += i;
    } while (i < 20);
}

//== conditional_last_values
//@ buffer b0 i32 50 range -99 99
//@ buffer b1 i64 16 range 7 7
//@ int 50
//@ array b0 0 50
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], long r[16])
{
    int last = -1, prev = 3, t = 0, u;
    for (int i = 0; i < n; i++) {
        if (a[i] > 90) {
            last = i;
        }
    }
    for (int i = 0; i < n; i++) {
        if (a[i] > 900) {
            prev = i;
        }
    }
    for (int i = 0; i < n; i++) {
        t = a[i];
        if (t < 0) {
            t = -t;
        }
        r[0] += t;
    }
    for (int i = 0; i < n; i++) {
        if (i % 7 == 3) {
            u = a[i];
        } else {
            u = 1;
        }
        r[1] += u;
    }
    r[2] = last;
    r[3] = prev;
    r[4] = t;
    r[5] = u;
    int j = 4, k = 9;
    for (int i = 0; i < n; i++) {
        for (j = 0; j < i % 5; j++) {
            k = a[i] + j;
        }
    }
    r[6] = j;
    r[7] = k;
    for (int i = 0; i < 0; i++) {
        j = 77;
    }
    r[8] = j;
    for (j = 10; j < n; j += 7) {
        if (j & 1) {
            k = j;
        }
    }
    r[9] = j;
    r[10] = k;
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
            r[11] = a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        r[12] = a[i];
    }
}

//== sums_into_struct_members
//@ buffer b0 i32 50 range -9 9
//@ buffer b1 bytes 96 range 0 9
//@ int 50
//@ array b0 0 50
//@ array b1 0 96
#include <rill/kernel.h>
struct acc {
    long sum;
    int lo, hi;
    struct {
        int count;
        float f;
    } in;
};
kernel void run(int n, const int a[n], struct acc r[4])
{
    struct acc t = {0};
    for (int i = 0; i < n; i++) {
        t.sum += a[i];
        t.in.count++;
        if (a[i] < t.lo) {
            t.lo = a[i];
        }
        if (a[i] > t.hi) {
            t.hi = a[i];
        }
        t.in.f += (float)a[i];
    }
    r[0] = t;
    for (int i = 0; i < n; i++) {
        r[1].sum += a[i];
        r[1].in.count -= 1;
        r[2].lo ^= a[i];
    }
    for (int i = 0; i < n; i++) {
        r[i & 3].hi += a[i];
    }
    for (int i = 0; i < n; i++) {
        struct acc *p = a[i] > 0 ? &r[2] : &r[3];
        p->in.count += 2;
    }
}

//== indirect_updates
//@ buffer b0 i32 64 range 0 15
//@ buffer b1 i32 64 range -9 9
//@ buffer b2 i32 16 range 0 3
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 16
#include <rill/kernel.h>
kernel void run(int n, const int b[n], const int v[n], int a[16])
{
    for (int i = 0; i < n; i++) {
        a[b[i]] += v[i];
    }
    for (int i = 0; i < n; i++) {
        a[b[i]] -= v[i];
        a[b[i]] += 3;
    }
    for (int i = 0; i < n; i++) {
        a[b[i]] ^= 1 << (i & 15);
    }
    for (int i = 0; i < n; i++) {
        if (v[i] > a[b[i]]) {
            a[b[i]] = v[i];
        }
    }
    for (int i = 0; i < n; i++) {
        a[b[i] & 3]++;
    }
#pragma rill serial
    for (int i = 0; i < n; i++) {
        a[b[i]] = a[(b[i] + 1) & 15] + v[i];
    }
}

//== compaction
//@ buffer b0 i32 64 range -20 20
//@ buffer b1 i32 64 range 0 0
//@ buffer b2 i32 4 range 0 0
//@ int 64
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 4
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int out[n], int c[4])
{
    int k = 0, m = n;
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
            out[k++] = a[i];
        }
    }
    for (int i = 0; i < n; i++) {
        if (a[i] < 0) {
            out[--m] = i;
        }
    }
    c[0] = k;
    c[1] = m;
    k = 0;
    for (int i = 0; i < n; i += 2, k++) {
        out[k] += a[i];
    }
    c[2] = k;
    int *p = out;
    for (int i = 0; i < n; i++) {
        *p++ ^= a[i];
    }
    c[3] = (int)(p - out);
    p = out + n;
    for (int i = 0; i < n; i++) {
        --p;
        *p += a[i];
    }
}

//== linked_list
//@ buffer b0 i32 40 perm 0 0
//@ buffer b1 i32 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 40
#include <rill/kernel.h>
kernel void run(int n, const int next[n], int rank[n])
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        rank[at] = rank[at] * 10 + i;
        at = next[at];
    }
    for (int p = next[0], k = 1; p != 0; p = next[p], k++) {
        rank[p] += 1000 * k;
    }
}

//== runtime_strides
//@ buffer b0 i32 200 range 0 99
//@ int 12
//@ int 7
//@ int 7
//@ array b0 0 200
// or
//@ buffer b0 i32 200 range 0 99
//@ int 12
//@ int 7
//@ int 1
//@ array b0 0 200
// or
//@ buffer b0 i32 200 range 0 99
//@ int 12
//@ int 7
//@ int 0
//@ array b0 0 200
// or
//@ buffer b0 i32 200 range 0 99
//@ int 12
//@ int 7
//@ int 5
//@ array b0 0 200
#include <rill/kernel.h>
kernel void run(int n, int m, int stride, int a[200])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * stride + j] = a[i * stride + j] * 3 + i;
        }
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            a[100 + i * stride + j * 2] += i * j;
        }
    }
    for (int i = 0; i < n; i++) {
        a[i * stride] = a[(i + 1) * stride] + 1;
    }
}

//== nests_with_shared_scalars
//@ buffer b0 i32 108 range -9 9
//@ buffer b1 i32 12 range 0 0
//@ buffer b2 i32 9 range 0 0
//@ int 12
//@ int 9
//@ array b0 0 108
//@ array b1 0 12
//@ array b2 0 9
#include <rill/kernel.h>
kernel void run(int n, int m, const int a[n][m], int row[n], int col[m])
{
    int i, j, s, t = 0;
    for (i = 0; i < n; i++) {
        s = 0;
        for (j = 0; j < m; j++) {
            s += a[i][j];
            t += s;
        }
        row[i] = s;
    }
    for (j = 0; j < m; j++) {
        for (i = 0; i < n; i++) {
            col[j] += a[i][j] * (i + j);
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            col[j] += row[i];
            row[i] ^= j;
        }
    }
    s = 100;
    for (i = 0; i < n; i++) {
        for (j = i; j < m; j++) {
            s -= a[i][j];
        }
        row[i] += j;
    }
    col[0] += s + i + j + t;
}

//== goto_out_of_nests
//@ buffer b0 i32 144 range 0 60
//@ buffer b1 i32 4 range 0 0
//@ int 12
//@ array b0 0 144
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, const int a[n][n], int r[4])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (a[i][j] == 60) {
                r[0] = i * n + j;
                goto done;
            }
            r[1]++;
        }
    }
    r[0] = -1;
done:
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (a[j][i] > 50) {
                goto next;
            }
            r[2] += a[j][i];
        }
        r[3] += i;
next:;
    }
}

//== float_order_serial
//@ buffer b0 f32 33 range -99999 99999
//@ buffer b1 f32 33 range 0 0
//@ int 33
//@ array b0 0 33
//@ array b1 0 33
#include <rill/kernel.h>
kernel void run(int n, const float a[n], float r[n])
{
    float x = 0;
    for (int i = 0; i < n; i++) {
        x = a[i] * 0.37f - x;
        r[i] = x;
    }
    float y = 1;
    for (int i = 0; i < n; i++) {
        y = y * 0.5f + a[i];
    }
    r[0] = y;
#pragma rill serial
    for (int i = 0; i < n; i++) {
        y += a[i] * 1e-3f;
    }
    r[1] = y;
    for (int i = 1; i < n; i++) {
        r[i] += r[i - 1] * 0.1f;
    }
}

//== products_and_bits_in_indices
//@ buffer b0 i32 128 range 0 99
//@ int 9
//@ int 5
//@ array b0 0 128
#include <rill/kernel.h>
kernel void run(int n, int k, int a[128])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * j] += i + j;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * k + j] ^= i * 16 + j;
        }
    }
    for (int i = 0; i < n; i++) {
        a[i * i] = i;
    }
    for (int i = 0; i < n; i++) {
        a[(i * 3 + 1) % 10] = i;
    }
    for (int i = 0; i < 40; i++) {
        a[i / 4 * 4 + (i & 3 ^ 1)] += i;
    }
    for (int i = 0; i < 40; i++) {
        a[i / 4] = a[i / 4] * 3 + i;
    }
    for (int i = 0; i < 40; i++) {
        a[i ^ 1] = a[i] + i;
    }
    for (int i = 0; i < 40; i++) {
        a[64 - i] = a[i + 25];
    }
    for (int i = 0; i < 40; i++) {
        a[i & ~1] += a[i | 1];
    }
}
