// The searches in sorted arrays of rill/algorithms.h for one element type: included after it, with RILL_T, RILL_NAME,
// RILL_CODE_T and RILL_CODE as for rill/sort_of.h. By itself it declares nothing.
#ifdef RILL_T

// How many elements of |a|, which is sorted upwards, come before |value|: the first place where it may be put. For use
// in any code that a kernel runs.
static inline int64_t RILL_NAME(lower_bound)(int64_t n, const RILL_T *a, RILL_T value)
{
    RILL_CODE_T code = RILL_CODE(value, false);
    int64_t first = 0, count = n;
    while (count > 0) {
        int64_t half = count / 2;
        bool is_before = RILL_CODE(a[first + half], false) < code;
        first = is_before ? first + half + 1 : first;
        count = is_before ? count - half - 1 : half;
    }
    return first;
}

// How many elements of |a| do not come after |value|: the last place where it may be put.
static inline int64_t RILL_NAME(upper_bound)(int64_t n, const RILL_T *a, RILL_T value)
{
    RILL_CODE_T code = RILL_CODE(value, false);
    int64_t first = 0, count = n;
    while (count > 0) {
        int64_t half = count / 2;
        bool is_before = RILL_CODE(a[first + half], false) <= code;
        first = is_before ? first + half + 1 : first;
        count = is_before ? count - half - 1 : half;
    }
    return first;
}

// at[j] is the lower bound of values[j].
static inline RILL_KERNEL void RILL_NAME(lower_bounds)(int64_t n, const RILL_T a[n], int64_t m, const RILL_T values[m],
                                                       int at[m])
{
    for (int64_t j = 0; j < m; j++) {
        at[j] = (int)RILL_NAME(lower_bound)(n, a, values[j]);
    }
}

// at[j] is the upper bound of values[j].
static inline RILL_KERNEL void RILL_NAME(upper_bounds)(int64_t n, const RILL_T a[n], int64_t m, const RILL_T values[m],
                                                       int at[m])
{
    for (int64_t j = 0; j < m; j++) {
        at[j] = (int)RILL_NAME(upper_bound)(n, a, values[j]);
    }
}

#endif
