// Arguments of a launch: checked against the kernel's parameters and packed as its code wants them.
#ifndef RILL_RUNTIME_ARGS_H
#define RILL_RUNTIME_ARGS_H

#include "plan/abi.h"
#include "runtime/context.h"
#include "runtime/module.h"

struct packed_args {
    struct context *context;     // borrowed
    const struct kernel *kernel; // borrowed
    const char *who;
    uint64_t sizes[2 * RILL_MAX_ARGS];   // bytes of what was passed for each parameter, 0 for hidden ones
    struct array *arrays[RILL_MAX_ARGS]; // pinned; NULL for what is no array
    void *hosts[RILL_MAX_ARGS];          // host memory that the device does not see; NULL for what is none; not set
    int host_count;                      // where there are none of those
    int count;                           // of the parameters that are given
    _Alignas(16) unsigned char buffer[ABI_MAX_ARGS_SIZE];
};

// Everything is checked. args_finish() must follow also after a failure.
rill_status args_pack(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args);
// Only the scalars: for shapes.
rill_status args_pack_scalars(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args);
// The shape that parameter |index| has for the scalars that were packed.
rill_status args_param_shape(const struct packed_args *packed, int index, rill_shape *out_shape);
void args_finish(struct packed_args *packed);

#endif
