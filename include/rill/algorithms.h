// Sorts, scans, histograms and searches for kernel files. They are written in the language of kernels: included by a
// kernel file they are compiled with it, for every back end, and by a plain C compiler into serial functions.
//
//   rill_sort_T rill_sort_down_T              stable sort, upwards and downwards
//   rill_sort_pairs_T rill_sort_pairs_down_T  the same with an int that goes with each key
//   rill_sort_with_T rill_sort_down_with_T rill_sort_pairs_with_T rill_sort_pairs_down_with_T
//                                             the same in memory that they are given
//   rill_order_T rill_order_down_T            the places of the keys in sorted order; the keys stay
//   rill_inclusive_scan_T rill_exclusive_scan_T  running sums; the result is the sum of all
//   rill_partition_T                          first those that are marked, then the others
//   rill_unique_T                             the first of each run of equal elements
//   rill_sum_V_by_T                           the sum over each run of equal keys
//   rill_merge_T                              one sorted array of two
//   rill_lower_bound_T rill_upper_bound_T     where a value belongs in a sorted array
//   rill_lower_bounds_T rill_upper_bounds_T   where each of many does
//   rill_histogram, rill_histogram_T          how many are in each bin
//   rill_transpose_T                          columns become rows
//   rill_permutation, rill_permuted           a random order
//
// T is i32, u32, i64, u64, f32 or f64: int32_t, uint32_t, int64_t, uint64_t, float, double; V is i32, i64, f32 or f64.
// What each does stands before it, in the headers that this one includes for each type.
//
// All but the bounds of one value and rill_permuted are static kernels: a kernel calls them where control stands, at
// its outermost level, in a loop that runs in order or in a stream_parallel block, and their loops are tasks of that
// kernel. The length is a value like any other; it may come from an array on the device. In a parallel loop they are
// functions that one thread runs. What a kernel file does not call costs it nothing but the reading.
//
// Order. Numbers are ordered as by <. Of floats -0 equals +0 and all NaNs equal each other; NaNs come after all
// numbers, upwards and downwards. Sorts are stable: equal keys keep their order, in both directions. Running sums of
// floats are taken in an order that depends on the length alone. So all results are the same bit by bit on every back
// end and with any number of threads.
//
// Memory. A sort moves elements to and fro between the array and another of the same length, and counts in an array of
// the type `rill_counts`. The launch lends both, and its length is then made of the kernel's arguments, as those of a
// kernel's own arrays are. Where it comes from the device, or in a parallel loop, use the forms that are given this
// memory, rill_sort_with_T(n, keys, other, counts) and so on, with arrays of at least that length:
//
//     kernel void nearest(int n, const int count[1], float depth[n])
//     {
//         float other[n];
//         rill_counts counts;
//         rill_sort_with_f32(count[0], depth, other, counts);
//     }
//
// Arrays of one call must not overlap, but for |in| and |out| of a scan, which may be the same.
//
// Other types: rill/sort_of.h and the other headers …_of.h, included with RILL_T the type and so on, define the
// functions for it; their heads say how. The headers are C, not C++: arrays carry their shapes.
#ifndef RILL_ALGORITHMS_H
#define RILL_ALGORITHMS_H

#include "rill/kernel.h"

#ifndef __cplusplus

// An array is cut into at most so many parts, each of which a thread takes. Define it before the include for more, if a
// GPU is to sort large arrays: the work array grows with it.
#ifndef RILL_PARTS
#define RILL_PARTS 2048
#endif

enum { RILL_DIGITS = 256, RILL_LEAST_PART = 4096, RILL_RUNS = RILL_PARTS < 1024 ? RILL_PARTS : 1024 };
enum { RILL_SORT_IDLE_, RILL_SORT_COPY_, RILL_SORT_MOVE_ };

// Memory for how many keys of each digit each part has. A sort has a row for each digit, of an odd length, so that the
// counts of one part do not all lie in the same place of a cache.
typedef int64_t rill_counts[RILL_PARTS][RILL_DIGITS];
enum { RILL_SORT_PARTS = RILL_PARTS - (RILL_PARTS % 2 == 0) };
typedef int64_t rill_places_[RILL_DIGITS][RILL_SORT_PARTS];
#define RILL_PLACES_(counts) ((int64_t(*)[RILL_SORT_PARTS])(counts))

// Memory of one call: lent by the launch, and by the heap in a plain build, where stacks are small.
#ifdef __RILL__
#define RILL_SCRATCH_(T, name, extent) T name[extent]
#define RILL_SCRATCH_COUNTS_(name) rill_counts name
#define RILL_SCRATCH_END_(name) (void)(name)
#else
#include <stdlib.h>
static inline void *rill_scratch_(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}
#define RILL_SCRATCH_(T, name, extent) T *name = (T *)rill_scratch_((size_t)((extent) > 0 ? (extent) : 0) * sizeof(T))
#define RILL_SCRATCH_COUNTS_(name)                                                                                     \
    int64_t(*name)[RILL_DIGITS] = (int64_t(*)[RILL_DIGITS])rill_scratch_(sizeof(rill_counts))
#define RILL_SCRATCH_END_(name) free(name)
#endif

// ---- parts of an array: their number and size depend on its length alone
// ------------------------------------------------

static inline int64_t rill_part_size(int64_t n)
{
    int64_t size = n / RILL_RUNS + (n % RILL_RUNS > 0);
    return size < RILL_LEAST_PART ? RILL_LEAST_PART : size;
}

static inline int64_t rill_part_count(int64_t n)
{
    int64_t size = rill_part_size(n);
    return n / size + (n % size > 0);
}

// Part |p| of |n| elements: where it begins, and the end of it.
static inline int64_t rill_part_begin(int64_t n, int64_t p)
{
    return p * rill_part_size(n);
}

static inline int64_t rill_part_end(int64_t n, int64_t p)
{
    int64_t size = rill_part_size(n);
    return n - p * size < size ? n : p * size + size;
}

// The parts of a sort.
static inline int64_t rill_sort_size(int64_t n)
{
    int64_t size = n / RILL_SORT_PARTS + (n % RILL_SORT_PARTS > 0);
    return size < RILL_LEAST_PART ? RILL_LEAST_PART : size;
}

static inline int64_t rill_sort_parts(int64_t n)
{
    int64_t size = rill_sort_size(n);
    return n / size + (n % size > 0);
}

static inline int64_t rill_sort_begin(int64_t n, int64_t p)
{
    return p * rill_sort_size(n);
}

static inline int64_t rill_sort_end(int64_t n, int64_t p)
{
    int64_t size = rill_sort_size(n);
    return n - p * size < size ? n : p * size + size;
}

// ---- codes: unsigned numbers in the order of the keys
// -------------------------------------------------------------------

static inline uint32_t rill_code_u32(uint32_t x, bool is_down)
{
    return is_down ? ~x : x;
}

static inline uint64_t rill_code_u64(uint64_t x, bool is_down)
{
    return is_down ? ~x : x;
}

static inline uint32_t rill_code_i32(int32_t x, bool is_down)
{
    return rill_code_u32((uint32_t)x ^ 0x80000000u, is_down);
}

static inline uint64_t rill_code_i64(int64_t x, bool is_down)
{
    return rill_code_u64((uint64_t)x ^ 0x8000000000000000u, is_down);
}

static inline uint32_t rill_code_f32(float x, bool is_down)
{
    union {
        float value;
        uint32_t bits;
    } pun = {x};
    uint32_t bits = x == 0 ? 0 : pun.bits;
    uint32_t code = rill_code_u32(bits >> 31 != 0 ? ~bits : bits | 0x80000000u, is_down);
    return x != x ? 0xffffffffu : code;
}

static inline uint64_t rill_code_f64(double x, bool is_down)
{
    union {
        double value;
        uint64_t bits;
    } pun = {x};
    uint64_t bits = x == 0 ? 0 : pun.bits;
    uint64_t code = rill_code_u64(bits >> 63 != 0 ? ~bits : bits | 0x8000000000000000u, is_down);
    return x != x ? 0xffffffffffffffffu : code;
}

// ---- what does not depend on a type
// ---------------------------------------------------------------------------------------

// From how many keys of each digit each part has, in |places| a row of parts for each digit, to where they go: behind
// all keys of smaller digits, and those of the same one that earlier parts have.
static inline RILL_KERNEL void rill_sort_places(int64_t parts, rill_places_ places, int64_t totals[RILL_DIGITS])
{
    // Each digit has a row of its own.
#pragma rill parallel
    for (int d = 0; d < RILL_DIGITS; d++) {
        int64_t total = 0;
        for (int64_t p = 0; p < parts; p++) {
            total += places[d][p];
        }
        totals[d] = total;
    }
#pragma rill parallel
    for (int d = 0; d < RILL_DIGITS; d++) {
        int64_t before = 0;
        for (int smaller = 0; smaller < d; smaller++) {
            before += totals[smaller];
        }
        for (int64_t p = 0; p < parts; p++) {
            int64_t count = places[d][p];
            places[d][p] = before;
            before += count;
        }
    }
}

// Makes of each part's number that of all parts before it. The result is the number of all.
static inline RILL_KERNEL int64_t rill_add_up(int64_t parts, int64_t numbers[RILL_RUNS])
{
    int64_t sum = 0;
#pragma rill single
    for (int64_t p = 0; p < parts; p++) {
        int64_t number = numbers[p];
        numbers[p] = sum;
        sum += number;
    }
    return sum;
}

// How often each of 0 … |bins| - 1 is in |bin|. Other numbers are not counted.
static inline RILL_KERNEL void rill_histogram(int64_t n, const int bin[n], int bins, int counts[bins])
{
    for (int b = 0; b < bins; b++) {
        counts[b] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        int b = bin[i];
        if (b >= 0 && b < bins) {
            counts[b]++;
        }
    }
}

static inline uint64_t rill_permuted_hash_(uint64_t key, int round, uint64_t half)
{
    uint64_t x = (key + (uint64_t)round * 0x9e3779b97f4a7c15u) ^ half * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Place i of a random order of 0 … n - 1, which |key| chooses: a function like those of rill_random_u32, for any code.
// For numbers of as many bits as n - 1 has, but 8 at least, it is a Feistel network: each round changes one half by a
// hash of the other, and so is undone by itself. Where the result is no place, it is taken again.
static inline int64_t rill_permuted(int64_t n, uint64_t key, int64_t i)
{
    int bits = 8;
    while (bits < 63 && ((n - 1) >> bits) != 0) {
        bits++;
    }
    int low_bits = bits / 2;
    uint64_t low_mask = (1ull << low_bits) - 1, high_mask = (1ull << (bits - low_bits)) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t low = x & low_mask, high = x >> low_bits;
        for (int round = 0; round < 6; round++) {
            high ^= rill_permuted_hash_(key, 2 * round, low) & high_mask;
            low ^= rill_permuted_hash_(key, 2 * round + 1, high) & low_mask;
        }
        x = high << low_bits | low;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}

// |order| gets 0 … n - 1 in a random order, which |key| chooses.
static inline RILL_KERNEL void rill_permutation(int64_t n, uint64_t key, int order[n])
{
    for (int64_t i = 0; i < n; i++) {
        order[i] = (int)rill_permuted(n, key, i);
    }
}

// ---- for each type
// ----------------------------------------------------------------------------------------------------

#define RILL_T int32_t
#define RILL_IS_WHOLE 1
#define RILL_NAME(name) rill_##name##_i32
#define RILL_CODE_T uint32_t
#define RILL_CODE(x, is_down) rill_code_i32(x, is_down)
#include "rill/algorithms_of.h"
#undef RILL_T
#undef RILL_IS_WHOLE
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#define RILL_T uint32_t
#define RILL_IS_WHOLE 1
#define RILL_NAME(name) rill_##name##_u32
#define RILL_CODE_T uint32_t
#define RILL_CODE(x, is_down) rill_code_u32(x, is_down)
#include "rill/algorithms_of.h"
#undef RILL_T
#undef RILL_IS_WHOLE
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#define RILL_T int64_t
#define RILL_IS_WHOLE 1
#define RILL_NAME(name) rill_##name##_i64
#define RILL_CODE_T uint64_t
#define RILL_CODE(x, is_down) rill_code_i64(x, is_down)
#include "rill/algorithms_of.h"
#undef RILL_T
#undef RILL_IS_WHOLE
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#define RILL_T uint64_t
#define RILL_IS_WHOLE 1
#define RILL_NAME(name) rill_##name##_u64
#define RILL_CODE_T uint64_t
#define RILL_CODE(x, is_down) rill_code_u64(x, is_down)
#include "rill/algorithms_of.h"
#undef RILL_T
#undef RILL_IS_WHOLE
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#define RILL_T float
#define RILL_NAME(name) rill_##name##_f32
#define RILL_CODE_T uint32_t
#define RILL_CODE(x, is_down) rill_code_f32(x, is_down)
#include "rill/algorithms_of.h"
#include "rill/histogram_of.h"
#undef RILL_T
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#define RILL_T double
#define RILL_NAME(name) rill_##name##_f64
#define RILL_CODE_T uint64_t
#define RILL_CODE(x, is_down) rill_code_f64(x, is_down)
#include "rill/algorithms_of.h"
#include "rill/histogram_of.h"
#undef RILL_T
#undef RILL_NAME
#undef RILL_CODE_T
#undef RILL_CODE

#endif // __cplusplus
#endif
