// Loops that step in their condition, by what only the launch knows, or up to the lower of two bounds.
#include <rill/kernel.h>

// run: down n=0
// run: down n=1
// run: down n=100
kernel unsigned down(unsigned n, int a[n + 1])
{
    unsigned i;
    for (i = n; i-- > 0;) {
        a[i] += (int)i;
    }
    return i;
}

// run: down_signed n=-5 m=1
// run: down_signed n=0 m=1
// run: down_signed n=100 m=100
// run: down_signed n=-2147483648 m=1
kernel int down_signed(int n, int m, int a[m])
{
    int i = n;
    while (i-- > 0) {
        a[i] += i;
    }
    return i;
}

// run: down_pre n=0 m=3
// run: down_pre n=50 m=3
// run: down_pre n=-1 m=3
kernel int down_pre(int n, int m, int a[64])
{
    int i;
    for (i = n; --i >= m;) {
        a[i] *= 3;
    }
    return i;
}

// run: down_to n=50 m=7
// run: down_to n=5 m=7
// run: down_to n=7 m=7
kernel long down_to(long n, long m, int a[n])
{
    long i = n;
    while (i-- > m) {
        a[i] -= 1;
    }
    return i;
}

// run: down_from n=50 m=7
// run: down_from n=7 m=7
// run: down_from n=3 m=7
kernel int down_from(int n, int m, int a[n + 1])
{
    int i = n + 1;
    while (m <= --i) {
        a[i] -= i;
    }
    return i;
}

// run: down_at_least n=50 m=7
// run: down_at_least n=6 m=7
kernel int down_at_least(int n, int m, int a[n + 1])
{
    int i = n;
    while (i-- >= m) {
        a[i] -= i;
    }
    return i;
}

// run: count_down n=0
// run: count_down n=64
kernel size_t count_down(size_t n, unsigned char a[n + 1])
{
    size_t k = n;
    while (k--) {
        a[k] ^= 85;
    }
    return k;
}

// run: count_char n=0 a=1
// run: count_char n=200 a=200
kernel int count_char(unsigned char n, unsigned char *a)
{
    while (n-- != 0) {
        a[n] ^= 85;
    }
    return n;
}

// A sum over what is left, and continue.
// run: left n=30
kernel int left(int n, const int a[n])
{
    int s = 0;
    for (int i = n; i-- > 0;) {
        if (a[i] % 3 == 0) {
            continue;
        }
        s = s * 31 + a[i];
    }
    return s;
}

// The iteration counts itself down, too: in order.
// run: twice n=31
kernel int twice(int n, int a[n])
{
    while (n-- > 0) {
        a[n] += 1;
        n -= a[n] % 2;
    }
    return n;
}

// run: strided n=100 h=1
// run: strided n=100 h=7
// run: strided n=100 h=100
// run: strided n=100 h=1000
// run: strided n=1 h=2147483647
// run: strided n=0 h=3
kernel int strided(int n, int h, int a[n + 1])
{
    int i;
    for (i = 0; i < n; i += h) {
        a[i] += i;
    }
    return i < n;
}

// run: strided_end n=60 h=7
// run: strided_end n=56 h=7
// run: strided_end n=-1 h=7
kernel int strided_end(int n, int h, int a[64])
{
    int i;
    for (i = 0; i <= n; i = i + h) {
        a[i] += i;
    }
    return i;
}

// run: strided_down n=100 h=7
// run: strided_down n=98 h=7
// run: strided_down n=98 h=1
// run: strided_down n=3 h=7
kernel int strided_down(int n, unsigned char h, int a[n + 1])
{
    int i;
    for (i = n; i > 2; i -= h) {
        a[i] += i;
    }
    return i;
}

// run: strided_size n=100 h=9
// run: strided_size n=0 h=9
kernel size_t strided_size(size_t n, size_t h, long a[n + 1])
{
    size_t i;
    for (i = 3; i < n; i += h) {
        a[i] += (long)i;
    }
    return i;
}

// Goes past 0 and on from the end of the type.
// run: strided_around n=100 h=9
// run: strided_around n=99 h=33
kernel unsigned strided_around(unsigned n, unsigned h, unsigned count[4])
{
    unsigned i, k = 0;
    for (i = n; i > 5 && k < 1000; i -= h) {
        k++;
    }
    count[0] = k;
    return i;
}

// run: strided_char h=100
// run: strided_char h=150
// run: strided_char h=1
// run: strided_char h=250
kernel int strided_char(unsigned char h, int a[256])
{
    unsigned char i;
    for (i = 0; i < 200; i += h) {
        a[i] += i + 1;
    }
    return i;
}

// A step that leads away from the bound, but the loop has no iterations.
// run: strided_away n=0 h=-3
// run: strided_away n=-9 h=0
// run: strided_away n=20 h=5
kernel int strided_away(int n, int h, int a[20])
{
    int i;
    for (i = 0; i < n; i += h) {
        a[i] = i;
    }
    return i;
}

// The steps of a nest, one of which changes in it.
// run: nest n=30 m=20 h=4 g=3
// run: nest n=30 m=20 h=1 g=40
kernel void nest(int n, int m, int h, int g, int a[n][m])
{
    int step = 1;
    for (int i = 0; i < n; i += h) {
        for (int j = 0; j < m; j += g) {
            a[i][j] += i * j;
        }
        for (int j = 0; j < m; j += step) {
            a[i][j] ^= j;
        }
        step++;
    }
}

// A sieve by strides, each of another.
// run: sieve n=500
kernel void sieve(int n, unsigned char composite[n + 1])
{
    for (int p = 2; p <= n; p++) {
        for (int i = 2 * p; i <= n; i += p) {
            composite[i] = 1;
        }
    }
}

// Iterations of a stride meet those of the next.
// run: meet n=100 h=4
// run: meet n=100 h=5
kernel void meet(int n, int h, int a[n + 5])
{
    for (int i = 0; i < n; i += h) {
        a[i + 5] = a[i] * 3 + 1;
    }
}

// run: both n=30 m=20
// run: both n=20 m=30
// run: both n=0 m=30
kernel int both(int n, int m, int a[n + m])
{
    int i;
    for (i = 0; i < n && i < m; i++) {
        a[i] += i;
    }
    return i;
}

// run: both_ends n=30 m=20
// run: both_ends n=20 m=30
// run: both_ends n=30 m=30
// run: both_ends n=30 m=2147483647
// run: both_ends n=-2147483648 m=5
kernel int both_ends(int n, int m, int a[64])
{
    int i;
    for (i = 0; i < n && i <= m; i += 2) {
        a[i] += i;
    }
    return i;
}

// run: both_down n=30 m=20 k=4
// run: both_down n=20 m=3 k=9
// run: both_down n=20 m=-2147483648 k=9
kernel int both_down(int n, int m, int k, int a[n + 1])
{
    int i;
    for (i = n; i >= m && k < i; --i) {
        a[i] += i;
    }
    return i;
}

// run: three n=50 m=20 k=30
// run: three n=50 m=40 k=30
kernel unsigned three(unsigned n, unsigned m, unsigned k, int a[64])
{
    unsigned i;
    for (i = 1; (i < n && i <= m) && k > i; i++) {
        a[i] += (int)i;
    }
    return i;
}

// A flag beside the bound: in order.
// run: flagged n=50
kernel int flagged(int n, int a[n])
{
    int done = 0, i;
    for (i = 0; i < n && !done; i++) {
        a[i] += 1;
        done = a[i] > 90;
    }
    return i;
}
