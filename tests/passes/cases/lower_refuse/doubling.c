#include <rill/kernel.h>

// Kernels that call kernels twice double at each level; what one stands for is limited.
kernel void k0(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] += i;
    }
}

kernel void k1(int n, int a[n])
{
    k0(n, a);
    k0(n, a);
}

kernel void k2(int n, int a[n])
{
    k1(n, a);
    k1(n, a);
}

kernel void k3(int n, int a[n])
{
    k2(n, a);
    k2(n, a);
}

kernel void k4(int n, int a[n])
{
    k3(n, a);
    k3(n, a);
}

kernel void k5(int n, int a[n])
{
    k4(n, a);
    k4(n, a);
}

kernel void k6(int n, int a[n])
{
    k5(n, a);
    k5(n, a);
}

kernel void k7(int n, int a[n])
{
    k6(n, a);
    k6(n, a);
}

kernel void k8(int n, int a[n])
{
    k7(n, a);
    k7(n, a);
}

kernel void k9(int n, int a[n])
{
    k8(n, a);
    k8(n, a);
}

kernel void k10(int n, int a[n])
{
    k9(n, a);
    k9(n, a);
}

kernel void k11(int n, int a[n])
{
    k10(n, a);
    k10(n, a);
}

kernel void k12(int n, int a[n])
{
    k11(n, a);
    k11(n, a);
}

kernel void k13(int n, int a[n])
{
    k12(n, a);
    k12(n, a);
}

kernel void k14(int n, int a[n])
{
    k13(n, a);
    k13(n, a);
}

kernel void k15(int n, int a[n])
{
    k14(n, a);
    k14(n, a);
}

kernel void k16(int n, int a[n])
{
    k15(n, a);
    k15(n, a);
}

kernel void k17(int n, int a[n])
{
    k16(n, a);
    k16(n, a);
}

kernel void k18(int n, int a[n])
{
    k17(n, a);
    k17(n, a);
}

kernel void k19(int n, int a[n])
{
    k18(n, a);
    k18(n, a);
}

kernel void k20(int n, int a[n])
{
    k19(n, a);
    k19(n, a);
}

kernel void k21(int n, int a[n])
{
    k20(n, a);
    k20(n, a);
}

kernel void k22(int n, int a[n])
{
    k21(n, a);
    k21(n, a);
}

kernel void k23(int n, int a[n])
{
    k22(n, a);
    k22(n, a);
}
