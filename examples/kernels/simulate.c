#include <rill/kernel.h>

// run: contact n=1001
kernel void contact(int n, const float x[n], const float v[n], float f[n])
{
    for (int i = 0; i < n; i++) {
        f[i] = -40.0f * fminf(x[i], 0.0f) - 0.1f * v[i];
    }
}

// run: spring n=1001
kernel void spring(int n, const float x[n], float g[n])
{
    for (int i = 1; i < n - 1; i++) {
        g[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    }
}

// run: simulate n=1001 steps=10 dt=0.01 ~ 1e-5
kernel float simulate(int n, int steps, float dt, float x[n], float v[n], float f[n], float g[n])
{
    for (int t = 0; t < steps; t++) {
        stream_parallel
        {
            contact(n, x, v, f);
        }
        stream_parallel
        {
            spring(n, x, g);
        }
        for (int i = 0; i < n; i++) {
            v[i] += dt * (f[i] + g[i]);
            x[i] += dt * v[i];
        }
    }
    float energy = 0;
    for (int i = 0; i < n; i++) {
        energy += v[i] * v[i];
    }
    return energy;
}
