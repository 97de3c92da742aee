// The passes from the typed tree to the plan, as one list in the order they run in. Everything that changes or judges a
// kernel is a row of it; `rill emit --ir --after=PASS` shows what stands behind each, and tests/passes/cases/rows holds
// examples of each.
#ifndef RILL_COMPILER_PASS_LIST_H
#define RILL_COMPILER_PASS_LIST_H

#include "base/diag.h"
#include "ir/ir.h"
#include "offload/offload.h"

#include <stdbool.h>

enum pass_scope {
    PASS_LOWER,     // makes the module
    PASS_MODULE,    // runs once
    PASS_KERNELS,   // over every kernel
    PASS_FUNCTIONS, // over every kernel and every helper that is called
    PASS_PLAN,      // a step from the kernel to its plan; all of these run on one kernel before they run on the next
};

struct pass {
    const char *name;
    enum pass_scope scope;
    const char *does;  // one line for people
    const char *needs; // the passes that leave in memory what this one uses, beside the IR; NULL: none
    union {
        void (*on_module)(struct ir_module *module);
        void (*on_function)(struct ir_module *module, struct ir_function *function, struct diags *diags);
        void (*on_plan)(struct offload *offload);
    } run;
    bool changes_loops; // what stands behind it are not the source's loops any more
};

enum { PASS_COUNT = 27 };
extern const struct pass pass_list[PASS_COUNT];

// Some of the passes; they always run in the list's order.
struct pass_set {
    bool has[PASS_COUNT];
};

int pass_find(const char *name, size_t length); // its row; -1: there is none of that name
struct pass_set pass_set_until(int row);        // all up to |row|, itself included
struct pass_set pass_set_of_source_loops(void); // all but those that change the source's loops
void pass_list_print(struct str *out);          // a line for each

#endif
