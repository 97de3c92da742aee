// Arrays of a kernel's own at its outer level: of variable length, or large. The launch lends the memory.
#include <rill/kernel.h>

// run: smooth n=1000 rounds=3
// run: smooth n=1 rounds=2
// run: smooth n=0 rounds=1
kernel void smooth(int n, int rounds, float x[n])
{
    float t[n];
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++) {
            t[i] = (x[i > 0 ? i - 1 : i] + x[i < n - 1 ? i + 1 : i]) * 0.5f;
        }
        for (int i = 0; i < n; i++) {
            x[i] = t[i];
        }
    }
}

// The lengths are made of arguments, by variables and a helper.
static int half_up(int n)
{
    return (n + 1) / 2;
}

// run: pyramid n=777
// run: pyramid n=2
kernel int pyramid(int n, const int a[n])
{
    const int half = half_up(n);
    int quarter = n > 4 ? half / 2 : 1;
    int two[half], four[quarter];
    for (int i = 0; i < half; i++) {
        two[i] = a[2 * i] + (2 * i + 1 < n ? a[2 * i + 1] : 0);
    }
    for (int i = 0; i < quarter; i++) {
        four[i] = two[i] - (2 * i + 1 < half ? two[2 * i + 1] : 7);
    }
    int sum = (int)(sizeof two / sizeof two[0]) * 1000;
    for (int i = 0; i < quarter; i++) {
        sum += four[i] * (i & 3);
    }
    return sum;
}

// run: transpose_twice n=33 m=20
// run: transpose_twice n=1 m=5
kernel void transpose_twice(int n, int m, float a[n][m])
{
    float t[m][n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            t[j][i] = a[i][j] + 1;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = t[j][i] * 2;
        }
    }
}

// In a time loop, with a size of its own, and by pointers.
// run: in_time n=500 steps=4
kernel void in_time(int n, int steps, int x[n])
{
    for (int s = 0; s < steps; s++) {
        int t[n + 1];
        int *p = t + 1;
        t[0] = s;
        for (int i = 0; i < n; i++) {
            p[i] = x[i] * 3;
        }
        for (int i = 0; i < n; i++) {
            x[i] = t[i] + t[i + 1];
        }
    }
}

// A kernel that others call: in blocks each has an array of its own.
kernel void reversed(int n, int x[n], int add)
{
    int t[n];
    for (int i = 0; i < n; i++) {
        t[i] = x[n - 1 - i];
    }
    for (int i = 0; i < n; i++) {
        x[i] = t[i] + add;
    }
}

// run: in_blocks n=400 rounds=3
kernel void in_blocks(int n, int rounds, int a[restrict n], int b[restrict n])
{
    for (int r = 0; r < rounds; r++) {
        stream_parallel
        {
            reversed(n, a, r);
        }
        stream_parallel
        {
            reversed(n, b, 2 * r);
        }
        reversed(n, a, 1);
    }
}

// An array outside, used by blocks inside: halves that do not overlap.
// run: shared_by_blocks n=256
kernel int shared_by_blocks(int n, const int a[n])
{
    int t[2][n];
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            t[0][i] = a[i] + 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            t[1][i] = a[i] * 2;
        }
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += t[0][i] ^ t[1][n - 1 - i];
    }
    return sum;
}

// run: guarded n=300 is_wanted=1
// run: guarded n=300 is_wanted=0
// run: guarded n=0 is_wanted=1
// run: guarded n=-5 is_wanted=1
kernel int guarded(int n, int is_wanted, const int x[4])
{
    if (n <= 0) {
        return 42;
    }
    int sum = x[0];
    if (is_wanted) {
        int t[n + 1];
        for (int i = 0; i < n; i++) {
            t[i] = i * 3;
        }
        for (int i = 0; i < n; i++) {
            sum += t[n - 1 - i] * i;
        }
    }
    return sum;
}

struct cell {
    float mass;
    int count;
};

// Structs, and sums into an array of the kernel's own.
// run: bins n=3000 m=50
kernel void bins(int n, int m, const int a[n], int out[m])
{
    struct cell cells[m];
    for (int k = 0; k < m; k++) {
        cells[k].mass = 0;
        cells[k].count = 0;
    }
    for (int i = 0; i < n; i++) {
        cells[a[i] % m].count += 1;
        cells[(a[i] + i) % m].mass += 1;
    }
    for (int k = 0; k < m; k++) {
        out[k] = cells[k].count * 100 + (int)cells[k].mass;
    }
}

// Large ones of a fixed length, with initialisers.
// run: fixed n=700
kernel int fixed(int n, const int a[n])
{
    int seen[100000] = {5, 6, [99999] = 7};
    double weights[300][20];
    for (int i = 0; i < n; i++) {
        seen[(a[i] * 37 + i) % 100000] += i;
    }
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < 20; j++) {
            weights[i][j] = i * 20 + j;
        }
    }
    int sum = 0;
    for (int i = 0; i < 100000; i++) {
        sum += seen[i] * (i % 11);
    }
    for (int i = 0; i < 6000; i++) {
        sum += (int)weights[i / 20][i % 20];
    }
    return sum;
}

// Called twice one after the other, and by a helper-sized kernel that gets it as an argument.
static int total(int n, const int t[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += t[i];
    }
    return sum;
}

// run: argument n=600
kernel int argument(int n, int a[n])
{
    reversed(n, a, 5);
    reversed(n, a, 6);
    int t[n];
    for (int i = 0; i < n; i++) {
        t[i] = a[i] * i;
    }
    reversed(n, t, 1);
    return total(n, t);
}

// Rows are the outer loop's; its iterations share the array, and so run in order.
// run: rows n=40 m=64
kernel void rows(int n, int m, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        int t[m];
        for (int j = 0; j < m; j++) {
            t[j] = a[i][m - 1 - j];
        }
        for (int j = 0; j < m; j++) {
            a[i][j] = t[j] + j;
        }
    }
}
