// Floats of 16 bits: conversions that round once, arithmetic that rounds after each operation, reductions and updates.
#include <rill/kernel.h>

// run: arithmetic n=3000 wild
kernel void arithmetic(int n, const _Float16 a[n], const _Float16 b[n], _Float16 out[n][8])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = a[i] + b[i];
        out[i][1] = a[i] - b[i];
        out[i][2] = a[i] * b[i];
        out[i][3] = a[i] / b[i];
        out[i][4] = -a[i];
        out[i][5] = a[i] * b[i] + a[i];
        out[i][6] = a[i] < b[i] ? a[i] : b[i];
        out[i][7] = (a[i] + b[i]) / (a[i] * (_Float16)3.14) - 1.5f16;
    }
}

// Every value to wider types and back; sums that are done in those.
// run: widened n=3000 wild
kernel void widened(int n, const _Float16 a[n], const float f[n], float out[n][3], double wide[n][2],
                    _Float16 back[n][3])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = a[i];
        out[i][1] = a[i] + f[i];
        out[i][2] = a[i] * 3;
        wide[i][0] = a[i];
        wide[i][1] = a[i] + 1.0;
        back[i][0] = (float)a[i];
        back[i][1] = (double)a[i];
        back[i][2] = a[i] + f[i];
    }
}

// A double that is rounded to float first is a tie for the second rounding.
static const double ties[] = {0x1.002p0,
                              0x1.00200000000001p0,
                              0x1.001fffffffffffp0,
                              0x1.006p0,
                              -0x1.00600000000001p0,
                              0x1.005fffffffffffp0,
                              0x1.002000001p0,
                              0x1.001ffffffp0,
                              0x1p-25,
                              0x1.0000000001p-25,
                              0x1.8p-25,
                              0x1p-24,
                              -0x1.8p-24,
                              0x1.7fffffffffp-24,
                              65519.99999999999,
                              65520.0,
                              65504.0,
                              -1e300,
                              1e-300,
                              -0.0};
enum { TIES = sizeof ties / sizeof *ties };

// run: rounded n=4000 wild
kernel void rounded(int n, const double d[n], const float f[n], _Float16 out[n][6])
{
    for (int i = 0; i < n; i++) {
        double scaled = d[i] * 1e-3, tie = ties[i % TIES] * (i / TIES % 5 == 0 ? 1 : 1 + i / TIES);
        out[i][0] = d[i];
        out[i][1] = f[i];
        out[i][2] = scaled;
        out[i][3] = tie;
        out[i][4] = (float)tie;
        out[i][5] = tie * 0x1p-20;
    }
}

// run: integers n=3000 wild
kernel void integers(int n, const int a[n], const int64_t b[n], const unsigned char c[n], _Float16 out[n][6],
                     int back[n][2])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = a[i];
        out[i][1] = b[i];
        out[i][2] = c[i];
        out[i][3] = a[i] >> 14;
        out[i][4] = (uint64_t)b[i] >> (i % 64);
        out[i][5] = b[i] >> 40;
        _Float16 small = (_Float16)(a[i] >> 18) / (_Float16)7;
        back[i][0] = (int)small + (unsigned short)(small < 0 ? -small : small);
        back[i][1] = (_Bool)out[i][3] + 2 * !small + 4 * (small && out[i][0] > 3) + 8 * (out[i][1] == out[i][5]);
    }
}

// run: compared n=3000 wild
kernel void compared(int n, const _Float16 a[n], const _Float16 b[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] > b[i]) + 8 * (a[i] >= b[i]) + 16 * (a[i] == b[i]) +
                 32 * (a[i] != b[i]) + 64 * (a[i] < 0.5) + 128 * !!isnan(a[i]);
    }
}

// Serial rounding after each operation: the sum stops growing where float's would not.
// run: in_order n=100
kernel void in_order(int n, const _Float16 a[n], _Float16 out[n])
{
    _Float16 sum = 0, product = 1;
    for (int i = 0; i < n; i++) {
        sum = sum + a[i];
        product = product * (_Float16)1.01 - sum * 0.001f16;
        out[i] = sum + product;
    }
}

// A float reduction over halves, and reductions in 16 bits: sums that are exact in any order, minima that always are.
// run: reduced n=1000
kernel float reduced(int n, const int a[n], _Float16 h[n], _Float16 out[6], float wide[1])
{
    _Float16 sum = 0, least = 100, most = -100, least_called = 100;
    float all = 0;
    for (int i = 0; i < n; i++) {
        h[i] = (_Float16)(a[i] % 5) - 2;
        all += h[i];
        sum += h[i];
        if (h[i] < least) {
            least = h[i];
        }
        most = most > h[i] ? most : h[i];
        least_called = fminf(least_called, h[i] * 3);
    }
    out[0] = sum;
    out[1] = least;
    out[2] = most;
    out[3] = least_called;
    wide[0] = all;
    return all;
}

// Updates of memory that iterations share: compare and swap on 16 bits, two of them in a word.
// run: shared n=2000
kernel void shared(int n, const int a[n], _Float16 bins[7], _Float16 tops[7], _Float16 lows[7], _Float16 old[1])
{
    for (int k = 0; k < 7; k++) {
        bins[k] = k;
    }
    for (int i = 0; i < n; i++) {
        bins[a[i] % 7] += (_Float16)(i % 3 - 1);
        if (tops[a[i] % 7] < (_Float16)(i % 100)) {
            tops[a[i] % 7] = (_Float16)(i % 100);
        }
        rill_atomic_min(&lows[a[i] % 7], (_Float16)(a[i] % 11));
    }
    old[0] = rill_atomic_exchange(&bins[0], 2.5f16) + rill_atomic_cas(&bins[1], bins[1], (_Float16)-1);
}

// struct sample: eehfe2x mean deviation count scale last
struct sample {
    _Float16 mean, deviation;
    short count;
    float scale;
    _Float16 last;
};

static const _Float16 weights[4] = {0.1f16, 0.25, 1e-7f, 70000.0};
static const struct sample first = {1.1f16, -2.2f16, 3, 4.4f, 65504.0f16};

// In structs, constants, helpers, by value and through pointers.
static _Float16 weighted(const struct sample *s, _Float16 by)
{
    return s->mean * by + s->deviation;
}

// run: structs n=50
kernel void structs(int n, struct sample s[n], _Float16 out[n])
{
    for (int i = 0; i < n; i++) {
        struct sample t = s[i];
        t.mean += first.mean;
        t.deviation /= 3;
        t.last = first.last - (_Float16)i;
        t.count = (short)(sizeof(_Float16) + sizeof(struct sample) + _Alignof(_Float16));
        s[i] = t;
        out[i] = weighted(&s[i], weights[i % 4]) + _Generic(t.mean + t.last, _Float16: 1, default: 2) +
                 _Generic(t.mean + 1, _Float16: 1, default: 2) + _Generic(t.mean * 1.0f, float: 1, default: 2);
    }
}

// Rows, which a GPU's teams of threads share out.
// run: row_sums n=700 m=64 ~ 0.05
// run: row_sums n=33 m=9 ~ 0.05
kernel void row_sums(int n, int m, const _Float16 a[n][m], _Float16 out[n])
{
    for (int i = 0; i < n; i++) {
        _Float16 s = 0;
        for (int j = 0; j < m; j++) {
            s += a[i][j] / 64;
        }
        out[i] = s;
    }
}

// run: row_extremes n=700 m=64
// run: row_extremes n=33 m=9
kernel void row_extremes(int n, int m, const _Float16 a[n][m], _Float16 least[n], _Float16 most[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            least[i] = a[i][j] < least[i] ? a[i][j] : least[i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] > most[i]) {
                most[i] = a[i][j];
            }
        }
    }
}
