// Small algorithms as they stand in textbooks. generate_test.c says how a file of many kernels is read.

//== bubble
//@ buffer b0 i32 30 range -99 99
//@ int 30
//@ array b0 0 30
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j + 1 < n - i; j++) {
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
        }
    }
}

//== odd_even_sort
//@ buffer b0 i32 31 range -99 99
//@ int 31
//@ array b0 0 31
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int t = 0; t < n; t++) {
        for (int j = t & 1; j < n - 1; j += 2) {
            if (a[j] > a[j + 1]) {
                int s = a[j];
                a[j] = a[j + 1];
                a[j + 1] = s;
            }
        }
    }
}

//== insertion
//@ buffer b0 i32 30 range -99 99
//@ int 30
//@ array b0 0 30
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int i = 1; i < n; i++) {
        int k = a[i], j = i - 1;
        while (j >= 0 && a[j] > k) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = k;
    }
}

//== selection
//@ buffer b0 i32 30 range -99 99
//@ int 30
//@ array b0 0 30
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int i = 0; i < n - 1; i++) {
        int m = i;
        for (int j = i + 1; j < n; j++) {
            if (a[j] < a[m]) {
                m = j;
            }
        }
        int t = a[i];
        a[i] = a[m];
        a[m] = t;
    }
}

//== bitonic
//@ buffer b0 i32 32 range -99 99
//@ int 32
//@ array b0 0 32
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < n; i++) {
                int l = i ^ j;
                if (l > i && ((i & k) == 0 ? a[i] > a[l] : a[i] < a[l])) {
                    int t = a[i];
                    a[i] = a[l];
                    a[l] = t;
                }
            }
        }
    }
}

//== merge_bottom_up
//@ buffer b0 i32 29 range -99 99
//@ buffer b1 i32 29 range 0 0
//@ int 29
//@ array b0 0 29
//@ array b1 0 29
#include <rill/kernel.h>
static void merge(const int *s, int *d, int lo, int mid, int hi)
{
    int i = lo, j = mid, k = lo;
    while (k < hi) {
        d[k++] = i < mid && (j >= hi || s[i] <= s[j]) ? s[i++] : s[j++];
    }
}
kernel void run(int n, int a[n], int b[n])
{
    for (int w = 1; w < n; w *= 2) {
        for (int lo = 0; lo < n; lo += 2 * w) {
            merge(a, b, lo, lo + w < n ? lo + w : n, lo + 2 * w < n ? lo + 2 * w : n);
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
}

//== quicksort_stack
//@ buffer b0 i32 40 range -99 99
//@ int 40
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int n, int a[n])
{
    int stack[64], sp = 0;
    stack[sp++] = 0;
    stack[sp++] = n - 1;
    while (sp > 0) {
        int hi = stack[--sp], lo = stack[--sp];
        if (lo >= hi) {
            continue;
        }
        int p = a[hi], i = lo;
        for (int j = lo; j < hi; j++) {
            if (a[j] < p) {
                int t = a[i];
                a[i] = a[j];
                a[j] = t;
                i++;
            }
        }
        a[hi] = a[i];
        a[i] = p;
        stack[sp++] = lo;
        stack[sp++] = i - 1;
        stack[sp++] = i + 1;
        stack[sp++] = hi;
    }
}

//== radix
//@ buffer b0 u32 50 range 0 4000000000
//@ buffer b1 u32 50 range 0 0
//@ int 50
//@ array b0 0 50
//@ array b1 0 50
#include <rill/kernel.h>
kernel void run(int n, unsigned a[n], unsigned b[n])
{
    for (int sh = 0; sh < 32; sh += 8) {
        unsigned cnt[257] = {0};
        for (int i = 0; i < n; i++) {
            cnt[(a[i] >> sh & 255) + 1]++;
        }
        for (int i = 0; i < 256; i++) {
            cnt[i + 1] += cnt[i];
        }
#pragma rill serial
        for (int i = 0; i < n; i++) {
            b[cnt[a[i] >> sh & 255]++] = a[i];
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
}

//== matmul
//@ buffer b0 i32 56 range -9 9
//@ buffer b1 i32 72 range -9 9
//@ buffer b2 i32 63 range 0 9
//@ int 7
//@ int 8
//@ int 9
//@ array b0 0 56
//@ array b1 0 72
//@ array b2 0 63
#include <rill/kernel.h>
kernel void run(int n, int m, int k, const int a[n][m], const int b[m][k], int c[n][k])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) {
            c[i][j] = 0;
            for (int l = 0; l < m; l++) {
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
    for (int l = 0; l < m; l++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < k; j++) {
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
}

//== matmul_blocked
//@ buffer b0 i32 256 range -9 9
//@ buffer b1 i32 256 range -9 9
//@ buffer b2 i32 256 range 0 0
//@ int 16
//@ array b0 0 256
//@ array b1 0 256
//@ array b2 0 256
#include <rill/kernel.h>
kernel void run(int n, const int a[n][n], const int b[n][n], int c[n][n])
{
    for (int ii = 0; ii < n; ii += 4) {
        for (int jj = 0; jj < n; jj += 4) {
            for (int kk = 0; kk < n; kk += 4) {
                for (int i = ii; i < ii + 4; i++) {
                    for (int j = jj; j < jj + 4; j++) {
                        int s = 0;
                        for (int k = kk; k < kk + 4; k++) {
                            s += a[i][k] * b[k][j];
                        }
                        c[i][j] += s;
                    }
                }
            }
        }
    }
}

//== crc32
//@ buffer b0 u8 40 range 0 255
//@ buffer b1 u32 257 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 257
#include <rill/kernel.h>
kernel uint32_t run(int n, const uint8_t a[n], uint32_t t[257])
{
    for (unsigned i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        }
        t[i] = c;
    }
    uint32_t c = ~0u;
    for (int i = 0; i < n; i++) {
        c = t[(c ^ a[i]) & 255] ^ c >> 8;
    }
    return ~c;
}

//== sha_like
//@ buffer b0 u32 16 range 0 4294967295
//@ buffer b1 u32 8 range 0 4294967295
//@ int 16
//@ array b0 0 16
//@ array b1 0 8
#include <rill/kernel.h>
#define ROTR(x, n) ((x) >> (n) | (x) << (32 - (n)))
kernel void run(int n, const uint32_t m[16], uint32_t h[8])
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        w[i] = m[i];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ w[i - 15] >> 3,
                 s1 = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
    }
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + (ROTR(v[4], 6) ^ ROTR(v[4], 11) ^ ROTR(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                      i * 2654435761u + w[i];
        uint32_t t2 =
            (ROTR(v[0], 2) ^ ROTR(v[0], 13) ^ ROTR(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int k = 7; k > 0; k--) {
            v[k] = v[k - 1];
        }
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        h[i] += v[i];
    }
}

//== prng
//@ buffer b0 u64 30 range 1 99999999
//@ buffer b1 u32 30 range 0 0
//@ int 30
//@ array b0 0 30
//@ array b1 0 30
#include <rill/kernel.h>
static uint64_t splitmix(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
typedef struct {
    uint64_t s[2];
} xs;
static uint64_t xo(xs *g)
{
    uint64_t a = g->s[0], b = g->s[1];
    g->s[0] = b;
    a ^= a << 23;
    return (g->s[1] = a ^ b ^ a >> 17 ^ b >> 26) + b;
}
kernel void run(int n, uint64_t s[n], uint32_t r[n])
{
    for (int i = 0; i < n; i++) {
        xs g = {{splitmix(&s[i]), splitmix(&s[i])}};
        uint32_t x = 0;
        for (int k = 0; k < 10; k++) {
            x = x * 31 + (uint32_t)(xo(&g) >> 32) % 100;
        }
        r[i] = x;
    }
    uint32_t lcg = 12345;
    for (int i = 0; i < n; i++) {
        lcg = lcg * 1664525u + 1013904223u;
        r[i] ^= lcg >> 16;
    }
}

//== fft_int
//@ buffer b0 f32 16 range -8 8
//@ buffer b1 f32 16 range -8 8
//@ int 16
//@ array b0 0 16
//@ array b1 0 16
#include <rill/kernel.h>
kernel void run(int n, float re[n], float im[n])
{
    for (int i = 0, j = 0; i < n; i++) {
        if (i < j) {
            float t = re[i];
            re[i] = re[j];
            re[j] = t;
            t = im[i];
            im[i] = im[j];
            im[j] = t;
        }
        int m = n >> 1;
        while (m >= 1 && j & m) {
            j ^= m;
            m >>= 1;
        }
        j |= m;
    }
    for (int len = 2; len <= 4; len <<= 1) {
        for (int i = 0; i < n; i += len) {
            for (int k = 0; k < len / 2; k++) { // exact twiddles only: 1 and -i
                float wr = k == 0 ? 1 : 0, wi = k == 0 ? 0 : -1;
                int a = i + k, b = a + len / 2;
                float xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
                re[b] = re[a] - xr;
                im[b] = im[a] - xi;
                re[a] += xr;
                im[a] += xi;
            }
        }
    }
}

//== life
//@ buffer b0 u8 99 range 0 1
//@ buffer b1 u8 99 range 0 0
//@ int 9
//@ int 11
//@ int 3
//@ array b0 0 99
//@ array b1 0 99
#include <rill/kernel.h>
kernel void run(int h, int w, int steps, uint8_t a[h][w], uint8_t b[h][w])
{
    for (int t = 0; t < steps; t++) {
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                int c = 0;
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        if (dy || dx) {
                            c += a[(y + dy + h) % h][(x + dx + w) % w];
                        }
                    }
                }
                b[y][x] = c == 3 || (a[y][x] && c == 2);
            }
        }
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                a[y][x] = b[y][x];
            }
        }
    }
}

//== lu
//@ buffer b0 f64 64 range 1 9
//@ int 8
//@ array b0 0 64
#include <rill/kernel.h>
kernel double run(int n, double a[n][n])
{
    double det = 1;
    for (int i = 0; i < n; i++) {
        a[i][i] += 64;
    }
    for (int k = 0; k < n; k++) {
        det *= a[k][k] > 0 ? 1 : -1;
        for (int i = k + 1; i < n; i++) {
            a[i][k] = a[i][k] / a[k][k];
            for (int j = k + 1; j < n; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
    return det;
}

//== floyd
//@ buffer b0 i32 81 range 1 50
//@ int 9
//@ array b0 0 81
#include <rill/kernel.h>
kernel void run(int n, int d[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (d[i][k] + d[k][j] < d[i][j]) {
                    d[i][j] = d[i][k] + d[k][j];
                }
            }
        }
    }
}

//== nqueens
//@ buffer b0 i32 8 range 0 0
//@ int 6
//@ array b0 0 8
#include <rill/kernel.h>
kernel int run(int n, int r[8])
{
    int total = 0;
    for (int first = 0; first < n; first++) {
        int col[12], row = 1, cnt = 0;
        col[0] = first;
        col[1] = -1;
        while (row >= 1) {
            int c = ++col[row];
            if (c >= n) {
                row--;
                continue;
            }
            bool ok = true;
            for (int k = 0; k < row && ok; k++) {
                ok = col[k] != c && col[k] - c != row - k && c - col[k] != row - k;
            }
            if (!ok) {
                continue;
            }
            if (row == n - 1) {
                cnt++;
                continue;
            }
            col[++row] = -1;
        }
        r[first] = cnt;
        total += cnt;
    }
    return total;
}

//== bignum
//@ buffer b0 u32 8 range 0 4294967295
//@ buffer b1 u32 8 range 0 4294967295
//@ buffer b2 u32 16 range 0 0
//@ int 8
//@ array b0 0 8
//@ array b1 0 8
//@ array b2 0 16
#include <rill/kernel.h>
kernel uint32_t run(int n, uint32_t a[n], const uint32_t b[n], uint32_t p[2 * n])
{
    for (int i = 0; i < n; i++) {
        uint64_t c = 0;
        for (int j = 0; j < n; j++) {
            c += (uint64_t)a[i] * b[j] + p[i + j];
            p[i + j] = (uint32_t)c;
            c >>= 32;
        }
        p[i + n] = (uint32_t)c;
    }
    uint32_t carry = 0;
    for (int i = 0; i < n; i++) {
        uint32_t s = a[i] + b[i], t = s + carry;
        carry = (s < a[i]) | (t < s);
        a[i] = t;
    }
    uint64_t rem = 0;
    for (int i = n - 1; i >= 0; i--) {
        rem = rem << 32 | a[i];
        a[i] = (uint32_t)(rem / 1000000007u);
        rem %= 1000000007u;
    }
    return carry + (uint32_t)rem;
}

//== utf8
//@ buffer b0 u8 24 range 0 255
//@ buffer b1 i32 24 range 0 0
//@ int 24
//@ array b0 0 24
//@ array b1 0 24
#include <rill/kernel.h>
kernel int run(int n, const uint8_t s[n], int cp[n])
{
    int k = 0, i = 0, bad = 0;
    while (i < n) {
        int c = s[i], len = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
        if (!len || i + len > n) {
            bad++;
            i++;
            continue;
        }
        int v = len == 1 ? c : c & (0xff >> (len + 1));
        int ok = 1;
        for (int j = 1; j < len; j++) {
            if ((s[i + j] & 0xc0) != 0x80) {
                ok = 0;
                break;
            }
            v = v << 6 | (s[i + j] & 0x3f);
        }
        if (!ok) {
            bad++;
            i++;
        } else {
            cp[k++] = v;
            i += len;
        }
    }
    return k * 100 + bad;
}

//== lz
//@ buffer b0 u8 40 range 0 2
//@ buffer b1 u8 120 range 0 0
//@ buffer b2 u8 40 range 0 0
//@ int 40
//@ array b0 0 40
//@ array b1 0 120
//@ array b2 0 40
#include <rill/kernel.h>
kernel int run(int n, const uint8_t s[n], uint8_t o[3 * n], uint8_t back[n])
{
    int k = 0;
    for (int i = 0; i < n;) {
        int best = 0, off = 0;
        for (int j = i > 16 ? i - 16 : 0; j < i; j++) {
            int l = 0;
            while (i + l < n && l < 15 && s[j + l] == s[i + l]) {
                l++;
            }
            if (l > best) {
                best = l;
                off = i - j;
            }
        }
        if (best > 2) {
            o[k++] = off | 128;
            o[k++] = best;
            i += best;
        } else {
            o[k++] = s[i];
            i++;
        }
    }
    int w = 0;
    for (int i = 0; i < k; i++) {
        if (o[i] & 128) {
            int d = o[i] & 127;
            i++;
            for (int l = 0; l < o[i]; l++) {
                back[w] = back[w - d];
                w++;
            }
        } else {
            back[w++] = o[i];
        }
    }
    return k * 1000 + w;
}

//== kmeans
//@ buffer b0 f32 80 range -32 32
//@ buffer b1 f32 6 range -32 32
//@ buffer b2 i32 40 range 0 0
//@ buffer b3 i32 3 range 0 0
//@ buffer b4 f32 6 range 0 0
//@ int 40
//@ int 3
//@ array b0 0 80
//@ array b1 0 6
//@ array b2 0 40
//@ array b3 0 3
//@ array b4 0 6
#include <rill/kernel.h>
kernel void run(int n, int k, const float x[n][2], float c[k][2], int lab[n], int cnt[k], float sum[k][2])
{
    for (int it = 0; it < 3; it++) {
        for (int i = 0; i < n; i++) {
            float best = 1e30f;
            int at = 0;
            for (int j = 0; j < k; j++) {
                float dx = x[i][0] - c[j][0], dy = x[i][1] - c[j][1], d = dx * dx + dy * dy;
                if (d < best) {
                    best = d;
                    at = j;
                }
            }
            lab[i] = at;
        }
        for (int j = 0; j < k; j++) {
            cnt[j] = 0, sum[j][0] = sum[j][1] = 0;
        }
        for (int i = 0; i < n; i++) {
            cnt[lab[i]]++;
            sum[lab[i]][0] += x[i][0];
            sum[lab[i]][1] += x[i][1];
        }
        for (int j = 0; j < k; j++) {
            if (cnt[j]) {
                c[j][0] = (int)(sum[j][0] / cnt[j]);
                c[j][1] = (int)(sum[j][1] / cnt[j]);
            }
        }
    }
}
