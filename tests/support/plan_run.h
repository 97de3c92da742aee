// Runs a plan with the interpreter: every task in any order of iterations, every access checked against what the task
// claims to touch and, where the loop is claimed to be independent, against the other iterations. Blocks of a region
// run one after the other, in the order asked for as far as their conflicts allow it.
#ifndef RILL_TESTS_SUPPORT_PLAN_RUN_H
#define RILL_TESTS_SUPPORT_PLAN_RUN_H

#include "base/str.h"
#include "ir/interpret.h"
#include "plan/plan.h"

struct plan_run_options {
    enum interp_order order;
    uint64_t seed;
    int64_t chunk;       // iterations of one call of a task; 0: 7
    bool take_whole;     // loops too small for tasks run whole, as a launch would
    bool force_in_order; // take the version that runs in order wherever there is one
    uint64_t poison;     // of locals
    uint64_t step_limit; // of each task; 0: none
    // Gets the bytes of every field after the run, one behind the other in the module's order; may be NULL.
    unsigned char *out_fields;
};

struct plan_run_result {
    enum interp_outcome outcome;
    struct interp_failure failure; // if it failed
    union ir_value returned;
    int task_count;     // tasks run
    int in_order_count; // tasks that a failing pair or condition sent into the version that runs in order
    uint64_t access_count;
};

// |sizes| has the bytes behind each array parameter.
// What is claimed and does not hold is written to |out_wrong|, one line each.
void plan_run(const struct ir_module *module, const struct plan_module *plan, const struct plan_kernel *kernel,
              const struct interp_arg *args, const uint64_t *sizes, const struct plan_run_options *options,
              struct plan_run_result *out_result, struct str *out_wrong);

#endif
