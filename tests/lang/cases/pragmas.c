#include <rill/kernel.h>

#pragma rill parallel
static int field;

#pragma rill single
kernel void one(int n) { n = 1; }

#pragma rill serial
kernel void two(int n) { n = 1; }

#pragma rill single
static void helper(int n) { n = 1; }

kernel void f(int n, float x[n])
{
#pragma rill paralel
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill parallel
    x[0] = 1;
#pragma rill parallel
    int y = 1;
#pragma rill parallel
    while (n > 0) n--;
#pragma rill in_order
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill serial
    stream_parallel { x[0] = 2; }
#pragma rill parallel
#pragma rill single
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill collapse
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill collapse(0)
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill block_dim(4096)
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill
    for (int i = 0; i < n; i++) x[i] = 1;
    x[1] = y +
#pragma rill parallel
           2;
#pragma rill in_order
    if (n) { n = 1; }
#pragma rill parallel
}
#pragma rill parallel
