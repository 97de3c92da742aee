// Constants at the ends of their types, everywhere that the compiler computes with them. Most of these kernels are only
// compiled: their indices lie outside of every array.
#include <limits.h>
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

// run: mask_all n=500
kernel void mask_all(long n, int x[n])
{
    for (long i = 0; i < n; i++) {
        x[i & LONG_MAX] = 1;
    }
}

// run: mask_all2 n=500
kernel void mask_all2(long n, int x[n])
{
    for (long i = 0; i < n; i++) {
        x[(i & LONG_MIN) + i] = 1;
    }
}
kernel void mask3(long n, int x[n])
{
    for (long i = 0; i < n; i++) {
        x[i & ~LONG_MAX] = 1;
    }
}
kernel void far_bounds(int x[4])
{
    for (long i = LONG_MIN; i < LONG_MAX; i++) {
        x[i & 3] = x[(i + 1) & 3];
    }
}
kernel void far_bounds2(int x[4])
{
    for (long i = LONG_MAX; i > LONG_MIN; i--) {
        x[0] = x[1] + 1;
    }
}

// run: far_step
kernel void far_step(int x[4])
{
    for (long i = 0; i > LONG_MIN + 1; i -= LONG_MAX) {
        x[0] += x[1];
    }
}

// run: far_step2
kernel void far_step2(int x[4])
{
    for (long i = LONG_MAX; i >= 0; i += LONG_MIN) {
        x[0] = x[1];
    }
}

kernel void far_step3(int x[4])
{
    for (unsigned long i = 0; i < ULONG_MAX; i += 1UL << 63) {
        x[i >> 63] = 2;
    }
}

kernel void far_step4(int x[4])
{
    for (int i = INT_MIN; i < INT_MAX; i += INT_MAX) {
        x[0] = x[1];
    }
}

kernel void far_step5(int x[4])
{
    for (int i = INT_MAX; i > INT_MIN; i += INT_MIN) {
        x[0] = x[1];
    }
}
kernel void idx(long *x)
{
    x[LONG_MAX] = 1;
    x[LONG_MIN] = 2;
    (&x[LONG_MAX / 4])[LONG_MAX / 8] = 3;
    (x + LONG_MAX)[LONG_MAX] = 4;
}
kernel void idx2(int n, long *x)
{
    for (int i = 0; i < n; i++) {
        x[i + LONG_MAX] = 1;
        x[i * LONG_MIN] = 2;
        x[i - LONG_MIN] = x[LONG_MIN - i];
        x[-(i * LONG_MIN)] = 3;
    }
}
kernel void shifts(int n, long *x)
{
    for (int i = 0; i < n; i++) {
        x[i << 31] = 1;
        x[(long)i << 63] = 2;
        x[i >> 31] = 1;
        x[(long)i >> 63] = 3;
        x[(unsigned long)i >> 63] = 2;
        x[i << 33] = 2;
        x[i << -1] = 2;
        x[1L << i] = 2;
        x[-1L << i] = 3;
    }
}
kernel void divs(int n, long *x)
{
    for (long i = 0; i < n; i++) {
        x[i / LONG_MIN] = 1;
        x[i % LONG_MIN] = 1;
        x[(i + LONG_MIN) / -1] = 1;
        x[(i + LONG_MIN) % -1] = 1;
        x[i / -1] = 2;
        x[LONG_MIN / (i - 1)] = 2;
        x[i * LONG_MAX / LONG_MAX] = 1;
        x[i % LONG_MAX] = 3;
        x[(i * 3) / 3] = 3;
        x[i / LONG_MAX * LONG_MAX] = 3;
    }
}

// run: folds n=3
kernel long folds(int n)
{
    long a = LONG_MIN;
    a = -a;
    a /= -1;
    a = a * a;
    a <<= 63;
    a += LONG_MAX;
    a += LONG_MAX;
    a -= LONG_MIN;
    int b = INT_MIN;
    b = -b;
    b /= -1;
    b %= -1;
    b <<= 31;
    return a + b + (LONG_MIN / -1) + (INT_MIN % -1) + (1 << 31) + (-1 << 4) + (INT_MAX + 1) + (LONG_MAX * 2);
}
struct big {
    char pad[1L << 20];
    int tail;
};
kernel void bigs(int n, struct big *p)
{
    for (int i = 0; i < n; i++) {
        p[i].tail = 1;
        p[i + (1L << 30)].tail = 2;
        p[1L << 40].tail = 3;
        p[-(1L << 40)].pad[LONG_MAX] = 3;
    }
}
kernel void rows(int n, int m[1L << 20][1L << 20])
{
    for (int i = 0; i < n; i++) {
        m[i][i] = 1;
        m[1L << 30][1L << 30] = 1;
        m[LONG_MAX][LONG_MIN] = 2;
    }
}
kernel void rows2(long n, long m, int a[n][m])
{
    for (long i = 0; i < n; i++) {
        for (long j = LONG_MIN; j < LONG_MAX; j += LONG_MAX) {
            a[i][j] = 1;
        }
        a[i * LONG_MAX][LONG_MAX - i] = 3;
    }
}
kernel void copies(int n, char *x)
{
    memcpy(x, x + LONG_MAX, LONG_MAX);
    memset(x + LONG_MIN, 0, ULONG_MAX);
}
static int lookup(const int *p, long k)
{
    return p[k + LONG_MAX];
}
static void none(void)
{
}
static int zero(void)
{
    return 1;
}
kernel void calls(int n, int *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = lookup(x, LONG_MIN + i);
        none();
        x[i] += zero();
    }
}
kernel void sw(int n, int *x)
{
    for (int i = 0; i < n; i++) {
        switch ((long)x[i] * LONG_MAX) {
        case LONG_MIN: x[i] = 1; break;
        case LONG_MAX: x[i] = 2; break;
        case -1: x[i] = 3;
        }
    }
}

// run: red n=500
kernel void red(long n, long x[n], long out[1])
{
    for (long i = 0; i < n; i++) {
        out[0] += LONG_MAX * i;
    }
    for (long i = 0; i < n; i++) {
        out[0] = out[0] < LONG_MIN + i ? LONG_MIN + i : out[0];
    }
}
kernel void tri(long n, int *x)
{
    for (long i = LONG_MAX - 5; i < LONG_MAX; i++) {
        for (long j = i - LONG_MAX; j < i + LONG_MAX; j++) {
            x[j] = 1;
        }
    }
}
kernel void ends(unsigned long n, int *x)
{
    for (unsigned long i = n; i-- > 0;) {
        x[i] = 1;
    }
    for (unsigned long i = ULONG_MAX; i > ULONG_MAX - 10; i--) {
        x[i] = 2;
    }
    for (unsigned char c = 250; c < 255; c += 255) {
        x[c] = 3;
    }
    for (signed char c = -128; c != 127; c++) {
        x[c + 128] = 3;
    }
}

kernel void nest(long x[4])
{
    for (long i = LONG_MIN; i < LONG_MAX; i += LONG_MAX) {
        for (long j = LONG_MAX; j > LONG_MIN; j -= LONG_MAX) {
            x[(i + j) & 3] = 1;
        }
    }
}
kernel void nest3(int n, float *x)
{
    for (int i = INT_MIN; i < n; i += INT_MAX) {
        for (int j = INT_MAX; j > n; j -= INT_MAX) {
            x[(long)i * INT_MIN + j] = 1;
        }
    }
}
kernel void guard(long n, int *x)
{
    for (long i = 0; i < n; i++) {
        if (i - LONG_MIN > LONG_MAX) {
            x[i] = 1;
        }
        if (i < LONG_MIN + 1) {
            x[i + 1] = x[i];
        }
        if (i * LONG_MAX == LONG_MIN) {
            x[0] = 1;
        }
        if (i != LONG_MIN && -i > LONG_MIN) {
            x[1] = x[i];
        }
    }
}
kernel void induct(long n, int *x)
{
    long k = LONG_MAX;
    for (long i = 0; i < n; i++) {
        x[k] = 1;
        k += LONG_MAX;
    }
    int *p = x;
    for (long i = 0; i < n; i++) {
        *p = 1;
        p += LONG_MAX;
    }
    for (long i = 0; i < n; i++) {
        *p = 1;
        p -= LONG_MIN;
    }
}
kernel void fl(int n, int *x, double d)
{
    for (int i = 0; i < n; i++) {
        x[(int)1e300] = 1;
        x[(long)-1e300] = 2;
        x[(unsigned char)300.5] = 3;
        x[(long)d] = 2;
    }
}
static const long t[] = {LONG_MAX + 1, LONG_MIN * -1, LONG_MIN / -1, 1L << 63,     -1L << 3,
                         -LONG_MIN,    1 << 20,       INT_MAX * 2,   LONG_MIN % -1};
struct s {
    int a : 31;
    unsigned long b : 63;
    long c : 64;
    signed d : 1;
};
kernel long f(int n, struct s *x)
{
    x[0].a = INT_MAX;
    x[0].a += 5;
    x[0].b = ULONG_MAX;
    x[0].b++;
    x[0].c = LONG_MIN;
    x[0].c--;
    x[0].d = 3;
    return t[n & 7] + sizeof(char[1L << 40]) + (long)&x[LONG_MAX] + ~LONG_MIN;
}
kernel void arr(int n)
{
    int a[3];
    a[LONG_MAX] = 1;
    a[-1] = 2;
    for (int i = 0; i < n; i++) {
        a[i - LONG_MAX] = 2;
    }
}
