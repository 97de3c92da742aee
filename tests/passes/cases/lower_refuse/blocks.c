#include <rill/kernel.h>
kernel void pair(int n, float a[n], float b[n])
{
    stream_parallel { for (int i = 0; i < n; i++) a[i] = 1; }
    stream_parallel { for (int i = 0; i < n; i++) b[i] = 1; }
}
kernel void through(int n, float a[n], float b[n]) { pair(n, a, b); }
static void helper(int n, float *a, float *b) { through(n, a, b); }
kernel void calls(int n, float a[n], float b[n])
{
    pair(n, a, b);
    stream_parallel { through(n, a, b); }
    helper(n, a, b);
}
