#include <rill/kernel.h>

// run: triad n=10001 s=0.5
kernel void triad(int n, float s, const float b[n], const float c[n], float a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + s * c[i];
    }
}

// run: saxpy n=10001 a=0.5
kernel void saxpy(int n, float a, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = a * x[i] + y[i];
    }
}

// run: chain n=10001 s=0.5
kernel void chain(int n, float s, const float x[n], const float y[n], float z[n])
{
    for (int i = 0; i < n; i++) {
        z[i] = x[i] + s * y[i];
    }
    for (int i = 0; i < n; i++) {
        z[i] = z[i] * z[i];
    }
    for (int i = 0; i < n; i++) {
        z[i] = z[i] - y[i];
    }
    for (int i = 0; i < n; i++) {
        z[i] = z[i] > 0 ? z[i] : s * z[i];
    }
}

// run: sum n=10001 ~ 1e-5
kernel float sum(int n, const float x[n])
{
    float total = 0;
    for (int i = 0; i < n; i++) {
        total += x[i];
    }
    return total;
}

// run: map_sin n=10001 ~ 1e-6
kernel void map_sin(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = sinf(x[i]);
    }
}

// run: map_exp n=1001 ~ 1e-6
kernel void map_exp(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = expf(x[i]);
    }
}

// run: map_pow n=10001 ~ 1e-6
kernel void map_pow(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = powf(x[i], 1.7f);
    }
}
