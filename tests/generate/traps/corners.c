// Corners of C that conformance suites look at, each on one thread. generate_test.c says how a file of many kernels is
// read.

//== inner_function_pointer_type_only
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
typedef int (*fn)(int, const char *);
struct s {
    fn f;
    int x;
};
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    r[0] = sizeof(struct s);
    r[1] = sizeof(fn);
    r[2] = (int)sizeof(int(*)[3]) + (int)sizeof(char *(*[4])(void));
}

//== adjusted_parameters
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
static long f(int p[static 3], int q[*], char s[]);
static long f(int p[static 3], int q[2], char s[])
{
    return sizeof p + sizeof q + sizeof s + p[2] * 10 + q[1] + s[0];
}
static int g(int m, int v[m][m + 1])
{
    return (int)sizeof v[0] + v[1][m];
}
static int h(int m, int k, int v[m][k][2])
{
    return (int)(sizeof *v / sizeof **v) * 100 + (int)(&v[1][0][0] - &v[0][0][0]);
}
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int x[3] = {1, 2, a[3]}, y[2] = {7, 8};
    char s[] = "A";
    int v[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    int w[2][3][2] = {0};
    r[0] = f(x, y, s);
    r[1] = g(3, v);
    r[2] = h(2, 3, w);
}

//== strings
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
static const char *const names[] = {"zero",
                                    "one"
                                    " and "
                                    "two",
                                    "",
                                    "\x41\x42"
                                    "C",
                                    "\101\60\0x",
                                    "tab\tq\"\\\?"};
static const char fixed[4] = "abcd", longer[8] = "abc", two[][4] = {"ab", "cde", {'x'}, {"yz"}};
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int k = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        for (const char *p = names[i]; *p; p++) {
            r[k] = r[k] * 31 + *p;
        }
        k++;
    }
    r[k++] = sizeof "a\0b" + sizeof fixed + sizeof longer + sizeof two;
    r[k++] = "hello"[one + 1] + 2 ["xyz"] + *("abc" + one);
    for (int i = 0; i < 8; i++) {
        r[k++] = longer[i] + fixed[i & 3] * 256 + two[i & 3][i / 2] * 65536;
    }
    char loc[] = {"local"}, *p = loc;
    p[1] = 'X';
    *p++ = 'Y';
    r[k++] = loc[0] + loc[1] * 256 + (p - loc) * 65536 + sizeof loc * 0x1000000;
    r[k++] = '\'' + '"' + '\a' + '\b' + '\f' + '\v' + '\e';
    r[k++] = sizeof 'a' + sizeof "" +
             sizeof(""
                    "");
    r[k++] = L'x' + sizeof L"ab" / sizeof *L"ab";
}

//== compound_literals_as_lvalues
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
struct p {
    int x, y;
};
static int sum(const struct p *p, int n)
{
    int s = 0;
    while (n--) {
        s += p->x * 10 + p->y;
        p++;
    }
    return s;
}
static struct p *pass(struct p *p)
{
    p->x++;
    return p;
}
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    r[0] = sum((struct p[]){{1, 2}, {.y = 4}, [3] = {5, 6}}, 4);
    (struct p){1, 2}.x = 3;
    struct p *q = &(struct p){.y = a[2]};
    q->x = 4;
    r[1] = pass(pass(q))->x + q->y;
    int *z = (int[]){1, 2, 3};
    z[1] += 5;
    r[2] = z[0] + z[1] + z[2];
    r[3] = ((union {
               int i;
               unsigned char c[4];
           }){.i = 0x01020304})
               .c[one];
    for (int i = 0; i < 3; i++) {
        int *t = &(int){i * 2};
        *t += one;
        r[4] = r[4] * 10 + *t;
    }
    r[5] = sizeof((char[]){"four"}) + sizeof((int[10]){0});
    r[6] = (int){7} + (const int){one};
    r[7] = ++(int){9};
}

//== generic_and_typeof
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
#define KIND(x)                                                                                                        \
    _Generic((x),                                                                                                      \
        char: 1,                                                                                                       \
        signed char: 2,                                                                                                \
        unsigned char: 3,                                                                                              \
        short: 4,                                                                                                      \
        unsigned short: 5,                                                                                             \
        int: 6,                                                                                                        \
        unsigned: 7,                                                                                                   \
        long: 8,                                                                                                       \
        unsigned long: 9,                                                                                              \
        long long: 10,                                                                                                 \
        unsigned long long: 11,                                                                                        \
        float: 12,                                                                                                     \
        double: 13,                                                                                                    \
        char *: 14,                                                                                                    \
        const char *: 15,                                                                                              \
        int *: 16,                                                                                                     \
        const int *: 17,                                                                                               \
        _Bool: 18,                                                                                                     \
        default: 99)
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int k = 0;
    char c = 1;
    short s = 2;
    unsigned char uc = 3;
    float f = 1;
    _Bool b = 1;
    unsigned short us = 3;
    const int ci = 3;
    int arr[3];
    struct {
        unsigned u : 3, w : 32;
        int i : 5;
        long l : 40;
    } bf = {1, 2, 3, 4};
    r[k++] = KIND(c);
    r[k++] = KIND(+c);
    r[k++] = KIND(c++);
    r[k++] = KIND((char)1);
    r[k++] = KIND(c + uc);
    r[k++] = KIND(s << 40L);
    r[k++] = KIND(1 ? c : s);
    r[k++] = KIND(1 ? 1u : 1L);
    r[k++] = KIND(1 ? 1LL : 1UL);
    r[k++] = KIND(f + 1);
    r[k++] = KIND(f * 1.0);
    r[k++] = KIND(b);
    r[k++] = KIND(!f);
    r[k++] = KIND(b + b);
    r[k++] = KIND(ci);
    r[k++] = KIND(arr);
    r[k++] = KIND(&ci);
    r[k++] = KIND("s");
    r[k++] = KIND((const char *)"s");
    r[k++] = KIND('a');
    r[k++] = KIND(0x80000000);
    r[k++] = KIND(2147483648);
    r[k++] = KIND(sizeof 1);
    r[k++] = KIND(&arr[1] - &arr[0]);
    r[k++] = KIND(+bf.u);
    r[k++] = KIND(+bf.w);
    r[k++] = KIND(+bf.i);
    r[k++] = KIND(~us);
    r[k++] = KIND((c, f));
    r[k++] = KIND(c = 3);
    r[k++] = KIND(us += 1);
    r[k++] = KIND(-uc);
    r[k++] = KIND(1u << 1L);
    r[k++] = KIND(1L >> 1u);
    r[k++] = KIND(0 ? (int *)0 : (void *)0 ? arr : 0);
    r[k++] = KIND(18446744073709551615u);
    r[k++] = KIND(1.f);
    r[k++] = KIND(3 == 3L);
    r[k++] = KIND(0xffffffffffffffff);
    r[k++] = KIND(017777777777);
    __typeof__(c + 1) t1 = 300;
    __typeof__(c) t2 = 44;
    __typeof__(arr) t3 = {1, 2, 3};
    __typeof__(int *) t4 = t3;
    r[k++] = sizeof t1 + sizeof t2 * 10 + sizeof t3 * 100 + t4[2];
    r[k++] = _Generic(arr, int *: 1, int[3]: 2) + _Generic(&arr, int(*)[3]: 10, default: 20) +
             _Generic((struct { int q; } *)0, default: 100);
    r[k++] = _Generic(1.0f, default: 5, double: 6) + _Generic('x', int: one, default: zero / 1);
}

//== alignments
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
struct al {
    char c;
    _Alignas(16) int x;
    char d;
};
struct al2 {
    _Alignas(8) char c[3];
    short s;
};
union ua {
    char c;
    _Alignas(32) short s;
};
struct nest {
    struct al2 a;
    char c;
    struct al b[2];
    union ua u;
};
typedef struct __attribute__((packed)) {
    char c;
    int i;
    short s;
    double d;
} packed_t;
typedef struct {
    char c;
    int i __attribute__((aligned(16)));
} at_t;
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int k = 0;
    r[k++] = sizeof(struct al);
    r[k++] = _Alignof(struct al);
    r[k++] = offsetof(struct al, d);
    r[k++] = sizeof(struct al2);
    r[k++] = _Alignof(struct al2);
    r[k++] = sizeof(union ua);
    r[k++] = sizeof(struct nest);
    r[k++] = offsetof(struct nest, b[1].d);
    r[k++] = offsetof(struct nest, u);
    r[k++] = sizeof(packed_t);
    r[k++] = offsetof(packed_t, d);
    r[k++] = _Alignof(packed_t);
    r[k++] = sizeof(at_t);
    _Alignas(64) char buf[3] = {1, 2, 3};
    r[k++] = ((uintptr_t)buf % 64) + buf[one];
    _Alignas(double) _Alignas(4) char z = 3;
    r[k++] = (uintptr_t)&z % 8 + z;
    packed_t p = {1, 0x12345678, 3, 4.5};
    p.i += one;
    p.d *= 2;
    p.s -= 10;
    int *q = &(int){0};
    *q = p.i;
    r[k++] = *q;
    r[k++] = (long)p.d;
    r[k++] = p.s;
    r[k++] = __alignof__(long) + _Alignof(char[7]);
}

//== flexible_member
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
struct flex {
    int n;
    short tail[];
};
struct flex0 {
    char c;
    long tail[];
};
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    union {
        struct flex f;
        unsigned char raw[64];
    } u = {{0}};
    u.f.n = 5;
    for (int i = 0; i < u.f.n; i++) {
        u.f.tail[i] = a[i] * 100;
    }
    r[0] = sizeof(struct flex) + sizeof(struct flex0) * 100;
    for (int i = 0; i < 20; i++) {
        r[1] = r[1] * 7 + u.raw[i];
    }
    struct flex *p = &u.f;
    r[2] = p->tail[p->n - 1] + (char *)p->tail - (char *)p;
}

//== switch_corners
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    for (int i = -3; i < 8; i++) {
        switch (i) {
            r[0] = 99;
        case -3 ... - 1: r[1]++;
        case 0: r[2]++; break;
        case 1: {
        case 2:
            r[3]++;
            if (i == 2) {
            case 3: r[4]++;
            } else {
                break;
            }
        }
            r[5]++;
            break;
        default:
            for (int j = 0; j < 3; j++) {
            case 7:
                r[6]++;
                if (i == 7) {
                    break;
                }
                if (j == 1) {
                    continue;
                }
                r[7]++;
            }
        }
        switch (i & 1) {
            int q;
        case 0:
            q = 5;
            r[8] += q;
            break;
        case 1: q = 6; r[8] += q * 10;
        }
        switch ((unsigned char)(i * 100)) {
        case 44: r[9]++; break;
        case 200: r[10]++; break;
        case 212 ... 255: r[11]++;
        }
        switch (i)
        case 5:
        case 6:
            r[12]++;
        switch (i) {
        default: break;
        }
        switch (i) {
        }
        switch (i * 0x100000000L) {
        case 0x300000000: r[13]++; break;
        case -0x100000000: r[14]++; break;
        case 0: r[15]++;
        }
        switch (r[16]++, i) {
        case 1 ? 2: 3 : r[17]++; break;
        case sizeof(int): r[18]++; break;
        case 'a' - 'b': r[19]++;
        }
    }
}

//== goto_corners
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int i = 0, j = 0;
    goto in;
    for (i = 0; i < 5; i++) {
        r[0]++;
in:
        r[1] += i;
        if (i == 3) {
            goto out;
        }
    }
out:
    r[2] = i;
again:
    if (j++ < 4) {
        {
            int x = j;
            r[3] += x;
            if (x & 1) {
                goto again;
            }
        }
        goto again;
    }
    r[4] = j;
    do {
        if (j & 1) {
            goto tail;
        }
        r[5]++;
tail:
        j--;
    } while (j > 0);
    {
        goto l2;
l1:
        r[6]++;
        goto l3;
l2:
        r[7]++;
        goto l1;
l3:;
    }
    while (1) {
        while (1) {
            if (++j > 5) {
                goto both;
            }
            if (j & 1) {
                continue;
            }
            break;
        }
        r[8]++;
    }
both:
    r[9] = j;
    if (zero) {
never:
        r[10]++;
    } else {
        r[11]++;
        if (r[11] < 3) {
            goto never2;
        }
    }
    if (0) {
never2:
        r[12]++;
        r[11]++;
        if (r[12] < 3) {
            goto never;
        }
    }
    switch (one) {
    case 0:
mid:
        r[13]++;
        break;
    case 1: r[14]++; goto mid;
    }
    int jmp = 0;
loop:
    __attribute__((unused));
    if (jmp < 3) {
        int fresh = jmp;
        jmp++;
        r[15] += fresh;
        goto loop;
    }
}

//== promotions_in_shifts
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int k = 0;
    unsigned char uc = 200;
    signed char sc = -100;
    short s = -30000;
    unsigned short us = 60000;
    unsigned u = 0xf0000000u;
    long l = -5;
    unsigned long ul = 1ul << 63;
    _Bool b = one;
    r[k++] = uc << 4;
    r[k++] = sc >> 2;
    r[k++] = s >> 3;
    r[k++] = us << 8;
    r[k++] = u >> 28;
    r[k++] = u << 1;
    r[k++] = l >> 1;
    r[k++] = (long)(ul >> 60);
    r[k++] = b << 5;
    r[k++] = (unsigned char)(uc << 1);
    r[k++] = (signed char)(uc + 100);
    r[k++] = (short)(us + us);
    r[k++] = uc * uc;
    r[k++] = us * (uc - 100);
    r[k++] = sc * sc;
    r[k++] = -uc;
    r[k++] = ~uc;
    r[k++] = !uc;
    r[k++] = -u;
    r[k++] = ~us >> 4;
    r[k++] = sc < uc;
    r[k++] = sc < u;
    r[k++] = (unsigned)sc > u;
    r[k++] = l < u;
    r[k++] = l < (long)ul;
    r[k++] = (l < 1ul);
    r[k++] = s == us;
    r[k++] = (unsigned short)s == us - 24464;
    r[k++] = uc - 201 < 0;
    r[k++] = uc - 201u < 0;
    r[k++] = 1u - 2 > 0;
    r[k++] = -1 < 1u;
    r[k++] = -1L < 1u;
    r[k++] = (char)-1 == (unsigned char)-1;
    r[k++] = -1 == 0xffffffffu;
    r[k++] = -1L == 0xffffffffu;
    uc += 100;
    r[k++] = uc;
    uc <<= 3;
    r[k++] = uc;
    sc -= 100;
    r[k++] = sc;
    s *= 3;
    r[k++] = s;
    us /= 7;
    r[k++] = us;
    b += 5;
    r[k++] = b;
    b = 0.5;
    r[k++] = b;
    uc = -1;
    r[k++] = uc;
    uc >>= 1;
    r[k++] = uc;
    us = ~us;
    r[k++] = us;
    sc = 300 - a[1];
    r[k++] = sc;
    r[k++] = (uc, sc, 5);
    r[k++] = 5 / -2 * 10 + 5 % -2;
    r[k++] = -5 / 2 * 10 + -5 % 2;
    r[k++] = -5 / 2u > 5;
    r[k++] = 1 ? -1 : 1u;
    r[k++] = (1 ? -1 : 1u) < 0;
    r[k++] = (zero ? 1ul : -1) == ~0ul;
}

//== enums
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
enum small {
    A,
    B,
    C = -1,
    D,
    E = 'x',
    F = E + 1,
    G = sizeof(int),
    H = 1 << 20,
};
enum big {
    P = 0x7fffffff,
    Q = 0xffffffffu,
};
enum { ANON = 5, NEXT };
typedef enum tag { T1 = 3 } tag;
struct he {
    enum inner { I1 = 7, I2 } m;
    enum small s : 4;
};
static enum small back(enum small x)
{
    return x == A ? B : (enum small)(x + 1);
}
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    enum small v = C;
    enum { LOCAL = 9 + NEXT } w = LOCAL;
    r[0] = A + B * 10 + C * 100 + D * 1000;
    r[1] = E + F + G;
    r[2] = H;
    r[3] = sizeof(enum small) + sizeof(enum big) * 10;
    r[4] = Q > P;
    r[5] = v < 0;
    r[6] = w;
    r[7] = back(v) + back(A);
    r[8] = I2 + T1;
    struct he h = {I2, B};
    r[9] = h.m + h.s;
    v++;
    r[10] = v;
    v |= 6;
    r[11] = v;
    r[12] = (tag)99;
    for (v = A; v <= B; v++) {
        r[13]++;
    }
    int arr[NEXT] = {[ANON] = 4, [B] = 2};
    r[14] = arr[5] + arr[1] * 10 + sizeof arr;
    {
        enum { A = 50 };
        r[15] = A;
    }
    r[16] = A;
    switch (v) {
    case C: r[17] = 1; break;
    case 2: r[17] = 2; break;
    case E: r[17] = 3;
    }
}

//== sizeof_unevaluated
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    int i = 5, m[3][4];
    (void)m;
    r[0] = sizeof(i++) + i;
    r[1] = sizeof m / sizeof *m + sizeof m[0] / sizeof(int);
    r[2] = sizeof(char) + sizeof(short) * 10 + sizeof(long) * 100 + sizeof(long long) * 1000;
    r[3] = sizeof &m[0] + sizeof(*&m) + sizeof(&m + 1);
    r[4] = sizeof(int[3][2]) + sizeof(int(*)[5]);
    r[5] = sizeof -(char)1 + sizeof((char)1) + sizeof(char) + 1;
    r[6] = (sizeof i) - 8 > 0;
    r[7] = sizeof(struct {
               char a;
               long b;
           }) +
           sizeof(union {
               char c[9];
               short s;
           });
    r[8] = sizeof(i ? (char)1 : (short)2) + sizeof(i, (char)2) + sizeof(i == 3.0) + sizeof !i;
    r[9] = sizeof sizeof i;
    r[10] = _Alignof(int[7]) + sizeof(double);
    r[11] = sizeof(1 ? (void *)0 : (int *)0) + sizeof *(1 ? (void *)0 : (int *)&i);
    r[12] = sizeof(long) * i-- + i;
}

//== static_locals_const
//@ buffer b0 i32 32 perm 0 0
//@ buffer b1 i64 64 range 0 0
//@ int 32
//@ array b0 0 32
//@ array b1 0 64
//@ int 0
//@ int 1
#include <rill/kernel.h>
static int look(int i)
{
    static const int tab[] = {3, 1, 4, 1, 5, 9, 2, 6};
    static const struct {
        char k;
        int v[2];
    } st[2] = {{'a', {1, 2}}, {.v = {[1] = 7}}};
    static const char *const w[] = {"x", "yz"};
    return tab[i & 7] + st[i & 1].v[1] + w[i & 1][0];
}
#pragma rill single
kernel void run(int n, const int a[n], long r[64], int zero, int one)
{
    for (int i = 0; i < 8; i++) {
        static const long big[3] = {1L << 40, -1, 5};
        r[i] = look(i) + big[i % 3];
        static const double d = 1.0 / 3;
        r[i + 8] = (long)(d * 1000);
    }
    extern const int later[];
    r[20] = later[one];
}
const int later[] = {10, 20, 30};
