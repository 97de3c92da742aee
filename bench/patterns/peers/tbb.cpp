// The patterns of bench/patterns by oneTBB: parallel_sort and parallel_scan. Its sort is not stable, so pairs are
// sorted by key and place.
#include "peers.h"

#include <functional>
#include <vector>

#include <tbb/tbb.h>

template <class T> static int sort_into(int n, const T *in, T *out)
{
    tbb::parallel_for(0, n, [&](int i) { out[i] = in[i]; });
    tbb::parallel_sort(out, out + n);
    return n;
}

int peer_sort_u32(int n, const uint32_t *in, uint32_t *out)
{
    return sort_into(n, in, out);
}

int peer_sort_u64(int n, const uint64_t *in, uint64_t *out)
{
    return sort_into(n, in, out);
}

int peer_sort_f32(int n, const float *in, float *out)
{
    return sort_into(n, in, out);
}

int peer_sort_pairs(int n, const uint32_t *in, uint32_t *out, int *order)
{
    static std::vector<peer_pair> pairs;
    pairs.resize((size_t)n);
    tbb::parallel_for(0, n, [&](int i) { pairs[(size_t)i] = {in[i], i}; });
    tbb::parallel_sort(pairs.begin(), pairs.end(), [](const peer_pair &a, const peer_pair &b) {
        return a.key != b.key ? a.key < b.key : a.value < b.value;
    });
    tbb::parallel_for(0, n, [&](int i) {
        out[i] = pairs[(size_t)i].key;
        order[i] = pairs[(size_t)i].value;
    });
    return n;
}

template <class T> static int scan_into(int n, const T *in, T *out)
{
    tbb::parallel_scan(
        tbb::blocked_range<int>(0, n), T(0),
        [&](const tbb::blocked_range<int> &range, T sum, bool is_final) {
            for (int i = range.begin(); i < range.end(); i++) {
                sum += in[i];
                if (is_final) {
                    out[i] = sum;
                }
            }
            return sum;
        },
        std::plus<T>());
    return n;
}

int peer_scan_i32(int n, const int *in, int *out)
{
    return scan_into(n, in, out);
}

int peer_scan_f32(int n, const float *in, float *out)
{
    return scan_into(n, in, out);
}

int peer_compact(int n, const int *in, int *out)
{
    return tbb::parallel_scan(
        tbb::blocked_range<int>(0, n), 0,
        [&](const tbb::blocked_range<int> &range, int count, bool is_final) {
            for (int i = range.begin(); i < range.end(); i++) {
                if ((in[i] & 1) != 0) {
                    if (is_final) {
                        out[count] = in[i];
                    }
                    count++;
                }
            }
            return count;
        },
        std::plus<int>());
}
