// Conjugate gradients for Poisson's equation on a square, boundary zero. The kernel decides by itself when it has
// converged.
#include <rill/kernel.h>

// Two charges of opposite sign.
// run: charges m=33
kernel void charges(int m, float b[m][m])
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            float x = (float)i / m, y = (float)j / m;
            float near = (x - 0.3f) * (x - 0.3f) + (y - 0.35f) * (y - 0.35f);
            float far = (x - 0.7f) * (x - 0.7f) + (y - 0.6f) * (y - 0.6f);
            b[i][j] = (near < 0.01f) - (float)(far < 0.01f);
        }
    }
}

// Solves -laplace(u) = b until the residual is |tolerance| of b's. Gives back the number of steps.
// run: solve m=18 most=12 tolerance=0.0001 ~ 1e-3
kernel int solve(int m, int most, float tolerance, const float b[m][m], float u[m][m], float r[m][m], float p[m][m],
                 float q[m][m])
{
    float rr = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            u[i][j] = 0;
            q[i][j] = 0;
            r[i][j] = i > 0 && i < m - 1 && j > 0 && j < m - 1 ? b[i][j] : 0;
            p[i][j] = r[i][j];
            rr += r[i][j] * r[i][j];
        }
    }
    float goal = tolerance * tolerance * rr;
    int steps = 0;
    while (rr > goal && steps < most) {
        float pq = 0;
        for (int i = 1; i < m - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                q[i][j] = 4 * p[i][j] - p[i - 1][j] - p[i + 1][j] - p[i][j - 1] - p[i][j + 1];
                pq += p[i][j] * q[i][j];
            }
        }
        float alpha = rr / pq, next = 0;
        for (int i = 1; i < m - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                u[i][j] += alpha * p[i][j];
                r[i][j] -= alpha * q[i][j];
                next += r[i][j] * r[i][j];
            }
        }
        float beta = next / rr;
        for (int i = 1; i < m - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                p[i][j] = r[i][j] + beta * p[i][j];
            }
        }
        rr = next;
        steps++;
    }
    return steps;
}

// Blue below zero, red above, with lines of equal height.
// run: draw m=40
kernel void draw(int m, const float u[m][m], uint8_t picture[m][m][3])
{
    float most = 1e-30f;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            most = fmaxf(most, fabsf(u[i][j]));
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            float height = u[i][j] / most, part = fabsf(height * 12 - rintf(height * 12));
            float line = part < 0.08f && fabsf(height) > 0.05f ? 0.6f : 1;
            picture[i][j][0] = (uint8_t)(255 * line * fminf(1, 1 + height));
            picture[i][j][1] = (uint8_t)(255 * line * (1 - fabsf(height)));
            picture[i][j][2] = (uint8_t)(255 * line * fminf(1, 1 - height));
        }
    }
}
