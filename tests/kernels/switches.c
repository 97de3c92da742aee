// Loops and blocks under a switch: they are tasks like those under an if. Falling through, breaks in the middle,
// defaults anywhere, switches in loops and in each other, over arguments and over data.
#include <rill/kernel.h>

// run: modes n=500 mode=0
// run: modes n=500 mode=1
// run: modes n=500 mode=2
// run: modes n=500 mode=7
kernel int modes(int n, int mode, const int x[n], int y[n])
{
    int s = 0;
    switch (mode) {
    case 0:
        for (int i = 0; i < n; i++) {
            y[i] = x[i] * 2;
        }
        break;
    case 1: s = 5;
    case 2:
        for (int i = 0; i < n; i++) {
            y[i] = x[i] * 3 + s;
        }
        /* falls through */
    default:
        for (int i = 0; i < n; i++) {
            y[i] += 1;
            s += y[i];
        }
    }
    return s + mode;
}

// run: default_first n=300 mode=3
// run: default_first n=300 mode=4
// run: default_first n=300 mode=-1
kernel int default_first(int n, int mode, int y[n])
{
    int k = mode;
    switch (k) {
    default:
        for (int i = 0; i < n; i++) {
            y[i] ^= 1;
        }
    case 3:
        k = 9;
        for (int i = 0; i < n; i++) {
            y[i] += k;
        }
        break;
    case 4:
        for (int i = 0; i < n; i++) {
            y[i] -= k;
        }
    }
    return k;
}

// run: leaves n=300 mode=1 k=2
// run: leaves n=300 mode=1 k=50
// run: leaves n=300 mode=2 k=50
// run: leaves n=300 mode=9 k=50
kernel int leaves(int n, int mode, int k, const int x[n], int y[n])
{
    int r = 0;
    switch (mode) {
    case 1:
        for (int i = 0; i < n; i++) {
            y[i] = x[i];
        }
        if (k > 10) {
            r = 1;
            break;
        }
        r = 2;
    case 2:
        for (int i = 0; i < n; i++) {
            y[i] += 2;
        }
        if (x[0] > 5) {
            return r + 10;
        }
    case 3: break;
    }
    for (int i = 0; i < n; i++) {
        y[i] *= 2;
    }
    return r;
}

// run: in_time n=200 steps=13
kernel int in_time(int n, int steps, const int x[n], int y[n])
{
    int done = 0;
    for (int t = 0; t < steps; t++) {
        switch (t % 4) {
        case 0:
            for (int i = 0; i < n; i++) {
                y[i] = y[i] * 3 + x[i];
            }
            break;
        case 1:
            if (t == 5) {
                continue;
            }
            for (int i = 0; i < n; i++) {
                y[i] ^= t;
            }
            break;
        case 2:
            switch (t & 4) {
            case 4:
                for (int i = 0; i < n; i++) {
                    y[i] -= 7;
                }
                break;
            default: done++;
            }
        }
        done += t;
    }
    return done;
}

// run: over_data n=100
kernel int over_data(int n, const int x[n], int y[n])
{
    int which = 0;
    for (int i = 0; i < n; i++) {
        which += x[i];
    }
    switch (which & 3) {
    case 0:
        for (int i = 0; i < n; i++) {
            y[i] = 0;
        }
        break;
    case 1:
    case 2:
        for (int i = 0; i < n; i++) {
            y[i] = x[n - 1 - i];
        }
        break;
    case 3:
        for (int i = 0; i < n; i++) {
            y[i] = i;
        }
    }
    return which;
}

// run: blocks_inside n=200 mode=0
// run: blocks_inside n=200 mode=1
// run: blocks_inside n=200 mode=5
kernel void blocks_inside(int n, unsigned char mode, const int x[n], int y[n], int z[n])
{
    switch (mode) {
    case 0:
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                y[i] = x[i] + 1;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] - 1;
            }
        }
        break;
    case 1:
        for (int i = 0; i < n; i++) {
            z[i] = 3;
        }
    default:
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                y[i] ^= x[i];
            }
        }
    }
}

// In a parallel loop a switch is code.
// run: in_a_loop n=300 m=9
kernel void in_a_loop(int n, int m, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        switch (x[i] % 3) {
        case 0:
            for (int j = 0; j < m; j++) {
                s += j * x[i];
            }
            break;
        case 1: s = 4;
        default:
            for (int j = 0; j < m; j++) {
                if (j > x[i]) {
                    break;
                }
                s ^= j;
            }
        }
        y[i] = s;
    }
}
