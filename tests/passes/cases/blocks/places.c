// Where blocks may not stand.
#include <rill/kernel.h>

kernel void in_parallel_loop(int n, int x[n], int y[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = 1; }
        stream_parallel { y[i] = 2; }
    }
}

kernel void in_single_loop(int n, int x[n], int y[n])
{
#pragma rill single
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = 1; }
        stream_parallel { y[i] = 2; }
    }
}

kernel void blocked(int n, int x[n], int y[n])
{
    stream_parallel { x[0] = 1; }
    stream_parallel { y[0] = 2; }
}

kernel void called_in_parallel_loop(int n, int x[n], int y[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        blocked(n, x, y);
    }
}

// Independent, but it holds blocks: its rounds run in order, and each is a region.
kernel void in_order_loop(int n, int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        stream_parallel { x[i] = 1; }
        stream_parallel { y[i] = 2; }
    }
}
