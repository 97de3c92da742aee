// A weakly compressible fluid by the moving-least-squares material point method, in two dimensions. Particles give mass
// and momentum to the 3 x 3 nodes around them, gravity and walls act on the grid, and particles take their motion from
// it.
#include <rill/kernel.h>
#include <rill/vec.h>

// struct vec2: ff x y
// struct mat2: ffff

static const float stiffness = 400, gravity = 9.8f;

// Quadratic B-spline weights of the three nodes from |base| on, for a particle |f| cells behind it.
static void weights(vec2 f, vec2 w[3])
{
    w[0] = vec2_of(0.5f * (1.5f - f.x) * (1.5f - f.x), 0.5f * (1.5f - f.y) * (1.5f - f.y));
    w[1] = vec2_of(0.75f - (f.x - 1) * (f.x - 1), 0.75f - (f.y - 1) * (f.y - 1));
    w[2] = vec2_of(0.5f * (f.x - 0.5f) * (f.x - 0.5f), 0.5f * (f.y - 0.5f) * (f.y - 0.5f));
}

// A square of fluid, two particles a cell each way, in a box of one by one.
// run: drop n=900 m=64
kernel void drop(int n, int m, vec2 x[n], vec2 v[n], mat2 c[n], float volume[n])
{
    int side = (int)sqrtf((float)n);
    for (int p = 0; p < n; p++) {
        x[p] = vec2_of(0.3f + 0.5f * (p % side) / m, 0.2f + 0.5f * (p / side) / m);
        v[p] = vec2_of(0, 0);
        c[p] = mat2_scale(mat2_identity(), 0);
        volume[p] = 1;
    }
}

// run: advance n=400 m=24 steps=3 dt=0.0002 ~ 1e-4
kernel void advance(int n, int m, int steps, float dt, vec2 x[n], vec2 v[n], mat2 c[n], float volume[n],
                    vec2 grid_v[m][m], float grid_m[m][m])
{
    const float dx = 1.0f / m, mass = 0.25f * dx * dx;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                grid_v[i][j] = vec2_of(0, 0);
                grid_m[i][j] = 0;
            }
        }
        for (int p = 0; p < n; p++) {
            vec2 at = vec2_clamp(vec2_scale(x[p], m), vec2_all(2), vec2_all(m - 3));
            int bx = (int)(at.x - 0.5f), by = (int)(at.y - 0.5f);
            vec2 f = vec2_sub(at, vec2_of(bx, by)), w[3];
            weights(f, w);
            float pressure = -dt * 4 * stiffness * mass * (volume[p] - 1) * m * m;
            mat2 affine = mat2_add(mat2_scale(mat2_identity(), pressure), mat2_scale(c[p], mass));
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    vec2 to = vec2_scale(vec2_sub(vec2_of(i, j), f), dx);
                    vec2 momentum = vec2_add(vec2_scale(v[p], mass), mat2_apply(affine, to));
                    float weight = w[i].x * w[j].y;
                    grid_v[bx + i][by + j].x += weight * momentum.x;
                    grid_v[bx + i][by + j].y += weight * momentum.y;
                    grid_m[bx + i][by + j] += weight * mass;
                }
            }
        }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                vec2 g = grid_v[i][j];
                if (grid_m[i][j] > 0) {
                    g = vec2_scale(g, 1 / grid_m[i][j]);
                    g.y -= dt * gravity;
                }
                if ((i < 3 && g.x < 0) || (i > m - 4 && g.x > 0)) {
                    g.x = 0;
                }
                if ((j < 3 && g.y < 0) || (j > m - 4 && g.y > 0)) {
                    g.y = 0;
                }
                grid_v[i][j] = g;
            }
        }
        for (int p = 0; p < n; p++) {
            vec2 at = vec2_clamp(vec2_scale(x[p], m), vec2_all(2), vec2_all(m - 3));
            int bx = (int)(at.x - 0.5f), by = (int)(at.y - 0.5f);
            vec2 f = vec2_sub(at, vec2_of(bx, by)), w[3], velocity = vec2_of(0, 0);
            mat2 turn = mat2_scale(mat2_identity(), 0);
            weights(f, w);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    vec2 g = vec2_scale(grid_v[bx + i][by + j], w[i].x * w[j].y);
                    velocity = vec2_add(velocity, g);
                    turn = mat2_add(turn, mat2_scale(vec2_outer(g, vec2_sub(vec2_of(i, j), f)), 4.0f * m));
                }
            }
            v[p] = velocity;
            c[p] = turn;
            x[p] = vec2_step(x[p], dt, velocity);
            volume[p] *= 1 + dt * mat2_trace(turn);
        }
    }
}

// Particles as they lie.
// run: draw n=400 size=50
kernel void draw(int n, int size, const vec2 x[n], uint8_t picture[size][size][3])
{
    for (int y = 0; y < size; y++) {
        for (int i = 0; i < size; i++) {
            picture[y][i][0] = 17;
            picture[y][i][1] = 47;
            picture[y][i][2] = 65;
        }
    }
    for (int p = 0; p < n; p++) {
        int i = (int)(x[p].x * size), j = size - 1 - (int)(x[p].y * size);
        if (i >= 0 && i < size && j >= 0 && j < size) {
            picture[j][i][0] = 6;
            picture[j][i][1] = 180;
            picture[j][i][2] = 220;
        }
    }
}
