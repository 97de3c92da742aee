// Flat matrices and their mirror images: m * i + j and m * j + i.
#include <rill/kernel.h>

kernel void above(int m, const float *a, float *c)
{
    for (int i = 0; i < m - 1; i++) {     // expect: proven
        for (int j = i + 1; j < m; j++) { // expect: proven
            c[(long)i * m + j] = a[i] * a[j];
            c[(long)j * m + i] = c[(long)i * m + j];
        }
    }
}

kernel void with_diagonal(int m, const float *a, float *c)
{
    for (int i = 0; i < m; i++) {      // expect: proven
        for (int j = 0; j <= i; j++) { // expect: proven
            c[(long)i * m + j] = a[i] - a[j];
            c[(long)j * m + i] = a[j] - a[i];
        }
    }
}

kernel void summed_in_place(int m, int n, const float *a, float *c)
{
    for (int i = 0; i < m - 1; i++) {     // expect: if
        for (int j = i + 1; j < m; j++) { // expect: if
            c[i * m + j] = 0;
            for (int k = 0; k < n; k++) { // expect: proven
                c[i * m + j] += a[k * m + i] * a[k * m + j];
            }
            c[j * m + i] = c[i * m + j];
        }
    }
}

kernel void transposed(int m, float *c)
{
    for (int i = 0; i < m; i++) {     // expect: proven
        for (int j = 0; j < i; j++) { // expect: proven
            float t = c[(long)i * m + j];
            c[(long)i * m + j] = c[(long)j * m + i];
            c[(long)j * m + i] = t;
        }
    }
}

kernel void in_planes(int m, int n, float *c)
{
    for (int i = 0; i < m; i++) {         // expect: if
        for (int j = i + 1; j < m; j++) { // expect: if
            for (int k = 0; k < n; k++) { // expect: if
                c[((long)j * m + i) * n + k] = c[((long)i * m + j) * n + k];
            }
        }
    }
}

// All of the square: each place is two iterations'.
kernel void whole_square(int m, const float *a, float *c)
{
    for (int i = 0; i < m; i++) {     // expect: in order
        for (int j = 0; j < m; j++) { // expect: proven
            c[(long)i * m + j] = a[i];
            c[(long)j * m + i] = a[j];
        }
    }
}

// One column more than a row has: the last of a row is the first of the next.
kernel void one_too_many(int m, const float *a, float *c)
{
    for (int i = 0; i < m - 1; i++) {      // expect: any
        for (int j = i + 1; j <= m; j++) { // expect: any
            c[(long)i * m + j] = a[i] * 3;
            c[(long)j * m + i] = a[i] * 5;
        }
    }
}

kernel void other_pitch(int m, int pitch, const float *a, float *c)
{
    for (int i = 0; i < m - 1; i++) {     // expect: any
        for (int j = i + 1; j < m; j++) { // expect: any
            c[(long)i * pitch + j] = a[i] * 3;
            c[(long)j * pitch + i] = a[i] * 5;
        }
    }
}
