#include <rill/kernel.h>
kernel int sorted(int n, int a[n])
{
    int t[n];
    for (int i = 0; i < n; i++) t[i] = a[i];
    return t[0];
}
static int helper(int n, int a[n]) { return sorted(n, a); }
kernel void by_a_helper(int n, int a[n])
{
    a[0] = helper(n, a);
}
static int own(int n)
{
    int t[n][2];
    t[0][1] = n;
    return t[0][1];
}
kernel void of_a_helper(int n, int a[n])
{
    a[0] = own(n);
}
