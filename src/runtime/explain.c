// What a launch with given scalars would do, in words: nothing runs, and no array is looked at.
#include "base/status.h"
#include "plan/mapping.h"
#include "runtime/args.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Arrays as large as their shapes say, each at an address of its own, far from the others.
static void place_arrays(struct packed_args *packed)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    for (int i = 0; i < plan->param_count; i++) {
        if (!plan->params[i].is_array) {
            continue;
        }
        uint64_t address = ((uint64_t)i + 1) << 44;
        memcpy(packed->buffer + plan->params[i].offset, &address, sizeof address);
        packed->sizes[i] = UINT64_C(1) << 40;
    }
}

static rill_status explain_launch(const struct kernel *kernel, rill_args args, struct str *out)
{
    struct context *context = kernel->context;
    struct many_args room;
    struct packed_args packed = ARGS_IN(&room);
    rill_status status = args_pack_scalars(&packed, "rill_kernel_explain", kernel, args);
    if (status == RILL_OK) {
        struct backend_stats stats = {0};
        context->backend->device_stats(context->device, &stats);
        place_arrays(&packed);
        struct plan_machine machine = {.is_gpu = context->backend->has_own_memory,
                                       .workers = stats.worker_count > 0 ? stats.worker_count : 1,
                                       .name = context->device_name};
        struct plan_values values = {.kernel = kernel->plan,
                                     .args = packed.buffer,
                                     .array_sizes = packed.sizes,
                                     .width = machine.is_gpu ? 0 : (int64_t)PLAN_WIDTH_PER_WORKER * machine.workers};
        plan_explain_launch(kernel->module->plan, &values, &machine, out);
    }
    args_finish(&packed, 0); // it has no arrays
    return status;
}

static rill_status explain_text(const struct kernel *kernel, rill_args args, char **out_text)
{
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    rill_status status;
    if (setjmp(escape) == 0) {
        struct str text;
        str_init(&text, &arena);
        status = explain_launch(kernel, args, &text);
        *out_text = status == RILL_OK ? strdup(str_text(&text)) : NULL;
        if (status == RILL_OK && *out_text == NULL) {
            status = status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_kernel_explain: no memory for the text");
        }
    } else {
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_kernel_explain: no memory for the text");
    }
    arena_finish(&arena);
    return status;
}

rill_status rill_kernel_explain(rill_kernel handle, rill_args args, char **out_text)
{
    RILL_TRY(context_check_out("rill_kernel_explain", out_text, "out_text"));
    *out_text = NULL;
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_explain", handle, &context, &kernel));
    rill_status status = explain_text(kernel, args, out_text);
    context_unpin(context, handle.id);
    context_leave(context);
    return status;
}
