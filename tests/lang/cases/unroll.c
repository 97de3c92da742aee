#include <rill/kernel.h>

kernel void f(int n, float x[n])
{
#pragma rill unroll
    while (n > 0) n--;
#pragma rill unroll, parallel
    for (int i = 0; i < 4; i++) stream_parallel { x[i] = 0; }
#pragma rill unroll
    stream_parallel { x[0] = 1; }
#pragma rill unroll
    x[0] = 1;
#pragma rill unrol
    for (int i = 0; i < 4; i++) stream_parallel { x[i] = 0; }
}

#pragma rill unroll
kernel void g(void) {}
