// The kernels of bench/kernels/particles.c as one writes them with OpenMP: loops over particles in parallel, and what
// two of them may add to is atomic.

// Positions are in [0, m - 2].
void deposit(int n, int m, const float x[n], const float y[n], float rho[m][m])
{
#pragma omp parallel for
    for (int p = 0; p < n; p++) {
        float px = x[p] - (int)x[p] + (int)x[p] % (m - 2), py = y[p] - (int)y[p] + (int)y[p] % (m - 2);
        int i = (int)px, j = (int)py;
        float wx[2] = {1 - (px - i), px - i}, wy[2] = {1 - (py - j), py - j};
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
#pragma omp atomic
                rho[i + a][j + b] += wx[a] * wy[b];
            }
        }
    }
}

// Positions are in [0, 1), cells are 1 / m wide, and what leaves the inner cells is taken back to them.
void fluid(int n, int m, int steps, float dt, float x[n][2], float v[n][2], float c[n][2][2], float volume[n],
           float grid_v[m][m][2], float grid_m[m][m])
{
    const float dx = 1.0f / m, mass = dx * dx * 0.25f, stiffness = 400;
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                grid_v[i][j][0] = 0;
                grid_v[i][j][1] = 0;
                grid_m[i][j] = 0;
            }
        }
#pragma omp parallel for
        for (int p = 0; p < n; p++) {
            float px = x[p][0] * m, py = x[p][1] * m;
            px = px < 1 ? 1 : px > m - 3 ? m - 3 : px;
            py = py < 1 ? 1 : py > m - 3 ? m - 3 : py;
            int bx = (int)(px - 0.5f), by = (int)(py - 0.5f);
            float fx = px - bx, fy = py - by;
            float w[3][2] = {{0.5f * (1.5f - fx) * (1.5f - fx), 0.5f * (1.5f - fy) * (1.5f - fy)},
                             {0.75f - (fx - 1) * (fx - 1), 0.75f - (fy - 1) * (fy - 1)},
                             {0.5f * (fx - 0.5f) * (fx - 0.5f), 0.5f * (fy - 0.5f) * (fy - 0.5f)}};
            float stress = -dt * 4 * stiffness * mass * (volume[p] - 1) * m * m;
            float a[2][2] = {{stress + mass * c[p][0][0], mass * c[p][0][1]},
                             {mass * c[p][1][0], stress + mass * c[p][1][1]}};
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    float to_x = (i - fx) * dx, to_y = (j - fy) * dx, weight = w[i][0] * w[j][1];
                    for (int d = 0; d < 2; d++) {
#pragma omp atomic
                        grid_v[bx + i][by + j][d] += weight * (mass * v[p][d] + a[d][0] * to_x + a[d][1] * to_y);
                    }
#pragma omp atomic
                    grid_m[bx + i][by + j] += weight * mass;
                }
            }
        }
#pragma omp parallel for
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                if (grid_m[i][j] > 0) {
                    grid_v[i][j][0] /= grid_m[i][j];
                    grid_v[i][j][1] = grid_v[i][j][1] / grid_m[i][j] - dt * 9.8f;
                }
                if ((i < 3 && grid_v[i][j][0] < 0) || (i > m - 4 && grid_v[i][j][0] > 0)) {
                    grid_v[i][j][0] = 0;
                }
                if ((j < 3 && grid_v[i][j][1] < 0) || (j > m - 4 && grid_v[i][j][1] > 0)) {
                    grid_v[i][j][1] = 0;
                }
            }
        }
#pragma omp parallel for
        for (int p = 0; p < n; p++) {
            float px = x[p][0] * m, py = x[p][1] * m;
            px = px < 1 ? 1 : px > m - 3 ? m - 3 : px;
            py = py < 1 ? 1 : py > m - 3 ? m - 3 : py;
            int bx = (int)(px - 0.5f), by = (int)(py - 0.5f);
            float fx = px - bx, fy = py - by;
            float w[3][2] = {{0.5f * (1.5f - fx) * (1.5f - fx), 0.5f * (1.5f - fy) * (1.5f - fy)},
                             {0.75f - (fx - 1) * (fx - 1), 0.75f - (fy - 1) * (fy - 1)},
                             {0.5f * (fx - 0.5f) * (fx - 0.5f), 0.5f * (fy - 0.5f) * (fy - 0.5f)}};
            float new_v[2] = {0, 0}, new_c[2][2] = {{0, 0}, {0, 0}};
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    float to_x = (i - fx) * dx, to_y = (j - fy) * dx, weight = w[i][0] * w[j][1];
                    for (int d = 0; d < 2; d++) {
                        float g = weight * grid_v[bx + i][by + j][d];
                        new_v[d] += g;
                        new_c[d][0] += 4 * m * m * g * to_x;
                        new_c[d][1] += 4 * m * m * g * to_y;
                    }
                }
            }
            for (int d = 0; d < 2; d++) {
                v[p][d] = new_v[d];
                x[p][d] += dt * new_v[d];
                c[p][d][0] = new_c[d][0];
                c[p][d][1] = new_c[d][1];
            }
            volume[p] *= 1 + dt * (new_c[0][0] + new_c[1][1]);
        }
    }
}
