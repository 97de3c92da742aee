// Two blocks that touch one piece of memory, one of them writing, for any arguments.
#include <rill/kernel.h>

kernel void both_write(int n, float x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 1; }
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 2; }
}

kernel void write_then_read(int n, float x[n], float y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 1; }
    stream_parallel { for (int i = 0; i < n; i++) y[i] = x[n - 1 - i]; }
}

kernel void read_then_write(int n, float x[n], float y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) y[i] = x[i]; }
    stream_parallel { for (int i = 1; i < n; i++) x[i - 1] = 2; }
}

kernel void even_and_all(int n, float x[2 * n])
{
    stream_parallel { for (long i = 0; i < n; i++) x[2 * i] = 1; }
    stream_parallel { for (long i = 0; i < 2 * n; i++) x[i] = 2; }
}

kernel void rows(int n, int m, float x[n][m])
{
    stream_parallel { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i][j] = 1; }
    stream_parallel { for (int j = 0; j < m; j++) x[0][j] = 2; }
}

struct body { float mass, speed; };

kernel void members(int n, struct body b[n])
{
    stream_parallel { for (int i = 0; i < n; i++) b[i].mass = 1; }
    stream_parallel { for (int i = 0; i < n; i++) b[i].speed = b[i].mass; }
}

float total;

kernel void field(int n, const float x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) total += x[i]; }
    stream_parallel { total = 0; }
}

kernel void by_data(int n, const int index[n], float x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[index[i]] = 1; }
    stream_parallel { x[0] = 2; }
}

kernel void third_with_first(int n, float x[n], float y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 1; }
    stream_parallel { for (int i = 0; i < n; i++) y[i] = 2; }
    stream_parallel { x[0] = 3; }
}

static void through_helper(float *p, int n) { for (int i = 0; i < n; i++) p[i] = 3; }

kernel void helpers(int n, float x[n])
{
    stream_parallel { through_helper(x, n); }
    stream_parallel { through_helper(x, n); }
}

// The bound of the second block's loop is the first block's result.
kernel void bound(int n, int count[1], float x[n])
{
    stream_parallel { count[0] = n / 2; }
    stream_parallel { for (int i = 0; i < count[0]; i++) x[i] = 1; }
}

kernel void condition(int n, int flag[1], float x[n])
{
    stream_parallel { flag[0] = 1; }
    stream_parallel { if (flag[0]) { for (int i = 0; i < n; i++) x[i] = 1; } }
}

// in_order needs no words: it is no error.
kernel void said(int n, float x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 1; }
#pragma rill in_order
    stream_parallel { for (int i = 0; i < n; i++) x[i] = 2; }
}
