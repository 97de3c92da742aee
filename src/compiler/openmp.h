// The source with OpenMP pragmas on the loops that became tasks: what `rill emit --openmp` shows and the benchmarks
// compare with.
#ifndef RILL_COMPILER_OPENMP_H
#define RILL_COMPILER_OPENMP_H

#include "plan/plan.h"

void openmp_print(const struct plan_module *plan, const char *text, size_t length, struct str *out);

#endif
