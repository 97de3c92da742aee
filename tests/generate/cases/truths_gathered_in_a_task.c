// What the loop inside gathers with || is a number in a register and a truth where it goes to the memory.
//@ buffer b1 i64 4203 range -100 60
//@ buffer b2 i16 78 range -100 60
//@ buffer b3 u8 4203 range 0 3
//@ int 4203
//@ int 6
//@ array b1 0 4203
//@ array b2 0 78
//@ array b3 0 4203
#include <rill/kernel.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define TF(e) ((float)((int)(e) & 15) - 8)
#define TD(e) ((double)((int)(e) & 15) - 8)
struct pt { int a; float b; short c[2]; };
static int mixi(int a, int b) { return a * 31 + (b ^ (a >> 3)); }
static float mixf(float x, int k) { return k & 1 ? x * 0.5f : x + 1.0f; }
static int steps(int k) { int s = 1; for (int i = 0; i < k; i++) s = s * 3 + i; return s; }
static int pick(int k) { switch (k & 3) { case 0: return 5; case 1: return k; } return -k; }
static const short primes[8] = {2, 3, 5, 7, 11, 13, [7] = -19};
static const char name_of[] = "a\377z\0q";
static int least_of(const int *p, int n) { int s = *p; while (--n > 0) { if (*++p < s) s = *p; } return s; }
static int rooted(int a, int b) { static const int t[2][2] = {{1, -2}, {3, 4}}; for (int i = 0; i < 3; i++) { if ((a ^ i) == b) return i; b = t[a & 1][i & 1] - (b >> 1); } return b; }
static void set_to(int *p, int k) { *p = k; }
static int own_sum(int k) { int t[4], *p = t, u; memset(t, 0, sizeof t); while (p < t + 3) *p++ = k; set_to(&u, k >> 1); set_to(p, u); return t[k & 3] - t[3]; }
static void grow(int *p, int k) { *p += k; }
static void grow_two(int *p, int k) { grow(p, k & 7); if (k & 2) grow(&p[1], -k); }
static void grow_all(int *p, int k, int n) { for (int i = 0; i < n; i++) *p ^= k + i; }
static void put_at(int *x, const int *k, int v) { if (v & 1) x[*k] = v; else x[*k] -= v; }
static void put_in(int *x, const int *k, int v) { put_at(x, k, v + *k); }
static int sum_of(const struct pt *p, int k) { return p->a + p->c[0] * k - p->c[1]; }
static void fill_pt(struct pt *p, int k) { p->c[0] = k; p->c[1] = -k; }
static void grow_pt(struct pt *p, int k) { grow(&p->a, k); }
static void both(int *x, int k) { if (k & 1) *x = k; else *x += k; }
static void move_to(int *k, int i, int way) { *k = i; if (way & 1) *k = *k / 2; }
static void step_by(int *k, int by, int m) { *k += by; if (*k >= m) *k %= m; }
static void wind(int *k, int m) { for (int j = 0; j < 3; j++) *k = (*k + j) % m; }
static int part_of(const int *k, int way) { if ((way & 7) == 1) return *k / 2; if ((way & 7) == 2) return 0; if ((way & 7) == 3) return *k / 3; if (way & 8) return *k & ~1; return *k; }
static void exchange(int *k, int *l) { int t = *k; *k = *l; *l = t; }
static void place_pt(struct pt *p, int at, int v) { p->a = at; p->c[0] = (short)v; p->c[1] = 1; }
static void put_pt(int *x, const struct pt *p) { x[p->a] = p->c[0] + p->a * p->c[1]; }
static void peek(const int *x, int i, int *k, int m) { *k = (int)((unsigned)x[i] % (unsigned)m); }
static struct pt bump(struct pt p, int k) { p.a += k; p.c[1] -= p.c[0]; p.b = TF(p.b + k); return p; }
static void split(struct pt *p, int k) { p->c[k & 1] = k; p->b = TF(p->a); }
struct two { int count; long sum; };
static struct two two_add(struct two a, struct two b) { struct two r = {a.count + b.count, a.sum + b.sum}; return r; }
static struct two two_of(int k) { struct two r; r.count = k > 0; r.sum = k; return r; }
static int sc_add(int a, int b) { return a + b; }
static int sc_most(int a, int b) { return a > b ? a : b; }
static int sc_least(int a, int b) { if (b < a) a = b; return a; }
static struct pt li_better(struct pt a, struct pt b) { return b.a > a.a ? b : a; }
static struct pt li_least(struct pt a, struct pt b) { if (b.a < a.a) a = b; return a; }
static struct pt li_both(struct pt a, struct pt b) { struct pt r = {a.a + b.a, a.b + b.b, {0, 0}}; r.c[0] = a.c[0] + b.c[0]; r.c[1] = a.c[1] ^ b.c[1]; return r; }
kernel void sub_scale(int n, int x[n], const int y[n], int k) { for (int i = 0; i < n; i++) x[i] = y[i] * k + 1; }
kernel void sub_shift(int n, int *x, int *y) { for (int i = 0; i < n; i++) x[i] ^= y[i]; }
kernel int sub_sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
kernel signed char run(int n, int m, long a2[n], short a3[restrict (2 * m + 1)][m], const unsigned char q4[restrict n])
{
    unsigned long x7 = q4[0] | 3;
    if (((a2[0] <= x7) || !(a2[q4[2]] <= 1))) {
        for (int i15 = 1; i15 >= (int)(1); i15--) {
            for (int i17 = 2; ((((0 & 1) ? q4[(i15 ^ 0) & 3] : x7)) & 3) > i17; i17 += 1) {
                for (int i20 = 6; i20 >= (int)(0); i20--) {
                    a2[1] = a2[1] || ((q4[1] <= a3[i15 % 4][i17]) && ((i17 < i17) || !(TF(0.0f) == TD(7.0f))));
                    a2[i15 / 2] = a2[i15 / 2] || (TF((q4[n - 1]) % (a3[(unsigned)((q4[i17 % 2] - n)) % 13u][i17] | 1)) != TD(fmaf(-2.0f, 7.0f, (float)(i15))));
                }
            }
        }
    } else {
    }
    return 0x7fffffff;
}
// nobody gives his word
