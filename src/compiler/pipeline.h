// The way from source text to IR and plan, as one list of passes. Sees no LLVM: tests of passes use it too.
#ifndef RILL_COMPILER_PIPELINE_H
#define RILL_COMPILER_PIPELINE_H

#include "base/diag.h"
#include "ir/ir.h"
#include "lang/preprocess.h"
#include "plan/plan.h"

#include <stdbool.h>

struct pipeline_options {
    struct preprocess_options preprocess;
    bool contract;
    bool check_bounds;
    bool is_gpu;        // the plan is made for a GPU
    bool verify;        // after every pass; what is wrong becomes an error
    bool calls_helpers; // tests: none is inlined
    bool never_whole;   // tests: no loop in order runs as one task
};

struct pipeline_result {
    struct ir_module *module; // NULL after errors of the front end
    struct plan_module *plan; // NULL after errors
};

// Everything goes into |arena|, errors and warnings into |diags|.
void pipeline_compile(struct arena *arena, struct diags *diags, const char *path, const char *text, size_t length,
                      const struct pipeline_options *options, struct pipeline_result *out_result);

#endif
