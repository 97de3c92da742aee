// An image pipeline: blur by two passes, edges by Sobel's operator, and contrast by equalising the histogram.
#include <rill/kernel.h>

// A scene to work on: hills in fog. The seed moves them.
// run: scene width=40 height=30 seed=2 ~ 1e-3
kernel void scene(int width, int height, int seed, uint8_t grey[height][width])
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float value = 60 + 20.0f * y / height;
            for (int k = 1; k < 6; k++) {
                float ridge = height * (0.2f + 0.13f * k + 0.06f * sinf(x * 0.011f * k + k * k + seed) +
                                        0.02f * sinf(x * 0.05f * k + seed));
                value = y > ridge ? 60 + 9.0f * k + 6 * sinf(x * 0.2f) * sinf(y * 0.23f) : value;
            }
            grey[y][x] = (uint8_t)value;
        }
    }
}

// run: blur width=37 height=29 radius=3 ~ 1e-5
kernel void blur(int width, int height, int radius, const uint8_t in[height][width], float rows[height][width],
                 float out[height][width])
{
    float weight[33], sum = 0;
    radius = radius > 16 ? 16 : radius;
    for (int k = -radius; k <= radius; k++) {
        weight[k + radius] = expf(-2.0f * k * k / (radius * radius + 1));
        sum += weight[k + radius];
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float value = 0;
            for (int k = -radius; k <= radius; k++) {
                int at = x + k < 0 ? 0 : x + k >= width ? width - 1 : x + k;
                value += weight[k + radius] * in[y][at];
            }
            rows[y][x] = value / sum;
        }
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float value = 0;
            for (int k = -radius; k <= radius; k++) {
                int at = y + k < 0 ? 0 : y + k >= height ? height - 1 : y + k;
                value += weight[k + radius] * rows[at][x];
            }
            out[y][x] = value / sum;
        }
    }
}

// run: edges width=31 height=23
kernel void edges(int width, int height, const float in[height][width], float out[height][width])
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            out[y][x] = 0;
        }
    }
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            float dx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] -
                       in[y + 1][x - 1];
            float dy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] -
                       in[y - 1][x + 1];
            out[y][x] = sqrtf(dx * dx + dy * dy);
        }
    }
}

// run: equalise width=43 height=21
kernel void equalise(int width, int height, const uint8_t in[height][width], uint8_t out[height][width],
                     int histogram[256])
{
    for (int k = 0; k < 256; k++) {
        histogram[k] = 0;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            histogram[in[y][x]]++;
        }
    }
    for (int k = 1; k < 256; k++) {
        histogram[k] += histogram[k - 1];
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            out[y][x] = (uint8_t)(255LL * histogram[in[y][x]] / (width * height));
        }
    }
}

// What the three steps made, as one picture: contrast in grey, edges in orange over it.
// run: compose width=26 height=17
kernel void compose(int width, int height, const uint8_t grey[height][width], const float edge[height][width],
                    uint8_t picture[height][width][3])
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float ink = fminf(1, edge[y][x] / 60);
            picture[y][x][0] = (uint8_t)(grey[y][x] * (1 - ink) + 255 * ink);
            picture[y][x][1] = (uint8_t)(grey[y][x] * (1 - ink) + 140 * ink);
            picture[y][x][2] = (uint8_t)(grey[y][x] * (1 - ink));
        }
    }
}
