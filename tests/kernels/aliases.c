// Helpers that read and write what others point to, private memory of every shape, pointers that come back from calls:
// each as gcc has it, inlined and called.
#include <math.h>
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

struct p3 {
    float x, y, z;
};
struct node {
    int key;
    int next[2];
    short tag;
};
union mix {
    int i;
    unsigned u;
    short h[2];
    unsigned char b[4];
};
struct acc {
    int n;
    int lo;
    int hi;
    long long sum;
    union mix m;
    int hist[4];
};

int field_a[32];
struct acc field_acc;
int *field_ptr;

static int *pick(int *a, int *b, int c)
{
    if (c) {
        return a;
    }
    return b;
}
static int *pick2(int *a, int *b, int c)
{
    int *p = a;
    if (c & 1) {
        p = b;
    }
    if (c & 2) {
        p++;
    }
    return p;
}
static void bump(int *p)
{
    (*p)++;
}
static void bump_twice(int *p, int *q)
{
    bump(p);
    bump(q);
}
static void copy_n(int *d, const int *s, int n)
{
    for (int i = 0; i < n; i++) {
        d[i] = s[i];
    }
}
static void move_n(int *d, const int *s, int n)
{
    memmove(d, s, (size_t)n * sizeof *d);
}
static int sum_n(const int *s, int n)
{
    int t = 0;
    for (int i = 0; i < n; i++) {
        t += s[i];
    }
    return t;
}
static int find(const int *s, int n, int v)
{
    for (int i = 0; i < n; i++) {
        if (s[i] == v) {
            return i;
        }
    }
    return -1;
}
static void note(struct acc *a, int v)
{
    a->n++;
    a->sum += v;
    if (v < a->lo) {
        a->lo = v;
    }
    if (v > a->hi) {
        a->hi = v;
    }
    a->hist[v & 3]++;
}
static void start(struct acc *a)
{
    a->n = 0;
    a->sum = 0;
    a->lo = 1 << 30;
    a->hi = -(1 << 30);
    for (int k = 0; k < 4; k++) {
        a->hist[k] = 0;
    }
    a->m.i = 0;
}
static int finish(const struct acc *a)
{
    return a->n + (int)a->sum * 3 + a->lo * 5 + a->hi * 7 + a->hist[1] * 11 + a->hist[3];
}
static void maybe(int *p, int c, int v)
{
    if (c) {
        *p = v;
    }
}
static int last_or(const int *p, int n, int d)
{
    int r = d;
    for (int i = 0; i < n; i++) {
        if (p[i] & 1) {
            r = p[i];
        }
    }
    return r;
}
static struct p3 mul(struct p3 a, float s)
{
    a.x *= s;
    a.y *= s;
    a.z *= s;
    return a;
}
static void addp(struct p3 *a, const struct p3 *b)
{
    a->x += b->x;
    a->y += b->y;
    a->z += b->z;
}
static int swap_bytes(int v)
{
    union mix m;
    m.i = v;
    unsigned char t = m.b[0];
    m.b[0] = m.b[3];
    m.b[3] = t;
    t = m.b[1];
    m.b[1] = m.b[2];
    m.b[2] = t;
    return m.i;
}
static void rot(int *a, int *b, int *c)
{
    int t = *a;
    *a = *b;
    *b = *c;
    *c = t;
}
static int deep4(const int *p, int i)
{
    return p[i];
}
static int deep3(const int *p, int i)
{
    return deep4(p, i) + deep4(p + 1, i);
}
static int deep2(const int *p, int i)
{
    return deep3(p, i) - deep3(p + 2, i);
}
static int deep1(const int *p, int i)
{
    return deep2(p, i) * 2 + deep2(p + 4, i);
}
static void set_field(int v)
{
    field_a[v & 31] = v;
}
static int get_field(int i)
{
    return field_a[i & 31];
}

// run: picked n=500
kernel void picked(int n, const int c[n], int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        bump(pick(&x[i], &y[i], c[i] & 1));
    }
}
// run: picked_shared n=500
kernel void picked_shared(int n, const int c[n], int x[8], int y[n])
{
    for (int i = 0; i < n; i++) {
        bump(pick(&x[c[i] & 7], &y[i], c[i] & 1));
    }
}
// run: picked2 n=500
kernel void picked2(int n, const int c[n], int x[2 * n + 2], int y[2 * n + 2])
{
    for (int i = 0; i < n; i++) {
        *pick2(&x[2 * i], &y[2 * i], c[i]) = i;
    }
}
// run: neighbours n=500
kernel void neighbours(int n, int x[n + 1])
{
    for (int i = 0; i < n; i++) {
        bump_twice(&x[i], &x[i + 1]);
    }
}
// run: shift_left n=300
kernel void shift_left(int n, int x[n + 4])
{
    for (int i = 0; i < n; i++) {
        copy_n(&x[i], &x[i + 1], 2);
    }
}
// run: copy_rows n=30 m=20
kernel void copy_rows(int n, int m, int a[n][m], const int b[n][m])
{
    for (int i = 0; i < n; i++) {
        move_n(a[i], b[n - 1 - i], m);
    }
}
// run: copy_rows_in_place n=30 m=20
kernel void copy_rows_in_place(int n, int m, int a[n][m])
{
    for (int i = 0; i + 1 < n; i++) {
        move_n(a[i], a[i + 1], m);
    }
}
// run: prefix n=100
kernel void prefix(int n, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = sum_n(x, i + 1);
    }
}
// run: prefix_in_place n=100
kernel void prefix_in_place(int n, int x[n])
{
    for (int i = 1; i < n; i++) {
        x[i] = sum_n(x, i) & 1023;
    }
}
// run: finds n=200 m=30
kernel void finds(int n, int m, const int t[m], const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = find(t, m, x[i] % 40);
    }
}
// run: acc_in_body n=100 m=17
kernel void acc_in_body(int n, int m, const int x[n][m], int y[n])
{
    for (int i = 0; i < n; i++) {
        struct acc a;
        start(&a);
        for (int j = 0; j < m; j++) {
            note(&a, x[i][j]);
        }
        y[i] = finish(&a);
    }
}
// run: acc_outside n=100 m=17
kernel void acc_outside(int n, int m, const int x[n][m], int y[n])
{
    struct acc a;
    for (int i = 0; i < n; i++) {
        start(&a);
        for (int j = 0; j < m; j++) {
            note(&a, x[i][j]);
        }
        y[i] = finish(&a);
    }
}
// run: acc_kept n=100
kernel int acc_kept(int n, const int x[n])
{
    struct acc a;
    start(&a);
    for (int i = 0; i < n; i++) {
        note(&a, x[i]);
    }
    return finish(&a);
}
// run: acc_sometimes n=100
kernel void acc_sometimes(int n, const int x[n], int y[n])
{
    struct acc a;
    start(&a);
    for (int i = 0; i < n; i++) {
        if (x[i] & 1) {
            start(&a);
        }
        note(&a, x[i]);
        y[i] = finish(&a);
    }
}
// run: acc_field n=100
kernel int acc_field(int n, const int x[n])
{
    start(&field_acc);
    for (int i = 0; i < n; i++) {
        note(&field_acc, x[i]);
    }
    return finish(&field_acc);
}
// run: maybe_last n=300
kernel int maybe_last(int n, const int x[n], int y[n])
{
    int last = -5, other = 3;
    for (int i = 0; i < n; i++) {
        maybe(&last, x[i] % 3 == 0, i);
        if (x[i] % 7 == 0) {
            other = x[i];
        }
        y[i] = x[i];
    }
    return last * 1000 + other;
}
// run: maybe_read n=300
kernel int maybe_read(int n, const int x[n], int y[n])
{
    int last = -5;
    for (int i = 0; i < n; i++) {
        maybe(&last, x[i] % 3 == 0, i);
        y[i] = last;
    }
    return last;
}
// run: vectors n=200
kernel void vectors(int n, const float x[n], float y[n])
{
    struct p3 s = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        struct p3 a = {x[i], 1, 2};
        struct p3 b = mul(a, 3);
        addp(&b, &a);
        s = b;
        y[i] = s.x + s.y * s.z;
    }
}
// run: vector_sum n=200
kernel void vector_sum(int n, const int x[n], int y[3])
{
    struct {
        int a, b, c;
    } s = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        s.a += x[i];
        s.b ^= x[i];
        s.c = x[i] > s.c ? x[i] : s.c;
    }
    y[0] = s.a;
    y[1] = s.b;
    y[2] = s.c;
}
// run: unions n=200
kernel void unions(int n, const int x[n], int y[n])
{
    union mix m;
    for (int i = 0; i < n; i++) {
        m.i = x[i];
        m.b[i & 3] ^= 5;
        y[i] = swap_bytes(m.i) + m.h[1];
    }
}
// run: union_kept n=200
kernel int union_kept(int n, const int x[n])
{
    union mix m = {0};
    for (int i = 0; i < n; i++) {
        m.b[i & 3] = (unsigned char)x[i];
    }
    return m.i;
}
// run: rotated n=99
kernel void rotated(int n, int x[n + 3])
{
    for (int i = 0; i + 2 < n; i += 3) {
        rot(&x[i], &x[i + 1], &x[i + 2]);
    }
}
// run: rotated_over n=99
kernel void rotated_over(int n, int x[n + 3])
{
    for (int i = 0; i + 2 < n; i++) {
        rot(&x[i], &x[i + 1], &x[i + 2]);
    }
}
// run: rotated_self n=99
kernel void rotated_self(int n, int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        rot(&x[i], &x[i], &y[i]);
    }
}
// run: deep n=200
kernel void deep(int n, const int x[n + 16], int y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = deep1(x, i);
    }
}
// run: deep_in_place n=200
kernel void deep_in_place(int n, int x[n + 16])
{
    for (int i = 0; i < n; i++) {
        x[i] = deep1(x, i);
    }
}
// run: fields n=200
kernel void fields(int n, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        set_field(i & 31);
    }
    for (int i = 0; i < n; i++) {
        y[i] = get_field(x[i]);
    }
    for (int i = 0; i < 32; i++) {
        set_field(i);
        y[i % n] += get_field(i + 1);
    }
}
// run: field_pointer n=64
kernel void field_pointer(int n, const int x[n], int y[n])
{
    field_ptr = &field_a[3];
    for (int i = 0; i < n; i++) {
        y[i] = field_ptr[x[i] & 7] + i;
    }
    for (int i = 0; i < 8; i++) {
        field_ptr[i] = x[i];
    }
    for (int i = 0; i < n; i++) {
        y[i] += field_a[i & 15];
    }
}
// run: breaks n=100 m=20
kernel void breaks(int n, int m, const int x[n][m], int y[n])
{
    for (int i = 0; i < n; i++) {
        int j, best = -1;
        for (j = 0; j < m; j++) {
            if (x[i][j] > 200) {
                break;
            }
            if (x[i][j] & 1) {
                continue;
            }
            best = j;
        }
        y[i] = best * 100 + j;
    }
}
// run: gotos n=100
kernel void gotos(int n, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        int k = 0, t = x[i];
again:
        if (t > 0) {
            t -= 17;
            k++;
            if (k < 50) {
                goto again;
            }
        }
        if (k & 1) {
            goto odd;
        }
        y[i] = k;
        continue;
odd:
        y[i] = -k;
    }
}
// run: argmins n=300
kernel int argmins(int n, const int x[n], const float f[n])
{
    int lo = 1 << 30, at = -1, hi = -1, hat = -1;
    float fl = 1e30f;
    int fat = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] < lo) {
            lo = x[i];
            at = i;
        }
        if (x[i] >= hi) {
            hi = x[i];
            hat = i;
        }
        if (f[i] <= fl) {
            fl = f[i];
            fat = i;
        }
    }
    return at + hat * 3 + fat * 7 + lo + hi;
}
// run: member_min n=300
kernel int member_min(int n, const int x[n])
{
    struct {
        int v;
        int at;
        int pad[3];
    } b = {1 << 30, -1, {0}};
    for (int i = 0; i < n; i++) {
        b.pad[i % 3] = i;
        if (x[i] - i * 3 < b.v) {
            b.v = x[i] - i * 3;
            b.at = i;
        }
    }
    return b.v + b.at * 10 + b.pad[n % 3];
}
// run: array_of_private n=100 m=9
kernel void array_of_private(int n, int m, const int x[n][m], int y[n])
{
    struct node t[9];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m && j < 9; j++) {
            t[j].key = x[i][j];
            t[j].next[0] = j + 1;
            t[j].next[1] = j - 1;
            t[j].tag = (short)i;
        }
        int s = 0;
        for (int j = 0; j < m && j < 9; j++) {
            s = s * 3 + t[j].key + t[j].next[x[i][j] & 1] + t[j].tag;
        }
        y[i] = s;
    }
}
// run: partial_private n=100
kernel void partial_private(int n, const int x[n], int y[n])
{
    int t[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (x[i] & 7); j++) {
            t[j] = x[i] + j;
        }
        int s = 0;
        for (int j = 0; j < 8; j++) {
            s += t[j];
        }
        y[i] = s;
    }
}
// run: private_then_read n=100
kernel int private_then_read(int n, const int x[n], int y[n])
{
    int t[4] = {9, 9, 9, 9};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++) {
            t[j] = x[i] * j;
        }
        y[i] = t[i & 3];
    }
    return t[0] + t[1] + t[2] * 3 + t[3];
}
// run: lastor n=60 m=12
kernel void lastor(int n, int m, const int x[n][m], int y[n])
{
    int d = 4;
    for (int i = 0; i < n; i++) {
        d = last_or(x[i], m, d);
        y[i] = d;
    }
}
// run: out_params n=200
kernel int out_params(int n, const int x[n], int y[n])
{
    int lo, hi, cnt = 0;
    for (int i = 0; i < n; i++) {
        lo = x[i];
        hi = x[i] + 1;
        rot(&lo, &hi, &lo);
        bump(&cnt);
        y[i] = lo * 3 + hi;
    }
    return cnt;
}
