// What every library that bench/patterns compares with is built into: one function for each pattern. They return how
// many elements they leave.
#include <stdint.h>

struct peer_pair {
    uint32_t key;
    int value;
};

static inline bool peer_before(const peer_pair &a, const peer_pair &b)
{
    return a.key < b.key;
}

extern "C" {
int peer_sort_u32(int n, const uint32_t *in, uint32_t *out);
int peer_sort_u64(int n, const uint64_t *in, uint64_t *out);
int peer_sort_f32(int n, const float *in, float *out);
int peer_sort_pairs(int n, const uint32_t *in, uint32_t *out, int *order);
int peer_scan_i32(int n, const int *in, int *out);
int peer_scan_f32(int n, const float *in, float *out);
int peer_scan_loop(int n, const int *in, int *out);
int peer_compact(int n, const int *in, int *out);
int peer_unique(int n, const int *in, int *out);
int peer_append(int n, const int *in, int *out);
int peer_bytes(int n, const uint32_t *in, int *out);
int peer_distribute(int n, const uint32_t *in, uint32_t *out);
}
