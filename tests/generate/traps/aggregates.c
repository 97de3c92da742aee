// Structs, unions, bit-fields, initialisers, layout. generate_test.c says how a file of many kernels is read.

//== bitfield_widths
//@ buffer b0 i32 24 range -100000 100000
//@ buffer b1 i64 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
struct b {
    int a : 1;
    unsigned b : 1;
    int c : 3;
    unsigned d : 5;
    int e : 7;
    signed f : 13;
    unsigned g : 31;
    int h : 32;
    unsigned i : 17;
    _Bool j : 1;
    int : 0;
    short k : 9;
    unsigned char l : 3;
};
kernel void run(int n, const int a[n], long r[n])
{
    for (int i = 0; i < n; i++) {
        struct b x = {0};
        x.a = a[i];
        x.b = a[i];
        x.c = a[i];
        x.d = a[i];
        x.e = a[i];
        x.f = a[i];
        x.g = a[i];
        x.h = a[i];
        x.i = a[i];
        x.j = a[i];
        x.k = a[i];
        x.l = a[i];
        long t = x.a + x.b * 2 + x.c * 3 + x.d * 5 + x.e * 7 + x.f * 11 + (long)x.g * 13 + x.h * 17L + x.i * 19 +
                 x.j * 23 + x.k * 29 + x.l * 31;
        t += (x.d - 32 < 0) + (x.g - 1 > 0) + (-x.b < 0) * 2 + (x.g < -1) * 4 + sizeof(struct b) * 1000;
        r[i] = t;
    }
}

//== bitfield_compound
//@ buffer b0 i32 24 range -100 100
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
struct q {
    unsigned a : 4, b : 4, : 3, c : 5;
    int d : 6;
};
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        struct q x = {1, 2, 3, -4};
        int t = x.a += a[i];
        t += x.b++ * 3;
        t += --x.c;
        x.d -= a[i];
        t += x.d <<= 1;
        t += (x.a = 17) * 100;
        x.b |= 9;
        x.c ^= x.d;
        t += x.d--;
        t += (x.d = a[i]) ? 5 : 6;
        r[i] = t + x.a * 7 + x.b * 11 + x.c * 13 + x.d * 17;
    }
}

//== bitfield_shared_memory
//@ buffer b0 bytes 48 range 0 255
//@ int 6
//@ array b0 0 48
#include <rill/kernel.h>
struct w {
    unsigned lo : 12;
    int mid : 9;
    unsigned hi : 11;
    uint8_t tail;
    uint8_t t2 : 3;
    uint8_t t3 : 5;
};
kernel void run(int n, struct w a[n])
{
    for (int i = 0; i < n; i++) {
        a[i].lo += a[i].hi;
        a[i].mid = a[i].lo - a[i].tail;
        a[i].hi *= 3;
        a[i].t2 = a[i].t3;
        a[i].t3--;
    }
}

//== bitfield_two_loops
//@ buffer b0 bytes 32 range 0 255
//@ int 8
//@ array b0 0 32
#include <rill/kernel.h>
// Two iterations write two bit-fields of one unit: a storage unit, so in order or atomic, never a lost write.
struct w {
    unsigned a : 8, b : 8, c : 16;
};
kernel void run(int n, struct w *p)
{
    for (int i = 0; i < 2; i++) {
        if (i == 0) {
            p[0].a = 5;
        } else {
            p[0].b = 7;
        }
    }
    for (int i = 0; i < n; i++) {
        p[i].c += i;
    }
    for (int i = 0; i < n; i++) {
        p[0].c += i;
    }
}

//== union_pun
//@ buffer b0 f32 20 range -100 100
//@ buffer b1 i32 20 range 0 0
//@ buffer b2 f64 20 range -9 9
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
//@ array b2 0 20
#include <rill/kernel.h>
union u {
    float f;
    uint32_t i;
    uint8_t b[4];
    struct {
        uint16_t lo, hi;
    } h;
    int32_t s : 23;
};
kernel void run(int n, const float a[n], int r[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        union u x = {a[i]};
        x.b[0] ^= 0x55;
        x.h.hi += 1;
        int t = x.i;
        t += x.s;
        x.s = -5;
        t ^= x.i;
        union {
            double d;
            uint64_t u;
            int w[2];
        } y = {.w = {i, 0x3ff00000 + i}};
        d[i] += y.d;
        y.u |= 1ull << 63;
        d[i] -= y.d;
        r[i] = t + (int)sizeof x + x.b[3];
    }
}

//== union_inactive_size
//@ buffer b0 i32 12 range -100 100
//@ buffer b1 i64 12 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
union big {
    char c;
    struct {
        int a[3];
        short s;
    } st;
    long l;
};
struct has {
    char x;
    union big u;
    _Bool z;
};
kernel void run(int n, const int a[n], long r[n])
{
    for (int i = 0; i < n; i++) {
        struct has h = {.u.st = {{1, 2, a[i]}, 4}, .x = 3}, k;
        k = h;
        k.u.st.a[0] = a[i];
        union big *p = &k.u;
        p->l += 1;
        h.u = *p;
        h.u.c = 9;
        r[i] = h.u.l + h.u.st.s + k.u.st.a[2] + h.x + h.z + (sizeof h << 8) + _Alignof(union big) +
               offsetof(struct has, z);
    }
}

//== struct_padding_copy
//@ buffer b0 bytes 168 range 0 255
//@ buffer b1 bytes 168 range 0 255
//@ int 7
//@ array b0 0 168
//@ array b1 0 168
#include <rill/kernel.h>
struct p {
    char a;
    int b;
    short c[3];
    char d;
    double e;
};
static struct p twist(struct p x, struct p *y)
{
    struct p t = x;
    t.c[1] = y->c[2];
    *y = t;
    y->b++;
    t.e = 2;
    return t;
}
kernel void run(int n, struct p a[n], struct p b[n])
{
    for (int i = 0; i < n; i++) {
        a[i].e = 1;
        b[i].e = 3;
        struct p l = b[i];
        a[i].b = twist(a[i], &l).c[1];
        b[i].a = l.a;
        b[i].b = l.b;
        a[i].d = l.d;
        a[i].c[2] = twist(l, &l).c[0];
    }
}

//== init_override
//@ buffer b0 i32 64 range 0 0
//@ array b0 0 64
#include <rill/kernel.h>
struct in {
    int a, b[3];
    struct {
        short s;
        char c[2];
    } z;
};
struct out {
    struct in x[2];
    int t;
};
kernel void run(int r[64])
{
    struct out o = {{{1, {2, 3}, {4, "x"}}, 5, 6, 7, 8, 9, 'a', 'b'}, 10};
    struct out q = {.x[1].b[1] = 5, 6, {7, {8}}, .t = 11, .x[0] = {1, 2, 3}, .x[0].b[2] = 12};
    int m[][3] = {{1}, 2, 3, 4, {5, 6}, [4] = {[1] = 9}, [1][2] = 77};
    int w[] = {[5] = 1, 2, [2] = 3, 4, [5] = 8};
    char s[] = "ab"
               "\0c",
         t[3] = "xyz", u[5] = {"pq"}, v[2][4] = {"abc", {'d', 'e'}};
    int k = 0;
    int *f = (int *)&o;
    for (int i = 0; i < 11; i++) {
        r[k++] = i == 4 || i == 9 ? 0 : f[i];
    }
    f = (int *)&q;
    for (int i = 0; i < 11; i++) {
        r[k++] = i == 4 || i == 9 ? 0 : f[i];
    }
    r[k++] = sizeof m / sizeof *m;
    for (int i = 0; i < 15; i++) {
        r[k++] = ((int *)m)[i];
    }
    r[k++] = sizeof w / sizeof *w;
    for (int i = 0; i < 7; i++) {
        r[k++] = w[i];
    }
    r[k++] = sizeof s;
    r[k++] = t[2] + s[3] + u[1] + u[4] + v[0][3] + v[1][1];
    r[k++] = o.x[0].z.c[0] * 3 + o.x[1].z.c[1] + q.x[1].z.c[0] + o.x[1].z.s;
}

//== compound_literal_loop
//@ buffer b0 i32 16 range -9 9
//@ int 16
//@ array b0 0 16
#include <rill/kernel.h>
struct v {
    int x, y;
};
static struct v add(struct v a, struct v b)
{
    return (struct v){a.x + b.x, .y = a.y + b.y};
}
static int sum(const int *p, int n)
{
    int s = 0;
    while (n--) {
        s += *p++;
    }
    return s;
}
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        struct v *p = &(struct v){i, a[i]};
        int *last = 0;
        for (int k = 0; k < 3; k++) {
            int *q = (int[3]){k, k + 1};
            q[2] += q[0]++;
            p->x += q[2] + q[0];
            last = (int[]){k};
            p->y += *last;
        }
        *p = add(*p, (struct v){.y = 1});
        a[i] = p->x + p->y * 100 + sum((int[]){1, 2, a[i]}, 3) + ((struct v){3, 4}).y + (int){5} +
               sizeof((char[]){"abc"}) + ++(int){6};
    }
}

//== array_of_struct_of_array
//@ buffer b0 bytes 240 range 0 99
//@ int 5
//@ array b0 0 240
#include <rill/kernel.h>
struct c {
    int m[2][3];
    int t[6];
};
kernel void run(int n, struct c a[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++) {
                a[i].t[j * 3 + k] = a[i].m[j][k] + (a + i)->m[1 - j][2 - k] * 100;
            }
        }
    }
}

//== struct_by_value_arg
//@ buffer b0 bytes 24 range 0 50
//@ buffer b1 i32 8 range 0 0
//@ struct b0
//@ array b1 0 8
#include <rill/kernel.h>
struct s {
    int a;
    short b[4];
    double pad;
};
static int use(struct s x)
{
    x.a++;
    x.b[0] = 9;
    return x.a + x.b[0] + x.b[3];
}
kernel void run(struct s s, int r[8])
{
    for (int i = 0; i < 8; i++) {
        r[i] = s.a + s.b[i & 3] + use(s) + s.b[0];
    }
    s.a = 7;
    s.b[1] += 3;
    for (int i = 0; i < 8; i++) {
        struct s t = s;
        t.b[i % 4] = i;
        r[i] += t.a * 3 + t.b[1] + t.b[3];
    }
}

//== flexible_and_anon
//@ buffer b0 bytes 96 range 0 99
//@ int 6
//@ array b0 0 96
#include <rill/kernel.h>
struct n {
    union {
        int i;
        unsigned u;
    };
    struct {
        int x;
        union {
            int y;
            short ys[2];
        };
    };
    int z;
};
kernel void run(int n, struct n a[n])
{
    for (int i = 0; i < n; i++) {
        a[i].u -= 50;
        a[i].ys[1] = a[i].x;
        a[i].z += a[i].y > a[i].i;
        struct n c = {.y = 3, .i = 4};
        a[i].x = c.x + c.ys[0] + c.u;
    }
}

//== pack_align
//@ buffer b0 i64 20 range 0 0
//@ array b0 0 20
#include <rill/kernel.h>
#pragma pack(push, 1)
struct pk {
    char a;
    int b;
    short c;
    double d;
};
#pragma pack(pop)
struct al {
    char a;
    _Alignas(16) int b;
    char c;
};
#pragma pack(2)
struct p2 {
    char a;
    int b;
    char c;
    long d;
};
#pragma pack()
kernel void run(long r[20])
{
    struct pk x[2] = {{1, 2, 3, 4}, {5, 0x01020304, 7, 8.5}};
    struct pk *p = x;
    p++;
    p->b++;
    struct p2 y = {1, 2, 3, 4};
    r[0] = sizeof(struct pk);
    r[1] = offsetof(struct pk, d);
    r[2] = sizeof(struct al);
    r[3] = offsetof(struct al, c);
    r[4] = _Alignof(struct al);
    r[5] = sizeof(struct p2);
    r[6] = offsetof(struct p2, d);
    r[7] = p->b + (long)(p->d * 2) + x[1].c;
    r[8] = y.a + y.b * 10 + y.c * 100 + y.d * 1000;
    r[9] = ((unsigned char *)x)[16];
    for (int i = 0; i < 4; i++) {
        struct pk t = {i, i * 1000000, i, i};
        t.b += t.a;
        r[10 + i] = t.b + t.d;
    }
}

//== struct_return_chain
//@ buffer b0 bytes 96 range 0 60
//@ buffer b1 f32 12 range 0 0
//@ int 12
//@ array b0 0 96
//@ array b1 0 12
#include <rill/kernel.h>
typedef struct {
    float x, y;
} v2;
typedef struct {
    v2 c[2];
} m2;
static v2 mk(float x, float y)
{
    v2 r = {x, y};
    return r;
}
static m2 rot(int q)
{
    m2 m = {{{1, 0}, {0, 1}}};
    while (q-- > 0) {
        v2 t = m.c[0];
        m.c[0] = m.c[1];
        m.c[1] = mk(-t.x, -t.y);
    }
    return m;
}
static v2 mul(m2 m, v2 v)
{
    return mk(m.c[0].x * v.x + m.c[1].x * v.y, m.c[0].y * v.x + m.c[1].y * v.y);
}
kernel void run(int n, const v2 a[n], float r[n])
{
    for (int i = 0; i < n; i++) {
        r[i] = mul(rot(i & 3), mul(rot(i % 3), a[i])).x + rot(i).c[1].y + mk(i, 2).y;
    }
}

//== memcpy_struct
//@ buffer b0 bytes 96 range 0 255
//@ buffer b1 bytes 96 range 0 255
//@ int 6
//@ array b0 0 96
//@ array b1 0 96
#include <rill/kernel.h>
#include <string.h>
struct s {
    int a;
    char b[8];
    float f;
};
kernel void run(int n, struct s a[n], struct s b[n])
{
    for (int i = 0; i < n; i++) {
        struct s t;
        memset(&t, 0x11, sizeof t);
        memcpy(&t.b[1], &a[i].b[2], 5);
        memmove(t.b, t.b + 2, 6);
        t.f = 1;
        if (memcmp(t.b, a[i].b, 3) < 0) {
            t.a = -1;
        }
        memcpy(&b[i], &t, sizeof t);
        memset(a[i].b, i, 3);
    }
}

//== two_dim_struct_grid
//@ buffer b0 bytes 320 range 0 9
//@ buffer b1 bytes 320 range 0 9
//@ int 4
//@ int 5
//@ array b0 0 320
//@ array b1 0 320
#include <rill/kernel.h>
typedef struct {
    int v, w[3];
} cell;
kernel void run(int h, int w, cell a[h][w], cell b[h][w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            b[y][x] = a[h - 1 - y][w - 1 - x];
            b[y][x].w[(x + y) % 3] = a[y][x].v;
        }
    }
}

//== sizeof_everything
//@ buffer b0 i64 40 range 0 0
//@ array b0 0 40
#include <rill/kernel.h>
struct e {
    char a[3];
    struct {
        int x;
    } s[2];
};
static int f(int x)
{
    return x;
}
kernel void run(long r[40])
{
    int k = 0, n = 4;
    char c[5] = {0};
    int m[3][4] = {{0}};
    struct e e = {{0}};
    int(*pa)[4] = m;
    short *ps[6];
    const char *str = "hello";
    typedef int arr[7];
    r[k++] = sizeof c;
    r[k++] = sizeof m;
    r[k++] = sizeof m[0];
    r[k++] = sizeof *m[0];
    r[k++] = sizeof pa;
    r[k++] = sizeof *pa;
    r[k++] = sizeof ps;
    r[k++] = sizeof e.s;
    r[k++] = sizeof(struct e);
    r[k++] = sizeof "hello";
    r[k++] = sizeof str;
    r[k++] = sizeof(arr);
    r[k++] = sizeof(arr[2]);
    r[k++] = sizeof(int(*)[3]);
    r[k++] = sizeof f(3);
    r[k++] = sizeof(n++);
    r[k++] = n;
    r[k++] = sizeof(c + 0);
    r[k++] = sizeof &c;
    r[k++] = sizeof *&c;
    r[k++] = sizeof(char);
    r[k++] = sizeof c[0] + sizeof 'a';
    r[k++] = sizeof(void *);
    r[k++] = sizeof(struct {
        char a;
        double b;
    });
    r[k++] = sizeof(union {
        char a[9];
        int b;
    });
    r[k++] = sizeof(int);
    r[k++] = sizeof(1 ? c : 0);
    r[k++] = sizeof -c[0];
    r[k++] = sizeof((void)0, c);
    r[k++] = _Alignof(long) + _Alignof(char[3]);
    r[k++] = (char *)(pa + 1) - (char *)pa;
    r[k++] = &m[2][1] - &m[0][3];
    r[k++] = sizeof(sizeof 1);
    r[k++] = sizeof e.a / sizeof *e.a;
    r[k++] = sizeof(__typeof__(m[0]));
}
