
#include <rill/kernel.h>

kernel void contact(int n, const float x[n], const float v[n], float f[n])
{
    for (int i = 0; i < n; i++) f[i] = -40.0f * fminf(x[i], 0.0f) - 0.1f * v[i];
}

kernel void spring(int n, const float x[n], float g[n])
{
    for (int i = 1; i < n - 1; i++) g[i] = x[i-1] - 2 * x[i] + x[i+1];
}

kernel float simulate(int n, int steps, float dt, float x[n], float v[n], float f[n], float g[n])
{
    for (int t = 0; t < steps; t++) {                  // in order: a step depends on the one before
        stream_parallel { contact(n, x, v, f); }       // these two overlap
        stream_parallel { spring(n, x, g); }
        for (int i = 0; i < n; i++) {                  // after both
            v[i] += dt * (f[i] + g[i]);
            x[i] += dt * v[i];
        }
    }
    float energy = 0;
    for (int i = 0; i < n; i++) energy += v[i] * v[i]; // a reduction
    return energy;
}
