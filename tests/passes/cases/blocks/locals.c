// Locals that carry a value from one block to another, and those that do not.
#include <rill/kernel.h>

kernel int carried(int n, int x[n], int y[n])
{
    int k = 1;
    stream_parallel { k = n; x[0] = k; }
    stream_parallel { y[0] = k; }
    return k;
}

kernel int summed(int n, const int x[n], const int y[n])
{
    int s = 0;
    stream_parallel { for (int i = 0; i < n; i++) s += x[i]; }
    stream_parallel { for (int i = 0; i < n; i++) s += y[i]; }
    return s;
}

kernel void array(int n, int x[n], int y[n])
{
    int t[4];
    stream_parallel { for (int i = 0; i < 4; i++) t[i] = x[i]; }
    stream_parallel { for (int i = 0; i < 4; i++) y[i] = t[i]; }
}

kernel int private_to_each(int n, int x[n], int y[n])
{
    int i, t;
    stream_parallel { for (i = 0; i < n; i++) { t = i; x[i] = t; } }
    stream_parallel { for (i = 0; i < n; i++) { t = -i; y[i] = t; } t = 4; }
    return i + t;
}

kernel void record(int n, int k, int j, const int x[n], int y[n])
{
    struct { int a[4]; } s = {{0}};
    stream_parallel { s.a[k & 3] = x[0]; }
    stream_parallel { y[0] = s.a[j & 3]; }
}
