#include <rill/kernel.h>

// Interleaved bytes to grey.
// run: grey n=1000
kernel void grey(int n, const unsigned char rgb[3 * n], unsigned char out[n])
{
    for (int i = 0; i < n; i++) {
        const unsigned char *p = rgb + 3 * i;
        out[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8);
    }
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

// The vertical half of a blur, with the rows at the edges repeated.
// run: blur n=70 ~ 1e-6
kernel void blur(int n, const float in[n][n], float out[n][n])
{
    static const float weight[5] = {0.06f, 0.24f, 0.4f, 0.24f, 0.06f};
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int k = -2; k <= 2; k++) {
                sum += weight[k + 2] * in[clamp(y + k, 0, n - 1)][x];
            }
            out[y][x] = sum;
        }
    }
}

// Floats from 0 to 1 to bytes.
// run: quantise n=1000
kernel void quantise(int n, const float in[n], unsigned char out[n])
{
    for (int i = 0; i < n; i++) {
        float value = in[i] < 0.0f ? 0.0f : in[i] > 1.0f ? 1.0f : in[i];
        out[i] = (unsigned char)(value * 255.0f + 0.5f);
    }
}
