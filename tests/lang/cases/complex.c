#include <complex.h>
void f(int n, float complex *a, double *x)
{
    for (int i = 0; i < n; i++) {
        a[i] < 1;
        a[i] % 2;
        a[i].re = 1;
        ~x[i];
        a[i] & 1;
        x[i] = __real__ a;
        switch (a[i]) {}
        a[a[i]] = 2;
        x[i] = a[i][0];
        __builtin_complex(1, 2);
        __builtin_complex(1.0f, 2.0);
    }
}
static double complex bad = csqrt(2);
static double complex good = (2 + 1.0i) * (3 - 2.0i);
static float complex same[2] = {1, {2i}};
int _Complex whole;
struct { float complex z; } s = {.z.re = 1};
