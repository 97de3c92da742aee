// The sums over runs of equal keys, for one type of keys and one of values: included by rill/runs_of.h, with RILL_V the
// type of the values and RILL_SUM_BY the function's name. By itself it declares nothing.
#ifdef RILL_V

// out_keys[r] is the key of run r, its first, and sums[r] the sum of the |values| beside its keys. The result is the
// number of runs. A run is summed in order within a part of the array, then part by part.
static inline RILL_KERNEL int64_t RILL_SUM_BY(int64_t n, const RILL_T keys[n], const RILL_V values[n],
                                              RILL_T out_keys[n], RILL_V sums[n])
{
    int64_t before[RILL_RUNS];
    RILL_V opening[RILL_RUNS]; // what a part adds to the run that began before it
    int64_t total = RILL_NAME(count_runs)(n, keys, before);
    int64_t parts = rill_part_count(n);
    // Each part stores the runs that begin in it, behind those of the parts before it.
#pragma rill parallel
    for (int64_t p = 0; p < parts; p++) {
        int64_t run = before[p] - 1;
        bool is_opening = true;
        RILL_V sum = 0;
        int64_t end = rill_part_end(n, p);
        opening[p] = 0;
        for (int64_t i = rill_part_begin(n, p); i < end; i++) {
            if (RILL_NAME(run_begins)(keys, i)) {
                if (is_opening) {
                    opening[p] = sum;
                } else {
                    sums[run] = sum;
                }
                is_opening = false;
                run++;
                out_keys[run] = keys[i];
                sum = 0;
            }
            sum += values[i];
        }
        if (is_opening) {
            opening[p] = sum;
        } else {
            sums[run] = sum;
        }
    }
#pragma rill single
    for (int64_t p = 1; p < parts; p++) {
        sums[before[p] - 1] += opening[p];
    }
    return total;
}

#endif
