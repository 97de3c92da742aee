// Locals that several blocks of a region use without carrying a value from one to another: a block that only reads
// sees the value from before the region, whatever later blocks write.
#include <rill/kernel.h>

// run: written_later n=20000
kernel int written_later(int n, int x[n], int y[n])
{
    int k = n / 2;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            x[i] = i * k;
        }
    }
    stream_parallel
    {
        k = 7;
        for (int i = 0; i < n; i++) {
            y[i] = i + k;
        }
    }
    return k;
}

// run: summed_later n=20000
kernel long summed_later(int n, int x[n], const int y[n])
{
    long s = 5;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            x[i] = i + (int)s;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            s += y[i];
        }
    }
    return s;
}

// Only one block writes, and not always.
// run: perhaps_written n=500 limit=100
// run: perhaps_written n=500 limit=1000
kernel int perhaps_written(int n, int limit, int x[n], int y[n])
{
    int k = 3;
    stream_parallel
    {
        x[0] = k;
    }
    stream_parallel
    {
        if (n > limit) {
            k = n;
        }
        y[0] = k;
    }
    return k;
}

// run: in_a_loop n=300 steps=9
kernel int in_a_loop(int n, int steps, int x[n], int y[n])
{
    int k = 1;
    for (int t = 0; t < steps; t++) {
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                x[i] += k;
            }
        }
        stream_parallel
        {
            k = 2 * k + t;
            for (int i = 0; i < n; i++) {
                y[i] ^= k;
            }
        }
    }
    return k;
}
