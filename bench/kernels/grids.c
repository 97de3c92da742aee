#include <rill/kernel.h>

// run: stencil5 n=130
kernel void stencil5(int n, const float in[n][n], float out[n][n])
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            out[i][j] = 0.2f * (in[i][j] + in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
        }
    }
}

// run: heat3 n=30 k=0.1
kernel void heat3(int n, float k, const float in[n][n][n], float out[n][n][n])
{
    for (int z = 1; z < n - 1; z++) {
        for (int y = 1; y < n - 1; y++) {
            for (int x = 1; x < n - 1; x++) {
                out[z][y][x] =
                    in[z][y][x] + k * (in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] + in[z][y + 1][x] +
                                       in[z][y][x - 1] + in[z][y][x + 1] - 6 * in[z][y][x]);
            }
        }
    }
}

// run: life n=130
kernel void life(int n, const unsigned char in[n][n], unsigned char out[n][n])
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            int alive = in[i - 1][j - 1] + in[i - 1][j] + in[i - 1][j + 1] + in[i][j - 1] + in[i][j + 1] +
                        in[i + 1][j - 1] + in[i + 1][j] + in[i + 1][j + 1];
            out[i][j] = alive == 3 || (alive == 2 && in[i][j]);
        }
    }
}
