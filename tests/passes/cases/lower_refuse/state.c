#include <errno.h>
#include <fenv.h>
#include <setjmp.h>
#include <rill/kernel.h>
static float probe(float x) { errno = 0; return sqrtf(x) + errno; }
jmp_buf env;
kernel void k(int n, float a[n])
{
    for (int i = 0; i < n; i++) a[i] = probe(a[i]);
    fesetround(FE_UPWARD);
    if (setjmp(env)) a[0] = 1;
    a[1] = (float[100000]){1}[n];
}
