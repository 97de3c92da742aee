#include <rill/kernel.h>

kernel long counting(long seed, long out[64], double real[64])
{
    int n = (int)(seed & 31), i, k = 0;
    for (i = 0; i < n; i++) out[i] += i;
    out[40 + k++] = i;
    for (i = n; i > 0; i--) out[i] += 2;
    out[40 + k++] = i;
    for (i = 3; i <= n; i += 4) out[i] += 3;
    out[40 + k++] = i;
    for (i = n; i >= 0; i -= 5) out[i] += 4;
    out[40 + k++] = i;
    for (i = 0; i != n; i++) out[i] += 5;
    out[40 + k++] = i;
    for (i = 0; n > i; i = i + 2) out[i] += 6;
    out[40 + k++] = i;
    for (i = 0; i < n; i = 3 + i) out[i] += 7;
    out[40 + k++] = i;
    for (i = n; i; i--) out[i]++;
    out[40 + k++] = i;
    for (i = 10; i < 5; i++) out[0] = 99;
    out[40 + k++] = i;
    return k;
}

kernel long widths(long seed, long out[64], double real[64])
{
    long n = seed & 15;
    size_t m = (size_t)n;
    unsigned u = (unsigned)n;
    unsigned char c = (unsigned char)n;
    int s = 0;
    for (int i = 0; i < n; i++) s += i;
    out[0] = s;
    for (int i = 0; i < m; i++) s += i;
    out[1] = s;
    for (unsigned i = 0; i < n; i++) s += (int)i;
    out[2] = s;
    for (size_t i = 0; i < n; i++) s += (int)i;
    out[3] = s;
    for (unsigned char i = 0; i < c; i++) s += i;
    out[4] = s;
    for (unsigned char i = 0; i < n; i++) s += i;
    out[5] = s;
    for (short i = 0; i < n; i++) s += i;
    out[6] = s;
    for (signed char i = 120; i > 0; i -= 40) s += i;
    out[7] = s;
    for (long i = n; i-- > 0;) s += (int)i;
    out[8] = s;
    for (unsigned i = u; i-- > 0;) s += (int)i;
    out[9] = s;
    for (int i = -3; i < u; i++) s += 1;
    out[10] = s;
    for (int i = -3; i < m; i++) s += 1;
    out[11] = s;
    for (int i = (int)n - 5; i <= n; i++) s += 1;
    out[12] = s;
    for (int i = (int)n + 5; i >= n; i--) s += 1;
    out[13] = s;
    for (int i = (int)n + 5; i > m; i--) s += 1;
    out[14] = s;
    for (unsigned short i = 65530; i != 3; i++) s += i;
    out[15] = s;
    for (char i = 'a'; i <= 'z'; i++) s += i;
    out[16] = s;
    enum e { A, B, C, D };
    for (enum e i = A; i <= D; i++) s += i;
    out[17] = s;
    for (unsigned char i = 5; i >= n + 1; i--) s += i;
    out[18] = s;
    for (unsigned char i = 5; i != n + 7; i++) s += i;
    out[19] = s;
    for (unsigned i = 30 + (unsigned)n; i > n; i -= 6) s += (int)i;
    out[20] = s;
    for (short i = -5; i <= n - 8; i++) s += i;
    out[21] = s;
    for (unsigned short i = 3; i <= n - 20; i++) s += i;
    out[22] = s;
    for (unsigned i = 12; i >= m + 1; i--) s += (int)i;
    out[23] = s;
    for (unsigned i = 12; i > (m << 40); i--) s += (int)i;
    out[24] = s;
    for (size_t i = 40 + m; i > m; i -= 8) s += (int)i;
    for (size_t i = 40 + m; i >= 8; i -= 5) s += (int)i;
    for (size_t i = m; i < 100; i += 7) s += (int)i;
    for (size_t i = m; i <= 100 + m; i += 7) s += (int)i;
    for (unsigned i = u; i < 100; i += 7) s += (int)i;
    for (unsigned i = u; i <= u + 30; i += 3) s += (int)i;
    for (unsigned char i = c; i < 240; i += 16) s += i;
    out[25] = s;
    for (unsigned char i = 30; i > 5; i -= 9) s += i;
    out[26] = s;
    for (unsigned char i = 0; i <= 249; i += 50) s = s * 3 + i;
    out[27] = s;
    for (unsigned short i = 12; i >= 7; i -= 30) s = s * 3 + i;
    out[28] = s;
    int turns = 0;
    for (unsigned char i = 250; i > -1; i--) if (turns++ > 1000) break;
    s += turns;
    out[29] = s;
    return s;
}

kernel long jumps(long seed, long out[64], double real[64])
{
    int n = (int)(seed & 15), s = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3) continue;
        if (i == 8) break;
        s += i;
    }
    out[0] = s;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) continue;
        for (int j = 0; j < i; j++) {
            if (j == 2) continue;
            s += j;
        }
        s++;
    }
    out[1] = s;
    int i = 0;
    while (1) {
        if (++i > n) break;
        if (i & 1) continue;
        s += i;
    }
    out[2] = s;
    do {
        s--;
        if (s < 5) continue;
        if (s == 7) break;
    } while (s > 0 && s != 20);
    out[3] = s;
    do { s += 2; if (n == 4) break; s += 3; } while (0);
    out[4] = s;
    for (;;) { if (s++ > 100) break; }
    out[5] = s;
    for (int a = 0, b = 10; a < b; a++, b--) s += a * b;
    out[6] = s;
    for (int a = 0; a < n && s < 500; a++) s += 100;
    out[7] = s;
    int bound = n;
    for (int a = 0; a < bound; a++) if (a == 2) bound--;
    out[8] = bound;
    for (int a = 0; a < n; a++) { if (a == 2) a++; s += a; }
    out[9] = s;
    long limit[2] = {n, n};
    for (long a = 0; a < limit[0]; a++) if (a == 4) limit[0]--;
    out[10] = limit[0];
    for (long a = 0; a < out[10]; a++) out[11 + a] += a;
    return s;
}

static int half(int x) { return x / 2; }
static int next(int *x) { return ++*x; }

kernel long bounds(long seed, long out[64], double real[64])
{
    int n = (int)(seed & 15), s = 0, c = 0;
    for (int i = 0; i < half(n); i++) s += i;
    out[0] = s;
    for (int i = 0; i < next(&c) - i && i < 5; i++) s += i;
    out[1] = s;
    struct { int n, m; } g = {n, 3};
    for (int i = 0; i < g.n; i++) s += i;
    out[2] = s;
    for (int i = 0; i < g.m; i++) if (i == 1) g.m++;
    out[3] = g.m;
    int *p = &n;
    for (int i = 0; i < *p; i++) if (i == 3) *p = 5;
    out[4] = n;
    return s;
}
