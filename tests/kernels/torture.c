// Small programs that check themselves, in the manner of a C compiler's own torture tests: each returns 0, or the
// number of what is wrong. The arrays a kernel takes are only there so that nothing is known when it is compiled.
#include <limits.h>
#include <rill/kernel.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPECT(number, condition)                                                                                      \
    if (!(condition)) {                                                                                                \
        return number;                                                                                                 \
    }

// run: carries one=1 returns=0
kernel int carries(int one)
{
    unsigned long long a = 0xffffffffULL + (unsigned)one, b = 1ULL << (31 + one);
    EXPECT(1, a == b)
    EXPECT(2, a * b == 0)
    EXPECT(3, a - one == 0xffffffffULL)
    EXPECT(4, (a >> 16) * (a >> 16) == a)
    EXPECT(5, -a == 0xffffffff00000000ULL)
    EXPECT(6, ~a + 1 == -b)
    EXPECT(7, (unsigned)(a + 5) == 5)
    EXPECT(8, (int)(a - 1) == -one)
    return 0;
}

// run: sign_extension k=-128 returns=0
kernel int sign_extension(int k)
{
    signed char c = k;
    unsigned char u = k;
    short s = c;
    EXPECT(1, c == -128 && u == 128)
    EXPECT(2, (unsigned)c == 0xffffff80u)
    EXPECT(3, (unsigned short)s == 0xff80)
    EXPECT(4, (long)(unsigned)k == 0xffffff80L)
    EXPECT(5, (unsigned long)k == 0xffffffffffffff80UL)
    EXPECT(6, -c == 128 && (signed char)-c == -128)
    EXPECT(7, (c << 1) == -256 && (signed char)(c << 1) == 0)
    EXPECT(8, c >> 3 == -16 && u >> 3 == 16)
    EXPECT(9, c / 3 == -42 && c % 3 == -2)
    EXPECT(10, (u ^ c) == -256)
    return 0;
}

// run: compare_mixed m=-1 returns=0
kernel int compare_mixed(int m)
{
    unsigned u = 1;
    unsigned short h = 1;
    unsigned long l = 1;
    EXPECT(1, m > u)
    EXPECT(2, m < h)
    EXPECT(3, m > l)
    EXPECT(4, (long)m < u)
    EXPECT(5, (unsigned short)m == 65535)
    EXPECT(6, m == UINT_MAX)
    EXPECT(7, (unsigned char)m != m)
    EXPECT(8, !(m < 0u))
    return 0;
}

// run: bool_values k=256 returns=0
kernel int bool_values(int k)
{
    bool a = k, b = k >> 8 & 1, c = 0.5f, d = &a != 0;
    EXPECT(1, a == 1 && sizeof a == 1)
    EXPECT(2, b == 1)
    EXPECT(3, c && d)
    a += k;
    EXPECT(4, a == 1)
    a -= 1;
    EXPECT(5, a == 0)
    a--;
    EXPECT(6, a == 1)
    a |= k;
    a ^= 1;
    EXPECT(7, !a)
    EXPECT(8, (bool)0.1 + (bool)'x' + (bool)(void *)0 == 2)
    return 0;
}

// run: increments start=5 returns=0
kernel int increments(int start)
{
    int a[4] = {start, 1, 2, 3}, i = 0;
    int *p = a;
    EXPECT(1, (*p)++ == 5 && a[0] == 6)
    EXPECT(2, *p++ == 6 && p == a + 1)
    EXPECT(3, ++*p == 2 && a[1] == 2)
    EXPECT(4, *++p == 2 && p - a == 2)
    EXPECT(5, a[i++] == 6 && i == 1)
    EXPECT(6, a[++i] == 2 && i == 2)
    EXPECT(7, p-- == &a[2] && *p == 2)
    EXPECT(8, i-- == 2 && --i == 0)
    float f = 1.5f;
    EXPECT(9, f++ == 1.5f && f-- == 2.5f && --f == 0.5f)
    unsigned char c = 255;
    EXPECT(10, c++ == 255 && c == 0 && --c == 255)
    return 0;
}

struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 37;
    bool d : 1;
};

// run: bit_fields k=21 returns=0
kernel int bit_fields(int k)
{
    struct fields f = {k, k, k, k};
    EXPECT(1, f.a == 5)
    EXPECT(2, f.b == -11)
    EXPECT(3, f.c == 21 && f.d == 1)
    EXPECT(4, (f.a = 9) == 1)
    EXPECT(5, (f.b = 16) == -16)
    EXPECT(6, (f.c = ~0ULL) == 0x1fffffffffULL)
    f.c++;
    EXPECT(7, f.c == 0)
    f.a--;
    f.a--;
    EXPECT(8, f.a == 7)
    EXPECT(9, f.b-- == -16 && f.b == 15)
    f.d = 2;
    EXPECT(10, f.d)
    EXPECT(11, (f.a += 3) == 2 && f.a << 30 == INT_MIN)
    return 0;
}

union bits {
    double d;
    uint64_t u;
    struct {
        uint32_t lo, hi;
    } w;
    unsigned char b[8];
};

// run: union_bits x=1.0 returns=0
kernel int union_bits(double x)
{
    union bits v = {x};
    EXPECT(1, v.u == 0x3ff0000000000000ULL)
    EXPECT(2, v.w.hi == 0x3ff00000 && v.w.lo == 0)
    EXPECT(3, v.b[7] == 0x3f && v.b[6] == 0xf0)
    v.w.hi += 0x100000;
    EXPECT(4, v.d == 2.0)
    v.b[7] |= 0x80;
    EXPECT(5, v.d == -2.0)
    v.u ^= 1;
    EXPECT(6, v.d < -2.0 && v.d > -2.1)
    return 0;
}

static int depth0(int x)
{
    return x + 1;
}
static int depth1(int x)
{
    return depth0(x) * 2;
}
static int depth2(int x)
{
    return depth1(x) + depth0(x);
}
static int depth3(int x)
{
    return depth2(depth2(x)) - depth1(x);
}

// run: call_trees k=3 returns=0
kernel int call_trees(int k)
{
    EXPECT(1, depth3(k) == 31)
    EXPECT(2, depth2(depth3(depth1(k))) == 201)
    return 0;
}

struct small {
    char c;
};
struct odd {
    char c[3];
};
struct larger {
    long a[5];
    char tail;
};

static struct small make_small(int k)
{
    return (struct small){k};
}
static struct odd make_odd(int k)
{
    return (struct odd){{k, k + 1, k + 2}};
}
static struct larger make_larger(int k)
{
    struct larger l = {{k, k * 2}, 'z'};
    l.a[4] = l.a[0] + l.a[1];
    return l;
}
static long sum_larger(struct larger l)
{
    l.a[0] = 100;
    return l.a[0] + l.a[1] + l.a[4] + l.tail;
}

// run: struct_returns k=7 returns=0
kernel int struct_returns(int k)
{
    struct larger l = make_larger(k);
    EXPECT(1, make_small(k).c == 7)
    EXPECT(2, make_odd(k).c[2] == 9)
    EXPECT(3, l.a[4] == 21 && l.a[2] == 0 && l.tail == 'z')
    EXPECT(4, sum_larger(l) == 100 + 14 + 21 + 'z' && l.a[0] == 7)
    EXPECT(5, (l = make_larger(2)).a[1] == 4)
    struct odd o[3] = {make_odd(1), make_odd(2)};
    o[2] = o[1];
    o[1].c[0] = 9;
    EXPECT(6, o[2].c[0] == 2 && o[2].c[2] == 4 && o[0].c[1] == 2)
    return 0;
}

// run: loops_end n=10 returns=0
kernel int loops_end(int n)
{
    int i, count = 0;
    for (i = 0; i < n; i++) {
    }
    EXPECT(1, i == n)
    for (i = n; i-- > 0;) {
        count++;
    }
    EXPECT(2, i == -1 && count == n)
    unsigned char c;
    for (c = 250; c != 3; c++) {
        count++;
    }
    EXPECT(3, count == n + 9 && c == 3)
    do {
        count--;
    } while (count > 5);
    EXPECT(4, count == 5)
    for (i = 0; i < n; i++) {
        if (i == 4) {
            break;
        }
    }
    EXPECT(5, i == 4)
    while (i < 100) {
        i += i;
        if (i == 32) {
            continue;
        }
        i++;
    }
    EXPECT(6, i > 99 && i < 200)
    return 0;
}

// run: jump_table n=12 returns=0
kernel int jump_table(int n)
{
    int sum = 0;
    for (int i = -2; i < n; i++) {
        switch (i) {
        case -1: sum += 1; continue;
        case 3: sum += 10; break;
        case 4:
        case 5: sum += 100; goto next;
        default: sum += 1000; break;
        case 9: sum += 5;
        case 10: sum += 7;
        }
        sum += 20000;
next:;
    }
    EXPECT(1, sum == 1 + 10 + 200 + 8 * 1000 + 12 + 7 + 11 * 20000)
    return 0;
}

static const char *const names[] = {"zero", "one", "two", "three"};

static int length(const char *s)
{
    const char *p = s;
    while (*p) {
        p++;
    }
    return (int)(p - s);
}

static int equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

// run: strings k=2 returns=0
kernel int strings(int k)
{
    char copy[16];
    EXPECT(1, length(names[k]) == 3 && length(names[3]) == 5)
    EXPECT(2, equal(names[k], "two") && !equal(names[k], "twos"))
    memcpy(copy, names[3], 6);
    copy[0] = 'T';
    EXPECT(3, equal(copy, "Three"))
    EXPECT(4, sizeof "ab\0c" == 5 && "abc"[k] == 'c' && k["xyz"] == 'z')
    EXPECT(5, *names[1] == 'o' && names[1][2] == 'e')
    memset(copy, 0, sizeof copy);
    EXPECT(6, length(copy) == 0)
    return 0;
}

// run: pointer_arithmetic k=3 returns=0
kernel int pointer_arithmetic(int k)
{
    int a[5][7];
    struct larger l[4];
    for (int i = 0; i < 35; i++) {
        (&a[0][0])[i] = i;
    }
    EXPECT(1, *(*(a + k) + 2) == 23 && a[k][2] == 23)
    EXPECT(2, &a[4][6] - &a[0][0] == 34 && a + 5 - (a + 1) == 4)
    EXPECT(3, (char *)(l + k) - (char *)l == 3 * (ptrdiff_t)sizeof(struct larger))
    EXPECT(4, &l[k].a[1] - &l[k].a[0] == 1 && &l[2] > &l[1])
    int(*row)[7] = &a[2];
    EXPECT(5, (*row)[3] == 17 && row[-1][0] == 7 && **(row + 1) == 21)
    int *end = a[4] + 7, *p = end;
    int sum = 0;
    while (p != a[0]) {
        sum += *--p;
    }
    EXPECT(6, sum == 595)
    void *v = &a[1][1];
    EXPECT(7, *(int *)v == 8 && (int *)v == a[1] + 1)
    return 0;
}

// run: shifts s=33 returns=0
kernel int shifts(int s)
{
    uint64_t one = 1;
    EXPECT(1, one << s == 0x200000000ULL)
    EXPECT(2, (int64_t)(one << 63) >> s == -(1LL << 30))
    EXPECT(3, (one << 63) >> s == 1ULL << 30)
    EXPECT(4, 1u << (s & 31) == 2)
    EXPECT(5, (-7 >> 1) == -4 && (-7) / 2 == -3 && (unsigned)-7 >> 1 == 0x7ffffffcu)
    EXPECT(6, (short)0x8000 >> 15 == -1 && (unsigned short)0x8000 >> 15 == 1)
    unsigned r = 0x12345678u;
    EXPECT(7, (r << 8 | r >> 24) == 0x34567812u)
    uint8_t b = 0x81;
    b = b << 1 | b >> 7;
    EXPECT(8, b == 3)
    return 0;
}

static unsigned bits_set(uint64_t x)
{
    unsigned n = 0;
    for (; x; x &= x - 1) {
        n++;
    }
    return n;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) {
        r = r << 1 | (x >> i & 1);
    }
    return r;
}

// run: bit_tricks k=1 returns=0
kernel int bit_tricks(int k)
{
    EXPECT(1, bits_set(0xf0f0f0f0f0f0f0f0ULL + (k - 1)) == 32)
    EXPECT(2, reversed((uint32_t)k) == 0x80000000u && reversed(0x12345678u) == 0x1e6a2c48u)
    EXPECT(3, (k & -k) == 1 && (-8 & 8) == 8)
    EXPECT(4, ((k ^ -1) + 1) == -k)
    int x = 5, y = 9;
    x ^= y;
    y ^= x;
    x ^= y;
    EXPECT(5, x == 9 && y == 5)
    EXPECT(6, (x & y) + (x | y) == x + y)
    return 0;
}

// run: floating h=0.5 returns=0
kernel int floating(double h)
{
    float f = (float)h;
    EXPECT(1, f + 0.1f != 0.6 && (float)(f + 0.1) == 0.6f)
    EXPECT(2, (int)-1.9 == -1 && (unsigned char)250.9 == 250)
    EXPECT(3, 1 / h == 2 && -1 / (h - 0.5) < -1e300)
    double nan = (h - h) / (h - h);
    EXPECT(4, nan != nan && !(nan < 1) && !(nan >= 1) && !(nan == nan))
    EXPECT(5, (float)16777217 == 16777216.0f && (double)(float)1e10 == 1e10)
    EXPECT(6, 0.0 == -0.0 && 1 / -(h - h) < 0)
    EXPECT(7, (h ? 1 : 2) == 1 && !(h - h) && (h && f))
    EXPECT(8, (int)(f * 3) == 1 && (long)(h * 1e15) == 500000000000000L)
    EXPECT(9, 1e308 * 10 > 1e308 && -1e308 * 10 < 0)
    EXPECT(10, 5e-324 / 2 == 0 && 5e-324 != 0)
    return 0;
}

// run: conditional k=4 returns=0
kernel int conditional(int k)
{
    EXPECT(1, (k > 3 ? -1 : 1u) > 0)
    EXPECT(2, sizeof(k ? (char)1 : (char)2) == 4)
    EXPECT(3, (k ? 1 : 2.5) == 1.0 && sizeof(k ? 1 : 2.5) == 8)
    int a = 1, b = 2;
    *(k & 1 ? &a : &b) = 7;
    EXPECT(4, a == 1 && b == 7)
    EXPECT(5, (k == 4 ? k == 5 ? 1 : 2 : 3) == 2)
    void *p = k ? (void *)0 : &a;
    EXPECT(6, p == 0)
    EXPECT(7, (k && (a = 5)) == 1 && a == 5 && (!k && (a = 6)) == 0 && a == 5)
    return 0;
}

static int state;

static int next_state(void)
{
    return ++state;
}

// run: side_effects k=1 returns=0
kernel int side_effects(int k)
{
    int a[5] = {0};
    a[next_state()] += 10;
    EXPECT(1, a[1] == 10 && state == 1)
    a[next_state()]++;
    EXPECT(2, a[2] == 1 && state == 2)
    int x = (next_state(), next_state());
    EXPECT(3, x == 4)
    EXPECT(4, sizeof next_state() == 4 && state == 4)
    k = next_state() + k;
    EXPECT(5, k == 6)
    if (next_state() && k) {
        state *= 2;
    }
    EXPECT(6, state == 12)
    for (int i = 0; i < 3; next_state(), i++) {
    }
    EXPECT(7, state == 15)
    return 0;
}

static void fill(int n, int a[n], int value)
{
    while (n-- > 0) {
        *a++ = value++;
    }
}

// run: array_arguments k=6 returns=0
kernel int array_arguments(int k)
{
    int a[2][6];
    fill(12, a[0], 1);
    EXPECT(1, a[1][5] == 12 && a[0][0] == 1)
    fill(k, a[1], 100);
    EXPECT(2, a[1][0] == 100 && a[0][5] == 6)
    fill(2, &a[0][3], -1);
    EXPECT(3, a[0][3] == -1 && a[0][4] == 0 && a[0][5] == 6)
    return 0;
}

// run: copies_overlap k=1 returns=0
kernel int copies_overlap(int k)
{
    char text[12] = "abcdefgh";
    memmove(text + k, text, 5);
    EXPECT(1, memcmp(text, "aabcdegh", 8) == 0)
    memmove(text, text + 2 * k, 4);
    EXPECT(2, memcmp(text, "bcdedegh", 8) == 0)
    memset(text + 3, 'x', 2);
    EXPECT(3, memcmp(text, "bcdxxegh", 9) == 0)
    EXPECT(4, memcmp("a", "b", 1) < 0 && memcmp("\xff", "a", 1) > 0 && memcmp(text, text, 0) == 0)
    return 0;
}

typedef struct list {
    struct list *next;
    int value;
} list;

// run: lists n=10 returns=0
kernel int lists(int n)
{
    list cells[16], *head = 0;
    for (int i = 0; i < n; i++) {
        cells[i].value = i;
        cells[i].next = head;
        head = &cells[i];
    }
    int sum = 0, count = 0;
    for (list *p = head; p; p = p->next) {
        sum = sum * 3 + p->value;
        count++;
    }
    EXPECT(1, count == n && head->value == n - 1)
    list *reversed_list = 0;
    while (head) {
        list *next = head->next;
        head->next = reversed_list;
        reversed_list = head;
        head = next;
    }
    EXPECT(2, reversed_list == &cells[0] && reversed_list->next->value == 1)
    list **link = &reversed_list;
    while (*link) {
        if ((*link)->value % 2) {
            *link = (*link)->next;
        } else {
            link = &(*link)->next;
        }
    }
    EXPECT(3, reversed_list->next->value == 2 && reversed_list->next->next->next->next->next == 0)
    return 0;
}

// run: pointers_to_pointers k=2 returns=0
kernel int pointers_to_pointers(int k)
{
    int a = 1, b = 2, c = 3;
    int *p[3] = {&a, &b, &c}, **pp = p, ***ppp = &pp;
    **pp = 10;
    EXPECT(1, a == 10)
    **++*ppp += 5;
    EXPECT(2, b == 7 && pp == p + 1)
    pp = p;
    **(pp + k) *= 7;
    EXPECT(3, c == 21)
    *pp = p[k];
    EXPECT(4, **pp == 21 && ***ppp == 21)
    (*ppp)++;
    EXPECT(5, **pp == 7)
    return 0;
}

// run: enumerations k=1 returns=0
kernel int enumerations(int k)
{
    enum e { A = -3, B, C = 10, D = C + 5, E = 'a' } x = B;
    enum { LARGE = 0x7fffffff } y = LARGE;
    EXPECT(1, x == -2 && D == 15 && E == 97)
    EXPECT(2, x < 0 && (x += k) == -1)
    EXPECT(3, y + 0u == 0x7fffffffu && sizeof x == 4)
    x = C;
    switch (x) {
    case A:
    case B: return 4;
    case C: break;
    default: return 5;
    }
    return 0;
}

// run: constants_fold k=0 returns=0
kernel int constants_fold(int k)
{
    EXPECT(1, INT_MAX + (k + 1) == INT_MIN)
    EXPECT(2, -INT_MAX - 1 == INT_MIN && -(INT_MIN + k) == INT_MIN)
    EXPECT(3, 2147483647 * 2u == 4294967294u)
    EXPECT(4, (char)300 == 44 && (signed char)200 == -56)
    EXPECT(5, 10 / 3 * 3 + 10 % 3 == 10 && -10 / 3 == -3 && -10 % 3 == -1)
    EXPECT(6, (1 << 4 | 1 << 2) == 20 && (~0u >> 28) == 15)
    EXPECT(7, 'a' + 1 == 'b' && '\\' == 92)
    EXPECT(8, 0x7fffffffffffffff + (long)(k + 1) == LONG_MIN)
    EXPECT(9, 1.0f / 3 * 3 == 1.0f && 0.1 + 0.2 != 0.3)
    EXPECT(10, sizeof(int[k + 1 > 0 ? 3 : 4]) == 12)
    return 0;
}

// run: goto_web n=5 returns=0
kernel int goto_web(int n)
{
    int i = 0, trace = 0;
    goto middle;
top:
    trace = trace * 10 + 1;
    if (++i == n) {
        goto out;
    }
middle:
    trace = trace * 10 + 2;
    if (i % 2) {
        goto top;
    }
    {
        int local = i;
        trace += local;
        if (i < 3) {
            i++;
            goto top;
        }
    }
    i++;
    if (i < n) {
        goto middle;
    }
out:
    EXPECT(1, i == n)
    EXPECT(2, trace > 0)
    return 0;
}

// run: sieve n=200 returns=0
kernel int sieve(int n)
{
    char composite[256] = {0};
    int primes = 0, last = 0;
    for (int i = 2; i < n; i++) {
        if (composite[i]) {
            continue;
        }
        primes++;
        last = i;
        for (int j = i * i; j < n; j += i) {
            composite[j] = 1;
        }
    }
    EXPECT(1, primes == 46)
    EXPECT(2, last == 199)
    return 0;
}

// run: queens n=6 returns=0
kernel int queens(int n)
{
    int column[8], solutions = 0, row = 0;
    column[0] = -1;
    while (row >= 0) {
        bool safe;
        do {
            column[row]++;
            safe = true;
            for (int r = 0; r < row && safe; r++) {
                int d = column[r] - column[row];
                safe = d != 0 && d != row - r && d != r - row;
            }
        } while (column[row] < n && !safe);
        if (column[row] >= n) {
            row--;
        } else if (row == n - 1) {
            solutions++;
        } else {
            column[++row] = -1;
        }
    }
    EXPECT(1, solutions == 4)
    return 0;
}

// run: heap_sort n=50 returns=0
kernel int heap_sort(int n, int a[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 7919 % 1009;
        sum += a[i];
    }
    for (int end = n, start = n / 2; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            int t = a[end];
            a[end] = a[0];
            a[0] = t;
        }
        int root = start;
        while (2 * root + 1 < end) {
            int child = 2 * root + 1;
            if (child + 1 < end && a[child] < a[child + 1]) {
                child++;
            }
            if (a[root] >= a[child]) {
                break;
            }
            int t = a[root];
            a[root] = a[child];
            a[child] = t;
            root = child;
        }
    }
    for (int i = 1; i < n; i++) {
        EXPECT(1, a[i - 1] <= a[i])
        sum -= a[i];
    }
    EXPECT(2, sum == a[0])
    return 0;
}

// run: long_division k=3 returns=0
kernel int long_division(int k)
{
    uint32_t number[4] = {0x89abcdefu, 0x01234567u, 0xdeadbeefu, (uint32_t)k};
    uint32_t quotient[4];
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
        uint64_t x = rest << 32 | number[i];
        quotient[i] = x / 1000003;
        rest = x % 1000003;
    }
    uint64_t carry = rest;
    for (int i = 0; i < 4; i++) {
        carry += (uint64_t)quotient[i] * 1000003;
        EXPECT(i + 1, (uint32_t)carry == number[i])
        carry >>= 32;
    }
    return 0;
}

// run: checksum n=64 returns=0
kernel int checksum(int n, const unsigned char a[n])
{
    uint32_t crc = ~0u, again = ~0u, table[16];
    for (int i = 0; i < 16; i++) {
        uint32_t c = i;
        for (int k = 0; k < 4; k++) {
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        }
        table[i] = c;
    }
    for (int i = 0; i < n; i++) {
        crc ^= a[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
        }
        again = table[(again ^ a[i]) & 15] ^ again >> 4;
        again = table[(again ^ a[i] >> 4) & 15] ^ again >> 4;
    }
    EXPECT(1, crc == again)
    return 0;
}

// run: nested_structs k=3 returns=0
kernel int nested_structs(int k)
{
    struct outer {
        struct {
            int a[3];
            struct {
                short s;
                char c[5];
            } deep[2];
        } in;
        int after;
    } x = {{{1, 2, k}, {{4, "five"}, {6}}}, 7}, y = x, *p = &y;
    EXPECT(1, x.in.deep[0].c[3] == 'e' && x.in.deep[1].s == 6 && x.after == 7)
    p->in.deep[1] = p->in.deep[0];
    p->in.a[0] = p->in.deep[1].s;
    EXPECT(2, y.in.deep[1].c[0] == 'f' && x.in.deep[1].c[0] == 0 && y.in.a[0] == 4)
    EXPECT(3, offsetof(struct outer, in.deep[1].c[2]) == 12 + 8 + 2 + 2)
    x = *p;
    EXPECT(4, memcmp(&x.in, &y.in, sizeof x.in) == 0)
    return 0;
}

// run: volatile_counts k=10 returns=0
kernel int volatile_counts(int k)
{
    volatile int v = 0;
    volatile struct {
        int a : 4;
        short b;
    } s = {1, 2};
    for (int i = 0; i < k; i++) {
        v++;
        s.a += 1;
        s.b = s.b * 2;
    }
    EXPECT(1, v == 10)
    EXPECT(2, s.a == -5 && s.b == 2048)
    return 0;
}

// run: unsigned_loops n=5 returns=0
kernel int unsigned_loops(unsigned n)
{
    unsigned i, count = 0;
    for (i = n - 1; i < n; i--) {
        count++;
    }
    EXPECT(1, count == n && i == UINT_MAX)
    for (uint8_t b = 0; b < 200; b += 50) {
        count += b;
    }
    EXPECT(2, count == n + 300)
    for (int64_t j = (int64_t)INT_MAX - 1; j <= (int64_t)INT_MAX + 1; j++) {
        count++;
    }
    EXPECT(3, count == n + 303)
    for (unsigned k = 0; k - 1 < n; k++) {
        return 4; // 0 - 1 is the largest
    }
    return 0;
}
