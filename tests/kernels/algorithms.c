// rill/algorithms.h: sorts, running sums, histograms and bounds, bit by bit what the plain build computes. Lengths lie
// around those at which an array is cut into parts (4096), and at which parts grow (4 * 4096).
#define RILL_PARTS 4
#include <rill/algorithms.h>

// struct particle: ifd cell mass energy
struct particle {
    int cell;
    float mass;
    double energy;
};

#define RILL_T struct particle
#define RILL_NAME(name) particle_##name
#define RILL_CODE_T uint32_t
#define RILL_CODE(x, is_down) rill_code_i32((x).cell, is_down)
#include <rill/sort_of.h>
#undef RILL_T
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

// run: sort_floats n=0 wild
// run: sort_floats n=1 wild
// run: sort_floats n=2 wild
// run: sort_floats n=4097 wild
// run: sort_floats n=30011 wild
kernel void sort_floats(int n, float up[n], float down[n], float other[n], int64_t counts[4][256])
{
    rill_sort_with_f32(n, up, other, counts);
    rill_sort_down_with_f32(n, down, other, counts);
}

// run: sort_doubles n=3 wild
// run: sort_doubles n=9001 wild
kernel void sort_doubles(int n, double up[n], double down[n], double other[n], int64_t counts[4][256])
{
    rill_sort_with_f64(n, up, other, counts);
    rill_sort_down_with_f64(n, down, other, counts);
}

// run: sort_ints n=12345 wild
// run: sort_ints n=12345
kernel void sort_ints(int n, int a[n], unsigned b[n], int other_a[n], unsigned other_b[n], int64_t counts[4][256])
{
    rill_sort_with_i32(n, a, other_a, counts);
    rill_sort_down_with_u32(n, b, other_b, counts);
}

// run: sort_longs n=8193 wild
// run: sort_longs n=8193
kernel void sort_longs(int n, int64_t a[n], uint64_t b[n], int64_t other_a[n], uint64_t other_b[n],
                       int64_t counts[4][256])
{
    rill_sort_down_with_i64(n, a, other_a, counts);
    rill_sort_with_u64(n, b, other_b, counts);
}

// run: pairs n=10000 wild
// run: pairs n=10000
kernel void pairs(int n, int64_t keys[n], int values[n], int64_t other[n], int other_values[n], int64_t counts[4][256])
{
    rill_sort_pairs_with_i64(n, keys, values, other, other_values, counts);
    for (int i = 0; i < n; i++) {
        keys[i] = keys[i] % 7;
    }
    rill_sort_pairs_down_with_i64(n, keys, values, other, other_values, counts);
}

// run: orders n=0 wild
// run: orders n=10000 wild
kernel void orders(int n, const float keys[n], int up[n], int down[n])
{
    rill_order_f32(n, keys, up);
    rill_order_down_f32(n, keys, down);
}

// The sorts' memory is lent, also in blocks and in a loop that runs in order.
// run: lent n=9000 wild
// run: lent n=0
kernel void lent(int n, int a[n], float b[2 * n], double c[n], int values[n])
{
    for (int t = 0; t < 2; t++) {
        stream_parallel
        {
            rill_sort_down_i32(n, a);
        }
        stream_parallel
        {
            rill_sort_f32(2 * n, b);
        }
        stream_parallel
        {
            rill_sort_pairs_f64(n, c, values);
        }
        for (int i = 0; i < n; i++) {
            a[i] ^= values[i];
            b[i] = -b[i];
            c[n - 1 - i] = (double)b[n + i];
        }
    }
}

// run: structs n=9000
// run: structs n=9000 wild
kernel void structs(int n, struct particle a[n], struct particle other[n], int64_t counts[4][256])
{
    particle_sort_with(n, a, other, counts);
    for (int i = 0; i < n; i++) {
        a[i].cell %= 5;
    }
    particle_sort_down(n, a);
}

// The length is in an array.
// run: of_data n=20000 wild
kernel int of_data(int n, float keys[n], float other[n], int length[1], int64_t counts[4][256])
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        m += keys[i] > 0;
    }
    length[0] = m;
    rill_sort_with_f32(length[0], keys, other, counts);
    return (int)rill_lower_bound_f32(m, keys, 0.5f);
}

// In a loop that runs in order, and in blocks.
// run: rounds n=5000 wild
kernel void rounds(int n, unsigned keys[n], unsigned other[n], int64_t counts[4][256])
{
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < n; i++) {
            keys[i] = keys[i] * 1664525u + 1013904223u;
        }
        rill_sort_with_u32(n, keys, other, counts);
    }
}

static rill_counts field_counts;

// run: blocks n=9000 wild
kernel void blocks(int n, int a[n], float b[n], int other_a[n], float other_b[n], int64_t counts[4][256],
                   int64_t sums[n])
{
    for (int t = 0; t < 2; t++) {
        stream_parallel
        {
            rill_sort_down_with_i32(n, a, other_a, counts);
        }
        stream_parallel
        {
            rill_sort_with_f32(n, b, other_b, field_counts);
        }
        stream_parallel
        {
            rill_inclusive_scan_i64(n, sums, sums);
        }
        for (int i = 0; i < n; i++) {
            a[i] ^= (int)sums[i];
            b[i] = -b[i];
        }
    }
}

// In a parallel loop they are functions.
// run: rows n=40 m=100 wild
kernel void rows(int n, int m, float a[n][m], float other[n][m], int64_t counts[n][4][256])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        rill_sort_with_f32(m, a[i], other[i], counts[i]);
    }
}

// run: scan_ints n=0 wild
// run: scan_ints n=1 wild
// run: scan_ints n=4096 wild
// run: scan_ints n=50001 wild
kernel int scan_ints(int n, const int a[n], int in[n], int ex[n], const uint64_t b[n], uint64_t in_b[n],
                     uint64_t sum[1])
{
    int total = rill_inclusive_scan_i32(n, a, in);
    total ^= rill_exclusive_scan_i32(n, a, ex);
    rill_inclusive_scan_u64(n, b, in_b);
    sum[0] = rill_exclusive_scan_u64(n, in_b, in_b);
    return total;
}

// run: scan_floats n=50001
// run: scan_floats n=100
kernel double scan_floats(int n, const float a[n], float in[n], float ex[n], double b[n])
{
    double total = rill_inclusive_scan_f32(n, a, in);
    total += rill_exclusive_scan_f32(n, a, ex);
    return total + rill_inclusive_scan_f64(n, b, b);
}

// run: histogram n=50000 bins=100
// run: histogram n=50000 bins=3 wild
// run: histogram n=50000 bins=0
kernel void histogram(int n, int bins, const int bin[n], int counts[bins])
{
    rill_histogram(n, bin, bins, counts);
}

// run: bounds n=3000 m=5000
// run: bounds n=3000 m=5000 wild
// run: bounds n=0 m=10
kernel void bounds(int n, int m, float a[n], const float values[m], int lower[m], int upper[m], float other[n],
                   int64_t counts[4][256])
{
    rill_sort_with_f32(n, a, other, counts);
    rill_lower_bounds_f32(n, a, m, values, lower);
    rill_upper_bounds_f32(n, a, m, values, upper);
}
