// Reductions in odd forms, fields, changed bounds, memory functions, kernels that call kernels. generate_test.c says
// how a file of many kernels is read.

//== red_forms
//@ buffer b0 i32 700 range -20 20
//@ buffer b1 i32 700 range -9 9
//@ buffer b2 i64 40 range 0 0
//@ int 700
//@ array b0 0 700
//@ array b1 0 700
//@ array b2 0 40
#include <rill/kernel.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
kernel void run(int n, const int x[n], const int y[n], long r[40])
{
    int k = 0, s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = s + x[i] + y[i];
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = x[i] + (s + y[i]);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = (s + x[i]) - (y[i] - 3);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = x[i] - (y[i] - s);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = x[i] - (y[i] + s);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = -(-s - x[i]);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = x[i] > 3 ? s + 1 : s;
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = x[i] > 3 ? s : s + x[i];
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s += x[i] > 3 ? y[i] : -1;
    }
    r[k++] = s;
    s = -99;
    for (int i = 0; i < n; i++) {
        s = MAX(s, x[i] + y[i]);
    }
    r[k++] = s;
    s = -99;
    for (int i = 0; i < n; i++) {
        s = MAX(x[i], MAX(s, y[i]));
    }
    r[k++] = s;
    s = -99;
    for (int i = 0; i < n; i++) {
        s = MAX(MAX(x[i], y[i]), s);
    }
    r[k++] = s;
    s = 5;
    for (int i = 0; i < n; i++) {
        if (x[i] > 2) {
            s += x[i];
        } else if (x[i] < -2) {
            s -= y[i];
        } else {
            continue;
        }
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        switch (x[i] & 3) {
        case 0: s++;
        case 1: s += 2; break;
        case 2: s -= y[i];
        }
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] == y[i]) {
            continue;
        }
        s ^= x[i] << (i & 7);
        s = s ^ y[i] ^ 1;
    }
    r[k++] = s;
    s = -1;
    for (int i = 0; i < n; i++) {
        s = s & (x[i] | 64) & (y[i] | 128);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = 3 * s * (x[i] | 1);
    }
    r[k++] = s;
    s = 1;
    for (int i = 0; i < n; i++) {
        s = s << 1;
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        s = s - -x[i] - -1;
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        s = s + 1;
        s = s + x[i];
        s -= 2;
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        int t = s;
        s = t + x[i];
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        int *p = &s;
        *p += x[i];
    }
    r[k++] = s;
    s = 9;
    for (int i = 0; i < n; i++) {
        s *= 1;
        s = +s;
        s += 0;
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        s = (int)((long)s + x[i]);
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        s = (short)(s + x[i]);
    }
    r[k++] = s;
    s = 0;
    for (int i = 0; i < n; i++) {
        s = s + x[i] & 0xff;
    }
    r[k++] = s;
}

//== argmax_lex
//@ buffer b0 i32 500 range 0 9
//@ buffer b1 i32 12 range 0 0
//@ int 500
//@ array b0 0 500
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], int r[12])
{
    int m = -1, at = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] > m || (x[i] == m && i > at + 30)) {
            m = x[i];
            at = i;
        }
    }
    r[0] = m;
    r[1] = at;
    m = -1;
    at = 0;
    int cnt = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > m) {
            m = x[i], at = i, cnt++;
        }
    }
    r[2] = m;
    r[3] = at;
    r[4] = cnt;
    m = -1;
    int eq = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > m) {
            m = x[i];
            eq = 1;
        } else if (x[i] == m) {
            eq++;
        }
    }
    r[5] = m;
    r[6] = eq;
    m = 50;
    at = 7;
    for (int i = 0; i < n; i++) {
        if (m > x[i] + (i & 1)) {
            at = i;
            m = x[i] + (i & 1);
        }
    }
    r[7] = m;
    r[8] = at;
    m = -1;
    at = -1;
    for (int i = 0; i < n; i++) {
        int v = x[i] * 3;
        bool better = v > m;
        if (better) {
            m = v;
            at = i;
        }
    }
    r[9] = m;
    r[10] = at;
    m = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] > m) {
            m = x[i] + 1;
        }
    }
    r[11] = m;
}

//== red_nested
//@ buffer b0 i32 600 range -9 9
//@ buffer b1 i64 12 range 0 0
//@ int 20
//@ int 30
//@ array b0 0 600
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, int m, const int a[n][m], long r[12])
{
    int s = 0, c = 0, best = -100, bi = -1, bj = -1;
    for (int i = 0; i < n; i++) {
        s += i;
        for (int j = 0; j < m; j++) {
            s += a[i][j];
            if (a[i][j] == 9) {
                break;
            }
            c++;
        }
        s -= 2;
    }
    r[0] = s;
    r[1] = c;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] > best) {
                best = a[i][j];
                bi = i;
                bj = j;
            }
        }
    }
    r[2] = best;
    r[3] = bi * 100 + bj;
    int mm = 1000;
    for (int i = 0; i < n; i++) {
        int row = 0;
        for (int j = 0; j < m; j++) {
            row += a[i][j];
        }
        if (row < mm) {
            mm = row;
        }
    }
    r[4] = mm;
    int mx = -1000;
    for (int i = 0; i < n; i++) {
        int rowmin = 1000;
        for (int j = 0; j < m; j++) {
            rowmin = rowmin < a[i][j] ? rowmin : a[i][j];
        }
        mx = mx > rowmin ? mx : rowmin;
    }
    r[5] = mx;
    int par = 0;
    for (int i = 0; i < n; i++) {
        int p = 0;
        for (int j = 0; j < m; j++) {
            p ^= a[i][j];
        }
        par += p;
    }
    r[6] = par;
    int z = 0;
    for (int i = 0; i < n; i++) {
        z += 3;
        for (int j = 0; j < m; j++) {
            z ^= a[i][j];
        }
    }
    r[7] = z;
    int first = -1;
    for (int i = 0; i < n && first < 0; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] == 7) {
                first = i * m + j;
                break;
            }
        }
    }
    r[8] = first;
}

//== red_dependent
//@ buffer b0 i32 100 range -9 9
//@ buffer b1 i64 12 range 0 0
//@ int 100
//@ array b0 0 100
//@ array b1 0 12
#include <rill/kernel.h>
kernel void run(int n, const int x[n], long r[12])
{
    int s = 0, t = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        t += s;
    }
    r[0] = s;
    r[1] = t;
    s = t = 0;
    for (int i = 0; i < n; i++) {
        t += s & 1;
        s += x[i];
    }
    r[2] = t;
    s = t = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (s > 5) {
            t++;
        }
    }
    r[3] = t;
    s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (x[i] == 0) {
            s = 0;
        }
    }
    r[4] = s;
    s = 0;
    t = 0;
    for (int i = 0; i < n; i++) {
        s = x[i];
        t += s;
    }
    r[5] = s;
    r[6] = t;
    s = 3;
    for (int i = 0; i < n; i++) {
        s += x[i];
        for (int j = 0; j < s && j < 3; j++) {
            t++;
        }
    }
    r[7] = t;
}

//== mem_calls
//@ buffer b0 i32 48 range 0 9
//@ buffer b1 i32 60 range 0 9
//@ int 8
//@ int 6
//@ array b0 0 48
//@ array b1 0 60
#include <rill/kernel.h>
#include <string.h>
kernel int run(int n, int m, int a[n][m], int b[60])
{
    for (int i = 0; i < n; i++) {
        memset(a[i], i, 8);
    }
    for (int i = 0; i < n; i++) {
        memcpy(a[i] + 2, b + i, 12);
    }
    for (int i = 0; i < n - 1; i++) {
        memcpy(&a[i], &a[i + 1], sizeof a[0]);
    }
    for (int i = 0; i < 10; i++) {
        memmove(b + i, b + i + 1, 8);
    }
    for (int i = 0; i < 10; i++) {
        memcpy(b + 3 * i, b + 3 * i + 30, 12);
    }
    int c = 0;
    for (int i = 0; i < n - 1; i++) {
        c += memcmp(a[i], a[i + 1], m * sizeof(int)) < 0;
    }
    for (int i = 0; i < n; i++) {
        memset(b, 1, 4 * i);
    }
    memcpy(b + 20, b, 40);
    memset(&b[50], 0xff, sizeof(int));
    memmove(b + 1, b, 4 * 30);
    return c;
}

//== in_place_gather_single
//@ buffer b0 i32 20 range 0 19
//@ int 20
//@ array b0 0 20
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
#pragma rill serial
    for (int i = 0; i < n; i++) {
        a[i] = a[a[i]];
    }
#pragma rill single
    for (int i = 0; i < n; i++) {
        a[a[i]] = i;
    }
}

//== fields
//@ buffer b0 i32 12 range 0 9
//@ int 12
//@ array b0 0 12
#include <rill/kernel.h>
int count = 3, table[8] = {1, 2, 3, 4};
static struct {
    int n;
    float f[3];
} st = {2, {1.5f}};
unsigned char flags[10];
static int limit = 5;
double acc;
kernel int run(int n, int a[n])
{
    for (int i = 0; i < limit; i++) {
        a[i] += table[i];
    }
    for (int i = 0; i < n; i++) {
        count += a[i];
    }
    for (int i = 0; i < limit; i++) {
        table[i] = a[i];
        if (i == 2) {
            limit = 4;
        }
    }
    for (int i = 0; i < n; i++) {
        flags[a[i] % 10] |= 1 << (i & 7);
    }
    for (int i = 0; i < 3; i++) {
        st.f[i] += i;
    }
    st.n++;
    for (int i = 0; i < st.n; i++) {
        acc += a[i];
    }
    for (int i = 0; i < n; i++) {
        table[0] = a[i];
        a[i] = table[0] + table[1];
    }
    count--;
    int *p = &count;
    *p *= 2;
    p = table;
    for (int i = 0; i < 8; i++) {
        p[i] ^= 1;
    }
    limit += a[0] > 100;
    return count + st.n + (int)st.f[1];
}

//== scalar_param_change
//@ buffer b0 i32 12 range 0 9
//@ int 12
//@ int 5
//@ array b0 0 12
#include <rill/kernel.h>
kernel int run(int n, int k, int a[n])
{
    n--;
    for (int i = 0; i < n; i++) {
        a[i] += k;
    }
    a[n] = 77;
    k = n - k;
    for (int i = 0; i < k; i++) {
        a[i + n - k] += i;
    }
    n /= 2;
    for (int i = n; i > 0; i -= 2) {
        k += a[i];
    }
    for (int n = 0; n < 3; n++) {
        a[n] *= 2;
    }
    {
        int a[3] = {1, 2, 3};
        for (int i = 0; i < 3; i++) {
            k += a[i];
        }
    }
    if (k & 1) {
        n = 3;
    }
    for (int i = 0; i < n; i++) {
        a[i] -= k;
    }
    return n * 1000 + k;
}
