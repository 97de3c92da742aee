// Sums up what a run of accesses touches.
#ifndef RILL_ANALYSIS_EFFECTS_EFFECTS_H
#define RILL_ANALYSIS_EFFECTS_EFFECTS_H

#include "analysis/facts.h"
#include "analysis/values/atoms.h"

struct effects_scope {
    int begin; // accesses [begin, end) of the analysis …
    int end;
    bool (*wants)(const struct access *access, void *data); // … of which these; NULL: all
    void *data;
    int first_atom;                 // what was made since then varies in the code
    const struct var_values *entry; // values of the variables at its entry; NULL: not known
    const struct loop_info *info;   // the loop it is; NULL: none
    struct ir_inst *const *roots;   // variables declared in these loops are the code's own
    int root_count;
    bool is_block; // of a region: a region that depends on a test is allowed, and disjoint ones stay apart
};

// bound.c
// The lowest or highest value over what varies since |first_atom|; NULL if it is not known.
const struct poly *effects_bound(struct analysis *an, const struct poly *value, int first_atom, bool wants_high);

// Lowest and highest value over all that varies in |loop| (NULL: over everything); false if not known.
bool value_extremes(struct analysis *an, const struct poly *value, const struct loop_info *loop,
                    const struct poly **out_lowest, const struct poly **out_highest);

// region.c
struct region { // of one access
    const struct poly *low;
    const struct poly *high;
    const struct poly *step; // NULL: any byte between
    int width;
    bool is_must;
    bool is_sure;
    const char *bound;         // not |is_sure|: why, in words
    struct loc bound_loc;      //
    struct plan_expr *only_if; // the region is right if this holds; NULL: always
    int test_count;            // that |only_if| makes of accesses, of those with |wide_low|
    // Else, and at most, it is this one, without a step; NULL: the whole array.
    const struct poly *wide_low;
    const struct poly *wide_high;
};

bool effects_find_region(struct analysis *an, const struct access *access, int first_atom, struct region *out);
// The region that the access has if its index does not wrap; whether it does is a test for the launch.
bool effects_find_region_if(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                            struct region *out);
// Of a loop: makes a |region| that is all that indices in bounds reach one with a test, where the arguments tell it.
void effects_narrow(struct analysis *an, const struct access *access, const struct effects_scope *scope,
                    struct region *region);
// Takes that back.
void effects_widen(struct region *region);
int64_t effects_gcd(int64_t a, int64_t b);
// guard.c: whether values from |low| to |high| fit the type of the need, as a test.
struct plan_expr *effects_fits(struct analysis *an, const struct need *need, const struct poly *low,
                               const struct poly *high, const struct var_values *entry);

// effects.c
// |effect_of_access| (may be NULL) gets for each access of the run the index of its effect, -1 if it is none.
void effects_sum_up(struct analysis *an, const struct effects_scope *scope, struct plan_effect **out_effects,
                    int *out_count, int *effect_of_access);
// The same for a block of a region.
void effects_sum_up_block(struct analysis *an, const struct effects_scope *scope, struct block_effect **out_effects,
                          int *out_count);
bool effects_is_own(const struct effects_scope *scope, const struct ir_var *var);

// The bytes [low, high) of its base that an access touches, over all that was made since |first_atom|.
bool effects_region(struct analysis *an, const struct access *access, int first_atom, const struct poly **out_low,
                    const struct poly **out_high);
bool effects_returns_early(const struct ir_function *helper); // not only at its end
// Whether a write covers every byte of its |region| whenever the loop runs. The region may be put in another form,
// which is empty if a loop inside does not run.
bool effects_is_must(struct analysis *an, const struct access *access, const struct loop_info *info,
                     struct region *region);
// The same of reads and updates too, as far as |region| says it already.
bool effects_is_sure(struct analysis *an, const struct access *access, const struct loop_info *info,
                     const struct region *region);
// Why it is not, in words.
const char *effects_why_bound(struct analysis *an, const struct access *access, const struct loop_info *info,
                              const struct region *region);
// The same for one run of bytes in every |out_step|: a member of each element of an array.
bool effects_is_must_by_steps(struct analysis *an, const struct access *access, const struct loop_info *info,
                              int64_t *out_step);

// shared.c: whether another block of its region may meet the update that is access |index|.
bool shared_by_blocks(struct analysis *an, int index);

#endif
