#include <rill/kernel.h>

long field = 3;

kernel long sums(long seed, long out[64], double real[64])
{
    int i, k = 2;
    short s = 100;
    unsigned char c = 200;
    float f = 1;
    double d = 0.1;
    out[0] = seed;
    for (i = 0; i < 10; i++) {
        out[0] += i;
        out[1] = out[1] + i - k;
        out[2] = i + out[2];
        out[3] = k - out[3];
        out[4] = (i - k) + out[4];
        out[5] = k + (out[5] - i);
        out[6] = out[6] * 3 + 1;
        out[7] = 2 * out[7] * k + 0;
        out[8] |= i;
        out[9] = out[9] ^ i ^ k;
        out[10] = out[10] & 7 | i;
        s += i * 1000;
        s = s - i * 77 + 1000000;
        c *= 3;
        c = i * c;
        c++;
        f += d;
        f = f + 0.1f - 0.3f;
        f = 2.5f * f;
        d = d + i * 0.1 - 0.7;
        d = d * 1.01;
        real[0] += 0.1;
        real[1] = 0.1 - real[1];
        field += i;
    }
    out[11] = s; out[12] = c; out[13] = field; field = 3;
    real[2] = f; real[3] = d;
    out[14] = out[0]++;
    out[15] = (out[0] += 2);
    return 0;
}

kernel long extremes(long seed, long out[64], double real[64])
{
    int lo = 1000, hi = -1000, at = -1;
    unsigned u = 7;
    float fl = 1e9f, fh = -1e9f, fc = 5, fd = 5;
    double best = 1e300;
    signed char sc = 20;
    for (int i = 0; i < 20; i++) {
        int e = (int)((seed + 3) * (i + 5) % 101 - 50);
        float x = (float)e / 3;
        if (i == 13) x = NAN;
        if (e < lo) lo = e;
        if (hi < e) { hi = e; }
        if (e <= out[0]) out[0] = e;
        if (!(e < 5)) out[1]++;
        out[2] = out[2] < e ? e : out[2];
        out[3] = e < out[3] ? e : out[3];
        out[4] = out[4] >= e ? out[4] : e;
        u = u > (unsigned char)e ? u : (unsigned char)e;
        fl = fminf(fl, x);
        fh = fmaxf(x, fh);
        if (x < fc) fc = x;
        fd = fd < x ? fd : x;
        real[0] = real[0] > x ? real[0] : x;
        real[1] = fmax(real[1], e);
        if (x >= real[2]) real[2] = x;
        if (e < best) { best = e; at = i; }
        if (e > sc) sc = e;
        if (e < 3) out[5] = e; else out[6] = e;
    }
    out[10] = lo; out[11] = hi; out[12] = at; out[13] = u; out[14] = sc;
    real[10] = fl; real[11] = fh; real[12] = fc; real[13] = fd == fd; real[14] = best;
    return 0;
}

kernel long truths(long seed, long out[64], double real[64])
{
    _Bool all = 1, any = 0;
    int both = 5, either = 0, n = 0;
    for (int i = 0; i < 10; i++) {
        all = all && seed + i > 3;
        any = (i == seed) || any;
        both = both && i < 5 && seed;
        either = either || i == 4;
        out[0] = out[0] && n++;
        out[1] = out[1] || n++;
        any |= i == 3;
        all &= i != 20;
    }
    out[2] = all; out[3] = any; out[4] = both; out[5] = either; out[6] = n;
    return 0;
}
