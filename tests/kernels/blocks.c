// stream_parallel: the results are those of running the blocks one after the other.
#include <rill/kernel.h>

// run: apart n=1000
kernel void apart(int n, const int a[n], int b[n], int c[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = a[i] * 2;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i] = a[i] * 3;
        }
    }
    for (int i = 0; i < n; i++) {
        b[i] += c[i];
    }
}

// run: in_time n=200 steps=20
kernel int in_time(int n, int steps, int a[n], int b[n], int c[n])
{
    for (int t = 0; t < steps; t++) {
        stream_parallel
        {
            for (int i = 1; i < n; i++) {
                b[i] = a[i - 1] + t;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n - 1; i++) {
                c[i] = a[i + 1] - t;
            }
        }
        for (int i = 0; i < n; i++) {
            a[i] = b[i] ^ c[i];
        }
    }
    return a[n / 2];
}

// run: halves n=1000 k=500
// run: halves n=1000 k=300
// run: halves n=1000 k=0
kernel void halves(int n, int k, int a[n + 500])
{
    stream_parallel
    {
        for (int i = 0; i < 500; i++) {
            a[i] = i;
        }
    }
    stream_parallel
    {
        for (int i = k; i < k + 500; i++) {
            a[i] = -i;
        }
    }
}

// run: both_update n=2000
kernel void both_update(int n, const int a[n], int sum[1], int hist[16])
{
    stream_parallel
    {
        for (int i = 0; i < n / 2; i++) {
            sum[0] += a[i];
            hist[a[i] % 16]++;
        }
    }
    stream_parallel
    {
        for (int i = n / 2; i < n; i++) {
            sum[0] += a[i];
            hist[a[i] % 16] += 2;
        }
    }
}

// run: in_order n=500
kernel void in_order(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] += i;
        }
    }
#pragma rill in_order
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] *= 3;
        }
    }
}

// run: shared_counter n=300
kernel int shared_counter(int n, int a[n], int b[n])
{
    int i, t;
    stream_parallel
    {
        for (i = 0; i < n; i++) {
            t = i * 2;
            a[i] = t;
        }
    }
    stream_parallel
    {
        for (i = 0; i < n - 5; i++) {
            t = i * 3;
            b[i] = t;
        }
    }
    return i * 10000; // 't' would be the first block's if the second loop had no iterations
}

static int left, right;

// run: fields n=300
kernel int fields(int n, const int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            left += a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            right -= a[i];
        }
    }
    stream_parallel
    {
    }
    return left * 3 + right;
}

kernel void doubled(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 2;
    }
}

kernel int summed(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    return s;
}

// run: kernels n=400
kernel void kernels(int n, const int a[n], int b[n], int out[2])
{
    stream_parallel
    {
        doubled(n, a, b);
    }
    stream_parallel
    {
        out[0] = summed(n, a);
    }
    out[1] = summed(n, b);
}

// run: control_inside n=100 k=4
// run: control_inside n=100 k=-4
kernel int control_inside(int n, int k, int a[n], int b[n], int c[n])
{
    if (k > 0) {
        stream_parallel
        {
            for (int t = 0; t < k; t++) {
                for (int i = 0; i < n; i++) {
                    a[i] += t;
                }
                if (t == 2) {
                    for (int i = 0; i < n; i++) {
                        a[i] ^= 1;
                    }
                }
            }
        }
        stream_parallel
        {
            int s = 0;
            for (int i = 0; i < n; i++) {
                s += c[i];
            }
            for (int i = 0; i < n; i++) {
                b[i] = s;
            }
        }
    } else {
        stream_parallel
        {
            a[0] = 5;
        }
        stream_parallel
        {
            b[0] = 6;
        }
        stream_parallel
        {
            c[0] = 7;
        }
    }
    return a[0] + b[0] + c[0];
}

// run: rows n=64 m=10 r=2 s=7
// run: rows n=64 m=10 r=7 s=7
kernel void rows(int n, int m, int r, int s, int a[m][n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[r][i] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[s][i] = n - i;
        }
    }
}

// run: many n=128
kernel void many(int n, int a[8][n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[0][i] += 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[1][i] += 2;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2][i] += 3;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[3][i] += 4;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[4][i] += 5;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[5][i] += 6;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[6][i] += 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[7][i] += 8;
        }
    }
    for (int i = 0; i < n; i++) {
        a[0][i] += a[7][n - 1 - i];
    }
}

// run: two_regions n=100
kernel int two_regions(int n, int a[n], int b[n])
{
    int k = 3, k2;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = -i;
        }
    }
    k += 4; // ends the region
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] += b[i] * k;
        }
    }
    stream_parallel
    {
        k2 = 8;
    }
    return k + k2 + a[5];
}
