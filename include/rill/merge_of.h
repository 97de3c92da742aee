// The merge of rill/algorithms.h for one element type: included after it, with RILL_T, RILL_NAME, RILL_CODE_T and
// RILL_CODE as for rill/sort_of.h. By itself it declares nothing.
#ifdef RILL_T

// How many of the first |count| elements of the merged array come out of |a|.
static inline int64_t RILL_NAME(merge_split)(int64_t n, const RILL_T *a, int64_t m, const RILL_T *b, int64_t count)
{
    int64_t least = count > m ? count - m : 0, most = count < n ? count : n;
    while (least < most) {
        int64_t i = least + (most - least) / 2;
        bool is_taken = RILL_CODE(a[i], false) <= RILL_CODE(b[count - 1 - i], false);
        least = is_taken ? i + 1 : least;
        most = is_taken ? most : i;
    }
    return least;
}

enum { RILL_NAME(MERGED_) = 512 }; // elements that a thread merges

// |out| gets the elements of |a| and |b|, both sorted upwards, in order; of equal ones those of |a| come first.
static inline RILL_KERNEL void RILL_NAME(merge)(int64_t n, const RILL_T a[n], int64_t m, const RILL_T b[m],
                                                RILL_T out[n + m])
{
    int64_t parts = (n + m) / RILL_NAME(MERGED_) + ((n + m) % RILL_NAME(MERGED_) > 0);
    // Each part of |out| is written by itself.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        int64_t begin = p * RILL_NAME(MERGED_),
                end = begin + RILL_NAME(MERGED_) < n + m ? begin + RILL_NAME(MERGED_) : n + m;
        int64_t i = RILL_NAME(merge_split)(n, a, m, b, begin);
        int64_t j = begin - i;
        for (int64_t k = begin; k < end; k++) {
            bool is_of_a = j >= m || (i < n && RILL_CODE(a[i], false) <= RILL_CODE(b[j], false));
            if (is_of_a) {
                out[k] = a[i++];
            } else {
                out[k] = b[j++];
            }
        }
    }
}

#endif
