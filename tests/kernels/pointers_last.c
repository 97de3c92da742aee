// Pointers that a parallel loop leaves a value in: the last one that it stored, or the old one if it stored none.
#include <rill/kernel.h>

// run: last_of n=5000 m=5000
// run: last_of n=5000 m=0
kernel int last_of(int n, int m, int a[n], int x[n])
{
    int *p = a;
    for (int i = 0; i < m; i++) {
        p = a + i;
        x[i] = *p + i;
    }
    *p = -7;
    return (int)(p - a);
}

// run: last_that_matched n=5000 k=50
// run: last_that_matched n=5000 k=1000
kernel int last_that_matched(int n, int k, const int a[n], int x[n])
{
    const int *found = a;
    for (int i = 0; i < n; i++) {
        x[i] = a[i] * 2;
        if (a[i] == k) {
            found = &a[i];
        }
    }
    return (int)(found - a) + *found * 100000;
}

// run: of_two_arrays n=5000
kernel int of_two_arrays(int n, int a[n], int b[n], int x[n])
{
    int *p = 0;
    for (int i = 0; i < n; i++) {
        p = i % 2 == 0 ? &a[i] : &b[i];
        x[i] = *p;
    }
    if (p == 0) {
        return -1;
    }
    *p = 99;
    return x[n - 1];
}

// run: in_a_nest n=70 m=90
kernel int in_a_nest(int n, int m, int a[n][m], int x[n][m])
{
    int *p = &a[0][0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            p = &a[i][j];
            x[i][j] = *p * 3;
        }
    }
    *p = -3;
    return (int)(p - &a[0][0]);
}

// run: beside_a_sum n=5000
kernel int beside_a_sum(int n, int a[n], double y[n])
{
    int sum = 0;
    int *p = a;
    double last = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            p = &a[i];
            last = a[i] * 0.5;
        }
        sum += a[i];
    }
    y[0] = last;
    *p = sum;
    return sum;
}

// The one that serial C keeps, chosen by value.
// run: of_the_least n=5000
kernel int of_the_least(int n, int a[n])
{
    int best = 1 << 30;
    int *p = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < best) {
            best = a[i];
            p = &a[i];
        }
    }
    if (p != 0) {
        *p = -1;
    }
    return best;
}

// To a field.
static int table[4000];

// run: of_a_field n=4000
kernel int of_a_field(int n, int x[n])
{
    int *p = table;
    for (int i = 0; i < n; i++) {
        p = &table[i / 2];
        x[i] += i;
    }
    *p = 5;
    return (int)(p - table) + table[n / 2 - 1];
}

// run: in_steps n=3000 steps=20
kernel int in_steps(int n, int steps, int a[n], int b[n])
{
    int *p = a;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n - s; i++) {
            p = i % 3 == 0 ? p : &a[i];
            b[i] += i;
        }
        *p += s;
    }
    return (int)(p - a);
}

// run: in_blocks n=3000
kernel void in_blocks(int n, int a[n], int b[n])
{
    stream_parallel
    {
        int *p = a;
        for (int i = 0; i < n; i++) {
            p = &a[i];
            *p += 1;
        }
        *p = 0;
    }
    stream_parallel
    {
        int *p = b;
        for (int i = 0; i < n; i++) {
            p = &b[n - 1 - i];
            *p += 2;
        }
        *p = 0;
    }
}
