// Jumps, switches, odd loops, tables, pointers to arrays. generate_test.c says how a file of many kernels is read.

//== duff
//@ buffer b0 i32 24 range 0 20
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int c = a[i], s = 0, k = (c + 3) / 4;
        if (c > 0) {
            switch (c % 4) {
            case 0: do { s = s * 3 + 1;
                case 3: s = s * 3 + 2;
                case 2: s = s * 3 + 3;
                case 1: s = s * 3 + 4;
                } while (--k > 0);
            }
        }
        r[i] = s;
    }
}

//== switch_odd
//@ buffer b0 i32 24 range -3 12
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        switch (a[i]) {
            int hidden;
        default: s += 1;
        case 5: s += 10; break;
        case -2:
        case 7: {
            int q = 3;
            s += q;
        }
            hidden = 4;
            s += hidden;
        case 8:
            s += 100;
            if (s > 103) {
                break;
            }
            s += 1000;
            break;
        case 9 ... 11: s = 9;
        }
        switch ((char)(a[i] + 253)) {
        case -3: s += 7; break;
        case (char)255: s += 8;
        }
        switch (a[i] > 3) {
        case 0: s *= 2; break;
        case 1: s *= 3;
        }
        switch (a[i])
            s++;
        switch (a[i])
        default:
            s++;
        switch (a[i])
        case 3:
            s += 50;
        switch ((long)a[i] << 40) {
        case 1L << 40: s = -1; break;
        case 3L << 40: s -= 2;
        }
        switch ((unsigned)a[i]) {
        case -1: s += 30000;
        }
        r[i] = s;
    }
}

//== switch_loop_continue
//@ buffer b0 i32 24 range 0 6
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = 0; k < 10; k++) {
            switch ((a[i] + k) % 5) {
            case 0: continue;
            case 1: break;
            case 2: s += 2;
            case 3:
                s += k;
                if (s > 20) {
                    goto out;
                }
                break;
            default: s++;
            }
            s += 100;
        }
out:
        switch (a[i]) {
        case 1: r[i] = -1; continue;
        case 2:
            for (;;) {
                if (s++ > 500) {
                    break;
                }
            }
            break;
        case 3:
            while (1) {
                if (s > 3) {
                    break;
                } else {
                    s += 2;
                    continue;
                }
            }
        }
        r[i] = s;
    }
}

//== goto_nests
//@ buffer b0 i32 24 range 0 30
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int x, y, z, c = 0;
        for (x = 0; x < 4; x++) {
            for (y = 0; y < 4; y++) {
                for (z = 0; z < 4; z++) {
                    c++;
                    if (x * y + z == a[i]) {
                        goto found;
                    }
                    if (z > y) {
                        goto next;
                    }
                }
next:;
            }
        }
        c = -c;
found:
        r[i] = c * 100 + (c > 0 ? x * 16 + y * 4 + z : 0);
    }
}

//== goto_back
//@ buffer b0 i32 16 range 1 30
//@ buffer b1 i32 16 range 0 0
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i], c = 0;
again:
        if (x == 1) {
            goto done;
        }
        x = x % 2 ? 3 * x + 1 : x / 2;
        c++;
        if (c < 1000) {
            goto again;
        }
done:
        if (c == 5) {
            goto skip;
        }
        c += 1000;
skip:
        r[i] = c;
    }
}

//== goto_into_loop
//@ buffer b0 i32 8 range 1 5
//@ buffer b1 i32 8 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int k = a[i], s = 0;
        goto middle;
        while (k > 0) {
            s += 10;
middle:
            s += k;
            k--;
            if (s > 1000) {
                goto end;
            }
        }
end:
        r[i] = s;
    }
}

//== do_continue
//@ buffer b0 i32 16 range 0 30
//@ buffer b1 i32 16 range 0 0
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int k = a[i], s = 0;
        do {
            if (k & 1) {
                continue;
            }
            s += k;
            if (k == 10) {
                break;
            }
        } while (k-- > 3);
        do {
            s++;
        } while (s < 0);
        do {
            continue;
        } while (0);
        int q = 0;
        do {
            int q = 5;
            s += q;
            if (s & 1) {
                s += 3;
                continue;
            }
            s += 7;
        } while (++q < 4 && s < 200);
        r[i] = s * 100 + k + q;
    }
}

//== shadow
//@ buffer b0 i32 10 range 0 30
//@ int 10
//@ array b0 0 10
#include <rill/kernel.h>
static const int x = 1000;
kernel void run(int n, int a[n])
{
    int x = 1, i = 77;
    for (int i = 0; i < n; i++) {
        int x = a[i];
        {
            int x = 5;
            a[i] = x;
            {
extern_like:;
                int i = 3;
                x += i;
            }
            a[i] += x;
        }
        a[i] += x;
        for (int i = 0, x = 2; i < 2; i++) {
            int n = i * x;
            x += n;
        }
        {
            typedef int x;
            x y = 4;
            a[i] += y + sizeof(x);
        }
        {
            struct x {
                char x;
            } x = {3};
            a[i] += x.x + sizeof(struct x);
        }
    }
    a[0] += x + i;
}

//== comma_ternary_lvalue
//@ buffer b0 i32 10 range -5 5
//@ buffer b1 i32 10 range 0 9
//@ int 10
//@ array b0 0 10
//@ array b1 0 10
#include <rill/kernel.h>
kernel void run(int n, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        int x = 1, y = 2, t[2] = {3, 4};
        *(a[i] > 0 ? &x : &y) += 5;
        (a[i] > 2 ? t : t + 1)[0] = 9;
        int *p = (y++, &x);
        *p *= 2;
        i[a] += x;
        0 [&b[i]] -= (x, y);
        *(a[i] & 1 ? a + i : b + i) += 1;
        for (int j = 0, k = 9; j < k; j++, k--) {
            t[j & 1] += k;
        }
        b[i] += t[0] * 10 + t[1];
    }
}

//== pointer_array
//@ buffer b0 i32 24 range 0 99
//@ buffer b1 i32 24 range 0 0
//@ int 6
//@ int 4
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel void run(int n, int m, const int a[n][m], int r[n][m])
{
    for (int i = 0; i < n; i++) {
        const int(*row)[m] = a + i;
        int(*out)[m] = &r[i];
        for (int j = 0; j < m; j++) {
            (*out)[j] = (*row)[m - 1 - j] + row[0][j] * 100 + *(*(a + i) + j);
        }
    }
}

//== pointer_3d
//@ buffer b0 i32 60 range 0 99
//@ buffer b1 i32 60 range 0 0
//@ int 3
//@ int 4
//@ int 5
//@ array b0 0 60
//@ array b1 0 60
#include <rill/kernel.h>
kernel void run(int d, int h, int w, int a[d][h][w], int r[d * h * w])
{
    for (int z = 0; z < d; z++) {
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                int(*plane)[w] = a[z];
                int *q = plane[y] + x;
                r[(z * h + y) * w + x] = *q + (int)(&a[z][y][x] - &a[0][0][0]) + (int)(&plane[y] - plane) +
                                         plane[h - 1 - y][w - 1 - x] * 100;
            }
        }
    }
}

//== vla_param_expr
//@ buffer b0 i32 40 range 0 9
//@ buffer b1 i32 60 range 0 9
//@ buffer b2 i64 4 range 0 0
//@ int 3
//@ int 5
//@ array b0 0 40
//@ array b1 0 60
//@ array b2 0 4
#include <rill/kernel.h>
static int trace(int n, int m, int a[n + 1][m * 2])
{
    int s = 0;
    for (int i = 0; i <= n; i++) {
        s += a[i][i] + (int)sizeof a[0];
    }
    return s;
}
kernel void run(int n, int m, int a[n + 1][m * 2], int b[static n * 4][m], long r[4])
{
    for (int i = 0; i < 4; i++) {
        r[i] = trace(n, m, a) + b[i * n][m - 1] + sizeof a[0] / sizeof **a + (sizeof *b > 4);
    }
}

//== early_return
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ int 3
//@ array b0 0 20
// or
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ int -1
//@ array b0 0 20
// or
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ int 0
//@ array b0 0 20
#include <rill/kernel.h>
kernel int run(int n, int k, int a[n])
{
    if (k < 0) {
        return -7;
    }
    for (int i = 0; i < n; i++) {
        a[i] += k;
    }
    if (k == 0) {
        for (int i = 0; i < n; i++) {
            a[i] *= 2;
        }
        return 5;
    }
    for (int t = 0; t < k; t++) {
        for (int i = 0; i < n; i++) {
            a[i] ^= t;
        }
        if (t == 1) {
            return t + 100;
        }
    }
    return 9;
}

//== return_in_loop
//@ buffer b0 i32 20 range 0 9
//@ int 20
//@ array b0 0 20
#include <rill/kernel.h>
kernel int run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        if (a[i] == 3) {
            return i;
        }
        a[i] = 100 + i;
    }
    return -1;
}

//== break_search
//@ buffer b0 i32 64 range 0 40
//@ buffer b1 i32 4 range 0 0
//@ int 64
//@ int 5
//@ array b0 0 64
//@ array b1 0 4
// or
//@ buffer b0 i32 64 range 0 40
//@ buffer b1 i32 4 range 0 0
//@ int 64
//@ int 99
//@ array b0 0 64
//@ array b1 0 4
#include <rill/kernel.h>
kernel void run(int n, int key, const int a[n], int r[4])
{
    int i;
    for (i = 0; i < n; i++) {
        if (a[i] == key) {
            break;
        }
    }
    r[0] = i;
    int j = 0, hit = -1;
    for (; j < n; j++) {
        if (a[j] == key) {
            hit = j;
        }
    }
    r[1] = j;
    r[2] = hit;
    int k = n;
    while (k-- && a[k] != key)
        ;
    r[3] = k;
}

//== loop_var_after
//@ buffer b0 i64 16 range 0 0
//@ int 10
//@ array b0 0 16
// or
//@ buffer b0 i64 16 range 0 0
//@ int 0
//@ array b0 0 16
// or
//@ buffer b0 i64 16 range 0 0
//@ int -5
//@ array b0 0 16
#include <rill/kernel.h>
kernel void run(int n, long r[16])
{
    int i = -3, j;
    unsigned u;
    short s;
    char c;
    long l;
    unsigned char b;
    for (i = 2; i < n; i += 3) {
        r[15] += 1;
    }
    r[0] = i;
    for (j = n; j >= 0; j -= 2) {
        r[14]++;
    }
    r[1] = j;
    for (u = 0; u <= 5; u += 2) {
        r[13]++;
    }
    r[2] = u;
    for (s = 3; s > n; s--) {
        r[12]++;
    }
    r[3] = s;
    for (c = 0; c != 10; c++) {
        r[11]++;
    }
    r[4] = c;
    for (l = n; l < 20; l += 7) {
        r[10] += l;
    }
    r[5] = l;
    for (b = 250; b >= 250; b++) {
        r[9]++;
    }
    r[6] = b;
}

//== mutated_bound
//@ buffer b0 i32 40 range 0 3
//@ int 10
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[40])
{
    for (int i = 0; i < n; i++) {
        a[i] += 1;
        if (a[i] == 2 && n < 30) {
            n++;
        }
    }
    a[39] = n;
    int m = n;
    for (int i = 0; i < m; i++) {
        a[i]++;
        i += a[i] & 1;
    }
    int k = 3;
    for (int i = 0; i < 20; i += k) {
        a[i] ^= 1;
        if (i > 8) {
            k = 2;
        }
    }
}

//== infinite_guard
//@ buffer b0 i32 10 range 0 3
//@ int 10
//@ array b0 0 10
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int i = 0;;) {
        if (i >= n) {
            break;
        }
        a[i] += i;
        i++;
    }
    int i = 0;
    for (; i < n;) {
        a[i] *= 3;
        ++i;
    }
    for (int k = n; k-- > 0;) {
        a[k]++;
    }
    while (i) {
        i--;
        a[i] -= i;
    }
    for (;;) {
        break;
    }
    while (0) {
        a[0] = 99;
    }
    do {
    } while (0);
    if (n)
        ;
    else {
        a[0] = 5;
    };
    ;
}

//== logic_short
//@ buffer b0 i32 20 range -4 4
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
kernel void run(int n, const int a[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        int c = 0;
        (a[i] > 0 && ++c) || (a[i] < -2 && (c += 10)) || (c -= 5);
        int v = i > 0 && a[i - 1] > 0 ? a[i - 1] : i + 1 < n && a[i + 1] > 0 ? -a[i + 1] : 0;
        r[i] = c * 100 + v + !(a[i] && i) + !!a[i] * 2 + (a[i] || c) + (a[i] == 0 == i % 2) + (1 < a[i] < 3);
    }
}

//== static_const_tables
//@ buffer b0 i32 20 range 0 99
//@ buffer b1 i32 20 range 0 0
//@ int 20
//@ array b0 0 20
//@ array b1 0 20
#include <rill/kernel.h>
static const unsigned char tab[4][4] = {{1, 2}, [2] = {[3] = 9, [0] = 4}, {5}};
static const struct {
    const char *name;
    int v;
} ent[] = {{"one", 1}, {"three", 3}, {.v = 5, .name = "five!"}};
static const float fs[] = {1, .5f, 0x1p-2f, 1e-1f};
static const int *const ptr = (const int[]){7, 8, 9};
kernel void run(int n, const int a[n], int r[n])
{
    static const short loc[3] = {-1, 300};
    const int k[2][2] = {{1}, {2, 3}};
    for (int i = 0; i < n; i++) {
        static const char s[] = "static";
        r[i] = tab[a[i] & 3][i & 3] + ent[a[i] % 3].v * ent[i % 3].name[1] + (int)(fs[i & 3] * 8) + loc[a[i] % 3] +
               k[i & 1][a[i] & 1] + s[i % 6] + "literal"[a[i] % 8] + ptr[i % 3];
    }
}

//== unreached_refusals
//@ buffer b0 i32 4 range 0 9
//@ int 4
//@ array b0 0 4
#include <rill/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static int fact(int n)
{
    return n < 2 ? 1 : n * fact(n - 1);
}
static void *get(void)
{
    FILE *f = fopen("x", "r");
    (void)f;
    return malloc(3);
}
static int call(int (*f)(int))
{
    static int n;
    return f(n++);
}
static long double ld(long double x)
{
    return x + 1;
}
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i]++;
    }
}

//== old_style_decls
//@ buffer b0 i32 4 range 0 9
//@ int 4
//@ array b0 0 4
#include <rill/kernel.h>
extern const int later;
static int fwd(int, int (*)[2]);
typedef int fn(int);
static fn sq;
struct fwd_s;
static int peek(const struct fwd_s *);
struct fwd_s {
    int v;
};
int unsigned long typedef ul;
const static int cs = 3;
long int unsigned a2(void);
kernel void run(int n, int a[n])
{
    int t[1][2] = {{1, 2}};
    struct fwd_s s = {4};
    for (int i = 0; i < n; i++) {
        a[i] += fwd(i, t) + sq(i) + peek(&s) + (int)(ul)cs + later;
    }
}
static int fwd(int a, int (*p)[2])
{
    return a + (*p)[1];
}
static int sq(int x)
{
    return x * x;
}
static int peek(const struct fwd_s *s)
{
    return s->v;
}
const int later = 9;
