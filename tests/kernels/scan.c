// Loops that carry a running integer and store it. Trip counts lie around the fewest that are cut into runs (32768) and
// around multiples of the number of runs (256).
#include <rill/kernel.h>

#include <stdint.h>

// run: inclusive n=0 a=8 out=8
// run: inclusive n=1 a=8 out=8
// run: inclusive n=32767 a=32767 out=32767 wild
// run: inclusive n=32768 a=32768 out=32768 wild
// run: inclusive n=33023 a=33023 out=33023 wild
// run: inclusive n=70001 a=70001 out=70001 wild
kernel int inclusive(int n, const int *a, int *out)
{
    int s = 7;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
    return s;
}

// run: exclusive first=3 n=40000 a=40000 out=40000 wild
// run: exclusive first=39999 n=40000 a=40000 out=40000 wild
// run: exclusive first=40000 n=-5 a=40000 out=40000 wild
// run: exclusive first=7000 n=40000 a=40000 out=40000 wild
kernel void exclusive(int64_t first, int64_t n, const unsigned *a, unsigned *out)
{
    unsigned s = 1;
    for (int64_t i = first; i < n; i++) {
        out[i] = s;
        s -= a[i];
    }
}

// run: far first=9223372036854775807 n=-9223372036854775807 a=8 out=8
kernel void far(int64_t first, int64_t n, const int *a, int *out)
{
    int s = 0;
    for (int64_t i = first; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

// run: bytes n=50000 a=50000 out=50000 wild
kernel void bytes(int n, const int8_t *a, int8_t *out)
{
    int8_t s = 100;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

// run: highest n=50000 a=50000 out=50000 wild
kernel void highest(int n, const int *a, int *out)
{
    int s = -5;
    for (int i = 0; i < n; i++) {
        s = a[i] > s ? a[i] : s;
        out[i] = s;
    }
}

// run: product n=50000 a=50000 out=50000 wild
kernel void product(int n, const uint64_t *a, uint64_t *out)
{
    uint64_t s = 3;
    for (int i = 0; i < n; i++) {
        s *= a[i] | 1;
        out[i] = s;
    }
}

// run: bits n=50000 a=50000 out=50000 wild
kernel void bits(int n, const uint32_t *a, uint32_t *out)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++) {
        s ^= a[i] >> 3;
        out[i] = s;
    }
}

// Two updates in one iteration, read between them and behind.
// run: twice n=50000 a=50000 out=50000 more=50000 wild
kernel void twice(int n, const int *a, int *out, int *more)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
        s -= a[i] / 3;
        more[i] = s * 2;
    }
}

// Stays in order: the array that the updates read is the one that the loop writes, ahead of where it reads.
// run: ahead n=50000 a=50001 wild
kernel void ahead(int n, int *a)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        a[i + 1] = s;
    }
}

// In place.
// run: in_place n=50000 a=50000 wild
kernel void in_place(int n, int *a)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        a[i] = s;
    }
}

// Arguments that overlap: the second is the first, moved by one element.
static void running(int n, const int *a, int *out)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}
// run: overlapping n=50000 a=50002 wild
kernel void overlapping(int n, int *a)
{
    running(n, a, a + 1);
}

// Stays in order: what is added depends on the sum.
// run: dependent n=50000 a=50000 out=50000 wild
kernel void dependent(int n, const unsigned *a, unsigned *out)
{
    unsigned s = 1;
    for (int i = 0; i < n; i++) {
        s += a[i] ^ (s >> 1);
        out[i] = s;
    }
}

// The sum as an index: the places that are stored to are not known to differ.
// run: places n=50000 a=50000 out=256 wild
kernel void places(int n, const unsigned *a, int *out)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[s & 255] = i;
    }
}

// Two loops, the second from where the first ended.
// run: chained n=40000 a=40000 out=40000 wild
kernel void chained(int n, const int *a, int *out)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
    for (int i = 0; i < n; i++) {
        out[i] ^= s;
        s += 3;
    }
}
