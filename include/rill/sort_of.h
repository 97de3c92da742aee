// The sorts of rill/algorithms.h for one element type, a number or a struct: included after it, with
//
//   RILL_T                 the type of the elements
//   RILL_NAME(x)           the name of x for it
//   RILL_CODE_T            uint32_t or uint64_t
//   RILL_CODE(x, is_down)  an RILL_CODE_T by which the element x is sorted; is_down is false, or true in a sort
//                          downwards. rill_code_f32 and kin make one of a number.
//
// Particles by their cell, for instance: define RILL_T as `particle`, RILL_NAME(x) as `particle_##x`, RILL_CODE_T as
// uint32_t and RILL_CODE(x, is_down) as `rill_code_i32((x).cell, is_down)`; then there is
// particle_sort(n, particles).
//
// By itself it declares nothing.
//
// A sort goes over the keys by digits of eight bits, the lowest first. A pass counts the digits of each part, finds
// from that where the keys of each part go, and moves them: each part writes to places of its own, in its own order, so
// that the pass is stable. Passes over digits in which no two keys differ are skipped by pairs, or copy.
#ifdef RILL_T

// In which bits of their codes the keys differ.
static inline RILL_KERNEL RILL_CODE_T RILL_NAME(sort_differences)(int64_t n, const RILL_T keys[n])
{
    RILL_CODE_T differences = 0;
    for (int64_t i = 0; i < n; i++) {
        differences |= RILL_CODE(keys[i], false) ^ RILL_CODE(keys[0], false);
    }
    return differences;
}

// What the pass over the digit at |shift| does. A pair of passes leaves the keys in the array in which they were.
static inline int RILL_NAME(sort_duty)(RILL_CODE_T differences, int shift)
{
    bool is_idle = (differences >> (shift & ~15) & 0xffff) == 0;
    bool is_copy = (differences >> shift & 0xff) == 0;
    return is_idle ? RILL_SORT_IDLE_ : is_copy ? RILL_SORT_COPY_ : RILL_SORT_MOVE_;
}

// Where in the order of the digit at |shift| the keys of each part go: see rill_sort_places.
static inline RILL_KERNEL void RILL_NAME(sort_count)(int64_t n, RILL_CODE_T differences, int shift, bool is_down,
                                                     const RILL_T from[n], rill_places_ places,
                                                     int64_t totals[RILL_DIGITS])
{
    int64_t parts = rill_sort_parts(n);
    // Each part has counts of its own.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        uint32_t count[RILL_DIGITS];
        for (int d = 0; d < RILL_DIGITS; d++) {
            count[d] = 0;
        }
        bool is_moved = RILL_NAME(sort_duty)(differences, shift) == RILL_SORT_MOVE_;
        int64_t end = is_moved ? rill_sort_end(n, p) : 0;
        for (int64_t i = rill_sort_begin(n, p); i < end; i++) {
            count[RILL_CODE(from[i], is_down) >> shift & 255]++;
        }
        for (int d = 0; d < RILL_DIGITS; d++) {
            places[d][p] = count[d];
        }
    }
    rill_sort_places(parts, places, totals);
}

static inline RILL_KERNEL void RILL_NAME(sort_pass)(int64_t n, RILL_CODE_T differences, int shift, bool is_down,
                                                    const RILL_T from[n], RILL_T to[n], rill_places_ places,
                                                    int64_t totals[RILL_DIGITS])
{
    RILL_NAME(sort_count)(n, differences, shift, is_down, from, places, totals);
    int64_t parts = rill_sort_parts(n);
    // A part's keys of one digit go to as many places in a row, which are no other's.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        int duty = RILL_NAME(sort_duty)(differences, shift);
        int64_t end = rill_sort_end(n, p);
        if (duty == RILL_SORT_MOVE_) {
            int64_t at[RILL_DIGITS];
            for (int d = 0; d < RILL_DIGITS; d++) {
                at[d] = places[d][p];
            }
            for (int64_t i = rill_sort_begin(n, p); i < end; i++) {
                RILL_T key = from[i];
                to[at[RILL_CODE(key, is_down) >> shift & 255]++] = key;
            }
        } else if (duty == RILL_SORT_COPY_) {
#pragma rill parallel
            for (int64_t i = rill_sort_begin(n, p); i < end; i++) {
                to[i] = from[i];
            }
        }
    }
}

static inline RILL_KERNEL void RILL_NAME(sort_pairs_pass)(int64_t n, RILL_CODE_T differences, int shift, bool is_down,
                                                          const RILL_T from[n], const int from_values[n], RILL_T to[n],
                                                          int to_values[n], rill_places_ places,
                                                          int64_t totals[RILL_DIGITS])
{
    RILL_NAME(sort_count)(n, differences, shift, is_down, from, places, totals);
    int64_t parts = rill_sort_parts(n);
    // A part's keys of one digit go to as many places in a row, which are no other's.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        int duty = RILL_NAME(sort_duty)(differences, shift);
        int64_t end = rill_sort_end(n, p);
        if (duty == RILL_SORT_MOVE_) {
            int64_t at[RILL_DIGITS];
            for (int d = 0; d < RILL_DIGITS; d++) {
                at[d] = places[d][p];
            }
            for (int64_t i = rill_sort_begin(n, p); i < end; i++) {
                RILL_T key = from[i];
                int value = from_values[i];
                int64_t place = at[RILL_CODE(key, is_down) >> shift & 255]++;
                to[place] = key;
                to_values[place] = value;
            }
        } else if (duty == RILL_SORT_COPY_) {
#pragma rill parallel
            for (int64_t i = rill_sort_begin(n, p); i < end; i++) {
                to[i] = from[i];
                to_values[i] = from_values[i];
            }
        }
    }
}

static inline RILL_KERNEL void RILL_NAME(sort_any)(int64_t n, bool is_down, RILL_T keys[n], RILL_T other[n],
                                                   rill_counts counts)
{
    int64_t totals[RILL_DIGITS];
    RILL_CODE_T differences = RILL_NAME(sort_differences)(n, keys);
    for (int shift = 0; shift < 8 * (int)sizeof(RILL_CODE_T); shift += 16) {
        RILL_NAME(sort_pass)(n, differences, shift, is_down, keys, other, RILL_PLACES_(counts), totals);
        RILL_NAME(sort_pass)(n, differences, shift + 8, is_down, other, keys, RILL_PLACES_(counts), totals);
    }
}

static inline RILL_KERNEL void RILL_NAME(sort_any_pairs)(int64_t n, bool is_down, RILL_T keys[n], int values[n],
                                                         RILL_T other[n], int other_values[n], rill_counts counts)
{
    int64_t totals[RILL_DIGITS];
    RILL_CODE_T differences = RILL_NAME(sort_differences)(n, keys);
    for (int shift = 0; shift < 8 * (int)sizeof(RILL_CODE_T); shift += 16) {
        RILL_NAME(sort_pairs_pass)
        (n, differences, shift, is_down, keys, values, other, other_values, RILL_PLACES_(counts), totals);
        RILL_NAME(sort_pairs_pass)
        (n, differences, shift + 8, is_down, other, other_values, keys, values, RILL_PLACES_(counts), totals);
    }
}

// ---- the sorts, in memory that they are given: |other| arrays as long as |keys|, and |counts|
// -------------------------

// Sorts |keys|.
static inline RILL_KERNEL void RILL_NAME(sort_with)(int64_t n, RILL_T keys[n], RILL_T other[n], rill_counts counts)
{
    RILL_NAME(sort_any)(n, false, keys, other, counts);
}

static inline RILL_KERNEL void RILL_NAME(sort_down_with)(int64_t n, RILL_T keys[n], RILL_T other[n], rill_counts counts)
{
    RILL_NAME(sort_any)(n, true, keys, other, counts);
}

// Sorts |keys|, and moves values[i] with keys[i].
static inline RILL_KERNEL void RILL_NAME(sort_pairs_with)(int64_t n, RILL_T keys[n], int values[n], RILL_T other[n],
                                                          int other_values[n], rill_counts counts)
{
    RILL_NAME(sort_any_pairs)(n, false, keys, values, other, other_values, counts);
}

static inline RILL_KERNEL void RILL_NAME(sort_pairs_down_with)(int64_t n, RILL_T keys[n], int values[n],
                                                               RILL_T other[n], int other_values[n], rill_counts counts)
{
    RILL_NAME(sort_any_pairs)(n, true, keys, values, other, other_values, counts);
}

// ---- the same, in memory that the launch lends --------------------------------------------------------------------

static inline RILL_KERNEL void RILL_NAME(sort)(int64_t n, RILL_T keys[n])
{
    RILL_SCRATCH_(RILL_T, other, n);
    RILL_SCRATCH_COUNTS_(counts);
    RILL_NAME(sort_any)(n, false, keys, other, counts);
    RILL_SCRATCH_END_(counts);
    RILL_SCRATCH_END_(other);
}

static inline RILL_KERNEL void RILL_NAME(sort_down)(int64_t n, RILL_T keys[n])
{
    RILL_SCRATCH_(RILL_T, other, n);
    RILL_SCRATCH_COUNTS_(counts);
    RILL_NAME(sort_any)(n, true, keys, other, counts);
    RILL_SCRATCH_END_(counts);
    RILL_SCRATCH_END_(other);
}

static inline RILL_KERNEL void RILL_NAME(sort_pairs)(int64_t n, RILL_T keys[n], int values[n])
{
    RILL_SCRATCH_(RILL_T, other, n);
    RILL_SCRATCH_(int, other_values, n);
    RILL_SCRATCH_COUNTS_(counts);
    RILL_NAME(sort_any_pairs)(n, false, keys, values, other, other_values, counts);
    RILL_SCRATCH_END_(counts);
    RILL_SCRATCH_END_(other_values);
    RILL_SCRATCH_END_(other);
}

static inline RILL_KERNEL void RILL_NAME(sort_pairs_down)(int64_t n, RILL_T keys[n], int values[n])
{
    RILL_SCRATCH_(RILL_T, other, n);
    RILL_SCRATCH_(int, other_values, n);
    RILL_SCRATCH_COUNTS_(counts);
    RILL_NAME(sort_any_pairs)(n, true, keys, values, other, other_values, counts);
    RILL_SCRATCH_END_(counts);
    RILL_SCRATCH_END_(other_values);
    RILL_SCRATCH_END_(other);
}

// order[i] is the place in |keys| of what belongs at place i of the sorted array. The keys stay.
static inline RILL_KERNEL void RILL_NAME(order)(int64_t n, const RILL_T keys[n], int order[n])
{
    RILL_SCRATCH_(RILL_T, sorted, n);
    for (int64_t i = 0; i < n; i++) {
        sorted[i] = keys[i];
        order[i] = (int)i;
    }
    RILL_NAME(sort_pairs)(n, sorted, order);
    RILL_SCRATCH_END_(sorted);
}

static inline RILL_KERNEL void RILL_NAME(order_down)(int64_t n, const RILL_T keys[n], int order[n])
{
    RILL_SCRATCH_(RILL_T, sorted, n);
    for (int64_t i = 0; i < n; i++) {
        sorted[i] = keys[i];
        order[i] = (int)i;
    }
    RILL_NAME(sort_pairs_down)(n, sorted, order);
    RILL_SCRATCH_END_(sorted);
}

#endif
