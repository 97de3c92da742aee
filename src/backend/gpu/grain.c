// Where a device's float additions in memory may be lost. On AMD GPUs they are done by the memory itself, which does it
// for the device's own memory and not for the host's (fine-grained) memory; code that also holds there would add by
// compare and swap everywhere, many times slower. So a launch looks where the arrays lie whose floats it updates.
#include "backend/gpu/image.h"

#include "base/status.h"

#include <string.h>

static rill_status check_param(const struct backend_device *device, const struct backend_launch *launch,
                               const struct plan_kernel *kernel, const struct plan_effect *effect)
{
    const struct plan_param *param = &kernel->params[effect->index];
    void *address;
    memcpy(&address, (const char *)launch->args + param->offset, sizeof address);
    if (address == NULL || device->driver->place_of(address) == GPU_DEVICE) {
        return RILL_OK;
    }
    return status_fail(RILL_ERR_UNSUPPORTED,
                       "kernel '%s': '%s' lies in the host's memory, and line %u adds to its floats atomically, which "
                       "this device does in its own memory only; use an array of the context",
                       kernel->name, param->name, effect->loc.line);
}

rill_status gpu_check_grain(const struct backend_device *device, const struct backend_launch *launch)
{
    const struct plan_kernel *kernel = launch->image->kernels[launch->kernel].plan;
    if (!device->properties.adds_in_own_memory_only) {
        return RILL_OK;
    }
    for (int t = 0; t < kernel->task_count; t++) {
        for (int i = 0; i < kernel->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &kernel->tasks[t].effects[i];
            bool is_float = effect->type == IR_F32 || effect->type == IR_F64;
            if (effect->is_atomic && is_float && effect->base == PLAN_BASE_PARAM &&
                effect->index < kernel->param_count) {
                RILL_TRY(check_param(device, launch, kernel, effect));
            }
        }
    }
    return RILL_OK;
}
