// How deep control is nested. Kernels that call each other nest what each of them nests.
#include "offload/offload.h"

#include <assert.h>

void depth_check(struct offload *o)
{
    assert(o->out->root != NULL);
    int depth = plan_depth(o->out->root);
    if (depth > PLAN_MAX_DEPTH) {
        diag_error(o->diags, o->kernel->loc,
                   "control of kernel '%s' is nested %d levels deep with that of the kernels it calls; at most %d are "
                   "possible",
                   o->kernel->name, depth, PLAN_MAX_DEPTH);
    }
}
