// The patterns of bench/patterns by CUB, on device memory. What CUB wants besides is allocated at the first call of each.
#include "peers.h"

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

struct scratch {
    void *memory = nullptr;
    size_t size = 0;
};

template <class Call> static int with_scratch(scratch &s, int result, Call call)
{
    size_t size = 0;
    call((void *)nullptr, size);
    if (size > s.size) {
        cudaFree(s.memory);
        s.memory = nullptr;
        if (cudaMalloc(&s.memory, size) != cudaSuccess) {
            return -1;
        }
        s.size = size;
    }
    call(s.memory, size);
    return cudaDeviceSynchronize() == cudaSuccess ? result : -1;
}

template <class T> static int sort_into(int n, const T *in, T *out)
{
    static scratch s;
    return with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceRadixSort::SortKeys(memory, size, in, out, n);
    });
}

template <class T> static int scan_into(int n, const T *in, T *out)
{
    static scratch s;
    return with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceScan::InclusiveSum(memory, size, in, out, n);
    });
}

__global__ static void number(int n, int *order)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        order[i] = i;
    }
}

struct is_odd {
    __device__ bool operator()(int x) const { return (x & 1) != 0; }
};

int peer_sort_u32(int n, const uint32_t *in, uint32_t *out) { return sort_into(n, in, out); }

int peer_sort_u64(int n, const uint64_t *in, uint64_t *out) { return sort_into(n, in, out); }

int peer_sort_f32(int n, const float *in, float *out) { return sort_into(n, in, out); }

int peer_sort_pairs(int n, const uint32_t *in, uint32_t *out, int *order)
{
    static scratch s;
    static int *places = nullptr;
    static int count = 0;
    if (count < n) {
        cudaFree(places);
        count = 0;
        if (cudaMalloc(&places, (size_t)n * sizeof(int)) != cudaSuccess) {
            return -1;
        }
        count = n;
    }
    number<<<(unsigned)((n + 255) / 256), 256>>>(n, places);
    return with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceRadixSort::SortPairs(memory, size, in, out, places, order, n);
    });
}

int peer_scan_i32(int n, const int *in, int *out) { return scan_into(n, in, out); }

int peer_scan_f32(int n, const float *in, float *out) { return scan_into(n, in, out); }

int peer_compact(int n, const int *in, int *out)
{
    static scratch s;
    static int *kept = nullptr;
    if (kept == nullptr && cudaMalloc(&kept, sizeof(int)) != cudaSuccess) {
        return -1;
    }
    int result = with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceSelect::If(memory, size, in, out, kept, n, is_odd());
    });
    int count = -1;
    return result >= 0 && cudaMemcpy(&count, kept, sizeof count, cudaMemcpyDeviceToHost) == cudaSuccess ? count : -1;
}

int peer_scan_loop(int n, const int *in, int *out) { return scan_into(n, in, out); }

int peer_unique(int n, const int *in, int *out)
{
    static scratch s;
    static int *kept = nullptr;
    if (kept == nullptr && cudaMalloc(&kept, sizeof(int)) != cudaSuccess) {
        return -1;
    }
    int result = with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceSelect::Unique(memory, size, in, out, kept, n);
    });
    int count = -1;
    return result >= 0 && cudaMemcpy(&count, kept, sizeof count, cudaMemcpyDeviceToHost) == cudaSuccess ? count : -1;
}

struct low_byte {
    __host__ __device__ int operator()(uint32_t x) const { return (int)(x & 255); }
};

int peer_bytes(int n, const uint32_t *in, int *out)
{
    static scratch s;
    auto samples = thrust::make_transform_iterator(in, low_byte());
    return with_scratch(s, 256, [&](void *memory, size_t &size) {
        cub::DeviceHistogram::HistogramEven(memory, size, samples, out, 257, 0, 256, n);
    });
}

int peer_distribute(int n, const uint32_t *in, uint32_t *out)
{
    static scratch s;
    return with_scratch(s, n, [&](void *memory, size_t &size) {
        cub::DeviceRadixSort::SortKeys(memory, size, in, out, n, 24, 32);
    });
}
