// What '#pragma rill unroll' refuses.
#include <rill/kernel.h>

kernel void not_known(int n, int m, float x[m][n])
{
#pragma rill unroll
    for (int k = 0; k < m; k++) stream_parallel { x[k][0] = 1; }
}

kernel void too_many(int n, float x[n])
{
#pragma rill unroll
    for (int k = 0; k < 65; k++) stream_parallel { x[k] = 1; }
}

kernel void none_at_all(int n, float x[n])
{
#pragma rill unroll
    for (int k = 0; k < 0; k++) stream_parallel { x[k] = 1; }
}

kernel void more_than_blocks(int n, float x[n])
{
#pragma rill unroll
    for (int k = 0; k < 4; k++) {
        stream_parallel { x[k] = 1; }
        x[0] = 2;
    }
}

kernel void no_block(int n, float x[n])
{
#pragma rill unroll
    for (int i = 0; i < 4; i++) x[i] = 1;
}

kernel void variable_from_outside(int n, float x[n])
{
    int k;
#pragma rill unroll
    for (k = 0; k < 4; k++) stream_parallel { x[k] = 1; }
}

kernel void writes_its_variable(int n, float x[n])
{
#pragma rill unroll
    for (int k = 0; k < 4; k++) stream_parallel { x[k] = 1; k++; }
}
