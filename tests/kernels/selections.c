// The best of all, chosen by a helper that takes and returns structs; with NaNs, among equals, in loops that read it.
#include <rill/kernel.h>
#include <stdint.h>
struct best {
    float v;
    int at;
};
struct ibest {
    int v;
    unsigned at;
    short w;
};
static struct best b1(struct best a, struct best b)
{
    return a.v < b.v ? a : b;
}
static struct best b2(struct best a, struct best b)
{
    return a.v <= b.v ? a : b;
}
static struct best b3(struct best a, struct best b)
{
    return b.v > a.v ? b : a;
}
static struct best b4(struct best a, struct best b)
{
    return b.v >= a.v ? b : a;
}
static struct best b5(struct best a, struct best b)
{
    if (a.v > b.v) {
        return a;
    } else {
        return b;
    }
}
static struct best b6(struct best a, struct best b)
{
    if (!(a.v >= b.v)) {
        a = b;
    }
    return a;
}
static struct ibest i1(struct ibest a, struct ibest b)
{
    return a.v < b.v ? a : b;
}
static struct ibest i2(struct ibest a, struct ibest b)
{
    return a.v <= b.v ? a : b;
}
static struct ibest i3(const struct ibest *a, const struct ibest *b)
{
    return a->at <= b->at ? *b : *a;
}
static struct ibest i4(struct ibest a, int v, unsigned i)
{
    if (a.v > v) {
        a.v = v;
        a.at = i;
        a.w++;
    }
    return a;
}
// run: r1 n=5000 wild
// run: r1 n=5000
// run: r1 n=70000 wild
kernel void r1(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b1(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r2 n=5000 wild
// run: r2 n=5000
// run: r2 n=1 wild
kernel void r2(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b2(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r3 n=5000 wild
// run: r3 n=5000
kernel void r3(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b3(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r4 n=5000 wild
// run: r4 n=5000
kernel void r4(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b4(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r5 n=5000 wild
// run: r5 n=5000
kernel void r5(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b5(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r6 n=5000 wild
// run: r6 n=5000
kernel void r6(int n, const float a[n], float ov[2], int oi[2])
{
    struct best b = {a[0], -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b6(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
}
// run: r7 n=5000 k=0
// run: r7 n=5000 k=1
// run: r7 n=5000 k=2
kernel void r7(int n, int k, float a[n], float ov[2], int oi[2])
{
    for (int i = 0; i < n; i++) {
        a[i] = k == 0 ? INFINITY : k == 1 ? NAN : i % 700 == 3 ? NAN : INFINITY;
    }
    struct best b = {NAN, -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        b = b2(b, c);
    }
    ov[0] = b.v;
    oi[0] = b.at;
    struct best d = {INFINITY, -1};
    for (int i = 0; i < n; i++) {
        struct best c = {a[i], i};
        d = b1(d, c);
    }
    ov[1] = d.v;
    oi[1] = d.at;
}
// run: s1 n=5000
// run: s1 n=5000 wild
kernel void s1(int n, const int a[n], int o[4])
{
    struct ibest b = {a[0], 77, 5};
    for (int i = 0; i < n; i++) {
        b = i1(b, (struct ibest){a[i] / 3, i, a[i] * 2});
    }
    o[0] = b.v;
    o[1] = b.at;
    o[2] = b.w;
}
// run: s2 n=5000
// run: s2 n=5000 wild
kernel void s2(int n, const int a[n], int o[4])
{
    struct ibest b = {a[0], 77, 5};
    for (int i = 0; i < n; i++) {
        b = i2(b, (struct ibest){a[i] / 3, i, a[i] * 2});
    }
    o[0] = b.v;
    o[1] = b.at;
    o[2] = b.w;
}
// run: s3 n=5000
// run: s3 n=5000 wild
kernel void s3(int n, const int a[n], int o[4])
{
    struct ibest b = {a[0], 7, 5};
    for (int i = 0; i < n; i++) {
        struct ibest c = {a[i], a[i] / 5, i};
        b = i3(&b, &c);
    }
    o[0] = b.v;
    o[1] = b.at;
    o[2] = b.w;
}
// run: s4 n=5000
// run: s4 n=5000 wild
kernel void s4(int n, const int a[n], int o[4])
{
    struct ibest b = {100, 7, 5};
    for (int i = 0; i < n; i++) {
        b = i4(b, a[i], i);
    }
    o[0] = b.v;
    o[1] = b.at;
    o[2] = b.w;
}
// run: s5 n=5000
kernel void s5(int n, const int a[n], int o[6])
{
    struct ibest b = {100, 7, 5}, c = {0, 0, 0};
    int seen = 0;
    for (int i = 0; i < n; i++) {
        b = i1(b, (struct ibest){a[i], i, 1});
        if (b.v == 3) {
            seen++;
        }
        c = i2((struct ibest){a[i], i, 2}, c);
    }
    o[0] = b.v;
    o[1] = b.at;
    o[2] = b.w;
    o[3] = c.v;
    o[4] = c.at;
    o[5] = seen;
}
// run: s6 n=300 m=200
kernel void s6(int n, int m, const int a[n][m], int o[n][2])
{
    for (int i = 0; i < n; i++) {
        struct ibest b = {1000, 7, 5};
        for (int j = 0; j < m; j++) {
            b = i1(b, (struct ibest){a[i][j], j, 0});
        }
        o[i][0] = b.v;
        o[i][1] = b.at;
    }
}
// run: s7 n=300
kernel void s7(int n, const int a[n], int o[n])
{
    int x = 5;
    for (int i = 0; i < n; i++) {
        int m = x;
        if (a[i] > 50) {
            m = a[i];
        }
        o[i] = x;
        x = m;
    }
    o[0] = x;
}
// run: s8 n=300
kernel void s8(int n, const int a[n], int o[n])
{
    int x = 5, y = 6;
    for (int i = 0; i < n; i++) {
        int m = x, k = y;
        x = k;
        y = m + a[i];
    }
    o[0] = x;
    o[1] = y;
}
// run: s9 n=300
kernel void s9(int n, const int a[n], int o[n])
{
    int x = 5;
    for (int i = 0; i < n; i++) {
        int m;
        if (a[i] > 50) {
            m = a[i];
            if (a[i] > 70) {
                continue;
            }
        } else {
            m = x;
        }
        x = m;
    }
    o[0] = x;
}
// run: s10 n=300
kernel void s10(int n, const int a[n], int o[n])
{
    int x = 5;
    for (int i = 0; i < n; i++) {
        int m = x;
        for (int j = 0; j < 3; j++) {
            m += a[(i + j) % n];
            if (m > 200) {
                m = x;
            }
        }
        x = m;
    }
    o[0] = x;
}
// run: s11 n=300
kernel void s11(int n, const int a[n], int o[n])
{
    int x = 5;
    for (int i = 0; i < n; i++) {
        int g = x, m;
        m = a[i];
        if (a[i] % 2) {
            m = g;
        }
        x = m;
    }
    o[0] = x;
}
// run: s12 n=300
kernel void s12(int n, const int a[n], int o[n])
{
    int x = 5, m = 3;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            m = a[i];
        }
        x = m;
        m = x + 1;
        if (a[i] > 90) {
            break;
        }
    }
    o[0] = x;
    o[1] = m;
}

struct mm {
    int lo, hi;
};
static struct mm mmx(struct mm a, int x)
{
    if (x < a.lo) {
        a.lo = x;
    }
    if (x > a.hi) {
        a.hi = x;
    }
    return a;
}
static struct mm mmy(struct mm a, struct mm b)
{
    struct mm r;
    r.lo = a.lo < b.lo ? a.lo : b.lo;
    r.hi = a.hi > b.hi ? a.hi : b.hi;
    return r;
}
static struct mm mmz(struct mm a, struct mm b)
{
    if (b.lo < a.lo) {
        a.lo = b.lo;
    }
    if (b.hi > a.hi) {
        a.hi = b.hi;
    }
    return a;
}
// run: k10 n=50000
kernel int k10(int n, const int a[n])
{
    struct mm t = {1000, 0};
    for (int i = 0; i < n; i++) {
        t = mmx(t, a[i]);
    }
    return t.lo * 1000 + t.hi;
}
// run: k11 n=50000
kernel int k11(int n, const int a[n])
{
    struct mm t = {1000, 0};
    for (int i = 0; i < n; i++) {
        t = mmy(t, (struct mm){a[i], a[i]});
    }
    return t.lo * 1000 + t.hi;
}
// run: k12 n=50000
kernel int k12(int n, const int a[n])
{
    struct mm t = {1000, 0};
    for (int i = 0; i < n; i++) {
        t = mmz(t, (struct mm){a[i], a[i]});
    }
    return t.lo * 1000 + t.hi;
}
