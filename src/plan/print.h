// Names shared by the printed plan and the explanation of it.
#ifndef RILL_PLAN_PRINT_H
#define RILL_PLAN_PRINT_H

#include "plan/plan.h"

const char *plan_effect_base_name(const struct plan_module *module, const struct plan_kernel *kernel,
                                  const struct plan_effect *effect);

#endif
