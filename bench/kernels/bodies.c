#include <rill/kernel.h>

// run: nbody n=300 ~ 1e-5
kernel void nbody(int n, const float x[n], const float y[n], const float z[n], float ax[n], float ay[n], float az[n])
{
    for (int i = 0; i < n; i++) {
        float sx = 0;
        float sy = 0;
        float sz = 0;
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i];
            float dy = y[j] - y[i];
            float dz = z[j] - z[i];
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float f = 1.0f / (d2 * sqrtf(d2));
            sx += f * dx;
            sy += f * dy;
            sz += f * dz;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}

// run: mandelbrot n=100 limit=64
kernel void mandelbrot(int n, int limit, int out[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float cr = 3.0f * j / n - 2.0f;
            float ci = 2.0f * i / n - 1.0f;
            float zr = 0;
            float zi = 0;
            int steps = 0;
            while (steps < limit && zr * zr + zi * zi < 4.0f) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                steps++;
            }
            out[i][j] = steps;
        }
    }
}
