// Updates of one class are accepted, those of two are a conflict, and so is what else touches the memory.
#include <math.h>
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

kernel void signed_and_unsigned(int a, int j, int x[4])
{
    unsigned *bits = (unsigned *)x;
    stream_parallel { if (a < x[j]) x[j] = a; }
    stream_parallel { if ((unsigned)a < bits[j]) bits[j] = (unsigned)a; }
}

kernel void two_forms(float e, float x[1])
{
    stream_parallel { x[0] = fminf(x[0], e); }
    stream_parallel { if (e < x[0]) x[0] = e; }
}

kernel void one_form(float e, float x[1])
{
    stream_parallel { if (e < x[0]) x[0] = e; }
    stream_parallel { x[0] = x[0] > e ? e : x[0]; }
}
