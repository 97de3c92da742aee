#include <rill/kernel.h>
kernel void f(int n, float x[n])
{
#pragma rill map
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(outr)
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(outer
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(tile)
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(tile(3, 2))
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(tile(2))
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(two_level) collapse(2)
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(outer) unroll
    for (int i = 0; i < n; i++) x[i] = 1;
#pragma rill map(outer)
    while (n > 0) n--;
#pragma rill map(tile(2, 2))
    stream_parallel { x[0] = 2; }
#pragma rill map(outer)
    x[0] = 1;
}
#pragma rill map(outer)
kernel void g(int n, float x[n]) { x[0] = 1; }
