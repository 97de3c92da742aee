#include <rill/kernel.h>
struct S { int a; float b[2]; };
static struct S s = (struct S){1, {2, 3}};
int *p = (int[]){4, 5};
static struct S list[] = {[1] = {.b = {[1] = 7}}, [0].a = 3};
long big = 1L << 40;
double d = 1.0 / 3;
float f = 1e40;
char text[4] = "abcd";
const char *q = &"hello"[1];
struct S *ps = &list[1];
float *pf = &list[1].b[1];
enum { A = 3 } e = A;
_Bool bb = 0.5;
unsigned char uc = -1;
struct { unsigned x : 3, y : 5; } bits = {5, 17};
wchar_t w[] = L"wx";
kernel long k(long seed, long out[64], double real[64])
{
    out[0] = s.a + p[1] + list[1].b[1] + list[0].a + big + text[3] + q[0] + (long)ps->b[1] + (long)*pf + e + bb + uc + bits.y * 8 + bits.x + w[1];
    real[0] = d; real[1] = f; real[2] = s.b[1];
    int x = {7};
    out[1] = x;
    out[2] = ((struct S){.a = 9}).a + *(&(int){11});
    for (int i = 0; i < 3; i++) { int *r = &(int){i}; *r += 2; out[3 + i] = *r; }
    const int *cp = seed ? (int[]){1, 2} : (int[]){3, 4};
    out[8] = cp[1];
    return 0;
}
