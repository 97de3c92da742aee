// The patterns of bench/patterns by the C++ library: serial, and built with -D_GLIBCXX_PARALLEL by gcc's parallel mode.
#include "peers.h"

#include <algorithm>
#include <numeric>
#include <vector>

template <class T> static int sort_into(int n, const T *in, T *out)
{
    std::copy(in, in + n, out);
    std::sort(out, out + n);
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
    for (int i = 0; i < n; i++) {
        pairs[(size_t)i] = {in[i], i};
    }
    std::stable_sort(pairs.begin(), pairs.end(), peer_before);
    for (int i = 0; i < n; i++) {
        out[i] = pairs[(size_t)i].key;
        order[i] = pairs[(size_t)i].value;
    }
    return n;
}

int peer_scan_i32(int n, const int *in, int *out)
{
    std::partial_sum(in, in + n, out);
    return n;
}

int peer_scan_f32(int n, const float *in, float *out)
{
    std::partial_sum(in, in + n, out);
    return n;
}

int peer_compact(int n, const int *in, int *out)
{
    return (int)(std::copy_if(in, in + n, out, [](int x) { return (x & 1) != 0; }) - out);
}

int peer_scan_loop(int n, const int *in, int *out)
{
    return peer_scan_i32(n, in, out);
}

int peer_unique(int n, const int *in, int *out)
{
    return (int)(std::unique_copy(in, in + n, out) - out);
}

int peer_append(int n, const int *in, int *out)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] & 1) {
            out[count++] = 1;
        }
    }
    return count;
}

int peer_bytes(int n, const uint32_t *in, int *out)
{
    std::fill(out, out + 256, 0);
    for (int i = 0; i < n; i++) {
        out[in[i] & 255]++;
    }
    return 256;
}

int peer_distribute(int n, const uint32_t *in, uint32_t *out)
{
    int at[257] = {0};
    for (int i = 0; i < n; i++) {
        at[(in[i] >> 24) + 1]++;
    }
    std::partial_sum(at, at + 256, at);
    for (int i = 0; i < n; i++) {
        out[at[in[i] >> 24]++] = in[i];
    }
    return n;
}
