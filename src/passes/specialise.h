// Helpers that are called rather than inlined, specialised by what their pointer arguments point to.
#ifndef RILL_PASSES_SPECIALISE_H
#define RILL_PASSES_SPECIALISE_H

#include "analysis/analyse.h"

// Gives each call the code of its helper in which just those updates are atomic that must be there.
void specialise_calls(struct analysis *an);

struct reduced_target { // an update of a helper's code that goes to an accumulator
    const struct reduced_update *update;
    int number;          // of the accumulator
    int64_t flag_offset; // in it: an i32 that becomes 1 when the update runs; 0: none
};

struct reduced_call {
    const struct reduced_target *targets;
    int target_count;
    int param_count;  // accumulators
    const char *name; // what the names of the code begin with
};

// The helper's code for the call |context| in a task that reduces these updates: after its own parameters it takes the
// addresses of the accumulators.
struct ir_function *specialise_reduced(struct analysis *an, const struct call_context *context,
                                       const struct reduced_call *call);

#endif
