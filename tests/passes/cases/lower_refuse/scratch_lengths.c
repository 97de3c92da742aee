#include <rill/kernel.h>
kernel void from_memory(int n, const int a[n], int b[n])
{
    int t[a[0]];
    t[0] = n;
    b[0] = t[0];
}
kernel void assigned_again(int n, int b[n])
{
    int m = n / 2;
    m += 1;
    int t[n][m];
    t[0][0] = m;
    b[0] = t[0][0];
}
kernel void of_the_loop(int n, int b[n])
{
    for (int i = 1; i < n; i++) {
        int t[i];
        for (int k = 0; k < i; k++) t[k] = b[k];
        for (int k = 0; k < i; k++) b[i] += t[i - 1 - k];
    }
}
kernel void by_floats(float n, int b[4])
{
    int t[(int)(n * 0.5f)];
    t[0] = 1;
    b[0] = t[0];
}
kernel void of_iterations(int n, int b[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        int t[n];
        for (int k = 0; k < n; k++) t[k] = i + k;
        b[i] = t[n - 1 - i];
    }
}
kernel void of_iterations_and_large(int n, int b[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        int t[100000];
        for (int k = 0; k < n; k++) t[k] = i + k;
        b[i] = t[n - 1 - i];
    }
}
kernel void aligned(int n, int b[n])
{
    _Alignas(1024) int t[n];
    t[0] = 1;
    b[0] = t[0];
}
