// The histogram of rill/algorithms.h for one type of floating-point numbers: included after it, with RILL_T and
// RILL_NAME. By itself it declares nothing.
#ifdef RILL_T

// How many of |x| lie in each of |bins| bins of one width, from |low| to |high|. A bin holds its lower edge and not its
// upper one; what lies outside, and NaNs, are not counted.
static inline RILL_KERNEL void RILL_NAME(histogram)(int64_t n, const RILL_T x[n], RILL_T low, RILL_T high, int bins,
                                                    int counts[bins])
{
    RILL_T scale = (RILL_T)bins / (high - low);
    for (int b = 0; b < bins; b++) {
        counts[b] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (x[i] >= low && x[i] < high) {
            int b = (int)((x[i] - low) * scale);
            counts[b < bins ? b : bins - 1]++; // the product may have been rounded up
        }
    }
}

#endif
