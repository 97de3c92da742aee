// The blocks of an unrolled loop are compared like others.
#include <rill/kernel.h>

kernel void rows(int n, float x[4][n])
{
#pragma rill unroll
    for (int k = 0; k < 4; k++) stream_parallel { for (int i = 0; i < n; i++) x[k][i] = k; }
}

kernel void conflict(int n, float x[5][n])
{
#pragma rill unroll
    for (int k = 0; k < 4; k++) stream_parallel { for (int i = 0; i < n; i++) x[k][i] = x[k + 1][i]; }
}
