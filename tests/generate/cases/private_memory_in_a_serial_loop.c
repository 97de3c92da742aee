// seed 1134
//@ buffer b1 i8 1890 range -100 60
//@ buffer b2 u8 5676 range -100 60
//@ buffer b3 i32 3 perm 0 0
//@ buffer b4 u8 1890 range 0 2
//@ int 1890
//@ int 3
//@ float 3
//@ array b1 0 1890
//@ array b2 0 5676
//@ array b3 0 3
//@ array b4 0 1890
#include <rill/kernel.h>
#include <stdio.h>
#define TF(e) ((float)((int)(e) & 15) - 8)
#define TD(e) ((double)((int)(e) & 15) - 8)
struct pt { int a; float b; short c[2]; };
static int mixi(int a, int b) { return a * 31 + (b ^ (a >> 3)); }
static float mixf(float x, int k) { return k & 1 ? x * 0.5f : x + 1.0f; }
static int steps(int k) { int s = 1; for (int i = 0; i < k; i++) s = s * 3 + i; return s; }
static int pick(int k) { switch (k & 3) { case 0: return 5; case 1: return k; } return -k; }
static void both(int *x, int k) { if (k & 1) *x = k; else *x += k; }
static struct pt bump(struct pt p, int k) { p.a += k; p.c[1] -= p.c[0]; p.b = TF(p.b + k); return p; }
static void split(struct pt *p, int k) { p->c[k & 1] = k; p->b = TF(p->a); }
double f7[16] = {1, 2};
signed char f8[16] = {1, 2};
kernel void run(long n, short m, float v2, signed char a3[n], unsigned char a4[(n + 2)][m], const int p5[m], const unsigned char q6[n])
{
    int l12[20] = {(a4[p5[m - 1]][q6[0]] ^ a4[0][0])};
    if (((-3 * l12[p5[m - 1]]) & 1)) {
    } else {
        #pragma rill serial
        for (int i14 = 0; i14 <= n - 1; i14 += 3) {
            if ((TF((int)(3)) < TD(mixf(TF(f8[16 - 1]), n)))) {
                for (int i16 = 0; i16 < m; i16 += 4) {
                    l12[i16] = (((i14 * i14) < (i16 ^ i14)) * i16);
                }
            } else {
            }
        }
    }
}
