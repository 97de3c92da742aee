// Sums and products of 64 bits that wrap. An address that wraps leads out of every array, but what is divided, shifted,
// masked or compared afterwards may come back into it. Parameters called far… are given values near the ends of their
// type.
#include <rill/kernel.h>
#include <stdint.h>

enum { N = 64 };

kernel void remainder_of_sum(long far, int x[N])
{
    for (long i = 0; i < 61; i++) { // expect: any
        x[((i + far) % 61 + 61) % 61] = (int)i;
    }
}

kernel void remainder_of_difference(long far, int x[N])
{
    for (long i = 0; i < 61; i++) { // expect: any
        x[((far - i) % 61 + 61) % 61] = (int)i;
    }
}

kernel void remainder_by_n(long n, long far, int x[n])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[((i + far) % n + n) % n] = (int)i;
    }
}

kernel void shifted_back(int n, long far, int x[N])
{
    long step = far;
    for (int i = 0; i < n; i++) { // expect: any
        x[(((i * step) << 20) >> 20) & 7] = i;
    }
}

kernel void shifted_loop(long n, int x[n])
{
    for (long i = 0; i < n; i++) { // expect: if
        x[(i << 20) >> 20] = (int)i;
    }
}

kernel void shifted_far(long far, int x[N])
{
    for (long i = far; i < far + 20; i++) { // expect: any
        x[((i << 58) >> 58) + 32] = (int)i;
    }
}

kernel void by_large_steps(long n, int x[N])
{
    for (long i = 0; i < n << 44; i += 1L << 44) { // expect: any
        x[2 + ((i << 18) >> 62)] = (int)(i >> 44);
    }
}

kernel void quotient_of_sum(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[8 + (i + far) / (1L << 61)] = (int)i;
    }
}

kernel void quotient_of_product(int n, long far, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[16 + (i * far) / (1L << 60)] = i;
    }
}

kernel void remainder_of_product(int n, long far, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[8 + (i * far) % 7] = i;
    }
}

kernel void negated(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[32 - (far - i) % 32] = (int)i;
    }
}

kernel void masked(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[(i + far) & (N - 1)] = (int)i;
    }
}

kernel void unsigned_remainder(unsigned long n, unsigned long far, int x[N])
{
    for (unsigned long i = 0; i < n; i++) { // expect: any
        x[(i + far) % 48] = (int)i;
    }
}

kernel void unsigned_quotient(unsigned long n, unsigned long far, int x[N])
{
    for (unsigned long i = 0; i < n; i++) { // expect: any
        x[(i + far) / 3 % N] = (int)i;
    }
}

kernel void unsigned_shift(unsigned long n, unsigned long far, int x[N])
{
    for (unsigned long i = 0; i < n; i++) { // expect: any
        x[(i + far) >> 63] = (int)i;
    }
}

kernel void around_the_middle(uint64_t n, uint64_t far, int x[N])
{
    for (uint64_t i = far; i < far + n; i++) { // expect: any
        x[i / 2 % N] = (int)i;
    }
}

kernel void constants_around_the_middle(int x[N])
{
    for (uint64_t i = 0x7ffffffffffffff8; i < 0x8000000000000008; i++) { // expect: any
        x[i - 0x7ffffffffffffff8] = x[0x8000000000000007 - i] + 1;
    }
}

kernel void last_longs(long far, int x[N])
{
    for (long i = far; i > far - 12; i--) { // expect: any
        x[((i + 12) % 31 + 31) % 31] = (int)i;
    }
}

kernel void two_far(long n, long far_a, long far_b, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[i + far_a + far_b] = x[i + 1] + 1;
    }
}

kernel void far_factor(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[i + (far << 20)] = x[i + 1] + 1;
    }
}

kernel void far_multiple(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[i + 4 * far] = x[i + 2] + 1;
    }
}

kernel void guarded(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        if (i + far < 5 && i + far >= -5) {
            x[i] = x[i - far - 10] + 1;
        }
    }
}

kernel void guarded_by_the_sum(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        if (i + far < n) {
            x[i] = x[0] + 1;
        }
    }
}

kernel void bounded_inside(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) {                     // expect: any
        for (long j = i + far; j < n; j += 1L << 60) { // expect: any
            if (j > -20) {
                x[i]++;
            }
        }
    }
}

kernel void least_of(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        long k = i + far < i ? i + far : i;
        x[k & 15] = (int)i;
    }
}

kernel void through_int(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        x[((int)(i + far) % 31 + 31) % 31] = (int)i;
    }
}

kernel void through_short(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        long k = (short)((i + far) * 4096);
        x[8 + k / 4096] = (int)i;
    }
}

kernel void through_unsigned(long n, long far, int x[N])
{
    for (long i = 0; i < n; i++) { // expect: any
        long k = (unsigned)(i * far);
        x[k >> 26] = (int)i;
    }
}

kernel void from_int_product(int n, int far, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[32 + (((long)i * far * far) >> 58)] = i;
    }
}

// Two products that are equal in f64, though their difference is far from 0.
kernel void cancelling(long far_a, long far_b, int x[121])
{
    for (int i = 0; i < 61; i++) { // expect: any
        x[((int)(i + far_a * far_b - (far_a ^ 1) * far_b) % 61 + 61) % 61] = i;
    }
}

kernel void least_of_products(int n, long far_a, long far_b, int x[N])
{
    long m = far_a * far_b < n ? far_a * far_b : n;
    for (int i = 0; i < n; i++) { // expect: any
        x[i] = x[i + m] + 1;
    }
}

kernel void counted(int n, long far, int x[N])
{
    long k = far;
    for (int i = 0; i < n; i++) { // expect: any
        x[(k % 31 + 31) % 31] = i;
        k += 3;
    }
}

kernel void counted_by_far(int n, long far, int x[N])
{
    long k = 0;
    for (int i = 0; i < n; i++) { // expect: any
        x[k] = i;
        k += far;
    }
}

// Sums and products of 32 bits, which come back into the array: what is touched is all of it.
kernel void int_sum(int n, int far_a, int far_b, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[i + far_a + far_b] = i;
    }
}

kernel void int_difference(int lo, int n, int far, int to, int x[N])
{
    for (int i = lo + far; i < lo + far + n; i++) { // expect: any
        x[i - lo - far + to] += i;
    }
}

kernel void int_product(int n, int k, int far, int x[N])
{
    for (int i = 0; i < n; i += 2) { // expect: any
        x[i * far + k] += i;
    }
}

kernel void int_multiple(int n, int far, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[2 * i + 2 * far] = i;
    }
}

kernel void unsigned_sum(unsigned lo, unsigned hi, unsigned far, int x[N])
{
    for (unsigned i = lo; i < hi; i++) { // expect: any
        x[i + far] = (int)i;
        x[i - far] += 1;
    }
}

kernel void unsigned_from_far(unsigned n, unsigned far, unsigned back, int x[N])
{
    for (unsigned i = far; i < far + n; i++) { // expect: any
        x[i - far + back] = (int)i;
    }
}

kernel void int_down(int n, int far_a, int far_b, int x[N])
{
    for (int i = n; i > 0; i -= 3) { // expect: any
        x[3 * i + far_a - far_b] += 1;
        x[far_b - i - far_a] += 1;
    }
}

kernel void int_guarded(int n, int far, int k, int x[N], const int y[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        if (i + k >= 0 && i + k < N) {
            x[i + k] += y[i & 15];
        }
        if (i + far >= 0 && i + far < N) {
            x[i + far] += 1;
        }
    }
}

kernel void int_triangle(int n, int k, int far, int x[N])
{
    for (int i = 0; i < n; i++) {     // expect: any
        for (int j = i; j < n; j++) { // expect: any
            x[j - i + k] += x[k + far + j + far];
        }
    }
}

kernel void int_tile(int n, int b, int bi, int bj, int far, int x[n][n])
{
    for (int i = 0; i < b; i++) {     // expect: any
        for (int j = 0; j < b; j++) { // expect: any
            x[bi * b + i][bj * b + j + far + far] += 1;
        }
    }
}

kernel void int_offsets(int n, int a, int b, int c, int d, int e, int far, int x[N])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[i + a] = x[i + b] + x[i + c] + x[i + d] + x[i + e] + x[i + 2 * far] + x[i + a + b] + x[i + a + b + 1];
        x[i + c + d] = x[i + a - b + far * 4] + x[3 * i + a];
    }
}

// What is used as an address outright stays proven, however far it may lie.
kernel void plain_sums(long n, long k, int *x)
{
    for (long i = 0; i < n; i++) { // expect: proven
        x[3 * i + k] = x[3 * i + 1 + k] + 1;
    }
}

kernel void reversed(long n, int x[n])
{
    for (long i = n - 1; i >= 0; i--) { // expect: proven
        x[n - 1 - i] += (int)i;
    }
}

kernel void of_size(size_t n, int x[n])
{
    for (size_t i = 0; i < n; i++) { // expect: proven
        x[n - 1 - i] += (int)i;
    }
}

kernel void tiled(long n, int x[n])
{
    for (long t = 0; t < n; t += 8) {      // expect: proven
        for (long i = t; i < t + 8; i++) { // expect: proven
            if (i < n) {
                x[i] += (int)t;
            }
        }
    }
}

kernel void rows(long n, long m, int x[n][m])
{
    for (long i = 1; i < n - 1; i++) {     // expect: proven
        for (long j = 1; j < m - 1; j++) { // expect: proven
            x[i][j] = (int)(i + j);
        }
    }
}

kernel void flattened(long n, long m, int x[n][m])
{
    for (long k = 0; k < n * m; k++) { // expect: any
        x[k / m][k % m] = (int)k;
    }
}
