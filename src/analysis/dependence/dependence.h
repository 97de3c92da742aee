// Whether the iterations of a loop are independent: each pair of accesses that two iterations make is tested, and the
// answers make the verdict.
#ifndef RILL_ANALYSIS_DEPENDENCE_DEPENDENCE_H
#define RILL_ANALYSIS_DEPENDENCE_DEPENDENCE_H

#include "analysis/facts.h"
#include "analysis/values/atoms.h"

// verdict.c
void independence_judge(struct analysis *an, struct loop_info *info);
// The updates of one invariant address become reductions.
void independence_find_reductions(struct analysis *an, struct loop_info *info, struct loop_facts *facts);

enum pair_answer { PAIR_APART, PAIR_IF, PAIR_CONFLICT };
enum { PAIR_MAX_CONDITIONS = 16 };
struct pair_result {
    enum pair_answer answer;
    struct plan_condition conditions[PAIR_MAX_CONDITIONS]; // PAIR_IF: all of these
    const struct need *needs[PAIR_MAX_CONDITIONS];         // as loop_facts.needs
    int condition_count;
    bool is_fit; // PAIR_IF: only that indices do not wrap
};
// Whether two iterations of small loops do touch one place, with sample values for what the launch knows.
bool pair_has_witness(struct analysis *an, const struct loop_info *info, const struct access *a,
                      const struct access *b);
// Two accesses taken as made through one base, in different iterations of the loop.
struct pair_result pair_test(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, bool same_iteration);

// What is known of two iterations of a nest, one of them of access a and the other of access b: |value| >= 0, or == 0.
// The loop variables of b's iteration have the identifiers of the second iteration (polynomial.h).
struct pair_relation {
    const struct poly *value;
    bool is_equal;
};
// Two accesses taken as made through one base, in any two iterations of the loop |info| and the loops in it of which
// the relations hold. PAIR_APART: they never meet. PAIR_IF: they do not if no index or bound wraps, which the
// conditions, at the entry of |info|, test. PAIR_CONFLICT: they may meet.
struct pair_result pair_meet(struct analysis *an, struct loop_info *info, const struct access *a,
                             const struct access *b, const struct pair_relation *relations, int count);

// facts.c: whether the accesses, through one base, are apart wherever one index of the one differs from the other's.
bool pair_has_same_dims(struct analysis *an, const struct access *a, const struct access *b);

// condition.c: the test at the loop's entry that the value fits its type in all iterations; NULL: it is not known
// there.
struct plan_expr *need_condition(struct analysis *an, const struct loop_info *info, const struct need *need);

// advice.c: what to write, of a loop that runs in order only because an index is not followed. |out_place|: the element
// that is read and stored to, as the source has it; NULL: any order.
enum plan_advice advise(struct analysis *an, const struct loop_info *info, const char **out_place);

// shared.c: the updates that iterations of a loop share.
void shared_note(struct analysis *an, struct loop_info *info, const struct access *access);
bool shared_has(const struct analysis *an, const struct loop_info *info, const struct access *access);
void shared_forget(struct loop_info *info);

#endif
