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

// run: scan_loop n=9000 wild
kernel void scan_loop(int n, const int in[n], int out[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

// run: unique n=9000
kernel int unique(int n, const int in[n], int out[n])
{
    return (int)rill_unique_i32(n, in, out);
}

// The order is nobody's, so that what is appended is always the same.
// run: append n=9000
kernel int append(int n, const int in[n], int out[n])
{
    int count[1];
    count[0] = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] & 1) {
            int at = rill_atomic_add(&count[0], 1);
            out[at] = in[i] & 1;
        }
    }
    return count[0];
}

// run: bytes n=9000 wild
kernel int bytes(int n, const uint32_t in[n], uint32_t out[n])
{
    for (int b = 0; b < 256; b++) {
        out[b] = 0;
    }
    for (int i = 0; i < n; i++) {
        out[in[i] & 255]++;
    }
    return 256;
}

// A counting sort as one writes it for many threads: by the highest byte, in parts.
// run: distribute n=9000 wild
kernel void distribute(int n, const uint32_t in[n], uint32_t out[n])
{
    enum { PARTS = 1024, LISTS = 256 };
    int place[LISTS * PARTS];
    int size = (n + PARTS - 1) / PARTS;
#pragma rill parallel
    for (int p = 0; p < PARTS; p++) {
        int count[LISTS] = {0};
        for (int i = p * size; i < (p + 1) * size && i < n; i++) {
            count[in[i] >> 24]++;
        }
        for (int d = 0; d < LISTS; d++) {
            place[d * PARTS + p] = count[d];
        }
    }
    int before = 0;
    for (int k = 0; k < LISTS * PARTS; k++) {
        int count = place[k];
        place[k] = before;
        before += count;
    }
#pragma rill parallel
    for (int p = 0; p < PARTS; p++) {
        int at[LISTS];
        for (int d = 0; d < LISTS; d++) {
            at[d] = place[d * PARTS + p];
        }
        for (int i = p * size; i < (p + 1) * size && i < n; i++) {
            uint32_t x = in[i];
            out[at[x >> 24]++] = x;
        }
    }
}
