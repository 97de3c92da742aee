// #pragma rill unroll: the iterations of a loop around blocks are blocks of one region.
#include <rill/kernel.h>
#include <stdint.h>

kernel void scale_row(int n, int row[n], int factor)
{
    for (int i = 0; i < n; i++) {
        row[i] = row[i] * factor + i;
    }
}

// run: rows n=3000
kernel void rows(int n, int x[8][n])
{
#pragma rill unroll
    for (int k = 0; k < 8; k++) {
        stream_parallel
        {
            int factor = 2 * k + 1;
            scale_row(n, x[k], factor);
        }
    }
}

// Down, unsigned, two blocks in each iteration, and others right before and after: all of them one region.
// run: down n=40
kernel void down(int n, int y[n], uint8_t z[n])
{
    stream_parallel
    {
        y[0] = 100;
    }
#pragma rill unroll
    for (unsigned k = 30; k > 2; k -= 4) {
        stream_parallel
        {
            int last = (int)k;
            last += y[k];
            y[k] = last;
        }
        stream_parallel
        {
            y[k - 1] = (int)k * 3;
        }
    }
#pragma rill unroll
    for (int8_t j = -3; j <= 3; j += 3) {
        stream_parallel
        {
            z[j + 5] = (uint8_t)j;
        }
    }
    stream_parallel
    {
        y[39] = 7;
    }
}

// Updates of all blocks meet, and are atomic.
// run: shared n=5000
kernel int shared(int n, const int a[n], int sum[3])
{
#pragma rill unroll
    for (int k = 0; k < 5; k++) {
        stream_parallel
        {
            for (int i = k; i < n; i += 5) {
                sum[0] += a[i];
                sum[i % 2 + 1] -= k;
            }
        }
    }
    return sum[0];
}

// run: after_each_other n=200
kernel void after_each_other(int n, int x[n])
{
#pragma rill unroll
    for (int k = 1; k < 6; k++)
#pragma rill in_order
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                x[i] = x[i] * 3 + k;
            }
        }
}

// In a time loop and under a condition. With more than 64 blocks in the region, 64 run and then the others.
// run: steps n=70
kernel void steps(int n, int x[n], int y[n])
{
    for (int t = 0; t < 5; t++) {
        if (t % 2 == 0) {
#pragma rill unroll
            for (int k = 0; k != 35; k++) {
                stream_parallel
                {
                    x[k] += t * k;
                }
                stream_parallel
                {
                    x[k + 35] ^= k;
                }
            }
        }
        for (int i = 0; i < n; i++) {
            y[i] += x[n - 1 - i];
        }
    }
}
