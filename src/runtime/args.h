// Arguments of a launch: checked against the kernel's parameters and packed as its code wants them.
#ifndef RILL_RUNTIME_ARGS_H
#define RILL_RUNTIME_ARGS_H

#include "plan/abi.h"
#include "plan/plan.h"
#include "runtime/context.h"
#include "runtime/module.h"

struct packed_args {
    struct context *context;     // borrowed
    const struct kernel *kernel; // borrowed
    const char *who;
    uint64_t *sizes;       // bytes of what was passed for each parameter, or lent for a hidden one
    struct array **arrays; // pinned; NULL for what is no array
    void **hosts;          // host memory that the device does not see; NULL for what is none; not set
    int host_count;        // where there are none of those
    int count;             // of the parameters that are given
    unsigned char *buffer; // as the kernel's code wants them
    size_t buffer_size;    // that there is room for
    bool has_held;         // ARG_HELD is taken
};

// The kind of an argument that is an array which the caller keeps: |value.pointer| is the struct array, and nothing is
// pinned. Only where packed_args.has_held says so: programs have handles.
enum { ARG_HELD = 100 };

// Room for the arguments of any kernel, and for those of nearly all: the stack of a launch then lies on a page that its
// caller uses anyway.
enum { ARGS_FEW = ARG_RULE_FEW, ARGS_FEW_SIZE = 128 };

#define ARGS_ROOM(name, parameter_count, byte_count)                                                                   \
    struct name {                                                                                                      \
        _Alignas(16) unsigned char buffer[byte_count];                                                                 \
        uint64_t sizes[parameter_count];                                                                               \
        struct array *arrays[parameter_count];                                                                         \
        void *hosts[parameter_count];                                                                                  \
    }
ARGS_ROOM(few_args, ARGS_FEW, ARGS_FEW_SIZE);
// One that counts its elements for each array that is given, two for each that the launch lends for marks and shadows,
// one for each of the kernel's own.
ARGS_ROOM(many_args, 2 * (RILL_MAX_ARGS + PLAN_MAX_SCRATCH + PLAN_MAX_SHADOWS) + PLAN_MAX_OWN, ABI_MAX_ARGS_SIZE);
#undef ARGS_ROOM

// No arguments yet, with |room| for them.
#define ARGS_IN(room)                                                                                                  \
    {.sizes = (room)->sizes,                                                                                           \
     .arrays = (room)->arrays,                                                                                         \
     .hosts = (room)->hosts,                                                                                           \
     .buffer = (room)->buffer,                                                                                         \
     .buffer_size = sizeof(room)->buffer}

// Everything is checked. args_finish() must follow also after a failure.
rill_status args_pack(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args);
// Only the scalars: for shapes.
rill_status args_pack_scalars(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args);
// The shape that parameter |index| has for the scalars that were packed.
rill_status args_param_shape(const struct packed_args *packed, int index, rill_shape *out_shape);
// Fills in the hidden parameters that count the elements of an array.
void args_count_elements(struct packed_args *packed);
// |stream|: the id of the stream that was to run a launch with these arguments.
void args_finish(struct packed_args *packed, uint64_t stream);
// Instead of it where no stream was to.
void args_drop(struct packed_args *packed);

#endif
