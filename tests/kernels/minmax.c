// Least and greatest in every form, and what NaN, infinities and zeros do to them where C says it.
#include <rill/kernel.h>
#include <stdint.h>

// run: forms n=2000 wild
// run: forms n=0 wild
kernel void forms(int n, const int a[n], int out[12])
{
    int m0 = 9, m1 = 9, m2 = 9, m3 = 9, m4 = 9, m5 = 9, m6 = 9, m7 = 9, m8 = 9, m9 = 9;
    for (int i = 0; i < n; i++) {
        if (a[i] < m0) {
            m0 = a[i];
        }
        if (m1 > a[i]) {
            m1 = a[i];
        }
        if (a[i] <= m2) {
            m2 = a[i];
        }
        if (m3 >= a[i]) {
            m3 = a[i];
        }
        if (a[i] > m4) {
            m4 = a[i];
        }
        if (m5 < a[i]) {
            m5 = a[i];
        }
        m6 = m6 < a[i] ? m6 : a[i];
        m7 = a[i] < m7 ? a[i] : m7;
        m8 = m8 > a[i] ? m8 : a[i];
        m9 = a[i] >= m9 ? a[i] : m9;
    }
    out[0] = m0;
    out[1] = m1;
    out[2] = m2;
    out[3] = m3;
    out[4] = m4;
    out[5] = m5;
    out[6] = m6;
    out[7] = m7;
    out[8] = m8;
    out[9] = m9;
}

// run: types n=1000 wild
kernel void types(int n, const int8_t a[n], const uint16_t b[n], const unsigned c[n], const int64_t d[n],
                  const uint64_t e[n], int64_t out[10])
{
    int8_t lo8 = 100, hi8 = -100;
    uint16_t lo16 = 60000, hi16 = 5;
    unsigned lo = 4000000000u, hi = 0;
    int64_t lo64 = INT64_MAX, hi64 = INT64_MIN;
    uint64_t ulo = UINT64_MAX, uhi = 0;
    for (int i = 0; i < n; i++) {
        lo8 = a[i] < lo8 ? a[i] : lo8;
        if (a[i] > hi8) {
            hi8 = a[i];
        }
        lo16 = b[i] < lo16 ? b[i] : lo16;
        if (b[i] > hi16) {
            hi16 = b[i];
        }
        lo = c[i] < lo ? c[i] : lo;
        if (c[i] > hi) {
            hi = c[i];
        }
        lo64 = d[i] < lo64 ? d[i] : lo64;
        if (d[i] > hi64) {
            hi64 = d[i];
        }
        ulo = e[i] < ulo ? e[i] : ulo;
        if (e[i] > uhi) {
            uhi = e[i];
        }
    }
    out[0] = lo8;
    out[1] = hi8;
    out[2] = lo16;
    out[3] = hi16;
    out[4] = lo;
    out[5] = hi;
    out[6] = lo64;
    out[7] = hi64;
    out[8] = ulo;
    out[9] = uhi;
}

// No NaN and no zeros of both signs here: every form gives the same.
// run: plain_floats n=3000
kernel void plain_floats(int n, const float a[n], const double b[n], float out[4], double wide[4])
{
    float m0 = 1e30f, m1 = -1e30f, m2 = INFINITY, m3 = -INFINITY;
    double w0 = 1e300, w1 = -1e300, w2 = INFINITY, w3 = -INFINITY;
    for (int i = 0; i < n; i++) {
        m0 = fminf(m0, a[i]);
        m1 = fmaxf(a[i], m1);
        if (a[i] < m2) {
            m2 = a[i];
        }
        m3 = a[i] > m3 ? a[i] : m3;
        w0 = fmin(b[i], w0);
        w1 = fmax(w1, b[i]);
        w2 = w2 > b[i] ? b[i] : w2;
        if (w3 <= b[i]) {
            w3 = b[i];
        }
    }
    out[0] = m0;
    out[1] = m1;
    out[2] = m2;
    out[3] = m3;
    wide[0] = w0;
    wide[1] = w1;
    wide[2] = w2;
    wide[3] = w3;
}

// fmin and fmax skip NaN.
// run: library_and_nan n=2000
kernel void library_and_nan(int n, const float a[n], float out[3])
{
    float lo = NAN, hi = NAN, never = NAN;
    for (int i = 0; i < n; i++) {
        float x = (int)a[i] % 3 == 0 ? NAN : a[i] - 10;
        lo = fminf(lo, x);
        hi = fmaxf(x, hi);
        never = fminf(never, NAN);
    }
    out[0] = lo;
    out[1] = hi;
    out[2] = never;
}

// A comparison with NaN is false: the if form skips it.
// run: ifs_and_nan n=2000
kernel void ifs_and_nan(int n, const float a[n], float out[4])
{
    float lo = INFINITY, hi = -INFINITY, stuck = NAN, eq = 1e9f;
    for (int i = 0; i < n; i++) {
        float x = (int)a[i] % 3 == 0 ? NAN : a[i] - 10;
        if (x < lo) {
            lo = x;
        }
        if (hi < x) {
            hi = x;
        }
        if (x < stuck) {
            stuck = x;
        }
        if (eq >= x) {
            eq = x;
        }
    }
    out[0] = lo;
    out[1] = hi;
    out[2] = stuck;
    out[3] = eq;
}

// In x < e ? x : e a NaN resets x to what comes next; a reduction keeps that.
// run: conditional_and_nan n=2000
kernel void conditional_and_nan(int n, const float a[n], float out[6])
{
    float m0 = 1e9f, m1 = 1e9f, m2 = -1e9f, m3 = -1e9f, m4 = 1e9f;
    for (int i = 0; i < n; i++) {
        float x = (int)a[i] % 7 == 0 ? NAN : a[i] + i * 0.5f;
        m0 = m0 < x ? m0 : x;
        m1 = x < m1 ? x : m1;
        m2 = m2 > x ? m2 : x;
        m3 = x > m3 ? x : m3;
        m4 = x >= m4 ? m4 : x;
    }
    out[0] = m0;
    out[1] = m1;
    out[2] = m2;
    out[3] = m3;
    out[4] = m4;
}

// run: argmin_and_nan n=2000
kernel int argmin_and_nan(int n, const double a[n])
{
    double best = INFINITY;
    int at = -1;
    for (int i = 0; i < n; i++) {
        double x = (int)a[i] % 5 == 0 ? NAN : a[i];
        if (x < best) {
            best = x;
            at = i;
        }
    }
    return at;
}

// run: bounds n=500
kernel void bounds(int n, const float x[n], const float y[n], float box[4])
{
    for (int i = 0; i < n; i++) {
        box[0] = fminf(box[0], x[i]);
        box[1] = fmaxf(box[1], x[i]);
        box[2] = fminf(box[2], y[i]);
        box[3] = fmaxf(box[3], y[i]);
    }
}

// run: scattered n=3000 m=50
kernel void scattered(int n, int m, const int a[n], const int key[n], int lo[m], int hi[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        if (a[i] < lo[k]) {
            lo[k] = a[i];
        }
        hi[k] = hi[k] > a[i] ? hi[k] : a[i];
    }
}

// run: scattered_floats n=3000 m=50
kernel void scattered_floats(int n, int m, const float a[n], const int key[n], float lo[m], double hi[m])
{
    for (int i = 0; i < n; i++) {
        int k = key[i] % m;
        lo[k] = fminf(lo[k], a[i] - 3);
        hi[k] = fmax(a[i], hi[k]);
    }
}

// An integer that a float cannot hold is rounded by the call, before anything is compared.
// run: scattered_integers n=3000 m=50
kernel void scattered_integers(int n, int m, const int a[n], float lo[m], float hi[m], float out[1])
{
    float most = 0;
    for (int i = 0; i < n; i++) {
        int k = i * 7 % m, v = a[i] * 12345677 + i;
        lo[k] = fminf(v, lo[k]);
        hi[k] = fmaxf(hi[k], v);
        most = fmaxf(most, v);
    }
    out[0] = most;
}

// run: clamp n=500 wild
kernel void clamp(int n, const float a[n], const int b[n], float out[n], int iout[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] < -1 ? -1 : a[i] > 1 ? 1 : a[i];
        int t = b[i];
        if (t < -1000) {
            t = -1000;
        }
        if (t > 1000) {
            t = 1000;
        }
        iout[i] = t;
    }
}

// run: spread n=2000
kernel int spread(int n, const int a[n])
{
    int lo = a[0], hi = a[0];
    for (int i = 1; i < n; i++) {
        if (a[i] < lo) {
            lo = a[i];
        } else if (a[i] > hi) {
            hi = a[i];
        }
    }
    return hi - lo;
}

// run: second_best n=2000
kernel int second_best(int n, const int a[n])
{
    int first = -1, second = -1;
    for (int i = 0; i < n; i++) { // carries: in order
        int x = a[i] * 31 % 997;
        if (x > first) {
            second = first;
            first = x;
        } else if (x > second) {
            second = x;
        }
    }
    return first * 1000 + second;
}
