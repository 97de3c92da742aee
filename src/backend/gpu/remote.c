// Which version of its tasks a launch takes where atomics are done by the memory: on AMD GPUs all of them hold in the
// device's own memory alone. In the host's, in managed and in another device's memory float additions, for one, are
// lost without a word; the version that holds there uses compare and swap, many times slower. So a launch looks where
// the arrays lie that it updates.
#include "backend/gpu/image.h"

#include <string.h>

static bool is_outside(const struct backend_device *device, const struct backend_launch *launch,
                       const struct plan_param *param)
{
    void *address;
    memcpy(&address, (const char *)launch->args + param->offset, sizeof address);
    return address != NULL && !device->driver->is_own(device->context, address);
}

bool gpu_launch_is_remote(const struct backend_device *device, const struct backend_launch *launch)
{
    const struct plan_kernel *kernel = launch->image->kernels[launch->kernel].plan;
    if (device->driver->is_own == NULL) {
        return false;
    }
    for (int t = 0; t < kernel->task_count; t++) {
        for (int i = 0; i < kernel->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &kernel->tasks[t].effects[i];
            bool is_any = effect->base == PLAN_BASE_UNKNOWN;
            for (int p = 0; plan_effect_is_remote(effect) && p < kernel->param_count; p++) {
                if ((is_any || effect->index == p) && kernel->params[p].is_array &&
                    is_outside(device, launch, &kernel->params[p])) {
                    return true;
                }
            }
        }
    }
    return false;
}
