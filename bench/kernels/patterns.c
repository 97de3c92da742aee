// What bench/patterns compares with libraries: sorts, running sums and lists that keep some elements.
#include <rill/algorithms.h>

// run: sort_u32 n=9000 wild
kernel void sort_u32(int n, const uint32_t in[n], uint32_t out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
    }
    rill_sort_u32(n, out);
}

// run: sort_u64 n=9000 wild
kernel void sort_u64(int n, const uint64_t in[n], uint64_t out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
    }
    rill_sort_u64(n, out);
}

// run: sort_f32 n=9000 wild
kernel void sort_f32(int n, const float in[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
    }
    rill_sort_f32(n, out);
}

// run: sort_pairs n=9000 wild
kernel void sort_pairs(int n, const uint32_t in[n], uint32_t out[n], int order[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
        order[i] = i;
    }
    rill_sort_pairs_u32(n, out, order);
}

// run: scan_i32 n=9000 wild
kernel void scan_i32(int n, const int in[n], int out[n])
{
    rill_inclusive_scan_i32(n, in, out);
}

// run: scan_f32 n=9000
kernel void scan_f32(int n, const float in[n], float out[n])
{
    rill_inclusive_scan_f32(n, in, out);
}

// run: compact n=9000
kernel int compact(int n, const int in[n], int out[n])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] & 1) {
            out[count++] = in[i];
        }
    }
    return count;
}
