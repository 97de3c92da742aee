#include <rill/kernel.h>

kernel void triad(int n, float s, const float b[n], const float c[n], float a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + s * c[i];
    }
}

kernel void saxpy(int n, float a, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = a * x[i] + y[i];
    }
}

kernel float sum(int n, const float x[n])
{
    float total = 0;
    for (int i = 0; i < n; i++) {
        total += x[i];
    }
    return total;
}

kernel void map_sin(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = sinf(x[i]);
    }
}

kernel void map_exp(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = expf(x[i]);
    }
}

kernel void map_pow(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = powf(x[i], 1.7f);
    }
}
