// The partition of rill/algorithms.h for one element type: included after it, with
//
//   RILL_T          the type
//   RILL_NAME(x)    the name of x for it
//
// By itself it declares nothing.
#ifdef RILL_T

// |out| gets first the elements of |in| whose |is_first| is not 0, then the others, both in the order in which they
// were. The result is the number of the first ones.
static inline RILL_KERNEL int64_t RILL_NAME(partition)(int64_t n, const RILL_T in[n], const uint8_t is_first[n],
                                                       RILL_T out[n])
{
    int64_t firsts[RILL_RUNS];
    int64_t parts = rill_part_count(n);
    for (int64_t p = 0; p < parts; p++) {
        int64_t count = 0;
        int64_t end = rill_part_end(n, p);
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            count += is_first[i] != 0;
        }
        firsts[p] = count;
    }
    int64_t total = 0;
    for (int64_t p = 0; p < parts; p++) {
        total += firsts[p];
    }
    // The elements of a part go to places of its own: behind the first ones, or the others, of the parts before it.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        int64_t begin = rill_part_begin(n, p), end = rill_part_end(n, p);
        int64_t first = 0;
        for (int64_t before = 0; before < p; before++) {
            first += firsts[before];
        }
        int64_t at[2];
        at[0] = first;
        at[1] = total + begin - first;
        for (int64_t i = begin; i < end; i++) {
            RILL_T element = in[i];
            out[at[is_first[i] == 0]++] = element;
        }
    }
    return total;
}

#endif
