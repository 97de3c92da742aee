// Words of CUDA, C++ and GNU C: what to write here instead.
#include <rill/kernel.h>

__global__ void scale(int n, float *x)
{
    int i = blockIdx.x * blockDim.x;
    __shared__ float tile[32];
    __syncthreads();
    atomicAdd(&x[0], 1.0f);
}

__device__ float half_of(float x)
{
    return float(x / 2);
}

flaot wrong;
struct point {
    float x, y;
}
kernel void late(float x[m], int m)
{
    int *p = nullptr;
    asm volatile("nop" ::: "memory");
    x[0] = __builtin_ia32_popcnt(m);
    float4 v;
    cout << m;
}

kernel void open(int n, struct nobody a[n])
{
}

template <class T> T twice(T x);
