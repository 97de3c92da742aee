// Declarations, scopes, pointers, precedence, labels. generate_test.c says how a file of many kernels is read.

//== irreducible
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int k = a[i], s = 0;
        if (k & 1) {
            goto odd;
        }
even:
        s += 1;
        k--;
        if (k < 0) {
            goto end;
        }
odd:
        s += 10;
        k -= 2;
        if (k > 0) {
            goto even;
        }
end:
        r[i] = s;
    }
}

//== knr
//@ buffer b0 i32 8 range 0 9
//@ int 8
//@ array b0 0 8
#include <rill/kernel.h>
static int add(a, b)
int a;
short b;
{
    return a + b;
}
static int none()
{
    return 4;
}
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = add(a[i], 70000) + none();
    }
}

//== decls
//@ buffer b0 i32 8 range 0 9
//@ int 8
//@ array b0 0 8
#include <rill/kernel.h>
;
typedef int T, *PT, AT[3], FT(int), (*PAT)[3];
typedef const T CT;
typedef struct node N;
struct node {
    N *next;
    int v;
};
static FT dbl;
static int inline dbl(int x)
{
    return 2 * x;
}
static __inline int trip(register int x)
{
    return 3 * x;
}
extern int global_ext;
int global_ext = 4;
int tentative;
int tentative;
static int arr[] = {1, 2, 3};
kernel void run(int n, int a[n])
{
    AT t = {1, 2, 3};
    PAT p = &t;
    PT q = *p + 1;
    CT c = 5;
    int(x) = 3, *(y) = &x, ((z)) = 4;
    auto int w = 6;
    register int v;
    v = 7;
    int f(int);
    struct {
        int a;
    } an = {8}, an2 = an;
    N n1 = {0, 9}, n2 = {&n1, 10};
    T T = 11;
    const int *const volatile cp = &x;
    for (int i = 0; i < n; i++) {
        a[i] += (*p)[2] * q[-1] + c + x + *y + z + w + v + an2.a + n2.next->v + T + *cp + dbl(i) + trip(i) +
                global_ext + tentative + arr[2];
    }
}

//== typedef_shadow
//@ buffer b0 i32 8 range 0 9
//@ int 8
//@ array b0 0 8
#include <rill/kernel.h>
typedef int num;
typedef struct num {
    num num;
} snum;
static int f(num num)
{
    return num + sizeof(num);
}
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        snum s = {.num = a[i]};
        struct num t = {3};
num:;
        num x = (num)2.5;
        {
            long num = 5;
            x += num * sizeof num;
        }
        a[i] = s.num + t.num + f(i) + x + (num) + 1 + (num)-1;
        if (x < 0) {
            goto num;
        }
    }
}

//== generic
//@ buffer b0 i64 20 range 0 0
//@ int 6
//@ array b0 0 20
#include <rill/kernel.h>
#define KIND(x)                                                                                                        \
    _Generic((x),                                                                                                      \
        int: 1,                                                                                                        \
        unsigned: 2,                                                                                                   \
        long: 3,                                                                                                       \
        float: 4,                                                                                                      \
        double: 5,                                                                                                     \
        char *: 6,                                                                                                     \
        const char *: 7,                                                                                               \
        int *: 8,                                                                                                      \
        default: 9,                                                                                                    \
        _Bool: 10,                                                                                                     \
        char: 11,                                                                                                      \
        short: 12)
kernel void run(int n, long r[20])
{
    char c = 1;
    short s = 2;
    const int ci = 3;
    int arr[3] = {0};
    _Bool b = 1;
    float f = 1;
    unsigned char uc = 0;
    unsigned long ul = 0;
    int k = 0;
    r[k++] = KIND(c);
    r[k++] = KIND(s);
    r[k++] = KIND(ci);
    r[k++] = KIND(arr);
    r[k++] = KIND(b);
    r[k++] = KIND(f);
    r[k++] = KIND(f + 1.0);
    r[k++] = KIND(c + s);
    r[k++] = KIND("x");
    r[k++] = KIND(1u);
    r[k++] = KIND(1L);
    r[k++] = KIND('a');
    r[k++] = KIND(uc);
    r[k++] = KIND(ul);
    r[k++] = KIND(n > 1);
    r[k++] = KIND((char)1);
    r[k++] = KIND(n ? 1 : 1L);
    __typeof__(arr[0]) z = 5;
    __typeof__(1.5f) y = 0.5;
    __typeof__(r) q = r;
    q[k++] = z + (long)(y * 4);
    _Static_assert(sizeof(z) == 4, "int");
    _Static_assert(_Generic(1, int: 1, default: 0), "g");
}

//== gnu_bits
//@ buffer b0 i32 8 range 0 9
//@ int 8
//@ array b0 0 8
#include <rill/kernel.h>
struct __attribute__((packed)) pk {
    char a;
    int b;
};
struct __attribute__((aligned(16))) al {
    int x;
};
static inline __attribute__((always_inline)) int f(int *__restrict p, __const int v)
{
    return *p + v;
}
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        struct pk p = {1, 2};
        __attribute__((unused)) int u = 3;
        a[i] = f(&a[i], p.b) + (int)sizeof p + (int)sizeof(struct al) + u;
    }
}

//== pointer_pointer
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
static void swp(int **a, int **b)
{
    int *t = *a;
    *a = *b;
    *b = t;
}
static int *pick(int *a, int *b, int c)
{
    return c ? a : b;
}
struct view {
    int *p;
    int len;
};
static int sumv(struct view v)
{
    int s = 0;
    for (int i = 0; i < v.len; i++) {
        s += v.p[i];
    }
    return s;
}
static struct view tail(struct view v)
{
    v.p++;
    v.len--;
    return v;
}
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], y = 100, t[4] = {1, 2, 3, 4};
        int *p = &x, *q = &y, **pp = &p, ***ppp = &pp;
        swp(&p, &q);
        **ppp += 5;
        *pp = &t[2];
        *--*pp = 50;
        int *arr[3] = {&x, &y, t};
        *arr[i % 3] += 7;
        *pick(&x, &y, a[i] > 4) *= 2;
        struct view v = {t, 4};
        r[i] = x + y * 3 + t[0] + t[1] * 5 + sumv(v) + sumv(tail(v)) + (int)(arr[2] - t) + (p > t) + (p == t + 1) +
               (int)(&t[3] - p) + *q + (q != 0) + !p + (arr[0] == &x);
    }
}

//== pointer_loop_local
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int buf[16], *w = buf, *e;
        for (int k = 0; k <= a[i]; k++) {
            *w++ = k * k;
        }
        e = w;
        int s = 0;
        while (w > buf) {
            s = s * 2 + *--w;
        }
        for (int *p = buf; p != e; p += 1) {
            s ^= *p;
        }
        const char *str = "hello, world";
        while (*str) {
            s += *str++;
        }
        char m[2][6] = {"abc", "defgh"};
        for (char(*row)[6] = m; row < m + 2; row++) {
            for (char *c = *row; *c; c++) {
                s = s * 3 + *c;
            }
        }
        r[i] = s + (int)(e - buf);
    }
}

//== long_bitfields
//@ buffer b0 i64 8 range -1000000000000 1000000000000
//@ buffer b1 i64 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
struct lb {
    unsigned long a : 40;
    long b : 24;
    long c : 63;
    unsigned long d : 1;
    _Bool e : 1;
    unsigned char f : 7;
    enum { P, Q, R_ } g : 3;
    unsigned h : 32;
};
kernel void run(int n, const long a[n], long r[n])
{
    for (int i = 0; i < n; i++) {
        struct lb x = {.b = -1, .g = Q};
        x.a = a[i];
        x.c = a[i] >> 1;
        x.d = a[i];
        x.e = a[i] & 2;
        x.f = a[i];
        x.h = a[i];
        x.b += 5;
        x.a++;
        x.c -= 7;
        x.f *= 3;
        x.g = R_;
        x.h <<= 4;
        long q = x.c = a[i] * 3;
        r[i] = (long)x.a + x.b * 3 + x.c + x.d + x.e * 2 + x.f * 4 + x.g * 8 + (long)x.h + q + (long)sizeof x;
    }
}

//== packed_bits
//@ buffer b0 i32 8 range -100000 100000
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
#pragma pack(1)
struct pb {
    unsigned a : 3;
    unsigned b : 13;
    char c;
    int d : 20;
    short e;
    unsigned f : 12;
};
#pragma pack()
union ub {
    struct {
        uint32_t m : 23, e : 8, s : 1;
    } b;
    float f;
    uint32_t u;
};
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        struct pb p = {1, 2, 3, 4, 5, 6};
        p.b += a[i];
        p.d = a[i] * 3;
        p.f -= a[i];
        p.e ^= p.d;
        union ub u = {.f = a[i]};
        u.b.s ^= 1;
        u.b.e++;
        r[i] = p.a + p.b * 3 + p.c + p.d * 5 + p.e * 7 + p.f * 11 + (int)u.f + (int)sizeof p + (int)u.b.m;
    }
}

//== struct_ops
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
struct s {
    int a[3];
    struct {
        char c;
        short d;
    } in;
};
static struct s mk(int v)
{
    struct s x = {{v, v + 1, v + 2}, {v, -v}};
    return x;
}
static int first(const struct s *p)
{
    return p->a[0];
}
static struct s inc(struct s x)
{
    x.a[1]++;
    return x;
}
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        struct s x = mk(a[i]), y, *p = &y, z[2] = {x, mk(3)};
        *p = x;
        y = a[i] > 4 ? mk(1) : x;
        z[1] = z[0];
        z[0].in = y.in;
        (p->in).d++;
        x = inc(inc(y));
        r[i] = mk(i).a[2] + first(&z[1]) + (*p).in.d + x.a[1] + z[0].in.c + (a[i] ? x : y).a[0] + (y = x, y).a[1] +
               first(&(struct s){{5}}) + (x = y = z[1]).in.d;
    }
}

//== expr_precedence
//@ buffer b0 i32 16 range -9 9
//@ buffer b1 i32 16 range 0 0
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], y = i, *p = &x;
        r[i] = x + y << 2 | y & 3 ^ x == y && x | 1 ? -x - -y : !x ? ~y : x % 3 * 2 - +y;
        r[i] += x-- - y;
        r[i] += y++ + +x;
        r[i] ^= *p * *p / *p * 1 + (x > 0 ? x : -x);
        r[i] += sizeof x * 2 + -sizeof(char) + (int)-1 % 2 + 5 - 3 - 1 + 100 / 10 / 2 + (1 << 2 << 1) + (x & y == 0) +
                (x < y == y > x) + (x ? y ? 1 : 2 : 3);
        r[i] -= (x = y = 3) + x;
    }
}

//== labels_everywhere
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        if (a[i] > 3) {
then:
            s++;
        } else {
other:
            s += 2;
        }
        if (s == 1 && a[i] == 9) {
            goto other;
        }
        for (int k = 0; k < 3; k++) {
body:
            s += k;
        }
        {
inner:;
        }
        switch (a[i]) {
l1:
        case 1: s += 5;
            l2:
        default: s += 7;
        }
        if (s > 30) {
            goto done;
        }
        if (a[i] == 2) {
            s += 40;
            goto inner;
        }
done:
        r[i] = s;
    }
}

//== switch_nested
//@ buffer b0 i32 12 range 0 12
//@ buffer b1 i32 12 range 0 0
//@ int 12
//@ array b0 0 12
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        switch (a[i]) {
        case 0:
            switch (i) {
            case 1: s = 1; break;
            default: s = 2;
            case 5: s += 3;
            }
            s += 10;
            break;
        case 1:
            if (i > 3) {
            case 2: s += 20;
            } else {
            case 3: s += 30;
            }
            break;
        case 4:
            for (s = 0; s < 5; s++) {
            case 6:
                if (s == 3) {
                    break;
                }
            case 5: s += 2;
            }
            break;
        case 7:
            while (s < 4) {
                s++;
                if (s == 2) {
                case 8: s += 100; continue;
                }
            }
            break;
            {
            case 9:; int q = 5; s += q;
            }
        case 10: do { s += 3;
            case 11: s++;
            } while (s < 20 && s % 3);
        }
        r[i] = s;
    }
}

//== scope_for
//@ buffer b0 i32 8 range 0 9
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (struct { int x, y; } p = {0, 10}; p.x < p.y; p.x++, p.y--) {
            s += p.y;
        }
        for (int i = 0, *q = &s; i < 3; i++) {
            *q += i;
        }
        for (unsigned char c = 'a'; c <= 'e'; c++) {
            s += c;
        }
        for (float f = 0; f < 1; f += 0.25f) {
            s++;
        }
        for (const int *p = (const int[]){1, 2, 3, 0}; *p; p++) {
            s += *p;
        }
        for (int k = 3, s = 100; k; k--) {
            s += k;
            if (s > 104) {
                break;
            }
        }
        r[i] = s;
    }
}

//== const_expr
//@ buffer b0 i32 24 range 0 0
//@ array b0 0 24
#include <rill/kernel.h>
enum {
    N = 3 * 2,
    M = N << 1,
    K = (int)2.9,
    L = sizeof(int[N]),
    Z = N > 3 ? 'a' : 'b',
    Y = !N,
    X = ~0 & 0xff,
    W = -7 / 2,
    V = -7 % 3,
    U = 1 || 1 / 1
};
static const int arr[N][K] = {[N - 1] = {[K - 1] = M}};
struct s {
    int a[N * K];
    unsigned b : K + 1;
};
static int sized[sizeof(struct s) / 4 == 13 ? 2 : 3];
kernel void run(int r[24])
{
    int k = 0;
    char t[M];
    switch (6) {
    case N: r[k++] = 1; break;
    case M: r[k++] = 2;
    }
    r[k++] = N;
    r[k++] = M;
    r[k++] = K;
    r[k++] = L;
    r[k++] = Z;
    r[k++] = Y;
    r[k++] = X;
    r[k++] = W;
    r[k++] = V;
    r[k++] = U;
    r[k++] = arr[5][1];
    r[k++] = sizeof(struct s);
    r[k++] = sizeof sized;
    r[k++] = sizeof t;
    r[k++] = offsetof(struct s, a[2]);
}

//== int_literals_big
//@ buffer b0 u64 12 range 0 0
//@ array b0 0 12
#include <rill/kernel.h>
kernel void run(uint64_t r[12])
{
    r[0] = 18446744073709551615u;
    r[1] = 0x8000000000000000;
    r[2] = 01777777777777777777777;
    r[3] = 9223372036854775807 + 1u;
    r[4] = -1u;
    r[5] = -1ul;
    r[6] = 0xFFFFFFFFu + 1;
    r[7] = 0xFFFFFFFFul + 1;
    r[8] = 2147483648 - 1;
    r[9] = 1ull << 63;
    r[10] = 0x7fffffff * 2u;
    r[11] = 'z' - 'a';
}

//== string_escapes
//@ buffer b0 i32 40 range 0 0
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int r[40])
{
    static const char s[] = "\a\b\f\n\r\t\v\\\'\"\?\0\12\x1b\xfeg"
                            "1"
                            "\61"
                            "é\u00e9";
    r[39] = sizeof s;
    for (int i = 0; i < (int)sizeof s; i++) {
        r[i] = s[i];
    }
    r[38] = "abc"[1] + *"def" + 2 ["ghi"] + sizeof("a\0b") + (int)sizeof "" + '\'' + '"' + '\?';
}
