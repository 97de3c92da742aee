// Names in a package's header: those of the kernels and of their parameters, but where C, C++ or the header itself has
// another use for them.
#ifndef RILL_RUNTIME_PACKAGE_NAMES_H
#define RILL_RUNTIME_PACKAGE_NAMES_H

#include "base/arena.h"
#include "plan/plan.h"
#include "rill/status.h"

// What the kernel's function is called, without the package's prefix.
const char *package_name_of_kernel(struct arena *arena, const struct plan_kernel *kernel);
const char *package_name_of_param(struct arena *arena, const struct plan_kernel *kernel, int index);

// RILL_ERR_INVALID, with words, if two functions of the header would have one name.
rill_status package_names_check(struct arena *arena, const char *package, const char *prefix,
                                const struct plan_module *plan);

#endif
