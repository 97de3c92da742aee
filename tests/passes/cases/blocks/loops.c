// Loops that run in order only because blocks stand in them are warned of; those that would run in order anyway are not.
#include <rill/kernel.h>

kernel void parallel_but_for_blocks(int n, float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = i; }
        stream_parallel { y[i] = 2 * i; }
    }
}

kernel void parallel_if(int n, int k, float x[n])
{
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = x[i + k]; }
    }
}

kernel void time_loop(int n, int steps, float x[n], float y[n])
{
    for (int t = 0; t < steps; t++) {
        stream_parallel { for (int i = 0; i < n; i++) x[i] += t; }
        stream_parallel { for (int i = 0; i < n; i++) y[i] *= 2; }
        for (int i = 1; i < n; i++) x[i] = y[i - 1];
    }
}

kernel void order_is_meant(int n, float x[n], float y[n])
{
#pragma rill serial
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = i; }
        stream_parallel { y[i] = 2 * i; }
    }
}

kernel void few_rounds(int n, float x[4][n], float y[4][n])
{
    for (int k = 0; k < 4; k++) {
        stream_parallel { for (int i = 0; i < n; i++) x[k][i] = i; }
        stream_parallel { for (int i = 0; i < n; i++) y[k][i] = i; }
    }
}

// An empty statement ends a region: no conflict here.
kernel void two_regions(int n, float x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = i; }
    ;
    stream_parallel { for (int i = 0; i < n; i++) x[i] *= 2; }
}

// Its loop is warned of once, where it stands.
kernel void inlined(int n, float x[n], float y[n])
{
    parallel_but_for_blocks(n, x, y);
}
