// Whether the stores of a loop to places that are not followed may run as a scatter.
#ifndef RILL_ANALYSIS_DEPENDENCE_SCATTER_H
#define RILL_ANALYSIS_DEPENDENCE_SCATTER_H

#include "analysis/dependence/dependence.h"
#include "analysis/values/slice.h"

// NULL if the loop only stores to the base, by whole elements: |out_granule| is the bytes that one mark stands for.
// Else why not, behind "'x'", and an access of it that shows it (NULL: none).
const char *scatter_refuse(struct analysis *an, struct loop_info *info, int base, int64_t *out_granule,
                           const struct access **out_access);
// What makes the places of all stores to these bases; slice->refused says whether it cannot be computed ahead.
struct slice *scatter_slice(struct analysis *an, struct loop_info *info, const int *bases, int base_count);
// The slice runs before the loop does: pairs of what it reads and what the loop writes must be disjoint, being the same
// will not do.
void scatter_part_pairs(const struct analysis *an, struct loop_info *info, const struct slice *slice);

#endif
