// Whether every index in a plan stays inside what it indexes, so that running the plan touches only its own memory.
// plan_verify() asks for this and for the rules of groups and slots.
#ifndef RILL_PLAN_CHECK_H
#define RILL_PLAN_CHECK_H

#include "plan/plan.h"

bool plan_check(const struct plan_module *module, struct str *out);

#endif
