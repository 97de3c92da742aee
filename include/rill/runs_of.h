// What rill/algorithms.h has for runs of equal elements, for one type of keys: included after it, with RILL_T,
// RILL_NAME, RILL_CODE_T and RILL_CODE as for rill/sort_of.h. By itself it declares nothing.
#ifdef RILL_T

// Whether a run begins at i.
static inline bool RILL_NAME(run_begins)(const RILL_T *keys, int64_t i)
{
    return i == 0 || RILL_CODE(keys[i], false) != RILL_CODE(keys[i - 1], false);
}

// How many runs begin before each part. The result is the number of all.
static inline RILL_KERNEL int64_t RILL_NAME(count_runs)(int64_t n, const RILL_T keys[n], int64_t before[RILL_RUNS])
{
    int64_t parts = rill_part_count(n);
    for (int64_t p = 0; p < parts; p++) {
        int64_t count = 0;
        int64_t end = rill_part_end(n, p);
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            count += RILL_NAME(run_begins)(keys, i);
        }
        before[p] = count;
    }
    return rill_add_up(parts, before);
}

// |out| gets the first element of each run of equal ones. The result is the number of runs.
static inline RILL_KERNEL int64_t RILL_NAME(unique)(int64_t n, const RILL_T in[n], RILL_T out[n])
{
    int64_t run = 0;
    for (int64_t i = 0; i < n; i++) {
        if (RILL_NAME(run_begins)(in, i)) {
            out[run++] = in[i];
        }
    }
    return run;
}

#define RILL_V int32_t
#define RILL_SUM_BY RILL_NAME(sum_i32_by)
#include "rill/run_sums_of.h"
#undef RILL_V
#undef RILL_SUM_BY

#define RILL_V int64_t
#define RILL_SUM_BY RILL_NAME(sum_i64_by)
#include "rill/run_sums_of.h"
#undef RILL_V
#undef RILL_SUM_BY

#define RILL_V float
#define RILL_SUM_BY RILL_NAME(sum_f32_by)
#include "rill/run_sums_of.h"
#undef RILL_V
#undef RILL_SUM_BY

#define RILL_V double
#define RILL_SUM_BY RILL_NAME(sum_f64_by)
#include "rill/run_sums_of.h"
#undef RILL_V
#undef RILL_SUM_BY

#endif
