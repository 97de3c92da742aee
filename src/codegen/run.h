// Runs: consecutive iterations that a GPU's thread takes at once.
#ifndef RILL_CODEGEN_RUN_H
#define RILL_CODEGEN_RUN_H

#include "ir/ir.h"
#include "plan/plan.h"

// An access whose address is base + (init + iter + distance) * size.
struct run_access {
    const struct ir_inst *base; // invariant, or of the row
    const struct ir_inst *init; // invariant: CONST, PARAM or of the prologue
    int64_t distance;
    int64_t size; // a power of two, at most 16
};

bool run_access(const struct ir_function *task, const struct ir_inst *pointer, struct run_access *out);
// Whether two loads give the same element of each iteration's, one of them perhaps under a condition.
bool run_same(const struct ir_function *task, const struct ir_inst *load, const struct ir_inst *other);
// A task for a nest of loops: the NEST_ITER of the innermost loop, which then stands for iter above, and |base| is the
// address of a row: INDEX of invariant sizes from a parameter or global. NULL: it is for one loop.
const struct ir_inst *run_nest(const struct ir_function *task);
int run_length(const struct ir_function *task); // consecutive iterations worth taking at once; 1: one by one
// Fills in plan_task.run of a module that is for a GPU.
void run_fill_plan(const struct ir_module *module, struct plan_module *plan);

#endif
