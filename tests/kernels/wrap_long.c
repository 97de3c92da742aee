// Sums and products of longs that wrap and then come back into the array, through a remainder, a quotient, a shift, a
// mask or a narrower type. Each is run where nothing wraps as well: that must stay parallel, and this right.
#include <rill/kernel.h>
#include <stdint.h>

// run: remainder_of_sum n=60000 k=9223372036854745807 m=60000
// run: remainder_of_sum n=60000 k=77 m=60000
// run: remainder_of_sum n=60000 k=-9223372036854775808 m=59999
kernel void remainder_of_sum(int n, long k, long m, long x[n])
{
    for (long i = 0; i < m; i++) {
        x[((i + k) % m + m) % m] = i;
    }
}

// run: remainder_of_constant k=9223372036854745807
// run: remainder_of_constant k=-5
kernel void remainder_of_constant(long k, long x[60001])
{
    for (long i = 0; i < 60001; i++) {
        x[((i + k) % 60001 + 60001) % 60001] = i;
    }
}

// run: shifted_back n=60000 from=0 to=60000
// run: shifted_back n=60000 from=8796093022207 to=8796093082000
// run: shifted_back n=60000 from=17592186044416 to=17592186104000
kernel void shifted_back(int n, long from, long to, long x[n])
{
    for (long i = from; i < to; i++) {
        long k = (i << 20) >> 20;
        if (k >= 0 && k < n) {
            x[k] = i;
        }
    }
}

// Two iterations in the same place for each step of 2^44.
// run: shifted_steps n=8
kernel void shifted_steps(int n, long x[n])
{
    for (long i = 0; i < 6L << 44; i += 1L << 44) {
        x[((i << 20) >> 20) + 1] = x[((i << 20) >> 20)] + i;
    }
}

// run: quotient_of_product n=60000 k=1537228672809129301
// run: quotient_of_product n=60000 k=3
kernel void quotient_of_product(int n, long k, long x[n])
{
    for (int i = 0; i < n; i++) {
        x[((i * k) / 7 % n + n) % n] = i;
    }
}

// run: unsigned_remainder n=60000 k=18446744073709521616
// run: unsigned_remainder n=60000 k=5
kernel void unsigned_remainder(unsigned long n, unsigned long k, long x[n])
{
    for (unsigned long i = 0; i < n; i++) {
        x[(i + k) % n] = (long)i;
    }
}

// run: far_offset n=60000 k=17592186044416
// run: far_offset n=60000 k=0
kernel void far_offset(long n, long k, long x[n])
{
    for (long i = 1; i < n - 1; i++) {
        x[i + (k << 20)] = x[i - 1] + 1;
    }
}

// run: two_offsets n=60000 a=-9223372036854775808 b=-9223372036854775808
// run: two_offsets n=60000 a=9223372036854775807 b=9223372036854775807
// run: two_offsets n=60000 a=1 b=-1
kernel void two_offsets(long n, long a, long b, long x[n])
{
    for (long i = 2; i < n - 1; i++) {
        x[i + a + b] = x[i - 1] + 1;
    }
}

// run: through_int n=60000 k=2147453647
// run: through_int n=60000 k=4294937296
// run: through_int n=60000 k=9
kernel void through_int(int n, long k, long x[n])
{
    for (long i = 0; i < n; i++) {
        x[((int)(i + k) % n + n) % n] = i;
    }
}

// run: across_the_middle n=60000 first=9223372036854745808
// run: across_the_middle n=60000 first=18446744073709491616
// run: across_the_middle n=60000 first=0
kernel void across_the_middle(unsigned n, uint64_t first, long x[n])
{
    for (uint64_t i = first; i < first + n; i++) {
        x[i / 3 % n] = (long)i;
    }
}

// run: guarded n=60000 k=9223372036854745807
// run: guarded n=60000 k=100
kernel void guarded(long n, long k, long x[n])
{
    for (long i = 0; i < n; i++) {
        if (i + k < n) {
            x[i] = x[0] + x[n - 1] + 1;
        }
    }
}

// The difference of the products is far from 0, but not when they are taken as doubles.
// run: cancelling n=60000 a=18014398509481985 b=562952100873813 c=18014398509481984
// run: cancelling n=60000 a=5 b=3 c=4
kernel void cancelling(int n, long a, long b, long c, long x[n])
{
    for (int i = 0; i < n; i++) {
        x[((int)(i + a * b - c * b) % n + n) % n] = i;
    }
}

// run: products n=60000 k=4294967296
// run: products n=60000 k=3
kernel void products(long n, long k, long x[n])
{
    for (long i = 0; i < 200; i++) {
        for (long j = 0; j < 300; j++) {
            x[((i * k * k + j) % n + n) % n] = i + j;
        }
    }
}
