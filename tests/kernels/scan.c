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

// In place, the running value in memory.
// run: by_memory n=50000 a=50000 wild
// run: by_memory n=1 a=8
// run: by_memory n=0 a=8
kernel void by_memory(int n, int a[n])
{
    for (int i = 1; i < n; i++) {
        a[i] += a[i - 1];
    }
}

// run: offsets n=50000 count=50000 start=50001
kernel void offsets(int n, const int count[n], int start[n + 1])
{
    start[0] = 0;
    for (int i = 0; i < n; i++) {
        start[i + 1] = start[i] + count[i];
    }
}

// From the back, with two arrays, each its own sum.
// run: from_the_back n=50000 a=50000 sum=50001 most=50001 wild
kernel void from_the_back(int n, const int a[n], int sum[n + 1], int most[n + 1])
{
    sum[n] = 5;
    most[n] = -7;
    for (int i = n - 1; i >= 0; i--) {
        sum[i] = a[i] + sum[i + 1];
        most[i] = most[i + 1] > a[i] ? most[i + 1] : a[i];
    }
}

// Every other element; what lies between stays, and is read.
// run: every_other n=100000 a=100001 wild
kernel void every_other(int n, unsigned a[n + 1])
{
    for (int i = 2; i < n; i += 2) {
        a[i] = a[i - 2] ^ a[i + 1];
    }
}

// Stays in order: two before.
// run: fibonacci n=50000 a=50000 wild
kernel void fibonacci(int n, int a[n])
{
    for (int i = 2; i < n; i++) {
        a[i] = a[i - 1] + a[i - 2];
    }
}

// Stays in order: stored to elsewhere, too.
// run: stored_twice n=50000 a=50001 wild
kernel void stored_twice(int n, int a[n + 1])
{
    for (int i = 1; i < n; i++) {
        a[i] = a[i - 1] + 3;
        a[i + 1] = a[i] / 2;
    }
}

// Begins anew at flags.
// run: segments n=50000 a=50000 flag=50000 out=50000 wild
kernel void segments(int n, const int a[n], const int flag[n], int out[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (flag[i] % 17 == 0) {
            s = 0;
        }
        s += a[i];
        out[i] = s;
    }
}

// The last that was not negative.
// run: filled n=50000 a=50000 at=50000 out=50000 wild
// run: filled n=1100000 a=1100000 at=1100000 out=1100000 wild
kernel int filled(int n, const int a[n], int at[n], int out[n])
{
    int last = -1, where = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] >= 0) {
            last = a[i];
            where = i;
        }
        out[i] = last;
        at[i] = where;
    }
    return last;
}

// Sums and what they begin with again, in several ways through an iteration.
// run: resets n=70000 a=70000 out=70000 wild
kernel int resets(int n, const int a[n], int out[n])
{
    int s = 1;
    for (int i = 0; i < n; i++) {
        switch (a[i] & 3) {
        case 0: s = a[i]; break;
        case 1: s ^= a[i]; break;
        case 2: s ^= 5; break;
        default: break;
        }
        out[i] = s;
    }
    return s;
}

// Sums of floats are rounded in another order; that of integers as floats are exact.
// run: floats n=50000 a=50000 out=50000 ~ 1e-4
// run: floats n=1100000 a=1100000 out=1100000 ~ 1e-4
kernel float floats(int n, const float a[n], float out[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
    return s;
}

// run: doubles n=200001 a=200001 b=200001 sum=200001 product=200001 ~ 1e-9
kernel void doubles(int n, const double a[n], const double b[n], double sum[n], double product[n])
{
    double s = 3, p = 1;
    for (int i = 0; i < n; i++) {
        sum[i] = s;
        s -= a[i] * b[i];
        p *= 1 + 1e-7 * b[i];
        product[i] = p;
    }
}

// The lowest and the highest so far: no rounding.
// run: extremes n=200001 a=200001 low=200001 high=200001 wild
kernel void extremes(int n, const float a[n], float low[n], float high[n])
{
    float l = INFINITY, h = -INFINITY;
    for (int i = 0; i < n; i++) {
        if (a[i] < l) {
            l = a[i];
        }
        h = fmaxf(h, a[i]);
        low[i] = l;
        high[i] = h;
    }
}

// struct pair: dd mass moment
struct pair {
    double mass;
    double moment;
};

// Two sums in a struct.
// run: structs n=100000 v=100000 out=100000 ~ 1e-9
kernel void structs(int n, const struct pair v[n], struct pair out[n])
{
    struct pair s = {0, 0};
    for (int i = 0; i < n; i++) {
        s.mass += v[i].mass;
        s.moment += v[i].moment * 0.5;
        out[i] = s;
    }
}

// Costly enough for a CPU.
// run: costly n=60000 a=60000 out=60000 wild
kernel void costly(int n, const int a[n], int out[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int v = a[i] / 3, w = a[i] % 1000;
        if (v % 7 > 2) {
            s += v / (w * w + 1) + a[i] / 5 % 11;
        }
        out[i] = s;
    }
}

// The rows of a matrix are as good as iterations.
// run: by_rows h=300 w=50 m=15000 row=300 out=15000 wild
kernel void by_rows(int h, int w, const int m[h][w], int row[h], int out[h][w])
{
    int s = 0;
    for (int y = 0; y < h; y++) {
        row[y] = s;
        for (int x = 0; x < w; x++) {
            s += m[y][x];
            out[y][x] = s;
        }
    }
}

// Linear recurrences.
// run: smoothed n=100000 alpha=0.3 x=100000 y=100000 ~ 1e-5
// run: smoothed n=100000 alpha=-0.5 x=100000 y=100000 ~ 1e-5
kernel void smoothed(int n, float alpha, const float x[n], float y[n])
{
    y[0] = x[0];
    for (int i = 1; i < n; i++) {
        y[i] = alpha * x[i] + (1 - alpha) * y[i - 1];
    }
}

// Stays in order: the value stands in its update twice.
// run: swinging n=100000 a=100000 b=100000 y=100000 ~ 1e-9
kernel void swinging(int n, const double a[n], const double b[n], double y[n])
{
    double v = 0;
    for (int i = 0; i < n; i++) {
        double factor = i % 8192 < 4096 ? 1.25 : 0.8;
        v = v * factor + (i % 8192 == 4095 ? -v : 0) * 0.5;
        v = factor * (v * 1e-3) + b[i] - a[i] * 1e-3;
        y[i] = v;
    }
}

// Factors that grow and shrink: their products over a run are no numbers, the results are.
// run: growing n=100000 a=100000 b=100000 y=100000 ~ 1e-9
kernel void growing(int n, const double a[n], const double b[n], double y[n])
{
    double v = 0;
    for (int i = 0; i < n; i++) {
        v = v * (i % 3000 < 1500 ? 4.0 : 0.25) + b[i];
        y[i] = v;
    }
}

// Integers: exact.
// run: hashed n=100000 text=100000 out=100000 wild
kernel unsigned hashed(int n, const unsigned char text[n], unsigned out[n])
{
    unsigned h = 5381;
    for (int i = 0; i < n; i++) {
        out[i] = h;
        h = h * 33 + text[i];
    }
    return h;
}

// run: reversed n=100000 a=100000 b=100001 wild
kernel void reversed(int n, const long a[n], long b[n + 1])
{
    for (int i = n - 1; i >= 0; i--) {
        if (i % 5 != 0) {
            continue;
        }
        b[i] = 3;
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] = a[i] - b[i + 1] * 7;
    }
}

// No more than what the updates come to.
// run: hash n=100001 text=100001 wild
// run: hash n=100 text=100 wild
kernel uint64_t hash(int n, const unsigned char text[n])
{
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < n; i++) {
        h = (h + text[i]) * 1099511628211u;
    }
    return h;
}

// run: horner n=100001 x=0.99 c=100001 ~ 1e-9
kernel double horner(int n, double x, const double c[n])
{
    double p = 0;
    for (int i = n - 1; i >= 0; i--) {
        p = p * x + c[i];
    }
    return p;
}

// In a loop that is control: steps in time, and until it is enough.
// run: steps n=40000 steps=3 a=40000 out=40000 wild
kernel int steps(int n, int steps, int a[n], int out[n])
{
    int all = 0;
    for (int t = 0; t < steps; t++) {
        int s = t;
        for (int i = t; i < n; i++) {
            s += a[i] >> 2;
            out[i] = s;
        }
        for (int i = 0; i < n; i++) {
            a[i] = out[i] ^ t;
        }
        all += s;
    }
    return all;
}

// run: rounds n=40000 x=40000 out=40000 wild
kernel int rounds(int n, int x[n], int out[n])
{
    int left = n, round = 0;
    while (left > 100 && round < 20) {
        int k = 0;
        for (int i = 0; i < left; i++) {
            if (x[i] % (round + 2) != 0) {
                out[k++] = x[i] / 3;
            }
        }
        for (int i = 0; i < k; i++) {
            x[i] = out[i];
        }
        left = k;
        round++;
    }
    return left + 1000 * round;
}

// Stays in order: the running value is in one of two arrays.
// run: in_one_of_two n=50000 c=1 a=50000 b=50000 wild
// run: in_one_of_two n=50000 c=0 a=50000 b=50000 wild
kernel void in_one_of_two(int n, int c, int a[n], int b[n])
{
    int *p = c ? a : b;
    for (int i = 1; i < n; i++) {
        p[i] += p[i - 1];
    }
    for (int i = 1; i < n; i++) {
        int *q = i & 1 ? a : b;
        q[i] += q[i - 1];
    }
    for (int i = 1; i < n; i++) {
        p[i] += b[i - 1];
        a[i] += a[i - 1];
    }
}

// An integral image: the rows build on each other, and are scans where they are long.
// run: integral_image h=40 w=50 ~ 1e-12
// run: integral_image h=4 w=40000 ~ 1e-12
// run: integral_image h=0 w=9 ~ 1e-12
// run: integral_image h=3 w=0 ~ 1e-12
kernel void integral_image(int h, int w, const double image[h][w], double sums[h][w])
{
    for (int y = 0; y < h; y++) {
        double run = 0;
        for (int x = 0; x < w; x++) {
            run += image[y][x];
            sums[y][x] = run + (y > 0 ? sums[y - 1][x] : 0);
        }
    }
}

// Rows that are scans only where the caller says so.
// run: sums_if_wanted h=6 w=40000 wanted=1 ~ 1e-12
// run: sums_if_wanted h=6 w=40000 wanted=0 ~ 1e-12
// run: sums_if_wanted h=60 w=30 wanted=1 ~ 1e-12
kernel void sums_if_wanted(int h, int w, int wanted, double rows[h][w])
{
    for (int y = 1; y < h; y++) {
        if (wanted) {
            double run = rows[y - 1][0];
            for (int x = 0; x < w; x++) {
                run += rows[y][x];
                rows[y][x] = run;
            }
        }
        rows[y][0] += rows[y - 1][0];
    }
}
