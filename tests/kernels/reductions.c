// Reductions of every operator and type, in every form an update may have.
#include <rill/kernel.h>
#include <stdbool.h>
#include <stdint.h>

// run: operators n=3000 wild
// run: operators n=1 wild
// run: operators n=0 wild
kernel int64_t operators(int n, const int a[n], int64_t out[8])
{
    int64_t sum = 5;
    int minus = 100, product = 3;
    unsigned all = ~0u, any = 1, parity = 9;
    bool every = true, some = false;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        minus -= a[i] >> 3;
        product *= a[i] | 1;
        all &= a[i] | 0xf0f0;
        any |= a[i] & 0x0101;
        parity ^= a[i];
        every = every && a[i] != 12345;
        some = some || a[i] == INT32_MAX;
    }
    out[0] = sum;
    out[1] = minus;
    out[2] = product;
    out[3] = all;
    out[4] = any;
    out[5] = parity;
    out[6] = every;
    out[7] = some;
    return sum;
}

// run: spellings n=2000 wild
kernel unsigned spellings(int n, const unsigned a[n], unsigned out[9])
{
    unsigned s0 = 1, s1 = 2, s2 = 3, s3 = 4, s4 = 5, s5 = 6, s6 = 7, s7 = 8;
    int count = 0, down = 0;
    for (int i = 0; i < n; i++) {
        s0 = s0 + a[i];
        s1 = a[i] + s1;
        s2 = s2 - a[i] + 3;
        s3 = 2 + s3 + a[i] - i;
        s4 = a[i] * s4 * 5;
        s5 = (s5 | a[i]) | 4;
        s6 = s6 ^ a[i] ^ i;
        s7 += a[i] * 3 - 1;
        if (a[i] & 1) {
            count++;
            --down;
        }
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
    out[4] = s4;
    out[5] = s5;
    out[6] = s6;
    out[7] = s7;
    out[8] = count * 3 + down;
    return s0 ^ s1;
}

// run: not_updates n=500
kernel unsigned not_updates(int n, const unsigned a[n], unsigned out[6])
{
    unsigned s0 = 1, s1 = 2, s2 = 1000000, s3 = 4, s4 = 5;
    for (int i = 0; i < n; i++) { // each carries a value: in order
        s0 = a[i] - s0;
        s1 = s1 * a[i] + 1;
        s2 /= a[i] % 2 + 1;
        s3 <<= a[i] & 1;
        s3 |= 1;
        s4 += s4 & 7;
        s4 += a[i];
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
    out[4] = s4;
    return s0;
}

// run: narrow_types n=2000 wild
kernel int narrow_types(int n, const int8_t a[n], const uint16_t b[n], const uint8_t c[n])
{
    int8_t s8 = 1;
    uint8_t u8 = 200;
    int16_t p16 = 3;
    uint16_t x16 = 0;
    bool flip = false;
    for (int i = 0; i < n; i++) {
        s8 += a[i];
        u8 -= c[i];
        p16 *= b[i] | 1;
        x16 ^= b[i];
        flip ^= c[i] & 1;
    }
    return s8 + u8 * 3 + p16 * 5 + x16 * 7 + flip * 11;
}

// run: wide_types n=2000 wild
kernel uint64_t wide_types(int n, const int64_t a[n], const uint64_t b[n])
{
    int64_t s = 0, p = 1;
    uint64_t u = 0, x = 0, m = ~0ull;
    for (int i = 0; i < n; i++) {
        s += a[i];
        p *= a[i] | 1;
        u -= b[i];
        x ^= b[i] << 3;
        m &= b[i] | 0xff00ff00ff00ull;
    }
    return s + p * 3 + u * 5 + x * 7 + m;
}

// run: float_sum n=10000 ~ 1e-5
kernel float float_sum(int n, const float a[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    return s;
}

// run: double_sums n=10000 ~ 1e-12
kernel double double_sums(int n, const double a[n], double out[4])
{
    double s = 0, t = 100, q = 0, p = 1;
    for (int i = 0; i < n; i++) {
        s += a[i];
        t -= a[i] * 0.5;
        q += a[i] * a[i];
        p *= 1 + a[i] * 1e-6;
    }
    out[0] = s;
    out[1] = t;
    out[2] = q;
    out[3] = p;
    return s;
}

// Sums of small integers in floats are exact in any order.
// run: exact_floats n=5000
kernel float exact_floats(int n, const short a[n])
{
    float s = 0;
    double d = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        d += a[i] * 0.25;
    }
    return s + (float)d;
}

// run: dot n=4000 ~ 1e-5
kernel float dot(int n, const float a[n], const float b[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * b[i];
    }
    return s;
}

// run: inner_sums n=50 m=64
kernel int inner_sums(int n, int m, const int a[n][m], int rows[n])
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int j = 0; j < m; j++) {
            s += a[i][j];
            total += a[i][j] * i;
        }
        rows[i] = s;
    }
    return total;
}

// run: to_memory n=3000
kernel void to_memory(int n, const int a[n], int out[6], long wide[2], unsigned char small[2])
{
    for (int i = 0; i < n; i++) {
        out[0] += a[i];
        out[1] *= 3;
        out[2] ^= a[i];
        out[3] = out[3] > a[i] ? out[3] : a[i];
        if (out[4] > a[i]) {
            out[4] = a[i];
        }
        out[5]++;
        wide[0] += a[i];
        wide[1] |= 1L << a[i] % 60;
        small[0] += a[i];
        small[1] ^= a[i];
    }
}

// run: conditional n=3000
kernel int conditional(int n, const int a[n], const int b[n])
{
    int s = 0, c = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > b[i]) {
            s += a[i];
        } else if (a[i] == b[i]) {
            continue;
        } else {
            s -= b[i];
            c += 1;
        }
        for (int k = 0; k < a[i] % 4; k++) {
            c += k;
        }
    }
    return s * 10 + c;
}

static void accumulate(int *sum, int value)
{
    *sum += value;
}

// run: by_helper n=1000
kernel int by_helper(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        accumulate(&s, a[i]);
    }
    return s;
}

// run: read_back n=300
kernel int read_back(int n, const int a[n], int b[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) { // in order: the sum is used
        s += a[i];
        b[i] = s;
    }
    return s;
}

// run: mixed_operators n=300
kernel int mixed_operators(int n, const int a[n])
{
    int s = 1;
    for (int i = 0; i < n; i++) { // two operators on one scalar: in order
        s += a[i];
        if (a[i] % 5 == 0) {
            s *= 3;
        }
    }
    return s;
}

// run: argmin_first n=3000
// run: argmin_first n=1
kernel int argmin_first(int n, const int a[n], int where[4])
{
    int best = a[0], at = 0, twice = 0, top = a[0], top_at = 0;
    for (int i = 1; i < n; i++) {
        if (a[i] < best) {
            best = a[i];
            at = i;
            twice = 2 * i;
        }
        if (top <= a[i]) {
            top = a[i];
            top_at = i;
        }
    }
    where[0] = best;
    where[1] = at;
    where[2] = twice;
    where[3] = top_at;
    return top;
}

// run: argmin_last n=3000
kernel int argmin_last(int n, const double a[n])
{
    double best = 1e300;
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (best >= a[i]) {
            best = a[i];
            at = i;
        }
    }
    return at;
}

// run: descending n=2000
kernel int descending(int n, const int a[n])
{
    int best = 0, at = -1, s = 0;
    for (int i = n - 1; i >= 0; i -= 3) {
        if (a[i] > best) {
            best = a[i];
            at = i;
        }
        s += i;
    }
    return at + s * 7;
}

// run: two_dimensional n=60 m=70
kernel int two_dimensional(int n, int m, const int a[n][m])
{
    int best = -1, r = -1, c = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] * 7 % 97 > best) {
                best = a[i][j] * 7 % 97;
                r = i;
                c = j;
            }
        }
    }
    return best * 10000 + r * 100 + c;
}
