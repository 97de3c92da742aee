// The way from source text to IR and plan: runs the list of passes. Sees no LLVM: tests of passes use it too.
#ifndef RILL_COMPILER_PIPELINE_H
#define RILL_COMPILER_PIPELINE_H

#include "base/diag.h"
#include "compiler/pass_list.h"
#include "ir/ir.h"
#include "lang/preprocess.h"
#include "plan/plan.h"

#include <stdbool.h>

struct pipeline_options {
    struct preprocess_options preprocess;
    bool contract;
    bool check_bounds;
    bool check_races;
    bool is_gpu;                   // the plan is made for a GPU
    bool verify;                   // after every pass; what is wrong becomes an error
    bool calls_helpers;            // tests: none is inlined
    bool never_whole;              // tests: no loop in order runs as one task
    const struct pass_set *passes; // NULL: all
};

struct pipeline_result {
    struct ir_module *module; // NULL after errors of the front end
    struct plan_module *plan; // NULL after errors, and where not all passes were asked for
    struct offload **kernels; // what the passes towards the plan have left of each kernel, if some of them ran
    int kernel_count;
};

// Everything goes into |arena|, errors and warnings into |diags|.
void pipeline_compile(struct arena *arena, struct diags *diags, const char *path, const char *text, size_t length,
                      const struct pipeline_options *options, struct pipeline_result *out_result);

// The same from a module on that is there already: the passes behind `lower`.
void pipeline_run_passes(struct ir_module *module, struct diags *diags, const struct pipeline_options *options,
                         struct pipeline_result *out_result);

// What stands behind the passes that ran: the IR, and in comments behind it what they know beside it. Those of the
// analysis have facts about loops, those after it the plan as far as it is. ir_read() reads the text back.
void pipeline_print(const struct pipeline_result *result, struct str *out);

#endif
