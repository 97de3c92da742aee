// rill/algorithms.h: partitions, runs, merges, histograms, transposes and permutations, bit by bit what the plain build
// computes. Lengths lie around those at which an array is cut into parts (4096), and at which parts grow (4 * 4096).
#define RILL_PARTS 4
#include <rill/algorithms.h>

// run: partition n=0
// run: partition n=1
// run: partition n=4097 wild
// run: partition n=30011 wild
// run: partition n=30011
kernel int64_t partition(int n, const float in[n], uint8_t is_first[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        is_first[i] &= 6;
    }
    return rill_partition_f32(n, in, is_first, out);
}

// Keys with runs of all lengths, some over parts.
static void make_keys(int n, int width, int keys[n])
{
    for (int i = 0; i < n; i++) {
        keys[i] = i / width + (int)rill_random_u32(5, i / 7) % 3 / 2;
    }
}

// run: unique n=0 width=1
// run: unique n=1 width=1
// run: unique n=30011 width=1
// run: unique n=30011 width=100
// run: unique n=30011 width=100000
kernel int64_t unique(int n, int width, int keys[n], int out[n])
{
    make_keys(n, width, keys);
    return rill_unique_i32(n, keys, out);
}

// run: unique_floats n=20000 wild
kernel int64_t unique_floats(int n, float in[n], float other[n], float out[n], int64_t counts[4][256])
{
    for (int i = 0; i < n / 2; i++) {
        in[i] = in[i + n / 2];
    }
    rill_sort_with_f32(n, in, other, counts);
    return rill_unique_f32(n, in, out);
}

// run: sums n=0 width=1
// run: sums n=1 width=1
// run: sums n=30011 width=1
// run: sums n=30011 width=100
// run: sums n=30011 width=9000
// run: sums n=30011 width=100000
kernel int64_t sums(int n, int width, int keys[n], const int a[n], const float b[n], int out_keys[n], int out_a[n],
                    float out_b[n], int out_again[n])
{
    make_keys(n, width, keys);
    int64_t runs = rill_sum_i32_by_i32(n, keys, a, out_keys, out_a);
    return 100000 * runs + rill_sum_f32_by_i32(n, keys, b, out_again, out_b);
}

// The number of runs is known on the device, and the sums are sorted there.
// run: sums_sorted n=20000
kernel int sums_sorted(int n, int keys[n], int other[n], const double values[n], int out_keys[n], double out[n],
                       double sorted[n], int order[n], double other_sums[n], int other_order[n], int64_t counts[4][256])
{
    rill_sort_with_i32(n, keys, other, counts);
    int64_t runs = rill_sum_f64_by_i32(n, keys, values, out_keys, out);
    for (int i = 0; i < runs; i++) {
        sorted[i] = out[i];
        order[i] = i;
    }
    rill_sort_pairs_down_with_f64(runs, sorted, order, other_sums, other_order, counts);
    return (int)runs;
}

// run: merges n=0 m=0
// run: merges n=0 m=5000 wild
// run: merges n=5000 m=0 wild
// run: merges n=1 m=9000 wild
// run: merges n=20000 m=7001 wild
// run: merges n=20000 m=7001
kernel void merges(int n, int m, float a[n], float b[m], float other_a[n], float other_b[m], float out[n + m],
                   int64_t counts[4][256])
{
    rill_sort_with_f32(n, a, other_a, counts);
    rill_sort_with_f32(m, b, other_b, counts);
    rill_merge_f32(n, a, m, b, out);
}

// run: histograms n=50000 bins=37 low=-1 high=2.5 wild
// run: histograms n=50000 bins=1 low=0 high=1 wild
// run: histograms n=50000 bins=7 low=1 high=100
kernel void histograms(int n, int bins, double low, double high, const float a[n], const double b[n], int of_a[bins],
                       int of_b[bins])
{
    rill_histogram_f32(n, a, (float)low, (float)high, bins, of_a);
    rill_histogram_f64(n, b, low, high, bins, of_b);
}

// run: transpose n=0 m=4
// run: transpose n=70 m=1
// run: transpose n=301 m=97 wild
kernel void transpose(int n, int m, const double in[n][m], double out[m][n])
{
    rill_transpose_f64(n, m, in, out);
}

// run: permutation n=0 key=1
// run: permutation n=1 key=1
// run: permutation n=7 key=12345678901
// run: permutation n=50000 key=7
kernel void permutation(int n, uint64_t key, int order[n], int other[n])
{
    rill_permutation(n, key, order);
    for (int i = 0; i < n; i++) {
        other[i] = (int)rill_permuted(n, key + 1, order[i]);
    }
}

// run: blocks n=9000
kernel int64_t blocks(int n, const int in[n], const uint8_t is_first[n], int out[n], int keys[n], int unique_keys[n],
                      float in_f[n], float out_f[n], int64_t counted[2])
{
    for (int t = 0; t < 2; t++) {
        stream_parallel
        {
            counted[0] = rill_partition_i32(n, in, is_first, out);
        }
        stream_parallel
        {
            counted[1] = rill_unique_i32(n, keys, unique_keys);
        }
        stream_parallel
        {
            rill_exclusive_scan_f32(n, in_f, out_f);
        }
        for (int i = 0; i < n; i++) {
            keys[i] ^= out[i] & 1;
            in_f[i] = out_f[n - 1 - i] * 1e-3f;
        }
    }
    return counted[0] * 100000 + counted[1];
}
