// Updates that stand in helpers: once these are inlined they are reductions, or, in the traps, are not.
#include <math.h>
#include <rill/kernel.h>
#include <stdint.h>

struct vec3 {
    float x, y, z;
};

struct range {
    int least, most;
    int64_t sum;
};

// struct vec3: fff x y z
// struct range: iiq least most sum

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

static int min_of(int a, int b)
{
    return b >= a ? a : b;
}

static unsigned umax_of(unsigned a, unsigned b)
{
    return a < b ? b : a;
}

static int max_by_if(int a, int b)
{
    int m = a;
    if (b > m) {
        m = b;
    }
    return m;
}

static int64_t add(int64_t a, int64_t b)
{
    return a + b;
}

static int64_t add_three(int64_t a, int b, int c)
{
    return a + b - c;
}

static int minus(int a, int b)
{
    return a - b;
}

static int short_sum(short a, short b)
{
    return a + b;
}

static int twice(int a, int b)
{
    return a + a + b;
}

static float fmax_first(float a, float b)
{
    return a > b ? a : b;
}

static float fmax_second(float a, float b)
{
    return b > a ? b : a;
}

static float fmax_equal(float a, float b)
{
    return a >= b ? a : b;
}

static int noting(int a, int b, int *where)
{
    *where = b;
    return a + b;
}

static struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
    struct vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

static struct vec3 vec3_grow(struct vec3 a, struct vec3 b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

static struct vec3 vec3_turn(struct vec3 a, struct vec3 b)
{
    struct vec3 sum = {a.y + b.x, a.z + b.y, a.x + b.z};
    return sum;
}

static struct range range_add(struct range r, int e)
{
    r.least = min_of(r.least, e);
    r.most = max_of(r.most, e);
    r.sum = add(r.sum, e);
    return r;
}

// run: maximum n=3000 wild
// run: maximum n=1 wild
// run: maximum n=0 wild
kernel int maximum(int n, const int a[n])
{
    int best = -5;
    for (int i = 0; i < n; i++) {
        best = max_of(best, a[i]);
    }
    return best;
}

// run: several n=3000 wild
kernel void several(int n, const int a[n], int out[4])
{
    int least = 9, most = -9, other = 7;
    unsigned top = 0;
    for (int i = 0; i < n; i++) {
        least = min_of(a[i], least);
        most = max_by_if(most, a[i]);
        top = umax_of(top, (unsigned)a[i]);
        other = minus(other, a[i]);
    }
    out[0] = least;
    out[1] = most;
    out[2] = (int)top;
    out[3] = other;
}

// run: sums n=3000 wild
kernel int64_t sums(int n, const int a[n], int64_t out[1])
{
    int64_t s = 3, t = 4;
    for (int i = 0; i < n; i++) {
        s = add(s, a[i]);
        t = add_three(t, a[i], i);
    }
    out[0] = t;
    return s;
}

// run: in_memory n=3000 wild
kernel void in_memory(int n, const int a[n], int out[2])
{
    for (int i = 0; i < n; i++) {
        out[0] = max_of(out[0], a[i]);
        out[1] = minus(out[1], a[i]);
    }
}

// run: own_element n=300 wild
kernel void own_element(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            out[i] = max_of(out[i], a[k] ^ i);
        }
    }
}

// run: buckets n=3000 wild
kernel void buckets(int n, const unsigned a[n], int out[64])
{
    for (int i = 0; i < n; i++) {
        out[a[i] % 64] = max_of(out[a[i] % 64], i);
    }
}

// run: nans_first n=3000 wild
kernel float nans_first(int n, const float a[n])
{
    float best = -1;
    for (int i = 0; i < n; i++) {
        best = fmax_first(best, sqrtf(a[i])); // a NaN where it is negative
    }
    return best;
}

// run: nans_second n=3000 wild
kernel float nans_second(int n, const float a[n])
{
    float best = -1;
    for (int i = 0; i < n; i++) {
        best = fmax_second(best, sqrtf(a[i]));
    }
    return best;
}

// run: nan_at_start n=3000 wild
kernel float nan_at_start(int n, const float a[n])
{
    float first = NAN, second = NAN;
    for (int i = 0; i < n; i++) {
        first = fmax_equal(first, a[i]);
        second = fmax_second(second, a[i]);
    }
    return second != second ? first : -7;
}

// A zero of which sign is kept is for the comparison to say.
// run: zeros n=3000
kernel void zeros(int n, float out[3])
{
    float a = 0, b = 0, c = 0;
    for (int i = 0; i < n; i++) {
        float e = i % 3 == 1 ? -0.0f : 0.0f;
        a = fmax_first(a, e);
        b = fmax_second(e, b);
        c = fmax_equal(c, e);
    }
    out[0] = 1 / a;
    out[1] = 1 / b;
    out[2] = 1 / c;
}

// run: nans_in_memory n=3000 wild
kernel void nans_in_memory(int n, const float a[n], float out[2])
{
    for (int i = 0; i < n; i++) {
        out[0] = fmax_first(out[0], sqrtf(a[i]));
        out[1] = fmax_second(out[1], sqrtf(a[i]));
    }
}

// Computed in a wider type: narrowed after each step.
// run: narrow n=3000 wild
kernel int narrow(int n, const short a[n])
{
    short s = 0;
    signed char c = 0;
    for (int i = 0; i < n; i++) {
        s = (short)short_sum(s, a[i]);
        c = (signed char)max_of(c, a[i]);
    }
    return s * 256 + c;
}

// A double is compared with floats: (float) of the larger one.
// run: mixed n=3000 wild
kernel float mixed(int n, const double a[n])
{
    float best = 0;
    for (int i = 0; i < n; i++) {
        best = best > a[i] ? best : (float)a[i];
    }
    return best;
}

// run: signs n=3000 wild
kernel unsigned signs(int n, const int a[n])
{
    unsigned best = 0;
    for (int i = 0; i < n; i++) {
        best = (unsigned)max_of((int)best, a[i]);
        best = umax_of(best, 17);
    }
    return best;
}

// run: read_twice n=30 wild
kernel int read_twice(int n, const int a[n])
{
    int s = 1;
    for (int i = 0; i < n; i++) {
        s = twice(s, a[i]);
    }
    return s;
}

// run: side_effect n=3000 wild
kernel int side_effect(int n, const int a[n], int out[1])
{
    int s = 1, last = 2;
    for (int i = 0; i < n; i++) {
        s = noting(s, a[i], &last);
    }
    out[0] = last;
    return s;
}

// run: counted n=3000 wild
kernel int counted(int n, const int a[n], int out[1])
{
    int best = 0, calls = 0;
    for (int i = 0; i < n; i++) {
        best = max_of(best, a[i] + calls++);
    }
    out[0] = calls;
    return best;
}

// Each iteration sees the maximum so far.
// run: running n=3000 wild
kernel void running(int n, const int a[n], int out[n])
{
    int best = 0;
    for (int i = 0; i < n; i++) {
        best = max_of(best, a[i]);
        out[i] = best;
    }
}

// run: other_way n=3000 wild
kernel int other_way(int n, const int a[n])
{
    int s = 1;
    for (int i = 0; i < n; i++) {
        s = minus(a[i], s);
    }
    return s;
}

// run: two_forms n=3000 wild
kernel int two_forms(int n, const int a[n])
{
    int s = 1;
    for (int i = 0; i < n; i++) {
        s = max_of(s, a[i]);
        s = minus(s, 3);
    }
    return s;
}

static int is_better(int a, int b)
{
    return a > b;
}

// run: where_most n=3000 wild
kernel int where_most(int n, const int a[n])
{
    int best = a[0], where = 0;
    for (int i = 0; i < n; i++) {
        if (is_better(a[i], best)) {
            best = a[i];
            where = i;
        }
    }
    return where;
}

// run: vectors n=3000 ~ 1e-5
kernel void vectors(int n, const struct vec3 v[n], struct vec3 out[2])
{
    struct vec3 a = {1, 2, 3}, b = {0};
    for (int i = 0; i < n; i++) {
        a = vec3_add(a, v[i]);
        b = vec3_grow(b, v[i]);
    }
    out[0] = a;
    out[1] = b;
}

// The members change places: each iteration reads what the one before wrote.
// run: turning n=100
kernel void turning(int n, const struct vec3 v[n], struct vec3 out[1])
{
    struct vec3 a = {1, 2, 3};
    for (int i = 0; i < n; i++) {
        a = vec3_turn(a, v[i]);
    }
    out[0] = a;
}

// run: ranges n=3000 wild
kernel void ranges(int n, const int a[n], struct range out[1])
{
    struct range r = {1, -1, 0};
    for (int i = 0; i < n; i++) {
        r = range_add(r, a[i]);
    }
    out[0] = r;
}

// The place is another one when it is written: j has moved.
// run: moved n=300 wild
kernel void moved(int n, const int a[n], int out[n + 2])
{
    for (int i = 0; i < n; i++) {
        int j = i;
        int old = out[j];
        j++;
        out[j] = max_of(old, a[i]);
    }
}

// What is between the read and the write may be the same element.
// run: between n=300 wild
kernel void between(int n, const unsigned a[n], int out[8])
{
    for (int i = 0; i < n; i++) {
        int old = out[0];
        out[a[i] % 8] = i;
        out[0] = minus(old, i);
    }
}

static int through(int *t, int k)
{
    *t = k;
    return *t + 1;
}

// run: own_scalar n=3000 wild
kernel void own_scalar(int n, const unsigned b[n], int h[256])
{
    for (int i = 0; i < n; i++) {
        int t;
        h[b[i] % 256] += through(&t, i);
    }
}

// The scalar is read afterwards: it keeps what the last iteration left.
// run: kept_scalar n=3000 wild
kernel int kept_scalar(int n, const unsigned b[n], int h[256])
{
    int t = 5;
    for (int i = 0; i < n; i++) {
        h[b[i] % 256] += through(&t, i);
    }
    return t;
}

// Products that are added and rounded once.
static float add_product(float s, float a, float b)
{
    return s + a * b;
}
static double sub_two(double s, double a, double b)
{
    return s - a * a - b;
}
// run: dot n=3000 a=3000 b=3000 ~ 1e-5
kernel float dot(int n, const float a[n], const float b[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s = add_product(s, a[i], b[i]);
    }
    return s;
}
// run: sums_in_memory n=3000 a=3000 b=3000 out=2 ~ 1e-9
kernel void sums_in_memory(int n, const double a[n], const double b[n], double out[2])
{
    for (int i = 0; i < n; i++) {
        out[0] = sub_two(out[0], a[i], b[i]);
        out[1] = out[1] + a[i] * b[i];
    }
}
