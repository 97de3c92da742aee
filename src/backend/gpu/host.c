// Memory of the host that a launch uses: copies on the device, made, filled, brought back and let go in the order of
// the stream, while the caller has the stream to itself.
#include "backend/gpu/defer.h"
#include "backend/gpu/image.h"
#include "backend/gpu/memory.h"
#include "backend/gpu/run.h"
#include "backend/gpu/stage.h"

#include "base/status.h"

#include <string.h>

// What the kernel does not reach when it fails keeps its value, also where it would have written everything.
static bool is_uploaded(const struct gpu_kernel *kernel, const struct backend_host_range *range)
{
    return range->is_read || (range->is_written && kernel->may_fail);
}

static char *copy_of(const struct backend_host_range *range)
{
    return (char *)range->copy + range->shift;
}

static void release(struct backend_stream *stream, struct backend_host_range *range)
{
    gpu_memory_give(stream->device, stream->lane.handle, (uint64_t)(uintptr_t)range->copy, range->size + range->shift);
    range->copy = NULL;
}

static rill_status upload(struct backend_stream *stream, const struct gpu_kernel *kernel,
                          struct backend_host_range *range)
{
    uint64_t address;
    RILL_TRY(gpu_memory_take(stream->device, stream->lane.handle, range->size + range->shift, &address));
    range->copy = (void *)(uintptr_t)address;
    struct gpu_copy copy = {.target = copy_of(range), .source = range->low, .size = range->size};
    bool has_begun; // which nobody sees: the copy is let go
    return is_uploaded(kernel, range) ? gpu_copy_queue(stream, &copy, &has_begun) : RILL_OK;
}

static rill_status download(struct backend_stream *stream, const struct backend_host_range *range)
{
    struct gpu_copy copy = {.target = range->low, .source = copy_of(range), .size = range->size};
    bool has_begun;
    return gpu_copy_queue(stream, &copy, &has_begun);
}

static void set_addresses(const struct backend_host_memory *host, const struct plan_kernel *plan)
{
    for (int i = 0; i < host->param_count; i++) {
        const char *memory = host->params[i];
        for (int k = 0; memory != NULL && k < host->range_count; k++) {
            const struct backend_host_range *range = &host->ranges[k];
            if (memory >= range->low && memory < range->low + range->size) {
                char *address = copy_of(range) + (memory - range->low);
                memcpy((char *)host->args + plan->params[i].offset, &address, sizeof address);
            }
        }
    }
}

rill_status gpu_host_begin(struct backend_stream *stream, const struct backend_launch *launch)
{
    struct backend_host_memory *host = launch->host;
    const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
    if (stream->is_capturing) {
        return gpu_capture_refuse("no memory of the host can be passed there");
    }
    for (int i = 0; i < host->range_count; i++) {
        host->ranges[i].copy = NULL;
    }
    for (int i = 0; i < host->range_count; i++) {
        rill_status status = upload(stream, kernel, &host->ranges[i]);
        if (status != RILL_OK) {
            if (i > 0) {
                gpu_stage_drain(stream);
            }
            for (int k = 0; k <= i; k++) {
                release(stream, &host->ranges[k]);
            }
            return status;
        }
    }
    set_addresses(host, kernel->plan);
    gpu_trace_other(stream, "a copy");
    return RILL_OK;
}

rill_status gpu_host_end(struct gpu_run *run)
{
    struct backend_stream *stream = run->stream;
    const struct backend_host_memory *host = run->launch->host;
    rill_status status = run->status;
    for (int i = 0; i < host->range_count; i++) {
        struct backend_host_range *range = &host->ranges[i];
        bool is_whole = !run->has_failed || is_uploaded(run->kernel, range);
        if (status == RILL_OK && range->is_written && is_whole) {
            status = download(stream, range);
        }
        release(stream, range);
    }
    if (status != RILL_OK) {
        gpu_stage_drain(stream);
    }
    return status;
}
