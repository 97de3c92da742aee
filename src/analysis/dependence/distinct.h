// The accesses of a loop that are compared with each other: those that are alike stand for each other, and of most of
// the others one look at each shows that no two of them meet. So a long loop takes no test for each two of its lines.
#ifndef RILL_ANALYSIS_DEPENDENCE_DISTINCT_H
#define RILL_ANALYSIS_DEPENDENCE_DISTINCT_H

#include "analysis/dependence/dependence.h"

struct distinct_access {
    int access;     // its number in the analysis
    int same_index; // the family whose members have one index, which moves with the loop; -1: none
    int wide_step;  // the family whose members lie within one step of the loop; -1: none
};

struct distinct {
    VEC(struct distinct_access) items;
    int *next_alike; // by access, from the loop's first: the next one that is like it; -1: none
};

// False: there are so many that comparing each with each would take too long.
bool distinct_find(struct analysis *an, struct loop_info *info, struct distinct *out);

// Whether it is known that in two iterations they never touch one place.
static inline bool distinct_never_meet(const struct distinct_access *a, const struct distinct_access *b)
{
    return (a->same_index >= 0 && a->same_index == b->same_index) ||
           (a->wide_step >= 0 && a->wide_step == b->wide_step);
}

#endif
