// Lowering: from the typed tree to the IR. Every kernel becomes one function in which the kernels it calls, and most
// helpers, are inlined. What a kernel must not reach (recursion, heap, function pointers, …) is refused here, with
// words, and only where a kernel reaches it.
#ifndef RILL_LOWER_LOWER_H
#define RILL_LOWER_LOWER_H

#include "ir/ir.h"
#include "lang/ast.h"

#include <stdbool.h>

struct lower_options {
    bool contract;     // a * b + c inside one source expression is one fma
    bool check_bounds; // the module asks for checked indices
    int inline_weight; // a helper heavier than this is called; 0: 2,000 instructions, 8,000 if it takes pointers
    int kernel_weight; // a kernel that has grown to this calls its helpers; 0 is the default of 40,000 instructions
};

// |options| may be NULL. After errors (diags->error_count has grown) the module may be incomplete and must not be used.
struct ir_module *lower_unit(struct arena *arena, struct diags *diags, const struct unit *unit,
                             const struct lower_options *options);

#endif
