// Updates of one class are accepted, those of two are a conflict, and so is what else touches the memory.
#include <rill/kernel.h>
#include <stdint.h>

kernel void one_class(int n, int x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }
    stream_parallel { for (int i = 0; i < n; i++) x[i] -= 2; }
    stream_parallel { x[0]++; }
}

kernel void add_and_multiply(int n, int x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }
    stream_parallel { for (int i = 0; i < n; i++) x[i] *= 2; }
}

kernel void min_and_max(int n, const int a[n], int x[1])
{
    stream_parallel { for (int i = 0; i < n; i++) if (a[i] < x[0]) x[0] = a[i]; }
    stream_parallel { for (int i = 0; i < n; i++) if (a[i] > x[0]) x[0] = a[i]; }
}

kernel void and_and_or(int n, const int a[n], int x[1])
{
    stream_parallel { for (int i = 0; i < n; i++) x[0] &= a[i]; }
    stream_parallel { for (int i = 0; i < n; i++) x[0] |= a[i]; }
}

kernel void update_and_read(int n, int x[1], int y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[0] += i; }
    stream_parallel { for (int i = 0; i < n; i++) y[i] = x[0]; }
}

kernel void update_and_write(int n, int x[1])
{
    stream_parallel { for (int i = 0; i < n; i++) x[0] += i; }
    stream_parallel { x[0] = 3; }
}

kernel void old_value_used(int n, int x[1], int y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) y[i] = x[0]++; }
    stream_parallel { x[0]++; }
}

kernel void division(int n, int x[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] /= 2; }
    stream_parallel { for (int i = 0; i < n; i++) x[i] /= 3; }
}

kernel void two_types(int n, int x[n])
{
    unsigned *bits = (unsigned *)x;
    int64_t *wide = (int64_t *)x;
    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }
    stream_parallel { for (int i = 0; i < n / 2; i++) wide[i] += 1; }
    bits[0] = 0;
    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }
    stream_parallel { for (int i = 0; i < n; i++) bits[i] += 1; }
}
