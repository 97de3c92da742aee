// Nests that are independent if a test holds at launch: on a GPU each is one space.
#include <rill/kernel.h>

// run: flat n=40 m=70 a=2800 b=2800
// run: flat n=2 m=70 a=140 b=140
kernel void flat(int n, int m, double *a, const double *b)
{
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            a[i * m + j] = b[(i - 1) * m + j] + b[(i + 1) * m + j] + b[i * m + j - 1] + b[i * m + j + 1];
        }
    }
}

// Rows that overlap if the step is short: in order then.
// run: stepped n=40 m=30 s=30 a=1200
// run: stepped n=40 m=30 s=45 a=2000
// run: stepped n=40 m=30 s=7 a=2000
// run: stepped n=40 m=30 s=0 a=2000
kernel void stepped(int n, int m, int s, int *a)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * s + j] = i * 1000 + j;
        }
    }
}

// run: inner_stepped n=40 m=30 s=2 a=3000
// run: inner_stepped n=40 m=30 s=0 a=3000
// run: inner_stepped n=40 m=3 s=-1 a=3000
kernel void inner_stepped(int n, int m, int s, int *a)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * 70 + 5 + j * s] = i * 1000 + j;
        }
    }
}

// run: swapped_pointers n=40 t=5 a=1600 b=1600
// run: swapped_pointers n=40 t=6 a=1600 b=1600
kernel void swapped_pointers(int n, int t, double *a, double *b)
{
    double *x = a, *y = b;
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                y[i * n + j] = (x[(i - 1) * n + j] + x[(i + 1) * n + j] + x[i * n + j - 1] + x[i * n + j + 1]) / 4;
            }
        }
        double *z = x;
        x = y;
        y = z;
    }
}

// run: waves t=4 n=30 m=41
kernel void waves(int t, int n, int m, double ex[n][m], double ey[n][m], double hz[n][m])
{
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < m; j++) {
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 1; j < m; j++) {
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for (int i = 0; i < n - 1; i++) {
            for (int j = 0; j < m - 1; j++) {
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}
