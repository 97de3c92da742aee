// The running sums of rill/algorithms.h for one element type: included after it, with
//
//   RILL_T          the type, a number
//   RILL_NAME(x)    the name of x for it
//
//   RILL_IS_WHOLE   1 for a type of whole numbers, whose sums are the same in any order; otherwise 0, or not defined
//
// By itself it declares nothing.
//
// Each part of the array is summed, the sums are added up, and each part begins with what the parts before it sum to.
// Sums of floats are taken in an order that the source says, so that they come out the same in every build. Where the
// order does not matter, a GPU's threads share out the elements of a part.
#ifdef RILL_T

#if defined(RILL_IS_WHOLE) && RILL_IS_WHOLE

// The sum of each part. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(scan_parts)(int64_t n, const RILL_T in[n], RILL_T sums[RILL_RUNS])
{
    int64_t parts = rill_part_count(n);
    for (int64_t p = 0; p < parts; p++) {
        RILL_T sum = 0;
        int64_t end = rill_part_end(n, p);
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            sum += in[i];
        }
        sums[p] = sum;
    }
    RILL_T total = 0;
    for (int64_t p = 0; p < parts; p++) {
        total += sums[p];
    }
    return total;
}

// out[i] is the sum of in[0] … in[i]. |out| may be |in|. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(inclusive_scan)(int64_t n, const RILL_T in[n], RILL_T out[n])
{
    RILL_T sums[RILL_RUNS];
    RILL_T total = RILL_NAME(scan_parts)(n, in, sums);
    int64_t parts = rill_part_count(n);
    // Each part reads and writes its own elements, and no others.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        RILL_T sum = 0;
        for (int64_t before = 0; before < p; before++) {
            sum += sums[before];
        }
        int64_t end = rill_part_end(n, p);
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            RILL_T value = in[i];
            sum += value;
            out[i] = sum;
        }
    }
    return total;
}

// out[i] is the sum of in[0] … in[i - 1], and out[0] is 0. |out| may be |in|. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(exclusive_scan)(int64_t n, const RILL_T in[n], RILL_T out[n])
{
    RILL_T sums[RILL_RUNS];
    RILL_T total = RILL_NAME(scan_parts)(n, in, sums);
    int64_t parts = rill_part_count(n);
    // Each part reads and writes its own elements, and no others.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        RILL_T sum = 0;
        for (int64_t before = 0; before < p; before++) {
            sum += sums[before];
        }
        int64_t end = rill_part_end(n, p);
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            RILL_T value = in[i];
            out[i] = sum;
            sum += value;
        }
    }
    return total;
}

#else

// What comes before each part. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(scan_parts)(int64_t n, const RILL_T in[n], RILL_T before[RILL_RUNS])
{
    int64_t parts = rill_part_count(n);
    for (int64_t p = 0; p < parts; p++) {
        // Four sums at a time: one would wait for each addition.
        RILL_T sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
        int64_t begin = rill_part_begin(n, p), end = rill_part_end(n, p), fours = (end - begin) / 4;
#pragma rill serial
        for (int64_t k = 0; k < fours; k++) {
            sum0 += in[begin + 4 * k];
            sum1 += in[begin + 4 * k + 1];
            sum2 += in[begin + 4 * k + 2];
            sum3 += in[begin + 4 * k + 3];
        }
#pragma rill serial
        for (int64_t i = begin + 4 * fours; i < end; i++) {
            sum0 += in[i];
        }
        before[p] = (sum0 + sum1) + (sum2 + sum3);
    }
    RILL_T sum = 0;
#pragma rill single
    for (int64_t p = 0; p < parts; p++) {
        RILL_T part = before[p];
        before[p] = sum;
        sum += part;
    }
    return sum;
}

// out[i] is the sum of in[0] … in[i]. |out| may be |in|. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(inclusive_scan)(int64_t n, const RILL_T in[n], RILL_T out[n])
{
    RILL_T before[RILL_RUNS];
    RILL_T total = RILL_NAME(scan_parts)(n, in, before);
    int64_t parts = rill_part_count(n);
    // Each part reads and writes its own elements, and no others.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        RILL_T sum = before[p];
        int64_t end = rill_part_end(n, p);
#pragma rill serial
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            sum += in[i];
            out[i] = sum;
        }
    }
    return total;
}

// out[i] is the sum of in[0] … in[i - 1], and out[0] is 0. |out| may be |in|. The result is the sum of all.
static inline RILL_KERNEL RILL_T RILL_NAME(exclusive_scan)(int64_t n, const RILL_T in[n], RILL_T out[n])
{
    RILL_T before[RILL_RUNS];
    RILL_T total = RILL_NAME(scan_parts)(n, in, before);
    int64_t parts = rill_part_count(n);
    // Each part reads and writes its own elements, and no others.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        RILL_T sum = before[p];
        int64_t end = rill_part_end(n, p);
#pragma rill serial
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            RILL_T value = in[i];
            out[i] = sum;
            sum += value;
        }
    }
    return total;
}

#endif

#endif
