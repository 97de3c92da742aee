// A dam that breaks, by smoothed particle hydrodynamics in two dimensions. Each step lists the particles of every cell
// by counting; the neighbours of a particle are then among those of the nine cells around it.
#include <rill/kernel.h>
#include <rill/vec.h>

// struct vec2: ff x y

// The box is one by one and has m by m cells, each as large as the smoothing kernels reach.
static const float pi = 3.14159265f;
static const float rest_density = 1000, stiffness = 40, viscosity = 1.5f, gravity = 9.8f;

static int column_of(float x, int m)
{
    int i = (int)(x * m);
    return i < 0 ? 0 : i >= m ? m - 1 : i;
}

// run: dam n=500 spacing=0.008
kernel void dam(int n, float spacing, vec2 x[n], vec2 v[n])
{
    int high = (int)(0.6f / spacing);
    for (int p = 0; p < n; p++) {
        x[p] = vec2_of(spacing * (p / high + 0.5f), spacing * (p % high + 0.5f));
        v[p] = vec2_of(0, 0);
    }
}

// The particles of cell c are list[first[c]] to list[first[c + 1] - 1], in ascending order.
// run: find n=700 m=20
kernel void find(int n, int m, const vec2 x[n], int cell[n], int first[m * m + 1], int filled[m * m], int list[n])
{
    for (int c = 0; c < m * m; c++) {
        first[c + 1] = 0;
        filled[c] = 0;
    }
    first[0] = 0;
    for (int p = 0; p < n; p++) {
        cell[p] = column_of(x[p].x, m) * m + column_of(x[p].y, m);
        first[cell[p] + 1]++;
    }
    for (int c = 0; c < m * m; c++) {
        first[c + 1] += first[c];
    }
    for (int p = 0; p < n; p++) {
        list[first[cell[p]] + rill_atomic_add(&filled[cell[p]], 1)] = p;
    }
    // In any order until here. Cells have parts of the list to themselves, which follows from what |first| holds.
#pragma rill parallel
    for (int c = 0; c < m * m; c++) {
        for (int i = first[c] + 1; i < first[c + 1]; i++) {
            int p = list[i], k = i;
            for (; k > first[c] && list[k - 1] > p; k--) {
                list[k] = list[k - 1];
            }
            list[k] = p;
        }
    }
}

// run: advance n=600 m=64 steps=2 dt=0.0004 mass=0.064 ~ 1e-4
kernel void advance(int n, int m, int steps, float dt, float mass, vec2 x[n], vec2 v[n], float density[n],
                    vec2 force[n], int cell[n], int first[m * m + 1], int filled[m * m], int list[n])
{
    const float h = 1.0f / m, h2 = h * h, h5 = h2 * h2 * h, poly = 4 / (pi * h2 * h2 * h2 * h2), spiky = 30 / (pi * h5);
    for (int step = 0; step < steps; step++) {
        find(n, m, x, cell, first, filled, list);
        for (int p = 0; p < n; p++) {
            int ci = cell[p] / m, cj = cell[p] % m;
            float sum = 0;
            for (int i = ci > 0 ? ci - 1 : 0; i <= ci + 1 && i < m; i++) {
                for (int j = cj > 0 ? cj - 1 : 0; j <= cj + 1 && j < m; j++) {
                    for (int k = first[i * m + j]; k < first[i * m + j + 1]; k++) {
                        vec2 to = vec2_sub(x[list[k]], x[p]);
                        float r2 = vec2_dot(to, to);
                        if (r2 < h2) {
                            sum += mass * poly * (h2 - r2) * (h2 - r2) * (h2 - r2);
                        }
                    }
                }
            }
            density[p] = sum;
        }
        for (int p = 0; p < n; p++) {
            int ci = cell[p] / m, cj = cell[p] % m;
            float pressure = fmaxf(0, stiffness * (density[p] - rest_density));
            vec2 sum = vec2_of(0, -gravity * density[p]);
            for (int i = ci > 0 ? ci - 1 : 0; i <= ci + 1 && i < m; i++) {
                for (int j = cj > 0 ? cj - 1 : 0; j <= cj + 1 && j < m; j++) {
                    for (int k = first[i * m + j]; k < first[i * m + j + 1]; k++) {
                        int q = list[k];
                        vec2 to = vec2_sub(x[q], x[p]);
                        float r = vec2_length(to);
                        if (q == p || r >= h) {
                            continue;
                        }
                        float other = fmaxf(0, stiffness * (density[q] - rest_density));
                        float push = mass * (pressure + other) / (2 * density[q]) * spiky * (h - r) * (h - r);
                        float drag = viscosity * mass / density[q] * spiky * 4 / 3 * (h - r);
                        sum = vec2_step(sum, r > 0 ? -push / r : 0, to);
                        sum = vec2_step(sum, drag, vec2_sub(v[q], v[p]));
                    }
                }
            }
            force[p] = sum;
        }
        for (int p = 0; p < n; p++) {
            v[p] = vec2_step(v[p], dt / density[p], force[p]);
            x[p] = vec2_step(x[p], dt, v[p]);
            if (x[p].x < 0 || x[p].x > 1) {
                x[p].x = x[p].x < 0 ? 0 : 1;
                v[p].x *= -0.5f;
            }
            if (x[p].y < 0 || x[p].y > 1) {
                x[p].y = x[p].y < 0 ? 0 : 1;
                v[p].y *= -0.5f;
            }
        }
    }
}

// Each particle as a square of three pixels, lighter where it is fast.
// run: draw n=300 size=90
kernel void draw(int n, int size, const vec2 x[n], const vec2 v[n], float speed[size][size],
                 uint8_t picture[size][size][3])
{
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++) {
            speed[j][i] = -1;
        }
    }
    for (int p = 0; p < n; p++) {
        int ci = (int)(x[p].x * size), cj = size - 1 - (int)(x[p].y * size);
        for (int j = cj - 1; j <= cj + 1; j++) {
            for (int i = ci - 1; i <= ci + 1; i++) {
                if (i >= 0 && i < size && j >= 0 && j < size) {
                    speed[j][i] = fmaxf(speed[j][i], vec2_length(v[p]));
                }
            }
        }
    }
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++) {
            float light = fminf(1, speed[j][i] / 3);
            picture[j][i][0] = speed[j][i] < 0 ? 17 : (uint8_t)(20 + 220 * light);
            picture[j][i][1] = speed[j][i] < 0 ? 24 : (uint8_t)(110 + 130 * light);
            picture[j][i][2] = speed[j][i] < 0 ? 38 : 235;
        }
    }
}
