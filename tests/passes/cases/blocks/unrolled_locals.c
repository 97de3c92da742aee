// A local that carries a value from one iteration to the next carries it from block to block.
#include <rill/kernel.h>

kernel void carried(int n, float x[n])
{
    int total = 0;
#pragma rill unroll
    for (int k = 0; k < 4; k++) stream_parallel { total += k; x[k] = total; }
}
